// Hair-hair forces as their paper shows them (Huang et al. 2023): more stiffness keeps more volume (fig. 10), friction keeps
// strands together on the ground and a fluid does not (fig. 11), and fewer steps of the rods change little (fig. 13).
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static plait_volume_params usual(void) {
    plait_volume_params params = PLAIT_VOLUME_PARAMS_INIT;
    assert_ok(plait_volume_params_default(1, &params));
    return params;
}

// A tress of limp strands that hang from a grid of roots, beside or above a plane. Bone 0 has the roots, bone 1 the plane.
enum { SIDE = 12, TRESS_VERTICES = 16 };

struct tress {
    float positions[SIDE * SIDE * TRESS_VERTICES][3];
    uint32_t counts[SIDE * SIDE];
    plait_collider plane;
    plait_body_desc body;
    plait_groom_desc groom;
    plait_hybrid_params rods;
};

static void tress_make(struct tress *t, float plane_z_m) {
    for (uint32_t s = 0; s < SIDE * SIDE; s++) {
        t->counts[s] = TRESS_VERTICES;
        for (uint32_t v = 0; v < TRESS_VERTICES; v++) { // a little irregular
            float *x = t->positions[s * TRESS_VERTICES + v], wave = v % 2 ? 3e-4f : 0;
            x[0] = 0.004f * ((float)(s % SIDE) - 0.5f * (SIDE - 1)) + wave * (float)((int)(s * 13 % 7) - 3);
            x[1] = 0.2f - 0.012f * (float)v;
            x[2] = 0.004f * ((float)(s / SIDE) - 0.5f * (SIDE - 1)) + wave * (float)((int)(s * 5 % 7) - 3);
        }
    }
    t->plane = (plait_collider)PLAIT_COLLIDER_INIT;
    t->plane.kind = PLAIT_COLLIDER_HALF_SPACE;
    t->plane.bone = 1;
    t->plane.friction = 0.3f;
    t->plane.points[0][2] = plane_z_m;
    t->plane.points[1][plane_z_m < 0 ? 2 : 1] = 1;
    t->body = (plait_body_desc)PLAIT_BODY_DESC_INIT;
    t->body.bone_count = 2;
    t->body.collider_count = 1;
    t->body.colliders = &t->plane;
    t->groom = (plait_groom_desc)PLAIT_GROOM_DESC_INIT;
    t->groom.strand_count = SIDE * SIDE;
    t->groom.vertex_counts = t->counts;
    t->groom.positions = &t->positions[0][0];
    t->groom.bone_count = 2;
    t->rods = rig_rods();
    t->rods.bend_modulus = t->rods.twist_modulus = 1e7f;
}

// Three seconds: roots go down by so much in the first. Returns positions, to be freed.
static float *tress_run(const struct tress *t, const plait_volume_params *volume, const float gravity[3],
                        float down_m) {
    struct rig_options options = rig_options(&t->groom);
    options.body = &t->body;
    options.solver = PLAIT_SOLVER_HYBRID;
    options.params = &t->rods;
    struct rig rig = rig_open(&options);
    assert_ok(plait_hair_set_volume(rig.hair, volume));
    float bones[2][12];
    bone_identity(bones[0]);
    bone_identity(bones[1]);
    for (int f = 0; f < 180; f++) {
        plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
        bones[0][7] = -down_m * fminf((float)f / 60, 1);
        frame.dt = 1.0f / 60;
        frame.bone_count = 2;
        frame.bones = &bones[0][0];
        memcpy(frame.gravity, gravity, sizeof frame.gravity);
        assert_ok(plait_hair_step(rig.hair, &frame));
    }
    float *x = rig_positions(&rig);
    rig_close(&rig);
    return x;
}

// ---- fig. 10 ----

// A tress pressed against a wall by gravity: its mean distance from there.
static double thickness(float modulus) {
    static struct tress tress;
    const float wall_m = -0.04f, gravity[3] = {0, -3, -9.81f};
    plait_volume_params volume = usual();
    volume.youngs_modulus = modulus;
    tress_make(&tress, wall_m);
    float *x = tress_run(&tress, &volume, gravity, 0);
    double sum = 0;
    for (uint32_t v = 0; v < SIDE * SIDE * TRESS_VERTICES; v++) sum += (double)x[3 * v + 2] - wall_m;
    free(x);
    return sum / (SIDE * SIDE * TRESS_VERTICES);
}

