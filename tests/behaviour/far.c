// Hair far from the origin of the world: at rest, on the move, and with hosts whose own origin moves.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double nowhere[3] = {0, 0, 0};

static plait_frame_desc frame_at(const struct rig *rig, float dt, const float *bones, const double origin[3]) {
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = dt;
    frame.bones = bones;
    frame.bone_count = rig->bones;
    frame.gravity[1] = -9.81f;
    memcpy(frame.origin, origin, sizeof frame.origin);
    return frame;
}

static void step_at(struct rig *rig, float dt, const float *bones, const double origin[3]) {
    plait_frame_desc frame = frame_at(rig, dt, bones, origin);
    assert_ok(plait_hair_step(rig->hair, &frame));
}

// Positions as seen from a point of the world; the hair does not move.
static float *positions_from(struct rig *rig, const double origin[3]) {
    step_at(rig, 0, NULL, origin);
    return rig_positions(rig);
}

static void assert_same_output(struct rig *a, struct rig *b) {
    float *p = rig_positions(a), *q = rig_positions(b);
    assert_memory_equal(p, q, (size_t)a->vertices * 12);
    free(p);
    free(q);
}

static scene_groom wavy_groom(uint32_t strands) {
    scene_preset preset;
    assert_true(scene_preset_get(scene_preset_find("2b"), strands, 24, 1, &preset));
    scene_groom groom;
    assert_true(scene_groom_make(&preset.groom, &groom));
    return groom;
}

// The mannequin, standing still somewhere.
static void stand_at(double x, double y, double z, float bones[SCENE_BONE_COUNT][12]) {
    scene_bind_pose(bones);
    for (int b = 0; b < SCENE_BONE_COUNT; b++) {
        bones[b][3] = (float)(bones[b][3] + x);
        bones[b][7] = (float)(bones[b][7] + y);
        bones[b][11] = (float)(bones[b][11] + z);
    }
}

// Root mean square of all vertices, m/s, in a second when everything has stood still for ten.
// Where they are then, each as seen from its root, goes to shape.
static double speed_at_rest(const scene_groom *groom, double distance, bool with_origin, float *shape) {
    enum { SETTLE = 600, WATCH = 60 };
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(groom, &desc);
    struct rig_options options = rig_options(&desc);
    const double place[3] = {distance, 0.25 * distance, -0.5 * distance};
    const double *origin = with_origin ? place : nowhere;
    float bones[SCENE_BONE_COUNT][12];
    stand_at(place[0] - origin[0], place[1] - origin[1], place[2] - origin[2], bones);
    options.hair.bones = bones[0];
    struct rig rig = rig_open(&options);
    for (int f = 0; f < SETTLE; f++) step_at(&rig, 1.0f / 60, bones[0], origin);
    float *last = positions_from(&rig, place);
    double sum = 0;
    for (int f = 0; f < WATCH; f++) {
        step_at(&rig, 1.0f / 60, bones[0], origin);
        float *now = positions_from(&rig, place);
        for (uint32_t v = 0; v < rig.vertices; v++) sum += pow(distance3(now + 3 * v, last + 3 * v) * 60, 2);
        free(last);
        last = now;
    }
    for (uint32_t i = 0, root = 0; i < groom->strand_count; root += groom->vertex_counts[i++])
        for (uint32_t k = 0; k < 3 * groom->vertex_counts[i]; k++)
            shape[3 * root + k] = last[3 * root + k] - last[3 * root + k % 3];
    free(last);
    rig_close(&rig);
    return sqrt(sum / WATCH / rig.vertices);
}

