#include "blocks.h"

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
