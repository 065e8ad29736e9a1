// A CPU device and its arenas, and what plan.c does for it.
#ifndef PLAIT_CPU_DEVICE_H
#define PLAIT_CPU_DEVICE_H

#include "bank.h"
#include "cpu.h"
#include "device.h"

struct cpu_device {
    struct device device;
    const struct cpu_variant *variant, *narrow; // for packs of pack_width, and of narrow_width
    bool skip_physics;                          // the null device
    struct bank_pool banks;
};

struct cpu_arena {
    struct arena arena;
    struct share *share; // with the arenas that share its memory
};

// Of device_ops.
plait_result cpu_plan_create(struct arena *arena, uint32_t capacity, const struct plan_size *size, struct plan **out);
void cpu_plan_destroy(struct plan *plan);
plait_result cpu_plan_set(struct plan *plan, const struct schedule *schedule);
plait_result cpu_plan_run(struct plan *plan);
void cpu_plan_time(const struct plan *plan, uint32_t stage, struct stage_time *time);

#endif
