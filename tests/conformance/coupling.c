// A coupling on a hair that runs, on every device: how many vertices share the cell of each vertex, found twice. Once by
// sorting the cells' keys into runs, over as many as only the device knows, once by counting with atomics; stages repeat. Its
// parameters are a grid of cells, its state travels with the hair, and it adds to steps, frames and resets. Integers are
// those of plain C from the positions that plait_hair_read gives. On the CPU with one to eight threads.
#include "blocks.h"
#include "hair.h"
#include "places.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define assert_ok(call) assert_int_equal((call), PLAIT_OK)

// FEW strands: for GPUs, which are software here. MANY: enough for the CPU to hand out to threads.
enum { FEW = 70, MANY = 12007, MOST_VERTICES = MANY * 9, MOST_CELLS = 36 * 16 * 48, MOST_THREADS = 8, ROUNDS = 2 };
#define WEIGHT_SCALE 1024.0f
#define UNTOUCHED 0xabababab

enum { STEPS, FRAMES, RESTS, TICKS }; // what is counted

enum {
    // State
    MATES,   // vertices in the cell of each vertex
    NUMBERS, // of the vertices, in the host's order
    WEIGHTS, // of the vertices
    COUNTERS,
    // Work
    PRESENT,
    TICK_KEYS,
    KEYS,
    SORTED,
    INDICES,
    SPARE_KEYS,
    SPARE_INDICES,
    SIZES,
    SHOWN, // mates as the last frame shows them
    CELL_COUNTS,
    CELL_STARTS,
    CELL_SUMS,
    CELL_WEIGHTS,
    CELL_LOWS,
    CELL_HIGHS,
    INSIDE, // how many vertices are in a cell, and how many cells they are in
    HEADS,
    OFFSETS,
    STARTS,
    RUN_CELLS,
    RUN_COUNTS,
    SCRATCH,
    MATES_DATA
};

#define STATE_OF(text, whole_)                                                                                         \
    { .name = text, .per = PER_VERTEX, .rows = 1, .role = DATA_STATE, .whole = whole_ }
#define WORK_PER_VERTEX(text)                                                                                          \
    { .name = text, .per = PER_VERTEX, .rows = 1, .role = DATA_WORK }
#define WORK_OF(words, text)                                                                                           \
    { .name = text, .per = FIXED, .rows = words, .role = DATA_WORK }
#define WORK_MADE_LATER(text)                                                                                          \
    { .name = text, .per = FIXED, .role = DATA_WORK }
static const struct data_decl decls[MATES_DATA] = {
    [MATES] = STATE_OF("mates", true),
    [NUMBERS] = STATE_OF("numbers", true),
    [WEIGHTS] = STATE_OF("weights", false),
    [COUNTERS] = {.name = "counters", .per = FIXED, .rows = TICKS, .role = DATA_STATE, .whole = true},
    [PRESENT] = {.name = "present", .per = PER_VERTEX, .rows = 1, .role = DATA_CONSTANT, .whole = true},
    [TICK_KEYS] = {.name = "tick keys", .per = FIXED, .rows = TICKS, .role = DATA_CONSTANT, .whole = true},
    [KEYS] = WORK_PER_VERTEX("keys"),
    [SORTED] = WORK_PER_VERTEX("sorted keys"),
    [INDICES] = WORK_PER_VERTEX("indices"),
    [SPARE_KEYS] = WORK_PER_VERTEX("spare keys"),
    [SPARE_INDICES] = WORK_PER_VERTEX("spare indices"),
    [SIZES] = WORK_PER_VERTEX("sizes"),
    [SHOWN] = WORK_PER_VERTEX("shown"),
    [CELL_COUNTS] = WORK_OF(MOST_CELLS, "counts of cells"),
    [CELL_STARTS] = WORK_OF(MOST_CELLS, "starts of cells"),
    [CELL_SUMS] = WORK_OF(MOST_CELLS, "sums of cells"),
    [CELL_WEIGHTS] = WORK_OF(MOST_CELLS, "weights of cells"),
    [CELL_LOWS] = WORK_OF(MOST_CELLS, "lowest numbers"),
    [CELL_HIGHS] = WORK_OF(MOST_CELLS, "highest numbers"),
    [INSIDE] = WORK_OF(2, "how many"),
    [HEADS] = WORK_PER_VERTEX("heads"),
    [OFFSETS] = WORK_PER_VERTEX("offsets"),
    [STARTS] = WORK_MADE_LATER("starts"),
    [RUN_CELLS] = WORK_MADE_LATER("cells of runs"),
    [RUN_COUNTS] = WORK_MADE_LATER("counts of runs"),
    [SCRATCH] = WORK_MADE_LATER("scratch"),
};

