// A lost device affects nothing else: calls report it, the hair continues elsewhere from near where it was, and
// everything can be destroyed.
#include "stand.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES = 40, MOST_VERTICES = 400 };
#define NEAR_M 0.4 // a copy may be 16 frames old, in which tips of rods swing by 0.33 m

struct scene {
    struct stand stand;
    plait_device vulkan;
    plait_hair hair;
    float output[3 * MOST_VERTICES];
    float last[3 * MOST_VERTICES]; // positions when last read
    int frame;
    uint32_t errors_seen;
};

static void scene_open(struct scene *s) {
    memset(s, 0, sizeof *s);
    double_reset();
    stand_open(&s->stand);
    assert_true(s->stand.vertices <= MOST_VERTICES);
    assert_ok(stand_open_vulkan(&s->stand, &s->vulkan));
    assert_ok(stand_hair(&s->stand, s->vulkan, &s->hair));
    struct stand_output output;
    stand_output(&s->stand, s->output, &output);
    assert_ok(plait_hair_set_output(s->hair, &output.desc));
}

static void scene_close(struct scene *s) {
    assert_ok(plait_hair_destroy(s->hair));
    assert_ok(plait_device_close(s->vulkan));
    stand_close(&s->stand);
}

static void run_well(struct scene *s, int frames) {
    for (int i = 0; i < frames; i++) assert_ok(stand_step(s->hair, ++s->frame));
    assert_ok(stand_read(&s->stand, s->hair, s->last));
}

// The call reported the loss in result and log.
static void expect_lost(struct scene *s, plait_result result) {
    assert_int_equal(result, PLAIT_ERROR_DEVICE_LOST);
    assert_true(s->stand.errors > s->errors_seen);
    s->errors_seen = s->stand.errors;
}

// The hair continues on another device, close to where it was last read.
static void expect_rescue(struct scene *s, plait_device device) {
    float now[3 * MOST_VERTICES];
    assert_ok(plait_hair_set_device(s->hair, device));
    assert_ok(stand_read(&s->stand, s->hair, now));
    assert_true(largest_difference(s->last, now, s->stand.vertices) < NEAR_M);
    for (int i = 0; i < 20; i++) {
        assert_ok(stand_step(s->hair, ++s->frame));
        assert_ok(stand_read(&s->stand, s->hair, now));
        stand_expect_sound(&s->stand, now, s->frame);
        if (i == 0) assert_true(largest_difference(s->last, now, s->stand.vertices) < NEAR_M);
    }
}

static void a_hair_outlives_its_device(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    struct scene s;
    scene_open(&s);
    run_well(&s, FRAMES);
    double_lose_device();
    expect_lost(&s, stand_step(s.hair, ++s.frame));
    assert_int_equal(s.stand.errors, 1);
    // Every call that needs the device reports the same, in the log too.
    char blob[65536];
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    float positions[3 * MOST_VERTICES];
    expect_lost(&s, stand_step(s.hair, ++s.frame));
    expect_lost(&s, plait_hair_wait(s.hair, UINT64_MAX));
    expect_lost(&s, plait_hair_wait(s.hair, 0));
    expect_lost(&s, stand_read(&s.stand, s.hair, positions));
    expect_lost(&s, plait_hair_save(s.hair, blob, sizeof blob));
    expect_lost(&s, plait_hair_stats(s.hair, &stats));
    expect_lost(&s, plait_hair_reset(s.hair, 0, NULL));
    expect_lost(&s, plait_hair_set_params(s.hair, 0, NULL));
    expect_lost(&s, plait_hair_set_body(s.hair, s.stand.bodies[1]));
    expect_rescue(&s, s.stand.cpu);
    scene_close(&s);
}

// On the move, the copy is of a place some metres back, and of an origin of the hair's own that has moved since.
static void a_hair_on_the_move_outlives_its_device(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    struct scene s;
    scene_open(&s);
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    float bone[12];
    bone_identity(bone);
    frame.dt = 1.0f / 60;
    frame.bone_count = 1;
    frame.bones = bone;
    frame.gravity[1] = -9.81f;
    for (int i = 0; i < FRAMES + 7; i++) {
        bone[3] = 0.005f * (float)(i * i);
        assert_ok(plait_hair_step(s.hair, &frame));
    }
    assert_ok(stand_read(&s.stand, s.hair, s.last));
    double_lose_device();
    frame.bones = NULL;
    expect_lost(&s, plait_hair_step(s.hair, &frame));
    float now[3 * MOST_VERTICES];
    assert_ok(plait_hair_set_device(s.hair, s.stand.cpu));
    assert_ok(stand_read(&s.stand, s.hair, now));
    assert_true(largest_difference(s.last, now, s.stand.vertices) < NEAR_M);
    scene_close(&s);
}

