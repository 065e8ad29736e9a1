// Hours of abuse: everything stays finite, no segment ever stretches beyond what plait.h promises, and a second after the abuse
// ends all have their lengths again.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of a strand and of each segment, as plait.h promises; rounding adds up to 1 um over the length of a segment, here 5 mm or more.
#define MOST_STRETCH 0.04
#define ROUNDING_M 1e-6
#define ROUNDING (ROUNDING_M / 0.005)
#define MOST_STRETCH_AFTER 0.01 // a second after the last jump

static double uniform(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 * 2 - 1;
}

// The most that a segment is longer than in the groom, as the host sees it, less rounding.
static double stretch_of(struct rig *rig, const scene_groom *groom) {
    float *x = rig_positions(rig);
    double most = 0;
    for (uint32_t i = 0; i < 3 * rig->vertices; i++) assert_true(isfinite(x[i]) && fabsf(x[i]) < 10);
    for (uint32_t s = 0, v = 0; s < groom->strand_count; s++, v++)
        for (uint32_t end = v + groom->vertex_counts[s] - 1; v < end; v++) {
            double drawn = distance3(groom->positions + 3 * v, groom->positions + 3 * v + 3);
            most = fmax(most, (distance3(x + 3 * v, x + 3 * v + 3) - ROUNDING_M) / drawn - 1);
        }
    free(x);
    return most;
}

// A second of still bones and Earth's gravity.
static void rest(struct rig *rig, const float *bones) {
    for (int f = 0; f < 60; f++) rig_step(rig, 1.0f / 60, bones, true);
}

// The head jumps to a random place and orientation every frame, with any other input of a frame.
static void random_jumps(uint32_t frames, uint32_t strands) {
    scene_groom_options groom_options = {.strand_count = strands,
                                         .vertex_count = 24,
                                         .length_m = 0.25f,
                                         .length_variation = 0.5f,
                                         .radius_m = 4e-5f,
                                         .curl = SCENE_CURL_HELIX,
                                         .curl_radius_m = 0.006f,
                                         .curl_pitch_m = 0.04f,
                                         .style = SCENE_STYLE_COMBED,
                                         .bend_length_m = 0.05f,
                                         .seed = 11};
    scene_groom groom;
    assert_true(scene_groom_make(&groom_options, &groom));
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(&groom, &desc);
    scene_body body;
    scene_body_make(NULL, &body);
    plait_body_desc body_desc = PLAIT_BODY_DESC_INIT;
    scene_body_describe(&body, &body_desc);
    struct rig_options options = rig_options(&desc);
    options.body = &body_desc;
    struct rig rig = rig_open(&options);

    uint64_t seed = 99;
    double worst = 0, worst_segment = 0, mean = 0;
    float bind[SCENE_BONE_COUNT][12], bones[SCENE_BONE_COUNT][12];
    scene_bind_pose(bind);
    for (uint32_t f = 0; f < frames; f++) {
        memcpy(bones, bind, sizeof bones);
        double size = f % 1000 < 500 ? 0.05 : 0.5; // alternating small and large jumps
        float axis[3] = {(float)uniform(&seed), (float)uniform(&seed), (float)uniform(&seed)}, shift[3];
        double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]) + 1e-3;
        for (int c = 0; c < 3; c++) {
            axis[c] = (float)(axis[c] / length);
            shift[c] = bind[SCENE_BONE_HEAD][4 * c + 3] + (float)(size * uniform(&seed));
        }
        bone_make(bones[SCENE_BONE_HEAD], axis, 6 * size * uniform(&seed), shift);
        plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
        frame.dt = (float)(0.02 + 0.0199 * uniform(&seed));
        frame.bones = &bones[0][0];
        frame.bone_count = SCENE_BONE_COUNT;
        for (int c = 0; c < 3; c++) {
            frame.gravity[c] = (float)(20 * uniform(&seed));
            frame.wind[c] = (float)(30 * uniform(&seed));
        }
        assert_ok(plait_hair_step(rig.hair, &frame));
        if (f % 64 == 0) {
            plait_stats_info stats = rig_stats(&rig);
            assert_true(isfinite(stats.worst_stretch));
            if (stats.worst_stretch > worst) worst = stats.worst_stretch;
            mean += stats.mean_length_error / (frames / 64 + 1);
        }
        if (f % 16 == 0) worst_segment = fmax(worst_segment, stretch_of(&rig, &groom));
    }
    rest(&rig, &bones[0][0]);
    double after = stretch_of(&rig, &groom);
    plait_stats_info stats = rig_stats(&rig);
    printf("%u frames: worst stretch of a strand %.3f %%, of a segment %.3f %%, a second later %.4f %% and %.4f %%\n",
           frames, 100 * worst, 100 * worst_segment, 100 * (double)stats.worst_stretch, 100 * after);
    printf("mean length error %.4f %%, %llu strands reset\n", 100 * mean,
           (unsigned long long)stats.nonfinite_strand_count);
    assert_int_equal(stats.nonfinite_strand_count, 0);
    assert_true(worst <= MOST_STRETCH + ROUNDING && worst_segment <= MOST_STRETCH);
    assert_true(stats.worst_stretch < MOST_STRETCH_AFTER && after < MOST_STRETCH_AFTER);
    rig_close(&rig);
    scene_groom_free(&groom);
}

static void a_hundred_thousand_frames_of_random_jumps_stay_bounded(void **state) {
    (void)state;
    const char *frames = getenv("PLAIT_STABILITY_FRAMES"); // sanitizer builds run fewer
    // Rods in so much trouble take their steps in parts: fewer will do, and the soak has them all.
    uint32_t usual = test_solver() == PLAIT_SOLVER_HYBRID ? 10000 : 100000;
    random_jumps(frames ? (uint32_t)atoi(frames) : usual, 64);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_hundred_thousand_frames_of_random_jumps_stay_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
