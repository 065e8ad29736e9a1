// Hair whose roots are on a mesh: where its vertices are, as the host hands them in, and what the device has of it.
#include "hair.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

bool hair_mesh_create(struct context *context, struct hair *hair) {
    const struct mesh *mesh = hair->groom->mesh;
    struct mesh_pose *pose = &hair->mesh;
    if (!mesh) return true;
    pose->given = memory_allocate(context, mesh->used_count, 3 * sizeof *pose->given);
    pose->current = memory_allocate(context, mesh->used_count, 3 * sizeof *pose->current);
    pose->next = memory_allocate(context, mesh->used_count, 3 * sizeof *pose->next);
    pose->upload = memory_allocate(context, mesh->used_count, 3 * sizeof *pose->upload);
    if (!pose->given || !pose->current || !pose->next || !pose->upload) return false;
    memcpy(pose->given, mesh->rest, (size_t)mesh->used_count * 3 * sizeof *pose->given);
    pose->is_given = true;
    return true;
}

void hair_mesh_destroy(struct context *context, struct hair *hair) {
    memory_release(context, hair->mesh.given);
    memory_release(context, hair->mesh.current);
    memory_release(context, hair->mesh.next);
    memory_release(context, hair->mesh.upload);
}

// ---- what the host hands in ----

plait_result hair_mesh_read(const struct call *call, const char *argument, struct hair *hair,
                            const plait_mesh_pose_desc *desc) {
    const struct mesh *mesh = hair->groom->mesh;
    char name[FRAME_NAME_SIZE + 16];
    hair->mesh.is_given = hair->mesh.is_input = false;
    if (!desc) return PLAIT_OK;
    snprintf(name, sizeof name, "%s%smesh", argument, *argument ? ": " : "");
    if (!mesh)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "%s: there is a plait_mesh_pose_desc, but the groom is on none",
                    name);
    if (!desc->positions && hair->mesh_input.count) {
        hair->mesh.is_input = true;
        return PLAIT_OK;
    }
    if (desc->vertex_count < mesh->vertex_count)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "%s.vertex_count is %u, the groom's mesh has %u vertices", name,
                    desc->vertex_count, mesh->vertex_count);
    uint64_t stride = mesh_stride(call, name, desc->format, desc->stride, desc->positions);
    if (stride == 0) return PLAIT_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < mesh->used_count; i++) {
        float *p = hair->mesh.given + 3 * (size_t)i; // nobody reads it but hair_mesh_take, after a check without errors
        memcpy(p, (const char *)desc->positions + mesh->used[i] * stride, 3 * sizeof *p);
        for (int c = 0; c < 3; c++)
            if (!is_finite(p[c]) || fabsf(p[c]) > 1e9f)
                return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "%s.positions: vertex %u is not finite or too large",
                            name, mesh->used[i]);
    }
    hair->mesh.is_given = true;
    return PLAIT_OK;
}

// Axes of a triangle; false if it is next to none.
static bool triangle_axes(const double *positions, const uint32_t corners[3], double3 axes[3]) {
    double3 p[3];
    for (int i = 0; i < 3; i++)
        p[i] = d3(positions[3 * (size_t)corners[i]], positions[3 * (size_t)corners[i] + 1],
                  positions[3 * (size_t)corners[i] + 2]);
    double3 edge = d3_sub(p[1], p[0]), normal = d3_cross(edge, d3_sub(p[2], p[0]));
    if (!(d3_length(edge) > 1e-12) || !(d3_length(normal) > 1e-18)) return false;
    axes[0] = d3_unit(edge);
    axes[2] = d3_unit(normal);
    axes[1] = d3_cross(axes[2], axes[0]);
    return true;
}

// Whether a vertex went farther, or a triangle turned more, than allowed.
static bool is_beyond(const struct hair *hair, double farthest) {
    const struct mesh *mesh = hair->groom->mesh;
    if (hair->teleport_distance_m > 0 && farthest > hair->teleport_distance_m) return true;
    for (uint32_t s = 0; s < hair->info.strand_count && hair->teleport_half_angle_cosine >= 0; s++) {
        const uint32_t *corners = mesh->corners + 3 * (size_t)s;
        double3 from[3], to[3];
        if (!triangle_axes(hair->mesh.current, corners, from) || !triangle_axes(hair->mesh.next, corners, to)) continue;
        double trace = d3_dot(from[0], to[0]) + d3_dot(from[1], to[1]) + d3_dot(from[2], to[2]);
        if (0.5 * sqrt(fmax(trace + 1, 0)) < hair->teleport_half_angle_cosine) return true;
    }
    return false;
}

