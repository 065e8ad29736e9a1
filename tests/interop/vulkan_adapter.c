// host_adapters/vulkan as an engine with VMA uses it: Plait on the engine's device, Plait on its own, and the relay.
#include "plait_vulkan_adapter.h"
#include "vulkan_host.h"
#ifdef WITH_DOUBLE // a driver that exports semaphores: the same tests, by another way
#include "double.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINKED(name) .name = name,
static const plait_api linked = {PLAIT_FOR_EACH_FUNCTION(LINKED) PLAIT_FOR_EACH_VULKAN_FUNCTION(LINKED)};

struct engine {
    struct vulkan_host host;
    plait_vk_host adapter;
    struct straight strands;
    struct rig rig; // on Plait's own Vulkan device
    struct rig_output output;
};

static bool engine_open(struct engine *e) {
    memset(e, 0, sizeof *e);
    if (!host_open(&e->host, false)) return false;
    VmaVulkanFunctions functions = {.vkGetInstanceProcAddr = vkGetInstanceProcAddr,
                                    .vkGetDeviceProcAddr = vkGetDeviceProcAddr};
    VmaAllocatorCreateInfo info = {.physicalDevice = e->host.physical,
                                   .device = e->host.device,
                                   .instance = e->host.instance,
                                   .pVulkanFunctions = &functions,
                                   .vulkanApiVersion = VK_API_VERSION_1_2};
    e->adapter = (plait_vk_host){.instance = e->host.instance,
                                 .physical_device = e->host.physical,
                                 .device = e->host.device,
                                 .queue = e->host.queue,
                                 .extensions = e->host.wants.optional_extensions,
                                 .extension_count = e->host.wants.optional_extension_count};
    assert_int_equal(vmaCreateAllocator(&info, &e->adapter.allocator), VK_SUCCESS);
    assert_int_equal(plait_vk_host_init(&e->adapter, vkGetInstanceProcAddr), VK_SUCCESS);
    e->strands = straight_make(40, 20, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&e->strands.desc);
    options.backend = PLAIT_BACKEND_VULKAN;
    e->rig = rig_open(&options);
    rig_describe_output(e->rig.vertices, NULL, &e->output);
    return true;
}

static void engine_close(struct engine *e) {
    rig_close(&e->rig);
    straight_free(&e->strands);
    vmaDestroyAllocator(e->adapter.allocator);
    host_close(&e->host);
}

static void expect_strands(struct engine *e, const void *memory) {
    float *positions = rig_positions(&e->rig);
    assert_memory_equal(memory, positions, e->output.desc.size);
    free(positions);
}

