// The shared dialect: what kernels and physics are written in, here for C11. One lane is one strand; PLAIT_WIDTH lanes
// make a `real`. Rules: structs by value, memory only through LD, ST and the like, literals through R(), no branch on
// lane data except if (any(mask)), transcendental functions as our own polynomials. Every width gives the same bits: no
// contraction, no approximate instructions, and min_, max_ and sel treat NaN the same on every path.
#ifndef PLAIT_DIALECT_H
#define PLAIT_DIALECT_H

#include "kernel.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifndef PLAIT_WIDTH
#error "PLAIT_WIDTH: lanes per real, 1 to 32"
#endif

#define FN static inline __attribute__((always_inline, unused))
#define STRUCT(name) typedef struct name {
#define END(name)                                                                                                      \
    }                                                                                                                  \
    name;

typedef uint32_t uint;

#if PLAIT_WIDTH == 1
typedef float real;
typedef int32_t mask;
typedef uint32_t lane_uint;
#define R(c) (c)
FN real sel(mask m, real a, real b) { return m ? a : b; }
FN mask lt(real a, real b) { return -(a < b); }
FN int any(mask m) { return m != 0; }
FN uint count_lanes(mask m) { return m != 0; }
FN real sqrt_(real x) { return sqrtf(x); }
#define PLAIT_REGISTER float
typedef double wide;
typedef uint64_t wide_bits;
FN wide widen(float x) { return x; }
FN float narrow(wide x) { return (float)x; }
FN wide_bits is_nonzero(wide x) { return x < 0 || x > 0; } // and not NaN
#else
#include <immintrin.h>
typedef float real __attribute__((vector_size(4 * PLAIT_WIDTH)));
typedef int32_t mask __attribute__((vector_size(4 * PLAIT_WIDTH)));
typedef uint32_t lane_uint __attribute__((vector_size(4 * PLAIT_WIDTH)));
#define R(c) ((real){0} + (c))
FN real sel(mask m, real a, real b) { return (real)((m & (mask)a) | (~m & (mask)b)); }
FN mask lt(real a, real b) { return a < b; }

// Square roots and tests go register by register: a real may span several registers of the instruction set.
#if defined(__AVX512F__)
#define PLAIT_REGISTER __m512
#define PLAIT_SQRT _mm512_sqrt_ps
#define PLAIT_FMA _mm512_fmadd_ps
#define PLAIT_SIGNS(r) ((uint)_mm512_movepi32_mask(_mm512_castps_si512(r)))
#elif defined(__AVX2__)
#define PLAIT_REGISTER __m256
#define PLAIT_SQRT _mm256_sqrt_ps
#define PLAIT_FMA _mm256_fmadd_ps
#define PLAIT_SIGNS(r) ((uint)_mm256_movemask_ps(r))
#else
#define PLAIT_REGISTER __m128
#define PLAIT_SQRT _mm_sqrt_ps
#define PLAIT_SIGNS(r) ((uint)_mm_movemask_ps(r))
#endif
#define PLAIT_REGISTERS (sizeof(real) / sizeof(PLAIT_REGISTER))
typedef union registers {
    real whole;
    PLAIT_REGISTER part[PLAIT_REGISTERS];
} registers;

FN real sqrt_(real x) {
    registers r;
    r.whole = x;
    for (unsigned i = 0; i < PLAIT_REGISTERS; i++) r.part[i] = PLAIT_SQRT(r.part[i]);
    return r.whole;
}

#ifndef PLAIT_FMA
typedef double wide __attribute__((vector_size(2 * sizeof(PLAIT_REGISTER))));
typedef uint64_t wide_bits __attribute__((vector_size(2 * sizeof(PLAIT_REGISTER))));
FN wide widen(PLAIT_REGISTER x) { return __builtin_convertvector(x, wide); }
FN PLAIT_REGISTER narrow(wide x) { return __builtin_convertvector(x, PLAIT_REGISTER); }
FN wide_bits is_nonzero(wide x) { return (wide_bits)(x < 0) | (wide_bits)(x > 0); }
#endif

FN int any(mask m) {
    registers r;
    r.whole = (real)m;
    uint signs = 0;
    for (unsigned i = 0; i < PLAIT_REGISTERS; i++) signs |= PLAIT_SIGNS(r.part[i]);
    return signs != 0;
}

FN uint count_lanes(mask m) {
    registers r;
    r.whole = (real)m;
    uint count = 0;
    for (unsigned i = 0; i < PLAIT_REGISTERS; i++) count += (uint)__builtin_popcount(PLAIT_SIGNS(r.part[i]));
    return count;
}
#endif

