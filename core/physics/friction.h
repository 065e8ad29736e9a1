// Coulomb friction on positions (Macklin et al. 2014, "Unified particle physics", eq. 24).
#ifndef PLAIT_PHYSICS_FRICTION_H
#define PLAIT_PHYSICS_FRICTION_H

// What to add to a position that was pushed out by `depth` along `normal` and has moved by `slip` relative to the
// surface during the step: all of the tangential part while it lies inside the friction cone, else the cone's edge.
FN real3 friction_correction(real3 slip, real3 normal, real depth, real coefficient) {
    real3 tangential = sub3(slip, mul3(normal, dot3(slip, normal)));
    real size = sqrt_(dot3(tangential, tangential));
    real limit = coefficient * depth;
    real share = sel(lt(limit, size), limit / max_(size, R(1e-20f)), R(1.0f));
    return mul3(tangential, -share);
}

#endif
