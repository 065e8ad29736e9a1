/* What several threads of the host may do at once. Worker threads only count; the main thread asserts. */
#include "calls.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { ROUNDS = 100 };

typedef struct worker {
    session *s;
    plait_hair hair;
    uint64_t seed;
    atomic_uint *at_start; /* how many workers have not begun yet */
    uint32_t succeeded, busy, other;
    pthread_t thread;
} worker;

static void start(worker *workers, size_t count, atomic_uint *at_start, void *(*run)(void *)) {
    *at_start = (unsigned)count;
    for (size_t i = 0; i < count; ++i) {
        workers[i].at_start = at_start;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, run, &workers[i]), 0);
    }
}

static void join(worker *workers, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        pthread_join(workers[i].thread, NULL);
    }
}

static void await_others(worker *w) {
    atomic_fetch_sub(w->at_start, 1);
    while (atomic_load(w->at_start) > 0) {
        sched_yield();
    }
}

static void note(worker *w, plait_result result) {
    w->succeeded += result == PLAIT_OK;
    w->busy += result == PLAIT_ERROR_BUSY;
    w->other += result != PLAIT_OK && result != PLAIT_ERROR_BUSY;
}

static void *step_with_the_same_frame(void *user) {
    worker *w = user;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.gravity[1] = -9.81f;
    await_others(w);
    for (int i = 0; i < ROUNDS; ++i) {
        note(w, plait_hair_step(w->hair, &frame));
    }
    return NULL;
}

static void threads_that_step_one_hair_succeed_or_find_it_busy(void **state) {
    session_options whole_head = {.copies = WHOLE_HEAD};
    session *s = session_open(&whole_head), *alone = session_open(&whole_head);
    worker workers[3] = {{0}}, one = {0};
    atomic_uint at_start;
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    uint32_t succeeded = 0;
    blob expected;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(workers); ++i) {
        workers[i].hair = s->hair;
    }
    start(workers, COUNT_OF(workers), &at_start, step_with_the_same_frame);
    join(workers, COUNT_OF(workers));
    for (size_t i = 0; i < COUNT_OF(workers); ++i) {
        assert_int_equal(workers[i].other, 0);
        assert_int_equal(workers[i].succeeded + workers[i].busy, ROUNDS);
        succeeded += workers[i].succeeded;
    }
    assert_true(succeeded > 0);
    assert_ok(plait_hair_stats(s->hair, &stats));
    assert_int_equal(stats.frame_count, succeeded);

    /* All frames were equal, so the same number of steps on one thread gives the same state. */
    one.hair = alone->hair;
    for (uint32_t i = 0; i < succeeded; ++i) {
        plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
        frame.dt = 1.0f / 60;
        frame.gravity[1] = -9.81f;
        note(&one, plait_hair_step(one.hair, &frame));
    }
    expected = save(alone->hair);
    assert_state(s->hair, &expected);
    free_blob(&expected);
    session_close(s);
    session_close(alone);
}

static void *run_animation(void *user) {
    worker *w = user;
    float bones[BONES][12];
    await_others(w);
    for (uint32_t i = 0; i < 60; ++i) {
        plait_frame_desc frame = sample_frame(i, bones);
        note(w, plait_hair_step(w->hair, &frame));
    }
    return NULL;
}

static void hairs_stepped_at_once_get_the_bits_of_hairs_stepped_in_turn(void **state) {
    session_options whole_head = {.copies = WHOLE_HEAD, .thread_count = 3};
    session *s = session_open(&whole_head), *alone = session_open(&whole_head);
    plait_hair_desc desc = session_hair_desc(s);
    worker workers[3] = {{0}};
    atomic_uint at_start;
    blob expected;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(workers); ++i) {
        workers[i].s = s;
        assert_ok(plait_hair_create(s->context, &desc, &workers[i].hair));
    }
    start(workers, COUNT_OF(workers), &at_start, run_animation);
    join(workers, COUNT_OF(workers));
    session_run(alone, 0, 60);
    expected = save(alone->hair);
    for (size_t i = 0; i < COUNT_OF(workers); ++i) {
        assert_int_equal(workers[i].succeeded, 60);
        assert_state(workers[i].hair, &expected);
    }
    free_blob(&expected);
    session_close(s);
    session_close(alone);
}

static void *call_at_random(void *user) {
    worker *w = user;
    await_others(w);
    for (int i = 0; i < ROUNDS; ++i) {
        const handle_call *c = &handle_calls[next_random(&w->seed) % handle_call_count];
        if (!c->ends) {
            uint64_t id = c->kind == OF_HAIR ? w->hair.id : session_handle(w->s, c->kind);
            plait_result result = c->run(w->s, id);
            /* Between saving and loading another thread may have saved or stepped. */
            note(w, result == PLAIT_ERROR_INVALID_STATE ? PLAIT_ERROR_BUSY : result);
        }
    }
    return NULL;
}

