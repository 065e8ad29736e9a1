// A strip of triangles along each guide, turned to the camera, read straight from the buffer that Plait wrote.
//
// Every instance draws all guides once more, each a little aside: few guides are simulated, many hairs are seen.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

struct Vertex {
    vec4 position; // w: radius
    vec4 tangent;
};
layout(set = 0, binding = 1, std430) readonly buffer Strands { Vertex strands[]; };

struct Point {
    uint root;   // vertex that this strand begins with
    float along; // 0 at the root, 1 at the tip
};
layout(set = 0, binding = 2, std430) readonly buffer Points { Point points[]; };

#ifdef SHADOW
const uint STEP = 4; // vertices of the guide from one of the strip to the next, as in draw.c
#else
const uint STEP = 1;
layout(location = 0) out vec3 color;
#endif

// After Jarzynski and Olano, "Hash Functions for GPU Rendering", 2020: pcg3d.
vec3 random(uvec3 v) {
    v = v * 1664525u + 1013904223u;
    v.x += v.y * v.z, v.y += v.z * v.x, v.z += v.x * v.y;
    v ^= v >> 16u;
    v.x += v.y * v.z, v.y += v.z * v.x, v.z += v.x * v.y;
    return vec3(v >> 8u) / 16777216.0;
}

// How far this strip lies from its guide: beside it at the scalp, also above it farther out, never below.
vec3 aside(uint root, vec3 normal, float along, vec3 dice) {
    if (gl_InstanceIndex == 0) return vec3(0);
    vec3 d = mat3(frame.head) * (2 * dice - 1);
    float up = dot(d, normal);
    d += normal * (abs(up) * along - up);
    float wander = sin(along * (5 + 9 * dice.y) + 6.28 * dice.z) * smoothstep(0.0, 0.5, along);
    return frame.head_center.w * (d * mix(1.0, 0.55, along) + 0.6 * wander * d.zxy);
}

#ifndef SHADOW
// Longitudinal scattering of Marschner et al., "Light Scattering from Human Hair Fibers", 2003, section 5.1.3: a
// Gaussian around the mirror direction, tilted by the scales of the cuticle. Sines stand for the angles.
float lobe(float across, float tilt, float width) {
    float x = (across - tilt) / width;
    return exp(-0.5 * x * x);
}

// Diffuse light after Kajiya and Kay, "Rendering Fur with Three Dimensional Textures", 1989, and two highlights: white
// from the surface, shifted to the root, and tinted from within, shifted to the tip.
vec3 shine(vec3 pigment, vec3 tangent, vec3 normal, vec3 to_eye, vec3 from, vec3 light) {
    float along = dot(tangent, from), across = dot(tangent, normalize(from + to_eye));
    float wrap = clamp(0.45 + 0.55 * dot(normal, from), 0, 1);
    vec3 diffuse = pigment * 0.75 * sqrt(max(0, 1 - along * along));
    float white = 0.085 * lobe(across, -0.08, 0.055);
    vec3 tinted = pigment * 1.15 * lobe(across, 0.11, 0.14);
    return light * wrap * (diffuse + white + tinted);
}

vec3 shade(vec3 point, vec3 tangent, vec3 normal, float along, vec3 dice) {
    vec3 pigment = mix(vec3(0.060, 0.024, 0.010), vec3(0.26, 0.118, 0.046), smoothstep(0.0, 1.0, along));
    pigment *= 0.5 + 1.0 * dice.x;
    pigment.r *= 0.92 + 0.16 * dice.y;
    vec3 to_eye = normalize(frame.eye.xyz - point);
    float reaching = key_reaching(point, 0.002);
    vec3 sum = shine(pigment, tangent, normal, to_eye, KEY_FROM, KEY) * reaching;
    sum += shine(pigment, tangent, normal, to_eye, RIM_FROM, RIM) * (0.5 + 0.5 * along);
    return sum + pigment * SKY * (0.35 + 0.35 * normal.y + 0.5 * reaching);
}
#endif

void main() {
    uint v = gl_VertexIndex;
    Point p = points[v];
    float side = ((v - p.root) / STEP & 1u) == 0 ? -0.5 : 0.5; // left and right by turns
    vec3 tangent = strands[v].tangent.xyz;
    vec3 root = strands[p.root].position.xyz, point = strands[v].position.xyz;
    vec3 dice = random(uvec3(p.root, gl_InstanceIndex, 17));
#ifdef SHADOW
    // Guides alone stand for all: broad ones.
    vec3 flat_side = cross(tangent, KEY_FROM);
    float width = 2.2 * frame.head_center.w * (1 - 0.6 * p.along);
    point += flat_side * (side * width / max(length(flat_side), 1e-4));
    gl_Position = frame.light_from_world * vec4(point, 1);
#else
    point += aside(p.root, normalize(root - frame.head_center.xyz), p.along, dice);
    // The head of hair as one smooth body: light that wraps around it gives it a form.
    vec3 middle = mix(frame.head_center.xyz, vec3(frame.head_center.x, point.y, frame.head_center.z), 0.6);
    vec3 normal = normalize(point - middle);
    color = tone(shade(point, tangent, normal, p.along, dice));
    vec3 to_eye = frame.eye.xyz - point, flat_side = cross(tangent, to_eye);
    // A hair is thinner than a pixel: what is drawn is a pixel and a half wide and thins out towards the tip.
    float pixel = frame.eye.w * length(to_eye);
    float width = max(2 * strands[v].position.w, pixel * mix(1.7, 0.8, smoothstep(0.4, 1.0, p.along)));
    point += flat_side * (side * width / max(length(flat_side), 1e-4));
    gl_Position = frame.clip_from_world * vec4(point, 1);
#endif
}
