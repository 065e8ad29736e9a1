// Rods, roots that jump: how much of their motion the strand goes along with rigidly.

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
