// Solver `hybrid`: parameters to rest data and constants of rods, and its stages. The physics is in physics/rod.h and
// kernels/rod_*.h.
#include "hair.h"
#include "rest.h"
#include "structs.h"

#include <string.h>

// Of 4,000 strands one or two still move by more than 1 cm/s, five seconds after the head has stopped, in 3 rows of 57 of
// plait rest at 120 steps a second: wound up or caught on something, they balance for seconds and roll over late. Tried
// against that, and lost: six times the drag for what is slower than 5 cm/s (9 rows of 50), for strands balance longer and
// fall as fast; dry friction of 3 percent of their weight that lets slip at 0.5 mm/s (4 of 36), that does not (3 of 50), and
// of twice that before they move (2 of 34), for they slip later instead, and hair stays up to 3 mm from where it was drawn.
static void default_params(void *params, double meters_per_unit) {
    *(plait_hybrid_params *)params = (plait_hybrid_params){
        .head = {PLAIT_TYPE_HYBRID_PARAMS, sizeof(plait_hybrid_params), NULL},
        .stretch_modulus = 1.6e7f, // these three: Huang et al. 2023, table 2
        .bend_modulus = 1.5e10f,
        .twist_modulus = 7.7e9f,
        .density = 1300,
        .damping_s = 2e-3f,
        .drag_per_s = 3,
        .clamp_extension = 1,
        .held_blend = 1,
        .max_root_speed = (float)(10 / meters_per_unit),
        .max_root_turn = 30,
    };
}

extern const struct solver hybrid_solver; // in solver_list.h

plait_result PLAIT_CALL plait_hybrid_params_default(float meters_per_unit, plait_hybrid_params *params) {
    plait_hybrid_params values;
    return solver_default_params(&hybrid_solver, __func__, meters_per_unit, params, &values);
}

static const struct float_range ranges[] = {
#define RANGE(field, low, high) FLOAT_RANGE(plait_hybrid_params, field, low, high)
    RANGE(stretch_modulus, 0, 1e12f),
    RANGE(bend_modulus, 0, 1e12f),
    RANGE(twist_modulus, 0, 1e12f),
    RANGE(density, 1, 1e5f),
    RANGE(flatness, 0, 0.95f),
    RANGE(damping_s, 0, 1000),
    RANGE(drag_per_s, 0, 1e6f),
    RANGE(clamp_extension, 0, 1),
    RANGE(held_blend, 0, 1),
    RANGE(max_root_speed, 0, 1e9f),
    RANGE(max_root_turn, 0, 1e9f),
    RANGE(collision_radius, 0, 1e6f),
    FLOAT_RANGE3(plait_hybrid_params, rest_gravity, -1e9f, 1e9f),
#undef RANGE
};

static plait_result check_params(const struct call *call, void *params, uint32_t index) {
    plait_hybrid_params *p = params;
    if (p->reserved != 0) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "params[%u].reserved is not 0", index);
    return struct_check_floats(call, "params", index, p, ranges, ARRAY_LENGTH(ranges));
}

enum hybrid_data_id {
    HYBRID_SPIN,
    HYBRID_HELD, // vertices of each strand that go with the bones
    HYBRID_RODS, // at rest
    HYBRID_CONSTANTS,
    HYBRID_WORK,   // within a step
    HYBRID_SYSTEM, // linear systems, and their right-hand sides
    HYBRID_RIGHT,
    HYBRID_FLOORS,
    HYBRID_CLAMPS,
    HYBRID_CARE,
    HYBRID_SWEPT,
    HYBRID_DATA_COUNT
};

