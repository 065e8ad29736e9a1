// Memory that others see: imported from host memory or by handle, made here and exported. A buffer of its own each, for it
// comes and goes with an output, never while stepping.
#include "vulkan.h"

#include <string.h>

#if defined(_WIN32)
#define HANDLE_TYPE VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT
#define MEMORY_EXTENSION VULKAN_EXTERNAL_MEMORY_WIN32
#else
#define HANDLE_TYPE VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT
#define MEMORY_EXTENSION VULKAN_EXTERNAL_MEMORY_FD
#endif

static const VkBufferUsageFlags exported_usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                                 VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;

struct vulkan_memory {
    struct shared_memory shared;
    struct vulkan_buffer buffer;
    plait_external_memory external; // but for the handle and the UUIDs
};

static void find_memory_abilities(struct vulkan_device *d) {
#if defined(_WIN32)
    bool callable = d->vk.vkGetMemoryWin32HandleKHR;
#else
    bool callable = d->vk.vkGetMemoryFdKHR;
#endif
    if (!(d->can.extensions >> MEMORY_EXTENSION & 1) || !callable) return;
    VkPhysicalDeviceExternalBufferInfo info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
                                               .usage = exported_usage,
                                               .handleType = HANDLE_TYPE};
    VkExternalBufferProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    vkGetPhysicalDeviceExternalBufferProperties(d->physical, &info, &properties);
    VkExternalMemoryFeatureFlags features = properties.externalMemoryProperties.externalMemoryFeatures;
    VkExternalMemoryFeatureFlags needed =
        VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
    if ((features & needed) != needed) return;
    d->can.memory_dedicated = features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT;
    d->device.info.interop |=
        EXTERNAL_KIND == PLAIT_EXTERNAL_OPAQUE_FD ? PLAIT_INTEROP_MEMORY_FD : PLAIT_INTEROP_MEMORY_WIN32;
}

static void find_host_abilities(struct vulkan_device *d) {
    if (!(d->can.extensions >> VULKAN_EXTERNAL_MEMORY_HOST & 1) || !d->vk.vkGetMemoryHostPointerPropertiesEXT) return;
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &host};
    vkGetPhysicalDeviceProperties2(d->physical, &properties);
    d->can.host_alignment = d->device.info.host_memory_alignment = host.minImportedHostPointerAlignment;
    d->device.info.interop |= PLAIT_INTEROP_HOST_MEMORY;
}

// What the host says it enabled but did not has no functions, and is left alone.
void vulkan_find_abilities(struct vulkan_device *d) {
    find_memory_abilities(d);
    find_host_abilities(d);
    vulkan_find_semaphore_abilities(d);
}

// ---- import of host memory ----

static bool choose_type(struct vulkan_device *d, uint32_t allowed, VkMemoryPropertyFlags wanted, uint32_t *type) {
    VkPhysicalDeviceMemoryProperties types;
    vkGetPhysicalDeviceMemoryProperties(d->physical, &types);
    for (*type = 0; *type < types.memoryTypeCount; ++*type)
        if ((allowed >> *type & 1) && (types.memoryTypes[*type].propertyFlags & wanted) == wanted) return true;
    return false;
}

static VkResult make_external_buffer(struct vulkan_device *d, uint64_t size, VkBufferUsageFlags usage,
                                     VkExternalMemoryHandleTypeFlags kind, VkBuffer *buffer) {
    VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                 .handleTypes = kind};
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &external, .size = size, .usage = usage};
    return d->vk.vkCreateBuffer(d->handle, &info, NULL, buffer);
}

