// Rescue copies: command buffers of their own, recorded once, and the device's timeline says which copy is whole.
#include "vulkan.h"

static struct vulkan_device *device_of(const struct vulkan_arena *a) {
    return (struct vulkan_device *)a->gpu.arena.device;
}

static VkResult record(struct vulkan_arena *a, VkCommandBuffer commands, VkBuffer copy) {
    struct vulkan_device *d = device_of(a);
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkResult result = d->vk.vkBeginCommandBuffer(commands, &begin);
    if (result != VK_SUCCESS) return result;
    VkMemoryBarrier written = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
    d->vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                               VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &written, 0, NULL, 0, NULL);
    for (uint32_t i = 0; i < a->gpu.state_count; i++) {
        const struct gpu_state *state = &a->gpu.states[i];
        VkBufferCopy region = {state->address, state->at, state->size};
        d->vk.vkCmdCopyBuffer(commands, a->heap->memory.handle, copy, 1, &region);
    }
    VkMemoryBarrier copied = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    d->vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &copied, 0,
                               NULL, 0, NULL);
    return d->vk.vkEndCommandBuffer(commands);
}

static plait_result make_copy(struct gpu_arena *arena, uint32_t place, uint64_t size) {
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    struct vulkan_device *d = device_of(a);
    vulkan_free_buffer(d, &a->rescues[place].copy);
    a->rescues[place].generation = a->rescues[place].tag = 0;
    plait_result result =
        vulkan_make_buffer(d, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true, false, &a->rescues[place].copy);
    if (result != PLAIT_OK || a->rescues[place].commands) return result;
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = d->command_pool,
                                        .commandBufferCount = 1};
    mutex_lock(&d->mutex);
    VkResult made = d->vk.vkAllocateCommandBuffers(d->handle, &info, &a->rescues[place].commands);
    mutex_unlock(&d->mutex);
    if (made != VK_SUCCESS) a->rescues[place].commands = VK_NULL_HANDLE;
    return vulkan_result(made, d);
}

static plait_result wait_copy(struct gpu_arena *arena, uint32_t place) {
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    return vulkan_wait_run(a, &a->rescues[place].value);
}

// Recorded, if need be, and submitted while the heap does not move.
static plait_result submit_copy(struct vulkan_arena *a, uint32_t place, uint64_t *value) {
    struct vulkan_device *d = device_of(a);
    VkCommandBuffer commands = a->rescues[place].commands;
    if (a->rescues[place].generation != vulkan_generation(a)) {
        mutex_lock(&d->mutex);
        VkResult recorded = record(a, commands, a->rescues[place].copy.handle);
        if (recorded != VK_SUCCESS) d->vk.vkResetCommandBuffer(commands, 0); // or it could not begin again
        mutex_unlock(&d->mutex);
        if (recorded != VK_SUCCESS) return vulkan_result(recorded, d);
        a->rescues[place].generation = vulkan_generation(a);
    }
    a->rescues[place].tag = 0; // not whole while it is written
    if (!a->gathers) return vulkan_submit(d, commands, NULL, value);
    struct gathered_run run = {.commands = commands,
                               .arena = a,
                               .numbers = {&a->rescues[place].value, &a->rescues[place].value},
                               .tag = &a->rescues[place].tag};
    *value = GATHERED_RUN;
    return vulkan_gather_run(&run);
}

static plait_result copy_state(struct gpu_arena *arena, uint32_t place, uint64_t tag) {
    struct vulkan_arena *a = (struct vulkan_arena *)arena;
    uint64_t value = 0;
    mutex_lock(&a->heap->mutex);
    plait_result result = submit_copy(a, place, &value);
    mutex_unlock(&a->heap->mutex);
    if (result != PLAIT_OK) return result;
    a->rescues[place].tag = tag;
    a->rescues[place].value = value;
    return PLAIT_OK;
}

// Whole is what was done before the device was lost.
static uint64_t copied_tag(const struct gpu_arena *arena, uint32_t place) {
    const struct vulkan_arena *a = (const struct vulkan_arena *)arena;
    return a->rescues[place].value <= atomic_load(&device_of(a)->reached) ? a->rescues[place].tag : 0;
}

static const void *see_copy(const struct gpu_arena *arena, uint32_t place) {
    const struct vulkan_arena *a = (const struct vulkan_arena *)arena;
    vmaInvalidateAllocation(device_of(a)->allocator, a->rescues[place].copy.allocation, 0, VK_WHOLE_SIZE);
    return a->rescues[place].copy.mapped;
}

const struct gpu_rescue_ops vulkan_rescue_ops = {
    .make = make_copy, .wait = wait_copy, .copy = copy_state, .copied = copied_tag, .see = see_copy};

plait_result vulkan_rescue(struct arena *arena, uint64_t tag) { return gpu_rescue((struct gpu_arena *)arena, tag); }

bool vulkan_lost(struct arena *arena, uint64_t *tag) {
    *tag = gpu_rescued((struct gpu_arena *)arena);
    return atomic_load(&((struct vulkan_device *)arena->device)->lost);
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