static void strands_rest_far_away_as_at_a_metre(void **state) {
    (void)state;
    scene_groom groom = wavy_groom(12);
    float *near_shape = calloc(groom.vertex_count, 12), *far_shape = calloc(groom.vertex_count, 12);
    assert_true(near_shape && far_shape);
    double near = speed_at_rest(&groom, 1, false, near_shape);
    printf("at rest at 1 m: %.2e m/s\n", near);
    for (int with_origin = 0; with_origin < 2; with_origin++)
        for (double distance = 1e3; distance < 2e6; distance *= 1e3) {
            double far = speed_at_rest(&groom, distance, with_origin, far_shape);
            double off = largest_difference(near_shape, far_shape, groom.vertex_count);
            printf("at rest at %.0f km%s: %.2e m/s, off by %.2e m at most\n", distance / 1e3,
                   with_origin ? ", from an origin there" : "", far, off);
            assert_true(far <= near + 1e-6); // what rounding makes of nothing
            assert_true(off < 1e-5);
        }
    free(near_shape);
    free(far_shape);
    scene_groom_free(&groom);
}

// ---- hosts whose origin moves ----

enum { WALK_FRAMES = 1200 };

// A hundred metres in twenty seconds, up and down, and turning. On a grid of 1/1024 m, so that bones are exact as floats,
// whatever the origin.
static double on_grid(double x) { return floor(x * 1024 + 0.5) / 1024; }

static void walk_to(int frame, const double start[3], const double origin[3], float bone[12]) {
    double t = frame / 60.0;
    double way[3] = {on_grid(5 * t), on_grid(0.05 * sin(9 * t)), on_grid(-t)};
    for (int c = 0; c < 3; c++) way[c] += start[c] - origin[c];
    bone_make(bone, (float[3]){0, 1, 0}, 0.5 * sin(2 * t), (float[3]){(float)way[0], (float)way[1], (float)way[2]});
}

// Every seven frames the host's origin goes on to a point next to the hair.
static void origin_of(int frame, const double start[3], double origin[3]) {
    double t = frame / 7 * 7 / 60.0;
    origin[0] = start[0] + on_grid(5 * t + 0.123);
    origin[1] = start[1] + on_grid(0.3);
    origin[2] = start[2] + on_grid(-t - 0.2);
}

// Largest distance between two hairs, each as seen from its host's origin.
static double distance_in_world(struct rig *a, const double origin_a[3], struct rig *b, const double origin_b[3]) {
    float *p = rig_positions(a), *q = rig_positions(b);
    double worst = 0;
    for (uint32_t v = 0; v < a->vertices; v++) {
        double sum = 0;
        for (int c = 0; c < 3; c++) sum += pow(p[3 * v + c] + origin_a[c] - q[3 * v + c] - origin_b[c], 2);
        worst = fmax(worst, sqrt(sum));
    }
    free(p);
    free(q);
    return worst;
}

static struct rig open_walk(const struct straight *s, const double start[3], const double origin[3]) {
    struct rig_options options = rig_options(&s->desc);
    float bone[12];
    walk_to(0, start, origin, bone);
    options.hair.bones = bone;
    options.hair.teleport_distance = 0.5f;
    return rig_open(&options);
}

// The same walk with an origin that changes, with one that stays, and from the world's origin on. The first two differ by
// what output rounds at 100 m. The third rounds otherwise inside, of which rods make up to a millimetre.
static void a_host_may_change_its_origin_at_any_time(void **state) {
    (void)state;
    static const double starts[2][3] = {{0, 0, 0}, {1e6, -2e5, 3e6}};
    for (int far = 0; far < 2; far++)
        for (int fps = 60; fps <= 144; fps += 84) {
            const double *start = starts[far];
            double from_fixed = 0, from_zero = 0, fixed_origin[3], origin[3];
            origin_of(0, start, fixed_origin);
            struct straight s = straight_make(6, 16, 0.2f, (float[3]){0, -1, 0});
            struct rig moving = open_walk(&s, start, fixed_origin), fixed = open_walk(&s, start, fixed_origin);
            struct rig zero = open_walk(&s, nowhere, nowhere);
            for (int f = 0; f < WALK_FRAMES; f++) {
                float bone[12];
                origin_of(f, start, origin);
                walk_to(f, start, origin, bone);
                step_at(&moving, 1.0f / (float)fps, bone, origin);
                walk_to(f, start, fixed_origin, bone);
                step_at(&fixed, 1.0f / (float)fps, bone, fixed_origin);
                walk_to(f, nowhere, nowhere, bone);
                step_at(&zero, 1.0f / (float)fps, bone, nowhere);
                from_fixed = fmax(from_fixed, distance_in_world(&moving, origin, &fixed, fixed_origin));
                from_zero = fmax(from_zero, distance_in_world(&moving, origin, &zero, start));
            }
            printf("walking 100 m from %g m on at %d fps: off by %.2e m, from a walk from 0 on by %.2e m\n", start[0],
                   fps, from_fixed, from_zero);
            assert_true(from_fixed < 1e-5);
            assert_true(from_zero < (test_solver() == PLAIT_SOLVER_HYBRID ? 2e-3 : 2e-5));
            assert_int_equal(rig_stats(&moving).teleport_count, 0);
            rig_close(&moving);
            rig_close(&fixed);
            rig_close(&zero);
            straight_free(&s);
        }
}

