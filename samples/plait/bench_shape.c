// Figures of the shape solver on the CPU. A step is one plait_hair_step of 1/60 s at 60 steps per
// second with gravity, bones at rest and no output, unless a figure says otherwise.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "character.h"

static bool simd_speedup(double *value);
static bool two_threads(double *value);
static bool two_processors(double *value);
static bool growth_strands(double *value);
static bool growth_particles(double *value);
static bool copy_bandwidth_share(double *value);
static bool frame_ms(double *value);

static const bench_figure FIGURES[] = {
    {"shape.simd_speedup", "x", 8, BENCH_AT_LEAST, simd_speedup},
    {"shape.two_threads", "x", 1.8, BENCH_AT_LEAST, two_threads},
    {"machine.two_threads", "x", 0, BENCH_NO_TARGET, two_processors},
    {"shape.growth_strands", "x", 2, BENCH_AT_MOST, growth_strands},
    {"shape.growth_particles", "x", 1.25, BENCH_AT_MOST, growth_particles},
    {"shape.copy_bandwidth_share", "%", 50, BENCH_AT_LEAST, copy_bandwidth_share},
    {"shape.frame_ms", "ms", 0, BENCH_NO_TARGET, frame_ms},
};
const bench_table BENCH_SHAPE = {FIGURES, sizeof FIGURES / sizeof *FIGURES, NULL};

// A head of hair on a subdivided icosahedron.
typedef struct workload {
    host host;
    double particles;
} workload;

typedef struct copier {
    unsigned char *from, *to;
    size_t bytes;
    uint32_t thread_count;
} copier;

static bool open_workload(workload *w, uint32_t level, uint32_t vertices, uint32_t threads, uint32_t instruction_set);
static bool step(void *argument);
static bool compare(workload *a, workload *b, bench_side sides[2]);
static bool pair_in_turn(void *argument);
static bool pair_at_once(void *argument);
static void *step_thread(void *argument);
static uint32_t core_count(void);
static bool copy(void *argument);
static void *copy_slice(void *argument);

// The widest instruction set against scalar, one thread, 960 strands of 100.
static bool simd_speedup(double *value) {
    workload scalar = {0}, wide = {0};
    bench_side sides[2];
    bool measured = open_workload(&scalar, 2, 100, 1, PLAIT_CPU_SCALAR) &&
                    open_workload(&wide, 2, 100, 1, PLAIT_CPU_AUTO) && compare(&scalar, &wide, sides);
    if (measured) *value = sides[0].over_next;
    host_close(&scalar.host);
    host_close(&wide.host);
    return measured;
}

// Two threads against one, 3,840 strands of 100: more is a matter of memory, see copy_bandwidth_share.
static bool two_threads(double *value) {
    workload one = {0}, two = {0};
    bench_side sides[2];
    bool measured = open_workload(&one, 3, 100, 1, PLAIT_CPU_AUTO) && open_workload(&two, 3, 100, 2, PLAIT_CPU_AUTO) &&
                    compare(&one, &two, sides);
    if (measured) *value = sides[0].over_next;
    host_close(&one.host);
    host_close(&two.host);
    return measured;
}

// What the machine has to give to two threads: two heads of half that size that know nothing of each other, at once
// against in turn. Below 2 where cores share execution units, caches or memory; shape.two_threads cannot be more.
static bool two_processors(double *value) {
    workload pair[2] = {0};
    bench_side sides[2] = {{pair_in_turn, pair, 0, 0}, {pair_at_once, pair, 0, 0}};
    bool measured = open_workload(&pair[0], 3, 50, 1, PLAIT_CPU_AUTO) &&
                    open_workload(&pair[1], 3, 50, 1, PLAIT_CPU_AUTO) && bench_measure(sides, 2);
    if (measured) *value = sides[0].over_next;
    host_close(&pair[0].host);
    host_close(&pair[1].host);
    return measured;
}

// Cost of a particle at 15,360 strands over that at the smallest size that fills the lanes twice; 100 a strand.
static bool growth_strands(double *value) {
    workload few = {0}, many = {0};
    bench_side sides[2];
    bool measured = open_workload(&many, 4, 100, 1, PLAIT_CPU_AUTO);
    uint32_t level = 0;
    while (60u << (2 * level) < 2 * many.host.device_info.pack_width) level++;
    measured = measured && open_workload(&few, level, 100, 1, PLAIT_CPU_AUTO) && compare(&few, &many, sides);
    if (measured) *value = few.particles / many.particles / sides[0].over_next;
    host_close(&few.host);
    host_close(&many.host);
    return measured;
}

