// A mesh from an .obj file that is drawn where a groom grows.
#ifndef HEAD_MESH_H
#define HEAD_MESH_H

#include <stdbool.h>

#include "picture.h"
#include "plait_groom_files.h"

// Owns its arrays; all zero: none.
typedef struct head_mesh {
    plait_gf_mesh mesh;
    float *normals; // [vertices][3], unit
} head_mesh;

// scale: metres per unit. False with the reason.
bool head_mesh_read(head_mesh *h, const char *path, float scale, char *problem, size_t problem_size);
void head_mesh_free(head_mesh *h);

void head_mesh_move(head_mesh *h, const float by[3]);

// Leaves out triangles with a corner below this height: a bust would turn its shoulders with the head.
void head_mesh_cut(head_mesh *h, float height);

// Points into h.
picture_mesh head_mesh_describe(const head_mesh *h);

#endif
