/* Other vertex counts: points at equal distances along the curve that a strand's vertices are on. The curve is a centripetal
 * Catmull-Rom spline (Yuksel, Schaefer, Keyser 2011: no cusps and no loops within a segment), because points on the segments
 * themselves would cut the corners of every curl: curls would shrink. */
#include "groom_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECES = 16
}; /* of a segment, between which the curve counts as straight: its length is then right to 1e-3 or so */

typedef struct point {
    double x, y, z;
} point;

/* One strand as a curve. */
typedef struct curve {
    point points[PLAIT_MAX_STRAND_VERTICES + 2];            /* one more at both ends */
    double lengths[PLAIT_MAX_STRAND_VERTICES * PIECES + 1]; /* from the root to each end of a piece */
    uint32_t segments;
} curve;

static void make_curve(const float *positions, uint32_t count, curve *c);
static point curve_at(const curve *c, double parameter);
static uint32_t count_for(const plait_gf_resample_options *options, const curve *c, uint32_t *capped);
static plait_result allocate_like(const plait_gf_groom *groom, plait_gf_groom *to);
static void resample_strand(const plait_gf_groom *groom, uint32_t strand, size_t first, const curve *c,
                            plait_gf_groom *to, size_t to_first);

plait_result plait_gf_resample(const plait_gf_groom *groom, const plait_gf_resample_options *options,
                               plait_gf_groom *resampled, uint32_t *capped) {
    uint32_t *strands, i, unread, pass;
    size_t first, to_first;
    uint64_t total = 0;
    plait_result result;
    curve *c;
    capped = capped ? capped : &unread;
    *capped = 0;
    if (!resampled) return PLAIT_ERROR_INVALID_ARGUMENT;
    memset(resampled, 0, sizeof *resampled);
    if (!groom || !groom->vertex_counts || !groom->positions || !options ||
        (options->vertex_count > 0) == (options->edge_length > 0) || options->vertex_count == 1 ||
        options->vertex_count > PLAIT_MAX_STRAND_VERTICES || !(options->edge_length >= 0))
        return PLAIT_ERROR_INVALID_ARGUMENT;
    strands = gf_allocate(groom->strand_count, sizeof *strands);
    c = malloc(sizeof *c);
    result = strands && c ? PLAIT_OK : PLAIT_ERROR_OUT_OF_MEMORY;
    /* First how many vertices, then which. */
    for (pass = 0; pass < 2 && result == PLAIT_OK; pass++) {
        first = to_first = 0;
        for (i = 0; i < groom->strand_count && result == PLAIT_OK; i++) {
            make_curve(groom->positions + 3 * first, groom->vertex_counts[i], c);
            if (pass == 0) {
                strands[i] = count_for(options, c, capped);
                total += strands[i];
            } else {
                resample_strand(groom, i, first, c, resampled, to_first);
                to_first += resampled->vertex_counts[i];
            }
            first += groom->vertex_counts[i];
            if (options->progress && i % (groom->strand_count / 50 + 1) == 0)
                result = options->progress(options->user, (float)(0.5 * pass + 0.5 * i / groom->strand_count));
        }
        if (pass == 1 || result != PLAIT_OK) break;
        if (total > UINT32_MAX / 32) {
            result = PLAIT_ERROR_TOO_LARGE;
            break;
        }
        resampled->vertex_count = (uint32_t)total;
        resampled->vertex_counts = strands;
        strands = NULL;
        result = allocate_like(groom, resampled);
    }
    free(strands);
    free(c);
    if (result != PLAIT_OK) plait_gf_groom_free(resampled);
    return result;
}

static point subtract(point a, point b) {
    point d;
    d.x = a.x - b.x, d.y = a.y - b.y, d.z = a.z - b.z;
    return d;
}

static double distance(point a, point b) {
    point d = subtract(a, b);
    return sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
}

static point mix(point a, point b, double share) {
    a.x += share * (b.x - a.x), a.y += share * (b.y - a.y), a.z += share * (b.z - a.z);
    return a;
}

