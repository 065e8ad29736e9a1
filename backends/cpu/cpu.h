// The CPU backend: packs as wide as the instruction set likes, stages spread over the job system.
#ifndef PLAIT_CPU_H
#define PLAIT_CPU_H

#include "kernel.h"

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
