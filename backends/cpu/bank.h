// Banks: memory for what the stages of a phase pass on within a chunk of packs. A chunk takes a bank while it runs, so that
// there are as many as threads, each stays in its core's cache, and no hair needs memory for all of its packs.
#ifndef PLAIT_BANK_H
#define PLAIT_BANK_H

#include "context.h"

#define MAX_BANKS 64
#define BANK_ALIGNMENT 64

struct banks {
    char *memory;
    size_t size; // of each, bytes
    uint32_t count;
    atomic_ullong free; // a bit for each
};

// Count: 1 to MAX_BANKS. False: no memory; then there are none.
bool banks_create(struct context *context, size_t size, uint32_t count, struct banks *banks);
void banks_destroy(struct context *context, struct banks *banks); // none is fine

// A bank to oneself, until it is given back. Waits while all are taken: by then more threads run chunks than the host said
// it has, and none of them waits for anything else meanwhile.
char *bank_take(struct banks *banks);
void bank_give(struct banks *banks, char *bank);

#endif
