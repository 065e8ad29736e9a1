#include "stand_in.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int renderer, configured, reserved;
    UnityDeviceEvent on_device;
    UnityVulkanInitCallback init;
    void *init_user, *plugin;
    PFN_vkGetInstanceProcAddr loader, get;
    UnityVulkanInstance vulkan;
} unity;

#define GET(name) PFN_##name name = (PFN_##name)unity.get(unity.vulkan.instance, #name)
#define NEED(condition) need(condition, #condition)

static void need(bool condition, const char *text) {
    if (condition) return;
    fprintf(stderr, "stand-in for Unity: not so: %s\n", text);
    abort();
}

// ---- Unity's interfaces

static int UNITY_CALL get_renderer(void) { return unity.renderer; }
static void UNITY_CALL register_callback(UnityDeviceEvent callback) { unity.on_device = callback; }
static void UNITY_CALL unregister_callback(UnityDeviceEvent callback) {
    NEED(callback == unity.on_device);
    unity.on_device = NULL;
}
static int UNITY_CALL reserve(int count) {
    unity.reserved = count;
    return STAND_IN_FIRST_EVENT;
}

static bool UNITY_CALL intercept(UnityVulkanInitCallback callback, void *user) {
    unity.init = callback;
    unity.init_user = user;
    return true;
}
static void UNITY_CALL configure(int event, const UnityVulkanPluginEventConfig *config) {
    NEED(event >= STAND_IN_FIRST_EVENT && event < STAND_IN_FIRST_EVENT + unity.reserved);
    NEED(config->graphicsQueueAccess == UNITY_VULKAN_QUEUE_ALLOWED);
    unity.configured++;
}
static UnityVulkanInstance UNITY_CALL instance(void) { return unity.vulkan; }
static bool UNITY_CALL access_buffer(void *native, VkPipelineStageFlags stages, VkAccessFlags access, int mode,
                                     UnityVulkanBuffer *buffer) {
    (void)stages, (void)access, (void)mode;
    const stand_in_buffer *from = native;
    buffer->buffer = from->handle;
    buffer->sizeInBytes = from->told_size;
    return from->handle != VK_NULL_HANDLE;
}

static IUnityGraphics graphics = {get_renderer, register_callback, unregister_callback, reserve};
static IUnityGraphicsVulkan graphics_vulkan = {.InterceptInitialization = intercept,
                                               .ConfigureEvent = configure,
                                               .Instance = instance,
                                               .AccessBuffer = access_buffer};

static void *UNITY_CALL get_interface(unsigned long long high, unsigned long long low) {
    if (high == UNITY_GRAPHICS_HIGH && low == UNITY_GRAPHICS_LOW) return &graphics;
    if (high == UNITY_VULKAN_HIGH && low == UNITY_VULKAN_LOW) return &graphics_vulkan;
    return NULL;
}

// ---- beginning and end

// Vulkan as Unity opens it: 1.1, no features, no extensions. False: there is none.
static bool open_vulkan(void) {
    void *library = dlopen("libvulkan.so.1", RTLD_NOW);
    if (!library) return false;
    unity.loader = unity.get = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
    if (unity.init) unity.get = unity.init(unity.loader, unity.init_user);
    unity.vulkan.getInstanceProcAddr = unity.loader;
    GET(vkCreateInstance);
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    if (vkCreateInstance(&info, NULL, &unity.vulkan.instance) != VK_SUCCESS) return false;
    GET(vkEnumeratePhysicalDevices);
    uint32_t count = 1;
    VkResult listed = vkEnumeratePhysicalDevices(unity.vulkan.instance, &count, &unity.vulkan.physicalDevice);
    if (listed < 0 || count == 0) return false;
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    GET(vkCreateDevice);
    NEED(vkCreateDevice(unity.vulkan.physicalDevice, &device, NULL, &unity.vulkan.device) == VK_SUCCESS);
    unity.get = unity.loader; // the plugin goes before the device
    GET(vkGetDeviceQueue);
    vkGetDeviceQueue(unity.vulkan.device, 0, 0, &unity.vulkan.graphicsQueue);
    return true;
}

