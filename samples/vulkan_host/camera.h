// Cameras for shaders: 4x4 matrices, column by column, for Vulkan's clip space (y down, depth 0 to 1).
#ifndef CAMERA_H
#define CAMERA_H

#include "scene_math.h"

typedef struct camera {
    vec3 eye;
    float clip_from_world[16];
} camera;

// A pinhole at eye that looks at target, y up. fov: from the lower to the upper edge, radians. aspect: width over
// height.
camera camera_perspective(vec3 eye, vec3 target, float fov, float aspect);

// Parallel light from a direction (unit vector): all within radius of center is seen, depth 0 to 1 is 2 * radius.
camera camera_parallel(vec3 center, vec3 from, float radius);

#endif
