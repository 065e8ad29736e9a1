// Kernels of the grid of hair-hair forces on a cloud of vertices, against sums in double precision. The CPU gives the same bits
// whatever its instruction set, by plain kernels and by overrides.
#include "grid.h"
#include "layout.h"
#include "words.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SLOT_BITS = 12, SLOTS = 1 << SLOT_BITS };
enum { VERTICES = 700, FAR = 5, MOST_BLOCKS = VERTICES, NODE_WORDS = VOLUME_NODES * VOLUME_NODE_FLOATS };
#define CELL_M 0.01f
#define STEP_S (1.0f / 120)
#define PARTS 3
#define ROUNDING 5e-5       // of sums of up to a hundred
#define ROUNDING_PLACE 4e-3 // twelve micrometres at 20 m, in a step of the grid

// Vertices by block, in their order within, and the blocks. The last FAR are so far away that they have the key of others.
struct cloud {
    union {
        float values[VERTICES][RECORD_WORDS];
        uint32_t words[VERTICES][RECORD_WORDS];
    } records;
    uint32_t keys[VERTICES], indices[VERTICES], starts[VERTICES + 1], blocks[MOST_BLOCKS][BLOCK_UINTS];
    uint32_t table[TABLE_SLOTS + SLOT_WORDS * SLOTS];
    uint32_t block_count;
};
static struct cloud cloud;
static uint64_t seed;

static double between(double low, double high) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static uint32_t key_of(const uint32_t *record) {
    uint32_t key = 0;
    for (int c = 0; c < 3; c++) key = key << 10 | ((record[RECORD_CELL + c] / VOLUME_CELLS + 512) & 1023);
    return key | 1u << 31;
}

static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t key_x = key_of(cloud.records.words[x]), key_y = key_of(cloud.records.words[y]);
    return key_x != key_y ? (key_x < key_y ? -1 : 1) : x < y ? -1 : x > y;
}

static const uint32_t *first_of(uint32_t block) { return cloud.records.words[cloud.indices[cloud.starts[block]]]; }

static void take_slot(uint32_t key, uint32_t block) {
    uint32_t slot = key * 2654435769u >> (32 - SLOT_BITS);
    while (cloud.table[TABLE_SLOTS + SLOT_WORDS * slot + SLOT_KEY]) slot = (slot + 1) % SLOTS;
    cloud.table[TABLE_SLOTS + SLOT_WORDS * slot + SLOT_KEY] = key;
    cloud.table[TABLE_SLOTS + SLOT_WORDS * slot + SLOT_BLOCK] = block + 1;
}

// Denser in the middle, around a place where keys begin anew.
static void make_cloud(void) {
    if (cloud.block_count) return;
    seed = 88172645463325252u;
    for (uint32_t v = 0; v < VERTICES; v++) {
        float *values = cloud.records.values[v];
        values[RECORD_MASS] = (float)between(0.5, 2);
        for (int c = 0; c < 3; c++) {
            double place = VOLUME_ORIGIN + 2048 + 4 * (between(-1, 1) + between(-1, 1) + between(-1, 1));
            if (v >= VERTICES - FAR && c == 0) place = cloud.records.words[v - 300][RECORD_CELL] + 4096;
            if (v >= VERTICES - FAR && c > 0) place = cloud.records.words[v - 300][RECORD_CELL + c];
            cloud.records.words[v][RECORD_CELL + c] = (uint32_t)place;
            values[RECORD_FROM_BASE + c] = (float)between(0.5, 1.5);
            values[RECORD_MOMENTUM + c] = (float)between(-2, 2);
        }
        for (int i = 0; i < 6; i++) values[RECORD_IMPULSE + i] = (float)between(-1, 1);
        cloud.indices[v] = v;
    }
    qsort(cloud.indices, VERTICES, sizeof cloud.indices[0], compare);
    for (uint32_t v = 0; v < VERTICES; v++) {
        cloud.keys[v] = key_of(cloud.records.words[v]);
        uint32_t key = key_of(cloud.records.words[cloud.indices[v]]);
        if (v == 0 || key != key_of(cloud.records.words[cloud.indices[v - 1]])) {
            take_slot(key, cloud.block_count);
            cloud.starts[cloud.block_count++] = v;
        }
    }
    cloud.starts[cloud.block_count] = VERTICES;
    for (uint32_t b = 0; b < cloud.block_count; b++)
        for (int c = 0; c < 3; c++)
            cloud.blocks[b][BLOCK_CELL + c] = first_of(b)[RECORD_CELL + c] / VOLUME_CELLS * VOLUME_CELLS;
    for (uint32_t b = 0; b < cloud.block_count; b++) // all rows have something
        cloud.blocks[b][BLOCK_ROWS] = cloud.blocks[b][BLOCK_ROWS + 1] = UINT32_MAX;
    assert_true(cloud.block_count > 60 && cloud.block_count < VERTICES / 2);
}

