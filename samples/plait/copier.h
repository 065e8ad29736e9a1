// Copying memory on some threads: the limit that figures of bandwidth compare with.
#ifndef COPIER_H
#define COPIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct copier {
    unsigned char *from, *to;
    size_t bytes;
    uint32_t thread_count;
} copier;

// thread_count 0: as many as there are cores; 64 at most. Reports failure; call copier_close in any case.
bool copier_open(copier *c, size_t bytes, uint32_t thread_count);
void copier_close(copier *c);
bool copier_copy(void *argument); // a copier; reports failure

#endif
