// Hours of abuse: everything stays finite, and strands never stretch beyond what a contact can cause.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double uniform(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 * 2 - 1;
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
    double worst = 0, mean = 0;
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
        if (f % 256 == 0) {
            float *p = rig_positions(&rig);
            for (uint32_t i = 0; i < 3 * rig.vertices; i++) assert_true(isfinite(p[i]) && fabsf(p[i]) < 10);
            free(p);
        }
    }
    plait_stats_info stats = rig_stats(&rig);
    printf("%u frames: worst stretch %.3f %%, mean length error %.4f %%, %llu strands reset\n", frames, 100 * worst,
           100 * mean, (unsigned long long)stats.nonfinite_strand_count);
    assert_int_equal(stats.nonfinite_strand_count, 0);
    assert_true(worst <= 0.1001); // as plait.h promises
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
