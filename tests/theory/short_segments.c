// Real hair in short segments, level and clamped at its root, bends under its own weight as a beam does: at 120 steps a second
// single precision bears joints that stiff, on the CPU's path and on that of graphics cards.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "theory.h"

// A hair of 80 um; Euler's beam with its weight.
#define RADIUS 4e-5f
#define YOUNG 3e9
#define DENSITY 1300.0
#define SEGMENT 4e-4f
enum { FRAMES = 600 }; // of 1/60 s: two steps each

// Drop over reach of the tip, over what theory says.
static double measure(uint32_t backend, uint32_t segments) {
    const float along_x[3] = {1, 0, 0};
    struct straight strand = straight_make(1, segments + 1, SEGMENT * (float)segments, along_x);
    float *radii = malloc((segments + 1) * sizeof *radii);
    assert_non_null(radii);
    for (uint32_t v = 0; v <= segments; v++) radii[v] = RADIUS;
    strand.desc.radii = radii;
    plait_hybrid_params params = rig_rods();
    params.stretch_modulus = params.bend_modulus = (float)YOUNG;
    params.twist_modulus = 1e9f;
    params.density = (float)DENSITY;
    params.clamp_extension = 1;
    params.max_root_speed = params.max_root_turn = 0;
    struct rig_options options = rig_options(&strand.desc);
    options.solver = PLAIT_SOLVER_HYBRID;
    options.params = &params;
    options.backend = backend;
    options.hair.step_rate_hz = 60;
    struct rig rig = rig_open(&options);
    for (int i = 0; i < FRAMES; i++) rig_step(&rig, 1.0f / 60, NULL, true);
    float *now = rig_positions(&rig);
    const float *root = now, *tip = now + 3 * (size_t)segments;
    double length = (double)SEGMENT * segments;
    double gamma = 4 * DENSITY * 9.81 * length * length * length / (YOUNG * (double)RADIUS * (double)RADIUS);
    double theory = theory_cantilever(gamma, NULL, NULL);
    double ratio = ((double)root[1] - (double)tip[1]) / ((double)tip[0] - (double)root[0]) / theory;
    printf("%u segments, gamma %.4f: drop over reach %.6f by theory, %+.3f %% off\n", segments, gamma, theory,
           100 * (ratio - 1));
    assert_int_equal(rig_stats(&rig).nonfinite_strand_count, 0);
    free(now);
    free(radii);
    rig_close(&rig);
    straight_free(&strand);
    return ratio;
}

static bool has_vulkan(void) {
    plait_context context;
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    assert_ok(plait_context_create(&desc, &context));
    plait_device_desc wanted = PLAIT_DEVICE_DESC_INIT;
    wanted.backend = PLAIT_BACKEND_VULKAN;
    plait_device device;
    bool opened = plait_device_open(context, &wanted, &device) == PLAIT_OK;
    if (opened) assert_ok(plait_device_close(device));
    assert_ok(plait_context_destroy(context));
    return opened;
}

static void short_segments_bend_as_a_beam_does(void **state) {
    (void)state;
    static const uint32_t segments[] = {25, 50, 100, 200};
    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++)
        assert_true(fabs(measure(PLAIT_BACKEND_CPU, segments[i]) - 1) < 0.04);
}

static void and_on_a_graphics_card(void **state) {
    (void)state;
    if (!has_vulkan()) skip();
    assert_true(fabs(measure(PLAIT_BACKEND_VULKAN, 50) - 1) < 0.04);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(short_segments_bend_as_a_beam_does),
                                       cmocka_unit_test(and_on_a_graphics_card)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
