// Discrete elastic rods (Bergou et al. 2008 and 2010): strains of one joint and one edge with their derivatives. A
// joint is a vertex between two edges; t, m1, m2 are an edge's tangent and material directors, inverse 1 over its
// present length. Primed values, here with an n, are those of the edge that follows.
#ifndef PLAIT_PHYSICS_ROD_H
#define PLAIT_PHYSICS_ROD_H

// Lower limit of 1 + t.tn, so that segments folded back on each other (by more than 168 degrees) have finite derivatives
// (Huang et al. 2023, sec. 4.1).
#define ROD_FOLD 0.02f
#define ROD_SHARPEST 1.99f // twice the sine of half the angle there: sqrt(2 (2 - ROD_FOLD))

// Beyond 120 degrees curvature grows faster than that sine, ten times as large where it ends: with q = (T - ROD_SHARP_FROM) times
// ROD_SHARP, T the squared tangent of half the angle, it is the sine times 1 + q^2. Twist that goes around a fold does not come
// back as it went: a joint that passes it has gained or lost a turn. Where sines alone resisted, curls with few vertices did so
// under their weight over and over, and whipped for ever: a strand of nine, with bends of 43 to 72 degrees, at 0.2 to 1.0 m/s.
#define ROD_SHARP_FROM 3.0f
#define ROD_SHARP 0.03125f

// Limit of a spring's stiffness, as the square root of a multiple of mass over step squared. Stiffer springs are
// reduced to it: their float32 rounding errors in the matrix would be as large as the masses, and from ten times that
// on strands grow without bound. At 60 steps a second such a spring yields by 3 nm under the weight of its vertex.
#define ROD_STIFFEST 1000.0f

// Joints bear more than edges, by this factor of the square root: where bending is stiff, so are the slow motions that rounding
// would drown. Level hairs of 1 to 10 cm (100 um thick, 3e9 Pa) in segments of 0.4 mm at 120 steps a second drop by 6 to 0.6
// percent more than theory says; with a factor of 3, 2.8 to 3.8 times as far, with 1 up to 34 times. Types 4a to 4c with
// rest_gravity stay as drawn at 60 steps a second with no less: with 5, one in eight of 4b does not. Strands that all are at
// this limit come to rest at 0.006 mm/s; with 8, three in a hundred of 4b tremble, and hairs of 200 segments of 0.3 mm grow
// beyond all floats; with 12 all of 4b tremble. Equilibria are exact up to the limit, motion is not: that of a hair that falls
// from level differs by 2 percent of its length from the one in segments of 1.25 mm, if it has 100 segments of 0.4 mm, by 12
// with 150 and by 44 with 250 (in segments of 0.8 mm, by 0.3, 3 and 13 percent; with factor 1, by its whole length).
// A step of iterative refinement, with the residual from the strains themselves, is not built: in a model of 400 curly strands
// of 60 vertices (stretch and bending, 3e7 masses) it takes the median error of a solution from 5.5 to 0.5 percent, the worst
// from 23 to 6. But it needs the rows of all joints again and a second substitution, on every path, for hair that few have.
#define ROD_STIFFER_JOINTS 6.0f

// Limit of a segment's length over its rest length, whatever pulls at it.
#define ROD_MOST 1.04f
// And the same of what a strand can reach while it looks ahead (see GUESS_LONGEST), for lists of near colliders.
#define ROD_REACH 1.1f

// Derivatives of one strain with respect to both edges and their angles.
STRUCT(rod_gradient)
    real3 edge, edge_n;
    real angle, angle_n;
END(rod_gradient)

STRUCT(rod_joint)
    real curvature1, curvature2; // integrated material curvatures, 2 sin(half the angle) in all up to 120 degrees
    real steep;          // by how much more they change with an edge's direction than at a straight joint, at most
    rod_gradient d1, d2; // of both
    rod_gradient twist;  // of the twist: angle of this edge's frame less the last one's, plus the reference twist
END(rod_joint)

