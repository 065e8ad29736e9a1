/* All memory comes from the host's allocator and goes back to it, whatever fails in between. */
#include "session.h"
#include "tracker.h"

#include <stdlib.h>
#include <string.h>

static void assert_balanced(const tracker *t) {
    assert_int_equal(t->live, 0);
    assert_int_equal(t->mistakes, 0);
}

static void what_a_session_takes_it_gives_back(void **state) {
    tracker memory;
    plait_allocator allocator;
    session_options options = {0};
    session *s;
    (void)state;
    tracker_open(&memory);
    allocator = tracker_allocator(&memory);
    options.allocator = &allocator;
    s = session_open(&options);
    session_run(s, 0, 10);
    assert_ok(plait_hair_destroy(s->hair));
    assert_ok(plait_semaphore_destroy(s->semaphore));
    assert_ok(plait_binding_destroy(s->binding));
    assert_ok(plait_body_destroy(s->body));
    assert_ok(plait_groom_destroy(s->groom));
    assert_ok(plait_device_close(s->device));
    assert_ok(plait_context_destroy(s->context));
    assert_int_equal(message_log_count(&s->log, PLAIT_MESSAGE_OBJECTS_LEFT), 0);
    message_log_close(&s->log);
    free(s);
    assert_true(memory.calls > 0);
    assert_balanced(&memory);
    tracker_close(&memory);
}

static void a_context_destroyed_with_objects_alive_frees_them_and_says_so(void **state) {
    tracker memory;
    plait_allocator allocator;
    session_options options = {0};
    session *s;
    (void)state;
    tracker_open(&memory);
    allocator = tracker_allocator(&memory);
    options.allocator = &allocator;
    s = session_open(&options);
    session_run(s, 0, 2);
    assert_ok(plait_groom_destroy(s->groom)); /* alive only through the hair */
    assert_ok(plait_context_destroy(s->context));
    assert_int_equal(message_log_count(&s->log, PLAIT_MESSAGE_OBJECTS_LEFT), 1);
    assert_int_equal(s->log.level, PLAIT_LOG_WARNING);
    message_log_close(&s->log);
    free(s);
    assert_balanced(&memory);
    tracker_close(&memory);
}

static void a_hair_keeps_what_it_was_made_from(void **state) {
    session *whole = session_open(NULL), *orphan = session_open(NULL);
    blob expected;
    (void)state;
    session_run(whole, 0, 10);
    expected = save(whole->hair);
    session_run(orphan, 0, 5);
    assert_ok(plait_device_close(orphan->device));
    assert_ok(plait_groom_destroy(orphan->groom));
    assert_ok(plait_body_destroy(orphan->body));
    session_run(orphan, 5, 5);
    assert_state(orphan->hair, &expected);
    assert_ok(plait_hair_set_params(orphan->hair, GROUPS, session_params(orphan)));
    assert_ok(plait_hair_reset(orphan->hair, BONES, orphan->bones[0]));
    session_run(orphan, 10, 5);
    assert_ok(plait_hair_set_body(orphan->hair, (plait_body){0}));
    session_run(orphan, 15, 5);
    assert_ok(plait_hair_destroy(orphan->hair));
    free_blob(&expected);
    session_close(whole);
    session_close(orphan);
}

static void a_body_shared_by_two_hairs_outlives_the_first(void **state) {
    session *s = session_open(NULL);
    session other = *s;
    plait_hair_desc desc = session_hair_desc(s);
    blob first, second;
    (void)state;
    assert_ok(plait_hair_create(s->context, &desc, &other.hair));
    assert_ok(plait_body_destroy(s->body));
    session_run(s, 0, 5);
    first = save(s->hair);
    assert_ok(plait_hair_destroy(s->hair));
    session_run(&other, 0, 5);
    second = save(other.hair);
    assert_true(same_blob(&first, &second));
    free_blob(&first);
    free_blob(&second);
    session_close(s);
}

/* Everything that may allocate, in sequence. Returns the first error; objects made before are left to the context.
 * The only failure is out of memory, and it gives no handle. */
