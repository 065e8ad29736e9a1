// The life of a context.
#include "context.h"
#include "device.h"
#include "jobs.h"
#include "registry.h"
#include "semaphore.h"
#include "structs.h"

#include <string.h>

static plait_result read_callbacks(const struct call *call, const plait_context_desc *desc, struct context *context) {
    plait_result result = PLAIT_OK;
    if (desc->logger) {
        result = struct_read(call, "desc.logger", desc->logger, PLAIT_TYPE_LOGGER, &context->logger,
                             sizeof context->logger, NULL, 0);
        if (result != PLAIT_OK) return result;
        bool wrong = context->logger.min_level > PLAIT_LOG_ERROR;
        if (wrong || context->logger.min_level == 0) context->logger.min_level = PLAIT_LOG_WARNING;
        if (wrong) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.logger.min_level is no level");
        if (context->logger.reserved != 0)
            return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.logger.reserved is not 0");
    }
    allocator_default(&context->allocator);
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
        if (context->jobs.thread_count == 0)
            return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.jobs.thread_count is 0");
        if (context->jobs.reserved != 0) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.jobs.reserved is not 0");
    }
    if (desc->thread_count > POOL_MAX_THREADS)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.thread_count is over %d", POOL_MAX_THREADS);
    if (desc->reserved != 0) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.reserved is not 0");
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
    mutex_init(&context->lock);
    condition_init(&context->idle);
    static const struct module_services services = {memory_allocate, memory_release, fail, message};
    context->services = &services;
    mutex_init(&context->backends_mutex);
    call.context = context;
    if (!desc.jobs) result = pool_create(&call, desc.thread_count, &context->pool);
    if (result == PLAIT_OK) result = registry_add(&call, context, handle);
    if (result != PLAIT_OK) {
        mutex_destroy(&context->backends_mutex);
        condition_destroy(&context->idle);
        mutex_destroy(&context->lock);
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
    result = registry_remove_begin(&call);
    if (result != PLAIT_OK) {
        if (result == PLAIT_ERROR_BUSY)
            fail(&call, result, "a callback cannot destroy the context that it is called from");
        call_leave(&call);
        return result;
    }
    // Nobody can signal a semaphore any more: threads that wait for one are let go.
    object_for_each(context, OBJECT_SEMAPHORE, semaphore_release_waiters);
    registry_remove_end(&call);
    float_state_leave(call.float_state);
    if (context->object_count)
        message(context, PLAIT_LOG_WARNING, PLAIT_MESSAGE_OBJECTS_LEFT,
                "plait_context_destroy: %u objects were still alive and go with it", context->object_count);
    // Frames that these threads have submitted meanwhile are let go too. Hairs come first: they refer to the others.
    object_for_each(context, OBJECT_SEMAPHORE, semaphore_release_waiters);
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
    condition_destroy(&context->idle);
    mutex_destroy(&context->lock);
    memory_release(context, context->slots);
    pool_destroy(context, context->pool);
    memory_release(context, context);
    return PLAIT_OK;
}
