// Which contexts are alive, how many calls run in each, and what is in a handle.
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
// Ends its handle, from a call in it. False: another call is running there, and nothing was done.
bool registry_remove(struct context *context);

// Enters the context with a registry index if it is alive and, when id is given, if it is that very context.
bool registry_enter(struct call *call, uint32_t index, uint64_t id);

uint32_t registry_generation(void); // of a new handle

#endif
