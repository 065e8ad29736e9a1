// Formulas of rods (core/physics/rod.h) in double precision, against finite differences and laws of mechanics.
#include "rod_model.h"

static uint64_t seed = 88172645463325252u;

static double between(double low, double high) { return low + (high - low) * 0.5 * (1 + random_unit(&seed)); }

// Two edges with an angle between them, any frames, any twist, lengths that differ; rest and stiffness do not matter.
static struct model random_joint(double angle) {
    struct model m = {.count = 3};
    double3 t = random_direction(&seed), across = d3_across(t);
    double turn = between(-PI, PI);
    across = rotated(across, t, cos(turn), sin(turn));
    double3 tn = d3_add(d3_mul(t, cos(angle)), d3_mul(across, sin(angle)));
    double3 x[3] = {random_direction(&seed)};
    x[1] = d3_add(x[0], d3_mul(t, between(0.5, 2)));
    x[2] = d3_add(x[1], d3_mul(tn, between(0.5, 2)));
    for (uint32_t v = 0; v < 3; v++) {
        m.unknowns[4 * v] = x[v].x;
        m.unknowns[4 * v + 1] = x[v].y;
        m.unknowns[4 * v + 2] = x[v].z;
    }
    model_frames(&m, t, d3_across(t));
    m.unknowns[3] = between(-PI, PI);
    m.unknowns[7] = m.unknowns[3] + between(-3, 3);
    return m;
}

static double strain_number(const struct strains *s, int which) {
    return which == 0 ? s->curvature1 : which == 1 ? s->curvature2 : s->twist;
}

// Worst difference between derivatives of one strain and central differences, against the largest of the derivatives.
static double worst_derivative(struct model *m, int which, const rod_gradient *g, double step) {
    double exact[12] = {0}, worst = 0, size = 0;
    scatter(g, 1, 1, exact);
    for (uint32_t i = 0; i < 11; i++) { // the angle of the last vertex is no unknown
        const double at[4] = {-2, -1, 1, 2};
        double values[4], here = m->unknowns[i];
        for (int k = 0; k < 4; k++) {
            m->unknowns[i] = here + at[k] * step;
            struct strains s = strains_at(m, 1);
            values[k] = strain_number(&s, which);
        }
        m->unknowns[i] = here;
        worst = fmax(worst, fabs(central(values, step) - exact[i]));
        size = fmax(size, fabs(exact[i]));
    }
    return worst / size;
}

static void derivatives_of_strains_are_those_of_differences(void **state) {
    (void)state;
    const struct {
        const char *text;
        double low, high;
    } kinds[] = {{"straight", 0, 1e-3},
                 {"bent", 1e-3, 2.08},
                 {"strongly bent", 2.11, 2.9}}; // second derivatives jump at 120 degrees
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        double worst[3] = {0}, value = 0;
        for (int i = 0; i < 3000; i++) {
            double angle = between(kinds[k].low, kinds[k].high);
            struct model m = random_joint(angle);
            rod_joint joint = joint_at(&m, 1);
            struct strains s = strains_at(&m, 1);
            value = fmax(value, fabs(joint.curvature1 - s.curvature1) + fabs(joint.curvature2 - s.curvature2));
            const rod_gradient *g[3] = {&joint.d1, &joint.d2, &joint.twist};
            double step = 1e-3 * (1 + cos(angle)); // where strains grow steep, smaller
            for (int which = 0; which < 3; which++)
                worst[which] = fmax(worst[which], worst_derivative(&m, which, g[which], step));
        }
        printf("%s joints: derivatives of curvatures off by %.1e and %.1e, of twist by %.1e\n", kinds[k].text, worst[0],
               worst[1], worst[2]);
        assert_true(value < 1e-12);
        for (int which = 0; which < 3; which++) assert_true(worst[which] < 1e-8);
    }
}

static double size3(real3 v) { return sqrt(dot3(v, v)); }

static void folded_joints_have_finite_curvature_and_derivatives(void **state) {
    (void)state;
    for (int i = 0; i < 3000; i++) {
        double angle = i ? between(2.9, PI) : PI;
        struct model m = random_joint(angle);
        if (i == 0) // exactly back, as groom tools draw it
            for (int c = 0; c < 3; c++) m.unknowns[8 + c] = m.unknowns[c];
        rod_joint joint = joint_at(&m, 1);
        assert_true(hypot(joint.curvature1, joint.curvature2) <= 20);
        const rod_gradient *g[3] = {&joint.d1, &joint.d2, &joint.twist};
        for (int which = 0; which < 3; which++) {
            double size = size3(g[which]->edge) + size3(g[which]->edge_n) + fabs(g[which]->angle);
            assert_true(size + fabs(g[which]->angle_n) < 2000);
        }
    }
}

