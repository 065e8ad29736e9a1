/* Any job system of the host, even one that breaks the rules, gives the same bits as the built-in pool. */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

static void PLAIT_CALL backwards(void *user, uint32_t count, plait_job job, void *argument) {
    (void)user;
    while (count-- > 0) {
        job(argument, count);
    }
}

static void PLAIT_CALL never(void *user, uint32_t count, plait_job job, void *argument) {
    (void)user, (void)count, (void)job, (void)argument;
}

static void PLAIT_CALL every_other(void *user, uint32_t count, plait_job job, void *argument) {
    (void)user;
    for (uint32_t i = 0; i < count; i += 2) {
        job(argument, i);
    }
}

static void PLAIT_CALL twice_in_a_row(void *user, uint32_t count, plait_job job, void *argument) {
    (void)user;
    for (uint32_t i = 0; i < count; ++i) {
        job(argument, i);
        job(argument, i);
    }
}

static void PLAIT_CALL all_and_then_all_again(void *user, uint32_t count, plait_job job, void *argument) {
    (void)user;
    for (uint32_t i = 0; i < 2 * count; ++i) {
        job(argument, i % count);
    }
}

static void PLAIT_CALL beyond_the_count(void *user, uint32_t count, plait_job job, void *argument) {
    backwards(user, count, job, argument);
    job(argument, count);
    job(argument, UINT32_MAX);
}

typedef struct share {
    plait_job job;
    void *argument;
    uint32_t count, first, stride;
} share;

static void *run_share(void *user) {
    const share *part = user;
    for (uint32_t i = part->first; i < part->count; i += part->stride) {
        part->job(part->argument, i);
    }
    return NULL;
}

static void run_on_threads(const share *whole, uint32_t stride) {
    pthread_t threads[3];
    share parts[3];
    for (uint32_t i = 0; i < 3; ++i) {
        parts[i] = *whole;
        parts[i].first = i % stride;
        parts[i].stride = stride;
        pthread_create(&threads[i], NULL, run_share, &parts[i]);
    }
    for (uint32_t i = 0; i < 3; ++i) {
        pthread_join(threads[i], NULL);
    }
}

static void PLAIT_CALL on_three_threads(void *user, uint32_t count, plait_job job, void *argument) {
    share whole = {job, argument, count, 0, 1};
    (void)user;
    run_on_threads(&whole, 3);
}

static void PLAIT_CALL all_on_each_of_three_threads(void *user, uint32_t count, plait_job job, void *argument) {
    share whole = {job, argument, count, 0, 1};
    (void)user;
    run_on_threads(&whole, 1);
}

enum { FRAMES = 6 };

/* The state and the output of a whole head after some frames. */
static blob run_with(const plait_jobs *jobs, uint32_t thread_count) {
    session_options options = {0};
    session *s;
    float *positions;
    size_t size;
    blob end;
    options.jobs = jobs;
    options.thread_count = thread_count;
    options.copies = WHOLE_HEAD;
    s = session_open(&options);
    session_run(s, 0, FRAMES);
    positions = read_positions(s);
    size = 12 * (size_t)s->vertex_count;
    end = save(s->hair);
    end.bytes = realloc(end.bytes, end.size + size);
    assert_non_null(end.bytes);
    memcpy(end.bytes + end.size, positions, size);
    end.size += size;
    free(positions);
    session_close(s);
    return end;
}

/* Counts calls of the job system, then forwards them to the one under test. */
typedef struct counted {
    void(PLAIT_CALL *parallel_for)(void *user, uint32_t count, plait_job job, void *argument);
    uint32_t calls;
} counted;

static void PLAIT_CALL count_and_run(void *user, uint32_t count, plait_job job, void *argument) {
    counted *system = user;
    system->calls++;
    system->parallel_for(NULL, count, job, argument);
}

static void every_job_system_gives_the_bits_of_the_pool(void **state) {
    static const counted systems[] = {
        {backwards, 0},        {never, 0},
        {every_other, 0},      {on_three_threads, 0},
        {twice_in_a_row, 0},   {all_and_then_all_again, 0},
        {beyond_the_count, 0}, {all_on_each_of_three_threads, 0},
    };
    static const uint32_t thread_counts[] = {1, 2, 3, 64};
    blob expected = run_with(NULL, 0);
    (void)state;
    for (size_t i = 0; i < COUNT_OF(systems); ++i) {
        for (size_t k = 0; k < COUNT_OF(thread_counts); ++k) {
            counted system = systems[i];
            plait_jobs jobs = PLAIT_JOBS_INIT;
            blob end;
            jobs.user = &system;
            jobs.parallel_for = count_and_run;
            jobs.thread_count = thread_counts[k];
            end = run_with(&jobs, 0);
            assert_true(thread_counts[k] == 1 || system.calls >= FRAMES);
            if (!same_blob(&end, &expected)) {
                print_error("job system %zu with thread count %u gave other bits\n", i, thread_counts[k]);
                fail();
            }
            free_blob(&end);
        }
    }
    free_blob(&expected);
}

static void every_size_of_the_pool_gives_the_same_bits(void **state) {
    blob expected = run_with(NULL, 1);
    (void)state;
    for (uint32_t thread_count = 2; thread_count < 10; thread_count += 1 + thread_count / 4) {
        blob end = run_with(NULL, thread_count);
        assert_true(same_blob(&end, &expected));
        free_blob(&end);
    }
    free_blob(&expected);
}

