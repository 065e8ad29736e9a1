// Contexts, handles and messages.
#include "context.h"
#include "device.h"
#include "jobs.h"
#include "semaphore.h"
#include "structs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_CONTEXTS 255

// A handle, from the top: kind (4 bits), context (8), slot (20), generation (32). Generations come from one counter for
// the whole process, so two live handles never share one and a handle with any bit changed finds nothing.
#define MAX_SLOTS (1u << 20)

static uint64_t make_id(enum object_kind kind, uint32_t context, uint32_t slot, uint32_t generation) {
    return (uint64_t)kind << 60 | (uint64_t)context << 52 | (uint64_t)slot << 32 | generation;
}

static enum object_kind id_kind(uint64_t id) { return (enum object_kind)(id >> 60); }
static uint32_t id_context(uint64_t id) { return (uint32_t)(id >> 52) & 0xff; }
static uint32_t id_slot(uint64_t id) { return (uint32_t)(id >> 32) & (MAX_SLOTS - 1); }

// Which contexts are alive. The only mutable state outside of contexts: without it a stale context handle could not be
// told from a live one.
static struct registry {
    atomic_flag lock;
    uint32_t generation;
    struct {
        struct context *context;
        uint64_t id;
        uint32_t calls; // running in this context now
    } slots[MAX_CONTEXTS + 1];
} registry = {.lock = ATOMIC_FLAG_INIT};

static void lock_take(atomic_flag *lock) {
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire)) thread_yield();
}

static void lock_give(atomic_flag *lock) { atomic_flag_clear_explicit(lock, memory_order_release); }

static uint32_t next_generation_locked(void) {
    if (++registry.generation == 0) registry.generation = 1;
    return registry.generation;
}

static uint32_t next_generation(void) {
    lock_take(&registry.lock);
    uint32_t generation = next_generation_locked();
    lock_give(&registry.lock);
    return generation;
}

// ---- calls ----

// Enters the context in a registry slot if it is alive and, when id is given, if it is that very context.
static bool registry_enter(struct call *call, uint32_t index, uint64_t id) {
    bool found = false;
    lock_take(&registry.lock);
    if (index <= MAX_CONTEXTS && registry.slots[index].context && (id == 0 || registry.slots[index].id == id)) {
        registry.slots[index].calls++;
        call->context = registry.slots[index].context;
        found = true;
    }
    lock_give(&registry.lock);
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
    lock_take(&registry.lock);
    registry.slots[call->context->registry_index].calls--;
    lock_give(&registry.lock);
}

static const char *kind_name(enum object_kind kind) {
    static const char *const names[] = {"object", "context", "device", "groom", "body", "hair", "semaphore"};
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
    lock_take(&context->lock);
    struct object *found = slot_object(context, id, kind);
    if (!found) {
        result = PLAIT_ERROR_INVALID_HANDLE;
    } else if (exclusive && found->busy) {
        result = PLAIT_ERROR_BUSY;
    } else {
        found->references++;
        if (exclusive) found->busy = true;
    }
    lock_give(&context->lock);
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
    if (exclusive) {
        lock_take(&call->context->lock);
        object->busy = false;
        lock_give(&call->context->lock);
    }
    object_drop(object);
    call_leave(call);
}

// ---- objects ----

plait_result object_find(struct call *call, const char *argument, uint64_t id, enum object_kind kind,
                         struct object **object) {
    struct context *context = call->context;
    if (id != 0 && id_context(id) != context->registry_index) {
        struct call other = {.function = call->function};
        bool alive = false;
        if (registry_enter(&other, id_context(id), 0)) {
            lock_take(&other.context->lock);
            alive = slot_object(other.context, id, kind) != NULL;
            lock_give(&other.context->lock);
            call_leave(&other);
        }
        if (alive) return fail(call, PLAIT_ERROR_FOREIGN_HANDLE, "%s belongs to another context", argument);
    }
    lock_take(&context->lock);
    struct object *found = slot_object(context, id, kind);
    if (found) found->references++;
    lock_give(&context->lock);
    if (!found)
        return fail(call, PLAIT_ERROR_INVALID_HANDLE, "%s is not the handle of a live %s", argument, kind_name(kind));
    *object = found;
    return PLAIT_OK;
}

void object_keep(struct object *object) {
    lock_take(&object->context->lock);
    object->references++;
    lock_give(&object->context->lock);
}

void object_drop(struct object *object) {
    struct context *context = object->context;
    lock_take(&context->lock);
    bool last = --object->references == 0;
    lock_give(&context->lock);
    if (last) object->destroy(object);
}

