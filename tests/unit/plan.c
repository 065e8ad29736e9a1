// How core cuts a list of stages into phases, and in which order devices walk them.
#include "device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 16 };

static struct buffer some, counter, other_counter;

struct list {
    struct stage stages[ROOM];
    struct phase phases[ROOM];
    struct stage_list list;
    struct schedule schedule;
};

static void begin(struct list *l) {
    *l = (struct list){0};
    l->list = (struct stage_list){.stages = l->stages, .capacity = ROOM};
}

static void add(struct list *l, uint32_t kernel, struct domain domain) {
    struct stage stage = {.kernel = kernel, .domain = domain};
    for (uint32_t b = 0; b < kernel_infos[kernel].binding_count; b++) stage.bindings[b] = &some;
    stage_add(&l->list, stage);
}

static struct domain items(uint32_t count) { return (struct domain){.count = count}; }
static struct domain packs(void) { return (struct domain){0}; }

static bool make(struct list *l) { return schedule_make(&l->list, l->phases, &l->schedule); }

// The stages of each phase by number of stages, "2 1": two share the first, the second has one.
static void expect_phases(struct list *l, const char *expected) {
    char text[4 * ROOM] = "";
    assert_true(make(l));
    for (uint32_t p = 0, first = 0; p < l->schedule.phase_count; p++) {
        assert_int_equal(l->phases[p].first, first);
        first += l->phases[p].count;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", p ? " " : "", l->phases[p].count);
    }
    assert_string_equal(text, expected);
}

// Phases in the order they run, a letter for each.
static void expect_walk(struct list *l, const char *expected) {
    char text[256] = "";
    uint32_t stages = 0;
    assert_true(make(l));
    for (struct cursor c = {0}; schedule_next(&l->schedule, &c);) {
        size_t length = strlen(text);
        assert_true(length + 1 < sizeof text);
        text[length] = (char)('A' + c.phase);
        stages += l->phases[c.phase].count;
    }
    assert_string_equal(text, expected);
    assert_int_equal(l->schedule.run_count, stages);
}

// ---- phases ----

static void local_stages_of_one_domain_share_a_phase(void **state) {
    (void)state;
    struct list l;
    begin(&l);
    expect_phases(&l, "");
    add(&l, KERNEL_roots, packs());
    expect_phases(&l, "1");
    add(&l, KERNEL_snapshot, packs());
    add(&l, KERNEL_shape, packs());
    expect_phases(&l, "3");
    add(&l, KERNEL_fill, items(10));
    add(&l, KERNEL_copy, items(10));
    expect_phases(&l, "3 2");
}

static void a_global_stage_has_a_phase_to_itself(void **state) {
    (void)state;
    struct list l;
    begin(&l);
    add(&l, KERNEL_fill, items(10));
    add(&l, KERNEL_run_heads, items(10));
    add(&l, KERNEL_compact, items(10));
    add(&l, KERNEL_copy, items(10));
    add(&l, KERNEL_fill, items(10));
    expect_phases(&l, "1 1 1 2");
}

static void stages_of_different_domains_do_not_share_one(void **state) {
    (void)state;
    const struct domain domains[] = {{.count = 10},
                                     {.count = 11},
                                     {.count = 11, .first = 1},
                                     {.count = 11, .first = 1, .counter = &counter},
                                     {.count = 11, .first = 1, .counter = &other_counter},
                                     {.count = 11, .first = 1, .counter = &other_counter, .counter_at = 1}};
    struct list l;
    begin(&l);
    for (size_t i = 0; i < sizeof domains / sizeof domains[0]; i++) add(&l, KERNEL_fill, domains[i]);
    add(&l, KERNEL_copy, domains[5]);
    expect_phases(&l, "1 1 1 1 1 2");
    begin(&l);
    add(&l, KERNEL_roots, (struct domain){.count = 10});
    add(&l, KERNEL_fill, items(10)); // ten words are not ten packs
    expect_phases(&l, "1 1");
}

// ---- repeats ----

static void without_repeats_phases_run_once(void **state) {
    (void)state;
    struct list l;
    begin(&l);
    expect_walk(&l, "");
    add(&l, KERNEL_roots, packs());
    add(&l, KERNEL_snapshot, packs());
    add(&l, KERNEL_fill, items(1));
    stage_repeat(&l.list, 0, 1); // once is no repeat
    stage_repeat(&l.list, 3, 9); // nor is nothing, however often
    expect_walk(&l, "AB");
    assert_int_equal(l.schedule.run_count, 3);
}

static void a_run_of_phases_repeats(void **state) {
    (void)state;
    struct list l;
    begin(&l);
    add(&l, KERNEL_fill, items(1));
    add(&l, KERNEL_run_heads, items(1));
    add(&l, KERNEL_compact, items(1));
    stage_repeat(&l.list, 1, 3);
    add(&l, KERNEL_copy, items(1));
    expect_walk(&l, "ABCBCBCD");
    assert_int_equal(l.schedule.run_count, 8);
}

static void a_single_phase_repeats(void **state) {
    (void)state;
    struct list l;
    begin(&l);
    add(&l, KERNEL_roots, packs());
    add(&l, KERNEL_snapshot, packs());
    stage_repeat(&l.list, 0, 4);
    expect_walk(&l, "AAAA");
    assert_int_equal(l.schedule.run_count, 8);
}

static void a_repeat_cuts_what_would_share_a_phase(void **state) {
    (void)state;
    struct list l;
    begin(&l);
    add(&l, KERNEL_roots, packs());
    add(&l, KERNEL_snapshot, packs());
    add(&l, KERNEL_carry, packs());
    stage_repeat(&l.list, 1, 2);
    add(&l, KERNEL_rest, packs());
    expect_phases(&l, "1 2 1");
    expect_walk(&l, "ABBC");
    assert_int_equal(l.schedule.run_count, 6);
}

