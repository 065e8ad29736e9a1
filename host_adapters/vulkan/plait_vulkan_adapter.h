/* plait_vulkan_adapter.h - for engines with Vulkan and VulkanMemoryAllocator: buffers that Plait can write on any device,
 * semaphores that order both sides, and functions that fill in Plait's descriptions.
 *
 * Compile plait_vulkan_adapter.c into the engine. It needs vulkan.h and vk_mem_alloc.h (3.1 or newer), calls
 * Vulkan only through the two pointers given to plait_vk_host_init, and has no state outside of the structs below.
 *
 * Two ways to get strands into a renderer's buffer:
 *
 *   Plait on the engine's VkDevice   plait_vk_device_desc, plait_vk_output_desc, plait_vk_frame_desc. The simple way.
 *   Plait on its own device          (another VkDevice, CUDA, another process) a buffer from a plait_vk_pool, described by
 *                                    plait_vk_export_buffer, and semaphores by plait_vk_export_semaphore; where the driver
 *                                    exports none, plait_vk_relay_to_engine and plait_vk_relay_to_plait.
 *
 * Functions return a VkResult. One thread at a time per struct.
 */
#ifndef PLAIT_VULKAN_ADAPTER_H
#define PLAIT_VULKAN_ADAPTER_H

#include <vulkan/vulkan.h>

#include <vk_mem_alloc.h>

#include "plait_loader.h"
#include "plait_vulkan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The engine's Vulkan objects and what its driver supports. Must outlive everything made with it. */
typedef struct plait_vk_host {
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    VkQueue queue; /* for Plait's submissions, when it runs on this device */
    uint32_t queue_family;
    VmaAllocator allocator;
    const char *const *extensions; /* [extension_count] that were enabled on the device */
    uint32_t extension_count;

    /* Filled in by plait_vk_host_init. */
    uint8_t device_uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE];
    VkBool32 exports_memory;
    VkBool32 exports_semaphores;
    VkBool32 memory_is_dedicated; /* the driver exports only memory that was allocated for one buffer */
    PFN_vkGetDeviceProcAddr get_proc;
} plait_vk_host;

/* Fills in the second part of host from its first part. */
VkResult plait_vk_host_init(plait_vk_host *host, PFN_vkGetInstanceProcAddr get_instance_proc);

/* ---- Plait on the engine's device ---- */

/* For plait_device_desc.head.next. The features that plait_vulkan_query_wants names must be enabled. */
plait_vulkan_device_desc plait_vk_device_desc(const plait_vk_host *host);

/* For plait_output_desc.head.next. */
plait_vulkan_output_desc plait_vk_output_desc(const plait_vk_host *host, VkBuffer buffer, VkDeviceSize offset);

/* For plait_frame_desc.head.next. VK_NULL_HANDLE: none. */
plait_vulkan_frame_desc plait_vk_frame_desc(VkSemaphore wait, uint64_t wait_value, VkSemaphore signal,
                                            uint64_t signal_value);

/* ---- exported memory ---- */

/* Exportable memory in VMA blocks. Must not be moved while it is in use: VMA points into it. */
typedef struct plait_vk_pool {
    VmaPool pool;
    VkBufferUsageFlags usage;
    VkExportMemoryAllocateInfo export_info;
} plait_vk_pool;

/* usage: of all buffers in it; storage is added. VK_ERROR_FEATURE_NOT_PRESENT where the driver exports no memory.
 * mapped: the CPU can access it too. */
VkResult plait_vk_pool_create(const plait_vk_host *host, VkBufferUsageFlags usage, VkBool32 mapped,
                              plait_vk_pool *pool);
void plait_vk_pool_destroy(const plait_vk_host *host, plait_vk_pool *pool);

typedef struct plait_vk_buffer {
    VkBuffer buffer;
    VmaAllocation allocation;
    VkDeviceSize size;
    VkBufferUsageFlags usage;
    void *mapped; /* or null */
} plait_vk_buffer;

VkResult plait_vk_buffer_create(const plait_vk_host *host, const plait_vk_pool *pool, VkDeviceSize size,
                                plait_vk_buffer *buffer);
void plait_vk_buffer_destroy(const plait_vk_host *host, plait_vk_buffer *buffer);

/* For plait_output_desc.head.next, whose size must be buffer->size. The caller owns the handle in it:
 * plait_hair_set_output consumes it on success, otherwise the caller closes it. */
VkResult plait_vk_export_buffer(const plait_vk_host *host, const plait_vk_buffer *buffer,
                                plait_external_memory *external);

/* ---- semaphores ---- */

/* A timeline semaphore at 0, exportable where the driver supports it. Destroy it with vkDestroySemaphore. */
VkResult plait_vk_semaphore_create(const plait_vk_host *host, VkSemaphore *semaphore);

/* For plait_semaphore_create; ownership as above. VK_ERROR_FEATURE_NOT_PRESENT: the driver exports none, use the relay. */
VkResult plait_vk_export_semaphore(const plait_vk_host *host, VkSemaphore semaphore,
                                   plait_external_semaphore *external);

/* The relay, for a thread of the engine that may block. To the engine: waits until Plait's semaphore has reached a value,
 * then signals the engine's. To Plait: the other way round. VK_TIMEOUT after timeout_ns; costs some 15 microseconds. */
VkResult plait_vk_relay_to_engine(const plait_vk_host *host, const plait_api *plait, plait_semaphore from,
                                  uint64_t from_value, VkSemaphore to, uint64_t to_value, uint64_t timeout_ns);
VkResult plait_vk_relay_to_plait(const plait_vk_host *host, const plait_api *plait, VkSemaphore from,
                                 uint64_t from_value, plait_semaphore to, uint64_t to_value, uint64_t timeout_ns);

#ifdef __cplusplus
}
#endif

#endif
