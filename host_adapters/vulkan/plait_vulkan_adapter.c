#if defined(_WIN32) && !defined(VK_USE_PLATFORM_WIN32_KHR)
#define VK_USE_PLATFORM_WIN32_KHR /* handles of memory and semaphores */
#endif
#include "plait_vulkan_adapter.h"

#include <string.h>

#if defined(_WIN32)
#define MEMORY_KIND VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT
#define SEMAPHORE_KIND VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT
#define MEMORY_EXTENSION "VK_KHR_external_memory_win32"
#define SEMAPHORE_EXTENSION "VK_KHR_external_semaphore_win32"
#define PLAIT_KIND PLAIT_EXTERNAL_OPAQUE_WIN32
#else
#define MEMORY_KIND VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT
#define SEMAPHORE_KIND VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT
#define MEMORY_EXTENSION "VK_KHR_external_memory_fd"
#define SEMAPHORE_EXTENSION "VK_KHR_external_semaphore_fd"
#define PLAIT_KIND PLAIT_EXTERNAL_OPAQUE_FD
#endif

#define DEVICE_PROC(host, name) ((PFN_##name)(host)->get_proc((host)->device, #name))

static VkBool32 has_extension(const plait_vk_host *host, const char *name) {
    uint32_t i;
    for (i = 0; i < host->extension_count; i++)
        if (strcmp(host->extensions[i], name) == 0) return VK_TRUE;
    return VK_FALSE;
}

static void find_abilities(plait_vk_host *host, PFN_vkGetInstanceProcAddr get) {
    PFN_vkGetPhysicalDeviceExternalBufferProperties buffer_properties =
        (PFN_vkGetPhysicalDeviceExternalBufferProperties)get(host->instance,
                                                             "vkGetPhysicalDeviceExternalBufferProperties");
    PFN_vkGetPhysicalDeviceExternalSemaphoreProperties semaphore_properties =
        (PFN_vkGetPhysicalDeviceExternalSemaphoreProperties)get(host->instance,
                                                                "vkGetPhysicalDeviceExternalSemaphoreProperties");
    if (buffer_properties && has_extension(host, MEMORY_EXTENSION)) {
        VkPhysicalDeviceExternalBufferInfo info = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO, NULL, 0,
                                                   VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, MEMORY_KIND};
        VkExternalBufferProperties answer = {VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES, NULL, {0, 0, 0}};
        VkExternalMemoryFeatureFlags features;
        buffer_properties(host->physical_device, &info, &answer);
        features = answer.externalMemoryProperties.externalMemoryFeatures;
        host->exports_memory = (features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) != 0;
        host->memory_is_dedicated = (features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT) != 0;
    }
    if (semaphore_properties && has_extension(host, SEMAPHORE_EXTENSION)) {
        VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, NULL,
                                          VK_SEMAPHORE_TYPE_TIMELINE, 0};
        VkPhysicalDeviceExternalSemaphoreInfo info = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO, &type,
                                                      SEMAPHORE_KIND};
        VkExternalSemaphoreProperties answer = {VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES, NULL, 0, 0, 0};
        semaphore_properties(host->physical_device, &info, &answer);
        host->exports_semaphores =
            (answer.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT) != 0;
    }
}

VkResult plait_vk_host_init(plait_vk_host *host, PFN_vkGetInstanceProcAddr get) {
    PFN_vkGetPhysicalDeviceProperties2 properties2 =
        (PFN_vkGetPhysicalDeviceProperties2)get(host->instance, "vkGetPhysicalDeviceProperties2");
    VkPhysicalDeviceIDProperties id;
    VkPhysicalDeviceProperties2 properties;
    host->get_proc = (PFN_vkGetDeviceProcAddr)get(host->instance, "vkGetDeviceProcAddr");
    if (!properties2 || !host->get_proc) return VK_ERROR_INCOMPATIBLE_DRIVER; /* before Vulkan 1.1 */
    memset(&id, 0, sizeof id);
    memset(&properties, 0, sizeof properties);
    id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &id;
    properties2(host->physical_device, &properties);
    memcpy(host->device_uuid, id.deviceUUID, VK_UUID_SIZE);
    memcpy(host->driver_uuid, id.driverUUID, VK_UUID_SIZE);
    host->exports_memory = host->exports_semaphores = host->memory_is_dedicated = VK_FALSE;
    find_abilities(host, get);
    return VK_SUCCESS;
}