// Strands that came to the device, or into another shape on it, some other way than by frames: the copy is of then, not of
// up to 16 frames before, nor is there none.
static plait_result come_by_move(struct scene *s) { return plait_hair_set_device(s->hair, s->vulkan); }
static plait_result come_by_reset(struct scene *s) { return plait_hair_reset(s->hair, 0, NULL); }

static plait_result come_by_load(struct scene *s) {
    char blob[65536];
    plait_hair fresh;
    assert_ok(stand_hair(&s->stand, s->stand.cpu, &fresh));
    assert_ok(stand_step(fresh, 1));
    assert_ok(plait_hair_save(fresh, blob, sizeof blob));
    assert_ok(plait_hair_destroy(fresh));
    s->frame = 1;
    return plait_hair_load(s->hair, blob, sizeof blob);
}

static plait_result come_by_settling(struct scene *s) {
    plait_settle_desc desc = PLAIT_SETTLE_DESC_INIT;
    desc.gravity[2] = 9.81f;
    desc.max_speed = desc.max_acceleration = 1e-30f;
    desc.max_steps = 60;
    return plait_hair_settle(s->hair, &desc, NULL);
}

static void a_loss_soon_after_a_change_of_place_or_state_goes_back_no_further(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    static const struct {
        const char *name;
        plait_result (*come)(struct scene *);
    } ways[] = {{"move", come_by_move}, {"reset", come_by_reset}, {"load", come_by_load}, {"settle", come_by_settling}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct scene s;
        scene_open(&s);
        bool moves = ways[i].come == come_by_move;
        if (moves) assert_ok(plait_hair_set_device(s.hair, s.stand.cpu));
        run_well(&s, FRAMES);
        assert_ok(ways[i].come(&s));
        if (!moves) assert_ok(stand_read(&s.stand, s.hair, s.last)); // a move has waited for the copy
        double_lose_device();
        float now[3 * MOST_VERTICES];
        assert_ok(plait_hair_set_device(s.hair, s.stand.cpu));
        assert_ok(stand_read(&s.stand, s.hair, now));
        double off = largest_difference(s.last, now, s.stand.vertices);
        if (!(off < 1e-5)) fail_msg("after a %s and a loss strands are off by %g m", ways[i].name, off);
        scene_close(&s);
    }
}

// The driver may report the loss first at a submission or at a wait, at any time.
static void a_device_may_be_lost_at_any_moment(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    static const char *const functions[] = {"vkQueueSubmit", "vkWaitSemaphores"};
    for (int f = 0; f < 2; f++) {
        for (uint32_t nth = 1; nth < 24; nth += 1 + nth / 2) {
            struct scene s;
            scene_open(&s);
            run_well(&s, 3);
            assert_true(double_fail(functions[f], nth, VK_ERROR_DEVICE_LOST));
            plait_result result = PLAIT_OK;
            for (int i = 0; i < FRAMES && result == PLAIT_OK; i++) result = stand_step(s.hair, ++s.frame);
            if (result == PLAIT_OK) result = plait_hair_wait(s.hair, UINT64_MAX);
            assert_int_equal(double_failures(), 1);
            assert_int_equal(result, PLAIT_ERROR_DEVICE_LOST);
            assert_true(s.stand.errors > 0);
            float now[3 * MOST_VERTICES];
            assert_ok(plait_hair_set_device(s.hair, s.stand.cpu));
            assert_ok(stand_step(s.hair, ++s.frame));
            assert_ok(stand_read(&s.stand, s.hair, now));
            stand_expect_sound(&s.stand, now, s.frame);
            scene_close(&s);
        }
    }
}

static void an_output_that_only_the_lost_device_had_can_be_dropped(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    struct scene s;
    scene_open(&s);
    struct stand_output output;
    stand_output(&s.stand, NULL, &output);
    plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
    wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    output.desc.head.next = &wish;
    assert_ok(plait_hair_set_output(s.hair, &output.desc));
    run_well(&s, FRAMES);
    double_lose_device();
    expect_lost(&s, stand_step(s.hair, ++s.frame));
    assert_int_equal(plait_hair_set_device(s.hair, s.stand.cpu), PLAIT_ERROR_UNSUPPORTED); // the CPU cannot write it
    assert_ok(plait_hair_set_output(s.hair, NULL));
    expect_rescue(&s, s.stand.cpu);
    scene_close(&s);
}

