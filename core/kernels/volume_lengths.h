// Hair-hair forces, after the last step of the grid: it moves vertices one by one, and knows of no strand. No segment stays
// longer than the solver would leave it, and how long strands are is told anew.

KERNEL(volume_lengths) {
    uint pack = PACK(item);
    uint first = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_FIRST);
    uint vertices = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_VERTICES);
    real scale = LD(BUF(roots), pack * ROOT_ROWS + ROOT_SCALE);
    real3 x_last = LD3(BUF(positions), 3u * first);
    real3 v_last = LD3(BUF(velocities), 3u * first);
    real length = R(0.0f);
    real whole = R(0.0f);
    mask cut = lt(R(1.0f), R(0.0f));
    for (uint row = first + 1u; row < first + vertices; row++) {
        mask held = not_(eq_uint(LD_UINT(BUF(vertices), VOLUME_ROWS * row + VOLUME_HELD), U(0u)));
        real rest = LD(BUF(targets), TARGET_ROWS * row + TARGET_LENGTH) * scale; // 0 beyond the tip
        real3 x = LD3(BUF(positions), 3u * row);
        real3 v = LD3(BUF(velocities), 3u * row);
        real3 segment = sub3(x, x_last);
        real size = sqrt_(max_(dot3(segment, segment), R(1e-24f)));
        mask is_edge = lt(R(0.0f), rest);
        mask torn = both(both(is_edge, not_(held)), lt(rest * ROD_MOST, size));
        if (any(torn)) {
            real3 tangent = mul3(segment, R(1.0f) / size);
            real outward = max_(dot3(sub3(v, v_last), tangent), R(0.0f));
            v = sel3(torn, sub3(v, mul3(tangent, outward)), v);
            x = sel3(torn, add3(x_last, mul3(tangent, rest * ROD_MOST)), x);
            size = sel(torn, rest * ROD_MOST, size);
            cut = either(cut, torn);
            ST3(BUF(positions), 3u * row, x);
            ST3(BUF(velocities), 3u * row, v);
        }
        length = length + sel(is_edge, size, R(0.0f));
        whole = whole + rest;
        x_last = x;
        v_last = v;
    }
    if (any(cut)) ATOMIC_ADD_UINT(BUF(status), STATUS_CUT, count_lanes(cut));
    real stretch = sel(lt(R(0.0f), whole), length / max_(whole, R(1e-20f)), R(1.0f));
    ST(BUF(results), pack * RESULT_ROWS + RESULT_STRETCH, stretch);
}
