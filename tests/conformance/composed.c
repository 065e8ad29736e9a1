// The building blocks as couplings use them, each against what C makes of the same words.
#include "composed.h"
#include "blocks.h"
#include "words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Of an exclusive prefix sum.
static uint32_t sum_up(const uint32_t *words, uint32_t count, uint32_t *sums) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = words[i];
        sums[i] = sum;
        sum += word;
    }
    return sum;
}

static const struct buffer *scan_scratch(struct run *run) {
    return run_buffer(run, NULL, 0, blocks_scan_scratch(&run->domain));
}

void composed_scan(struct run *run) {
    const uint32_t n = run->size.items, room = run->size.capacity;
    uint32_t *words = run_array(run, n), *sums = run_array(run, n), total[2] = {5, 0};
    for (uint32_t i = 0; i < n; i++) words[i] = run_random(run);
    const struct buffer *from = run_buffer(run, words, n, room), *to = run_buffer(run, NULL, 0, room);
    const struct buffer *total_of = run_buffer(run, total, 1, 2);
    blocks_scan(&run->list, from, to, (struct word){total_of, 1}, scan_scratch(run), &run->domain);
    run_go(run);
    total[1] = sum_up(words, n, sums);
    run_expect(run, from, words, n, "what was summed");
    run_expect(run, to, sums, n, "prefix sum");
    run_expect(run, total_of, total, 2, "total of a prefix sum");
}

// In place, three times over.
void composed_repeated_scan(struct run *run) {
    const uint32_t n = run->size.items, room = run->size.capacity;
    uint32_t *words = run_array(run, n), total = 0;
    for (uint32_t i = 0; i < n; i++) words[i] = run_random(run);
    const struct buffer *words_of = run_buffer(run, words, n, room), *total_of = run_buffer(run, NULL, 0, 1);
    const struct buffer *copy = run_buffer(run, NULL, 0, room);
    blocks_copy(&run->list, words_of, copy, &run->domain);
    blocks_scan(&run->list, copy, copy, (struct word){total_of, 0}, scan_scratch(run), &run->domain);
    stage_repeat(&run->list, 1, 3);
    blocks_copy(&run->list, copy, words_of, &run->domain);
    run_go(run);
    for (int times = 0; times < 3; times++) total = sum_up(words, n, words);
    run_expect(run, words_of, words, n, "prefix sum of a prefix sum");
    run_expect(run, total_of, &total, 1, "its total");
}

// ---- sort ----

struct entry {
    uint32_t key, place;
};

static int compare_entries(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

enum kind { ANY_KEYS, FEW_KEYS, SORTED_KEYS, REVERSED_KEYS, EQUAL_KEYS, KINDS };

static uint32_t make_key(struct run *run, enum kind kind, uint32_t i, uint32_t n) {
    switch (kind) {
    case FEW_KEYS: return run_random(run) % 3 * 0x40000001u;
    case SORTED_KEYS: return i * 40000u;
    case REVERSED_KEYS: return (n - i) * 40000u;
    case EQUAL_KEYS: return 0x12345678u;
    default: return run_random(run);
    }
}

// Fewer bits take fewer passes: an odd number leaves the sorted keys in the spare buffers.
static void check_sort(struct run *run, enum kind kind, uint32_t bits) {
    const uint32_t n = run->size.items, room = run->size.capacity;
    uint32_t *keys = run_array(run, n), *indices = run_array(run, n);
    struct entry *entries = calloc(n + 1, sizeof *entries);
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = make_key(run, kind, i, n) & (uint32_t)((1ull << bits) - 1);
        indices[i] = 4000000000u - 7 * i;
        entries[i] = (struct entry){keys[i], i};
    }
    struct pairs pairs = {run_buffer(run, keys, n, room), run_buffer(run, indices, n, room)};
    struct pairs spare = {run_buffer(run, NULL, 0, room), run_buffer(run, NULL, 0, room)};
    const struct buffer *scratch = run_buffer(run, NULL, 0, blocks_sort_scratch(&run->domain));
    run->list.count = 0;
    struct pairs sorted = blocks_sort(&run->list, pairs, spare, scratch, bits, &run->domain);
    run_go(run);
    qsort(entries, n, sizeof *entries, compare_entries);
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = entries[i].key;
        indices[i] = 4000000000u - 7 * entries[i].place;
    }
    run_expect(run, sorted.keys, keys, n, "sorted keys");
    run_expect(run, sorted.indices, indices, n, "sorted indices");
    free(entries);
}

