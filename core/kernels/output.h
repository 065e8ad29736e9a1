// Output: packed state to the host's strand-major memory, in host units. Between two fixed steps the strands are carried
// rigidly from the roots of the last step to the roots of the frame.

#define OUTPUT_PACKS BUF(0)
#define OUTPUT_STRANDS BUF(1)
#define OUTPUT_POSITIONS BUF(2)
#define OUTPUT_ROOTS_STEP BUF(3)
#define OUTPUT_ROOTS_FRAME BUF(4)
#define OUTPUT_FRAME BUF(5)    // uniform: [0] uint, carry or not; [1] uint, history is valid; [2] host units per metre
#define OUTPUT_MEMORY BUF(6)   // the host's
#define OUTPUT_EXTRA BUF(7)    // radii (position) or history (previous), packed
#define OUTPUT_OFFSET VAL(0)   // in floats, as is the stride
#define OUTPUT_STRIDE VAL(1)
#define OUTPUT_COMPONENTS VAL(2) // 3 or 4
// VAL(4): how many vertices, for devices that must carry the result to the host's memory.
#define OUTPUT_REMEMBER VAL(3)   // 1: a frame ends here and the history moves on; 0: a look in between

STRUCT(output_strand)
    lane_uint vertices, index;
    rigid_carry carry;
    real units;
    uint first, count, carried;
END(output_strand)

#define OUTPUT_BEGIN(s)                                                                                                \
    output_strand s;                                                                                                   \
    s.first = UNIFORM_UINT(OUTPUT_PACKS, PACK(item) * PACK_UINTS + PACK_FIRST);                                        \
    s.count = UNIFORM_UINT(OUTPUT_PACKS, PACK(item) * PACK_UINTS + PACK_VERTICES);                                     \
    s.vertices = LD_UINT(OUTPUT_STRANDS, PACK(item) * STRAND_UINT_ROWS + STRAND_VERTICES);                             \
    s.index = LD_UINT(OUTPUT_STRANDS, PACK(item) * STRAND_UINT_ROWS + STRAND_OUTPUT) * OUTPUT_STRIDE + OUTPUT_OFFSET;  \
    s.carried = UNIFORM_UINT(OUTPUT_FRAME, 0u);                                                                        \
    s.units = UNIFORM(OUTPUT_FRAME, 2u);                                                                               \
    s.carry = carry_between(OUTPUT_ROOTS_STEP, OUTPUT_ROOTS_FRAME, PACK(item));

// Position of vertex v as the host shall see it, metres.
FN real3 output_point(buffer_ref positions, output_strand s, uint v) {
    real3 p = LD3(positions, 3u * (s.first + v));
    if (s.carried != 0u) p = carry_point(s.carry, p);
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
                     mul3(output_point(OUTPUT_POSITIONS, s, v), s.units), LD(OUTPUT_EXTRA, s.first + v),
                     below(v, s.vertices));
    }
}

// Along the strand: across both neighbours inside, along the one segment at the ends.
KERNEL(output_tangent) {
    OUTPUT_BEGIN(s)
    real3 behind = output_point(OUTPUT_POSITIONS, s, 0u);
    real3 here = behind;
    for (uint v = 0u; v < s.count; v++) {
        real3 ahead = here;
        if (v + 1u < s.count) ahead = sel3(below(v + 1u, s.vertices), output_point(OUTPUT_POSITIONS, s, v + 1u), here);
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
    uint known = UNIFORM_UINT(OUTPUT_FRAME, 1u);
    for (uint v = 0u; v < s.count; v++) {
        uint history = 6u * (s.first + v);
        real3 now = output_point(OUTPUT_POSITIONS, s, v);
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
