// See drawn_shape.h.
#include "drawn_shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double FPS = 60, STANDING_S = 3, GRAVITY = 9.81;

static bool open_hair(host *h, const scene_groom *groom, const scene_body *body, const host_options *where,
                      const drawn_shape_case *c, float *positions, drawn_shape_result *result);
static bool step(const host *h, const drawn_shape_case *c, double time_s, float head[12]);
static uint32_t raised(const scene_groom *groom, const float *positions, const float head[12]);
static void compare(const scene_groom *groom, const float *positions, drawn_shape_result *result);

bool drawn_shape_measure(const scene_groom *groom, const scene_body *body, const host_options *where,
                         const drawn_shape_case *c, drawn_shape_result *result) {
    uint32_t frames = (uint32_t)(FPS * ((double)c->moving_s + SCENE_MOTION_STOP_S + STANDING_S) + 0.5);
    float *positions = malloc(3 * (size_t)groom->vertex_count * sizeof *positions), head[12];
    host h = {0};
    memset(result, 0, sizeof *result);
    if (!positions) fprintf(stderr, "plait: out of memory\n");
    bool done = positions && open_hair(&h, groom, body, where, c, positions, result);
    for (uint32_t frame = 1; done && frame <= frames; frame++) {
        done = step(&h, c, frame / FPS, head);
        uint32_t now = done ? raised(groom, positions, head) : 0;
        if (now > result->raised_between) result->raised_between = now;
        result->raised = now;
    }
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    done = done && host_check(plait_hair_stats(h.hair, &stats), "plait_hair_stats");
    result->sagging = stats.sagging_strand_count;
    result->restless = stats.restless_strand_count;
    result->rms_mm_s = 1e3 * (double)stats.rms_speed;
    if (done) compare(groom, positions, result);
    host_close(&h);
    free(positions);
    return done;
}

static bool open_hair(host *h, const scene_groom *groom, const scene_body *body, const host_options *where,
                      const drawn_shape_case *c, float *positions, drawn_shape_result *result) {
    plait_hybrid_params params = PLAIT_HYBRID_PARAMS_INIT;
    if (!host_check(plait_hybrid_params_default(1, &params), "plait_hybrid_params_default")) return false;
    if (c->sag_free) params.rest_gravity[1] = (float)-GRAVITY;
    host_hair hair = {.groom = groom,
                      .body = body,
                      .solver = PLAIT_SOLVER_HYBRID,
                      .params = &params,
                      .step_rate_hz = c->step_rate_hz,
                      .substeps = c->substeps,
                      .flags = PLAIT_HAIR_WATCH_MOTION,
                      .hair_hair = c->hair_hair};
    if (!host_open(where, h)) return false;
    double before = host_seconds();
    if (!host_grow(h, &hair)) return false;
    result->create_us = 1e6 * (host_seconds() - before) / groom->vertex_count;
    host_output output;
    host_describe_output(groom->vertex_count, 3, positions, &output);
    return host_check(plait_hair_set_output(h->hair, &output.desc), "plait_hair_set_output");
}

static bool step(const host *h, const drawn_shape_case *c, double time_s, float head[12]) {
    float bones[SCENE_BONE_COUNT][12];
    scene_motion_and_back(c->motion, time_s, (double)c->moving_s, 1, bones);
    memcpy(head, bones[SCENE_BONE_HEAD], sizeof bones[0]);
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = (float)(1 / FPS);
    frame.bone_count = SCENE_BONE_COUNT;
    frame.bones = bones[0];
    frame.gravity[1] = (float)-GRAVITY;
    return host_check(plait_hair_step(h->hair, &frame), "plait_hair_step") &&
           host_check(plait_hair_wait(h->hair, UINT64_MAX), "plait_hair_wait");
}

// Height in the head's bone, which does not turn in the bind pose: y of its inverse.
static double height(const float head[12], const float *p) {
    double y = 0;
    for (int c = 0; c < 3; c++) y += (double)head[4 * c + 1] * ((double)p[c] - (double)head[4 * c + 3]);
    return y;
}

static uint32_t raised(const scene_groom *groom, const float *positions, const float head[12]) {
    const float *bind = groom->bind_pose[SCENE_BONE_HEAD], *drawn = groom->positions, *now = positions;
    uint32_t count = 0;
    for (uint32_t s = 0; s < groom->strand_count; s++) {
        double highest = -1e30, most = -1e30;
        for (uint32_t v = 0; v < groom->vertex_counts[s]; v++, drawn += 3, now += 3) {
            highest = fmax(highest, height(bind, drawn));
            most = fmax(most, height(head, now));
        }
        count += most > highest + 1e-3 * DRAWN_SHAPE_RAISED_MM;
    }
    return count;
}

static void compare(const scene_groom *groom, const float *positions, drawn_shape_result *result) {
    const float *drawn = groom->positions, *now = positions;
    double all = 0;
    for (uint32_t s = 0; s < groom->strand_count; s++) {
        double sum = 0;
        for (uint32_t v = 0; v < groom->vertex_counts[s]; v++, drawn += 3, now += 3)
            sum += 1e3 * sqrt(pow((double)now[0] - (double)drawn[0], 2) + pow((double)now[1] - (double)drawn[1], 2) +
                              pow((double)now[2] - (double)drawn[2], 2));
        double mean = sum / groom->vertex_counts[s];
        result->worst_mm = fmax(result->worst_mm, mean);
        result->far += mean > DRAWN_SHAPE_FAR_MM;
        all += sum;
    }
    result->mean_mm = all / groom->vertex_count;
}
