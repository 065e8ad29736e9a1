// Solver `shape`: parameters to per-strand constants, and its one stage. The physics is in kernels/shape.h.
#include "hair.h"
#include "structs.h"

#include <string.h>

// In steps that are shorter, velocities follow the constraints over this time; see kernels/shape.h.
static const double RESPONSE_S = 1.0 / 240;

enum shape_data { SHAPE_CONSTANTS, SHAPE_DATA_COUNT };

static const struct data_decl decls[SHAPE_DATA_COUNT] = {
    [SHAPE_CONSTANTS] = {.name = "constants", .per = PER_STRAND, .rows = SHAPE_ROWS, .role = DATA_CONSTANT},
};

static void default_params(void *params, double meters_per_unit) {
    (void)meters_per_unit;
    *(plait_shape_params *)params = (plait_shape_params){
        {PLAIT_TYPE_SHAPE_PARAMS, sizeof(plait_shape_params), NULL}, 1e-2f, 2e-2f, 0.3f, 2.0f, 2.0f, 0.9f, 0.0f, 0};
}

extern const struct solver shape_solver; // in solver_list.h

plait_result PLAIT_CALL plait_shape_params_default(float meters_per_unit, plait_shape_params *params) {
    plait_shape_params values;
    return solver_default_params(&shape_solver, __func__, meters_per_unit, params, &values);
}

static const struct float_range ranges[] = {
#define RANGE(field, low, high) FLOAT_RANGE(plait_shape_params, field, low, high)
    RANGE(compliance_root_s2, 0, 1e6f), RANGE(compliance_tip_s2, 0, 1e6f), RANGE(shape_damping, 0, 1e3f),
    RANGE(drag_per_s, 0, 1e6f),         RANGE(damping_per_s, 0, 1e6f),     RANGE(velocity_correction, 0, 1),
    RANGE(collision_radius, 0, 1e6f),
#undef RANGE
};

static plait_result check_params(const struct call *call, void *params, uint32_t index) {
    plait_shape_params *p = params;
    if (p->reserved != 0) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "params[%u].reserved is not 0", index);
    return struct_check_floats(call, "params", index, p, ranges, ARRAY_LENGTH(ranges));
}

static void strand_constants(const struct hair *hair, uint32_t strand, double out[SHAPE_ROWS]) {
    const struct groom *groom = hair->groom;
    uint32_t group = groom->group_indices[strand], vertices = groom->vertex_counts[strand];
    const plait_shape_params *p = (const plait_shape_params *)hair->params + group;
    double step = hair->clock.step_s, unit = hair->pose.meters_per_unit;
    const float *v = groom->positions + 3 * (size_t)groom->first_vertex[strand];
    double length = 0, longest = 0;
    for (uint32_t i = 1; i < vertices; i++) {
        double segment = unit * d3_length(d3_sub(d3_load(v + 3 * i), d3_load(v + 3 * i - 3)));
        length += segment;
        if (segment > longest) longest = segment;
    }
    float radius = groom->radii[groom->first_vertex[strand]];
    // Constraints act on velocities over RESPONSE_S: a step brings a share, of a force that is greater in turn.
    double share = fmin(1, step / RESPONSE_S);
    // The compliance is that of the whole strand, so that resolution does not change it.
    double unit_softness = share / (length * length * step * step);
    double root = p->compliance_root_s2 * unit_softness, tip = p->compliance_tip_s2 * unit_softness;
    double keep = 1 / (1 + step * ((double)p->drag_per_s + p->damping_per_s));
    out[SHAPE_SOFTNESS] = root;
    out[SHAPE_SOFTNESS_STEP] = vertices > 2 ? (tip - root) / (vertices - 2) : 0;
    out[SHAPE_KEEP] = keep;
    out[SHAPE_WIND_GAIN] = step * p->drag_per_s;
    out[SHAPE_ROOT_GAIN] = step * p->damping_per_s;
    out[SHAPE_CORRECTION] = p->velocity_correction * share / step;
    out[SHAPE_LAG] = 1 - share;
    out[SHAPE_RATE] = share / step;
    out[SHAPE_RADIUS] = (radius < 0 ? DEFAULT_RADIUS_M : radius * unit) + p->collision_radius * unit;
    out[SHAPE_FRICTION] = groom->group_friction[group];
    out[SHAPE_LENGTH] = length;
    out[SHAPE_RUN_LENGTH] = CONTACT_RUN * longest;
    // A damping time in units of 1 / (angular frequency).
    out[SHAPE_DAMPING] = p->shape_damping * sqrt(0.5 * ((double)p->compliance_root_s2 + p->compliance_tip_s2)) / step;
    out[SHAPE_LENGTH_INVERSE] = 1 / length;
}

