// Banks: memory for what the stages of a phase pass on within a chunk of packs. A chunk takes a bank while it runs, so that
// there are as many as threads, each stays in its core's cache, and no hair needs memory for all of its packs. Plans of a
// device lend theirs to each other: of many small heads of hair each finds the one in the cache that the last has left.
#ifndef PLAIT_BANK_H
#define PLAIT_BANK_H

#include "context.h"

#define MAX_BANKS 64 // of a plan
#define BANK_ALIGNMENT 64

// Begins a bank; its memory comes behind it.
struct bank {
    _Alignas(BANK_ALIGNMENT) struct bank *before;
    struct bank *next; // of those that are free
    size_t size;       // bytes
    bool taken;
};

// All banks of a device.
struct bank_pool {
    struct mutex mutex; // guards what follows and the heads of banks; held for a few instructions
    struct bank *free;  // the one that was given back last comes first
};

// Those of one plan.
struct banks {
    char *memory;
    size_t size; // of each, bytes
    uint32_t count;
};

// Count: 1 to MAX_BANKS. False: no memory; then there are none.
bool banks_create(struct context *context, struct bank_pool *pool, size_t size, uint32_t count, struct banks *banks);
// Waits until none is lent. None at all is fine.
void banks_destroy(struct context *context, struct bank_pool *pool, struct banks *banks);

// So many bytes or more to oneself, until they are given back. Waits while all such banks are taken: by then more threads run
// chunks than the host said it has, or chunks of smaller hairs have them, and none of these waits for anything else meanwhile.
char *bank_take(struct bank_pool *pool, size_t size);
void bank_give(struct bank_pool *pool, char *memory);

#endif
