// The books of plans: their own copy of the stages, what these have taken, and what goes to the host's memory.
#include "gpu.h"

#include <string.h>

plait_result gpu_plan_create(struct gpu_plan *plan, struct context *context, uint32_t capacity,
                             const struct plan_size *size) {
    plan->context = context;
    plan->size = *size;
    plan->capacity = capacity;
    plan->stages = allocate(context, capacity, sizeof *plan->stages);
    plan->schedule.phases = allocate(context, capacity, sizeof *plan->schedule.phases);
    return plan->stages && plan->schedule.phases ? PLAIT_OK : PLAIT_ERROR_OUT_OF_MEMORY;
}

void gpu_plan_free(struct gpu_plan *plan) {
    release(plan->context, plan->stages);
    release(plan->context, plan->schedule.phases);
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

void gpu_plan_count_run(struct gpu_plan *plan, uint64_t (*stage_ns)(const void *run, uint32_t n), const void *run) {
    uint32_t n = 0;
    for (struct cursor c = {0}; schedule_next(&plan->schedule, &c);) {
        const struct phase *phase = &plan->schedule.phases[c.phase];
        for (uint32_t i = phase->first; i < phase->first + phase->count; i++) {
            plan->stages[i].total_ns += stage_ns(run, n++);
            plan->stages[i].run_count++;
        }
    }
}

// Only the bytes that attributes describe: the host may keep other things between them.
void gpu_plan_deliver(const struct gpu_plan *plan, const void *from, uint64_t first) {
    for (uint32_t i = 0; i < plan->stage_count; i++) {
        const struct stage *stage = &plan->stages[i].stage;
        if (!stage_binds(stage, &plan->host)) continue;
        const struct span *span = &stage->span;
        char *to = (char *)plan->host.memory + span->offset;
        const char *at = (const char *)from + (span->offset - first);
        for (uint64_t k = 0; k < span->count; k++) memcpy(to + k * span->stride, at + k * span->stride, span->size);
    }
}

void gpu_plan_time(const struct plan *plan, uint32_t stage, struct stage_time *time) {
    const struct gpu_stage *from = &((const struct gpu_plan *)plan)->stages[stage];
    *time = (struct stage_time){.total_ns = from->total_ns, .run_count = from->run_count};
}
