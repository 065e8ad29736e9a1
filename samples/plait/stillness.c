// See stillness.h.
#include "stillness.h"

#include <stdio.h>
#include <string.h>

static const double FPS = 60, STANDING_S = 6, STILL_S = 10;

static bool step(const host *h, const stillness_case *c, double time_s);
static bool look(const host *h, stillness_result *result);
static double larger(double a, double b) { return a > b ? a : b; }

bool stillness_open(stillness_scene *scene, const char *command, uint32_t preset, uint32_t strands) {
    memset(scene, 0, sizeof *scene);
    scene_preset_get(preset, strands, 0, 1, &scene->preset);
    scene_body_make(&scene->preset.groom.scalp, &scene->body);
    if (scene_groom_make(&scene->preset.groom, &scene->groom)) return true;
    fprintf(stderr, "%s: out of memory\n", command);
    return false;
}

void stillness_close(stillness_scene *scene) { scene_groom_free(&scene->groom); }

bool stillness_measure(const stillness_scene *scene, const host_options *where, const stillness_case *c,
                       stillness_result *result) {
    host_hair hair = {.groom = &scene->groom,
                      .body = &scene->body,
                      .solver = c->solver,
                      .params = c->solver == PLAIT_SOLVER_SHAPE ? &scene->preset.shape : NULL,
                      .step_rate_hz = c->step_rate_hz,
                      .substeps = c->substeps,
                      .flags = PLAIT_HAIR_WATCH_MOTION,
                      .hair_hair = c->hair_hair};
    double moving_s = (double)c->moving_s + SCENE_MOTION_STOP_S + STANDING_S;
    uint32_t frames = (uint32_t)(FPS * (c->motion == SCENE_MOTION_STILL ? STILL_S : moving_s) + 0.5);
    host h = {0};
    memset(result, 0, sizeof *result);
    bool done = host_open(where, &h) && host_grow(&h, &hair);
    for (uint32_t frame = 1; done && frame <= frames; frame++) {
        done = step(&h, c, frame / FPS);
        if (done && frame + FPS > frames) done = look(&h, result);
    }
    host_close(&h);
    return done;
}

static bool step(const host *h, const stillness_case *c, double time_s) {
    float bones[SCENE_BONE_COUNT][12];
    scene_motion_pose(c->motion, scene_motion_until(time_s, (double)c->moving_s), 1, bones);
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = (float)(1 / FPS);
    frame.bone_count = SCENE_BONE_COUNT;
    frame.bones = bones[0];
    frame.gravity[1] = -9.81f;
    return host_check(plait_hair_step(h->hair, &frame), "plait_hair_step");
}

static bool look(const host *h, stillness_result *result) {
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    if (!host_check(plait_hair_stats(h->hair, &stats), "plait_hair_stats")) return false;
    if (stats.restless_strand_count > result->restless) result->restless = stats.restless_strand_count;
    if (stats.knotted_strand_count > result->knotted) result->knotted = stats.knotted_strand_count;
    result->rms_mm_s = larger(result->rms_mm_s, 1e3 * (double)stats.rms_speed);
    result->fastest_mm_s = larger(result->fastest_mm_s, 1e3 * (double)stats.fastest_speed);
    return true;
}
