// The scene for measuring steps: curly strands of 30 cm on an icosphere. A step is one plait_hair_step of 1/60 s at 60
// steps per second, with gravity, bones at rest, no colliders and no output.
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "host.h"

typedef struct workload {
    host host;
    double particles;
} workload;

// On the CPU, after ten steps. solver: PLAIT_SOLVER_xxx; level: of the icosphere, 60 strands at 0 and four times as
// many at each further one; vertices: of a strand; instruction_set: PLAIT_CPU_xxx. Reports failures; call host_close in
// any case.
bool workload_open(workload *w, uint32_t solver, uint32_t level, uint32_t vertices, uint32_t threads,
                   uint32_t instruction_set);

// For bench_side.run.
bool workload_step(void *workload);

#endif
