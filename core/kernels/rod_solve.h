// Rods, the linear system of a step built and solved: what rod_build and band do, in one sweep where a lane has a cache, as on
// the CPU. GPUs run those two; there this kernel is both of them in a row, which the sweep is tested against.
#include "kernels/band_columns.h"
#include "kernels/rod_rows.h"

#ifdef LANE_IS_THREAD

KERNEL(rod_solve) {
    uint pack = PACK(item);
    if (!any(rod_takes_part(BUF(care), pack, VAL(part)))) return;
    uint first = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_FIRST);
    uint vertices = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_VERTICES);
    rod_step s = rod_step_of(BUF(strands), BUF(held), BUF(roots), BUF(constants), BUF(care), BUF(frame), pack);
    rod_make_system(BUF(positions), BUF(velocities), BUF(spin), BUF(rods), BUF(work), BUF(system), BUF(right), s,
                    rod_clamp(BUF(clamps), pack), first, vertices);
    real floor_x = LD(BUF(floors), pack * BAND_FLOOR_ROWS + BAND_FLOOR_X);
    real floor_theta = LD(BUF(floors), pack * BAND_FLOOR_ROWS + BAND_FLOOR_THETA);
    buffer_ref matrix = ROW(BUF(system), 4u * first * BAND_ROWS);
    buffer_ref right = ROW(BUF(right), 4u * first);
    band_factor(matrix, right, 4u * vertices, floor_x, floor_theta);
    band_back(matrix, right, 4u * vertices);
}

#else

#include "kernels/rod_sweep.h"

// One column: D, L and y = D^-1 L^-1 b, as band_column, but what columns before take is in the ring as it is. c: which of its
// vertex'; left: how many columns before the vertex' matrix and right begin, and no fewer than reach it. The four columns of a
// vertex end with the same row, that of the last coordinate of the vertex after the next: column c has 10 - c rows below its
// diagonal, and nothing is done for the rest, which stays as it was.
#define SWEEP_TAKE(k)                                                                                                  \
    if (k <= left + c && k <= SWEEP_LAST(k)) {                                                                         \
        buffer_ref from = ROW(matrix, (left + c - k) * BAND_ROWS);                                                     \
        real taken = -LD(k <= c        ? ring0                                                                         \
                         : k <= c + 4u ? ring1                                                                         \
                         : k <= c + 8u ? ring2                                                                         \
                                       : ring3,                                                                        \
                         ((c + 12u - k) % 4u) * BAND_HALF + k - 1u);                                                   \
        a0 = fma_(LD(from, k), taken, a0);                                                                             \
        if (k + 1u <= SWEEP_LAST(k)) a1 = fma_(LD(from, k + 1u), taken, a1);                                           \
        if (k + 2u <= SWEEP_LAST(k)) a2 = fma_(LD(from, k + 2u), taken, a2);                                           \
        if (k + 3u <= SWEEP_LAST(k)) a3 = fma_(LD(from, k + 3u), taken, a3);                                           \
        if (k + 4u <= SWEEP_LAST(k)) a4 = fma_(LD(from, k + 4u), taken, a4);                                           \
        if (k + 5u <= SWEEP_LAST(k)) a5 = fma_(LD(from, k + 5u), taken, a5);                                           \
        if (k + 6u <= SWEEP_LAST(k)) a6 = fma_(LD(from, k + 6u), taken, a6);                                           \
        if (k + 7u <= SWEEP_LAST(k)) a7 = fma_(LD(from, k + 7u), taken, a7);                                           \
        if (k + 8u <= SWEEP_LAST(k)) a8 = fma_(LD(from, k + 8u), taken, a8);                                           \
        if (k + 9u <= SWEEP_LAST(k)) a9 = fma_(LD(from, k + 9u), taken, a9);                                           \
        y = fma_(LD(right, left + c - k), taken, y);                                                                   \
    }
#define SWEEP_LAST(k) (10u - (c + 12u - k) % 4u) // row of the column k to the left
#define SWEEP_STORE(r, a)                                                                                              \
    if (r + c <= 10u) {                                                                                                \
        ST(ring0, c *BAND_HALF + r - 1u, a);                                                                           \
        ST(column, r, a *inverse);                                                                                     \
    }
