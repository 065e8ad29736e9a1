// How much hair lies between a point and a light: an opacity map with layers behind the first strand.
#ifndef SHADOW_H
#define SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "scene_math.h"

#define SHADOW_LAYERS 8

typedef struct shadow_texel {
    float first;                 // depth of the hair that the light meets first, metres
    float layers[SHADOW_LAYERS]; // hair in front of the end of each layer, as share of the covered area
} shadow_texel;

// Owns its texels.
typedef struct shadow_map {
    vec3 right, up, forward; // forward: direction of the light
    float origin_right, origin_up, texel_m;
    int size;             // texels on a side
    shadow_texel *texels; // [size * size]
} shadow_map;

// Strands, all in one space. Owned by the caller.
typedef struct shadow_strands {
    uint32_t strand_count;
    const uint32_t *vertex_counts;
    const float *positions; // [vertices][3]
    float width_m;
} shadow_strands;

// Renders the strands along the unit vector forward into size by size texels. False: out of memory.
bool shadow_make(shadow_map *map, const shadow_strands *strands, vec3 forward, int size);
void shadow_free(shadow_map *map);

// Layers of hair that cover p on average; 0: lit.
float shadow_depth(const shadow_map *map, vec3 p);

#endif
