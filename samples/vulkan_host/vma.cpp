// VulkanMemoryAllocator's one translation unit; it finds its functions through the two pointers that gpu.c gives it.
#define VMA_IMPLEMENTATION
#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 1
#include <vk_mem_alloc.h>
