#include "jobs.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

// One parallel_for, on the stack of the thread that asked for it. Indices are claimed from a counter, whatever index the
// job system passes in: a host that calls a job twice or not at all changes nothing, for the asking thread finishes what
// is left and waits for what is running.
struct batch {
    plait_job job;
    void *argument;
    uint32_t count;
    atomic_uint next;
    atomic_uint done;
    struct batch *link; // in the pool's list
    uint32_t visitors;  // pool threads inside, guarded by the pool's mutex
};

struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t work; // signalled when a batch is there, or the end
    pthread_cond_t idle; // signalled when a thread leaves a batch
    struct batch *batches;
    bool ending;
    uint32_t worker_count;
    pthread_t workers[];
};

static bool batch_take(struct batch *batch) {
    uint32_t index = atomic_fetch_add_explicit(&batch->next, 1, memory_order_relaxed);
    if (index >= batch->count) return false;
    batch->job(batch->argument, index);
    atomic_fetch_add_explicit(&batch->done, 1, memory_order_acq_rel);
    return true;
}

static void *worker_main(void *argument) {
    struct pool *pool = argument;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->ending) {
        struct batch *batch = pool->batches;
        while (batch && atomic_load_explicit(&batch->next, memory_order_relaxed) >= batch->count) batch = batch->link;
        if (!batch) {
            pthread_cond_wait(&pool->work, &pool->mutex);
            continue;
        }
        batch->visitors++;
        pthread_mutex_unlock(&pool->mutex);
        while (batch_take(batch)) {
        }
        pthread_mutex_lock(&pool->mutex);
        if (--batch->visitors == 0) pthread_cond_broadcast(&pool->idle);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static void pool_run(struct pool *pool, struct batch *batch) {
    pthread_mutex_lock(&pool->mutex);
    batch->link = pool->batches;
    pool->batches = batch;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
    while (batch_take(batch)) {
    }
    pthread_mutex_lock(&pool->mutex);
    struct batch **link = &pool->batches;
    while (*link != batch) link = &(*link)->link;
    *link = batch->link;
    while (batch->visitors) pthread_cond_wait(&pool->idle, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

static void PLAIT_CALL host_job(void *argument, uint32_t index) {
    (void)index;
    batch_take(argument);
}

void jobs_run(struct context *context, uint32_t count, plait_job job, void *argument) {
    struct batch batch = {.job = job, .argument = argument, .count = count};
    atomic_init(&batch.next, 0);
    atomic_init(&batch.done, 0);
    if (count <= 1 || jobs_threads(context) == 1) {
        while (batch_take(&batch)) {
        }
    } else if (context->pool) {
        pool_run(context->pool, &batch);
    } else {
        context->jobs.parallel_for(context->jobs.user, count, host_job, &batch);
        while (batch_take(&batch)) {
        }
        while (atomic_load_explicit(&batch.done, memory_order_acquire) < count) sched_yield();
    }
}

uint32_t jobs_threads(const struct context *context) {
    return context->pool ? context->pool->worker_count + 1 : context->jobs.thread_count;
}

plait_result pool_create(struct call *call, uint32_t threads, struct pool **out) {
    if (threads == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        threads = cores < 1 ? 1 : cores > POOL_MAX_THREADS ? POOL_MAX_THREADS : (uint32_t)cores;
    }
    struct pool *pool = memory_allocate(call->context, 1, sizeof *pool + (threads - 1) * sizeof pool->workers[0]);
    if (!pool) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the thread pool");
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->idle, NULL);
    for (uint32_t i = 0; i + 1 < threads; i++) {
        if (pthread_create(&pool->workers[i], NULL, worker_main, pool) != 0) {
            pool_destroy(call->context, pool);
            return fail(call, PLAIT_ERROR_SYSTEM, "thread %u of %u could not be started", i + 1, threads);
        }
        pool->worker_count++;
    }
    *out = pool;
    return PLAIT_OK;
}

void pool_destroy(struct context *context, struct pool *pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->mutex);
    pool->ending = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->worker_count; i++) pthread_join(pool->workers[i], NULL);
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->mutex);
    memory_release(context, pool);
}
