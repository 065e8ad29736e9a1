// Enumeration and opening of devices. Holds the list of backends, best first.
#include "device.h"
#include "module.h"
#include "platform_structs.h"

#include <stdio.h>
#include <string.h>

// Backends in separate modules, by name.
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

// A context looks for a backend once, when it is first asked for: a host that wants the CPU loads no driver.
static plait_result find_backend(const struct call *call, uint32_t index) {
    struct context *context = call->context;
    struct backend_slot *slot = &context->backends[index];
    plait_result result = PLAIT_OK;
    mutex_lock(&context->backends_mutex);
    if (!slot->probed) {
        result = probe_backend(context, backend_order[index], slot);
        slot->probed = result == PLAIT_OK;
        if (result != PLAIT_OK) forget_backend(context, slot);
    }
    mutex_unlock(&context->backends_mutex);
    if (result != PLAIT_OK) return fail(call, result, "no memory for the list of devices");
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

// How late a device comes in the list: a software device after the CPU, the null device last.
static uint32_t lateness(const struct backend_slot *slot, uint32_t backend, uint32_t index) {
    if (backend == PLAIT_BACKEND_NULL) return 2;
    return slot->backend->is_software(slot->state, index) ? 1 : 0;
}

static void write_device(void *user, uint32_t index, void *out) {
    struct backend_slot *slots = user;
    for (uint32_t late = 0; late < 3; late++)
        for (uint32_t i = 0; i < BACKEND_COUNT; i++)
            for (uint32_t k = 0; k < slots[i].device_count; k++) {
                if (lateness(&slots[i], backend_order[i], k) != late || index-- != 0) continue;
                plait_device_info *info = out;
                info->backend = backend_order[i];
                info->index = k;
                slots[i].backend->describe(slots[i].state, k, info);
                return;
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

// The best is the first backend with a hardware device: a Vulkan or CUDA device that runs on the CPU is slower there than
// the CPU backend. BACKEND_COUNT: no backend has this id.
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

plait_result backend_use(const struct call *call, uint32_t id, const struct backend **backend, void **state) {
    uint32_t chosen;
    plait_result result = choose_backend(call, id, &chosen);
    if (result != PLAIT_OK) return result;
    const struct backend_slot *slot = &call->context->backends[chosen];
    if (!slot->backend) return fail(call, PLAIT_ERROR_UNAVAILABLE, "backend %s: %s", backend_name(id), slot->reason);
    *backend = slot->backend;
    *state = slot->state;
    return PLAIT_OK;
}

static void destroy_device(struct object *object) {
    struct device *device = (struct device *)object;
    device->ops->close(device);
}

static bool is_zero(const uint8_t uuid[16]) {
    static const uint8_t zero[16];
    return memcmp(uuid, zero, sizeof zero) == 0;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static bool contains(const char *text, const char *part) {
    for (;; text++) {
        size_t i = 0;
        while (part[i] && lower(text[i]) == lower(part[i])) i++;
        if (!part[i]) return true;
        if (!*text) return false;
    }
}

// A device of the host's own: whether the backend can take it.
static plait_result check_hosts_device(const struct call *call, const struct backend *backend,
                                       const struct device_request *request, const char *name) {
    plait_result result = backend->check_device(call, request->hosts);
    if (result != PLAIT_OK) return result;
    if (request->desc.index != 0 || request->desc.name || !is_zero(request->desc.uuid))
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                    "desc.index, uuid and name choose among devices, but %s is one already", name);
    return PLAIT_OK;
}

// Replaces desc.index, which counts those that match uuid and name, by the index among all.
static plait_result choose_device(const struct call *call, const struct backend_slot *slot, plait_device_desc *desc) {
    uint32_t matches = 0;
    for (uint32_t i = 0; i < slot->device_count; i++) {
        plait_device_info info = PLAIT_DEVICE_INFO_INIT;
        slot->backend->describe(slot->state, i, &info);
        bool match = is_zero(desc->uuid) || memcmp(info.uuid, desc->uuid, sizeof info.uuid) == 0;
        if (desc->name && !contains(info.name, desc->name)) match = false;
        if (match && matches++ == desc->index) {
            desc->index = i;
            return PLAIT_OK;
        }
    }
    if (desc->name || !is_zero(desc->uuid))
        return fail(call, PLAIT_ERROR_UNAVAILABLE, "desc.index is %u, but %u of %u %s devices match desc.uuid and name",
                    desc->index, matches, slot->device_count, slot->backend->name);
    return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.index is %u, backend %s has %u devices", desc->index,
                slot->backend->name, slot->device_count);
}

static plait_result read_request(struct call *call, const plait_device_desc *desc, struct device_request *request,
                                 struct platform_struct *hosts) {
    struct extension extensions[] = {{PLAIT_TYPE_DEVICE_CPU_DESC, sizeof request->cpu, &request->cpu, false}};
    plait_result result = platform_read(call, "desc", desc, PLAIT_TYPE_DEVICE_DESC, &request->desc,
                                        sizeof request->desc, extensions, 1, PLATFORM_DEVICE, hosts);
    if (result != PLAIT_OK) return result;
    request->hosts = hosts->copy;
    if (hosts->count > 1 || (hosts->count && hosts->backend != request->desc.backend))
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc has a %s but is not for %s", hosts->name,
                    backend_name(hosts->backend));
    if (extensions[0].found && request->desc.backend != PLAIT_BACKEND_CPU)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc has a plait_device_cpu_desc but is not for the CPU");
    if (request->cpu.reserved != 0)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "plait_device_cpu_desc.reserved is not 0");
    return PLAIT_OK;
}

