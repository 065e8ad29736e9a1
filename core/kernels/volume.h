// What the kernels of hair-hair forces have in common.

// The piece of the solver's step that the grid's step is behind: 1 in the last part.
FN real volume_done(buffer_ref params, uint part) { return uint_to_real(U(part + 1u)) * UNIFORM(params, VOLUME_PART); }

// Whether velocities are none: see volume_rows.h.
FN bool volume_sees_motion(buffer_ref params) { return UNIFORM_UINT(params, VOLUME_MOTION) != 0u; }

FN symmetric volume_load(buffer_ref rows, uint row) {
    symmetric m;
    m.xx = LD(rows, row);
    m.xy = LD(rows, row + 1u);
    m.xz = LD(rows, row + 2u);
    m.yy = LD(rows, row + 3u);
    m.yz = LD(rows, row + 4u);
    m.zz = LD(rows, row + 5u);
    return m;
}
#define VOLUME_STORE(rows, row, m)                                                                                     \
    ST(rows, row, (m).xx);                                                                                             \
    ST(rows, (row) + 1u, (m).xy);                                                                                      \
    ST(rows, (row) + 2u, (m).xz);                                                                                      \
    ST(rows, (row) + 3u, (m).yy);                                                                                      \
    ST(rows, (row) + 4u, (m).yz);                                                                                      \
    ST(rows, (row) + 5u, (m).zz)

FN real spline_weight(spline s, uint node) { return node == 0u ? s.w0 : node == 1u ? s.w1 : s.w2; }
FN real spline_slope(spline s, uint node) { return node == 0u ? s.d0 : node == 1u ? s.d1 : s.d2; }

// Along an axis the blocks that have a node are one or two: `which` 0 is the lower. Its number is 0 to 2, 1 for the block
// itself; VOLUME_NOBODY: there is no second.
#define VOLUME_NOBODY 3u
FN uint volume_owner(uint node, uint which) {
    uint before = node + VOLUME_CELLS < VOLUME_SIDE ? 0u : 1u;
    if (which == 0u) return before;
    return before == 0u ? 1u : node >= VOLUME_CELLS ? 2u : VOLUME_NOBODY;
}

// A node that would be inside of a collider when the step ends: its way in is cut, and friction acts on the rest (Jiang et al.
// 2016, sec. 12). The collider is where it is then, `left` of the solver's step before where it stands.
FN real3 volume_collide(buffer_ref collider, real3 node, real3 velocity, real step, real step_inverse,
                        real whole_inverse, real left) {
    real3 moved = collider_slip(collider, node);
    real3 then = add3(node, add3(mul3(velocity, step), mul3(moved, left)));
    mask near = collider_near(collider, then, R(0.0f));
    if (any(near)) {
        surface s = collider_surface(collider, then);
        real3 wall = mul3(moved, whole_inverse);
        real3 slip = sub3(velocity, wall);
        real inward = -dot3(slip, s.normal);
        real push = min_(inward, -s.distance * step_inverse);
        mask inside = both(both(near, lt(s.distance, R(0.0f))), lt(R(0.0f), inward));
        real3 along = add3(slip, mul3(s.normal, inward));
        real speed = sqrt_(dot3(along, along));
        real grip = min_(UNIFORM(collider, COLLIDER_FRICTION) * push, speed) / max_(speed, R(1e-20f));
        real3 change = sub3(mul3(s.normal, push), mul3(along, grip));
        velocity = sel3(inside, add3(velocity, change), velocity);
    }
    return velocity;
}

// The key of the block that a cell is in, never 0, and the slot that its search in the table begins with. Of lanes and of numbers
// alike. Keys come around again after 2^VOLUME_KEY_BITS blocks; the place where they do is far from the origin.
#define VOLUME_KEY_PART(cell) (((cell) / VOLUME_CELLS + (1u << (VOLUME_KEY_BITS - 1u))) % (1u << VOLUME_KEY_BITS))
#define VOLUME_KEY(x, y, z)                                                                                            \
    ((VOLUME_KEY_PART(x) << (2u * VOLUME_KEY_BITS)) + (VOLUME_KEY_PART(y) << VOLUME_KEY_BITS) + VOLUME_KEY_PART(z) +   \
     0x80000000u)
#define VOLUME_SLOT(key, shift) (((key)*2654435769u) >> (shift))
#define VOLUME_SLOT_WORD(slot, word) ((slot)*SLOT_WORDS + (TABLE_SLOTS + (word)))
FN uint volume_slots(uint shift) { return 1u << (32u - shift); }

// The block that a cell is in: its number, or BLOCK_NONE.
FN uint volume_find(buffer_ref table, buffer_ref blocks, uint shift, uint x, uint y, uint z) {
    uint key = VOLUME_KEY(x, y, z);
    uint slots = volume_slots(shift);
    uint slot = VOLUME_SLOT(key, shift);
    uint there = UNIFORM_UINT(table, VOLUME_SLOT_WORD(slot, SLOT_KEY));
    for (uint tries = 1u; tries < slots && there != key && there != 0u; tries++) {
        slot = (slot + 1u) & (slots - 1u);
        there = UNIFORM_UINT(table, VOLUME_SLOT_WORD(slot, SLOT_KEY));
    }
    uint number = there == key ? UNIFORM_UINT(table, VOLUME_SLOT_WORD(slot, SLOT_BLOCK)) : 0u;
    if (number == 0u) return BLOCK_NONE;
    uint block = (number - 1u) * BLOCK_UINTS + BLOCK_CELL;
    bool same = UNIFORM_UINT(blocks, block) / VOLUME_CELLS == x / VOLUME_CELLS &&
                UNIFORM_UINT(blocks, block + 1u) / VOLUME_CELLS == y / VOLUME_CELLS &&
                UNIFORM_UINT(blocks, block + 2u) / VOLUME_CELLS == z / VOLUME_CELLS;
    return same ? number - 1u : BLOCK_NONE;
}
