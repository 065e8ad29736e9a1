// Making and unmaking a hair, its parameters and its body.
#include "hair.h"
#include "bone.h"
#include "couplings/render/render.h"
#include "sine.h"
#include "structs.h"

#include <math.h>
#include <string.h>

plait_result hair_enter(struct call *call, plait_hair handle, struct hair **hair) {
    struct object *object = NULL;
    plait_result result = call_enter(call, handle.id, OBJECT_HAIR, true, &object);
    *hair = (struct hair *)object;
    return result;
}

void hair_leave(struct call *call, struct hair *hair) { call_leave_object(call, &hair->object, true); }

bool hair_uses_bone(const struct hair *hair, uint32_t bone) {
    const struct body *body = hair->body;
    return hair->pose.bones[bone].bound || (body && bone < body->bone_count && body->has_collider[bone]);
}

plait_result hair_check_bones(const struct call *call, const char *what, const struct hair *hair, const float *bones) {
    for (uint32_t b = 0; bones && b < hair->pose.bone_count; b++) {
        if (!hair_uses_bone(hair, b)) continue;
        plait_result result = check_bone(call, what, b, bones + 12 * (size_t)b);
        if (result != PLAIT_OK) return result;
    }
    return PLAIT_OK;
}

// ---- parameters ----

#define METERS_PER_UNIT_RANGE 1e-6f, 1e6f, 1 // low, high, what zero means

plait_result solver_default_params(const struct solver *solver, const char *function, float meters_per_unit,
                                   void *params, void *values) {
    static const struct float_range range = {"meters_per_unit", 0, METERS_PER_UNIT_RANGE};
    struct call call = {.function = function}; // no context: nobody hears its messages
    plait_result result = struct_check_info(&call, "params", params, solver->params_type);
    uint64_t float_state = float_state_enter();
    if (result == PLAIT_OK) result = struct_check_floats(&call, "", NOT_IN_ARRAY, &meters_per_unit, &range, 1);
    if (result == PLAIT_OK) {
        solver->default_params(values, meters_per_unit);
        struct_write(params, values, solver->params_size);
    }
    float_state_leave(float_state);
    return result;
}

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
                solver->default_params(target, hair->pose.meters_per_unit);
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
        hair->params_stale = result != PLAIT_OK; // the next step brings the old ones back, or does not happen
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
    struct buffer colliders, candidates, pushers_there;
    float *values;
    struct pushers pushers;
    struct body *body;
};

static struct collider_set take_colliders(struct hair *hair) {
    struct collider_set set = {hair->on.buffers[HAIR_COLLIDERS],
                               hair->on.buffers[HAIR_CANDIDATES],
                               hair->on.buffers[HAIR_PUSHERS],
                               hair->collider_values,
                               hair->pushers,
                               hair->body};
    memset(&hair->on.buffers[HAIR_COLLIDERS], 0, sizeof(struct buffer));
    memset(&hair->on.buffers[HAIR_CANDIDATES], 0, sizeof(struct buffer));
    memset(&hair->on.buffers[HAIR_PUSHERS], 0, sizeof(struct buffer));
    memset(&hair->pushers, 0, sizeof hair->pushers);
    hair->collider_values = NULL;
    return set;
}

