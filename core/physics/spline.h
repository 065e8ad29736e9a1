// Quadratic B-splines between grid nodes (Jiang et al. 2016, "The material point method for simulating continuum
// materials", eq. 123), along one axis. Three nodes in a row share a point.
#ifndef PLAIT_PHYSICS_SPLINE_H
#define PLAIT_PHYSICS_SPLINE_H

STRUCT(spline)
    real w0, w1, w2; // weights of the three nodes; they sum to one
    real d0, d1, d2; // their derivatives, per cell; they sum to zero
END(spline)

// The first of the three nodes, of a point that is `place` cells from node 0.
FN real spline_base(real place) { return round_(place - R(1.0f)); }

// from_base: cells from that node, 0.5 to 1.5.
FN spline spline_at(real from_base) {
    real before = R(1.5f) - from_base;
    real middle = from_base - R(1.0f);
    real behind = from_base - R(0.5f);
    spline s;
    s.w0 = R(0.5f) * before * before;
    s.w1 = R(0.75f) - middle * middle;
    s.w2 = R(0.5f) * behind * behind;
    s.d0 = -before;
    s.d1 = R(-2.0f) * middle;
    s.d2 = behind;
    return s;
}

#endif
