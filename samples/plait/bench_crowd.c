// Figures of many characters: what strands cost in many small heads of hair over what they cost in one large head.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "host.h"

static bool overhead(double *value);
static bool overhead_one_thread(double *value);
static bool overhead_hybrid(double *value);
static bool overhead_colliders(double *value);
static bool in_turn(double *value);

#define CROWD "a vertex in 200 heads of 100 strands of 32 over one in a head of 20,000: "
static const bench_figure FIGURES[] = {
    {"crowd.overhead", "x", 1.2, BENCH_AT_MOST, overhead, CROWD "runners, output, no colliders; two threads"},
    {"crowd.overhead_one_thread", "x", 1.2, BENCH_AT_MOST, overhead_one_thread, CROWD "the same; one thread"},
    {"crowd.overhead_hybrid", "x", 1.2, BENCH_AT_MOST, overhead_hybrid, CROWD "the same, solver hybrid; two threads"},
    {"crowd.overhead_colliders", "x", 0, BENCH_NO_TARGET, overhead_colliders,
     CROWD "with colliders, of which strands farther apart meet more; two threads"},
    {"crowd.in_turn", "x", 0, BENCH_NO_TARGET, in_turn,
     "200 heads of 100 strands of 32 by plait_hair_step over plait_hairs_step; two threads"},
};
const bench_table BENCH_CROWD = {FIGURES, sizeof FIGURES / sizeof *FIGURES, NULL};

enum { STRANDS = 20000, HEADS = 200, VERTICES = 32 };

typedef struct scenario {
    uint32_t solver, threads;
    bool colliders;
} scenario;

// Heads of equal size that have all the strands together, each with its output.
typedef struct heads {
    host host;
    uint32_t count, per_head; // heads, and vertices of each
    plait_hair hairs[HEADS];
    plait_frame_desc frames[HEADS];
    float bones[SCENE_BONE_COUNT][12];
    float *output; // [count][per_head][4]
    uint64_t frame;
} heads;

static bool set_output(heads *h, uint32_t i) {
    host_output output;
    host_describe_output(h->per_head, 4, h->output + (size_t)i * h->per_head * 4, &output);
    return host_check(plait_hair_set_output(h->hairs[i], &output.desc), "plait_hair_set_output");
}

static bool grow(heads *h, uint32_t i, const host_hair *hair) {
    bool grown = host_grow(&h->host, hair);
    h->hairs[i] = h->host.hair;
    h->host.hair.id = 0; // heads_close destroys them
    h->frames[i] = (plait_frame_desc)PLAIT_FRAME_DESC_INIT;
    h->frames[i].dt = 1.0f / 60;
    h->frames[i].gravity[1] = -9.81f;
    h->frames[i].bone_count = SCENE_BONE_COUNT;
    h->frames[i].bones = h->bones[0];
    return grown && set_output(h, i);
}

static bool heads_open(heads *h, uint32_t count, const scenario *scenario) {
    host_options where = {PLAIT_BACKEND_CPU, PLAIT_CPU_AUTO, scenario->threads};
    scene_preset preset;
    scene_groom groom;
    scene_body body;
    memset(h, 0, sizeof *h);
    scene_preset_get(scene_preset_find("2b"), STRANDS / count, VERTICES, 1, &preset);
    scene_body_make(&preset.groom.scalp, &body);
    h->per_head = STRANDS / count * VERTICES;
    h->output = malloc((size_t)STRANDS * VERTICES * 4 * sizeof *h->output);
    if (!h->output || !scene_groom_make(&preset.groom, &groom)) {
        fprintf(stderr, "plait bench: out of memory\n");
        return false;
    }
    host_hair hair = {.groom = &groom, .body = scenario->colliders ? &body : NULL, .solver = scenario->solver};
    bool opened = host_open(&where, &h->host);
    for (; opened && h->count < count; h->count++) opened = grow(h, h->count, &hair);
    scene_groom_free(&groom);
    return opened;
}

static void heads_close(heads *h) {
    for (uint32_t i = 0; i < h->count; i++) plait_hair_destroy(h->hairs[i]);
    host_close(&h->host);
    free(h->output);
}

static void pose(heads *h) { scene_motion_pose(SCENE_MOTION_RUN, (double)h->frame++ / 60, 1, h->bones); }

static bool step_at_once(void *argument) {
    heads *h = argument;
    pose(h);
    return host_check(plait_hairs_step(h->host.context, h->count, h->hairs, h->frames), "plait_hairs_step");
}

static bool step_in_turn(void *argument) {
    heads *h = argument;
    bool stepped = true;
    pose(h);
    for (uint32_t i = 0; i < h->count && stepped; i++)
        stepped = host_check(plait_hair_step(h->hairs[i], &h->frames[i]), "plait_hair_step");
    return stepped;
}

static bool measure_overhead(scenario scenario, double *value) {
    static heads many, one;
    bench_side sides[2] = {{step_at_once, &many, 0}, {step_in_turn, &one, 0}};
    bool measured = heads_open(&many, HEADS, &scenario);
    measured = heads_open(&one, 1, &scenario) && measured && bench_measure(sides, 2);
    if (measured) *value = bench_ratio(sides);
    heads_close(&many);
    heads_close(&one);
    return measured;
}

static bool overhead(double *value) { return measure_overhead((scenario){PLAIT_SOLVER_SHAPE, 2, false}, value); }
static bool overhead_one_thread(double *value) {
    return measure_overhead((scenario){PLAIT_SOLVER_SHAPE, 1, false}, value);
}
static bool overhead_hybrid(double *value) {
    return measure_overhead((scenario){PLAIT_SOLVER_HYBRID, 2, false}, value);
}
static bool overhead_colliders(double *value) {
    return measure_overhead((scenario){PLAIT_SOLVER_SHAPE, 2, true}, value);
}

static bool in_turn(double *value) {
    static heads these, those;
    scenario scenario = {PLAIT_SOLVER_SHAPE, 2, false};
    bench_side sides[2] = {{step_in_turn, &these, 0}, {step_at_once, &those, 0}};
    bool measured = heads_open(&these, HEADS, &scenario);
    measured = heads_open(&those, HEADS, &scenario) && measured && bench_measure(sides, 2);
    if (measured) *value = bench_ratio(sides);
    heads_close(&these);
    heads_close(&those);
    return measured;
}
