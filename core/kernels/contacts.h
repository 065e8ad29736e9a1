// Contacts of one vertex with the colliders that its strand can reach.

STRUCT(contact)
    real3 position; // after the contacts
    mask touched;
    real3 normal;  // of the last contact
    real3 surface; // displacement of the surface there during the step
    real grip;     // how far friction can hold it back
END(contact)

FN surface collider_surface(buffer_ref collider, real3 p) {
    if (UNIFORM_UINT(collider, COLLIDER_IS_PLANE) != 0u)
        return plane_surface(p, UNIFORM3(collider, COLLIDER_BASE), UNIFORM3(collider, COLLIDER_AXIS));
    return capsule_surface(p, UNIFORM3(collider, COLLIDER_BASE), UNIFORM3(collider, COLLIDER_AXIS),
                           UNIFORM3(collider, COLLIDER_SIDE), UNIFORM(collider, COLLIDER_LENGTH),
                           UNIFORM(collider, COLLIDER_RADIUS), UNIFORM(collider, COLLIDER_SLOPE),
                           UNIFORM(collider, COLLIDER_LEAN));
}

// May p be closer than `margin` to the collider? Cheap, and never wrongly no.
FN mask collider_near(buffer_ref collider, real3 p, real margin) {
    real3 d = sub3(p, UNIFORM3(collider, COLLIDER_BASE));
    real3 axis = UNIFORM3(collider, COLLIDER_AXIS);
    real along = fused_dot3(d, axis);
    real gap = along - margin;
    if (UNIFORM_UINT(collider, COLLIDER_IS_PLANE) == 0u) {
        real3 c = fma3(axis, -min_(max_(along, R(0.0f)), UNIFORM(collider, COLLIDER_LENGTH)), d);
        real reach = UNIFORM(collider, COLLIDER_REACH) + margin;
        gap = fma_(-reach, reach, fused_dot3(c, c));
    }
    return lt(gap, R(0.0f));
}

FN real3 collider_slip(buffer_ref collider, real3 p) {
    buffer_ref m = collider + COLLIDER_SLIP;
    return vec3(dot3(UNIFORM3(m, 0u), p) + UNIFORM(m, 3u), dot3(UNIFORM3(m, 4u), p) + UNIFORM(m, 7u),
                dot3(UNIFORM3(m, 8u), p) + UNIFORM(m, 11u));
}

// Where a strand, or a run of its vertices, can be at all: within `reach` of a point.
STRUCT(vicinity)
    real3 center;
    real reach;
END(vicinity)

#ifdef LANE_IS_THREAD
#define CONTACT_WORDS CONTACT_LIST_WORDS
#define CONTACT_TABLE
#else
#define CONTACT_WORDS (CONTACT_LIST_WORDS + CONTACT_TABLE_WORDS)
#define CONTACT_TABLE                                                                                                  \
    buffer_ref table; /* see contact_table_put */                                                                      \
    uint stride;                                                                                                       \
    float widest; // reach of a run
#endif

// Colliders that come near to some lane's strand, and those of them that come near to its present run of vertices. Lanes
// that go together share them.
STRUCT(contact_lists)
    buffer_ref reached, near; // offsets of colliders
    uint reached_count, near_count;
    vicinity whole, around; // of each lane's strand and run
    CONTACT_TABLE
END(contact_lists)

#ifdef LANE_IS_THREAD
#define contact_table_start(l, max_colliders) l
#define contact_table_put(l, collider)

FN contact_lists contact_lists_near(buffer_ref colliders, contact_lists l, real3 start) {
    for (uint i = 0u; i < l.reached_count; i++) {
        uint at = UNIFORM_UINT(l.reached, i);
        ST_UNIFORM_UINT(l.near, l.near_count, at);
        l.near_count += any(collider_near(colliders + at, start, l.around.reach)) ? 1u : 0u;
    }
    return l;
}
#else
// There are dozens of colliders, and few are near to a run. Where lanes go together a ball around all lanes is tried against
// PLAIT_WIDTH colliders at a time, and only those that it comes near to against the lanes. For that, the reached ones'
// numbers lie one column each.
#define CONTACT_TABLE_BASE 0u
#define CONTACT_TABLE_AXIS 3u
#define CONTACT_TABLE_LENGTH 6u
#define CONTACT_TABLE_REACH 7u

FN contact_lists contact_table_start(contact_lists l, uint max_colliders) {
    l.table = l.near + max_colliders;
    l.stride = max_colliders;
    l.widest = most_of_lanes(l.around.reach);
    return l;
}