// Once a device; sizes are the cloud's own.
static bool is_turn(const struct run *run) { return run->size.items == 129 && !run->size.counted; }

static struct domain groups_of(struct run *run) {
    const uint32_t work = cloud.block_count * VOLUME_WORK;
    return (struct domain){
        .count = MOST_BLOCKS * VOLUME_WORK, .tile = VOLUME_WORK, .counter = run_buffer(run, &work, 1, 1)};
}

static const struct buffer *buffer_of(struct run *run, const void *words, size_t bytes) {
    return run_buffer(run, words, (uint32_t)(bytes / 4), (uint32_t)(bytes / 4));
}

static float *read_floats(const struct run *run, const struct buffer *buffer) {
    float *values = malloc(buffer->size);
    assert_non_null(values);
    assert_int_equal(run->device->ops->buffer_read(buffer, 0, values, buffer->size), PLAIT_OK);
    return values;
}

// `expected` in double precision; what the first device made of it is what other CPUs must make, to the bit.
static void expect_close(const struct run *run, const char *what, uint32_t at, float got, double expected,
                         double tolerance, float *first) {
    if (!(fabs((double)got - expected) <= tolerance))
        fail_msg("%s on %s: value %u is %.9g, not %.9g", what, run->where, at, (double)got, expected);
    if (run->gpu) return;
    if (isnan(*first)) *first = got;
    if (memcmp(first, &got, sizeof got) != 0)
        fail_msg("%s on %s: value %u is %.9g, elsewhere %.9g", what, run->where, at, (double)got, (double)*first);
}

static float *remembered(size_t count) {
    float *values = malloc(count * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < count; i++) values[i] = NAN;
    return values;
}

// Readings of a step before: all are valid, and zero.
static const struct buffer *valid_readings(struct run *run) {
    uint32_t *words = run_array(run, VERTICES * READING_WORDS);
    for (uint32_t i = 0; i < VERTICES * READING_WORDS; i++) words[i] = i % READING_WORDS == READING_VALID;
    return buffer_of(run, words, VERTICES * READING_WORDS * sizeof *words);
}

// ---- blocks ----