static void any_calls_from_any_threads_succeed_or_are_busy(void **state) {
    session *s = session_open(NULL);
    worker workers[4] = {{0}};
    atomic_uint at_start;
    float *positions;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(workers); ++i) {
        workers[i].s = s;
        workers[i].hair = s->hair;
        workers[i].seed = i;
    }
    start(workers, COUNT_OF(workers), &at_start, call_at_random);
    join(workers, COUNT_OF(workers));
    for (size_t i = 0; i < COUNT_OF(workers); ++i) {
        assert_int_equal(workers[i].other, 0);
        assert_true(workers[i].succeeded > 0);
    }
    session_run(s, 0, 5);
    positions = read_positions(s);
    assert_true(all_finite(positions, 3 * (size_t)s->groom_source.vertex_count));
    free(positions);
    session_close(s);
}

/* Steps until the hair is gone. */
static void *step_to_the_end(void *user) {
    worker *w = user;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    plait_result result = PLAIT_OK;
    frame.dt = 1.0f / 60;
    await_others(w);
    while (result != PLAIT_ERROR_INVALID_HANDLE) {
        result = plait_hair_step(w->hair, &frame);
        note(w, result);
    }
    return NULL;
}

static void a_hair_can_be_destroyed_while_another_thread_steps_it(void **state) {
    session_options whole_head = {.copies = WHOLE_HEAD};
    session *s = session_open(&whole_head);
    (void)state;
    for (int round = 0; round < 30; ++round) {
        worker stepper = {0};
        atomic_uint at_start;
        plait_hair_desc desc = session_hair_desc(s);
        plait_result result;
        assert_ok(plait_hair_create(s->context, &desc, &stepper.hair));
        start(&stepper, 1, &at_start, step_to_the_end);
        do {
            result = plait_hair_destroy(stepper.hair);
        } while (result == PLAIT_ERROR_BUSY);
        assert_ok(result);
        join(&stepper, 1);
        assert_int_equal(stepper.other, 1); /* the last one, with the handle gone */
    }
    session_close(s);
}

/* What is left of a session whose context is gone. */
static void forget_session(session *s) {
    message_log_close(&s->log);
    free(s);
}

static void a_context_can_be_destroyed_while_other_threads_use_it(void **state) {
    session_options whole_head = {.copies = WHOLE_HEAD};
    (void)state;
    for (int round = 0; round < 20; ++round) {
        session *s = session_open(&whole_head);
        worker steppers[2] = {{0}};
        atomic_uint at_start;
        steppers[0].hair = steppers[1].hair = s->hair;
        start(steppers, 2, &at_start, step_to_the_end);
        assert_ok(plait_context_destroy(s->context));
        join(steppers, 2);
        assert_int_equal(steppers[0].other + steppers[1].other, 2);
        forget_session(s);
    }
}

/* A job system in whose first call other calls are made, on another object, until one of them is refused. */
typedef struct prober {
    session *s;
    atomic_int inside, hopeless;
    plait_result refusal;
} prober;

static void PLAIT_CALL probe_until_refused(void *user, uint32_t count, plait_job job, void *argument) {
    prober *p = user;
    plait_groom_info info = PLAIT_GROOM_INFO_INIT;
    atomic_store(&p->inside, 1);
    while (p->refusal == PLAIT_OK && !atomic_load(&p->hopeless)) {
        p->refusal = plait_groom_query(p->s->groom, &info);
    }
    for (uint32_t i = 0; i < count; ++i) {
        job(argument, i);
    }
}

static void *step_once(void *user) {
    worker *w = user;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    await_others(w);
    note(w, plait_hair_step(w->hair, &frame));
    return NULL;
}

static void destroying_a_context_refuses_new_calls_and_waits_for_those_under_way(void **state) {
    prober probing = {0};
    plait_jobs jobs = PLAIT_JOBS_INIT;
    session_options options = {.copies = WHOLE_HEAD};
    worker stepper = {0};
    atomic_uint at_start;
    plait_result result;
    session *s;
    (void)state;
    jobs.user = &probing;
    jobs.parallel_for = probe_until_refused;
    jobs.thread_count = 2;
    options.jobs = &jobs;
    atomic_store(&probing.hopeless, 1); /* so far: making a hair may ask for jobs as well */
    s = session_open(&options);
    probing.s = s;
    atomic_store(&probing.hopeless, 0);
    atomic_store(&probing.inside, 0);
    stepper.hair = s->hair;
    start(&stepper, 1, &at_start, step_once);
    while (!atomic_load(&probing.inside)) {
        sched_yield();
    }
    result = plait_context_destroy(s->context);
    atomic_store(&probing.hopeless, 1);
    join(&stepper, 1);
    assert_ok(result);
    assert_int_equal(stepper.succeeded, 1);
    assert_int_equal(probing.refusal, PLAIT_ERROR_INVALID_HANDLE);
    forget_session(s);
}

