// Who wears the hair: the mannequin in one of its motions, or the skeleton of a .bvh file.
#ifndef ACTOR_H
#define ACTOR_H

#include <stdbool.h>

#include "plait_groom_files.h"
#include "scene.h"

typedef struct actor {
    const char *name; // of the motion, for people
    uint32_t bone_count;
    uint32_t head;          // bone that hair grows on
    float (*bind_pose)[12]; // [bone_count]
    float (*bones)[12];     // [bone_count] of the last actor_pose

    // The mannequin's motion, or that of a file.
    scene_motion motion;
    uint64_t seed;
    bool from_file;
    plait_gf_motion file;
    double start_s; // of the file's motion
    float mannequin[2][SCENE_BONE_COUNT][12];
} actor;

typedef struct actor_file_options {
    float scale;       // metres per unit of the file; 0: as it takes for a person of usual size
    const char *joint; // that hair grows on
} actor_file_options;

void actor_mannequin(actor *a, scene_motion motion, uint64_t seed);

// False with the reason. A first frame far from the second, as many files have it to show the skeleton, is left out.
bool actor_from_file(actor *a, const char *path, const actor_file_options *options, char *problem, size_t problem_size);

void actor_free(actor *a);

// Moves groom and body from the mannequin's head to that of this skeleton, and gives the body capsules around its limbs instead
// of the mannequin's, as many as there is room for, those near the head first. body may be null. moved receives by how much.
void actor_dress(const actor *a, scene_groom *groom, scene_body *body, float moved[3]);

// The bone of this name, or one whose name is a word of it ("Rig_head_JNT"); else PLAIT_GF_NO_JOINT.
uint32_t actor_find(const actor *a, const char *name);

// Writes bones.
void actor_pose(actor *a, double time_s);

// For pictures: moves what was made at the last pose so that the head of one who runs stays in its place, and leaves out legs.
void actor_stay(const actor *a, uint32_t vertex_count, float *positions, scene_body *posed);

// How the head has moved since the bind pose, at the last pose and, like the rest of a picture, after actor_stay.
void actor_head(const actor *a, float matrix[12]);

#endif
