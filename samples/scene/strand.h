// Vertices of one strand: a curl wound around a centreline. Private to the scene.
#ifndef SCENE_STRAND_H
#define SCENE_STRAND_H

#include "centreline.h"

typedef struct strand_curl {
    scene_curl kind;
    float radius_m; // 0: straight
    float pitch_m;  // along the centreline, per turn
    float ramp_m;   // from the root, until the curl has its full radius
    float phase;
} strand_curl;

// Writes vertex_count vertices, evenly spaced along a strand of this length, at positions.
void strand_lay(const centreline *line, const strand_curl *curl, float length_m, uint32_t vertex_count,
                float *positions);

#endif
