#include "fiber.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK_SIZE (128u << 10)
#define GUARD_SIZE (4u << 10)

enum state { READY, AT_BARRIER, AT_EXCHANGE, ENDED };

struct task {
    struct fiber fiber; // first: fiber_self points here
    ucontext_t context;
    enum state state;
    uint32_t mask, kind;
    uint64_t value;
    int where;
};

// One per CPU thread that launches. Contexts live on from launch to launch.
struct scheduler {
    const struct fiber_launch *launch;
    ucontext_t home;
    struct task *tasks;
    uint32_t made; // tasks that have a context
    uint32_t count;
    unsigned char *stacks;
    unsigned char *shared;
    uint64_t random;
    bool failed;
    char *error;
};

_Thread_local struct fiber *fiber_self;
static _Thread_local struct scheduler *scheduler;

static struct task *self(void) { return (struct task *)fiber_self; }

static void switch_home(void) { swapcontext(&self()->context, &scheduler->home); }

static void fail(const char *text, int where) {
    if (!scheduler->failed)
        snprintf(scheduler->error, FIBER_ERROR_SIZE, "%s (block %u, thread %u, at %d)", text, fiber_self->block.x,
                 fiber_self->thread.x, where);
    scheduler->failed = true;
}

void fiber_trap(const char *reason, int where) {
    fail(reason, where);
    for (;;) switch_home(); // never resumed
}

// A fiber runs one thread of one block, then waits to be another's.
static void task_main(void) {
    for (;;) {
        scheduler->launch->kernel(scheduler->launch->params);
        self()->state = ENDED;
        switch_home();
    }
}

void fiber_barrier(int where) {
    self()->state = AT_BARRIER;
    self()->where = where;
    switch_home();
}

// ---- warps ----

// Releases the lanes of a mask when the last of them has arrived.
static void try_exchange(const struct task *last) {
    struct task *warp = scheduler->tasks + last->fiber.warp * FIBER_WARP;
    uint32_t lanes = scheduler->count - last->fiber.warp * FIBER_WARP;
    uint64_t gathered[FIBER_WARP] = {0};
    for (uint32_t i = 0; i < FIBER_WARP; i++) {
        if (!(last->mask >> i & 1)) continue;
        if (i >= lanes || warp[i].state == ENDED) {
            fail("a mask names a lane that is not there or has ended", last->where);
            return;
        }
        if (warp[i].state != AT_EXCHANGE || warp[i].mask != last->mask || warp[i].kind != last->kind) return;
        gathered[i] = warp[i].value;
    }
    for (uint32_t i = 0; i < FIBER_WARP; i++) {
        if (!(last->mask >> i & 1)) continue;
        warp[i].state = READY;
        memcpy(warp[i].fiber.gathered, gathered, sizeof gathered);
    }
}

void fiber_exchange(uint32_t mask, uint32_t kind, uint64_t value, int where) {
    struct task *task = self();
    if (!(mask >> task->fiber.lane & 1)) fiber_trap("a lane is not in its own mask", where);
    task->state = AT_EXCHANGE;
    task->mask = mask;
    task->kind = kind;
    task->value = value;
    task->where = where;
    try_exchange(task);
    if (task->state != READY || scheduler->failed) switch_home();
}

// ---- scheduling ----

static uint64_t next_random(struct scheduler *s) {
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return s->random >> 33;
}

// The k-th of n in this round's order.
static uint32_t in_order(const struct scheduler *s, uint32_t n, uint32_t k, uint64_t round) {
    if (s->launch->schedule == 0) return k;
    if (s->launch->schedule == 1) return n - 1 - k;
    // Steps that are coprime to n visit all; random start and direction.
    uint32_t step = (uint32_t)(round >> 8 | 1) % n;
    uint32_t a = n, b = step;
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    if (a != 1) step = 1;
    return (uint32_t)((round + (uint64_t)k * step) % n);
}

static void resume(struct scheduler *s, struct task *task) {
    fiber_self = &task->fiber;
    swapcontext(&s->home, &task->context);
}

static void report_stuck(struct scheduler *s) {
    uint32_t ended = 0, waiting = 0;
    const struct task *first = NULL;
    for (uint32_t i = 0; i < s->count; i++) {
        ended += s->tasks[i].state == ENDED;
        waiting += s->tasks[i].state != ENDED;
        if (s->tasks[i].state != ENDED && !first) first = &s->tasks[i];
    }
    snprintf(s->error, FIBER_ERROR_SIZE,
             "block %u: %u threads wait for ever, the first is %u at %d in %s %08x; %u have ended",
             first->fiber.block.x, waiting, first->fiber.thread.x, first->where,
             first->state == AT_BARRIER ? "a barrier" : "an exchange of", first->mask, ended);
    s->failed = true;
}

