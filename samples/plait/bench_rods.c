// Figures of the hybrid solver's rods on the CPU: speed of a step, how often one is cut short, and how far a tiny push spreads.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "stillness.h"
#include "workload.h"

static bool ns_per_vertex_13(double *value);
static bool ns_per_vertex_41(double *value);
static bool ns_per_vertex_100(double *value);
static bool ns_per_vertex_scene(double *value);
static bool two_threads_scene(double *value);
static bool cut_short(double *value);
static bool divergence(double *value);
static bool divergence_480(double *value);
static bool divergence_free(double *value);

static const bench_figure FIGURES[] = {
    {"rod.ns_per_vertex_13", "ns", 85, BENCH_AT_MOST, ns_per_vertex_13,
     "one step of hybrid on one core, per vertex: 960 strands of 13"},
    {"rod.ns_per_vertex_41", "ns", 95, BENCH_AT_MOST, ns_per_vertex_41, "the same with strands of 41"},
    {"rod.ns_per_vertex_100", "ns", 115, BENCH_AT_MOST, ns_per_vertex_100, "the same with strands of 100"},
    {"rod.ns_per_vertex_scene", "ns", 80, BENCH_AT_MOST, ns_per_vertex_scene,
     "the same on a runner with colliders: 4,000 strands of 3a; the least of 60 frames in 5 runs, no output"},
    {"rod.two_threads_scene", "x", 1.8, BENCH_AT_LEAST, two_threads_scene,
     "two threads over one on that runner, least frame against least frame"},
    {"rod.cut_short", "%", 0.1, BENCH_AT_MOST, cut_short,
     "strand-steps with a segment held at 1.04 of its length, or not finite; 2 s of a run, worst of 1a, 3b, 4a, 4c"},
    {"contact.divergence_mm", "mm", 5, BENCH_AT_MOST, divergence,
     "rms distance of two runs after 3 s, if the head was off by 1 um in one frame; hybrid, 200 strands of 1b"},
    {"contact.divergence_480_mm", "mm", 0, BENCH_NO_TARGET, divergence_480, "the same at 480 steps a second"},
    {"contact.divergence_free_mm", "mm", 0, BENCH_NO_TARGET, divergence_free, "the same without colliders"},
};
const bench_table BENCH_RODS = {FIGURES, sizeof FIGURES / sizeof *FIGURES, NULL};

// A mannequin that runs, at 60 frames a second.
typedef struct runner {
    stillness_scene scene;
    host host;
    float *positions; // [vertices][3], see runner_read
    uint32_t frame;
} runner;

static bool ns_per_vertex(uint32_t vertices, double *value);
static bool least_frames(double seconds[2], double *vertices);
static bool diverge(float step_rate_hz, bool colliders, double *value);
static bool count_cut(const char *type, double *share);
static bool runner_open(runner *r, const char *type, uint32_t strands, uint32_t threads, float step_rate_hz,
                        bool colliders);
static void runner_close(runner *r);
static bool runner_frame(runner *r, float off_m);
static bool runner_read(runner *r);
static double distance(const float *a, const float *b);

static bool ns_per_vertex_13(double *value) { return ns_per_vertex(13, value); }
static bool ns_per_vertex_41(double *value) { return ns_per_vertex(41, value); }
static bool ns_per_vertex_100(double *value) { return ns_per_vertex(100, value); }

static bool ns_per_vertex_scene(double *value) {
    double seconds[2], vertices;
    bool measured = least_frames(seconds, &vertices);
    if (measured) *value = 1e9 * seconds[0] / vertices;
    return measured;
}

static bool two_threads_scene(double *value) {
    double seconds[2], vertices;
    bool measured = least_frames(seconds, &vertices);
    if (measured) *value = seconds[0] / seconds[1];
    return measured;
}

static bool cut_short(double *value) {
    static const char *const TYPES[] = {"1a", "3b", "4a", "4c"};
    *value = 0;
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        double share;
        if (!count_cut(TYPES[i], &share)) return false;
        if (100 * share > *value) *value = 100 * share;
    }
    return true;
}

static bool divergence(double *value) { return diverge(60, true, value); }
static bool divergence_480(double *value) { return diverge(480, true, value); }
static bool divergence_free(double *value) { return diverge(60, false, value); }

static bool ns_per_vertex(uint32_t vertices, double *value) {
    workload w;
    bench_side side = {workload_step, &w, 0};
    bool measured = workload_open(&w, PLAIT_SOLVER_HYBRID, 2, vertices, 1, PLAIT_CPU_AUTO) && bench_measure(&side, 1);
    if (measured) *value = 1e9 * side.seconds / w.particles;
    host_close(&w.host);
    return measured;
}

// Runners on one thread and on two, which take turns.
typedef struct pair {
    runner runners[2];
    int turn; // whose frame is next
} pair;

static void pair_close(pair *p) {
    for (int i = 0; i < 2; i++) runner_close(&p->runners[i]);
}

static bool pair_begin(void *argument) {
    pair *p = argument;
    pair_close(p);
    p->turn = 0;
    return runner_open(&p->runners[0], "3a", 4000, 1, 60, true) && runner_open(&p->runners[1], "3a", 4000, 2, 60, true);
}

