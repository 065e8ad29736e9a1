// Where strands are placed: reset, teleport, units, axes, skinning.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void transform(const float m[12], const float *p, float *out) {
    for (int r = 0; r < 3; r++) out[r] = m[4 * r] * p[0] + m[4 * r + 1] * p[1] + m[4 * r + 2] * p[2] + m[4 * r + 3];
}

static scene_groom wavy_groom(uint32_t strands) {
    scene_preset preset;
    assert_true(scene_preset_get(scene_preset_find("3a"), strands, 40, 1, &preset));
    scene_groom groom;
    assert_true(scene_groom_make(&preset.groom, &groom));
    return groom;
}

static void hair_starts_in_the_groom_as_drawn(void **state) {
    (void)state;
    scene_groom groom = wavy_groom(50);
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(&groom, &desc);
    struct rig_options options = rig_options(&desc);
    struct rig rig = rig_open(&options);
    float *p = rig_positions(&rig);
    assert_true(largest_difference(p, groom.positions, rig.vertices) < 2e-6);
    free(p);
    rig_close(&rig);
    scene_groom_free(&groom);
}

static void teleport_keeps_shape_and_velocity(void **state) {
    (void)state;
    struct straight s = straight_make(8, 20, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&s.desc);
    struct rig here = rig_open(&options), there = rig_open(&options);
    for (int f = 0; f < 10; f++) {
        rig_step(&here, 1.0f / 60, NULL, true);
        rig_step(&there, 1.0f / 60, NULL, true);
    }
    float portal[12];
    bone_make(portal, (float[3]){0, 1, 0}, 1.1, (float[3]){100, 3, -40});
    assert_ok(plait_hair_teleport(there.hair, 1, portal));
    double worst = 0;
    // Gravity is along the axis of the turn, so motion must continue equally on both sides of the portal.
    for (int f = 0; f < 30; f++) {
        float *a = rig_positions(&here), *b = rig_positions(&there);
        for (uint32_t v = 0; v < here.vertices; v++) {
            float expected[3];
            transform(portal, a + 3 * v, expected);
            worst = fmax(worst, distance3(b + 3 * v, expected));
        }
        free(a);
        free(b);
        rig_step(&here, 1.0f / 60, NULL, true);
        rig_step(&there, 1.0f / 60, NULL, true);
    }
    printf("after the portal: off by %.2e m at most\n", worst);
    // float32 resolves 8e-6 m there; rods make more of other roundings
    assert_true(worst < (options.solver == PLAIT_SOLVER_HYBRID ? 3e-4 : 2e-5));
    rig_close(&here);
    rig_close(&there);
    straight_free(&s);
}

// Between two steps, where the output is blended with the step before, which was on the other side of the portal.
static void a_device_swap_after_a_teleport_leaves_strands_where_they_are(void **state) {
    (void)state;
    struct straight s = straight_make(8, 20, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&s.desc);
    struct rig rig = rig_open(&options);
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_device_cpu_desc scalar = PLAIT_DEVICE_CPU_DESC_INIT;
    desc.backend = PLAIT_BACKEND_CPU;
    desc.head.next = &scalar;
    scalar.instruction_set = PLAIT_CPU_SCALAR;
    plait_device other;
    assert_ok(plait_device_open(rig.context, &desc, &other));
    for (int f = 0; f < 20; f++) rig_step(&rig, 1.0f / 144, NULL, true);
    float portal[12];
    bone_make(portal, (float[3]){0, 1, 0}, 1.1, (float[3]){10, 3, -4});
    assert_ok(plait_hair_teleport(rig.hair, 1, portal));
    float *before = rig_positions(&rig);
    assert_ok(plait_hair_set_device(rig.hair, other));
    float *after = rig_positions(&rig);
    float root[3];
    transform(portal, s.positions, root);
    assert_true(distance3(before, root) < 1e-5);
    assert_memory_equal(after, before, (size_t)rig.vertices * 12);
    free(before);
    free(after);
    assert_ok(plait_device_close(other));
    rig_close(&rig);
    straight_free(&s);
}

