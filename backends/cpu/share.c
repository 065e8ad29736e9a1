#include "share.h"
#include "jobs.h"

#define POLL_NS 100000 // jobs on the host's threads wake nobody when they end

// A piece that is under way, on the stack of who began it.
struct share_batch {
    struct batch jobs;
    uint32_t visitors; // who take part without having begun it; guarded by the share's mutex
};

struct share *share_create(struct context *context) {
    struct share *share = memory_allocate(context, 1, sizeof *share);
    if (!share) return NULL;
    share->context = context;
    share->last = &share->first;
    atomic_init(&share->arena_count, 1);
    mutex_init(&share->mutex);
    condition_init(&share->changed);
    return share;
}

void share_keep(struct share *share) { atomic_fetch_add(&share->arena_count, 1); }

void share_drop(struct share *share) {
    if (atomic_fetch_sub(&share->arena_count, 1) > 1) return;
    condition_destroy(&share->changed);
    mutex_destroy(&share->mutex);
    memory_release(share->context, share);
}

static void PLAIT_CALL take_job(void *argument, uint32_t index) {
    struct batch *batch = argument;
    batch_take(batch, batch_end_of(batch, index));
}

static bool is_done(struct share_batch *batch) {
    return atomic_load_explicit(&batch->jobs.done, memory_order_acquire) == batch->jobs.count;
}

// What follows is called with the mutex held, and returns so.

static void await_change(struct share *share) {
    condition_wait_until(&share->changed, &share->mutex, now_ns() + POLL_NS);
}

// Who began the piece may be held up in the host's job system: whoever sees first that it is done says so.
static void end_piece(struct share *share) {
    share->batch = NULL;
    condition_wake_all(&share->changed);
}

static void end_first(struct share *share) {
    struct share_run *run = share->first;
    share->first = run->link;
    if (!share->first) share->last = &share->first;
    run->done = true;
    condition_wake_all(&share->changed);
}

// Begins the next piece of the first run, whosoever that is, and stays until nobody looks at it any more.
static void begin_piece(struct share *share) {
    struct share_batch batch = {0};
    struct share_piece piece;
    if (!share->first->next(share->first, &piece)) {
        end_first(share);
        return;
    }
    batch_init(&batch.jobs, piece.count, piece.job, piece.argument);
    share->batch = &batch;
    condition_wake_all(&share->changed);
    mutex_unlock(&share->mutex);
    jobs_run(share->context, piece.count, take_job, &batch.jobs);
    mutex_lock(&share->mutex);
    while (share->batch == &batch || batch.visitors) {
        if (share->batch == &batch && is_done(&batch))
            end_piece(share);
        else
            await_change(share);
    }
}

static void help(struct share *share, struct share_batch *batch) {
    batch->visitors++;
    mutex_unlock(&share->mutex);
    while (batch_take(&batch->jobs, BATCH_LAST)) {
    }
    mutex_lock(&share->mutex);
    batch->visitors--;
    condition_wake_all(&share->changed);
}

void share_take_turn(struct share *share, struct share_run *run) {
    mutex_lock(&share->mutex);
    run->link = NULL;
    run->done = false;
    *share->last = run;
    share->last = &run->link;
    while (!run->done) {
        struct share_batch *batch = share->batch;
        if (!batch)
            begin_piece(share);
        else if (is_done(batch))
            end_piece(share);
        else if (atomic_load_explicit(&batch->jobs.next, memory_order_relaxed) < batch->jobs.count)
            help(share, batch);
        else
            await_change(share);
    }
    mutex_unlock(&share->mutex);
}
