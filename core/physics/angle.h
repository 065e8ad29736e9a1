// Sine, cosine and arc tangent as our own polynomials: the same bits wherever float32 rounds to nearest. The
// coefficients interpolate at Chebyshev nodes of the ranges below; errors are below 2e-7.
#ifndef PLAIT_PHYSICS_ANGLE_H
#define PLAIT_PHYSICS_ANGLE_H

#define ANGLE_TURN 6.28318531f

STRUCT(sine_cosine)
    real sine, cosine;
END(sine_cosine)

// For angles up to some thousand turns, beyond which float32 is too coarse.
FN sine_cosine angle_direction(real angle) {
    real quarter = round_(angle * R(0.636619772f));
    real x = (angle - quarter * R(1.5703125f)) - quarter * R(4.83826794e-4f); // pi/2 in two parts
    real z = x * x;
    real s = x + x * z * (R(-0.166666642f) + z * (R(0.00833274797f) + z * R(-0.000195878907f)));
    real c = R(1.0f) - R(0.5f) * z + z * z * (R(0.0416666642f) + z * (R(-0.00138883025f) + z * R(2.45479423e-05f)));
    real part = quarter - R(4.0f) * round_(quarter * R(0.25f)); // -2 to 2
    mask odd = lt(R(0.5f), R(1.0f) - abs_(abs_(part) - R(1.0f)));
    mask negative_sine = either(lt(R(1.5f), abs_(part)), lt(abs_(part + R(1.0f)), R(0.5f)));
    mask negative_cosine = either(lt(R(1.5f), abs_(part)), lt(abs_(part - R(1.0f)), R(0.5f)));
    sine_cosine r;
    r.sine = sel(odd, c, s);
    r.cosine = sel(odd, s, c);
    r.sine = sel(negative_sine, -r.sine, r.sine);
    r.cosine = sel(negative_cosine, -r.cosine, r.cosine);
    return r;
}

// The angle of (x, y) from the x axis, -pi to pi; 0 for the origin.
FN real angle_of(real y, real x) {
    real ax = abs_(x);
    real ay = abs_(y);
    mask steep = lt(ax, ay);
    real small = sel(steep, ax, ay);
    real large = max_(sel(steep, ay, ax), R(1e-30f));
    real ratio = small / large;
    mask upper = lt(R(0.414213562f), ratio); // beyond an eighth of a half turn: measured from the diagonal
    real u = sel(upper, (small - large) / (small + large), ratio);
    real z = u * u;
    real a = u + u * z * (R(-0.333332866f) + z * (R(0.199912384f) + z * (R(-0.140241429f) + z * R(0.0852049217f))));
    a = sel(upper, a + R(0.785398163f), a);
    a = sel(steep, R(1.57079633f) - a, a);
    a = sel(lt(x, R(0.0f)), R(3.14159265f) - a, a);
    return sel(lt(y, R(0.0f)), -a, a);
}

// For angles that are mostly small: faster where all lanes have less than an eighth of a turn. Products are fused.
FN real angle_near(real y, real x) {
    real u = y / max_(x, R(1e-30f));
    real z = u * u;
    real p = fma_(z, fma_(z, fma_(z, R(0.0852049217f), R(-0.140241429f)), R(0.199912384f)), R(-0.333332866f));
    real a = fma_(u * z, p, u);
    mask far = either(lt(R(0.414213562f), abs_(u)), lt(x, R(1e-30f)));
    if (any(far)) a = sel(far, angle_of(y, x), a);
    return a;
}

FN sine_cosine angle_direction_near(real angle) {
    real z = angle * angle;
    real p = fma_(z, fma_(z, R(-0.000195878907f), R(0.00833274797f)), R(-0.166666642f));
    real q = fma_(z, fma_(z, R(2.45479423e-05f), R(-0.00138883025f)), R(0.0416666642f));
    sine_cosine r;
    r.sine = fma_(angle * z, p, angle);
    r.cosine = fma_(z * z, q, fma_(z, R(-0.5f), R(1.0f)));
    mask far = lt(R(0.785398163f), abs_(angle));
    if (any(far)) {
        sine_cosine whole = angle_direction(angle);
        r.sine = sel(far, whole.sine, r.sine);
        r.cosine = sel(far, whole.cosine, r.cosine);
    }
    return r;
}

// An angle brought to -pi to pi by whole turns.
FN real angle_wrap(real angle) { return angle - R(ANGLE_TURN) * round_(angle * R(0.159154943f)); }

#endif