static void strands_land_in_a_buffer_inside_one_of_vmas_blocks(void **state) {
    (void)state;
    struct engine e;
    if (!engine_open(&e)) skip();
    assert_true(e.adapter.exports_memory);
    plait_vk_pool pool;
    assert_int_equal(plait_vk_pool_create(&e.adapter, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, VK_TRUE, &pool), VK_SUCCESS);
    plait_vk_buffer buffers[3]; // the first ones so that the last has an offset
    for (int i = 0; i < 3; i++) {
        assert_int_equal(plait_vk_buffer_create(&e.adapter, &pool, e.output.desc.size, &buffers[i]), VK_SUCCESS);
        assert_non_null(buffers[i].mapped);
        memset(buffers[i].mapped, 0x55, e.output.desc.size);
    }
    plait_external_memory external;
    assert_int_equal(plait_vk_export_buffer(&e.adapter, &buffers[1], &external), VK_SUCCESS);
    assert_true(external.dedicated || external.offset > 0);
    e.output.desc.head.next = &external;
    assert_ok(plait_hair_set_output(e.rig.hair, &e.output.desc));
    for (int f = 0; f < 3; f++) {
        rig_step(&e.rig, 1.0f / 60, NULL, true);
        assert_ok(plait_hair_wait(e.rig.hair, UINT64_MAX));
        expect_strands(&e, buffers[1].mapped);
    }
    for (uint64_t i = 0; i < e.output.desc.size; i++) { // the neighbours are unchanged
        assert_int_equal(((unsigned char *)buffers[0].mapped)[i], 0x55);
        assert_int_equal(((unsigned char *)buffers[2].mapped)[i], 0x55);
    }
    // A driver that exports only dedicated allocations: the same, described differently.
    e.adapter.memory_is_dedicated = VK_TRUE;
    plait_vk_buffer alone;
    assert_int_equal(plait_vk_buffer_create(&e.adapter, &pool, e.output.desc.size, &alone), VK_SUCCESS);
    assert_int_equal(plait_vk_export_buffer(&e.adapter, &alone, &external), VK_SUCCESS);
    assert_int_equal(external.dedicated, 1);
    assert_ok(plait_hair_set_output(e.rig.hair, &e.output.desc));
    rig_step(&e.rig, 1.0f / 60, NULL, true);
    assert_ok(plait_hair_wait(e.rig.hair, UINT64_MAX));
    expect_strands(&e, alone.mapped);
    assert_ok(plait_hair_set_output(e.rig.hair, NULL));
    plait_vk_buffer_destroy(&e.adapter, &alone);
    for (int i = 0; i < 3; i++) plait_vk_buffer_destroy(&e.adapter, &buffers[i]);
    plait_vk_pool_destroy(&e.adapter, &pool);
    // Reports where nothing can be exported.
    e.adapter.exports_memory = VK_FALSE;
    assert_int_equal(plait_vk_pool_create(&e.adapter, 0, VK_TRUE, &pool), VK_ERROR_FEATURE_NOT_PRESENT);
    engine_close(&e);
}

static uint64_t counter(const struct engine *e, VkSemaphore semaphore) {
    uint64_t value = 0;
    assert_int_equal(vkGetSemaphoreCounterValue(e->host.device, semaphore, &value), VK_SUCCESS);
    return value;
}

static void frames_are_ordered_by_the_engines_semaphores_on_its_own_device(void **state) {
    (void)state;
    struct engine e;
    if (!engine_open(&e)) skip();
    plait_vulkan_device_desc on = plait_vk_device_desc(&e.adapter);
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = PLAIT_BACKEND_VULKAN;
    desc.head.next = &on;
    plait_device device;
    assert_ok(plait_device_open(e.rig.context, &desc, &device));
    assert_ok(plait_hair_set_device(e.rig.hair, device));
    plait_vulkan_output_desc place = plait_vk_output_desc(&e.adapter, e.host.buffer, 64);
    e.output.desc.head.next = &place;
    assert_ok(plait_hair_set_output(e.rig.hair, &e.output.desc));
    VkSemaphore timeline;
    assert_int_equal(plait_vk_semaphore_create(&e.adapter, &timeline), VK_SUCCESS);
    plait_vulkan_frame_desc order = plait_vk_frame_desc(VK_NULL_HANDLE, 0, timeline, 7);
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.head.next = &order;
    assert_ok(plait_hair_step(e.rig.hair, &frame));
    uint64_t seven = 7;
    VkSemaphoreWaitInfo until = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, 0, 1, &timeline, &seven};
    assert_int_equal(vkWaitSemaphores(e.host.device, &until, 10000000000u), VK_SUCCESS);
    expect_strands(&e, e.host.mapped + 16);
    assert_ok(plait_hair_set_output(e.rig.hair, NULL));
    assert_ok(plait_hair_set_device(e.rig.hair, e.rig.device));
    assert_ok(plait_device_close(device));
    vkDestroySemaphore(e.host.device, timeline, NULL);
    engine_close(&e);
}

