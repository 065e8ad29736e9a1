/* What gd.c and gd_class.c share: the functions that Godot handed out. Not for others. */
#ifndef PLAIT_GODOT_GD_INTERFACE_H
#define PLAIT_GODOT_GD_INTERFACE_H

#include "gd.h"

struct gdx_interface {
#define MEMBER(name, result, arguments) result(*name) arguments;
    GDX_FUNCTIONS(MEMBER)
#undef MEMBER
};
extern struct gdx_interface gdx;
extern void *gdx_library; /* this extension, as Godot knows it */

/* A Variant of a typed value, and back; a typed value made by gd_into is released by gd_end. */
gd_variant gd_from(int32_t type, const void *value);
void gd_into(const gd_variant *value, int32_t type, void *place);
void gd_end(int32_t type, void *place);

/* Tells a new object that it is complete. It goes without a Variant, which would take the only reference with it. */
void gd_complete(void *object);

#endif
