#include "strands.h"

#include <math.h>
#include <stdlib.h>

// splitmix64
static uint64_t random_bits(struct strands *s) {
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double random_between(struct strands *s, double low, double high) {
    return low + (high - low) * (double)(random_bits(s) >> 11) * 0x1p-53;
}

static void unit(double v[3]) {
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int c = 0; c < 3; c++) v[c] /= length;
}

void random_unit(struct strands *s, double v[3]) {
    double length2;
    do {
        for (int c = 0; c < 3; c++) v[c] = random_between(s, -1, 1);
        length2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    } while (length2 > 1 || length2 < 0.01);
    unit(v);
}

static void store(float *out, const double *values, int count) {
    for (int i = 0; i < count; i++) out[i] = (float)values[i];
}

static void *room(uint32_t count, uint32_t rows) {
    void *memory = calloc((size_t)count * rows, sizeof(float));
    if (!memory) abort();
    return memory;
}

// A frame near another: `turn` is about radians.
static void frame_near(struct strands *s, const double side[3], const double normal[3], double turn, double out_side[3],
                       double out_normal[3]) {
    double a[3], b[3], along = 0;
    random_unit(s, a);
    random_unit(s, b);
    for (int c = 0; c < 3; c++) out_normal[c] = normal[c] + turn * a[c];
    unit(out_normal);
    for (int c = 0; c < 3; c++) out_side[c] = side[c] + turn * b[c];
    for (int c = 0; c < 3; c++) along += out_side[c] * out_normal[c];
    for (int c = 0; c < 3; c++) out_side[c] -= along * out_normal[c];
    unit(out_side);
}

static void random_frame(struct strands *s, double side[3], double normal[3]) {
    double along;
    random_unit(s, normal);
    do {
        random_unit(s, side);
        along = side[0] * normal[0] + side[1] * normal[1] + side[2] * normal[2];
    } while (fabs(along) > 0.9);
    for (int c = 0; c < 3; c++) side[c] -= along * normal[c];
    unit(side);
}

static void make_roots(struct strands *s, uint32_t i) {
    double side[3], normal[3], position[3], scale = random_between(s, 0.5, 2);
    random_frame(s, side, normal);
    for (int c = 0; c < 3; c++) position[c] = (c == 1 ? 1.6 : 0) + 0.1 * normal[c];
    float *way[] = {s->roots_before, s->roots, s->roots_later};
    for (int k = 0; k < 3; k++) {
        float *root = way[k] + (size_t)i * ROOT_ROWS;
        store(root + ROOT_POSITION, position, 3);
        store(root + ROOT_SIDE, side, 3);
        store(root + ROOT_NORMAL, normal, 3);
        root[ROOT_SCALE] = (float)scale;
        for (int c = 0; c < 3; c++) position[c] += random_between(s, -0.02, 0.02);
        frame_near(s, side, normal, 0.2, side, normal);
        scale *= random_between(s, 0.95, 1.05);
    }
}

static void make_binding(struct strands *s, uint32_t i) {
    float *bind = s->bind + (size_t)i * BIND_ROWS;
    const float *root = s->roots_before + (size_t)i * ROOT_ROWS;
    for (int c = 0; c < 9; c++) bind[c] = root[c]; // position, side and normal lie alike
    double weights[BIND_BONE_ROWS], sum = 0;
    for (uint32_t b = 0; b < BIND_BONE_ROWS; b++) sum += weights[b] = random_between(s, 0.1, 1) / (b + 1);
    for (uint32_t b = 0; b < BIND_BONE_ROWS; b++) {
        bind[BIND_WEIGHTS + b] = (float)(weights[b] / sum);
        s->bones[i * BIND_BONE_ROWS + b] = (uint32_t)random_between(s, 0, SKELETON_BONES);
    }
}

