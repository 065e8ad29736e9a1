// Time: the same motion with frames of any length.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A head that moves and turns at constant rates: frames of any length sample the very same motion.
static void head_at(double time, float bone[12]) {
    float shift[3] = {(float)(0.3 * time), (float)(0.1 * time), 0};
    bone_make(bone, (float[3]){0.6f, 0.8f, 0}, 1.5 * time, shift);
}

// Strands after `seconds` cut into frames whose lengths come from `dt`, called with the frame's number.
static float *run_frames(double seconds, double (*dt)(uint32_t), struct rig *rig) {
    struct straight s = straight_make(20, 25, 0.2f, (float[3]){0, -1, 0});
    struct rig_options options = rig_options(&s.desc);
    *rig = rig_open(&options);
    double time = 0;
    for (uint32_t f = 0; time < seconds - 1e-9; f++) {
        double length = fmin(dt(f), seconds - time);
        time += length;
        float bone[12];
        head_at(time, bone);
        rig_step(rig, (float)length, bone, true);
    }
    float *positions = rig_positions(rig);
    straight_free(&s);
    return positions;
}

// The first frame is cut, so that frames are no whole steps here either, and all show strands a step late.
static double first_cut(uint32_t f, double length) { return f == 0 ? 0.3 * length : f == 1 ? 0.7 * length : length; }
static double at_30(uint32_t f) { return first_cut(f, 1.0 / 30); }
static double at_60(uint32_t f) { return first_cut(f, 1.0 / 60); }
static double at_144(uint32_t f) { return (void)f, 1.0 / 144; }
static double at_1000(uint32_t f) { return (void)f, 1.0 / 1000; }
static double uneven(uint32_t f) { return 0.001 * (1 + (f * 7919) % 40); }

// 0.1 mm on strands of 20 cm. The only difference is rounding: the frames' lengths are float32 numbers, and rotations
// are interpolated between float32 matrices.
static void a_second_is_the_same_at_any_frame_rate(void **state) {
    (void)state;
    struct rig rig;
    float *reference = run_frames(1, at_60, &rig);
    assert_int_equal(rig_stats(&rig).step_count, 60);
    rig_close(&rig);
    double (*const rates[])(uint32_t) = {at_30, at_144, at_1000, uneven};
    static const char *const names[] = {"30", "144", "1000", "uneven"};
    for (int i = 0; i < 4; i++) {
        float *positions = run_frames(1, rates[i], &rig);
        double difference = largest_difference(positions, reference, rig.vertices);
        printf("%s Hz against 60 Hz: %.2e m\n", names[i], difference);
        assert_int_equal(rig_stats(&rig).step_count, 60);
        assert_true(difference < 1e-4);
        free(positions);
        rig_close(&rig);
    }
    free(reference);
}

static void a_hitch_is_clamped_and_counted(void **state) {
    (void)state;
    struct straight s = straight_make(2, 5, 0.1f, (float[3]){0, -1, 0});
    struct rig_options options = rig_options(&s.desc);
    options.hair.max_frame_s = 0.2f;
    struct rig rig = rig_open(&options);
    float bone[12];
    bone_make(bone, (float[3]){0, 1, 0}, 0.4, (float[3]){0.2f, 0, 0});
    rig_step(&rig, 5.0f, bone, true);
    plait_stats_info stats = rig_stats(&rig);
    assert_int_equal(stats.step_count, 12);
    assert_int_equal(stats.clamped_frame_count, 1);
    float *p = rig_positions(&rig);
    assert_true(fabs(p[0] - 0.2) < 1e-6); // the root is where the bones are, not where a fifth of a second took it
    free(p);
    rig_close(&rig);
    straight_free(&s);
}

static void substeps_and_step_rate_set_the_internal_step(void **state) {
    (void)state;
    struct straight s = straight_make(2, 5, 0.1f, (float[3]){0, -1, 0});
    struct rig_options options = rig_options(&s.desc);
    options.hair.step_rate_hz = 120;
    options.hair.substeps = 3;
    struct rig rig = rig_open(&options);
    for (int f = 0; f < 60; f++) rig_step(&rig, 1.0f / 60, NULL, true);
    assert_int_equal(rig_stats(&rig).step_count, 120);
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    assert_ok(plait_hair_query(rig.hair, &info));
    assert_true(fabs(info.time_s - 1) < 1e-6);
    rig_close(&rig);
    straight_free(&s);
}

static void pause_holds_everything_still(void **state) {
    (void)state;
    struct straight s = straight_make(5, 20, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&s.desc);
    struct rig rig = rig_open(&options), other = rig_open(&options);
    for (int f = 0; f < 20; f++) {
        rig_step(&rig, 1.0f / 60, NULL, true);
        rig_step(&other, 1.0f / 60, NULL, true);
    }
    float *before = rig_positions(&rig);
    for (int f = 0; f < 50; f++) rig_step(&rig, 0, NULL, true);
    float *during = rig_positions(&rig);
    assert_memory_equal(before, during, (size_t)rig.vertices * 12);
    for (int f = 0; f < 20; f++) { // and afterwards it continues normally
        rig_step(&rig, 1.0f / 60, NULL, true);
        rig_step(&other, 1.0f / 60, NULL, true);
    }
    float *after = rig_positions(&rig), *unpaused = rig_positions(&other);
    assert_memory_equal(after, unpaused, (size_t)rig.vertices * 12);
    free(before);
    free(during);
    free(after);
    free(unpaused);
    rig_close(&rig);
    rig_close(&other);
    straight_free(&s);
}

