// Kernels of render strands on random rows and strands, against plain sums in double precision. The CPU gives the same bits
// whatever its instruction set, by plain kernels and by overrides.
#include "render.h"
#include "layout.h"
#include "words.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    COLLIDERS = 3,
    GROUPS = 3,
    GUIDE_VERTICES = 32,
    ROWS = 40,
    STRANDS = 90,
    MOST = 37,
    MOST_VERTICES = STRANDS * MOST
};
#define ROUNDING 2e-6 // of sums of a dozen products of numbers below 2
#define ROUNDING_TANGENT 1e-4
#define ROUNDING_LENGTHS 2e-5 // sums of up to 37 of them
#define ROUNDING_STYLE 2e-5   // also of places along a strand of 37 vertices whose neighbours differ by 3

static uint64_t seed;

static double between(double low, double high) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static uint32_t float_word(double value) {
    float number = (float)value;
    uint32_t word;
    memcpy(&word, &number, sizeof word);
    return word;
}

static double word_float(uint32_t word) {
    float number;
    memcpy(&number, &word, sizeof number);
    return number;
}

// Once a device and kind: these have their own numbers of items.
static bool is_turn(const struct run *run) { return run->size.items == 1 && !run->size.counted; }

// The same bits on every CPU; a GPU within the rounding. first: what the first device gave, kept by the caller.
static void compare(const struct run *run, const struct buffer *buffer, const double *expected, uint32_t count,
                    double rounding, uint32_t **first, const char *what) {
    uint32_t *got = malloc(buffer->size);
    assert_non_null(got);
    assert_int_equal(run->device->ops->buffer_read(buffer, 0, got, buffer->size), PLAIT_OK);
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs(word_float(got[i]) - expected[i]) <= rounding))
            fail_msg("%s on %s: word %u is %.9g, not %.9g", what, run->where, i, word_float(got[i]), expected[i]);
    const uint32_t *before = run->contents[buffer - run->buffers];
    for (uint32_t i = count; i < buffer->size / sizeof *got; i++)
        if (got[i] != before[i]) fail_msg("%s on %s: word %u was written", what, run->where, i);
    if (run->gpu) {
        free(got);
    } else if (!*first) {
        *first = got;
    } else {
        assert_memory_equal(got, *first, count * sizeof *got);
        free(got);
    }
}

// ---- rows ----

