// Rods, the pieces of the linear system of a step: (M + h (h + d) H) dv = h f - M (v - v0), with H = J^T J from the
// derivatives of the strains (Gauss-Newton, so it is positive definite), d the damping time, and f the forces ahead, where the
// step ends if velocities v stay as they are so far (Huang et al. 2023, eq. 2, as a step of Newton's method for implicit
// Euler; see rod_ahead.h).
//
// Beyond the paper, on the matrix only, which multiplies changes of velocity, so that equilibria stay:
// - a stretched edge's tension resists turning it. Without that part of the Hessian strands that are heavy for their
//   stiffness flutter.
// - a curl that is pulled straight turns about itself at next to no cost of Gauss-Newton's: angles enter that by the
//   curvature that is left, while what turns them, and the vertices with them, grows with the curvature that is gone. Their
//   inertia is next to nothing, so that explicit part goes wild. The square of the bending strain on the angles' diagonal
//   outweighs it.
#ifndef PLAIT_KERNELS_ROD_SYSTEM_H
#define PLAIT_KERNELS_ROD_SYSTEM_H

// What holds for all vertices of a strand.
STRUCT(rod_step)
    real step, damping; // h and d
    real weight;        // sqrt(h (h + d))
    real scale, scale_inverse;
    real stiffest; // the square root of a stiffness that is not exceeded
    real drag;     // 1/s
    real3 gravity, wind;
    lane_uint count, held;
END(rod_step)

STRUCT(rod_edge)
    real3 tangent, m1, m2;
    real present, rest; // its lengths; rest 0: there is no edge
    real inverse;       // of its length
    real3 rate;         // difference of its ends' velocities
    real spin;          // rad/s
    real free;          // 1 over its rest length if its angle is free, else 0
END(rod_edge)

// now: from its first vertex to the next when the step begins. The difference is taken before it goes ahead, because
// coordinates are larger than edges, and rounding is worse for it.
FN rod_edge rod_edge_of(buffer_ref rods, buffer_ref spin, rod_step s, uint row, uint i, real3 now, real3 director,
                        real3 rate) {
    real3 along = add3(now, mul3(rate, s.step));
    rod_edge e;
    e.rest = LD(rods, ROD_ROWS * row + ROD_LENGTH) * s.scale;
    e.present = sqrt_(max_(dot3(along, along), R(1e-24f)));
    // An edge shorter than a hundredth of itself counts as that long: its direction means nothing any more.
    e.inverse = sel(lt(R(0.0f), e.rest), R(1.0f) / max_(e.present, R(0.01f) * e.rest), R(0.0f));
    e.tangent = mul3(along, R(1.0f) / e.present);
    e.m1 = director;
    e.m2 = cross3(e.tangent, e.m1);
    e.rate = rate;
    e.spin = LD(spin, SPIN_ROWS * row + SPIN_RATE);
    mask angle_held = either(below(i + 1u, s.held), not_(below(i + 1u, s.count)));
    e.free = sel(angle_held, R(0.0f), R(1.0f) / max_(e.rest, R(1e-9f)));
    return e;
}

// What comes before the first edge: the clamp at the root, as the bones want it at the end of the step. Its length is one
// metre; no matter, for the root does not move freely.
FN rod_edge rod_clamp(buffer_ref clamps, uint pack) {
    uint row = pack * CLAMP_ROWS;
    rod_edge e;
    e.tangent = LD3(clamps, row + CLAMP_TANGENT);
    e.m1 = LD3(clamps, row + CLAMP_DIRECTOR);
    e.m2 = cross3(e.tangent, e.m1);
    e.present = R(1.0f);
    e.rest = R(1.0f);
    e.inverse = R(1.0f);
    e.rate = LD3(clamps, row + CLAMP_RATE);
    e.spin = LD(clamps, row + CLAMP_SPIN);
    e.free = R(0.0f);
    return e;
}

// Stretching of an edge: what it pulls its first vertex with, its row of J (by the edge), and what its tension adds.
STRUCT(rod_stretch)
    real3 pull, row;
    real tension;
END(rod_stretch)

FN rod_stretch rod_stretch_of(buffer_ref rods, rod_step s, uint row, rod_edge e) {
    real stiffness = min_(LD(rods, ROD_ROWS * row + ROD_STRETCH) * s.scale_inverse, s.stiffest);
    real strain = e.present - e.rest + dot3(e.tangent, e.rate) * s.damping;
    real3 zero = vec3(R(0.0f), R(0.0f), R(0.0f));
    real tension = max_(e.present - e.rest, R(0.0f)) * e.inverse;
    rod_stretch stretch;
    stretch.pull = sel3(lt(R(0.0f), e.rest), mul3(e.tangent, strain * stiffness * stiffness), zero);
    stretch.row = mul3(e.tangent, stiffness * s.weight);
    stretch.tension = tension * stiffness * stiffness * s.weight * s.weight;
    return stretch;
}

