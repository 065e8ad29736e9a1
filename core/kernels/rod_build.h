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

#define BUILD_PACKS BUF(0)
#define BUILD_STRANDS BUF(1)
#define BUILD_POSITIONS BUF(2)
#define BUILD_VELOCITIES BUF(3)
#define BUILD_ROOTS BUF(4)
#define BUILD_CONSTANTS BUF(5)
#define BUILD_FRAME BUF(6)
#define BUILD_SPIN BUF(7)
#define BUILD_RODS BUF(8)
#define BUILD_WORK BUF(9)
#define BUILD_MATRIX BUF(10)
#define BUILD_VECTOR BUF(11)

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
    real inverse; // of its length
    real3 rate;   // difference of its ends' velocities
    real spin;    // rad/s
END(rod_edge)

// What a strain pulls at, by role: the vertices before, at and after the joint, and the edges' angles.
STRUCT(rod_pull)
    real3 before, at, after;
    real angle, angle_n;
END(rod_pull)

FN real rod_strain_ahead(rod_gradient d, rod_edge e, rod_edge n, real ahead) {
    real rate = dot3(d.edge, e.rate) + dot3(d.edge_n, n.rate) + d.angle * e.spin + d.angle_n * n.spin;
    return rate * ahead;
}

// Stores a strain's row of J and gives what it pulls with: stress times derivative.
FN rod_pull rod_store_strain(buffer_ref work, uint at, rod_gradient d, real stiffness, real strain, real weight,
                             real angle_free, real angle_free_n) {
    real stress = strain * stiffness * stiffness;
    real row = stiffness * weight;
    ST3(work, at, mul3(d.edge, row));
    ST3(work, at + 3u, mul3(d.edge_n, row));
    ST(work, at + 6u, d.angle * row * angle_free);
    ST(work, at + 7u, d.angle_n * row * angle_free_n);
    rod_pull p;
    p.before = mul3(d.edge, stress);
    p.after = mul3(d.edge_n, -stress);
    p.at = mul3(add3(p.before, p.after), R(-1.0f));
    p.angle = d.angle * stress * -angle_free;
    p.angle_n = d.angle_n * stress * -angle_free_n;
    return p;
}

