// What the user does in the window: keys, and a camera that orbits around the hair.
#ifndef CONTROLS_H
#define CONTROLS_H

#include <stdbool.h>
#include <stdint.h>

#include "scene_math.h"

// Keys, collected as bits until somebody acts on them.
#define CONTROLS_PAUSE 1u   // space
#define CONTROLS_SOLVER 2u  // S
#define CONTROLS_WIND 4u    // W
#define CONTROLS_BACKEND 8u // B
#define CONTROLS_VIEW 16u   // G

// What came in since it was read last; the reader clears it.
typedef struct controls_input {
    uint32_t keys;        // CONTROLS_xxx
    float turn_x, turn_y; // that the mouse was dragged with the left button, in widths of the window
    float zoom;           // clicks of the wheel, towards the hair
} controls_input;

typedef struct orbit {
    vec3 center;
    float distance;
    float yaw, pitch; // radians; 0: from the front, level
} orbit;

void orbit_start(orbit *o, vec3 center, float distance_m);

// Takes the mouse's part of the input.
void orbit_move(orbit *o, controls_input *input);

// Where the eye is. It swings slowly from side to side with the time of the motion, and goes with the head, which has
// moved so far.
vec3 orbit_eye(const orbit *o, double time_s, vec3 moved, vec3 *target);

#endif
