// Opening a device: its context and the kernels in it.
#include "cuda_backend.h"

#include <stdio.h>
#include <string.h>

extern const unsigned char plait_cuda_image[] __attribute__((visibility("hidden"))); // image.c

// After these nothing works in the context any more.
static bool is_loss(CUresult result) {
    switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT: // of the host's kernels, in a context of the host's
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_EXTERNAL_DEVICE: return true;
    default: return result >= CUDA_ERROR_HARDWARE_STACK_ERROR && result <= CUDA_ERROR_LAUNCH_FAILED;
    }
}

plait_result cuda_result(struct cuda_device *d, CUresult result) {
    if (is_loss(result)) atomic_store(&d->lost, true);
    if (result != CUDA_SUCCESS && atomic_load(&d->lost)) return PLAIT_ERROR_DEVICE_LOST;
    switch (result) {
    case CUDA_SUCCESS: return PLAIT_OK;
    case CUDA_ERROR_OUT_OF_MEMORY: return PLAIT_ERROR_OUT_OF_MEMORY;
    case CUDA_ERROR_NOT_SUPPORTED: return PLAIT_ERROR_UNSUPPORTED;
    case CUDA_ERROR_OPERATING_SYSTEM: return PLAIT_ERROR_SYSTEM;
    default: return PLAIT_ERROR_UNAVAILABLE;
    }
}

static CUresult enter(const struct cuda_device *d, CUcontext *hosts) {
    CUresult result = d->cu->cuCtxGetCurrent(hosts);
    if (result != CUDA_SUCCESS) {
        *hosts = d->context; // nothing to put back
        return result;
    }
    return *hosts == d->context ? CUDA_SUCCESS : d->cu->cuCtxSetCurrent(d->context);
}

CUresult cuda_enter(const struct cuda_device *d, CUcontext *hosts) {
    *hosts = d->context;
    return atomic_load(&d->lost) ? CUDA_ERROR_LAUNCH_FAILED : enter(d, hosts);
}

void cuda_enter_to_free(const struct cuda_device *d, CUcontext *hosts) {
    if (enter(d, hosts) != CUDA_SUCCESS) enter(d, hosts);
}

// A call may fail for what an earlier launch did. The host must have its context back all the same: once more, then.
void cuda_leave(const struct cuda_device *d, CUcontext hosts) {
    if (hosts != d->context && d->cu->cuCtxSetCurrent(hosts) != CUDA_SUCCESS) d->cu->cuCtxSetCurrent(hosts);
}

static CUresult load_kernels(struct cuda_device *d) {
    static const char *const names[KERNEL_COUNT] = {
#define X(name, domain, scope, physics) "plait_" #name,
        FOR_EACH_KERNEL(X)
#undef X
    };
    static const char *const overrides[KERNEL_COUNT] = {
#define X(name, strands, vertices, most) [KERNEL_##name] = "plait_" #name "_override",
        FOR_EACH_OVERRIDE(X)
#undef X
    };
    CUresult result = d->cu->cuModuleLoadData(&d->module, plait_cuda_image);
    if (result != CUDA_SUCCESS) d->module = NULL;
    for (uint32_t k = 0; k < KERNEL_COUNT && result == CUDA_SUCCESS; k++) {
        result = d->cu->cuModuleGetFunction(&d->kernels[k], d->module, names[k]);
        if (result == CUDA_SUCCESS && kernel_has_override(k))
            result = d->cu->cuModuleGetFunction(&d->overrides[k], d->module, overrides[k]);
    }
    return result;
}

void cuda_close(struct device *device) {
    struct cuda_device *d = (struct cuda_device *)device;
    if (d->module) {
        CUcontext hosts;
        cuda_enter_to_free(d, &hosts);
        cuda_timelines_collect(d, true);
        cuda_free_idle(d);
        d->cu->cuModuleUnload(d->module);
        cuda_leave(d, hosts);
    }
    if (d->own_context) d->cu->cuDevicePrimaryCtxRelease_v2(d->ordinal);
    mutex_destroy(&d->mutex);
    mutex_destroy(&d->marks_mutex);
    release(device->object.context, d);
}

plait_result cuda_check_device(const struct call *call, const void *hosts) {
    if (((const plait_cuda_device_desc *)hosts)->context) return PLAIT_OK;
    return call->context->services->fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "plait_cuda_device_desc.context is null");
}

