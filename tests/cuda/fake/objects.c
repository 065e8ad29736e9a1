// Bookkeeping: live objects, which call fails, faults.
#include "fake.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t fake_changed = PTHREAD_COND_INITIALIZER;
_Thread_local CUcontext current_context;

static struct object *objects;
static uint64_t calls, fail_call, allocations;
static CUresult fail_result;
static bool fail_on;         // not once, but from then on
static CUresult lost_result; // of every call in a context, once the card is lost
static char failed_name[64];
static unsigned faults;
static bool tolerant; // the test checks faults itself

static const char *const kind_names[KIND_COUNT] = {
    "context",       "module",          "function",           "stream",
    "event",         "graph",           "graph exec",         "device memory",
    "pinned memory", "external memory", "external semaphore", "physical memory",
    "address range",
};

// ---- for tests ----

static void order_failure(uint64_t call, bool on, CUresult result) {
    pthread_mutex_lock(&fake_lock);
    calls = 0;
    fail_call = call;
    fail_on = on;
    fail_result = result;
    failed_name[0] = 0;
    pthread_mutex_unlock(&fake_lock);
}
// Call number `call` from now, counted from 1, fails once with `result`; 0: none.
EXPORT void fake_cuda_fail(uint64_t call, CUresult result) { order_failure(call, false, result); }
// So does every call in a context from number `call` on.
EXPORT void fake_cuda_fail_from(uint64_t call, CUresult result) { order_failure(call, true, result); }
// The card is lost: work in flight never ends, and every call in a context fails with `result`. CUDA_SUCCESS: it is
// back, for contexts created from then on.
EXPORT void fake_cuda_lose(CUresult result) {
    pthread_mutex_lock(&fake_lock);
    lost_result = result;
    if (result != CUDA_SUCCESS) drop_work();
    pthread_mutex_unlock(&fake_lock);
}
EXPORT uint64_t fake_cuda_calls(void) { return calls; }             // since then
EXPORT const char *fake_cuda_failed(void) { return failed_name; }   // the first call that failed, or ""
EXPORT uint64_t fake_cuda_allocations(void) { return allocations; } // of anything, ever
EXPORT void fake_cuda_tolerate(bool on) { tolerant = on; }          // faults are counted, not fatal
EXPORT unsigned fake_cuda_faults(void) { return faults; }
EXPORT unsigned fake_cuda_living(void) { // objects of all kinds
    pthread_mutex_lock(&fake_lock);
    unsigned count = 0;
    for (struct object *o = objects; o; o = o->next) count++;
    pthread_mutex_unlock(&fake_lock);
    return count;
}

// ---- calls ----

CUresult begin_call(const char *name, enum call_kind kind) {
    (void)kind;
    pthread_mutex_lock(&fake_lock);
    calls++;
    bool in_context = strncmp(name, "cuCtx", 5) != 0 && strncmp(name, "cuDevice", 8) != 0 &&
                      strcmp(name, "cuInit") != 0 && strncmp(name, "cuDriver", 8) != 0;
    bool fails = fail_on ? fail_call && calls >= fail_call && in_context : calls == fail_call;
    if (fails && !failed_name[0]) snprintf(failed_name, sizeof failed_name, "%s", name);
    // A failed launch ends its context: nothing runs any more, and every call in it fails from then on.
    if (calls == fail_call && fail_result == CUDA_ERROR_LAUNCH_FAILED) wait_idle();
    bool after_loss = fail_result == CUDA_ERROR_LAUNCH_FAILED && fail_call && calls > fail_call && in_context;
    if (fails || after_loss) return fail_result;
    return in_context ? lost_result : CUDA_SUCCESS;
}

CUresult end_call(CUresult result) {
    pthread_mutex_unlock(&fake_lock);
    return result;
}

CUresult fault(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "fake CUDA driver: %s: ", tolerant ? "fault" : "FAILED");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    faults++;
    if (!tolerant) abort();
    return CUDA_ERROR_INVALID_VALUE;
}

const char *kind_name(enum kind kind) { return kind_names[kind]; }

CUresult need_context(void) {
    if (!current_context) return fault("a call without a current context");
    return check_object(current_context, KIND_CONTEXT, "the current context");
}

// ---- objects ----

void *add_object(enum kind kind, size_t size) {
    struct object *object = calloc(1, size);
    if (!object) abort();
    object->kind = kind;
    object->context = kind == KIND_CONTEXT || kind == KIND_PHYSICAL_MEMORY ? NULL : current_context;
    object->next = objects;
    objects = object;
    allocations++;
    return object;
}

CUresult check_object(const void *handle, enum kind kind, const char *what) {
    for (struct object *o = objects; o; o = o->next) {
        if (o != handle || o->ended) continue;
        if (o->kind != kind) return fault("%s is a %s, not a %s", what, kind_names[o->kind], kind_names[kind]);
        if (o->context && o->context != current_context) return fault("%s is of another context", what);
        return CUDA_SUCCESS;
    }
    return fault("%s is no living %s", what, kind_names[kind]);
}

void remove_object(void *handle) {
    for (struct object **o = &objects; *o; o = &(*o)->next) {
        if (*o != handle) continue;
        *o = (*o)->next;
        free(handle);
        return;
    }
}

struct object *first_object(void) {
    return objects;
}

// ---- settings and the end ----

uint64_t schedule(void) {
    const char *text = getenv("FAKE_CUDA_SCHEDULE");
    return text ? strtoull(text, NULL, 10) : 0;
}

bool use_ptx(void) {
    const char *text = getenv("FAKE_CUDA_KERNELS");
    return text && strcmp(text, "ptx") == 0;
}

// When the driver is closed for the last time no object may be left.
__attribute__((destructor)) static void end(void) {
    stop_worker();
    unsigned left = 0;
    for (struct object *o = objects; o; o = o->next, left++)
        fprintf(stderr, "fake CUDA driver: FAILED: a %s was left behind\n", kind_names[o->kind]);
    if (left) _exit(70);
}
