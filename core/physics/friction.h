// Coulomb friction on positions (Macklin et al. 2014, "Unified particle physics", eq. 24).
#ifndef PLAIT_PHYSICS_FRICTION_H
#define PLAIT_PHYSICS_FRICTION_H

// What to add to a position on a surface with this normal that has moved by `slip` relative to it during the step: the
// tangential part is taken back, up to `limit`: the coefficient times the depth that the position was pushed out of.
FN real3 friction_correction(real3 slip, real3 normal, real limit) {
    real3 tangential = sub3(slip, mul3(normal, dot3(slip, normal)));
    real size = sqrt_(dot3(tangential, tangential));
    real share = sel(lt(limit, size), limit / max_(size, R(1e-20f)), R(1.0f));
    return mul3(tangential, -share);
}

#endif
