// The probes' CUDA source, compiled for fibers.
#include "fiber_cuda.h"

#include "probe.cu"

#include "kernels.h"

#define FOR_EACH_PROBE(X) X(sum) X(race) X(warp) X(halves) X(atomic) X(whole) X(divergent) X(apart) X(absent) X(beyond)

#define X(name)                                                                                                        \
    static void run_##name(const void *params) { probe_##name(*(const struct probe *)params); }
FOR_EACH_PROBE(X)
#undef X

const struct named_kernel probe_source_kernels[] = {
#define X(name) {"probe_" #name, run_##name, sizeof(struct probe)},
    FOR_EACH_PROBE(X)
#undef X
        {NULL, NULL, 0},
};
