#include "handles.h"
#include "registry.h"

#include <string.h>

static const char *kind_name(enum object_kind kind) {
    static const char *const names[] = {"object", "context", "device", "groom", "body", "hair", "semaphore", "binding"};
    return names[kind];
}

// With the context's lock held.
static struct object *slot_object(struct context *context, uint64_t id, enum object_kind kind) {
    uint32_t slot = id_slot(id);
    if (id_kind(id) != kind || slot >= context->slot_count) return NULL;
    struct object *object = context->slots[slot];
    return object && object->id == id ? object : NULL;
}

plait_result call_enter(struct call *call, uint64_t id, enum object_kind kind, bool exclusive, struct object **object) {
    call->context = NULL;
    if (id == 0 || !registry_enter(call, id_context(id), 0)) return PLAIT_ERROR_INVALID_HANDLE;
    struct context *context = call->context;
    plait_result result = PLAIT_OK;
    mutex_lock(&context->lock);
    struct object *found = slot_object(context, id, kind);
    if (!found) {
        result = PLAIT_ERROR_INVALID_HANDLE;
    } else if (exclusive && found->busy) {
        result = PLAIT_ERROR_BUSY;
    } else {
        found->references++;
        if (exclusive) found->busy = true;
    }
    mutex_unlock(&context->lock);
    if (result != PLAIT_OK) {
        if (result == PLAIT_ERROR_BUSY)
            fail(call, result, "the %s is in use by another call", kind_name(kind));
        else
            fail(call, result, "%s is not the handle of a live %s", kind_name(kind), kind_name(kind));
        call_leave(call);
        return result;
    }
    *object = found;
    return PLAIT_OK;
}

void call_leave_object(struct call *call, struct object *object, bool exclusive) {
    if (exclusive)
        object_leave(object);
    else
        object_drop(object);
    call_leave(call);
}

// ---- objects ----

// exclusive: marks it as in use; found and marked at once, so that nobody can destroy it in between.
static plait_result find(struct call *call, const char *argument, uint64_t id, enum object_kind kind, bool exclusive,
                         struct object **object) {
    struct context *context = call->context;
    if (id != 0 && id_context(id) != context->registry_index) {
        struct call other = {.function = call->function};
        bool alive = false;
        if (registry_enter(&other, id_context(id), 0)) {
            mutex_lock(&other.context->lock);
            alive = slot_object(other.context, id, kind) != NULL;
            mutex_unlock(&other.context->lock);
            call_leave(&other);
        }
        if (alive) return fail(call, PLAIT_ERROR_FOREIGN_HANDLE, "%s belongs to another context", argument);
    }
    mutex_lock(&context->lock);
    struct object *found = slot_object(context, id, kind);
    bool busy = found && exclusive && found->busy;
    if (found && !busy) {
        found->references++;
        if (exclusive) found->busy = true;
    }
    mutex_unlock(&context->lock);
    if (!found)
        return fail(call, PLAIT_ERROR_INVALID_HANDLE, "%s is not the handle of a live %s", argument, kind_name(kind));
    if (busy) return PLAIT_ERROR_BUSY;
    *object = found;
    return PLAIT_OK;
}

plait_result object_find(struct call *call, const char *argument, uint64_t id, enum object_kind kind,
                         struct object **object) {
    return find(call, argument, id, kind, false, object);
}

plait_result object_enter(struct call *call, const char *argument, uint64_t id, enum object_kind kind,
                          struct object **object) {
    return find(call, argument, id, kind, true, object);
}

void object_leave(struct object *object) {
    mutex_lock(&object->context->lock);
    object->busy = false;
    bool last = --object->references == 0;
    mutex_unlock(&object->context->lock);
    if (last) object->destroy(object);
}

void object_keep(struct object *object) {
    mutex_lock(&object->context->lock);
    object->references++;
    mutex_unlock(&object->context->lock);
}

void object_drop(struct object *object) {
    struct context *context = object->context;
    mutex_lock(&context->lock);
    bool last = --object->references == 0;
    mutex_unlock(&context->lock);
    if (last) object->destroy(object);
}

// Makes sure that there is a free slot. Allocates outside of the lock, so another thread may take it: the caller retries.
static plait_result grow_slots(struct call *call, uint32_t seen) {
    struct context *context = call->context;
    uint32_t count = seen ? 2 * seen : 16;
    if (count > MAX_SLOTS) return fail(call, PLAIT_ERROR_LIMIT, "%u objects are alive already", seen);
    struct object **slots = memory_allocate(context, count, sizeof *slots);
    if (!slots) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for another handle");
    mutex_lock(&context->lock);
    if (context->slot_count < count) {
        if (context->slot_count) memcpy(slots, context->slots, context->slot_count * sizeof *slots);
        struct object **old = context->slots;
        context->slots = slots;
        context->slot_count = count;
        slots = old;
    }
    mutex_unlock(&context->lock);
    memory_release(context, slots);
    return PLAIT_OK;
}

plait_result object_publish(struct call *call, struct object *object, enum object_kind kind, uint64_t *id) {
    struct context *context = call->context;
    uint32_t generation = registry_generation();
    for (;;) {
        mutex_lock(&context->lock);
        uint32_t count = context->slot_count;
        uint32_t slot = context->free_slot;
        while (slot < count && context->slots[slot]) slot++;
        context->free_slot = slot;
        if (slot < count) {
            object->id = make_id(kind, context->registry_index, slot, generation);
            object->context = context;
            object->kind = kind;
            object->references = 1;
            context->slots[slot] = object;
            context->object_count++;
            *id = object->id;
            mutex_unlock(&context->lock);
            return PLAIT_OK;
        }
        mutex_unlock(&context->lock);
        plait_result result = grow_slots(call, count);
        if (result != PLAIT_OK) return result;
    }
}

void object_for_each(struct context *context, enum object_kind kind, void (*visit)(struct object *object)) {
    bool more = true;
    for (uint32_t i = 0; more; i++) {
        mutex_lock(&context->lock);
        more = i < context->slot_count;
        struct object *object = more ? context->slots[i] : NULL;
        if (object && object->kind != kind) object = NULL;
        if (object) object->references++;
        mutex_unlock(&context->lock);
        if (!object) continue;
        visit(object);
        object_drop(object);
    }
}

plait_result object_retire(struct call *call, uint64_t id, enum object_kind kind) {
    struct object *object;
    plait_result result = call_enter(call, id, kind, true, &object);
    if (result != PLAIT_OK) return result;
    struct context *context = call->context;
    mutex_lock(&context->lock);
    context->slots[id_slot(id)] = NULL;
    if (id_slot(id) < context->free_slot) context->free_slot = id_slot(id);
    context->object_count--;
    object->references--; // the handle's; this call holds another
    mutex_unlock(&context->lock);
    call_leave_object(call, object, true);
    return PLAIT_OK;
}
