/* A handle that is null, stale, forged or of another kind is an error everywhere and never reaches an object. */
#include "calls.h"

#include <stdlib.h>

static int open_state(void **state) {
    *state = session_open(NULL);
    return 0;
}

static int close_state(void **state) {
    session_close(*state);
    return 0;
}

static void assert_all_refuse(session *s, uint64_t id) {
    for (size_t i = 0; i < handle_call_count; ++i) {
        plait_result result = handle_calls[i].run(s, id);
        if (result != PLAIT_ERROR_INVALID_HANDLE) {
            print_error("%s with handle %016llx gave %d\n", handle_calls[i].name, (unsigned long long)id, result);
            fail();
        }
    }
}

/* Every call that does not destroy its object works with the session's handles. */
static void assert_alive(session *s) {
    for (size_t i = 0; i < handle_call_count; ++i) {
        if (!handle_calls[i].ends) {
            plait_result result = handle_calls[i].run(s, session_handle(s, handle_calls[i].kind));
            if (result != PLAIT_OK) {
                print_error("%s on a live object gave %d\n", handle_calls[i].name, result);
                fail();
            }
        }
    }
}

static void every_call_works_with_its_live_handle(void **state) { assert_alive(*state); }

static void the_null_handle_is_refused_by_every_call(void **state) {
    assert_all_refuse(*state, 0);
    assert_alive(*state);
}

static void handles_of_another_kind_are_refused(void **state) {
    session *s = *state;
    for (size_t i = 0; i < handle_call_count; ++i) {
        for (handle_kind kind = 0; kind < KINDS; ++kind) {
            if (kind != handle_calls[i].kind) {
                assert_result(handle_calls[i].run(s, session_handle(s, kind)), PLAIT_ERROR_INVALID_HANDLE);
            }
        }
    }
    assert_alive(s);
}

static void random_numbers_are_refused(void **state) {
    session *s = *state;
    uint64_t sequence = 1;
    for (int i = 0; i < 100000; ++i) {
        uint64_t id = next_random(&sequence);
        handle_kind kind = (handle_kind)(next_random(&sequence) % KINDS);
        uint64_t mask = next_random(&sequence);
        /* A third random, a third small numbers, a third close to a live handle. */
        id = i % 3 == 0 ? id : i % 3 == 1 ? id >> (mask % 64) : session_handle(s, kind) ^ (id & mask & (mask >> 7));
        for (handle_kind other = 0; other < KINDS; ++other) {
            id = id == session_handle(s, other) ? 0 : id;
        }
        assert_all_refuse(s, id);
    }
    assert_alive(s);
}

static void live_handles_with_one_or_two_bits_flipped_are_refused(void **state) {
    session *s = *state;
    for (handle_kind kind = 0; kind < KINDS; ++kind) {
        for (int a = 0; a < 64; ++a) {
            for (int b = a; b < 64; ++b) {
                uint64_t id = session_handle(s, kind) ^ ((uint64_t)1 << a) ^ (b > a ? (uint64_t)1 << b : 0);
                int other_is_live = 0;
                for (handle_kind other = 0; other < KINDS; ++other) {
                    other_is_live |= id == session_handle(s, other);
                }
                if (!other_is_live) {
                    assert_all_refuse(s, id);
                }
            }
        }
    }
    assert_alive(s);
}

static void a_destroyed_object_is_gone_for_every_call(void **state) {
    session *s = *state;
    session gone = *s;
    assert_ok(plait_hair_destroy(s->hair));
    assert_ok(plait_semaphore_destroy(s->semaphore));
    assert_ok(plait_binding_destroy(s->binding));
    assert_ok(plait_body_destroy(s->body));
    assert_ok(plait_groom_destroy(s->groom));
    assert_ok(plait_device_close(s->device));
    for (handle_kind kind = OF_DEVICE; kind < KINDS; ++kind) {
        assert_all_refuse(s, session_handle(&gone, kind));
    }
}

static void a_destroyed_context_takes_the_handles_of_its_objects_along(void **state) {
    session *s = session_open(NULL);
    session *living = *state;
    session gone = *s;
    session_close(s);
    for (handle_kind kind = 0; kind < KINDS; ++kind) {
        assert_all_refuse(living, session_handle(&gone, kind));
    }
    assert_alive(living);
}

static void stale_objects_cannot_be_used_to_make_a_hair(void **state) {
    session *s = *state;
    plait_hair hair = {1};
    plait_hair_desc desc = session_hair_desc(s);
    desc.groom = (plait_groom){s->groom.id ^ 1};
    assert_result(plait_hair_create(s->context, &desc, &hair), PLAIT_ERROR_INVALID_HANDLE);
    desc = session_hair_desc(s);
    desc.device = (plait_device){0};
    assert_result(plait_hair_create(s->context, &desc, &hair), PLAIT_ERROR_INVALID_HANDLE);
    desc = session_hair_desc(s);
    desc.body = (plait_body){s->groom.id};
    assert_result(plait_hair_create(s->context, &desc, &hair), PLAIT_ERROR_INVALID_HANDLE);
    assert_ok(plait_body_destroy(s->body));
    desc = session_hair_desc(s);
    assert_result(plait_hair_create(s->context, &desc, &hair), PLAIT_ERROR_INVALID_HANDLE);
    assert_result(plait_hair_set_body(s->hair, s->body), PLAIT_ERROR_INVALID_HANDLE);
    assert_true(hair.id == 0);
}