struct mesh_change hair_mesh_take(struct hair *hair) {
    const struct mesh *mesh = hair->groom->mesh;
    struct mesh_pose *m = &hair->mesh;
    struct pose *pose = &hair->pose;
    struct mesh_change change = {false, false};
    m->moving = m->is_input;
    if (m->is_input) { // nobody here knows where they are: bones tell where the hair is
        m->is_known = pose->follows_point = false;
        change.moved = true;
    }
    if (!mesh || !m->is_given) return change;
    pose->follows_point = true;
    double farthest = 0, sum[3] = {0};
    bool same_origin = memcmp(m->origin, pose->host_origin, sizeof m->origin) == 0;
    for (size_t i = 0; i < 3 * (size_t)mesh->used_count; i += 3) {
        double way = 0;
        for (size_t c = 0; c < 3; c++) {
            double given = m->given[i + c] * pose->meters_per_unit;
            m->next[i + c] = given - (pose->origin[c] - pose->host_origin[c]);
            sum[c] += m->next[i + c];
            double difference = fabs(m->next[i + c] - m->current[i + c]);
            way += difference * difference;
            // From another origin, what does not move differs by the rounding of both.
            double rounding =
                same_origin ? 0 : FLT_EPSILON * (fabs(given) + fabs(given - (m->origin[c] - pose->host_origin[c])));
            if (difference > rounding + (same_origin ? 0 : 1e-12 * fabs(pose->origin[c]))) change.moved = true;
        }
        farthest = fmax(farthest, way);
    }
    change.moved = change.moved || !m->is_known;
    change.beyond = m->is_known && change.moved && is_beyond(hair, sqrt(farthest));
    double *kept = m->current;
    m->current = m->next;
    m->next = kept;
    memcpy(m->origin, pose->host_origin, sizeof m->origin);
    m->moving = m->is_known = true;
    pose->point = d3(sum[0] / mesh->used_count, sum[1] / mesh->used_count, sum[2] / mesh->used_count);
    return change;
}

void hair_mesh_shift(struct hair *hair, const double way[3]) {
    for (size_t i = 0; hair->mesh.is_known && i < 3 * (size_t)hair->groom->mesh->used_count; i++)
        hair->mesh.current[i] -= way[i % 3];
}

// ---- the device ----

plait_result hair_mesh_run(struct call *call, struct hair *hair) {
    struct mesh_pose *m = &hair->mesh;
    size_t count = 3 * (size_t)hair->groom->mesh->used_count;
    m->step_is_current = false;
    if (m->is_input) {
        float values[FRAME_FLOATS] = {0};
        values[FRAME_ROOTS] = (float)hair->pose.meters_per_unit;
        for (int c = 0; c < 3; c++) values[FRAME_SHIFT + c] = (float)(hair->pose.origin[c] - hair->pose.host_origin[c]);
        hair_write(hair, HAIR_FRAME, values, sizeof values);
        return hair_run(call, hair, PLAN_MESH_INPUT);
    }
    for (size_t i = 0; i < count; i++) m->upload[i] = (float)m->current[i];
    hair_write(hair, HAIR_MESH_VERTICES, m->upload, count * sizeof *m->upload);
    return hair_run(call, hair, PLAN_MESH);
}

void hair_mesh_stages(struct hair *hair, struct stage_list *list) {
    struct buffer *b = hair->on.buffers;
    if (!hair->groom->mesh) return;
    stage_add(list, (struct stage){.kernel = KERNEL_mesh_roots,
                                   .buffers.mesh_roots = {.bind = &b[HAIR_MESH_BIND],
                                                          .corners = &b[HAIR_MESH_CORNERS],
                                                          .vertices = &b[HAIR_MESH_VERTICES],
                                                          .from = &b[HAIR_ROOTS_FROM],
                                                          .to = &b[HAIR_ROOTS_TO]}});
}

void hair_mesh_input_stages(struct hair *hair, struct stage_list *list) {
    struct buffer *b = hair->on.buffers;
    const struct attribute *a = &hair->mesh_input.attributes[0];
    stage_add(list,
              (struct stage){.kernel = KERNEL_mesh_input,
                             .buffers.mesh_input = {.bind = &b[HAIR_MESH_BIND],
                                                    .corners = &b[HAIR_MESH_INPUT_CORNERS],
                                                    .frame = &b[HAIR_FRAME],
                                                    .from = &b[HAIR_ROOTS_FROM],
                                                    .to = &b[HAIR_ROOTS_TO],
                                                    .memory = &hair->mesh_input.memory},
                             .values.mesh_input = {.offset = (uint32_t)a->offset, .stride = (uint32_t)a->stride}});
}

