// Solver `shape` against its papers and geometry.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static scene_groom curly_icosphere(uint32_t level, uint32_t vertices) {
    scene_groom_options options = {.vertex_count = vertices,
                                   .length_m = 0.3f,
                                   .radius_m = 4e-5f,
                                   .curl = SCENE_CURL_HELIX,
                                   .curl_radius_m = 0.008f,
                                   .curl_pitch_m = 0.03f};
    scene_groom groom;
    assert_true(scene_groom_icosphere(level, &options, &groom));
    return groom;
}

// Mean distance of vertices from the rest shape moved with the head.
static double mean_distance(const float *a, const float *b, uint32_t vertices) {
    double sum = 0;
    for (uint32_t v = 0; v < vertices; v++) sum += distance3(a + 3 * (size_t)v, b + 3 * (size_t)v);
    return sum / vertices;
}

static void helix_is_its_own_equilibrium_without_gravity(void **state) {
    (void)state;
    scene_groom groom = curly_icosphere(0, 100);
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(&groom, &desc);
    struct rig_options options = rig_options(&desc);
    struct rig rig = rig_open(&options);
    float *before = rig_positions(&rig);
    for (int i = 0; i < 3; i++) { // a second of gravity deforms it, five seconds without let it come back
        for (int f = 0; f < 60; f++) rig_step(&rig, 1.0f / 60, NULL, true);
        float *sagged = rig_positions(&rig);
        assert_true(mean_distance(sagged, before, rig.vertices) > 0.01);
        free(sagged);
        for (int f = 0; f < 300; f++) rig_step(&rig, 1.0f / 60, NULL, false);
    }
    float *after = rig_positions(&rig);
    double worst = largest_difference(before, after, rig.vertices);
    printf("helix after deformation: worst vertex off by %.4f %% of the strand's length\n", 100 * worst / 0.3);
    assert_true(worst < 0.01 * 0.3);
    free(before);
    free(after);
    rig_close(&rig);
    scene_groom_free(&groom);
}

// The seed's workload: an icosphere of 3,840 strands of 100 particles, 500 frames, spheres as colliders.
static void length_error_stays_within_the_papers_and_curls_come_back(void **state) {
    (void)state;
    scene_groom groom = curly_icosphere(3, 100);
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(&groom, &desc);
    plait_collider head = PLAIT_COLLIDER_INIT;
    head.kind = PLAIT_COLLIDER_SPHERE;
    head.bone = SCENE_BONE_HEAD;
    float center[3], bind[SCENE_BONE_COUNT][12];
    scene_head_center(center);
    scene_bind_pose(bind);
    for (int c = 0; c < 3; c++) head.points[0][c] = center[c] - bind[SCENE_BONE_HEAD][4 * c + 3];
    float *root = groom.positions;
    head.radii[0] = (float)(distance3(root, center) - 0.001);
    head.friction = 0.3f;
    plait_body_desc body = PLAIT_BODY_DESC_INIT;
    body.bone_count = SCENE_BONE_COUNT;
    body.collider_count = 1;
    body.colliders = &head;
    struct rig_options options = rig_options(&desc);
    options.body = &body;
    options.threads = 2;
    struct rig rig = rig_open(&options);
    for (int f = 0; f < 60; f++) rig_step(&rig, 1.0f / 60, NULL, true);
    for (int f = 0; f < 120; f++) rig_step(&rig, 1.0f / 60, NULL, true);
    float *settled = rig_positions(&rig);

    double sum = 0, worst = 0;
    float bones[SCENE_BONE_COUNT][12];
    float *thrown = NULL;
    for (int f = 0; f < 500; f++) { // 300 frames of violence, then the head comes to rest where it was
        double time = f < 300 ? f / 60.0 : 0;
        scene_motion_pose(SCENE_MOTION_VIOLENT, time, 7, bones);
        rig_step(&rig, 1.0f / 60, &bones[0][0], true);
        plait_stats_info stats = rig_stats(&rig);
        sum += stats.mean_length_error;
        if (stats.worst_stretch > worst) worst = stats.worst_stretch;
        if (f == 299) thrown = rig_positions(&rig);
    }
    float *recovered = rig_positions(&rig);
    double off = mean_distance(recovered, settled, rig.vertices), was = mean_distance(thrown, settled, rig.vertices);
    printf("length error: mean %.4f %%, worst strand %.3f %%; curls: %.1f mm off while thrown, %.2f mm after\n",
           100 * sum / 500, 100 * worst, 1000 * was, 1000 * off);
    assert_true(sum / 500 <= 0.002);
    assert_true(was > 0.03);
    assert_true(off < 0.1 * was);
    assert_int_equal(rig_stats(&rig).nonfinite_strand_count, 0);
    free(settled);
    free(thrown);
    free(recovered);
    rig_close(&rig);
    scene_groom_free(&groom);
}