void block_render_rows(struct run *run) {
    enum { ITEMS = 100 };
    static uint32_t *firsts[4];
    if (!is_turn(run)) return;
    seed = 77;
    const uint32_t width = run->device->pack_width;
    double guides[GUIDE_VERTICES][GUIDE_ROWS], rest[GUIDE_VERTICES][GUIDE_REST_ROWS];
    uint32_t *packed = run_array(run, GUIDE_VERTICES * GUIDE_ROWS * width);
    uint32_t *packed_rest = run_array(run, GUIDE_VERTICES * GUIDE_REST_ROWS * width);
    const uint32_t lane = width - 1;
    for (uint32_t v = 0; v < GUIDE_VERTICES; v++) {
        for (uint32_t r = 0; r < GUIDE_ROWS; r++) guides[v][r] = between(-1, 1);
        guides[v][GUIDE_SCALE] = between(0.5, 1.5);
        for (uint32_t r = 0; r < GUIDE_REST_ROWS; r++) rest[v][r] = between(-1, 1);
        // turns are orthonormal, and near to each other
        double a = 0.3 * v, x[3] = {cos(a), sin(a), 0}, y[3] = {-sin(a) * cos(a), cos(a) * cos(a), sin(a)};
        for (int c = 0; c < 3; c++) guides[v][GUIDE_X + c] = x[c], guides[v][GUIDE_Y + c] = y[c];
        for (uint32_t r = 0; r < GUIDE_ROWS; r++)
            packed[(v * GUIDE_ROWS + r) * width + lane] = float_word(guides[v][r]);
        for (uint32_t r = 0; r < GUIDE_REST_ROWS; r++)
            packed_rest[(v * GUIDE_REST_ROWS + r) * width + lane] = float_word(rest[v][r]);
    }
    uint32_t sources[ROW_ITEM_WORDS * ITEMS];
    const uint32_t words = RENDER_ROW_FLOATS * ITEMS;
    for (uint32_t known = 0; known < 2; known++)
        for (uint32_t remember = 0; remember < 2; remember++) {
            double *expected = calloc(words, sizeof *expected), *expected_before = calloc(words, sizeof *expected);
            uint32_t *old = run_array(run, words), frame[FRAME_FLOATS] = {0};
            seed = 5;
            for (uint32_t i = 0; i < words; i++) old[i] = float_word(between(-1, 1));
            const double units = 2, moved[3] = {0.5, -0.25, 0.125};
            frame[OUTPUT_UNITS] = float_word(units);
            frame[OUTPUT_ROWS_KNOWN] = known;
            for (int c = 0; c < 3; c++) frame[OUTPUT_MOVED + c] = float_word(moved[c]);
            for (uint32_t i = 0; i < ITEMS; i++) {
                // A guide from root to tip, which has nothing behind it; some of it twice; and vertices here and there.
                uint32_t k = i < GUIDE_VERTICES ? i : i < 64 ? (i - GUIDE_VERTICES) / 2 : i % (GUIDE_VERTICES - 1);
                double share = k == GUIDE_VERTICES - 1 ? 0 : word_float(float_word(between(0, 1)));
                const uint32_t next = share > 0 ? k + 1 : k;
                sources[ROW_ITEM_SOURCE * ITEMS + i] = k * 32 + lane;
                sources[ROW_ITEM_SHARE * ITEMS + i] = float_word(share);
                sources[ROW_ITEM_PLACE * ITEMS + i] = i;
                sources[ROW_ITEM_COUNT * ITEMS + i] = ITEMS;
                const uint32_t root = i < 64 ? 0 : i * 3 % GUIDE_VERTICES;
                const double *rx = &guides[root][GUIDE_X], *ry = &guides[root][GUIDE_Y];
                const double *root_rest = &rest[root][GUIDE_REST_POINT];
                sources[ROW_ITEM_ROOT * ITEMS + i] = root * 32 + lane;
                double x[3], y[3], z[3], size = 0, along = 0, m[12], scale = guides[k][GUIDE_SCALE];
                for (int c = 0; c < 3; c++) {
                    x[c] = (1 - share) * guides[k][GUIDE_X + c] + share * guides[next][GUIDE_X + c];
                    y[c] = (1 - share) * guides[k][GUIDE_Y + c] + share * guides[next][GUIDE_Y + c];
                    size += x[c] * x[c];
                }
                for (int c = 0; c < 3; c++) x[c] /= sqrt(size), along += x[c] * y[c];
                size = 0;
                for (int c = 0; c < 3; c++) y[c] -= along * x[c], size += y[c] * y[c];
                for (int c = 0; c < 3; c++) y[c] /= sqrt(size);
                for (int c = 0; c < 3; c++) z[c] = x[(c + 1) % 3] * y[(c + 2) % 3] - x[(c + 2) % 3] * y[(c + 1) % 3];
                for (int c = 0; c < 3; c++) m[c] = scale * x[c], m[3 + c] = scale * y[c], m[6 + c] = scale * z[c];
                for (int c = 0; c < 3; c++) {
                    m[9 + c] =
                        units * ((1 - share) * guides[k][GUIDE_POINT + c] + share * guides[next][GUIDE_POINT + c]);
                    for (int a = 0; a < 3; a++) {
                        double at =
                            (1 - share) * rest[k][GUIDE_REST_POINT + a] + share * rest[next][GUIDE_REST_POINT + a];
                        m[9 + c] -= m[3 * a + c] * (at - root_rest[a]);
                    }
                    double rz = rx[(c + 1) % 3] * ry[(c + 2) % 3] - rx[(c + 2) % 3] * ry[(c + 1) % 3];
                    m[9 + c] -= scale * (rx[c] * root_rest[0] + ry[c] * root_rest[1] + rz * root_rest[2]);
                }
                for (uint32_t r = 0; r < 12; r++) {
                    expected[r * ITEMS + i] = m[r];
                    expected_before[r * ITEMS + i] = m[r];
                    if (known)
                        expected_before[r * ITEMS + i] =
                            word_float(old[r * ITEMS + i]) - (r >= 9 ? units * moved[r - 9] : 0);
                }
                expected[RENDER_ROW_SCALE * ITEMS + i] = scale;
                expected_before[RENDER_ROW_SCALE * ITEMS + i] =
                    known ? word_float(old[RENDER_ROW_SCALE * ITEMS + i]) : scale;
            }
            run->list.count = 0;
            const struct buffer *rows = run_buffer(run, old, words, words);
            const struct buffer *before = run_buffer(run, NULL, 0, words);
            stage_add(
                &run->list,
                (struct stage){.kernel = KERNEL_render_rows,
                               .domain = {.count = ITEMS},
                               .buffers.render_rows =
                                   {.sources = run_buffer(run, sources, ROW_ITEM_WORDS * ITEMS, ROW_ITEM_WORDS * ITEMS),
                                    .guides = run_buffer(run, packed, GUIDE_VERTICES * GUIDE_ROWS * width,
                                                         GUIDE_VERTICES * GUIDE_ROWS * width),
                                    .rest = run_buffer(run, packed_rest, GUIDE_VERTICES * GUIDE_REST_ROWS * width,
                                                       GUIDE_VERTICES * GUIDE_REST_ROWS * width),
                                    .frame = run_buffer(run, frame, FRAME_FLOATS, FRAME_FLOATS),
                                    .rows = rows,
                                    .rows_before = before},
                               .values.render_rows = {.count = ITEMS, .remember = remember}});
            run_go(run);
            compare(run, rows, expected, words, ROUNDING, &firsts[0], "rows");
            static uint32_t *none;
            compare(run, before, expected_before, remember ? words : 0, ROUNDING, remember ? &firsts[1 + known] : &none,
                    "rows before");
            free(expected);
            free(expected_before);
            for (uint32_t b = 0; b < run->buffer_count; b++) run->device->ops->buffer_destroy(&run->buffers[b]);
            run->buffer_count = 0;
        }
}

// ---- strands ----

struct crowd {
    uint32_t counts[STRANDS], strands[STRANDS][RENDER_STRAND_WORDS], owners[MOST_VERTICES], vertices;
    uint32_t *rows, row_words, rest[MOST_VERTICES * RENDER_REST_FLOATS];
    uint32_t settings[RENDER_SETTING_WORDS], frame[FRAME_FLOATS], guides;
    uint32_t styles[GROUPS][STYLE_WORDS];
    uint32_t colliders[2 * COLLIDERS][COLLIDER_FLOATS]; // of this frame, then of the one before
};

static void make_collider(uint32_t *to, uint32_t kind, uint32_t before) {
    const double shift = 0.125 * before, radius = 0.75, slope = kind == 0 ? 0.28 : 0;
    const double axis[3] = {kind == 2 ? 0 : 0.6, kind == 2 ? 1 : 0.8, 0},
                 base[3] = {0.5 * kind - 0.5 + shift, -1.0 * kind, 0};
    for (int k = 0; k < 3; k++) {
        to[COLLIDER_BASE + k] = float_word(base[k]);
        to[COLLIDER_AXIS + k] = float_word(axis[k]);
        to[COLLIDER_SIDE + k] = float_word(k == 2);
    }
    to[COLLIDER_LENGTH] = float_word(kind == 0 ? 1.5 : 0);
    to[COLLIDER_RADIUS] = to[COLLIDER_REACH] = float_word(radius);
    to[COLLIDER_SLOPE] = float_word(slope);
    to[COLLIDER_LEAN] = float_word(slope / sqrt(1 - slope * slope));
    to[COLLIDER_IS_PLANE] = kind == 2;
}

