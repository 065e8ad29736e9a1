// Arenas and buffers, and the slices through which changing values get to the device.
#include "cuda_backend.h"

#include <string.h>

static struct cuda_device *device_of(struct arena *arena) { return (struct cuda_device *)arena->device; }

// ---- blocks ----
// The driver frees memory only when nothing at all runs in the context: whoever made or ended a hair would wait for the
// frames of others too, which may wait for something that the same thread is to signal. So blocks are kept for the next
// hair, and go when the last one leaves, or with a device in the host's context, where the host may have work of its own.

// The smallest that is idle and not more than twice as large; or false.
static bool take_idle(struct cuda_device *d, bool pinned, uint64_t size, struct cuda_memory *memory) {
    uint32_t best = MAX_IDLE;
    mutex_lock(&d->mutex);
    for (uint32_t i = 0; i < d->idle_count; i++) {
        const struct cuda_memory *m = &d->idle[i];
        if (!m->host == pinned || m->size < size || m->size / 2 > size) continue;
        if (best == MAX_IDLE || m->size < d->idle[best].size) best = i;
    }
    if (best < MAX_IDLE) {
        *memory = d->idle[best];
        d->idle[best] = d->idle[--d->idle_count];
    }
    mutex_unlock(&d->mutex);
    return best < MAX_IDLE;
}

static plait_result allocate_block(struct cuda_device *d, bool pinned, uint64_t size, struct cuda_memory *memory) {
    if (take_idle(d, pinned, size, memory)) return PLAIT_OK;
    struct cuda_memory made = {.size = size};
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    for (int attempt = 0; attempt < 2 && result == CUDA_ERROR_OUT_OF_MEMORY; attempt++) {
        if (attempt == 1) cuda_free_idle(d); // what is too small or too large for this
        result = pinned ? d->cu->cuMemHostAlloc(&made.host, size, 0) : d->cu->cuMemAlloc_v2(&made.device, size);
    }
    if (result != CUDA_SUCCESS) return cuda_result(d, result);
    atomic_fetch_add(&d->device.used_bytes, size);
    *memory = made;
    return PLAIT_OK;
}

plait_result cuda_allocate_device(struct cuda_device *d, uint64_t size, struct cuda_memory *memory) {
    return allocate_block(d, false, size, memory);
}

plait_result cuda_allocate_pinned(struct cuda_device *d, uint64_t size, struct cuda_memory *memory) {
    return allocate_block(d, true, size, memory);
}

static void free_block(struct cuda_device *d, const struct cuda_memory *memory) {
    if (memory->device) d->cu->cuMemFree_v2(memory->device);
    if (memory->host) d->cu->cuMemFreeHost(memory->host);
    atomic_fetch_sub(&d->device.used_bytes, memory->size);
}

void cuda_free(struct cuda_device *d, struct cuda_memory *memory) {
    if (!memory->device && !memory->host) return;
    mutex_lock(&d->mutex);
    bool kept = d->idle_count < MAX_IDLE;
    if (kept) d->idle[d->idle_count++] = *memory;
    mutex_unlock(&d->mutex);
    if (!kept) free_block(d, memory);
    memset(memory, 0, sizeof *memory);
}

void cuda_free_idle(struct cuda_device *d) {
    struct cuda_memory memory;
    for (bool found = true; found;) {
        mutex_lock(&d->mutex);
        found = d->idle_count > 0;
        if (found) memory = d->idle[--d->idle_count];
        mutex_unlock(&d->mutex);
        if (found) free_block(d, &memory);
    }
}

// ---- arenas ----

static void drop_stream(struct cuda_device *d, struct cuda_stream *stream) {
    if (atomic_fetch_sub(&stream->arena_count, 1) > 1) return;
    if (stream->handle) d->cu->cuStreamDestroy_v2(stream->handle);
    release(d->device.object.context, stream);
}

static void free_arena(struct cuda_arena *a) {
    struct cuda_device *d = device_of(&a->gpu.arena);
    cuda_wait_to_free(a);
    cuda_free(d, &a->dynamic_memory);
    cuda_free(d, &a->upload);
    cuda_free(d, &a->watch);
    cuda_rescue_free(a);
    for (uint32_t i = 0; i < a->gpu.slices; i++)
        if (a->done[i]) d->cu->cuEventDestroy_v2(a->done[i]);
    if (a->shared) drop_stream(d, a->shared);
    cuda_marks_unreserve(d, a->marks);
    gpu_arena_free(&a->gpu);
    mutex_lock(&d->mutex);
    bool last = --d->arena_count == 0;
    mutex_unlock(&d->mutex);
    if (last && d->own_context) cuda_free_idle(d);
}

