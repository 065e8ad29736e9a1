// Overrides of the kernels of hair-hair forces, compiled once per instruction set like the kernels. Between vertices and nodes a
// vector is the eight floats of a node, so that one block after the other stays in the cache; the plain kernels go through the
// vertices once for every node. What is added to each float, and in which order, is the same.
#include "dialect.h"

#include "kernels/functions.h"

#include "volume.h"

typedef octet node;
typedef int32_t node_bits __attribute__((vector_size(32)));
_Static_assert(sizeof(node) == VOLUME_NODE_FLOATS * sizeof(float), "a vector is a node");
#define SHUFFLE __builtin_shufflevector

typedef float four __attribute__((vector_size(16)));
typedef int32_t four_bits __attribute__((vector_size(16)));
static inline node all(float x) { return (node){x, x, x, x, x, x, x, x}; }

// a b + c, rounded once, as fma_ does.
static inline node fused(node a, node b, node c) {
#ifdef __FMA__
    return (node)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    union {
        node whole;
        PLAIT_REGISTER part[sizeof(node) / sizeof(PLAIT_REGISTER)];
    } x = {a}, y = {b}, z = {c};
    for (size_t i = 0; i < sizeof(node) / sizeof(PLAIT_REGISTER); i++)
        z.part[i] = PLAIT_FMA(x.part[i], y.part[i], z.part[i]);
    return z.whole;
#endif
}

// Weights and derivatives of a vertex, as spline_at has them, along x, y and z.
struct weights {
    four w[3], d[3];
};

// They are made while the vertex before is added or read: to wait for what has just been stored makes a step of the grid take 1.03
// of the time.
static inline void weights_of(const float *records, uint32_t vertex, struct weights *s) {
    four f;
    memcpy(&f, records + (size_t)vertex * RECORD_WORDS + RECORD_FROM_BASE, sizeof f);
    const four before = 1.5f - f, middle = f - 1.0f, behind = f - 0.5f;
    s->w[0] = 0.5f * before * before;
    s->w[1] = 0.75f - middle * middle;
    s->w[2] = 0.5f * behind * behind;
    s->d[0] = -before;
    s->d[1] = -2.0f * middle;
    s->d[2] = behind;
    __asm__("" : "+m"(*s)); // in memory, where one load puts a number into all lanes
}

// Where the first node of a vertex is in its block; VOLUME_NODES: it is of another block.
static inline uint32_t first_node(const uint32_t *record, const uint32_t *block) {
    uint32_t x = record[RECORD_CELL] - block[BLOCK_CELL], y = record[RECORD_CELL + 1] - block[BLOCK_CELL + 1];
    uint32_t z = record[RECORD_CELL + 2] - block[BLOCK_CELL + 2];
    return (x | y | z) < VOLUME_CELLS ? VOLUME_NODE(x, y, z) : VOLUME_NODES;
}

// ---- to the grid ----

// Tried here and in the way back, with AVX-512, and lost: two vertices of a cell at a time (vertices have to be put in order by
// cells, and 64 bytes that were just stored are slow to load), two nodes at a time (the same). A sum of a node takes 0.29 ns when
// it goes through memory as 32 bytes and 0.94 ns as 64. Also vertices sorted by cell, three nodes along z as one vector of 64
// bytes, and the sums of a cell in registers: 43 and 66 products a vertex instead of 90 and 93, but a step of the grid then takes
// 0.97 of the time with AVX-512 and 1.24 with AVX2. Nor do two rows of nodes side by side gain anything, though 51 products are left.

// Vertices of a block lie anywhere in memory: asked for so many ahead.
#define AHEAD 12u

