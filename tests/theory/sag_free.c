// Grooms drawn as they shall hang: with rest_gravity they stay as drawn, without it they sag.
//
// What is drawn is then in equilibrium, exactly, but an equilibrium need not be stable: strands that rise from the scalp and
// are too limp to stand fall over, as a hair balanced on its root would. So strands are ten times as stiff as the defaults
// here (which seven of 32 straight strands and all coils would fall with), and coils, whose segments measure a millimetre,
// get steps that are short enough for that stiffness.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STRANDS = 32, SECONDS = 5, FRAME_RATE = 60 };

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

static struct sag hang(const char *preset_name, float step_rate_hz, bool sag_free) {
    scene_preset preset;
    scene_groom groom;
    assert_true(scene_preset_get(scene_preset_find(preset_name), STRANDS, 0, 3, &preset));
    assert_true(scene_groom_make(&preset.groom, &groom));
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(&groom, &desc);
    plait_hybrid_params params = PLAIT_HYBRID_PARAMS_INIT;
    assert_ok(plait_hybrid_params_default(&params));
    params.bend_modulus *= 10;
    params.twist_modulus *= 10;
    if (sag_free) params.rest_gravity[1] = -9.81f;
    struct rig_options options = rig_options(&desc);
    options.solver = PLAIT_SOLVER_HYBRID;
    options.params = &params;
    options.hair.step_rate_hz = step_rate_hz;
    struct rig rig = rig_open(&options);
    for (int i = 0; i < SECONDS * FRAME_RATE; i++) rig_step(&rig, 1.0f / FRAME_RATE, NULL, true);
    float *now = rig_positions(&rig);
    struct sag sag = {.unbalanced = rig_stats(&rig).sagging_strand_count};
    const float *drawn = groom.positions, *at = now;
    for (uint32_t s = 0; s < groom.strand_count; s++) {
        uint32_t count = groom.vertex_counts[s];
        double moved = largest_difference(drawn, at, count) / strand_length(drawn, count);
        sag.mean += moved / groom.strand_count;
        sag.worst = fmax(sag.worst, moved);
        sag.beyond += !(moved <= 0.01);
        drawn += 3 * (size_t)count;
        at += 3 * (size_t)count;
    }
    assert_int_equal(rig_stats(&rig).nonfinite_strand_count, 0);
    printf("%s, %s: mean %.3f %%, worst %.3f %% of the length; %u strands beyond 1 %%, %llu not balanced\n",
           preset_name, sag_free ? "sag-free" : "as drawn", 100 * sag.mean, 100 * sag.worst, sag.beyond,
           (unsigned long long)sag.unbalanced);
    free(now);
    rig_close(&rig);
    scene_groom_free(&groom);
    return sag;
}

static void stays_with_rest_gravity_and_sags_without(const char *preset, float step_rate_hz) {
    struct sag kept = hang(preset, step_rate_hz, true), sagged = hang(preset, step_rate_hz, false);
    assert_int_equal(kept.unbalanced, 0);
    assert_int_equal(kept.beyond, 0);
    assert_true(sagged.mean > 0.01);
}

static void straight_hair(void **state) {
    (void)state;
    stays_with_rest_gravity_and_sags_without("1b", 60);
}

static void wavy_hair(void **state) {
    (void)state;
    stays_with_rest_gravity_and_sags_without("2b", 60);
}

static void coily_hair(void **state) {
    (void)state;
    stays_with_rest_gravity_and_sags_without("4a", 480);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(straight_hair), cmocka_unit_test(wavy_hair),
                                       cmocka_unit_test(coily_hair)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
