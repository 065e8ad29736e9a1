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

// Overrides: of these kernels GPUs have a second form, for hairs with too few strands to fill one with a thread each. X(name,
// threads, strands): it spends so many threads on a strand, and a group of OVERRIDE_GROUP threads has so many strands, all
// of one pack. It gives the bits of the plain form, which stays what it is tested against.
#define FOR_EACH_OVERRIDE(X) X(band, 10, 3)
#define OVERRIDE_GROUP 32u

// Hairs of up to so many strands run them. A card of 80 multiprocessors with 16 warps each in flight wants 40,000 threads:
// the plain form has those from 40,000 strands on, the override from 4,000. Between, it gains less and less, and it takes
// more of the memory's time: 3 of the 8 values that come at once. An estimate: nobody has measured it on a card yet.
#define OVERRIDE_STRANDS 16384u

// How many strands a group of the kernel's override has; 0: there is none.
static inline uint32_t kernel_override(uint32_t kernel) {
    switch (kernel) {
#define X(name, threads, strands)                                                                                      \
    case KERNEL_##name: return strands;
        FOR_EACH_OVERRIDE(X)
#undef X
    default: return 0;
    }
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
