// The pipeline cache, as bytes that the host may keep. Drivers trust what they are given, so there is a head of our own: a
// sum over the content, and everything that must be the same for it to be of use.
#include "hash.h"
#include "vulkan.h"

#include <string.h>

struct cache_head {
    uint64_t sum;     // of all that follows
    char magic[8];    // "plaitvk1"
    uint64_t kernels; // hash of our shaders
    uint32_t vendor, device, driver, reserved;
    uint8_t uuid[VK_UUID_SIZE];
    uint64_t size; // of the driver's part
};

static uint64_t sum_of(const void *bytes, uint64_t size) {
    return hash_bytes(HASH_START, (const char *)bytes + sizeof(uint64_t), size - sizeof(uint64_t));
}

static struct cache_head head_for(const struct vulkan_device *d, uint64_t size) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(d->physical, &properties);
    struct cache_head head = {.magic = {'p', 'l', 'a', 'i', 't', 'v', 'k', '1'},
                              .kernels = vulkan_shaders_hash(),
                              .vendor = properties.vendorID,
                              .device = properties.deviceID,
                              .driver = properties.driverVersion,
                              .size = size};
    memcpy(head.uuid, properties.pipelineCacheUUID, sizeof head.uuid);
    return head;
}

static bool fits(const struct vulkan_device *d, const void *kept, uint64_t size) {
    struct cache_head head, wanted;
    if (size < sizeof head) return false;
    memcpy(&head, kept, sizeof head);
    wanted = head_for(d, size - sizeof head);
    wanted.sum = head.sum;
    return memcmp(&head, &wanted, sizeof head) == 0 && sum_of(kept, size) == head.sum;
}

VkResult vulkan_cache_create(struct vulkan_device *d, const void *kept, uint64_t size) {
    VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    struct context *context = d->device.object.context;
    if (kept && fits(d, kept, size)) {
        info.pInitialData = (const char *)kept + sizeof(struct cache_head);
        info.initialDataSize = size - sizeof(struct cache_head);
    } else if (kept && size > 0) {
        context->services->message(context, PLAIT_LOG_INFO, PLAIT_MESSAGE_CACHE_IGNORED,
                                   "desc.cache is damaged, or of another device, driver or library: not used");
    }
    return d->vk.vkCreatePipelineCache(d->handle, &info, NULL, &d->pipeline_cache);
}

plait_result vulkan_cache_save(struct device *device, uint64_t *size, void *memory) {
    struct vulkan_device *d = (struct vulkan_device *)device;
    size_t content = memory ? *size - sizeof(struct cache_head) : 0;
    void *target = memory ? (char *)memory + sizeof(struct cache_head) : NULL;
    VkResult result = d->vk.vkGetPipelineCacheData(d->handle, d->pipeline_cache, &content, target);
    if (result < 0) return vulkan_result(result, d);
    if (memory) {
        struct cache_head head = head_for(d, content);
        memcpy(memory, &head, sizeof head);
        head.sum = sum_of(memory, sizeof head + content);
        memcpy(memory, &head, sizeof head);
    }
    *size = sizeof(struct cache_head) + content;
    return PLAIT_OK;
}
