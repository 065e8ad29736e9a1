// A running hair moves from device to device without a visible change.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 8 };

static uint32_t open_devices(plait_context context, plait_device *devices) {
    uint32_t count = 0;
    for (uint32_t set = PLAIT_CPU_SCALAR; set <= PLAIT_CPU_NEON; set++) {
        plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
        plait_device_cpu_desc cpu = PLAIT_DEVICE_CPU_DESC_INIT;
        desc.backend = PLAIT_BACKEND_CPU;
        desc.head.next = &cpu;
        cpu.instruction_set = set;
        if (plait_device_open(context, &desc, &devices[count]) == PLAIT_OK) count++;
    }
    for (int i = 0; i < 4; i++) { // two Vulkan and two CUDA devices, where there is one
        plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
        desc.backend = i < 2 ? PLAIT_BACKEND_VULKAN : PLAIT_BACKEND_CUDA;
        if (plait_device_open(context, &desc, &devices[count]) == PLAIT_OK) count++;
    }
    return count;
}

static scene_groom make_groom(void) {
    scene_preset preset;
    assert_true(scene_preset_get(scene_preset_find("2b"), 60, 24, 9, &preset));
    scene_groom groom;
    assert_true(scene_groom_make(&preset.groom, &groom));
    return groom;
}

// A test's state is the solver.
static struct rig_options options_of(void **state, const plait_groom_desc *groom) {
    struct rig_options options = rig_options(groom);
    options.solver = **(uint32_t **)state;
    return options;
}

static void swaps_in_violent_motion_leave_no_trace(void **state) {
    scene_groom groom = make_groom();
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(&groom, &desc);
    scene_body body;
    scene_body_make(NULL, &body);
    plait_body_desc body_desc = PLAIT_BODY_DESC_INIT;
    scene_body_describe(&body, &body_desc);
    struct rig_options options = options_of(state, &desc);
    options.body = &body_desc;
    struct rig rig = rig_open(&options);
    plait_device devices[MAX_DEVICES];
    uint32_t count = open_devices(rig.context, devices), swaps = 0;
    float *seen = malloc((size_t)rig.vertices * 12);
    assert_non_null(seen);
    struct rig_output output;
    rig_describe_output(rig.vertices, seen, &output);
    assert_ok(plait_hair_set_output(rig.hair, &output.desc));

    // A software GPU takes ten times as long for rods.
    uint32_t frames = options.solver == PLAIT_SOLVER_SHAPE ? 2000 : 300, wanted = frames / 10;
    uint64_t seed = 5;
    uint32_t at = 0;
    assert_ok(plait_hair_set_device(rig.hair, devices[at]));
    double worst = 0;
    float bones[SCENE_BONE_COUNT][12];
    for (uint32_t f = 0; f < frames; f++) { // 100 frames a second: most swaps happen between two steps
        scene_motion_pose(SCENE_MOTION_VIOLENT, f / 100.0, 3, bones);
        rig_step(&rig, 0.01f, &bones[0][0], true);
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        if ((seed >> 33) % frames >= wanted * 5 / 4) continue;
        float *before = rig_positions(&rig);
        at = (at + 1 + (uint32_t)(seed >> 20) % (count - 1)) % count; // always another
        assert_ok(plait_hair_set_device(rig.hair, devices[at]));
        float *after = rig_positions(&rig);
        worst = fmax(worst, largest_difference(before, after, rig.vertices));
        swaps++;
        free(before);
        free(after);
    }
    assert_ok(plait_hair_wait(rig.hair, UINT64_MAX));
    float *last = rig_positions(&rig);
    assert_memory_equal(seen, last, (size_t)rig.vertices * 12); // the output went along
    printf("%u swaps among %u devices: worst jump %.2e m\n", swaps, count, worst);
    assert_true(swaps >= wanted);
    assert_true(worst <= 1e-5);
    assert_int_equal(rig_stats(&rig).nonfinite_strand_count, 0);
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    assert_ok(plait_hair_query(rig.hair, &info));
    assert_int_equal(info.step_count, frames * 6 / 10);
    free(last);
    assert_ok(plait_hair_set_output(rig.hair, NULL));
    free(seen);
    for (uint32_t i = 0; i < count; i++) assert_ok(plait_device_close(devices[i]));
    rig_close(&rig);
    scene_groom_free(&groom);
}

