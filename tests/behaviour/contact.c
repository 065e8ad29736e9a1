// Colliders: strands stay outside, slide or stick as friction says, and stretch no more than the header says.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static plait_collider collider(uint32_t kind, const float a[3], const float b[3], float r0, float r1, float friction) {
    plait_collider c = PLAIT_COLLIDER_INIT;
    c.kind = kind;
    for (int i = 0; i < 3; i++) {
        c.points[0][i] = a[i];
        c.points[1][i] = b[i];
    }
    c.radii[0] = r0;
    c.radii[1] = r1;
    c.friction = friction;
    return c;
}

static plait_body_desc describe(const plait_collider *colliders, uint32_t count) {
    plait_body_desc desc = PLAIT_BODY_DESC_INIT;
    desc.bone_count = 1;
    desc.collider_count = count;
    desc.colliders = colliders;
    return desc;
}

// Of the solver under test.
static const void *limp(void) {
    static plait_shape_params params = PLAIT_SHAPE_PARAMS_INIT;
    static plait_hybrid_params rods;
    assert_ok(plait_shape_params_default(1, &params));
    params.compliance_root_s2 = params.compliance_tip_s2 = 1;
    rods = rig_rods();
    rods.bend_modulus = rods.twist_modulus = 1e7f; // a hundredth of hair and less
    return test_solver() == PLAIT_SOLVER_HYBRID ? (const void *)&rods : &params;
}

// How deep strands may lie in a surface. For rods contact is a stiff spring.
static double slack(void) { return test_solver() == PLAIT_SOLVER_HYBRID ? 1e-4 : 1e-5; }

// Distance to the hull of two spheres, by search instead of by formula.
static double hull_distance(const plait_collider *c, const float *p) {
    double best = 1e9;
    for (int i = 0; i <= 2000; i++) {
        double t = i / 2000.0, d2 = 0;
        for (int k = 0; k < 3; k++) {
            double axis = c->points[0][k] + t * ((double)c->points[1][k] - c->points[0][k]) - p[k];
            d2 += axis * axis;
        }
        double d = sqrt(d2) - (c->radii[0] + t * ((double)c->radii[1] - c->radii[0]));
        if (d < best) best = d;
    }
    return best;
}

// Limp strands grow from the top of a tapered capsule and fall over its side.
static void strands_stay_outside_a_tapered_capsule(void **state) {
    (void)state;
    struct straight s = straight_make(40, 40, 0.3f, (float[3]){0, 0, 1});
    plait_collider c = collider(PLAIT_COLLIDER_CAPSULE, (float[3]){-0.05f, -0.101f, 0.0f},
                                (float[3]){0.45f, -0.06f, 0.0f}, 0.1f, 0.059f, 0.3f);
    plait_body_desc body = describe(&c, 1);
    struct rig_options options = rig_options(&s.desc);
    options.body = &body;
    options.params = limp();
    struct rig rig = rig_open(&options);
    double deepest = 0, deepest_lying = 0; // on the way, and once they lie
    uint32_t touching = 0;
    for (int f = 0; f < 300; f++) {
        rig_step(&rig, 1.0f / 60, NULL, true);
        if (f % 30 != 29) continue;
        float *p = rig_positions(&rig);
        for (uint32_t v = 0; v < rig.vertices; v++) {
            double d = hull_distance(&c, p + 3 * (size_t)v);
            if (d < deepest) deepest = d;
            if (f > 200 && d < deepest_lying) deepest_lying = d;
            touching += d < 2e-4;
        }
        free(p);
    }
    printf("deepest vertex: %.3f mm inside, lying %.3f mm, %u touches\n", -1000 * deepest, -1000 * deepest_lying,
           touching);
    assert_true(touching > 100);
    assert_true(deepest > (test_solver() == PLAIT_SOLVER_HYBRID ? -2.5e-3 : -2e-4)); // rods: see rod_ahead.h
    assert_true(deepest_lying > -2e-4);
    assert_true(rig_stats(&rig).mean_length_error < 0.002f);
    rig_close(&rig);
    straight_free(&s);
}

