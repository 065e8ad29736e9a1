// Timeline semaphores. CUDA makes none, so our own are a number in pinned memory that streams wait for and write; imported
// ones are the driver's, which does not tell their value: what was waited for or raised here is what is known of them.
#include "cuda_backend.h"

#include <stdatomic.h>
#include <string.h>

#if defined(_WIN32)
#define SEMAPHORE_TYPE CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32
#else
#define SEMAPHORE_TYPE CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD
#endif

#define TIMELINE_MARKS 1 // for calls from the CPU
#define WAIT_STREAMS 4   // threads that can wait for an imported one without a stream being made for them

// What a stream does with a semaphore. Until the stream has passed it, neither may end. Those that nothing uses are the
// device's, for all its semaphores.
struct mark {
    struct mark *next;
    CUevent passed;
    uint64_t value; // that the semaphore has reached by then
};

struct cuda_timeline {
    struct timeline timeline;
    struct cuda_timeline *next; // of those that are ended or idle
    struct cuda_memory memory;  // our own
    CUexternalSemaphore imported;
    CUstream stream;                     // for calls that signal from the CPU, of imported ones
    struct mutex mutex;                  // guards what follows
    CUstream wait_streams[WAIT_STREAMS]; // for calls that wait, of imported ones; null: one that is in use
    struct mark *pending;
    bool reserved;      // its marks
    bool stuck;         // a stream uses it, and nobody will know when it has passed
    uint64_t known;     // an imported one has reached at least this
    uint64_t submitted; // highest value that streams raise it to
    CUstream raiser;    // the stream that does so
};

static struct cuda_device *device_of(const struct cuda_timeline *t) { return (struct cuda_device *)t->timeline.device; }

static _Atomic uint64_t *own_value(const struct cuda_timeline *t) { return (_Atomic uint64_t *)t->memory.host; }

// ---- marks; with the context current ----

static void keep_spare(struct cuda_device *d, struct mark *mark) {
    mutex_lock(&d->marks_mutex);
    mark->next = d->spare_marks;
    d->spare_marks = mark;
    mutex_unlock(&d->marks_mutex);
}

static struct mark *find_spare(struct cuda_device *d) {
    mutex_lock(&d->marks_mutex);
    struct mark *mark = d->spare_marks;
    if (mark) d->spare_marks = mark->next;
    mutex_unlock(&d->marks_mutex);
    return mark;
}

static CUresult make_mark(struct cuda_device *d, struct mark **out) {
    struct mark *mark = allocate(d->device.object.context, 1, sizeof *mark);
    if (!mark) return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = d->cu->cuEventCreate(&mark->passed, CU_EVENT_DISABLE_TIMING);
    if (result == CUDA_SUCCESS)
        *out = mark;
    else
        release(d->device.object.context, mark);
    return result;
}

static void free_marks(struct cuda_device *d, struct mark **list) {
    while (*list) {
        struct mark *mark = *list;
        *list = mark->next;
        d->cu->cuEventDestroy_v2(mark->passed);
        release(d->device.object.context, mark);
    }
}

CUresult cuda_marks_reserve(struct cuda_device *d, uint32_t count) {
    CUresult result = CUDA_SUCCESS;
    mutex_lock(&d->marks_mutex);
    d->marks_wanted += count;
    uint32_t missing = d->marks_wanted > d->mark_count ? d->marks_wanted - d->mark_count : 0;
    d->mark_count += missing;
    mutex_unlock(&d->marks_mutex);
    for (uint32_t i = 0; i < missing && result == CUDA_SUCCESS; i++) {
        struct mark *mark;
        result = make_mark(d, &mark);
        if (result == CUDA_SUCCESS) keep_spare(d, mark);
        if (result == CUDA_SUCCESS) continue;
        mutex_lock(&d->marks_mutex);
        d->mark_count -= missing - i;
        mutex_unlock(&d->marks_mutex);
    }
    return result;
}

void cuda_marks_unreserve(struct cuda_device *d, uint32_t count) {
    mutex_lock(&d->marks_mutex);
    d->marks_wanted -= count;
    mutex_unlock(&d->marks_mutex);
}

