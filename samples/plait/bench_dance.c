// Figures of a whole head with hair-hair forces: the Dance scene of Huang et al. 2023 (2,076 strands, 27,114 vertices, 3 to 25
// cm, three steps of the grid in one of the rods), on a mannequin that dances.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "host.h"

static bool frame_ms(double *value);
static bool ns_per_particle_step(double *value);
static bool inside_share(double *value);

static const bench_figure FIGURES[] = {
    {"dance.frame_ms", "ms", 8, BENCH_AT_MOST, frame_ms,
     "a frame of 1/60 s of the Dance scene on two threads; the median of 120, no output"},
    {"dance.inside_share", "%", 0.1, BENCH_AT_MOST, inside_share,
     "vertices of it that are more than 2 mm inside of a collider, mean over 120 frames"},
    {"mpm.ns_per_particle_step", "ns", 50, BENCH_AT_MOST, ns_per_particle_step,
     "one step of its grid on one core, per vertex: all stages behind the rods"},
};
const bench_table BENCH_DANCE = {FIGURES, sizeof FIGURES / sizeof *FIGURES, NULL};

enum { STRANDS = 2076, VERTICES = 27114, FRAMES = 120, WARM_UP = 30, MOST_STAGES = 128, GRID_STEPS = 6 };

typedef struct dancer {
    scene_groom groom;
    scene_body body;
    host host;
    uint32_t frame;
} dancer;

static bool dancer_open(dancer *d, uint32_t threads);
static void dancer_close(dancer *d);
static bool dancer_frame(dancer *d, double *seconds);
static void cut_vertices(scene_groom *groom);
static bool stage_seconds(const dancer *d, double *rods, double *grid);
static int compare_doubles(const void *a, const void *b);

static bool frame_ms(double *value) {
    dancer d;
    double times[FRAMES];
    bool measured = dancer_open(&d, 2);
    for (int f = 0; measured && f < WARM_UP; f++) measured = dancer_frame(&d, &times[0]);
    for (int f = 0; measured && f < FRAMES; f++) measured = dancer_frame(&d, &times[f]);
    if (measured) {
        double rods, grid;
        qsort(times, FRAMES, sizeof times[0], compare_doubles);
        *value = 1e3 * times[FRAMES / 2];
        if (stage_seconds(&d, &rods, &grid))
            printf("  of the time of all threads %.1f %% are the rods', %.1f %% the grid's\n",
                   100 * rods / (rods + grid), 100 * grid / (rods + grid));
    }
    dancer_close(&d);
    return measured;
}

static bool ns_per_particle_step(double *value) {
    dancer d;
    double seconds, rods, before, after;
    bool measured = dancer_open(&d, 1);
    for (int f = 0; measured && f < WARM_UP; f++) measured = dancer_frame(&d, &seconds);
    measured = measured && stage_seconds(&d, &rods, &before);
    for (int f = 0; measured && f < FRAMES; f++) measured = dancer_frame(&d, &seconds);
    measured = measured && stage_seconds(&d, &rods, &after);
    if (measured) *value = 1e9 * (after - before) / FRAMES / GRID_STEPS / VERTICES;
    dancer_close(&d);
    return measured;
}

static bool inside_share(double *value) {
    dancer d;
    double seconds;
    uint64_t inside = 0;
    float *x = malloc(3 * sizeof(float) * VERTICES);
    bool measured = x && dancer_open(&d, 2);
    for (int f = 0; measured && f < FRAMES; f++) {
        plait_output_attribute attribute = PLAIT_OUTPUT_ATTRIBUTE_INIT;
        plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
        float bones[SCENE_BONE_COUNT][12], outward[3];
        scene_body posed;
        attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
        attribute.format = PLAIT_FORMAT_FLOAT32X3;
        attribute.stride = 3 * sizeof(float);
        output.attribute_count = 1;
        output.attributes = &attribute;
        output.memory = x;
        output.size = 3 * sizeof(float) * VERTICES;
        measured = dancer_frame(&d, &seconds) && host_check(plait_hair_read(d.host.hair, &output), "plait_hair_read");
        scene_motion_pose(SCENE_MOTION_DANCE, d.frame / 60.0, 1, bones);
        scene_body_pose(&d.body, (const float(*)[12])bones, &posed);
        for (uint32_t v = 0; measured && v < VERTICES; v++)
            inside += scene_body_distance(&posed, x + 3 * (size_t)v, outward) < -2e-3f;
    }
    if (measured) *value = 100 * (double)inside / ((double)FRAMES * VERTICES);
    if (x) dancer_close(&d);
    free(x);
    return measured;
}

// Reports failures; call dancer_close in any case.
static bool dancer_open(dancer *d, uint32_t threads) {
    memset(d, 0, sizeof *d);
    scene_preset preset;
    plait_volume_params volume = PLAIT_VOLUME_PARAMS_INIT;
    if (!scene_preset_get(scene_preset_find("2a"), STRANDS, 14, 1, &preset)) return false;
    preset.groom.length_m = 0.14f;
    preset.groom.length_variation = 0.78f;
    if (!scene_groom_make(&preset.groom, &d->groom)) {
        fprintf(stderr, "plait bench: the groom could not be made\n");
        return false;
    }
    cut_vertices(&d->groom);
    scene_body_make(&preset.groom.scalp, &d->body);
    host_options where = {PLAIT_BACKEND_CPU, PLAIT_CPU_AUTO, threads};
    host_hair hair = {.groom = &d->groom, .body = &d->body, .solver = PLAIT_SOLVER_HYBRID, .step_rate_hz = 120};
    return host_open(&where, &d->host) && host_grow(&d->host, &hair) &&
           host_check(plait_volume_params_default(1, &volume), "plait_volume_params_default") &&
           host_check(plait_hair_set_volume(d->host.hair, &volume), "plait_hair_set_volume");
}

static void dancer_close(dancer *d) {
    host_close(&d->host);
    scene_groom_free(&d->groom);
}

static bool dancer_frame(dancer *d, double *seconds) {
    float bones[SCENE_BONE_COUNT][12];
    scene_motion_pose(SCENE_MOTION_DANCE, ++d->frame / 60.0, 1, bones);
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
static void cut_vertices(scene_groom *groom) {
    uint32_t from = 0, to = 0, longer = VERTICES - 13 * STRANDS;
    for (uint32_t s = 0; s < groom->strand_count; s++) {
        uint32_t kept = s < longer ? 14 : 13;
        memmove(groom->positions + 3 * (size_t)to, groom->positions + 3 * (size_t)from, 3 * sizeof(float) * kept);
        from += groom->vertex_counts[s];
        to += groom->vertex_counts[s] = kept;
    }
    groom->vertex_count = to;
}

// So far, of all threads: stages up to the last of the rods, and those behind.
static bool stage_seconds(const dancer *d, double *rods, double *grid) {
    plait_stage_info stages[MOST_STAGES];
    uint32_t count = MOST_STAGES, last = 0;
    for (int i = 0; i < MOST_STAGES; i++) stages[i] = (plait_stage_info)PLAIT_STAGE_INFO_INIT;
    if (!host_check(plait_hair_stages(d->host.hair, &count, stages), "plait_hair_stages")) return false;
    *rods = *grid = 0;
    for (uint32_t i = 0; i < count; i++)
        if (strncmp(stages[i].name, "rod_", 4) == 0) last = i;
    for (uint32_t i = 0; i < count; i++) *(i <= last ? rods : grid) += stages[i].total_s;
    return true;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}