// Curvature grows with the sine of half the angle (Korner et al. 2021; Bergou's with the tangent). It stays finite, and so
// does its second derivative, which Gauss-Newton leaves out: curls of 180 cases that were shaken at 120 steps a second all
// came to rest, where with the tangent two did not.
FN rod_joint rod_bend(real3 t, real3 m1, real3 m2, real inverse, real3 tn, real3 m1n, real3 m2n, real inverse_n) {
    real unfolded = R(1.0f) + dot3(t, tn);
    real bounded = max_(unfolded, R(ROD_FOLD));
    real steep = R(1.0f) / sqrt_(R(0.5f) * bounded); // 1 over the cosine of half the angle
    real3 binormal = mul3(cross3(t, tn), steep);
    mask folded = lt(unfolded, R(ROD_FOLD));
    if (any(folded)) { // beyond, curvature is kept; otherwise a fold would cost no energy and stay
        real size2 = dot3(binormal, binormal);
        real3 most = sel3(lt(R(1e-6f), size2), binormal, m2);
        size2 = max_(dot3(most, most), R(1e-20f));
        binormal = sel3(folded, mul3(most, R(ROD_SHARPEST) / sqrt_(size2)), binormal);
    }
    real3 half_tangent = mul3(binormal, R(0.5f) * steep); // of length tan(half the angle)
    real over = R(0.25f) * steep * steep;                 // 1 / (2 (1 + t.tn)): the relative derivative of `steep`
    real own = R(0.5f) + over;
    real scale = steep;
    rod_joint j;
    j.steep = steep;
    mask sharp = lt(unfolded, R(2.0f / (1.0f + ROD_SHARP_FROM)));
    if (any(sharp)) {
        real q = max_(steep * steep - R(1.0f + ROD_SHARP_FROM), R(0.0f)) * R(ROD_SHARP);
        real more = fma_(q, q, R(1.0f));
        real faster = R(16.0f * ROD_SHARP) * q * over * over / more; // its relative derivative
        own = own + faster * (R(1.0f) - bounded);
        over = over + faster;
        binormal = mul3(binormal, more);
        scale = steep * more;
        j.steep = steep * (R(1.0f) + q * (R(5.0f) * q + R(0.4f)));
    }
    real3 along = add3(mul3(t, own), mul3(tn, over));
    real3 along_n = add3(mul3(tn, own), mul3(t, over));
    real3 m1s = mul3(add3(m1, m1n), R(0.5f) * scale);
    real3 m2s = mul3(add3(m2, m2n), R(0.5f) * scale);
    j.curvature1 = R(0.5f) * dot3(binormal, add3(m2, m2n));
    j.curvature2 = R(-0.5f) * dot3(binormal, add3(m1, m1n));
    j.d1.edge = mul3(sub3(cross3(tn, m2s), mul3(along, j.curvature1)), inverse);
    j.d1.edge_n = mul3(add3(cross3(t, m2s), mul3(along_n, j.curvature1)), -inverse_n);
    j.d2.edge = mul3(add3(cross3(tn, m1s), mul3(along, j.curvature2)), -inverse);
    j.d2.edge_n = mul3(sub3(cross3(t, m1s), mul3(along_n, j.curvature2)), inverse_n);
    j.d1.angle = R(-0.5f) * dot3(binormal, m1);
    j.d1.angle_n = R(-0.5f) * dot3(binormal, m1n);
    j.d2.angle = R(-0.5f) * dot3(binormal, m2);
    j.d2.angle_n = R(-0.5f) * dot3(binormal, m2n);
    j.twist.edge = mul3(half_tangent, inverse);
    j.twist.edge_n = mul3(half_tangent, inverse_n);
    j.twist.angle = R(-1.0f);
    j.twist.angle_n = R(1.0f);
    return j;
}

// A director transported without twist from tangent `from` to tangent `to`. It stays unit and perpendicular but for rounding.
// Between opposite tangents all ways are equal.
FN real3 rod_transport(real3 director, real3 from, real3 to) {
    real whole = R(1.0f) + fused_dot3(from, to);
    real share = fused_dot3(director, to) / max_(whole, R(1e-3f));
    real3 carried = fma3(add3(from, to), -share, director);
    mask folded = lt(whole, R(1e-3f));
    if (any(folded)) {
        real3 across = sub3(carried, mul3(to, dot3(carried, to)));
        real3 other = sub3(from, mul3(to, dot3(from, to)));
        across = sel3(lt(R(1e-6f), dot3(across, across)), across, other);
        across = mul3(across, R(1.0f) / sqrt_(max_(dot3(across, across), R(1e-20f))));
        carried = sel3(folded, across, carried);
    }
    return carried;
}

// A director turned about its tangent, by an angle given as its sine and cosine.
FN real3 rod_turn(real3 director, real3 tangent, real sine, real cosine) {
    return fma3(fused_cross3(tangent, director), sine, mul3(director, cosine));
}

#endif
