// What hair-hair forces leave of strands, with both solvers: segments keep their length, a strand alone is as without them, hair
// comes to rest, and the head's mass is that of its render strands.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_STRETCH 0.0405 // of a segment: the solvers' limit, and rounding
static const uint32_t solvers[] = {PLAIT_SOLVER_SHAPE, PLAIT_SOLVER_HYBRID};
static const uint32_t models[] = {PLAIT_VOLUME_SAND, PLAIT_VOLUME_FLUID};
static const char *const solver_names[] = {[PLAIT_SOLVER_SHAPE] = "shape", [PLAIT_SOLVER_HYBRID] = "hybrid"};

struct head {
    scene_preset preset;
    scene_groom groom;
    scene_body body;
    struct rig rig;
};

// model 0: no hair-hair forces.
static void head_open(struct head *head, const char *name, uint32_t strands, uint32_t vertices, uint32_t solver,
                      uint32_t model) {
    plait_groom_desc groom = PLAIT_GROOM_DESC_INIT;
    plait_body_desc body = PLAIT_BODY_DESC_INIT;
    assert_true(scene_preset_get(scene_preset_find(name), strands, vertices, 5, &head->preset));
    assert_true(scene_groom_make(&head->preset.groom, &head->groom));
    scene_body_make(&head->preset.groom.scalp, &head->body);
    scene_groom_describe(&head->groom, &groom);
    scene_body_describe(&head->body, &body);
    struct rig_options options = rig_options(&groom);
    options.body = &body;
    options.solver = solver;
    options.hair.flags = PLAIT_HAIR_WATCH_MOTION;
    head->rig = rig_open(&options);
    if (!model) return;
    plait_volume_params volume = PLAIT_VOLUME_PARAMS_INIT;
    assert_ok(plait_volume_params_default(1, &volume));
    volume.model = model;
    assert_ok(plait_hair_set_volume(head->rig.hair, &volume));
}

static void head_close(struct head *head) {
    rig_close(&head->rig);
    scene_groom_free(&head->groom);
}

static void head_step(struct head *head, scene_motion motion, double time_s) {
    float bones[SCENE_BONE_COUNT][12];
    scene_motion_pose(motion, time_s, 1, bones);
    rig_step(&head->rig, 1.0f / 60, &bones[0][0], true);
}

// ---- lengths ----

static uint64_t seed;

static double uniform(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}

// Anywhere within a metre, turned any way.
static void random_pose(float bones[SCENE_BONE_COUNT][12]) {
    float axis[3] = {(float)uniform(), (float)uniform(), (float)uniform()}, shift[3], move[12];
    float size = sqrtf(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]) + 1e-6f;
    for (int c = 0; c < 3; c++) {
        axis[c] /= size;
        shift[c] = (float)uniform();
    }
    bone_make(move, axis, 3.14 * uniform(), shift);
    for (int b = 0; b < SCENE_BONE_COUNT; b++)
        for (int i = 0; i < 12; i++) bones[b][i] = move[i];
}

struct stretch {
    double segment, strand; // the most, less one
};

static void look(struct head *head, struct stretch *told, struct stretch *most) {
    float *x = rig_positions(&head->rig);
    double strand = -1;
    for (uint32_t s = 0, v = 0; s < head->groom.strand_count; s++, v++) {
        double length = 0, drawn = 0;
        for (uint32_t end = v + head->groom.vertex_counts[s] - 1; v < end; v++) {
            double now = distance3(x + 3 * v, x + 3 * v + 3);
            double rest = distance3(head->groom.positions + 3 * v, head->groom.positions + 3 * v + 3);
            most->segment = fmax(most->segment, now / rest - 1);
            length += now;
            drawn += rest;
        }
        strand = fmax(strand, length / drawn - 1);
    }
    free(x);
    told->strand = fmax(told->strand, fabs(strand - rig_stats(&head->rig).worst_stretch)); // by how much it is wrong
    most->strand = fmax(most->strand, strand);
}

static void no_segment_is_longer_than_the_limit_and_statistics_tell(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct head head;
        struct stretch told = {0}, most = {0};
        float bones[SCENE_BONE_COUNT][12];
        head_open(&head, "2a", 40, 12, solvers[i / 2], models[i % 2]);
        for (int f = 0; f < 40; f++) {
            head_step(&head, SCENE_MOTION_VIOLENT, f / 60.0);
            look(&head, &told, &most);
        }
        seed = 7;
        for (int f = 0; f < 120; f++) {
            random_pose(bones);
            rig_step(&head.rig, 1.0f / 60, &bones[0][0], true);
            look(&head, &told, &most);
        }
        printf("%s, model %u: segments longer by %.4f at most, strands by %.4f, told to %.5f\n",
               solver_names[solvers[i / 2]], models[i % 2], most.segment, most.strand, told.strand);
        assert_true(most.segment < MOST_STRETCH);
        assert_true(most.segment > 0.001);
        assert_true(told.strand < 1e-3);
        head_close(&head);
    }
}

