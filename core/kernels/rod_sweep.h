// Rods, the linear system of a step built and factorised vertex by vertex, for rod_solve: what rod_build and band do, for whoever
// has a strand to itself and a cache.
//
// Strains depend on edges, so the matrix is added up by edges and their angles, where a joint has to do with two of each, and
// turned into one of vertices when a column is whole: 108 products a joint instead of 198. Columns are not divided by their
// pivots. Products are fused. So the bits are not those of rod_build and band.
//
// There are 16 registers and ten times as many values, and it is loads and stores that take the time. So the order of the work
// is one in which few values are alive at a time, and what passes from vertex to vertex has places in memory, which no
// compiler copies: that is a fifth faster than structs by value.

// Compilers take minutes for a function as long as all of these with what sanitizers add.
#ifdef PLAIT_SANITIZED
#define SWEEP_FN static __attribute__((noinline))
#else
#define SWEEP_FN FN
#endif

// ---- edges ----

// An edge in memory, as rod_edge_of has it, and more: one for the edge before a joint and one for that behind, in turn.
#define SWEEP_TANGENT 0u
#define SWEEP_M1 3u
#define SWEEP_M2 6u
#define SWEEP_RATE 9u
#define SWEEP_LENGTH                                                                                                   \
    12u // as it counts for joints: at least a hundredth of its rest length; no edge: long, and its inverse 0
#define SWEEP_INVERSE 13u
#define SWEEP_SPIN 14u
#define SWEEP_FREE 15u
#define SWEEP_LONGER 16u // than at rest

FN void sweep_clamp(buffer_ref edge, buffer_ref clamps, uint pack) {
    rod_edge c = rod_clamp(clamps, pack);
    ST3(edge, SWEEP_TANGENT, c.tangent);
    ST3(edge, SWEEP_M1, c.m1);
    ST3(edge, SWEEP_M2, c.m2);
    ST3(edge, SWEEP_RATE, c.rate);
    ST(edge, SWEEP_LENGTH, c.present);
    ST(edge, SWEEP_INVERSE, c.inverse);
    ST(edge, SWEEP_SPIN, c.spin);
    ST(edge, SWEEP_FREE, c.free);
    ST(edge, SWEEP_LONGER, R(0.0f));
}

// now and rate: differences of its ends' positions and velocities. rods, spin, work: of its first vertex, number i.
SWEEP_FN void sweep_edge(buffer_ref edge, buffer_ref last, buffer_ref rods, buffer_ref spin, buffer_ref work,
                         rod_step s, uint i, real3 now, real3 rate, rod_inside inside) {
    real3 along = fma3(rate, s.step, now);
    real rest = LD(rods, ROD_LENGTH) * s.scale;
    real present = sqrt_(max_(fused_dot3(along, along), R(1e-24f)));
    real inverse = R(1.0f) / present;
    real least = R(0.01f) * rest;
    real3 tangent = mul3(along, inverse);
    real3 m1 = LD3(work, WORK_DIRECTOR);
    real3 m2 = fused_cross3(tangent, m1);
    real free = R(1.0f) / max_(rest, R(1e-9f));
    mask tiny = lt(present, least);
    if (any(tiny)) inverse = sel(tiny, R(1.0f) / max_(least, R(1e-20f)), inverse);
    if (i + 1u < inside.begin || i + 1u >= inside.end) {
        mask angle_held = either(below(i + 1u, s.held), not_(below(i + 1u, s.count)));
        mask is_edge = lt(R(0.0f), rest); // padding: no edge, no joint
        free = sel(angle_held, R(0.0f), free);
        inverse = sel(is_edge, inverse, R(0.0f));
        least = sel(is_edge, least, R(1e6f));
        present = sel(is_edge, present, R(0.0f));
        tangent = sel3(is_edge, tangent, LD3(last, SWEEP_TANGENT));
        m1 = sel3(is_edge, m1, LD3(last, SWEEP_M1));
        m2 = sel3(is_edge, m2, LD3(last, SWEEP_M2));
    }
    ST3(edge, SWEEP_TANGENT, tangent);
    ST3(edge, SWEEP_M1, m1);
    ST3(edge, SWEEP_M2, m2);
    ST3(edge, SWEEP_RATE, rate);
    ST(edge, SWEEP_LENGTH, max_(present, least));
    ST(edge, SWEEP_INVERSE, inverse);
    ST(edge, SWEEP_SPIN, LD(spin, SPIN_RATE));
    ST(edge, SWEEP_FREE, free);
    ST(edge, SWEEP_LONGER, present - rest);
}

