#include "mesh.h"
#include "groom.h"
#include "hash.h"
#include "mesh_search.h"
#include "structs.h"

#include <string.h>

#define MOST_ELEMENTS 1000000000u
#define PROGRESS_STRANDS 1024u

// Copies of the host's arrays, in one format, which nobody else can change.
struct mesh_source {
    float *positions;    // [vertex_count][3]
    uint32_t *triangles; // [triangle_count][3]
};

uint64_t mesh_stride(const struct call *call, const char *argument, uint32_t format, uint64_t stride,
                     const void *positions) {
    if (format != PLAIT_FORMAT_FLOAT32X3 && format != PLAIT_FORMAT_FLOAT32X4)
        fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "%s: the format of positions is %u, not a PLAIT_FORMAT_xxx", argument,
             format);
    else if (!positions)
        fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "%s.positions is null", argument);
    else if ((uintptr_t)positions % sizeof(float))
        fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "%s.positions is not aligned to 4 bytes", argument);
    else {
        uint64_t size = format == PLAIT_FORMAT_FLOAT32X3 ? 12 : 16;
        if (stride == 0) stride = size;
        if (stride % sizeof(float) == 0 && stride >= size && stride <= SIZE_MAX / MOST_ELEMENTS) return stride;
        fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "%s: the stride is %llu, not a multiple of 4 and %llu or more",
             argument, (unsigned long long)stride, (unsigned long long)size);
    }
    return 0;
}

static plait_result check_desc(const struct call *call, const plait_groom_mesh_desc *desc) {
    if (desc->vertex_count < 3 || desc->vertex_count > MOST_ELEMENTS)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "mesh.vertex_count is %u, not 3 to %u", desc->vertex_count,
                    MOST_ELEMENTS);
    if (desc->triangle_count == 0 || desc->triangle_count > MOST_ELEMENTS)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "mesh.triangle_count is %u, not 1 to %u", desc->triangle_count,
                    MOST_ELEMENTS);
    if (desc->index_format != PLAIT_INDEX_UINT16 && desc->index_format != PLAIT_INDEX_UINT32)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "mesh.index_format is %u, not a PLAIT_INDEX_xxx",
                    desc->index_format);
    if (!desc->indices) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "mesh.indices is null");
    if ((uintptr_t)desc->indices % (desc->index_format == PLAIT_INDEX_UINT16 ? 2 : 4))
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "mesh.indices is not aligned to the size of an index");
    if (desc->root_barycentrics && !desc->root_triangles)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "mesh.root_barycentrics goes with mesh.root_triangles only");
    return PLAIT_OK;
}

static plait_result copy_source(struct call *call, const plait_groom_mesh_desc *desc, uint64_t stride,
                                struct mesh_source *source) {
    source->positions = memory_allocate(call->context, desc->vertex_count, 3 * sizeof(float));
    source->triangles = memory_allocate(call->context, desc->triangle_count, 3 * sizeof(uint32_t));
    if (!source->positions || !source->triangles)
        return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for a mesh of %u vertices and %u triangles",
                    desc->vertex_count, desc->triangle_count);
    for (uint32_t v = 0; v < desc->vertex_count; v++) {
        float *p = source->positions + 3 * (size_t)v;
        memcpy(p, (const char *)desc->positions + v * stride, 3 * sizeof *p);
        for (int c = 0; c < 3; c++)
            if (!is_finite(p[c]) || fabsf(p[c]) > 1e9f)
                return fail(call, PLAIT_ERROR_INVALID_GROOM, "mesh.positions: vertex %u is not finite or too large", v);
    }
    for (size_t i = 0; i < 3 * (size_t)desc->triangle_count; i++) {
        uint32_t index = desc->index_format == PLAIT_INDEX_UINT16 ? ((const uint16_t *)desc->indices)[i]
                                                                  : ((const uint32_t *)desc->indices)[i];
        if (index >= desc->vertex_count)
            return fail(call, PLAIT_ERROR_INVALID_GROOM, "mesh.indices: triangle %zu has vertex %u of %u", i / 3, index,
                        desc->vertex_count);
        source->triangles[i] = index;
    }
    return PLAIT_OK;
}

static double3 root_of(const struct groom *groom, uint32_t strand) {
    return d3_load(groom->positions + 3 * (size_t)groom->first_vertex[strand]);
}

static void keep_point(struct mesh *mesh, uint32_t strand, const struct mesh_point *point) {
    mesh->triangles[strand] = point->triangle;
    for (int i = 0; i < 3; i++) mesh->weights[3 * (size_t)strand + (size_t)i] = (float)point->weights[i];
    mesh->distances[strand] = (float)point->distance;
}

