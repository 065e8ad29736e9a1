#include "groom.h"
#include "bone.h"
#include "hash.h"
#include "layout.h"
#include "structs.h"
#include "vector.h"

#include <string.h>

_Static_assert(RENDER_MOST_VERTICES == PLAIT_MAX_STRAND_VERTICES, "kernels do not see the header");

#define MAX_GROUPS 65536u
#define FOLD_COSINE_SQUARED 0.75 // of 150 degrees: the tightest curls and zigzags turn by 110 at a vertex
#define MIN_SEGMENT_M 1e-8       // below, rods of the default moduli stretched by half and more, and shape by 0.8

// ---- checks: of the desc's own numbers, then of the copies of its arrays, which nobody else can change ----

static plait_result check_desc(const struct call *call, const plait_groom_desc *desc) {
    if (desc->strand_count == 0) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.strand_count is 0");
    if (desc->strand_count > UINT32_MAX / 64)
        return fail(call, PLAIT_ERROR_TOO_LARGE, "desc.strand_count is %u, more than %u", desc->strand_count,
                    UINT32_MAX / 64);
    if (desc->bone_count == 0 || desc->bone_count > PLAIT_MAX_BONES)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.bone_count is %u, not 1 to %u", desc->bone_count,
                    PLAIT_MAX_BONES);
    if (desc->group_count > MAX_GROUPS)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.group_count is %u, more than %u", desc->group_count,
                    MAX_GROUPS);
    if (!desc->vertex_counts) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.vertex_counts is null");
    if (!desc->positions) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.positions is null");
    if (desc->root_bones && desc->root_bindings)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.root_bones and desc.root_bindings are both given");
    if (desc->reserved != 0) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.reserved is not 0");
    return PLAIT_OK;
}

static plait_result count_vertices(const struct call *call, struct groom *groom) {
    uint64_t total = 0;
    for (uint32_t s = 0; s < groom->info.strand_count; s++) {
        uint32_t count = groom->vertex_counts[s];
        if (count < 2 || count > PLAIT_MAX_STRAND_VERTICES)
            return fail(call, PLAIT_ERROR_INVALID_GROOM, "strand %u has %u vertices, not 2 to %u", s, count,
                        PLAIT_MAX_STRAND_VERTICES);
        total += count;
        // Packed arrays are indexed with 32 bits, up to 16 floats a vertex.
        if (total > UINT32_MAX / 32)
            return fail(call, PLAIT_ERROR_TOO_LARGE, "up to strand %u there are %llu vertices, more than %u", s,
                        (unsigned long long)total, UINT32_MAX / 32);
    }
    groom->info.vertex_count = (uint32_t)total;
    return PLAIT_OK;
}

static plait_result check_strand(const struct call *call, const plait_groom_desc *desc, uint32_t s, uint64_t first) {
    uint32_t count = desc->vertex_counts[s];
    const float *p = desc->positions + 3 * first;
    for (uint32_t v = 0; v < count; v++) {
        for (int c = 0; c < 3; c++)
            if (!is_finite(p[3 * v + c]) || fabsf(p[3 * v + c]) > 1e9f)
                return fail(call, PLAIT_ERROR_INVALID_GROOM,
                            "strand %u, vertex %u: position is not finite or too large", s, v);
        if (desc->radii &&
            (!is_finite(desc->radii[first + v]) || desc->radii[first + v] < 0 || desc->radii[first + v] > 1e6f))
            return fail(call, PLAIT_ERROR_INVALID_GROOM, "strand %u, vertex %u: radius is negative or not finite", s,
                        v);
        if (v == 0) continue;
        // A segment must be longer than the float32 spacing at its position.
        double3 a = d3_load(p + 3 * (v - 1)), b = d3_load(p + 3 * v);
        if (d3_length(d3_sub(b, a)) <= 1e-6 * (fabs(b.x) + fabs(b.y) + fabs(b.z)) + 1e-30)
            return fail(call, PLAIT_ERROR_INVALID_GROOM, "strand %u, vertex %u: the segment to it has length zero", s,
                        v);
    }
    if (desc->root_normals) {
        const float *n = desc->root_normals + 3 * (size_t)s;
        if (!is_finite(n[0]) || !is_finite(n[1]) || !is_finite(n[2]) || !(d3_length(d3_load(n)) > 1e-12))
            return fail(call, PLAIT_ERROR_INVALID_GROOM, "strand %u, vertex 0: root normal is zero or not finite", s);
    }
    if (desc->held_counts && (desc->held_counts[s] < 1 || desc->held_counts[s] > count))
        return fail(call, PLAIT_ERROR_INVALID_GROOM, "strand %u, vertex 0: %u vertices are held, not 1 to %u", s,
                    desc->held_counts[s], count);
    if (desc->group_indices) {
        uint32_t groups = desc->group_count ? desc->group_count : 1;
        if (desc->group_indices[s] >= groups)
            return fail(call, PLAIT_ERROR_INVALID_GROOM, "strand %u, vertex 0: group %u of %u", s,
                        desc->group_indices[s], groups);
    }
    const plait_root_binding *binding = &desc->root_bindings[s];
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        if (!is_finite(binding->weights[i]) || binding->weights[i] < 0)
            return fail(call, PLAIT_ERROR_INVALID_GROOM, "strand %u, vertex 0: weight %d is negative or not finite", s,
                        i);
        if (binding->weights[i] > 0 && binding->bones[i] >= desc->bone_count)
            return fail(call, PLAIT_ERROR_INVALID_GROOM, "strand %u, vertex 0: bone %u of %u", s, binding->bones[i],
                        desc->bone_count);
        sum += binding->weights[i];
    }
    if (!(sum > 1e-12)) return fail(call, PLAIT_ERROR_INVALID_GROOM, "strand %u, vertex 0: the weights sum to zero", s);
    return PLAIT_OK;
}

