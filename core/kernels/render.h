// Render strands: a strand's shape, as seen from its root, is carried along by the transforms of its guides, weighted. This is linear
// blend skinning with guide vertices for bones (Daviet 2023, sec. 5.3); only how far roots are from each other turns with the scalp,
// not with the guide. Turned with that too, a strand 3 mm from a guide that lies down is torn off its root by 3 mm, and fur of
// 50,000 strands was stretched by half and more. "Multi-strand" weighs all guides, "single-strand" takes
// the nearest alone, and both are mixed along the strand (Yuksel and Tariq 2010; Huang et al. 2023, sec. 5).
//
// What is carried by points may stretch: where a guide turns from one vertex to the next, a strand that was drawn apart from it takes
// a longer way. So segments that are too long are cut to what is allowed, and what was cut off is taken from all vertices behind
// them. Directions stay, nothing happens to other strands, and it comes and goes without a jump.
#define RENDER_STRETCH 1.04f // of segments, at most, as of guides

// ---- turns of guides ----

// Vertices to either side of one that its direction is taken over.
#define GUIDE_REACH(vertices) max_uint((vertices) >> 3u, U(1u))

// A rotation: where it takes the x and the y axis.
STRUCT(turn)
    real3 x, y;
END(turn)

// What turned a frame of the bind pose into another.
FN turn turn_of(real3 rest_side, real3 rest_tangent, strand_frame f) {
    real3 third = cross3(rest_side, rest_tangent);
    turn t;
    t.x = frame_direction(f, vec3(rest_side.x, rest_tangent.x, third.x));
    t.y = frame_direction(f, vec3(rest_side.y, rest_tangent.y, third.y));
    return t;
}

FN real3 turn_apply(turn t, real3 v) { return add3(add3(mul3(t.x, v.x), mul3(t.y, v.y)), mul3(cross3(t.x, t.y), v.z)); }

// Between two turns, for `share` of the way. Opposite ones cancel; the guards keep the result finite.
FN turn turn_between(turn a, turn b, real share) {
    turn t;
    t.x = add3(a.x, mul3(sub3(b.x, a.x), share));
    t.y = add3(a.y, mul3(sub3(b.y, a.y), share));
    t.x = mul3(t.x, R(1.0f) / sqrt_(max_(dot3(t.x, t.x), R(1e-12f))));
    t.y = sub3(t.y, mul3(t.x, dot3(t.x, t.y)));
    t.y = mul3(t.y, R(1.0f) / sqrt_(max_(dot3(t.y, t.y), R(1e-12f))));
    return t;
}

// ---- strands ----

STRUCT(render_transform)
    real3 x, y, z, shift;
END(render_transform)

STRUCT(render_strand)
    lane_uint first, count, number, start;
    lane_uint row0, row1, row2, row3;
    real step, weight1, weight2, weight3;
    real3 root;
    real3 base, base_change;         // where guides take its root: the nearest, and from there to all of them
    real scale, scale_change;        // of guides by their bones, likewise
    real stride, left, left_inverse; // as settings and its group's style have them
    lane_uint kept;                  // where its words are
    lane_uint cut_from;              // number of the first vertex that was moved because segments were too long
END(render_strand)

// The same for all strands.
STRUCT(render_setting)
    real single, single_change, width, width_change, stride, left, left_inverse, fade, slope;
    real3 origin, origin_rest;
    uint slides, shown, guides, styled, collider_count;
    buffer_ref colliders;
END(render_setting)

