// Hair-hair forces, before the first step of the grid; see volume_rows.h. The table of blocks is emptied.
#include "kernels/volume_rows.h"

KERNEL(volume_begin) {
    for (uint r = PACK(item); r < VAL(table_words) / LANE_COUNT; r += VAL(rows)) ST_UINT(BUF(table), r, U(0u));
    volume_begin_row(BUF(positions), BUF(velocities), BUF(changes), BUF(strains), BUF(vertices), BUF(params),
                     BUF(frame), BUF(records), BUF(keys), PACK(item), VAL(part));
}
