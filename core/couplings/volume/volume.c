// Hair-hair forces: strands as a continuum with volume and friction, by the explicit material point method on their own
// vertices (Huang et al. 2023, sec. 3.2). The grid is sparse: blocks of 4x4x4 cells where there are vertices, found by a hash
// table. Kernels: kernels/volume*.h, formulas: physics/grains.h and spline.h.
#include "couplings/volume/volume.h"
#include "blocks.h"
#include "hair.h"
#include "sine.h"
#include "structs.h"

#include <string.h>

enum volume_data_id {
    VOLUME_STRAINS,  // state
    VOLUME_VERTICES, // constants of vertices
    VOLUME_PARAMS,
    VOLUME_CHANGES, // of velocities, by the solver; see kernels/volume_rows.h
    VOLUME_RECORDS,
    VOLUME_READINGS,
    VOLUME_KEYS,    // of blocks, by number of vertex
    VOLUME_PLACES,  // in the table of blocks, two words each
    VOLUME_INDICES, // of vertices, block by block
    VOLUME_TABLE,   // of blocks, and the slots of it that are taken
    VOLUME_TAKEN,
    VOLUME_STARTS, // of blocks among the indices
    VOLUME_RUNS,   // how many blocks there are
    VOLUME_GROUPS, // and how many words of work they are
    VOLUME_BLOCKS,
    VOLUME_SUMS,
    VOLUME_DATA_COUNT
};

#define PER_VERTEX_WORK(text, count)                                                                                   \
    { .name = text, .per = PER_VERTEX, .rows = count, .role = DATA_WORK }
#define MADE_LATER(text)                                                                                               \
    { .name = text, .per = FIXED, .role = DATA_WORK }
static const struct data_decl decls[VOLUME_DATA_COUNT] = {
    [VOLUME_STRAINS] = {.name = "strains", .per = PER_VERTEX, .rows = STRAIN_ROWS, .role = DATA_STATE},
    [VOLUME_VERTICES] = {.name = "volume of vertices", .per = PER_VERTEX, .rows = VOLUME_ROWS, .role = DATA_CONSTANT},
    [VOLUME_PARAMS] = {.name = "volume", .per = FIXED, .rows = VOLUME_FLOATS, .role = DATA_CONSTANT},
    [VOLUME_CHANGES] = PER_VERTEX_WORK("changes", 3),
    [VOLUME_RECORDS] = PER_VERTEX_WORK("records", RECORD_WORDS),
    [VOLUME_READINGS] = PER_VERTEX_WORK("readings", READING_WORDS),
    [VOLUME_KEYS] = PER_VERTEX_WORK("keys", 1),
    [VOLUME_PLACES] = PER_VERTEX_WORK("places", 2),
    [VOLUME_INDICES] = PER_VERTEX_WORK("indices", 1),
    [VOLUME_TABLE] = MADE_LATER("table of blocks"),
    [VOLUME_TAKEN] = MADE_LATER("slots"),
    [VOLUME_STARTS] = MADE_LATER("starts"),
    [VOLUME_RUNS] = {.name = "block count", .per = FIXED, .rows = 1, .role = DATA_WORK},
    [VOLUME_GROUPS] = {.name = "group count", .per = FIXED, .rows = 1, .role = DATA_WORK},
    [VOLUME_BLOCKS] = MADE_LATER("blocks"),
    [VOLUME_SUMS] = MADE_LATER("sums of nodes"),
};

// ---- parameters ----

static void default_params(plait_volume_params *p, double meters_per_unit) {
    *p = (plait_volume_params){
        .head = {PLAIT_TYPE_VOLUME_PARAMS, sizeof *p, NULL},
        .model = PLAIT_VOLUME_SAND, // from here on: Huang et al. 2023, tables 1 and 2, but for what plait.h says
        .substeps = 3,
        .cell_size = (float)((double)0.01f / meters_per_unit),
        .youngs_modulus = 1.2e3f,
        .poisson_ratio = 0.3f,
        .density = 1300,
        .friction_angle = 0.349065850f, // 20 degrees
        // A strand that something pulls at with a through hair at rest goes at a h / (1 - flip^substeps), h the solver's step:
        // with the paper's 0.3 that is 9 mm/s for a tenth of its weight, and hair crept for 10 s before it lay still. Six seconds
        // after a violent motion 36 of 150 strands of 1b went faster than 1 cm/s, 12.4 mm/s rms; none and 0.7 mm/s with 0.8. With
        // 0.85 to 0.95 stiffer hair does not keep more volume (stiffer_hair_keeps_more_volume fails); why is not known.
        .flip_ratio = 0.8f,
        .loose_closing = 1.0f,
        .loose_opening = 1.0f,
        .simulated_share = 0, // what there is, or theirs: simulated_share_of
        .strength = 1,
    };
}

