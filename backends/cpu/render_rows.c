// The override of render_rows: guides are gathered, vertices of one row stored as runs.
#include "render_lanes.h"

// What render_rows reads of guides, one float a lane each: of vertices that lanes begin with, and then of those behind them. Where lanes
// are vertices in a row, each is read once, and what is behind them begins one lane on.
enum { AT_POINT, AT_X = 3, AT_Y = 6, AT_SCALE = 9, AT_REST = 10, OF_VERTEX = 13, OF_ROOT = 9 };
struct gathered {
    float at[OF_VERTEX][2 * PLAIT_WIDTH];
    uint32_t behind; // where the second begin
};

INLINE void gather_vertex(struct gathered *g, unsigned lane, const float *guides, const float *rest, uint32_t source) {
    const float *from = guides + ((size_t)(source >> 5) * GUIDE_ROWS) * PACK_LANES + (source & 31u);
    const float *drawn = rest + ((size_t)(source >> 5) * GUIDE_REST_ROWS) * PACK_LANES + (source & 31u);
    for (unsigned r = 0; r < GUIDE_ROWS; r++) g->at[r][lane] = from[r * PACK_LANES];
    for (unsigned r = 0; r < 3; r++) g->at[AT_REST + r][lane] = drawn[(GUIDE_REST_POINT + r) * PACK_LANES];
}

// Words of lanes that are all the same, or each so much more than the one before.
INLINE int in_a_row(const uint32_t *words, uint32_t step) {
    lane_uint each;
    memcpy(&each, words, sizeof each);
    return !any(not_(eq_uint(each, U(words[0]) + LANES * step)));
}

INLINE void gather_vertices(struct gathered *g, const float *guides, const float *rest, const uint32_t *sources,
                            const float *shares, uint32_t live) {
    const int row = live == PLAIT_WIDTH && in_a_row(sources, 32);
    for (unsigned lane = 0; lane < PLAIT_WIDTH; lane++) {
        const uint32_t i = lane < live ? lane : 0;
        gather_vertex(g, lane, guides, rest, sources[i]);
        if (!row) gather_vertex(g, PLAIT_WIDTH + lane, guides, rest, sources[i] + (shares[i] > 0 ? 32 : 0));
    }
    if (row) {
        const unsigned last = PLAIT_WIDTH - 1;
        gather_vertex(g, PLAIT_WIDTH, guides, rest, sources[last] + (shares[last] > 0 ? 32 : 0));
    }
    g->behind = row ? 1 : PLAIT_WIDTH;
}

INLINE real3 gathered3(const struct gathered *g, unsigned r, unsigned from) {
    return vec3(load_run(g->at[r] + from), load_run(g->at[r + 1] + from), load_run(g->at[r + 2] + from));
}

// Of vertices behind; where there is no share of them, they are the same.
INLINE real3 gathered_next(const struct gathered *g, unsigned r, mask between) {
    return sel3(between, gathered3(g, r, g->behind), gathered3(g, r, 0));
}

INLINE real3 gathered_lerp(const struct gathered *g, unsigned r, mask between, real share) {
    real3 a = gathered3(g, r, 0), b = gathered_next(g, r, between);
    return add3(a, mul3(sub3(b, a), share));
}

// A guide's root.
struct root {
    turn turned;
    real3 rest;
};

INLINE struct root gather_root(const float *guides, const float *rest, const uint32_t *roots, uint32_t live) {
    float at[OF_ROOT][PLAIT_WIDTH];
    const int one = live == PLAIT_WIDTH && in_a_row(roots, 0);
    for (unsigned lane = 0; lane < (one ? 1 : PLAIT_WIDTH); lane++) {
        const uint32_t root = roots[lane < live ? lane : 0];
        const float *from = guides + ((size_t)(root >> 5) * GUIDE_ROWS + GUIDE_X) * PACK_LANES + (root & 31u);
        const float *drawn =
            rest + ((size_t)(root >> 5) * GUIDE_REST_ROWS + GUIDE_REST_POINT) * PACK_LANES + (root & 31u);
        for (unsigned r = 0; r < 6; r++) at[r][lane] = from[r * PACK_LANES];
        for (unsigned r = 0; r < 3; r++) at[6 + r][lane] = drawn[r * PACK_LANES];
    }
    real value[OF_ROOT];
    for (unsigned r = 0; r < OF_ROOT; r++) value[r] = one ? R(at[r][0]) : load_run(at[r]);
    return (struct root){{vec3(value[0], value[1], value[2]), vec3(value[3], value[4], value[5])},
                         vec3(value[6], value[7], value[8])};
}

