// Output: packed state to the host's strand-major memory, in host units. A frame that does not end with a step shows
// strands between the last two steps, in the frames of their roots, at the roots of the frame: roots never leave the
// scalp and nothing jumps when a step comes.

#define OUTPUT_PACKS BUF(0)
#define OUTPUT_STRANDS BUF(1)
#define OUTPUT_POSITIONS BUF(2)
#define OUTPUT_ROOTS_STEP BUF(3)
#define OUTPUT_ROOTS_FRAME BUF(4)
#define OUTPUT_FRAME BUF(5)
#define OUTPUT_MEMORY BUF(6)   // the host's
#define OUTPUT_EXTRA BUF(7)    // radii (position) or history (previous), packed
#define OUTPUT_SNAPSHOT BUF(8) // positions a step ago
#define OUTPUT_ROOTS_BEFORE BUF(9)
#define OUTPUT_OFFSET VAL(0) // in floats, as is the stride
#define OUTPUT_STRIDE VAL(1)
#define OUTPUT_COMPONENTS VAL(2) // 3 or 4
// VAL(4): how many vertices, for devices that must carry the result to the host's memory.
#define OUTPUT_REMEMBER VAL(3) // 1: a frame ends here and the history moves on; 0: a look in between

STRUCT(output_strand)
    lane_uint vertices, index;
    rigid_carry carry, carry_before;
    real units, blend, scale;
    uint first, count, mode;
END(output_strand)

#define OUTPUT_BEGIN(s)                                                                                                \
    output_strand s;                                                                                                   \
    s.first = UNIFORM_UINT(OUTPUT_PACKS, PACK(item) * PACK_UINTS + PACK_FIRST);                                        \
    s.count = UNIFORM_UINT(OUTPUT_PACKS, PACK(item) * PACK_UINTS + PACK_VERTICES);                                     \
    s.vertices = LD_UINT(OUTPUT_STRANDS, PACK(item) * STRAND_UINT_ROWS + STRAND_VERTICES);                             \
    s.index = LD_UINT(OUTPUT_STRANDS, PACK(item) * STRAND_UINT_ROWS + STRAND_OUTPUT) * OUTPUT_STRIDE + OUTPUT_OFFSET;  \
    s.mode = UNIFORM_UINT(OUTPUT_FRAME, OUTPUT_MODE);                                                                  \
    s.units = UNIFORM(OUTPUT_FRAME, OUTPUT_UNITS);                                                                     \
    s.blend = UNIFORM(OUTPUT_FRAME, OUTPUT_BLEND);                                                                     \
    s.scale = LD(OUTPUT_ROOTS_FRAME, PACK(item) * ROOT_ROWS + ROOT_SCALE);                                             \
    s.carry = carry_between(OUTPUT_ROOTS_STEP, OUTPUT_ROOTS_FRAME, PACK(item));                                        \
    s.carry_before = carry_between(OUTPUT_ROOTS_BEFORE, OUTPUT_ROOTS_FRAME, PACK(item));

// Position of vertex v as the host shall see it, metres.
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

FN void output_store(buffer_ref memory, lane_uint at, uint components, real3 value, real w, mask m) {
    SCATTER(memory, at, value.x, m);
    SCATTER(memory, at + 1u, value.y, m);
    SCATTER(memory, at + 2u, value.z, m);
    if (components == 4u) SCATTER(memory, at + 3u, w, m);
}

KERNEL(output_position) {
    OUTPUT_BEGIN(s)
    for (uint v = 0u; v < s.count; v++) {
        output_store(OUTPUT_MEMORY, s.index + v * OUTPUT_STRIDE, OUTPUT_COMPONENTS,
                     mul3(output_point(OUTPUT_POSITIONS, OUTPUT_SNAPSHOT, s, v), s.units),
                     LD(OUTPUT_EXTRA, s.first + v) * s.scale, below(v, s.vertices));
    }
}

// Along the strand: across both neighbours inside, along the one segment at the ends.
KERNEL(output_tangent) {
    OUTPUT_BEGIN(s)
    real3 behind = output_point(OUTPUT_POSITIONS, OUTPUT_SNAPSHOT, s, 0u);
    real3 here = behind;
    for (uint v = 0u; v < s.count; v++) {
        real3 ahead = here;
        if (v + 1u < s.count)
            ahead = sel3(below(v + 1u, s.vertices), output_point(OUTPUT_POSITIONS, OUTPUT_SNAPSHOT, s, v + 1u), here);
        real3 along = sub3(ahead, behind);
        real size2 = dot3(along, along);
        mask none = lt(size2, R(1e-30f)); // folded back exactly onto itself
        along = mul3(along, R(1.0f) / sqrt_(sel(none, R(1.0f), size2)));
        output_store(OUTPUT_MEMORY, s.index + v * OUTPUT_STRIDE, OUTPUT_COMPONENTS,
                     sel3(none, LD3(OUTPUT_ROOTS_FRAME, PACK(item) * ROOT_ROWS + ROOT_NORMAL), along), R(0.0f),
                     below(v, s.vertices));
        behind = here;
        here = ahead;
    }
}

// Writes what was output a frame ago. History, per vertex: three rows of this frame's positions, three of the last's.
KERNEL(output_previous) {
    OUTPUT_BEGIN(s)
    uint known = UNIFORM_UINT(OUTPUT_FRAME, OUTPUT_KNOWN);
    for (uint v = 0u; v < s.count; v++) {
        uint history = 6u * (s.first + v);
        real3 now = output_point(OUTPUT_POSITIONS, OUTPUT_SNAPSHOT, s, v);
        real3 last = now;
        if (known != 0u && OUTPUT_REMEMBER == 0u) last = LD3(OUTPUT_EXTRA, history + 3u);
        if (known != 0u && OUTPUT_REMEMBER != 0u) last = LD3(OUTPUT_EXTRA, history);
        if (OUTPUT_REMEMBER != 0u) {
            ST3(OUTPUT_EXTRA, history, now);
            ST3(OUTPUT_EXTRA, history + 3u, last);
        }
        output_store(OUTPUT_MEMORY, s.index + v * OUTPUT_STRIDE, OUTPUT_COMPONENTS, mul3(last, s.units), R(0.0f),
                     below(v, s.vertices));
    }
}
