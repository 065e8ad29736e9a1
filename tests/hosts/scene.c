// The grooms and motions that samples, tests and benches share.
#include "scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static double turn_degrees(const float *p);

// The sharpest bends by design are those of 4b, a zigzag: 109 degrees. At the parting, strands that joined a lock of the
// other side folded back by up to 179.
static void no_preset_has_strands_that_fold_back(void **state) {
    (void)state;
    for (uint32_t i = 0; i < SCENE_PRESET_COUNT; i++) {
        scene_preset preset;
        scene_groom groom;
        assert_true(scene_preset_get(i, 2000, 0, 1, &preset));
        assert_true(scene_groom_make(&preset.groom, &groom));
        const float *strand = groom.positions;
        for (uint32_t s = 0; s < groom.strand_count; strand += 3 * (size_t)groom.vertex_counts[s], s++)
            for (uint32_t v = 1; v + 1 < groom.vertex_counts[s]; v++) {
                double turn = turn_degrees(strand + 3 * (size_t)v);
                if (!(turn < 120))
                    fail_msg("%s: strand %u turns by %.0f degrees at vertex %u", preset.name, s, turn, v);
            }
        scene_groom_free(&groom);
    }
}

// Between the segments before and after a vertex.
static double turn_degrees(const float *p) {
    double along = 0, before = 0, after = 0;
    for (int c = 0; c < 3; c++) {
        double last = (double)p[c] - (double)p[c - 3], next = (double)p[c + 3] - (double)p[c];
        along += last * next, before += last * last, after += next * next;
    }
    return acos(fmax(-1, fmin(1, along / sqrt(before * after)))) * 180 / 3.14159265358979;
}

// Over the forehead, where hair has an edge: strands below it are short, no farther down than asked for, and the locks of the
// hair stay where they were.
static void a_fringe_softens_the_hairline(void **state) {
    (void)state;
    const double depth = 0.14, radius = 0.080; // of the usual skull
    double lowest[2] = {INFINITY, INFINITY}, shortest[2] = {INFINITY, INFINITY};
    scene_preset preset;
    scene_groom grooms[2];
    float center[3];
    scene_head_center(center);
    assert_true(scene_preset_get(scene_preset_find("2a"), 6000, 0, 1, &preset));
    for (int i = 0; i < 2; i++) {
        preset.groom.fringe = i ? (float)depth : 0;
        assert_true(scene_groom_make(&preset.groom, &grooms[i]));
        uint32_t count = preset.groom.vertex_count;
        for (uint32_t s = 0; s < grooms[i].strand_count; s++) {
            const float *root = grooms[i].positions + 3 * (size_t)s * count;
            double length = 0;
            for (uint32_t v = 1; v < count; v++)
                length +=
                    hypot(hypot((double)(root[3 * v] - root[3 * v - 3]), (double)(root[3 * v + 1] - root[3 * v - 2])),
                          (double)(root[3 * v + 2] - root[3 * v - 1]));
            shortest[i] = fmin(shortest[i], length);
            bool front = root[2] > center[2] + 0.05f && fabsf(root[0]) < 0.02f;
            if (front) lowest[i] = fmin(lowest[i], (double)root[1]);
        }
    }
    assert_memory_equal(grooms[0].positions, grooms[1].positions,
                        3 * (size_t)preset.groom.clump_count * preset.groom.vertex_count * sizeof(float));
    double down = lowest[0] - lowest[1];
    if (!(down > 0.4 * depth * radius && down < 1.1 * depth * radius)) fail_msg("%g m below the hairline", down);
    // Longer or shorter by length_variation, and down to a quarter of that.
    double least = (double)preset.groom.length_m * (1 - (double)preset.groom.length_variation);
    if (!(shortest[0] > 0.98 * least && shortest[1] < 0.6 * least && shortest[1] > 0.24 * least))
        fail_msg("shortest strands: %g and %g m of %g m", shortest[0], shortest[1], least);
    for (int i = 0; i < 2; i++) scene_groom_free(&grooms[i]);
}

// From one frame to the next no bone changes its speed by more than the motion itself does, also while it stops.
static void motions_stop_without_a_jump(void **state) {
    (void)state;
    enum { MOVING = 3, FPS = 240 };
    for (uint32_t motion = 0; motion < SCENE_MOTION_COUNT; motion++) {
        float poses[3][SCENE_BONE_COUNT][12] = {{{0}}};
        double most[2] = {0, 0}; // while it moves, and from then on
        for (int f = 1; f <= (MOVING + 1) * FPS; f++) {
            double time_s = f / (double)FPS;
            memmove(poses[0], poses[1], 2 * sizeof poses[0]);
            scene_motion_pose(motion, scene_motion_until(time_s, MOVING), 1, poses[2]);
            for (int i = 0; i < SCENE_BONE_COUNT * 12 && f > 2; i++) {
                const float *p = &poses[0][0][0] + i;
                double change =
                    (double)p[2 * SCENE_BONE_COUNT * 12] - 2 * (double)p[SCENE_BONE_COUNT * 12] + (double)p[0];
                most[f > MOVING * FPS] = fmax(most[f > MOVING * FPS], fabs(change));
            }
            if (time_s > MOVING + SCENE_MOTION_STOP_S + 1.5 / FPS)
                assert_memory_equal(poses[2], poses[1], sizeof poses[2]);
        }
        assert_true(most[1] <= 1.2 * most[0] + 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_preset_has_strands_that_fold_back),
        cmocka_unit_test(a_fringe_softens_the_hairline),
        cmocka_unit_test(motions_stop_without_a_jump),
    };
    return cmocka_run_group_tests_name("scene", tests, NULL, NULL);
}
