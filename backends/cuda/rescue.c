// State that outlives the device: now and then the buffers of state are copied to pinned memory, in turns to one of two
// places, each with a tag that the stream itself writes when the copy is whole.
#include "cuda_backend.h"

#include <string.h>

#define HEADER 64 // bytes before the state: the tag

static struct cuda_device *device_of(struct cuda_arena *a) { return (struct cuda_device *)a->gpu.arena.device; }

static _Atomic uint64_t *tag_of(const struct cuda_arena *a, uint32_t place) {
    return (_Atomic uint64_t *)a->rescue.places[place].host;
}

plait_result cuda_rescue_prepare(struct cuda_arena *a) {
    struct cuda_device *d = device_of(a);
    plait_result result = PLAIT_OK;
    for (uint32_t i = 0; i < 2 && result == PLAIT_OK; i++) {
        if (!d->has_stream_values || a->rescue.places[i].size >= HEADER + gpu_state_size(&a->gpu)) continue;
        cuda_free(d, &a->rescue.places[i]);
        result = cuda_allocate_pinned(d, HEADER + gpu_state_size(&a->gpu), &a->rescue.places[i]);
        if (result == PLAIT_OK) atomic_store(tag_of(a, i), 0);
    }
    for (uint32_t i = 0; i < 2 && result == PLAIT_OK; i++)
        if (!a->rescue.done[i])
            result = cuda_result(d, d->cu->cuEventCreate(&a->rescue.done[i], CU_EVENT_DISABLE_TIMING));
    return result;
}

void cuda_rescue_free(struct cuda_arena *a) {
    struct cuda_device *d = device_of(a);
    for (uint32_t i = 0; i < 2; i++) {
        cuda_free(d, &a->rescue.places[i]);
        if (a->rescue.done[i]) d->cu->cuEventDestroy_v2(a->rescue.done[i]);
    }
}

static CUresult copy_state(struct cuda_arena *a, uint32_t place, uint64_t tag) {
    const struct driver *cu = device_of(a)->cu;
    char *to = (char *)a->rescue.places[place].host;
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < a->gpu.state_count && result == CUDA_SUCCESS; i++)
        result = cu->cuMemcpyDtoHAsync_v2(to + HEADER + a->gpu.states[i].at, a->gpu.states[i].address,
                                          a->gpu.states[i].size, a->stream);
    if (result == CUDA_SUCCESS) result = cu->cuStreamWriteValue64_v2(a->stream, (CUdeviceptr)(uintptr_t)to, tag, 0);
    CUresult recorded = cu->cuEventRecord(a->rescue.done[place], a->stream);
    a->rescue.pending[place] = recorded == CUDA_SUCCESS;
    if (recorded != CUDA_SUCCESS) cu->cuStreamSynchronize(a->stream);
    return result != CUDA_SUCCESS ? result : recorded;
}

plait_result cuda_rescue(struct arena *arena, uint64_t tag) {
    struct cuda_arena *a = (struct cuda_arena *)arena;
    struct cuda_device *d = device_of(a);
    if (a->rescue.places[1].size < HEADER + gpu_state_size(&a->gpu)) return PLAIT_OK; // it has no place
    uint32_t place = tag & 1;
    CUcontext hosts;
    CUresult result = cuda_enter(d, &hosts);
    if (result == CUDA_SUCCESS && a->rescue.pending[place]) result = d->cu->cuEventSynchronize(a->rescue.done[place]);
    if (result == CUDA_SUCCESS) {
        atomic_store(tag_of(a, place), 0);
        result = copy_state(a, place, tag);
    }
    cuda_leave(d, hosts);
    return cuda_result(d, result);
}

static uint64_t last_tag(const struct cuda_arena *a) {
    uint64_t last = 0;
    for (uint32_t i = 0; i < 2; i++)
        if (a->rescue.places[i].host && atomic_load(tag_of(a, i)) > last) last = atomic_load(tag_of(a, i));
    return last;
}

bool cuda_lost(struct arena *arena, uint64_t *tag) {
    struct cuda_arena *a = (struct cuda_arena *)arena;
    if (!atomic_load(&device_of(a)->lost)) return false;
    *tag = last_tag(a);
    return true;
}

plait_result cuda_read_rescued(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size) {
    const struct cuda_arena *a = (const struct cuda_arena *)buffer->arena;
    uint64_t tag = last_tag(a);
    const struct gpu_state *state = gpu_find_state(&a->gpu, (uintptr_t)buffer->memory);
    if (state && tag) {
        memcpy(data, (const char *)a->rescue.places[tag & 1].host + HEADER + state->at + offset, size);
        return PLAIT_OK;
    }
    return PLAIT_ERROR_DEVICE_LOST;
}
