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
        printf("skipped: %s is not here\n", path);
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

// Both lengths of the table; radius 0.05 mm, 3 GPa, 1300 kg/m^3.
static void hanging_rods_swing_as_those_of_the_table(void **state) {
    (void)state;
    FILE *file = open_table("closed_forms.csv");
    const double pi = 3.14159265358979323846, radius = 5e-5, lengths[2] = {0.1, 0.2};
    const double bending = 3e9 * pi * pow(radius, 4) / 4, mass = 1300 * pi * radius * radius;
    char line[1024];
    unsigned rows = 0, mode;
    while (fgets(line, sizeof line, file)) {
        double hz[2], shape[2];
        if (sscanf(line, "\"same rod hanging vertically under gravity, mode %u\",%*[^,],%lf,%lf", &mode, &hz[0],
                   &hz[1]) != 3)
            continue;
        for (int i = 0; i < 2; i++)
            within(theory_hanging_hz(mode, lengths[i], bending, mass, 9.81, 1, shape), hz[i], 1e-6);
        rows++;
    }
    assert_int_equal(rows, 3);
    fclose(file);
}

// Without gravity they are those of the beam; with it they are orthogonal.
static void hanging_rods_have_modes(void **state) {
    (void)state;
    enum { EDGES = 400 };
    static double shapes[3][EDGES + 1];
    for (unsigned mode = 1; mode <= 3; mode++) {
        within(theory_hanging_hz(mode, 0.3, 2, 5, 0, EDGES, shapes[0]), theory_bending_hz(mode, 0.3, 2, 5), 1e-6);
        for (int i = 0; i <= EDGES; i += 40) {
            double beam = theory_bending_shape(mode, (double)i / EDGES) / theory_bending_shape(mode, 1);
            assert_true(fabs(shapes[0][i] / shapes[0][EDGES] - beam) < 1e-4);
        }
    }
    for (unsigned m = 0; m < 3; m++) theory_hanging_hz(m + 1, 1, 1, 1, 50, EDGES, shapes[m]);
    for (unsigned m = 0; m < 3; m++)
        for (unsigned n = 0; n < m; n++) {
            double sum = 0;
            for (int i = 1; i <= EDGES; i++) sum += (i == EDGES ? 0.5 : 1) * shapes[m][i] * shapes[n][i] / EDGES;
            assert_true(fabs(sum) < 1e-4);
        }
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
        cmocka_unit_test(hanging_rods_swing_as_those_of_the_table),
        cmocka_unit_test(hanging_rods_have_modes),
        cmocka_unit_test(closed_forms_are_those_of_textbooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