static plait_result update(struct call *call, struct hair *hair) {
    const struct packing *packing = &hair->on.packing;
    float *values = hair->on.solver_data;
    size_t width = packing->width;
    for (size_t slot = 0; slot < packing->pack_count * width; slot++) {
        double constants[SHAPE_ROWS] = {0};
        if (packing->strands[slot] != NO_STRAND) strand_constants(hair, packing->strands[slot], constants);
        for (size_t r = 0; r < SHAPE_ROWS; r++)
            values[(slot / width * SHAPE_ROWS + r) * width + slot % width] = (float)constants[r];
    }
    struct buffer *buffer = &hair->on.sets[SET_SOLVER].buffers[SHAPE_CONSTANTS];
    plait_result result = hair->on.device->ops->buffer_write(buffer, 0, values, buffer->size);
    if (result != PLAIT_OK) return fail(call, result, "the device could not take the parameters");
    return PLAIT_OK;
}

static plait_result create(struct call *call, struct hair *hair) {
    size_t floats = (size_t)hair->on.packing.pack_count * SHAPE_ROWS * hair->on.packing.width;
    hair->on.solver_data = memory_allocate(call->context, floats, sizeof(float));
    if (!hair->on.solver_data) return PLAIT_ERROR_OUT_OF_MEMORY;
    return update(call, hair);
}

static void destroy(struct hair *hair) { memory_release(hair->object.context, hair->on.solver_data); }

static void stages(struct hair *hair, struct stage_list *list) {
    struct buffer *b = hair->on.buffers;
    uint32_t colliders = hair->body && hair->body->collider_count ? hair->body->collider_count : 1;
    stage_add(list, (struct stage){.kernel = KERNEL_shape,
                                   .buffers.shape = {.packs = &b[HAIR_PACKS],
                                                     .positions = &b[HAIR_POSITIONS],
                                                     .velocities = &b[HAIR_VELOCITIES],
                                                     .targets = &b[HAIR_TARGETS],
                                                     .roots = &b[HAIR_ROOTS_STEP],
                                                     .roots_before = &b[HAIR_ROOTS_BEFORE],
                                                     .constants = &hair->on.sets[SET_SOLVER].buffers[SHAPE_CONSTANTS],
                                                     .frame = &b[HAIR_FRAME],
                                                     .colliders = &b[HAIR_COLLIDERS],
                                                     .candidates = &b[HAIR_CANDIDATES],
                                                     .results = &b[HAIR_RESULTS],
                                                     .status = &b[HAIR_STATUS]},
                                   .values.shape = {.max_colliders = colliders}});
}

const struct solver shape_solver = {
    .id = PLAIT_SOLVER_SHAPE,
    .params_type = PLAIT_TYPE_SHAPE_PARAMS,
    .params_size = sizeof(plait_shape_params),
    .decls = decls,
    .decl_count = SHAPE_DATA_COUNT,
    .corrects_velocities = true,
    .default_params = default_params,
    .check_params = check_params,
    .create = create,
    .destroy = destroy,
    .update = update,
    .stages = stages,
};
