// Contact sheets: strands and colliders of a few frames, from the front and from the side, as a PNG.
#ifndef PICTURE_H
#define PICTURE_H

#include "scene.h"

// One column of the sheet. Owned by the caller.
typedef struct picture_frame {
    const float *positions; // [vertices][3], world space, metres
    scene_body posed;       // world space; collider_count 0: no body
    char label[48];
} picture_frame;

typedef struct picture_sheet {
    const char *title;
    uint32_t strand_count;
    const uint32_t *vertex_counts; // [strand_count]
    uint32_t frame_count;          // 1 or more
    const picture_frame *frames;
} picture_sheet;

// Writes the sheet to path. Null on success, else the reason as static text.
const char *picture_sheet_write(const picture_sheet *sheet, const char *path);

#endif
