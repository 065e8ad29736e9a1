// The band solver on one CPU core against Eigen's and LAPACK's: batches of different systems of dimension 400, as in
// the benchmark of Huang et al. 2023. Ours gets them packed, as rods build them, through a plan of one stage; the
// others one by one, loaded into the nearest cache before the clock starts. Restoring the matrices is not timed.
#include "band.h"
#include "inside.h"
#include "platform.h"
#include "rivals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 100, N = 4 * VERTICES, SYSTEM = N * BAND_ROWS, MAX_ROUNDS = 25 };

static bool available_eigen(void);
static bool available_lapack(void);
static bool eigen_300(double *value);
static bool eigen_3000(double *value);
static bool eigen_30000(double *value);
static bool lapack_3000(double *value);

// Targets are for AVX2; for AVX-512 they are 1.5 times as high.
static bench_figure eigen_figures[] = {
    {"band.over_eigen_300", "x", 20, BENCH_AT_LEAST, eigen_300,
     "time of Eigen over ours, 300 systems of 400 unknowns, one core"},
    {"band.over_eigen_3000", "x", 20, BENCH_AT_LEAST, eigen_3000, "the same with 3,000 systems"},
    {"band.over_eigen_30000", "x", 20, BENCH_AT_LEAST, eigen_30000, "the same with 30,000 systems"}};
static bench_figure lapack_figures[] = {{"band.over_lapack_3000", "x", 10, BENCH_AT_LEAST, lapack_3000,
                                         "time of LAPACK over ours, 3,000 systems of 400 unknowns, one core"}};
const bench_table BENCH_EIGEN = {eigen_figures, 3, available_eigen};
const bench_table BENCH_LAPACK = {lapack_figures, 1, available_lapack};

#ifdef HAS_EIGEN
static const struct rival *const eigen = &rival_eigen;
#else
static const struct rival *const eigen = NULL;
#endif
#ifdef HAS_LAPACK
static const struct rival *const lapack = &rival_lapack;
#else
static const struct rival *const lapack = NULL;
#endif

// A batch on our side, and its buffers in the order of the kernel's bindings.
enum { BUFFERS = 5 };
struct batch {
    uint32_t count, packs;
    uint32_t *table;
    float *matrix, *right, *floors, *care; // as they are before; care: every strand takes its step at once
    struct arena *arena;
    struct buffer buffers[BUFFERS];
    struct plan *plan;
    float *solution;
};

static bool available(bench_figure *figures, size_t count, const struct rival *rival, const char *name,
                      const char *package) {
    if (!rival) {
        printf("%-28s %10s built without it (%s)\n", name, "none:", package);
        return false;
    }
    if (!open_cpu()) return false;
    if (strcmp(cpu->info.variant, "avx512") == 0)
        for (size_t i = 0; i < count; i++) figures[i].target *= 1.5;
    return true;
}

// ---- a batch ----

