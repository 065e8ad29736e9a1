// One frame: the clock, the pose at each step, the plan.
#include "hair.h"
#include "semaphore.h"
#include "structs.h"

#include <float.h>
#include <string.h>

static plait_result check_bones(const struct call *call, const struct hair *hair, uint32_t count, const float *bones) {
    if (!bones) return PLAIT_OK;
    if (count < hair->pose.bone_count)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "bone_count is %u, the groom's skeleton has %u", count,
                    hair->pose.bone_count);
    return hair_check_bones(call, "bones", hair, bones);
}

static plait_result check_frame(const struct call *call, const struct hair *hair, plait_frame_desc *frame) {
    static const struct float_range ranges[] = {
        FLOAT_RANGE(plait_frame_desc, dt, 0, FLT_MAX),
        FLOAT_RANGE3(plait_frame_desc, gravity, -1e9f, 1e9f),
        FLOAT_RANGE3(plait_frame_desc, wind, -1e9f, 1e9f),
    };
    plait_result result = struct_check_floats(call, "frame", NOT_IN_ARRAY, frame, ranges, ARRAY_LENGTH(ranges));
    if (result != PLAIT_OK) return result;
    if (frame->reserved != 0) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "frame.reserved is not 0");
    for (int c = 0; c < 3; c++)
        if (!is_finite_double(frame->origin[c]) || fabs(frame->origin[c]) > MAX_ORIGIN)
            return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "frame.origin[%d] is %g, not %g to %g", c, frame->origin[c],
                        -MAX_ORIGIN, MAX_ORIGIN);
    return check_bones(call, hair, frame->bone_count, frame->bones);
}

// What orders a frame among the work of others.
struct frame_order {
    struct platform_struct platform;
    plait_frame_sync_desc sync;
    bool has_sync;
    struct semaphore *wait, *signal; // references held; or null
    bool promised;                   // to raise `signal`
    uint64_t before;                 // what others will have raised it to by then
    bool relay;                      // this thread waits and signals, because the device cannot
};

// The host's own semaphores, as its platform describes them.
static plait_result take_platform(const struct call *call, const struct hair *hair,
                                  const struct platform_struct *platform, struct frame_sync *native) {
    const struct device *device = hair->on.device;
    if (device->info.backend != platform->backend || !device->native)
        return fail(call, PLAIT_ERROR_UNSUPPORTED,
                    "frame has a %s, but the hair's device was not opened on a device of the host's", platform->name);
    const struct buffer *output = hair->render_output.count ? &hair->render_output.memory : &hair->output.memory;
    return device->ops->take_frame(call, device, output, platform->copy, native);
}

static plait_result find_semaphore(struct call *call, const char *argument, plait_semaphore handle,
                                   struct semaphore **semaphore) {
    struct object *object = NULL;
    if (handle.id == 0) return PLAIT_OK;
    plait_result result = object_find(call, argument, handle.id, OBJECT_SEMAPHORE, &object);
    *semaphore = (struct semaphore *)object;
    return result;
}

// Values must grow: a wait for a signal that cannot come would never end.
static plait_result promise_signal(const struct call *call, struct frame_order *order) {
    if (!order->signal) return PLAIT_OK;
    const plait_frame_sync_desc *sync = &order->sync;
    struct promise promise = {sync->signal_value, order->signal == order->wait ? sync->wait_value : 0};
    plait_result result = semaphore_promise(order->signal, &promise, &order->before);
    order->promised = result == PLAIT_OK;
    if (result == PLAIT_ERROR_INVALID_ARGUMENT)
        return fail(call, result,
                    "frame: signal_value is %llu, not more than %llu, which is reached, waited for or under way",
                    (unsigned long long)promise.value,
                    (unsigned long long)(promise.after > order->before ? promise.after : order->before));
    if (result != PLAIT_OK) return fail(call, result, "frame: signal_semaphore: %s", plait_result_text(result));
    return PLAIT_OK;
}

