// Runs of several arenas in one submission: put together while they gather, handed over at once.
#include "vulkan.h"

#include <string.h>

// ---- room ----

static size_t bytes_for(uint32_t room) {
    const struct vulkan_gathering *g = NULL;
    return room * (sizeof *g->runs + sizeof *g->infos + sizeof *g->commands);
}

// With the mutex held. Pointers to runs do not outlive it.
static void *take_room(struct vulkan_gathering *g, void *memory, uint32_t room) {
    void *old = g->runs;
    if (g->count) memcpy(memory, g->runs, g->count * sizeof *g->runs);
    g->runs = memory;
    g->infos = (VkSubmitInfo *)(g->runs + room);
    g->commands = (VkCommandBuffer *)(g->infos + room);
    g->room = room;
    return old;
}

plait_result vulkan_gather_reserve(struct vulkan_device *d, uint32_t frame_runs) {
    struct vulkan_gathering *g = &d->gathering;
    mutex_lock(&d->mutex);
    g->wanted += frame_runs + 1; // and a rescue
    uint32_t wanted = g->wanted > g->room ? 2 * g->wanted : 0;
    mutex_unlock(&d->mutex);
    if (!wanted) return PLAIT_OK;
    void *memory = allocate(d->device.object.context, 1, bytes_for(wanted));
    if (memory) {
        mutex_lock(&d->mutex);
        if (wanted > g->room) memory = take_room(g, memory, wanted);
        mutex_unlock(&d->mutex);
        release(d->device.object.context, memory);
        return PLAIT_OK;
    }
    vulkan_gather_unreserve(d, frame_runs);
    return PLAIT_ERROR_OUT_OF_MEMORY;
}

void vulkan_gather_unreserve(struct vulkan_device *d, uint32_t frame_runs) {
    mutex_lock(&d->mutex);
    d->gathering.wanted -= frame_runs + 1;
    mutex_unlock(&d->mutex);
}

// ---- gathering ----

// Output for the host's pointer has one place to stand in until it is delivered: now, before this frame has a run that would
// have to be handed over for it.
plait_result vulkan_gather(struct arena *arena) {
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    plait_result result = a->gpu.output_pending ? vulkan_wait(arena, UINT64_MAX) : PLAIT_OK;
    a->gathers = result == PLAIT_OK;
    a->gather_result = PLAIT_OK;
    return result;
}

plait_result vulkan_gathered(struct arena *arena) {
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    a->gathers = false;
    return a->gather_result;
}

plait_result vulkan_gather_run(const struct gathered_run *run) {
    struct vulkan_device *d = (struct vulkan_device *)run->arena->gpu.arena.device;
    struct vulkan_gathering *g = &d->gathering;
    if (atomic_load(&d->lost)) return PLAIT_ERROR_DEVICE_LOST;
    mutex_lock(&d->mutex);
    bool full = g->count == g->room;
    mutex_unlock(&d->mutex);
    if (full) vulkan_hand_over(&d->device); // frames of more runs than they said: in parts
    mutex_lock(&d->mutex);
    g->runs[g->count++] = *run;
    mutex_unlock(&d->mutex);
    return PLAIT_OK;
}

plait_result vulkan_wait_run(struct vulkan_arena *a, const uint64_t *number) {
    struct vulkan_device *d = (struct vulkan_device *)a->gpu.arena.device;
    if (*number == GATHERED_RUN) vulkan_hand_over(&d->device);
    return vulkan_wait_value(d, *number, UINT64_MAX);
}

// ---- handing over ----

// What one submission has: runs up to the next that waits for something, or to one that signals.
static uint32_t part_of(const struct vulkan_gathering *g, uint32_t first) {
    uint32_t end = first + 1;
    while (end < g->count && !g->runs[end].sync.wait && !g->runs[end - 1].sync.signal) end++;
    return end - first;
}

static void fail_run(const struct gathered_run *run, plait_result result) {
    struct vulkan_arena *a = run->arena;
    *run->numbers[0] = *run->numbers[1] = 0;
    if (run->tag) *run->tag = 0;
    if (run->sync.wait) {
        a->gpu.sync.wait = run->sync.wait;
        a->gpu.sync.wait_value = run->sync.wait_value;
    }
    if (run->sync.signal) {
        a->gpu.sync.signal = run->sync.signal;
        a->gpu.sync.signal_value = run->sync.signal_value;
    }
    a->gpu.output_pending = NULL;
    a->gather_result = result;
}

void vulkan_hand_over(struct device *device) {
    struct vulkan_device *d = (struct vulkan_device *)device;
    struct vulkan_gathering *g = &d->gathering;
    mutex_lock(&d->mutex);
    uint32_t infos = 0;
    for (uint32_t first = 0, count; first < g->count; first += count, infos++) {
        count = part_of(g, first);
        struct gathered_run *runs = g->runs + first;
        for (uint32_t i = 0; i < count; i++) g->commands[first + i] = runs[i].commands;
        struct frame_sync sync = runs[count - 1].sync;
        sync.wait = runs[0].sync.wait;
        sync.wait_value = runs[0].sync.wait_value;
        g->infos[infos] =
            vulkan_describe_submission(d, &g->commands[first], count, &sync, d->submitted + infos + 1, &runs[0].terms);
    }
    plait_result result = infos ? vulkan_submit_infos(d, infos, g->infos) : PLAIT_OK;
    uint64_t value = d->submitted;
    for (uint32_t first = 0, count; first < g->count; first += count) {
        count = part_of(g, first);
        value++;
        for (uint32_t i = first; i < first + count; i++) {
            if (result == PLAIT_OK)
                *g->runs[i].numbers[0] = *g->runs[i].numbers[1] = value;
            else
                fail_run(&g->runs[i], result);
        }
    }
    if (result == PLAIT_OK) d->submitted = value;
    g->count = 0;
    mutex_unlock(&d->mutex);
}
