// The floating-point state of every call and kernel. A host's thread may have any other: traps that would kill the process,
// another rounding mode that would change our bits, slow denormals. What is put back includes the flags of what has happened.
#ifndef PLAIT_FLOAT_STATE_H
#define PLAIT_FLOAT_STATE_H

#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#define FLOAT_STATE 0x9fc0u // round to nearest, no traps, denormals are zero
static inline uint64_t float_state_enter(void) {
    unsigned saved = _mm_getcsr();
    _mm_setcsr(FLOAT_STATE);
    return saved;
}
static inline void float_state_leave(uint64_t saved) { _mm_setcsr((unsigned)saved); }
#elif defined(__aarch64__)
#define FLOAT_STATE (UINT64_C(1) << 24) // round to nearest, no traps, FZ: denormals are zero
// FZ looks at a result before it is rounded, x86 after: 2^-126 times a little less than 1 is zero here and can be 2^-126 there.
static inline uint64_t float_state_enter(void) {
    uint64_t control, status;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("mrs %0, fpsr" : "=r"(status));
    __asm__ volatile("msr fpcr, %0" : : "r"(FLOAT_STATE) : "memory");
    return control | status << 32;
}
static inline void float_state_leave(uint64_t saved) {
    __asm__ volatile("msr fpcr, %0" : : "r"(saved & UINT32_MAX) : "memory");
    __asm__ volatile("msr fpsr, %0" : : "r"(saved >> 32) : "memory");
}
#else
static inline uint64_t float_state_enter(void) { return 0; }
static inline void float_state_leave(uint64_t saved) { (void)saved; }
#endif

#endif