// beside: whose stream it takes, or null.
static CUresult take_stream(struct cuda_device *d, struct cuda_arena *a, const struct cuda_arena *beside) {
    a->stream = d->host_stream;
    if (a->stream) return CUDA_SUCCESS;
    if (beside) {
        a->shared = beside->shared;
        atomic_fetch_add(&a->shared->arena_count, 1);
    } else {
        a->shared = allocate(d->device.object.context, 1, sizeof *a->shared);
        if (!a->shared) return CUDA_ERROR_OUT_OF_MEMORY;
        atomic_init(&a->shared->arena_count, 1);
        CUresult result = d->cu->cuStreamCreate(&a->shared->handle, CU_STREAM_NON_BLOCKING);
        if (result != CUDA_SUCCESS) return result;
    }
    a->stream = a->shared->handle;
    return CUDA_SUCCESS;
}

static CUresult make_events(struct cuda_device *d, struct cuda_arena *a) {
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < a->gpu.slices && result == CUDA_SUCCESS; i++)
        result = d->cu->cuEventCreate(&a->done[i], CU_EVENT_DISABLE_TIMING);
    if (result != CUDA_SUCCESS) return result;
    a->marks = 2 * a->gpu.slices; // no more frames than slices are under way, and each waits and signals
    return cuda_marks_reserve(d, a->marks);
}

// ---- operations of gpu.h ----

static plait_result make_slices(struct gpu_arena *arena, uint64_t slice_size) {
    struct cuda_arena *a = (struct cuda_arena *)arena;
    struct cuda_device *d = device_of(&arena->arena);
    struct cuda_memory memory = {0}, upload = {0};
    plait_result result = cuda_allocate_device(d, slice_size, &memory);
    if (result == PLAIT_OK) result = cuda_allocate_pinned(d, slice_size * arena->slices, &upload);
    if (result != PLAIT_OK) {
        cuda_free(d, &memory);
        return result;
    }
    cuda_free(d, &a->dynamic_memory);
    cuda_free(d, &a->upload);
    a->dynamic_memory = memory;
    a->upload = upload;
    return PLAIT_OK;
}

static const void *watch(struct gpu_arena *arena) { return ((struct cuda_arena *)arena)->watch.host; }

static const struct gpu_ops ops = {.rescue = &cuda_rescue_ops,
                                   .make_slices = make_slices,
                                   .watch = watch,
                                   .stage_ns = cuda_stage_ns,
                                   .output = cuda_output};

plait_result cuda_arena_create(struct device *device, uint32_t frame_runs, struct arena *beside, struct arena **out) {
    struct cuda_device *d = (struct cuda_device *)device;
    struct cuda_arena *a = allocate(device->object.context, 1, sizeof *a);
    if (!a) return PLAIT_ERROR_OUT_OF_MEMORY;
    gpu_arena_begin(&a->gpu, device, &ops, frame_runs);
    a->gpu.slices++; // HOST_SLICE
    mutex_lock(&d->mutex);
    d->arena_count++;
    mutex_unlock(&d->mutex);
    CUcontext hosts;
    plait_result result = cuda_result(d, cuda_enter(d, &hosts));
    if (result == PLAIT_OK) result = cuda_result(d, take_stream(d, a, (const struct cuda_arena *)beside));
    if (result == PLAIT_OK) result = cuda_result(d, make_events(d, a));
    if (result == PLAIT_OK) result = cuda_allocate_pinned(d, a->gpu.slices * GPU_WATCHED, &a->watch);
    if (result != PLAIT_OK) free_arena(a);
    cuda_leave(d, hosts);
    if (result == PLAIT_OK) *out = &a->gpu.arena;
    return result;
}

void cuda_arena_destroy(struct arena *arena) {
    struct cuda_device *d = device_of(arena);
    CUcontext hosts;
    cuda_enter_to_free(d, &hosts);
    free_arena((struct cuda_arena *)arena);
    cuda_leave(d, hosts);
}

// ---- buffers ----

CUdeviceptr cuda_address(const struct cuda_arena *a, const struct buffer *buffer) {
    if (buffer->use == USE_DYNAMIC) return a->dynamic_memory.device + gpu_find_dynamic(&a->gpu, buffer)->at;
    return (CUdeviceptr)(uintptr_t)buffer->memory;
}

static plait_result make_dynamic(struct cuda_arena *a, uint64_t size, struct buffer *buffer) {
    plait_result result = cuda_wait_current(a, UINT64_MAX);
    if (result == PLAIT_OK) result = gpu_add_dynamic(&a->gpu, a->last_id + 1, size);
    if (result != PLAIT_OK) return result;
    buffer->memory = a;
    buffer->offset = ++a->last_id;
    return PLAIT_OK;
}

