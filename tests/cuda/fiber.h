// CUDA threads as fibers on one CPU thread: blocks one after the other, the threads of a block in turns, each until it
// waits or ends. Strict where a GPU is not: a thread that ends while others wait for it, a lane outside of its own mask,
// threads that wait for each other and threads that meet at different barriers are errors. The order of threads and blocks is
// the schedule's; a result that changes with it is a race.
#ifndef PLAIT_TESTS_FIBER_H
#define PLAIT_TESTS_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIBER_WARP 32
#define FIBER_MAX_THREADS 1024
#define FIBER_MAX_SHARED (48 << 10)
#define FIBER_ERROR_SIZE 256

struct fiber_dim {
    uint32_t x, y, z;
};

typedef void (*fiber_kernel)(const void *params);

struct fiber_launch {
    fiber_kernel kernel;
    const void *params;
    struct fiber_dim grid, block;
    uint64_t schedule; // 0: forward, 1: backward, else the seed of a random one
};

// One running thread, as kernels see it.
struct fiber {
    struct fiber_dim thread, block, block_size, grid_size;
    uint32_t lane, warp;
    uint64_t gathered[FIBER_WARP]; // what the lanes of the last exchange gave
    unsigned char *shared;         // FIBER_MAX_SHARED bytes of the block, not zeroed
};

extern _Thread_local struct fiber *fiber_self;

// Runs all blocks. False, with the reason, when the kernel broke a rule.
bool fiber_run(const struct fiber_launch *launch, char error[FIBER_ERROR_SIZE]);
void fiber_release(void); // frees the calling thread's stacks, when it launches no more

// For kernels. `where`: a line of the source or a number of its own, for messages.
void fiber_barrier(int where);
// Waits until all lanes of mask arrive with the same mask and kind, each with a value; then `gathered` holds the
// values.
void fiber_exchange(uint32_t mask, uint32_t kind, uint64_t value, int where);
void fiber_trap(const char *reason, int where); // ends the launch

#endif
