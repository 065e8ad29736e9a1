// Mass, momentum and impulse of stress from vertices to the nodes of their block, one block a group (Jiang et al. 2016, sec. 10;
// impulse: their eq. 172 without the factor of a mass). A thread has one node after the other and adds up all that its vertices
// bring, in the order of their numbers: sums are the same in every run and on every device. No affine terms.
//
// Vertices come in no order. Their places in it are how many of the block come before them, and VOLUME_LIST of them are put
// there at a time. The block is where the first one is.

GROUP_KERNEL(volume_to_grid) {
    SHARED_HERE(volume_to_grid)
    if (group >= UNIFORM_UINT(BUF(runs), 0u)) return;
    uint begin = UNIFORM_UINT(BUF(starts), group);
    uint count = UNIFORM_UINT(BUF(starts), group + 1u) - begin;
    uint block_x = 0u;
    uint block_y = 0u;
    uint block_z = 0u;
    for (uint listed = 0u; listed < count; listed += VOLUME_LIST) {
        uint end = count - listed < VOLUME_LIST ? count - listed : VOLUME_LIST;
        THREADS {
            for (uint i = THREAD; i < count; i += GROUP_THREADS) {
                uint number = UNIFORM_UINT(BUF(indices), begin + i);
                uint place = 0u;
                for (uint k = 0u; k < count; k++) place += UNIFORM_UINT(BUF(indices), begin + k) < number ? 1u : 0u;
                if (place >= listed && place - listed < VOLUME_LIST) members[place - listed] = number;
            }
        }
        THREADS {}
        if (listed == 0u) {
            uint cell = members[0] * RECORD_WORDS + RECORD_CELL;
            block_x = UNIFORM_UINT(BUF(records), cell) / VOLUME_CELLS * VOLUME_CELLS;
            block_y = UNIFORM_UINT(BUF(records), cell + 1u) / VOLUME_CELLS * VOLUME_CELLS;
            block_z = UNIFORM_UINT(BUF(records), cell + 2u) / VOLUME_CELLS * VOLUME_CELLS;
        }
        THREADS {
            for (uint n = THREAD; n < VOLUME_SIDE * VOLUME_SIDE * VOLUME_SIDE; n += GROUP_THREADS) {
                uint node_x = n / (VOLUME_SIDE * VOLUME_SIDE);
                uint node_y = n / VOLUME_SIDE % VOLUME_SIDE;
                uint node_z = n % VOLUME_SIDE;
                uint to = (group * VOLUME_NODES + VOLUME_NODE(node_x, node_y, node_z)) * VOLUME_NODE_FLOATS;
                real mass = R(0.0f);
                real3 momentum = vec3(R(0.0f), R(0.0f), R(0.0f));
                real3 impulse = momentum;
                if (listed > 0u) { // more to come
                    mass = UNIFORM(BUF(sums), to + NODE_MASS);
                    momentum = UNIFORM3(BUF(sums), to + NODE_MOMENTUM);
                    impulse = UNIFORM3(BUF(sums), to + NODE_IMPULSE);
                }
                for (uint i = 0u; i < end; i++) {
                    uint record = members[i] * RECORD_WORDS;
                    uint x = block_x + node_x - UNIFORM_UINT(BUF(records), record + RECORD_CELL);
                    uint y = block_y + node_y - UNIFORM_UINT(BUF(records), record + (RECORD_CELL + 1u));
                    uint z = block_z + node_z - UNIFORM_UINT(BUF(records), record + (RECORD_CELL + 2u));
                    if (x < 3u && y < 3u && z < 3u) {
                        spline sx = spline_at(UNIFORM(BUF(records), record + RECORD_FROM_BASE));
                        spline sy = spline_at(UNIFORM(BUF(records), record + (RECORD_FROM_BASE + 1u)));
                        spline sz = spline_at(UNIFORM(BUF(records), record + (RECORD_FROM_BASE + 2u)));
                        real weight_x = spline_weight(sx, x);
                        real weight_y = spline_weight(sy, y);
                        real weight = spline_weight(sz, z);
                        uint t = record + RECORD_IMPULSE;
                        real3 tx = UNIFORM3(BUF(records), t);
                        real3 ty = vec3(tx.y, UNIFORM(BUF(records), t + 3u), UNIFORM(BUF(records), t + 4u));
                        real3 tz = vec3(tx.z, ty.z, UNIFORM(BUF(records), t + 5u));
                        mass = fma_(UNIFORM(BUF(records), record + RECORD_MASS) * weight_x * weight_y, weight, mass);
                        real3 carried =
                            mul3(mul3(UNIFORM3(BUF(records), record + RECORD_MOMENTUM), weight_x), weight_y);
                        momentum = fma3(carried, weight, momentum);
                        real3 across = fma3(mul3(ty, weight_x), spline_slope(sy, y),
                                            mul3(mul3(tx, spline_slope(sx, x)), weight_y));
                        real3 along = mul3(mul3(tz, weight_x), weight_y);
                        impulse = fma3(across, weight, fma3(along, spline_slope(sz, z), impulse));
                    }
                }
                SCATTER(BUF(sums), U(to + NODE_MASS), mass, EVERY_LANE);
                SCATTER(BUF(sums), U(to + NODE_MOMENTUM), momentum.x, EVERY_LANE);
                SCATTER(BUF(sums), U(to + (NODE_MOMENTUM + 1u)), momentum.y, EVERY_LANE);
                SCATTER(BUF(sums), U(to + (NODE_MOMENTUM + 2u)), momentum.z, EVERY_LANE);
                SCATTER(BUF(sums), U(to + NODE_IMPULSE), impulse.x, EVERY_LANE);
                SCATTER(BUF(sums), U(to + (NODE_IMPULSE + 1u)), impulse.y, EVERY_LANE);
                SCATTER(BUF(sums), U(to + (NODE_IMPULSE + 2u)), impulse.z, EVERY_LANE);
            }
        }
    }
    THREADS {
        if (THREAD == 0u) {
            ST_UNIFORM_UINT(BUF(blocks), group * BLOCK_UINTS + BLOCK_CELL, block_x);
            ST_UNIFORM_UINT(BUF(blocks), group * BLOCK_UINTS + (BLOCK_CELL + 1u), block_y);
            ST_UNIFORM_UINT(BUF(blocks), group * BLOCK_UINTS + (BLOCK_CELL + 2u), block_z);
        }
    }
}
