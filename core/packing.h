// Packing: which strand lies in which lane of which pack, and the way between host order and packed rows.
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

// Strands by vertex count, then along a space-filling curve of their roots, so that lanes of a pack meet the same
// colliders; cut into packs.
bool packing_create(struct context *context, const struct groom *groom, uint32_t width, struct packing *packing);
void packing_destroy(struct context *context, struct packing *packing);

// Where value `component` of a vertex lies in a packed array of `components` rows a vertex.
static inline size_t packed_index(const struct packing *packing, uint32_t slot, uint32_t vertex, uint32_t components,
                                  uint32_t component) {
    uint32_t pack = slot / packing->width;
    size_t row = (size_t)components * (packing->table[2 * pack] + vertex) + component;
    return row * packing->width + slot % packing->width;
}

#endif
