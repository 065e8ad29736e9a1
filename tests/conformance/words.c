#include "words.h"
#include "places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_THREADS = 8, MOST_SPOTS = 128, ARRAYS = 128, SMALL_TILE = 192, BEYOND = 5 };
#define UNTOUCHED 0xabababab

// A device, and how it is to run.
struct spot {
    char name[64];
    struct device *device;
    bool gpu;
    enum override_use overrides;
    uint32_t threads;
};

static plait_context contexts[MOST_THREADS]; // with one thread, with two, ...
static plait_device handles[MOST_THREADS][PLACES];
static struct spot spots[MOST_SPOTS];
static uint32_t spot_count, run_number;
static uint32_t *arrays[ARRAYS];
static uint32_t array_count;

static struct device *device_of(plait_device handle) {
    struct call call = {.function = __func__};
    struct object *object;
    assert_int_equal(call_enter(&call, handle.id, OBJECT_DEVICE, false, &object), PLAIT_OK);
    call_leave_object(&call, object, false);
    return (struct device *)object; // alive while its handle is
}

static void add_spot(const struct place *place, plait_device handle, uint32_t threads, enum override_use overrides) {
    assert_true(spot_count < MOST_SPOTS);
    struct spot *spot = &spots[spot_count++];
    spot->device = device_of(handle);
    spot->gpu = place->backend != PLAIT_BACKEND_CPU;
    spot->overrides = overrides;
    spot->threads = threads;
    snprintf(spot->name, sizeof spot->name, "%s%s, %u threads", place->name,
             overrides == OVERRIDES_NEVER && !spot->gpu ? " by plain kernels" : "", threads);
}

void words_open(void) {
    for (uint32_t t = 0; t < MOST_THREADS; t++) {
        plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
        desc.thread_count = t + 1;
        assert_int_equal(plait_context_create(&desc, &contexts[t]), PLAIT_OK);
        for (size_t i = 0; i < PLACES; i++) {
            bool cpu = places[i].backend == PLAIT_BACKEND_CPU;
            if ((!cpu && t > 0) || !place_open(&places[i], contexts[t], &handles[t][i])) continue;
            add_spot(&places[i], handles[t][i], t + 1, OVERRIDES_BY_COUNT);
            if (cpu) add_spot(&places[i], handles[t][i], t + 1, OVERRIDES_NEVER);
        }
    }
    assert_true(spot_count > 0);
}

void words_close(void) {
    for (uint32_t t = 0; t < MOST_THREADS; t++) {
        for (size_t i = 0; i < PLACES; i++)
            if (handles[t][i].id) assert_int_equal(plait_device_close(handles[t][i]), PLAIT_OK);
        assert_int_equal(plait_context_destroy(contexts[t]), PLAIT_OK);
    }
    places_close();
}

// ---- one run ----

uint32_t run_random(struct run *run) {
    run->random = run->random * 1664525u + 1013904223u;
    return run->random >> 8 ^ run->random << 13;
}

uint32_t run_tiles(const struct run *run) { return (run->size.items + run->size.tile - 1) / run->size.tile; }

uint32_t *run_array(struct run *run, uint32_t count) {
    (void)run;
    assert_true(array_count < ARRAYS);
    uint32_t *array = calloc(count + 1, sizeof *array);
    assert_non_null(array);
    return arrays[array_count++] = array;
}

const struct buffer *run_buffer(struct run *run, const uint32_t *content, uint32_t count, uint32_t room) {
    assert_true(run->buffer_count < RUN_BUFFERS);
    uint32_t b = run->buffer_count++, words = room + BEYOND, *whole = run_array(run, words);
    for (uint32_t i = 0; i < words; i++) whole[i] = content && i < count ? content[i] : UNTOUCHED;
    const struct device_ops *ops = run->device->ops;
    struct buffer *buffer = &run->buffers[b];
    assert_int_equal(ops->buffer_create(run->arena, words * sizeof *whole, USE_PLAIN, buffer), PLAIT_OK);
    assert_int_equal(ops->buffer_write(buffer, 0, whole, words * sizeof *whole), PLAIT_OK);
    run->contents[b] = whole;
    return buffer;
}