// A root in the axes of its triangle at rest: what mesh_roots needs of it.
static void bind_root(const struct hair *hair, uint32_t strand, float values[MESH_ROWS], float frame[ROOT_ROWS]) {
    const struct groom *groom = hair->groom;
    const struct mesh *mesh = groom->mesh;
    double unit = hair->pose.meters_per_unit;
    double3 p[3], at = d3(0, 0, 0), root = d3_load(groom->positions + 3 * (size_t)groom->first_vertex[strand]);
    const float *weights = mesh->weights + 3 * (size_t)strand;
    for (size_t i = 0; i < 3; i++) {
        p[i] = d3_mul(d3_load(mesh->rest + 3 * (size_t)mesh->corners[3 * (size_t)strand + i]), unit);
        at = d3_add(at, d3_mul(p[i], weights[i]));
    }
    root = d3_mul(root, unit);
    double3 edge1 = d3_sub(p[1], p[0]), edge2 = d3_sub(p[2], p[0]), normal = d3_unit(d3_cross(edge1, edge2));
    double length = d3_length(edge1), height = d3_length(d3_cross(edge1, edge2)) / length;
    double3 along = d3_mul(edge1, 1 / length), beside = d3_cross(normal, along);
    double3 side = hair_root_side(groom, strand), tangent = d3_load(groom->normals + 3 * (size_t)strand);
    double3 off = d3_sub(root, at);
    double v[MESH_ROWS] = {weights[1],
                           weights[2],
                           d3_dot(off, side),
                           d3_dot(off, tangent),
                           d3_dot(off, d3_cross(side, tangent)),
                           d3_dot(side, along),
                           d3_dot(side, beside),
                           d3_dot(side, normal),
                           d3_dot(tangent, along),
                           d3_dot(tangent, beside),
                           d3_dot(tangent, normal),
                           1 / length,
                           1 / height,
                           d3_dot(edge2, along) / (length * height)};
    double f[ROOT_ROWS] = {root.x, root.y, root.z, side.x, side.y, side.z, tangent.x, tangent.y, tangent.z, 1};
    for (uint32_t r = 0; r < MESH_ROWS; r++) values[r] = (float)v[r];
    for (uint32_t r = 0; r < ROOT_ROWS; r++) frame[r] = (float)f[r];
}

// Roots begin as drawn, so that a triangle that never had a direction has that.
plait_result hair_mesh_pack(struct call *call, struct hair *hair) {
    const struct mesh *mesh = hair->groom->mesh;
    const struct packing *packing = &hair->on.packing;
    size_t packs = packing->pack_count, width = packing->width;
    if (!mesh) return PLAIT_OK;
    float *bind = memory_allocate(call->context, packs * MESH_ROWS * width, sizeof(float));
    float *roots = memory_allocate(call->context, packs * ROOT_ROWS * width, sizeof(float));
    uint32_t *corners = memory_allocate(call->context, packs * MESH_CORNER_ROWS * width, sizeof(uint32_t));
    uint32_t *numbers = memory_allocate(call->context, packs * MESH_CORNER_ROWS * width, sizeof(uint32_t));
    plait_result result = bind && roots && corners && numbers ? PLAIT_OK : PLAIT_ERROR_OUT_OF_MEMORY;
    for (size_t slot = 0; slot < packs * width && result == PLAIT_OK; slot++) {
        size_t pack = slot / width, lane = slot % width;
        uint32_t s = packing->strands[slot];
        if (s == NO_STRAND) s = packing->strands[0]; // empty lanes copy a strand's root
        float values[MESH_ROWS], frame[ROOT_ROWS];
        bind_root(hair, s, values, frame);
        for (size_t r = 0; r < MESH_ROWS; r++) bind[(pack * MESH_ROWS + r) * width + lane] = values[r];
        for (size_t r = 0; r < ROOT_ROWS; r++) roots[(pack * ROOT_ROWS + r) * width + lane] = frame[r];
        for (size_t i = 0; i < 3; i++) {
            uint32_t corner = mesh->corners[3 * (size_t)s + i];
            corners[(pack * MESH_CORNER_ROWS + i) * width + lane] = corner;
            numbers[(pack * MESH_CORNER_ROWS + i) * width + lane] = mesh->used[corner];
        }
    }
    const struct {
        enum hair_data data;
        uint64_t size;
        const void *content;
    } all[] = {{HAIR_MESH_BIND, packs * MESH_ROWS * width * sizeof(float), bind},
               {HAIR_MESH_CORNERS, packs * MESH_CORNER_ROWS * width * sizeof(uint32_t), corners},
               {HAIR_MESH_INPUT_CORNERS, packs * MESH_CORNER_ROWS * width * sizeof(uint32_t), numbers},
               {HAIR_MESH_VERTICES, (uint64_t)mesh->used_count * 3 * sizeof(float), NULL},
               {HAIR_ROOTS_FROM, packs * ROOT_ROWS * width * sizeof(float), roots},
               {HAIR_ROOTS_TO, packs * ROOT_ROWS * width * sizeof(float), roots}};
    for (size_t i = 0; i < ARRAY_LENGTH(all) && result == PLAIT_OK; i++)
        result = hair_make_data(call, hair, SET_HAIR, all[i].data, all[i].size, all[i].content);
    memory_release(call->context, bind);
    memory_release(call->context, roots);
    memory_release(call->context, corners);
    memory_release(call->context, numbers);
    return result;
}
