// The smallest and the largest value that come with each key. Keys beyond the capacity are left out.

ITEM_KERNEL(extremes) {
    lane_uint key = LOAD_UINT(BUF(keys), item), value = LOAD_UINT(BUF(values), item);
    mask known = both(ACTIVE, lt_uint(key, U(VAL(capacity))));
    ATOMIC_MIN(BUF(lows), key, value, known);
    ATOMIC_MAX(BUF(highs), key, value, known);
}
