/* Many hairs in one call: all are stepped or none, errors name the element, and semaphores work as in single calls. */
#include "session.h"
#include "tracker.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { HAIRS = 4 };

/* A session with more hairs, [0] its own, and a frame for each. */
typedef struct crowd {
    session *s;
    plait_hair hairs[HAIRS];
    plait_frame_desc frames[HAIRS];
    blob before[HAIRS];
} crowd;

static void reset_frames(crowd *c) {
    for (uint32_t i = 0; i < HAIRS; ++i) {
        c->frames[i] = session_frame(c->s, 1);
    }
}

static crowd *crowd_open(const session_options *options) {
    crowd *c = calloc(1, sizeof *c);
    plait_hair_desc desc;
    c->s = session_open(options);
    c->hairs[0] = c->s->hair;
    desc = session_hair_desc(c->s);
    for (uint32_t i = 1; i < HAIRS; ++i) {
        assert_ok(plait_hair_create(c->s->context, &desc, &c->hairs[i]));
    }
    reset_frames(c);
    return c;
}

static void crowd_close(crowd *c) {
    for (uint32_t i = 1; i < HAIRS; ++i) {
        assert_ok(plait_hair_destroy(c->hairs[i]));
    }
    session_close(c->s);
    free(c);
}

/* Steps, expects this result, one that names the argument, and that no hair has moved or is in use. */
static void expect_refusal(crowd *c, plait_result expected, const char *argument) {
    for (uint32_t i = 0; i < HAIRS; ++i) {
        c->before[i] = save(c->hairs[i]);
    }
    c->s->log.text[0] = 0;
    assert_result(plait_hairs_step(c->s->context, HAIRS, c->hairs, c->frames), expected);
    if (!strstr(c->s->log.text, argument)) {
        fail_msg("\"%s\" does not name %s", c->s->log.text, argument);
    }
    for (uint32_t i = 0; i < HAIRS; ++i) {
        assert_state(c->hairs[i], &c->before[i]);
        free_blob(&c->before[i]);
    }
    reset_frames(c);
}

/* The same with another handle in one place. */
static void expect_no_hair(crowd *c, uint64_t id, plait_result expected, const char *argument) {
    plait_hair hairs[HAIRS];
    blob before = save(c->hairs[0]);
    memcpy(hairs, c->hairs, sizeof hairs);
    hairs[2].id = id;
    c->s->log.text[0] = 0;
    assert_result(plait_hairs_step(c->s->context, HAIRS, hairs, c->frames), expected);
    if (!strstr(c->s->log.text, argument)) {
        fail_msg("\"%s\" does not name %s", c->s->log.text, argument);
    }
    assert_state(c->hairs[0], &before);
    free_blob(&before);
}