// Of vertices that follow each other in one row.
INLINE void store_rows(float *rows, float *before, size_t to, size_t n, const real values[RENDER_ROW_FLOATS],
                       real3 moved, uint32_t remember, uint32_t known) {
    for (unsigned r = 0; r < RENDER_ROW_FLOATS; r++) {
        float *at = rows + to + r * n;
        if (remember) {
            real last = known ? load_run(at) : values[r];
            if (known && r >= RENDER_ROW_SHIFT && r < RENDER_ROW_SCALE)
                last = last - (r == RENDER_ROW_SHIFT ? moved.x : r == RENDER_ROW_SHIFT + 1 ? moved.y : moved.z);
            memcpy(before + to + r * n, &last, sizeof last);
        }
        memcpy(at, &values[r], sizeof values[r]);
    }
}

// The same, a lane at a time: the row ends within, or another begins.
static void store_row_lanes(float *rows, float *before, const uint32_t *places, const uint32_t *counts, uint32_t live,
                            const real values[RENDER_ROW_FLOATS], const float moved[3], uint32_t remember,
                            uint32_t known) {
    for (uint32_t lane = 0; lane < live; lane++)
        for (unsigned r = 0; r < RENDER_ROW_FLOATS; r++) {
            const size_t at = places[lane] + (size_t)r * counts[lane];
            const float value = OF_LANE(values[r], lane);
            const bool shifts = r >= RENDER_ROW_SHIFT && r < RENDER_ROW_SCALE;
            if (remember) before[at] = !known ? value : rows[at] - (shifts ? moved[r - RENDER_ROW_SHIFT] : 0.0f);
            rows[at] = value;
        }
}

void CPU_VARIANT(render_rows)(const void *data, uint32_t begin, uint32_t end, void *scratch) {
    const struct render_rows_args *args = data;
    const uint32_t *sources = (const uint32_t *)BUF(sources), *places = sources + (size_t)VAL(count) * ROW_ITEM_PLACE;
    const uint32_t *counts = sources + (size_t)VAL(count) * ROW_ITEM_COUNT;
    const uint32_t *roots = sources + (size_t)VAL(count) * ROW_ITEM_ROOT;
    const float *shares = BUF(sources) + (size_t)VAL(count) * ROW_ITEM_SHARE;
    const uint32_t known = UNIFORM_UINT(BUF(frame), OUTPUT_ROWS_KNOWN);
    const real units = UNIFORM(BUF(frame), OUTPUT_UNITS);
    const real3 still = vec3(R(0.0f), R(0.0f), R(0.0f)), moved = mul3(UNIFORM3(BUF(frame), OUTPUT_MOVED), units);
    const float moved_by[3] = {OF_LANE(moved.x, 0), OF_LANE(moved.y, 0), OF_LANE(moved.z, 0)};
    (void)scratch;
    for (uint32_t i = args->first + begin; i < args->first + end; i += PLAIT_WIDTH) {
        struct gathered g;
        const uint32_t left = args->first + end - i, live = left < PLAIT_WIDTH ? left : PLAIT_WIDTH;
        gather_vertices(&g, BUF(guides), BUF(rest), sources + i, shares + i, live);
        const struct root root = gather_root(BUF(guides), BUF(rest), roots + i, live);
        const real share = load_run(shares + i), scale = load_run(g.at[AT_SCALE]);
        const mask between = lt(R(0.0f), share);
        const turn a = {gathered3(&g, AT_X, 0), gathered3(&g, AT_Y, 0)};
        const turn b = {gathered_next(&g, AT_X, between), gathered_next(&g, AT_Y, between)};
        const turn t = turn_between(a, b, share);
        render_transform m = {mul3(t.x, scale), mul3(t.y, scale), mul3(cross3(t.x, t.y), scale), still};
        m.shift = sub3(sub3(mul3(gathered_lerp(&g, AT_POINT, between, share), units),
                            transform_point(m, sub3(gathered_lerp(&g, AT_REST, between, share), root.rest))),
                       mul3(turn_apply(root.turned, root.rest), scale));
        const real values[RENDER_ROW_FLOATS] = {m.x.x, m.x.y, m.x.z,     m.y.x,     m.y.y,     m.y.z, m.z.x,
                                                m.z.y, m.z.z, m.shift.x, m.shift.y, m.shift.z, scale};
        if (live == PLAIT_WIDTH && places[i + PLAIT_WIDTH - 1] == places[i] + PLAIT_WIDTH - 1)
            store_rows(BUF(rows), BUF(rows_before), places[i], counts[i], values, moved, VAL(remember), known);
        else
            store_row_lanes(BUF(rows), BUF(rows_before), places + i, counts + i, live, values, moved_by, VAL(remember),
                            known);
    }
}