// The way out of a collider and how far it is; the nearest point of a capsule's axis by trying them.
static double way_out(const uint32_t *c, const double p[3], double normal[3]) {
    double best = INFINITY, along = 0;
    if (c[COLLIDER_IS_PLANE]) {
        for (int k = 0; k < 3; k++) {
            normal[k] = word_float(c[COLLIDER_AXIS + k]);
            along += (p[k] - word_float(c[COLLIDER_BASE + k])) * normal[k];
        }
        return along;
    }
    const double length = word_float(c[COLLIDER_LENGTH]);
    double low = 0, high = length;
    for (int pass = 0; pass < 60; pass++) { // it has one least value
        const double third = (high - low) / 3, at[2] = {low + third, high - third};
        double distance[2];
        for (int i = 0; i < 2; i++) {
            double off[3], size = 0;
            for (int k = 0; k < 3; k++) {
                off[k] = p[k] - word_float(c[COLLIDER_BASE + k]) - at[i] * word_float(c[COLLIDER_AXIS + k]);
                size += off[k] * off[k];
            }
            distance[i] = sqrt(size) - (word_float(c[COLLIDER_RADIUS]) - word_float(c[COLLIDER_SLOPE]) * at[i]);
            if (distance[i] < best) {
                best = distance[i];
                for (int k = 0; k < 3; k++) normal[k] = off[k] / sqrt(size);
            }
        }
        if (distance[0] < distance[1])
            high = at[1];
        else
            low = at[0];
    }
    return best;
}

// Strands of one vertex count share rows of that count.
static void make_crowd(struct run *run, struct crowd *c, uint32_t kind) {
    static const uint32_t usual[] = {2, 3, 8, 16, 17, 32, 33, MOST};
    enum { USUAL = sizeof usual / sizeof usual[0], EACH = 5 };
    memset(c, 0, sizeof *c);
    seed = 1234 + kind;
    uint32_t starts[USUAL][EACH];
    for (uint32_t u = 0; u < USUAL; u++)
        for (uint32_t e = 0; e < EACH; e++) {
            starts[u][e] = c->row_words;
            c->row_words += RENDER_ROW_FLOATS * usual[u] + 3;
        }
    c->rows = run_array(run, c->row_words);
    for (uint32_t i = 0; i < c->row_words; i++) c->rows[i] = float_word(between(-1, 1));
    uint32_t output = 0;
    for (uint32_t s = 0; s < STRANDS; s++) {
        uint32_t u = (s * 7) % USUAL, *strand = c->strands[s], number = (s * 37) % STRANDS;
        c->counts[s] = usual[u];
        strand[RENDER_FIRST] = c->vertices;
        strand[RENDER_COUNT] = usual[u];
        strand[RENDER_NUMBER] = number;
        strand[RENDER_STEP] = float_word(1.0 / (usual[u] - 1));
        for (uint32_t g = 0; g < 3; g++) // a binding gives guides that a strand does not have no weight
            strand[RENDER_WEIGHTS + g] = float_word(g < kind % 4 ? between(0, 0.3) : 0);
        for (uint32_t g = 0; g < 4; g++) strand[RENDER_ROWS + g] = starts[u][(s + g) % EACH];
        strand[RENDER_GROUP] = s % GROUPS;
        for (uint32_t k = 0; k < 3; k++) strand[RENDER_ROOT + k] = float_word(between(-1, 1));
        for (uint32_t v = 0; v < usual[u]; v++) c->owners[c->vertices + v] = s;
        c->vertices += usual[u];
    }
    for (uint32_t number = 0; number < STRANDS; number++) // output is in the order of numbers
        for (uint32_t s = 0; s < STRANDS; s++)
            if (c->strands[s][RENDER_NUMBER] == number) {
                c->strands[s][RENDER_OUTPUT] = output;
                output += c->counts[s];
            }
    for (uint32_t i = 0; i < c->vertices * RENDER_REST_FLOATS; i++) c->rest[i] = float_word(between(-1, 1));
    const bool slides = kind >= 2 && kind < 6, even = kind == 6; // even: as most are, with three guides
    c->guides = 1 + kind % 4;
    c->settings[RENDER_SINGLE] = float_word(0.25);
    c->settings[RENDER_SINGLE_CHANGE] = float_word(even ? 0 : 0.5);
    c->settings[RENDER_WIDTH] = float_word(1.5);
    c->settings[RENDER_WIDTH_CHANGE] = float_word(even ? 0 : -0.75);
    c->settings[RENDER_SLIDES] = slides;
    c->settings[RENDER_STRIDE] = float_word(slides ? 1.625 : 1);
    c->settings[RENDER_LENGTH] = float_word(slides ? 0.8125 : 1);
    c->settings[RENDER_LENGTH_INVERSE] = float_word(slides ? 1 / 0.8125 : 1);
    c->settings[RENDER_SHOWN] = 70;
    c->settings[RENDER_STYLED] = kind >= 4 && slides;
    // A tapered capsule, a sphere and a half-space; others a frame ago.
    c->settings[RENDER_COLLIDERS] = c->settings[RENDER_COLLIDERS_BEFORE] = kind % 3 == 2 ? COLLIDERS : 0;
    for (uint32_t i = 0; i < 2 * COLLIDERS; i++) make_collider(c->colliders[i], i % COLLIDERS, i / COLLIDERS);
    for (uint32_t g = 0; g < GROUPS; g++) {
        c->styles[g][STYLE_LENGTH] = float_word(1 - 0.25 * g);
        c->styles[g][STYLE_LENGTH_INVERSE] = float_word(1 / (1 - 0.25 * g));
    }
    c->settings[RENDER_FADE] = float_word(70);
    c->settings[RENDER_SLOPE] = float_word(0.125);
    for (int k = 0; k < 3; k++) {
        c->frame[OUTPUT_ORIGIN + k] = float_word(0.5 * k - 0.25);
        c->frame[OUTPUT_ORIGIN_REST + k] = float_word(1e-4 * k);
    }
}

