// Fibers and translated PTX behave as CUDA promises under every schedule, and detect kernels that break the rules.
#include "kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCK = 128, BLOCKS = 5, ITEMS = BLOCK * BLOCKS };

static const uint64_t schedules[] = {0, 1, 2, 77, 123456789};
#define SCHEDULES (sizeof schedules / sizeof schedules[0])

struct probe {
    const float *in;
    float *out;
    uint32_t *counts;
    uint32_t items;
};

static float in[ITEMS], out[4 * ITEMS];
static uint32_t counts[ITEMS];

static bool holds(const void *base, size_t size, uint64_t address, uint64_t bytes) {
    uint64_t first = (uint64_t)(uintptr_t)base;
    return address >= first && bytes <= size && address - first <= size - bytes;
}

bool device_memory_holds(uint64_t address, uint64_t size) {
    return holds(in, sizeof in, address, size) || holds(out, sizeof out, address, size) ||
           holds(counts, sizeof counts, address, size);
}

static bool run(const struct named_kernel *kernels, const char *name, uint32_t blocks, uint32_t threads,
                uint64_t schedule, char error[FIBER_ERROR_SIZE]) {
    uint32_t random = 1;
    for (int i = 0; i < ITEMS; i++) {
        random = random * 1664525u + 1013904223u;
        in[i] = (float)(random >> 8) / 16777216.0f - 0.5f;
    }
    memset(out, 0, sizeof out);
    memset(counts, 0, sizeof counts);
    struct probe probe = {in, out, counts, ITEMS};
    while (strcmp(kernels->name, name) != 0) kernels++;
    assert_int_equal(kernels->params_size, sizeof probe);
    struct fiber_launch launch = {kernels->kernel, &probe, {blocks, 1, 1}, {threads, 1, 1}, schedule};
    error[0] = 0;
    return fiber_run(&launch, error);
}

static void for_each(void (*check)(const struct named_kernel *, uint64_t)) {
    for (size_t s = 0; s < SCHEDULES; s++) {
        check(probe_source_kernels, schedules[s]);
        if (probe_ptx_kernels[0].name) check(probe_ptx_kernels, schedules[s]);
    }
}

static void check_sum(const struct named_kernel *kernels, uint64_t schedule) {
    char error[FIBER_ERROR_SIZE];
    assert_true(run(kernels, "probe_sum", BLOCKS, BLOCK, schedule, error));
    for (int b = 0; b < BLOCKS; b++) {
        float sums[BLOCK];
        memcpy(sums, in + b * BLOCK, sizeof sums);
        for (int half = BLOCK / 2; half > 0; half /= 2)
            for (int t = 0; t < half; t++) sums[t] += sums[t + half];
        assert_memory_equal(&out[b], &sums[0], sizeof(float));
    }
}

static void barriers_order_shared_memory(void **state) {
    (void)state;
    for_each(check_sum);
}

static void check_warp(const struct named_kernel *kernels, uint64_t schedule) {
    char error[FIBER_ERROR_SIZE];
    assert_true(run(kernels, "probe_warp", BLOCKS, BLOCK, schedule, error));
    for (int i = 0; i < ITEMS; i++) {
        const float *warp = in + i / 32 * 32;
        float sums[32];
        uint32_t votes = 0, any = 0, all = 1;
        memcpy(sums, warp, sizeof sums);
        for (int bit = 16; bit > 0; bit /= 2) {
            float next[32];
            for (int l = 0; l < 32; l++) next[l] = sums[l] + sums[l ^ bit];
            memcpy(sums, next, sizeof sums);
        }
        for (int l = 0; l < 32; l++) {
            votes |= (uint32_t)(warp[l] > 0) << l;
            any |= warp[l] > 0.45f;
            all &= warp[l] > -0.45f;
        }
        float expected[4] = {sums[i % 32], i % 32 < 31 ? in[i + 1] : in[i], i % 32 > 0 ? in[i - 1] : in[i], warp[5]};
        assert_memory_equal(&out[4 * i], expected, sizeof expected);
        assert_int_equal(counts[i], votes ^ any ^ all << 1);
    }
}

static void warps_shuffle_and_vote(void **state) {
    (void)state;
    for_each(check_warp);
}

static void check_halves(const struct named_kernel *kernels, uint64_t schedule) {
    char error[FIBER_ERROR_SIZE];
    assert_true(run(kernels, "probe_halves", BLOCKS, BLOCK, schedule, error));
    for (int i = 0; i < ITEMS; i++)
        if (i % 32 >= 16) assert_memory_equal(&out[i], &in[i ^ 1], sizeof(float));
    for (int i = 0; i < ITEMS; i += 32)
        for (int l = 1; l < 16; l++) assert_memory_equal(&out[i], &out[i + l], sizeof(float));
}

static void halves_of_a_warp_talk_at_once(void **state) {
    (void)state;
    for_each(check_halves);
}

static void check_atomic(const struct named_kernel *kernels, uint64_t schedule) {
    char error[FIBER_ERROR_SIZE];
    assert_true(run(kernels, "probe_atomic", BLOCKS, BLOCK, schedule, error));
    uint32_t expected[7] = {0};
    for (uint32_t i = 0; i < ITEMS; i++) expected[i % 7] += i;
    assert_memory_equal(counts, expected, sizeof expected);
    assert_true(out[0] == ITEMS);
}