static plait_result check_groom(const struct call *call, const plait_groom_desc *desc) {
    uint64_t first = 0;
    for (uint32_t s = 0; s < desc->strand_count; s++) {
        plait_result result = check_strand(call, desc, s, first);
        if (result != PLAIT_OK) return result;
        first += desc->vertex_counts[s];
    }
    for (uint32_t b = 0; desc->bind_pose && b < desc->bone_count; b++) {
        plait_result result = check_bone(call, "desc.bind_pose", b, desc->bind_pose + 12 * (size_t)b);
        if (result != PLAIT_OK) return result;
    }
    return PLAIT_OK;
}

// ---- the copy ----

// Heaviest first, so that a groom that uses few bones a root needs few gathers. Returns how many have weight.
static uint32_t sort_binding(plait_root_binding *binding) {
    const plait_root_binding in = *binding;
    *binding = (plait_root_binding){{0, 0, 0, 0}, {0, 0, 0, 0}};
    double sum = 0;
    uint32_t count = 0;
    for (int i = 0; i < 4; i++) {
        sum += in.weights[i];
        if (in.weights[i] == 0) continue;
        uint32_t at = count++;
        while (at > 0 && binding->weights[at - 1] < in.weights[i]) {
            binding->weights[at] = binding->weights[at - 1];
            binding->bones[at] = binding->bones[at - 1];
            at--;
        }
        binding->weights[at] = in.weights[i];
        binding->bones[at] = in.bones[i];
    }
    for (int i = 0; i < 4; i++) binding->weights[i] = i < (int)count ? (float)(binding->weights[i] / sum) : 0.0f;
    return count;
}

static uint64_t groom_identity(const struct groom *groom) {
    const plait_groom_info *info = &groom->info;
    size_t strands = info->strand_count, vertices = info->vertex_count;
    uint64_t hash = HASH_START;
    hash = hash_bytes(hash, &info->strand_count, sizeof info->strand_count);
    hash = hash_bytes(hash, &info->bone_count, sizeof info->bone_count);
    hash = hash_bytes(hash, groom->vertex_counts, strands * sizeof *groom->vertex_counts);
    hash = hash_bytes(hash, groom->positions, vertices * 3 * sizeof(float));
    hash = hash_bytes(hash, groom->radii, vertices * sizeof(float));
    hash = hash_bytes(hash, groom->normals, strands * 3 * sizeof(float));
    hash = hash_bytes(hash, groom->bindings, strands * sizeof *groom->bindings);
    hash = hash_bytes(hash, groom->bind_pose, (size_t)info->bone_count * 12 * sizeof(float));
    hash = hash_bytes(hash, groom->group_indices, strands * sizeof *groom->group_indices);
    // Only where more than the root is held: other grooms keep the identity that is in saved states.
    for (size_t s = 0; s < strands; s++)
        if (groom->held_counts[s] > 1) {
            hash = hash_bytes(hash, &s, sizeof s);
            hash = hash_bytes(hash, &groom->held_counts[s], sizeof groom->held_counts[s]);
        }
    hash = hash_bytes(hash, groom->group_friction, (size_t)info->group_count * sizeof(float));
    return groom->mesh ? mesh_hash(groom->mesh, info->strand_count, hash) : hash;
}

