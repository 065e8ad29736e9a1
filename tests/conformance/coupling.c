// A coupling on a hair that runs, on every device: its stages sort keys and find who shares one, by global stages, a count
// that only the device knows, and a run of stages that repeats. Its state travels with the hair. On the CPU with one to eight
// threads.
#include "blocks.h"
#include "hair.h"
#include "places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define assert_ok(call) assert_int_equal((call), PLAIT_OK)

// FEW: for GPUs, which are software here. KEYS: enough for the CPU to hand out to threads.
enum { KEYS = 70000, FEW = 1500, MOST_THREADS = 8, CELLS = 200, STRANDS = 70, VERTICES = 5, ROWS = 5, ROUNDS = 3 };

enum {
    CELL_KEYS,
    MARKS,
    SORTED,
    INDICES,
    SPARE_KEYS,
    SPARE_INDICES,
    HEADS,
    OFFSETS,
    STARTS,
    COUNT,
    NUMBERS,
    SCRATCH,
    MATES_DATA
};

static const struct data_decl decls[MATES_DATA] = {
    [CELL_KEYS] = {.name = "keys", .per = FIXED, .rows = KEYS, .role = DATA_STATE, .whole = true},
    [MARKS] = {.name = "marks", .per = PER_VERTEX, .rows = ROWS, .role = DATA_STATE, .whole = true},
    [SORTED] = {.name = "sorted keys", .per = FIXED, .rows = KEYS, .role = DATA_WORK},
    [INDICES] = {.name = "indices", .per = FIXED, .rows = KEYS, .role = DATA_WORK},
    [SPARE_KEYS] = {.name = "spare keys", .per = FIXED, .rows = KEYS, .role = DATA_WORK},
    [SPARE_INDICES] = {.name = "spare indices", .per = FIXED, .rows = KEYS, .role = DATA_WORK},
    [HEADS] = {.name = "heads", .per = FIXED, .rows = KEYS, .role = DATA_WORK},
    [OFFSETS] = {.name = "offsets", .per = FIXED, .rows = KEYS, .role = DATA_WORK},
    [STARTS] = {.name = "starts", .per = FIXED, .rows = KEYS + 1, .role = DATA_WORK},
    [COUNT] = {.name = "count", .per = FIXED, .rows = 1, .role = DATA_WORK},
    [NUMBERS] = {.name = "numbers", .per = FIXED, .rows = KEYS, .role = DATA_WORK},
    [SCRATCH] = {.name = "scratch", .role = DATA_WORK},
};

static uint32_t key_count(uint32_t backend) { return backend == PLAIT_BACKEND_CPU ? KEYS : FEW; }

static struct domain keys_domain(const struct hair *hair) {
    const struct device *device = hair->on.device;
    return (struct domain){.count = key_count(device->info.backend), .tile = device->tile};
}

static plait_result mates_create(struct call *call, struct hair *hair, uint32_t index) {
    struct domain domain = keys_domain(hair);
    uint32_t words = blocks_sort_scratch(&domain), scan = blocks_scan_scratch(&domain);
    return hair_make_data(call, hair, SET_COUPLINGS + index, SCRATCH, 4ull * (words > scan ? words : scan), NULL);
}

static void mates_stages(struct hair *hair, uint32_t index, struct stage_list *list) {
    struct buffer *b = hair->on.sets[SET_COUPLINGS + index].buffers;
    struct domain all = keys_domain(hair);
    uint32_t first = list->count;
    blocks_copy(list, &b[CELL_KEYS], &b[SORTED], &all);
    blocks_fill(list, &b[INDICES], 0, 1, &all);
    struct pairs sorted = blocks_sort(list, (struct pairs){&b[SORTED], &b[INDICES]},
                                      (struct pairs){&b[SPARE_KEYS], &b[SPARE_INDICES]}, &b[SCRATCH], 8, &all);
    blocks_runs(list, sorted.keys, &b[HEADS], &b[OFFSETS], &b[STARTS], (struct word){&b[COUNT], 0}, &b[SCRATCH], &all);
    struct domain runs = {.count = all.count, .tile = all.tile, .counter = &b[COUNT]};
    blocks_fill(list, &b[NUMBERS], 7, 2, &runs);
    stage_repeat(list, first, ROUNDS);
}

static const struct coupling mates = {
    .name = "mates", .decls = decls, .decl_count = MATES_DATA, .create = mates_create, .step_stages = mates_stages};

// ---- a hair ----

static plait_hair make_hair(plait_context context, plait_device device, plait_groom *groom) {
    static float positions[STRANDS * VERTICES][3];
    static uint32_t counts[STRANDS];
    for (uint32_t v = 0; v < STRANDS * VERTICES; v++) {
        positions[v][0] = 0.01f * (float)(v / VERTICES);
        positions[v][1] = -0.01f * (float)(v % VERTICES);
        counts[v / VERTICES] = VERTICES;
    }
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    desc.strand_count = STRANDS;
    desc.vertex_counts = counts;
    desc.positions = &positions[0][0];
    desc.bone_count = 1;
    assert_ok(plait_groom_create(context, &desc, groom));
    plait_hair_desc hair_desc = PLAIT_HAIR_DESC_INIT;
    hair_desc.groom = *groom;
    hair_desc.device = device;
    hair_desc.solver = PLAIT_SOLVER_SHAPE;
    plait_hair hair;
    assert_ok(plait_hair_create(context, &hair_desc, &hair));
    return hair;
}

