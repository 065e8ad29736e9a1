// What a hair has on its device, and how it moves from one to another.
#include "hair.h"

#include <string.h>

// ---- data ----

static const struct data_decl hair_data[HAIR_DATA_COUNT] = {
    [HAIR_PACKS] = {.name = "packs", .per = PER_PACK, .rows = PACK_UINTS, .role = DATA_CONSTANT},
    [HAIR_STRANDS] = {.name = "strands", .role = DATA_CONSTANT},
    [HAIR_BIND] = {.name = "bind", .role = DATA_CONSTANT},
    [HAIR_BIND_BONES] = {.name = "bind bones", .role = DATA_CONSTANT},
    [HAIR_TARGETS] = {.name = "targets", .role = DATA_CONSTANT},
    [HAIR_RADII] = {.name = "radii", .role = DATA_CONSTANT},
    [HAIR_POSITIONS] = {.name = "positions", .per = PER_VERTEX, .rows = 3, .role = DATA_STATE},
    [HAIR_VELOCITIES] = {.name = "velocities", .per = PER_VERTEX, .rows = 3, .role = DATA_STATE},
    [HAIR_SNAPSHOT] = {.name = "snapshot", .per = PER_VERTEX, .rows = 3, .role = DATA_TRAIL},
    [HAIR_BONES_STEP] = {.name = "bones of the step", .role = DATA_INPUT},
    [HAIR_BONES_FRAME] = {.name = "bones of the frame", .role = DATA_INPUT},
    [HAIR_ROOTS_STEP] = {.name = "roots of the step", .per = PER_STRAND, .rows = ROOT_ROWS, .role = DATA_WORK},
    [HAIR_ROOTS_BEFORE] = {.name = "roots before", .per = PER_STRAND, .rows = ROOT_ROWS, .role = DATA_WORK},
    [HAIR_ROOTS_FRAME] = {.name = "roots of the frame", .per = PER_STRAND, .rows = ROOT_ROWS, .role = DATA_WORK},
    [HAIR_FRAME] = {.name = "frame", .per = FIXED, .rows = FRAME_FLOATS, .role = DATA_INPUT},
    [HAIR_OUTPUT_FRAME] = {.name = "output frame", .per = FIXED, .rows = FRAME_FLOATS, .role = DATA_INPUT},
    [HAIR_COLLIDERS] = {.name = "colliders", .role = DATA_INPUT},
    [HAIR_PUSHERS] = {.name = "colliders of render strands", .role = DATA_INPUT},
    [HAIR_CANDIDATES] = {.name = "candidates", .role = DATA_WORK},
    [HAIR_RESULTS] = {.name = "results", .per = PER_STRAND, .rows = RESULT_ROWS, .role = DATA_WORK},
    [HAIR_STATUS] = {.name = "status", .per = FIXED, .rows = STATUS_UINTS, .role = DATA_WATCHED},
    [HAIR_HISTORY] = {.name = "history", .role = DATA_WORK},
    [HAIR_WATCH] = {.name = "watch", .role = DATA_WORK},
    [HAIR_WATCH_FRAME] = {.name = "watch frame", .role = DATA_INPUT},
    [HAIR_MESH_BIND] = {.name = "roots on the mesh", .role = DATA_CONSTANT},
    [HAIR_MESH_CORNERS] = {.name = "corners of triangles", .role = DATA_CONSTANT},
    [HAIR_MESH_INPUT_CORNERS] = {.name = "corners of the host's triangles", .role = DATA_CONSTANT},
    [HAIR_MESH_VERTICES] = {.name = "vertices of the mesh", .role = DATA_INPUT},
    [HAIR_ROOTS_FROM] = {.name = "roots of the last frame", .role = DATA_WORK},
    [HAIR_ROOTS_TO] = {.name = "roots of this frame", .role = DATA_WORK},
};

