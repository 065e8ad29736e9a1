// What render strands keep on their hair's device, for the files of this folder.
#ifndef PLAIT_RENDER_DATA_H
#define PLAIT_RENDER_DATA_H

#include "hair.h"

enum render_data_id {
    RENDER_DATA_GUIDES,      // turns and places of guides
    RENDER_DATA_GUIDE_REST,  // guides in the bind pose
    RENDER_DATA_SOURCES,     // of the vertices of rows
    RENDER_DATA_ROWS,        // transforms
    RENDER_DATA_ROWS_BEFORE, // of the frame before, once somebody asks for previous positions
    RENDER_DATA_STRANDS,
    RENDER_DATA_OWNERS, // of vertices
    RENDER_DATA_REST,   // vertices in the bind pose
    RENDER_DATA_SETTINGS,
    // Of hairs with styles:
    RENDER_DATA_FRAMES, // of vertices in the bind pose
    RENDER_DATA_CLUMPS, // of strands
    RENDER_DATA_STYLES, // of groups
    RENDER_DATA_STYLED, // vertices in the bind pose, styled
    RENDER_DATA_COUNT
};

// The coupling's number in the hair, and its buffers, by enum render_data_id.
uint32_t render_index(const struct hair *hair);
struct buffer *render_buffers(const struct hair *hair);

// Makes what hair->styles need on the device, which they are written to.
plait_result style_make_data(struct call *call, struct hair *hair, uint32_t index);

// For every strand, in the order of the binding, the one in the middle of its clump: itself where its group has no clumps.
// styles: of the render groom's groups.
plait_result clumps_find(struct call *call, const struct binding *binding, const plait_render_style *styles,
                         uint32_t *clumps);

#endif