// The strains of a joint (two curvatures and twist) with their derivatives, and the square roots of their stiffnesses.
STRUCT(rod_strains)
    rod_joint by;
    real strain1, strain2, twist;
    real bend1, bend2, torsion;
    real swerve; // what goes to the diagonal of the edges' angles, not yet scaled
END(rod_strains)

FN real rod_strain_rate(rod_gradient d, rod_edge e, rod_edge n) {
    return dot3(d.edge, e.rate) + dot3(d.edge_n, n.rate) + d.angle * e.spin + d.angle_n * n.spin;
}

FN rod_strains rod_strains_of(buffer_ref rods, buffer_ref work, rod_step s, uint row, rod_edge last, rod_edge e) {
    uint rod = ROD_ROWS * row;
    rod_joint j = rod_bend(last.tangent, last.m1, last.m2, last.inverse, e.tangent, e.m1, e.m2, e.inverse);
    rod_strains r;
    r.by = j;
    r.strain1 = j.curvature1 - LD(rods, rod + ROD_CURVATURE1) + rod_strain_rate(j.d1, last, e) * s.damping;
    r.strain2 = j.curvature2 - LD(rods, rod + ROD_CURVATURE2) + rod_strain_rate(j.d2, last, e) * s.damping;
    r.twist = LD(work, WORK_ROWS * row + WORK_TWIST) - LD(rods, rod + ROD_TWIST) +
              rod_strain_rate(j.twist, last, e) * s.damping;
    // The sharper a joint, the more its strains change with a vertex's way.
    real stiffest =
        R(0.5f * ROD_STIFFER_JOINTS) * s.stiffest / (j.steep * max_(max_(last.inverse, e.inverse), R(1e-6f)));
    r.bend1 = min_(LD(rods, rod + ROD_BEND1), stiffest);
    r.bend2 = min_(LD(rods, rod + ROD_BEND2), stiffest);
    r.torsion = min_(LD(rods, rod + ROD_TORSION), stiffest);
    real moment1 = r.bend1 * r.strain1 * s.weight;
    real moment2 = r.bend2 * r.strain2 * s.weight;
    r.swerve = moment1 * moment1 + moment2 * moment2;
    return r;
}

// A strain's row of J.
FN rod_gradient rod_row(rod_gradient d, real stiffness, real weight, real angle_free, real angle_free_n) {
    real scale = stiffness * weight;
    rod_gradient row;
    row.edge = mul3(d.edge, scale);
    row.edge_n = mul3(d.edge_n, scale);
    row.angle = d.angle * scale * angle_free;
    row.angle_n = d.angle_n * scale * angle_free_n;
    return row;
}

// What a strain pulls at, by role: the vertices before, at and after the joint, and the edges' angles.
STRUCT(rod_pull)
    real3 before, at, after;
    real angle, angle_n;
END(rod_pull)

// Stress times derivative.
FN rod_pull rod_pull_of(rod_gradient d, real stiffness, real strain, real angle_free, real angle_free_n) {
    real stress = strain * stiffness * stiffness;
    rod_pull p;
    p.before = mul3(d.edge, stress);
    p.after = mul3(d.edge_n, -stress);
    p.at = mul3(add3(p.before, p.after), R(-1.0f));
    p.angle = d.angle * stress * -angle_free;
    p.angle_n = d.angle_n * stress * -angle_free_n;
    return p;
}

FN rod_pull rod_add_pull(rod_pull a, rod_pull b) {
    a.before = add3(a.before, b.before);
    a.at = add3(a.at, b.at);
    a.after = add3(a.after, b.after);
    a.angle = a.angle + b.angle;
    a.angle_n = a.angle_n + b.angle_n;
    return a;
}

// Acceleration of a vertex that forces, weight and air give it, were it alone.
FN real3 rod_acceleration(rod_step s, real3 force, real mass, real3 velocity) {
    return add3(add3(mul3(force, R(1.0f) / mass), s.gravity), mul3(sub3(s.wind, velocity), s.drag));
}

// 3x3 blocks by rows; the outer product a b^T is added with rod_outer.
STRUCT(rod_block)
    real3 x, y, z;
END(rod_block)

FN rod_block rod_outer(rod_block m, real3 a, real3 b) {
    m.x = fma3(b, a.x, m.x);
    m.y = fma3(b, a.y, m.y);
    m.z = fma3(b, a.z, m.z);
    return m;
}

FN rod_block rod_no_block() {
    rod_block m;
    m.x = vec3(R(0.0f), R(0.0f), R(0.0f));
    m.y = m.x;
    m.z = m.x;
    return m;
}

