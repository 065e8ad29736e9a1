// Rescue copies: in pinned memory, each with a tag that the stream itself writes when the copy is whole.
#include "cuda_backend.h"

#define HEADER 64 // bytes before the state: the tag

static struct cuda_device *device_of(const struct cuda_arena *a) { return (struct cuda_device *)a->gpu.arena.device; }

static _Atomic uint64_t *tag_of(const struct cuda_arena *a, uint32_t place) {
    return (_Atomic uint64_t *)a->rescue.places[place].host;
}

static plait_result make_copy(struct gpu_arena *arena, uint32_t place, uint64_t size) {
    struct cuda_arena *a = (struct cuda_arena *)arena;
    struct cuda_device *d = device_of(a);
    cuda_free(d, &a->rescue.places[place]);
    plait_result result = cuda_allocate_pinned(d, HEADER + size, &a->rescue.places[place]);
    if (result != PLAIT_OK) return result;
    atomic_store(tag_of(a, place), 0);
    if (a->rescue.done[place]) return PLAIT_OK;
    return cuda_result(d, d->cu->cuEventCreate(&a->rescue.done[place], CU_EVENT_DISABLE_TIMING));
}

static plait_result wait_copy(struct gpu_arena *arena, uint32_t place) {
    struct cuda_arena *a = (struct cuda_arena *)arena;
    struct cuda_device *d = device_of(a);
    if (!a->rescue.pending[place]) return PLAIT_OK;
    return cuda_result(d, d->cu->cuEventSynchronize(a->rescue.done[place]));
}

void cuda_rescue_free(struct cuda_arena *a) {
    struct cuda_device *d = device_of(a);
    for (uint32_t i = 0; i < 2; i++) {
        cuda_free(d, &a->rescue.places[i]);
        if (a->rescue.done[i]) d->cu->cuEventDestroy_v2(a->rescue.done[i]);
    }
}

static plait_result copy_state(struct gpu_arena *arena, uint32_t place, uint64_t tag) {
    struct cuda_arena *a = (struct cuda_arena *)arena;
    const struct driver *cu = device_of(a)->cu;
    char *to = (char *)a->rescue.places[place].host;
    CUresult result = CUDA_SUCCESS;
    atomic_store(tag_of(a, place), 0);
    for (uint32_t i = 0; i < a->gpu.state_count && result == CUDA_SUCCESS; i++)
        result = cu->cuMemcpyDtoHAsync_v2(to + HEADER + a->gpu.states[i].at, a->gpu.states[i].address,
                                          a->gpu.states[i].size, a->stream);
    if (result == CUDA_SUCCESS) result = cu->cuStreamWriteValue64_v2(a->stream, (CUdeviceptr)(uintptr_t)to, tag, 0);
    CUresult recorded = cu->cuEventRecord(a->rescue.done[place], a->stream);
    a->rescue.pending[place] = recorded == CUDA_SUCCESS;
    if (recorded != CUDA_SUCCESS) cu->cuStreamSynchronize(a->stream);
    return cuda_result(device_of(a), result != CUDA_SUCCESS ? result : recorded);
}

static uint64_t copied_tag(const struct gpu_arena *arena, uint32_t place) {
    return atomic_load(tag_of((const struct cuda_arena *)arena, place));
}

static const void *see_copy(const struct gpu_arena *arena, uint32_t place) {
    return (const char *)((const struct cuda_arena *)arena)->rescue.places[place].host + HEADER;
}

const struct gpu_rescue_ops cuda_rescue_ops = {
    .make = make_copy, .wait = wait_copy, .copy = copy_state, .copied = copied_tag, .see = see_copy};

plait_result cuda_rescue(struct arena *arena, uint64_t tag) {
    struct cuda_device *d = (struct cuda_device *)arena->device;
    CUcontext hosts;
    plait_result result = cuda_result(d, cuda_enter(d, &hosts));
    if (result == PLAIT_OK) result = gpu_rescue((struct gpu_arena *)arena, tag);
    cuda_leave(d, hosts);
    return result;
}

bool cuda_lost(struct arena *arena, uint64_t *tag) {
    *tag = gpu_rescued((struct gpu_arena *)arena);
    return atomic_load(&((struct cuda_device *)arena->device)->lost);
}
