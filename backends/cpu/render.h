// Overrides of the kernels of render strands, for one instruction set. See cpu.h.
#ifndef PLAIT_CPU_RENDER_H
#define PLAIT_CPU_RENDER_H

#include "cpu.h"

void CPU_VARIANT(render_rows)(const void *args, uint32_t begin, uint32_t end, void *scratch);
void CPU_VARIANT(render_position)(const void *args, uint32_t begin, uint32_t end, void *scratch);
void CPU_VARIANT(render_tangent)(const void *args, uint32_t begin, uint32_t end, void *scratch);
void CPU_VARIANT(render_previous)(const void *args, uint32_t begin, uint32_t end, void *scratch);

#endif