// 1 for a vertex that moves, 0 for one that is held or beyond the end.
FN real rod_free(rod_step s, uint i) { return sel(both(below(i, s.count), not_(below(i, s.held))), R(1.0f), R(0.0f)); }

// The columns of a vertex and of the edge behind it: what they have to do with themselves, the next vertex and edge, and
// the vertex after that. All three joints that they belong to are gathered, so nothing is added up in memory.
STRUCT(rod_column)
    rod_block own;
    rod_block to_next;   // rows: the next vertex; columns: this one
    rod_block to_second; // rows: the one after that
    real3 angle_own;     // this edge's angle with this vertex
    real3 angle_next;    // the next edge's angle with this vertex
    real3 edge_next;     // the next vertex with this edge's angle
    real3 edge_second;
    real angle_angle, angle_angle_next;
    real diagonal; // of the vertex, beside what is in `own`
END(rod_column)

FN rod_column rod_no_column(real swerve) {
    rod_column m;
    m.own = rod_no_block();
    m.to_next = rod_no_block();
    m.to_second = rod_no_block();
    m.angle_own = vec3(R(0.0f), R(0.0f), R(0.0f));
    m.angle_next = m.angle_own;
    m.edge_next = m.angle_own;
    m.edge_second = m.angle_own;
    m.angle_angle = swerve;
    m.angle_angle_next = R(0.0f);
    m.diagonal = R(0.0f);
    return m;
}

// A strain of the joint before, of which the column has the second edge's end; of the joint at the vertex; and of the one
// behind. here, next, second: rod_free of the vertex and the two after it.
FN rod_column rod_add_before(rod_column m, real3 edge_n, real here) {
    real3 c = mul3(edge_n, here);
    m.own = rod_outer(m.own, c, c);
    return m;
}

FN rod_column rod_add_at(rod_column m, real3 edge, real3 edge_n, real angle_n, real here, real next) {
    real3 b = mul3(sub3(edge, edge_n), here);
    real3 c = mul3(edge_n, next);
    m.own = rod_outer(m.own, b, b);
    m.angle_own = fma3(b, angle_n, m.angle_own);
    m.angle_angle = m.angle_angle + angle_n * angle_n;
    m.to_next = rod_outer(m.to_next, c, b);
    m.edge_next = fma3(c, angle_n, m.edge_next);
    return m;
}

FN rod_column rod_add_behind(rod_column m, rod_gradient row, real here, real next, real second) {
    real3 a = mul3(row.edge, -here);
    real3 b = mul3(sub3(row.edge, row.edge_n), next);
    real3 c = mul3(row.edge_n, second);
    m.own = rod_outer(m.own, a, a);
    m.angle_own = fma3(a, row.angle, m.angle_own);
    m.angle_angle = m.angle_angle + row.angle * row.angle;
    m.to_next = rod_outer(m.to_next, b, a);
    m.angle_next = fma3(a, row.angle_n, m.angle_next);
    m.edge_next = fma3(b, row.angle, m.edge_next);
    m.angle_angle_next = m.angle_angle_next + row.angle * row.angle_n;
    m.to_second = rod_outer(m.to_second, c, a);
    m.edge_second = fma3(c, row.angle, m.edge_second);
    return m;
}

// The vertex itself and the tension of the edge behind it; then the edges.
FN rod_column rod_add_vertex(rod_column m, rod_step s, rod_touch touch, real mass, real tension, real here) {
    m.diagonal = mass + mass * (s.step * s.drag) + tension * here;
    m.own.x = add3(m.own.x, mul3(vec3(touch.xx, touch.xy, touch.xz), here));
    m.own.y = add3(m.own.y, mul3(vec3(touch.xy, touch.yy, touch.yz), here));
    m.own.z = add3(m.own.z, mul3(vec3(touch.xz, touch.yz, touch.zz), here));
    return m;
}

FN rod_column rod_add_edge_before(rod_column m, real3 stretch, real tension, real here) {
    real3 stretch_here = mul3(stretch, here);
    m.own = rod_outer(m.own, stretch_here, stretch_here);
    m.diagonal = m.diagonal + tension * here;
    return m;
}

FN rod_column rod_add_edge(rod_column m, real3 stretch, real tension, real here, real next) {
    real3 stretch_here = mul3(stretch, -here);
    m.own = rod_outer(m.own, stretch_here, stretch_here);
    m.to_next = rod_outer(m.to_next, mul3(stretch, next), stretch_here);
    real tension_next = tension * here * next;
    m.to_next.x.x = m.to_next.x.x - tension_next;
    m.to_next.y.y = m.to_next.y.y - tension_next;
    m.to_next.z.z = m.to_next.z.z - tension_next;
    return m;
}