static void a_new_device_takes_over_from_a_lost_one(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    struct scene s;
    scene_open(&s);
    run_well(&s, FRAMES);
    double_lose_device();
    plait_device next;
    assert_ok(stand_open_vulkan(&s.stand, &next));
    expect_rescue(&s, next);
    plait_hair fresh;
    assert_ok(stand_hair(&s.stand, next, &fresh));
    assert_ok(stand_step(fresh, 1));
    assert_ok(plait_hair_wait(fresh, UINT64_MAX));
    assert_ok(plait_hair_destroy(fresh));
    assert_ok(plait_device_close(next));
    scene_close(&s);
}

static void a_lost_device_takes_no_more_hairs(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    struct scene s;
    scene_open(&s);
    run_well(&s, 3);
    plait_hair elsewhere, none;
    assert_ok(stand_hair(&s.stand, s.stand.cpu, &elsewhere));
    assert_ok(stand_step(elsewhere, 1));
    double_lose_device();
    assert_int_equal(stand_hair(&s.stand, s.vulkan, &none), PLAIT_ERROR_DEVICE_LOST);
    assert_true(none.id == 0);
    assert_int_equal(plait_hair_set_device(elsewhere, s.vulkan), PLAIT_ERROR_DEVICE_LOST);
    float now[3 * MOST_VERTICES];
    assert_ok(stand_step(elsewhere, 2));
    assert_ok(stand_read(&s.stand, elsewhere, now));
    stand_expect_sound(&s.stand, now, 2);
    assert_ok(plait_hair_destroy(elsewhere));
    scene_close(&s);
}

// With work in flight and no other call: whole contexts can be destroyed too.
static void what_a_lost_device_held_can_be_cleared_away(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    for (int at_once = 0; at_once < 2; at_once++) {
        struct scene s;
        scene_open(&s);
        plait_hair other;
        assert_ok(stand_hair(&s.stand, s.vulkan, &other));
        for (int f = 1; f < 4; f++) {
            assert_ok(stand_step(s.hair, f));
            assert_ok(stand_step(other, f));
        }
        double_lose_device();
        if (at_once) {
            assert_ok(plait_context_destroy(s.stand.context));
            assert_int_equal(s.stand.memory.live, 0);
            tracker_close(&s.stand.memory);
            straight_free(&s.stand.strands);
        } else {
            assert_ok(plait_hair_destroy(other));
            scene_close(&s);
        }
    }
}

// The frame on the CPU fails with the wait, and whoever waits for it learns of it.
static void a_frame_that_waits_for_a_lost_device_signals_nevertheless(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    struct scene s;
    scene_open(&s);
    assert_ok(plait_hair_set_device(s.hair, s.stand.cpu));
    plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.head.next = &sync;
    assert_ok(plait_semaphore_create(s.vulkan, NULL, &sync.wait_semaphore));
    assert_ok(plait_semaphore_create(s.stand.cpu, NULL, &sync.signal_semaphore));
    sync.wait_value = sync.signal_value = 1;
    double_lose_device();
    expect_lost(&s, plait_hair_step(s.hair, &frame));
    uint64_t value = 0;
    assert_ok(plait_semaphore_query(sync.signal_semaphore, &value));
    assert_true(value == 1);
    assert_ok(plait_semaphore_signal(sync.signal_semaphore, 2)); // nothing is left promised
    assert_ok(plait_semaphore_destroy(sync.wait_semaphore));
    assert_ok(plait_semaphore_destroy(sync.signal_semaphore));
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hair_outlives_its_device),
        cmocka_unit_test(a_hair_on_the_move_outlives_its_device),
        cmocka_unit_test(a_loss_soon_after_a_change_of_place_or_state_goes_back_no_further),
        cmocka_unit_test(a_frame_that_waits_for_a_lost_device_signals_nevertheless),
        cmocka_unit_test(a_device_may_be_lost_at_any_moment),
        cmocka_unit_test(an_output_that_only_the_lost_device_had_can_be_dropped),
        cmocka_unit_test(a_new_device_takes_over_from_a_lost_one),
        cmocka_unit_test(a_lost_device_takes_no_more_hairs),
        cmocka_unit_test(what_a_lost_device_held_can_be_cleared_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