static void half_space_holds_strands_up(void **state) {
    (void)state;
    struct straight s = straight_make(10, 20, 0.2f, (float[3]){0, -1, 0});
    plait_collider c = collider(PLAIT_COLLIDER_HALF_SPACE, (float[3]){0, -0.1f, 0}, (float[3]){0, 2, 0}, 0, 0, 0.2f);
    plait_body_desc body = describe(&c, 1);
    struct rig_options options = rig_options(&s.desc);
    options.body = &body;
    options.params = limp();
    struct rig rig = rig_open(&options);
    for (int f = 0; f < 200; f++) rig_step(&rig, 1.0f / 60, NULL, true);
    float *p = rig_positions(&rig);
    double lowest = 0;
    for (uint32_t v = 0; v < rig.vertices; v++) lowest = fmin(lowest, p[3 * v + 1] + 0.1);
    printf("on a half-space: %.2e m inside at most\n", -lowest);
    assert_true(lowest > (test_solver() == PLAIT_SOLVER_HYBRID ? -5e-4 : -1e-5)); // rods: on their way to rest
    free(p);
    rig_close(&rig);
    straight_free(&s);
}

// Nothing hangs on the floor's bone while it rises and goes away with the roots. The floor is then where the bone is, just above
// the tips, and does not drag them along the way that the bone has come.
static void a_body_that_comes_later_is_where_its_bones_are(void **state) {
    (void)state;
    struct straight s = straight_make(10, 20, 0.2f, (float[3]){0, -1, 0});
    plait_collider c = collider(PLAIT_COLLIDER_HALF_SPACE, (float[3]){0, -1.198f, 0}, (float[3]){0, 2, 0}, 0, 0, 1);
    plait_body_desc body = describe(&c, 1);
    c.bone = 1;
    body.bone_count = s.desc.bone_count = 2;
    struct rig_options options = rig_options(&s.desc);
    options.body = &body;
    options.params = limp();
    struct rig rig = rig_open(&options);
    float bones[2][12], fastest = 0;
    for (int b = 0; b < 2; b++) bone_identity(bones[b]);
    rig_step(&rig, 1.0f / 60, bones[0], true);
    assert_ok(plait_hair_set_body(rig.hair, (plait_body){0}));
    for (int f = 1; f <= 100; f++) {
        bones[0][3] = bones[1][3] = 20.0f * (float)f / 100;
        bones[1][7] = (float)f / 100;
        rig_step(&rig, 1.0f / 60, bones[0], true);
    }
    for (int f = 0; f < 200; f++) rig_step(&rig, 1.0f / 60, NULL, true);
    assert_ok(plait_hair_set_body(rig.hair, rig.body));
    float *p = rig_positions(&rig);
    for (int f = 0; f < 200; f++) {
        rig_step(&rig, 1.0f / 60, NULL, true);
        float *next = rig_positions(&rig);
        for (uint32_t v = 0; v < rig.vertices; v++) {
            const float aside = fabsf(next[3 * v] - p[3 * v]) * 60;
            fastest = aside > fastest ? aside : fastest;
        }
        free(p);
        p = next;
    }
    double lowest = 0;
    for (uint32_t v = 0; v < rig.vertices; v++) lowest = fmin(lowest, p[3 * v + 1] + 0.198);
    printf("on a floor that came later: %.2e m inside at most, %.2g m/s aside\n", -lowest, (double)fastest);
    const bool rods = test_solver() == PLAIT_SOLVER_HYBRID; // they buckle; dragged from where the bone was, at 1.3 m/s
    assert_true(lowest > (rods ? -5e-4 : -1e-5) && fastest < (rods ? 0.6f : 0.1f));
    free(p);
    rig_close(&rig);
    straight_free(&s);
}

