// See gpu.h.
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char VALIDATION[] = "VK_LAYER_KHRONOS_validation";

static bool has_layer(const char *name);
static bool has_instance_extension(const char *name);
static bool choose(gpu *g, VkSurfaceKHR surface);
static bool suits(VkPhysicalDevice physical, VkSurfaceKHR surface, uint32_t *family);
static bool has_extensions(VkPhysicalDevice physical, const char *const *names, uint32_t count);
static bool make_allocator(gpu *g);
static bool make_buffer(const gpu *g, uint64_t size, VkBufferUsageFlags usage, VmaAllocationCreateFlags flags,
                        gpu_buffer *buffer);
static bool make_image(const gpu *g, VkImageCreateInfo *info, VkImageViewType kind, VkImageAspectFlags aspect,
                       gpu_image *image);
static VkBool32 VKAPI_PTR print_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                        VkDebugUtilsMessageTypeFlagsEXT types,
                                        const VkDebugUtilsMessengerCallbackDataEXT *data, void *user);

bool gpu_open(gpu *g, bool validate, const char *const *extensions, uint32_t extension_count) {
    memset(g, 0, sizeof *g);
    if (volkInitialize() != VK_SUCCESS) {
        fprintf(stderr, "vulkan_host: no Vulkan loader found (Debian: libvulkan1)\n");
        return false;
    }
    if (validate && !has_layer(VALIDATION)) {
        fprintf(stderr, "vulkan_host: --validate: %s is not installed\n", VALIDATION);
        return false;
    }
    const char *names[16], *layer = VALIDATION;
    uint32_t count = 0;
    while (count < extension_count && count < 15) names[count] = extensions[count], count++;
    // Layers may also come from the environment; their messages are printed too.
    const char *layers = getenv("VK_INSTANCE_LAYERS");
    bool listen = (validate || (layers && *layers)) && has_instance_extension(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    if (listen) names[count++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = print_message,
        .pUserData = g,
    };
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pApplicationName = "vulkan_host",
                                     .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pNext = listen ? &messenger : NULL, // also hears of errors in creating the instance
                                 .pApplicationInfo = &application,
                                 .enabledLayerCount = validate ? 1 : 0,
                                 .ppEnabledLayerNames = &layer,
                                 .enabledExtensionCount = count,
                                 .ppEnabledExtensionNames = names};
    VkResult created = vkCreateInstance(&info, NULL, &g->instance);
    if (created == VK_ERROR_INCOMPATIBLE_DRIVER)
        fprintf(stderr, "vulkan_host: no Vulkan driver is installed: install that of the graphics card, or a software "
                        "driver (Mesa's lavapipe)\n");
    if (!gpu_ok(created, "vkCreateInstance")) return false;
    volkLoadInstance(g->instance);
    return !listen || gpu_ok(vkCreateDebugUtilsMessengerEXT(g->instance, &messenger, NULL, &g->messenger),
                             "vkCreateDebugUtilsMessengerEXT");
}

bool gpu_choose(gpu *g, VkSurfaceKHR surface) {
    if (choose(g, surface)) return true;
    fprintf(stderr, "vulkan_host: no device with Vulkan 1.3, dynamic rendering and a queue that draws%s\n",
            surface ? " and presents" : "");
    return false;
}

bool gpu_open_device(gpu *g, VkSurfaceKHR surface, const gpu_wants *wants) {
    const char *extensions[17];
    uint32_t count = wants->extension_count;
    memcpy(extensions, wants->extensions, count * sizeof *extensions);
    if (surface) extensions[count++] = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
    VkPhysicalDeviceVulkan12Features features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                   .timelineSemaphore = VK_TRUE};
    VkPhysicalDeviceVulkan13Features features13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                   .pNext = &features12,
                                                   .dynamicRendering = VK_TRUE,
                                                   .synchronization2 = VK_TRUE};
    VkPhysicalDeviceFeatures can, features = {.wideLines = VK_FALSE};
    vkGetPhysicalDeviceFeatures(g->physical, &can);
    features.wideLines = can.wideLines;
    g->wide_lines = can.wideLines;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = g->queue_family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features13,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = count,
                               .ppEnabledExtensionNames = extensions,
                               .pEnabledFeatures = &features};
    if (!gpu_ok(vkCreateDevice(g->physical, &info, NULL, &g->device), "vkCreateDevice")) return false;
    volkLoadDevice(g->device);
    vkGetDeviceQueue(g->device, g->queue_family, 0, &g->queue);
    return make_allocator(g);
}

