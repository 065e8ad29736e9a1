// See camera.h.
#include "camera.h"

// Position and orientation of the camera.
typedef struct frame {
    vec3 right, up, forward;
} frame;

static frame look(vec3 forward) {
    frame f = {.forward = v3_unit(forward)};
    f.right = v3_unit(v3_cross(f.forward, v3(0, 1, 0)));
    f.up = v3_cross(f.right, f.forward);
    return f;
}

// Row of a matrix that maps p to dot(direction, p - origin) * scale + offset.
static void set_row(float *m, int row, vec3 direction, vec3 origin, float scale, float offset) {
    m[row] = scale * direction.x;
    m[4 + row] = scale * direction.y;
    m[8 + row] = scale * direction.z;
    m[12 + row] = offset - scale * v3_dot(direction, origin);
}

camera camera_perspective(vec3 eye, vec3 target, float fov, float aspect) {
    const float near = 0.1f, far = 20;
    frame f = look(v3_sub(target, eye));
    camera c = {.eye = eye};
    float focal = 1 / tanf(0.5f * fov), depth = far / (far - near);
    set_row(c.clip_from_world, 0, f.right, eye, focal / aspect, 0);
    set_row(c.clip_from_world, 1, f.up, eye, -focal, 0);
    set_row(c.clip_from_world, 2, f.forward, eye, depth, -near * depth);
    set_row(c.clip_from_world, 3, f.forward, eye, 1, 0);
    return c;
}

camera camera_parallel(vec3 center, vec3 from, float radius) {
    frame f = look(v3_scale(from, -1));
    camera c = {.eye = v3_mad(center, from, radius)};
    set_row(c.clip_from_world, 0, f.right, c.eye, 1 / radius, 0);
    set_row(c.clip_from_world, 1, f.up, c.eye, -1 / radius, 0);
    set_row(c.clip_from_world, 2, f.forward, c.eye, 0.5f / radius, 0);
    c.clip_from_world[15] = 1;
    return c;
}
