// Light through the grid: each invocation goes along one row of cells, there and back. Three passes, one for each axis;
// the third is that of the key light and comes first. What gets to a cell from the six sides, on average, is the
// light from all around.
//
// After Yuksel and Keyser, "Deep Opacity Maps", 2008, with as many layers as there are cells.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "grid.glsl"

layout(local_size_x = 64) in;
layout(set = 0, binding = 7, rgba8) writeonly uniform image3D light_out;
layout(push_constant) uniform Axis { uint axis; };

void main() {
    uint row = gl_GlobalInvocationID.x, a = row % GRID, b = row / GRID;
    uvec3 from = axis == 2 ? uvec3(a, b, 0) : axis == 1 ? uvec3(a, 0, b) : uvec3(0, a, b);
    uint cell = cell_at(from), step = axis == 2 ? GRID * GRID : axis == 1 ? GRID : 1;
    uint total = 0;
    for (uint i = 0; i < GRID; i++) total += depths[cell + i * step];
    float before = 0, all_of_it = float(total) / DEPTH_SCALE;
    for (uint i = 0; i < GRID; i++, cell += step) {
        // Half of a cell's own depth lies on each side of its middle.
        float own = float(depths[cell]) / DEPTH_SCALE;
        float there = exp(-before - 0.5 * own), back = exp(before + 0.5 * own - all_of_it);
        before += own;
        uint around = uint(10922 * 0.5 * (there + back)); // six of these stay below 65536
        if (axis == 2) {
            light[cell] = uint(255 * there + 0.5) | uint(255 * back + 0.5) << 8 | 2 * around << 16;
        } else {
            uint now = light[cell] + (2 * around << 16);
            light[cell] = now;
            if (axis == 0) {
                vec3 color = vec3(now & 255u, now >> 8 & 255u, float(now >> 16) / 257) / 255;
                imageStore(light_out, ivec3(from) + ivec3(i, 0, 0), vec4(color, 1));
            }
        }
    }
}
