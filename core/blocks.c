#include "blocks.h"

#include <string.h>

static uint32_t tiles_of(const struct domain *domain) {
    return domain->count / domain->tile + (domain->count % domain->tile != 0);
}

uint32_t blocks_scan_scratch(const struct domain *domain) { return tiles_of(domain); }

// A row of tiles for each digit, then a total for each.
uint32_t blocks_sort_scratch(const struct domain *domain) { return RADIX * tiles_of(domain) + RADIX; }

void blocks_fill(struct stage_list *list, const struct buffer *to, uint32_t value, uint32_t step,
                 const struct domain *domain) {
    stage_add(list, (struct stage){.kernel = KERNEL_fill,
                                   .domain = *domain,
                                   .buffers.fill = {.to = to},
                                   .values.fill = {.value = value, .step = step}});
}

void blocks_copy(struct stage_list *list, const struct buffer *from, const struct buffer *to,
                 const struct domain *domain) {
    stage_add(list, (struct stage){.kernel = KERNEL_copy, .domain = *domain, .buffers.copy = {.from = from, .to = to}});
}

// Prefix sums of `rows` rows of tiles. One group a row, whatever the counter says: totals of no tiles are written, too.
static void scan_rows(struct stage_list *list, const struct buffer *sums, uint32_t rows, struct word totals,
                      const struct domain *domain) {
    stage_add(list, (struct stage){.kernel = KERNEL_scan_rows,
                                   .domain = {.count = rows, .tile = 1},
                                   .buffers.scan_rows = {.sums = sums,
                                                         .totals = totals.buffer,
                                                         .counter_in = domain->counter ? domain->counter : sums},
                                   .values.scan_rows = {.capacity = domain->count,
                                                        .counted = domain->counter != NULL,
                                                        .at = domain->counter_at,
                                                        .group = domain->tile,
                                                        .totals_at = totals.at}});
}

void blocks_scan(struct stage_list *list, const struct buffer *from, const struct buffer *to, struct word total,
                 const struct buffer *scratch, const struct domain *domain) {
    stage_add(list, (struct stage){.kernel = KERNEL_scan_sums,
                                   .domain = *domain,
                                   .buffers.scan_sums = {.from = from, .sums = scratch}});
    scan_rows(list, scratch, 1, total, domain);
    stage_add(list, (struct stage){.kernel = KERNEL_scan_apply,
                                   .domain = *domain,
                                   .buffers.scan_apply = {.from = from, .sums = scratch, .to = to}});
}

struct pairs blocks_sort(struct stage_list *list, struct pairs pairs, struct pairs spare, const struct buffer *scratch,
                         uint32_t bits, const struct domain *domain) {
    const struct word totals = {scratch, RADIX * tiles_of(domain)};
    for (uint32_t shift = 0; shift < bits; shift += RADIX_BITS) {
        stage_add(list, (struct stage){.kernel = KERNEL_radix_count,
                                       .domain = *domain,
                                       .buffers.radix_count = {.keys = pairs.keys, .counts = scratch},
                                       .values.radix_count = {.shift = shift}});
        scan_rows(list, scratch, RADIX, totals, domain);
        stage_add(list, (struct stage){.kernel = KERNEL_radix_scatter,
                                       .domain = *domain,
                                       .buffers.radix_scatter = {.keys = pairs.keys,
                                                                 .indices = pairs.indices,
                                                                 .counts = scratch,
                                                                 .totals = scratch,
                                                                 .keys_to = spare.keys,
                                                                 .indices_to = spare.indices},
                                       .values.radix_scatter = {.shift = shift, .totals_at = totals.at}});
        struct pairs sorted = spare;
        spare = pairs;
        pairs = sorted;
    }
    return pairs;
}

static void compact(struct stage_list *list, const struct buffer *flags, const struct buffer *offsets,
                    const struct buffer *indices, struct word count, bool bound, const struct buffer *scratch,
                    const struct domain *domain) {
    blocks_scan(list, flags, offsets, count, scratch, domain);
    stage_add(list, (struct stage){.kernel = KERNEL_compact,
                                   .domain = *domain,
                                   .buffers.compact = {.flags = flags, .offsets = offsets, .indices = indices},
                                   .values.compact = {.bound = bound}});
}

void blocks_compact(struct stage_list *list, const struct buffer *flags, const struct buffer *offsets,
                    const struct buffer *indices, struct word count, const struct buffer *scratch,
                    const struct domain *domain) {
    compact(list, flags, offsets, indices, count, false, scratch, domain);
}

