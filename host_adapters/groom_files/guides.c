/* Guides out of a dense groom: those strands that are left when the most crowded one is taken out, again and again, until so
 * many are left (weighted sample elimination, Yuksel 2015, equations 1 to 4). What counts as near is the distance of the roots,
 * and how much the strands differ in shape and length: strands of another shape do not crowd each other. What is left is spread
 * evenly over the scalp, and every kind of strand has its guides. */
#include "groom_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 4, PROBES = 64, MOST_ROUNDS = 48 };

/* Strands that point into opposite directions are apart by so many radii beside their roots' distance, so they do not see each
 * other; a tenth of that is usual among neighbours. */
static const double SHAPE_WEIGHT = 2;
/* How far the centres of discs in the densest packing are apart if each has the area of a circle of radius one:
 * sqrt(2 pi / sqrt 3). */
static const double PACKING = 1.905;

typedef struct strand {
    float root[3];
    float shape[SAMPLES][3]; /* from the root to points along the strand, as shares of the mean length of strands */
    uint32_t group;
} strand;

/* Strands by cells of their roots. */
typedef struct grid {
    double origin[3], cell;
    uint32_t size[3];
    uint32_t *starts;  /* [cells + 1] */
    uint32_t *strands; /* sorted by cell */
} grid;

typedef struct work {
    uint32_t count;
    strand *strands;
    double radius;       /* within which strands crowd each other */
    double shape_factor; /* of the squared difference of shapes */
    int groups_matter;
    grid grid;
    double *crowding;   /* [count] */
    uint32_t *heap;     /* strands, the most crowded first */
    uint32_t *position; /* [count] in the heap */
    uint32_t heap_count;
} work;

static plait_result describe_strands(const plait_gf_groom *groom, work *w);
static plait_result find_radius(work *w, uint32_t guides);
static plait_result make_grid(work *w);
static plait_result eliminate(work *w, uint32_t guides, const plait_gf_guide_options *options, uint32_t strands);
static double crowd(const work *w, uint32_t a, uint32_t b);
static void sift(work *w, uint32_t at);
static void release(work *w);

plait_result plait_gf_choose_guides(plait_gf_groom *groom, const plait_gf_guide_options *options) {
    static const plait_gf_guide_options usual;
    work w;
    uint32_t guides, *chosen, i, round;
    plait_result result;
    options = options ? options : &usual;
    memset(&w, 0, sizeof w);
    if (!groom || !groom->vertex_counts || !groom->positions || groom->strand_count == 0 ||
        !(options->share >= 0 && options->share <= 1))
        return PLAIT_ERROR_INVALID_ARGUMENT;
    guides = options->count;
    if (guides == 0)
        guides = (uint32_t)ceil((options->share > 0 ? (double)options->share : 0.03) * groom->strand_count - 1e-6);
    guides = guides < 1 ? 1 : guides > groom->strand_count ? groom->strand_count : guides;
    result = describe_strands(groom, &w);
    if (result == PLAIT_OK) result = find_radius(&w, guides);
    /* Where strands are few, nobody crowds anybody before enough are gone: then look farther, and be less particular. */
    w.shape_factor = SHAPE_WEIGHT * SHAPE_WEIGHT / (PACKING * PACKING);
    for (round = 0; round < MOST_ROUNDS && result == PLAIT_OK && w.heap_count > guides; round++) {
        w.groups_matter = round < 4;
        result = eliminate(&w, guides, options, groom->strand_count);
        w.radius *= 2;
        w.shape_factor /= 4;
    }
    w.heap_count = w.heap_count > guides ? guides : w.heap_count;
    chosen = result == PLAIT_OK ? gf_allocate(guides, sizeof *chosen) : NULL;
    if (result == PLAIT_OK && !chosen) result = PLAIT_ERROR_OUT_OF_MEMORY;
    if (result == PLAIT_OK) {
        uint8_t *is_guide = gf_allocate(groom->strand_count, 1);
        if (!is_guide) {
            free(chosen);
            result = PLAIT_ERROR_OUT_OF_MEMORY;
        } else {
            for (i = 0; i < w.heap_count; i++) is_guide[w.heap[i]] = 1;
            free(groom->guides);
            free(groom->closest_guides);
            free(groom->guide_weights);
            groom->closest_guides = NULL;
            groom->guide_weights = NULL;
            groom->guides_each = groom->guide_count = 0;
            groom->guides = chosen;
            for (i = 0; i < groom->strand_count; i++)
                if (is_guide[i]) chosen[groom->guide_count++] = i;
            free(is_guide);
        }
    }
    release(&w);
    return result;
}

/* Where the strand is after this share of its vertices: arc length would be nicer, but vertices are even enough. */
static void sample(const float *p, uint32_t vertices, double share, float at[3]) {
    double place = share * (vertices - 1);
    uint32_t i = place >= vertices - 1 ? vertices - 2 : (uint32_t)place, c;
    for (c = 0; c < 3; c++)
        at[c] = (float)((double)p[3 * i + c] + (place - i) * ((double)p[3 * i + 3 + c] - (double)p[3 * i + c]));
}