static void jumps_beyond_the_limit_teleport_by_themselves(void **state) {
    (void)state;
    struct straight s = straight_make(4, 20, 0.2f, (float[3]){0, -1, 0});
    struct rig_options options = rig_options(&s.desc);
    options.hair.teleport_distance = 0.5f;
    options.hair.teleport_angle = 1.0f;
    struct rig rig = rig_open(&options);
    for (int f = 0; f < 300; f++) rig_step(&rig, 1.0f / 60, NULL, true);
    float *settled = rig_positions(&rig);
    float bone[12];
    bone_make(bone, (float[3]){0, 1, 0}, 0.0, (float[3]){0.4f, 0, 0});
    rig_step(&rig, 1.0f / 60, bone, true);
    assert_int_equal(rig_stats(&rig).teleport_count, 0);
    bone_make(bone, (float[3]){0, 1, 0}, 0.0, (float[3]){-0.4f, 0, 0});
    rig_step(&rig, 1.0f / 60, bone, true);
    assert_int_equal(rig_stats(&rig).teleport_count, 1);
    bone_make(bone, (float[3]){0, 1, 0}, 1.1, (float[3]){-0.4f, 0, 0});
    rig_step(&rig, 1.0f / 60, bone, true);
    assert_int_equal(rig_stats(&rig).teleport_count, 2);

    // A settled strand is still settled after a teleport.
    assert_ok(plait_hair_reset(rig.hair, 0, NULL));
    for (int f = 0; f < 300; f++) rig_step(&rig, 1.0f / 60, NULL, true);
    bone_make(bone, (float[3]){0, 1, 0}, 1.1, (float[3]){5, 0, 0});
    rig_step(&rig, 1.0f / 60, bone, true);
    float *arrived = rig_positions(&rig);
    for (uint32_t v = 0; v < rig.vertices; v++) {
        float expected[3];
        transform(bone, settled + 3 * v, expected);
        assert_true(distance3(arrived + 3 * v, expected) < 1e-4);
    }
    free(settled);
    free(arrived);
    rig_close(&rig);
    straight_free(&s);
}

static void reset_puts_strands_at_rest_in_their_rest_shape(void **state) {
    (void)state;
    scene_groom groom = wavy_groom(20);
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(&groom, &desc);
    struct rig_options options = rig_options(&desc);
    struct rig rig = rig_open(&options);
    float *before = rig_positions(&rig);
    float bones[SCENE_BONE_COUNT][12], bind[SCENE_BONE_COUNT][12];
    scene_bind_pose(bind);
    for (int f = 0; f < 60; f++) {
        scene_motion_pose(SCENE_MOTION_VIOLENT, f / 60.0, 2, bones);
        rig_step(&rig, 1.0f / 60, &bones[0][0], true);
    }
    assert_ok(plait_hair_reset(rig.hair, SCENE_BONE_COUNT, &bind[0][0]));
    float *after = rig_positions(&rig);
    assert_true(largest_difference(before, after, rig.vertices) < 2e-6);
    rig_step(&rig, 1.0f / 60, NULL, false); // at rest: without gravity nothing moves
    float *later = rig_positions(&rig);
    assert_true(largest_difference(later, after, rig.vertices) < 2e-6);
    free(before);
    free(after);
    free(later);
    rig_close(&rig);
    scene_groom_free(&groom);
}

// One second of the same motion, in a host of other units, axes or handedness; `map` takes a point of the first host to
// the second.
static void compare_hosts(void (*map)(const float *in, float *out), float meters_per_unit) {
    struct straight s = straight_make(6, 16, 0.15f, (float[3]){0.6f, 0, 0.8f});
    struct rig_options options = rig_options(&s.desc);
    struct rig rig = rig_open(&options);
    struct straight t = straight_make(6, 16, 0.15f, (float[3]){0.6f, 0, 0.8f});
    for (uint32_t v = 0; v < 96; v++) map(s.positions + 3 * v, t.positions + 3 * v);
    struct rig_options other_options = rig_options(&t.desc);
    other_options.hair.meters_per_unit = meters_per_unit;
    struct rig other = rig_open(&other_options);
    float gravity[3] = {0, -9.81f, 0.5f}, wind[3] = {1, 0.3f, -2};
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT, mapped = PLAIT_FRAME_DESC_INIT;
    frame.dt = mapped.dt = 1.0f / 60;
    memcpy(frame.gravity, gravity, sizeof gravity);
    memcpy(frame.wind, wind, sizeof wind);
    map(gravity, mapped.gravity);
    map(wind, mapped.wind);
    frame.bone_count = mapped.bone_count = 1;
    for (int f = 0; f < 60; f++) { // on a head that goes a metre a second
        float at[3] = {(float)(f + 1) / 60, 0, 0}, there[3];
        map(at, there);
        float bone[12] = {1, 0, 0, at[0], 0, 1, 0, at[1], 0, 0, 1, at[2]};
        float bone_there[12] = {1, 0, 0, there[0], 0, 1, 0, there[1], 0, 0, 1, there[2]};
        frame.bones = bone;
        mapped.bones = bone_there;
        assert_ok(plait_hair_step(rig.hair, &frame));
        assert_ok(plait_hair_step(other.hair, &mapped));
    }
    float *a = rig_positions(&rig), *b = rig_positions(&other);
    double worst = 0;
    for (uint32_t v = 0; v < 96; v++) {
        float expected[3];
        map(a + 3 * v, expected);
        worst = fmax(worst, distance3(b + 3 * v, expected) * meters_per_unit);
    }
    printf("off by %.2g m\n", worst);
    assert_true(worst < 1e-4);
    free(a);
    free(b);
    rig_close(&rig);
    rig_close(&other);
    straight_free(&s);
    straight_free(&t);
}