// ---- rest ----

static void a_strand_alone_hangs_as_without_them(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct head with, without;
        head_open(&with, "1b", 1, 48, solvers[i / 2], models[i % 2]);
        head_open(&without, "1b", 1, 48, solvers[i / 2], 0);
        for (int f = 1; f <= 360; f++) {
            double time_s = scene_motion_until(f / 60.0, 1);
            head_step(&with, SCENE_MOTION_NOD, time_s);
            head_step(&without, SCENE_MOTION_NOD, time_s);
        }
        float *x = rig_positions(&with.rig), *y = rig_positions(&without.rig);
        plait_stats_info stats = rig_stats(&with.rig);
        double apart = largest_difference(x, y, with.rig.vertices);
        printf("%s, model %u: %.2f mm apart, fastest %.3f mm/s\n", solver_names[solvers[i / 2]], models[i % 2],
               1e3 * apart, 1e3 * (double)stats.fastest_speed);
        assert_int_equal(stats.knotted_strand_count, 0);
        assert_true(stats.fastest_speed < 1e-3f);
        assert_true(apart < 1e-3);
        free(x);
        free(y);
        head_close(&with);
        head_close(&without);
    }
}

static void hair_comes_to_rest(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct head head;
        head_open(&head, "1b", 60, 24, solvers[i / 2], models[i % 2]);
        for (int f = 1; f <= 420; f++) head_step(&head, SCENE_MOTION_DANCE, scene_motion_until(f / 60.0, 1));
        plait_stats_info stats = rig_stats(&head.rig);
        printf("%s, model %u: rms %.3f mm/s, fastest %.1f mm/s\n", solver_names[solvers[i / 2]], models[i % 2],
               1e3 * (double)stats.rms_speed, 1e3 * (double)stats.fastest_speed);
        assert_int_equal(stats.knotted_strand_count, 0);
        assert_true(stats.restless_strand_count <= 1);
        assert_true(stats.rms_speed < 1e-3f);
        head_close(&head);
    }
}

// ---- mass ----

static double mass_of(const struct head *head) {
    plait_volume_info info = PLAIT_VOLUME_INFO_INIT;
    assert_ok(plait_hair_volume(head->rig.hair, &info));
    assert_true(fabs(info.grid_mass - info.mass) < 1e-6 * info.mass);
    return info.mass;
}

// Three of a hundred strands are simulated, where nothing says how many.
static void the_head_has_the_mass_of_its_render_strands(void **state) {
    (void)state;
    enum { GUIDES = 20, STRANDS = 500 };
    struct head head;
    scene_preset preset;
    scene_groom render;
    plait_groom_desc render_desc = PLAIT_GROOM_DESC_INIT;
    plait_binding_desc desc = PLAIT_BINDING_DESC_INIT;
    plait_volume_params volume = PLAIT_VOLUME_PARAMS_INIT;
    plait_binding binding;
    plait_groom groom;
    head_open(&head, "2b", GUIDES, 12, PLAIT_SOLVER_HYBRID, PLAIT_VOLUME_SAND);
    assert_true(scene_preset_get(scene_preset_find("2b"), STRANDS, 12, 2, &preset));
    assert_true(scene_groom_make(&preset.groom, &render));
    scene_groom_describe(&render, &render_desc);
    head_step(&head, SCENE_MOTION_STILL, 0);
    double guides = 0.03 * mass_of(&head);
    assert_ok(plait_groom_create(head.rig.context, &render_desc, &groom));
    desc.guides = head.rig.groom;
    desc.render = groom;
    assert_ok(plait_binding_create(head.rig.context, &desc, &binding));
    assert_ok(plait_hair_set_binding(head.rig.hair, binding));
    head_step(&head, SCENE_MOTION_STILL, 1 / 60.0);
    assert_true(fabs(mass_of(&head) / guides / ((double)STRANDS / GUIDES) - 1) < 1e-5);
    assert_ok(plait_volume_params_default(1, &volume));
    volume.simulated_share = 0.5f; // the host knows better
    assert_ok(plait_hair_set_volume(head.rig.hair, &volume));
    head_step(&head, SCENE_MOTION_STILL, 2 / 60.0);
    assert_true(fabs(mass_of(&head) / guides / 2 - 1) < 1e-5);
    assert_ok(plait_binding_destroy(binding));
    assert_ok(plait_groom_destroy(groom));
    scene_groom_free(&render);
    head_close(&head);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_segment_is_longer_than_the_limit_and_statistics_tell),
        cmocka_unit_test(a_strand_alone_hangs_as_without_them),
        cmocka_unit_test(hair_comes_to_rest),
        cmocka_unit_test(the_head_has_the_mass_of_its_render_strands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
