// Building blocks: prefix sum, sort, compaction and runs of words on a device, as stages of a plan. All devices give the same
// integers.
//
// A domain is how many words there are, fixed or counted by the device: { .count, .tile, .counter, .counter_at } and no first
// item. Its tile is the device's. A counter may be zero; one beyond the capacity counts as the capacity. A block must not
// write the counter of its own domain. Buffers have room for the domain's `count` words unless stated otherwise.
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

#endif
