// Construction of the system for few strands on a GPU: a thread for each vertex, which keeps the joint at it in registers and
// asks its neighbours for theirs (Huang et al. 2023, sec. 3.1.1 and algorithm 1). Each sum takes its terms in the order of the
// plain kernel, so the bits are the same.
//
// A group has 32 consecutive vertices of one strand. A joint wants the edge before it, and a column the joints before and
// behind, so the first two threads and the last have no column of theirs whole, unless the strand begins or ends there. So
// groups overlap by three, and none needs what another found. The paper's overlap by two: each adds its part of what they
// share by atomic operations. Sums of floats depend on the order that these happen in, and runs would differ; we pay for
// their bits with a thirtieth more threads.
//
// The values of one strand are 32 apart in memory: a warp's access touches 32 sectors of memory for a float in each. That
// is left so. The other seven floats of a sector are those of the strands beside it, whose groups run at the same time and
// find it in the second cache. To turn blocks of eight strands over in shared memory would divide the accesses by five or so,
// but eight warps would wait for each other where one has no one to wait for. Where accesses are what takes the time, there
// are enough strands for the plain kernel, see list.h. WORK is left out: the plain kernel's two loops meet there.

#define BUILD_STRIDE 29u // from group to group, as FOR_EACH_OVERRIDE has it

// Slots of what goes to neighbours.
#define BUILD_TANGENT 0u
#define BUILD_M1 3u
#define BUILD_RATE 6u
#define BUILD_INVERSE 9u
#define BUILD_SPINNING 10u
#define BUILD_FREE 11u
#define BUILD_JOINT 12u // three times edge, edge_n, angle and angle_n
#define BUILD_STRETCH 36u
#define BUILD_TENSION 39u
#define BUILD_AFTER 40u
#define BUILD_BEFORE 43u
#define BUILD_ANGLE 46u
#define BUILD_SWERVE 47u
#define BUILD_SLOTS 48u

EXCHANGED(BUILD_SLOTS)

// What one thread is to do.
STRUCT(build_thread)
    uint row;                // of its vertex
    uint i;                  // in the strand
    uint is_first, is_last;  // of the pack's strands
    real here, next, second; // as rod_columns has them
END(build_thread)

FN rod_edge build_edge_before(rod_edge e, rod_edge root, build_thread t) {
    GIVE3(BUILD_TANGENT, e.tangent);
    GIVE3(BUILD_M1, e.m1);
    GIVE3(BUILD_RATE, e.rate);
    GIVE(BUILD_INVERSE, e.inverse);
    GIVE(BUILD_SPINNING, e.spin);
    GIVE(BUILD_FREE, e.free);
    GIVEN;
    rod_edge last = e;
    last.tangent = NEIGHBOUR3(BUILD_TANGENT, e.tangent, -1);
    last.m1 = NEIGHBOUR3(BUILD_M1, e.m1, -1);
    last.rate = NEIGHBOUR3(BUILD_RATE, e.rate, -1);
    last.inverse = NEIGHBOUR(BUILD_INVERSE, e.inverse, -1);
    last.spin = NEIGHBOUR(BUILD_SPINNING, e.spin, -1);
    last.free = NEIGHBOUR(BUILD_FREE, e.free, -1);
    last.m2 = cross3(last.tangent, last.m1);
    if (t.is_first != 0u) last = root;
    return last;
}

FN void build_give_row(uint slot, rod_gradient row) {
    GIVE3(slot, row.edge);
    GIVE3(slot + 3u, row.edge_n);
    GIVE(slot + 6u, row.angle);
    GIVE(slot + 7u, row.angle_n);
}

// What one strain of the joints before, at and behind a vertex adds to its column. All threads must come here.
FN rod_column build_add_strain(rod_column m, uint slot, rod_gradient row, build_thread t) {
    real3 edge_before = NEIGHBOUR3(slot + 3u, row.edge_n, -1);
    rod_gradient behind;
    behind.edge = NEIGHBOUR3(slot, row.edge, 1);
    behind.edge_n = NEIGHBOUR3(slot + 3u, row.edge_n, 1);
    behind.angle = NEIGHBOUR(slot + 6u, row.angle, 1);
    behind.angle_n = NEIGHBOUR(slot + 7u, row.angle_n, 1);
    if (t.is_first == 0u) m = rod_add_before(m, edge_before, t.here);
    m = rod_add_at(m, row.edge, row.edge_n, row.angle_n, t.here, t.next);
    if (t.is_last == 0u) m = rod_add_behind(m, behind, t.here, t.next, t.second);
    return m;
}