static struct hair *enter(struct call *call, plait_hair handle) {
    struct hair *hair;
    call->function = "test";
    assert_ok(hair_enter(call, handle, &hair));
    return hair;
}

static void copy_data(plait_hair handle, uint32_t which, void *words, bool to_device) {
    struct call call = {0};
    struct hair *hair = enter(&call, handle);
    assert_ok(hair_copy_data(hair, &hair->on, SET_COUPLINGS, which, words, to_device));
    hair_leave(&call, hair);
}

static void couple(plait_hair handle) {
    struct call call = {0};
    struct hair *hair = enter(&call, handle);
    assert_ok(hair_couple(&call, hair, &mates, NULL));
    hair_leave(&call, hair);
}

static void step(plait_hair hair) {
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    assert_ok(plait_hair_step(hair, &frame));
}

static uint32_t key_of(uint32_t i) { return i * 2654435761u >> 16 & 0xff ? (i * 40503u >> 3) % CELLS : 3; }

// ---- what must hold ----

static void expect_state(plait_hair hair) {
    static uint32_t keys[KEYS], marks[STRANDS * VERTICES * ROWS];
    copy_data(hair, CELL_KEYS, keys, false);
    copy_data(hair, MARKS, marks, false);
    for (uint32_t i = 0; i < KEYS; i++) assert_int_equal(keys[i], key_of(i));
    for (uint32_t i = 0; i < STRANDS * VERTICES * ROWS; i++) assert_int_equal(marks[i], 1000 + i);
}

static void expect_mates(plait_hair hair, uint32_t keys) {
    static uint32_t starts[KEYS + 1], numbers[KEYS], sizes[CELLS];
    uint32_t count, run = 0;
    copy_data(hair, COUNT, &count, false);
    copy_data(hair, STARTS, starts, false);
    copy_data(hair, NUMBERS, numbers, false);
    memset(sizes, 0, sizeof sizes);
    for (uint32_t i = 0; i < keys; i++) sizes[key_of(i)]++;
    for (uint32_t cell = 0; cell < CELLS; cell++)
        if (sizes[cell]) {
            assert_int_equal(starts[run + 1] - starts[run], sizes[cell]);
            assert_int_equal(numbers[run], 7 + 2 * run);
            run++;
        }
    assert_int_equal(count, run);
    assert_true(run < keys);
    assert_int_equal(numbers[run], 0); // beyond the count nobody writes
}

static void set_state(plait_hair hair) {
    static uint32_t keys[KEYS], marks[STRANDS * VERTICES * ROWS];
    for (uint32_t i = 0; i < KEYS; i++) keys[i] = key_of(i);
    for (uint32_t i = 0; i < STRANDS * VERTICES * ROWS; i++) marks[i] = 1000 + i;
    copy_data(hair, CELL_KEYS, keys, true);
    copy_data(hair, MARKS, marks, true);
}

static void check_coupling(uint32_t threads) {
    plait_context context;
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    desc.thread_count = threads;
    assert_ok(plait_context_create(&desc, &context));
    plait_device devices[PLACES];
    plait_groom groom, other_groom;
    bool there[PLACES];
    for (size_t i = 0; i < PLACES; i++) {
        bool wanted = threads == 1 || places[i].backend == PLAIT_BACKEND_CPU;
        there[i] = wanted && place_open(&places[i], context, &devices[i]);
    }
    plait_hair hair = make_hair(context, devices[0], &groom), other = make_hair(context, devices[0], &other_groom);
    step(hair);
    couple(hair);
    couple(other);
    set_state(hair);
    uint64_t size = 0;
    assert_ok(plait_hair_state_size(hair, &size));
    void *blob = malloc(size);
    assert_non_null(blob);
    for (size_t i = 0; i < PLACES; i++) {
        if (!there[i]) continue;
        assert_ok(plait_hair_set_device(hair, devices[i]));
        expect_state(hair);
        step(hair);
        step(hair);
        expect_mates(hair, key_count(places[i].backend));
        assert_ok(plait_hair_save(hair, blob, size));
        assert_ok(plait_hair_load(other, blob, size));
        expect_state(other);
    }
    plait_stage_info stages[64];
    for (int k = 0; k < 64; k++) stages[k] = (plait_stage_info)PLAIT_STAGE_INFO_INIT;
    uint32_t count = 64, copies = 0;
    assert_ok(plait_hair_stages(hair, &count, stages));
    for (uint32_t k = 0; k < count; k++)
        if (strcmp(stages[k].name, "copy") == 0) copies = (uint32_t)stages[k].run_count;
    assert_int_equal(copies, 2 * ROUNDS); // of the two steps on this device
    free(blob);
    assert_ok(plait_hair_destroy(hair));
    assert_ok(plait_hair_destroy(other));
    assert_ok(plait_groom_destroy(groom));
    assert_ok(plait_groom_destroy(other_groom));
    for (size_t i = 0; i < PLACES; i++)
        if (there[i]) assert_ok(plait_device_close(devices[i]));
    assert_ok(plait_context_destroy(context));
}

static void a_coupling_runs_and_travels_with_its_hair(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= MOST_THREADS; threads++) check_coupling(threads);
    places_close();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_coupling_runs_and_travels_with_its_hair)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