static bool make_batch(uint32_t count, struct batch *b) {
    const uint32_t width = cpu->narrow_width;
    uint32_t lengths[1] = {2};
    struct strands random = strands_of(count, 1, lengths);
    *b = (struct batch){.count = count, .packs = (count + width - 1) / width};
    size_t lanes = (size_t)b->packs * width;
    float *one = malloc(SYSTEM * sizeof *one);
    b->table = malloc(b->packs * PACK_UINTS * sizeof *b->table);
    b->matrix = malloc(lanes * SYSTEM * sizeof *b->matrix);
    b->right = malloc(lanes * N * sizeof *b->right);
    b->floors = malloc(lanes * BAND_FLOOR_ROWS * sizeof *b->floors);
    b->solution = malloc(lanes * N * sizeof *b->solution);
    b->care = calloc(lanes * CARE_ROWS, sizeof *b->care);
    if (!one || !b->table || !b->matrix || !b->right || !b->floors || !b->solution || !b->care) return false;
    for (uint32_t p = 0; p < b->packs; p++) {
        b->table[p * PACK_UINTS + PACK_FIRST] = p * VERTICES;
        b->table[p * PACK_UINTS + PACK_VERTICES] = VERTICES;
        for (uint32_t lane = 0; lane < width; lane++) {
            float *matrix = b->matrix + (size_t)p * SYSTEM * width + lane;
            band_system(&random, VERTICES, 1, 1000, one);
            for (uint32_t i = 0; i < SYSTEM; i++) matrix[(size_t)i * width] = one[i];
        }
    }
    for (size_t i = 0; i < lanes * N; i++) b->right[i] = (float)random_between(&random, -1, 1);
    for (size_t i = 0; i < lanes * BAND_FLOOR_ROWS; i++) b->floors[i] = 1;
    free(one);
    strands_free(&random);

    const struct device_ops *ops = cpu->ops;
    const uint64_t sizes[BUFFERS] = {b->packs * PACK_UINTS * sizeof *b->table, lanes * SYSTEM * sizeof(float),
                                     lanes * N * sizeof(float), lanes * BAND_FLOOR_ROWS * sizeof(float),
                                     lanes * CARE_ROWS * sizeof(float)};
    struct stage stage = {.kernel = KERNEL_band};
    bool made = ops->arena_create(cpu, 1, NULL, &b->arena) == PLAIT_OK;
    for (uint32_t i = 0; i < BUFFERS; i++) {
        made = made && ops->buffer_create(b->arena, sizes[i], USE_PLAIN, &b->buffers[i]) == PLAIT_OK;
        stage.bindings[i] = &b->buffers[i];
    }
    struct stage_list list = {.stages = &stage, .count = 1, .capacity = 1};
    struct plan_size size = {b->packs, width, (uint64_t)lanes * VERTICES, NULL};
    struct phase phase;
    struct schedule schedule;
    return made && schedule_make(&list, &phase, &schedule) &&
           ops->buffer_write(&b->buffers[0], 0, b->table, sizes[0]) == PLAIT_OK &&
           ops->buffer_write(&b->buffers[3], 0, b->floors, sizes[3]) == PLAIT_OK &&
           ops->buffer_write(&b->buffers[4], 0, b->care, sizes[4]) == PLAIT_OK &&
           ops->plan_create(b->arena, 1, &size, &b->plan) == PLAIT_OK && ops->plan_set(b->plan, &schedule) == PLAIT_OK;
}

static void free_batch(struct batch *b) {
    const struct device_ops *ops = cpu->ops;
    if (b->plan) ops->plan_destroy(b->plan);
    for (uint32_t i = 0; i < BUFFERS; i++) ops->buffer_destroy(&b->buffers[i]);
    if (b->arena) ops->arena_destroy(b->arena);
    free(b->table);
    free(b->matrix);
    free(b->right);
    free(b->floors);
    free(b->care);
    free(b->solution);
}

// One system out of its pack.
static void take_out(uint32_t system, const float *packed, uint32_t rows, float *out) {
    const uint32_t width = cpu->narrow_width;
    packed += (size_t)(system / width) * rows * width + system % width;
    for (uint32_t i = 0; i < rows; i++) out[i] = packed[(size_t)i * width];
}

// |A x - b| over |A| |x| + |b|, infinity norms, of the worst of some systems.
static double residual(const float *matrix, const float *right, const float *x) {
    double worst = 0, size = 0;
    for (uint32_t i = 0; i < N; i++) {
        double sum = -(double)right[i], magnitude = fabs(right[i]);
        for (uint32_t j = i < BAND_HALF ? 0 : i - BAND_HALF; j < N && j <= i + BAND_HALF; j++) {
            double a = j < i ? matrix[j * BAND_ROWS + i - j] : matrix[i * BAND_ROWS + j - i];
            sum += a * x[j];
            magnitude += fabs(a * x[j]);
        }
        worst = fmax(worst, fabs(sum));
        size = fmax(size, magnitude);
    }
    return worst / size;
}

