// plait_semaphore: a number that grows, on every device; frames that wait and signal, on the device or on the calling
// thread.
#include "vulkan_host.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint32_t backends[] = {PLAIT_BACKEND_CPU, PLAIT_BACKEND_VULKAN, PLAIT_BACKEND_CUDA};
enum { BACKENDS = sizeof backends / sizeof backends[0] };

static bool open_rig(struct straight *strands, uint32_t backend, struct rig *rig) {
    *strands = straight_make(40, 20, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&strands->desc);
    *rig = rig_open(&options);
    if (backend == PLAIT_BACKEND_CPU) return true;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = backend;
    plait_device device;
    if (plait_device_open(rig->context, &desc, &device) != PLAIT_OK) {
        rig_close(rig);
        straight_free(strands);
        return false;
    }
    assert_ok(plait_hair_set_device(rig->hair, device));
    assert_ok(plait_device_close(rig->device));
    rig->device = device;
    return true;
}

static void close_rig(struct straight *strands, struct rig *rig) {
    rig_close(rig);
    straight_free(strands);
}

// Output in the device's memory.
static void export_output(struct rig *rig) {
    struct rig_output output;
    rig_describe_output(rig->vertices, NULL, &output);
    plait_output_export_desc wish = PLAIT_OUTPUT_EXPORT_DESC_INIT;
    wish.kind = PLAIT_EXTERNAL_OPAQUE_FD;
    output.desc.head.next = &wish;
    assert_ok(plait_hair_set_output(rig->hair, &output.desc));
}

