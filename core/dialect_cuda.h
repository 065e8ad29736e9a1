// The shared dialect for CUDA C: one thread is one strand. See dialect.h for what each name means. Compiled by nvcc,
// and by any C compiler after tests/cuda/fiber_cuda.h, which defines the CUDA keywords for the CPU.
#ifndef PLAIT_DIALECT_CUDA_H
#define PLAIT_DIALECT_CUDA_H

#include "kernel.h"

#define FN static __device__ __forceinline__
#define FN_APART FN
#define STRUCT(name) typedef struct name {
#define END(name)                                                                                                      \
    }                                                                                                                  \
    name;

#define uint uint32_t
#define real float
#define mask bool
#define lane_uint uint32_t
#define lane_int int32_t
#define R(c) (c)
#define any(m) (m)

FN real sel(mask m, real a, real b) { return m ? a : b; }
FN mask lt(real a, real b) { return a < b; }
FN mask both(mask a, mask b) { return a && b; }
FN mask either(mask a, mask b) { return a || b; }
FN mask not_(mask m) { return !m; }
FN mask below(uint a, lane_uint b) { return a < b; }
FN uint count_lanes(mask m) { return m ? 1u : 0u; }
FN real sqrt_(real x) { return __fsqrt_rn(x); }
FN real fma_(real a, real b, real c) { return __fmaf_rn(a, b, c); }
FN real min_(real a, real b) { return a < b ? a : b; }
FN real max_(real a, real b) { return b < a ? a : b; }
FN real abs_(real x) { return max_(x, -x); }
FN real round_(real x) { return rintf(x); }

#define U(c) ((lane_uint)(c))
#define I(c) ((lane_int)(c))
FN mask eq_uint(lane_uint a, lane_uint b) { return a == b; }
FN mask lt_uint(lane_uint a, lane_uint b) { return a < b; }
FN mask lt_int(lane_int a, lane_int b) { return a < b; }
FN lane_uint sel_uint(mask m, lane_uint a, lane_uint b) { return m ? a : b; }
FN lane_int sel_int(mask m, lane_int a, lane_int b) { return m ? a : b; }
FN lane_uint to_uint(real x) { return (lane_uint)x; }
FN lane_int to_int(real x) { return (lane_int)x; }
FN real uint_to_real(lane_uint x) { return (real)x; }
FN real int_to_real(lane_int x) { return (real)x; }
FN lane_uint real_bits(real x) { return __float_as_uint(x); }
FN real bits_real(lane_uint bits) { return __uint_as_float(bits); }
FN lane_uint int_bits(lane_int x) { return (lane_uint)x; }
FN lane_int bits_int(lane_uint x) { return (lane_int)x; }
FN lane_uint min_uint(lane_uint a, lane_uint b) { return a < b ? a : b; }
FN lane_uint max_uint(lane_uint a, lane_uint b) { return b < a ? a : b; }

#define KERNEL(name) FN void kernel_##name(const struct name##_args *args, uint item)
#define ITEM_KERNEL(name) FN void kernel_##name(const struct name##_args *args, uint item)
#define GROUP_KERNEL(name) FN void kernel_##name(const struct name##_args *args, uint group)
typedef float *buffer_ref;
#define BUF(binding) (args->binding)
#define VAL(value) (args->value)
#define INDEX (item)
#define ACTIVE true
#define THREADS __syncthreads();
#define SHARE(type, name, count) __shared__ type name[count];
#define SHARED_HERE(kernel) kernel##_SHARED(SHARE)
#define SHARED_ADD(array, index, value) ((void)atomicAdd(&(array)[index], value))
#define TILE (args->tile)
#define ITEMS (args->counter ? min_uint(*args->counter, args->items) : args->items)
#define PACK(item) ((item) / 32u)
#define LANE_IS_THREAD // with registers of its own
#define LANE (threadIdx.x % 32u)
#define LANE_NUMBER LANE
#define LANE_COUNT 32u
#define EVERY_LANE true

