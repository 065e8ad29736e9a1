// Draws hair, mannequin and backdrop. Shaders read hair from Plait's buffer: compute shaders light it, and each is
// drawn as a line.
#ifndef DRAW_H
#define DRAW_H

#include "asset.h"
#include "camera.h"
#include "gpu.h"
#include "hair.h"
#include "scene.h"
#include "target.h"

// Pipelines in order of use; the first four compute.
typedef enum draw_pass {
    DRAW_SPLAT_HAIR,
    DRAW_SPLAT_BODY,
    DRAW_LIGHT,
    DRAW_SHADE,
    DRAW_BACKDROP,
    DRAW_BODY,
    DRAW_HAIR,
    DRAW_PASS_COUNT
} draw_pass;

// Lines of a groom's strands.
typedef struct draw_lines {
    uint32_t *first; // vertex that a strand begins with, [strand_count + 1]
    uint32_t strand_count;
    uint32_t table;  // where `first` begins in the buffer of tables
    gpu_buffer mesh; // indices, ended by a restart index for each strand
} draw_lines;

typedef struct draw {
    const gpu *gpu;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkPipeline pipelines[DRAW_PASS_COUNT];
    VkSampler sampler;
    gpu_buffer uniforms;   // one part for each frame in flight
    gpu_buffer tables;     // of both kinds of lines
    gpu_buffer shaded;     // colour of every vertex
    gpu_buffer depths;     // of light.h's grid: what takes light away,
    gpu_buffer cells;      // and the light that is left; shaders write it
    gpu_image light;       // to this, to be read between cells
    gpu_buffer skin, body; // vertices and indices of the mannequin
    uint32_t skin_vertices, body_indices;
    float reach_m;       // of the hair from the head's centre
    draw_lines lines[2]; // by hair_view
    VkCommandPool command_pool;
    VkCommandBuffer commands[FRAMES_IN_FLIGHT];
    VkQueryPool clock; // two timestamps for each frame in flight
} draw;

typedef struct draw_view {
    vec3 eye, target;
    float bones[SCENE_BONE_COUNT][12];
    hair_view show;
    uint32_t strand_count; // the first of the groom
    float width_m;         // of a strand
} draw_view;

bool draw_open(draw *d, const gpu *g, const asset *a);
void draw_close(draw *d);

// Sets the buffer that hair is read from; no drawing may be in flight. copy_size: bytes that one frame reads.
void draw_connect(draw *d, VkBuffer strands, uint64_t copy_size);

// Width of a pixel at distance 1 in a picture of this height.
float draw_pixel_angle(uint32_t height);

// Records a frame up to the finished picture; the caller adds copies and ends the commands.
VkCommandBuffer draw_record(draw *d, uint32_t slot, const target *t, const draw_view *view, uint64_t strands_offset);

// Ends the commands.
bool draw_finish(draw *d, uint32_t slot);

// GPU time of the slot's last frame, which must have finished.
double draw_seconds(const draw *d, uint32_t slot);

#endif
