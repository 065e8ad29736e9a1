// Equilibrium by dynamic relaxation: strands fall into it, and whenever their kinetic energy has passed a peak they are
// stopped (kinetic damping, Cundall 1976), so that what is left of it does not swing on.
#include "hair.h"
#include "structs.h"

#include <float.h>
#include <string.h>

#define MAX_SETTLE_STEPS 10000000u
#define DEFAULT_PROGRESS_STEPS 100u

struct settling {
    float *velocities, *before; // [vertex_count][3], host order, m/s
    float *positions;           // the same, before the step, m; null: velocities tell
    float *others;              // what else of the state has rates, one piece at a time
    float *sums;                // [vertex_count][3] of accelerations since the last mean, m/s^2
    uint32_t steps, mean_steps; // since then, and how many the next mean is over
    double speed, acceleration; // m/s, m/s^2
    double mean;                // the last mean acceleration, m/s^2
    double rounding;            // of such a mean: what positions' rounding makes of it, m/s^2
};

// Positions are rounded, and so are forces, by more the shorter the step. Means over so many steps tell what is beneath.
#define MEAN_STEPS_LEAST 16u
#define MEAN_STEPS_MOST 256u

static plait_result check_desc(const struct call *call, plait_settle_desc *desc) {
    static const struct float_range ranges[] = {
        FLOAT_RANGE3(plait_settle_desc, gravity, -1e9f, 1e9f),
        FLOAT_RANGE3(plait_settle_desc, wind, -1e9f, 1e9f),
        FLOAT_RANGE(plait_settle_desc, max_speed, 1e-30f, 1e9f),
        FLOAT_RANGE(plait_settle_desc, max_acceleration, 1e-30f, 1e9f),
    };
    plait_result result = struct_check_floats(call, "desc", NOT_IN_ARRAY, desc, ranges, ARRAY_LENGTH(ranges));
    if (result != PLAIT_OK) return result;
    if (desc->max_steps == 0 || desc->max_steps > MAX_SETTLE_STEPS)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.max_steps is %u, not 1 to %u", desc->max_steps,
                    MAX_SETTLE_STEPS);
    return PLAIT_OK;
}

static plait_result copy_velocities(struct hair *hair, float *values, bool to_device) {
    return hair_copy_data(hair, &hair->on, SET_HAIR, HAIR_VELOCITIES, (unsigned char *)values, to_device);
}

static plait_result stop_rates(struct hair *hair, struct settling *s, uint32_t set, uint32_t index) {
    const struct data_decl *decl = &hair->on.sets[set].decls[index];
    size_t count = data_host_bytes(hair, decl) / sizeof(float);
    plait_result result = hair_copy_data(hair, &hair->on, set, index, (unsigned char *)s->others, false);
    for (size_t i = 0; i < count; i++)
        if (decl->rates >> i % decl->rows & 1) s->others[i] = 0;
    if (result == PLAIT_OK) result = hair_copy_data(hair, &hair->on, set, index, (unsigned char *)s->others, true);
    return result;
}

// No motion. Where velocities hold corrections these stay: without them a strand at rest would get a jolt.
static plait_result stop(struct hair *hair, struct settling *s) {
    size_t values = (size_t)hair->info.vertex_count * 3;
    plait_result result = PLAIT_OK;
    memset(s->before, 0, values * sizeof(float));
    if (s->positions) result = copy_velocities(hair, s->before, false);
    for (size_t i = 0; s->positions && i < values; i++) s->before[i] -= s->velocities[i];
    if (result == PLAIT_OK) result = copy_velocities(hair, s->before, true);
    memset(s->velocities, 0, values * sizeof(float));
    memset(s->before, 0, values * sizeof(float));
    for (uint32_t set = 0; set < MAX_SETS; set++)
        for (uint32_t i = 0; i < hair->on.sets[set].count && result == PLAIT_OK; i++)
            if (hair->on.sets[set].decls[i].rates) result = stop_rates(hair, s, set, i);
    return result;
}

// How fast vertices went in the last step.
static plait_result read_velocities(struct hair *hair, struct settling *s) {
    if (!s->positions) return copy_velocities(hair, s->velocities, false);
    plait_result result =
        hair_copy_data(hair, &hair->on, SET_HAIR, HAIR_POSITIONS, (unsigned char *)s->velocities, false);
    for (size_t i = 0; i < (size_t)hair->info.vertex_count * 3; i++) {
        float position = s->velocities[i];
        s->velocities[i] = (float)((position - s->positions[i]) / hair->clock.step_s);
        s->positions[i] = position;
    }
    return result;
}

static plait_result measure(struct hair *hair, struct settling *s) {
    plait_result result = read_velocities(hair, s);
    if (result != PLAIT_OK) return result;
    size_t count = (size_t)hair->info.vertex_count * 3;
    double speed2 = 0, change2 = 0, sums2 = 0;
    s->steps++;
    for (size_t i = 0; i < count; i++) {
        double change = ((double)s->velocities[i] - s->before[i]) / hair->clock.step_s;
        s->sums[i] += (float)change;
        speed2 += (double)s->velocities[i] * s->velocities[i];
        change2 += change * change;
        sums2 += (double)s->sums[i] * s->sums[i];
    }
    s->speed = sqrt(speed2 / hair->info.vertex_count);
    s->acceleration = sqrt(change2 / hair->info.vertex_count);
    if (s->steps == s->mean_steps) {
        s->mean = sqrt(sums2 / hair->info.vertex_count) / s->steps;
        memset(s->sums, 0, count * sizeof(float));
        s->steps = 0;
        if (s->mean_steps < MEAN_STEPS_MOST) s->mean_steps *= 2;
    }
    s->acceleration = fmin(s->acceleration, s->mean);
    return PLAIT_OK;
}

