// The state of a hair in memory that outlives the device: two copies in turn, so that one is always whole.
#include "vulkan.h"

#include <string.h>

static struct vulkan_device *device_of(const struct vulkan_arena *a) {
    return (struct vulkan_device *)a->gpu.arena.device;
}

static VkResult record(struct vulkan_arena *a, VkCommandBuffer commands, VkBuffer copy) {
    struct vulkan_device *d = device_of(a);
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkResult result = d->vk.vkBeginCommandBuffer(commands, &begin);
    if (result != VK_SUCCESS) return result;
    VkMemoryBarrier written = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
    d->vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                               VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &written, 0, NULL, 0, NULL);
    for (uint32_t i = 0; i < a->gpu.state_count; i++) {
        const struct gpu_state *state = &a->gpu.states[i];
        VkBufferCopy region = {state->address, state->at, state->size};
        d->vk.vkCmdCopyBuffer(commands, a->heap.handle, copy, 1, &region);
    }
    VkMemoryBarrier copied = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    d->vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &copied, 0,
                               NULL, 0, NULL);
    return d->vk.vkEndCommandBuffer(commands);
}

// Memory for both copies, when the state's buffers are there: before the first step.
plait_result vulkan_rescue_prepare(struct vulkan_arena *a) {
    struct vulkan_device *d = device_of(a);
    plait_result result = PLAIT_OK;
    for (int i = 0; i < 2 && result == PLAIT_OK && a->gpu.state_count; i++) {
        if (a->rescues[i].commands) continue;
        VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = d->command_pool,
                                            .commandBufferCount = 1};
        vulkan_free_buffer(d, &a->rescues[i].copy);
        result = vulkan_make_buffer(d, gpu_state_size(&a->gpu), VK_BUFFER_USAGE_TRANSFER_DST_BIT, true, false,
                                    &a->rescues[i].copy);
        if (result != PLAIT_OK) return result;
        mutex_lock(&d->mutex);
        VkResult made = d->vk.vkAllocateCommandBuffers(d->handle, &info, &a->rescues[i].commands);
        mutex_unlock(&d->mutex);
        if (made != VK_SUCCESS) a->rescues[i].commands = VK_NULL_HANDLE;
        result = vulkan_result(made, d);
    }
    return result;
}

plait_result vulkan_rescue(struct arena *arena, uint64_t tag) {
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    struct vulkan_device *d = device_of(a);
    uint32_t slot = tag & 1;
    if (!a->rescues[slot].commands) return PLAIT_OK;
    plait_result result = vulkan_wait_value(d, a->rescues[slot].value, UINT64_MAX);
    if (result != PLAIT_OK) return result;
    if (a->rescues[slot].generation != a->gpu.generation) {
        mutex_lock(&d->mutex);
        VkResult recorded = record(a, a->rescues[slot].commands, a->rescues[slot].copy.handle);
        if (recorded != VK_SUCCESS)
            d->vk.vkResetCommandBuffer(a->rescues[slot].commands, 0); // or it could not begin again
        mutex_unlock(&d->mutex);
        if (recorded != VK_SUCCESS) return vulkan_result(recorded, d);
        a->rescues[slot].generation = a->gpu.generation;
    }
    a->rescues[slot].tag = 0; // not whole while it is written
    uint64_t value = 0;
    result = vulkan_submit(d, a->rescues[slot].commands, NULL, &value);
    if (result != PLAIT_OK) return result;
    a->rescues[slot].tag = tag;
    a->rescues[slot].value = value;
    return PLAIT_OK;
}

// The newest copy that was done before the device was lost; 2: none.
static uint32_t whole(const struct vulkan_arena *a) {
    uint64_t reached = atomic_load(&device_of(a)->reached);
    uint32_t best = 2;
    for (uint32_t i = 0; i < 2; i++)
        if (a->rescues[i].tag && a->rescues[i].value <= reached &&
            (best == 2 || a->rescues[i].tag > a->rescues[best].tag))
            best = i;
    return best;
}

bool vulkan_lost(struct arena *arena, uint64_t *tag) {
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    uint32_t slot = whole(a);
    *tag = slot < 2 ? a->rescues[slot].tag : 0;
    return atomic_load(&device_of(a)->lost);
}

plait_result vulkan_read_rescued(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size) {
    struct vulkan_arena *a = (struct vulkan_arena *)buffer->arena;
    uint32_t slot = whole(a);
    const struct gpu_state *state = gpu_find_state(&a->gpu, buffer->offset);
    if (slot == 2 || !state) return PLAIT_ERROR_DEVICE_LOST;
    vmaInvalidateAllocation(device_of(a)->allocator, a->rescues[slot].copy.allocation, 0, VK_WHOLE_SIZE);
    memcpy(data, (const char *)a->rescues[slot].copy.mapped + state->at + offset, size);
    return PLAIT_OK;
}

void vulkan_rescue_free(struct vulkan_arena *a) {
    struct vulkan_device *d = device_of(a);
    for (int i = 0; i < 2; i++) {
        if (a->rescues[i].commands) {
            mutex_lock(&d->mutex);
            d->vk.vkFreeCommandBuffers(d->handle, d->command_pool, 1, &a->rescues[i].commands);
            mutex_unlock(&d->mutex);
        }
        vulkan_free_buffer(d, &a->rescues[i].copy);
    }
}
