// How guides have turned and moved since the bind pose, vertex by vertex. Their frames are carried along them by the shortest
// turn from edge to edge, in both poses alike, so that only twist that the root has made turns them about themselves. A vertex
// has the mean of its two edges, the root that of the scalp.

FN void guide_store(buffer_ref guides, uint vertex, turn t) {
    ST3(guides, GUIDE_ROWS * vertex + GUIDE_X, t.x);
    ST3(guides, GUIDE_ROWS * vertex + GUIDE_Y, t.y);
}

KERNEL(render_guides) {
    OUTPUT_BEGIN(s)
    uint root = PACK(item) * ROOT_ROWS;
    strand_frame f;
    f.side = LD3(BUF(roots_frame), root + ROOT_SIDE);
    f.tangent = LD3(BUF(roots_frame), root + ROOT_NORMAL);
    turn last;
    for (uint v = 0u; v < s.count; v++) {
        uint vertex = s.first + v;
        uint rest = GUIDE_REST_ROWS * vertex;
        if (v > 0u) {
            real3 edge = output_edge(BUF(positions), BUF(snapshot), s, v);
            real size2 = dot3(edge, edge);
            mask none = lt(size2, R(1e-30f));
            real3 direction = mul3(edge, R(1.0f) / sqrt_(sel(none, R(1.0f), size2)));
            f = frame_next(f, sel3(none, f.tangent, direction));
        }
        turn now = turn_of(LD3(BUF(rest), rest + GUIDE_REST_SIDE), LD3(BUF(rest), rest + GUIDE_REST_TANGENT), f);
        if (v > 1u) {
            turn middle = turn_between(last, now, R(0.5f));
            mask there = below(v, s.vertices); // else vertex v - 1 is the tip, or beyond
            middle.x = sel3(there, middle.x, last.x);
            middle.y = sel3(there, middle.y, last.y);
            now.x = sel3(there, now.x, last.x);
            now.y = sel3(there, now.y, last.y);
            guide_store(BUF(guides), vertex - 1u, middle);
        }
        guide_store(BUF(guides), vertex, now); // of the root and the tip it stays
        real3 here = output_point(BUF(positions), BUF(snapshot), s, v);
        ST3(BUF(guides), GUIDE_ROWS * vertex + GUIDE_POINT, here);
        ST(BUF(guides), GUIDE_ROWS * vertex + GUIDE_SCALE, s.scale);
        last = now;
    }
}
