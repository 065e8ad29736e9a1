// The double in the loader's chain: what is passed on to the driver, and what the driver seems to report about itself.
#include "layer.h"

#include <vulkan/vk_layer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAYER_NAME "VK_LAYER_PLAIT_double"

// Functions of an instance whose results the double changes, besides those of the list.
#define FOR_EACH_ANSWER(X)                                                                                             \
    X(vkDestroyInstance)                                                                                               \
    X(vkGetPhysicalDeviceProperties)                                                                                   \
    X(vkGetPhysicalDeviceProperties2)                                                                                  \
    X(vkGetPhysicalDeviceFeatures2)                                                                                    \
    X(vkGetPhysicalDeviceQueueFamilyProperties)                                                                        \
    X(vkGetPhysicalDeviceQueueFamilyProperties2)                                                                       \
    X(vkGetPhysicalDeviceExternalSemaphoreProperties)                                                                  \
    X(vkEnumerateDeviceExtensionProperties)

struct instance {
    struct instance *next;
    void *key;
    VkInstance handle;
    PFN_vkGetInstanceProcAddr get;
    struct {
#define X(name) PFN_##name name;
        FOR_EACH_ANSWER(X)
#undef X
#define X(name, failure) PFN_##name name;
        FOR_EACH_INSTANCE_FUNCTION(X)
#undef X
    } driver;
};

static struct instance *instances;
static struct device *devices;
static bool present;

static void *key_of(void *handle) { return *(void **)handle; }

// An instance or physical device.
static struct instance *instance_of(void *handle) {
    pthread_mutex_lock(&double_mutex);
    struct instance *i = instances;
    while (i && i->key != key_of(handle)) i = i->next;
    pthread_mutex_unlock(&double_mutex);
    return i;
}

struct device *device_of(void *handle) {
    pthread_mutex_lock(&double_mutex);
    struct device *d = devices;
    while (d && d->key != key_of(handle)) d = d->next;
    pthread_mutex_unlock(&double_mutex);
    return d;
}

bool double_present(void) {
    pthread_mutex_lock(&double_mutex);
    bool answer = present;
    pthread_mutex_unlock(&double_mutex);
    return answer;
}

// Unlike in a driver, running work is not stopped; it must not outlive the memory that it uses.
static void device_lose(struct device *d) {
    pthread_mutex_lock(&double_mutex);
    bool lost = d->lost;
    d->lost = true;
    pthread_cond_broadcast(&double_news);
    pthread_mutex_unlock(&double_mutex);
    if (lost) return;
    semaphores_let_go(d);
    d->driver.vkDeviceWaitIdle(d->handle);
}

void double_lose_device(void) {
    for (struct device *d = devices; d; d = d->next) device_lose(d);
}

// ---- functions that can fail ----

#define WRAP(name, loses, parameters, call)                                                                            \
    static VKAPI_ATTR VkResult VKAPI_CALL double_##name parameters {                                                   \
        struct device *device = device_of(at);                                                                         \
        VkResult result = planned(FUNCTION_##name, device, loses);                                                     \
        if (result == VK_ERROR_DEVICE_LOST) device_lose(device);                                                       \
        return result == VK_SUCCESS ? call : result;                                                                   \
    }
#define PLAIN(name, failure, loses, parameters, arguments) WRAP(name, loses, parameters, device->driver.name arguments)
#define OWN(name, failure, loses, parameters, arguments) WRAP(name, loses, parameters, own_##name arguments)
FOR_EACH_DEVICE_FUNCTION(PLAIN, OWN)
#undef PLAIN
#undef OWN

// The loader's link for us in a chain of create infos; it is moved on for the next layer.
static void *find_link(const void *chain, VkStructureType type) {
    // Both structs begin alike.
    for (const VkLayerInstanceCreateInfo *info = chain; info; info = info->pNext)
        if (info->sType == type && info->function == VK_LAYER_LINK_INFO) return (void *)(uintptr_t)info;
    return NULL;
}

// A function by its name, or by its name as an extension.
static PFN_vkVoidFunction instance_function(PFN_vkGetInstanceProcAddr get, VkInstance instance, const char *name) {
    char extended[80] = "";
    strncat(strncat(extended, name, 70), "KHR", 4);
    PFN_vkVoidFunction function = get(instance, name);
    return function ? function : get(instance, extended);
}

static PFN_vkVoidFunction device_function(PFN_vkGetDeviceProcAddr get, VkDevice device, const char *name) {
    char extended[80] = "";
    strncat(strncat(extended, name, 70), "KHR", 4);
    PFN_vkVoidFunction function = get(device, name);
    return function ? function : get(device, extended);
}