// A table with `bits` bits of slots, and `capacity` blocks that may have a place.
static void find_blocks(struct run *run, uint32_t bits, uint32_t capacity) {
    const uint32_t slots = 1u << bits, most = slots / 2, shift = 32 - bits, words = TABLE_SLOTS + SLOT_WORDS * slots;
    const struct domain vertices = {.count = VERTICES};
    uint32_t *empty = run_array(run, words);
    memset(empty, 0, words * sizeof *empty);
    const struct buffer *table = run_buffer(run, empty, words, words), *list = run_buffer(run, NULL, 0, most);
    const struct buffer *places = run_buffer(run, NULL, 0, 2 * VERTICES),
                        *starts = run_buffer(run, NULL, 0, capacity + 1);
    const struct buffer *runs = run_buffer(run, NULL, 0, 1), *groups = run_buffer(run, NULL, 0, 1);
    const struct buffer *indices = run_buffer(run, NULL, 0, VERTICES), *readings = valid_readings(run);
    run->list.count = 0;
    stage_add(&run->list, (struct stage){.kernel = KERNEL_volume_bin,
                                         .domain = vertices,
                                         .buffers.volume_bin = {.keys = buffer_of(run, cloud.keys, sizeof cloud.keys),
                                                                .table = table,
                                                                .list = list,
                                                                .places = places},
                                         .values.volume_bin = {.shift = shift, .most = most}});
    stage_add(
        &run->list,
        (struct stage){
            .kernel = KERNEL_volume_blocks,
            .domain = {.count = 1, .tile = 1},
            .buffers.volume_blocks = {.table = table, .list = list, .starts = starts, .runs = runs, .groups = groups},
            .values.volume_blocks = {.capacity = capacity, .most = most}});
    stage_add(&run->list,
              (struct stage){
                  .kernel = KERNEL_volume_place,
                  .domain = vertices,
                  .buffers.volume_place = {
                      .places = places, .table = table, .starts = starts, .indices = indices, .readings = readings}});
    run_go(run);
    // Blocks are sorted by key here: those that have a place are the first.
    const uint32_t kept = cloud.block_count > most ? 0 : cloud.block_count > capacity ? capacity : cloud.block_count;
    const uint32_t work = kept * VOLUME_WORK;
    run_expect(run, runs, &kept, 1, "blocks");
    run_expect(run, groups, &work, 1, "work of blocks");
    uint32_t got_starts[MOST_BLOCKS + 1], got[VERTICES];
    const struct device_ops *ops = run->device->ops;
    assert_int_equal(ops->buffer_read(starts, 0, got_starts, (kept + 1) * sizeof got_starts[0]), PLAIT_OK);
    assert_int_equal(ops->buffer_read(indices, 0, got, sizeof got), PLAIT_OK);
    assert_int_equal(got_starts[kept], cloud.starts[kept]);
    bool seen[MOST_BLOCKS] = {false}, placed[VERTICES] = {false};
    for (uint32_t i = 0; i < got_starts[kept]; i++) placed[got[i] % VERTICES] = true;
    float *read = read_floats(run, readings); // only those without a place are touched, and have nothing to read
    for (uint32_t v = 0; v < VERTICES; v++) {
        uint32_t valid;
        memcpy(&valid, &read[v * READING_WORDS + READING_VALID], sizeof valid);
        assert_int_equal(valid, placed[v]);
    }
    free(read);
    for (uint32_t b = 0; b < kept; b++) {
        uint32_t first = got_starts[b], which = 0, count = got_starts[b + 1] - first;
        assert_true(first < VERTICES && got[first] < VERTICES);
        while (which < kept && cloud.keys[got[first]] != cloud.keys[cloud.indices[cloud.starts[which]]]) which++;
        assert_true(which < kept && !seen[which]);
        seen[which] = true;
        assert_int_equal(count, cloud.starts[which + 1] - cloud.starts[which]);
        for (uint32_t i = cloud.starts[which]; i < cloud.starts[which + 1]; i++) {
            uint32_t k = 0;
            while (k < count && got[first + k] != cloud.indices[i]) k++;
            assert_true(k < count);
        }
    }
}

void block_volume_bin(struct run *run) {
    if (!is_turn(run)) return;
    make_cloud();
    find_blocks(run, SLOT_BITS, MOST_BLOCKS);
}

void block_volume_blocks(struct run *run) {
    if (!is_turn(run)) return;
    make_cloud();
    find_blocks(run, SLOT_BITS, 37);
}

// Slots for half of the blocks: there are too many.
void block_volume_place(struct run *run) {
    uint32_t bits = 0;
    if (!is_turn(run)) return;
    make_cloud();
    while ((2u << bits) <= cloud.block_count) bits++;
    find_blocks(run, bits, 37);
}

// ---- to the grid and back ----

