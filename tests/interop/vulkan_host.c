#include "vulkan_host.h"

#include <stdio.h>
#include <string.h>

static bool open_device(struct vulkan_host *h) {
    if (volkInitialize() != VK_SUCCESS) return false;
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    if (vkCreateInstance(&instance, NULL, &h->instance) != VK_SUCCESS) return false;
    volkLoadInstance(h->instance);
    uint32_t count = 1;
    if (vkEnumeratePhysicalDevices(h->instance, &count, &h->physical) < 0 || count == 0) return false;
    assert_ok(plait_context_create(NULL, &h->asked));
    h->wants = (plait_vulkan_wants_info)PLAIT_VULKAN_WANTS_INFO_INIT;
    if (plait_vulkan_query_wants(h->asked, h->physical, &h->wants) != PLAIT_OK) return false;

    const char *extensions[12];
    uint32_t extension_count = 0;
    for (uint32_t i = 0; i < h->wants.required_extension_count; i++)
        extensions[extension_count++] = h->wants.required_extensions[i];
    for (uint32_t i = 0; i < h->wants.optional_extension_count; i++)
        extensions[extension_count++] = h->wants.optional_extensions[i];
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkPhysicalDeviceTimelineSemaphoreFeatures features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
    VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .pNext = &features,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queue,
                                 .enabledExtensionCount = extension_count,
                                 .ppEnabledExtensionNames = extensions};
    if (vkCreateDevice(h->physical, &device, NULL, &h->device) != VK_SUCCESS) return false;
    vkGetDeviceQueue(h->device, 0, 0, &h->queue);
    return true;
}

static void make_buffer(struct vulkan_host *h, bool exportable) {
    VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                 .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkBufferCreateInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                 .pNext = exportable ? &external : NULL,
                                 .size = HOST_BUFFER_BYTES,
                                 .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT};
    assert_int_equal(vkCreateBuffer(h->device, &buffer, NULL, &h->buffer), VK_SUCCESS);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(h->device, h->buffer, &needs);
    VkPhysicalDeviceMemoryProperties types;
    vkGetPhysicalDeviceMemoryProperties(h->physical, &types);
    VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    while (!(needs.memoryTypeBits >> h->memory_type & 1) ||
           (types.memoryTypes[h->memory_type].propertyFlags & wanted) != wanted)
        h->memory_type++;
    h->allocation_size = needs.size;
    VkExportMemoryAllocateInfo export = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                         .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                   .pNext = exportable ? &export : NULL,
                                   .allocationSize = needs.size,
                                   .memoryTypeIndex = h->memory_type};
    assert_int_equal(vkAllocateMemory(h->device, &memory, NULL, &h->memory), VK_SUCCESS);
    assert_int_equal(vkBindBufferMemory(h->device, h->buffer, h->memory, 0), VK_SUCCESS);
    assert_int_equal(vkMapMemory(h->device, h->memory, 0, VK_WHOLE_SIZE, 0, (void **)&h->mapped), VK_SUCCESS);
}

bool host_open(struct vulkan_host *h, bool exportable) {
    memset(h, 0, sizeof *h);
    if (!open_device(h)) {
        printf("skipped: there is no Vulkan device for a renderer\n");
        host_close(h);
        return false;
    }
    make_buffer(h, exportable);
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
    vkGetPhysicalDeviceProperties2(h->physical, &properties);
    memcpy(h->device_uuid, id.deviceUUID, 16);
    memcpy(h->driver_uuid, id.driverUUID, 16);
    VkSemaphoreTypeCreateInfo timeline = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                          .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &timeline};
    assert_int_equal(vkCreateSemaphore(h->device, &semaphore, NULL, &h->timeline), VK_SUCCESS);
    return true;
}

void host_close(struct vulkan_host *h) {
    if (h->device) {
        vkDeviceWaitIdle(h->device);
        vkDestroySemaphore(h->device, h->timeline, NULL);
        vkDestroyBuffer(h->device, h->buffer, NULL);
        vkFreeMemory(h->device, h->memory, NULL);
        vkDestroyDevice(h->device, NULL);
    }
    if (h->instance) vkDestroyInstance(h->instance, NULL);
    if (h->asked.id) assert_ok(plait_context_destroy(h->asked));
    memset(h, 0, sizeof *h);
}

plait_external_memory host_export(const struct vulkan_host *h) {
    VkMemoryGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                 .memory = h->memory,
                                 .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    int fd = -1;
    assert_int_equal(vkGetMemoryFdKHR(h->device, &info, &fd), VK_SUCCESS);
    plait_external_memory external = PLAIT_EXTERNAL_MEMORY_INIT;
    external.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    external.handle = fd;
    external.allocation_size = h->allocation_size;
    external.memory_type = h->memory_type;
    memcpy(external.device_uuid, h->device_uuid, 16);
    memcpy(external.driver_uuid, h->driver_uuid, 16);
    return external;
}

struct mapped_memory host_map(const struct vulkan_host *h, const plait_external_memory *external) {
    struct mapped_memory mapped = {0};
    VkExternalMemoryBufferCreateInfo kind = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                             .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkBufferCreateInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                 .pNext = &kind,
                                 .size = external->allocation_size,
                                 .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    assert_int_equal(vkCreateBuffer(h->device, &buffer, NULL, &mapped.buffer), VK_SUCCESS);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(h->device, mapped.buffer, &needs);
    VkImportMemoryFdInfoKHR import = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
                                      .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
                                      .fd = (int)external->handle};
    VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                   .pNext = &import,
                                   .allocationSize = external->allocation_size,
                                   .memoryTypeIndex = external->memory_type};
    assert_int_equal(vkAllocateMemory(h->device, &memory, NULL, &mapped.memory), VK_SUCCESS);
    assert_int_equal(vkBindBufferMemory(h->device, mapped.buffer, mapped.memory, 0), VK_SUCCESS);
    void *bytes = NULL;
    assert_int_equal(vkMapMemory(h->device, mapped.memory, 0, VK_WHOLE_SIZE, 0, &bytes), VK_SUCCESS);
    mapped.floats = (float *)((char *)bytes + external->offset);
    return mapped;
}

void host_unmap(const struct vulkan_host *h, struct mapped_memory *mapped) {
    vkDestroyBuffer(h->device, mapped->buffer, NULL);
    vkFreeMemory(h->device, mapped->memory, NULL);
}

plait_device host_open_plait(plait_context context, const struct vulkan_host *h) {
    plait_vulkan_device_desc vulkan = PLAIT_VULKAN_DEVICE_DESC_INIT;
    vulkan.physical_device = h->physical;
    vulkan.device = h->device;
    vulkan.queue = h->queue;
    vulkan.features = h->wants.features;
    vulkan.extensions = h->wants.optional_extensions;
    vulkan.extension_count = h->wants.optional_extension_count;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = PLAIT_BACKEND_VULKAN;
    desc.head.next = &vulkan;
    plait_device device;
    assert_ok(plait_device_open(context, &desc, &device));
    return device;
}
