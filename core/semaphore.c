// Timeline semaphores: those of devices, and core's own for devices that work on the calling thread.
#include "semaphore.h"
#include "structs.h"

#include <string.h>

// ---- core's own ----

struct own_timeline {
    struct timeline timeline;
    struct mutex mutex;
    struct condition raised;
    uint64_t value;
};

static plait_result own_create(struct call *call, struct device *device, const plait_external_semaphore *external,
                               struct timeline **out) {
    if (external) return fail(call, PLAIT_ERROR_UNSUPPORTED, "external: the device imports no semaphores");
    struct own_timeline *own = memory_allocate(call->context, 1, sizeof *own);
    if (!own) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the semaphore");
    own->timeline.device = device;
    mutex_init(&own->mutex);
    condition_init(&own->raised);
    *out = &own->timeline;
    return PLAIT_OK;
}

static plait_result own_query(struct timeline *timeline, uint64_t *value) {
    struct own_timeline *own = (struct own_timeline *)timeline;
    mutex_lock(&own->mutex);
    *value = own->value;
    mutex_unlock(&own->mutex);
    return PLAIT_OK;
}

static plait_result own_wait(struct timeline *timeline, uint64_t value, uint64_t timeout_ns) {
    struct own_timeline *own = (struct own_timeline *)timeline;
    const uint64_t second = 1000000000, year = 31536000 * second;
    uint64_t end = now_ns() + (timeout_ns < year ? timeout_ns : year); // no later than what the clock can say
    bool in_time = true;
    mutex_lock(&own->mutex);
    while (own->value < value && in_time) in_time = condition_wait_until(&own->raised, &own->mutex, end);
    bool reached = own->value >= value;
    mutex_unlock(&own->mutex);
    return reached ? PLAIT_OK : PLAIT_ERROR_TIMEOUT;
}

static plait_result own_signal(struct timeline *timeline, uint64_t value) {
    struct own_timeline *own = (struct own_timeline *)timeline;
    mutex_lock(&own->mutex);
    bool grows = value > own->value;
    if (grows) own->value = value;
    condition_wake_all(&own->raised);
    mutex_unlock(&own->mutex);
    return grows ? PLAIT_OK : PLAIT_ERROR_INVALID_ARGUMENT;
}

static void own_destroy(struct timeline *timeline) {
    struct own_timeline *own = (struct own_timeline *)timeline;
    condition_destroy(&own->raised);
    mutex_destroy(&own->mutex);
    memory_release(timeline->device->object.context, own);
}

static const struct device_ops own_ops = {.timeline_create = own_create,
                                          .timeline_query = own_query,
                                          .timeline_wait = own_wait,
                                          .timeline_signal = own_signal,
                                          .timeline_destroy = own_destroy};

static const struct device_ops *ops_of(const struct device *device) {
    return device->ops->timeline_create ? device->ops : &own_ops;
}

// ---- used by frames ----

bool semaphore_note_wait(struct semaphore *s, uint64_t value) {
    mutex_lock(&s->mutex);
    bool ending = s->ending;
    if (!ending && value > s->waited) s->waited = value;
    mutex_unlock(&s->mutex);
    return !ending;
}

plait_result semaphore_wait(struct semaphore *s, uint64_t value, uint64_t timeout_ns) {
    struct waiter self = {.value = value};
    mutex_lock(&s->mutex);
    bool ending = s->ending; // either this thread sees the end, or the end sees this thread
    if (!ending) {
        self.next = s->waiters;
        s->waiters = &self;
    }
    mutex_unlock(&s->mutex);
    if (ending) return PLAIT_ERROR_INVALID_HANDLE;
    plait_result result = ops_of(s->device)->timeline_wait(s->timeline, value, timeout_ns);
    mutex_lock(&s->mutex);
    struct waiter **at = &s->waiters;
    while (*at != &self) at = &(*at)->next;
    *at = self.next;
    mutex_unlock(&s->mutex);
    return result;
}

plait_result semaphore_query(struct semaphore *s, uint64_t *value) {
    return ops_of(s->device)->timeline_query(s->timeline, value);
}

plait_result semaphore_signal(struct semaphore *s, uint64_t value) {
    return ops_of(s->device)->timeline_signal(s->timeline, value);
}

// Forgets promises that were kept. With the mutex held. reached: what it stands at.
static plait_result drop_kept(struct semaphore *s, uint64_t *reached) {
    plait_result result = semaphore_query(s, reached);
    uint32_t kept = 0;
    while (result == PLAIT_OK && kept < s->promise_count && s->promised[kept].value <= *reached) kept++;
    s->promise_count -= kept;
    memmove(s->promised, s->promised + kept, s->promise_count * sizeof s->promised[0]);
    return result;
}

