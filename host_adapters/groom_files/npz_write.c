/* Writes what npz.c reads. */
#include "groom_files.h"

#include <string.h>

#ifdef PLAIT_GF_LIBZIP

#include <stdio.h>
#include <stdlib.h>
#include <zip.h>

typedef struct writer {
    zip_t *zip;
    uint32_t compress;
    char headers[40][128]; /* they must live until the archive is closed */
    uint32_t count;
} writer;

/* One .npy file; data stay the caller's until the archive is closed. dimensions 0: one number. */
static int put(writer *w, const char *name, const char *descr, uint64_t rows, uint64_t columns, int dimensions,
               const void *data, uint64_t bytes) {
    char *header = w->headers[w->count], file_name[64], shape[64] = "()";
    zip_buffer_fragment_t parts[2];
    zip_source_t *source;
    zip_int64_t index;
    size_t length, total = sizeof w->headers[0];
    if (w->count == sizeof w->headers / sizeof *w->headers) return 0;
    w->count++;
    if (dimensions == 1) snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)rows);
    if (dimensions == 2)
        snprintf(shape, sizeof shape, "(%llu, %llu)", (unsigned long long)rows, (unsigned long long)columns);
    memset(header, ' ', total); /* numpy wants the data aligned, and the header to end with a line break */
    length = (size_t)snprintf(header + 10, total - 10, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr,
                              shape);
    header[10 + length] = ' ';
    header[total - 1] = '\n';
    memcpy(header, "\x93NUMPY\x01", 7);
    header[7] = 0;
    header[8] = (char)(total - 10);
    header[9] = 0;
    parts[0].data = (zip_uint8_t *)header;
    parts[0].length = total;
    memcpy(&parts[1].data, &data, sizeof data); /* libzip's field is not const; it only reads */
    parts[1].length = bytes;
    source = zip_source_buffer_fragment(w->zip, parts, bytes ? 2 : 1, 0);
    if (!source) return 0;
    snprintf(file_name, sizeof file_name, "%s.npy", name);
    index = zip_file_add(w->zip, file_name, source, 0);
    if (index < 0) {
        zip_source_free(source);
        return 0;
    }
    /* 1980-01-01: the same groom gives the same file. */
    return zip_file_set_dostime(w->zip, (zip_uint64_t)index, 0, 0x21, 0) == 0 &&
           zip_set_file_compression(w->zip, (zip_uint64_t)index, w->compress ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0) == 0;
}

static int put_arrays(writer *w, const plait_gf_groom *groom) {
    static const char *const descrs[GF_TYPES] = {"|u1", "<u2", "<u4", "<f4"};
    size_t i;
    for (i = 0; i < GF_ARRAY_COUNT; i++) {
        const gf_array *array = &GF_ARRAYS[i];
        const void *data = gf_array_const(groom, array);
        uint64_t rows = gf_row_count(groom, array->rows),
                 columns = array->columns ? array->columns : groom->guides_each;
        int names = strcmp(array->name, "bone_names") == 0, one = array->rows == GF_ONE_ROW;
        if (!data) continue;
        if (!put(w, array->name, names ? "|S128" : descrs[array->type], one ? columns : rows, columns,
                 names || one || columns == 1 ? (array->columns ? 1 : 2) : 2, data, rows * gf_row_bytes(groom, array)))
            return 0;
    }
    return 1;
}

/* Structs of a groom as arrays. Null where there is nothing. */
typedef struct columns {
    uint32_t *bones;
    float *weights, *radii, *frictions;
} columns;

static int make_columns(const plait_gf_groom *groom, columns *c) {
    size_t i, k;
    if (groom->root_bindings) {
        c->bones = gf_allocate(groom->strand_count, 4 * sizeof *c->bones);
        c->weights = gf_allocate(groom->strand_count, 4 * sizeof *c->weights);
        if (!c->bones || !c->weights) return 0;
        for (i = 0; i < groom->strand_count; i++)
            for (k = 0; k < 4; k++) {
                c->bones[4 * i + k] = groom->root_bindings[i].bones[k];
                c->weights[4 * i + k] = groom->root_bindings[i].weights[k];
            }
    }
    if (groom->groups) {
        c->radii = gf_allocate(groom->group_count, sizeof *c->radii);
        c->frictions = gf_allocate(groom->group_count, sizeof *c->frictions);
        if (!c->radii || !c->frictions) return 0;
        for (i = 0; i < groom->group_count; i++) {
            c->radii[i] = groom->groups[i].radius;
            c->frictions[i] = groom->groups[i].friction;
        }
    }
    return 1;
}

