// Looking for the guides of strands: a k-d tree over the roots of guides, and how like strands are.
#ifndef PLAIT_BINDING_SEARCH_H
#define PLAIT_BINDING_SEARCH_H

#include "binding.h"
#include "vector.h"

#define SHAPE_POINTS 8
#define NEAR_MOST 32 // guides that are looked at for a strand
#define ANY_GROUP UINT32_MAX
#define ON_GUIDE                                                                                                       \
    1e-4 // how far a strand may be off a guide that it lies on, in its own lengths: what rounding in a file makes

// What strands are compared by, host units.
struct strand_look {
    float root[3];
    float points[SHAPE_POINTS][3]; // along the strand, evenly, relative to the root
    float direction[3];            // unit, of its first third
    float length;
    uint32_t group;
};
void strand_look(const struct groom *groom, uint32_t strand, struct strand_look *look);

struct guide_tree {
    struct strand_look *looks; // [count] of guides
    uint32_t *order;           // a balanced tree: the middle of a range splits it
    uint8_t *axes;             // [count] of that split
    uint32_t count;
};
bool guide_tree_create(struct context *context, const struct groom *guides, struct guide_tree *tree);
void guide_tree_destroy(struct context *context, struct guide_tree *tree);

struct near_guide {
    uint32_t guide;
    float distance2; // of roots
};
// The guides whose roots are nearest, nearest first; most: up to NEAR_MOST. group: only such, or ANY_GROUP.
uint32_t guide_tree_find(const struct guide_tree *tree, const float root[3], uint32_t group, uint32_t most,
                         struct near_guide *found);

// Of a strand as drawn, host units.
double strand_length(const struct groom *groom, uint32_t strand);
// Places along a strand at shares of its length: a vertex and the share of the way to the next, as one number. Shares beyond 1 are
// at the tip.
void strand_places(const struct groom *groom, uint32_t strand, uint32_t count, const double *shares, double *places);
// Shares of its length at the vertices of a strand.
void strand_shares(const struct groom *groom, uint32_t strand, double *shares);
// Whether a strand lies on a guide, all of it, and where its vertices are along it.
bool strand_lies_on(const struct groom *render, uint32_t strand, const struct groom *guides, uint32_t guide,
                    double *places);

#endif
