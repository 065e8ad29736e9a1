// Lights every vertex of the strands.
#version 460
#extension GL_GOOGLE_include_directive : require
#define READS_LIGHT
#include "frame.glsl"
#include "pigment.glsl"
#include "strands.glsl"

layout(local_size_x = 32) in;
layout(set = 0, binding = 3, std430) writeonly buffer Shaded { uint shaded[]; };

// After Jarzynski and Olano, "Hash Functions for GPU Rendering", 2020: pcg3d.
uvec3 random(uvec3 v) {
    v = v * 1664525u + 1013904223u;
    v.x += v.y * v.z, v.y += v.z * v.x, v.z += v.x * v.y;
    v ^= v >> 16u;
    v.x += v.y * v.z, v.y += v.z * v.x, v.z += v.x * v.y;
    return v;
}

float bell(float x, float width) { return exp(-0.5 * x * x / (width * width)); }

// Marschner et al., "Light Scattering from Human Hair Fibers", 2003: light mirrored by the surface (R), gone through
// (TT) and mirrored inside (TRT), each a bell along the strand, tilted by the scales of the cuticle, times a function
// around it. Those functions are the fits of Karis, "Physically Based Hair Shading in Unreal", 2016.
vec3 scatter(vec3 pigment, vec3 tangent, vec3 to_eye, vec3 from) {
    const float tilt = 0.06, width = 0.13;
    float in_sine = dot(tangent, from), out_sine = dot(tangent, to_eye), sines = in_sine + out_sine;
    vec3 in_across = from - in_sine * tangent, out_across = to_eye - out_sine * tangent;
    float cosine = dot(in_across, out_across) * inversesqrt(dot(in_across, in_across) * dot(out_across, out_across) + 1e-6);
    float mirrored = 0.25 * sqrt(max(0, 0.5 + 0.5 * cosine)) * bell(sines + 2 * tilt, width);
    float through = exp(-3.65 * cosine - 3.98) * bell(sines - tilt, 0.5 * width + 0.06);
    float inside = exp(17 * cosine - 16.78) * bell(sines - 4 * tilt, 2 * width);
    vec3 once = sqrt(pigment);
    return 0.55 * mirrored + once * (0.6 * through) + once * pigment * (1.3 * inside);
}

// What many strands scatter among themselves, as a soft light; Kajiya and Kay, "Rendering Fur with Three Dimensional
// Textures", 1989, with light that wraps around the head.
vec3 spread(vec3 pigment, vec3 tangent, vec3 normal, vec3 from) {
    float along = dot(tangent, from);
    return pigment * 0.62 * sqrt(max(0, 1 - along * along)) * clamp(0.45 + 0.55 * dot(normal, from), 0, 1);
}

vec3 shade(vec3 point, vec3 tangent, vec3 pigment) {
    // The head of hair as one smooth body gives it a form.
    vec3 middle = vec3(frame.center.x, mix(frame.center.y, point.y, 0.6), frame.center.z);
    vec3 normal = normalize(point - middle), to_eye = normalize(frame.eye.xyz - point);
    vec3 reaching = light_at(point);
    vec3 sum = KEY * reaching.r * (scatter(pigment, tangent, to_eye, KEY_FROM) + spread(pigment, tangent, normal, KEY_FROM));
    sum += RIM * reaching.g * (scatter(pigment, tangent, to_eye, RIM_FROM) + spread(pigment, tangent, normal, RIM_FROM));
    return sum + pigment * SKY * reaching.b * (1.05 + 0.45 * normal.y);
}

void main() {
    uint strand = gl_GlobalInvocationID.x;
    if (strand >= frame.strands.x) return;
    uint begin = first[frame.strands.y + strand], end = first[frame.strands.y + strand + 1];
    uvec3 bits = random(uvec3(strand, 5, 17));
    vec3 dice = vec3(bits >> 8u) / 16777216.0, last = vertices[begin].xyz, tangent = vec3(0, -1, 0);
    bool guides = frame.size.z > 0;
    vec3 bright = 0.25 + 0.75 * dice; // of guides, to tell them apart
    for (uint v = begin; v < end; v++) {
        vec3 here = vertices[v].xyz, next = vertices[min(v + 1, end - 1)].xyz, chord = next - last;
        // Vertices that level of detail has taken away lie on the tip.
        if (dot(chord, chord) > 1e-12) tangent = normalize(chord);
        last = here;
        float along = float(v - begin) / float(end - 1 - begin);
        vec3 pigment = guides ? bright * bright * 0.6 : pigment_at(along, dice);
        shaded[v] = packUnorm4x8(vec4(sqrt(tone(shade(here, tangent, pigment))), 1)); // the root: eight bits are few
    }
}
