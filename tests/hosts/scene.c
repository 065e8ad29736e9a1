// The grooms that samples, tests and benches share.
#include "scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_preset_has_strands_that_fold_back)};
    return cmocka_run_group_tests_name("scene", tests, NULL, NULL);
}