static void destroy_groom(struct object *object) {
    struct groom *groom = (struct groom *)object;
    struct context *context = object->context;
    memory_release(context, groom->vertex_counts);
    memory_release(context, groom->first_vertex);
    memory_release(context, groom->positions);
    memory_release(context, groom->radii);
    memory_release(context, groom->normals);
    memory_release(context, groom->bindings);
    memory_release(context, groom->bind_pose);
    memory_release(context, groom->group_indices);
    memory_release(context, groom->held_counts);
    memory_release(context, groom->group_friction);
    memory_release(context, groom->group_radii);
    mesh_destroy(context, groom->mesh);
    memory_release(context, groom);
}

static bool allocate_groom(struct context *context, struct groom *groom) {
    size_t strands = groom->info.strand_count, vertices = groom->info.vertex_count;
    groom->first_vertex = memory_allocate(context, strands, sizeof *groom->first_vertex);
    groom->positions = memory_allocate(context, vertices, 3 * sizeof(float));
    groom->radii = memory_allocate(context, vertices, sizeof(float));
    groom->normals = memory_allocate(context, strands, 3 * sizeof(float));
    groom->bindings = memory_allocate(context, strands, sizeof *groom->bindings);
    groom->bind_pose = memory_allocate(context, groom->info.bone_count, 12 * sizeof(float));
    groom->group_indices = memory_allocate(context, strands, sizeof *groom->group_indices);
    groom->held_counts = memory_allocate(context, strands, sizeof *groom->held_counts);
    groom->group_friction = memory_allocate(context, groom->info.group_count, sizeof(float));
    groom->group_radii = memory_allocate(context, groom->info.group_count, sizeof(float));
    groom->info.memory_bytes =
        sizeof *groom +
        strands * (3 * sizeof(uint32_t) + 3 * sizeof(float) + sizeof *groom->bindings + sizeof(uint16_t)) +
        vertices * 4 * sizeof(float) + groom->info.bone_count * 12 * sizeof(float) +
        groom->info.group_count * 2 * sizeof(float);
    return groom->first_vertex && groom->positions && groom->radii && groom->normals && groom->bindings &&
           groom->bind_pose && groom->group_indices && groom->held_counts && groom->group_friction &&
           groom->group_radii;
}

static plait_result copy_groups(const struct call *call, const plait_groom_desc *desc, struct groom *groom) {
    static const struct float_range ranges[] = {FLOAT_RANGE(plait_group_desc, radius, 0, 1e6f),
                                                FLOAT_RANGE(plait_group_desc, friction, 0, 1e6f)};
    for (uint32_t g = 0; g < groom->info.group_count; g++) {
        plait_group_desc group = PLAIT_GROUP_DESC_INIT;
        plait_result result = PLAIT_OK;
        if (desc->groups)
            result =
                struct_read_element(call, "desc.groups", desc->groups, g, PLAIT_TYPE_GROUP_DESC, &group, sizeof group);
        if (result == PLAIT_OK)
            result = struct_check_floats(call, "desc.groups", g, &group, ranges, ARRAY_LENGTH(ranges));
        if (result != PLAIT_OK) return result;
        groom->group_radii[g] = group.radius;
        groom->group_friction[g] = group.friction;
    }
    return PLAIT_OK;
}

// Copies each array once, unchanged; desc then points to the copies. Null arrays stay null, except root bindings, which are
// also made from root_bones or from neither.
static void copy_arrays(plait_groom_desc *desc, struct groom *groom) {
    size_t strands = groom->info.strand_count, vertices = groom->info.vertex_count;
    const struct {
        const void *from;
        void *to;
        size_t size;
    } arrays[] = {
        {desc->positions, groom->positions, vertices * 3 * sizeof(float)},
        {desc->radii, groom->radii, vertices * sizeof(float)},
        {desc->root_normals, groom->normals, strands * 3 * sizeof(float)},
        {desc->root_bindings, groom->bindings, strands * sizeof *groom->bindings},
        {desc->bind_pose, groom->bind_pose, (size_t)groom->info.bone_count * 12 * sizeof(float)},
        {desc->group_indices, groom->group_indices, strands * sizeof *groom->group_indices},
        {desc->held_counts, groom->held_counts, strands * sizeof *groom->held_counts},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(arrays); i++)
        if (arrays[i].from) memcpy(arrays[i].to, arrays[i].from, arrays[i].size);
    for (size_t s = 0; s < strands && !desc->root_bindings; s++)
        groom->bindings[s] = (plait_root_binding){{desc->root_bones ? desc->root_bones[s] : 0, 0, 0, 0}, {1, 0, 0, 0}};
    desc->vertex_counts = groom->vertex_counts;
    desc->positions = groom->positions;
    desc->radii = desc->radii ? groom->radii : NULL;
    desc->root_normals = desc->root_normals ? groom->normals : NULL;
    desc->root_bones = NULL;
    desc->root_bindings = groom->bindings;
    desc->bind_pose = desc->bind_pose ? groom->bind_pose : NULL;
    desc->group_indices = desc->group_indices ? groom->group_indices : NULL;
    desc->held_counts = desc->held_counts ? groom->held_counts : NULL;
    desc->groups = NULL;
}

