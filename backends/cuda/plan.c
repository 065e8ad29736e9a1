// Plans: one graph for each slice that their runs take, launched for every run, timed by events.
#include "cuda_backend.h"

#include <string.h>

static struct cuda_device *device_of(const struct plan *plan) {
    return (struct cuda_device *)plan->arena->arena.device;
}

// ---- life ----

static void free_ticks(struct plan *plan) {
    struct cuda_device *d = device_of(plan);
    for (uint32_t i = 0; plan->ticks && i < plan->arena->slices * plan->tick_count; i++)
        if (plan->ticks[i]) d->cu->cuEventDestroy_v2(plan->ticks[i]);
    release(d->device.object.context, plan->ticks);
    plan->ticks = NULL;
}

plait_result cuda_plan_create(struct arena *arena, uint32_t capacity, const struct plan_size *size, struct plan **out) {
    struct cuda_arena *a = (struct cuda_arena *)arena;
    if (a->plan_count == MAX_PLANS) return PLAIT_ERROR_TOO_LARGE;
    struct cuda_device *d = (struct cuda_device *)arena->device;
    CUcontext hosts;
    plait_result result = cuda_result(d, cuda_enter(d, &hosts));
    if (result == PLAIT_OK) result = cuda_rescue_prepare(a); // all of the state is there by now
    cuda_leave(d, hosts);
    if (result != PLAIT_OK) return result;
    struct plan *plan = allocate(arena->device->object.context, 1, sizeof *plan);
    if (!plan) return PLAIT_ERROR_OUT_OF_MEMORY;
    plan->arena = a;
    result = gpu_plan_create(&plan->gpu, arena->device->object.context, capacity, size);
    if (result != PLAIT_OK) {
        gpu_plan_free(&plan->gpu);
        release(arena->device->object.context, plan);
        return result;
    }
    a->plans[a->plan_count++] = plan;
    *out = plan;
    return PLAIT_OK;
}

void cuda_plan_destroy(struct plan *plan) {
    struct cuda_device *d = device_of(plan);
    struct cuda_arena *a = plan->arena;
    CUcontext hosts;
    cuda_enter_to_free(d, &hosts);
    cuda_wait_to_free(a);
    if (a->output_pending == plan) a->output_pending = NULL;
    uint32_t i = 0;
    while (a->plans[i] != plan) i++;
    a->plans[i] = a->plans[--a->plan_count];
    for (uint32_t s = 0; s < a->slices; s++)
        if (plan->graphs[s]) d->cu->cuGraphExecDestroy(plan->graphs[s]);
    free_ticks(plan);
    cuda_free(d, &plan->output);
    cuda_free(d, &plan->staging);
    cuda_leave(d, hosts);
    gpu_plan_free(&plan->gpu);
    release(d->device.object.context, plan);
}

// Memory for what goes to the host's pointer: the bytes between the first and the last that are written.
static plait_result make_output(struct plan *plan, const struct schedule *schedule, const struct buffer *host) {
    struct cuda_device *d = device_of(plan);
    uint64_t first = UINT64_MAX, end = 0;
    for (uint32_t i = 0; i < schedule->stage_count; i++) {
        if (!stage_binds(&schedule->stages[i], host)) continue;
        const struct span *span = &schedule->stages[i].span;
        uint64_t last = span->offset + (span->count - 1) * span->stride + span->size;
        if (span->offset < first) first = span->offset;
        if (last > end) end = last;
    }
    if (plan->output.size < end - first) {
        struct cuda_memory output = {0}, staging = {0};
        plait_result result = cuda_allocate_device(d, end - first, &output);
        if (result == PLAIT_OK) result = cuda_allocate_pinned(d, end - first, &staging);
        if (result != PLAIT_OK) {
            cuda_free(d, &output);
            return result;
        }
        cuda_free(d, &plan->output);
        cuda_free(d, &plan->staging);
        plan->output = output;
        plan->staging = staging;
    }
    plan->output_first = first;
    plan->output_size = end - first;
    return PLAIT_OK;
}

// Timers for a run of so many stages in each slice.
static plait_result make_ticks(struct plan *plan, uint32_t run_count) {
    uint32_t count = run_count + 1;
    if (count <= plan->tick_count) return PLAIT_OK;
    CUevent *ticks =
        allocate(device_of(plan)->device.object.context, (size_t)plan->arena->slices * count, sizeof *ticks);
    if (!ticks) return PLAIT_ERROR_OUT_OF_MEMORY;
    free_ticks(plan);
    plan->ticks = ticks;
    plan->tick_count = count;
    return PLAIT_OK;
}

plait_result cuda_plan_set(struct plan *plan, const struct schedule *schedule) {
    struct cuda_device *d = device_of(plan);
    const struct buffer *host = gpu_host_of(schedule);
    if (schedule->stage_count > plan->gpu.capacity) return PLAIT_ERROR_TOO_LARGE;
    CUcontext hosts;
    plait_result result = cuda_result(d, cuda_enter(d, &hosts));
    if (result == PLAIT_OK) result = cuda_wait_current(plan->arena, UINT64_MAX);
    if (result == PLAIT_OK) result = make_ticks(plan, schedule->run_count);
    if (result == PLAIT_OK && host && host->memory) result = make_output(plan, schedule, host);
    cuda_leave(d, hosts);
    if (result != PLAIT_OK) return result;
    gpu_plan_set(&plan->gpu, schedule, host);
    plan->generation = 0;
    return PLAIT_OK;
}

