// Figures of hair with rest_gravity on the CPU, on one core, see drawn_shape.h.
#include "bench.h"
#include "drawn_shape.h"

static bool distance(double *value);

static const bench_figure FIGURES[] = {
    {"sagfree.distance_mm", "mm", 10, BENCH_AT_MOST, distance,
     "mean distance from the drawn shape after nodding for 5 s; the worst of 100 strands of 1b, 3b and 4b"},
};
const bench_table BENCH_SAGFREE = {FIGURES, sizeof FIGURES / sizeof *FIGURES, NULL};

static bool distance(double *value) {
    static const char *const NAMES[] = {"1b", "3b", "4b"};
    bool measured = true;
    *value = 0;
    for (int i = 0; i < 3 && measured; i++) {
        scene_preset preset;
        scene_groom groom;
        scene_body body;
        scene_preset_get(scene_preset_find(NAMES[i]), 100, 0, 1, &preset);
        scene_body_make(&preset.groom.scalp, &body);
        measured = scene_groom_make(&preset.groom, &groom);
        if (!measured) fprintf(stderr, "plait bench: out of memory\n");
        host_options where = {PLAIT_BACKEND_CPU, PLAIT_CPU_AUTO, 1};
        drawn_shape_case c = {SCENE_MOTION_NOD, 5, 60, 1, true, 0};
        drawn_shape_result result;
        measured = measured && drawn_shape_measure(&groom, &body, &where, &c, &result);
        if (measured && result.mean_mm > *value) *value = result.mean_mm;
        scene_groom_free(&groom);
    }
    return measured;
}
