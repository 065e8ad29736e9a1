#include "bench.h"

#include <stddef.h>

const bench_table *const BENCH_TABLES[] = {&BENCH_SHAPE,    &BENCH_RODS,   &BENCH_DANCE,        &BENCH_REST,
                                           &BENCH_SAGFREE,  &BENCH_CROWD,  &BENCH_GROOM,        &BENCH_RENDER,
                                           &BENCH_VALIDATE, &BENCH_VULKAN, &BENCH_DANCE_VULKAN, NULL};