static const struct data_decl decls[HYBRID_DATA_COUNT] = {
    [HYBRID_SPIN] =
        {.name = "spin", .per = PER_VERTEX, .rows = SPIN_ROWS, .role = DATA_STATE, .rates = 1u << SPIN_RATE},
    [HYBRID_HELD] = {.name = "held", .per = PER_STRAND, .rows = 1, .role = DATA_CONSTANT, .whole = true},
    [HYBRID_RODS] = {.name = "rods", .per = PER_VERTEX, .rows = ROD_ROWS, .role = DATA_CONSTANT},
    [HYBRID_CONSTANTS] = {.name = "constants", .per = PER_STRAND, .rows = HYBRID_ROWS, .role = DATA_CONSTANT},
    [HYBRID_WORK] = {.name = "work", .per = PER_VERTEX, .rows = WORK_ROWS, .role = DATA_SCRATCH},
    [HYBRID_SYSTEM] = {.name = "systems", .per = PER_VERTEX, .rows = 4 * BAND_ROWS, .role = DATA_SCRATCH},
    [HYBRID_RIGHT] = {.name = "right-hand sides", .per = PER_VERTEX, .rows = 4, .role = DATA_SCRATCH},
    [HYBRID_CLAMPS] = {.name = "clamps", .per = PER_STRAND, .rows = CLAMP_ROWS, .role = DATA_SCRATCH},
    [HYBRID_SWEPT] = {.name = "swept", .per = PER_STRAND, .rows = SWEEP_ROWS, .role = DATA_SCRATCH},
    [HYBRID_CARE] = {.name = "care", .per = PER_STRAND, .rows = CARE_ROWS, .role = DATA_STATE},
    [HYBRID_FLOORS] = {.name = "floors", .per = PER_STRAND, .rows = BAND_FLOOR_ROWS, .role = DATA_CONSTANT},
};

// Host copies of what goes to the device, so that new parameters need no memory.
struct hybrid_data {
    float *rods, *constants, *floors;
    uint32_t *held;
    uint64_t sagging_strand_count;
    struct rod_work work;
    struct rod_rest rest;
    double radii[PLAIT_MAX_STRAND_VERTICES];
};

// Lanes without a strand and vertices beyond the end are held: all that they need is a matrix that can be divided by.
static void clear_slot(const struct hair *hair, struct hybrid_data *data, uint32_t slot) {
    data->held[slot] = 0;
    const struct packing *packing = &hair->on.packing;
    uint32_t vertices = packing->table[slot / packing->width * PACK_UINTS + PACK_VERTICES];
    for (uint32_t v = 0; v < vertices; v++)
        for (uint32_t r = 0; r < ROD_ROWS; r++)
            data->rods[packed_index(packing, slot, v, ROD_ROWS, r)] = r == ROD_MASS || r == ROD_INERTIA;
}

static void strand_constants(const struct hair *hair, const plait_hybrid_params *p, const struct rod_rest *rest,
                             uint32_t strand, double out[HYBRID_ROWS]) {
    const struct groom *groom = hair->groom;
    double unit = hair->pose.meters_per_unit;
    const float *x = groom->positions + 3 * (size_t)groom->first_vertex[strand];
    double length = 0, longest = 0;
    for (uint32_t v = 1; v < groom->vertex_counts[strand]; v++) {
        double segment = unit * d3_length(d3_sub(d3_load(x + 3 * v), d3_load(x + 3 * v - 3)));
        length += segment;
        if (segment > longest) longest = segment;
    }
    float radius = groom->radii[groom->first_vertex[strand]];
    out[HYBRID_DRAG] = p->drag_per_s;
    out[HYBRID_DAMPING] = p->damping_s;
    out[HYBRID_HELD_BLEND] = p->held_blend;
    out[HYBRID_MAX_SPEED] = p->max_root_speed > 0 ? p->max_root_speed * unit : 1e30;
    out[HYBRID_MAX_TURN] = p->max_root_turn > 0 ? p->max_root_turn : 1e30;
    out[HYBRID_RADIUS] = (radius < 0 ? DEFAULT_RADIUS_M : radius * unit) + p->collision_radius * unit;
    out[HYBRID_FRICTION] = groom->group_friction[groom->group_indices[strand]];
    out[HYBRID_LENGTH] = length;
    out[HYBRID_LENGTH_INVERSE] = 1 / length;
    out[HYBRID_ROOT_COSINE] = rest->root_cosine;
    out[HYBRID_ROOT_SINE] = rest->root_sine;
    out[HYBRID_RUN_LENGTH] = CONTACT_RUN * longest;
}

