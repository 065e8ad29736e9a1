// Strands in their rest shape at their root frames, at rest.

KERNEL(rest) {
    uint pack = PACK(item);
    rest_strands(BUF(positions), BUF(velocities), BUF(targets), BUF(roots), pack,
                 UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_FIRST),
                 UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_VERTICES), lt(R(0.0f), R(1.0f)));
}