// Strains, their derivatives and the forces on all vertices, which go to the right-hand side's rows.
FN void rod_forces(buffer_ref positions, buffer_ref velocities, buffer_ref spin, buffer_ref rods, buffer_ref work,
                   buffer_ref vector, rod_step s, uint first, uint vertices) {
    real3 zero = vec3(R(0.0f), R(0.0f), R(0.0f));
    rod_edge last;
    last.tangent = zero;
    last.m1 = zero;
    last.m2 = zero;
    last.inverse = R(0.0f);
    last.rate = zero;
    last.spin = R(0.0f);
    real last_free = R(0.0f);   // 1 over the length of the last edge if its angle is free, else 0
    real last_swerve = R(0.0f); // of the last joint, not yet scaled
    real3 force_before = zero;
    real3 force = zero;
    real torque_before = R(0.0f);
    real3 x = LD3(positions, 3u * first);
    real3 v = LD3(velocities, 3u * first);
    for (uint i = 0u; i < vertices; i++) {
        uint row = first + i;
        uint rod = ROD_ROWS * row;
        uint at = WORK_ROWS * row;
        uint next_row = i + 1u < vertices ? row + 1u : row;
        real3 x_next = LD3(positions, 3u * next_row);
        real3 v_next = LD3(velocities, 3u * next_row);
        real rest = LD(rods, rod + ROD_LENGTH) * s.scale;
        real3 difference = sub3(x_next, x);
        real length = sqrt_(max_(dot3(difference, difference), R(1e-24f)));
        mask is_edge = lt(R(0.0f), rest);
        // An edge shorter than a hundredth of itself counts as that long: its direction means nothing any more.
        real inverse = sel(is_edge, R(1.0f) / max_(length, R(0.01f) * rest), R(0.0f));
        rod_edge e;
        e.tangent = mul3(difference, R(1.0f) / length);
        e.m1 = LD3(work, at + WORK_DIRECTOR);
        e.m2 = cross3(e.tangent, e.m1);
        e.inverse = inverse;
        e.rate = sub3(v_next, v);
        e.spin = LD(spin, SPIN_ROWS * row + SPIN_RATE);
        mask angle_held = either(below(i + 1u, s.held), not_(below(i + 1u, s.count)));
        real free = sel(angle_held, R(0.0f), R(1.0f) / max_(rest, R(1e-9f)));
        // Padding: no edge, no joint.
        e.tangent = sel3(is_edge, e.tangent, last.tangent);
        e.m1 = sel3(is_edge, e.m1, last.m1);
        e.m2 = sel3(is_edge, e.m2, last.m2);

        real stiffness = min_(LD(rods, rod + ROD_STRETCH) * s.scale_inverse, s.stiffest);
        real stretch = length - rest + dot3(e.tangent, e.rate) * s.ahead;
        real3 pull = sel3(is_edge, mul3(e.tangent, stretch * stiffness * stiffness), zero);
        real tension = max_(length - rest, R(0.0f)) * inverse;
        ST3(work, at + WORK_EDGE, mul3(e.tangent, stiffness * s.weight));
        ST(work, at + WORK_TENSION, tension * stiffness * stiffness * s.weight * s.weight);

        rod_joint j = rod_bend(last.tangent, last.m1, last.m2, last.inverse, e.tangent, e.m1, e.m2, e.inverse);
        real strain1 = j.curvature1 - LD(rods, rod + ROD_CURVATURE1) + rod_strain_ahead(j.d1, last, e, s.ahead);
        real strain2 = j.curvature2 - LD(rods, rod + ROD_CURVATURE2) + rod_strain_ahead(j.d2, last, e, s.ahead);
        real twist = LD(spin, SPIN_ROWS * row + SPIN_TWIST) - LD(rods, rod + ROD_TWIST) +
                     rod_strain_ahead(j.twist, last, e, s.ahead);
        // The sharper a joint, the more its strains change with a vertex's way: folded ones by a thousand times.
        real steep = max_(max_(dot3(j.d1.edge, j.d1.edge), dot3(j.d1.edge_n, j.d1.edge_n)),
                          max_(dot3(j.d2.edge, j.d2.edge), dot3(j.d2.edge_n, j.d2.edge_n)));
        steep = max_(steep, max_(last_free * last_free, free * free));
        real stiffest = R(0.5f) * s.stiffest / sqrt_(max_(steep, R(1e-12f)));
        real bend1 = min_(LD(rods, rod + ROD_BEND1), stiffest);
        real bend2 = min_(LD(rods, rod + ROD_BEND2), stiffest);
        rod_pull p1 = rod_store_strain(work, at + WORK_JOINT, j.d1, bend1, strain1, s.weight, last_free, free);
        rod_pull p2 =
            rod_store_strain(work, at + WORK_JOINT + WORK_STRAIN_ROWS, j.d2, bend2, strain2, s.weight, last_free, free);
        rod_pull p3 = rod_store_strain(work, at + WORK_JOINT + 2u * WORK_STRAIN_ROWS, j.twist,
                                       min_(LD(rods, rod + ROD_TORSION), stiffest), twist, s.weight, last_free, free);

        real moment1 = bend1 * strain1 * s.weight;
        real moment2 = bend2 * strain2 * s.weight;
        real swerve = moment1 * moment1 + moment2 * moment2;
        if (i > 0u) {
            ST(work, at - WORK_ROWS + WORK_SWERVE, (last_swerve + swerve) * last_free * last_free);
            force_before = add3(force_before, add3(add3(p1.before, p2.before), p3.before));
            ST3(vector, 4u * (row - 1u), force_before);
            ST(vector, 4u * (row - 1u) + 3u, torque_before + (p1.angle + p2.angle + p3.angle));
        }
        force_before = add3(add3(force, pull), add3(add3(p1.at, p2.at), p3.at));
        force = sub3(add3(add3(p1.after, p2.after), p3.after), pull);
        torque_before = p1.angle_n + p2.angle_n + p3.angle_n;
        last = e;
        last_free = free;
        last_swerve = swerve;
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

// The columns of vertex i and of the edge behind it: what they have to do with themselves, the next vertex and edge, and
// the vertex after that. All three joints that they belong to are gathered here, so nothing is added up in memory.
FN void rod_columns(buffer_ref rods, buffer_ref work, buffer_ref matrix, buffer_ref vector, buffer_ref velocities,
                    rod_step s, uint first, uint vertices, uint i) {
    uint row = first + i;
    uint at = WORK_ROWS * row + WORK_JOINT;
    uint before = at - WORK_ROWS;
    uint behind = at + WORK_ROWS;
    real3 zero = vec3(R(0.0f), R(0.0f), R(0.0f));
    real here = rod_free(s, i);
    real next = rod_free(s, i + 1u);
    real second = rod_free(s, i + 2u);
    rod_block own = rod_no_block();
    rod_block to_next = rod_no_block();   // rows: the next vertex; columns: this one
    rod_block to_second = rod_no_block(); // rows: the one after that
    real3 angle_own = zero;               // this edge's angle with this vertex
    real3 angle_next = zero;              // the next edge's angle with this vertex
    real3 edge_next = zero;               // the next vertex with this edge's angle
    real3 edge_second = zero;
    real angle_angle = LD(work, WORK_ROWS * row + WORK_SWERVE);
    real angle_angle_next = R(0.0f);
    for (uint k = 0u; k < 3u; k++) {
        uint row_k = WORK_STRAIN_ROWS * k;
        if (i > 0u) {
            real3 c = mul3(LD3(work, before + row_k + 3u), here);
            own = rod_outer(own, c, c);
        }
        real3 edge = LD3(work, at + row_k);
        real3 edge_n = LD3(work, at + row_k + 3u);
        real angle_n = LD(work, at + row_k + 7u);
        real3 b = mul3(sub3(edge, edge_n), here);
        real3 c = mul3(edge_n, next);
        own = rod_outer(own, b, b);
        angle_own = fma3(b, angle_n, angle_own);
        angle_angle = angle_angle + angle_n * angle_n;
        to_next = rod_outer(to_next, c, b);
        edge_next = fma3(c, angle_n, edge_next);
        if (i + 1u < vertices) {
            edge = LD3(work, behind + row_k);
            edge_n = LD3(work, behind + row_k + 3u);
            real angle = LD(work, behind + row_k + 6u);
            angle_n = LD(work, behind + row_k + 7u);
            real3 a = mul3(edge, -here);
            b = mul3(sub3(edge, edge_n), next);
            c = mul3(edge_n, second);
            own = rod_outer(own, a, a);
            angle_own = fma3(a, angle, angle_own);
            angle_angle = angle_angle + angle * angle;
            to_next = rod_outer(to_next, b, a);
            angle_next = fma3(a, angle_n, angle_next);
            edge_next = fma3(b, angle, edge_next);
            angle_angle_next = angle_angle_next + angle * angle_n;
            to_second = rod_outer(to_second, c, a);
            edge_second = fma3(c, angle, edge_second);
        }
    }
    real mass = LD(rods, ROD_ROWS * row + ROD_MASS);
    real3 velocity = LD3(velocities, 3u * row);
    rod_touch touch = rod_touch_of(work, WORK_ROWS * row, mass, velocity, s.step);
    real across = touch.across * here;
    real diagonal = mass + mass * (s.step * s.drag) + across;
    own = rod_outer(own, mul3(touch.normal, touch.along * here - across), touch.normal);
    real tension = LD(work, WORK_ROWS * row + WORK_TENSION) * here;
    diagonal = diagonal + tension;
    if (i > 0u) {
        real3 stretch_before = mul3(LD3(work, WORK_ROWS * (row - 1u) + WORK_EDGE), here);
        own = rod_outer(own, stretch_before, stretch_before);
        diagonal = diagonal + LD(work, WORK_ROWS * (row - 1u) + WORK_TENSION) * here;
    }
    real3 stretch = LD3(work, WORK_ROWS * row + WORK_EDGE);
    real3 stretch_here = mul3(stretch, -here);
    own = rod_outer(own, stretch_here, stretch_here);
    to_next = rod_outer(to_next, mul3(stretch, next), stretch_here);
    real tension_next = tension * next;
    to_next.x.x = to_next.x.x - tension_next;
    to_next.y.y = to_next.y.y - tension_next;
    to_next.z.z = to_next.z.z - tension_next;

    uint m = 4u * row * BAND_ROWS;
    real none = R(0.0f);
    ST(matrix, m, own.x.x + diagonal);
    ST(matrix, m + 1u, own.y.x);
    ST(matrix, m + 2u, own.z.x);
    ST(matrix, m + 3u, angle_own.x);
    ST(matrix, m + 4u, to_next.x.x);
    ST(matrix, m + 5u, to_next.y.x);
    ST(matrix, m + 6u, to_next.z.x);
    ST(matrix, m + 7u, angle_next.x);
    ST(matrix, m + 8u, to_second.x.x);
    ST(matrix, m + 9u, to_second.y.x);
    ST(matrix, m + 10u, to_second.z.x);
    m = m + BAND_ROWS;
    ST(matrix, m, own.y.y + diagonal);
    ST(matrix, m + 1u, own.z.y);
    ST(matrix, m + 2u, angle_own.y);
    ST(matrix, m + 3u, to_next.x.y);
    ST(matrix, m + 4u, to_next.y.y);
    ST(matrix, m + 5u, to_next.z.y);
    ST(matrix, m + 6u, angle_next.y);
    ST(matrix, m + 7u, to_second.x.y);
    ST(matrix, m + 8u, to_second.y.y);
    ST(matrix, m + 9u, to_second.z.y);
    ST(matrix, m + 10u, none);
    m = m + BAND_ROWS;
    ST(matrix, m, own.z.z + diagonal);
    ST(matrix, m + 1u, angle_own.z);
    ST(matrix, m + 2u, to_next.x.z);
    ST(matrix, m + 3u, to_next.y.z);
    ST(matrix, m + 4u, to_next.z.z);
    ST(matrix, m + 5u, angle_next.z);
    ST(matrix, m + 6u, to_second.x.z);
    ST(matrix, m + 7u, to_second.y.z);
    ST(matrix, m + 8u, to_second.z.z);
    ST(matrix, m + 9u, none);
    ST(matrix, m + 10u, none);
    m = m + BAND_ROWS;
    ST(matrix, m, angle_angle + LD(rods, ROD_ROWS * row + ROD_INERTIA));
    ST(matrix, m + 1u, edge_next.x);
    ST(matrix, m + 2u, edge_next.y);
    ST(matrix, m + 3u, edge_next.z);
    ST(matrix, m + 4u, angle_angle_next);
    ST(matrix, m + 5u, edge_second.x);
    ST(matrix, m + 6u, edge_second.y);
    ST(matrix, m + 7u, edge_second.z);
    ST(matrix, m + 8u, none);
    ST(matrix, m + 9u, none);
    ST(matrix, m + 10u, none);

    real3 acceleration = rod_acceleration(s, LD3(vector, 4u * row), mass, velocity);
    real3 push = mul3(add3(mul3(acceleration, s.step * mass), touch.impulse), here);
    ST3(vector, 4u * row, push);
    real torque = LD(vector, 4u * row + 3u) * s.step;
    ST(vector, 4u * row + 3u, torque);
}

KERNEL(rod_build) {
    uint pack = PACK(item);
    uint first = UNIFORM_UINT(BUILD_PACKS, pack * PACK_UINTS + PACK_FIRST);
    uint vertices = UNIFORM_UINT(BUILD_PACKS, pack * PACK_UINTS + PACK_VERTICES);
    uint constants = pack * HYBRID_ROWS;
    rod_step s;
    s.step = UNIFORM(BUILD_FRAME, FRAME_STEP);
    real damping = LD(BUILD_CONSTANTS, constants + HYBRID_DAMPING);
    s.ahead = s.step + damping;
    s.weight = sqrt_(s.step * s.ahead);
    s.scale = LD(BUILD_ROOTS, pack * ROOT_ROWS + ROOT_SCALE);
    s.scale_inverse = R(1.0f) / s.scale;
    s.stiffest = LD(BUILD_CONSTANTS, constants + HYBRID_LIGHTEST) * R(ROD_STIFFEST) / s.weight;
    s.drag = LD(BUILD_CONSTANTS, constants + HYBRID_DRAG);
    s.gravity = UNIFORM3(BUILD_FRAME, FRAME_GRAVITY);
    s.wind = UNIFORM3(BUILD_FRAME, FRAME_WIND);
    s.count = LD_UINT(BUILD_STRANDS, pack * STRAND_UINT_ROWS + STRAND_VERTICES);
    s.held = LD_UINT(BUILD_STRANDS, pack * STRAND_UINT_ROWS + STRAND_HELD);
    rod_forces(BUILD_POSITIONS, BUILD_VELOCITIES, BUILD_SPIN, BUILD_RODS, BUILD_WORK, BUILD_VECTOR, s, first, vertices);
    for (uint i = 0u; i < vertices; i++)
        rod_columns(BUILD_RODS, BUILD_WORK, BUILD_MATRIX, BUILD_VECTOR, BUILD_VELOCITIES, s, first, vertices, i);
}
