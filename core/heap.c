#include "heap.h"
#include "context.h"

#include <string.h>

#define ALIGNMENT 64 // a cache line, and the widest vector

// Before each block, so that the host's release gets the size back.
union block {
    size_t total;
    char padding[ALIGNMENT];
};

void *memory_allocate(struct context *context, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) return NULL;
    size_t total = bytes + sizeof(union block);
    union block *block = context->allocator.allocate(context->allocator.user, total, ALIGNMENT);
    if (!block) return NULL;
    if ((uintptr_t)block % ALIGNMENT) { // vector instructions would trap
        message(context, PLAIT_LOG_ERROR, PLAIT_ERROR_OUT_OF_MEMORY,
                "the host's allocator gave memory at %p, which is not aligned to %d bytes as asked", (void *)block,
                ALIGNMENT);
        context->allocator.release(context->allocator.user, block, total, ALIGNMENT);
        return NULL;
    }
    memset(block, 0, total);
    block->total = total;
    return block + 1;
}

void memory_release(struct context *context, void *memory) {
    if (!memory) return;
    union block *block = (union block *)memory - 1;
    context->allocator.release(context->allocator.user, block, block->total, ALIGNMENT);
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

void allocator_default(plait_allocator *allocator) {
    allocator->allocate = default_allocate;
    allocator->release = default_release;
}
