// Overrides of the kernels of render strands, compiled once per instruction set like the kernels. They go strand by strand:
// lanes are vertices of one strand, so that rows, rest positions and output are runs of floats; the plain kernels gather them.
// The arithmetic is that of kernels/render.h. Nothing here depends on how wide packs are, so a real is one register: with two,
// most of what a vertex needs would be in memory.
enum { PACK_LANES = PLAIT_WIDTH }; // but of the guides' packs
#if PLAIT_WIDTH > 1
#undef PLAIT_WIDTH
#if defined(__AVX512F__)
#define PLAIT_WIDTH 16
#elif defined(__AVX2__)
#define PLAIT_WIDTH 8
#else
#define PLAIT_WIDTH 4
#endif
#endif
#include "dialect.h"

#include "kernels/functions.h"

#include "render.h"

// Compilers take minutes for functions as long as all of these with what sanitizers add.
#ifdef PLAIT_SANITIZED
#define INLINE static __attribute__((noinline))
#else
#define INLINE static inline __attribute__((always_inline))
#endif

// Strands by themselves: the same in all lanes, and where their data are.
struct run {
    render_setting r;
    render_strand s;
    const float *rows, *rest;
    const float *row[4], *own;
    real root[4][3];            // where the roots of guides take the strand's
    uint32_t count, number, to; // to: where output of vertex 0 goes
};

INLINE real load_run(const float *from) {
    real value;
    memcpy(&value, from, sizeof value);
    return value;
}

// One coordinate of one column of the transform, of all guides together; at: of the first vertex's float in each row.
INLINE real mix_run(const struct run *run, size_t at, const real w[4]) {
    real sum = load_run(run->row[0] + at);
    if (run->r.guides > 1u) sum = sum * w[0] + load_run(run->row[1] + at) * w[1];
    if (run->r.guides > 2u) sum = sum + load_run(run->row[2] + at) * w[2];
    if (run->r.guides > 3u) sum = sum + load_run(run->row[3] + at) * w[3];
    return sum;
}

// The same of the shift, with the strand's root.
INLINE real mix_shift(const struct run *run, size_t at, const real w[4], unsigned c) {
    real sum = load_run(run->row[0] + at) + run->root[0][c];
    if (run->r.guides > 1u) sum = sum * w[0] + (load_run(run->row[1] + at) + run->root[1][c]) * w[1];
    if (run->r.guides > 2u) sum = sum + (load_run(run->row[2] + at) + run->root[2][c]) * w[2];
    if (run->r.guides > 3u) sum = sum + (load_run(run->row[3] + at) + run->root[3][c]) * w[3];
    return sum;
}

INLINE real axis_run(const struct run *run, size_t at, size_t n, const real w[4], real3 p, unsigned c) {
    real sum = mix_run(run, at, w) * p.x + mix_run(run, at + 3 * n, w) * p.y;
    return (sum + mix_run(run, at + 6 * n, w) * p.z) + mix_shift(run, at + 9 * n, w, c);
}

// As render_vertex does, for vertices v, v + 1, ... of a strand. Lanes beyond its end hold anything.
INLINE real3 vertex_run(const struct run *run, uint32_t v) {
    const size_t n = run->count;
    real w[4] = {R(1.0f)};
    if (run->r.guides > 1u) {
        real share = render_share(run->r, run->s, uint_to_real(U(v) + LANES));
        w[1] = run->s.weight1 * share;
        w[2] = run->s.weight2 * share;
        w[3] = run->s.weight3 * share;
        w[0] = R(1.0f) - w[1] - w[2] - w[3];
    }
    const float *own = run->own + v;
    real3 p = vec3(load_run(own), load_run(own + n), load_run(own + 2 * n));
    p = vec3(axis_run(run, v, n, w, p, 0), axis_run(run, v + n, n, w, p, 1), axis_run(run, v + 2 * n, n, w, p, 2));
    if (run->r.collider_count != 0u) {
        real scale = load_run(run->row[0] + (size_t)RENDER_ROW_SCALE * n + v);
        p = render_push(run->r.colliders, run->r.collider_count, render_push_share(run->s, uint_to_real(U(v) + LANES)),
                        load_run(own + RENDER_REST_RADIUS * n) * scale, p);
    }
    return p;
}

