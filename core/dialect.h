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
#define FN_APART static __attribute__((noinline, unused)) // long, and called from many places

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PLAIT_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PLAIT_SANITIZED
#endif
#endif
#define STRUCT(name) typedef struct name {
#define END(name)                                                                                                      \
    }                                                                                                                  \
    name;

typedef uint32_t uint;

#if PLAIT_WIDTH == 1
typedef float real;
typedef int32_t mask;
typedef uint32_t lane_uint;
typedef int32_t lane_int;
#define R(c) (c)
FN real sel(mask m, real a, real b) { return m ? a : b; }
FN mask lt(real a, real b) { return -(a < b); }
FN int any(mask m) { return m != 0; }
FN uint lane_bits(mask m) { return m != 0; }
FN real sqrt_(real x) { return sqrtf(x); }
#define PLAIT_REGISTER float
#if defined(__aarch64__)
#define PLAIT_FMA __builtin_fmaf // every such processor has it
#endif
typedef double wide;
typedef uint64_t wide_bits;
FN wide widen(float x) { return x; }
FN float narrow(wide x) { return (float)x; }
FN wide_bits is_nonzero(wide x) { return x < 0 || x > 0; } // and not NaN
#else
#if defined(__aarch64__)
#include <arm_neon.h>
#else
#include <immintrin.h>
#endif
typedef float real __attribute__((vector_size(4 * PLAIT_WIDTH)));
typedef int32_t mask __attribute__((vector_size(4 * PLAIT_WIDTH)));
typedef uint32_t lane_uint __attribute__((vector_size(4 * PLAIT_WIDTH)));
typedef int32_t lane_int __attribute__((vector_size(4 * PLAIT_WIDTH)));
// A difference: it keeps the sign of -0 as one lane does, so that only the broadcast is left of it. Of a sum the addition stays.
#define R(c) ((c) - (real){0})
FN real sel(mask m, real a, real b) { return (real)((m & (mask)a) | (~m & (mask)b)); }
FN mask lt(real a, real b) { return a < b; }

// Square roots and tests go register by register: a real may span several registers of the instruction set.
#if defined(__aarch64__)
#define PLAIT_REGISTER float32x4_t
#define PLAIT_SQRT vsqrtq_f32
#define PLAIT_FMA(a, b, c) vfmaq_f32(c, a, b)
FN uint neon_signs(float32x4_t r) {
    static const int32_t places[4] = {0, 1, 2, 3};
    return vaddvq_u32(vshlq_u32(vshrq_n_u32(vreinterpretq_u32_f32(r), 31), vld1q_s32(places)));
}
#define PLAIT_SIGNS neon_signs
#define PLAIT_ANY_SIGN(r) (vmaxvq_u32(vreinterpretq_u32_f32(r)) >> 31)
#elif defined(__AVX512F__)
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
#ifndef PLAIT_ANY_SIGN
#define PLAIT_ANY_SIGN PLAIT_SIGNS
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

// Bit i: lane i.
FN uint lane_bits(mask m) {
    registers r;
    r.whole = (real)m;
    uint bits = 0;
    for (unsigned i = 0; i < PLAIT_REGISTERS; i++)
        bits |= PLAIT_SIGNS(r.part[i]) << (i * (sizeof(PLAIT_REGISTER) / sizeof(float)));
    return bits;
}

