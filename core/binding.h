// The binding: which guides each strand of a render groom follows, found once in the bind pose; in host units. Hairs make of it
// what their devices need (couplings/render).
#ifndef PLAIT_BINDING_H
#define PLAIT_BINDING_H

#include "groom.h"

#define MAX_GUIDES 4
#define EVEN_ROW UINT32_MAX

// A guide as strands of some vertex count see it: points along it, one for each of their vertices.
struct binding_row {
    uint32_t guide, count;
    uint32_t places; // of the points, in binding.places; EVEN_ROW: evenly spread over the guide's vertices
};

struct binding {
    struct object object;
    plait_binding_info info;
    struct groom *guides, *render; // references held
    uint32_t guide_count;          // that a strand follows at most
    uint32_t *order;               // [strand_count] numbers of strands, neighbours and those of one guide together
    uint32_t *strand_rows;         // [strand_count][guide_count] in that order, nearest first
    float *weights;                // [strand_count][guide_count], they sum to one; unused ones are 0
    struct binding_row *rows;      // [info.row_count]
    double *places;                // of rows that are not even: guide vertex, and share of the way to the next
    double centre[3];              // of the guides
};

struct call;
// From a blob of plait_binding_save, for the binding's grooms, which are set and described.
plait_result binding_fill_from(struct call *call, struct binding *binding, const void *memory, uint64_t size);

#endif
