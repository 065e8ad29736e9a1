// Strands as Plait has written them.
#ifndef STRANDS_GLSL
#define STRANDS_GLSL

layout(set = 0, binding = 1, std430) readonly buffer Strands { vec4 vertices[]; }; // w: radius
layout(set = 0, binding = 2, std430) readonly buffer First { uint first[]; };      // vertex that a strand begins with

#endif
