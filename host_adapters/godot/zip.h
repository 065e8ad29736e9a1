/* zip.h - stands in for libzip when host_adapters/groom_files reads .npz files here: the functions that it calls, over members
 * that Godot's ZIPReader has unpacked. An "archive" is a zip_members. */
#ifndef PLAIT_GODOT_ZIP_H
#define PLAIT_GODOT_ZIP_H

#include <stdint.h>

typedef int64_t zip_int64_t;
typedef uint64_t zip_uint64_t;

/* Borrowed bytes. */
typedef struct zip_member {
    char name[256];
    const uint8_t *bytes;
    uint64_t size;
} zip_member;

typedef struct zip_members {
    uint64_t count;
    zip_member *list;
} zip_members;

typedef const zip_members zip_source_t;
typedef const zip_members zip_t;

typedef struct zip_file_t {
    const zip_member *member;
    uint64_t at;
} zip_file_t;

typedef struct zip_error_t {
    int code;
} zip_error_t;

typedef struct zip_stat_t {
    uint64_t valid, size, comp_size;
} zip_stat_t;

enum { ZIP_RDONLY = 16, ZIP_STAT_SIZE = 4, ZIP_STAT_COMP_SIZE = 8 };

void zip_error_init(zip_error_t *error);
void zip_error_fini(zip_error_t *error);
const char *zip_error_strerror(zip_error_t *error);
zip_source_t *zip_source_buffer_create(const void *bytes, uint64_t size, int free_bytes, zip_error_t *error);
void zip_source_free(zip_source_t *source);
zip_t *zip_open_from_source(zip_source_t *source, int flags, zip_error_t *error);
void zip_discard(zip_t *archive);
const char *zip_strerror(zip_t *archive);
zip_int64_t zip_get_num_entries(zip_t *archive, int flags);
const char *zip_get_name(zip_t *archive, zip_uint64_t index, int flags);
zip_int64_t zip_name_locate(zip_t *archive, const char *name, int flags);
void zip_stat_init(zip_stat_t *status);
int zip_stat_index(zip_t *archive, zip_uint64_t index, int flags, zip_stat_t *status);
zip_file_t *zip_fopen_index(zip_t *archive, zip_uint64_t index, int flags);
zip_int64_t zip_fread(zip_file_t *file, void *to, zip_uint64_t size);
int zip_fclose(zip_file_t *file);

#endif