// The first frame's origin counts for the bones that the hair was made with, so an origin that stays changes no bit.
static void an_origin_that_stays_changes_nothing(void **state) {
    (void)state;
    static const double far[3] = {1e6, -2e5, 3e9};
    scene_groom groom = wavy_groom(40);
    scene_body body;
    scene_body_make(NULL, &body);
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    plait_body_desc body_desc = PLAIT_BODY_DESC_INIT;
    scene_groom_describe(&groom, &desc);
    scene_body_describe(&body, &body_desc);
    struct rig_options options = rig_options(&desc);
    options.body = &body_desc;
    struct rig here = rig_open(&options), there = rig_open(&options);
    float bones[SCENE_BONE_COUNT][12];
    for (int f = 0; f < 40; f++) {
        scene_motion_pose(SCENE_MOTION_DANCE, f / 60.0, 2, bones);
        step_at(&here, 1.0f / 60, bones[0], nowhere);
        step_at(&there, 1.0f / 60, bones[0], far);
    }
    assert_same_output(&here, &there);
    scene_motion_pose(SCENE_MOTION_DANCE, 1, 2, bones); // and so for the bones of calls without an origin
    assert_ok(plait_hair_teleport(here.hair, SCENE_BONE_COUNT, bones[0]));
    assert_ok(plait_hair_teleport(there.hair, SCENE_BONE_COUNT, bones[0]));
    assert_same_output(&here, &there);
    scene_motion_pose(SCENE_MOTION_DANCE, 2, 2, bones);
    assert_ok(plait_hair_reset(here.hair, SCENE_BONE_COUNT, bones[0]));
    assert_ok(plait_hair_reset(there.hair, SCENE_BONE_COUNT, bones[0]));
    assert_same_output(&here, &there);
    rig_close(&here);
    rig_close(&there);
    scene_groom_free(&groom);
}

