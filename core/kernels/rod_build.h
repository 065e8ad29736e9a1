// Rods, construction of the linear system of a step: (M + h (h + d) H) dv = h f, with H = J^T J from the derivatives of the
// strains (Gauss-Newton, so it is positive definite), d the damping time, and f the forces at the end of the step if
// velocities stayed as they are (Huang et al. 2023, eq. 2, written for the change of velocity: what float32 rounds off the
// matrix then spoils a step by a part of that change, not the equilibrium).
//
// Beyond the paper:
// - a surface that a vertex touches is part of the system: a stiff spring along its normal while it is entered, and friction
//   as a force against the slip whose size follows from how deep the vertex lies. Contacts that act on velocities after the
//   solution only make resting strands tremble by centimetres a second, because each solution pushes in anew.
// - a stretched edge's tension resists turning it. Without that part of the Hessian strands that are heavy for their
//   stiffness flutter.
// - a curl that is pulled straight turns about itself at next to no cost of Gauss-Newton's: angles enter that by the
//   curvature that is left, while what turns them, and the vertices with them, grows with the curvature that is gone. Their
//   inertia is next to nothing, so that explicit part goes wild: hanging curls of six turns never came to rest, and some
//   became infinite. The square of the bending strain on the angles' diagonal outweighs it. It multiplies changes of
//   velocity only, so equilibria stay.

// What holds for all vertices of a strand.
STRUCT(rod_step)
    real step, ahead; // h, and h + d: how far strains are looked ahead
    real weight;      // sqrt(h (h + d))
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

