// The band solver gives what double precision gives, on every device and in both forms that GPUs have: residuals and solutions, strands of 2 to 1,024
// vertices side by side, systems at the edge of what floats can tell, and strands that are not numbers beside others that are.
#include "band.h"
#include "places.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A of one strand, in both triangles.
static double entry(const float *matrix, uint32_t row, uint32_t column) {
    uint32_t low = row > column ? row : column, high = row > column ? column : row;
    return low - high > BAND_HALF ? 0 : matrix[high * BAND_ROWS + low - high];
}

static uint32_t first_near(uint32_t row) { return row < BAND_HALF ? 0 : row - BAND_HALF; }
static uint32_t end_near(uint32_t row, uint32_t n) { return row + BAND_HALF < n ? row + BAND_HALF + 1 : n; }

// |A x - b| over |A| |x| + |b|, infinity norms: what a backward stable solver keeps near the rounding of a float.
static double residual(const float *matrix, const float *right, const float *x, uint32_t n) {
    double worst = 0, size = 0;
    for (uint32_t i = 0; i < n; i++) {
        double sum = -(double)right[i], magnitude = fabs(right[i]);
        for (uint32_t j = first_near(i); j < end_near(i, n); j++) {
            sum += entry(matrix, i, j) * x[j];
            magnitude += fabs(entry(matrix, i, j) * x[j]);
        }
        worst = fmax(worst, fabs(sum));
        size = fmax(size, magnitude);
    }
    return worst / size;
}

// Cholesky's way in double precision: nothing of ours is in it.
static void solve_double(const float *matrix, const float *right, uint32_t n, double *x) {
    double *factor = calloc((size_t)n * BAND_ROWS, sizeof *factor); // [row][BAND_HALF - (row - column)]
    assert_non_null(factor);
#define FACTOR(row, column) factor[(row)*BAND_ROWS + BAND_HALF - ((row) - (column))]
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = first_near(i); j <= i; j++) {
            double sum = entry(matrix, i, j);
            for (uint32_t k = first_near(i); k < j; k++)
                if (j - k <= BAND_HALF) sum -= FACTOR(i, k) * FACTOR(j, k);
            FACTOR(i, j) = i == j ? sqrt(sum) : sum / FACTOR(j, j);
        }
    for (uint32_t i = 0; i < n; i++) {
        x[i] = right[i];
        for (uint32_t k = first_near(i); k < i; k++) x[i] -= FACTOR(i, k) * x[k];
        x[i] /= FACTOR(i, i);
    }
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = i + 1; k < end_near(i, n); k++) x[i] -= FACTOR(k, i) * x[k];
        x[i] /= FACTOR(i, i);
    }
#undef FACTOR
    free(factor);
}

static double error(const float *x, const double *expected, uint32_t n) {
    double worst = 0, size = 0;
    for (uint32_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs(x[i] - expected[i]));
        size = fmax(size, fabs(expected[i]));
    }
    return worst / size;
}

struct limits {
    double residual, error; // relative; error 0: not compared
};

static void solves(struct strands *s, const char *name, double stiffness, struct limits limits) {
    struct band b = band_make(s, 1, stiffness);
    struct trial trial = band_trial(&b, name);
    double *expected = calloc((size_t)s->vertex_count * 4, sizeof *expected);
    assert_non_null(expected);
    for (uint32_t i = 0; i < s->count; i++) {
        size_t first = (size_t)s->first_vertex[i] * 4;
        solve_double(b.matrix + first * BAND_ROWS, b.right + first, 4 * s->vertex_counts[i], expected + first);
    }
    for (size_t at = 0; at < 2 * PLACES; at++) {
        size_t place = at / 2;
        uint32_t *results[KERNEL_MAX_BINDINGS] = {0};
        double worst_residual = 0, worst_error = 0;
        if (!trial_run_at(s, &trial, place, at % 2, results)) continue;
        for (uint32_t i = 0; i < s->count; i++) {
            size_t first = (size_t)s->first_vertex[i] * 4;
            uint32_t n = 4 * s->vertex_counts[i];
            const float *x = (const float *)results[2] + first;
            for (uint32_t j = 0; j < n; j++)
                if (!isfinite(x[j])) fail_msg("%s on %s: strand %u is not finite", name, places[place].name, i);
            worst_residual = fmax(worst_residual, residual(b.matrix + first * BAND_ROWS, b.right + first, x, n));
            worst_error = fmax(worst_error, error(x, expected + first, n));
        }
        printf("%s on %s%s: residual %.1e, %.0e allowed; error %.1e, %.0e allowed\n", name, places[place].name,
               at % 2 ? " by the override" : "", worst_residual, limits.residual, worst_error, limits.error);
        assert_true(worst_residual <= limits.residual);
        assert_true(limits.error == 0 || worst_error <= limits.error);
        for (uint32_t k = 0; k < KERNEL_MAX_BINDINGS; k++) free(results[k]);
    }
    free(expected);
    band_free(&b);
}

