// Words from where indices say.

ITEM_KERNEL(gather) {
    lane_uint index =
        sel_uint(ACTIVE, LOAD_UINT(BUF(indices), item), U(0u)); // lanes behind the last item hold anything
    STORE_UINT(BUF(to), item, GATHER_UINT(BUF(from), index), ACTIVE);
}
