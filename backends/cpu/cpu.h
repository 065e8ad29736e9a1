// The CPU backend: packs as wide as the instruction set, stages spread over the job system.
#ifndef PLAIT_CPU_H
#define PLAIT_CPU_H

#include "kernel.h"

// Runs a kernel over the items begin to end - 1 of its domain, counted from the domain's first: packs, rows of vertices,
// words, groups. `scratch`: what an override has asked for, to itself while it runs.
typedef void (*cpu_kernel)(const void *args, uint32_t begin, uint32_t end, void *scratch);

// Overrides: another form of kernels over groups, in plain C, with the same results. The plain form goes through a group
// thread by thread and step by step as a GPU does; here one thread has the whole tile.
struct cpu_override {
    cpu_kernel kernel;     // null: there is none
    uint32_t scratch_size; // bytes for each item of a tile
};

// Kernels built for one instruction set.
struct cpu_variant {
    uint32_t width;
    cpu_kernel kernels[KERNEL_COUNT];
    const struct cpu_override *overrides; // [KERNEL_COUNT]
};

// Names that end in that of the instruction set which a file is compiled for.
#define CPU_JOIN2(name, variant) name##_##variant
#define CPU_JOIN(name, variant) CPU_JOIN2(name, variant)
#define CPU_VARIANT(name) CPU_JOIN(name, PLAIT_VARIANT)

extern const struct cpu_variant cpu_variant_scalar;
#if defined(__x86_64__)
extern const struct cpu_variant cpu_variant_sse2, cpu_variant_avx2, cpu_variant_avx512;
extern const struct cpu_variant cpu_variant_sse2_narrow, cpu_variant_avx2_narrow; // where a real is two registers
#elif defined(__aarch64__)
extern const struct cpu_variant cpu_variant_neon, cpu_variant_neon_narrow;
#endif

#endif