// ---- rounds ----

struct timing {
    double seconds, residual;
};

static bool run_ours(struct batch *b, struct timing *timing) {
    const struct device_ops *ops = cpu->ops;
    if (ops->buffer_write(&b->buffers[1], 0, b->matrix, b->buffers[1].size) != PLAIT_OK ||
        ops->buffer_write(&b->buffers[2], 0, b->right, b->buffers[2].size) != PLAIT_OK)
        return false;
    uint64_t before = now_ns();
    if (ops->plan_run(b->plan) != PLAIT_OK) return false;
    timing->seconds = 1e-9 * (double)(now_ns() - before);
    return ops->buffer_read(&b->buffers[2], 0, b->solution, b->buffers[2].size) == PLAIT_OK;
}

static bool run_theirs(const struct batch *b, const struct rival *rival, void *state, struct timing *timing) {
    static float matrix[SYSTEM], right[N], ours[N];
    uint64_t total = 0;
    timing[0].residual = timing[1].residual = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        take_out(i, b->matrix, SYSTEM, matrix);
        take_out(i, b->right, N, right);
        rival->load(state, matrix, right);
        uint64_t before = now_ns();
        if (!rival->solve(state)) {
            fprintf(stderr, "%s could not solve system %u\n", rival->name, i);
            return false;
        }
        total += now_ns() - before;
        if (i % (b->count / 100) != 0) continue;
        take_out(i, b->solution, N, ours);
        timing[0].residual = fmax(timing[0].residual, residual(matrix, right, ours));
        timing[1].residual = fmax(timing[1].residual, residual(matrix, right, rival->solution(state)));
    }
    timing[1].seconds = 1e-9 * (double)total;
    return true;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bool measure(uint32_t count, const struct rival *rival, double *value) {
    struct batch batch;
    const uint32_t rounds = count > 10000 ? 3 : count > 1000 ? 9 : MAX_ROUNDS;
    double ours[MAX_ROUNDS], theirs[MAX_ROUNDS], ratios[MAX_ROUNDS];
    struct timing timing[2] = {{0}};
    void *state = rival->open(N);
    bool measured = make_batch(count, &batch) && run_ours(&batch, timing); // once to warm up
    for (uint32_t r = 0; r < rounds && measured; r++) {
        measured = run_ours(&batch, &timing[0]) && run_theirs(&batch, rival, state, timing);
        ours[r] = timing[0].seconds;
        theirs[r] = timing[1].seconds;
        ratios[r] = theirs[r] / ours[r];
    }
    if (measured) {
        qsort(ours, rounds, sizeof ours[0], compare_doubles);
        qsort(theirs, rounds, sizeof theirs[0], compare_doubles);
        qsort(ratios, rounds, sizeof ratios[0], compare_doubles);
        *value = ratios[rounds / 2];
        printf("%u systems of %d: ours (%s) %.2f us each, residual %.1e; %s %.2f us, residual %.1e\n", count, (int)N,
               cpu->info.variant, 1e6 * ours[rounds / 2] / count, timing[0].residual, rival->name,
               1e6 * theirs[rounds / 2] / count, timing[1].residual);
    }
    free_batch(&batch);
    rival->close(state);
    return measured;
}

// ---- figures ----

static bool available_eigen(void) { return available(eigen_figures, 3, eigen, "band.over_eigen", "libeigen3-dev"); }
static bool eigen_300(double *value) { return measure(300, eigen, value); }
static bool eigen_3000(double *value) { return measure(3000, eigen, value); }
static bool eigen_30000(double *value) { return measure(30000, eigen, value); }

static bool available_lapack(void) { return available(lapack_figures, 1, lapack, "band.over_lapack", "liblapack-dev"); }
static bool lapack_3000(double *value) { return measure(3000, lapack, value); }
