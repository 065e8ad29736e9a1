// Velocities of nodes, one block a group: what all blocks that have the node have gathered there, and what colliders leave of
// it. Nodes that several blocks have are computed in each of them, from the same sums in the same order.

GROUP_KERNEL(volume_grid) {
    uint block = group * BLOCK_UINTS;
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
                    uint owner =
                        UNIFORM_UINT(BUF(blocks), block + BLOCK_NEIGHBOURS + (owner_x * 3u + owner_y) * 3u + owner_z);
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
            uint to = (group * VOLUME_NODES + VOLUME_NODE(x, y, z)) * VOLUME_NODE_FLOATS;
            SCATTER(BUF(nodes), U(to + NODE_VELOCITY), velocity.x, EVERY_LANE);
            SCATTER(BUF(nodes), U(to + (NODE_VELOCITY + 1u)), velocity.y, EVERY_LANE);
            SCATTER(BUF(nodes), U(to + (NODE_VELOCITY + 2u)), velocity.z, EVERY_LANE);
            SCATTER(BUF(nodes), U(to + NODE_BEFORE), before.x, EVERY_LANE);
            SCATTER(BUF(nodes), U(to + (NODE_BEFORE + 1u)), before.y, EVERY_LANE);
            SCATTER(BUF(nodes), U(to + (NODE_BEFORE + 2u)), before.z, EVERY_LANE);
        }
    }
}
