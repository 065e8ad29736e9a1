// Missing parts: no device, no driver at all, an old one, one without timestamps. Vulkan is unavailable with a reason
// or works without, and the CPU is always available.
#include "stand.h"

#include "plait_vulkan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// says: what the reason must say, for whoever has to mend it.
static void expect_unavailable(const char *why, const char *says) {
    struct stand stand;
    stand_open(&stand);
    plait_backend_info info = stand_vulkan_info(&stand);
    plait_device device;
    printf("%s: \"%s\"\n", why, info.reason);
    assert_int_equal(info.available, 0);
    assert_int_equal(info.device_count, 0);
    if (!strstr(info.reason, says)) fail_msg("\"%s\" does not say \"%s\"", info.reason, says);
    assert_int_equal(stand_open_vulkan(&stand, &device), PLAIT_ERROR_UNAVAILABLE);
    assert_true(device.id == 0);
    assert_int_equal(stand.errors, 1);
    assert_non_null(strstr(stand.said, info.reason));
    plait_hair hair;
    float positions[3 * 400];
    assert_ok(stand_hair(&stand, stand.cpu, &hair));
    assert_ok(stand_step(hair, 1));
    assert_ok(stand_read(&stand, hair, positions));
    stand_expect_sound(&stand, positions, 1);
    assert_ok(plait_hair_destroy(hair));
    assert_ok(plait_device_open(stand.context, NULL, &device)); // the best there is
    assert_ok(plait_device_close(device));
    stand_close(&stand);
}

// A host with another Vulkan loader asks about a device that we cannot query.
static void expect_hosts_refused(void) {
    struct stand stand;
    stand_open(&stand);
    int stranger = 0;
    plait_vulkan_wants_info wants = PLAIT_VULKAN_WANTS_INFO_INIT;
    assert_int_equal(plait_vulkan_query_wants(stand.context, &stranger, &wants), PLAIT_ERROR_UNAVAILABLE);
    plait_vulkan_device_desc vulkan = PLAIT_VULKAN_DEVICE_DESC_INIT;
    vulkan.physical_device = vulkan.device = vulkan.queue = &stranger;
    vulkan.features = PLAIT_VULKAN_FEATURE_TIMELINE_SEMAPHORE;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = PLAIT_BACKEND_VULKAN;
    desc.head.next = &vulkan;
    plait_device device;
    assert_int_equal(plait_device_open(stand.context, &desc, &device), PLAIT_ERROR_UNAVAILABLE);
    stand_close(&stand);
}