static void repeats_follow_each_other(void **state) {
    (void)state;
    struct list l;
    begin(&l);
    add(&l, KERNEL_fill, items(1));
    stage_repeat(&l.list, 0, 2);
    add(&l, KERNEL_fill, items(1));
    add(&l, KERNEL_compact, items(1));
    stage_repeat(&l.list, 1, 3);
    add(&l, KERNEL_fill, items(1));
    stage_repeat(&l.list, 3, 2);
    expect_walk(&l, "AABCBCBCDD");
    assert_int_equal(l.schedule.run_count, 10);
    struct repeat first = l.list.repeats[0]; // their order in the list says nothing
    l.list.repeats[0] = l.list.repeats[2];
    l.list.repeats[2] = first;
    expect_walk(&l, "AABCBCBCDD");
}

// ---- what is refused ----

static void a_missing_binding_is_refused(void **state) {
    (void)state;
    for (uint32_t kernel = 0; kernel < KERNEL_COUNT; kernel++)
        for (uint32_t b = 0; b < kernel_infos[kernel].binding_count; b++) {
            struct list l;
            bool of_plan = kernel_infos[kernel].domain <= DOMAIN_VERTICES;
            begin(&l);
            add(&l, kernel, of_plan ? packs() : (struct domain){.count = 1, .tile = 1});
            assert_true(make(&l));
            l.stages[0].bindings[b] = NULL;
            assert_false(make(&l));
        }
}

static void refuse(uint32_t kernel, struct domain domain) {
    struct list l;
    begin(&l);
    add(&l, kernel, domain);
    assert_false(make(&l));
}

static void domains_that_make_no_sense_are_refused(void **state) {
    (void)state;
    refuse(KERNEL_fill, items(0));
    refuse(KERNEL_fill, (struct domain){.counter = &counter}); // no capacity
    refuse(KERNEL_scan_sums, (struct domain){.count = 10});    // no tile
    refuse(KERNEL_roots, (struct domain){.counter = &counter});
    struct list l;
    begin(&l);
    add(&l, KERNEL_fill, items(1));
    l.stages[0].kernel = KERNEL_COUNT;
    assert_false(make(&l));
}

static void repeats_that_overlap_are_refused(void **state) {
    (void)state;
    const struct repeat wrong[][2] = {{{0, 2, 2}, {1, 2, 2}},  // overlapping
                                      {{0, 3, 2}, {1, 1, 2}},  // nested
                                      {{0, 2, 2}, {0, 2, 2}},  // twice the same
                                      {{0, 1, 2}, {2, 2, 2}}}; // beyond the end
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct list l;
        begin(&l);
        for (int k = 0; k < 3; k++) add(&l, KERNEL_fill, items(1));
        memcpy(l.list.repeats, wrong[i], sizeof wrong[i]);
        l.list.repeat_count = 1;
        assert_true(make(&l));
        l.list.repeat_count = 2;
        assert_false(make(&l));
    }
}

static void lists_that_overflow_are_refused(void **state) {
    (void)state;
    struct list l;
    begin(&l);
    for (int i = 0; i < ROOM; i++) add(&l, KERNEL_fill, items(1));
    assert_true(make(&l));
    add(&l, KERNEL_fill, items(1));
    assert_false(make(&l));
    begin(&l);
    for (uint32_t i = 0; i <= PLAN_MAX_REPEATS; i++) {
        assert_true(make(&l));
        add(&l, KERNEL_fill, items(1));
        stage_repeat(&l.list, i, 2);
    }
    assert_false(make(&l));
}

// ---- stages ----

static void expect_items(uint32_t kernel, struct domain domain, uint32_t expected) {
    const struct plan_size size = {.packs = 7, .width = 8, .vertices = 8 * 100};
    struct stage stage = {.kernel = kernel, .domain = domain};
    assert_int_equal(stage_items(&stage, &size), expected);
}

static void a_stage_has_the_items_of_its_domain(void **state) {
    (void)state;
    expect_items(KERNEL_roots, packs(), 7);
    expect_items(KERNEL_roots, (struct domain){.first = 2}, 5);
    expect_items(KERNEL_roots, (struct domain){.first = 2, .count = 3}, 3);
    expect_items(KERNEL_fill, (struct domain){.first = 2, .count = 3}, 3);
    expect_items(KERNEL_scan_sums, (struct domain){.count = 1, .tile = 10}, 1);
    expect_items(KERNEL_scan_sums, (struct domain){.count = 100, .tile = 10}, 10);
    expect_items(KERNEL_scan_sums, (struct domain){.count = 101, .tile = 10}, 11);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_stages_of_one_domain_share_a_phase),
        cmocka_unit_test(a_global_stage_has_a_phase_to_itself),
        cmocka_unit_test(stages_of_different_domains_do_not_share_one),
        cmocka_unit_test(without_repeats_phases_run_once),
        cmocka_unit_test(a_run_of_phases_repeats),
        cmocka_unit_test(a_single_phase_repeats),
        cmocka_unit_test(a_repeat_cuts_what_would_share_a_phase),
        cmocka_unit_test(repeats_follow_each_other),
        cmocka_unit_test(a_missing_binding_is_refused),
        cmocka_unit_test(domains_that_make_no_sense_are_refused),
        cmocka_unit_test(repeats_that_overlap_are_refused),
        cmocka_unit_test(lists_that_overflow_are_refused),
        cmocka_unit_test(a_stage_has_the_items_of_its_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
