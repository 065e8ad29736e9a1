// Rods, where a step looks ahead: strains and contacts are taken where the vertices will be if they go on with the velocities
// that they have so far. What the linear system then adds is small, and so is its error, for the solution of the step before
// has turned the velocities with the strand. Taken where the step begins instead, an edge that turns by an angle comes out
// longer by half its square, which the next step takes back with a force many times the strand's weight: strands trembled,
// soft ones for ever, and the faster the steps the more.

// What surfaces add to the system of a vertex. A surface is a spring that begins a little before it is touched and stiffens
// with depth, so that what rests on it does not come and go: a strand lies within a third of a millimetre of it. It also damps
// what moves in: a vertex that strikes at 3 m/s stops after 2.5 mm, whatever the step.
//
// The faster stiffness grows with depth, the more a solution depends on where it is taken, and small differences grow: those of
// two runs 1 um apart by 4.1/s at 120 steps a second with a ramp of 2 mm, no damping and the stiffness of the depth ahead, by
// 1.8/s so; at 960 steps a second not at all. A cubic spring was no better at equal depths.
#define CONTACT_ONSET 5e-4f      // m
#define CONTACT_RAMP 8e-3f       // m, over which the stiffness grows to
#define CONTACT_STIFFNESS 3.6e6f // 1/s^2, times the vertex' mass
#define CONTACT_DAMPING 2e-3f    // s
#define CONTACT_FASTEST 100.0f   // m/s, that is damped
#define CONTACT_CREEP 1e-5f      // m/s: friction that holds lets slip this fast at most
#define CONTACT_GRIP 1e5f        // of friction that holds, in masses

STRUCT(rod_touch)
    real xx, xy, xz, yy, yz, zz; // h (h + d) k along the normal, h c across it
    real3 push;                  // impulse
END(rod_touch)

FN rod_touch rod_no_touch() {
    rod_touch c;
    c.xx = R(0.0f);
    c.xy = R(0.0f);
    c.xz = R(0.0f);
    c.yy = R(0.0f);
    c.yz = R(0.0f);
    c.zz = R(0.0f);
    c.push = vec3(R(0.0f), R(0.0f), R(0.0f));
    return c;
}

FN rod_touch rod_add_surface(rod_touch c, mask m, real3 normal, real depth, real ramp, real3 relative, real friction,
                             real mass, real step) {
    real approaching = dot3(relative, normal);
    // A surface that jumps has a speed that means nothing.
    real coming = sel(lt(dot3(relative, relative), R(CONTACT_FASTEST * CONTACT_FASTEST)), approaching, R(0.0f));
    real entered = max_(depth, R(0.0f));
    // Where it would stop if nothing but the spring held it, or where it was before if that is deeper: there the spring is
    // taken for linear. At the depth where it would be without the spring it is many times stiffer, and so is friction.
    real gain = R(CONTACT_STIFFNESS) * step * step / ramp;
    real stops = R(2.0f) * entered / (R(1.0f) + sqrt_(R(1.0f) + R(2.0f) * gain * entered));
    real stays = min_(entered, max_(stops, depth + coming * step));
    real part = min_(stays / ramp, R(1.0f)); // of the full stiffness
    real stiffness = sel(m, mass * R(CONTACT_STIFFNESS), R(0.0f)) * part;
    real force = stiffness * (stays - R(0.5f) * part * ramp);
    real3 slip = sub3(relative, mul3(normal, approaching));
    real grip = friction * force * step / max_(sqrt_(dot3(slip, slip)), R(CONTACT_CREEP));
    real across = min_(grip, mass * R(CONTACT_GRIP));
    real along = stiffness * step * (step + R(CONTACT_DAMPING)) - across;
    real ahead = force + stiffness * (entered - stays - R(CONTACT_DAMPING) * min_(coming, R(0.0f)));
    real3 n = mul3(normal, along);
    c.xx = c.xx + n.x * normal.x + across;
    c.xy = c.xy + n.x * normal.y;
    c.xz = c.xz + n.x * normal.z;
    c.yy = c.yy + n.y * normal.y + across;
    c.yz = c.yz + n.y * normal.z;
    c.zz = c.zz + n.z * normal.z + across;
    c.push = add3(c.push, sub3(mul3(normal, ahead * step), mul3(slip, across)));
    return c;
}

