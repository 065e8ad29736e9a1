// The scene that a C host and those in other languages run, to compare bits. Every number is exact in binary, so that all
// languages write the same floats.
#ifndef BINDINGS_SCENE_H
#define BINDINGS_SCENE_H

#include <plait.h>

enum { STRANDS = 48, VERTICES = 12, BONES = 2, FRAMES = 600, EVERY = 10 }; // every tenth frame is written

// positions: [STRANDS][VERTICES][3], metres.
void scene_groom(float *positions);
void scene_colliders(plait_collider colliders[2]);
// bones: [BONES][12]. frame: from 1 on.
void scene_frame(int frame, float *bones, plait_frame_desc *desc);

#endif
