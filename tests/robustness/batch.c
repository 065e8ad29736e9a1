// Frames of many hairs on Vulkan: one submission, and what holds when it fails.
#include "stand.h"

#include <string.h>

enum { HAIRS = 5, FRAMES = 20 };

struct crowd {
    struct stand stand;
    plait_device vulkan;
    plait_hair hairs[HAIRS];
    float positions[HAIRS][3 * 400];
    bool with_output;
};

static void open_crowd(struct crowd *c, bool with_output) {
    stand_open(&c->stand);
    c->with_output = with_output;
    assert_ok(stand_open_vulkan(&c->stand, &c->vulkan));
    for (int i = 0; i < HAIRS; i++) {
        assert_ok(stand_hair(&c->stand, c->vulkan, &c->hairs[i]));
        struct stand_output output;
        stand_output(&c->stand, c->positions[i], &output);
        if (with_output) assert_ok(plait_hair_set_output(c->hairs[i], &output.desc));
    }
}

static void close_crowd(struct crowd *c) {
    for (int i = 0; i < HAIRS; i++) assert_ok(plait_hair_destroy(c->hairs[i]));
    assert_ok(plait_device_close(c->vulkan));
    stand_close(&c->stand);
}

static plait_result step(struct crowd *c, int frame) {
    float bones[HAIRS][12];
    plait_frame_desc frames[HAIRS];
    for (int i = 0; i < HAIRS; i++) {
        bone_make(bones[i], (float[3]){0, 1, 0}, 0.02 * frame, (float[3]){0, 0, 0});
        frames[i] = (plait_frame_desc)PLAIT_FRAME_DESC_INIT;
        frames[i].dt = 1.0f / 60;
        frames[i].bone_count = 1;
        frames[i].bones = bones[i];
        frames[i].gravity[1] = -9.81f;
    }
    return plait_hairs_step(c->stand.context, HAIRS, c->hairs, frames);
}

static void wait_for_all(struct crowd *c) {
    for (int i = 0; i < HAIRS; i++) assert_ok(plait_hair_wait(c->hairs[i], UINT64_MAX));
}

// Also the frames that copy their state for a rescue.
static void expect_one_submission(bool with_output, const char *hidden) {
    struct double_pretence pretence = {0};
    struct crowd c;
    strcpy(pretence.hidden, hidden);
    double_pretend(&pretence);
    open_crowd(&c, with_output);
    assert_ok(step(&c, 0)); // commands are recorded
    for (int f = 1; f < FRAMES; f++) {
        uint32_t before = double_calls("vkQueueSubmit");
        assert_ok(step(&c, f));
        assert_int_equal(double_calls("vkQueueSubmit") - before, 1);
    }
    wait_for_all(&c);
    float first[3 * 400];
    assert_ok(stand_read(&c.stand, c.hairs[0], first));
    for (int i = 0; i < HAIRS; i++) {
        float positions[3 * 400];
        assert_ok(stand_read(&c.stand, c.hairs[i], positions));
        assert_memory_equal(positions, first, sizeof first);
        if (with_output) assert_memory_equal(c.positions[i], first, sizeof first);
    }
    close_crowd(&c);
    double_reset();
}

static void frames_of_a_device_are_one_submission(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    expect_one_submission(false, "");
    expect_one_submission(true, "");
    expect_one_submission(true, "VK_EXT_external_memory_host"); // output that somebody has to deliver
}

static void frames_that_cannot_be_submitted_fail_and_later_ones_go_on(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    struct crowd c;
    open_crowd(&c, true);
    for (int f = 0; f < 3; f++) assert_ok(step(&c, f));
    wait_for_all(&c);
    assert_true(double_fail("vkQueueSubmit", 1, VK_ERROR_OUT_OF_HOST_MEMORY));
    uint32_t errors = c.stand.errors;
    assert_int_equal(step(&c, 3), PLAIT_ERROR_OUT_OF_MEMORY);
    assert_true(c.stand.errors > errors);
    for (int f = 4; f < 7; f++) assert_ok(step(&c, f));
    wait_for_all(&c);
    for (int i = 0; i < HAIRS; i++) {
        plait_stats_info stats = PLAIT_STATS_INFO_INIT;
        assert_ok(plait_hair_stats(c.hairs[i], &stats));
        assert_true(stats.nonfinite_strand_count == 0);
    }
    close_crowd(&c);
    double_reset();
}