// How far the free end of a strand lying across a slope of 30 degrees slides down within a second, at most: without
// friction it swings back.
static double slide(float friction) {
    struct straight s = straight_make(1, 30, 0.3f, (float[3]){0, 0, 1});
    float normal[3] = {0.5f, 0.8660254f, 0};
    plait_collider c = collider(PLAIT_COLLIDER_HALF_SPACE, (float[3]){0, -1e-4f, 0}, normal, 0, 0, friction);
    plait_body_desc body = describe(&c, 1);
    struct rig_options options = rig_options(&s.desc);
    options.body = &body;
    options.params = limp();
    struct rig rig = rig_open(&options);
    double moved = 0;
    for (int f = 0; f < 60; f++) {
        rig_step(&rig, 1.0f / 60, NULL, true);
        float *p = rig_positions(&rig);
        moved = fmax(moved, p[3 * 29]);
        free(p);
    }
    rig_close(&rig);
    straight_free(&s);
    return moved;
}

// Coulomb: on a slope of 30 degrees bodies stick if friction is above tan(30 degrees) = 0.577.
static void friction_holds_above_the_tangent_of_the_slope(void **state) {
    (void)state;
    double free_fall = slide(0), below = slide(0.4f), above = slide(0.7f);
    printf("down the slope in a second: %.1f mm without friction, %.1f mm at 0.4, %.2f mm at 0.7\n", 1000 * free_fall,
           1000 * below, 1000 * above);
    assert_true(free_fall > 0.1);
    assert_true(below > 0.02 && (below < free_fall || test_solver() == PLAIT_SOLVER_HYBRID)); // rods slide all the way
    assert_true(above < 0.002);
}

// A turntable drags what lies on it: friction is relative to the surface's motion.
static void moving_colliders_drag_strands_along(void **state) {
    (void)state;
    struct straight s = straight_make(1, 20, 0.2f, (float[3]){0, 0, 1});
    s.desc.bone_count = 2;
    plait_collider c = collider(PLAIT_COLLIDER_HALF_SPACE, (float[3]){0, -1e-4f, 0}, (float[3]){0, 1, 0}, 0, 0, 0.9f);
    c.bone = 1;
    plait_body_desc body = describe(&c, 1);
    body.bone_count = 2;
    struct rig_options options = rig_options(&s.desc);
    options.body = &body;
    options.params = limp();
    struct rig rig = rig_open(&options);
    for (int f = 0; f < 60; f++) {
        float bones[2][12];
        bone_identity(bones[0]);
        bone_make(bones[1], (float[3]){0, 1, 0}, 0.01 * f, (float[3]){0, 0, 0});
        rig_step(&rig, 1.0f / 60, &bones[0][0], true);
    }
    float *p = rig_positions(&rig);
    double angle = atan2(p[3 * 19], p[3 * 19 + 2]);
    printf("turntable at %.3f rad, strand at %.3f rad\n", 0.59, angle);
    assert_true(angle > 0.5 && angle < 0.6);
    free(p);
    rig_close(&rig);
    straight_free(&s);
}

static void disabled_colliders_do_nothing(void **state) {
    (void)state;
    struct straight s = straight_make(2, 20, 0.2f, (float[3]){0, -1, 0});
    plait_collider c[40];
    for (int i = 0; i < 40; i++)
        c[i] = collider(PLAIT_COLLIDER_SPHERE, (float[3]){5, 5, 5}, (float[3]){0, 0, 0}, 0.1f, 0, 0);
    c[35] = collider(PLAIT_COLLIDER_HALF_SPACE, (float[3]){0, -0.1f, 0}, (float[3]){0, 1, 0}, 0, 0, 0.2f);
    plait_body_desc body = describe(c, 40);
    struct rig_options options = rig_options(&s.desc);
    options.body = &body;
    options.params = limp();
    struct rig rig = rig_open(&options);
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.gravity[1] = -9.81f;
    for (int round = 0; round < 3; round++) {
        uint32_t mask[2] = {~0u, round == 1 ? 1u << 3 : 0u};
        frame.colliders_enabled = round == 2 ? NULL : mask; // 35 is off, on, on with all
        frame.colliders_enabled_words = 2;
        for (int f = 0; f < 120; f++) assert_ok(plait_hair_step(rig.hair, &frame));
        float *p = rig_positions(&rig);
        float lowest = p[3 * 19 + 1];
        assert_true(round == 0 ? lowest < -0.19f : lowest > -0.1 - slack());
        free(p);
    }
    rig_close(&rig);
    straight_free(&s);
}