// Roots on bones come from these again, whatever becomes of the device; those on a mesh are state.
static void list_data(struct hair *hair) {
    memcpy(hair->decls, hair_data, sizeof hair_data);
    if (!hair->groom->mesh) return;
    hair->decls[HAIR_ROOTS_STEP].role = DATA_STATE;
    hair->decls[HAIR_ROOTS_BEFORE].role = DATA_TRAIL;
    hair->decls[HAIR_ROOTS_TO] =
        (struct data_decl){.name = "roots of this frame", .per = PER_STRAND, .rows = ROOT_ROWS, .role = DATA_STATE};
}

static uint64_t data_words(const struct packing *packing, const struct data_decl *decl) {
    uint64_t rows = decl->rows;
    switch (decl->per) {
    case PER_VERTEX: return rows * packing->row_count * packing->width;
    case PER_STRAND: return rows * packing->pack_count * packing->width;
    case PER_PACK: return rows * packing->pack_count;
    case FIXED: return rows;
    }
    return 0;
}

plait_result hair_make_data(struct call *call, struct hair *hair, uint32_t set, uint32_t index, uint64_t size,
                            const void *content) {
    static const enum buffer_use uses[] = {[DATA_STATE] = USE_STATE,
                                           [DATA_INPUT] = USE_DYNAMIC,
                                           [DATA_WATCHED] = USE_WATCHED,
                                           [DATA_WORK] = USE_PLAIN,
                                           [DATA_SCRATCH] = USE_SCRATCH};
    const struct device_ops *ops = hair->on.device->ops;
    const struct data_decl *decl = &hair->on.sets[set].decls[index];
    struct buffer *buffer = &hair->on.sets[set].buffers[index], made;
    memset(&made, 0, sizeof made);
    plait_result result = PLAIT_ERROR_TOO_LARGE; // words are counted in 32 bits
    if (size / sizeof(uint32_t) <= UINT32_MAX)
        result = ops->buffer_create(hair->on.arena, size, uses[decl->role], &made);
    if (result == PLAIT_OK && content) result = ops->buffer_write(&made, 0, content, size);
    if (result != PLAIT_OK) {
        ops->buffer_destroy(&made);
        if (result == PLAIT_ERROR_TOO_LARGE)
            return fail(call, result, "device %s cannot address the %s of %u vertices", hair->on.device->info.name,
                        decl->name, hair->info.vertex_count);
        return fail(call, result, "the device has no %llu bytes for the %s", (unsigned long long)size, decl->name);
    }
    ops->buffer_destroy(buffer);
    *buffer = made;
    uint32_t bytes = decl->rows * hair->on.packing.width * (uint32_t)sizeof(uint32_t);
    buffer->row_bytes = decl->per == PER_VERTEX ? bytes : 0;
    buffer->pack_bytes = decl->per == PER_STRAND ? bytes : 0;
    return PLAIT_OK;
}

void hair_free_set(struct hair *hair, uint32_t which) {
    struct data_set *set = &hair->on.sets[which];
    for (uint32_t i = 0; i < set->count; i++) hair->on.device->ops->buffer_destroy(&set->buffers[i]);
    memory_release(hair->object.context, set->buffers);
    *set = (struct data_set){0};
}

// Everything in a list whose size is known from it.
static plait_result make_set(struct call *call, struct hair *hair, uint32_t which, const struct data_decl *decls,
                             uint32_t count) {
    struct data_set *set = &hair->on.sets[which];
    set->decls = decls;
    set->buffers = memory_allocate(call->context, count ? count : 1, sizeof *set->buffers);
    if (!set->buffers) return PLAIT_ERROR_OUT_OF_MEMORY;
    set->count = count;
    plait_result result = PLAIT_OK;
    for (uint32_t i = 0; i < count && result == PLAIT_OK; i++)
        if (decls[i].rows)
            result =
                hair_make_data(call, hair, which, i, data_words(&hair->on.packing, &decls[i]) * sizeof(uint32_t), NULL);
    return result;
}

void hair_write(struct hair *hair, enum hair_data which, const void *data, uint64_t size) {
    hair->on.device->ops->buffer_write(&hair->on.buffers[which], 0, data, size);
}

// ---- data with content, or of other sizes ----