static double weight(double f, uint32_t node) {
    double d = fabs(f - node);
    return d < 0.5 ? 0.75 - d * d : 0.5 * (1.5 - d) * (1.5 - d);
}

static double slope(double f, uint32_t node) {
    double d = f - node;
    return fabs(d) < 0.5 ? -2 * d : d > 0 ? d - 1.5 : d + 1.5;
}

// One of the 27 nodes of a vertex: its weight, the derivatives of that, and which of its block's nodes it is.
struct share {
    double weight, slope[3];
    uint32_t node;
};

static struct share share_of(uint32_t vertex, uint32_t block, uint32_t i) {
    const float *f = &cloud.records.values[vertex][RECORD_FROM_BASE];
    const uint32_t *cell = &cloud.records.words[vertex][RECORD_CELL], *first = &cloud.blocks[block][BLOCK_CELL];
    const uint32_t x = i / 9, y = i / 3 % 3, z = i % 3;
    struct share s = {.weight = weight(f[0], x) * weight(f[1], y) * weight(f[2], z)};
    s.slope[0] = slope(f[0], x) * weight(f[1], y) * weight(f[2], z);
    s.slope[1] = weight(f[0], x) * slope(f[1], y) * weight(f[2], z);
    s.slope[2] = weight(f[0], x) * weight(f[1], y) * slope(f[2], z);
    s.node = VOLUME_NODE(cell[0] - first[0] + x, cell[1] - first[1] + y, cell[2] - first[2] + z);
    return s;
}

// Whether a vertex of the run is in the block, or in another of the same key.
static bool belongs(uint32_t vertex, uint32_t block) {
    bool same = true;
    for (int c = 0; c < 3; c++)
        same =
            same && cloud.records.words[vertex][RECORD_CELL + c] - cloud.blocks[block][BLOCK_CELL + c] < VOLUME_CELLS;
    return same;
}

void block_volume_to_grid(struct run *run) {
    static double expected[MOST_BLOCKS][VOLUME_NODES][VOLUME_NODE_FLOATS];
    static float *first;
    if (!is_turn(run)) return;
    make_cloud();
    if (!first) first = remembered(MOST_BLOCKS * NODE_WORDS);
    memset(expected, 0, sizeof expected);
    double mass = 0, sum = 0, impulse = 0;
    for (uint32_t b = 0; b < cloud.block_count; b++)
        for (uint32_t i = cloud.starts[b]; i < cloud.starts[b + 1]; i++) {
            const float *record = cloud.records.values[cloud.indices[i]], *t = record + RECORD_IMPULSE;
            const double tensor[3][3] = {{t[0], t[1], t[2]}, {t[1], t[3], t[4]}, {t[2], t[4], t[5]}};
            if (!belongs(cloud.indices[i], b)) continue;
            mass += record[RECORD_MASS];
            for (uint32_t k = 0; k < 27; k++) {
                struct share s = share_of(cloud.indices[i], b, k);
                double *node = expected[b][s.node];
                node[NODE_MASS] += s.weight * record[RECORD_MASS];
                for (int c = 0; c < 3; c++) {
                    node[NODE_MOMENTUM + c] += s.weight * record[RECORD_MOMENTUM + c];
                    for (int d = 0; d < 3; d++) node[NODE_IMPULSE + c] += tensor[c][d] * s.slope[d];
                }
            }
        }
    const struct buffer *sums = run_buffer(run, NULL, 0, cloud.block_count * NODE_WORDS);
    const struct buffer *blocks = buffer_of(run, NULL, cloud.block_count * sizeof cloud.blocks[0]);
    uint32_t *mixed = run_array(run, VERTICES); // vertices of a block come in no order
    for (uint32_t b = 0; b < cloud.block_count; b++) {
        uint32_t begin = cloud.starts[b], count = cloud.starts[b + 1] - begin, turn = run_random(run);
        for (uint32_t i = 0; i < count; i++) mixed[begin + i] = cloud.indices[begin + (i * 7 + turn) % count];
        if (count % 7 == 0) memcpy(mixed + begin, cloud.indices + begin, count * sizeof *mixed);
    }
    stage_add(&run->list,
              (struct stage){.kernel = KERNEL_volume_to_grid,
                             .domain = groups_of(run),
                             .buffers.volume_to_grid = {.indices = buffer_of(run, mixed, VERTICES * sizeof *mixed),
                                                        .starts = buffer_of(run, cloud.starts, sizeof cloud.starts),
                                                        .records = buffer_of(run, &cloud.records, sizeof cloud.records),
                                                        .runs = run_buffer(run, &cloud.block_count, 1, 1),
                                                        .blocks = blocks,
                                                        .sums = sums}});
    run_go(run);
    for (uint32_t b = 0; b < cloud.block_count; b++) {
        uint32_t cell[3];
        assert_int_equal(run->device->ops->buffer_read(blocks, b * sizeof cloud.blocks[0], cell, sizeof cell),
                         PLAIT_OK);
        assert_memory_equal(cell, &cloud.blocks[b][BLOCK_CELL], sizeof cell);
    }
    float *got = read_floats(run, sums);
    for (uint32_t b = 0; b < cloud.block_count; b++)
        for (uint32_t i = 0; i < VOLUME_SIDE * VOLUME_SIDE * VOLUME_SIDE * VOLUME_NODE_FLOATS; i++) {
            uint32_t n = i / VOLUME_NODE_FLOATS, c = i % VOLUME_NODE_FLOATS;
            uint32_t node = VOLUME_NODE(n / 36, n / 6 % 6, n % 6),
                     at = (b * VOLUME_NODES + node) * VOLUME_NODE_FLOATS + c;
            if (c == NODE_IMPULSE + 3) continue; // unused
            expect_close(run, "volume_to_grid", at, got[at], expected[b][node][c], ROUNDING, &first[at]);
            if (c == NODE_MASS) sum += got[at];
            if (c == NODE_IMPULSE) impulse += got[at];
        }
    assert_true(fabs(sum - mass) < 1e-6 * mass && fabs(impulse) < 1e-4);
    free(got);
}

