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
        cmocka_unit_test(motions_stop_without_a_jump),
    };
    return cmocka_run_group_tests_name("scene", tests, NULL, NULL);
}
