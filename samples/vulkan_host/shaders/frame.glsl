// Uniforms of a frame for all shaders, and its light. Must match struct frame_uniforms in draw.c.
#ifndef FRAME_GLSL
#define FRAME_GLSL

layout(set = 0, binding = 0, std140) uniform Frame {
    mat4 clip_from_world;
    mat4 light_from_world;
    mat4 head;         // world from head
    vec4 eye;          // w: width of a pixel at distance 1
    vec4 head_center;  // w: how far strips stray from their guide, m
    vec4 size;         // x, y: of the picture in pixels; z: radius of what the light sees, m; w: colliders
    vec4 capsules[48]; // each collider: one end and its radius, the other end and its radius
} frame;

const vec3 KEY_FROM = vec3(0.483, 0.652, 0.584), KEY = vec3(2.6, 2.42, 2.15);
const vec3 RIM_FROM = vec3(-0.581, 0.450, -0.678), RIM = vec3(1.5, 1.75, 2.1);
const vec3 SKY = vec3(0.42, 0.48, 0.56);

vec3 tone(vec3 color) { return 1 - exp(-1.25 * color); }

#ifndef SHADOW
layout(set = 0, binding = 3) uniform sampler2D shadow_map;

// Share of the key light that reaches a point. Hair dims light over centimetres, so what counts is how far behind the
// first thing that the light meets the point lies. bias_m: how far it may lie behind itself.
float key_reaching(vec3 point, float bias_m) {
    vec4 clip = frame.light_from_world * vec4(point, 1);
    vec2 at = clip.xy * 0.5 + 0.5;
    vec2 texel = at * textureSize(shadow_map, 0) - 0.5, part = fract(texel);
    vec4 behind = max(clip.z - textureGather(shadow_map, at), 0) * 2 * frame.size.z - bias_m;
    vec4 reaching = exp(-60 * max(behind, 0));
    return mix(mix(reaching.w, reaching.z, part.x), mix(reaching.x, reaching.y, part.x), part.y);
}
#endif

#endif
