// The grid that light is computed in: GRID cells along each axis.
#ifndef GRID_GLSL
#define GRID_GLSL

const uint GRID = 128; // as in light.h
const float DEPTH_SCALE = 4096; // optical depth of a cell is kept as an integer, which can be added up atomically

layout(set = 0, binding = 4, std430) buffer Depths { uint depths[]; };
layout(set = 0, binding = 5, std430) buffer Light { uint light[]; }; // key, back: 8 bits each; all around: 16 bits

uint cell_at(uvec3 at) { return at.x + GRID * (at.y + GRID * at.z); }

void add_depth(vec3 point, float depth) {
    vec3 at = (frame.grid_from_world * vec4(point, 1)).xyz;
    if (all(greaterThan(at, vec3(0))) && all(lessThan(at, vec3(1))))
        atomicAdd(depths[cell_at(uvec3(at * GRID))], uint(depth));
}

// The same, shared out among the eight nearest cells: without steps where few things cast a shadow.
void share_depth(vec3 point, float depth) {
    vec3 at = (frame.grid_from_world * vec4(point, 1)).xyz * GRID - 0.5, low = floor(at), part = at - low;
    if (any(lessThan(low, vec3(0))) || any(greaterThanEqual(low, vec3(GRID - 1)))) return;
    for (uint i = 0; i < 8; i++) {
        uvec3 side = uvec3(i & 1u, i >> 1 & 1u, i >> 2);
        vec3 weight = mix(1 - part, part, vec3(side));
        atomicAdd(depths[cell_at(uvec3(low) + side)], uint(depth * weight.x * weight.y * weight.z));
    }
}

#endif
