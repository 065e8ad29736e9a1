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
    assert_true(double_calls("vkQueueSubmit") <= 200 * 2 + 200 / 16 + 1); // the step, the output, sometimes a rescue
    assert_ok(plait_hair_destroy(hair));
    assert_ok(plait_device_close(vulkan));
    stand_close(&stand);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_only_submit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
