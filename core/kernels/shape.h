// Solver `shape`: one pass from root to tip (Cavazotti and Guedes 2025, algorithm 2). Per vertex: predict, shape
// constraint, distance constraint, penetration; the distance correction goes, reversed, into the parent's velocity
// (Mueller, Kim and Chentanez 2012, "Fast simulation of inextensible hair and fur", eq. 9).
//
// Beyond the paper: bending is damped. Only the child gives way to a joint, so along a strand the shape constraint
// follows y_xx = -c y_tt, whose solutions grow from root to tip, the faster the higher their frequency: undamped,
// strands trembled by centimetres for ever in 70 of 144 combinations of curl, softness, resolution and step rate. With
// damping to the amount of 0.3 all 144 come to rest, from 60 to 960 steps a second. Feeding the shape correction back
// into the parent as well, in whole or in half, helped at 60 steps a second only.
//
// In steps shorter than 1/240 s constraints act on velocities over that time: v' = v + s (dx/h - v) with s = 240 h, and
// softness and velocity correction times s, so that forces stay the same. Positions then follow dx/dt = v + F/240: the
// damping that a step of 1/240 s has by itself. Without it what little moves at 100 Hz near the root grows by a fifth a
// vertex towards the tip and comes back through the velocity correction: straight hair trembled at 22 mm/s (960 steps a
// second) and 1.2 m/s (1920), where it rests within 0.03 mm/s now. Nor does the rounding of positions weigh more in
// velocities the shorter the step.

