// The pipelines of draw.h: one table row each.
#ifndef PIPELINE_H
#define PIPELINE_H

#include "draw.h"

// On failure too, fills in what was made.
bool pipeline_make_all(const gpu *g, VkPipelineLayout layout, VkPipeline pipelines[DRAW_PASS_COUNT]);

#endif
