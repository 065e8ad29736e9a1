#include "tracker.h"

#include <stdlib.h>
#include <string.h>

/* Header of each allocated block. */
struct block {
    struct block *next;
    void *raw;
    void *pointer;
    size_t size;
    size_t alignment;
};

static void *PLAIT_CALL allocate(void *user, size_t size, size_t alignment) {
    tracker *t = user;
    struct block *block = NULL;
    uint64_t call;
    int fits;
    pthread_mutex_lock(&t->mutex);
    call = t->calls++;
    fits = call < t->fail_from || call >= t->fail_to;
    if (size == 0 || alignment == 0 || alignment > 4096 || (alignment & (alignment - 1)) != 0) {
        t->mistakes++;
    } else if (fits || t->misalign) {
        block = malloc(sizeof *block);
    }
    if (block) {
        block->raw = malloc(size + 2 * alignment);
        /* Aligned exactly as asked, filled with garbage. */
        block->pointer = block->raw ? (char *)block->raw + alignment - (uintptr_t)block->raw % alignment : NULL;
        if (!fits && block->raw) {
            block->pointer = (char *)block->pointer + t->misalign % alignment;
        }
        block->size = size;
        block->alignment = alignment;
        block->next = t->blocks;
        t->blocks = block;
        t->live++;
        if (block->pointer) {
            memset(block->pointer, 0xcd, size);
        }
    }
    pthread_mutex_unlock(&t->mutex);
    return block ? block->pointer : NULL;
}

static void PLAIT_CALL release(void *user, void *pointer, size_t size, size_t alignment) {
    tracker *t = user;
    struct block **link;
    pthread_mutex_lock(&t->mutex);
    for (link = &t->blocks; *link && (*link)->pointer != pointer; link = &(*link)->next) {
    }
    if (!*link || (*link)->size != size || (*link)->alignment != alignment) {
        t->mistakes++;
    }
    if (*link) {
        struct block *block = *link;
        *link = block->next;
        memset(pointer, 0xdd, block->size);
        free(block->raw);
        free(block);
        t->live--;
    }
    pthread_mutex_unlock(&t->mutex);
}

void tracker_open(tracker *t) {
    memset(t, 0, sizeof *t);
    pthread_mutex_init(&t->mutex, NULL);
    t->fail_from = t->fail_to = UINT64_MAX;
}

void tracker_close(tracker *t) {
    while (t->blocks) {
        struct block *block = t->blocks;
        t->blocks = block->next;
        free(block->raw);
        free(block);
    }
    pthread_mutex_destroy(&t->mutex);
}

plait_allocator tracker_allocator(tracker *t) {
    plait_allocator allocator = PLAIT_ALLOCATOR_INIT;
    allocator.user = t;
    allocator.allocate = allocate;
    allocator.release = release;
    return allocator;
}