// Cost of a particle in strands of 200 over that in strands of 10; 960 strands, one thread.
static bool growth_particles(double *value) {
    workload brief = {0}, lengthy = {0};
    bench_side sides[2];
    bool measured = open_workload(&brief, 2, 10, 1, PLAIT_CPU_AUTO) &&
                    open_workload(&lengthy, 2, 200, 1, PLAIT_CPU_AUTO) && compare(&brief, &lengthy, sides);
    if (measured) *value = brief.particles / lengthy.particles / sides[0].over_next;
    host_close(&brief.host);
    host_close(&lengthy.host);
    return measured;
}

// What a step must move, over what memcpy moves in that time on as many threads; 15,360 strands of 100.
static bool copy_bandwidth_share(double *value) {
    // Positions and velocities read and written, 12 bytes each, and 16 bytes of rest shape read.
    const double bytes_per_particle = 64;
    workload w = {0};
    copier c = {.bytes = (size_t)256 << 20, .thread_count = core_count()};
    c.from = malloc(c.bytes);
    c.to = malloc(c.bytes);
    bool measured = false;
    if (!c.from || !c.to) {
        fprintf(stderr, "plait bench: out of memory\n");
    } else {
        memset(c.from, 1, c.bytes); // pages that were never written all map to one zero page
        memset(c.to, 2, c.bytes);
        bench_side sides[2] = {{step, &w.host, 0, 0}, {copy, &c, 0, 0}};
        measured = open_workload(&w, 4, 100, c.thread_count, PLAIT_CPU_AUTO) && bench_measure(sides, 2);
        if (measured) *value = 100 * bytes_per_particle * w.particles / (2 * (double)c.bytes) / sides[0].over_next;
    }
    host_close(&w.host);
    free(c.from);
    free(c.to);
    return measured;
}

// A frame as a user gets it: 3,840 strands of 100 on a running mannequin with colliders, written out, all threads.
static bool frame_ms(double *value) {
    character c;
    bench_side side = {character_frame, &c, 0, 0};
    bool measured = character_open(&c, PLAIT_BACKEND_CPU) && bench_measure(&side, 1);
    if (measured) *value = 1e3 * side.seconds;
    character_close(&c);
    return measured;
}

static bool open_workload(workload *w, uint32_t level, uint32_t vertices, uint32_t threads, uint32_t instruction_set) {
    host_options options = {PLAIT_BACKEND_CPU, instruction_set, threads};
    scene_groom_options shape = {.vertex_count = vertices,
                                 .length_m = 0.3f,
                                 .radius_m = 4e-5f,
                                 .curl_radius_m = 0.008f,
                                 .curl_pitch_m = 0.04f,
                                 .seed = 1};
    scene_groom groom;
    if (!scene_groom_icosphere(level, &shape, &groom)) {
        fprintf(stderr, "plait bench: out of memory\n");
        return false;
    }
    host_hair hair = {.groom = &groom, .step_rate_hz = 60};
    bool opened = host_open(&options, &w->host) && host_grow(&w->host, &hair);
    w->particles = groom.vertex_count;
    scene_groom_free(&groom);
    for (int i = 0; opened && i < 10; i++) opened = step(&w->host);
    return opened;
}

static bool step(void *argument) {
    const host *h = argument;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.gravity[1] = -9.81f;
    return host_check(plait_hair_step(h->hair, &frame), "plait_hair_step");
}

static bool compare(workload *a, workload *b, bench_side sides[2]) {
    sides[0] = (bench_side){step, &a->host, 0, 0};
    sides[1] = (bench_side){step, &b->host, 0, 0};
    return bench_measure(sides, 2);
}

// Enough steps that starting a thread does not count.
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

// Null when all went well.
static void *step_thread(void *argument) {
    workload *w = argument;
    for (int i = 0; i < PAIR_STEPS; i++)
        if (!step(&w->host)) return argument;
    return NULL;
}

static uint32_t core_count(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > 64 ? 64 : (uint32_t)count;
}

static bool copy(void *argument) {
    const copier *c = argument;
    copier slices[64];
    pthread_t threads[64];
    uint32_t started = 0;
    for (uint32_t i = 0; i < c->thread_count; i++) {
        size_t begin = c->bytes / c->thread_count * i;
        slices[i] = (copier){c->from + begin, c->to + begin, c->bytes / c->thread_count, 1};
    }
    for (uint32_t i = 1; i < c->thread_count; i++, started++)
        if (pthread_create(&threads[i], NULL, copy_slice, &slices[i]) != 0) break;
    copy_slice(&slices[0]);
    for (uint32_t i = 1; i <= started; i++) pthread_join(threads[i], NULL);
    if (started + 1 < c->thread_count) fprintf(stderr, "plait bench: no thread to copy with\n");
    return started + 1 == c->thread_count;
}

static void *copy_slice(void *argument) {
    const copier *c = argument;
    memcpy(c->to, c->from, c->bytes);
    return NULL;
}
