// Frames of many hairs at once. What runs on the job system is a crew's work, hair by hair; what devices run by themselves is
// handed over together.
#include "hair.h"
#include "structs.h"

// ---- all of them, or none ----

// As "%s[%u]", which takes ten times as long: a percent of a frame of 100 strands.
static const char *name_element(char name[FRAME_NAME_SIZE], const char *array, uint32_t index) {
    char digits[10], *end = name;
    int count = 0;
    do digits[count++] = (char)('0' + index % 10);
    while (index /= 10);
    while (*array) *end++ = *array++;
    *end++ = '[';
    while (count) *end++ = digits[--count];
    *end++ = ']';
    *end = 0;
    return name;
}

static plait_result fail_busy(const struct call *call, const plait_hair *hairs, uint32_t index) {
    for (uint32_t i = 0; i < index; i++)
        if (hairs[i].id == hairs[index].id)
            return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "hairs[%u] is hairs[%u] again", index, i);
    return fail(call, PLAIT_ERROR_BUSY, "hairs[%u] is in use by another call", index);
}

static void leave_all(struct hair *first) {
    for (struct hair *hair = first, *next; hair; hair = next) {
        next = hair->frame.next;
        object_leave(&hair->object);
    }
}

// In the order of the array. On failure none is entered.
static plait_result enter_all(struct call *call, uint32_t count, const plait_hair *hairs, struct hair **first) {
    struct hair **link = first;
    plait_result result = PLAIT_OK;
    *first = NULL;
    for (uint32_t i = 0; i < count && result == PLAIT_OK; i++) {
        char name[FRAME_NAME_SIZE];
        struct object *object = NULL;
        result = object_enter(call, name_element(name, "hairs", i), hairs[i].id, OBJECT_HAIR, &object);
        if (result == PLAIT_ERROR_BUSY) result = fail_busy(call, hairs, i);
        if (result != PLAIT_OK) break;
        struct hair *hair = (struct hair *)object;
        hair->frame.call = call;
        hair->frame.index = i;
        hair->frame.next = NULL;
        *link = hair;
        link = &hair->frame.next;
    }
    if (result != PLAIT_OK) leave_all(*first);
    return result;
}

// Structs and semaphores. On failure no frame waits or signals.
static plait_result begin_all(struct call *call, struct hair *first, const plait_frame_desc *frames) {
    plait_result result = PLAIT_OK;
    struct hair *hair = first;
    for (; hair && result == PLAIT_OK; hair = hair->frame.next) {
        struct hair_frame *frame = &hair->frame;
        name_element(frame->name, "frames", frame->index);
        if (frame->index > 0) result = struct_check_element(call, "frames", frames, frame->index);
        if (result != PLAIT_OK) break; // it has not begun
        result = order_begin(call, hair, struct_element(frames, frame->index));
    }
    for (struct hair *begun = first; result != PLAIT_OK && begun != hair; begun = begun->frame.next)
        order_cancel(begun);
    return result;
}

// ---- running ----

static void run_task(struct task *task, struct crew *crew) {
    struct hair_frame *frame = (struct hair_frame *)((char *)task - offsetof(struct hair_frame, task));
    struct hair *hair = (struct hair *)((char *)frame - offsetof(struct hair, frame));
    uint64_t saved = float_state_enter();
    hair->on.arena->crew = crew;
    frame->result = hair_run_frame(frame->call, hair);
    hair->on.arena->crew = NULL;
    float_state_leave(saved);
}

// Hairs with shared data come one after the other. A device that must get parameters again may refuse them and say so.
static bool takes_crew(const struct hair *hair) {
    return hair->on.device->ops->takes_crew && !hair->on.common && !hair->params_stale;
}

// Devices that another call gathers on get the runs one by one.
static void gather(struct call *call, struct hair *hair) {
    struct device *device = hair->on.device;
    uintptr_t nobody = 0, self = (uintptr_t)call;
    hair->frame.gathered = false;
    if (!device->ops->gather || hair->on.common) return;
    if (!atomic_compare_exchange_strong(&device->gatherer, &nobody, self) && nobody != self) return;
    hair->frame.gathered = device->ops->gather(hair->on.arena) == PLAIT_OK;
}

static void hand_over(const struct call *call, const struct hair *hair) {
    struct device *device = hair->on.device;
    if (device->ops->hand_over && atomic_load(&device->gatherer) == (uintptr_t)call) device->ops->hand_over(device);
}

