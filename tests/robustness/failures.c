// Whichever function of the driver fails, at any call: the result and the log say so, nothing leaks, and the hair can
// continue elsewhere.
#include "stand.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The state is copied off the device every so many frames: a copy that failed once must work the next time.
enum { FRAMES_BEFORE = 2, FRAMES_AFTER = 2, RESCUE_FRAMES = 16 };

// The hair under test, a new one for each experiment.
struct subject {
    struct stand *stand;
    plait_device vulkan;
    plait_hair hair;   // zero: there is none
    plait_hair source; // another hair, with exported output
    float *output;     // of the output set
    float *positions;
    void *blob;  // a state to load
    void *saved; // room for one
    void *whole; // the last that was saved without a failure
    void *pages; // output memory that the device may write itself
    uint64_t pages_size;
    uint64_t blob_size;
    int frame; // the last one begun
};

static plait_result create(struct subject *s) { return stand_hair(s->stand, s->vulkan, &s->hair); }

static plait_result step(struct subject *s) {
    plait_result result = PLAIT_OK;
    for (int i = 0; i < 6 && result == PLAIT_OK; i++) result = stand_step(s->hair, ++s->frame);
    return result == PLAIT_OK ? plait_hair_wait(s->hair, UINT64_MAX) : result;
}

static plait_result move(struct subject *s) { return plait_hair_set_device(s->hair, s->vulkan); }

static plait_result set_two(struct subject *s, uint32_t second) {
    struct stand_output output;
    stand_output(s->stand, s->output, &output);
    plait_output_attribute attributes[2] = {output.attribute, output.attribute};
    attributes[1].attribute = second;
    attributes[0].stride = attributes[1].stride = 24;
    attributes[1].offset = 12;
    output.desc.attributes = attributes;
    output.desc.attribute_count = 2;
    output.desc.size *= 2;
    return plait_hair_set_output(s->hair, &output.desc);
}

static plait_result set_output(struct subject *s) { return set_two(s, PLAIT_ATTRIBUTE_PREVIOUS_POSITION); }
// Needs no other buffers of the hair, only a longer plan.
static plait_result set_tangents(struct subject *s) { return set_two(s, PLAIT_ATTRIBUTE_TANGENT); }

// A refused output leaves nothing behind that it would have kept.
static void expect_no_history(struct subject *s) {
    struct stand_output output;
    stand_output(s->stand, s->positions, &output);
    output.attribute.attribute = PLAIT_ATTRIBUTE_PREVIOUS_POSITION;
    assert_int_equal(plait_hair_read(s->hair, &output.desc), PLAIT_ERROR_UNSUPPORTED);
}

static plait_result read_all(struct subject *s) { return stand_read(s->stand, s->hair, s->positions); }

// What could not be read is not made up: each byte is as it was or as it is when nothing fails. The first 16, with the
// checksum, wait for all others.
static plait_result save(struct subject *s) {
    unsigned char *saved = s->saved, *whole = s->whole;
    memset(saved, 0xa5, s->blob_size);
    plait_result result = plait_hair_save(s->hair, saved, s->blob_size);
    if (result == PLAIT_OK) memcpy(whole, saved, s->blob_size);
    for (uint64_t i = 16; i < s->blob_size; i++)
        if (saved[i] != 0xa5 && saved[i] != whole[i]) fail_msg("save failed and left rubbish at %d", (int)i);
    return result;
}

static plait_result load(struct subject *s) { return plait_hair_load(s->hair, s->blob, s->blob_size); }
static plait_result set_body(struct subject *s) { return plait_hair_set_body(s->hair, s->stand->bodies[1]); }

static plait_result set_params(struct subject *s) {
    plait_shape_params params = PLAIT_SHAPE_PARAMS_INIT;
    plait_shape_params_default(1, &params);
    params.drag_per_s = 5;
    return plait_hair_set_params(s->hair, 1, &params);
}

static plait_result reset(struct subject *s) { return plait_hair_reset(s->hair, 0, NULL); }
static plait_result teleport(struct subject *s) { return plait_hair_teleport(s->hair, 0, NULL); }

