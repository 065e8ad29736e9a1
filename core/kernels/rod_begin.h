// Rods, before a step: strands whose roots jump go along rigidly, held vertices get the velocity that takes them to their
// bones, and the strand looks ahead.
//
// The solution of a step starts from a guess. To go straight on would lengthen an edge that turns by half the square of its
// angle: the guess turns it instead, so that it keeps its length. It is only where the system is linear, velocities are
// taken from those that the step began with.
//
// A root that changes its velocity takes the beginning of the strand along, as far as bending reaches within a step. Were the
// guess without that, a root would pass by the next vertex where segments are short, and the solution would have to turn them
// back. In a run strands of 4a, in segments of 1 mm, were overstretched in every step at first, and took three times as long.

// Limits of an edge's length in the guess, over its rest length. They are there for what the guess does not foresee.
#define GUESS_SHORTEST 0.8f
#define GUESS_LONGEST 1.05f
#define GUESS_CARRY 1e-3f // m/s: below, nothing is passed on

// An edge's direction and first director.
STRUCT(rod_frame)
    real3 tangent, director;
END(rod_frame)

// How fast an edge must turn about itself to be at `wanted` after the step.
FN real rod_rate_to(rod_frame f, rod_frame wanted, real step_inverse) {
    real3 carried = rod_transport(f.director, f.tangent, wanted.tangent);
    real sine = dot3(cross3(carried, wanted.director), wanted.tangent);
    return angle_of(sine, dot3(carried, wanted.director)) * step_inverse;
}

// The clamp of a root frame: the first edge as drawn.
FN rod_frame rod_clamp_of(strand_frame root, real3 direction, real sine, real cosine) {
    rod_frame f;
    f.tangent = frame_direction(root, direction);
    f.director = rod_turn(frame_next(root, f.tangent).side, f.tangent, sine, cosine);
    return f;
}

// How much of the root's motion exceeds what a whole step may have.
FN rigid_part rod_excess(buffer_ref roots_before, buffer_ref constants, rod_strands s, uint pack) {
    uint root = pack * ROOT_ROWS;
    uint row = pack * HYBRID_ROWS;
    strand_frame before;
    before.side = LD3(roots_before, root + ROOT_SIDE);
    before.tangent = LD3(roots_before, root + ROOT_NORMAL);
    return rigid_excess(before, s.frame, LD3(roots_before, root + ROOT_POSITION), s.origin,
                        LD(constants, row + HYBRID_MAX_SPEED) * s.step * s.parts,
                        LD(constants, row + HYBRID_MAX_TURN) * s.step * s.parts);
}

// Between two root frames.
FN strand_frame rod_between(strand_frame a, strand_frame b, real part) {
    real3 tangent = add3(a.tangent, mul3(sub3(b.tangent, a.tangent), part));
    tangent = mul3(tangent, R(1.0f) / sqrt_(max_(dot3(tangent, tangent), R(1e-12f))));
    return frame_upright(add3(a.side, mul3(sub3(b.side, a.side), part)), tangent);
}