static inline void add_vertex(const float *record, const struct weights *s, node *nodes) {
    const node zero = {0}, whole = *(const node *)record; // mass, momentum, the row xx xy xz of the impulse, yy
    node other;                                           // xz yy yz zz
    memcpy(&other, record + RECORD_IMPULSE + 2, sizeof other);
    const node ty = SHUFFLE(SHUFFLE(whole, other, 0, 1, 2, 3, 5, 7, 10, 11), zero, 8, 8, 8, 8, 4, 5, 6, 8);
    const node tz = SHUFFLE(other, zero, 8, 8, 8, 8, 0, 2, 3, 8);
    const node wz[3] = {all(s->w[0][2]), all(s->w[1][2]), all(s->w[2][2])};
    const node dz[3] = {all(s->d[0][2]), all(s->d[1][2]), all(s->d[2][2])};
    for (uint32_t i = 0; i < 3; i++) {
        const node w = all(s->w[i][0]);
        const node plane = whole * SHUFFLE(w, all(s->d[i][0]), 0, 1, 2, 3, 12, 13, 14, 15);
        const node plane_y = ty * w, plane_z = tz * w;
        for (uint32_t j = 0; j < 3; j++) {
            const node wy = all(s->w[j][1]), across = fused(plane_y, all(s->d[j][1]), plane * wy), along = plane_z * wy;
            node *row = nodes + VOLUME_NODE(i, j, 0);
            for (uint32_t k = 0; k < 3; k++) row[k] = fused(across, wz[k], fused(along, dz[k], row[k]));
        }
    }
}

// Most vertices of a block that are put in order by merging; of more, the heap does it, which takes no memory.
#define MOST_MERGED 4096u

static void sift(uint32_t *heap, uint32_t at, uint32_t count) {
    const uint32_t value = heap[at];
    for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && heap[child] < heap[child + 1]) child++;
        if (heap[child] <= value) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = value;
}

static void heap_sort(uint32_t *words, uint32_t count) {
    for (uint32_t i = count / 2; i > 0; i--) sift(words, i - 1, count);
    for (uint32_t last = count; last-- > 1;) {
        uint32_t most = words[0];
        words[0] = words[last];
        words[last] = most;
        sift(words, 0, last);
    }
}

static uint32_t run_end(const uint32_t *words, uint32_t begin, uint32_t count) {
    uint32_t end = begin + 1;
    while (end < count && words[end - 1] < words[end]) end++;
    return end;
}

// Vertices lie in few ascending runs, one for each piece that volume_bin has gone through: neighbours are merged until one is
// left.
static void put_in_order(uint32_t *words, uint32_t count) {
    uint32_t merged[MOST_MERGED];
    if (run_end(words, 0, count) >= count) return;
    if (count > MOST_MERGED) {
        heap_sort(words, count);
        return;
    }
    for (uint32_t longest = 0; longest < count;) {
        uint32_t to = 0;
        for (uint32_t a = 0; a < count;) {
            const uint32_t middle = run_end(words, a, count);
            const uint32_t end = middle < count ? run_end(words, middle, count) : count;
            uint32_t b = middle;
            longest = end - a;
            while (to < end) merged[to++] = b >= end || (a < middle && words[a] < words[b]) ? words[a++] : words[b++];
            a = end;
        }
        memcpy(words, merged, count * sizeof *words);
    }
}

// The rows of nodes along z that vertices of the first cell reach, and all that a block has: bit x * VOLUME_SIDE + y.
#define ROWS_OF_THREE UINT64_C(7)
#define ROWS_OF_NINE (ROWS_OF_THREE | ROWS_OF_THREE << VOLUME_SIDE | ROWS_OF_THREE << 2 * VOLUME_SIDE)
#define ALL_ROWS ((UINT64_C(1) << (VOLUME_SIDE * VOLUME_SIDE)) - 1)

void CPU_VARIANT(volume_to_grid)(const void *data, uint32_t first, uint32_t last, void *scratch) {
    const struct volume_to_grid_args *args = data;
    const uint32_t *starts = words_of(BUF(starts));
    const uint32_t end = starts[last]; // of what this call goes through
    uint32_t *indices = (uint32_t *)BUF(indices);
    (void)scratch;
    for (uint32_t group = first; group < last; group++) {
        uint32_t *block = (uint32_t *)BUF(blocks) + (size_t)group * BLOCK_UINTS;
        node *nodes = (node *)(BUF(sums) + (size_t)group * VOLUME_NODES * VOLUME_NODE_FLOATS);
        memset(nodes, 0, VOLUME_NODES * sizeof *nodes);
        uint64_t rows = 0; // of nodes that have something
        put_in_order(indices + starts[group], starts[group + 1] - starts[group]);
        const uint32_t *cell = words_of(BUF(records)) + (size_t)indices[starts[group]] * RECORD_WORDS + RECORD_CELL;
        for (int c = 0; c < 3; c++) block[BLOCK_CELL + c] = cell[c] / VOLUME_CELLS * VOLUME_CELLS;
        struct weights ready[2]; // of every other vertex
        weights_of(BUF(records), indices[starts[group]], &ready[starts[group] % 2]);
        for (uint32_t i = starts[group]; i < starts[group + 1]; i++) {
            const float *record = BUF(records) + (size_t)indices[i] * RECORD_WORDS;
            uint32_t at = first_node((const uint32_t *)record, block);
            __builtin_prefetch(BUF(records) + (size_t)indices[i + AHEAD < end ? i + AHEAD : i] * RECORD_WORDS);
            weights_of(BUF(records), indices[i + 1 < end ? i + 1 : i], &ready[(i + 1) % 2]);
            if (at == VOLUME_NODES) continue;
            add_vertex(record, &ready[i % 2], nodes + at);
            rows |= ROWS_OF_NINE << at / VOLUME_STRIDE;
        }
        memcpy(block + BLOCK_ROWS, &rows, sizeof rows);
    }
}

