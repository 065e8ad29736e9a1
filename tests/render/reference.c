#include "reference.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 8 };

typedef struct vec {
    double c[3];
} vec;
typedef struct mat {
    double m[3][3];
} mat;

static vec v_of(const float *p) { return (vec){{p[0], p[1], p[2]}}; }
static vec v_add(vec a, vec b) { return (vec){{a.c[0] + b.c[0], a.c[1] + b.c[1], a.c[2] + b.c[2]}}; }
static vec v_sub(vec a, vec b) { return (vec){{a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2]}}; }
static vec v_mul(vec a, double s) { return (vec){{a.c[0] * s, a.c[1] * s, a.c[2] * s}}; }
static double v_dot(vec a, vec b) { return a.c[0] * b.c[0] + a.c[1] * b.c[1] + a.c[2] * b.c[2]; }
static vec v_cross(vec a, vec b) {
    return (vec){
        {a.c[1] * b.c[2] - a.c[2] * b.c[1], a.c[2] * b.c[0] - a.c[0] * b.c[2], a.c[0] * b.c[1] - a.c[1] * b.c[0]}};
}
static vec v_unit(vec a) { return v_mul(a, 1 / sqrt(v_dot(a, a))); }
static vec v_mix(vec a, vec b, double t) { return v_add(v_mul(a, 1 - t), v_mul(b, t)); }
static vec m_apply(mat m, vec v) {
    vec r;
    for (int i = 0; i < 3; i++) r.c[i] = m.m[i][0] * v.c[0] + m.m[i][1] * v.c[1] + m.m[i][2] * v.c[2];
    return r;
}
static mat m_times(mat a, mat b) {
    mat r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return r;
}
// The shortest rotation from one unit vector to another (Rodrigues).
static mat shortest(vec a, vec b) {
    vec w = v_cross(a, b);
    double c = v_dot(a, b), k = 1 / (1 + c);
    mat r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r.m[i][j] = k * w.c[i] * w.c[j] + (i == j ? c : 0);
    r.m[0][1] -= w.c[2], r.m[0][2] += w.c[1];
    r.m[1][0] += w.c[2], r.m[1][2] -= w.c[0];
    r.m[2][0] -= w.c[1], r.m[2][1] += w.c[0];
    return r;
}

// The rotation between two, `t` of the way: columns x and y are mixed and made orthogonal again, x first.
static mat m_between(mat a, mat b, double t) {
    vec x, y;
    for (int i = 0; i < 3; i++) {
        x.c[i] = (1 - t) * a.m[i][0] + t * b.m[i][0];
        y.c[i] = (1 - t) * a.m[i][1] + t * b.m[i][1];
    }
    x = v_unit(x);
    y = v_unit(v_sub(y, v_mul(x, v_dot(x, y))));
    vec z = v_cross(x, y);
    mat r;
    for (int i = 0; i < 3; i++) r.m[i][0] = x.c[i], r.m[i][1] = y.c[i], r.m[i][2] = z.c[i];
    return r;
}

static uint32_t first_of(const plait_groom_desc *g, uint32_t strand) {
    uint32_t first = 0;
    for (uint32_t s = 0; s < strand; s++) first += g->vertex_counts[s];
    return first;
}

// A point at a share of a strand's length: a vertex and the share of the way to the next.
static double place_at(const float *p, uint32_t count, double share) {
    double length = 0, passed = 0;
    for (uint32_t v = 1; v < count; v++) {
        vec d = v_sub(v_of(p + 3 * v), v_of(p + 3 * v - 3));
        length += sqrt(v_dot(d, d));
    }
    for (uint32_t v = 1; v < count; v++) {
        vec d = v_sub(v_of(p + 3 * v), v_of(p + 3 * v - 3));
        double size = sqrt(v_dot(d, d));
        if (passed + size >= share * length || v + 1 == count) return v - 1 + fmin((share * length - passed) / size, 1);
        passed += size;
    }
    return 0;
}

// The share of the length up to such a place.
static double share_to(const float *p, uint32_t count, double place) {
    double length = 0, passed = 0;
    for (uint32_t v = 1; v < count; v++) {
        vec d = v_sub(v_of(p + 3 * v), v_of(p + 3 * v - 3));
        length += sqrt(v_dot(d, d));
        passed += sqrt(v_dot(d, d)) * fmin(fmax(place - (v - 1.0), 0), 1);
    }
    return passed / length;
}

static vec point_at(const float *p, uint32_t count, double place) {
    uint32_t k = (uint32_t)place < count - 2 ? (uint32_t)place : count - 2;
    return v_mix(v_of(p + 3 * k), v_of(p + 3 * k + 3), place - k);
}

struct look {
    vec root, points[POINTS], direction;
    double length;
};

