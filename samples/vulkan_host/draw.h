// Draws hair, mannequin and backdrop. The vertex shader reads hair from Plait's buffer: a camera-facing strip for each
// guide, and more strips around it.
#ifndef DRAW_H
#define DRAW_H

#include "camera.h"
#include "gpu.h"
#include "hair.h"
#include "scene.h"
#include "target.h"

// Pipelines in order of use; the first two draw the shadow map.
typedef enum draw_pass {
    DRAW_BODY_SHADOW,
    DRAW_HAIR_SHADOW,
    DRAW_BACKDROP,
    DRAW_BODY,
    DRAW_HAIR,
    DRAW_PASS_COUNT
} draw_pass;

typedef struct draw {
    const gpu *gpu;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkPipeline pipelines[DRAW_PASS_COUNT];
    VkSampler sampler;
    gpu_image shadow;
    gpu_buffer uniforms;  // one part for each frame in flight
    gpu_buffer points;    // for each vertex: where its strand begins, and how far along it lies
    gpu_buffer hair_mesh; // indices: one strip for each strand, then coarser ones for the shadow
    gpu_buffer body_mesh; // indices of a capsule
    uint32_t hair_indices, shadow_indices, body_indices;
    uint32_t strips;
    float spread_m;
    VkCommandPool command_pool;
    VkCommandBuffer commands[FRAMES_IN_FLIGHT];
    VkQueryPool clock; // two timestamps for each frame in flight
} draw;

typedef struct draw_view {
    vec3 eye, target;
    float head[12]; // the head's bone
    const scene_body *posed;
} draw_view;

// strips: drawn per strand of the groom. samples: per pixel of the targets.
bool draw_open(draw *d, const gpu *g, const scene_groom *groom, uint32_t strips, VkSampleCountFlagBits samples);
void draw_close(draw *d);

// Sets the buffer that hair is read from; no drawing may be in flight. copy_size: bytes that one frame reads.
void draw_connect(draw *d, VkBuffer strands, uint64_t copy_size);

// Records a frame up to the finished picture; the caller adds copies and ends the commands.
VkCommandBuffer draw_record(draw *d, uint32_t slot, const target *t, const draw_view *view, uint64_t strands_offset);

// Ends the commands.
bool draw_finish(draw *d, uint32_t slot);

// GPU time of the slot's last frame, which must have finished.
double draw_seconds(const draw *d, uint32_t slot);

#endif
