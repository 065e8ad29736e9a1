// What all targets make of whole numbers alike: fixed-point sums, and floats in an order that unsigned numbers have.

// Fixed point: a real times `scale`, to the nearest whole number, halves to even; beyond 2^22 halves are cut, and what is
// beyond 2^31 counts as nearly that. Sums of such numbers do not depend on their order; they wrap around, so what is summed
// must stay within 2^31 / scale.
FN lane_uint to_fixed(real x, real scale) {
    real scaled = max_(min_(x * scale, R(2147483520.0f)), R(-2147483520.0f));
    return int_bits(to_int(sel(lt(abs_(scaled), R(4194304.0f)), round_(scaled), scaled)));
}
FN real from_fixed(lane_uint sum, real scale_inverse) { return int_to_real(bits_int(sum)) * scale_inverse; }

// Bits that compare as the floats do, for ATOMIC_MIN and ATOMIC_MAX; not for NaN.
FN lane_uint order_bits(real x) {
    lane_uint bits = real_bits(x);
    return bits ^ sel_uint(lt_uint(bits, U(0x80000000u)), U(0x80000000u), U(0xffffffffu));
}
FN real bits_order(lane_uint bits) {
    return bits_real(bits ^ sel_uint(lt_uint(bits, U(0x80000000u)), U(0xffffffffu), U(0x80000000u)));
}
