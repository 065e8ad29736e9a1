/* Neither stepping nor, when the host gives an allocator and a job system, anything else touches the C library's heap.
 * malloc and its kin are defined here, so the shared library calls these as well. So do drivers, which are left out by
 * looking at who calls. */
#include "session.h"

#include <dlfcn.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEAP_IS_TAKEN 1 /* by the sanitizer */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HEAP_IS_TAKEN 1
#endif
#endif

#if defined(__GLIBC__) && !defined(HEAP_IS_TAKEN)

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *pointer);

/* Else only this program would call what is defined here. */
#define SEEN_BY_LIBRARIES __attribute__((visibility("default")))

static atomic_uint_fast64_t heap_calls; /* of anybody's */
static atomic_uint_fast64_t our_calls;  /* from the library and its modules, while it is watched */
static atomic_int watches;

static void note_call(const void *caller) {
    Dl_info info;
    heap_calls++;
    if (watches && dladdr(caller, &info) && strstr(info.dli_fname, "libplait")) {
        our_calls++;
    }
}

SEEN_BY_LIBRARIES void *malloc(size_t size) {
    note_call(__builtin_return_address(0));
    return __libc_malloc(size);
}

SEEN_BY_LIBRARIES void *calloc(size_t count, size_t size) {
    note_call(__builtin_return_address(0));
    return __libc_calloc(count, size);
}

SEEN_BY_LIBRARIES void *realloc(void *pointer, size_t size) {
    note_call(__builtin_return_address(0));
    return __libc_realloc(pointer, size);
}

SEEN_BY_LIBRARIES void *memalign(size_t alignment, size_t size) {
    note_call(__builtin_return_address(0));
    return __libc_memalign(alignment, size);
}

SEEN_BY_LIBRARIES void *aligned_alloc(size_t alignment, size_t size) {
    note_call(__builtin_return_address(0));
    return __libc_memalign(alignment, size);
}

SEEN_BY_LIBRARIES int posix_memalign(void **pointer, size_t alignment, size_t size) {
    note_call(__builtin_return_address(0));
    *pointer = __libc_memalign(alignment, size);
    return *pointer ? 0 : 12;
}

SEEN_BY_LIBRARIES void free(void *pointer) {
    heap_calls++; /* drivers end with a jump to it: who calls cannot be told */
    __libc_free(pointer);
}

/* Memory for a whole session outside of the heap, handed out from front to back. */
static _Alignas(4096) unsigned char arena[16 << 20];
static size_t arena_used;

static void *PLAIT_CALL take(void *user, size_t size, size_t alignment) {
    size_t start = (arena_used + alignment - 1) / alignment * alignment;
    (void)user;
    if (size > sizeof arena - start) {
        return NULL;
    }
    arena_used = start + size;
    return arena + start;
}

static void PLAIT_CALL give_back(void *user, void *pointer, size_t size, size_t alignment) {
    (void)user, (void)pointer, (void)size, (void)alignment;
}

static void PLAIT_CALL one_after_the_other(void *user, uint32_t count, plait_job job, void *argument) {
    (void)user;
    for (uint32_t i = 0; i < count; ++i) {
        job(argument, i);
    }
}

static void the_heap_is_watched(void **state) {
    session *s;
    (void)state;
    our_calls = 0;
    watches = 1;
    s = session_open(NULL); /* with the C library's allocator */
    watches = 0;
    assert_true(our_calls > 10);
    session_close(s);
}

static void stepping_leaves_the_heap_alone(void **state) {
    session_options whole_head = {.copies = WHOLE_HEAD, .thread_count = 3};
    session *s = session_open(&whole_head);
    static float memory[MAX_VERTICES * WHOLE_HEAD * 3];
    plait_output_attribute attribute;
    plait_output_desc output =
        describe_dense(&attribute, PLAIT_ATTRIBUTE_PREVIOUS_POSITION, PLAIT_FORMAT_FLOAT32X3, memory, sizeof memory);
    uint64_t before;
    (void)state;
    assert_ok(plait_hair_set_output(s->hair, &output));
    before = heap_calls;
    session_run(s, 0, 30);
    assert_int_equal(heap_calls - before, 0);
    session_close(s);
}

static void with_an_allocator_and_jobs_of_the_host_nothing_touches_the_heap(void **state) {
    static groom_source groom_of_host;
    static body_source body_of_host;
    plait_allocator allocator = PLAIT_ALLOCATOR_INIT;
    plait_jobs jobs = PLAIT_JOBS_INIT;
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    plait_hair_desc hair_desc = PLAIT_HAIR_DESC_INIT;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    plait_context context;
    plait_hair hair;
    (void)state;
    groom_source_fill(&groom_of_host);
    body_source_fill(&body_of_host);
    allocator.allocate = take;
    allocator.release = give_back;
    jobs.parallel_for = one_after_the_other;
    jobs.thread_count = 1;
    desc.allocator = &allocator;
    desc.jobs = &jobs;
    hair_desc.solver = PLAIT_SOLVER_SHAPE;
    frame.dt = 1.0f / 60;

    our_calls = 0;
    watches = 1;
    assert_ok(plait_context_create(&desc, &context));
    assert_ok(plait_device_open(context, NULL, &hair_desc.device)); /* looks for drivers */
    assert_ok(plait_groom_create(context, &groom_of_host.desc, &hair_desc.groom));
    assert_ok(plait_body_create(context, &body_of_host.desc, &hair_desc.body));
    assert_ok(plait_hair_create(context, &hair_desc, &hair));
    assert_ok(plait_hair_step(hair, &frame));
    assert_ok(plait_context_destroy(context));
    watches = 0;
    assert_int_equal(our_calls, 0);
}

static void with_an_allocator_of_the_host_the_vulkan_backend_leaves_the_heap_alone(void **state) {
    plait_allocator allocator = PLAIT_ALLOCATOR_INIT;
    session_options options = {.allocator = &allocator, .backend = PLAIT_BACKEND_VULKAN};
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    plait_device_desc vulkan = PLAIT_DEVICE_DESC_INIT;
    plait_context context;
    plait_device device;
    plait_result available;
    session *s;
    (void)state;
    allocator.allocate = take;
    allocator.release = give_back;
    desc.allocator = &allocator;
    vulkan.backend = PLAIT_BACKEND_VULKAN;
    our_calls = 0;
    watches = 1;
    assert_ok(plait_context_create(&desc, &context));
    available = plait_device_open(context, &vulkan, &device);
    assert_ok(plait_context_destroy(context));
    if (available != PLAIT_OK) {
        skip();
    }
    s = session_open(&options);
    session_run(s, 0, 10);
    free(read_positions(s));
    session_close(s);
    watches = 0;
    assert_int_equal(our_calls, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_heap_is_watched),
        cmocka_unit_test(stepping_leaves_the_heap_alone),
        cmocka_unit_test(with_an_allocator_and_jobs_of_the_host_nothing_touches_the_heap),
        cmocka_unit_test(with_an_allocator_of_the_host_the_vulkan_backend_leaves_the_heap_alone),
    };
    return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}

#else

int main(void) {
    print_message("the heap cannot be watched in this build\n");
    return 77;
}

#endif
