// Random rods as the kernels of solver hybrid see them, in host order: consistent with the strands they are made for, and
// soft enough for values of one size, so that an absolute tolerance means something.
#ifndef PLAIT_TESTS_RODS_H
#define PLAIT_TESTS_RODS_H

#include "strands.h"

#include <stdbool.h>

struct rods {
    double step;      // s
    float *constants; // [strand][HYBRID_ROWS]
    float *clamps;    // [strand][CLAMP_ROWS]
    float *rest;      // [vertex][ROD_ROWS]
    float *spin;      // [vertex][SPIN_ROWS]
    float *work;      // [vertex][WORK_ROWS], as rod_begin leaves it
    float *care;      // [strand][CARE_ROWS]: steps in one, two and four parts
    float *vector;    // [vertex][4]: what the solution changes velocities by
};

// slow: roots of these strands exceed what they may do in a step. touching: every other vertex touches a surface.
struct rods rods_make(struct strands *s, bool slow, bool touching);
void rods_free(struct rods *r);

#endif
