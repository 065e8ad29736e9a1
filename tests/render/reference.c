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
        for (uint32_t v = 0; v < count; v++) {
            double along = (double)v / (count - 1), single = r->single_root + (r->single_tip - r->single_root) * along;
            vec x = {{0, 0, 0}};
            for (uint32_t i = 0; i < found; i++) {
                uint32_t g = chosen[i], n = r->guides->vertex_counts[g];
                const float *guide_rest = r->guides->positions + 3 * (size_t)firsts[g];
                double place = along * (n - 1);
                uint32_t k = (uint32_t)place < n - 2 ? (uint32_t)place : n - 2;
                mat turn = m_between(turns[firsts[g] + k], turns[firsts[g] + k + 1], place - k);
                vec now = point_at(r->guide_positions[firsts[g]], n, place);
                vec off = v_sub(v_of(rest + 3 * v), point_at(guide_rest, n, place));
                double weight = weights[i] / sum * (1 - single) + (i == 0 ? single : 0);
                x = v_add(x, v_mul(v_add(now, m_apply(turn, off)), weight));
            }
            memcpy(out + 3 * (size_t)(at + v), x.c, sizeof x.c);
        }
        at += count;
    }
    free(looks);
    free(firsts);
    free(turns);
    return out;
}
