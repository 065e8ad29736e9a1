// Every kernel over items or groups alone, on every device, against plain loops. One function per kernel: one without does
// not build. What blocks.h makes of them is in composed.c.
#include "composed.h"
#include "grid.h"
#include "layout.h"
#include "render.h"
#include "words.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { DIGITS = 256, ROWS = 3 };

static void random_words(struct run *run, uint32_t *words, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) words[i] = run_random(run);
}

// ---- items ----

// Every other run begins with item 3: rows of lanes are not aligned then.
static uint32_t begin_later(struct run *run) { return run->domain.first = run->number % 2 ? 3 : 0; }

// What a buffer held before, up to the first item; the rest is to be filled in.
static uint32_t *expected_from(struct run *run, const struct buffer *buffer, uint32_t first) {
    uint32_t *expected = run_array(run, first + run->size.items);
    memcpy(expected, run->contents[buffer - run->buffers], first * sizeof *expected);
    return expected;
}

static void block_fill(struct run *run) {
    const uint32_t first = begin_later(run), end = first + run->size.items;
    const struct buffer *to = run_buffer(run, NULL, 0, first + run->size.capacity);
    uint32_t *expected = expected_from(run, to, first);
    for (uint32_t i = first; i < end; i++) expected[i] = 4000000000u + i * 3;
    stage_add(&run->list, (struct stage){.kernel = KERNEL_fill,
                                         .domain = run->domain,
                                         .buffers.fill = {.to = to},
                                         .values.fill = {.value = 4000000000u, .step = 3}});
    run_go(run);
    run_expect(run, to, expected, end, "fill");
}

static void block_copy(struct run *run) {
    const uint32_t first = begin_later(run), end = first + run->size.items, room = first + run->size.capacity;
    uint32_t *words = run_array(run, room);
    random_words(run, words, room);
    const struct buffer *from = run_buffer(run, words, room, room), *to = run_buffer(run, NULL, 0, room);
    uint32_t *expected = expected_from(run, to, first);
    memcpy(expected + first, words + first, run->size.items * sizeof *words);
    stage_add(&run->list,
              (struct stage){.kernel = KERNEL_copy, .domain = run->domain, .buffers.copy = {.from = from, .to = to}});
    run_go(run);
    run_expect(run, to, expected, end, "copy");
}

static void block_run_heads(struct run *run) {
    const uint32_t n = run->size.items;
    uint32_t *keys = run_array(run, n), *heads = run_array(run, n), key = run_random(run);
    for (uint32_t i = 0; i < n; i++) {
        heads[i] = i == 0 || run_random(run) % 3 == 0;
        key += heads[i];
        keys[i] = key;
    }
    const struct buffer *from = run_buffer(run, keys, n, run->size.capacity);
    const struct buffer *to = run_buffer(run, NULL, 0, run->size.capacity);
    stage_add(&run->list, (struct stage){.kernel = KERNEL_run_heads,
                                         .domain = run->domain,
                                         .buffers.run_heads = {.keys = from, .heads = to}});
    run_go(run);
    run_expect(run, to, heads, n, "run_heads");
}

static void block_compact(struct run *run) {
    const uint32_t n = run->size.items, bound = run->number % 2;
    uint32_t *flags = run_array(run, n), *offsets = run_array(run, n), *expected = run_array(run, n + 1), count = 0;
    for (uint32_t i = 0; i < n; i++) {
        flags[i] = run_random(run) % 4 == 0;
        offsets[i] = count;
        if (flags[i]) expected[count++] = i;
    }
    if (bound && n) expected[count++] = n;
    const uint32_t room = run->size.capacity;
    const struct buffer *flags_of = run_buffer(run, flags, n, room), *offsets_of = run_buffer(run, offsets, n, room);
    const struct buffer *indices = run_buffer(run, NULL, 0, room + 1);
    stage_add(&run->list,
              (struct stage){.kernel = KERNEL_compact,
                             .domain = run->domain,
                             .buffers.compact = {.flags = flags_of, .offsets = offsets_of, .indices = indices},
                             .values.compact = {.bound = bound}});
    run_go(run);
    run_expect(run, indices, expected, count, "compact");
}