plait_result PLAIT_CALL plait_volume_params_default(float meters_per_unit, plait_volume_params *params) {
    static const struct float_range range = {"meters_per_unit", 0, 1e-6f, 1e6f, 1};
    struct call call = {.function = __func__}; // no context: nobody hears its messages
    plait_volume_params values;
    plait_result result = struct_check_info(&call, "params", params, PLAIT_TYPE_VOLUME_PARAMS);
    uint64_t float_state = float_state_enter();
    if (result == PLAIT_OK) result = struct_check_floats(&call, "", NOT_IN_ARRAY, &meters_per_unit, &range, 1);
    if (result == PLAIT_OK) {
        default_params(&values, meters_per_unit);
        struct_write(params, &values, sizeof values);
    }
    float_state_leave(float_state);
    return result;
}

static plait_result check_params(const struct call *call, plait_volume_params *p) {
    static const struct float_range ranges[] = {
#define RANGE(field, low, high) FLOAT_RANGE(plait_volume_params, field, low, high)
        RANGE(cell_size, 1e-9f, 1e6f), RANGE(youngs_modulus, 0, 1e12f), RANGE(poisson_ratio, 0, 0.49f),
        RANGE(density, 1, 1e5f),       RANGE(friction_angle, 0, 1.5f),  RANGE(flip_ratio, 0, 1),
        RANGE(loose_closing, 0, 1),    RANGE(loose_opening, 0, 1),      RANGE(simulated_share, 0, 1),
        RANGE(strength, 0, 1),
#undef RANGE
    };
    if (p->model != PLAIT_VOLUME_SAND && p->model != PLAIT_VOLUME_FLUID)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "params.model is %u, not a PLAIT_VOLUME_xxx", p->model);
    if (p->substeps < 1 || p->substeps > 3)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "params.substeps is %u, not 1 to 3", p->substeps);
    if (p->reserved != 0) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "params.reserved is not 0");
    return struct_check_floats(call, "params", NOT_IN_ARRAY, p, ranges, ARRAY_LENGTH(ranges));
}

// What a coupled hair was asked for.
struct volume_setting {
    plait_volume_params params;
    uint32_t on;
};

// What create makes: for this device.
struct volume_place {
    uint32_t capacity; // of blocks
    uint32_t shift;    // of hashes: the table has 2^(32 - shift) slots
};

static const struct volume_setting *setting_of(const struct hair *hair, uint32_t index) {
    return hair->couplings[index].params;
}

// Waves must not cross more than this share of a cell in a step: explicit steps are stable up to about one.
#define MOST_COURANT 0.7

// What the device has to know of the parameters.
static plait_result write_params(struct hair *hair, uint32_t index) {
    const plait_volume_params *p = &setting_of(hair, index)->params;
    double cell = p->cell_size * hair->pose.meters_per_unit, step = hair->clock.step_s / p->substeps;
    double poisson = p->poisson_ratio, modulus = p->youngs_modulus;
    double shear = 1 / (2 * (1 + poisson)), compression = poisson / ((1 + poisson) * (1 - 2 * poisson));
    double speed = MOST_COURANT * cell / step;
    modulus = fmin(modulus, p->density * speed * speed / (compression + 2 * shear));
    double sine = sine_of(p->friction_angle), alpha = sqrt(2.0 / 3) * 2 * sine / (3 - sine);
    float values[VOLUME_FLOATS] = {
        [VOLUME_CELL] = (float)cell,
        [VOLUME_CELL_INVERSE] = (float)(1 / cell),
        [VOLUME_PART] = (float)(1.0 / p->substeps),
        [VOLUME_SHEAR] = (float)(modulus * shear),
        [VOLUME_COMPRESSION] = (float)(modulus * compression),
        [VOLUME_CONE] = (float)((3 * compression + 2 * shear) / (2 * shear) * alpha),
        [VOLUME_STRESS_GAIN] = (float)(1 / (p->density * cell)),
        [VOLUME_FLIP] = p->flip_ratio,
        [VOLUME_LOOSE_CLOSING] = p->loose_closing,
        [VOLUME_LOOSE_OPENING] = p->loose_opening,
        [VOLUME_STRENGTH] = p->strength,
    };
    const uint32_t fluid = p->model == PLAIT_VOLUME_FLUID, motion = hair->solver->corrects_velocities;
    memcpy(&values[VOLUME_FLUID], &fluid, sizeof fluid);
    memcpy(&values[VOLUME_MOTION], &motion, sizeof motion);
    return hair->on.device->ops->buffer_write(&hair->on.sets[SET_COUPLINGS + index].buffers[VOLUME_PARAMS], 0, values,
                                              sizeof values);
}