// ---- the grid ----

// Nodes that a block and its neighbour 0 to 2 along an axis both have: how much larger their numbers are there, and along x and y
// which rows they are there.
static const int32_t SHIFT[3] = {VOLUME_CELLS, 0, -(int32_t)VOLUME_CELLS};
#define TWO_ROWS UINT64_C(3)
#define TWO_COLUMNS UINT64_C(0xfff)
#define ALL_Y (UINT64_C(1) | 1 << 6 | 1 << 12 | 1 << 18 | 1 << 24 | 1 << 30) // rows with y = 0
static const uint64_t SHARED_X[3] = {TWO_COLUMNS << VOLUME_CELLS * VOLUME_SIDE, UINT64_MAX, TWO_COLUMNS};
static const uint64_t SHARED_Y[3] = {(ALL_Y * TWO_ROWS) << VOLUME_CELLS, UINT64_MAX, ALL_Y *TWO_ROWS};
_Static_assert(VOLUME_SIDE == 6 && VOLUME_CELLS == 4, "rows of bits");

#define NODES_ROOM 224u // lanes reach beyond the nodes

// The rows of nodes that vertices of a block reach, one behind the other: what others would be like nobody asks.
struct rows {
    uint64_t bits;
    uint32_t count;
    uint8_t which[VOLUME_SIDE * VOLUME_SIDE], place[VOLUME_SIDE * VOLUME_SIDE]; // of those; where they are among them
};

static void list_rows(const uint32_t *block, struct rows *rows) {
    memcpy(&rows->bits, block + BLOCK_ROWS, sizeof rows->bits);
    rows->bits &= ALL_ROWS;
    rows->count = 0;
    for (uint64_t left = rows->bits; left; left &= left - 1) {
        const uint32_t row = (uint32_t)__builtin_ctzll(left);
        rows->place[row] = (uint8_t)rows->count;
        rows->which[rows->count++] = (uint8_t)row;
    }
}

// Their nodes, and as many behind as lanes reach.
static uint32_t rows_room(const struct rows *rows) { return (rows->count * VOLUME_STRIDE + 15) / 16 * 16; }

// first, count: nodes of the rows there; to: where the first of them goes in its row. Constants, so that the loop is none.
static inline __attribute__((always_inline)) void add_rows(uint64_t bits, const uint8_t *place, int32_t shift,
                                                           node *nodes, const node *there, uint32_t first, uint32_t to,
                                                           uint32_t count) {
    for (; bits; bits &= bits - 1) {
        const int32_t row = __builtin_ctzll(bits);
        const node *from = there + VOLUME_STRIDE * (uint32_t)row + first;
        node *sum = nodes + VOLUME_STRIDE * (uint32_t)place[row - shift] + to;
        for (uint32_t z = 0; z < count; z++) sum[z] += from[z];
    }
}

