// Kernels by number, and what a stage hands to one. The list below is the only one: CPU tables, and later SPIR-V and PTX
// modules, are generated from it.
#ifndef PLAIT_KERNEL_H
#define PLAIT_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#define KERNEL_MAX_BUFFERS 16
#define KERNEL_MAX_VALUES 8

// X(name, physics): physics kernels are left out by the null device.
#define FOR_EACH_KERNEL(X)                                                                                             \
    X(roots, 0)                                                                                                        \
    X(rest, 0)                                                                                                         \
    X(carry, 0)                                                                                                        \
    X(snapshot, 0)                                                                                                     \
    X(shape, 1)                                                                                                        \
    X(rod_rest, 0)                                                                                                     \
    X(rod_begin, 1)                                                                                                    \
    X(rod_build, 1)                                                                                                    \
    X(rod_end, 1)                                                                                                      \
    X(band, 1)                                                                                                         \
    X(output_position, 0)                                                                                              \
    X(output_tangent, 0)                                                                                               \
    X(output_previous, 0)

enum kernel_id {
#define X(name, physics) KERNEL_##name,
    FOR_EACH_KERNEL(X)
#undef X
        KERNEL_COUNT
};

// Overrides: of these kernels GPUs have a second form, for hairs with too few strands to fill one with a thread each. It
// gives the bits of the plain form, which stays what it is tested against. X(name, strands, vertices, most): a group of
// OVERRIDE_GROUP threads has so many strands, all of one pack, and so many vertices of each beyond those of the group before
// it (0: all); hairs of up to `most` strands run it.
//
// A card of 80 multiprocessors with 16 warps each in flight wants 40,000 threads: the plain form has those from 40,000
// strands on. Of band, with ten threads a strand, the override has them from 4,000 on; between, it gains less and less, and
// it takes more of the memory's time: 3 of the 8 values that come at once. That of rod_build has them from 1,250 strands on
// and takes one of the 8 values: its 80 accesses keep a multiprocessor busy for 32 cycles each, 1.1 cycles a vertex of the
// hair over 80 of them, where the plain form waits some 3,500 cycles a vertex of the strand for memory, up to 3,000 strands.
// Estimates: nobody has measured them on a card yet.
#define FOR_EACH_OVERRIDE(X)                                                                                           \
    X(band, 3, 0, 16384)                                                                                               \
    X(rod_build, 1, 29, 2048)
#define OVERRIDE_GROUP 32u // and lanes of a pack

enum override_use {
    OVERRIDES_BY_COUNT,
    OVERRIDES_NEVER,
    OVERRIDES_ALWAYS // for tests
};

// What to launch of an override: groups for all strands, times `parts` that share the vertices of a strand among them. No
// groups: the plain form is to run. There are as many parts as a strand of mean length has work for; in longer ones a group
// goes on to what is `parts` further.
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

// Which of its buffers a kernel may write, a bit each; all, unless it is known to leave the rest alone, which
// tests/conformance/kernels.c makes sure of.
static inline uint32_t kernel_writes(uint32_t kernel) {
    bool only_output = kernel == KERNEL_output_position || kernel == KERNEL_output_tangent;
    return only_output ? 1u << 6 : ~0u;
}

struct kernel_args {
    void *buffers[KERNEL_MAX_BUFFERS];
    uint32_t values[KERNEL_MAX_VALUES];
};

// What a kernel on a GPU is launched with, by value, where pointers are pointers.
struct kernel_launch {
    struct kernel_args stage;
    uint32_t items;
};

// Runs a kernel over the packs begin to end - 1.
typedef void (*cpu_kernel)(const struct kernel_args *args, uint32_t begin, uint32_t end);

#endif