// What motion vectors are made of: both positions as seen from this frame's origin.
static void previous_positions_are_seen_from_the_new_origin(void **state) {
    (void)state;
    struct straight s = straight_make(6, 16, 0.2f, (float[3]){0, -1, 0});
    struct rig_options options = rig_options(&s.desc);
    struct rig rig = rig_open(&options);
    float(*memory)[6] = calloc(rig.vertices, sizeof *memory), (*last)[6] = calloc(rig.vertices, sizeof *last);
    assert_true(memory && last);
    plait_output_attribute attributes[2] = {PLAIT_OUTPUT_ATTRIBUTE_INIT, PLAIT_OUTPUT_ATTRIBUTE_INIT};
    attributes[0].attribute = PLAIT_ATTRIBUTE_POSITION;
    attributes[1].attribute = PLAIT_ATTRIBUTE_PREVIOUS_POSITION;
    attributes[1].offset = 12;
    for (int i = 0; i < 2; i++) {
        attributes[i].format = PLAIT_FORMAT_FLOAT32X3;
        attributes[i].stride = sizeof *memory;
    }
    plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
    output.attribute_count = 2;
    output.attributes = attributes;
    output.memory = memory;
    output.size = rig.vertices * sizeof *memory;
    assert_ok(plait_hair_set_output(rig.hair, &output));
    double worst = 0, last_origin[3] = {0};
    for (int f = 0; f < 200; f++) { // 16 m: the hair's own origin moves, too
        float bone[12];
        double origin[3];
        origin_of(f, (const double[3]){1e5, 0, 0}, origin);
        walk_to(f, (const double[3]){1e5, 0, 0}, origin, bone);
        step_at(&rig, 1.0f / 60, bone, origin);
        for (uint32_t v = 0; v < rig.vertices && f > 0; v++)
            for (int c = 0; c < 3; c++)
                worst = fmax(worst, fabs(memory[v][3 + c] + origin[c] - last[v][c] - last_origin[c]));
        memcpy(last, memory, rig.vertices * sizeof *memory);
        memcpy(last_origin, origin, sizeof origin);
    }
    printf("previous positions: off by %.2e m at most\n", worst);
    assert_true(worst < 2e-6); // roundings of 4 m
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    assert_ok(plait_hair_query(rig.hair, &info));
    for (int c = 0; c < 3; c++) assert_true(info.bounds_min[c] < last[0][c] && last[0][c] < info.bounds_max[c]);
    assert_ok(plait_hair_set_output(rig.hair, NULL));
    free(memory);
    free(last);
    rig_close(&rig);
    straight_free(&s);
}

static void only_motion_in_the_world_teleports(void **state) {
    (void)state;
    struct straight s = straight_make(4, 16, 0.2f, (float[3]){0, -1, 0});
    struct rig_options options = rig_options(&s.desc);
    options.hair.teleport_distance = 0.5f;
    struct rig rig = rig_open(&options);
    float bone[12];
    bone_identity(bone);
    for (int f = 0; f < 10; f++) {
        double origin[3] = {0, f == 0 ? 0 : f % 2 ? 1e4 : -1e3, 0};
        bone[7] = (float)-origin[1];
        step_at(&rig, 1.0f / 60, bone, origin);
        assert_int_equal(rig_stats(&rig).teleport_count, 0);
    }
    bone[7] += 1;
    step_at(&rig, 1.0f / 60, bone, (const double[3]){0, 1e4, 0});
    assert_int_equal(rig_stats(&rig).teleport_count, 1);
    step_at(&rig, 1.0f / 60, bone, (const double[3]){0, 2e4, 0}); // the same bones elsewhere
    assert_int_equal(rig_stats(&rig).teleport_count, 2);
    step_at(&rig, 1.0f / 60, NULL, (const double[3]){0, 0, 0}); // no bones: they stay where they are in the world
    assert_int_equal(rig_stats(&rig).teleport_count, 2);
    rig_close(&rig);
    straight_free(&s);
}

// ---- across large distances ----

// Between two steps, where output blends with the step before, which was on the other side.
static void a_jump_of_a_thousand_kilometres_keeps_the_shape(void **state) {
    (void)state;
    static const double far[3] = {1e6, -2e5, 3e5};
    for (int paused = 0; paused < 2; paused++) {
        struct straight s = straight_make(6, 16, 0.2f, (float[3]){1, 0, 0});
        struct rig_options options = rig_options(&s.desc);
        options.hair.teleport_distance = paused ? 0 : 1.0f;
        struct rig rig = rig_open(&options);
        for (int f = 0; f < 30; f++) step_at(&rig, 1.0f / 144, NULL, nowhere);
        float *before = rig_positions(&rig), bone[12];
        bone_identity(bone);
        step_at(&rig, paused ? 0 : 1e-6f, bone, far);
        float *after = rig_positions(&rig);
        assert_true(largest_difference(before, after, rig.vertices) < 1e-5);
        assert_int_equal(rig_stats(&rig).teleport_count, !paused);
        free(before);
        free(after);
        rig_close(&rig);
        straight_free(&s);
    }
}