static plait_result fill_results(struct call *call, struct hair *hair) {
    struct buffer *results = &hair->on.buffers[HAIR_RESULTS];
    size_t count = results->size / sizeof(float);
    float *ones = memory_allocate(call->context, count, sizeof(float));
    if (!ones) return PLAIT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) ones[i] = 1;
    plait_result result = hair->on.device->ops->buffer_write(results, 0, ones, results->size);
    memory_release(call->context, ones);
    return result;
}

plait_result hair_make_colliders(struct call *call, struct hair *hair, const struct body *body) {
    uint64_t count = body && body->collider_count ? body->collider_count : 1;
    uint64_t strands = (uint64_t)hair->on.packing.pack_count * hair->on.packing.width;
    uint64_t lists = (uint64_t)hair->on.packing.pack_count * hair->on.device->lists_per_pack;
    uint64_t words = CONTACT_LIST_WORDS + (hair->on.device->lists_per_pack == 1 ? CONTACT_TABLE_WORDS : 0);
    if (lists == 0) lists = 1;
    if (2 * count * strands > UINT32_MAX || lists * words * count > UINT32_MAX)
        return fail(call, PLAIT_ERROR_TOO_LARGE, "%llu colliders for %llu strands", (unsigned long long)count,
                    (unsigned long long)strands);
    float *values = memory_allocate(call->context, count, COLLIDER_FLOATS * sizeof(float));
    struct pushers pushers = {.values = memory_allocate(call->context, 2 * count, COLLIDER_FLOATS * sizeof(float)),
                              .off = memory_allocate(call->context, count, sizeof(bool)),
                              .capacity = (uint32_t)count};
    plait_result result = values && pushers.values && pushers.off ? PLAIT_OK : PLAIT_ERROR_OUT_OF_MEMORY;
    if (result != PLAIT_OK) fail(call, result, "no memory for %llu colliders", (unsigned long long)count);
    if (result == PLAIT_OK)
        result = hair_make_data(call, hair, SET_HAIR, HAIR_PUSHERS, 2 * count * COLLIDER_FLOATS * sizeof(float), NULL);
    if (result == PLAIT_OK)
        result = hair_make_data(call, hair, SET_HAIR, HAIR_COLLIDERS, count * COLLIDER_FLOATS * sizeof(float), NULL);
    if (result == PLAIT_OK)
        result = hair_make_data(call, hair, SET_HAIR, HAIR_CANDIDATES, lists * words * count * sizeof(uint32_t), NULL);
    if (result != PLAIT_OK) {
        memory_release(call->context, values);
        memory_release(call->context, pushers.values);
        memory_release(call->context, pushers.off);
        return result;
    }
    memory_release(call->context, hair->collider_values);
    memory_release(call->context, hair->pushers.values);
    memory_release(call->context, hair->pushers.off);
    hair->collider_values = values;
    hair->pushers = pushers;
    return PLAIT_OK;
}

static plait_result make_own(struct call *call, struct hair *hair) {
    uint64_t bones = (uint64_t)hair->pose.bone_count * BONE_FLOATS * sizeof(float);
    list_data(hair);
    plait_result result = make_set(call, hair, SET_HAIR, hair->decls, HAIR_DATA_COUNT);
    hair->on.buffers = hair->on.sets[SET_HAIR].buffers;
    if (result == PLAIT_OK) result = hair_pack_asset(call, hair);
    if (result == PLAIT_OK) result = fill_results(call, hair);
    if (result == PLAIT_OK)
        result = hair->on.device->ops->buffer_write(&hair->on.buffers[HAIR_PACKS], 0, hair->on.packing.table,
                                                    hair->on.buffers[HAIR_PACKS].size);
    if (result == PLAIT_OK) result = hair_make_data(call, hair, SET_HAIR, HAIR_BONES_STEP, bones, NULL);
    if (result == PLAIT_OK) result = hair_make_data(call, hair, SET_HAIR, HAIR_BONES_FRAME, bones, NULL);
    if (result == PLAIT_OK) result = hair_make_colliders(call, hair, hair->body);
    if (result == PLAIT_OK && hair->watched) result = hair_make_watch(call, hair);
    return result;
}

