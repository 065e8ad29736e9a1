// Overrides of the kernels of render strands, compiled once per instruction set like the kernels. They go strand by strand:
// lanes are vertices of one strand, so that rows, rest positions and output are runs of floats; the plain kernels gather them.
// The arithmetic is that of kernels/render.h.
#include "render_lanes.h"

#include "render_store.h"

// Strands by themselves: the same in all lanes, and where their data are.
struct run {
    render_setting r;
    render_strand s;
    real weights; // of the second to the fourth guide together
    const float *rows, *rest;
    const float *row[4], *own;
    uint32_t count, number, to; // to: where output of vertex 0 goes
    // Of the walk along the strand: the vertices before, and what is taken from those that come.
    real3 last, last_drawn, taken;
    int cut;  // something is taken
    int even; // guides and widths count alike along strands
};

INLINE real3 load_run3(const float *from, size_t n) {
    return vec3(load_run(from), load_run(from + n), load_run(from + 2 * n));
}

// What a guide makes of vertices p; row: from the first of them on.
INLINE real3 guided_run(const float *row, size_t n, real3 p) {
    render_transform m = {load_run3(row, n), load_run3(row + 3 * n, n), load_run3(row + 6 * n, n),
                          load_run3(row + 9 * n, n)};
    return transform_point(m, p);
}

// Vertices v, v + 1, ... as numbers, where they count.
INLINE real numbers_from(const struct run *run, uint32_t v) { return run->even ? R(0.0f) : uint_to_real(U(v) + LANES); }

// As render_carried does, for vertices v, v + 1, ... of a strand. Lanes beyond its end hold anything.
INLINE real3 carried_run(const struct run *run, uint32_t v, real3 p) {
    const size_t n = run->count;
    real3 carried = guided_run(run->row[0] + v, n, p);
    if (run->r.guides == 1u) return add3(carried, run->s.base);
    const real share = render_share(run->r, run->s, numbers_from(run, v));
    carried = fma3(carried, fma_(-run->weights, share, R(1.0f)), fma3(run->s.base_change, share, run->s.base));
    carried = fma3(guided_run(run->row[1] + v, n, p), run->s.weight1 * share, carried);
    if (run->r.guides > 2u) carried = fma3(guided_run(run->row[2] + v, n, p), run->s.weight2 * share, carried);
    if (run->r.guides > 3u) carried = fma3(guided_run(run->row[3] + v, n, p), run->s.weight3 * share, carried);
    return carried;
}

// As render_root does.
INLINE real3 root_run(const struct run *run, uint32_t guide) {
    const size_t n = run->count;
    const float *row = run->row[guide];
    const real3 x = vec3(R(row[0]), R(row[n]), R(row[2 * n])), y = vec3(R(row[3 * n]), R(row[4 * n]), R(row[5 * n])),
                z = vec3(R(row[6 * n]), R(row[7 * n]), R(row[8 * n]));
    return fma3(x, run->s.root.x, fma3(y, run->s.root.y, mul3(z, run->s.root.z)));
}

INLINE real scale_run(const struct run *run, uint32_t guide) {
    return R(run->row[guide][(size_t)RENDER_ROW_SCALE * run->count]);
}

// As render_based does.
INLINE void begin_root(struct run *run) {
    render_strand *s = &run->s;
    s->base = root_run(run, 0);
    s->base_change = vec3(R(0.0f), R(0.0f), R(0.0f));
    if (run->r.guides > 1u) s->base_change = mul3(sub3(root_run(run, 1), s->base), s->weight1);
    if (run->r.guides > 2u) s->base_change = fma3(sub3(root_run(run, 2), s->base), s->weight2, s->base_change);
    if (run->r.guides > 3u) s->base_change = fma3(sub3(root_run(run, 3), s->base), s->weight3, s->base_change);
    s->scale = scale_run(run, 0);
    s->scale_change = R(0.0f);
    if (run->r.guides > 1u) s->scale_change = (scale_run(run, 1) - s->scale) * s->weight1;
    if (run->r.guides > 2u) s->scale_change = fma_(scale_run(run, 2) - s->scale, s->weight2, s->scale_change);
    if (run->r.guides > 3u) s->scale_change = fma_(scale_run(run, 3) - s->scale, s->weight3, s->scale_change);
    run->weights = (s->weight1 + s->weight2) + s->weight3;
}