// What a vertex with this mass and velocity will touch at p. whole_inverse: of the whole step, in which colliders move.
FN rod_touch rod_touch_at(buffer_ref colliders, contact_lists lists, real3 p, real3 velocity, real mass, real radius,
                          real scale, real friction, real step, real whole_inverse) {
    rod_touch c = rod_no_touch();
    real onset = R(CONTACT_ONSET) * scale;
    real ramp = R(CONTACT_RAMP) * scale;
    for (uint i = 0u; i < lists.near_count; i++) {
        buffer_ref collider = colliders + UNIFORM_UINT(lists.near, i);
        mask near = collider_near(collider, p, radius + onset);
        if (any(near)) {
            surface s = collider_surface(collider, p);
            real depth = radius + onset - s.distance;
            mask touches = both(near, lt(R(0.0f), depth));
            if (any(touches)) {
                touches = both(touches, contact_listed(collider, lists));
                real3 relative = sub3(velocity, mul3(collider_slip(collider, p), whole_inverse));
                c = rod_add_surface(c, touches, s.normal, depth, ramp, relative,
                                    friction * UNIFORM(collider, COLLIDER_FRICTION), mass, step);
            }
        }
    }
    return c;
}

// How deep a root lies in the colliders; 0 if it is outside. Grooms often begin below the skin. Around such a root the
// surface gives way by that, and the less the farther along the strand, so that its first vertices do not fight with it.
#define CONTACT_CRATER 0.7f // less by this part of the length
FN real rod_root_depth(buffer_ref colliders, contact_lists lists, real3 p, real radius) {
    real deepest = R(0.0f);
    for (uint i = 0u; i < lists.near_count; i++) {
        buffer_ref collider = colliders + UNIFORM_UINT(lists.near, i);
        mask near = collider_near(collider, p, radius);
        if (any(near)) {
            near = both(near, contact_listed(collider, lists));
            real depth = radius - collider_surface(collider, p).distance;
            deepest = max_(deepest, sel(near, depth, R(0.0f)));
        }
    }
    return deepest;
}

// work: the vertex' rows.
FN void rod_store_touch(buffer_ref work, rod_touch c) {
    ST(work, WORK_TOUCH, c.xx);
    ST(work, WORK_TOUCH + 1u, c.xy);
    ST(work, WORK_TOUCH + 2u, c.xz);
    ST(work, WORK_TOUCH + 3u, c.yy);
    ST(work, WORK_TOUCH + 4u, c.yz);
    ST(work, WORK_TOUCH + 5u, c.zz);
    ST3(work, WORK_PUSH, c.push);
}

FN rod_touch rod_load_touch(buffer_ref work) {
    rod_touch c;
    c.xx = LD(work, WORK_TOUCH);
    c.xy = LD(work, WORK_TOUCH + 1u);
    c.xz = LD(work, WORK_TOUCH + 2u);
    c.yy = LD(work, WORK_TOUCH + 3u);
    c.yz = LD(work, WORK_TOUCH + 4u);
    c.zz = LD(work, WORK_TOUCH + 5u);
    c.push = LD3(work, WORK_PUSH);
    return c;
}

// By how much the twist between two edges changes because their tangents move, a to a2 and b to b2, while neither turns about
// itself: the area that the four tangents enclose on the sphere, as two triangles (Bergou et al. 2008, sec. 4.2.2; the area
// after Van Oosterom and Strackee 1983). In (-2 pi, 2 pi].
FN real rod_holonomy(real3 a, real3 b, real3 a2, real3 b2) {
    real diagonal = R(1.0f) + fused_dot3(a, b2);
    real3 across = fused_cross3(b2, a);
    real x = diagonal + fused_dot3(a, b) + fused_dot3(b, b2);
    real y = fused_dot3(across, b);
    real x2 = diagonal + fused_dot3(b2, a2) + fused_dot3(a2, a);
    real y2 = -fused_dot3(across, a2);
    return R(2.0f) * angle_near(fma_(x, y2, x2 * y), fma_(x, x2, -(y * y2)));
}