plait_vulkan_device_desc plait_vk_device_desc(const plait_vk_host *host) {
    plait_vulkan_device_desc desc = PLAIT_VULKAN_DEVICE_DESC_INIT;
    desc.physical_device = host->physical_device;
    desc.device = host->device;
    desc.queue = host->queue;
    desc.queue_family = host->queue_family;
    desc.features = PLAIT_VULKAN_FEATURE_TIMELINE_SEMAPHORE;
    desc.extensions = host->extensions;
    desc.extension_count = host->extension_count;
    return desc;
}

plait_vulkan_output_desc plait_vk_output_desc(const plait_vk_host *host, VkBuffer buffer, VkDeviceSize offset) {
    plait_vulkan_output_desc desc = PLAIT_VULKAN_OUTPUT_DESC_INIT;
    desc.device = host->device;
    desc.buffer = (uint64_t)buffer;
    desc.offset = offset;
    return desc;
}

plait_vulkan_frame_desc plait_vk_frame_desc(VkSemaphore wait, uint64_t wait_value, VkSemaphore signal,
                                            uint64_t signal_value) {
    plait_vulkan_frame_desc desc = PLAIT_VULKAN_FRAME_DESC_INIT;
    desc.wait_semaphore = (uint64_t)wait;
    desc.wait_value = wait_value;
    desc.signal_semaphore = (uint64_t)signal;
    desc.signal_value = signal_value;
    return desc;
}

/* ---- memory ---- */

static VkExternalMemoryBufferCreateInfo external_buffer(void) {
    VkExternalMemoryBufferCreateInfo info = {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, NULL, MEMORY_KIND};
    return info;
}

static VkBufferCreateInfo buffer_info(const VkExternalMemoryBufferCreateInfo *external, VkDeviceSize size,
                                      VkBufferUsageFlags usage) {
    VkBufferCreateInfo info = {
        VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, external, 0, size, usage, VK_SHARING_MODE_EXCLUSIVE, 0, NULL};
    return info;
}