plait_result semaphore_promise(struct semaphore *s, const struct call *call, const struct promise *promise,
                               uint64_t *before) {
    mutex_lock(&s->mutex);
    plait_result result = s->promising && s->promiser != call ? PLAIT_ERROR_BUSY : drop_kept(s, before);
    if (result == PLAIT_OK && s->promise_count) *before = s->promised[s->promise_count - 1].value;
    if (result == PLAIT_OK && (promise->value <= *before || promise->value <= promise->after))
        result = PLAIT_ERROR_INVALID_ARGUMENT;
    if (result == PLAIT_OK && s->promise_count == MAX_PROMISES) result = PLAIT_ERROR_LIMIT;
    if (result == PLAIT_OK) {
        s->promised[s->promise_count++] = *promise;
        s->promiser = call;
        s->promising++;
    }
    mutex_unlock(&s->mutex);
    return result;
}

void semaphore_hand_over(struct semaphore *s, uint64_t value, bool kept) {
    mutex_lock(&s->mutex);
    uint32_t at = 0;
    while (at < s->promise_count && s->promised[at].value < value) at++;
    if (!kept && at < s->promise_count && s->promised[at].value == value) { // or it was reached all the same
        s->promise_count--;
        memmove(s->promised + at, s->promised + at + 1, (s->promise_count - at) * sizeof s->promised[0]);
    }
    if (--s->promising == 0) s->promiser = NULL;
    mutex_unlock(&s->mutex);
}

uint64_t semaphore_promised_before(struct semaphore *s, uint64_t value) {
    uint64_t before = 0;
    mutex_lock(&s->mutex);
    for (uint32_t i = 0; i < s->promise_count && s->promised[i].value < value; i++) before = s->promised[i].value;
    mutex_unlock(&s->mutex);
    return before;
}

// How far the host may raise it. A frame under way may raise it at any moment, and it must never fall. Only a frame that
// waits for the semaphore itself has certainly not done so yet. With the mutex held.
static uint64_t host_limit(const struct semaphore *s) { return s->promise_count ? s->promised[0].after : UINT64_MAX; }

static plait_result signal_between(struct call *call, struct semaphore *s, uint64_t value) {
    uint64_t reached = 0;
    mutex_lock(&s->mutex);
    plait_result result = drop_kept(s, &reached);
    bool fits = value > reached && value <= host_limit(s);
    if (result == PLAIT_OK) result = fits ? semaphore_signal(s, value) : PLAIT_ERROR_INVALID_ARGUMENT;
    mutex_unlock(&s->mutex);
    if (result == PLAIT_ERROR_INVALID_ARGUMENT)
        fail(call, result,
             "value is %llu, not more than the %llu reached, or a frame that does not wait for it will raise the "
             "semaphore",
             (unsigned long long)value, (unsigned long long)reached);
    else if (result != PLAIT_OK)
        fail(call, result, "the device failed: %s", plait_result_text(result));
    return result;
}

// Frames may wait for what other frames will signal: those are let go first.
void semaphore_release_waiters(struct object *object) {
    struct semaphore *s = (struct semaphore *)object;
    const uint64_t second_ns = 1000000000;
    for (;;) {
        mutex_lock(&s->mutex);
        s->ending = true;
        uint64_t reached = 0, waited = s->waited;
        for (struct waiter *w = s->waiters; w; w = w->next)
            if (w->value > waited) waited = w->value;
        plait_result result = drop_kept(s, &reached);
        uint64_t limit = host_limit(s), target = waited < limit ? waited : limit;
        uint64_t next = s->promise_count ? s->promised[0].value : 0;
        if (result == PLAIT_OK && target > reached) result = semaphore_signal(s, target);
        mutex_unlock(&s->mutex);
        if (result != PLAIT_OK || waited <= target || waited <= reached) return;
        if (ops_of(s->device)->timeline_wait(s->timeline, next, second_ns) != PLAIT_OK) return;
    }
}

// ---- the ABI ----

static void destroy_semaphore(struct object *object) {
    struct semaphore *s = (struct semaphore *)object;
    if (s->timeline) ops_of(s->device)->timeline_destroy(s->timeline);
    mutex_destroy(&s->mutex);
    object_drop(&s->device->object);
    memory_release(object->context, s);
}

static plait_result create(struct call *call, struct device *device, const plait_external_semaphore *external,
                           plait_semaphore *handle) {
    plait_external_semaphore copy;
    if (external) {
        plait_result result =
            struct_read(call, "external", external, PLAIT_TYPE_EXTERNAL_SEMAPHORE, &copy, sizeof copy, NULL, 0);
        if (result == PLAIT_OK)
            result = device_check_external(call, device, copy.kind, copy.handle, copy.device_uuid, copy.driver_uuid,
                                           PLAIT_INTEROP_SEMAPHORE_FD, PLAIT_INTEROP_SEMAPHORE_WIN32);
        if (result == PLAIT_OK && copy.reserved != 0)
            result = fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "external.reserved is not 0");
        if (result != PLAIT_OK) return result;
    }
    struct semaphore *s = memory_allocate(call->context, 1, sizeof *s);
    if (!s) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the semaphore");
    s->object.context = call->context;
    s->object.destroy = destroy_semaphore;
    s->device = device;
    mutex_init(&s->mutex);
    object_keep(&device->object);
    plait_result result = ops_of(device)->timeline_create(call, device, external ? &copy : NULL, &s->timeline);
    if (result == PLAIT_OK) result = object_publish(call, &s->object, OBJECT_SEMAPHORE, &handle->id);
    if (result != PLAIT_OK)
        destroy_semaphore(&s->object);
    else if (external)
        external_close(copy.handle);
    return result;
}

