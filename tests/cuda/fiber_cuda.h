// The words of CUDA C for a C compiler: what kernels.cu and the dialect use, on the fibers of fiber.h. Shared memory is
// static per CPU thread, which runs one block at a time.
#ifndef PLAIT_TESTS_FIBER_CUDA_H
#define PLAIT_TESTS_FIBER_CUDA_H

#include "fiber.h"

#include <math.h>
#include <string.h>

#define __global__
#define __device__
#define __forceinline__ inline __attribute__((always_inline, unused))
#define __launch_bounds__(...)
#define __grid_constant__
#define __shared__ static _Thread_local

#define threadIdx (fiber_self->thread)
#define blockIdx (fiber_self->block)
#define blockDim (fiber_self->block_size)
#define gridDim (fiber_self->grid_size)

#define __fsqrt_rn sqrtf
#define __fmaf_rn fmaf

enum { FIBER_SYNC, FIBER_SHUFFLE, FIBER_VOTE };

#define __syncthreads() fiber_barrier(__LINE__)
#define __syncwarp(mask) fiber_exchange(mask, FIBER_SYNC, 0, __LINE__)
#define __ballot_sync(mask, predicate) fiber_ballot(mask, (predicate) != 0, __LINE__)
#define __any_sync(mask, predicate) (fiber_ballot(mask, (predicate) != 0, __LINE__) != 0)
#define __all_sync(mask, predicate) (fiber_ballot(mask, (predicate) != 0, __LINE__) == (mask))

static inline __attribute__((unused)) uint32_t fiber_ballot(uint32_t mask, bool predicate, int line) {
    fiber_exchange(mask, FIBER_VOTE, predicate, line);
    uint32_t ballot = 0;
    for (uint32_t i = 0; i < FIBER_WARP; i++)
        if (mask >> i & 1) ballot |= (uint32_t)(fiber_self->gathered[i] != 0) << i;
    return ballot;
}

static inline __attribute__((unused)) uint32_t fiber_shuffle(uint32_t mask, uint32_t bits, uint32_t from, int line) {
    fiber_exchange(mask, FIBER_SHUFFLE, bits, line);
    if (from >= FIBER_WARP || !(mask >> from & 1)) fiber_trap("a shuffle reads a lane outside of its mask", line);
    return (uint32_t)fiber_self->gathered[from];
}

static inline __attribute__((unused)) float fiber_shuffle_float(uint32_t mask, float value, uint32_t from, int line) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = fiber_shuffle(mask, bits, from, line);
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define FIBER_SHUFFLE_OF(value) _Generic((value), float : fiber_shuffle_float, default : fiber_shuffle)
#define __shfl_sync(mask, value, from) FIBER_SHUFFLE_OF(value)(mask, value, (from) % 32u, __LINE__)
#define __shfl_xor_sync(mask, value, bits) FIBER_SHUFFLE_OF(value)(mask, value, fiber_self->lane ^ (bits), __LINE__)
#define __shfl_down_sync(mask, value, by)                                                                              \
    FIBER_SHUFFLE_OF(value)                                                                                            \
    (mask, value, fiber_self->lane + (by) < 32u ? fiber_self->lane + (by) : fiber_self->lane, __LINE__)
#define __shfl_up_sync(mask, value, by)                                                                                \
    FIBER_SHUFFLE_OF(value)                                                                                            \
    (mask, value, fiber_self->lane >= (by) ? fiber_self->lane - (by) : fiber_self->lane, __LINE__)

#define FIBER_ATOMIC(name, type, now)                                                                                  \
    static inline __attribute__((unused)) type fiber_##name(type *at, type value) {                                    \
        type old = *at, next = now;                                                                                    \
        while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) next = now;      \
        return old;                                                                                                    \
    }
FIBER_ATOMIC(add_uint, uint32_t, old + value)
FIBER_ATOMIC(add_int, int32_t, old + value)
FIBER_ATOMIC(add_float, float, old + value)
FIBER_ATOMIC(min_uint, uint32_t, value < old ? value : old)
FIBER_ATOMIC(max_uint, uint32_t, value > old ? value : old)
FIBER_ATOMIC(min_int, int32_t, value < old ? value : old)
FIBER_ATOMIC(max_int, int32_t, value > old ? value : old)
FIBER_ATOMIC(and_uint, uint32_t, value &old)
FIBER_ATOMIC(or_uint, uint32_t, value | old)
FIBER_ATOMIC(xor_uint, uint32_t, value ^ old)
#undef FIBER_ATOMIC
static inline __attribute__((unused)) uint32_t atomicCAS(uint32_t *at, uint32_t expected, uint32_t value) {
    __atomic_compare_exchange(at, &expected, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected; // what it found
}
#define atomicMin(at, value) _Generic((at), uint32_t * : fiber_min_uint, int32_t * : fiber_min_int)(at, value)
#define atomicMax(at, value) _Generic((at), uint32_t * : fiber_max_uint, int32_t * : fiber_max_int)(at, value)
#define atomicAnd fiber_and_uint
#define atomicOr fiber_or_uint
#define atomicXor fiber_xor_uint

static inline __attribute__((unused)) uint32_t __float_as_uint(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline __attribute__((unused)) float __uint_as_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline __attribute__((unused)) int32_t __float2int_rz(float x) {
    if (x != x) return 0;
    return x >= 2147483648.0f ? INT32_MAX : x < -2147483648.0f ? INT32_MIN : (int32_t)x;
}
static inline __attribute__((unused)) uint32_t __float2uint_rz(float x) {
    if (!(x > 0)) return 0;
    return x >= 4294967296.0f ? UINT32_MAX : (uint32_t)x;
}
#define atomicAdd(at, value)                                                                                           \
    _Generic((at), uint32_t * : fiber_add_uint, int32_t * : fiber_add_int, float * : fiber_add_float)(at, value)

#endif
