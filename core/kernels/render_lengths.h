// Render strands one by one, before their vertices: where guides take the root, and what to take from vertices so that no segment is
// too long. Sums along a strand go from root to tip, on every device alike. Devices that go along strands anyway leave it out.

ITEM_KERNEL(render_lengths) {
    RENDER_SETTING(r)
    lane_uint strand = sel_uint(ACTIVE, INDEX, U(0u));
    render_strand s = render_based(BUF(rows), r, render_strand_at(BUF(strands), strand));
    mask shown = both(ACTIVE, lt_uint(s.number, U(r.shown)));
    lane_uint at = render_kept_at(s, strand);
    lane_uint cut_from = s.count;
    real3 last = render_carried(BUF(rows), BUF(rest), r, s, U(0u));
    real3 drawn_last = render_rest(BUF(rest), s, U(0u));
    real3 sum = vec3(R(0.0f), R(0.0f), R(0.0f));
    for (uint i = 1u; any(both(shown, lt_uint(U(i), s.count))); i++) {
        lane_uint v = min_uint(U(i), s.count - 1u);
        real3 p = render_carried(BUF(rows), BUF(rest), r, s, v);
        real3 drawn = render_rest(BUF(rest), s, v);
        real3 along = sub3(p, last);
        real size2 = fused_dot3(along, along);
        real allowed2 = render_allowed2(r, s, sub3(drawn, drawn_last), uint_to_real(v));
        mask over = lt(allowed2, size2);
        cut_from = min_uint(cut_from, sel_uint(over, v, s.count));
        sum = add3(sum, render_excess(along, size2, allowed2, over));
        mask cut = both(shown, both(lt_uint(U(i), s.count), not_(lt_uint(v, cut_from))));
        SCATTER(BUF(kept), at + RENDER_KEPT_WORDS + v, sum.x, cut);
        SCATTER(BUF(kept), at + RENDER_KEPT_WORDS + v + s.count, sum.y, cut);
        SCATTER(BUF(kept), at + RENDER_KEPT_WORDS + v + s.count * 2u, sum.z, cut);
        last = p;
        drawn_last = drawn;
    }
    SCATTER_UINT(BUF(kept), at + RENDER_KEPT_FROM, cut_from, shown);
    SCATTER(BUF(kept), at + RENDER_KEPT_BASE, s.base.x, shown);
    SCATTER(BUF(kept), at + RENDER_KEPT_BASE + 1u, s.base.y, shown);
    SCATTER(BUF(kept), at + RENDER_KEPT_BASE + 2u, s.base.z, shown);
    SCATTER(BUF(kept), at + RENDER_KEPT_CHANGE, s.base_change.x, shown);
    SCATTER(BUF(kept), at + RENDER_KEPT_CHANGE + 1u, s.base_change.y, shown);
    SCATTER(BUF(kept), at + RENDER_KEPT_CHANGE + 2u, s.base_change.z, shown);
}
