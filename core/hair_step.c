// One frame: the clock, the pose at each step, the plan.
#include "hair.h"
#include "structs.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

// argument: the struct that they are in; empty: they are arguments themselves.
static plait_result check_bones(const struct call *call, const char *argument, const struct hair *hair, uint32_t count,
                                const float *bones) {
    const char *dot = *argument ? "." : "";
    if (bones && count < hair->pose.bone_count)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "%s%sbone_count is %u, the groom's skeleton has %u", argument,
                    dot, count, hair->pose.bone_count);
    if (hair_check_bones(NULL, NULL, hair, bones) == PLAIT_OK) return PLAIT_OK;
    char name[FRAME_NAME_SIZE + 16];
    snprintf(name, sizeof name, "%s%sbones", argument, dot);
    return hair_check_bones(call, name, hair, bones);
}

plait_result hair_check_frame(const struct call *call, struct hair *hair) {
    const char *name = hair->frame.name;
    plait_frame_desc *frame = &hair->frame.desc;
    static const struct float_range ranges[] = {
        FLOAT_RANGE(plait_frame_desc, dt, 0, FLT_MAX),
        FLOAT_RANGE3(plait_frame_desc, gravity, -1e9f, 1e9f),
        FLOAT_RANGE3(plait_frame_desc, wind, -1e9f, 1e9f),
    };
    plait_result result = struct_check_floats(call, name, NOT_IN_ARRAY, frame, ranges, ARRAY_LENGTH(ranges));
    if (result != PLAIT_OK) return result;
    if (frame->reserved != 0) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "%s.reserved is not 0", name);
    for (int c = 0; c < 3; c++)
        if (!is_finite_double(frame->origin[c]) || fabs(frame->origin[c]) > MAX_ORIGIN)
            return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "%s.origin[%d] is %g, not %g to %g", name, c,
                        frame->origin[c], -MAX_ORIGIN, MAX_ORIGIN);
    result = check_bones(call, name, hair, frame->bone_count, frame->bones);
    if (result == PLAIT_OK) result = hair_mesh_read(call, name, hair, hair->frame.has_mesh ? &hair->frame.mesh : NULL);
    return result;
}

// Moves the origin if the roots are far from it, and says by how much. Without new vertices roots on a mesh are where they were.
static bool follow(struct hair *hair, float moved[3]) {
    if (hair->groom->mesh && !hair->mesh.moving) return false;
    if (!pose_follow(&hair->pose, moved)) return false;
    double way[3] = {moved[0], moved[1], moved[2]};
    hair_mesh_shift(hair, way);
    return true;
}

// Keeps the origin near to the roots, and strands where they are in the world.
static plait_result follow_roots(struct call *call, struct hair *hair) {
    float values[FRAME_FLOATS] = {0};
    plait_result result = PLAIT_OK;
    if (follow(hair, values + FRAME_SHIFT)) {
        pose_skin_step(&hair->pose);
        hair_write(hair, HAIR_BONES_STEP, hair->pose.skin, hair->on.buffers[HAIR_BONES_STEP].size);
        hair_write(hair, HAIR_FRAME, values, sizeof values);
        result = hair_run(call, hair, PLAN_SHIFT);
    }
    return result == PLAIT_OK && hair->mesh.moving ? hair_mesh_run(call, hair) : result;
}

// Roots are where the frame ends, without motion in between.
static plait_result put_mesh(struct call *call, struct hair *hair) {
    plait_result result = hair->mesh.moving ? hair_mesh_run(call, hair) : PLAIT_OK;
    hair->mesh.moving = false;
    hair->mesh.step_is_current = true;
    return result;
}

// Carries strands rigidly from where the last step left them to the current pose. If the origin moves, they go from roots
// that were seen from the old one to roots that are seen from the new one, with no loss however far that is.
static plait_result carry_to_current(struct call *call, struct hair *hair) {
    float moved[3];
    follow(hair, moved);
    pose_skin_current(&hair->pose);
    hair_write(hair, HAIR_BONES_FRAME, hair->pose.skin, hair->on.buffers[HAIR_BONES_FRAME].size);
    plait_result result = put_mesh(call, hair);
    if (result == PLAIT_OK) result = hair_run(call, hair, PLAN_CARRY);
    pose_jump(&hair->pose);
    return result;
}