static struct look look_at(const float *p, uint32_t count) {
    struct look look = {.root = v_of(p), .length = 0};
    for (uint32_t v = 1; v < count; v++) {
        vec d = v_sub(v_of(p + 3 * v), v_of(p + 3 * v - 3));
        look.length += sqrt(v_dot(d, d));
    }
    for (int i = 0; i < POINTS; i++)
        look.points[i] = v_sub(point_at(p, count, place_at(p, count, (i + 1.0) / POINTS)), look.root);
    look.direction = v_unit(v_sub(point_at(p, count, place_at(p, count, 1.0 / 3)), look.root));
    return look;
}

static double difference(const struct reference *r, const struct look *a, const struct look *b) {
    vec off = v_sub(a->root, b->root);
    double shape = 0, length = a->length - b->length;
    for (int i = 0; i < POINTS; i++) {
        vec d = v_sub(a->points[i], b->points[i]);
        shape += v_dot(d, d) / POINTS;
    }
    return sqrt(v_dot(off, off) + r->shape_weight * r->shape_weight * shape +
                r->length_weight * r->length_weight * length * length);
}

// Rotations of all vertices of a guide since the bind pose.
static void guide_turns(const struct reference *r, uint32_t guide, uint32_t first, mat *turns) {
    uint32_t count = r->guides->vertex_counts[guide];
    const float *rest = r->guides->positions + 3 * (size_t)first;
    const float(*now)[3] = r->guide_positions + first;
    mat root;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) root.m[i][j] = r->head[4 * i + j];
    uint32_t reach = count >= 16 ? count / 8 : 1;
    turns[0] = root;
    for (uint32_t v = 1; v < count; v++) {
        uint32_t a = v > reach ? v - reach : 0, b = v + reach < count ? v + reach : count - 1;
        vec d_rest = v_unit(v_sub(v_of(rest + 3 * b), v_of(rest + 3 * a)));
        vec d_now = v_unit(v_sub(v_of(now[b]), v_of(now[a])));
        // By the shortest way from how it was drawn; where that is far, from the vertex before.
        vec by_root = m_apply(root, d_rest), by_last = m_apply(turns[v - 1], d_rest);
        double share = fmin(fmax((v_dot(by_root, d_now) + 0.9) / 0.5, 0), 1);
        turns[v] =
            m_between(m_times(shortest(by_last, d_now), turns[v - 1]), m_times(shortest(by_root, d_now), root), share);
    }
}

// Segments are not longer than 1.04 of what they were drawn as; what is behind goes with them. drawn: of the strand, p: carried.
static void keep_lengths(const vec *drawn, uint32_t count, vec *p) {
    vec before = p[0];
    for (uint32_t v = 1; v < count; v++) {
        vec along = v_sub(p[v], before), was = v_sub(drawn[v], drawn[v - 1]);
        double size = sqrt(v_dot(along, along)), most = 1.04 * sqrt(v_dot(was, was));
        before = p[v];
        p[v] = v_add(p[v - 1], v_mul(along, size > most ? most / size : 1));
    }
}