plait_result hair_make_coupled(struct call *call, struct hair *hair, uint32_t i) {
    const struct coupling *coupling = hair->couplings[i].coupling;
    plait_result result = make_set(call, hair, SET_COUPLINGS + i, coupling->decls, coupling->decl_count);
    if (result == PLAIT_OK && coupling->create) result = coupling->create(call, hair, i);
    return result;
}

// ---- device ----

plait_result hair_place(struct call *call, struct hair *hair) {
    struct placement *on = &hair->on;
    on->draft = memory_allocate(call->context, 1, sizeof *on->draft);
    uint32_t width = hair->solver->narrow ? on->device->narrow_width : 0;
    if (!on->draft || !packing_create(call->context, hair->groom, width ? width : on->device->pack_width, &on->packing))
        return PLAIT_ERROR_OUT_OF_MEMORY;
    // The steps of the longest frame, and what comes before and after them (a carry or a shift, not both).
    uint32_t frame_runs =
        (uint32_t)(hair->clock.max_frame_s / hair->clock.step_s) + 7 + hair->watched + (hair->groom->mesh != NULL);
    struct arena *beside = on->common ? on->common->arena : NULL;
    plait_result result = on->device->ops->arena_create(on->device, frame_runs, beside, &on->arena);
    if (result == PLAIT_OK) result = make_own(call, hair);
    if (result == PLAIT_OK) result = make_set(call, hair, SET_SOLVER, hair->solver->decls, hair->solver->decl_count);
    if (result == PLAIT_OK) result = hair->solver->create(call, hair);
    for (uint32_t i = 0; i < hair->coupling_count && result == PLAIT_OK; i++) result = hair_make_coupled(call, hair, i);
    if (result == PLAIT_OK) result = hair_make_plans(call, hair);
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
    for (uint32_t i = 0; i < hair->coupling_count; i++)
        if (hair->couplings[i].coupling->destroy) hair->couplings[i].coupling->destroy(hair, i);
    for (uint32_t s = 0; s < MAX_SETS; s++) hair_free_set(hair, s);
    if (on->arena) ops->arena_destroy(on->arena);
    packing_destroy(hair->object.context, &on->packing);
    memory_release(hair->object.context, on->draft);
    if (on->common) common_release(on->common);
    object_drop(&on->device->object);
    memset(on, 0, sizeof *on);
}

plait_result hair_rescue(struct call *call, struct hair *hair) {
    const struct device_ops *ops = hair->on.device->ops;
    if (!ops->rescue) return PLAIT_OK;
    uint64_t tag = hair->rescue_tag + 1;
    pose_skin_step(&hair->pose);
    memcpy(hair->rescue_skin[tag & 1], hair->pose.skin, hair->on.buffers[HAIR_BONES_STEP].size);
    plait_result result = ops->rescue(hair->on.arena, tag);
    if (result != PLAIT_OK) return fail(call, result, "the device failed: %s", plait_result_text(result));
    hair->rescue_tag = tag;
    memcpy(hair->rescue_origin[tag & 1], hair->pose.origin, sizeof hair->pose.origin);
    return PLAIT_OK;
}

static plait_result run_at(struct call *call, struct hair *hair, enum hair_data bones, const float *skin,
                           enum hair_plan plan) {
    hair_write(hair, bones, skin, hair->on.buffers[bones].size);
    return hair_run(call, hair, plan);
}

// What is relative to an origin of before becomes relative to that of now.
static plait_result follow_since(struct call *call, struct hair *hair, const double origin[3]) {
    float values[FRAME_FLOATS] = {0};
    for (int c = 0; c < 3; c++) values[FRAME_SHIFT + c] = (float)(hair->pose.origin[c] - origin[c]);
    hair_write(hair, HAIR_FRAME, values, sizeof values);
    return hair_run(call, hair, PLAN_SHIFT);
}

