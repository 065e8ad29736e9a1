#include "registry.h"

#define MAX_CONTEXTS 255

// Which contexts are alive. The only mutable state outside of contexts: without it a stale context handle could not be
// told from a live one.
static struct registry {
    struct mutex lock;
    uint32_t generation;
    struct {
        struct context *context;
        uint64_t id;
        uint32_t calls; // running in this context now
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
    mutex_lock(&registry.lock);
    if (index <= MAX_CONTEXTS && registry.slots[index].context && (id == 0 || registry.slots[index].id == id)) {
        registry.slots[index].calls++;
        call->context = registry.slots[index].context;
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
    registry.slots[call->context->registry_index].calls--;
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

bool registry_remove(struct context *context) {
    mutex_lock(&registry.lock);
    bool busy = registry.slots[context->registry_index].calls != 1;
    if (!busy) {
        registry.slots[context->registry_index].context = NULL;
        registry.slots[context->registry_index].id = 0;
        registry.slots[context->registry_index].calls = 0;
    }
    mutex_unlock(&registry.lock);
    return !busy;
}