// ---- joints ----

// The strains of a joint in memory: two curvatures and twist. Of each its row of J by both edges (e: the one before the joint,
// n: the one behind) and by their angles, and the strain itself, all times the square root of its stiffness and the step's
// weight.
#define SWEPT_E 0u
#define SWEPT_N 3u
#define SWEPT_E_ANGLE 6u
#define SWEPT_N_ANGLE 7u
#define SWEPT_STRESS 8u
#define SWEPT_ROWS 9u

// e and n: derivatives times the edges' lengths; the angles: not yet by angles times lengths.
SWEEP_FN void sweep_strain(buffer_ref strain, rod_step s, buffer_ref last, buffer_ref edge, real3 e, real3 n,
                           real e_angle, real n_angle, real size, real root_stiffness) {
    real scale = root_stiffness * s.weight;
    e = mul3(e, LD(last, SWEEP_INVERSE) * scale);
    n = mul3(n, LD(edge, SWEEP_INVERSE) * scale);
    ST3(strain, SWEPT_E, e);
    ST3(strain, SWEPT_N, n);
    e_angle = e_angle * scale;
    n_angle = n_angle * scale;
    real rate = fused_dot3(e, LD3(last, SWEEP_RATE)) + fused_dot3(n, LD3(edge, SWEEP_RATE));
    rate = fma_(n_angle, LD(edge, SWEEP_SPIN), fma_(e_angle, LD(last, SWEEP_SPIN), rate));
    ST(strain, SWEPT_STRESS, fma_(rate, s.damping, size * scale));
    ST(strain, SWEPT_E_ANGLE, e_angle * LD(last, SWEEP_FREE));
    ST(strain, SWEPT_N_ANGLE, n_angle * LD(edge, SWEEP_FREE));
}

FN void sweep_no_joint(buffer_ref joint) {
    for (uint r = 0u; r < 3u * SWEPT_ROWS; r++) ST(joint, r, R(0.0f));
}