// A thousand spheres in the strands' way: no small limit on colliders.
static void a_thousand_colliders_all_act(void **state) {
    (void)state;
    struct straight s = straight_make(10, 30, 0.3f, (float[3]){0, 0, 1});
    plait_collider *c = calloc(1000, sizeof *c);
    assert_non_null(c);
    for (int i = 0; i < 1000; i++) {
        float at[3] = {0.01f * (float)(i % 25) - 0.05f, -0.05f, 0.01f * (float)(i / 25)};
        c[i] = collider(PLAIT_COLLIDER_SPHERE, at, at, 0.02f, 0, 0.5f);
    }
    plait_body_desc body = describe(c, 1000);
    struct rig_options options = rig_options(&s.desc);
    options.body = &body;
    options.params = limp();
    struct rig rig = rig_open(&options);
    for (int f = 0; f < 120; f++) rig_step(&rig, 1.0f / 60, NULL, true);
    float *p = rig_positions(&rig);
    for (uint32_t v = 0; v < rig.vertices; v++) assert_true(p[3 * v + 1] > -0.05f);
    free(p);
    rig_close(&rig);
    straight_free(&s);
    free(c);
}

// Rods that fall onto a floor or over a capsule come to rest there. Three seconds later: root mean square of the speed
// over the last tenth of a second, how deep a vertex lies then, and how deep one was on the way.
struct rest {
    double speed, depth, deepest;
};

static struct rest come_to_rest(const plait_collider *c, float friction) {
    struct straight s = straight_make(20, 30, 0.25f, (float[3]){0, 0.1f, 1});
    plait_collider surface = *c;
    surface.friction = friction;
    plait_body_desc body = describe(&surface, 1);
    plait_hybrid_params rods = rig_rods();
    rods.bend_modulus = rods.twist_modulus = 1e9f; // some of it lies, some does not touch
    struct rig_options options = rig_options(&s.desc);
    options.body = &body;
    options.solver = PLAIT_SOLVER_HYBRID;
    options.params = &rods;
    struct rig rig = rig_open(&options);
    struct rest rest = {0, 0, 0};
    float *before = NULL;
    for (int f = 0; f < 180; f++) {
        rig_step(&rig, 1.0f / 60, NULL, true);
        float *p = rig_positions(&rig);
        for (uint32_t v = 0; v < rig.vertices; v++) {
            double distance = c->kind == PLAIT_COLLIDER_HALF_SPACE ? (double)p[3 * v + 1] - c->points[0][1]
                                                                   : hull_distance(c, p + 3 * (size_t)v);
            rest.deepest = fmax(rest.deepest, -distance);
            if (f == 179) rest.depth = fmax(rest.depth, -distance);
            if (f >= 174) {
                double moved = 60 * distance3(p + 3 * (size_t)v, before + 3 * (size_t)v);
                rest.speed += moved * moved / (6.0 * rig.vertices);
            }
        }
        free(before);
        before = p;
    }
    free(before);
    rest.speed = sqrt(rest.speed);
    rig_close(&rig);
    straight_free(&s);
    return rest;
}

