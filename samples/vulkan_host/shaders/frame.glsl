// Uniforms of a frame for all shaders, and its light. Must match struct frame_uniforms in draw.c.
#ifndef FRAME_GLSL
#define FRAME_GLSL

layout(set = 0, binding = 0, std140) uniform Frame {
    mat4 clip_from_world;
    mat4 grid_from_world; // to 0..1 in the grid of light.glsl, whose third axis is that of the key light
    mat4 bones[8];        // world from bind pose
    vec4 eye;
    vec4 center;          // of the head; w: edge of a cell of the grid, m
    vec4 size;            // x, y: of what is drawn on in pixels; z: 1 if guides are shown
    vec4 hair;            // x: optical depth that a metre of strand adds to its cell, times DEPTH_SCALE; y: that of skin
    uvec4 strands;        // x: how many are drawn; y: where their table begins in `first`; z: every how many-th casts shadow
} frame;

const vec3 KEY_FROM = vec3(0.483, 0.652, 0.584), KEY = vec3(2.9, 2.68, 2.36);
const vec3 RIM_FROM = vec3(-0.581, 0.450, -0.678), RIM = vec3(1.5, 1.75, 2.1);
const vec3 SKY = vec3(0.46, 0.52, 0.60);

vec3 tone(vec3 color) { return 1 - exp(-1.25 * color); }

// Light in a grid around the head: r: share of the key light that gets there, g: of light from the opposite side,
// b: of that from all around.
#ifdef READS_LIGHT
layout(set = 0, binding = 6) uniform sampler3D light_map;
vec3 light_at(vec3 point) { return textureLod(light_map, (frame.grid_from_world * vec4(point, 1)).xyz, 0).rgb; }
#endif

#endif