const char *gpu_name(const gpu *g, char name[GPU_NAME_SIZE]) {
    bool software = g->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    snprintf(name, GPU_NAME_SIZE, "%s%s", g->properties.deviceName, software ? ", a software device" : "");
    return name;
}

void gpu_close(gpu *g) {
    if (g->allocator) vmaDestroyAllocator(g->allocator);
    if (g->device) vkDestroyDevice(g->device, NULL);
    if (g->messenger) vkDestroyDebugUtilsMessengerEXT(g->instance, g->messenger, NULL);
    if (g->instance) vkDestroyInstance(g->instance, NULL);
    uint32_t messages = g->message_count;
    memset(g, 0, sizeof *g);
    g->message_count = messages; // the caller also counts messages during teardown
}

bool gpu_buffer_make(const gpu *g, uint64_t size, VkBufferUsageFlags usage, bool mapped, gpu_buffer *buffer) {
    VmaAllocationCreateFlags flags =
        mapped ? VMA_ALLOCATION_CREATE_HOST_ACCESS_SEQUENTIAL_WRITE_BIT | VMA_ALLOCATION_CREATE_MAPPED_BIT : 0;
    return make_buffer(g, size, usage, flags, buffer);
}

bool gpu_buffer_make_readback(const gpu *g, uint64_t size, gpu_buffer *buffer) {
    return make_buffer(g, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                       VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT | VMA_ALLOCATION_CREATE_MAPPED_BIT, buffer);
}

static bool make_buffer(const gpu *g, uint64_t size, VkBufferUsageFlags usage, VmaAllocationCreateFlags flags,
                        gpu_buffer *buffer) {
    memset(buffer, 0, sizeof *buffer);
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
    VmaAllocationCreateInfo memory = {.usage = VMA_MEMORY_USAGE_AUTO, .flags = flags};
    VmaAllocationInfo made;
    if (!gpu_ok(vmaCreateBuffer(g->allocator, &info, &memory, &buffer->handle, &buffer->allocation, &made),
                "vmaCreateBuffer"))
        return false;
    buffer->mapped = flags ? made.pMappedData : NULL;
    buffer->size = size;
    return true;
}

void gpu_buffer_free(const gpu *g, gpu_buffer *buffer) {
    if (buffer->handle) vmaDestroyBuffer(g->allocator, buffer->handle, buffer->allocation);
    memset(buffer, 0, sizeof *buffer);
}

bool gpu_image_make(const gpu *g, VkExtent2D extent, VkFormat format, VkImageUsageFlags usage,
                    VkImageAspectFlags aspect, gpu_image *image) {
    VkImageCreateInfo info = {
        .imageType = VK_IMAGE_TYPE_2D, .format = format, .extent = {extent.width, extent.height, 1}, .usage = usage};
    return make_image(g, &info, VK_IMAGE_VIEW_TYPE_2D, aspect, image);
}

bool gpu_image_make_3d(const gpu *g, VkExtent3D extent, VkFormat format, VkImageUsageFlags usage, gpu_image *image) {
    VkImageCreateInfo info = {.imageType = VK_IMAGE_TYPE_3D, .format = format, .extent = extent, .usage = usage};
    return make_image(g, &info, VK_IMAGE_VIEW_TYPE_3D, VK_IMAGE_ASPECT_COLOR_BIT, image);
}

// Fills in the rest of info.
static bool make_image(const gpu *g, VkImageCreateInfo *info, VkImageViewType kind, VkImageAspectFlags aspect,
                       gpu_image *image) {
    memset(image, 0, sizeof *image);
    info->sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info->mipLevels = info->arrayLayers = 1;
    info->samples = VK_SAMPLE_COUNT_1_BIT;
    VmaAllocationCreateInfo memory = {.usage = VMA_MEMORY_USAGE_AUTO};
    if (!gpu_ok(vmaCreateImage(g->allocator, info, &memory, &image->handle, &image->allocation, NULL),
                "vmaCreateImage"))
        return false;
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = image->handle,
                                  .viewType = kind,
                                  .format = info->format,
                                  .subresourceRange = {aspect, 0, 1, 0, 1}};
    return gpu_ok(vkCreateImageView(g->device, &view, NULL, &image->view), "vkCreateImageView");
}

void gpu_image_free(const gpu *g, gpu_image *image) {
    if (image->view) vkDestroyImageView(g->device, image->view, NULL);
    if (image->handle) vmaDestroyImage(g->allocator, image->handle, image->allocation);
    memset(image, 0, sizeof *image);
}

bool gpu_timeline_make(const gpu *g, VkSemaphore *semaphore) {
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    return gpu_ok(vkCreateSemaphore(g->device, &info, NULL, semaphore), "vkCreateSemaphore");
}

