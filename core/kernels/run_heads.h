// Of sorted keys: 1 where a run of equal ones begins, else 0.

ITEM_KERNEL(run_heads) {
    lane_uint before = GATHER_UINT(BUF(keys), max_uint(INDEX, U(1u)) - 1u);
    mask same = eq_uint(LOAD_UINT(BUF(keys), item), before);
    mask inside = both(same, not_(eq_uint(INDEX, U(0u))));
    STORE_UINT(BUF(heads), item, sel_uint(inside, U(0u), U(1u)), ACTIVE);
}
