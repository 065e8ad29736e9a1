// Opening a device: queue, memory, pipelines.
#include "hash.h"
#include "vulkan.h"

#include <stdio.h>
#include <string.h>

struct shader {
    const uint32_t *code;
    size_t size;
};
#include "shaders.h" // static const struct shader shaders[KERNEL_COUNT], override_shaders[KERNEL_COUNT]

plait_result vulkan_result(VkResult result, struct vulkan_device *device) {
    if (result >= 0) return PLAIT_OK;
    if (result == VK_ERROR_DEVICE_LOST) {
        atomic_store(&device->lost, true);
        return PLAIT_ERROR_DEVICE_LOST;
    }
    if (result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY ||
        result == VK_ERROR_OUT_OF_POOL_MEMORY)
        return PLAIT_ERROR_OUT_OF_MEMORY;
    return PLAIT_ERROR_UNAVAILABLE;
}

uint64_t vulkan_shaders_hash(void) {
    uint64_t hash = HASH_START;
    for (uint32_t k = 0; k < KERNEL_COUNT; k++) {
        hash = hash_bytes(hash, shaders[k].code, shaders[k].size);
        hash = hash_bytes(hash, override_shaders[k].code, override_shaders[k].size);
    }
    return hash;
}

static VkResult load_device(struct vulkan_device *d) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(d->physical, &properties);
    uint32_t count = 32;
    VkQueueFamilyProperties families[32];
    vkGetPhysicalDeviceQueueFamilyProperties(d->physical, &count, families);
    volkLoadDeviceTable(&d->vk, d->handle);
    if (!d->vk.vkWaitSemaphores) {
        d->vk.vkWaitSemaphores = d->vk.vkWaitSemaphoresKHR;
        d->vk.vkSignalSemaphore = d->vk.vkSignalSemaphoreKHR;
        d->vk.vkGetSemaphoreCounterValue = d->vk.vkGetSemaphoreCounterValueKHR;
    }
    d->can.offset_alignment = properties.limits.minStorageBufferOffsetAlignment;
    if (d->can.offset_alignment < sizeof(uint32_t)) d->can.offset_alignment = sizeof(uint32_t);
    // A software device has no latencies to hide, and barriers cost it much: 1,024 strands of 100 took 4.5 times as long.
    bool software = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    d->device.overrides = software ? OVERRIDES_NEVER : OVERRIDES_BY_COUNT;
    d->can.max_range = properties.limits.maxStorageBufferRange / 256 * 256;
    d->device.max_output_bytes = d->can.max_range - d->can.offset_alignment;
    if (d->queue_family >= count || !(families[d->queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        return VK_ERROR_FEATURE_NOT_PRESENT;
    uint32_t bits = families[d->queue_family].timestampValidBits;
    if (bits) d->timestamp_ns = properties.limits.timestampPeriod;
    d->timestamp_mask = bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
    if (!d->vk.vkWaitSemaphores || !d->vk.vkSignalSemaphore) return VK_ERROR_EXTENSION_NOT_PRESENT;
    return VK_SUCCESS;
}

static VkResult make_device(struct vulkan_device *d) {
    uint32_t count = 32;
    VkQueueFamilyProperties families[32];
    vkGetPhysicalDeviceQueueFamilyProperties(d->physical, &count, families);
    uint32_t family = count;
    for (uint32_t i = 0; i < count; i++) // one that only computes leaves the renderer's alone
        if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) &&
            (family == count || !(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)))
            family = i;
    if (family == count) return VK_ERROR_FEATURE_NOT_PRESENT;
    d->queue_family = family;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(d->physical, &properties);
    const char *extensions[VULKAN_EXTENSION_COUNT];
    uint32_t extension_count = 0;
    VkResult listed = vulkan_extensions(d->device.object.context, d->physical, &d->can.extensions);
    if (listed < 0) return listed;
    if (properties.apiVersion >= VK_API_VERSION_1_2) d->can.extensions &= ~(1u << VULKAN_TIMELINE_SEMAPHORE);
    for (uint32_t i = 0; i < VULKAN_EXTENSION_COUNT; i++)
        if (d->can.extensions >> i & 1) extensions[extension_count++] = vulkan_extension_names[i];
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &timeline,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = extension_count,
                               .ppEnabledExtensionNames = extensions};
    VkResult result = vkCreateDevice(d->physical, &info, NULL, &d->handle);
    if (result != VK_SUCCESS) return result;
    result = load_device(d);
    if (result == VK_SUCCESS) d->vk.vkGetDeviceQueue(d->handle, family, 0, &d->queue);
    return result;
}

