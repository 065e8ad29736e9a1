/* Plait on Unity's VkDevice. */
#include <plait_vulkan.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"

#define TIMELINE_EXTENSION "VK_KHR_timeline_semaphore"

static PFN_vkGetInstanceProcAddr UNITY_CALL intercept(PFN_vkGetInstanceProcAddr get, void *user);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_proc(VkInstance instance, const char *name);
static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkDevice *device);
static bool want_timeline(VkPhysicalDevice physical, VkDeviceCreateInfo *info,
                          VkPhysicalDeviceTimelineSemaphoreFeatures *feature);
static bool load_functions(void);
static plait_result open_device(channel *c);
static plait_result set_output(channel *c, const plait_output_desc *output);
static plait_result follow_buffer(channel *c);
static VkResult submit(channel *c, bool waits, uint64_t value);

static IUnityGraphicsVulkan *unity;
static UnityVulkanInstance host;
static bool begun, timeline_enabled, extension_enabled;
static VkInstance seen_instance;
static PFN_vkGetInstanceProcAddr next_get_proc;
static PFN_vkCreateDevice next_create_device;
static PFN_vkCreateSemaphore create_semaphore;
static PFN_vkDestroySemaphore destroy_semaphore;
static PFN_vkQueueSubmit queue_submit;
static PFN_vkQueueWaitIdle queue_wait_idle;

/* One Plait device for all channels of a context, as long as there are any. */
static struct {
    plait_context context;
    plait_device device;
    uint32_t users;
} shared[PLAIT_UNITY_CHANNELS];

/* ---- Unity's device is made with timeline semaphores */

void vulkan_load(IUnityInterfaces *interfaces) {
    unity = interfaces->GetInterfaceSplit(UNITY_VULKAN_HIGH, UNITY_VULKAN_LOW);
    if (unity) unity->InterceptInitialization(intercept, NULL);
}

static PFN_vkGetInstanceProcAddr UNITY_CALL intercept(PFN_vkGetInstanceProcAddr get, void *user) {
    (void)user;
    next_get_proc = get;
    return get_proc;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_proc(VkInstance instance, const char *name) {
    PFN_vkVoidFunction found = next_get_proc(instance, name);
    if (instance) seen_instance = instance;
    if (!found || strcmp(name, "vkCreateDevice") != 0) return found;
    next_create_device = (PFN_vkCreateDevice)found;
    return (PFN_vkVoidFunction)create_device;
}

/* As Unity asks, with the feature and, where the driver lists it, the extension on top. If that is not possible, only what Unity
 * asks. */
static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkDevice *device) {
    VkDeviceCreateInfo more = *info;
    VkPhysicalDeviceTimelineSemaphoreFeatures feature = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
    const char **names = malloc((info->enabledExtensionCount + 1u) * sizeof *names);
    if (names && info->enabledExtensionCount)
        memcpy(names, info->ppEnabledExtensionNames, info->enabledExtensionCount * sizeof *names);
    more.ppEnabledExtensionNames = names;
    VkResult result = VK_ERROR_INITIALIZATION_FAILED;
    if (names && want_timeline(physical, &more, &feature)) {
        if (extension_enabled) names[more.enabledExtensionCount++] = TIMELINE_EXTENSION;
        result = next_create_device(physical, &more, allocator, device);
        timeline_enabled = result == VK_SUCCESS;
    }
    free((void *)names);
    return result == VK_SUCCESS ? result : next_create_device(physical, info, allocator, device);
}

/* Chains the feature, unless the chain already has it: then it counts only if it is on. */
static bool want_timeline(VkPhysicalDevice physical, VkDeviceCreateInfo *info,
                          VkPhysicalDeviceTimelineSemaphoreFeatures *feature) {
    extension_enabled = false;
    for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES)
            return ((const VkPhysicalDeviceTimelineSemaphoreFeatures *)s)->timelineSemaphore;
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
            return ((const VkPhysicalDeviceVulkan12Features *)s)->timelineSemaphore;
    }
    PFN_vkEnumerateDeviceExtensionProperties enumerate =
        (PFN_vkEnumerateDeviceExtensionProperties)next_get_proc(seen_instance, "vkEnumerateDeviceExtensionProperties");
    uint32_t count = 0;
    if (!enumerate || enumerate(physical, NULL, &count, NULL) != VK_SUCCESS || count == 0) return false;
    VkExtensionProperties *list = malloc(count * sizeof *list);
    bool listed = false;
    if (list && enumerate(physical, NULL, &count, list) == VK_SUCCESS)
        for (uint32_t i = 0; i < count; i++) listed = listed || strcmp(list[i].extensionName, TIMELINE_EXTENSION) == 0;
    free(list);
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        if (strcmp(info->ppEnabledExtensionNames[i], TIMELINE_EXTENSION) == 0) listed = false; /* already asked for */
    extension_enabled = listed;
    feature->pNext = (void *)info->pNext;
    info->pNext = feature;
    return true;
}