static void directors_go_along_by_the_smallest_rotation(void **state) {
    (void)state;
    double worst = 0;
    for (int i = 0; i < 10000; i++) {
        double3 from = random_direction(&seed), to = random_direction(&seed), director = d3_across(from);
        if (d3_dot(from, to) < -0.99) continue; // there gradients are steep
        real3 there = rod_transport(to_real3(director), to_real3(from), to_real3(to));
        double3 exact = carried(director, from, to);
        worst = fmax(worst, size3(sub3(there, to_real3(exact))));
    }
    printf("transport: off by %.1e\n", worst);
    assert_true(worst < 1e-13);
    for (int i = 0; i < 1000; i++) { // in exactly the opposite direction it is still a director
        double3 from = random_direction(&seed), side = d3_across(from);
        double bend = i % 2 ? pow(10, between(-9, -1)) : 0, turn = between(0, PI);
        double3 to = d3_unit(d3_sub(d3_mul(side, bend), from)), director = rotated(side, from, cos(turn), sin(turn));
        real3 there = rod_transport(to_real3(director), to_real3(from), to_real3(to));
        assert_true(fabs(size3(there) - 1) < 1e-9);
        assert_true(fabs(dot3(there, to_real3(to))) < 1e-9);
    }
}

// A strand bent and twisted at random, away from its rest shape, with stiffnesses of many sizes. A clamp is bent away from
// the first edge, too.
static struct model random_strand(uint32_t count, bool clamped) {
    struct model m = {.count = count, .clamped = clamped};
    double3 x = random_direction(&seed), t = random_direction(&seed);
    for (uint32_t v = 0; v < count; v++) {
        m.unknowns[4 * v] = x.x;
        m.unknowns[4 * v + 1] = x.y;
        m.unknowns[4 * v + 2] = x.z;
        m.unknowns[4 * v + 3] = v + 1 < count ? between(-1, 1) : 0;
        double length = between(0.5, 2);
        x = d3_add(x, d3_mul(t, length));
        t = d3_unit(d3_add(t, d3_mul(random_direction(&seed), 0.9)));
        for (uint32_t r = 0; r < ROD_ROWS; r++) m.rows[v][r] = between(-1, 1);
        m.rows[v][ROD_LENGTH] = length * between(0.8, 1.2);
        m.rows[v][ROD_STRETCH] = between(1, 10);
    }
    double3 clamp = d3_unit(d3_add(d3_unit(edge(&m, 0)), d3_mul(random_direction(&seed), clamped ? 0.9 : 0)));
    model_frames(&m, clamp, d3_across(clamp));
    return m;
}

static void forces_and_torques_are_derivatives_of_the_energy(void **state) {
    (void)state;
    double worst = 0;
    for (int i = 0; i < 100; i++) {
        struct model m = random_strand(12, i % 2);
        double exact[MODEL_UNKNOWNS], size = 0;
        gradient(&m, exact);
        for (uint32_t u = 0; u < 4 * m.count; u++) size = fmax(size, fabs(exact[u]));
        for (uint32_t u = 0; u < 4 * m.count - 1; u++)
            worst = fmax(worst, fabs(energy_derivative(&m, u, 5e-4) - exact[u]) / size);
    }
    printf("forces and torques of strands: off by %.1e\n", worst);
    assert_true(worst < 1e-8);
}

static void energy_does_not_change_with_rigid_motion(void **state) {
    (void)state;
    double worst = 0;
    for (int i = 0; i < 100; i++) {
        struct model m = random_strand(12, i % 2), moved = m;
        double3 axis = random_direction(&seed), by = d3_mul(random_direction(&seed), 3);
        double angle = between(-PI, PI);
        for (uint32_t v = 0; v < m.count; v++) {
            double3 x = d3_add(rotated(position(&m, v), axis, cos(angle), sin(angle)), by);
            moved.unknowns[4 * v] = x.x;
            moved.unknowns[4 * v + 1] = x.y;
            moved.unknowns[4 * v + 2] = x.z;
        }
        model_frames(&moved, rotated(m.clamp_tangent, axis, cos(angle), sin(angle)),
                     rotated(m.clamp_director, axis, cos(angle), sin(angle)));
        double before[MODEL_UNKNOWNS], after[MODEL_UNKNOWNS];
        worst = fmax(worst, fabs(energy(&moved) / energy(&m) - 1));
        gradient(&m, before);
        gradient(&moved, after);
        for (uint32_t v = 0; v < m.count; v++) { // and forces rotate along
            double3 f = rotated(d3(before[4 * v], before[4 * v + 1], before[4 * v + 2]), axis, cos(angle), sin(angle));
            double3 there = d3(after[4 * v], after[4 * v + 1], after[4 * v + 2]);
            worst = fmax(worst, d3_length(d3_sub(f, there)) / (1 + d3_length(f)));
            worst = fmax(worst, fabs(before[4 * v + 3] - after[4 * v + 3]));
        }
    }
    printf("rigid motion: energy and forces change by %.1e\n", worst);
    assert_true(worst < 1e-10);
}

