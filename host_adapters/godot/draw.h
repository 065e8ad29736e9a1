/* draw.h - strands on Godot's RenderingServer: a MultiMesh with one camera-facing strip for each strand, whose vertices a shader
 * takes from a texture of positions (xyz, radius). Works in every rendering method. Main thread. */
#ifndef PLAIT_GODOT_DRAW_H
#define PLAIT_GODOT_DRAW_H

#include "gd.h"

typedef struct draw {
    uint64_t mesh, multimesh, material, strands_texture, table_texture; /* of the RenderingServer; 0: none */
    gd_variant image, bytes;                                            /* what the strands' texture is filled with */
    int width, height;                                                  /* of that texture */
    uint32_t strand_count, vertex_count, drawn;
} draw;

/* 0: why says what is wrong, and there is nothing to free. */
int draw_create(draw *d, uint32_t strand_count, const uint32_t *vertex_counts, char *why, size_t why_size);
void draw_free(draw *d);

/* Where vertices go: four floats each, xyz in the world and the radius. The place changes while Godot holds the last one. */
float *draw_memory(draw *d);
/* Hands them to Godot; the first `drawn` strands are shown. bounds: a box in the node's space, position and size. */
void draw_upload(draw *d, uint32_t drawn, const float bounds[6]);

/* A parameter of strands.gdshader; takes the value. */
void draw_set(draw *d, const char *parameter, gd_variant value);

#endif
