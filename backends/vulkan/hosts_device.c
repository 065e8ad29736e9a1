// What a host says of its own device, and of buffers and semaphores of it: checked, and made into what is native.
#include "vulkan.h"

#include <string.h>

plait_result vulkan_check_device(const struct call *call, const void *hosts) {
    const struct module_services *services = call->context->services;
    const plait_vulkan_device_desc *v = hosts;
    if (!v->physical_device || !v->device || !v->queue || v->reserved != 0 || !v->lock_queue != !v->unlock_queue)
        return services->fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                              "plait_vulkan_device_desc lacks a handle or one of two callbacks, or reserved is not 0");
    if (v->features != PLAIT_VULKAN_FEATURE_TIMELINE_SEMAPHORE)
        return services->fail(
            call, PLAIT_ERROR_UNSUPPORTED,
            "plait_vulkan_device_desc.features is 0x%x: timelineSemaphore must be enabled, others are not known",
            v->features);
    if (v->extension_count > 0 && !v->extensions)
        return services->fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "plait_vulkan_device_desc.extensions is null");
    for (uint32_t i = 0; i < v->extension_count; i++)
        if (!v->extensions[i])
            return services->fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "plait_vulkan_device_desc.extensions[%u] is null",
                                  i);
    return PLAIT_OK;
}

uint32_t vulkan_stated_extensions(const plait_vulkan_device_desc *hosts) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < hosts->extension_count; i++)
        for (uint32_t k = 0; k < VULKAN_EXTENSION_COUNT; k++)
            if (strcmp(hosts->extensions[i], vulkan_extension_names[k]) == 0) found |= 1u << k;
    return found;
}

plait_result vulkan_take_output(const struct call *call, const struct device *device, const void *platform,
                                struct buffer *memory) {
    const struct module_services *services = call->context->services;
    const plait_vulkan_output_desc *vulkan = platform;
    if (device->native != vulkan->device)
        return services->fail(
            call, PLAIT_ERROR_UNSUPPORTED,
            "output is a VkBuffer, but the hair's device was not opened on the VkDevice that it is of");
    if (!vulkan->buffer || vulkan->offset % 4)
        return services->fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                              "output: the VkBuffer is null or its offset no multiple of 4");
    memory->native = vulkan->buffer;
    memory->native_device = vulkan->device;
    memory->offset = vulkan->offset;
    return PLAIT_OK;
}

plait_result vulkan_take_frame(const struct call *call, const struct device *device, const struct buffer *output,
                               const void *platform, struct frame_sync *sync) {
    (void)device;
    const plait_vulkan_frame_desc *vulkan = platform;
    if (!output->native) // output in memory is fetched by the CPU, which would wait for the host
        return call->context->services->fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                                             "frame has semaphores, but the output is not a VkBuffer");
    *sync =
        (struct frame_sync){vulkan->wait_semaphore, vulkan->wait_value, vulkan->signal_semaphore, vulkan->signal_value};
    return PLAIT_OK;
}
