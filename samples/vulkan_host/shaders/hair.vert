// A strip of triangles along each strand, turned to the camera. Positions come straight from the buffer that Plait
// wrote, all else from shade.comp.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "strands.glsl"

layout(set = 0, binding = 3, std430) readonly buffer Shaded { uvec2 shaded[]; };
layout(location = 0) out vec3 color;
layout(location = 1) flat out uint mask;

void main() {
    uint v = gl_VertexIndex >> 1;
    uvec2 s = shaded[v];
    color = unpackUnorm4x8(s.x).rgb;
    mask = s.x >> 24;
    vec2 across = unpackHalf2x16(s.y) * (2 / frame.size.xy);
    gl_Position = frame.clip_from_world * vec4(vertices[v].xyz, 1);
    gl_Position.xy += ((gl_VertexIndex & 1) == 0 ? across : -across) * gl_Position.w;
}