// What a vertex reads from the nodes of its block; a valid reading, or none if it is of another.
static void read_nodes(uint32_t vertex, uint32_t block, double (*nodes)[VOLUME_NODE_FLOATS], double *reading) {
    reading[READING_VALID] = belongs(vertex, block);
    for (uint32_t k = 0; k < 27 && reading[READING_VALID] > 0; k++) {
        struct share s = share_of(vertex, block, k);
        for (int c = 0; c < 3; c++) {
            reading[READING_VELOCITY + c] += s.weight * nodes[s.node][NODE_VELOCITY + c];
            reading[READING_BEFORE + c] += s.weight * nodes[s.node][NODE_BEFORE + c];
            for (int d = 0; d < 3; d++)
                reading[READING_GRADIENT + 3 * d + c] += s.slope[d] * nodes[s.node][NODE_VELOCITY + c];
        }
    }
}

// ---- colliders ----

// A ball that moves and turns a little, and the ground.
static void make_colliders(float values[2][COLLIDER_FLOATS]) {
    const float slip[12] = {0, 0.01f, 0, -0.1516f, -0.01f, 0, 0, 0.1526f, 0, 0, 0, 0.003f};
    const uint32_t plane = 1;
    memset(values, 0, 2 * COLLIDER_FLOATS * sizeof(float));
    for (int c = 0; c < 3; c++) values[0][COLLIDER_BASE + c] = 20.48f + 0.03f * (float)(c - 1);
    values[0][COLLIDER_AXIS] = values[0][COLLIDER_SIDE + 1] = 1;
    values[0][COLLIDER_RADIUS] = values[0][COLLIDER_REACH] = 0.04f;
    values[0][COLLIDER_FRICTION] = 0.5f;
    memcpy(&values[0][COLLIDER_SLIP], slip, sizeof slip);
    for (int c = 0; c < 3; c++) values[1][COLLIDER_BASE + c] = 20.42f;
    values[1][COLLIDER_AXIS + 1] = values[1][COLLIDER_SIDE] = 1;
    values[1][COLLIDER_FRICTION] = 0.3f;
    memcpy(&values[1][COLLIDER_IS_PLANE], &plane, sizeof plane);
}