void composed_sort(struct run *run) {
    static const uint32_t bits[] = {32, 8, 20, 1, 13, 31, 24};
    if (!run->gpu || run->number % 2) check_sort(run, run->number % KINDS, 32);
    if (!run->gpu || run->number % 2 == 0) check_sort(run, ANY_KEYS, bits[run->number % 7]);
}

// ---- compaction and runs ----

void composed_compaction(struct run *run) {
    const uint32_t n = run->size.items, room = run->size.capacity;
    uint32_t *flags = run_array(run, n), *expected = run_array(run, n), count = 0;
    for (uint32_t i = 0; i < n; i++) {
        flags[i] = run->number % 5 == 0 ? 1 : run->number % 5 == 1 ? 0 : run_random(run) % 2;
        if (flags[i]) expected[count++] = i;
    }
    const struct buffer *flags_of = run_buffer(run, flags, n, room), *offsets = run_buffer(run, NULL, 0, room);
    const struct buffer *indices = run_buffer(run, NULL, 0, room), *count_of = run_buffer(run, NULL, 0, 1);
    blocks_compact(&run->list, flags_of, offsets, indices, (struct word){count_of, 0}, scan_scratch(run), &run->domain);
    run_go(run);
    run_expect(run, indices, expected, count, "chosen items");
    run_expect(run, count_of, &count, 1, "their number");
}

struct runs {
    const struct buffer *keys, *heads, *offsets, *starts, *count;
    uint32_t *expected; // starts
    uint32_t expected_count;
};

static struct runs make_runs(struct run *run) {
    const uint32_t n = run->size.items, room = run->size.capacity, rarely = 1 + run->number % 4 * 20;
    uint32_t *keys = run_array(run, n), key = 10;
    struct runs runs = {.expected = run_array(run, n + 1)};
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && run_random(run) % rarely == 0) key += 1 + run_random(run) % 3;
        if (i == 0 || key != keys[i - 1]) runs.expected[runs.expected_count++] = i;
        keys[i] = key;
    }
    runs.expected[runs.expected_count] = n;
    runs.keys = run_buffer(run, keys, n, room);
    runs.heads = run_buffer(run, NULL, 0, room);
    runs.offsets = run_buffer(run, NULL, 0, room);
    runs.starts = run_buffer(run, NULL, 0, room + 1);
    runs.count = run_buffer(run, NULL, 0, 1);
    blocks_runs(&run->list, runs.keys, runs.heads, runs.offsets, runs.starts, (struct word){runs.count, 0},
                scan_scratch(run), &run->domain);
    return runs;
}

void composed_runs(struct run *run) {
    struct runs runs = make_runs(run);
    run_go(run);
    run_expect(run, runs.starts, runs.expected, run->size.items ? runs.expected_count + 1 : 0, "bounds of runs");
    run_expect(run, runs.count, &runs.expected_count, 1, "number of runs");
}

// How many runs there are decides over how many words the stages behind go: their starts are sorted backwards.
void composed_words_that_the_device_has_counted(struct run *run) {
    struct runs runs = make_runs(run);
    const uint32_t room = run->size.capacity, count = runs.expected_count;
    struct domain domain = {.count = room, .tile = run->size.tile, .counter = runs.count};
    struct pairs pairs = {run_buffer(run, NULL, 0, room), runs.starts};
    struct pairs spare = {run_buffer(run, NULL, 0, room), run_buffer(run, NULL, 0, room)};
    blocks_fill(&run->list, pairs.keys, 0xffffffff, (uint32_t)-1, &domain);
    const struct buffer *scratch = run_buffer(run, NULL, 0, blocks_sort_scratch(&domain));
    struct pairs sorted = blocks_sort(&run->list, pairs, spare, scratch, 32, &domain);
    run_go(run);
    uint32_t *expected = run_array(run, count + 1);
    for (uint32_t i = 0; i < count; i++) expected[i] = runs.expected[count - 1 - i];
    if (run->size.items) expected[count] = run->size.items; // the bound, which is none of them
    run_expect(run, sorted.indices, expected, run->size.items ? count + 1 : 0, "starts of runs, backwards");
}

