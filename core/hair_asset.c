// The asset as a hair's device wants it: bindings, strand table and rest shape, packed.
#include "hair.h"

double3 hair_root_side(const struct groom *groom, uint32_t strand) {
    return d3_across(d3_load(groom->normals + 3 * (size_t)strand));
}

static plait_result pack_bindings(struct call *call, struct hair *hair) {
    const struct groom *groom = hair->groom;
    const struct packing *packing = &hair->on.packing;
    size_t packs = packing->pack_count, width = packing->width;
    float *bind = memory_allocate(call->context, packs * BIND_ROWS * width, sizeof(float));
    uint32_t *bones = memory_allocate(call->context, packs * BIND_BONE_ROWS * width, sizeof(uint32_t));
    uint32_t *strands = memory_allocate(call->context, packs * STRAND_UINT_ROWS * width, sizeof(uint32_t));
    plait_result result = PLAIT_ERROR_OUT_OF_MEMORY;
    if (bind && bones && strands) {
        for (size_t slot = 0; slot < packs * width; slot++) {
            size_t pack = slot / width, lane = slot % width;
            uint32_t s = packing->strands[slot];
            uint32_t like = s == NO_STRAND ? packing->strands[0] : s; // empty lanes copy a strand's root
            double3 p =
                d3_mul(d3_load(groom->positions + 3 * (size_t)groom->first_vertex[like]), hair->pose.meters_per_unit);
            double3 side = hair_root_side(groom, like), normal = d3_load(groom->normals + 3 * (size_t)like);
            const plait_root_binding *binding = &groom->bindings[like];
            double values[BIND_ROWS] = {p.x,
                                        p.y,
                                        p.z,
                                        side.x,
                                        side.y,
                                        side.z,
                                        normal.x,
                                        normal.y,
                                        normal.z,
                                        binding->weights[0],
                                        binding->weights[1],
                                        binding->weights[2],
                                        binding->weights[3]};
            for (size_t r = 0; r < BIND_ROWS; r++) bind[(pack * BIND_ROWS + r) * width + lane] = (float)values[r];
            for (size_t i = 0; i < 4; i++) bones[(pack * BIND_BONE_ROWS + i) * width + lane] = binding->bones[i];
            uint32_t *row = strands + pack * STRAND_UINT_ROWS * width + lane;
            row[STRAND_VERTICES * width] = s == NO_STRAND ? 0 : groom->vertex_counts[s];
            row[STRAND_OUTPUT * width] = s == NO_STRAND ? 0 : groom->first_vertex[s];
        }
        result = hair_make_data(call, hair, SET_HAIR, HAIR_BIND, packs * BIND_ROWS * width * sizeof(float), bind);
        if (result == PLAIT_OK)
            result = hair_make_data(call, hair, SET_HAIR, HAIR_BIND_BONES,
                                    packs * BIND_BONE_ROWS * width * sizeof(uint32_t), bones);
        if (result == PLAIT_OK)
            result = hair_make_data(call, hair, SET_HAIR, HAIR_STRANDS,
                                    packs * STRAND_UINT_ROWS * width * sizeof(uint32_t), strands);
    }
    memory_release(call->context, bind);
    memory_release(call->context, bones);
    memory_release(call->context, strands);
    return result;
}

// Rest directions in the frames of physics/strand_shape.h, in double precision.
static void pack_rest_strand(const struct hair *hair, uint32_t slot, uint32_t strand, float *targets) {
    const struct groom *groom = hair->groom;
    const float *p = groom->positions + 3 * (size_t)groom->first_vertex[strand];
    double3 side = hair_root_side(groom, strand);
    double3 tangent = d3_load(groom->normals + 3 * (size_t)strand);
    for (uint32_t v = 1; v < groom->vertex_counts[strand]; v++) {
        double3 segment = d3_sub(d3_load(p + 3 * v), d3_load(p + 3 * (v - 1)));
        double length = d3_length(segment);
        double3 direction = d3_mul(segment, 1 / length), third = d3_cross(side, tangent);
        double values[TARGET_ROWS] = {d3_dot(direction, side), d3_dot(direction, tangent), d3_dot(direction, third),
                                      length * hair->pose.meters_per_unit};
        for (uint32_t r = 0; r < TARGET_ROWS; r++)
            targets[packed_index(&hair->on.packing, slot, v, TARGET_ROWS, r)] = (float)values[r];
        double3 middle = d3_add(tangent, direction);
        side = d3_sub(side, d3_mul(middle, 2 * d3_dot(side, middle) / fmax(d3_dot(middle, middle), 1e-30)));
        tangent = direction;
    }
}

static plait_result pack_rest(struct call *call, struct hair *hair) {
    const struct groom *groom = hair->groom;
    const struct packing *packing = &hair->on.packing;
    size_t rows = packing->row_count, width = packing->width;
    float default_radius = (float)(DEFAULT_RADIUS_M / hair->pose.meters_per_unit);
    float *targets = memory_allocate(call->context, rows * TARGET_ROWS * width, sizeof(float));
    float *radii = memory_allocate(call->context, rows * width, sizeof(float));
    plait_result result = PLAIT_ERROR_OUT_OF_MEMORY;
    if (targets && radii) {
        for (uint32_t slot = 0; slot < packing->pack_count * packing->width; slot++) {
            uint32_t vertices = packing->table[slot / packing->width * PACK_UINTS + PACK_VERTICES];
            for (uint32_t v = 0; v < vertices; v++) // padding points straight on, with length zero
                targets[packed_index(packing, slot, v, TARGET_ROWS, TARGET_DIRECTION + 1)] = 1;
            uint32_t s = packing->strands[slot];
            if (s == NO_STRAND) continue;
            pack_rest_strand(hair, slot, s, targets);
            for (uint32_t v = 0; v < groom->vertex_counts[s]; v++) {
                float radius = groom->radii[groom->first_vertex[s] + v];
                radii[packed_index(packing, slot, v, 1, 0)] = radius < 0 ? default_radius : radius;
            }
        }
        result =
            hair_make_data(call, hair, SET_HAIR, HAIR_TARGETS, rows * TARGET_ROWS * width * sizeof(float), targets);
        if (result == PLAIT_OK)
            result = hair_make_data(call, hair, SET_HAIR, HAIR_RADII, rows * width * sizeof(float), radii);
    }
    memory_release(call->context, targets);
    memory_release(call->context, radii);
    return result;
}

plait_result hair_pack_asset(struct call *call, struct hair *hair) {
    plait_result result = pack_bindings(call, hair);
    if (result == PLAIT_OK) result = pack_rest(call, hair);
    if (result == PLAIT_OK) result = hair_mesh_pack(call, hair);
    return result;
}