// With the mutex held.
static void learn(struct cuda_timeline *t) {
    struct cuda_device *d = device_of(t);
    for (struct mark **at = &t->pending; *at;) {
        struct mark *mark = *at;
        CUresult result = d->cu->cuEventQuery(mark->passed);
        if (result != CUDA_SUCCESS) {
            if (result != CUDA_ERROR_NOT_READY) cuda_result(d, result);
            at = &mark->next;
            continue;
        }
        if (mark->value > t->known) t->known = mark->value;
        *at = mark->next;
        keep_spare(d, mark);
    }
}

// With the mutex held. There are enough for all frames that can be under way; only frames that are refused while others wait
// may need more.
static CUresult take_mark(struct cuda_timeline *t, struct mark **out) {
    learn(t);
    *out = find_spare(device_of(t));
    return *out ? CUDA_SUCCESS : make_mark(device_of(t), out);
}

// Behind what was just put into the stream. Without it nobody would know when that is done: once more, then.
static CUresult put_mark(struct cuda_timeline *t, struct mark *mark, uint64_t value, CUstream stream) {
    const struct driver *cu = device_of(t)->cu;
    CUresult result = cu->cuEventRecord(mark->passed, stream);
    if (result != CUDA_SUCCESS && cu->cuEventRecord(mark->passed, stream) != CUDA_SUCCESS) {
        t->stuck = true;
        keep_spare(device_of(t), mark);
        return result;
    }
    mark->value = value;
    mark->next = t->pending;
    t->pending = mark;
    return result;
}

// ---- in streams; with the context current ----

static CUresult enqueue(const struct cuda_timeline *t, bool signals, uint64_t value, CUstream stream) {
    const struct driver *cu = device_of(t)->cu;
    CUdeviceptr own = (CUdeviceptr)(uintptr_t)t->memory.host;
    CUDA_EXTERNAL_SEMAPHORE_PARAMS params = {.fence = {value}};
    if (t->imported && signals) return cu->cuSignalExternalSemaphoresAsync(&t->imported, &params, 1, stream);
    if (t->imported) return cu->cuWaitExternalSemaphoresAsync(&t->imported, &params, 1, stream);
    if (signals) return cu->cuStreamWriteValue64_v2(stream, own, value, 0);
    return cu->cuStreamWaitValue64_v2(stream, own, value, CU_STREAM_WAIT_VALUE_GEQ);
}

// Streams know nothing of each other: one that raises it must wait for another that raises it to less, or it would fall. With
// the mutex held.
static CUresult wait_for_raiser(struct cuda_timeline *t, CUstream stream) {
    uint64_t reached = t->imported ? t->known : atomic_load(own_value(t));
    if (t->submitted <= reached || t->raiser == stream) return CUDA_SUCCESS;
    return enqueue(t, false, t->submitted, stream);
}

// *done: it is in the stream, whatever is returned.
static CUresult enqueue_marked(struct cuda_timeline *t, bool signals, uint64_t value, CUstream stream, bool *done) {
    struct mark *mark;
    mutex_lock(&t->mutex);
    CUresult result = take_mark(t, &mark);
    if (result == CUDA_SUCCESS) {
        if (signals) result = wait_for_raiser(t, stream);
        if (result == CUDA_SUCCESS) result = enqueue(t, signals, value, stream);
        *done = result == CUDA_SUCCESS;
        if (*done) {
            if (signals) {
                t->submitted = value;
                t->raiser = stream;
            }
            result = put_mark(t, mark, value, stream);
        } else {
            keep_spare(device_of(t), mark);
        }
    }
    mutex_unlock(&t->mutex);
    return result;
}

CUresult cuda_stream_wait(CUstream stream, uint64_t native, uint64_t value, bool *done) {
    return enqueue_marked((struct cuda_timeline *)(uintptr_t)native, false, value, stream, done);
}

CUresult cuda_stream_signal(CUstream stream, uint64_t native, uint64_t value, bool *done) {
    return enqueue_marked((struct cuda_timeline *)(uintptr_t)native, true, value, stream, done);
}

// ---- from the CPU ----

