// Hair-hair forces, between two steps of the grid.
#include "kernels/volume_rows.h"

KERNEL(volume_next) {
    for (uint r = PACK(item); r < VAL(table_words) / LANE_COUNT; r += VAL(rows)) ST_UINT(BUF(table), r, U(0u));
    volume_end_row(BUF(positions), BUF(velocities), BUF(changes), BUF(strains), BUF(vertices), BUF(params), BUF(frame),
                   BUF(readings), BUF(status), PACK(item), VAL(part) - 1u);
    volume_begin_row(BUF(positions), BUF(velocities), BUF(changes), BUF(strains), BUF(vertices), BUF(params),
                     BUF(frame), BUF(records), BUF(keys), PACK(item), VAL(part));
}
