// What overrides of render strands are written with. Nothing in them depends on how wide packs are, so a real is one register: with
// two, most of what a vertex needs would be in memory. To be included first.
#ifndef PLAIT_CPU_RENDER_LANES_H
#define PLAIT_CPU_RENDER_LANES_H

enum { PACK_LANES = PLAIT_WIDTH }; // but of the guides' packs
#if PLAIT_WIDTH > 1
#undef PLAIT_WIDTH
#if defined(__AVX512F__)
#define PLAIT_WIDTH 16
#elif defined(__AVX2__)
#define PLAIT_WIDTH 8
#else
#define PLAIT_WIDTH 4
#endif
#endif
#include "dialect.h"

#include "kernels/functions.h"

#include "render.h"

// Compilers take minutes for functions as long as all of these with what sanitizers add.
#ifdef PLAIT_SANITIZED
#define INLINE static __attribute__((noinline))
#else
#define INLINE static inline __attribute__((always_inline))
#endif

INLINE real load_run(const float *from) {
    real value;
    memcpy(&value, from, sizeof value);
    return value;
}

#endif
