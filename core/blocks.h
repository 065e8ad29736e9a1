// Building blocks: prefix sum, sort, compaction, runs, and sums by key of words on a device, as stages of a plan. All devices
// give the same integers.
//
// A domain is how many words there are, fixed or counted by the device: { .count, .tile, .counter, .counter_at }. Its tile is
// the device's. A first item is for blocks of one stage only. A counter may be zero; one beyond the capacity counts as the
// capacity. A block must not write the counter of its own domain. Buffers have room for the domain's `count` words unless
// stated otherwise. Where no number of stages is given, a block is one stage.
#ifndef PLAIT_BLOCKS_H
#define PLAIT_BLOCKS_H

#include "plan.h"

// Words that the scratch memory of a block must have. Blocks that run one after the other may share it.
uint32_t blocks_scan_scratch(const struct domain *domain);
uint32_t blocks_sort_scratch(const struct domain *domain);

// Stages that a block adds, for the capacity of lists.
enum { BLOCKS_SCAN_STAGES = 3, BLOCKS_COMPACT_STAGES = 4, BLOCKS_RUNS_STAGES = 5, BLOCKS_SORT_STAGES = 12 };

// to[i] = value + i * step
void blocks_fill(struct stage_list *list, const struct buffer *to, uint32_t value, uint32_t step,
                 const struct domain *domain);

void blocks_copy(struct stage_list *list, const struct buffer *from, const struct buffer *to,
                 const struct domain *domain);

// A word of a buffer.
struct word {
    const struct buffer *buffer;
    uint32_t at;
};

// to[i] = from[0] + ... + from[i - 1], and the sum of all in `total`. Sums wrap around. `to` may be `from`.
void blocks_scan(struct stage_list *list, const struct buffer *from, const struct buffer *to, struct word total,
                 const struct buffer *scratch, const struct domain *domain);

struct pairs {
    const struct buffer *keys, *indices;
};

// Sorts pairs by their keys, which are below 2^bits; equal keys keep their order. Returns where the sorted ones are: in `pairs`
// or in `spare`. The content of the other is undefined.
struct pairs blocks_sort(struct stage_list *list, struct pairs pairs, struct pairs spare, const struct buffer *scratch,
                         uint32_t bits, const struct domain *domain);

// The numbers of the items whose flag is 1, in order, and how many there are. Flags are 0 or 1; `offsets` becomes their prefix
// sum.
void blocks_compact(struct stage_list *list, const struct buffer *flags, const struct buffer *offsets,
                    const struct buffer *indices, struct word count, const struct buffer *scratch,
                    const struct domain *domain);

// Runs of equal keys among sorted ones: run r is keys[starts[r]] to keys[starts[r + 1] - 1], r below the count. `starts` has
// room for a word more than there may be keys. `heads` becomes 1 where a run begins, else 0, and `offsets` its prefix sum: key
// i is of run offsets[i] + heads[i] - 1. With no keys only the count is written.
void blocks_runs(struct stage_list *list, const struct buffer *keys, const struct buffer *heads,
                 const struct buffer *offsets, const struct buffer *starts, struct word count,
                 const struct buffer *scratch, const struct domain *domain);

// sizes[i]: how many keys the run of key i has, from what blocks_runs has made of them.
void blocks_run_sizes(struct stage_list *list, const struct buffer *heads, const struct buffer *offsets,
                      const struct buffer *starts, const struct buffer *sizes, const struct domain *domain);

// to[i] = from[indices[i]]. `to` must not be `from`.
void blocks_gather(struct stage_list *list, const struct buffer *from, const struct buffer *indices,
                   const struct buffer *to, const struct domain *domain);

// to[indices[i]] = from[i]. No index comes twice; `to` must not be `from`.
void blocks_scatter(struct stage_list *list, const struct buffer *from, const struct buffer *indices,
                    const struct buffer *to, const struct domain *domain);

// ---- by key: what several items write to one place, by atomics ----
//
// Places have room for `capacity` words; items whose key is not below it are left out. What the places held before counts
// too, so a fill comes first.

// sums[keys[i]] += values[i], or 1 where `values` is null. Sums wrap around.
void blocks_tally(struct stage_list *list, const struct buffer *keys, const struct buffer *values,
                  const struct buffer *sums, uint32_t capacity, const struct domain *domain);

// lows[keys[i]] = the smaller of it and values[i], highs[keys[i]] the larger; the values as unsigned numbers.
void blocks_extremes(struct stage_list *list, const struct buffer *keys, const struct buffer *values,
                     const struct buffer *lows, const struct buffer *highs, uint32_t capacity,
                     const struct domain *domain);

// sums[keys[i]] += the float values[i] times `scale`, as a whole number: sums of floats that do not depend on their order. The
// resolution is 1 / scale: each value is rounded to a multiple of it, the sum is exact. Sums of positive and negative values
// must end within 2^31 / scale, and so must each value. With a power of two no bit of a value is lost above the resolution.
// Example: masses of a cell in grams, scale 2^16: up to 32,767 g in steps of 15 micrograms.
void blocks_tally_fixed(struct stage_list *list, const struct buffer *keys, const struct buffer *values,
                        const struct buffer *sums, uint32_t capacity, float scale, const struct domain *domain);

// to[i] = sums[i] / scale, as a float: of a sum its first 24 bits. `to` may be `sums`.
void blocks_fixed_to_floats(struct stage_list *list, const struct buffer *sums, const struct buffer *to, float scale,
                            const struct domain *domain);

// ---- cells ----

// A box of cubes, metres. At most 2^24 cells along an axis, and less than 2^32 in all.
struct cell_grid {
    float low[3], size;
    uint32_t counts[3];
};

// How many cells there are: the key of what is in none of them, which sorts last and has no place in sums by key.
uint32_t cell_grid_cells(const struct cell_grid *grid);

// keys: for each vertex of the hair, in the order of its rows, the number of its cell: (z * counts[1] + y) * counts[0] + x.
// positions: three rows a vertex. present: a row a vertex, 0 for padding.
void blocks_cell_keys(struct stage_list *list, const struct buffer *positions, const struct buffer *present,
                      const struct buffer *keys, const struct cell_grid *grid);

#endif