bool vulkan_import_host(struct vulkan_device *d, void *memory, uint64_t size, struct vulkan_buffer *buffer) {
    const VkExternalMemoryHandleTypeFlagBits kind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    uint64_t alignment = d->can.host_alignment;
    if (alignment == 0 || (uintptr_t)memory % alignment || size % alignment) return false;
    VkMemoryHostPointerPropertiesEXT pointer = {.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    if (d->vk.vkGetMemoryHostPointerPropertiesEXT(d->handle, kind, memory, &pointer) != VK_SUCCESS) return false;
    struct vulkan_buffer made = {0};
    if (make_external_buffer(d, size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, kind, &made.handle) != VK_SUCCESS)
        return false;
    VkMemoryRequirements needs;
    d->vk.vkGetBufferMemoryRequirements(d->handle, made.handle, &needs);
    VkImportMemoryHostPointerInfoEXT import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, .handleType = kind, .pHostPointer = memory};
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &import, .allocationSize = size};
    bool done = needs.size <= size &&
                choose_type(d, pointer.memoryTypeBits & needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                            &info.memoryTypeIndex) &&
                d->vk.vkAllocateMemory(d->handle, &info, NULL, &made.memory) == VK_SUCCESS &&
                d->vk.vkBindBufferMemory(d->handle, made.handle, made.memory, 0) == VK_SUCCESS;
    if (!done) {
        d->vk.vkDestroyBuffer(d->handle, made.handle, NULL);
        d->vk.vkFreeMemory(d->handle, made.memory, NULL);
        return false;
    }
    *buffer = made; // of size 0: it is not ours to count
    return true;
}

// ---- memory by handle ----

static struct vulkan_memory *new_memory(struct call *call, struct vulkan_device *d) {
    struct vulkan_memory *m = allocate(call->context, 1, sizeof *m);
    if (m) m->shared.device = &d->device;
    return m;
}

static plait_result fail_memory(struct call *call, struct vulkan_memory *m, plait_result code, const char *what,
                                VkResult result) {
    if (m) vulkan_memory_destroy(&m->shared);
    return call->context->services->fail(call, code, "%s (VkResult %d)", what, result);
}

// Allocates with `chain` in front (import or export) and binds.
static VkResult allocate_for(struct vulkan_device *d, struct vulkan_memory *m, const void *chain) {
    VkMemoryDedicatedAllocateInfo dedicated = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, .pNext = chain, .buffer = m->buffer.handle};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = m->external.dedicated ? &dedicated : chain,
                                 .allocationSize = m->external.allocation_size,
                                 .memoryTypeIndex = m->external.memory_type};
    VkResult result = d->vk.vkAllocateMemory(d->handle, &info, NULL, &m->buffer.memory);
    if (result != VK_SUCCESS) return result;
    m->shared.native = (uint64_t)m->buffer.handle;
    return d->vk.vkBindBufferMemory(d->handle, m->buffer.handle, m->buffer.memory, 0);
}

plait_result vulkan_memory_create(struct call *call, struct device *device, uint64_t size, uint32_t kind,
                                  struct shared_memory **out) {
    struct vulkan_device *d = (struct vulkan_device *)device;
    struct vulkan_memory *m = new_memory(call, d);
    if (!m) return call->context->services->fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the output");
    VkResult result = make_external_buffer(d, size, exported_usage, HANDLE_TYPE, &m->buffer.handle);
    if (result != VK_SUCCESS)
        return fail_memory(call, m, vulkan_result(result, d), "the device made no buffer to export", result);
    VkMemoryRequirements needs;
    d->vk.vkGetBufferMemoryRequirements(d->handle, m->buffer.handle, &needs);
    m->external.head = (plait_head){PLAIT_TYPE_EXTERNAL_MEMORY, sizeof m->external, NULL};
    m->external.kind = kind;
    m->external.allocation_size = needs.size;
    m->external.dedicated = d->can.memory_dedicated;
    m->external.usage = m->external.dedicated ? exported_usage : 0;
    if (!choose_type(d, needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &m->external.memory_type))
        choose_type(d, needs.memoryTypeBits, 0, &m->external.memory_type);
    VkExportMemoryAllocateInfo export = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                         .handleTypes = HANDLE_TYPE};
    result = allocate_for(d, m, &export);
    if (result != VK_SUCCESS)
        return fail_memory(call, m, vulkan_result(result, d), "the device has no memory to export", result);
    m->buffer.size = needs.size;
    atomic_fetch_add(&device->used_bytes, needs.size);
    *out = &m->shared;
    return PLAIT_OK;
}

