// Small double-precision vectors and 3x4 matrices for preparation; nothing here runs per vertex and step.
#ifndef PLAIT_VECTOR_H
#define PLAIT_VECTOR_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct double3 {
    double x, y, z;
} double3;

// Row-major 3x4, as in plait.h.
typedef struct affine {
    double m[12];
} affine;

static inline double3 d3(double x, double y, double z) { return (double3){x, y, z}; }
static inline double3 d3_load(const float *p) { return (double3){p[0], p[1], p[2]}; }
static inline double3 d3_add(double3 a, double3 b) { return (double3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline double3 d3_sub(double3 a, double3 b) { return (double3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline double3 d3_mul(double3 a, double s) { return (double3){a.x * s, a.y * s, a.z * s}; }
static inline double d3_dot(double3 a, double3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double d3_length(double3 a) { return sqrt(d3_dot(a, a)); }
static inline double3 d3_cross(double3 a, double3 b) {
    return (double3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double3 d3_unit(double3 a) { return d3_mul(a, 1.0 / d3_length(a)); }

// A unit vector across a unit vector.
static inline double3 d3_across(double3 a) {
    double3 other = fabs(a.x) < 0.6 ? d3(1, 0, 0) : d3(0, 1, 0);
    return d3_unit(d3_sub(other, d3_mul(a, d3_dot(a, other))));
}

static inline affine affine_load(const float *m) {
    affine a;
    for (int i = 0; i < 12; i++) a.m[i] = m[i];
    return a;
}

static inline double3 affine_direction(const affine *a, double3 v) {
    return d3(a->m[0] * v.x + a->m[1] * v.y + a->m[2] * v.z, a->m[4] * v.x + a->m[5] * v.y + a->m[6] * v.z,
              a->m[8] * v.x + a->m[9] * v.y + a->m[10] * v.z);
}

static inline double3 affine_point(const affine *a, double3 p) {
    return d3_add(affine_direction(a, p), d3(a->m[3], a->m[7], a->m[11]));
}

static inline double affine_determinant(const affine *a) {
    const double *m = a->m;
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

static inline affine affine_multiply(const affine *a, const affine *b) {
    affine r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            r.m[4 * i + j] = a->m[4 * i] * b->m[j] + a->m[4 * i + 1] * b->m[4 + j] + a->m[4 * i + 2] * b->m[8 + j] +
                             (j == 3 ? a->m[4 * i + 3] : 0.0);
    return r;
}

// Of a matrix whose determinant is not zero.
static inline affine affine_inverse(const affine *a) {
    const double *m = a->m;
    double s = 1.0 / affine_determinant(a);
    affine r = {{(m[5] * m[10] - m[6] * m[9]) * s, (m[2] * m[9] - m[1] * m[10]) * s, (m[1] * m[6] - m[2] * m[5]) * s, 0,
                 (m[6] * m[8] - m[4] * m[10]) * s, (m[0] * m[10] - m[2] * m[8]) * s, (m[2] * m[4] - m[0] * m[6]) * s, 0,
                 (m[4] * m[9] - m[5] * m[8]) * s, (m[1] * m[8] - m[0] * m[9]) * s, (m[0] * m[5] - m[1] * m[4]) * s, 0}};
    double3 t = affine_direction(&r, d3(m[3], m[7], m[11]));
    r.m[3] = -t.x;
    r.m[7] = -t.y;
    r.m[11] = -t.z;
    return r;
}

// Tests the bits: no NaN ever reaches a comparison.
static inline bool is_finite(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x7f800000u) != 0x7f800000u;
}
static inline bool is_finite_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits >> 52 & 0x7ff) != 0x7ff;
}

#endif
