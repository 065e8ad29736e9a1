// What is told of the motion of a watched hair: speeds, strands that do not come to rest, strands that are wound up.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRANDS = 5, VERTICES = 200 };
static const float DT = 1.0f / 60, LENGTH = 0.6f;

// Straight strands that hang from one bone and are limp: they do not go back to their shape. Thick air keeps them where
// they are, unless their roots pull.
static struct rig open_limp(uint32_t flags, float meters_per_unit) {
    struct straight s = straight_make(STRANDS, VERTICES, LENGTH / meters_per_unit, (float[3]){0, -1, 0});
    plait_shape_params params = PLAIT_SHAPE_PARAMS_INIT;
    params.compliance_root_s2 = params.compliance_tip_s2 = 1e6f;
    params.drag_per_s = 1e6f;
    struct rig_options options = rig_options(&s.desc);
    options.solver = PLAIT_SOLVER_SHAPE;
    options.params = &params;
    options.hair.flags = flags;
    options.hair.meters_per_unit = meters_per_unit;
    struct rig rig = rig_open(&options);
    straight_free(&s);
    return rig;
}

// The root goes round a circle of 5 cm, and its strand trails behind: two turns and more.
static void wind_up(struct rig *rig, double *angle) {
    float bone[12];
    bone_identity(bone);
    *angle += 0.8;
    bone[3] = (float)(0.05 * (1 - cos(*angle)));
    bone[11] = (float)(0.05 * sin(*angle));
    rig_step(rig, DT, bone, false);
}

// Wind from a side that goes round: strands in it never rest.
static void step_in_gusts(struct rig *rig, int frame, const float *bone) {
    plait_frame_desc desc = PLAIT_FRAME_DESC_INIT;
    desc.dt = DT;
    desc.bones = bone;
    desc.bone_count = 1;
    desc.wind[0] = (float)cos(0.1 * frame);
    desc.wind[2] = (float)sin(0.1 * frame);
    assert_ok(plait_hair_step(rig->hair, &desc));
}

// Degrees by which a strand turns from its root to its tip, all together.
static double turning(const float *p) {
    double sum = 0;
    for (int v = 1; v + 1 < VERTICES; v++) {
        double along = 0, lengths[2] = {0, 0};
        for (int c = 0; c < 3; c++) {
            double a = (double)p[3 * v + c] - (double)p[3 * v - 3 + c],
                   b = (double)p[3 * v + 3 + c] - (double)p[3 * v + c];
            along += a * b;
            lengths[0] += a * a;
            lengths[1] += b * b;
        }
        sum += acos(fmin(along / sqrt(lengths[0] * lengths[1]), 1)) * 180 / 3.14159265358979;
    }
    return sum;
}

static void assert_nothing_told(struct rig *rig) {
    plait_stats_info stats = rig_stats(rig);
    assert_int_equal(stats.restless_strand_count, 0);
    assert_int_equal(stats.knotted_strand_count, 0);
    assert_true(stats.rms_speed == 0 && stats.fastest_speed == 0);
}

static void speeds_are_those_of_the_last_step(void **state) {
    (void)state;
    for (int centimetres = 0; centimetres < 2; centimetres++) {
        struct rig rig = open_limp(PLAIT_HAIR_WATCH_MOTION, centimetres ? 0.01f : 1);
        assert_nothing_told(&rig); // before the first step
        double angle = 0;
        for (int f = 0; f < 30; f++) {
            float *before = rig_positions(&rig);
            wind_up(&rig, &angle);
            float *now = rig_positions(&rig);
            double sum = 0, fastest = 0;
            for (uint32_t v = 0; v < rig.vertices; v++) {
                double speed = distance3(now + 3 * (size_t)v, before + 3 * (size_t)v) / (double)DT;
                sum += speed * speed;
                fastest = fmax(fastest, speed);
            }
            plait_stats_info stats = rig_stats(&rig);
            double rms = sqrt(sum / rig.vertices);
            assert_true(rms > 0.1 && fabs((double)stats.rms_speed - rms) < 1e-3 * rms);
            assert_true(fabs((double)stats.fastest_speed - fastest) < 1e-3 * fastest);
            free(before);
            free(now);
        }
        rig_close(&rig);
    }
}

static void nothing_is_told_of_a_hair_that_is_not_watched(void **state) {
    (void)state;
    struct rig rig = open_limp(0, 1);
    double angle = 0;
    for (int f = 0; f < 60; f++) wind_up(&rig, &angle);
    assert_nothing_told(&rig);
    rig_close(&rig);
}

