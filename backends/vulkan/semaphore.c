// Timeline semaphores for the host, of our own or imported. They work within the device and from the CPU; by handle where the
// driver can.
#include "vulkan.h"

#if defined(_WIN32)
#define HANDLE_TYPE VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT
#define SEMAPHORE_EXTENSION VULKAN_EXTERNAL_SEMAPHORE_WIN32
#else
#define HANDLE_TYPE VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT
#define SEMAPHORE_EXTENSION VULKAN_EXTERNAL_SEMAPHORE_FD
#endif

struct vulkan_timeline {
    struct timeline timeline;
    VkSemaphore handle;
    struct vulkan_timeline *next; // of those that are ended
    uint64_t last_use;            // what was submitted before it ended
};

static struct vulkan_device *device_of(const struct timeline *timeline) {
    return (struct vulkan_device *)timeline->device;
}

void vulkan_find_semaphore_abilities(struct vulkan_device *d) {
#if defined(_WIN32)
    bool callable = d->vk.vkImportSemaphoreWin32HandleKHR && d->vk.vkGetSemaphoreWin32HandleKHR;
#else
    bool callable = d->vk.vkImportSemaphoreFdKHR && d->vk.vkGetSemaphoreFdKHR;
#endif
    if (!(d->can.extensions >> SEMAPHORE_EXTENSION & 1) || !callable) return;
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkPhysicalDeviceExternalSemaphoreInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO, .pNext = &type, .handleType = HANDLE_TYPE};
    VkExternalSemaphoreProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
    vkGetPhysicalDeviceExternalSemaphoreProperties(d->physical, &info, &properties);
    VkExternalSemaphoreFeatureFlags needed =
        VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
    d->can.export_semaphores = (properties.externalSemaphoreFeatures & needed) == needed;
    if (d->can.export_semaphores)
        d->device.info.interop |=
            EXTERNAL_KIND == PLAIT_EXTERNAL_OPAQUE_FD ? PLAIT_INTEROP_SEMAPHORE_FD : PLAIT_INTEROP_SEMAPHORE_WIN32;
}

static VkResult import(struct vulkan_device *d, VkSemaphore semaphore, int64_t handle) {
#if defined(_WIN32)
    VkImportSemaphoreWin32HandleInfoKHR info = {.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_WIN32_HANDLE_INFO_KHR,
                                                .semaphore = semaphore,
                                                .handleType = HANDLE_TYPE,
                                                .handle = (HANDLE)(intptr_t)handle};
    return d->vk.vkImportSemaphoreWin32HandleKHR(d->handle, &info);
#else
    int64_t copy = external_duplicate(handle); // the driver takes it
    if (!external_valid(copy)) return VK_ERROR_TOO_MANY_OBJECTS;
    VkImportSemaphoreFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
                                       .semaphore = semaphore,
                                       .handleType = HANDLE_TYPE,
                                       .fd = (int)copy};
    VkResult result = d->vk.vkImportSemaphoreFdKHR(d->handle, &info);
    if (result != VK_SUCCESS) external_close(copy);
    return result;
#endif
}

static plait_result result_of(VkResult result, struct vulkan_device *d) {
    if (result == VK_ERROR_TOO_MANY_OBJECTS) return PLAIT_ERROR_SYSTEM;
    return result == VK_ERROR_INVALID_EXTERNAL_HANDLE ? PLAIT_ERROR_INVALID_ARGUMENT : vulkan_result(result, d);
}

static void free_timeline(struct vulkan_device *d, struct vulkan_timeline *t) {
    d->vk.vkDestroySemaphore(d->handle, t->handle, NULL);
    release(d->device.object.context, t);
}

plait_result vulkan_timeline_create(struct call *call, struct device *device, const plait_external_semaphore *external,
                                    struct timeline **out) {
    struct vulkan_device *d = (struct vulkan_device *)device;
    const struct module_services *services = call->context->services;
    struct vulkan_timeline *t = allocate(call->context, 1, sizeof *t);
    if (!t) return services->fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the semaphore");
    t->timeline.device = device;
    vulkan_timelines_collect(d);
    VkExportSemaphoreCreateInfo export = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                          .handleTypes = HANDLE_TYPE};
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .pNext = d->can.export_semaphores ? &export : NULL,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkResult result = d->vk.vkCreateSemaphore(d->handle, &info, NULL, &t->handle);
    if (result == VK_SUCCESS && external) result = import(d, t->handle, external->handle);
    if (result != VK_SUCCESS) {
        free_timeline(d, t);
        return services->fail(call, result_of(result, d), "the semaphore could not be made or imported (VkResult %d)",
                              result);
    }
    t->timeline.native = (uint64_t)t->handle;
    *out = &t->timeline;
    return PLAIT_OK;
}

