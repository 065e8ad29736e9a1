// Figures of hair at rest on the CPU, on one core: the worst of both solvers and three types after a run, see stillness.h.
#include "bench.h"
#include "stillness.h"

static bool restless(double *value);
static bool knotted(double *value);
static bool rms_speed(double *value);

static const bench_figure FIGURES[] = {
    {"rest.restless", "", 0, BENCH_AT_MOST, restless,
     "strands faster than 1 cm/s 5 s after a run; the worst of both solvers, 400 strands of 1b, 3b and 4c"},
    {"rest.knotted", "", 0, BENCH_AT_MOST, knotted,
     "strands of them that turn by 540 degrees too much for half a second"},
    {"rest.rms_speed", "mm/s", 1, BENCH_AT_MOST, rms_speed, "root mean square speed of their vertices"},
};
const bench_table BENCH_REST = {FIGURES, sizeof FIGURES / sizeof *FIGURES, NULL};

// All figures come from one run.
static bool measure(stillness_result *worst) {
    static const char *const NAMES[] = {"1b", "3b", "4c"};
    static stillness_result known;
    static bool done;
    bool measured = true;
    for (int i = 0; i < 3 && measured && !done; i++) {
        stillness_scene scene;
        measured = stillness_open(&scene, "plait bench", scene_preset_find(NAMES[i]), 400);
        for (uint32_t solver = PLAIT_SOLVER_SHAPE; solver <= PLAIT_SOLVER_HYBRID && measured; solver++) {
            host_options where = {PLAIT_BACKEND_CPU, PLAIT_CPU_AUTO, 1};
            stillness_case c = {solver, SCENE_MOTION_RUN, 4, 60, 1, 0};
            stillness_result r;
            measured = stillness_measure(&scene, &where, &c, &r);
            if (!measured) break;
            if (r.restless > known.restless) known.restless = r.restless;
            if (r.knotted > known.knotted) known.knotted = r.knotted;
            if (r.rms_mm_s > known.rms_mm_s) known.rms_mm_s = r.rms_mm_s;
        }
        stillness_close(&scene);
    }
    done = measured;
    *worst = known;
    return measured;
}

static bool restless(double *value) {
    stillness_result worst;
    bool measured = measure(&worst);
    *value = (double)worst.restless;
    return measured;
}

static bool knotted(double *value) {
    stillness_result worst;
    bool measured = measure(&worst);
    *value = (double)worst.knotted;
    return measured;
}

static bool rms_speed(double *value) {
    stillness_result worst;
    bool measured = measure(&worst);
    *value = worst.rms_mm_s;
    return measured;
}
