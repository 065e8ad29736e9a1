// The render target, with or without a window: colour and depth, four times as many pixels as the picture has or as many, the
// picture, and memory for reading it back.
#ifndef TARGET_H
#define TARGET_H

#include "gpu.h"

#define TARGET_COLOR VK_FORMAT_R8G8B8A8_SRGB
#define TARGET_DEPTH VK_FORMAT_D32_SFLOAT

typedef struct target {
    VkExtent2D extent; // of the picture
    VkExtent2D drawn;  // the same, or twice that
    gpu_image color;   // of size drawn; unused when that is the picture's
    gpu_image depth;
    gpu_image picture;                     // what is shown and saved
    gpu_buffer readback[FRAMES_IN_FLIGHT]; // RGBA, row by row from the top
} target;

// samples: a pixel of the picture, 1 or 4; 1 where the device has no images so large. Hair is so thin that each of them is
// worth a pixel of its own.
bool target_make(const gpu *g, VkExtent2D extent, uint32_t samples, target *t);
void target_free(const gpu *g, target *t);

// Around all drawing: depth and colour are cleared before, and made the picture after, which is then ready to be copied.
void target_begin(const target *t, VkCommandBuffer commands);
void target_end(const target *t, VkCommandBuffer commands);

// Copies the picture to memory that the CPU can read once the commands are done.
void target_record_readback(const target *t, VkCommandBuffer commands, uint32_t slot);

#endif
