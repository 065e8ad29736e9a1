// Strands in their rest shape at their root frames, at rest.

// Rewrites the lanes in m only.
FN void rest_strands(buffer_ref positions, buffer_ref velocities, buffer_ref targets, buffer_ref roots, uint pack,
                     uint first, uint vertices, mask m) {
    uint root = pack * ROOT_ROWS;
    real3 zero = vec3(R(0.0f), R(0.0f), R(0.0f));
    real3 p = LD3(roots, root + ROOT_POSITION);
    real scale = LD(roots, root + ROOT_SCALE);
    strand_frame f;
    f.side = LD3(roots, root + ROOT_SIDE);
    f.tangent = LD3(roots, root + ROOT_NORMAL);
    for (uint v = 0u; v < vertices; v++) {
        uint row = 3u * (first + v);
        if (v > 0u) {
            uint target = TARGET_ROWS * (first + v);
            f = frame_onward(f, LD3(targets, target + TARGET_DIRECTION));
            p = add3(p, mul3(f.tangent, LD(targets, target + TARGET_LENGTH) * scale));
        }
        real3 kept = sel3(m, p, LD3(positions, row));
        real3 speed = sel3(m, zero, LD3(velocities, row));
        ST3(positions, row, kept);
        ST3(velocities, row, speed);
    }
}
