// Sums of floats by key, in fixed point: the order in which they come does not matter.

ITEM_KERNEL(tally_fixed) {
    lane_uint key = LOAD_UINT(BUF(keys), item);
    lane_uint value = to_fixed(bits_real(LOAD_UINT(BUF(values), item)), bits_real(U(VAL(scale))));
    ATOMIC_ADD(BUF(sums), key, value, both(ACTIVE, lt_uint(key, U(VAL(capacity)))));
}
