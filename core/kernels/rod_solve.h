// Rods, the linear system of a step built and solved in one sweep: what rod_build and band do, for whoever has a strand to
// itself and a cache, as the CPU. The system's columns are factorised as soon as they are known. Joints are in a ring that
// stays in the nearest cache, and blocks of the matrix are added up in registers. Each sum takes its terms in the order of
// those kernels, so the bits are the same.
#include "kernels/band_columns.h"
#include "kernels/rod_system.h"

// A joint in the ring: three strains with their derivatives, scaled, by the vertex and edge before (3 + 1), at (3 + 1) and
// behind it (3), zero for what does not move; then its edge.
#define SOLVE_BEFORE 0u
#define SOLVE_BEFORE_ANGLE 3u
#define SOLVE_AT 4u
#define SOLVE_AT_ANGLE 7u
#define SOLVE_BEHIND 8u
#define SOLVE_STRAIN_ROWS 11u
#define SOLVE_EDGE_AT 33u     // derivative of the edge's stretch, scaled, by both its vertices
#define SOLVE_EDGE_BEHIND 36u // the edge's tension, for the vertex before it, behind it, and both
#define SOLVE_TENSION 39u
#define SOLVE_SWERVE 42u // of both joints of the edge before

FN void solve_no_joint(buffer_ref joint) {
    for (uint r = 0u; r < JOINT_ROWS; r++) ST(joint, r, R(0.0f));
}

FN void solve_store_strain(buffer_ref strain, rod_gradient d, real scale, real before, real at, real behind,
                           real angle_free, real angle_free_n) {
    real3 edge = mul3(d.edge, scale);
    real3 edge_n = mul3(d.edge_n, scale);
    ST3(strain, SOLVE_BEFORE, mul3(edge, -before));
    ST(strain, SOLVE_BEFORE_ANGLE, d.angle * scale * angle_free);
    ST3(strain, SOLVE_AT, mul3(sub3(edge, edge_n), at));
    ST(strain, SOLVE_AT_ANGLE, d.angle_n * scale * angle_free_n);
    ST3(strain, SOLVE_BEHIND, mul3(edge_n, behind));
}

// Lower half of a symmetric block.
STRUCT(solve_square)
    real xx, yx, zx, yy, zy, zz;
END(solve_square)

FN solve_square solve_add_square(solve_square m, real3 a) {
    m.xx = fma_(a.x, a.x, m.xx);
    m.yx = fma_(a.y, a.x, m.yx);
    m.zx = fma_(a.z, a.x, m.zx);
    m.yy = fma_(a.y, a.y, m.yy);
    m.zy = fma_(a.z, a.y, m.zy);
    m.zz = fma_(a.z, a.z, m.zz);
    return m;
}

