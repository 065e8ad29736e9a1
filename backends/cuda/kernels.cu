// All kernels as CUDA C: plait_NAME for each line of FOR_EACH_KERNEL, where a thread is a lane and a pack is a warp, and
// plait_NAME_override for each of FOR_EACH_OVERRIDE.
#include "dialect_cuda.h"

#include "kernels/all.h"

#include "kernels/all_overrides.h"

#ifdef __cplusplus
#define ENTRY extern "C" __global__
#else
#define ENTRY __global__
#endif

// Items as many as the counter says, where there is one; the grid has room for the most.
#define ITEM_COUNT (args.counter ? min_uint(*args.counter, args.items) : args.items)
#define THREAD_NUMBER (blockIdx.x * blockDim.x + threadIdx.x)
#define MAIN_PACKS(name)                                                                                               \
    if (THREAD_NUMBER < args.items) kernel_##name(&args, args.first * 32u + THREAD_NUMBER);
#define MAIN_VERTICES(name) MAIN_PACKS(name)
#define MAIN_ITEMS(name)                                                                                               \
    if (THREAD_NUMBER < ITEM_COUNT) kernel_##name(&args, args.first + THREAD_NUMBER);
#define MAIN_GROUPS(name)                                                                                              \
    if (blockIdx.x * args.tile < ITEM_COUNT) kernel_##name(&args, blockIdx.x);

// 64 threads a block: a strand needs more than 64 registers, and small blocks fill what is left.
#define THREADS_PACKS 64
#define THREADS_VERTICES 64
#define THREADS_ITEMS 64
#define THREADS_GROUPS GROUP_THREADS

// Blocks that a multiprocessor must have room for; 0: the compiler decides. Without it version 13.4 gives shape no more than 96
// registers and spills four of them; with room for eight blocks it has 103 to 109, and spills none.
#define SECOND(first, second, ...) second
#define SECOND_OF(...) SECOND(__VA_ARGS__, 0, 0)
#define BLOCKS(name) SECOND_OF(BLOCKS_##name)
#define BLOCKS_shape , 8

// The arguments stay where they are: a parameter that is not __grid_constant__ is copied to every thread's stack when its
// address is taken.
#define X(name, domain, scope, physics)                                                                                \
    ENTRY void __launch_bounds__(THREADS_##domain, BLOCKS(name))                                                       \
        plait_##name(const __grid_constant__ struct name##_args args) {                                                \
        MAIN_##domain(name)                                                                                            \
    }
FOR_EACH_KERNEL(X)
#undef X

#define X(name, strands, vertices, most)                                                                               \
    ENTRY void __launch_bounds__(OVERRIDE_GROUP) plait_##name##_override(                                              \
        const __grid_constant__ struct name##_args args) {                                                             \
        override_##name(&args);                                                                                        \
    }
FOR_EACH_OVERRIDE(X)
#undef X
