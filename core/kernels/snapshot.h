// Positions before a step, for output between two steps.

KERNEL(snapshot) {
    uint first = 3u * UNIFORM_UINT(BUF(packs), PACK(item) * PACK_UINTS + PACK_FIRST);
    uint rows = 3u * UNIFORM_UINT(BUF(packs), PACK(item) * PACK_UINTS + PACK_VERTICES);
    for (uint r = 0u; r < rows; r++) {
        real value = LD(BUF(positions), first + r);
        ST(BUF(copy), first + r, value);
    }
}
