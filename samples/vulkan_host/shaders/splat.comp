// Adds what strands take from light to the cells that they cross; with BODY: what skin takes.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "grid.glsl"
#ifdef BODY
#include "skin.glsl"
#else
#include "strands.glsl"
#endif

layout(local_size_x = 64) in;

void main() {
#ifdef BODY
    if (gl_GlobalInvocationID.x >= skin.length()) return;
    vec3 point, normal;
    pose_skin(gl_GlobalInvocationID.x, point, normal);
    // Two cells deep: skin shall not lie in its own shadow.
    share_depth(point - 2 * frame.center.w * normal, frame.hair.y);
#else
    uint strand = gl_GlobalInvocationID.x * frame.strands.z;
    if (strand >= frame.strands.x) return;
    uint v = first[frame.strands.y + strand], end = first[frame.strands.y + strand + 1];
    vec3 last = vertices[v].xyz;
    for (v++; v < end; v++) {
        vec3 here = vertices[v].xyz;
        add_depth(0.5 * (last + here), frame.hair.x * distance(last, here));
        last = here;
    }
#endif
}
