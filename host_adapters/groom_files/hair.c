/* Cem Yuksel's .hair files (cemyuksel.com/research/hairmodels). Little-endian: a header of 128 bytes ("HAIR", strands, points,
 * which arrays follow, then defaults: segments, thickness, transparency, colour; 88 bytes of text), then the arrays in the order
 * of their bits. A thickness is taken for a diameter. */
#include "groom_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = (int)PLAIT_GF_HAIR_HEADER_SIZE, SEGMENTS = 1, POINTS = 2, THICKNESS = 4, TRANSPARENCY = 8, COLOR = 16 };

/* Offsets in the header. */
enum {
    AT_STRANDS = 4,
    AT_POINTS = 8,
    AT_ARRAYS = 12,
    AT_SEGMENTS = 16,
    AT_THICKNESS = 20,
    AT_TRANSPARENCY = 24,
    AT_COLOR = 28
};

static plait_result check_size(const gf_reading *r, uint32_t strands, uint32_t points, uint32_t arrays);
static plait_result count_vertices(const gf_reading *r, const uint8_t *segments, uint32_t points);
static plait_result write_all(const plait_gf_groom *groom, FILE *file);
static void make_header(const plait_gf_groom *groom, uint8_t header[HEADER]);
static void name_losses(const plait_gf_groom *groom, plait_gf_report *report);

plait_result gf_read_hair(const gf_reading *r) {
    const uint8_t *bytes = r->file.at, *at = bytes + HEADER;
    plait_gf_groom *groom = r->groom;
    uint32_t strands, points, arrays, i;
    plait_result result;
    if (r->file.size < HEADER)
        return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM, "%zu bytes are too few for the header of a .hair file",
                       r->file.size);
    strands = gf_u32(bytes + AT_STRANDS);
    points = gf_u32(bytes + AT_POINTS);
    arrays = gf_u32(bytes + AT_ARRAYS);
    if (!(arrays & POINTS)) return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM, "byte 12: the file has no points");
    if (strands == 0) return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM, "byte 4: the file has no strands");
    result = check_size(r, strands, points, arrays);
    if (result != PLAIT_OK) return result;

    groom->strand_count = strands;
    groom->radius = 0.5f * gf_f32(bytes + AT_THICKNESS);
    groom->transparency = gf_f32(bytes + AT_TRANSPARENCY);
    for (i = 0; i < 3; i++) groom->color[i] = gf_f32(bytes + AT_COLOR + 4 * i);
    groom->vertex_counts = gf_allocate(strands, sizeof *groom->vertex_counts);
    groom->hair_header = gf_allocate(HEADER, 1);
    if (!groom->vertex_counts || !groom->hair_header) return PLAIT_ERROR_OUT_OF_MEMORY;
    memcpy(groom->hair_header, bytes, HEADER);
    result = count_vertices(r, arrays & SEGMENTS ? at : NULL, points);
    if (result != PLAIT_OK) return result;
    if (groom->vertex_count < points)
        gf_note(r->report, "%u points at the end belong to no strand", points - groom->vertex_count);

    at += arrays & SEGMENTS ? 2 * (size_t)strands : 0;
    for (i = 1; i < 5; i++) { /* points, thickness, transparency, colour */
        static const uint32_t columns[] = {0, 3, 1, 1, 3};
        float **arrays_of[5], *array;
        arrays_of[0] = NULL;
        arrays_of[1] = &groom->positions;
        arrays_of[2] = &groom->radii;
        arrays_of[3] = &groom->transparencies;
        arrays_of[4] = &groom->colors;
        if (!(arrays & 1u << i)) continue;
        *arrays_of[i] = array = gf_allocate(groom->vertex_count, columns[i] * sizeof *array);
        if (!array) return PLAIT_ERROR_OUT_OF_MEMORY;
        gf_copy_f32(at, (size_t)groom->vertex_count * columns[i], array);
        at += 4 * (size_t)points * columns[i];
        result = gf_progress(r, 0.05 * i);
        if (result != PLAIT_OK) return result;
    }
    for (i = 0; groom->radii && i < groom->vertex_count; i++) groom->radii[i] *= 0.5f;
    return PLAIT_OK;
}

static plait_result check_size(const gf_reading *r, uint32_t strands, uint32_t points, uint32_t arrays) {
    uint64_t needed = HEADER + (uint64_t)points * 12;
    if (arrays & SEGMENTS) needed += (uint64_t)strands * 2;
    if (arrays & THICKNESS) needed += (uint64_t)points * 4;
    if (arrays & TRANSPARENCY) needed += (uint64_t)points * 4;
    if (arrays & COLOR) needed += (uint64_t)points * 12;
    if (arrays & ~31u) gf_note(r->report, "arrays of unknown kinds (bits 0x%x) are ignored", arrays & ~31u);
    if (needed > r->file.size)
        return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM,
                       "%u strands with %u points (arrays 0x%x) need %llu bytes, the file has %zu", strands, points,
                       arrays, (unsigned long long)needed, r->file.size);
    /* Without a list of segments nothing else limits the number of strands. */
    if (strands > points)
        return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM, "byte 4: %u strands have only %u points", strands, points);
    if (needed < r->file.size && !(arrays & ~31u))
        gf_note(r->report, "%llu bytes at the end belong to nothing", (unsigned long long)(r->file.size - needed));
    return PLAIT_OK;
}