// Returns whether its gravity is balanced.
static bool fill_strand(const struct hair *hair, struct hybrid_data *data, uint32_t slot, uint32_t strand) {
    const struct groom *groom = hair->groom;
    const struct packing *packing = &hair->on.packing;
    const plait_hybrid_params *p = (const plait_hybrid_params *)hair->params + groom->group_indices[strand];
    uint32_t count = groom->vertex_counts[strand], first = groom->first_vertex[strand];
    size_t width = packing->width, pack = slot / width, lane = slot % width;
    double unit = hair->pose.meters_per_unit;
    struct rod_material material = {
        .stretch_modulus = p->stretch_modulus,
        .bend_modulus = p->bend_modulus,
        .twist_modulus = p->twist_modulus,
        .density = p->density,
        .flatness = p->flatness,
        .clamp_extension = p->clamp_extension,
        .gravity = d3_mul(d3_load(p->rest_gravity), unit),
        .step_weight = 0, // bones may scale a strand: kernels limit it as it then is
    };
    if (d3_length(material.gravity) > 0) // drawn in the size in which it rests
        material.step_weight = sqrt(hair->clock.step_s * (hair->clock.step_s + p->damping_s));
    for (uint32_t v = 0; v < count; v++)
        data->radii[v] = groom->radii[first + v] < 0 ? DEFAULT_RADIUS_M : groom->radii[first + v] * unit;
    double3 normal = d3_load(groom->normals + 3 * (size_t)strand);
    uint32_t held = groom->held_counts[strand];
    if (held == 1 && p->clamp_extension <= 0) held = 2; // nothing of the first segment bends
    data->held[slot] = held;
    bool balanced = rod_rest_make(&material, count, held, groom->positions + 3 * (size_t)first, unit, data->radii,
                                  d3_across(normal), normal, &data->work, &data->rest);
    double floor_x = INFINITY, floor_theta = INFINITY;
    for (uint32_t v = 0; v < count; v++) {
        double *rows = data->rest.rows[v];
        if (rows[ROD_INERTIA] <= 0) rows[ROD_INERTIA] = 1; // no edge: held
        floor_x = fmin(floor_x, rows[ROD_MASS]);
        floor_theta = fmin(floor_theta, rows[ROD_INERTIA]);
        for (uint32_t r = 0; r < ROD_ROWS; r++)
            data->rods[packed_index(packing, slot, v, ROD_ROWS, r)] = (float)rows[r];
    }
    double constants[HYBRID_ROWS];
    strand_constants(hair, p, &data->rest, strand, constants);
    constants[HYBRID_LIGHTEST] = sqrt(floor_x);
    for (size_t r = 0; r < HYBRID_ROWS; r++)
        data->constants[(pack * HYBRID_ROWS + r) * width + lane] = (float)constants[r];
    data->floors[(pack * BAND_FLOOR_ROWS + BAND_FLOOR_X) * width + lane] = (float)floor_x;
    data->floors[(pack * BAND_FLOOR_ROWS + BAND_FLOOR_THETA) * width + lane] = (float)floor_theta;
    return balanced;
}

static plait_result update(struct call *call, struct hair *hair) {
    const struct packing *packing = &hair->on.packing;
    struct hybrid_data *data = hair->on.solver_data;
    uint64_t sagging = 0;
    for (uint32_t slot = 0; slot < packing->pack_count * packing->width; slot++) {
        clear_slot(hair, data, slot);
        if (packing->strands[slot] != NO_STRAND)
            sagging += !fill_strand(hair, data, slot, packing->strands[slot]);
        else
            for (size_t r = 0; r < BAND_FLOOR_ROWS; r++)
                data->floors[(slot / packing->width * BAND_FLOOR_ROWS + r) * packing->width + slot % packing->width] =
                    1;
    }
    const struct {
        enum hybrid_data_id which;
        const void *values;
    } copies[] = {{HYBRID_HELD, data->held},
                  {HYBRID_RODS, data->rods},
                  {HYBRID_CONSTANTS, data->constants},
                  {HYBRID_FLOORS, data->floors}};
    plait_result result = PLAIT_OK;
    for (size_t i = 0; i < ARRAY_LENGTH(copies) && result == PLAIT_OK; i++) {
        struct buffer *buffer = &hair->on.sets[SET_SOLVER].buffers[copies[i].which];
        result = hair->on.device->ops->buffer_write(buffer, 0, copies[i].values, buffer->size);
    }
    if (result != PLAIT_OK) return fail(call, result, "the device could not take the parameters");
    data->sagging_strand_count = sagging;
    if (sagging)
        message(call->context, PLAIT_LOG_INFO, PLAIT_MESSAGE_STRANDS_SAG,
                "%s: %llu strands will not stay as drawn under rest_gravity; more stiffness or steps a second may help",
                call->function, (unsigned long long)sagging);
    return PLAIT_OK;
}