// Like a cut in a film: nothing moved from there to here, so nothing was elsewhere a frame ago.
static plait_result teleport(struct call *call, struct hair *hair) {
    hair->history_valid = false;
    return carry_to_current(call, hair);
}

plait_result hair_to_rest(struct call *call, struct hair *hair) {
    float moved[3];
    follow(hair, moved);
    pose_jump(&hair->pose);
    pose_skin_step(&hair->pose);
    hair_write(hair, HAIR_BONES_STEP, hair->pose.skin, hair->on.buffers[HAIR_BONES_STEP].size);
    hair->history_valid = false;
    hair->snapshot_valid = false;
    plait_result result = put_mesh(call, hair);
    return result == PLAIT_OK ? hair_run(call, hair, PLAN_REST) : result;
}

static bool is_enabled(const plait_frame_desc *frame, uint32_t collider) {
    return !frame->colliders_enabled || (collider / 32 < frame->colliders_enabled_words &&
                                         (frame->colliders_enabled[collider / 32] >> (collider % 32) & 1));
}

static uint32_t write_colliders(struct hair *hair, const plait_frame_desc *frame) {
    if (!hair->body) return 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < hair->body->collider_count; i++) {
        if (is_enabled(frame, i))
            pose_collider(&hair->pose, &hair->body->colliders[i],
                          hair->collider_values + (size_t)count++ * COLLIDER_FLOATS);
    }
    hair_write(hair, HAIR_COLLIDERS, hair->collider_values, (uint64_t)count * COLLIDER_FLOATS * sizeof(float));
    return count;
}

plait_result hair_substep(struct call *call, struct hair *hair, const plait_frame_desc *frame, double fraction) {
    if (hair->params_stale) {
        plait_result result = hair->solver->update(call, hair);
        if (result != PLAIT_OK) return result;
        hair->params_stale = false;
    }
    pose_step(&hair->pose, fraction);
    pose_skin_step(&hair->pose);
    hair_write(hair, HAIR_BONES_STEP, hair->pose.skin, hair->on.buffers[HAIR_BONES_STEP].size);
    uint32_t colliders = write_colliders(hair, frame);
    float values[FRAME_FLOATS] = {0};
    double unit = hair->pose.meters_per_unit;
    values[FRAME_STEP] = (float)hair->clock.step_s;
    values[FRAME_STEP_INVERSE] = (float)(1 / hair->clock.step_s);
    for (int c = 0; c < 3; c++) {
        values[FRAME_GRAVITY + c] = (float)(frame->gravity[c] * unit);
        values[FRAME_WIND + c] = (float)(frame->wind[c] * unit);
    }
    memcpy(&values[FRAME_COLLIDERS], &colliders, sizeof colliders);
    hair->mesh.step_is_current = !hair->mesh.moving || fraction > 1 - 1e-6;
    values[FRAME_ROOTS] = hair->mesh.step_is_current ? 1 : (float)fraction;
    hair_write(hair, HAIR_FRAME, values, sizeof values);
    hair->substep_count++;
    hair->info.step_count = hair->substep_count / hair->substeps;
    hair->info.time_s += hair->clock.step_s;
    return hair_run(call, hair, PLAN_STEP);
}

// Vertices may be without hair-hair forces for long: told again when there are twice as many.
static void report_homeless(struct hair *hair) {
    if (hair->counters[STATUS_HOMELESS] < 2 * hair->homeless_told + 1) return;
    hair->homeless_told = hair->counters[STATUS_HOMELESS];
    message(
        hair->object.context, PLAIT_LOG_WARNING, PLAIT_MESSAGE_VOLUME_FULL,
        "vertices went without hair-hair forces %llu times so far: the grid has no more blocks, or they are too far "
        "apart",
        (unsigned long long)hair->homeless_told);
}

static void hair_count(struct hair *hair) {
    uint32_t seen[STATUS_COUNTERS] = {0};
    hair->on.device->ops->buffer_peek(&hair->on.buffers[HAIR_STATUS], 0, seen, sizeof seen);
    for (uint32_t i = 0; i < STATUS_COUNTERS; i++) {
        hair->counters[i] += seen[i] - hair->counters_seen[i];
        hair->counters_seen[i] = seen[i];
    }
}

