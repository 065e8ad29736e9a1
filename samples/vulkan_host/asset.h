// The hair, as an engine's importer would produce it: guides to simulate, strands to draw, a body to collide with.
#ifndef ASSET_H
#define ASSET_H

#include "body_mesh.h"
#include "scene.h"
#include "settings.h"

// Owns all.
typedef struct asset {
    char name[64];
    scene_groom guides, render;
    scene_body body;
    bool has_shape; // parameters for solver shape; hybrid has defaults for any hair
    plait_shape_params shape;
    body_mesh skin;
    float low[3], high[3]; // box around the render strands
    float reach_m;         // from the head's centre to the farthest vertex
} asset;

// most_vertices: that render strands may have; there are fewer of them where it does not suffice. Prints failures.
bool asset_make(const settings *s, uint64_t most_vertices, asset *a);
void asset_free(asset *a);

#endif