static plait_result describe_strands(const plait_gf_groom *groom, work *w) {
    const float *p = groom->positions;
    double length = 0;
    uint32_t i, v, k, c;
    w->count = w->heap_count = groom->strand_count;
    w->strands = gf_allocate(w->count, sizeof *w->strands);
    w->crowding = gf_allocate(w->count, sizeof *w->crowding);
    w->heap = gf_allocate(w->count, sizeof *w->heap);
    w->position = gf_allocate(w->count, sizeof *w->position);
    if (!w->strands || !w->crowding || !w->heap || !w->position) return PLAIT_ERROR_OUT_OF_MEMORY;
    for (i = 0; i < w->count; i++) {
        strand *s = &w->strands[i];
        uint32_t vertices = groom->vertex_counts[i];
        w->heap[i] = w->position[i] = i;
        memcpy(s->root, p, sizeof s->root);
        s->group = groom->group_indices ? groom->group_indices[i] : 0;
        for (k = 0; k < SAMPLES; k++) {
            sample(p, vertices, (k + 1.0) / SAMPLES, s->shape[k]);
            for (c = 0; c < 3; c++) s->shape[k][c] -= s->root[c];
        }
        for (v = 1; v < vertices; v++) {
            double x = (double)p[3 * v] - (double)p[3 * v - 3], y = (double)p[3 * v + 1] - (double)p[3 * v - 2];
            double z = (double)p[3 * v + 2] - (double)p[3 * v - 1];
            length += sqrt(x * x + y * y + z * z) / w->count;
        }
        p += 3 * (size_t)vertices;
    }
    for (i = 0; i < w->count; i++)
        for (k = 0; k < SAMPLES; k++)
            for (c = 0; c < 3; c++) w->strands[i].shape[k][c] = (float)((double)w->strands[i].shape[k][c] / length);
    return PLAIT_OK;
}

static double square(const float *a, const float *b) {
    double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1], z = (double)a[2] - (double)b[2];
    return x * x + y * y + z * z;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* How far guides can be from each other at most, if each has an area with as many roots as there are strands for one guide. The
 * median over some roots. */
static plait_result find_radius(work *w, uint32_t guides) {
    uint32_t probes = w->count < PROBES ? w->count : PROBES, each = w->count / guides, i, k;
    double *radii = gf_allocate(probes, sizeof *radii), *squares = gf_allocate(w->count, sizeof *squares);
    if (!radii || !squares) {
        free(radii);
        free(squares);
        return PLAIT_ERROR_OUT_OF_MEMORY;
    }
    each = each < 1 ? 1 : each < w->count ? each : w->count - 1;
    for (i = 0; i < probes; i++) {
        const strand *s = &w->strands[(uint64_t)i * w->count / probes];
        double low = 0, high = 0;
        for (k = 0; k < w->count; k++) {
            squares[k] = square(s->root, w->strands[k].root);
            high = squares[k] > high ? squares[k] : high;
        }
        for (k = 0; k < 40; k++) { /* bisection: sorting all of them would take longer */
            double middle = 0.5 * (low + high);
            uint32_t inside = 0, n;
            for (n = 0; n < w->count; n++) inside += squares[n] <= middle;
            if (inside > each)
                high = middle;
            else
                low = middle;
        }
        radii[i] = sqrt(high);
    }
    qsort(radii, probes, sizeof *radii, compare);
    w->radius = PACKING * radii[probes / 2];
    if (!(w->radius > 0)) w->radius = PACKING * radii[probes - 1]; /* most roots are the same point */
    if (!(w->radius > 0)) w->radius = 1;
    free(radii);
    free(squares);
    return PLAIT_OK;
}

static uint32_t cell_of(const grid *g, const float *root) {
    uint32_t at[3], c;
    for (c = 0; c < 3; c++) {
        double x = ((double)root[c] - g->origin[c]) / g->cell;
        at[c] = x <= 0 ? 0 : x >= g->size[c] - 1 ? g->size[c] - 1 : (uint32_t)x;
    }
    return (at[2] * g->size[1] + at[1]) * g->size[0] + at[0];
}

/* Cells of one radius, of the strands that are left; larger where there would be too many cells. */
static plait_result make_grid(work *w) {
    grid *g = &w->grid;
    double low[3], high[3];
    uint32_t i, c, cells;
    free(g->starts);
    free(g->strands);
    for (c = 0; c < 3; c++) low[c] = high[c] = (double)w->strands[w->heap[0]].root[c];
    for (i = 0; i < w->heap_count; i++)
        for (c = 0; c < 3; c++) {
            double x = (double)w->strands[w->heap[i]].root[c];
            low[c] = x < low[c] ? x : low[c];
            high[c] = x > high[c] ? x : high[c];
        }
    g->cell = w->radius;
    for (;;) {
        double total = 1;
        for (c = 0; c < 3; c++) total *= floor((high[c] - low[c]) / g->cell) + 1;
        if (total <= 4e6) break;
        g->cell *= 1.5;
    }
    for (c = 0, cells = 1; c < 3; c++) {
        g->origin[c] = low[c];
        g->size[c] = (uint32_t)floor((high[c] - low[c]) / g->cell) + 1;
        cells *= g->size[c];
    }
    g->starts = gf_allocate((uint64_t)cells + 2, sizeof *g->starts);
    g->strands = gf_allocate(w->heap_count, sizeof *g->strands);
    if (!g->starts || !g->strands) return PLAIT_ERROR_OUT_OF_MEMORY;
    for (i = 0; i < w->heap_count; i++) g->starts[cell_of(g, w->strands[w->heap[i]].root) + 2]++;
    for (i = 0; i < cells; i++) g->starts[i + 2] += g->starts[i + 1];
    for (i = 0; i < w->heap_count; i++) {
        uint32_t s = w->heap[i];
        g->strands[g->starts[cell_of(g, w->strands[s].root) + 1]++] = s;
    }
    return PLAIT_OK;
}

