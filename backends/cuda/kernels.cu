// All kernels as CUDA C: plait_NAME for each line of FOR_EACH_KERNEL, where a thread is a strand and a pack
// is a warp, and plait_NAME_override for each of FOR_EACH_OVERRIDE.
#include "dialect_cuda.h"
#include "layout.h"

#include "physics/angle.h"
#include "physics/capsule.h"
#include "physics/friction.h"
#include "physics/rod.h"
#include "physics/strand_shape.h"

#include "kernels/roots.h"

#include "kernels/rest.h"

#include "kernels/carry.h"

#include "kernels/band.h"
#include "kernels/band_override.h"
#include "kernels/contacts.h"
#include "kernels/output.h"
#include "kernels/rod.h"
#include "kernels/rod_begin.h"
#include "kernels/rod_build.h"
#include "kernels/rod_build_override.h"
#include "kernels/shape.h"

#include "kernels/rod_end.h"

#include "kernels/snapshot.h"

#ifdef __cplusplus
#define ENTRY extern "C" __global__
#else
#define ENTRY __global__
#endif

// The arguments stay where they are: a parameter that is not __grid_constant__ is copied to every thread's stack when its
// address is taken. 64 threads a block: a strand needs more than 64 registers, and small blocks fill what is left.
#define X(name, physics)                                                                                               \
    ENTRY void __launch_bounds__(64) plait_##name(const __grid_constant__ struct kernel_launch args) {                            \
        uint item = blockIdx.x * blockDim.x + threadIdx.x;                                                             \
        if (item < args.items) kernel_##name(&args, item);                                                             \
    }
FOR_EACH_KERNEL(X)
#undef X

#define X(name, strands, vertices, most)                                                                                      \
    ENTRY void __launch_bounds__(OVERRIDE_GROUP) plait_##name##_override(                                              \
        const __grid_constant__ struct kernel_launch args) {                                                           \
        override_##name(&args);                                                                                        \
    }
FOR_EACH_OVERRIDE(X)
#undef X