static void *wait_without_end(void *user) {
    worker *w = user;
    await_others(w);
    note(w, plait_semaphore_wait(w->s->semaphore, 1000, UINT64_MAX));
    return NULL;
}

static void a_context_can_be_destroyed_while_a_thread_waits_for_a_semaphore(void **state) {
    (void)state;
    for (int round = 0; round < 20; ++round) {
        session *s = session_open(NULL);
        worker waiting = {0};
        atomic_uint at_start;
        waiting.s = s;
        start(&waiting, 1, &at_start, wait_without_end);
        while (atomic_load(&at_start) > 0) {
            sched_yield();
        }
        for (int i = 0; i < round * 10; ++i) { /* so that the thread has come more or less far */
            sched_yield();
        }
        assert_ok(plait_context_destroy(s->context));
        join(&waiting, 1);
        assert_int_equal(waiting.succeeded + waiting.other, 1);
        forget_session(s);
    }
}

/* Its own hairs and grooms, while other threads do the same: slots of the context are reused. */
static void *make_and_destroy_hairs(void *user) {
    worker *w = user;
    await_others(w);
    for (int i = 0; i < 40; ++i) {
        plait_hair_desc desc = session_hair_desc(w->s);
        plait_hair hairs[3];
        plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
        frame.dt = 1.0f / 60;
        note(w, plait_groom_create(w->s->context, &w->s->groom_source.desc, &desc.groom));
        for (int k = 0; k < 3; ++k) {
            note(w, plait_hair_create(w->s->context, &desc, &hairs[k]));
        }
        note(w, plait_groom_destroy(desc.groom));
        for (int k = 0; k < 3; ++k) {
            note(w, plait_hair_step(hairs[k], &frame));
            note(w, plait_hair_destroy(hairs[k]));
        }
    }
    return NULL;
}

static void objects_can_be_made_and_destroyed_on_many_threads(void **state) {
    session *s = session_open(NULL);
    worker workers[4] = {{0}};
    atomic_uint at_start;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(workers); ++i) {
        workers[i].s = s;
    }
    start(workers, COUNT_OF(workers), &at_start, make_and_destroy_hairs);
    join(workers, COUNT_OF(workers));
    for (size_t i = 0; i < COUNT_OF(workers); ++i) {
        assert_int_equal(workers[i].succeeded, 40 * 11);
    }
    session_run(s, 0, 3);
    session_close(s);
}

static void *live_whole_lives(void *user) {
    worker *w = user;
    await_others(w);
    for (int i = 0; i < 40; ++i) {
        plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
        plait_context context;
        plait_device device;
        plait_groom groom;
        plait_result result;
        desc.thread_count = 2;
        result = plait_context_create(&desc, &context);
        note(w, result);
        if (result == PLAIT_OK) {
            note(w, plait_device_open(context, NULL, &device));
            note(w, plait_groom_create(context, &w->s->groom_source.desc, &groom));
            note(w, plait_groom_destroy(groom));
            note(w, plait_context_destroy(context));
        }
    }
    return NULL;
}

static void contexts_can_be_made_and_destroyed_on_many_threads(void **state) {
    session *s = session_open(NULL);
    worker workers[4] = {{0}};
    atomic_uint at_start;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(workers); ++i) {
        workers[i].s = s;
    }
    start(workers, COUNT_OF(workers), &at_start, live_whole_lives);
    join(workers, COUNT_OF(workers));
    for (size_t i = 0; i < COUNT_OF(workers); ++i) {
        assert_int_equal(workers[i].succeeded, 40 * 5);
    }
    session_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_step_one_hair_succeed_or_find_it_busy),
        cmocka_unit_test(hairs_stepped_at_once_get_the_bits_of_hairs_stepped_in_turn),
        cmocka_unit_test(any_calls_from_any_threads_succeed_or_are_busy),
        cmocka_unit_test(a_hair_can_be_destroyed_while_another_thread_steps_it),
        cmocka_unit_test(a_context_can_be_destroyed_while_other_threads_use_it),
        cmocka_unit_test(destroying_a_context_refuses_new_calls_and_waits_for_those_under_way),
        cmocka_unit_test(a_context_can_be_destroyed_while_a_thread_waits_for_a_semaphore),
        cmocka_unit_test(objects_can_be_made_and_destroyed_on_many_threads),
        cmocka_unit_test(contexts_can_be_made_and_destroyed_on_many_threads),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