// What is derived from the checked arrays of a strand, and the defaults for those that are null.
static void finish_strand(const plait_groom_desc *desc, struct groom *groom, uint32_t s, uint32_t first) {
    uint32_t count = groom->vertex_counts[s];
    groom->first_vertex[s] = first;
    if (count > groom->info.max_vertex_count) groom->info.max_vertex_count = count;
    if (!desc->held_counts) groom->held_counts[s] = 1;
    float group_radius = groom->group_radii[groom->group_indices[s]];
    const float *p = groom->positions + 3 * (size_t)first;
    for (uint32_t v = 0; v < count; v++) {
        if (!desc->radii) groom->radii[first + v] = group_radius > 0 ? group_radius : -1;
        for (int c = 0; c < 3; c++) {
            float value = p[3 * v + c];
            if ((s == 0 && v == 0) || value < groom->info.bounds_min[c]) groom->info.bounds_min[c] = value;
            if ((s == 0 && v == 0) || value > groom->info.bounds_max[c]) groom->info.bounds_max[c] = value;
        }
    }
    float *n = groom->normals + 3 * (size_t)s;
    double3 normal = d3_unit(desc->root_normals ? d3_load(n) : d3_sub(d3_load(p + 3), d3_load(p)));
    n[0] = (float)normal.x;
    n[1] = (float)normal.y;
    n[2] = (float)normal.z;
    uint32_t influences = sort_binding(&groom->bindings[s]);
    if (influences > groom->influences) groom->influences = influences;
}

// The first vertex at which the strand turns back by more than 150 degrees, or 0. Such a strand is seldom meant.
static uint32_t find_fold(const float *p, uint32_t count) {
    double3 last = d3_sub(d3_load(p + 3), d3_load(p));
    for (uint32_t v = 1; v + 1 < count; v++) {
        double3 next = d3_sub(d3_load(p + 3 * v + 3), d3_load(p + 3 * v));
        double along = d3_dot(last, next);
        if (along < 0 && along * along > FOLD_COSINE_SQUARED * d3_dot(last, last) * d3_dot(next, next)) return v;
        last = next;
    }
    return 0;
}

static void report_folds(const struct call *call, const struct groom *groom) {
    uint32_t folded = 0, first_strand = 0, first_vertex = 0;
    for (uint32_t s = 0; s < groom->info.strand_count; s++) {
        uint32_t v = find_fold(groom->positions + 3 * (size_t)groom->first_vertex[s], groom->vertex_counts[s]);
        if (v && !folded) first_strand = s, first_vertex = v;
        folded += v != 0;
    }
    if (folded)
        message(call->context, PLAIT_LOG_WARNING, PLAIT_MESSAGE_STRANDS_FOLD,
                "%s: %u of %u strands turn back by more than 150 degrees, the first is strand %u at vertex %u",
                call->function, folded, groom->info.strand_count, first_strand, first_vertex);
}

static void finish_groom(const struct call *call, const plait_groom_desc *desc, struct groom *groom) {
    for (uint32_t b = 0; b < groom->info.bone_count && !desc->bind_pose; b++) {
        static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        memcpy(groom->bind_pose + 12 * (size_t)b, identity, sizeof identity);
    }
    uint32_t first = 0, scaled = 0;
    for (uint32_t s = 0; s < groom->info.strand_count; s++) {
        const float *w = groom->bindings[s].weights;
        scaled += fabsf(w[0] + w[1] + w[2] + w[3] - 1) > 1e-3f;
        finish_strand(desc, groom, s, first);
        first += groom->vertex_counts[s];
    }
    if (scaled)
        message(call->context, PLAIT_LOG_DEBUG, PLAIT_MESSAGE_WEIGHTS_SCALED,
                "%s: the root weights of %u strands did not sum to one and were normalised", call->function, scaled);
    report_folds(call, groom);
}

