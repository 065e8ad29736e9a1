// How guides have turned and moved since the bind pose, vertex by vertex: with the scalp, and then by the shortest way from the
// direction that the strand was drawn in to its present one. The direction at a vertex is that of a chord over a quarter of the
// strand: it follows bends and not single curls. Frames carried along the strand in both poses were tried: they turn about it by
// twice what its bend turns about the head, and swung bunches of neighbours out by 15 cm; the error on curly hair was 4.65 percent
// of its length, not 4.27.
//
// Where the strand points the opposite way there is no shortest turn. There the vertex goes on from how the one before has turned;
// in between both turns are mixed.
#define GUIDE_MIX_LOW -0.9f // cosine of the turn: from here on the vertex before counts alone
#define GUIDE_MIX_HIGH -0.4f

// The frame that was `side` and `tangent`, after turn t and then the shortest way to a direction.
FN turn turn_to(turn t, real3 side, real3 tangent, real3 direction) {
    strand_frame f;
    f.side = turn_apply(t, side);
    f.tangent = turn_apply(t, tangent);
    return turn_of(side, tangent, frame_upright(frame_next(f, direction).side, direction));
}

KERNEL(render_guides) {
    OUTPUT_BEGIN(s)
    uint root_row = PACK(item) * ROOT_ROWS;
    strand_frame f;
    f.side = LD3(BUF(roots_frame), root_row + ROOT_SIDE);
    f.tangent = LD3(BUF(roots_frame), root_row + ROOT_NORMAL);
    uint drawn = GUIDE_REST_ROWS * s.first;
    turn root = turn_of(LD3(BUF(rest), drawn + GUIDE_REST_SIDE), LD3(BUF(rest), drawn + GUIDE_REST_TANGENT), f);
    turn t = root;
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
            real3 side = LD3(BUF(rest), rest + GUIDE_REST_SIDE);
            real3 tangent = LD3(BUF(rest), rest + GUIDE_REST_TANGENT);
            real3 expected = turn_apply(root, tangent);
            real3 direction = mul3(chord, R(1.0f) / sqrt_(sel(none, R(1.0f), size2)));
            direction = sel3(none, expected, direction);
            real share = (dot3(expected, direction) - R(GUIDE_MIX_LOW)) * R(1.0f / (GUIDE_MIX_HIGH - GUIDE_MIX_LOW));
            share = min_(max_(share, R(0.0f)), R(1.0f));
            turn next = turn_to(root, side, tangent, direction);
            mask mixed = lt(share, R(1.0f));
            if (any(mixed)) {
                turn between = turn_between(turn_to(t, side, tangent, direction), next, share);
                next.x = sel3(mixed, between.x, next.x);
                next.y = sel3(mixed, between.y, next.y);
            }
            t = next;
        }
        real3 here = output_point(BUF(positions), BUF(snapshot), s, v);
        ST3(BUF(guides), GUIDE_ROWS * vertex + GUIDE_POINT, here);
        ST3(BUF(guides), GUIDE_ROWS * vertex + GUIDE_X, t.x);
        ST3(BUF(guides), GUIDE_ROWS * vertex + GUIDE_Y, t.y);
        ST(BUF(guides), GUIDE_ROWS * vertex + GUIDE_SCALE, s.scale);
    }
}
