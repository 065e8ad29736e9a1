// Transforms of guides at the vertices of rows. What the row held before goes on, seen from where our origin is now.

FN real3 guide_gather(buffer_ref from, lane_uint at) {
    return vec3(GATHER(from, at), GATHER(from, at + LANE_COUNT), GATHER(from, at + 2u * LANE_COUNT));
}

FN real3 guide_lerp(buffer_ref from, lane_uint at, lane_uint next, real share) {
    real3 a = guide_gather(from, at);
    return add3(a, mul3(sub3(guide_gather(from, at + next), a), share));
}

// One column: what was there, and what comes.
FN void row_store(buffer_ref rows, buffer_ref before, lane_uint at, lane_uint count, real3 value, real3 moved,
                  uint remember, uint known, mask m) {
    if (remember != 0u) {
        real3 last = value;
        if (known != 0u)
            last = sub3(vec3(GATHER(rows, at), GATHER(rows, at + count), GATHER(rows, at + count * 2u)), moved);
        SCATTER(before, at, last.x, m);
        SCATTER(before, at + count, last.y, m);
        SCATTER(before, at + count * 2u, last.z, m);
    }
    SCATTER(rows, at, value.x, m);
    SCATTER(rows, at + count, value.y, m);
    SCATTER(rows, at + count * 2u, value.z, m);
}

ITEM_KERNEL(render_rows) {
    uint known = UNIFORM_UINT(BUF(frame), OUTPUT_ROWS_KNOWN);
    real units = UNIFORM(BUF(frame), OUTPUT_UNITS);
    real3 still = vec3(R(0.0f), R(0.0f), R(0.0f));
    real3 moved = mul3(UNIFORM3(BUF(frame), OUTPUT_MOVED), units);
    lane_uint source = sel_uint(ACTIVE, LOAD_UINT(BUF(sources), item), U(0u));
    real share = bits_real(sel_uint(ACTIVE, LOAD_UINT(BUF(sources), VAL(count) * ROW_ITEM_SHARE + item), U(0u)));
    lane_uint to = sel_uint(ACTIVE, LOAD_UINT(BUF(sources), VAL(count) * ROW_ITEM_PLACE + item), U(0u));
    lane_uint count = sel_uint(ACTIVE, LOAD_UINT(BUF(sources), VAL(count) * ROW_ITEM_COUNT + item), U(0u));
    lane_uint root = sel_uint(ACTIVE, LOAD_UINT(BUF(sources), VAL(count) * ROW_ITEM_ROOT + item), U(0u));
    lane_uint row = source >> 5u;
    lane_uint lane = source & 31u;
    uint vertex = GUIDE_ROWS * LANE_COUNT;
    lane_uint at = row * vertex + lane;
    mask between = lt(R(0.0f), share);
    lane_uint next = sel_uint(between, U(vertex), U(0u)); // a guide's last vertex has none behind it
    turn a;
    turn b;
    a.x = guide_gather(BUF(guides), at + GUIDE_X * LANE_COUNT);
    a.y = guide_gather(BUF(guides), at + GUIDE_Y * LANE_COUNT);
    b.x = guide_gather(BUF(guides), at + next + GUIDE_X * LANE_COUNT);
    b.y = guide_gather(BUF(guides), at + next + GUIDE_Y * LANE_COUNT);
    turn t = turn_between(a, b, share);
    real scale = GATHER(BUF(guides), at + GUIDE_SCALE * LANE_COUNT);
    real3 point = mul3(guide_lerp(BUF(guides), at + GUIDE_POINT * LANE_COUNT, next, share), units);
    uint rest_vertex = GUIDE_REST_ROWS * LANE_COUNT;
    lane_uint rest_at = row * rest_vertex + lane + GUIDE_REST_POINT * LANE_COUNT;
    real3 rest = guide_lerp(BUF(rest), rest_at, sel_uint(between, U(rest_vertex), U(0u)), share);
    render_transform m;
    m.x = mul3(t.x, scale);
    m.y = mul3(t.y, scale);
    m.z = mul3(cross3(t.x, t.y), scale);
    m.shift = still;
    lane_uint root_at = (root >> 5u) * vertex + (root & 31u);
    a.x = guide_gather(BUF(guides), root_at + GUIDE_X * LANE_COUNT);
    a.y = guide_gather(BUF(guides), root_at + GUIDE_Y * LANE_COUNT);
    real3 root_rest =
        guide_gather(BUF(rest), (root >> 5u) * rest_vertex + (root & 31u) + GUIDE_REST_POINT * LANE_COUNT);
    m.shift = sub3(sub3(point, transform_point(m, sub3(rest, root_rest))), mul3(turn_apply(a, root_rest), scale));
    row_store(BUF(rows), BUF(rows_before), to, count, m.x, still, VAL(remember), known, ACTIVE);
    row_store(BUF(rows), BUF(rows_before), to + count * 3u, count, m.y, still, VAL(remember), known, ACTIVE);
    row_store(BUF(rows), BUF(rows_before), to + count * 6u, count, m.z, still, VAL(remember), known, ACTIVE);
    row_store(BUF(rows), BUF(rows_before), to + count * 9u, count, m.shift, moved, VAL(remember), known, ACTIVE);
    lane_uint scale_at = to + count * RENDER_ROW_SCALE;
    if (VAL(remember) != 0u) {
        real last = scale;
        if (known != 0u) last = GATHER(BUF(rows), scale_at);
        SCATTER(BUF(rows_before), scale_at, last, ACTIVE);
    }
    SCATTER(BUF(rows), scale_at, scale, ACTIVE);
}
