/* Messages: errors name their argument, levels are respected, and each context logs to its own logger only. */
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int open_state(void **state) {
    *state = session_open(NULL);
    return 0;
}

static int close_state(void **state) {
    session_close(*state);
    return 0;
}

/* Fails the test unless the call failed and the log got one error that names this. */
static void assert_named(session *s, plait_result result, const char *argument) {
    assert_true(result < 0);
    assert_int_equal(s->log.id, result);
    assert_int_equal(s->log.level, PLAIT_LOG_ERROR);
    if (!strstr(s->log.text, argument)) {
        print_error("\"%s\" does not name %s\n", s->log.text, argument);
        fail();
    }
    s->log.text[0] = 0;
    s->log.id = 0;
}

static void errors_name_the_argument(void **state) {
    session *s = *state;
    plait_groom groom;
    plait_body body;
    plait_hair hair;
    uint64_t size = 0;
    unsigned char blob[8] = {0};
    plait_groom_desc groom_desc = s->groom_source.desc;
    plait_hair_desc hair_desc = session_hair_desc(s);
    plait_frame_desc frame = session_frame(s, 0);
    plait_settle_desc settle = PLAIT_SETTLE_DESC_INIT;
    float bones[BONES][12] = {{0}};

    groom_desc.strand_count = 0;
    assert_named(s, plait_groom_create(s->context, &groom_desc, &groom), "strand_count");
    groom_desc = s->groom_source.desc;
    groom_desc.positions = NULL;
    assert_named(s, plait_groom_create(s->context, &groom_desc, &groom), "positions");
    groom_desc = s->groom_source.desc;
    groom_desc.bone_count = 0;
    assert_named(s, plait_groom_create(s->context, &groom_desc, &groom), "bone_count");
    assert_named(s, plait_groom_create(s->context, NULL, &groom), "desc");
    assert_named(s, plait_groom_create(s->context, &groom_desc, NULL), "groom");

    s->body_source.colliders[1].kind = 9;
    assert_named(s, plait_body_create(s->context, &s->body_source.desc, &body), "colliders[1]");
    s->body_source.colliders[1].kind = PLAIT_COLLIDER_SPHERE;
    s->body_source.colliders[2].friction = -1;
    assert_named(s, plait_body_create(s->context, &s->body_source.desc, &body), "colliders[2]");

    hair_desc.solver = 99;
    assert_named(s, plait_hair_create(s->context, &hair_desc, &hair), "solver");
    hair_desc = session_hair_desc(s);
    hair_desc.step_rate_hz = NAN;
    assert_named(s, plait_hair_create(s->context, &hair_desc, &hair), "step_rate_hz");
    hair_desc = session_hair_desc(s);
    hair_desc.groom.id = 7;
    assert_named(s, plait_hair_create(s->context, &hair_desc, &hair), "groom");
    hair_desc = session_hair_desc(s);
    hair_desc.params_count = 77;
    assert_named(s, plait_hair_create(s->context, &hair_desc, &hair), "params_count");

    frame.dt = NAN;
    assert_named(s, plait_hair_step(s->hair, &frame), "frame.dt is nan, not 0 or more and finite");
    plait_binding_desc binding_desc = PLAIT_BINDING_DESC_INIT;
    plait_binding binding;
    binding_desc.guides = binding_desc.render = s->groom;
    binding_desc.shape_weight = -1; /* 0 means something else, but lies within the range */
    assert_named(s, plait_binding_create(s->context, &binding_desc, &binding), "shape_weight is -1, not 0 to 100");
    frame = session_frame(s, 0);
    frame.wind[2] = INFINITY;
    assert_named(s, plait_hair_step(s->hair, &frame), "wind");
    frame = session_frame(s, 0);
    frame.gravity[0] = INFINITY;
    assert_named(s, plait_hair_step(s->hair, &frame), "gravity");
    frame = session_frame(s, 0);
    frame.origin[1] = NAN;
    assert_named(s, plait_hair_step(s->hair, &frame), "origin[1] is nan, not -1e+13 to 1e+13");
    frame.origin[1] = -1.1e13;
    assert_named(s, plait_hair_step(s->hair, &frame), "origin[1]");
    frame = session_frame(s, 0);
    frame.bones = bones[0];
    assert_named(s, plait_hair_step(s->hair, &frame), "bones[0]");
    frame = session_frame(s, 0);
    frame.head.type = 0;
    assert_named(s, plait_hair_step(s->hair, &frame), "frame");

    s->params[1].drag_per_s = s->rods[1].drag_per_s = NAN;
    assert_named(s, plait_hair_set_params(s->hair, GROUPS, session_params(s)), "drag_per_s");
    assert_named(s, plait_hair_settle(s->hair, NULL, NULL), "desc");
    assert_named(s, plait_hair_settle(s->hair, &settle, NULL), "max_speed");
    settle.max_speed = 1;
    assert_named(s, plait_hair_settle(s->hair, &settle, NULL), "max_acceleration");
    settle.max_acceleration = 1;
    assert_named(s, plait_hair_settle(s->hair, &settle, NULL), "max_steps");
    settle.max_steps = 10000001;
    assert_named(s, plait_hair_settle(s->hair, &settle, NULL), "max_steps");
    settle.max_steps = 1;
    settle.gravity[2] = NAN;
    assert_named(s, plait_hair_settle(s->hair, &settle, NULL), "gravity[2]");
    settle.gravity[2] = 0;
    settle.wind[0] = INFINITY;
    assert_named(s, plait_hair_settle(s->hair, &settle, NULL), "wind[0]");
    assert_named(s, plait_hair_state_size(s->hair, NULL), "size");
    assert_named(s, plait_hair_save(s->hair, NULL, size), "memory");
    assert_named(s, plait_hair_save(s->hair, blob, sizeof blob), "size");
    assert_named(s, plait_hair_read(s->hair, NULL), "output");
}

