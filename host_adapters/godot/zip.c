/* See zip.h. */
#include "zip.h"

#include <stdlib.h>
#include <string.h>

void zip_error_init(zip_error_t *error) { error->code = 0; }

void zip_error_fini(zip_error_t *error) { (void)error; }

const char *zip_error_strerror(zip_error_t *error) {
    (void)error;
    return "no archive";
}

zip_source_t *zip_source_buffer_create(const void *bytes, uint64_t size, int free_bytes, zip_error_t *error) {
    (void)size, (void)free_bytes, (void)error;
    return bytes;
}

void zip_source_free(zip_source_t *source) { (void)source; }

zip_t *zip_open_from_source(zip_source_t *source, int flags, zip_error_t *error) {
    (void)flags, (void)error;
    return source;
}

void zip_discard(zip_t *archive) { (void)archive; }

const char *zip_strerror(zip_t *archive) {
    (void)archive;
    return "out of memory";
}

zip_int64_t zip_get_num_entries(zip_t *archive, int flags) {
    (void)flags;
    return (zip_int64_t)archive->count;
}

const char *zip_get_name(zip_t *archive, zip_uint64_t index, int flags) {
    (void)flags;
    return archive->list[index].name;
}

zip_int64_t zip_name_locate(zip_t *archive, const char *name, int flags) {
    (void)flags;
    for (uint64_t i = 0; i < archive->count; i++)
        if (strcmp(archive->list[i].name, name) == 0) return (zip_int64_t)i;
    return -1;
}

void zip_stat_init(zip_stat_t *status) { memset(status, 0, sizeof *status); }

int zip_stat_index(zip_t *archive, zip_uint64_t index, int flags, zip_stat_t *status) {
    (void)flags;
    status->valid = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    status->size = status->comp_size = archive->list[index].size;
    return 0;
}

zip_file_t *zip_fopen_index(zip_t *archive, zip_uint64_t index, int flags) {
    zip_file_t *file = calloc(1, sizeof *file);
    (void)flags;
    if (file) file->member = &archive->list[index];
    return file;
}

zip_int64_t zip_fread(zip_file_t *file, void *to, zip_uint64_t size) {
    uint64_t left = file->member->size - file->at, count = size < left ? size : left;
    if (count > 0) memcpy(to, file->member->bytes + file->at, count);
    file->at += count;
    return (zip_int64_t)count;
}

int zip_fclose(zip_file_t *file) {
    free(file);
    return 0;
}
