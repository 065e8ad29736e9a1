// The plans of a hair: which stages a step, a carry, a rest and the like consist of.
#include "hair.h"

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

struct stage hair_roots_stage(struct hair *hair, enum hair_data bones, enum hair_data roots) {
    struct buffer *b = hair->on.buffers;
    if (hair->groom->mesh)
        return (struct stage){.kernel = KERNEL_mesh_step,
                              .buffers.mesh_step = {.from = &b[HAIR_ROOTS_FROM],
                                                    .to = &b[HAIR_ROOTS_TO],
                                                    .frame = &b[HAIR_FRAME],
                                                    .frames = &b[roots],
                                                    .before = &b[HAIR_ROOTS_BEFORE]},
                              .values.mesh_step = {.remember = roots == HAIR_ROOTS_STEP, .whole = 1}};
    return (struct stage){
        .kernel = KERNEL_roots,
        .buffers.roots = {.bind = &b[HAIR_BIND],
                          .bone_indices = &b[HAIR_BIND_BONES],
                          .bones = &b[bones],
                          .frames = &b[roots],
                          .before = &b[HAIR_ROOTS_BEFORE]},
        .values.roots = {.influences = hair->groom->influences, .remember = roots == HAIR_ROOTS_STEP}};
}

static void step_stages(struct hair *hair, struct stage_list *list) {
    struct stage roots = hair_roots_stage(hair, HAIR_BONES_STEP, HAIR_ROOTS_STEP);
    if (hair->groom->mesh) roots.values.mesh_step.whole = 0;
    stage_add(list, roots);
    for (uint32_t i = 0; i < hair->coupling_count; i++)
        if (hair->couplings[i].coupling->before_stages) hair->couplings[i].coupling->before_stages(hair, i, list);
    hair->solver->stages(hair, list);
    for (uint32_t i = 0; i < hair->coupling_count; i++)
        if (hair->couplings[i].coupling->step_stages) hair->couplings[i].coupling->step_stages(hair, i, list);
}

plait_result hair_make_step_plan(struct call *call, struct hair *hair) {
    step_stages(hair, hair_draft_plan(hair));
    return hair_set_plan(call, hair, PLAN_STEP);
}

static void rest_stages(struct hair *hair, struct stage_list *list) {
    struct buffer *b = hair->on.buffers;
    stage_add(list, hair_roots_stage(hair, HAIR_BONES_STEP, HAIR_ROOTS_STEP));
    stage_add(list, (struct stage){.kernel = KERNEL_rest,
                                   .buffers.rest = {.packs = &b[HAIR_PACKS],
                                                    .positions = &b[HAIR_POSITIONS],
                                                    .velocities = &b[HAIR_VELOCITIES],
                                                    .targets = &b[HAIR_TARGETS],
                                                    .roots = &b[HAIR_ROOTS_STEP]}});
    if (hair->solver->rest_stages) hair->solver->rest_stages(hair, list);
    for (uint32_t i = 0; i < hair->coupling_count; i++)
        if (hair->couplings[i].coupling->rest_stages) hair->couplings[i].coupling->rest_stages(hair, i, list);
}

static void carry_stages(struct hair *hair, struct stage_list *list) {
    struct buffer *b = hair->on.buffers;
    stage_add(list, hair_roots_stage(hair, HAIR_BONES_FRAME, HAIR_ROOTS_FRAME));
    for (uint32_t i = 0; i < hair->coupling_count; i++) // roots are still where they were
        if (hair->couplings[i].coupling->carry_stages) hair->couplings[i].coupling->carry_stages(hair, i, list);
    stage_add(list, (struct stage){.kernel = KERNEL_carry,
                                   .buffers.carry = {.packs = &b[HAIR_PACKS],
                                                     .positions = &b[HAIR_POSITIONS],
                                                     .velocities = &b[HAIR_VELOCITIES],
                                                     .from = &b[HAIR_ROOTS_STEP],
                                                     .to = &b[HAIR_ROOTS_FRAME]}});
}

