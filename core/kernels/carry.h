// Teleport: strands go rigidly from one set of root frames to another, keeping shape and velocity relative to the root.

KERNEL(carry) {
    uint pack = PACK(item);
    uint first = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_FIRST);
    uint vertices = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_VERTICES);
    rigid_carry c = carry_between(BUF(from), BUF(to), pack);
    for (uint v = 0u; v < vertices; v++) {
        uint row = 3u * (first + v);
        real3 p = carry_point(c, LD3(BUF(positions), row));
        real3 speed = carry_vector(c, LD3(BUF(velocities), row));
        ST3(BUF(positions), row, p);
        ST3(BUF(velocities), row, speed);
    }
    uint root = pack * ROOT_ROWS;
    for (uint r = 0u; r < ROOT_ROWS; r++) {
        real value = LD(BUF(to), root + r);
        ST(BUF(from), root + r, value);
    }
}