static void objects_of_two_contexts_do_not_mix(void **state) {
    session *s = *state;
    session *other = session_open(NULL);
    blob before = save(s->hair);
    plait_hair hair = {1};
    plait_hair_desc desc = session_hair_desc(s);

    desc.groom = other->groom;
    assert_result(plait_hair_create(s->context, &desc, &hair), PLAIT_ERROR_FOREIGN_HANDLE);
    desc = session_hair_desc(s);
    desc.device = other->device;
    assert_result(plait_hair_create(s->context, &desc, &hair), PLAIT_ERROR_FOREIGN_HANDLE);
    desc = session_hair_desc(s);
    desc.body = other->body;
    assert_result(plait_hair_create(s->context, &desc, &hair), PLAIT_ERROR_FOREIGN_HANDLE);
    assert_true(hair.id == 0);
    assert_result(plait_hair_set_body(s->hair, other->body), PLAIT_ERROR_FOREIGN_HANDLE);
    assert_state(s->hair, &before);
    assert_alive(s);
    assert_alive(other);
    free_blob(&before);
    session_close(other);
}

/* Longer than a 16-bit generation lasts. */
static void a_slot_used_again_does_not_revive_an_old_handle(void **state) {
    session *s = *state;
    plait_body_desc sphere = s->body_source.desc;
    plait_body first, last;
    sphere.colliders = &s->body_source.colliders[1];
    sphere.collider_count = 1;
    assert_ok(plait_body_create(s->context, &sphere, &first));
    assert_ok(plait_body_destroy(first));
    for (int i = 0; i < 70000; ++i) {
        assert_ok(plait_body_create(s->context, &sphere, &last));
        assert_true(last.id != first.id);
        assert_result(plait_body_destroy(first), PLAIT_ERROR_INVALID_HANDLE);
        assert_ok(plait_body_destroy(last));
        assert_result(plait_body_destroy(last), PLAIT_ERROR_INVALID_HANDLE);
    }
    assert_alive(s);
}

static void PLAIT_CALL one_after_the_other(void *user, uint32_t count, plait_job job, void *argument) {
    (void)user;
    for (uint32_t i = 0; i < count; ++i) {
        job(argument, i);
    }
}

static plait_context_desc context_without_threads(plait_jobs *jobs) {
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    *jobs = (plait_jobs)PLAIT_JOBS_INIT;
    jobs->parallel_for = one_after_the_other;
    jobs->thread_count = 1;
    desc.jobs = jobs;
    return desc;
}

static void a_context_made_later_does_not_revive_an_old_handle(void **state) {
    plait_jobs jobs;
    plait_context_desc desc = context_without_threads(&jobs);
    plait_context first, last;
    uint32_t count = 0;
    (void)state;
    assert_ok(plait_context_create(&desc, &first));
    assert_ok(plait_context_destroy(first));
    for (int i = 0; i < 70000; ++i) {
        assert_ok(plait_context_create(&desc, &last));
        assert_true(last.id != first.id);
        assert_result(plait_backend_enumerate(first, &count, NULL), PLAIT_ERROR_INVALID_HANDLE);
        assert_ok(plait_context_destroy(last));
    }
}

static void the_256th_live_context_is_refused(void **state) {
    plait_jobs jobs;
    plait_context_desc desc = context_without_threads(&jobs);
    plait_context contexts[255], one_more = {1};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(contexts); ++i) {
        assert_ok(plait_context_create(&desc, &contexts[i]));
    }
    assert_result(plait_context_create(&desc, &one_more), PLAIT_ERROR_LIMIT);
    assert_true(one_more.id == 0);
    assert_ok(plait_context_destroy(contexts[100]));
    assert_ok(plait_context_create(&desc, &contexts[100]));
    for (size_t i = 0; i < COUNT_OF(contexts); ++i) {
        assert_ok(plait_context_destroy(contexts[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_call_works_with_its_live_handle, open_state, close_state),
        cmocka_unit_test_setup_teardown(the_null_handle_is_refused_by_every_call, open_state, close_state),
        cmocka_unit_test_setup_teardown(handles_of_another_kind_are_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(random_numbers_are_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(live_handles_with_one_or_two_bits_flipped_are_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_destroyed_object_is_gone_for_every_call, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_destroyed_context_takes_the_handles_of_its_objects_along, open_state,
                                        close_state),
        cmocka_unit_test_setup_teardown(stale_objects_cannot_be_used_to_make_a_hair, open_state, close_state),
        cmocka_unit_test_setup_teardown(objects_of_two_contexts_do_not_mix, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_slot_used_again_does_not_revive_an_old_handle, open_state, close_state),
        cmocka_unit_test(a_context_made_later_does_not_revive_an_old_handle),
        cmocka_unit_test(the_256th_live_context_is_refused),
    };
    return cmocka_run_group_tests_name("handles", tests, NULL, NULL);
}
