// Vertices of render strands from lanes to the host's memory.
#ifndef PLAIT_CPU_RENDER_STORE_H
#define PLAIT_CPU_RENDER_STORE_H

#include "render_lanes.h"

#if PLAIT_WIDTH >= 4
#ifndef __aarch64__ // has no such stores of its own
#define STREAMS
#endif
#if defined(__aarch64__)
#define PAIR_LOW vzip1q_f32
#define PAIR_HIGH vzip2q_f32
#define JOIN_LOW(a, b) vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)))
#define JOIN_HIGH(a, b) vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)))
#elif PLAIT_WIDTH == 16
#define STREAM _mm512_stream_ps
#elif PLAIT_WIDTH == 8
#define PAIR_LOW _mm256_unpacklo_ps
#define PAIR_HIGH _mm256_unpackhi_ps
#define JOIN_LOW(a, b) _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
#define JOIN_HIGH(a, b) _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
#define STREAM _mm256_stream_ps
#else
#define PAIR_LOW _mm_unpacklo_ps
#define PAIR_HIGH _mm_unpackhi_ps
#define JOIN_LOW _mm_movelh_ps
#define JOIN_HIGH(a, b) _mm_movehl_ps(b, a)
#define STREAM _mm_stream_ps
#endif

// A run of vertices as they are in memory, four floats each.
struct stood_up {
    PLAIT_REGISTER part[4];
};

#if PLAIT_WIDTH == 16
// Pairs of all lanes, then pairs of these: eight instructions, where within quarters of registers it takes sixteen.
typedef double octet_of_pairs __attribute__((vector_size(64)));
#define PAIRS(a, b, i)                                                                                                 \
    __builtin_shufflevector(a, b, i, i + 16, i + 1, i + 17, i + 2, i + 18, i + 3, i + 19, i + 4, i + 20, i + 5,        \
                            i + 21, i + 6, i + 22, i + 7, i + 23)
#define PAIRS_OF_PAIRS(a, b, i)                                                                                        \
    ((PLAIT_REGISTER)__builtin_shufflevector((octet_of_pairs)(a), (octet_of_pairs)(b), i, i + 8, i + 1, i + 9, i + 2,  \
                                             i + 10, i + 3, i + 11))
INLINE struct stood_up stand_up(real3 p, real w) {
    const real xy = PAIRS(p.x, p.y, 0), xy_on = PAIRS(p.x, p.y, 8), zw = PAIRS(p.z, w, 0), zw_on = PAIRS(p.z, w, 8);
    return (struct stood_up){{PAIRS_OF_PAIRS(xy, zw, 0), PAIRS_OF_PAIRS(xy, zw, 4), PAIRS_OF_PAIRS(xy_on, zw_on, 0),
                              PAIRS_OF_PAIRS(xy_on, zw_on, 4)}};
}
#else
INLINE struct stood_up stand_up(real3 p, real w) {
    const PLAIT_REGISTER xy = PAIR_LOW((PLAIT_REGISTER)p.x, (PLAIT_REGISTER)p.y),
                         xy_on = PAIR_HIGH((PLAIT_REGISTER)p.x, (PLAIT_REGISTER)p.y),
                         zw = PAIR_LOW((PLAIT_REGISTER)p.z, (PLAIT_REGISTER)w),
                         zw_on = PAIR_HIGH((PLAIT_REGISTER)p.z, (PLAIT_REGISTER)w);
    // Vertices i, i + 4, ... each.
    const PLAIT_REGISTER v0 = JOIN_LOW(xy, zw), v1 = JOIN_HIGH(xy, zw), v2 = JOIN_LOW(xy_on, zw_on),
                         v3 = JOIN_HIGH(xy_on, zw_on);
#if PLAIT_WIDTH == 8
    return (struct stood_up){{_mm256_permute2f128_ps(v0, v1, 0x20), _mm256_permute2f128_ps(v2, v3, 0x20),
                              _mm256_permute2f128_ps(v0, v1, 0x31), _mm256_permute2f128_ps(v2, v3, 0x31)}};
#else
    return (struct stood_up){{v0, v1, v2, v3}};
#endif
}
#endif

#ifdef STREAMS
// Past the caches: output is larger than these, and read by others. Where registers are not aligned, vertices are.
INLINE void stream_run(float *to, real3 p, real w) {
    const struct stood_up vertices = stand_up(p, w);
    if ((uintptr_t)to % sizeof(PLAIT_REGISTER) == 0) {
        for (unsigned i = 0; i < 4; i++) STREAM(to + i * PLAIT_WIDTH, vertices.part[i]);
    } else {
        __m128 each[PLAIT_WIDTH];
        memcpy(each, &vertices, sizeof each);
        for (unsigned i = 0; i < PLAIT_WIDTH; i++) _mm_stream_ps(to + 4 * i, each[i]);
    }
}
#endif
#endif

struct place {
    float *memory;
    uint32_t stride, components;
    int streams;
};

static inline struct place place_of(float *memory, uint32_t offset, uint32_t stride, uint32_t components) {
    struct place place = {memory, stride, components, 0};
    (void)offset;
#ifdef STREAMS
    place.streams = components == 4 && stride == 4 && (uintptr_t)(memory + offset) % 16 == 0;
#endif
    return place;
}

// Runs that are not whole, and other layouts: apart, so that loops over whole ones keep their registers.
static __attribute__((noinline)) void store_each(struct place place, uint32_t to, uint32_t v, uint32_t live, real3 p,
                                                 real w) {
#if PLAIT_WIDTH >= 4
    const struct stood_up run = stand_up(p, w);
    float vertices[PLAIT_WIDTH][4];
    memcpy(vertices, &run, sizeof vertices);
    float *at = place.memory + to + (size_t)v * place.stride;
    if (place.components == 4)
        for (uint32_t i = 0; i < live; i++, at += place.stride) memcpy(at, vertices[i], 4 * sizeof(float));
    else
        for (uint32_t i = 0; i < live; i++, at += place.stride) memcpy(at, vertices[i], 3 * sizeof(float));
#else
    output_store(place.memory, (U(v) + LANES) * place.stride + to, place.components, p, w, lt_uint(LANES, U(live)));
#endif
}

// Vertices v to v + live - 1 of a strand whose output begins at `to`.
INLINE void store_run(const struct place *place, uint32_t to, uint32_t v, uint32_t live, real3 p, real w) {
#ifdef STREAMS
    if (place->streams && live == PLAIT_WIDTH) {
        stream_run(place->memory + to + (size_t)v * 4, p, w);
        return;
    }
#endif
    store_each(*place, to, v, live, p, w);
}

// The same of 16-bit numbers.
INLINE void store_packed(const struct place *place, uint32_t to, uint32_t v, uint32_t live, render_packed words) {
    uint32_t first[PLAIT_WIDTH], second[PLAIT_WIDTH];
    memcpy(first, &words.first, sizeof first);
    memcpy(second, &words.second, sizeof second);
    float *at = place->memory + to + (size_t)v * place->stride;
    for (uint32_t i = 0; i < live; i++, at += place->stride) {
        memcpy(at, &first[i], sizeof first[i]);
        memcpy(at + 1, &second[i], sizeof second[i]);
    }
}

static inline void end_stores(void) {
#ifdef STREAMS
    _mm_sfence(); // before others hear that the memory is written
#endif
}

#endif
