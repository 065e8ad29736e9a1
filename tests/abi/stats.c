/* Statistics of a hair: counts that only grow, and times that match them. */
#include "session.h"

#include <string.h>

enum { MAX_STAGES = 32 };

static int open_state(void **state) {
    *state = session_open(NULL);
    return 0;
}

static int close_state(void **state) {
    session_close(*state);
    return 0;
}

static plait_stats_info stats_of(const session *s) {
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    assert_ok(plait_hair_stats(s->hair, &stats));
    return stats;
}

static uint32_t stages_of(const session *s, plait_stage_info stages[MAX_STAGES]) {
    uint32_t count = MAX_STAGES;
    for (uint32_t i = 0; i < MAX_STAGES; ++i) {
        stages[i] = (plait_stage_info)PLAIT_STAGE_INFO_INIT;
    }
    assert_ok(plait_hair_stages(s->hair, &count, stages));
    return count;
}

/* The session cuts each internal step into two. */
static void internal_steps_are_counted_whole_however_they_are_cut(void **state) {
    session *s = *state;
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    session_run(s, 0, 6);
    assert_ok(plait_hair_query(s->hair, &info));
    assert_int_equal(info.step_count, 6);
    assert_int_equal(stats_of(s).step_count, 6);
    assert_int_equal(stats_of(s).frame_count, 6);
    assert_true(info.time_s > 0.0999 && info.time_s < 0.1001);
}

static void short_frames_add_up_to_steps(void **state) {
    session *s = *state;
    plait_frame_desc frame = session_frame(s, 0);
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    frame.dt = 1.0f / 240;
    for (int i = 0; i < 240; ++i) {
        assert_ok(plait_hair_step(s->hair, &frame));
    }
    assert_ok(plait_hair_query(s->hair, &info));
    assert_true(info.time_s > 1 - 1.01 / 60 && info.time_s < 1 + 1e-6);
    assert_int_equal(stats_of(s).frame_count, 240);
}

/* Strands a thousand times softer than hair cannot stand upright, whatever they are at rest. */
static void strands_that_sag_all_the_same_are_counted(void **state) {
    session *s = *state;
    session other = *s;
    other.solver = PLAIT_SOLVER_HYBRID;
    for (uint32_t i = 0; i < GROUPS; ++i) {
        other.rods[i].rest_gravity[1] = -9.81f;
    }
    plait_hair_desc desc = session_hair_desc(&other);
    assert_ok(plait_hair_create(s->context, &desc, &other.hair));
    assert_int_equal(stats_of(&other).sagging_strand_count, 0);
    assert_int_equal(message_log_count(&s->log, PLAIT_MESSAGE_STRANDS_SAG), 0);
    other.rods[0].bend_modulus = other.rods[1].bend_modulus = 1e6f;
    assert_ok(plait_hair_set_params(other.hair, GROUPS, other.rods));
    uint64_t sagging = stats_of(&other).sagging_strand_count;
    assert_true(sagging > 0 && sagging <= STRANDS);
    assert_int_equal(message_log_count(&s->log, PLAIT_MESSAGE_STRANDS_SAG), 1);
    for (uint32_t i = 0; i < GROUPS; ++i) {
        other.rods[i].rest_gravity[1] = 0;
    }
    assert_ok(plait_hair_set_params(other.hair, GROUPS, other.rods));
    assert_int_equal(stats_of(&other).sagging_strand_count, 0);
    assert_int_equal(stats_of(s).sagging_strand_count, 0);
    assert_ok(plait_hair_destroy(other.hair));
}

static void calls_that_fail_are_not_frames(void **state) {
    session *s = *state;
    plait_frame_desc frame = session_frame(s, 0);
    frame.dt = -1;
    assert_true(plait_hair_step(s->hair, &frame) < 0);
    assert_int_equal(stats_of(s).frame_count, 0);
}

static void only_automatic_teleports_are_counted(void **state) {
    session *s = *state;
    plait_hair_desc desc = session_hair_desc(s);
    plait_frame_desc frame;
    assert_ok(plait_hair_destroy(s->hair));
    desc.teleport_distance = 0.5f;
    assert_ok(plait_hair_create(s->context, &desc, &s->hair));
    session_run(s, 0, 3);
    assert_int_equal(stats_of(s).teleport_count, 0);
    assert_ok(plait_hair_teleport(s->hair, BONES, s->bones[0]));
    assert_int_equal(stats_of(s).teleport_count, 0);
    frame = session_frame(s, 3);
    s->bones[1][3] += 10;
    assert_ok(plait_hair_step(s->hair, &frame));
    assert_int_equal(stats_of(s).teleport_count, 1);
    assert_int_equal(message_log_count(&s->log, PLAIT_MESSAGE_TELEPORTED), 1);
}

static void hair_at_rest_has_its_rest_length(void **state) {
    session *s = *state;
    plait_stats_info stats = stats_of(s);
    assert_true(stats.worst_stretch < 1e-4f && stats.worst_stretch > -1e-4f);
    assert_true(stats.mean_length_error < 1e-4f);
    assert_true(stats.bytes_asset > 0 && stats.bytes_state > 0 && stats.bytes_work > 0);
}

static void stage_counts_run_on_when_a_body_or_an_output_is_set(void **state) {
    session *s = *state;
    plait_stage_info before[MAX_STAGES], after[MAX_STAGES];
    static float memory[MAX_VERTICES * 3];
    plait_output_attribute attribute;
    plait_output_desc output =
        describe_dense(&attribute, PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, memory, sizeof memory);
    uint32_t count;
    assert_ok(plait_hair_set_output(s->hair, &output));
    session_run(s, 0, 5);
    count = stages_of(s, before);
    assert_ok(plait_hair_set_body(s->hair, (plait_body){0}));
    assert_ok(plait_hair_set_body(s->hair, s->body));
    assert_ok(plait_hair_set_output(s->hair, &output));
    assert_int_equal(stages_of(s, after), count);
    for (uint32_t i = 0; i < count; ++i) {
        assert_string_equal(after[i].name, before[i].name);
        assert_true(after[i].run_count >= before[i].run_count);
        assert_true(after[i].total_s >= before[i].total_s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(internal_steps_are_counted_whole_however_they_are_cut, open_state, close_state),
        cmocka_unit_test_setup_teardown(short_frames_add_up_to_steps, open_state, close_state),
        cmocka_unit_test_setup_teardown(strands_that_sag_all_the_same_are_counted, open_state, close_state),
        cmocka_unit_test_setup_teardown(calls_that_fail_are_not_frames, open_state, close_state),
        cmocka_unit_test_setup_teardown(only_automatic_teleports_are_counted, open_state, close_state),
        cmocka_unit_test_setup_teardown(hair_at_rest_has_its_rest_length, open_state, close_state),
        cmocka_unit_test_setup_teardown(stage_counts_run_on_when_a_body_or_an_output_is_set, open_state, close_state),
    };
    return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
