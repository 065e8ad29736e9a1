// The objects of a context, and the way from a handle to one.
#ifndef PLAIT_HANDLES_H
#define PLAIT_HANDLES_H

#include "plait.h"

#include <stdbool.h>

struct call;
struct context;

enum object_kind {
    OBJECT_NONE,
    OBJECT_CONTEXT,
    OBJECT_DEVICE,
    OBJECT_GROOM,
    OBJECT_BODY,
    OBJECT_HAIR,
    OBJECT_SEMAPHORE,
    OBJECT_BINDING
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

// Enters a call on an object. Exclusive: PLAIT_ERROR_BUSY if another exclusive call is on it. call_leave_object must follow.
plait_result call_enter(struct call *call, uint64_t id, enum object_kind kind, bool exclusive, struct object **object);
void call_leave_object(struct call *call, struct object *object, bool exclusive);

// Takes a reference to another object of the same context, named by `argument` in messages.
plait_result object_find(struct call *call, const char *argument, uint64_t id, enum object_kind kind,
                         struct object **object);
// The same, for this call alone: PLAIT_ERROR_BUSY, without a message, if an exclusive call is on it. object_leave must follow.
plait_result object_enter(struct call *call, const char *argument, uint64_t id, enum object_kind kind,
                          struct object **object);
void object_leave(struct object *object);
void object_keep(struct object *object); // one more reference to what is referred to already
void object_drop(struct object *object); // gives a reference back; destroys with the last

// Gives a new object its handle and the reference that goes with it. On failure the object is as before.
plait_result object_publish(struct call *call, struct object *object, enum object_kind kind, uint64_t *id);

// Calls visit for each object of a kind that has a handle.
void object_for_each(struct context *context, enum object_kind kind, void (*visit)(struct object *object));

// Ends a handle: further use is an error. The object goes when nothing refers to it any more.
plait_result object_retire(struct call *call, uint64_t id, enum object_kind kind);

#endif
