// The host's Vulkan: one instance, one device, one queue, one allocator.
#ifndef GPU_H
#define GPU_H

#include <stdbool.h>
#include <stdint.h>

#include <volk.h>

#include <vk_mem_alloc.h>

// Frames in flight: the CPU prepares one while the GPU draws the other.
#define FRAMES_IN_FLIGHT 2u

typedef struct gpu {
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t queue_family; // draws, computes and, with a window, presents
    VkQueue queue;
    VmaAllocator allocator;
    VkPhysicalDeviceProperties properties;
    bool wide_lines;        // lines may be wider than a pixel
    uint32_t message_count; // warnings and errors of the validation layers
} gpu;

// What others need enabled on the device, in addition to what the renderer needs (which includes timeline semaphores).
typedef struct gpu_wants {
    const char *extensions[16];
    uint32_t extension_count;
} gpu_wants;

typedef struct gpu_buffer {
    VkBuffer handle;
    VmaAllocation allocation;
    void *mapped; // null: the device's own memory
    uint64_t size;
} gpu_buffer;

typedef struct gpu_image {
    VkImage handle;
    VkImageView view;
    VmaAllocation allocation;
} gpu_image;

// Loads Vulkan and creates an instance with these extensions. validate: with validation layers, which must be
// installed.
bool gpu_open(gpu *g, bool validate, const char *const *extensions, uint32_t extension_count);

// Picks a device that can draw and, unless surface is null, present to it.
bool gpu_choose(gpu *g, VkSurfaceKHR surface);

// Makes that device.
bool gpu_open_device(gpu *g, VkSurfaceKHR surface, const gpu_wants *wants);

// The device's name for messages; says when it is a software device.
enum { GPU_NAME_SIZE = VK_MAX_PHYSICAL_DEVICE_NAME_SIZE + 32 };
const char *gpu_name(const gpu *g, char name[GPU_NAME_SIZE]);

// Also after a failure of the above.
void gpu_close(gpu *g);

// mapped: memory that the CPU writes in order and the GPU reads; else the GPU's own.
bool gpu_buffer_make(const gpu *g, uint64_t size, VkBufferUsageFlags usage, bool mapped, gpu_buffer *buffer);

// Memory that the GPU writes and the CPU reads.
bool gpu_buffer_make_readback(const gpu *g, uint64_t size, gpu_buffer *buffer);

void gpu_buffer_free(const gpu *g, gpu_buffer *buffer);

// One 2D image with one mip level and its view; and a 3D image.
bool gpu_image_make_3d(const gpu *g, VkExtent3D extent, VkFormat format, VkImageUsageFlags usage, gpu_image *image);
bool gpu_image_make(const gpu *g, VkExtent2D extent, VkFormat format, VkImageUsageFlags usage,
                    VkImageAspectFlags aspect, gpu_image *image);
void gpu_image_free(const gpu *g, gpu_image *image);

// A timeline semaphore with value zero.
bool gpu_timeline_make(const gpu *g, VkSemaphore *semaphore);

// Waits on the CPU until the timeline has reached value.
bool gpu_timeline_wait(const gpu *g, VkSemaphore semaphore, uint64_t value);

// Whether a call succeeded; prints which one failed.
bool gpu_ok(VkResult result, const char *what);

#endif