// Makes sure that there is a free slot. Allocates outside of the lock, so another thread may take it: the caller retries.
static plait_result grow_slots(struct call *call, uint32_t seen) {
    struct context *context = call->context;
    uint32_t count = seen ? 2 * seen : 16;
    if (count > MAX_SLOTS) return fail(call, PLAIT_ERROR_LIMIT, "%u objects are alive already", seen);
    struct object **slots = memory_allocate(context, count, sizeof *slots);
    if (!slots) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for another handle");
    lock_take(&context->lock);
    if (context->slot_count < count) {
        if (context->slot_count) memcpy(slots, context->slots, context->slot_count * sizeof *slots);
        struct object **old = context->slots;
        context->slots = slots;
        context->slot_count = count;
        slots = old;
    }
    lock_give(&context->lock);
    memory_release(context, slots);
    return PLAIT_OK;
}

plait_result object_publish(struct call *call, struct object *object, enum object_kind kind, uint64_t *id) {
    struct context *context = call->context;
    uint32_t generation = next_generation();
    for (;;) {
        lock_take(&context->lock);
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
            lock_give(&context->lock);
            return PLAIT_OK;
        }
        lock_give(&context->lock);
        plait_result result = grow_slots(call, count);
        if (result != PLAIT_OK) return result;
    }
}

plait_result object_retire(struct call *call, uint64_t id, enum object_kind kind) {
    struct object *object;
    plait_result result = call_enter(call, id, kind, true, &object);
    if (result != PLAIT_OK) return result;
    struct context *context = call->context;
    lock_take(&context->lock);
    context->slots[id_slot(id)] = NULL;
    if (id_slot(id) < context->free_slot) context->free_slot = id_slot(id);
    context->object_count--;
    object->references--; // the handle's; this call holds another
    lock_give(&context->lock);
    call_leave_object(call, object, true);
    return PLAIT_OK;
}

// ---- messages ----

static void log_text(struct context *context, uint32_t level, int32_t id, const char *text) {
    if (context->logger.log && level >= context->logger.min_level)
        context->logger.log(context->logger.user, level, id, text);
}

plait_result fail(const struct call *call, plait_result result, const char *format, ...) {
    if (!call->context || !call->context->logger.log) return result;
    char text[512];
    int used = snprintf(text, sizeof text, "%s: ", call->function);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
    va_end(arguments);
    log_text(call->context, PLAIT_LOG_ERROR, result, text);
    return result;
}

void message(struct context *context, uint32_t level, int32_t id, const char *format, ...) {
    if (!context->logger.log || level < context->logger.min_level) return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log_text(context, level, id, text);
}

// ---- memory ----

// Before each block, so that the host's release gets the size back.
union block {
    size_t total;
    char padding[64];
};

void *memory_allocate(struct context *context, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) return NULL;
    size_t total = bytes + sizeof(union block);
    union block *block = context->allocator.allocate(context->allocator.user, total, 64);
    if (!block) return NULL;
    memset(block, 0, total);
    block->total = total;
    return block + 1;
}

void memory_release(struct context *context, void *memory) {
    if (!memory) return;
    union block *block = (union block *)memory - 1;
    context->allocator.release(context->allocator.user, block, block->total, 64);
}

static void *PLAIT_CALL default_allocate(void *user, size_t size, size_t alignment) {
    (void)user;
    return aligned_allocate(size, alignment);
}

static void PLAIT_CALL default_release(void *user, void *pointer, size_t size, size_t alignment) {
    (void)user;
    (void)size;
    (void)alignment;
    aligned_release(pointer);
}

// ---- the context's own life ----

static plait_result read_callbacks(const struct call *call, const plait_context_desc *desc, struct context *context) {
    plait_result result = PLAIT_OK;
    if (desc->logger) {
        result = struct_read(call, "desc.logger", desc->logger, PLAIT_TYPE_LOGGER, &context->logger,
                             sizeof context->logger, NULL, 0);
        if (result != PLAIT_OK) return result;
        bool wrong = context->logger.min_level > PLAIT_LOG_ERROR || context->logger.reserved != 0;
        if (wrong || context->logger.min_level == 0) context->logger.min_level = PLAIT_LOG_WARNING;
        if (wrong)
            return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.logger.min_level is no level or reserved is not 0");
    }
    context->allocator.allocate = default_allocate;
    context->allocator.release = default_release;
    if (desc->allocator) {
        result = struct_read(call, "desc.allocator", desc->allocator, PLAIT_TYPE_ALLOCATOR, &context->allocator,
                             sizeof context->allocator, NULL, 0);
        if (result != PLAIT_OK) return result;
        if (!context->allocator.allocate || !context->allocator.release)
            return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.allocator lacks allocate or release");
    }
    if (desc->jobs) {
        result =
            struct_read(call, "desc.jobs", desc->jobs, PLAIT_TYPE_JOBS, &context->jobs, sizeof context->jobs, NULL, 0);
        if (result != PLAIT_OK) return result;
        if (!context->jobs.parallel_for)
            return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.jobs.parallel_for is null");
        if (context->jobs.thread_count == 0 || context->jobs.reserved != 0)
            return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.jobs.thread_count is 0 or reserved is not");
    }
    if (desc->reserved != 0 || desc->thread_count > POOL_MAX_THREADS)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.thread_count is over %d or reserved is not 0",
                    POOL_MAX_THREADS);
    return PLAIT_OK;
}

