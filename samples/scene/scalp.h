// Where hair grows: evenly spread roots on the upper and back part of a skull. Private to the scene.
#ifndef SCENE_SCALP_H
#define SCENE_SCALP_H

#include "scene.h"
#include "scene_math.h"

typedef struct scalp_root {
    vec3 position; // bind pose, on the spheroid
    vec3 normal;
} scalp_root;

// Fills in default measures where scalp is null or zero.
scene_scalp scalp_or_usual(const scene_scalp *scalp);

// The first count roots of an infinite, evenly spread sequence: a shorter list is a prefix of a longer one.
void scalp_roots(const scene_scalp *scalp, uint64_t seed, uint32_t count, scalp_root *roots);

#endif