// Between two fixed steps the output follows the bones: roots stay on the scalp at any frame rate.
static void roots_stay_on_the_scalp_between_steps(void **state) {
    (void)state;
    struct straight s = straight_make(5, 20, 0.2f, (float[3]){0, -1, 0});
    struct rig_options options = rig_options(&s.desc);
    struct rig rig = rig_open(&options);
    for (int f = 1; f < 200; f++) {
        float bone[12];
        head_at(f / 240.0, bone);
        rig_step(&rig, 1.0f / 240, bone, true);
        float *p = rig_positions(&rig);
        for (int i = 0; i < 5; i++) {
            float root[3];
            for (int r = 0; r < 3; r++) root[r] = bone[4 * r] * 0.01f * (float)i + bone[4 * r + 3];
            assert_true(distance3(p + 60 * i, root) < 1e-6);
        }
        free(p);
    }
    rig_close(&rig);
    straight_free(&s);
}

// How much the velocity of tips changes from frame to frame, and how often it reverses, over two seconds of a head
// that turns back and forth. The output must move equally smoothly at any frame rate.
static double tip_change(double (*dt)(uint32_t), double *reversals) {
    struct straight s = straight_make(6, 30, 0.35f, (float[3]){0.6f, 0, 0.8f});
    struct rig_options options = rig_options(&s.desc);
    struct rig rig = rig_open(&options);
    double time = 0, change = 0, turned = 0, frames = 0, last_dt = 0;
    float *before = rig_positions(&rig), *earlier = rig_positions(&rig);
    for (uint32_t f = 0; time < 3; f++) {
        double length = dt(f);
        time += length;
        float bone[12];
        bone_make(bone, (float[3]){0, 1, 0}, 0.8 * sin(2 * 3.14159265 * 1.5 * time), (float[3]){0, 0, 0});
        rig_step(&rig, (float)length, bone, true);
        float *now = rig_positions(&rig);
        for (uint32_t i = 0; i < 6 && time > 1; i++) {
            const float *a = earlier + 90 * i + 87, *b = before + 90 * i + 87, *c = now + 90 * i + 87;
            double d2 = 0, along = 0;
            for (int k = 0; k < 3; k++) {
                double v0 = (b[k] - a[k]) / last_dt, v1 = (c[k] - b[k]) / length;
                d2 += (v1 - v0) * (v1 - v0);
                along += v0 * v1;
            }
            change += sqrt(d2);
            turned += along < 0;
            frames++;
        }
        free(earlier);
        earlier = before;
        before = now;
        last_dt = length;
    }
    free(earlier);
    free(before);
    rig_close(&rig);
    straight_free(&s);
    *reversals = turned / frames;
    return change / frames;
}

static void tips_move_as_smoothly_at_any_frame_rate(void **state) {
    (void)state;
    double reversals, reference = tip_change(at_60, &reversals);
    printf("60 Hz: change of velocity %.3f m/s a frame, %.1f %% reversals\n", reference, 100 * reversals);
    double (*const rates[])(uint32_t) = {at_144, uneven};
    static const char *const names[] = {"144 Hz", "uneven"};
    for (int i = 0; i < 2; i++) {
        double change = tip_change(rates[i], &reversals);
        printf("%s: %.3f m/s, %.1f %% reversals\n", names[i], change, 100 * reversals);
        assert_true(change < 1.4 * reference);
        assert_true(reversals < 0.06);
    }
}

// Half a turn can go two ways; bones take neither the long one nor a straight line through the axis.
static void rotations_take_the_shortest_arc(void **state) {
    (void)state;
    struct straight s = straight_make(1, 2, 0.1f, (float[3]){1, 0, 0});
    plait_shape_params rigid = PLAIT_SHAPE_PARAMS_INIT;
    rigid.damping_per_s = 1000;
    struct rig_options options = rig_options(&s.desc);
    if (options.solver == PLAIT_SOLVER_SHAPE) options.params = &rigid;
    const uint32_t held = 2;
    if (options.solver == PLAIT_SOLVER_HYBRID) options.groom.held_counts = &held;
    options.hair.max_frame_s = 1;
    struct rig rig = rig_open(&options);
    float bone[12];
    bone_make(bone, (float[3]){0, 0, 1}, 170 * 3.14159265 / 180, (float[3]){0, 0, 0});
    // 1.5 steps: the first ends two thirds of the way, at 113.3 degrees, and the frame's rest is carried rigidly.
    rig_step(&rig, 1.5f / 60, bone, false);
    uint64_t size;
    assert_ok(plait_hair_state_size(rig.hair, &size));
    float *p = rig_positions(&rig);
    assert_true(fabs(p[3] - 0.1 * cos(170 * 3.14159265 / 180)) < 1e-3);
    free(p);
    rig_close(&rig);
    straight_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_is_the_same_at_any_frame_rate),
        cmocka_unit_test(a_hitch_is_clamped_and_counted),
        cmocka_unit_test(substeps_and_step_rate_set_the_internal_step),
        cmocka_unit_test(pause_holds_everything_still),
        cmocka_unit_test(roots_stay_on_the_scalp_between_steps),
        cmocka_unit_test(tips_move_as_smoothly_at_any_frame_rate),
        cmocka_unit_test(rotations_take_the_shortest_arc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
