// Overrides of the kernels of hair-hair forces, compiled once per instruction set like the kernels. Between vertices and nodes a
// vector is the eight floats of a node, so that one block after the other stays in the cache; the plain kernels go through the
// vertices once for every node. What is added to each float, and in which order, is the same.
#include "dialect.h"

#include "kernels/functions.h"

#include "volume.h"

typedef float node __attribute__((vector_size(32)));
_Static_assert(sizeof(node) == VOLUME_NODE_FLOATS * sizeof(float), "a vector is a node");
#define SHUFFLE __builtin_shufflevector

static const uint32_t *words_of(const float *buffer) { return (const uint32_t *)buffer; }

// As spline_at does, for one vertex.
struct weights {
    float w[3], d[3];
};

static inline struct weights weights_at(float from_base) {
    float before = 1.5f - from_base, middle = from_base - 1.0f, behind = from_base - 0.5f;
    return (struct weights){{0.5f * before * before, 0.75f - middle * middle, 0.5f * behind * behind},
                            {-before, -2.0f * middle, behind}};
}

// Where the first node of a vertex is in its block; VOLUME_NODES: it is of another block.
static inline uint32_t first_node(const uint32_t *record, const uint32_t *block) {
    uint32_t x = record[RECORD_CELL] - block[BLOCK_CELL], y = record[RECORD_CELL + 1] - block[BLOCK_CELL + 1];
    uint32_t z = record[RECORD_CELL + 2] - block[BLOCK_CELL + 2];
    return (x | y | z) < VOLUME_CELLS ? VOLUME_NODE(x, y, z) : VOLUME_NODES;
}

// Vertices of a block lie anywhere in memory: asked for so many ahead.
#define AHEAD 6u

static inline void add_vertex(const float *record, node *nodes) {
    const struct weights x = weights_at(record[RECORD_FROM_BASE]), y = weights_at(record[RECORD_FROM_BASE + 1]);
    const struct weights z = weights_at(record[RECORD_FROM_BASE + 2]);
    const float *t = record + RECORD_IMPULSE;
    const node carried = {record[RECORD_MASS], record[RECORD_MOMENTUM], record[RECORD_MOMENTUM + 1],
                          record[RECORD_MOMENTUM + 2]};
    const node tx = {0, 0, 0, 0, 0, t[0], t[1], t[2]}, ty = {0, 0, 0, 0, 0, t[1], t[3], t[4]};
    const node tz = {0, 0, 0, 0, 0, t[2], t[4], t[5]};
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < 3; j++) {
            const float both = x.w[i] * y.w[j];
            const node across = carried * both + (tx * (x.d[i] * y.w[j]) + ty * (x.w[i] * y.d[j])), along = tz * both;
            node *row = nodes + VOLUME_NODE(i, j, 0);
            for (uint32_t k = 0; k < 3; k++) row[k] += across * z.w[k] + along * z.d[k];
        }
}

void CPU_VARIANT(volume_to_grid)(const void *data, uint32_t first, uint32_t last, void *scratch) {
    const struct volume_to_grid_args *args = data;
    const uint32_t *indices = words_of(BUF(indices)), *starts = words_of(BUF(starts));
    const uint32_t end = starts[last]; // of what this call goes through
    (void)scratch;
    for (uint32_t group = first; group < last; group++) {
        const uint32_t *block = words_of(BUF(blocks)) + (size_t)group * BLOCK_UINTS;
        node nodes[VOLUME_NODES];
        memset(nodes, 0, sizeof nodes);
        for (uint32_t i = starts[group]; i < starts[group + 1]; i++) {
            const float *record = BUF(records) + (size_t)indices[i] * RECORD_WORDS;
            uint32_t at = first_node((const uint32_t *)record, block);
            __builtin_prefetch(BUF(records) + (size_t)indices[i + AHEAD < end ? i + AHEAD : i] * RECORD_WORDS);
            if (at < VOLUME_NODES) add_vertex(record, nodes + at);
        }
        memcpy(BUF(sums) + (size_t)group * VOLUME_NODES * VOLUME_NODE_FLOATS, nodes, sizeof nodes);
    }
}

// ---- the grid ----

// What blocks that share nodes with this one have gathered there: those lower along each axis first.
static void add_neighbours(const uint32_t *block, const float *sums, node *nodes) {
    // Nodes of a block that its neighbour 0 to 2 has too, along an axis.
    static const uint32_t from[3] = {0, 0, VOLUME_CELLS},
                          to[3] = {VOLUME_SIDE - VOLUME_CELLS, VOLUME_SIDE, VOLUME_SIDE};
    memset(nodes, 0, VOLUME_NODES * sizeof *nodes);
    for (uint32_t n = 0; n < 27; n++) {
        const uint32_t owner = block[BLOCK_NEIGHBOURS + n], a = n / 9, b = n / 3 % 3, c = n % 3;
        if (owner == BLOCK_NONE) continue;
        const float *gathered = sums + (size_t)owner * VOLUME_NODES * VOLUME_NODE_FLOATS;
        for (uint32_t x = from[a]; x < to[a]; x++)
            for (uint32_t y = from[b]; y < to[b]; y++) {
                node *row = nodes + VOLUME_NODE(x, y, 0);
                const float *other =
                    gathered + VOLUME_NODE_FLOATS * VOLUME_NODE(x + VOLUME_CELLS - VOLUME_CELLS * a,
                                                                y + VOLUME_CELLS - VOLUME_CELLS * b,
                                                                from[c] + VOLUME_CELLS - VOLUME_CELLS * c);
                for (uint32_t z = from[c]; z < to[c]; z++, other += VOLUME_NODE_FLOATS) {
                    node value;
                    memcpy(&value, other, sizeof value);
                    row[z] += value;
                }
            }
    }
}

