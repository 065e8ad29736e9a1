// What differs between operating systems, for the commands.
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

uint32_t system_core_count(void);

// Memory on a boundary of 64 bytes, for system_release; null: there is none.
void *system_allocate(size_t bytes);
void system_release(void *memory); // null is fine

#if defined(_WIN32)
// Arguments of the program in UTF-8, as long as it lives: main gets only what the old code page can say. Null: out of memory.
char **system_arguments(int argc, wchar_t **wide);
#endif

// fopen with a path in UTF-8.
FILE *system_open(const char *path, const char *mode);

#endif
