// The spin of strands at rest, after kernel rest.

KERNEL(spin_rest) {
    uint pack = PACK(item);
    spin_rest_strands(BUF(spin), UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_FIRST),
                      UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_VERTICES), lt(R(0.0f), R(1.0f)));
    for (uint r = 0u; r < CARE_ROWS; r++) ST(BUF(care), pack * CARE_ROWS + r, R(0.0f));
}
