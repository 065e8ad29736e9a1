// Streams, events, and the one thread that executes all streams. A stream that waits for a semaphore is skipped.
#include "fake.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct entry { // of a stream's queue: one piece of work, or a graph
    struct entry *next;
    struct work work;
    struct graph *graph; // a copy of its own, or null
};

struct CUstream_st {
    struct object object;
    struct entry *first, **last;
};

static pthread_t worker;
static bool working, stopping;
static CUstream busy; // its first entry is being worked on

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// ---- doing ----

static void run_kernel(const struct work *work) {
    struct fiber_launch launch = {work->kernel->kernel, work->params, work->grid, work->block, schedule()};
    char error[FIBER_ERROR_SIZE];
    if (!fiber_run(&launch, error)) {
        pthread_mutex_lock(&fake_lock);
        fault("kernel %s: %s", work->kernel->name, error);
        pthread_mutex_unlock(&fake_lock);
    }
}

static void record(struct event *event, uint64_t number) {
    pthread_mutex_lock(&fake_lock);
    uint64_t now = now_ns();
    event->time_ns = now > event->time_ns ? now : event->time_ns + 1;
    event->completed = number;
    if (event->object.ended && event->completed == event->wanted) remove_object(event);
    pthread_mutex_unlock(&fake_lock);
}

static void do_work(const struct work *work) {
    switch (work->kind) {
    case WORK_FILL: memset(work->to, (int)work->value, work->size); break;
    case WORK_COPY: memcpy(work->to, work->from, work->size); break;
    case WORK_EVENT: record(work->event, work->value); break;
    case WORK_KERNEL: run_kernel(work); break;
    case WORK_SIGNAL: atomic_store((_Atomic uint64_t *)(void *)work->to, work->value); break;
    case WORK_WAIT: break; // it is not begun before its time
    }
}

// Nodes in any order that their dependencies allow: the schedule says which.
static void do_graph(const struct graph *graph) {
    struct node_set done = {0};
    uint64_t order = schedule(), random = order;
    for (uint32_t n = 0; n < graph->count; n++) {
        uint32_t ready[MAX_NODES], count = 0;
        for (uint32_t i = 0; i < graph->count; i++)
            if (!node_in(&done, i) && nodes_within(&graph->nodes[i].after, &done)) ready[count++] = i;
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t pick = order == 0 ? 0 : order == 1 ? count - 1 : (uint32_t)(random >> 33) % count;
        do_work(&graph->nodes[ready[pick]]);
        node_add(&done, ready[pick]);
    }
}

static bool may_begin(const struct entry *entry) {
    return entry->graph || entry->work.kind != WORK_WAIT ||
           atomic_load((_Atomic uint64_t *)(void *)entry->work.to) >= entry->work.value;
}

static CUstream next_stream(bool *blocked) {
    *blocked = false;
    for (struct object *o = first_object(); o; o = o->next) {
        CUstream stream = (CUstream)o;
        if (o->kind != KIND_STREAM || !stream->first) continue;
        if (may_begin(stream->first)) return stream;
        *blocked = true;
    }
    return NULL;
}

static void *work_off(void *unused) {
    (void)unused;
    pthread_mutex_lock(&fake_lock);
    while (!stopping) {
        bool blocked;
        busy = next_stream(&blocked);
        if (!busy && blocked) { // signalled from outside: check again soon
            struct timespec soon;
            clock_gettime(CLOCK_REALTIME, &soon);
            soon.tv_nsec += 200000;
            soon.tv_sec += soon.tv_nsec / 1000000000;
            soon.tv_nsec %= 1000000000;
            pthread_cond_timedwait(&fake_changed, &fake_lock, &soon);
        } else if (!busy) {
            pthread_cond_wait(&fake_changed, &fake_lock);
        } else {
            struct entry *entry = busy->first;
            pthread_mutex_unlock(&fake_lock);
            if (entry->graph)
                do_graph(entry->graph);
            else
                do_work(&entry->work);
            pthread_mutex_lock(&fake_lock);
            busy->first = entry->next;
            if (!busy->first) busy->last = &busy->first;
            if (!busy->first && busy->object.ended) remove_object(busy);
            free(entry->graph);
            free(entry);
            busy = NULL;
            pthread_cond_broadcast(&fake_changed);
        }
    }
    pthread_mutex_unlock(&fake_lock);
    fiber_release();
    return NULL;
}

