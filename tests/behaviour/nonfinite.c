// A strand that overflows is detected, counted and put back; its neighbours are not affected.
#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// One bone of two moves so far in one step that float32 overflows for the strands bound to it.
static void overflowing_strands_go_back_to_their_rest_shape(void **state) {
    (void)state;
    struct straight s = straight_make(6, 10, 0.1f, (float[3]){0, -1, 0});
    uint32_t bones_of[6] = {0, 1, 0, 1, 0, 0};
    s.desc.bone_count = 2;
    s.desc.root_bones = bones_of;
    struct rig_options options = rig_options(&s.desc);
    plait_hybrid_params rods = rig_rods();
    rods.max_root_speed = rods.max_root_turn = 0; // else they would move along rigidly
    if (options.solver == PLAIT_SOLVER_HYBRID) options.params = &rods;
    options.hair.meters_per_unit = 1e6f; // host units of a thousand kilometres
    options.hair.step_rate_hz = 10000;
    struct rig rig = rig_open(&options), other = rig_open(&options);
    float bones[2][12], still[2][12];
    for (int b = 0; b < 2; b++) {
        bone_identity(bones[b]);
        bone_identity(still[b]);
    }
    bones[1][3] = 9e8f;
    rig_step(&rig, 1e-4f, &bones[0][0], false);
    rig_step(&other, 1e-4f, &still[0][0], false);
    for (int f = 0; f < 20; f++) {
        rig_step(&rig, 1e-4f, NULL, false);
        rig_step(&other, 1e-4f, NULL, false);
    }
    assert_true(rig_stats(&rig).nonfinite_strand_count >= 2);
    float *p = rig_positions(&rig), *q = rig_positions(&other);
    for (uint32_t v = 0; v < 3 * rig.vertices; v++) assert_true(isfinite(p[v]));
    for (uint32_t i = 0; i < 6; i++)
        if (bones_of[i] == 0) assert_memory_equal(p + 30 * i, q + 30 * i, 120);
    free(p);
    free(q);
    rig_close(&rig);
    rig_close(&other);
    straight_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(overflowing_strands_go_back_to_their_rest_shape)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
