// Distance to a tapered capsule: the hull of two spheres. Exact, outside and inside.
#ifndef PLAIT_PHYSICS_CAPSULE_H
#define PLAIT_PHYSICS_CAPSULE_H

STRUCT(surface)
    real distance; // m, negative inside
    real3 normal;  // unit, outward
END(surface)

// The surface normal of a cone leans along the axis by a constant angle; walking back from p along it hits the axis at
// the centre of the sphere that touches p's nearest surface point.
FN surface capsule_surface(real3 p, real3 base, real3 axis, real3 side, real length, real radius, real slope,
                           real lean) {
    real3 d = sub3(p, base);
    real along = dot3(d, axis);
    real across = sqrt_(max_(dot3(d, d) - along * along, R(0.0f)));
    real t = min_(max_(along - lean * across, R(0.0f)), length);
    real3 c = sub3(d, mul3(axis, t));
    real distance = sqrt_(dot3(c, c));
    mask on_axis = lt(distance, R(1e-7f));
    surface s;
    s.normal = sel3(on_axis, side, mul3(c, R(1.0f) / sel(on_axis, R(1.0f), distance)));
    s.distance = distance - (radius - slope * t);
    return s;
}

FN surface plane_surface(real3 p, real3 point, real3 normal) {
    surface s;
    s.normal = normal;
    s.distance = dot3(sub3(p, point), normal);
    return s;
}

#endif
