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

// The next frame along the strand: the auxiliary point projected onto the plane across the new segment, sec. III-A.
// Where the new segment points at the auxiliary point the projection vanishes; the old tangent, which is then across the
// new one, takes its place.
FN strand_frame frame_next(strand_frame f, real3 tangent) {
    real3 side = sub3(f.side, mul3(tangent, dot3(f.side, tangent)));
    real size2 = dot3(side, side);
    mask lost = lt(size2, R(1e-6f));
    if (any(lost)) {
        real3 other = sub3(f.tangent, mul3(tangent, dot3(f.tangent, tangent)));
        side = sel3(lost, other, side);
        size2 = sel(lost, dot3(other, other), size2);
    }
    strand_frame next;
    next.side = mul3(side, R(1.0f) / sqrt_(max_(size2, R(1e-12f))));
    next.tangent = tangent;
    return next;
}

// acos(r) / sqrt(1 - r^2) for r in [0, 1]; minimax, error 3.4e-6.
FN real half_angle_ratio(real r) {
    return (((((R(0.0438835598f) * r - 0.199229169f) * r + 0.425578094f) * r - 0.62007338f) * r + 0.778677359f) * r -
            0.999625935f) * r + 1.5707929f;
}

// Direction of a segment after the shape constraint. C is the angle between `direction` and `target` (eq. 7); its XPBD
// correction moves the vertex by `fraction` of that angle along the arc's tangent (eq. 8: the gradient has length
// 1/|segment| and lies in the plane of the two). With r the cosine of half the angle, everything is smooth at zero:
// angle / sin(angle) = half_angle_ratio(r) / r, so nothing is divided by a vanishing sine. The length is not touched
// here: the distance constraint that follows sets it.
FN real3 shape_direction(real3 direction, real3 target, real fraction) {
    real cosine = dot3(direction, target);
    real3 across = sub3(target, mul3(direction, cosine));
    real r = sqrt_(max_(R(0.5f) + R(0.5f) * cosine, R(0.0f)));
    real3 turned = add3(mul3(direction, r), mul3(across, fraction * half_angle_ratio(min_(r, R(1.0f)))));
    real size2 = dot3(turned, turned);
    mask opposite = lt(size2, R(1e-9f)); // no shortest way back: leave it for the next step
    real3 unit = mul3(turned, R(1.0f) / sqrt_(sel(opposite, R(1.0f), size2)));
    return sel3(opposite, direction, unit);
}

#endif