#define RENDER_SETTING(r)                                                                                              \
    render_setting r;                                                                                                  \
    r.single = UNIFORM(BUF(settings), RENDER_SINGLE);                                                                  \
    r.single_change = UNIFORM(BUF(settings), RENDER_SINGLE_CHANGE);                                                    \
    r.width = UNIFORM(BUF(settings), RENDER_WIDTH);                                                                    \
    r.width_change = UNIFORM(BUF(settings), RENDER_WIDTH_CHANGE);                                                      \
    r.stride = UNIFORM(BUF(settings), RENDER_STRIDE);                                                                  \
    r.left = UNIFORM(BUF(settings), RENDER_LENGTH);                                                                    \
    r.left_inverse = UNIFORM(BUF(settings), RENDER_LENGTH_INVERSE);                                                    \
    r.fade = UNIFORM(BUF(settings), RENDER_FADE);                                                                      \
    r.slope = UNIFORM(BUF(settings), RENDER_SLOPE);                                                                    \
    r.slides = UNIFORM_UINT(BUF(settings), RENDER_SLIDES);                                                             \
    r.shown = UNIFORM_UINT(BUF(settings), RENDER_SHOWN);                                                               \
    r.styled = UNIFORM_UINT(BUF(settings), RENDER_STYLED);                                                             \
    r.origin = UNIFORM3(BUF(frame), OUTPUT_ORIGIN);                                                                    \
    r.origin_rest = UNIFORM3(BUF(frame), OUTPUT_ORIGIN_REST);                                                          \
    r.guides = VAL(guides);                                                                                            \
    r.colliders = BUF(rows);                                                                                           \
    r.collider_count = 0u;

// With what pushes vertices out.
#define RENDER_PUSHERS(r)                                                                                              \
    r.colliders = BUF(colliders) + VAL(colliders_at);                                                                  \
    r.collider_count =                                                                                                 \
        UNIFORM_UINT(BUF(settings), VAL(colliders_at) != 0u ? RENDER_COLLIDERS_BEFORE : RENDER_COLLIDERS);

FN render_strand render_strand_at(buffer_ref strands, lane_uint strand) {
    lane_uint at = strand * RENDER_STRAND_WORDS;
    render_strand s;
    s.first = GATHER_UINT(strands, at + RENDER_FIRST);
    s.count = GATHER_UINT(strands, at + RENDER_COUNT);
    s.number = GATHER_UINT(strands, at + RENDER_NUMBER);
    s.start = GATHER_UINT(strands, at + RENDER_OUTPUT);
    s.step = GATHER(strands, at + RENDER_STEP);
    s.weight1 = GATHER(strands, at + RENDER_WEIGHTS);
    s.weight2 = GATHER(strands, at + RENDER_WEIGHTS + 1u);
    s.weight3 = GATHER(strands, at + RENDER_WEIGHTS + 2u);
    s.root = vec3(GATHER(strands, at + RENDER_ROOT), GATHER(strands, at + RENDER_ROOT + 1u),
                  GATHER(strands, at + RENDER_ROOT + 2u));
    s.row0 = GATHER_UINT(strands, at + RENDER_ROWS);
    s.row1 = GATHER_UINT(strands, at + RENDER_ROWS + 1u);
    s.row2 = GATHER_UINT(strands, at + RENDER_ROWS + 2u);
    s.row3 = GATHER_UINT(strands, at + RENDER_ROWS + 3u);
    return s;
}

// How much of it is left, and how far apart its vertices are.
FN render_strand render_cut(buffer_ref strands, buffer_ref styles, render_setting r, render_strand s,
                            lane_uint strand) {
    s.stride = r.stride;
    s.left = r.left;
    s.left_inverse = r.left_inverse;
    if (r.slides != 0u && r.styled != 0u) {
        lane_uint at = GATHER_UINT(strands, strand * RENDER_STRAND_WORDS + RENDER_GROUP) * STYLE_WORDS;
        real length = GATHER(styles, at + STYLE_LENGTH);
        s.stride = s.stride * length;
        s.left = s.left * length;
        s.left_inverse = s.left_inverse * GATHER(styles, at + STYLE_LENGTH_INVERSE);
    }
    return s;
}

FN real3 transform_point(render_transform m, real3 p) {
    return fma3(m.x, p.x, fma3(m.y, p.y, fma3(m.z, p.z, m.shift)));
}

// Of a row's vertex; at: where its first float is.
FN render_transform transform_at(buffer_ref rows, lane_uint at, lane_uint count) {
    render_transform m;
    m.x = vec3(GATHER(rows, at), GATHER(rows, at + count), GATHER(rows, at + count * 2u));
    m.y = vec3(GATHER(rows, at + count * 3u), GATHER(rows, at + count * 4u), GATHER(rows, at + count * 5u));
    m.z = vec3(GATHER(rows, at + count * 6u), GATHER(rows, at + count * 7u), GATHER(rows, at + count * 8u));
    m.shift = vec3(GATHER(rows, at + count * 9u), GATHER(rows, at + count * 10u), GATHER(rows, at + count * 11u));
    return m;
}