static void make_vertices(struct strands *s, uint32_t i) {
    const float *root = s->roots_before + (size_t)i * ROOT_ROWS;
    double p[3], along[3], aside[3], segment = random_between(s, 0.002, 0.012);
    for (int c = 0; c < 3; c++) p[c] = root[ROOT_POSITION + c], along[c] = root[ROOT_NORMAL + c];
    for (uint32_t k = 0; k < s->vertex_counts[i]; k++) {
        size_t v = s->first_vertex[i] + k;
        double local[3] = {0, 1, 0}, length = 0;
        if (k > 0) {
            length = segment * random_between(s, 0.5, 1.5);
            local[0] = random_between(s, -0.5, 0.5);
            local[2] = random_between(s, -0.5, 0.5);
            unit(local);
            random_unit(s, aside);
            for (int c = 0; c < 3; c++) along[c] += 0.4 * aside[c];
            unit(along);
            for (int c = 0; c < 3; c++) p[c] += along[c] * length * root[ROOT_SCALE];
        }
        store(s->targets + v * TARGET_ROWS + TARGET_DIRECTION, local, 3);
        s->targets[v * TARGET_ROWS + TARGET_LENGTH] = (float)length;
        s->radii[v] = (float)random_between(s, 2e-5, 6e-5);
        store(s->positions + 3 * v, p, 3);
        for (int c = 0; c < 3; c++) {
            s->velocities[3 * v + c] = (float)random_between(s, -2, 2);
            s->snapshot[3 * v + c] = (float)(p[c] + random_between(s, -0.01, 0.01));
        }
        for (int c = 0; c < 6; c++) s->history[6 * v + c] = (float)(p[c % 3] + random_between(s, -0.01, 0.01));
    }
}

static void make_skeleton(struct strands *s) {
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    for (int b = 0; b < SKELETON_BONES; b++) {
        double axes[3][3], scale = random_between(s, 0.8, 1.25);
        frame_near(s, x, y, 0.5, axes[0], axes[1]);
        for (int c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            axes[2][c] = axes[0][d] * axes[1][e] - axes[0][e] * axes[1][d];
        }
        for (int row = 0; row < 3; row++) {
            for (int c = 0; c < 3; c++) s->skeleton[b][4 * row + c] = (float)(scale * axes[c][row]);
            s->skeleton[b][4 * row + 3] = (float)random_between(s, -0.3, 0.3);
        }
        s->skeleton[b][BONE_SCALE] = (float)scale;
    }
}

struct strands strands_make(uint64_t seed, uint32_t count) {
    struct strands s = {.random = seed};
    uint32_t *lengths = room(count, 1);
    for (uint32_t i = 0; i < count; i++) lengths[i] = (uint32_t)random_between(&s, 2, MAX_STRAND_VERTICES + 1);
    s = strands_of(s.random, count, lengths);
    free(lengths);
    return s;
}

struct strands strands_of(uint64_t seed, uint32_t count, const uint32_t *lengths) {
    struct strands s = {.random = seed, .count = count};
    s.vertex_counts = room(count, 1);
    s.first_vertex = room(count, 1);
    s.table = room(count, STRAND_UINT_ROWS);
    s.held = room(count, 1);
    for (uint32_t i = 0; i < count; i++) {
        s.vertex_counts[i] = lengths[i];
        s.first_vertex[i] = s.vertex_count;
        s.table[i * STRAND_UINT_ROWS + STRAND_VERTICES] = s.vertex_counts[i];
        s.table[i * STRAND_UINT_ROWS + STRAND_OUTPUT] = s.first_vertex[i];
        // Most at their root only, some by their first edge or more, some altogether; the pattern leaves the random numbers
        // alone.
        uint32_t held = i % 3 == 2 ? 2 + i % 7 : 1;
        s.held[i] = held < s.vertex_counts[i] ? held : s.vertex_counts[i];
        s.vertex_count += s.vertex_counts[i];
    }
    s.bind = room(count, BIND_ROWS);
    s.bones = room(count, BIND_BONE_ROWS);
    s.roots = room(count, ROOT_ROWS);
    s.roots_before = room(count, ROOT_ROWS);
    s.roots_later = room(count, ROOT_ROWS);
    s.targets = room(s.vertex_count, TARGET_ROWS);
    s.radii = room(s.vertex_count, 1);
    s.positions = room(s.vertex_count, 3);
    s.snapshot = room(s.vertex_count, 3);
    s.velocities = room(s.vertex_count, 3);
    s.history = room(s.vertex_count, 6);
    for (uint32_t i = 0; i < count; i++) {
        make_roots(&s, i);
        make_binding(&s, i);
        make_vertices(&s, i);
    }
    make_skeleton(&s);
    return s;
}

void strands_free(struct strands *s) {
    free(s->vertex_counts);
    free(s->first_vertex);
    free(s->table);
    free(s->held);
    free(s->bind);
    free(s->bones);
    free(s->roots);
    free(s->roots_before);
    free(s->roots_later);
    free(s->targets);
    free(s->radii);
    free(s->positions);
    free(s->snapshot);
    free(s->velocities);
    free(s->history);
}
