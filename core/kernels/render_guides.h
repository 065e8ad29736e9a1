// How guides have turned and moved since the bind pose, vertex by vertex. Their frames begin with that of the scalp and are carried
// along by the shortest turn from one direction to the next, in both poses alike. The direction at a vertex is that of a chord
// over a quarter of the strand: it follows bends and not single curls. Frames carried along a curl itself turn about it as it
// stretches, once for every few of its windings, and swung neighbours around it in loops of several centimetres.

KERNEL(render_guides) {
    OUTPUT_BEGIN(s)
    uint root = PACK(item) * ROOT_ROWS;
    strand_frame f;
    f.side = LD3(BUF(roots_frame), root + ROOT_SIDE);
    f.tangent = LD3(BUF(roots_frame), root + ROOT_NORMAL);
    lane_uint last = max_uint(s.vertices, U(2u)) - 1u;
    lane_uint reach = GUIDE_REACH(s.vertices);
    for (uint v = 0u; v < s.count; v++) {
        uint vertex = s.first + v;
        uint rest = GUIDE_REST_ROWS * vertex;
        if (v > 0u) {
            lane_uint behind = U(v) - min_uint(reach, U(v));
            real3 chord = output_chord(BUF(positions), BUF(snapshot), s, behind, min_uint(U(v) + reach, last));
            real size2 = dot3(chord, chord);
            mask none = lt(size2, R(1e-30f));
            real3 direction = mul3(chord, R(1.0f) / sqrt_(sel(none, R(1.0f), size2)));
            f = frame_next(f, sel3(none, f.tangent, direction));
        }
        turn t = turn_of(LD3(BUF(rest), rest + GUIDE_REST_SIDE), LD3(BUF(rest), rest + GUIDE_REST_TANGENT), f);
        real3 here = output_point(BUF(positions), BUF(snapshot), s, v);
        ST3(BUF(guides), GUIDE_ROWS * vertex + GUIDE_POINT, here);
        ST3(BUF(guides), GUIDE_ROWS * vertex + GUIDE_X, t.x);
        ST3(BUF(guides), GUIDE_ROWS * vertex + GUIDE_Y, t.y);
        ST(BUF(guides), GUIDE_ROWS * vertex + GUIDE_SCALE, s.scale);
    }
}
