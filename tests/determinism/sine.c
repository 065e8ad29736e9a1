// Sine and cosine of our own are within one unit in the last place of the C library's in long double.
#include "sine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROUNDS = 1000000 };
#define RANGE 2.35 // three eighths of a turn

static void expect_close(double angle, double got, long double exact) {
    double unit = nextafter(fabs((double)exact), INFINITY) - fabs((double)exact);
    if (!(fabsl(got - exact) <= unit)) fail_msg("%a: %a, not %La", angle, got, exact);
}

static void expect_both(double angle) {
    expect_close(angle, sine_of(angle), sinl(angle));
    expect_close(angle, cosine_of(angle), cosl(angle));
}

static void sine_and_cosine_are_right_to_the_last_place(void **state) {
    (void)state;
    for (int i = -ROUNDS; i <= ROUNDS; i++) expect_both(RANGE * i / ROUNDS);
    for (int exponent = -300; exponent < 1; exponent++) expect_both(ldexp(1.1, exponent));
}

// Where cosines vanish, and where one series takes over from the other.
static void sine_and_cosine_are_right_near_quarters_and_eighths_of_a_turn(void **state) {
    (void)state;
    static const double places[] = {0.5 * SINE_QUARTER_TURN, SINE_QUARTER_TURN, (float)SINE_QUARTER_TURN};
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        double below = places[p], above = places[p];
        for (int i = 0; i < 1000; i++) {
            expect_both(below);
            expect_both(above);
            below = nextafter(below, 0);
            above = nextafter(above, 4);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_and_cosine_are_right_to_the_last_place),
        cmocka_unit_test(sine_and_cosine_are_right_near_quarters_and_eighths_of_a_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