plait_result cuda_timeline_query(struct timeline *timeline, uint64_t *value) {
    struct cuda_timeline *t = (struct cuda_timeline *)timeline;
    struct cuda_device *d = device_of(t);
    if (!t->imported) {
        *value = atomic_load(own_value(t));
        return PLAIT_OK;
    }
    CUcontext hosts;
    CUresult result = cuda_enter(d, &hosts);
    if (result == CUDA_SUCCESS) {
        mutex_lock(&t->mutex);
        learn(t);
        *value = t->known;
        mutex_unlock(&t->mutex);
    }
    cuda_leave(d, hosts);
    return cuda_result(d, result);
}

// Whether it has reached value, or what streams have to do with it will tell when it has. Of our own the number tells.
static bool has_reached(struct cuda_timeline *t, uint64_t value, bool *will_tell) {
    mutex_lock(&t->mutex);
    learn(t);
    uint64_t reached = t->imported ? t->known : atomic_load(own_value(t));
    *will_tell = !t->imported;
    for (struct mark *mark = t->pending; mark; mark = mark->next) *will_tell |= mark->value >= value;
    mutex_unlock(&t->mutex);
    return reached >= value;
}

// A card that is lost writes no numbers: what streams have to do with this one is looked at too.
static plait_result poll(struct cuda_timeline *t, uint64_t value, uint64_t timeout_ns) {
    uint64_t started = now_ns();
    bool will_tell;
    while (!has_reached(t, value, &will_tell)) {
        if (atomic_load(&device_of(t)->lost)) return PLAIT_ERROR_DEVICE_LOST;
        if (!will_tell) return PLAIT_ERROR_UNSUPPORTED;
        if (now_ns() - started >= timeout_ns) return PLAIT_ERROR_TIMEOUT;
        sleep_ns(20000);
    }
    return PLAIT_OK;
}

// A stream of its own for each thread that waits: a later wait must not stand behind an earlier one for more.
static CUresult take_wait_stream(struct cuda_timeline *t, uint32_t *place, CUstream *stream) {
    *stream = NULL;
    mutex_lock(&t->mutex);
    for (*place = 0; *place < WAIT_STREAMS && !t->wait_streams[*place];) ++*place;
    if (*place < WAIT_STREAMS) {
        *stream = t->wait_streams[*place];
        t->wait_streams[*place] = NULL;
    }
    mutex_unlock(&t->mutex);
    return *stream ? CUDA_SUCCESS : device_of(t)->cu->cuStreamCreate(stream, CU_STREAM_NON_BLOCKING);
}

// Only a stream can wait for an imported one, and nothing takes the wait out of it again. So it is for those only who wait
// without a limit.
static plait_result wait_imported(struct cuda_timeline *t, uint64_t value) {
    struct cuda_device *d = device_of(t);
    uint32_t place;
    CUstream stream;
    bool will_tell;
    if (has_reached(t, value, &will_tell)) return PLAIT_OK;
    CUresult result = take_wait_stream(t, &place, &stream);
    if (result != CUDA_SUCCESS) return cuda_result(d, result);
    result = enqueue(t, false, value, stream);
    bool waits = result == CUDA_SUCCESS;
    if (waits) result = d->cu->cuStreamSynchronize(stream);
    if (waits && result != CUDA_SUCCESS) result = d->cu->cuStreamSynchronize(stream); // the error of an earlier launch
    bool reached = waits && result == CUDA_SUCCESS;
    mutex_lock(&t->mutex);
    if (reached && value > t->known) t->known = value;
    t->stuck |= waits && !reached;
    if (place < WAIT_STREAMS) t->wait_streams[place] = stream;
    mutex_unlock(&t->mutex);
    if (place == WAIT_STREAMS) d->cu->cuStreamDestroy_v2(stream);
    return cuda_result(d, result);
}

plait_result cuda_timeline_wait(struct timeline *timeline, uint64_t value, uint64_t timeout_ns) {
    struct cuda_timeline *t = (struct cuda_timeline *)timeline;
    struct cuda_device *d = device_of(t);
    if (!t->imported && atomic_load(own_value(t)) >= value) return PLAIT_OK; // also on a lost card
    CUcontext hosts;
    plait_result result = cuda_result(d, cuda_enter(d, &hosts));
    bool endless = t->imported && timeout_ns == UINT64_MAX;
    if (result == PLAIT_OK) result = endless ? wait_imported(t, value) : poll(t, value, timeout_ns);
    cuda_leave(d, hosts);
    return result;
}