static plait_result register_context(struct call *call, struct context *context, plait_context *handle) {
    lock_take(&registry.lock);
    uint32_t index = 1;
    while (index <= MAX_CONTEXTS && registry.slots[index].context) index++;
    if (index <= MAX_CONTEXTS) {
        context->registry_index = index;
        registry.slots[index].context = context;
        registry.slots[index].id = make_id(OBJECT_CONTEXT, index, 0, next_generation_locked());
        handle->id = registry.slots[index].id;
    }
    lock_give(&registry.lock);
    if (index > MAX_CONTEXTS) return fail(call, PLAIT_ERROR_LIMIT, "%d contexts are alive already", MAX_CONTEXTS);
    return PLAIT_OK;
}

plait_result PLAIT_CALL plait_context_create(const plait_context_desc *desc_in, plait_context *handle) {
    if (!handle) return PLAIT_ERROR_INVALID_ARGUMENT;
    handle->id = 0;
    struct context draft;
    memset(&draft, 0, sizeof draft);
    struct call call = {.context = &draft, .function = __func__};
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    plait_result result;
    if (desc_in) {
        result = struct_read(&call, "desc", desc_in, PLAIT_TYPE_CONTEXT_DESC, &desc, sizeof desc, NULL, 0);
        if (result != PLAIT_OK) return result;
    }
    result = read_callbacks(&call, &desc, &draft);
    if (result != PLAIT_OK) return result;

    struct context *context = memory_allocate(&draft, 1, sizeof *context);
    if (!context) return fail(&call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the context");
    context->allocator = draft.allocator;
    context->logger = draft.logger;
    context->jobs = draft.jobs;
    atomic_flag_clear(&context->lock);
    static const struct module_services services = {memory_allocate, memory_release, fail, message};
    context->services = &services;
    mutex_init(&context->backends_mutex);
    call.context = context;
    if (!desc.jobs) result = pool_create(&call, desc.thread_count, &context->pool);
    if (result == PLAIT_OK) result = register_context(&call, context, handle);
    if (result != PLAIT_OK) {
        mutex_destroy(&context->backends_mutex);
        pool_destroy(context, context->pool);
        memory_release(context, context);
    }
    return result;
}

plait_result PLAIT_CALL plait_context_destroy(plait_context handle) {
    struct call call = {.function = __func__};
    plait_result result = call_enter_context(&call, handle);
    if (result != PLAIT_OK) return result;
    struct context *context = call.context;
    lock_take(&registry.lock);
    bool busy = registry.slots[context->registry_index].calls != 1;
    if (!busy) {
        registry.slots[context->registry_index].context = NULL;
        registry.slots[context->registry_index].id = 0;
        registry.slots[context->registry_index].calls = 0;
    }
    lock_give(&registry.lock);
    if (busy) {
        fail(&call, PLAIT_ERROR_BUSY, "another call is running in the context");
        call_leave(&call);
        return PLAIT_ERROR_BUSY;
    }
    float_state_leave(call.float_state);
    if (context->object_count)
        message(context, PLAIT_LOG_WARNING, PLAIT_MESSAGE_OBJECTS_LEFT,
                "plait_context_destroy: %u objects were still alive and go with it", context->object_count);
    // Nobody can signal a semaphore any more. Then hairs: they refer to the others, never the other way round.
    for (uint32_t i = 0; i < context->slot_count; i++)
        if (context->slots[i] && context->slots[i]->kind == OBJECT_SEMAPHORE)
            semaphore_release_waiters(context->slots[i]);
    for (uint32_t i = 0; i < context->slot_count; i++) {
        struct object *object = context->slots[i];
        if (object && object->kind == OBJECT_HAIR) {
            context->slots[i] = NULL;
            object_drop(object);
        }
    }
    for (uint32_t i = 0; i < context->slot_count; i++)
        if (context->slots[i]) object_drop(context->slots[i]);
    backends_forget(context);
    mutex_destroy(&context->backends_mutex);
    memory_release(context, context->slots);
    pool_destroy(context, context->pool);
    memory_release(context, context);
    return PLAIT_OK;
}