// All threads of the block are at a barrier: the same, or two barriers would be taken for one.
static void open_barrier(struct scheduler *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->tasks[i].where != s->tasks[0].where) {
            snprintf(s->error, FIBER_ERROR_SIZE, "block %u: threads 0 and %u wait at different barriers, at %d and %d",
                     s->tasks[0].fiber.block.x, i, s->tasks[0].where, s->tasks[i].where);
            s->failed = true;
            return;
        }
        s->tasks[i].state = READY;
    }
}

static bool run_block(struct scheduler *s) {
    uint32_t left = s->count;
    memset(s->shared, 0xff, FIBER_MAX_SHARED); // NaN: memory is not zeroed
    for (uint32_t i = 0; i < s->count; i++) s->tasks[i].state = READY;
    while (left && !s->failed) {
        uint32_t progress = 0, at_barrier = 0;
        uint64_t round = next_random(s);
        for (uint32_t k = 0; k < s->count && !s->failed; k++) {
            struct task *task = &s->tasks[in_order(s, s->count, k, round)];
            if (task->state != READY) continue;
            progress++;
            resume(s, task);
            left -= task->state == ENDED;
        }
        for (uint32_t i = 0; i < s->count; i++) at_barrier += s->tasks[i].state == AT_BARRIER;
        if (at_barrier == s->count)
            open_barrier(s);
        else if (!progress && left && !s->failed)
            report_stuck(s);
    }
    return !s->failed;
}

// ---- life ----

static struct scheduler *get_scheduler(void) {
    if (scheduler) return scheduler;
    struct scheduler *s = calloc(1, sizeof *s);
    struct task *tasks = calloc(FIBER_MAX_THREADS, sizeof *tasks);
    unsigned char *shared = aligned_alloc(256, FIBER_MAX_SHARED);
    void *stacks = mmap(NULL, (size_t)STACK_SIZE * FIBER_MAX_THREADS, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!s || !tasks || !shared || stacks == MAP_FAILED) abort();
    s->tasks = tasks;
    s->shared = shared;
    s->stacks = stacks;
    scheduler = s;
    return s;
}

void fiber_release(void) {
    if (!scheduler) return;
    munmap(scheduler->stacks, (size_t)STACK_SIZE * FIBER_MAX_THREADS);
    free(scheduler->shared);
    free(scheduler->tasks);
    free(scheduler);
    scheduler = NULL;
}

static void make_context(struct scheduler *s, uint32_t i) {
    struct task *task = &s->tasks[i];
    unsigned char *stack = s->stacks + (size_t)i * STACK_SIZE;
    mprotect(stack, GUARD_SIZE, PROT_NONE);
    getcontext(&task->context);
    task->context.uc_stack.ss_sp = stack + GUARD_SIZE;
    task->context.uc_stack.ss_size = STACK_SIZE - GUARD_SIZE;
    task->context.uc_link = NULL;
    makecontext(&task->context, task_main, 0);
}

static void place(struct scheduler *s, uint32_t block) {
    const struct fiber_dim grid = s->launch->grid, size = s->launch->block;
    for (uint32_t i = 0; i < s->count; i++) {
        struct fiber *f = &s->tasks[i].fiber;
        f->thread = (struct fiber_dim){i % size.x, i / size.x % size.y, i / (size.x * size.y)};
        f->block = (struct fiber_dim){block % grid.x, block / grid.x % grid.y, block / (grid.x * grid.y)};
        f->block_size = size;
        f->grid_size = grid;
        f->lane = i % FIBER_WARP;
        f->warp = i / FIBER_WARP;
        f->shared = s->shared;
    }
}

bool fiber_run(const struct fiber_launch *launch, char error[FIBER_ERROR_SIZE]) {
    struct scheduler *s = get_scheduler();
    s->launch = launch;
    s->error = error;
    s->failed = false;
    s->random = launch->schedule;
    s->count = launch->block.x * launch->block.y * launch->block.z;
    uint32_t blocks = launch->grid.x * launch->grid.y * launch->grid.z;
    if (s->count == 0 || s->count > FIBER_MAX_THREADS || blocks == 0) {
        snprintf(error, FIBER_ERROR_SIZE, "%u blocks of %u threads", blocks, s->count);
        return false;
    }
    for (; s->made < s->count; s->made++) make_context(s, s->made);
    uint64_t round = next_random(s);
    for (uint32_t b = 0; b < blocks && !s->failed; b++) {
        place(s, in_order(s, blocks, b, round));
        run_block(s);
    }
    fiber_self = NULL;
    if (s->failed) s->made = 0; // fibers are stuck where they failed: create new ones
    return !s->failed;
}