/* Beyond an end, a curve goes on as a circle does through the last three points: mirrored at the plane between the last two. */
static point beyond(point before, point last_but_one, point last) {
    point axis = subtract(last, last_but_one), middle = mix(last_but_one, last, 0.5), d = subtract(before, middle);
    double square = axis.x * axis.x + axis.y * axis.y + axis.z * axis.z;
    double along = square > 0 ? 2 * (d.x * axis.x + d.y * axis.y + d.z * axis.z) / square : 0;
    before.x -= along * axis.x, before.y -= along * axis.y, before.z -= along * axis.z;
    return before;
}

static void make_curve(const float *positions, uint32_t count, curve *c) {
    point *p = c->points + 1, last;
    uint32_t i, k;
    double length = 0;
    for (i = 0; i < count; i++) {
        p[i].x = (double)positions[3 * i];
        p[i].y = (double)positions[3 * i + 1];
        p[i].z = (double)positions[3 * i + 2];
    }
    c->segments = count - 1;
    p[-1] = count > 2 ? beyond(p[2], p[1], p[0]) : mix(p[0], p[1], -1);
    p[count] = count > 2 ? beyond(p[count - 3], p[count - 2], p[count - 1]) : mix(p[0], p[1], 2);
    last = p[0];
    c->lengths[0] = 0;
    for (i = 0; i < c->segments; i++)
        for (k = 1; k <= PIECES; k++) {
            point now = curve_at(c, i + (double)k / PIECES);
            length += distance(now, last);
            c->lengths[i * PIECES + k] = length;
            last = now;
        }
}

/* parameter: 0 at the root, the number of segments at the tip. Barry and Goldman's pyramid of the four points around it. */
static point curve_at(const curve *c, double parameter) {
    uint32_t i = parameter >= c->segments ? c->segments - 1 : (uint32_t)parameter;
    const point *p = c->points + i; /* the segment is p[1] to p[2] */
    double t[4] = {0, 0, 0, 0}, knots[3], longest = 0, u;
    point a, b, d, e, f;
    int k;
    for (k = 0; k < 3; k++) {
        knots[k] = sqrt(distance(p[k], p[k + 1]));
        longest = knots[k] > longest ? knots[k] : longest;
    }
    /* Points in one place must not share a knot; far shorter knots would be lost to rounding. */
    longest = longest > 0 ? longest : 1;
    for (k = 0; k < 3; k++) t[k + 1] = t[k] + (knots[k] > 1e-9 * longest ? knots[k] : 1e-9 * longest);
    u = t[1] + (parameter - i) * (t[2] - t[1]);
    a = mix(p[0], p[1], (u - t[0]) / (t[1] - t[0]));
    b = mix(p[1], p[2], (u - t[1]) / (t[2] - t[1]));
    d = mix(p[2], p[3], (u - t[2]) / (t[3] - t[2]));
    e = mix(a, b, (u - t[0]) / (t[2] - t[0]));
    f = mix(b, d, (u - t[1]) / (t[3] - t[1]));
    return mix(e, f, (u - t[1]) / (t[2] - t[1]));
}

/* Edges that a strand may be cut into: each is twice as long as what plait_groom_create takes for nothing there. */
static double most_edges(const curve *c) {
    double farthest = 0;
    uint32_t i;
    for (i = 0; i <= c->segments; i++) {
        const point *p = &c->points[i + 1];
        farthest = fmax(farthest, fabs(p->x) + fabs(p->y) + fabs(p->z));
    }
    return floor(fmin(c->lengths[c->segments * PIECES] / (2e-6 * farthest + 2e-30), PLAIT_MAX_STRAND_VERTICES - 1));
}

static uint32_t count_for(const plait_gf_resample_options *options, const curve *c, uint32_t *capped) {
    double most = most_edges(c), edges;
    if (options->vertex_count)
        edges = options->vertex_count - 1;
    else
        edges = floor(c->lengths[c->segments * PIECES] / (double)options->edge_length + 0.5);
    if (edges > most) {
        ++*capped;
        edges = most;
    }
    return edges < 1 ? 2 : (uint32_t)edges + 1;
}

