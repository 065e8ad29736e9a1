// Output memory shared across devices, APIs or processes: exported to another device and process, imported from a host,
// and host memory that the device writes directly. File descriptors are counted: none leaks, none is taken from its
// owner.
#include "vulkan_host.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *program;

static int open_fds(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

// A hair on Plait's own Vulkan device, beside an unrelated host.
struct stage_set {
    struct vulkan_host host;
    struct straight strands;
    struct rig rig;
    plait_device_info info;
    struct rig_output output;
};

static bool set_up(struct stage_set *s) {
    memset(s, 0, sizeof *s);
    if (!host_open(&s->host, true)) return false;
    s->strands = straight_make(40, 20, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&s->strands.desc);
    options.backend = PLAIT_BACKEND_VULKAN;
    s->rig = rig_open(&options);
    s->info = (plait_device_info)PLAIT_DEVICE_INFO_INIT;
    assert_ok(plait_device_query(s->rig.device, &s->info));
    rig_describe_output(s->rig.vertices, NULL, &s->output);
    return true;
}

static void tear_down(struct stage_set *s) {
    rig_close(&s->rig);
    straight_free(&s->strands);
    host_close(&s->host);
}

static void step_and_wait(struct stage_set *s) {
    rig_step(&s->rig, 1.0f / 60, NULL, true);
    assert_ok(plait_hair_wait(s->rig.hair, UINT64_MAX));
}

static void expect_strands(struct stage_set *s, const float *floats) {
    float *positions = rig_positions(&s->rig);
    assert_memory_equal(floats, positions, 12ull * s->rig.vertices);
    free(positions);
}

static plait_device open_another(struct stage_set *s) {
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = PLAIT_BACKEND_VULKAN;
    memcpy(desc.uuid, s->info.uuid, 16);
    plait_device device;
    assert_ok(plait_device_open(s->rig.context, &desc, &device));
    return device;
}

static void exported_memory_is_seen_by_another_device(void **state) {
    (void)state;
    struct stage_set s;
    if (!set_up(&s)) skip();
    assert_true(s.info.interop & PLAIT_INTEROP_MEMORY_FD);
    int before = open_fds();
    plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
    wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    s.output.desc.head.next = &wish;
    assert_ok(plait_hair_set_output(s.rig.hair, &s.output.desc));
    plait_external_memory external = PLAIT_EXTERNAL_MEMORY_INIT;
    assert_ok(plait_hair_export_output(s.rig.hair, &external));
    assert_memory_equal(external.device_uuid, s.host.device_uuid, 16);
    assert_memory_equal(external.driver_uuid, s.host.driver_uuid, 16);
    struct mapped_memory mapped = host_map(&s.host, &external);
    for (int f = 0; f < 5; f++) {
        step_and_wait(&s);
        expect_strands(&s, mapped.floats);
    }
    // The hair moves to another device of the same card, then to one that cannot write there; the memory stays valid.
    plait_device other = open_another(&s);
    assert_ok(plait_hair_set_device(s.rig.hair, other));
    for (int f = 0; f < 5; f++) {
        step_and_wait(&s);
        expect_strands(&s, mapped.floats);
    }
    plait_device_desc cpu = PLAIT_DEVICE_DESC_INIT;
    cpu.backend = PLAIT_BACKEND_CPU;
    plait_device processor;
    assert_ok(plait_device_open(s.rig.context, &cpu, &processor));
    assert_int_equal(plait_hair_set_device(s.rig.hair, processor), PLAIT_ERROR_UNSUPPORTED);
    step_and_wait(&s);
    expect_strands(&s, mapped.floats);
    assert_ok(plait_hair_set_output(s.rig.hair, NULL));
    assert_ok(plait_hair_set_device(s.rig.hair, processor));
    // Memory outlives its exporter.
    float first = mapped.floats[0];
    assert_ok(plait_hair_set_device(s.rig.hair, s.rig.device));
    assert_true(mapped.floats[0] == first);
    assert_int_equal(plait_hair_export_output(s.rig.hair, &external), PLAIT_ERROR_UNSUPPORTED);
    host_unmap(&s.host, &mapped);
    assert_ok(plait_device_close(other));
    assert_int_equal(open_fds(), before);
    tear_down(&s);
}

// The groom is bound to itself, so that render strands lie on their guides. Both outputs are in memory of their own; one signal
// tells of both.
static void guides_and_render_strands_are_signalled_together(void **state) {
    (void)state;
    struct stage_set s;
    if (!set_up(&s)) skip();
    int before = open_fds();
    plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
    wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    s.output.desc.head.next = &wish;
    plait_binding_desc desc = PLAIT_BINDING_DESC_INIT;
    plait_binding binding;
    desc.guides = desc.render = s.rig.groom;
    assert_ok(plait_binding_create(s.rig.context, &desc, &binding));
    assert_ok(plait_hair_set_binding(s.rig.hair, binding));
    assert_ok(plait_binding_destroy(binding));
    plait_external_memory guides = PLAIT_EXTERNAL_MEMORY_INIT, render = PLAIT_EXTERNAL_MEMORY_INIT;
    assert_ok(plait_hair_set_output(s.rig.hair, &s.output.desc));
    assert_int_equal(plait_hair_export_render_output(s.rig.hair, &render), PLAIT_ERROR_UNSUPPORTED);
    assert_ok(plait_hair_set_render_output(s.rig.hair, &s.output.desc));
    assert_ok(plait_hair_export_output(s.rig.hair, &guides));
    assert_ok(plait_hair_export_render_output(s.rig.hair, &render));
    struct mapped_memory of_guides = host_map(&s.host, &guides), of_render = host_map(&s.host, &render);
    plait_device other = open_another(&s);
    for (int device = 0; device < 2; device++) {
        plait_semaphore semaphore;
        assert_ok(plait_semaphore_create(device ? other : s.rig.device, NULL, &semaphore));
        plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
        plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
        sync.signal_semaphore = semaphore;
        frame.head.next = &sync;
        frame.dt = 1.0f / 60;
        frame.gravity[1] = -9.81f;
        for (uint64_t f = 1; f <= 5; f++) {
            float last = of_guides.floats[3 * s.rig.vertices - 2];
            sync.signal_value = f;
            assert_ok(plait_hair_step(s.rig.hair, &frame));
            assert_ok(plait_semaphore_wait(semaphore, f, UINT64_MAX));
            assert_true(largest_difference(of_guides.floats, of_render.floats, s.rig.vertices) < 1e-6);
            assert_true(of_guides.floats[3 * s.rig.vertices - 2] < last || f == 1);
        }
        assert_ok(plait_semaphore_destroy(semaphore));
        if (!device) assert_ok(plait_hair_set_device(s.rig.hair, other));
    }
    assert_ok(plait_hair_set_render_output(s.rig.hair, NULL));
    assert_ok(plait_hair_set_output(s.rig.hair, NULL));
    host_unmap(&s.host, &of_guides);
    host_unmap(&s.host, &of_render);
    assert_ok(plait_device_close(other));
    assert_int_equal(open_fds(), before);
    tear_down(&s);
}

// The parent's side of a child that maps memory by an inherited descriptor and sends back its contents.
struct reader {
    pid_t pid;
    int ask, answer;
};

static struct reader start_reader(const plait_external_memory *external, uint32_t bytes) {
    int ask[2], answer[2];
    assert_int_equal(pipe(ask), 0);
    assert_int_equal(pipe(answer), 0);
    assert_int_equal(fcntl((int)external->handle, F_SETFD, 0), 0); // to be inherited
    struct reader reader = {fork(), ask[1], answer[0]};
    assert_true(reader.pid >= 0);
    if (reader.pid == 0) {
        dup2(ask[0], 0);
        dup2(answer[1], 1);
        close(ask[1]);
        close(answer[0]);
        char text[5][32];
        snprintf(text[0], 32, "%d", (int)external->handle);
        snprintf(text[1], 32, "%llu", (unsigned long long)external->allocation_size);
        snprintf(text[2], 32, "%llu", (unsigned long long)external->offset);
        snprintf(text[3], 32, "%u", external->memory_type);
        snprintf(text[4], 32, "%u", bytes);
        execl(program, program, "--read", text[0], text[1], text[2], text[3], text[4], (char *)NULL);
        _exit(99);
    }
    close(ask[0]);
    close(answer[1]);
    close((int)external->handle);
    return reader;
}

static void read_fully(int fd, void *memory, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t part = read(fd, (char *)memory + done, size - done);
        assert_true(part > 0);
        done += (size_t)part;
    }
}

