// Stands in for cmocka where it has no package, that is, for Windows: as much of its interface as our tests use. Tests
// include <cmocka.h> and are the same source everywhere.
#ifndef PLAIT_TESTS_STANDIN_CMOCKA_H
#define PLAIT_TESTS_STANDIN_CMOCKA_H

#include <stddef.h>
#include <stdint.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state); // 0: fine

struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func, teardown_func;
    void *initial_state;
};

#define cmocka_unit_test(test)                                                                                         \
    { .name = #test, .test_func = test }
#define cmocka_unit_test_setup(test, setup)                                                                            \
    { .name = #test, .test_func = test, .setup_func = setup }
#define cmocka_unit_test_setup_teardown(test, setup, teardown)                                                         \
    { .name = #test, .test_func = test, .setup_func = setup, .teardown_func = teardown }
#define cmocka_unit_test_prestate(test, state)                                                                         \
    { .name = #test, .test_func = test, .initial_state = state }

// How many failed. Names of those that did, and of those that were skipped, are printed.
#define cmocka_run_group_tests(tests, setup, teardown)                                                                 \
    standin_run(tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown) cmocka_run_group_tests(tests, setup, teardown)
int standin_run(const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup, CMFixtureFunction teardown);

// A test ends where it fails or is skipped; both only on the thread that runs it.
_Noreturn void standin_skip(void);
_Noreturn void standin_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
void print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define skip() standin_skip()
#define fail_msg(...) standin_fail(__FILE__, __LINE__, __VA_ARGS__)
#define fail() fail_msg("failed")
#define _fail(file, line) standin_fail(file, line, "failed")

void standin_integers(int64_t a, int64_t b, int equal, const char *text, const char *file, int line);
void standin_range(uint64_t value, uint64_t low, uint64_t high, const char *text, const char *file, int line);
void standin_floats(double a, double b, double epsilon, const char *text, const char *file, int line);
void standin_texts(const char *a, const char *b, int equal, const char *text, const char *file, int line);
void standin_bytes(const void *a, const void *b, size_t size, int equal, const char *text, const char *file, int line);

#define assert_true(x) ((x) ? (void)0 : fail_msg("%s is not so", #x))
#define assert_false(x) ((x) ? fail_msg("%s is so", #x) : (void)0)
#define assert_null(x) ((x) ? fail_msg("%s is not null", #x) : (void)0)
#define assert_non_null(x) ((x) ? (void)0 : fail_msg("%s is null", #x))
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))
#define assert_int_equal(a, b) standin_integers((int64_t)(a), (int64_t)(b), 1, #a " == " #b, __FILE__, __LINE__)
#define assert_int_not_equal(a, b) standin_integers((int64_t)(a), (int64_t)(b), 0, #a " != " #b, __FILE__, __LINE__)
#define assert_in_range(x, low, high) standin_range(x, low, high, #x, __FILE__, __LINE__)
#define assert_float_equal(a, b, epsilon) standin_floats(a, b, epsilon, #a " == " #b, __FILE__, __LINE__)
#define assert_string_equal(a, b) standin_texts(a, b, 1, #a " == " #b, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) standin_texts(a, b, 0, #a " != " #b, __FILE__, __LINE__)
#define assert_memory_equal(a, b, size) standin_bytes(a, b, size, 1, #a " == " #b, __FILE__, __LINE__)
#define assert_memory_not_equal(a, b, size) standin_bytes(a, b, size, 0, #a " != " #b, __FILE__, __LINE__)

#endif