static plait_result find_roots(struct call *call, const plait_groom_mesh_desc *desc, const struct mesh_source *source,
                               const struct groom *groom, struct mesh *mesh) {
    struct mesh_search search;
    uint32_t count = groom->info.strand_count;
    if (!mesh_search_create(call->context, source->positions, source->triangles, desc->triangle_count, &search))
        return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory to search %u triangles", desc->triangle_count);
    plait_result result = PLAIT_OK;
    if (search.count == 0) result = fail(call, PLAIT_ERROR_INVALID_GROOM, "mesh: no triangle has an area");
    for (uint32_t s = 0; s < count && result == PLAIT_OK; s++) {
        struct mesh_point point = mesh_search_find(&search, root_of(groom, s));
        keep_point(mesh, s, &point);
        if (desc->progress && ((s + 1) % PROGRESS_STRANDS == 0 || s + 1 == count)) {
            result = desc->progress(desc->user, s + 1, count);
            if (result < 0) // others are no ids of messages
                message(call->context, PLAIT_LOG_INFO, result, "%s: ended by its progress callback", call->function);
        }
    }
    mesh_search_destroy(call->context, &search);
    return result;
}

// The host's own choice.
static plait_result take_root(const struct call *call, const plait_groom_mesh_desc *desc,
                              const struct mesh_source *source, const struct groom *groom, uint32_t strand,
                              struct mesh *mesh) {
    uint32_t triangle = desc->root_triangles[strand];
    if (triangle >= desc->triangle_count)
        return fail(call, PLAIT_ERROR_INVALID_GROOM, "mesh.root_triangles: strand %u is on triangle %u of %u", strand,
                    triangle, desc->triangle_count);
    const uint32_t *corners = source->triangles + 3 * (size_t)triangle;
    if (!triangle_has_area(source->positions, corners))
        return fail(call, PLAIT_ERROR_INVALID_GROOM,
                    "mesh.root_triangles: strand %u is on triangle %u, which has no area", strand, triangle);
    double3 root = root_of(groom, strand);
    struct mesh_point point = triangle_nearest(source->positions, corners, root);
    point.triangle = triangle;
    if (desc->root_barycentrics) {
        double sum = 0;
        double3 at = d3(0, 0, 0);
        for (int i = 0; i < 3; i++) {
            float weight = desc->root_barycentrics[3 * (size_t)strand + (size_t)i];
            if (!is_finite(weight) || weight < -1.001e-3f || weight > 1.001001f)
                return fail(call, PLAIT_ERROR_INVALID_GROOM,
                            "mesh.root_barycentrics: strand %u, weight %d is %g, not -0.001 to 1.001", strand, i,
                            (double)weight);
            point.weights[i] = weight;
            sum += weight;
        }
        if (!(fabs(sum - 1) < 1.001e-3))
            return fail(call, PLAIT_ERROR_INVALID_GROOM,
                        "mesh.root_barycentrics: strand %u, the weights sum to %g, not to 1", strand, sum);
        for (int i = 0; i < 3; i++) {
            point.weights[i] /= sum;
            at = d3_add(at, d3_mul(d3_load(source->positions + 3 * (size_t)corners[i]), point.weights[i]));
        }
        point.distance = d3_length(d3_sub(root, at));
    }
    keep_point(mesh, strand, &point);
    return PLAIT_OK;
}

// Which vertices hold roots, and the corners as numbers among them.
static bool keep_used(struct context *context, const plait_groom_mesh_desc *desc, const struct mesh_source *source,
                      uint32_t strand_count, struct mesh *mesh) {
    uint32_t *numbers = memory_allocate(context, desc->vertex_count, sizeof *numbers);
    if (!numbers) return false;
    for (uint32_t s = 0; s < strand_count; s++)
        for (int i = 0; i < 3; i++) numbers[source->triangles[3 * (size_t)mesh->triangles[s] + (size_t)i]] = 1;
    for (uint32_t v = 0; v < desc->vertex_count; v++) mesh->used_count += numbers[v];
    mesh->used = memory_allocate(context, mesh->used_count, sizeof *mesh->used);
    mesh->rest = memory_allocate(context, mesh->used_count, 3 * sizeof *mesh->rest);
    bool made = mesh->used && mesh->rest;
    uint32_t count = 0;
    for (uint32_t v = 0; v < desc->vertex_count && made; v++) {
        if (!numbers[v]) continue;
        memcpy(mesh->rest + 3 * (size_t)count, source->positions + 3 * (size_t)v, 3 * sizeof *mesh->rest);
        mesh->used[count] = v;
        numbers[v] = count++;
    }
    for (uint32_t s = 0; s < strand_count && made; s++)
        for (size_t i = 0; i < 3; i++)
            mesh->corners[3 * (size_t)s + i] = numbers[source->triangles[3 * (size_t)mesh->triangles[s] + i]];
    memory_release(context, numbers);
    return made;
}

