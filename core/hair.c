// Making and unmaking a hair, its parameters and its body.
#include "hair.h"
#include "structs.h"

#include <string.h>

const struct solver *solver_find(uint32_t id) {
    static const struct solver *const solvers[] = {&shape_solver, &hybrid_solver};
    for (size_t i = 0; i < ARRAY_LENGTH(solvers); i++)
        if (solvers[i]->id == id) return solvers[i];
    return NULL;
}

plait_result hair_enter(struct call *call, plait_hair handle, struct hair **hair) {
    struct object *object = NULL;
    plait_result result = call_enter(call, handle.id, OBJECT_HAIR, true, &object);
    *hair = (struct hair *)object;
    return result;
}

void hair_leave(struct call *call, struct hair *hair) { call_leave_object(call, &hair->object, true); }

// ---- buffers and plans ----

// Written before every step or frame.
static bool is_dynamic(enum hair_buffer which) {
    return which == BUFFER_BONES_STEP || which == BUFFER_BONES_FRAME || which == BUFFER_FRAME ||
           which == BUFFER_OUTPUT_FRAME || which == BUFFER_COLLIDERS;
}

plait_result hair_buffer(struct call *call, struct hair *hair, enum hair_buffer which, uint64_t size,
                         const void *data) {
    const struct device_ops *ops = hair->on.device->ops;
    enum buffer_use use = BUFFER_PLAIN;
    if (which == BUFFER_STATUS) use = BUFFER_WATCHED;
    if (which == BUFFER_POSITIONS || which == BUFFER_VELOCITIES || which == BUFFER_SPIN) use = BUFFER_STATE;
    if (is_dynamic(which)) use = BUFFER_DYNAMIC;
    struct buffer made;
    memset(&made, 0, sizeof made);
    plait_result result = ops->buffer_create(hair->on.arena, size, use, &made);
    if (result == PLAIT_OK && data) result = ops->buffer_write(&made, 0, data, size);
    if (result != PLAIT_OK) {
        ops->buffer_destroy(&made);
        if (result == PLAIT_ERROR_TOO_LARGE)
            return fail(call, result, "device %s cannot address a hair of so many vertices",
                        hair->on.device->info.name);
        return fail(call, result, "the device has no %llu bytes", (unsigned long long)size);
    }
    ops->buffer_destroy(&hair->on.buffers[which]);
    hair->on.buffers[which] = made;
    return PLAIT_OK;
}

void hair_write(struct hair *hair, enum hair_buffer which, const void *data, uint64_t size) {
    hair->on.device->ops->buffer_write(&hair->on.buffers[which], 0, data, size);
}

plait_result hair_set_plan(struct call *call, struct hair *hair, enum hair_plan which, const struct stage *stages,
                           uint32_t count) {
    struct hair_plan_info *plan = &hair->on.plans[which];
    plait_result result = hair->on.device->ops->plan_set(plan->plan, stages, count);
    if (result != PLAIT_OK) return fail(call, result, "the device could not take a plan of %u stages", count);
    plan->stage_count = count;
    for (uint32_t i = 0; i < count; i++) plan->kernels[i] = stages[i].kernel;
    hair_mark_plan(hair, which);
    return PLAIT_OK;
}

void hair_mark_plan(struct hair *hair, enum hair_plan which) {
    struct hair_plan_info *plan = &hair->on.plans[which];
    for (uint32_t i = 0; i < plan->stage_count; i++) {
        struct stage_time time;
        hair->on.device->ops->plan_time(plan->plan, i, &time);
        plan->frame_start_ns[i] = time.total_ns;
    }
}

plait_result hair_run(struct call *call, struct hair *hair, enum hair_plan which) {
    plait_result result = hair->on.device->ops->plan_run(hair->on.plans[which].plan);
    if (result != PLAIT_OK) fail(call, result, "the device failed: %s", plait_result_text(result));
    return result;
}

