// Plans: one graph for each slice that their runs take, launched for every run, timed by events.
#include "cuda_backend.h"

#include <string.h>

static struct cuda_device *device_of(const struct plan *plan) {
    return (struct cuda_device *)plan->gpu.arena->arena.device;
}

// ---- life ----

static void free_ticks(struct plan *plan) {
    struct cuda_device *d = device_of(plan);
    for (uint32_t i = 0; plan->ticks && i < arena_of(plan)->gpu.slices * plan->tick_count; i++)
        if (plan->ticks[i]) d->cu->cuEventDestroy_v2(plan->ticks[i]);
    release(d->device.object.context, plan->ticks);
    plan->ticks = NULL;
}

plait_result cuda_plan_create(struct arena *arena, uint32_t capacity, const struct plan_size *size, struct plan **out) {
    struct cuda_arena *a = (struct cuda_arena *)arena;
    struct cuda_device *d = (struct cuda_device *)arena->device;
    CUcontext hosts;
    plait_result result = cuda_result(d, cuda_enter(d, &hosts));
    // All of the state is there by now. Without such values nobody would know which copy is whole.
    if (result == PLAIT_OK && d->has_stream_values) result = gpu_rescue_prepare(&a->gpu);
    cuda_leave(d, hosts);
    if (result != PLAIT_OK) return result;
    struct plan *plan = allocate(arena->device->object.context, 1, sizeof *plan);
    if (!plan) return PLAIT_ERROR_OUT_OF_MEMORY;
    result = gpu_plan_create(&plan->gpu, &a->gpu, capacity, size);
    if (result != PLAIT_OK) {
        gpu_plan_free(&plan->gpu);
        release(arena->device->object.context, plan);
        return result;
    }
    *out = plan;
    return PLAIT_OK;
}

void cuda_plan_destroy(struct plan *plan) {
    struct cuda_device *d = device_of(plan);
    struct cuda_arena *a = arena_of(plan);
    CUcontext hosts;
    cuda_enter_to_free(d, &hosts);
    cuda_wait_to_free(a);
    gpu_plan_free(&plan->gpu);
    for (uint32_t s = 0; s < a->gpu.slices; s++)
        if (plan->graphs[s]) d->cu->cuGraphExecDestroy(plan->graphs[s]);
    free_ticks(plan);
    cuda_free(d, &plan->output);
    cuda_free(d, &plan->staging);
    cuda_leave(d, hosts);
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
    plan->gpu.output_first = first;
    plan->output_size = end - first;
    return PLAIT_OK;
}

// Timers for a run of so many stages in each slice.
static plait_result make_ticks(struct plan *plan, uint32_t run_count) {
    uint32_t count = run_count + 1;
    if (count <= plan->tick_count) return PLAIT_OK;
    CUevent *ticks =
        allocate(device_of(plan)->device.object.context, (size_t)arena_of(plan)->gpu.slices * count, sizeof *ticks);
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
    if (result == PLAIT_OK) result = cuda_wait_current(arena_of(plan), UINT64_MAX);
    plan->generation = 0; // even if it fails further on: graphs must not use the timers of before
    if (result == PLAIT_OK) result = make_ticks(plan, schedule->run_count);
    if (result == PLAIT_OK && host && host->memory) result = make_output(plan, schedule, host);
    cuda_leave(d, hosts);
    if (result != PLAIT_OK) return result;
    gpu_plan_set(&plan->gpu, schedule, host);
    return PLAIT_OK;
}

// ---- waiting ----

uint64_t cuda_stage_ns(const struct gpu_plan *gpu, uint32_t slice, uint32_t n) {
    const struct plan *plan = (const struct plan *)gpu;
    const CUevent *tick = plan->ticks + slice * plan->tick_count + n;
    float ms = 0;
    if (device_of(plan)->cu->cuEventElapsedTime(&ms, tick[0], tick[1]) != CUDA_SUCCESS) return 0;
    return (uint64_t)((double)ms * 1e6);
}

const void *cuda_output(const struct gpu_plan *gpu) { return ((const struct plan *)gpu)->staging.host; }

// The slice's last run is done.
static void look(struct cuda_arena *a, uint32_t slice) {
    gpu_look(&a->gpu, slice);
    a->gpu.runs[slice] = 0;
}

// The driver can wait without limit or not at all; for a limit it is polled.
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
    if (!a->gpu.runs[slice]) return PLAIT_OK;
    plait_result result = cuda_wait_event((struct cuda_device *)a->gpu.arena.device, a->done[slice], timeout_ns);
    if (result == PLAIT_OK) look(a, slice);
    return result;
}