OVERRIDE(rod_build) {
    uint pack = GROUP / 32u;
    uint lane = GROUP % 32u;
    if (!rod_takes_part(STRAND(BUF(care), lane), pack, VAL(part))) return; // all threads: they have one strand
    uint first = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_FIRST);
    uint vertices = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_VERTICES);
    buffer_ref positions = STRAND(BUF(positions), lane);
    buffer_ref velocities = STRAND(BUF(velocities), lane);
    buffer_ref spin = STRAND(BUF(spin), lane);
    buffer_ref rods = STRAND(BUF(rods), lane);
    buffer_ref work = STRAND(BUF(work), lane);
    buffer_ref matrix = STRAND(BUF(system), lane);
    buffer_ref vector = STRAND(BUF(right), lane);
    rod_step s = rod_step_of(STRAND(BUF(strands), lane), STRAND(BUF(held), lane), STRAND(BUF(roots), lane),
                             STRAND(BUF(constants), lane), STRAND(BUF(care), lane), BUF(frame), pack);
    rod_edge root = rod_clamp(STRAND(BUF(clamps), lane), pack);
    uint last_edge = s.count > 1u ? s.count - 2u : 0u;
    for (uint part = PART; part == 0u || part * BUILD_STRIDE + 32u - BUILD_STRIDE < vertices; part += PARTS) {
        uint vertex = part * BUILD_STRIDE + THREAD;
        build_thread t;
        t.i = vertex < vertices ? vertex : vertices - 1u; // those without one compute along
        t.row = first + t.i;
        t.is_first = t.i == 0u ? 1u : 0u;
        t.is_last = t.i + 1u == vertices ? 1u : 0u;
        t.here = rod_free(s, t.i);
        t.next = rod_free(s, t.i + 1u);
        t.second = rod_free(s, t.i + 2u);

        // Beyond its end a strand goes on as its last edge. Both ends are fetched: the first cache has what the neighbour
        // fetches, and of edges even the last thread has its own.
        uint edge_row = first + (t.i < last_edge ? t.i : last_edge);
        real3 edge = sub3(LD3(positions, 3u * (edge_row + 1u)), LD3(positions, 3u * edge_row));
        real3 rate = sub3(LD3(velocities, 3u * (edge_row + 1u)), LD3(velocities, 3u * edge_row));
        real3 velocity = LD3(velocities, 3u * t.row);
        rod_edge e =
            rod_edge_of(rods, spin, s, t.row, t.i, edge, LD3(work, WORK_ROWS * edge_row + WORK_DIRECTOR), rate);
        rod_edge last = build_edge_before(e, root, t);
        rod_stretch stretch = rod_stretch_of(rods, s, t.row, e);
        rod_strains j = rod_strains_of(rods, work, s, t.row, last, e);
        rod_gradient row1 = rod_row(j.by.d1, j.bend1, s.weight, last.free, e.free);
        rod_gradient row2 = rod_row(j.by.d2, j.bend2, s.weight, last.free, e.free);
        rod_gradient row3 = rod_row(j.by.twist, j.torsion, s.weight, last.free, e.free);
        rod_pull p = rod_pull_of(j.by.d1, j.bend1, j.strain1, last.free, e.free);
        p = rod_add_pull(p, rod_pull_of(j.by.d2, j.bend2, j.strain2, last.free, e.free));
        p = rod_add_pull(p, rod_pull_of(j.by.twist, j.torsion, j.twist, last.free, e.free));
        real3 after = sub3(p.after, stretch.pull);

        build_give_row(BUILD_JOINT, row1);
        build_give_row(BUILD_JOINT + 8u, row2);
        build_give_row(BUILD_JOINT + 16u, row3);
        GIVE3(BUILD_STRETCH, stretch.row);
        GIVE(BUILD_TENSION, stretch.tension);
        GIVE3(BUILD_AFTER, after);
        GIVE3(BUILD_BEFORE, p.before);
        GIVE(BUILD_ANGLE, p.angle);
        GIVE(BUILD_SWERVE, j.swerve);
        GIVEN;
        real3 zero = vec3(R(0.0f), R(0.0f), R(0.0f));
        real3 from_before = NEIGHBOUR3(BUILD_AFTER, after, -1);
        real3 from_behind = NEIGHBOUR3(BUILD_BEFORE, p.before, 1);
        real angle_behind = NEIGHBOUR(BUILD_ANGLE, p.angle, 1);
        real swerve_behind = NEIGHBOUR(BUILD_SWERVE, j.swerve, 1);
        real3 stretch_before = NEIGHBOUR3(BUILD_STRETCH, stretch.row, -1);
        real tension_before = NEIGHBOUR(BUILD_TENSION, stretch.tension, -1);
        real3 force = add3(add3(sel3(t.is_first != 0u, zero, from_before), stretch.pull), p.at);
        force = sel3(t.is_last != 0u, force, add3(force, from_behind));
        real torque = t.is_last != 0u ? R(0.0f) : p.angle_n + angle_behind;
        real swerve = t.is_last != 0u ? R(0.0f) : (j.swerve + swerve_behind) * e.free * e.free;

        rod_column m = rod_no_column(swerve);
        m = build_add_strain(m, BUILD_JOINT, row1, t);
        m = build_add_strain(m, BUILD_JOINT + 8u, row2, t);
        m = build_add_strain(m, BUILD_JOINT + 16u, row3, t);
        if (vertex < vertices && (part == 0u || THREAD >= 2u) && (t.is_last != 0u || THREAD < 31u)) {
            real mass = LD(rods, ROD_ROWS * t.row + ROD_MASS);
            rod_touch touch = rod_load_touch(ROW(work, WORK_ROWS * t.row));
            m = rod_add_vertex(m, s, touch, mass, stretch.tension, t.here);
            if (t.is_first == 0u) m = rod_add_edge_before(m, stretch_before, tension_before, t.here);
            m = rod_add_edge(m, stretch.row, stretch.tension, t.here, t.next);
            rod_store_column(matrix, t.row, m, LD(rods, ROD_ROWS * t.row + ROD_INERTIA));
            real3 push = rod_push(s, force, mass, velocity, LD3(work, WORK_ROWS * t.row + WORK_START), touch, t.here);
            ST3(vector, 4u * t.row, push);
            ST(vector, 4u * t.row + 3u, torque * s.step);
        }
    }
}