// The child, which does not use Plait.
static int serve(char **arguments) {
    struct vulkan_host host;
    if (!host_open(&host, false)) return 77;
    plait_external_memory external = PLAIT_EXTERNAL_MEMORY_INIT;
    external.handle = atoi(arguments[0]);
    external.allocation_size = strtoull(arguments[1], NULL, 10);
    external.offset = strtoull(arguments[2], NULL, 10);
    external.memory_type = (uint32_t)atoi(arguments[3]);
    size_t bytes = strtoull(arguments[4], NULL, 10);
    struct mapped_memory mapped = host_map(&host, &external);
    char question;
    while (read(0, &question, 1) == 1)
        for (size_t done = 0; done < bytes;) {
            ssize_t part = write(1, (const char *)mapped.floats + done, bytes - done);
            if (part <= 0) return 98;
            done += (size_t)part;
        }
    host_unmap(&host, &mapped);
    host_close(&host);
    return 0;
}

static void another_process_sees_the_frame(void **state) {
    (void)state;
    struct stage_set s;
    if (!set_up(&s)) skip();
    plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
    wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    s.output.desc.head.next = &wish;
    assert_ok(plait_hair_set_output(s.rig.hair, &s.output.desc));
    plait_external_memory external = PLAIT_EXTERNAL_MEMORY_INIT;
    assert_ok(plait_hair_export_output(s.rig.hair, &external));
    uint32_t bytes = 12 * s.rig.vertices;
    struct reader reader = start_reader(&external, bytes);
    float *seen = malloc(bytes), *last = calloc(1, bytes);
    assert_true(seen && last);
    for (int f = 0; f < 4; f++) {
        step_and_wait(&s);
        assert_int_equal(write(reader.ask, "?", 1), 1);
        read_fully(reader.answer, seen, bytes);
        expect_strands(&s, seen);
        assert_true(memcmp(seen, last, bytes) != 0); // each frame is another
        memcpy(last, seen, bytes);
    }
    close(reader.ask);
    close(reader.answer);
    int status = 0;
    assert_int_equal(waitpid(reader.pid, &status, 0), reader.pid);
    assert_int_equal(status, 0);
    free(seen);
    free(last);
    tear_down(&s);
}

