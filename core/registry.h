// Which contexts are alive, which calls run in each, and what is in a handle.
#ifndef PLAIT_REGISTRY_H
#define PLAIT_REGISTRY_H

#include "context.h"

// A handle, from the top: kind (4 bits), context (8), slot (20), generation (32). Generations come from one counter for
// the whole process, so two live handles never share one and a handle with any bit changed finds nothing.
#define MAX_SLOTS (1u << 20)

static inline uint64_t make_id(enum object_kind kind, uint32_t context, uint32_t slot, uint32_t generation) {
    return (uint64_t)kind << 60 | (uint64_t)context << 52 | (uint64_t)slot << 32 | generation;
}

static inline enum object_kind id_kind(uint64_t id) { return (enum object_kind)(id >> 60); }
static inline uint32_t id_context(uint64_t id) { return (uint32_t)(id >> 52) & 0xff; }
static inline uint32_t id_slot(uint64_t id) { return (uint32_t)(id >> 32) & (MAX_SLOTS - 1); }

// Gives a new context its handle.
plait_result registry_add(struct call *call, struct context *context, plait_context *handle);
// Destroying a context, from a call in it, begins and ends in the registry. Begin: its handle and those of its objects find
// nothing from now on. PLAIT_ERROR_BUSY from a callback that a call in this context has made, for that one would never end,
// and PLAIT_ERROR_INVALID_HANDLE if another thread was first: then nothing was done. End: waits for the calls that began
// before. The context is the caller's alone then, who need not leave.
plait_result registry_remove_begin(const struct call *call);
void registry_remove_end(const struct call *call);

// Enters the context with a registry index if it is alive and, when id is given, if it is that very context.
bool registry_enter(struct call *call, uint32_t index, uint64_t id);

uint32_t registry_generation(void); // of a new handle

#endif
