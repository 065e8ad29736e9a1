// Kernels by number, and what a stage hands to one. The list below is the only one: CPU tables, and later SPIR-V and PTX
// modules, are generated from it.
#ifndef PLAIT_KERNEL_H
#define PLAIT_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#define KERNEL_MAX_BUFFERS 12
#define KERNEL_MAX_VALUES 8

// X(name, physics): physics kernels are left out by the null device.
#define FOR_EACH_KERNEL(X)                                                                                             \
    X(roots, 0)                                                                                                        \
    X(rest, 0)                                                                                                         \
    X(carry, 0)                                                                                                        \
    X(snapshot, 0)                                                                                                     \
    X(shape, 1)                                                                                                        \
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
