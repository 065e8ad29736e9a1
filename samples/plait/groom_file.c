// Whole file into memory, header checked against its size, then strand by strand. Both formats are
// little-endian.
#include "groom_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene_math.h"

// Where the strands lie in the bytes of a file.
typedef struct strand_table {
    const unsigned char *bytes;
    size_t size;
    uint32_t strand_count;
    uint32_t segments_each;        // of every strand, where there is no list
    const unsigned char *segments; // [strand_count] 16-bit numbers, or null
    const unsigned char *points;   // x, y, z as floats
    size_t point_stride;           // bytes
    size_t point_count;
} strand_table;

// Shorter segments count as coinciding vertices; metres.
static const float SHORTEST_SEGMENT = 1e-5f;

static bool fail(groom_file_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
static unsigned char *read_whole(const char *path, size_t *size, groom_file_report *report);
static bool find_tfx(strand_table *table, groom_file_report *report);
static bool find_hair(strand_table *table, groom_file_report *report);
static bool fill(const strand_table *table, const groom_file_options *options, scene_groom *groom,
                 groom_file_report *report);
static uint32_t copy_strand(const unsigned char *points, size_t stride, uint32_t count, float scale, float *positions);
static bool move_to_head(scene_groom *groom);

bool groom_file_read(const char *path, const groom_file_options *options, scene_groom *groom,
                     groom_file_report *report) {
    memset(groom, 0, sizeof *groom);
    memset(report, 0, sizeof *report);
    strand_table table = {0};
    unsigned char *bytes = read_whole(path, &table.size, report);
    table.bytes = bytes;
    bool read = bytes != NULL;
    if (read) {
        bool hair = table.size >= 4 && memcmp(bytes, "HAIR", 4) == 0;
        read = hair ? find_hair(&table, report) : find_tfx(&table, report);
    }
    read = read && fill(&table, options, groom, report);
    free(bytes);
    return read;
}

static uint32_t word(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static float real(const unsigned char *p) {
    uint32_t bits = word(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t segments_of(const strand_table *table, uint32_t strand) {
    if (!table->segments) return table->segments_each;
    const unsigned char *p = table->segments + 2 * (size_t)strand;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

// Words: version (a float), strands, vertices per strand, then offsets: positions, four kinds of attributes; 32 words
// are reserved. Positions are x, y, z and an inverse mass.
static bool find_tfx(strand_table *table, groom_file_report *report) {
    const size_t header = 160;
    if (table->size < header) return fail(report, "%zu bytes are too few for the header of a .tfx file", table->size);
    float version = real(table->bytes);
    if (!(version >= 4 && version < 5)) return fail(report, "neither a .hair file nor a .tfx file of version 4");
    uint32_t strands = word(table->bytes + 4), vertices = word(table->bytes + 8), offset = word(table->bytes + 12);
    if (strands == 0 || vertices < 2 || vertices > PLAIT_MAX_STRAND_VERTICES)
        return fail(report, "%u strands of %u vertices cannot be", strands, vertices);
    uint64_t needed = (uint64_t)strands * vertices * 16;
    if (offset < header || offset > table->size || needed > table->size - offset)
        return fail(report, "%u strands of %u vertices at offset %u do not fit into %zu bytes", strands, vertices,
                    offset, table->size);
    table->strand_count = strands;
    table->segments_each = vertices - 1;
    table->points = table->bytes + offset;
    table->point_stride = 16;
    table->point_count = (size_t)strands * vertices;
    return true;
}

// "HAIR", strands, points, which arrays follow (bit 0 segments, 1 points, 2 thickness, 3 transparency, 4 colour), and
// segments per strand where there is no such array; 128 bytes in all.
static bool find_hair(strand_table *table, groom_file_report *report) {
    const size_t header = 128;
    if (table->size < header) return fail(report, "%zu bytes are too few for the header of a .hair file", table->size);
    uint32_t strands = word(table->bytes + 4), points = word(table->bytes + 8), arrays = word(table->bytes + 12);
    if (strands == 0 || points == 0 || !(arrays & 2)) return fail(report, "the file has no points");
    table->strand_count = strands;
    table->segments_each = word(table->bytes + 16);
    table->point_stride = 12;
    table->point_count = points;
    uint64_t at = header;
    if (arrays & 1) {
        table->segments = table->bytes + at;
        at += 2 * (uint64_t)strands;
    }
    if (at + 12 * (uint64_t)points > table->size)
        return fail(report, "%u strands with %u points do not fit into %zu bytes", strands, points, table->size);
    table->points = table->bytes + at;
    uint64_t used = 0;
    for (uint32_t i = 0; i < strands; i++) used += 1 + (uint64_t)segments_of(table, i);
    if (used > points)
        return fail(report, "the strands have %llu points, the file has %u", (unsigned long long)used, points);
    return true;
}

static bool fill(const strand_table *table, const groom_file_options *options, scene_groom *groom,
                 groom_file_report *report) {
    uint32_t total = table->strand_count, wanted = options->strand_limit, kept = 0;
    wanted = wanted == 0 || wanted > total ? total : wanted;
    uint32_t *counts = malloc(wanted * sizeof *counts);
    float *positions = malloc(table->point_count * 3 * sizeof *positions);
    bool filled = false;
    report->strands_in_file = total;
    if (!counts || !positions) {
        fail(report, "out of memory");
        goto end;
    }
    size_t point = 0, written = 0;
    for (uint32_t i = 0, taken = 0; i < total && taken < wanted; i++) {
        uint32_t segments = segments_of(table, i);
        const unsigned char *from = table->points + point * table->point_stride;
        point += (size_t)segments + 1;
        // Takes `wanted` strands, evenly spread over the file.
        if ((uint64_t)(i + 1) * wanted / total <= taken) continue;
        taken++;
        uint32_t count =
            copy_strand(from, table->point_stride, segments + 1, options->meters_per_unit, positions + 3 * written);
        if (count < 2) {
            report->dropped++;
            continue;
        }
        report->repaired += count != segments + 1;
        counts[kept++] = count;
        written += count;
    }
    if (kept == 0) {
        fail(report, "no strand of the file can be used");
        goto end;
    }
    if (!scene_groom_allocate(kept, counts, groom)) {
        fail(report, "out of memory");
        goto end;
    }
    memcpy(groom->positions, positions, 3 * written * sizeof *positions);
    free(groom->root_normals); // the file has none: first segments serve
    groom->root_normals = NULL;
    filled = move_to_head(groom);
    if (!filled) {
        fail(report, "the coordinates are too large");
        scene_groom_free(groom);
    }
end:
    free(counts);
    free(positions);
    return filled;
}

// Writes the vertices that do not coincide with the one before and returns how many; 0 or 1: not a strand.
static uint32_t copy_strand(const unsigned char *points, size_t stride, uint32_t count, float scale, float *positions) {
    if (count > PLAIT_MAX_STRAND_VERTICES) return 0;
    uint32_t written = 0;
    vec3 last = {0};
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *from = points + i * stride;
        vec3 p = v3_scale(v3(real(from), real(from + 4), real(from + 8)), scale);
        if (!(fabsf(p.x) < 1e4f && fabsf(p.y) < 1e4f && fabsf(p.z) < 1e4f)) return 0;
        if (written > 0 && v3_length(v3_sub(p, last)) <= SHORTEST_SEGMENT) continue;
        v3_store(positions + 3 * written++, p);
        last = p;
    }
    return written;
}

// False when the roots are so far apart that segments would be lost to rounding.
static bool move_to_head(scene_groom *groom) {
    float center[3];
    double mean[3] = {0};
    scene_head_center(center);
    const float *root = groom->positions;
    for (uint32_t i = 0; i < groom->strand_count; root += 3 * (size_t)groom->vertex_counts[i], i++)
        for (int axis = 0; axis < 3; axis++) mean[axis] += root[axis] / (double)groom->strand_count;
    for (uint32_t v = 0; v < groom->vertex_count; v++)
        for (int axis = 0; axis < 3; axis++) {
            float *x = &groom->positions[3 * (size_t)v + (size_t)axis];
            *x = (float)(*x - mean[axis] + center[axis]);
            if (fabsf(*x) > 1e3f) return false;
        }
    return true;
}

static unsigned char *read_whole(const char *path, size_t *size, groom_file_report *report) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail(report, "%s", strerror(errno));
        return NULL;
    }
    unsigned char *bytes = NULL;
    size_t room = 1 << 20, used = 0, got = 0;
    do {
        unsigned char *more = used == 0 || used == room ? realloc(bytes, room *= 2) : bytes;
        if (!more) {
            fail(report, "out of memory after %zu bytes", used);
            goto fail;
        }
        bytes = more;
        got = fread(bytes + used, 1, room - used, file);
        used += got;
    } while (got > 0);
    if (ferror(file)) {
        fail(report, "cannot be read");
        goto fail;
    }
    fclose(file);
    *size = used;
    return bytes;
fail:
    fclose(file);
    free(bytes);
    return NULL;
}

static bool fail(groom_file_report *report, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->problem, sizeof report->problem, format, arguments);
    va_end(arguments);
    return false;
}
