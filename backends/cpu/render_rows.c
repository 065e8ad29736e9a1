// The override of render_rows: guides are gathered, vertices of one row stored as runs.
#include "render_lanes.h"

// What render_rows reads of guides, one float a lane each: both ends of a segment, and where they were.
enum { ENDS = 2, TURN_FLOATS = 6, OF_END = 3 + TURN_FLOATS + 3, OF_ROOT = ENDS * OF_END, GATHERED = OF_ROOT + 10 };
struct gathered {
    float at[GATHERED][PLAIT_WIDTH];
};

INLINE void gather_guide(struct gathered *g, unsigned lane, const float *guides, const float *rest, uint32_t source,
                         uint32_t root) {
    const float *from = guides + ((size_t)(source >> 5) * GUIDE_ROWS) * PACK_LANES + (source & 31u);
    const float *drawn = rest + ((size_t)(source >> 5) * GUIDE_REST_ROWS) * PACK_LANES + (source & 31u);
    for (unsigned e = 0, i = 0; e < ENDS; e++) {
        for (unsigned r = 0; r < 3 + TURN_FLOATS; r++) g->at[i++][lane] = from[(e * GUIDE_ROWS + r) * PACK_LANES];
        for (unsigned r = 0; r < 3; r++)
            g->at[i++][lane] = drawn[(e * GUIDE_REST_ROWS + GUIDE_REST_POINT + r) * PACK_LANES];
    }
    g->at[GATHERED - 1][lane] = from[(size_t)GUIDE_SCALE * PACK_LANES];
    from = guides + ((size_t)(root >> 5) * GUIDE_ROWS + GUIDE_X) * PACK_LANES + (root & 31u);
    drawn = rest + ((size_t)(root >> 5) * GUIDE_REST_ROWS + GUIDE_REST_POINT) * PACK_LANES + (root & 31u);
    for (unsigned r = 0; r < TURN_FLOATS; r++) g->at[OF_ROOT + r][lane] = from[r * PACK_LANES];
    for (unsigned r = 0; r < 3; r++) g->at[OF_ROOT + TURN_FLOATS + r][lane] = drawn[r * PACK_LANES];
}

INLINE real3 gathered3(const struct gathered *g, unsigned i) {
    return vec3(load_run(g->at[i]), load_run(g->at[i + 1]), load_run(g->at[i + 2]));
}

INLINE real3 gathered_lerp(const struct gathered *g, unsigned i, real share) {
    real3 a = gathered3(g, i), b = gathered3(g, i + OF_END);
    return add3(a, mul3(sub3(b, a), share));
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
        float lane_shares[PLAIT_WIDTH];
        for (unsigned lane = 0; lane < PLAIT_WIDTH; lane++) {
            const uint32_t item = i + (lane < live ? lane : 0);
            gather_guide(&g, lane, BUF(guides), BUF(rest), sources[item], roots[item]);
            lane_shares[lane] = shares[item];
        }
        const real share = load_run(lane_shares), scale = load_run(g.at[GATHERED - 1]);
        const turn a = {gathered3(&g, 3), gathered3(&g, 6)}, b = {gathered3(&g, 3 + OF_END), gathered3(&g, 6 + OF_END)},
                   root = {gathered3(&g, OF_ROOT), gathered3(&g, OF_ROOT + 3)};
        const real3 root_rest = gathered3(&g, OF_ROOT + TURN_FLOATS);
        const turn t = turn_between(a, b, share);
        render_transform m = {mul3(t.x, scale), mul3(t.y, scale), mul3(cross3(t.x, t.y), scale), still};
        m.shift = sub3(sub3(mul3(gathered_lerp(&g, 0, share), units),
                            transform_point(m, sub3(gathered_lerp(&g, 9, share), root_rest))),
                       mul3(turn_apply(root, root_rest), scale));
        const real values[RENDER_ROW_FLOATS] = {m.x.x, m.x.y, m.x.z,     m.y.x,     m.y.y,     m.y.z, m.z.x,
                                                m.z.y, m.z.z, m.shift.x, m.shift.y, m.shift.z, scale};
        if (live == PLAIT_WIDTH && places[i + PLAIT_WIDTH - 1] == places[i] + PLAIT_WIDTH - 1)
            store_rows(BUF(rows), BUF(rows_before), places[i], counts[i], values, moved, VAL(remember), known);
        else
            store_row_lanes(BUF(rows), BUF(rows_before), places + i, counts + i, live, values, moved_by, VAL(remember),
                            known);
    }
}
