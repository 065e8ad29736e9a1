// The band solver: A x = b for the system of each strand, which is symmetric, positive definite and 10 wide on either side
// of its diagonal. A = L D L^T without square roots; factors and forward substitution in one sweep, back substitution in
// another (Huang et al. 2023, "Towards Realtime: A Hybrid Physics-based Method for Hair Animation on GPU", algorithm 2).
//
// On the CPU columns look back: each sums up what the ten before it take away, oldest first, with its values in registers and
// theirs still in the nearest cache. A thread of a GPU has registers for a window of the next ten columns but no cache to
// itself: there every column takes from those ahead, and each value is read once and written once. Both add up the same
// terms in the same order. Looking ahead took 1.4 to 3.7 times as long on AVX2, where each of the 55 sums is stored once a
// column; looking back took twice as long and more on lavapipe, which pays for every access to memory.
//
// No pivot of M + P with P positive semidefinite is below M's own entry: where rounding says otherwise, that floor is taken.
// That bridges what the solver's own roundings lose, up to springs of 3e6 masses: of 80,000 random strands all were solved.
// Beyond, the rounding of the matrix itself is worth a mass, so that it is not definite any more: at 6e6 one strand came out a
// thousand times too large, at 1e7 one of 600 grew beyond all floats, at 1e8 two of three, whatever becomes of their pivots
// (tried: floors of 2^-24 to 1 of the diagonal, and the bounds of Gill and Murray). Whoever builds the matrix must keep its
// springs below that, but for those of joints, see ROD_STIFFER_JOINTS. Solutions suffer before: a rounded matrix makes errors
// of 2 percent at 1e6, of 20 at 1e7.
#ifndef PLAIT_KERNELS_BAND_COLUMNS_H
#define PLAIT_KERNELS_BAND_COLUMNS_H

#define BAND_ALL(X) X(10u) X(9u) X(8u) X(7u) X(6u) X(5u) X(4u) X(3u) X(2u) X(1u)

#ifdef LANE_IS_THREAD

// The window: columns c = 0 to 10 from the present one on, each from its diagonal down to the row 10 below the present one's.
// Column c begins with value 11 c - c (c - 1) / 2.
#define BAND_WINDOW 66u
#define BAND_COLUMNS(X)                                                                                                \
    X(1u, BAND_EACH_9, 9u, 11u, 0u)                                                                                    \
    X(2u, BAND_EACH_8, 8u, 21u, 11u)                                                                                   \
    X(3u, BAND_EACH_7, 7u, 30u, 21u)                                                                                   \
    X(4u, BAND_EACH_6, 6u, 38u, 30u)                                                                                   \
    X(5u, BAND_EACH_5, 5u, 45u, 38u)                                                                                   \
    X(6u, BAND_EACH_4, 4u, 51u, 45u)                                                                                   \
    X(7u, BAND_EACH_3, 3u, 56u, 51u)                                                                                   \
    X(8u, BAND_EACH_2, 2u, 60u, 56u)                                                                                   \
    X(9u, BAND_EACH_1, 1u, 63u, 60u)                                                                                   \
    X(10u, BAND_EACH_0, 0u, 65u, 63u)

// Values 0 to n of a column that begins at `from`, n behind the name.
#define BAND_EACH_0(X, c, from, to) X(c, 0u, from, to)
#define BAND_EACH_1(X, c, from, to) BAND_EACH_0(X, c, from, to) X(c, 1u, from, to)
#define BAND_EACH_2(X, c, from, to) BAND_EACH_1(X, c, from, to) X(c, 2u, from, to)
#define BAND_EACH_3(X, c, from, to) BAND_EACH_2(X, c, from, to) X(c, 3u, from, to)
#define BAND_EACH_4(X, c, from, to) BAND_EACH_3(X, c, from, to) X(c, 4u, from, to)
#define BAND_EACH_5(X, c, from, to) BAND_EACH_4(X, c, from, to) X(c, 5u, from, to)
#define BAND_EACH_6(X, c, from, to) BAND_EACH_5(X, c, from, to) X(c, 6u, from, to)
#define BAND_EACH_7(X, c, from, to) BAND_EACH_6(X, c, from, to) X(c, 7u, from, to)
#define BAND_EACH_8(X, c, from, to) BAND_EACH_7(X, c, from, to) X(c, 8u, from, to)
#define BAND_EACH_9(X, c, from, to) BAND_EACH_8(X, c, from, to) X(c, 9u, from, to)

// The window before the first column: all but the row that comes with it. There are eight columns at least.
#define BAND_FILL_VALUE(c, i, from, to) window[to + i] = LD(matrix, (c - 1u) * BAND_ROWS + i);
#define BAND_FILL_ZERO(c, i, from, to) window[to + i] = R(0.0f);
#define BAND_FILL(c, EACH, last, from, to)                                                                             \
    if (c <= 8u || c - 1u < dimension) {                                                                               \
        sums[c - 1u] = LD(solution, c - 1u);                                                                           \
        EACH(BAND_FILL_VALUE, c, from, to)                                                                             \
    } else {                                                                                                           \
        sums[c - 1u] = R(0.0f);                                                                                        \
        EACH(BAND_FILL_ZERO, c, from, to)                                                                              \
    }

// The row that comes with a column; and, the column done, each ahead moves up and gives what that takes from it.
#define BAND_ENTER(c, EACH, last, from, to) window[from + last] = LD(column, c * BAND_HALF + BAND_HALF);
#define BAND_EMPTY(c, EACH, last, from, to) window[from + last] = R(0.0f);
#define BAND_FACTOR(c, EACH, last, from, to)                                                                           \
    factors[c] = window[c] * inverse;                                                                                  \
    ST(column, c, factors[c]);
