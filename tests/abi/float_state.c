/* The host's threads may have any rounding, flushing and traps: results stay the same, and so does the host's setting. */
#include "session.h"

#include <fenv.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { FRAMES = 10 };

static blob run_in_full(void) {
    session *s = session_open(NULL);
    blob end;
    session_run(s, 0, FRAMES);
    end = save(s->hair);
    session_close(s);
    return end;
}

/* All calls to Plait run in the odd setting; the test computes bones and groom outside of it. */
static blob run_with(void (*enter)(void), void (*leave)(void)) {
    session *s = session_open(NULL);
    plait_hair_desc desc = session_hair_desc(s);
    blob end;
    assert_ok(plait_hair_destroy(s->hair));
    bones_at(0, s->bones);
    enter();
    plait_result result = plait_hair_create(s->context, &desc, &s->hair);
    leave();
    assert_ok(result);
    for (uint32_t i = 0; i < FRAMES; ++i) {
        plait_frame_desc frame = session_frame(s, i);
        enter();
        result = plait_hair_step(s->hair, &frame);
        leave();
        assert_ok(result);
    }
    end = save(s->hair);
    session_close(s);
    return end;
}

static void round_down(void) { fesetround(FE_DOWNWARD); }

static void round_to_nearest(void) {
    volatile float one = 1, three = 3;
    float third = one / three;
    assert_true(third < 0.33333333f); /* rounded down */
    fesetround(FE_TONEAREST);
}

static void the_rounding_of_the_host_changes_nothing(void **state) {
    blob expected = run_in_full(), other = run_with(round_down, round_to_nearest);
    (void)state;
    assert_true(same_blob(&expected, &other));
    free_blob(&expected);
    free_blob(&other);
}

static void clear_flags(void) { feclearexcept(FE_ALL_EXCEPT); }

static void no_flag_is_set(void) { assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0); }

static void flags_of_the_host_stay(void **state) {
    blob expected = run_in_full(), other = run_with(clear_flags, no_flag_is_set);
    (void)state;
    assert_true(same_blob(&expected, &other));
    free_blob(&expected);
    free_blob(&other);
}

#if defined(__x86_64__) || defined(__aarch64__)

#if defined(__x86_64__)
enum { FLUSH = 0x8040 };
static uint32_t control(void) { return _mm_getcsr(); }
static void set_control(uint32_t value) { _mm_setcsr(value); }
#else
enum { FLUSH = 1 << 24 };
static uint32_t control(void) {
    uint64_t value;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return (uint32_t)value;
}
static void set_control(uint32_t value) { __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)value)); }
#endif

static void flush_denormals(void) { set_control(control() | FLUSH); }

static void keep_denormals(void) {
    assert_int_equal(control() & FLUSH, FLUSH);
    set_control(control() & ~(uint32_t)FLUSH);
}

static void flushed_denormals_of_the_host_change_nothing(void **state) {
    blob expected = run_in_full(), other = run_with(flush_denormals, keep_denormals);
    (void)state;
    assert_true(same_blob(&expected, &other));
    free_blob(&expected);
    free_blob(&other);
}

/* Invalid operations, divisions by zero and overflows. */
#if defined(__x86_64__)
enum { TRAPS = 0x680, FLAGS = 0x3f };
static void trap(void) { set_control(control() & ~(uint32_t)(TRAPS | FLAGS)); }
static void do_not_trap(void) { set_control(control() | TRAPS); }
static int can_trap(void) { return 1; }
#else
enum { TRAPS = 0x700 };
static void trap(void) { set_control(control() | TRAPS); }
static void do_not_trap(void) { set_control(control() & ~(uint32_t)TRAPS); }

static int can_trap(void) { /* few 64-bit ARM processors do: the others keep these bits at zero */
    trap();
    int traps = (control() & TRAPS) == TRAPS;
    do_not_trap();
    return traps;
}
#endif

static void traps_of_the_host_do_not_fire(void **state) {
    if (!can_trap()) {
        print_message("this processor has no traps for floats\n");
        skip();
    }
    blob expected = run_in_full(), other = run_with(trap, do_not_trap);
    session *s = session_open(NULL);
    plait_frame_desc frame = session_frame(s, 0);
    plait_result result;
    (void)state;
    assert_true(same_blob(&expected, &other));
    frame.gravity[0] = 1e9f; /* strands leave the range of floats in the kernels */
    frame.dt = 0.1f;
    trap();
    result = plait_hair_step(s->hair, &frame);
    result = result < 0 ? result : plait_hair_step(s->hair, &frame);
    do_not_trap();
    assert_ok(result);
    free_blob(&expected);
    free_blob(&other);
    session_close(s);
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rounding_of_the_host_changes_nothing),
        cmocka_unit_test(flags_of_the_host_stay),
#if defined(__x86_64__) || defined(__aarch64__)
        cmocka_unit_test(flushed_denormals_of_the_host_change_nothing),
        cmocka_unit_test(traps_of_the_host_do_not_fire),
#endif
    };
    return cmocka_run_group_tests_name("float state", tests, NULL, NULL);
}