SWEEP_FN void sweep_column(buffer_ref matrix, buffer_ref right, buffer_ref ring0, buffer_ref ring1, buffer_ref ring2,
                           buffer_ref ring3, uint c, uint left, real lowest) {
    buffer_ref column = ROW(matrix, (left + c) * BAND_ROWS);
    real a0 = LD(column, 0u);
    real a1 = LD(column, 1u);
    real a2 = LD(column, 2u);
    real a3 = LD(column, 3u);
    real a4 = LD(column, 4u);
    real a5 = LD(column, 5u);
    real a6 = LD(column, 6u);
    real a7 = LD(column, 7u);
    real a8 = c <= 2u ? LD(column, 8u) : R(0.0f);
    real a9 = c <= 1u ? LD(column, 9u) : R(0.0f);
    real a10 = c == 0u ? LD(column, 10u) : R(0.0f);
    real y = LD(right, left + c);
    BAND_ALL(SWEEP_TAKE)
    real pivot = max_(a0, lowest); // in this order: of what is not a number max_ gives the second
    real inverse = R(1.0f) / pivot;
    ST(column, 0u, pivot);
    SWEEP_STORE(1u, a1)
    SWEEP_STORE(2u, a2)
    SWEEP_STORE(3u, a3)
    SWEEP_STORE(4u, a4)
    SWEEP_STORE(5u, a5)
    SWEEP_STORE(6u, a6)
    SWEEP_STORE(7u, a7)
    SWEEP_STORE(8u, a8)
    SWEEP_STORE(9u, a9)
    SWEEP_STORE(10u, a10)
    ST(right, left + c, y * inverse);
}

// The columns of a vertex, all before it being done.
FN void sweep_vertex(buffer_ref matrix, buffer_ref right, buffer_ref ring, uint vertex, real floor_x,
                     real floor_theta) {
    buffer_ref ring0 = ROW(ring, vertex % SWEEP_RING * SWEEP_RING_VERTEX);
    buffer_ref ring1 = ROW(ring, (vertex + 3u) % SWEEP_RING * SWEEP_RING_VERTEX);
    buffer_ref ring2 = ROW(ring, (vertex + 2u) % SWEEP_RING * SWEEP_RING_VERTEX);
    buffer_ref ring3 = ROW(ring, (vertex + 1u) % SWEEP_RING * SWEEP_RING_VERTEX);
    if (vertex >= 3u) { // constants, so that nothing is asked in the columns of most vertices
        matrix = ROW(matrix, (vertex - 3u) * 4u * BAND_ROWS);
        right = ROW(right, (vertex - 3u) * 4u);
        sweep_column(matrix, right, ring0, ring1, ring2, ring3, 0u, 12u, floor_x);
        sweep_column(matrix, right, ring0, ring1, ring2, ring3, 1u, 12u, floor_x);
        sweep_column(matrix, right, ring0, ring1, ring2, ring3, 2u, 12u, floor_x);
        sweep_column(matrix, right, ring0, ring1, ring2, ring3, 3u, 12u, floor_theta);
    } else {
        for (uint c = 0u; c < 4u; c++)
            sweep_column(matrix, right, ring0, ring1, ring2, ring3, c, 4u * vertex, c == 3u ? floor_theta : floor_x);
    }
}

// Back substitution: x of each column from those to its right, nearest last.
#define SWEEP_GIVE(k)                                                                                                  \
    if (k + c <= 10u && k <= after) z = fma_(-LD(column, k), LD(solution, k), z);
SWEEP_FN void sweep_back_one(buffer_ref column, buffer_ref solution, uint c, uint after) {
    real z = LD(solution, 0u);
    BAND_ALL(SWEEP_GIVE)
    ST(solution, 0u, z);
}

FN void sweep_back(buffer_ref matrix, buffer_ref right, uint vertices) {
    for (uint i = vertices; i > 0u; i--) {
        buffer_ref columns = ROW(matrix, 4u * (i - 1u) * BAND_ROWS);
        buffer_ref vector = ROW(right, 4u * (i - 1u));
        if (i + 2u <= vertices) {
            sweep_back_one(ROW(columns, 3u * BAND_ROWS), ROW(vector, 3u), 3u, BAND_HALF);
            sweep_back_one(ROW(columns, 2u * BAND_ROWS), ROW(vector, 2u), 2u, BAND_HALF);
            sweep_back_one(ROW(columns, BAND_ROWS), ROW(vector, 1u), 1u, BAND_HALF);
            sweep_back_one(columns, vector, 0u, BAND_HALF);
        } else {
            for (uint c = 4u; c > 0u; c--)
                sweep_back_one(ROW(columns, (c - 1u) * BAND_ROWS), ROW(vector, c - 1u), c - 1u,
                               4u * (vertices - i) + 4u - c);
        }
    }
}

