// Light in and around the hair: shaders add up in a grid what strands and skin take away from it (splat.comp), find what is
// left of it in every cell (light.comp), and light the vertices of the strands with it (shade.comp).
#ifndef LIGHT_H
#define LIGHT_H

#include "draw.h"

enum { LIGHT_GRID = 128 }; // cells along each axis, as in grid.glsl

bool light_make(draw *d);

// To 0..1 in the grid, whose third axis is that of the key light, around center; returns the edge of a cell.
float light_place(const draw *d, vec3 center, float grid_from_world[16]);

// Optical depths for the uniforms: of a metre of strand, when so many strands are splatted, and of a vertex of skin.
void light_depths(float cell_m, uint32_t strand_count, float *hair, float *skin);

// Every how many-th strand casts a shadow.
uint32_t light_stride(uint32_t strand_count);

// Records all of it, from the strands to the colour of their vertices.
void light_record(const draw *d, VkCommandBuffer commands, uint32_t strand_count);

#endif