// Shared semaphores where the driver has them, else the relay: the same frames in the same order.
static void frames_are_ordered_across_two_devices(void **state) {
    (void)state;
    struct engine e;
    if (!engine_open(&e)) skip();
    plait_vk_pool pool;
    plait_vk_buffer buffer;
    assert_int_equal(plait_vk_pool_create(&e.adapter, 0, VK_TRUE, &pool), VK_SUCCESS);
    assert_int_equal(plait_vk_buffer_create(&e.adapter, &pool, e.output.desc.size, &buffer), VK_SUCCESS);
    plait_external_memory external;
    assert_int_equal(plait_vk_export_buffer(&e.adapter, &buffer, &external), VK_SUCCESS);
    e.output.desc.head.next = &external;
    assert_ok(plait_hair_set_output(e.rig.hair, &e.output.desc));
    VkSemaphore drawn, written;
    assert_int_equal(plait_vk_semaphore_create(&e.adapter, &drawn), VK_SUCCESS);
    assert_int_equal(plait_vk_semaphore_create(&e.adapter, &written), VK_SUCCESS);
    plait_semaphore wait, signal;
    plait_external_semaphore handle;
    bool relay = !e.adapter.exports_semaphores;
    printf("%s\n", relay ? "the engine relays" : "semaphores are shared");
#ifdef WITH_DOUBLE
    assert_false(relay);
#endif
    if (relay) {
        assert_int_equal(plait_vk_export_semaphore(&e.adapter, drawn, &handle), VK_ERROR_FEATURE_NOT_PRESENT);
        assert_ok(plait_semaphore_create(e.rig.device, NULL, &wait));
        assert_ok(plait_semaphore_create(e.rig.device, NULL, &signal));
        assert_int_equal(plait_vk_relay_to_engine(&e.adapter, &linked, signal, 1, written, 1, 1000), VK_TIMEOUT);
    } else {
        assert_int_equal(plait_vk_export_semaphore(&e.adapter, drawn, &handle), VK_SUCCESS);
        assert_ok(plait_semaphore_create(e.rig.device, &handle, &wait));
        assert_int_equal(plait_vk_export_semaphore(&e.adapter, written, &handle), VK_SUCCESS);
        assert_ok(plait_semaphore_create(e.rig.device, &handle, &signal));
    }
    plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
    sync.wait_semaphore = wait;
    sync.signal_semaphore = signal;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.gravity[1] = -9.81f;
    frame.head.next = &sync;
    for (uint64_t f = 1; f <= 5; f++) {
        sync.wait_value = sync.signal_value = f;
        assert_ok(plait_hair_step(e.rig.hair, &frame));
        assert_true(counter(&e, written) == f - 1); // Plait waits for the engine
        VkSemaphoreSignalInfo done = {VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, NULL, drawn, f};
        assert_int_equal(vkSignalSemaphore(e.host.device, &done), VK_SUCCESS);
        if (relay) {
            assert_int_equal(plait_vk_relay_to_plait(&e.adapter, &linked, drawn, f, wait, f, UINT64_MAX), VK_SUCCESS);
            assert_int_equal(plait_vk_relay_to_engine(&e.adapter, &linked, signal, f, written, f, UINT64_MAX),
                             VK_SUCCESS);
        }
        VkSemaphoreWaitInfo until = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, 0, 1, &written, &f};
        assert_int_equal(vkWaitSemaphores(e.host.device, &until, 10000000000u), VK_SUCCESS);
        expect_strands(&e, buffer.mapped);
    }
    assert_ok(plait_hair_set_output(e.rig.hair, NULL));
    assert_ok(plait_semaphore_destroy(wait));
    assert_ok(plait_semaphore_destroy(signal));
    vkDestroySemaphore(e.host.device, drawn, NULL);
    vkDestroySemaphore(e.host.device, written, NULL);
    plait_vk_buffer_destroy(&e.adapter, &buffer);
    plait_vk_pool_destroy(&e.adapter, &pool);
    engine_close(&e);
}

int main(void) {
#ifdef WITH_DOUBLE
    double_pretend(&(struct double_pretence){.semaphore_fds = true});
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strands_land_in_a_buffer_inside_one_of_vmas_blocks),
        cmocka_unit_test(frames_are_ordered_by_the_engines_semaphores_on_its_own_device),
        cmocka_unit_test(frames_are_ordered_across_two_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
