#include "scene.h"

#include <string.h>

void scene_groom(float *positions) {
    for (int s = 0; s < STRANDS; s++)
        for (int v = 0; v < VERTICES; v++, positions += 3) {
            positions[0] = (float)(s % 8 - 4) / 64 + (float)(v * (s % 5 - 2)) / 128;
            positions[1] = 0.125f + (float)v / 128;
            positions[2] = (float)(s / 8 - 3) / 64 + (float)(v * (s % 3 - 1)) / 64;
        }
}

void scene_colliders(plait_collider colliders[2]) {
    colliders[0] = colliders[1] = (plait_collider)PLAIT_COLLIDER_INIT;
    colliders[0].kind = PLAIT_COLLIDER_SPHERE;
    colliders[0].points[0][1] = 0.0625f;
    colliders[0].radii[0] = 0.0625f;
    colliders[0].friction = 0.25f;
    colliders[1].kind = PLAIT_COLLIDER_CAPSULE;
    colliders[1].bone = 1;
    colliders[1].points[0][1] = -0.25f;
    colliders[1].radii[0] = 0.0625f;
    colliders[1].radii[1] = 0.03125f;
}

void scene_frame(int frame, float *bones, plait_frame_desc *desc) {
    static const float UPRIGHT[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    static const float TURNED[12] = {0.75f, 0, 0.5f, 0, 0, 1, 0, 0, -0.5f, 0, 0.75f, 0};
    for (int b = 0; b < BONES; b++) memcpy(bones + 12 * b, frame / 150 % 2 ? TURNED : UPRIGHT, sizeof UPRIGHT);
    bones[3] = (float)(frame % 64) / 256;
    bones[12 + 3] = bones[3];
    bones[12 + 7] = -0.125f;
    *desc = (plait_frame_desc)PLAIT_FRAME_DESC_INIT;
    desc->dt = 1.0f / 64;
    desc->bone_count = BONES;
    desc->bones = bones;
    desc->gravity[1] = -9.8125f;
    desc->wind[0] = (float)(frame / 100 % 3) / 2;
}