// As render_root does.
INLINE void begin_root(struct run *run, const float root[3]) {
    const size_t n = run->count;
    for (uint32_t g = 0; g < 4 && g < run->r.guides; g++)
        for (unsigned c = 0; c < 3; c++) {
            const float *row = run->row[g] + c * n;
            run->root[g][c] = R((row[0] * root[0] + row[3 * n] * root[1]) + row[6 * n] * root[2]);
        }
}

#define OF_STRAND(word) words[word]
#define REAL_OF_STRAND(word) R(((const float *)words)[word])
INLINE void begin_strand(struct run *run, const float *strands, const float *styles, uint32_t strand, uint32_t stride,
                         uint32_t offset) {
    const uint32_t *words = (const uint32_t *)strands + (size_t)strand * RENDER_STRAND_WORDS;
    run->s.first = U(OF_STRAND(RENDER_FIRST));
    run->s.count = U(OF_STRAND(RENDER_COUNT));
    run->s.number = U(OF_STRAND(RENDER_NUMBER));
    run->s.row0 = U(OF_STRAND(RENDER_ROWS));
    run->s.row1 = U(OF_STRAND(RENDER_ROWS + 1));
    run->s.row2 = U(OF_STRAND(RENDER_ROWS + 2));
    run->s.row3 = U(OF_STRAND(RENDER_ROWS + 3));
    run->s.root = vec3(REAL_OF_STRAND(RENDER_ROOT), REAL_OF_STRAND(RENDER_ROOT + 1), REAL_OF_STRAND(RENDER_ROOT + 2));
    run->s.step = REAL_OF_STRAND(RENDER_STEP);
    run->s.weight1 = REAL_OF_STRAND(RENDER_WEIGHTS);
    run->s.weight2 = REAL_OF_STRAND(RENDER_WEIGHTS + 1);
    run->s.weight3 = REAL_OF_STRAND(RENDER_WEIGHTS + 2);
    run->s = render_cut((buffer_ref)strands, (buffer_ref)styles, run->r, run->s, U(strand));
    for (uint32_t g = 0; g < 4; g++) run->row[g] = run->rows + words[RENDER_ROWS + g];
    run->own = run->rest + (size_t)words[RENDER_FIRST] * RENDER_REST_FLOATS;
    run->count = words[RENDER_COUNT];
    begin_root(run, (const float *)words + RENDER_ROOT);
    run->number = words[RENDER_NUMBER];
    run->to = words[RENDER_OUTPUT] * stride + offset;
}

// ---- rows ----

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

// ---- stores ----

#if PLAIT_WIDTH >= 4 && defined(__aarch64__)
// Lanes as four floats each.
INLINE void stand_up(float to[PLAIT_WIDTH][4], real3 p, real w) {
    const float32x4x4_t rows = {{(float32x4_t)p.x, (float32x4_t)p.y, (float32x4_t)p.z, (float32x4_t)w}};
    vst4q_f32(to[0], rows);
}
#elif PLAIT_WIDTH >= 4
// Lanes as four floats each.
INLINE void stand_up(float to[PLAIT_WIDTH][4], real3 p, real w) {
    union {
        real whole;
        __m128 part[PLAIT_WIDTH / 4];
    } x = {p.x}, y = {p.y}, z = {p.z}, fourth = {w};
    for (unsigned i = 0; i < PLAIT_WIDTH / 4; i++) {
        __m128 a = x.part[i], b = y.part[i], c = z.part[i], d = fourth.part[i];
        _MM_TRANSPOSE4_PS(a, b, c, d);
        _mm_store_ps(to[4 * i], a);
        _mm_store_ps(to[4 * i + 1], b);
        _mm_store_ps(to[4 * i + 2], c);
        _mm_store_ps(to[4 * i + 3], d);
    }
}
#endif

// A whole run of vertices as four floats each, past the caches: output is larger than these, and read by others.
#if PLAIT_WIDTH >= 4 && !defined(__aarch64__)
#define STREAMS
INLINE void stream_run(float *to, real3 p, real w) {
    union {
        real whole;
        __m128 part[PLAIT_WIDTH / 4];
    } x = {p.x}, y = {p.y}, z = {p.z}, radius = {w};
    for (unsigned i = 0; i < PLAIT_WIDTH / 4; i++, to += 16) {
        __m128 a = x.part[i], b = y.part[i], c = z.part[i], d = radius.part[i];
        _MM_TRANSPOSE4_PS(a, b, c, d);
        _mm_stream_ps(to, a);
        _mm_stream_ps(to + 4, b);
        _mm_stream_ps(to + 8, c);
        _mm_stream_ps(to + 12, d);
    }
}
#endif