static void report_counters(struct hair *hair) {
    uint64_t nonfinite = hair->counters[STATUS_NONFINITE] - hair->nonfinite_told;
    if (nonfinite)
        message(hair->object.context, PLAIT_LOG_WARNING, PLAIT_MESSAGE_STRANDS_RESET,
                "%llu strands were not finite and went back to their rest shape", (unsigned long long)nonfinite);
    hair->nonfinite_told = hair->counters[STATUS_NONFINITE];
    report_homeless(hair);
}

void hair_read_counters(struct hair *hair) {
    hair_count(hair);
    report_counters(hair);
}

// A host whose frames are whole steps sees each step as it is made. Any other sees the strands a step late, blended
// between the last two: without it, tips went back by 5 cm at 144 frames a second when a step caught up with a turning
// head. One change of mind a second at most, because a change is a jump by a step.
static void watch_alignment(struct hair *hair, uint32_t step_count, double dt) {
    bool aligned = step_count > 0 && hair->clock.carry_s < 1e-3 * hair->clock.step_s;
    hair->aligned_s = aligned ? fmin(hair->aligned_s + dt, MAX_ALIGNED_S) : 0;
    if (!aligned) hair->between_steps = true;
    if (hair->aligned_s > 1) hair->between_steps = false;
}

// Bones that nothing hangs on may move.
static bool is_still(const struct hair *hair) {
    for (uint32_t b = 0; b < hair->pose.bone_count; b++)
        if (pose_moved(&hair->pose, b) && hair_uses_bone(hair, b)) return false;
    return true;
}

static plait_result step_hair(struct call *call, struct hair *hair, const plait_frame_desc *frame) {
    plait_result result = PLAIT_OK;
    pose_set_host_origin(&hair->pose, frame->origin);
    bool moved = pose_set_current(&hair->pose, frame->bones);
    bool still = !moved || !hair->watched || is_still(hair);
    bool beyond = moved && pose_beyond(&hair->pose, hair->teleport_distance_m, hair->teleport_half_angle_cosine);
    struct mesh_change change = hair_mesh_take(hair);
    moved = moved || change.moved;
    still = still && !change.moved;
    beyond = (beyond || change.beyond) && frame->dt > 0;
    hair->frame.teleported = beyond;
    hair->teleport_count += beyond;
    if (beyond)
        result = teleport(call, hair);
    else if (moved && frame->dt == 0)
        result = carry_to_current(call, hair);
    else
        result = follow_roots(call, hair);
    struct frame_steps steps = clock_advance(&hair->clock, frame->dt);
    hair->frame.clamped = steps.clamped;
    hair->clamped_frame_count += steps.clamped;
    if (frame->dt > 0) watch_alignment(hair, steps.count, frame->dt);
    for (uint32_t k = 0; k < steps.count && result == PLAIT_OK; k++) {
        bool last = k + 1 == steps.count;
        if (last && (hair->between_steps || hair->watched)) result = hair_run(call, hair, PLAN_SNAPSHOT);
        if (result == PLAIT_OK) result = hair_substep(call, hair, frame, steps.first + k * steps.stride);
        if (last) hair->snapshot_valid = hair->between_steps;
    }
    if (result == PLAIT_OK && hair->watched && steps.count)
        result = hair_watch(call, hair, steps.count * hair->clock.step_s);
    if (!still) hair->still_s = 0;
    if (result == PLAIT_OK && hair->frame_count % RESCUE_FRAMES == 1) result = hair_rescue(call, hair);
    pose_end_frame(&hair->pose);
    for (uint32_t i = 0; hair->body && i < hair->body->collider_count; i++)
        hair->pushers.off[i] = !is_enabled(frame, i);
    if (steps.count) hair_count(hair);
    if (result == PLAIT_OK) result = hair_output(call, hair);
    return result;
}

plait_result hair_run_frame(struct call *call, struct hair *hair) {
    uint64_t started = now_ns();
    hair_mark_plan(hair, PLAN_STEP);
    hair_mark_plan(hair, PLAN_WATCH);
    hair_mark_plan(hair, PLAN_OUTPUT);
    hair_mark_plan(hair, PLAN_RENDER);
    hair->frame_count++;
    plait_result result = step_hair(call, hair, &hair->frame.desc);
    hair->frame_s = 1e-9 * (double)(now_ns() - started);
    return result;
}