plait_result hair_wait(struct call *call, struct hair *hair, uint64_t timeout_ns) {
    plait_result result = hair->on.device->ops->wait(hair->on.arena, timeout_ns);
    if (result != PLAIT_OK && result != PLAIT_ERROR_TIMEOUT)
        fail(call, result, "the device failed: %s", plait_result_text(result));
    return result;
}

struct stage hair_roots_stage(struct hair *hair, enum hair_buffer bones, enum hair_buffer roots) {
    struct buffer *b = hair->on.buffers;
    return (struct stage){KERNEL_roots,
                          {&b[BUFFER_BIND], &b[BUFFER_BIND_BONES], &b[bones], &b[roots], &b[BUFFER_ROOTS_BEFORE]},
                          {hair->groom->influences, roots == BUFFER_ROOTS_STEP}};
}

static plait_result make_step_plan(struct call *call, struct hair *hair) {
    struct stage stages[1 + SOLVER_MAX_STAGES] = {hair_roots_stage(hair, BUFFER_BONES_STEP, BUFFER_ROOTS_STEP)};
    return hair_set_plan(call, hair, PLAN_STEP, stages, 1 + hair->solver->stages(hair, stages + 1));
}

static plait_result make_plans(struct call *call, struct hair *hair) {
    struct buffer *b = hair->on.buffers;
    struct stage roots_step = hair_roots_stage(hair, BUFFER_BONES_STEP, BUFFER_ROOTS_STEP);
    struct stage rest[2 + SOLVER_MAX_STAGES] = {
        roots_step,
        {KERNEL_rest,
         {&b[BUFFER_PACKS], &b[BUFFER_POSITIONS], &b[BUFFER_VELOCITIES], &b[BUFFER_TARGETS], &b[BUFFER_ROOTS_STEP]},
         {0}}};
    uint32_t rest_count = 2 + (hair->solver->rest_stages ? hair->solver->rest_stages(hair, rest + 2) : 0);
    struct stage carry[] = {
        hair_roots_stage(hair, BUFFER_BONES_FRAME, BUFFER_ROOTS_FRAME),
        {KERNEL_carry,
         {&b[BUFFER_PACKS], &b[BUFFER_POSITIONS], &b[BUFFER_VELOCITIES], &b[BUFFER_ROOTS_STEP], &b[BUFFER_ROOTS_FRAME]},
         {0}}};
    uint64_t vertices = (uint64_t)hair->on.packing.row_count * hair->on.packing.width;
    plait_result result = PLAIT_OK;
    for (int i = 0; i < PLAN_COUNT && result == PLAIT_OK; i++)
        result = hair->on.device->ops->plan_create(hair->on.arena, PLAN_MAX_STAGES, hair->on.packing.pack_count,
                                                   vertices, &hair->on.plans[i].plan);
    if (result == PLAIT_OK) result = make_step_plan(call, hair);
    struct stage snapshot = {KERNEL_snapshot, {&b[BUFFER_PACKS], &b[BUFFER_POSITIONS], &b[BUFFER_SNAPSHOT]}, {0}};
    if (result == PLAIT_OK) result = hair_set_plan(call, hair, PLAN_SNAPSHOT, &snapshot, 1);
    if (result == PLAIT_OK) result = hair_set_plan(call, hair, PLAN_REST, rest, rest_count);
    if (result == PLAIT_OK) result = hair_set_plan(call, hair, PLAN_CARRY, carry, ARRAY_LENGTH(carry));
    if (result == PLAIT_OK) result = hair_set_plan(call, hair, PLAN_ROOTS, &roots_step, 1);
    return result;
}

// ---- buffers that depend on counts only ----