// The strains of rod_bend and rod_strains_of.
SWEEP_FN void sweep_joint(buffer_ref joint, buffer_ref rods, buffer_ref work, rod_step s, buffer_ref last,
                          buffer_ref edge) {
    real3 t = LD3(last, SWEEP_TANGENT);
    real3 tn = LD3(edge, SWEEP_TANGENT);
    real unfolded = R(1.0f) + fused_dot3(t, tn);
    real cosine = sqrt_(R(0.5f) * max_(unfolded, R(ROD_FOLD))); // of half the angle
    real half_steep = R(0.5f) / cosine;
    real3 across = mul3(fused_cross3(t, tn), -half_steep); // half the binormal, backwards
    mask folded = lt(unfolded, R(ROD_FOLD));
    if (any(folded)) {
        real size2 = fused_dot3(across, across);
        real3 most = sel3(lt(R(0.25e-6f), size2), across, mul3(LD3(last, SWEEP_M2), R(-1.0f)));
        size2 = max_(fused_dot3(most, most), R(1e-20f));
        across = sel3(folded, mul3(most, R(0.5f * ROD_SHARPEST) / sqrt_(size2)), across);
    }
    real over = half_steep * half_steep;
    real own = R(0.5f) + over;
    real scale = half_steep;
    real3 d = mul3(across, R(-2.0f) * half_steep); // of length tan(half the angle)
    mask sharp = lt(unfolded, R(2.0f / (1.0f + ROD_SHARP_FROM)));
    if (any(sharp)) {
        real q = max_(R(4.0f) * over - R(1.0f + ROD_SHARP_FROM), R(0.0f)) * R(ROD_SHARP);
        real more = fma_(q, q, R(1.0f));
        real faster = R(16.0f * ROD_SHARP) * q * over * over / more;
        own = fma_(faster, R(1.0f) - max_(unfolded, R(ROD_FOLD)), own);
        over = over + faster;
        across = mul3(across, more);
        scale = half_steep * more;
        cosine = cosine / fma_(q, fma_(R(5.0f), q, R(0.4f)), R(1.0f));
    }
    // The sharper a joint, the more its strains change with a vertex's way.
    real stiffest =
        R(0.5f * ROD_STIFFER_JOINTS) * s.stiffest * (cosine * min_(LD(last, SWEEP_LENGTH), LD(edge, SWEEP_LENGTH)));
    sweep_strain(ROW(joint, 2u * SWEPT_ROWS), s, last, edge, d, d, R(-1.0f), R(1.0f),
                 LD(work, WORK_TWIST) - LD(rods, ROD_TWIST), min_(LD(rods, ROD_TORSION), stiffest));
    real3 along = fma3(t, own, mul3(tn, over));
    real3 along_n = fma3(tn, own, mul3(t, over));
    real across1 = fused_dot3(across, LD3(last, SWEEP_M1));
    real across1_n = fused_dot3(across, LD3(edge, SWEEP_M1));
    real across2 = fused_dot3(across, LD3(last, SWEEP_M2));
    real across2_n = fused_dot3(across, LD3(edge, SWEEP_M2));
    real curvature = -(across2 + across2_n);
    real3 sum = mul3(add3(LD3(last, SWEEP_M2), LD3(edge, SWEEP_M2)), scale);
    d = fma3(along, -curvature, fused_cross3(tn, sum));
    real3 d_n = fma3(along_n, -curvature, fused_cross3(sum, t));
    sweep_strain(joint, s, last, edge, d, d_n, across1, across1_n, curvature - LD(rods, ROD_CURVATURE1),
                 min_(LD(rods, ROD_BEND1), stiffest));
    curvature = across1 + across1_n;
    sum = mul3(add3(LD3(last, SWEEP_M1), LD3(edge, SWEEP_M1)), scale);
    d = fma3(along, -curvature, fused_cross3(sum, tn));
    d_n = fma3(along_n, -curvature, fused_cross3(t, sum));
    sweep_strain(ROW(joint, SWEPT_ROWS), s, last, edge, d, d_n, across2, across2_n,
                 curvature - LD(rods, ROD_CURVATURE2), min_(LD(rods, ROD_BEND2), stiffest));
}

FN real sum_of_three(real a, real x, real b, real y, real c, real z) { return fma_(c, z, fma_(b, y, a * x)); }

FN real3 sum_of_three3(real3 a, real x, real3 b, real y, real3 c, real z) { return fma3(c, z, fma3(b, y, mul3(a, x))); }

FN real add_three(real sum, real a, real x, real b, real y, real c, real z) {
    return fma_(c, z, fma_(b, y, fma_(a, x, sum)));
}

FN real3 add_three3(real3 sum, real3 a, real x, real3 b, real y, real3 c, real z) {
    return fma3(c, z, fma3(b, y, fma3(a, x, sum)));
}

// Products of two values of the three strains, added up, or added to a sum.
#define JOINT_PAIRS(p, q)                                                                                              \
    LD(joint, p), LD(joint, q), LD(joint, SWEPT_ROWS + p), LD(joint, SWEPT_ROWS + q), LD(joint, 2u * SWEPT_ROWS + p),  \
        LD(joint, 2u * SWEPT_ROWS + q)
#define JOINT_PAIRS3(a, b, c, q) a, LD(joint, q), b, LD(joint, SWEPT_ROWS + q), c, LD(joint, 2u * SWEPT_ROWS + q)
#define JOINT_SUM(p, q) sum_of_three(JOINT_PAIRS(p, q))
#define JOINT_SUM3(a, b, c, q) sum_of_three3(JOINT_PAIRS3(a, b, c, q))
#define JOINT_ADD(sum, p, q) add_three(sum, JOINT_PAIRS(p, q))
#define JOINT_ADD3(sum, a, b, c, q) add_three3(sum, JOINT_PAIRS3(a, b, c, q))