// ---- data ----

// The block that a vertex of the groom is in, never 0. The grid lies anywhere: about as many blocks are taken wherever it does.
static uint64_t block_of(const float *position, double blocks_per_unit) {
    uint64_t key = 1;
    for (int c = 0; c < 3; c++) {
        double place = floor(position[c] * blocks_per_unit);
        key = key << 21 | ((uint64_t)(int64_t)fmax(fmin(place, 1e6), -1e6) & 0x1fffff);
    }
    return key;
}

// Blocks that the groom takes. table: twice as many words as there are vertices, zeros.
static uint32_t count_blocks(const struct groom *groom, double blocks_per_unit, uint64_t *table) {
    uint32_t count = 0;
    const uint64_t size = 2 * (uint64_t)groom->info.vertex_count;
    for (uint32_t v = 0; v < groom->info.vertex_count; v++) {
        uint64_t key = block_of(groom->positions + 3 * (size_t)v, blocks_per_unit);
        uint64_t at = (key * 0x9e3779b97f4a7c15u >> 20) % size;
        while (table[at] && table[at] != key) at = at + 1 < size ? at + 1 : 0;
        count += table[at] == 0;
        table[at] = key;
    }
    return count;
}

// Four slots a block: few of them are looked for in vain, and twice as many blocks can be told apart.
static uint32_t choose_shift(uint64_t blocks) {
    uint32_t shift = 29;
    while (shift > 2 && (UINT64_C(1) << (32 - shift)) < 4 * blocks) shift--;
    return shift;
}

// Hair in motion spreads: four times the blocks of the groom, and some more where these are few. No more than vertices.
static plait_result choose_capacity(struct call *call, struct hair *hair, uint32_t index, struct volume_place *place) {
    const plait_volume_params *p = &setting_of(hair, index)->params;
    const uint64_t vertices = hair->info.vertex_count;
    uint64_t *table = memory_allocate(call->context, vertices, 2 * sizeof *table);
    if (!table) return PLAIT_ERROR_OUT_OF_MEMORY;
    uint64_t usual = 4 * (uint64_t)count_blocks(hair->groom, 1 / ((double)p->cell_size * VOLUME_CELLS), table) + 64;
    memory_release(call->context, table);
    usual = usual < vertices ? usual : vertices;
    place->capacity = p->max_blocks == 0         ? (uint32_t)usual
                      : p->max_blocks < vertices ? p->max_blocks
                                                 : (uint32_t)vertices;
    place->shift = choose_shift(place->capacity > usual ? place->capacity : usual);
    return PLAIT_OK;
}
static uint32_t slots_of(const struct volume_place *place) { return UINT32_C(1) << (32 - place->shift); }
static uint32_t table_words(const struct volume_place *place) { return TABLE_SLOTS + SLOT_WORDS * slots_of(place); }

// Of one strand. Those that it stands for have its mass, too, but that is the same factor everywhere: only what the host is told
// has it, see volume_stats.c.
static void fill_strand(const struct hair *hair, const plait_volume_params *p, uint32_t strand, uint32_t *words) {
    const struct groom *groom = hair->groom;
    uint32_t first = groom->first_vertex[strand], count = groom->vertex_counts[strand];
    double unit = hair->pose.meters_per_unit, before = 0;
    for (uint32_t v = 0; v < count; v++) {
        const float *x = groom->positions + 3 * (size_t)(first + v);
        double after = v + 1 < count ? unit * d3_length(d3_sub(d3_load(x + 3), d3_load(x))) : 0;
        float radius = groom->radii[first + v];
        double r = radius < 0 ? (double)DEFAULT_RADIUS_M : radius * unit;
        double mass = p->density * 3.14159265358979 * r * r * 0.5 * (before + after);
        float stored = (float)fmax(mass, 1e-20);
        uint32_t *to = words + (size_t)(first + v) * VOLUME_ROWS;
        memcpy(&to[VOLUME_MASS], &stored, sizeof stored);
        to[VOLUME_HELD] = v < groom->held_counts[strand];
        before = after;
    }
}