static double setting(const struct crowd *c, uint32_t which) { return word_float(c->settings[which]); }

// before: by the colliders of the frame before.
static void push_out(const struct crowd *c, uint32_t s, uint32_t v, bool before, double p[3]) {
    const uint32_t *strand = c->strands[s], n = c->counts[s];
    double share = fmin(8.0 * v / (n - 1), 1);
    share = share * share * (3 - 2 * share);
    double clearance = word_float(c->rest[strand[RENDER_FIRST] * RENDER_REST_FLOATS + RENDER_REST_RADIUS * n + v]) *
                       word_float(c->rows[strand[RENDER_ROWS] + RENDER_ROW_SCALE * n + v]);
    for (uint32_t i = 0; i < 2 * c->settings[RENDER_COLLIDERS]; i++) {
        double normal[3] = {0, 0, 0},
               distance = way_out(c->colliders[i % COLLIDERS + (before ? COLLIDERS : 0)], p, normal);
        for (int k = 0; k < 3; k++) p[k] += normal[k] * fmax(clearance - distance, 0) * share;
    }
}

// Of the guides at a vertex.
static void weights_at(const struct crowd *c, uint32_t s, uint32_t v, double weights[4]) {
    double share = 1 - (setting(c, RENDER_SINGLE) + setting(c, RENDER_SINGLE_CHANGE) * v / (c->counts[s] - 1.0));
    weights[0] = 1;
    for (uint32_t g = 1; g < c->guides; g++) {
        weights[g] = share * word_float(c->strands[s][RENDER_WEIGHTS + g - 1]);
        weights[0] -= weights[g];
    }
}

static void carried_to(const struct crowd *c, uint32_t s, uint32_t v, double p[3]) {
    const uint32_t *strand = c->strands[s], n = c->counts[s];
    double weights[4];
    weights_at(c, s, v, weights);
    p[0] = p[1] = p[2] = 0;
    for (uint32_t g = 0; g < c->guides; g++) {
        const uint32_t *row = c->rows + strand[RENDER_ROWS + g];
        for (int k = 0; k < 3; k++) {
            double sum = word_float(row[(9 + k) * n + v]);
            for (uint32_t a = 0; a < 3; a++)
                sum += word_float(row[(3 * a + k) * n + v]) *
                           word_float(c->rest[strand[RENDER_FIRST] * RENDER_REST_FLOATS + a * n + v]) +
                       word_float(row[(3 * a + k) * n]) * word_float(strand[RENDER_ROOT + a]);
            p[k] += weights[g] * sum;
        }
    }
}

// Segments are at most 1.04 of what they were drawn as, times the scale of their guides, mixed as at their end.
static void vertex_of(const struct crowd *c, uint32_t s, uint32_t v, bool before, double p[3]) {
    const uint32_t *strand = c->strands[s], n = c->counts[s];
    const uint32_t *drawn = c->rest + strand[RENDER_FIRST] * RENDER_REST_FLOATS;
    double last[3];
    carried_to(c, s, 0, p);
    memcpy(last, p, sizeof last);
    for (uint32_t i = 1; i <= v; i++) {
        double next[3], weights[4], size = 0, was = 0, scale = 0;
        carried_to(c, s, i, next);
        weights_at(c, s, i, weights);
        for (uint32_t g = 0; g < c->guides; g++)
            scale += weights[g] * word_float(c->rows[strand[RENDER_ROWS + g] + RENDER_ROW_SCALE * n]);
        for (int k = 0; k < 3; k++) {
            double step = word_float(drawn[k * n + i]) - word_float(drawn[k * n + i - 1]);
            size += (next[k] - last[k]) * (next[k] - last[k]);
            was += step * step;
        }
        double most = 1.04 * sqrt(was) * fabs(scale);
        for (int k = 0; k < 3; k++) {
            p[k] += (next[k] - last[k]) * fmin(most / sqrt(size), 1);
            last[k] = next[k];
        }
    }
    push_out(c, s, v, before, p);
}

// Of the strand's group.
static double length_of(const struct crowd *c, uint32_t s) {
    return c->settings[RENDER_STYLED] ? word_float(c->styles[c->strands[s][RENDER_GROUP]][STYLE_LENGTH]) : 1;
}

static double place_of(const struct crowd *c, uint32_t s, double v) {
    return length_of(c, s) * fmin(v * setting(c, RENDER_STRIDE), (c->counts[s] - 1) * setting(c, RENDER_LENGTH));
}

static void point_of(const struct crowd *c, uint32_t s, double place, bool before, double p[3]) {
    uint32_t k = (uint32_t)place < c->counts[s] - 2 ? (uint32_t)place : c->counts[s] - 2;
    double a[3], b[3];
    vertex_of(c, s, k, before, a);
    vertex_of(c, s, k + 1, before, b);
    for (int i = 0; i < 3; i++) p[i] = a[i] + (b[i] - a[i]) * (place - k);
}

// The kernel over strands first, which the overrides of CPUs do without.
static uint32_t kept_words(const struct crowd *c) {
    return STRANDS * RENDER_KEPT_WORDS + c->vertices * RENDER_KEPT_FLOATS;
}

