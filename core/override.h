// Overrides: when a device runs the second form of a kernel that kernels/list.h gives it, and with which grid.
#ifndef PLAIT_OVERRIDE_H
#define PLAIT_OVERRIDE_H

#include "kernel.h"

enum override_use {
    OVERRIDES_BY_COUNT,
    OVERRIDES_NEVER,
    OVERRIDES_ALWAYS // for tests
};

// The grid of an override: groups for all strands, times `parts` that share the vertices of a strand. No groups: run the
// plain form. There are as many parts as a strand of mean length has work for; in a longer strand a group continues `parts`
// further on.
struct override_grid {
    uint32_t groups, parts;
};

static inline bool kernel_has_override(uint32_t kernel) {
#define X(name, strands, vertices, most) || kernel == KERNEL_##name
    return false FOR_EACH_OVERRIDE(X);
#undef X
}

// `all_vertices` are those of all packs, padding included.
static inline struct override_grid kernel_override(uint32_t kernel, enum override_use use, uint32_t packs,
                                                   uint64_t all_vertices) {
    struct override_grid grid = {0, 1};
    uint32_t group_strands = 0, group_vertices = 0, limit = 0;
#define X(name, strands, vertices, most)                                                                               \
    if (kernel == KERNEL_##name) group_strands = strands, group_vertices = vertices, limit = most;
    FOR_EACH_OVERRIDE(X)
#undef X
    uint64_t all_strands = (uint64_t)packs * OVERRIDE_GROUP;
    if (!group_strands || use == OVERRIDES_NEVER || (use == OVERRIDES_BY_COUNT && all_strands > limit)) return grid;
    grid.groups = packs * ((OVERRIDE_GROUP + group_strands - 1) / group_strands);
    uint64_t mean = all_strands ? (all_vertices + all_strands - 1) / all_strands : 0;
    if (group_vertices && mean > OVERRIDE_GROUP) // the first has all of its vertices to itself
        grid.parts = 1 + (uint32_t)((mean - OVERRIDE_GROUP + group_vertices - 1) / group_vertices);
    return grid;
}

#endif