static plait_result make_results(struct call *call, struct hair *hair) {
    size_t count = (size_t)hair->on.packing.pack_count * RESULT_ROWS * hair->on.packing.width;
    float *ones = memory_allocate(call->context, count, sizeof(float));
    if (!ones) return PLAIT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) ones[i] = 1;
    plait_result result = hair_buffer(call, hair, BUFFER_RESULTS, count * sizeof(float), ones);
    memory_release(call->context, ones);
    return result;
}

// Collider buffers for a body, or for none (a buffer is never empty).
static plait_result make_colliders(struct call *call, struct hair *hair, const struct body *body) {
    uint64_t count = body && body->collider_count ? body->collider_count : 1;
    uint64_t strands = (uint64_t)hair->on.packing.pack_count * hair->on.packing.width;
    if (2 * count * strands > UINT32_MAX)
        return fail(call, PLAIT_ERROR_TOO_LARGE, "%llu colliders for %llu strands", (unsigned long long)count,
                    (unsigned long long)strands);
    float *values = memory_allocate(call->context, count, COLLIDER_FLOATS * sizeof(float));
    if (!values)
        return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for %llu colliders", (unsigned long long)count);
    plait_result result = hair_buffer(call, hair, BUFFER_COLLIDERS, count * COLLIDER_FLOATS * sizeof(float), NULL);
    uint64_t lists = (uint64_t)hair->on.packing.pack_count * hair->on.device->lists_per_pack;
    if (lists == 0) lists = 1;
    if (result == PLAIT_OK)
        result = hair_buffer(call, hair, BUFFER_CANDIDATES, lists * 2 * count * sizeof(uint32_t), NULL);
    if (result != PLAIT_OK) {
        memory_release(call->context, values);
        return result;
    }
    memory_release(call->context, hair->collider_values);
    hair->collider_values = values;
    return PLAIT_OK;
}

static plait_result make_buffers(struct call *call, struct hair *hair) {
    uint64_t packs = hair->on.packing.pack_count, width = hair->on.packing.width, rows = hair->on.packing.row_count;
    uint64_t bones = (uint64_t)hair->pose.bone_count * BONE_FLOATS * sizeof(float);
    plait_result result = hair_pack_asset(call, hair);
    if (result == PLAIT_OK) result = make_results(call, hair);
    if (result == PLAIT_OK)
        result = hair_buffer(call, hair, BUFFER_PACKS, packs * PACK_UINTS * sizeof(uint32_t), hair->on.packing.table);
    struct {
        enum hair_buffer which;
        uint64_t size;
    } plain[] = {
        {BUFFER_POSITIONS, rows * 3 * width * sizeof(float)},
        {BUFFER_VELOCITIES, rows * 3 * width * sizeof(float)},
        {BUFFER_SNAPSHOT, rows * 3 * width * sizeof(float)},
        {BUFFER_BONES_STEP, bones},
        {BUFFER_BONES_FRAME, bones},
        {BUFFER_ROOTS_STEP, packs * ROOT_ROWS * width * sizeof(float)},
        {BUFFER_ROOTS_BEFORE, packs * ROOT_ROWS * width * sizeof(float)},
        {BUFFER_ROOTS_FRAME, packs * ROOT_ROWS * width * sizeof(float)},
        {BUFFER_FRAME, FRAME_FLOATS * sizeof(float)},
        {BUFFER_OUTPUT_FRAME, FRAME_FLOATS * sizeof(float)},
        {BUFFER_STATUS, STATUS_UINTS * sizeof(uint32_t)},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(plain) && result == PLAIT_OK; i++)
        result = hair_buffer(call, hair, plain[i].which, plain[i].size, NULL);
    if (result == PLAIT_OK && hair->solver->spin_rows)
        result = hair_buffer(call, hair, BUFFER_SPIN, rows * hair->solver->spin_rows * width * sizeof(float), NULL);
    if (result == PLAIT_OK) result = make_colliders(call, hair, hair->body);
    return result;
}

// ---- parameters ----

