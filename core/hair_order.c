// What a frame waits for and signals.
#include "hair.h"
#include "semaphore.h"
#include "structs.h"

#include <stdio.h>
#include <string.h>

// The host's own semaphores, as its platform describes them.
static plait_result take_platform(const struct call *call, struct hair *hair) {
    const struct device *device = hair->on.device;
    struct frame_order *order = &hair->frame.order;
    if (device->info.backend != order->platform.backend || !device->native)
        return fail(call, PLAIT_ERROR_UNSUPPORTED,
                    "%s has a %s, but the hair's device was not opened on a device of the host's", hair->frame.name,
                    order->platform.name);
    const struct buffer *output = hair->render_output.count ? &hair->render_output.memory : &hair->output.memory;
    return device->ops->take_frame(call, device, output, order->platform.copy, &order->native);
}

static plait_result find_semaphore(struct call *call, const char *frame, const char *field, plait_semaphore handle,
                                   struct semaphore **semaphore) {
    struct object *object = NULL;
    char name[FRAME_NAME_SIZE + 24];
    if (handle.id == 0) return PLAIT_OK;
    snprintf(name, sizeof name, "%s: %s", frame, field);
    plait_result result = object_find(call, name, handle.id, OBJECT_SEMAPHORE, &object);
    *semaphore = (struct semaphore *)object;
    return result;
}

// Values must grow: a wait for a signal that cannot come would never end.
static plait_result promise_signal(const struct call *call, struct hair *hair) {
    struct frame_order *order = &hair->frame.order;
    if (!order->signal) return PLAIT_OK;
    const plait_frame_sync_desc *sync = &order->sync;
    struct promise promise = {sync->signal_value, order->signal == order->wait ? sync->wait_value : 0};
    uint64_t before = 0;
    plait_result result = semaphore_promise(order->signal, call, &promise, &before);
    order->promised = result == PLAIT_OK;
    if (result == PLAIT_ERROR_INVALID_ARGUMENT)
        return fail(call, result,
                    "%s: signal_value is %llu, not more than %llu, which is reached, waited for or under way",
                    hair->frame.name, (unsigned long long)promise.value,
                    (unsigned long long)(promise.after > before ? promise.after : before));
    if (result != PLAIT_OK)
        return fail(call, result, "%s: signal_semaphore: %s", hair->frame.name, plait_result_text(result));
    return PLAIT_OK;
}

// Whether all output goes to memory of the device.
static bool writes_own_memory(const struct hair *hair) {
    const struct output *guides = &hair->output, *render = &hair->render_output;
    return (guides->count || render->count) && (!guides->count || guides->memory.native) &&
           (!render->count || render->memory.native);
}

static plait_result find_semaphores(struct call *call, struct hair *hair) {
    const struct device *device = hair->on.device;
    struct frame_order *order = &hair->frame.order;
    const char *name = hair->frame.name;
    plait_result result = find_semaphore(call, name, "wait_semaphore", order->sync.wait_semaphore, &order->wait);
    if (result == PLAIT_OK)
        result = find_semaphore(call, name, "signal_semaphore", order->sync.signal_semaphore, &order->signal);
    order->relay = !device->ops->timeline_create || !writes_own_memory(hair) ||
                   (order->wait && order->wait->device != device) || (order->signal && order->signal->device != device);
    return result == PLAIT_OK ? promise_signal(call, hair) : result;
}

static plait_result synchronise(const struct call *call, struct hair *hair) {
    struct frame_order *order = &hair->frame.order;
    if (order->wait && !order->relay) {
        order->native.wait = order->wait->timeline->native;
        order->native.wait_value = order->sync.wait_value;
    }
    if (order->signal && !order->relay) {
        order->native.signal = order->signal->timeline->native;
        order->native.signal_value = order->sync.signal_value;
    }
    if (!hair->on.device->ops->synchronise) return PLAIT_OK;
    plait_result result = hair->on.device->ops->synchronise(hair->on.arena, &order->native);
    order->synchronised = result == PLAIT_OK;
    if (result != PLAIT_OK)
        fail(call, result, "%s: signal_semaphore cannot be raised to %llu: %s", hair->frame.name,
             (unsigned long long)order->native.signal_value, plait_result_text(result));
    return result;
}

