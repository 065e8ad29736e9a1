// Figures of whole heads with hair-hair forces, three steps of the grid in one of the rods, on a mannequin that dances: the
// Dance scene of Huang et al. 2023 (2,076 strands, 27,114 vertices, 3 to 25 cm), their long hair, and more and more strands.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "host.h"
#include "machine.h"

static bool frame_ms(double *value);
static bool inside_share(double *value);
static bool restless_after(double *value);
static bool knotted(double *value);
static bool long_frame_ms(double *value);
static bool ns_per_particle_step(double *value);
static bool growth(double *value);
static bool dispatches(double *value);

static const bench_figure FIGURES[] = {
    {"dance.frame_ms", "ms", 8, BENCH_AT_MOST, frame_ms,
     "a frame of 1/60 s of the Dance scene on two threads; the median of 120, each the least of 5 runs; no output"},
    {"dance.inside_share", "%", 0.1, BENCH_AT_MOST, inside_share,
     "vertices of it that are more than 2 mm inside of a collider, mean over 120 frames"},
    {"dance.restless_after", "", 0, BENCH_AT_MOST, restless_after,
     "strands of it with a vertex faster than 1 cm/s, 5 to 6 s after 4 s of dancing"},
    {"dance.knotted", "", 0, BENCH_AT_MOST, knotted,
     "strands of it that turn by 540 degrees too much for half a second, at any time in these 10 s"},
    {"longhair.frame_ms", "ms", 14, BENCH_AT_MOST, long_frame_ms,
     "as dance.frame_ms with 1,053 strands, 43,262 vertices, 15 to 50 cm"},
    {"mpm.ns_per_particle_step", "ns", 50, BENCH_AT_MOST, ns_per_particle_step,
     "one step of the Dance scene's grid on one core, per vertex: all stages behind the rods; 120 frames, each the "
     "least of 5 runs"},
    {"hybrid.growth", "x", 1.25, BENCH_AT_MOST, growth,
     "cost of a vertex with 32,000 strands over that with 500; one thread, strands of 13"},
};
static const bench_figure VULKAN_FIGURES[] = {
    {"vulkan.dance_dispatches", "", 39, BENCH_AT_MOST, dispatches,
     "compute dispatches in a step of the Dance scene on Vulkan, three steps of the grid included"},
};
const bench_table BENCH_DANCE_VULKAN = {VULKAN_FIGURES, 1, bench_vulkan_available};
const bench_table BENCH_DANCE = {FIGURES, sizeof FIGURES / sizeof *FIGURES, NULL};

// Hair of one head.
typedef struct head {
    uint32_t strands, vertices; // of all strands: the first ones have one more than the others
    float length_m, length_variation;
} head;

static const head DANCE = {2076, 27114, 0.14f, 0.78f}, LONG_HAIR = {1053, 43262, 0.325f, 0.54f};

enum { FRAMES = 120, WARM_UP = 30, MOST_STAGES = 128, GRID_STEPS = 6 };

typedef struct dancer {
    scene_groom groom;
    scene_body body;
    host host;
    uint32_t frame;
    double moving_s; // then it stops
} dancer;

static bool dancer_open(dancer *d, const head *h, uint32_t backend, uint32_t threads, uint32_t flags);
static void dancer_close(dancer *d);
static bool dancer_frame(dancer *d, double *seconds);
static bool seconds_per_vertex(uint32_t strands, double *value);
static void cut_vertices(scene_groom *groom, uint32_t vertices);
static bool grid_seconds(const dancer *d, double *seconds);
static void print_stages(const dancer *d);

// A dancer that begins anew.
typedef struct rehearsal {
    const head *head;
    uint32_t threads;
    dancer dancer;
} rehearsal;

static bool rehearsal_begin(void *argument) {
    rehearsal *r = argument;
    dancer_close(&r->dancer);
    return dancer_open(&r->dancer, r->head, PLAIT_BACKEND_CPU, r->threads, 0);
}

static bool whole_frame(void *argument, double *seconds) {
    rehearsal *r = argument;
    return dancer_frame(&r->dancer, seconds);
}

static bool grid_of_frame(void *argument, double *seconds) {
    rehearsal *r = argument;
    double before, whole;
    bool measured =
        grid_seconds(&r->dancer, &before) && dancer_frame(&r->dancer, &whole) && grid_seconds(&r->dancer, seconds);
    *seconds -= before;
    return measured;
}

static bool median_frame_ms(const head *h, double *value) {
    rehearsal r = {.head = h, .threads = 2};
    const bench_film film = {rehearsal_begin, whole_frame, &r};
    double times[FRAMES], between[2];
    bool measured = machine_between_cores(&between[0]) && bench_film_frames(&film, WARM_UP, FRAMES, times) &&
                    machine_between_cores(&between[1]);
    if (measured) {
        *value = 1e3 * bench_median(times, FRAMES);
        printf("  from core to core    %5.0f ns before, %.0f ns after\n", 1e9 * between[0], 1e9 * between[1]);
        print_stages(&r.dancer);
    }
    dancer_close(&r.dancer);
    return measured;
}

