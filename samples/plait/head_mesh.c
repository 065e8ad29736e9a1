// See head_mesh.h.
#include "head_mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene_math.h"

bool head_mesh_read(head_mesh *h, const char *path, float scale, char *problem, size_t problem_size) {
    memset(h, 0, sizeof *h);
    plait_gf_report report;
    plait_result result = plait_gf_mesh_read(path, scale, &h->mesh, &report);
    snprintf(problem, problem_size, "%s", report.message);
    if (result != PLAIT_OK) return false;
    h->normals = calloc(h->mesh.vertex_count, 3 * sizeof *h->normals);
    if (!h->normals) {
        snprintf(problem, problem_size, "out of memory");
        head_mesh_free(h);
        return false;
    }
    // Of the faces around a vertex, each counts by its area.
    for (uint32_t t = 0; t < h->mesh.triangle_count; t++) {
        const uint32_t *corner = h->mesh.triangles + 3 * (size_t)t;
        vec3 p[3];
        for (int k = 0; k < 3; k++) p[k] = v3_from(h->mesh.positions + 3 * (size_t)corner[k]);
        vec3 across = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]));
        for (int k = 0; k < 3; k++) {
            float *n = h->normals + 3 * (size_t)corner[k];
            v3_store(n, v3_add(v3_from(n), across));
        }
    }
    for (uint32_t v = 0; v < h->mesh.vertex_count; v++) {
        float *n = h->normals + 3 * (size_t)v;
        v3_store(n, v3_unit(v3_from(n)));
    }
    return true;
}

void head_mesh_free(head_mesh *h) {
    plait_gf_mesh_free(&h->mesh);
    free(h->normals);
    h->normals = NULL;
}

void head_mesh_move(head_mesh *h, const float by[3]) {
    for (size_t i = 0; i < 3 * (size_t)h->mesh.vertex_count; i++) h->mesh.positions[i] += by[i % 3];
}

void head_mesh_cut(head_mesh *h, float height) {
    uint32_t kept = 0, *triangles = h->mesh.triangles;
    for (uint32_t t = 0; t < h->mesh.triangle_count; t++) {
        bool below = false;
        for (int k = 0; k < 3; k++)
            below = below || h->mesh.positions[3 * (size_t)triangles[3 * t + (uint32_t)k] + 1] < height;
        if (!below) memmove(triangles + 3 * (size_t)kept++, triangles + 3 * (size_t)t, 3 * sizeof *triangles);
    }
    h->mesh.triangle_count = kept;
}

picture_mesh head_mesh_describe(const head_mesh *h) {
    return (picture_mesh){h->mesh.vertex_count, h->mesh.triangle_count, h->mesh.positions, h->normals,
                          h->mesh.triangles};
}
