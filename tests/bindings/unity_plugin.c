// The plugin for Unity's render thread, loaded by a stand-in for Unity that draws with Vulkan: it makes its instance and device as
// Unity does, through the function that the plugin gives it, and runs events in a thread of their own.
#include <dlfcn.h>
#include <math.h>
#include <plait_unity.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene.h"

enum { FIRST_EVENT = 1000, SIZE = STRANDS * VERTICES * 16 };

// ---- the stand-in

static struct {
    int renderer;
    UnityDeviceEvent on_device;
    UnityVulkanInitCallback init;
    void *init_user;
    int configured, reserved;
    PFN_vkGetInstanceProcAddr loader, get;
    UnityVulkanInstance vulkan;
    VkBuffer buffer;
    VkDeviceMemory memory;
    float *mapped;
    size_t told_size;
    void *plugin;
} unity;

static int UNITY_CALL get_renderer(void) { return unity.renderer; }
static void UNITY_CALL register_callback(UnityDeviceEvent callback) { unity.on_device = callback; }
static void UNITY_CALL unregister_callback(UnityDeviceEvent callback) {
    assert_true(callback == unity.on_device);
    unity.on_device = NULL;
}
static int UNITY_CALL reserve(int count) {
    unity.reserved = count;
    return FIRST_EVENT;
}
static bool UNITY_CALL intercept(UnityVulkanInitCallback callback, void *user) {
    unity.init = callback;
    unity.init_user = user;
    return true;
}
static void UNITY_CALL configure(int event, const UnityVulkanPluginEventConfig *config) {
    assert_in_range(event, FIRST_EVENT, FIRST_EVENT + unity.reserved - 1);
    assert_int_equal(config->graphicsQueueAccess, UNITY_VULKAN_QUEUE_ALLOWED);
    unity.configured++;
}
static UnityVulkanInstance UNITY_CALL instance(void) { return unity.vulkan; }
static bool UNITY_CALL access_buffer(void *native, VkPipelineStageFlags stages, VkAccessFlags access, int mode,
                                     UnityVulkanBuffer *buffer) {
    (void)stages, (void)access, (void)mode;
    if (native != &unity.buffer) return false;
    buffer->buffer = unity.buffer;
    buffer->sizeInBytes = unity.told_size;
    return true;
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

#define PLUGIN_FUNCTIONS(X)                                                                                            \
    X(UnityPluginLoad)                                                                                                 \
    X(UnityPluginUnload)                                                                                               \
    X(plait_unity_connect)                                                                                             \
    X(plait_unity_supported)                                                                                           \
    X(plait_unity_open)                                                                                                \
    X(plait_unity_event)                                                                                               \
    X(plait_unity_event_function)                                                                                      \
    X(plait_unity_push)                                                                                                \
    X(plait_unity_poll)                                                                                                \
    X(plait_unity_close)
#define MEMBER(name) __typeof__(&name) name;
static struct { PLUGIN_FUNCTIONS(MEMBER) } plugin;

#define GET(name) PFN_##name name = (PFN_##name)unity.get(unity.vulkan.instance, #name)

// Vulkan as Unity opens it: 1.1, no features, no extensions. False: there is none.
static bool open_vulkan(bool early) {
    void *library = dlopen("libvulkan.so.1", RTLD_NOW);
    if (!library) return false;
    unity.loader = unity.get = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
    if (early) unity.get = unity.init(unity.loader, unity.init_user);
    unity.vulkan.getInstanceProcAddr = unity.loader;
    GET(vkCreateInstance);
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    if (vkCreateInstance(&info, NULL, &unity.vulkan.instance) != VK_SUCCESS) return false;
    GET(vkEnumeratePhysicalDevices);
    uint32_t count = 1;
    if (vkEnumeratePhysicalDevices(unity.vulkan.instance, &count, &unity.vulkan.physicalDevice) < 0 || count == 0)
        return false;
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    GET(vkCreateDevice);
    assert_int_equal(vkCreateDevice(unity.vulkan.physicalDevice, &device, NULL, &unity.vulkan.device), VK_SUCCESS);
    unity.get = unity.loader; // the plugin goes before the device
    GET(vkGetDeviceQueue);
    vkGetDeviceQueue(unity.vulkan.device, 0, 0, &unity.vulkan.graphicsQueue);
    return true;
}

// A GraphicsBuffer in memory that the CPU can read.
static void make_buffer(void) {
    GET(vkCreateBuffer);
    GET(vkGetBufferMemoryRequirements);
    GET(vkAllocateMemory);
    GET(vkBindBufferMemory);
    GET(vkMapMemory);
    GET(vkGetPhysicalDeviceMemoryProperties);
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = SIZE, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    assert_int_equal(vkCreateBuffer(unity.vulkan.device, &info, NULL, &unity.buffer), VK_SUCCESS);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(unity.vulkan.device, unity.buffer, &needs);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(unity.vulkan.physicalDevice, &memory);
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (!(needs.memoryTypeBits >> type & 1) || (memory.memoryTypes[type].propertyFlags & wanted) != wanted) type++;
    const VkMemoryAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
    assert_int_equal(vkAllocateMemory(unity.vulkan.device, &allocation, NULL, &unity.memory), VK_SUCCESS);
    assert_int_equal(vkBindBufferMemory(unity.vulkan.device, unity.buffer, unity.memory, 0), VK_SUCCESS);
    void *mapped;
    assert_int_equal(vkMapMemory(unity.vulkan.device, unity.memory, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
    unity.mapped = mapped;
    unity.told_size = SIZE;
}

// early: the plugin is there before the device, as with "Load on startup". False: there is no Vulkan.
static bool start(int renderer, bool early) {
    static IUnityInterfaces interfaces = {.GetInterfaceSplit = get_interface};
    memset(&unity, 0, sizeof unity);
    unity.renderer = early ? UNITY_RENDERER_NULL : renderer;
    if (!early && !open_vulkan(false)) return false;
    unity.plugin = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (!unity.plugin) fail_msg("%s", dlerror());
#define FIND(name)                                                                                                     \
    plugin.name = (__typeof__(&name))dlsym(unity.plugin, #name);                                                       \
    assert_non_null(plugin.name);
    PLUGIN_FUNCTIONS(FIND)
    plugin.UnityPluginLoad(&interfaces);
    if (early) {
        if (!open_vulkan(true)) return false;
        unity.renderer = renderer;
        unity.on_device(UNITY_DEVICE_INITIALIZE);
    }
    make_buffer();
    assert_int_equal(plugin.plait_unity_connect(plait_get_proc_address), PLAIT_OK);
    return true;
}

static void end(void) {
    plugin.UnityPluginUnload();
    assert_null(unity.on_device);
    dlclose(unity.plugin);
    GET(vkDestroyBuffer);
    GET(vkFreeMemory);
    GET(vkDestroyDevice);
    GET(vkDestroyInstance);
    vkDestroyBuffer(unity.vulkan.device, unity.buffer, NULL);
    vkFreeMemory(unity.vulkan.device, unity.memory, NULL);
    vkDestroyDevice(unity.vulkan.device, NULL);
    vkDestroyInstance(unity.vulkan.instance, NULL);
}

static void *render_thread(void *argument) {
    plugin.plait_unity_event_function()(*(const int *)argument);
    return NULL;
}

// Unity's render thread comes to an event.
static void issue(int event) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, render_thread, &event), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void wait_for_gpu(void) {
    GET(vkDeviceWaitIdle);
    assert_int_equal(vkDeviceWaitIdle(unity.vulkan.device), VK_SUCCESS);
}

// ---- two hairs, one of which goes through the plugin

static plait_context context;
static plait_device cpu;
static plait_hair hairs[2];
static float beside[STRANDS * VERTICES][4]; // what the other hair writes

static void set_output(plait_hair hair, void *memory) {
    plait_output_attribute position = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    position.attribute = PLAIT_ATTRIBUTE_POSITION;
    position.format = PLAIT_FORMAT_FLOAT32X4;
    position.stride = 16;
    plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
    output.attribute_count = 1;
    output.attributes = &position;
    output.memory = memory;
    output.size = SIZE;
    assert_int_equal(plait_hair_set_output(hair, &output), PLAIT_OK);
}

static void open_hairs(void) {
    assert_int_equal(plait_context_create(NULL, &context), PLAIT_OK);
    plait_device_desc device_desc = PLAIT_DEVICE_DESC_INIT;
    device_desc.backend = PLAIT_BACKEND_CPU;
    assert_int_equal(plait_device_open(context, &device_desc, &cpu), PLAIT_OK);
    uint32_t counts[STRANDS];
    for (int s = 0; s < STRANDS; s++) counts[s] = VERTICES;
    float positions[STRANDS * VERTICES * 3];
    scene_groom(positions);
    plait_groom_desc groom_desc = PLAIT_GROOM_DESC_INIT;
    groom_desc.strand_count = STRANDS;
    groom_desc.bone_count = BONES;
    groom_desc.vertex_counts = counts;
    groom_desc.positions = positions;
    plait_groom groom;
    assert_int_equal(plait_groom_create(context, &groom_desc, &groom), PLAIT_OK);
    plait_hair_desc hair_desc = PLAIT_HAIR_DESC_INIT;
    hair_desc.groom = groom;
    hair_desc.device = cpu;
    hair_desc.solver = PLAIT_SOLVER_SHAPE;
    for (int i = 0; i < 2; i++) assert_int_equal(plait_hair_create(context, &hair_desc, &hairs[i]), PLAIT_OK);
    set_output(hairs[1], beside);
}

static plait_unity_desc channel_desc(void) {
    plait_unity_desc desc = {.context = context,
                             .hair = hairs[0],
                             .fallback = cpu,
                             .buffer = &unity.buffer,
                             .size = SIZE,
                             .bone_count = BONES};
    return desc;
}

static float difference(const float *a, const float *b) {
    float most = 0;
    for (int i = 0; i < STRANDS * VERTICES * 4; i++) most = fmaxf(most, fabsf(a[i] - b[i]));
    return most;
}

// One frame for both hairs.
static void both(uint32_t channel, int i) {
    float bones[BONES * 12];
    plait_frame_desc frame;
    scene_frame(i, bones, &frame);
    assert_int_equal(plugin.plait_unity_push(channel, &frame), PLAIT_OK);
    assert_int_equal(plait_hair_step(hairs[1], &frame), PLAIT_OK);
    memset(bones, 0x7f, sizeof bones); // the plugin has a copy
    issue(plugin.plait_unity_event(channel));
}

#define SKIP_WITHOUT_VULKAN(started)                                                                                   \
    if (!(started)) {                                                                                                  \
        puts("there is no Vulkan: skipped");                                                                           \
        exit(77);                                                                                                      \
    }

static void test_strands_are_written_into_unitys_buffer(void **state) {
    (void)state;
    SKIP_WITHOUT_VULKAN(start(UNITY_RENDERER_VULKAN, true));
    assert_int_equal(unity.configured, PLAIT_UNITY_CHANNELS);
    open_hairs();
    const plait_unity_desc desc = channel_desc();
    uint32_t channel;
    assert_int_equal(plugin.plait_unity_open(&desc, &channel), PLAIT_OK);
    plait_unity_status status;
    for (int i = 1; i <= 60; i++) {
        both(channel, i);
        assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_OK);
        if (status.result != PLAIT_OK) fail_msg("frame %d: %d %s", i, (int)status.result, status.reason);
        assert_int_equal(status.frame_count, i);
        if (i % 20) continue;
        wait_for_gpu();
        assert_true(difference(unity.mapped, beside[0]) < 1e-3f);
    }
    assert_int_equal(status.state, PLAIT_UNITY_OPEN);
    assert_int_equal(status.info.vertex_count, STRANDS * VERTICES);
    assert_int_not_equal(status.info.device.id, cpu.id);

    // The hair comes back and goes on where it was.
    assert_int_equal(plugin.plait_unity_close(channel), PLAIT_OK);
    assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_OK);
    assert_int_equal(status.state, PLAIT_UNITY_CLOSING);
    issue(plugin.plait_unity_event(channel));
    assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_OK);
    assert_int_equal(status.state, PLAIT_UNITY_CLOSED);
    assert_int_equal(status.result, PLAIT_OK);
    assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_ERROR_INVALID_HANDLE);
    float own[STRANDS * VERTICES][4];
    set_output(hairs[0], own);
    float bones[BONES * 12];
    plait_frame_desc frame;
    scene_frame(61, bones, &frame);
    for (int h = 0; h < 2; h++) assert_int_equal(plait_hair_step(hairs[h], &frame), PLAIT_OK);
    assert_true(difference(own[0], beside[0]) < 1e-3f);
    assert_int_equal(plait_context_destroy(context), PLAIT_OK);
    end();
}

