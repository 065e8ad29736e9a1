// How fast strands are, and for how long they have been wound up: once a frame, after its last step, where the host wants to
// know. Positions alone tell, whatever the solver: what it calls velocities may hold corrections besides.

KERNEL(watch) {
    uint pack = PACK(item);
    uint first = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_FIRST);
    uint count = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_VERTICES);
    uint row = pack * WATCH_ROWS;
    lane_uint vertices = LD_UINT(BUF(strands), pack * STRAND_UINT_ROWS + STRAND_VERTICES);
    real step_inverse = UNIFORM(BUF(frame), WATCH_STEP_INVERSE);
    real3 last = LD3(BUF(positions), 3u * first);
    real3 segment = vec3(R(0.0f), R(0.0f), R(0.0f));
    real fastest = R(0.0f); // squares of speeds
    real sum = R(0.0f);
    real turning = R(0.0f);
    for (uint v = 0u; v < count; v++) {
        mask is_vertex = below(v, vertices);
        real3 p = LD3(BUF(positions), 3u * (first + v));
        real3 velocity = mul3(sub3(p, LD3(BUF(snapshot), 3u * (first + v))), step_inverse);
        real speed2 = sel(is_vertex, dot3(velocity, velocity), R(0.0f));
        fastest = max_(fastest, speed2);
        sum = sum + speed2;
        real3 next = sub3(p, last);
        real3 across = cross3(segment, next);
        real angle = angle_of(sqrt_(dot3(across, across)), dot3(segment, next)); // 0 at the root: no segment yet
        turning = turning + sel(is_vertex, angle, R(0.0f));
        segment = next;
        last = p;
    }
    real since = LD(BUF(watch), row + WATCH_KNOTTED_S);
    if (UNIFORM_UINT(BUF(frame), WATCH_FRESH) != 0u) since = R(WATCH_LOOSE);
    since = sel(lt(since, R(0.0f)), R(0.0f), since + UNIFORM(BUF(frame), WATCH_ELAPSED));
    mask knotted = lt(LD(BUF(watch), row + WATCH_REST_TURNING) + R(WATCH_KNOT), turning);
    ST(BUF(watch), row + WATCH_KNOTTED_S, sel(knotted, since, R(WATCH_LOOSE)));
    ST(BUF(watch), row + WATCH_FASTEST, sqrt_(fastest));
    ST(BUF(watch), row + WATCH_SPEED2, sum);
}
