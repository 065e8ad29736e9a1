// The numbers of the items whose flag is 1, in order. Flags are 0 or 1.

ITEM_KERNEL(compact) {
    lane_uint flag = LOAD_UINT(BUF(flags), item), to = LOAD_UINT(BUF(offsets), item);
    SCATTER_UINT(BUF(indices), to, INDEX, both(ACTIVE, eq_uint(flag, U(1u))));
    mask last = both(ACTIVE, eq_uint(INDEX + 1u, U(ITEMS)));
    if (VAL(bound) != 0u) SCATTER_UINT(BUF(indices), to + flag, U(ITEMS), last);
}