static plait_device open_scalar(plait_context context) {
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_device_cpu_desc scalar = PLAIT_DEVICE_CPU_DESC_INIT;
    desc.backend = PLAIT_BACKEND_CPU;
    desc.head.next = &scalar;
    scalar.instruction_set = PLAIT_CPU_SCALAR;
    plait_device device;
    assert_ok(plait_device_open(context, &desc, &device));
    return device;
}

// In every frame of a walk in which the hair's own origin moves: what is saved, or goes to another device, goes on to the
// bit, also between two steps.
static void states_and_devices_change_on_the_way(void **state) {
    (void)state;
    static const double start[3] = {1e4, 0, -2e3};
    const float dt = 1.0f / 137; // so that the origin moves in frames with a step and in frames without
    struct straight s = straight_make(6, 16, 0.2f, (float[3]){0, -1, 0});
    struct rig_options options = rig_options(&s.desc);
    struct rig rig = rig_open(&options), loaded = rig_open(&options), moved = rig_open(&options);
    plait_device devices[2] = {open_scalar(moved.context), moved.device};
    uint64_t size;
    assert_ok(plait_hair_state_size(rig.hair, &size));
    void *saved = malloc(size);
    assert_non_null(saved);
    for (int f = 0; f < 400; f++) {
        float bone[12];
        double origin[3];
        origin_of(f, start, origin);
        walk_to(f, start, origin, bone);
        if (f > 0) {
            assert_ok(plait_hair_save(rig.hair, saved, size));
            assert_ok(plait_hair_load(loaded.hair, saved, size));
            assert_ok(plait_hair_set_device(moved.hair, devices[f % 2]));
            assert_same_output(&rig, &loaded);
            assert_same_output(&rig, &moved);
        }
        step_at(&rig, dt, bone, origin);
        step_at(&loaded, dt, bone, origin);
        step_at(&moved, dt, bone, origin);
        assert_same_output(&rig, &loaded);
        assert_same_output(&rig, &moved);
    }
    free(saved);
    assert_ok(plait_device_close(devices[0]));
    rig_close(&rig);
    rig_close(&loaded);
    rig_close(&moved);
    straight_free(&s);
}

// A host that counts from elsewhere, a thousand kilometres away, finds the hair at the same place of the world.
static void a_state_is_loaded_where_it_was_saved(void **state) {
    (void)state;
    static const double origins[2][3] = {{1e6, 10, 0}, {1e6 - 64, -22, 128}};
    struct straight s = straight_make(6, 16, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&s.desc);
    struct rig from = rig_open(&options), to = rig_open(&options);
    float bones[2][12];
    for (int i = 0; i < 2; i++)
        bone_make(bones[i], (float[3]){0, 1, 0}, 0.3, (float[3]){i ? 64.5f : 0.5f, i ? 32 : 0, i ? -128 : 0});
    uint64_t size;
    assert_ok(plait_hair_state_size(from.hair, &size));
    void *saved = malloc(size);
    assert_non_null(saved);
    for (int f = 0; f < 20; f++) step_at(&from, 1.0f / 60, bones[0], origins[0]);
    for (int f = 0; f < 3; f++) step_at(&to, 1.0f / 60, NULL, origins[1]);
    assert_ok(plait_hair_save(from.hair, saved, size));
    assert_ok(plait_hair_load(to.hair, saved, size));
    for (int f = 0; f < 20; f++) {
        step_at(&from, 1.0f / 60, bones[0], origins[0]);
        step_at(&to, 1.0f / 60, bones[1], origins[1]);
        assert_true(distance_in_world(&from, origins[0], &to, origins[1]) < 2e-5); // floats at 128 m
    }
    free(saved);
    rig_close(&from);
    rig_close(&to);
    straight_free(&s);
}

