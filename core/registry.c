#include "registry.h"

#include <string.h>

#define MAX_CONTEXTS 255

// Which contexts are alive. The only mutable state outside of contexts: without it a stale context handle could not be
// told from a live one.
static struct registry {
    struct mutex lock;
    uint32_t generation;
    struct slot {
        struct context *context;
        uint64_t id;
        struct call *calls; // running in this context now
        bool ending;        // nobody enters any more
    } slots[MAX_CONTEXTS + 1];
} registry = {.lock = MUTEX_INIT};

static uint32_t next_generation_locked(void) {
    if (++registry.generation == 0) registry.generation = 1;
    return registry.generation;
}

uint32_t registry_generation(void) {
    mutex_lock(&registry.lock);
    uint32_t generation = next_generation_locked();
    mutex_unlock(&registry.lock);
    return generation;
}

bool registry_enter(struct call *call, uint32_t index, uint64_t id) {
    bool found = false;
    call->thread = thread_id();
    mutex_lock(&registry.lock);
    struct slot *slot = index <= MAX_CONTEXTS ? &registry.slots[index] : NULL;
    if (slot && slot->context && !slot->ending && (id == 0 || slot->id == id)) {
        call->next = slot->calls;
        slot->calls = call;
        call->context = slot->context;
        found = true;
    }
    mutex_unlock(&registry.lock);
    if (found) call->float_state = float_state_enter();
    return found;
}

plait_result call_enter_context(struct call *call, plait_context context) {
    call->context = NULL;
    if (context.id != 0 && registry_enter(call, id_context(context.id), context.id)) return PLAIT_OK;
    return PLAIT_ERROR_INVALID_HANDLE;
}

void call_leave(struct call *call) {
    float_state_leave(call->float_state);
    mutex_lock(&registry.lock);
    struct slot *slot = &registry.slots[call->context->registry_index];
    struct call **link = &slot->calls;
    while (*link != call) link = &(*link)->next;
    *link = call->next;
    if (slot->ending) condition_wake_all(&call->context->idle);
    mutex_unlock(&registry.lock);
}

plait_result registry_add(struct call *call, struct context *context, plait_context *handle) {
    mutex_lock(&registry.lock);
    uint32_t index = 1;
    while (index <= MAX_CONTEXTS && registry.slots[index].context) index++;
    if (index <= MAX_CONTEXTS) {
        context->registry_index = index;
        registry.slots[index].context = context;
        registry.slots[index].id = make_id(OBJECT_CONTEXT, index, 0, next_generation_locked());
        handle->id = registry.slots[index].id;
    }
    mutex_unlock(&registry.lock);
    if (index > MAX_CONTEXTS) return fail(call, PLAIT_ERROR_LIMIT, "%d contexts are alive already", MAX_CONTEXTS);
    return PLAIT_OK;
}

plait_result registry_remove_begin(const struct call *call) {
    plait_result result = PLAIT_OK;
    mutex_lock(&registry.lock);
    struct slot *slot = &registry.slots[call->context->registry_index];
    for (const struct call *other = slot->calls; other; other = other->next)
        if (other != call && other->thread == call->thread) result = PLAIT_ERROR_BUSY;
    if (slot->ending) result = PLAIT_ERROR_INVALID_HANDLE;
    if (result == PLAIT_OK) slot->ending = true;
    mutex_unlock(&registry.lock);
    return result;
}

void registry_remove_end(const struct call *call) {
    mutex_lock(&registry.lock);
    struct slot *slot = &registry.slots[call->context->registry_index];
    while (slot->calls != call || call->next) condition_wait(&call->context->idle, &registry.lock);
    memset(slot, 0, sizeof *slot);
    mutex_unlock(&registry.lock);
}
