// The body: an immutable copy of a character's colliders, in host units.
#ifndef PLAIT_BODY_H
#define PLAIT_BODY_H

#include "context.h"

struct body {
    struct object object;
    uint32_t bone_count;
    uint32_t collider_count;
    plait_collider *colliders;
    bool *has_collider; // [bone_count]
};

#endif