static bool is_open(int64_t fd) { return fcntl((int)fd, F_GETFD) >= 0; }

static void a_hosts_memory_is_imported_and_its_descriptor_consumed_on_success_only(void **state) {
    (void)state;
    struct stage_set s;
    if (!set_up(&s)) skip();
    int before = open_fds();
    plait_external_memory external = host_export(&s.host);
    s.output.desc.head.next = &external;

    // Refused for each reason; the host keeps the descriptor and the hair is unchanged.
    plait_external_memory good = external;
    struct {
        plait_result result;
        plait_external_memory memory;
        uint64_t size;
    } wrong[] = {
        {PLAIT_ERROR_OTHER_DEVICE, good, s.output.desc.size},
        {PLAIT_ERROR_OTHER_DEVICE, good, s.output.desc.size},
        {PLAIT_ERROR_INVALID_ARGUMENT, good, s.output.desc.size},
        {PLAIT_ERROR_UNSUPPORTED, good, s.output.desc.size},
        {PLAIT_ERROR_INVALID_ARGUMENT, good, s.output.desc.size},
        {PLAIT_ERROR_BUFFER_TOO_SMALL, good, s.output.desc.size},
        {PLAIT_ERROR_BUFFER_TOO_SMALL, good, s.output.desc.size},
        {PLAIT_ERROR_INVALID_ARGUMENT, good, s.output.desc.size},
        {PLAIT_ERROR_INVALID_ARGUMENT, good, s.output.desc.size},
        {PLAIT_ERROR_BUFFER_TOO_SMALL, good, 100},
        {PLAIT_ERROR_INVALID_ARGUMENT, good, s.output.desc.size},
        {PLAIT_ERROR_INVALID_ARGUMENT, good, s.output.desc.size},
        {PLAIT_ERROR_OTHER_DEVICE, good, s.output.desc.size},
    };
    wrong[0].memory.device_uuid[3] ^= 1;
    wrong[1].memory.driver_uuid[15] ^= 1;
    wrong[2].memory.kind = 7;
    wrong[3].memory.kind = PLAIT_EXTERNAL_OPAQUE_WIN32;
    wrong[4].memory.handle = 1000000;
    wrong[5].memory.allocation_size = s.output.desc.size - 4;
    wrong[6].memory.offset = UINT64_MAX - 3;
    wrong[7].memory.offset = 2;
    wrong[8].memory.memory_type = 31;
    wrong[10].memory.usage = 1;
    wrong[11].memory.dedicated = 2;
    memset(wrong[12].memory.driver_uuid, 0, 16); // CUDA's: this device has one
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        plait_output_desc output = s.output.desc;
        output.head.next = &wrong[i].memory;
        output.size = wrong[i].size;
        assert_int_equal(plait_hair_set_output(s.rig.hair, &output), wrong[i].result);
        assert_true(is_open(external.handle));
        assert_int_equal(open_fds(), before + 1);
        step_and_wait(&s);
    }
    // Two kinds of memory in one description.
    float memory[4];
    s.output.desc.memory = memory;
    assert_int_equal(plait_hair_set_output(s.rig.hair, &s.output.desc), PLAIT_ERROR_INVALID_ARGUMENT);
    s.output.desc.memory = NULL;
    assert_int_equal(plait_hair_read(s.rig.hair, &s.output.desc), PLAIT_ERROR_UNSUPPORTED);
    assert_true(is_open(external.handle));

    // Valid, at an offset in the memory.
    external.offset = 4 * 123;
    for (uint32_t i = 0; i < HOST_BUFFER_BYTES / 4; i++) s.host.mapped[i] = 4711;
    assert_ok(plait_hair_set_output(s.rig.hair, &s.output.desc));
    for (int f = 0; f < 5; f++) {
        step_and_wait(&s);
        expect_strands(&s, s.host.mapped + 123);
    }
    for (uint32_t i = 0; i < HOST_BUFFER_BYTES / 4; i++)
        if (i < 123 || i >= 123 + 3 * s.rig.vertices) assert_true(s.host.mapped[i] == 4711);
    assert_int_equal(plait_hair_export_output(s.rig.hair, &external), PLAIT_ERROR_UNSUPPORTED); // it is not ours
    // A device of the host can take over hair and memory, and give both back.
    plait_device hosts = host_open_plait(s.rig.context, &s.host);
    for (int i = 0; i < 2; i++) {
        assert_ok(plait_hair_set_device(s.rig.hair, i == 0 ? hosts : s.rig.device));
        step_and_wait(&s);
        expect_strands(&s, s.host.mapped + 123);
    }
    assert_ok(plait_device_close(hosts));
    assert_ok(plait_hair_set_output(s.rig.hair, NULL));
    assert_int_equal(open_fds(), before);
    tear_down(&s);
}

