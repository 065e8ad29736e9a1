// Where hair grows: evenly spread roots on the upper and back part of a skull. Private to the scene.
#ifndef SCENE_SCALP_H
#define SCENE_SCALP_H

#include "scene.h"
#include "scene_math.h"

typedef struct scalp_root {
    vec3 position; // bind pose, on the spheroid
    vec3 normal;
    float fringe; // 0 above the hairline, up to 1 below it
} scalp_root;

// Roots below the hairline: how far, in radii of the skull, and how many roots come before the first of them.
typedef struct scalp_fringe {
    float depth;
    uint32_t first;
} scalp_fringe;

// Fills in default measures where scalp is null or zero.
scene_scalp scalp_or_usual(const scene_scalp *scalp);

// The first count roots of an infinite, evenly spread sequence: a shorter list is a prefix of a longer one.
void scalp_roots(const scene_scalp *scalp, uint64_t seed, uint32_t count, scalp_fringe fringe, scalp_root *roots);

#endif