double *reference_positions(const struct reference *r) {
    uint32_t guides = r->guides->strand_count, strands = r->render->strand_count, total = first_of(r->render, strands);
    double *out = calloc((size_t)total, 3 * sizeof *out);
    struct look *looks = calloc(guides, sizeof *looks);
    uint32_t *firsts = calloc(guides, sizeof *firsts), at = 0;
    mat *turns = calloc(first_of(r->guides, guides), sizeof *turns);
    for (uint32_t g = 0; g < guides; g++) {
        firsts[g] = g ? firsts[g - 1] + r->guides->vertex_counts[g - 1] : 0;
        looks[g] = look_at(r->guides->positions + 3 * (size_t)firsts[g], r->guides->vertex_counts[g]);
        guide_turns(r, g, firsts[g], turns + firsts[g]);
    }
    for (uint32_t s = 0; s < strands; s++) {
        const float *rest = r->render->positions + 3 * (size_t)at;
        uint32_t count = r->render->vertex_counts[s], chosen[4] = {0}, found = 0;
        struct look look = look_at(rest, count);
        double d[5] = {0}, reach = 0;
        // One after the other: the least different of those that are not taken and on the right side.
        bool *out_of_it = calloc(guides, sizeof *out_of_it);
        for (int pass = 0; pass < 2 && found == 0; pass++) // at first on the strand's own side of a parting
            while (found <= r->guide_count) {
                uint32_t best = guides;
                double least = INFINITY;
                for (uint32_t g = 0; g < guides; g++) {
                    bool parted = !found && v_dot(looks[g].direction, look.direction) < cos(r->parting_angle);
                    for (uint32_t i = 0; i < found; i++)
                        parted =
                            parted || v_dot(looks[g].direction, looks[chosen[i]].direction) < cos(r->parting_angle);
                    double apart = difference(r, &look, &looks[g]);
                    if (!out_of_it[g] && !(parted && (found || pass == 0)) && apart < least) {
                        least = apart;
                        best = g;
                    }
                }
                if (best == guides) break;
                out_of_it[best] = true;
                if (found == r->guide_count) {
                    reach = least;
                    break;
                }
                d[found] = least;
                chosen[found++] = best;
            }
        free(out_of_it);
        double weights[4] = {0}, sum = 0;
        for (uint32_t i = 0; i < found; i++) reach = fmax(reach, 1.0001 * d[i]);
        for (uint32_t i = 0; i < found; i++) sum += weights[i] = pow(1 / (d[i] + 1e-6 * reach) - 1 / reach, 2);
        vec *drawn = calloc(count, sizeof *drawn), *carried = calloc(count, sizeof *carried);
        for (uint32_t v = 0; v < count; v++) {
            drawn[v] = v_of(rest + 3 * v);
            if (r->styled) memcpy(drawn[v].c, r->styled + 3 * (size_t)(at + v), sizeof drawn[v].c);
            double along = (double)v / (count - 1), single = r->single_root + (r->single_tip - r->single_root) * along;
            vec x = {{0, 0, 0}};
            for (uint32_t i = 0; i < found; i++) {
                uint32_t g = chosen[i], n = r->guides->vertex_counts[g];
                const float *guide_rest = r->guides->positions + 3 * (size_t)firsts[g];
                double place = along * (n - 1);
                // As much of the guide as the strand is long, to the next power of the root of 2.
                double level = round(2 * log2(look.length / looks[g].length));
                if (fabs(level) > 0.5)
                    place = place_at(guide_rest, n, fmin(share_to(guide_rest, n, place) * pow(2, level / 2), 1));
                uint32_t k = (uint32_t)place < n - 2 ? (uint32_t)place : n - 2;
                mat turn = m_between(turns[firsts[g] + k], turns[firsts[g] + k + 1], place - k);
                vec now = point_at(r->guide_positions[firsts[g]], n, place);
                vec apart = v_sub(v_of(rest), v_of(guide_rest)); // of roots: turns with the scalp
                vec off = v_sub(v_sub(drawn[v], point_at(guide_rest, n, place)), apart);
                double weight = weights[i] / sum * (1 - single) + (i == 0 ? single : 0);
                x = v_add(x, v_mul(v_add(v_add(now, m_apply(turn, off)), m_apply(turns[firsts[g]], apart)), weight));
            }
            carried[v] = x;
        }
        keep_lengths(drawn, count, carried);
        memcpy(out + 3 * (size_t)at, carried, count * sizeof *carried);
        free(drawn);
        free(carried);
        at += count;
    }
    free(looks);
    free(firsts);
    free(turns);
    return out;
}

// ---- styles ----

static double rise(double x) {
    x = fmin(fmax(x, 0), 1);
    return x * x * (3 - 2 * x);
}