static void aligned_host_memory_is_written_without_a_copy(void **state) {
    (void)state;
    struct stage_set s;
    if (!set_up(&s)) skip();
    if (!(s.info.interop & PLAIT_INTEROP_HOST_MEMORY)) {
        tear_down(&s);
        skip();
    }
    uint64_t alignment = s.info.host_memory_alignment;
    uint64_t size = (s.output.desc.size + alignment - 1) / alignment * alignment;
    s.output.desc.size = size;
    uint64_t used[2];
    for (int direct = 1; direct >= 0; direct--) { // the substitute for other memory is kept
        char *memory = aligned_alloc(alignment, size + alignment);
        assert_non_null(memory);
        memset(memory, 0, size + alignment);
        s.output.desc.memory = memory + (direct ? 0 : 4);
        assert_ok(plait_hair_set_output(s.rig.hair, &s.output.desc));
        assert_ok(plait_device_query(s.rig.device, &s.info));
        used[direct] = s.info.memory_used_bytes;
        for (int f = 0; f < 5; f++) {
            step_and_wait(&s);
            expect_strands(&s, s.output.desc.memory);
        }
        assert_ok(plait_hair_set_output(s.rig.hair, NULL));
        free(memory); // the device must not access it any more
        step_and_wait(&s);
    }
    assert_true(used[1] + size <= used[0]); // no substitute for it
    // The same memory stays in use when the hair moves away and back.
    s.output.desc.memory = aligned_alloc(alignment, size);
    assert_non_null(s.output.desc.memory);
    plait_device_desc cpu = PLAIT_DEVICE_DESC_INIT;
    cpu.backend = PLAIT_BACKEND_CPU;
    plait_device processor;
    assert_ok(plait_device_open(s.rig.context, &cpu, &processor));
    assert_ok(plait_hair_set_output(s.rig.hair, &s.output.desc));
    for (int i = 0; i < 6; i++) {
        step_and_wait(&s);
        expect_strands(&s, s.output.desc.memory);
        assert_ok(plait_hair_set_device(s.rig.hair, i % 2 == 0 ? processor : s.rig.device));
    }
    assert_ok(plait_hair_set_output(s.rig.hair, NULL));
    free(s.output.desc.memory);
    tear_down(&s);
}