// The four columns of a vertex, of the joints before it, at it and behind it.
FN void solve_columns(buffer_ref before, buffer_ref at, buffer_ref behind, buffer_ref matrix, rod_touch touch,
                      real mass, real inertia, real here) {
    real none = R(0.0f);
    solve_square own;
    own.xx = none;
    own.yx = none;
    own.zx = none;
    own.yy = none;
    own.zy = none;
    own.zz = none;
    for (uint k = 0u; k < 3u; k++) {
        own = solve_add_square(own, LD3(before, SOLVE_STRAIN_ROWS * k + SOLVE_BEHIND));
        own = solve_add_square(own, LD3(at, SOLVE_STRAIN_ROWS * k + SOLVE_AT));
        own = solve_add_square(own, LD3(behind, SOLVE_STRAIN_ROWS * k + SOLVE_BEFORE));
    }
    own.xx = own.xx + touch.xx * here;
    own.yx = own.yx + touch.xy * here;
    own.zx = own.zx + touch.xz * here;
    own.yy = own.yy + touch.yy * here;
    own.zy = own.zy + touch.yz * here;
    own.zz = own.zz + touch.zz * here;
    own = solve_add_square(own, LD3(before, SOLVE_EDGE_BEHIND));
    own = solve_add_square(own, LD3(at, SOLVE_EDGE_AT));
    real diagonal = mass + LD(at, SOLVE_TENSION) + LD(before, SOLVE_TENSION + 1u);
    own.xx = own.xx + diagonal;
    own.yy = own.yy + diagonal;
    own.zz = own.zz + diagonal;
    ST(matrix, 0u, own.xx);
    ST(matrix, 1u, own.yx);
    ST(matrix, 2u, own.zx);
    ST(matrix, BAND_ROWS, own.yy);
    ST(matrix, BAND_ROWS + 1u, own.zy);
    ST(matrix, 2u * BAND_ROWS, own.zz);

    real3 angle = vec3(none, none, none);
    real3 angle_next = angle;
    real square = LD(behind, SOLVE_SWERVE);
    real square_next = none;
    real3 next = angle;
    real3 second = angle;
    for (uint k = 0u; k < 3u; k++) {
        real turn = LD(at, SOLVE_STRAIN_ROWS * k + SOLVE_AT_ANGLE);
        real turn_before = LD(behind, SOLVE_STRAIN_ROWS * k + SOLVE_BEFORE_ANGLE);
        real turn_next = LD(behind, SOLVE_STRAIN_ROWS * k + SOLVE_AT_ANGLE);
        real3 a = LD3(behind, SOLVE_STRAIN_ROWS * k + SOLVE_BEFORE);
        angle = fma3(LD3(at, SOLVE_STRAIN_ROWS * k + SOLVE_AT), turn, angle);
        angle = fma3(a, turn_before, angle);
        angle_next = fma3(a, turn_next, angle_next);
        square = square + turn * turn;
        square = square + turn_before * turn_before;
        square_next = square_next + turn_before * turn_next;
        next = fma3(LD3(at, SOLVE_STRAIN_ROWS * k + SOLVE_BEHIND), turn, next);
        next = fma3(LD3(behind, SOLVE_STRAIN_ROWS * k + SOLVE_AT), turn_before, next);
        second = fma3(LD3(behind, SOLVE_STRAIN_ROWS * k + SOLVE_BEHIND), turn_before, second);
    }
    ST(matrix, 3u, angle.x);
    ST(matrix, BAND_ROWS + 2u, angle.y);
    ST(matrix, 2u * BAND_ROWS + 1u, angle.z);
    ST(matrix, 7u, angle_next.x);
    ST(matrix, BAND_ROWS + 6u, angle_next.y);
    ST(matrix, 2u * BAND_ROWS + 5u, angle_next.z);
    ST(matrix, 3u * BAND_ROWS, square + inertia);
    ST(matrix, 3u * BAND_ROWS + 1u, next.x);
    ST(matrix, 3u * BAND_ROWS + 2u, next.y);
    ST(matrix, 3u * BAND_ROWS + 3u, next.z);
    ST(matrix, 3u * BAND_ROWS + 4u, square_next);
    ST(matrix, 3u * BAND_ROWS + 5u, second.x);
    ST(matrix, 3u * BAND_ROWS + 6u, second.y);
    ST(matrix, 3u * BAND_ROWS + 7u, second.z);
    ST(matrix, 3u * BAND_ROWS + 8u, none);
    ST(matrix, 3u * BAND_ROWS + 9u, none);
    ST(matrix, 3u * BAND_ROWS + 10u, none);

    rod_block to = rod_no_block();
    for (uint k = 0u; k < 3u; k++) {
        to = rod_outer(to, LD3(at, SOLVE_STRAIN_ROWS * k + SOLVE_BEHIND), LD3(at, SOLVE_STRAIN_ROWS * k + SOLVE_AT));
        to = rod_outer(to, LD3(behind, SOLVE_STRAIN_ROWS * k + SOLVE_AT),
                       LD3(behind, SOLVE_STRAIN_ROWS * k + SOLVE_BEFORE));
    }
    to = rod_outer(to, LD3(at, SOLVE_EDGE_BEHIND), LD3(at, SOLVE_EDGE_AT));
    real tension = LD(at, SOLVE_TENSION + 2u);
    to.x.x = to.x.x - tension;
    to.y.y = to.y.y - tension;
    to.z.z = to.z.z - tension;
    ST(matrix, 4u, to.x.x);
    ST(matrix, 5u, to.y.x);
    ST(matrix, 6u, to.z.x);
    ST(matrix, BAND_ROWS + 3u, to.x.y);
    ST(matrix, BAND_ROWS + 4u, to.y.y);
    ST(matrix, BAND_ROWS + 5u, to.z.y);
    ST(matrix, 2u * BAND_ROWS + 2u, to.x.z);
    ST(matrix, 2u * BAND_ROWS + 3u, to.y.z);
    ST(matrix, 2u * BAND_ROWS + 4u, to.z.z);

    to = rod_no_block();
    for (uint k = 0u; k < 3u; k++)
        to = rod_outer(to, LD3(behind, SOLVE_STRAIN_ROWS * k + SOLVE_BEHIND),
                       LD3(behind, SOLVE_STRAIN_ROWS * k + SOLVE_BEFORE));
    ST(matrix, 8u, to.x.x);
    ST(matrix, 9u, to.y.x);
    ST(matrix, 10u, to.z.x);
    ST(matrix, BAND_ROWS + 7u, to.x.y);
    ST(matrix, BAND_ROWS + 8u, to.y.y);
    ST(matrix, BAND_ROWS + 9u, to.z.y);
    ST(matrix, BAND_ROWS + 10u, none);
    ST(matrix, 2u * BAND_ROWS + 6u, to.x.z);
    ST(matrix, 2u * BAND_ROWS + 7u, to.y.z);
    ST(matrix, 2u * BAND_ROWS + 8u, to.z.z);
    ST(matrix, 2u * BAND_ROWS + 9u, none);
    ST(matrix, 2u * BAND_ROWS + 10u, none);
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
    buffer_ref ring = ROW(BUF(joints), pack * JOINT_RING_ROWS);
    rod_edge last = rod_clamp(BUF(clamps), pack);
    real last_swerve = R(0.0f);
    real3 force_before = vec3(R(0.0f), R(0.0f), R(0.0f)); // on the vertex before, without that of this joint
    real3 force = force_before;
    real torque_before = R(0.0f);
    real before = R(0.0f); // 1 for a vertex that moves: the one before, this one, and the next
    real here = rod_free(s, 0u);
    real3 v = LD3(BUF(velocities), 3u * first);
    real3 x = LD3(BUF(positions), 3u * first);
    solve_no_joint(ROW(ring, (JOINT_RING - 1u) * JOINT_ROWS));
    for (uint i = 0u; i <= vertices; i++) {
        buffer_ref joint = ROW(ring, i % JOINT_RING * JOINT_ROWS);
        rod_pull p;
        real swerve = R(0.0f);
        real next = R(0.0f);
        real3 pull = vec3(R(0.0f), R(0.0f), R(0.0f));
        p.before = pull;
        p.at = pull;
        p.after = pull;
        p.angle = R(0.0f);
        p.angle_n = R(0.0f);
        rod_edge e = last;
        if (i < vertices) {
            uint row = first + i;
            uint at = WORK_ROWS * row;
            uint next_row = i + 1u < vertices ? row + 1u : row;
            real3 v_next = LD3(BUF(velocities), 3u * next_row);
            real3 x_next = LD3(BUF(positions), 3u * next_row);
            next = rod_free(s, i + 1u);
            e = rod_edge_of(BUF(rods), BUF(spin), s, row, i, sub3(x_next, x), LD3(BUF(work), at + WORK_DIRECTOR),
                            sub3(v_next, v));
            mask is_edge = lt(R(0.0f), e.rest); // padding: no edge, no joint
            e.tangent = sel3(is_edge, e.tangent, last.tangent);
            e.m1 = sel3(is_edge, e.m1, last.m1);
            e.m2 = sel3(is_edge, e.m2, last.m2);
            rod_stretch stretch = rod_stretch_of(BUF(rods), s, row, e);
            pull = stretch.pull;
            ST3(joint, SOLVE_EDGE_AT, mul3(stretch.row, -here));
            ST3(joint, SOLVE_EDGE_BEHIND, mul3(stretch.row, next));
            ST(joint, SOLVE_TENSION, stretch.tension * here);
            ST(joint, SOLVE_TENSION + 1u, stretch.tension * next);
            ST(joint, SOLVE_TENSION + 2u, stretch.tension * here * next);
            rod_strains j = rod_strains_of(BUF(rods), BUF(work), s, row, last, e);
            p = rod_pull_of(j.by.d1, j.bend1, j.strain1, last.free, e.free);
            solve_store_strain(joint, j.by.d1, j.bend1 * s.weight, before, here, next, last.free, e.free);
            p = rod_add_pull(p, rod_pull_of(j.by.d2, j.bend2, j.strain2, last.free, e.free));
            solve_store_strain(ROW(joint, SOLVE_STRAIN_ROWS), j.by.d2, j.bend2 * s.weight, before, here, next,
                               last.free, e.free);
            p = rod_add_pull(p, rod_pull_of(j.by.twist, j.torsion, j.twist, last.free, e.free));
            solve_store_strain(ROW(joint, 2u * SOLVE_STRAIN_ROWS), j.by.twist, j.torsion * s.weight, before, here, next,
                               last.free, e.free);
            swerve = j.swerve;
            ST(joint, SOLVE_SWERVE, (last_swerve + swerve) * last.free * last.free);
            x = x_next;
            v = v_next;
        } else {
            solve_no_joint(joint);
        }
        if (i > 0u) {
            uint done = i - 1u;
            uint row = first + done;
            real mass = LD(BUF(rods), ROD_ROWS * row + ROD_MASS);
            rod_touch touch = rod_load_touch(BUF(work), WORK_ROWS * row);
            solve_columns(ROW(ring, (i + JOINT_RING - 2u) % JOINT_RING * JOINT_ROWS),
                          ROW(ring, done % JOINT_RING * JOINT_ROWS), joint, ROW(matrix, 4u * done * BAND_ROWS), touch,
                          mass + mass * (s.step * s.drag), LD(BUF(rods), ROD_ROWS * row + ROD_INERTIA), before);
            ST3(right, 4u * done,
                rod_push(s, add3(force_before, p.before), mass, LD3(BUF(velocities), 3u * row),
                         LD3(BUF(work), WORK_ROWS * row + WORK_START), touch, before));
            ST(right, 4u * done + 3u, i < vertices ? (torque_before + p.angle) * s.step : R(0.0f));
#ifndef LANE_IS_THREAD
            band_vertex(matrix, right, done, floor_x, floor_theta);
#endif
        }
        force_before = add3(add3(force, pull), p.at);
        force = sub3(p.after, pull);
        torque_before = p.angle_n;
        last_swerve = swerve;
        last = e;
        before = here;
        here = next;
    }
#ifdef LANE_IS_THREAD
    band_factor(matrix, right, 4u * vertices, floor_x, floor_theta);
#endif
    band_back(matrix, right, 4u * vertices);
}