// What blocks that share nodes with this one have gathered there: those lower along each axis first.
// Tried and lost: looking them up without branches (as fast), asking for sums of the next block while vertices of this one are read
// (1.01 of the time), blocks in reverse order, for what is still in the cache (as fast), rows summed in registers over all blocks
// without branches (as fast: 65.7 and 65.8 ns a vertex, least of 7 in turns).
static void add_neighbours(const struct volume_grid_args *args, const uint32_t *block, const struct rows *own,
                           node *nodes) {
    const uint32_t *cell = block + BLOCK_CELL, shared = VOLUME_SIDE - VOLUME_CELLS;
    uint32_t owners[27];
    memset(nodes, 0, rows_room(own) * sizeof *nodes);
    for (uint32_t n = 0; n < 27; n++) // before any is added: adding waits for memory, not for the table
        owners[n] = volume_find(BUF(table), BUF(blocks), VAL(shift), cell[0] + VOLUME_CELLS * (n / 9) - VOLUME_CELLS,
                                cell[1] + VOLUME_CELLS * (n / 3 % 3) - VOLUME_CELLS,
                                cell[2] + VOLUME_CELLS * (n % 3) - VOLUME_CELLS);
    for (uint32_t n = 0; n < 27; n++) {
        const uint32_t a = n / 9, b = n / 3 % 3, c = n % 3, owner = owners[n];
        if (owner == BLOCK_NONE) continue;
        const node *there = (const node *)(BUF(sums) + (size_t)owner * VOLUME_NODES * VOLUME_NODE_FLOATS);
        const int32_t shift = SHIFT[a] * (int32_t)VOLUME_SIDE + SHIFT[b];
        uint64_t rows;
        memcpy(&rows, words_of(BUF(blocks)) + (size_t)owner * BLOCK_UINTS + BLOCK_ROWS, sizeof rows);
        rows &= SHARED_X[a] & SHARED_Y[b] & (shift < 0 ? own->bits >> -shift : own->bits << shift);
        if (c == 0)
            add_rows(rows, own->place, shift, nodes, there, VOLUME_CELLS, 0, shared);
        else if (c == 1)
            add_rows(rows, own->place, shift, nodes, there, 0, 0, VOLUME_SIDE);
        else
            add_rows(rows, own->place, shift, nodes, there, 0, VOLUME_CELLS, shared);
    }
}

// Velocities of a block's nodes, one row of each component.
struct velocities {
    _Alignas(64) float after[3][NODES_ROOM]; // the step
    float filled[NODES_ROOM];                // 1: there is a node
    float before[3][NODES_ROOM];
};

// Returns a speed that none exceeds after the step.
static float to_velocities(const node *nodes, uint32_t count, struct velocities *to) {
    const node zero = {0}, one = {1, 1, 1, 1, 1, 1, 1, 1};
    node most = {0};
    float largest = 0;
    for (uint32_t first = 0; first < count; first += 8) {
        node r[8], v[3];
        memcpy(r, nodes + first, sizeof r);
        octet_turn(r); // row i: float i of eight nodes
        const node_bits filled = r[NODE_MASS] > zero;
        const node inverse = (node)((node_bits)(one / r[NODE_MASS]) & filled);
        const node ones = (node)((node_bits)one & filled);
        memcpy(&to->filled[first], &ones, sizeof ones);
        for (int c = 0; c < 3; c++) {
            const node before = r[NODE_MOMENTUM + c] * inverse;
            v[c] = (r[NODE_MOMENTUM + c] + r[NODE_IMPULSE + c]) * inverse;
            memcpy(&to->after[c][first], &v[c], sizeof v[c]);
            memcpy(&to->before[c][first], &before, sizeof before);
        }
        const node square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        const node_bits larger = square > most;
        most = (node)((larger & (node_bits)square) | (~larger & (node_bits)most));
    }
    for (int i = 0; i < 8; i++) largest = most[i] > largest ? most[i] : largest;
    return sqrtf(largest);
}

// Nodes as vertices read them: velocity after and before, four floats each, all rows in their places.
static void to_nodes(const struct velocities *from, const struct rows *rows, node *nodes) {
    node dense[NODES_ROOM];
    for (uint32_t first = 0; first < rows->count * VOLUME_STRIDE; first += 8) {
        node r[8] = {{0}};
        for (int c = 0; c < 3; c++) {
            memcpy(&r[NODE_VELOCITY + c], &from->after[c][first], sizeof r[0]);
            memcpy(&r[NODE_BEFORE + c], &from->before[c][first], sizeof r[0]);
        }
        octet_turn(r);
        memcpy(dense + first, r, sizeof r);
    }
    for (uint32_t i = 0; i < rows->count; i++)
        memcpy(nodes + VOLUME_STRIDE * rows->which[i], dense + VOLUME_STRIDE * i, VOLUME_STRIDE * sizeof *nodes);
}

