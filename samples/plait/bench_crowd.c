// Figures of many characters: what strands cost in many small heads of hair over what they cost in one large head.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "host.h"

static bool overhead(double *value);
static bool overhead_one_thread(double *value);
static bool overhead_hybrid(double *value);
static bool turns(double *value);

#define CROWD "200 heads of 100 strands of 32 over one head of 20,000, a vertex: runners, colliders, output; "
static const bench_figure FIGURES[] = {
    {"crowd.overhead", "x", 1.2, BENCH_AT_MOST, overhead, CROWD "solver shape, two threads"},
    {"crowd.overhead_one_thread", "x", 1.2, BENCH_AT_MOST, overhead_one_thread, CROWD "solver shape, one thread"},
    {"crowd.overhead_hybrid", "x", 1.2, BENCH_AT_MOST, overhead_hybrid, CROWD "solver hybrid, two threads"},
    {"crowd.in_turn", "x", 0, BENCH_NO_TARGET, turns,
     "the same 200 by plait_hair_step one after the other over plait_hairs_step; solver shape, two threads"},
};
const bench_table BENCH_CROWD = {FIGURES, sizeof FIGURES / sizeof *FIGURES, NULL};

enum { STRANDS = 20000, HEADS = 200, VERTICES = 32 };

// Heads of equal size with the strands that there are, each with its output.
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
    plait_output_attribute attribute = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
    attribute.format = PLAIT_FORMAT_FLOAT32X4;
    attribute.stride = 4 * sizeof(float);
    plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
    output.attribute_count = 1;
    output.attributes = &attribute;
    output.memory = h->output + (size_t)i * h->per_head * 4;
    output.size = (uint64_t)h->per_head * 4 * sizeof(float);
    return host_check(plait_hair_set_output(h->hairs[i], &output), "plait_hair_set_output");
}

static bool heads_open(heads *h, uint32_t count, uint32_t solver, uint32_t threads) {
    host_options where = {PLAIT_BACKEND_CPU, PLAIT_CPU_AUTO, threads};
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
    host_hair hair = {.groom = &groom, .body = &body, .solver = solver};
    bool opened = host_open(&where, &h->host);
    for (uint32_t i = 0; opened && i < count; i++) {
        opened = host_grow(&h->host, &hair);
        h->hairs[i] = h->host.hair;
        opened = opened && set_output(h, i);
        h->frames[i] = (plait_frame_desc)PLAIT_FRAME_DESC_INIT;
        h->frames[i].dt = 1.0f / 60;
        h->frames[i].gravity[1] = -9.81f;
        h->frames[i].bone_count = SCENE_BONE_COUNT;
        h->frames[i].bones = h->bones[0];
    }
    h->count = count;
    scene_groom_free(&groom);
    return opened;
}

// The context takes hairs along; host_close destroys the last itself.
static void heads_close(heads *h) {
    for (uint32_t i = 0; i + 1 < h->count; i++) plait_hair_destroy(h->hairs[i]);
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

static bool measure_overhead(uint32_t solver, uint32_t threads, double *value) {
    static heads many, one;
    bench_side sides[2] = {{step_at_once, &many, 0, 0}, {step_in_turn, &one, 0, 0}};
    bool measured = heads_open(&many, HEADS, solver, threads);
    measured = heads_open(&one, 1, solver, threads) && measured && bench_measure(sides, 2);
    if (measured) *value = sides[0].over_next;
    heads_close(&many);
    heads_close(&one);
    return measured;
}

static bool overhead(double *value) { return measure_overhead(PLAIT_SOLVER_SHAPE, 2, value); }
static bool overhead_one_thread(double *value) { return measure_overhead(PLAIT_SOLVER_SHAPE, 1, value); }
static bool overhead_hybrid(double *value) { return measure_overhead(PLAIT_SOLVER_HYBRID, 2, value); }

static bool turns(double *value) {
    static heads at_once, in_turn;
    bench_side sides[2] = {{step_in_turn, &in_turn, 0, 0}, {step_at_once, &at_once, 0, 0}};
    bool measured = heads_open(&at_once, HEADS, PLAIT_SOLVER_SHAPE, 2);
    measured = heads_open(&in_turn, HEADS, PLAIT_SOLVER_SHAPE, 2) && measured && bench_measure(sides, 2);
    if (measured) *value = sides[0].over_next;
    heads_close(&at_once);
    heads_close(&in_turn);
    return measured;
}
