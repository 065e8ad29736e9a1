// Figures of the hybrid solver's rods on the CPU, on one core: a step of 960 strands, see workload.h.
#include "bench.h"
#include "workload.h"

static bool ns_per_vertex_13(double *value);
static bool ns_per_vertex_41(double *value);
static bool ns_per_vertex_100(double *value);

static const bench_figure FIGURES[] = {
    {"rod.ns_per_vertex_13", "ns", 200, BENCH_AT_MOST, ns_per_vertex_13,
     "one step of hybrid on one core, per vertex: 960 strands of 13"},
    {"rod.ns_per_vertex_41", "ns", 200, BENCH_AT_MOST, ns_per_vertex_41, "the same with strands of 41"},
    {"rod.ns_per_vertex_100", "ns", 200, BENCH_AT_MOST, ns_per_vertex_100, "the same with strands of 100"},
};
const bench_table BENCH_RODS = {FIGURES, sizeof FIGURES / sizeof *FIGURES, NULL};

static bool ns_per_vertex(uint32_t vertices, double *value);

static bool ns_per_vertex_13(double *value) { return ns_per_vertex(13, value); }
static bool ns_per_vertex_41(double *value) { return ns_per_vertex(41, value); }
static bool ns_per_vertex_100(double *value) { return ns_per_vertex(100, value); }

static bool ns_per_vertex(uint32_t vertices, double *value) {
    workload w;
    bench_side side = {workload_step, &w, 0, 0};
    bool measured = workload_open(&w, PLAIT_SOLVER_HYBRID, 2, vertices, 1, PLAIT_CPU_AUTO) && bench_measure(&side, 1);
    if (measured) *value = 1e9 * side.seconds / w.particles;
    host_close(&w.host);
    return measured;
}
