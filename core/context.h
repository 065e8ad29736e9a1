// The context: owner of all objects, and what every call needs: allocator, log, jobs, and the way from a handle to an
// object. The one thing outside of contexts is the registry in context.c, which says which contexts are alive.
#ifndef PLAIT_CONTEXT_H
#define PLAIT_CONTEXT_H

#include "float_state.h"
#include "plait.h"

#include <pthread.h>
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

enum object_kind {
    OBJECT_NONE,
    OBJECT_CONTEXT,
    OBJECT_DEVICE,
    OBJECT_GROOM,
    OBJECT_BODY,
    OBJECT_HAIR,
    OBJECT_SEMAPHORE
};

// Begins every object but the context. Reference counts and flags are guarded by the context's lock. References are held
// by the handle, by each running call, and by objects that were made from this one.
struct object {
    struct context *context;
    void (*destroy)(struct object *); // frees it; called without any lock held
    uint64_t id;
    uint32_t kind;
    uint32_t references;
    bool busy; // an exclusive call is running
};

// One call from the host: for messages, and to leave the context when it ends.
struct call {
    struct context *context; // null until known
    const char *function;
    unsigned float_state; // the host's, to be put back
};

struct context {
    plait_allocator allocator;
    plait_logger logger;
    plait_jobs jobs;
    struct pool *pool; // null when the host gave a job system
    atomic_flag lock;  // guards slots and the counts in objects; held for a few instructions, never around a callback
    struct object **slots;
    uint32_t slot_count;
    uint32_t object_count;
    uint32_t free_slot; // none below it is free
    uint32_t registry_index;
    const struct module_services *services;
    pthread_mutex_t backends_mutex; // guards the probing
    struct backend_slot backends[BACKEND_COUNT];
};

// Enters a call on a context. On success call.context is set and call_leave must follow. On failure nothing must.
plait_result call_enter_context(struct call *call, plait_context context);

// Enters a call on an object. Exclusive: PLAIT_ERROR_BUSY if another exclusive call is on it. call_leave_object must follow.
plait_result call_enter(struct call *call, uint64_t id, enum object_kind kind, bool exclusive, struct object **object);
void call_leave_object(struct call *call, struct object *object, bool exclusive);
void call_leave(struct call *call);

// Takes a reference to another object of the same context, named by `argument` in messages.
plait_result object_find(struct call *call, const char *argument, uint64_t id, enum object_kind kind,
                         struct object **object);
void object_keep(struct object *object); // one more reference to what is referred to already
void object_drop(struct object *object); // gives a reference back; destroys with the last

// Gives a new object its handle and the reference that goes with it. On failure the object is as before.
plait_result object_publish(struct call *call, struct object *object, enum object_kind kind, uint64_t *id);

// Ends a handle: further use is an error. The object goes when nothing refers to it any more.
plait_result object_retire(struct call *call, uint64_t id, enum object_kind kind);

// Logs an error with the function's name in front and returns result.
plait_result fail(const struct call *call, plait_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void message(struct context *context, uint32_t level, int32_t id, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Zeroed memory aligned to 64 bytes, or null. count * size may not fit: then null as well.
void *memory_allocate(struct context *context, size_t count, size_t size);
void memory_release(struct context *context, void *memory); // null is fine

#endif
