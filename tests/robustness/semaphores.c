// A semaphore that two sides have: what one does with it, the other sees.
#include "stand.h"

#include <pthread.h>
#include <time.h>

static void *wait_for_eight(void *user) {
    plait_result result = plait_semaphore_wait(*(plait_semaphore *)user, 8, UINT64_MAX);
    assert_true(result == PLAIT_OK || result == PLAIT_ERROR_INVALID_HANDLE);
    return NULL;
}

// Whoever ends a semaphore lets go of those who wait for it, and raises it no further.
static void what_was_waited_for_in_vain_is_not_raised_to(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    struct stand stand;
    stand_open(&stand);
    double_pretend(&(struct double_pretence){.semaphore_fds = true});
    plait_device vulkan;
    plait_semaphore given, taken;
    plait_external_semaphore external = PLAIT_EXTERNAL_SEMAPHORE_INIT;
    assert_ok(stand_open_vulkan(&stand, &vulkan));
    assert_ok(plait_semaphore_create(vulkan, NULL, &given));
    assert_ok(plait_semaphore_export(given, PLAIT_EXTERNAL_OPAQUE_FD, &external));
    assert_ok(plait_semaphore_create(vulkan, &external, &taken));
    assert_int_equal(plait_semaphore_wait(taken, 100, 1000), PLAIT_ERROR_TIMEOUT);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wait_for_eight, &taken), 0);
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL); // by then it waits, most likely
    assert_ok(plait_semaphore_destroy(taken));
    assert_int_equal(pthread_join(thread, NULL), 0);
    uint64_t value = 99;
    assert_ok(plait_semaphore_query(given, &value));
    assert_true(value == 8 || value == 0); // 0: the thread came too late
    assert_ok(plait_semaphore_destroy(given));
    assert_ok(plait_device_close(vulkan));
    stand_close(&stand);
    double_reset();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_waited_for_in_vain_is_not_raised_to)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
