// Resampled strands lie on the curves that they had, and guides are spread over scalp, shapes and groups.
#include "made_file.h"

static const double PI = 3.14159265358979323846;

// Strands of equal vertex counts, zero.
static plait_gf_groom make(uint32_t strands, uint32_t vertices) {
    plait_gf_groom g = {.strand_count = strands, .vertex_count = strands * vertices};
    g.vertex_counts = malloc(strands * sizeof *g.vertex_counts);
    g.positions = calloc(strands * vertices, 3 * sizeof *g.positions);
    for (uint32_t i = 0; i < strands; i++) g.vertex_counts[i] = vertices;
    return g;
}

static double edge(const plait_gf_groom *g, uint32_t v) {
    const float *p = g->positions + 3 * v;
    return hypot(hypot((double)p[3] - p[0], (double)p[4] - p[1]), (double)p[5] - p[2]);
}

// Eight turns of a radius of 1 cm and a pitch of 3 cm, 12 vertices a turn.
static plait_gf_groom make_helix(void) {
    plait_gf_groom g = make(1, 97);
    for (uint32_t v = 0; v < 97; v++) {
        double turn = v / 12.0;
        g.positions[3 * v] = (float)(0.01 * cos(2 * PI * turn));
        g.positions[3 * v + 1] = (float)(0.03 * turn);
        g.positions[3 * v + 2] = (float)(0.01 * sin(2 * PI * turn));
    }
    return g;
}

// A strand of 7 um a metre from the origin, where rounding takes points of a tenth of that for one, gets fewer vertices.
static void strands_shorter_than_rounding_stay_whole(void **state) {
    (void)state;
    plait_gf_groom dot = make(1, 3), g;
    for (uint32_t v = 0; v < 3; v++) {
        dot.positions[3 * v] = 0.9f;
        dot.positions[3 * v + 1] = 3.5e-6f * (float)v;
    }
    plait_gf_resample_options options = {.vertex_count = 64};
    uint32_t capped = 0;
    assert_int_equal(plait_gf_resample(&dot, &options, &g, &capped), PLAIT_OK);
    assert_int_equal(capped, 1);
    assert_in_range(g.vertex_count, 2, 8);
    for (uint32_t v = 0; v + 1 < g.vertex_count; v++) assert_true(edge(&g, v) > 0.9e-6);
    plait_gf_groom_free(&dot);
    plait_gf_groom_free(&g);
}

static void curls_keep_radius_and_length(void **state) {
    (void)state;
    static const uint32_t counts[] = {400, 97, 65};
    plait_gf_groom helix = make_helix();
    for (int n = 0; n < 3; n++) {
        plait_gf_resample_options options = {.vertex_count = counts[n]};
        plait_gf_groom g;
        assert_int_equal(plait_gf_resample(&helix, &options, &g, NULL), PLAIT_OK);
        assert_int_equal(g.vertex_count, counts[n]);
        double worst = 0, worst_end = 0, uneven = 0;
        for (uint32_t v = 0; v < counts[n]; v++) {
            // Against the point of the helix at the same height, and the height that grows with the length.
            const float *p = g.positions + 3 * v;
            double turn = p[1] / 0.03, off = hypot(p[0] - 0.01 * cos(2 * PI * turn), p[2] - 0.01 * sin(2 * PI * turn));
            double *of = turn < 1 / 12.0 || turn > 8 - 1 / 12.0 ? &worst_end : &worst;
            *of = fmax(*of, off / 0.01);
            uneven = fmax(uneven, fabs(p[1] - 0.24 * v / (counts[n] - 1)) / (0.24 / 96));
        }
        printf("%u vertices: off the helix by %.2f %% of its radius, %.2f %% at the ends; along it by %.2f %% of an "
               "edge\n",
               counts[n], 100 * worst, 100 * worst_end, 100 * uneven);
        assert_true(worst < 0.005 && worst_end < 0.012); // points on the old segments would be off by up to 3.4 %
        assert_true(uneven < 0.03);
        assert_memory_equal(g.positions, helix.positions, 3 * sizeof(float));
        assert_memory_equal(g.positions + 3 * (counts[n] - 1), helix.positions + 3 * 96, 3 * sizeof(float));
        plait_gf_groom_free(&g);
    }
    plait_gf_groom_free(&helix);
}

// Vertices of a circle, near and far from each other in turn.
static void uneven_vertices_give_round_curves(void **state) {
    (void)state;
    plait_gf_groom circle = make(1, 25), g;
    for (uint32_t v = 0; v < 25; v++) {
        double angle = (v / 2 * 30 + v % 2 * 8) * PI / 180; // 8 and 22 degrees
        circle.positions[3 * v] = (float)cos(angle), circle.positions[3 * v + 2] = (float)sin(angle);
    }
    plait_gf_resample_options options = {.vertex_count = 400};
    assert_int_equal(plait_gf_resample(&circle, &options, &g, NULL), PLAIT_OK);
    double worst = 0;
    for (uint32_t v = 0; v < 400; v++) worst = fmax(worst, fabs(hypot(g.positions[3 * v], g.positions[3 * v + 2]) - 1));
    printf("off the circle by %.2f %% of its radius\n", 100 * worst);
    assert_true(worst < 0.011); // with knots at equal distances: 1.4 %; on the segments: 1.8 %
    plait_gf_groom_free(&g);
    plait_gf_groom_free(&circle);
}

