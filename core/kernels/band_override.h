// The band solver for few strands on a GPU: ten threads for each, three strands to a warp (Huang et al. 2023, algorithm 3).
// Thread i has row i below the diagonal of every column, and thread 10, whose row takes nothing from the columns before,
// the right-hand side as well. What the last ten columns left is in rings in shared memory. Each sum takes its terms in the
// order of the plain kernel, so the bits are the same.
//
// No thread reads what another has written to the matrix or the solution: that would need more than a barrier. So going
// back, too, thread i multiplies row i; the sums wander from thread to thread through the ring.
//
// Memory is far away when there are few threads to hide it: the values of the next vertex are fetched before the columns of
// this one.

#define BAND_STRANDS 3u // a group, as FOR_EACH_OVERRIDE has it
#define BAND_GROUPS 11u // a pack; the last has two strands
#define BAND_RING 16u   // columns; 11 would do, but this divides faster
#define BAND_RING_L 0u
#define BAND_RING_TAKEN 10u // -L D
#define BAND_RING_SUM 20u   // y, then what will be x
#define BAND_RING_ROWS 21u

SHARED(band_ring, BAND_STRANDS *BAND_RING *BAND_RING_ROWS)

// What one thread is to do.
STRUCT(band_thread)
    uint ring; // of its strand
    uint row;  // below the diagonal, 1 to 10
    uint lane;
    uint working; // 0: there is no strand for it
    real floor_x, floor_theta;
END(band_thread)

// What one column has for a thread.
STRUCT(band_values)
    real own, diagonal, right;
END(band_values)

FN band_values band_fetch(buffer_ref matrix, buffer_ref solution, uint column, band_thread t) {
    band_values v;
    v.own = LD_OF(matrix, column * BAND_ROWS + t.row, t.lane);
    v.diagonal = LD_OF(matrix, column * BAND_ROWS, t.lane);
    v.right = LD_OF(solution, column, t.lane);
    return v;
}

#define BAND_OVERRIDE_TAKE(k)                                                                                          \
    if (k <= before) {                                                                                                 \
        uint slot = t.ring + (j - k) % BAND_RING * BAND_RING_ROWS;                                                     \
        real taken = band_ring[slot + BAND_RING_TAKEN + k - 1u];                                                       \
        diagonal = fma_(band_ring[slot + BAND_RING_L + k - 1u], taken, diagonal);                                      \
        if (last) sum = fma_(band_ring[slot + BAND_RING_SUM], taken, sum);                                             \
        if (t.row + k <= BAND_HALF) sum = fma_(band_ring[slot + BAND_RING_L + k + t.row - 1u], taken, sum);            \
    }

FN void band_override_column(buffer_ref matrix, buffer_ref solution, uint j, band_values v, band_thread t) {
    uint before = j < BAND_HALF ? j : BAND_HALF;
    bool last = t.row == BAND_HALF;
    real sum = last ? v.right : v.own;
    real diagonal = v.diagonal;
    BAND_ALL(BAND_OVERRIDE_TAKE)
    real pivot = max_(diagonal, j % 4u == 3u ? t.floor_theta : t.floor_x);
    real inverse = R(1.0f) / pivot;
    real factor = (last ? v.own : sum) * inverse;
    real y = sum * inverse;
    if (t.working != 0u) {
        uint slot = t.ring + j % BAND_RING * BAND_RING_ROWS;
        band_ring[slot + BAND_RING_L + t.row - 1u] = factor;
        band_ring[slot + BAND_RING_TAKEN + t.row - 1u] = -(factor * pivot);
        ST_OF(matrix, j * BAND_ROWS + t.row, t.lane, factor);
        if (t.row == 1u) ST_OF(matrix, j * BAND_ROWS, t.lane, pivot);
        if (last) {
            band_ring[slot + BAND_RING_SUM] = y;
            ST_OF(solution, j, t.lane, y);
        }
    }
    BARRIER;
}

// What a thread needs for the step from x of `column` to the left: its L, and the sum that it begins if it has the last row.
FN band_values band_fetch_back(buffer_ref matrix, buffer_ref solution, uint column, band_thread t) {
    band_values v;
    v.own = R(0.0f);
    v.diagonal = R(0.0f);
    v.right = R(0.0f);
    if (t.row <= column && t.working != 0u) {
        v.own = LD_OF(matrix, (column - t.row) * BAND_ROWS + t.row, t.lane);
        if (t.row == BAND_HALF) v.right = LD_OF(solution, column - BAND_HALF, t.lane);
    }
    return v;
}