plait_result cuda_timeline_signal(struct timeline *timeline, uint64_t value) {
    struct cuda_timeline *t = (struct cuda_timeline *)timeline;
    struct cuda_device *d = device_of(t);
    if (!t->imported) { // a stream may write at the same moment
        uint64_t seen = atomic_load(own_value(t));
        while (seen < value && !atomic_compare_exchange_weak(own_value(t), &seen, value)) {
        }
        return seen < value ? PLAIT_OK : PLAIT_ERROR_INVALID_ARGUMENT;
    }
    bool done;
    CUcontext hosts;
    CUresult result = cuda_enter(d, &hosts);
    if (result == CUDA_SUCCESS) result = enqueue_marked(t, true, value, t->stream, &done);
    if (result == CUDA_SUCCESS) result = d->cu->cuStreamSynchronize(t->stream);
    cuda_leave(d, hosts);
    return cuda_result(d, result);
}

// Streams may still raise it to less, and must do so before: it would fall.
plait_result cuda_timeline_settle(uint64_t native, uint64_t value, uint64_t timeout_ns) {
    struct cuda_timeline *t = (struct cuda_timeline *)(uintptr_t)native;
    mutex_lock(&t->mutex);
    uint64_t submitted = t->submitted, reached = 0, started = now_ns();
    mutex_unlock(&t->mutex);
    while (!atomic_load(&device_of(t)->lost) && cuda_timeline_query(&t->timeline, &reached) == PLAIT_OK &&
           reached < submitted) {
        if (now_ns() - started >= timeout_ns) return PLAIT_ERROR_TIMEOUT;
        sleep_ns(20000);
    }
    return value > reached ? cuda_timeline_signal(&t->timeline, value) : PLAIT_OK;
}

// ---- life ----

static CUresult make_own(struct cuda_device *d, struct cuda_timeline *t) {
    if (!d->has_stream_values) return CUDA_ERROR_NOT_SUPPORTED;
    CUresult result = d->cu->cuMemHostAlloc(&t->memory.host, sizeof(uint64_t), 0);
    if (result != CUDA_SUCCESS) {
        t->memory.host = NULL;
        return result;
    }
    t->memory.size = sizeof(uint64_t);
    atomic_fetch_add(&d->device.used_bytes, t->memory.size);
    atomic_store(own_value(t), 0);
    return CUDA_SUCCESS;
}

static CUresult import_timeline(struct cuda_device *d, struct cuda_timeline *t, int64_t handle) {
    int64_t copy = external_duplicate(handle); // the driver takes it
    if (!external_valid(copy)) return CUDA_ERROR_OPERATING_SYSTEM;
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc = {.type = SEMAPHORE_TYPE};
    cuda_handle(&desc.handle, copy);
    CUresult result = d->cu->cuImportExternalSemaphore(&t->imported, &desc);
    if (result != CUDA_SUCCESS) t->imported = NULL;
    if (result != CUDA_SUCCESS || EXTERNAL_KIND == PLAIT_EXTERNAL_OPAQUE_WIN32) external_close(copy);
    if (result == CUDA_SUCCESS) result = d->cu->cuStreamCreate(&t->stream, CU_STREAM_NON_BLOCKING);
    for (uint32_t i = 0; i < WAIT_STREAMS && result == CUDA_SUCCESS; i++)
        result = d->cu->cuStreamCreate(&t->wait_streams[i], CU_STREAM_NON_BLOCKING);
    return result;
}

static void free_timeline(struct cuda_device *d, struct cuda_timeline *t) {
    while (t->pending) {
        struct mark *mark = t->pending;
        t->pending = mark->next;
        keep_spare(d, mark);
    }
    if (t->reserved) cuda_marks_unreserve(d, TIMELINE_MARKS);
    cuda_free(d, &t->memory);
    if (t->stream) d->cu->cuStreamDestroy_v2(t->stream);
    for (uint32_t i = 0; i < WAIT_STREAMS; i++)
        if (t->wait_streams[i]) d->cu->cuStreamDestroy_v2(t->wait_streams[i]);
    if (t->imported) d->cu->cuDestroyExternalSemaphore(t->imported);
    mutex_destroy(&t->mutex);
    release(d->device.object.context, t);
}