/* ---- the device comes and goes */

void vulkan_begin(int first_event, int event_count) {
    if (!unity) return;
    host = unity->Instance();
    /* The event may submit to the queue, after everything that was recorded before it. */
    const UnityVulkanPluginEventConfig config = {UNITY_VULKAN_OUTSIDE_RENDER_PASS, UNITY_VULKAN_QUEUE_ALLOWED,
                                                 UNITY_VULKAN_PREVIOUS_FRAME_SUBMITTED | UNITY_VULKAN_FLUSH |
                                                     UNITY_VULKAN_SYNC_WORKERS};
    for (int i = 0; i < event_count; i++) unity->ConfigureEvent(first_event + i, &config);
    begun = host.device && load_functions();
}

void vulkan_end(void) { begun = timeline_enabled = false; }

static bool load_functions(void) {
    PFN_vkGetDeviceProcAddr get =
        (PFN_vkGetDeviceProcAddr)host.getInstanceProcAddr(host.instance, "vkGetDeviceProcAddr");
    if (!get) return false;
    create_semaphore = (PFN_vkCreateSemaphore)get(host.device, "vkCreateSemaphore");
    destroy_semaphore = (PFN_vkDestroySemaphore)get(host.device, "vkDestroySemaphore");
    queue_submit = (PFN_vkQueueSubmit)get(host.device, "vkQueueSubmit");
    queue_wait_idle = (PFN_vkQueueWaitIdle)get(host.device, "vkQueueWaitIdle");
    return create_semaphore && destroy_semaphore && queue_submit && queue_wait_idle;
}

bool vulkan_supported(const char **reason) {
    if (!begun)
        *reason = "Unity's Vulkan device is not there yet";
    else if (!timeline_enabled)
        *reason = "Unity's device has no timeline semaphores: the plugin must be loaded on startup";
    return !*reason;
}

/* ---- channels, on the render thread */

plait_result vulkan_start(channel *c) {
    const char *reason = NULL;
    if (!vulkan_supported(&reason)) return channel_fail(c, PLAIT_ERROR_UNSUPPORTED, reason);
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkSemaphore semaphore;
    if (create_semaphore(host.device, &info, NULL, &semaphore) != VK_SUCCESS)
        return channel_fail(c, PLAIT_ERROR_OUT_OF_MEMORY, "no semaphore could be made");
    c->timeline = (uint64_t)semaphore;
    c->value = c->target = 0;
    plait_result result = set_output(c, NULL);
    if (result >= 0) result = open_device(c);
    if (result < 0) destroy_semaphore(host.device, semaphore, NULL);
    return result;
}

/* Moves the hair to the Plait device on Unity's VkDevice, which the first channel of the context opens. */
static plait_result open_device(channel *c) {
    uint32_t at = 0;
    while (at < PLAIT_UNITY_CHANNELS && !(shared[at].users && shared[at].context.id == c->desc.context.id)) at++;
    for (uint32_t i = 0; at == PLAIT_UNITY_CHANNELS; i++)
        if (!shared[i].users) at = i;
    plait_result result = PLAIT_OK;
    if (!shared[at].users) {
        static const char *const extensions[] = {TIMELINE_EXTENSION};
        plait_vulkan_device_desc vulkan = PLAIT_VULKAN_DEVICE_DESC_INIT;
        vulkan.physical_device = host.physicalDevice;
        vulkan.device = host.device;
        vulkan.queue = host.graphicsQueue;
        vulkan.queue_family = host.queueFamilyIndex;
        vulkan.features = PLAIT_VULKAN_FEATURE_TIMELINE_SEMAPHORE;
        vulkan.extensions = extensions;
        vulkan.extension_count = extension_enabled;
        plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
        desc.head.next = &vulkan;
        desc.backend = PLAIT_BACKEND_VULKAN;
        shared[at].context = c->desc.context;
        result = library.plait_device_open(c->desc.context, &desc, &shared[at].device);
        if (result < 0) return result;
    }
    result = library.plait_hair_set_device(c->desc.hair, shared[at].device);
    if (result >= 0)
        shared[at].users++;
    else if (!shared[at].users)
        library.plait_device_close(shared[at].device);
    return result;
}

