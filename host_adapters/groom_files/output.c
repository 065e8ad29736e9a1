/* Files that are written: a new one takes the place of an old one only when it is whole. */
#if !defined(_WIN32) && !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700 /* readlink, fdopen, fchmod */
#endif
#include "groom_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

/* What stands at a path, links followed. */
enum place { PLACE_FREE, PLACE_FILE, PLACE_OTHER /* a device or a pipe */, PLACE_REFUSED /* errno says why */ };

/* Of the system. Paths are UTF-8. */
static char *follow_links(const char *path); /* from malloc; null: errno says why */
static enum place look_at(const char *path);
static FILE *make_new(const char *path, const char *like); /* with the rights of like, if that exists */
static int replace(const char *from, const char *to);
static void discard(const char *path);

static char *temporary_name(const char *path, unsigned attempt) {
    size_t size = strlen(path) + 24;
    char *name = malloc(size);
    if (name) snprintf(name, size, "%s.%u.tmp", path, attempt);
    return name;
}

plait_result gf_output_open(gf_output *output, const char *path, plait_gf_report *report) {
    enum place place;
    unsigned attempt;
    memset(output, 0, sizeof *output);
    output->path = follow_links(path);
    place = output->path ? look_at(output->path) : PLACE_REFUSED;
    if (place == PLACE_OTHER) output->file = gf_open(output->path, "wb");
    for (attempt = 0; (place == PLACE_FREE || place == PLACE_FILE) && !output->file; attempt++) {
        free(output->temporary);
        output->temporary = temporary_name(output->path, attempt);
        if (!output->temporary) break;
        output->file = make_new(output->temporary, output->path);
        if (!output->file && (errno != EEXIST || attempt == 999)) break;
    }
    if (output->file) return PLAIT_OK;
    gf_fail(report, PLAIT_ERROR_SYSTEM, "cannot be written: %s", strerror(errno));
    free(output->temporary);
    free(output->path);
    memset(output, 0, sizeof *output);
    return PLAIT_ERROR_SYSTEM;
}

plait_result gf_output_close(gf_output *output, plait_result result, plait_gf_report *report) {
    int why = errno; /* of the write that failed, if one did */
    if (fclose(output->file) != 0 && result == PLAIT_OK) {
        result = PLAIT_ERROR_SYSTEM;
        why = errno;
    }
    if (result == PLAIT_OK && output->temporary && !replace(output->temporary, output->path)) {
        result = PLAIT_ERROR_SYSTEM;
        why = errno;
    }
    if (result != PLAIT_OK && output->temporary) discard(output->temporary);
    if (result == PLAIT_ERROR_SYSTEM) gf_fail(report, result, "cannot be written: %s", strerror(why));
    if (result == PLAIT_ERROR_OUT_OF_MEMORY) gf_fail(report, result, "out of memory");
    free(output->temporary);
    free(output->path);
    memset(output, 0, sizeof *output);
    return result;
}

#if defined(_WIN32)

enum { WIDE = 4096 };

static int widen(const char *path, wchar_t wide[WIDE]) {
    int fits = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, WIDE) != 0;
    if (!fits) errno = EINVAL;
    return fits;
}

static void take_error(void) {
    DWORD error = GetLastError();
    errno = error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND ? ENOENT
            : error == ERROR_DISK_FULL || error == ERROR_HANDLE_DISK_FULL  ? ENOSPC
            : error == ERROR_FILE_EXISTS || error == ERROR_ALREADY_EXISTS  ? EEXIST
                                                                           : EACCES;
}

