// Rods, before a step: strands whose roots jump go along rigidly, held vertices get the velocity that takes them to their
// bones, directors are laid along the strand, and each vertex learns which surface it will meet.

// A rigid motion: about `origin` by an angle around a unit axis, then by `shift`.
STRUCT(rigid_part)
    mask moves;
    real3 origin, axis, shift;
    real sine, cosine;
END(rigid_part)

FN real3 rigid_direction(rigid_part r, real3 d) {
    real3 along = mul3(r.axis, dot3(r.axis, d) * (R(1.0f) - r.cosine));
    return sel3(r.moves, add3(add3(mul3(d, r.cosine), mul3(cross3(r.axis, d), r.sine)), along), d);
}

FN real3 rigid_point(rigid_part r, real3 p) {
    real3 turned = add3(add3(r.origin, rigid_direction(r, sub3(p, r.origin))), r.shift);
    return sel3(r.moves, turned, p);
}

// How much of the root's motion exceeds what a step may have (Huang et al. 2023, sec. 4.2).
FN rigid_part rigid_excess(strand_frame from, strand_frame to, real3 origin, real3 origin_to, real most,
                           real most_turn) {
    rigid_part r;
    real3 move = sub3(origin_to, origin);
    real distance = sqrt_(max_(dot3(move, move), R(1e-30f)));
    real share = max_(R(1.0f) - most / distance, R(0.0f));
    real3 turn = frame_turn(from, to); // sine times axis
    real3 third = cross3(from.side, from.tangent);
    real3 third_to = cross3(to.side, to.tangent);
    real sine = sqrt_(dot3(turn, turn));
    real cosine =
        R(0.5f) * (dot3(from.side, to.side) + dot3(from.tangent, to.tangent) + dot3(third, third_to) - R(1.0f));
    real angle = angle_of(sine, cosine);
    real share_turn = max_(R(1.0f) - most_turn / max_(angle, R(1e-9f)), R(0.0f));
    // Half a turn has no sine to take the axis from; what each vector and its image have in common lies along it.
    real3 sum = add3(from.side, to.side);
    real3 sum_tangent = add3(from.tangent, to.tangent);
    mask tangent_larger = lt(dot3(sum, sum), dot3(sum_tangent, sum_tangent));
    sum = sel3(tangent_larger, sum_tangent, sum);
    mask half_turn = both(lt(sine, R(1e-3f)), lt(cosine, R(0.0f)));
    real3 axis = sel3(half_turn, sum, turn);
    r.axis = mul3(axis, R(1.0f) / sqrt_(max_(dot3(axis, axis), R(1e-20f))));
    sine_cosine part = angle_direction(angle * share_turn);
    r.sine = part.sine;
    r.cosine = part.cosine;
    r.origin = origin;
    r.shift = mul3(move, share);
    r.moves = either(lt(R(0.0f), share), lt(R(0.0f), share_turn));
    return r;
}

// A surface that a vertex at x going to p will touch; surface velocity as seen by it.
STRUCT(approach)
    real3 normal;
    real gap;
    real3 velocity;
    real friction;
END(approach)

#define CONTACT_MARGIN 5e-5f // m: what rests on a surface lies at most this far off

FN approach find_approach(buffer_ref colliders, contact_lists lists, real3 x, real3 p, real radius, real margin,
                          real friction, real step_inverse) {
    approach a;
    a.normal = vec3(R(0.0f), R(0.0f), R(0.0f));
    a.gap = R(0.0f);
    a.velocity = a.normal;
    a.friction = R(0.0f);
    real deepest = -margin;
    for (uint i = 0u; i < lists.near_count; i++) {
        uint at = UNIFORM_UINT(lists.near, i);
        mask near = collider_near(colliders, at, p, radius + margin);
        if (any(near)) {
            surface s = collider_surface(colliders, at, p);
            real depth = radius - s.distance;
            mask deeper = both(near, lt(deepest, depth));
            if (any(deeper)) {
                deeper = both(deeper, contact_listed(colliders, at, lists));
                real3 velocity = mul3(collider_slip(colliders, at, p), step_inverse);
                real3 way = sub3(p, x);
                // Before the step, when the surface was where it came from.
                real gap = dot3(sub3(mul3(velocity, R(1.0f) / step_inverse), way), s.normal) - depth;
                deepest = sel(deeper, depth, deepest);
                a.normal = sel3(deeper, s.normal, a.normal);
                a.gap = sel(deeper, gap, a.gap);
                a.velocity = sel3(deeper, velocity, a.velocity);
                a.friction = sel(deeper, friction * UNIFORM(colliders, at + COLLIDER_FRICTION), a.friction);
            }
        }
    }
    return a;
}

// How fast a held edge must turn about itself to have its director at `wanted` after the step.
FN real held_rate(real3 director, real3 tangent, real3 wanted, real3 tangent_wanted, real step_inverse) {
    real3 carried = rod_transport(director, tangent, tangent_wanted);
    real sine = dot3(cross3(carried, wanted), tangent_wanted);
    return angle_of(sine, dot3(carried, wanted)) * step_inverse;
}