static plait_result whole_life(session *s, const plait_context_desc *desc, plait_context *context) {
    plait_device device = {1}, second = {1};
    plait_device_cpu_desc cpu = PLAIT_DEVICE_CPU_DESC_INIT;
    plait_device_desc scalar = PLAIT_DEVICE_DESC_INIT;
    plait_groom groom = {1};
    plait_body body = {1};
    plait_hair hair = {1};
    plait_hair_desc hair_desc;
    plait_frame_desc frame = session_frame(s, 0);
    plait_settle_desc settle = PLAIT_SETTLE_DESC_INIT;
    static float memory[MAX_VERTICES * 3];
    plait_output_attribute attribute;
    plait_output_desc output =
        describe_dense(&attribute, PLAIT_ATTRIBUTE_PREVIOUS_POSITION, PLAIT_FORMAT_FLOAT32X3, memory, sizeof memory);
    plait_result result;

#define TRY(call, handle)                                                                                              \
    result = (call);                                                                                                   \
    if (result != PLAIT_OK) {                                                                                          \
        assert_result(result, PLAIT_ERROR_OUT_OF_MEMORY);                                                              \
        assert_true((handle) == 0);                                                                                    \
        return result;                                                                                                 \
    }
    cpu.instruction_set = PLAIT_CPU_SCALAR;
    scalar.backend = PLAIT_BACKEND_CPU;
    settle.max_speed = settle.max_acceleration = 1;
    settle.max_steps = 1;
    scalar.head.next = &cpu;
    TRY(plait_context_create(desc, context), context->id)
    TRY(plait_device_open(*context, NULL, &device), device.id)
    TRY(plait_groom_create(*context, &s->groom_source.desc, &groom), groom.id)
    TRY(plait_body_create(*context, &s->body_source.desc, &body), body.id)
    hair_desc = session_hair_desc(s);
    hair_desc.groom = groom;
    hair_desc.device = device;
    hair_desc.body.id = 0;
    TRY(plait_hair_create(*context, &hair_desc, &hair), hair.id)
    TRY(plait_hair_set_body(hair, body), 0)
    TRY(plait_hair_set_output(hair, &output), 0)
    TRY(plait_hair_set_params(hair, GROUPS, session_params(s)), 0)
    TRY(plait_hair_step(hair, &frame), 0)
    TRY(plait_hair_settle(hair, &settle, NULL), 0)
    TRY(plait_hair_set_body(hair, (plait_body){0}), 0)
    TRY(plait_hair_read(hair, &output), 0)
    TRY(plait_device_open(*context, &scalar, &second), second.id)
    TRY(plait_hair_set_device(hair, second), 0)
    TRY(plait_hair_set_output(hair, NULL), 0)
    TRY(plait_hair_step(hair, &frame), 0)
    TRY(plait_hair_destroy(hair), 0)
#undef TRY
    return PLAIT_OK;
}

/* Counts errors that speak of the allocator. */
static void PLAIT_CALL count_complaints(void *user, uint32_t level, int32_t id, const char *text) {
    (void)level;
    *(uint32_t *)user += id == PLAIT_ERROR_OUT_OF_MEMORY && strstr(text, "allocator") != NULL;
}

/* As malloc does it, whose memory is aligned to 16 bytes and to more only by luck. */
static void misaligned_memory_is_given_back_and_refused_at_any_call(void **state) {
    session *s = session_open(NULL);
    int failed = 1;
    (void)state;
    for (uint64_t n = 0; failed; ++n) {
        tracker memory;
        plait_allocator allocator;
        plait_logger logger = PLAIT_LOGGER_INIT;
        plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
        plait_context context = {1};
        uint32_t complaints = 0;

        tracker_open(&memory);
        memory.fail_from = n;
        memory.fail_to = n + 1;
        memory.misalign = 16;
        allocator = tracker_allocator(&memory);
        logger.user = &complaints;
        logger.log = count_complaints;
        desc.allocator = &allocator;
        desc.logger = &logger;
        desc.thread_count = 2;
        failed = whole_life(s, &desc, &context) < 0;
        assert_int_equal(failed, memory.calls > n);
        assert_int_equal(complaints, failed);
        if (context.id != 0) {
            assert_ok(plait_context_destroy(context));
        }
        assert_balanced(&memory);
        tracker_close(&memory);
        assert_true(n < 1000);
    }
    session_close(s);
}

static void memory_may_run_out_at_any_call(void **state) {
    session *s = session_open(NULL);
    (void)state;
    for (int lasting = 0; lasting < 2; ++lasting) {
        int failed = 1;
        for (uint64_t n = 0; failed; ++n) {
            tracker memory;
            plait_allocator allocator;
            plait_logger logger = message_log_logger(&s->log, PLAIT_LOG_DEBUG);
            plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
            plait_context context = {1};
            plait_result result;

            tracker_open(&memory);
            memory.fail_from = n;
            memory.fail_to = lasting ? UINT64_MAX : n + 1;
            allocator = tracker_allocator(&memory);
            desc.allocator = &allocator;
            desc.logger = &logger;
            desc.thread_count = 2;
            result = whole_life(s, &desc, &context);
            failed = memory.calls > n;
            assert_int_equal(result < 0, failed);
            if (context.id != 0) {
                assert_ok(plait_context_destroy(context));
            }
            assert_balanced(&memory);
            tracker_close(&memory);
            assert_true(n < 1000);
        }
    }
    session_close(s);
}

