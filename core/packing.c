#include "packing.h"
#include "layout.h"

#include <string.h>

struct key {
    uint64_t value;
    uint32_t strand;
};

static uint64_t spread_bits(uint64_t v) { // 10 bits to every third
    uint64_t out = 0;
    for (int i = 0; i < 10; i++) out |= (v >> i & 1) << (3 * i);
    return out;
}

static uint64_t sort_key(const struct groom *groom, uint32_t strand) {
    const float *p = groom->positions + 3 * (size_t)groom->first_vertex[strand];
    uint64_t morton = 0;
    for (int c = 0; c < 3; c++) {
        double lo = groom->info.bounds_min[c], hi = groom->info.bounds_max[c];
        double at = hi > lo ? (p[c] - lo) / (hi - lo) : 0;
        morton |= spread_bits((uint64_t)(at * 1023)) << c;
    }
    return (uint64_t)groom->vertex_counts[strand] << 32 | morton;
}

// Stable radix sort: equal keys keep the host's order.
static void sort_keys(struct key *keys, struct key *spare, uint32_t count) {
    for (unsigned shift = 0; shift < 48; shift += 8) {
        uint32_t start[257] = {0};
        for (uint32_t i = 0; i < count; i++) start[(keys[i].value >> shift & 0xff) + 1]++;
        for (int b = 0; b < 256; b++) start[b + 1] += start[b];
        for (uint32_t i = 0; i < count; i++) spare[start[keys[i].value >> shift & 0xff]++] = keys[i];
        struct key *swap = keys;
        keys = spare;
        spare = swap;
    }
}

bool packing_create(struct context *context, const struct groom *groom, uint32_t width, struct packing *packing) {
    uint32_t count = groom->info.strand_count;
    packing->width = width;
    packing->pack_count = (count + width - 1) / width;
    packing->table = memory_allocate(context, packing->pack_count, PACK_UINTS * sizeof(uint32_t));
    packing->strands = memory_allocate(context, (size_t)packing->pack_count * width, sizeof(uint32_t));
    struct key *keys = memory_allocate(context, count, 2 * sizeof *keys);
    bool made = packing->table && packing->strands && keys;
    if (made) {
        for (uint32_t s = 0; s < count; s++) keys[s] = (struct key){sort_key(groom, s), s};
        sort_keys(keys, keys + count, count); // an even number of passes: the result is in keys
        uint32_t row = 0;
        for (uint32_t pack = 0; pack < packing->pack_count; pack++) {
            uint32_t vertices = 0;
            for (uint32_t lane = 0; lane < width; lane++) {
                uint32_t slot = pack * width + lane;
                packing->strands[slot] = slot < count ? keys[slot].strand : NO_STRAND;
                if (slot < count && groom->vertex_counts[keys[slot].strand] > vertices)
                    vertices = groom->vertex_counts[keys[slot].strand];
            }
            packing->table[pack * PACK_UINTS + PACK_FIRST] = row;
            packing->table[pack * PACK_UINTS + PACK_VERTICES] = vertices;
            row += vertices;
        }
        packing->row_count = row;
    }
    memory_release(context, keys);
    return made;
}

void packing_destroy(struct context *context, struct packing *packing) {
    memory_release(context, packing->table);
    memory_release(context, packing->strands);
}