plait_result PLAIT_CALL plait_semaphore_create(plait_device device, const plait_external_semaphore *external,
                                               plait_semaphore *semaphore) {
    if (semaphore) semaphore->id = 0;
    struct call call = {.function = __func__};
    struct object *object;
    plait_result result = call_enter(&call, device.id, OBJECT_DEVICE, false, &object);
    if (result != PLAIT_OK) return result;
    if (!semaphore)
        result = fail(&call, PLAIT_ERROR_INVALID_ARGUMENT, "semaphore is null");
    else
        result = create(&call, (struct device *)object, external, semaphore);
    call_leave_object(&call, object, false);
    return result;
}

static plait_result enter(struct call *call, plait_semaphore handle, struct semaphore **semaphore) {
    struct object *object = NULL;
    plait_result result = call_enter(call, handle.id, OBJECT_SEMAPHORE, false, &object);
    *semaphore = (struct semaphore *)object;
    return result;
}

static void leave(struct call *call, struct semaphore *semaphore) {
    call_leave_object(call, &semaphore->object, false);
}

plait_result PLAIT_CALL plait_semaphore_destroy(plait_semaphore handle) {
    struct call call = {.function = __func__};
    struct semaphore *s;
    plait_result result = enter(&call, handle, &s);
    if (result != PLAIT_OK) return result;
    semaphore_release_waiters(&s->object);
    leave(&call, s);
    struct call retire = {.function = __func__};
    return object_retire(&retire, handle.id, OBJECT_SEMAPHORE);
}

static plait_result export(struct call *call, struct semaphore *s, uint32_t kind, plait_external_semaphore *external) {
    plait_result result = struct_check_info(call, "external", external, PLAIT_TYPE_EXTERNAL_SEMAPHORE);
    if (result == PLAIT_OK && external->head.size < sizeof *external) // a handle must not get lost
        result = fail(call, PLAIT_ERROR_INVALID_STRUCT, "external.head.size is %u, too small", external->head.size);
    if (result == PLAIT_OK)
        result = device_check_kind(call, s->device, kind, PLAIT_INTEROP_SEMAPHORE_FD, PLAIT_INTEROP_SEMAPHORE_WIN32);
    if (result != PLAIT_OK) return result;
    plait_external_semaphore values = PLAIT_EXTERNAL_SEMAPHORE_INIT;
    result = ops_of(s->device)->timeline_export(call, s->timeline, kind, &values);
    if (result != PLAIT_OK) return result;
    values.kind = kind;
    memcpy(values.device_uuid, s->device->info.uuid, sizeof values.device_uuid);
    memcpy(values.driver_uuid, s->device->info.driver_uuid, sizeof values.driver_uuid);
    struct_write(external, &values, sizeof values);
    return PLAIT_OK;
}

plait_result PLAIT_CALL plait_semaphore_export(plait_semaphore handle, uint32_t kind,
                                               plait_external_semaphore *external) {
    struct call call = {.function = __func__};
    struct semaphore *s;
    plait_result result = enter(&call, handle, &s);
    if (result != PLAIT_OK) return result;
    result = export(&call, s, kind, external);
    leave(&call, s);
    return result;
}

plait_result PLAIT_CALL plait_semaphore_query(plait_semaphore handle, uint64_t *value) {
    struct call call = {.function = __func__};
    struct semaphore *s;
    plait_result result = enter(&call, handle, &s);
    if (result != PLAIT_OK) return result;
    uint64_t reached = 0;
    if (!value)
        result = fail(&call, PLAIT_ERROR_INVALID_ARGUMENT, "value is null");
    else if ((result = semaphore_query(s, &reached)) != PLAIT_OK)
        fail(&call, result, "the device failed");
    else
        *value = reached;
    leave(&call, s);
    return result;
}

plait_result PLAIT_CALL plait_semaphore_wait(plait_semaphore handle, uint64_t value, uint64_t timeout_ns) {
    struct call call = {.function = __func__};
    struct semaphore *s;
    plait_result result = enter(&call, handle, &s);
    if (result != PLAIT_OK) return result;
    result = semaphore_wait(s, value, timeout_ns);
    if (result != PLAIT_OK && result != PLAIT_ERROR_TIMEOUT) fail(&call, result, "%s", plait_result_text(result));
    leave(&call, s);
    return result;
}

plait_result PLAIT_CALL plait_semaphore_signal(plait_semaphore handle, uint64_t value) {
    struct call call = {.function = __func__};
    struct semaphore *s;
    plait_result result = enter(&call, handle, &s);
    if (result != PLAIT_OK) return result;
    result = signal_between(&call, s, value);
    leave(&call, s);
    return result;
}
