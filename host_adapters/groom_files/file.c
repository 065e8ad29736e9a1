/* Files as a whole: which reader takes them, messages, bytes. */
#include "groom_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#endif

static plait_result read_memory(gf_bytes file, uint32_t format, gf_bytes bones, const plait_gf_read_options *options,
                                plait_gf_groom *groom, plait_gf_report *report);

plait_result plait_gf_read(const char *path, const plait_gf_read_options *options, plait_gf_groom *groom,
                           plait_gf_report *report) {
    static const plait_gf_read_options none;
    plait_gf_report unread;
    gf_bytes file = {NULL, 0}, bones = {NULL, 0};
    void *file_bytes = NULL, *bone_bytes = NULL;
    plait_result result;
    report = report ? report : &unread;
    options = options ? options : &none;
    memset(report, 0, sizeof *report);
    if (!groom) return gf_fail(report, PLAIT_ERROR_INVALID_ARGUMENT, "groom is null");
    memset(groom, 0, sizeof *groom);
    if (!path) return gf_fail(report, PLAIT_ERROR_INVALID_ARGUMENT, "path is null");
    result = gf_read_file(path, &file_bytes, &file.size, report);
    if (result == PLAIT_OK && options->bone_path) {
        result = gf_read_file(options->bone_path, &bone_bytes, &bones.size, report);
        if (result != PLAIT_OK) { /* there are two files that it could be */
            char reason[sizeof report->message];
            memcpy(reason, report->message, sizeof reason);
            gf_fail(report, result, "%.120s: %.120s", options->bone_path, reason);
        }
    }
    file.at = file_bytes;
    bones.at = bone_bytes;
    if (result == PLAIT_OK) result = read_memory(file, PLAIT_GF_FORMAT_AUTO, bones, options, groom, report);
    free(file_bytes);
    free(bone_bytes);
    return result;
}

plait_result plait_gf_read_memory(const void *bytes, size_t size, uint32_t format, const plait_gf_read_options *options,
                                  plait_gf_groom *groom, plait_gf_report *report) {
    static const plait_gf_read_options none;
    plait_gf_report unread;
    gf_bytes file, bones;
    report = report ? report : &unread;
    options = options ? options : &none;
    memset(report, 0, sizeof *report);
    if (!groom) return gf_fail(report, PLAIT_ERROR_INVALID_ARGUMENT, "groom is null");
    memset(groom, 0, sizeof *groom);
    if (!bytes || (options->bone_size > 0 && !options->bone_bytes))
        return gf_fail(report, PLAIT_ERROR_INVALID_ARGUMENT, "bytes are null");
    file.at = bytes;
    file.size = size;
    bones.at = options->bone_bytes;
    bones.size = options->bone_size;
    return read_memory(file, format, bones, options, groom, report);
}

static plait_result read_memory(gf_bytes file, uint32_t format, gf_bytes bones, const plait_gf_read_options *options,
                                plait_gf_groom *groom, plait_gf_report *report) {
    gf_reading r;
    plait_result result = PLAIT_OK;
    r.file = file;
    r.options = options;
    r.groom = groom;
    r.report = report;
    if (file.size == 0) return gf_fail(report, PLAIT_ERROR_INVALID_GROOM, "the file is empty");
    if (format == PLAIT_GF_FORMAT_AUTO) {
        format = PLAIT_GF_FORMAT_TFX;
        if (file.size >= 4 && memcmp(file.at, "HAIR", 4) == 0) format = PLAIT_GF_FORMAT_HAIR;
        if (file.size >= 4 && memcmp(file.at, "PK", 2) == 0) format = PLAIT_GF_FORMAT_NPZ;
    }
    report->format = format;
    if (bones.at && format != PLAIT_GF_FORMAT_TFX)
        result = gf_fail(report, PLAIT_ERROR_INVALID_ARGUMENT, "a .tfxbone file goes with a .tfx file only");
    if (result == PLAIT_OK) result = gf_progress(&r, 0);
    if (result == PLAIT_OK) switch (format) {
        case PLAIT_GF_FORMAT_HAIR: result = gf_read_hair(&r); break;
        case PLAIT_GF_FORMAT_TFX: result = gf_read_tfx(&r); break;
        case PLAIT_GF_FORMAT_NPZ: result = gf_read_npz(&r); break;
        default: result = gf_fail(report, PLAIT_ERROR_INVALID_ARGUMENT, "there is no format %u", format);
        }
    if (result == PLAIT_OK && bones.at) result = gf_read_tfxbone(&r, bones);
    if (result == PLAIT_OK) {
        report->file_strand_count = groom->strand_count;
        report->file_vertex_count = groom->vertex_count;
        result = gf_repair(&r);
    }
    if (result == PLAIT_ERROR_OUT_OF_MEMORY && !report->message[0]) gf_fail(report, result, "out of memory");
    if (result != PLAIT_OK) plait_gf_groom_free(groom);
    return result;
}