// Reads the host's parameters for all groups into `out`, [group_count] of the solver's struct.
static plait_result read_params(struct call *call, const struct hair *hair, uint32_t count, const void *params,
                                char *out) {
    const struct solver *solver = hair->solver;
    uint32_t groups = hair->groom->info.group_count;
    if (count != 0 && count != 1 && count != groups)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "params_count is %u, not 0, 1 or the groom's %u groups", count,
                    groups);
    if (count != 0 && !params)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "params is null, params_count is %u", count);
    for (uint32_t g = 0; g < groups; g++) {
        char *target = out + (size_t)g * solver->params_size;
        if (g >= count) {
            if (count == 1)
                memcpy(target, out, solver->params_size);
            else
                solver->default_params(target);
            continue;
        }
        plait_result result =
            struct_read_element(call, "params", params, g, solver->params_type, target, solver->params_size);
        if (result == PLAIT_OK) result = solver->check_params(call, target, g);
        if (result != PLAIT_OK) return result;
    }
    return PLAIT_OK;
}

static void swap_params(struct hair *hair) {
    void *old = hair->params;
    hair->params = hair->next_params;
    hair->next_params = old;
}

plait_result PLAIT_CALL plait_hair_set_params(plait_hair handle, uint32_t params_count, const void *params) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = read_params(&call, hair, params_count, params, hair->next_params);
    if (result == PLAIT_OK) {
        swap_params(hair);
        result = hair->solver->update(&call, hair);
        if (result != PLAIT_OK) swap_params(hair);
    }
    hair_leave(&call, hair);
    return result;
}

// ---- body ----

static plait_result check_body(struct call *call, const struct hair *hair, const struct body *body) {
    if (body && body->bone_count > hair->groom->info.bone_count)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "body has %u bones, the groom's skeleton only %u",
                    body->bone_count, hair->groom->info.bone_count);
    return PLAIT_OK;
}

// What depends on the number of colliders. A plan holds on to its buffers, so the old set lives until the new plan does.
struct collider_set {
    struct buffer colliders, candidates;
    float *values;
    struct body *body;
};

static struct collider_set take_colliders(struct hair *hair) {
    struct collider_set set = {hair->on.buffers[BUFFER_COLLIDERS], hair->on.buffers[BUFFER_CANDIDATES],
                               hair->collider_values, hair->body};
    memset(&hair->on.buffers[BUFFER_COLLIDERS], 0, sizeof(struct buffer));
    memset(&hair->on.buffers[BUFFER_CANDIDATES], 0, sizeof(struct buffer));
    hair->collider_values = NULL;
    return set;
}

static void free_colliders(struct hair *hair, struct collider_set *set) {
    hair->on.device->ops->buffer_destroy(&set->colliders);
    hair->on.device->ops->buffer_destroy(&set->candidates);
    memory_release(hair->object.context, set->values);
    if (set->body) object_drop(&set->body->object);
}

static plait_result set_body(struct call *call, struct hair *hair, plait_body handle) {
    struct object *object = NULL;
    plait_result result = PLAIT_OK;
    if (handle.id) result = object_find(call, "body", handle.id, OBJECT_BODY, &object);
    if (result != PLAIT_OK) return result;
    result = check_body(call, hair, (struct body *)object);
    if (result != PLAIT_OK) {
        object_drop(object);
        return result;
    }
    struct collider_set old = take_colliders(hair);
    hair->body = (struct body *)object;
    result = make_colliders(call, hair, hair->body);
    if (result == PLAIT_OK) result = make_step_plan(call, hair);
    if (result == PLAIT_OK) {
        hair->info.body = handle;
        free_colliders(hair, &old);
    } else {
        struct collider_set failed = take_colliders(hair);
        hair->on.buffers[BUFFER_COLLIDERS] = old.colliders;
        hair->on.buffers[BUFFER_CANDIDATES] = old.candidates;
        hair->collider_values = old.values;
        hair->body = old.body;
        free_colliders(hair, &failed);
    }
    return result;
}

