// Plans: their own copy of the stages, the times of these, and what goes to the host's memory.
#include "gpu.h"

#include <string.h>

plait_result gpu_plan_create(struct gpu_plan *plan, struct gpu_arena *arena, uint32_t capacity,
                             const struct plan_size *size) {
    struct context *context = arena->arena.device->object.context;
    plan->arena = arena;
    plan->size = *size;
    plan->capacity = capacity;
    plan->stages = allocate(context, capacity, sizeof *plan->stages);
    plan->schedule.phases = allocate(context, capacity, sizeof *plan->schedule.phases);
    struct gpu_plan **plans =
        gpu_reserve(context, arena->plans, arena->plan_count + 1, &arena->plan_room, sizeof *plans);
    if (plans) arena->plans = plans;
    if (!plans || !plan->stages || !plan->schedule.phases) return PLAIT_ERROR_OUT_OF_MEMORY;
    plans[arena->plan_count++] = plan;
    return PLAIT_OK;
}

void gpu_plan_free(struct gpu_plan *plan) {
    struct gpu_arena *a = plan->arena;
    struct context *context = a->arena.device->object.context;
    uint32_t i = 0;
    while (i < a->plan_count && a->plans[i] != plan) i++;
    if (i < a->plan_count) a->plans[i] = a->plans[--a->plan_count];
    if (a->output_pending == plan) a->output_pending = NULL;
    release(context, plan->stages);
    release(context, plan->schedule.phases);
}

const struct buffer *gpu_host_of(const struct schedule *schedule) {
    const struct buffer *host = NULL;
    for (uint32_t i = 0; i < schedule->stage_count; i++)
        for (uint32_t b = 0; b < kernel_infos[schedule->stages[i].kernel].binding_count; b++)
            if (!schedule->stages[i].bindings[b]->arena) host = schedule->stages[i].bindings[b];
    return host;
}

void gpu_plan_set(struct gpu_plan *plan, const struct schedule *schedule, const struct buffer *host) {
    plan->host = host ? *host : (struct buffer){0};
    for (uint32_t i = 0; i < schedule->stage_count; i++) {
        struct gpu_stage *stage = &plan->stages[i];
        if (i >= plan->stage_count || stage->stage.kernel != schedule->stages[i].kernel)
            stage->total_ns = stage->run_count = 0;
        stage->stage = schedule->stages[i];
        // The host's buffer struct is the caller's: remember that it was the host's, not where it was.
        for (uint32_t b = 0; b < kernel_infos[stage->stage.kernel].binding_count; b++)
            if (stage->stage.bindings[b] == host) stage->stage.bindings[b] = &plan->host;
    }
    plan->stage_count = schedule->stage_count;
    struct phase *phases = plan->schedule.phases;
    memcpy(phases, schedule->phases, schedule->phase_count * sizeof *phases);
    plan->schedule = *schedule;
    plan->schedule.stages = NULL;
    plan->schedule.phases = phases;
}

void gpu_plan_count_run(struct gpu_plan *plan, uint32_t slice) {
    if (!plan->runs[slice]) return;
    plan->runs[slice] = 0;
    uint32_t n = 0;
    for (struct cursor c = {0}; schedule_next(&plan->schedule, &c);) {
        const struct phase *phase = &plan->schedule.phases[c.phase];
        for (uint32_t i = phase->first; i < phase->first + phase->count; i++) {
            plan->stages[i].total_ns += plan->arena->ops->stage_ns(plan, slice, n++);
            plan->stages[i].run_count++;
        }
    }
}

// Only the bytes that attributes describe: the host may keep other things between them.
void gpu_plan_deliver(const struct gpu_plan *plan) {
    const char *from = plan->arena->ops->output(plan);
    for (uint32_t i = 0; i < plan->stage_count; i++) {
        const struct stage *stage = &plan->stages[i].stage;
        if (!stage_binds(stage, &plan->host)) continue;
        const struct span *span = &stage->span;
        char *to = (char *)plan->host.memory + span->offset;
        const char *at = from + (span->offset - plan->output_first);
        for (uint64_t k = 0; k < span->count; k++) memcpy(to + k * span->stride, at + k * span->stride, span->size);
    }
}

void gpu_plan_time(const struct plan *plan, uint32_t stage, struct stage_time *time) {
    const struct gpu_stage *from = &((const struct gpu_plan *)plan)->stages[stage];
    *time = (struct stage_time){.total_ns = from->total_ns, .run_count = from->run_count};
}
