/* A groom in memory: its list of arrays, and what can be done with it without knowing any file. */
#include "groom_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY(name, type, rows, columns)                                                                               \
    { #name, offsetof(plait_gf_groom, name), type, rows, columns }

const gf_array GF_ARRAYS[] = {
    ARRAY(vertex_counts, GF_U32, GF_PER_STRAND, 1),
    ARRAY(positions, GF_F32, GF_PER_VERTEX, 3),
    ARRAY(radii, GF_F32, GF_PER_VERTEX, 1),
    ARRAY(transparencies, GF_F32, GF_PER_VERTEX, 1),
    ARRAY(colors, GF_F32, GF_PER_VERTEX, 3),
    ARRAY(uvs, GF_F32, GF_PER_VERTEX, 2),
    ARRAY(root_bones, GF_U32, GF_PER_STRAND, 1),
    ARRAY(root_normals, GF_F32, GF_PER_STRAND, 3),
    ARRAY(root_uvs, GF_F32, GF_PER_STRAND, 2),
    ARRAY(group_indices, GF_U16, GF_PER_STRAND, 1),
    ARRAY(held_counts, GF_U32, GF_PER_STRAND, 1),
    ARRAY(source_strands, GF_U32, GF_PER_STRAND, 1),
    ARRAY(bind_pose, GF_F32, GF_PER_BONE, 12),
    ARRAY(bone_names, GF_U8, GF_PER_BONE, PLAIT_GF_NAME_SIZE),
    ARRAY(guides, GF_U32, GF_PER_GUIDE, 1),
    ARRAY(closest_guides, GF_U32, GF_PER_STRAND, 0),
    ARRAY(guide_weights, GF_F32, GF_PER_STRAND, 0),
    ARRAY(hair_header, GF_U8, GF_ONE_ROW, PLAIT_GF_HAIR_HEADER_SIZE),
    ARRAY(mesh_positions, GF_F32, GF_PER_MESH_VERTEX, 3),
    ARRAY(mesh_triangles, GF_U32, GF_PER_MESH_TRIANGLE, 3),
    ARRAY(root_triangles, GF_U32, GF_PER_STRAND, 1),
    ARRAY(root_barycentrics, GF_F32, GF_PER_STRAND, 3),
};
const size_t GF_ARRAY_COUNT = sizeof GF_ARRAYS / sizeof *GF_ARRAYS;

static int copy_arrays(const plait_gf_groom *groom, const uint32_t *strands, const size_t *firsts, plait_gf_groom *to);
static int copy_guides(const plait_gf_groom *groom, const uint32_t *strands, plait_gf_groom *to);

size_t gf_type_size(enum gf_type type) {
    static const size_t sizes[GF_TYPES] = {1, 2, 4, 4};
    return sizes[type];
}

uint64_t gf_row_count(const plait_gf_groom *groom, enum gf_rows rows) {
    switch (rows) {
    case GF_PER_STRAND: return groom->strand_count;
    case GF_PER_VERTEX: return groom->vertex_count;
    case GF_PER_BONE: return groom->bone_count;
    case GF_PER_GUIDE: return groom->guide_count;
    case GF_PER_MESH_VERTEX: return groom->mesh_vertex_count;
    case GF_PER_MESH_TRIANGLE: return groom->mesh_triangle_count;
    case GF_ONE_ROW: break;
    }
    return 1;
}

size_t gf_row_bytes(const plait_gf_groom *groom, const gf_array *array) {
    return (array->columns ? array->columns : groom->guides_each) * gf_type_size(array->type);
}

/* Pointers to data have one representation on every machine with a renderer, so void * stands for all of them. */
void **gf_array_pointer(plait_gf_groom *groom, const gf_array *array) {
    return (void **)(void *)((char *)groom + array->offset);
}

const void *gf_array_const(const plait_gf_groom *groom, const gf_array *array) {
    return *(const void *const *)(const void *)((const char *)groom + array->offset);
}

void *gf_allocate(uint64_t count, size_t size) {
    if (count > SIZE_MAX / (size ? size : 1)) return NULL;
    return calloc(count ? (size_t)count : 1, size ? size : 1);
}

void plait_gf_groom_free(plait_gf_groom *groom) {
    size_t i;
    if (!groom) return;
    for (i = 0; i < GF_ARRAY_COUNT; i++) free(*gf_array_pointer(groom, &GF_ARRAYS[i]));
    free(groom->root_bindings);
    free(groom->groups);
    memset(groom, 0, sizeof *groom);
}

void plait_gf_describe(const plait_gf_groom *groom, plait_groom_desc *desc) {
    static const plait_groom_desc init = PLAIT_GROOM_DESC_INIT;
    *desc = init;
    desc->strand_count = groom->strand_count;
    desc->bone_count = groom->bone_count ? groom->bone_count : 1;
    desc->vertex_counts = groom->vertex_counts;
    desc->positions = groom->positions;
    desc->radii = groom->radii;
    desc->root_bones = groom->root_bindings ? NULL : groom->root_bones;
    desc->root_bindings = groom->root_bindings;
    desc->bind_pose = groom->bind_pose;
    desc->root_normals = groom->root_normals;
    desc->group_indices = groom->group_indices;
    desc->groups = groom->groups;
    desc->group_count = groom->group_count;
    desc->held_counts = groom->held_counts;
}

int plait_gf_describe_mesh(const plait_gf_groom *groom, plait_groom_mesh_desc *desc) {
    static const plait_groom_mesh_desc init = PLAIT_GROOM_MESH_DESC_INIT;
    *desc = init;
    if (!groom->mesh_positions || !groom->mesh_triangles) return 0;
    desc->vertex_count = groom->mesh_vertex_count;
    desc->triangle_count = groom->mesh_triangle_count;
    desc->index_format = PLAIT_INDEX_UINT32;
    desc->position_format = PLAIT_FORMAT_FLOAT32X3;
    desc->indices = groom->mesh_triangles;
    desc->positions = groom->mesh_positions;
    desc->root_triangles = groom->root_triangles;
    desc->root_barycentrics = groom->root_triangles ? groom->root_barycentrics : NULL;
    return 1;
}

plait_result plait_gf_select(const plait_gf_groom *groom, const uint32_t *strands, uint32_t strand_count,
                             plait_gf_groom *selected) {
    uint64_t vertices = 0;
    size_t *firsts = NULL, at = 0;
    uint32_t i;
    if (!selected) return PLAIT_ERROR_INVALID_ARGUMENT;
    memset(selected, 0, sizeof *selected);
    if (!groom || !groom->vertex_counts || !strands || strand_count == 0) return PLAIT_ERROR_INVALID_ARGUMENT;
    for (i = 0; i < strand_count; i++) {
        if (strands[i] >= groom->strand_count) return PLAIT_ERROR_INVALID_ARGUMENT;
        vertices += groom->vertex_counts[strands[i]];
    }
    if (vertices > UINT32_MAX) return PLAIT_ERROR_TOO_LARGE;
    firsts = gf_allocate(groom->strand_count, sizeof *firsts);
    if (!firsts) return PLAIT_ERROR_OUT_OF_MEMORY;
    for (i = 0; i < groom->strand_count; i++) {
        firsts[i] = at;
        at += groom->vertex_counts[i];
    }
    selected->strand_count = strand_count;
    selected->vertex_count = (uint32_t)vertices;
    selected->bone_count = groom->bone_count;
    selected->group_count = groom->group_count;
    selected->mesh_vertex_count = groom->mesh_vertex_count;
    selected->mesh_triangle_count = groom->mesh_triangle_count;
    selected->meters_per_unit = groom->meters_per_unit;
    selected->radius = groom->radius;
    selected->transparency = groom->transparency;
    memcpy(selected->color, groom->color, sizeof selected->color);
    i = (uint32_t)(copy_arrays(groom, strands, firsts, selected) && copy_guides(groom, strands, selected));
    free(firsts);
    if (i) return PLAIT_OK;
    plait_gf_groom_free(selected);
    return PLAIT_ERROR_OUT_OF_MEMORY;
}

/* All but guides, which copy_guides knows about. */
static int copy_arrays(const plait_gf_groom *groom, const uint32_t *strands, const size_t *firsts, plait_gf_groom *to) {
    size_t a;
    uint32_t i;
    for (a = 0; a < GF_ARRAY_COUNT; a++) {
        const gf_array *array = &GF_ARRAYS[a];
        const uint8_t *from = gf_array_const(groom, array);
        size_t bytes = gf_row_bytes(groom, array);
        uint8_t *copy;
        if (!from || array->rows == GF_PER_GUIDE || array->columns == 0) continue;
        *gf_array_pointer(to, array) = copy = gf_allocate(gf_row_count(to, array->rows), bytes);
        if (!copy) return 0;
        if (array->rows != GF_PER_STRAND && array->rows != GF_PER_VERTEX) {
            memcpy(copy, from, (size_t)gf_row_count(to, array->rows) * bytes);
            continue;
        }
        for (i = 0; i < to->strand_count; i++) {
            size_t rows = array->rows == GF_PER_STRAND ? 1 : groom->vertex_counts[strands[i]];
            size_t first = array->rows == GF_PER_STRAND ? strands[i] : firsts[strands[i]];
            memcpy(copy, from + first * bytes, rows * bytes);
            copy += rows * bytes;
        }
    }
    if (!to->source_strands) {
        to->source_strands = gf_allocate(to->strand_count, sizeof *to->source_strands);
        if (!to->source_strands) return 0;
        memcpy(to->source_strands, strands, to->strand_count * sizeof *strands);
    }
    if (groom->root_bindings) {
        to->root_bindings = gf_allocate(to->strand_count, sizeof *to->root_bindings);
        if (!to->root_bindings) return 0;
        for (i = 0; i < to->strand_count; i++) to->root_bindings[i] = groom->root_bindings[strands[i]];
    }
    if (groom->groups) {
        to->groups = gf_allocate(groom->group_count, sizeof *to->groups);
        if (!to->groups) return 0;
        memcpy(to->groups, groom->groups, groom->group_count * sizeof *to->groups);
    }
    return 1;
}

static int copy_guides(const plait_gf_groom *groom, const uint32_t *strands, plait_gf_groom *to) {
    uint8_t *is_guide;
    uint32_t i;
    if (!groom->guides) return 1;
    is_guide = gf_allocate(groom->strand_count, 1);
    to->guides = gf_allocate(to->strand_count, sizeof *to->guides);
    if (is_guide && to->guides) {
        for (i = 0; i < groom->guide_count; i++) is_guide[groom->guides[i]] = 1;
        for (i = 0; i < to->strand_count; i++)
            if (is_guide[strands[i]]) to->guides[to->guide_count++] = i;
    }
    i = is_guide && to->guides;
    free(is_guide);
    if (i && to->guide_count == 0) {
        free(to->guides);
        to->guides = NULL;
    }
    return (int)i;
}

static void transform(const double m[12], float *x, int vector) {
    double p[3];
    int c;
    for (c = 0; c < 3; c++)
        p[c] = m[4 * c] * (double)x[0] + m[4 * c + 1] * (double)x[1] + m[4 * c + 2] * (double)x[2] +
               (vector ? 0 : m[4 * c + 3]);
    for (c = 0; c < 3; c++) x[c] = (float)p[c];
}

plait_result plait_gf_transform(plait_gf_groom *groom, const float matrix[12]) {
    double m[12], cofactors[12] = {0}, determinant, scale;
    uint32_t i;
    int r, c;
    if (!groom || !matrix) return PLAIT_ERROR_INVALID_ARGUMENT;
    for (i = 0; i < 12; i++) {
        if (!(fabsf(matrix[i]) <= 1e9f)) return PLAIT_ERROR_INVALID_ARGUMENT;
        m[i] = (double)matrix[i];
    }
    for (r = 0; r < 3; r++)
        for (c = 0; c < 3; c++) {
            int r1 = 4 * ((r + 1) % 3), r2 = 4 * ((r + 2) % 3), c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            cofactors[4 * r + c] = m[r1 + c1] * m[r2 + c2] - m[r1 + c2] * m[r2 + c1];
        }
    determinant = m[0] * cofactors[0] + m[1] * cofactors[1] + m[2] * cofactors[2];
    scale = cbrt(fabs(determinant));
    if (!(scale > 1e-12) || (determinant < 0 && groom->bind_pose)) return PLAIT_ERROR_INVALID_ARGUMENT;
    for (i = 0; i < groom->vertex_count; i++) transform(m, groom->positions + 3 * (size_t)i, 0);
    for (i = 0; groom->mesh_positions && i < groom->mesh_vertex_count; i++)
        transform(m, groom->mesh_positions + 3 * (size_t)i, 0);
    for (i = 0; groom->radii && i < groom->vertex_count; i++) groom->radii[i] = (float)(groom->radii[i] * scale);
    /* Normals of a surface turn with the inverse transpose, which the cofactors are but for a positive factor. */
    for (i = 0; i < 12; i++) cofactors[i] *= determinant < 0 ? -1 / (scale * scale) : 1 / (scale * scale);
    for (i = 0; groom->root_normals && i < groom->strand_count; i++)
        transform(cofactors, groom->root_normals + 3 * (size_t)i, 1);
    for (i = 0; groom->bind_pose && i < groom->bone_count; i++) {
        float *bone = groom->bind_pose + 12 * (size_t)i, column[3];
        for (c = 0; c < 4; c++) {
            for (r = 0; r < 3; r++) column[r] = bone[4 * r + c];
            transform(m, column, c < 3);
            for (r = 0; r < 3; r++) bone[4 * r + c] = column[r];
        }
    }
    for (i = 0; groom->groups && i < groom->group_count; i++)
        groom->groups[i].radius = (float)(groom->groups[i].radius * scale);
    groom->radius = (float)(groom->radius * scale);
    groom->meters_per_unit = (float)(groom->meters_per_unit / scale);
    return PLAIT_OK;
}