plait_result PLAIT_CALL plait_hair_set_body(plait_hair handle, plait_body body) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = set_body(&call, hair, body);
    hair_leave(&call, hair);
    return result;
}

// ---- device ----

// Everything on hair->on.device, which is set and referenced: layout, memory, plans. What was made before a failure is for
// unplace to free.
static plait_result place(struct call *call, struct hair *hair) {
    struct placement *on = &hair->on;
    if (!packing_create(call->context, hair->groom, on->device->pack_width, &on->packing))
        return PLAIT_ERROR_OUT_OF_MEMORY;
    // The steps of the longest frame, and what comes before and after them.
    uint32_t frame_runs = (uint32_t)(hair->clock.max_frame_s / hair->clock.step_s) + 5;
    plait_result result = on->device->ops->arena_create(on->device, frame_runs, &on->arena);
    if (result == PLAIT_OK) result = make_buffers(call, hair);
    if (result == PLAIT_OK) result = hair->solver->create(call, hair);
    if (result == PLAIT_OK) result = make_plans(call, hair);
    return result;
}

static void unplace(struct hair *hair) {
    struct placement *on = &hair->on;
    if (!on->device) return;
    const struct device_ops *ops = on->device->ops;
    if (on->arena) ops->wait(on->arena, UINT64_MAX);
    for (int i = 0; i < PLAN_COUNT; i++)
        if (on->plans[i].plan) ops->plan_destroy(on->plans[i].plan);
    if (hair->solver) hair->solver->destroy(hair);
    for (int i = 0; i < BUFFER_COUNT; i++) ops->buffer_destroy(&on->buffers[i]);
    if (on->arena) ops->arena_destroy(on->arena);
    packing_destroy(hair->object.context, &on->packing);
    object_drop(&on->device->object);
    memset(on, 0, sizeof *on);
}

plait_result hair_rescue(struct call *call, struct hair *hair) {
    const struct device_ops *ops = hair->on.device->ops;
    if (!ops->rescue || hair->frame_count % RESCUE_FRAMES != 1) return PLAIT_OK;
    uint64_t tag = hair->rescue_tag + 1;
    pose_skin_step(&hair->pose);
    memcpy(hair->rescue_skin[tag & 1], hair->pose.skin, hair->on.buffers[BUFFER_BONES_STEP].size);
    plait_result result = ops->rescue(hair->on.arena, tag);
    if (result != PLAIT_OK) return fail(call, result, "the device failed: %s", plait_result_text(result));
    hair->rescue_tag = tag;
    return PLAIT_OK;
}

static plait_result run_at(struct call *call, struct hair *hair, enum hair_buffer bones, const float *skin,
                           enum hair_plan plan) {
    hair_write(hair, bones, skin, hair->on.buffers[bones].size);
    return hair_run(call, hair, plan);
}

// What was rescued from a lost device, carried along with the roots since then; at rest if it was nothing.
static plait_result recover(struct call *call, struct hair *hair, uint64_t tag) {
    plait_result result;
    if (tag) result = run_at(call, hair, BUFFER_BONES_STEP, hair->rescue_skin[tag & 1], PLAN_ROOTS);
    pose_skin_step(&hair->pose);
    if (tag) {
        if (result == PLAIT_OK) result = run_at(call, hair, BUFFER_BONES_FRAME, hair->pose.skin, PLAN_CARRY);
    } else {
        result = run_at(call, hair, BUFFER_BONES_STEP, hair->pose.skin, PLAN_REST);
    }
    hair->snapshot_valid = false;
    message(call->context, PLAIT_LOG_WARNING, PLAIT_MESSAGE_STATE_RESCUED,
            tag ? "%s: the device was lost, strands go on from the last state that was saved"
                : "%s: the device was lost before any state was saved, strands are at rest",
            call->function);
    return result;
}