static void to_centimetres(const float *in, float *out) {
    for (int c = 0; c < 3; c++) out[c] = 100 * in[c];
}
static void to_z_up(const float *in, float *out) { // a rotation
    float p[3] = {in[0], -in[2], in[1]};
    memcpy(out, p, sizeof p);
}
static void to_left_handed(const float *in, float *out) { // a reflection
    float p[3] = {in[0], in[1], -in[2]};
    memcpy(out, p, sizeof p);
}

static void hosts_in_centimetres_see_the_same_motion(void **state) {
    (void)state, compare_hosts(to_centimetres, 0.01f);
}

// A host that takes the defaults to change a field, and changes none, has the hair of a host that gives no parameters.
static void defaults_move_as_no_parameters_do_in_every_unit(void **state) {
    (void)state;
    const float units[] = {1, 0.01f, 0.0254f};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        float unit = units[i], *positions[2];
        struct straight s = straight_make(6, 16, 0.15f / unit, (float[3]){0.6f, 0, 0.8f});
        for (int given = 0; given < 2; given++) {
            plait_shape_params shape = PLAIT_SHAPE_PARAMS_INIT;
            plait_hybrid_params rods = PLAIT_HYBRID_PARAMS_INIT;
            assert_ok(plait_shape_params_default(unit, &shape));
            assert_ok(plait_hybrid_params_default(unit, &rods));
            struct rig_options options = rig_options(&s.desc);
            options.hair.meters_per_unit = unit;
            if (given) options.params = test_solver() == PLAIT_SOLVER_HYBRID ? (const void *)&rods : &shape;
            struct rig rig = rig_open(&options);
            for (int f = 0; f < 60; f++) { // on a head that goes a metre a second
                float bone[12] = {1, 0, 0, (float)(f + 1) / 60 / unit, 0, 1, 0, 0, 0, 0, 1, 0};
                plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
                frame.dt = 1.0f / 60;
                frame.bones = bone;
                frame.bone_count = 1;
                frame.gravity[1] = -9.81f / unit;
                assert_ok(plait_hair_step(rig.hair, &frame));
            }
            positions[given] = rig_positions(&rig);
            rig_close(&rig);
        }
        assert_memory_equal(positions[0], positions[1], 96 * 3 * sizeof(float));
        free(positions[0]);
        free(positions[1]);
        straight_free(&s);
    }
}

static void any_axis_may_be_up(void **state) { (void)state, compare_hosts(to_z_up, 1); }
static void left_handed_hosts_work_unchanged(void **state) { (void)state, compare_hosts(to_left_handed, 1); }

// Two bones at half weight each: the root lies where linear blend skinning puts it. Weights need not sum to one.
static void roots_follow_blended_bones(void **state) {
    (void)state;
    struct straight s = straight_make(1, 6, 0.1f, (float[3]){0, 1, 0});
    plait_root_binding binding = {{0, 1, 77, 0}, {2.0f, 6.0f, 0.0f, 0.0f}};
    s.desc.bone_count = 2;
    s.desc.root_bindings = &binding;
    struct rig_options options = rig_options(&s.desc);
    struct rig rig = rig_open(&options);
    float bones[2][12];
    bone_make(bones[0], (float[3]){0, 0, 1}, 0.3, (float[3]){1, 0, 0});
    bone_make(bones[1], (float[3]){0, 0, 1}, 0.5, (float[3]){0, 2, 0});
    assert_ok(plait_hair_reset(rig.hair, 2, &bones[0][0]));
    float *p = rig_positions(&rig);
    assert_true(fabs(p[0] - 0.25) < 1e-6 && fabs(p[1] - 1.5) < 1e-6);
    // Directions blend likewise; the strand keeps its length.
    double angle = atan2(p[3 * 5] - p[0], p[3 * 5 + 1] - p[1]);
    assert_true(fabs(-angle - atan2(0.25 * sin(0.3) + 0.75 * sin(0.5), 0.25 * cos(0.3) + 0.75 * cos(0.5))) < 1e-4);
    assert_true(fabs(distance3(p, p + 15) - 0.1) < 1e-5);
    free(p);
    rig_close(&rig);
    straight_free(&s);
}

