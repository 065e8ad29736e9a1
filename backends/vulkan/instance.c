// The module's entry, the Vulkan instance of a context, and the devices it shows.
#include "vulkan.h"

#include <stdio.h>
#include <string.h>

#if defined(_WIN32)
static const char *const loaders[] = {"vulkan-1.dll"};
#else
static const char *const loaders[] = {"libvulkan.so.1", "libvulkan.so"};
#endif

const char *const vulkan_extension_names[VULKAN_EXTENSION_COUNT] = {
#define X(name, extension) extension,
    FOR_EACH_VULKAN_EXTENSION(X)
#undef X
};

// As many as there are: a driver has hundreds, too many for the stack of a fiber.
VkResult vulkan_extensions(struct context *context, VkPhysicalDevice device, uint32_t *found) {
    uint32_t count = 0;
    *found = 0;
    VkResult result = vkEnumerateDeviceExtensionProperties(device, NULL, &count, NULL);
    if (result < 0 || count == 0) return result;
    VkExtensionProperties *properties = allocate(context, count, sizeof *properties);
    if (!properties) return VK_ERROR_OUT_OF_HOST_MEMORY;
    result = vkEnumerateDeviceExtensionProperties(device, NULL, &count, properties);
    for (uint32_t i = 0; i < count && result >= 0; i++)
        for (uint32_t k = 0; k < VULKAN_EXTENSION_COUNT; k++)
            if (strcmp(properties[i].extensionName, vulkan_extension_names[k]) == 0) *found |= 1u << k;
    release(context, properties);
    return result;
}

// Vulkan 1.1 with timeline semaphores; null, or what is missing. The extension is needed before 1.2. *result: whether
// extensions could be listed.
static const char *lacks(struct context *context, VkPhysicalDevice device, bool *needs_extension, VkResult *result) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    if (properties.apiVersion < VK_API_VERSION_1_1) return "Vulkan 1.1";
    *needs_extension = properties.apiVersion < VK_API_VERSION_1_2;
    uint32_t found = 1u << VULKAN_TIMELINE_SEMAPHORE;
    if (*needs_extension) *result = vulkan_extensions(context, device, &found);
    if (!(found >> VULKAN_TIMELINE_SEMAPHORE & 1)) return "VK_KHR_timeline_semaphore";
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &timeline};
    vkGetPhysicalDeviceFeatures2(device, &features);
    return timeline.timelineSemaphore ? NULL : "timeline semaphores";
}

static plait_result vulkan_query_wants(struct call *call, void *state, void *physical_device, void *out) {
    const struct vulkan_probe *probe = state;
    const struct module_services *services = call->context->services;
    plait_vulkan_wants_info *info = out;
    bool needs_extension = false;
    if (!probe || !probe->instance)
        return services->fail(call, PLAIT_ERROR_UNAVAILABLE, "there is no Vulkan loader or driver");
    VkResult result = VK_SUCCESS;
    uint32_t optional = 0;
    const char *missing = lacks(call->context, physical_device, &needs_extension, &result);
    if (result >= 0 && !missing) result = vulkan_extensions(call->context, physical_device, &optional);
    if (result < 0)
        return services->fail(call, PLAIT_ERROR_OUT_OF_MEMORY,
                              "no memory to list the extensions of physical_device (VkResult %d)", result);
    if (missing) return services->fail(call, PLAIT_ERROR_UNSUPPORTED, "physical_device has no %s", missing);
    info->api_version = VK_API_VERSION_1_1;
    info->features = PLAIT_VULKAN_FEATURE_TIMELINE_SEMAPHORE;
    const char *const *names = vulkan_extension_names;
    if (needs_extension) info->required_extensions[info->required_extension_count++] = names[VULKAN_TIMELINE_SEMAPHORE];
    for (uint32_t i = 0; i < VULKAN_EXTENSION_COUNT; i++)
        if (i != VULKAN_TIMELINE_SEMAPHORE && optional >> i & 1)
            info->optional_extensions[info->optional_extension_count++] = names[i];
    return PLAIT_OK;
}

// volk keeps functions of the loader and of instances in global pointers. They are the same for all instances, so they are
// set once, under a lock, and only read afterwards.
static struct mutex volk_mutex = MUTEX_INIT;
static bool volk_loaded, volk_instance_loaded;

// volkInitialize would call vkGetInstanceProcAddr without checking that it was found. Null, or what is missing. The loader is
// never closed: some drivers crash when it is.
static const char *find_loader(void) {
    PFN_vkGetInstanceProcAddr entry = NULL;
    bool opened = false;
    for (size_t i = 0; i < ARRAY_LENGTH(loaders) && !entry; i++) {
        char reason[PLAIT_REASON_SIZE];
        void *library = shared_library_open(loaders[i], reason, sizeof reason);
        opened |= library != NULL;
        if (library) entry = (PFN_vkGetInstanceProcAddr)shared_library_symbol(library, "vkGetInstanceProcAddr");
    }
    if (!opened) return "there is no Vulkan loader: install it with the driver of the graphics card";
    if (!entry)
        return "the library by the name of the Vulkan loader has no vkGetInstanceProcAddr: reinstall the loader";
    volkInitializeCustom(entry);
    return vkCreateInstance ? NULL : "the Vulkan loader has no vkCreateInstance: reinstall it";
}

