// How good render strands are: all strands of a head are simulated, and compared with what a share of them makes of the rest.
#ifndef DENSE_H
#define DENSE_H

#include "host.h"

typedef struct dense_options {
    const char *preset;            // of the scene, "2b"
    uint32_t strands;              // of the head
    uint32_t guides;               // the first so many of them; strands come in no order
    uint32_t frames;               // of a dance, at 60 a second
    uint32_t backend;              // PLAIT_BACKEND_xxx
    float single_root, single_tip; // of plait_render_params
} dense_options;

// Root mean square over the last half of the frames and all strands that are not guides, percent of their mean length. Reports
// failures.
bool dense_error(const dense_options *options, double *percent);

#endif
