// Hair-hair forces, before a step of the grid: vertices get their share of what the solver changed, their material settles, and
// they tell the grid of themselves.
//
// The solver has moved a vertex from x - v dt to x, and its velocity from v0 to v. The grid's steps go that way again, with
// v0 and one part of the change more in each (Huang et al. 2023, sec. 3.3). What the grid changes moves the vertex off that way;
// where it changes nothing the vertex ends where the solver has put it. To move it by v0 and its parts alone, as the paper has
// it, was tried: three parts then differ from one by 17 mm after five seconds of nodding, not by 10 mm, of which 7 are the rods'.

KERNEL(volume_begin) {
    uint row = PACK(item);
    real mass = LD(BUF(vertices), VOLUME_ROWS * row + VOLUME_MASS);
    mask present = lt(R(0.0f), mass);
    real part = UNIFORM(BUF(params), VOLUME_PART);
    real whole_step = UNIFORM(BUF(frame), FRAME_STEP);
    real3 x = LD3(BUF(positions), 3u * row);
    real3 v = LD3(BUF(velocities), 3u * row);
    real3 change = LD3(BUF(changes), 3u * row);
    if (VAL(part) == 0u) {
        real3 begun = change;
        change = sub3(v, begun);
        x = sel3(present, sub3(x, mul3(v, whole_step)), x);
        v = sel3(present, begun, v);
        ST3(BUF(changes), 3u * row, change);
        ST3(BUF(positions), 3u * row, x);
    }
    v = sel3(present, add3(v, mul3(change, part)), v);
    ST3(BUF(velocities), 3u * row, v);

    grains g;
    g.shear = UNIFORM(BUF(params), VOLUME_SHEAR);
    g.compression = UNIFORM(BUF(params), VOLUME_COMPRESSION);
    g.cone = UNIFORM(BUF(params), VOLUME_CONE);
    g.fluid = not_(eq_uint(U(UNIFORM_UINT(BUF(params), VOLUME_FLUID)), U(0u)));
    uint strain = STRAIN_ROWS * row;
    grains_state s = grains_settle(g, volume_load(BUF(strains), strain), LD(BUF(strains), strain + STRAIN_EXCESS));
    VOLUME_STORE(BUF(strains), strain, s.deformation);
    ST(BUF(strains), strain + STRAIN_EXCESS, s.excess);

    real cells = UNIFORM(BUF(params), VOLUME_CELL_INVERSE);
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
    lane_uint at = U(row * LANE_COUNT) + LANE_NUMBER;
    real3 momentum = mul3(v, mass);
    real gain = -(mass * whole_step) * (part * UNIFORM(BUF(params), VOLUME_STRESS_GAIN));
    ST_PLACE(BUF(records), row, RECORD_WORDS, RECORD_MASS, sel(sound, mass, R(0.0f)));
    ST_PLACE(BUF(records), row, RECORD_WORDS, RECORD_FROM_BASE, place.x - base.x);
    ST_PLACE(BUF(records), row, RECORD_WORDS, RECORD_FROM_BASE + 1u, place.y - base.y);
    ST_PLACE(BUF(records), row, RECORD_WORDS, RECORD_FROM_BASE + 2u, place.z - base.z);
    ST_PLACE(BUF(records), row, RECORD_WORDS, RECORD_MOMENTUM, momentum.x);
    ST_PLACE(BUF(records), row, RECORD_WORDS, RECORD_MOMENTUM + 1u, momentum.y);
    ST_PLACE(BUF(records), row, RECORD_WORDS, RECORD_MOMENTUM + 2u, momentum.z);
    ST_PLACE(BUF(records), row, RECORD_WORDS, RECORD_IMPULSE, gain * s.stress.xx);
    ST_PLACE(BUF(records), row, RECORD_WORDS, RECORD_IMPULSE + 1u, gain * s.stress.xy);
    ST_PLACE(BUF(records), row, RECORD_WORDS, RECORD_IMPULSE + 2u, gain * s.stress.xz);
    ST_PLACE(BUF(records), row, RECORD_WORDS, RECORD_IMPULSE + 3u, gain * s.stress.yy);
    ST_PLACE(BUF(records), row, RECORD_WORDS, RECORD_IMPULSE + 4u, gain * s.stress.yz);
    ST_PLACE(BUF(records), row, RECORD_WORDS, RECORD_IMPULSE + 5u, gain * s.stress.zz);
    ST_PLACE_UINT(BUF(records), row, RECORD_WORDS, RECORD_CELL, cell_x);
    ST_PLACE_UINT(BUF(records), row, RECORD_WORDS, RECORD_CELL + 1u, cell_y);
    ST_PLACE_UINT(BUF(records), row, RECORD_WORDS, RECORD_CELL + 2u, cell_z);
    ST_PLACE_UINT(BUF(readings), row, READING_WORDS, READING_VALID, U(0u));

    lane_uint number = LD_UINT(BUF(vertices), VOLUME_ROWS * row + VOLUME_NUMBER);
    SCATTER_UINT(BUF(keys), number, volume_key(cell_x, cell_y, cell_z), present);
    SCATTER_UINT(BUF(indices), number, at, present);
}