/* What Unity has submitted, then Plait, then what Unity submits next: each waits for the one before, on the GPU. */
plait_result vulkan_step(channel *c, plait_frame_desc *frame) {
    plait_result result = follow_buffer(c);
    if (result < 0) return result;
    if (submit(c, false, c->value + 1) != VK_SUCCESS)
        return channel_fail(c, PLAIT_ERROR_DEVICE_LOST, "Unity's queue takes no work");
    plait_vulkan_frame_desc sync = PLAIT_VULKAN_FRAME_DESC_INIT;
    sync.wait_semaphore = sync.signal_semaphore = c->timeline;
    sync.wait_value = c->value + 1;
    sync.signal_value = c->value + 2;
    frame->head.next = &sync;
    result = library.plait_hair_step(c->desc.hair, frame);
    frame->head.next = NULL;
    c->value += 2;
    if (result == PLAIT_ERROR_DEVICE_LOST) return result; /* nothing will raise the semaphore */
    if (submit(c, true, c->value) != VK_SUCCESS)
        return channel_fail(c, PLAIT_ERROR_DEVICE_LOST, "Unity's queue takes no work");
    return result;
}

/* Unity may have given the GraphicsBuffer another VkBuffer since the last frame. */
static plait_result follow_buffer(channel *c) {
    UnityVulkanBuffer buffer;
    memset(&buffer, 0, sizeof buffer);
    if (!unity->AccessBuffer(c->desc.buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                             UNITY_VULKAN_OBSERVE_ONLY, &buffer))
        return channel_fail(c, PLAIT_ERROR_INVALID_ARGUMENT, "Unity does not know the buffer");
    if (buffer.sizeInBytes < c->desc.size)
        return channel_fail(c, PLAIT_ERROR_BUFFER_TOO_SMALL, "the buffer is smaller than its size");
    if ((uint64_t)buffer.buffer == c->target) return PLAIT_OK;
    plait_output_attribute position = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    position.attribute = PLAIT_ATTRIBUTE_POSITION;
    position.format = PLAIT_FORMAT_FLOAT32X4;
    position.stride = 16;
    plait_vulkan_output_desc vulkan = PLAIT_VULKAN_OUTPUT_DESC_INIT;
    vulkan.device = host.device;
    vulkan.buffer = (uint64_t)buffer.buffer;
    plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
    output.head.next = &vulkan;
    output.attribute_count = 1;
    output.attributes = &position;
    output.size = c->desc.size;
    plait_result result = set_output(c, &output);
    if (result >= 0) c->target = (uint64_t)buffer.buffer;
    return result;
}

static plait_result set_output(channel *c, const plait_output_desc *output) {
    return c->desc.render ? library.plait_hair_set_render_output(c->desc.hair, output)
                          : library.plait_hair_set_output(c->desc.hair, output);
}

/* An empty batch on Unity's queue: raises the semaphore after all that was submitted, or makes all that follows wait for it. */
static VkResult submit(channel *c, bool waits, uint64_t value) {
    VkSemaphore semaphore = (VkSemaphore)c->timeline;
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = waits,
                                                  .pWaitSemaphoreValues = &value,
                                                  .signalSemaphoreValueCount = !waits,
                                                  .pSignalSemaphoreValues = &value};
    const VkSubmitInfo batch = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .pNext = &values,
                                .waitSemaphoreCount = waits,
                                .pWaitSemaphores = &semaphore,
                                .pWaitDstStageMask = &stages,
                                .signalSemaphoreCount = !waits,
                                .pSignalSemaphores = &semaphore};
    return queue_submit(host.graphicsQueue, 1, &batch, VK_NULL_HANDLE);
}

/* Gives the hair back, on the fallback device. The queue may still look at the semaphore, so that everything is waited for. */
plait_result vulkan_stop(channel *c) {
    plait_result result = set_output(c, NULL);
    if (result >= 0) result = library.plait_hair_set_device(c->desc.hair, c->desc.fallback);
    for (uint32_t i = 0; i < PLAIT_UNITY_CHANNELS; i++)
        if (shared[i].users && shared[i].context.id == c->desc.context.id && --shared[i].users == 0)
            library.plait_device_close(shared[i].device);
    queue_wait_idle(host.graphicsQueue);
    destroy_semaphore(host.device, (VkSemaphore)c->timeline, NULL);
    return result;
}
