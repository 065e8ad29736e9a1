// Kernels of render strands, for blocks.c to run.
#ifndef PLAIT_TESTS_RENDER_H
#define PLAIT_TESTS_RENDER_H

struct run;

void block_render_rows(struct run *run);
void block_render_style(struct run *run);
void block_render_lengths(struct run *run);
void block_render_position(struct run *run);
void block_render_tangent(struct run *run);
void block_render_previous(struct run *run);

#endif