static void block_run_sizes(struct run *run) {
    const uint32_t n = run->size.items, room = run->size.capacity;
    uint32_t *heads = run_array(run, n), *offsets = run_array(run, n), *starts = run_array(run, n + 1), runs = 0;
    for (uint32_t i = 0; i < n; i++) {
        heads[i] = i == 0 || run_random(run) % 5 == 0;
        offsets[i] = runs;
        if (heads[i]) starts[runs++] = i;
    }
    starts[runs] = n;
    uint32_t *sizes = run_array(run, n);
    for (uint32_t i = 0; i < n; i++) sizes[i] = starts[offsets[i] + heads[i]] - starts[offsets[i] + heads[i] - 1];
    const struct buffer *to = run_buffer(run, NULL, 0, room);
    stage_add(&run->list, (struct stage){.kernel = KERNEL_run_sizes,
                                         .domain = run->domain,
                                         .buffers.run_sizes = {.heads = run_buffer(run, heads, n, room),
                                                               .offsets = run_buffer(run, offsets, n, room),
                                                               .starts = run_buffer(run, starts, runs + 1, room + 1),
                                                               .sizes = to}});
    run_go(run);
    run_expect(run, to, sizes, n, "run_sizes");
}

// ---- words from and to anywhere ----

static void block_gather(struct run *run) {
    const uint32_t first = begin_later(run), end = first + run->size.items, room = first + run->size.capacity;
    const uint32_t count = 1 + run->size.items / 2; // some are asked for twice
    uint32_t *words = run_array(run, count), *indices = run_array(run, end);
    random_words(run, words, count);
    for (uint32_t i = first; i < end; i++) indices[i] = run_random(run) % count;
    const struct buffer *to = run_buffer(run, NULL, 0, room);
    uint32_t *expected = expected_from(run, to, first);
    for (uint32_t i = first; i < end; i++) expected[i] = words[indices[i]];
    stage_add(&run->list, (struct stage){.kernel = KERNEL_gather,
                                         .domain = run->domain,
                                         .buffers.gather = {.from = run_buffer(run, words, count, count),
                                                            .indices = run_buffer(run, indices, end, room),
                                                            .to = to}});
    run_go(run);
    run_expect(run, to, expected, end, "gather");
}

static void block_scatter(struct run *run) {
    const uint32_t first = begin_later(run), end = first + run->size.items, room = first + run->size.capacity;
    uint32_t *words = run_array(run, end), *indices = run_array(run, end);
    random_words(run, words, end);
    for (uint32_t i = 0; i < end; i++) indices[i] = 2 * i; // every other word stays as it was
    for (uint32_t i = end; i > 1; i--) {
        uint32_t other = run_random(run) % i, swapped = indices[other];
        indices[other] = indices[i - 1];
        indices[i - 1] = swapped;
    }
    const struct buffer *to = run_buffer(run, NULL, 0, 2 * room);
    uint32_t *expected = run_array(run, 2 * room);
    memcpy(expected, run->contents[to - run->buffers], 2 * room * sizeof *expected);
    for (uint32_t i = first; i < end; i++) expected[indices[i]] = words[i];
    stage_add(&run->list, (struct stage){.kernel = KERNEL_scatter,
                                         .domain = run->domain,
                                         .buffers.scatter = {.from = run_buffer(run, words, end, room),
                                                             .indices = run_buffer(run, indices, end, room),
                                                             .to = to}});
    run_go(run);
    run_expect(run, to, expected, 2 * room, "scatter");
}

// ---- sums by key ----

enum { PLACES_BY_KEY = 50 };

// Some keys have no place, and some come more often than others.
static uint32_t *random_keys(struct run *run, uint32_t end) {
    uint32_t *keys = run_array(run, end);
    for (uint32_t i = 0; i < end; i++) {
        uint32_t kind = run_random(run) % 8, any = run_random(run);
        keys[i] = kind == 0 ? any : kind == 1 ? PLACES_BY_KEY : kind == 2 ? 7 : any % (PLACES_BY_KEY + 5);
    }
    return keys;
}

