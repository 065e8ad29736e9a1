// Floating point as every call and every kernel has it. A thread of the host may have anything: traps that would kill it,
// another rounding that would change our bits, slow denormals.
#ifndef PLAIT_FLOAT_STATE_H
#define PLAIT_FLOAT_STATE_H

#if defined(__x86_64__)
#include <xmmintrin.h>
#define FLOAT_STATE 0x9fc0u // round to nearest, no traps, denormals are zero
static inline unsigned float_state_enter(void) {
    unsigned saved = _mm_getcsr();
    _mm_setcsr(FLOAT_STATE);
    return saved;
}
static inline void float_state_leave(unsigned saved) { _mm_setcsr(saved); }
#else
static inline unsigned float_state_enter(void) { return 0; }
static inline void float_state_leave(unsigned saved) { (void)saved; }
#endif

#endif
