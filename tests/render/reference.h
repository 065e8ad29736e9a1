// Render strands in double precision, by the words of plait.h: every strand is compared with every guide, frames are carried along
// guides by rotation matrices, and each guide's transforms are applied one by one. Only what the library prints of guides, their
// positions in the frame, is its own.
#ifndef PLAIT_TESTS_RENDER_REFERENCE_H
#define PLAIT_TESTS_RENDER_REFERENCE_H

#include "plait.h"

struct reference {
    const plait_groom_desc *guides, *render;
    const float (*guide_positions)[3]; // in the frame, guides' order
    const float *head;                 // 3x4: what the one bone that roots hang on has made of the bind pose
    uint32_t guide_count;
    double parting_angle, shape_weight, length_weight, single_root, single_tip;
    const double *styled; // [vertices][3] of the render groom in the bind pose; null: as drawn
};

// [vertices][3] of the render groom.
double *reference_positions(const struct reference *r);

// What styles make of the render groom in the bind pose, host units: positions, and how much wider vertices get.
struct styled {
    double *positions; // [vertices][3]
    double *widths;    // [vertices]
};
struct styled reference_styled(const plait_groom_desc *render, const plait_render_style *styles);

#endif