plait_result order_begin(struct call *call, struct hair *hair, const void *in) {
    struct hair_frame *frame = &hair->frame;
    struct frame_order *order = &frame->order;
    memset(order, 0, sizeof *order);
    struct extension extensions[] = {{PLAIT_TYPE_FRAME_SYNC_DESC, sizeof order->sync, &order->sync, false},
                                     {PLAIT_TYPE_MESH_POSE_DESC, sizeof frame->mesh, &frame->mesh, false}};
    plait_result result = platform_read(call, frame->name, in, PLAIT_TYPE_FRAME_DESC, &frame->desc, sizeof frame->desc,
                                        extensions, ARRAY_LENGTH(extensions), PLATFORM_FRAME, &order->platform);
    order->has_sync = extensions[0].found;
    frame->has_mesh = extensions[1].found;
    if (result != PLAIT_OK) return result;
    if (order->platform.count && order->has_sync)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "%s has both %s and plait_frame_sync_desc", frame->name,
                    order->platform.name);
    if (order->platform.count) result = take_platform(call, hair);
    if (order->has_sync) result = find_semaphores(call, hair);
    return result == PLAIT_OK ? synchronise(call, hair) : result;
}

static void end_order(struct frame_order *order, bool kept) {
    if (order->promised) semaphore_hand_over(order->signal, order->sync.signal_value, kept);
    if (order->wait) object_drop(&order->wait->object);
    if (order->signal) object_drop(&order->signal->object);
    order->wait = order->signal = NULL;
}

void order_cancel(struct hair *hair) {
    const struct frame_sync none = {0};
    if (hair->frame.order.synchronised) hair->on.device->ops->synchronise(hair->on.arena, &none);
    end_order(&hair->frame.order, false);
}

void order_commit(struct hair *hair) {
    struct frame_order *order = &hair->frame.order;
    if (!order->wait || order->relay || semaphore_note_wait(order->wait, order->sync.wait_value)) return;
    order->native.wait = 0; // its handle is being destroyed, and nothing will raise it any more
    order->native.wait_value = 0;
    hair->on.device->ops->synchronise(hair->on.arena, &order->native);
}

bool order_is_free(const struct hair *hair) {
    const struct frame_order *order = &hair->frame.order;
    uint64_t reached = 0;
    return !order->wait || (semaphore_query(order->wait, &reached) == PLAIT_OK && reached >= order->sync.wait_value);
}

plait_result order_wait(struct call *call, struct hair *hair) {
    const struct frame_order *order = &hair->frame.order;
    if (!order->relay || !order->wait) return PLAIT_OK;
    plait_result result = semaphore_wait(order->wait, order->sync.wait_value, UINT64_MAX);
    if (result != PLAIT_OK)
        fail(call, result, "%s: wait_semaphore failed: %s", hair->frame.name, plait_result_text(result));
    return result;
}

// Frames that the device raises the same semaphore for come first.
static plait_result relay_signal(struct call *call, struct hair *hair) {
    const struct frame_order *order = &hair->frame.order;
    plait_result result = hair->on.device->ops->wait(hair->on.arena, UINT64_MAX);
    uint64_t before = semaphore_promised_before(order->signal, order->sync.signal_value);
    plait_result signalled = semaphore_wait(order->signal, before, UINT64_MAX);
    if (signalled == PLAIT_OK || signalled == PLAIT_ERROR_INVALID_HANDLE)
        signalled = semaphore_signal(order->signal, order->sync.signal_value);
    if (signalled != PLAIT_OK)
        fail(call, signalled, "%s: signal_semaphore could not be raised to %llu", hair->frame.name,
             (unsigned long long)order->sync.signal_value);
    return result != PLAIT_OK ? result : signalled;
}

void order_fail(struct hair *hair) {
    struct frame_order *order = &hair->frame.order;
    const struct device_ops *ops = hair->on.device->ops;
    if (order->failed || !ops->desynchronise) return;
    order->failed = true;
    order->signalled = ops->desynchronise(hair->on.arena);
}

// A refused or failed frame signals too, so that no wait for it is endless.
plait_result order_finish(struct call *call, struct hair *hair, plait_result result) {
    struct frame_order *order = &hair->frame.order;
    if (result != PLAIT_OK) order_fail(hair);
    plait_result signalled = order->signalled;
    if (order->relay && order->signal) signalled = relay_signal(call, hair);
    end_order(order, signalled == PLAIT_OK);
    return result != PLAIT_OK ? result : signalled;
}
