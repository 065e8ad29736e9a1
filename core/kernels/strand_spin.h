// Strands as drawn are not twisted and do not spin.

// Rewrites the lanes in m only.
FN void spin_rest_strands(buffer_ref spin, uint first, uint vertices, mask m) {
    for (uint r = SPIN_ROWS * first; r < SPIN_ROWS * (first + vertices); r++) {
        real kept = sel(m, R(0.0f), LD(spin, r));
        ST(spin, r, kept);
    }
}