plait_result vulkan_memory_import(struct call *call, struct device *device, const plait_external_memory *external,
                                  uint64_t size, struct shared_memory **out) {
    struct vulkan_device *d = (struct vulkan_device *)device;
    struct vulkan_memory *m = new_memory(call, d);
    if (!m) return call->context->services->fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the output");
    m->external = *external;
    m->shared.offset = external->offset;
    VkBufferUsageFlags usage = external->dedicated ? external->usage : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    if (!(usage & VK_BUFFER_USAGE_STORAGE_BUFFER_BIT))
        return fail_memory(call, m, PLAIT_ERROR_INVALID_ARGUMENT, "usage is not that of a storage buffer", VK_SUCCESS);
    VkResult result = make_external_buffer(d, external->offset + size, usage, HANDLE_TYPE, &m->buffer.handle);
    if (result != VK_SUCCESS)
        return fail_memory(call, m, vulkan_result(result, d), "the device made no buffer for what to import", result);
    VkMemoryRequirements needs;
    d->vk.vkGetBufferMemoryRequirements(d->handle, m->buffer.handle, &needs);
    if (needs.size > external->allocation_size || !(needs.memoryTypeBits >> external->memory_type & 1))
        return fail_memory(call, m, PLAIT_ERROR_INVALID_ARGUMENT,
                           "allocation_size is too small for this device, or memory_type not one for buffers",
                           VK_SUCCESS);
    int64_t handle = external_duplicate(external->handle); // the driver takes it
    if (!external_valid(handle))
        return fail_memory(call, m, PLAIT_ERROR_SYSTEM, "the handle could not be duplicated", VK_SUCCESS);
#if defined(_WIN32)
    VkImportMemoryWin32HandleInfoKHR import = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_WIN32_HANDLE_INFO_KHR,
                                               .handleType = HANDLE_TYPE,
                                               .handle = (HANDLE)(intptr_t)handle};
#else
    VkImportMemoryFdInfoKHR import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, .handleType = HANDLE_TYPE, .fd = (int)handle};
#endif
    result = allocate_for(d, m, &import);
    // A driver takes a descriptor with the allocation, a Win32 handle never.
    if (!m->buffer.memory || EXTERNAL_KIND == PLAIT_EXTERNAL_OPAQUE_WIN32) external_close(handle);
    if (result != VK_SUCCESS)
        return fail_memory(call, m,
                           result == VK_ERROR_INVALID_EXTERNAL_HANDLE ? PLAIT_ERROR_INVALID_ARGUMENT
                                                                      : vulkan_result(result, d),
                           "the device could not import the memory", result);
    *out = &m->shared;
    return PLAIT_OK;
}

plait_result vulkan_memory_export(struct call *call, struct shared_memory *memory, plait_external_memory *external) {
    struct vulkan_device *d = (struct vulkan_device *)memory->device;
    struct vulkan_memory *m = (struct vulkan_memory *)memory;
    *external = m->external;
#if defined(_WIN32)
    VkMemoryGetWin32HandleInfoKHR info = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_WIN32_HANDLE_INFO_KHR,
                                          .memory = m->buffer.memory,
                                          .handleType = HANDLE_TYPE};
    HANDLE handle = NULL;
    VkResult result = d->vk.vkGetMemoryWin32HandleKHR(d->handle, &info, &handle);
    external->handle = (intptr_t)handle;
#else
    VkMemoryGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = m->buffer.memory, .handleType = HANDLE_TYPE};
    int handle = -1;
    VkResult result = d->vk.vkGetMemoryFdKHR(d->handle, &info, &handle);
    external->handle = handle;
#endif
    if (result == VK_SUCCESS) return PLAIT_OK;
    external->handle = -1;
    plait_result code = result == VK_ERROR_TOO_MANY_OBJECTS ? PLAIT_ERROR_SYSTEM : vulkan_result(result, d);
    return fail_memory(call, NULL, code, "the device could not export the memory", result);
}

void vulkan_memory_destroy(struct shared_memory *memory) {
    struct vulkan_memory *m = (struct vulkan_memory *)memory;
    struct context *context = memory->device->object.context;
    vulkan_free_buffer((struct vulkan_device *)memory->device, &m->buffer);
    release(context, m);
}