// Packs that are full, nearly empty and in between. The error grows with the condition of the systems, the residual does not.
static void random_systems_are_solved(void **state) {
    (void)state;
    static const uint32_t counts[] = {77, 1, 200};
    for (uint32_t seed = 0; seed < sizeof counts / sizeof counts[0]; seed++) {
        struct strands s = strands_make(seed + 1, counts[seed]);
        solves(&s, "soft", 1, (struct limits){1e-6, 1e-6});
        solves(&s, "stiff", 1e3, (struct limits){1e-6, 1e-3});
        strands_free(&s);
    }
}

static void strands_of_all_lengths_are_solved(void **state) {
    (void)state;
    static const uint32_t lengths[] = {2, 1024, 3, 2, 4, 5, 100, 513, 6, 7, 1024, 12, 13, 2};
    enum { COUNT = sizeof lengths / sizeof lengths[0] };
    struct strands s = strands_of(5, COUNT, lengths);
    solves(&s, "long and short", 100, (struct limits){1e-6, 1e-4});
    strands_free(&s);
}

// As stiff as floats can tell apart from the masses: the error is that of the rounded matrix, but the residual stays small.
static void the_stiffest_systems_are_solved(void **state) {
    (void)state;
    struct strands s = strands_make(9, 64);
    solves(&s, "stiffest", 3e6, (struct limits){1e-6, 0});
    strands_free(&s);
}

// Springs without masses hold nothing in place: in exact arithmetic the last pivots are zero, here they are what rounding
// leaves. None may be below its floor, and none of them that.
static void lost_pivots_become_their_floors(void **state) {
    (void)state;
    struct strands s = strands_make(4, 64);
    struct band b = band_make(&s, 0, 100);
    struct trial trial = band_trial(&b, "singular");
    for (uint32_t i = 0; i < s.count; i++) b.floors[2 * i + BAND_FLOOR_X] = 2;
    for (size_t at = 0; at < 2 * PLACES; at++) {
        size_t place = at / 2;
        uint32_t *results[KERNEL_MAX_BINDINGS] = {0}, lost[2] = {0, 0};
        if (!trial_run_at(&s, &trial, place, at % 2, results)) continue;
        const float *factors = (const float *)results[1], *x = (const float *)results[2];
        for (uint32_t j = 0; j < 4 * s.vertex_count; j++) {
            uint32_t twist = j % 4 == 3;
            float lowest = twist ? 1 : 2, pivot = factors[j * BAND_ROWS];
            assert_true(pivot >= lowest);
            assert_true(isfinite(x[j]));
            lost[twist] += pivot == lowest;
        }
        assert_true(lost[0] > s.count && lost[1] > s.count);
        for (uint32_t k = 0; k < KERNEL_MAX_BINDINGS; k++) free(results[k]);
    }
    band_free(&b);
    strands_free(&s);
}

// What is not a number stays in its strand: all others come out as they do without it, to the bit.
static void broken_strands_leave_the_others_alone(void **state) {
    (void)state;
    struct strands s = strands_make(3, 77);
    struct band b = band_make(&s, 1, 100);
    struct trial trial = band_trial(&b, "broken");
    for (size_t at = 0; at < 2 * PLACES; at++) {
        size_t place = at / 2;
        uint32_t *whole[KERNEL_MAX_BINDINGS] = {0}, *broken[KERNEL_MAX_BINDINGS] = {0};
        if (!trial_run_at(&s, &trial, place, at % 2, whole)) continue;
        float kept[77];
        for (uint32_t i = 0; i < s.count; i += 5) {
            float *at = &b.matrix[(size_t)s.first_vertex[i] * 4 * BAND_ROWS];
            kept[i] = *at;
            *at = i % 2 ? NAN : -INFINITY;
        }
        trial_run_at(&s, &trial, place, at % 2, broken);
        for (uint32_t i = 0; i < s.count; i++) {
            size_t first = (size_t)s.first_vertex[i] * 4, n = 4 * (size_t)s.vertex_counts[i];
            if (i % 5 == 0)
                b.matrix[first * BAND_ROWS] = kept[i];
            else if (memcmp(whole[2] + first, broken[2] + first, n * sizeof(float)) != 0)
                fail_msg("strand %u on %s is not what it is without the broken ones", i, places[place].name);
        }
        for (uint32_t k = 0; k < KERNEL_MAX_BINDINGS; k++) free(whole[k]), free(broken[k]);
    }
    band_free(&b);
    strands_free(&s);
}

static int open_all(void **state) {
    (void)state;
    trials_open();
    return 0;
}

static int close_all(void **state) {
    (void)state;
    trials_close();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems_are_solved),
        cmocka_unit_test(strands_of_all_lengths_are_solved),
        cmocka_unit_test(the_stiffest_systems_are_solved),
        cmocka_unit_test(lost_pivots_become_their_floors),
        cmocka_unit_test(broken_strands_leave_the_others_alone),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
