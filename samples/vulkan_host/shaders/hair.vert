// A line along each strand. Positions come straight from the buffer that Plait wrote, colours from shade.comp.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "strands.glsl"

layout(set = 0, binding = 3, std430) readonly buffer Shaded { uint shaded[]; };
layout(location = 0) out vec3 color;

void main() {
    vec3 root = unpackUnorm4x8(shaded[gl_VertexIndex]).rgb;
    color = root * root;
    gl_Position = frame.clip_from_world * vec4(vertices[gl_VertexIndex].xyz, 1);
}
