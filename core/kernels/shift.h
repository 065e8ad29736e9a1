// The origin moves: strands stay where they are in the world.

KERNEL(shift) {
    uint first = UNIFORM_UINT(BUF(packs), PACK(item) * PACK_UINTS + PACK_FIRST);
    uint vertices = UNIFORM_UINT(BUF(packs), PACK(item) * PACK_UINTS + PACK_VERTICES);
    real3 moved = UNIFORM3(BUF(frame), FRAME_SHIFT);
    for (uint v = 0u; v < vertices; v++) {
        uint row = 3u * (first + v);
        real3 p = sub3(LD3(BUF(positions), row), moved);
        ST3(BUF(positions), row, p);
    }
}