static void block_tally(struct run *run) {
    const uint32_t first = begin_later(run), end = first + run->size.items, room = first + run->size.capacity;
    const uint32_t weighted = run->number / 2 % 2;
    uint32_t *keys = random_keys(run, end), *values = run_array(run, end), *sums = run_array(run, PLACES_BY_KEY);
    random_words(run, values, end);
    random_words(run, sums, PLACES_BY_KEY); // sums wrap around
    const struct buffer *to = run_buffer(run, sums, PLACES_BY_KEY, PLACES_BY_KEY);
    for (uint32_t i = first; i < end; i++)
        if (keys[i] < PLACES_BY_KEY) sums[keys[i]] += weighted ? values[i] : 1;
    stage_add(&run->list, (struct stage){.kernel = KERNEL_tally,
                                         .domain = run->domain,
                                         .buffers.tally = {.keys = run_buffer(run, keys, end, room),
                                                           .values = run_buffer(run, values, end, room),
                                                           .sums = to},
                                         .values.tally = {.weighted = weighted, .capacity = PLACES_BY_KEY}});
    run_go(run);
    run_expect(run, to, sums, PLACES_BY_KEY, "tally");
}

static void block_extremes(struct run *run) {
    const uint32_t first = begin_later(run), end = first + run->size.items, room = first + run->size.capacity;
    uint32_t *keys = random_keys(run, end), *values = run_array(run, end);
    uint32_t *lows = run_array(run, PLACES_BY_KEY), *highs = run_array(run, PLACES_BY_KEY);
    random_words(run, values, end);
    for (uint32_t k = 0; k < PLACES_BY_KEY; k++) { // of some keys the value before counts
        lows[k] = k % 5 ? UINT32_MAX : 1000000;
        highs[k] = k % 5 ? 0 : UINT32_MAX - 1000000;
    }
    struct stage stage = {.kernel = KERNEL_extremes,
                          .domain = run->domain,
                          .buffers.extremes = {.keys = run_buffer(run, keys, end, room),
                                               .values = run_buffer(run, values, end, room),
                                               .lows = run_buffer(run, lows, PLACES_BY_KEY, PLACES_BY_KEY),
                                               .highs = run_buffer(run, highs, PLACES_BY_KEY, PLACES_BY_KEY)},
                          .values.extremes = {.capacity = PLACES_BY_KEY}};
    for (uint32_t i = first; i < end; i++) {
        if (keys[i] >= PLACES_BY_KEY) continue;
        if (values[i] < lows[keys[i]]) lows[keys[i]] = values[i];
        if (values[i] > highs[keys[i]]) highs[keys[i]] = values[i];
    }
    stage_add(&run->list, stage);
    run_go(run);
    run_expect(run, stage.buffers.extremes.lows, lows, PLACES_BY_KEY, "lows of extremes");
    run_expect(run, stage.buffers.extremes.highs, highs, PLACES_BY_KEY, "highs of extremes");
}

// ---- fixed point ----