static VkResult make_allocator(struct vulkan_device *d, VkInstance instance) {
    VmaVulkanFunctions functions = {
        .vkGetPhysicalDeviceProperties = vkGetPhysicalDeviceProperties,
        .vkGetPhysicalDeviceMemoryProperties = vkGetPhysicalDeviceMemoryProperties,
        .vkGetPhysicalDeviceMemoryProperties2KHR = vkGetPhysicalDeviceMemoryProperties2,
        .vkAllocateMemory = d->vk.vkAllocateMemory,
        .vkFreeMemory = d->vk.vkFreeMemory,
        .vkMapMemory = d->vk.vkMapMemory,
        .vkUnmapMemory = d->vk.vkUnmapMemory,
        .vkFlushMappedMemoryRanges = d->vk.vkFlushMappedMemoryRanges,
        .vkInvalidateMappedMemoryRanges = d->vk.vkInvalidateMappedMemoryRanges,
        .vkBindBufferMemory = d->vk.vkBindBufferMemory,
        .vkBindImageMemory = d->vk.vkBindImageMemory,
        .vkGetBufferMemoryRequirements = d->vk.vkGetBufferMemoryRequirements,
        .vkGetImageMemoryRequirements = d->vk.vkGetImageMemoryRequirements,
        .vkCreateBuffer = d->vk.vkCreateBuffer,
        .vkDestroyBuffer = d->vk.vkDestroyBuffer,
        .vkCreateImage = d->vk.vkCreateImage,
        .vkDestroyImage = d->vk.vkDestroyImage,
        .vkCmdCopyBuffer = d->vk.vkCmdCopyBuffer,
        .vkGetBufferMemoryRequirements2KHR = d->vk.vkGetBufferMemoryRequirements2,
        .vkGetImageMemoryRequirements2KHR = d->vk.vkGetImageMemoryRequirements2,
        .vkBindBufferMemory2KHR = d->vk.vkBindBufferMemory2,
        .vkBindImageMemory2KHR = d->vk.vkBindImageMemory2,
    };
    VkAllocationCallbacks callbacks = vulkan_host_memory(d);
    VmaAllocatorCreateInfo info = {.physicalDevice = d->physical,
                                   .device = d->handle,
                                   .pAllocationCallbacks = &callbacks,
                                   .instance = instance,
                                   .pVulkanFunctions = &functions,
                                   .vulkanApiVersion = VK_API_VERSION_1_1};
    VkResult result = vmaCreateAllocator(&info, &d->allocator);
    return result == VK_SUCCESS && vulkan_host_memory_lacked(d) ? VK_ERROR_OUT_OF_HOST_MEMORY : result;
}

static VkResult make_pipeline(struct vulkan_device *d, const struct shader *shader, VkPipeline *pipeline) {
    VkShaderModuleCreateInfo code = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = shader->size, .pCode = shader->code};
    VkShaderModule module;
    VkResult result = d->vk.vkCreateShaderModule(d->handle, &code, NULL, &module);
    if (result != VK_SUCCESS) return result;
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = module,
                                                  .pName = "main"},
                                        .layout = d->pipeline_layout};
    result = d->vk.vkCreateComputePipelines(d->handle, d->pipeline_cache, 1, &info, NULL, pipeline);
    d->vk.vkDestroyShaderModule(d->handle, module, NULL);
    return result;
}

static VkResult make_pipelines(struct vulkan_device *d, const plait_device_desc *desc) {
    VkDescriptorSetLayoutBinding bindings[2] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
    VkResult result = d->vk.vkCreateDescriptorSetLayout(d->handle, &set, NULL, &d->set_layout);
    if (result != VK_SUCCESS) return result;
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, MAX_PUSH_WORDS * sizeof(uint32_t)};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &d->set_layout,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &range};
    result = d->vk.vkCreatePipelineLayout(d->handle, &layout, NULL, &d->pipeline_layout);
    if (result == VK_SUCCESS) result = vulkan_cache_create(d, desc->cache, desc->cache_size);
    for (uint32_t k = 0; k < KERNEL_COUNT && result == VK_SUCCESS; k++) {
        result = make_pipeline(d, &shaders[k], &d->pipelines[k]);
        if (result == VK_SUCCESS && override_shaders[k].code)
            result = make_pipeline(d, &override_shaders[k], &d->overrides[k]);
    }
    return result;
}

static VkResult make_queue_objects(struct vulkan_device *d) {
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                    .queueFamilyIndex = d->queue_family};
    VkResult result = d->vk.vkCreateCommandPool(d->handle, &pool, NULL, &d->command_pool);
    if (result != VK_SUCCESS) return result;
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    return d->vk.vkCreateSemaphore(d->handle, &semaphore, NULL, &d->timeline);
}