static void numbers_and_held_lengths_go_along(void **state) {
    (void)state;
    plait_gf_groom line = make(1, 11), g;
    line.radii = malloc(11 * sizeof(float));
    line.held_counts = malloc(sizeof(uint32_t));
    line.held_counts[0] = 4; // 0.3 of the length
    for (uint32_t v = 0; v < 11; v++) line.positions[3 * v] = 0.1f * (float)v, line.radii[v] = 1 - 0.1f * (float)v;
    plait_gf_resample_options options = {.vertex_count = 21};
    assert_int_equal(plait_gf_resample(&line, &options, &g, NULL), PLAIT_OK);
    for (uint32_t v = 0; v < 21; v++) {
        assert_float_equal(g.positions[3 * v], 0.05 * v, 1e-6);
        assert_float_equal(g.radii[v], 1 - 0.05 * v, 1e-6);
    }
    assert_int_equal(g.held_counts[0], 7);
    plait_gf_groom_free(&g);
    plait_gf_groom_free(&line);
}

static void edges_get_the_length_asked_for(void **state) {
    (void)state;
    plait_gf_groom two = make(2, 3), g;
    for (uint32_t v = 0; v < 3; v++)
        two.positions[3 * v + 1] = 0.5f * (float)v, two.positions[9 + 3 * v] = 0.01f * (float)v;
    plait_gf_resample_options options = {.edge_length = 0.13f};
    uint32_t capped;
    assert_int_equal(plait_gf_resample(&two, &options, &g, &capped), PLAIT_OK);
    assert_int_equal(capped, 0);
    assert_int_equal(g.vertex_counts[0], 9); // 1 / 0.13 is 7.7
    assert_int_equal(g.vertex_counts[1], 2);
    for (uint32_t v = 0; v < 8; v++) assert_float_equal(edge(&g, v), 0.125, 1e-6);
    plait_gf_groom_free(&g);
    options.edge_length = 1e-4f;
    assert_int_equal(plait_gf_resample(&two, &options, &g, &capped), PLAIT_OK);
    assert_int_equal(capped, 1);
    assert_int_equal(g.vertex_counts[0], PLAIT_MAX_STRAND_VERTICES);
    plait_gf_groom_free(&g);
    options.vertex_count = 5; // both
    assert_int_equal(plait_gf_resample(&two, &options, &g, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    plait_gf_groom_free(&two);
}

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static float random_share(uint32_t *seed) { return (float)next_random(seed) / 16777216.0f; }

// Strands of 5 vertices on a square of 20 cm. dense: nine of ten are in its left half. short_share: of strands that are short
// and lean, the others stand up, 30 cm long.
static plait_gf_groom make_scalp(uint32_t strands, bool dense, float short_share) {
    plait_gf_groom g = make(strands, 5);
    uint32_t seed = 7;
    for (uint32_t i = 0; i < strands; i++) {
        float x = random_share(&seed), z = random_share(&seed);
        if (dense) x = 0.5f * x + (random_share(&seed) < 0.9f ? 0 : 0.5f);
        bool is_short = random_share(&seed) < short_share;
        for (uint32_t v = 0; v < 5; v++) {
            float *p = g.positions + 3 * (5 * i + v), along = (float)v / 4;
            p[0] = 0.2f * x + (is_short ? 0.1f * along : 0);
            p[1] = (is_short ? 0.02f : 0.3f) * along;
            p[2] = 0.2f * z;
        }
    }
    return g;
}

static double root_distance(const plait_gf_groom *g, uint32_t a, uint32_t b) {
    const float *p = g->positions + 15 * a, *q = g->positions + 15 * b;
    return hypot((double)p[0] - q[0], (double)p[2] - q[2]);
}

static void nearest_guides(const plait_gf_groom *g, double *least, double *farthest) {
    *least = 1, *farthest = 0;
    for (uint32_t i = 0; i < g->strand_count; i++) {
        double nearest = 1;
        for (uint32_t k = 0; k < g->guide_count; k++)
            if (g->guides[k] != i) nearest = fmin(nearest, root_distance(g, i, g->guides[k]));
        bool guide = false;
        for (uint32_t k = 0; k < g->guide_count; k++) guide = guide || g->guides[k] == i;
        if (guide) *least = fmin(*least, nearest);
        if (!guide) *farthest = fmax(*farthest, nearest);
    }
}

static void guides_are_spread_evenly(void **state) {
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        plait_gf_groom g = make_scalp(4000, dense, 0);
        assert_int_equal(plait_gf_choose_guides(&g, NULL), PLAIT_OK);
        assert_int_equal(g.guide_count, 120);
        double ideal = sqrt(2 / sqrt(3.0) * 0.04 / 120), least, farthest;
        nearest_guides(&g, &least, &farthest);
        uint32_t left = 0;
        for (uint32_t k = 0; k < 120; k++) left += g.positions[15 * g.guides[k]] < 0.1f;
        printf("least distance of two guides %.2f, farthest strand %.2f of the best spacing; %u in the left half\n",
               least / ideal, farthest / ideal, left);
        // Chance would give 0.02 and 1.7, and 108 in a dense left half.
        assert_true(dense || least > 0.65 * ideal);
        assert_true(farthest < 1.1 * ideal);
        assert_true(left >= 45 && left <= (dense ? 85 : 75));
        uint32_t first[120];
        memcpy(first, g.guides, sizeof first);
        assert_int_equal(plait_gf_choose_guides(&g, NULL), PLAIT_OK);
        assert_memory_equal(first, g.guides, sizeof first);
        plait_gf_groom_free(&g);
    }
}

static bool is_short(const plait_gf_groom *g, uint32_t strand) { return g->positions[15 * strand + 13] < 0.1f; }

static void rare_shapes_have_guides_too(void **state) {
    (void)state;
    plait_gf_groom g = make_scalp(4000, false, 0.03f);
    assert_int_equal(plait_gf_choose_guides(&g, NULL), PLAIT_OK);
    uint32_t short_guides = 0;
    double farthest = 0;
    for (uint32_t k = 0; k < g.guide_count; k++) short_guides += is_short(&g, g.guides[k]);
    for (uint32_t i = 0; i < g.strand_count; i++) {
        double nearest = 1;
        for (uint32_t k = 0; k < g.guide_count && is_short(&g, i); k++)
            if (is_short(&g, g.guides[k])) nearest = fmin(nearest, root_distance(&g, i, g.guides[k]));
        if (is_short(&g, i)) farthest = fmax(farthest, nearest);
    }
    printf("%u of %u guides are short; the farthest short strand is %.1f cm from one\n", short_guides, g.guide_count,
           100 * farthest);
    assert_true(short_guides >= 20 && short_guides <= 70);
    assert_true(farthest < 0.05);
    plait_gf_groom_free(&g);
}

static void any_number_of_guides_can_be_had(void **state) {
    (void)state;
    plait_gf_groom g = make_scalp(200, false, 0.5f);
    g.group_count = 2;
    g.group_indices = calloc(200, sizeof *g.group_indices);
    for (uint32_t i = 0; i < 10; i++) g.group_indices[i] = 1;
    for (uint32_t count = 1; count <= 200; count += 13) {
        plait_gf_guide_options options = {.count = count};
        assert_int_equal(plait_gf_choose_guides(&g, &options), PLAIT_OK);
        assert_int_equal(g.guide_count, count);
        bool both[2] = {false, false};
        for (uint32_t k = 0; k < count; k++) {
            assert_true(g.guides[k] < 200 && (k == 0 || g.guides[k] > g.guides[k - 1]));
            both[g.group_indices[g.guides[k]]] = true;
        }
        if (count > 10) assert_true(both[0] && both[1]);
    }
    plait_gf_guide_options more = {.count = 1000}, half = {.share = 0.5f}, wrong = {.share = 1.5f};
    assert_int_equal(plait_gf_choose_guides(&g, &more), PLAIT_OK);
    assert_int_equal(g.guide_count, 200);
    assert_int_equal(plait_gf_choose_guides(&g, &half), PLAIT_OK);
    assert_int_equal(g.guide_count, 100);
    assert_int_equal(plait_gf_choose_guides(&g, &wrong), PLAIT_ERROR_INVALID_ARGUMENT);
    plait_gf_groom_free(&g);
    g = make(7, 2); // all in one place
    for (uint32_t i = 0; i < 7; i++) g.positions[6 * i + 4] = i % 2 ? 1 : -1;
    assert_int_equal(plait_gf_choose_guides(&g, NULL), PLAIT_OK);
    assert_int_equal(g.guide_count, 1);
    plait_gf_groom_free(&g);
}

// Few guides for two shapes that do not crowd each other.
static void few_guides_are_apart_too(void **state) {
    (void)state;
    plait_gf_groom g = make_scalp(200, false, 0.5f);
    plait_gf_guide_options few = {.count = 4};
    assert_int_equal(plait_gf_choose_guides(&g, &few), PLAIT_OK);
    for (uint32_t k = 0; k < 6; k++) {
        static const uint8_t pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
        assert_true(root_distance(&g, g.guides[pairs[k][0]], g.guides[pairs[k][1]]) > 0.06);
    }
    plait_gf_groom_free(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strands_shorter_than_rounding_stay_whole),
        cmocka_unit_test(curls_keep_radius_and_length),
        cmocka_unit_test(uneven_vertices_give_round_curves),
        cmocka_unit_test(numbers_and_held_lengths_go_along),
        cmocka_unit_test(edges_get_the_length_asked_for),
        cmocka_unit_test(guides_are_spread_evenly),
        cmocka_unit_test(rare_shapes_have_guides_too),
        cmocka_unit_test(any_number_of_guides_can_be_had),
        cmocka_unit_test(few_guides_are_apart_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