bool gpu_timeline_wait(const gpu *g, VkSemaphore semaphore, uint64_t value) {
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &semaphore,
                                .pValues = &value};
    return gpu_ok(vkWaitSemaphores(g->device, &info, UINT64_MAX), "vkWaitSemaphores");
}

bool gpu_ok(VkResult result, const char *what) {
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        fprintf(stderr, "vulkan_host: %s: no Vulkan driver found (software driver on Debian: mesa-vulkan-drivers)\n",
                what);
    else if (result < 0)
        fprintf(stderr, "vulkan_host: %s: error %d\n", what, (int)result);
    return result >= 0;
}

static bool has_layer(const char *name) {
    VkLayerProperties layers[64];
    uint32_t count = 64;
    if (vkEnumerateInstanceLayerProperties(&count, layers) < 0) return false;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(layers[i].layerName, name) == 0) return true;
    return false;
}

static bool has_instance_extension(const char *name) {
    VkExtensionProperties extensions[128];
    uint32_t count = 128;
    if (vkEnumerateInstanceExtensionProperties(NULL, &count, extensions) < 0) return false;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(extensions[i].extensionName, name) == 0) return true;
    return false;
}

// The fastest kind of device among those that suit.
static bool choose(gpu *g, VkSurfaceKHR surface) {
    static const int RANK[] = {
        [VK_PHYSICAL_DEVICE_TYPE_OTHER] = 1,        [VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU] = 4,
        [VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU] = 5, [VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU] = 3,
        [VK_PHYSICAL_DEVICE_TYPE_CPU] = 2,
    };
    VkPhysicalDevice devices[16];
    uint32_t count = 16;
    int best = 0;
    if (!gpu_ok(vkEnumeratePhysicalDevices(g->instance, &count, devices), "vkEnumeratePhysicalDevices")) return false;
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(devices[i], &properties);
        int rank = (unsigned)properties.deviceType < sizeof RANK / sizeof *RANK ? RANK[properties.deviceType] : 1;
        uint32_t family;
        if (rank <= best || properties.apiVersion < VK_API_VERSION_1_3 || !suits(devices[i], surface, &family))
            continue;
        best = rank;
        g->physical = devices[i];
        g->queue_family = family;
        g->properties = properties;
    }
    return best > 0;
}

static bool suits(VkPhysicalDevice physical, VkSurfaceKHR surface, uint32_t *family) {
    const char *swapchain = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
    if (surface && !has_extensions(physical, &swapchain, 1)) return false;
    VkPhysicalDeviceVulkan13Features features13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features13};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    if (!features13.dynamicRendering || !features13.synchronization2) return false;
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    // One queue for everything keeps the sample small. Plait would also work on a separate compute queue.
    VkQueueFlags flags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    for (uint32_t i = 0; i < count; i++) {
        VkBool32 presents = VK_TRUE;
        if (surface) vkGetPhysicalDeviceSurfaceSupportKHR(physical, i, surface, &presents);
        *family = i;
        if ((families[i].queueFlags & flags) == flags && presents) return true;
    }
    return false;
}

static bool has_extensions(VkPhysicalDevice physical, const char *const *names, uint32_t count) {
    uint32_t there = 0, found = 0;
    vkEnumerateDeviceExtensionProperties(physical, NULL, &there, NULL);
    VkExtensionProperties *list = calloc(there + 1, sizeof *list);
    if (list && vkEnumerateDeviceExtensionProperties(physical, NULL, &there, list) >= 0)
        for (uint32_t n = 0; n < count; n++)
            for (uint32_t i = 0; i < there; i++) found += strcmp(list[i].extensionName, names[n]) == 0;
    free(list);
    return found == count;
}

static bool make_allocator(gpu *g) {
    VmaVulkanFunctions functions = {.vkGetInstanceProcAddr = vkGetInstanceProcAddr,
                                    .vkGetDeviceProcAddr = vkGetDeviceProcAddr};
    VmaAllocatorCreateInfo info = {.instance = g->instance,
                                   .physicalDevice = g->physical,
                                   .device = g->device,
                                   .pVulkanFunctions = &functions,
                                   .vulkanApiVersion = VK_API_VERSION_1_3};
    return gpu_ok(vmaCreateAllocator(&info, &g->allocator), "vmaCreateAllocator");
}

static VkBool32 VKAPI_PTR print_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                        VkDebugUtilsMessageTypeFlagsEXT types,
                                        const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
    (void)types;
    bool error = severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    fprintf(stderr, "vulkan_host: Validation %s: %s\n", error ? "Error" : "Warning", data->pMessage);
    ((gpu *)user)->message_count++;
    return VK_FALSE;
}
