// Output: packed state to the host's strand-major memory, in host units. A frame that does not end with a step shows
// strands between the last two steps, in the frames of their roots, at the roots of the frame: roots never leave the
// scalp and nothing jumps when a step comes.

STRUCT(output_strand)
    lane_uint vertices, index;
    rigid_carry carry, carry_before;
    real units, blend, scale;
    real3 origin, origin_rest;
    uint first, count, mode;
END(output_strand)

#define OUTPUT_BEGIN(s)                                                                                                \
    output_strand s;                                                                                                   \
    s.first = UNIFORM_UINT(BUF(packs), PACK(item) * PACK_UINTS + PACK_FIRST);                                          \
    s.count = UNIFORM_UINT(BUF(packs), PACK(item) * PACK_UINTS + PACK_VERTICES);                                       \
    s.vertices = LD_UINT(BUF(strands), PACK(item) * STRAND_UINT_ROWS + STRAND_VERTICES);                               \
    s.mode = UNIFORM_UINT(BUF(frame), OUTPUT_MODE);                                                                    \
    s.units = UNIFORM(BUF(frame), OUTPUT_UNITS);                                                                       \
    s.blend = UNIFORM(BUF(frame), OUTPUT_BLEND);                                                                       \
    s.origin = UNIFORM3(BUF(frame), OUTPUT_ORIGIN);                                                                    \
    s.origin_rest = UNIFORM3(BUF(frame), OUTPUT_ORIGIN_REST);                                                          \
    s.scale = LD(BUF(roots_frame), PACK(item) * ROOT_ROWS + ROOT_SCALE);                                               \
    s.carry = carry_between(BUF(roots_step), BUF(roots_frame), PACK(item));                                            \
    s.carry_before = carry_between(BUF(roots_before), BUF(roots_frame), PACK(item));

#define OUTPUT_INDEX(s)                                                                                                \
    s.index = LD_UINT(BUF(strands), PACK(item) * STRAND_UINT_ROWS + STRAND_OUTPUT) * VAL(stride) + VAL(offset);

// Position of vertex v in this frame, metres from our origin.
FN real3 output_point(buffer_ref positions, buffer_ref snapshot, output_strand s, uint v) {
    uint row = 3u * (s.first + v);
    real3 p = LD3(positions, row);
    if (s.mode != OUTPUT_AS_IS) p = carry_point(s.carry, p);
    if (s.mode == OUTPUT_BLENDED) {
        real3 before = carry_point(s.carry_before, LD3(snapshot, row));
        p = add3(before, mul3(sub3(p, before), s.blend));
    }
    return p;
}

FN real3 output_difference(buffer_ref from, uint first, lane_uint a, lane_uint b) {
    lane_uint at_a = (a + first) * (3u * LANE_COUNT) + LANE_NUMBER;
    lane_uint at_b = (b + first) * (3u * LANE_COUNT) + LANE_NUMBER;
    return vec3(GATHER(from, at_b) - GATHER(from, at_a),
                GATHER(from, at_b + LANE_COUNT) - GATHER(from, at_a + LANE_COUNT),
                GATHER(from, at_b + 2u * LANE_COUNT) - GATHER(from, at_a + 2u * LANE_COUNT));
}

// From vertex a of each lane to its vertex b. Differences are taken before they are carried: rounding of places far from our
// origin would turn a short one.
FN real3 output_chord(buffer_ref positions, buffer_ref snapshot, output_strand s, lane_uint a, lane_uint b) {
    real3 chord = output_difference(positions, s.first, a, b);
    if (s.mode != OUTPUT_AS_IS) chord = carry_vector(s.carry, chord);
    if (s.mode == OUTPUT_BLENDED) {
        real3 before = carry_vector(s.carry_before, output_difference(snapshot, s.first, a, b));
        chord = add3(before, mul3(sub3(chord, before), s.blend));
    }
    return chord;
}

// What the host sees of a point: in its units, from its origin. The small part first, so that it rounds once only.
FN real3 output_place(output_strand s, real3 p) { return sub3(sub3(mul3(p, s.units), s.origin_rest), s.origin); }

FN void output_store(buffer_ref memory, lane_uint at, uint components, real3 value, real w, mask m) {
    SCATTER_HOST_VECTOR(memory, at, components, value.x, value.y, value.z, w, m);
}