static plait_result count_vertices(const gf_reading *r, const uint8_t *segments, uint32_t points) {
    plait_gf_groom *groom = r->groom;
    uint64_t used = 0, each = (uint64_t)gf_u32(r->file.at + AT_SEGMENTS) + 1;
    uint32_t i;
    for (i = 0; i < groom->strand_count; i++) {
        uint64_t count = segments ? (uint64_t)gf_u16(segments + 2 * (size_t)i) + 1 : each;
        used += count;
        if (used > points)
            return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM,
                           "byte %llu: strand %u of %u has %llu points, and only %llu of %u are left",
                           segments ? HEADER + 2ULL * i : (unsigned long long)AT_SEGMENTS, i, groom->strand_count,
                           (unsigned long long)count, (unsigned long long)(points - (used - count)), points);
        groom->vertex_counts[i] = (uint32_t)count;
    }
    groom->vertex_count = (uint32_t)used;
    return PLAIT_OK;
}

plait_result plait_gf_write_hair(const char *path, const plait_gf_groom *groom, plait_gf_report *report) {
    plait_gf_report unread;
    plait_result result;
    gf_output output;
    report = report ? report : &unread;
    memset(report, 0, sizeof *report);
    report->format = PLAIT_GF_FORMAT_HAIR;
    if (!path || !groom || !groom->vertex_counts || !groom->positions)
        return gf_fail(report, PLAIT_ERROR_INVALID_ARGUMENT, "path is null, or the groom is empty");
    result = gf_output_open(&output, path, report);
    if (result == PLAIT_OK) result = gf_output_close(&output, write_all(groom, output.file), report);
    if (result == PLAIT_OK) name_losses(groom, report);
    return result;
}

static void put_u32(uint8_t *p, uint32_t value) {
    int i;
    for (i = 0; i < 4; i++) p[i] = (uint8_t)(value >> 8 * i);
}

static void put_f32(uint8_t *p, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(p, bits);
}

static int put_floats(FILE *file, const float *from, size_t count, float factor) {
    uint8_t block[4096];
    size_t done, i;
    for (done = 0; done < count; done += i) {
        for (i = 0; i < sizeof block / 4 && done + i < count; i++) put_f32(block + 4 * i, from[done + i] * factor);
        if (fwrite(block, 4, i, file) != i) return 0;
    }
    return 1;
}

static plait_result write_all(const plait_gf_groom *groom, FILE *file) {
    uint8_t header[HEADER], number[2];
    size_t vertices = groom->vertex_count;
    uint32_t i;
    make_header(groom, header);
    if (fwrite(header, 1, HEADER, file) != HEADER) return PLAIT_ERROR_SYSTEM;
    for (i = 0; header[AT_ARRAYS] & SEGMENTS && i < groom->strand_count; i++) {
        number[0] = (uint8_t)((groom->vertex_counts[i] - 1) & 255);
        number[1] = (uint8_t)((groom->vertex_counts[i] - 1) >> 8);
        if (fwrite(number, 1, 2, file) != 2) return PLAIT_ERROR_SYSTEM;
    }
    if (!put_floats(file, groom->positions, 3 * vertices, 1)) return PLAIT_ERROR_SYSTEM;
    if (groom->radii && !put_floats(file, groom->radii, vertices, 2)) return PLAIT_ERROR_SYSTEM;
    if (groom->transparencies && !put_floats(file, groom->transparencies, vertices, 1)) return PLAIT_ERROR_SYSTEM;
    if (groom->colors && !put_floats(file, groom->colors, 3 * vertices, 1)) return PLAIT_ERROR_SYSTEM;
    return PLAIT_OK;
}

static void make_header(const plait_gf_groom *groom, uint8_t header[HEADER]) {
    uint32_t arrays = POINTS, segments = groom->vertex_counts[0] - 1, i;
    memset(header, 0, HEADER);
    if (groom->hair_header) {
        memcpy(header, groom->hair_header, HEADER);
        arrays |= gf_u32(header + AT_ARRAYS) & SEGMENTS;
        if (arrays & SEGMENTS) segments = gf_u32(header + AT_SEGMENTS);
    }
    for (i = 1; i < groom->strand_count; i++)
        if (groom->vertex_counts[i] != groom->vertex_counts[0]) arrays |= SEGMENTS;
    arrays |= groom->radii ? THICKNESS : 0;
    arrays |= groom->transparencies ? TRANSPARENCY : 0;
    arrays |= groom->colors ? COLOR : 0;
    memcpy(header, "HAIR", 4);
    put_u32(header + AT_STRANDS, groom->strand_count);
    put_u32(header + AT_POINTS, groom->vertex_count);
    put_u32(header + AT_ARRAYS, arrays);
    put_u32(header + AT_SEGMENTS, segments);
    put_f32(header + AT_THICKNESS, 2 * groom->radius);
    put_f32(header + AT_TRANSPARENCY, groom->transparency);
    for (i = 0; i < 3; i++) put_f32(header + AT_COLOR + 4 * i, groom->color[i]);
}

static void name_losses(const plait_gf_groom *groom, plait_gf_report *report) {
    size_t a;
    for (a = 0; a < GF_ARRAY_COUNT; a++) {
        const gf_array *array = &GF_ARRAYS[a];
        const void *data = gf_array_const(groom, array);
        if (data && data != groom->vertex_counts && data != groom->positions && data != groom->radii &&
            data != groom->transparencies && data != groom->colors && data != groom->hair_header)
            gf_note(report, "a .hair file has no room for %s", array->name);
    }
    if (groom->root_bindings) gf_note(report, "a .hair file has no room for root_bindings");
    if (groom->group_count > 1) gf_note(report, "a .hair file has no room for groups");
}
