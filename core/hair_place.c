// What a hair has on its device, and how it moves from one to another.
#include "hair.h"

#include <string.h>

// ---- buffers and plans ----

// Written before every step or frame.
static bool is_dynamic(enum hair_buffer which) {
    return which == BUFFER_BONES_STEP || which == BUFFER_BONES_FRAME || which == BUFFER_FRAME ||
           which == BUFFER_OUTPUT_FRAME || which == BUFFER_COLLIDERS;
}

plait_result hair_buffer(struct call *call, struct hair *hair, enum hair_buffer which, uint64_t size,
                         const void *data) {
    const struct device_ops *ops = hair->on.device->ops;
    enum buffer_use use = USE_PLAIN;
    if (which == BUFFER_STATUS) use = USE_WATCHED;
    if (which == BUFFER_POSITIONS || which == BUFFER_VELOCITIES || which == BUFFER_SPIN) use = USE_STATE;
    if (is_dynamic(which)) use = USE_DYNAMIC;
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

struct stage_list *hair_draft_plan(struct hair *hair) {
    struct plan_draft *draft = hair->on.draft;
    draft->list = (struct stage_list){.stages = draft->stages, .capacity = PLAN_MAX_STAGES};
    return &draft->list;
}

plait_result hair_set_plan(struct call *call, struct hair *hair, enum hair_plan which) {
    struct plan_draft *draft = hair->on.draft;
    struct hair_plan_info *plan = &hair->on.plans[which];
    struct schedule schedule;
    uint32_t count = draft->list.count;
    plait_result result = PLAIT_ERROR_TOO_LARGE; // or a mistake of ours
    if (schedule_make(&draft->list, draft->phases, &schedule))
        result = hair->on.device->ops->plan_set(plan->plan, &schedule);
    if (result != PLAIT_OK) return fail(call, result, "the device could not take a plan of %u stages", count);
    plan->stage_count = count;
    for (uint32_t i = 0; i < count; i++) plan->kernels[i] = (uint8_t)draft->stages[i].kernel;
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
    return (struct stage){
        .kernel = KERNEL_roots,
        .buffers.roots = {.bind = &b[BUFFER_BIND],
                          .bone_indices = &b[BUFFER_BIND_BONES],
                          .bones = &b[bones],
                          .frames = &b[roots],
                          .before = &b[BUFFER_ROOTS_BEFORE]},
        .values.roots = {.influences = hair->groom->influences, .remember = roots == BUFFER_ROOTS_STEP}};
}

static void step_stages(struct hair *hair, struct stage_list *list) {
    stage_add(list, hair_roots_stage(hair, BUFFER_BONES_STEP, BUFFER_ROOTS_STEP));
    hair->solver->stages(hair, list);
}

plait_result hair_make_step_plan(struct call *call, struct hair *hair) {
    step_stages(hair, hair_draft_plan(hair));
    return hair_set_plan(call, hair, PLAN_STEP);
}

static void rest_stages(struct hair *hair, struct stage_list *list) {
    struct buffer *b = hair->on.buffers;
    stage_add(list, hair_roots_stage(hair, BUFFER_BONES_STEP, BUFFER_ROOTS_STEP));
    stage_add(list, (struct stage){.kernel = KERNEL_rest,
                                   .buffers.rest = {.packs = &b[BUFFER_PACKS],
                                                    .positions = &b[BUFFER_POSITIONS],
                                                    .velocities = &b[BUFFER_VELOCITIES],
                                                    .targets = &b[BUFFER_TARGETS],
                                                    .roots = &b[BUFFER_ROOTS_STEP]}});
    if (hair->solver->rest_stages) hair->solver->rest_stages(hair, list);
}

static void carry_stages(struct hair *hair, struct stage_list *list) {
    struct buffer *b = hair->on.buffers;
    stage_add(list, hair_roots_stage(hair, BUFFER_BONES_FRAME, BUFFER_ROOTS_FRAME));
    stage_add(list, (struct stage){.kernel = KERNEL_carry,
                                   .buffers.carry = {.packs = &b[BUFFER_PACKS],
                                                     .positions = &b[BUFFER_POSITIONS],
                                                     .velocities = &b[BUFFER_VELOCITIES],
                                                     .from = &b[BUFFER_ROOTS_STEP],
                                                     .to = &b[BUFFER_ROOTS_FRAME]}});
}

static void snapshot_stages(struct hair *hair, struct stage_list *list) {
    struct buffer *b = hair->on.buffers;
    stage_add(list, (struct stage){.kernel = KERNEL_snapshot,
                                   .buffers.snapshot = {.packs = &b[BUFFER_PACKS],
                                                        .positions = &b[BUFFER_POSITIONS],
                                                        .copy = &b[BUFFER_SNAPSHOT]}});
}

static void roots_stages(struct hair *hair, struct stage_list *list) {
    stage_add(list, hair_roots_stage(hair, BUFFER_BONES_STEP, BUFFER_ROOTS_STEP));
}

static plait_result make_plans(struct call *call, struct hair *hair) {
    static const struct {
        enum hair_plan plan;
        void (*stages)(struct hair *, struct stage_list *);
    } plans[PLAN_COUNT] = {{PLAN_STEP, step_stages},   {PLAN_SNAPSHOT, snapshot_stages}, {PLAN_REST, rest_stages},
                           {PLAN_CARRY, carry_stages}, {PLAN_ROOTS, roots_stages},       {PLAN_OUTPUT, NULL},
                           {PLAN_READ, NULL}}; // null: made when there is something to write
    struct placement *on = &hair->on;
    struct plan_size size = {on->packing.pack_count, on->packing.width,
                             (uint64_t)on->packing.row_count * on->packing.width};
    plait_result result = PLAIT_OK;
    for (size_t i = 0; i < ARRAY_LENGTH(plans) && result == PLAIT_OK; i++) {
        struct stage_list *list = hair_draft_plan(hair);
        struct plan **plan = &on->plans[plans[i].plan].plan;
        if (plans[i].stages) plans[i].stages(hair, list);
        result = on->device->ops->plan_create(on->arena, plans[i].stages ? list->count : 1 + MAX_OUTPUTS, &size, plan);
        if (result == PLAIT_OK && plans[i].stages) result = hair_set_plan(call, hair, plans[i].plan);
    }
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

plait_result hair_make_colliders(struct call *call, struct hair *hair, const struct body *body) {
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
    if (result == PLAIT_OK) result = hair_make_colliders(call, hair, hair->body);
    return result;
}

// ---- device ----

plait_result hair_place(struct call *call, struct hair *hair) {
    struct placement *on = &hair->on;
    on->draft = memory_allocate(call->context, 1, sizeof *on->draft);
    if (!on->draft || !packing_create(call->context, hair->groom, on->device->pack_width, &on->packing))
        return PLAIT_ERROR_OUT_OF_MEMORY;
    // The steps of the longest frame, and what comes before and after them.
    uint32_t frame_runs = (uint32_t)(hair->clock.max_frame_s / hair->clock.step_s) + 5;
    plait_result result = on->device->ops->arena_create(on->device, frame_runs, &on->arena);
    if (result == PLAIT_OK) result = make_buffers(call, hair);
    if (result == PLAIT_OK) result = hair->solver->create(call, hair);
    if (result == PLAIT_OK) result = make_plans(call, hair);
    return result;
}

void hair_unplace(struct hair *hair) {
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
    memory_release(hair->object.context, on->draft);
    object_drop(&on->device->object);
    memset(on, 0, sizeof *on);
}

plait_result hair_rescue(struct call *call, struct hair *hair) {
    const struct device_ops *ops = hair->on.device->ops;
    if (!ops->rescue) return PLAIT_OK;
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

// The root stage remembers what it found: first the step before, then the last one.
plait_result hair_replay_roots(struct call *call, struct hair *hair) {
    pose_skin_before(&hair->pose);
    plait_result result = run_at(call, hair, BUFFER_BONES_STEP, hair->pose.skin, PLAN_ROOTS);
    pose_skin_step(&hair->pose);
    return result == PLAIT_OK ? run_at(call, hair, BUFFER_BONES_STEP, hair->pose.skin, PLAN_ROOTS) : result;
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
    if (result == PLAIT_OK) result = hair_rescue(call, hair); // before what is waited for
    return result == PLAIT_OK ? hair_replay_roots(call, hair) : result;
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
    result = hair_place(call, hair);
    if (result == PLAIT_OK) result = transfer(call, hair, &old);
    if (result == PLAIT_OK && old_shared) result = hair_share_output(call, hair, &hair->output);
    if (result == PLAIT_OK) result = hair_plan_output(call, hair);
    if (result == PLAIT_OK) result = hair_wait(call, hair, UINT64_MAX);
    if (result != PLAIT_OK) {
        struct shared_memory *made = hair->output.shared;
        hair_unplace(hair);
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
    hair_unplace(hair);
    hair->on = next;
    hair->info.device = handle;
    hair->history_valid = false;
    hair->nonfinite_seen = 0;
    hair->params_stale = false;
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