// Steps until strands are restless; returns for how long that took, s.
static double until_restless(struct rig *rig, const float *bone) {
    int frame = 0;
    plait_stats_info stats;
    do {
        step_in_gusts(rig, frame++, bone);
        stats = rig_stats(rig);
        assert_true(stats.rms_speed > 0.02f);
        assert_true(frame < 400);
    } while (stats.restless_strand_count == 0);
    assert_int_equal(stats.restless_strand_count, STRANDS);
    return frame / 60.0;
}

static void strands_in_gusts_are_restless_when_bones_are_still_for_5_s(void **state) {
    (void)state;
    struct rig rig = open_limp(PLAIT_HAIR_WATCH_MOTION, 1);
    float bone[12];
    bone_identity(bone);
    assert_true(fabs(until_restless(&rig, bone) - 5) < 0.05);
    bone[3] = 1e-6f; // bones that move begin the time anew
    step_in_gusts(&rig, 0, bone);
    assert_int_equal(rig_stats(&rig).restless_strand_count, 0);
    assert_true(fabs(until_restless(&rig, bone) - 5) < 0.05);
    assert_ok(plait_hair_reset(rig.hair, 0, NULL)); // and so do strands that are put elsewhere
    assert_nothing_told(&rig);
    assert_true(fabs(until_restless(&rig, bone) - 5) < 0.05);
    // Calm air: none is, though bones are as still as before.
    for (int f = 0; f < 5; f++) rig_step(&rig, DT, bone, false);
    assert_int_equal(rig_stats(&rig).restless_strand_count, 0);
    rig_close(&rig);
}

// Fingers may move.
static void bones_without_roots_may_move(void **state) {
    (void)state;
    struct straight s = straight_make(STRANDS, 20, 0.3f, (float[3]){0, -1, 0});
    static float bones[2][12];
    bone_identity(bones[0]);
    bone_identity(bones[1]);
    s.desc.bone_count = 2;
    s.desc.bind_pose = bones[0];
    struct rig_options options = rig_options(&s.desc);
    options.hair.flags = PLAIT_HAIR_WATCH_MOTION;
    struct rig rig = rig_open(&options);
    for (int f = 0; f < 310; f++) {
        plait_frame_desc desc = PLAIT_FRAME_DESC_INIT;
        desc.dt = DT;
        desc.bones = bones[0];
        desc.bone_count = 2;
        desc.wind[0] = (float)(5 * cos(0.1 * f));
        desc.wind[2] = (float)(5 * sin(0.1 * f));
        bones[1][3] = 0.01f * (float)f;
        assert_ok(plait_hair_step(rig.hair, &desc));
    }
    assert_int_equal(rig_stats(&rig).restless_strand_count, STRANDS);
    rig_close(&rig);
    straight_free(&s);
}

static double turning_now(struct rig *rig) {
    float *p = rig_positions(rig);
    double degrees = turning(p + 3 * VERTICES * 2); // they are all alike
    free(p);
    return degrees;
}

static void strands_are_knotted_when_they_are_wound_up_for_half_a_second(void **state) {
    (void)state;
    struct rig rig = open_limp(PLAIT_HAIR_WATCH_MOTION, 1);
    double angle = 0;
    int since = -1, f = 0, counted = -1;
    for (; f < 120; f++) {
        wind_up(&rig, &angle);
        bool wound_up = turning_now(&rig) > 540;
        if (wound_up && since < 0) since = f;
        assert_true(wound_up || since < 0); // once they are, they stay so
        uint64_t knotted = rig_stats(&rig).knotted_strand_count;
        assert_true(knotted == 0 || knotted == STRANDS);
        if (knotted && counted < 0) counted = f;
        assert_true(knotted || counted < 0);
    }
    printf("wound up from frame %d on, knotted from %d on\n", since, counted);
    assert_true(since > 0);
    assert_true(counted - since >= 30 && counted - since <= 32);
    // Straight again, and wound up twice for less than half a second.
    for (int again = 0; again < 2; again++) {
        assert_ok(plait_hair_reset(rig.hair, 0, NULL));
        assert_nothing_told(&rig);
        for (f = 0; f < since + 20; f++) {
            wind_up(&rig, &angle);
            assert_int_equal(rig_stats(&rig).knotted_strand_count, 0);
        }
        assert_true(turning_now(&rig) > 540);
    }
    rig_close(&rig);
}

