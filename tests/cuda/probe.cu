// Kernels with shared memory, barriers, shuffles, votes and atomics, more than Plait's have; and some that do what none may.
// They test the fibers and the translation of PTX themselves.
#include <stdint.h>

#ifdef __cplusplus
#define ENTRY extern "C" __global__
#else
#define ENTRY __global__
#endif

struct probe {
    const float *in;
    float *out;
    uint32_t *counts;
    uint32_t items;
};

#define ALL 0xffffffffu

// out[block]: sum of the block's 128 values, by a tree in shared memory.
ENTRY void probe_sum(const __grid_constant__ struct probe p) {
    __shared__ float sums[128];
    uint32_t t = threadIdx.x;
    sums[t] = p.in[blockIdx.x * 128u + t];
    __syncthreads();
    for (uint32_t half = 64; half > 0; half /= 2) {
        if (t < half) sums[t] = sums[t] + sums[t + half];
        __syncthreads();
    }
    if (t == 0) p.out[blockIdx.x] = sums[0];
}

// The same without the barrier between the rounds: a race.
ENTRY void probe_race(const __grid_constant__ struct probe p) {
    __shared__ float sums[128];
    uint32_t t = threadIdx.x;
    sums[t] = p.in[blockIdx.x * 128u + t];
    __syncthreads();
    for (uint32_t half = 64; half > 0; half /= 2)
        if (t < half) sums[t] = sums[t] + sums[t + half];
    __syncthreads();
    if (t == 0) p.out[blockIdx.x] = sums[0];
}

// Per thread: sum over its warp by xor, over its neighbours up and down, the value of lane 5; per warp the votes.
ENTRY void probe_warp(const __grid_constant__ struct probe p) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = p.in[i], sum = value;
    for (uint32_t bit = 16; bit > 0; bit /= 2) sum = sum + __shfl_xor_sync(ALL, sum, bit);
    float ahead = __shfl_down_sync(ALL, value, 1), behind = __shfl_up_sync(ALL, value, 1);
    float fifth = __shfl_sync(ALL, value, 5);
    uint32_t positive = __ballot_sync(ALL, value > 0.0f);
    uint32_t any = __any_sync(ALL, value > 0.45f), all = __all_sync(ALL, value > -0.45f);
    __syncwarp(ALL);
    p.out[4u * i] = sum;
    p.out[4u * i + 1u] = ahead;
    p.out[4u * i + 2u] = behind;
    p.out[4u * i + 3u] = fifth;
    p.counts[i] = positive ^ (any ? 1u : 0u) ^ (all ? 2u : 0u);
}

// Two halves of a warp that each talk among themselves, at the same time and unequally often.
ENTRY void probe_halves(const __grid_constant__ struct probe p) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = p.in[i];
    if (threadIdx.x % 32u < 16u) {
        for (uint32_t bit = 8; bit > 0; bit /= 2) value = value + __shfl_xor_sync(0x0000ffffu, value, bit);
    } else {
        value = __shfl_xor_sync(0xffff0000u, value, 1u);
    }
    p.out[i] = value;
}

// Integer sums that no order can change.
ENTRY void probe_atomic(const __grid_constant__ struct probe p) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.items) {
        atomicAdd(&p.counts[i % 7u], i);
        atomicAdd(&p.out[0], 1.0f);
    }
}

// Per block, in shared memory: the least and the largest of some words, as they are and with a sign, and all, any and parity of
// their bits. Then what becomes of numbers that are cut, most of them too large.
ENTRY void probe_whole(const __grid_constant__ struct probe p) {
    __shared__ uint32_t words[5];
    __shared__ int32_t signed_words[2];
    uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t, word = __float_as_uint(p.in[i]) * 2654435761u;
    if (t < 5u) words[t] = t == 0u || t == 2u ? 0xffffffffu : 0u;
    if (t < 2u) signed_words[t] = 0;
    __syncthreads();
    atomicMin(&words[0], word);
    atomicMax(&words[1], word);
    atomicAnd(&words[2], word | 0x00ff00ffu);
    atomicOr(&words[3], word & 0x0ff00ff0u);
    atomicXor(&words[4], word);
    atomicMin(&signed_words[0], (int32_t)word);
    atomicMax(&signed_words[1], (int32_t)word);
    __syncthreads();
    if (t < 5u) p.counts[7u * blockIdx.x + t] = words[t];
    if (t < 2u) p.counts[7u * blockIdx.x + 5u + t] = (uint32_t)signed_words[t];
    float x = p.in[i] * (t % 2u ? 1e10f : 1e9f);
    p.out[2u * i] = __uint_as_float((uint32_t)__float2int_rz(x));
    p.out[2u * i + 1u] = __uint_as_float(__float2uint_rz(x));
}

// A barrier that not all threads reach.
ENTRY void probe_divergent(const __grid_constant__ struct probe p) {
    if (threadIdx.x < 5u) __syncthreads();
    p.out[threadIdx.x] = 1.0f;
}

// Two barriers, and some threads wait at the one while the others wait at the other.
ENTRY void probe_apart(const __grid_constant__ struct probe p) {
    if (threadIdx.x < 5u) {
        p.out[threadIdx.x] = 1.0f;
        __syncthreads();
        p.out[threadIdx.x] = p.out[threadIdx.x + 5u];
    } else {
        p.out[threadIdx.x] = 2.0f;
        __syncthreads();
    }
}

// A shuffle whose mask names lanes that do not come.
ENTRY void probe_absent(const __grid_constant__ struct probe p) {
    float value = p.in[threadIdx.x];
    if (threadIdx.x < 16u) value = __shfl_xor_sync(ALL, value, 1u);
    p.out[threadIdx.x] = value;
}

// Beyond the end of its memory.
ENTRY void probe_beyond(const __grid_constant__ struct probe p) { p.out[p.items + threadIdx.x] = 1.0f; }
