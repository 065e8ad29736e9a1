// Rest data of one strand: frames along it as drawn, then its masses and stiffnesses, then its strains.
#include "rest.h"

#include "dialect_double.h"
#include "physics/rod.h"
#include "physics/strand_shape.h"

#include <float.h>

#define MIN_RADIUS_M 1e-7
// Rows stay below this, so that single precision holds their squares.
#define ROW_MOST 1e15
// Of a vertex, against the mean: what keeps equations solvable where segments or radii differ by many decades.
#define MASS_LEAST 1e-6
#define PI 3.14159265358979323846

// Semi-axes of the section; the short one lies along the first director.
struct section {
    double along1, along2; // m
};

static real3 to_real3(double3 v) { return vec3(v.x, v.y, v.z); }
static double3 to_double3(real3 v) { return d3(v.x, v.y, v.z); }

static void set_tangents(uint32_t count, const float *positions, double unit, struct rod_work *work);
static void set_directors(uint32_t count, const float *positions, double unit, double3 side, double3 normal,
                          struct rod_work *work, struct rod_rest *rest);
static void set_masses(const struct rod_material *material, uint32_t count, const double *radii,
                       const struct rod_work *work, struct rod_rest *rest);
static void set_edges(const struct rod_material *material, uint32_t count, const double *radii,
                      const struct rod_work *work, struct rod_rest *rest);
static void set_joints(const struct rod_material *material, uint32_t count, const double *radii,
                       const struct rod_work *work, struct rod_rest *rest);

bool rod_rest(const struct rod_material *material, uint32_t count, uint32_t held, const float *positions, double unit,
              const double *radii, double3 side, double3 normal, struct rod_work *work, struct rod_rest *rest) {
    (void)held;
    memset(rest->rows, 0, count * sizeof rest->rows[0]);
    set_tangents(count, positions, unit, work);
    set_directors(count, positions, unit, side, normal, work, rest);
    set_masses(material, count, radii, work, rest);
    set_edges(material, count, radii, work, rest);
    set_joints(material, count, radii, work, rest);
    return true;
}

// ---- frames ----

static void set_tangents(uint32_t count, const float *positions, double unit, struct rod_work *work) {
    for (uint32_t v = 0; v + 1 < count; v++) {
        double3 edge = d3_sub(d3_load(positions + 3 * (v + 1)), d3_load(positions + 3 * v));
        double length = d3_length(edge);
        work->tangents[v] = d3_mul(edge, 1 / length);
        work->lengths[v] = length * unit;
    }
}

static rod_joint joint_at(const struct rod_work *work, uint32_t v) {
    real3 t = to_real3(work->tangents[v - 1]), m = to_real3(work->directors[v - 1]);
    real3 tn = to_real3(work->tangents[v]), mn = to_real3(work->directors[v]);
    return rod_bend(t, m, cross3(t, m), 1 / work->lengths[v - 1], tn, mn, cross3(tn, mn), 1 / work->lengths[v]);
}

static void carry_directors(uint32_t count, struct rod_work *work) {
    for (uint32_t v = 1; v + 1 < count; v++)
        work->directors[v] = to_double3(rod_transport(to_real3(work->directors[v - 1]), to_real3(work->tangents[v - 1]),
                                                      to_real3(work->tangents[v])));
}

static double joint_angle(const rod_joint *joint) { return hypot(joint->curvature1, joint->curvature2); }

// The first joint at which the strand curls: a tenth of its sharpest bend, and more than rounding of positions makes.
// 0: none does.
static uint32_t curling_joint(uint32_t count, const float *positions, double unit, const struct rod_work *work) {
    double sharpest = 0;
    for (uint32_t v = 1; v + 1 < count; v++) {
        rod_joint joint = joint_at(work, v);
        sharpest = fmax(sharpest, joint_angle(&joint));
    }
    for (uint32_t v = 1; v + 1 < count; v++) {
        const float *p = positions + 3 * v;
        double place = unit * (fabs((double)p[0]) + fabs((double)p[1]) + fabs((double)p[2]));
        double rounding = 2 * FLT_EPSILON * (1 + place / fmin(work->lengths[v - 1], work->lengths[v]));
        rod_joint joint = joint_at(work, v);
        if (joint_angle(&joint) >= fmax(0.1 * sharpest, rounding)) return v;
    }
    return 0;
}