// State from where the hair was to where it is: positions, velocities, the step before, and the roots of both steps.
static plait_result transfer(struct call *call, struct hair *hair, struct placement *from) {
    const struct {
        enum hair_buffer which;
        uint32_t components;
        bool rescued;
    } moved[] = {{BUFFER_POSITIONS, 3, true},
                 {BUFFER_VELOCITIES, 3, true},
                 {BUFFER_SPIN, hair->solver->spin_rows, true},
                 {BUFFER_SNAPSHOT, 3, false}};
    uint64_t tag = 0;
    from->device->ops->wait(from->arena, UINT64_MAX); // so that a loss is known
    bool lost = from->device->ops->lost && from->device->ops->lost(from->arena, &tag);
    unsigned char *host = memory_allocate(call->context, hair->info.vertex_count, 3 * sizeof(float));
    if (!host) return PLAIT_ERROR_OUT_OF_MEMORY;
    plait_result result = PLAIT_OK;
    for (size_t i = 0; i < ARRAY_LENGTH(moved) && result == PLAIT_OK; i++) {
        if (moved[i].components == 0 || (lost && !(tag && moved[i].rescued))) continue;
        result = hair_copy_values(hair->groom, from, moved[i].which, moved[i].components, host, false);
        if (result == PLAIT_OK)
            result = hair_copy_values(hair->groom, &hair->on, moved[i].which, moved[i].components, host, true);
    }
    memory_release(call->context, host);
    if (lost && result == PLAIT_OK) result = recover(call, hair, tag);
    // The root stage remembers what it found: first the step before, then the last one.
    for (int last = 0; last < 2 && result == PLAIT_OK; last++) {
        if (last)
            pose_skin_step(&hair->pose);
        else
            pose_skin_before(&hair->pose);
        hair_write(hair, BUFFER_BONES_STEP, hair->pose.skin, hair->on.buffers[BUFFER_BONES_STEP].size);
        result = hair_run(call, hair, PLAN_ROOTS);
    }
    return result;
}

static plait_result set_device(struct call *call, struct hair *hair, plait_device handle) {
    struct object *object = NULL;
    plait_result result = object_find(call, "device", handle.id, OBJECT_DEVICE, &object);
    if (result != PLAIT_OK) return result;
    if ((struct device *)object == hair->on.device) {
        object_drop(object);
        return PLAIT_OK;
    }
    const struct device *target = (const struct device *)object;
    if (hair->output.memory.native_device && target->native != hair->output.memory.native_device) {
        object_drop(object);
        return fail(call, PLAIT_ERROR_UNSUPPORTED,
                    "the output is a buffer of the host's device, which the new device cannot write");
    }
    if (target->max_output_bytes && hair->output.span > target->max_output_bytes) {
        object_drop(object);
        return fail(call, PLAIT_ERROR_TOO_LARGE, "the output reaches over more bytes than device %s can write",
                    target->info.name);
    }
    struct placement old = hair->on;
    struct shared_memory *old_shared = hair->output.shared;
    struct buffer old_memory = hair->output.memory;
    bool history_valid = hair->history_valid;
    memset(&hair->on, 0, sizeof hair->on);
    hair->on.device = (struct device *)object;
    hair->output.shared = NULL;
    result = place(call, hair);
    if (result == PLAIT_OK) result = transfer(call, hair, &old);
    if (result == PLAIT_OK && old_shared) result = hair_share_output(call, hair, &hair->output);
    if (result == PLAIT_OK) result = hair_plan_output(call, hair);
    if (result != PLAIT_OK) {
        struct shared_memory *made = hair->output.shared;
        unplace(hair);
        if (made) made->device->ops->memory_destroy(made);
        hair->on = old;
        hair->output.shared = old_shared;
        hair->output.memory = old_memory;
        hair->history_valid = history_valid;
        return fail(call, result, "the hair stays where it was");
    }
    struct placement next = hair->on;
    hair->on = old;
    old.device->ops->wait(old.arena, UINT64_MAX);
    if (old_shared) old_shared->device->ops->memory_destroy(old_shared);
    unplace(hair);
    hair->on = next;
    hair->info.device = handle;
    hair->history_valid = false;
    hair->nonfinite_seen = 0;
    return PLAIT_OK;
}