// The numbers that volume_collide wants, the same for all nodes.
struct grid_step {
    real step, step_inverse, whole_inverse, left, cell;
};

// A collider that comes near to a block.
struct near {
    uint32_t at;
    float margin; // how much nearer to each other a node and it can come in the step
};

// A ball around the rows of a block.
static void surround(const uint32_t *block, const struct rows *rows, float cell, float middle[3], float *reach) {
    uint32_t columns = 0, low[3] = {0, 0, 0}, high[3] = {0, 0, VOLUME_SIDE - 1};
    for (uint32_t x = 0; x < VOLUME_SIDE; x++)
        columns |= (uint32_t)(rows->bits >> x * VOLUME_SIDE) % (1u << VOLUME_SIDE);
    if (rows->bits) {
        low[0] = (uint32_t)__builtin_ctzll(rows->bits) / VOLUME_SIDE;
        high[0] = (63 - (uint32_t)__builtin_clzll(rows->bits)) / VOLUME_SIDE;
        low[1] = (uint32_t)__builtin_ctz(columns);
        high[1] = 31 - (uint32_t)__builtin_clz(columns);
    }
    float square = 0;
    for (int c = 0; c < 3; c++) {
        const float side = (float)(high[c] - low[c]);
        middle[c] = ((float)(block[BLOCK_CELL + c] + low[c]) + 0.5f * side - (float)VOLUME_ORIGIN) * cell;
        square += side * side;
    }
    *reach = 0.501f * sqrtf(square) * cell;
}

static real lanes_at(const float *row) {
    real r;
    memcpy(&r, row, sizeof r);
    return r;
}

// Colliders that matter to one block at a time; more than that, and the rest is tried in another round.
#define MOST_NEAR 64u

// Some colliders, one a lane: to try them one after the other takes a step of the grid 1.02 of the time.
struct collider_lanes {
    _Alignas(64) float base[3][MOST_NEAR], axis[3][MOST_NEAR], length[MOST_NEAR], reach[MOST_NEAR], plane[MOST_NEAR];
    float slip[12][MOST_NEAR];
    float spread[MOST_NEAR]; // how far two points come off each other at most, per metre between them
    uint32_t first, count;
};

static void list_colliders(const float *colliders, uint32_t first, uint32_t count, struct collider_lanes *to) {
    to->first = first;
    to->count = count - first < MOST_NEAR ? count - first : MOST_NEAR;
    for (uint32_t i = 0; i < MOST_NEAR && i < (to->count + PLAIT_WIDTH - 1) / PLAIT_WIDTH * PLAIT_WIDTH; i++) {
        const float *from = colliders + (size_t)(first + (i < to->count ? i : 0)) * COLLIDER_FLOATS;
        float square = 0;
        for (int c = 0; c < 3; c++) {
            to->base[c][i] = from[COLLIDER_BASE + c];
            to->axis[c][i] = from[COLLIDER_AXIS + c];
        }
        to->length[i] = from[COLLIDER_LENGTH];
        to->reach[i] = from[COLLIDER_REACH];
        to->plane[i] = words_of(from)[COLLIDER_IS_PLANE] != 0;
        for (int k = 0; k < 12; k++) {
            to->slip[k][i] = from[COLLIDER_SLIP + k];
            square += k % 4 < 3 ? from[COLLIDER_SLIP + k] * from[COLLIDER_SLIP + k] : 0;
        }
        to->spread[i] = sqrtf(square);
    }
}

