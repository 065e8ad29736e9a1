// What the program computes from the equations of rods agrees with tables of the same theory computed by others. They
// are not part of the project: PLAIT_THEORY names their folder; without it nothing is compared.
#include "theory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static FILE *open_table(const char *name) {
    const char *folder = getenv("PLAIT_THEORY");
    char path[1024], head[1024];
    snprintf(path, sizeof path, "%s/%s", folder && *folder ? folder : PLAIT_THEORY_FOLDER, name);
    FILE *file = fopen(path, "r");
    if (!file) {
        printf("%s is not here\n", path);
        skip();
    }
    assert_non_null(fgets(head, sizeof head, file));
    return file;
}

static void within(double value, double expected, double relative) {
    if (!(fabs(value - expected) <= relative * fabs(expected))) {
        printf("%.10g, not %.10g\n", value, expected);
        fail();
    }
}

static void cantilevers_are_those_of_the_table(void **state) {
    (void)state;
    FILE *file = open_table("cantilever.csv");
    double gamma, drop, reach, ratio;
    unsigned rows = 0;
    while (fscanf(file, "%lf,%lf,%lf,%lf%*[^\n]", &gamma, &drop, &reach, &ratio) == 4 && gamma < 1.4e4) {
        double our_drop, our_reach;
        within(theory_cantilever(gamma, &our_drop, &our_reach), ratio, 1e-6);
        within(our_drop, drop, 1e-6);
        within(our_reach, reach, 1e-6);
        rows++;
    }
    assert_true(rows > 30);
    fclose(file);
}

static void slips_are_those_of_the_table(void **state) {
    (void)state;
    FILE *file = open_table("stick_slip.csv");
    double friction, way;
    unsigned rows = 0;
    while (fscanf(file, "%lf,%lf%*[^\n]", &friction, &way) == 2 && friction < THEORY_SLIP_FRICTION) {
        within(theory_slip(friction), way, 1e-6);
        rows++;
    }
    assert_true(rows > 30);
    fclose(file);
}

// Thinned, the curve stays within half a percent of every point of the dense one.
static void the_curve_of_curls_is_that_of_the_table(void **state) {
    (void)state;
    FILE *file = open_table("bend_twist_nu045_dense.csv");
    double turn, gamma, lightness;
    unsigned rows = 0;
    while (fscanf(file, "%*[^,],%lf,%lf,%lf%*[^\n]\n", &turn, &gamma, &lightness) == 3) {
        turn *= 3.14159265358979;
        assert_true(theory_planar_margin(turn, lightness) < 0.005);
        assert_false(theory_stays_planar(1.02 * turn, 0.995 * lightness) && lightness > 0.46);
        assert_true(theory_stays_planar(turn / 1.02, lightness));
        rows++;
    }
    assert_true(rows > 300);
    fclose(file);
}

// Beam and rope: textbook numbers.
static void closed_forms_are_those_of_textbooks(void **state) {
    (void)state;
    const double tau = 6.28318530717958648;
    within(theory_bending_hz(1, 1, 1, 1) * tau, 1.875104069 * 1.875104069, 1e-9);
    within(theory_bending_hz(2, 1, 1, 1) * tau, 4.694091133 * 4.694091133, 1e-9);
    within(theory_rope_hz(1, 1) * tau, 1.2024128, 1e-7);
    within(theory_ring_twist(1.45), 15.78005447, 1e-9);
    within(theory_stretch(1300, 9.81, 0.1, 3e9), 2.1255e-7, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilevers_are_those_of_the_table),
        cmocka_unit_test(slips_are_those_of_the_table),
        cmocka_unit_test(the_curve_of_curls_is_that_of_the_table),
        cmocka_unit_test(closed_forms_are_those_of_textbooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