static plait_result stats(struct subject *s) {
    plait_stats_info info = PLAIT_STATS_INFO_INIT;
    plait_result result = plait_hair_stats(s->hair, &info);
    if (result == PLAIT_OK) assert_true(info.worst_stretch > -0.01f && info.worst_stretch < 0.11f);
    return result;
}

static plait_result set_pages(struct subject *s) {
    struct stand_output output;
    stand_output(s->stand, s->pages, &output);
    output.desc.size = s->pages_size;
    return plait_hair_set_output(s->hair, &output.desc);
}

static plait_result export_output(struct subject *s) {
    struct stand_output output;
    stand_output(s->stand, NULL, &output);
    plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
    wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    output.desc.head.next = &wish;
    plait_result result = plait_hair_set_output(s->hair, &output.desc);
    plait_external_memory memory = PLAIT_EXTERNAL_MEMORY_INIT;
    if (result == PLAIT_OK) result = plait_hair_export_output(s->hair, &memory);
    if (result == PLAIT_OK) close((int)memory.handle);
    return result;
}

static plait_result import_output(struct subject *s) {
    plait_external_memory memory = PLAIT_EXTERNAL_MEMORY_INIT;
    assert_ok(plait_hair_export_output(s->source, &memory));
    struct stand_output output;
    stand_output(s->stand, NULL, &output);
    output.desc.head.next = &memory;
    plait_result result = plait_hair_set_output(s->hair, &output.desc);
    if (result < 0) {
        assert_true(fcntl((int)memory.handle, F_GETFD) >= 0); // still ours
        close((int)memory.handle);
    }
    return result;
}

// From one semaphore to another that was imported from it, with a frame that waits and signals in between.
static plait_result use_semaphores(struct subject *s, plait_semaphore given, plait_semaphore taken) {
    uint64_t value = 0;
    plait_result result = plait_semaphore_signal(given, 1);
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
    frame.head.next = &sync;
    sync.wait_semaphore = taken;
    sync.wait_value = 1;
    sync.signal_semaphore = taken;
    sync.signal_value = 2;
    if (result == PLAIT_OK) result = plait_hair_step(s->hair, &frame); // of no time
    if (result == PLAIT_OK) result = plait_semaphore_wait(given, 2, UINT64_MAX);
    if (result == PLAIT_OK) result = plait_semaphore_query(given, &value);
    if (result == PLAIT_OK) assert_true(value == 2);
    return result;
}

static plait_result semaphores(struct subject *s) {
    plait_semaphore given = {0}, taken = {0};
    plait_external_semaphore external = PLAIT_EXTERNAL_SEMAPHORE_INIT;
    plait_result result = plait_semaphore_create(s->vulkan, NULL, &given);
    if (result == PLAIT_OK) result = plait_semaphore_export(given, PLAIT_EXTERNAL_OPAQUE_FD, &external);
    if (result == PLAIT_OK) {
        result = plait_semaphore_create(s->vulkan, &external, &taken);
        if (result < 0) close((int)external.handle);
    }
    if (result == PLAIT_OK) result = use_semaphores(s, given, taken);
    if (taken.id) assert_ok(plait_semaphore_destroy(taken));
    if (given.id) assert_ok(plait_semaphore_destroy(given));
    return result;
}

static plait_result save_cache(struct subject *s) {
    uint64_t size = 0;
    plait_result result = plait_device_save_cache(s->vulkan, &size, NULL);
    void *memory = result == PLAIT_OK ? malloc(size) : NULL;
    if (memory) result = plait_device_save_cache(s->vulkan, &size, memory);
    free(memory);
    return result;
}

static plait_result destroy(struct subject *s) {
    plait_result result = plait_hair_destroy(s->hair);
    if (result == PLAIT_OK) s->hair.id = 0;
    return result;
}

struct operation {
    const char *name;
    plait_result (*run)(struct subject *);
    enum { FROM_NOTHING, FROM_CPU, FROM_VULKAN, FROM_FRESH } start; // fresh: on Vulkan, not a frame old
    bool keeps; // a failure leaves the hair bit-identical; otherwise anywhere in between
};

