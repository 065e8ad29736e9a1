// What differs between operating systems, for the commands.
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stddef.h>
#include <stdint.h>

uint32_t system_core_count(void);

// Memory on a boundary of 64 bytes, for system_release; null: there is none.
void *system_allocate(size_t bytes);
void system_release(void *memory); // null is fine

#endif