#ifndef PLAIT_FMA
#define PLAIT_FMA fma_from_doubles
// For processors without fma. The product of two floats is exact in a double. The sum is rounded to odd: if it is
// inexact, to the neighbour whose last bit is set. It then rounds to a float as the exact sum does. The C library's
// fmaf takes 11 to 18 times as long there, because it changes the rounding mode.
FN PLAIT_REGISTER fma_from_doubles(PLAIT_REGISTER a, PLAIT_REGISTER b, PLAIT_REGISTER c) {
    wide product = widen(a) * widen(b), added = widen(c), sum = product + added, part = sum - product;
    wide error = (product - (sum - part)) + (added - part); // exactly (Knuth)
    union {
        wide value;
        wide_bits bits;
    } s = {sum}, e = {error};
    wide_bits even = is_nonzero(error) & ~s.bits & 1u, inward = ((s.bits ^ e.bits) >> 63) & even;
    s.bits += even - 2u * inward;
    return narrow(s.value);
}
#endif

// a b + c, rounded once.
#if PLAIT_WIDTH == 1
FN real fma_(real a, real b, real c) { return PLAIT_FMA(a, b, c); }
#else
FN real fma_(real a, real b, real c) {
    registers x, y, z;
    x.whole = a;
    y.whole = b;
    z.whole = c;
    for (unsigned i = 0; i < PLAIT_REGISTERS; i++) z.part[i] = PLAIT_FMA(x.part[i], y.part[i], z.part[i]);
    return z.whole;
}
#endif

// a where a < b, else b: one definition for every width, NaN included (a NaN in a gives b).
FN real min_(real a, real b) { return sel(lt(a, b), a, b); }
FN real max_(real a, real b) { return sel(lt(b, a), a, b); }
FN real abs_(real x) { return max_(x, -x); }

// To the nearest whole number, halves to even, for |x| below 2^22.
FN real round_(real x) { return (x + R(12582912.0f)) - R(12582912.0f); }

FN mask both(mask a, mask b) { return a & b; }
FN mask either(mask a, mask b) { return a | b; }
FN mask not_(mask m) { return ~m; }

// Kernels: KERNEL(name) { ... } sees BUF(i) and VAL(i), the buffers and numbers of its stage, and `item`.
#define KERNEL(name) FN void kernel_##name(const struct kernel_args *args, uint item)
typedef float *buffer_ref;
#define BUF(i) ((buffer_ref)args->buffers[i])
#define VAL(i) (args->values[i])
#define PACK(item) (item)

// Rows: PLAIT_WIDTH floats, one per lane; ROW is the buffer from a row on. Uniform values: the same for all lanes.
#define ROW(buffer, row) ((buffer) + (size_t)(row)*PLAIT_WIDTH)
#define LD(buffer, row) (*(const real *)((buffer) + (size_t)(row)*PLAIT_WIDTH))
#define ST(buffer, row, value) (*(real *)((buffer) + (size_t)(row)*PLAIT_WIDTH) = (value))
#define LD_UINT(buffer, row) (*(const lane_uint *)((buffer) + (size_t)(row)*PLAIT_WIDTH))
#define UNIFORM(buffer, index) R((buffer)[index])
#define UNIFORM_UINT(buffer, index) (((const uint32_t *)(buffer))[index])
#define ST_UNIFORM_UINT(buffer, index, value) (((uint32_t *)(buffer))[index] = (value))
#define ATOMIC_ADD_UINT(buffer, index, value)                                                                          \
    ((void)__atomic_fetch_add((uint32_t *)(buffer) + (index), (value), __ATOMIC_RELAXED))

#if PLAIT_WIDTH == 1
FN real GATHER(buffer_ref buffer, lane_uint index) { return buffer[index]; }
FN void SCATTER(buffer_ref buffer, lane_uint index, real value, mask m) {
    if (m) buffer[index] = value;
}
FN mask below(uint a, lane_uint b) { return -(a < b); }
#else
FN real GATHER(buffer_ref buffer, lane_uint index) {
    real value = {0};
    for (unsigned lane = 0; lane < PLAIT_WIDTH; lane++) value[lane] = buffer[index[lane]];
    return value;
}
FN void SCATTER(buffer_ref buffer, lane_uint index, real value, mask m) {
    for (unsigned lane = 0; lane < PLAIT_WIDTH; lane++)
        if (m[lane]) buffer[index[lane]] = value[lane];
}
FN mask below(uint a, lane_uint b) { return ((lane_uint){0} + a) < b; }
#endif

#include "dialect_vector.h"

#endif
