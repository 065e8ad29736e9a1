// Unit tangents of render strands to the host's memory: from one neighbour to the other, along the one segment at the ends.

ITEM_KERNEL(render_tangent) {
    RENDER_BEGIN
    real3 behind;
    real3 ahead;
    if (r.slides == 0u) {
        behind = render_vertex(BUF(rows), BUF(rest), BUF(kept), r, s, v - sel_uint(eq_uint(v, U(0u)), U(0u), U(1u)));
        ahead = render_vertex(BUF(rows), BUF(rest), BUF(kept), r, s, min_uint(v + 1u, s.count - 1u));
    } else {
        real place = render_place(s, uint_to_real(v));
        real end = uint_to_real(s.count - 1u) * s.left;
        behind = render_between(BUF(rows), BUF(rest), BUF(kept), r, s, max_(place - s.stride, R(0.0f)));
        ahead = render_between(BUF(rows), BUF(rest), BUF(kept), r, s, min_(place + s.stride, end));
    }
    real3 tangent = render_tangent_of(behind, ahead);
    if (VAL(components) == 2u)
        packed_store(BUF(memory), to, pack_half(tangent), shown);
    else
        output_store(BUF(memory), to, VAL(components), tangent, R(0.0f), shown);
}
