// Rest data of rods (core/solvers/hybrid/rest.h): sections and clamps against closed forms, and rest shapes that
// gravity does not move, and their stability, against differences of the energy.
#include "rod_model.h"

#include "physics/strand_shape.h"
#include "solvers/hybrid/rest.h"

#define EDGE_M 2.5e-3

struct strand {
    uint32_t count, held;
    float positions[3 * PLAIT_MAX_STRAND_VERTICES];
    double unit, radii[PLAIT_MAX_STRAND_VERTICES];
    double3 side, normal;
    struct rod_material material;
};

static struct rod_work work;
static struct rod_rest rest;

static bool prepare(const struct strand *s) {
    memset(&rest, 0xff, sizeof rest); // NaN: unset values show
    return rod_rest_make(&s->material, s->count, s->held, s->positions, s->unit, s->radii, s->side, s->normal, &work,
                         &rest);
}

static const struct rod_material hair = {3e9, 3e9, 1e9, 1300, 0, 1, {0, 0, 0}, 0};

// Edges of equal length along a curve that is given by its direction at an arc length.
static struct strand draw(uint32_t count, double edge_m, double3 (*direction)(double s)) {
    struct strand s = {.count = count, .held = 1, .unit = 1, .material = hair};
    double3 x = d3(0.1, 1.6, -0.05);
    for (uint32_t v = 0; v < count; v++) {
        s.positions[3 * v] = (float)x.x;
        s.positions[3 * v + 1] = (float)x.y;
        s.positions[3 * v + 2] = (float)x.z;
        s.radii[v] = 4e-5;
        x = d3_add(x, d3_mul(d3_unit(direction((v + 0.5) * edge_m)), edge_m));
    }
    s.normal = d3_unit(d3(0.3, 0.8, 0.5));
    s.side = d3_across(s.normal);
    return s;
}

static double3 level(double s) { return d3(1, 0 * s, 0); }
static double3 down(double s) { return d3(0 * s, -1, 0); }
static double3 up_and_over(double s) { return d3(cos(20 * s), sin(20 * s + 1), 0.1); }
static double3 wave(double s) { return d3(0.3, -1, 0.8 * cos(2 * PI * s / 0.04)); }
// Type 4A: the coil of a crochet needle, 2.5 mm in radius, seven turns to the inch.
static double3 coil(double s) {
    double phase = s / hypot(2.5e-3, 3.6e-3 / (2 * PI));
    return d3(cos(phase), -3.6e-3 / (2 * PI) / 2.5e-3, sin(phase));
}
static double3 zigzag(double s) {
    int i = (int)(s / EDGE_M);
    return d3(i % 2 ? 1 : -1, -0.3, i % 3 ? 0.2 : -0.5);
}

static const struct {
    const char *text;
    double edge_m;
    double3 (*direction)(double s);
} shapes[] = {{"straight and level", EDGE_M, level},
              {"straight down", EDGE_M, down},
              {"up and over", EDGE_M, up_and_over},
              {"wavy", EDGE_M, wave},
              {"4A coil", 1e-3, coil},
              {"zigzag", EDGE_M, zigzag}};
#define SHAPE_COUNT (sizeof shapes / sizeof shapes[0])

// The strand as drawn, with the rows that were made of it, and frames as the layout describes them. The clamp goes on as the
// first edge.
static struct model as_drawn(const struct strand *s) {
    struct model m = {.count = s->count, .clamped = true};
    for (uint32_t v = 0; v < s->count; v++) {
        for (uint32_t c = 0; c < 3; c++) m.unknowns[4 * v + c] = s->positions[3 * v + c] * s->unit;
        memcpy(m.rows[v], rest.rows[v], sizeof m.rows[v]);
    }
    strand_frame root;
    root.side = to_real3(s->side);
    root.tangent = to_real3(s->normal);
    double3 t = d3_unit(edge(&m, 0));
    real3 first = frame_next(root, to_real3(t)).side;
    model_frames(&m, t, rotated(d3(first.x, first.y, first.z), t, rest.root_cosine, rest.root_sine));
    return m;
}

