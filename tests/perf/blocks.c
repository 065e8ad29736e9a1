// Building blocks on one core of the CPU, 1,000,000 words: a radix sort of random keys with an index each, by all 32 bits, and
// a prefix sum against memcpy of the same words, in turns.
#include "blocks.h"
#include "inside.h"
#include "platform.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 1000000, BYTES = 4 * WORDS, ROUNDS = 51, BUFFERS = 6 };

static bool sort_ns(double *value);
static bool scan_share(double *value);

static const bench_figure figures[] = {
    {"sort.ns_per_key", "ns", 12, BENCH_AT_MOST, sort_ns,
     "radix sort of 1,000,000 keys of 32 bits with 32-bit payload, one core"},
    {"scan.copy_bandwidth_share", "%", 50, BENCH_AT_LEAST, scan_share,
     "prefix sum of 1,000,000 words: bytes it must move, over those of memcpy, one core"}};
const bench_table BENCH_BLOCKS = {figures, 2, open_cpu};

static const struct domain *domain(void) {
    static struct domain words = {.count = WORDS};
    words.tile = cpu->tile;
    return &words;
}

// A plan and its buffers. Where a copy is timed beside it, it is from the first to the second.
struct bench {
    struct arena *arena;
    struct buffer buffers[BUFFERS];
    struct stage stages[BLOCKS_SORT_STAGES];
    struct stage_list list;
    struct plan *plan;
};

static bool begin(struct bench *b) {
    const uint32_t scratch = blocks_sort_scratch(domain());
    *b = (struct bench){.list = {.stages = b->stages, .capacity = BLOCKS_SORT_STAGES}};
    bool made = cpu->ops->arena_create(cpu, 1, NULL, &b->arena) == PLAIT_OK;
    for (uint32_t i = 0; i < BUFFERS; i++)
        made = made &&
               cpu->ops->buffer_create(b->arena, i < 4 ? BYTES : 4 * scratch, USE_PLAIN, &b->buffers[i]) == PLAIT_OK;
    return made;
}

static bool make_plan(struct bench *b) {
    struct phase phases[BLOCKS_SORT_STAGES];
    struct schedule schedule;
    struct plan_size size = {1, cpu->pack_width, cpu->pack_width, NULL};
    return schedule_make(&b->list, phases, &schedule) &&
           cpu->ops->plan_create(b->arena, b->list.count, &size, &b->plan) == PLAIT_OK &&
           cpu->ops->plan_set(b->plan, &schedule) == PLAIT_OK;
}

static void end(struct bench *b) {
    if (b->plan) cpu->ops->plan_destroy(b->plan);
    for (uint32_t i = 0; i < BUFFERS; i++) cpu->ops->buffer_destroy(&b->buffers[i]);
    if (b->arena) cpu->ops->arena_destroy(b->arena);
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, size_t count) {
    qsort(values, count, sizeof values[0], compare_doubles);
    return values[count / 2];
}

static bool is_sorted(const uint32_t *keys, const uint32_t *sorted, const uint32_t *indices) {
    for (uint32_t i = 0; i < WORDS; i++) {
        if (indices[i] >= WORDS || keys[indices[i]] != sorted[i]) return false;
        if (i > 0 && (sorted[i - 1] > sorted[i] || (sorted[i - 1] == sorted[i] && indices[i - 1] >= indices[i])))
            return false;
    }
    return true;
}

// Putting the unsorted keys back is not timed, but what memcpy takes for them: it tells how busy the machine is.
static bool sort_ns(double *value) {
    struct bench b = {0};
    double times[ROUNDS], copies[ROUNDS];
    uint32_t *keys = malloc(BYTES), *indices = malloc(BYTES), random = 1;
    bool measured = keys && indices && begin(&b);
    for (uint32_t i = 0; measured && i < WORDS; i++) {
        random = random * 1664525u + 1013904223u;
        keys[i] = random ^ random >> 15;
        indices[i] = i;
    }
    const struct pairs pairs = {&b.buffers[0], &b.buffers[1]}, spare = {&b.buffers[2], &b.buffers[3]};
    struct pairs sorted = {0};
    if (measured) sorted = blocks_sort(&b.list, pairs, spare, &b.buffers[4], 32, domain());
    measured = measured && make_plan(&b);
    for (uint32_t r = 0; r < ROUNDS && measured; r++) {
        uint64_t first = now_ns();
        measured = cpu->ops->buffer_write(&b.buffers[0], 0, keys, BYTES) == PLAIT_OK;
        copies[r] = (double)(now_ns() - first);
        measured = measured && cpu->ops->buffer_write(&b.buffers[1], 0, indices, BYTES) == PLAIT_OK;
        uint64_t before = now_ns();
        measured = measured && cpu->ops->plan_run(b.plan) == PLAIT_OK;
        times[r] = (double)(now_ns() - before) / WORDS;
    }
    measured = measured && is_sorted(keys, sorted.keys->memory, sorted.indices->memory);
    if (measured) {
        *value = median(times, ROUNDS);
        printf("%d random keys of 32 bits with an index each, one core (%s), median of %d; fastest %.2f ns. A copy of "
               "the keys beside it: %.1f GB/s\n",
               WORDS, cpu->info.variant, ROUNDS, times[0], 2.0 * BYTES / median(copies, ROUNDS));
    }
    end(&b);
    free(keys);
    free(indices);
    return measured;
}

static bool run_copy(void *argument) {
    struct bench *b = argument;
    memcpy(b->buffers[1].memory, b->buffers[0].memory, BYTES);
    return true;
}

static bool run_scan(void *argument) {
    const struct bench *b = argument;
    return cpu->ops->plan_run(b->plan) == PLAIT_OK;
}

// What a prefix sum must move at least is what a copy moves: every word in and out once.
static bool scan_share(double *value) {
    struct bench b = {0};
    bool measured = begin(&b);
    if (measured) {
        for (uint32_t i = 0; i < WORDS; i++) ((uint32_t *)b.buffers[0].memory)[i] = i * 7 % 13;
        blocks_scan(&b.list, &b.buffers[0], &b.buffers[1], (struct word){&b.buffers[5], 0}, &b.buffers[4], domain());
    }
    bench_side sides[] = {{.run = run_copy, .argument = &b}, {.run = run_scan, .argument = &b}};
    measured = measured && make_plan(&b) && bench_measure(sides, 2);
    if (measured) {
        *value = 100 * bench_ratio(sides);
        printf("%d words in and out, one core (%s): memcpy %.1f GB/s, prefix sum %.1f GB/s\n", WORDS, cpu->info.variant,
               2e-9 * BYTES / sides[0].seconds, 2e-9 * BYTES / sides[1].seconds);
    }
    end(&b);
    return measured;
}
