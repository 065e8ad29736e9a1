// Positions before a step, for output between two steps.

#define SNAPSHOT_PACKS BUF(0)
#define SNAPSHOT_POSITIONS BUF(1)
#define SNAPSHOT_OUT BUF(2)

KERNEL(snapshot) {
    uint first = 3u * UNIFORM_UINT(SNAPSHOT_PACKS, PACK(item) * PACK_UINTS + PACK_FIRST);
    uint rows = 3u * UNIFORM_UINT(SNAPSHOT_PACKS, PACK(item) * PACK_UINTS + PACK_VERTICES);
    for (uint r = 0u; r < rows; r++) {
        real value = LD(SNAPSHOT_POSITIONS, first + r);
        ST(SNAPSHOT_OUT, first + r, value);
    }
}