// Numbers go through strands as packs do, so that neighbours in space are neighbours in memory, and through so many strands at
// a time vertex by vertex, as lanes of the CPU do. Sums depend on them: they are the same for all widths of packs.
#define NUMBERED_TOGETHER 8u
static void number_vertices(const struct hair *hair, uint32_t *words) {
    const struct groom *groom = hair->groom;
    const uint32_t strands = hair->info.strand_count;
    for (uint32_t slot = 0, number = 0; slot < strands; slot += NUMBERED_TOGETHER) {
        const uint32_t *strand = hair->on.packing.strands + slot;
        const uint32_t together = strands - slot < NUMBERED_TOGETHER ? strands - slot : NUMBERED_TOGETHER;
        for (uint32_t v = 0, left = together; left > 0; v++) {
            left = 0;
            for (uint32_t i = 0; i < together; i++) {
                if (v >= groom->vertex_counts[strand[i]]) continue;
                words[(size_t)(groom->first_vertex[strand[i]] + v) * VOLUME_ROWS + VOLUME_NUMBER] = number++;
                left++;
            }
        }
    }
}

static plait_result fill_vertices(struct call *call, struct hair *hair, uint32_t index) {
    const plait_volume_params *p = &setting_of(hair, index)->params;
    uint32_t *words = memory_allocate(call->context, hair->info.vertex_count, VOLUME_ROWS * sizeof *words);
    if (!words) return PLAIT_ERROR_OUT_OF_MEMORY;
    for (uint32_t s = 0; s < hair->info.strand_count; s++) fill_strand(hair, p, s, words);
    number_vertices(hair, words);
    plait_result result =
        hair_copy_data(hair, &hair->on, SET_COUPLINGS + index, VOLUME_VERTICES, (unsigned char *)words, true);
    memory_release(call->context, words);
    return result;
}

// What is no vertex has records of its own behind the others', so that no two threads write the same.
static plait_result number_padding(struct call *call, struct hair *hair, uint32_t index) {
    struct buffer *vertices = &hair->on.sets[SET_COUPLINGS + index].buffers[VOLUME_VERTICES];
    const struct device_ops *ops = hair->on.device->ops;
    const uint64_t row_words = (uint64_t)VOLUME_ROWS * hair->on.packing.width;
    const uint64_t words_count = row_words * hair->on.packing.row_count;
    uint32_t next = hair->info.vertex_count, *words = memory_allocate(call->context, words_count, sizeof *words);
    if (!words) return PLAIT_ERROR_OUT_OF_MEMORY;
    plait_result result = ops->buffer_read(vertices, 0, words, words_count * sizeof *words);
    for (uint32_t *row = words; result == PLAIT_OK && row < words + words_count; row += row_words)
        for (uint32_t lane = 0; lane < hair->on.packing.width; lane++)
            if (row[VOLUME_MASS * hair->on.packing.width + lane] == 0)
                row[VOLUME_NUMBER * hair->on.packing.width + lane] = next++;
    if (result == PLAIT_OK) result = ops->buffer_write(vertices, 0, words, words_count * sizeof *words);
    memory_release(call->context, words);
    return result;
}

static plait_result create(struct call *call, struct hair *hair, uint32_t index) {
    const uint32_t set = SET_COUPLINGS + index;
    struct volume_place *place = memory_allocate(call->context, 1, sizeof *place);
    hair->on.coupling_data[index] = place;
    if (!place) return PLAIT_ERROR_OUT_OF_MEMORY;
    plait_result result = choose_capacity(call, hair, index, place);
    if (result != PLAIT_OK) return result;
    uint64_t node_bytes = (uint64_t)place->capacity * VOLUME_NODES * VOLUME_NODE_FLOATS * sizeof(float);
    const struct {
        uint32_t which;
        uint64_t size;
    } sizes[] = {{VOLUME_TABLE, 4 * (uint64_t)table_words(place)},
                 {VOLUME_TAKEN, 2 * (uint64_t)slots_of(place)},
                 {VOLUME_STARTS, 4 * ((uint64_t)place->capacity + 1)},
                 {VOLUME_BLOCKS, 4 * (uint64_t)place->capacity * BLOCK_UINTS},
                 {VOLUME_SUMS, node_bytes}};
    for (size_t i = 0; i < ARRAY_LENGTH(sizes) && result == PLAIT_OK; i++)
        result = hair_make_data(call, hair, set, sizes[i].which, sizes[i].size, NULL);
    if (result == PLAIT_OK) result = fill_vertices(call, hair, index);
    if (result == PLAIT_OK) result = number_padding(call, hair, index);
    return result == PLAIT_OK ? write_params(hair, index) : result;
}