// ---- sums by key ----

// What atomics count is what sorting finds, and words that go out by an order come back by it.
void composed_counts_that_agree_with_runs(struct run *run) {
    enum { CELLS = 250 };
    const uint32_t n = run->size.items, room = run->size.capacity;
    if (run->gpu && run->number % 3) return; // sorting takes long on GPUs that are software
    uint32_t *keys = run_array(run, n), *mates = run_array(run, n), counts[CELLS + 1] = {0};
    for (uint32_t i = 0; i < n; i++) counts[keys[i] = run_random(run) % (CELLS + 1)]++; // the last is no cell
    for (uint32_t i = 0; i < n; i++) mates[i] = counts[keys[i]];
    struct pairs pairs = {run_buffer(run, keys, n, room), run_buffer(run, NULL, 0, room)};
    struct pairs spare = {run_buffer(run, NULL, 0, room), run_buffer(run, NULL, 0, room)};
    const struct buffer *sums = run_buffer(run, NULL, 0, CELLS), *heads = run_buffer(run, NULL, 0, room);
    const struct buffer *offsets = run_buffer(run, NULL, 0, room), *starts = run_buffer(run, NULL, 0, room + 1);
    const struct buffer *count = run_buffer(run, NULL, 0, 1), *sizes = run_buffer(run, NULL, 0, room);
    const struct buffer *back = run_buffer(run, NULL, 0, room), *again = run_buffer(run, NULL, 0, room);
    const struct buffer *scratch = run_buffer(run, NULL, 0, blocks_sort_scratch(&run->domain));
    struct stage_list *list = &run->list;
    blocks_fill(list, sums, 0, 0, &(struct domain){.count = CELLS});
    blocks_tally(list, pairs.keys, NULL, sums, CELLS, &run->domain);
    blocks_fill(list, pairs.indices, 0, 1, &run->domain);
    struct pairs sorted = blocks_sort(list, pairs, spare, scratch, 8, &run->domain);
    blocks_runs(list, sorted.keys, heads, offsets, starts, (struct word){count, 0}, scratch, &run->domain);
    blocks_run_sizes(list, heads, offsets, starts, sizes, &run->domain);
    blocks_scatter(list, sizes, sorted.indices, back, &run->domain);
    blocks_gather(list, back, sorted.indices, again, &run->domain);
    run_go(run);
    uint32_t *sorted_sizes = run_array(run, n), at = 0;
    for (uint32_t cell = 0; cell <= CELLS; cell++)
        for (uint32_t i = 0; i < counts[cell]; i++) sorted_sizes[at++] = counts[cell];
    run_expect(run, sums, counts, CELLS, "what atomics count");
    run_expect(run, back, mates, n, "sizes of runs, in the order of before");
    run_expect(run, again, sorted_sizes, n, "sizes of runs, in the order of the keys");
}

// Thirds have no end in binary: added as floats they would give another sum in every order.
void composed_sums_of_floats(struct run *run) {
    enum { CELLS = 20 };
    const uint32_t n = run->size.items, room = run->size.capacity;
    const float scale = 4096;
    uint32_t *keys = run_array(run, n), *values = run_array(run, n), *expected = run_array(run, CELLS);
    int64_t sums[CELLS] = {0};
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = run_random(run) % (CELLS + 1);
        float value = ((float)(run_random(run) % 200) - 90) / 3;
        memcpy(&values[i], &value, sizeof value);
        if (keys[i] < CELLS) sums[keys[i]] += (int64_t)nearbyint((double)(value * scale));
    }
    for (uint32_t c = 0; c < CELLS; c++) {
        float sum = (float)sums[c] / scale;
        memcpy(&expected[c], &sum, sizeof sum);
    }
    const struct buffer *fixed = run_buffer(run, NULL, 0, CELLS), *to = run_buffer(run, NULL, 0, CELLS);
    const struct domain cells = {.count = CELLS};
    blocks_fill(&run->list, fixed, 0, 0, &cells);
    blocks_tally_fixed(&run->list, run_buffer(run, keys, n, room), run_buffer(run, values, n, room), fixed, CELLS,
                       scale, &run->domain);
    blocks_fixed_to_floats(&run->list, fixed, to, scale, &cells);
    run_go(run);
    run_expect(run, to, expected, CELLS, "sums of floats");
}