static void what_a_driver_lacks_is_named(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    static const struct {
        const char *name, *says;
        struct double_pretence pretence;
    } cases[] = {
        {"no device", "device", {.no_devices = true}},
        {"Vulkan 1.0", "Vulkan 1.1", {.api_version = VK_API_VERSION_1_0}},
        {"no timeline semaphores", "timeline semaphores", {.no_timeline = true}},
        {"Vulkan 1.1 without their extension",
         "VK_KHR_timeline_semaphore",
         {.api_version = VK_API_VERSION_1_1, .hidden = VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double_pretend(&cases[i].pretence);
        expect_unavailable(cases[i].name, cases[i].says);
    }
    double_reset();
}

static void a_machine_without_drivers_has_the_cpu(void **state) {
    (void)state;
    const char *empty = "robustness_empty_driver.json";
    FILE *file = fopen(empty, "w");
    assert_non_null(file);
    fputs("{}", file);
    fclose(file);
    const char *const files[] = {"/nonexistent/driver.json", empty};
    for (int i = 0; i < 2; i++) {
        setenv("VK_ICD_FILENAMES", files[i], 1); // what loaders called it, and what they call it
        setenv("VK_DRIVER_FILES", files[i], 1);
        expect_unavailable(files[i], "no Vulkan driver is installed: install");
        expect_hosts_refused();
    }
    unsetenv("VK_ICD_FILENAMES");
    unsetenv("VK_DRIVER_FILES");
    remove(empty);
}

// The driver has less than usual, but enough.
static void expect_work(struct stand *stand, plait_device vulkan, plait_stage_info stages[8], uint32_t *count) {
    plait_hair hair;
    float output[3 * 400], positions[3 * 400];
    assert_ok(stand_hair(stand, vulkan, &hair));
    struct stand_output desc;
    stand_output(stand, output, &desc);
    assert_ok(plait_hair_set_output(hair, &desc.desc));
    for (int f = 1; f <= 10; f++) assert_ok(stand_step(hair, f));
    assert_ok(plait_hair_wait(hair, UINT64_MAX));
    stand_expect_sound(stand, output, 10);
    assert_ok(stand_read(stand, hair, positions));
    assert_true(largest_difference(output, positions, stand->vertices) == 0);
    *count = 8;
    for (uint32_t i = 0; i < 8; i++) stages[i] = (plait_stage_info)PLAIT_STAGE_INFO_INIT;
    assert_ok(plait_hair_stages(hair, count, stages));
    assert_ok(plait_hair_destroy(hair));
}

static void without_timestamps_times_are_zero_and_all_else_works(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    for (int without = 0; without < 2; without++) {
        double_pretend(&(struct double_pretence){.no_timestamps = without});
        struct stand stand;
        stand_open(&stand);
        plait_device vulkan;
        assert_ok(stand_open_vulkan(&stand, &vulkan));
        plait_stage_info stages[8];
        uint32_t count;
        expect_work(&stand, vulkan, stages, &count);
        assert_true(count > 2);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(stages[i].run_count == 10);
            assert_int_equal(stages[i].total_s == 0 && stages[i].frame_s == 0, without);
        }
        assert_int_equal(stand.errors, 0);
        assert_ok(plait_device_close(vulkan));
        stand_close(&stand);
    }
    double_reset();
}

static void vulkan_1_1_with_the_extension_is_enough(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    double_pretend(&(struct double_pretence){.api_version = VK_API_VERSION_1_1, .uuid = {4, 7, 1, 1}});
    struct stand stand;
    stand_open(&stand);
    plait_device vulkan;
    assert_ok(stand_open_vulkan(&stand, &vulkan));
    plait_stage_info stages[8];
    uint32_t count;
    expect_work(&stand, vulkan, stages, &count);
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    assert_ok(plait_device_query(vulkan, &info));
    assert_memory_equal(info.uuid, ((uint8_t[16]){4, 7, 1, 1}), 16);
    assert_ok(plait_device_close(vulkan));
    stand_close(&stand);
    double_reset();
}

static uint32_t interop_of_vulkan(void) {
    struct stand stand;
    stand_open(&stand);
    plait_device vulkan;
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    assert_ok(stand_open_vulkan(&stand, &vulkan));
    assert_ok(plait_device_query(vulkan, &info));
    assert_ok(plait_device_close(vulkan));
    stand_close(&stand);
    return info.interop;
}

static void extensions_count_wherever_they_stand_in_the_list(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    double_reset();
    uint32_t interop = interop_of_vulkan();
    assert_true(interop & ~PLAIT_INTEROP_HOST_POINTER); // of which some are from extensions
    double_pretend(&(struct double_pretence){.unheard = 2000});
    assert_int_equal(interop_of_vulkan(), interop);
    double_reset();
}

int main(int argc, char **argv) {
    // Run where the Vulkan loader cannot be opened or used: the argument is what must be said of it.
    if (argc > 1) {
        expect_unavailable("no loader", argv[1]);
        expect_hosts_refused();
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_driver_lacks_is_named),
        cmocka_unit_test(a_machine_without_drivers_has_the_cpu),
        cmocka_unit_test(without_timestamps_times_are_zero_and_all_else_works),
        cmocka_unit_test(vulkan_1_1_with_the_extension_is_enough),
        cmocka_unit_test(extensions_count_wherever_they_stand_in_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