static void rods_come_to_rest_on_surfaces(void **state) {
    (void)state;
    if (test_solver() != PLAIT_SOLVER_HYBRID) skip();
    const plait_collider surfaces[] = {
        collider(PLAIT_COLLIDER_HALF_SPACE, (float[3]){0, -0.05f, 0}, (float[3]){0, 1, 0}, 0, 0, 0),
        collider(PLAIT_COLLIDER_CAPSULE, (float[3]){-0.2f, -0.08f, 0.1f}, (float[3]){0.4f, -0.08f, 0.1f}, 0.05f, 0.05f,
                 0),
    };
    for (int i = 0; i < 2; i++)
        for (int k = i; k < 3; k++) { // without friction they slip off the capsule, and swing
            static const float frictions[] = {0, 0.3f, 1};
            struct rest rest = come_to_rest(&surfaces[i], frictions[k]);
            printf("on a %s with friction %g: %.2e m/s, %.1e m inside, %.1e on the way\n", i ? "capsule" : "floor",
                   (double)frictions[k], rest.speed, rest.depth, rest.deepest);
            assert_true(rest.speed < (i ? 0.05 : 1e-3)); // what hangs beyond the capsule still swings a little
            assert_true(rest.depth < 2e-4);              // where a vertex bears the weight of eight
            assert_true(rest.deepest < 2.5e-3);          // where one stops that strikes at 3 m/s; tips fall by 8 cm
        }
}

// Two balls that overlap, thrown about with strands of short segments between them, near the origin and farther out, where
// rounding tells: the header's bound holds, and is met.
static void where_colliders_leave_no_room_strands_stretch_by_their_bound_at_most(void **state) {
    (void)state;
    bool rods = test_solver() == PLAIT_SOLVER_HYBRID;
    float segment = 8e-5f;
    struct straight s = straight_make(4, 40, 39 * segment, (float[3]){1, 0, 0});
    const plait_collider balls[] = {
        collider(PLAIT_COLLIDER_SPHERE, (float[3]){0, -0.045f, 0}, (float[3]){0}, 0.05f, 0, 0.3f),
        collider(PLAIT_COLLIDER_SPHERE, (float[3]){0, 0.045f, 0}, (float[3]){0}, 0.05f, 0, 0.3f)};
    plait_body_desc body = describe(balls, 2);
    struct rig_options options = rig_options(&s.desc);
    options.body = &body;
    double worst = 0;
    for (float distance = 0; distance<11; distance = distance> 0 ? 10 * distance : 1) {
        struct rig rig = rig_open(&options);
        double bound = (rods ? 0.4 : 0.04) + 1.2e-7 * (distance + 0.2) / segment;
        for (int f = 0; f < 200; f++) {
            float shift[3] = {distance + 0.1f * (float)sin(0.3 * f), 0.1f * (float)sin(0.23 * f), 0}, bone[12];
            bone_make(bone, (float[3]){0, 1, 0}, 0, shift);
            rig_step(&rig, 1.0f / 60, bone, true);
            double stretch = rig_stats(&rig).worst_stretch;
            if (!(stretch <= bound)) fail_msg("%g m from the origin: stretched by %g", (double)distance, stretch);
            worst = fmax(worst, stretch);
        }
        rig_close(&rig);
    }
    printf("stretched by %.4f at most\n", worst);
    assert_true(rods || worst > 0.038);
    straight_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strands_stay_outside_a_tapered_capsule),
        cmocka_unit_test(half_space_holds_strands_up),
        cmocka_unit_test(a_body_that_comes_later_is_where_its_bones_are),
        cmocka_unit_test(friction_holds_above_the_tangent_of_the_slope),
        cmocka_unit_test(moving_colliders_drag_strands_along),
        cmocka_unit_test(disabled_colliders_do_nothing),
        cmocka_unit_test(a_thousand_colliders_all_act),
        cmocka_unit_test(rods_come_to_rest_on_surfaces),
        cmocka_unit_test(where_colliders_leave_no_room_strands_stretch_by_their_bound_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
