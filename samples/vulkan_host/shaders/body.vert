// A capsule of two radii for each collider: the hull of two spheres.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

const uint RINGS = 20, SEGMENTS = 24; // as in draw.c

#ifndef SHADOW
layout(location = 0) out vec3 point_out;
layout(location = 1) out vec3 normal_out;

// Smooths the seams between capsules: a capsule's normal counts less the farther its surface is.
vec3 blended_normal(vec3 point, vec3 own) {
    const float reach = 0.008;
    vec3 sum = vec3(0);
    for (int i = 0; i < int(frame.size.w); i++) {
        vec4 a = frame.capsules[2 * i], b = frame.capsules[2 * i + 1];
        vec3 axis = b.xyz - a.xyz, offset = point - a.xyz;
        float t = clamp(dot(offset, axis) / max(dot(axis, axis), 1e-8), 0, 1);
        vec3 foot = offset - t * axis;
        float distance = length(foot) - mix(a.w, b.w, t);
        sum += foot * (exp(-max(distance, 0) / reach) / max(length(foot), 1e-6));
    }
    return normalize(sum + 0.2 * own);
}
#endif

void main() {
    vec4 a = frame.capsules[2 * gl_InstanceIndex], b = frame.capsules[2 * gl_InstanceIndex + 1];
    vec3 axis = b.xyz - a.xyz;
    float length_m = length(axis);
    axis = length_m > 1e-6 ? axis / length_m : vec3(0, 1, 0);
    vec3 u = normalize(abs(axis.y) < 0.9 ? cross(axis, vec3(0, 1, 0)) : cross(axis, vec3(1, 0, 0)));
    vec3 w = cross(axis, u);
    // Rings run from one pole to the other; where the cone touches the spheres, one ring lies on each of them.
    uint ring = gl_VertexIndex / (SEGMENTS + 1), half_rings = RINGS / 2;
    float touch = acos(clamp((a.w - b.w) / max(length_m, 1e-6), -0.999, 0.999));
    bool first = ring < half_rings;
    float polar = first ? mix(3.14159265, touch, float(ring) / float(half_rings - 1))
                        : mix(touch, 0.0, float(ring - half_rings) / float(half_rings - 1));
    float around = 6.2831853 * float(gl_VertexIndex % (SEGMENTS + 1)) / float(SEGMENTS);
    vec3 normal = cos(polar) * axis + sin(polar) * (cos(around) * u + sin(around) * w);
    vec3 point = first ? a.xyz + a.w * normal : b.xyz + b.w * normal;
#ifdef SHADOW
    gl_Position = frame.light_from_world * vec4(point, 1);
#else
    point_out = point;
    normal_out = blended_normal(point, normal);
    gl_Position = frame.clip_from_world * vec4(point, 1);
#endif
}
