// In every test program, by the linker's --wrap: if all tests of a program skip themselves, its exit code says so, so that it
// counts as skipped and not as passed. The reason is what a test has printed after "skipped: ", else where it was.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { SKIPPED_AS_A_WHOLE = 77 }; // SKIP_RETURN_CODE of the tests

static size_t skipped;

void __real__skip(const char *const file, const int line);
void __wrap__skip(const char *const file, const int line);
int __real__cmocka_run_group_tests(const char *group, const struct CMUnitTest *const tests, const size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);
int __wrap__cmocka_run_group_tests(const char *group, const struct CMUnitTest *const tests, const size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);

void __wrap__skip(const char *const file, const int line) {
    skipped++;
    printf("skipped: at line %d of %s\n", line, file);
    fflush(stdout); // before cmocka's own words, which have another stream
    __real__skip(file, line);
}

int __wrap__cmocka_run_group_tests(const char *group, const struct CMUnitTest *const tests, const size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown) {
    skipped = 0;
    int failed = __real__cmocka_run_group_tests(group, tests, count, setup, teardown);
    return failed == 0 && skipped == count ? SKIPPED_AS_A_WHOLE : failed;
}