// ---- waiting ----

// The ticks of a run.
struct run_ticks {
    const struct driver *cu;
    const CUevent *events;
};

static uint64_t stage_ns(const void *run, uint32_t n) {
    const struct run_ticks *ticks = run;
    float ms = 0;
    if (ticks->cu->cuEventElapsedTime(&ms, ticks->events[n], ticks->events[n + 1]) != CUDA_SUCCESS) return 0;
    return (uint64_t)((double)ms * 1e6);
}

static void count_time(struct plan *plan, uint32_t slice) {
    if (!plan->runs[slice]) return;
    plan->runs[slice] = 0;
    struct run_ticks ticks = {device_of(plan)->cu, plan->ticks + slice * plan->tick_count};
    gpu_plan_count_run(&plan->gpu, stage_ns, &ticks);
}

// The slice's last run is done: keep what the watched buffer held, if that is news.
static void look(struct cuda_arena *a, uint32_t slice) {
    if (a->watched_size && a->runs[slice] > a->peeked_run) {
        memcpy(a->peeked, (const char *)a->watch.host + slice * sizeof a->peeked, sizeof a->peeked);
        a->peeked_run = a->runs[slice];
    }
    a->runs[slice] = 0;
}

// The driver can wait for ever or not at all; for anything between it is asked now and then.
plait_result cuda_wait_event(struct cuda_device *d, CUevent event, uint64_t timeout_ns) {
    if (timeout_ns == UINT64_MAX) return cuda_result(d, d->cu->cuEventSynchronize(event));
    uint64_t started = now_ns();
    for (;;) {
        CUresult result = d->cu->cuEventQuery(event);
        if (result != CUDA_ERROR_NOT_READY) return cuda_result(d, result);
        if (now_ns() - started >= timeout_ns) return PLAIT_ERROR_TIMEOUT;
        sleep_ns(20000);
    }
}

static plait_result wait_slice(struct cuda_arena *a, uint32_t slice, uint64_t timeout_ns) {
    if (!a->runs[slice]) return PLAIT_OK;
    plait_result result = cuda_wait_event((struct cuda_device *)a->arena.device, a->done[slice], timeout_ns);
    if (result == PLAIT_OK) look(a, slice);
    return result;
}

plait_result cuda_wait_current(struct cuda_arena *a, uint64_t timeout_ns) {
    // Runs end in the order they began: the last one first, the others are done then and only looked at.
    uint32_t last = 0;
    for (uint32_t i = 1; i < a->slices; i++)
        if (a->runs[i] > a->runs[last]) last = i;
    struct cuda_device *d = (struct cuda_device *)a->arena.device;
    if (atomic_load(&d->lost)) return PLAIT_ERROR_DEVICE_LOST;
    plait_result result = wait_slice(a, last, timeout_ns);
    for (uint32_t i = 0; i < 2 && result == PLAIT_OK; i++) {
        if (a->rescue.pending[i]) result = cuda_wait_event(d, a->rescue.done[i], timeout_ns);
        if (result == PLAIT_OK) a->rescue.pending[i] = false;
    }
    for (uint32_t i = 0; i < a->slices && result == PLAIT_OK; i++) result = wait_slice(a, i, timeout_ns);
    if (result != PLAIT_OK) return result;
    for (uint32_t p = 0; p < a->plan_count; p++)
        for (uint32_t i = 0; i < a->slices; i++) count_time(a->plans[p], i);
    struct plan *pending = a->output_pending;
    if (pending) gpu_plan_deliver(&pending->gpu, pending->staging.host, pending->output_first);
    a->output_pending = NULL;
    cuda_timelines_collect(d, false);
    return PLAIT_OK;
}

// A wait may fail for what an earlier launch did, or stand before what fills new memory: once more, then.
void cuda_wait_to_free(struct cuda_arena *a) {
    const struct cuda_device *d = (const struct cuda_device *)a->arena.device;
    if (cuda_wait_current(a, UINT64_MAX) == PLAIT_OK && !a->filling) return;
    if (a->stream && d->cu->cuStreamSynchronize(a->stream) == CUDA_SUCCESS) a->filling = false;
}

plait_result cuda_wait(struct arena *arena, uint64_t timeout_ns) {
    struct cuda_device *d = (struct cuda_device *)arena->device;
    CUcontext hosts;
    plait_result result = cuda_result(d, cuda_enter(d, &hosts));
    if (result == PLAIT_OK) result = cuda_wait_current((struct cuda_arena *)arena, timeout_ns);
    cuda_leave(d, hosts);
    return result;
}

// ---- running ----