static uint32_t float_word(float x) {
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

// Values of all sizes: some vanish beside the resolution, some lie between two steps of it, some are larger than what fits.
static float random_value(struct run *run) {
    float value = ((float)(run_random(run) % 2000001) - 1000000) / 1024;
    switch (run_random(run) % 6) {
    case 0: return value / 65536;
    case 1: return value * 4096;
    case 2: return value * 1e30f;
    case 3: return (float)(run_random(run) % 64) + 0.5f;
    default: return value;
    }
}

// As to_fixed says, in the plain C of doubles.
static uint32_t fixed_of(float value, float scale) {
    double scaled = (double)(value * scale);
    if (scaled > 2147483520) scaled = 2147483520;
    if (scaled < -2147483520) scaled = -2147483520;
    return (uint32_t)(int32_t)(fabs(scaled) < 4194304 ? nearbyint(scaled) : scaled);
}

static void block_tally_fixed(struct run *run) {
    static const float scales[] = {1, 1024, 0.125f, 65536, 1000};
    const uint32_t first = begin_later(run), end = first + run->size.items, room = first + run->size.capacity;
    const float scale = scales[run->number % 5];
    uint32_t *keys = random_keys(run, end), *values = run_array(run, end), *sums = run_array(run, PLACES_BY_KEY);
    random_words(run, sums, PLACES_BY_KEY);
    const struct buffer *to = run_buffer(run, sums, PLACES_BY_KEY, PLACES_BY_KEY);
    for (uint32_t i = 0; i < end; i++) {
        float value = random_value(run);
        values[i] = float_word(value);
        if (i >= first && keys[i] < PLACES_BY_KEY) sums[keys[i]] += fixed_of(value, scale);
    }
    stage_add(&run->list,
              (struct stage){.kernel = KERNEL_tally_fixed,
                             .domain = run->domain,
                             .buffers.tally_fixed = {.keys = run_buffer(run, keys, end, room),
                                                     .values = run_buffer(run, values, end, room),
                                                     .sums = to},
                             .values.tally_fixed = {.capacity = PLACES_BY_KEY, .scale = float_word(scale)}});
    run_go(run);
    run_expect(run, to, sums, PLACES_BY_KEY, "tally_fixed");
}

static void block_fixed_to_floats(struct run *run) {
    const uint32_t first = begin_later(run), end = first + run->size.items, room = first + run->size.capacity;
    const float scale_inverse = run->number % 3 ? 1.0f / 4096 : 0.1f;
    uint32_t *sums = run_array(run, end);
    for (uint32_t i = 0; i < end; i++) sums[i] = (uint32_t)((int32_t)run_random(run) >> run_random(run) % 32);
    const struct buffer *from = run_buffer(run, sums, end, room), *to = run_buffer(run, NULL, 0, room);
    uint32_t *expected = expected_from(run, to, first);
    for (uint32_t i = first; i < end; i++) expected[i] = float_word((float)(int32_t)sums[i] * scale_inverse);
    stage_add(&run->list, (struct stage){.kernel = KERNEL_fixed_to_floats,
                                         .domain = run->domain,
                                         .buffers.fixed_to_floats = {.sums = from, .to = to},
                                         .values.fixed_to_floats = {.scale_inverse = float_word(scale_inverse)}});
    run_go(run);
    run_expect(run, to, expected, end, "fixed_to_floats");
}

// ---- of one purpose ----

static void block_bounds_reset(struct run *run) {
    if (run->size.items != 1 || run->size.counted) return; // once a device: it has a fixed number of words
    uint32_t expected[STATUS_UINTS];
    const struct buffer *status = run_buffer(run, NULL, 0, STATUS_UINTS);
    memcpy(expected, run->contents[status - run->buffers], sizeof expected);
    for (uint32_t c = 0; c < 3; c++) {
        expected[STATUS_LOW + c] = 0xffffffffu;
        expected[STATUS_HIGH + c] = 0;
    }
    stage_add(&run->list, (struct stage){.kernel = KERNEL_bounds_reset,
                                         .domain = {.count = 6},
                                         .buffers.bounds_reset = {.status = status},
                                         .values.bounds_reset = {.at = STATUS_LOW}});
    run_go(run);
    run_expect(run, status, expected, STATUS_UINTS, "bounds_reset");
}

static void block_dispatch_size(struct run *run) {
    if (run->size.items != 1 || run->size.counted) return; // once a device: it has its own counters
    static const struct {
        uint32_t counter, capacity, group, x, y;
    } cases[] = {{0, 100, 64, 0, 0},
                 {1, 100, 64, 1, 1},
                 {64, 100, 64, 1, 1},
                 {65, 100, 64, 2, 1},
                 {1000, 100, 64, 2, 1},
                 {32768, 1u << 30, 1, 32768, 1},
                 {32769, 1u << 30, 1, 32768, 2},
                 {4000000000u, 4000000000u, 64, 32768, 1908}};
    enum { CASES = sizeof cases / sizeof cases[0] };
    uint32_t counters[CASES], expected[4 * CASES];
    for (uint32_t i = 0; i < CASES; i++) counters[i] = cases[i].counter;
    const struct buffer *counter = run_buffer(run, counters, CASES, CASES);
    const struct buffer *sizes = run_buffer(run, NULL, 0, 4 * CASES);
    memcpy(expected, run->contents[sizes - run->buffers], sizeof expected);
    for (uint32_t i = 0; i < CASES; i++) {
        const uint32_t size[3] = {cases[i].x, cases[i].y, 1};
        memcpy(expected + 4 * i, size, sizeof size);
        stage_add(&run->list,
                  (struct stage){.kernel = KERNEL_dispatch_size,
                                 .domain = {.count = 1},
                                 .buffers.dispatch_size = {.counter_in = counter, .sizes = sizes},
                                 .values.dispatch_size = {
                                     .at = i, .capacity = cases[i].capacity, .group = cases[i].group, .slot = 4 * i}});
    }
    run_go(run);
    run_expect(run, sizes, expected, 4 * CASES, "dispatch_size");
}

// ---- prefix sum ----

static void block_scan_sums(struct run *run) {
    const uint32_t n = run->size.items;
    uint32_t *words = run_array(run, n), *sums = run_array(run, run_tiles(run));
    random_words(run, words, n);
    for (uint32_t i = 0; i < n; i++) sums[i / run->size.tile] += words[i];
    const struct buffer *from = run_buffer(run, words, n, run->size.capacity);
    const struct buffer *to = run_buffer(run, NULL, 0, run_tiles(run));
    stage_add(&run->list, (struct stage){.kernel = KERNEL_scan_sums,
                                         .domain = run->domain,
                                         .buffers.scan_sums = {.from = from, .sums = to}});
    run_go(run);
    run_expect(run, to, sums, run_tiles(run), "scan_sums");
}

static void block_scan_rows(struct run *run) {
    const uint32_t tiles = run_tiles(run), count = ROWS * tiles;
    uint32_t *sums = run_array(run, count), *expected = run_array(run, count), totals[1 + ROWS] = {99};
    random_words(run, sums, count);
    for (uint32_t i = 0; i < count; i++) {
        expected[i] = totals[1 + i / tiles];
        totals[1 + i / tiles] += sums[i];
    }
    const struct buffer *rows = run_buffer(run, sums, count, count), *to = run_buffer(run, totals, 1, 1 + ROWS);
    stage_add(&run->list,
              (struct stage){.kernel = KERNEL_scan_rows,
                             .domain = {.count = ROWS, .tile = 1},
                             .buffers.scan_rows = {.sums = rows,
                                                   .totals = to,
                                                   .counter_in = run->size.counted ? run->domain.counter : rows},
                             .values.scan_rows = {.capacity = run->size.capacity,
                                                  .counted = run->size.counted,
                                                  .at = run->domain.counter_at,
                                                  .group = run->size.tile,
                                                  .totals_at = 1}});
    run_go(run);
    run_expect(run, rows, expected, count, "scan_rows");
    run_expect(run, to, totals, 1 + ROWS, "totals of scan_rows");
}

static void block_scan_apply(struct run *run) {
    const uint32_t n = run->size.items, tile = run->size.tile;
    uint32_t *words = run_array(run, n), *sums = run_array(run, run_tiles(run)), *expected = run_array(run, n);
    random_words(run, words, n);
    random_words(run, sums, run_tiles(run));
    for (uint32_t i = 0; i < n; i++) expected[i] = i % tile ? expected[i - 1] + words[i - 1] : sums[i / tile];
    const struct buffer *from = run_buffer(run, words, n, run->size.capacity), *to = from;
    const struct buffer *before = run_buffer(run, sums, run_tiles(run), run_tiles(run));
    if (run->number % 2) to = run_buffer(run, NULL, 0, run->size.capacity); // else in place
    stage_add(&run->list, (struct stage){.kernel = KERNEL_scan_apply,
                                         .domain = run->domain,
                                         .buffers.scan_apply = {.from = from, .sums = before, .to = to}});
    run_go(run);
    run_expect(run, to, expected, n, "scan_apply");
}

// ---- sort ----

static void count_digits(const struct run *run, const uint32_t *keys, uint32_t shift, uint32_t *counts) {
    for (uint32_t i = 0; i < run->size.items; i++)
        counts[(keys[i] >> shift & 255) * run_tiles(run) + i / run->size.tile]++;
}

static void block_radix_count(struct run *run) {
    const uint32_t n = run->size.items, count = DIGITS * run_tiles(run), shift = run->number % 4 * 8;
    uint32_t *keys = run_array(run, n), *counts = run_array(run, count);
    random_words(run, keys, n);
    count_digits(run, keys, shift, counts);
    const struct buffer *from = run_buffer(run, keys, n, run->size.capacity), *to = run_buffer(run, NULL, 0, count);
    stage_add(&run->list, (struct stage){.kernel = KERNEL_radix_count,
                                         .domain = run->domain,
                                         .buffers.radix_count = {.keys = from, .counts = to},
                                         .values.radix_count = {.shift = shift}});
    run_go(run);
    run_expect(run, to, counts, count, "radix_count");
}

static void block_radix_scatter(struct run *run) {
    const uint32_t n = run->size.items, tiles = run_tiles(run), room = run->size.capacity;
    const uint32_t count = DIGITS * tiles, shift = run->number % 4 * 8;
    uint32_t *keys = run_array(run, n), *indices = run_array(run, n), *table = run_array(run, count + DIGITS);
    uint32_t *keys_to = run_array(run, n), *indices_to = run_array(run, n), places[DIGITS];
    random_words(run, keys, n);
    random_words(run, indices, n);
    count_digits(run, keys, shift, table);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t counted = table[i];
        table[i] = table[count + i / tiles];
        table[count + i / tiles] += counted;
    }
    for (uint32_t d = 0, place = 0; d < DIGITS; d++) {
        places[d] = place;
        place += table[count + d];
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = places[keys[i] >> shift & 255]++;
        keys_to[to] = keys[i];
        indices_to[to] = indices[i];
    }
    const struct buffer *counts = run_buffer(run, table, count + DIGITS, count + DIGITS);
    struct stage stage = {.kernel = KERNEL_radix_scatter,
                          .domain = run->domain,
                          .buffers.radix_scatter = {.keys = run_buffer(run, keys, n, room),
                                                    .indices = run_buffer(run, indices, n, room),
                                                    .counts = counts,
                                                    .totals = counts,
                                                    .keys_to = run_buffer(run, NULL, 0, room),
                                                    .indices_to = run_buffer(run, NULL, 0, room)},
                          .values.radix_scatter = {.shift = shift, .totals_at = count}};
    stage_add(&run->list, stage);
    run_go(run);
    run_expect(run, stage.buffers.radix_scatter.keys_to, keys_to, n, "keys of radix_scatter");
    run_expect(run, stage.buffers.radix_scatter.indices_to, indices_to, n, "indices of radix_scatter");
}

