// Kernels of the grid of hair-hair forces, for blocks.c to run.
#ifndef PLAIT_TESTS_GRID_H
#define PLAIT_TESTS_GRID_H

struct run;

void block_volume_bin(struct run *run);
void block_volume_blocks(struct run *run);
void block_volume_place(struct run *run);
void block_volume_to_grid(struct run *run);
void block_volume_grid(struct run *run);

#endif