/* A hair that ran out of memory in set_body or set_output continues as before. */
static void a_call_that_finds_no_memory_changes_nothing(void **state) {
    session *expected = session_open(NULL), *s;
    tracker memory;
    plait_allocator allocator;
    session_options options = {0};
    float *where;
    plait_output_attribute attribute;
    plait_output_desc output;
    blob end;
    (void)state;
    tracker_open(&memory);
    allocator = tracker_allocator(&memory);
    options.allocator = &allocator;
    s = session_open(&options);
    where = malloc(12 * (size_t)s->groom_source.vertex_count);
    assert_non_null(where);
    output = describe_dense(&attribute, PLAIT_ATTRIBUTE_PREVIOUS_POSITION, PLAIT_FORMAT_FLOAT32X3, where,
                            12 * (uint64_t)s->groom_source.vertex_count);
    session_run(s, 0, 4);
    memory.fail_from = memory.calls;
    if (plait_hair_set_output(s->hair, &output) == PLAIT_OK) { /* it may not have needed memory */
        assert_ok(plait_hair_set_output(s->hair, NULL));
    }
    free(where);
    plait_result result = plait_hair_set_body(s->hair, s->body);
    assert_true(result == PLAIT_OK || result == PLAIT_ERROR_OUT_OF_MEMORY);
    session_run(s, 4, 4);
    session_run(expected, 0, 8);
    end = save(expected->hair);
    memory.fail_from = UINT64_MAX;
    assert_state(s->hair, &end);
    free_blob(&end);
    session_close(expected);
    session_close(s);
    assert_balanced(&memory);
    tracker_close(&memory);
}

/* Only setting a body or an output may allocate. */
static void running_allocates_nothing(void **state) {
    tracker memory;
    plait_allocator allocator;
    session_options options = {.copies = WHOLE_HEAD};
    session *s;
    uint64_t before;
    (void)state;
    tracker_open(&memory);
    allocator = tracker_allocator(&memory);
    options.allocator = &allocator;
    s = session_open(&options);
    before = memory.calls;
    session_run(s, 0, 10);
    assert_ok(plait_hair_reset(s->hair, BONES, s->bones[0]));
    assert_ok(plait_hair_teleport(s->hair, BONES, s->bones[0]));
    session_run(s, 10, 10);
    assert_int_equal(memory.calls, before);
    session_close(s);
    assert_balanced(&memory);
    tracker_close(&memory);
}

static void looking_at_a_hair_allocates_nothing(void **state) {
    tracker memory;
    plait_allocator allocator;
    session_options options = {0};
    session *s;
    uint64_t before;
    blob saved;
    (void)state;
    tracker_open(&memory);
    allocator = tracker_allocator(&memory);
    options.allocator = &allocator;
    s = session_open(&options);
    before = memory.calls;
    free(read_positions(s));
    assert_int_equal(memory.calls, before);
    saved = save(s->hair);
    assert_int_equal(memory.calls, before);
    assert_ok(plait_hair_load(s->hair, saved.bytes, saved.size));
    assert_int_equal(memory.calls, before);
    assert_ok(plait_hair_set_params(s->hair, GROUPS, session_params(s)));
    assert_int_equal(memory.calls, before);
    free_blob(&saved);
    session_close(s);
    assert_balanced(&memory);
    tracker_close(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_session_takes_it_gives_back),
        cmocka_unit_test(a_context_destroyed_with_objects_alive_frees_them_and_says_so),
        cmocka_unit_test(a_hair_keeps_what_it_was_made_from),
        cmocka_unit_test(a_body_shared_by_two_hairs_outlives_the_first),
        cmocka_unit_test(memory_may_run_out_at_any_call),
        cmocka_unit_test(misaligned_memory_is_given_back_and_refused_at_any_call),
        cmocka_unit_test(a_call_that_finds_no_memory_changes_nothing),
        cmocka_unit_test(running_allocates_nothing),
        cmocka_unit_test(looking_at_a_hair_allocates_nothing),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