static const struct operation operations[] = {
    {"create", create, FROM_NOTHING, true},
    {"step", step, FROM_VULKAN, false},
    {"first step", step, FROM_FRESH, false},
    {"set_device", move, FROM_CPU, true},
    {"set_output", set_output, FROM_VULKAN, true},
    {"tangents", set_tangents, FROM_VULKAN, true},
    {"read", read_all, FROM_VULKAN, true},
    {"save", save, FROM_VULKAN, true},
    {"load", load, FROM_VULKAN, false},
    {"set_body", set_body, FROM_VULKAN, true},
    {"set_params", set_params, FROM_VULKAN, true},
    {"reset", reset, FROM_VULKAN, false},
    {"teleport", teleport, FROM_VULKAN, false},
    {"stats", stats, FROM_VULKAN, true},
    {"output in pages", set_pages, FROM_VULKAN, true},
    {"export output", export_output, FROM_VULKAN, true},
    {"import output", import_output, FROM_VULKAN, true},
    {"semaphores", semaphores, FROM_VULKAN, false},
    {"save cache", save_cache, FROM_VULKAN, true},
    {"destroy", destroy, FROM_VULKAN, true},
};

static void subject_open(struct subject *s, const struct operation *operation) {
    s->hair.id = 0;
    s->frame = 0;
    if (operation->start == FROM_NOTHING) return;
    assert_ok(stand_hair(s->stand, operation->start == FROM_CPU ? s->stand->cpu : s->vulkan, &s->hair));
    struct stand_output output;
    stand_output(s->stand, s->output, &output);
    assert_ok(plait_hair_set_output(s->hair, &output.desc));
    for (int i = 0; i < FRAMES_BEFORE && operation->start != FROM_FRESH; i++)
        assert_ok(stand_step(s->hair, ++s->frame));
}

// The hair continues where it is, then on the CPU; returns its positions. Nothing fails any more.
static void subject_close(struct subject *s, const struct operation *operation, float *positions) {
    double_reset();
    if (!s->hair.id) return;
    // Long enough for a rescue, and for what was recorded before the operation to run again.
    bool longer = operation->start == FROM_FRESH || operation->run == set_tangents;
    int frames = longer ? 2 * RESCUE_FRAMES : FRAMES_AFTER;
    for (int i = 0; i < frames; i++) assert_ok(stand_step(s->hair, ++s->frame));
    assert_ok(plait_hair_set_output(s->hair, NULL)); // the CPU cannot write all memory that Vulkan can
    assert_ok(plait_hair_set_device(s->hair, s->stand->cpu));
    for (int i = 0; i < FRAMES_AFTER; i++) assert_ok(stand_step(s->hair, ++s->frame));
    assert_ok(stand_read(s->stand, s->hair, positions));
    stand_expect_sound(s->stand, positions, s->frame);
    assert_ok(plait_hair_destroy(s->hair));
}

// Where the hair ends up when nothing fails, with the operation and without it.
struct expectation {
    float *done, *undone;
};

static uint64_t experiments, refused, absorbed;

