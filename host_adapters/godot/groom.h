/* groom.h - PlaitGroom, strands as a resource, and how files become one. */
#ifndef PLAIT_GODOT_GROOM_H
#define PLAIT_GODOT_GROOM_H

#include "gd.h"
#include "plait_groom_files.h"

extern const gd_class groom_class;
extern const gd_class groom_loader_class;

/* Copies the strands of a PlaitGroom, with all lengths times scale. The caller frees the groom. 0: why says what is wrong. */
int groom_read(const gd_variant *resource, float scale, plait_gf_groom *groom, char *why, size_t why_size);

/* Moves the arrays of a groom into the resource, whose lengths are metres; what the resource has no room for is left out. */
void groom_write(void *resource, const plait_gf_groom *groom);

#endif
