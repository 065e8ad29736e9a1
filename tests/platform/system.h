/* What tests need of an operating system and the C library of Windows lacks or calls differently. */
#ifndef PLAIT_TESTS_SYSTEM_H
#define PLAIT_TESTS_SYSTEM_H

#include <stddef.h>

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <malloc.h>

static inline void *aligned_memory(size_t alignment, size_t size) { return _aligned_malloc(size, alignment); }
static inline void aligned_memory_free(void *memory) { _aligned_free(memory); }

/* The end of a page that may be read, in front of one that may not; null: there is none. */
static inline unsigned char *pages_open(void) {
    DWORD before;
    unsigned char *pages = VirtualAlloc(NULL, 8192, MEM_RESERVE | MEM_COMMIT, PAGE_READONLY);
    return pages && VirtualProtect(pages + 4096, 4096, PAGE_NOACCESS, &before) ? pages + 4096 : NULL;
}
static inline void pages_close(unsigned char *end) { VirtualFree(end - 4096, 0, MEM_RELEASE); }

#else

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static inline void *aligned_memory(size_t alignment, size_t size) {
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
static inline void aligned_memory_free(void *memory) { free(memory); }

#if defined(MAP_ANONYMOUS)
static inline unsigned char *pages_open(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *pages = mmap(NULL, 2 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0 ? pages + page : NULL;
}
static inline void pages_close(unsigned char *end) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap(end - page, 2 * page);
}
#endif

#endif

#endif