// The strand's turn about each edge is part of its angular momentum.
static void free_strand_keeps_its_momentum_and_angular_momentum(void **state) {
    (void)state;
    double worst = 0;
    for (int i = 0; i < 1000; i++) {
        struct model m = random_strand(12, false);
        double g[MODEL_UNKNOWNS], size = 0;
        double3 force = d3(0, 0, 0), torque = d3(0, 0, 0);
        gradient(&m, g);
        for (uint32_t v = 0; v < m.count; v++) {
            double3 f = d3(g[4 * v], g[4 * v + 1], g[4 * v + 2]);
            force = d3_add(force, f);
            torque = d3_add(torque, d3_cross(position(&m, v), f));
            if (v + 1 < m.count) torque = d3_add(torque, d3_mul(d3_unit(edge(&m, v)), g[4 * v + 3]));
            size += d3_length(f) * (1 + d3_length(position(&m, v)));
        }
        worst = fmax(worst, (d3_length(force) + d3_length(torque)) / size);
    }
    printf("free strand: force and torque in sum %.1e of their parts\n", worst);
    assert_true(worst < 1e-13);
}

// Derivatives of all strains, times the roots of their stiffness: rows of J.
static uint32_t jacobian(const struct model *m, double rows[][4 * 8]) {
    uint32_t count = 0;
    for (uint32_t v = 0; v + 1 < m->count; v++) {
        scatter_length(m, m->rows[v][ROD_STRETCH], v, rows[count++]);
        if (v < first_joint(m)) continue;
        rod_joint joint = joint_at(m, v);
        scatter(&joint.d1, m->rows[v][ROD_BEND1], v, rows[count++]);
        scatter(&joint.d2, m->rows[v][ROD_BEND2], v, rows[count++]);
        scatter(&joint.twist, m->rows[v][ROD_TORSION], v, rows[count++]);
    }
    return count;
}

static void stiffness_is_that_of_gauss_and_newton_where_nothing_is_strained(void **state) {
    (void)state;
    double worst = 0;
    for (int i = 0; i < 100; i++) {
        struct model m = random_strand(8, i % 2);
        for (uint32_t v = 0; v + 1 < m.count; v++) {
            m.rows[v][ROD_LENGTH] = d3_length(edge(&m, v));
            if (v < first_joint(&m)) continue;
            struct strains s = strains_at(&m, v);
            m.rows[v][ROD_CURVATURE1] = s.curvature1;
            m.rows[v][ROD_CURVATURE2] = s.curvature2;
            m.rows[v][ROD_TWIST] = s.twist;
        }
        double rows[4 * 8][4 * 8] = {{0}};
        uint32_t strains = jacobian(&m, rows), unknowns = 4 * m.count - 1;
        for (uint32_t a = 0; a < unknowns; a++) {
            const double at[4] = {-2, -1, 1, 2};
            double step = 2e-4, values[4][MODEL_UNKNOWNS], here = m.unknowns[a], size = 0;
            for (int k = 0; k < 4; k++) {
                m.unknowns[a] = here + at[k] * step;
                gradient(&m, values[k]);
            }
            m.unknowns[a] = here;
            for (uint32_t s = 0; s < strains; s++) size += rows[s][a] * rows[s][a];
            for (uint32_t b = 0; b < unknowns; b++) {
                double exact = 0;
                for (uint32_t s = 0; s < strains; s++) exact += rows[s][a] * rows[s][b];
                double four[4] = {values[0][b], values[1][b], values[2][b], values[3][b]};
                worst = fmax(worst, fabs(central(four, step) - exact) / size);
                if ((a > b ? a - b : b - a) > 10) assert_true(exact == 0); // the band that solvers rely on
            }
        }
    }
    printf("Gauss-Newton stiffness without strain: off by %.1e\n", worst);
    assert_true(worst < 1e-8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_strains_are_those_of_differences),
        cmocka_unit_test(folded_joints_have_finite_curvature_and_derivatives),
        cmocka_unit_test(directors_go_along_by_the_smallest_rotation),
        cmocka_unit_test(forces_and_torques_are_derivatives_of_the_energy),
        cmocka_unit_test(energy_does_not_change_with_rigid_motion),
        cmocka_unit_test(free_strand_keeps_its_momentum_and_angular_momentum),
        cmocka_unit_test(stiffness_is_that_of_gauss_and_newton_where_nothing_is_strained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