// What both leave of a node's velocity, in the last of three parts but one.
static void collide(float colliders[2][COLLIDER_FLOATS], const double x[3], double v[3]) {
    const double step = (double)STEP_S / PARTS, left = 1 - 2.0 / PARTS;
    for (int k = 0; k < 2; k++) {
        const float *m = &colliders[k][COLLIDER_SLIP], *base = &colliders[k][COLLIDER_BASE];
        double moved[3], d[3], n[3] = {0, 1, 0}, distance = 0, inward = 0, along[3], speed = 0;
        for (int c = 0; c < 3; c++) {
            moved[c] =
                (double)m[4 * c] * x[0] + (double)m[4 * c + 1] * x[1] + (double)m[4 * c + 2] * x[2] + m[4 * c + 3];
            d[c] = x[c] + step * v[c] + left * moved[c] - base[c];
        }
        if (k == 0) {
            double size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            for (int c = 0; c < 3; c++) n[c] = d[c] / size;
            distance = size - colliders[k][COLLIDER_RADIUS];
        } else {
            distance = d[1];
        }
        for (int c = 0; c < 3; c++) inward -= (v[c] - moved[c] / (double)STEP_S) * n[c];
        if (distance >= 0 || inward <= 0) continue;
        double push = fmin(inward, -distance / step);
        for (int c = 0; c < 3; c++) along[c] = v[c] - moved[c] / (double)STEP_S + inward * n[c];
        for (int c = 0; c < 3; c++) speed += along[c] * along[c];
        double grip = fmin(colliders[k][COLLIDER_FRICTION] * push / fmax(sqrt(speed), 1e-20), 1);
        for (int c = 0; c < 3; c++) v[c] += push * n[c] - grip * along[c];
    }
}

// All that blocks have at one node of the world.
static void add_node(float (*sums)[VOLUME_NODES][VOLUME_NODE_FLOATS], const uint32_t cell[3], double sum[8]) {
    for (uint32_t b = 0; b < cloud.block_count; b++) {
        uint32_t x[3];
        for (int c = 0; c < 3; c++) x[c] = cell[c] - cloud.blocks[b][BLOCK_CELL + c];
        if (x[0] >= VOLUME_SIDE || x[1] >= VOLUME_SIDE || x[2] >= VOLUME_SIDE) continue;
        for (uint32_t i = 0; i < 8; i++) sum[i] += sums[b][VOLUME_NODE(x[0], x[1], x[2])][i];
    }
}