#define OF_STRAND(word) words[word]
#define REAL_OF_STRAND(word) R(((const float *)words)[word])
INLINE void begin_strand(struct run *run, const float *strands, const float *styles, uint32_t strand, uint32_t stride,
                         uint32_t offset) {
    const uint32_t *words = (const uint32_t *)strands + (size_t)strand * RENDER_STRAND_WORDS;
    run->s.count = U(OF_STRAND(RENDER_COUNT));
    run->s.number = U(OF_STRAND(RENDER_NUMBER));
    run->s.root = vec3(REAL_OF_STRAND(RENDER_ROOT), REAL_OF_STRAND(RENDER_ROOT + 1), REAL_OF_STRAND(RENDER_ROOT + 2));
    run->s.step = REAL_OF_STRAND(RENDER_STEP);
    run->s.weight1 = REAL_OF_STRAND(RENDER_WEIGHTS);
    run->s.weight2 = REAL_OF_STRAND(RENDER_WEIGHTS + 1);
    run->s.weight3 = REAL_OF_STRAND(RENDER_WEIGHTS + 2);
    run->s = render_cut((buffer_ref)strands, (buffer_ref)styles, run->r, run->s, U(strand));
    for (uint32_t g = 0; g < 4; g++) run->row[g] = run->rows + words[RENDER_ROWS + g];
    run->own = run->rest + (size_t)words[RENDER_FIRST] * RENDER_REST_FLOATS;
    run->count = words[RENDER_COUNT];
    run->number = words[RENDER_NUMBER];
    run->to = words[RENDER_OUTPUT] * stride + offset;
}

// ---- lengths ----

