/* The fuzzer's input as a source of choices. When it is used up, every choice is the first one. */
#ifndef PLAIT_FUZZ_BYTES_H
#define PLAIT_FUZZ_BYTES_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct bytes {
    const uint8_t *at;
    size_t left;
    int tame; /* 1: only valid values */
} bytes;

static inline uint8_t take_byte(bytes *in) {
    if (in->left == 0) {
        return 0;
    }
    in->left--;
    return *in->at++;
}

static inline uint32_t take_u32(bytes *in) {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
        value = value << 8 | take_byte(in);
    }
    return value;
}

/* 0 to count - 1. */
static inline uint32_t take_below(bytes *in, uint32_t count) { return take_byte(in) % count; }

/* True once in so many times; false when the input is used up. */
static inline int take_chance(bytes *in, uint32_t once_in) { return take_byte(in) % once_in == once_in - 1; }

/* The same for what must go wrong. */
static inline int take_fault(bytes *in, uint32_t once_in) { return !in->tame && take_chance(in, once_in); }

/* Mostly a number near a plausible one, sometimes any. */
static inline float take_float(bytes *in, float usual) {
    static const float odd[] = {NAN,   INFINITY, -INFINITY, 0,     -0.0f, FLT_MIN / 4, FLT_MIN, FLT_MAX, -FLT_MAX,
                                1e30f, -1e30f,   1e9f,      -1e9f, 1e-9f, 1,           -1,      1e5f,    -1e5f};
    uint8_t choice = take_byte(in) % (in->tame ? 224 : 256);
    if (choice < 224) {
        return usual * ((float)choice / 112 + (choice % 2 ? 0.01f : 0.5f));
    }
    if (choice < 250) {
        return odd[take_byte(in) % (sizeof odd / sizeof odd[0])];
    }
    uint32_t bits = take_u32(in);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