void hair_report_frame(struct hair *hair) {
    struct hair_frame *frame = &hair->frame;
    if (frame->teleported)
        message(hair->object.context, PLAIT_LOG_DEBUG, PLAIT_MESSAGE_TELEPORTED,
                "a bone or vertex moved beyond the limit in one frame: the hair was carried along");
    if (frame->clamped)
        message(hair->object.context, PLAIT_LOG_DEBUG, PLAIT_MESSAGE_TIME_CLAMPED, "a frame of %g s was taken as %g s",
                (double)frame->desc.dt, hair->clock.max_frame_s);
    frame->teleported = frame->clamped = false;
    report_counters(hair);
}

plait_result PLAIT_CALL plait_hair_step(plait_hair handle, const plait_frame_desc *frame) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    snprintf(hair->frame.name, sizeof hair->frame.name, "frame");
    result = order_begin(&call, hair, frame);
    if (result != PLAIT_OK) {
        order_cancel(hair);
        hair_leave(&call, hair);
        return result;
    }
    order_commit(hair);
    result = hair_check_frame(&call, hair);
    plait_result waited = order_wait(&call, hair);
    if (result == PLAIT_OK) result = waited;
    if (result == PLAIT_OK) {
        result = hair_run_frame(&call, hair);
        hair_report_frame(hair);
    }
    result = order_finish(&call, hair, result);
    hair_leave(&call, hair);
    return result;
}

plait_result PLAIT_CALL plait_hair_wait(plait_hair handle, uint64_t timeout_ns) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = hair_wait(&call, hair, timeout_ns);
    hair_leave(&call, hair);
    return result;
}

static plait_result put_at_pose(struct call *call, struct hair *hair, const plait_place_desc *desc,
                                const plait_mesh_pose_desc *mesh) {
    plait_result result = check_bones(call, "", hair, desc->bone_count, desc->bones);
    if (result == PLAIT_OK) result = hair_mesh_read(call, "", hair, mesh);
    if (result != PLAIT_OK) return result;
    pose_set_current(&hair->pose, desc->bones);
    hair_mesh_take(hair);
    hair_watch_anew(hair);
    result = desc->kind == PLAIT_PLACE_RESET ? hair_to_rest(call, hair) : teleport(call, hair);
    return result == PLAIT_OK ? hair_rescue(call, hair) : result;
}

static plait_result put_at_bones(struct call *call, plait_hair handle, uint32_t kind, uint32_t bone_count,
                                 const float *bones) {
    struct hair *hair;
    plait_result result = hair_enter(call, handle, &hair);
    if (result != PLAIT_OK) return result;
    plait_place_desc desc = {.kind = kind, .bone_count = bone_count, .bones = bones};
    result = put_at_pose(call, hair, &desc, NULL);
    hair_leave(call, hair);
    return result;
}

plait_result PLAIT_CALL plait_hair_reset(plait_hair handle, uint32_t bone_count, const float *bones) {
    struct call call = {.function = __func__};
    return put_at_bones(&call, handle, PLAIT_PLACE_RESET, bone_count, bones);
}

plait_result PLAIT_CALL plait_hair_teleport(plait_hair handle, uint32_t bone_count, const float *bones) {
    struct call call = {.function = __func__};
    return put_at_bones(&call, handle, PLAIT_PLACE_TELEPORT, bone_count, bones);
}

plait_result PLAIT_CALL plait_hair_place(plait_hair handle, const plait_place_desc *desc_in) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    plait_place_desc desc;
    plait_mesh_pose_desc mesh;
    struct extension extensions[] = {{PLAIT_TYPE_MESH_POSE_DESC, sizeof mesh, &mesh, false}};
    result = struct_read(&call, "desc", desc_in, PLAIT_TYPE_PLACE_DESC, &desc, sizeof desc, extensions,
                         ARRAY_LENGTH(extensions));
    if (result == PLAIT_OK && desc.kind != PLAIT_PLACE_RESET && desc.kind != PLAIT_PLACE_TELEPORT)
        result = fail(&call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.kind is %u, not a PLAIT_PLACE_xxx", desc.kind);
    if (result == PLAIT_OK) result = put_at_pose(&call, hair, &desc, extensions[0].found ? &mesh : NULL);
    hair_leave(&call, hair);
    return result;
}
