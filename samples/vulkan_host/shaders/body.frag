// The mannequin: matt clay, and a scalp in the colour of the hair's roots.
#version 460
#extension GL_GOOGLE_include_directive : require
#define READS_LIGHT
#include "frame.glsl"
#include "pigment.glsl"

layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal_in;
layout(location = 2) in float hairy;
layout(location = 0) out vec4 pixel;

const vec3 CLAY = vec3(0.175, 0.165, 0.158);

void main() {
    vec3 normal = normalize(normal_in), to_eye = normalize(frame.eye.xyz - point);
    // The mean over some cells: shadows have soft edges.
    vec3 across = normalize(cross(normal, abs(normal.y) < 0.8 ? vec3(0, 1, 0) : vec3(1, 0, 0))), along = cross(normal, across);
    vec3 above = point + 1.2 * frame.center.w * normal, reaching = vec3(0);
    across *= 0.9 * frame.center.w, along *= 0.9 * frame.center.w;
    reaching += light_at(above + across) + light_at(above - across) + light_at(above + along) + light_at(above - along);
    reaching *= 0.25;
    vec3 light = KEY * max(0, (dot(normal, KEY_FROM) + 0.15) / 1.15) * reaching.r;
    light += RIM * 0.6 * max(0, dot(normal, RIM_FROM)) * reaching.g;
    light += SKY * (0.62 + 0.38 * normal.y) * reaching.b;
    vec3 albedo = mix(CLAY, 0.55 * pigment_at(0, vec3(0.5)), hairy);
    float edge = 1 - max(0, dot(normal, to_eye)), gloss = max(0, dot(normal, normalize(KEY_FROM + to_eye)));
    vec3 shine = 0.035 * KEY * pow(gloss, 24) * reaching.r + 0.10 * RIM * edge * edge * edge * reaching.g;
    pixel = vec4(tone(albedo * light + (1 - hairy) * shine), 1);
}