static uint32_t scrambled(uint32_t h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

// Random numbers of strands: this is the one thing that cannot be had in another way.
static double chance(uint32_t strand, uint32_t seed, uint32_t which) {
    return (scrambled((strand * 16 + which) ^ scrambled(seed + 0x9e3779b9u)) >> 8) / 16777216.0;
}

// A strand at a place between its vertices: where that is, two directions across it, and how long it is up to there.
struct spot {
    vec place, side, up;
    double along;
};

static struct spot spot_at(const float *p, uint32_t count, double at) {
    vec tangent = v_unit(v_sub(v_of(p + 3), v_of(p)));
    vec axis = fabs(tangent.c[0]) < 0.6 ? (vec){{1, 0, 0}} : (vec){{0, 1, 0}};
    vec side = v_unit(v_sub(axis, v_mul(tangent, v_dot(axis, tangent))));
    struct spot last = {v_of(p), side, v_cross(tangent, side), 0}, next = last;
    for (uint32_t v = 1; v < count && v < at + 1; v++) {
        last = next;
        vec ahead = v_of(p + 3 * (v + 1 < count ? v + 1 : v)), step = v_sub(v_of(p + 3 * v), v_of(p + 3 * v - 3));
        vec direction = v_unit(v_sub(ahead, v_of(p + 3 * v - 3)));
        next.side = m_apply(shortest(tangent, direction), last.side);
        next.up = v_cross(direction, next.side);
        next.along = last.along + sqrt(v_dot(step, step));
        next.place = v_of(p + 3 * v);
        tangent = direction;
    }
    double share = at > 0 ? at - (ceil(at) - 1) : 0;
    return (struct spot){v_mix(last.place, next.place, share), v_mix(last.side, next.side, share),
                         v_mix(last.up, next.up, share), last.along + (next.along - last.along) * share};
}

static bool go_together(const struct look *a, const struct look *b, double size) {
    double shape = 0;
    for (int i = 0; i < POINTS; i++) {
        vec d = v_sub(a->points[i], b->points[i]);
        shape += v_dot(d, d) / POINTS;
    }
    return v_dot(a->direction, b->direction) >= cos(0.8) && sqrt(shape) <= 2 * size;
}

static double apart(const struct look *a, const struct look *b) {
    vec off = v_sub(a->root, b->root);
    return sqrt(v_dot(off, off));
}

// Strands in the middle of clumps: the first of those that would be nearer to each other than the size.
static void find_middles(const plait_groom_desc *g, const plait_render_style *styles, uint32_t *middles) {
    struct look *looks = calloc(g->strand_count, sizeof *looks);
    bool *is_middle = calloc(g->strand_count, sizeof *is_middle);
    for (uint32_t s = 0, at = 0; s < g->strand_count; at += g->vertex_counts[s++])
        looks[s] = look_at(g->positions + 3 * (size_t)at, g->vertex_counts[s]);
#define GROUP(s) (g->group_indices ? g->group_indices[s] : 0u)
#define SIZE(s) (double)styles[GROUP(s)].clump_size
    for (uint32_t s = 0; s < g->strand_count; s++) {
        is_middle[s] = styles[GROUP(s)].clump_size > 0;
        for (uint32_t m = 0; m < s && is_middle[s]; m++)
            if (is_middle[m] && GROUP(m) == GROUP(s) && go_together(&looks[m], &looks[s], SIZE(s)))
                is_middle[s] = apart(&looks[m], &looks[s]) >= SIZE(s);
    }
    for (uint32_t s = 0; s < g->strand_count; s++) {
        middles[s] = s;
        double least = is_middle[s] ? 0 : INFINITY;
        for (uint32_t m = 0; m < g->strand_count; m++)
            if (is_middle[m] && GROUP(m) == GROUP(s) && go_together(&looks[m], &looks[s], SIZE(s)) &&
                apart(&looks[m], &looks[s]) < least) {
                least = apart(&looks[m], &looks[s]);
                middles[s] = m;
            }
    }
    free(looks);
    free(is_middle);
}

struct styled reference_styled(const plait_groom_desc *g, const plait_render_style *styles) {
    const uint32_t total = first_of(g, g->strand_count);
    struct styled out = {calloc(total, 3 * sizeof(double)), calloc(total, sizeof(double))};
    uint32_t *middles = calloc(g->strand_count, sizeof *middles);
    const double turn = 2 * acos(-1);
    find_middles(g, styles, middles);
    for (uint32_t s = 0, at = 0; s < g->strand_count; at += g->vertex_counts[s++])
        for (uint32_t v = 0; v < g->vertex_counts[s]; v++) {
            const plait_render_style *style = &styles[GROUP(s)];
            const uint32_t n = g->vertex_counts[s], m = middles[s];
            const float *p = g->positions + 3 * (size_t)at, *q = g->positions + 3 * (size_t)first_of(g, m);
            const double share = (double)v / (n - 1);
            struct spot own = spot_at(p, n, v), root = spot_at(p, n, 0);
            struct spot middle = m == s ? own : spot_at(q, g->vertex_counts[m], share * (g->vertex_counts[m] - 1));
            double begin = (double)style->clump_begin;
            vec x = v_mix(own.place, middle.place, (double)style->clump * rise((share - begin) / (1 - begin)));
            double angle = turn * chance(s, style->seed, 0);
            double size = (double)style->scatter * sqrt(chance(s, style->seed, 1)) * share;
            x = v_add(x, v_add(v_mul(root.side, size * cos(angle)), v_mul(root.up, size * sin(angle))));
            if (style->curl_pitch > 0) {
                double turns = middle.along / (double)style->curl_pitch;
                angle = turn * (turns + chance(m, style->seed, 2));
                size = (double)style->curl_radius * rise(turns);
                x = v_add(x, v_add(v_mul(middle.side, size * cos(angle)), v_mul(middle.up, size * sin(angle))));
            }
            for (uint32_t w = 0; w < 3 && style->frizz_length > 0; w++) {
                double waves = own.along / (double)style->frizz_length;
                angle = turn * (waves * (0.5 + 0.5 * chance(s, style->seed, 3 + w)) + chance(s, style->seed, 6 + w));
                size = (double)style->frizz * rise(waves) / 3;
                x = v_add(
                    x, v_add(v_mul(own.side, size * sin(angle)), v_mul(own.up, (w == 1 ? -1 : 1) * size * cos(angle))));
            }
            memcpy(out.positions + 3 * (size_t)(at + v), x.c, sizeof x.c);
            out.widths[at + v] = (double)style->width_root + ((double)style->width_tip - (double)style->width_root) *
                                                                 fmin(share / (double)style->length, 1);
        }
    free(middles);
    return out;
}