static void destroy(struct hair *hair, uint32_t index) {
    memory_release(hair->object.context, hair->on.coupling_data[index]);
    hair->on.coupling_data[index] = NULL;
}

// ---- stages ----

static void before_stages(struct hair *hair, uint32_t index, struct stage_list *list) {
    struct buffer *b = hair->on.buffers, *own = hair->on.sets[SET_COUPLINGS + index].buffers;
    if (!setting_of(hair, index)->on) return;
    struct buffer *kept = &b[hair->solver->corrects_velocities ? HAIR_POSITIONS : HAIR_VELOCITIES];
    stage_add(list, (struct stage){.kernel = KERNEL_snapshot,
                                   .buffers.snapshot = {
                                       .packs = &b[HAIR_PACKS], .positions = kept, .copy = &own[VOLUME_CHANGES]}});
}

// Before a step of the grid: the first, or one of the others, and after the one before it, too.
static void add_begin(struct hair *hair, uint32_t index, struct stage_list *list, uint32_t part) {
    struct buffer *b = hair->on.buffers, *own = hair->on.sets[SET_COUPLINGS + index].buffers;
    const uint32_t rows = hair->on.packing.row_count, words = table_words(hair->on.coupling_data[index]);
#define ROW_BUFFERS                                                                                                    \
    .positions = &b[HAIR_POSITIONS], .velocities = &b[HAIR_VELOCITIES], .changes = &own[VOLUME_CHANGES],               \
    .strains = &own[VOLUME_STRAINS], .vertices = &own[VOLUME_VERTICES], .params = &own[VOLUME_PARAMS],                 \
    .frame = &b[HAIR_FRAME]
#define RECORD_BUFFERS .records = &own[VOLUME_RECORDS], .keys = &own[VOLUME_KEYS], .table = &own[VOLUME_TABLE]
    if (part == 0)
        stage_add(list, (struct stage){.kernel = KERNEL_volume_begin,
                                       .buffers.volume_begin = {ROW_BUFFERS, RECORD_BUFFERS},
                                       .values.volume_begin = {.part = part, .rows = rows, .table_words = words}});
    else
        stage_add(list,
                  (struct stage){.kernel = KERNEL_volume_next,
                                 .buffers.volume_next = {ROW_BUFFERS, RECORD_BUFFERS, .readings = &own[VOLUME_READINGS],
                                                         .status = &b[HAIR_STATUS]},
                                 .values.volume_next = {.part = part, .rows = rows, .table_words = words}});
}

static void add_end(struct hair *hair, uint32_t index, struct stage_list *list, uint32_t part) {
    struct buffer *b = hair->on.buffers, *own = hair->on.sets[SET_COUPLINGS + index].buffers;
    stage_add(list, (struct stage){.kernel = KERNEL_volume_end,
                                   .buffers.volume_end = {ROW_BUFFERS, .readings = &own[VOLUME_READINGS],
                                                          .status = &b[HAIR_STATUS]},
                                   .values.volume_end = {.part = part}});
    stage_add(list, (struct stage){.kernel = KERNEL_volume_lengths,
                                   .buffers.volume_lengths = {.packs = &b[HAIR_PACKS],
                                                              .positions = &b[HAIR_POSITIONS],
                                                              .velocities = &b[HAIR_VELOCITIES],
                                                              .vertices = &own[VOLUME_VERTICES],
                                                              .targets = &b[HAIR_TARGETS],
                                                              .roots = &b[HAIR_ROOTS_STEP],
                                                              .results = &b[HAIR_RESULTS],
                                                              .status = &b[HAIR_STATUS]}});
}
#undef ROW_BUFFERS
#undef RECORD_BUFFERS

