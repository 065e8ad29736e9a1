// Rods, construction of the linear system of a step, see rod_system.h: first all joints, then all columns.
#include "kernels/rod_rows.h"

KERNEL(rod_build) {
    uint pack = PACK(item);
    if (!any(rod_takes_part(BUF(care), pack, VAL(part)))) return;
    uint first = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_FIRST);
    uint vertices = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_VERTICES);
    rod_step s = rod_step_of(BUF(strands), BUF(held), BUF(roots), BUF(constants), BUF(care), BUF(frame), pack);
    rod_make_system(BUF(positions), BUF(velocities), BUF(spin), BUF(rods), BUF(work), BUF(system), BUF(right), s,
                    rod_clamp(BUF(clamps), pack), first, vertices);
}
