// How far render strands are from strands that were simulated: the more guides, the nearer.
#include "rig.h"

#include <stdio.h>

#include "../../samples/plait/dense.h"

static void error_falls_when_the_share_of_guides_grows(void **state) {
    (void)state;
    static const struct {
        const char *preset, *name;
    } kinds[] = {{"1b", "straight"}, {"2b", "wavy"}, {"3b", "curly"}, {"4a", "coily"}};
    static const uint32_t guides[] = {15, 50, 150};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        double last = 1e9;
        for (size_t g = 0; g < sizeof guides / sizeof *guides; g++) {
            dense_options options = {.preset = kinds[k].preset,
                                     .strands = 500,
                                     .guides = guides[g],
                                     .frames = 45,
                                     .backend = PLAIT_BACKEND_CPU};
            double percent = 0;
            assert_true(dense_error(&options, &percent));
            printf("%-8s %4.1f %% guides: off by %.2f %% of the strands' length\n", kinds[k].name, guides[g] / 5.0,
                   percent);
            assert_true(percent < last);
            last = percent;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(error_falls_when_the_share_of_guides_grows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
