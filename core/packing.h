// Packing: which strand is in which lane of which pack, and the mapping between host order and packed rows.
#ifndef PLAIT_PACKING_H
#define PLAIT_PACKING_H

#include "groom.h"

#define NO_STRAND UINT32_MAX

struct packing {
    uint32_t width; // lanes of a pack
    uint32_t pack_count;
    uint32_t row_count; // vertex rows of all packs
    uint32_t *table;    // [pack_count][PACK_UINTS]
    uint32_t *strands;  // [pack_count * width] strand in the lane, or NO_STRAND
};

// Sorts strands by vertex count, then along a space-filling curve through their roots, so that lanes of a pack meet the
// same colliders; then cuts them into packs.
bool packing_create(struct context *context, const struct groom *groom, uint32_t width, struct packing *packing);
void packing_destroy(struct context *context, struct packing *packing);

// Index of `component` of a vertex in a packed array with `components` rows per vertex.
static inline size_t packed_index(const struct packing *packing, uint32_t slot, uint32_t vertex, uint32_t components,
                                  uint32_t component) {
    uint32_t pack = slot / packing->width;
    size_t row = (size_t)components * (packing->table[2 * pack] + vertex) + component;
    return row * packing->width + slot % packing->width;
}

#endif