// A strand that is drawn in turns is none.
static void curls_are_no_knots(void **state) {
    (void)state;
    struct straight s = straight_make(1, VERTICES, LENGTH, (float[3]){0, -1, 0});
    for (int v = 0; v < VERTICES; v++) {
        s.positions[3 * v] = (float)(0.01 * cos(0.3 * v));
        s.positions[3 * v + 2] = (float)(0.01 * sin(0.3 * v));
    }
    assert_true(turning(s.positions) > 2000);
    struct rig_options options = rig_options(&s.desc);
    options.solver = PLAIT_SOLVER_SHAPE;
    options.hair.flags = PLAIT_HAIR_WATCH_MOTION;
    struct rig rig = rig_open(&options);
    for (int f = 0; f < 60; f++) rig_step(&rig, DT, NULL, true);
    assert_int_equal(rig_stats(&rig).knotted_strand_count, 0);
    rig_close(&rig);
    straight_free(&s);
}

static void a_state_that_is_loaded_begins_both_times_anew(void **state) {
    (void)state;
    struct rig rig = open_limp(PLAIT_HAIR_WATCH_MOTION, 1);
    double angle = 0;
    while (rig_stats(&rig).knotted_strand_count == 0) wind_up(&rig, &angle);
    uint64_t size;
    assert_ok(plait_hair_state_size(rig.hair, &size));
    void *saved = malloc(size);
    assert_non_null(saved);
    assert_ok(plait_hair_save(rig.hair, saved, size));
    assert_ok(plait_hair_load(rig.hair, saved, size));
    assert_nothing_told(&rig);
    for (int f = 0; f < 25; f++) {
        rig_step(&rig, DT, NULL, false);
        assert_int_equal(rig_stats(&rig).knotted_strand_count, 0);
    }
    for (int f = 0; f < 10; f++) rig_step(&rig, DT, NULL, false);
    assert_int_equal(rig_stats(&rig).knotted_strand_count, STRANDS);
    // A hair that is not watched takes the state of one that is.
    struct rig other = open_limp(0, 1);
    assert_ok(plait_hair_load(other.hair, saved, size));
    rig_close(&other);
    free(saved);
    rig_close(&rig);
}

static void a_hair_on_another_device_begins_both_times_anew(void **state) {
    (void)state;
    struct rig rig = open_limp(PLAIT_HAIR_WATCH_MOTION, 1);
    plait_device_cpu_desc cpu = PLAIT_DEVICE_CPU_DESC_INIT;
    cpu.instruction_set = PLAIT_CPU_SCALAR; // packs of another width
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = PLAIT_BACKEND_CPU;
    desc.head.next = &cpu;
    plait_device scalar;
    assert_ok(plait_device_open(rig.context, &desc, &scalar));
    double angle = 0;
    while (rig_stats(&rig).knotted_strand_count == 0) wind_up(&rig, &angle);
    assert_ok(plait_hair_set_device(rig.hair, scalar));
    assert_nothing_told(&rig);
    rig_step(&rig, DT, NULL, false);
    assert_int_equal(rig_stats(&rig).knotted_strand_count, 0);
    for (int f = 0; f < 35; f++) rig_step(&rig, DT, NULL, false);
    assert_int_equal(rig_stats(&rig).knotted_strand_count, STRANDS);
    assert_ok(plait_device_close(scalar));
    rig_close(&rig);
}

static void watching_changes_no_motion(void **state) {
    (void)state;
    struct rig watched = open_limp(PLAIT_HAIR_WATCH_MOTION, 1), other = open_limp(0, 1);
    double angles[2] = {0, 0};
    for (int f = 0; f < 40; f++) {
        wind_up(&watched, &angles[0]);
        wind_up(&other, &angles[1]);
    }
    float *a = rig_positions(&watched), *b = rig_positions(&other);
    assert_memory_equal(a, b, 3 * sizeof *a * watched.vertices);
    free(a);
    free(b);
    rig_close(&watched);
    rig_close(&other);
}

// ---- where the origin changes ----

// The host's origin, which is elsewhere every 7 frames, within 30 m of a place a thousand kilometres from zero; host units.
static void origin_of(int frame, double unit, double origin[3]) {
    static const double place[3] = {1000000.3, -200000.7, 300000.1};
    for (int c = 0; c < 3; c++) origin[c] = (place[c] + 30 * sin(1.7 * (frame / 7) + c)) / unit;
}

// A bone that is x metres from the first origin, in a frame with an origin of its own. Null: the frame has no bones.
static void step_from(struct rig *rig, int frame, double unit, float dt, const double *x, float wind) {
    float bone[12];
    double first[3];
    plait_frame_desc desc = PLAIT_FRAME_DESC_INIT;
    origin_of(0, unit, first);
    origin_of(frame, unit, desc.origin);
    bone_identity(bone);
    for (int c = 0; c < 3; c++) bone[4 * c + 3] = (float)(first[c] + (c == 0 && x ? *x / unit : 0) - desc.origin[c]);
    desc.dt = dt;
    desc.bones = x ? bone : NULL;
    desc.bone_count = 1;
    desc.gravity[1] = (float)(-9.81 / unit);
    desc.wind[0] = (float)(wind * cos(0.1 * frame) / unit);
    desc.wind[2] = (float)(wind * sin(0.1 * frame) / unit);
    assert_ok(plait_hair_step(rig->hair, &desc));
}

