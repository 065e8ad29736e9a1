// Hair-hair forces as the rest of core sees them.
#ifndef PLAIT_VOLUME_H
#define PLAIT_VOLUME_H

#include "coupling.h"

extern const struct coupling volume_coupling;

// What statistics look at.
struct volume_parts {
    const struct buffer *records, *readings, *sums, *runs;
    uint32_t capacity; // of blocks
    double flip;
    double share; // of the head's strands that are simulated
};
// False: the hair has none.
bool volume_find(const struct hair *hair, struct volume_parts *parts);

#endif