static plait_result open_device(struct call *call, const plait_device_desc *desc, plait_device *handle) {
    struct device_request request;
    struct platform_struct hosts = {.count = 0};
    memset(&request, 0, sizeof request);
    plait_result result = desc ? read_request(call, desc, &request, &hosts) : PLAIT_OK;
    if (result != PLAIT_OK) return result;
    struct backend_slot *slots = call->context->backends;
    uint32_t chosen;
    result = choose_backend(call, request.desc.backend, &chosen);
    if (result != PLAIT_OK) return result;
    if (chosen == BACKEND_COUNT)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.backend is %u, not a PLAIT_BACKEND_xxx",
                    request.desc.backend);
    const struct backend *backend = slots[chosen].backend;
    if (backend && request.hosts) result = check_hosts_device(call, backend, &request, hosts.name);
    if (result != PLAIT_OK) return result;
    if (slots[chosen].device_count == 0 && !(backend && backend->opens_unlisted && request.hosts))
        return fail(call, PLAIT_ERROR_UNAVAILABLE, "backend %s: %s", backend_name(backend_order[chosen]),
                    slots[chosen].reason);
    if (request.desc.cache_size > 0 && !request.desc.cache)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.cache is null, desc.cache_size is not 0");
    if (!request.hosts) result = choose_device(call, &slots[chosen], &request.desc);
    if (result != PLAIT_OK) return result;
    struct device *device;
    result = backend->open(call, slots[chosen].state, &request, &device);
    if (result != PLAIT_OK) return result;
    device->object.context = call->context;
    device->object.destroy = destroy_device;
    if (!device->info.name[0]) backend->describe(slots[chosen].state, request.desc.index, &device->info);
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

static plait_result save_cache(struct call *call, struct device *device, uint64_t *size, void *memory) {
    if (!size) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "size is null");
    uint64_t needed = 0;
    plait_result result = PLAIT_OK;
    if (device->ops->save_cache) result = device->ops->save_cache(device, &needed, NULL);
    if (result == PLAIT_OK && memory && *size < needed)
        return fail(call, PLAIT_ERROR_BUFFER_TOO_SMALL, "size is %llu, %llu bytes are needed",
                    (unsigned long long)*size, (unsigned long long)needed);
    if (result == PLAIT_OK && memory && needed > 0) result = device->ops->save_cache(device, &needed, memory);
    if (result != PLAIT_OK) return fail(call, result, "the device failed");
    *size = needed;
    return PLAIT_OK;
}

plait_result PLAIT_CALL plait_device_save_cache(plait_device handle, uint64_t *size, void *memory) {
    struct call call = {.function = __func__};
    struct object *object;
    plait_result result = call_enter(&call, handle.id, OBJECT_DEVICE, false, &object);
    if (result != PLAIT_OK) return result;
    result = save_cache(&call, (struct device *)object, size, memory);
    call_leave_object(&call, object, false);
    return result;
}

// ---- what is shared with others ----

plait_result device_check_kind(const struct call *call, const struct device *device, uint32_t kind, uint32_t fd,
                               uint32_t win32) {
    if (kind != PLAIT_EXTERNAL_OPAQUE_FD && kind != PLAIT_EXTERNAL_OPAQUE_WIN32)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "kind is %u, not a PLAIT_EXTERNAL_xxx", kind);
    if (!(device->info.interop & (kind == PLAIT_EXTERNAL_OPAQUE_FD ? fd : win32)))
        return fail(call, PLAIT_ERROR_UNSUPPORTED,
                    "device %s does not support handles of kind %u, see plait_device_info.interop", device->info.name,
                    kind);
    return PLAIT_OK;
}

plait_result device_check_external(const struct call *call, const struct device *device, uint32_t kind, int64_t handle,
                                   const uint8_t device_uuid[16], const uint8_t driver_uuid[16], uint32_t fd,
                                   uint32_t win32) {
    plait_result result = device_check_kind(call, device, kind, fd, win32);
    if (result != PLAIT_OK) return result;
    if (!external_valid(handle))
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "handle %lld is not open", (long long)handle);
    bool same_driver = is_zero(device->info.driver_uuid) || memcmp(driver_uuid, device->info.driver_uuid, 16) == 0;
    if (memcmp(device_uuid, device->info.uuid, 16) != 0 || !same_driver)
        return fail(call, PLAIT_ERROR_OTHER_DEVICE, "device_uuid or driver_uuid is not that of %s", device->info.name);
    return PLAIT_OK;
}