// Where the turn of a guide's root takes that of a strand.
FN real3 render_root(buffer_ref rows, lane_uint row, render_strand s) {
    render_transform m = transform_at(rows, row, s.count);
    return fma3(m.x, s.root.x, fma3(m.y, s.root.y, mul3(m.z, s.root.z)));
}

// A guide has one scale for all of its vertices.
FN real render_row_scale(buffer_ref rows, lane_uint row, render_strand s) {
    return GATHER(rows, row + s.count * RENDER_ROW_SCALE);
}

// With where its guides take its root, and how they scale it.
FN render_strand render_based(buffer_ref rows, render_setting r, render_strand strand) {
    render_strand s = strand;
    s.base = render_root(rows, s.row0, s);
    s.base_change = vec3(R(0.0f), R(0.0f), R(0.0f));
    if (r.guides > 1u) s.base_change = mul3(sub3(render_root(rows, s.row1, s), s.base), s.weight1);
    if (r.guides > 2u) s.base_change = fma3(sub3(render_root(rows, s.row2, s), s.base), s.weight2, s.base_change);
    if (r.guides > 3u) s.base_change = fma3(sub3(render_root(rows, s.row3, s), s.base), s.weight3, s.base_change);
    s.scale = render_row_scale(rows, s.row0, s);
    s.scale_change = R(0.0f);
    if (r.guides > 1u) s.scale_change = (render_row_scale(rows, s.row1, s) - s.scale) * s.weight1;
    if (r.guides > 2u) s.scale_change = fma_(render_row_scale(rows, s.row2, s) - s.scale, s.weight2, s.scale_change);
    if (r.guides > 3u) s.scale_change = fma_(render_row_scale(rows, s.row3, s) - s.scale, s.weight3, s.scale_change);
    return s;
}

FN real3 kept_gather(buffer_ref kept, lane_uint at, lane_uint count) {
    return vec3(GATHER(kept, at), GATHER(kept, at + count), GATHER(kept, at + count * 2u));
}

FN lane_uint render_kept_at(render_strand s, lane_uint strand) {
    return strand * RENDER_KEPT_WORDS + s.first * RENDER_KEPT_FLOATS;
}

// With what render_lengths has found out about it.
FN render_strand render_known(buffer_ref kept, render_strand strand, lane_uint number) {
    render_strand s = strand;
    s.kept = render_kept_at(s, number);
    s.cut_from = GATHER_UINT(kept, s.kept + RENDER_KEPT_FROM);
    s.base = kept_gather(kept, s.kept + RENDER_KEPT_BASE, U(1u));
    s.base_change = kept_gather(kept, s.kept + RENDER_KEPT_CHANGE, U(1u));
    return s;
}

// How much all guides count at vertex `v`; what is left goes to the nearest one.
FN real render_share(render_setting r, render_strand s, real v) {
    return R(1.0f) - fma_(r.single_change, v * s.step, r.single);
}

// How much colliders count at vertex `v`.
FN real render_push_share(render_strand s, real v) {
    real share = min_(v * s.step * R(8.0f), R(1.0f));
    return share * share * (R(3.0f) - R(2.0f) * share);
}

// Out of colliders, by the shortest way, and `clearance` beyond their surface; twice, because the way out of one may lead into
// another.
FN_APART real3 render_push(buffer_ref colliders, uint count, real share, real clearance, real3 place) {
    real3 p = place;
    for (uint i = 0u; i < 2u * count; i++) {
        buffer_ref collider = colliders + (i < count ? i : i - count) * COLLIDER_FLOATS;
        mask near = collider_near(collider, p, clearance);
        if (any(near)) { // what a lane does must not depend on its neighbours, by a bit
            surface outside = collider_surface(collider, p);
            real way = sel(near, max_(clearance - outside.distance, R(0.0f)) * share, R(0.0f));
            p = add3(p, mul3(outside.normal, way));
        }
    }
    return p;
}