// The next that is reached, if it is.
FN void contact_table_put(contact_lists l, buffer_ref collider) {
    buffer_ref column = l.table + l.reached_count;
    for (uint c = 0u; c < 3u; c++) {
        column[(CONTACT_TABLE_BASE + c) * l.stride] = collider[COLLIDER_BASE + c];
        column[(CONTACT_TABLE_AXIS + c) * l.stride] = collider[COLLIDER_AXIS + c];
    }
    column[CONTACT_TABLE_LENGTH * l.stride] = collider[COLLIDER_LENGTH];
    column[CONTACT_TABLE_REACH * l.stride] = // half-spaces are always near
        UNIFORM_UINT(collider, COLLIDER_IS_PLANE) != 0u ? 1e9f : collider[COLLIDER_REACH];
}

FN real contact_table_at(contact_lists l, uint row, uint i) {
    return bits_real(LOAD_UINT(l.table + row * l.stride, i));
}

FN real3 contact_table_at3(contact_lists l, uint row, uint i) {
    return vec3(contact_table_at(l, row, i), contact_table_at(l, row + 1u, i), contact_table_at(l, row + 2u, i));
}

// Any point will do for the middle of the ball: one between two lanes. A lane that is nowhere makes the ball endless.
FN contact_lists contact_lists_near(buffer_ref colliders, contact_lists l, real3 start) {
    enum { OTHER = PLAIT_WIDTH / 2 };
    real3 middle = vec3(R(0.5f * (OF_LANE(start.x, 0) + OF_LANE(start.x, OTHER))),
                        R(0.5f * (OF_LANE(start.y, 0) + OF_LANE(start.y, OTHER))),
                        R(0.5f * (OF_LANE(start.z, 0) + OF_LANE(start.z, OTHER))));
    real3 off = sub3(start, middle);
    real distance2 = dot3(off, off);
    float ball = 1e9f;
    if (any(not_(lt(distance2, R(1e6f)))))
        middle = vec3(R(0.0f), R(0.0f), R(0.0f));
    else
        ball = 1.0001f * sqrtf(most_of_lanes(distance2)) + 1e-5f + l.widest; // and what rounding may take off
    for (uint i = 0u; i < l.reached_count; i += PLAIT_WIDTH) {
        real3 d = sub3(middle, contact_table_at3(l, CONTACT_TABLE_BASE, i));
        real3 axis = contact_table_at3(l, CONTACT_TABLE_AXIS, i);
        real along = min_(max_(dot3(d, axis), R(0.0f)), contact_table_at(l, CONTACT_TABLE_LENGTH, i));
        real3 c = sub3(d, mul3(axis, along));
        real reach = contact_table_at(l, CONTACT_TABLE_REACH, i) + R(ball);
        uint bits = lane_bits(both(lt(dot3(c, c), reach * reach), lt_uint(U(i) + LANES, U(l.reached_count))));
        for (; bits != 0u; bits &= bits - 1u) {
            uint at = UNIFORM_UINT(l.reached, i + (uint)__builtin_ctz(bits));
            ST_UNIFORM_UINT(l.near, l.near_count, at);
            l.near_count += any(collider_near(colliders + at, start, l.around.reach)) ? 1u : 0u;
        }
    }
    return l;
}
#endif

FN contact_lists contact_lists_of(buffer_ref colliders, uint collider_count, buffer_ref lists, uint max_colliders,
                                  uint item, real3 root, real reach, real run_reach) {
    contact_lists l;
    l.reached = lists + item * CONTACT_WORDS * max_colliders;
    l.near = l.reached + max_colliders;
    l.reached_count = 0u;
    l.near_count = 0u;
    l.whole.center = root;
    l.whole.reach = reach;
    l.around.center = root;
    l.around.reach = run_reach;
    l = contact_table_start(l, max_colliders);
    for (uint i = 0u; i < collider_count; i++) {
        buffer_ref collider = colliders + i * COLLIDER_FLOATS;
        ST_UNIFORM_UINT(l.reached, l.reached_count, i * COLLIDER_FLOATS); // stays if it counts; nobody can foresee that
        contact_table_put(l, collider);
        l.reached_count += any(collider_near(collider, root, reach)) ? 1u : 0u;
    }
    return l;
}

// A new run of CONTACT_RUN vertices, from `start` on.
FN contact_lists contact_lists_next(buffer_ref colliders, contact_lists l, real3 start) {
    l.around.center = start;
    l.near_count = 0u;
    return contact_lists_near(colliders, l, start);
}

