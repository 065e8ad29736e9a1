// Enumeration and opening of devices. The table of backends stands here, best first.
#include "device.h"
#include "structs.h"

#include <stdio.h>
#include <string.h>

static uint32_t no_module(char reason[PLAIT_REASON_SIZE]) {
    snprintf(reason, PLAIT_REASON_SIZE, "this build of the library has no such backend");
    return 0;
}

static const struct backend vulkan_backend = {PLAIT_BACKEND_VULKAN, "vulkan", no_module, NULL, NULL};
static const struct backend cuda_backend = {PLAIT_BACKEND_CUDA, "cuda", no_module, NULL, NULL};

// The null device comes last: it is never the best.
static const struct backend *const backends[] = {&cuda_backend, &vulkan_backend, &cpu_backend, &null_backend};

static void write_backend(void *user, uint32_t index, void *out) {
    (void)user;
    plait_backend_info *info = out;
    info->backend = backends[index]->id;
    snprintf(info->name, sizeof info->name, "%s", backends[index]->name);
    info->device_count = backends[index]->device_count(info->reason);
    info->available = info->device_count > 0;
}

plait_result PLAIT_CALL plait_backend_enumerate(plait_context context, uint32_t *count, plait_backend_info *infos) {
    struct call call = {.function = __func__};
    plait_result result = call_enter_context(&call, context);
    if (result != PLAIT_OK) return result;
    result = struct_list(&call, PLAIT_TYPE_BACKEND_INFO, sizeof *infos, ARRAY_LENGTH(backends), count, infos,
                         write_backend, NULL);
    call_leave(&call);
    return result;
}

static uint32_t backend_devices(const struct backend *backend) {
    char reason[PLAIT_REASON_SIZE];
    return backend->device_count(reason);
}

static void write_device(void *user, uint32_t index, void *out) {
    (void)user;
    for (uint32_t i = 0; i < ARRAY_LENGTH(backends); i++) {
        uint32_t count = backend_devices(backends[i]);
        if (index < count) {
            plait_device_info *info = out;
            info->backend = backends[i]->id;
            info->index = index;
            backends[i]->describe(index, info);
            return;
        }
        index -= count;
    }
}

plait_result PLAIT_CALL plait_device_enumerate(plait_context context, uint32_t *count, plait_device_info *infos) {
    struct call call = {.function = __func__};
    plait_result result = call_enter_context(&call, context);
    if (result != PLAIT_OK) return result;
    uint32_t total = 0;
    for (uint32_t i = 0; i < ARRAY_LENGTH(backends); i++) total += backend_devices(backends[i]);
    result = struct_list(&call, PLAIT_TYPE_DEVICE_INFO, sizeof *infos, total, count, infos, write_device, NULL);
    call_leave(&call);
    return result;
}

static const struct backend *choose_backend(uint32_t id) {
    for (uint32_t i = 0; i < ARRAY_LENGTH(backends); i++)
        if (id == PLAIT_BACKEND_BEST ? backend_devices(backends[i]) > 0 : backends[i]->id == id) return backends[i];
    return NULL;
}

static void destroy_device(struct object *object) {
    struct device *device = (struct device *)object;
    device->ops->close(device);
}

static plait_result open_device(struct call *call, const plait_device_desc *desc, plait_device *handle) {
    struct device_request request;
    memset(&request, 0, sizeof request);
    if (desc) {
        struct extension cpu = {PLAIT_TYPE_DEVICE_CPU_DESC, sizeof request.cpu, &request.cpu, false};
        plait_result result = struct_read(call, "desc", desc, PLAIT_TYPE_DEVICE_DESC, &request.desc,
                                          sizeof request.desc, &cpu, 1);
        if (result != PLAIT_OK) return result;
        if (cpu.found && request.desc.backend != PLAIT_BACKEND_CPU)
            return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc has a plait_device_cpu_desc but is not for the CPU");
        if (request.cpu.reserved != 0)
            return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "plait_device_cpu_desc.reserved is not 0");
    }
    const struct backend *backend = choose_backend(request.desc.backend);
    if (!backend)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.backend is %u, which is none", request.desc.backend);
    char reason[PLAIT_REASON_SIZE] = "";
    uint32_t count = backend->device_count(reason);
    if (count == 0) return fail(call, PLAIT_ERROR_UNAVAILABLE, "backend %s: %s", backend->name, reason);
    if (request.desc.index >= count)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.index is %u, backend %s has %u devices",
                    request.desc.index, backend->name, count);
    struct device *device;
    plait_result result = backend->open(call, &request, &device);
    if (result != PLAIT_OK) return result;
    device->object.context = call->context;
    device->object.destroy = destroy_device;
    device->info.backend = backend->id;
    device->info.index = request.desc.index;
    device->info.pack_width = device->pack_width;
    result = object_publish(call, &device->object, OBJECT_DEVICE, &handle->id);
    if (result != PLAIT_OK) {
        device->ops->close(device);
        return result;
    }
    message(call->context, PLAIT_LOG_INFO, PLAIT_MESSAGE_DEVICE_OPENED, "opened %s device: %s (%s)", backend->name,
            device->info.name, device->info.variant);
    return PLAIT_OK;
}

plait_result PLAIT_CALL plait_device_open(plait_context context, const plait_device_desc *desc, plait_device *handle) {
    if (handle) handle->id = 0;
    struct call call = {.function = __func__};
    plait_result result = call_enter_context(&call, context);
    if (result != PLAIT_OK) return result;
    if (!handle)
        result = fail(&call, PLAIT_ERROR_INVALID_ARGUMENT, "device is null");
    else
        result = open_device(&call, desc, handle);
    call_leave(&call);
    return result;
}

plait_result PLAIT_CALL plait_device_close(plait_device handle) {
    struct call call = {.function = __func__};
    return object_retire(&call, handle.id, OBJECT_DEVICE);
}

plait_result PLAIT_CALL plait_device_query(plait_device handle, plait_device_info *info) {
    struct call call = {.function = __func__};
    struct object *object;
    plait_result result = call_enter(&call, handle.id, OBJECT_DEVICE, false, &object);
    if (result != PLAIT_OK) return result;
    result = struct_check_info(&call, "info", info, PLAIT_TYPE_DEVICE_INFO);
    if (result == PLAIT_OK) {
        struct device *device = (struct device *)object;
        plait_device_info values = device->info;
        values.memory_used_bytes = atomic_load(&device->used_bytes);
        struct_write(info, &values, sizeof values);
    }
    call_leave_object(&call, object, false);
    return result;
}