plait_result PLAIT_CALL plait_hair_set_device(plait_hair handle, plait_device device) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = set_device(&call, hair, device);
    hair_leave(&call, hair);
    return result;
}

// ---- life ----

static void destroy_hair(struct object *object) {
    struct hair *hair = (struct hair *)object;
    struct context *context = object->context;
    if (hair->on.arena) hair->on.device->ops->wait(hair->on.arena, UINT64_MAX);
    hair_free_output(&hair->output);
    unplace(hair);
    memory_release(context, hair->params);
    memory_release(context, hair->next_params);
    memory_release(context, hair->collider_values);
    memory_release(context, hair->rescue_skin[0]);
    memory_release(context, hair->rescue_skin[1]);
    pose_destroy(context, &hair->pose);
    if (hair->body) object_drop(&hair->body->object);
    if (hair->groom) object_drop(&hair->groom->object);
    memory_release(context, hair);
}

#define MAX_FRAME_STEPS 10000

static bool in_range(float value, float low, float high) { return is_finite(value) && value >= low && value <= high; }

static plait_result check_desc(struct call *call, plait_hair_desc *desc) {
    struct {
        const char *name;
        float *value;
        float low, high, fallback;
    } numbers[] = {
        {"meters_per_unit", &desc->meters_per_unit, 1e-6f, 1e6f, 1},
        {"step_rate_hz", &desc->step_rate_hz, 1, 10000, 60},
        {"max_frame_s", &desc->max_frame_s, 1e-6f, 10, 0.1f},
        {"teleport_distance", &desc->teleport_distance, 0, 1e9f, 0},
        {"teleport_angle", &desc->teleport_angle, 0, 3.15f, 0},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++) {
        if (is_finite(*numbers[i].value) && *numbers[i].value == 0) *numbers[i].value = numbers[i].fallback;
        if (*numbers[i].value != 0 && !in_range(*numbers[i].value, numbers[i].low, numbers[i].high))
            return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.%s is %g, not 0 or %g to %g", numbers[i].name,
                        (double)*numbers[i].value, (double)numbers[i].low, (double)numbers[i].high);
    }
    if (desc->substeps == 0) desc->substeps = 1;
    if (desc->substeps > 64)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.substeps is %u, more than 64", desc->substeps);
    double most = (double)desc->step_rate_hz * desc->substeps * desc->max_frame_s;
    if (most > MAX_FRAME_STEPS)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                    "desc.step_rate_hz, substeps and max_frame_s allow %.0f steps in a frame, more than %d", most,
                    MAX_FRAME_STEPS);
    return PLAIT_OK;
}

static plait_result find_objects(struct call *call, const plait_hair_desc *desc, struct hair *hair) {
    struct object *object = NULL;
    plait_result result = object_find(call, "desc.groom", desc->groom.id, OBJECT_GROOM, &object);
    if (result != PLAIT_OK) return result;
    hair->groom = (struct groom *)object;
    result = object_find(call, "desc.device", desc->device.id, OBJECT_DEVICE, &object);
    if (result != PLAIT_OK) return result;
    hair->on.device = (struct device *)object;
    if (desc->body.id) {
        result = object_find(call, "desc.body", desc->body.id, OBJECT_BODY, &object);
        if (result != PLAIT_OK) return result;
        hair->body = (struct body *)object;
    }
    return check_body(call, hair, hair->body);
}

