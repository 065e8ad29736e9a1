// The functions that can be made to fail: one list from which names, dispatch tables and wrappers are made.
#ifndef PLAIT_TESTS_DOUBLE_FUNCTIONS_H
#define PLAIT_TESTS_DOUBLE_FUNCTIONS_H

#define OUT_OF_DEVICE VK_ERROR_OUT_OF_DEVICE_MEMORY
#define OUT_OF_HOST VK_ERROR_OUT_OF_HOST_MEMORY

// Functions of an instance: X(name, usual failure).
#define FOR_EACH_INSTANCE_FUNCTION(X)                                                                                  \
    X(vkCreateInstance, VK_ERROR_INCOMPATIBLE_DRIVER)                                                                  \
    X(vkEnumeratePhysicalDevices, VK_ERROR_INITIALIZATION_FAILED)                                                      \
    X(vkCreateDevice, VK_ERROR_INITIALIZATION_FAILED)

// Functions of a device. PLAIN goes straight to the driver, OWN to a function own_<name> of the double.
// X(name, usual failure, 1: fails when the device is lost, parameters, arguments); the first parameter is called `at`.
#define FOR_EACH_DEVICE_FUNCTION(PLAIN, OWN)                                                                           \
    PLAIN(vkAllocateMemory, OUT_OF_DEVICE, 0,                                                                          \
          (VkDevice at, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *host, VkDeviceMemory *out),     \
          (at, info, host, out))                                                                                       \
    PLAIN(vkMapMemory, VK_ERROR_MEMORY_MAP_FAILED, 1,                                                                  \
          (VkDevice at, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size, VkMemoryMapFlags flags,         \
           void **out),                                                                                                \
          (at, memory, offset, size, flags, out))                                                                      \
    PLAIN(vkFlushMappedMemoryRanges, OUT_OF_HOST, 0, (VkDevice at, uint32_t count, const VkMappedMemoryRange *ranges), \
          (at, count, ranges))                                                                                         \
    PLAIN(vkInvalidateMappedMemoryRanges, OUT_OF_HOST, 0,                                                              \
          (VkDevice at, uint32_t count, const VkMappedMemoryRange *ranges), (at, count, ranges))                       \
    PLAIN(vkCreateBuffer, OUT_OF_HOST, 0,                                                                              \
          (VkDevice at, const VkBufferCreateInfo *info, const VkAllocationCallbacks *host, VkBuffer *out),             \
          (at, info, host, out))                                                                                       \
    PLAIN(vkBindBufferMemory, OUT_OF_DEVICE, 0,                                                                        \
          (VkDevice at, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset), (at, buffer, memory, offset))    \
    PLAIN(vkBindBufferMemory2, OUT_OF_DEVICE, 0, (VkDevice at, uint32_t count, const VkBindBufferMemoryInfo *infos),   \
          (at, count, infos))                                                                                          \
    PLAIN(vkCreateCommandPool, OUT_OF_HOST, 0,                                                                         \
          (VkDevice at, const VkCommandPoolCreateInfo *info, const VkAllocationCallbacks *host, VkCommandPool *out),   \
          (at, info, host, out))                                                                                       \
    PLAIN(vkAllocateCommandBuffers, OUT_OF_HOST, 0,                                                                    \
          (VkDevice at, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out), (at, info, out))               \
    PLAIN(vkBeginCommandBuffer, OUT_OF_HOST, 0, (VkCommandBuffer at, const VkCommandBufferBeginInfo *info),            \
          (at, info))                                                                                                  \
    PLAIN(vkEndCommandBuffer, OUT_OF_DEVICE, 0, (VkCommandBuffer at), (at))                                            \
    PLAIN(vkCreateDescriptorPool, OUT_OF_HOST, 0,                                                                      \
          (VkDevice at, const VkDescriptorPoolCreateInfo *info, const VkAllocationCallbacks *host,                     \
           VkDescriptorPool *out),                                                                                     \
          (at, info, host, out))                                                                                       \
    PLAIN(vkAllocateDescriptorSets, VK_ERROR_OUT_OF_POOL_MEMORY, 0,                                                    \
          (VkDevice at, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *out), (at, info, out))               \
    PLAIN(vkCreateDescriptorSetLayout, OUT_OF_HOST, 0,                                                                 \
          (VkDevice at, const VkDescriptorSetLayoutCreateInfo *info, const VkAllocationCallbacks *host,                \
           VkDescriptorSetLayout *out),                                                                                \
          (at, info, host, out))                                                                                       \
    PLAIN(vkCreatePipelineLayout, OUT_OF_HOST, 0,                                                                      \
          (VkDevice at, const VkPipelineLayoutCreateInfo *info, const VkAllocationCallbacks *host,                     \
           VkPipelineLayout *out),                                                                                     \
          (at, info, host, out))                                                                                       \
    PLAIN(                                                                                                             \
        vkCreatePipelineCache, OUT_OF_HOST, 0,                                                                         \
        (VkDevice at, const VkPipelineCacheCreateInfo *info, const VkAllocationCallbacks *host, VkPipelineCache *out), \
        (at, info, host, out))                                                                                         \
    PLAIN(vkGetPipelineCacheData, OUT_OF_HOST, 0, (VkDevice at, VkPipelineCache cache, size_t * size, void *data),     \
          (at, cache, size, data))                                                                                     \
    PLAIN(vkCreateShaderModule, OUT_OF_HOST, 0,                                                                        \
          (VkDevice at, const VkShaderModuleCreateInfo *info, const VkAllocationCallbacks *host, VkShaderModule *out), \
          (at, info, host, out))                                                                                       \
    PLAIN(vkCreateComputePipelines, OUT_OF_DEVICE, 0,                                                                  \
          (VkDevice at, VkPipelineCache cache, uint32_t count, const VkComputePipelineCreateInfo *infos,               \
           const VkAllocationCallbacks *host, VkPipeline *out),                                                        \
          (at, cache, count, infos, host, out))                                                                        \
    PLAIN(vkCreateQueryPool, OUT_OF_DEVICE, 0,                                                                         \
          (VkDevice at, const VkQueryPoolCreateInfo *info, const VkAllocationCallbacks *host, VkQueryPool *out),       \
          (at, info, host, out))                                                                                       \
    PLAIN(vkCreateFence, OUT_OF_HOST, 0,                                                                               \
          (VkDevice at, const VkFenceCreateInfo *info, const VkAllocationCallbacks *host, VkFence *out),               \
          (at, info, host, out))                                                                                       \
    PLAIN(vkWaitForFences, OUT_OF_HOST, 1,                                                                             \
          (VkDevice at, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t timeout),                        \
          (at, count, fences, all, timeout))                                                                           \
    PLAIN(vkGetFenceStatus, OUT_OF_HOST, 1, (VkDevice at, VkFence fence), (at, fence))                                 \
    PLAIN(vkQueueWaitIdle, OUT_OF_HOST, 1, (VkQueue at), (at))                                                         \
    PLAIN(vkDeviceWaitIdle, OUT_OF_HOST, 1, (VkDevice at), (at))                                                       \
    PLAIN(vkGetMemoryFdKHR, OUT_OF_HOST, 0, (VkDevice at, const VkMemoryGetFdInfoKHR *info, int *out),                 \
          (at, info, out))                                                                                             \
    PLAIN(vkGetMemoryFdPropertiesKHR, VK_ERROR_INVALID_EXTERNAL_HANDLE, 0,                                             \
          (VkDevice at, VkExternalMemoryHandleTypeFlagBits type, int fd, VkMemoryFdPropertiesKHR *out),                \
          (at, type, fd, out))                                                                                         \
    PLAIN(vkGetMemoryHostPointerPropertiesEXT, VK_ERROR_INVALID_EXTERNAL_HANDLE, 0,                                    \
          (VkDevice at, VkExternalMemoryHandleTypeFlagBits type, const void *pointer,                                  \
           VkMemoryHostPointerPropertiesEXT *out),                                                                     \
          (at, type, pointer, out))                                                                                    \
    OWN(vkCreateSemaphore, OUT_OF_HOST, 0,                                                                             \
        (VkDevice at, const VkSemaphoreCreateInfo *info, const VkAllocationCallbacks *host, VkSemaphore *out),         \
        (at, info, host, out))                                                                                         \
    OWN(vkQueueSubmit, OUT_OF_HOST, 1, (VkQueue at, uint32_t count, const VkSubmitInfo *infos, VkFence fence),         \
        (at, count, infos, fence))                                                                                     \
    OWN(vkQueueSubmit2, OUT_OF_HOST, 1, (VkQueue at, uint32_t count, const VkSubmitInfo2 *infos, VkFence fence),       \
        (at, count, infos, fence))                                                                                     \
    OWN(vkWaitSemaphores, OUT_OF_HOST, 1, (VkDevice at, const VkSemaphoreWaitInfo *info, uint64_t timeout),            \
        (at, info, timeout))                                                                                           \
    OWN(vkSignalSemaphore, OUT_OF_HOST, 0, (VkDevice at, const VkSemaphoreSignalInfo *info), (at, info))               \
    OWN(vkGetSemaphoreCounterValue, OUT_OF_HOST, 1, (VkDevice at, VkSemaphore semaphore, uint64_t * out),              \
        (at, semaphore, out))                                                                                          \
    OWN(vkGetSemaphoreFdKHR, VK_ERROR_TOO_MANY_OBJECTS, 0,                                                             \
        (VkDevice at, const VkSemaphoreGetFdInfoKHR *info, int *out), (at, info, out))                                 \
    OWN(vkImportSemaphoreFdKHR, VK_ERROR_INVALID_EXTERNAL_HANDLE, 0,                                                   \
        (VkDevice at, const VkImportSemaphoreFdInfoKHR *info), (at, info))

enum function {
#define INSTANCE(name, failure) FUNCTION_##name,
#define DEVICE(name, failure, loses, parameters, arguments) FUNCTION_##name,
    FOR_EACH_INSTANCE_FUNCTION(INSTANCE) FOR_EACH_DEVICE_FUNCTION(DEVICE, DEVICE)
#undef INSTANCE
#undef DEVICE
        FUNCTION_COUNT
};

#endif