// Half a unit in the last place of the farthest coordinate over the step squared, of which a mean over the most steps leaves
// a sixteenth.
static plait_result set_rounding(struct hair *hair, struct settling *s) {
    plait_result result = hair_copy_data(hair, &hair->on, SET_HAIR, HAIR_POSITIONS, (unsigned char *)s->sums, false);
    double farthest = 0;
    for (size_t i = 0; i < (size_t)hair->info.vertex_count * 3; i++)
        farthest = fmax(farthest, fabs((double)s->sums[i]));
    memset(s->sums, 0, (size_t)hair->info.vertex_count * 3 * sizeof(float));
    s->rounding = farthest * FLT_EPSILON / (2 * 16 * hair->clock.step_s * hair->clock.step_s);
    s->mean = INFINITY;
    s->mean_steps = MEAN_STEPS_LEAST;
    return result;
}

static plait_result settle(struct call *call, struct hair *hair, const plait_settle_desc *desc, struct settling *s,
                           plait_settle_info *info) {
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    memcpy(frame.gravity, desc->gravity, sizeof frame.gravity);
    memcpy(frame.wind, desc->wind, sizeof frame.wind);
    uint32_t every = desc->progress_steps ? desc->progress_steps : DEFAULT_PROGRESS_STEPS;
    double unit = hair->pose.meters_per_unit, last_speed = 0;
    memset(s->velocities, 0, (size_t)hair->info.vertex_count * 3 * sizeof(float)); // not known yet
    plait_result result = set_rounding(hair, s);
    if (result == PLAIT_OK) result = stop(hair, s);
    if (result == PLAIT_OK && s->positions)
        result = hair_copy_data(hair, &hair->on, SET_HAIR, HAIR_POSITIONS, (unsigned char *)s->positions, false);
    while (result == PLAIT_OK && info->step_count < desc->max_steps && !info->settled) {
        result = hair_substep(call, hair, &frame, 1);
        if (result == PLAIT_OK) result = measure(hair, s);
        if (result != PLAIT_OK) return fail(call, result, "the device failed: %s", plait_result_text(result));
        info->step_count++;
        info->speed = (float)(s->speed / unit);
        info->acceleration = (float)(s->acceleration / unit);
        bool balanced = info->acceleration <= desc->max_acceleration || s->mean <= s->rounding;
        info->settled = info->speed <= desc->max_speed && balanced;
        if (s->speed < last_speed) {
            result = stop(hair, s);
            last_speed = 0;
        } else {
            memcpy(s->before, s->velocities, (size_t)hair->info.vertex_count * 3 * sizeof(float));
            last_speed = s->speed;
        }
        if (desc->progress && (info->step_count % every == 0 || info->settled) && result == PLAIT_OK) {
            result = desc->progress(desc->user, info);
            if (result < 0) // others are no ids of messages
                message(call->context, PLAIT_LOG_INFO, result, "%s: ended by its progress callback", call->function);
        }
    }
    return result;
}

static plait_result settle_hair(struct call *call, struct hair *hair, const plait_settle_desc *desc,
                                plait_settle_info *info) {
    struct settling s = {0};
    uint32_t vertices = hair->info.vertex_count;
    size_t values = (size_t)vertices * (hair->solver->corrects_velocities ? 12 : 9), others = 0;
    for (uint32_t set = 0; set < MAX_SETS; set++)
        for (uint32_t i = 0; i < hair->on.sets[set].count; i++) {
            const struct data_decl *decl = &hair->on.sets[set].decls[i];
            size_t count = decl->rates ? data_host_bytes(hair, decl) / sizeof(float) : 0;
            if (count > others) others = count;
        }
    float *memory = memory_allocate(call->context, values + others, sizeof(float));
    if (!memory) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for %u velocities", vertices);
    s.velocities = memory;
    s.before = memory + 3 * (size_t)vertices;
    s.others = memory + values;
    s.sums = memory + 6 * (size_t)vertices;
    if (hair->solver->corrects_velocities) s.positions = memory + 9 * (size_t)vertices;
    uint64_t substep_count = hair->substep_count, step_count = hair->info.step_count;
    double time_s = hair->info.time_s;
    plait_result result = settle(call, hair, desc, &s, info);
    if (stop(hair, &s) != PLAIT_OK && result == PLAIT_OK) result = PLAIT_ERROR_DEVICE_LOST;
    hair->substep_count = substep_count;
    hair->info.step_count = step_count;
    hair->info.time_s = time_s;
    hair->history_valid = false;
    hair->snapshot_valid = false;
    hair_read_counters(hair);
    plait_result written = hair_output(call, hair);
    if (written == PLAIT_OK) written = hair_rescue(call, hair);
    memory_release(call->context, memory);
    return result != PLAIT_OK ? result : written;
}

plait_result PLAIT_CALL plait_hair_settle(plait_hair handle, const plait_settle_desc *desc_in,
                                          plait_settle_info *info) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    plait_settle_desc desc;
    plait_settle_info values = PLAIT_SETTLE_INFO_INIT;
    result = struct_read(&call, "desc", desc_in, PLAIT_TYPE_SETTLE_DESC, &desc, sizeof desc, NULL, 0);
    if (result == PLAIT_OK) result = check_desc(&call, &desc);
    if (result == PLAIT_OK && info) result = struct_check_info(&call, "info", info, PLAIT_TYPE_SETTLE_INFO);
    if (result == PLAIT_OK) {
        result = settle_hair(&call, hair, &desc, &values);
        if (result == PLAIT_OK && info) struct_write(info, &values, sizeof values);
    }
    hair_leave(&call, hair);
    return result;
}
