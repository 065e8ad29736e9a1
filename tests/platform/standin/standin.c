#include "cmocka.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum outcome { PASSED, SKIPPED, FAILED };

static jmp_buf place;
static pthread_t runner;

// One function of a test, or its setup or teardown, which may end in the middle.
static enum outcome attempt(const struct CMUnitTest *test, CMFixtureFunction fixture, void **state) {
    volatile enum outcome outcome = PASSED;
    int jumped = setjmp(place);
    if (jumped)
        outcome = (enum outcome)jumped;
    else if (!fixture)
        test->test_func(state);
    else if (fixture(state) != 0)
        outcome = FAILED;
    return outcome;
}

static enum outcome run(const struct CMUnitTest *test, void *state) {
    if (test->initial_state) state = test->initial_state;
    enum outcome outcome = test->setup_func ? attempt(test, test->setup_func, &state) : PASSED;
    if (outcome == PASSED) {
        outcome = attempt(test, NULL, &state);
        enum outcome end = test->teardown_func ? attempt(test, test->teardown_func, &state) : PASSED;
        if (end == FAILED) outcome = FAILED;
    }
    return outcome;
}

int standin_run(const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup, CMFixtureFunction teardown) {
    static const char *const words[] = {"passed", "skipped", "FAILED"};
    int failed = 0;
    size_t skipped = 0;
    void *state = NULL;
    setvbuf(stdout, NULL, _IONBF, 0); // a crash must not take messages with it
    runner = pthread_self();
    if (setup && setup(&state) != 0) {
        printf("FAILED before the first test\n");
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        enum outcome outcome = run(&tests[i], state);
        failed += outcome == FAILED;
        skipped += outcome == SKIPPED;
        printf("%s %s\n", words[outcome], tests[i].name);
    }
    if (teardown && teardown(&state) != 0) {
        printf("FAILED after the last test\n");
        failed++;
    }
    return failed == 0 && skipped == count ? 77 : failed; // as in whole_skip.c
}

static _Noreturn void leave(enum outcome outcome) {
    if (!pthread_equal(pthread_self(), runner)) abort(); // no way back from here
    longjmp(place, (int)outcome);
}

void standin_skip(void) { leave(SKIPPED); }

void standin_fail(const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("%s:%d: ", file, line);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    leave(FAILED);
}

void print_message(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

void print_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}

void standin_integers(int64_t a, int64_t b, int equal, const char *text, const char *file, int line) {
    if ((a == b) != (equal != 0)) standin_fail(file, line, "%s: %" PRId64 " and %" PRId64, text, a, b);
}

void standin_range(uint64_t value, uint64_t low, uint64_t high, const char *text, const char *file, int line) {
    if (value < low || value > high)
        standin_fail(file, line, "%s is %" PRIu64 ", not %" PRIu64 " to %" PRIu64, text, value, low, high);
}

void standin_floats(double a, double b, double epsilon, const char *text, const char *file, int line) {
    if (!(fabs(a - b) <= epsilon)) standin_fail(file, line, "%s: %.9g and %.9g", text, a, b);
}

void standin_texts(const char *a, const char *b, int equal, const char *text, const char *file, int line) {
    if ((strcmp(a, b) == 0) != (equal != 0)) standin_fail(file, line, "%s: \"%s\" and \"%s\"", text, a, b);
}

void standin_bytes(const void *a, const void *b, size_t size, int equal, const char *text, const char *file, int line) {
    const unsigned char *left = a, *right = b;
    size_t at = 0;
    while (at < size && left[at] == right[at]) at++;
    if ((at == size) != (equal != 0))
        standin_fail(file, line, "%s: of %zu bytes the first that differs is %zu", text, size, at);
}