// What was rescued from a lost device, carried along with the roots since then; at rest if it was nothing.
static plait_result recover(struct call *call, struct hair *hair, uint64_t tag) {
    plait_result result = PLAIT_OK;
    if (hair->groom->mesh) { // the roots of then are state
        hair->mesh.is_input = false;
        if (hair->mesh.is_known)
            result = hair_mesh_run(call, hair);
        else if (tag)
            result = follow_since(call, hair, hair->rescue_origin[tag & 1]);
        hair->mesh.step_is_current = true;
    } else if (tag) {
        result = run_at(call, hair, HAIR_BONES_STEP, hair->rescue_skin[tag & 1], PLAN_ROOTS);
    }
    pose_skin_step(&hair->pose);
    if (tag) {
        if (result == PLAIT_OK) result = run_at(call, hair, HAIR_BONES_FRAME, hair->pose.skin, PLAN_CARRY);
    } else if (result == PLAIT_OK) {
        result = run_at(call, hair, HAIR_BONES_STEP, hair->pose.skin, PLAN_REST);
    }
    hair->snapshot_valid = false;
    message(call->context, PLAIT_LOG_WARNING, PLAIT_MESSAGE_STATE_RESCUED,
            tag ? "%s: the device was lost, strands go on from the last state that was saved"
                : "%s: the device was lost before any state was saved, strands are at rest",
            call->function);
    return result;
}

// The root stage remembers what it found: first the step before, then the last one. Roots on a mesh are state.
plait_result hair_replay_roots(struct call *call, struct hair *hair) {
    if (hair->groom->mesh) return PLAIT_OK;
    pose_skin_before(&hair->pose);
    plait_result result = run_at(call, hair, HAIR_BONES_STEP, hair->pose.skin, PLAN_ROOTS);
    pose_skin_step(&hair->pose);
    return result == PLAIT_OK ? run_at(call, hair, HAIR_BONES_STEP, hair->pose.skin, PLAN_ROOTS) : result;
}

// State from where the hair was to where it is, and the roots of the last two steps.
static plait_result transfer(struct call *call, struct hair *hair, struct placement *from) {
    uint64_t tag = 0, most = 1;
    from->device->ops->wait(from->arena, UINT64_MAX); // so that a loss is known
    bool lost = from->device->ops->lost && from->device->ops->lost(from->arena, &tag);
    for (uint32_t s = 0; s < MAX_SETS; s++)
        for (uint32_t i = 0; i < from->sets[s].count; i++)
            if (data_host_bytes(hair, &from->sets[s].decls[i]) > most)
                most = data_host_bytes(hair, &from->sets[s].decls[i]);
    unsigned char *host = memory_allocate(call->context, 1, most);
    if (!host) return PLAIT_ERROR_OUT_OF_MEMORY;
    plait_result result = PLAIT_OK;
    for (uint32_t s = 0; s < MAX_SETS; s++)
        for (uint32_t i = 0; i < from->sets[s].count && result == PLAIT_OK; i++) {
            enum data_role role = from->sets[s].decls[i].role;
            bool rescued = role == DATA_STATE && tag;
            if ((role != DATA_STATE && role != DATA_TRAIL) || (lost && !rescued)) continue;
            result = hair_copy_data(hair, from, s, i, host, false);
            if (result == PLAIT_OK) result = hair_copy_data(hair, &hair->on, s, i, host, true);
        }
    memory_release(call->context, host);
    if (lost && result == PLAIT_OK) result = recover(call, hair, tag);
    if (result == PLAIT_OK) result = hair_rescue(call, hair); // before what is waited for
    return result == PLAIT_OK ? hair_replay_roots(call, hair) : result;
}

// What an output has on the hair's device, to be put back if a move fails.
struct output_place {
    struct output *output;
    struct shared_memory *shared;
    struct buffer memory;
};

static void keep_output(struct output_place *kept, struct output *output, bool elsewhere) {
    *kept = (struct output_place){output, output->shared, output->memory};
    if (elsewhere) output->shared = NULL;
}

static plait_result take_output_along(struct call *call, struct hair *hair, const struct output_place *kept) {
    return kept->shared && !kept->output->shared ? hair_share_output(call, hair, kept->output) : PLAIT_OK;
}

static void put_output_back(const struct output_place *kept) {
    struct shared_memory *made = kept->output->shared;
    if (made && made != kept->shared) made->device->ops->memory_destroy(made);
    kept->output->shared = kept->shared;
    kept->output->memory = kept->memory;
}