struct place {
    float *memory;
    uint32_t stride, components;
    int streams;
};

static inline struct place place_of(float *memory, uint32_t offset, uint32_t stride, uint32_t components) {
    struct place place = {memory, stride, components, 0};
    (void)offset;
#ifdef STREAMS
    place.streams = components == 4 && stride == 4 && (uintptr_t)(memory + offset) % 16 == 0;
#endif
    return place;
}

// Vertices v to v + live - 1 of a strand whose output begins at `to`.
INLINE void store_run(const struct place *place, uint32_t to, uint32_t v, uint32_t live, real3 p, real w) {
#ifdef STREAMS
    if (place->streams && live == PLAIT_WIDTH) {
        stream_run(place->memory + to + (size_t)v * 4, p, w);
        return;
    }
#endif
#if PLAIT_WIDTH >= 4
    float vertices[PLAIT_WIDTH][4] __attribute__((aligned(64)));
    stand_up(vertices, p, w);
    float *at = place->memory + to + (size_t)v * place->stride;
    if (place->components == 4)
        for (uint32_t i = 0; i < live; i++, at += place->stride) memcpy(at, vertices[i], 4 * sizeof(float));
    else
        for (uint32_t i = 0; i < live; i++, at += place->stride) memcpy(at, vertices[i], 3 * sizeof(float));
#else
    output_store(place->memory, (U(v) + LANES) * place->stride + to, place->components, p, w, lt_uint(LANES, U(live)));
#endif
}

// The same of 16-bit numbers.
INLINE void store_packed(const struct place *place, uint32_t to, uint32_t v, uint32_t live, render_packed words) {
    uint32_t first[PLAIT_WIDTH], second[PLAIT_WIDTH];
    memcpy(first, &words.first, sizeof first);
    memcpy(second, &words.second, sizeof second);
    float *at = place->memory + to + (size_t)v * place->stride;
    for (uint32_t i = 0; i < live; i++, at += place->stride) {
        memcpy(at, &first[i], sizeof first[i]);
        memcpy(at + 1, &second[i], sizeof second[i]);
    }
}

static inline void end_stores(void) {
#ifdef STREAMS
    _mm_sfence(); // before others hear that the memory is written
#endif
}

// ---- kernels ----

// Over the strands of vertices begin to end - 1: `body` sees each run of at most PLAIT_WIDTH of them, from v on, `live` many.
#define FOR_EACH_RUN(body)                                                                                             \
    uint32_t strand = begin < end ? ((const uint32_t *)BUF(owners))[args->first + begin] : 0;                          \
    for (uint32_t at = args->first + begin; at < args->first + end; strand++) {                                        \
        begin_strand(&run, BUF(strands), BUF(styles), strand, VAL(stride), VAL(offset));                               \
        const uint32_t first = ((const uint32_t *)BUF(strands))[(size_t)strand * RENDER_STRAND_WORDS + RENDER_FIRST];  \
        const uint32_t last = args->first + end - first < run.count ? args->first + end - first : run.count;           \
        if (run.number < run.r.shown)                                                                                  \
            for (uint32_t v = at - first; v < last; v += PLAIT_WIDTH) {                                                \
                const uint32_t live = last - v < PLAIT_WIDTH ? last - v : PLAIT_WIDTH;                                 \
                body                                                                                                   \
            }                                                                                                          \
        at = first + run.count;                                                                                        \
    }

#define BEGIN_RUNS                                                                                                     \
    RENDER_SETTING(setting)                                                                                            \
    struct run run = {.r = setting, .rows = BUF(rows), .rest = BUF(rest)};                                             \
    const struct place place = place_of(BUF(memory), VAL(offset), VAL(stride), VAL(components));                       \
    run.r.guides = guides;                                                                                             \
    run.r.slides = slides;                                                                                             \
    if (!pushes) run.r.collider_count = 0u;                                                                            \
    (void)packs;