KERNEL(rod_begin) {
    uint pack = PACK(item);
    uint root = pack * ROOT_ROWS;
    uint constants = pack * HYBRID_ROWS;
    mask moves = rod_takes_part(BUF(care), pack, VAL(part));
    if (!any(moves)) return;
    rod_strands s = rod_strands_of(BUF(packs), BUF(strands), BUF(held), BUF(roots), BUF(constants), BUF(frame),
                                   BUF(care), BUF(colliders), BUF(candidates), VAL(max_colliders), item);
    real blend = LD(BUF(constants), constants + HYBRID_HELD_BLEND) * s.step_inverse;
    real friction = LD(BUF(constants), constants + HYBRID_FRICTION);
    rigid_part excess = rod_excess(BUF(roots_before), BUF(constants), s, pack);
    strand_frame before;
    before.side = rigid_direction(excess, LD3(BUF(roots_before), root + ROOT_SIDE));
    before.tangent = rigid_direction(excess, LD3(BUF(roots_before), root + ROOT_NORMAL));
    real done = rod_done(BUF(care), pack, VAL(part));
    if (any(lt(R(1.0f), s.parts))) { // where the root is when the part begins and ends
        mask whole = lt(s.parts, R(1.5f));
        real3 origin = rigid_point(excess, LD3(BUF(roots_before), root + ROOT_POSITION));
        real ends = (done + R(1.0f)) / s.parts;
        strand_frame part_before = rod_between(before, s.frame, done / s.parts);
        strand_frame part_after = rod_between(before, s.frame, ends);
        before.side = sel3(whole, before.side, part_before.side);
        before.tangent = sel3(whole, before.tangent, part_before.tangent);
        s.frame.side = sel3(whole, s.frame.side, part_after.side);
        s.frame.tangent = sel3(whole, s.frame.tangent, part_after.tangent);
        s.origin = sel3(whole, s.origin, add3(origin, mul3(sub3(s.origin, origin), ends)));
    }
    if (VAL(part) > 0u) excess.moves = lt(R(1.0f), R(0.0f)); // it has gone along
    mask repeats = rod_repeats(BUF(care), pack, VAL(part));
    real root_cosine = LD(BUF(constants), constants + HYBRID_ROOT_COSINE);
    real root_sine = LD(BUF(constants), constants + HYBRID_ROOT_SINE);
    real3 drawn = LD3(BUF(targets), TARGET_ROWS * (s.first + 1u) + TARGET_DIRECTION);
    rod_frame clamp_now = rod_clamp_of(before, drawn, root_sine, root_cosine);
    rod_frame clamp_then = rod_clamp_of(s.frame, drawn, root_sine, root_cosine);
    real rate_last = rod_rate_to(clamp_now, clamp_then, s.step_inverse); // of the last edge
    real3 now = clamp_now.tangent;
    real3 then = clamp_then.tangent;
    real3 director_last = clamp_then.director;
    uint clamps = pack * CLAMP_ROWS;
    ST3(BUF(clamps), clamps + CLAMP_TANGENT, then);
    ST3(BUF(clamps), clamps + CLAMP_DIRECTOR, director_last);
    ST3(BUF(clamps), clamps + CLAMP_RATE, mul3(sub3(then, now), s.step_inverse));
    ST(BUF(clamps), clamps + CLAMP_SPIN, rate_last);

    strand_frame goal = s.frame; // of the last edge as the bones want it
    real3 goal_point = s.origin; // and of this vertex
    real3 zero = vec3(R(0.0f), R(0.0f), R(0.0f));
    real whole_inverse = UNIFORM(BUF(frame), FRAME_STEP_INVERSE) + R(0.0f);
    real3 x = rigid_point(excess, LD3(BUF(positions), 3u * s.first));
    real3 start = mul3(sub3(goal_point, x), blend); // velocity; not blended with the one it had: that overshoots by 60
                                                    // percent at 0.1, and goes on for ever at 0
    real3 carry = sub3(start, rigid_direction(excess, LD3(BUF(velocities), 3u * s.first))); // what bending passes on
    bool jumps = any(excess.moves);
    bool again = any(repeats);
    rod_inside inside = rod_inside_of(s.held, s.count, s.vertices);
    real3 foreseen = zero; // change of the vertex' velocity
    real3 ahead = add3(x, mul3(start, s.step));
    real3 shift = zero;                                       // what edges that turn add
    buffer_ref positions = ROW(BUF(positions), 3u * s.first); // from here on: rows of the vertex
    buffer_ref velocities = ROW(BUF(velocities), 3u * s.first);
    buffer_ref spin = ROW(BUF(spin), SPIN_ROWS * s.first);
    buffer_ref rods = ROW(BUF(rods), ROD_ROWS * s.first);
    buffer_ref work = ROW(BUF(work), WORK_ROWS * s.first);
    if (VAL(part) == 0u) {
        ST3(positions, 0u, x);
    }
    ST3(velocities, 0u, sel3(moves, start, LD3(velocities, 0u)));
    ST3(work, WORK_START, start);
    s.lists = contact_lists_next(BUF(colliders), s.lists, ahead);
    real crater = rod_root_depth(BUF(colliders), s.lists, ahead, s.radius);
    rod_store_touch(work, rod_no_touch());
    // Edge by edge, each with the vertex behind it. What the next one can find in memory is not kept: it would be copied from
    // one place on the stack to another.
    for (uint v = 0u; v + 1u < s.vertices; v++) {
        x = LD3(positions, 0u);
        start = LD3(work, WORK_START);
        bool is_inside = v + 1u >= inside.begin && v + 1u < inside.end;
        mask is_held = below(v + 1u, s.held); // the next vertex, and the edge there
        mask is_edge = below(v + 1u, s.count);
        real3 x_next = LD3(positions, 3u);
        real3 known = LD3(velocities, 3u);
        if (jumps) {
            x_next = rigid_point(excess, x_next);
            known = rigid_direction(excess, known);
        }
        real3 start_next = known;
        if (again) start_next = sel3(repeats, LD3(work, WORK_ROWS + WORK_START), start_next);
        real rest = LD(rods, ROD_LENGTH) * s.scale;
        mask carries = lt(R(GUESS_CARRY * GUESS_CARRY), fused_dot3(carry, carry));
        if (any(carries)) {
            real reach2 = LD(rods, ROD_BEND1) * rest * s.step; // sqrt(E I / (rho A)) times step
            carry = mul3(carry, max_(R(1.0f) - rest / sqrt_(max_(reach2, R(1e-12f))), R(0.0f)));
        }
        carry = sel3(carries, carry, zero);
        if (!is_inside && any(is_held)) {
            uint target = TARGET_ROWS * (s.first + v + 1u);
            goal = frame_onward(goal, LD3(BUF(targets), target + TARGET_DIRECTION));
            goal_point = add3(goal_point, mul3(goal.tangent, LD(BUF(targets), target + TARGET_LENGTH) * s.scale));
            start_next = sel3(is_held, mul3(sub3(goal_point, x_next), blend), start_next);
            carry = sel3(is_held, sub3(start_next, known), carry);
        }
        real3 foreseen_next = carry;
        if (again) foreseen_next = sel3(repeats, sub3(known, start_next), carry);
        if (!is_inside) {
            start_next = sel3(is_edge, start_next, zero);
            foreseen_next = sel3(both(is_edge, not_(is_held)), foreseen_next, zero);
        }
        real3 edge = sub3(x_next, x);
        real3 apart = mul3(add3(sub3(start_next, start), sub3(foreseen_next, foreseen)), s.step);
        real3 turned = add3(edge, apart);
        real length2 = max_(fused_dot3(edge, edge), R(1e-24f));
        real size2 = max_(fused_dot3(turned, turned), R(1e-24f));
        real length_inverse = R(1.0f) / sqrt_(length2);
        real size_inverse = R(1.0f) / sqrt_(size2);
        real longer = fused_dot3(edge, apart);
        if (again) longer = sel(repeats, R(0.0f), longer);
        real length_then = (length2 + longer) * length_inverse;
        length_then = min_(max_(length_then, rest * R(GUESS_SHORTEST)), rest * R(GUESS_LONGEST));
        // A column that stands exactly straight between its root and a surface would never know which way to buckle.
        real short_of = rest * R(0.97f) - length_then;
        mask column = lt(R(0.0f), short_of); // none beyond the end
        if (any(column)) shift = fma3(director_last, sel(column, short_of * R(0.02f), R(0.0f)), shift);
        shift = fma3(turned, length_then * size_inverse - R(1.0f), shift);
        if (!is_inside) shift = sel3(both(is_edge, not_(is_held)), shift, zero);
        real3 edge_now = mul3(edge, length_inverse);
        real3 edge_then = mul3(turned, size_inverse);
        mask tiny = lt(min_(length2, size2), R(1e-20f));
        if (any(tiny)) {
            edge_now = sel3(lt(R(1e-20f), length2), edge_now, now);
            edge_then = sel3(lt(R(1e-20f), size2), edge_then, then);
        }

        real had = LD(spin, SPIN_TWIST);
        real rate = LD(spin, SPIN_RATE);
        real moved = had + rod_holonomy(now, edge_now, then, edge_then);
        if (!is_inside && any(is_held)) { // held edges have the twist that they were drawn with, none
            rate = sel(is_held, rate_last - moved * s.step_inverse, rate);
            ST(spin, SPIN_RATE, sel(moves, rate, LD(spin, SPIN_RATE)));
        }
        real twist = had + angle_wrap(fma_(rate - rate_last, s.step, moved - had));
        if (!is_inside) twist = sel(is_edge, twist, R(0.0f));
        sine_cosine turn = angle_direction_near(twist);
        director_last = rod_turn(rod_transport(director_last, then, edge_then), edge_then, turn.sine, turn.cosine);
        real3 director = director_last;
        real3 tangent = edge_then;
        if (!is_inside) {
            director = sel3(is_edge, director, zero);
            tangent = sel3(is_edge, tangent, zero);
        }
        crater = crater - length_then * R(CONTACT_CRATER);
        rate_last = rate;
        now = edge_now;
        then = edge_then;
        foreseen = foreseen_next;
        ST3(work, WORK_DIRECTOR, director);
        ST(work, WORK_TWIST, twist);
        ST3(work, WORK_TANGENT, tangent);
        positions = ROW(positions, 3u); // the next vertex
        velocities = ROW(velocities, 3u);
        spin = ROW(spin, SPIN_ROWS);
        rods = ROW(rods, ROD_ROWS);
        work = ROW(work, WORK_ROWS);
        real3 guess = fma3(shift, s.step_inverse, add3(start_next, foreseen));
        ahead = fma3(guess, s.step, x_next);
        if (jumps) {
            ST3(positions, 0u, x_next);
        }
        if (VAL(part) == 0u) {
            ST3(velocities, 0u, guess);
        } else {
            ST3(velocities, 0u, sel3(moves, guess, LD3(velocities, 0u)));
        }
        ST3(work, WORK_START, start_next);
        if ((v + 1u) % CONTACT_RUN == 0u) s.lists = contact_lists_next(BUF(colliders), s.lists, ahead);
        rod_touch touch = rod_no_touch();
        if (s.lists.near_count > 0u)
            touch = rod_touch_at(BUF(colliders), s.lists, ahead, guess, LD(rods, ROD_MASS),
                                 s.radius - max_(crater, R(0.0f)), s.scale, friction, s.step, whole_inverse);
        rod_store_touch(work, touch);
    }
    ST3(work, WORK_DIRECTOR, zero); // no edge behind the last
    ST(work, WORK_TWIST, R(0.0f));
    ST3(work, WORK_TANGENT, zero);
}
