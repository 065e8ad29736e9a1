/* An allocator that tracks its blocks, checks how they are freed, and fails on a chosen call. */
#ifndef PLAIT_TESTS_TRACKER_H
#define PLAIT_TESTS_TRACKER_H

#include <plait.h>
#include <pthread.h>

typedef struct tracker {
    pthread_mutex_t mutex;
    uint64_t calls;     /* of allocate */
    uint64_t live;      /* live blocks */
    uint64_t mistakes;  /* releases of unknown blocks or with another size or alignment; invalid sizes and alignments */
    uint64_t fail_from; /* the first call, counted from 0, that gets null */
    uint64_t fail_to;   /* the first one after that which gets memory again */
    uint64_t misalign;  /* bytes that the calls between are off the alignment asked for, instead of getting null */
    struct block *blocks;
} tracker;

void tracker_open(tracker *t);
void tracker_close(tracker *t); /* frees the remaining blocks */
plait_allocator tracker_allocator(tracker *t);

#endif