// Between CPU builds a swap changes no bit, now or later.
static void swaps_between_cpu_builds_change_nothing_at_all(void **state) {
    scene_groom groom = make_groom();
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(&groom, &desc);
    struct rig_options options = options_of(state, &desc);
    options.instruction_set = PLAIT_CPU_SCALAR;
    struct rig still = rig_open(&options), moved = rig_open(&options);
    plait_device_desc device_desc = PLAIT_DEVICE_DESC_INIT;
    device_desc.backend = PLAIT_BACKEND_CPU;
    plait_device widest;
    assert_ok(plait_device_open(moved.context, &device_desc, &widest));
    float bones[SCENE_BONE_COUNT][12];
    for (int f = 0; f < 100; f++) {
        scene_motion_pose(SCENE_MOTION_DANCE, f / 60.0, 3, bones);
        rig_step(&still, 1.0f / 60, &bones[0][0], true);
        rig_step(&moved, 1.0f / 60, &bones[0][0], true);
        if (f % 10 == 5) assert_ok(plait_hair_set_device(moved.hair, f % 20 == 5 ? widest : moved.device));
    }
    float *a = rig_positions(&still), *b = rig_positions(&moved);
    assert_memory_equal(a, b, (size_t)still.vertices * 12);
    free(a);
    free(b);
    assert_ok(plait_device_close(widest));
    rig_close(&still);
    rig_close(&moved);
    scene_groom_free(&groom);
}

static void a_device_of_another_context_is_refused(void **state) {
    (void)state;
    scene_groom groom = make_groom();
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(&groom, &desc);
    struct rig_options options = rig_options(&desc);
    struct rig a = rig_open(&options), b = rig_open(&options);
    float *before = rig_positions(&a);
    assert_int_equal(plait_hair_set_device(a.hair, b.device), PLAIT_ERROR_FOREIGN_HANDLE);
    assert_int_equal(plait_hair_set_device(a.hair, (plait_device){0}), PLAIT_ERROR_INVALID_HANDLE);
    float *after = rig_positions(&a);
    assert_memory_equal(before, after, (size_t)a.vertices * 12);
    free(before);
    free(after);
    rig_close(&a);
    rig_close(&b);
    scene_groom_free(&groom);
}

// Open, use and close repeatedly: devices and hairs return all memory.
static void come_and_go(uint32_t backend) {
    scene_groom groom = make_groom();
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(&groom, &desc);
    struct rig_options options = rig_options(&desc);
    struct rig rig = rig_open(&options);
    plait_device_desc device_desc = PLAIT_DEVICE_DESC_INIT;
    device_desc.backend = backend;
    plait_device device;
    if (plait_device_open(rig.context, &device_desc, &device) == PLAIT_OK) {
        uint64_t used = 0;
        for (int i = 0; i < 50; i++) {
            assert_ok(plait_hair_set_device(rig.hair, device));
            rig_step(&rig, 1.0f / 60, NULL, true);
            plait_device_info info = PLAIT_DEVICE_INFO_INIT;
            assert_ok(plait_device_query(device, &info));
            if (i > 0) assert_true(info.memory_used_bytes == used);
            used = info.memory_used_bytes;
            assert_ok(plait_hair_set_device(rig.hair, rig.device));
            assert_ok(plait_device_query(device, &info));
            assert_true(info.memory_used_bytes == 0);
        }
        // Ever larger bodies in one hair: memory of smaller ones must be reused.
        assert_ok(plait_hair_set_device(rig.hair, device));
        plait_collider *colliders = calloc(PLAIT_MAX_COLLIDERS, sizeof *colliders);
        assert_non_null(colliders);
        for (int i = 0; i < (int)PLAIT_MAX_COLLIDERS; i++) {
            colliders[i] = (plait_collider)PLAIT_COLLIDER_INIT;
            colliders[i].kind = PLAIT_COLLIDER_SPHERE;
        }
        for (uint32_t i = 1; i <= 100; i++) {
            plait_body_desc body_desc = PLAIT_BODY_DESC_INIT;
            body_desc.bone_count = SCENE_BONE_COUNT;
            body_desc.collider_count = PLAIT_MAX_COLLIDERS / 100 * i;
            body_desc.colliders = colliders;
            plait_body body;
            assert_ok(plait_body_create(rig.context, &body_desc, &body));
            assert_ok(plait_hair_set_body(rig.hair, body));
            assert_ok(plait_body_destroy(body));
        }
        free(colliders);
        rig_step(&rig, 1.0f / 60, NULL, true);
        assert_ok(plait_device_close(device));
    }
    rig_close(&rig);
    scene_groom_free(&groom);
}

static void devices_and_hairs_come_and_go_without_growing(void **state) {
    (void)state;
    come_and_go(PLAIT_BACKEND_VULKAN);
    come_and_go(PLAIT_BACKEND_CUDA);
}

int main(void) {
    static uint32_t shape = PLAIT_SOLVER_SHAPE, hybrid = PLAIT_SOLVER_HYBRID;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(swaps_in_violent_motion_leave_no_trace, &shape),
        cmocka_unit_test_prestate(swaps_between_cpu_builds_change_nothing_at_all, &shape),
        {"hybrid: swaps in violent motion", swaps_in_violent_motion_leave_no_trace, NULL, NULL, &hybrid},
        {"hybrid: swaps between CPU builds", swaps_between_cpu_builds_change_nothing_at_all, NULL, NULL, &hybrid},
        cmocka_unit_test(a_device_of_another_context_is_refused),
        cmocka_unit_test(devices_and_hairs_come_and_go_without_growing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
