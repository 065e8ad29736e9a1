// Overrides of the kernels of hair-hair forces, for one instruction set. See cpu.h.
#ifndef PLAIT_CPU_VOLUME_H
#define PLAIT_CPU_VOLUME_H

#include "cpu.h"

static inline const uint32_t *words_of(const float *buffer) { return (const uint32_t *)buffer; }

void CPU_VARIANT(volume_bin)(const void *args, uint32_t begin, uint32_t end, void *scratch);
void CPU_VARIANT(volume_place)(const void *args, uint32_t begin, uint32_t end, void *scratch);
void CPU_VARIANT(volume_to_grid)(const void *args, uint32_t begin, uint32_t end, void *scratch);
void CPU_VARIANT(volume_grid)(const void *args, uint32_t begin, uint32_t end, void *scratch);

#endif
