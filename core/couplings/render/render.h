// Render strands as the rest of core sees them: what a hair with a binding adds to its frame.
#ifndef PLAIT_RENDER_COUPLING_H
#define PLAIT_RENDER_COUPLING_H

#include "coupling.h"

extern const struct coupling render_coupling;

// What comes before the attributes of a render output, and these. The hair has a binding.
void render_begin_stages(struct hair *hair, bool remember, bool bounds, struct stage_list *list);
struct output;
void render_end_stages(struct hair *hair, const struct output *output, struct stage_list *list);
// Room for rows of the frame before, or none. On failure all is as it was.
plait_result render_make_history(struct call *call, struct hair *hair, bool wanted);
// Before a run: what hair->render_params ask for. known: rows of the frame before are.
void render_write_settings(struct hair *hair, bool known);
// Before plans are made: what the box of 16-bit positions needs to know, if the output has such.
void render_find_box(struct hair *hair);
void render_default_params(plait_render_params *params);
// What styles make of the bind pose; the hair has some.
struct stage render_style_stage(struct hair *hair);

#endif
