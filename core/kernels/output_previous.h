// Writes what was output a frame ago, as seen from the host's origin now. History, per vertex: three rows of this frame's
// positions, three of the last's, metres from our origin as it was then.
KERNEL(output_previous) {
    OUTPUT_BEGIN(s)
    OUTPUT_INDEX(s)
    uint known = UNIFORM_UINT(BUF(frame), OUTPUT_KNOWN);
    real3 moved = UNIFORM3(BUF(frame), OUTPUT_MOVED);
    for (uint v = 0u; v < s.count; v++) {
        uint history = 6u * (s.first + v);
        real3 now = output_point(BUF(positions), BUF(snapshot), s, v);
        real3 last = now;
        if (known != 0u && VAL(remember) == 0u) last = sub3(LD3(BUF(history), history + 3u), moved);
        if (known != 0u && VAL(remember) != 0u) last = sub3(LD3(BUF(history), history), moved);
        if (VAL(remember) != 0u) {
            ST3(BUF(history), history, now);
            ST3(BUF(history), history + 3u, last);
        }
        output_store(BUF(memory), s.index + v * VAL(stride), VAL(components), output_place(s, last), R(0.0f),
                     below(v, s.vertices));
    }
}