// ---- all of them ----

struct suite {
    void (*check)(struct run *run);
    bool threaded;
};

static void every_device_is_right(void **state) {
    const struct suite *suite = *state;
    words_everywhere(suite->check, suite->threaded);
}

static int open_all(void **state) {
    (void)state;
    words_open();
    return 0;
}

static int close_all(void **state) {
    (void)state;
    words_close();
    return 0;
}

int main(void) {
    static struct suite suites[] = {
#define SUITE_PACKS(name) // in kernels.c
#define SUITE_VERTICES(name)
#define SUITE_ITEMS(name) [KERNEL_##name] = {block_##name, false},
#define SUITE_GROUPS(name) SUITE_ITEMS(name)
#define X(name, domain, scope, physics) SUITE_##domain(name)
        FOR_EACH_KERNEL(X)
#undef X
    };
    static struct suite composed[] = {
#define X(name) {composed_##name, true},
        FOR_EACH_COMPOSED(X)
#undef X
    };
    const struct CMUnitTest tests[] = {
#define TEST_PACKS(name)
#define TEST_VERTICES(name)
#define TEST_ITEMS(name) {#name, every_device_is_right, NULL, NULL, &suites[KERNEL_##name]},
#define TEST_GROUPS(name) TEST_ITEMS(name)
#define X(name, domain, scope, physics) TEST_##domain(name)
        FOR_EACH_KERNEL(X)
#undef X
#define X(name) {#name, every_device_is_right, NULL, NULL, &composed[COMPOSED_##name]},
            FOR_EACH_COMPOSED(X)
#undef X
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