VkResult plait_vk_pool_create(const plait_vk_host *host, VkBufferUsageFlags usage, VkBool32 mapped,
                              plait_vk_pool *pool) {
    VkExternalMemoryBufferCreateInfo external = external_buffer();
    VkBufferCreateInfo sample = buffer_info(&external, 1 << 16, usage | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    VmaAllocationCreateInfo how;
    VmaPoolCreateInfo info;
    VkResult result;
    memset(pool, 0, sizeof *pool);
    if (!host->exports_memory) return VK_ERROR_FEATURE_NOT_PRESENT;
    pool->usage = sample.usage;
    pool->export_info.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
    pool->export_info.handleTypes = MEMORY_KIND;
    memset(&how, 0, sizeof how);
    memset(&info, 0, sizeof info);
    how.usage = VMA_MEMORY_USAGE_AUTO;
    if (mapped) how.flags = VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT;
    result = vmaFindMemoryTypeIndexForBufferInfo(host->allocator, &sample, &how, &info.memoryTypeIndex);
    if (result != VK_SUCCESS) return result;
    info.pMemoryAllocateNext = &pool->export_info;
    return vmaCreatePool(host->allocator, &info, &pool->pool);
}

void plait_vk_pool_destroy(const plait_vk_host *host, plait_vk_pool *pool) {
    if (pool->pool) vmaDestroyPool(host->allocator, pool->pool);
    memset(pool, 0, sizeof *pool);
}

VkResult plait_vk_buffer_create(const plait_vk_host *host, const plait_vk_pool *pool, VkDeviceSize size,
                                plait_vk_buffer *buffer) {
    VkExternalMemoryBufferCreateInfo external = external_buffer();
    VkBufferCreateInfo info = buffer_info(&external, size, pool->usage);
    VmaAllocationCreateInfo how;
    VmaAllocationInfo made;
    VkMemoryPropertyFlags properties;
    VkResult result;
    memset(buffer, 0, sizeof *buffer);
    memset(&how, 0, sizeof how);
    how.pool = pool->pool;
    how.usage = VMA_MEMORY_USAGE_AUTO;
    if (host->memory_is_dedicated) how.flags |= VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT;
    result = vmaCreateBuffer(host->allocator, &info, &how, &buffer->buffer, &buffer->allocation, &made);
    if (result != VK_SUCCESS) return result;
    buffer->size = size;
    buffer->usage = pool->usage;
    vmaGetAllocationMemoryProperties(host->allocator, buffer->allocation, &properties);
    if (properties & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) {
        result = vmaMapMemory(host->allocator, buffer->allocation, &buffer->mapped);
        if (result != VK_SUCCESS) plait_vk_buffer_destroy(host, buffer);
    }
    return result;
}

void plait_vk_buffer_destroy(const plait_vk_host *host, plait_vk_buffer *buffer) {
    if (buffer->mapped) vmaUnmapMemory(host->allocator, buffer->allocation);
    if (buffer->buffer) vmaDestroyBuffer(host->allocator, buffer->buffer, buffer->allocation);
    memset(buffer, 0, sizeof *buffer);
}

/* Exports the whole VMA block and gives the buffer's offset in it. */
VkResult plait_vk_export_buffer(const plait_vk_host *host, const plait_vk_buffer *buffer,
                                plait_external_memory *external) {
    plait_external_memory values = PLAIT_EXTERNAL_MEMORY_INIT;
    VmaAllocationInfo2 where;
    VkResult result;
    vmaGetAllocationInfo2(host->allocator, buffer->allocation, &where);
    values.kind = PLAIT_KIND;
    values.dedicated = where.dedicatedMemory;
    values.usage = where.dedicatedMemory ? buffer->usage : 0;
    values.allocation_size = where.blockSize;
    values.offset = where.allocationInfo.offset;
    values.memory_type = where.allocationInfo.memoryType;
    memcpy(values.device_uuid, host->device_uuid, VK_UUID_SIZE);
    memcpy(values.driver_uuid, host->driver_uuid, VK_UUID_SIZE);
    {
#if defined(_WIN32)
        PFN_vkGetMemoryWin32HandleKHR get = DEVICE_PROC(host, vkGetMemoryWin32HandleKHR);
        VkMemoryGetWin32HandleInfoKHR info = {VK_STRUCTURE_TYPE_MEMORY_GET_WIN32_HANDLE_INFO_KHR, NULL,
                                              where.allocationInfo.deviceMemory, MEMORY_KIND};
        HANDLE handle = NULL;
        result = get ? get(host->device, &info, &handle) : VK_ERROR_FEATURE_NOT_PRESENT;
        values.handle = (int64_t)(intptr_t)handle;
#else
        PFN_vkGetMemoryFdKHR get = DEVICE_PROC(host, vkGetMemoryFdKHR);
        VkMemoryGetFdInfoKHR info = {VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, NULL, where.allocationInfo.deviceMemory,
                                     MEMORY_KIND};
        int handle = -1;
        result = get ? get(host->device, &info, &handle) : VK_ERROR_FEATURE_NOT_PRESENT;
        values.handle = handle;
#endif
    }
    if (result == VK_SUCCESS) *external = values;
    return result;
}

/* ---- semaphores ---- */

VkResult plait_vk_semaphore_create(const plait_vk_host *host, VkSemaphore *semaphore) {
    PFN_vkCreateSemaphore create = DEVICE_PROC(host, vkCreateSemaphore);
    VkExportSemaphoreCreateInfo export_info = {VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, NULL, SEMAPHORE_KIND};
    VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, NULL, VK_SEMAPHORE_TYPE_TIMELINE,
                                      0};
    VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
    if (host->exports_semaphores) type.pNext = &export_info;
    return create(host->device, &info, NULL, semaphore);
}

