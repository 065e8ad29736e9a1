// Plait on a Vulkan host's device: output in the host's buffer, ordered by the host's timeline semaphore.
#include "vulkan_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = HOST_BUFFER_BYTES, OFFSET = 260 };

static int locked, locks;
static void PLAIT_CALL lock(void *user) {
    (void)user;
    assert_int_equal(locked++, 0);
    locks++;
}
static void PLAIT_CALL unlock(void *user) {
    (void)user;
    assert_int_equal(--locked, 0);
}

static plait_device open_on(plait_context context, const struct vulkan_host *h) {
    plait_vulkan_device_desc vulkan = PLAIT_VULKAN_DEVICE_DESC_INIT;
    vulkan.physical_device = h->physical;
    vulkan.device = h->device;
    vulkan.queue = h->queue;
    vulkan.features = PLAIT_VULKAN_FEATURE_TIMELINE_SEMAPHORE;
    vulkan.lock_queue = lock;
    vulkan.unlock_queue = unlock;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = PLAIT_BACKEND_VULKAN;
    desc.head.next = &vulkan;
    plait_device device;
    assert_ok(plait_device_open(context, &desc, &device));
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    assert_ok(plait_device_query(device, &info));
    assert_true(info.interop & PLAIT_INTEROP_VULKAN_BUFFER && info.interop & PLAIT_INTEROP_VULKAN_TIMELINE);
    return device;
}

struct buffer_output {
    plait_output_attribute attribute;
    plait_vulkan_output_desc vulkan;
    plait_output_desc desc;
};

static void describe_output(struct buffer_output *o, const struct vulkan_host *h) {
    o->attribute = (plait_output_attribute)PLAIT_OUTPUT_ATTRIBUTE_INIT;
    o->attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
    o->attribute.format = PLAIT_FORMAT_FLOAT32X4;
    o->attribute.stride = 16;
    o->vulkan = (plait_vulkan_output_desc)PLAIT_VULKAN_OUTPUT_DESC_INIT;
    o->vulkan.device = h->device;
    memcpy(&o->vulkan.buffer, &h->buffer, sizeof o->vulkan.buffer);
    o->vulkan.offset = OFFSET;
    o->desc = (plait_output_desc)PLAIT_OUTPUT_DESC_INIT;
    o->desc.head.next = &o->vulkan;
    o->desc.attribute_count = 1;
    o->desc.attributes = &o->attribute;
    o->desc.size = BUFFER_BYTES - OFFSET;
}

static void expect_in_buffer(struct rig *rig, const struct vulkan_host *h) {
    float *positions = rig_positions(rig);
    for (uint32_t v = 0; v < rig->vertices; v++)
        assert_memory_equal(h->mapped + OFFSET / 4 + 4 * (size_t)v, positions + 3 * v, 12);
    free(positions);
}

static void strands_land_in_the_hosts_buffer_in_the_hosts_order(void **state) {
    (void)state;
    struct vulkan_host h;
    if (!host_open(&h, false)) skip();
    for (uint32_t i = 0; i < BUFFER_BYTES / 4; i++) h.mapped[i] = 4711;
    struct straight s = straight_make(40, 20, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&s.desc);
    struct rig rig = rig_open(&options);
    plait_device device = open_on(rig.context, &h);
    struct buffer_output output;
    describe_output(&output, &h);
    assert_int_equal(plait_hair_set_output(rig.hair, &output.desc), PLAIT_ERROR_UNSUPPORTED); // it is on the CPU
    assert_ok(plait_hair_set_device(rig.hair, device));
    assert_ok(plait_hair_set_output(rig.hair, &output.desc));
    assert_int_equal(plait_hair_set_device(rig.hair, rig.device), PLAIT_ERROR_UNSUPPORTED); // the CPU cannot write it

    plait_vulkan_frame_desc sync = PLAIT_VULKAN_FRAME_DESC_INIT;
    memcpy(&sync.signal_semaphore, &h.timeline, sizeof sync.signal_semaphore);
    memcpy(&sync.wait_semaphore, &h.timeline, sizeof sync.wait_semaphore);
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.head.next = &sync;
    frame.gravity[1] = -9.81f;
    uint64_t value = 0;
    for (int f = 0; f < 50; f++) {
        bool refused = f % 7 == 3;            // it keeps the order like any other
        frame.dt = refused ? -1 : 1.0f / 100; // some frames have no step
        sync.wait_value = value + 1;          // what the renderer signals when it is done with the last frame
        sync.signal_value = value = value + 2;
        assert_int_equal(plait_hair_step(rig.hair, &frame), refused ? PLAIT_ERROR_INVALID_ARGUMENT : PLAIT_OK);
        uint64_t now;
        assert_int_equal(vkGetSemaphoreCounterValue(h.device, h.timeline, &now), VK_SUCCESS);
        assert_true(now == value - 2); // Plait waits for the renderer
        VkSemaphoreSignalInfo done = {
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = h.timeline, .value = value - 1};
        assert_int_equal(vkSignalSemaphore(h.device, &done), VK_SUCCESS);
        VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                    .semaphoreCount = 1,
                                    .pSemaphores = &h.timeline,
                                    .pValues = &value};
        assert_int_equal(vkWaitSemaphores(h.device, &wait, 10000000000u), VK_SUCCESS);
        if (f % 10 == 9) expect_in_buffer(&rig, &h);
    }
    uint32_t first = OFFSET / 4, last = first + 4 * rig.vertices;
    for (uint32_t i = 0; i < BUFFER_BYTES / 4; i++)
        if (i < first || i >= last) assert_true(h.mapped[i] == 4711);
    assert_true(locks > 50);
    sync.wait_semaphore = 0;
    sync.signal_value = value; // reached already
    assert_int_equal(plait_hair_step(rig.hair, &frame), PLAIT_ERROR_INVALID_ARGUMENT);
    // Without semaphores plait_hair_wait is enough, and with the output gone the hair is free to leave.
    frame.head.next = NULL;
    assert_ok(plait_hair_step(rig.hair, &frame));
    assert_ok(plait_hair_wait(rig.hair, UINT64_MAX));
    expect_in_buffer(&rig, &h);
    assert_ok(plait_hair_set_output(rig.hair, NULL));
    assert_ok(plait_hair_set_device(rig.hair, rig.device));
    frame.head.next = &sync;
    assert_int_equal(plait_hair_step(rig.hair, &frame), PLAIT_ERROR_UNSUPPORTED); // semaphores on the CPU
    assert_ok(plait_device_close(device));
    rig_close(&rig);
    straight_free(&s);
    host_close(&h);
}

