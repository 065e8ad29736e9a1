// Figures of the shape solver on the CPU. A step is that of workload.h, unless a figure says otherwise.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "character.h"
#include "copier.h"
#include "machine.h"
#include "system.h"
#include "workload.h"

static bool simd_speedup(double *value);
static bool two_threads(double *value);
static bool two_processors(double *value);
static bool between_cores(double *value);
static bool growth_strands(double *value);
static bool growth_particles(double *value);
static bool copy_bandwidth_share(double *value);
static bool frame_ms(double *value);

static const bench_figure FIGURES[] = {
    {"shape.simd_speedup", "x", 8, BENCH_AT_LEAST, simd_speedup,
     "widest instruction set over scalar; one thread, 960 strands of 100"},
    {"shape.two_threads", "x", 1.8, BENCH_AT_LEAST, two_threads, "two threads over one; 3,840 strands of 100"},
    {"machine.two_threads", "x", 0, BENCH_NO_TARGET, two_processors,
     "what this machine gives to two unrelated threads: the limit of the above"},
    {"machine.between_cores_ns", "ns", 0, BENCH_NO_TARGET, between_cores,
     "a word from a thread to another: some 30 where cores share a cache; dance.frame_ms is twice as long where it is "
     "160"},
    {"shape.growth_strands", "x", 2, BENCH_AT_MOST, growth_strands,
     "cost of a vertex at 15,360 strands over that of a few; one thread, strands of 100"},
    {"shape.growth_particles", "x", 1.25, BENCH_AT_MOST, growth_particles,
     "cost of a vertex in strands of 200 over that in strands of 10; one thread, 960 strands"},
    {"shape.copy_bandwidth_share", "%", 50, BENCH_AT_LEAST, copy_bandwidth_share,
     "bytes a step must move over what memcpy moves in that time; all threads, 15,360 strands"},
    {"shape.frame_ms", "ms", 0, BENCH_NO_TARGET, frame_ms,
     "a whole frame: 3,840 strands of 100 on a runner, colliders, output; all threads"},
};
const bench_table BENCH_SHAPE = {FIGURES, sizeof FIGURES / sizeof *FIGURES, NULL};

static bool compare(workload *a, workload *b, bench_side sides[2]);
static bool pair_in_turn(void *argument);
static bool pair_at_once(void *argument);
static void *step_thread(void *argument);

// The widest instruction set against scalar, one thread, 960 strands of 100.
static bool simd_speedup(double *value) {
    workload scalar = {0}, wide = {0};
    bench_side sides[2];
    bool measured = workload_open(&scalar, PLAIT_SOLVER_SHAPE, 2, 100, 1, PLAIT_CPU_SCALAR) &&
                    workload_open(&wide, PLAIT_SOLVER_SHAPE, 2, 100, 1, PLAIT_CPU_AUTO) &&
                    compare(&scalar, &wide, sides);
    if (measured) *value = bench_ratio(sides);
    host_close(&scalar.host);
    host_close(&wide.host);
    return measured;
}

// Two threads against one, 3,840 strands of 100. More threads are limited by memory, see copy_bandwidth_share.
static bool two_threads(double *value) {
    workload one = {0}, two = {0};
    bench_side sides[2];
    bool measured = workload_open(&one, PLAIT_SOLVER_SHAPE, 3, 100, 1, PLAIT_CPU_AUTO) &&
                    workload_open(&two, PLAIT_SOLVER_SHAPE, 3, 100, 2, PLAIT_CPU_AUTO) && compare(&one, &two, sides);
    if (measured) *value = bench_ratio(sides);
    host_close(&one.host);
    host_close(&two.host);
    return measured;
}

// What two threads can gain on this machine: two unrelated heads of half that size, in parallel against in turn. Below
// 2 where cores share execution units, caches or memory; the upper bound of shape.two_threads.
static bool two_processors(double *value) {
    workload pair[2] = {0};
    bench_side sides[2] = {{pair_in_turn, pair, 0}, {pair_at_once, pair, 0}};
    bool measured = workload_open(&pair[0], PLAIT_SOLVER_SHAPE, 3, 50, 1, PLAIT_CPU_AUTO) &&
                    workload_open(&pair[1], PLAIT_SOLVER_SHAPE, 3, 50, 1, PLAIT_CPU_AUTO) && bench_measure(sides, 2);
    if (measured) *value = bench_ratio(sides);
    host_close(&pair[0].host);
    host_close(&pair[1].host);
    return measured;
}

