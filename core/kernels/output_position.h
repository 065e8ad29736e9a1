// Positions to the host's memory, w: the radius.

KERNEL(output_position) {
    OUTPUT_BEGIN(s)
    for (uint v = 0u; v < s.count; v++) {
        output_store(BUF(memory), s.index + v * VAL(stride), VAL(components),
                     mul3(output_point(BUF(positions), BUF(snapshot), s, v), s.units),
                     LD(BUF(radii), s.first + v) * s.scale, below(v, s.vertices));
    }
}