void vulkan_close(struct device *device) {
    struct vulkan_device *d = (struct vulkan_device *)device;
    if (d->handle) {
        vulkan_wait_value(d, d->submitted, UINT64_MAX);
        vulkan_timelines_collect(d);
        for (uint32_t k = 0; k < KERNEL_COUNT; k++) {
            d->vk.vkDestroyPipeline(d->handle, d->pipelines[k], NULL);
            d->vk.vkDestroyPipeline(d->handle, d->overrides[k], NULL);
        }
        d->vk.vkDestroyPipelineCache(d->handle, d->pipeline_cache, NULL);
        d->vk.vkDestroyPipelineLayout(d->handle, d->pipeline_layout, NULL);
        d->vk.vkDestroyDescriptorSetLayout(d->handle, d->set_layout, NULL);
        d->vk.vkDestroyCommandPool(d->handle, d->command_pool, NULL);
        d->vk.vkDestroySemaphore(d->handle, d->timeline, NULL);
        if (d->allocator) vmaDestroyAllocator(d->allocator);
        if (!d->host.device) d->vk.vkDestroyDevice(d->handle, NULL);
    }
    mutex_destroy(&d->mutex);
    release(device->object.context, d->gathering.runs);
    release(device->object.context, d);
}

static const struct device_ops vulkan_ops = {
    .arena_create = vulkan_arena_create,
    .arena_destroy = vulkan_arena_destroy,
    .buffer_create = vulkan_buffer_create,
    .buffer_destroy = vulkan_buffer_destroy,
    .buffer_write = vulkan_buffer_write,
    .buffer_read = vulkan_buffer_read,
    .buffer_peek = gpu_buffer_peek,
    .plan_create = vulkan_plan_create,
    .plan_destroy = vulkan_plan_destroy,
    .plan_set = vulkan_plan_set,
    .plan_run = vulkan_plan_run,
    .plan_time = gpu_plan_time,
    .plan_commands = vulkan_plan_commands,
    .synchronise = vulkan_synchronise,
    .desynchronise = vulkan_desynchronise,
    .wait = vulkan_wait,
    .gather = vulkan_gather,
    .hand_over = vulkan_hand_over,
    .gathered = vulkan_gathered,
    .close = vulkan_close,
    .memory_create = vulkan_memory_create,
    .memory_import = vulkan_memory_import,
    .memory_export = vulkan_memory_export,
    .memory_destroy = vulkan_memory_destroy,
    .timeline_create = vulkan_timeline_create,
    .timeline_export = vulkan_timeline_export,
    .timeline_query = vulkan_timeline_query,
    .timeline_wait = vulkan_timeline_wait,
    .timeline_signal = vulkan_timeline_signal,
    .timeline_destroy = vulkan_timeline_destroy,
    .take_output = vulkan_take_output,
    .take_frame = vulkan_take_frame,
    .save_cache = vulkan_cache_save,
    .rescue = vulkan_rescue,
    .lost = vulkan_lost,
};

plait_result vulkan_open(struct call *call, void *state, const struct device_request *request, struct device **out) {
    struct vulkan_probe *probe = state;
    if (!probe || !probe->instance)
        return call->context->services->fail(call, PLAIT_ERROR_UNAVAILABLE, "there is no Vulkan loader or driver");
    struct vulkan_device *d = allocate(call->context, 1, sizeof *d);
    if (!d) return call->context->services->fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the device");
    d->device.ops = &vulkan_ops;
    d->device.object.context = call->context;
    d->device.pack_width = d->device.lists_per_pack = PACK_WIDTH;
    d->device.tile = GPU_TILE;
    atomic_init(&d->device.used_bytes, 0);
    atomic_init(&d->reached, 0);
    atomic_init(&d->ended_count, 0);
    atomic_init(&d->lost, false);
    atomic_init(&d->host_memory_lacked, false);
    mutex_init(&d->mutex);
    VkResult result = VK_SUCCESS;
    if (request->hosts) {
        d->host = *(const plait_vulkan_device_desc *)request->hosts;
        d->physical = d->host.physical_device;
        d->handle = d->host.device;
        d->queue = d->host.queue;
        d->queue_family = d->host.queue_family;
        d->device.native = d->host.device;
        d->can.extensions = vulkan_stated_extensions(&d->host);
        d->host.extensions = NULL; // the host's, for this call
        result = load_device(d);
    } else {
        d->physical = probe->devices[request->desc.index];
        result = make_device(d);
    }
    if (result == VK_SUCCESS) result = make_allocator(d, probe->instance);
    if (result == VK_SUCCESS) result = make_queue_objects(d);
    if (result == VK_SUCCESS) result = make_pipelines(d, &request->desc);
    if (result != VK_SUCCESS) {
        plait_result code = vulkan_result(result, d);
        vulkan_close(&d->device);
        return call->context->services->fail(call, code, "the Vulkan device could not be opened (VkResult %d)", result);
    }
    snprintf(d->device.info.variant, sizeof d->device.info.variant, "spirv");
    vulkan_describe_physical(d->physical, &d->device.info);
    if (d->host.device) d->device.info.interop |= PLAIT_INTEROP_VULKAN_BUFFER | PLAIT_INTEROP_VULKAN_TIMELINE;
    vulkan_find_abilities(d);
    *out = &d->device;
    return PLAIT_OK;
}