static void end_gathering(struct call *call, struct hair *hair) {
    struct device *device = hair->on.device;
    uintptr_t self = (uintptr_t)call;
    if (hair->frame.gathered && device->ops->gathered) {
        plait_result result = device->ops->gathered(hair->on.arena);
        if (result != PLAIT_OK && hair->frame.result == PLAIT_OK)
            hair->frame.result = fail(call, result, "the device failed: %s", plait_result_text(result));
    }
    atomic_compare_exchange_strong(&device->gatherer, &self, 0);
}

// Devices that work by themselves begin first, and do so while the crew is busy.
static void run_frames(struct call *call, struct hair *first, const struct hair *end) {
    struct task *tasks = NULL, **link = &tasks;
    for (struct hair *hair = first; hair != end; hair = hair->frame.next) gather(call, hair);
    for (struct hair *hair = first; hair != end; hair = hair->frame.next) {
        if (hair->frame.result != PLAIT_OK) continue;
        if (takes_crew(hair)) {
            hair->frame.task = (struct task){.run = run_task};
            *link = &hair->frame.task;
            link = &hair->frame.task.next;
            continue;
        }
        if (!hair->frame.gathered) hand_over(call, hair);
        hair->frame.result = hair_run_frame(call, hair);
        if (hair->frame.result != PLAIT_OK) { // its signal comes after those before it, and before those behind it
            hand_over(call, hair);
            order_fail(hair);
        }
    }
    for (struct hair *hair = first; hair != end; hair = hair->frame.next) hand_over(call, hair);
    if (tasks && tasks->next)
        crew_run(call->context, tasks);
    else if (tasks)
        tasks->run(tasks, NULL); // nobody to help: its chunks go to the job system
    for (struct hair *hair = first; hair != end; hair = hair->frame.next) end_gathering(call, hair);
}

// Frames first to end - 1, and what they signal. Returns the first failure, or the one given.
static plait_result run_part(struct call *call, struct hair *first, const struct hair *end, plait_result result) {
    if (first != end) run_frames(call, first, end);
    for (struct hair *hair = first; hair != end; hair = hair->frame.next) {
        hair_report_frame(hair);
        plait_result ended = order_finish(call, hair, hair->frame.result);
        if (ended != PLAIT_OK) fail(call, ended, "hairs[%u] could not be stepped", hair->frame.index);
        if (result == PLAIT_OK) result = ended;
    }
    return result;
}

// In parts, where a frame waits for what one before it may signal: that must be done then. And nothing goes to a device that works
// by itself before what this thread has to raise for frames before it: the device may be held up until that comes, or raise the
// same semaphore further.
static plait_result run_all(struct call *call, struct hair *first) {
    struct hair *begin = first;
    bool relays = false; // some frame of the part signals after it
    plait_result result = PLAIT_OK;
    for (struct hair *hair = first; hair; hair = hair->frame.next) {
        const struct frame_order *order = &hair->frame.order;
        bool apart = relays && hair->on.device->ops->synchronise;
        if (apart || (order->wait && (order->relay || relays) && !order_is_free(hair))) {
            result = run_part(call, begin, hair, result);
            begin = hair;
            relays = false;
        }
        relays = relays || (order->relay && order->signal);
        hair->frame.result = order_wait(call, hair);
    }
    return run_part(call, begin, NULL, result);
}

// One of the frames is wrong: none moves, and all wait and signal.
static plait_result refuse_all(struct call *call, struct hair *first, plait_result result) {
    for (struct hair *hair = first; hair; hair = hair->frame.next) {
        order_wait(call, hair);
        order_finish(call, hair, result);
    }
    return result;
}

static plait_result step_all(struct call *call, struct hair *first, const plait_frame_desc *frames) {
    plait_result result = begin_all(call, first, frames);
    if (result != PLAIT_OK) return result;
    for (struct hair *hair = first; hair; hair = hair->frame.next) {
        order_commit(hair);
        if (result == PLAIT_OK) result = hair_check_frame(call, hair);
    }
    return result == PLAIT_OK ? run_all(call, first) : refuse_all(call, first, result);
}

plait_result PLAIT_CALL plait_hairs_step(plait_context context, uint32_t hair_count, const plait_hair *hairs,
                                         const plait_frame_desc *frames) {
    struct call call = {.function = __func__};
    struct hair *first = NULL;
    plait_result result = call_enter_context(&call, context);
    if (result != PLAIT_OK) return result;
    if (hair_count && !hairs) result = fail(&call, PLAIT_ERROR_INVALID_ARGUMENT, "hairs is null");
    if (hair_count && hairs && !frames) result = fail(&call, PLAIT_ERROR_INVALID_ARGUMENT, "frames is null");
    if (result == PLAIT_OK) result = enter_all(&call, hair_count, hairs, &first);
    if (result == PLAIT_OK) {
        result = step_all(&call, first, frames);
        leave_all(first);
    }
    call_leave(&call);
    return result;
}
