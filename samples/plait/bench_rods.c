// Figures of the hybrid solver's rods on the CPU, on one core: a whole plait_hair_step of 1/60 s at 60 steps per second with
// gravity, bones at rest, no colliders and no output; 960 curly strands of 30 cm.
#include <stdio.h>

#include "bench.h"
#include "host.h"

static bool ns_per_vertex_13(double *value);
static bool ns_per_vertex_41(double *value);
static bool ns_per_vertex_100(double *value);

static const bench_figure FIGURES[] = {
    {"rod.ns_per_vertex_13", "ns", 200, BENCH_AT_MOST, ns_per_vertex_13},
    {"rod.ns_per_vertex_41", "ns", 200, BENCH_AT_MOST, ns_per_vertex_41},
    {"rod.ns_per_vertex_100", "ns", 200, BENCH_AT_MOST, ns_per_vertex_100},
};
const bench_table BENCH_RODS = {FIGURES, sizeof FIGURES / sizeof *FIGURES, NULL};

static bool ns_per_vertex(uint32_t vertices, double *value);
static bool step(void *argument);

static bool ns_per_vertex_13(double *value) { return ns_per_vertex(13, value); }
static bool ns_per_vertex_41(double *value) { return ns_per_vertex(41, value); }
static bool ns_per_vertex_100(double *value) { return ns_per_vertex(100, value); }

static bool ns_per_vertex(uint32_t vertices, double *value) {
    host_options options = {PLAIT_BACKEND_CPU, PLAIT_CPU_AUTO, 1};
    scene_groom_options shape = {.vertex_count = vertices,
                                 .length_m = 0.3f,
                                 .radius_m = 4e-5f,
                                 .curl_radius_m = 0.008f,
                                 .curl_pitch_m = 0.04f,
                                 .seed = 1};
    scene_groom groom;
    if (!scene_groom_icosphere(2, &shape, &groom)) {
        fprintf(stderr, "plait bench: out of memory\n");
        return false;
    }
    host h;
    host_hair hair = {.groom = &groom, .solver = PLAIT_SOLVER_HYBRID, .step_rate_hz = 60};
    bench_side side = {step, &h, 0, 0};
    bool measured = host_open(&options, &h) && host_grow(&h, &hair) && bench_measure(&side, 1);
    if (measured) *value = 1e9 * side.seconds / groom.vertex_count;
    host_close(&h);
    scene_groom_free(&groom);
    return measured;
}

static bool step(void *argument) {
    const host *h = argument;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.gravity[1] = -9.81f;
    return host_check(plait_hair_step(h->hair, &frame), "plait_hair_step");
}