// A virtual machine can have either, and go from one to the other within seconds.
static bool between_cores(double *value) {
    bool measured = machine_between_cores(value);
    *value *= 1e9;
    return measured;
}

// Cost per particle at 15,360 strands over that at the smallest size that fills the lanes twice; strands of 100.
static bool growth_strands(double *value) {
    workload few = {0}, many = {0};
    bench_side sides[2];
    bool measured = workload_open(&many, PLAIT_SOLVER_SHAPE, 4, 100, 1, PLAIT_CPU_AUTO);
    uint32_t level = 0;
    while (60u << (2 * level) < 2 * many.host.device_info.pack_width) level++;
    measured = measured && workload_open(&few, PLAIT_SOLVER_SHAPE, level, 100, 1, PLAIT_CPU_AUTO) &&
               compare(&few, &many, sides);
    if (measured) *value = few.particles / many.particles / bench_ratio(sides);
    host_close(&few.host);
    host_close(&many.host);
    return measured;
}

// Cost per particle in strands of 200 over that in strands of 10; 960 strands, one thread.
static bool growth_particles(double *value) {
    workload brief = {0}, lengthy = {0};
    bench_side sides[2];
    bool measured = workload_open(&brief, PLAIT_SOLVER_SHAPE, 2, 10, 1, PLAIT_CPU_AUTO) &&
                    workload_open(&lengthy, PLAIT_SOLVER_SHAPE, 2, 200, 1, PLAIT_CPU_AUTO) &&
                    compare(&brief, &lengthy, sides);
    if (measured) *value = brief.particles / lengthy.particles / bench_ratio(sides);
    host_close(&brief.host);
    host_close(&lengthy.host);
    return measured;
}

// Bytes that a step must move, over what memcpy moves in that time on as many threads; 15,360 strands of 100.
static bool copy_bandwidth_share(double *value) {
    // Positions and velocities read and written, 12 bytes each, and 16 bytes of rest shape read.
    const double bytes_per_particle = 64;
    workload w = {0};
    copier c;
    bench_side sides[2] = {{workload_step, &w, 0}, {copier_copy, &c, 0}};
    bool measured = copier_open(&c, (size_t)256 << 20, 0) &&
                    workload_open(&w, PLAIT_SOLVER_SHAPE, 4, 100, c.thread_count, PLAIT_CPU_AUTO) &&
                    bench_measure(sides, 2);
    if (measured) *value = 100 * bytes_per_particle * w.particles / (2 * (double)c.bytes) / bench_ratio(sides);
    host_close(&w.host);
    copier_close(&c);
    return measured;
}

// A whole frame: 3,840 strands of 100 on a running mannequin with colliders and output, all threads.
static bool frame_ms(double *value) {
    character c;
    bench_side side = {character_frame, &c, 0};
    bool measured = character_open(&c, PLAIT_BACKEND_CPU) && bench_measure(&side, 1);
    if (measured) *value = 1e3 * side.seconds;
    character_close(&c);
    return measured;
}

static bool compare(workload *a, workload *b, bench_side sides[2]) {
    sides[0] = (bench_side){workload_step, a, 0};
    sides[1] = (bench_side){workload_step, b, 0};
    return bench_measure(sides, 2);
}

// Enough steps that the cost of starting a thread is negligible.
enum { PAIR_STEPS = 10 };

static bool pair_in_turn(void *argument) {
    workload *pair = argument;
    return !step_thread(&pair[0]) && !step_thread(&pair[1]);
}

static bool pair_at_once(void *argument) {
    workload *pair = argument;
    pthread_t other;
    void *failed = NULL;
    if (pthread_create(&other, NULL, step_thread, &pair[1]) != 0) return false;
    void *failed_here = step_thread(&pair[0]);
    pthread_join(other, &failed);
    return !failed && !failed_here;
}

// Null on success.
static void *step_thread(void *argument) {
    workload *w = argument;
    for (int i = 0; i < PAIR_STEPS; i++)
        if (!workload_step(w)) return argument;
    return NULL;
}
