// What backends on graphics cards have in common: the books of plans. A module has these files compiled in.
#ifndef PLAIT_GPU_H
#define PLAIT_GPU_H

#include "module.h"

// A stage, and what its runs have taken.
struct gpu_stage {
    struct stage stage;
    uint64_t total_ns, run_count;
};

// A backend's struct plan begins with this.
struct gpu_plan {
    struct context *context;
    struct plan_size size;
    uint32_t capacity, stage_count;
    struct gpu_stage *stages;
    struct schedule schedule; // its phases and repeats; stages are our own
    struct buffer host;       // the memory that output goes to; or none
};

plait_result gpu_plan_create(struct gpu_plan *plan, struct context *context, uint32_t capacity,
                             const struct plan_size *size);
void gpu_plan_free(struct gpu_plan *plan); // what is in it, also after a creation that failed
// The host's memory that a schedule writes, or null.
const struct buffer *gpu_host_of(const struct schedule *schedule);
// There is room for all stages. host: as gpu_host_of has it.
void gpu_plan_set(struct gpu_plan *plan, const struct schedule *schedule, const struct buffer *host);
// A run is done. stage_ns: what the stage that ran as number n took.
void gpu_plan_count_run(struct gpu_plan *plan, uint64_t (*stage_ns)(const void *run, uint32_t n), const void *run);
// Copies output to the host's pointer. from: what stands in for the host's memory, from byte `first` of it on.
void gpu_plan_deliver(const struct gpu_plan *plan, const void *from, uint64_t first);
void gpu_plan_time(const struct plan *plan, uint32_t stage, struct stage_time *time); // for struct device_ops

#endif