plait_result cuda_wait_current(struct cuda_arena *a, uint64_t timeout_ns) {
    // Runs end in the order they began: the last one first, the others are done then and only looked at.
    uint32_t last = 0;
    for (uint32_t i = 1; i < a->gpu.slices; i++)
        if (a->gpu.runs[i] > a->gpu.runs[last]) last = i;
    struct cuda_device *d = (struct cuda_device *)a->gpu.arena.device;
    if (atomic_load(&d->lost)) return PLAIT_ERROR_DEVICE_LOST;
    plait_result result = wait_slice(a, last, timeout_ns);
    for (uint32_t i = 0; i < 2 && result == PLAIT_OK; i++) {
        if (a->rescue.pending[i]) result = cuda_wait_event(d, a->rescue.done[i], timeout_ns);
        if (result == PLAIT_OK) a->rescue.pending[i] = false;
    }
    for (uint32_t i = 0; i < a->gpu.slices && result == PLAIT_OK; i++) result = wait_slice(a, i, timeout_ns);
    if (result != PLAIT_OK) return result;
    gpu_settle(&a->gpu);
    cuda_timelines_collect(d, false);
    return PLAIT_OK;
}

// A wait may fail for what an earlier launch did, or stand before what fills new memory: once more, then.
void cuda_wait_to_free(struct cuda_arena *a) {
    const struct cuda_device *d = (const struct cuda_device *)a->gpu.arena.device;
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
    ((struct cuda_arena *)arena)->gpu.sync = *sync;
    return PLAIT_OK;
}

plait_result cuda_desynchronise(struct arena *arena) {
    struct cuda_arena *a = (struct cuda_arena *)arena;
    struct cuda_device *d = (struct cuda_device *)arena->device;
    const uint64_t second_ns = 1000000000;
    struct frame_sync sync = a->gpu.sync;
    memset(&a->gpu.sync, 0, sizeof a->gpu.sync);
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

// The frame's first run waits, the last one that writes output signals.
static plait_result launch(struct plan *plan, uint32_t slice) {
    struct cuda_device *d = device_of(plan);
    struct cuda_arena *a = arena_of(plan);
    CUresult result = CUDA_SUCCESS, recorded;
    bool done = false;
    if (a->gpu.sync.wait) result = cuda_stream_wait(a->stream, a->gpu.sync.wait, a->gpu.sync.wait_value, &done);
    if (done) a->gpu.sync.wait = 0;
    if (result == CUDA_SUCCESS) result = d->cu->cuGraphLaunch(plan->graphs[slice], a->stream);
    if (result != CUDA_SUCCESS) return cuda_result(d, result);
    a->gpu.runs[slice] = plan->gpu.runs[slice] = ++a->run_count;
    if (plan->gpu.host.memory) a->gpu.output_pending = &plan->gpu;
    if (a->gpu.sync.signal && (plan->gpu.host.memory || plan->gpu.host.native) && !plan->gpu.host.more) {
        done = false;
        result = cuda_stream_signal(a->stream, a->gpu.sync.signal, a->gpu.sync.signal_value, &done);
        if (done) a->gpu.sync.signal = 0;
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
    struct cuda_arena *a = arena_of(plan);
    plait_result result = PLAIT_OK;
    // What the last run for the host's pointer brought must be delivered before the next one writes there.
    if (plan->gpu.host.memory && a->gpu.output_pending) result = cuda_wait_current(a, UINT64_MAX);
    if (plan->generation != a->gpu.generation) plan->version++;
    plan->generation = a->gpu.generation;
    uint32_t slice = plan->gpu.host.memory ? HOST_SLICE : HOST_SLICE + 1 + a->gpu.next_slice;
    if (result == PLAIT_OK) result = wait_slice(a, slice, UINT64_MAX);
    if (result != PLAIT_OK) return result;
    gpu_plan_count_run(&plan->gpu, slice);
    if (plan->versions[slice] != plan->version) result = cuda_result(device_of(plan), cuda_make_graph(plan, slice));
    if (result != PLAIT_OK) return result;
    plan->versions[slice] = plan->version;
    if (a->gpu.slice_size) memcpy((char *)a->upload.host + slice * a->gpu.slice_size, a->gpu.mirror, a->gpu.slice_size);
    result = launch(plan, slice);
    if (result == PLAIT_OK && !plan->gpu.host.memory) a->gpu.next_slice = (a->gpu.next_slice + 1) % (a->gpu.slices - 1);
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

// What the last run for the host's pointer brought is delivered now, so that no launch of this frame has to be waited for.
plait_result cuda_gather(struct arena *arena) {
    return ((struct cuda_arena *)arena)->gpu.output_pending ? cuda_wait(arena, UINT64_MAX) : PLAIT_OK;
}

// A graph's nodes come one after the other by themselves.
void cuda_plan_commands(const struct plan *plan, struct plan_commands *commands) {
    *commands = (struct plan_commands){.dispatches = plan->version ? plan->gpu.schedule.run_count : 0};
}