static void assert_finite_rows(const struct strand *s) {
    for (uint32_t v = 0; v < s->count; v++)
        for (uint32_t r = 0; r < ROD_ROWS; r++) {
            assert_true(fabs(rest.rows[v][r]) <= 1e15);
            if (r >= ROD_BEND1) assert_true(rest.rows[v][r] >= 0);
        }
    for (uint32_t v = 0; v < s->count; v++) assert_true(rest.rows[v][ROD_MASS] > 0);
    assert_true(fabs(hypot(rest.root_cosine, rest.root_sine) - 1) < 1e-12);
    assert_true(rest.mean_mass > 0 && isfinite(rest.mean_mass));
}

static double squared(double x) { return x * x; }

static void round_and_flat_sections_have_their_closed_forms(void **state) {
    (void)state;
    for (double flatness = 0; flatness < 0.95; flatness += 0.3) {
        struct strand s = draw(10, EDGE_M, level);
        s.material.flatness = flatness;
        s.material.clamp_extension = 0;
        assert_true(prepare(&s));
        assert_finite_rows(&s);
        double radius = 4e-5, area = PI * radius * radius, length = work.lengths[4];
        double round = PI * squared(squared(radius)) / 4, thin = 1 - flatness;
        double long_axis = radius / sqrt(thin), short_axis = radius * sqrt(thin);
        double polar = PI * pow(long_axis, 3) * pow(short_axis, 3) / (squared(long_axis) + squared(short_axis));
        const double *row = rest.rows[4];
        double bend = (work.lengths[3] + length) / 2 * rest.mean_mass;
        assert_true(fabs(squared(row[ROD_BEND1]) * bend / (3e9 * round * thin) - 1) < 1e-12);
        assert_true(fabs(squared(row[ROD_BEND2]) * bend / (3e9 * round / thin) - 1) < 1e-12);
        assert_true(fabs(squared(row[ROD_TORSION]) * bend / (1e9 * polar) - 1) < 1e-12);
        assert_true(fabs(squared(row[ROD_STRETCH]) * length * rest.mean_mass / (3e9 * area) - 1) < 1e-12);
        double inertia = 1300 * PI / 4 * long_axis * short_axis * (squared(long_axis) + squared(short_axis)) * length;
        assert_true(fabs(row[ROD_INERTIA] * squared(length) * rest.mean_mass / inertia - 1) < 1e-12);
        double mass = 0, drawn = 0;
        for (uint32_t v = 0; v < s.count; v++) mass += rest.rows[v][ROD_MASS];
        for (uint32_t v = 0; v + 1 < s.count; v++) drawn += work.lengths[v];
        assert_true(fabs(mass - s.count) < 1e-12);
        assert_true(fabs(mass * rest.mean_mass / (1300 * area * drawn) - 1) < 1e-12);
        assert_true(fabs(rest.rows[0][ROD_MASS] / rest.rows[4][ROD_MASS] - 0.5) < 1e-3);
    }
}