// ---- the coupling ----

static const struct cell_grid *grid_of(const struct hair *hair, uint32_t index) {
    return hair->couplings[index].params;
}

// All words of a row a vertex, padding included.
static struct domain vertices_of(const struct hair *hair) {
    const struct packing *packing = &hair->on.packing;
    return (struct domain){.count = packing->row_count * packing->width, .tile = hair->on.device->tile};
}

static struct domain cells_of(const struct hair *hair, uint32_t index) {
    return (struct domain){.count = cell_grid_cells(grid_of(hair, index)), .tile = hair->on.device->tile};
}

static plait_result mates_create(struct call *call, struct hair *hair, uint32_t index) {
    static uint32_t ones[MOST_VERTICES];
    static const uint32_t keys[TICKS] = {STEPS, FRAMES, RESTS};
    const uint32_t set = SET_COUPLINGS + index;
    struct domain vertices = vertices_of(hair), cells = cells_of(hair, index);
    uint64_t words = vertices.count, scratch = blocks_sort_scratch(&vertices);
    if (scratch < blocks_scan_scratch(&cells)) scratch = blocks_scan_scratch(&cells);
    plait_result result = hair_make_data(call, hair, set, STARTS, 4 * (words + 1), NULL);
    if (result == PLAIT_OK) result = hair_make_data(call, hair, set, RUN_CELLS, 4 * words, NULL);
    if (result == PLAIT_OK) result = hair_make_data(call, hair, set, RUN_COUNTS, 4 * words, NULL);
    if (result == PLAIT_OK) result = hair_make_data(call, hair, set, SCRATCH, 4 * scratch, NULL);
    if (result != PLAIT_OK) return result;
    for (uint32_t v = 0; v < hair->info.vertex_count; v++) ones[v] = 1;
    result = hair_copy_data(hair, &hair->on, set, PRESENT, (unsigned char *)ones, true); // padding becomes zero
    if (result != PLAIT_OK) return result;
    return hair->on.device->ops->buffer_write(&hair->on.sets[set].buffers[TICK_KEYS], 0, keys, sizeof keys);
}

static void tick(const struct buffer *b, uint32_t which, struct stage_list *list) {
    blocks_tally(list, &b[TICK_KEYS], NULL, &b[COUNTERS], TICKS, &(struct domain){.first = which, .count = 1});
}

// By atomics: counts, and what else a cell may want to know of its vertices.
static void count_cells(struct hair *hair, uint32_t index, struct stage_list *list) {
    struct buffer *b = hair->on.sets[SET_COUPLINGS + index].buffers;
    struct domain vertices = vertices_of(hair), cells = cells_of(hair, index);
    blocks_fill(list, &b[CELL_COUNTS], 0, 0, &cells);
    blocks_fill(list, &b[CELL_SUMS], 0, 0, &cells);
    blocks_fill(list, &b[CELL_LOWS], UINT32_MAX, 0, &cells);
    blocks_fill(list, &b[CELL_HIGHS], 0, 0, &cells);
    blocks_tally(list, &b[KEYS], NULL, &b[CELL_COUNTS], cells.count, &vertices);
    blocks_tally_fixed(list, &b[KEYS], &b[WEIGHTS], &b[CELL_SUMS], cells.count, WEIGHT_SCALE, &vertices);
    blocks_extremes(list, &b[KEYS], &b[NUMBERS], &b[CELL_LOWS], &b[CELL_HIGHS], cells.count, &vertices);
    blocks_fixed_to_floats(list, &b[CELL_SUMS], &b[CELL_WEIGHTS], WEIGHT_SCALE, &cells);
    blocks_scan(list, &b[CELL_COUNTS], &b[CELL_STARTS], (struct word){&b[INSIDE], 0}, &b[SCRATCH], &cells);
}

