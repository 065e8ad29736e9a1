// The scene for measuring rest_gravity: hair on a mannequin that moves, returns to the bind pose and stands still in it for
// three seconds. Then strands of rods should be where they were drawn.
#ifndef DRAWN_SHAPE_H
#define DRAWN_SHAPE_H

#include "host.h"

typedef struct drawn_shape_case {
    scene_motion motion;
    float moving_s; // before it returns
    float step_rate_hz;
    uint32_t substeps;
    bool sag_free;
    uint32_t hair_hair; // as host_hair has it
} drawn_shape_case;

typedef struct drawn_shape_result {
    double mean_mm;          // distance of vertices from where they were drawn
    double worst_mm;         // of the strand for which its mean is largest
    uint32_t far;            // strands of which it is more than DRAWN_SHAPE_FAR_MM
    uint32_t raised;         // strands with a vertex more than DRAWN_SHAPE_RAISED_MM above all that was drawn of them
    uint32_t raised_between; // the same in the worst frame of the motion, as the head sees it
    uint64_t sagging;        // strands, see plait_stats_info
    uint64_t restless;       // strands in the last frame, see plait_stats_info
    double rms_mm_s;         // speed of all vertices in it
    double create_us;        // time that plait_hair_create took, per vertex
} drawn_shape_result;

static const double DRAWN_SHAPE_FAR_MM = 10, DRAWN_SHAPE_RAISED_MM = 20;

// Frames of 1/60 s, earth's gravity, solver hybrid with defaults. body: null for none. Reports failures.
bool drawn_shape_measure(const scene_groom *groom, const scene_body *body, const host_options *where,
                         const drawn_shape_case *c, drawn_shape_result *result);

#endif
