// The context: owner of all objects, and what every call needs: allocator, log, jobs, and the way from a handle to an
// object. The one thing outside of contexts is registry.c, which says which contexts are alive.
#ifndef PLAIT_CONTEXT_H
#define PLAIT_CONTEXT_H

#include "float_state.h"
#include "handles.h"
#include "heap.h"
#include "log.h"
#include "platform.h"

#include <stdatomic.h>
#include <stdbool.h>

#define ARRAY_LENGTH(a) (sizeof(a) / sizeof((a)[0]))

struct backend;
struct call;
struct context;
struct pool;

// What modules use of core: they are not linked to it.
struct module_services {
    void *(*allocate)(struct context *context, size_t count, size_t size);
    void (*release)(struct context *context, void *memory);
    plait_result (*fail)(const struct call *call, plait_result result, const char *format, ...);
    void (*message)(struct context *context, uint32_t level, int32_t id, const char *format, ...);
};

#define BACKEND_COUNT 4

// What is known of one backend in this context.
struct backend_slot {
    const struct backend *backend; // null: its module is not here
    void *module;
    void *state;
    uint32_t device_count;
    bool probed;
    bool software; // its first device is a software device
    char reason[PLAIT_REASON_SIZE];
};

// One call from the host: for messages, and to leave the context when it ends.
struct call {
    struct context *context; // null until known
    const char *function;
    uint64_t float_state; // the host's, to be put back
    uint64_t thread;
    struct call *next; // in the registry's list of those that run in the context
};

struct context {
    plait_allocator allocator;
    plait_logger logger;
    plait_jobs jobs;
    struct pool *pool; // null when the host gave a job system
    struct mutex lock; // guards slots and the counts in objects; held for a few instructions, never around a callback
    struct object **slots;
    uint32_t slot_count;
    uint32_t object_count;
    uint32_t free_slot; // none below it is free
    uint32_t registry_index;
    struct condition idle; // the last call has left, while it is being destroyed; goes with the registry's lock
    const struct module_services *services;
    struct mutex backends_mutex; // guards the probing
    struct backend_slot backends[BACKEND_COUNT];
};

// Enters a call on a context. On success call.context is set and call_leave must follow. On failure nothing must.
plait_result call_enter_context(struct call *call, plait_context context);
void call_leave(struct call *call);

#endif
