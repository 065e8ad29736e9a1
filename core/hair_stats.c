#include "hair.h"
#include "structs.h"

#include <stdio.h>
#include <string.h>

// As kernels order them, see order_bits in dialect_whole.h.
static float from_order(uint32_t bits) {
    float value;
    bits = bits & 0x80000000u ? bits ^ 0x80000000u : ~bits;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The box of the last output that is known to be done; as before where there is none.
static void look_at_bounds(const struct hair *hair, uint32_t at, float low[3], float high[3]) {
    uint32_t bounds[6] = {0};
    _Static_assert(STATUS_HIGH == STATUS_LOW + 3 && STATUS_RENDER_HIGH == STATUS_RENDER_LOW + 3, "read in one piece");
    hair->on.device->ops->buffer_peek(&hair->on.buffers[HAIR_STATUS], at * sizeof bounds[0], bounds, sizeof bounds);
    if (bounds[3] == 0) return;
    for (int c = 0; c < 3; c++) {
        low[c] = from_order(bounds[c]);
        high[c] = from_order(bounds[3 + c]);
    }
}

plait_result PLAIT_CALL plait_hair_query(plait_hair handle, plait_hair_info *info) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = struct_check_info(&call, "info", info, PLAIT_TYPE_HAIR_INFO);
    if (result == PLAIT_OK) {
        look_at_bounds(hair, STATUS_LOW, hair->info.bounds_min, hair->info.bounds_max);
        look_at_bounds(hair, STATUS_RENDER_LOW, hair->info.render_bounds_min, hair->info.render_bounds_max);
        struct_write(info, &hair->info, sizeof *info);
    }
    hair_leave(&call, hair);
    return result;
}

// Lengths of all strands after the last step, read a piece at a time: the results lie on the device.
static plait_result length_errors(const struct call *call, const struct hair *hair, plait_stats_info *stats) {
    float piece[1024];
    uint64_t slots = (uint64_t)hair->on.packing.pack_count * hair->on.packing.width;
    double sum = 0, worst = 0;
    for (uint64_t first = 0; first < slots; first += ARRAY_LENGTH(piece)) {
        uint64_t count = slots - first < ARRAY_LENGTH(piece) ? slots - first : ARRAY_LENGTH(piece);
        plait_result result = hair->on.device->ops->buffer_read(&hair->on.buffers[HAIR_RESULTS], first * sizeof(float),
                                                                piece, count * sizeof(float));
        if (result != PLAIT_OK) return fail(call, result, "the device could not be read");
        for (uint64_t i = 0; i < count; i++) {
            if (hair->on.packing.strands[first + i] == NO_STRAND) continue;
            sum += fabs(piece[i] - 1.0);
            if (piece[i] > worst) worst = piece[i];
        }
    }
    stats->mean_length_error = (float)(sum / hair->info.strand_count);
    stats->worst_stretch = (float)(worst - 1.0);
    return PLAIT_OK;
}

static void count_bytes(const struct hair *hair, plait_stats_info *stats) {
    for (uint32_t s = 0; s < MAX_SETS; s++)
        for (uint32_t i = 0; i < hair->on.sets[s].count; i++) {
            uint64_t size = hair->on.sets[s].buffers[i].size;
            switch (hair->on.sets[s].decls[i].role) {
            case DATA_CONSTANT: stats->bytes_asset += size; break;
            case DATA_STATE:
            case DATA_TRAIL: stats->bytes_state += size; break;
            default: stats->bytes_work += size; break;
            }
        }
}

static void count_commands(const struct hair *hair, plait_stats_info *stats) {
    static const enum hair_plan plans[] = {PLAN_STEP, PLAN_OUTPUT, PLAN_RENDER};
    if (!hair->on.device->ops->plan_commands) return;
    for (size_t i = 0; i < ARRAY_LENGTH(plans); i++) {
        struct plan_commands commands;
        if (!hair->on.plans[plans[i]].plan) continue;
        hair->on.device->ops->plan_commands(hair->on.plans[plans[i]].plan, &commands);
        stats->dispatches_per_step += commands.dispatches;
        stats->barriers_per_step += commands.barriers;
    }
}

plait_result PLAIT_CALL plait_hair_stats(plait_hair handle, plait_stats_info *info) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = struct_check_info(&call, "info", info, PLAIT_TYPE_STATS_INFO);
    if (result == PLAIT_OK) {
        plait_stats_info stats;
        memset(&stats, 0, sizeof stats);
        stats.strand_count = hair->info.strand_count;
        stats.vertex_count = hair->info.vertex_count;
        stats.frame_count = hair->frame_count;
        stats.step_count = hair->info.step_count;
        stats.teleport_count = hair->teleport_count;
        stats.clamped_frame_count = hair->clamped_frame_count;
        stats.nonfinite_strand_count = hair->counters[STATUS_NONFINITE];
        stats.cut_strand_count = hair->counters[STATUS_CUT];
        stats.frame_s = hair->frame_s;
        if (hair->solver->count) hair->solver->count(hair, &stats);
        count_bytes(hair, &stats);
        count_commands(hair, &stats);
        result = length_errors(&call, hair, &stats);
        if (result == PLAIT_OK) result = hair_watch_stats(&call, hair, &stats);
        if (result == PLAIT_OK) struct_write(info, &stats, sizeof stats);
    }
    hair_leave(&call, hair);
    return result;
}

// The stages a host sees: those of a step, of a look at a watched hair, and of the outputs.
static const enum hair_plan seen_plans[] = {PLAN_STEP, PLAN_WATCH, PLAN_OUTPUT, PLAN_RENDER};

static void write_stage(void *user, uint32_t index, void *out) {
    const struct hair *hair = user;
    size_t which = 0;
    while (index >= hair->on.plans[seen_plans[which]].stage_count)
        index -= hair->on.plans[seen_plans[which++]].stage_count;
    const struct hair_plan_info *plan = &hair->on.plans[seen_plans[which]];
    uint32_t kernel = plan->kernels[index];
    bool roots = kernel == KERNEL_roots || kernel == KERNEL_mesh_step;
    const char *prefix = "";
    if (roots && seen_plans[which] == PLAN_OUTPUT) prefix = "output_";
    if ((roots || kernel == KERNEL_bounds_reset) && seen_plans[which] == PLAN_RENDER) prefix = "render_";
    struct stage_time time;
    hair->on.device->ops->plan_time(plan->plan, index, &time);
    plait_stage_info *info = out;
    snprintf(info->name, sizeof info->name, "%s%s", prefix, kernel_infos[plan->kernels[index]].name);
    info->frame_s = 1e-9 * (double)(time.total_ns - plan->frame_start_ns[index]);
    info->total_s = 1e-9 * (double)time.total_ns;
    info->run_count = time.run_count;
}

plait_result PLAIT_CALL plait_hair_stages(plait_hair handle, uint32_t *count, plait_stage_info *infos) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    uint32_t available = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(seen_plans); i++) available += hair->on.plans[seen_plans[i]].stage_count;
    result = struct_list(&call, PLAIT_TYPE_STAGE_INFO, sizeof *infos, available, count, infos, write_stage, hair);
    hair_leave(&call, hair);
    return result;
}
