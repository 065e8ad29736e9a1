// The kernels' CUDA source, compiled for fibers.
#include "fiber_cuda.h"

#include "kernels.cu"

#include "kernels.h"

#define X(name, domain, scope, physics)                                                                                \
    static void run_##name(const void *params) { plait_##name(*(const struct name##_args *)params); }
FOR_EACH_KERNEL(X)
#undef X

#define X(name, strands, vertices, most)                                                                               \
    static void run_##name##_override(const void *params) {                                                            \
        plait_##name##_override(*(const struct name##_args *)params);                                                  \
    }
FOR_EACH_OVERRIDE(X)
#undef X

const struct named_kernel source_kernels[] = {
#define X(name, domain, scope, physics) {"plait_" #name, run_##name, sizeof(struct name##_args)},
    FOR_EACH_KERNEL(X)
#undef X
#define X(name, strands, vertices, most)                                                                               \
    {"plait_" #name "_override", run_##name##_override, sizeof(struct name##_args)},
        FOR_EACH_OVERRIDE(X)
#undef X
            {NULL, NULL, 0},
};
