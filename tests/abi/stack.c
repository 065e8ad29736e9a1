/* Every call fits into the stack of a fiber. The calls run on a thread whose stack has a page without access below it and
 * is painted beforehand: what is no longer paint afterwards was used. */
#include "calls.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FIBER_STACK = 65536, DRIVER_STACK = 65536, AMPLE_STACK = 1 << 20, PAGE = 4096, PAINT = 0xa5 };

/* Sanitizers make frames larger than they are. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { FRAMES_ARE_PADDED = 1 };
#elif defined(__has_feature)
enum {
    FRAMES_ARE_PADDED =
        __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
};
#else
enum { FRAMES_ARE_PADDED = 0 };
#endif

/* Runs it with that much stack and gives back how much was used, the thread's own data at its top included. */
static size_t run_on_stack(size_t size, void *(*function)(void *), void *argument) {
    unsigned char *memory = mmap(NULL, PAGE + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t left = 0;
    pthread_attr_t attributes;
    pthread_t thread;
    assert_true(memory != MAP_FAILED && mprotect(memory, PAGE, PROT_NONE) == 0);
    memset(memory + PAGE, PAINT, size);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, memory + PAGE, size), 0);
    assert_int_equal(pthread_create(&thread, &attributes, function, argument), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_attr_destroy(&attributes), 0);
    while (left < size && memory[PAGE + left] == PAINT) {
        left++;
    }
    assert_int_equal(munmap(memory, PAGE + size), 0);
    return size - left;
}

/* Jobs run on the calling thread: that is where a fiber's stack is short. */
static void PLAIT_CALL one_after_the_other(void *user, uint32_t count, plait_job job, void *argument) {
    (void)user;
    for (uint32_t i = 0; i < count; ++i) {
        job(argument, i);
    }
}

static int finds_drivers(const handle_call *call) {
    return strcmp(call->name, "plait_backend_enumerate") == 0 || strcmp(call->name, "plait_device_enumerate") == 0 ||
           strcmp(call->name, "plait_device_open") == 0 || strcmp(call->name, "plait_vulkan_query_wants") == 0;
}

typedef struct trial {
    uint32_t backend;
    uint32_t instruction_set;
} trial;

/* All calls but those that look for drivers of other backends, which need what drivers need. */
static void *run_session(void *argument) {
    const trial *t = argument;
    plait_jobs jobs = PLAIT_JOBS_INIT;
    session_options options = {0};
    session *s;
    jobs.parallel_for = one_after_the_other;
    jobs.thread_count = 1;
    options.jobs = &jobs;
    options.backend = t->backend;
    options.instruction_set = t->instruction_set;
    s = session_open(&options);
    session_run(s, 0, 3);
    for (size_t i = 0; i < handle_call_count; ++i) {
        const handle_call *call = &handle_calls[i];
        if (!call->ends && !finds_drivers(call)) {
            plait_result result = call->run(s, session_handle(s, call->kind));
            if (result != PLAIT_OK && result != PLAIT_ERROR_UNSUPPORTED && result != PLAIT_ERROR_TIMEOUT) {
                fail_msg("%s: %d", call->name, result);
            }
        }
    }
    free(read_positions(s));
    session_close(s);
    return NULL;
}

static int has_device(const trial *t) {
    plait_device_cpu_desc cpu = PLAIT_DEVICE_CPU_DESC_INIT;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_context context;
    plait_device device;
    plait_result result;
    cpu.instruction_set = t->instruction_set;
    desc.backend = t->backend;
    desc.head.next = t->backend == PLAIT_BACKEND_CPU ? &cpu : NULL;
    assert_ok(plait_context_create(NULL, &context));
    result = plait_device_open(context, &desc, &device);
    assert_ok(plait_context_destroy(context));
    return result == PLAIT_OK;
}

static void every_call_on_the_cpu_fits_into_a_fiber(void **state) {
    (void)state;
    for (uint32_t set = PLAIT_CPU_SCALAR; set <= PLAIT_CPU_NEON; ++set) {
        trial t = {PLAIT_BACKEND_CPU, set};
        if (has_device(&t)) {
            size_t used = run_on_stack(AMPLE_STACK, run_session, &t); /* threads of ARM have 128 KB or more */
            printf("instruction set %u: %zu bytes\n", set, used);
            assert_true(used <= FIBER_STACK);
        }
    }
}

/* Where drivers work on the calling thread, too: what they take is theirs, but none that is known takes more than this. */
static void every_call_on_vulkan_leaves_a_fiber_room_for_the_driver(void **state) {
    trial t = {PLAIT_BACKEND_VULKAN, 0};
    size_t used;
    (void)state;
    if (!has_device(&t)) {
        skip();
    }
    used = run_on_stack(AMPLE_STACK, run_session, &t);
    printf("%zu bytes with the driver's\n", used);
    assert_true(used <= FIBER_STACK + DRIVER_STACK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_on_the_cpu_fits_into_a_fiber),
        cmocka_unit_test(every_call_on_vulkan_leaves_a_fiber_room_for_the_driver),
    };
    if (FRAMES_ARE_PADDED) {
        print_message("frames are larger than usual in this build\n");
        return 77;
    }
    return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
