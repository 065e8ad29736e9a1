// Files that tests make byte by byte, by the formats' own descriptions, and read through the library's public functions.
#ifndef MADE_FILE_H
#define MADE_FILE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plait_groom_files.h"

typedef struct made_file {
    uint8_t bytes[1 << 16];
    size_t size;
} made_file;

static inline void put_bytes(made_file *f, const void *bytes, size_t size) {
    assert_true(f->size + size <= sizeof f->bytes);
    memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

static inline void put_u16(made_file *f, uint32_t x) { put_bytes(f, (uint8_t[]){(uint8_t)x, (uint8_t)(x >> 8)}, 2); }

static inline void put_u32(made_file *f, uint32_t x) {
    put_u16(f, x & 0xffff);
    put_u16(f, x >> 16);
}

static inline void put_f32(made_file *f, float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_u32(f, bits);
}

// Reads from a copy of exactly that size, so that a sanitizer sees every byte beyond.
static inline plait_result read_made(const uint8_t *bytes, size_t size, uint32_t format,
                                     const plait_gf_read_options *options, plait_gf_groom *groom,
                                     plait_gf_report *report) {
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    plait_result result = plait_gf_read_memory(copy, size, format, options, groom, report);
    free(copy);
    return result;
}

static inline void assert_says(const plait_gf_report *report, const char *part) {
    if (!strstr(report->message, part)) fail_msg("\"%s\" does not say \"%s\"", report->message, part);
}

static inline void assert_empty(const plait_gf_groom *groom) {
    static const plait_gf_groom empty;
    assert_memory_equal(groom, &empty, sizeof empty);
}

// Cut off anywhere, a file is refused with a message, and nothing is left behind.
static inline void refuses_every_prefix(const made_file *f, uint32_t format) {
    for (size_t size = 0; size < f->size; size++) {
        plait_gf_groom groom;
        plait_gf_report report;
        plait_result result = read_made(f->bytes, size, format, NULL, &groom, &report);
        if (result >= 0) fail_msg("%zu of %zu bytes are taken for a whole file", size, f->size);
        assert_true(strlen(report.message) > 10);
        assert_empty(&groom);
    }
}

#endif