KERNEL(rod_begin) {
    uint pack = PACK(item);
    uint root = pack * ROOT_ROWS;
    uint constants = pack * HYBRID_ROWS;
    rod_strands s = rod_strands_of(BUF(packs), BUF(strands), BUF(roots), BUF(constants), BUF(frame), BUF(colliders),
                                   BUF(candidates), VAL(max_colliders), item);
    real blend = LD(BUF(constants), constants + HYBRID_HELD_BLEND);
    real friction = LD(BUF(constants), constants + HYBRID_FRICTION);
    strand_frame before;
    before.side = LD3(BUF(roots_before), root + ROOT_SIDE);
    before.tangent = LD3(BUF(roots_before), root + ROOT_NORMAL);
    rigid_part excess = rigid_excess(before, s.frame, LD3(BUF(roots_before), root + ROOT_POSITION), s.origin,
                                     LD(BUF(constants), constants + HYBRID_MAX_SPEED) * s.step,
                                     LD(BUF(constants), constants + HYBRID_MAX_TURN) * s.step);
    before.side = rigid_direction(excess, before.side);
    before.tangent = rigid_direction(excess, before.tangent);
    sine_cosine root_turn;
    root_turn.cosine = LD(BUF(constants), constants + HYBRID_ROOT_COSINE);
    root_turn.sine = LD(BUF(constants), constants + HYBRID_ROOT_SINE);

    strand_frame frame = s.frame; // of the last edge as the bones want it
    real3 zero = vec3(R(0.0f), R(0.0f), R(0.0f));
    real3 x = rigid_point(excess, LD3(BUF(positions), 3u * s.first));
    real3 goal = s.origin;                // where the bones want this vertex
    real3 tangent = before.tangent;       // of the last edge
    real3 director = before.side;         // of the last edge
    real3 goal_tangent = s.frame.tangent; // the same for the strand as the bones want it
    real3 goal_director = s.frame.side;
    for (uint v = 0u; v < s.vertices; v++) {
        uint row = s.first + v;
        uint work = WORK_ROWS * row;
        mask is_held = below(v, s.held);
        mask is_real = below(v, s.count);
        real3 velocity = rigid_direction(excess, LD3(BUF(velocities), 3u * row));
        // Not blended with their velocity: that overshoots by 60 percent at 0.1, and goes on for ever at 0.
        real3 wanted = mul3(sub3(goal, x), s.step_inverse * blend);
        velocity = sel3(is_held, wanted, velocity);
        velocity = sel3(is_real, velocity, zero);
        ST3(BUF(positions), 3u * row, x);
        ST3(BUF(velocities), 3u * row, velocity);

        approach meets;
        meets.normal = zero;
        meets.gap = R(0.0f);
        meets.velocity = zero;
        meets.friction = R(0.0f);
        if (v % CONTACT_RUN == 0u) s.lists = contact_lists_next(BUF(colliders), s.lists, x);
        if (s.lists.near_count > 0u)
            meets = find_approach(BUF(colliders), s.lists, x, add3(x, mul3(velocity, s.step)), s.radius,
                                  R(CONTACT_MARGIN) * s.scale, friction, s.step_inverse);
        ST3(BUF(work), work + WORK_NORMAL, meets.normal);
        ST(BUF(work), work + WORK_GAP, meets.gap);
        ST3(BUF(work), work + WORK_SURFACE, meets.velocity);
        ST(BUF(work), work + WORK_FRICTION, meets.friction);

        if (v + 1u < s.vertices) {
            real3 next = rigid_point(excess, LD3(BUF(positions), 3u * (row + 1u)));
            real3 edge = sub3(next, x);
            real length2 = dot3(edge, edge);
            real3 tangent_next =
                sel3(lt(R(1e-20f), length2), mul3(edge, R(1.0f) / sqrt_(max_(length2, R(1e-20f)))), tangent);
            if (v == 0u) {
                director =
                    rod_turn(frame_next(before, tangent_next).side, tangent_next, root_turn.sine, root_turn.cosine);
            } else {
                sine_cosine twist = angle_direction(LD(BUF(spin), SPIN_ROWS * row + SPIN_TWIST));
                director =
                    rod_turn(rod_transport(director, tangent, tangent_next), tangent_next, twist.sine, twist.cosine);
            }
            tangent = tangent_next;
            real3 stored = sel3(below(v + 1u, s.count), director, zero); // none where there is no edge
            ST3(BUF(work), work + WORK_DIRECTOR, stored);

            mask edge_held = below(v + 1u, s.held);
            if (any(edge_held)) {
                uint target = TARGET_ROWS * (row + 1u);
                real3 direction = frame_direction(frame, LD3(BUF(targets), target + TARGET_DIRECTION));
                goal = add3(goal, mul3(direction, LD(BUF(targets), target + TARGET_LENGTH) * s.scale));
                frame = frame_next(frame, direction);
                if (v == 0u)
                    goal_director = rod_turn(frame.side, direction, root_turn.sine, root_turn.cosine);
                else
                    goal_director = rod_transport(goal_director, goal_tangent, direction);
                goal_tangent = direction;
                real rate = held_rate(director, tangent, goal_director, goal_tangent, s.step_inverse);
                rate = sel(edge_held, rate, LD(BUF(spin), SPIN_ROWS * row + SPIN_RATE));
                ST(BUF(spin), SPIN_ROWS * row + SPIN_RATE, rate);
            }
            x = next;
        }
    }
}
