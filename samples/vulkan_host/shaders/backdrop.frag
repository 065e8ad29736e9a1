// A studio wall, lit from the middle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

layout(location = 0) out vec4 pixel;

void main() {
    vec2 at = gl_FragCoord.xy / frame.size.xy - vec2(0.5, 0.42);
    float glow = exp(-3.2 * dot(at, at));
    pixel = vec4(tone(mix(vec3(0.028, 0.034, 0.042), vec3(0.16, 0.19, 0.22), glow)), 1);
}
