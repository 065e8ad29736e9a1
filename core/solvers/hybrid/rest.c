// Rest data of one strand: frames along it as drawn, masses and stiffnesses, rest strains, what gravity adds to these,
// and how much stiffer the strand must be for that to last and to stay small.
#include "rest.h"

#include "physics/strand_shape.h"
#include "sine.h"

#include <float.h>

#define MIN_RADIUS_M 1e-7
// Rows stay below this, so that single precision holds their squares.
#define ROW_MOST 1e15
// Of a vertex, against the mean: what keeps equations solvable where segments or radii differ by many decades.
#define MASS_LEAST 1e-6
// What gravity may make of a rest shape: joints bent or twisted by half a radian away from the drawn ones, less if they add
// up to more than ROD_TURN_MOST; edges longer or shorter by a tenth.
#define JOINT_MOST 0.5
#define STRETCH_MOST 0.1
// A joint drawn sharper than this (150 degrees) is a hinge: where segments fold back on each other, which way they bend and
// how they are twisted changes beyond all bounds with the smallest motion.
#define HINGE_STEEPNESS 6.6445
#define GRAVITY_LEAST 1e-12 // m/s^2; less is none
// Of stresses, against those of the whole weight: rounding.
#define NOTHING 1e-12
#define DIFFERENCE 1e-5 // steps of differences, in lengths of edges or radians
#define PI 3.14159265358979323846

// Factors of stiffness that are tried: powers of ROD_STIFFER, up to 64.
#define STIFFER_STEPS 48

// Semi-axes of the section; the short one lies along the first director.
struct section {
    double along1, along2; // m
};

static real3 to_real3(double3 v) { return vec3(v.x, v.y, v.z); }
static double3 to_double3(real3 v) { return d3(v.x, v.y, v.z); }

static void set_tangents(uint32_t count, const float *positions, double unit, struct rod_work *work);
static rod_joint joint_at(const struct rod_work *work, uint32_t v);
static void set_directors(uint32_t count, const float *positions, double unit, double3 side, double3 normal,
                          struct rod_work *work, struct rod_rest *rest);
static void set_masses(const struct rod_material *material, uint32_t count, const double *radii,
                       const struct rod_work *work, struct rod_rest *rest);
static void set_edges(const struct rod_material *material, uint32_t count, const double *radii,
                      const struct rod_work *work, struct rod_rest *rest);
static void set_joints(const struct rod_material *material, double stiffer, uint32_t count, uint32_t held,
                       const double *radii, const struct rod_work *work, struct rod_rest *rest);
static bool set_stresses(double3 gravity, uint32_t count, uint32_t held, struct rod_work *work,
                         const struct rod_rest *rest);
static bool balance_edges(double3 gravity, uint32_t count, uint32_t held, const struct rod_work *work,
                          struct rod_rest *rest);
static bool balance_joints(double3 gravity, uint32_t count, uint32_t held, const struct rod_work *work,
                           struct rod_rest *rest);
static void set_band(double3 gravity, uint32_t count, uint32_t held, struct rod_work *work,
                     const struct rod_rest *rest);
static bool is_stable(uint32_t count, uint32_t held, const struct rod_work *work, const struct rod_rest *rest);

