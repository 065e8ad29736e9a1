// Contacts of one vertex with the colliders that its strand can reach.

STRUCT(contact)
    real3 position; // after the contacts
    mask touched;
    real3 normal;  // of the last contact
    real3 surface; // displacement of the surface there during the step
END(contact)

FN surface collider_surface(buffer_ref colliders, uint at, real3 p) {
    if (UNIFORM_UINT(colliders, at + COLLIDER_IS_PLANE) != 0u)
        return plane_surface(p, UNIFORM3(colliders, at + COLLIDER_BASE), UNIFORM3(colliders, at + COLLIDER_AXIS));
    return capsule_surface(p, UNIFORM3(colliders, at + COLLIDER_BASE), UNIFORM3(colliders, at + COLLIDER_AXIS),
                           UNIFORM3(colliders, at + COLLIDER_SIDE), UNIFORM(colliders, at + COLLIDER_LENGTH),
                           UNIFORM(colliders, at + COLLIDER_RADIUS), UNIFORM(colliders, at + COLLIDER_SLOPE),
                           UNIFORM(colliders, at + COLLIDER_LEAN));
}

// May p be closer than `margin` to the collider? Cheap, and never wrongly no.
FN mask collider_near(buffer_ref colliders, uint at, real3 p, real margin) {
    real3 d = sub3(p, UNIFORM3(colliders, at + COLLIDER_BASE));
    real3 axis = UNIFORM3(colliders, at + COLLIDER_AXIS);
    real along = dot3(d, axis);
    if (UNIFORM_UINT(colliders, at + COLLIDER_IS_PLANE) != 0u) return lt(along, margin);
    real3 c = sub3(d, mul3(axis, min_(max_(along, R(0.0f)), UNIFORM(colliders, at + COLLIDER_LENGTH))));
    real reach = UNIFORM(colliders, at + COLLIDER_REACH) + margin;
    return lt(dot3(c, c), reach * reach);
}

FN real3 collider_slip(buffer_ref colliders, uint at, real3 p) {
    uint m = at + COLLIDER_SLIP;
    return vec3(dot3(UNIFORM3(colliders, m), p) + UNIFORM(colliders, m + 3u),
                dot3(UNIFORM3(colliders, m + 4u), p) + UNIFORM(colliders, m + 7u),
                dot3(UNIFORM3(colliders, m + 8u), p) + UNIFORM(colliders, m + 11u));
}

// Where a strand, or a run of its vertices, can be at all: within `reach` of a point.
STRUCT(vicinity)
    real3 center;
    real reach;
END(vicinity)

// Colliders that come near to some lane's strand, and those of them that come near to its present run of vertices. Lanes
// that go together share them.
STRUCT(contact_lists)
    buffer_ref reached, near; // offsets of colliders
    uint reached_count, near_count;
    vicinity whole, around; // of each lane's strand and run
END(contact_lists)

FN contact_lists contact_lists_of(buffer_ref colliders, uint collider_count, buffer_ref lists, uint max_colliders,
                                  uint item, real3 root, real reach, real run_reach) {
    contact_lists l;
    l.reached = lists + item * 2u * max_colliders;
    l.near = l.reached + max_colliders;
    l.reached_count = 0u;
    l.near_count = 0u;
    l.whole.center = root;
    l.whole.reach = reach;
    l.around.center = root;
    l.around.reach = run_reach;
    for (uint i = 0u; i < collider_count; i++) {
        if (any(collider_near(colliders, i * COLLIDER_FLOATS, root, reach))) {
            ST_UNIFORM_UINT(l.reached, l.reached_count, i * COLLIDER_FLOATS);
            l.reached_count++;
        }
    }
    return l;
}

// A new run of CONTACT_RUN vertices, from `start` on.
FN contact_lists contact_lists_next(buffer_ref colliders, contact_lists l, real3 start) {
    l.around.center = start;
    l.near_count = 0u;
    for (uint i = 0u; i < l.reached_count; i++) {
        uint at = UNIFORM_UINT(l.reached, i);
        if (any(collider_near(colliders, at, start, l.around.reach))) {
            ST_UNIFORM_UINT(l.near, l.near_count, at);
            l.near_count++;
        }
    }
    return l;
}