static const char *load_volk(void) {
    mutex_lock(&volk_mutex);
    const char *missing = volk_loaded ? NULL : find_loader();
    volk_loaded = !missing;
    mutex_unlock(&volk_mutex);
    return missing;
}

static void load_instance(VkInstance instance) {
    mutex_lock(&volk_mutex);
    if (!volk_instance_loaded) volkLoadInstanceOnly(instance);
    volk_instance_loaded = true;
    mutex_unlock(&volk_mutex);
}

static VkResult make_instance(VkInstance *instance) {
    VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pEngineName = "Plait", .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkResult result = vkCreateInstance(&info, NULL, instance);
    if (result == VK_SUCCESS) load_instance(*instance);
    return result;
}

static plait_result vulkan_probe(struct context *context, void **state, uint32_t *device_count,
                                 char reason[PLAIT_REASON_SIZE]) {
    const char *no_loader = load_volk();
    if (no_loader) {
        snprintf(reason, PLAIT_REASON_SIZE, "%s", no_loader);
        return PLAIT_OK;
    }
    struct vulkan_probe *probe = allocate(context, 1, sizeof *probe);
    if (!probe) return PLAIT_ERROR_OUT_OF_MEMORY;
    *state = probe;
    VkPhysicalDevice found[16];
    uint32_t count = 16;
    VkResult result = make_instance(&probe->instance);
    if (result == VK_SUCCESS) result = vkEnumeratePhysicalDevices(probe->instance, &count, found);
    if (result < 0) {
        const char *hint =
            result == VK_ERROR_INCOMPATIBLE_DRIVER
                ? "no Vulkan driver is installed: install that of the graphics card, or a software driver"
                : "no Vulkan driver could be used";
        snprintf(reason, PLAIT_REASON_SIZE, "%s (VkResult %d)", hint, result);
        return PLAIT_OK;
    }
    const char *missing = "a device";
    static const VkPhysicalDeviceType best_first[] = {
        VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
        VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, VK_PHYSICAL_DEVICE_TYPE_OTHER, VK_PHYSICAL_DEVICE_TYPE_CPU};
    for (size_t k = 0; k < ARRAY_LENGTH(best_first); k++)
        for (uint32_t i = 0; i < count; i++) {
            VkPhysicalDeviceProperties properties;
            vkGetPhysicalDeviceProperties(found[i], &properties);
            if (properties.deviceType != best_first[k]) continue;
            bool needs_extension = false;
            const char *lack = lacks(context, found[i], &needs_extension, &result);
            if (result == VK_ERROR_OUT_OF_HOST_MEMORY) return PLAIT_ERROR_OUT_OF_MEMORY;
            if (lack)
                missing = lack;
            else
                probe->devices[probe->device_count++] = found[i];
        }
    if (probe->device_count == 0) {
        snprintf(reason, PLAIT_REASON_SIZE, "no Vulkan driver has %s", missing);
        return PLAIT_OK;
    }
    *device_count = probe->device_count;
    return PLAIT_OK;
}

static void vulkan_forget(struct context *context, void *state) {
    struct vulkan_probe *probe = state;
    if (!probe) return;
    if (probe->instance) vkDestroyInstance(probe->instance, NULL);
    release(context, probe);
}

void vulkan_describe_physical(VkPhysicalDevice device, plait_device_info *info) {
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
    vkGetPhysicalDeviceProperties2(device, &properties);
    snprintf(info->name, sizeof info->name, "%.60s", properties.properties.deviceName);
    memcpy(info->uuid, id.deviceUUID, sizeof info->uuid);
    memcpy(info->driver_uuid, id.driverUUID, sizeof info->driver_uuid);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(device, &memory);
    for (uint32_t i = 0; i < memory.memoryHeapCount; i++)
        if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            info->memory_bytes += memory.memoryHeaps[i].size;
    info->interop = PLAIT_INTEROP_HOST_POINTER;
}

static void vulkan_describe(void *state, uint32_t index, plait_device_info *info) {
    vulkan_describe_physical(((struct vulkan_probe *)state)->devices[index], info);
}

static bool vulkan_is_software(void *state, uint32_t index) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(((struct vulkan_probe *)state)->devices[index], &properties);
    return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

static const struct backend vulkan_backend = {.id = PLAIT_BACKEND_VULKAN,
                                              .name = "vulkan",
                                              .probe = vulkan_probe,
                                              .forget = vulkan_forget,
                                              .describe = vulkan_describe,
                                              .is_software = vulkan_is_software,
                                              .open = vulkan_open,
                                              .check_device = vulkan_check_device,
                                              .opens_unlisted = true,
                                              .query_wants = vulkan_query_wants};

MODULE_EXPORT const struct backend *MODULE_ENTRY(vulkan)(void) { return &vulkan_backend; }