static void a_wrong_handle_is_named_and_nothing_moves(void **state) {
    crowd *c = crowd_open(NULL);
    session *other = session_open(NULL);
    plait_hair stale;
    plait_hair_desc desc = session_hair_desc(c->s);
    (void)state;
    assert_ok(plait_hair_create(c->s->context, &desc, &stale));
    assert_ok(plait_hair_destroy(stale));
    expect_no_hair(c, 0, PLAIT_ERROR_INVALID_HANDLE, "hairs[2]");
    expect_no_hair(c, stale.id, PLAIT_ERROR_INVALID_HANDLE, "hairs[2]");
    expect_no_hair(c, c->s->groom.id, PLAIT_ERROR_INVALID_HANDLE, "hairs[2]");
    expect_no_hair(c, other->hair.id, PLAIT_ERROR_FOREIGN_HANDLE, "hairs[2]");
    expect_no_hair(c, c->hairs[1].id, PLAIT_ERROR_INVALID_ARGUMENT, "hairs[2] is hairs[1] again");
    assert_result(plait_hairs_step((plait_context){0}, HAIRS, c->hairs, c->frames), PLAIT_ERROR_INVALID_HANDLE);
    assert_result(plait_hairs_step(other->context, HAIRS, c->hairs, c->frames), PLAIT_ERROR_FOREIGN_HANDLE);
    assert_result(plait_hairs_step(c->s->context, HAIRS, NULL, c->frames), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_result(plait_hairs_step(c->s->context, HAIRS, c->hairs, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_ok(plait_hairs_step(c->s->context, 0, NULL, NULL));
    assert_ok(plait_hairs_step(c->s->context, HAIRS, c->hairs, c->frames));
    session_close(other);
    crowd_close(c);
}

static void a_wrong_frame_is_named_and_nothing_moves(void **state) {
    crowd *c = crowd_open(NULL);
    plait_mesh_pose_desc mesh = PLAIT_MESH_POSE_DESC_INIT;
    plait_settle_desc settle = PLAIT_SETTLE_DESC_INIT;
    float bones[BONES][12] = {{0}};
    (void)state;
    c->frames[3].dt = -1;
    expect_refusal(c, PLAIT_ERROR_INVALID_ARGUMENT, "frames[3].dt");
    c->frames[2].wind[1] = NAN;
    expect_refusal(c, PLAIT_ERROR_INVALID_ARGUMENT, "frames[2].wind[1]");
    c->frames[1].origin[2] = 1e14;
    expect_refusal(c, PLAIT_ERROR_INVALID_ARGUMENT, "frames[1].origin[2]");
    c->frames[0].reserved = 1;
    expect_refusal(c, PLAIT_ERROR_INVALID_ARGUMENT, "frames[0].reserved");
    c->frames[3].bones = bones[0];
    expect_refusal(c, PLAIT_ERROR_INVALID_ARGUMENT, "frames[3].bones[0]");
    c->frames[3].bone_count = 1;
    expect_refusal(c, PLAIT_ERROR_INVALID_ARGUMENT, "frames[3].bone_count");
    c->frames[2].head.next = &mesh;
    expect_refusal(c, PLAIT_ERROR_INVALID_ARGUMENT, "frames[2]: mesh");
    c->frames[2].head.next = &settle;
    expect_refusal(c, PLAIT_ERROR_UNKNOWN_EXTENSION, "frames[2].head.next");
    c->frames[1].head.type++;
    expect_refusal(c, PLAIT_ERROR_INVALID_STRUCT, "frames[1].head.type");
    c->frames[1].head.size += 8;
    expect_refusal(c, PLAIT_ERROR_INVALID_STRUCT, "frames[1]");
    assert_ok(plait_hairs_step(c->s->context, HAIRS, c->hairs, c->frames));
    crowd_close(c);
}

/* A host's job system that tries to step a hair of the call. */
typedef struct intruder {
    crowd *c;
    uint32_t tries, busy;
} intruder;

static void PLAIT_CALL intrude(void *user, uint32_t count, plait_job job, void *argument) {
    intruder *guest = user;
    if (guest->c) {
        crowd *c = guest->c;
        guest->c = NULL;
        guest->tries += 2;
        guest->busy += plait_hair_step(c->hairs[1], &c->frames[1]) == PLAIT_ERROR_BUSY;
        guest->busy += plait_hairs_step(c->s->context, 1, &c->hairs[2], &c->frames[2]) == PLAIT_ERROR_BUSY;
    }
    for (uint32_t i = 0; i < count; ++i) {
        job(argument, i);
    }
}

static void hairs_of_a_call_are_busy_until_it_ends(void **state) {
    intruder guest = {0};
    plait_jobs jobs = PLAIT_JOBS_INIT;
    session_options options = {0};
    crowd *c;
    (void)state;
    jobs.user = &guest;
    jobs.parallel_for = intrude;
    jobs.thread_count = 2;
    options.jobs = &jobs;
    c = crowd_open(&options);
    guest.c = c;
    assert_ok(plait_hairs_step(c->s->context, HAIRS, c->hairs, c->frames));
    assert_int_equal(guest.tries, 2);
    assert_int_equal(guest.busy, 2);
    assert_ok(plait_hairs_step(c->s->context, HAIRS, c->hairs, c->frames));
    crowd_close(c);
}

static void stepping_allocates_nothing(void **state) {
    tracker memory;
    plait_allocator allocator;
    session_options options = {0};
    crowd *c;
    uint64_t calls;
    (void)state;
    tracker_open(&memory);
    allocator = tracker_allocator(&memory);
    options.allocator = &allocator;
    options.thread_count = 2;
    options.copies = WHOLE_HEAD;
    c = crowd_open(&options);
    calls = memory.calls;
    for (int i = 0; i < 3; ++i) {
        assert_ok(plait_hairs_step(c->s->context, HAIRS, c->hairs, c->frames));
    }
    assert_true(memory.calls == calls);
    crowd_close(c);
    assert_true(memory.live == 0 && memory.mistakes == 0);
    tracker_close(&memory);
}

static uint64_t value_of(plait_semaphore semaphore) {
    uint64_t value = 99;
    assert_ok(plait_semaphore_query(semaphore, &value));
    return value;
}

/* Each frame waits for the one before, by the same semaphore. */
static void frames_may_wait_for_those_before_them(void **state) {
    crowd *c = crowd_open(NULL);
    plait_frame_sync_desc syncs[HAIRS];
    plait_semaphore semaphore;
    (void)state;
    assert_ok(plait_semaphore_create(c->s->device, NULL, &semaphore));
    for (uint32_t i = 0; i < HAIRS; ++i) {
        syncs[i] = (plait_frame_sync_desc)PLAIT_FRAME_SYNC_DESC_INIT;
        syncs[i].wait_semaphore = syncs[i].signal_semaphore = semaphore;
        syncs[i].wait_value = i;
        syncs[i].signal_value = i + 1;
        c->frames[i].head.next = &syncs[i];
    }
    assert_ok(plait_hairs_step(c->s->context, HAIRS, c->hairs, c->frames));
    assert_true(value_of(semaphore) == HAIRS);

    reset_frames(c); /* values that do not grow, of which the second is refused */
    syncs[0].signal_value = syncs[1].signal_value = 7;
    c->frames[1].head.next = &syncs[0];
    c->frames[2].head.next = &syncs[1];
    expect_refusal(c, PLAIT_ERROR_INVALID_ARGUMENT, "frames[2]: signal_value");
    assert_true(value_of(semaphore) == HAIRS);
    assert_ok(plait_semaphore_signal(semaphore, 7)); /* no promise is left behind */
    assert_ok(plait_semaphore_destroy(semaphore));
    crowd_close(c);
}

static void refused_frames_signal_unless_they_cannot_be_read(void **state) {
    crowd *c = crowd_open(NULL);
    plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
    plait_semaphore semaphore;
    (void)state;
    assert_ok(plait_semaphore_create(c->s->device, NULL, &semaphore));
    sync.signal_semaphore = semaphore;
    sync.signal_value = 1;
    c->frames[0].head.next = &sync;
    c->frames[3].head.type++;
    expect_refusal(c, PLAIT_ERROR_INVALID_STRUCT, "frames[3].head.type");
    assert_true(value_of(semaphore) == 0);
    c->frames[0].head.next = &sync;
    c->frames[3].dt = -1;
    expect_refusal(c, PLAIT_ERROR_INVALID_ARGUMENT, "frames[3].dt");
    assert_true(value_of(semaphore) == 1);
    assert_ok(plait_semaphore_destroy(semaphore));
    crowd_close(c);
}

typedef struct listener {
    pthread_t caller;
    uint32_t clamped, elsewhere;
} listener;

static void PLAIT_CALL listen_to(void *user, uint32_t level, int32_t id, const char *text) {
    listener *l = user;
    (void)level, (void)text;
    l->clamped += id == PLAIT_MESSAGE_TIME_CLAMPED;
    l->elsewhere += !pthread_equal(pthread_self(), l->caller);
}

static void what_happened_to_hairs_is_told_by_the_calling_thread(void **state) {
    listener ears = {0};
    plait_logger logger = PLAIT_LOGGER_INIT;
    session_options options = {0};
    crowd *c;
    (void)state;
    ears.caller = pthread_self();
    logger.user = &ears;
    logger.log = listen_to;
    logger.min_level = PLAIT_LOG_DEBUG;
    options.logger = &logger;
    options.thread_count = 4;
    c = crowd_open(&options);
    for (int n = 0; n < 20; ++n) {
        for (uint32_t i = 0; i < HAIRS; ++i) {
            c->frames[i].dt = 10;
        }
        assert_ok(plait_hairs_step(c->s->context, HAIRS, c->hairs, c->frames));
    }
    assert_int_equal(ears.clamped, 20 * HAIRS);
    assert_int_equal(ears.elsewhere, 0);
    crowd_close(c);
}

/* A thread that steps whatever hair there is, while others are made and destroyed. */
typedef struct stepper {
    plait_context context;
    atomic_ullong hair; /* 0: none */
    atomic_int ends;
    plait_frame_desc frame;
} stepper;

static void *step_what_there_is(void *argument) {
    stepper *s = argument;
    while (!atomic_load(&s->ends)) {
        plait_hair hair = {atomic_load(&s->hair)};
        if (hair.id) {
            plait_hairs_step(s->context, 1, &hair, &s->frame);
        }
    }
    return NULL;
}

/* Output memory belongs to the host again when the call that destroys the hair returns. */
static void a_destroyed_hair_is_not_stepped_any_more(void **state) {
    enum { ROUNDS = 2000, UNTOUCHED = 0x7f };
    session *s = session_open(NULL);
    plait_hair_desc desc = session_hair_desc(s);
    stepper shared = {.context = s->context, .frame = session_frame(s, 1)};
    pthread_t threads[2];
    size_t size = (size_t)s->vertex_count * 12;
    unsigned char *memory = malloc(size);
    plait_output_attribute attribute = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
    (void)state;
    assert_non_null(memory);
    attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
    attribute.format = PLAIT_FORMAT_FLOAT32X3;
    attribute.stride = 12;
    output.attribute_count = 1;
    output.attributes = &attribute;
    output.memory = memory;
    output.size = size;
    for (int t = 0; t < 2; ++t) {
        assert_int_equal(pthread_create(&threads[t], NULL, step_what_there_is, &shared), 0);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        plait_hair hair;
        plait_result result;
        size_t touched = 0;
        assert_ok(plait_hair_create(s->context, &desc, &hair));
        assert_ok(plait_hair_set_output(hair, &output));
        atomic_store(&shared.hair, hair.id);
        do {
            result = plait_hair_destroy(hair);
        } while (result == PLAIT_ERROR_BUSY);
        assert_ok(result);
        memset(memory, UNTOUCHED, size);
        atomic_store(&shared.hair, 0);
        for (int look = 0; look < 20; ++look) {
            for (size_t i = 0; i < size; ++i) {
                touched += memory[i] != UNTOUCHED;
            }
        }
        assert_int_equal(touched, 0);
    }
    atomic_store(&shared.ends, 1);
    for (int t = 0; t < 2; ++t) {
        pthread_join(threads[t], NULL);
    }
    free(memory);
    session_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_handle_is_named_and_nothing_moves),
        cmocka_unit_test(a_wrong_frame_is_named_and_nothing_moves),
        cmocka_unit_test(hairs_of_a_call_are_busy_until_it_ends),
        cmocka_unit_test(stepping_allocates_nothing),
        cmocka_unit_test(frames_may_wait_for_those_before_them),
        cmocka_unit_test(refused_frames_signal_unless_they_cannot_be_read),
        cmocka_unit_test(what_happened_to_hairs_is_told_by_the_calling_thread),
        cmocka_unit_test(a_destroyed_hair_is_not_stepped_any_more),
    };
    return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