static void atomics_add_up(void **state) {
    (void)state;
    for_each(check_atomic);
}

static int32_t cut_signed(double x) {
    return x >= 2147483647.0 ? INT32_MAX : x <= -2147483648.0 ? INT32_MIN : (int32_t)x;
}
static uint32_t cut_unsigned(double x) { return x >= 4294967295.0 ? UINT32_MAX : x <= 0 ? 0 : (uint32_t)x; }

static void check_whole(const struct named_kernel *kernels, uint64_t schedule) {
    char error[FIBER_ERROR_SIZE];
    assert_true(run(kernels, "probe_whole", BLOCKS, BLOCK, schedule, error));
    for (uint32_t b = 0; b < BLOCKS; b++) {
        uint32_t expected[7] = {0xffffffffu, 0, 0xffffffffu, 0, 0, 0, 0};
        for (uint32_t i = b * BLOCK; i < (b + 1) * BLOCK; i++) {
            uint32_t word;
            memcpy(&word, &in[i], sizeof word);
            word *= 2654435761u;
            if (word < expected[0]) expected[0] = word;
            if (word > expected[1]) expected[1] = word;
            expected[2] &= word | 0x00ff00ffu;
            expected[3] |= word & 0x0ff00ff0u;
            expected[4] ^= word;
            if ((int32_t)word < (int32_t)expected[5]) expected[5] = word;
            if ((int32_t)word > (int32_t)expected[6]) expected[6] = word;
            float x = in[i] * (i % 2 ? 1e10f : 1e9f);
            uint32_t cut[2] = {(uint32_t)cut_signed(x), cut_unsigned(x)};
            assert_memory_equal(&out[2 * i], cut, sizeof cut);
        }
        assert_memory_equal(&counts[7 * b], expected, sizeof expected);
    }
}

static void whole_numbers_are_compared_and_cut(void **state) {
    (void)state;
    for_each(check_whole);
}

static void a_race_shows_in_some_schedule(void **state) {
    (void)state;
    for (int version = 0; version < (probe_ptx_kernels[0].name ? 2 : 1); version++) {
        float first = 0;
        bool differs = false;
        for (size_t s = 0; s < SCHEDULES; s++) {
            char error[FIBER_ERROR_SIZE];
            assert_true(run(version ? probe_ptx_kernels : probe_source_kernels, "probe_race", BLOCKS, BLOCK,
                            schedules[s], error));
            if (s == 0) first = out[0];
            differs |= memcmp(&first, &out[0], sizeof first) != 0;
        }
        assert_true(differs);
    }
}

static void check_caught(const struct named_kernel *kernels, uint64_t schedule) {
    char error[FIBER_ERROR_SIZE];
    assert_false(run(kernels, "probe_divergent", 1, 64, schedule, error));
    assert_non_null(strstr(error, "5 threads wait for ever"));
    assert_false(run(kernels, "probe_absent", 1, 32, schedule, error));
    assert_true(strstr(error, "wait for ever") || strstr(error, "has ended"));
    assert_false(run(kernels, "probe_absent", 1, 8, schedule, error));
    assert_non_null(strstr(error, "not there"));
    check_sum(kernels, schedule); // and afterwards launches work again
}

static void threads_that_wait_in_vain_are_caught(void **state) {
    (void)state;
    for_each(check_caught);
}

// Only of the source: nvcc may make one barrier of the two.
static void threads_that_wait_at_different_barriers_are_caught(void **state) {
    (void)state;
    for (size_t s = 0; s < SCHEDULES; s++) {
        char error[FIBER_ERROR_SIZE];
        assert_false(run(probe_source_kernels, "probe_apart", 1, 64, schedules[s], error));
        assert_non_null(strstr(error, "different barriers"));
    }
}

static void memory_beyond_its_end_is_caught_in_ptx(void **state) {
    (void)state;
    if (!probe_ptx_kernels[0].name) skip();
    char error[FIBER_ERROR_SIZE];
    assert_true(run(probe_ptx_kernels, "probe_beyond", 1, 32, 0, error));
    struct probe probe = {in, out, counts, 1u << 24};
    const struct named_kernel *kernel = probe_ptx_kernels;
    while (strcmp(kernel->name, "probe_beyond") != 0) kernel++;
    struct fiber_launch launch = {kernel->kernel, &probe, {1, 1, 1}, {32, 1, 1}, 0};
    assert_false(fiber_run(&launch, error));
    assert_non_null(strstr(error, "outside of all global memory"));
}

static int leave(void **state) {
    (void)state;
    fiber_release();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_order_shared_memory),
        cmocka_unit_test(warps_shuffle_and_vote),
        cmocka_unit_test(halves_of_a_warp_talk_at_once),
        cmocka_unit_test(atomics_add_up),
        cmocka_unit_test(whole_numbers_are_compared_and_cut),
        cmocka_unit_test(a_race_shows_in_some_schedule),
        cmocka_unit_test(threads_that_wait_in_vain_are_caught),
        cmocka_unit_test(threads_that_wait_at_different_barriers_are_caught),
        cmocka_unit_test(memory_beyond_its_end_is_caught_in_ptx),
    };
    return cmocka_run_group_tests(tests, NULL, leave);
}