static plait_result fill_mesh(struct call *call, const plait_groom_mesh_desc *desc, const struct mesh_source *source,
                              const struct groom *groom, struct mesh *mesh) {
    struct context *context = call->context;
    uint32_t count = groom->info.strand_count;
    mesh->vertex_count = desc->vertex_count;
    mesh->corners = memory_allocate(context, count, 3 * sizeof *mesh->corners);
    mesh->triangles = memory_allocate(context, count, sizeof *mesh->triangles);
    mesh->weights = memory_allocate(context, count, 3 * sizeof *mesh->weights);
    mesh->distances = memory_allocate(context, count, sizeof *mesh->distances);
    if (!mesh->corners || !mesh->triangles || !mesh->weights || !mesh->distances)
        return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for %u roots on a mesh", count);
    plait_result result = PLAIT_OK;
    if (!desc->root_triangles) result = find_roots(call, desc, source, groom, mesh);
    for (uint32_t s = 0; s < count && desc->root_triangles && result == PLAIT_OK; s++)
        result = take_root(call, desc, source, groom, s, mesh);
    if (result == PLAIT_OK && !keep_used(context, desc, source, count, mesh))
        result = fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for %u roots on a mesh", count);
    return result;
}

plait_result mesh_create(struct call *call, const plait_groom_mesh_desc *desc, struct groom *groom) {
    struct context *context = call->context;
    plait_result result = check_desc(call, desc);
    if (result != PLAIT_OK) return result;
    uint64_t stride = mesh_stride(call, "mesh", desc->position_format, desc->position_stride, desc->positions);
    if (stride == 0) return PLAIT_ERROR_INVALID_ARGUMENT;
    struct mesh_source source = {0};
    struct mesh *mesh = memory_allocate(context, 1, sizeof *mesh);
    if (!mesh) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the mesh");
    result = copy_source(call, desc, stride, &source);
    if (result == PLAIT_OK) result = fill_mesh(call, desc, &source, groom, mesh);
    memory_release(context, source.positions);
    memory_release(context, source.triangles);
    if (result == PLAIT_OK)
        groom->mesh = mesh;
    else
        mesh_destroy(context, mesh);
    return result;
}

void mesh_destroy(struct context *context, struct mesh *mesh) {
    if (!mesh) return;
    memory_release(context, mesh->used);
    memory_release(context, mesh->rest);
    memory_release(context, mesh->corners);
    memory_release(context, mesh->triangles);
    memory_release(context, mesh->weights);
    memory_release(context, mesh->distances);
    memory_release(context, mesh);
}

uint64_t mesh_bytes(const struct mesh *mesh, uint32_t strand_count) {
    return sizeof *mesh + (uint64_t)mesh->used_count * (sizeof(uint32_t) + 3 * sizeof(float)) +
           (uint64_t)strand_count * (4 * sizeof(uint32_t) + 4 * sizeof(float));
}

uint64_t mesh_hash(const struct mesh *mesh, uint32_t strand_count, uint64_t hash) {
    hash = hash_bytes(hash, &mesh->vertex_count, sizeof mesh->vertex_count);
    hash = hash_bytes(hash, mesh->used, mesh->used_count * sizeof *mesh->used);
    hash = hash_bytes(hash, mesh->rest, (size_t)mesh->used_count * 3 * sizeof *mesh->rest);
    hash = hash_bytes(hash, mesh->corners, (size_t)strand_count * 3 * sizeof *mesh->corners);
    return hash_bytes(hash, mesh->weights, (size_t)strand_count * 3 * sizeof *mesh->weights);
}

plait_result PLAIT_CALL plait_groom_read_roots(plait_groom handle, uint32_t strand_count, uint32_t *triangles,
                                               float *barycentrics, float *distances) {
    struct call call = {.function = __func__};
    struct object *object;
    plait_result result = call_enter(&call, handle.id, OBJECT_GROOM, false, &object);
    if (result != PLAIT_OK) return result;
    const struct groom *groom = (struct groom *)object;
    size_t count = groom->info.strand_count;
    if (!groom->mesh)
        result = fail(&call, PLAIT_ERROR_UNSUPPORTED, "the groom's roots are on bones, not on a mesh");
    else if (strand_count != count)
        result = fail(&call, PLAIT_ERROR_INVALID_ARGUMENT, "strand_count is %u, the groom has %zu strands",
                      strand_count, count);
    if (result == PLAIT_OK) {
        const struct mesh *mesh = groom->mesh;
        if (triangles) memcpy(triangles, mesh->triangles, count * sizeof *triangles);
        if (barycentrics) memcpy(barycentrics, mesh->weights, 3 * count * sizeof *barycentrics);
        if (distances) memcpy(distances, mesh->distances, count * sizeof *distances);
    }
    call_leave_object(&call, object, false);
    return result;
}