#define ROW(buffer, row) ((buffer) + (size_t)(row)*32u)
#define LD(buffer, row) ((buffer)[(size_t)(row)*32u + LANE])
#define ST(buffer, row, value) ((buffer)[(size_t)(row)*32u + LANE] = (value))
#define LD_UINT(buffer, row) (((const uint32_t *)(buffer))[(size_t)(row)*32u + LANE])
#define ST_UINT(buffer, row, value) (((uint32_t *)(buffer))[(size_t)(row)*32u + LANE] = (value))
#define UNIFORM(buffer, index) ((buffer)[index])
#define UNIFORM_UINT(buffer, index) (((const uint32_t *)(buffer))[index])
#define ST_UNIFORM_UINT(buffer, index, value) (((uint32_t *)(buffer))[index] = (value))
#define ATOMIC_ADD_UINT(buffer, index, value) ((void)atomicAdd((uint32_t *)(buffer) + (index), value))
FN real GATHER(buffer_ref buffer, lane_uint index) { return buffer[index]; }
FN void SCATTER(buffer_ref buffer, lane_uint index, real value, mask m) {
    if (m) buffer[index] = value;
}
FN lane_uint GATHER_UINT(buffer_ref buffer, lane_uint index) { return ((const uint32_t *)buffer)[index]; }
FN void SCATTER_UINT(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    if (m) ((uint32_t *)buffer)[index] = value;
}
FN void ATOMIC_ADD(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    if (m) atomicAdd((uint32_t *)buffer + index, value);
}
FN void ATOMIC_MIN(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    if (m && value < ((const uint32_t *)buffer)[index]) atomicMin((uint32_t *)buffer + index, value); // few need to
}
FN void ATOMIC_MAX(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    if (m && value > ((const uint32_t *)buffer)[index]) atomicMax((uint32_t *)buffer + index, value);
}
#define SCATTER_HOST SCATTER
#define GATHER_HOST GATHER
#define SCATTER_HOST_UINT SCATTER_UINT
FN void SCATTER_HOST_VECTOR(buffer_ref buffer, lane_uint index, uint components, real x, real y, real z, real w,
                            mask m) {
    SCATTER_HOST(buffer, index, x, m);
    SCATTER_HOST(buffer, index + 1u, y, m);
    SCATTER_HOST(buffer, index + 2u, z, m);
    SCATTER_HOST(buffer, index + 3u, w, m && components == 4u);
}
FN lane_uint ATOMIC_TAKE(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    return m ? atomicAdd((uint32_t *)buffer + index, value) : 0u;
}
FN lane_uint ATOMIC_CLAIM(buffer_ref buffer, lane_uint index, lane_uint value, mask m) {
    return m ? atomicCAS((uint32_t *)buffer + index, 0u, value) : 0u;
}
#define ST_RECORD_UINT(buffer, which, words, word, value)                                                              \
    (((uint32_t *)(buffer))[(size_t)(which) * (words) + (word)] = (value))
STRUCT(record8)
    real w0, w1, w2, w3, w4, w5, w6, w7;
END(record8)
FN void ST_RECORD8(buffer_ref buffer, lane_uint which, uint words, uint word, record8 r) {
    buffer_ref to = buffer + (size_t)which * words + word;
    to[0] = r.w0, to[1] = r.w1, to[2] = r.w2, to[3] = r.w3;
    to[4] = r.w4, to[5] = r.w5, to[6] = r.w6, to[7] = r.w7;
}
FN record8 LD_RECORD8(buffer_ref buffer, lane_uint which, uint words, uint word) {
    buffer_ref from = buffer + (size_t)which * words + word;
    record8 r;
    r.w0 = from[0], r.w1 = from[1], r.w2 = from[2], r.w3 = from[3];
    r.w4 = from[4], r.w5 = from[5], r.w6 = from[6], r.w7 = from[7];
    return r;
}
#define LOAD_UINT(buffer, item) GATHER_UINT(buffer, item)
#define STORE_UINT(buffer, item, value, m) SCATTER_UINT(buffer, item, value, m)

// For overrides, where several threads share a strand: OVERRIDE(name) { ... } is the code of thread THREAD of 32 in
// group GROUP, part PART of PARTS, see override.h. LD_OF and ST_OF access the lane of any strand; STRAND gives a buffer
// in which LD, ST and LD_UINT access that strand. SHARED and EXCHANGED are declared outside of functions.
#define OVERRIDE(name) FN void override_##name(const struct name##_args *args)
#define GROUP (blockIdx.x)
#define PART (blockIdx.y)
#define PARTS (gridDim.y)
#define THREAD (threadIdx.x)
#define SHARED(name, count) __shared__ float name[count];
#define BARRIER __syncwarp(0xffffffffu) // a group is a warp
#define LD_OF(buffer, row, lane) ((buffer)[(size_t)(row)*32u + (lane)])
#define ST_OF(buffer, row, lane, value) ((buffer)[(size_t)(row)*32u + (lane)] = (value))

#define STRAND(buffer, lane) ((buffer) + (ptrdiff_t)(lane) - (ptrdiff_t)LANE)

// Exchange between neighbouring threads: all GIVE, each into its own slot, then GIVEN synchronises, then NEIGHBOUR
// reads the value of thread +1 or -1; the first and last thread get their own for the missing one. Here it needs no
// memory: shuffles.
#define EXCHANGED(slots)
#define GIVE(slot, value) ((void)(slot), (void)(value))
#define GIVEN
#define NEIGHBOUR(slot, value, by)                                                                                     \
    ((void)(slot), (by) < 0 ? __shfl_up_sync(0xffffffffu, value, 1u) : __shfl_down_sync(0xffffffffu, value, 1u))

#include "dialect_vector.h"
#include "dialect_whole.h"

#define GIVE3(slot, value) GIVE(slot, value)
#define NEIGHBOUR3(slot, value, by)                                                                                    \
    vec3(NEIGHBOUR(slot, (value).x, by), NEIGHBOUR(slot, (value).y, by), NEIGHBOUR(slot, (value).z, by))

#endif