static void stiffer_hair_keeps_more_volume(void **state) {
    (void)state;
    static const float moduli[] = {0, 100, 300, 1200, 4000};
    double last = 0;
    for (int i = 0; i < 5; i++) {
        double now = thickness(moduli[i]);
        printf("%4.0f Pa: %.2f mm from the wall on average\n", (double)moduli[i], 1e3 * now);
        assert_true(now > last + 2e-4);
        last = now;
    }
}

// ---- fig. 11 ----

// A tress let down onto the ground: root mean square distance from its middle.
static double spread(uint32_t model, float angle_degrees) {
    static struct tress tress;
    const float gravity[3] = {0, -9.81f, 0};
    plait_volume_params volume = usual();
    volume.model = model;
    volume.friction_angle = angle_degrees * 3.14159265f / 180;
    tress_make(&tress, 0);
    float *x = tress_run(&tress, &volume, gravity, 0.17f);
    double sum = 0;
    for (uint32_t v = 0; v < SIDE * SIDE * TRESS_VERTICES; v++)
        sum += (double)x[3 * v] * x[3 * v] + (double)x[3 * v + 2] * x[3 * v + 2];
    free(x);
    return sqrt(sum / (SIDE * SIDE * TRESS_VERTICES));
}

static void friction_keeps_strands_together_on_the_ground(void **state) {
    (void)state;
    double fluid = spread(PLAIT_VOLUME_FLUID, 0), last = fluid;
    printf("fluid: spread over %.2f cm\n", 100 * fluid);
    static const float angles[] = {10, 20, 30, 40};
    for (int i = 0; i < 4; i++) {
        double now = spread(PLAIT_VOLUME_SAND, angles[i]);
        printf("sand of %.0f degrees: %.2f cm\n", (double)angles[i], 100 * now);
        assert_true(now < last - 1e-3);
        last = now;
    }
}

// ---- fig. 13 ----

// Positions of every third frame of five seconds.
enum { SECONDS = 5, KEPT = SECONDS * 20 };

static float *film(const plait_groom_desc *groom, const plait_body_desc *body, uint32_t substeps, uint32_t *vertices) {
    struct rig_options options = rig_options(groom);
    plait_volume_params volume = usual();
    options.body = body;
    options.solver = PLAIT_SOLVER_HYBRID;
    options.hair.step_rate_hz = 360.0f / (float)substeps; // the grid has the same step
    struct rig rig = rig_open(&options);
    volume.substeps = substeps;
    assert_ok(plait_hair_set_volume(rig.hair, &volume));
    float *kept = malloc((size_t)KEPT * rig.vertices * 3 * sizeof *kept);
    assert_non_null(kept);
    for (int f = 0; f < SECONDS * 60; f++) {
        float bones[SCENE_BONE_COUNT][12];
        scene_motion_pose(SCENE_MOTION_DANCE, f / 60.0, 1, bones);
        rig_step(&rig, 1.0f / 60, &bones[0][0], true);
        if (f % 3 != 2) continue;
        float *x = rig_positions(&rig);
        memcpy(kept + (size_t)(f / 3) * rig.vertices * 3, x, (size_t)rig.vertices * 3 * sizeof *x);
        free(x);
    }
    *vertices = rig.vertices;
    rig_close(&rig);
    return kept;
}

static void one_two_and_three_substeps_move_alike(void **state) {
    (void)state;
    scene_preset preset;
    scene_groom groom;
    scene_body body;
    assert_true(scene_preset_get(scene_preset_find("2a"), 150, 16, 5, &preset));
    preset.groom.length_m = 0.14f;
    assert_true(scene_groom_make(&preset.groom, &groom));
    scene_body_make(&preset.groom.scalp, &body);
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    plait_body_desc body_desc = PLAIT_BODY_DESC_INIT;
    scene_groom_describe(&groom, &desc);
    scene_body_describe(&body, &body_desc);
    uint32_t vertices;
    float *one = film(&desc, &body_desc, 1, &vertices);
    for (uint32_t substeps = 2; substeps <= 3; substeps++) {
        float *more = film(&desc, &body_desc, substeps, &vertices);
        double sum = 0;
        for (size_t v = 0; v < (size_t)KEPT * vertices; v++) sum += distance3(one + 3 * v, more + 3 * v);
        double mean = sum / ((double)KEPT * vertices);
        printf("%u substeps: off by %.2f mm on average\n", substeps, 1e3 * mean);
        assert_true(mean < 0.01);
        free(more);
    }
    free(one);
    scene_groom_free(&groom);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stiffer_hair_keeps_more_volume),
                                       cmocka_unit_test(friction_keeps_strands_together_on_the_ground),
                                       cmocka_unit_test(one_two_and_three_substeps_move_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