static void what_cannot_be_exported_is_refused(void **state) {
    (void)state;
    struct stage_set s;
    if (!set_up(&s)) skip();
    plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
    s.output.desc.head.next = &wish;
    assert_int_equal(plait_hair_set_output(s.rig.hair, &s.output.desc), PLAIT_ERROR_INVALID_ARGUMENT); // no kind
    wish.kind = PLAIT_EXTERNAL_OPAQUE_WIN32;
    assert_int_equal(plait_hair_set_output(s.rig.hair, &s.output.desc), PLAIT_ERROR_UNSUPPORTED);
    wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    wish.reserved = 1;
    assert_int_equal(plait_hair_set_output(s.rig.hair, &s.output.desc), PLAIT_ERROR_INVALID_ARGUMENT);
    wish.reserved = 0;
    assert_ok(plait_hair_set_output(s.rig.hair, &s.output.desc));
    plait_external_memory external = PLAIT_EXTERNAL_MEMORY_INIT;
    external.head.size = 48; // too short for what must not get lost
    assert_int_equal(plait_hair_export_output(s.rig.hair, &external), PLAIT_ERROR_INVALID_STRUCT);
    // A host that did not enable the extension gets neither.
    s.host.wants.optional_extension_count = 0;
    plait_device hosts = host_open_plait(s.rig.context, &s.host);
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    assert_ok(plait_device_query(hosts, &info));
    assert_int_equal(info.interop & (PLAIT_INTEROP_MEMORY_FD | PLAIT_INTEROP_HOST_MEMORY | PLAIT_INTEROP_SEMAPHORE_FD),
                     0);
    assert_int_equal(plait_hair_set_device(s.rig.hair, hosts), PLAIT_ERROR_UNSUPPORTED);
    step_and_wait(&s);
    assert_ok(plait_device_close(hosts));
    tear_down(&s);
}

int main(int count, char **arguments) {
    program = arguments[0];
    if (count == 7 && strcmp(arguments[1], "--read") == 0) return serve(arguments + 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exported_memory_is_seen_by_another_device),
        cmocka_unit_test(guides_and_render_strands_are_signalled_together),
        cmocka_unit_test(another_process_sees_the_frame),
        cmocka_unit_test(a_hosts_memory_is_imported_and_its_descriptor_consumed_on_success_only),
        cmocka_unit_test(aligned_host_memory_is_written_without_a_copy),
        cmocka_unit_test(what_cannot_be_exported_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