// ---- columns ----

// What is known of the columns of a vertex before the joint behind it is, in memory.
#define OPEN_OWN 0u       // its block, lower half (xx yx zx yy zy zz), without the edge behind and the mass
#define OPEN_AT 6u        // of the edge behind, likewise, without the joint behind; negative
#define OPEN_TO 12u       // the next vertex with this one, by rows, without the edge behind; negative
#define OPEN_ANGLE 21u    // the angle of the edge behind, with the edge before
#define OPEN_ANGLE_AT 24u // and with itself
#define OPEN_FORCE_BEFORE 27u
#define OPEN_FORCE 30u // of the edge behind
#define OPEN_ANGLE2 33u
#define OPEN_TORQUE 34u
#define OPEN_SWERVE 35u
#define OPEN_ROWS 36u

FN void sweep_nothing(buffer_ref open) {
    for (uint r = 0u; r < OPEN_ROWS; r++) ST(open, r, R(0.0f));
}

// The row of the next vertex' coordinate r with the edge before: of the next vertex with this one, and of the one after it,
// which is negative.
#define SWEEP_ROW(r, at_x, at_y, at_z)                                                                                 \
    {                                                                                                                  \
        real x = LD(joint, SWEPT_N + r);                                                                               \
        real y = LD(joint, SWEPT_ROWS + SWEPT_N + r);                                                                  \
        real z = LD(joint, 2u * SWEPT_ROWS + SWEPT_N + r);                                                             \
        real3 row = add_three3(zero, a, -x, b, -y, c, -z);                                                             \
        real3 to = sub3(sub3(vec3(at_x, at_y, at_z), LD3(open, OPEN_TO + 3u * r)), row);                               \
        ST(matrix, 4u + r, to.x);                                                                                      \
        ST(matrix, BAND_ROWS + 3u + r, to.y);                                                                          \
        ST(matrix, 2u * BAND_ROWS + 2u + r, to.z);                                                                     \
        ST(matrix, 8u + r, row.x);                                                                                     \
        ST(matrix, BAND_ROWS + 7u + r, row.y);                                                                         \
        ST(matrix, 2u * BAND_ROWS + 6u + r, row.z);                                                                    \
        ST3(open, OPEN_TO + 3u * r, row);                                                                              \
    }

