/* plait_hair_settle: brings hair to rest within the given limits, in no simulated time, under the host's control. */
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int open_state(void **state) {
    session *s = session_open(NULL);
    session_run(s, 0, 5);
    *state = s;
    return 0;
}

static int close_state(void **state) {
    session_close(*state);
    return 0;
}

static plait_settle_desc falling(uint32_t max_steps) {
    plait_settle_desc desc = PLAIT_SETTLE_DESC_INIT;
    desc.gravity[1] = -9.81f;
    desc.max_speed = 1e-3f;
    desc.max_acceleration = 0.02f;
    desc.max_steps = max_steps;
    return desc;
}

/* The session's hair without its first strand, one segment that solver shape lets swing by millimetres. */
static void leave_the_first_out(session *s) {
    plait_groom_desc groom = s->groom_source.desc;
    plait_hair_desc hair;
    groom.strand_count--;
    groom.positions += 3 * groom.vertex_counts[0];
    groom.radii += groom.vertex_counts[0];
    groom.vertex_counts++;
    groom.root_bindings++;
    groom.root_normals += 3;
    groom.group_indices++;
    groom.held_counts++;
    s->vertex_count -= s->groom_source.vertex_counts[0];
    assert_ok(plait_hair_destroy(s->hair));
    assert_ok(plait_groom_destroy(s->groom));
    assert_ok(plait_groom_create(s->context, &groom, &s->groom));
    hair = session_hair_desc(s);
    assert_ok(plait_hair_create(s->context, &hair, &s->hair));
    session_run(s, 0, 5);
}

static void a_hair_comes_to_rest_and_stays_there(void **state) {
    session *s = *state;
    plait_settle_desc desc = falling(20000);
    plait_settle_info info = PLAIT_SETTLE_INFO_INIT;
    plait_frame_desc frame = session_frame(s, 4); /* the bones of the last frame */
    float *before, *after;
    double moved = 0;
    leave_the_first_out(s);
    assert_ok(plait_hair_settle(s->hair, &desc, &info));
    print_message("settled after %u steps: %g m/s, %g m/s^2\n", info.step_count, (double)info.speed,
                  (double)info.acceleration);
    assert_int_equal(info.settled, 1);
    assert_in_range(info.step_count, 1, 19999);
    assert_true(info.speed <= desc.max_speed && info.acceleration <= desc.max_acceleration);
    before = read_positions(s);
    memset(frame.wind, 0, sizeof frame.wind);
    for (int i = 0; i < 10; ++i) {
        assert_ok(plait_hair_step(s->hair, &frame));
    }
    after = read_positions(s);
    for (uint32_t i = 0; i < 3 * s->vertex_count; ++i) {
        moved += fabs((double)after[i] - before[i]) / s->vertex_count;
    }
    print_message("then moved by %g m\n", moved);
    assert_true(moved < 1e-3);
    free(before);
    free(after);
}

/* The hair was between two steps: the carried time of the frame is kept. */
static void time_does_not_pass(void **state) {
    session *s = *state;
    plait_settle_desc desc = falling(10);
    plait_frame_desc frame = session_frame(s, 5);
    plait_hair_info before = PLAIT_HAIR_INFO_INIT, after = PLAIT_HAIR_INFO_INIT;
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    frame.dt = 0.025f;
    assert_ok(plait_hair_step(s->hair, &frame));
    assert_ok(plait_hair_query(s->hair, &before));
    assert_ok(plait_hair_settle(s->hair, &desc, NULL));
    assert_ok(plait_hair_query(s->hair, &after));
    assert_true(after.time_s == before.time_s);
    assert_int_equal(after.step_count, before.step_count);
    assert_ok(plait_hair_stats(s->hair, &stats));
    assert_int_equal(stats.step_count, before.step_count);
    assert_int_equal(stats.frame_count, 6);
    frame.dt = 1.0f / 120;
    assert_ok(plait_hair_step(s->hair, &frame));
    assert_ok(plait_hair_query(s->hair, &after));
    assert_int_equal(after.step_count, before.step_count + 1);
}

static void giving_up_is_no_error(void **state) {
    session *s = *state;
    plait_settle_desc desc = falling(3);
    plait_settle_info info = PLAIT_SETTLE_INFO_INIT;
    desc.max_speed = desc.max_acceleration = 1e-20f;
    assert_ok(plait_hair_settle(s->hair, &desc, &info));
    assert_int_equal(info.settled, 0);
    assert_int_equal(info.step_count, 3);
    assert_true(info.speed > 0 && info.acceleration > 0);
}

static void the_output_is_written(void **state) {
    session *s = *state;
    plait_settle_desc desc = falling(5);
    static float memory[MAX_VERTICES * 3];
    plait_output_attribute attribute;
    plait_output_desc output =
        describe_dense(&attribute, PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, memory, sizeof memory);
    float *positions;
    assert_ok(plait_hair_set_output(s->hair, &output));
    memset(memory, 0, sizeof memory);
    assert_ok(plait_hair_settle(s->hair, &desc, NULL));
    assert_ok(plait_hair_wait(s->hair, UINT64_MAX));
    positions = read_positions(s);
    assert_memory_equal(memory, positions, 12 * (size_t)s->vertex_count);
    free(positions);
    assert_ok(plait_hair_set_output(s->hair, NULL));
}

typedef struct watcher {
    session *session;
    uint32_t calls, every, last_calls;
    plait_result answer; /* of the last call */
} watcher;

static plait_result PLAIT_CALL watch(void *user, const plait_settle_info *info) {
    watcher *w = user;
    w->calls++;
    assert_int_equal(info->step_count, w->calls * w->every);
    assert_int_equal(info->settled, 0);
    assert_true(isfinite(info->speed) && isfinite(info->acceleration));
    return w->calls == w->last_calls ? w->answer : PLAIT_OK;
}

