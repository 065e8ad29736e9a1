// Arenas on every device: as many buffers and plans as somebody asks for.
#include "device.h"
#include "places.h"
#include "trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MANY = 80, GROUP = 4, SIZE_WORDS = 4 };

struct part {
    struct buffer counter, sizes;
    struct plan *plan;
};

// A plan that turns a number, which core writes, into the size of a dispatch.
static void make_part(const struct device_ops *ops, struct arena *arena, struct part *part) {
    const struct plan_size size = {.packs = 1, .width = 1, .vertices = 1};
    assert_int_equal(ops->buffer_create(arena, sizeof(uint32_t), USE_DYNAMIC, &part->counter), PLAIT_OK);
    assert_int_equal(ops->buffer_create(arena, SIZE_WORDS * sizeof(uint32_t), USE_STATE, &part->sizes), PLAIT_OK);
    struct stage stage = {.kernel = KERNEL_dispatch_size,
                          .domain = {.count = 1},
                          .buffers.dispatch_size = {.counter_in = &part->counter, .sizes = &part->sizes},
                          .values.dispatch_size = {.capacity = UINT32_MAX, .group = GROUP}};
    struct stage_list list = {.stages = &stage, .count = 1, .capacity = 1};
    struct phase phase;
    struct schedule schedule;
    assert_true(schedule_make(&list, &phase, &schedule));
    assert_int_equal(ops->plan_create(arena, 1, &size, &part->plan), PLAIT_OK);
    assert_int_equal(ops->plan_set(part->plan, &schedule), PLAIT_OK);
}

static uint32_t number_of(uint32_t i) { return 1000 + i * GROUP; }

static void check_part(const struct device_ops *ops, const struct part *part, uint32_t i) {
    uint32_t sizes[SIZE_WORDS];
    assert_int_equal(ops->buffer_read(&part->sizes, 0, sizes, sizeof sizes), PLAIT_OK);
    assert_int_equal(sizes[0], number_of(i) / GROUP);
}

static void free_part(const struct device_ops *ops, struct part *part) {
    ops->plan_destroy(part->plan);
    ops->buffer_destroy(&part->counter);
    ops->buffer_destroy(&part->sizes);
}

static void run_parts(const struct device_ops *ops, struct arena *arena, struct part *parts, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = number_of(i);
        assert_int_equal(ops->buffer_write(&parts[i].counter, 0, &number, sizeof number), PLAIT_OK);
    }
    for (uint32_t i = 0; i < count; i++) assert_int_equal(ops->plan_run(parts[i].plan), PLAIT_OK);
    if (ops->rescue) assert_int_equal(ops->rescue(arena, 1), PLAIT_OK);
    assert_int_equal(ops->wait(arena, UINT64_MAX), PLAIT_OK);
    for (uint32_t i = 0; i < count; i++) check_part(ops, &parts[i], i);
}

// Also when the first of them go again.
static void any_number_of_buffers_and_plans_fits(void **state) {
    (void)state;
    static struct part parts[MANY];
    for (size_t place = 0; place < PLACES; place++) {
        struct device *device = trial_device(place);
        if (!device) continue;
        struct arena *arena;
        assert_int_equal(device->ops->arena_create(device, 1, NULL, &arena), PLAIT_OK);
        for (uint32_t i = 0; i < MANY; i++) make_part(device->ops, arena, &parts[i]);
        run_parts(device->ops, arena, parts, MANY);
        for (uint32_t i = 0; i < MANY / 2; i++) free_part(device->ops, &parts[i]);
        run_parts(device->ops, arena, parts + MANY / 2, MANY / 2);
        for (uint32_t i = MANY / 2; i < MANY; i++) free_part(device->ops, &parts[i]);
        device->ops->arena_destroy(arena);
    }
}

static int open_all(void **state) {
    (void)state;
    trials_open();
    return 0;
}

static int close_all(void **state) {
    (void)state;
    trials_close();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_of_buffers_and_plans_fits)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