plait_result hair_move(struct call *call, struct hair *hair, struct device *device, struct common *common) {
    struct placement old = hair->on;
    struct output_place outputs[3];
    bool history_valid = hair->history_valid, rows_valid = hair->rows_valid, elsewhere = device != old.device;
    memset(&hair->on, 0, sizeof hair->on);
    object_keep(&device->object);
    if (common) object_keep(&common->object);
    hair->on.device = device;
    hair->on.common = common;
    keep_output(&outputs[0], &hair->output, elsewhere);
    keep_output(&outputs[1], &hair->render_output, elsewhere);
    keep_output(&outputs[2], &hair->mesh_input, elsewhere);
    plait_result result = hair_place(call, hair);
    if (result == PLAIT_OK) result = transfer(call, hair, &old);
    for (int i = 0; i < 3 && result == PLAIT_OK; i++) result = take_output_along(call, hair, &outputs[i]);
    if (result == PLAIT_OK) result = hair_plan_output(call, hair);
    if (result == PLAIT_OK) result = hair_wait(call, hair, UINT64_MAX);
    if (result != PLAIT_OK) {
        hair_unplace(hair);
        for (int i = 0; i < 3; i++) put_output_back(&outputs[i]);
        hair->on = old;
        hair->history_valid = history_valid;
        hair->rows_valid = rows_valid;
        return fail(call, result, "the hair stays where it was");
    }
    struct placement next = hair->on;
    hair->on = old;
    old.device->ops->wait(old.arena, UINT64_MAX);
    for (int i = 0; i < 3; i++)
        if (outputs[i].shared && elsewhere) outputs[i].shared->device->ops->memory_destroy(outputs[i].shared);
    hair_unplace(hair);
    hair->on = next;
    hair->history_valid = false;
    hair->rows_valid = false;
    hair->styles_stale = true;
    memset(hair->counters_seen, 0, sizeof hair->counters_seen);
    hair->params_stale = false;
    hair_watch_anew(hair);
    return PLAIT_OK;
}

// Whether its device is lost, with all that it shares there.
static bool is_lost(const struct hair *hair) {
    const struct device_ops *ops = hair->on.device->ops;
    uint64_t tag;
    ops->wait(hair->on.arena, UINT64_MAX); // so that a loss is known
    return ops->lost && ops->lost(hair->on.arena, &tag);
}

static plait_result check_target(struct call *call, const struct hair *hair, const struct device *target) {
    if (hair->on.common && !is_lost(hair))
        return fail(call, PLAIT_ERROR_UNSUPPORTED, "the hair shares data with others on device %s and cannot leave it",
                    hair->on.device->info.name);
    const struct output *outputs[] = {&hair->output, &hair->render_output, &hair->mesh_input};
    static const char *const names[] = {"output", "render output", "mesh input"};
    for (size_t i = 0; i < ARRAY_LENGTH(outputs); i++) {
        const char *which = names[i];
        if (outputs[i]->memory.native_device && target->native != outputs[i]->memory.native_device)
            return fail(call, PLAIT_ERROR_UNSUPPORTED,
                        "the %s is a buffer of the host's device, which the new device cannot reach", which);
        if (target->max_output_bytes && outputs[i]->extent > target->max_output_bytes)
            return fail(call, PLAIT_ERROR_TOO_LARGE, "the %s reaches over more bytes than device %s can write", which,
                        target->info.name);
    }
    return PLAIT_OK;
}

static plait_result set_device(struct call *call, struct hair *hair, plait_device handle) {
    struct object *object = NULL;
    plait_result result = object_find(call, "device", handle.id, OBJECT_DEVICE, &object);
    if (result != PLAIT_OK) return result;
    struct device *target = (struct device *)object;
    if (target != hair->on.device) {
        result = check_target(call, hair, target);
        if (result == PLAIT_OK) result = hair_move(call, hair, target, NULL);
        if (result == PLAIT_OK) hair->info.device = handle;
    }
    object_drop(object);
    return result;
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
