// Velocities of nodes and their derivatives back to vertices, one block a group, one vertex a thread.

FN real3 volume_three(real3 a, real x, real3 b, real y, real3 c, real z) { return fma3(c, z, fma3(b, y, mul3(a, x))); }

GROUP_KERNEL(volume_to_vertices) {
    uint begin = UNIFORM_UINT(BUF(starts), group);
    uint end = UNIFORM_UINT(BUF(starts), group + 1u);
    uint block = group * BLOCK_UINTS + BLOCK_CELL;
    uint block_x = UNIFORM_UINT(BUF(blocks), block);
    uint block_y = UNIFORM_UINT(BUF(blocks), block + 1u);
    uint block_z = UNIFORM_UINT(BUF(blocks), block + 2u);
    THREADS {
        for (uint vertex = begin + THREAD; vertex < end; vertex += GROUP_THREADS) {
            uint at = UNIFORM_UINT(BUF(indices), vertex);
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
                for (uint i = 0u; i < 3u; i++) {
                    real3 plane = vec3(R(0.0f), R(0.0f), R(0.0f)); // sums over a plane of nodes
                    real3 plane_before = plane;
                    real3 plane_y = plane;
                    real3 plane_z = plane;
                    for (uint j = 0u; j < 3u; j++) {
                        uint n0 = (group * VOLUME_NODES + VOLUME_NODE(x + i, y + j, z)) * VOLUME_NODE_FLOATS;
                        uint n1 = n0 + VOLUME_NODE_FLOATS;
                        uint n2 = n1 + VOLUME_NODE_FLOATS;
                        real3 v0 = UNIFORM3(BUF(nodes), n0 + NODE_VELOCITY);
                        real3 v1 = UNIFORM3(BUF(nodes), n1 + NODE_VELOCITY);
                        real3 v2 = UNIFORM3(BUF(nodes), n2 + NODE_VELOCITY);
                        real3 mean = volume_three(v0, sz.w0, v1, sz.w1, v2, sz.w2);
                        real3 slope = volume_three(v0, sz.d0, v1, sz.d1, v2, sz.d2);
                        v0 = UNIFORM3(BUF(nodes), n0 + NODE_BEFORE);
                        v1 = UNIFORM3(BUF(nodes), n1 + NODE_BEFORE);
                        v2 = UNIFORM3(BUF(nodes), n2 + NODE_BEFORE);
                        real weight_y = spline_weight(sy, j);
                        plane = fma3(mean, weight_y, plane);
                        plane_before = fma3(volume_three(v0, sz.w0, v1, sz.w1, v2, sz.w2), weight_y, plane_before);
                        plane_y = fma3(mean, spline_slope(sy, j), plane_y);
                        plane_z = fma3(slope, weight_y, plane_z);
                    }
                    real weight_x = spline_weight(sx, i);
                    velocity = fma3(plane, weight_x, velocity);
                    before = fma3(plane_before, weight_x, before);
                    by_x = fma3(plane, spline_slope(sx, i), by_x);
                    by_y = fma3(plane_y, weight_x, by_y);
                    by_z = fma3(plane_z, weight_x, by_z);
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
