// The triangle of a mesh that is nearest to a point: a tree of boxes, each of which is cut at the median of its longest side.
#ifndef PLAIT_MESH_SEARCH_H
#define PLAIT_MESH_SEARCH_H

#include "context.h"
#include "vector.h"

struct mesh_node; // a box, and what is in it

struct mesh_search {
    const float *positions;    // [vertex_count][3]
    const uint32_t *triangles; // [triangle_count][3]
    uint32_t *order;           // [count] triangles that have an area, leaf by leaf
    uint32_t count;
    struct mesh_node *nodes;
    uint32_t node_count;
};

struct mesh_point {
    uint32_t triangle;
    double weights[3]; // barycentric coordinates
    double distance;
};

// Whether a triangle is more than a line, as far as floats can tell.
bool triangle_has_area(const float *positions, const uint32_t corners[3]);
// Its point nearest to p: weights and distance.
struct mesh_point triangle_nearest(const float *positions, const uint32_t corners[3], double3 p);

// Keeps the pointers. False without memory.
bool mesh_search_create(struct context *context, const float *positions, const uint32_t *triangles,
                        uint32_t triangle_count, struct mesh_search *search);
// Of several that are as near, the first of the mesh. There must be one that has an area.
struct mesh_point mesh_search_find(const struct mesh_search *search, double3 p);
void mesh_search_destroy(struct context *context, struct mesh_search *search);

#endif