static char *copy_text(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

/* Only a link needs another name: that of what it leads to. */
static char *follow_links(const char *path) {
    wchar_t wide[WIDE], real[WIDE];
    char *narrow = NULL;
    DWORD attributes, length = 0;
    HANDLE handle;
    int size;
    if (!widen(path, wide)) return NULL;
    attributes = GetFileAttributesW(wide);
    if (attributes == INVALID_FILE_ATTRIBUTES || !(attributes & FILE_ATTRIBUTE_REPARSE_POINT)) return copy_text(path);
    handle = CreateFileW(wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                         FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle != INVALID_HANDLE_VALUE) {
        length = GetFinalPathNameByHandleW(handle, real, WIDE, 0);
        CloseHandle(handle);
    }
    if (length == 0 || length >= WIDE) {
        take_error();
        return NULL;
    }
    size = WideCharToMultiByte(CP_UTF8, 0, real, -1, NULL, 0, NULL, NULL);
    narrow = size > 0 ? malloc((size_t)size) : NULL;
    if (narrow) WideCharToMultiByte(CP_UTF8, 0, real, -1, narrow, size, NULL, NULL);
    return narrow;
}

static enum place look_at(const char *path) {
    wchar_t wide[WIDE];
    DWORD attributes, type;
    HANDLE handle;
    if (!widen(path, wide)) return PLACE_REFUSED;
    attributes = GetFileAttributesW(wide);
    errno = attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_DIRECTORY ? EISDIR : EACCES;
    if (attributes != INVALID_FILE_ATTRIBUTES && attributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_READONLY))
        return PLACE_REFUSED;
    handle = CreateFileW(wide, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
        take_error();
        return attributes == INVALID_FILE_ATTRIBUTES ? PLACE_FREE : PLACE_REFUSED;
    }
    type = GetFileType(handle);
    CloseHandle(handle);
    return type == FILE_TYPE_DISK ? PLACE_FILE : PLACE_OTHER;
}

static FILE *make_new(const char *path, const char *like) {
    wchar_t wide[WIDE];
    HANDLE handle;
    (void)like; /* a new file has the rights of its folder */
    if (!widen(path, wide)) return NULL;
    handle = CreateFileW(wide, GENERIC_WRITE, 0, NULL, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
        take_error();
        return NULL;
    }
    CloseHandle(handle);
    return _wfopen(wide, L"wb");
}

static int replace(const char *from, const char *to) {
    wchar_t wide_from[WIDE], wide_to[WIDE];
    if (!widen(from, wide_from) || !widen(to, wide_to)) return 0;
    if (MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING)) return 1;
    take_error();
    return 0;
}

static void discard(const char *path) {
    wchar_t wide[WIDE];
    if (widen(path, wide)) DeleteFileW(wide);
}

#else

/* Also where the last link leads nowhere yet: the new file is made there. */
static char *follow_links(const char *path) {
    char *at = malloc(strlen(path) + 1);
    int links;
    if (at) strcpy(at, path);
    for (links = 0; at && links < 40; links++) {
        char target[PATH_MAX], *next;
        const char *slash = strrchr(at, '/');
        ssize_t length = readlink(at, target, sizeof target);
        size_t folder;
        if (length < 0 || (size_t)length >= sizeof target) return at;
        folder = target[0] != '/' && slash ? (size_t)(slash + 1 - at) : 0;
        next = malloc(folder + (size_t)length + 1);
        if (next) {
            memcpy(next, at, folder);
            memcpy(next + folder, target, (size_t)length);
            next[folder + (size_t)length] = 0;
        }
        free(at);
        at = next;
    }
    if (at) errno = ELOOP;
    free(at);
    return NULL;
}

static enum place look_at(const char *path) {
    struct stat is;
    if (stat(path, &is) != 0) return errno == ENOENT ? PLACE_FREE : PLACE_REFUSED;
    if (S_ISDIR(is.st_mode)) {
        errno = EISDIR;
        return PLACE_REFUSED;
    }
    if (!S_ISREG(is.st_mode)) return PLACE_OTHER;
    return access(path, W_OK) == 0 ? PLACE_FILE : PLACE_REFUSED; /* replacing it would not ask */
}

static FILE *make_new(const char *path, const char *like) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    struct stat is;
    FILE *stream;
    if (file < 0) return NULL;
    /* Where the system does not allow it, the rights of a new file have to do. */
    if (stat(like, &is) == 0 && fchmod(file, is.st_mode & 07777) != 0) errno = 0;
    stream = fdopen(file, "wb");
    if (!stream) close(file);
    return stream;
}

static int replace(const char *from, const char *to) { return rename(from, to) == 0; }

static void discard(const char *path) { remove(path); }

#endif