static void limp_strand_hangs_straight_down_at_its_length(void **state) {
    (void)state;
    struct straight s = straight_make(3, 21, 0.2f, (float[3]){1, 0, 0});
    plait_shape_params params = PLAIT_SHAPE_PARAMS_INIT;
    assert_ok(plait_shape_params_default(1, &params));
    params.compliance_root_s2 = params.compliance_tip_s2 = 1e6f;
    struct rig_options options = rig_options(&s.desc);
    options.params = &params;
    struct rig rig = rig_open(&options);
    for (int f = 0; f < 1200; f++) rig_step(&rig, 1.0f / 60, NULL, true);
    float *p = rig_positions(&rig);
    for (uint32_t i = 0; i < 3; i++) {
        const float *root = p + 3 * 21 * i, *tip = root + 3 * 20;
        assert_true(fabs(tip[1] - root[1] + 0.2) < 0.001);
        assert_true(fabs(tip[0] - root[0]) < 0.002);
    }
    assert_true(rig_stats(&rig).mean_length_error < 1e-4f);
    free(p);
    rig_close(&rig);
    straight_free(&s);
}

static double tip_drop(const plait_shape_params *params) {
    struct straight s = straight_make(1, 21, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&s.desc);
    options.params = params;
    struct rig rig = rig_open(&options);
    for (int f = 0; f < 600; f++) rig_step(&rig, 1.0f / 60, NULL, true);
    float *p = rig_positions(&rig);
    double drop = -p[3 * 20 + 1];
    free(p);
    rig_close(&rig);
    straight_free(&s);
    return drop;
}

static void softer_strands_sag_more(void **state) {
    (void)state;
    plait_shape_params params = PLAIT_SHAPE_PARAMS_INIT;
    assert_ok(plait_shape_params_default(1, &params));
    double last = -1;
    for (double compliance = 1e-5; compliance < 1; compliance *= 10) {
        params.compliance_root_s2 = params.compliance_tip_s2 = (float)compliance;
        double drop = tip_drop(&params);
        printf("compliance %g s^2: tip %.1f mm below the root\n", compliance, 1000 * drop);
        assert_true(drop > last);
        last = drop;
    }
    assert_true(last > 0.19);
}

// Without bend damping most of these tremble forever (see kernels/shape.h).
static double after_rest(uint32_t vertices, double curl, double compliance, float rate) {
    scene_groom_options made = {.vertex_count = vertices,
                                .length_m = 0.3f,
                                .radius_m = 4e-5f,
                                .curl = SCENE_CURL_HELIX,
                                .curl_radius_m = (float)curl,
                                .curl_pitch_m = 0.03f};
    scene_groom groom;
    assert_true(scene_groom_icosphere(0, &made, &groom));
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(&groom, &desc);
    desc.strand_count = 16;
    plait_shape_params params = PLAIT_SHAPE_PARAMS_INIT;
    assert_ok(plait_shape_params_default(1, &params));
    params.compliance_root_s2 = params.compliance_tip_s2 = (float)compliance;
    struct rig_options options = rig_options(&desc);
    options.params = &params;
    options.hair.step_rate_hz = rate;
    struct rig rig = rig_open(&options);
    float *before = rig_positions(&rig);
    for (int f = 0; f < 60; f++) rig_step(&rig, 1.0f / 60, NULL, true);
    for (int f = 0; f < 180; f++) rig_step(&rig, 1.0f / 60, NULL, false);
    float *after = rig_positions(&rig);
    double worst = largest_difference(before, after, rig.vertices);
    free(before);
    free(after);
    rig_close(&rig);
    scene_groom_free(&groom);
    return worst;
}

static void curls_come_to_rest_at_any_softness_resolution_and_rate(void **state) {
    (void)state;
    double worst = 0;
    for (float rate = 60; rate <= 960; rate *= 4)
        for (uint32_t vertices = 20; vertices <= 80; vertices *= 2)
            for (double curl = 0; curl <= 0.012; curl += 0.004)
                for (double compliance = 0.002; compliance < 0.1; compliance *= 5.3)
                    worst = fmax(worst, after_rest(vertices, curl, compliance, rate));
    printf("three seconds after a second of gravity: worst vertex off by %.2f mm\n", 1000 * worst);
    assert_true(worst < 0.003);
}

// Drag alone: a limp strand in steady wind without gravity points along the wind.
static void wind_turns_a_limp_strand_into_its_direction(void **state) {
    (void)state;
    struct straight s = straight_make(1, 11, 0.1f, (float[3]){0, 1, 0});
    plait_shape_params params = PLAIT_SHAPE_PARAMS_INIT;
    assert_ok(plait_shape_params_default(1, &params));
    params.compliance_root_s2 = params.compliance_tip_s2 = 1e6f;
    params.drag_per_s = 5;
    struct rig_options options = rig_options(&s.desc);
    options.params = &params;
    struct rig rig = rig_open(&options);
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.wind[2] = 10;
    for (int f = 0; f < 1200; f++) assert_ok(plait_hair_step(rig.hair, &frame));
    float *p = rig_positions(&rig);
    assert_true(p[3 * 10 + 2] > 0.0999f);
    free(p);
    rig_close(&rig);
    straight_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helix_is_its_own_equilibrium_without_gravity),
        cmocka_unit_test(length_error_stays_within_the_papers_and_curls_come_back),
        cmocka_unit_test(limp_strand_hangs_straight_down_at_its_length),
        cmocka_unit_test(softer_strands_sag_more),
        cmocka_unit_test(curls_come_to_rest_at_any_softness_resolution_and_rate),
        cmocka_unit_test(wind_turns_a_limp_strand_into_its_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
