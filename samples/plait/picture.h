// Contact sheets: strands and colliders of a few frames, from one side or more, as a PNG.
#ifndef PICTURE_H
#define PICTURE_H

#include "scene.h"

// A head to draw instead of its colliders. Owned by the caller.
typedef struct picture_mesh {
    uint32_t vertex_count, triangle_count;
    const float *positions;    // [vertex_count][3], as in the bind pose
    const float *normals;      // [vertex_count][3]
    const uint32_t *triangles; // [triangle_count][3]
} picture_mesh;

// One column of the sheet. Owned by the caller.
typedef struct picture_frame {
    const float *positions; // [vertices][3], world space, metres
    scene_body posed;       // world space; collider_count 0: no body
    float head[12];         // from the bind pose to this frame, where there is a mesh
    char label[48];
} picture_frame;

enum { PICTURE_FRONT = 1, PICTURE_SIDE = 2, PICTURE_ABOVE = 4 };

typedef struct picture_sheet {
    const char *title;
    uint32_t strand_count;
    const uint32_t *vertex_counts; // [strand_count]
    uint32_t frame_count;          // 1 or more
    const picture_frame *frames;
    const picture_mesh *mesh;    // or null
    uint32_t views;              // PICTURE_xxx, a row each; 0: front and side
    int cell_width, cell_height; // in pixels; 0: 480 by 560
} picture_sheet;

// Writes sheets, one below the other, to path. Null on success, else the reason as static text.
const char *picture_sheets_write(const picture_sheet *sheets, uint32_t count, const char *path);

#endif