static void free_colliders(struct hair *hair, struct collider_set *set) {
    hair->on.device->ops->buffer_destroy(&set->colliders);
    hair->on.device->ops->buffer_destroy(&set->candidates);
    hair->on.device->ops->buffer_destroy(&set->pushers_there);
    memory_release(hair->object.context, set->pushers.values);
    memory_release(hair->object.context, set->pushers.off);
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
    result = hair_make_colliders(call, hair, hair->body);
    if (result == PLAIT_OK) result = hair_make_step_plan(call, hair);
    const bool stepped = result == PLAIT_OK, renders = hair->render_output.count;
    if (stepped && renders) result = hair_plan_output(call, hair);
    if (result == PLAIT_OK) {
        hair->info.body = handle;
        pose_set_body(&hair->pose, hair->body);
        free_colliders(hair, &old);
    } else {
        struct collider_set failed = take_colliders(hair);
        hair->on.buffers[HAIR_COLLIDERS] = old.colliders;
        hair->on.buffers[HAIR_CANDIDATES] = old.candidates;
        hair->on.buffers[HAIR_PUSHERS] = old.pushers_there;
        hair->collider_values = old.values;
        hair->pushers = old.pushers;
        hair->body = old.body;
        if (stepped) { // as it was: takes no more memory
            hair_make_step_plan(call, hair);
            hair_plan_output(call, hair);
        }
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

// ---- life ----

static void destroy_hair(struct object *object) {
    struct hair *hair = (struct hair *)object;
    struct context *context = object->context;
    if (hair->on.arena) hair->on.device->ops->wait(hair->on.arena, UINT64_MAX);
    hair_free_output(&hair->output);
    hair_free_output(&hair->render_output);
    hair_free_output(&hair->mesh_input);
    memory_release(hair->object.context, hair->styles);
    memory_release(hair->object.context, hair->clumps);
    memory_release(hair->object.context, hair->pushers.values);
    memory_release(hair->object.context, hair->pushers.off);
    hair_unplace(hair);
    memory_release(context, hair->params);
    memory_release(context, hair->next_params);
    for (uint32_t i = 0; i < hair->coupling_count; i++) memory_release(context, hair->couplings[i].params);
    memory_release(context, hair->collider_values);
    memory_release(context, hair->rescue_skin[0]);
    memory_release(context, hair->rescue_skin[1]);
    pose_destroy(context, &hair->pose);
    hair_mesh_destroy(context, hair);
    if (hair->body) object_drop(&hair->body->object);
    if (hair->groom) object_drop(&hair->groom->object);
    if (hair->binding) object_drop(&hair->binding->object);
    memory_release(context, hair);
}

#define MAX_FRAME_STEPS 10000

static plait_result check_desc(struct call *call, plait_hair_desc *desc) {
    static const struct float_range ranges[] = {
        {"meters_per_unit", offsetof(plait_hair_desc, meters_per_unit), METERS_PER_UNIT_RANGE},
        {"step_rate_hz", offsetof(plait_hair_desc, step_rate_hz), 1, 10000, 60},
        {"max_frame_s", offsetof(plait_hair_desc, max_frame_s), 1e-6f, 10, 0.1f},
        FLOAT_RANGE(plait_hair_desc, teleport_distance, 0, 1e9f),
        FLOAT_RANGE(plait_hair_desc, teleport_angle, 0, 3.15f), // pi, and what a host makes of it
    };
    plait_result result = struct_check_floats(call, "desc", NOT_IN_ARRAY, desc, ranges, ARRAY_LENGTH(ranges));
    if (result != PLAIT_OK) return result;
    if (desc->flags & ~PLAIT_HAIR_WATCH_MOTION)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.flags is 0x%x, which is more than PLAIT_HAIR_xxx",
                    desc->flags);
    if (desc->reserved != 0) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.reserved is not 0");
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

// Those of the host, or more of them if the solver needs shorter steps.
static uint32_t substeps_of(const plait_hair_desc *desc, const struct solver *solver) {
    double step_s = 1.0 / ((double)desc->step_rate_hz * desc->substeps);
    double parts = solver->longest_step_s > 0 ? ceil(step_s / solver->longest_step_s * (1 - 1e-6)) : 1;
    return desc->substeps * (uint32_t)fmax(parts, 1);
}

// mesh: null for where the groom was drawn.
static plait_result build_hair(struct call *call, plait_hair_desc *desc, const plait_mesh_pose_desc *mesh,
                               struct hair *hair) {
    struct context *context = call->context;
    plait_result result = find_objects(call, desc, hair);
    if (result == PLAIT_OK) result = groom_check_unit(call, hair->groom, desc->meters_per_unit);
    if (result != PLAIT_OK) return result;
    const plait_groom_info *groom = &hair->groom->info;
    const struct solver *solver = solver_find(desc->solver);
    if (!solver)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.solver is %u, not a PLAIT_SOLVER_xxx", desc->solver);
    hair->params = memory_allocate(context, groom->group_count, solver->params_size);
    hair->next_params = memory_allocate(context, groom->group_count, solver->params_size);
    for (int i = 0; i < 2; i++)
        hair->rescue_skin[i] = memory_allocate(context, groom->bone_count, BONE_FLOATS * sizeof(float));
    if (!hair->params || !hair->next_params || !hair->rescue_skin[0] || !hair->rescue_skin[1] ||
        !pose_create(context, hair->groom, desc->meters_per_unit, &hair->pose) || !hair_mesh_create(context, hair))
        return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for %u strands", groom->strand_count);
    pose_set_body(&hair->pose, hair->body);
    result = hair_check_bones(call, "desc.bones", hair, desc->bones);
    if (result == PLAIT_OK && mesh) result = hair_mesh_read(call, "", hair, mesh);
    if (result != PLAIT_OK) return result;
    hair->info.groom = desc->groom;
    hair->info.device = desc->device;
    hair->info.body = desc->body;
    hair->info.solver = desc->solver;
    hair->info.strand_count = groom->strand_count;
    hair->info.vertex_count = groom->vertex_count;
    hair->substeps = substeps_of(desc, solver);
    hair->clock.step_s = 1.0 / ((double)desc->step_rate_hz * hair->substeps);
    hair->clock.max_frame_s = desc->max_frame_s;
    hair->teleport_distance_m = (double)desc->teleport_distance * desc->meters_per_unit;
    hair->teleport_half_angle_cosine = desc->teleport_angle > 0 ? cosine_of(0.5 * desc->teleport_angle) : -1;
    hair->watched = desc->flags & PLAIT_HAIR_WATCH_MOTION;
    hair_watch_anew(hair);
    render_default_params(&hair->render_params);
    hair->solver = solver;
    result = read_params(call, hair, desc->params_count, desc->params, hair->params);
    if (result == PLAIT_OK) result = hair_place(call, hair);
    if (result == PLAIT_OK) {
        pose_set_current(&hair->pose, desc->bones);
        hair_mesh_take(hair);
        result = hair_to_rest(call, hair);
    }
    if (result == PLAIT_ERROR_OUT_OF_MEMORY)
        fail(call, result, "no memory for a hair of %u strands and %u vertices", groom->strand_count,
             groom->vertex_count);
    return result;
}

static plait_result create_hair(struct call *call, const plait_hair_desc *desc_in, plait_hair *handle) {
    plait_hair_desc desc;
    plait_mesh_pose_desc mesh;
    struct extension extensions[] = {{PLAIT_TYPE_MESH_POSE_DESC, sizeof mesh, &mesh, false}};
    plait_result result = struct_read(call, "desc", desc_in, PLAIT_TYPE_HAIR_DESC, &desc, sizeof desc, extensions,
                                      ARRAY_LENGTH(extensions));
    if (result == PLAIT_OK) result = check_desc(call, &desc);
    if (result != PLAIT_OK) return result;
    struct hair *hair = memory_allocate(call->context, 1, sizeof *hair);
    if (!hair) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the hair");
    hair->object.context = call->context;
    hair->object.destroy = destroy_hair;
    result = build_hair(call, &desc, extensions[0].found ? &mesh : NULL, hair);
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
