// What a bone's matrix may be.
#ifndef PLAIT_BONE_H
#define PLAIT_BONE_H

#include "context.h"

#define BONE_REASON_SIZE 96

// Whether a matrix is finite, not mirroring and within the limits that plait.h names; if not, reason says why, unless it is
// null.
bool bone_sound(const float *matrix, char reason[BONE_REASON_SIZE]);
// The same with a message that names it `what`[index].
plait_result check_bone(const struct call *call, const char *what, uint32_t index, const float *matrix);

#endif