// Those that may come near to some node of a block: by where the middle of the block goes with them, and how far its nodes are from
// there. ahead: the farthest that a node goes.
static uint32_t list_near(const struct collider_lanes *of, const float middle[3], float reach, float left, float ahead,
                          struct near near[MOST_NEAR]) {
    const real3 m = vec3(R(middle[0]), R(middle[1]), R(middle[2]));
    uint32_t count = 0;
    for (uint32_t first = 0; first < of->count; first += PLAIT_WIDTH) {
#define ROW_OF(name) lanes_at(&of->name[first])
        const real3 way =
            vec3(ROW_OF(slip[0]) * m.x + ROW_OF(slip[1]) * m.y + ROW_OF(slip[2]) * m.z + ROW_OF(slip[3]),
                 ROW_OF(slip[4]) * m.x + ROW_OF(slip[5]) * m.y + ROW_OF(slip[6]) * m.z + ROW_OF(slip[7]),
                 ROW_OF(slip[8]) * m.x + ROW_OF(slip[9]) * m.y + ROW_OF(slip[10]) * m.z + ROW_OF(slip[11]));
        const real moved = sqrt_(dot3(way, way)) + R(reach) * ROW_OF(spread);
        const real margin = (R(ahead) + R(left) * moved) * R(1.0001f) + R(1e-5f), around = margin + R(reach);
        const real3 d = sub3(m, vec3(ROW_OF(base[0]), ROW_OF(base[1]), ROW_OF(base[2])));
        const real3 axis = vec3(ROW_OF(axis[0]), ROW_OF(axis[1]), ROW_OF(axis[2]));
        const real along = dot3(d, axis);
        const real3 c = sub3(d, mul3(axis, min_(max_(along, R(0.0f)), ROW_OF(length))));
        const real far = ROW_OF(reach) + around;
        const mask plane = lt(R(0.0f), ROW_OF(plane));
#undef ROW_OF
        uint32_t bits = lane_bits(lt(sel(plane, along - around, dot3(c, c) - far * far), R(0.0f)));
        for (; bits; bits &= bits - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(bits);
            if (first + lane >= of->count) break;
            near[count].at = (of->first + first + lane) * COLLIDER_FLOATS;
            near[count++].margin = ((const float *)&margin)[lane];
        }
    }
    return count;
}

// Nodes that a collider comes near to, one after the other so that lanes have much to do.
struct near_nodes {
    _Alignas(64) float v[3][NODES_ROOM], place[3][NODES_ROOM];
    uint16_t nodes[NODES_ROOM];
    uint32_t count;
};

static void find_near(const struct volume_grid_args *args, real cell, const struct near *near, uint32_t near_count,
                      const struct rows *rows, const uint32_t *block, const struct velocities *of,
                      struct near_nodes *found) {
    const real origin = R((float)VOLUME_ORIGIN);
    _Alignas(64) float offsets[3][NODES_ROOM];
    found->count = 0;
    for (uint32_t i = 0; i < rows->count; i++) { // each ends over the beginning of the next
        const node along = {0, 1, 2, 3, 4, 5, 0, 0};
        const node x = all((float)(rows->which[i] / VOLUME_SIDE)), y = all((float)(rows->which[i] % VOLUME_SIDE));
        memcpy(&offsets[0][VOLUME_STRIDE * i], &x, sizeof x);
        memcpy(&offsets[1][VOLUME_STRIDE * i], &y, sizeof y);
        memcpy(&offsets[2][VOLUME_STRIDE * i], &along, sizeof along);
    }
    for (uint32_t n = 0; n < rows->count * VOLUME_STRIDE; n += PLAIT_WIDTH) {
        const mask filled = lt(R(0.0f), lanes_at(&of->filled[n]));
        if (!any(filled)) continue;
        real place[3];
        for (int c = 0; c < 3; c++)
            place[c] = ((R((float)block[BLOCK_CELL + c]) + lanes_at(&offsets[c][n])) - origin) * cell;
        uint32_t bits = 0;
        for (uint32_t i = 0; i < near_count; i++)
            bits |= lane_bits(both(filled, collider_near(BUF(colliders) + near[i].at,
                                                         vec3(place[0], place[1], place[2]), R(near[i].margin))));
        for (; bits; bits &= bits - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(bits);
            for (int c = 0; c < 3; c++) {
                found->v[c][found->count] = of->after[c][n + lane];
                found->place[c][found->count] = ((const float *)&place[c])[lane];
            }
            found->nodes[found->count++] = (uint16_t)(n + lane);
        }
    }
    for (uint32_t lane = found->count; lane < (found->count + PLAIT_WIDTH - 1) / PLAIT_WIDTH * PLAIT_WIDTH; lane++)
        for (int c = 0; c < 3; c++) found->v[c][lane] = found->place[c][lane] = 0; // nobody's
}