// mesh: null for roots on bones.
static plait_result fill_groom(struct call *call, plait_groom_desc *desc, const plait_groom_mesh_desc *mesh,
                               struct groom *groom) {
    size_t strands = desc->strand_count;
    groom->influences = 1;
    groom->info.strand_count = desc->strand_count;
    groom->info.bone_count = desc->bone_count;
    groom->info.group_count = desc->group_count ? desc->group_count : 1;
    groom->vertex_counts = memory_allocate(call->context, strands, sizeof *groom->vertex_counts);
    if (!groom->vertex_counts) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for %zu strands", strands);
    memcpy(groom->vertex_counts, desc->vertex_counts, strands * sizeof *groom->vertex_counts);
    plait_result result = count_vertices(call, groom);
    if (result != PLAIT_OK) return result;
    if (!allocate_groom(call->context, groom))
        return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for %zu strands", strands);
    result = copy_groups(call, desc, groom);
    if (result != PLAIT_OK) return result;
    copy_arrays(desc, groom);
    result = check_groom(call, desc);
    if (result == PLAIT_OK) finish_groom(call, desc, groom);
    if (result == PLAIT_OK && mesh) result = mesh_create(call, mesh, groom);
    if (result != PLAIT_OK) return result;
    if (mesh) groom->info.memory_bytes += mesh_bytes(groom->mesh, desc->strand_count);
    groom->info.identity = groom_identity(groom);
    return PLAIT_OK;
}

static plait_result create_groom(struct call *call, const plait_groom_desc *desc_in, plait_groom *handle) {
    plait_groom_desc desc;
    plait_groom_mesh_desc mesh;
    struct extension extensions[] = {{PLAIT_TYPE_GROOM_MESH_DESC, sizeof mesh, &mesh, false}};
    plait_result result = struct_read(call, "desc", desc_in, PLAIT_TYPE_GROOM_DESC, &desc, sizeof desc, extensions,
                                      ARRAY_LENGTH(extensions));
    if (result == PLAIT_OK) result = check_desc(call, &desc);
    if (result != PLAIT_OK) return result;
    struct groom *groom = memory_allocate(call->context, 1, sizeof *groom);
    if (!groom) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the groom");
    groom->object.context = call->context;
    groom->object.destroy = destroy_groom;
    result = fill_groom(call, &desc, extensions[0].found ? &mesh : NULL, groom);
    if (result == PLAIT_OK) result = object_publish(call, &groom->object, OBJECT_GROOM, &handle->id);
    if (result != PLAIT_OK) destroy_groom(&groom->object);
    return result;
}

plait_result groom_check_unit(const struct call *call, const struct groom *groom, double meters_per_unit) {
    for (uint32_t s = 0; s < groom->info.strand_count; s++) {
        const float *p = groom->positions + 3 * (size_t)groom->first_vertex[s];
        for (uint32_t v = 1; v < groom->vertex_counts[s]; v++) {
            double length = meters_per_unit * d3_length(d3_sub(d3_load(p + 3 * v), d3_load(p + 3 * v - 3)));
            if (length < MIN_SEGMENT_M)
                return fail(call, PLAIT_ERROR_INVALID_GROOM,
                            "strand %u, vertex %u: the segment to it is %g m long, less than 1e-8", s, v, length);
        }
    }
    return PLAIT_OK;
}

plait_result PLAIT_CALL plait_groom_create(plait_context context, const plait_groom_desc *desc, plait_groom *handle) {
    if (handle) handle->id = 0;
    struct call call = {.function = __func__};
    plait_result result = call_enter_context(&call, context);
    if (result != PLAIT_OK) return result;
    if (!handle)
        result = fail(&call, PLAIT_ERROR_INVALID_ARGUMENT, "groom is null");
    else
        result = create_groom(&call, desc, handle);
    call_leave(&call);
    return result;
}

plait_result PLAIT_CALL plait_groom_destroy(plait_groom handle) {
    struct call call = {.function = __func__};
    return object_retire(&call, handle.id, OBJECT_GROOM);
}

plait_result PLAIT_CALL plait_groom_query(plait_groom handle, plait_groom_info *info) {
    struct call call = {.function = __func__};
    struct object *object;
    plait_result result = call_enter(&call, handle.id, OBJECT_GROOM, false, &object);
    if (result != PLAIT_OK) return result;
    result = struct_check_info(&call, "info", info, PLAIT_TYPE_GROOM_INFO);
    if (result == PLAIT_OK) struct_write(info, &((struct groom *)object)->info, sizeof *info);
    call_leave_object(&call, object, false);
    return result;
}