static bool frame_ms(double *value) { return median_frame_ms(&DANCE, value); }
static bool long_frame_ms(double *value) { return median_frame_ms(&LONG_HAIR, value); }

static bool ns_per_particle_step(double *value) {
    rehearsal r = {.head = &DANCE, .threads = 1};
    const bench_film film = {rehearsal_begin, grid_of_frame, &r};
    double times[FRAMES], sum = 0;
    bool measured = bench_film_frames(&film, WARM_UP, FRAMES, times);
    for (int f = 0; measured && f < FRAMES; f++) sum += times[f];
    *value = 1e9 * sum / FRAMES / GRID_STEPS / DANCE.vertices;
    dancer_close(&r.dancer);
    return measured;
}

// The shortest of some frames.
static bool seconds_per_vertex(uint32_t strands, double *value) {
    enum { GROWTH_FRAMES = 12, GROWTH_WARM_UP = 4 };
    const head h = {strands, 13 * strands, DANCE.length_m, DANCE.length_variation};
    dancer d;
    double least = INFINITY, seconds;
    bool measured = dancer_open(&d, &h, PLAIT_BACKEND_CPU, 1, 0);
    for (int f = 0; measured && f < GROWTH_FRAMES; f++) {
        measured = dancer_frame(&d, &seconds);
        if (f >= GROWTH_WARM_UP) least = fmin(least, seconds);
    }
    *value = least / h.vertices;
    dancer_close(&d);
    return measured;
}

static bool growth(double *value) {
    static const uint32_t STRANDS[] = {500, 2000, 8000, 32000};
    double first = 0, here = 0;
    for (size_t i = 0; i < sizeof STRANDS / sizeof *STRANDS; i++) {
        if (!seconds_per_vertex(STRANDS[i], &here)) return false;
        if (i == 0) first = here;
        printf("  %6u strands: %.0f ns a vertex and frame\n", STRANDS[i], 1e9 * here);
    }
    *value = here / first;
    return true;
}

static bool dispatches(double *value) {
    const head few = {64, 64 * 13, DANCE.length_m, DANCE.length_variation}; // they are the same for any number
    dancer d;
    double seconds;
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    bool measured = dancer_open(&d, &few, PLAIT_BACKEND_VULKAN, 2, 0) && dancer_frame(&d, &seconds) &&
                    host_check(plait_hair_stats(d.host.hair, &stats), "plait_hair_stats");
    *value = stats.dispatches_per_step;
    dancer_close(&d);
    return measured;
}

typedef struct unrest {
    bool known;
    uint64_t restless, knotted;
} unrest;

// Both figures come from one run.
static bool watch(unrest *u) {
    enum { DANCING = 240, STOPPING = 30, STANDING = 360 };
    static unrest known;
    dancer d;
    double seconds;
    bool measured = known.known;
    if (!measured) {
        measured = dancer_open(&d, &DANCE, PLAIT_BACKEND_CPU, 2, PLAIT_HAIR_WATCH_MOTION);
        d.moving_s = DANCING / 60.0;
        for (int f = 1; measured && f <= DANCING + STOPPING + STANDING; f++) {
            plait_stats_info stats = PLAIT_STATS_INFO_INIT;
            measured =
                dancer_frame(&d, &seconds) && host_check(plait_hair_stats(d.host.hair, &stats), "plait_hair_stats");
            if (stats.knotted_strand_count > known.knotted) known.knotted = stats.knotted_strand_count;
            if (f > DANCING + STOPPING + STANDING - 60 && stats.restless_strand_count > known.restless)
                known.restless = stats.restless_strand_count;
        }
        known.known = measured;
        dancer_close(&d);
    }
    *u = known;
    return measured;
}

static bool restless_after(double *value) {
    unrest u;
    bool measured = watch(&u);
    *value = (double)u.restless;
    return measured;
}

static bool knotted(double *value) {
    unrest u;
    bool measured = watch(&u);
    *value = (double)u.knotted;
    return measured;
}

static bool inside_share(double *value) {
    dancer d;
    double seconds;
    uint64_t inside = 0;
    float *x = malloc(3 * sizeof(float) * DANCE.vertices);
    bool measured = x && dancer_open(&d, &DANCE, PLAIT_BACKEND_CPU, 2, 0);
    for (int f = 0; measured && f < FRAMES; f++) {
        host_output output;
        float bones[SCENE_BONE_COUNT][12], outward[3];
        scene_body posed;
        host_describe_output(DANCE.vertices, 3, x, &output);
        measured =
            dancer_frame(&d, &seconds) && host_check(plait_hair_read(d.host.hair, &output.desc), "plait_hair_read");
        scene_motion_pose(SCENE_MOTION_DANCE, d.frame / 60.0, 1, bones);
        scene_body_pose(&d.body, (const float(*)[12])bones, &posed);
        for (uint32_t v = 0; measured && v < DANCE.vertices; v++)
            inside += scene_body_distance(&posed, x + 3 * (size_t)v, outward) < -2e-3f;
    }
    if (measured) *value = 100 * (double)inside / ((double)FRAMES * DANCE.vertices);
    if (x) dancer_close(&d);
    free(x);
    return measured;
}

