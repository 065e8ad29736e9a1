// Render strands for a host's hair: a groom of their own, bound to the hair's.
#ifndef RENDER_STRANDS_H
#define RENDER_STRANDS_H

#include "host.h"

// Binds `render` to the hair that was made from `hair`, and has every step write its positions, three floats each, to memory that
// outlives the hair. Neither groom need. Reports failures.
bool render_strands_bind(const host *h, const host_hair *hair, const scene_groom *render, float *positions);

#endif