// What colliders make of nodes.
static void collide(const struct volume_grid_args *args, const struct grid_step *s, const struct near *near,
                    uint32_t near_count, const struct rows *rows, const uint32_t *block, struct velocities *of) {
    struct near_nodes found;
    find_near(args, s->cell, near, near_count, rows, block, of, &found);
    for (uint32_t n = 0; n < found.count; n += PLAIT_WIDTH) {
        const real3 at = vec3(lanes_at(&found.place[0][n]), lanes_at(&found.place[1][n]), lanes_at(&found.place[2][n]));
        real3 v = vec3(lanes_at(&found.v[0][n]), lanes_at(&found.v[1][n]), lanes_at(&found.v[2][n]));
        for (uint32_t i = 0; i < near_count; i++)
            v = volume_collide(BUF(colliders) + near[i].at, at, v, s->step, s->step_inverse, s->whole_inverse, s->left);
        memcpy(&found.v[0][n], &v.x, sizeof v.x);
        memcpy(&found.v[1][n], &v.y, sizeof v.y);
        memcpy(&found.v[2][n], &v.z, sizeof v.z);
    }
    for (uint32_t i = 0; i < found.count; i++)
        for (int c = 0; c < 3; c++) of->after[c][found.nodes[i]] = found.v[c][i];
}

// ---- back to vertices ----

// Of a vertex' nodes: their mean by the weights, and its derivatives; of those only the first four floats count.
struct read {
    node value, by_x, by_y, by_z;
};