static void add_stages(struct run *run, const struct crowd *c, struct stage stage) {
    const struct buffer *kept = run_buffer(run, NULL, 0, kept_words(c));
    stage.buffers.render_tangent.kept = kept;
    stage_add(&run->list, (struct stage){.kernel = KERNEL_render_lengths,
                                         .domain = {.count = STRANDS},
                                         .buffers.render_lengths = {.rows = stage.buffers.render_tangent.rows,
                                                                    .strands = stage.buffers.render_tangent.strands,
                                                                    .rest = stage.buffers.render_tangent.rest,
                                                                    .frame = stage.buffers.render_tangent.frame,
                                                                    .settings = stage.buffers.render_tangent.settings,
                                                                    .kept = kept},
                                         .values.render_lengths = {.guides = c->guides}});
    // In pieces that begin and end within strands, as chunks of many vertices do.
    const uint32_t piece = c->vertices / 7 + 1;
    for (uint32_t first = 0; first < c->vertices; first += piece) {
        stage.domain =
            (struct domain){.first = first, .count = c->vertices - first < piece ? c->vertices - first : piece};
        stage_add(&run->list, stage);
    }
}

static void check_kernel(struct run *run, uint32_t kernel, double usual, const char *name) {
    enum { OFFSET = 4, STATUS_FIRST = 3 };
    static uint32_t *firsts[KERNEL_COUNT][8];
    static struct crowd c;
    if (!is_turn(run)) return;
    for (uint32_t kind = 0; kind < 8; kind++) {
        make_crowd(run, &c, kind);
        // Near the axis of a capsule the way out turns by more than rounding moves a vertex. Some neighbours of the last two
        // kinds are 5e-4 apart: rounding of 2e-7 turns the tangent between them.
        const bool close = kernel == KERNEL_render_tangent && kind >= 6;
        const double rounding = c.settings[RENDER_COLLIDERS] ? 50 * usual : close ? 10 * usual : usual;
        const uint32_t components = kind == 6 ? 4 : 3 + kind % 2, stride = components + (kind == 3 ? 2 : 0);
        const uint32_t words = OFFSET + stride * c.vertices;
        double *expected = calloc(words, sizeof *expected), low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
        run->list.count = 0;
        const struct buffer *memory = run_buffer(run, NULL, 0, words);
        for (uint32_t i = 0; i < words; i++) expected[i] = word_float(run->contents[memory - run->buffers][i]);
        for (uint32_t s = 0; s < STRANDS; s++)
            for (uint32_t v = 0; v < c.counts[s] && c.strands[s][RENDER_NUMBER] < 70; v++) {
                double *to = expected + OFFSET + stride * (c.strands[s][RENDER_OUTPUT] + v), p[3],
                       place = place_of(&c, s, v);
                point_of(&c, s, place, kernel == KERNEL_render_previous, p);
                for (int k = 0; k < 3; k++)
                    p[k] -= word_float(c.frame[OUTPUT_ORIGIN + k]) + word_float(c.frame[OUTPUT_ORIGIN_REST + k]);
                const uint32_t n = c.counts[s], near = (uint32_t)place < n - 2 ? (uint32_t)place : n - 2;
                const uint32_t *radii =
                    c.rest + c.strands[s][RENDER_FIRST] * RENDER_REST_FLOATS + RENDER_REST_RADIUS * n;
                const uint32_t scale_at = c.settings[RENDER_SLIDES] ? near : v;
                double rest =
                    word_float(radii[near]) + (word_float(radii[near + 1]) - word_float(radii[near])) * (place - near);
                double width = setting(&c, RENDER_WIDTH) + setting(&c, RENDER_WIDTH_CHANGE) * place / (n - 1) /
                                                               setting(&c, RENDER_LENGTH) / length_of(&c, s);
                double fade = fmax(fmin((70.0 - c.strands[s][RENDER_NUMBER]) * 0.125, 1), 0);
                double radius = rest * width * fade *
                                word_float(c.rows[c.strands[s][RENDER_ROWS] + RENDER_ROW_SCALE * n + scale_at]);
                if (kernel != KERNEL_render_position) radius = 0;
                if (kernel == KERNEL_render_tangent) {
                    double a[3], b[3], size = 0, step = length_of(&c, s) * setting(&c, RENDER_STRIDE),
                                       end = length_of(&c, s) * (n - 1) * setting(&c, RENDER_LENGTH);
                    point_of(&c, s, fmax(place - step, 0), false, a);
                    point_of(&c, s, fmin(place + step, end), false, b);
                    for (int k = 0; k < 3; k++) size += (b[k] - a[k]) * (b[k] - a[k]);
                    for (int k = 0; k < 3; k++) p[k] = (b[k] - a[k]) / sqrt(size);
                }
                for (int k = 0; k < 3; k++) {
                    to[k] = p[k];
                    low[k] = fmin(low[k], p[k] - radius);
                    high[k] = fmax(high[k], p[k] + radius);
                }
                if (components == 4) to[3] = radius;
            }
        uint32_t status[STATUS_UINTS] = {STATUS_FIRST};
        for (int k = 0; k < 3; k++) status[STATUS_RENDER_LOW + k] = 0xffffffffu;
        struct stage stage = {
            .kernel = kernel,
            .domain = {.count = c.vertices},
            .buffers.render_tangent =
                {.rows = run_buffer(run, c.rows, c.row_words, c.row_words),
                 .owners = run_buffer(run, c.owners, c.vertices, c.vertices),
                 .strands = run_buffer(run, c.strands[0], STRANDS * RENDER_STRAND_WORDS, STRANDS * RENDER_STRAND_WORDS),
                 .rest = run_buffer(run, c.rest, c.vertices * RENDER_REST_FLOATS, c.vertices * RENDER_REST_FLOATS),
                 .frame = run_buffer(run, c.frame, FRAME_FLOATS, FRAME_FLOATS),
                 .settings = run_buffer(run, c.settings, RENDER_SETTING_WORDS, RENDER_SETTING_WORDS),
                 .styles = run_buffer(run, c.styles[0], GROUPS * STYLE_WORDS, GROUPS * STYLE_WORDS),
                 .colliders =
                     run_buffer(run, c.colliders[0], 2 * COLLIDERS * COLLIDER_FLOATS, 2 * COLLIDERS * COLLIDER_FLOATS),
                 .memory = memory},
            .values.render_tangent = {.offset = OFFSET,
                                      .stride = stride,
                                      .components = components,
                                      .guides = c.guides,
                                      .colliders_at =
                                          kernel == KERNEL_render_previous ? COLLIDERS * COLLIDER_FLOATS : 0}};
        const struct buffer *box = run_buffer(run, status, STATUS_UINTS, STATUS_UINTS);
        if (kernel == KERNEL_render_position) stage.buffers.render_position.status = box;
        add_stages(run, &c, stage);
        run_go(run);
        compare(run, memory, expected, words, rounding, &firsts[kernel][kind], name);
        if (kernel == KERNEL_render_position) {
            uint32_t got[STATUS_UINTS];
            assert_int_equal(run->device->ops->buffer_read(box, 0, got, sizeof got), PLAIT_OK);
            assert_int_equal(got[0], STATUS_FIRST);
            for (int k = 0; k < 6; k++) {
                uint32_t bits = got[STATUS_RENDER_LOW + k];
                bits = bits & 0x80000000u ? bits ^ 0x80000000u : ~bits;
                assert_true(fabs(word_float(bits) - (k < 3 ? low[k] : high[k - 3])) <= rounding);
            }
        }
        free(expected);
        for (uint32_t b = 0; b < run->buffer_count; b++) run->device->ops->buffer_destroy(&run->buffers[b]);
        run->buffer_count = 0;
    }
}