static struct cuda_timeline *take_idle(struct cuda_device *d) {
    mutex_lock(&d->mutex);
    struct cuda_timeline *t = d->idle_timelines;
    if (t) d->idle_timelines = t->next;
    mutex_unlock(&d->mutex);
    if (!t) return NULL;
    atomic_store(own_value(t), 0);
    t->known = t->submitted = 0;
    t->raiser = NULL;
    return t;
}

plait_result cuda_timeline_create(struct call *call, struct device *device, const plait_external_semaphore *external,
                                  struct timeline **out) {
    struct cuda_device *d = (struct cuda_device *)device;
    const struct module_services *services = call->context->services;
    struct cuda_timeline *t = external ? NULL : take_idle(d);
    if (t) {
        *out = &t->timeline;
        return PLAIT_OK;
    }
    t = allocate(call->context, 1, sizeof *t);
    if (!t) return services->fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the semaphore");
    t->timeline.device = device;
    t->timeline.native = (uint64_t)(uintptr_t)t;
    mutex_init(&t->mutex);
    CUcontext hosts;
    CUresult result = cuda_enter(d, &hosts);
    if (result == CUDA_SUCCESS) cuda_timelines_collect(d, false);
    if (result == CUDA_SUCCESS) result = external ? import_timeline(d, t, external->handle) : make_own(d, t);
    t->reserved = result == CUDA_SUCCESS;
    if (t->reserved) result = cuda_marks_reserve(d, TIMELINE_MARKS);
    plait_result code = result == CUDA_ERROR_INVALID_VALUE ? PLAIT_ERROR_INVALID_ARGUMENT : cuda_result(d, result);
    if (result != CUDA_SUCCESS) free_timeline(d, t);
    cuda_leave(d, hosts);
    if (result != CUDA_SUCCESS)
        return services->fail(call, code, "the semaphore could not be made or imported (CUresult %d)", result);
    *out = &t->timeline;
    return PLAIT_OK;
}

plait_result cuda_timeline_export(struct call *call, struct timeline *timeline, uint32_t kind,
                                  plait_external_semaphore *external) {
    (void)timeline;
    (void)kind;
    (void)external;
    return call->context->services->fail(call, PLAIT_ERROR_UNSUPPORTED,
                                         "CUDA makes no semaphores that others can import: import the other side's");
}

// Core lets nobody begin with it any more, and what waits for it was released. Other frames on the device may wait for other
// things, so nobody waits for them here.
void cuda_timeline_destroy(struct timeline *timeline) {
    struct cuda_timeline *t = (struct cuda_timeline *)timeline;
    struct cuda_device *d = device_of(t);
    CUcontext hosts;
    cuda_enter_to_free(d, &hosts);
    mutex_lock(&d->mutex);
    t->next = d->ended_timelines;
    d->ended_timelines = t;
    atomic_fetch_add(&d->ended_count, 1);
    mutex_unlock(&d->mutex);
    cuda_timelines_collect(d, false);
    cuda_leave(d, hosts);
}

// Our own are kept for the next that is wanted: the driver frees pinned memory only when nothing at all runs.
void cuda_timelines_collect(struct cuda_device *d, bool all) {
    struct cuda_timeline *gone = NULL;
    if (!all && atomic_load(&d->ended_count) == 0) return;
    mutex_lock(&d->mutex);
    for (struct cuda_timeline **at = &d->ended_timelines; *at;) {
        struct cuda_timeline *t = *at;
        mutex_lock(&t->mutex);
        learn(t);
        bool done = all || (!t->pending && !t->stuck);
        mutex_unlock(&t->mutex);
        if (!done) {
            at = &t->next;
            continue;
        }
        *at = t->next;
        atomic_fetch_sub(&d->ended_count, 1);
        struct cuda_timeline **list = t->imported ? &gone : &d->idle_timelines;
        t->next = *list;
        *list = t;
    }
    if (all) {
        struct cuda_timeline **end = &gone;
        while (*end) end = &(*end)->next;
        *end = d->idle_timelines;
        d->idle_timelines = NULL;
    }
    mutex_unlock(&d->mutex);
    while (gone) {
        struct cuda_timeline *t = gone;
        gone = t->next;
        free_timeline(d, t);
    }
    if (all) free_marks(d, &d->spare_marks);
}