// `along`: from its first vertex to the next.
FN rod_edge rod_edge_of(buffer_ref rods, buffer_ref spin, rod_step s, uint row, uint i, real3 along, real3 director,
                        real3 rate) {
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

// What comes before the first edge.
FN rod_edge rod_no_edge() {
    rod_edge e;
    e.tangent = vec3(R(0.0f), R(0.0f), R(0.0f));
    e.m1 = e.tangent;
    e.m2 = e.tangent;
    e.present = R(0.0f);
    e.rest = R(0.0f);
    e.inverse = R(0.0f);
    e.rate = e.tangent;
    e.spin = R(0.0f);
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
    real strain = e.present - e.rest + dot3(e.tangent, e.rate) * s.ahead;
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
    real swerve; // of the joint, not yet scaled
END(rod_strains)

FN real rod_strain_ahead(rod_gradient d, rod_edge e, rod_edge n, real ahead) {
    real rate = dot3(d.edge, e.rate) + dot3(d.edge_n, n.rate) + d.angle * e.spin + d.angle_n * n.spin;
    return rate * ahead;
}

FN rod_strains rod_strains_of(buffer_ref rods, buffer_ref spin, rod_step s, uint row, rod_edge last, rod_edge e) {
    uint rod = ROD_ROWS * row;
    rod_joint j = rod_bend(last.tangent, last.m1, last.m2, last.inverse, e.tangent, e.m1, e.m2, e.inverse);
    rod_strains r;
    r.by = j;
    r.strain1 = j.curvature1 - LD(rods, rod + ROD_CURVATURE1) + rod_strain_ahead(j.d1, last, e, s.ahead);
    r.strain2 = j.curvature2 - LD(rods, rod + ROD_CURVATURE2) + rod_strain_ahead(j.d2, last, e, s.ahead);
    r.twist = LD(spin, SPIN_ROWS * row + SPIN_TWIST) - LD(rods, rod + ROD_TWIST) +
              rod_strain_ahead(j.twist, last, e, s.ahead);
    // The sharper a joint, the more its strains change with a vertex's way: folded ones by a thousand times.
    real steep = max_(max_(dot3(j.d1.edge, j.d1.edge), dot3(j.d1.edge_n, j.d1.edge_n)),
                      max_(dot3(j.d2.edge, j.d2.edge), dot3(j.d2.edge_n, j.d2.edge_n)));
    steep = max_(steep, max_(last.free * last.free, e.free * e.free));
    real stiffest = R(0.5f) * s.stiffest / sqrt_(max_(steep, R(1e-12f)));
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
                   buffer_ref vector, rod_step s, uint first, uint vertices) {
    rod_edge last = rod_no_edge();
    real last_swerve = R(0.0f);
    real3 force_before = vec3(R(0.0f), R(0.0f), R(0.0f));
    real3 force = force_before;
    real torque_before = R(0.0f);
    real3 x = LD3(positions, 3u * first);
    real3 v = LD3(velocities, 3u * first);
    for (uint i = 0u; i < vertices; i++) {
        uint row = first + i;
        uint at = WORK_ROWS * row;
        uint next_row = i + 1u < vertices ? row + 1u : row;
        real3 x_next = LD3(positions, 3u * next_row);
        real3 v_next = LD3(velocities, 3u * next_row);
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

        rod_strains j = rod_strains_of(rods, spin, s, row, last, e);
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

// Acceleration of a vertex that forces, weight and air give it, were it alone.
FN real3 rod_acceleration(rod_step s, real3 force, real mass, real3 velocity) {
    return add3(add3(mul3(force, R(1.0f) / mass), s.gravity), mul3(sub3(s.wind, velocity), s.drag));
}

// What a surface adds to the system of a vertex: h^2 k along its normal, h c across it, and an impulse.
STRUCT(rod_touch)
    real3 normal;
    real along, across;
    real3 impulse;
END(rod_touch)

// A surface is as stiff as this many of its vertex' masses over the step squared: ten weights press it in by 27 um at 60
// steps a second, and what float32 rounds off a position a metre from the origin is a thirtieth of a weight.
#define CONTACT_STIFFNESS 1e3f
#define CONTACT_CREEP 1e-5f // m/s: friction that holds lets slip this fast at most
#define CONTACT_GRIP 1e5f

FN rod_touch rod_touch_of(buffer_ref work, uint at, real mass, real3 velocity, real step) {
    rod_touch c;
    c.normal = LD3(work, at + WORK_NORMAL);
    real gap = LD(work, at + WORK_GAP);
    real3 relative = sub3(velocity, LD3(work, at + WORK_SURFACE));
    real approaching = dot3(relative, c.normal);
    real ahead = gap + approaching * step;
    mask enters = both(lt(R(0.5f), dot3(c.normal, c.normal)), lt(ahead, R(0.0f)));
    real3 slip = sub3(relative, mul3(c.normal, approaching));
    real stiffness = mass * CONTACT_STIFFNESS;
    // What presses: the depth that earlier steps have come to, and what stops the vertex now. Times the step.
    real load = (stiffness * max_(-gap, R(0.0f)) + mass * max_(-approaching * step, R(0.0f))) / step;
    real grip = LD(work, at + WORK_FRICTION) * load / max_(sqrt_(dot3(slip, slip)), R(CONTACT_CREEP));
    c.along = sel(enters, stiffness, R(0.0f));
    c.across = sel(enters, min_(grip, mass * CONTACT_GRIP), R(0.0f));
    c.impulse = mul3(add3(mul3(c.normal, c.along * ahead / step), mul3(slip, c.across)), R(-1.0f));
    return c;
}

// 3x3 blocks by rows; the outer product a b^T is added with rod_outer.
STRUCT(rod_block)
    real3 x, y, z;
END(rod_block)

FN real3 fma3(real3 a, real b, real3 c) { return vec3(fma_(a.x, b, c.x), fma_(a.y, b, c.y), fma_(a.z, b, c.z)); }

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
    real across = touch.across * here;
    m.diagonal = mass + mass * (s.step * s.drag) + across;
    m.own = rod_outer(m.own, mul3(touch.normal, touch.along * here - across), touch.normal);
    m.diagonal = m.diagonal + tension * here;
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

// The right-hand side of a vertex: force times step.
FN real3 rod_push(rod_step s, real3 force, real mass, real3 velocity, rod_touch touch, real here) {
    real3 acceleration = rod_acceleration(s, force, mass, velocity);
    return mul3(add3(mul3(acceleration, s.step * mass), touch.impulse), here);
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
    rod_touch touch = rod_touch_of(work, WORK_ROWS * row, mass, velocity, s.step);
    real tension = LD(work, WORK_ROWS * row + WORK_TENSION);
    m = rod_add_vertex(m, s, touch, mass, tension, here);
    if (i > 0u)
        m = rod_add_edge_before(m, LD3(work, WORK_ROWS * (row - 1u) + WORK_EDGE),
                                LD(work, WORK_ROWS * (row - 1u) + WORK_TENSION), here);
    m = rod_add_edge(m, LD3(work, WORK_ROWS * row + WORK_EDGE), tension, here, next);
    rod_store_column(matrix, row, m, LD(rods, ROD_ROWS * row + ROD_INERTIA));
    real3 push = rod_push(s, LD3(vector, 4u * row), mass, velocity, touch, here);
    ST3(vector, 4u * row, push);
    real torque = LD(vector, 4u * row + 3u) * s.step;
    ST(vector, 4u * row + 3u, torque);
}

FN rod_step rod_step_of(buffer_ref strands, buffer_ref roots, buffer_ref constants, buffer_ref frame, uint pack) {
    uint row = pack * HYBRID_ROWS;
    rod_step s;
    s.step = UNIFORM(frame, FRAME_STEP);
    real damping = LD(constants, row + HYBRID_DAMPING);
    s.ahead = s.step + damping;
    s.weight = sqrt_(s.step * s.ahead);
    s.scale = LD(roots, pack * ROOT_ROWS + ROOT_SCALE);
    s.scale_inverse = R(1.0f) / s.scale;
    s.stiffest = LD(constants, row + HYBRID_LIGHTEST) * R(ROD_STIFFEST) / s.weight;
    s.drag = LD(constants, row + HYBRID_DRAG);
    s.gravity = UNIFORM3(frame, FRAME_GRAVITY);
    s.wind = UNIFORM3(frame, FRAME_WIND);
    s.count = LD_UINT(strands, pack * STRAND_UINT_ROWS + STRAND_VERTICES);
    s.held = LD_UINT(strands, pack * STRAND_UINT_ROWS + STRAND_HELD);
    return s;
}

KERNEL(rod_build) {
    uint pack = PACK(item);
    uint first = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_FIRST);
    uint vertices = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_VERTICES);
    rod_step s = rod_step_of(BUF(strands), BUF(roots), BUF(constants), BUF(frame), pack);
    rod_forces(BUF(positions), BUF(velocities), BUF(spin), BUF(rods), BUF(work), BUF(right), s, first, vertices);
    for (uint i = 0u; i < vertices; i++)
        rod_columns(BUF(rods), BUF(work), BUF(system), BUF(right), BUF(velocities), s, first, vertices, i);
}