void run_go(struct run *run) {
    const struct device_ops *ops = run->device->ops;
    struct phase phases[RUN_STAGES];
    struct schedule schedule;
    struct plan *plan;
    struct plan_size size = {1, run->device->pack_width, run->device->pack_width, NULL};
    assert_true(schedule_make(&run->list, phases, &schedule));
    assert_int_equal(ops->plan_create(run->arena, run->list.count, &size, &plan), PLAIT_OK);
    assert_int_equal(ops->plan_set(plan, &schedule), PLAIT_OK);
    assert_int_equal(ops->plan_run(plan), PLAIT_OK);
    assert_int_equal(ops->wait(run->arena, UINT64_MAX), PLAIT_OK);
    ops->plan_destroy(plan);
}

void run_expect(const struct run *run, const struct buffer *buffer, const uint32_t *expected, uint32_t count,
                const char *what) {
    const size_t words = buffer->size / sizeof(uint32_t);
    const uint32_t *before = run->contents[buffer - run->buffers];
    uint32_t *got = malloc(buffer->size);
    assert_non_null(got);
    assert_int_equal(run->device->ops->buffer_read(buffer, 0, got, buffer->size), PLAIT_OK);
    for (size_t i = 0; i < words; i++) {
        uint32_t wanted = i < count ? expected[i] : before[i];
        if (got[i] == wanted) continue;
        const struct size *s = &run->size;
        fail_msg("%s on %s: word %zu is %u, not %u%s; %u items, tiles of %u, %s %u, capacity %u", what, run->where, i,
                 got[i], wanted, i < count ? "" : " as it was", s->items, s->tile, s->counted ? "counter" : "fixed",
                 s->counter, s->capacity);
    }
    free(got);
}

static void check_size(const struct spot *spot, const struct size *size, void (*check)(struct run *)) {
    struct run run = {.where = spot->name, .device = spot->device, .gpu = spot->gpu, .size = *size};
    const struct device_ops *ops = spot->device->ops;
    run.random = run.number = run_number++;
    run.list = (struct stage_list){.stages = run.stages, .capacity = RUN_STAGES};
    spot->device->overrides = spot->overrides;
    assert_int_equal(ops->arena_create(spot->device, 1, NULL, &run.arena), PLAIT_OK);
    run.domain = (struct domain){.count = size->capacity, .tile = size->tile};
    if (size->counted) {
        const uint32_t words[3] = {77, size->counter, 88};
        run.domain.counter = run_buffer(&run, words, 3, 3);
        run.domain.counter_at = 1;
    }
    check(&run);
    for (uint32_t b = 0; b < run.buffer_count; b++) ops->buffer_destroy(&run.buffers[b]);
    ops->arena_destroy(run.arena);
    while (array_count) free(arrays[--array_count]);
}

// ---- sizes ----

// Fixed; counted, with capacity to spare, with none, and by a counter that says more than that. GPUs here are software: they
// get half of it, in turns.
static void check_items(const struct spot *spot, uint32_t items, uint32_t tile, void (*check)(struct run *)) {
    struct size sizes[] = {{items, tile, false, 0, items},
                           {items, tile, true, items, items + 300},
                           {items, tile, true, items, items},
                           {items, tile, true, items + 7, items}};
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i].capacity && (!spot->gpu || i % 2 != items % 2)) check_size(spot, &sizes[i], check);
}

void words_everywhere(void (*check)(struct run *run), bool threaded) {
    static const uint32_t few[] = {0, 1, 127, 128, 129, SMALL_TILE - 1, SMALL_TILE, SMALL_TILE + 1};
    run_number = 0;
    for (uint32_t s = 0; s < spot_count; s++) {
        const struct spot *spot = &spots[s];
        const uint32_t tile = spot->device->tile;
        if (spot->threads > 1 && !threaded) continue;
        if (spot->threads == 1) {
            for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) check_items(spot, few[i], SMALL_TILE, check);
            for (uint32_t items = tile - 1; items <= tile + 1; items++) check_items(spot, items, tile, check);
        }
        // More tiles than a group has threads; and what is worth handing out to several threads.
        const uint32_t many = spot->gpu ? 130 * SMALL_TILE + 7 : 100000;
        const uint32_t large = spot->gpu ? 2 * tile + 904 : 100000;
        check_size(spot, &(struct size){many, SMALL_TILE, true, many, many + 1000}, check);
        check_size(spot, &(struct size){large, tile, false, 0, large}, check);
    }
}
