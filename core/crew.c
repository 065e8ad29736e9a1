#include "crew.h"
#include "jobs.h"

// What a task shares out, on its stack.
struct shared_batch {
    struct batch jobs;
    struct shared_batch *next;
    uint32_t visitors; // threads inside, but for its own; guarded by the crew's mutex
};

struct crew {
    struct mutex mutex; // guards what follows; held for a few instructions
    struct condition changed;
    struct task *ends[2]; // not begun yet: by enum batch_end the first and the last of them, or null
    uint32_t unfinished;
    struct shared_batch *batches;
    atomic_uint change_count; // ever; so that a thread can wait for one without the mutex
};

// What follows is called with the mutex held, and returns so.

static void tell_change(struct crew *crew) {
    atomic_fetch_add(&crew->change_count, 1);
    condition_wake_all(&crew->changed);
}

static void await_change(struct crew *crew) {
    unsigned seen = atomic_load(&crew->change_count);
    mutex_unlock(&crew->mutex);
    spin_while(&crew->change_count, seen);
    mutex_lock(&crew->mutex);
    if (atomic_load(&crew->change_count) == seen) condition_wait(&crew->changed, &crew->mutex);
}

static struct shared_batch *find_batch(const struct crew *crew) {
    struct shared_batch *batch = crew->batches;
    while (batch && batch_is_claimed(&batch->jobs)) batch = batch->next;
    return batch;
}

// One job of a batch: a thread with a batch of its own goes on with that as soon as it can.
static void help_once(struct crew *crew, struct shared_batch *batch) {
    batch->visitors++;
    mutex_unlock(&crew->mutex);
    batch_take(&batch->jobs, BATCH_LAST);
    mutex_lock(&crew->mutex);
    if (--batch->visitors == 0 && batch_is_claimed(&batch->jobs)) tell_change(crew);
}

// The next task to begin, or null.
static struct task *take_task(struct crew *crew, enum batch_end end) {
    struct task *task = crew->ends[end];
    if (!task) return NULL;
    if (crew->ends[BATCH_FIRST] == crew->ends[BATCH_LAST])
        crew->ends[BATCH_FIRST] = crew->ends[BATCH_LAST] = NULL;
    else
        crew->ends[end] = end == BATCH_FIRST ? task->next : task->before;
    return task;
}

// Who asked goes through tasks from the first on, who helps from the last on: so most hairs stay with the core that has them in
// its cache, frame after frame.
static void PLAIT_CALL work(void *argument, uint32_t index) {
    struct crew *crew = argument;
    enum batch_end end = index == 0 ? BATCH_FIRST : BATCH_LAST;
    mutex_lock(&crew->mutex);
    while (crew->unfinished) {
        struct task *task = take_task(crew, end);
        struct shared_batch *batch;
        if (task) {
            mutex_unlock(&crew->mutex);
            task->run(task, crew);
            mutex_lock(&crew->mutex);
            if (--crew->unfinished == 0) tell_change(crew);
        } else if ((batch = find_batch(crew))) {
            help_once(crew, batch);
        } else {
            await_change(crew);
        }
    }
    mutex_unlock(&crew->mutex);
}

void crew_run(struct context *context, struct task *first) {
    struct crew crew = {.ends[BATCH_FIRST] = first};
    for (struct task *task = first; task; task = task->next) {
        task->before = crew.ends[BATCH_LAST];
        crew.ends[BATCH_LAST] = task;
        crew.unfinished++;
    }
    atomic_init(&crew.change_count, 0);
    mutex_init(&crew.mutex);
    condition_init(&crew.changed);
    uint32_t threads = jobs_threads(context); // a host's may be any number
    jobs_run(context, threads < POOL_MAX_THREADS ? threads : POOL_MAX_THREADS, work, &crew);
    condition_destroy(&crew.changed);
    mutex_destroy(&crew.mutex);
}

void crew_share(struct crew *crew, uint32_t count, plait_job job, void *argument) {
    struct shared_batch own = {0};
    batch_init(&own.jobs, count, job, argument);
    if (count > 1) {
        mutex_lock(&crew->mutex);
        own.next = crew->batches;
        crew->batches = &own;
        if (!crew->ends[BATCH_FIRST]) tell_change(crew); // else nobody waits for work
        mutex_unlock(&crew->mutex);
    }
    while (batch_take(&own.jobs, BATCH_FIRST)) {
    }
    if (count <= 1) return;
    mutex_lock(&crew->mutex);
    struct shared_batch **link = &crew->batches, *other;
    while (*link != &own) link = &(*link)->next;
    *link = own.next;
    while (own.visitors) {
        if ((other = find_batch(crew)))
            help_once(crew, other);
        else
            await_change(crew);
    }
    mutex_unlock(&crew->mutex);
}
