// A lost card affects nothing else. Only with the fake driver, which can lose one.
#include "host.h"
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>

static struct host_driver driver;

struct scene {
    struct straight strands;
    struct rig rig; // on the CPU, from which the hair comes and to which it goes
    plait_device cuda;
};

static void scene_open(struct scene *s) {
    s->strands = straight_make(40, 10, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&s->strands.desc);
    options.quiet = true;
    s->rig = rig_open(&options);
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = PLAIT_BACKEND_CUDA;
    assert_ok(plait_device_open(s->rig.context, &desc, &s->cuda));
    assert_ok(plait_hair_set_device(s->rig.hair, s->cuda));
}

static void scene_close(struct scene *s) {
    assert_ok(plait_device_close(s->cuda));
    driver.lose(CUDA_SUCCESS);
    rig_close(&s->rig);
    straight_free(&s->strands);
}

// With so many frames on the CPU and then on the card. Few there do not matter: a copy is made when the hair comes.
static void lose_after(int frames_before, int frames) {
    struct scene s;
    scene_open(&s);
    float *rest = rig_positions(&s.rig);
    if (frames_before) assert_ok(plait_hair_set_device(s.rig.hair, s.rig.device));
    for (int f = 0; f < frames_before; f++) rig_step(&s.rig, 1.0f / 60, NULL, true);
    if (frames_before) assert_ok(plait_hair_set_device(s.rig.hair, s.cuda));
    for (int f = 0; f < frames; f++) rig_step(&s.rig, 1.0f / 60, NULL, true);
    float *last = rig_positions(&s.rig);
    driver.lose(CUDA_ERROR_LAUNCH_FAILED);
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    assert_int_equal(plait_hair_step(s.rig.hair, &frame), PLAIT_ERROR_DEVICE_LOST);
    assert_int_equal(plait_hair_wait(s.rig.hair, UINT64_MAX), PLAIT_ERROR_DEVICE_LOST);
    assert_ok(plait_hair_set_device(s.rig.hair, s.rig.device));
    float *now = rig_positions(&s.rig);
    double moved = largest_difference(last, now, s.rig.vertices),
           fallen = largest_difference(rest, now, s.rig.vertices);
    printf("%.3f m from where it was, %.3f m from rest\n", moved, fallen);
    assert_true(moved < 0.02 && fallen > 0.05);
    free(rest);
    free(last);
    free(now);
    scene_close(&s);
}

static void a_hair_goes_on_from_near_where_it_was(void **state) {
    (void)state;
    lose_after(0, 40);
    lose_after(40, 2);
    lose_after(40, 0);
}

// NVIDIA documents each of these as: no more work is possible.
static void whatever_ends_a_context_is_a_loss(void **state) {
    (void)state;
    static const CUresult ends[] = {
        CUDA_ERROR_ECC_UNCORRECTABLE,     CUDA_ERROR_NVLINK_UNCORRECTABLE,     CUDA_ERROR_CONTAINED,
        CUDA_ERROR_ILLEGAL_ADDRESS,       CUDA_ERROR_LAUNCH_TIMEOUT,           CUDA_ERROR_ASSERT,
        CUDA_ERROR_HARDWARE_STACK_ERROR,  CUDA_ERROR_HARDWARE_STACK_ERROR + 1, CUDA_ERROR_LAUNCH_FAILED,
        CUDA_ERROR_MPS_CLIENT_TERMINATED, CUDA_ERROR_EXTERNAL_DEVICE};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct scene s;
        scene_open(&s);
        rig_step(&s.rig, 1.0f / 60, NULL, true);
        driver.lose(ends[i]);
        plait_result result = plait_hair_wait(s.rig.hair, UINT64_MAX);
        if (result == PLAIT_OK) result = plait_hair_reset(s.rig.hair, 0, NULL);
        if (result != PLAIT_ERROR_DEVICE_LOST) fail_msg("CUresult %d gives %s", ends[i], plait_result_text(result));
        assert_ok(plait_hair_set_device(s.rig.hair, s.rig.device));
        scene_close(&s);
    }
}

static void nobody_waits_for_what_a_lost_card_would_have_signalled(void **state) {
    (void)state;
    struct scene s;
    scene_open(&s);
    struct rig_output output;
    rig_describe_output(s.rig.vertices, NULL, &output);
    plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
    wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    output.desc.head.next = &wish;
    assert_ok(plait_hair_set_output(s.rig.hair, &output.desc));
    plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
    assert_ok(plait_semaphore_create(s.cuda, NULL, &sync.wait_semaphore));
    assert_ok(plait_semaphore_create(s.cuda, NULL, &sync.signal_semaphore));
    sync.wait_value = sync.signal_value = 1;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.head.next = &sync;
    assert_ok(plait_hair_step(s.rig.hair, &frame));
    driver.lose(CUDA_ERROR_LAUNCH_FAILED); // with no other call that would notice
    assert_int_equal(plait_semaphore_wait(sync.signal_semaphore, 1, 5000000000), PLAIT_ERROR_DEVICE_LOST);
    assert_ok(plait_semaphore_destroy(sync.wait_semaphore));
    assert_ok(plait_semaphore_destroy(sync.signal_semaphore));
    assert_ok(plait_hair_set_output(s.rig.hair, NULL));
    assert_ok(plait_hair_set_device(s.rig.hair, s.rig.device));
    scene_close(&s);
}

int main(void) {
    if (!host_driver_open(&driver) || !driver.lose) {
        printf("the fake CUDA driver is not here\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hair_goes_on_from_near_where_it_was),
        cmocka_unit_test(whatever_ends_a_context_is_a_loss),
        cmocka_unit_test(nobody_waits_for_what_a_lost_card_would_have_signalled),
    };
    int wrong = cmocka_run_group_tests(tests, NULL, NULL);
    host_driver_close(&driver);
    return wrong;
}
