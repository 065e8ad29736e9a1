// Hair as a continuum (core/physics/spline.h, symmetric.h, logarithm.h, grains.h) against the C library, against deformations
// whose principal strains are known, and against tables of sand. Built twice: in the kernels' single precision, and in double.
#ifdef IN_DOUBLE
#include "dialect_double.h"
#define ROUNDING 3e-8 // constants are floats
#else
#define PLAIT_WIDTH 1
#include "dialect.h"
#define ROUNDING 6e-7
#endif

#include "physics/logarithm.h"
#include "physics/spline.h"
#include "physics/symmetric.h"

#include "physics/grains.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SWEEPS_LEFT 1e-5 // of a matrix, that is not yet on its diagonal
#define PI 3.14159265358979323846

static uint64_t seed = 88172645463325252u;

static double between(double low, double high) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static void within(const char *what, double value, double expected, double most) {
    if (!(fabs(value - expected) <= most)) {
        printf("%s: %.9g, not %.9g within %.1e\n", what, value, expected, most);
        fail();
    }
}

// ---- splines ----

static void weights_of_nodes_reproduce_linear_fields(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++) {
        real place = (real)between(-300, 300), base = spline_base(place), f = place - base;
        assert_true(f >= 0.5 && f <= 1.5 && base == rint((double)base));
        spline s = spline_at(f);
        within("sum", s.w0 + s.w1 + s.w2, 1, ROUNDING);
        within("mean place", s.w1 + 2 * s.w2, f, ROUNDING);
        within("sum of derivatives", s.d0 + s.d1 + s.d2, 0, ROUNDING);
        within("slope", s.d1 + 2 * s.d2, 1, ROUNDING);
        assert_true(s.w0 >= 0 && s.w1 >= 0 && s.w2 >= 0);
    }
}

// ---- functions ----

static void logarithms_and_exponentials_are_those_of_the_c_library(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double x = between(-2, 2) * pow(10, -between(0, 7));
        real e = exponential_of((real)x), grown = (real)expm1(x);
        within("exponential", e, expm1((real)x), 8 * ROUNDING * fabs(expm1(x)));
        within("logarithm", logarithm_of(grown), log1p(grown), 2 * ROUNDING * fabs(x));
    }
    assert_true(logarithm_of(0) == 0 && exponential_of(0) == 0);
    within("least", logarithm_of((real)-1), -2, 1e-5);
    within("most", logarithm_of((real)100), 2, 1e-5);
}

// ---- eigenvalues ----

