// Hair-hair forces, rows of vertices before and after a step of the grid.
//
// Before: vertices get their share of what the solver changed, their material settles, and they tell the grid of themselves.
//
// The solver has moved a vertex from x - v dt to x, and its velocity from v0 to v. The grid's steps go that way again, with
// v0 and one part of the change more in each (Huang et al. 2023, sec. 3.3). What the grid changes moves the vertex off that way;
// where it changes nothing the vertex ends where the solver has put it. To move it by v0 and its parts alone, as the paper has
// it, was tried: three parts then differ from one by 17 mm after five seconds of nodding, not by 10 mm, of which 7 are the rods'.
//
// Velocities of a solver that corrects them are no motion: those of `shape` hold what segments pull at their parents, and where a
// strand of 24 vertices hangs still they are 1 m/s. The grid took it for a flow that strained the hair without end: one strand
// alone was a knot within a second. There the grid sees how vertices have moved, from where they were before the step, and only
// what it changes goes to their velocities.
#ifndef PLAIT_KERNELS_VOLUME_ROWS_H
#define PLAIT_KERNELS_VOLUME_ROWS_H

FN void volume_begin_row(buffer_ref positions, buffer_ref velocities, buffer_ref changes, buffer_ref strains,
                         buffer_ref vertices, buffer_ref params, buffer_ref frame, buffer_ref records, buffer_ref keys,
                         uint row, uint number_of_part) {
    real mass = LD(vertices, VOLUME_ROWS * row + VOLUME_MASS);
    mask present = lt(R(0.0f), mass);
    real part = UNIFORM(params, VOLUME_PART);
    real whole_step = UNIFORM(frame, FRAME_STEP);
    real3 x = LD3(positions, 3u * row);
    real3 v = LD3(velocities, 3u * row);
    real3 change = LD3(changes, 3u * row);
    if (volume_sees_motion(params)) { // change: what the motion is beyond the velocity
        if (number_of_part == 0u) {
            real3 moved = mul3(sub3(x, change), UNIFORM(frame, FRAME_STEP_INVERSE));
            x = sel3(present, change, x);
            change = sub3(moved, v);
            ST3(changes, 3u * row, change);
            ST3(positions, 3u * row, x);
        }
        v = sel3(present, add3(v, change), v);
    } else {
        if (number_of_part == 0u) {
            real3 begun = change;
            change = sub3(v, begun);
            x = sel3(present, sub3(x, mul3(v, whole_step)), x);
            v = sel3(present, begun, v);
            ST3(changes, 3u * row, change);
            ST3(positions, 3u * row, x);
        }
        v = sel3(present, add3(v, mul3(change, part)), v);
        ST3(velocities, 3u * row, v);
    }

    grains g;
    g.shear = UNIFORM(params, VOLUME_SHEAR);
    g.compression = UNIFORM(params, VOLUME_COMPRESSION);
    g.cone = UNIFORM(params, VOLUME_CONE);
    g.fluid = not_(eq_uint(U(UNIFORM_UINT(params, VOLUME_FLUID)), U(0u)));
    uint strain = STRAIN_ROWS * row;
    grains_state s = grains_settle(g, volume_load(strains, strain), LD(strains, strain + STRAIN_EXCESS));
    VOLUME_STORE(strains, strain, s.deformation);
    ST(strains, strain + STRAIN_EXCESS, s.excess);

    real cells = UNIFORM(params, VOLUME_CELL_INVERSE);
    real3 place = mul3(x, cells);
    real most = uint_to_real(U(VOLUME_REACH));
    real farthest = max_(max_(abs_(place.x), abs_(place.y)), abs_(place.z));
    mask sound = both(present, lt(farthest, most)); // a NaN may hide in the others' shadow: its weight is none
    sound = both(sound, lt(abs_(place.x + place.y + place.z), R(1e18f)));
    place = sel3(sound, place, vec3(R(0.0f), R(0.0f), R(0.0f)));
    real3 base = vec3(spline_base(place.x), spline_base(place.y), spline_base(place.z));
    real first = uint_to_real(U(VOLUME_ORIGIN));
    lane_uint cell_x = to_uint(base.x + first);
    lane_uint cell_y = to_uint(base.y + first);
    lane_uint cell_z = to_uint(base.z + first);
    lane_uint number = LD_UINT(vertices, VOLUME_ROWS * row + VOLUME_NUMBER);
    real3 momentum = mul3(v, mass);
    real gain = -(mass * whole_step) * (part * UNIFORM(params, VOLUME_STRESS_GAIN));
    record8 carried;
    carried.w0 = sel(sound, mass, R(0.0f)); // RECORD_MASS
    carried.w1 = momentum.x;                // RECORD_MOMENTUM
    carried.w2 = momentum.y;
    carried.w3 = momentum.z;
    carried.w4 = gain * s.stress.xx; // RECORD_IMPULSE
    carried.w5 = gain * s.stress.xy;
    carried.w6 = gain * s.stress.xz;
    carried.w7 = gain * s.stress.yy;
    record8 placed;
    placed.w0 = gain * s.stress.yz;
    placed.w1 = gain * s.stress.zz;
    placed.w2 = place.x - base.x; // RECORD_FROM_BASE
    placed.w3 = place.y - base.y;
    placed.w4 = place.z - base.z;
    placed.w5 = bits_real(cell_x); // RECORD_CELL
    placed.w6 = bits_real(cell_y);
    placed.w7 = bits_real(cell_z);
    ST_RECORD8(records, number, RECORD_WORDS, 0u, carried);
    ST_RECORD8(records, number, RECORD_WORDS, 8u, placed);
    ST_RECORD_UINT(keys, number, 1u, 0u, VOLUME_KEY(cell_x, cell_y, cell_z));
}