plait_result gf_progress(const gf_reading *r, double share) {
    plait_result result = r->options->progress ? r->options->progress(r->options->user, (float)share) : PLAIT_OK;
    return result == PLAIT_OK ? result : gf_fail(r->report, result, "stopped by the progress function");
}

plait_result gf_fail(plait_gf_report *report, plait_result result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->message, sizeof report->message, format, arguments);
    va_end(arguments);
    return result;
}

void gf_note(plait_gf_report *report, const char *format, ...) {
    size_t used = strlen(report->notes);
    va_list arguments;
    if (used + 2 > sizeof report->notes) return;
    if (used > 0) report->notes[used++] = '\n';
    va_start(arguments, format);
    vsnprintf(report->notes + used, sizeof report->notes - used, format, arguments);
    va_end(arguments);
}

#if defined(_WIN32)

FILE *gf_open(const char *path, const char *mode) {
    wchar_t wide[4096], wide_mode[8];
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, 4096) ||
        !MultiByteToWideChar(CP_UTF8, 0, mode, -1, wide_mode, 8)) {
        errno = EINVAL;
        return NULL;
    }
    return _wfopen(wide, wide_mode);
}

#else

FILE *gf_open(const char *path, const char *mode) { return fopen(path, mode); }

#endif

/* Reads until there is no more: the size that a system tells may be wrong, and pipes have none. */
plait_result gf_read_file(const char *path, void **bytes, size_t *size, plait_gf_report *report) {
    FILE *file = gf_open(path, "rb");
    uint8_t *read = NULL;
    size_t room = 1 << 16, used = 0, got;
    long end;
    if (!file) return gf_fail(report, PLAIT_ERROR_SYSTEM, "%s", strerror(errno));
    if (fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) > 0 && end < 1L << 30) room = (size_t)end + 1;
    rewind(file);
    do {
        if (!read || used == room) {
            uint8_t *more = read && room > SIZE_MAX / 2 ? NULL : realloc(read, read ? room *= 2 : room);
            if (!more) {
                free(read);
                fclose(file);
                return gf_fail(report, PLAIT_ERROR_OUT_OF_MEMORY, "out of memory after %zu bytes", used);
            }
            read = more;
        }
        got = fread(read + used, 1, room - used, file);
        used += got;
    } while (got > 0);
    got = ferror(file) != 0;
    if (got) gf_fail(report, PLAIT_ERROR_SYSTEM, "cannot be read after %zu bytes: %s", used, strerror(errno));
    fclose(file);
    if (got) {
        free(read);
        return PLAIT_ERROR_SYSTEM;
    }
    *bytes = read;
    *size = used;
    return PLAIT_OK;
}

uint16_t gf_u16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

uint32_t gf_u32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

float gf_f32(const uint8_t *p) {
    uint32_t bits = gf_u32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Compilers make a copy of it where the machine is little-endian. */
void gf_copy_f32(const uint8_t *from, size_t count, float *to) {
    size_t i;
    for (i = 0; i < count; i++) to[i] = gf_f32(from + 4 * i);
}
