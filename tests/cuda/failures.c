// Every call to the driver fails once in turn: a clean error, no leaks, and the hair continues elsewhere. Only with the
// fake driver, which can be told to fail.
#include "host.h"
#include "plait_cuda.h"
#include "rig.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct host_driver driver;
static char failed[64]; // the call that was made to fail

static int open_files(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

// Shared memory and semaphores of a host. Any of it may fail.
static void share(struct rig *rig, plait_device device) {
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    assert_ok(plait_device_query(device, &info));
    struct rig_output output;
    rig_describe_output(rig->vertices, NULL, &output);
    plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
    wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    output.desc.head.next = &wish;
    plait_external_memory memory = PLAIT_EXTERNAL_MEMORY_INIT;
    if (plait_hair_set_output(rig->hair, &output.desc) != PLAIT_OK) return;
    if (plait_hair_export_output(rig->hair, &memory) != PLAIT_OK) return;
    output.desc.head.next = &memory; // our own memory, imported by its handle
    if (plait_hair_set_output(rig->hair, &output.desc) != PLAIT_OK) close((int)memory.handle);

    int fd = memfd_create("timeline", MFD_CLOEXEC);
    assert_true(fd >= 0 && ftruncate(fd, 8) == 0);
    plait_external_semaphore external = PLAIT_EXTERNAL_SEMAPHORE_INIT;
    external.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    external.handle = fd;
    memcpy(external.device_uuid, info.uuid, 16);
    plait_semaphore imported = {0}, own = {0};
    if (plait_semaphore_create(device, &external, &imported) != PLAIT_OK) close(fd);
    plait_semaphore_create(device, NULL, &own);
    plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.head.next = &sync;
    if (imported.id && own.id) {
        sync.wait_semaphore = own;
        sync.signal_semaphore = imported;
        sync.wait_value = sync.signal_value = 1;
        uint64_t value = 0;
        if (plait_semaphore_signal(own, 1) == PLAIT_OK && plait_hair_step(rig->hair, &frame) == PLAIT_OK)
            plait_semaphore_wait(imported, 1, 1000000000);
        plait_semaphore_query(imported, &value);
        sync.wait_semaphore = imported;
        sync.signal_semaphore = own;
        sync.signal_value = 2;
        if (value == 1 && plait_hair_step(rig->hair, &frame) == PLAIT_OK) plait_semaphore_wait(own, 2, 1000000000);
    }
    plait_hair_set_output(rig->hair, NULL);
    if (imported.id) assert_ok(plait_semaphore_destroy(imported));
    if (own.id) assert_ok(plait_semaphore_destroy(own));
}

static void use(struct rig *rig, plait_device device, float *memory) {
    struct rig_output output;
    rig_describe_output(rig->vertices, memory, &output);
    if (plait_hair_set_device(rig->hair, device) != PLAIT_OK) return;
    plait_hair_set_output(rig->hair, &output.desc);
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.gravity[1] = -9.81f;
    for (int f = 0; f < 6; f++) plait_hair_step(rig->hair, &frame);
    plait_hair_wait(rig->hair, 1000000000);
    plait_hair_read(rig->hair, &output.desc);
    plait_hair_set_output(rig->hair, NULL);
    share(rig, device);
}

// The whole path once; every call to the driver may fail. Returns the number of calls.
static uint64_t scenario(struct rig *rig, CUcontext hosts) {
    float *memory = malloc((size_t)rig->vertices * 12);
    assert_non_null(memory);
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = PLAIT_BACKEND_CUDA;
    plait_device device;
    if (plait_device_open(rig->context, &desc, &device) == PLAIT_OK) {
        use(rig, device, memory);
        // Moves away: what failed once works the second time.
        if (plait_hair_set_output(rig->hair, NULL) != PLAIT_OK) plait_hair_set_output(rig->hair, NULL);
        if (plait_hair_set_device(rig->hair, rig->device) != PLAIT_OK)
            assert_ok(plait_hair_set_device(rig->hair, rig->device));
        assert_ok(plait_device_close(device));
    }
    uint64_t calls = driver.calls();
    snprintf(failed, sizeof failed, "%s", driver.failed());
    driver.fail_at(0, CUDA_SUCCESS);
    CUcontext current;
    driver.cu.cuCtxGetCurrent(&current);
    assert_ptr_equal(current, hosts);
    for (int f = 0; f < 3; f++) rig_step(rig, 1.0f / 60, NULL, true);
    float *positions = rig_positions(rig);
    for (uint32_t i = 0; i < 3 * rig->vertices; i++) assert_true(positions[i] > -10 && positions[i] < 10);
    free(positions);
    free(memory);
    return calls;
}

static uint64_t run_with_failure(const plait_groom_desc *groom, uint64_t call, CUresult error) {
    CUcontext hosts;
    assert_int_equal(driver.create_context(&hosts, 0, 0), CUDA_SUCCESS); // the host's own, current all the time
    unsigned living = driver.living();
    int files = open_files();
    struct rig_options options = rig_options(groom);
    options.quiet = true;
    struct rig rig = rig_open(&options);
    driver.fail_at(call, error);
    uint64_t calls = scenario(&rig, hosts);
    rig_close(&rig);
    if (driver.living() != living || open_files() != files)
        fail_msg("%s failing as call %llu: %u objects before, %u after; %d files before, %d after", failed,
                 (unsigned long long)call, living, driver.living(), files, open_files());
    assert_int_equal(driver.destroy_context(hosts), CUDA_SUCCESS);
    return calls;
}

static void every_call_may_fail_once(void **state) {
    (void)state;
    if (!driver.fail_at) skip();
    struct straight s = straight_make(40, 6, 0.2f, (float[3]){1, 0, 0});
    uint64_t calls = run_with_failure(&s.desc, 0, CUDA_SUCCESS);
    printf("%llu calls\n", (unsigned long long)calls);
    assert_true(calls > 500);
    static const CUresult errors[] = {999, CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_LAUNCH_FAILED};
    for (uint64_t call = 1; call <= calls; call++) run_with_failure(&s.desc, call, errors[call % 3]);
    straight_free(&s);
}

// Nobody waits forever for a frame that fails: either it was refused before it promised its signal value, which may be
// used again, or it signals all the same.
static void a_frame_that_fails_signals_nevertheless(void **state) {
    (void)state;
    struct straight s = straight_make(40, 6, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&s.desc);
    options.backend = PLAIT_BACKEND_CUDA;
    options.quiet = true;
    struct rig rig = rig_open(&options);
    struct rig_output output;
    rig_describe_output(rig.vertices, NULL, &output);
    plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
    wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    output.desc.head.next = &wish;
    assert_ok(plait_hair_set_output(rig.hair, &output.desc));
    plait_semaphore ready, done;
    assert_ok(plait_semaphore_create(rig.device, NULL, &ready));
    assert_ok(plait_semaphore_create(rig.device, NULL, &done));
    plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
    sync.wait_semaphore = ready;
    sync.signal_semaphore = done;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.head.next = &sync;
    uint32_t failures = 0, row = 0; // frames in a row that did not meet the failing call
    for (uint64_t call = 1, value = 1; row < 3; call++, value++) {
        sync.wait_value = sync.signal_value = value;
        assert_ok(plait_semaphore_signal(ready, value));
        driver.fail_at(call, 999);
        plait_result result = plait_hair_step(rig.hair, &frame);
        snprintf(failed, sizeof failed, "%s", driver.failed());
        driver.fail_at(0, CUDA_SUCCESS);
        row = failed[0] ? 0 : row + 1;
        failures += result != PLAIT_OK;
        if (plait_semaphore_wait(done, value, 20000000000) != PLAIT_OK)
            fail_msg("%s failed, and %llu is never signalled", failed, (unsigned long long)value);
    }
    printf("%u frames failed\n", failures);
    assert_true(failures > 10);
    assert_ok(plait_semaphore_destroy(ready));
    assert_ok(plait_semaphore_destroy(done));
    assert_ok(plait_hair_set_output(rig.hair, NULL));
    rig_close(&rig);
    straight_free(&s);
}

// Rods have their parameters in several buffers: with new ones in some of them they would be rods of neither.
static void parameters_are_taken_all_or_none(void **state) {
    (void)state;
    struct straight s = straight_make(40, 6, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&s.desc);
    options.solver = PLAIT_SOLVER_HYBRID;
    options.backend = PLAIT_BACKEND_CUDA;
    options.quiet = true;
    struct rig rig = rig_open(&options), untouched = rig_open(&options);
    plait_hybrid_params heavy = rig_rods();
    heavy.density *= 50;
    heavy.drag_per_s = 30;
    uint32_t refused = 0;
    failed[0] = 1;
    for (uint64_t call = 1; failed[0]; call++) {
        driver.fail_at(call, 999);
        plait_result result = plait_hair_set_params(rig.hair, 1, &heavy);
        snprintf(failed, sizeof failed, "%s", driver.failed());
        driver.fail_at(0, CUDA_SUCCESS);
        if (result == PLAIT_OK) assert_ok(plait_hair_set_params(rig.hair, 0, NULL)); // the failure did not matter
        refused += result != PLAIT_OK;
        rig_step(&rig, 1.0f / 60, NULL, true);
        rig_step(&untouched, 1.0f / 60, NULL, true);
        float *here = rig_positions(&rig), *there = rig_positions(&untouched);
        if (memcmp(here, there, (size_t)rig.vertices * 12) != 0)
            fail_msg("%s failed as call %llu, and half of the parameters stayed", failed, (unsigned long long)call);
        free(here);
        free(there);
    }
    assert_true(refused > 2);
    rig_close(&rig);
    rig_close(&untouched);
    straight_free(&s);
}

// Positions and where they were a frame before, for which a hair keeps a history.
static plait_output_desc describe_more(uint32_t vertices, float *memory, plait_output_attribute attributes[2]) {
    struct rig_output output;
    rig_describe_output(vertices, memory, &output);
    attributes[0] = attributes[1] = output.attribute;
    attributes[1].attribute = PLAIT_ATTRIBUTE_PREVIOUS_POSITION;
    attributes[0].stride = attributes[1].stride = 24;
    attributes[1].offset = 12;
    output.desc.attribute_count = 2;
    output.desc.attributes = attributes;
    output.desc.size *= 2;
    return output.desc;
}

static uint64_t bytes_of(const struct rig *rig) {
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    assert_ok(plait_hair_stats(rig->hair, &stats));
    return stats.bytes_work;
}

// Sets another output, while call number `call` fails, or all from it on. What is written afterwards is by the old output, or
// by the new one if it was taken. False: no call failed.
static bool change_output(const struct rig_options *options, uint64_t call, bool on, uint32_t *refused) {
    enum { BEFORE = 70, AFTER = 3 }; // each slice has its graph before; see above
    struct rig rig = rig_open(options);
    const size_t floats = (size_t)3 * rig.vertices;
    float *old = calloc(floats, sizeof *old), *new = calloc(2 * floats, sizeof *new), *shown = malloc(floats * 4);
    assert_true(old && new &&shown);
    struct rig_output output;
    plait_output_attribute attributes[2];
    rig_describe_output(rig.vertices, old, &output);
    assert_ok(plait_hair_set_output(rig.hair, &output.desc));
    for (int f = 0; f < BEFORE; f++) rig_step(&rig, 1.0f / 60, NULL, true);
    assert_ok(plait_hair_wait(rig.hair, UINT64_MAX));
    uint64_t bytes = bytes_of(&rig);
    plait_output_desc more = describe_more(rig.vertices, new, attributes);
    if (on)
        driver.fail_from(call, CUDA_ERROR_OUT_OF_MEMORY);
    else
        driver.fail_at(call, CUDA_ERROR_OUT_OF_MEMORY);
    plait_result result = plait_hair_set_output(rig.hair, &more);
    snprintf(failed, sizeof failed, "%s", driver.failed());
    driver.fail_at(0, CUDA_SUCCESS);
    if (result != PLAIT_OK && (!failed[0] || bytes_of(&rig) != bytes))
        fail_msg("call %llu, %s: the output was refused with %d, and the hair has %llu bytes after %llu",
                 (unsigned long long)call, failed, result, (unsigned long long)bytes_of(&rig),
                 (unsigned long long)bytes);
    *refused += result != PLAIT_OK;
    for (int f = 0; f < AFTER; f++) rig_step(&rig, 1.0f / 60, NULL, true);
    assert_ok(plait_hair_wait(rig.hair, UINT64_MAX));
    for (size_t i = 0; i < floats; i++) shown[i] = result == PLAIT_OK ? new[i / 3 * 6 + i % 3] : old[i];
    for (size_t i = 0; result != PLAIT_OK && i < 2 * floats; i++) assert_true(new[i] == 0);
    float *positions = rig_positions(&rig);
    if (memcmp(shown, positions, floats * sizeof *shown) != 0)
        fail_msg("call %llu, %s failed, and the output is not what the strands are", (unsigned long long)call, failed);
    free(positions);
    rig_close(&rig);
    free(old);
    free(new);
    free(shown);
    return failed[0] != 0;
}

static void a_refused_output_leaves_the_hair_as_it_was(void **state) {
    (void)state;
    struct straight s = straight_make(4, 4, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&s.desc);
    options.backend = PLAIT_BACKEND_CUDA;
    options.quiet = true;
    for (int on = 0; on < 2; on++) {
        uint32_t refused = 0;
        uint64_t call = 1;
        while (change_output(&options, call, on, &refused)) call++;
        printf("%u of %llu outputs refused\n", refused, (unsigned long long)call);
        assert_true(refused > 5);
    }
    straight_free(&s);
}

static void stepping_allocates_nothing_and_replays_its_graphs(void **state) {
    (void)state;
    if (!driver.fail_at) skip();
    struct straight s = straight_make(100, 10, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&s.desc);
    options.backend = PLAIT_BACKEND_CUDA;
    struct rig rig = rig_open(&options);
    float *memory = malloc((size_t)rig.vertices * 12);
    struct rig_output output;
    rig_describe_output(rig.vertices, memory, &output);
    assert_ok(plait_hair_set_output(rig.hair, &output.desc));
    for (int f = 0; f < 200; f++) rig_step(&rig, 1.0f / 144, NULL, true); // each slice in turn gets its graph
    uint64_t before = driver.allocations();
    driver.fail_at(0, CUDA_SUCCESS);
    for (int f = 0; f < 100; f++) rig_step(&rig, 1.0f / 144, NULL, true);
    printf("%.1f calls a frame\n", (double)driver.calls() / 100);
    assert_true(driver.allocations() == before);

    // Nor when frames wait and signal, from the first one on.
    plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
    wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    output.desc.memory = NULL;
    output.desc.head.next = &wish;
    assert_ok(plait_hair_set_output(rig.hair, &output.desc));
    for (int f = 0; f < 200; f++) rig_step(&rig, 1.0f / 144, NULL, true);
    plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
    assert_ok(plait_semaphore_create(rig.device, NULL, &sync.wait_semaphore));
    assert_ok(plait_semaphore_create(rig.device, NULL, &sync.signal_semaphore));
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 144;
    frame.head.next = &sync;
    before = driver.allocations();
    for (uint64_t f = 1; f <= 20; f++) { // two under way
        sync.wait_value = sync.signal_value = f;
        assert_ok(plait_hair_step(rig.hair, &frame));
        if (f > 1) assert_ok(plait_semaphore_signal(sync.wait_semaphore, f - 1));
        if (f > 1) assert_ok(plait_semaphore_wait(sync.signal_semaphore, f - 1, UINT64_MAX));
    }
    assert_true(driver.allocations() == before);
    assert_ok(plait_semaphore_destroy(sync.wait_semaphore));
    assert_ok(plait_semaphore_destroy(sync.signal_semaphore));
    rig_close(&rig);
    free(memory);
    straight_free(&s);
}

// A renderer holds up all heads of hair by one semaphore.
static void many_hairs_wait_for_one_semaphore_without_allocating(void **state) {
    (void)state;
    if (!driver.fail_at) skip();
    enum { HAIRS = 40 };
    struct straight s = straight_make(4, 4, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&s.desc);
    options.backend = PLAIT_BACKEND_CUDA;
    struct rig rig = rig_open(&options);
    plait_hair hairs[HAIRS];
    plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
    desc.groom = rig.groom;
    desc.device = rig.device;
    desc.solver = PLAIT_SOLVER_SHAPE;
    plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
    wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    struct rig_output output;
    rig_describe_output(rig.vertices, NULL, &output);
    output.desc.head.next = &wish;
    plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT; // of no time
    for (int h = 0; h < HAIRS; h++) {
        assert_ok(plait_hair_create(rig.context, &desc, &hairs[h]));
        assert_ok(plait_hair_set_output(hairs[h], &output.desc));
        for (int f = 0; f < 65; f++) assert_ok(plait_hair_step(hairs[h], &frame)); // each slice in turn gets its graph
    }
    assert_ok(plait_semaphore_create(rig.device, NULL, &sync.wait_semaphore));
    frame.head.next = &sync;
    uint64_t before = driver.allocations();
    for (uint64_t f = 1; f <= 6; f++) {
        for (int h = 0; h < HAIRS; h++) { // two frames of each under way
            sync.wait_value = f;
            assert_ok(plait_hair_step(hairs[h], &frame));
        }
        if (f > 1) assert_ok(plait_semaphore_signal(sync.wait_semaphore, f - 1));
    }
    assert_true(driver.allocations() == before);
    assert_ok(plait_semaphore_destroy(sync.wait_semaphore));
    for (int h = 0; h < HAIRS; h++) assert_ok(plait_hair_destroy(hairs[h]));
    rig_close(&rig);
    straight_free(&s);
}

static void misuse_of_the_driver_is_noticed(void **state) {
    (void)state;
    if (!driver.fail_at) skip();
    const struct driver *cu = &driver.cu;
    driver.tolerate(true);
    unsigned faults = driver.faults();
    CUdeviceptr pointer = 0;
    CUcontext hosts, other;
    CUstream stream;
    assert_int_not_equal(cu->cuMemAlloc_v2(&pointer, 16), CUDA_SUCCESS); // no context
    assert_int_equal(driver.create_context(&other, 0, 0), CUDA_SUCCESS);
    assert_int_equal(cu->cuStreamCreate(&stream, 0), CUDA_SUCCESS);
    assert_int_equal(driver.create_context(&hosts, 0, 0), CUDA_SUCCESS);
    assert_int_equal(cu->cuMemAlloc_v2(&pointer, 16), CUDA_SUCCESS);
    assert_int_not_equal(cu->cuMemsetD8Async(pointer, 0, 16, stream), CUDA_SUCCESS); // another context's stream
    assert_int_not_equal(cu->cuMemsetD8Async(pointer, 0, 17, stream), CUDA_SUCCESS); // beyond its end
    assert_int_equal(cu->cuMemFree_v2(pointer), CUDA_SUCCESS);
    assert_int_not_equal(cu->cuMemFree_v2(pointer), CUDA_SUCCESS);     // twice
    assert_int_not_equal(cu->cuStreamSynchronize(NULL), CUDA_SUCCESS); // nothing
    assert_int_not_equal(driver.destroy_context(other), CUDA_SUCCESS); // with a stream in it
    assert_int_equal(driver.faults() - faults, 6);
    assert_int_equal(cu->cuCtxSetCurrent(other), CUDA_SUCCESS);
    assert_int_equal(cu->cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    assert_int_equal(driver.destroy_context(other), CUDA_SUCCESS);
    assert_int_equal(driver.destroy_context(hosts), CUDA_SUCCESS);
    driver.tolerate(false);
}

int main(void) {
    if (!host_driver_open(&driver) || !driver.fail_at) {
        printf("the fake CUDA driver is not here\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misuse_of_the_driver_is_noticed),
        cmocka_unit_test(a_frame_that_fails_signals_nevertheless),
        cmocka_unit_test(parameters_are_taken_all_or_none),
        cmocka_unit_test(a_refused_output_leaves_the_hair_as_it_was),
        cmocka_unit_test(stepping_allocates_nothing_and_replays_its_graphs),
        cmocka_unit_test(many_hairs_wait_for_one_semaphore_without_allocating),
        cmocka_unit_test(every_call_may_fail_once),
    };
    int wrong = cmocka_run_group_tests(tests, NULL, NULL);
    host_driver_close(&driver);
    return wrong;
}