// Directors go along the strand without twist, from one at the root that lies in the plane of the curl.
static void set_directors(uint32_t count, const float *positions, double unit, double3 side, double3 normal,
                          struct rod_work *work, struct rod_rest *rest) {
    strand_frame root;
    root.side = to_real3(side);
    root.tangent = to_real3(normal);
    real3 tangent = to_real3(work->tangents[0]), director = frame_next(root, tangent).side;
    work->directors[0] = to_double3(director);
    carry_directors(count, work);
    rest->root_cosine = 1;
    rest->root_sine = 0;
    uint32_t v = curling_joint(count, positions, unit, work);
    if (v == 0) return;
    rod_joint joint = joint_at(work, v);
    rest->root_cosine = joint.curvature1 / joint_angle(&joint);
    rest->root_sine = joint.curvature2 / joint_angle(&joint);
    work->directors[0] = to_double3(rod_turn(director, tangent, rest->root_sine, rest->root_cosine));
    carry_directors(count, work);
}

// ---- masses and stiffnesses ----

static double radius_at(const double *radii, uint32_t v) { return fmax(radii[v], MIN_RADIUS_M); }
static double edge_radius(const double *radii, uint32_t v) {
    return 0.5 * (radius_at(radii, v) + radius_at(radii, v + 1));
}

static struct section section(const struct rod_material *material, double radius) {
    double root = sqrt(1 - material->flatness);
    return (struct section){radius * root, radius / root};
}

static double limited(double row) { return fmin(row, ROW_MOST); }

static void set_masses(const struct rod_material *material, uint32_t count, const double *radii,
                       const struct rod_work *work, struct rod_rest *rest) {
    double sum = 0;
    for (uint32_t v = 0; v + 1 < count; v++) {
        double radius = edge_radius(radii, v), mass = material->density * PI * radius * radius * work->lengths[v];
        rest->rows[v][ROD_MASS] += 0.5 * mass;
        rest->rows[v + 1][ROD_MASS] += 0.5 * mass;
        sum += mass;
    }
    rest->mean_mass = sum / count;
    for (uint32_t v = 0; v < count; v++)
        rest->rows[v][ROD_MASS] = fmax(rest->rows[v][ROD_MASS] / rest->mean_mass, MASS_LEAST);
}

static void set_edges(const struct rod_material *material, uint32_t count, const double *radii,
                      const struct rod_work *work, struct rod_rest *rest) {
    for (uint32_t v = 0; v + 1 < count; v++) {
        double radius = edge_radius(radii, v), length = work->lengths[v];
        struct section s = section(material, radius);
        double area = PI * s.along1 * s.along2, squares = s.along1 * s.along1 + s.along2 * s.along2;
        rest->rows[v][ROD_LENGTH] = length;
        rest->rows[v][ROD_STRETCH] = limited(sqrt(material->stretch_modulus * area / length / rest->mean_mass));
        rest->rows[v][ROD_INERTIA] =
            limited(material->density * area * squares / 4 * length / (length * length * rest->mean_mass));
    }
}

// What of the strand bends at a joint: half of either edge (Bergou et al. 2008). A clamp at the root instead of the
// middle of the first edge makes that edge count in whole (Daviet 2023, sec. 5.1), and the last one with it.
static double joint_length(const struct rod_material *material, uint32_t count, const struct rod_work *work,
                           uint32_t v) {
    double before = 0.5 * work->lengths[v - 1], after = 0.5 * work->lengths[v];
    if (v == 1) before *= 1 + material->clamp_extension;
    if (v + 2 == count) after *= 1 + material->clamp_extension;
    return before + after;
}

static void set_joints(const struct rod_material *material, uint32_t count, const double *radii,
                       const struct rod_work *work, struct rod_rest *rest) {
    for (uint32_t v = 1; v + 1 < count; v++) {
        struct section s = section(material, radius_at(radii, v));
        double a = s.along1, b = s.along2;
        double over = 1 / (joint_length(material, count, work, v) * rest->mean_mass);
        double *row = rest->rows[v];
        row[ROD_BEND1] = limited(sqrt(material->bend_modulus * PI * a * a * a * b / 4 * over));
        row[ROD_BEND2] = limited(sqrt(material->bend_modulus * PI * a * b * b * b / 4 * over));
        row[ROD_TORSION] = limited(sqrt(material->twist_modulus * PI * a * a * a * b * b * b / (a * a + b * b) * over));
        rod_joint joint = joint_at(work, v);
        row[ROD_CURVATURE1] = joint.curvature1;
        row[ROD_CURVATURE2] = joint.curvature2;
    }
}
