// Of sorted keys: how many each one's run has.

ITEM_KERNEL(run_sizes) {
    lane_uint run = LOAD_UINT(BUF(offsets), item) + LOAD_UINT(BUF(heads), item) - 1u;
    run = sel_uint(ACTIVE, run, U(0u));
    lane_uint size = GATHER_UINT(BUF(starts), run + 1u) - GATHER_UINT(BUF(starts), run);
    STORE_UINT(BUF(sizes), item, size, ACTIVE);
}