// Roots come from the bones again, to the same bits as after a load. Those of the step before stay with the snapshot.
static void shift_stages(struct hair *hair, struct stage_list *list) {
    struct buffer *b = hair->on.buffers;
    if (hair->groom->mesh) {
        const enum hair_data moved[] = {HAIR_ROOTS_STEP, HAIR_ROOTS_TO};
        for (size_t i = 0; i < ARRAY_LENGTH(moved); i++)
            stage_add(list, (struct stage){.kernel = KERNEL_roots_shift,
                                           .buffers.roots_shift = {.frames = &b[moved[i]], .frame = &b[HAIR_FRAME]}});
    } else {
        struct stage roots = hair_roots_stage(hair, HAIR_BONES_STEP, HAIR_ROOTS_STEP);
        roots.values.roots.remember = 0;
        stage_add(list, roots);
    }
    stage_add(list,
              (struct stage){.kernel = KERNEL_shift,
                             .buffers.shift = {
                                 .packs = &b[HAIR_PACKS], .positions = &b[HAIR_POSITIONS], .frame = &b[HAIR_FRAME]}});
}

static void snapshot_stages(struct hair *hair, struct stage_list *list) {
    struct buffer *b = hair->on.buffers;
    stage_add(list,
              (struct stage){.kernel = KERNEL_snapshot,
                             .buffers.snapshot = {
                                 .packs = &b[HAIR_PACKS], .positions = &b[HAIR_POSITIONS], .copy = &b[HAIR_SNAPSHOT]}});
}

static void roots_stages(struct hair *hair, struct stage_list *list) {
    stage_add(list, hair_roots_stage(hair, HAIR_BONES_STEP, HAIR_ROOTS_STEP));
}

// As many stages as an output can have.
static void output_room(struct hair *hair, struct stage_list *list) {
    hair_frame_stages(hair, list);
    list->count += 1 + MAX_OUTPUTS; // bounds_reset comes first
}

// The same for render strands; none without a binding.
static void render_room(struct hair *hair, struct stage_list *list) {
    if (hair->binding)
        list->count += 6 + MAX_OUTPUTS; // roots, guides, rows, bounds and lengths, of two frames, come first
}

static void mesh_input_room(struct hair *hair, struct stage_list *list) { list->count += hair->groom->mesh != NULL; }
static void style_room(struct hair *hair, struct stage_list *list) {
    if (hair->binding) list->count += 1;
}

plait_result hair_make_plans(struct call *call, struct hair *hair) {
    static const struct {
        enum hair_plan plan;
        void (*stages)(struct hair *, struct stage_list *);
    } plans[PLAN_COUNT] = {
        {PLAN_STEP, step_stages},      {PLAN_SNAPSHOT, snapshot_stages},   {PLAN_REST, rest_stages},
        {PLAN_CARRY, carry_stages},    {PLAN_SHIFT, shift_stages},         {PLAN_ROOTS, roots_stages},
        {PLAN_MESH, hair_mesh_stages}, {PLAN_WATCH, hair_watch_stages},    {PLAN_OUTPUT, output_room},
        {PLAN_RENDER, render_room},    {PLAN_MESH_INPUT, mesh_input_room}, {PLAN_READ, output_room},
        {PLAN_STYLE, style_room}};
    struct placement *on = &hair->on;
    struct plan_size size = {on->packing.pack_count, on->packing.width,
                             (uint64_t)on->packing.row_count * on->packing.width, on->packing.table};
    plait_result result = PLAIT_OK;
    for (size_t i = 0; i < ARRAY_LENGTH(plans) && result == PLAIT_OK; i++) {
        struct stage_list *list = hair_draft_plan(hair);
        struct plan **plan = &on->plans[plans[i].plan].plan;
        plans[i].stages(hair, list);
        if (list->count == 0) continue;
        result = on->device->ops->plan_create(on->arena, list->count, &size, plan);
        bool later = plans[i].plan >= PLAN_OUTPUT; // when there is something to write
        if (result == PLAIT_OK && !later) result = hair_set_plan(call, hair, plans[i].plan);
    }
    return result;
}