/* How much b crowds a: 0 beyond the radius, 1 in the same place (equation 1, exponent 8). */
static double crowd(const work *w, uint32_t a, uint32_t b) {
    const strand *x = &w->strands[a], *y = &w->strands[b];
    double apart = square(x->root, y->root), shape = 0;
    int k;
    if ((w->groups_matter && x->group != y->group) || apart >= w->radius * w->radius) return 0;
    for (k = 0; k < SAMPLES; k++) shape += square(x->shape[k], y->shape[k]) / SAMPLES;
    apart = sqrt(apart / (w->radius * w->radius) + w->shape_factor * shape);
    if (apart >= 1) return 0;
    apart = (1 - apart) * (1 - apart);
    apart *= apart;
    return apart * apart;
}

typedef void neighbor_function(work *w, uint32_t a, uint32_t b);

static void each_neighbor(work *w, uint32_t a, neighbor_function *function) {
    const grid *g = &w->grid;
    uint32_t cell = cell_of(g, w->strands[a].root), at[3], low[3], high[3], x, y, z, i;
    at[0] = cell % g->size[0];
    at[1] = cell / g->size[0] % g->size[1];
    at[2] = cell / g->size[0] / g->size[1];
    for (i = 0; i < 3; i++) {
        low[i] = at[i] > 0 ? at[i] - 1 : 0;
        high[i] = at[i] + 1 < g->size[i] ? at[i] + 1 : at[i];
    }
    for (z = low[2]; z <= high[2]; z++)
        for (y = low[1]; y <= high[1]; y++) {
            uint32_t row = (z * g->size[1] + y) * g->size[0];
            for (x = g->starts[row + low[0]]; x < g->starts[row + high[0] + 1]; x++)
                if (g->strands[x] != a && w->position[g->strands[x]] != UINT32_MAX) function(w, a, g->strands[x]);
        }
}

static void add(work *w, uint32_t a, uint32_t b) { w->crowding[a] += crowd(w, a, b); }

static void relieve(work *w, uint32_t a, uint32_t b) {
    double was = crowd(w, a, b);
    if (was == 0) return;
    w->crowding[b] -= was;
    sift(w, w->position[b]);
}

/* Whether a goes before b: more crowded, or as crowded and later in the file. */
static int before(const work *w, uint32_t a, uint32_t b) {
    return w->crowding[a] > w->crowding[b] || (w->crowding[a] == w->crowding[b] && a > b);
}

static void place(work *w, uint32_t at, uint32_t s) {
    w->heap[at] = s;
    w->position[s] = at;
}

/* Down the heap: crowding only ever falls. */
static void sift(work *w, uint32_t at) {
    uint32_t s = w->heap[at], child;
    for (; (child = 2 * at + 1) < w->heap_count; at = child) {
        if (child + 1 < w->heap_count && before(w, w->heap[child + 1], w->heap[child])) child++;
        if (!before(w, w->heap[child], s)) break;
        place(w, at, w->heap[child]);
    }
    place(w, at, s);
}

/* Until enough are gone or nobody is crowded. */
static plait_result eliminate(work *w, uint32_t guides, const plait_gf_guide_options *options, uint32_t strands) {
    plait_result result = make_grid(w);
    uint32_t i;
    if (result != PLAIT_OK) return result;
    for (i = 0; i < w->heap_count; i++) w->crowding[w->heap[i]] = 0;
    for (i = 0; i < w->heap_count; i++) each_neighbor(w, w->heap[i], add);
    for (i = w->heap_count / 2; i-- > 0;) sift(w, i);
    while (w->heap_count > guides && w->crowding[w->heap[0]] > 1e-9) {
        uint32_t gone = w->heap[0];
        w->position[gone] = UINT32_MAX;
        w->heap_count--;
        if (w->heap_count > 0) {
            place(w, 0, w->heap[w->heap_count]);
            sift(w, 0);
        }
        each_neighbor(w, gone, relieve);
        if (options->progress && w->heap_count % (strands / 100 + 1) == 0) {
            result = options->progress(options->user, (float)(strands - w->heap_count) / (float)strands);
            if (result != PLAIT_OK) return result;
        }
    }
    return PLAIT_OK;
}

static void release(work *w) {
    free(w->strands);
    free(w->crowding);
    free(w->heap);
    free(w->position);
    free(w->grid.starts);
    free(w->grid.strands);
}