// What is taken from vertices: from where they are carried to where they are.
void block_render_lengths(struct run *run) {
    static uint32_t *firsts[4];
    static struct crowd c;
    if (!is_turn(run)) return;
    for (uint32_t kind = 0; kind < 4; kind++) {
        make_crowd(run, &c, kind);
        memset(&c.settings[RENDER_COLLIDERS], 0, sizeof c.settings[0]);
        const uint32_t words = kept_words(&c);
        double *expected = calloc(words, sizeof *expected);
        run->list.count = 0;
        const struct buffer *kept = run_buffer(run, NULL, 0, words);
        for (uint32_t i = 0; i < words; i++) expected[i] = word_float(run->contents[kept - run->buffers][i]);
        for (uint32_t s = 0; s < STRANDS; s++) {
            const uint32_t *strand = c.strands[s], n = c.counts[s];
            double *to = expected + s * RENDER_KEPT_WORDS + strand[RENDER_FIRST] * RENDER_KEPT_FLOATS;
            if (strand[RENDER_NUMBER] >= 70) continue;
            for (int k = 0; k < 3; k++) {
                double roots[4] = {0};
                for (uint32_t g = 0; g < c.guides; g++)
                    for (uint32_t a = 0; a < 3; a++)
                        roots[g] += word_float(c.rows[strand[RENDER_ROWS + g] + (3 * a + k) * n]) *
                                    word_float(strand[RENDER_ROOT + a]);
                to[RENDER_KEPT_BASE + k] = roots[0];
                to[RENDER_KEPT_CHANGE + k] = 0;
                for (uint32_t g = 1; g < c.guides; g++)
                    to[RENDER_KEPT_CHANGE + k] += word_float(strand[RENDER_WEIGHTS + g - 1]) * (roots[g] - roots[0]);
            }
            uint32_t from = n;
            for (uint32_t v = 1; v < n; v++) {
                double carried[3], p[3];
                carried_to(&c, s, v, carried);
                vertex_of(&c, s, v, false, p);
                for (int k = 0; k < 3; k++)
                    if (from == n && fabs(carried[k] - p[k]) > 1e-9) from = v;
                for (int k = 0; k < 3 && v >= from; k++) to[RENDER_KEPT_WORDS + k * n + v] = carried[k] - p[k];
            }
            to[RENDER_KEPT_FROM] = word_float(from);
        }
        stage_add(&run->list,
                  (struct stage){
                      .kernel = KERNEL_render_lengths,
                      .domain = {.count = STRANDS},
                      .buffers.render_lengths = {.rows = run_buffer(run, c.rows, c.row_words, c.row_words),
                                                 .strands = run_buffer(run, c.strands[0], STRANDS * RENDER_STRAND_WORDS,
                                                                       STRANDS * RENDER_STRAND_WORDS),
                                                 .rest = run_buffer(run, c.rest, c.vertices * RENDER_REST_FLOATS,
                                                                    c.vertices * RENDER_REST_FLOATS),
                                                 .frame = run_buffer(run, c.frame, FRAME_FLOATS, FRAME_FLOATS),
                                                 .settings = run_buffer(run, c.settings, RENDER_SETTING_WORDS,
                                                                        RENDER_SETTING_WORDS),
                                                 .kept = kept},
                      .values.render_lengths = {.guides = c.guides}});
        run_go(run);
        compare(run, kept, expected, words, ROUNDING_LENGTHS, &firsts[kind], "render_lengths");
        free(expected);
        for (uint32_t b = 0; b < run->buffer_count; b++) run->device->ops->buffer_destroy(&run->buffers[b]);
        run->buffer_count = 0;
    }
}

// Half floats by their definition.
static double half_value(uint32_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits & 0x8000 ? -size : size;
}

