// The band solver, see band_columns.h.
#include "kernels/band_columns.h"

KERNEL(band) {
    uint pack = PACK(item);
    if (!any(rod_takes_part(BUF(care), pack, VAL(part)))) return;
    uint first = 4u * UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_FIRST);
    uint dimension = 4u * UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_VERTICES);
    buffer_ref matrix = ROW(BUF(system), first * BAND_ROWS);
    buffer_ref solution = ROW(BUF(solution), first);
    real floor_x = LD(BUF(floors), pack * BAND_FLOOR_ROWS + BAND_FLOOR_X);
    real floor_theta = LD(BUF(floors), pack * BAND_FLOOR_ROWS + BAND_FLOOR_THETA);
    band_factor(matrix, solution, dimension, floor_x, floor_theta);
    band_back(matrix, solution, dimension);
}
