// Parallel work: the host's job system, or a pool of our own threads.
#ifndef PLAIT_JOBS_H
#define PLAIT_JOBS_H

#include "context.h"

#define POOL_MAX_THREADS 256

// Jobs whose indices are claimed by all who take part: by who asks for them from the first on, by who helps from the last on. So a
// thread gets much the same indices in one batch after the other, and finds in its cache what it has left there.
enum batch_end { BATCH_FIRST, BATCH_LAST };
struct batch {
    plait_job job;
    void *argument;
    uint32_t count;
    atomic_uint next, done; // how many have been claimed, or asked for in vain, and are done
    atomic_uint taken[2];   // from each end
};
void batch_init(struct batch *batch, uint32_t count, plait_job job, void *argument);
bool batch_take(struct batch *batch, enum batch_end end); // claims an index and runs its job; false: none is left
// The end that an index of a job system is nearer to, which may be any number.
static inline enum batch_end batch_end_of(const struct batch *batch, uint32_t index) {
    return index < batch->count / 2 ? BATCH_FIRST : BATCH_LAST;
}
static inline bool batch_is_claimed(const struct batch *batch) { // to the last
    return atomic_load_explicit(&batch->next, memory_order_relaxed) >= batch->count;
}

// Looks for a change of `value` as long as sleeping and waking would take.
void spin_while(atomic_uint *value, unsigned same);

// Calls job(argument, i) exactly once for each i below count and returns when all have returned.
void jobs_run(struct context *context, uint32_t count, plait_job job, void *argument);
uint32_t jobs_threads(const struct context *context);

// threads: 0 for one per core; the calling thread is one of them.
plait_result pool_create(struct call *call, uint32_t threads, struct pool **pool);
void pool_destroy(struct context *context, struct pool *pool); // null is fine

#endif
