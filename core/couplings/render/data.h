// What render strands keep on their hair's device, for the files of this folder.
#ifndef PLAIT_RENDER_DATA_H
#define PLAIT_RENDER_DATA_H

#include "hair.h"
#include "vector.h"

enum render_data_id {
    RENDER_DATA_GUIDES,      // turns and places of guides
    RENDER_DATA_GUIDE_REST,  // guides in the bind pose
    RENDER_DATA_SOURCES,     // of the vertices of rows
    RENDER_DATA_ROWS,        // transforms
    RENDER_DATA_ROWS_BEFORE, // of the frame before, once somebody asks for previous positions
    RENDER_DATA_STRANDS,
    RENDER_DATA_OWNERS, // of vertices
    RENDER_DATA_REST,   // vertices in the bind pose
    RENDER_DATA_KEPT,   // of strands and vertices, where render_lengths runs
    RENDER_DATA_SETTINGS,
    // Of hairs with styles:
    RENDER_DATA_FRAMES, // of vertices in the bind pose
    RENDER_DATA_CLUMPS, // of strands
    RENDER_DATA_STYLES, // of groups
    RENDER_DATA_STYLED, // vertices in the bind pose, styled
    RENDER_DATA_COUNT
};

// Around the roots that hang on a bone, with all that can grow there; metres in the bind pose.
struct bone_ball {
    double3 centre;
    double radius; // of the guides; negative: the bone has no roots
};

// What create makes: for this device.
struct render_place {
    uint32_t row_vertices;   // of all rows
    struct bone_ball *balls; // [bone_count]
    bool reach_known;        // and so are the balls
    double reach;            // host units: how far render vertices are from their guides in the bind pose, at most
    double clump_reach;      // and how far clumps can pull them; negative: not known
    double radius;           // the largest of the render groom, host units
};
struct render_place *render_place_of(const struct hair *hair);

// Whether the render output has 16-bit positions.
bool box_wanted(const struct hair *hair);
// The box of this frame: to the hair's info, and to the settings. gain: of radii, by the hair's parameters.
void box_write(struct hair *hair, double gain, float values[RENDER_SETTING_WORDS]);

// Colliders of this frame to the device and to the settings. known: there was a frame before.
void push_write(struct hair *hair, bool known, float values[RENDER_SETTING_WORDS]);
// How far those of the last frame can push, host units; half-spaces do not count.
double push_reach(const struct hair *hair);

// The coupling's number in the hair, and its buffers, by enum render_data_id.
uint32_t render_index(const struct hair *hair);
struct buffer *render_buffers(const struct hair *hair);

// Makes what hair->styles need on the device, which they are written to.
plait_result style_make_data(struct call *call, struct hair *hair, uint32_t index);

// For every strand, in the order of the binding, the one in the middle of its clump: itself where its group has no clumps.
// styles: of the render groom's groups.
plait_result clumps_find(struct call *call, const struct binding *binding, const plait_render_style *styles,
                         uint32_t *clumps);

#endif
