// Overrides of the building blocks for the CPU, compiled once per instruction set like the kernels. See cpu.h.
#include "dialect.h"

#include "kernels/group.h"

#include "cpu.h"
#include "render.h"
#include "volume.h"

// ---- prefix sum ----

static void run_scan_sums(const void *data, uint32_t first, uint32_t last, void *scratch) {
    const struct scan_sums_args *args = data;
    const uint32_t *from = words_of(BUF(from)), items = ITEMS;
    (void)scratch;
    for (uint32_t group = first; group < last; group++) {
        uint32_t sum = 0, end = tile_end(group * TILE, TILE, items);
        for (uint32_t i = group * TILE; i < end; i++) sum += from[i];
        ST_UNIFORM_UINT(BUF(sums), group, sum);
    }
}

static void run_scan_rows(const void *data, uint32_t first, uint32_t last, void *scratch) {
    const struct scan_rows_args *args = data;
    uint32_t items = VAL(capacity);
    (void)scratch;
    if (VAL(counted) && UNIFORM_UINT(BUF(counter_in), VAL(at)) < items) items = UNIFORM_UINT(BUF(counter_in), VAL(at));
    uint32_t tiles = tile_count(items, VAL(group));
    for (uint32_t row = first; row < last; row++) {
        uint32_t *sums = (uint32_t *)BUF(sums) + (size_t)row * tiles, carried = 0;
        for (uint32_t t = 0; t < tiles; t++) {
            uint32_t sum = sums[t];
            sums[t] = carried;
            carried += sum;
        }
        ST_UNIFORM_UINT(BUF(totals), VAL(totals_at) + row, carried);
    }
}

// Eight words side by side: from one vector to the next there is but one addition to wait for. Shifts by one and two stay
// in halves of four, as the instructions do.
typedef uint32_t eight __attribute__((vector_size(32)));
#define SHUFFLE __builtin_shufflevector

static void run_scan_apply(const void *data, uint32_t first, uint32_t last, void *scratch) {
    const struct scan_apply_args *args = data;
    const uint32_t *from = words_of(BUF(from)), items = ITEMS;
    uint32_t *to = (uint32_t *)BUF(to);
    const eight zero = {0};
    (void)scratch;
    for (uint32_t group = first; group < last; group++) {
        uint32_t i = group * TILE, end = tile_end(i, TILE, items);
        eight carried = zero + UNIFORM_UINT(BUF(sums), group);
        for (; end - i >= 8; i += 8) {
            eight value, sum, before;
            memcpy(&value, from + i, sizeof value);
            sum = value + SHUFFLE(value, zero, 8, 0, 1, 2, 8, 4, 5, 6);
            sum += SHUFFLE(sum, zero, 8, 8, 0, 1, 8, 8, 4, 5);
            sum += SHUFFLE(sum, zero, 8, 8, 8, 8, 3, 3, 3, 3);
            before = carried + (sum - value);
            memcpy(to + i, &before, sizeof before);
            carried += SHUFFLE(sum, sum, 7, 7, 7, 7, 7, 7, 7, 7);
        }
        for (uint32_t sum = carried[0]; i < end; i++) {
            uint32_t value = from[i];
            to[i] = sum;
            sum += value;
        }
    }
}

// ---- radix sort ----

// Four sets of counters: a digit that comes again at once need not wait for itself.
static void run_radix_count(const void *data, uint32_t first, uint32_t last, void *scratch) {
    const struct radix_count_args *args = data;
    const uint32_t *keys = words_of(BUF(keys)), items = ITEMS, tiles = tile_count(items, TILE), shift = VAL(shift);
    uint32_t *counts = (uint32_t *)BUF(counts);
    (void)scratch;
    for (uint32_t group = first; group < last; group++) {
        uint32_t sets[4][RADIX] = {{0}}, i = group * TILE, end = tile_end(i, TILE, items);
        for (; end - i >= 4; i += 4)
            for (uint32_t k = 0; k < 4; k++) sets[k][radix_digit(keys[i + k], shift)]++;
        for (; i < end; i++) sets[0][radix_digit(keys[i], shift)]++;
        for (size_t d = 0; d < RADIX; d++)
            counts[d * tiles + group] = sets[0][d] + sets[1][d] + sets[2][d] + sets[3][d];
    }
}

