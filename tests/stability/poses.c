// Hair-hair forces under the test of Huang et al. 2023, sec. 4.3: the head has another pose in every frame, anywhere within a
// metre and turned any way. Nothing is ever not finite or torn, and when it ends hair comes to rest.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REST_FRAMES = 360 };

static uint64_t seed = 88172645463325252u;

static double uniform(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}

// All bones go the same way: colliders stay in their places on the head.
static void random_pose(float bones[SCENE_BONE_COUNT][12]) {
    float bind[SCENE_BONE_COUNT][12], move[12], axis[3], shift[3];
    double size = 1e-6;
    for (int c = 0; c < 3; c++) {
        axis[c] = (float)uniform();
        shift[c] = (float)uniform();
        size += (double)axis[c] * axis[c];
    }
    for (int c = 0; c < 3; c++) axis[c] = (float)(axis[c] / sqrt(size));
    bone_make(move, axis, 3.14 * uniform(), shift);
    scene_bind_pose(bind);
    for (int b = 0; b < SCENE_BONE_COUNT; b++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 4; j++) {
                double sum = j == 3 ? (double)move[4 * i + 3] : 0;
                for (int k = 0; k < 3; k++) sum += (double)move[4 * i + k] * bind[b][4 * k + j];
                bones[b][4 * i + j] = (float)sum;
            }
}

static void endure(uint32_t model, float flip_ratio, int frames) {
    scene_preset preset;
    scene_groom groom;
    scene_body body;
    assert_true(scene_preset_get(scene_preset_find("2a"), 16, 9, 5, &preset));
    preset.groom.length_m = 0.12f;
    assert_true(scene_groom_make(&preset.groom, &groom));
    scene_body_make(&preset.groom.scalp, &body);
    plait_groom_desc groom_desc = PLAIT_GROOM_DESC_INIT;
    plait_body_desc body_desc = PLAIT_BODY_DESC_INIT;
    scene_groom_describe(&groom, &groom_desc);
    scene_body_describe(&body, &body_desc);
    struct rig_options options = rig_options(&groom_desc);
    plait_volume_params volume = PLAIT_VOLUME_PARAMS_INIT;
    options.body = &body_desc;
    options.solver = PLAIT_SOLVER_HYBRID;
    options.hair.flags = PLAIT_HAIR_WATCH_MOTION;
    struct rig rig = rig_open(&options);
    assert_ok(plait_volume_params_default(1, &volume));
    volume.model = model;
    volume.flip_ratio = flip_ratio;
    assert_ok(plait_hair_set_volume(rig.hair, &volume));
    float bones[SCENE_BONE_COUNT][12];
    double worst = 0;
    for (int f = 0; f < frames; f++) {
        random_pose(bones);
        rig_step(&rig, 1.0f / 60, &bones[0][0], true);
        if (f % 64 != 0) continue;
        plait_stats_info stats = rig_stats(&rig);
        assert_true(isfinite(stats.worst_stretch) && isfinite(stats.fastest_speed));
        worst = fmax(worst, stats.worst_stretch);
    }
    scene_bind_pose(bones);
    for (int f = 0; f < REST_FRAMES; f++) rig_step(&rig, 1.0f / 60, &bones[0][0], true);
    plait_stats_info stats = rig_stats(&rig);
    printf("%d poses: stretched by %.3f at most, %.4f after it; fastest %.2f mm/s then\n", frames, worst,
           (double)stats.worst_stretch, 1e3 * (double)stats.fastest_speed);
    assert_int_equal(stats.nonfinite_strand_count, 0);
    assert_true(worst < 0.095 && stats.worst_stretch < 0.05);
    assert_true(stats.fastest_speed < 0.1f);
    rig_close(&rig);
    scene_groom_free(&groom);
}

static void a_head_that_is_elsewhere_in_every_frame_keeps_its_hair(void **state) {
    (void)state;
    const char *asked = getenv("PLAIT_STABILITY_FRAMES");
    endure(PLAIT_VOLUME_SAND, 0.3f, asked ? atoi(asked) : 20000);
    endure(PLAIT_VOLUME_SAND, 1, 2000);
    endure(PLAIT_VOLUME_FLUID, 0.3f, 2000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_head_that_is_elsewhere_in_every_frame_keeps_its_hair)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