static void end_order(struct frame_order *order, bool kept) {
    if (order->promised) semaphore_hand_over(order->signal, kept);
    if (order->wait) object_drop(&order->wait->object);
    if (order->signal) object_drop(&order->signal->object);
}

// Whether all output goes to memory of the device.
static bool writes_own_memory(const struct hair *hair) {
    const struct output *guides = &hair->output, *render = &hair->render_output;
    return (guides->count || render->count) && (!guides->count || guides->memory.native) &&
           (!render->count || render->memory.native);
}

static plait_result find_semaphores(struct call *call, const struct hair *hair, struct frame_order *order) {
    const struct device *device = hair->on.device;
    plait_result result = find_semaphore(call, "wait_semaphore", order->sync.wait_semaphore, &order->wait);
    if (result == PLAIT_OK)
        result = find_semaphore(call, "signal_semaphore", order->sync.signal_semaphore, &order->signal);
    order->relay = !device->ops->timeline_create || !writes_own_memory(hair) ||
                   (order->wait && order->wait->device != device) || (order->signal && order->signal->device != device);
    return result == PLAIT_OK ? promise_signal(call, order) : result;
}

// Checks, and finds the way: by the device where it can, else by this thread. If it succeeds the frame waits and signals,
// whatever becomes of it: finish_order must follow.
static plait_result begin_order(struct call *call, struct hair *hair, struct frame_order *order) {
    struct device *device = hair->on.device;
    plait_result result = PLAIT_OK;
    if (order->platform.count && order->has_sync)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "frame has both %s and plait_frame_sync_desc",
                    order->platform.name);
    struct frame_sync native = {0};
    if (order->platform.count) result = take_platform(call, hair, &order->platform, &native);
    if (order->has_sync) result = find_semaphores(call, hair, order);
    if (result != PLAIT_OK) return result;
    if (order->wait && !order->relay) {
        semaphore_note_wait(order->wait, order->sync.wait_value);
        native.wait = order->wait->timeline->native;
        native.wait_value = order->sync.wait_value;
    }
    if (order->signal && !order->relay) {
        native.signal = order->signal->timeline->native;
        native.signal_value = order->sync.signal_value;
    }
    if (!device->ops->synchronise) return PLAIT_OK;
    result = device->ops->synchronise(hair->on.arena, &native);
    if (result != PLAIT_OK)
        fail(call, result, "frame: signal_semaphore cannot be raised to %llu: %s",
             (unsigned long long)native.signal_value, plait_result_text(result));
    return result;
}

static plait_result relay_wait(struct call *call, const struct frame_order *order) {
    if (!order->relay || !order->wait) return PLAIT_OK;
    plait_result result = semaphore_wait(order->wait, order->sync.wait_value, UINT64_MAX);
    if (result != PLAIT_OK) fail(call, result, "frame: wait_semaphore failed: %s", plait_result_text(result));
    return result;
}

// Frames that the device raises the same semaphore for come first.
static plait_result relay_signal(struct call *call, struct hair *hair, const struct frame_order *order) {
    plait_result result = hair->on.device->ops->wait(hair->on.arena, UINT64_MAX);
    plait_result signalled = semaphore_wait(order->signal, order->before, UINT64_MAX);
    if (signalled == PLAIT_OK || signalled == PLAIT_ERROR_INVALID_HANDLE)
        signalled = semaphore_signal(order->signal, order->sync.signal_value);
    if (signalled != PLAIT_OK)
        fail(call, signalled, "frame: signal_semaphore could not be raised to %llu",
             (unsigned long long)order->sync.signal_value);
    return result != PLAIT_OK ? result : signalled;
}

