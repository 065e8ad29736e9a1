// LAPACK's spbsv: Cholesky of a band, and the solution.
#include "rivals.h"

#include <stdlib.h>
#include <string.h>

void spbsv_(const char *part, const int *n, const int *below, const int *right_sides, float *matrix, const int *rows,
            float *right, const int *right_rows, int *info, size_t part_length);

struct state {
    int n;
    float *right, matrix[];
};

static void *open(int n) {
    struct state *s = malloc(sizeof *s + (size_t)n * 12 * sizeof(float));
    if (!s) abort();
    s->n = n;
    s->right = s->matrix + (size_t)n * 11;
    return s;
}

static void load(void *argument, const float *matrix, const float *right) {
    struct state *s = argument;
    memcpy(s->matrix, matrix, (size_t)s->n * 11 * sizeof(float));
    memcpy(s->right, right, (size_t)s->n * sizeof(float));
}

static int solve(void *argument) {
    struct state *s = argument;
    const int below = 10, one = 1, rows = 11;
    int info = 0;
    spbsv_("L", &s->n, &below, &one, s->matrix, &rows, s->right, &s->n, &info, 1);
    return info == 0;
}

static const float *solution(void *argument) { return ((struct state *)argument)->right; }

const struct rival rival_lapack = {"LAPACK", open, load, solve, solution, free};