static void a_lost_device_fails_its_hairs_and_no_other(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    struct crowd c;
    open_crowd(&c, false);
    plait_hair mixed[HAIRS];
    plait_frame_desc frames[HAIRS];
    memcpy(mixed, c.hairs, sizeof mixed);
    assert_ok(stand_hair(&c.stand, c.stand.cpu, &mixed[HAIRS - 1]));
    for (int i = 0; i < HAIRS; i++) {
        frames[i] = (plait_frame_desc)PLAIT_FRAME_DESC_INIT;
        frames[i].dt = 1.0f / 60;
    }
    assert_ok(plait_hairs_step(c.stand.context, HAIRS, mixed, frames));
    double_lose_device();
    assert_int_equal(plait_hairs_step(c.stand.context, HAIRS, mixed, frames), PLAIT_ERROR_DEVICE_LOST);
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    assert_ok(plait_hair_stats(mixed[HAIRS - 1], &stats));
    assert_int_equal(stats.step_count, 2);
    for (int i = 0; i < HAIRS; i++) // they go on elsewhere
        assert_ok(plait_hair_set_device(c.hairs[i], c.stand.cpu));
    assert_ok(plait_hairs_step(c.stand.context, HAIRS, mixed, frames));
    assert_ok(plait_hair_destroy(mixed[HAIRS - 1]));
    close_crowd(&c);
    double_reset();
}

// Output in the device's memory, so that the device itself waits and signals; but for one hair.
static void use_device_memory(struct crowd *c, int except) {
    for (int i = 0; i < HAIRS; i++) {
        if (i == except) continue;
        struct stand_output output;
        stand_output(&c->stand, NULL, &output);
        plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
        wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
        output.desc.head.next = &wish;
        assert_ok(plait_hair_set_output(c->hairs[i], &output.desc));
    }
}

// Frame i raises the semaphore to first + i + 1, and waits for one less if it waits.
static plait_result step_and_raise(struct crowd *c, plait_semaphore semaphore, uint64_t first, bool waits) {
    plait_frame_sync_desc syncs[HAIRS];
    plait_frame_desc frames[HAIRS];
    for (int i = 0; i < HAIRS; i++) {
        syncs[i] = (plait_frame_sync_desc)PLAIT_FRAME_SYNC_DESC_INIT;
        syncs[i].signal_semaphore = semaphore;
        if (waits) {
            syncs[i].wait_semaphore = semaphore;
            syncs[i].wait_value = first + (uint64_t)i;
        }
        syncs[i].signal_value = first + (uint64_t)i + 1;
        frames[i] = (plait_frame_desc)PLAIT_FRAME_DESC_INIT;
        frames[i].dt = 1.0f / 60;
        frames[i].head.next = &syncs[i];
    }
    return plait_hairs_step(c->stand.context, HAIRS, c->hairs, frames);
}

static plait_result step_in_a_row(struct crowd *c, plait_semaphore semaphore, uint64_t first) {
    return step_and_raise(c, semaphore, first, true);
}

static plait_result step_and_count(struct crowd *c, plait_semaphore semaphore, uint64_t first) {
    return step_and_raise(c, semaphore, first, false);
}

static void frames_wait_for_those_before_them_in_one_submission(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    struct crowd c;
    plait_semaphore semaphore;
    uint64_t value = 0;
    open_crowd(&c, true);
    assert_ok(plait_semaphore_create(c.vulkan, NULL, &semaphore));
    use_device_memory(&c, -1);
    assert_ok(step_in_a_row(&c, semaphore, 0)); // commands are recorded
    wait_for_all(&c);
    uint32_t before = double_calls("vkQueueSubmit");
    assert_ok(step_in_a_row(&c, semaphore, HAIRS + 1)); // and waits for the host to begin
    assert_int_equal(double_calls("vkQueueSubmit") - before, 1);
    assert_ok(plait_semaphore_query(semaphore, &value));
    assert_int_equal(value, HAIRS);
    assert_ok(plait_semaphore_signal(semaphore, HAIRS + 1));
    wait_for_all(&c);
    assert_ok(plait_semaphore_query(semaphore, &value));
    assert_int_equal(value, 2 * HAIRS + 1);
    assert_ok(plait_semaphore_destroy(semaphore));
    close_crowd(&c);
}

