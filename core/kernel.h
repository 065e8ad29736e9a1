// Kernels by number, and what a stage hands to one. The list below is the only one: CPU tables, and later SPIR-V and PTX
// modules, are generated from it.
#ifndef PLAIT_KERNEL_H
#define PLAIT_KERNEL_H

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
    X(output_position, 0)                                                                                              \
    X(output_tangent, 0)                                                                                               \
    X(output_previous, 0)

enum kernel_id {
#define X(name, physics) KERNEL_##name,
    FOR_EACH_KERNEL(X)
#undef X
        KERNEL_COUNT
};

struct kernel_args {
    void *buffers[KERNEL_MAX_BUFFERS];
    uint32_t values[KERNEL_MAX_VALUES];
};

// Runs a kernel over the packs begin to end - 1.
typedef void (*cpu_kernel)(const struct kernel_args *args, uint32_t begin, uint32_t end);

#endif