void stop_worker(void) {
    if (!working) return;
    pthread_mutex_lock(&fake_lock);
    stopping = true;
    pthread_cond_broadcast(&fake_changed);
    pthread_mutex_unlock(&fake_lock);
    pthread_join(worker, NULL);
    working = stopping = false;
}

void wait_idle(void) {
    bool blocked;
    while (busy || next_stream(&blocked) || blocked) pthread_cond_wait(&fake_changed, &fake_lock);
}

static void drop_entries(CUstream stream) {
    while (stream->first) {
        struct entry *entry = stream->first;
        stream->first = entry->next;
        free(entry->graph);
        free(entry);
    }
    stream->last = &stream->first;
}

void drop_work(void) {
    while (busy) pthread_cond_wait(&fake_changed, &fake_lock);
    for (struct object *o = first_object(), *next; o; o = next) {
        next = o->next;
        if (o->kind == KIND_STREAM) drop_entries((CUstream)o);
        if (o->kind == KIND_EVENT) ((struct event *)o)->completed = ((struct event *)o)->wanted;
        if ((o->kind == KIND_STREAM || o->kind == KIND_EVENT) && o->ended) remove_object(o);
    }
    pthread_cond_broadcast(&fake_changed);
}

bool is_awaited(const unsigned char *number) {
    for (struct object *o = first_object(); o; o = o->next) {
        if (o->kind != KIND_STREAM) continue;
        for (const struct entry *e = ((CUstream)o)->first; e; e = e->next)
            if (!e->graph && e->work.to == number) return true;
    }
    return false;
}

// ---- asking ----

static void append(CUstream stream, struct entry *entry) {
    *stream->last = entry;
    stream->last = &entry->next;
    if (!working) {
        if (pthread_create(&worker, NULL, work_off, NULL) != 0) abort();
        working = true;
    }
    pthread_cond_broadcast(&fake_changed);
}

CUresult enqueue(CUstream stream, const struct work *work) {
    CUresult result = check_object(stream, KIND_STREAM, "the stream");
    if (result != CUDA_SUCCESS) return result;
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry) abort();
    entry->work = *work;
    append(stream, entry);
    return CUDA_SUCCESS;
}

CUresult enqueue_graph(CUstream stream, const struct graph *graph) {
    CUresult result = check_object(stream, KIND_STREAM, "the stream");
    if (result != CUDA_SUCCESS) return result;
    struct entry *entry = calloc(1, sizeof *entry);
    struct graph *copy = malloc(sizeof *copy);
    if (!entry || !copy) abort();
    *copy = *graph;
    for (uint32_t i = 0; i < copy->count; i++)
        if (copy->nodes[i].kind == WORK_EVENT) copy->nodes[i].value = ++copy->nodes[i].event->wanted;
    entry->graph = copy;
    append(stream, entry);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    DRIVER_CALL(CALL_MAKES);
    CUresult result = flags <= CU_STREAM_NON_BLOCKING ? need_context() : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) {
        *stream = add_object(KIND_STREAM, sizeof **stream);
        (*stream)->last = &(*stream)->first;
    }
    DRIVER_RETURN(result);
}

static CUresult wait_stream(CUstream stream) {
    CUresult result = check_object(stream, KIND_STREAM, "the stream");
    if (result != CUDA_SUCCESS) return result;
    while (stream->first) pthread_cond_wait(&fake_changed, &fake_lock);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
    DRIVER_CALL(CALL_ENDS);
    CUresult result = check_object(stream, KIND_STREAM, "the stream");
    if (result == CUDA_SUCCESS && stream->first)
        stream->object.ended = true;
    else if (result == CUDA_SUCCESS)
        remove_object(stream);
    DRIVER_RETURN(result);
}

EXPORT CUresult cuStreamSynchronize(CUstream stream) {
    DRIVER_CALL(CALL_ENDS);
    DRIVER_RETURN(wait_stream(stream));
}

static CUresult enqueue_value(enum work_kind kind, CUstream stream, CUdeviceptr pointer, uint64_t value,
                              unsigned flags) {
    CUresult result = check_pinned_range((const void *)(uintptr_t)pointer, sizeof value, "a number in memory");
    struct work work = {.kind = kind, .to = (unsigned char *)(uintptr_t)pointer, .value = value};
    if (result == CUDA_SUCCESS && (flags || pointer % sizeof value)) result = CUDA_ERROR_INVALID_VALUE;
    return result == CUDA_SUCCESS ? enqueue(stream, &work) : result;
}

