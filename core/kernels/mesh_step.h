// Roots on triangles, between two frames of the host: they go straight and turn on the shortest arc.

KERNEL(mesh_step) {
    uint root = PACK(item) * ROOT_ROWS;
    if (VAL(remember) != 0u) {
        for (uint r = 0u; r < ROOT_ROWS; r++) {
            real value = LD(BUF(frames), root + r);
            ST(BUF(before), root + r, value);
        }
    }
    real share = R(1.0f);
    if (VAL(whole) == 0u) share = UNIFORM(BUF(frame), FRAME_ROOTS);
    mask under_way = lt(share, R(1.0f)); // else to the bit where the frame ends
    strand_frame from, to;
    from.side = LD3(BUF(from), root + ROOT_SIDE);
    from.tangent = LD3(BUF(from), root + ROOT_NORMAL);
    to.side = LD3(BUF(to), root + ROOT_SIDE);
    to.tangent = LD3(BUF(to), root + ROOT_NORMAL);
    strand_frame f = frame_between(from, to, share);
    real3 position = LD3(BUF(to), root + ROOT_POSITION);
    real3 start = LD3(BUF(from), root + ROOT_POSITION);
    real scale = LD(BUF(to), root + ROOT_SCALE);
    real first = LD(BUF(from), root + ROOT_SCALE);
    ST3(BUF(frames), root + ROOT_POSITION, sel3(under_way, add3(start, mul3(sub3(position, start), share)), position));
    ST3(BUF(frames), root + ROOT_SIDE, sel3(under_way, f.side, to.side));
    ST3(BUF(frames), root + ROOT_NORMAL, sel3(under_way, f.tangent, to.tangent));
    ST(BUF(frames), root + ROOT_SCALE, sel(under_way, first + (scale - first) * share, scale));
}
