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
};

// [vertices][3] of the render groom.
double *reference_positions(const struct reference *r);

#endif