EXPORT CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr pointer, uint64_t value, unsigned flags) {
    DRIVER_CALL(CALL_MAKES);
    DRIVER_RETURN(enqueue_value(WORK_WAIT, stream, pointer, value, flags));
}

EXPORT CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr pointer, uint64_t value, unsigned flags) {
    DRIVER_CALL(CALL_MAKES);
    DRIVER_RETURN(enqueue_value(WORK_SIGNAL, stream, pointer, value, flags));
}

// ---- events ----

EXPORT CUresult cuEventCreate(CUevent *handle, unsigned flags) {
    DRIVER_CALL(CALL_MAKES);
    CUresult result = need_context();
    if (result == CUDA_SUCCESS) {
        struct event *event = add_object(KIND_EVENT, sizeof *event);
        event->flags = flags;
        *handle = (CUevent)event;
    }
    DRIVER_RETURN(result);
}

// In a stream that was abandoned before its work was done.
static bool is_left_behind(const struct event *event) {
    for (struct object *o = first_object(); o; o = o->next) {
        if (o->kind != KIND_STREAM || !o->ended) continue;
        for (const struct entry *e = ((CUstream)o)->first; e; e = e->next)
            if (!e->graph && e->work.event == event) return true;
    }
    return false;
}

EXPORT CUresult cuEventDestroy_v2(CUevent handle) {
    DRIVER_CALL(CALL_ENDS);
    struct event *event = (struct event *)handle;
    CUresult result = check_object(event, KIND_EVENT, "the event");
    bool pending = result == CUDA_SUCCESS && event->completed != event->wanted;
    if (pending && !is_left_behind(event)) result = fault("an event ends before it is recorded");
    if (pending)
        event->object.ended = true;
    else if (result == CUDA_SUCCESS)
        remove_object(event);
    DRIVER_RETURN(result);
}

EXPORT CUresult cuEventRecord(CUevent handle, CUstream stream) {
    DRIVER_CALL(CALL_MAKES);
    struct event *event = (struct event *)handle;
    CUresult result = check_object(event, KIND_EVENT, "the event");
    struct work work = {.kind = WORK_EVENT, .event = event};
    if (result == CUDA_SUCCESS) work.value = ++event->wanted;
    if (result == CUDA_SUCCESS) result = enqueue(stream, &work);
    DRIVER_RETURN(result);
}

EXPORT CUresult cuEventQuery(CUevent handle) {
    DRIVER_CALL(CALL_MAKES);
    struct event *event = (struct event *)handle;
    CUresult result = check_object(event, KIND_EVENT, "the event");
    if (result == CUDA_SUCCESS && event->completed != event->wanted) result = CUDA_ERROR_NOT_READY;
    DRIVER_RETURN(result);
}

EXPORT CUresult cuEventSynchronize(CUevent handle) {
    DRIVER_CALL(CALL_ENDS);
    struct event *event = (struct event *)handle;
    CUresult result = check_object(event, KIND_EVENT, "the event");
    while (result == CUDA_SUCCESS && event->completed != event->wanted) pthread_cond_wait(&fake_changed, &fake_lock);
    DRIVER_RETURN(result);
}

EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent from_handle, CUevent to_handle) {
    DRIVER_CALL(CALL_MAKES);
    struct event *from = (struct event *)from_handle, *to = (struct event *)to_handle;
    CUresult result = check_object(from, KIND_EVENT, "the first event");
    if (result == CUDA_SUCCESS) result = check_object(to, KIND_EVENT, "the second event");
    if (result == CUDA_SUCCESS && ((from->flags | to->flags) & CU_EVENT_DISABLE_TIMING || !from->wanted || !to->wanted))
        result = fault("events that have no time");
    if (result == CUDA_SUCCESS && (from->completed != from->wanted || to->completed != to->wanted))
        result = CUDA_ERROR_NOT_READY;
    if (result == CUDA_SUCCESS) *milliseconds = (float)((double)(to->time_ns - from->time_ns) * 1e-6);
    DRIVER_RETURN(result);
}
