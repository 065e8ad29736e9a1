// The size of a dispatch in two dimensions, from a count that only the device knows.

ITEM_KERNEL(dispatch_size) {
    lane_uint at = INDEX + VAL(at);
    lane_uint count = min_uint(GATHER_UINT(BUF(counter_in), sel_uint(ACTIVE, at, U(VAL(at)))), U(VAL(capacity)));
    lane_uint groups = count / U(VAL(group)) + sel_uint(eq_uint(count % U(VAL(group)), U(0u)), U(0u), U(1u));
    lane_uint slot = INDEX + VAL(slot);
    SCATTER_UINT(BUF(sizes), slot, min_uint(groups, U(DISPATCH_GROUPS_X)), ACTIVE);
    SCATTER_UINT(BUF(sizes), slot + 1u, (groups + DISPATCH_GROUPS_X - 1u) / DISPATCH_GROUPS_X, ACTIVE);
    SCATTER_UINT(BUF(sizes), slot + 2u, U(1u), ACTIVE);
}
