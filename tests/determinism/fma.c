// The dialect's fma_ rounds once, as the C library's does, also where the processor has none: for random floats, for
// sums that nearly cancel or lie halfway between two floats, for the smallest and largest floats, and for NaN. Compiled
// once per instruction set with PLAIT_WIDTH given.
#include "dialect.h"
#include "float_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ROUNDS = 8000000 / PLAIT_WIDTH };

union lanes {
    real whole;
    float value[PLAIT_WIDTH];
    uint32_t bits[PLAIT_WIDTH];
};

// splitmix64
static uint32_t random_bits(void) {
    static uint64_t state;
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) >> 16);
}

static uint32_t with_exponent(uint32_t bits, int exponent) {
    exponent = exponent < 0 ? 0 : exponent > 254 ? 254 : exponent;
    return (bits & 0x807fffffu) | (uint32_t)exponent << 23;
}

// A product of 25 bits, the last of them set, is halfway between two floats; what is added decides, however little it
// is.
static void make_tie(uint32_t *a, uint32_t *b, uint32_t *c) {
    int exponent_a = 110 + (int)(random_bits() % 30), exponent_b = 110 + (int)(random_bits() % 30);
    *a = with_exponent((*a & 0xfffff000u) | 0x00000800u, exponent_a);
    *b = with_exponent((*b & 0xfffff000u) | 0x00000800u, exponent_b);
    *c = with_exponent(*c, exponent_a + exponent_b - 127 - 25 - (int)(random_bits() % 50));
}

// Terms of about the same size, of many bits and of few.
static void make_close(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t kept) {
    int exponent_a = 60 + (int)(random_bits() % 130), exponent_b = 60 + (int)(random_bits() % 130);
    *a = with_exponent(*a & kept, exponent_a);
    *b = with_exponent(*b & kept, exponent_b);
    *c = with_exponent(*c & kept, exponent_a + exponent_b - 127 + (int)(random_bits() % 60) - 30);
}

static void check(void) {
    static const uint32_t special[] = {0,           0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u,
                                       0x00000001u, 0x80000001u, 0x7f7fffffu, 0x00800000u, 0x3f800000u};
    enum { SPECIAL = sizeof special / sizeof special[0] };
    static const uint32_t kept[] = {~0u, 0xfffff000u, 0xffffc000u, 0xffff0000u};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        union lanes a, b, c, got;
        for (int l = 0; l < PLAIT_WIDTH; l++) {
            uint32_t kind = random_bits() % 7;
            a.bits[l] = kind == 5 ? special[random_bits() % SPECIAL] : random_bits();
            b.bits[l] = kind == 5 ? special[random_bits() % SPECIAL] : random_bits();
            c.bits[l] = kind == 5 ? special[random_bits() % SPECIAL] : random_bits();
            if (kind == 6) make_tie(&a.bits[l], &b.bits[l], &c.bits[l]);
            if (kind < 4) make_close(&a.bits[l], &b.bits[l], &c.bits[l], kept[kind]);
        }
        got.whole = fma_(a.whole, b.whole, c.whole);
        for (int l = 0; l < PLAIT_WIDTH; l++) {
            union lanes expected;
            expected.value[0] = fmaf(a.value[l], b.value[l], c.value[l]);
            bool nan = expected.value[0] != expected.value[0] && got.value[l] != got.value[l];
            if (!nan && expected.bits[0] != got.bits[l])
                fail_msg("%08x * %08x + %08x is %08x, not %08x", a.bits[l], b.bits[l], c.bits[l], got.bits[l],
                         expected.bits[0]);
        }
    }
}

static void fma_rounds_once(void **state) {
    (void)state;
    check();
}

// As in kernels: denormals are zero. Only the processor's fma honours that.
static void fma_rounds_once_without_denormals(void **state) {
    (void)state;
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("fma")) skip();
#endif
    uint64_t saved = float_state_enter();
    check();
    float_state_leave(saved);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fma_rounds_once),
                                       cmocka_unit_test(fma_rounds_once_without_denormals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
