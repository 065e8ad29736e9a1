// Figures of host_adapters/groom_files.
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "plait_groom_files.h"

static bool read_seconds(double *value);

static const bench_figure FIGURES[] = {
    {"groom.read_seconds_50000", "s", 0.1, BENCH_AT_MOST, read_seconds,
     "reading a .hair file of 50,000 strands of 32 vertices with thickness, 25.6 MB, that the system has in memory"},
};
const bench_table BENCH_GROOM = {FIGURES, sizeof FIGURES / sizeof *FIGURES, NULL};

static bool make_file(const char *path);
static bool read_file(void *path);

static bool read_seconds(double *value) {
    const char *folder = getenv("TEMP"); // on Windows
    char path[1024];
    snprintf(path, sizeof path, "%s/plait-bench-XXXXXX", folder ? folder : "/tmp");
    int file = mkstemp(path);
    if (file < 0 || close(file) != 0 || !make_file(path)) {
        fprintf(stderr, "plait bench: %s cannot be written\n", path);
        return false;
    }
    bench_side side = {.run = read_file, .argument = path};
    bool measured = bench_measure(&side, 1);
    *value = side.seconds;
    unlink(path);
    return measured;
}

static bool make_file(const char *path) {
    enum { STRANDS = 50000, VERTICES = 32 };
    plait_gf_groom groom = {.strand_count = STRANDS, .vertex_count = STRANDS * VERTICES};
    groom.vertex_counts = malloc(STRANDS * sizeof *groom.vertex_counts);
    groom.positions = malloc((size_t)3 * STRANDS * VERTICES * sizeof *groom.positions);
    groom.radii = malloc((size_t)STRANDS * VERTICES * sizeof *groom.radii);
    bool made = groom.vertex_counts && groom.positions && groom.radii;
    for (uint32_t i = 0; made && i < STRANDS; i++) {
        groom.vertex_counts[i] = VERTICES;
        for (uint32_t v = 0; v < VERTICES; v++) {
            size_t at = (size_t)i * VERTICES + v;
            groom.positions[3 * at] = 0.001f * (float)(i % 224);
            groom.positions[3 * at + 1] = 0.01f * (float)v;
            groom.positions[3 * at + 2] = 0.001f * (float)(i / 224);
            groom.radii[at] = 4e-5f;
        }
    }
    made = made && plait_gf_write_hair(path, &groom, NULL) == PLAIT_OK;
    plait_gf_groom_free(&groom);
    return made;
}

static bool read_file(void *path) {
    plait_gf_groom groom;
    bool read = plait_gf_read(path, NULL, &groom, NULL) == PLAIT_OK;
    plait_gf_groom_free(&groom);
    return read;
}
