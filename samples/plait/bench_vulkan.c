// Figures of the Vulkan backend on its first device, against the CPU backend with all threads: the same character,
// taking turns frame by frame.
#include <stdio.h>

#include "bench.h"
#include "character.h"

static bool over_cpu(double *value);
static bool frame_ms(double *value);
static bool dispatches(double *value);
static bool barriers(double *value);
static bool device_bytes(double *value);

static const bench_figure FIGURES[] = {
    {"vulkan.over_cpu", "x", 0, BENCH_NO_TARGET, over_cpu,
     "a frame on the first Vulkan device over one on the CPU, all threads; scene as shape.frame_ms"},
    {"vulkan.ms", "ms", 0, BENCH_NO_TARGET, frame_ms, "a frame on that device, its output waited for"},
    {"vulkan.dispatches", "", 0, BENCH_NO_TARGET, dispatches, "compute dispatches per step, output included"},
    {"vulkan.barriers", "", 0, BENCH_NO_TARGET, barriers, "pipeline barriers per step"},
    {"vulkan.bytes", "MB", 0, BENCH_NO_TARGET, device_bytes, "device memory of the whole scene"},
};
const bench_table BENCH_VULKAN = {FIGURES, sizeof FIGURES / sizeof *FIGURES, bench_vulkan_available};

// All figures come from one run.
typedef struct vulkan_run {
    bool done;
    double seconds, over_cpu; // of a frame
    plait_stats_info stats;
    plait_device_info device;
} vulkan_run;

static bool measure(vulkan_run *run) {
    if (run->done) return true;
    character vulkan = {0}, cpu = {0};
    bench_side sides[2] = {{character_frame, &vulkan, 0}, {character_frame, &cpu, 0}};
    run->stats = (plait_stats_info)PLAIT_STATS_INFO_INIT;
    run->device = (plait_device_info)PLAIT_DEVICE_INFO_INIT;
    run->done = character_open(&vulkan, PLAIT_BACKEND_VULKAN) && character_open(&cpu, PLAIT_BACKEND_CPU) &&
                bench_measure(sides, 2) &&
                host_check(plait_hair_stats(vulkan.host.hair, &run->stats), "plait_hair_stats") &&
                host_check(plait_device_query(vulkan.host.device, &run->device), "plait_device_query");
    run->seconds = sides[0].seconds;
    if (run->done) run->over_cpu = bench_ratio(sides);
    character_close(&vulkan);
    character_close(&cpu);
    return run->done;
}

static vulkan_run the_run;

// A frame on the Vulkan device over one on the CPU. On a software device this is the overhead of its driver.
static bool over_cpu(double *value) {
    bool measured = measure(&the_run);
    *value = the_run.over_cpu;
    return measured;
}

static bool frame_ms(double *value) {
    bool measured = measure(&the_run);
    *value = 1e3 * the_run.seconds;
    return measured;
}

// Per step, with one attribute of output.
static bool dispatches(double *value) {
    bool measured = measure(&the_run);
    *value = the_run.stats.dispatches_per_step;
    return measured;
}

static bool barriers(double *value) {
    bool measured = measure(&the_run);
    *value = the_run.stats.barriers_per_step;
    return measured;
}

// On the device, for the whole scene.
static bool device_bytes(double *value) {
    bool measured = measure(&the_run);
    *value = 1e-6 * (double)the_run.device.memory_used_bytes;
    return measured;
}

bool bench_vulkan_available(void) {
    enum { MAX_BACKENDS = 16 };
    plait_context context;
    plait_backend_info backends[MAX_BACKENDS];
    uint32_t count = MAX_BACKENDS;
    bool found = false;
    for (uint32_t i = 0; i < count; i++) backends[i] = (plait_backend_info)PLAIT_BACKEND_INFO_INIT;
    if (!host_context(1, &context)) return false;
    if (host_check(plait_backend_enumerate(context, &count, backends), "plait_backend_enumerate"))
        for (uint32_t i = 0; i < count; i++) {
            if (backends[i].backend != PLAIT_BACKEND_VULKAN) continue;
            found = backends[i].available;
            if (!found) printf("%-28s %10s %s\n", "vulkan", "none:", backends[i].reason);
        }
    plait_context_destroy(context);
    return found;
}