static void scaled_bones_scale_the_hair(void **state) {
    (void)state;
    struct straight s = straight_make(3, 11, 0.1f, (float[3]){0, -1, 0});
    struct rig_options options = rig_options(&s.desc);
    struct rig rig = rig_open(&options);
    float bone[12] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0};
    for (int f = 0; f < 120; f++) rig_step(&rig, 1.0f / 60, bone, true);
    float *p = rig_positions(&rig);
    assert_true(fabs(p[30] - p[0]) < 1e-3 && fabs(p[31] - p[1] + 0.2) < 1e-3);
    assert_true(rig_stats(&rig).mean_length_error < 1e-4f);
    free(p);
    rig_close(&rig);
    straight_free(&s);
}

// A strand drawn small and scaled up by its bone sags like one drawn at that size.
static void scale_does_not_change_how_strands_sag(void **state) {
    (void)state;
    double tip[3];
    for (int i = 0; i < 3; i++) {
        double scale = i == 0 ? 1 : i == 1 ? 100 : 0.01;
        struct straight s = straight_make(1, 16, (float)(0.2 / scale), (float[3]){1, 0, 0});
        float radii[16];
        for (int v = 0; v < 16; v++) radii[v] = (float)(4e-5 / scale);
        s.desc.radii = radii;
        struct rig_options options = rig_options(&s.desc);
        struct rig rig = rig_open(&options);
        float bone[12] = {(float)scale, 0, 0, 0, 0, (float)scale, 0, 0, 0, 0, (float)scale, 0};
        assert_ok(plait_hair_reset(rig.hair, 1, bone));
        for (int f = 0; f < 300; f++) rig_step(&rig, 1.0f / 60, NULL, true);
        float *p = rig_positions(&rig);
        tip[i] = p[3 * 15 + 1];
        free(p);
        rig_close(&rig);
        straight_free(&s);
    }
    assert_true(tip[0] < -0.05);
    assert_true(fabs(tip[1] - tip[0]) < 1e-4 && fabs(tip[2] - tip[0]) < 1e-4);
}

// If bones equal the bind pose, a groom stays where it was drawn, wherever the bones are.
static void bind_pose_cancels_the_bones_it_was_drawn_in(void **state) {
    (void)state;
    struct straight s = straight_make(3, 11, 0.1f, (float[3]){0, 1, 0});
    float bind[12];
    bone_make(bind, (float[3]){0.6f, 0, 0.8f}, 2.0, (float[3]){0.1f, 1.6f, -0.2f});
    s.desc.bind_pose = bind;
    struct rig_options options = rig_options(&s.desc);
    struct rig rig = rig_open(&options);
    rig_step(&rig, 1.0f / 60, bind, false);
    float *p = rig_positions(&rig);
    assert_true(largest_difference(p, s.positions, rig.vertices) < 1e-5);
    free(p);
    rig_close(&rig);
    straight_free(&s);
}

static void null_device_leaves_strands_as_they_are(void **state) {
    (void)state;
    struct straight s = straight_make(3, 11, 0.1f, (float[3]){0, 1, 0});
    struct rig_options options = rig_options(&s.desc);
    options.backend = PLAIT_BACKEND_NULL;
    struct rig rig = rig_open(&options);
    for (int f = 0; f < 10; f++) rig_step(&rig, 1.0f / 60, NULL, true);
    float *p = rig_positions(&rig);
    assert_memory_equal(p, s.positions, (size_t)rig.vertices * 12);
    free(p);
    rig_close(&rig);
    straight_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hair_starts_in_the_groom_as_drawn),
        cmocka_unit_test(teleport_keeps_shape_and_velocity),
        cmocka_unit_test(a_device_swap_after_a_teleport_leaves_strands_where_they_are),
        cmocka_unit_test(jumps_beyond_the_limit_teleport_by_themselves),
        cmocka_unit_test(reset_puts_strands_at_rest_in_their_rest_shape),
        cmocka_unit_test(hosts_in_centimetres_see_the_same_motion),
        cmocka_unit_test(defaults_move_as_no_parameters_do_in_every_unit),
        cmocka_unit_test(any_axis_may_be_up),
        cmocka_unit_test(left_handed_hosts_work_unchanged),
        cmocka_unit_test(roots_follow_blended_bones),
        cmocka_unit_test(scaled_bones_scale_the_hair),
        cmocka_unit_test(scale_does_not_change_how_strands_sag),
        cmocka_unit_test(bind_pose_cancels_the_bones_it_was_drawn_in),
        cmocka_unit_test(null_device_leaves_strands_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
