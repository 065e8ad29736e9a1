// A hair with render strands for tests: guides and render grooms of one head, a binding, and both outputs.
#ifndef PLAIT_TESTS_RENDER_FIXTURE_H
#define PLAIT_TESTS_RENDER_FIXTURE_H

#include "rig.h"

struct head {
    scene_groom guides, render;
    plait_groom_desc guides_desc, render_desc;
};

// Guides and render strands of one preset of the scene, with other seeds.
// Descriptions point into the head, which stays where it is.
void head_make(struct head *head, const char *preset, uint32_t guides, uint32_t guide_vertices, uint32_t strands,
               uint32_t render_vertices);
void head_free(struct head *head);

struct strands {
    struct rig rig;
    plait_groom render;
    plait_binding binding;
    uint32_t strand_count, vertex_count;
    float *output; // [vertex_count][4] positions and radii
};

struct strands_options {
    struct rig_options rig;
    const plait_groom_desc *render;
    plait_binding_desc binding; // of which the grooms are filled in
};
struct strands_options strands_options(const struct head *head);
struct strands strands_open(const struct strands_options *options);
void strands_close(struct strands *s);

// Positions and radii, one after the other, in `memory`.
void strands_describe(uint32_t vertices, void *memory, plait_output_attribute *attribute, plait_output_desc *desc);
// So many frames of a motion of the scene.
void strands_dance(struct strands *s, scene_motion motion, int first, int frames);
// The output as it is now.
void strands_refresh(struct strands *s);

// Another device of a backend, the CPU without SIMD; false if there is none.
bool strands_open_device(const struct strands *s, uint32_t backend, plait_device *device);

#endif