// A random rotation: its rows.
static void random_frame(double m[3][3]) {
    double q[4], size = 0;
    for (int i = 0; i < 4; i++) q[i] = between(-1, 1);
    for (int i = 0; i < 4; i++) size += q[i] * q[i];
    for (int i = 0; i < 4; i++) q[i] /= sqrt(size);
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                               {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                               {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    memcpy(m, rows, sizeof rows);
}

static symmetric with_values(double frame[3][3], const double values[3]) {
    double m[3][3] = {{0}};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) m[i][j] += values[k] * frame[k][i] * frame[k][j];
    symmetric s;
    s.xx = (real)m[0][0];
    s.xy = (real)m[0][1];
    s.xz = (real)m[0][2];
    s.yy = (real)m[1][1];
    s.yz = (real)m[1][2];
    s.zz = (real)m[2][2];
    return s;
}

static double difference(symmetric a, symmetric b) {
    const double d[6] = {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yy - b.yy, a.yz - b.yz, a.zz - b.zz};
    double most = 0;
    for (int i = 0; i < 6; i++) most = fmax(most, fabs(d[i]));
    return most;
}

static void rotations_find_eigenvalues_and_vectors(void **state) {
    (void)state;
    double worst = 0, worst_unit = 0;
    for (int i = 0; i < 20000; i++) {
        double frame[3][3], values[3], size = pow(10, between(-6, 1));
        random_frame(frame);
        for (int k = 0; k < 3; k++) values[k] = size * between(-1, 1);
        if (i % 3 == 0) values[1] = values[0]; // any direction will do
        if (i % 7 == 0) values[2] = values[1];
        symmetric m = with_values(frame, values);
        eigen e = symmetric_eigen(m);
        worst = fmax(worst, difference(symmetric_of(e, e.values), m) / size);
        worst_unit = fmax(worst_unit, fabs(dot3(e.x, e.x) - 1) + fabs(dot3(e.x, e.y)) + fabs(dot3(e.y, e.z)));
    }
    printf("matrices of their eigenvectors are off by %.1e of their size, eigenvectors by %.1e\n", worst, worst_unit);
    assert_true(worst < SWEEPS_LEFT && worst_unit < 3 * ROUNDING);
    symmetric zero = {0, 0, 0, 0, 0, 0};
    assert_true(difference(symmetric_of(symmetric_eigen(zero), vec3(0, 0, 0)), zero) == 0);
}

// ---- sand and fluid ----

static grains sand_of(double modulus, double poisson, double angle_degrees) {
    double sine = sin(angle_degrees * PI / 180);
    grains g;
    g.shear = (real)(modulus / (2 * (1 + poisson)));
    g.compression = (real)(modulus * poisson / ((1 + poisson) * (1 - 2 * poisson)));
    g.cone = grains_cone(g.shear, g.compression, (real)sine);
    g.fluid = 0;
    return g;
}

// How far above the yield surface stresses are, over the modulus: |dev tau| / 2 mu against the cone.
static double above_surface(grains g, real3 strain) {
    double volume = (double)strain.x + strain.y + strain.z, sum = 0;
    const double e[3] = {strain.x, strain.y, strain.z};
    for (int i = 0; i < 3; i++) sum += (e[i] - volume / 3) * (e[i] - volume / 3);
    return sqrt(sum) + g.cone * volume;
}

static void what_slips_lands_on_the_yield_surface(void **state) {
    (void)state;
    int kinds[3] = {0};
    for (int i = 0; i < 20000; i++) {
        grains g = sand_of(1200, between(0, 0.45), between(1, 45));
        real3 strain = vec3((real)between(-0.2, 0.15), (real)between(-0.2, 0.15), (real)between(-0.2, 0.15));
        real excess = (real)(i % 2 ? between(0, 0.1) : 0);
        double volume = (double)strain.x + strain.y + strain.z + excess;
        grain r = grains_return(g, strain, excess);
        double after = (double)r.strain.x + r.strain.y + r.strain.z;
        real3 trial = vec3(strain.x + excess / 3, strain.y + excess / 3, strain.z + excess / 3);
        if (fabs(volume) < 1e-5) continue;
        if (volume > 0) { // apart: no stress, and the gain is remembered
            kinds[0]++;
            assert_true(r.strain.x == 0 && r.strain.y == 0 && r.strain.z == 0);
            within("gain", r.excess, volume, ROUNDING);
            continue;
        }
        within("volume", after, volume, ROUNDING);
        assert_true(r.excess == 0);
        bool slips = above_surface(g, trial) > 0;
        kinds[1 + slips]++;
        if (slips) within("yield surface", above_surface(g, r.strain), 0, 4 * ROUNDING);
        if (!slips) within("held strain", fabs(r.strain.x - trial.x) + fabs(r.strain.y - trial.y), 0, ROUNDING);
        grain again = grains_return(g, r.strain, r.excess); // nothing is left to return
        within("once more", again.strain.x, r.strain.x, 2 * ROUNDING);
    }
    printf("%d apart, %d held, %d slipped\n", kinds[0], kinds[1], kinds[2]);
    for (int k = 0; k < 3; k++) assert_true(kinds[k] > 500);
}

static void hair_that_flew_apart_resists_where_it_was(void **state) {
    (void)state;
    grains g = sand_of(1200, 0.3, 20);
    grain r = grains_return(g, vec3((real)0.05, (real)0.03, (real)0.02), 0);
    r = grains_return(g, vec3((real)-0.03, (real)-0.03, (real)-0.035), r.excess); // nearly back
    assert_true(grains_stress(g, r.strain).x == 0);
    within("still apart by", r.excess, 0.005, ROUNDING);
    r = grains_return(g, vec3((real)-0.005, (real)-0.005, (real)-0.005), r.excess);
    assert_true(r.excess == 0);
    within("compressed by", r.strain.x + r.strain.y + r.strain.z, -0.01, ROUNDING);
}

// Elastic stress is what energy changes by.
static void stress_is_the_derivative_of_energy(void **state) {
    (void)state;
    grains g = sand_of(1200, 0.3, 20);
    const double step = sizeof(real) == 8 ? 1e-5 : 0.05; // energy is quadratic: any step is exact but for rounding
    for (int i = 0; i < 100; i++) {
        real3 e = vec3((real)between(-0.3, 0.1), (real)between(-0.3, 0.1), (real)between(-0.3, 0.1));
        real3 up = e, down = e;
        up.x = (real)(e.x + step);
        down.x = (real)(e.x - step);
        double slope = (grains_energy(g, up) - grains_energy(g, down)) / (2 * step);
        within("stress", grains_stress(g, e).x, slope, 0.01);
    }
}

static void a_fluid_resists_volume_and_no_shear(void **state) {
    (void)state;
    grains g = sand_of(1200, 0.3, 20);
    g.fluid = -1;
    double bulk = 1200 / (3 * (1 - 2 * 0.3));
    grain r = grains_return(g, vec3((real)-0.1, (real)0.02, (real)0.05), 0);
    within("strain", r.strain.x, -0.01, ROUNDING);
    within("strain", r.strain.y, -0.01, ROUNDING);
    real3 stress = grains_stress(g, r.strain);
    double ratio = exp(-0.03);
    within("pressure", stress.x, -ratio * bulk / 7 * (pow(ratio, -7) - 1), 1e-3);
    assert_true(stress.x == stress.y && stress.y == stress.z);
    double last = 0; // no jump where it is made no stiffer
    for (double volume = 0; volume > -1; volume -= 0.001) {
        double now = -grains_stress(g, vec3((real)(volume / 3), (real)(volume / 3), (real)(volume / 3))).x;
        assert_true(now >= last && now - last < 8);
        last = now;
    }
}

// Of F = U diag(s) V^T the left tensor is U diag(s^2) U^T: its strains are known without an eigenvalue solver.
static void deformations_settle_as_in_double_precision(void **state) {
    (void)state;
    double worst = 0, worst_stress = 0;
    for (int i = 0; i < 20000; i++) {
        double frame[3][3], strain[3], left[3], size = pow(10, between(-4, -0.5)), volume = 0, shear2 = 0;
        double modulus = 1200, poisson = 0.3, angle = between(5, 40), excess = i % 3 ? 0 : between(0, 0.5 * size);
        random_frame(frame);
        for (int k = 0; k < 3; k++) strain[k] = between(-size, 0.5 * size);
        for (int k = 0; k < 3; k++) left[k] = expm1(2 * strain[k]);
        for (int k = 0; k < 3; k++) volume += strain[k] + excess / 3;
        for (int k = 0; k < 3; k++) shear2 += pow(strain[k] + (excess - volume) / 3, 2);
        double mu = modulus / (2 * (1 + poisson)), lambda = modulus * poisson / ((1 + poisson) * (1 - 2 * poisson));
        double sine = sin(angle * PI / 180), alpha = sqrt(2.0 / 3) * 2 * sine / (3 - sine);
        double yield = sqrt(shear2) + (3 * lambda + 2 * mu) / (2 * mu) * volume * alpha;
        double share = volume >= 0 ? 0 : yield > 0 ? 1 - yield / sqrt(shear2) : 1, settled[3], stress[3];
        for (int k = 0; k < 3; k++) {
            double e = volume >= 0 ? 0 : volume / 3 + share * (strain[k] + (excess - volume) / 3);
            settled[k] = expm1(2 * e);
            stress[k] = 2 * mu * e + (volume >= 0 ? 0 : lambda * volume);
        }
        grains_state s = grains_settle(sand_of(modulus, poisson, angle), with_values(frame, left), (real)excess);
        worst = fmax(worst, difference(s.deformation, with_values(frame, settled)) / size);
        worst_stress = fmax(worst_stress, difference(s.stress, with_values(frame, stress)) / (size * modulus));
        within("gain", s.excess, volume >= 0 ? volume : 0, 20 * ROUNDING * size);
    }
    printf("deformations are off by %.1e of the strain, stresses by %.1e\n", worst, worst_stress);
    assert_true(worst < SWEEPS_LEFT && worst_stress < SWEEPS_LEFT);
}

// A deformation step by step is that of the product.
static void deformations_add_up(void **state) {
    (void)state;
    double f[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    symmetric c = {0, 0, 0, 0, 0, 0};
    for (int step = 0; step < 20; step++) {
        double a[3][3], next[3][3];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) a[i][j] = between(-0.05, 0.05);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                next[i][j] = f[i][j] + a[i][0] * f[0][j] + a[i][1] * f[1][j] + a[i][2] * f[2][j];
        memcpy(f, next, sizeof f);
        gradient g;
        g.x = vec3((real)a[0][0], (real)a[0][1], (real)a[0][2]);
        g.y = vec3((real)a[1][0], (real)a[1][1], (real)a[1][2]);
        g.z = vec3((real)a[2][0], (real)a[2][1], (real)a[2][2]);
        c = grains_deform(c, g);
    }
    double b[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) b[i][j] = f[i][0] * f[j][0] + f[i][1] * f[j][1] + f[i][2] * f[j][2];
    within("xx", c.xx, b[0][0] - 1, 10 * ROUNDING);
    within("xy", c.xy, b[0][1], 10 * ROUNDING);
    within("yz", c.yz, b[1][2], 10 * ROUNDING);
    within("zz", c.zz, b[2][2] - 1, 10 * ROUNDING);
}

// Friction angle, alpha, and q/p where sand yields under compression along one axis.
static void cones_are_those_of_the_table(void **state) {
    (void)state;
    const char *folder = getenv("PLAIT_THEORY");
    char path[1024], head[1024];
    snprintf(path, sizeof path, "%s/05_drucker_prager.csv", folder && *folder ? folder : PLAIT_THEORY_FOLDER);
    FILE *file = fopen(path, "r");
    if (!file) {
        printf("skipped: %s is not here\n", path);
        skip();
    }
    assert_non_null(fgets(head, sizeof head, file));
    double angle, alpha, alpha2, ratio;
    unsigned rows = 0;
    while (fscanf(file, "%lf,%lf,%lf,%lf%*[^\n]", &angle, &alpha, &alpha2, &ratio) == 4) {
        within("alpha", grains_alpha((real)sin(angle * PI / 180)), alpha, ROUNDING);
        grains g = sand_of(1200, 0.3, angle);
        grain r = grains_return(g, vec3((real)-0.3, (real)0.1, (real)0.1), 0); // compressed along x, wide apart across
        real3 t = grains_stress(g, r.strain);
        double pressure = -((double)t.x + t.y + t.z) / 3, shear = (double)t.y - t.x;
        within("q/p", shear / pressure, ratio, 1e-5);
        rows++;
    }
    fclose(file);
    assert_true(rows >= 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(weights_of_nodes_reproduce_linear_fields),
                                       cmocka_unit_test(logarithms_and_exponentials_are_those_of_the_c_library),
                                       cmocka_unit_test(rotations_find_eigenvalues_and_vectors),
                                       cmocka_unit_test(what_slips_lands_on_the_yield_surface),
                                       cmocka_unit_test(hair_that_flew_apart_resists_where_it_was),
                                       cmocka_unit_test(stress_is_the_derivative_of_energy),
                                       cmocka_unit_test(a_fluid_resists_volume_and_no_shear),
                                       cmocka_unit_test(deformations_settle_as_in_double_precision),
                                       cmocka_unit_test(deformations_add_up),
                                       cmocka_unit_test(cones_are_those_of_the_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