/* Opens a device and makes mistakes; returns the messages. */
static message_log listen(uint32_t min_level) {
    message_log log;
    plait_logger logger;
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    plait_context context;
    plait_groom groom;
    message_log_open(&log);
    logger = message_log_logger(&log, min_level);
    desc.logger = &logger;
    assert_ok(plait_context_create(&desc, &context));
    open_device(context, 0, 0);
    assert_true(plait_groom_create(context, NULL, &groom) < 0);
    assert_ok(plait_context_destroy(context)); /* with the device still open */
    message_log_close(&log);
    return log;
}

static uint32_t heard(const message_log *log, int32_t id) { return log->counts[id + 32]; }

static void PLAIT_CALL run_all(void *user, uint32_t count, plait_job job, void *argument) {
    (void)user;
    for (uint32_t i = 0; i < count; ++i) {
        job(argument, i);
    }
}

/* A context that is refused says which field it is. */
static void what_is_wrong_with_a_context_is_named_alone(void **state) {
    (void)state;
    message_log log;
    message_log_open(&log);
    plait_logger logger = message_log_logger(&log, PLAIT_LOG_WARNING);
    plait_jobs jobs = PLAIT_JOBS_INIT;
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    plait_context context;
    desc.logger = &logger;
    desc.jobs = &jobs;
    jobs.parallel_for = run_all;
    assert_int_equal(plait_context_create(&desc, &context), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(log.text, "desc.jobs.thread_count is 0"));
    assert_null(strstr(log.text, "reserved"));
    jobs.thread_count = 1;
    jobs.reserved = 1;
    assert_int_equal(plait_context_create(&desc, &context), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(log.text, "desc.jobs.reserved"));
    assert_null(strstr(log.text, "thread_count"));
    jobs.reserved = 0;
    desc.reserved = 1;
    assert_int_equal(plait_context_create(&desc, &context), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(log.text, "desc.reserved"));
    assert_null(strstr(log.text, "thread_count"));
    message_log_close(&log);
}

static void messages_below_the_level_are_not_made(void **state) {
    message_log all = listen(PLAIT_LOG_INFO), warnings = listen(PLAIT_LOG_WARNING);
    message_log usual = listen(0), errors = listen(PLAIT_LOG_ERROR);
    (void)state;
    assert_int_equal(heard(&all, PLAIT_MESSAGE_DEVICE_OPENED), 1);
    assert_int_equal(heard(&all, PLAIT_MESSAGE_OBJECTS_LEFT), 1);
    assert_int_equal(heard(&all, PLAIT_ERROR_INVALID_ARGUMENT), 1);
    assert_int_equal(heard(&warnings, PLAIT_MESSAGE_DEVICE_OPENED), 0);
    assert_int_equal(heard(&warnings, PLAIT_MESSAGE_OBJECTS_LEFT), 1);
    assert_int_equal(heard(&warnings, PLAIT_ERROR_INVALID_ARGUMENT), 1);
    assert_int_equal(heard(&usual, PLAIT_MESSAGE_DEVICE_OPENED), 0);
    assert_int_equal(heard(&usual, PLAIT_MESSAGE_OBJECTS_LEFT), 1);
    assert_int_equal(heard(&usual, PLAIT_ERROR_INVALID_ARGUMENT), 1);
    assert_int_equal(heard(&errors, PLAIT_MESSAGE_OBJECTS_LEFT), 0);
    assert_int_equal(heard(&errors, PLAIT_ERROR_INVALID_ARGUMENT), 1);
}

static void a_context_speaks_to_its_own_logger(void **state) {
    session *s = *state;
    session *other = session_open(NULL);
    uint32_t before = other->log.count;
    plait_groom groom;
    assert_true(plait_groom_create(s->context, NULL, &groom) < 0);
    assert_int_equal(other->log.count, before);
    session_close(other);
}

static void what_succeeds_makes_no_errors_or_warnings(void **state) {
    session *s = *state;
    session_run(s, 0, 30);
    for (int32_t id = PLAIT_ERROR_SYSTEM; id < 0; ++id) {
        assert_int_equal(message_log_count(&s->log, id), 0);
    }
    assert_int_equal(message_log_count(&s->log, PLAIT_MESSAGE_STRANDS_RESET), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(errors_name_the_argument, open_state, close_state),
        cmocka_unit_test(what_is_wrong_with_a_context_is_named_alone),
        cmocka_unit_test(messages_below_the_level_are_not_made),
        cmocka_unit_test_setup_teardown(a_context_speaks_to_its_own_logger, open_state, close_state),
        cmocka_unit_test_setup_teardown(what_succeeds_makes_no_errors_or_warnings, open_state, close_state),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
