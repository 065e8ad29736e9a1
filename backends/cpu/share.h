// Runs of arenas that share memory: one after the other, in the order they were handed over, whatever threads they come from.
//
// Who comes while another run is under way helps with it instead of waiting behind a lock. The job system is the host's: while
// it waits for the jobs of one hair it may run anything on the same thread, also the step of another hair of the same share.
// That thread would never come back to a lock that it holds itself. Here nothing depends on the thread that began a run:
// any other can bring it to its end, and then go on with its own.
#ifndef PLAIT_CPU_SHARE_H
#define PLAIT_CPU_SHARE_H

#include "context.h"

// A piece of a run: job(argument, i) for each i below count, in any order, on any threads.
struct share_piece {
    plait_job job; // keeps to itself: it neither waits nor calls the host
    void *argument;
    uint32_t count;
};

// On the stack of who hands it over.
struct share_run {
    // The next piece, once all of the last one is done. False: that was all. On any thread, one at a time.
    bool (*next)(struct share_run *run, struct share_piece *piece);
    struct share_run *link;
    bool done;
};

struct share {
    struct context *context;
    atomic_uint arena_count; // that have it; freed with the last
    struct mutex mutex;      // guards what follows; held for a few instructions and for copies, never around a piece
    struct condition changed;
    struct share_run *first, **last; // of those that are not done
    struct share_batch *batch;       // the piece of the first run that is under way, or null
};

struct share *share_create(struct context *context); // for one arena; null: no memory
void share_keep(struct share *share);                // for one more
void share_drop(struct share *share);
// Whether other arenas have it, too. A lone one need not ask for its turn.
static inline bool share_is_shared(struct share *share) { return atomic_load(&share->arena_count) > 1; }

// Returns when the run is done. Allocates nothing.
void share_take_turn(struct share *share, struct share_run *run);

#endif
