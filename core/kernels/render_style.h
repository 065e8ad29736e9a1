// Render strands in the bind pose, as the styles of their groups want them. It runs when styles change, and frames carry along what
// it made: styling costs them nothing, and tangents, previous positions and levels of detail are those of the styled strands.

STRUCT(style_point)
    real3 place, side, up;
    real along;
END(style_point)

FN real3 style_gather(buffer_ref from, lane_uint at, lane_uint count) {
    return vec3(GATHER(from, at), GATHER(from, at + count), GATHER(from, at + count * 2u));
}

FN style_point style_vertex(buffer_ref rest, buffer_ref frames, lane_uint first, lane_uint count, lane_uint v) {
    lane_uint at = first * STYLE_FRAME_FLOATS + v;
    style_point p;
    p.place = style_gather(rest, first * RENDER_REST_FLOATS + v, count);
    p.side = style_gather(frames, at + count * STYLE_SIDE, count);
    p.up = style_gather(frames, at + count * STYLE_UP, count);
    p.along = GATHER(frames, at + count * STYLE_ALONG);
    return p;
}

// A strand at a share of its vertices.
FN style_point style_between(buffer_ref rest, buffer_ref frames, lane_uint first, lane_uint count, real share) {
    real at = share * uint_to_real(count - 1u);
    lane_uint v = min_uint(to_uint(at), count - 2u);
    real part = at - uint_to_real(v);
    style_point a = style_vertex(rest, frames, first, count, v);
    style_point b = style_vertex(rest, frames, first, count, v + 1u);
    style_point p;
    p.place = add3(a.place, mul3(sub3(b.place, a.place), part));
    p.side = add3(a.side, mul3(sub3(b.side, a.side), part));
    p.up = add3(a.up, mul3(sub3(b.up, a.up), part));
    p.along = a.along + (b.along - a.along) * part;
    return p;
}

// 0 to 1 without a kink.
FN real style_rise(real x) {
    real t = max_(min_(x, R(1.0f)), R(0.0f));
    return t * t * (R(3.0f) - R(2.0f) * t);
}

// The finaliser of MurmurHash3 (Appleby).
FN lane_uint style_mix(lane_uint x) {
    lane_uint h = x;
    h = (h ^ (h >> 16u)) * 0x85ebca6bu;
    h = (h ^ (h >> 13u)) * 0xc2b2ae35u;
    return h ^ (h >> 16u);
}

// Numbers of a strand, 0 to below 1, that look random.
FN real style_random(lane_uint number, lane_uint seed, uint which) {
    return uint_to_real(style_mix((number * 16u + which) ^ style_mix(seed + 0x9e3779b9u)) >> 8u) *
           R(5.9604644775390625e-8f);
}

// Of an angle in turns.
FN sine_cosine style_turn(real turns) {
    real part = max_(min_(turns - round_(turns), R(0.5f)), R(-0.5f)); // beyond 2^22 turns it is noise
    return angle_direction(part * R(ANGLE_TURN));
}

FN real3 style_across(style_point p, real side, real up) { return add3(mul3(p.side, side), mul3(p.up, up)); }

#define STYLE_OF(word) GATHER(BUF(styles), style + (word))
ITEM_KERNEL(render_style) {
    lane_uint owner = sel_uint(ACTIVE, LOAD_UINT(BUF(owners), item), U(0u));
    render_strand s = render_strand_at(BUF(strands), owner);
    lane_uint v = sel_uint(ACTIVE, INDEX - s.first, U(0u));
    lane_uint style = GATHER_UINT(BUF(strands), owner * RENDER_STRAND_WORDS + RENDER_GROUP) * STYLE_WORDS;
    lane_uint seed = GATHER_UINT(BUF(styles), style + STYLE_SEED);
    lane_uint middle = GATHER_UINT(BUF(clumps), owner) * RENDER_STRAND_WORDS;
    real share = uint_to_real(v) * s.step;
    style_point own = style_vertex(BUF(rest), BUF(frames), s.first, s.count, v);
    style_point root = style_vertex(BUF(rest), BUF(frames), s.first, s.count, U(0u));
    style_point lock = style_between(BUF(rest), BUF(frames), GATHER_UINT(BUF(strands), middle + RENDER_FIRST),
                                     GATHER_UINT(BUF(strands), middle + RENDER_COUNT), share);
    real3 lock_root = vec3(GATHER(BUF(strands), middle + RENDER_ROOT), GATHER(BUF(strands), middle + RENDER_ROOT + 1u),
                           GATHER(BUF(strands), middle + RENDER_ROOT + 2u));
    lock.place = add3(lock.place, sub3(lock_root, s.root)); // each is seen from its own root
    real pull = STYLE_OF(STYLE_CLUMP) * style_rise((share - STYLE_OF(STYLE_CLUMP_BEGIN)) * STYLE_OF(STYLE_CLUMP_SLOPE));
    real3 p = add3(own.place, mul3(sub3(lock.place, own.place), pull));

    sine_cosine to = style_turn(style_random(s.number, seed, 0u));
    real aside = STYLE_OF(STYLE_SCATTER) * sqrt_(style_random(s.number, seed, 1u)) * share;
    p = add3(p, style_across(root, aside * to.cosine, aside * to.sine));

    // A clump curls as one: by the frames of its middle.
    real turns = lock.along * STYLE_OF(STYLE_TURNS);
    lane_uint leader = GATHER_UINT(BUF(strands), middle + RENDER_NUMBER);
    to = style_turn(turns + style_random(leader, seed, 2u));
    real curl = STYLE_OF(STYLE_CURL) * style_rise(turns);
    p = add3(p, style_across(lock, curl * to.cosine, curl * to.sine));

    // Three waves of half to all of the frequency, which run around the strand one way and the other.
    real waves = own.along * STYLE_OF(STYLE_WAVES);
    real side = R(0.0f);
    real up = R(0.0f);
    for (uint w = 0u; w < 3u; w++) {
        real pace = R(0.5f) + R(0.5f) * style_random(s.number, seed, 3u + w);
        to = style_turn(waves * pace + style_random(s.number, seed, 6u + w));
        side = side + to.sine;
        up = w == 1u ? up - to.cosine : up + to.cosine;
    }
    real frizz = STYLE_OF(STYLE_FRIZZ) * style_rise(waves) * R(1.0f / 3.0f);
    p = add3(p, style_across(own, frizz * side, frizz * up));

    lane_uint at = s.first * RENDER_REST_FLOATS + v;
    real width =
        STYLE_OF(STYLE_WIDTH) + STYLE_OF(STYLE_WIDTH_CHANGE) * min_(share * STYLE_OF(STYLE_LENGTH_INVERSE), R(1.0f));
    SCATTER(BUF(styled), at, p.x, ACTIVE);
    SCATTER(BUF(styled), at + s.count, p.y, ACTIVE);
    SCATTER(BUF(styled), at + s.count * 2u, p.z, ACTIVE);
    SCATTER(BUF(styled), at + s.count * 3u, GATHER(BUF(rest), at + s.count * RENDER_REST_RADIUS) * width, ACTIVE);
}
#undef STYLE_OF