static void wrong_vulkan_structs_are_refused(void **state) {
    (void)state;
    struct vulkan_host h;
    if (!host_open(&h, false)) skip();
    struct straight s = straight_make(2, 5, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&s.desc);
    struct rig rig = rig_open(&options);
    plait_vulkan_device_desc vulkan = PLAIT_VULKAN_DEVICE_DESC_INIT;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.head.next = &vulkan;
    plait_device device;
    assert_int_equal(plait_device_open(rig.context, &desc, &device), PLAIT_ERROR_INVALID_ARGUMENT); // not for Vulkan
    desc.backend = PLAIT_BACKEND_VULKAN;
    assert_int_equal(plait_device_open(rig.context, &desc, &device), PLAIT_ERROR_INVALID_ARGUMENT); // no handles
    vulkan.physical_device = h.physical;
    vulkan.device = h.device;
    vulkan.queue = h.queue;
    vulkan.lock_queue = lock;
    assert_int_equal(plait_device_open(rig.context, &desc, &device), PLAIT_ERROR_INVALID_ARGUMENT); // one callback

    device = open_on(rig.context, &h);
    assert_ok(plait_hair_set_device(rig.hair, device));
    struct buffer_output output;
    describe_output(&output, &h);
    output.vulkan.buffer = 0;
    assert_int_equal(plait_hair_set_output(rig.hair, &output.desc), PLAIT_ERROR_INVALID_ARGUMENT);
    describe_output(&output, &h);
    output.vulkan.device = &h;
    assert_int_equal(plait_hair_set_output(rig.hair, &output.desc), PLAIT_ERROR_UNSUPPORTED);
    describe_output(&output, &h);
    output.vulkan.offset = 2;
    assert_int_equal(plait_hair_set_output(rig.hair, &output.desc), PLAIT_ERROR_INVALID_ARGUMENT);
    describe_output(&output, &h);
    output.desc.memory = &output;
    assert_int_equal(plait_hair_set_output(rig.hair, &output.desc), PLAIT_ERROR_INVALID_ARGUMENT);
    describe_output(&output, &h);
    output.desc.size = 100;
    assert_int_equal(plait_hair_set_output(rig.hair, &output.desc), PLAIT_ERROR_BUFFER_TOO_SMALL);
    // Attributes beyond the range that the device can write, although the description says that the buffer holds them.
    describe_output(&output, &h);
    output.attribute.stride = 1ull << 30;
    output.desc.size = 1ull << 40;
    plait_result wide = plait_hair_set_output(rig.hair, &output.desc);
    assert_true(wide == PLAIT_ERROR_TOO_LARGE);
    plait_vulkan_frame_desc sync = PLAIT_VULKAN_FRAME_DESC_INIT;
    memcpy(&sync.signal_semaphore, &h.timeline, sizeof sync.signal_semaphore);
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.head.next = &sync;
    frame.dt = 1.0f / 60;
    assert_int_equal(plait_hair_step(rig.hair, &frame), PLAIT_ERROR_INVALID_ARGUMENT); // nothing to signal for
    assert_ok(plait_device_close(device));
    rig_close(&rig);
    straight_free(&s);
    host_close(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strands_land_in_the_hosts_buffer_in_the_hosts_order),
        cmocka_unit_test(wrong_vulkan_structs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