// Whether a lane would have the collider in its lists if it were alone: what a strand does must not depend on its
// neighbours. A collider out of the strand's reach, listed for a neighbour, may hold a vertex that another collider has just
// pushed too far.
#ifdef LANE_IS_THREAD
#define contact_listed(colliders, at, lists) lt(R(0.0f), R(1.0f)) // it is alone; testing all the same costs registers
#else
FN mask contact_listed(buffer_ref colliders, uint at, contact_lists lists) {
    return both(collider_near(colliders, at, lists.whole.center, lists.whole.reach),
                collider_near(colliders, at, lists.around.center, lists.around.reach));
}
#endif

// Pushes p out of the colliders near to its run and lets friction act on the way it came from `before`.
FN contact resolve_contacts(buffer_ref colliders, contact_lists lists, real3 p, real3 before, real radius,
                            real friction) {
    contact result;
    result.position = p;
    result.touched = lt(R(1.0f), R(0.0f));
    result.normal = vec3(R(0.0f), R(0.0f), R(0.0f));
    result.surface = result.normal;
    for (uint i = 0u; i < lists.near_count; i++) {
        uint at = UNIFORM_UINT(lists.near, i);
        mask near = collider_near(colliders, at, result.position, radius);
        if (any(near)) {
            surface s = collider_surface(colliders, at, result.position);
            real depth = radius - s.distance;
            mask inside = both(near, lt(R(0.0f), depth));
            if (any(inside)) {
                inside = both(inside, contact_listed(colliders, at, lists));
                real3 pushed = add3(result.position, mul3(s.normal, depth));
                real3 moved = collider_slip(colliders, at, pushed);
                real3 slip = sub3(sub3(pushed, before), moved);
                real coefficient = friction * UNIFORM(colliders, at + COLLIDER_FRICTION);
                pushed = add3(pushed, friction_correction(slip, s.normal, depth, coefficient));
                result.position = sel3(inside, pushed, result.position);
                result.normal = sel3(inside, s.normal, result.normal);
                result.surface = sel3(inside, moved, result.surface);
                result.touched = either(inside, result.touched);
            }
        }
    }
    return result;
}

// Contacts of a vertex that must also stay `length` away from its parent. Pushing out along the normal squeezes or
// stretches the segment; each round takes it back to its length and pushes out what that moved in again. Rounds after the
// first have no friction: it has acted. On the paper's workload under violent motion the mean length error is 0.049 %
// (worst strand 2.4 %) without such rounds, 0.0028 % with one and 0.0010 % with two.
// Where colliders leave no room, as between two that overlap, length wins: no segment exceeds its rest length by more
// than CONTACT_STRETCH allows, so the reach of a strand and of a run of vertices is known, and no vertex gets beyond its
// strand's.
#define CONTACT_ROUNDS 1u
#define CONTACT_STRETCH 1.1f
FN contact resolve_segment(buffer_ref colliders, contact_lists lists, real3 p, real3 before, real3 parent, real length,
                           real radius, real friction) {
    contact c = resolve_contacts(colliders, lists, p, before, radius, friction);
    if (any(c.touched)) {
        for (uint round = 0u; round < CONTACT_ROUNDS; round++) {
            real3 segment = sub3(c.position, parent);
            real now = sqrt_(max_(dot3(segment, segment), R(1e-20f)));
            real3 restored = sel3(c.touched, add3(parent, mul3(segment, length / now)), c.position);
            contact again = resolve_contacts(colliders, lists, restored, before, radius, R(0.0f));
            c.position = again.position;
            c.normal = sel3(again.touched, again.normal, c.normal);
            c.surface = sel3(again.touched, again.surface, c.surface);
            c.touched = either(c.touched, again.touched);
        }
        real3 segment = sub3(c.position, parent);
        real now = sqrt_(max_(dot3(segment, segment), R(1e-20f)));
        mask torn = both(c.touched, lt(length * CONTACT_STRETCH, now));
        c.position = sel3(torn, add3(parent, mul3(segment, length * CONTACT_STRETCH / now)), c.position);
    }
    return c;
}
