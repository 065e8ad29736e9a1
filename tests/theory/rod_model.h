// A strand of rods as the tests see it: strains and energy by rotations and angles, not by the formulas of
// core/physics/rod.h, which are tested against them. Double precision.
#ifndef PLAIT_TESTS_ROD_MODEL_H
#define PLAIT_TESTS_ROD_MODEL_H

#include "dialect_double.h"
#include "layout.h"
#include "physics/rod.h"
#include "vector.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdio.h>

#define MODEL_VERTICES 128
#define MODEL_UNKNOWNS (4 * MODEL_VERTICES)
#define PI 3.14159265358979323846

// Frames were set for an earlier position of the strand (model_frames); since then positions and angles may have
// changed, and frames follow by time-parallel transport. The clamp is an edge before the first one that does not move.
struct model {
    uint32_t count;
    bool clamped; // there is a joint at vertex 0, between the clamp and the first edge
    double3 clamp_tangent, clamp_director;
    double unknowns[MODEL_UNKNOWNS]; // per vertex: position, then the angle of the edge to the next
    double3 tangents[MODEL_VERTICES], directors[MODEL_VERTICES]; // reference frames of edges
    double rows[MODEL_VERTICES][ROD_ROWS];
};

struct strains {
    double curvature1, curvature2, twist;
};

