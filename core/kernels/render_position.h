// Render strands to the host's memory, w: the radius. The box around all of them, radii included, goes to the status.

ITEM_KERNEL(render_position) {
    RENDER_BEGIN
    real place = uint_to_real(v);
    lane_uint at = s.first * RENDER_REST_FLOATS + s.count * RENDER_REST_RADIUS;
    lane_uint near = v;
    real rest = GATHER(BUF(rest), at + near);
    if (r.slides != 0u) {
        place = render_place(s, place);
        near = render_before(s, place);
        rest = GATHER(BUF(rest), at + near);
        rest = rest + (GATHER(BUF(rest), at + near + 1u) - rest) * (place - uint_to_real(near));
    }
    real3 p = render_seen(r, render_point(BUF(rows), BUF(rest), BUF(kept), r, s, v));
    real radius = render_radius(r, s, place, rest, render_scale(BUF(rows), s, near));
    if (VAL(components) == 2u)
        packed_store(BUF(memory), to, pack_in_box(BUF(settings), p, radius), shown);
    else
        output_store(BUF(memory), to, VAL(components), p, radius, shown);
    ATOMIC_MIN(BUF(status), U(STATUS_RENDER_LOW), order_bits(p.x - radius), shown);
    ATOMIC_MIN(BUF(status), U(STATUS_RENDER_LOW + 1u), order_bits(p.y - radius), shown);
    ATOMIC_MIN(BUF(status), U(STATUS_RENDER_LOW + 2u), order_bits(p.z - radius), shown);
    ATOMIC_MAX(BUF(status), U(STATUS_RENDER_HIGH), order_bits(p.x + radius), shown);
    ATOMIC_MAX(BUF(status), U(STATUS_RENDER_HIGH + 1u), order_bits(p.y + radius), shown);
    ATOMIC_MAX(BUF(status), U(STATUS_RENDER_HIGH + 2u), order_bits(p.z + radius), shown);
}
