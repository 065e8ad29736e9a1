// Enumeration and opening of devices. The list of backends stands here, best first.
#include "device.h"
#include "module.h"
#include "structs.h"

#include <stdio.h>
#include <string.h>

// Backends in modules of their own: how to get at them.
static const struct {
    uint32_t id;
    const char *name;
} modules[] = {{PLAIT_BACKEND_CUDA, "cuda"}, {PLAIT_BACKEND_VULKAN, "vulkan"}};

// Best first. The null device comes last: it is never the best.
static const uint32_t backend_order[BACKEND_COUNT] = {PLAIT_BACKEND_CUDA, PLAIT_BACKEND_VULKAN, PLAIT_BACKEND_CPU,
                                                      PLAIT_BACKEND_NULL};

static plait_result probe_backend(struct context *context, uint32_t id, struct backend_slot *slot) {
    if (id == PLAIT_BACKEND_CPU) slot->backend = &cpu_backend;
    if (id == PLAIT_BACKEND_NULL) slot->backend = &null_backend;
    for (size_t i = 0; i < ARRAY_LENGTH(modules); i++)
        if (modules[i].id == id) slot->backend = module_open(modules[i].name, &slot->module, slot->reason);
    if (!slot->backend) return PLAIT_OK;
    plait_result result = slot->backend->probe(context, &slot->state, &slot->device_count, slot->reason);
    slot->software = slot->device_count > 0 && slot->backend->is_software(slot->state, 0);
    return result;
}

static void forget_backend(struct context *context, struct backend_slot *slot) {
    if (slot->backend) slot->backend->forget(context, slot->state);
    module_close(slot->module);
    memset(slot, 0, sizeof *slot);
}

void backends_forget(struct context *context) {
    for (uint32_t i = 0; i < BACKEND_COUNT; i++) forget_backend(context, &context->backends[i]);
}

// A backend is looked for once in the life of a context, when somebody first asks for it: a host that wants the CPU loads
// no driver.
static plait_result find_backend(const struct call *call, uint32_t index) {
    struct context *context = call->context;
    struct backend_slot *slot = &context->backends[index];
    plait_result result = PLAIT_OK;
    pthread_mutex_lock(&context->backends_mutex);
    if (!slot->probed) {
        result = probe_backend(context, backend_order[index], slot);
        slot->probed = result == PLAIT_OK;
        if (result != PLAIT_OK) forget_backend(context, slot);
    }
    pthread_mutex_unlock(&context->backends_mutex);
    if (result != PLAIT_OK) return fail(call, result, "no memory to look for devices");
    return PLAIT_OK;
}

static plait_result find_backends(const struct call *call) {
    plait_result result = PLAIT_OK;
    for (uint32_t i = 0; i < BACKEND_COUNT && result == PLAIT_OK; i++) result = find_backend(call, i);
    return result;
}

static const char *backend_name(uint32_t id) {
    for (size_t i = 0; i < ARRAY_LENGTH(modules); i++)
        if (modules[i].id == id) return modules[i].name;
    return id == PLAIT_BACKEND_CPU ? "cpu" : "null";
}

static void write_backend(void *user, uint32_t index, void *out) {
    const struct backend_slot *slot = (const struct backend_slot *)user + index;
    plait_backend_info *info = out;
    info->backend = backend_order[index];
    snprintf(info->name, sizeof info->name, "%s", backend_name(backend_order[index]));
    snprintf(info->reason, sizeof info->reason, "%s", slot->reason);
    info->device_count = slot->device_count;
    info->available = info->device_count > 0;
}

plait_result PLAIT_CALL plait_backend_enumerate(plait_context context, uint32_t *count, plait_backend_info *infos) {
    struct call call = {.function = __func__};
    plait_result result = call_enter_context(&call, context);
    if (result != PLAIT_OK) return result;
    result = find_backends(&call);
    if (result == PLAIT_OK)
        result = struct_list(&call, PLAIT_TYPE_BACKEND_INFO, sizeof *infos, BACKEND_COUNT, count, infos, write_backend,
                             call.context->backends);
    call_leave(&call);
    return result;
}

static void write_device(void *user, uint32_t index, void *out) {
    struct backend_slot *slot = user;
    for (uint32_t i = 0; i < BACKEND_COUNT; i++, slot++) {
        if (index < slot->device_count) {
            plait_device_info *info = out;
            info->backend = backend_order[i];
            info->index = index;
            slot->backend->describe(slot->state, index, info);
            return;
        }
        index -= slot->device_count;
    }
}