VkResult plait_vk_export_semaphore(const plait_vk_host *host, VkSemaphore semaphore,
                                   plait_external_semaphore *external) {
    plait_external_semaphore values = PLAIT_EXTERNAL_SEMAPHORE_INIT;
    VkResult result;
    if (!host->exports_semaphores) return VK_ERROR_FEATURE_NOT_PRESENT;
    values.kind = PLAIT_KIND;
    memcpy(values.device_uuid, host->device_uuid, VK_UUID_SIZE);
    memcpy(values.driver_uuid, host->driver_uuid, VK_UUID_SIZE);
    {
#if defined(_WIN32)
        PFN_vkGetSemaphoreWin32HandleKHR get = DEVICE_PROC(host, vkGetSemaphoreWin32HandleKHR);
        VkSemaphoreGetWin32HandleInfoKHR info = {VK_STRUCTURE_TYPE_SEMAPHORE_GET_WIN32_HANDLE_INFO_KHR, NULL, semaphore,
                                                 SEMAPHORE_KIND};
        HANDLE handle = NULL;
        result = get ? get(host->device, &info, &handle) : VK_ERROR_FEATURE_NOT_PRESENT;
        values.handle = (int64_t)(intptr_t)handle;
#else
        PFN_vkGetSemaphoreFdKHR get = DEVICE_PROC(host, vkGetSemaphoreFdKHR);
        VkSemaphoreGetFdInfoKHR info = {VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, NULL, semaphore, SEMAPHORE_KIND};
        int handle = -1;
        result = get ? get(host->device, &info, &handle) : VK_ERROR_FEATURE_NOT_PRESENT;
        values.handle = handle;
#endif
    }
    if (result == VK_SUCCESS) *external = values;
    return result;
}

/* Core of Vulkan 1.2, an extension before. */
static PFN_vkVoidFunction timeline_proc(const plait_vk_host *host, const char *core, const char *extension) {
    PFN_vkVoidFunction found = host->get_proc(host->device, core);
    return found ? found : host->get_proc(host->device, extension);
}

static VkResult as_vulkan(plait_result result) {
    if (result == PLAIT_OK) return VK_SUCCESS;
    if (result == PLAIT_ERROR_TIMEOUT) return VK_TIMEOUT;
    return result == PLAIT_ERROR_DEVICE_LOST ? VK_ERROR_DEVICE_LOST : VK_ERROR_UNKNOWN;
}

VkResult plait_vk_relay_to_engine(const plait_vk_host *host, const plait_api *plait, plait_semaphore from,
                                  uint64_t from_value, VkSemaphore to, uint64_t to_value, uint64_t timeout_ns) {
    PFN_vkSignalSemaphore raise =
        (PFN_vkSignalSemaphore)timeline_proc(host, "vkSignalSemaphore", "vkSignalSemaphoreKHR");
    VkSemaphoreSignalInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, NULL, to, to_value};
    VkResult result = as_vulkan(plait->plait_semaphore_wait(from, from_value, timeout_ns));
    return result == VK_SUCCESS ? raise(host->device, &info) : result;
}

VkResult plait_vk_relay_to_plait(const plait_vk_host *host, const plait_api *plait, VkSemaphore from,
                                 uint64_t from_value, plait_semaphore to, uint64_t to_value, uint64_t timeout_ns) {
    PFN_vkWaitSemaphores await = (PFN_vkWaitSemaphores)timeline_proc(host, "vkWaitSemaphores", "vkWaitSemaphoresKHR");
    VkSemaphoreWaitInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, 0, 1, &from, &from_value};
    VkResult result = await(host->device, &info, timeout_ns);
    return result == VK_SUCCESS ? as_vulkan(plait->plait_semaphore_signal(to, to_value)) : result;
}
