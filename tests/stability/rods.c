// Rods under abuse: with any step, stiffness, edge length and motion they stay finite and within their stretch limit, and a
// second after it ends they have their lengths again.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An edge never becomes longer than this times its rest length, whatever pulls.
static const double LONGEST = 1.04;
// Nor, when its roots have stood still for a second, than this.
static const double LONGEST_AFTER = 1.01;

static double uniform(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 * 2 - 1;
}

static void random_bone(uint64_t *seed, double size, float bone[12]) {
    float axis[3], shift[3];
    double length = 1e-3;
    for (int c = 0; c < 3; c++) {
        axis[c] = (float)uniform(seed);
        shift[c] = (float)(size * uniform(seed));
        length = hypot(length, (double)axis[c]);
    }
    for (int c = 0; c < 3; c++) axis[c] = (float)(axis[c] / length);
    bone_make(bone, axis, 6 * size * uniform(seed), shift);
}

struct abuse {
    const char *what;
    const plait_groom_desc *groom; // of one bone
    const plait_hybrid_params *params;
    float step_rate_hz;
    uint32_t frames;
    float dt;       // of a frame; 0: at random
    double violent; // size of the jumps of each frame, m
};

// Length of a segment over that in the groom, as the host sees it, less 1 um for rounding: the largest.
static double longest_segment(struct rig *rig, const plait_groom_desc *groom) {
    float *p = rig_positions(rig);
    const float *drawn = groom->positions;
    double most = 0;
    for (uint32_t i = 0; i < 3 * rig->vertices; i++) assert_true(isfinite(p[i]) && fabsf(p[i]) < 10);
    for (uint32_t s = 0, v = 0; s < groom->strand_count; s++, v++)
        for (uint32_t end = v + groom->vertex_counts[s] - 1; v < end; v++)
            most =
                fmax(most, (distance3(p + 3 * v, p + 3 * v + 3) - 1e-6) / distance3(drawn + 3 * v, drawn + 3 * v + 3));
    free(p);
    return most;
}

// Returns the worst stretch of any strand.
static double endure(const struct abuse *a) {
    struct rig_options options = rig_options(a->groom);
    options.solver = PLAIT_SOLVER_HYBRID;
    options.params = a->params;
    options.hair.step_rate_hz = a->step_rate_hz;
    struct rig rig = rig_open(&options);
    uint64_t seed = 5;
    double worst = 0, segment = 0;
    for (uint32_t f = 0; f < a->frames; f++) {
        float bone[12];
        random_bone(&seed, a->violent, bone);
        plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
        frame.dt = a->dt > 0 ? a->dt : (float)(0.02 + 0.0199 * uniform(&seed));
        frame.bones = bone;
        frame.bone_count = 1;
        frame.gravity[1] = -9.81f;
        for (int c = 0; c < 3; c++) frame.wind[c] = (float)(100 * a->violent * uniform(&seed));
        assert_ok(plait_hair_step(rig.hair, &frame));
        if (f % 32 == 0 || f + 1 == a->frames) {
            plait_stats_info stats = rig_stats(&rig);
            assert_true(isfinite(stats.worst_stretch));
            worst = fmax(worst, (double)stats.worst_stretch);
            segment = fmax(segment, longest_segment(&rig, a->groom));
        }
    }
    for (int f = 0; f < 60; f++) rig_step(&rig, 1.0f / 60, NULL, true);
    double after = longest_segment(&rig, a->groom);
    plait_stats_info stats = rig_stats(&rig);
    printf("%-34s %6.0f steps/s: worst stretch %8.4f %%, a second later %8.4f %%, of a segment %8.4f %%\n", a->what,
           (double)a->step_rate_hz, 100 * worst, 100 * (double)stats.worst_stretch, 100 * after - 100);
    assert_int_equal(stats.nonfinite_strand_count, 0);
    assert_true(worst <= LONGEST - 1 + 1e-3);
    assert_true(segment <= LONGEST);
    assert_true(stats.worst_stretch < LONGEST_AFTER - 1);
    // Rods without damping still whip then: a segment of theirs was 1.5 percent long.
    assert_true(after < LONGEST_AFTER || a->params->damping_s == 0);
    rig_close(&rig);
    return worst;
}

static plait_hybrid_params usual(void) {
    plait_hybrid_params params = PLAIT_HYBRID_PARAMS_INIT;
    assert_ok(plait_hybrid_params_default(1, &params));
    return params;
}

// Curls, straight strands and waves on one bone, each drawn from the origin.
static void draw_strand(float *p, uint32_t count, double edge, double radius, double pitch) {
    for (uint32_t v = 0; v < count; v++) {
        double s = edge * v, angle = radius > 0 ? s / hypot(radius, pitch) : 0;
        p[3 * v] = (float)(radius * (cos(angle) - 1));
        p[3 * v + 1] = (float)(radius > 0 ? -pitch * angle : -s);
        p[3 * v + 2] = (float)(radius * sin(angle));
    }
}

