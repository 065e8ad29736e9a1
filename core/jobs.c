#include "jobs.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define PAUSE() _mm_pause()
#elif defined(__aarch64__)
#define PAUSE() __asm__ volatile("isb") // lasts about as long as x86's; "yield" takes no time on most processors
#else
#define PAUSE() ((void)0)
#endif

#define SPINS 2000

// One parallel_for, on the stack of the thread that asked for it. Indices are claimed, whatever index the job system passes in:
// a host that calls a job twice or not at all changes nothing, for the asking thread finishes what is left and waits for what
// is running.
struct pool_batch {
    struct batch batch;
    struct pool_batch *link; // in the pool's list
    atomic_uint visitors;    // pool threads inside; goes up under the pool's mutex only
};

struct pool {
    struct mutex mutex;
    struct condition work; // signalled when a batch is there, or the end
    struct condition idle; // signalled when a thread leaves a batch
    struct pool_batch *batches;
    atomic_uint batch_count; // ever; so that a thread can wait for one without the mutex
    bool ending;
    uint64_t process; // that the threads are in
    uint32_t worker_count;
    struct thread workers[];
};

void batch_init(struct batch *batch, uint32_t count, plait_job job, void *argument) {
    *batch = (struct batch){.job = job, .argument = argument, .count = count};
    atomic_init(&batch->next, 0);
    atomic_init(&batch->done, 0);
    for (int end = 0; end < 2; end++) atomic_init(&batch->taken[end], 0);
}

bool batch_take(struct batch *batch, enum batch_end end) {
    if (atomic_fetch_add_explicit(&batch->next, 1, memory_order_relaxed) >= batch->count) return false;
    uint32_t index = atomic_fetch_add_explicit(&batch->taken[end], 1, memory_order_relaxed);
    batch->job(batch->argument, end == BATCH_FIRST ? index : batch->count - 1 - index);
    atomic_fetch_add_explicit(&batch->done, 1, memory_order_acq_rel);
    return true;
}

// Sleeping and waking takes some 50 us, which is long beside a step of a small head of hair: threads look for a change of
// `value` that long before they sleep. Two threads on 960 x 100 vertices: 1.5 times one without, 1.8 times with it.
void spin_while(atomic_uint *value, unsigned same) {
    for (int i = 0; i < SPINS && atomic_load_explicit(value, memory_order_acquire) == same; i++) PAUSE();
}

static struct pool_batch *find_batch(struct pool *pool) {
    struct pool_batch *batch = pool->batches;
    while (batch && batch_is_claimed(&batch->batch)) batch = batch->link;
    return batch;
}

static void worker_main(void *argument) {
    struct pool *pool = argument;
    mutex_lock(&pool->mutex);
    while (!pool->ending) {
        struct pool_batch *batch = find_batch(pool);
        if (!batch) {
            unsigned seen = atomic_load(&pool->batch_count);
            mutex_unlock(&pool->mutex);
            spin_while(&pool->batch_count, seen);
            mutex_lock(&pool->mutex);
            if (!pool->ending && atomic_load(&pool->batch_count) == seen) condition_wait(&pool->work, &pool->mutex);
            continue;
        }
        atomic_fetch_add(&batch->visitors, 1);
        mutex_unlock(&pool->mutex);
        while (batch_take(&batch->batch, BATCH_LAST)) {
        }
        mutex_lock(&pool->mutex);
        if (atomic_fetch_sub(&batch->visitors, 1) == 1) condition_wake_all(&pool->idle);
    }
    mutex_unlock(&pool->mutex);
}

static void pool_run(struct pool *pool, struct pool_batch *batch) {
    mutex_lock(&pool->mutex);
    batch->link = pool->batches;
    pool->batches = batch;
    atomic_fetch_add(&pool->batch_count, 1);
    condition_wake_all(&pool->work);
    mutex_unlock(&pool->mutex);
    while (batch_take(&batch->batch, BATCH_FIRST)) {
    }
    mutex_lock(&pool->mutex);
    struct pool_batch **link = &pool->batches;
    while (*link != batch) link = &(*link)->link;
    *link = batch->link;
    mutex_unlock(&pool->mutex);
    for (int i = 0; i < SPINS && atomic_load_explicit(&batch->visitors, memory_order_acquire); i++) PAUSE();
    mutex_lock(&pool->mutex);
    while (atomic_load(&batch->visitors)) condition_wait(&pool->idle, &pool->mutex);
    mutex_unlock(&pool->mutex);
}

static void PLAIT_CALL host_job(void *argument, uint32_t index) {
    struct batch *batch = argument;
    batch_take(batch, batch_end_of(batch, index));
}

void jobs_run(struct context *context, uint32_t count, plait_job job, void *argument) {
    struct pool_batch own = {0};
    struct batch *batch = &own.batch;
    batch_init(batch, count, job, argument);
    atomic_init(&own.visitors, 0);
    if (count <= 1 || jobs_threads(context) == 1) {
        while (batch_take(batch, BATCH_FIRST)) {
        }
    } else if (context->pool) {
        pool_run(context->pool, &own);
    } else {
        context->jobs.parallel_for(context->jobs.user, count, host_job, batch);
        while (batch_take(batch, BATCH_FIRST)) {
        }
        while (atomic_load_explicit(&batch->done, memory_order_acquire) < count) sleep_ns(20000);
    }
}

uint32_t jobs_threads(const struct context *context) {
    return context->pool ? context->pool->worker_count + 1 : context->jobs.thread_count;
}

plait_result pool_create(struct call *call, uint32_t threads, struct pool **out) {
    if (threads == 0) {
        threads = processor_count();
        if (threads > POOL_MAX_THREADS) threads = POOL_MAX_THREADS;
    }
    struct pool *pool = memory_allocate(call->context, 1, sizeof *pool + (threads - 1) * sizeof pool->workers[0]);
    if (!pool) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the thread pool");
    pool->process = process_id();
    atomic_init(&pool->batch_count, 0);
    mutex_init(&pool->mutex);
    condition_init(&pool->work);
    condition_init(&pool->idle);
    for (uint32_t i = 0; i + 1 < threads; i++) {
        if (!thread_start(&pool->workers[i], worker_main, pool)) {
            pool_destroy(call->context, pool);
            return fail(call, PLAIT_ERROR_SYSTEM, "thread %u of %u could not be started", i + 1, threads);
        }
        pool->worker_count++;
    }
    *out = pool;
    return PLAIT_OK;
}

static void end_threads(struct pool *pool) {
    mutex_lock(&pool->mutex);
    pool->ending = true;
    condition_wake_all(&pool->work);
    mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->worker_count; i++) thread_join(&pool->workers[i]);
    condition_destroy(&pool->idle);
    condition_destroy(&pool->work);
    mutex_destroy(&pool->mutex);
}

// After a fork the child has none of the threads, though they may hold the mutex or wait for the conditions: waiting for
// either would never end.
void pool_destroy(struct context *context, struct pool *pool) {
    if (!pool) return;
    if (pool->process == process_id()) end_threads(pool);
    memory_release(context, pool);
}
