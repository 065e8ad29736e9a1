// Velocities of nodes and their derivatives back to vertices, one block a group, one vertex a thread.

GROUP_KERNEL(volume_to_vertices) {
    uint begin = UNIFORM_UINT(BUF(starts), group);
    uint end = UNIFORM_UINT(BUF(starts), group + 1u);
    uint block = group * BLOCK_UINTS + BLOCK_CELL;
    uint block_x = UNIFORM_UINT(BUF(blocks), block);
    uint block_y = UNIFORM_UINT(BUF(blocks), block + 1u);
    uint block_z = UNIFORM_UINT(BUF(blocks), block + 2u);
    THREADS {
        for (uint i = begin + THREAD; i < end; i += GROUP_THREADS) {
            uint at = UNIFORM_UINT(BUF(indices), i);
            uint record = at * RECORD_WORDS;
            uint x = UNIFORM_UINT(BUF(records), record + RECORD_CELL) - block_x;
            uint y = UNIFORM_UINT(BUF(records), record + (RECORD_CELL + 1u)) - block_y;
            uint z = UNIFORM_UINT(BUF(records), record + (RECORD_CELL + 2u)) - block_z;
            bool here = x < VOLUME_CELLS && y < VOLUME_CELLS && z < VOLUME_CELLS;
            if (here) {
                spline sx = spline_at(UNIFORM(BUF(records), record + RECORD_FROM_BASE));
                spline sy = spline_at(UNIFORM(BUF(records), record + (RECORD_FROM_BASE + 1u)));
                spline sz = spline_at(UNIFORM(BUF(records), record + (RECORD_FROM_BASE + 2u)));
                real3 velocity = vec3(R(0.0f), R(0.0f), R(0.0f));
                real3 before = velocity;
                real3 by_x = velocity;
                real3 by_y = velocity;
                real3 by_z = velocity;
                for (uint r = 0u; r < 9u; r++) {
                    uint row = group * VOLUME_NODES + VOLUME_NODE(x + r / 3u, y + r % 3u, z);
                    uint n0 = row * VOLUME_NODE_FLOATS;
                    uint n1 = n0 + VOLUME_NODE_FLOATS;
                    uint n2 = n1 + VOLUME_NODE_FLOATS;
                    real3 v0 = UNIFORM3(BUF(nodes), n0 + NODE_VELOCITY);
                    real3 v1 = UNIFORM3(BUF(nodes), n1 + NODE_VELOCITY);
                    real3 v2 = UNIFORM3(BUF(nodes), n2 + NODE_VELOCITY);
                    real3 mean = add3(add3(mul3(v0, sz.w0), mul3(v1, sz.w1)), mul3(v2, sz.w2));
                    real3 slope = add3(add3(mul3(v0, sz.d0), mul3(v1, sz.d1)), mul3(v2, sz.d2));
                    real3 mean_before = add3(add3(mul3(UNIFORM3(BUF(nodes), n0 + NODE_BEFORE), sz.w0),
                                                  mul3(UNIFORM3(BUF(nodes), n1 + NODE_BEFORE), sz.w1)),
                                             mul3(UNIFORM3(BUF(nodes), n2 + NODE_BEFORE), sz.w2));
                    real weight_x = spline_weight(sx, r / 3u);
                    real weight_y = spline_weight(sy, r % 3u);
                    real weight = weight_x * weight_y;
                    velocity = add3(velocity, mul3(mean, weight));
                    before = add3(before, mul3(mean_before, weight));
                    by_x = add3(by_x, mul3(mean, spline_slope(sx, r / 3u) * weight_y));
                    by_y = add3(by_y, mul3(mean, weight_x * spline_slope(sy, r % 3u)));
                    by_z = add3(by_z, mul3(slope, weight));
                }
                uint to = at * READING_WORDS;
                SCATTER(BUF(readings), U(to + READING_VELOCITY), velocity.x, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_VELOCITY + 1u)), velocity.y, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_VELOCITY + 2u)), velocity.z, EVERY_LANE);
                SCATTER(BUF(readings), U(to + READING_BEFORE), before.x, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_BEFORE + 1u)), before.y, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_BEFORE + 2u)), before.z, EVERY_LANE);
                SCATTER(BUF(readings), U(to + READING_GRADIENT), by_x.x, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_GRADIENT + 1u)), by_y.x, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_GRADIENT + 2u)), by_z.x, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_GRADIENT + 3u)), by_x.y, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_GRADIENT + 4u)), by_y.y, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_GRADIENT + 5u)), by_z.y, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_GRADIENT + 6u)), by_x.z, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_GRADIENT + 7u)), by_y.z, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_GRADIENT + 8u)), by_z.z, EVERY_LANE);
                SCATTER_UINT(BUF(readings), U(to + READING_VALID), U(1u), EVERY_LANE);
            }
        }
    }
}