// Half an edge bends on either side of a joint. Before the root nothing does, and half of the first edge bends at its joint
// as far as the clamp extends; behind the last joint the half that is left bends with it, as far.
static void clamp_extends_the_ends(void **state) {
    (void)state;
    for (double extension = 0; extension <= 1; extension += 0.5) {
        struct strand s = draw(10, EDGE_M, level);
        s.material.clamp_extension = extension;
        assert_true(prepare(&s));
        double middle = squared(rest.rows[4][ROD_BEND1]), torsion = squared(rest.rows[4][ROD_TORSION]);
        double softer = 1 + extension / 2;
        assert_true(fabs(squared(rest.rows[1][ROD_BEND1]) / middle - 1) < 1e-3);
        assert_true(fabs(squared(rest.rows[8][ROD_TORSION]) * softer / torsion - 1) < 1e-3);
        if (extension > 0) {
            assert_true(fabs(squared(rest.rows[0][ROD_BEND1]) * extension / (2 * middle) - 1) < 1e-3);
            assert_true(fabs(squared(rest.rows[0][ROD_TORSION]) * extension / (2 * torsion) - 1) < 1e-3);
        } else { // no length at all: as stiff as can be
            assert_true(rest.rows[0][ROD_BEND1] > 1e6 * rest.rows[4][ROD_BEND1]);
            assert_true(rest.rows[0][ROD_TORSION] > 1e6 * rest.rows[4][ROD_TORSION]);
        }
        assert_finite_rows(&s);
        const uint32_t none[] = {ROD_CURVATURE1, ROD_CURVATURE2, ROD_TWIST, ROD_BEND1, ROD_BEND2, ROD_TORSION};
        for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
            assert_true(rest.rows[9][none[i]] == 0);
            if (none[i] < ROD_BEND1) assert_true(fabs(rest.rows[0][none[i]]) < 1e-12);
        }
        assert_true(rest.rows[9][ROD_LENGTH] == 0 && rest.rows[9][ROD_STRETCH] == 0 && rest.rows[9][ROD_INERTIA] == 0);
        s.held = 2; // an edge that is held needs no clamp
        assert_true(prepare(&s));
        for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) assert_true(rest.rows[0][none[i]] == 0);
    }
}

static double curvature(uint32_t v) { return hypot(rest.rows[v][ROD_CURVATURE1], rest.rows[v][ROD_CURVATURE2]); }

static void strands_as_drawn_have_no_strain_and_their_soft_side_in_the_curl(void **state) {
    (void)state;
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        struct strand s = draw(60, shapes[i].edge_m, shapes[i].direction);
        assert_true(prepare(&s));
        assert_finite_rows(&s);
        struct model m = as_drawn(&s);
        for (uint32_t v = 0; v + 1 < s.count; v++) {
            struct strains now = strains_at(&m, v);
            assert_true(fabs(now.curvature1 - rest.rows[v][ROD_CURVATURE1]) < 1e-9);
            assert_true(fabs(now.curvature2 - rest.rows[v][ROD_CURVATURE2]) < 1e-9);
            assert_true(rest.rows[v][ROD_TWIST] == 0);
        }
        if (shapes[i].direction == level || shapes[i].direction == down) {
            assert_true(rest.root_cosine == 1 && rest.root_sine == 0);
        } else {
            double sharpest = 0;
            for (uint32_t v = 1; v + 1 < s.count; v++) sharpest = fmax(sharpest, curvature(v));
            uint32_t v = 1; // a wave may begin straight
            while (curvature(v) < 0.1 * sharpest) v++;
            assert_true(fabs(rest.rows[v][ROD_CURVATURE1] - curvature(v)) < 1e-9);
            assert_true(fabs(rest.rows[v][ROD_CURVATURE2]) < 1e-9);
        }
    }
}

// Forces beyond gravity on what is free, and torques, against the strand's weight; from differences.
static double imbalance(const struct strand *s) {
    struct model m = as_drawn(s);
    double worst = 0, weight = s->count * d3_length(s->material.gravity), shortest = HUGE_VAL, length = 0;
    for (uint32_t v = 0; v + 1 < s->count; v++) {
        shortest = fmin(shortest, work.lengths[v]);
        length += work.lengths[v];
    }
    const double gravity[3] = {s->material.gravity.x, s->material.gravity.y, s->material.gravity.z};
    for (uint32_t v = s->held; v < s->count; v++)
        for (uint32_t c = 0; c < 3; c++) {
            double force = energy_derivative(&m, 4 * v + c, 2e-4 * shortest) - m.rows[v][ROD_MASS] * gravity[c];
            worst = fmax(worst, fabs(force) / weight);
        }
    for (uint32_t v = s->held - 1; v + 1 < s->count; v++)
        worst = fmax(worst, fabs(energy_derivative(&m, 4 * v + 3, 1e-3)) / (weight * length));
    return worst;
}