#define BAND_MOVE_VALUE(c, i, from, to) window[to + i] = fma_(factors[c + i], taken, window[from + i]);
#define BAND_MOVE(c, EACH, last, from, to)                                                                             \
    taken = -(factors[c] * pivot);                                                                                     \
    sums[c - 1u] = fma_(y, taken, sums[c]);                                                                            \
    EACH(BAND_MOVE_VALUE, c, from, to)

FN void band_factor(buffer_ref matrix, buffer_ref solution, uint dimension, real floor_x, real floor_theta) {
    real window[BAND_WINDOW];
    real sums[BAND_ROWS];
    real factors[BAND_ROWS];
    BAND_COLUMNS(BAND_FILL)
    for (uint j = 0u; j < dimension; j++) {
        buffer_ref column = ROW(matrix, j * BAND_ROWS);
        if (j + BAND_HALF < dimension) {
            window[BAND_HALF] = LD(column, BAND_HALF);
            sums[BAND_HALF] = LD(solution, j + BAND_HALF);
            BAND_COLUMNS(BAND_ENTER)
        } else {
            window[BAND_HALF] = R(0.0f);
            sums[BAND_HALF] = R(0.0f);
            BAND_COLUMNS(BAND_EMPTY)
        }
        real lowest = j % 4u == 3u ? floor_theta : floor_x;
        real pivot = max_(window[0], lowest); // in this order: of what is not a number max_ gives the second
        real inverse = R(1.0f) / pivot;
        real y = sums[0] * inverse;
        real taken;
        ST(column, 0u, pivot);
        ST(solution, j, y);
        BAND_COLUMNS(BAND_FACTOR)
        BAND_COLUMNS(BAND_MOVE)
    }
}

// x of each column from those of the ten to its right, nearest last; beyond the end they are zero.
FN void band_back(buffer_ref matrix, buffer_ref solution, uint dimension) {
    real x1 = R(0.0f), x2 = R(0.0f), x3 = R(0.0f), x4 = R(0.0f), x5 = R(0.0f);
    real x6 = R(0.0f), x7 = R(0.0f), x8 = R(0.0f), x9 = R(0.0f), x10 = R(0.0f);
    for (uint j = dimension; j > 0u; j--) {
        buffer_ref column = ROW(matrix, (j - 1u) * BAND_ROWS);
        real x = LD(solution, j - 1u);
        x = fma_(-LD(column, 10u), x10, x);
        x = fma_(-LD(column, 9u), x9, x);
        x = fma_(-LD(column, 8u), x8, x);
        x = fma_(-LD(column, 7u), x7, x);
        x = fma_(-LD(column, 6u), x6, x);
        x = fma_(-LD(column, 5u), x5, x);
        x = fma_(-LD(column, 4u), x4, x);
        x = fma_(-LD(column, 3u), x3, x);
        x = fma_(-LD(column, 2u), x2, x);
        x = fma_(-LD(column, 1u), x1, x);
        ST(solution, j - 1u, x);
        x10 = x9;
        x9 = x8;
        x8 = x7;
        x7 = x6;
        x6 = x5;
        x5 = x4;
        x4 = x3;
        x3 = x2;
        x2 = x1;
        x1 = x;
    }
}

#else

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

// The four columns of a vertex, those before it being done.
FN void band_vertex(buffer_ref matrix, buffer_ref solution, uint vertex, real floor_x, real floor_theta) {
    for (uint j = 4u * vertex; j < 4u * vertex + 4u; j++) {
        real lowest = j % 4u == 3u ? floor_theta : floor_x;
        if (j < BAND_HALF)
            band_column(matrix, solution, j, lowest);
        else
            band_column(ROW(matrix, (j - BAND_HALF) * BAND_ROWS), ROW(solution, j - BAND_HALF), BAND_HALF, lowest);
    }
}

FN void band_factor(buffer_ref matrix, buffer_ref solution, uint dimension, real floor_x, real floor_theta) {
    for (uint j = 0u; j < BAND_HALF && j < dimension; j++)
        band_column(matrix, solution, j, j % 4u == 3u ? floor_theta : floor_x);
    for (uint j = BAND_HALF; j < dimension; j++)
        band_column(ROW(matrix, (j - BAND_HALF) * BAND_ROWS), ROW(solution, j - BAND_HALF), BAND_HALF,
                    j % 4u == 3u ? floor_theta : floor_x);
}

// x of a column from those of the `after` columns to its right that it reaches, nearest last. The buffers begin with it.
#define BAND_GIVE(k)                                                                                                   \
    if (k <= after) x = fma_(-LD(matrix, k), LD(solution, k), x);
FN void band_back_one(buffer_ref matrix, buffer_ref solution, uint after) {
    real x = LD(solution, 0u);
    BAND_ALL(BAND_GIVE)
    ST(solution, 0u, x);
}

FN void band_back(buffer_ref matrix, buffer_ref solution, uint dimension) {
    for (uint after = 1u; after < BAND_HALF && after < dimension; after++) {
        uint j = dimension - 1u - after;
        band_back_one(ROW(matrix, j * BAND_ROWS), ROW(solution, j), after);
    }
    for (uint after = BAND_HALF; after < dimension; after++) {
        uint j = dimension - 1u - after;
        band_back_one(ROW(matrix, j * BAND_ROWS), ROW(solution, j), BAND_HALF);
    }
}

#endif

#endif