// Reports failures; call dancer_close in any case.
static bool dancer_open(dancer *d, const head *h, uint32_t backend, uint32_t threads, uint32_t flags) {
    memset(d, 0, sizeof *d);
    d->moving_s = 1e6;
    scene_preset preset;
    if (!scene_preset_get(scene_preset_find("2a"), h->strands, h->vertices / h->strands + 1, 1, &preset)) return false;
    preset.groom.length_m = h->length_m;
    preset.groom.length_variation = h->length_variation;
    if (!scene_groom_make(&preset.groom, &d->groom)) {
        fprintf(stderr, "plait bench: the groom could not be made\n");
        return false;
    }
    cut_vertices(&d->groom, h->vertices);
    scene_body_make(&preset.groom.scalp, &d->body);
    host_options where = {backend, PLAIT_CPU_AUTO, threads};
    host_hair hair = {.groom = &d->groom,
                      .body = &d->body,
                      .solver = PLAIT_SOLVER_HYBRID,
                      .step_rate_hz = 120,
                      .flags = flags,
                      .hair_hair = PLAIT_VOLUME_SAND};
    return host_open(&where, &d->host) && host_grow(&d->host, &hair);
}

static void dancer_close(dancer *d) {
    host_close(&d->host);
    scene_groom_free(&d->groom);
}

static bool dancer_frame(dancer *d, double *seconds) {
    float bones[SCENE_BONE_COUNT][12];
    scene_motion_pose(SCENE_MOTION_DANCE, scene_motion_until(++d->frame / 60.0, d->moving_s), 1, bones);
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.bone_count = SCENE_BONE_COUNT;
    frame.bones = bones[0];
    frame.gravity[1] = -9.81f;
    double before = host_seconds();
    bool stepped = host_check(plait_hair_step(d->host.hair, &frame), "plait_hair_step");
    *seconds = host_seconds() - before;
    return stepped;
}

// All but the first strands lose their last vertex, so that there are as many as the paper has.
static void cut_vertices(scene_groom *groom, uint32_t vertices) {
    uint32_t from = 0, to = 0, few = vertices / groom->strand_count, longer = vertices - few * groom->strand_count;
    for (uint32_t s = 0; s < groom->strand_count; s++) {
        uint32_t kept = s < longer ? few + 1 : few;
        memmove(groom->positions + 3 * (size_t)to, groom->positions + 3 * (size_t)from, 3 * sizeof(float) * kept);
        from += groom->vertex_counts[s];
        to += groom->vertex_counts[s] = kept;
    }
    groom->vertex_count = to;
}

// The stages of the hair. How many there are; 0 after reporting why not.
static uint32_t list_stages(const dancer *d, plait_stage_info stages[MOST_STAGES]) {
    uint32_t count = MOST_STAGES;
    for (int i = 0; i < MOST_STAGES; i++) stages[i] = (plait_stage_info)PLAIT_STAGE_INFO_INIT;
    return host_check(plait_hair_stages(d->host.hair, &count, stages), "plait_hair_stages") ? count : 0;
}

// Like the paper's table 3: what each kernel takes of the time of all threads.
static void print_stages(const dancer *d) {
    plait_stage_info stages[MOST_STAGES];
    uint32_t count = list_stages(d, stages);
    double all = 0;
    for (uint32_t i = 0; i < count; i++) all += stages[i].total_s;
    for (uint32_t i = 0; i < count; i++) {
        double own = 0;
        bool seen = false;
        for (uint32_t k = 0; k < count; k++) {
            bool same = strcmp(stages[k].name, stages[i].name) == 0;
            seen = seen || (same && k < i);
            own += same ? stages[k].total_s : 0;
        }
        if (!seen && own > 0.005 * all) printf("  %-20s %5.1f %%\n", stages[i].name, 100 * own / all);
    }
}

// So far, of all threads: stages behind the last of the rods.
static bool grid_seconds(const dancer *d, double *seconds) {
    plait_stage_info stages[MOST_STAGES];
    uint32_t count = list_stages(d, stages), first = 0;
    for (uint32_t i = 0; i < count; i++)
        if (strncmp(stages[i].name, "rod_", 4) == 0) first = i + 1;
    *seconds = 0;
    for (uint32_t i = first; i < count; i++) *seconds += stages[i].total_s;
    return count > 0;
}