static VKAPI_ATTR VkResult VKAPI_CALL double_vkCreateInstance(const VkInstanceCreateInfo *info,
                                                              const VkAllocationCallbacks *host, VkInstance *out) {
    VkLayerInstanceCreateInfo *link = find_link(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = planned(FUNCTION_vkCreateInstance, NULL, false);
    if (result != VK_SUCCESS) return result;
    PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    struct instance *i = calloc(1, sizeof *i);
    if (!i) return VK_ERROR_OUT_OF_HOST_MEMORY;
    result = ((PFN_vkCreateInstance)get(NULL, "vkCreateInstance"))(info, host, out);
    if (result != VK_SUCCESS) {
        free(i);
        return result;
    }
    i->handle = *out;
    i->key = key_of(*out);
    i->get = get;
#define X(name) i->driver.name = (PFN_##name)instance_function(get, *out, #name);
    FOR_EACH_ANSWER(X)
#undef X
#define X(name, failure) i->driver.name = (PFN_##name)instance_function(get, *out, #name);
    FOR_EACH_INSTANCE_FUNCTION(X)
#undef X
    pthread_mutex_lock(&double_mutex);
    present = true;
    i->next = instances;
    instances = i;
    pthread_mutex_unlock(&double_mutex);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL double_vkDestroyInstance(VkInstance instance, const VkAllocationCallbacks *host) {
    if (!instance) return;
    struct instance *i = instance_of(instance);
    pthread_mutex_lock(&double_mutex);
    struct instance **link = &instances;
    while (*link != i) link = &(*link)->next;
    *link = i->next;
    pthread_mutex_unlock(&double_mutex);
    i->driver.vkDestroyInstance(instance, host);
    free(i);
}

static VKAPI_ATTR VkResult VKAPI_CALL double_vkEnumeratePhysicalDevices(VkInstance instance, uint32_t *count,
                                                                        VkPhysicalDevice *out) {
    VkResult result = planned(FUNCTION_vkEnumeratePhysicalDevices, NULL, false);
    if (result != VK_SUCCESS) return result;
    if (!pretence().no_devices) return instance_of(instance)->driver.vkEnumeratePhysicalDevices(instance, count, out);
    *count = 0;
    return VK_SUCCESS;
}

// *out is passed on unchanged: the loader has stored something there.
static VkResult create_device(struct instance *i, VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                              const VkAllocationCallbacks *host, struct device *d, VkDevice *out) {
    VkLayerDeviceCreateInfo *link = find_link(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkCreateDevice create =
        (PFN_vkCreateDevice)link->u.pLayerInfo->pfnNextGetInstanceProcAddr(i->handle, "vkCreateDevice");
    d->get = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const char **names = calloc(info->enabledExtensionCount + 1, sizeof *names);
    if (!names) return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkDeviceCreateInfo below = *info;
    below.enabledExtensionCount = 0;
    below.ppEnabledExtensionNames = names;
    struct double_pretence now = pretence();
    VkResult result = VK_SUCCESS;
    for (uint32_t e = 0; e < info->enabledExtensionCount; e++) {
        const char *name = info->ppEnabledExtensionNames[e];
        if (strcmp(name, now.hidden) == 0) result = VK_ERROR_EXTENSION_NOT_PRESENT;
        if (now.semaphore_fds && strcmp(name, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME) == 0)
            d->semaphore_fds = true;
        else
            names[below.enabledExtensionCount++] = name;
    }
    if (result == VK_SUCCESS) result = create(physical, &below, host, out);
    free(names);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL double_vkCreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                            const VkAllocationCallbacks *host, VkDevice *out) {
    VkResult result = planned(FUNCTION_vkCreateDevice, NULL, false);
    if (result != VK_SUCCESS) return result;
    struct device *d = calloc(1, sizeof *d);
    if (!d) return VK_ERROR_OUT_OF_HOST_MEMORY;
    result = create_device(instance_of(physical), physical, info, host, d, out);
    if (result != VK_SUCCESS) {
        free(d);
        return result;
    }
    d->handle = *out;
    d->key = key_of(d->handle);
#define X(name, failure, loses, parameters, arguments)                                                                 \
    d->driver.name = (PFN_##name)device_function(d->get, d->handle, #name);
    FOR_EACH_DEVICE_FUNCTION(X, X)
#undef X
    d->driver.vkDestroyDevice = (PFN_vkDestroyDevice)d->get(d->handle, "vkDestroyDevice");
    d->driver.vkDestroySemaphore = (PFN_vkDestroySemaphore)d->get(d->handle, "vkDestroySemaphore");
    pthread_mutex_lock(&double_mutex);
    d->next = devices;
    devices = d;
    pthread_mutex_unlock(&double_mutex);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL double_vkDestroyDevice(VkDevice device, const VkAllocationCallbacks *host) {
    if (!device) return;
    struct device *d = device_of(device);
    semaphores_close(d);
    pthread_mutex_lock(&double_mutex);
    struct device **link = &devices;
    while (*link != d) link = &(*link)->next;
    *link = d->next;
    pthread_mutex_unlock(&double_mutex);
    d->driver.vkDestroyDevice(device, host);
    free(d);
}

static VKAPI_ATTR void VKAPI_CALL double_vkDestroySemaphore(VkDevice device, VkSemaphore semaphore,
                                                            const VkAllocationCallbacks *host) {
    struct device *d = device_of(device);
    semaphore_destroyed(d, semaphore);
    d->driver.vkDestroySemaphore(device, semaphore, host);
}

// ---- what the driver reports about itself ----

static void change_properties(VkPhysicalDeviceProperties *properties) {
    struct double_pretence now = pretence();
    if (now.api_version) properties->apiVersion = now.api_version;
    if (now.no_timestamps) properties->limits.timestampComputeAndGraphics = VK_FALSE;
}

static VKAPI_ATTR void VKAPI_CALL double_vkGetPhysicalDeviceProperties(VkPhysicalDevice physical,
                                                                       VkPhysicalDeviceProperties *out) {
    instance_of(physical)->driver.vkGetPhysicalDeviceProperties(physical, out);
    change_properties(out);
}

static VKAPI_ATTR void VKAPI_CALL double_vkGetPhysicalDeviceProperties2(VkPhysicalDevice physical,
                                                                        VkPhysicalDeviceProperties2 *out) {
    instance_of(physical)->driver.vkGetPhysicalDeviceProperties2(physical, out);
    change_properties(&out->properties);
    static const uint8_t none[16];
    struct double_pretence now = pretence();
    if (memcmp(now.uuid, none, sizeof none) == 0) return;
    for (VkBaseOutStructure *s = out->pNext; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES)
            memcpy(((VkPhysicalDeviceIDProperties *)s)->deviceUUID, now.uuid, sizeof now.uuid);
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)
            memcpy(((VkPhysicalDeviceVulkan11Properties *)s)->deviceUUID, now.uuid, sizeof now.uuid);
    }
}

static VKAPI_ATTR void VKAPI_CALL double_vkGetPhysicalDeviceFeatures2(VkPhysicalDevice physical,
                                                                      VkPhysicalDeviceFeatures2 *out) {
    instance_of(physical)->driver.vkGetPhysicalDeviceFeatures2(physical, out);
    if (!pretence().no_timeline) return;
    for (VkBaseOutStructure *s = out->pNext; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES)
            ((VkPhysicalDeviceTimelineSemaphoreFeatures *)s)->timelineSemaphore = VK_FALSE;
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
            ((VkPhysicalDeviceVulkan12Features *)s)->timelineSemaphore = VK_FALSE;
    }
}

static VKAPI_ATTR void VKAPI_CALL double_vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice physical,
                                                                                  uint32_t *count,
                                                                                  VkQueueFamilyProperties *out) {
    instance_of(physical)->driver.vkGetPhysicalDeviceQueueFamilyProperties(physical, count, out);
    for (uint32_t i = 0; out && i < *count && pretence().no_timestamps; i++) out[i].timestampValidBits = 0;
}

static VKAPI_ATTR void VKAPI_CALL double_vkGetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice physical,
                                                                                   uint32_t *count,
                                                                                   VkQueueFamilyProperties2 *out) {
    instance_of(physical)->driver.vkGetPhysicalDeviceQueueFamilyProperties2(physical, count, out);
    for (uint32_t i = 0; out && i < *count && pretence().no_timestamps; i++)
        out[i].queueFamilyProperties.timestampValidBits = 0;
}