// Velocities in the place of sums; returns the largest, squared.
static float to_velocities(node *nodes) {
    const node zero = {0};
    float fastest = 0;
    for (uint32_t n = 0; n < VOLUME_SIDE * VOLUME_SIDE * VOLUME_STRIDE; n++) {
        float mass = nodes[n][NODE_MASS], inverse = mass > 0 ? 1 / mass : 0;
        node momentum = SHUFFLE(nodes[n], zero, 1, 2, 3, 8, 1, 2, 3, 8);
        node impulse = SHUFFLE(nodes[n], zero, 5, 6, 7, 8, 8, 8, 8, 8);
        node v = (momentum + impulse) * inverse;
        float speed = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        fastest = speed > fastest ? speed : fastest;
        v[3] = mass > 0; // for those who look whether there is a node
        nodes[n] = v;
    }
    return fastest;
}

// The numbers that volume_collide wants, the same for all nodes.
struct grid_step {
    real step, step_inverse, whole_inverse, left, cell;
};

// Whether a collider may come near to some node of the block: by where the middle of the block goes with it, and how far its
// nodes are from there.
static bool is_near(buffer_ref colliders, uint32_t at, const float middle[3], float reach, float left) {
    const float *m = colliders + at + COLLIDER_SLIP;
    float center[3], spread = 0;
    for (int c = 0; c < 3; c++) {
        center[c] = middle[c] +
                    left * (m[4 * c] * middle[0] + m[4 * c + 1] * middle[1] + m[4 * c + 2] * middle[2] + m[4 * c + 3]);
        for (int k = 0; k < 3; k++) spread += m[4 * c + k] * m[4 * c + k];
    }
    float margin = reach * (1 + sqrtf(spread)) * 1.0001f + 1e-5f;
    return any(collider_near(colliders + at, vec3(R(center[0]), R(center[1]), R(center[2])), R(margin)));
}

// Nodes one a lane, and what colliders make of them.
struct lanes {
    _Alignas(64) float place[3][VOLUME_NODES], velocity[3][VOLUME_NODES], filled[VOLUME_NODES];
};

static void collide(const struct volume_grid_args *args, const struct grid_step *s, const uint32_t *near,
                    uint32_t near_count, const float offsets[3][VOLUME_NODES], const uint32_t *block, node *nodes) {
    struct lanes lanes;
    const real origin = R((float)VOLUME_ORIGIN);
    for (uint32_t n = 0; n < VOLUME_NODES; n++) {
        for (int c = 0; c < 3; c++) lanes.velocity[c][n] = nodes[n][c];
        lanes.filled[n] = nodes[n][3];
    }
    for (uint32_t n = 0; n < VOLUME_SIDE * VOLUME_SIDE * VOLUME_STRIDE; n += PLAIT_WIDTH) {
        real place[3];
        mask filled = lt(R(0.0f), LD(&lanes.filled[n], 0));
        if (!any(filled)) continue;
        for (int c = 0; c < 3; c++)
            place[c] = ((R((float)block[BLOCK_CELL + c]) + LD(&offsets[c][n], 0)) - origin) * s->cell;
        real3 v = vec3(LD(&lanes.velocity[0][n], 0), LD(&lanes.velocity[1][n], 0), LD(&lanes.velocity[2][n], 0));
        for (uint32_t i = 0; i < near_count; i++) {
            real3 next = volume_collide(BUF(colliders) + near[i], vec3(place[0], place[1], place[2]), v, s->step,
                                        s->step_inverse, s->whole_inverse, s->left);
            v = sel3(filled, next, v);
        }
        ST(&lanes.velocity[0][n], 0, v.x);
        ST(&lanes.velocity[1][n], 0, v.y);
        ST(&lanes.velocity[2][n], 0, v.z);
    }
    for (uint32_t n = 0; n < VOLUME_SIDE * VOLUME_SIDE * VOLUME_STRIDE; n++)
        for (int c = 0; c < 3; c++) nodes[n][c] = lanes.velocity[c][n];
}

// Colliders that matter to one block at a time; more than that, and the rest is tried in another round.
#define MOST_NEAR 64