static uint32_t open_descriptors(void) {
    uint32_t count = 0;
    double_open_fds(); // the double frees closed descriptors
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

// One failure: true when it happened.
static bool experiment(struct subject *s, const struct operation *operation, const char *function, VkResult failure,
                       uint32_t nth, bool once, const struct expectation *expected) {
    uint32_t descriptors = open_descriptors();
    subject_open(s, operation);
    double_reset();
    uint32_t errors = s->stand->errors;
    assert_true(once ? double_fail(function, nth, failure) : double_fail_from(function, nth, failure));
    plait_result result = operation->run(s);
    bool failed = double_failures() > 0;
    if (result < 0 && (!failed || s->stand->errors == errors))
        fail_msg("%s: %s %u: result %d, %s", operation->name, function, nth, result,
                 failed ? "but nothing in the log" : "though nothing failed");
    if (result < 0 && operation->start == FROM_NOTHING) assert_true(s->hair.id == 0);
    if (result < 0 && operation->run == set_output) expect_no_history(s);
    float *positions = s->positions;
    bool exists = s->hair.id != 0;
    subject_close(s, operation, positions);
    experiments++;
    if (double_payloads() > 0 || open_descriptors() != descriptors)
        fail_msg("%s: %s %u: a file descriptor or a semaphore was left behind", operation->name, function, nth);
    refused += result < 0;
    absorbed += result == PLAIT_OK && failed;
    if (!exists || (result < 0 && !operation->keeps)) return failed;
    double off =
        largest_difference(positions, result == PLAIT_OK ? expected->done : expected->undone, s->stand->vertices);
    if (!(off < 1e-5))
        fail_msg("%s: %s %u%s: result %d, and strands are off by %g", operation->name, function, nth,
                 once ? "" : " and later", result, off);
    return failed;
}

// Validation 1.3.239 treats a failed submission as running, so those have a separate run, with the argument "submit",
// in which some messages do not count.
static bool submissions;
static bool in_this_run(const char *function) { return submissions == (strncmp(function, "vkQueueSubmit", 13) == 0); }

static void try_operation(struct subject *s, const struct operation *operation) {
    float done[3 * 400], undone[3 * 400];
    struct expectation expected = {done, undone};
    assert_true(s->stand->vertices <= 400);
    // Frames skipped by a failed step do not count in `undone`: only operations other than steps keep the state.
    if (operation->start != FROM_NOTHING) {
        subject_open(s, operation);
        subject_close(s, operation, undone);
    }
    subject_open(s, operation);
    double_reset();
    assert_ok(operation->run(s));
    uint32_t calls[256];
    const char *name;
    uint32_t count = 0;
    for (; (name = double_function(count, NULL)); count++) calls[count] = double_calls(name);
    subject_close(s, operation, done);
    for (uint32_t f = 0; f < count; f++) {
        VkResult failure;
        name = double_function(f, &failure);
        if (!in_this_run(name)) continue;
        for (int once = 0; once < 2; once++)
            for (uint32_t nth = 1; nth <= calls[f]; nth += 1 + nth)
                if (!experiment(s, operation, name, failure, nth, once, &expected)) break;
    }
}

static void every_call_survives_every_failure(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    struct stand stand;
    stand_open(&stand);
    struct subject s = {.stand = &stand};
    double_pretend(&(struct double_pretence){.semaphore_fds = true});
    assert_ok(stand_open_vulkan(&stand, &s.vulkan));
    s.output = calloc(stand.vertices, 24);
    s.positions = calloc(stand.vertices, 12);
    assert_ok(stand_hair(&stand, s.vulkan, &s.hair));
    assert_ok(plait_hair_state_size(s.hair, &s.blob_size));
    s.blob = malloc(s.blob_size);
    s.saved = malloc(s.blob_size);
    s.whole = malloc(s.blob_size);
    assert_true(s.output && s.positions && s.blob && s.saved && s.whole);
    for (int f = 1; f <= 4; f++) assert_ok(stand_step(s.hair, f));
    assert_ok(plait_hair_save(s.hair, s.blob, s.blob_size)); // for load
    assert_ok(export_output(&s));
    s.source = s.hair;
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    assert_ok(plait_device_query(s.vulkan, &info));
    assert_true(info.interop & PLAIT_INTEROP_SEMAPHORE_FD);
    uint64_t used = info.memory_used_bytes;
    s.pages_size = ((uint64_t)stand.vertices * 12 / 65536 + 1) * 65536;
    s.pages = aligned_alloc(65536, s.pages_size);
    assert_non_null(s.pages);
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        experiments = refused = absorbed = 0;
        try_operation(&s, &operations[i]);
        printf("%s: %llu failures, %llu refused, %llu absorbed\n", operations[i].name, (unsigned long long)experiments,
               (unsigned long long)refused, (unsigned long long)absorbed);
        assert_ok(plait_device_query(s.vulkan, &info));
        assert_true(info.memory_used_bytes == used); // everything was freed
    }
    assert_ok(plait_hair_destroy(s.source));
    assert_ok(plait_device_close(s.vulkan));
    free(s.output);
    free(s.positions);
    free(s.blob);
    free(s.saved);
    free(s.whole);
    free(s.pages);
    stand_close(&stand);
}

