// Rods, the linear system of a step in two passes over a strand: first the rows of all joints and the forces, then all columns.
#ifndef PLAIT_KERNELS_ROD_ROWS_H
#define PLAIT_KERNELS_ROD_ROWS_H

#include "kernels/rod_system.h"

// Stores a strain's row of J and gives what it pulls with.
FN rod_pull rod_store_strain(buffer_ref work, uint at, rod_gradient d, real stiffness, real strain, real weight,
                             real angle_free, real angle_free_n) {
    rod_gradient row = rod_row(d, stiffness, weight, angle_free, angle_free_n);
    ST3(work, at, row.edge);
    ST3(work, at + 3u, row.edge_n);
    ST(work, at + 6u, row.angle);
    ST(work, at + 7u, row.angle_n);
    return rod_pull_of(d, stiffness, strain, angle_free, angle_free_n);
}

// Strains, their derivatives and the forces on all vertices, which go to the right-hand side's rows.
FN void rod_forces(buffer_ref positions, buffer_ref velocities, buffer_ref spin, buffer_ref rods, buffer_ref work,
                   buffer_ref vector, rod_step s, rod_edge root, uint first, uint vertices) {
    rod_edge last = root;
    real last_swerve = R(0.0f);
    real3 force_before = vec3(R(0.0f), R(0.0f), R(0.0f));
    real3 force = force_before;
    real torque_before = R(0.0f);
    real3 v = LD3(velocities, 3u * first);
    real3 x = LD3(positions, 3u * first);
    for (uint i = 0u; i < vertices; i++) {
        uint row = first + i;
        uint at = WORK_ROWS * row;
        uint next_row = i + 1u < vertices ? row + 1u : row;
        real3 v_next = LD3(velocities, 3u * next_row);
        real3 x_next = LD3(positions, 3u * next_row);
        rod_edge e =
            rod_edge_of(rods, spin, s, row, i, sub3(x_next, x), LD3(work, at + WORK_DIRECTOR), sub3(v_next, v));
        // Padding: no edge, no joint.
        mask is_edge = lt(R(0.0f), e.rest);
        e.tangent = sel3(is_edge, e.tangent, last.tangent);
        e.m1 = sel3(is_edge, e.m1, last.m1);
        e.m2 = sel3(is_edge, e.m2, last.m2);
        rod_stretch stretch = rod_stretch_of(rods, s, row, e);
        ST3(work, at + WORK_EDGE, stretch.row);
        ST(work, at + WORK_TENSION, stretch.tension);

        rod_strains j = rod_strains_of(rods, work, s, row, last, e);
        uint strain = at + WORK_JOINT;
        rod_pull p = rod_store_strain(work, strain, j.by.d1, j.bend1, j.strain1, s.weight, last.free, e.free);
        strain = strain + WORK_STRAIN_ROWS;
        p = rod_add_pull(p, rod_store_strain(work, strain, j.by.d2, j.bend2, j.strain2, s.weight, last.free, e.free));
        strain = strain + WORK_STRAIN_ROWS;
        p = rod_add_pull(p,
                         rod_store_strain(work, strain, j.by.twist, j.torsion, j.twist, s.weight, last.free, e.free));
        if (i > 0u) {
            ST(work, at - WORK_ROWS + WORK_SWERVE, (last_swerve + j.swerve) * last.free * last.free);
            ST3(vector, 4u * (row - 1u), add3(force_before, p.before));
            ST(vector, 4u * (row - 1u) + 3u, torque_before + p.angle);
        }
        force_before = add3(add3(force, stretch.pull), p.at);
        force = sub3(p.after, stretch.pull);
        torque_before = p.angle_n;
        last = e;
        last_swerve = j.swerve;
        x = x_next;
        v = v_next;
    }
    ST(work, WORK_ROWS * (first + vertices - 1u) + WORK_SWERVE, R(0.0f));
    ST3(vector, 4u * (first + vertices - 1u), force_before);
    ST(vector, 4u * (first + vertices - 1u) + 3u, R(0.0f));
}

FN void rod_columns(buffer_ref rods, buffer_ref work, buffer_ref matrix, buffer_ref vector, buffer_ref velocities,
                    rod_step s, uint first, uint vertices, uint i) {
    uint row = first + i;
    uint at = WORK_ROWS * row + WORK_JOINT;
    uint before = at - WORK_ROWS;
    uint behind = at + WORK_ROWS;
    real here = rod_free(s, i);
    real next = rod_free(s, i + 1u);
    real second = rod_free(s, i + 2u);
    rod_column m = rod_no_column(LD(work, WORK_ROWS * row + WORK_SWERVE));
    for (uint k = 0u; k < 3u; k++) {
        uint row_k = WORK_STRAIN_ROWS * k;
        if (i > 0u) m = rod_add_before(m, LD3(work, before + row_k + 3u), here);
        m = rod_add_at(m, LD3(work, at + row_k), LD3(work, at + row_k + 3u), LD(work, at + row_k + 7u), here, next);
        if (i + 1u < vertices) {
            rod_gradient j;
            j.edge = LD3(work, behind + row_k);
            j.edge_n = LD3(work, behind + row_k + 3u);
            j.angle = LD(work, behind + row_k + 6u);
            j.angle_n = LD(work, behind + row_k + 7u);
            m = rod_add_behind(m, j, here, next, second);
        }
    }
    real mass = LD(rods, ROD_ROWS * row + ROD_MASS);
    real3 velocity = LD3(velocities, 3u * row);
    rod_touch touch = rod_load_touch(ROW(work, WORK_ROWS * row));
    real tension = LD(work, WORK_ROWS * row + WORK_TENSION);
    m = rod_add_vertex(m, s, touch, mass, tension, here);
    if (i > 0u)
        m = rod_add_edge_before(m, LD3(work, WORK_ROWS * (row - 1u) + WORK_EDGE),
                                LD(work, WORK_ROWS * (row - 1u) + WORK_TENSION), here);
    m = rod_add_edge(m, LD3(work, WORK_ROWS * row + WORK_EDGE), tension, here, next);
    rod_store_column(matrix, row, m, LD(rods, ROD_ROWS * row + ROD_INERTIA));
    real3 push =
        rod_push(s, LD3(vector, 4u * row), mass, velocity, LD3(work, WORK_ROWS * row + WORK_START), touch, here);
    ST3(vector, 4u * row, push);
    real torque = LD(vector, 4u * row + 3u) * s.step;
    ST(vector, 4u * row + 3u, torque);
}

FN void rod_make_system(buffer_ref positions, buffer_ref velocities, buffer_ref spin, buffer_ref rods, buffer_ref work,
                        buffer_ref matrix, buffer_ref vector, rod_step s, rod_edge root, uint first, uint vertices) {
    rod_forces(positions, velocities, spin, rods, work, vector, s, root, first, vertices);
    for (uint i = 0u; i < vertices; i++) rod_columns(rods, work, matrix, vector, velocities, s, first, vertices, i);
}

#endif