static plait_result build_hair(struct call *call, plait_hair_desc *desc, struct hair *hair) {
    struct context *context = call->context;
    plait_result result = find_objects(call, desc, hair);
    if (result != PLAIT_OK) return result;
    const plait_groom_info *groom = &hair->groom->info;
    for (uint32_t b = 0; desc->bones && b < groom->bone_count; b++) {
        result = check_bone(call, "desc.bones", b, desc->bones + 12 * (size_t)b);
        if (result != PLAIT_OK) return result;
    }
    const struct solver *solver = solver_find(desc->solver);
    if (!solver) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.solver is %u, which is none", desc->solver);
    hair->params = memory_allocate(context, groom->group_count, solver->params_size);
    hair->next_params = memory_allocate(context, groom->group_count, solver->params_size);
    for (int i = 0; i < 2; i++)
        hair->rescue_skin[i] = memory_allocate(context, groom->bone_count, BONE_FLOATS * sizeof(float));
    if (!hair->params || !hair->next_params || !hair->rescue_skin[0] || !hair->rescue_skin[1] ||
        !pose_create(context, hair->groom, desc->meters_per_unit, &hair->pose))
        return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for %u strands", groom->strand_count);
    hair->info.groom = desc->groom;
    hair->info.device = desc->device;
    hair->info.body = desc->body;
    hair->info.solver = desc->solver;
    hair->info.strand_count = groom->strand_count;
    hair->info.vertex_count = groom->vertex_count;
    hair->substeps = desc->substeps;
    hair->clock.step_s = 1.0 / ((double)desc->step_rate_hz * desc->substeps);
    hair->clock.max_frame_s = desc->max_frame_s;
    hair->teleport_distance_m = (double)desc->teleport_distance * desc->meters_per_unit;
    hair->teleport_half_angle_cosine = desc->teleport_angle > 0 ? cos(0.5 * desc->teleport_angle) : -1;
    hair->solver = solver;
    result = read_params(call, hair, desc->params_count, desc->params, hair->params);
    if (result == PLAIT_OK) result = place(call, hair);
    if (result == PLAIT_OK) {
        pose_set_current(&hair->pose, desc->bones);
        result = hair_to_rest(call, hair);
    }
    if (result == PLAIT_ERROR_OUT_OF_MEMORY)
        fail(call, result, "no memory for a hair of %u strands and %u vertices", groom->strand_count,
             groom->vertex_count);
    return result;
}

static plait_result create_hair(struct call *call, const plait_hair_desc *desc_in, plait_hair *handle) {
    plait_hair_desc desc;
    plait_result result = struct_read(call, "desc", desc_in, PLAIT_TYPE_HAIR_DESC, &desc, sizeof desc, NULL, 0);
    if (result == PLAIT_OK) result = check_desc(call, &desc);
    if (result != PLAIT_OK) return result;
    struct hair *hair = memory_allocate(call->context, 1, sizeof *hair);
    if (!hair) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the hair");
    hair->object.context = call->context;
    hair->object.destroy = destroy_hair;
    result = build_hair(call, &desc, hair);
    if (result == PLAIT_OK) result = object_publish(call, &hair->object, OBJECT_HAIR, &handle->id);
    if (result != PLAIT_OK) destroy_hair(&hair->object);
    return result;
}

plait_result PLAIT_CALL plait_hair_create(plait_context context, const plait_hair_desc *desc, plait_hair *handle) {
    if (handle) handle->id = 0;
    struct call call = {.function = __func__};
    plait_result result = call_enter_context(&call, context);
    if (result != PLAIT_OK) return result;
    if (!handle)
        result = fail(&call, PLAIT_ERROR_INVALID_ARGUMENT, "hair is null");
    else
        result = create_hair(&call, desc, handle);
    call_leave(&call);
    return result;
}

plait_result PLAIT_CALL plait_hair_destroy(plait_hair handle) {
    struct call call = {.function = __func__};
    return object_retire(&call, handle.id, OBJECT_HAIR);
}
