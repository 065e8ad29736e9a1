// Sums in fixed point as floats.

ITEM_KERNEL(fixed_to_floats) {
    real value = from_fixed(LOAD_UINT(BUF(sums), item), bits_real(U(VAL(scale_inverse))));
    STORE_UINT(BUF(to), item, real_bits(value), ACTIVE);
}