FN int any(mask m) {
    registers r;
    r.whole = (real)m;
    uint signs = 0;
    for (unsigned i = 0; i < PLAIT_REGISTERS; i++) signs |= PLAIT_ANY_SIGN(r.part[i]);
    return signs != 0;
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

FN uint count_lanes(mask m) { return (uint)__builtin_popcount(lane_bits(m)); }

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

// The largest lane of what has no NaN.
FN float most_of_lanes(real x) {
    float lanes[PLAIT_WIDTH];
    memcpy(lanes, &x, sizeof lanes);
    float most = lanes[0];
    for (unsigned i = 1; i < PLAIT_WIDTH; i++) most = lanes[i] > most ? lanes[i] : most;
    return most;
}

FN mask both(mask a, mask b) { return a & b; }
FN mask either(mask a, mask b) { return a | b; }
FN mask not_(mask m) { return ~m; }

// Whole numbers: lane_uint and lane_int, one a lane; arithmetic, shifts and bit operations are C's. U(c) and I(c) make one of
// a constant. Conversions cut; round_ before them rounds.
#if PLAIT_WIDTH == 1
#define U(c) ((lane_uint)(c))
#define I(c) ((lane_int)(c))
#define LANES 0u // 0, 1, 2, ... a lane
FN mask eq_uint(lane_uint a, lane_uint b) { return -(a == b); }
FN mask lt_uint(lane_uint a, lane_uint b) { return -(a < b); }
FN mask lt_int(lane_int a, lane_int b) { return -(a < b); }
FN lane_uint sel_uint(mask m, lane_uint a, lane_uint b) { return m ? a : b; }
FN lane_int sel_int(mask m, lane_int a, lane_int b) { return m ? a : b; }
FN lane_uint to_uint(real x) { return (lane_uint)x; }
FN lane_int to_int(real x) { return (lane_int)x; }
FN real uint_to_real(lane_uint x) { return (real)x; }
FN real int_to_real(lane_int x) { return (real)x; }
FN lane_uint real_bits(real x) {
    lane_uint bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
FN real bits_real(lane_uint bits) {
    real x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
#else
#define U(c) ((lane_uint){0} + (uint32_t)(c))
#define I(c) ((lane_int){0} + (int32_t)(c))
FN lane_uint lanes(void) {
    lane_uint index = {0};
    for (unsigned lane = 0; lane < PLAIT_WIDTH; lane++) index[lane] = lane;
    return index;
}
#define LANES lanes()
FN mask eq_uint(lane_uint a, lane_uint b) { return (mask)(a == b); }
FN mask lt_uint(lane_uint a, lane_uint b) { return (mask)(a < b); }
FN mask lt_int(lane_int a, lane_int b) { return (mask)(a < b); }
FN lane_uint sel_uint(mask m, lane_uint a, lane_uint b) { return ((lane_uint)m & a) | (~(lane_uint)m & b); }
FN lane_int sel_int(mask m, lane_int a, lane_int b) { return ((lane_int)m & a) | (~(lane_int)m & b); }
FN lane_uint to_uint(real x) { return __builtin_convertvector(x, lane_uint); }
FN lane_int to_int(real x) { return __builtin_convertvector(x, lane_int); }
FN real uint_to_real(lane_uint x) { return __builtin_convertvector(x, real); }
FN real int_to_real(lane_int x) { return __builtin_convertvector(x, real); }
FN lane_uint real_bits(real x) { return (lane_uint)x; }
FN real bits_real(lane_uint bits) { return (real)bits; }
#endif
FN lane_uint int_bits(lane_int x) { return (lane_uint)x; }
FN lane_int bits_int(lane_uint x) { return (lane_int)x; }
FN lane_uint min_uint(lane_uint a, lane_uint b) { return sel_uint(lt_uint(a, b), a, b); }
FN lane_uint max_uint(lane_uint a, lane_uint b) { return sel_uint(lt_uint(b, a), a, b); }

// Kernels: KERNEL(name) { ... } sees BUF(binding) and VAL(value), what its stage binds, and `item`: a pack or a row of
// vertices. ITEM_KERNEL(name) has `item`, the first of PLAIT_WIDTH items in a row, INDEX, the item of each lane, and ACTIVE,
// which of them there are. GROUP_KERNEL(name) has `group`; see THREADS. Of both, ITEMS is how many items the domain has.
#define KERNEL(name) FN void kernel_##name(const struct name##_args *args, uint item)
#define ITEM_KERNEL(name) FN void kernel_##name(const struct name##_args *args, uint item, uint end)
#define GROUP_KERNEL(name) FN void kernel_##name(const struct name##_args *args, uint group)
typedef float *buffer_ref;
#define BUF(binding) (args->binding)
#define VAL(value) (args->value)
#define PACK(item) (item)
#define LANE_NUMBER LANES // of each lane in its pack
#define LANE_COUNT ((uint)PLAIT_WIDTH)
#define EVERY_LANE lt_uint(U(0u), U(1u))
#define INDEX (U(item) + LANES)
#define ACTIVE lt_uint(INDEX, U(end))
#define ITEMS (args->counter && *args->counter < args->items ? *args->counter : args->items)

// Groups: code between barriers stands in blocks behind THREADS, which GROUP_THREADS threads run, THREAD is which; the CPU
// runs them one after the other. Nothing outlives a block but what is in shared memory, which SHARE lists in kernels/list.h,
// and what is the same for all threads. TILE: items of a full group. SHARED_ADD: threads may add to the same word.
#define THREADS for (uint THREAD = 0u; THREAD < GROUP_THREADS; THREAD++)
#define SHARE(type, name, count) type name[count];
#define SHARED_HERE(kernel) kernel##_SHARED(SHARE)
#define SHARED_ADD(array, index, value) ((array)[index] += (value))
#define TILE (args->tile)

// Rows: PLAIT_WIDTH floats, one per lane; ROW is the buffer from a row on. Uniform values: the same for all lanes.
#define ROW(buffer, row) ((buffer) + (size_t)(row)*PLAIT_WIDTH)
#define LD(buffer, row) (*(const real *)((buffer) + (size_t)(row)*PLAIT_WIDTH))
#define ST(buffer, row, value) (*(real *)((buffer) + (size_t)(row)*PLAIT_WIDTH) = (value))
#define LD_UINT(buffer, row) (*(const lane_uint *)((buffer) + (size_t)(row)*PLAIT_WIDTH))
#define ST_UINT(buffer, row, value) (*(lane_uint *)((buffer) + (size_t)(row)*PLAIT_WIDTH) = (value))
#define UNIFORM(buffer, index) R((buffer)[index])
#define UNIFORM_UINT(buffer, index) (((const uint32_t *)(buffer))[index])
#define ST_UNIFORM_UINT(buffer, index, value) (((uint32_t *)(buffer))[index] = (value))
// Sums of floats over neighbours that come in no order are sums of whole numbers: to_fixed, ATOMIC_ADD, from_fixed. What
// ATOMIC_TAKE and ATOMIC_CLAIM find depends on the order, which differs from run to run: results must not.
#define ATOMIC_ADD_UINT(buffer, index, value)                                                                          \
    ((void)__atomic_fetch_add((uint32_t *)(buffer) + (index), (value), __ATOMIC_RELAXED))
FN uint32_t atomic_claim_uint(uint32_t *at, uint32_t value) {
    uint32_t seen = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (seen == 0 && !__atomic_compare_exchange_n(at, &seen, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
    return seen;
}
FN void atomic_min_uint(uint32_t *at, uint32_t value) {
    uint32_t seen = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (value < seen && !__atomic_compare_exchange_n(at, &seen, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}
FN void atomic_max_uint(uint32_t *at, uint32_t value) {
    uint32_t seen = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (value > seen && !__atomic_compare_exchange_n(at, &seen, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

#if PLAIT_WIDTH == 1
FN real GATHER(buffer_ref buffer, lane_uint index) { return buffer[index]; }
FN void SCATTER(buffer_ref buffer, lane_uint index, real value, mask m) {
    if (m) buffer[index] = value;
}
FN lane_uint GATHER_UINT(buffer_ref buffer, lane_uint index) { return ((const uint32_t *)buffer)[index]; }
FN void SCATTER_UINT(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    if (m) ((uint32_t *)buffer)[index] = value;
}
FN void ATOMIC_ADD(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    if (m) ATOMIC_ADD_UINT(buffer, index, value);
}
FN void ATOMIC_MIN(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    if (m) atomic_min_uint((uint32_t *)buffer + index, value);
}
FN void ATOMIC_MAX(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    if (m) atomic_max_uint((uint32_t *)buffer + index, value);
}
// Adds, and returns what was there before.
FN lane_uint ATOMIC_TAKE(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    return m ? __atomic_fetch_add((uint32_t *)buffer + index, value, __ATOMIC_RELAXED) : 0u;
}
// Writes the value where there is a zero; returns what was there before.
FN lane_uint ATOMIC_CLAIM(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    return m ? atomic_claim_uint((uint32_t *)buffer + index, value) : 0u;
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
FN lane_uint GATHER_UINT(buffer_ref buffer, lane_uint index) {
    lane_uint value = {0};
    for (unsigned lane = 0; lane < PLAIT_WIDTH; lane++) value[lane] = ((const uint32_t *)buffer)[index[lane]];
    return value;
}
FN void SCATTER_UINT(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    for (unsigned lane = 0; lane < PLAIT_WIDTH; lane++)
        if (m[lane]) ((uint32_t *)buffer)[index[lane]] = value[lane];
}
FN void ATOMIC_ADD(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    for (unsigned lane = 0; lane < PLAIT_WIDTH; lane++)
        if (m[lane]) ATOMIC_ADD_UINT(buffer, index[lane], value[lane]);
}
FN void ATOMIC_MIN(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    for (unsigned lane = 0; lane < PLAIT_WIDTH; lane++)
        if (m[lane]) atomic_min_uint((uint32_t *)buffer + index[lane], value[lane]);
}
FN void ATOMIC_MAX(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    for (unsigned lane = 0; lane < PLAIT_WIDTH; lane++)
        if (m[lane]) atomic_max_uint((uint32_t *)buffer + index[lane], value[lane]);
}
FN lane_uint ATOMIC_TAKE(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    lane_uint before = {0};
    for (unsigned lane = 0; lane < PLAIT_WIDTH; lane++)
        if (m[lane]) before[lane] = __atomic_fetch_add((uint32_t *)buffer + index[lane], value[lane], __ATOMIC_RELAXED);
    return before;
}
FN lane_uint ATOMIC_CLAIM(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    lane_uint before = {0};
    for (unsigned lane = 0; lane < PLAIT_WIDTH; lane++)
        if (m[lane]) before[lane] = atomic_claim_uint((uint32_t *)buffer + index[lane], value[lane]);
    return before;
}
FN mask below(uint a, lane_uint b) { return ((lane_uint){0} + a) < b; }
#endif
#define SCATTER_HOST SCATTER // to the host's memory
#define GATHER_HOST GATHER
#define SCATTER_HOST_UINT SCATTER_UINT
// Three floats in a row of each lane, or four. Vectors are turned into those of lanes: one store a lane.
#if PLAIT_WIDTH == 1
FN void SCATTER_HOST_VECTOR(buffer_ref buffer, lane_uint index, uint components, real x, real y, real z, real w,
                            mask m) {
    const float vector[4] = {x, y, z, w};
    if (m) memcpy(buffer + index, vector, components * sizeof *vector);
}
#else
typedef float lane_vector __attribute__((vector_size(16)));
FN void SCATTER_HOST_VECTOR(buffer_ref buffer, lane_uint index, uint components, real x, real y, real z, real w,
                            mask m) {
    const uint lanes = lane_bits(m);
    for (unsigned first = 0; first < PLAIT_WIDTH; first += 4) {
        lane_vector a[4], b[4];
        memcpy(&a[0], (const float *)&x + first, sizeof a[0]);
        memcpy(&a[1], (const float *)&y + first, sizeof a[1]);
        memcpy(&a[2], (const float *)&z + first, sizeof a[2]);
        memcpy(&a[3], (const float *)&w + first, sizeof a[3]);
        for (unsigned i = 0; i < 4; i += 2) {
            b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 4, 1, 5);
            b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 2, 6, 3, 7);
        }
        for (unsigned i = 0; i < 2; i++) {
            a[2 * i] = __builtin_shufflevector(b[i], b[i + 2], 0, 1, 4, 5);
            a[2 * i + 1] = __builtin_shufflevector(b[i], b[i + 2], 2, 3, 6, 7);
        }
        for (unsigned i = 0; i < 4; i++) {
            float *to = buffer + index[first + i];
            if (!(lanes >> (first + i) & 1u)) continue;
            if (components == 4u)
                memcpy(to, &a[i], 4 * sizeof *to);
            else
                memcpy(to, &a[i], 3 * sizeof *to);
        }
    }
}
#endif

// Records of `words` words each, `which` of them by lane: word `word` of them, or eight words from there on.
#if PLAIT_WIDTH == 1
#define OF_LANE(value, lane) (value)
#else
#define OF_LANE(value, lane) ((value)[lane])
#endif
FN void ST_RECORD_UINT(buffer_ref buffer, lane_uint which, uint words, uint word, lane_uint value) {
    for (unsigned lane = 0; lane < PLAIT_WIDTH; lane++)
        ((uint32_t *)buffer)[(size_t)OF_LANE(which, lane) * words + word] = OF_LANE(value, lane);
}

STRUCT(record8)
    real w0, w1, w2, w3, w4, w5, w6, w7;
END(record8)
typedef float octet __attribute__((vector_size(32)));
#define OCTET_MIX __builtin_shufflevector
// Rows become columns.
FN void octet_turn(octet m[8]) {
    octet a[8], b[8];
    for (unsigned i = 0; i < 8; i += 2) {
        a[i] = OCTET_MIX(m[i], m[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        a[i + 1] = OCTET_MIX(m[i], m[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (unsigned i = 0; i < 8; i += 4)
        for (unsigned k = 0; k < 2; k++) {
            b[i + 2 * k] = OCTET_MIX(a[i + k], a[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            b[i + 2 * k + 1] = OCTET_MIX(a[i + k], a[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (unsigned i = 0; i < 4; i++) {
        m[i] = OCTET_MIX(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        m[i + 4] = OCTET_MIX(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}
#if PLAIT_WIDTH % 8 == 0
FN void ST_RECORD8(buffer_ref buffer, lane_uint which, uint words, uint word, record8 r) {
    for (unsigned first = 0; first < PLAIT_WIDTH; first += 8) {
        octet m[8];
        for (unsigned i = 0; i < 8; i++) memcpy(&m[i], (const float *)&r + i * PLAIT_WIDTH + first, sizeof m[i]);
        octet_turn(m);
        for (unsigned i = 0; i < 8; i++) memcpy(buffer + (size_t)which[first + i] * words + word, &m[i], sizeof m[i]);
    }
}
FN record8 LD_RECORD8(buffer_ref buffer, lane_uint which, uint words, uint word) {
    record8 r;
    for (unsigned first = 0; first < PLAIT_WIDTH; first += 8) {
        octet m[8];
        for (unsigned i = 0; i < 8; i++) memcpy(&m[i], buffer + (size_t)which[first + i] * words + word, sizeof m[i]);
        octet_turn(m);
        for (unsigned i = 0; i < 8; i++) memcpy((float *)&r + i * PLAIT_WIDTH + first, &m[i], sizeof m[i]);
    }
    return r;
}
#else
FN void ST_RECORD8(buffer_ref buffer, lane_uint which, uint words, uint word, record8 r) {
    const real *from = &r.w0;
    for (unsigned lane = 0; lane < PLAIT_WIDTH; lane++)
        for (unsigned i = 0; i < 8; i++)
            buffer[(size_t)OF_LANE(which, lane) * words + word + i] = OF_LANE(from[i], lane);
}
FN record8 LD_RECORD8(buffer_ref buffer, lane_uint which, uint words, uint word) {
    record8 r;
    real *to = &r.w0;
    for (unsigned lane = 0; lane < PLAIT_WIDTH; lane++)
        for (unsigned i = 0; i < 8; i++) OF_LANE(to[i], lane) = buffer[(size_t)OF_LANE(which, lane) * words + word + i];
    return r;
}
#endif

// Words of arrays that kernels over items run along: the item and the lanes behind it. Buffers have room for a full row of
// lanes behind their last word; STORE writes no lane that is not ACTIVE.
FN lane_uint LOAD_UINT(buffer_ref buffer, uint item) {
    lane_uint value;
    memcpy(&value, buffer + item, sizeof value);
    return value;
}
FN void STORE_UINT(buffer_ref buffer, uint item, lane_uint value, mask m) {
    if (count_lanes(m) == PLAIT_WIDTH)
        memcpy(buffer + item, &value, sizeof value);
    else
        SCATTER_UINT(buffer, U(item) + LANES, value, m);
}

#include "dialect_vector.h"
#include "dialect_whole.h"

#endif