/* A host that calls Plait from a callback where it must not. */
typedef struct intruder {
    session *s; /* null: does nothing */
    uint32_t calls_from_jobs, calls_from_log;
    uint32_t not_busy; /* calls on the hair that got another result than PLAIT_ERROR_BUSY */
    int inside;
} intruder;

static uint32_t intrude(intruder *guest) {
    uint32_t calls = 0;
    if (!guest->s || guest->inside) {
        return 0;
    }
    guest->inside = 1;
    for (size_t i = 0; i < handle_call_count; ++i) {
        if (handle_calls[i].kind == OF_HAIR) {
            plait_result result = handle_calls[i].run(guest->s, guest->s->hair.id);
            calls++;
            if (result != PLAIT_ERROR_BUSY) {
                guest->not_busy++;
                print_error("%s from a callback gave %d\n", handle_calls[i].name, result);
            }
        }
    }
    if (plait_context_destroy(guest->s->context) != PLAIT_ERROR_BUSY) {
        guest->not_busy++;
        print_error("plait_context_destroy from a callback was not refused\n");
    }
    guest->inside = 0;
    return calls;
}

static void PLAIT_CALL intrude_from_jobs(void *user, uint32_t count, plait_job job, void *argument) {
    intruder *guest = user;
    for (uint32_t i = 0; i < count; ++i) {
        guest->calls_from_jobs += intrude(guest);
        job(argument, i);
    }
    guest->calls_from_jobs += intrude(guest);
}

static void PLAIT_CALL intrude_from_log(void *user, uint32_t level, int32_t id, const char *text) {
    intruder *guest = user;
    (void)level, (void)id, (void)text;
    guest->calls_from_log += intrude(guest);
}

static void calls_on_a_hair_from_its_own_callbacks_are_busy(void **state) {
    intruder guest = {0};
    plait_jobs jobs = PLAIT_JOBS_INIT;
    plait_logger logger = PLAIT_LOGGER_INIT;
    session_options options = {0};
    session *plain, *s;
    plait_frame_desc frame;
    blob expected;
    (void)state;
    options.copies = WHOLE_HEAD;
    plain = session_open(&options);
    jobs.user = logger.user = &guest;
    jobs.parallel_for = intrude_from_jobs;
    jobs.thread_count = 2;
    logger.log = intrude_from_log;
    logger.min_level = PLAIT_LOG_DEBUG;
    options.jobs = &jobs;
    options.logger = &logger;
    s = session_open(&options);
    guest.s = s;

    frame = session_frame(s, 0);
    frame.dt = 10; /* so that there is something to log */
    assert_ok(plait_hair_step(s->hair, &frame));
    assert_true(guest.calls_from_jobs > 0);
    assert_true(guest.calls_from_log > 0);
    assert_ok(plait_hair_step(plain->hair, &frame));
    expected = save(plain->hair);
    frame.dt = -1; /* and an error */
    guest.calls_from_log = 0;
    assert_result(plait_hair_step(s->hair, &frame), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_true(guest.calls_from_log > 0);
    assert_int_equal(guest.not_busy, 0);
    guest.s = NULL;
    assert_state(s->hair, &expected);
    free_blob(&expected);
    session_close(s);
    session_close(plain);
}

typedef struct nested {
    session *s;
    uint32_t depth;
    uint32_t calls;
} nested;

/* Makes and queries other objects of the context from its log callback, which is allowed. */
static void PLAIT_CALL use_context_from_log(void *user, uint32_t level, int32_t id, const char *text) {
    nested *n = user;
    (void)level, (void)id, (void)text;
    if (n->depth++ == 0) {
        for (size_t i = 0; i < handle_call_count; ++i) {
            if (handle_calls[i].kind != OF_HAIR && !handle_calls[i].ends) {
                n->calls += is_known_result(handle_calls[i].run(n->s, session_handle(n->s, handle_calls[i].kind)));
            }
        }
    }
    n->depth--;
}

static void calls_on_a_context_from_its_log_do_not_hang(void **state) {
    session *plain = session_open(NULL);
    session s = *plain;
    nested n = {&s, 1, 0};
    plait_logger logger = PLAIT_LOGGER_INIT;
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    (void)state;
    logger.user = &n;
    logger.log = use_context_from_log;
    logger.min_level = PLAIT_LOG_DEBUG;
    desc.logger = &logger;
    assert_ok(plait_context_create(&desc, &s.context));
    s.device = open_device(s.context, 0, 0);
    assert_ok(plait_groom_create(s.context, &s.groom_source.desc, &s.groom));
    n.depth = 0;
    s.groom_source.desc.strand_count = 0;
    assert_true(plait_groom_create(s.context, &s.groom_source.desc, &s.groom) < 0);
    assert_true(n.calls > 0);
    n.depth = 1;
    assert_ok(plait_context_destroy(s.context));
    session_close(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_system_gives_the_bits_of_the_pool),
        cmocka_unit_test(every_size_of_the_pool_gives_the_same_bits),
        cmocka_unit_test(calls_on_a_hair_from_its_own_callbacks_are_busy),
        cmocka_unit_test(calls_on_a_context_from_its_log_do_not_hang),
    };
    return cmocka_run_group_tests_name("jobs", tests, NULL, NULL);
}