void *stand_in_start(const char *plugin, int renderer, int early) {
    static IUnityInterfaces interfaces = {.GetInterfaceSplit = get_interface};
    memset(&unity, 0, sizeof unity);
    unity.renderer = early ? UNITY_RENDERER_NULL : renderer;
    if (!early && !open_vulkan()) return NULL;
    unity.plugin = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    if (!unity.plugin) fprintf(stderr, "%s\n", dlerror());
    NEED(unity.plugin);
    void(UNITY_CALL * load)(IUnityInterfaces *) =
        (void(UNITY_CALL *)(IUnityInterfaces *))dlsym(unity.plugin, "UnityPluginLoad");
    NEED(load);
    load(&interfaces);
    if (!early) return unity.plugin;
    if (!open_vulkan()) return NULL;
    unity.renderer = renderer;
    unity.on_device(UNITY_DEVICE_INITIALIZE);
    return unity.plugin;
}

void stand_in_shutdown(void) { unity.on_device(UNITY_DEVICE_SHUTDOWN); }
int stand_in_configured_events(void) { return unity.configured; }

void stand_in_end(void) {
    void(UNITY_CALL * unload)(void) = (void(UNITY_CALL *)(void))dlsym(unity.plugin, "UnityPluginUnload");
    NEED(unload);
    unload();
    NEED(!unity.on_device);
    dlclose(unity.plugin);
    GET(vkDestroyDevice);
    GET(vkDestroyInstance);
    vkDestroyDevice(unity.vulkan.device, NULL);
    vkDestroyInstance(unity.vulkan.instance, NULL);
}

// ---- the render thread and buffers

struct issued {
    UnityRenderingEvent function;
    int event;
};

static void *render_thread(void *argument) {
    const struct issued *issued = argument;
    issued->function(issued->event);
    return NULL;
}

void stand_in_issue(UnityRenderingEvent function, int event) {
    struct issued issued = {function, event};
    pthread_t thread;
    NEED(pthread_create(&thread, NULL, render_thread, &issued) == 0);
    NEED(pthread_join(thread, NULL) == 0);
}

stand_in_buffer *stand_in_make_buffer(uint64_t size) {
    GET(vkCreateBuffer);
    GET(vkGetBufferMemoryRequirements);
    GET(vkAllocateMemory);
    GET(vkBindBufferMemory);
    GET(vkMapMemory);
    GET(vkGetPhysicalDeviceMemoryProperties);
    stand_in_buffer *buffer = calloc(1, sizeof *buffer);
    NEED(buffer);
    buffer->size = buffer->told_size = size;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    NEED(vkCreateBuffer(unity.vulkan.device, &info, NULL, &buffer->handle) == VK_SUCCESS);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(unity.vulkan.device, buffer->handle, &needs);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(unity.vulkan.physicalDevice, &memory);
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (!(needs.memoryTypeBits >> type & 1) || (memory.memoryTypes[type].propertyFlags & wanted) != wanted) type++;
    const VkMemoryAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
    NEED(vkAllocateMemory(unity.vulkan.device, &allocation, NULL, &buffer->memory) == VK_SUCCESS);
    NEED(vkBindBufferMemory(unity.vulkan.device, buffer->handle, buffer->memory, 0) == VK_SUCCESS);
    NEED(vkMapMemory(unity.vulkan.device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->mapped) == VK_SUCCESS);
    return buffer;
}

void stand_in_release_buffer(stand_in_buffer *buffer) {
    GET(vkDestroyBuffer);
    GET(vkFreeMemory);
    vkDestroyBuffer(unity.vulkan.device, buffer->handle, NULL);
    vkFreeMemory(unity.vulkan.device, buffer->memory, NULL);
    free(buffer);
}

void stand_in_read(const stand_in_buffer *buffer, void *memory, uint64_t size) {
    GET(vkDeviceWaitIdle);
    NEED(vkDeviceWaitIdle(unity.vulkan.device) == VK_SUCCESS && size <= buffer->size);
    memcpy(memory, buffer->mapped, size);
}