FN void rod_store_column(buffer_ref matrix, uint row, rod_column c, real inertia) {
    uint m = 4u * row * BAND_ROWS;
    real none = R(0.0f);
    ST(matrix, m, c.own.x.x + c.diagonal);
    ST(matrix, m + 1u, c.own.y.x);
    ST(matrix, m + 2u, c.own.z.x);
    ST(matrix, m + 3u, c.angle_own.x);
    ST(matrix, m + 4u, c.to_next.x.x);
    ST(matrix, m + 5u, c.to_next.y.x);
    ST(matrix, m + 6u, c.to_next.z.x);
    ST(matrix, m + 7u, c.angle_next.x);
    ST(matrix, m + 8u, c.to_second.x.x);
    ST(matrix, m + 9u, c.to_second.y.x);
    ST(matrix, m + 10u, c.to_second.z.x);
    m = m + BAND_ROWS;
    ST(matrix, m, c.own.y.y + c.diagonal);
    ST(matrix, m + 1u, c.own.z.y);
    ST(matrix, m + 2u, c.angle_own.y);
    ST(matrix, m + 3u, c.to_next.x.y);
    ST(matrix, m + 4u, c.to_next.y.y);
    ST(matrix, m + 5u, c.to_next.z.y);
    ST(matrix, m + 6u, c.angle_next.y);
    ST(matrix, m + 7u, c.to_second.x.y);
    ST(matrix, m + 8u, c.to_second.y.y);
    ST(matrix, m + 9u, c.to_second.z.y);
    ST(matrix, m + 10u, none);
    m = m + BAND_ROWS;
    ST(matrix, m, c.own.z.z + c.diagonal);
    ST(matrix, m + 1u, c.angle_own.z);
    ST(matrix, m + 2u, c.to_next.x.z);
    ST(matrix, m + 3u, c.to_next.y.z);
    ST(matrix, m + 4u, c.to_next.z.z);
    ST(matrix, m + 5u, c.angle_next.z);
    ST(matrix, m + 6u, c.to_second.x.z);
    ST(matrix, m + 7u, c.to_second.y.z);
    ST(matrix, m + 8u, c.to_second.z.z);
    ST(matrix, m + 9u, none);
    ST(matrix, m + 10u, none);
    m = m + BAND_ROWS;
    ST(matrix, m, c.angle_angle + inertia);
    ST(matrix, m + 1u, c.edge_next.x);
    ST(matrix, m + 2u, c.edge_next.y);
    ST(matrix, m + 3u, c.edge_next.z);
    ST(matrix, m + 4u, c.angle_angle_next);
    ST(matrix, m + 5u, c.edge_second.x);
    ST(matrix, m + 6u, c.edge_second.y);
    ST(matrix, m + 7u, c.edge_second.z);
    ST(matrix, m + 8u, none);
    ST(matrix, m + 9u, none);
    ST(matrix, m + 10u, none);
}

// The right-hand side of a vertex: force times step, less what its velocity has changed by already.
FN real3 rod_push(rod_step s, real3 force, real mass, real3 velocity, real3 start, rod_touch touch, real here) {
    real3 acceleration = rod_acceleration(s, force, mass, velocity);
    real3 impulse = mul3(sub3(mul3(acceleration, s.step), sub3(velocity, start)), mass);
    return mul3(add3(impulse, touch.push), here);
}

FN rod_step rod_step_of(buffer_ref strands, buffer_ref held, buffer_ref roots, buffer_ref constants, buffer_ref care,
                        buffer_ref frame, uint pack) {
    uint row = pack * HYBRID_ROWS;
    rod_step s;
    real parts = rod_parts(care, pack);
    s.step = UNIFORM(frame, FRAME_STEP) / parts;
    s.damping = LD(constants, row + HYBRID_DAMPING);
    // In four parts and still in trouble: a coil that is tied up in itself whips for ever, unless what bends it is slowed.
    real whole = s.step * parts;
    s.damping = sel(lt(R(3.5f), parts), max_(s.damping, whole), s.damping);
    s.weight = sqrt_(s.step * (s.step + s.damping));
    s.scale = LD(roots, pack * ROOT_ROWS + ROOT_SCALE);
    s.scale_inverse = R(1.0f) / s.scale;
    s.stiffest = LD(constants, row + HYBRID_LIGHTEST) * R(ROD_STIFFEST) / s.weight;
    s.drag = LD(constants, row + HYBRID_DRAG);
    s.gravity = UNIFORM3(frame, FRAME_GRAVITY);
    s.wind = UNIFORM3(frame, FRAME_WIND);
    s.count = LD_UINT(strands, pack * STRAND_UINT_ROWS + STRAND_VERTICES);
    s.held = LD_UINT(held, pack);
    return s;
}

#endif
