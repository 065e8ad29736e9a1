/* Readers of grooms: whatever they take, plait_groom_create takes too, and the writers can write. */
#ifndef PLAIT_FUZZ_GROOM_FILE_H
#define PLAIT_FUZZ_GROOM_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plait_groom_files.h"

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void create_groom(const plait_gf_groom *groom) {
    static plait_context context;
    plait_groom_desc desc;
    plait_groom made;
    plait_result result;
    if (!context.id) {
        plait_context_desc context_desc = PLAIT_CONTEXT_DESC_INIT;
        CHECK(plait_context_create(&context_desc, &context) == PLAIT_OK);
    }
    plait_gf_describe(groom, &desc);
    result = plait_groom_create(context, &desc, &made);
    /* Matrices of bones are the file's business: Plait refuses some that are finite. */
    CHECK(result == PLAIT_OK || (groom->bind_pose && result == PLAIT_ERROR_INVALID_ARGUMENT) ||
          (groom->bind_pose && result == PLAIT_ERROR_INVALID_GROOM));
    if (result == PLAIT_OK) plait_groom_destroy(made);
}

/* What can be done with any groom. Positions that are far apart can be lost to rounding, so Plait is not asked again. */
static inline void change_groom(plait_gf_groom *groom) {
    plait_gf_resample_options options = {0};
    plait_gf_groom other;
    plait_result result;
    uint32_t capped;
    options.vertex_count = 2 + groom->vertex_count % 7;
    CHECK(plait_gf_resample(groom, &options, &other, &capped) == PLAIT_OK);
    CHECK(capped <= groom->strand_count && other.vertex_count >= 2 * groom->strand_count);
    CHECK(other.vertex_count >= (groom->strand_count - capped) * options.vertex_count);
    CHECK(capped > 0 || other.vertex_count == groom->strand_count * options.vertex_count);
    plait_gf_groom_free(&other);
    options.vertex_count = 0;
    options.edge_length = 0.5f;
    result = plait_gf_resample(groom, &options, &other, NULL);
    CHECK(result == PLAIT_OK || result == PLAIT_ERROR_TOO_LARGE);
    plait_gf_groom_free(&other);
    CHECK(plait_gf_choose_guides(groom, NULL) == PLAIT_OK);
    CHECK(groom->guide_count == (groom->strand_count * 3 + 99) / 100);
    CHECK(plait_gf_select(groom, groom->guides, groom->guide_count, &other) == PLAIT_OK);
    create_groom(&other);
    plait_gf_groom_free(&other);
}

static inline void read_groom(const uint8_t *bytes, size_t size, uint32_t format,
                              const plait_gf_read_options *options) {
    static const plait_gf_groom empty;
    plait_gf_groom groom;
    plait_gf_report report;
    plait_result result = plait_gf_read_memory(bytes, size, format, options, &groom, &report);
    if (result != PLAIT_OK) {
        CHECK(strlen(report.message) > 8);
        CHECK(memcmp(&groom, &empty, sizeof empty) == 0);
        return;
    }
    CHECK(groom.strand_count > 0 && groom.strand_count <= report.file_strand_count);
    CHECK(groom.vertex_count <= report.file_vertex_count);
    create_groom(&groom);
    CHECK(plait_gf_write_hair("/dev/null", &groom, &report) == PLAIT_OK);
    if (groom.vertex_count % 4 == 0) change_groom(&groom); /* it takes ten times as long as the rest */
    plait_gf_groom_free(&groom);
}

#endif
