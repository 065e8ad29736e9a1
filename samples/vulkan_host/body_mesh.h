// The mannequin's skin: one smooth surface around all colliders, bound to their bones.
#ifndef BODY_MESH_H
#define BODY_MESH_H

#include "scene.h"

// As in skin.glsl.
typedef struct body_vertex {
    float position[3]; // in the bind pose
    float hairy;       // 0: bare; 1: hair grows here
    float normal[4];
    float weights[4]; // of bones; they sum to one
    uint32_t bones[4];
} body_vertex;

// Owns its arrays.
typedef struct body_mesh {
    body_vertex *vertices;
    uint32_t *indices; // three for each triangle
    uint32_t vertex_count, index_count;
} body_mesh;

// scalp: the skull's shape where the body has one, or null. groom: whose roots make skin hairy. False when memory runs
// out; the mesh is then empty, as it is for a body without colliders. Cost: some tenths of a second.
bool body_mesh_make(const scene_body *body, const scene_scalp *scalp, const scene_groom *groom, body_mesh *mesh);
void body_mesh_free(body_mesh *mesh);

#endif
