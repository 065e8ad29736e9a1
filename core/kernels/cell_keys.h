// In which cell of a box each vertex is. Those outside of it, and padding, have the key behind that of the last cell.

// Along one axis, in cells: `low` and `size_inverse` are bits of floats.
FN real cell_place(real x, uint low, uint size_inverse) { return (x - bits_real(U(low))) * bits_real(U(size_inverse)); }
FN mask cell_within(real place, uint count) {
    return both(not_(lt(place, R(0.0f))), lt(place, uint_to_real(U(count)))); // a NaN is not
}

KERNEL(cell_keys) {
    uint row = PACK(item);
    real3 p = LD3(BUF(positions), 3u * row);
    real x = cell_place(p.x, VAL(low_x), VAL(size_inverse));
    real y = cell_place(p.y, VAL(low_y), VAL(size_inverse));
    real z = cell_place(p.z, VAL(low_z), VAL(size_inverse));
    mask inside = both(both(cell_within(x, VAL(count_x)), cell_within(y, VAL(count_y))), cell_within(z, VAL(count_z)));
    inside = both(inside, not_(eq_uint(LD_UINT(BUF(present), row), U(0u))));
    lane_uint key = to_uint(sel(inside, z, R(0.0f))) * VAL(count_y) + to_uint(sel(inside, y, R(0.0f)));
    key = key * VAL(count_x) + to_uint(sel(inside, x, R(0.0f)));
    ST_UINT(BUF(keys), row, sel_uint(inside, key, U(VAL(count_x) * VAL(count_y) * VAL(count_z))));
}
