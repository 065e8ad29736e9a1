// A head for grooms from files, which come without one: the sphere that their roots lie on.
#ifndef FITTED_HEAD_H
#define FITTED_HEAD_H

#include <stdbool.h>

#include "scene.h"

// Makes a body of one sphere, rigid to the head bone. False if the roots do not lie around a head, or if the hair as drawn
// is in it; the body is then empty.
bool fitted_head_make(const scene_groom *groom, scene_body *body, float *radius_m);

#endif