// After the frame. A refused or failed one signals too, so that no wait for it is endless.
static plait_result finish_order(struct call *call, struct hair *hair, struct frame_order *order, plait_result result) {
    plait_result signalled = PLAIT_OK;
    if (result != PLAIT_OK && hair->on.device->ops->desynchronise)
        signalled = hair->on.device->ops->desynchronise(hair->on.arena);
    if (order->relay && order->signal) signalled = relay_signal(call, hair, order);
    end_order(order, signalled == PLAIT_OK);
    return result != PLAIT_OK ? result : signalled;
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

void hair_read_counters(struct hair *hair) {
    uint32_t seen[STATUS_COUNTERS] = {0}, fresh[STATUS_COUNTERS];
    hair->on.device->ops->buffer_peek(&hair->on.buffers[HAIR_STATUS], 0, seen, sizeof seen);
    for (uint32_t i = 0; i < STATUS_COUNTERS; i++) {
        fresh[i] = seen[i] - hair->counters_seen[i];
        hair->counters[i] += fresh[i];
        hair->counters_seen[i] = seen[i];
    }
    if (fresh[STATUS_NONFINITE])
        message(hair->object.context, PLAIT_LOG_WARNING, PLAIT_MESSAGE_STRANDS_RESET,
                "%u strands were not finite and went back to their rest shape", fresh[STATUS_NONFINITE]);
    report_homeless(hair);
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
    if (beyond) {
        hair->teleport_count++;
        message(call->context, PLAIT_LOG_DEBUG, PLAIT_MESSAGE_TELEPORTED,
                "a bone or vertex moved beyond the limit in one frame: the hair was carried along");
    }
    if (beyond)
        result = teleport(call, hair);
    else if (moved && frame->dt == 0)
        result = carry_to_current(call, hair);
    else
        result = follow_roots(call, hair);
    struct frame_steps steps = clock_advance(&hair->clock, frame->dt);
    if (steps.clamped) {
        hair->clamped_frame_count++;
        message(call->context, PLAIT_LOG_DEBUG, PLAIT_MESSAGE_TIME_CLAMPED, "a frame of %g s was taken as %g s",
                (double)frame->dt, hair->clock.max_frame_s);
    }
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
    if (steps.count) hair_read_counters(hair);
    if (result == PLAIT_OK) result = hair_output(call, hair);
    return result;
}

plait_result PLAIT_CALL plait_hair_step(plait_hair handle, const plait_frame_desc *frame_in) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    uint64_t started = now_ns();
    plait_frame_desc frame;
    struct frame_order order = {0};
    plait_mesh_pose_desc mesh;
    struct extension extensions[] = {{PLAIT_TYPE_FRAME_SYNC_DESC, sizeof order.sync, &order.sync, false},
                                     {PLAIT_TYPE_MESH_POSE_DESC, sizeof mesh, &mesh, false}};
    result = platform_read(&call, "frame", frame_in, PLAIT_TYPE_FRAME_DESC, &frame, sizeof frame, extensions,
                           ARRAY_LENGTH(extensions), PLATFORM_FRAME, &order.platform);
    order.has_sync = extensions[0].found;
    if (result == PLAIT_OK) result = begin_order(&call, hair, &order);
    if (result != PLAIT_OK) {
        end_order(&order, false);
        hair_leave(&call, hair);
        return result;
    }
    result = check_frame(&call, hair, &frame);
    if (result == PLAIT_OK) result = hair_mesh_read(&call, hair, extensions[1].found ? &mesh : NULL);
    plait_result waited = relay_wait(&call, &order);
    if (result == PLAIT_OK) result = waited;
    if (result == PLAIT_OK) {
        hair_mark_plan(hair, PLAN_STEP);
        hair_mark_plan(hair, PLAN_WATCH);
        hair_mark_plan(hair, PLAN_OUTPUT);
        hair_mark_plan(hair, PLAN_RENDER);
        hair->frame_count++;
        result = step_hair(&call, hair, &frame);
        hair->frame_s = 1e-9 * (double)(now_ns() - started);
    }
    result = finish_order(&call, hair, &order, result);
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
    plait_result result = check_bones(call, hair, desc->bone_count, desc->bones);
    if (result == PLAIT_OK) result = hair_mesh_read(call, hair, mesh);
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
