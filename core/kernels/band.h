// The band solver: A x = b for the system of each strand, which is symmetric, positive definite and 10 wide on either side
// of its diagonal. A = L D L^T without square roots; factors and forward substitution in one sweep, back substitution in
// another (Huang et al. 2023, "Towards Realtime: A Hybrid Physics-based Method for Hair Animation on GPU", algorithm 2).
//
// Columns look back: each sums up what the ten before it take away, oldest first, with its values in registers and theirs
// still in the nearest cache. Looking ahead instead, from a window of 55 sums that every column updates, took 1.4 to 3.7
// times as long on AVX2: each sum is stored once a column.
//
// No pivot of M + P with P positive semidefinite is below M's own entry: where rounding says otherwise, that floor is taken.
// That bridges what the solver's own roundings lose, up to springs of about 1e7 masses. From 1e8 on the rounding of the
// matrix itself is worth several masses, so that it is not definite any more, and two of three random strands of 40 vertices
// grow beyond all bounds, whatever becomes of their pivots (tried: floors of 2^-24 to 1 of the diagonal, and the bounds of
// Gill and Murray). Whoever builds the matrix must keep its springs below that.

#define BAND_PACKS BUF(0)
#define BAND_MATRIX BUF(1)   // A; then D in its diagonal and L below
#define BAND_SOLUTION BUF(2) // b; then x
#define BAND_FLOORS BUF(3)

// Sums of one column take from it what the column k to the left does: L of our row there, times D, times L of each row. No
// loops: some drivers unroll none of this length, and one lets a kernel turn 65,535 times in all.
#define BAND_TAKE_UPPER(k)                                                                                             \
    if (k <= before) {                                                                                                 \
        uint cross = (before - k) * BAND_ROWS + k;                                                                     \
        real taken = -(LD(matrix, cross) * LD(matrix, cross - k));                                                     \
        a0 = fma_(LD(matrix, cross), taken, a0);                                                                       \
        if (k < 10u) a1 = fma_(LD(matrix, cross + 1u), taken, a1);                                                     \
        if (k < 9u) a2 = fma_(LD(matrix, cross + 2u), taken, a2);                                                      \
        if (k < 8u) a3 = fma_(LD(matrix, cross + 3u), taken, a3);                                                      \
        if (k < 7u) a4 = fma_(LD(matrix, cross + 4u), taken, a4);                                                      \
        if (k < 6u) a5 = fma_(LD(matrix, cross + 5u), taken, a5);                                                      \
    }
#define BAND_TAKE_LOWER(k)                                                                                             \
    if (k <= before) {                                                                                                 \
        uint cross = (before - k) * BAND_ROWS + k;                                                                     \
        real taken = -(LD(matrix, cross) * LD(matrix, cross - k));                                                     \
        y = fma_(LD(solution, before - k), taken, y);                                                                  \
        if (k < 5u) a6 = fma_(LD(matrix, cross + 6u), taken, a6);                                                      \
        if (k < 4u) a7 = fma_(LD(matrix, cross + 7u), taken, a7);                                                      \
        if (k < 3u) a8 = fma_(LD(matrix, cross + 8u), taken, a8);                                                      \
        if (k < 2u) a9 = fma_(LD(matrix, cross + 9u), taken, a9);                                                      \
    }
#define BAND_ALL(X) X(10u) X(9u) X(8u) X(7u) X(6u) X(5u) X(4u) X(3u) X(2u) X(1u)

// One column, with `before` columns to its left that reach it: D, L and y = D^-1 L^-1 b. The buffers begin with the first of
// those. In halves, because all eleven values would not stay in registers.
FN void band_column(buffer_ref matrix, buffer_ref solution, uint before, real lowest) {
    uint row = before * BAND_ROWS;
    real a0 = LD(matrix, row);
    real a1 = LD(matrix, row + 1u);
    real a2 = LD(matrix, row + 2u);
    real a3 = LD(matrix, row + 3u);
    real a4 = LD(matrix, row + 4u);
    real a5 = LD(matrix, row + 5u);
    BAND_ALL(BAND_TAKE_UPPER)
    real pivot = max_(a0, lowest); // in this order: of what is not a number max_ gives the second
    real inverse = R(1.0f) / pivot;
    ST(matrix, row, pivot);
    ST(matrix, row + 1u, a1 * inverse);
    ST(matrix, row + 2u, a2 * inverse);
    ST(matrix, row + 3u, a3 * inverse);
    ST(matrix, row + 4u, a4 * inverse);
    ST(matrix, row + 5u, a5 * inverse);

    real a6 = LD(matrix, row + 6u);
    real a7 = LD(matrix, row + 7u);
    real a8 = LD(matrix, row + 8u);
    real a9 = LD(matrix, row + 9u);
    real a10 = LD(matrix, row + 10u);
    real y = LD(solution, before);
    BAND_ALL(BAND_TAKE_LOWER)
    ST(matrix, row + 6u, a6 * inverse);
    ST(matrix, row + 7u, a7 * inverse);
    ST(matrix, row + 8u, a8 * inverse);
    ST(matrix, row + 9u, a9 * inverse);
    ST(matrix, row + 10u, a10 * inverse);
    ST(solution, before, y * inverse);
}

// x of a column from those of the `after` columns to its right that it reaches, nearest last. The buffers begin with it.
#define BAND_GIVE(k)                                                                                                   \
    if (k <= after) x = fma_(-LD(matrix, k), LD(solution, k), x);
FN void band_back(buffer_ref matrix, buffer_ref solution, uint after) {
    real x = LD(solution, 0u);
    BAND_ALL(BAND_GIVE)
    ST(solution, 0u, x);
}

KERNEL(band) {
    uint pack = PACK(item);
    uint first = 4u * UNIFORM_UINT(BAND_PACKS, pack * PACK_UINTS + PACK_FIRST);
    uint dimension = 4u * UNIFORM_UINT(BAND_PACKS, pack * PACK_UINTS + PACK_VERTICES);
    buffer_ref matrix = ROW(BAND_MATRIX, first * BAND_ROWS);
    buffer_ref solution = ROW(BAND_SOLUTION, first);
    real floor_x = LD(BAND_FLOORS, pack * BAND_FLOOR_ROWS + BAND_FLOOR_X);
    real floor_theta = LD(BAND_FLOORS, pack * BAND_FLOOR_ROWS + BAND_FLOOR_THETA);
    for (uint j = 0u; j < BAND_HALF && j < dimension; j++)
        band_column(matrix, solution, j, j % 4u == 3u ? floor_theta : floor_x);
    for (uint j = BAND_HALF; j < dimension; j++)
        band_column(ROW(matrix, (j - BAND_HALF) * BAND_ROWS), ROW(solution, j - BAND_HALF), BAND_HALF,
                    j % 4u == 3u ? floor_theta : floor_x);
    for (uint after = 1u; after < BAND_HALF && after < dimension; after++) {
        uint j = dimension - 1u - after;
        band_back(ROW(matrix, j * BAND_ROWS), ROW(solution, j), after);
    }
    for (uint after = BAND_HALF; after < dimension; after++) {
        uint j = dimension - 1u - after;
        band_back(ROW(matrix, j * BAND_ROWS), ROW(solution, j), BAND_HALF);
    }
}