void blocks_runs(struct stage_list *list, const struct buffer *keys, const struct buffer *heads,
                 const struct buffer *offsets, const struct buffer *starts, struct word count,
                 const struct buffer *scratch, const struct domain *domain) {
    stage_add(list, (struct stage){.kernel = KERNEL_run_heads,
                                   .domain = *domain,
                                   .buffers.run_heads = {.keys = keys, .heads = heads}});
    compact(list, heads, offsets, starts, count, true, scratch, domain);
}

void blocks_run_sizes(struct stage_list *list, const struct buffer *heads, const struct buffer *offsets,
                      const struct buffer *starts, const struct buffer *sizes, const struct domain *domain) {
    stage_add(list, (struct stage){
                        .kernel = KERNEL_run_sizes,
                        .domain = *domain,
                        .buffers.run_sizes = {.heads = heads, .offsets = offsets, .starts = starts, .sizes = sizes}});
}

void blocks_gather(struct stage_list *list, const struct buffer *from, const struct buffer *indices,
                   const struct buffer *to, const struct domain *domain) {
    stage_add(list, (struct stage){.kernel = KERNEL_gather,
                                   .domain = *domain,
                                   .buffers.gather = {.from = from, .indices = indices, .to = to}});
}

void blocks_scatter(struct stage_list *list, const struct buffer *from, const struct buffer *indices,
                    const struct buffer *to, const struct domain *domain) {
    stage_add(list, (struct stage){.kernel = KERNEL_scatter,
                                   .domain = *domain,
                                   .buffers.scatter = {.from = from, .indices = indices, .to = to}});
}

// ---- by key ----

static uint32_t float_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

void blocks_tally(struct stage_list *list, const struct buffer *keys, const struct buffer *values,
                  const struct buffer *sums, uint32_t capacity, const struct domain *domain) {
    stage_add(list, (struct stage){.kernel = KERNEL_tally,
                                   .domain = *domain,
                                   .buffers.tally = {.keys = keys, .values = values ? values : keys, .sums = sums},
                                   .values.tally = {.weighted = values != NULL, .capacity = capacity}});
}

void blocks_extremes(struct stage_list *list, const struct buffer *keys, const struct buffer *values,
                     const struct buffer *lows, const struct buffer *highs, uint32_t capacity,
                     const struct domain *domain) {
    stage_add(list, (struct stage){.kernel = KERNEL_extremes,
                                   .domain = *domain,
                                   .buffers.extremes = {.keys = keys, .values = values, .lows = lows, .highs = highs},
                                   .values.extremes = {.capacity = capacity}});
}

void blocks_tally_fixed(struct stage_list *list, const struct buffer *keys, const struct buffer *values,
                        const struct buffer *sums, uint32_t capacity, float scale, const struct domain *domain) {
    stage_add(list, (struct stage){.kernel = KERNEL_tally_fixed,
                                   .domain = *domain,
                                   .buffers.tally_fixed = {.keys = keys, .values = values, .sums = sums},
                                   .values.tally_fixed = {.capacity = capacity, .scale = float_bits(scale)}});
}

void blocks_fixed_to_floats(struct stage_list *list, const struct buffer *sums, const struct buffer *to, float scale,
                            const struct domain *domain) {
    stage_add(list, (struct stage){.kernel = KERNEL_fixed_to_floats,
                                   .domain = *domain,
                                   .buffers.fixed_to_floats = {.sums = sums, .to = to},
                                   .values.fixed_to_floats = {.scale_inverse = float_bits(1 / scale)}});
}

// ---- cells ----

uint32_t cell_grid_cells(const struct cell_grid *grid) { return grid->counts[0] * grid->counts[1] * grid->counts[2]; }

void blocks_cell_keys(struct stage_list *list, const struct buffer *positions, const struct buffer *present,
                      const struct buffer *keys, const struct cell_grid *grid) {
    stage_add(list, (struct stage){.kernel = KERNEL_cell_keys,
                                   .buffers.cell_keys = {.positions = positions, .present = present, .keys = keys},
                                   .values.cell_keys = {.low_x = float_bits(grid->low[0]),
                                                        .low_y = float_bits(grid->low[1]),
                                                        .low_z = float_bits(grid->low[2]),
                                                        .size_inverse = float_bits(1 / grid->size),
                                                        .count_x = grid->counts[0],
                                                        .count_y = grid->counts[1],
                                                        .count_z = grid->counts[2]}});
}
