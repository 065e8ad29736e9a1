// Velocities of nodes and back to vertices, one block a group. A node has what all blocks that have it have gathered there, and
// what colliders leave of it; those that several blocks have are computed in each of them, from the same sums in the same
// order. A vertex then reads velocities and their derivatives from the nodes of its block, which nobody else needs.

FN real3 volume_three(real3 a, real x, real3 b, real y, real3 c, real z) { return fma3(c, z, fma3(b, y, mul3(a, x))); }

// A node in shared memory: its velocity, and that before.
#define VOLUME_SHARED_AT(x, y, z) ((((x)*VOLUME_SIDE + (y)) * VOLUME_SIDE + (z)) * 6u)
#define VOLUME_SHARED3(at) vec3(nodes[at], nodes[(at) + 1u], nodes[(at) + 2u])

GROUP_KERNEL(volume_grid) {
    SHARED_HERE(volume_grid)
    if (group >= UNIFORM_UINT(BUF(runs), 0u)) return;
    uint block = group * BLOCK_UINTS;
    THREADS { // which blocks are around: (x * 3 + y) * 3 + z, 1 for this one
        if (THREAD < 27u) {
            uint cell = block + BLOCK_CELL;
            owners[THREAD] =
                volume_find(BUF(table), BUF(blocks), VAL(shift),
                            UNIFORM_UINT(BUF(blocks), cell) + VOLUME_CELLS * (THREAD / 9u) - VOLUME_CELLS,
                            UNIFORM_UINT(BUF(blocks), cell + 1u) + VOLUME_CELLS * (THREAD / 3u % 3u) - VOLUME_CELLS,
                            UNIFORM_UINT(BUF(blocks), cell + 2u) + VOLUME_CELLS * (THREAD % 3u) - VOLUME_CELLS);
        }
    }
    real cell = UNIFORM(BUF(params), VOLUME_CELL);
    real part = UNIFORM(BUF(params), VOLUME_PART);
    real whole_inverse = UNIFORM(BUF(frame), FRAME_STEP_INVERSE);
    real step = UNIFORM(BUF(frame), FRAME_STEP) * part;
    real step_inverse = R(1.0f) / step;
    real left = R(1.0f) - volume_done(BUF(params), VAL(part));
    uint colliders = UNIFORM_UINT(BUF(frame), FRAME_COLLIDERS);
    THREADS {
        for (uint n = THREAD; n < VOLUME_SIDE * VOLUME_SIDE * VOLUME_SIDE; n += GROUP_THREADS) {
            uint x = n / (VOLUME_SIDE * VOLUME_SIDE);
            uint y = n / VOLUME_SIDE % VOLUME_SIDE;
            uint z = n % VOLUME_SIDE;
            real mass = R(0.0f);
            real3 momentum = vec3(R(0.0f), R(0.0f), R(0.0f));
            real3 impulse = momentum;
            for (uint which = 0u; which < 8u; which++) {
                uint owner_x = volume_owner(x, which / 4u);
                uint owner_y = volume_owner(y, which / 2u % 2u);
                uint owner_z = volume_owner(z, which % 2u);
                if (owner_x != VOLUME_NOBODY && owner_y != VOLUME_NOBODY && owner_z != VOLUME_NOBODY) {
                    uint owner = owners[(owner_x * 3u + owner_y) * 3u + owner_z];
                    if (owner != BLOCK_NONE) {
                        uint node = VOLUME_NODE(x + VOLUME_CELLS - VOLUME_CELLS * owner_x,
                                                y + VOLUME_CELLS - VOLUME_CELLS * owner_y,
                                                z + VOLUME_CELLS - VOLUME_CELLS * owner_z);
                        uint from = (owner * VOLUME_NODES + node) * VOLUME_NODE_FLOATS;
                        mass = mass + UNIFORM(BUF(sums), from + NODE_MASS);
                        momentum = add3(momentum, UNIFORM3(BUF(sums), from + NODE_MOMENTUM));
                        impulse = add3(impulse, UNIFORM3(BUF(sums), from + NODE_IMPULSE));
                    }
                }
            }
            mask filled = lt(R(0.0f), mass);
            real inverse = sel(filled, R(1.0f) / sel(filled, mass, R(1.0f)), R(0.0f));
            real3 before = mul3(momentum, inverse);
            real3 velocity = mul3(add3(momentum, impulse), inverse);
            uint first = block + BLOCK_CELL;
            real origin = uint_to_real(U(VOLUME_ORIGIN));
            real3 place = vec3((uint_to_real(U(UNIFORM_UINT(BUF(blocks), first) + x)) - origin) * cell,
                               (uint_to_real(U(UNIFORM_UINT(BUF(blocks), first + 1u) + y)) - origin) * cell,
                               (uint_to_real(U(UNIFORM_UINT(BUF(blocks), first + 2u) + z)) - origin) * cell);
            if (any(filled)) {
                for (uint i = 0u; i < colliders; i++)
                    velocity = volume_collide(BUF(colliders) + i * COLLIDER_FLOATS, place, velocity, step, step_inverse,
                                              whole_inverse, left);
            }
            uint to = VOLUME_SHARED_AT(x, y, z);
            nodes[to] = velocity.x;
            nodes[to + 1u] = velocity.y;
            nodes[to + 2u] = velocity.z;
            nodes[to + 3u] = before.x;
            nodes[to + 4u] = before.y;
            nodes[to + 5u] = before.z;
        }
    }
    uint begin = UNIFORM_UINT(BUF(starts), group);
    uint end = UNIFORM_UINT(BUF(starts), group + 1u);
    THREADS {
        for (uint vertex = begin + THREAD; vertex < end; vertex += GROUP_THREADS) {
            uint at = UNIFORM_UINT(BUF(indices), vertex);
            uint record = at * RECORD_WORDS;
            uint x = UNIFORM_UINT(BUF(records), record + RECORD_CELL) - UNIFORM_UINT(BUF(blocks), block + BLOCK_CELL);
            uint y = UNIFORM_UINT(BUF(records), record + (RECORD_CELL + 1u)) -
                     UNIFORM_UINT(BUF(blocks), block + (BLOCK_CELL + 1u));
            uint z = UNIFORM_UINT(BUF(records), record + (RECORD_CELL + 2u)) -
                     UNIFORM_UINT(BUF(blocks), block + (BLOCK_CELL + 2u));
            bool here = x < VOLUME_CELLS && y < VOLUME_CELLS && z < VOLUME_CELLS;
            SCATTER_UINT(BUF(readings), U(at * READING_WORDS + READING_VALID), U(here ? 1u : 0u), EVERY_LANE);
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
                        uint n = VOLUME_SHARED_AT(x + i, y + j, z);
                        real3 v0 = VOLUME_SHARED3(n);
                        real3 v1 = VOLUME_SHARED3(n + 6u);
                        real3 v2 = VOLUME_SHARED3(n + 12u);
                        real3 mean = volume_three(v0, sz.w0, v1, sz.w1, v2, sz.w2);
                        real3 slope = volume_three(v0, sz.d0, v1, sz.d1, v2, sz.d2);
                        v0 = VOLUME_SHARED3(n + 3u);
                        v1 = VOLUME_SHARED3(n + 9u);
                        v2 = VOLUME_SHARED3(n + 15u);
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
                SCATTER(BUF(readings), U(to + (READING_GRADIENT + 1u)), by_x.y, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_GRADIENT + 2u)), by_x.z, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_GRADIENT + 3u)), by_y.x, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_GRADIENT + 4u)), by_y.y, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_GRADIENT + 5u)), by_y.z, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_GRADIENT + 6u)), by_z.x, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_GRADIENT + 7u)), by_z.y, EVERY_LANE);
                SCATTER(BUF(readings), U(to + (READING_GRADIENT + 8u)), by_z.z, EVERY_LANE);
            }
        }
    }
}