FN real3 render_rest(buffer_ref rest, render_strand s, lane_uint v) {
    lane_uint at = s.first * RENDER_REST_FLOATS + v;
    return vec3(GATHER(rest, at), GATHER(rest, at + s.count), GATHER(rest, at + s.count * 2u));
}

FN real render_scale(buffer_ref rows, render_strand s, lane_uint v) {
    return GATHER(rows, s.row0 + s.count * RENDER_ROW_SCALE + v);
}

FN real3 render_guided(buffer_ref rows, lane_uint row, render_strand s, lane_uint v, real3 p) {
    return transform_point(transform_at(rows, row + v, s.count), p);
}

// Vertex v of a strand as drawn, carried along by its guides.
FN real3 render_carried(buffer_ref rows, buffer_ref rest, render_setting r, render_strand s, lane_uint v) {
    real3 p = render_rest(rest, s, v);
    real3 carried = render_guided(rows, s.row0, s, v, p);
    if (r.guides == 1u) return add3(carried, s.base);
    real share = render_share(r, s, uint_to_real(v));
    carried =
        fma3(carried, fma_(-((s.weight1 + s.weight2) + s.weight3), share, R(1.0f)), fma3(s.base_change, share, s.base));
    carried = fma3(render_guided(rows, s.row1, s, v, p), s.weight1 * share, carried);
    if (r.guides > 2u) carried = fma3(render_guided(rows, s.row2, s, v, p), s.weight2 * share, carried);
    if (r.guides > 3u) carried = fma3(render_guided(rows, s.row3, s, v, p), s.weight3 * share, carried);
    return carried;
}

// Of the segment that ends with vertex `v` and was drawn as `drawn`: the square of how long it may be.
FN real render_allowed2(render_setting r, render_strand s, real3 drawn, real v) {
    real scale = s.scale;
    if (r.guides > 1u) scale = fma_(s.scale_change, render_share(r, s, v), scale);
    real most = scale * R(RENDER_STRETCH);
    return (most * most) * fused_dot3(drawn, drawn);
}

// What is too much of it; over: where it is longer than that.
FN real3 render_excess(real3 along, real size2, real allowed2, mask over) {
    real share = R(1.0f) - sqrt_(allowed2 / sel(over, size2, R(1.0f)));
    return sel3(over, mul3(along, share), vec3(R(0.0f), R(0.0f), R(0.0f)));
}

// Vertex v of a strand, as long as it may be and out of colliders.
FN real3 render_vertex(buffer_ref rows, buffer_ref rest, buffer_ref kept, render_setting r, render_strand s,
                       lane_uint v) {
    real3 p = render_carried(rows, rest, r, s, v);
    mask cut = not_(lt_uint(v, s.cut_from));
    if (any(cut)) p = sel3(cut, sub3(p, kept_gather(kept, s.kept + RENDER_KEPT_WORDS + v, s.count)), p);
    if (r.collider_count != 0u) {
        lane_uint at = s.first * RENDER_REST_FLOATS + v;
        p = render_push(r.colliders, r.collider_count, render_push_share(s, uint_to_real(v)),
                        GATHER(rest, at + s.count * RENDER_REST_RADIUS) * render_scale(rows, s, v), p);
    }
    return p;
}

// Where vertex v of the output is along the strand, counted in vertices as drawn.
FN real render_place(render_strand s, real v) { return min_(v * s.stride, uint_to_real(s.count - 1u) * s.left); }

// The vertex before such a place; the last one has none behind it.
FN lane_uint render_before(render_strand s, real place) { return min_uint(to_uint(place), s.count - 2u); }

// A place along the strand, between its vertices.
FN real3 render_between(buffer_ref rows, buffer_ref rest, buffer_ref kept, render_setting r, render_strand s,
                        real place) {
    lane_uint v = render_before(s, place);
    real3 a = render_vertex(rows, rest, kept, r, s, v);
    real3 b = render_vertex(rows, rest, kept, r, s, v + 1u);
    return add3(a, mul3(sub3(b, a), place - uint_to_real(v)));
}

// Vertex v of the output, host units, as seen from our origin.
FN real3 render_point(buffer_ref rows, buffer_ref rest, buffer_ref kept, render_setting r, render_strand s,
                      lane_uint v) {
    if (r.slides == 0u) return render_vertex(rows, rest, kept, r, s, v);
    return render_between(rows, rest, kept, r, s, render_place(s, uint_to_real(v)));
}

