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

// One column of the factorisation and of the forward substitution. Of its pivot the inverse is kept, and what is below stays as
// it is, not divided by it: column k to the left takes L D L^T of a row, which is (L D) of it times (L D) of ours over the
// pivot. So there is one store for each value, and as many products. c: which of its vertex'; left: how many columns before
// the vertex' matrix and right begin, and no fewer than reach it. The four columns of a vertex end with the same row, that of
// the last coordinate of the vertex after the next: column c has 10 - c rows below its diagonal, and nothing is done for the
// rest, which stays as it was.
#define SWEEP_TAKE(k)                                                                                                  \
    if (k <= left + c && k <= SWEEP_LAST(k)) {                                                                         \
        buffer_ref from = ROW(matrix, (left + c - k) * BAND_ROWS);                                                     \
        real taken = -(LD(from, k) * LD(from, 0u));                                                                    \
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
SWEEP_FN void sweep_column(buffer_ref matrix, buffer_ref right, uint c, uint left, real lowest) {
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
    real y = LD(right, left + c);
    BAND_ALL(SWEEP_TAKE) // none has anything to do with row 10
    ST(column, 1u, a1);
    ST(column, 2u, a2);
    ST(column, 3u, a3);
    ST(column, 4u, a4);
    ST(column, 5u, a5);
    ST(column, 6u, a6);
    ST(column, 7u, a7);
    if (c <= 2u) ST(column, 8u, a8);
    if (c <= 1u) ST(column, 9u, a9);
    ST(right, left + c, y);
    real pivot = max_(a0, lowest); // in this order: of what is not a number max_ gives the second
    ST(column, 0u, R(1.0f) / pivot);
}

// The columns of a vertex, all before it being done. Constants, so that nothing is asked in most of them.
FN void sweep_four(buffer_ref matrix, buffer_ref right, uint left, real floor_x, real floor_theta) {
    sweep_column(matrix, right, 0u, left, floor_x);
    sweep_column(matrix, right, 1u, left, floor_x);
    sweep_column(matrix, right, 2u, left, floor_x);
    sweep_column(matrix, right, 3u, left, floor_theta);
}

FN void sweep_vertex(buffer_ref matrix, buffer_ref right, uint vertex, real floor_x, real floor_theta) {
    if (vertex >= 2u)
        sweep_four(ROW(matrix, (vertex - 2u) * 4u * BAND_ROWS), ROW(right, (vertex - 2u) * 4u), 8u, floor_x,
                   floor_theta);
    else if (vertex == 1u)
        sweep_four(matrix, right, 4u, floor_x, floor_theta);
    else
        sweep_four(matrix, right, 0u, floor_x, floor_theta);
}

// Back substitution: x of each column from those to its right, nearest last, which are in registers: those of the next vertex
// and of the second. Beyond the end the matrix has zeros.
FN void sweep_back(buffer_ref matrix, buffer_ref right, uint vertices) {
    real3 next = vec3(R(0.0f), R(0.0f), R(0.0f));
    real3 second = next;
    real next_angle = R(0.0f);
    for (uint i = vertices; i > 0u; i--) {
        buffer_ref column = ROW(matrix, (4u * i - 1u) * BAND_ROWS);
        buffer_ref x = ROW(right, 4u * (i - 1u));
        real angle = fma_(-LD(column, 7u), second.z, LD(x, 3u));
        angle = fma_(-LD(column, 6u), second.y, angle);
        angle = fma_(-LD(column, 5u), second.x, angle);
        angle = fma_(-LD(column, 4u), next_angle, angle);
        angle = fma_(-LD(column, 3u), next.z, angle);
        angle = fma_(-LD(column, 2u), next.y, angle);
        angle = fma_(-LD(column, 1u), next.x, angle) * LD(column, 0u);
        column = ROW(matrix, (4u * i - 2u) * BAND_ROWS);
        real3 own;
        own.z = fma_(-LD(column, 8u), second.z, LD(x, 2u));
        own.z = fma_(-LD(column, 7u), second.y, own.z);
        own.z = fma_(-LD(column, 6u), second.x, own.z);
        own.z = fma_(-LD(column, 5u), next_angle, own.z);
        own.z = fma_(-LD(column, 4u), next.z, own.z);
        own.z = fma_(-LD(column, 3u), next.y, own.z);
        own.z = fma_(-LD(column, 2u), next.x, own.z);
        own.z = fma_(-LD(column, 1u), angle, own.z) * LD(column, 0u);
        column = ROW(matrix, (4u * i - 3u) * BAND_ROWS);
        own.y = fma_(-LD(column, 9u), second.z, LD(x, 1u));
        own.y = fma_(-LD(column, 8u), second.y, own.y);
        own.y = fma_(-LD(column, 7u), second.x, own.y);
        own.y = fma_(-LD(column, 6u), next_angle, own.y);
        own.y = fma_(-LD(column, 5u), next.z, own.y);
        own.y = fma_(-LD(column, 4u), next.y, own.y);
        own.y = fma_(-LD(column, 3u), next.x, own.y);
        own.y = fma_(-LD(column, 2u), angle, own.y);
        own.y = fma_(-LD(column, 1u), own.z, own.y) * LD(column, 0u);
        column = ROW(matrix, (4u * i - 4u) * BAND_ROWS);
        own.x = fma_(-LD(column, 10u), second.z, LD(x, 0u));
        own.x = fma_(-LD(column, 9u), second.y, own.x);
        own.x = fma_(-LD(column, 8u), second.x, own.x);
        own.x = fma_(-LD(column, 7u), next_angle, own.x);
        own.x = fma_(-LD(column, 6u), next.z, own.x);
        own.x = fma_(-LD(column, 5u), next.y, own.x);
        own.x = fma_(-LD(column, 4u), next.x, own.x);
        own.x = fma_(-LD(column, 3u), angle, own.x);
        own.x = fma_(-LD(column, 2u), own.z, own.x);
        own.x = fma_(-LD(column, 1u), own.y, own.x) * LD(column, 0u);
        ST3(x, 0u, own);
        ST(x, 3u, angle);
        second = next;
        next = own;
        next_angle = angle;
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
    buffer_ref swept = ROW(BUF(swept), pack * SWEEP_ROWS);
    buffer_ref open = ROW(swept, SWEEP_OPEN);
    buffer_ref joint = ROW(swept, SWEEP_JOINT);
    buffer_ref last = ROW(swept, SWEEP_EDGES);
    buffer_ref edge = ROW(last, SWEEP_EDGE);
    real push = R(1.0f) / (s.step + s.damping); // of scaled forces: the step over its weight squared
    real slowed = fma_(s.step, s.drag, R(1.0f));
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
        // Columns are factorised one vertex late and one at a time, between pieces of what is built for the next: each is a
        // chain of long latencies, and so are the edge and the joint. One after the other took 3 to 10 percent longer.
        bool steady = i >= 4u;
        buffer_ref ready = ROW(matrix, steady ? (i - 4u) * 4u * BAND_ROWS : 0u);
        buffer_ref ready_right = ROW(right, steady ? (i - 4u) * 4u : 0u);
        if (steady)
            sweep_column(ready, ready_right, 0u, 8u, floor_x);
        else if (i >= 2u)
            sweep_vertex(matrix, right, i - 2u, floor_x, floor_theta);
        if (is_vertex) {
            uint to = i + 1u < vertices ? 3u : 0u; // the next vertex, or none
            sweep_edge(edge, last, rods, spin, work, s, i, sub3(LD3(x, to), LD3(x, 0u)), sub3(LD3(v, to), LD3(v, 0u)),
                       inside);
        }
        if (steady) sweep_column(ready, ready_right, 1u, 8u, floor_x);
        if (is_vertex)
            sweep_joint(joint, rods, work, s, last, edge);
        else
            sweep_no_joint(joint);
        if (steady) sweep_column(ready, ready_right, 2u, 8u, floor_x);
        real mass = LD(rods_done, ROD_MASS);
        real diagonal = mass * slowed;
        real moment1 = LD(joint, SWEPT_STRESS);
        real moment2 = LD(joint, SWEPT_ROWS + SWEPT_STRESS);
        real swerve = fma_(moment1, moment1, moment2 * moment2);
        real free = is_vertex ? LD(last, SWEEP_FREE) : R(0.0f);
        real angle2 = fma_(LD(open, OPEN_SWERVE) + swerve, free * free, LD(open, OPEN_ANGLE2));
        ST(open, OPEN_SWERVE, swerve);
        real torque = JOINT_ADD(LD(open, OPEN_TORQUE), SWEPT_E_ANGLE, SWEPT_STRESS);
        ST(vector, 3u, is_vertex ? fma_(torque, -push, R(0.0f)) : R(0.0f));
        sweep_columns(columns, open, joint, work_done, diagonal, angle2 + LD(rods_done, ROD_INERTIA));
        if (steady) sweep_column(ready, ready_right, 3u, 8u, floor_theta);
        real3 faster = fma3(LD3(v_done, 0u), -slowed, add3(fall, LD3(work_done, WORK_START)));
        real3 force = sub3(LD3(open, OPEN_FORCE), LD3(open, OPEN_FORCE_BEFORE));
        ST3(vector, 0u, fma3(force, push, fma3(faster, mass, LD3(work_done, WORK_PUSH))));
        sweep_begin(columns, open, joint, is_vertex ? rods : rods_done, edge, s);
        if (i > 0u) {
            uint done = i - 1u;
            if (done < inside.begin || done + 3u > inside.end)
                sweep_hold(columns, vector, diagonal, rod_free(s, done), rod_free(s, i), rod_free(s, i + 1u));
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
    sweep_vertex(matrix, right, vertices - 1u, floor_x, floor_theta);
    sweep_back(matrix, right, vertices);
}

#endif
