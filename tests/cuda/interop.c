// Plait among other users of the same card: a CUDA host with its own context, stream and memory, and a renderer that
// shares memory and timeline semaphores by descriptor. The renderer's objects are files as the fake driver uses them;
// parts that need them are left out on a real card.
#include "host.h"
#include "plait_cuda.h"
#include "rig.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STRANDS = 40, VERTICES = 20, OFFSET = 256 };

static struct host_driver driver;

static void describe(struct rig_output *output, const struct rig *rig, void *next) {
    rig_describe_output(rig->vertices, NULL, output);
    output->desc.head.next = next;
}

static plait_device open_cuda(plait_context context, void *next) {
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = PLAIT_BACKEND_CUDA;
    desc.head.next = next;
    plait_device device;
    assert_ok(plait_device_open(context, &desc, &device));
    return device;
}

static struct rig open_rig(struct straight *s) {
    *s = straight_make(STRANDS, VERTICES, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&s->desc);
    return rig_open(&options);
}

static plait_frame_desc falling(void) {
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.gravity[1] = -9.81f;
    return frame;
}

static void a_cuda_host_gets_strands_in_its_memory_in_its_stream(void **state) {
    (void)state;
    const struct driver *cu = &driver.cu;
    CUcontext context, other, current;
    CUstream stream;
    CUdeviceptr pointer;
    assert_int_equal(driver.create_context(&context, 0, 0), CUDA_SUCCESS);
    assert_int_equal(cu->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    struct straight s;
    struct rig rig = open_rig(&s);
    uint64_t size = (uint64_t)rig.vertices * 12;
    assert_int_equal(cu->cuMemAlloc_v2(&pointer, size), CUDA_SUCCESS);
    assert_int_equal(driver.create_context(&other, 0, 0), CUDA_SUCCESS); // current while Plait works

    plait_cuda_device_desc own = PLAIT_CUDA_DEVICE_DESC_INIT;
    own.context = context;
    own.stream = stream;
    plait_device device = open_cuda(rig.context, &own), primary = open_cuda(rig.context, NULL);
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    assert_ok(plait_device_query(device, &info));
    assert_true(info.interop & PLAIT_INTEROP_CUDA_POINTER && info.name[0]);

    plait_cuda_output_desc place = PLAIT_CUDA_OUTPUT_DESC_INIT;
    place.context = context;
    place.pointer = pointer;
    struct rig_output output;
    describe(&output, &rig, &place);
    assert_int_equal(plait_hair_set_output(rig.hair, &output.desc), PLAIT_ERROR_UNSUPPORTED); // it is on the CPU
    assert_ok(plait_hair_set_device(rig.hair, device));
    assert_ok(plait_hair_set_output(rig.hair, &output.desc));
    assert_int_equal(plait_hair_set_device(rig.hair, primary), PLAIT_ERROR_UNSUPPORTED); // not of that context
    place.pointer = pointer + 2;
    assert_int_equal(plait_hair_set_output(rig.hair, &output.desc), PLAIT_ERROR_INVALID_ARGUMENT);

    plait_frame_desc frame = falling();
    float *seen = malloc(size);
    assert_non_null(seen);
    for (int f = 0; f < 20; f++) {
        assert_ok(plait_hair_step(rig.hair, &frame));
        assert_int_equal(cu->cuCtxGetCurrent(&current), CUDA_SUCCESS);
        assert_ptr_equal(current, other);
        // Plait does not wait: the stream defines the order.
        assert_int_equal(cu->cuCtxSetCurrent(context), CUDA_SUCCESS);
        assert_int_equal(cu->cuMemcpyDtoHAsync_v2(seen, pointer, size, stream), CUDA_SUCCESS);
        assert_int_equal(cu->cuStreamSynchronize(stream), CUDA_SUCCESS);
        assert_int_equal(cu->cuCtxSetCurrent(other), CUDA_SUCCESS);
        float *positions = rig_positions(&rig);
        assert_memory_equal(seen, positions, size);
        free(positions);
    }
    free(seen);
    assert_ok(plait_hair_set_output(rig.hair, NULL));
    assert_ok(plait_hair_set_device(rig.hair, primary));
    rig_step(&rig, 1.0f / 60, NULL, true);
    assert_ok(plait_hair_set_device(rig.hair, rig.device));
    assert_ok(plait_device_close(device));
    assert_ok(plait_device_close(primary));
    rig_close(&rig);
    straight_free(&s);
    assert_int_equal(driver.destroy_context(other), CUDA_SUCCESS);
    assert_int_equal(cu->cuCtxSetCurrent(context), CUDA_SUCCESS);
    assert_int_equal(cu->cuMemFree_v2(pointer), CUDA_SUCCESS);
    assert_int_equal(cu->cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    assert_int_equal(driver.destroy_context(context), CUDA_SUCCESS);
}

// Graphs recorded for one output are not replayed for another.
static void another_output_takes_over_with_the_next_frame(void **state) {
    (void)state;
    const struct driver *cu = &driver.cu;
    CUcontext context;
    CUdeviceptr places[2];
    assert_int_equal(driver.create_context(&context, 0, 0), CUDA_SUCCESS);
    struct straight s;
    struct rig rig = open_rig(&s);
    uint64_t size = (uint64_t)rig.vertices * 16;
    float *seen = malloc(size);
    assert_non_null(seen);
    for (int i = 0; i < 2; i++) assert_int_equal(cu->cuMemAlloc_v2(&places[i], size), CUDA_SUCCESS);
    plait_cuda_device_desc own = PLAIT_CUDA_DEVICE_DESC_INIT;
    own.context = context;
    plait_device device = open_cuda(rig.context, &own);
    assert_ok(plait_hair_set_device(rig.hair, device));
    CUstream stream;
    assert_int_equal(cu->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    for (int i = 0; i < 6; i++) {
        plait_cuda_output_desc place = PLAIT_CUDA_OUTPUT_DESC_INIT;
        place.context = context;
        place.pointer = places[i % 2];
        struct rig_output output;
        describe(&output, &rig, &place);
        output.attribute.stride = i < 3 ? 12 : 16;
        output.desc.size = size;
        assert_ok(plait_hair_set_output(rig.hair, &output.desc));
        assert_int_equal(cu->cuMemsetD8Async(places[0], 0xee, size, stream), CUDA_SUCCESS);
        assert_int_equal(cu->cuMemsetD8Async(places[1], 0xee, size, stream), CUDA_SUCCESS);
        assert_int_equal(cu->cuStreamSynchronize(stream), CUDA_SUCCESS);
        for (int f = 0; f < 30; f++) rig_step(&rig, 1.0f / 60, NULL, true); // every slice has its graph by then
        float *positions = rig_positions(&rig);
        assert_int_equal(cu->cuMemcpyDtoHAsync_v2(seen, places[i % 2], size, stream), CUDA_SUCCESS);
        assert_int_equal(cu->cuStreamSynchronize(stream), CUDA_SUCCESS);
        for (uint32_t v = 0; v < rig.vertices; v++)
            assert_memory_equal((char *)seen + v * output.attribute.stride, positions + 3 * v, 12);
        assert_int_equal(cu->cuMemcpyDtoHAsync_v2(seen, places[1 - i % 2], size, stream), CUDA_SUCCESS);
        assert_int_equal(cu->cuStreamSynchronize(stream), CUDA_SUCCESS);
        for (uint64_t b = 0; b < size; b++) assert_int_equal(((unsigned char *)seen)[b], 0xee);
        free(positions);
    }
    free(seen);
    assert_ok(plait_hair_set_output(rig.hair, NULL));
    assert_ok(plait_hair_set_device(rig.hair, rig.device));
    assert_ok(plait_device_close(device));
    rig_close(&rig);
    straight_free(&s);
    for (int i = 0; i < 2; i++) assert_int_equal(cu->cuMemFree_v2(places[i]), CUDA_SUCCESS);
    assert_int_equal(cu->cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    assert_int_equal(driver.destroy_context(context), CUDA_SUCCESS);
}

// The renderer's side of something shared: mapped, and a descriptor to give away.
static unsigned char *make_file(uint64_t size, int *fd) {
    *fd = memfd_create("renderer", MFD_CLOEXEC);
    assert_true(*fd >= 0 && ftruncate(*fd, (off_t)size) == 0);
    void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    assert_true(mapped != MAP_FAILED);
    return mapped;
}

static void a_renderer_shares_memory_and_semaphores(void **state) {
    (void)state;
    if (!driver.fail_at) skip();
    struct straight s;
    struct rig rig = open_rig(&s);
    plait_device device = open_cuda(rig.context, NULL);
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    assert_ok(plait_device_query(device, &info));
    assert_true(info.interop & PLAIT_INTEROP_MEMORY_FD && info.interop & PLAIT_INTEROP_SEMAPHORE_FD);
    uint64_t size = OFFSET + (uint64_t)rig.vertices * 12;
    int memory_fd, timeline_fd;
    unsigned char *memory = make_file(size, &memory_fd);
    _Atomic uint64_t *timeline = (_Atomic uint64_t *)(void *)make_file(8, &timeline_fd);

    plait_external_memory external = PLAIT_EXTERNAL_MEMORY_INIT;
    external.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    external.handle = memory_fd;
    external.allocation_size = size;
    external.offset = OFFSET;
    memcpy(external.device_uuid, info.uuid, 16);
    external.driver_uuid[0] = 1; // the renderer's driver has one, CUDA does not know of it
    struct rig_output output;
    describe(&output, &rig, &external);
    assert_ok(plait_hair_set_device(rig.hair, device));
    external.device_uuid[3] ^= 1;
    assert_int_equal(plait_hair_set_output(rig.hair, &output.desc), PLAIT_ERROR_OTHER_DEVICE);
    external.device_uuid[3] ^= 1;
    assert_ok(plait_hair_set_output(rig.hair, &output.desc)); // takes memory_fd

    plait_external_semaphore shared = PLAIT_EXTERNAL_SEMAPHORE_INIT;
    shared.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    shared.handle = timeline_fd;
    memcpy(shared.device_uuid, info.uuid, 16);
    plait_semaphore semaphore;
    assert_ok(plait_semaphore_create(device, &shared, &semaphore)); // takes timeline_fd
    plait_external_semaphore exported = PLAIT_EXTERNAL_SEMAPHORE_INIT;
    assert_int_equal(plait_semaphore_export(semaphore, PLAIT_EXTERNAL_OPAQUE_FD, &exported), PLAIT_ERROR_UNSUPPORTED);

    plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
    sync.wait_semaphore = sync.signal_semaphore = semaphore;
    plait_frame_desc frame = falling();
    frame.head.next = &sync;
    frame.dt = 1.0f / 100; // some frames have no step
    for (uint64_t f = 0; f < 30; f++) {
        sync.wait_value = 2 * f + 1;
        sync.signal_value = 2 * f + 2;
        memset(memory + OFFSET, 0xee, size - OFFSET);
        assert_ok(plait_hair_step(rig.hair, &frame)); // does not wait
        assert_true(atomic_load(timeline) == 2 * f);
        assert_int_equal(plait_hair_wait(rig.hair, 1000000), PLAIT_ERROR_TIMEOUT);
        atomic_store(timeline, 2 * f + 1); // the renderer is done with the last frame
        while (atomic_load(timeline) < 2 * f + 2) usleep(50);
        unsigned char copy[STRANDS * VERTICES * 12];
        memcpy(copy, memory + OFFSET, sizeof copy); // the renderer reads
        float *positions = rig_positions(&rig);
        assert_memory_equal(copy, positions, size - OFFSET);
        free(positions);
    }
    uint64_t value;
    assert_ok(plait_semaphore_query(semaphore, &value));
    assert_int_equal(value, 60);
    assert_int_equal(plait_semaphore_wait(semaphore, 61, 1000000), PLAIT_ERROR_UNSUPPORTED);
    assert_ok(plait_semaphore_signal(semaphore, 61));
    assert_ok(plait_semaphore_wait(semaphore, 61, UINT64_MAX));
    assert_true(atomic_load(timeline) == 61);
    assert_ok(plait_semaphore_destroy(semaphore));
    for (uint32_t i = 0; i < OFFSET; i++) assert_int_equal(memory[i], 0);
    assert_ok(plait_hair_set_output(rig.hair, NULL));
    assert_ok(plait_hair_set_device(rig.hair, rig.device));
    assert_ok(plait_device_close(device));
    rig_close(&rig);
    straight_free(&s);
    munmap(memory, size);
    munmap((void *)timeline, 8);
}

static plait_semaphore import_timeline(plait_device device, const plait_device_info *info, _Atomic uint64_t **mapped) {
    int fd;
    *mapped = (_Atomic uint64_t *)(void *)make_file(8, &fd);
    plait_external_semaphore shared = PLAIT_EXTERNAL_SEMAPHORE_INIT;
    shared.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    shared.handle = fd;
    memcpy(shared.device_uuid, info->uuid, 16);
    plait_semaphore semaphore;
    assert_ok(plait_semaphore_create(device, &shared, &semaphore)); // takes the descriptor
    return semaphore;
}

// A wait in a stream cannot be taken back. So none is put there that somebody may give up: the renderer's semaphore would
// have to be raised to end it.
static void a_wait_with_a_limit_leaves_nothing_behind(void **state) {
    (void)state;
    if (!driver.fail_at) skip();
    struct straight s;
    struct rig rig = open_rig(&s);
    plait_device device = open_cuda(rig.context, NULL);
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    assert_ok(plait_device_query(device, &info));
    assert_ok(plait_hair_set_device(rig.hair, device));
    _Atomic uint64_t *drawn;
    plait_semaphore semaphore = import_timeline(device, &info, &drawn);
    uint64_t before = driver.allocations();
    for (int i = 0; i < 100; i++) assert_int_equal(plait_semaphore_wait(semaphore, 7, 1000), PLAIT_ERROR_UNSUPPORTED);
    assert_true(driver.allocations() == before);
    atomic_store(drawn, 1);
    assert_ok(plait_semaphore_wait(semaphore, 1, UINT64_MAX));
    assert_ok(plait_semaphore_wait(semaphore, 1, 0)); // known by now
    assert_true(driver.allocations() == before);
    assert_ok(plait_semaphore_destroy(semaphore));
    assert_true(atomic_load(drawn) == 1);
    assert_ok(plait_hair_set_device(rig.hair, rig.device)); // frees memory, which waits for all that streams do
    assert_ok(plait_device_close(device));
    rig_close(&rig);
    straight_free(&s);
    munmap((void *)drawn, 8);
}

static void a_frame_that_waits_on_the_calling_thread_allocates_nothing(void **state) {
    (void)state;
    if (!driver.fail_at) skip();
    struct straight s;
    struct rig rig = open_rig(&s); // on the CPU
    plait_device device = open_cuda(rig.context, NULL);
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    assert_ok(plait_device_query(device, &info));
    _Atomic uint64_t *drawn, *written;
    plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
    sync.wait_semaphore = import_timeline(device, &info, &drawn);
    sync.signal_semaphore = import_timeline(device, &info, &written);
    plait_frame_desc frame = falling();
    frame.head.next = &sync;
    uint64_t before = driver.allocations();
    for (uint64_t f = 1; f <= 10; f++) {
        sync.wait_value = sync.signal_value = f;
        atomic_store(drawn, f);
        assert_ok(plait_hair_step(rig.hair, &frame));
        assert_true(atomic_load(written) == f);
    }
    assert_true(driver.allocations() == before);
    assert_ok(plait_semaphore_destroy(sync.wait_semaphore));
    assert_ok(plait_semaphore_destroy(sync.signal_semaphore));
    assert_ok(plait_device_close(device));
    rig_close(&rig);
    straight_free(&s);
    munmap((void *)drawn, 8);
    munmap((void *)written, 8);
}

// A renderer that is always a frame behind: there is never a moment when all is done.
static void frames_without_end_overlap(void **state) {
    (void)state;
    if (!driver.fail_at) skip();
    struct straight s;
    struct rig rig = open_rig(&s);
    plait_device device = open_cuda(rig.context, NULL);
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    assert_ok(plait_device_query(device, &info));
    assert_ok(plait_hair_set_device(rig.hair, device));
    plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
    wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    struct rig_output output;
    describe(&output, &rig, &wish);
    assert_ok(plait_hair_set_output(rig.hair, &output.desc));
    _Atomic uint64_t *drawn, *written;
    plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
    sync.wait_semaphore = import_timeline(device, &info, &drawn);
    sync.signal_semaphore = import_timeline(device, &info, &written);
    plait_frame_desc frame = falling();
    frame.head.next = &sync;
    for (uint64_t f = 1; f <= 200; f++) {
        sync.wait_value = sync.signal_value = f;
        assert_ok(plait_hair_step(rig.hair, &frame));
        if (f == 100) { // waiting for a frame waits for that frame only, and leaks nothing
            uint64_t before = driver.allocations();
            assert_int_equal(plait_semaphore_wait(sync.signal_semaphore, f, 1000), PLAIT_ERROR_TIMEOUT);
            assert_true(driver.allocations() == before);
        }
        atomic_store(drawn, f - 1);
        while (atomic_load(written) < f - 1) usleep(20);
        if (f % 50 != 0) continue;
        uint64_t value = 0;
        while (value < f - 1) assert_ok(plait_semaphore_query(sync.signal_semaphore, &value));
        assert_true(value == f - 1);
    }
    // Nobody draws any more: destroying the semaphore releases the last frame, and may happen before that frame ends.
    assert_ok(plait_semaphore_destroy(sync.signal_semaphore));
    assert_ok(plait_semaphore_destroy(sync.wait_semaphore));
    assert_ok(plait_hair_wait(rig.hair, UINT64_MAX));
    assert_true(atomic_load(drawn) == 200 && atomic_load(written) == 200);
    assert_ok(plait_hair_set_output(rig.hair, NULL));
    assert_ok(plait_hair_set_device(rig.hair, rig.device));
    assert_ok(plait_device_close(device));
    rig_close(&rig);
    straight_free(&s);
    munmap((void *)drawn, 8);
    munmap((void *)written, 8);
}

// On one thread: no call on one hair waits for what the frame of another hair waits for.
static void hairs_come_and_go_while_a_frame_waits(void **state) {
    (void)state;
    struct straight s;
    struct rig rig = open_rig(&s);
    plait_device device = open_cuda(rig.context, NULL);
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    assert_ok(plait_device_query(device, &info));
    if (!(info.interop & PLAIT_INTEROP_MEMORY_FD)) skip();
    assert_ok(plait_hair_set_device(rig.hair, device));
    plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
    wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    struct rig_output output;
    describe(&output, &rig, &wish);
    assert_ok(plait_hair_set_output(rig.hair, &output.desc));
    plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
    assert_ok(plait_semaphore_create(device, NULL, &sync.wait_semaphore));
    sync.wait_value = 1;
    plait_frame_desc frame = falling();
    frame.head.next = &sync;
    assert_ok(plait_hair_step(rig.hair, &frame));
    alarm(20); // otherwise this would wait forever
    uint64_t used = 0;
    for (int i = 0; i < 3; i++) {
        plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
        desc.groom = rig.groom;
        desc.device = device;
        desc.solver = PLAIT_SOLVER_SHAPE;
        struct rig other = rig;
        assert_ok(plait_hair_create(rig.context, &desc, &other.hair));
        for (int f = 0; f < 20; f++) rig_step(&other, 1.0f / 60, NULL, true);
        free(rig_positions(&other));
        assert_ok(plait_hair_destroy(other.hair));
        assert_ok(plait_device_query(device, &info));
        if (i > 0) assert_true(info.memory_used_bytes == used); // the next one reuses it
        used = info.memory_used_bytes;
    }
    assert_int_equal(plait_hair_wait(rig.hair, 0), PLAIT_ERROR_TIMEOUT); // still
    assert_ok(plait_semaphore_signal(sync.wait_semaphore, 1));
    assert_ok(plait_hair_wait(rig.hair, UINT64_MAX));
    alarm(0);
    assert_ok(plait_semaphore_destroy(sync.wait_semaphore));
    assert_ok(plait_hair_set_output(rig.hair, NULL));
    assert_ok(plait_hair_set_device(rig.hair, rig.device));
    assert_ok(plait_device_query(device, &info));
    assert_true(info.memory_used_bytes < 100); // with the last hair everything is freed
    assert_ok(plait_device_close(device));
    rig_close(&rig);
    straight_free(&s);
}

static void memory_of_ours_goes_to_others(void **state) {
    (void)state;
    struct straight s;
    struct rig rig = open_rig(&s);
    plait_device device = open_cuda(rig.context, NULL), second = open_cuda(rig.context, NULL);
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    assert_ok(plait_device_query(device, &info));
    if (!(info.interop & PLAIT_INTEROP_MEMORY_FD)) skip();
    plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
    wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    struct rig_output output;
    describe(&output, &rig, &wish);
    assert_ok(plait_hair_set_device(rig.hair, device));
    assert_ok(plait_hair_set_output(rig.hair, &output.desc));
    plait_external_memory memory = PLAIT_EXTERNAL_MEMORY_INIT;
    assert_ok(plait_hair_export_output(rig.hair, &memory));
    assert_memory_equal(memory.device_uuid, info.uuid, 16);
    assert_true(memory.allocation_size >= output.desc.size);
    plait_frame_desc frame = falling();
    for (int f = 0; f < 10; f++) {
        if (f == 5) assert_ok(plait_hair_set_device(rig.hair, second)); // the output stays where it is
        assert_ok(plait_hair_step(rig.hair, &frame));
    }
    assert_ok(plait_hair_wait(rig.hair, UINT64_MAX));
    if (driver.fail_at) { // the file behind a descriptor of the fake driver can be inspected
        float *seen = mmap(NULL, memory.allocation_size, PROT_READ, MAP_SHARED, (int)memory.handle, 0);
        assert_true(seen != MAP_FAILED);
        float *positions = rig_positions(&rig);
        assert_memory_equal(seen, positions, (size_t)rig.vertices * 12);
        free(positions);
        munmap(seen, memory.allocation_size);
    }
    close((int)memory.handle);
    assert_ok(plait_hair_set_output(rig.hair, NULL));
    assert_ok(plait_hair_set_device(rig.hair, rig.device));
    assert_ok(plait_device_close(device));
    assert_ok(plait_device_close(second));
    rig_close(&rig);
    straight_free(&s);
}

static void wrong_cuda_structs_are_refused(void **state) {
    (void)state;
    struct straight s;
    struct rig rig = open_rig(&s);
    plait_cuda_device_desc own = PLAIT_CUDA_DEVICE_DESC_INIT;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_device device;
    desc.head.next = &own;
    assert_int_equal(plait_device_open(rig.context, &desc, &device), PLAIT_ERROR_INVALID_ARGUMENT); // not for CUDA
    desc.backend = PLAIT_BACKEND_CUDA;
    assert_int_equal(plait_device_open(rig.context, &desc, &device), PLAIT_ERROR_INVALID_ARGUMENT); // no context
    own.context = &own;
    desc.index = 1;
    assert_int_equal(plait_device_open(rig.context, &desc, &device), PLAIT_ERROR_INVALID_ARGUMENT); // chosen twice
    rig_close(&rig);
    straight_free(&s);
}

int main(void) {
    if (!host_driver_open(&driver)) {
        printf("there is no CUDA device\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cuda_host_gets_strands_in_its_memory_in_its_stream),
        cmocka_unit_test(another_output_takes_over_with_the_next_frame),
        cmocka_unit_test(a_renderer_shares_memory_and_semaphores),
        cmocka_unit_test(a_wait_with_a_limit_leaves_nothing_behind),
        cmocka_unit_test(a_frame_that_waits_on_the_calling_thread_allocates_nothing),
        cmocka_unit_test(frames_without_end_overlap),
        cmocka_unit_test(hairs_come_and_go_while_a_frame_waits),
        cmocka_unit_test(memory_of_ours_goes_to_others),
        cmocka_unit_test(wrong_cuda_structs_are_refused),
    };
    int wrong = cmocka_run_group_tests(tests, NULL, NULL);
    host_driver_close(&driver);
    return wrong;
}