// What the host sees of it. The small part first, so that it rounds once only.
FN real3 render_seen(render_setting r, real3 p) { return sub3(sub3(p, r.origin_rest), r.origin); }

// A radius, tapered and thinned out; place: along the strand.
FN real render_radius(render_setting r, render_strand s, real place, real rest, real scale) {
    real width = r.width + r.width_change * (place * s.step * s.left_inverse);
    real fade = max_(min_((r.fade - uint_to_real(s.number)) * r.slope, R(1.0f)), R(0.0f));
    return rest * scale * (width * fade);
}

FN real3 render_tangent_of(real3 behind, real3 ahead) {
    real3 along = sub3(ahead, behind);
    real size2 = dot3(along, along);
    mask none = lt(size2, R(1e-30f)); // folded back exactly onto itself
    along = mul3(along, R(1.0f) / sqrt_(sel(none, R(1.0f), size2)));
    return sel3(none, vec3(R(0.0f), R(1.0f), R(0.0f)), along);
}

// ---- 16-bit formats ----

// 0 to 1 as whole numbers to 65535, the nearest.
FN lane_uint unorm_bits(real x) { return to_uint(round_(max_(min_(x, R(1.0f)), R(0.0f)) * R(65535.0f))); }

// As IEEE 754 half floats, the nearest, halves to even; for what is below 65504. Below 2^-14 these are even steps, which the last
// bits of a sum with one half are, too.
FN lane_uint half_bits(real x) {
    lane_uint bits = real_bits(x);
    lane_uint size = bits & 0x7fffffffu;
    lane_uint normal = (size + (((size >> 13u) & 1u) + 0xfffu) - 0x38000000u) >> 13u;
    lane_uint tiny = real_bits(bits_real(size) + R(0.5f)) - 0x3f000000u;
    return sel_uint(lt_uint(size, U(0x38800000u)), tiny, normal) | ((bits >> 16u) & 0x8000u);
}

// Two words.
STRUCT(render_packed)
    lane_uint first, second;
END(render_packed)

FN render_packed pack_unorm(real3 p, real w) {
    render_packed r;
    r.first = unorm_bits(p.x) | (unorm_bits(p.y) << 16u);
    r.second = unorm_bits(p.z) | (unorm_bits(w) << 16u);
    return r;
}

FN render_packed pack_half(real3 p) {
    render_packed r;
    r.first = half_bits(p.x) | (half_bits(p.y) << 16u);
    r.second = half_bits(p.z);
    return r;
}

// A position and radius within the box.
FN render_packed pack_in_box(buffer_ref settings, real3 p, real radius) {
    real3 from = sub3(p, UNIFORM3(settings, RENDER_BOX));
    real3 inverse = UNIFORM3(settings, RENDER_BOX_INVERSE);
    return pack_unorm(vec3(from.x * inverse.x, from.y * inverse.y, from.z * inverse.z),
                      radius * UNIFORM(settings, RENDER_RADIUS_INVERSE));
}

FN void packed_store(buffer_ref memory, lane_uint at, render_packed words, mask m) {
    SCATTER_HOST_UINT(memory, at, words.first, m);
    SCATTER_HOST_UINT(memory, at + 1u, words.second, m);
}

// Of a kernel over render vertices: its strand `s`, vertex `v` and settings `r`, and which lanes are written.
#define RENDER_BEGIN                                                                                                   \
    RENDER_SETTING(r)                                                                                                  \
    RENDER_PUSHERS(r)                                                                                                  \
    lane_uint owner = sel_uint(ACTIVE, LOAD_UINT(BUF(owners), item), U(0u));                                           \
    render_strand s = render_cut(BUF(strands), BUF(styles), r, render_strand_at(BUF(strands), owner), owner);          \
    s = render_known(BUF(kept), s, owner);                                                                             \
    lane_uint v = sel_uint(ACTIVE, INDEX - s.first, U(0u));                                                            \
    mask shown = both(ACTIVE, lt_uint(s.number, U(r.shown)));                                                          \
    lane_uint to = (s.start + v) * VAL(stride) + VAL(offset);