// What gravity has made of a rest shape: how far it takes a joint from the drawn one at most, and how far all joints up to
// an edge turn that, as the sum of their axes.
struct leaving {
    double joint, turn; // rad
};

static struct leaving leaving(const struct model *m) {
    struct leaving most = {0, 0};
    double3 turn = d3(0, 0, 0);
    for (uint32_t v = 0; v + 1 < m->count; v++) {
        struct strains drawn = strains_at(m, v);
        double3 t = d3_unit(edge(m, v)), m1 = material(m, v);
        double bend1 = m->rows[v][ROD_CURVATURE1] - drawn.curvature1,
               bend2 = m->rows[v][ROD_CURVATURE2] - drawn.curvature2;
        double twist = m->rows[v][ROD_TORSION] == 0 ? 0 : m->rows[v][ROD_TWIST];
        if (m->rows[v][ROD_BEND1] == 0) bend1 = bend2 = 0; // held, a hinge, or nothing that bends: rest means nothing
        turn = d3_add(turn, d3_sub(d3_mul(d3_cross(t, m1), bend1), d3_mul(m1, bend2)));
        turn = d3_add(turn, d3_mul(t, twist));
        most.joint = fmax(most.joint, fmax(hypot(bend1, bend2), fabs(twist)));
        most.turn = fmax(most.turn, d3_length(turn));
    }
    return most;
}

static void assert_within_limits(const struct strand *s) {
    assert_finite_rows(s);
    for (uint32_t v = 0; v + 1 < s->count; v++)
        assert_true(fabs(rest.rows[v][ROD_LENGTH] / work.lengths[v] - 1) <= 0.1 * (1 + 1e-12));
    struct model m = as_drawn(s);
    struct leaving most = leaving(&m);
    assert_true(most.joint <= 0.5 + 1e-6);
    assert_true(most.turn <= 1.0 + 1e-4);
}

static void drawn_shape_is_in_equilibrium_under_gravity(void **state) {
    (void)state;
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        double worst = 0, without = HUGE_VAL;
        for (uint32_t held = 1; held <= 4; held *= 2)
            for (int flat = 0; flat <= 1; flat++)
                for (int tapered = 0; tapered <= 1; tapered++)
                    for (int soft = 0; soft <= 1; soft++) {
                        struct strand s = draw(80, shapes[i].edge_m, shapes[i].direction);
                        s.held = held;
                        s.material.flatness = flat ? 0.4 : 0;
                        s.material.stretch_modulus = soft ? 1e7 : 3e9;
                        for (uint32_t v = 0; tapered && v < s.count; v++) s.radii[v] *= 1 - 0.6 * v / s.count;
                        s.material.gravity = d3(0, 0, 0);
                        assert_true(prepare(&s));
                        s.material.gravity = d3(0.5, -9.81, 1);
                        without = fmin(without, imbalance(&s)); // the test can fail
                        assert_true(prepare(&s));
                        assert_within_limits(&s);
                        worst = fmax(worst, imbalance(&s));
                    }
        printf("%s: forces beyond gravity %.1e of the weight; %.1e where the drawn shape is the rest shape\n",
               shapes[i].text, worst, without);
        assert_true(without > 1e-3);
        assert_true(worst < 1e-7);
    }
}

// Second derivatives of the energy by all free unknowns, less a frequency squared times masses; by finite differences
// only. True: positive definite.
static double matrix[MODEL_UNKNOWNS][MODEL_UNKNOWNS];

