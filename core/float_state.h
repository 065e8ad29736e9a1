// The floating-point state of every call and kernel. A host's thread may have any other: traps that would kill the process,
// another rounding mode that would change our bits, slow denormals.
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
