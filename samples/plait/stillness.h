// The scene for measuring rest: hair on a mannequin that moves, comes to a stop and then stands still. What counts is the
// last of six seconds of standing, or of ten where it never moved.
#ifndef STILLNESS_H
#define STILLNESS_H

#include "host.h"

typedef struct stillness_scene {
    scene_preset preset;
    scene_groom groom;
    scene_body body;
} stillness_scene;

typedef struct stillness_case {
    uint32_t solver; // PLAIT_SOLVER_xxx
    scene_motion motion;
    float moving_s; // before it comes to a stop; not of SCENE_MOTION_STILL
    float step_rate_hz;
    uint32_t substeps;
    uint32_t hair_hair; // as host_hair has it
} stillness_case;

// The worst of each in any frame of that second.
typedef struct stillness_result {
    uint64_t restless, knotted; // strands, see plait_stats_info
    double rms_mm_s, fastest_mm_s;
} stillness_result;

static const double STILLNESS_RMS_MM_S = 1; // below this hair is at rest, if no strand is restless or knotted

// One of the twelve types. Reports failures; call stillness_close in any case.
bool stillness_open(stillness_scene *scene, const char *command, uint32_t preset, uint32_t strands);
void stillness_close(stillness_scene *scene);

// Frames of 1/60 s, earth's gravity; parameters of the type (shape) or defaults (hybrid). Reports failures.
bool stillness_measure(const stillness_scene *scene, const host_options *where, const stillness_case *c,
                       stillness_result *result);

#endif
