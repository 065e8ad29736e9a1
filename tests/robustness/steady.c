// A running hair only submits: no memory, no objects, no recording of commands.
#include "stand.h"

#include <stdio.h>
#include <string.h>

static const char *const costly[] = {"vkAllocateMemory",         "vkMapMemory",          "vkCreateBuffer",
                                     "vkAllocateCommandBuffers", "vkBeginCommandBuffer", "vkCreateDescriptorPool",
                                     "vkAllocateDescriptorSets", "vkCreateShaderModule", "vkCreateComputePipelines",
                                     "vkCreateSemaphore",        "vkCreateQueryPool",    "vkCreateCommandPool"};

static void frames_only_submit(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    struct stand stand;
    stand_open(&stand);
    plait_device vulkan;
    plait_hair hair;
    float output[3 * 400];
    assert_ok(stand_open_vulkan(&stand, &vulkan));
    assert_ok(stand_hair(&stand, vulkan, &hair));
    struct stand_output desc;
    stand_output(&stand, output, &desc);
    assert_ok(plait_hair_set_output(hair, &desc.desc));
    int frame = 1;
    while (frame <= 60) assert_ok(stand_step(hair, frame++)); // each command buffer is recorded once
    double_reset();
    uint64_t calls = stand.memory.calls;
    while (frame <= 260) assert_ok(stand_step(hair, frame++));
    for (size_t i = 0; i < sizeof costly / sizeof costly[0]; i++) {
        if (double_calls(costly[i])) fail_msg("%s was called %u times", costly[i], double_calls(costly[i]));
    }
    assert_true(stand.memory.calls == calls);
    printf("%g submissions a frame\n", double_calls("vkQueueSubmit") / 200.0);
    // The step, which is cut in two for rods, the output, sometimes a rescue.
    uint32_t parts = test_solver() == PLAIT_SOLVER_HYBRID ? 2 : 1;
    assert_true(double_calls("vkQueueSubmit") <= 200 * (parts + 1) + 200 / 16 + 1);
    assert_ok(plait_hair_destroy(hair));
    assert_ok(plait_device_close(vulkan));
    stand_close(&stand);
}

// VMA, too, lives on the host's memory.
static void the_hosts_memory_may_run_out_anywhere(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    bool failed = true;
    uint32_t refused = 0;
    for (uint64_t n = 0; failed; n += 1 + n / 3) {
        struct stand stand;
        stand_open(&stand);
        float output[3 * 400];
        plait_device vulkan = {0};
        plait_hair hair = {0};
        struct stand_output desc;
        stand_output(&stand, output, &desc);
        uint64_t before = stand.memory.calls;
        stand.memory.fail_from = before + n;
        stand.memory.fail_to = before + n + 1;
        plait_result result = stand_open_vulkan(&stand, &vulkan);
        if (result == PLAIT_OK) result = stand_hair(&stand, vulkan, &hair);
        if (result == PLAIT_OK) result = plait_hair_set_output(hair, &desc.desc);
        if (result == PLAIT_OK) result = stand_step(hair, 1);
        failed = stand.memory.calls > before + n;
        if (failed != (result != PLAIT_OK)) fail_msg("allocation %u failed, and the result is %d", (unsigned)n, result);
        if (failed) assert_int_equal(result, PLAIT_ERROR_OUT_OF_MEMORY);
        refused += failed;
        if (hair.id) assert_ok(plait_hair_destroy(hair));
        if (vulkan.id) assert_ok(plait_device_close(vulkan));
        stand_close(&stand); // nothing is left
    }
    printf("%u of the allocations failed\n", refused);
    assert_true(refused > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_only_submit),
                                       cmocka_unit_test(the_hosts_memory_may_run_out_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
