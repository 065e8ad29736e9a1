// The mannequin.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "skin.glsl"

layout(location = 0) out vec3 point;
layout(location = 1) out vec3 normal;
layout(location = 2) out float hairy;

void main() {
    pose_skin(gl_VertexIndex, point, normal);
    hairy = skin[gl_VertexIndex].position.w;
    gl_Position = frame.clip_from_world * vec4(point, 1);
}