static plait_result create(struct call *call, struct hair *hair) {
    uint64_t width = hair->on.packing.width, packs = hair->on.packing.pack_count;
    uint64_t rows = hair->on.packing.row_count;
    struct hybrid_data *data = hair->on.solver_data = memory_allocate(call->context, 1, sizeof *data);
    if (!data) return PLAIT_ERROR_OUT_OF_MEMORY;
    data->rods = memory_allocate(call->context, rows * ROD_ROWS * width, sizeof(float));
    data->constants = memory_allocate(call->context, packs * HYBRID_ROWS * width, sizeof(float));
    data->floors = memory_allocate(call->context, packs * BAND_FLOOR_ROWS * width, sizeof(float));
    data->held = memory_allocate(call->context, packs * width, sizeof *data->held);
    if (!data->rods || !data->constants || !data->floors || !data->held) return PLAIT_ERROR_OUT_OF_MEMORY;
    return update(call, hair);
}

static void count(const struct hair *hair, plait_stats_info *stats) {
    const struct hybrid_data *data = hair->on.solver_data;
    stats->sagging_strand_count = data->sagging_strand_count;
}

static void destroy(struct hair *hair) {
    struct hybrid_data *data = hair->on.solver_data;
    if (!data) return;
    memory_release(hair->object.context, data->rods);
    memory_release(hair->object.context, data->constants);
    memory_release(hair->object.context, data->floors);
    memory_release(hair->object.context, data->held);
    memory_release(hair->object.context, data);
}

static void add_build_and_band(struct hair *hair, struct stage_list *list, uint32_t part) {
    struct buffer *b = hair->on.buffers, *own = hair->on.sets[SET_SOLVER].buffers;
    stage_add(list, (struct stage){.kernel = KERNEL_rod_build,
                                   .buffers.rod_build = {.packs = &b[HAIR_PACKS],
                                                         .strands = &b[HAIR_STRANDS],
                                                         .held = &own[HYBRID_HELD],
                                                         .positions = &b[HAIR_POSITIONS],
                                                         .velocities = &b[HAIR_VELOCITIES],
                                                         .roots = &b[HAIR_ROOTS_STEP],
                                                         .constants = &own[HYBRID_CONSTANTS],
                                                         .frame = &b[HAIR_FRAME],
                                                         .spin = &own[HYBRID_SPIN],
                                                         .rods = &own[HYBRID_RODS],
                                                         .care = &own[HYBRID_CARE],
                                                         .clamps = &own[HYBRID_CLAMPS],
                                                         .work = &own[HYBRID_WORK],
                                                         .system = &own[HYBRID_SYSTEM],
                                                         .right = &own[HYBRID_RIGHT]},
                                   .values.rod_build = {.part = part}});
    stage_add(list, (struct stage){.kernel = KERNEL_band,
                                   .buffers.band = {.packs = &b[HAIR_PACKS],
                                                    .system = &own[HYBRID_SYSTEM],
                                                    .solution = &own[HYBRID_RIGHT],
                                                    .floors = &own[HYBRID_FLOORS],
                                                    .care = &own[HYBRID_CARE]},
                                   .values.band = {.part = part}});
}

static void add_sweep(struct hair *hair, struct stage_list *list, uint32_t part) {
    struct buffer *b = hair->on.buffers, *own = hair->on.sets[SET_SOLVER].buffers;
    stage_add(list, (struct stage){.kernel = KERNEL_rod_solve,
                                   .buffers.rod_solve = {.packs = &b[HAIR_PACKS],
                                                         .strands = &b[HAIR_STRANDS],
                                                         .held = &own[HYBRID_HELD],
                                                         .positions = &b[HAIR_POSITIONS],
                                                         .velocities = &b[HAIR_VELOCITIES],
                                                         .roots = &b[HAIR_ROOTS_STEP],
                                                         .constants = &own[HYBRID_CONSTANTS],
                                                         .frame = &b[HAIR_FRAME],
                                                         .spin = &own[HYBRID_SPIN],
                                                         .rods = &own[HYBRID_RODS],
                                                         .care = &own[HYBRID_CARE],
                                                         .clamps = &own[HYBRID_CLAMPS],
                                                         .floors = &own[HYBRID_FLOORS],
                                                         .work = &own[HYBRID_WORK],
                                                         .swept = &own[HYBRID_SWEPT],
                                                         .system = &own[HYBRID_SYSTEM],
                                                         .right = &own[HYBRID_RIGHT]},
                                   .values.rod_solve = {.part = part}});
}

