// Rest data of one strand: frames along it as drawn, masses and stiffnesses, rest strains, and what gravity adds to
// these.
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
// What gravity may make of a rest shape: curvature of a right angle at a joint, or where sharper ones are drawn a
// quarter more than that; twist of one radian; edges longer or shorter by a tenth.
#define CURVATURE_MOST 2.0
#define CURVATURE_MORE 1.25
#define TWIST_MOST 1.0
#define STRETCH_MOST 0.1
#define GRAVITY_LEAST 1e-12 // m/s^2; less is none
#define PI 3.14159265358979323846

// Semi-axes of the section; the short one lies along the first director.
struct section {
    double along1, along2; // m
};

// Stresses of an edge and of the joint at which it begins, over the mean mass: derivatives of the energy with respect
// to length, curvatures and twist.
struct stress {
    double stretch;               // m/s^2
    double bend1, bend2, torsion; // m^2/s^2
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
static bool balance(double3 gravity, uint32_t count, uint32_t held, const struct rod_work *work, struct rod_rest *rest);

bool rod_rest(const struct rod_material *material, uint32_t count, uint32_t held, const float *positions, double unit,
              const double *radii, double3 side, double3 normal, struct rod_work *work, struct rod_rest *rest) {
    memset(rest->rows, 0, count * sizeof rest->rows[0]);
    set_tangents(count, positions, unit, work);
    set_directors(count, positions, unit, side, normal, work, rest);
    set_masses(material, count, radii, work, rest);
    set_edges(material, count, radii, work, rest);
    set_joints(material, count, radii, work, rest);
    return balance(material->gravity, count, held, work, rest);
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

// The square root of the most stiffness that rod_build will give an edge.
static double stiffest(const struct rod_material *material, uint32_t count, const struct rod_rest *rest) {
    double lightest = INFINITY;
    for (uint32_t v = 0; v < count; v++) lightest = fmin(lightest, rest->rows[v][ROD_MASS]);
    return material->step_weight > 0 ? ROD_STIFFEST * sqrt(lightest) / material->step_weight : ROW_MOST;
}

static void set_edges(const struct rod_material *material, uint32_t count, const double *radii,
                      const struct rod_work *work, struct rod_rest *rest) {
    double most = fmin(stiffest(material, count, rest), ROW_MOST);
    for (uint32_t v = 0; v + 1 < count; v++) {
        double radius = edge_radius(radii, v), length = work->lengths[v];
        struct section s = section(material, radius);
        double area = PI * s.along1 * s.along2, squares = s.along1 * s.along1 + s.along2 * s.along2;
        rest->rows[v][ROD_LENGTH] = length;
        rest->rows[v][ROD_STRETCH] = fmin(sqrt(material->stretch_modulus * area / length / rest->mean_mass), most);
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

// By how much a joint's strains change with a vertex's way at most, as rod_build has it.
static double rod_steepness(const rod_joint *joint, double length, double length_n) {
    double steep = fmax(1 / length, 1 / length_n);
    steep = fmax(steep, sqrt(fmax(dot3(joint->d1.edge, joint->d1.edge), dot3(joint->d1.edge_n, joint->d1.edge_n))));
    steep = fmax(steep, sqrt(fmax(dot3(joint->d2.edge, joint->d2.edge), dot3(joint->d2.edge_n, joint->d2.edge_n))));
    return 2 * steep;
}

static void set_joints(const struct rod_material *material, uint32_t count, const double *radii,
                       const struct rod_work *work, struct rod_rest *rest) {
    double most = stiffest(material, count, rest);
    for (uint32_t v = 1; v + 1 < count; v++) {
        struct section s = section(material, radius_at(radii, v));
        double a = s.along1, b = s.along2;
        double over = 1 / (joint_length(material, count, work, v) * rest->mean_mass);
        double *row = rest->rows[v];
        rod_joint joint = joint_at(work, v);
        double limit = fmin(most / rod_steepness(&joint, work->lengths[v - 1], work->lengths[v]), ROW_MOST);
        row[ROD_BEND1] = fmin(sqrt(material->bend_modulus * PI * a * a * a * b / 4 * over), limit);
        row[ROD_BEND2] = fmin(sqrt(material->bend_modulus * PI * a * b * b * b / 4 * over), limit);
        row[ROD_TORSION] =
            fmin(sqrt(material->twist_modulus * PI * a * a * a * b * b * b / (a * a + b * b) * over), limit);
        row[ROD_CURVATURE1] = joint.curvature1;
        row[ROD_CURVATURE2] = joint.curvature2;
    }
}

// ---- gravity ----

// Solves a x = b, given as rows of a with b behind. Full pivoting; an unknown that nothing determines is 0. False:
// there was one.
static bool solve4(double a[4][5], double x[4]) {
    int order[4] = {0, 1, 2, 3}, rank = 0;
    double first = 0;
    for (; rank < 4; rank++) {
        int row = rank, column = rank;
        for (int i = rank; i < 4; i++)
            for (int j = rank; j < 4; j++)
                if (fabs(a[i][j]) > fabs(a[row][column])) row = i, column = j;
        if (rank == 0) first = fabs(a[row][column]);
        if (!(fabs(a[row][column]) > 1e-9 * first)) break;
        for (int j = 0; j < 5; j++) {
            double swap = a[rank][j];
            a[rank][j] = a[row][j];
            a[row][j] = swap;
        }
        for (int i = 0; i < 4; i++) {
            double swap = a[i][rank];
            a[i][rank] = a[i][column];
            a[i][column] = swap;
        }
        int swap = order[rank];
        order[rank] = order[column];
        order[column] = swap;
        for (int i = rank + 1; i < 4; i++) {
            double factor = a[i][rank] / a[rank][rank];
            for (int j = rank; j < 5; j++) a[i][j] -= factor * a[rank][j];
        }
    }
    for (int i = 0; i < 4; i++) x[i] = 0;
    for (int i = rank; i-- > 0;) {
        double sum = a[i][4];
        for (int j = i + 1; j < rank; j++) sum -= a[i][j] * x[order[j]];
        x[order[i]] = sum / a[i][i];
    }
    return rank == 4;
}

static real3 on_edge_before(const rod_joint *joint, const struct stress *s) {
    return add3(add3(mul3(joint->d1.edge, s->bend1), mul3(joint->d2.edge, s->bend2)),
                mul3(joint->twist.edge, s->torsion));
}

static double on_angle_before(const rod_joint *joint, const struct stress *s) {
    return joint->d1.angle * s->bend1 + joint->d2.angle * s->bend2 + joint->twist.angle * s->torsion;
}

// Stresses with which an edge, and the joint at which it begins, bear what is asked of that edge: its derivative of the
// energy, and that of its angle. Lengths are taken in units of the edge's.
static bool solve_stress(const rod_joint *joint, double3 tangent, double length, real3 force, double torque,
                         struct stress *stress) {
    real3 d1 = joint->d1.edge_n, d2 = joint->d2.edge_n, twist = joint->twist.edge_n;
    double a[4][5] = {
        {tangent.x, d1.x * length, d2.x * length, twist.x * length, force.x * length},
        {tangent.y, d1.y * length, d2.y * length, twist.y * length, force.y * length},
        {tangent.z, d1.z * length, d2.z * length, twist.z * length, force.z * length},
        {0, joint->d1.angle_n, joint->d2.angle_n, joint->twist.angle_n, torque},
    };
    double x[4];
    bool whole = solve4(a, x);
    *stress = (struct stress){x[0] / length, x[1], x[2], x[3]};
    return whole;
}

// How far a rest value must be from the drawn one. Of a stiffness of zero, `least` makes a strain beyond all limits, or
// a small one if the stress is nothing but rounding.
static double strain(double stress, double root_stiffness, double least) {
    return stress / fmax(root_stiffness * root_stiffness, least);
}

// Moves rest values away from the drawn ones, up to their limits. False: they were reached.
static bool set_strains(double *row, const struct stress *stress, double least_stretch, double least_bend) {
    bool whole = true;
    double length = row[ROD_LENGTH], longer = strain(stress->stretch, row[ROD_STRETCH], least_stretch);
    double twist = strain(stress->torsion, row[ROD_TORSION], least_bend);
    double bend1 = strain(stress->bend1, row[ROD_BEND1], least_bend);
    double bend2 = strain(stress->bend2, row[ROD_BEND2], least_bend);
    if (fabs(longer) > STRETCH_MOST * length) {
        longer = copysign(STRETCH_MOST * length, longer);
        whole = false;
    }
    if (fabs(twist) > TWIST_MOST) {
        twist = copysign(TWIST_MOST, twist);
        whole = false;
    }
    double k1 = row[ROD_CURVATURE1], k2 = row[ROD_CURVATURE2], drawn = hypot(k1, k2);
    double most = fmax(CURVATURE_MOST, CURVATURE_MORE * drawn);
    if (hypot(k1 - bend1, k2 - bend2) > most) { // as far as the circle, so that the moment keeps its direction
        double size = hypot(bend1, bend2), across = (k1 * bend1 + k2 * bend2) / size;
        double part = (across + sqrt(across * across + most * most - drawn * drawn)) / size;
        bend1 *= part;
        bend2 *= part;
        whole = false;
    }
    row[ROD_LENGTH] -= longer;
    row[ROD_TWIST] -= twist;
    row[ROD_CURVATURE1] -= bend1;
    row[ROD_CURVATURE2] -= bend2;
    return whole;
}

// Rest strains with which the strand as drawn is in equilibrium. An edge and the joint at which it begins have as many
// strains as there are equations for the edge's far end and its angle, and what lies beyond pulls at the edge with its
// weight: so one edge after the other, from the tip, with four linear equations each. A joint that reaches a limit
// bears less than it should; those nearer to the root still bear all the weight, which will hang on them wherever it
// comes to rest.
static bool balance(double3 gravity, uint32_t count, uint32_t held, const struct rod_work *work,
                    struct rod_rest *rest) {
    bool whole = true;
    double size = d3_length(gravity), mass = 0, length = 0, torque = 0;
    real3 force = vec3(0, 0, 0); // of the joint at the edge's end, on the edge
    if (size < GRAVITY_LEAST) return true;
    for (uint32_t v = count - 1; v-- > held - 1;) {
        mass += rest->rows[v + 1][ROD_MASS];
        length += work->lengths[v];
        rod_joint joint = joint_at(work, v);
        struct stress stress;
        real3 asked = sub3(mul3(to_real3(gravity), mass), force);
        if (!solve_stress(&joint, work->tangents[v], work->lengths[v], asked, -torque, &stress)) whole = false;
        double least = 1e-12 * mass * size;
        if (!set_strains(rest->rows[v], &stress, least / work->lengths[v], least * length)) whole = false;
        force = on_edge_before(&joint, &stress);
        torque = on_angle_before(&joint, &stress);
    }
    return whole;
}
