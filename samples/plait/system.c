// See system.h.
#include "system.h"

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

uint32_t system_core_count(void) {
    DWORD count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return count < 1 ? 1 : count;
}

void *system_allocate(size_t bytes) { return _aligned_malloc(bytes, 64); }
void system_release(void *memory) { _aligned_free(memory); }

char **system_arguments(int argc, wchar_t **wide) {
    char **arguments = calloc((size_t)argc + 1, sizeof *arguments);
    for (int i = 0; arguments && i < argc; i++) {
        int size = WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, NULL, 0, NULL, NULL);
        arguments[i] = size > 0 ? malloc((size_t)size) : NULL;
        if (!arguments[i]) return NULL;
        WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, arguments[i], size, NULL, NULL);
    }
    return arguments;
}

FILE *system_open(const char *path, const char *mode) {
    wchar_t wide[4096], wide_mode[8];
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, 4096) ||
        !MultiByteToWideChar(CP_UTF8, 0, mode, -1, wide_mode, 8)) {
        errno = EINVAL;
        return NULL;
    }
    return _wfopen(wide, wide_mode);
}

#else

#include <stdlib.h>
#include <unistd.h>

uint32_t system_core_count(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (uint32_t)count;
}

void *system_allocate(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }
void system_release(void *memory) { free(memory); }

FILE *system_open(const char *path, const char *mode) { return fopen(path, mode); }

#endif