// A kernel's code once for each number of guides, so that nothing is decided in its loops; of 16-bit formats for the usual number
// only. With gcc, which takes minutes for them all, for the usual number, and with sanitizers once for all.
enum { PACKED = 2, PACKED_FORM = 4, USUAL_FORM = 3 };
#if defined(PLAIT_SANITIZED)
#define FORM_OF(guides, general) ((void)(guides), (void)(general), 0)
#elif defined(__clang__)
#define FORM_OF(guides, general) ((general) ? 0 : (guides))
#else
#define FORM_OF(guides, general) ((general) || (guides) != USUAL_FORM ? 0 : USUAL_FORM)
#endif
#if defined(__clang__) && !defined(PLAIT_SANITIZED)
#define UNUSUAL_FORMS(name)                                                                                            \
    case 1: run_##name(a, begin, end, 1, 0, 0, 0); break;                                                              \
    case 2: run_##name(a, begin, end, 2, 0, 0, 0); break;                                                              \
    case 4: run_##name(a, begin, end, 4, 0, 0, 0); break;                                                              \
    case PACKED_FORM + USUAL_FORM:                                                                                     \
        run_##name(a, begin, end, USUAL_FORM, 0, 0, 1);                                                                \
        break;
#else
#define UNUSUAL_FORMS(name)
#endif
#define FOR_EACH_FORM(name)                                                                                            \
    void CPU_VARIANT(name)(const void *args, uint32_t begin, uint32_t end, void *scratch) {                            \
        const struct name##_args *a = args;                                                                            \
        const uint32_t *settings = (const uint32_t *)a->settings, slides = settings[RENDER_SLIDES];                    \
        const uint32_t pushes = settings[a->colliders_at ? RENDER_COLLIDERS_BEFORE : RENDER_COLLIDERS];                \
        (void)scratch;                                                                                                 \
        const uint32_t packs = a->components == PACKED ? PACKED_FORM : 0;                                              \
        switch (FORM_OF(a->guides + packs, slides || pushes)) {                                                        \
            UNUSUAL_FORMS(name)                                                                                        \
        case USUAL_FORM: run_##name(a, begin, end, USUAL_FORM, 0, 0, 0); break;                                        \
        default: run_##name(a, begin, end, a->guides, slides, 1, 1); break;                                            \
        }                                                                                                              \
        end_stores();                                                                                                  \
    }

// Lanes as vertices of the strand; those beyond its end repeat the last.
INLINE lane_uint lanes_from(const struct run *run, uint32_t v) { return min_uint(U(v) + LANES, U(run->count - 1)); }

INLINE real3 point_run(const struct run *run, uint32_t v) {
    if (run->r.slides == 0u) return vertex_run(run, v);
    return render_point((buffer_ref)run->rows, (buffer_ref)run->rest, run->r, run->s, lanes_from(run, v));
}

INLINE real radius_run(const struct run *run, uint32_t v) {
    const float *radii = run->own + (size_t)RENDER_REST_RADIUS * run->count;
    const float *scales = run->row[0] + (size_t)RENDER_ROW_SCALE * run->count;
    real place = uint_to_real(U(v) + LANES);
    if (run->r.slides == 0u) return render_radius(run->r, run->s, place, load_run(radii + v), load_run(scales + v));
    place = render_place(run->s, uint_to_real(lanes_from(run, v)));
    lane_uint near = render_before(run->s, place);
    real rest = GATHER((buffer_ref)radii, near);
    rest = rest + (GATHER((buffer_ref)radii, near + 1u) - rest) * (place - uint_to_real(near));
    return render_radius(run->r, run->s, place, rest, GATHER((buffer_ref)scales, near));
}

// The processor's own least and most, which treat NaN as min_ and max_ do; ARM's do not.
#if PLAIT_WIDTH == 16
#define LEAST(a, b) ((real)_mm512_min_ps((__m512)(a), (__m512)(b)))
#define MOST(a, b) ((real)_mm512_max_ps((__m512)(a), (__m512)(b)))
#elif PLAIT_WIDTH == 8
#define LEAST(a, b) ((real)_mm256_min_ps((__m256)(a), (__m256)(b)))
#define MOST(a, b) ((real)_mm256_max_ps((__m256)(a), (__m256)(b)))
#elif PLAIT_WIDTH == 4 && !defined(__aarch64__)
#define LEAST(a, b) ((real)_mm_min_ps((__m128)(a), (__m128)(b)))
#define MOST(a, b) ((real)_mm_max_ps((__m128)(a), (__m128)(b)))
#else
#define LEAST min_
#define MOST max_
#endif

