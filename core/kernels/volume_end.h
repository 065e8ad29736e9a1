// Hair-hair forces, after the last step of the grid.
#include "kernels/volume_rows.h"

KERNEL(volume_end) {
    volume_end_row(BUF(positions), BUF(velocities), BUF(changes), BUF(strains), BUF(vertices), BUF(params), BUF(frame),
                   BUF(readings), BUF(status), PACK(item), VAL(part));
}
