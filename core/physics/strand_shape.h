// Local frames along a strand and the angular shape constraint (Cavazotti and Guedes 2025, "Position-based shape
// constraint for real-time hair simulation").
#ifndef PLAIT_PHYSICS_STRAND_SHAPE_H
#define PLAIT_PHYSICS_STRAND_SHAPE_H

STRUCT(strand_frame)
    real3 side;    // i in the paper: towards the auxiliary point
    real3 tangent; // j: along the segment, or the scalp's normal at the root
END(strand_frame)

// World direction of a vector given in a frame.
FN real3 frame_direction(strand_frame f, real3 local) {
    real3 third = cross3(f.side, f.tangent);
    return add3(add3(mul3(f.side, local.x), mul3(f.tangent, local.y)), mul3(third, local.z));
}

// The frame of a tangent whose side vector is nearest to a given one of any length.
FN strand_frame frame_upright(real3 side, real3 tangent) {
    real3 across = sub3(side, mul3(tangent, dot3(side, tangent)));
    strand_frame f;
    f.side = mul3(across, R(1.0f) / sqrt_(max_(dot3(across, across), R(1e-12f))));
    f.tangent = tangent;
    return f;
}

// The next frame along the strand: turned by the shortest way from one tangent to the next. The side vector is reflected
// in the plane across the middle of the two, which keeps its length; where a segment folds back exactly it stays.
// The paper projects the auxiliary point onto the plane across the new segment (sec. III-A). That frame turns the faster
// the more the segment points at the auxiliary point, without limit at right angles, and takes all that follow along:
// curls of 50 to 120 degrees a vertex fed on it and spun at 1.5 to 7 m/s for ever, 1,370 of 2,736 at 240 steps a second.
// None does now. The shortest turn goes at most as fast as the tangent up to right angles, and has its pole at 180 degrees.
FN strand_frame frame_next(strand_frame f, real3 tangent) {
    real3 middle = add3(f.tangent, tangent);
    real share = R(2.0f) * dot3(f.side, middle) / max_(dot3(middle, middle), R(1e-30f));
    strand_frame next;
    next.side = sub3(f.side, mul3(middle, share));
    next.tangent = tangent;
    return next;
}

// The next frame along a strand that goes on in a direction given in this one. A tangent that is not quite a unit vector makes
// the side lean, and the next tangent is off by more: without the square root, coils of five vertices a turn doubled their error
// with every turn, to 0.5 mm after a hundred vertices. So it grows no faster than rounding adds up.
FN strand_frame frame_onward(strand_frame f, real3 local) {
    real3 direction = frame_direction(f, local);
    return frame_next(f, mul3(direction, R(1.0f) / sqrt_(max_(dot3(direction, direction), R(1e-12f)))));
}

// Between two frames, for `share` of the way. Where one is the other upside down there is no shortest way: the second.
FN strand_frame frame_between(strand_frame from, strand_frame to, real share) {
    real3 tangent = add3(from.tangent, mul3(sub3(to.tangent, from.tangent), share));
    real3 side = add3(from.side, mul3(sub3(to.side, from.side), share));
    real size = dot3(tangent, tangent);
    strand_frame f = frame_upright(side, mul3(tangent, R(1.0f) / sqrt_(max_(size, R(1e-12f)))));
    real3 across = sub3(side, mul3(f.tangent, dot3(side, f.tangent)));
    mask lost = lt(min_(size, dot3(across, across)), R(1e-4f));
    f.side = sel3(lost, to.side, f.side);
    f.tangent = sel3(lost, to.tangent, f.tangent);
    return f;
}

// How far a frame turned from one step to the next, as a rotation vector; exact for small turns.
FN real3 frame_turn(strand_frame from, strand_frame to) {
    real3 sides = cross3(from.side, to.side);
    real3 tangents = cross3(from.tangent, to.tangent);
    real3 thirds = cross3(cross3(from.side, from.tangent), cross3(to.side, to.tangent));
    return mul3(add3(add3(sides, tangents), thirds), R(0.5f));
}

// The same for a segment whose parent turned by `parent`: its swing, and the parent's turn about it.
FN real3 segment_turn(real3 parent, real3 from, real3 to) { return add3(cross3(from, to), mul3(to, dot3(parent, to))); }

// Direction of a segment after the shape constraint. C is the angle to the target (eq. 7); its gradient has length
// 1/|segment| (eq. 8), so with compliance over step squared `softness` (mass one) XPBD turns the segment by
// C / (1 + softness |segment|^2). Turned vectors are blended instead of angles: the same to first order, a few degrees
// less at right angles, and without acos or its singular ends. A step of that length along the gradient, as printed,
// turns by its arc tangent only: at 60 steps a second and 3 mm segments, where gravity alone makes C about one, strands
// of 30 cm hung 27 cm low where they do 5 mm now.
// `carried` is where the segment would point had the strand moved rigidly with its parent; `damping` pulls it there, as
// XPBD damping does (Macklin et al. 2016, eq. 26).
// A segment that points exactly the other way has no shortest way back, and damping would hold it there: it turns sideways.
// The length is not touched here: the distance constraint that follows sets it.
FN real3 shape_direction(strand_frame frame, real3 segment, real length, real3 target, real softness, real3 carried,
                         real damping) {
    real3 turned = add3(add3(mul3(segment, softness * length), target), mul3(carried, damping));
    real size = sqrt_(dot3(turned, turned));
    mask reversed = lt(dot3(turned, target), R(1e-6f) - R(0.98f) * size);
    if (any(reversed)) {
        turned = sel3(reversed, add3(turned, mul3(frame.side, size + R(1e-3f))), turned);
        size = sel(reversed, sqrt_(dot3(turned, turned)), size);
    }
    return mul3(turned, R(1.0f) / max_(size, R(1e-12f)));
}

#endif