INLINE void run_render_position(const struct render_position_args *args, uint32_t begin, uint32_t end, uint32_t guides,
                                uint32_t slides, int pushes, int packs) {
    BEGIN_RUNS
    real3 low = vec3(R(3e38f), R(3e38f), R(3e38f)), high = vec3(R(-3e38f), R(-3e38f), R(-3e38f));
    int some = 0;
    FOR_EACH_RUN({
        real3 p = render_seen(run.r, point_run(&run, v));
        real radius = radius_run(&run, v);
        if (packs && place.components == PACKED)
            store_packed(&place, run.to, v, live, pack_in_box(BUF(settings), p, radius));
        else
            store_run(&place, run.to, v, live, p, radius);
        if (live < PLAIT_WIDTH) { // lanes beyond the end are as the first
            mask in = lt_uint(LANES, U(live));
            p = vec3(sel(in, p.x, R(OF_LANE(p.x, 0))), sel(in, p.y, R(OF_LANE(p.y, 0))),
                     sel(in, p.z, R(OF_LANE(p.z, 0))));
            radius = sel(in, radius, R(OF_LANE(radius, 0)));
        }
        low = vec3(LEAST(low.x, p.x - radius), LEAST(low.y, p.y - radius), LEAST(low.z, p.z - radius));
        high = vec3(MOST(high.x, p.x + radius), MOST(high.y, p.y + radius), MOST(high.z, p.z + radius));
        some = 1;
    })
    if (!some) return;
    ATOMIC_MIN(BUF(status), U(STATUS_RENDER_LOW), order_bits(low.x), EVERY_LANE);
    ATOMIC_MIN(BUF(status), U(STATUS_RENDER_LOW + 1u), order_bits(low.y), EVERY_LANE);
    ATOMIC_MIN(BUF(status), U(STATUS_RENDER_LOW + 2u), order_bits(low.z), EVERY_LANE);
    ATOMIC_MAX(BUF(status), U(STATUS_RENDER_HIGH), order_bits(high.x), EVERY_LANE);
    ATOMIC_MAX(BUF(status), U(STATUS_RENDER_HIGH + 1u), order_bits(high.y), EVERY_LANE);
    ATOMIC_MAX(BUF(status), U(STATUS_RENDER_HIGH + 2u), order_bits(high.z), EVERY_LANE);
}
FOR_EACH_FORM(render_position)

INLINE void run_render_previous(const struct render_previous_args *args, uint32_t begin, uint32_t end, uint32_t guides,
                                uint32_t slides, int pushes, int packs){BEGIN_RUNS FOR_EACH_RUN({
    store_run(&place, run.to, v, live, render_seen(run.r, point_run(&run, v)), R(0.0f));
})} FOR_EACH_FORM(render_previous)

    // Both neighbours of each vertex, at the ends of the strand the vertex itself.
    INLINE real3 tangent_run(const struct run *run, uint32_t v, uint32_t live) {
    const int inside = v > 0 && v + live < run->count;
    if (run->r.slides == 0u && inside) return render_tangent_of(vertex_run(run, v - 1), vertex_run(run, v + 1));
    lane_uint at = lanes_from(run, v);
    buffer_ref rows = (buffer_ref)run->rows, rest = (buffer_ref)run->rest;
    if (run->r.slides == 0u)
        return render_tangent_of(
            render_vertex(rows, rest, run->r, run->s, at - sel_uint(eq_uint(at, U(0u)), U(0u), U(1u))),
            render_vertex(rows, rest, run->r, run->s, min_uint(at + 1u, U(run->count - 1))));
    real place = render_place(run->s, uint_to_real(at)), end = uint_to_real(U(run->count - 1)) * run->s.left;
    return render_tangent_of(render_between(rows, rest, run->r, run->s, max_(place - run->s.stride, R(0.0f))),
                             render_between(rows, rest, run->r, run->s, min_(place + run->s.stride, end)));
}

INLINE void run_render_tangent(const struct render_tangent_args *args, uint32_t begin, uint32_t end, uint32_t guides,
                               uint32_t slides, int pushes, int packs){BEGIN_RUNS FOR_EACH_RUN({
    real3 tangent = tangent_run(&run, v, live);
    if (packs && place.components == PACKED)
        store_packed(&place, run.to, v, live, pack_half(tangent));
    else
        store_run(&place, run.to, v, live, tangent, R(0.0f));
})} FOR_EACH_FORM(render_tangent)