KERNEL(rod_solve) {
    uint pack = PACK(item);
    if (!any(rod_takes_part(BUF(care), pack, VAL(part)))) return;
    uint first = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_FIRST);
    uint vertices = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_VERTICES);
    rod_step s = rod_step_of(BUF(strands), BUF(held), BUF(roots), BUF(constants), BUF(care), BUF(frame), pack);
    real floor_x = LD(BUF(floors), pack * BAND_FLOOR_ROWS + BAND_FLOOR_X);
    real floor_theta = LD(BUF(floors), pack * BAND_FLOOR_ROWS + BAND_FLOOR_THETA);
    buffer_ref matrix = ROW(BUF(system), 4u * first * BAND_ROWS);
    buffer_ref right = ROW(BUF(right), 4u * first);
    buffer_ref ring = ROW(BUF(ring), pack * SWEEP_RING_ROWS);
    buffer_ref open = ROW(ring, SWEEP_OPEN);
    buffer_ref joint = ROW(ring, SWEEP_JOINT);
    buffer_ref last = ROW(ring, SWEEP_EDGES);
    buffer_ref edge = ROW(last, SWEEP_EDGE);
    real push = R(1.0f) / (s.step + s.damping); // of scaled forces: the step over its weight squared
    real drag_step = s.step * s.drag;
    real3 fall = mul3(fma3(s.wind, s.drag, s.gravity), s.step);
    sweep_clamp(last, BUF(clamps), pack);
    sweep_nothing(open);
    rod_inside inside = rod_inside_of(s.held, s.count, vertices);
    buffer_ref x = ROW(BUF(positions), 3u * first);
    buffer_ref v = ROW(BUF(velocities), 3u * first);
    buffer_ref spin = ROW(BUF(spin), SPIN_ROWS * first);
    buffer_ref rods = ROW(BUF(rods), ROD_ROWS * first);
    buffer_ref work = ROW(BUF(work), WORK_ROWS * first);
    buffer_ref columns = matrix; // of the vertex before; for the first, what comes out has no meaning, and is done over
    buffer_ref vector = right;
    buffer_ref rods_done = rods;
    buffer_ref work_done = work;
    buffer_ref v_done = v;
    for (uint i = 0u; i <= vertices; i++) {
        bool is_vertex = i < vertices;
        if (is_vertex) {
            uint to = i + 1u < vertices ? 3u : 0u; // the next vertex, or none
            sweep_edge(edge, last, rods, spin, work, s, i, sub3(LD3(x, to), LD3(x, 0u)), sub3(LD3(v, to), LD3(v, 0u)),
                       inside);
            sweep_joint(joint, rods, work, s, last, edge);
        } else {
            sweep_no_joint(joint);
        }
        real mass = LD(rods_done, ROD_MASS);
        real diagonal = fma_(mass, drag_step, mass);
        real moment1 = LD(joint, SWEPT_STRESS);
        real moment2 = LD(joint, SWEPT_ROWS + SWEPT_STRESS);
        real swerve = fma_(moment1, moment1, moment2 * moment2);
        real free = is_vertex ? LD(last, SWEEP_FREE) : R(0.0f);
        real angle2 = fma_(LD(open, OPEN_SWERVE) + swerve, free * free, LD(open, OPEN_ANGLE2));
        ST(open, OPEN_SWERVE, swerve);
        real torque = LD(open, OPEN_TORQUE) + JOINT_SUM(SWEPT_E_ANGLE, SWEPT_STRESS);
        ST(vector, 3u, is_vertex ? fma_(torque, -push, R(0.0f)) : R(0.0f));
        sweep_columns(columns, open, joint, work_done, diagonal, angle2 + LD(rods_done, ROD_INERTIA));
        real3 velocity = LD3(v_done, 0u);
        real3 slower = sub3(fma3(velocity, drag_step, velocity), LD3(work_done, WORK_START));
        real3 force = sub3(LD3(open, OPEN_FORCE), LD3(open, OPEN_FORCE_BEFORE));
        real3 impulse = fma3(force, push, mul3(sub3(fall, slower), mass));
        ST3(vector, 0u, add3(impulse, LD3(work_done, WORK_PUSH)));
        sweep_begin(columns, open, joint, is_vertex ? rods : rods_done, edge, s);
        if (i > 0u) {
            uint done = i - 1u;
            if (done < inside.begin || done + 3u > inside.end)
                sweep_hold(columns, vector, diagonal, rod_free(s, done), rod_free(s, i), rod_free(s, i + 1u));
            sweep_vertex(matrix, right, ring, done, floor_x, floor_theta);
            columns = ROW(columns, 4u * BAND_ROWS);
            vector = ROW(vector, 4u);
        }
        buffer_ref turn = last;
        last = edge;
        edge = turn;
        rods_done = rods;
        work_done = work;
        v_done = v;
        x = ROW(x, 3u);
        v = ROW(v, 3u);
        spin = ROW(spin, SPIN_ROWS);
        rods = ROW(rods, ROD_ROWS);
        work = ROW(work, WORK_ROWS);
    }
    sweep_back(matrix, right, vertices);
}

#endif