static bool all_swing_faster(struct model *m, uint32_t held, double frequency2) {
    uint32_t first = 4 * held - 1, end = 4 * m->count - 1;
    const double at[4] = {-2, -1, 1, 2};
    double shortest = HUGE_VAL;
    for (uint32_t v = 0; v + 1 < m->count; v++) shortest = fmin(shortest, d3_length(edge(m, v)));
    for (uint32_t i = first; i < end; i++)
        for (uint32_t j = i; j < end; j++) {
            double values[4], here = m->unknowns[j], step = j % 4 == 3 ? 5e-3 : 2e-3 * shortest;
            matrix[j][i] = 0;
            if (j > i + 10) continue;
            for (int k = 0; k < 4; k++) {
                m->unknowns[j] = here + at[k] * step;
                values[k] = energy_derivative(m, i, i % 4 == 3 ? 5e-3 : 2e-3 * shortest);
            }
            m->unknowns[j] = here;
            matrix[j][i] = central(values, step) - (i == j && i % 4 < 3 ? frequency2 * m->rows[i / 4][ROD_MASS] : 0);
        }
    for (uint32_t i = first; i < end; i++) {
        if (!(matrix[i][i] > 0)) return false;
        for (uint32_t j = i + 1; j < end; j++)
            for (uint32_t k = j; k < end; k++) matrix[k][j] -= matrix[j][i] * matrix[k][i] / matrix[i][i];
    }
    return true;
}

// The same stresses with less stiffness.
static struct model softened(const struct model *m, double by) {
    struct model soft = *m;
    for (uint32_t v = 0; v + 1 < m->count; v++) {
        struct strains drawn = strains_at(m, v);
        double *row = soft.rows[v];
        row[ROD_CURVATURE1] = drawn.curvature1 - by * (drawn.curvature1 - row[ROD_CURVATURE1]);
        row[ROD_CURVATURE2] = drawn.curvature2 - by * (drawn.curvature2 - row[ROD_CURVATURE2]);
        row[ROD_TWIST] = drawn.twist - by * (drawn.twist - row[ROD_TWIST]);
        for (uint32_t r = ROD_BEND1; r <= ROD_TORSION; r++) row[r] /= sqrt(by);
    }
    return soft;
}

static bool is_bent_too_far(const struct model *m) {
    struct leaving most = leaving(m);
    return most.joint > 0.5 || most.turn > 1.0;
}

// The first of ever softer materials that needs more stiffness: softer by one step than they are made, strands are bent too
// far or fall. Drawn hanging and standing, in a gravity that leans and in one that does not.
static void strands_are_made_as_stiff_as_it_takes_and_no_stiffer(void **state) {
    (void)state;
    int bent = 0, fell = 0;
    for (size_t i = 0; i < SHAPE_COUNT; i++)
        for (int up = 0; up <= 2; up++) {
            struct strand s = draw(32, shapes[i].edge_m, shapes[i].direction);
            s.held = up ? 1 : 4;
            s.material.flatness = up ? 0 : 0.3;
            s.material.stretch_modulus = 1e6; // or its rounding hides what bends
            double factor = 1, length = 0;
            for (s.material.bend_modulus = 3e9; factor == 1 && s.material.bend_modulus > 1e4;) {
                s.material.bend_modulus /= 4;
                s.material.twist_modulus = s.material.bend_modulus / 3;
                s.material.gravity = d3(0, 0, 0);
                assert_true(prepare(&s));
                double material = rest.rows[8][ROD_BEND1];
                s.material.gravity = up == 2 ? d3(0, 9.81, 0) : d3(0.5, up ? 9.81 : -9.81, 1);
                if (!prepare(&s)) break;
                factor = squared(rest.rows[8][ROD_BEND1] / material);
            }
            for (uint32_t v = s.held - 1; v + 1 < s.count; v++) length += work.lengths[v];
            double slowest = ROD_STABLE * d3_length(s.material.gravity) / length;
            printf("%s, drawn %s: %.2f times %.1e Pa\n", shapes[i].text,
                   up == 2 ? "plumb upside down"
                   : up    ? "upside down"
                           : "as it is",
                   factor, s.material.bend_modulus);
            struct model m = as_drawn(&s);
            struct model less = softened(&m, 1.01 * ROD_STIFFER), fallen = softened(&m, 1.25);
            assert_true(factor > 1 && factor < 64);
            assert_true(all_swing_faster(&m, s.held, 0.99 * slowest));
            if (is_bent_too_far(&less)) {
                bent++;
                continue;
            }
            assert_false(all_swing_faster(&less, s.held, slowest));
            assert_false(all_swing_faster(&fallen, s.held, 0));
            fell++;
        }
    printf("%d would be bent too far, %d would fall\n", bent, fell);
    assert_true(bent >= 5 && fell >= 5);
}