void CPU_VARIANT(volume_grid)(const void *data, uint32_t first, uint32_t last, void *scratch) {
    const struct volume_grid_args *args = data;
    const float *params = BUF(params), *frame = BUF(frame);
    const float cell = params[VOLUME_CELL], step = frame[FRAME_STEP] * params[VOLUME_PART];
    const float left = 1.0f - (float)(VAL(part) + 1) * params[VOLUME_PART];
    const struct grid_step s = {R(step), R(1.0f / step), R(frame[FRAME_STEP_INVERSE]), R(left), R(cell)};
    const uint32_t colliders = words_of(frame)[FRAME_COLLIDERS];
    _Alignas(64) float offsets[3][VOLUME_NODES];
    (void)scratch;
    for (uint32_t n = 0; n < VOLUME_NODES; n++) {
        offsets[0][n] = (float)(n / (VOLUME_SIDE * VOLUME_STRIDE));
        offsets[1][n] = (float)(n / VOLUME_STRIDE % VOLUME_SIDE);
        offsets[2][n] = (float)(n % VOLUME_STRIDE);
    }
    for (uint32_t group = first; group < last; group++) {
        const uint32_t *block = words_of(BUF(blocks)) + (size_t)group * BLOCK_UINTS;
        node nodes[VOLUME_NODES];
        float middle[3];
        add_neighbours(block, BUF(sums), nodes);
        float reach = 0.87f * (VOLUME_SIDE - 1) * cell + step * sqrtf(to_velocities(nodes)); // half a diagonal
        for (int c = 0; c < 3; c++)
            middle[c] = ((float)(block[BLOCK_CELL + c]) + 0.5f * (VOLUME_SIDE - 1) - (float)VOLUME_ORIGIN) * cell;
        uint32_t near[MOST_NEAR], near_count = 0;
        for (uint32_t i = 0; i < colliders; i++) {
            if (is_near(BUF(colliders), i * COLLIDER_FLOATS, middle, reach, left))
                near[near_count++] = i * COLLIDER_FLOATS;
            if (near_count == MOST_NEAR || (i + 1 == colliders && near_count)) {
                collide(args, &s, near, near_count, (const float(*)[VOLUME_NODES])offsets, block, nodes);
                near_count = 0;
            }
        }
        memcpy(BUF(nodes) + (size_t)group * VOLUME_NODES * VOLUME_NODE_FLOATS, nodes, sizeof nodes);
    }
}

// ---- back to vertices ----

static inline void read_nodes(const float *record, const float *nodes, float *reading) {
    const struct weights x = weights_at(record[RECORD_FROM_BASE]), y = weights_at(record[RECORD_FROM_BASE + 1]);
    const struct weights z = weights_at(record[RECORD_FROM_BASE + 2]);
    node value = {0}, by_x = {0}, by_y = {0}, by_z = {0};
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < 3; j++) {
            node row[3];
            memcpy(row, nodes + VOLUME_NODE_FLOATS * VOLUME_NODE(i, j, 0), sizeof row);
            node mean = row[0] * z.w[0] + row[1] * z.w[1] + row[2] * z.w[2];
            node slope = row[0] * z.d[0] + row[1] * z.d[1] + row[2] * z.d[2];
            float both = x.w[i] * y.w[j];
            value += mean * both;
            by_x += mean * (x.d[i] * y.w[j]);
            by_y += mean * (x.w[i] * y.d[j]);
            by_z += slope * both;
        }
    for (int c = 0; c < 3; c++) {
        reading[READING_VELOCITY + c] = value[NODE_VELOCITY + c];
        reading[READING_BEFORE + c] = value[NODE_BEFORE + c];
        reading[READING_GRADIENT + 3 * c] = by_x[c];
        reading[READING_GRADIENT + 3 * c + 1] = by_y[c];
        reading[READING_GRADIENT + 3 * c + 2] = by_z[c];
    }
    ((uint32_t *)reading)[READING_VALID] = 1;
}

void CPU_VARIANT(volume_to_vertices)(const void *data, uint32_t first, uint32_t last, void *scratch) {
    const struct volume_to_vertices_args *args = data;
    const uint32_t *indices = words_of(BUF(indices)), *starts = words_of(BUF(starts));
    const uint32_t end = starts[last];
    (void)scratch;
    for (uint32_t group = first; group < last; group++) {
        const uint32_t *block = words_of(BUF(blocks)) + (size_t)group * BLOCK_UINTS;
        const float *nodes = BUF(nodes) + (size_t)group * VOLUME_NODES * VOLUME_NODE_FLOATS;
        for (uint32_t i = starts[group]; i < starts[group + 1]; i++) {
            const float *record = BUF(records) + (size_t)indices[i] * RECORD_WORDS;
            uint32_t at = first_node((const uint32_t *)record, block), next = indices[i + AHEAD < end ? i + AHEAD : i];
            __builtin_prefetch(BUF(records) + (size_t)next * RECORD_WORDS);
            __builtin_prefetch(BUF(readings) + (size_t)next * READING_WORDS, 1);
            if (at < VOLUME_NODES)
                read_nodes(record, nodes + at * VOLUME_NODE_FLOATS, BUF(readings) + (size_t)indices[i] * READING_WORDS);
        }
    }
}