static struct straight curls_and_straights(void) {
    static const float DOWN[3] = {0, -1, 0};
    struct straight s = straight_make(16, 24, 0.25f, DOWN);
    for (uint32_t i = 0; i < 16; i += 2) draw_strand(s.positions + 72 * (size_t)i, 24, 0.01, 0.004 + 0.002 * i, 0.006);
    return s;
}

static void every_step_from_a_thirtieth_to_a_thousandth(void **state) {
    (void)state;
    static const float RATES[] = {30, 60, 120, 300, 1000};
    struct straight s = curls_and_straights();
    plait_hybrid_params params = usual();
    for (size_t i = 0; i < sizeof RATES / sizeof *RATES; i++) {
        struct abuse a = {"steps", &s.desc, &params, RATES[i], (uint32_t)(2 * RATES[i]), 1 / RATES[i], 0.05};
        endure(&a);
    }
    straight_free(&s);
}

static void moduli_over_four_decades(void **state) {
    (void)state;
    struct straight s = curls_and_straights();
    for (int which = 0; which < 3; which++)
        for (int decade = 0; decade <= 4; decade++) {
            plait_hybrid_params params = usual();
            float *modulus = which == 0   ? &params.stretch_modulus
                             : which == 1 ? &params.bend_modulus
                                          : &params.twist_modulus;
            *modulus = (float)((which == 0 ? 1e6 : 1e8) * pow(10, decade));
            params.damping_s = 0; // no damping but the solver's own
            char what[40];
            static const char *const NAMES[] = {"stretch", "bend", "twist"};
            snprintf(what, sizeof what, "%s modulus %g Pa", NAMES[which], (double)*modulus);
            struct abuse a = {what, &s.desc, &params, 120, 240, 1.0f / 120, 0.05};
            endure(&a);
        }
    straight_free(&s);
}

// Edges of 1 mm beside edges of 5 cm, in one strand and among strands.
static void edges_from_a_millimetre_to_five_centimetres(void **state) {
    (void)state;
    static const float DOWN[3] = {0, -1, 0};
    struct straight s = straight_make(16, 24, 0.25f, DOWN);
    uint64_t seed = 3;
    for (uint32_t i = 0; i < 16; i++) {
        float *p = s.positions + 72 * (size_t)i;
        for (uint32_t v = 1; v < 24; v++) {
            double edge = i < 4   ? 0.001
                          : i < 8 ? 0.05
                                  : 0.001 * pow(50, 0.5 + 0.5 * uniform(&seed)); // the rest: any, mixed
            double turn = 0.8 * uniform(&seed);
            p[3 * v] = p[3 * v - 3] + (float)(edge * sin(turn));
            p[3 * v + 1] = p[3 * v - 2] - (float)(edge * cos(turn));
            p[3 * v + 2] = p[3 * v - 1];
        }
    }
    plait_hybrid_params params = usual();
    for (int violent = 0; violent < 2; violent++) {
        struct abuse a = {violent ? "edges mixed, violent" : "edges mixed, at rest",
                          &s.desc,
                          &params,
                          60,
                          600,
                          1.0f / 60,
                          violent ? 0.1 : 0};
        endure(&a);
    }
    straight_free(&s);
}

// Segments folded back on each other, exactly and nearly, in the rest shape.
static void segments_folded_back(void **state) {
    (void)state;
    static const float DOWN[3] = {0, -1, 0};
    struct straight s = straight_make(16, 24, 0.25f, DOWN);
    for (uint32_t i = 0; i < 16; i++) {
        float *p = s.positions + 72 * (size_t)i;
        for (uint32_t v = 1; v < 24; v++) {
            double angle = v % (2 + i % 4) == 0 ? 3.14159265358979 - (i < 8 ? 0 : 0.001 * i) : 0;
            p[3 * v] = p[3 * v - 3] + (float)(0.01 * sin(angle));
            p[3 * v + 1] = p[3 * v - 2] - (float)(0.01 * cos(angle));
            p[3 * v + 2] = 0;
        }
    }
    plait_hybrid_params params = usual();
    for (int violent = 0; violent < 2; violent++) {
        struct abuse a = {violent ? "folded back, violent" : "folded back, at rest",
                          &s.desc,
                          &params,
                          60,
                          600,
                          1.0f / 60,
                          violent ? 0.1 : 0};
        endure(&a);
    }
    straight_free(&s);
}

static void violent_random_motion(void **state) {
    (void)state;
    const char *frames = getenv("PLAIT_STABILITY_FRAMES"); // 100,000 in the soak
    struct straight s = curls_and_straights();
    plait_hybrid_params params = usual();
    struct abuse a = {"violent random motion", &s.desc, &params, 60, frames ? (uint32_t)atoi(frames) : 5000, 0, 0.5};
    endure(&a);
    params.max_root_speed = params.max_root_turn = 0; // no limits on root motion
    a.what = "violent, roots without limits";
    endure(&a);
    straight_free(&s);
}

