// Hanging curls of all sizes and lengths: some stay in the plane they are drawn in, others wind out of it. In theory a
// curve separates both; its coordinates are the total turn of the curl and how little its weight unwinds it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rods.h"
#include "theory.h"
#include "validate.h"

static const double PI = 3.14159265358979323846;
static const double LOW_CURVATURE = 17.5, HIGH_CURVATURE = 200; // 1/m
static const double LOW_TURN = 1.2, HIGH_TURN = 12;             // over pi
// Nearer than this to the curve, points tell nothing.
static const double MARGIN = 0.05; // nearer to the curve than this, points tell nothing

enum { EDGES_PER_TURN = 64, FEWEST_EDGES = 48, MOST_EDGES = 1000 };

typedef struct curl {
    double curvature, turn, lightness;
} curl;

static unsigned choose_curls(unsigned rows, unsigned columns, curl *curls);
static bool hang(validate_run *run, unsigned count, const curl *curls, double *out_of_plane);
static double leaning(const rods *r, uint32_t rod);
static void draw_curve(validate_run *run);

bool validate_bend_twist(validate_run *run) {
    enum { MOST = 18 * 14 };
    static const bench_figure FIGURE = {"validate.bend_twist_right",
                                        "%",
                                        97,
                                        BENCH_AT_LEAST,
                                        NULL,
                                        "curls that stay in their plane, or leave it, as theory says"};
    static curl curls[MOST];
    static double out_of_plane[MOST];
    unsigned columns = run->quick ? 4 : 14, count = choose_curls(run->quick ? 6 : 18, columns, curls);
    unsigned counted = 0, right = 0;
    draw_curve(run);
    for (unsigned i = 0; i < count; i += columns) // the edges of a row have one length, and the step rate suits it
        if (!hang(run, columns, curls + i, out_of_plane + i)) return false;
    for (unsigned i = 0; i < count; i++) {
        // The tangent of a curl that left its plane points far out of it; half of that is well above noise.
        bool planar = out_of_plane[i] < 0.05, expected = theory_stays_planar(curls[i].turn, curls[i].lightness);
        bool counts = theory_planar_margin(curls[i].turn, curls[i].lightness) > MARGIN;
        char what[40];
        snprintf(what, sizeof what, "%.3f/cm, %.2f pi%s", curls[i].curvature / 100, curls[i].turn / PI,
                 counts ? "" : ", too near");
        validate_add(run, &(validate_row){what, curls[i].lightness, !expected, out_of_plane[i], NAN,
                                          planar == expected || !counts});
        plot_point(&run->plot, curls[i].turn / PI, curls[i].lightness,
                   counts && planar != expected ? PLOT_RED
                   : planar                     ? PLOT_GREEN
                                                : PLOT_BLUE);
        counted += counts;
        right += counts && planar == expected;
    }
    printf("  %u curls, %u of them near the curve and not counted; %u of %u right; rows above are wrong\n", count,
           count - counted, right, counted);
    validate_figure(run, &FIGURE, 100.0 * right / counted);
    return true;
}

// A grid, uniform in the logarithms of curvature and turn.
static unsigned choose_curls(unsigned rows, unsigned columns, curl *curls) {
    double weight_length = cbrt(RODS_BENDING / (RODS_MASS * RODS_GRAVITY));
    for (unsigned i = 0; i < rows * columns; i++) {
        double row = (double)(i / columns) / (rows - 1), column = (double)(i % columns) / (columns - 1);
        curls[i].curvature = LOW_CURVATURE * pow(HIGH_CURVATURE / LOW_CURVATURE, row);
        curls[i].turn = PI * LOW_TURN * pow(HIGH_TURN / LOW_TURN, column);
        curls[i].lightness = 1 / (curls[i].curvature * weight_length);
    }
    return rows * columns;
}

// First as drawn, in the plane; then with a push out of it, so that no unstable curl stays by accident.
static bool hang(validate_run *run, unsigned count, const curl *curls, double *out_of_plane) {
    static const double DOWN[3] = {0, -1, 0}, RIGHT[3] = {1, 0, 0};
    static const double GRAVITY[3] = {0, -RODS_GRAVITY, 0}, LEANING[3] = {0, -RODS_GRAVITY, 0.1 * RODS_GRAVITY};
    uint32_t *edges = calloc(count, sizeof *edges), most = run->quick ? 1500 : 4000; // steps
    rods r = {0};
    for (unsigned i = 0; edges && i < count; i++)
        edges[i] = (uint32_t)fmin(fmax(curls[i].turn / (2 * PI) * EDGES_PER_TURN, FEWEST_EDGES), MOST_EDGES);
    bool measured = edges && rods_make(&r, count, edges);
    for (unsigned i = 0; measured && i < count; i++)
        rods_draw_arc(&r, i, curls[i].turn / curls[i].curvature, curls[i].curvature, DOWN, RIGHT);
    r.step_rate_hz = rods_step_rate(curls[0].turn / curls[0].curvature / edges[0]);
    r.params.stretch_modulus = 1e7f;
    measured = measured && rods_open(&r, &run->where) && rods_settle(&r, GRAVITY, 1e-2, most) &&
               rods_settle(&r, LEANING, 1e-4, 20) && rods_settle(&r, GRAVITY, 1e-4, most) && rods_read(&r);
    for (unsigned i = 0; measured && i < count; i++) out_of_plane[i] = leaning(&r, i);
    rods_close(&r);
    free(edges);
    return measured;
}

// The largest out-of-plane component of any edge direction.
static double leaning(const rods *r, uint32_t rod) {
    double most = 0;
    for (uint32_t v = 1; v < r->vertex_counts[rod]; v++) {
        const float *a = rods_at(r, rod, v - 1), *b = rods_at(r, rod, v);
        double x = (double)b[0] - a[0], y = (double)b[1] - a[1], z = (double)b[2] - a[2];
        double lean = fabs(z) / sqrt(x * x + y * y + z * z);
        most = lean <= most ? most : lean;
    }
    return most;
}

static void draw_curve(validate_run *run) {
    double turn[2], lightness[2];
    plot_panel(&run->plot, "bend-twist: planar or not", &(plot_axis){"curvature x length / pi", 1, 30, true},
               &(plot_axis){"1 / curvature / weight length", 0.08, 1.5, true});
    plot_note(&run->plot, PLOT_GREEN, "planar");
    plot_note(&run->plot, PLOT_BLUE, "out of plane");
    plot_note(&run->plot, PLOT_RED, "wrong");
    for (unsigned i = 0; theory_planar_curve(i + 1, &turn[1], &lightness[1]); i++) {
        theory_planar_curve(i, &turn[0], &lightness[0]);
        plot_line(&run->plot, turn[0] / PI, lightness[0], turn[1] / PI, lightness[1], PLOT_THEORY);
    }
}
