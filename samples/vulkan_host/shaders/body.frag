// The mannequin: matt clay, lit as the hair is.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal_in;
layout(location = 0) out vec4 pixel;

const vec3 CLAY = vec3(0.20, 0.205, 0.215);

void main() {
    vec3 normal = normalize(normal_in), to_eye = normalize(frame.eye.xyz - point);
    float reaching = key_reaching(point + 0.002 * normal, 0.008);
    vec3 light = KEY * max(0, dot(normal, KEY_FROM)) * reaching;
    light += RIM * 0.7 * max(0, dot(normal, RIM_FROM));
    light += SKY * (0.55 + 0.45 * normal.y) * (0.45 + 0.55 * reaching);
    float edge = 1 - max(0, dot(normal, to_eye));
    pixel = vec4(tone(CLAY * light + 0.10 * RIM * edge * edge * edge * (0.5 + 0.5 * normal.y)), 1);
}