// Shakes the head, or not, then holds it still: root mean square speed of the fastest strand half a second later.
static double speed_at_rest(const plait_groom_desc *groom, const plait_body_desc *body, double shaken, float stiffer) {
    plait_hybrid_params params = usual();
    params.bend_modulus *= stiffer;
    struct rig_options options = rig_options(groom);
    options.solver = PLAIT_SOLVER_HYBRID;
    options.params = &params;
    options.body = body;
    struct rig rig = rig_open(&options);
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.bone_count = 1;
    frame.gravity[1] = -9.81f;
    for (int f = 0; f < 660; f++) {
        static const float AXIS[3] = {0, 0, 1};
        double size = f < 180 ? shaken : 0;
        float bone[12], shift[3] = {(float)(0.25 * size * sin(0.9 * f)), (float)(0.15 * size * cos(1.7 * f)), 0};
        bone_make(bone, AXIS, size * sin(0.5 * f), shift);
        frame.bones = bone;
        assert_ok(plait_hair_step(rig.hair, &frame));
    }
    frame.bones = NULL;
    double worst = 0;
    uint32_t count = groom->vertex_counts[0];
    for (int f = 0; f < 30; f++) {
        float *before = rig_positions(&rig);
        assert_ok(plait_hair_step(rig.hair, &frame));
        float *after = rig_positions(&rig);
        for (uint32_t i = 0; i < groom->strand_count; i++) {
            double sum = 0;
            for (uint32_t c = 3 * count * i; c < 3 * count * (i + 1); c++)
                sum += pow((double)after[c] - (double)before[c], 2);
            worst = fmax(worst, 60 * sqrt(sum / count));
        }
        free(before);
        free(after);
    }
    rig_close(&rig);
    return worst;
}

// A strand that folded back once, or is rooted in a collider, must not move forever.
static void strands_come_to_rest(void **state) {
    (void)state;
    struct straight s = curls_and_straights();
    double shaken = speed_at_rest(&s.desc, NULL, 0.5, 1), stiff = speed_at_rest(&s.desc, NULL, 0.5, 50);
    plait_collider sphere = PLAIT_COLLIDER_INIT;
    sphere.kind = PLAIT_COLLIDER_SPHERE;
    sphere.radii[0] = 0.1f;
    sphere.friction = 0.5f;
    plait_body_desc body = PLAIT_BODY_DESC_INIT;
    body.bone_count = 1;
    body.collider_count = 1;
    body.colliders = &sphere;
    double inside = speed_at_rest(&s.desc, &body, 0, 1);
    for (uint32_t i = 0; i < 16; i++)
        for (uint32_t v = 0; v < 24; v++) {
            float *p = s.positions + 72 * (size_t)i + 3 * (size_t)v;
            p[0] = 0.01f * (float)(v % 2) + 1e-6f * (float)v;
            p[1] = 1e-5f * (float)v;
            p[2] = 0.0025f * (float)i;
        }
    double folded = speed_at_rest(&s.desc, NULL, 0, 1);
    printf("come to rest: shaken %.2g m/s, stiff %.2g, rooted in a sphere %.2g, folded back %.2g\n", shaken, stiff,
           inside, folded);
    assert_true(shaken < 2e-3 && stiff < 2e-3 && inside < 0.03 && folded < 2e-3);
    straight_free(&s);
}

// Held vertices go part of the way in each step: never past their bones, and nowhere at 0, although they were moving. Steps
// of 1/120 s are not cut into parts.
static void held_vertices_go_part_of_the_way(void **state) {
    (void)state;
    static const float DOWN[3] = {0, -1, 0};
    static const float BLENDS[] = {0, 0.1f, 0.5f, 1};
    struct straight s = straight_make(1, 10, 0.2f, DOWN);
    for (size_t i = 0; i < sizeof BLENDS / sizeof *BLENDS; i++) {
        plait_hybrid_params params = usual();
        struct rig_options options = rig_options(&s.desc);
        options.solver = PLAIT_SOLVER_HYBRID;
        options.params = &params;
        options.hair.step_rate_hz = 120;
        struct rig rig = rig_open(&options);
        float bone[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
        frame.dt = 1.0f / 120;
        frame.bones = bone;
        frame.bone_count = 1;
        for (int f = 0; f < 10; f++, bone[3] += 0.02f) assert_ok(plait_hair_step(rig.hair, &frame));
        params.held_blend = BLENDS[i];
        assert_ok(plait_hair_set_params(rig.hair, 1, &params));
        double left = 0.02; // the bone's last motion is still to come
        for (int f = 0; f < 30; f++) {
            bone[3] = 0.2f;
            assert_ok(plait_hair_step(rig.hair, &frame));
            left *= 1 - (double)BLENDS[i];
            float *p = rig_positions(&rig);
            assert_true(fabs(0.2 - left - (double)p[0]) < 1e-5);
            free(p);
        }
        rig_close(&rig);
    }
    straight_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_from_a_thirtieth_to_a_thousandth),
        cmocka_unit_test(moduli_over_four_decades),
        cmocka_unit_test(edges_from_a_millimetre_to_five_centimetres),
        cmocka_unit_test(segments_folded_back),
        cmocka_unit_test(violent_random_motion),
        cmocka_unit_test(strands_come_to_rest),
        cmocka_unit_test(held_vertices_go_part_of_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
