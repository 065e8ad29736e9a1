// See controls.h.
#include "controls.h"

static const float NEAREST_M = 0.25f, FARTHEST_M = 15, STEEPEST = 1.4f;

void orbit_start(orbit *o, vec3 center, float distance_m) {
    *o = (orbit){.center = center, .distance = scene_clamp(distance_m, NEAREST_M, FARTHEST_M), .pitch = 0.10f};
}

void orbit_move(orbit *o, controls_input *input) {
    o->yaw -= 2 * SCENE_PI * input->turn_x;
    o->pitch = scene_clamp(o->pitch + SCENE_PI * input->turn_y, -STEEPEST, STEEPEST);
    o->distance = scene_clamp(o->distance * powf(0.88f, input->zoom), NEAREST_M, FARTHEST_M);
    input->turn_x = input->turn_y = input->zoom = 0;
}

vec3 orbit_eye(const orbit *o, double time_s, vec3 moved, vec3 *target) {
    float yaw = o->yaw + 0.62f + 0.42f * sinf(0.55f * (float)time_s);
    *target = v3_add(o->center, moved);
    vec3 away = v3(cosf(o->pitch) * sinf(yaw), sinf(o->pitch), cosf(o->pitch) * cosf(yaw));
    return v3_mad(*target, away, o->distance);
}
