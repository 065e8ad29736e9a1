// See copier.h.
#include "copier.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "system.h"

enum { MOST_THREADS = 64 };

static void *copy_slice(void *argument);

bool copier_open(copier *c, size_t bytes, uint32_t thread_count) {
    uint32_t threads = thread_count ? thread_count : system_core_count();
    *c = (copier){.bytes = bytes, .thread_count = threads > MOST_THREADS ? MOST_THREADS : threads};
    c->from = system_allocate(bytes);
    c->to = system_allocate(bytes);
    if (!c->from || !c->to) {
        fprintf(stderr, "plait bench: out of memory\n");
        return false;
    }
    memset(c->from, 1, bytes); // pages that were never written all map to one zero page
    memset(c->to, 2, bytes);
    return true;
}

void copier_close(copier *c) {
    system_release(c->from);
    system_release(c->to);
}

bool copier_copy(void *argument) {
    const copier *c = argument;
    copier slices[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    uint32_t started = 0;
    for (uint32_t i = 0; i < c->thread_count; i++) {
        size_t begin = c->bytes / c->thread_count * i;
        slices[i] = (copier){c->from + begin, c->to + begin, c->bytes / c->thread_count, 1};
    }
    for (uint32_t i = 1; i < c->thread_count; i++, started++)
        if (pthread_create(&threads[i], NULL, copy_slice, &slices[i]) != 0) break;
    copy_slice(&slices[0]);
    for (uint32_t i = 1; i <= started; i++) pthread_join(threads[i], NULL);
    if (started + 1 < c->thread_count) fprintf(stderr, "plait bench: no thread to copy with\n");
    return started + 1 == c->thread_count;
}

static void *copy_slice(void *argument) {
    const copier *c = argument;
    memcpy(c->to, c->from, c->bytes);
    return NULL;
}