static bool pair_frame(void *argument, double *seconds) {
    pair *p = argument;
    double before = host_seconds();
    bool stepped = runner_frame(&p->runners[p->turn], 0);
    *seconds = host_seconds() - before;
    p->turn = 1 - p->turn;
    return stepped;
}

// Shortest frame of the second second of a run, on one thread and on two. Both figures come from one measurement.
static bool least_frames(double seconds[2], double *vertices) {
    enum { FRAMES = 60, UNMEASURED = 60 };
    static double known[2], known_vertices; // 0: not measured yet
    if (known_vertices == 0) {
        pair p = {0};
        const bench_film film = {pair_begin, pair_frame, &p};
        double times[2 * FRAMES];
        bool measured = bench_film_frames(&film, 2 * UNMEASURED, 2 * FRAMES, times);
        for (int i = 0; measured && i < 2 * FRAMES; i++)
            if (i < 2 || times[i] < known[i % 2]) known[i % 2] = times[i];
        if (measured) known_vertices = p.runners[0].scene.groom.vertex_count;
        pair_close(&p);
    }
    seconds[0] = known[0];
    seconds[1] = known[1];
    *vertices = known_vertices;
    return known_vertices > 0;
}

// Share of strand-steps of two seconds of running, in steps of 1/120 s.
static bool count_cut(const char *type, double *share) {
    enum { STRANDS = 200, FRAMES = 120, STEPS = 2 * FRAMES };
    runner r;
    bool counted = runner_open(&r, type, STRANDS, 1, 60, true);
    for (uint32_t i = 0; counted && i < FRAMES; i++) counted = runner_frame(&r, 0);
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    counted = counted && host_check(plait_hair_stats(r.host.hair, &stats), "plait_hair_stats");
    if (counted) *share = (double)(stats.cut_strand_count + stats.nonfinite_strand_count) / (STRANDS * STEPS);
    runner_close(&r);
    return counted;
}

static bool diverge(float step_rate_hz, bool colliders, double *value) {
    enum { STRANDS = 200, FRAMES = 180 };
    runner plain = {0}, pushed = {0};
    bool measured = runner_open(&plain, "1b", STRANDS, 1, step_rate_hz, colliders) &&
                    runner_open(&pushed, "1b", STRANDS, 1, step_rate_hz, colliders);
    for (int i = 0; measured && i < FRAMES; i++)
        measured = runner_frame(&plain, 0) && runner_frame(&pushed, i == 0 ? 1e-6f : 0);
    measured = measured && runner_read(&plain) && runner_read(&pushed);
    if (measured) {
        double squares = 0;
        uint32_t vertices = plain.scene.groom.vertex_count;
        for (uint32_t v = 0; v < vertices; v++) {
            double apart = distance(plain.positions + 3 * (size_t)v, pushed.positions + 3 * (size_t)v);
            squares += apart * apart;
        }
        *value = 1e3 * sqrt(squares / vertices);
    }
    runner_close(&plain);
    runner_close(&pushed);
    return measured;
}

// Hybrid with its defaults. Reports failures; call runner_close in any case.
static bool runner_open(runner *r, const char *type, uint32_t strands, uint32_t threads, float step_rate_hz,
                        bool colliders) {
    *r = (runner){0};
    if (!stillness_open(&r->scene, "plait bench", scene_preset_find(type), strands)) return false;
    r->positions = malloc(3 * sizeof(float) * r->scene.groom.vertex_count);
    if (!r->positions) {
        fprintf(stderr, "plait bench: out of memory\n");
        return false;
    }
    host_options where = {PLAIT_BACKEND_CPU, PLAIT_CPU_AUTO, threads};
    host_hair hair = {.groom = &r->scene.groom,
                      .body = colliders ? &r->scene.body : NULL,
                      .solver = PLAIT_SOLVER_HYBRID,
                      .step_rate_hz = step_rate_hz};
    return host_open(&where, &r->host) && host_grow(&r->host, &hair);
}

static void runner_close(runner *r) {
    host_close(&r->host);
    stillness_close(&r->scene);
    free(r->positions);
    *r = (runner){0};
}

// off_m: how far the head is beside its place in this frame.
static bool runner_frame(runner *r, float off_m) {
    float bones[SCENE_BONE_COUNT][12];
    scene_motion_pose(SCENE_MOTION_RUN, ++r->frame / 60.0, 1, bones);
    bones[SCENE_BONE_HEAD][3] += off_m;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.bone_count = SCENE_BONE_COUNT;
    frame.bones = bones[0];
    frame.gravity[1] = -9.81f;
    return host_check(plait_hair_step(r->host.hair, &frame), "plait_hair_step");
}

static bool runner_read(runner *r) {
    host_output output;
    host_describe_output(r->scene.groom.vertex_count, 3, r->positions, &output);
    return host_check(plait_hair_read(r->host.hair, &output.desc), "plait_hair_read");
}

static double distance(const float *a, const float *b) {
    double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1], z = (double)a[2] - (double)b[2];
    return sqrt(x * x + y * y + z * z);
}
