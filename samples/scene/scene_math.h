// Three-vectors, 3x4 matrices and a stateless random generator for scenes and pictures.
#ifndef SCENE_MATH_H
#define SCENE_MATH_H

#include <math.h>
#include <stdint.h>

#define SCENE_PI 3.14159265358979323846f

typedef struct vec3 {
    float x, y, z;
} vec3;

static inline vec3 v3(float x, float y, float z) { return (vec3){x, y, z}; }
static inline vec3 v3_from(const float *p) { return (vec3){p[0], p[1], p[2]}; }
static inline void v3_store(float *p, vec3 a) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }
static inline vec3 v3_add(vec3 a, vec3 b) { return (vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec3 v3_sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec3 v3_scale(vec3 a, float s) { return (vec3){a.x * s, a.y * s, a.z * s}; }
static inline vec3 v3_mad(vec3 a, vec3 b, float s) { return (vec3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s}; }
static inline vec3 v3_mix(vec3 a, vec3 b, float t) { return v3_mad(a, v3_sub(b, a), t); }
static inline float v3_dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 v3_cross(vec3 a, vec3 b) {
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline float v3_length(vec3 a) { return sqrtf(v3_dot(a, a)); }

// The zero vector stays zero.
static inline vec3 v3_unit(vec3 a) {
    float length = v3_length(a);
    return length > 0 ? v3_scale(a, 1 / length) : a;
}

// The part of a that is perpendicular to the unit vector n.
static inline vec3 v3_reject(vec3 a, vec3 n) { return v3_mad(a, n, -v3_dot(a, n)); }

// Unlike fminf and fmaxf these are one instruction: they do not handle NaN.
static inline float scene_min(float a, float b) { return a < b ? a : b; }
static inline float scene_max(float a, float b) { return a > b ? a : b; }
static inline float scene_clamp(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

// 0 below low, 1 above high, smooth in between.
static inline float scene_smooth(float low, float high, float x) {
    float t = scene_clamp((x - low) / (high - low), 0, 1);
    return t * t * (3 - 2 * t);
}

typedef struct mat34 {
    float m[12];
} mat34;

static inline vec3 m34_point(const float *m, vec3 p) {
    return (vec3){m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3], m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7],
                  m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11]};
}

static inline mat34 m34_multiply(const float *a, const float *b) {
    mat34 r;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++)
            r.m[i * 4 + j] = a[i * 4] * b[j] + a[i * 4 + 1] * b[4 + j] + a[i * 4 + 2] * b[8 + j];
        r.m[i * 4 + 3] += a[i * 4 + 3];
    }
    return r;
}

// Of a rotation with translation only.
static inline mat34 m34_rigid_inverse(const float *a) {
    mat34 r;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) r.m[i * 4 + j] = a[j * 4 + i];
        r.m[i * 4 + 3] = -(a[i] * a[3] + a[4 + i] * a[7] + a[8 + i] * a[11]);
    }
    return r;
}

// A number in [0, 1) that depends only on its arguments: no state, so any strand can be made alone.
static inline float scene_random(uint64_t seed, uint64_t index, uint64_t channel) {
    uint64_t h = seed * 0xd1342543de82ef95u + index * 0x9e3779b97f4a7c15u + (channel + 1) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    h = (h ^ (h >> 29)) * 0x94d049bb133111ebu;
    return (float)((h ^ (h >> 32)) >> 40) * (1.0f / 16777216.0f);
}

// The same in [-1, 1).
static inline float scene_random_signed(uint64_t seed, uint64_t index, uint64_t channel) {
    return 2 * scene_random(seed, index, channel) - 1;
}

#endif
