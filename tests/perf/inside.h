// What figures of this program share: the CPU as a device of one thread, from within.
#ifndef PLAIT_TESTS_INSIDE_H
#define PLAIT_TESTS_INSIDE_H

#include "bench.h"
#include "device.h"

extern const bench_table BENCH_BLOCKS, BENCH_EIGEN, BENCH_LAPACK;

extern struct device *cpu; // once open_cpu has said so
bool open_cpu(void);

#endif