// Finds the blocks that vertices are in.
static void add_blocks(struct hair *hair, uint32_t index, struct stage_list *list) {
    struct buffer *own = hair->on.sets[SET_COUPLINGS + index].buffers;
    const struct volume_place *place = hair->on.coupling_data[index];
    const struct domain vertices = {.count = hair->info.vertex_count};
    stage_add(list, (struct stage){.kernel = KERNEL_volume_bin,
                                   .domain = vertices,
                                   .buffers.volume_bin = {.keys = &own[VOLUME_KEYS],
                                                          .table = &own[VOLUME_TABLE],
                                                          .list = &own[VOLUME_TAKEN],
                                                          .places = &own[VOLUME_PLACES]},
                                   .values.volume_bin = {.shift = place->shift, .most = slots_of(place) / 2}});
    stage_add(list, (struct stage){.kernel = KERNEL_volume_blocks,
                                   .domain = {.count = 1, .tile = 1},
                                   .buffers.volume_blocks = {.table = &own[VOLUME_TABLE],
                                                             .list = &own[VOLUME_TAKEN],
                                                             .starts = &own[VOLUME_STARTS],
                                                             .runs = &own[VOLUME_RUNS],
                                                             .groups = &own[VOLUME_GROUPS]},
                                   .values.volume_blocks = {.capacity = place->capacity, .most = slots_of(place) / 2}});
    stage_add(list, (struct stage){.kernel = KERNEL_volume_place,
                                   .domain = vertices,
                                   .buffers.volume_place = {.places = &own[VOLUME_PLACES],
                                                            .table = &own[VOLUME_TABLE],
                                                            .starts = &own[VOLUME_STARTS],
                                                            .indices = &own[VOLUME_INDICES],
                                                            .readings = &own[VOLUME_READINGS]}});
}

static void add_grid(struct hair *hair, uint32_t index, struct stage_list *list, uint32_t part) {
    struct buffer *b = hair->on.buffers, *own = hair->on.sets[SET_COUPLINGS + index].buffers;
    const struct volume_place *place = hair->on.coupling_data[index];
    // Where a group costs nothing, there are as many as could be: to count them first would be a dispatch more.
    struct domain groups = {.count = place->capacity * VOLUME_WORK,
                            .tile = VOLUME_WORK,
                            .counter = hair->on.device->ops->sweeps ? &own[VOLUME_GROUPS] : NULL};
    stage_add(list, (struct stage){.kernel = KERNEL_volume_to_grid,
                                   .domain = groups,
                                   .buffers.volume_to_grid = {.indices = &own[VOLUME_INDICES],
                                                              .starts = &own[VOLUME_STARTS],
                                                              .records = &own[VOLUME_RECORDS],
                                                              .runs = &own[VOLUME_RUNS],
                                                              .blocks = &own[VOLUME_BLOCKS],
                                                              .sums = &own[VOLUME_SUMS]}});
    stage_add(list, (struct stage){.kernel = KERNEL_volume_grid,
                                   .domain = groups,
                                   .buffers.volume_grid = {.indices = &own[VOLUME_INDICES],
                                                           .starts = &own[VOLUME_STARTS],
                                                           .records = &own[VOLUME_RECORDS],
                                                           .runs = &own[VOLUME_RUNS],
                                                           .blocks = &own[VOLUME_BLOCKS],
                                                           .table = &own[VOLUME_TABLE],
                                                           .sums = &own[VOLUME_SUMS],
                                                           .params = &own[VOLUME_PARAMS],
                                                           .frame = &b[HAIR_FRAME],
                                                           .colliders = &b[HAIR_COLLIDERS],
                                                           .readings = &own[VOLUME_READINGS]},
                                   .values.volume_grid = {.part = part, .shift = place->shift}});
}

static void step_stages(struct hair *hair, uint32_t index, struct stage_list *list) {
    const uint32_t parts = setting_of(hair, index)->params.substeps;
    if (!setting_of(hair, index)->on) return;
    for (uint32_t part = 0; part < parts; part++) {
        add_begin(hair, index, list, part);
        add_blocks(hair, index, list);
        add_grid(hair, index, list, part);
    }
    add_end(hair, index, list, parts - 1);
}

// The groom is what nothing strains.
static void rest_stages(struct hair *hair, uint32_t index, struct stage_list *list) {
    const struct buffer *strains = &hair->on.sets[SET_COUPLINGS + index].buffers[VOLUME_STRAINS];
    blocks_fill(list, strains, 0, 0, &(struct domain){.count = (uint32_t)(strains->size / sizeof(uint32_t))});
}

