// Grooms drawn in their hanging shape, with default softness: with rest_gravity they stay as drawn and return to that
// after a jerk, without it they sag. All at 60 steps a second, coils with segments of a millimetre too. Of hair that is too
// soft the library names the strands that sag.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STRANDS = 32, SECONDS = 5, FRAME_RATE = 60, JERK_FRAMES = 6 };

struct sag {
    double mean, worst;  // how far any vertex went, over the length of its strand
    unsigned beyond;     // strands that went farther than one percent
    uint64_t unbalanced; // as the library says
};

static double strand_length(const float *p, uint32_t count) {
    double length = 0;
    for (uint32_t v = 1; v < count; v++) length += distance3(p + 3 * v, p + 3 * (v - 1));
    return length;
}

static void run(struct rig *rig, int frames, bool gravity) {
    for (int i = 0; i < frames; i++) rig_step(rig, 1.0f / FRAME_RATE, NULL, gravity);
}

static struct sag measure(struct rig *rig, const scene_groom *groom, const char *text) {
    float *now = rig_positions(rig);
    struct sag sag = {.unbalanced = rig_stats(rig).sagging_strand_count};
    const float *drawn = groom->positions, *at = now;
    for (uint32_t s = 0; s < groom->strand_count; s++) {
        uint32_t count = groom->vertex_counts[s];
        double moved = largest_difference(drawn, at, count) / strand_length(drawn, count);
        sag.mean += moved / groom->strand_count;
        sag.worst = fmax(sag.worst, moved);
        sag.beyond += !(moved <= 0.01);
        drawn += 3 * (size_t)count;
        at += 3 * (size_t)count;
    }
    assert_int_equal(rig_stats(rig).nonfinite_strand_count, 0);
    printf("%s: mean %.3f %%, worst %.3f %% of the length; %u strands beyond 1 %%, %llu said to sag\n", text,
           100 * sag.mean, 100 * sag.worst, sag.beyond, (unsigned long long)sag.unbalanced);
    free(now);
    return sag;
}

struct sags {
    struct sag before, after; // the jerk
};

// softer: than by default.
static struct sags hang(const char *preset_name, float softer, bool sag_free) {
    scene_preset preset;
    scene_groom groom;
    assert_true(scene_preset_get(scene_preset_find(preset_name), STRANDS, 0, 3, &preset));
    assert_true(scene_groom_make(&preset.groom, &groom));
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(&groom, &desc);
    plait_hybrid_params params = PLAIT_HYBRID_PARAMS_INIT;
    assert_ok(plait_hybrid_params_default(1, &params));
    params.bend_modulus /= softer;
    params.twist_modulus /= softer;
    if (sag_free) params.rest_gravity[1] = -9.81f;
    struct rig_options options = rig_options(&desc);
    options.solver = PLAIT_SOLVER_HYBRID;
    options.params = &params;
    options.hair.step_rate_hz = 60;
    struct rig rig = rig_open(&options);
    printf("%s, %s, %g times softer\n", preset_name, sag_free ? "sag-free" : "as drawn", (double)softer);
    run(&rig, SECONDS * FRAME_RATE, true);
    struct sags sags = {.before = measure(&rig, &groom, "  after 5 s")};
    if (sag_free) {
        run(&rig, JERK_FRAMES, false);
        run(&rig, 2 * SECONDS * FRAME_RATE, true); // slow ones still swing after 5 s
        sags.after = measure(&rig, &groom, "  10 s after a jerk");
    }
    rig_close(&rig);
    scene_groom_free(&groom);
    return sags;
}

static void stays_with_rest_gravity_and_sags_without(const char *preset) {
    struct sags kept = hang(preset, 1, true);
    assert_int_equal(kept.before.unbalanced, 0);
    assert_int_equal(kept.before.beyond, 0);
    assert_int_equal(kept.after.beyond, 0);
    assert_true(hang(preset, 1, false).before.mean > 0.01);
}

static void straight_hair(void **state) {
    (void)state;
    stays_with_rest_gravity_and_sags_without("1b");
}

static void wavy_hair(void **state) {
    (void)state;
    stays_with_rest_gravity_and_sags_without("2b");
}

static void coily_hair(void **state) {
    (void)state;
    stays_with_rest_gravity_and_sags_without("4a");
    stays_with_rest_gravity_and_sags_without("4b");
}

static void strands_too_soft_are_counted(void **state) {
    (void)state;
    struct sags sags = hang("1b", 20, true);
    assert_true(sags.before.unbalanced > 0 && sags.before.unbalanced < STRANDS);
    assert_true(sags.after.beyond > 0 && sags.after.beyond <= sags.before.unbalanced);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(straight_hair), cmocka_unit_test(wavy_hair),
                                       cmocka_unit_test(coily_hair), cmocka_unit_test(strands_too_soft_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