static inline double random_unit(uint64_t *state) { // -1 to 1
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

static inline double3 random_direction(uint64_t *state) {
    for (;;) {
        double3 v = d3(random_unit(state), random_unit(state), random_unit(state));
        double size = d3_length(v);
        if (size > 0.1 && size < 1) return d3_mul(v, 1 / size);
    }
}

static inline double3 rotated(double3 v, double3 axis, double cosine, double sine) {
    return d3_add(d3_add(d3_mul(v, cosine), d3_mul(d3_cross(axis, v), sine)),
                  d3_mul(axis, d3_dot(axis, v) * (1 - cosine)));
}

// By the smallest rotation that takes one tangent into the other.
static inline double3 carried(double3 v, double3 from, double3 to) {
    double3 axis = d3_cross(from, to);
    double sine = d3_length(axis);
    return sine < 1e-300 ? v : rotated(v, d3_mul(axis, 1 / sine), d3_dot(from, to), sine);
}

static inline double3 position(const struct model *m, uint32_t v) {
    return d3(m->unknowns[4 * v], m->unknowns[4 * v + 1], m->unknowns[4 * v + 2]);
}

static inline double3 edge(const struct model *m, uint32_t v) { return d3_sub(position(m, v + 1), position(m, v)); }

static inline double3 reference(const struct model *m, uint32_t v) {
    return carried(m->directors[v], m->tangents[v], d3_unit(edge(m, v)));
}

static inline double3 material(const struct model *m, uint32_t v) {
    double angle = m->unknowns[4 * v + 3];
    return rotated(reference(m, v), d3_unit(edge(m, v)), cos(angle), sin(angle));
}

// The present frames become the reference frames, without twist from the clamp on, which is given.
static inline void model_frames(struct model *m, double3 clamp_tangent, double3 clamp_director) {
    double3 tangent = m->clamp_tangent = clamp_tangent, director = m->clamp_director = clamp_director;
    for (uint32_t v = 0; v + 1 < m->count; v++) {
        m->tangents[v] = d3_unit(edge(m, v));
        m->directors[v] = carried(director, tangent, m->tangents[v]);
        tangent = m->tangents[v];
        director = m->directors[v];
    }
}

static inline uint32_t first_joint(const struct model *m) { return m->clamped ? 0 : 1; }

// What lies before a joint: an edge, or the clamp.
struct before {
    double3 edge, reference, material; // the clamp is one metre long
    double angle;
};

static inline struct before before_joint(const struct model *m, uint32_t v) {
    if (v == 0) return (struct before){m->clamp_tangent, m->clamp_director, m->clamp_director, 0};
    return (struct before){edge(m, v - 1), reference(m, v - 1), material(m, v - 1), m->unknowns[4 * v - 1]};
}

// Along the axis about which one tangent turns into the other, twice the sine of half the angle: the distance between
// their tips. Beyond 120 degrees more, see ROD_SHARP.
static inline double3 bend_between(double3 t, double3 tn) {
    double3 axis = d3_cross(t, tn);
    double sine = d3_length(axis), angle = atan2(sine, d3_dot(t, tn));
    double more = fmax(tan(angle / 2) * tan(angle / 2) - 3, 0) / 32;
    return sine < 1e-300 ? axis : d3_mul(axis, 2 * sin(angle / 2) * (1 + more * more) / sine);
}

// The reference twist is 0 where frames were set, and is near 0 as far as tests go.
static inline struct strains strains_at(const struct model *m, uint32_t v) {
    struct before before = before_joint(m, v);
    double3 t = d3_unit(before.edge), tn = d3_unit(edge(m, v));
    double3 m1 = before.material, m1n = material(m, v);
    double3 binormal = bend_between(t, tn);
    double3 across = carried(before.reference, t, tn), now = reference(m, v);
    double reference_twist = atan2(d3_dot(d3_cross(across, now), tn), d3_dot(across, now));
    return (struct strains){0.5 * d3_dot(binormal, d3_add(d3_cross(t, m1), d3_cross(tn, m1n))),
                            -0.5 * d3_dot(binormal, d3_add(m1, m1n)),
                            m->unknowns[4 * v + 3] - before.angle + reference_twist};
}

static inline double half_square(double root_stiffness, double strain) {
    return 0.5 * root_stiffness * root_stiffness * strain * strain;
}

static inline double joint_energy(const struct model *m, uint32_t v) {
    const double *row = m->rows[v];
    struct strains s = strains_at(m, v);
    return half_square(row[ROD_BEND1], s.curvature1 - row[ROD_CURVATURE1]) +
           half_square(row[ROD_BEND2], s.curvature2 - row[ROD_CURVATURE2]) +
           half_square(row[ROD_TORSION], s.twist - row[ROD_TWIST]);
}

static inline double edge_energy(const struct model *m, uint32_t v) {
    return half_square(m->rows[v][ROD_STRETCH], d3_length(edge(m, v)) - m->rows[v][ROD_LENGTH]);
}

// Of edges and joints up to two vertices away: all that an unknown of vertex v has to do with.
static inline double energy_near(const struct model *m, uint32_t v) {
    double sum = 0;
    for (uint32_t i = v < 2 ? 0 : v - 2; i <= v + 2 && i + 1 < m->count; i++) {
        sum += edge_energy(m, i);
        if (i >= first_joint(m)) sum += joint_energy(m, i);
    }
    return sum;
}

static inline double energy(const struct model *m) {
    double sum = 0;
    for (uint32_t v = 0; v + 1 < m->count; v++) {
        sum += edge_energy(m, v);
        if (v >= first_joint(m)) sum += joint_energy(m, v);
    }
    return sum;
}

// Central difference of fourth order from values at -2, -1, 1 and 2 steps.
static inline double central(const double values[4], double step) {
    return (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * step);
}

static inline double energy_derivative(struct model *m, uint32_t unknown, double step) {
    const double at[4] = {-2, -1, 1, 2};
    double values[4], here = m->unknowns[unknown];
    for (int i = 0; i < 4; i++) {
        m->unknowns[unknown] = here + at[i] * step;
        values[i] = energy_near(m, unknown / 4);
    }
    m->unknowns[unknown] = here;
    return central(values, step);
}

// The joint by core/physics/rod.h.
static inline real3 to_real3(double3 v) { return vec3(v.x, v.y, v.z); }

static inline rod_joint joint_of(double3 e, double3 m1, double3 en, double3 m1n) {
    double3 t = d3_unit(e), tn = d3_unit(en);
    return rod_bend(to_real3(t), to_real3(m1), to_real3(d3_cross(t, m1)), 1 / d3_length(e), to_real3(tn), to_real3(m1n),
                    to_real3(d3_cross(tn, m1n)), 1 / d3_length(en));
}

static inline rod_joint joint_at(const struct model *m, uint32_t v) {
    struct before before = before_joint(m, v);
    return joint_of(before.edge, before.material, edge(m, v), material(m, v));
}

// A strain's derivatives, times a factor, added to those by unknowns. The clamp has none.
static inline void scatter(const rod_gradient *g, double factor, uint32_t v, double *out) {
    const double before[3] = {g->edge.x, g->edge.y, g->edge.z}, after[3] = {g->edge_n.x, g->edge_n.y, g->edge_n.z};
    for (int c = 0; c < 3; c++) {
        if (v > 0) out[4 * v - 4 + c] -= factor * before[c];
        if (v > 0) out[4 * v + c] += factor * before[c];
        out[4 * v + c] -= factor * after[c];
        out[4 * v + 4 + c] += factor * after[c];
    }
    if (v > 0) out[4 * v - 1] += factor * g->angle;
    out[4 * v + 3] += factor * g->angle_n;
}

static inline void scatter_length(const struct model *m, double factor, uint32_t v, double *out) {
    double3 t = d3_unit(edge(m, v));
    const double tangent[3] = {t.x, t.y, t.z};
    for (int c = 0; c < 3; c++) {
        out[4 * v + c] -= factor * tangent[c];
        out[4 * v + 4 + c] += factor * tangent[c];
    }
}

// Derivatives of the energy as a solver assembles them.
static inline void gradient(const struct model *m, double *out) {
    for (uint32_t i = 0; i < 4 * m->count; i++) out[i] = 0;
    for (uint32_t v = 0; v + 1 < m->count; v++) {
        const double *row = m->rows[v];
        double stretch = row[ROD_STRETCH] * row[ROD_STRETCH] * (d3_length(edge(m, v)) - row[ROD_LENGTH]);
        scatter_length(m, stretch, v, out);
        if (v < first_joint(m)) continue;
        rod_joint joint = joint_at(m, v);
        double twist = strains_at(m, v).twist;
        scatter(&joint.d1, row[ROD_BEND1] * row[ROD_BEND1] * (joint.curvature1 - row[ROD_CURVATURE1]), v, out);
        scatter(&joint.d2, row[ROD_BEND2] * row[ROD_BEND2] * (joint.curvature2 - row[ROD_CURVATURE2]), v, out);
        scatter(&joint.twist, row[ROD_TORSION] * row[ROD_TORSION] * (twist - row[ROD_TWIST]), v, out);
    }
}

#endif