// The columns of a vertex become whole by the joint behind. work, diagonal: the vertex' surfaces, and its mass with what else
// there is; angle2: of the edge behind. `open` becomes the next vertex', as far as the edge before it goes.
SWEEP_FN void sweep_columns(buffer_ref matrix, buffer_ref open, buffer_ref joint, buffer_ref work, real diagonal,
                            real angle2) {
    real3 a = LD3(joint, SWEPT_E);
    real3 b = LD3(joint, SWEPT_ROWS + SWEPT_E);
    real3 c = LD3(joint, 2u * SWEPT_ROWS + SWEPT_E);
    real3 zero = vec3(R(0.0f), R(0.0f), R(0.0f));
    real3 angle = JOINT_ADD3(LD3(open, OPEN_ANGLE_AT), a, b, c, SWEPT_E_ANGLE);
    real3 angle_own = sub3(LD3(open, OPEN_ANGLE), angle);
    ST(matrix, 3u, angle_own.x);
    ST(matrix, BAND_ROWS + 2u, angle_own.y);
    ST(matrix, 2u * BAND_ROWS + 1u, angle_own.z);
    ST3(open, OPEN_ANGLE_AT, angle); // for sweep_angles
    real3 angle_next = JOINT_SUM3(a, b, c, SWEPT_N_ANGLE);
    ST(matrix, 7u, -angle_next.x);
    ST(matrix, BAND_ROWS + 6u, -angle_next.y);
    ST(matrix, 2u * BAND_ROWS + 5u, -angle_next.z);
    ST3(open, OPEN_ANGLE, angle_next);
    ST3(open, OPEN_FORCE, JOINT_ADD3(LD3(open, OPEN_FORCE), a, b, c, SWEPT_STRESS));
    real xx = add_three(LD(open, OPEN_AT), -a.x, a.x, -b.x, b.x, -c.x, c.x); // of the edge, whole; negative
    real yx = add_three(LD(open, OPEN_AT + 1u), -a.y, a.x, -b.y, b.x, -c.y, c.x);
    real zx = add_three(LD(open, OPEN_AT + 2u), -a.z, a.x, -b.z, b.x, -c.z, c.x);
    real yy = add_three(LD(open, OPEN_AT + 3u), -a.y, a.y, -b.y, b.y, -c.y, c.y);
    real zy = add_three(LD(open, OPEN_AT + 4u), -a.z, a.y, -b.z, b.y, -c.z, c.y);
    real zz = add_three(LD(open, OPEN_AT + 5u), -a.z, a.z, -b.z, b.z, -c.z, c.z);
    ST(matrix, 0u, LD(open, OPEN_OWN) - xx + LD(work, WORK_TOUCH) + diagonal);
    ST(matrix, 1u, LD(open, OPEN_OWN + 1u) - yx + LD(work, WORK_TOUCH + 1u));
    ST(matrix, 2u, LD(open, OPEN_OWN + 2u) - zx + LD(work, WORK_TOUCH + 2u));
    ST(matrix, BAND_ROWS, LD(open, OPEN_OWN + 3u) - yy + LD(work, WORK_TOUCH + 3u) + diagonal);
    ST(matrix, BAND_ROWS + 1u, LD(open, OPEN_OWN + 4u) - zy + LD(work, WORK_TOUCH + 4u));
    ST(matrix, 2u * BAND_ROWS, LD(open, OPEN_OWN + 5u) - zz + LD(work, WORK_TOUCH + 5u) + diagonal);
    SWEEP_ROW(0u, xx, yx, zx)
    SWEEP_ROW(1u, yx, yy, zy)
    SWEEP_ROW(2u, zx, zy, zz)
    ST(open, OPEN_OWN, fma_(R(2.0f), LD(open, OPEN_TO), -xx));
    ST(open, OPEN_OWN + 1u, LD(open, OPEN_TO + 1u) + LD(open, OPEN_TO + 3u) - yx);
    ST(open, OPEN_OWN + 2u, LD(open, OPEN_TO + 2u) + LD(open, OPEN_TO + 6u) - zx);
    ST(open, OPEN_OWN + 3u, fma_(R(2.0f), LD(open, OPEN_TO + 4u), -yy));
    ST(open, OPEN_OWN + 4u, LD(open, OPEN_TO + 5u) + LD(open, OPEN_TO + 7u) - zy);
    ST(open, OPEN_OWN + 5u, fma_(R(2.0f), LD(open, OPEN_TO + 8u), -zz));
    uint m = 3u * BAND_ROWS;
    ST(matrix, m, JOINT_ADD(angle2, SWEPT_E_ANGLE, SWEPT_E_ANGLE));
    ST(matrix, m + 4u, JOINT_SUM(SWEPT_E_ANGLE, SWEPT_N_ANGLE));
}

