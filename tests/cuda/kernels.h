// Kernels that run on fibers, by name.
#ifndef PLAIT_TESTS_KERNELS_H
#define PLAIT_TESTS_KERNELS_H

#include "fiber.h"

struct named_kernel {
    const char *name;
    fiber_kernel kernel;
    size_t params_size;
};

extern const struct named_kernel source_kernels[], ptx_kernels[]; // the last has no name
extern const struct named_kernel probe_source_kernels[], probe_ptx_kernels[];
extern const uint64_t ptx_hash; // of the PTX text that ptx_kernels were made of

// FNV-1a, as the translator computes it.
static inline uint64_t text_hash(const char *text) {
    uint64_t hash = 14695981039346656037u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

#endif