void block_volume_grid(struct run *run) {
    static float *first, sums[MOST_BLOCKS][VOLUME_NODES][VOLUME_NODE_FLOATS], colliders[2][COLLIDER_FLOATS];
    static double nodes[MOST_BLOCKS][VOLUME_NODES][VOLUME_NODE_FLOATS], expected[VERTICES][READING_WORDS];
    static uint32_t touched;
    if (!is_turn(run)) return;
    make_cloud();
    if (!first) {
        first = remembered(VERTICES * READING_WORDS);
        make_colliders(colliders);
        for (uint32_t i = 0; i < cloud.block_count * VOLUME_NODES; i++) {
            float *node = sums[i / VOLUME_NODES][i % VOLUME_NODES];
            if (i % 7 == 0) continue; // without mass
            node[NODE_MASS] = (float)between(0.1, 3);
            for (int c = 0; c < 3; c++) node[NODE_MOMENTUM + c] = (float)between(-4, 4);
            for (int c = 0; c < 3; c++) node[NODE_IMPULSE + c] = (float)between(-4, 4);
        }
        for (uint32_t b = 0; b < cloud.block_count; b++)
            for (uint32_t n = 0; n < 216; n++) {
                const uint32_t x[3] = {n / 36, n / 6 % 6, n % 6};
                uint32_t cell[3];
                double sum[8] = {0}, place[3], v[3] = {0};
                for (int c = 0; c < 3; c++) cell[c] = cloud.blocks[b][BLOCK_CELL + c] + x[c];
                for (int c = 0; c < 3; c++) place[c] = ((double)cell[c] - VOLUME_ORIGIN) * CELL_M;
                add_node(sums, cell, sum);
                double *node = nodes[b][VOLUME_NODE(x[0], x[1], x[2])];
                if (sum[0] <= 0) continue;
                for (int c = 0; c < 3; c++) node[NODE_BEFORE + c] = sum[NODE_MOMENTUM + c] / sum[0];
                for (int c = 0; c < 3; c++) v[c] = (sum[NODE_MOMENTUM + c] + sum[NODE_IMPULSE + c]) / sum[0];
                collide(colliders, place, v);
                touched += fabs(v[0] - (sum[NODE_MOMENTUM] + sum[NODE_IMPULSE]) / sum[0]) > 1e-3;
                for (int c = 0; c < 3; c++) node[NODE_VELOCITY + c] = v[c];
            }
        assert_true(touched > 100);
        for (uint32_t b = 0; b < cloud.block_count; b++)
            for (uint32_t i = cloud.starts[b]; i < cloud.starts[b + 1]; i++)
                read_nodes(cloud.indices[i], b, nodes[b], expected[cloud.indices[i]]);
    }
    float params[VOLUME_FLOATS] = {
        [VOLUME_CELL] = CELL_M, [VOLUME_CELL_INVERSE] = 1 / CELL_M, [VOLUME_PART] = 1.0f / PARTS};
    float frame[FRAME_FLOATS] = {[FRAME_STEP] = STEP_S, [FRAME_STEP_INVERSE] = 1 / STEP_S};
    const uint32_t collider_count = 2;
    memcpy(&frame[FRAME_COLLIDERS], &collider_count, sizeof collider_count);
    const size_t bytes = (size_t)cloud.block_count * NODE_WORDS * sizeof(float);
    const struct buffer *readings = valid_readings(run);
    stage_add(&run->list,
              (struct stage){.kernel = KERNEL_volume_grid,
                             .domain = groups_of(run),
                             .buffers.volume_grid = {.indices = buffer_of(run, cloud.indices, sizeof cloud.indices),
                                                     .starts = buffer_of(run, cloud.starts, sizeof cloud.starts),
                                                     .records = buffer_of(run, &cloud.records, sizeof cloud.records),
                                                     .runs = run_buffer(run, &cloud.block_count, 1, 1),
                                                     .blocks = buffer_of(run, cloud.blocks, sizeof cloud.blocks),
                                                     .table = buffer_of(run, cloud.table, sizeof cloud.table),
                                                     .sums = buffer_of(run, sums, bytes),
                                                     .params = buffer_of(run, params, sizeof params),
                                                     .frame = buffer_of(run, frame, sizeof frame),
                                                     .colliders = buffer_of(run, colliders, sizeof colliders),
                                                     .readings = readings},
                             .values.volume_grid = {.part = 1, .shift = 32 - SLOT_BITS}});
    run_go(run);
    float *got = read_floats(run, readings);
    uint32_t homeless = 0;
    for (uint32_t v = 0; v < VERTICES; v++) {
        uint32_t valid;
        memcpy(&valid, &got[v * READING_WORDS + READING_VALID], sizeof valid);
        assert_int_equal(valid, expected[v][READING_VALID] > 0);
        homeless += !valid;
        for (uint32_t i = 0; i < READING_VALID; i++) {
            uint32_t at = v * READING_WORDS + i;
            expect_close(run, "volume_grid", at, got[at], expected[v][i], ROUNDING_PLACE, &first[at]);
        }
    }
    assert_int_equal(homeless, FAR);
    free(got);
}
