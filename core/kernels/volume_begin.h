// Hair-hair forces, before a step of the grid: vertices get their share of what the solver changed, their material settles, and
// they tell the grid of themselves.
//
// The solver has moved a vertex from x - v dt to x, and its velocity from v0 to v. The grid's steps go that way again, with
// v0 and one part of the change more in each (Huang et al. 2023, sec. 3.3). What the grid changes moves the vertex off that way;
// where it changes nothing the vertex ends where the solver has put it. To move it by v0 and its parts alone, as the paper has
// it, was tried: three parts then differ from one by 17 mm after five seconds of nodding, not by 10 mm, of which 7 are the rods'.

KERNEL(volume_begin) {
    uint row = PACK(item);
    for (uint r = row; r < VAL(table_words) / LANE_COUNT; r += VAL(rows)) ST_UINT(BUF(table), r, U(0u));
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
    lane_uint number = sel_uint(present, LD_UINT(BUF(vertices), VOLUME_ROWS * row + VOLUME_NUMBER), U(VAL(spare)));
    real3 momentum = mul3(v, mass);
    real gain = -(mass * whole_step) * (part * UNIFORM(BUF(params), VOLUME_STRESS_GAIN));
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
    ST_RECORD8(BUF(records), number, RECORD_WORDS, 0u, carried);
    ST_RECORD8(BUF(records), number, RECORD_WORDS, 8u, placed);
    ST_RECORD_UINT(BUF(readings), number, READING_WORDS, READING_VALID, U(0u));
    ST_RECORD_UINT(BUF(keys), number, 1u, 0u, VOLUME_KEY(cell_x, cell_y, cell_z));
}