FN void band_override_back(buffer_ref solution, uint column, band_values v, band_thread t) {
    real x = band_ring[t.ring + column % BAND_RING * BAND_RING_ROWS + BAND_RING_SUM];
    if (t.working != 0u) {
        if (t.row == BAND_HALF) ST_OF(solution, column, t.lane, x);
        if (t.row <= column) {
            uint slot = t.ring + (column - t.row) % BAND_RING * BAND_RING_ROWS + BAND_RING_SUM;
            band_ring[slot] = fma_(-v.own, x, t.row == BAND_HALF ? v.right : band_ring[slot]);
        }
    }
    BARRIER;
}

OVERRIDE(band) {
    uint pack = GROUP / BAND_GROUPS;
    uint strand = THREAD / BAND_HALF;
    band_thread t;
    t.lane = GROUP % BAND_GROUPS * BAND_STRANDS + strand;
    t.working = strand < BAND_STRANDS && t.lane < 32u ? 1u : 0u;
    t.lane = t.lane < 32u ? t.lane : 31u; // those without work read along
    bool takes_part = false;              // any of the group's strands
    for (uint i = 0u; i < BAND_STRANDS; i++) {
        uint lane = GROUP % BAND_GROUPS * BAND_STRANDS + i;
        bool takes = lane < 32u && rod_takes_part(STRAND(BUF(care), lane < 32u ? lane : 31u), pack, VAL(part));
        if (lane == t.lane && !takes) t.working = 0u;
        takes_part = takes_part || takes;
    }
    if (!takes_part) return;
    t.ring = (strand < BAND_STRANDS ? strand : 0u) * BAND_RING * BAND_RING_ROWS;
    t.row = THREAD % BAND_HALF + 1u;
    t.floor_x = LD_OF(BUF(floors), pack * BAND_FLOOR_ROWS + BAND_FLOOR_X, t.lane);
    t.floor_theta = LD_OF(BUF(floors), pack * BAND_FLOOR_ROWS + BAND_FLOOR_THETA, t.lane);
    uint first = 4u * UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_FIRST);
    uint vertices = UNIFORM_UINT(BUF(packs), pack * PACK_UINTS + PACK_VERTICES);
    buffer_ref matrix = ROW(BUF(system), first * BAND_ROWS);
    buffer_ref solution = ROW(BUF(solution), first);

    band_values x = band_fetch(matrix, solution, 0u, t);
    band_values y = band_fetch(matrix, solution, 1u, t);
    band_values z = band_fetch(matrix, solution, 2u, t);
    band_values theta = band_fetch(matrix, solution, 3u, t);
    BARRIER; // all have read what the first columns will write
    for (uint v = 0u; v < vertices; v++) {
        band_values next_x = x;
        band_values next_y = y;
        band_values next_z = z;
        band_values next_theta = theta;
        if (v + 1u < vertices) {
            next_x = band_fetch(matrix, solution, 4u * v + 4u, t);
            next_y = band_fetch(matrix, solution, 4u * v + 5u, t);
            next_z = band_fetch(matrix, solution, 4u * v + 6u, t);
            next_theta = band_fetch(matrix, solution, 4u * v + 7u, t);
        }
        band_override_column(matrix, solution, 4u * v, x, t);
        band_override_column(matrix, solution, 4u * v + 1u, y, t);
        band_override_column(matrix, solution, 4u * v + 2u, z, t);
        band_override_column(matrix, solution, 4u * v + 3u, theta, t);
        x = next_x;
        y = next_y;
        z = next_z;
        theta = next_theta;
    }

    theta = band_fetch_back(matrix, solution, 4u * vertices - 1u, t);
    z = band_fetch_back(matrix, solution, 4u * vertices - 2u, t);
    y = band_fetch_back(matrix, solution, 4u * vertices - 3u, t);
    x = band_fetch_back(matrix, solution, 4u * vertices - 4u, t);
    for (uint v = vertices; v > 0u; v--) {
        uint ahead = v > 1u ? 4u * (v - 2u) : 0u;
        band_values next_theta = band_fetch_back(matrix, solution, ahead + 3u, t);
        band_values next_z = band_fetch_back(matrix, solution, ahead + 2u, t);
        band_values next_y = band_fetch_back(matrix, solution, ahead + 1u, t);
        band_values next_x = band_fetch_back(matrix, solution, ahead, t);
        band_override_back(solution, 4u * v - 1u, theta, t);
        band_override_back(solution, 4u * v - 2u, z, t);
        band_override_back(solution, 4u * v - 3u, y, t);
        band_override_back(solution, 4u * v - 4u, x, t);
        theta = next_theta;
        z = next_z;
        y = next_y;
        x = next_x;
    }
}