// By sorting: vertices that are in no cell come last, and only those before them are looked at.
static void sort_cells(struct hair *hair, uint32_t index, struct stage_list *list) {
    struct buffer *b = hair->on.sets[SET_COUPLINGS + index].buffers;
    struct domain vertices = vertices_of(hair), inside = vertices, runs = vertices;
    inside.counter = runs.counter = &b[INSIDE];
    runs.counter_at = 1;
    uint32_t bits = 1;
    while (cell_grid_cells(grid_of(hair, index)) >> bits) bits++;
    blocks_copy(list, &b[KEYS], &b[SORTED], &vertices);
    blocks_fill(list, &b[INDICES], 0, 1, &vertices);
    struct pairs sorted = blocks_sort(list, (struct pairs){&b[SORTED], &b[INDICES]},
                                      (struct pairs){&b[SPARE_KEYS], &b[SPARE_INDICES]}, &b[SCRATCH], bits, &vertices);
    blocks_runs(list, sorted.keys, &b[HEADS], &b[OFFSETS], &b[STARTS], (struct word){&b[INSIDE], 1}, &b[SCRATCH],
                &inside);
    blocks_run_sizes(list, &b[HEADS], &b[OFFSETS], &b[STARTS], &b[SIZES], &inside);
    blocks_fill(list, &b[MATES], 0, 0, &vertices);
    blocks_scatter(list, &b[SIZES], sorted.indices, &b[MATES], &inside);
    blocks_fill(list, &b[RUN_COUNTS], UNTOUCHED, 0, &vertices);
    blocks_gather(list, sorted.keys, &b[STARTS], &b[RUN_CELLS], &runs);
    blocks_gather(list, &b[CELL_COUNTS], &b[RUN_CELLS], &b[RUN_COUNTS], &runs);
}

static void mates_step(struct hair *hair, uint32_t index, struct stage_list *list) {
    struct buffer *b = hair->on.sets[SET_COUPLINGS + index].buffers;
    uint32_t first = list->count;
    blocks_cell_keys(list, &hair->on.buffers[HAIR_POSITIONS], &b[PRESENT], &b[KEYS], grid_of(hair, index));
    count_cells(hair, index, list);
    sort_cells(hair, index, list);
    tick(b, STEPS, list);
    stage_repeat(list, first, ROUNDS);
}

// What was counted is of strands that are elsewhere now.
static void mates_rest(struct hair *hair, uint32_t index, struct stage_list *list) {
    struct buffer *b = hair->on.sets[SET_COUPLINGS + index].buffers;
    struct domain vertices = vertices_of(hair);
    blocks_fill(list, &b[MATES], 0, 0, &vertices);
    tick(b, RESTS, list);
}

static void mates_frame(struct hair *hair, uint32_t index, struct stage_list *list) {
    struct buffer *b = hair->on.sets[SET_COUPLINGS + index].buffers;
    struct domain vertices = vertices_of(hair);
    blocks_copy(list, &b[MATES], &b[SHOWN], &vertices);
    tick(b, FRAMES, list);
}

static const struct coupling mates = {.name = "mates",
                                      .decls = decls,
                                      .decl_count = MATES_DATA,
                                      .params_size = sizeof(struct cell_grid),
                                      .create = mates_create,
                                      .step_stages = mates_step,
                                      .rest_stages = mates_rest,
                                      .frame_stages = mates_frame};

// ---- a hair ----

// Strands that hang side by side, a centimetre apart, as are their vertices.
enum { COLUMNS_FEW = 10, COLUMNS_MANY = 101, SHORTEST = 5 };
#define SPACING_M 0.01f

