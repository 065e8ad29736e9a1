// Drivers and cards that lack something: CUDA is unavailable with a reason, or works without it, and the CPU is always
// available. And more than usual: two cards.
#include "host.h"
#include "plait_cuda.h"
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct host_driver driver;

static struct rig open_rig(struct straight *s) {
    *s = straight_make(40, 10, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&s->desc);
    options.quiet = true;
    return rig_open(&options);
}

static void close_rig(struct rig *rig, struct straight *s) {
    rig_close(rig);
    straight_free(s);
}

static plait_result open_cuda(plait_context context, uint32_t index, void *next, plait_device *device) {
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = PLAIT_BACKEND_CUDA;
    desc.index = index;
    desc.head.next = next;
    return plait_device_open(context, &desc, device);
}

static uint32_t interop_of(plait_device device) {
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    assert_ok(plait_device_query(device, &info));
    return info.interop;
}

static void expect_unavailable(const char *reason) {
    struct straight s;
    struct rig rig = open_rig(&s);
    plait_backend_info infos[8];
    uint32_t count = 8;
    for (uint32_t i = 0; i < count; i++) infos[i] = (plait_backend_info)PLAIT_BACKEND_INFO_INIT;
    assert_ok(plait_backend_enumerate(rig.context, &count, infos));
    for (uint32_t i = 0; i < count; i++) {
        if (infos[i].backend != PLAIT_BACKEND_CUDA) continue;
        printf("\"%s\"\n", infos[i].reason);
        assert_int_equal(infos[i].available, 0);
        assert_non_null(strstr(infos[i].reason, reason));
    }
    plait_device device;
    assert_int_equal(open_cuda(rig.context, 0, NULL, &device), PLAIT_ERROR_UNAVAILABLE);
    assert_ok(plait_device_open(rig.context, NULL, &device)); // the best there is
    assert_ok(plait_device_close(device));
    close_rig(&rig, &s);
}

static void no_driver(void **state) {
    (void)state;
    expect_unavailable("no NVIDIA driver");
}

static void a_driver_that_lacks_functions(void **state) {
    (void)state;
    expect_unavailable("too old: it has no cu");
}

// A driver compiles PTX of its own version and older.
static void a_driver_older_than_the_compiler(void **state) {
    (void)state;
    setenv("FAKE_CUDA_VERSION", "11080", 1);
    expect_unavailable("too old: it has CUDA 11.8");
    unsetenv("FAKE_CUDA_VERSION");
}

static void no_card(void **state) {
    (void)state;
    setenv("FAKE_CUDA_DEVICES", "0", 1);
    expect_unavailable("driver could not be started");
    unsetenv("FAKE_CUDA_DEVICES");
}

static void set_lack(int attribute) {
    char text[16];
    snprintf(text, sizeof text, "%d", attribute);
    setenv("FAKE_CUDA_LACKS", text, 1);
}

