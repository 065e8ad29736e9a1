#include "band.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Adds k g g^T, where g spans `count` unknowns from the first on.
static void add_spring(float *matrix, const double *gradient, uint32_t count, double stiffness) {
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t i = j; i < count; i++)
            matrix[j * BAND_ROWS + i - j] += (float)(stiffness * gradient[i] * gradient[j]);
}

// Stretch of each segment, two bends and a twist at each inner vertex: the pattern of a rod.
void band_system(struct strands *s, uint32_t vertices, double mass, double stiffness, float *matrix) {
    memset(matrix, 0, (size_t)4 * vertices * BAND_ROWS * sizeof *matrix);
    for (uint32_t j = 0; j < 4 * vertices; j++) matrix[j * BAND_ROWS] = (float)mass;
    for (uint32_t v = 0; v + 1 < vertices; v++) {
        double along[3], gradient[11] = {0};
        random_unit(s, along);
        for (int c = 0; c < 3; c++) gradient[c] = -along[c], gradient[4 + c] = along[c];
        add_spring(matrix + 4 * v * BAND_ROWS, gradient, 7, stiffness);
        for (int bend = 0; bend < 3 && v + 2 < vertices; bend++) {
            for (int c = 0; c < 11; c++) gradient[c] = random_between(s, -1, 1);
            add_spring(matrix + 4 * v * BAND_ROWS, gradient, 11, stiffness * random_between(s, 0, 0.1));
        }
    }
}

struct band band_make(struct strands *s, double mass, double stiffness) {
    struct band b = {calloc((size_t)s->vertex_count * 4 * BAND_ROWS, sizeof(float)),
                     calloc((size_t)s->vertex_count * 4, sizeof(float)),
                     calloc((size_t)s->count * BAND_FLOOR_ROWS, sizeof(float))};
    if (!b.matrix || !b.right || !b.floors) abort();
    for (uint32_t i = 0; i < s->count; i++)
        band_system(s, s->vertex_counts[i], mass, stiffness, b.matrix + (size_t)s->first_vertex[i] * 4 * BAND_ROWS);
    for (uint32_t j = 0; j < 4 * s->vertex_count; j++) b.right[j] = (float)random_between(s, -1, 1);
    for (uint32_t i = 0; i < s->count * BAND_FLOOR_ROWS; i++) b.floors[i] = mass > 0 ? (float)mass : 1;
    return b;
}

void band_free(struct band *b) {
    free(b->matrix);
    free(b->right);
    free(b->floors);
}

struct trial band_trial(const struct band *b, const char *name) {
    static const float nothing[4 + CARE_ROWS], mass[BAND_FLOOR_ROWS] = {1, 1};
    static float identity[4 * BAND_ROWS];
    for (uint32_t j = 0; j < 4; j++) identity[j * BAND_ROWS] = 1;
    return (struct trial){
        .name = name,
        .kernel = KERNEL_band,
        .band = {.packs = {.layout = FIELD_PACKS},
                 .system = {.layout = FIELD_VERTICES, .rows = 4 * BAND_ROWS, .content = b->matrix, .padding = identity},
                 .solution = {.layout = FIELD_VERTICES, .rows = 4, .content = b->right, .padding = nothing},
                 .floors = {.layout = FIELD_STRANDS, .rows = BAND_FLOOR_ROWS, .content = b->floors, .padding = mass},
                 .care = {.layout = FIELD_STRANDS, .rows = CARE_ROWS, .padding = nothing}}};
}
