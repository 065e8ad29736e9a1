/* What roots are bound to: a mesh, or the nearest bones of a skeleton. */
#include "groom_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *copy_of(const void *from, uint64_t count, size_t size) {
    void *copy = gf_allocate(count, size);
    if (copy) memcpy(copy, from, (size_t)count * size);
    return copy;
}

static void free_mesh(plait_gf_groom *groom) {
    free(groom->mesh_positions);
    free(groom->mesh_triangles);
    free(groom->root_triangles);
    free(groom->root_barycentrics);
    groom->mesh_positions = groom->root_barycentrics = NULL;
    groom->mesh_triangles = groom->root_triangles = NULL;
    groom->mesh_vertex_count = groom->mesh_triangle_count = 0;
}

plait_result plait_gf_bind_mesh(plait_gf_groom *groom, const plait_gf_mesh *mesh) {
    float *positions;
    uint32_t *triangles;
    if (!groom || !groom->positions || !mesh || !mesh->positions || !mesh->triangles || mesh->vertex_count < 3)
        return PLAIT_ERROR_INVALID_ARGUMENT;
    positions = copy_of(mesh->positions, mesh->vertex_count, 3 * sizeof *positions);
    triangles = copy_of(mesh->triangles, mesh->triangle_count, 3 * sizeof *triangles);
    if (!positions || !triangles) {
        free(positions);
        free(triangles);
        return PLAIT_ERROR_OUT_OF_MEMORY;
    }
    free_mesh(groom);
    groom->mesh_vertex_count = mesh->vertex_count;
    groom->mesh_triangle_count = mesh->triangle_count;
    groom->mesh_positions = positions;
    groom->mesh_triangles = triangles;
    return PLAIT_OK;
}

static double distance_to(const float *p, const float *a, const float *b) {
    double along = 0, length = 0, square = 0, t;
    int c;
    for (c = 0; c < 3; c++) {
        double edge = (double)b[c] - (double)a[c];
        along += ((double)p[c] - (double)a[c]) * edge;
        length += edge * edge;
    }
    t = length > 0 ? fmin(fmax(along / length, 0), 1) : 0;
    for (c = 0; c < 3; c++) {
        double off = (double)p[c] - (double)a[c] - t * ((double)b[c] - (double)a[c]);
        square += off * off;
    }
    return sqrt(square);
}

/* A segment of a bone: joint, beginning, end. */
typedef struct segment {
    uint32_t joint;
    float ends[2][3];
} segment;

/* One to each child, which moves with the parent, and one to the end of a limb, which is a point where there is none. */
static uint32_t list_segments(const plait_gf_motion *motion, const float *bones, segment *segments) {
    uint32_t i, count = 0;
    int c;
    for (i = 0; i < motion->joint_count; i++) {
        const float *bone = bones + 12 * (size_t)i;
        segment *s = &segments[count++];
        s->joint = i;
        for (c = 0; c < 3; c++) {
            s->ends[0][c] = bone[4 * c + 3];
            s->ends[1][c] = bone[4 * c + 3] + motion->end_offsets[3 * (size_t)i + (size_t)c];
        }
        if (motion->parents[i] < 0) continue;
        s = &segments[count++];
        s->joint = (uint32_t)motion->parents[i];
        for (c = 0; c < 3; c++) {
            s->ends[0][c] = bones[12 * (size_t)s->joint + 4 * (size_t)c + 3];
            s->ends[1][c] = bone[4 * c + 3];
        }
    }
    return count;
}

plait_result plait_gf_bind_skeleton(plait_gf_groom *groom, const plait_gf_motion *motion, float *distances) {
    float *bones;
    char *names;
    uint32_t *roots, i, k, count;
    segment *segments;
    size_t vertex = 0;
    if (!groom || !groom->positions || !motion || motion->joint_count == 0 || motion->joint_count > PLAIT_MAX_BONES)
        return PLAIT_ERROR_INVALID_ARGUMENT;
    bones = gf_allocate(motion->joint_count, 12 * sizeof *bones);
    names = copy_of(motion->names, motion->joint_count, PLAIT_GF_NAME_SIZE);
    roots = gf_allocate(groom->strand_count, sizeof *roots);
    segments = gf_allocate(motion->joint_count, 2 * sizeof *segments);
    if (!bones || !names || !roots || !segments) {
        free(bones);
        free(names);
        free(roots);
        free(segments);
        return PLAIT_ERROR_OUT_OF_MEMORY;
    }
    plait_gf_motion_bind(motion, bones);
    count = list_segments(motion, bones, segments);
    for (i = 0; i < groom->strand_count; vertex += groom->vertex_counts[i], i++) {
        double least = INFINITY;
        for (k = 0; k < count; k++) {
            double distance = distance_to(groom->positions + 3 * vertex, segments[k].ends[0], segments[k].ends[1]);
            if (!(distance < least)) continue;
            least = distance;
            roots[i] = segments[k].joint;
        }
        if (distances) distances[i] = (float)least;
    }
    free(segments);
    free_mesh(groom);
    free(groom->root_bindings);
    free(groom->root_bones);
    free(groom->bind_pose);
    free(groom->bone_names);
    groom->root_bindings = NULL;
    groom->bone_count = motion->joint_count;
    groom->root_bones = roots;
    groom->bind_pose = bones;
    groom->bone_names = names;
    return PLAIT_OK;
}
