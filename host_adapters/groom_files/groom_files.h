/* What the files of this folder share. Not for hosts. */
#ifndef PLAIT_GROOM_FILES_INTERNAL_H
#define PLAIT_GROOM_FILES_INTERNAL_H

#include <stdarg.h>
#include <stdio.h>

#include "plait_groom_files.h"

/* ---- arrays of a groom: one list, from which they are released, copied, filtered, read and written ---- */

enum gf_type { GF_U8, GF_U16, GF_U32, GF_F32, GF_TYPES };

/* How many rows an array has. */
enum gf_rows {
    GF_PER_STRAND,
    GF_PER_VERTEX,
    GF_PER_BONE,
    GF_PER_GUIDE,
    GF_PER_MESH_VERTEX,
    GF_PER_MESH_TRIANGLE,
    GF_ONE_ROW
};

typedef struct gf_array {
    const char *name;
    size_t offset; /* of the pointer in plait_gf_groom */
    enum gf_type type;
    enum gf_rows rows;
    uint32_t columns; /* 0: guides_each */
} gf_array;

/* All arrays of plain numbers, that is, all but root_bindings and groups. vertex_counts and positions are first. */
extern const gf_array GF_ARRAYS[];
extern const size_t GF_ARRAY_COUNT;

size_t gf_type_size(enum gf_type type);
uint64_t gf_row_count(const plait_gf_groom *groom, enum gf_rows rows);
size_t gf_row_bytes(const plait_gf_groom *groom, const gf_array *array);
void **gf_array_pointer(plait_gf_groom *groom, const gf_array *array);
const void *gf_array_const(const plait_gf_groom *groom, const gf_array *array);

/* ---- messages ---- */

#if defined(__GNUC__)
#define GF_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define GF_PRINTF(text, first)
#endif

/* Writes report->message and returns result. */
plait_result gf_fail(plait_gf_report *report, plait_result result, const char *format, ...) GF_PRINTF(3, 4);
/* The most frequent reason why strands were left out, and how often. */
const char *gf_most_skipped(const plait_gf_report *report, uint32_t *count);
/* Adds a line to report->notes. */
void gf_note(plait_gf_report *report, const char *format, ...) GF_PRINTF(2, 3);

/* ---- reading ---- */

typedef struct gf_bytes {
    const uint8_t *at;
    size_t size;
} gf_bytes;

/* What a reader works with. */
typedef struct gf_reading {
    gf_bytes file;
    const plait_gf_read_options *options; /* never null */
    plait_gf_groom *groom;
    plait_gf_report *report; /* never null */
} gf_reading;

/* Readers fill in a groom as it is in the file, with vertex counts of any size; gf_repair makes it one that Plait takes. */
plait_result gf_read_hair(const gf_reading *r);
plait_result gf_read_npz(const gf_reading *r);
plait_result gf_read_tfx(const gf_reading *r);
plait_result gf_read_tfxbone(const gf_reading *r, gf_bytes bones);
plait_result gf_repair(const gf_reading *r);

plait_result gf_progress(const gf_reading *r, double share);

/* Zeroed memory for count times size bytes, at least one; null also if that does not fit into a size_t. */
void *gf_allocate(uint64_t count, size_t size);

/* fopen with a path in UTF-8, which Windows' own takes for something else. Null and errno. */
FILE *gf_open(const char *path, const char *mode);

/* The whole file; from malloc. */
plait_result gf_read_file(const char *path, void **bytes, size_t *size, plait_gf_report *report);

/* ---- writing ---- */

/* A file that is being written beside the one it will replace: that stays as it was until all is written. Links are followed;
 * a device or a pipe is written to as it is. */
typedef struct gf_output {
    FILE *file;
    char *path, *temporary; /* temporary is null for a device or a pipe */
} gf_output;

plait_result gf_output_open(gf_output *output, const char *path, plait_gf_report *report);
/* result: of what was done to the file since; PLAIT_ERROR_SYSTEM: errno says why. Returns that, or what now went wrong; the
 * message is written. */
plait_result gf_output_close(gf_output *output, plait_result result, plait_gf_report *report);

/* ---- text files ---- */

/* What is left of the text. */
typedef struct gf_text {
    const char *at, *end;
    uint32_t line;
    char token[128]; /* the last one, cut off if it is longer */
} gf_text;

/* Reads a word into token; 0: there is none, or none in this line. */
int gf_next_token(gf_text *t);
int gf_next_in_line(gf_text *t);

/* Whether the word is a number, as the C locale writes it. */
int gf_number(const char *token, double *value);

/* Reallocates to rows of so many bytes; 0: out of memory, the array is as it was. */
int gf_grow(void **array, size_t rows, size_t bytes);

/* ---- numbers ---- */

/* Little-endian numbers at any address. */
uint16_t gf_u16(const uint8_t *p);
uint32_t gf_u32(const uint8_t *p);
float gf_f32(const uint8_t *p);
void gf_copy_f32(const uint8_t *from, size_t count, float *to);

#endif