bool rod_rest_make(const struct rod_material *material, uint32_t count, uint32_t held, const float *positions,
                   double unit, const double *radii, double3 side, double3 normal, struct rod_work *work,
                   struct rod_rest *rest) {
    memset(rest->rows, 0, count * sizeof rest->rows[0]);
    set_tangents(count, positions, unit, work);
    set_directors(count, positions, unit, side, normal, work, rest);
    for (uint32_t v = 0; v + 1 < count; v++) work->joints[v] = joint_at(work, v);
    set_masses(material, count, radii, work, rest);
    set_edges(material, count, radii, work, rest);
    set_joints(material, 1, count, held, radii, work, rest);
    if (d3_length(material->gravity) < GRAVITY_LEAST) return true;
    bool whole = set_stresses(material->gravity, count, held, work, rest);
    whole = balance_edges(material->gravity, count, held, work, rest) && whole;
    if (!whole) { // no stiffness in bending helps that
        (void)balance_joints(material->gravity, count, held, work, rest);
        return false;
    }
    set_band(material->gravity, count, held, work, rest);
    // More stiffness is never less stable and bends the rest shape less: the first factor that suffices lies between one that
    // does not and the last.
    uint32_t low = 0, high = STIFFER_STEPS + 1, now = 0;
    for (;;) {
        double stiffer = 1;
        for (uint32_t i = 0; i < now; i++) stiffer *= ROD_STIFFER;
        set_joints(material, stiffer, count, held, radii, work, rest);
        bool stays = balance_joints(material->gravity, count, held, work, rest) && is_stable(count, held, work, rest);
        if (stays)
            high = now;
        else
            low = now + 1;
        if (now == high && low == high) return true;
        if (low > STIFFER_STEPS) return false; // and the rows are those of the last factor
        now = now == 0 ? STIFFER_STEPS : low + (high - low) / 2;
    }
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

// The edge before a joint. Before the root it is the clamp, which goes on as the first edge was drawn.
static uint32_t edge_before(uint32_t v) { return v > 0 ? v - 1 : 0; }

static rod_joint joint_at(const struct rod_work *work, uint32_t v) {
    uint32_t before = edge_before(v);
    real3 t = to_real3(work->tangents[before]), m = to_real3(work->directors[before]);
    real3 tn = to_real3(work->tangents[v]), mn = to_real3(work->directors[v]);
    return rod_bend(t, m, cross3(t, m), 1 / work->lengths[before], tn, mn, cross3(tn, mn), 1 / work->lengths[v]);
}

static void carry_directors(uint32_t count, struct rod_work *work) {
    for (uint32_t v = 1; v + 1 < count; v++)
        work->directors[v] = to_double3(rod_transport(to_real3(work->directors[v - 1]), to_real3(work->tangents[v - 1]),
                                                      to_real3(work->tangents[v])));
}

// Not the C library's: they differ in the last bit.
static double hypotenuse(double x, double y) { return sqrt(x * x + y * y); }

static double joint_angle(const rod_joint *joint) { return hypotenuse(joint->curvature1, joint->curvature2); }

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

// What of the strand bends at a joint: half of either edge (Bergou et al. 2008). The clamp's edge does not bend. The joint
// before a free end counts for all that is left (Daviet 2023, sec. 5.1).
static double joint_length(const struct rod_material *material, uint32_t count, const struct rod_work *work,
                           uint32_t v) {
    if (v == 0) return 0.5 * work->lengths[0] * material->clamp_extension;
    double after = 0.5 * work->lengths[v];
    if (v + 2 == count) after *= 1 + material->clamp_extension;
    return 0.5 * work->lengths[v - 1] + after;
}

// By how much a joint's strains change with a vertex's way at most, as rod_build has it. The clamp has a metre there.
static double rod_steepness(const rod_joint *joint, const struct rod_work *work, uint32_t v) {
    double inverse = fmax(v > 0 ? 1 / work->lengths[v - 1] : 1, 1 / work->lengths[v]);
    return 2 * joint->steep * inverse;
}

// As drawn; stiffer by a factor than the material is as far as rod_build bears it.
static void set_joints(const struct rod_material *material, double stiffer, uint32_t count, uint32_t held,
                       const double *radii, const struct rod_work *work, struct rod_rest *rest) {
    double most = stiffest(material, count, rest), root = sqrt(stiffer);
    for (uint32_t v = held > 1 ? 1 : 0; v + 1 < count; v++) {
        struct section s = section(material, radius_at(radii, v));
        double a = s.along1, b = s.along2;
        double over = 1 / fmax(joint_length(material, count, work, v) * rest->mean_mass, DBL_MIN);
        double *row = rest->rows[v];
        const rod_joint *joint = &work->joints[v];
        double limit = fmin((double)ROD_STIFFER_JOINTS * most / rod_steepness(joint, work, v), ROW_MOST);
        if (joint->steep > HINGE_STEEPNESS) limit = 0;
        double bend1 = sqrt(material->bend_modulus * PI * a * a * a * b / 4 * over);
        double bend2 = sqrt(material->bend_modulus * PI * a * b * b * b / 4 * over);
        double torsion = sqrt(material->twist_modulus * PI * a * a * a * b * b * b / (a * a + b * b) * over);
        row[ROD_BEND1] = fmin(bend1 * root, limit);
        row[ROD_BEND2] = fmin(bend2 * root, limit);
        row[ROD_TORSION] = fmin(torsion * root, limit);
        row[ROD_CURVATURE1] = joint->curvature1;
        row[ROD_CURVATURE2] = joint->curvature2;
        row[ROD_TWIST] = 0;
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

static real3 on_edge_before(const rod_joint *joint, const struct rod_stress *s) {
    return add3(add3(mul3(joint->d1.edge, s->bend1), mul3(joint->d2.edge, s->bend2)),
                mul3(joint->twist.edge, s->torsion));
}

static double on_angle_before(const rod_joint *joint, const struct rod_stress *s) {
    return joint->d1.angle * s->bend1 + joint->d2.angle * s->bend2 + joint->twist.angle * s->torsion;
}

// Stresses with which an edge, and the joint at which it begins, bear what is asked of that edge: its derivative of the
// energy, and that of its angle. Lengths are taken in units of the edge's.
static bool solve_stress(const rod_joint *joint, double3 tangent, double length, real3 force, double torque,
                         struct rod_stress *stress) {
    real3 d1 = joint->d1.edge_n, d2 = joint->d2.edge_n, twist = joint->twist.edge_n;
    double a[4][5] = {
        {tangent.x, d1.x * length, d2.x * length, twist.x * length, force.x * length},
        {tangent.y, d1.y * length, d2.y * length, twist.y * length, force.y * length},
        {tangent.z, d1.z * length, d2.z * length, twist.z * length, force.z * length},
        {0, joint->d1.angle_n, joint->d2.angle_n, joint->twist.angle_n, torque},
    };
    double x[4];
    bool whole = solve4(a, x);
    *stress = (struct rod_stress){x[0] / length, x[1], x[2], x[3]};
    return whole;
}

// How far a rest value must be from the drawn one. Of a stiffness of zero, `least` makes a strain beyond all limits, or
// a small one if the stress is nothing but rounding.
static double strain(double stress, double root_stiffness, double least) {
    return stress / fmax(root_stiffness * root_stiffness, least);
}

// Moves an edge's rest length away from the drawn one, up to its limit. False: it was reached.
static bool set_length(double *row, const struct rod_stress *stress, double least) {
    double most = STRETCH_MOST * row[ROD_LENGTH], longer = strain(stress->stretch, row[ROD_STRETCH], least);
    bool whole = fabs(longer) <= most;
    row[ROD_LENGTH] -= whole ? longer : copysign(most, longer);
    return whole;
}

// The same for a joint's curvatures and twist. At the limit the moment keeps its direction.
static bool set_strains(double *row, const rod_joint *drawn, const struct rod_stress *stress, double least,
                        double most) {
    double twist = strain(stress->torsion, row[ROD_TORSION], least);
    double bend1 = strain(stress->bend1, row[ROD_BEND1], least);
    double bend2 = strain(stress->bend2, row[ROD_BEND2], least);
    double bend = hypotenuse(bend1, bend2), part = bend > most ? most / bend : 1;
    row[ROD_CURVATURE1] = drawn->curvature1 - bend1 * part;
    row[ROD_CURVATURE2] = drawn->curvature2 - bend2 * part;
    row[ROD_TWIST] = fabs(twist) > most ? copysign(most, -twist) : -twist;
    return bend <= most && fabs(twist) <= most;
}

// Stresses with which the strand as drawn is in equilibrium. An edge and the joint at which it begins have as many
// strains as there are equations for the edge's far end and its angle, and what lies beyond pulls at the edge with its
// weight: so one edge after the other, from the tip, with four linear equations each.
static bool set_stresses(double3 gravity, uint32_t count, uint32_t held, struct rod_work *work,
                         const struct rod_rest *rest) {
    bool whole = true;
    double mass = 0, torque = 0;
    real3 force = vec3(0, 0, 0); // of the joint at the edge's end, on the edge
    for (uint32_t v = count - 1; v-- > held - 1;) {
        mass += rest->rows[v + 1][ROD_MASS];
        const rod_joint *joint = &work->joints[v];
        struct rod_stress *stress = &work->stresses[v];
        real3 asked = sub3(mul3(to_real3(gravity), mass), force);
        if (!solve_stress(joint, work->tangents[v], work->lengths[v], asked, -torque, stress)) whole = false;
        force = on_edge_before(joint, stress);
        torque = on_angle_before(joint, stress);
    }
    return whole;
}

// Rest lengths that make these stresses of the drawn ones.
static bool balance_edges(double3 gravity, uint32_t count, uint32_t held, const struct rod_work *work,
                          struct rod_rest *rest) {
    bool whole = true;
    double weight = 0;
    for (uint32_t v = count - 1; v-- > held - 1;) {
        weight += rest->rows[v + 1][ROD_MASS] * d3_length(gravity);
        if (!set_length(rest->rows[v], &work->stresses[v], NOTHING * weight / work->lengths[v])) whole = false;
    }
    return whole;
}

// Rest curvatures and twists, none farther than `most` from the drawn ones. A joint that reaches this bears less than it
// should; those nearer to the root still bear all the weight, which will hang on them wherever it comes to rest.
static bool set_rest_shape(double3 gravity, uint32_t count, uint32_t held, double most, const struct rod_work *work,
                           struct rod_rest *rest) {
    bool whole = true;
    double weight = 0, length = 0;
    for (uint32_t v = count - 1; v-- > held - 1;) {
        weight += rest->rows[v + 1][ROD_MASS] * d3_length(gravity);
        length += work->lengths[v];
        double least = NOTHING * weight * length;
        if (!set_strains(rest->rows[v], &work->joints[v], &work->stresses[v], least, most)) whole = false;
    }
    return whole;
}

// How far the strand would unroll without weight: by the joints before it every edge turns from where it was drawn, to first
// order about the sum of their axes. In a coil these go round and cancel; in a strand that leans over they add up.
static double largest_turn(uint32_t count, uint32_t held, const struct rod_work *work, const struct rod_rest *rest) {
    double3 turn = d3(0, 0, 0);
    double most = 0;
    for (uint32_t v = held - 1; v + 1 < count; v++) {
        const double *row = rest->rows[v];
        double3 t = work->tangents[v], m1 = work->directors[v], m2 = d3_cross(t, m1);
        turn = d3_add(turn, d3_mul(m2, row[ROD_CURVATURE1] - work->joints[v].curvature1));
        turn = d3_sub(turn, d3_mul(m1, row[ROD_CURVATURE2] - work->joints[v].curvature2));
        turn = d3_add(turn, d3_mul(t, row[ROD_TWIST]));
        most = fmax(most, d3_length(turn));
    }
    return most;
}

// The rest shape that balances these stresses, within the limits of each joint and of their sum. The limit of a joint is
// lowered until the sum keeps to its own: so what is softest gives way, such as a thin tip, and the remainder does not.
// False: the shape does not balance them.
static bool balance_joints(double3 gravity, uint32_t count, uint32_t held, const struct rod_work *work,
                           struct rod_rest *rest) {
    bool whole = set_rest_shape(gravity, count, held, JOINT_MOST, work, rest);
    for (double most = JOINT_MOST; largest_turn(count, held, work, rest) > ROD_TURN_MOST;) {
        most *= 0.5;
        whole = false;
        (void)set_rest_shape(gravity, count, held, most, work, rest);
    }
    return whole;
}

// ---- stability ----
//
// An equilibrium lasts if the energy's second derivatives by all that is free are positive definite. They are the
// squares of the strains' first derivatives by stiffness, and their second derivatives by stress. Stresses come of
// gravity alone, whatever the stiffness: so the second part is the same for every factor.
//
// Unknowns as the solver has them: per vertex its position, then the angle of the edge that begins there. The clamp's come
// first, so that every joint has a vertex before it.

#define JOINT_UNKNOWNS BAND_ROWS // those of both edges: two vertices with their edges' angles, and a third
#define EDGE_UNKNOWNS 8          // both edges and their angles

// The first unknown of a joint: that of the vertex before it.
static uint32_t first_unknown(uint32_t v) { return 4 * v; }

static void to_unknowns(real3 edge, real angle, real3 edge_n, real angle_n, double out[JOINT_UNKNOWNS]) {
    const double values[JOINT_UNKNOWNS] = {-edge.x,           -edge.y,           -edge.z,           angle,
                                           edge.x - edge_n.x, edge.y - edge_n.y, edge.z - edge_n.z, angle_n,
                                           edge_n.x,          edge_n.y,          edge_n.z};
    memcpy(out, values, sizeof values);
}

// A joint of which one unknown has moved: 0 to 2 the edge before, 3 its angle, 4 to 6 the edge behind, 7 its angle.
static rod_joint moved_joint(const struct rod_work *work, uint32_t v, uint32_t unknown, double by) {
    real3 t[2], m[2];
    double inverse[2];
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t edge = i == 0 ? edge_before(v) : v;
        t[i] = to_real3(work->tangents[edge]);
        m[i] = to_real3(work->directors[edge]);
        inverse[i] = 1 / work->lengths[edge];
    }
    uint32_t i = unknown / 4, c = unknown % 4;
    if (c == 3) {
        m[i] = rod_turn(m[i], t[i], sine_of(by), cosine_of(by));
    } else {
        real3 edge = add3(mul3(t[i], work->lengths[i == 0 ? edge_before(v) : v]),
                          vec3(c == 0 ? by : 0, c == 1 ? by : 0, c == 2 ? by : 0));
        inverse[i] = 1 / sqrt(dot3(edge, edge));
        real3 now = mul3(edge, inverse[i]);
        m[i] = rod_transport(m[i], t[i], now);
        t[i] = now;
    }
    return rod_bend(t[0], m[0], cross3(t[0], m[0]), inverse[0], t[1], m[1], cross3(t[1], m[1]), inverse[1]);
}

// What a joint's stresses do to its unknowns.
static void joint_pull(const rod_joint *joint, const struct rod_stress *s, double out[JOINT_UNKNOWNS]) {
    real3 behind = add3(add3(mul3(joint->d1.edge_n, s->bend1), mul3(joint->d2.edge_n, s->bend2)),
                        mul3(joint->twist.edge_n, s->torsion));
    double angle_n = joint->d1.angle_n * s->bend1 + joint->d2.angle_n * s->bend2 + joint->twist.angle_n * s->torsion;
    to_unknowns(on_edge_before(joint, s), on_angle_before(joint, s), behind, angle_n, out);
}

// Second derivatives of a joint's strains times its stresses, by central differences. Frames go along by parallel
// transport, which depends on the way: what of the matrix is not symmetric comes of that, and vanishes in the sum over
// the joints of an edge without torque.
static void add_second(struct rod_work *work, uint32_t v) {
    double by_edges[EDGE_UNKNOWNS][JOINT_UNKNOWNS], whole[JOINT_UNKNOWNS][JOINT_UNKNOWNS];
    for (uint32_t u = 0; u < EDGE_UNKNOWNS; u++) {
        double step = DIFFERENCE * (u % 4 == 3 ? 1 : work->lengths[u / 4 == 0 ? edge_before(v) : v]);
        rod_joint less = moved_joint(work, v, u, -step), more = moved_joint(work, v, u, step);
        double a[JOINT_UNKNOWNS], b[JOINT_UNKNOWNS];
        joint_pull(&less, &work->stresses[v], a);
        joint_pull(&more, &work->stresses[v], b);
        for (uint32_t i = 0; i < JOINT_UNKNOWNS; i++) by_edges[u][i] = (b[i] - a[i]) / (2 * step);
    }
    for (uint32_t i = 0; i < JOINT_UNKNOWNS; i++) {
        double column[EDGE_UNKNOWNS];
        for (uint32_t u = 0; u < EDGE_UNKNOWNS; u++) column[u] = by_edges[u][i];
        to_unknowns(vec3(column[0], column[1], column[2]), column[3], vec3(column[4], column[5], column[6]), column[7],
                    whole[i]);
    }
    for (uint32_t i = 0; i < JOINT_UNKNOWNS; i++)
        for (uint32_t j = i; j < JOINT_UNKNOWNS; j++)
            work->band[first_unknown(v) + i][j - i] += 0.5 * (whole[i][j] + whole[j][i]);
}

// The whole edge term goes in here; it does not depend on the stiffness factor.
static void add_edge(struct rod_work *work, uint32_t v, double root_stiffness) {
    const double t[3] = {work->tangents[v].x, work->tangents[v].y, work->tangents[v].z};
    double tension = work->stresses[v].stretch / work->lengths[v], stiffness = root_stiffness * root_stiffness;
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < 3; j++) {
            double value = (stiffness - tension) * t[i] * t[j] + (i == j ? tension : 0);
            if (j >= i) {
                work->band[first_unknown(v + 1) + i][j - i] += value;
                work->band[first_unknown(v + 2) + i][j - i] += value;
            }
            work->band[first_unknown(v + 1) + i][4 + j - i] -= value;
        }
}

// All but the joints' stiffness, less what the slowest frequency that counts as stable takes. Angles may be free: they
// move nothing by themselves.
static void set_band(double3 gravity, uint32_t count, uint32_t held, struct rod_work *work,
                     const struct rod_rest *rest) {
    if (held >= count) return;
    double length = 0, mass = 0, size = d3_length(gravity);
    for (uint32_t v = held - 1; v + 1 < count; v++) {
        length += work->lengths[v];
        mass += rest->rows[v + 1][ROD_MASS];
    }
    memset(work->band[first_unknown(held - 1)], 0, 4 * (count - held + 2) * sizeof work->band[0]);
    for (uint32_t v = held - 1; v < count; v++) {
        for (uint32_t c = 0; c < 3; c++)
            work->band[first_unknown(v + 1) + c][0] -= ROD_STABLE * size / length * rest->rows[v][ROD_MASS];
        work->band[first_unknown(v + 1) + 3][0] += NOTHING * mass * size * length;
    }
    for (uint32_t v = held - 1; v + 1 < count; v++) {
        add_edge(work, v, rest->rows[v][ROD_STRETCH]);
        add_second(work, v);
    }
}

#define WINDOW 16 // columns, by their number modulo this

static void add_strain(double window[WINDOW][JOINT_UNKNOWNS], uint32_t first, const rod_gradient *g,
                       double root_stiffness) {
    double by[JOINT_UNKNOWNS];
    to_unknowns(g->edge, g->angle, g->edge_n, g->angle_n, by);
    for (uint32_t i = 0; i < JOINT_UNKNOWNS; i++) by[i] *= root_stiffness;
    for (uint32_t i = 0; i < JOINT_UNKNOWNS; i++)
        for (uint32_t j = i; j < JOINT_UNKNOWNS; j++) window[(first + i) % WINDOW][j - i] += by[i] * by[j];
}

// Whether all pivots of L D L^T are positive. A column is done with as soon as its last joint was added.
static bool is_stable(uint32_t count, uint32_t held, const struct rod_work *work, const struct rod_rest *rest) {
    double window[WINDOW][JOINT_UNKNOWNS];
    if (held >= count) return true;
    uint32_t first = first_unknown(held) + 3, end = 4 * count + 3, column = first, loaded = first_unknown(held - 1);
    for (uint32_t v = held - 1; v + 1 < count; v++) {
        uint32_t reach = first_unknown(v) + JOINT_UNKNOWNS, done = v + 2 < count ? first_unknown(v + 1) : end;
        for (; loaded < reach; loaded++) memcpy(window[loaded % WINDOW], work->band[loaded], sizeof window[0]);
        const rod_joint *joint = &work->joints[v];
        add_strain(window, first_unknown(v), &joint->d1, rest->rows[v][ROD_BEND1]);
        add_strain(window, first_unknown(v), &joint->d2, rest->rows[v][ROD_BEND2]);
        add_strain(window, first_unknown(v), &joint->twist, rest->rows[v][ROD_TORSION]);
        for (; column < done; column++) {
            const double *pivot = window[column % WINDOW];
            if (!(pivot[0] > 0)) return false;
            for (uint32_t i = 1; column + i < reach; i++) {
                double factor = pivot[i] / pivot[0], *other = window[(column + i) % WINDOW];
                for (uint32_t j = i; column + j < reach; j++) other[j - i] -= factor * pivot[j];
            }
        }
    }
    return true;
}