plait_result vulkan_timeline_export(struct call *call, struct timeline *timeline, uint32_t kind,
                                    plait_external_semaphore *external) {
    (void)kind; // there is one on each system, and core has checked
    struct vulkan_device *d = device_of(timeline);
    struct vulkan_timeline *t = (struct vulkan_timeline *)timeline;
#if defined(_WIN32)
    VkSemaphoreGetWin32HandleInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_WIN32_HANDLE_INFO_KHR,
                                             .semaphore = t->handle,
                                             .handleType = HANDLE_TYPE};
    HANDLE handle = NULL;
    VkResult result = d->vk.vkGetSemaphoreWin32HandleKHR(d->handle, &info, &handle);
    external->handle = (intptr_t)handle;
#else
    VkSemaphoreGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, .semaphore = t->handle, .handleType = HANDLE_TYPE};
    int handle = -1;
    VkResult result = d->vk.vkGetSemaphoreFdKHR(d->handle, &info, &handle);
    external->handle = handle;
#endif
    if (result == VK_SUCCESS) return PLAIT_OK;
    return call->context->services->fail(call, result_of(result, d),
                                         "the semaphore could not be exported (VkResult %d)", result);
}

plait_result vulkan_timeline_query(struct timeline *timeline, uint64_t *value) {
    struct vulkan_device *d = device_of(timeline);
    if (atomic_load(&d->lost)) return PLAIT_ERROR_DEVICE_LOST;
    VkSemaphore handle = ((struct vulkan_timeline *)timeline)->handle;
    return vulkan_result(d->vk.vkGetSemaphoreCounterValue(d->handle, handle, value), d);
}

plait_result vulkan_timeline_wait(struct timeline *timeline, uint64_t value, uint64_t timeout_ns) {
    struct vulkan_device *d = device_of(timeline);
    if (atomic_load(&d->lost)) return PLAIT_ERROR_DEVICE_LOST;
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &((struct vulkan_timeline *)timeline)->handle,
                                .pValues = &value};
    VkResult result = d->vk.vkWaitSemaphores(d->handle, &info, timeout_ns);
    return result == VK_TIMEOUT ? PLAIT_ERROR_TIMEOUT : vulkan_result(result, d);
}

plait_result vulkan_timeline_signal(struct timeline *timeline, uint64_t value) {
    struct vulkan_device *d = device_of(timeline);
    if (atomic_load(&d->lost)) return PLAIT_ERROR_DEVICE_LOST;
    VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                  .semaphore = ((struct vulkan_timeline *)timeline)->handle,
                                  .value = value};
    return vulkan_result(d->vk.vkSignalSemaphore(d->handle, &info), d);
}

// Whatever uses it was submitted before: core lets nobody begin with it any more, and what waits for it was released. Other
// frames on the device may wait for other things, so nobody waits for them here.
void vulkan_timeline_destroy(struct timeline *timeline) {
    struct vulkan_device *d = device_of(timeline);
    struct vulkan_timeline *t = (struct vulkan_timeline *)timeline;
    mutex_lock(&d->mutex);
    t->last_use = d->submitted;
    t->next = d->ended;
    d->ended = t;
    atomic_fetch_add(&d->ended_count, 1);
    mutex_unlock(&d->mutex);
    vulkan_timelines_collect(d);
}

void vulkan_timelines_collect(struct vulkan_device *d) {
    uint64_t reached = 0;
    if (atomic_load(&d->ended_count) == 0) return;
    bool lost = atomic_load(&d->lost);
    if (!lost && d->vk.vkGetSemaphoreCounterValue(d->handle, d->timeline, &reached) < 0) return;
    mutex_lock(&d->mutex);
    struct vulkan_timeline **at = &d->ended, *done = NULL;
    while (*at) {
        struct vulkan_timeline *t = *at;
        if (lost || t->last_use <= reached) {
            *at = t->next;
            atomic_fetch_sub(&d->ended_count, 1);
            t->next = done;
            done = t;
        } else {
            at = &t->next;
        }
    }
    mutex_unlock(&d->mutex);
    while (done) {
        struct vulkan_timeline *t = done;
        done = t->next;
        free_timeline(d, t);
    }
}
