// See system.h.
#include "system.h"

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <malloc.h>

uint32_t system_core_count(void) {
    DWORD count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return count < 1 ? 1 : count;
}

void *system_allocate(size_t bytes) { return _aligned_malloc(bytes, 64); }
void system_release(void *memory) { _aligned_free(memory); }

#else

#include <stdlib.h>
#include <unistd.h>

uint32_t system_core_count(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (uint32_t)count;
}

void *system_allocate(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }
void system_release(void *memory) { free(memory); }

#endif
