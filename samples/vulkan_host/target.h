// The render target, with or without a window: multisampled colour and depth, the resolved picture, and memory for
// reading it back.
#ifndef TARGET_H
#define TARGET_H

#include "gpu.h"

#define TARGET_COLOR VK_FORMAT_R8G8B8A8_SRGB
#define TARGET_DEPTH VK_FORMAT_D32_SFLOAT

typedef struct target {
    VkExtent2D extent;
    VkSampleCountFlagBits samples;
    gpu_image color; // samples a pixel; unused when that is one
    gpu_image depth;
    gpu_image picture;                     // what is shown and saved
    gpu_buffer readback[FRAMES_IN_FLIGHT]; // RGBA, row by row from the top
} target;

// That many samples per pixel if the device supports it, else one.
VkSampleCountFlagBits target_samples(const gpu *g, uint32_t wanted);

bool target_make(const gpu *g, VkExtent2D extent, VkSampleCountFlagBits samples, target *t);
void target_free(const gpu *g, target *t);

// Around all drawing: depth and colour are cleared before, and resolved after, when the picture is ready to be copied.
void target_begin(const target *t, VkCommandBuffer commands);
void target_end(const target *t, VkCommandBuffer commands);

// Copies the picture to memory that the CPU can read once the commands are done.
void target_record_readback(const target *t, VkCommandBuffer commands, uint32_t slot);

#endif
