// Kernels by number, and the arguments that a stage hands to one: all from kernels/list.h. C and CUDA.
#ifndef PLAIT_KERNEL_H
#define PLAIT_KERNEL_H

#include "kernels/list.h"

#include <stdbool.h>
#include <stdint.h>

enum kernel_id {
#define X(name, domain, scope, physics) KERNEL_##name,
    FOR_EACH_KERNEL(X)
#undef X
        KERNEL_COUNT
};

// What a kernel is called with: a pointer for each binding, in the order of its list, the counter of its domain or null, the
// range of its items, and its numbers. `items`: how many; where there is a counter, how many at most. `tile`: of GROUPS, how
// many of the items one group has.
#define KERNEL_POINTER(binding, access) float *binding;
#define KERNEL_NUMBER(value) uint32_t value;
#define X(name, domain, scope, physics)                                                                                \
    struct name##_args {                                                                                               \
        name##_BINDINGS(KERNEL_POINTER) const uint32_t *counter;                                                       \
        uint32_t first, items, tile;                                                                                   \
        name##_VALUES(KERNEL_NUMBER)                                                                                   \
    };
FOR_EACH_KERNEL(X)
#undef X

// As large as the largest.
union kernel_args {
#define X(name, domain, scope, physics) struct name##_args name;
    FOR_EACH_KERNEL(X)
#undef X
};

#endif
