// The mesh that a groom's roots are on: an immutable copy of the part that they touch, in host units.
#ifndef PLAIT_MESH_H
#define PLAIT_MESH_H

#include "context.h"

struct groom;

struct mesh {
    uint32_t vertex_count; // of the host's mesh
    uint32_t used_count;
    uint32_t *used;      // [used_count] its vertices that roots hang on, ascending
    float *rest;         // [used_count][3] where they were drawn
    uint32_t *corners;   // [strand_count][3] of each root's triangle, indices into used
    uint32_t *triangles; // [strand_count] of the host's mesh
    float *weights;      // [strand_count][3] barycentric coordinates
    float *distances;    // [strand_count] from the root to that point
};

// Binds the roots of a groom whose arrays are complete. On failure nothing is left.
plait_result mesh_create(struct call *call, const plait_groom_mesh_desc *desc, struct groom *groom);
void mesh_destroy(struct context *context, struct mesh *mesh);
uint64_t mesh_bytes(const struct mesh *mesh, uint32_t strand_count);
uint64_t mesh_hash(const struct mesh *mesh, uint32_t strand_count, uint64_t hash);

// Bytes from vertex to vertex, or 0 and a message if format, stride or alignment is wrong. `argument` names the struct.
uint64_t mesh_stride(const struct call *call, const char *argument, uint32_t format, uint64_t stride,
                     const void *positions);

#endif