/* Everything that belongs to strands, bones, groups and guides is the same. */
static plait_result allocate_like(const plait_gf_groom *groom, plait_gf_groom *to) {
    uint32_t vertex_count = to->vertex_count, *vertex_counts = to->vertex_counts;
    size_t a;
    *to = *groom;
    to->vertex_count = vertex_count;
    to->vertex_counts = vertex_counts;
    for (a = 1; a < GF_ARRAY_COUNT; a++) *gf_array_pointer(to, &GF_ARRAYS[a]) = NULL;
    to->root_bindings = NULL;
    to->groups = NULL;
    for (a = 1; a < GF_ARRAY_COUNT; a++) {
        const gf_array *array = &GF_ARRAYS[a];
        const void *from = gf_array_const(groom, array);
        uint64_t rows = gf_row_count(to, array->rows);
        size_t bytes = gf_row_bytes(to, array);
        void *copy;
        if (!from) continue;
        *gf_array_pointer(to, array) = copy = gf_allocate(rows, bytes);
        if (!copy) return PLAIT_ERROR_OUT_OF_MEMORY;
        if (array->rows != GF_PER_VERTEX) memcpy(copy, from, (size_t)rows * bytes);
    }
    if (groom->root_bindings) {
        to->root_bindings = gf_allocate(to->strand_count, sizeof *to->root_bindings);
        if (!to->root_bindings) return PLAIT_ERROR_OUT_OF_MEMORY;
        memcpy(to->root_bindings, groom->root_bindings, to->strand_count * sizeof *to->root_bindings);
    }
    if (groom->groups) {
        to->groups = gf_allocate(to->group_count, sizeof *to->groups);
        if (!to->groups) return PLAIT_ERROR_OUT_OF_MEMORY;
        memcpy(to->groups, groom->groups, to->group_count * sizeof *to->groups);
    }
    return PLAIT_OK;
}

static void resample_strand(const plait_gf_groom *groom, uint32_t strand, size_t first, const curve *c,
                            plait_gf_groom *to, size_t to_first) {
    uint32_t count = to->vertex_counts[strand], pieces = c->segments * PIECES, piece = 0, held = 0, v, k;
    double whole = c->lengths[pieces], held_parameter = groom->held_counts ? (double)groom->held_counts[strand] - 1 : 0;
    size_t a;
    for (v = 0; v < count; v++) {
        double wanted = whole * v / (count - 1), parameter, share;
        uint32_t segment;
        point at;
        float *p = to->positions + 3 * (to_first + v);
        while (piece + 1 < pieces && c->lengths[piece + 1] < wanted) piece++;
        share = c->lengths[piece + 1] - c->lengths[piece];
        share = share > 0 ? (wanted - c->lengths[piece]) / share : 0;
        parameter = (piece + (share > 1 ? 1 : share)) / PIECES;
        if (v + 1 == count) parameter = c->segments;
        segment = parameter >= c->segments ? c->segments - 1 : (uint32_t)parameter;
        share = parameter - segment;
        at = curve_at(c, parameter);
        p[0] = (float)at.x, p[1] = (float)at.y, p[2] = (float)at.z;
        if (v == 0 || v + 1 == count) /* ends stay to the bit */
            memcpy(p, groom->positions + 3 * (first + (v == 0 ? 0 : c->segments)), 3 * sizeof *p);
        held += parameter <= held_parameter + 1e-6;
        for (a = 2; a < GF_ARRAY_COUNT; a++) { /* numbers of vertices, all floats, but positions */
            const gf_array *array = &GF_ARRAYS[a];
            const float *from = gf_array_const(groom, array);
            float *numbers = *gf_array_pointer(to, array);
            if (array->rows != GF_PER_VERTEX || !from) continue;
            from += (first + segment) * array->columns;
            for (k = 0; k < array->columns; k++)
                numbers[(to_first + v) * array->columns + k] =
                    (float)((1 - share) * (double)from[k] + share * (double)from[array->columns + k]);
        }
    }
    if (to->held_counts) to->held_counts[strand] = held < 1 ? 1 : held;
}