// 16-bit numbers say what the floats say that the same device writes: to half a step, and a tenth for the rounding of where that is.
static void check_packed(struct run *run, uint32_t kernel, uint32_t kind, const char *name) {
    static uint32_t *firsts[KERNEL_COUNT][8];
    static struct crowd c;
    if (!is_turn(run)) return;
    make_crowd(run, &c, kind);
    const double low[3] = {-9, -8, -10}, size[3] = {20, 16, 18}, radius = 4;
    for (int k = 0; k < 3; k++) {
        c.settings[RENDER_BOX + k] = float_word(low[k]);
        c.settings[RENDER_BOX_INVERSE + k] = float_word(1 / size[k]);
    }
    c.settings[RENDER_RADIUS_INVERSE] = float_word(1 / radius);
    run->list.count = 0;
    uint32_t status[STATUS_UINTS] = {0};
    const struct buffer *floats = run_buffer(run, NULL, 0, 4 * c.vertices);
    const struct buffer *packed = run_buffer(run, NULL, 0, 3 * c.vertices);
    struct stage stage = {
        .kernel = kernel,
        .domain = {.count = c.vertices},
        .buffers.render_tangent = {.rows = run_buffer(run, c.rows, c.row_words, c.row_words),
                                   .owners = run_buffer(run, c.owners, c.vertices, c.vertices),
                                   .strands = run_buffer(run, c.strands[0], STRANDS * RENDER_STRAND_WORDS,
                                                         STRANDS * RENDER_STRAND_WORDS),
                                   .rest = run_buffer(run, c.rest, c.vertices * RENDER_REST_FLOATS,
                                                      c.vertices * RENDER_REST_FLOATS),
                                   .frame = run_buffer(run, c.frame, FRAME_FLOATS, FRAME_FLOATS),
                                   .settings = run_buffer(run, c.settings, RENDER_SETTING_WORDS, RENDER_SETTING_WORDS),
                                   .styles = run_buffer(run, c.styles[0], GROUPS * STYLE_WORDS, GROUPS * STYLE_WORDS),
                                   .colliders = run_buffer(run, c.colliders[0], 2 * COLLIDERS * COLLIDER_FLOATS,
                                                           2 * COLLIDERS * COLLIDER_FLOATS),
                                   .memory = floats},
        .values.render_tangent = {.stride = 4, .components = 4, .guides = c.guides}};
    const struct buffer *box = run_buffer(run, status, STATUS_UINTS, STATUS_UINTS);
    if (kernel == KERNEL_render_position) stage.buffers.render_position.status = box;
    add_stages(run, &c, stage);
    run_go(run);
    run->list.count = 0;
    stage.buffers.render_tangent.memory = packed;
    stage.values.render_tangent.components = 2;
    stage.values.render_tangent.stride = 3; // a word of each vertex is not written
    add_stages(run, &c, stage);
    run_go(run);
    uint32_t *wide = malloc(floats->size), *got = malloc(packed->size);
    assert_int_equal(run->device->ops->buffer_read(floats, 0, wide, floats->size), PLAIT_OK);
    assert_int_equal(run->device->ops->buffer_read(packed, 0, got, packed->size), PLAIT_OK);
    const uint32_t *before = run->contents[packed - run->buffers];
    for (uint32_t s = 0; s < STRANDS; s++)
        for (uint32_t i = c.strands[s][RENDER_OUTPUT]; i < c.strands[s][RENDER_OUTPUT] + c.counts[s]; i++) {
            const bool shown = c.strands[s][RENDER_NUMBER] < 70;
            for (uint32_t k = shown ? 2 : 0; k < 3; k++) assert_int_equal(got[3 * i + k], before[3 * i + k]);
            for (uint32_t k = 0; k < 4 && shown; k++) {
                const uint32_t number = got[3 * i + k / 2] >> 16 * (k % 2) & 0xffff;
                const double exact = word_float(wide[4 * i + k]);
                double off = fabs(half_value(number) - exact) / ldexp(1, (int)fmax(ilogb(exact), -14) - 10);
                if (kernel == KERNEL_render_position) {
                    double share = k < 3 ? (exact - low[k]) / size[k] : exact / radius;
                    off = fabs(fmin(fmax(share, 0), 1) * 65535 - number);
                }
                if (!(off <= 0.6))
                    fail_msg("%s on %s: number %u of vertex %u is %u, off by %g", name, run->where, k, i, number, off);
            }
        }
    free(wide);
    if (!run->gpu && !firsts[kernel][kind]) {
        firsts[kernel][kind] = got;
    } else {
        if (!run->gpu) assert_memory_equal(got, firsts[kernel][kind], 3 * c.vertices * sizeof *got);
        free(got);
    }
    for (uint32_t b = 0; b < run->buffer_count; b++) run->device->ops->buffer_destroy(&run->buffers[b]);
    run->buffer_count = 0;
}

void block_render_position(struct run *run) {
    check_kernel(run, KERNEL_render_position, ROUNDING, "render_position");
    check_packed(run, KERNEL_render_position, 2, "render_position");
    check_packed(run, KERNEL_render_position, 6, "render_position");
}

void block_render_tangent(struct run *run) {
    check_kernel(run, KERNEL_render_tangent, ROUNDING_TANGENT, "render_tangent");
    check_packed(run, KERNEL_render_tangent, 2, "render_tangent");
    check_packed(run, KERNEL_render_tangent, 6, "render_tangent");
}

void block_render_previous(struct run *run) { check_kernel(run, KERNEL_render_previous, ROUNDING, "render_previous"); }

// ---- styles ----

// Of a strand at a share of its vertices: a float of its rest position or frame.
static double along_strand(const struct crowd *c, const uint32_t *from, uint32_t each, uint32_t which, uint32_t s,
                           double share) {
    const uint32_t n = c->counts[s], *at = from + c->strands[s][RENDER_FIRST] * each + which * n;
    const double place = share * (n - 1);
    const uint32_t k = (uint32_t)place < n - 2 ? (uint32_t)place : n - 2;
    return word_float(at[k]) + (word_float(at[k + 1]) - word_float(at[k])) * (place - k);
}

static double rise(double x) {
    x = fmin(fmax(x, 0), 1);
    return x * x * (3 - 2 * x);
}