// One frame among them is waited for by the calling thread: those before it are handed over first.
static void frames_wait_for_those_before_them_on_the_calling_thread(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    struct crowd c;
    plait_semaphore semaphore;
    uint64_t value = 0;
    open_crowd(&c, true);
    assert_ok(plait_semaphore_create(c.vulkan, NULL, &semaphore));
    use_device_memory(&c, 2);
    for (uint64_t f = 0; f < 3; f++) assert_ok(step_in_a_row(&c, semaphore, f * HAIRS));
    wait_for_all(&c);
    assert_ok(plait_semaphore_query(semaphore, &value));
    assert_int_equal(value, 3 * HAIRS);
    assert_ok(plait_semaphore_destroy(semaphore));
    close_crowd(&c);
}

// A semaphore that fell would lose the device.
static void the_calling_thread_and_the_device_raise_a_semaphore_in_their_order(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    for (int except = 0; except < HAIRS; except += 2) {
        struct crowd c;
        plait_semaphore semaphore;
        uint64_t value = 0;
        open_crowd(&c, true);
        assert_ok(plait_semaphore_create(c.vulkan, NULL, &semaphore));
        use_device_memory(&c, except);
        for (uint64_t f = 0; f < 3; f++) assert_ok(step_and_count(&c, semaphore, f * HAIRS));
        wait_for_all(&c);
        assert_ok(plait_semaphore_query(semaphore, &value));
        assert_int_equal(value, 3 * HAIRS);
        assert_ok(plait_semaphore_destroy(semaphore));
        close_crowd(&c);
    }
}

// A frame on the device waits for a semaphore; behind it on the queue is output that the next frame of a hair waits for. That must
// not keep the calling thread from raising the semaphore in the same call.
static void what_the_calling_thread_raises_does_not_wait_for_the_device(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    struct crowd c;
    plait_semaphore semaphore;
    plait_hair on_cpu;
    open_crowd(&c, true);
    assert_ok(plait_semaphore_create(c.vulkan, NULL, &semaphore));
    assert_ok(stand_hair(&c.stand, c.stand.cpu, &on_cpu));
    use_device_memory(&c, 1);
    plait_frame_sync_desc waits = PLAIT_FRAME_SYNC_DESC_INIT, raises = PLAIT_FRAME_SYNC_DESC_INIT;
    waits.wait_semaphore = raises.signal_semaphore = semaphore;
    waits.wait_value = raises.signal_value = 1;
    plait_frame_desc frames[2] = {PLAIT_FRAME_DESC_INIT, PLAIT_FRAME_DESC_INIT};
    frames[0].dt = frames[1].dt = 1.0f / 60;
    frames[0].head.next = &waits;
    assert_ok(plait_hairs_step(c.stand.context, 2, (plait_hair[]){c.hairs[0], c.hairs[1]}, frames));
    frames[0].head.next = &raises;
    assert_ok(plait_hairs_step(c.stand.context, 2, (plait_hair[]){on_cpu, c.hairs[1]}, frames));
    wait_for_all(&c);
    assert_ok(plait_hair_destroy(on_cpu));
    assert_ok(plait_semaphore_destroy(semaphore));
    close_crowd(&c);
}

static void a_frame_that_fails_signals_in_its_turn(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    for (uint32_t nth = 1; nth <= 5; nth += 2) {
        struct crowd c;
        plait_semaphore semaphore;
        open_crowd(&c, true);
        assert_ok(plait_semaphore_create(c.vulkan, NULL, &semaphore));
        use_device_memory(&c, -1);
        assert_true(double_fail("vkEndCommandBuffer", nth, VK_ERROR_OUT_OF_HOST_MEMORY));
        assert_int_equal(step_and_count(&c, semaphore, 0), PLAIT_ERROR_OUT_OF_MEMORY);
        assert_ok(plait_semaphore_wait(semaphore, HAIRS, 20000000000u));
        assert_ok(step_and_count(&c, semaphore, HAIRS));
        assert_ok(plait_semaphore_wait(semaphore, 2 * HAIRS, 20000000000u));
        assert_ok(plait_semaphore_destroy(semaphore));
        close_crowd(&c);
        double_reset();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_a_device_are_one_submission),
        cmocka_unit_test(frames_that_cannot_be_submitted_fail_and_later_ones_go_on),
        cmocka_unit_test(frames_wait_for_those_before_them_in_one_submission),
        cmocka_unit_test(frames_wait_for_those_before_them_on_the_calling_thread),
        cmocka_unit_test(the_calling_thread_and_the_device_raise_a_semaphore_in_their_order),
        cmocka_unit_test(what_the_calling_thread_raises_does_not_wait_for_the_device),
        cmocka_unit_test(a_frame_that_fails_signals_in_its_turn),
        cmocka_unit_test(a_lost_device_fails_its_hairs_and_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