static plait_result take_output(const struct call *call, const struct device *device, const void *platform,
                                struct buffer *memory) {
    const struct module_services *services = call->context->services;
    const plait_cuda_output_desc *cuda = platform;
    if (device->native != cuda->context)
        return services->fail(
            call, PLAIT_ERROR_UNSUPPORTED,
            "output is CUDA memory, but the hair's device was not opened in the CUcontext that it is of");
    if (!cuda->pointer || cuda->pointer % 4)
        return services->fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                              "output: the CUdeviceptr is null or no multiple of 4");
    memory->native = cuda->pointer;
    memory->native_device = cuda->context;
    return PLAIT_OK;
}

static const struct device_ops cuda_ops = {
    .arena_create = cuda_arena_create,
    .arena_destroy = cuda_arena_destroy,
    .buffer_create = cuda_buffer_create,
    .buffer_destroy = cuda_buffer_destroy,
    .buffer_write = cuda_buffer_write,
    .buffer_read = cuda_buffer_read,
    .buffer_peek = gpu_buffer_peek,
    .plan_create = cuda_plan_create,
    .plan_destroy = cuda_plan_destroy,
    .plan_set = cuda_plan_set,
    .plan_run = cuda_plan_run,
    .plan_time = gpu_plan_time,
    .plan_commands = cuda_plan_commands,
    .synchronise = cuda_synchronise,
    .desynchronise = cuda_desynchronise,
    .wait = cuda_wait,
    .gather = cuda_gather,
    .close = cuda_close,
    .memory_create = cuda_memory_create,
    .memory_import = cuda_memory_import,
    .memory_export = cuda_memory_export,
    .memory_destroy = cuda_memory_destroy,
    .take_output = take_output,
    .timeline_create = cuda_timeline_create,
    .timeline_export = cuda_timeline_export,
    .timeline_query = cuda_timeline_query,
    .timeline_wait = cuda_timeline_wait,
    .timeline_signal = cuda_timeline_signal,
    .timeline_destroy = cuda_timeline_destroy,
    .rescue = cuda_rescue,
    .lost = cuda_lost,
};

// The host's context, or the device's primary one.
static CUresult take_context(struct cuda_device *d, const struct cuda_probe *probe,
                             const struct device_request *request) {
    const plait_cuda_device_desc *hosts = request->hosts;
    if (hosts) {
        d->context = hosts->context;
        d->device.native = d->context;
        d->host_stream = hosts->stream;
        return CUDA_SUCCESS;
    }
    d->ordinal = probe->devices[request->desc.index];
    CUresult result = d->cu->cuDevicePrimaryCtxRetain(&d->context, d->ordinal);
    d->own_context = result == CUDA_SUCCESS;
    return result;
}

static CUresult start(struct cuda_device *d) {
    CUcontext hosts;
    CUresult result = cuda_enter(d, &hosts);
    if (result == CUDA_SUCCESS && !d->own_context) result = d->cu->cuCtxGetDevice(&d->ordinal);
    if (result == CUDA_SUCCESS) result = load_kernels(d);
    cuda_leave(d, hosts);
    return result;
}

plait_result cuda_open(struct call *call, void *state, const struct device_request *request, struct device **out) {
    struct cuda_probe *probe = state;
    struct cuda_device *d = allocate(call->context, 1, sizeof *d);
    if (!d) return call->context->services->fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the device");
    d->device.ops = &cuda_ops;
    d->device.object.context = call->context;
    d->device.pack_width = d->device.lists_per_pack = PACK_WIDTH;
    d->device.tile = GPU_TILE;
    atomic_init(&d->device.used_bytes, 0);
    d->device.max_output_bytes = 4ull << 32; // kernels count floats in 32 bits
    atomic_init(&d->lost, false);
    atomic_init(&d->ended_count, 0);
    mutex_init(&d->mutex);
    mutex_init(&d->marks_mutex);
    d->cu = &probe->driver;
    CUresult result = take_context(d, probe, request);
    if (result == CUDA_SUCCESS) result = start(d);
    if (result != CUDA_SUCCESS) {
        plait_result code = cuda_result(d, result);
        cuda_close(&d->device);
        return call->context->services->fail(call, code, "the CUDA device could not be opened (CUresult %d)", result);
    }
    cuda_describe_device(d->cu, d->ordinal, &d->device.info);
    cuda_find_abilities(d);
    if (!d->own_context) d->device.info.interop |= PLAIT_INTEROP_CUDA_POINTER;
    snprintf(d->device.info.variant, sizeof d->device.info.variant, PLAIT_CUDA_VARIANT);
    *out = &d->device;
    return PLAIT_OK;
}
