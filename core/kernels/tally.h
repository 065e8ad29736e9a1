// How often each key comes, or the sum of the values that come with it. Keys that have no sum are left out.

ITEM_KERNEL(tally) {
    lane_uint key = LOAD_UINT(BUF(keys), item), value = U(1u);
    if (VAL(weighted) != 0u) value = LOAD_UINT(BUF(values), item);
    ATOMIC_ADD(BUF(sums), key, value, both(ACTIVE, lt_uint(key, U(VAL(capacity)))));
}
