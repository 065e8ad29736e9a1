// Unit tangents to the host's memory: from one neighbour to the other inside the strand, along the one segment at its ends.
KERNEL(output_tangent) {
    OUTPUT_BEGIN(s)
    OUTPUT_INDEX(s)
    real3 behind = output_point(BUF(positions), BUF(snapshot), s, 0u);
    real3 here = behind;
    for (uint v = 0u; v < s.count; v++) {
        real3 ahead = here;
        if (v + 1u < s.count)
            ahead = sel3(below(v + 1u, s.vertices), output_point(BUF(positions), BUF(snapshot), s, v + 1u), here);
        real3 along = sub3(ahead, behind);
        real size2 = dot3(along, along);
        mask none = lt(size2, R(1e-30f)); // folded back exactly onto itself
        along = mul3(along, R(1.0f) / sqrt_(sel(none, R(1.0f), size2)));
        output_store(BUF(memory), s.index + v * VAL(stride), VAL(components),
                     sel3(none, LD3(BUF(roots_frame), PACK(item) * ROOT_ROWS + ROOT_NORMAL), along), R(0.0f),
                     below(v, s.vertices));
        behind = here;
        here = ahead;
    }
}