// Lanes one on, behind the last lane of those before; of the first vertex, itself.
INLINE real one_on(real before, real x, int first) {
#if PLAIT_WIDTH == 16
    if (first) return __builtin_shufflevector(x, x, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
    return __builtin_shufflevector(before, x, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
#elif PLAIT_WIDTH == 8
    if (first) return __builtin_shufflevector(x, x, 0, 0, 1, 2, 3, 4, 5, 6);
    return __builtin_shufflevector(before, x, 7, 8, 9, 10, 11, 12, 13, 14);
#elif PLAIT_WIDTH == 4
    if (first) return __builtin_shufflevector(x, x, 0, 0, 1, 2);
    return __builtin_shufflevector(before, x, 3, 4, 5, 6);
#else
    return first ? x : before;
#endif
}

INLINE real3 one_on3(real3 before, real3 x, int first) {
    return vec3(one_on(before.x, x.x, first), one_on(before.y, x.y, first), one_on(before.z, x.z, first));
}

INLINE real3 one_lane(real3 x, uint32_t lane) {
    (void)lane;
    return vec3(R(OF_LANE(x.x, lane)), R(OF_LANE(x.y, lane)), R(OF_LANE(x.z, lane)));
}

// What is taken from vertices behind `taken`: sums along the strand, one after the other, because they have an order. By value, so that
// what else is known of a strand may be in registers.
static __attribute__((noinline)) real3 sums_along(real3 taken, real3 excess) {
    union {
        real lanes;
        float each[PLAIT_WIDTH];
    } e[3] = {{excess.x}, {excess.y}, {excess.z}};
    float sum[3] = {OF_LANE(taken.x, 0), OF_LANE(taken.y, 0), OF_LANE(taken.z, 0)};
    for (unsigned c = 0; c < 3; c++)
        for (unsigned lane = 0; lane < PLAIT_WIDTH; lane++) e[c].each[lane] = sum[c] += e[c].each[lane];
    return vec3(e[0].lanes, e[1].lanes, e[2].lanes);
}

// Strands are read once and in a row, four pieces each: more than the processor foresees. So what is EXPECTED strands on is asked for.
enum { EXPECTED = 4, LINE_FLOATS = 16 };
INLINE void expect_drawn(const struct run *run, uint32_t v) {
    const float *ahead = run->own + RENDER_REST_FLOATS * ((size_t)EXPECTED * run->count + v);
    for (unsigned i = 0; i < RENDER_REST_FLOATS * PLAIT_WIDTH; i += LINE_FLOATS) __builtin_prefetch(ahead + i);
}

// Vertices v to v + live - 1, as long as their segments may be: what render_lengths does. Runs of a strand come one after the other,
// from vertex 0 on.
INLINE real3 next_run(struct run *run, uint32_t v, uint32_t live) {
    expect_drawn(run, v);
    const real3 drawn = load_run3(run->own + v, run->count), p = carried_run(run, v, drawn);
    if (v == 0) run->cut = 0;
    const real3 along = sub3(p, one_on3(run->last, p, v == 0));
    const real size2 = fused_dot3(along, along);
    const real allowed2 =
        render_allowed2(run->r, run->s, sub3(drawn, one_on3(run->last_drawn, drawn, v == 0)), numbers_from(run, v));
    mask over = lt(allowed2, size2);
    if (live < PLAIT_WIDTH) over = both(over, lt_uint(LANES, U(live)));
    run->last = p;
    run->last_drawn = drawn;
    if (__builtin_expect(any(over), 0)) {
        const real3 none = vec3(R(0.0f), R(0.0f), R(0.0f));
        const real3 taken = sums_along(run->cut ? run->taken : none, render_excess(along, size2, allowed2, over));
        run->taken = one_lane(taken, PLAIT_WIDTH - 1);
        run->cut = 1;
        return sub3(p, taken);
    }
    return __builtin_expect(run->cut, 0) ? sub3(p, run->taken) : p;
}

// And out of colliders.
INLINE real3 pushed_run(const struct run *run, uint32_t v, real3 p) {
    if (run->r.collider_count == 0u) return p;
    const size_t n = run->count;
    const real scale = load_run(run->row[0] + (size_t)RENDER_ROW_SCALE * n + v);
    return render_push(run->r.colliders, run->r.collider_count, render_push_share(run->s, uint_to_real(U(v) + LANES)),
                       load_run(run->own + v + RENDER_REST_RADIUS * n) * scale, p);
}

// All vertices of a strand, where others are to be made of them.
struct points {
    float x[RENDER_MOST_VERTICES + PLAIT_WIDTH], y[RENDER_MOST_VERTICES + PLAIT_WIDTH],
        z[RENDER_MOST_VERTICES + PLAIT_WIDTH];
};

INLINE void all_points(struct run *run, struct points *points) {
    for (uint32_t v = 0; v < run->count; v += PLAIT_WIDTH) {
        const uint32_t live = run->count - v < PLAIT_WIDTH ? run->count - v : PLAIT_WIDTH;
        const real3 p = pushed_run(run, v, next_run(run, v, live));
        memcpy(points->x + v, &p.x, sizeof p.x);
        memcpy(points->y + v, &p.y, sizeof p.y);
        memcpy(points->z + v, &p.z, sizeof p.z);
    }
}

INLINE real3 point_at(const struct points *points, lane_uint v) {
    return vec3(GATHER((buffer_ref)points->x, v), GATHER((buffer_ref)points->y, v), GATHER((buffer_ref)points->z, v));
}

// As render_between does.
INLINE real3 point_between(const struct points *points, render_strand s, real place) {
    const lane_uint v = render_before(s, place);
    const real3 a = point_at(points, v), b = point_at(points, v + 1u);
    return add3(a, mul3(sub3(b, a), place - uint_to_real(v)));
}

// ---- kernels ----

// Over the strands of vertices begin to end - 1: `before` sees each, and `body` each run of at most PLAIT_WIDTH of their vertices,
// from v on, `live` many. A strand may begin before them: `before` knows from which vertex on, `from`, it is wanted.
#define FOR_EACH_RUN(before, body)                                                                                     \
    uint32_t strand = begin < end ? ((const uint32_t *)BUF(owners))[args->first + begin] : 0;                          \
    for (uint32_t at = args->first + begin; at < args->first + end; strand++) {                                        \
        begin_strand(&run, BUF(strands), BUF(styles), strand, VAL(stride), VAL(offset));                               \
        const uint32_t first = ((const uint32_t *)BUF(strands))[(size_t)strand * RENDER_STRAND_WORDS + RENDER_FIRST];  \
        const uint32_t last = args->first + end - first < run.count ? args->first + end - first : run.count;           \
        const uint32_t from = at - first;                                                                              \
        if (run.number < run.r.shown) {                                                                                \
            begin_root(&run);                                                                                          \
            before for (uint32_t v = from; v < last; v += PLAIT_WIDTH) {                                               \
                const uint32_t live = last - v < PLAIT_WIDTH ? last - v : PLAIT_WIDTH;                                 \
                body                                                                                                   \
            }                                                                                                          \
        }                                                                                                              \
        at = first + run.count;                                                                                        \
    }

#define BEGIN_RUNS                                                                                                     \
    RENDER_SETTING(setting)                                                                                            \
    RENDER_PUSHERS(setting)                                                                                            \
    struct run run = {.r = setting, .rows = BUF(rows), .rest = BUF(rest), .even = form.even};                          \
    const struct place place = place_of(BUF(memory), VAL(offset), VAL(stride), VAL(components));                       \
    run.r.guides = form.guides;                                                                                        \
    run.r.slides = form.slides;                                                                                        \
    if (!form.pushes) run.r.collider_count = 0u;

// A kernel's code once for each number of guides, so that nothing is decided in its loops; for the usual number also where nothing
// changes along strands, and for 16-bit formats. With gcc, which takes minutes for them all, for the usual number, and with
// sanitizers once for all.
struct form {
    uint32_t guides, slides;
    int pushes, packs, even;
};
enum { PACKED = 2, USUAL_GUIDES = 3, PACKED_FORM = 8, EVEN_FORM = 16 };
#define FORM(name, number, ...)                                                                                        \
    case number:                                                                                                       \
        run_##name(a, begin, end, (struct form){__VA_ARGS__});                                                         \
        break;
#define USUAL_FORMS(name)                                                                                              \
    FORM(name, USUAL_GUIDES, .guides = USUAL_GUIDES)                                                                   \
    FORM(name, EVEN_FORM + USUAL_GUIDES, .guides = USUAL_GUIDES, .even = 1)
#if defined(PLAIT_SANITIZED)
#define FORMS(name)
#elif defined(__clang__)
#define FORMS(name)                                                                                                    \
    USUAL_FORMS(name)                                                                                                  \
    FORM(name, PACKED_FORM + USUAL_GUIDES, .guides = USUAL_GUIDES, .packs = 1)                                         \
    FORM(name, 1, .guides = 1)                                                                                         \
    FORM(name, 2, .guides = 2)                                                                                         \
    FORM(name, 4, .guides = 4)
#else
#define FORMS(name) USUAL_FORMS(name)
#endif
#define FOR_EACH_FORM(name)                                                                                            \
    void CPU_VARIANT(name)(const void *args, uint32_t begin, uint32_t end, void *scratch) {                            \
        const struct name##_args *a = args;                                                                            \
        const uint32_t *settings = (const uint32_t *)a->settings, slides = settings[RENDER_SLIDES];                    \
        const uint32_t pushes = settings[a->colliders_at ? RENDER_COLLIDERS_BEFORE : RENDER_COLLIDERS];                \
        const uint32_t changes = settings[RENDER_SINGLE_CHANGE] | settings[RENDER_WIDTH_CHANGE];                       \
        uint32_t form = a->guides;                                                                                     \
        (void)scratch;                                                                                                 \
        if (a->components == PACKED)                                                                                   \
            form += PACKED_FORM;                                                                                       \
        else if (a->guides == USUAL_GUIDES && !changes)                                                                \
            form += EVEN_FORM;                                                                                         \
        switch (slides || pushes ? 0 : form) {                                                                         \
            FORMS(name)                                                                                                \
        default:                                                                                                       \
            run_##name(a, begin, end, (struct form){.guides = a->guides, .slides = slides, .pushes = 1, .packs = 1});  \
            break;                                                                                                     \
        }                                                                                                              \
        end_stores();                                                                                                  \
    }

// Lanes as vertices of the strand; those beyond its end repeat the last.
INLINE lane_uint lanes_from(const struct run *run, uint32_t v) { return min_uint(U(v) + LANES, U(run->count - 1)); }

// Before the runs of positions: the vertices before the first that is wanted, or all of them.
INLINE void begin_points(struct run *run, struct points *points, uint32_t from) {
    if (run->r.slides != 0u) {
        all_points(run, points);
        return;
    }
    for (uint32_t v = 0; v < from; v += PLAIT_WIDTH) {
        const uint32_t live = from - v < PLAIT_WIDTH ? from - v : PLAIT_WIDTH;
        next_run(run, v, live);
        run->last = one_lane(run->last, live - 1);
        run->last_drawn = one_lane(run->last_drawn, live - 1);
    }
}

INLINE real3 point_run(struct run *run, const struct points *points, uint32_t v, uint32_t live) {
    if (run->r.slides == 0u) return pushed_run(run, v, next_run(run, v, live));
    return point_between(points, run->s, render_place(run->s, uint_to_real(lanes_from(run, v))));
}

INLINE real radius_run(const struct run *run, uint32_t v) {
    const float *radii = run->own + (size_t)RENDER_REST_RADIUS * run->count;
    const float *scales = run->row[0] + (size_t)RENDER_ROW_SCALE * run->count;
    real place = numbers_from(run, v);
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

INLINE void run_render_position(const struct render_position_args *args, uint32_t begin, uint32_t end,
                                struct form form) {
    BEGIN_RUNS
    real3 low = vec3(R(3e38f), R(3e38f), R(3e38f)), high = vec3(R(-3e38f), R(-3e38f), R(-3e38f));
    struct points points;
    int some = 0;
    FOR_EACH_RUN(begin_points(&run, &points, from);, {
        real3 p = render_seen(run.r, point_run(&run, &points, v, live));
        real radius = radius_run(&run, v);
        if (form.packs && place.components == PACKED)
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

INLINE void run_render_previous(const struct render_previous_args *args, uint32_t begin, uint32_t end,
                                struct form form) {
    BEGIN_RUNS
    struct points points;
    FOR_EACH_RUN(begin_points(&run, &points, from);, {
        store_run(&place, run.to, v, live, render_seen(run.r, point_run(&run, &points, v, live)), R(0.0f));
    })
}
FOR_EACH_FORM(render_previous)

// From one neighbour of each vertex to the other, at the ends of the strand from or to the vertex itself.
INLINE real3 tangent_run(const struct run *run, const struct points *points, uint32_t v, uint32_t live) {
    if (run->r.slides == 0u && v > 0 && v + live < run->count)
        return render_tangent_of(
            vec3(load_run(points->x + v - 1), load_run(points->y + v - 1), load_run(points->z + v - 1)),
            vec3(load_run(points->x + v + 1), load_run(points->y + v + 1), load_run(points->z + v + 1)));
    lane_uint at = lanes_from(run, v);
    if (run->r.slides == 0u)
        return render_tangent_of(point_at(points, at - sel_uint(eq_uint(at, U(0u)), U(0u), U(1u))),
                                 point_at(points, min_uint(at + 1u, U(run->count - 1))));
    real place = render_place(run->s, uint_to_real(at)), end = uint_to_real(U(run->count - 1)) * run->s.left;
    return render_tangent_of(point_between(points, run->s, max_(place - run->s.stride, R(0.0f))),
                             point_between(points, run->s, min_(place + run->s.stride, end)));
}

INLINE void run_render_tangent(const struct render_tangent_args *args, uint32_t begin, uint32_t end, struct form form) {
    BEGIN_RUNS
    struct points points;
    FOR_EACH_RUN(all_points(&run, &points);, {
        real3 tangent = tangent_run(&run, &points, v, live);
        if (form.packs && place.components == PACKED)
            store_packed(&place, run.to, v, live, pack_half(tangent));
        else
            store_run(&place, run.to, v, live, tangent, R(0.0f));
    })
}
FOR_EACH_FORM(render_tangent)