static void semaphores_count_up_on_every_device(void **state) {
    (void)state;
    for (int i = 0; i < BACKENDS; i++) {
        struct straight strands;
        struct rig rig;
        if (!open_rig(&strands, backends[i], &rig)) continue;
        plait_semaphore s;
        uint64_t value = 99;
        assert_ok(plait_semaphore_create(rig.device, NULL, &s));
        assert_ok(plait_semaphore_query(s, &value));
        assert_true(value == 0);
        assert_ok(plait_semaphore_wait(s, 0, 0));
        assert_ok(plait_semaphore_signal(s, 5));
        assert_ok(plait_semaphore_wait(s, 5, UINT64_MAX));
        assert_int_equal(plait_semaphore_signal(s, 5), PLAIT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(plait_semaphore_signal(s, 4), PLAIT_ERROR_INVALID_ARGUMENT);
        assert_ok(plait_semaphore_signal(s, 1ull << 40));
        assert_ok(plait_semaphore_query(s, &value));
        assert_true(value == 1ull << 40);
        assert_int_equal(plait_semaphore_query(s, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
        // Last: after a wait that timed out, validation layers count the value as signalled.
        assert_int_equal(plait_semaphore_wait(s, value + 1, 1000000), PLAIT_ERROR_TIMEOUT);
        plait_external_semaphore external = PLAIT_EXTERNAL_SEMAPHORE_INIT;
        plait_device_info info = PLAIT_DEVICE_INFO_INIT;
        assert_ok(plait_device_query(rig.device, &info));
        if (!(info.interop & PLAIT_INTEROP_SEMAPHORE_FD)) {
            assert_int_equal(plait_semaphore_export(s, PLAIT_EXTERNAL_OPAQUE_FD, &external), PLAIT_ERROR_UNSUPPORTED);
            external.kind = PLAIT_EXTERNAL_OPAQUE_FD;
            external.handle = 0;
            plait_semaphore other;
            assert_int_equal(plait_semaphore_create(rig.device, &external, &other), PLAIT_ERROR_UNSUPPORTED);
        }
        assert_int_equal(plait_semaphore_export(s, 9, &external), PLAIT_ERROR_INVALID_ARGUMENT);
        assert_ok(plait_semaphore_destroy(s));
        assert_int_equal(plait_semaphore_query(s, &value), PLAIT_ERROR_INVALID_HANDLE);
        close_rig(&strands, &rig);
    }
}

struct later {
    plait_semaphore semaphore;
    uint64_t value;
    bool destroy;
};

static void *raise_later(void *user) {
    struct later *later = user;
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    if (later->destroy)
        assert_ok(plait_semaphore_destroy(later->semaphore));
    else
        assert_ok(plait_semaphore_signal(later->semaphore, later->value));
    return NULL;
}

// Output in host memory: the stepping thread waits before and signals after, wherever the semaphore is.
static void frames_wait_and_signal_on_the_calling_thread_where_the_device_cannot(void **state) {
    (void)state;
    for (int i = 0; i < BACKENDS; i++) {
        struct straight strands;
        struct rig rig;
        if (!open_rig(&strands, backends[i], &rig)) continue;
        plait_semaphore s;
        assert_ok(plait_semaphore_create(rig.device, NULL, &s));
        float *memory = malloc(12ull * rig.vertices);
        assert_non_null(memory);
        struct rig_output output;
        rig_describe_output(rig.vertices, memory, &output);
        assert_ok(plait_hair_set_output(rig.hair, &output.desc));
        plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
        sync.wait_semaphore = sync.signal_semaphore = s;
        plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
        frame.head.next = &sync;
        frame.dt = 1.0f / 60;
        frame.gravity[1] = -9.81f;
        for (uint64_t f = 0; f < 3; f++) {
            struct later later = {s, 2 * f + 1, false};
            pthread_t thread;
            assert_int_equal(pthread_create(&thread, NULL, raise_later, &later), 0);
            sync.wait_value = 2 * f + 1;
            sync.signal_value = 2 * f + 2;
            assert_ok(plait_hair_step(rig.hair, &frame));
            uint64_t value = 0;
            assert_ok(plait_semaphore_query(s, &value));
            assert_true(value == 2 * f + 2);
            float *positions = rig_positions(&rig);
            assert_memory_equal(memory, positions, 12ull * rig.vertices); // written when it was signalled
            free(positions);
            assert_int_equal(pthread_join(thread, NULL), 0);
        }
        // Destroying a semaphore releases its waiters.
        struct later later = {s, 0, true};
        pthread_t thread;
        sync.wait_value = 100;
        sync.signal_semaphore.id = 0;
        assert_int_equal(pthread_create(&thread, NULL, raise_later, &later), 0);
        assert_ok(plait_hair_step(rig.hair, &frame));
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(plait_hair_step(rig.hair, &frame), PLAIT_ERROR_INVALID_HANDLE);
        assert_ok(plait_hair_set_output(rig.hair, NULL));
        free(memory);
        close_rig(&strands, &rig);
    }
}

// Output on the device: the step returns at once, and the device does the waiting.
static void frames_wait_and_signal_on_the_device_where_it_can(void **state) {
    struct straight strands;
    struct rig rig;
    if (!open_rig(&strands, *(uint32_t *)*state, &rig)) skip();
    plait_semaphore ready, done;
    assert_ok(plait_semaphore_create(rig.device, NULL, &ready));
    assert_ok(plait_semaphore_create(rig.device, NULL, &done));
    export_output(&rig);
    plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
    sync.wait_semaphore = ready;
    sync.signal_semaphore = done;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.head.next = &sync;
    frame.dt = 1.0f / 100; // some frames have no step
    frame.gravity[1] = -9.81f;
    for (uint64_t f = 1; f <= 20; f++) {
        sync.wait_value = sync.signal_value = f;
        assert_ok(plait_hair_step(rig.hair, &frame)); // would hang here if it waited itself
        uint64_t value = 0;
        assert_ok(plait_semaphore_query(done, &value));
        assert_true(value == f - 1);
        assert_int_equal(plait_hair_wait(rig.hair, 1000000), PLAIT_ERROR_TIMEOUT);
        assert_ok(plait_semaphore_signal(ready, f));
        assert_ok(plait_semaphore_wait(done, f, UINT64_MAX));
    }
    // Both ways at once are refused.
    plait_vulkan_frame_desc vulkan = PLAIT_VULKAN_FRAME_DESC_INIT;
    vulkan.head.next = &sync;
    frame.head.next = &vulkan;
    assert_int_equal(plait_hair_step(rig.hair, &frame), PLAIT_ERROR_INVALID_ARGUMENT);
    frame.head.next = &sync;
    // Nobody will ever signal it: the frame is released when the semaphore or the context is destroyed.
    sync.wait_value = sync.signal_value = 1000;
    assert_ok(plait_hair_step(rig.hair, &frame));
    assert_ok(plait_semaphore_destroy(ready));
    assert_ok(plait_semaphore_wait(done, 1000, UINT64_MAX));
    assert_ok(plait_semaphore_create(rig.device, NULL, &ready));
    sync.wait_semaphore = ready;
    sync.signal_value = 2000;
    assert_ok(plait_hair_step(rig.hair, &frame));
    assert_ok(plait_context_destroy(rig.context));
    straight_free(&strands);
}

// A hair whose output is on its device, so that frames are ordered there.
struct ordered {
    struct straight strands;
    struct rig rig;
    plait_semaphore semaphore, other;
};

static bool open_ordered(struct ordered *o, const uint32_t *backend) {
    if (!open_rig(&o->strands, *backend, &o->rig)) return false;
    assert_ok(plait_semaphore_create(o->rig.device, NULL, &o->semaphore));
    assert_ok(plait_semaphore_create(o->rig.device, NULL, &o->other));
    export_output(&o->rig);
    return true;
}

static void close_ordered(struct ordered *o) {
    assert_ok(plait_semaphore_destroy(o->other));
    close_rig(&o->strands, &o->rig);
}

static plait_result step_hair(plait_hair hair, float dt, plait_semaphore wait, uint64_t wait_value,
                              plait_semaphore signal, uint64_t signal_value) {
    plait_frame_sync_desc sync = PLAIT_FRAME_SYNC_DESC_INIT;
    sync.wait_semaphore = wait;
    sync.wait_value = wait_value;
    sync.signal_semaphore = signal;
    sync.signal_value = signal_value;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.head.next = &sync;
    frame.dt = dt;
    frame.gravity[1] = -9.81f;
    return plait_hair_step(hair, &frame);
}

static plait_result step_ordered(struct ordered *o, float dt, plait_semaphore wait, uint64_t wait_value,
                                 plait_semaphore signal, uint64_t signal_value) {
    return step_hair(o->rig.hair, dt, wait, wait_value, signal, signal_value);
}

static const plait_semaphore none = {0};

static void two_frames_of_any_length_queue_up_without_a_wait(void **state) {
    struct ordered o;
    if (!open_ordered(&o, *state)) skip();
    for (int round = 0; round < 3; round++) {
        uint64_t base = 10 * (uint64_t)round;
        assert_ok(step_ordered(&o, 0.1f, o.semaphore, base + 1, none, 0)); // six steps
        assert_ok(step_ordered(&o, 0.1f, o.semaphore, base + 2, o.other, base + 3));
        assert_ok(plait_semaphore_signal(o.semaphore, base + 1));
        assert_ok(plait_semaphore_signal(o.semaphore, base + 2));
        assert_ok(plait_semaphore_wait(o.other, base + 3, UINT64_MAX));
    }
    assert_ok(plait_semaphore_destroy(o.semaphore));
    close_ordered(&o);
}

static void a_semaphore_ends_while_frames_wait_for_another(void **state) {
    struct ordered o;
    if (!open_ordered(&o, *state)) skip();
    plait_semaphore third;
    assert_ok(plait_semaphore_create(o.rig.device, NULL, &third));
    assert_ok(step_ordered(&o, 1.0f / 60, o.semaphore, 1, o.other, 1));
    assert_ok(plait_semaphore_destroy(third)); // would hang
    assert_ok(plait_semaphore_signal(o.semaphore, 1));
    assert_ok(plait_semaphore_wait(o.other, 1, UINT64_MAX));
    assert_ok(plait_semaphore_destroy(o.semaphore));
    close_ordered(&o);
}

static void values_rise_also_while_frames_are_under_way(void **state) {
    struct ordered o;
    if (!open_ordered(&o, *state)) skip();
    plait_semaphore s = o.semaphore;
    assert_ok(step_ordered(&o, 1.0f / 60, o.other, 1, s, 5));
    assert_int_equal(step_ordered(&o, 1.0f / 60, none, 0, s, 5), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(step_ordered(&o, 1.0f / 60, none, 0, s, 3), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(step_ordered(&o, 1.0f / 60, s, 9, s, 9), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(plait_semaphore_signal(s, 10), PLAIT_ERROR_INVALID_ARGUMENT); // a frame will set it to 5
    assert_int_equal(plait_semaphore_signal(s, 5), PLAIT_ERROR_INVALID_ARGUMENT);
    // By now it may be 5 already: nobody but the host knows of the other semaphore.
    assert_int_equal(plait_semaphore_signal(s, 4), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_ok(plait_semaphore_signal(o.other, 1));
    assert_ok(plait_semaphore_wait(s, 5, UINT64_MAX));
    assert_ok(plait_semaphore_signal(s, 6));
    // A frame that waits for the very semaphore raises it after the host does, not before.
    assert_ok(step_ordered(&o, 1.0f / 60, s, 9, s, 10));
    assert_int_equal(plait_semaphore_signal(s, 10), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_ok(plait_semaphore_signal(s, 8));
    assert_ok(plait_semaphore_signal(s, 9));
    assert_ok(plait_semaphore_wait(s, 10, UINT64_MAX));
    // A chain of frames, each waiting for the one before, is let go from its beginning.
    assert_ok(step_ordered(&o, 1.0f / 60, s, 11, s, 12));
    assert_ok(step_ordered(&o, 1.0f / 60, s, 20, s, 21));
    assert_ok(plait_semaphore_destroy(s));
    assert_ok(plait_hair_wait(o.rig.hair, UINT64_MAX));
    close_ordered(&o);
}

static plait_hair another_hair(const struct rig *rig) {
    plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
    desc.groom = rig->groom;
    desc.device = rig->device;
    desc.solver = PLAIT_SOLVER_SHAPE;
    plait_hair hair;
    assert_ok(plait_hair_create(rig->context, &desc, &hair));
    return hair;
}

// Of two hairs, each with a stream of its own where there are streams.
static void frames_of_two_hairs_raise_one_semaphore_in_order(void **state) {
    struct ordered o;
    if (!open_ordered(&o, *state)) skip();
    struct rig second = o.rig;
    second.hair = another_hair(&o.rig);
    export_output(&second);
    for (uint64_t k = 0; k < 5; k++) {
        assert_ok(step_ordered(&o, 1.0f / 60, o.other, k + 1, o.semaphore, 2 * k + 1));
        assert_ok(step_hair(second.hair, 1.0f / 60, none, 0, o.semaphore, 2 * k + 2));
        assert_int_equal(plait_hair_wait(second.hair, 20000000), PLAIT_ERROR_TIMEOUT); // behind the first
        uint64_t value = 0;
        assert_ok(plait_semaphore_query(o.semaphore, &value));
        assert_true(value == 2 * k);
        assert_ok(plait_semaphore_signal(o.other, k + 1));
        assert_ok(plait_hair_wait(o.rig.hair, UINT64_MAX));
        assert_ok(plait_hair_wait(second.hair, UINT64_MAX));
        assert_ok(plait_semaphore_wait(o.semaphore, 2 * k + 2, UINT64_MAX));
        assert_ok(plait_semaphore_query(o.semaphore, &value));
        assert_true(value == 2 * k + 2);
    }
    assert_ok(plait_hair_destroy(second.hair));
    assert_ok(plait_semaphore_destroy(o.semaphore));
    close_ordered(&o);
}

static void *step_when_other_is_one(void *user) {
    struct ordered *o = user;
    assert_ok(step_ordered(o, 1.0f / 60, o->other, 1, o->semaphore, 5));
    return NULL;
}

// Else the later of two calls might raise it first.
static void one_call_at_a_time_steps_towards_a_semaphore(void **state) {
    (void)state;
    struct ordered o;
    assert_true(open_rig(&o.strands, PLAIT_BACKEND_CPU, &o.rig));
    assert_ok(plait_semaphore_create(o.rig.device, NULL, &o.semaphore));
    assert_ok(plait_semaphore_create(o.rig.device, NULL, &o.other));
    plait_hair second = another_hair(&o.rig);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, step_when_other_is_one, &o), 0);
    plait_result result; // 0 is a value that never fits
    while ((result = step_hair(second, 0, none, 0, o.semaphore, 0)) == PLAIT_ERROR_INVALID_ARGUMENT) {
    }
    assert_int_equal(result, PLAIT_ERROR_BUSY);
    assert_ok(plait_semaphore_signal(o.other, 1));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_ok(step_hair(second, 0, none, 0, o.semaphore, 6));
    assert_ok(plait_hair_destroy(second));
    assert_ok(plait_semaphore_destroy(o.semaphore));
    close_ordered(&o);
}

static void assert_value(plait_semaphore semaphore, uint64_t expected) {
    uint64_t value = 0;
    assert_ok(plait_semaphore_query(semaphore, &value));
    assert_true(value == expected);
}

// Whoever draws has its wait in a queue already, and nobody takes it out again.
static void a_refused_frame_signals_nevertheless(void **state) {
    (void)state;
    const uint64_t long_ns = 20000000000;
    for (int i = 0; i < BACKENDS; i++)
        for (int on_device = 0; on_device < 2; on_device++) {
            struct ordered o;
            if (on_device && backends[i] == PLAIT_BACKEND_CPU) continue;
            if (!open_rig(&o.strands, backends[i], &o.rig)) continue;
            plait_semaphore s;
            assert_ok(plait_semaphore_create(o.rig.device, NULL, &s));
            assert_ok(plait_semaphore_create(o.rig.device, NULL, &o.other));
            if (on_device) export_output(&o.rig);
            assert_int_equal(step_ordered(&o, NAN, none, 0, s, 1), PLAIT_ERROR_INVALID_ARGUMENT);
            assert_ok(plait_semaphore_wait(s, 1, long_ns));
            // After what it was to wait for, like any other.
            assert_ok(plait_semaphore_signal(o.other, on_device ? 1 : 2));
            assert_int_equal(step_ordered(&o, -1, o.other, 2, s, 2), PLAIT_ERROR_INVALID_ARGUMENT);
            if (on_device) {
                assert_value(s, 1);
                assert_ok(plait_semaphore_signal(o.other, 2));
            }
            assert_ok(plait_semaphore_wait(s, 2, long_ns));
            // Where the semaphores themselves are wrong, nothing is promised and nothing comes.
            assert_int_equal(step_ordered(&o, 1.0f / 60, none, 0, s, 2), PLAIT_ERROR_INVALID_ARGUMENT);
            assert_int_equal(step_ordered(&o, 1.0f / 60, (plait_semaphore){1}, 1, s, 5), PLAIT_ERROR_INVALID_HANDLE);
            assert_value(s, 2);
            assert_ok(plait_semaphore_signal(s, 3));
            assert_ok(step_ordered(&o, 1.0f / 60, none, 0, s, 4));
            assert_ok(plait_semaphore_wait(s, 4, long_ns));
            assert_ok(plait_semaphore_destroy(s));
            close_ordered(&o);
        }
}

static void *wait_for_seven(void *user) {
    plait_result result = plait_semaphore_wait(*(plait_semaphore *)user, 7, UINT64_MAX);
    assert_true(result == PLAIT_OK || result == PLAIT_ERROR_INVALID_HANDLE);
    return NULL;
}

static void whoever_waits_is_let_go_when_the_semaphore_ends(void **state) {
    (void)state;
    for (int i = 0; i < BACKENDS; i++) {
        struct straight strands;
        struct rig rig;
        if (!open_rig(&strands, backends[i], &rig)) continue;
        for (int k = 0; k < 300; k++) { // before, while or after the other thread begins
            plait_semaphore s;
            assert_ok(plait_semaphore_create(rig.device, NULL, &s));
            pthread_t thread;
            assert_int_equal(pthread_create(&thread, NULL, wait_for_seven, &s), 0);
            for (volatile int spin = 0; spin < 100 * k; spin++) {
            }
            assert_ok(plait_semaphore_destroy(s));
            assert_int_equal(pthread_join(thread, NULL), 0);
        }
        close_rig(&strands, &rig);
    }
}

// On each device that orders frames itself, where there is one.
#define ON_DEVICES(test)                                                                                               \
    {#test " (Vulkan)", test, NULL, NULL, &backends[1]}, { #test " (CUDA)", test, NULL, NULL, &backends[2] }

int main(void) {
    const struct CMUnitTest tests[] = {
        ON_DEVICES(two_frames_of_any_length_queue_up_without_a_wait),
        ON_DEVICES(a_semaphore_ends_while_frames_wait_for_another),
        ON_DEVICES(values_rise_also_while_frames_are_under_way),
        ON_DEVICES(frames_wait_and_signal_on_the_device_where_it_can),
        ON_DEVICES(frames_of_two_hairs_raise_one_semaphore_in_order),
        cmocka_unit_test(one_call_at_a_time_steps_towards_a_semaphore),
        cmocka_unit_test(a_refused_frame_signals_nevertheless),
        cmocka_unit_test(whoever_waits_is_let_go_when_the_semaphore_ends),
        cmocka_unit_test(semaphores_count_up_on_every_device),
        cmocka_unit_test(frames_wait_and_signal_on_the_calling_thread_where_the_device_cannot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