static void units_do_not_matter(void **state) {
    (void)state;
    struct strand s = draw(40, EDGE_M, wave);
    s.material.gravity = d3(0, -9.81, 0);
    assert_true(prepare(&s));
    struct rod_rest metres = rest;
    for (uint32_t i = 0; i < 3 * s.count; i++) s.positions[i] *= 128;
    s.unit = 1.0 / 128;
    assert_true(prepare(&s));
    for (uint32_t v = 0; v < s.count; v++)
        for (uint32_t r = 0; r < ROD_ROWS; r++)
            assert_true(fabs(rest.rows[v][r] - metres.rows[v][r]) <= 1e-9 * fabs(metres.rows[v][r]));
}

static void what_no_rest_shape_can_bear_is_told_and_limited(void **state) {
    (void)state;
    const struct {
        const char *text;
        double3 (*direction)(double s);
        double stretch, bend, twist;
        bool whole;
    } cases[] = {
        {"level, of real hair", level, 3e9, 3e9, 1e9, true},
        {"level, of thinner hair", level, 3e9, 3e8, 1e8, false}, // balanced, but bent too far at 64 times the stiffness
        {"level, too limp", level, 3e9, 1e6, 1e9, false},
        {"level, without bending stiffness", level, 3e9, 0, 1e9, false},
        {"up and over, without twisting stiffness", up_and_over, 3e9, 3e9, 0, false},
        {"wavy, without any stiffness", wave, 0, 0, 0, false},
        {"down, as a rope", down, 3e9, 0, 0, true},
        {"down, as a rope of rubber", down, 1e5, 0, 0, true},
        {"down, too elastic", down, 1e4, 3e9, 1e9, false},
        {"down, without stretching stiffness", down, 0, 3e9, 1e9, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strand s = draw(120, EDGE_M, cases[i].direction);
        for (uint32_t v = 0; cases[i].direction == down && v < s.count; v++) s.positions[3 * v] = 0;
        s.material.stretch_modulus = cases[i].stretch;
        s.material.bend_modulus = cases[i].bend;
        s.material.twist_modulus = cases[i].twist;
        s.material.gravity = d3(0, -9.81, 0);
        bool whole = prepare(&s);
        if (whole != cases[i].whole) fail_msg("%s: %s", cases[i].text, whole ? "in balance" : "not in balance");
        assert_within_limits(&s);
        if (whole) assert_true(imbalance(&s) < 1e-7);
        s.material.gravity = d3(0, 0, 0);
        assert_true(prepare(&s));
    }
}

// More steps a second bear more: a level strand needs three times its stiffness, which float32 does not hold in long ones.
static void stiffness_keeps_below_what_a_step_bears(void **state) {
    (void)state;
    bool whole = false;
    int changes = 0;
    for (double step = 1.0 / 8; step > 1.0 / 4000; step /= 2) {
        struct strand s = draw(120, 1e-3, level);
        s.material.gravity = d3(0, -9.81, 0);
        s.material.step_weight = step;
        bool stays = prepare(&s);
        assert_within_limits(&s);
        double most = 1.01 * ROD_STIFFEST * sqrt(0.5) / step; // the end has half the mass of a vertex
        for (uint32_t v = 0; v + 1 < s.count; v++) {
            assert_true(rest.rows[v][ROD_STRETCH] < most);
            if (v > 0) assert_true(rest.rows[v][ROD_BEND1] * 2 / work.lengths[v] < ROD_STIFFER_JOINTS * most);
        }
        printf("steps of %.2f ms: %s\n", 1e3 * step, stays ? "it stays" : "it sags");
        assert_true(stays || !whole);
        changes += stays != whole;
        whole = stays;
    }
    assert_int_equal(changes, 1);
}

// A joint at its limit does not spoil those nearer to the root.
static void thin_tip_at_its_limit_leaves_the_rest_in_balance(void **state) {
    (void)state;
    struct strand s = draw(60, EDGE_M, level);
    for (uint32_t v = 50; v < s.count; v++) s.radii[v] = 5e-7;
    s.material.gravity = d3(0, -9.81, 0);
    assert_false(prepare(&s));
    assert_within_limits(&s);
    struct model m = as_drawn(&s);
    for (uint32_t v = 1; v < 48; v++) {
        double force = energy_derivative(&m, 4 * v + 1, 2e-4 * EDGE_M) + 9.81 * m.rows[v][ROD_MASS];
        assert_true(fabs(force) < 1e-6 * 9.81 * s.count);
    }
}

static void extremes_stay_finite(void **state) {
    (void)state;
    const double units[] = {1e-6, 1, 1e6}, radii[] = {0, 1e-12, 4e-5, 1e6}, moduli[] = {0, 1, 1e12};
    const uint32_t counts[] = {2, 3, 4, 100};
    for (size_t shape = 0; shape < SHAPE_COUNT; shape++)
        for (int u = 0; u < 3; u++)
            for (int r = 0; r < 4; r++)
                for (int e = 0; e < 3; e++)
                    for (int c = 0; c < 4; c++) {
                        struct strand s = draw(counts[c], shapes[shape].edge_m, shapes[shape].direction);
                        s.unit = units[u];
                        for (uint32_t v = 0; v < s.count; v++) s.radii[v] = v % 3 ? radii[r] : 0;
                        s.material.stretch_modulus = s.material.bend_modulus = s.material.twist_modulus = moduli[e];
                        s.material.flatness = c % 2 ? 0.95 : 0;
                        s.material.gravity = d3(0, 0, 0);
                        assert_true(prepare(&s));
                        assert_finite_rows(&s);
                        s.material.gravity = d3(0, -9.81, 1e-3);
                        (void)prepare(&s);
                        assert_within_limits(&s);
                        s.held = 200; // all
                        assert_true(prepare(&s));
                    }
}

static void folded_and_uneven_strands_stay_finite(void **state) {
    (void)state;
    struct strand s = draw(30, EDGE_M, level);
    for (uint32_t v = 10; v < 15; v++) s.positions[3 * v] = s.positions[3 * (20 - v)]; // exactly back
    s.material.gravity = d3(0, -9.81, 0.2);
    assert_false(prepare(&s));
    assert_finite_rows(&s);
    uint64_t seed = 2463534242u;
    for (int i = 0; i < 1000; i++) { // lengths of 30 decades, directions at random
        struct strand wild = draw(30, EDGE_M, level);
        for (uint32_t v = 0; v < 30; v++) {
            double3 by = d3_mul(random_direction(&seed), pow(10, -15 + 15 * random_unit(&seed)));
            for (int c = 0; c < 3; c++) wild.positions[3 * v + c] = (float)(c == 0 ? by.x : c == 1 ? by.y : by.z);
        }
        wild.material.gravity = d3(0, -9.81, 0.2);
        (void)prepare(&wild);
        assert_finite_rows(&wild);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_and_flat_sections_have_their_closed_forms),
        cmocka_unit_test(clamp_extends_the_ends),
        cmocka_unit_test(strands_as_drawn_have_no_strain_and_their_soft_side_in_the_curl),
        cmocka_unit_test(drawn_shape_is_in_equilibrium_under_gravity),
        cmocka_unit_test(strands_are_made_as_stiff_as_it_takes_and_no_stiffer),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(what_no_rest_shape_can_bear_is_told_and_limited),
        cmocka_unit_test(stiffness_keeps_below_what_a_step_bears),
        cmocka_unit_test(thin_tip_at_its_limit_leaves_the_rest_in_balance),
        cmocka_unit_test(extremes_stay_finite),
        cmocka_unit_test(folded_and_uneven_strands_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