static void test_what_cannot_be_is_refused_with_a_reason(void **state) {
    (void)state;
    SKIP_WITHOUT_VULKAN(start(UNITY_RENDERER_VULKAN, true));
    open_hairs();
    plait_unity_desc desc = channel_desc();
    uint32_t channel = 7;
    desc.buffer = NULL;
    assert_int_equal(plugin.plait_unity_open(&desc, &channel), PLAIT_ERROR_INVALID_ARGUMENT);
    desc = channel_desc();
    desc.bone_count = 0;
    assert_int_equal(plugin.plait_unity_open(&desc, &channel), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(plugin.plait_unity_poll(7, NULL), PLAIT_ERROR_INVALID_HANDLE);
    assert_int_equal(plugin.plait_unity_poll(UINT32_MAX, NULL), PLAIT_ERROR_INVALID_HANDLE);

    // Frames: no more than fit, and whole ones only.
    desc = channel_desc();
    assert_int_equal(plugin.plait_unity_open(&desc, &channel), PLAIT_OK);
    float bones[BONES * 12];
    plait_frame_desc frame;
    scene_frame(1, bones, &frame);
    frame.bone_count = 1;
    assert_int_equal(plugin.plait_unity_push(channel, &frame), PLAIT_ERROR_INVALID_ARGUMENT);
    scene_frame(1, bones, &frame);
    for (int i = 0; i < PLAIT_UNITY_FRAMES; i++) assert_int_equal(plugin.plait_unity_push(channel, &frame), PLAIT_OK);
    assert_int_equal(plugin.plait_unity_push(channel, &frame), PLAIT_ERROR_BUSY);

    // A buffer that is too small is told, and one that grows is taken.
    unity.told_size = SIZE - 16;
    issue(plugin.plait_unity_event(channel));
    plait_unity_status status;
    assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_OK);
    assert_int_equal(status.result, PLAIT_ERROR_BUFFER_TOO_SMALL);
    assert_string_equal(status.reason, "the buffer is smaller than its size");
    unity.told_size = SIZE;
    issue(plugin.plait_unity_event(channel));
    assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_OK);
    assert_int_equal(status.result, PLAIT_OK);
    assert_null(status.reason);

    // An error of Plait's comes through, and the next frame runs.
    scene_frame(2, bones, &frame);
    frame.dt = -1;
    assert_int_equal(plugin.plait_unity_push(channel, &frame), PLAIT_OK);
    for (int i = 0; i < 3; i++) issue(plugin.plait_unity_event(channel));
    assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_OK);
    assert_int_equal(status.result, PLAIT_ERROR_INVALID_ARGUMENT);
    scene_frame(3, bones, &frame);
    assert_int_equal(plugin.plait_unity_push(channel, &frame), PLAIT_OK);
    issue(plugin.plait_unity_event(channel));
    assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_OK);
    assert_int_equal(status.result, PLAIT_OK);

    // Unity ends while the channel is open: the hair is the host's again.
    unity.on_device(UNITY_DEVICE_SHUTDOWN);
    assert_int_equal(plugin.plait_unity_poll(channel, &status), PLAIT_OK);
    assert_int_equal(status.state, PLAIT_UNITY_CLOSED);
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    assert_int_equal(plait_hair_query(hairs[0], &info), PLAIT_OK);
    assert_int_equal(info.device.id, cpu.id);
    assert_int_equal(plait_context_destroy(context), PLAIT_OK);
    end();
}

static void refuses(int renderer, bool early, const char *reason) {
    SKIP_WITHOUT_VULKAN(start(renderer, early));
    open_hairs();
    const char *why = NULL;
    assert_int_equal(plugin.plait_unity_supported(&why), PLAIT_ERROR_UNSUPPORTED);
    assert_string_equal(why, reason);
    const plait_unity_desc desc = channel_desc();
    uint32_t channel;
    assert_int_equal(plugin.plait_unity_open(&desc, &channel), PLAIT_ERROR_UNSUPPORTED);
    assert_int_equal(plait_context_destroy(context), PLAIT_OK);
    end();
}

static void test_other_graphics_apis_and_late_plugins_are_told_apart(void **state) {
    (void)state;
    refuses(17, true, "Unity does not draw with Vulkan");
    refuses(UNITY_RENDERER_VULKAN, false,
            "Unity's device has no timeline semaphores: the plugin must be loaded on startup");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strands_are_written_into_unitys_buffer),
        cmocka_unit_test(test_what_cannot_be_is_refused_with_a_reason),
        cmocka_unit_test(test_other_graphics_apis_and_late_plugins_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
