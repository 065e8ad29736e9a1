// The CPU backend: packs as wide as the instruction set likes, stages spread over the job system.
#ifndef PLAIT_CPU_H
#define PLAIT_CPU_H

#include "kernel.h"

// Runs a kernel over the items begin to end - 1 of its domain, counted from the domain's first: packs, rows of vertices,
// words, groups. `items`: of kernels over groups, how many items all groups have.
typedef void (*cpu_kernel)(const void *args, uint32_t begin, uint32_t end, uint32_t items);

// Kernels built for one instruction set.
struct cpu_variant {
    uint32_t width;
    cpu_kernel kernels[KERNEL_COUNT];
};

extern const struct cpu_variant cpu_variant_scalar;
#if defined(__x86_64__)
extern const struct cpu_variant cpu_variant_sse2, cpu_variant_avx2, cpu_variant_avx512;
#endif

#endif