static const float upright[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
static const float turned[12] = {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}; // by a right angle about z

// Boxes that leave out some of the vertices. Their borders are a quarter of the spacing away from all vertices, in both
// poses, so that it does not matter what a device rounds.
static struct cell_grid make_grid(uint32_t strands, float size_m) {
    struct cell_grid grid = {.low = {0.0175f, -0.2025f, -0.0025f}, .size = size_m, .counts = {8, 16, 8}};
    if (strands == MANY) {
        grid.counts[0] = 36;
        grid.counts[2] = 48;
    }
    return grid;
}

struct subject {
    plait_groom groom;
    plait_hair hair;
    struct cell_grid grid;
    uint32_t vertices;
    uint32_t ticks[TICKS]; // that there should be
    bool shows;            // an output is set
};

static struct hair *enter(struct call *call, plait_hair handle) {
    struct hair *hair;
    call->function = "test";
    assert_ok(hair_enter(call, handle, &hair));
    return hair;
}

// In the host's order.
static void copy_state(const struct subject *s, uint32_t which, void *words, bool to_device) {
    struct call call = {0};
    struct hair *hair = enter(&call, s->hair);
    assert_ok(hair_copy_data(hair, &hair->on, SET_COUPLINGS, which, words, to_device));
    hair_leave(&call, hair);
}

// The first words of a buffer.
static void read_words(const struct subject *s, uint32_t which, uint32_t *words, uint32_t count) {
    struct call call = {0};
    struct hair *hair = enter(&call, s->hair);
    const struct buffer *buffer = &hair->on.sets[SET_COUPLINGS].buffers[which];
    assert_ok(hair_wait(&call, hair, UINT64_MAX));
    assert_ok(hair->on.device->ops->buffer_read(buffer, 0, words, count * sizeof *words));
    hair_leave(&call, hair);
}

static float weight_of(uint32_t v) { return (float)(v % 89) / 64 - 0.25f; }

static struct subject make_subject(plait_context context, plait_device device, uint32_t strands, float cell_size_m) {
    static float positions[MOST_VERTICES][3];
    static uint32_t counts[MANY];
    struct subject s = {.grid = make_grid(strands, cell_size_m)};
    const uint32_t columns = strands == MANY ? COLUMNS_MANY : COLUMNS_FEW;
    for (uint32_t i = 0; i < strands; i++) {
        counts[i] = SHORTEST + i % 5;
        for (uint32_t v = 0; v < counts[i]; v++, s.vertices++) {
            positions[s.vertices][0] = SPACING_M * (float)(i % columns);
            positions[s.vertices][1] = -SPACING_M * (float)v;
            positions[s.vertices][2] = SPACING_M * (float)(i / columns);
        }
    }
    assert_true(s.vertices <= MOST_VERTICES);
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    desc.strand_count = strands;
    desc.vertex_counts = counts;
    desc.positions = &positions[0][0];
    desc.bone_count = 1;
    assert_ok(plait_groom_create(context, &desc, &s.groom));
    plait_hair_desc hair_desc = PLAIT_HAIR_DESC_INIT;
    hair_desc.groom = s.groom;
    hair_desc.device = device;
    hair_desc.solver = PLAIT_SOLVER_SHAPE;
    assert_ok(plait_hair_create(context, &hair_desc, &s.hair));
    return s;
}

static void couple(struct subject *s) {
    static uint32_t numbers[MOST_VERTICES];
    static float weights[MOST_VERTICES];
    struct call call = {0};
    struct hair *hair = enter(&call, s->hair);
    struct cell_grid grid = s->grid;
    assert_ok(hair_couple(&call, hair, &mates, &grid));
    memset(&grid, 0, sizeof grid); // the hair has its own
    hair_leave(&call, hair);
    for (uint32_t v = 0; v < s->vertices; v++) {
        numbers[v] = v;
        weights[v] = weight_of(v);
    }
    copy_state(s, NUMBERS, numbers, true);
    copy_state(s, WEIGHTS, weights, true);
}

static plait_output_desc describe(const struct subject *s, float *memory, plait_output_attribute *attribute) {
    *attribute = (plait_output_attribute)PLAIT_OUTPUT_ATTRIBUTE_INIT;
    attribute->attribute = PLAIT_ATTRIBUTE_POSITION;
    attribute->format = PLAIT_FORMAT_FLOAT32X3;
    attribute->stride = 12;
    plait_output_desc desc = PLAIT_OUTPUT_DESC_INIT;
    desc.attribute_count = 1;
    desc.attributes = attribute;
    desc.memory = memory;
    desc.size = 12ull * s->vertices;
    return desc;
}

static void show(struct subject *s, float *memory) {
    plait_output_attribute attribute;
    plait_output_desc desc = describe(s, memory, &attribute);
    assert_ok(plait_hair_set_output(s->hair, &desc));
    s->shows = true;
}

static void step(struct subject *s) {
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT; // no gravity: strands stay as they are
    frame.dt = 1.0f / 60;
    assert_ok(plait_hair_step(s->hair, &frame));
    s->ticks[STEPS] += ROUNDS;
    s->ticks[FRAMES] += s->shows;
}

static void reset(struct subject *s, const float bones[12]) {
    assert_ok(plait_hair_reset(s->hair, 1, bones));
    s->ticks[RESTS]++;
}

// ---- what must hold ----

static void expect_ticks(const struct subject *s) {
    uint32_t ticks[TICKS];
    read_words(s, COUNTERS, ticks, TICKS);
    for (int t = 0; t < TICKS; t++) assert_int_equal(ticks[t], s->ticks[t]);
}

// State as the test has given it or as steps have left it: read before and after, it must be the same.
struct state {
    uint32_t mates[MOST_VERTICES], numbers[MOST_VERTICES], weights[MOST_VERTICES], counters[TICKS];
};

static void read_state(const struct subject *s, struct state *state) {
    memset(state, 0, sizeof *state);
    copy_state(s, MATES, state->mates, false);
    copy_state(s, NUMBERS, state->numbers, false);
    copy_state(s, WEIGHTS, state->weights, false);
    copy_state(s, COUNTERS, state->counters, false);
    for (uint32_t v = 0; v < s->vertices; v++) assert_int_equal(state->numbers[v], v);
}

// The key of a position, or how many cells there are. No position is near a border.
static uint32_t key_of(const struct cell_grid *grid, const float *position) {
    uint32_t cell[3];
    bool inside = true;
    for (int c = 0; c < 3; c++) {
        double place = ((double)position[c] - grid->low[c]) / grid->size;
        assert_true(fabs(place - nearbyint(place)) * grid->size > 0.2 * SPACING_M);
        inside = inside && place >= 0 && place < grid->counts[c];
        cell[c] = inside ? (uint32_t)place : 0;
    }
    return inside ? (cell[2] * grid->counts[1] + cell[1]) * grid->counts[0] + cell[0] : cell_grid_cells(grid);
}

struct cells {
    uint32_t counts[MOST_CELLS + 1], lows[MOST_CELLS + 1], highs[MOST_CELLS + 1];
    float weights[MOST_CELLS + 1];
};

static void expect_cells(const struct subject *s, const struct cells *cells) {
    static uint32_t words[MOST_CELLS];
    const uint32_t count = cell_grid_cells(&s->grid);
    read_words(s, CELL_COUNTS, words, count);
    assert_memory_equal(words, cells->counts, count * sizeof *words);
    read_words(s, CELL_LOWS, words, count);
    assert_memory_equal(words, cells->lows, count * sizeof *words);
    read_words(s, CELL_HIGHS, words, count);
    assert_memory_equal(words, cells->highs, count * sizeof *words);
    read_words(s, CELL_WEIGHTS, words, count);
    assert_memory_equal(words, cells->weights, count * sizeof *words);
}

static void expect_runs(const struct subject *s, const struct cells *cells) {
    static uint32_t starts[MOST_VERTICES + 1], run_cells[MOST_VERTICES], run_counts[MOST_VERTICES];
    uint32_t inside[2], run = 0, at = 0;
    read_words(s, INSIDE, inside, 2);
    read_words(s, STARTS, starts, inside[1] + 1);
    read_words(s, RUN_CELLS, run_cells, inside[1]);
    read_words(s, RUN_COUNTS, run_counts, inside[1] + 1);
    for (uint32_t cell = 0; cell < cell_grid_cells(&s->grid); cell++) {
        if (!cells->counts[cell]) continue;
        assert_true(run < inside[1]);
        assert_int_equal(starts[run], at);
        assert_int_equal(run_cells[run], cell);
        assert_int_equal(run_counts[run], cells->counts[cell]);
        at += cells->counts[cell];
        run++;
    }
    assert_int_equal(inside[0], at);
    assert_int_equal(inside[1], run);
    assert_int_equal(starts[run], at);
    assert_int_equal(run_counts[run], UNTOUCHED); // beyond the count nobody writes
    assert_true(at > 0 && at < s->vertices && run < at);
}

static void expect_mates(struct subject *s) {
    static float positions[MOST_VERTICES][3];
    static uint32_t keys[MOST_VERTICES], found[MOST_VERTICES], shown[MOST_VERTICES];
    static struct cells cells;
    const uint32_t none = cell_grid_cells(&s->grid);
    plait_output_attribute attribute;
    plait_output_desc desc = describe(s, &positions[0][0], &attribute);
    assert_ok(plait_hair_read(s->hair, &desc));
    s->ticks[FRAMES]++;
    memset(&cells, 0, sizeof cells);
    memset(cells.lows, 0xff, sizeof cells.lows);
    for (uint32_t v = 0; v < s->vertices; v++) {
        uint32_t key = keys[v] = key_of(&s->grid, positions[v]);
        cells.counts[key]++;
        cells.weights[key] += weight_of(v); // exact: multiples of 1/64, and not many
        if (v < cells.lows[key]) cells.lows[key] = v;
        if (v > cells.highs[key]) cells.highs[key] = v;
    }
    copy_state(s, MATES, found, false);
    copy_state(s, SHOWN, shown, false);
    for (uint32_t v = 0; v < s->vertices; v++) {
        assert_int_equal(found[v], keys[v] == none ? 0 : cells.counts[keys[v]]);
        assert_int_equal(shown[v], found[v]);
    }
    expect_cells(s, &cells);
    expect_runs(s, &cells);
    expect_ticks(s);
}

static uint32_t runs_of(const struct subject *s, const char *kernel) {
    plait_stage_info stages[64];
    for (int k = 0; k < 64; k++) stages[k] = (plait_stage_info)PLAIT_STAGE_INFO_INIT;
    uint32_t count = 64, runs = 0;
    assert_ok(plait_hair_stages(s->hair, &count, stages));
    for (uint32_t k = 0; k < count; k++)
        if (strcmp(stages[k].name, kernel) == 0) runs = (uint32_t)stages[k].run_count;
    return runs;
}

// ---- on one device after the other ----

static struct state before, after;

// A hair comes here from where it was, runs, is put elsewhere, runs again; what it has then goes on in another hair.
static void visit(struct subject *s, struct subject *other, plait_device device, const float bones[12]) {
    uint64_t size = 0;
    read_state(s, &before);
    assert_ok(plait_hair_set_device(s->hair, device));
    read_state(s, &after);
    assert_memory_equal(&before, &after, sizeof before);
    uint32_t runs = runs_of(s, "run_sizes");
    step(s);
    expect_mates(s);
    reset(s, bones);
    read_state(s, &after);
    for (uint32_t v = 0; v < s->vertices; v++) assert_int_equal(after.mates[v], 0);
    expect_ticks(s);
    step(s);
    expect_mates(s);
    assert_int_equal(runs_of(s, "run_sizes") - runs, 2 * ROUNDS);

    assert_ok(plait_hair_state_size(s->hair, &size));
    void *blob = malloc(size);
    assert_non_null(blob);
    assert_ok(plait_hair_save(s->hair, blob, size));
    assert_ok(plait_hair_load(other->hair, blob, size));
    free(blob);
    memcpy(other->ticks, s->ticks, sizeof other->ticks);
    read_state(s, &before);
    read_state(other, &after);
    assert_memory_equal(&before, &after, sizeof before);
    step(other); // by its own parameters: larger cells
    expect_mates(other);
}

static void check_coupling(uint32_t threads, uint32_t strands, bool gpus) {
    static float memory[MOST_VERTICES * 3];
    plait_context context;
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    desc.thread_count = threads;
    assert_ok(plait_context_create(&desc, &context));
    plait_device devices[PLACES];
    bool there[PLACES];
    for (size_t i = 0; i < PLACES; i++) {
        bool wanted = gpus || places[i].backend == PLAIT_BACKEND_CPU;
        there[i] = wanted && place_open(&places[i], context, &devices[i]);
    }
    struct subject s = make_subject(context, devices[0], strands, 0.025f);
    struct subject other = make_subject(context, devices[0], strands, 0.05f);
    step(&s);
    memset(s.ticks, 0, sizeof s.ticks); // there is nobody yet to count
    couple(&s);
    couple(&other);
    step(&s);
    expect_mates(&s);
    show(&s, memory);
    for (size_t i = 0; i < PLACES; i++)
        if (there[i]) visit(&s, &other, devices[i], i % 2 ? upright : turned);
    assert_ok(plait_hair_destroy(s.hair));
    assert_ok(plait_hair_destroy(other.hair));
    assert_ok(plait_groom_destroy(s.groom));
    assert_ok(plait_groom_destroy(other.groom));
    for (size_t i = 0; i < PLACES; i++)
        if (there[i]) assert_ok(plait_device_close(devices[i]));
    assert_ok(plait_context_destroy(context));
}

static void neighbours_are_counted_alike_everywhere(void **state) {
    (void)state;
    check_coupling(1, FEW, true);
    places_close();
}

static void neighbours_are_counted_alike_by_one_to_eight_threads(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= MOST_THREADS; threads++) check_coupling(threads, MANY, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(neighbours_are_counted_alike_everywhere),
                                       cmocka_unit_test(neighbours_are_counted_alike_by_one_to_eight_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