static VKAPI_ATTR void VKAPI_CALL double_vkGetPhysicalDeviceExternalSemaphoreProperties(
    VkPhysicalDevice physical, const VkPhysicalDeviceExternalSemaphoreInfo *info, VkExternalSemaphoreProperties *out) {
    instance_of(physical)->driver.vkGetPhysicalDeviceExternalSemaphoreProperties(physical, info, out);
    if (!pretence().semaphore_fds || info->handleType != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT) return;
    for (const VkSemaphoreTypeCreateInfo *type = info->pNext; type; type = type->pNext) {
        if (type->sType != VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO ||
            type->semaphoreType != VK_SEMAPHORE_TYPE_TIMELINE)
            continue;
        out->exportFromImportedHandleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
        out->compatibleHandleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
        out->externalSemaphoreFeatures =
            VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL double_vkEnumerateDeviceExtensionProperties(VkPhysicalDevice physical,
                                                                                  const char *layer, uint32_t *count,
                                                                                  VkExtensionProperties *out) {
    if (layer && strcmp(layer, LAYER_NAME) == 0) {
        *count = 0;
        return VK_SUCCESS;
    }
    PFN_vkEnumerateDeviceExtensionProperties list = instance_of(physical)->driver.vkEnumerateDeviceExtensionProperties;
    struct double_pretence now = pretence();
    uint32_t found = 0, kept = layer ? 0 : now.unheard;
    VkResult result = list(physical, layer, &found, NULL);
    if (result < 0) return result;
    VkExtensionProperties *all = calloc(kept + found + 1, sizeof *all);
    if (!all) return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < kept; i++)
        snprintf(all[i].extensionName, sizeof all[i].extensionName, "VK_PLAIT_unheard_of_%u", i);
    VkExtensionProperties *real = all + kept;
    result = list(physical, layer, &found, real);
    bool add = now.semaphore_fds && !layer;
    for (uint32_t i = 0; i < found && result >= 0; i++) {
        if (strcmp(real[i].extensionName, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME) == 0) add = false;
        if (strcmp(real[i].extensionName, now.hidden) != 0) all[kept++] = real[i];
    }
    if (add)
        all[kept++] = (VkExtensionProperties){VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
                                              VK_KHR_EXTERNAL_SEMAPHORE_FD_SPEC_VERSION};
    uint32_t room = out ? *count : kept;
    *count = room < kept ? room : kept;
    if (out) memcpy(out, all, *count * sizeof *out);
    free(all);
    if (result < 0) return result;
    return room < kept ? VK_INCOMPLETE : VK_SUCCESS;
}

// ---- functions by name ----

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_function(VkDevice device, const char *name);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_function(VkInstance instance, const char *name);

static bool is_called(const char *name, const char *function) {
    size_t length = strlen(function);
    return strncmp(name, function, length) == 0 && (!name[length] || strcmp(name + length, "KHR") == 0);
}

static PFN_vkVoidFunction our_device_function(const char *name) {
#define X(function, failure, loses, parameters, arguments)                                                             \
    if (is_called(name, #function)) return (PFN_vkVoidFunction)double_##function;
    FOR_EACH_DEVICE_FUNCTION(X, X)
#undef X
    if (strcmp(name, "vkDestroyDevice") == 0) return (PFN_vkVoidFunction)double_vkDestroyDevice;
    if (strcmp(name, "vkDestroySemaphore") == 0) return (PFN_vkVoidFunction)double_vkDestroySemaphore;
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) return (PFN_vkVoidFunction)get_device_function;
    return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_function(VkDevice device, const char *name) {
    struct device *d = device_of(device);
    PFN_vkVoidFunction ours = our_device_function(name), below = d->get(device, name);
    bool added = is_called(name, "vkGetSemaphoreFdKHR") || is_called(name, "vkImportSemaphoreFdKHR");
    return ours && (below || (added && d->semaphore_fds)) ? ours : below;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_function(VkInstance instance, const char *name) {
#define X(function)                                                                                                    \
    if (is_called(name, #function)) return (PFN_vkVoidFunction)double_##function;
    FOR_EACH_ANSWER(X)
#undef X
#define X(function, failure)                                                                                           \
    if (strcmp(name, #function) == 0) return (PFN_vkVoidFunction)double_##function;
    FOR_EACH_INSTANCE_FUNCTION(X)
#undef X
    if (strcmp(name, "vkGetInstanceProcAddr") == 0) return (PFN_vkVoidFunction)get_instance_function;
    PFN_vkVoidFunction ours = our_device_function(name);
    if (ours || !instance) return ours;
    return instance_of(instance)->get(instance, name);
}

// The entry point, by the name in the manifest.
DOUBLE_EXPORT VKAPI_ATTR VkResult VKAPI_CALL double_negotiate(VkNegotiateLayerInterface *interface) {
    if (interface->loaderLayerInterfaceVersion < 2) return VK_ERROR_INITIALIZATION_FAILED;
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = get_instance_function;
    interface->pfnGetDeviceProcAddr = get_device_function;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