static void an_old_card(void **state) {
    (void)state;
    set_lack(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    expect_unavailable("compute capability");
    unsetenv("FAKE_CUDA_LACKS");
}

static void a_card_that_exports_no_memory(void **state) {
    (void)state;
    set_lack(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
    struct straight s;
    struct rig rig = open_rig(&s);
    plait_device device;
    assert_ok(open_cuda(rig.context, 0, NULL, &device));
    assert_false(interop_of(device) & PLAIT_INTEROP_MEMORY_FD);
    assert_ok(plait_hair_set_device(rig.hair, device));
    struct rig_output output;
    rig_describe_output(rig.vertices, NULL, &output);
    plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
    wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    output.desc.head.next = &wish;
    assert_int_equal(plait_hair_set_output(rig.hair, &output.desc), PLAIT_ERROR_UNSUPPORTED);
    assert_ok(plait_device_close(device));
    close_rig(&rig, &s);
    unsetenv("FAKE_CUDA_LACKS");
}

static void a_card_that_imports_no_semaphores(void **state) {
    (void)state;
    set_lack(CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED);
    struct straight s;
    struct rig rig = open_rig(&s);
    plait_device device;
    assert_ok(open_cuda(rig.context, 0, NULL, &device));
    assert_false(interop_of(device) & PLAIT_INTEROP_SEMAPHORE_FD);
    plait_external_semaphore external = PLAIT_EXTERNAL_SEMAPHORE_INIT;
    external.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    external.handle = 0;
    plait_semaphore semaphore;
    assert_int_equal(plait_semaphore_create(device, &external, &semaphore), PLAIT_ERROR_UNSUPPORTED);
    assert_ok(plait_device_close(device));
    close_rig(&rig, &s);
    unsetenv("FAKE_CUDA_LACKS");
}

// Then there are no semaphores and no rescue: after a loss strands are at rest.
static void a_card_whose_streams_wait_for_nothing(void **state) {
    (void)state;
    set_lack(CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS);
    struct straight s;
    struct rig rig = open_rig(&s);
    float *rest = rig_positions(&rig);
    plait_device device;
    plait_semaphore semaphore;
    assert_ok(open_cuda(rig.context, 0, NULL, &device));
    assert_int_equal(plait_semaphore_create(device, NULL, &semaphore), PLAIT_ERROR_UNSUPPORTED);
    assert_ok(plait_hair_set_device(rig.hair, device));
    for (int f = 0; f < 40; f++) rig_step(&rig, 1.0f / 60, NULL, true);
    driver.lose(CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(plait_hair_reset(rig.hair, 0, NULL), PLAIT_ERROR_DEVICE_LOST);
    assert_ok(plait_hair_set_device(rig.hair, rig.device));
    float *now = rig_positions(&rig);
    assert_true(largest_difference(rest, now, rig.vertices) < 1e-4);
    free(rest);
    free(now);
    assert_ok(plait_device_close(device));
    driver.lose(CUDA_SUCCESS);
    close_rig(&rig, &s);
    unsetenv("FAKE_CUDA_LACKS");
}

// Cards are distinct: a hair moves between them, a host's context belongs to one, and objects of one are refused by the
// other.
static void two_cards(void **state) {
    (void)state;
    setenv("FAKE_CUDA_DEVICES", "2", 1);
    struct straight s;
    struct rig rig = open_rig(&s);
    CUcontext context, current;
    assert_int_equal(driver.create_context(&context, 0, 1), CUDA_SUCCESS);
    plait_cuda_device_desc own = PLAIT_CUDA_DEVICE_DESC_INIT;
    own.context = context;
    plait_device devices[3];
    plait_device_info infos[3];
    for (uint32_t i = 0; i < 3; i++) {
        assert_ok(open_cuda(rig.context, i < 2 ? i : 0, i < 2 ? NULL : &own, &devices[i]));
        infos[i] = (plait_device_info)PLAIT_DEVICE_INFO_INIT;
        assert_ok(plait_device_query(devices[i], &infos[i]));
    }
    assert_memory_not_equal(infos[0].uuid, infos[1].uuid, 16);
    assert_memory_equal(infos[1].uuid, infos[2].uuid, 16);
    plait_external_semaphore external = PLAIT_EXTERNAL_SEMAPHORE_INIT;
    external.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    external.handle = 0;
    memcpy(external.device_uuid, infos[0].uuid, 16);
    plait_semaphore semaphore;
    assert_int_equal(plait_semaphore_create(devices[1], &external, &semaphore), PLAIT_ERROR_OTHER_DEVICE);
    for (uint32_t i = 0; i < 9; i++) {
        assert_ok(plait_hair_set_device(rig.hair, devices[i % 3]));
        float *before = rig_positions(&rig);
        for (int f = 0; f < 3; f++) rig_step(&rig, 1.0f / 60, NULL, true);
        float *after = rig_positions(&rig);
        assert_true(largest_difference(before, after, rig.vertices) < 0.05);
        free(before);
        free(after);
        assert_int_equal(driver.cu.cuCtxGetCurrent(&current), CUDA_SUCCESS);
        assert_ptr_equal(current, context);
    }
    assert_ok(plait_hair_set_device(rig.hair, rig.device));
    for (uint32_t i = 0; i < 3; i++) assert_ok(plait_device_close(devices[i]));
    close_rig(&rig, &s);
    assert_int_equal(driver.destroy_context(context), CUDA_SUCCESS);
    unsetenv("FAKE_CUDA_DEVICES");
}

int main(int argc, char **argv) {
    const struct CMUnitTest without[] = {cmocka_unit_test(no_driver)};
    const struct CMUnitTest old[] = {cmocka_unit_test(a_driver_that_lacks_functions)};
    if (argc > 1 && strcmp(argv[1], "no_driver") == 0) return cmocka_run_group_tests(without, NULL, NULL);
    if (argc > 1 && strcmp(argv[1], "old") == 0) return cmocka_run_group_tests(old, NULL, NULL);
    if (!host_driver_open(&driver) || !driver.lose) {
        printf("the fake CUDA driver is not here\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_older_than_the_compiler),
        cmocka_unit_test(no_card),
        cmocka_unit_test(an_old_card),
        cmocka_unit_test(a_card_that_exports_no_memory),
        cmocka_unit_test(a_card_that_imports_no_semaphores),
        cmocka_unit_test(a_card_whose_streams_wait_for_nothing),
        cmocka_unit_test(two_cards),
    };
    int wrong = cmocka_run_group_tests(tests, NULL, NULL);
    host_driver_close(&driver);
    return wrong;
}