// Where floats are 6 cm apart, output is the nearest of them to what it is as seen from nearby.
static void output_is_rounded_once(void **state) {
    (void)state;
    static const double from[3] = {0.3, 0.4, 0.7}, place[3] = {1e6, -9e5, 8e5};
    struct straight s = straight_make(6, 16, 0.2f, (float[3]){0.6f, 0.8f, 0});
    struct rig_options options = rig_options(&s.desc);
    float bone[12];
    bone_make(bone, (float[3]){0, 1, 0}, 0.3, (float[3]){(float)place[0], (float)place[1], (float)place[2]});
    options.hair.bones = bone;
    struct rig rig = rig_open(&options);
    step_at(&rig, 0, NULL, nowhere); // what bone is relative to
    float *far = positions_from(&rig, from), *near = positions_from(&rig, place);
    double worst = 0;
    for (uint32_t k = 0; k < 3 * rig.vertices; k++)
        worst = fmax(worst, fabs(far[k] - (near[k] + place[k % 3] - from[k % 3])));
    printf("output at 1000 km: off by %.4f m at most\n", worst);
    assert_true(worst < 0.03126);
    free(far);
    free(near);
    rig_close(&rig);
    straight_free(&s);
}

// A slope holds strands wherever the point is that it was described by, here that of the world's origin.
static void a_slope_reaches_to_the_end_of_the_world(void **state) {
    (void)state;
    static const double far[3] = {3 << 20, 0, -(4 << 20)};
    struct straight s = straight_make(6, 16, 0.2f, (float[3]){1, 0, 0});
    s.desc.bone_count = 2; // the second is that of the slope
    plait_collider slope = PLAIT_COLLIDER_INIT;
    slope.kind = PLAIT_COLLIDER_HALF_SPACE;
    slope.bone = 1;
    slope.points[0][1] = -0.03125f;
    memcpy(slope.points[1], (float[3]){-4, 8, -3}, sizeof slope.points[1]); // across the way there
    plait_body_desc body = PLAIT_BODY_DESC_INIT;
    body.bone_count = 2;
    body.collider_count = 1;
    body.colliders = &slope;
    struct rig_options options = rig_options(&s.desc);
    options.body = &body;
    struct rig here = rig_open(&options), there = rig_open(&options);
    float bones[2][12];
    for (int f = 0; f < 60; f++) {
        bone_identity(bones[0]);
        bone_identity(bones[1]);
        step_at(&here, 1.0f / 60, bones[0], nowhere);
        bones[1][3] = (float)-far[0];
        bones[1][11] = (float)-far[2];
        step_at(&there, 1.0f / 60, bones[0], far);
    }
    float *p = rig_positions(&here), *q = rig_positions(&there);
    double lowest = 1;
    for (uint32_t v = 0; v < here.vertices; v++)
        lowest = fmin(lowest, (-4 * p[3 * v] + 8 * (p[3 * v + 1] + 0.03125) - 3 * p[3 * v + 2]) / sqrt(89));
    assert_true(lowest > -1e-3 && lowest < 1e-2); // strands lie on it
    printf("on a slope: off by %.2e m at most\n", largest_difference(p, q, here.vertices));
    assert_true(largest_difference(p, q, here.vertices) < 1e-3);
    free(p);
    free(q);
    rig_close(&here);
    rig_close(&there);
    straight_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strands_rest_far_away_as_at_a_metre),
        cmocka_unit_test(a_host_may_change_its_origin_at_any_time),
        cmocka_unit_test(an_origin_that_stays_changes_nothing),
        cmocka_unit_test(previous_positions_are_seen_from_the_new_origin),
        cmocka_unit_test(only_motion_in_the_world_teleports),
        cmocka_unit_test(a_jump_of_a_thousand_kilometres_keeps_the_shape),
        cmocka_unit_test(states_and_devices_change_on_the_way),
        cmocka_unit_test(a_state_is_loaded_where_it_was_saved),
        cmocka_unit_test(output_is_rounded_once),
        cmocka_unit_test(a_slope_reaches_to_the_end_of_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