static void progress_is_told_and_may_end_it(void **state) {
    static const plait_result answers[] = {PLAIT_INCOMPLETE, PLAIT_ERROR_TIMEOUT, PLAIT_ERROR_OUT_OF_MEMORY, 12345};
    session *s = *state;
    plait_settle_desc desc = falling(1000);
    desc.max_speed = desc.max_acceleration = 1e-20f;
    desc.progress = watch;
    for (size_t i = 0; i < COUNT_OF(answers); ++i) {
        watcher w = {s, 0, 7, 3, answers[i]};
        plait_settle_info info = PLAIT_SETTLE_INFO_INIT;
        desc.user = &w;
        desc.progress_steps = w.every;
        assert_int_equal(plait_hair_settle(s->hair, &desc, &info), answers[i]);
        assert_int_equal(w.calls, 3);
    }
    watcher w = {s, 0, 100, 0, PLAIT_OK};
    desc.user = &w;
    desc.progress_steps = 0; /* a hundred */
    desc.max_steps = 350;
    assert_ok(plait_hair_settle(s->hair, &desc, NULL));
    assert_int_equal(w.calls, 3);
    session_run(s, 5, 3); /* and it works */
}

/* A hair stopped half-way is at rest where it was. */
static void an_ended_hair_is_at_rest(void **state) {
    session *s = *state;
    plait_settle_desc desc = falling(1000);
    watcher w = {s, 0, 4, 1, PLAIT_ERROR_TIMEOUT};
    float *before = read_positions(s), *after, *later;
    double moved = 0;
    desc.max_speed = 1e-20f;
    desc.progress = watch;
    desc.progress_steps = 4;
    desc.user = &w;
    assert_int_equal(plait_hair_settle(s->hair, &desc, NULL), PLAIT_ERROR_TIMEOUT);
    after = read_positions(s);
    for (uint32_t i = 0; i < 3 * s->vertex_count; ++i) {
        moved = fmax(moved, fabs((double)after[i] - before[i]));
    }
    assert_true(moved > 1e-6);
    plait_frame_desc pause = PLAIT_FRAME_DESC_INIT;
    assert_ok(plait_hair_step(s->hair, &pause));
    later = read_positions(s);
    assert_memory_equal(after, later, 12 * (size_t)s->vertex_count);
    free(before);
    free(after);
    free(later);
}

static plait_result PLAIT_CALL meddle(void *user, const plait_settle_info *info) {
    session *s = user;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    plait_settle_desc desc = falling(1);
    (void)info;
    assert_result(plait_hair_step(s->hair, &frame), PLAIT_ERROR_BUSY);
    assert_result(plait_hair_settle(s->hair, &desc, NULL), PLAIT_ERROR_BUSY);
    assert_result(plait_hair_destroy(s->hair), PLAIT_ERROR_BUSY);
    return PLAIT_OK;
}

static void a_callback_cannot_touch_the_hair(void **state) {
    session *s = *state;
    plait_settle_desc desc = falling(2);
    desc.progress = meddle;
    desc.progress_steps = 1;
    desc.user = s;
    assert_ok(plait_hair_settle(s->hair, &desc, NULL));
}

static void infos_are_written_as_far_as_the_host_knows_them(void **state) {
    session *s = *state;
    plait_settle_desc desc = falling(2);
    struct {
        plait_settle_info info;
        uint32_t guard[4];
    } room = {PLAIT_SETTLE_INFO_INIT, {7, 7, 7, 7}};
    blob before = save(s->hair);
    room.info.head.size = 24;
    room.info.speed = -1;
    assert_ok(plait_hair_settle(s->hair, &desc, &room.info));
    assert_int_equal(room.info.step_count, 2);
    assert_true(room.info.speed == -1);
    room.info.head.size = sizeof room.info + 16;
    assert_ok(plait_hair_settle(s->hair, &desc, &room.info));
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(room.guard[i], 0);
    }
    assert_ok(plait_hair_load(s->hair, before.bytes, before.size));
    room.info.head.type = PLAIT_TYPE_STATS_INFO;
    assert_result(plait_hair_settle(s->hair, &desc, &room.info), PLAIT_ERROR_INVALID_STRUCT);
    assert_state(s->hair, &before);
    free_blob(&before);
}

static void the_null_device_settles_at_once(void **state) {
    session_options options = {.backend = PLAIT_BACKEND_NULL};
    session *s = session_open(&options);
    plait_settle_desc desc = falling(100);
    plait_settle_info info = PLAIT_SETTLE_INFO_INIT;
    (void)state;
    assert_ok(plait_hair_settle(s->hair, &desc, &info));
    assert_int_equal(info.settled, 1);
    assert_int_equal(info.step_count, 1);
    session_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_hair_comes_to_rest_and_stays_there, open_state, close_state),
        cmocka_unit_test_setup_teardown(time_does_not_pass, open_state, close_state),
        cmocka_unit_test_setup_teardown(giving_up_is_no_error, open_state, close_state),
        cmocka_unit_test_setup_teardown(the_output_is_written, open_state, close_state),
        cmocka_unit_test_setup_teardown(progress_is_told_and_may_end_it, open_state, close_state),
        cmocka_unit_test_setup_teardown(an_ended_hair_is_at_rest, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_callback_cannot_touch_the_hair, open_state, close_state),
        cmocka_unit_test_setup_teardown(infos_are_written_as_far_as_the_host_knows_them, open_state, close_state),
        cmocka_unit_test(the_null_device_settles_at_once),
    };
    return cmocka_run_group_tests_name("settling", tests, NULL, NULL);
}
