// Plait in this host: everything an engine needs, in the order of the calls. Read hair.c from top to bottom, and copy
// it.
#ifndef HAIR_H
#define HAIR_H

#include "gpu.h"
#include "plait_loader.h"
#include "plait_vulkan.h"

// How strands get from Plait to the renderer's buffer.
typedef enum hair_path {
    HAIR_PATH_NONE,
    HAIR_PATH_ZERO_COPY, // Plait's kernels write the host's VkBuffer; semaphores keep the order
    HAIR_PATH_MAPPED,    // Plait writes through a pointer into a mapped VkBuffer
} hair_path;

// What the renderer is given.
typedef enum hair_view {
    HAIR_VIEW_RENDER, // render strands, which follow the guides
    HAIR_VIEW_GUIDES, // the simulated strands themselves
} hair_view;

// One vertex of a strand as Plait writes it and shaders read it (strands.glsl).
typedef struct hair_vertex {
    float position[3], radius;
} hair_vertex;

// The asset, as an engine's importer would produce it. Need not outlive hair_open.
typedef struct hair_asset {
    const plait_groom_desc *guides; // simulated
    const plait_groom_desc *render; // drawn; each of these strands follows the guides around it
    const plait_body_desc *body;
    const plait_shape_params *shape; // for solver shape; null: defaults
    uint32_t hair_hair;              // PLAIT_VOLUME_xxx, or 0: no forces between strands
} hair_asset;

typedef struct hair {
    plait_api plait; // the library's functions, found at run time
    plait_context context;
    plait_device device; // where the hair runs now
    plait_device_info device_info;
    plait_groom guides;
    plait_body body;
    plait_binding binding; // of the render strands to the guides
    plait_shape_params shape;
    bool has_shape;
    uint32_t hair_hair;
    uint32_t solver; // PLAIT_SOLVER_xxx
    plait_hair hair;
    uint32_t guide_vertex_count, render_vertex_count;
    plait_vulkan_wants_info wants; // of the host's VkDevice

    const gpu *gpu;
    hair_path path;
    hair_view view;
    gpu_buffer strands; // what the renderer reads: FRAMES_IN_FLIGHT copies of hair_vertex[], render strands or guides
    uint64_t copy_size; // bytes from one copy to the next
    uint32_t copy;      // the one that the last step wrote
    VkSemaphore stepped;
    uint64_t stepped_value; // what the last step will have signalled
} hair;

// Level of detail, for what is far away; see plait_render_params. 1: all.
typedef struct hair_detail {
    float strands, vertices;
} hair_detail;

// One frame of the game.
typedef struct hair_frame {
    float dt; // 0: paused
    uint32_t bone_count;
    const float *bones; // [bone_count][12]
    float wind[3];      // m/s
    hair_detail detail;
    VkSemaphore drawn;    // the renderer's timeline: the strands may be overwritten
    uint64_t drawn_value; // once it reaches this value; 0: no drawing is in flight
} hair_frame;

// What the renderer must know about the frame's strands.
typedef struct hair_ready {
    VkBuffer buffer;
    uint64_t offset;       // of hair_vertex[] in it
    uint32_t strand_count; // to draw: the first of the groom
    VkSemaphore stepped;   // drawing waits until this timeline reaches
    uint64_t value;        // this; 0: the strands are there already
} hair_ready;

// 1. Opens the library and a context, before there is a VkDevice. library: null for the usual name.
bool hair_load(hair *h, const char *library);

// 2. Adds to what the host enables on its VkDevice.
bool hair_ask(hair *h, const gpu *g, gpu_wants *wants);

// Whether the backend is available; PLAIT_BACKEND_BEST always is.
bool hair_has_backend(const hair *h, uint32_t backend);

// 3. Creates hair on the host's device, or on that of backend (PLAIT_BACKEND_xxx). solver: PLAIT_SOLVER_xxx.
bool hair_open(hair *h, const gpu *g, const hair_asset *asset, uint32_t solver, uint32_t backend);

// 4. Every frame: moves the hair. It may still be computing afterwards; ready says what to wait for.
bool hair_step(hair *h, const hair_frame *frame, hair_ready *ready);

// 5. Any time between frames: moves the running hair to another backend. The GPU must have finished all
// drawing; the renderer's buffer is a new one afterwards. After a failure the hair stays where it was.
bool hair_move(hair *h, uint32_t backend);

// The same with another solver: hair starts at rest at these bones, as many as the groom has. After a failure it goes on as before.
bool hair_set_solver(hair *h, uint32_t solver, const float *bones);

// The same: what the renderer is given from the next step on.
bool hair_show(hair *h, hair_view view);

// 6. Destroys everything. The GPU must have finished all drawing. Also after a failure of the above.
void hair_close(hair *h);

// For messages: "vulkan -> host's VkBuffer, zero copy".
const char *hair_path_text(const hair *h, char *text, size_t size);

// Prints the mean time of each stage of a step.
void hair_print_stages(hair *h);

#endif
