// Arenas: dynamic buffers and their mirror, what was peeked at, buffers of state, and which runs are under way.
#include "gpu.h"

#include <string.h>

#define SLICE_ALIGNMENT 16 // of dynamic buffers in a slice
#define QUEUED_RUNS 64     // at most

static struct context *context_of(const struct gpu_arena *a) { return a->arena.device->object.context; }

void gpu_arena_begin(struct gpu_arena *a, struct device *device, const struct gpu_ops *ops, uint32_t frame_runs) {
    a->arena.device = device;
    a->ops = ops;
    a->generation = 1;
    a->slices = frame_runs < QUEUED_RUNS / 2 ? 2 * frame_runs : QUEUED_RUNS;
}

void gpu_arena_free(struct gpu_arena *a) {
    struct context *context = context_of(a);
    release(context, a->dynamic);
    release(context, a->mirror);
    release(context, a->states);
    release(context, a->plans);
    release(context, a);
}

void *gpu_reserve(struct context *context, void *table, uint32_t count, uint32_t *room, size_t size) {
    if (count <= *room) return table;
    void *larger = allocate(context, 2 * (size_t)count, size);
    if (!larger) return NULL;
    if (table) memcpy(larger, table, *room * size);
    release(context, table);
    *room = 2 * count;
    return larger;
}

// ---- dynamic buffers ----

// Lays them out in new slices, keeping the content of the mirror.
plait_result gpu_add_dynamic(struct gpu_arena *a, uint64_t key, uint64_t size) {
    struct context *context = context_of(a);
    uint64_t room = (size + SLICE_ALIGNMENT - 1) / SLICE_ALIGNMENT * SLICE_ALIGNMENT;
    struct gpu_dynamic *dynamic =
        gpu_reserve(context, a->dynamic, a->dynamic_count + 1, &a->dynamic_room, sizeof *dynamic);
    if (!dynamic) return PLAIT_ERROR_OUT_OF_MEMORY;
    a->dynamic = dynamic;
    unsigned char *mirror = allocate(context, 1, a->slice_size + room);
    plait_result result = mirror ? a->ops->make_slices(a, a->slice_size + room) : PLAIT_ERROR_OUT_OF_MEMORY;
    if (result != PLAIT_OK) {
        release(context, mirror);
        return result;
    }
    if (a->mirror) memcpy(mirror, a->mirror, a->slice_size);
    release(context, a->mirror);
    a->mirror = mirror;
    dynamic[a->dynamic_count++] = (struct gpu_dynamic){.key = key, .size = room, .at = a->slice_size};
    a->slice_size += room;
    a->generation++;
    return PLAIT_OK;
}

static uint32_t index_of(const struct gpu_arena *a, const struct buffer *buffer) {
    uint32_t i = 0;
    while (a->dynamic[i].key != buffer->offset) i++;
    return i;
}

const struct gpu_dynamic *gpu_find_dynamic(const struct gpu_arena *a, const struct buffer *buffer) {
    return &a->dynamic[index_of(a, buffer)];
}

unsigned char *gpu_mirror_of(const struct gpu_arena *a, const struct buffer *buffer) {
    return a->mirror + gpu_find_dynamic(a, buffer)->at;
}

void gpu_drop_dynamic(struct gpu_arena *a, const struct buffer *buffer) {
    uint32_t i = index_of(a, buffer);
    uint64_t at = a->dynamic[i].at, size = a->dynamic[i].size;
    memmove(a->mirror + at, a->mirror + at + size, a->slice_size - at - size);
    for (uint32_t k = i; k + 1 < a->dynamic_count; k++) {
        a->dynamic[k] = a->dynamic[k + 1];
        a->dynamic[k].at -= size;
    }
    a->dynamic_count--;
    a->slice_size -= size;
    a->generation++;
}

// ---- state ----

uint64_t gpu_state_size(const struct gpu_arena *a) {
    uint64_t end = 0;
    for (uint32_t i = 0; i < a->state_count; i++)
        if (a->states[i].at + a->states[i].size > end) end = a->states[i].at + a->states[i].size;
    return end;
}

plait_result gpu_add_state(struct gpu_arena *a, uint64_t address, uint64_t size) {
    struct gpu_state *states =
        gpu_reserve(context_of(a), a->states, a->state_count + 1, &a->state_room, sizeof *states);
    if (!states) return PLAIT_ERROR_OUT_OF_MEMORY;
    a->states = states;
    struct gpu_state added = {.address = address, .size = size, .at = gpu_state_size(a)};
    states[a->state_count++] = added;
    a->generation++;
    return PLAIT_OK;
}

const struct gpu_state *gpu_find_state(const struct gpu_arena *a, uint64_t address) {
    for (uint32_t i = 0; i < a->state_count; i++)
        if (a->states[i].address == address) return &a->states[i];
    return NULL;
}

// The others stay where they are in a rescue copy, which may still be read.
void gpu_drop_state(struct gpu_arena *a, uint64_t address) {
    const struct gpu_state *state = gpu_find_state(a, address);
    if (!state) return;
    a->states[state - a->states] = a->states[--a->state_count];
    a->generation++;
}

// ---- peeking ----

void gpu_watch(struct gpu_arena *a, uint64_t address, uint64_t size) {
    a->watched = address;
    a->watched_size = size < GPU_WATCHED ? size : GPU_WATCHED;
    a->generation++;
}

void gpu_unwatch(struct gpu_arena *a) {
    a->watched_size = 0;
    a->generation++;
}

void gpu_look(struct gpu_arena *a, uint32_t slice) {
    if (!a->watched_size || a->runs[slice] <= a->peeked_run) return;
    memcpy(a->peeked, (const char *)a->ops->watch(a) + (size_t)slice * GPU_WATCHED, GPU_WATCHED);
    a->peeked_run = a->runs[slice];
}

plait_result gpu_buffer_peek(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size) {
    memcpy(data, ((const struct gpu_arena *)buffer->arena)->peeked + offset, size);
    return PLAIT_OK;
}

void gpu_settle(struct gpu_arena *a) {
    for (uint32_t i = 0; i < a->slices; i++) gpu_look(a, i);
    for (uint32_t p = 0; p < a->plan_count; p++)
        for (uint32_t i = 0; i < a->slices; i++) gpu_plan_count_run(a->plans[p], i);
    if (a->output_pending) gpu_plan_deliver(a->output_pending);
    a->output_pending = NULL;
}