static void part_stages(struct hair *hair, struct stage_list *list, uint32_t part) {
    struct buffer *b = hair->on.buffers, *own = hair->on.sets[SET_SOLVER].buffers;
    uint32_t colliders = hair->body && hair->body->collider_count ? hair->body->collider_count : 1;
    stage_add(list, (struct stage){.kernel = KERNEL_rod_begin,
                                   .buffers.rod_begin = {.packs = &b[HAIR_PACKS],
                                                         .strands = &b[HAIR_STRANDS],
                                                         .held = &own[HYBRID_HELD],
                                                         .positions = &b[HAIR_POSITIONS],
                                                         .velocities = &b[HAIR_VELOCITIES],
                                                         .targets = &b[HAIR_TARGETS],
                                                         .roots = &b[HAIR_ROOTS_STEP],
                                                         .roots_before = &b[HAIR_ROOTS_BEFORE],
                                                         .constants = &own[HYBRID_CONSTANTS],
                                                         .frame = &b[HAIR_FRAME],
                                                         .spin = &own[HYBRID_SPIN],
                                                         .rods = &own[HYBRID_RODS],
                                                         .work = &own[HYBRID_WORK],
                                                         .clamps = &own[HYBRID_CLAMPS],
                                                         .care = &own[HYBRID_CARE],
                                                         .colliders = &b[HAIR_COLLIDERS],
                                                         .candidates = &b[HAIR_CANDIDATES]},
                                   .values.rod_begin = {.max_colliders = colliders, .part = part}});
    if (hair->on.device->ops->sweeps)
        add_sweep(hair, list, part);
    else
        add_build_and_band(hair, list, part);
    stage_add(list, (struct stage){.kernel = KERNEL_rod_end,
                                   .buffers.rod_end = {.packs = &b[HAIR_PACKS],
                                                       .strands = &b[HAIR_STRANDS],
                                                       .held = &own[HYBRID_HELD],
                                                       .positions = &b[HAIR_POSITIONS],
                                                       .velocities = &b[HAIR_VELOCITIES],
                                                       .targets = &b[HAIR_TARGETS],
                                                       .roots = &b[HAIR_ROOTS_STEP],
                                                       .constants = &own[HYBRID_CONSTANTS],
                                                       .frame = &b[HAIR_FRAME],
                                                       .spin = &own[HYBRID_SPIN],
                                                       .rods = &own[HYBRID_RODS],
                                                       .care = &own[HYBRID_CARE],
                                                       .clamps = &own[HYBRID_CLAMPS],
                                                       .work = &own[HYBRID_WORK],
                                                       .solution = &own[HYBRID_RIGHT],
                                                       .results = &b[HAIR_RESULTS],
                                                       .status = &b[HAIR_STATUS]},
                                   .values.rod_end = {.part = part}});
}

// Strands in trouble take a step in parts, or solve it again; see rod_end.h.
static void stages(struct hair *hair, struct stage_list *list) {
    for (uint32_t part = 0; part < CARE_TURNS; part++) part_stages(hair, list, part);
}

static void rest_stages(struct hair *hair, struct stage_list *list) {
    struct buffer *b = hair->on.buffers, *own = hair->on.sets[SET_SOLVER].buffers;
    stage_add(list, (struct stage){.kernel = KERNEL_spin_rest,
                                   .buffers.spin_rest = {
                                       .packs = &b[HAIR_PACKS], .spin = &own[HYBRID_SPIN], .care = &own[HYBRID_CARE]}});
}

const struct solver hybrid_solver = {
    .id = PLAIT_SOLVER_HYBRID,
    .params_type = PLAIT_TYPE_HYBRID_PARAMS,
    .params_size = sizeof(plait_hybrid_params),
    .decls = decls,
    .decl_count = HYBRID_DATA_COUNT,
    .longest_step_s = 1 / 120.0,
    .narrow = true,
    .default_params = default_params,
    .check_params = check_params,
    .create = create,
    .destroy = destroy,
    .update = update,
    .count = count,
    .stages = stages,
    .rest_stages = rest_stages,
};