// The rest of the columns, and what the edge behind the next vertex begins: its stretch, and the joint at that vertex.
SWEEP_FN void sweep_begin(buffer_ref matrix, buffer_ref open, buffer_ref joint, buffer_ref rods, buffer_ref edge,
                          rod_step s) {
    real3 a = LD3(joint, SWEPT_N);
    real3 b = LD3(joint, SWEPT_ROWS + SWEPT_N);
    real3 c = LD3(joint, 2u * SWEPT_ROWS + SWEPT_N);
    real3 second = JOINT_SUM3(a, b, c, SWEPT_E_ANGLE);
    real3 next = sub3(LD3(open, OPEN_ANGLE_AT), second);
    ST3(matrix, 3u * BAND_ROWS + 1u, next);
    ST3(matrix, 3u * BAND_ROWS + 5u, second);
    ST3(open, OPEN_ANGLE_AT, JOINT_SUM3(a, b, c, SWEPT_N_ANGLE));
    real3 tangent = LD3(edge, SWEEP_TANGENT);
    real scale = min_(LD(rods, ROD_STRETCH) * s.scale_inverse, s.stiffest) * s.weight;
    real longer = LD(edge, SWEEP_LONGER);
    real3 stretch = mul3(tangent, scale);
    real stress = fma_(fused_dot3(tangent, LD3(edge, SWEEP_RATE)), s.damping, longer) * scale;
    real tension = max_(longer, R(0.0f)) * LD(edge, SWEEP_INVERSE) * (scale * scale);
    ST3(open, OPEN_FORCE_BEFORE, LD3(open, OPEN_FORCE));
    ST3(open, OPEN_FORCE, fma3(stretch, stress, JOINT_SUM3(a, b, c, SWEPT_STRESS)));
    real zero = R(0.0f);
    ST(open, OPEN_AT, fma_(-stretch.x, stretch.x, add_three(-tension, -a.x, a.x, -b.x, b.x, -c.x, c.x)));
    ST(open, OPEN_AT + 1u, fma_(-stretch.y, stretch.x, add_three(zero, -a.y, a.x, -b.y, b.x, -c.y, c.x)));
    ST(open, OPEN_AT + 2u, fma_(-stretch.z, stretch.x, add_three(zero, -a.z, a.x, -b.z, b.x, -c.z, c.x)));
    ST(open, OPEN_AT + 3u, fma_(-stretch.y, stretch.y, add_three(-tension, -a.y, a.y, -b.y, b.y, -c.y, c.y)));
    ST(open, OPEN_AT + 4u, fma_(-stretch.z, stretch.y, add_three(zero, -a.z, a.y, -b.z, b.y, -c.z, c.y)));
    ST(open, OPEN_AT + 5u, fma_(-stretch.z, stretch.z, add_three(-tension, -a.z, a.z, -b.z, b.z, -c.z, c.z)));
    ST(open, OPEN_ANGLE2, JOINT_SUM(SWEPT_N_ANGLE, SWEPT_N_ANGLE));
    ST(open, OPEN_TORQUE, JOINT_SUM(SWEPT_N_ANGLE, SWEPT_STRESS));
}

// Columns of vertices that are held or beyond the end, or next to some: what does not move has no part in them but its mass.
// here, next, second: rod_free of the vertex and the two after it. diagonal: as sweep_columns had it. Zero is added because
// the sign of a zero may depend on what else is in the pack.
SWEEP_FN void sweep_hold(buffer_ref matrix, buffer_ref vector, real diagonal, real here, real next, real second) {
    real none = R(0.0f);
    real both_next = here * next;
    real both_second = here * second;
    for (uint c = 0u; c < 3u; c++) {
        uint m = c * BAND_ROWS;
        uint own = 3u - c; // rows of the vertex itself below the diagonal, and that of its angle
        ST(matrix, m, sel(lt(R(0.5f), here), LD(matrix, m), diagonal));
        for (uint r = 1u; r <= own; r++) ST(matrix, m + r, fma_(LD(matrix, m + r), here, none));
        for (uint r = own + 1u; r <= own + 3u; r++) ST(matrix, m + r, fma_(LD(matrix, m + r), both_next, none));
        ST(matrix, m + own + 4u, fma_(LD(matrix, m + own + 4u), here, none));
        for (uint r = own + 5u; r <= own + 7u; r++) ST(matrix, m + r, fma_(LD(matrix, m + r), both_second, none));
    }
    for (uint r = 0u; r < 3u; r++) ST(vector, r, fma_(LD(vector, r), here, none));
    uint m = 3u * BAND_ROWS;
    for (uint r = 1u; r <= 3u; r++) ST(matrix, m + r, fma_(LD(matrix, m + r), next, none));
    ST(matrix, m + 4u, LD(matrix, m + 4u) + none);
    for (uint r = 5u; r <= 7u; r++) ST(matrix, m + r, fma_(LD(matrix, m + r), second, none));
}