plait_result PLAIT_CALL plait_device_enumerate(plait_context context, uint32_t *count, plait_device_info *infos) {
    struct call call = {.function = __func__};
    plait_result result = call_enter_context(&call, context);
    if (result != PLAIT_OK) return result;
    result = find_backends(&call);
    struct backend_slot *slots = call.context->backends;
    uint32_t total = 0;
    for (uint32_t i = 0; i < BACKEND_COUNT; i++) total += slots[i].device_count;
    if (result == PLAIT_OK)
        result = struct_list(&call, PLAIT_TYPE_DEVICE_INFO, sizeof *infos, total, count, infos, write_device, slots);
    call_leave(&call);
    return result;
}

// The best is the first with a device that is hardware of its kind: a Vulkan or CUDA device that runs on the CPU would
// only do there, slower, what the CPU backend does. BACKEND_COUNT when there is none of that id.
static plait_result choose_backend(const struct call *call, uint32_t id, uint32_t *chosen) {
    struct backend_slot *slots = call->context->backends;
    for (*chosen = 0; *chosen < BACKEND_COUNT; ++*chosen) {
        if (id != PLAIT_BACKEND_BEST && backend_order[*chosen] != id) continue;
        plait_result result = find_backend(call, *chosen);
        if (result != PLAIT_OK) return result;
        if (id != PLAIT_BACKEND_BEST || (slots[*chosen].device_count > 0 && !slots[*chosen].software)) return PLAIT_OK;
    }
    return PLAIT_OK;
}

static void destroy_device(struct object *object) {
    struct device *device = (struct device *)object;
    device->ops->close(device);
}

static plait_result check_vulkan(const struct call *call, const struct device_request *request) {
    const plait_vulkan_device_desc *v = &request->vulkan;
    if (request->desc.backend != PLAIT_BACKEND_VULKAN)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc has a plait_vulkan_device_desc but is not for Vulkan");
    if (!v->physical_device || !v->device || !v->queue || v->reserved != 0 || !v->lock_queue != !v->unlock_queue)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                    "plait_vulkan_device_desc lacks a handle or one of two callbacks, or reserved is not 0");
    return PLAIT_OK;
}

static plait_result open_device(struct call *call, const plait_device_desc *desc, plait_device *handle) {
    struct device_request request;
    memset(&request, 0, sizeof request);
    if (desc) {
        struct extension extensions[] = {
            {PLAIT_TYPE_DEVICE_CPU_DESC, sizeof request.cpu, &request.cpu, false},
            {PLAIT_TYPE_VULKAN_DEVICE_DESC, sizeof request.vulkan, &request.vulkan, false},
        };
        plait_result result = struct_read(call, "desc", desc, PLAIT_TYPE_DEVICE_DESC, &request.desc,
                                          sizeof request.desc, extensions, ARRAY_LENGTH(extensions));
        if (result == PLAIT_OK && extensions[1].found) result = check_vulkan(call, &request);
        if (result != PLAIT_OK) return result;
        if (extensions[0].found && request.desc.backend != PLAIT_BACKEND_CPU)
            return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc has a plait_device_cpu_desc but is not for the CPU");
        if (request.cpu.reserved != 0)
            return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "plait_device_cpu_desc.reserved is not 0");
    }
    struct backend_slot *slots = call->context->backends;
    uint32_t chosen;
    plait_result result = choose_backend(call, request.desc.backend, &chosen);
    if (result != PLAIT_OK) return result;
    if (chosen == BACKEND_COUNT)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.backend is %u, which is none", request.desc.backend);
    const struct backend *backend = slots[chosen].backend;
    if (slots[chosen].device_count == 0 && !(backend && request.vulkan.device))
        return fail(call, PLAIT_ERROR_UNAVAILABLE, "backend %s: %s", backend_name(backend_order[chosen]),
                    slots[chosen].reason);
    if (request.desc.index >= slots[chosen].device_count && !request.vulkan.device)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.index is %u, backend %s has %u devices",
                    request.desc.index, backend->name, slots[chosen].device_count);
    struct device *device;
    result = backend->open(call, slots[chosen].state, &request, &device);
    if (result != PLAIT_OK) return result;
    device->object.context = call->context;
    device->object.destroy = destroy_device;
    if (!device->native) backend->describe(slots[chosen].state, request.desc.index, &device->info);
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
