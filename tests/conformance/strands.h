// Random strands as kernels see them, in host order: what each layout of core/layout.h holds, valid but otherwise wild.
#ifndef PLAIT_TESTS_STRANDS_H
#define PLAIT_TESTS_STRANDS_H

#include "layout.h"

#include <stdint.h>

enum { SKELETON_BONES = 5, MAX_STRAND_VERTICES = 40 };

struct strands {
    uint64_t random; // state of the generator
    uint32_t count, vertex_count;
    uint32_t *vertex_counts, *first_vertex;      // [count]
    uint32_t *table;                             // [count][STRAND_UINT_ROWS]
    uint32_t *held;                              // [count] vertices that go with the bones
    float *bind;                                 // [count][BIND_ROWS]
    uint32_t *bones;                             // [count][BIND_BONE_ROWS]
    float *roots, *roots_before, *roots_later;   // [count][ROOT_ROWS], each a little further on its way
    float *targets;                              // [vertex_count][TARGET_ROWS]
    float *radii;                                // [vertex_count]
    float *positions, *snapshot;                 // [vertex_count][3], near the rest shape, at roots_before
    float *velocities;                           // [vertex_count][3]
    float *history;                              // [vertex_count][6]
    float skeleton[SKELETON_BONES][BONE_FLOATS]; // bones that turn by half a radian or so
};

struct strands strands_make(uint64_t seed, uint32_t count); // of 2 to MAX_STRAND_VERTICES vertices
struct strands strands_of(uint64_t seed, uint32_t count, const uint32_t *lengths);
void strands_free(struct strands *s);

double random_between(struct strands *s, double low, double high);
void random_unit(struct strands *s, double v[3]);

#endif