// Whether a lane would have the collider in its lists if it were alone: what a strand does must not depend on its
// neighbours. A collider out of the strand's reach, listed for a neighbour, may hold a vertex that another collider has just
// pushed too far.
#ifdef LANE_IS_THREAD
#define contact_listed(collider, lists) lt(R(0.0f), R(1.0f)) // it is alone; testing all the same costs registers
#else
FN mask contact_listed(buffer_ref collider, contact_lists lists) {
    return both(collider_near(collider, lists.whole.center, lists.whole.reach),
                collider_near(collider, lists.around.center, lists.around.reach));
}
#endif

// Pushes p out of the colliders near to its run. grip: what friction has by now.
FN contact push_out(buffer_ref colliders, contact_lists lists, real3 p, real radius, real friction, real grip) {
    contact result;
    result.position = p;
    result.touched = lt(R(1.0f), R(0.0f));
    result.normal = vec3(R(0.0f), R(0.0f), R(0.0f));
    result.surface = result.normal;
    result.grip = grip;
    for (uint i = 0u; i < lists.near_count; i++) {
        buffer_ref collider = colliders + UNIFORM_UINT(lists.near, i);
        mask near = collider_near(collider, result.position, radius);
        if (any(near)) {
            surface s = collider_surface(collider, result.position);
            real depth = radius - s.distance;
            mask inside = both(near, lt(R(0.0f), depth));
            if (any(inside)) {
                inside = both(inside, contact_listed(collider, lists));
                real3 pushed = add3(result.position, mul3(s.normal, depth));
                real held = friction * UNIFORM(collider, COLLIDER_FRICTION) * depth;
                result.position = sel3(inside, pushed, result.position);
                result.grip = result.grip + sel(inside, held, R(0.0f));
                result.normal = sel3(inside, s.normal, result.normal);
                result.surface = sel3(inside, collider_slip(collider, pushed), result.surface);
                result.touched = either(inside, result.touched);
            }
        }
    }
    return result;
}

// Vertices in m taken back to `length` from their parents, and pushed out again where that moved them in.
FN contact restore_length(buffer_ref colliders, contact_lists lists, contact c, mask m, real3 parent, real length,
                          real radius, real friction) {
    real3 segment = sub3(c.position, parent);
    real now = sqrt_(max_(dot3(segment, segment), R(1e-20f)));
    real3 restored = sel3(m, add3(parent, mul3(segment, length / now)), c.position);
    contact again = push_out(colliders, lists, restored, radius, friction, c.grip);
    c.position = sel3(m, again.position, c.position);
    c.grip = sel(m, again.grip, c.grip);
    m = both(m, again.touched);
    c.normal = sel3(m, again.normal, c.normal);
    c.surface = sel3(m, again.surface, c.surface);
    return c;
}

// Contacts of a vertex that must also stay `length` away from its parent. Pushing out along the normal squeezes or stretches
// the segment, so its length is restored.
// Friction acts on the way from `before` to where pushing out and length leave the vertex, not on what one of them alone would
// do: where a strand stands on a surface the two undo each other, and friction that was spent on the one did not hold the
// strand any more. Its tail turned about that point for seconds, at up to 0.8 m/s, in 10 of 72 rows of `plait rest`; in none
// now. For the same reason friction may leave a segment short, but not longer than it was. On a run of 1b (4,000 strands) the
// mean length error is 0.032 %, and the worst strand is 0.002 % too long; were segments that friction left short restored as
// well, 0.004 % and 0.002 %.
// Where colliders leave no room, as between two that overlap, length wins: no segment exceeds its rest length by more
// than CONTACT_STRETCH allows, so the reach of a strand and of a run of vertices is known, and no vertex gets beyond its
// strand's.
#define CONTACT_STRETCH 1.04f
FN contact resolve_segment(buffer_ref colliders, contact_lists lists, real3 p, real3 before, real3 parent, real length,
                           real radius, real friction) {
    contact c = push_out(colliders, lists, p, radius, friction, R(0.0f));
    if (any(c.touched)) {
        c = restore_length(colliders, lists, c, c.touched, parent, length, radius, friction);
        real3 slip = sub3(sub3(c.position, before), c.surface);
        c.position = sel3(c.touched, add3(c.position, friction_correction(slip, c.normal, c.grip)), c.position);
        real3 held = sub3(c.position, parent);
        mask longer = both(c.touched, lt(length * length, dot3(held, held)));
        if (any(longer)) c = restore_length(colliders, lists, c, longer, parent, length, radius, friction);
        real3 segment = sub3(c.position, parent);
        real now = sqrt_(max_(dot3(segment, segment), R(1e-20f)));
        mask torn = both(c.touched, lt(length * CONTACT_STRETCH, now));
        c.position = sel3(torn, add3(parent, mul3(segment, length * CONTACT_STRETCH / now)), c.position);
    }
    return c;
}