// By what nodes differ from their neighbours it is 62 products instead of 93, and a step of the grid takes 0.98 of the time; but it
// rounds differently, so that all devices would have to.
#ifdef __AVX512F__
// Means along z and their slopes side by side: 54 products, and a step of the grid takes 0.97 of the time.
typedef float node_pair __attribute__((vector_size(64)));
#define PAIR(a, b) SHUFFLE(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
static inline node_pair both_of(node n) { return PAIR(n, n); }
static inline node_pair fused_pair(node_pair a, node_pair b, node_pair c) {
    return (node_pair)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

static inline struct read read_rows(const struct weights *s, const node *nodes) {
    node_pair wz[3], value = {0};
    for (uint32_t k = 0; k < 3; k++) wz[k] = PAIR(all(s->w[k][2]), all(s->d[k][2]));
    struct read r = {{0}, {0}, {0}, {0}};
    for (uint32_t i = 0; i < 3; i++) {
        node_pair plane = {0};
        node plane_y = {0};
        for (uint32_t j = 0; j < 3; j++) {
            const node *row = nodes + VOLUME_NODE(i, j, 0);
            const node_pair mean =
                fused_pair(both_of(row[2]), wz[2], fused_pair(both_of(row[1]), wz[1], both_of(row[0]) * wz[0]));
            plane = fused_pair(mean, both_of(all(s->w[j][1])), plane);
            plane_y = fused(SHUFFLE(mean, mean, 0, 1, 2, 3, 4, 5, 6, 7), all(s->d[j][1]), plane_y);
        }
        const node w = all(s->w[i][0]);
        value = fused_pair(plane, both_of(w), value);
        r.by_x = fused(SHUFFLE(plane, plane, 0, 1, 2, 3, 4, 5, 6, 7), all(s->d[i][0]), r.by_x);
        r.by_y = fused(plane_y, w, r.by_y);
    }
    r.value = SHUFFLE(value, value, 0, 1, 2, 3, 4, 5, 6, 7);
    r.by_z = SHUFFLE(value, value, 8, 9, 10, 11, 12, 13, 14, 15);
    return r;
}
#else
static inline struct read read_rows(const struct weights *s, const node *nodes) {
    const node wz[3] = {all(s->w[0][2]), all(s->w[1][2]), all(s->w[2][2])};
    const node dz[3] = {all(s->d[0][2]), all(s->d[1][2]), all(s->d[2][2])};
    struct read r = {{0}, {0}, {0}, {0}};
    for (uint32_t i = 0; i < 3; i++) {
        node plane = {0}, plane_y = {0}, plane_z = {0};
        for (uint32_t j = 0; j < 3; j++) {
            const node *row = nodes + VOLUME_NODE(i, j, 0);
            const node mean = fused(row[2], wz[2], fused(row[1], wz[1], row[0] * wz[0]));
            const node slope = fused(row[2], dz[2], fused(row[1], dz[1], row[0] * dz[0]));
            const node wy = all(s->w[j][1]);
            plane = fused(mean, wy, plane);
            plane_y = fused(mean, all(s->d[j][1]), plane_y);
            plane_z = fused(slope, wy, plane_z);
        }
        const node w = all(s->w[i][0]);
        r.value = fused(plane, w, r.value);
        r.by_x = fused(plane, all(s->d[i][0]), r.by_x);
        r.by_y = fused(plane_y, w, r.by_y);
        r.by_z = fused(plane_z, w, r.by_z);
    }
    return r;
}
#endif

static inline void read_nodes(const struct weights *s, const node *nodes, float *reading) {
    const struct read r = read_rows(s, nodes);
    four out[5];
    out[0] = SHUFFLE(r.value, r.value, 0, 1, 2, 3);
    out[1] = SHUFFLE(r.value, r.value, 4, 5, 6, 7);
    out[2] = SHUFFLE(r.by_x, r.by_x, 0, 1, 2, 3);
    out[3] = SHUFFLE(r.by_y, r.by_y, 0, 1, 2, 3);
    out[4] = SHUFFLE(r.by_z, r.by_z, 0, 1, 2, 3);
    out[4][3] = (union {
                    uint32_t word;
                    float value;
                }){1}
                    .value; // READING_VALID
    for (int n = 0; n < 5; n++)
        memcpy(reading + 3 * n, &out[n], sizeof out[n]); // each ends over the beginning of the next
}
_Static_assert(READING_VELOCITY == 0 && READING_BEFORE == 3 && READING_GRADIENT == 6 && READING_VALID == 15,
               "by threes");

// end: of the indices that the call goes through.
static void read_vertices(const struct volume_grid_args *args, uint32_t group, uint32_t end, const uint32_t *block,
                          const node *nodes) {
    const uint32_t *indices = words_of(BUF(indices)), *starts = words_of(BUF(starts));
    struct weights ready[2]; // of every other vertex
    weights_of(BUF(records), indices[starts[group]], &ready[starts[group] % 2]);
    for (uint32_t i = starts[group]; i < starts[group + 1]; i++) {
        const float *record = BUF(records) + (size_t)indices[i] * RECORD_WORDS;
        uint32_t at = first_node((const uint32_t *)record, block), next = indices[i + AHEAD < end ? i + AHEAD : i];
        __builtin_prefetch(BUF(records) + (size_t)next * RECORD_WORDS);
        __builtin_prefetch(BUF(readings) + (size_t)next * READING_WORDS, 1);
        weights_of(BUF(records), indices[i + 1 < end ? i + 1 : i], &ready[(i + 1) % 2]);
        float *reading = BUF(readings) + (size_t)indices[i] * READING_WORDS;
        if (at < VOLUME_NODES)
            read_nodes(&ready[i % 2], nodes + at, reading);
        else
            ((uint32_t *)reading)[READING_VALID] = 0;
    }
}

// ---- both ----

void CPU_VARIANT(volume_grid)(const void *data, uint32_t first, uint32_t last, void *scratch) {
    const struct volume_grid_args *args = data;
    const float *params = BUF(params), *frame = BUF(frame);
    const float cell = params[VOLUME_CELL], step = frame[FRAME_STEP] * params[VOLUME_PART];
    const float left = 1.0f - (float)(VAL(part) + 1) * params[VOLUME_PART];
    const struct grid_step s = {R(step), R(1.0f / step), R(frame[FRAME_STEP_INVERSE]), R(left), R(cell)};
    const uint32_t colliders = words_of(frame)[FRAME_COLLIDERS];
    struct collider_lanes listed;
    listed.first = UINT32_MAX;
    (void)scratch;
    for (uint32_t group = first; group < last; group++) {
        const uint32_t *block = words_of(BUF(blocks)) + (size_t)group * BLOCK_UINTS;
        node nodes[NODES_ROOM];
        struct velocities velocities;
        struct rows rows;
        float middle[3], reach;
        list_rows(block, &rows);
        add_neighbours(args, block, &rows, nodes);
        const float ahead = step * to_velocities(nodes, rows_room(&rows), &velocities);
        surround(block, &rows, cell, middle, &reach);
        for (uint32_t begin = 0; begin < colliders; begin += MOST_NEAR) {
            struct near near[MOST_NEAR];
            if (listed.first != begin) list_colliders(BUF(colliders), begin, colliders, &listed);
            const uint32_t near_count = list_near(&listed, middle, reach, left, ahead, near);
            if (near_count) collide(args, &s, near, near_count, &rows, block, &velocities);
        }
        to_nodes(&velocities, &rows, nodes);
        read_vertices(args, group, words_of(BUF(starts))[last], block, nodes);
    }
}
