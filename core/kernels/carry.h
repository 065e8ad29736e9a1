// Teleport: strands go rigidly from one set of root frames to another, keeping shape and velocity relative to the root.

#define CARRY_PACKS BUF(0)
#define CARRY_POSITIONS BUF(1)
#define CARRY_VELOCITIES BUF(2)
#define CARRY_FROM BUF(3)
#define CARRY_TO BUF(4)

STRUCT(rigid_carry)
    strand_frame from, to;
    real3 origin_from, origin_to;
    real scale;
END(rigid_carry)

FN rigid_carry carry_between(buffer_ref from, buffer_ref to, uint pack) {
    uint root = pack * ROOT_ROWS;
    rigid_carry c;
    c.origin_from = LD3(from, root + ROOT_POSITION);
    c.from.side = LD3(from, root + ROOT_SIDE);
    c.from.tangent = LD3(from, root + ROOT_NORMAL);
    c.origin_to = LD3(to, root + ROOT_POSITION);
    c.to.side = LD3(to, root + ROOT_SIDE);
    c.to.tangent = LD3(to, root + ROOT_NORMAL);
    c.scale = LD(to, root + ROOT_SCALE) / max_(LD(from, root + ROOT_SCALE), R(1e-20f));
    return c;
}

FN real3 carry_vector(rigid_carry c, real3 v) {
    real3 local = vec3(dot3(v, c.from.side), dot3(v, c.from.tangent), dot3(v, cross3(c.from.side, c.from.tangent)));
    return mul3(frame_direction(c.to, local), c.scale);
}

FN real3 carry_point(rigid_carry c, real3 p) { return add3(c.origin_to, carry_vector(c, sub3(p, c.origin_from))); }

KERNEL(carry) {
    uint pack = PACK(item);
    uint first = UNIFORM_UINT(CARRY_PACKS, pack * PACK_UINTS + PACK_FIRST);
    uint vertices = UNIFORM_UINT(CARRY_PACKS, pack * PACK_UINTS + PACK_VERTICES);
    rigid_carry c = carry_between(CARRY_FROM, CARRY_TO, pack);
    for (uint v = 0u; v < vertices; v++) {
        uint row = 3u * (first + v);
        real3 p = carry_point(c, LD3(CARRY_POSITIONS, row));
        real3 speed = carry_vector(c, LD3(CARRY_VELOCITIES, row));
        ST3(CARRY_POSITIONS, row, p);
        ST3(CARRY_VELOCITIES, row, speed);
    }
    uint root = pack * ROOT_ROWS;
    for (uint r = 0u; r < ROOT_ROWS; r++) {
        real value = LD(CARRY_TO, root + r);
        ST(CARRY_FROM, root + r, value);
    }
}