// Signals that cannot come are refused here.
plait_result cuda_synchronise(struct arena *arena, const struct frame_sync *sync) {
    uint64_t reached = 0;
    if (sync->signal) {
        if (atomic_load(&((struct cuda_device *)arena->device)->lost)) return PLAIT_ERROR_DEVICE_LOST;
        plait_result result = cuda_timeline_query((struct timeline *)(uintptr_t)sync->signal, &reached);
        if (result != PLAIT_OK) return result;
        if (sync->signal_value <= reached) return PLAIT_ERROR_INVALID_ARGUMENT;
    }
    ((struct cuda_arena *)arena)->sync = *sync;
    return PLAIT_OK;
}

plait_result cuda_desynchronise(struct arena *arena) {
    struct cuda_arena *a = (struct cuda_arena *)arena;
    struct cuda_device *d = (struct cuda_device *)arena->device;
    const uint64_t second_ns = 1000000000;
    struct frame_sync sync = a->sync;
    memset(&a->sync, 0, sizeof a->sync);
    if (!sync.wait && !sync.signal) return PLAIT_OK;
    CUcontext hosts;
    bool waits = false, signals = false;
    CUresult result = cuda_enter(d, &hosts);
    if (result == CUDA_SUCCESS && sync.wait) result = cuda_stream_wait(a->stream, sync.wait, sync.wait_value, &waits);
    if (result == CUDA_SUCCESS && sync.signal)
        result = cuda_stream_signal(a->stream, sync.signal, sync.signal_value, &signals);
    cuda_leave(d, hosts);
    if (signals || !sync.signal) return PLAIT_OK;
    // The stream takes nothing more: from here, after what is under way, which may still write the output.
    plait_result code = cuda_result(d, result);
    if (cuda_wait(arena, second_ns) == PLAIT_ERROR_TIMEOUT) return code;
    return cuda_timeline_settle(sync.signal, sync.signal_value, second_ns);
}

// The frame's first run waits, the one that writes the output signals.
static plait_result launch(struct plan *plan, uint32_t slice) {
    struct cuda_device *d = device_of(plan);
    struct cuda_arena *a = plan->arena;
    CUresult result = CUDA_SUCCESS, recorded;
    bool done = false;
    if (a->sync.wait) result = cuda_stream_wait(a->stream, a->sync.wait, a->sync.wait_value, &done);
    if (done) a->sync.wait = 0;
    if (result == CUDA_SUCCESS) result = d->cu->cuGraphLaunch(plan->graphs[slice], a->stream);
    if (result != CUDA_SUCCESS) return cuda_result(d, result);
    a->runs[slice] = plan->runs[slice] = ++a->run_count;
    if (plan->gpu.host.memory) a->output_pending = plan;
    if (a->sync.signal && (plan->gpu.host.memory || plan->gpu.host.native)) {
        done = false;
        result = cuda_stream_signal(a->stream, a->sync.signal, a->sync.signal_value, &done);
        if (done) a->sync.signal = 0;
    }
    recorded = d->cu->cuEventRecord(a->done[slice], a->stream);
    if (recorded == CUDA_SUCCESS) a->filling = false;
    if (recorded != CUDA_SUCCESS) { // nobody would know when it is done
        d->cu->cuStreamSynchronize(a->stream);
        look(a, slice);
    }
    return cuda_result(d, result != CUDA_SUCCESS ? result : recorded);
}

static plait_result run(struct plan *plan) {
    struct cuda_arena *a = plan->arena;
    plait_result result = PLAIT_OK;
    // What the last run for the host's pointer brought must be delivered before the next one writes there.
    if (plan->gpu.host.memory && a->output_pending) result = cuda_wait_current(a, UINT64_MAX);
    if (plan->generation != a->generation) plan->version++;
    plan->generation = a->generation;
    uint32_t slice = plan->gpu.host.memory ? HOST_SLICE : HOST_SLICE + 1 + a->next_slice;
    if (result == PLAIT_OK) result = wait_slice(a, slice, UINT64_MAX);
    if (result != PLAIT_OK) return result;
    count_time(plan, slice);
    if (plan->versions[slice] != plan->version) result = cuda_result(device_of(plan), cuda_make_graph(plan, slice));
    if (result != PLAIT_OK) return result;
    plan->versions[slice] = plan->version;
    if (a->slice_size) memcpy((char *)a->upload.host + slice * a->slice_size, a->mirror, a->slice_size);
    result = launch(plan, slice);
    if (result == PLAIT_OK && !plan->gpu.host.memory) a->next_slice = (a->next_slice + 1) % (a->slices - 1);
    return result;
}

plait_result cuda_plan_run(struct plan *plan) {
    struct cuda_device *d = device_of(plan);
    CUcontext hosts;
    plait_result result = cuda_result(d, cuda_enter(d, &hosts));
    if (result == PLAIT_OK) result = run(plan);
    cuda_leave(d, hosts);
    return result;
}

// A graph's nodes come one after the other by themselves.
void cuda_plan_commands(const struct plan *plan, struct plan_commands *commands) {
    *commands = (struct plan_commands){.dispatches = plan->version ? plan->gpu.schedule.run_count : 0};
}