// Asks for the memory that a run of keys will go to. Without it 16384 pairs take 1.2 times as long.
static void expect_run(const uint32_t *keys, const uint32_t *indices, uint32_t at, uint32_t count) {
    const uint32_t line = 64 / sizeof *keys;
    for (uint32_t i = at; i < at + count + line; i += line) {
        __builtin_prefetch(keys + i, 1);
        __builtin_prefetch(indices + i, 1);
    }
}

// A tile is first sorted in the cache, so that runs of keys go to memory. Writing each key straight to memory takes 1.5 times
// as long, because 512 cache lines are open at once. So does collecting a line of each digit before it is written.
static void run_radix_scatter(const void *data, uint32_t first, uint32_t last, void *scratch) {
    const struct radix_scatter_args *args = data;
    const uint32_t *keys = words_of(BUF(keys)), *indices = words_of(BUF(indices)), *counts = words_of(BUF(counts));
    const uint32_t *totals = words_of(BUF(totals)) + VAL(totals_at);
    const uint32_t items = ITEMS, tiles = tile_count(items, TILE), shift = VAL(shift);
    uint32_t *keys_to = (uint32_t *)BUF(keys_to), *indices_to = (uint32_t *)BUF(indices_to);
    uint64_t *pairs = scratch;
    for (uint32_t group = first; group < last; group++) {
        uint32_t starts[RADIX], run[RADIX], place[RADIX], begin = group * TILE, end = tile_end(begin, TILE, items);
        for (uint32_t d = 0, before = 0, smaller = 0; d < RADIX; d++) {
            const uint32_t *row = counts + (size_t)d * tiles;
            run[d] = (group + 1 < tiles ? row[group + 1] : totals[d]) - row[group];
            starts[d] = smaller + row[group];
            place[d] = before;
            before += run[d];
            smaller += totals[d];
        }
        for (uint32_t i = begin; i < end; i++) {
            uint64_t *pair = pairs + place[radix_digit(keys[i], shift)]++;
            __builtin_prefetch(pair + 2, 1); // a little ahead of the line, which makes this loop 1.3 times as fast
            *pair = keys[i] | (uint64_t)indices[i] << 32;
        }
        for (uint32_t d = 0, p = 0; d < RADIX; d++) {
            const uint32_t ahead = 4;
            if (d + ahead < RADIX) expect_run(keys_to, indices_to, starts[d + ahead], run[d + ahead]);
            for (uint32_t to = starts[d]; p < place[d]; p++, to++) {
                keys_to[to] = (uint32_t)pairs[p];
                indices_to[to] = (uint32_t)(pairs[p] >> 32);
            }
        }
    }
}

extern const struct cpu_override CPU_VARIANT(cpu_overrides)[KERNEL_COUNT];
const struct cpu_override CPU_VARIANT(cpu_overrides)[KERNEL_COUNT] = {
    [KERNEL_scan_sums] = {run_scan_sums, 0},
    [KERNEL_scan_rows] = {run_scan_rows, 0},
    [KERNEL_scan_apply] = {run_scan_apply, 0},
    [KERNEL_radix_count] = {run_radix_count, 0},
    [KERNEL_radix_scatter] = {run_radix_scatter, sizeof(uint64_t)},
    [KERNEL_render_rows] = {CPU_VARIANT(render_rows), 0},
    [KERNEL_render_position] = {CPU_VARIANT(render_position), 0},
    [KERNEL_render_tangent] = {CPU_VARIANT(render_tangent), 0},
    [KERNEL_render_previous] = {CPU_VARIANT(render_previous), 0},
    [KERNEL_volume_bin] = {CPU_VARIANT(volume_bin), 0},
    [KERNEL_volume_place] = {CPU_VARIANT(volume_place), 0},
    [KERNEL_volume_to_grid] = {CPU_VARIANT(volume_to_grid), 0},
    [KERNEL_volume_grid] = {CPU_VARIANT(volume_grid), 0},
};