static plait_result make_plain(struct cuda_arena *a, uint64_t size, enum buffer_use use, struct buffer *buffer) {
    struct cuda_device *d = device_of(&a->gpu.arena);
    struct cuda_memory memory = {0};
    plait_result result = cuda_allocate_device(d, size, &memory);
    if (result == PLAIT_OK && use == USE_STATE) result = gpu_add_state(&a->gpu, memory.device, size);
    if (result == PLAIT_OK) result = cuda_result(d, d->cu->cuMemsetD8Async(memory.device, 0, size, a->stream));
    if (result != PLAIT_OK) {
        gpu_drop_state(&a->gpu, memory.device);
        cuda_free(d, &memory);
        return result;
    }
    a->filling = true;
    buffer->memory = (void *)(uintptr_t)memory.device;
    buffer->offset = memory.size;
    if (use == USE_WATCHED) gpu_watch(&a->gpu, memory.device, size);
    return PLAIT_OK;
}

plait_result cuda_buffer_create(struct arena *arena, uint64_t size, enum buffer_use use, struct buffer *buffer) {
    struct cuda_arena *a = (struct cuda_arena *)arena;
    struct cuda_device *d = device_of(arena);
    struct buffer made = {.arena = arena, .size = size, .use = use};
    CUcontext hosts;
    plait_result result = cuda_result(d, cuda_enter(d, &hosts));
    if (result == PLAIT_OK)
        result = use == USE_DYNAMIC ? make_dynamic(a, size, &made) : make_plain(a, size, use, &made);
    cuda_leave(d, hosts);
    if (result == PLAIT_OK) *buffer = made;
    return result;
}

void cuda_buffer_destroy(struct buffer *buffer) {
    if (!buffer->memory) return;
    struct cuda_arena *a = (struct cuda_arena *)buffer->arena;
    struct cuda_device *d = device_of(&a->gpu.arena);
    CUcontext hosts;
    cuda_enter_to_free(d, &hosts);
    cuda_wait_to_free(a);
    if (buffer->use == USE_DYNAMIC) {
        gpu_drop_dynamic(&a->gpu, buffer);
    } else {
        struct cuda_memory memory = {.device = cuda_address(a, buffer), .size = buffer->offset};
        gpu_drop_state(&a->gpu, memory.device);
        if (buffer->use == USE_WATCHED) gpu_unwatch(&a->gpu);
        cuda_free(d, &memory);
    }
    cuda_leave(d, hosts);
    memset(buffer, 0, sizeof *buffer);
}

// Copies go through the arena's stream: the driver's own synchronous ones do not wait for a stream like it.
plait_result cuda_buffer_write(struct buffer *buffer, uint64_t offset, const void *data, uint64_t size) {
    struct cuda_arena *a = (struct cuda_arena *)buffer->arena;
    struct cuda_device *d = device_of(&a->gpu.arena);
    if (size == 0) return PLAIT_OK;
    if (buffer->use == USE_DYNAMIC) {
        memcpy(gpu_mirror_of(&a->gpu, buffer) + offset, data, size);
        return PLAIT_OK;
    }
    CUcontext hosts;
    plait_result result = cuda_result(d, cuda_enter(d, &hosts));
    if (result == PLAIT_OK) result = cuda_wait_current(a, UINT64_MAX);
    if (result == PLAIT_OK)
        result = cuda_result(d, d->cu->cuMemcpyHtoDAsync_v2(cuda_address(a, buffer) + offset, data, size, a->stream));
    if (result == PLAIT_OK) result = cuda_result(d, d->cu->cuStreamSynchronize(a->stream));
    cuda_leave(d, hosts);
    return result;
}

plait_result cuda_buffer_read(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size) {
    struct cuda_arena *a = (struct cuda_arena *)buffer->arena;
    struct cuda_device *d = device_of(&a->gpu.arena);
    if (size == 0) return PLAIT_OK;
    if (buffer->use == USE_DYNAMIC) { // kernels only read these
        memcpy(data, gpu_mirror_of(&a->gpu, buffer) + offset, size);
        return PLAIT_OK;
    }
    CUcontext hosts;
    plait_result result = cuda_result(d, cuda_enter(d, &hosts));
    if (result == PLAIT_OK) result = cuda_wait_current(a, UINT64_MAX);
    if (result == PLAIT_OK)
        result = cuda_result(d, d->cu->cuMemcpyDtoHAsync_v2(data, cuda_address(a, buffer) + offset, size, a->stream));
    if (result == PLAIT_OK) result = cuda_result(d, d->cu->cuStreamSynchronize(a->stream));
    cuda_leave(d, hosts);
    if (result != PLAIT_ERROR_DEVICE_LOST) return result;
    return gpu_read_rescued(&a->gpu, (uintptr_t)buffer->memory, offset, data, size);
}