KERNEL(shape) {
    uint pack = PACK(item);
    uint first = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_FIRST);
    uint vertices = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_VERTICES);
    uint root = pack * ROOT_ROWS;
    uint constants = pack * SHAPE_ROWS;

    real step = UNIFORM(BUF(frame), FRAME_STEP);
    real step_inverse = UNIFORM(BUF(frame), FRAME_STEP_INVERSE);
    real softness = LD(BUF(constants), constants + SHAPE_SOFTNESS);
    real softness_step = LD(BUF(constants), constants + SHAPE_SOFTNESS_STEP);
    real damping = LD(BUF(constants), constants + SHAPE_DAMPING);
    real keep = LD(BUF(constants), constants + SHAPE_KEEP);
    real correction = LD(BUF(constants), constants + SHAPE_CORRECTION);
    real radius = LD(BUF(constants), constants + SHAPE_RADIUS);
    real friction = LD(BUF(constants), constants + SHAPE_FRICTION);
    real lag = LD(BUF(constants), constants + SHAPE_LAG);
    real rate = LD(BUF(constants), constants + SHAPE_RATE);
    real scale = LD(BUF(roots), root + ROOT_SCALE);
    real scale2 = R(1.0f) / (scale * scale); // a strand scaled by its bones is as soft as one drawn that size
    softness = softness * scale2;
    softness_step = softness_step * scale2;
    radius = radius * scale;

    real3 parent = LD3(BUF(roots), root + ROOT_POSITION);
    strand_frame frame;
    frame.side = LD3(BUF(roots), root + ROOT_SIDE);
    frame.tangent = LD3(BUF(roots), root + ROOT_NORMAL);
    strand_frame frame_before;
    frame_before.side = LD3(BUF(roots_before), root + ROOT_SIDE);
    frame_before.tangent = LD3(BUF(roots_before), root + ROOT_NORMAL);
    real3 turn = frame_turn(frame_before, frame);
    real3 parent_before = LD3(BUF(positions), 3u * first);
    real3 root_velocity = mul3(sub3(parent, parent_before), step_inverse);
    ST3(BUF(positions), 3u * first, parent);

    // What gravity, wind and the root's motion add to every vertex's velocity; drag and damping are implicit.
    real3 push = mul3(UNIFORM3(BUF(frame), FRAME_GRAVITY), step);
    push = add3(push, mul3(UNIFORM3(BUF(frame), FRAME_WIND), LD(BUF(constants), constants + SHAPE_WIND_GAIN)));
    push = add3(push, mul3(root_velocity, LD(BUF(constants), constants + SHAPE_ROOT_GAIN)));
    push = mul3(push, keep);

    real reach = LD(BUF(constants), constants + SHAPE_LENGTH) * scale * CONTACT_STRETCH + radius;
    real run_reach = LD(BUF(constants), constants + SHAPE_RUN_LENGTH) * scale * CONTACT_STRETCH + radius;
    contact_lists lists = contact_lists_of(BUF(colliders), UNIFORM_UINT(BUF(frame), FRAME_COLLIDERS), BUF(candidates),
                                           VAL(max_colliders), item, parent, reach, run_reach);

    real3 pending = root_velocity; // velocity of the vertex before, waiting for its child's correction
    real stretch = R(0.0f);        // what contacts add to the strand's length
    for (uint v = 1u; v < vertices; v++) {
        uint row = 3u * (first + v);
        uint target = TARGET_ROWS * (first + v);
        real3 before = LD3(BUF(positions), row);
        real3 velocity = add3(mul3(LD3(BUF(velocities), row), keep), push);
        real3 segment = sub3(add3(before, mul3(velocity, step)), parent);
        real segment_length = sqrt_(max_(dot3(segment, segment), R(1e-20f)));

        real rest_length = LD(BUF(targets), target + TARGET_LENGTH) * scale;
        real3 wanted = frame_direction(frame, LD3(BUF(targets), target + TARGET_DIRECTION));
        real3 tangent_before = mul3(sub3(before, parent_before), R(1.0f) / max_(rest_length, R(1e-9f)));
        real3 carried = add3(tangent_before, cross3(turn, tangent_before));
        real3 tangent = shape_direction(frame, segment, segment_length, wanted, softness, carried, damping);
        parent_before = before;
        softness = softness + softness_step;

        real3 position = add3(parent, mul3(tangent, rest_length));
        real pull = sel(lt(R(0.0f), rest_length), (rest_length - segment_length) * correction, R(0.0f));
        real3 corrected = sub3(pending, mul3(tangent, pull));
        ST3(BUF(velocities), row - 3u, corrected);
        real3 kept = mul3(velocity, lag);
        pending = add3(kept, mul3(sub3(position, before), rate));

        if (v % CONTACT_RUN == 1u) lists = contact_lists_next(BUF(colliders), lists, parent);
        if (lists.near_count > 0u) {
            contact c = resolve_segment(BUF(colliders), lists, position, before, parent, rest_length, radius, friction);
            if (any(c.touched)) {
                // A contact stops what goes into it and gives nothing back: no velocity away from the surface.
                real3 pushed = add3(kept, mul3(sub3(c.position, before), rate));
                real away = dot3(sub3(pushed, mul3(c.surface, step_inverse)), c.normal);
                pushed = sub3(pushed, mul3(c.normal, max_(away, R(0.0f))));
                pending = sel3(c.touched, pushed, pending);
                position = sel3(c.touched, c.position, position);
                real3 stretched = sub3(position, parent);
                real stretched_length = sqrt_(max_(dot3(stretched, stretched), R(1e-20f)));
                tangent = sel3(c.touched, mul3(stretched, R(1.0f) / stretched_length), tangent);
                mask counts = both(c.touched, lt(R(0.0f), rest_length)); // beyond the tip there is nothing to stretch
                stretch = stretch + sel(counts, stretched_length - rest_length, R(0.0f));
            }
        }
        ST3(BUF(positions), row, position);
        turn = segment_turn(turn, tangent_before, tangent);
        frame = frame_next(frame, tangent);
        parent = position;
    }
    ST3(BUF(velocities), 3u * (first + vertices) - 3u, pending);

    // Each vertex is placed from its parent, so what is not finite anywhere is not finite at the tip. Velocities follow from
    // positions: a step later at most they are caught here as well.
    real3 moved = mul3(sub3(parent, parent_before), step_inverse);
    mask good = lt(abs_(parent.x + parent.y + parent.z + (moved.x + moved.y + moved.z)), R(1e18f));
    mask bad = not_(good);
    if (any(bad)) {
        rest_strands(BUF(positions), BUF(velocities), BUF(targets), BUF(roots), pack, first, vertices, bad);
        stretch = sel(bad, R(0.0f), stretch);
        ATOMIC_ADD_UINT(BUF(status), STATUS_NONFINITE, count_lanes(bad));
    }
    ST(BUF(results), pack * RESULT_ROWS + RESULT_STRETCH,
       R(1.0f) + stretch * LD(BUF(constants), constants + SHAPE_LENGTH_INVERSE) / scale);
}
