// The scene for measuring whole frames: a running mannequin with 3,840 strands of 100, colliders, and output into
// memory.
#ifndef CHARACTER_H
#define CHARACTER_H

#include "host.h"

typedef struct character {
    host host;
    float *output; // [vertices][4]
    uint64_t frame;
} character;

// On the best device of a backend. character_close may be called after a failure.
bool character_open(character *c, uint32_t backend);
void character_close(character *c);

// A frame of one step; waits for its output. For bench_side.run.
bool character_frame(void *character);

#endif