static int put_all(writer *w, const plait_gf_groom *groom, const columns *c) {
    static const uint32_t version = 1;
    uint64_t strands = groom->strand_count, groups = groom->group_count;
    return put(w, "version", "<u4", 1, 1, 0, &version, 4) &&
           put(w, "meters_per_unit", "<f4", 1, 1, 0, &groom->meters_per_unit, 4) &&
           put(w, "radius", "<f4", 1, 1, 0, &groom->radius, 4) &&
           put(w, "transparency", "<f4", 1, 1, 0, &groom->transparency, 4) &&
           put(w, "color", "<f4", 3, 1, 1, groom->color, 12) && put_arrays(w, groom) &&
           (!c->bones || (put(w, "root_binding_bones", "<u4", strands, 4, 2, c->bones, 16 * strands) &&
                          put(w, "root_binding_weights", "<f4", strands, 4, 2, c->weights, 16 * strands))) &&
           (!c->radii || (put(w, "group_radii", "<f4", groups, 1, 1, c->radii, 4 * groups) &&
                          put(w, "group_frictions", "<f4", groups, 1, 1, c->frictions, 4 * groups)));
}

/* The archive, in memory: libzip would replace whatever stands at a path, devices and links too. Null: report says why. */
static zip_source_t *make_archive(writer *w, const plait_gf_groom *groom, const columns *c, plait_gf_report *report) {
    zip_source_t *archive;
    zip_error_t error;
    zip_error_init(&error);
    archive = zip_source_buffer_create(NULL, 0, 0, &error);
    if (archive) {
        zip_source_keep(archive); /* closing the archive releases it once */
        w->zip = zip_open_from_source(archive, ZIP_TRUNCATE, &error);
    }
    if (archive && w->zip) {
        int made = put_all(w, groom, c) && zip_close(w->zip) == 0;
        if (!made) {
            gf_fail(report, PLAIT_ERROR_SYSTEM, "cannot be written: %s", zip_strerror(w->zip));
            zip_discard(w->zip);
            zip_source_free(archive);
            archive = NULL;
        }
    } else {
        gf_fail(report, PLAIT_ERROR_SYSTEM, "cannot be written: %s", zip_error_strerror(&error));
        if (archive) { /* it was not opened: both references are ours */
            zip_source_free(archive);
            zip_source_free(archive);
        }
        archive = NULL;
    }
    zip_error_fini(&error);
    return archive;
}

static plait_result copy_out(zip_source_t *archive, FILE *file) {
    uint8_t block[1 << 14];
    zip_int64_t got;
    if (zip_source_open(archive) != 0) return PLAIT_ERROR_OUT_OF_MEMORY;
    do {
        got = zip_source_read(archive, block, sizeof block);
    } while (got > 0 && fwrite(block, 1, (size_t)got, file) == (size_t)got);
    zip_source_close(archive);
    return got == 0 ? PLAIT_OK : PLAIT_ERROR_SYSTEM;
}

plait_result plait_gf_write_npz(const char *path, const plait_gf_groom *groom, uint32_t compress,
                                plait_gf_report *report) {
    static const uint32_t one = 1;
    plait_gf_report unread;
    plait_result result = PLAIT_ERROR_SYSTEM;
    zip_source_t *archive = NULL;
    gf_output output;
    columns c;
    writer *w;
    memset(&c, 0, sizeof c);
    report = report ? report : &unread;
    memset(report, 0, sizeof *report);
    report->format = PLAIT_GF_FORMAT_NPZ;
    if (!path || !groom || !groom->vertex_counts || !groom->positions)
        return gf_fail(report, PLAIT_ERROR_INVALID_ARGUMENT, "path is null, or the groom is empty");
    if (*(const uint8_t *)&one != 1)
        return gf_fail(report, PLAIT_ERROR_UNSUPPORTED, "only little-endian machines write .npz files");
    w = gf_allocate(1, sizeof *w);
    if (w && make_columns(groom, &c)) {
        w->compress = compress;
        archive = make_archive(w, groom, &c, report);
    } else {
        result = gf_fail(report, PLAIT_ERROR_OUT_OF_MEMORY, "out of memory");
    }
    if (archive) {
        result = gf_output_open(&output, path, report);
        if (result == PLAIT_OK) result = gf_output_close(&output, copy_out(archive, output.file), report);
        zip_source_free(archive);
    }
    free(c.bones);
    free(c.weights);
    free(c.radii);
    free(c.frictions);
    free(w);
    return result;
}

#else

plait_result plait_gf_write_npz(const char *path, const plait_gf_groom *groom, uint32_t compress,
                                plait_gf_report *report) {
    (void)path, (void)groom, (void)compress;
    if (!report) return PLAIT_ERROR_UNSUPPORTED;
    memset(report, 0, sizeof *report);
    return gf_fail(report, PLAIT_ERROR_UNSUPPORTED, ".npz files are not written: this was built without libzip");
}

#endif
