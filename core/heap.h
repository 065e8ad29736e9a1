// Memory of a context, from the host's allocator.
#ifndef PLAIT_HEAP_H
#define PLAIT_HEAP_H

#include "plait.h"

struct context;

// Zeroed memory aligned to 64 bytes, or null. count * size may not fit: then null as well.
void *memory_allocate(struct context *context, size_t count, size_t size);
void memory_release(struct context *context, void *memory); // null is fine

// The C library's, for hosts that give none.
void allocator_default(plait_allocator *allocator);

#endif
