// A minimal Vulkan host for tests: an instance, a device, a queue, a mapped buffer, a timeline semaphore.
#ifndef PLAIT_TESTS_VULKAN_HOST_H
#define PLAIT_TESTS_VULKAN_HOST_H

#include "plait_vulkan.h"
#include "rig.h"

#include <volk.h>

enum { HOST_BUFFER_BYTES = 1 << 20 };

struct vulkan_host {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    plait_context asked;           // what it wants, whose names live as long
    plait_vulkan_wants_info wants; // and all of it enabled
    VkBuffer buffer;
    VkDeviceMemory memory;
    float *mapped;
    uint32_t memory_type;
    uint64_t allocation_size;
    uint8_t device_uuid[16], driver_uuid[16];
    VkSemaphore timeline;
};

// False where there is no Vulkan, with everything closed. exportable: the buffer's memory can be exported as an fd.
bool host_open(struct vulkan_host *host, bool exportable);
void host_close(struct vulkan_host *host);

// The buffer's memory for import. The caller owns the fd.
plait_external_memory host_export(const struct vulkan_host *host);

// Maps memory that somebody else exported, which consumes its fd. To be freed with host_unmap.
struct mapped_memory {
    VkBuffer buffer;
    VkDeviceMemory memory;
    float *floats;
};
struct mapped_memory host_map(const struct vulkan_host *host, const plait_external_memory *external);
void host_unmap(const struct vulkan_host *host, struct mapped_memory *mapped);

// Plait on this host's device.
plait_device host_open_plait(plait_context context, const struct vulkan_host *host);

#endif