static uint32_t mixed(uint32_t h) {
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

static double chance(uint32_t number, uint32_t which_seed, uint32_t which) {
    return (mixed((number * 16 + which) ^ mixed(which_seed + 0x9e3779b9u)) >> 8) / 16777216.0;
}

void block_render_style(struct run *run) {
    static uint32_t *first, frames[MOST_VERTICES * STYLE_FRAME_FLOATS], clumps[STRANDS];
    static struct crowd c;
    if (!is_turn(run)) return;
    make_crowd(run, &c, 0);
    for (uint32_t g = 0; g < GROUPS; g++) {
        for (uint32_t w = STYLE_WIDTH; w < STYLE_SEED; w++) c.styles[g][w] = float_word(between(0, 1));
        c.styles[g][STYLE_SEED] = 40 + g;
        c.styles[g][STYLE_CLUMP_SLOPE] = float_word(2);
    }
    for (uint32_t s = 0; s < STRANDS; s++) {
        clumps[s] = s % 4 == 0 ? s : (s * 11) % STRANDS; // also ones of other vertex counts
        uint32_t *frame = frames + c.strands[s][RENDER_FIRST] * STYLE_FRAME_FLOATS, n = c.counts[s];
        for (uint32_t i = 0; i < n * STYLE_FRAME_FLOATS; i++)
            frame[i] = float_word(i < n * STYLE_ALONG ? between(-1, 1) : between(0, 3));
    }
    const uint32_t words = c.vertices * RENDER_REST_FLOATS;
    double *expected = calloc(words, sizeof *expected), turn = 2 * acos(-1);
    for (uint32_t s = 0; s < STRANDS; s++)
        for (uint32_t v = 0; v < c.counts[s]; v++) {
            const uint32_t n = c.counts[s], m = clumps[s], number = c.strands[s][RENDER_NUMBER];
            const uint32_t *style = c.styles[c.strands[s][RENDER_GROUP]], which = style[STYLE_SEED];
            const double share = (double)v / (n - 1);
#define STYLE(word) word_float(style[STYLE_##word])
#define FRAME(strand, which, share) along_strand(&c, frames, STYLE_FRAME_FLOATS, which, strand, share)
            double pull = STYLE(CLUMP) * rise((share - STYLE(CLUMP_BEGIN)) * STYLE(CLUMP_SLOPE));
            double angle = turn * chance(number, which, 0),
                   aside = STYLE(SCATTER) * sqrt(chance(number, which, 1)) * share;
            double turns = FRAME(m, STYLE_ALONG, share) * STYLE(TURNS), curl = STYLE(CURL) * rise(turns);
            double wound = turn * (turns + chance(c.strands[m][RENDER_NUMBER], which, 2));
            double waves = FRAME(s, STYLE_ALONG, share) * STYLE(WAVES), side = 0, up = 0;
            for (uint32_t w = 0; w < 3; w++) {
                double a = turn * (waves * (0.5 + 0.5 * chance(number, which, 3 + w)) + chance(number, which, 6 + w));
                side += STYLE(FRIZZ) * rise(waves) / 3 * sin(a);
                up += STYLE(FRIZZ) * rise(waves) / 3 * (w == 1 ? -cos(a) : cos(a));
            }
            double *to = expected + c.strands[s][RENDER_FIRST] * RENDER_REST_FLOATS + v;
            for (uint32_t k = 0; k < 3; k++) {
                double own = along_strand(&c, c.rest, RENDER_REST_FLOATS, k, s, share);
                double middle = along_strand(&c, c.rest, RENDER_REST_FLOATS, k, m, share) +
                                word_float(c.strands[m][RENDER_ROOT + k]) - word_float(c.strands[s][RENDER_ROOT + k]);
                to[k * n] =
                    own + (middle - own) * pull +
                    aside * (cos(angle) * FRAME(s, STYLE_SIDE + k, 0) + sin(angle) * FRAME(s, STYLE_UP + k, 0)) +
                    curl * (cos(wound) * FRAME(m, STYLE_SIDE + k, share) + sin(wound) * FRAME(m, STYLE_UP + k, share)) +
                    side * FRAME(s, STYLE_SIDE + k, share) + up * FRAME(s, STYLE_UP + k, share);
            }
            to[RENDER_REST_RADIUS * n] = along_strand(&c, c.rest, RENDER_REST_FLOATS, RENDER_REST_RADIUS, s, share) *
                                         (STYLE(WIDTH) + STYLE(WIDTH_CHANGE) * fmin(share * STYLE(LENGTH_INVERSE), 1));
#undef STYLE
#undef FRAME
        }
    run->list.count = 0;
    const struct buffer *styled = run_buffer(run, NULL, 0, words);
    stage_add(
        &run->list,
        (struct stage){
            .kernel = KERNEL_render_style,
            .domain = {.count = c.vertices},
            .buffers.render_style = {
                .owners = run_buffer(run, c.owners, c.vertices, c.vertices),
                .strands = run_buffer(run, c.strands[0], STRANDS * RENDER_STRAND_WORDS, STRANDS * RENDER_STRAND_WORDS),
                .clumps = run_buffer(run, clumps, STRANDS, STRANDS),
                .styles = run_buffer(run, c.styles[0], GROUPS * STYLE_WORDS, GROUPS * STYLE_WORDS),
                .frames = run_buffer(run, frames, c.vertices * STYLE_FRAME_FLOATS, c.vertices * STYLE_FRAME_FLOATS),
                .rest = run_buffer(run, c.rest, words, words),
                .styled = styled}});
    run_go(run);
    compare(run, styled, expected, words, ROUNDING_STYLE, &first, "render_style");
    free(expected);
    for (uint32_t b = 0; b < run->buffer_count; b++) run->device->ops->buffer_destroy(&run->buffers[b]);
    run->buffer_count = 0;
}