static void carry_stages(struct hair *hair, uint32_t index, struct stage_list *list) {
    struct buffer *b = hair->on.buffers, *own = hair->on.sets[SET_COUPLINGS + index].buffers;
    stage_add(list, (struct stage){.kernel = KERNEL_volume_carry,
                                   .buffers.volume_carry = {.packs = &b[HAIR_PACKS],
                                                            .strains = &own[VOLUME_STRAINS],
                                                            .from = &b[HAIR_ROOTS_STEP],
                                                            .to = &b[HAIR_ROOTS_FRAME]}});
}

const struct coupling volume_coupling = {.name = "volume",
                                         .decls = decls,
                                         .decl_count = VOLUME_DATA_COUNT,
                                         .params_size = sizeof(struct volume_setting),
                                         .create = create,
                                         .destroy = destroy,
                                         .before_stages = before_stages,
                                         .step_stages = step_stages,
                                         .rest_stages = rest_stages,
                                         .carry_stages = carry_stages};

// ---- calls ----

// Which of the hair's couplings it is, or how many there are.
static uint32_t index_of(const struct hair *hair) {
    uint32_t i = 0;
    while (i < hair->coupling_count && hair->couplings[i].coupling != &volume_coupling) i++;
    return i;
}

// Of the strands of the head, those that are simulated: what the host says, what render strands say, or as in Huang et al. 2023,
// table 1.
static double simulated_share_of(const struct hair *hair, const plait_volume_params *p) {
    if (p->simulated_share > 0) return p->simulated_share;
    if (!hair->binding || hair->binding->info.strand_count == 0) return 0.03;
    return fmin(1, (double)hair->info.strand_count / hair->binding->info.strand_count);
}

bool volume_find(const struct hair *hair, struct volume_parts *parts) {
    uint32_t index = index_of(hair);
    if (index == hair->coupling_count) return false;
    const struct buffer *own = hair->on.sets[SET_COUPLINGS + index].buffers;
    const struct volume_place *place = hair->on.coupling_data[index];
    *parts = (struct volume_parts){.records = &own[VOLUME_RECORDS],
                                   .readings = &own[VOLUME_READINGS],
                                   .sums = &own[VOLUME_SUMS],
                                   .runs = &own[VOLUME_RUNS],
                                   .capacity = place->capacity,
                                   .flip = setting_of(hair, index)->params.flip_ratio,
                                   .share = simulated_share_of(hair, &setting_of(hair, index)->params)};
    return true;
}

// Whether buffers or stages differ.
static bool is_made_otherwise(const struct volume_setting *a, const struct volume_setting *b) {
    const plait_volume_params *p = &a->params, *q = &b->params;
    return a->on != b->on || p->substeps != q->substeps || p->max_blocks != q->max_blocks ||
           p->cell_size != q->cell_size || p->density != q->density;
}

static plait_result change_setting(struct call *call, struct hair *hair, uint32_t index,
                                   const struct volume_setting *setting) {
    struct volume_setting *own = hair->couplings[index].params, old = *own;
    plait_result result = hair_wait(call, hair, UINT64_MAX);
    if (result != PLAIT_OK) return result;
    *own = *setting;
    if (is_made_otherwise(&old, setting))
        result = hair_move(call, hair, hair->on.device, hair->on.common);
    else
        result = write_params(hair, index);
    if (result == PLAIT_OK) return PLAIT_OK;
    *own = old;
    return fail(call, result, "hair-hair forces stay as they were");
}

plait_result PLAIT_CALL plait_hair_set_volume(plait_hair handle, const plait_volume_params *params) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    uint32_t index = index_of(hair);
    struct volume_setting setting = {.on = params != NULL};
    if (params) {
        result = struct_read(&call, "params", params, PLAIT_TYPE_VOLUME_PARAMS, &setting.params, sizeof setting.params,
                             NULL, 0);
        if (result == PLAIT_OK) result = check_params(&call, &setting.params);
    } else if (index < hair->coupling_count) {
        setting.params = setting_of(hair, index)->params;
    }
    if (result == PLAIT_OK && index < hair->coupling_count)
        result = change_setting(&call, hair, index, &setting);
    else if (result == PLAIT_OK && params)
        result = hair_couple(&call, hair, &volume_coupling, &setting);
    hair_leave(&call, hair);
    return result;
}
