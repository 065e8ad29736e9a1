// Writes what was output a frame ago. History, per vertex: three rows of this frame's positions, three of the last's.
KERNEL(output_previous) {
    OUTPUT_BEGIN(s)
    uint known = UNIFORM_UINT(BUF(frame), OUTPUT_KNOWN);
    for (uint v = 0u; v < s.count; v++) {
        uint history = 6u * (s.first + v);
        real3 now = output_point(BUF(positions), BUF(snapshot), s, v);
        real3 last = now;
        if (known != 0u && VAL(remember) == 0u) last = LD3(BUF(history), history + 3u);
        if (known != 0u && VAL(remember) != 0u) last = LD3(BUF(history), history);
        if (VAL(remember) != 0u) {
            ST3(BUF(history), history, now);
            ST3(BUF(history), history + 3u, last);
        }
        output_store(BUF(memory), s.index + v * VAL(stride), VAL(components), mul3(last, s.units), R(0.0f),
                     below(v, s.vertices));
    }
}
