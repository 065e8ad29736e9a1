/* Threads that meet at a lock of the library sleep. A lock that spins, be it on sched_yield, starves the thread that holds
 * it when that one has a lower priority. sched_yield is defined here, so the shared library calls this one as well. */
#include "session.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum { THREADS = 4, CALLS = 100000 };

static atomic_uint yields;

__attribute__((visibility("default"))) int sched_yield(void) {
    const struct timespec moment = {0, 1};
    yields++;
    return nanosleep(&moment, NULL);
}

typedef struct caller {
    session *s;
    pthread_barrier_t *start;
    uint32_t failed;
    pthread_t thread;
} caller;

static void *call_without_pause(void *user) {
    caller *c = user;
    pthread_barrier_wait(c->start);
    for (uint32_t i = 0; i < CALLS; ++i) {
        plait_groom_info info = PLAIT_GROOM_INFO_INIT;
        c->failed += plait_groom_query(c->s->groom, &info) != PLAIT_OK;
    }
    return NULL;
}

static void threads_that_contend_for_a_context_do_not_spin(void **state) {
    session *s = session_open(NULL);
    caller callers[THREADS] = {{0}};
    pthread_barrier_t start;
    (void)state;
    pthread_barrier_init(&start, NULL, THREADS);
    for (uint32_t i = 0; i < THREADS; ++i) {
        callers[i].s = s;
        callers[i].start = &start;
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call_without_pause, &callers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; ++i) {
        pthread_join(callers[i].thread, NULL);
        assert_int_equal(callers[i].failed, 0);
    }
    pthread_barrier_destroy(&start);
    assert_int_equal(yields, 0);
    session_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_contend_for_a_context_do_not_spin),
    };
    return cmocka_run_group_tests_name("contention", tests, NULL, NULL);
}