// How often each function is called when nothing fails.
static void count_calls_of_opening(uint32_t *calls, uint32_t capacity) {
    struct stand stand;
    plait_device device;
    const char *name;
    stand_open(&stand);
    double_reset();
    assert_ok(stand_open_vulkan(&stand, &device));
    for (uint32_t f = 0; (name = double_function(f, NULL)); f++) {
        assert_true(f < capacity);
        calls[f] = double_calls(name);
    }
    assert_ok(plait_device_close(device));
    stand_close(&stand);
}

// A context looks for devices once, so each failure gets a new one.
static void opening_a_device_survives_every_failure(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    const char *name;
    VkResult failure;
    uint32_t tried = 0, opened = 0, calls[256];
    count_calls_of_opening(calls, sizeof calls / sizeof *calls);
    const char *layers = getenv("VK_INSTANCE_LAYERS");
    char *watched = strdup(layers ? layers : "");
    for (uint32_t f = 0; (name = double_function(f, &failure)); f++) {
        // Validation 1.3.239 leaks its data of an instance or device that could not be created.
        bool leaks = strcmp(name, "vkCreateInstance") == 0 || strcmp(name, "vkCreateDevice") == 0;
        setenv("VK_INSTANCE_LAYERS", leaks ? "VK_LAYER_PLAIT_double" : watched, 1);
        // Each kernel is a call, so a sample of them.
        for (uint32_t nth = 1; in_this_run(name) && nth <= calls[f]; nth += 1 + nth / 4) {
            struct stand stand;
            stand_open(&stand);
            double_reset();
            assert_true(double_fail_from(name, nth, failure));
            plait_device device = {0};
            plait_result result = stand_open_vulkan(&stand, &device);
            bool failed = double_failures() > 0;
            tried += failed;
            opened += failed && result == PLAIT_OK;
            if (result < 0 && (!failed || stand.errors == 0 || device.id != 0))
                fail_msg("%s %u: result %d, %s", name, nth, result, stand.said);
            double_reset();
            if (result == PLAIT_OK) assert_ok(plait_device_close(device));
            // The CPU is always available.
            plait_hair hair;
            assert_ok(stand_hair(&stand, stand.cpu, &hair));
            assert_ok(stand_step(hair, 1));
            assert_ok(plait_hair_destroy(hair));
            stand_close(&stand);
        }
    }
    free(watched);
    printf("device_open: %u failures, %u refused, %u absorbed\n", tried, tried - opened, opened);
    assert_true(submissions || tried > 20);
}

static void a_device_out_of_memory_refuses_the_hair_and_says_why(void **state) {
    (void)state;
    if (!stand_has_vulkan()) skip();
    struct stand stand;
    stand_open(&stand);
    plait_device vulkan;
    plait_hair hair;
    assert_ok(stand_open_vulkan(&stand, &vulkan));
    assert_true(double_fail_from("vkAllocateMemory", 1, VK_ERROR_OUT_OF_DEVICE_MEMORY));
    assert_int_equal(stand_hair(&stand, vulkan, &hair), PLAIT_ERROR_OUT_OF_MEMORY);
    assert_true(hair.id == 0);
    assert_true(stand.errors > 0 && strstr(stand.said, "memory"));
    double_reset();
    assert_ok(stand_hair(&stand, vulkan, &hair)); // memory has come back
    assert_ok(stand_step(hair, 1));
    assert_ok(plait_hair_destroy(hair));
    assert_ok(plait_device_close(vulkan));
    stand_close(&stand);
}

int main(int argc, char **argv) {
    submissions = argc > 1 && strcmp(argv[1], "submit") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_survives_every_failure),
        cmocka_unit_test(opening_a_device_survives_every_failure),
        cmocka_unit_test(a_device_out_of_memory_refuses_the_hair_and_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