static void strands_at_rest_are_so_from_any_origin(void **state) {
    (void)state;
    static const uint32_t solvers[] = {PLAIT_SOLVER_SHAPE, PLAIT_SOLVER_HYBRID};
    static const float units[] = {1, 0.01f};
    static const double here = 0, there = 1e-4;
    for (int i = 0; i < 4; i++) {
        const float unit = units[i % 2];
        struct straight s = straight_make(STRANDS, 20, 0.3f / unit, (float[3]){0, -1, 0});
        struct rig_options options = rig_options(&s.desc);
        options.solver = solvers[i / 2];
        options.hair.flags = PLAIT_HAIR_WATCH_MOTION;
        options.hair.meters_per_unit = unit;
        struct rig rig = rig_open(&options);
        double fastest = 0;
        int f = 0;
        for (; f < 320; f++) {
            step_from(&rig, f, unit, DT, f % 3 ? &here : NULL, 0);
            plait_stats_info stats = rig_stats(&rig);
            if (f >= 60) fastest = fmax(fastest, (double)stats.rms_speed * unit); // after a second they hang
            assert_int_equal(stats.restless_strand_count, 0);
        }
        printf("at rest, solver %u, unit %g m: rms speed %.2e m/s at most\n", options.solver, (double)unit, fastest);
        assert_true(fastest < 5e-4); // bones 30 m away, rounded anew
        // Bones have been still for 5 s: wind makes strands restless at once.
        for (; f < 350; f++) step_from(&rig, f, unit, DT, &here, 5);
        assert_int_equal(rig_stats(&rig).restless_strand_count, STRANDS);
        // A bone that moves while the origin changes is not still; 0.1 mm are more than any rounding.
        step_from(&rig, f++, unit, DT, &there, 5);
        assert_int_equal(f % 7, 1);
        for (; f < 380; f++) step_from(&rig, f, unit, DT, &there, 5);
        assert_true(rig_stats(&rig).fastest_speed * unit > 0.01f);
        assert_int_equal(rig_stats(&rig).restless_strand_count, 0);
        rig_close(&rig);
        straight_free(&s);
    }
}

// Neither the host's origin nor that of the hair, which follows its roots, shows up in speeds.
static void speeds_are_those_in_the_world(void **state) {
    (void)state;
    struct rig rig = open_limp(PLAIT_HAIR_WATCH_MOTION, 1);
    double origin[3], last_origin[3];
    for (int f = 0; f < 240; f++) {
        float *before = rig_positions(&rig);
        origin_of(f > 0 ? f - 1 : 0, 1, last_origin);
        origin_of(f, 1, origin);
        const double x = 0.05 * f;
        step_from(&rig, f, 1, DT, &x, 0);
        float *now = rig_positions(&rig);
        double sum = 0, fastest = 0;
        for (uint32_t v = 0; v < rig.vertices; v++) {
            double speed2 = 0;
            for (uint32_t k = 3 * v; k < 3 * v + 3; k++)
                speed2 += pow((now[k] + origin[k % 3] - before[k] - last_origin[k % 3]) / (double)DT, 2);
            sum += speed2;
            fastest = fmax(fastest, sqrt(speed2));
        }
        plait_stats_info stats = rig_stats(&rig);
        assert_true(fabs((double)stats.rms_speed - sqrt(sum / rig.vertices)) < 1e-3);
        assert_true(fabs((double)stats.fastest_speed - fastest) < 1e-3);
        assert_true(f == 0 || fastest > 2.5);
        free(before);
        free(now);
    }
    rig_close(&rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speeds_are_those_of_the_last_step),
        cmocka_unit_test(nothing_is_told_of_a_hair_that_is_not_watched),
        cmocka_unit_test(strands_in_gusts_are_restless_when_bones_are_still_for_5_s),
        cmocka_unit_test(bones_without_roots_may_move),
        cmocka_unit_test(strands_are_knotted_when_they_are_wound_up_for_half_a_second),
        cmocka_unit_test(curls_are_no_knots),
        cmocka_unit_test(a_state_that_is_loaded_begins_both_times_anew),
        cmocka_unit_test(a_hair_on_another_device_begins_both_times_anew),
        cmocka_unit_test(watching_changes_no_motion),
        cmocka_unit_test(strands_at_rest_are_so_from_any_origin),
        cmocka_unit_test(speeds_are_those_in_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
