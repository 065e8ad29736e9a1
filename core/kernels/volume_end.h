// Hair-hair forces, after a step of the grid: vertices move on and deform with it.
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

KERNEL(volume_end) {
    uint row = PACK(item);
    mask present = lt(R(0.0f), LD(BUF(vertices), VOLUME_ROWS * row + VOLUME_MASS));
    mask held = not_(eq_uint(LD_UINT(BUF(vertices), VOLUME_ROWS * row + VOLUME_HELD), U(0u)));
    lane_uint number = LD_UINT(BUF(vertices), VOLUME_ROWS * row + VOLUME_NUMBER); // 0 where there is no vertex
    record8 reading = LD_RECORD8(BUF(readings), number, READING_WORDS, 0u);
    record8 rest = LD_RECORD8(BUF(readings), number, READING_WORDS, 8u);
    mask valid = eq_uint(real_bits(rest.w7), U(1u)); // READING_VALID
    mask homeless = both(present, not_(valid));
    if (any(homeless)) ATOMIC_ADD_UINT(BUF(status), STATUS_HOMELESS, count_lanes(homeless));
    real step = UNIFORM(BUF(frame), FRAME_STEP) * UNIFORM(BUF(params), VOLUME_PART);
    real3 x = LD3(BUF(positions), 3u * row);
    real3 v = LD3(BUF(velocities), 3u * row);
    real3 velocity = vec3(reading.w0, reading.w1, reading.w2); // READING_VELOCITY
    real3 before = vec3(reading.w3, reading.w4, reading.w5);   // READING_BEFORE
    real rate = step * UNIFORM(BUF(params), VOLUME_CELL_INVERSE);
    gradient a;
    a.x = mul3(vec3(reading.w6, rest.w1, rest.w4), rate); // READING_GRADIENT
    a.y = mul3(vec3(reading.w7, rest.w2, rest.w5), rate);
    a.z = mul3(vec3(rest.w0, rest.w3, rest.w6), rate);
    real3 apart = sub3(v, before);
    real3 kept = mul3(apart, UNIFORM(BUF(params), VOLUME_FLIP));
    mask opens = lt(R(0.0f), a.x.x + a.y.y + a.z.z);
    real loose = sel(opens, UNIFORM(BUF(params), VOLUME_LOOSE_OPENING), UNIFORM(BUF(params), VOLUME_LOOSE_CLOSING));
    real3 way = sub3(add3(velocity, mul3(apart, loose)), v);
    real3 gain = sub3(add3(velocity, kept), v);
    real strength = UNIFORM(BUF(params), VOLUME_STRENGTH);

    uint strain = STRAIN_ROWS * row;
    symmetric c = volume_load(BUF(strains), strain);
    symmetric next = grains_deform(c, volume_change(a));
    real all = way.x + way.y + way.z + gain.x + gain.y + gain.z + (next.xx + next.xy + next.xz) +
               (next.yy + next.yz + next.zz);
    mask sound = both(both(valid, present), lt(abs_(all), R(1e18f)));
    mask moves = both(sound, not_(held));
    real3 zero = vec3(R(0.0f), R(0.0f), R(0.0f));
    way = sel3(moves, mul3(way, strength), zero);
    gain = sel3(moves, mul3(gain, strength), zero);
    real ahead = R(1.0f) - volume_done(BUF(params), VAL(part)); // of the change, still to come
    real3 path = add3(v, mul3(LD3(BUF(changes), 3u * row), ahead));
    x = sel3(present, add3(x, mul3(add3(path, way), step)), x);
    v = add3(v, gain);
    ST3(BUF(positions), 3u * row, x);
    ST3(BUF(velocities), 3u * row, v);
    // Hair that was left alone, or is not finite, begins anew.
    next.xx = sel(sound, next.xx, R(0.0f));
    next.xy = sel(sound, next.xy, R(0.0f));
    next.xz = sel(sound, next.xz, R(0.0f));
    next.yy = sel(sound, next.yy, R(0.0f));
    next.yz = sel(sound, next.yz, R(0.0f));
    next.zz = sel(sound, next.zz, R(0.0f));
    VOLUME_STORE(BUF(strains), strain, next);
}