// After: vertices move on and deform with it.
//
// Separable FLIP (Fei et al. 2021, "Revisiting integration in the material point method", eq. 19): a vertex takes the grid's
// velocity and a share of what it differed from it before. Another share of the difference moves it: one where the hair around
// closes, one where it opens.
//
// That other share is 1 by default, so that the grid damps velocities but keeps nobody from where the solver wants it. The
// paper's values (0.015 where hair closes, 0.06 where it opens) hold vertices of one strand against each other, too: lengths
// and shapes came back so slowly that hair of 30 cm was a ball after two seconds of nodding, with strands stretched by 5
// percent; and one, two or three parts differed by 4 cm.

// The change of a deformation over a step at a constant gradient: A + A^2/2. To the first order alone, hair on a head that turns
// with 10 rad/s would grow by 14 percent a second.
FN gradient volume_change(gradient a) {
    real3 half_x = mul3(a.x, R(0.5f));
    real3 half_y = mul3(a.y, R(0.5f));
    real3 half_z = mul3(a.z, R(0.5f));
    gradient r;
    r.x = add3(a.x, add3(add3(mul3(a.x, half_x.x), mul3(a.y, half_x.y)), mul3(a.z, half_x.z)));
    r.y = add3(a.y, add3(add3(mul3(a.x, half_y.x), mul3(a.y, half_y.y)), mul3(a.z, half_y.z)));
    r.z = add3(a.z, add3(add3(mul3(a.x, half_z.x), mul3(a.y, half_z.y)), mul3(a.z, half_z.z)));
    return r;
}

FN void volume_end_row(buffer_ref positions, buffer_ref velocities, buffer_ref changes, buffer_ref strains,
                       buffer_ref vertices, buffer_ref params, buffer_ref frame, buffer_ref readings, buffer_ref status,
                       uint row, uint number_of_part) {
    mask present = lt(R(0.0f), LD(vertices, VOLUME_ROWS * row + VOLUME_MASS));
    mask held = not_(eq_uint(LD_UINT(vertices, VOLUME_ROWS * row + VOLUME_HELD), U(0u)));
    lane_uint number = LD_UINT(vertices, VOLUME_ROWS * row + VOLUME_NUMBER);
    record8 reading = LD_RECORD8(readings, number, READING_WORDS, 0u);
    record8 rest = LD_RECORD8(readings, number, READING_WORDS, 8u);
    mask valid = eq_uint(real_bits(rest.w7), U(1u)); // READING_VALID
    mask homeless = both(present, not_(valid));
    if (any(homeless)) ATOMIC_ADD_UINT(status, STATUS_HOMELESS, count_lanes(homeless));
    real step = UNIFORM(frame, FRAME_STEP) * UNIFORM(params, VOLUME_PART);
    real3 x = LD3(positions, 3u * row);
    real3 own = LD3(velocities, 3u * row);
    real3 change = LD3(changes, 3u * row);
    real3 v = own;
    real3 path = add3(own, change);
    if (volume_sees_motion(params)) {
        v = path;
    } else {
        real ahead = R(1.0f) - volume_done(params, number_of_part); // of the change, still to come
        path = add3(own, mul3(change, ahead));
    }
    real3 velocity = vec3(reading.w0, reading.w1, reading.w2); // READING_VELOCITY
    real3 before = vec3(reading.w3, reading.w4, reading.w5);   // READING_BEFORE
    real rate = step * UNIFORM(params, VOLUME_CELL_INVERSE);
    gradient a;
    a.x = mul3(vec3(reading.w6, rest.w1, rest.w4), rate); // READING_GRADIENT
    a.y = mul3(vec3(reading.w7, rest.w2, rest.w5), rate);
    a.z = mul3(vec3(rest.w0, rest.w3, rest.w6), rate);
    real3 apart = sub3(v, before);
    real3 kept = mul3(apart, UNIFORM(params, VOLUME_FLIP));
    mask opens = lt(R(0.0f), a.x.x + a.y.y + a.z.z);
    real loose = sel(opens, UNIFORM(params, VOLUME_LOOSE_OPENING), UNIFORM(params, VOLUME_LOOSE_CLOSING));
    real3 way = sub3(add3(velocity, mul3(apart, loose)), v);
    real3 gain = sub3(add3(velocity, kept), v);
    real strength = UNIFORM(params, VOLUME_STRENGTH);

    uint strain = STRAIN_ROWS * row;
    symmetric c = volume_load(strains, strain);
    symmetric next = grains_deform(c, volume_change(a));
    real all = way.x + way.y + way.z + gain.x + gain.y + gain.z + (next.xx + next.xy + next.xz) +
               (next.yy + next.yz + next.zz);
    mask sound = both(both(valid, present), lt(abs_(all), R(1e18f)));
    mask moves = both(sound, not_(held));
    real3 zero = vec3(R(0.0f), R(0.0f), R(0.0f));
    way = sel3(moves, mul3(way, strength), zero);
    gain = sel3(moves, mul3(gain, strength), zero);
    x = sel3(present, add3(x, mul3(add3(path, way), step)), x);
    ST3(positions, 3u * row, x);
    ST3(velocities, 3u * row, add3(own, gain));
    // Hair that was left alone, or is not finite, begins anew.
    next.xx = sel(sound, next.xx, R(0.0f));
    next.xy = sel(sound, next.xy, R(0.0f));
    next.xz = sel(sound, next.xz, R(0.0f));
    next.yy = sel(sound, next.yy, R(0.0f));
    next.yz = sel(sound, next.yz, R(0.0f));
    next.zz = sel(sound, next.zz, R(0.0f));
    VOLUME_STORE(strains, strain, next);
}

#endif
