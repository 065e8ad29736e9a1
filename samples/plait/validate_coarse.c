// Rods of few edges, as the strands of games are: how far their tips hang down against the continuum's.
#include <math.h>
#include <stdio.h>

#include "rods.h"
#include "theory.h"
#include "validate.h"

enum { DIVISIONS = 2, GAMMAS = 7 };
static const double GAMMA[GAMMAS] = {1, 3, 10, 30, 100, 300, 1000};

static bool measure_division(validate_run *run, uint32_t edges, vec3 color, double *worst);

bool validate_coarse(validate_run *run) {
    static const uint32_t EDGES[DIVISIONS] = {20, 10};
    static const bench_figure FIGURES[DIVISIONS] = {
        {"validate.coarse_20_edges", "%", 2, BENCH_AT_MOST, NULL, "worst error of the drop"},
        {"validate.coarse_10_edges", "%", 5, BENCH_AT_MOST, NULL, "worst error of the drop"}};
    const vec3 colors[DIVISIONS] = {PLOT_BLUE, PLOT_RED};
    double worst[DIVISIONS], over = 0;
    plot_panel(&run->plot, "rods of few edges: error of their drop", &(plot_axis){"gamma", 0.5, 2000, true},
               &(plot_axis){"%", -10, 10, false});
    plot_line(&run->plot, 0.5, 0, 2000, 0, PLOT_THEORY);
    for (int i = 0; i < DIVISIONS; i++) {
        char note[40];
        snprintf(note, sizeof note, "%u edges", EDGES[i]);
        plot_note(&run->plot, colors[i], note);
        if (!measure_division(run, EDGES[i], colors[i], &worst[i])) return false;
    }
    for (int i = 0; i < DIVISIONS; i++) {
        validate_figure(run, &FIGURES[i], worst[i]);
        over = validate_worse(over, worst[i] / FIGURES[i].target);
    }
    validate_figure(run, &VALIDATE_BENCHED[VALIDATE_COARSE_WORST], over);
    return true;
}

// Clamped level at their roots, as hair is.
static bool measure_division(validate_run *run, uint32_t edge_count, vec3 color, double *worst) {
    static const double RIGHT[3] = {1, 0, 0}, UP[3] = {0, 1, 0}, GRAVITY[3] = {0, -RODS_GRAVITY, 0};
    uint32_t edges[GAMMAS];
    double lengths[GAMMAS];
    for (int i = 0; i < GAMMAS; i++) {
        edges[i] = edge_count;
        lengths[i] = cbrt(GAMMA[i] * RODS_BENDING / (RODS_MASS * RODS_GRAVITY));
    }
    rods r;
    if (!rods_make(&r, GAMMAS, edges)) return false;
    for (uint32_t i = 0; i < GAMMAS; i++) rods_draw_arc(&r, i, lengths[i], 0, RIGHT, UP);
    r.step_rate_hz = rods_step_rate(lengths[0] / edge_count);
    bool measured = rods_open(&r, &run->where) && rods_settle(&r, GRAVITY, 1e-4, 20000) && rods_read(&r);
    *worst = 0;
    for (uint32_t i = 0; measured && i < GAMMAS; i++) {
        double drop, reach;
        theory_cantilever(GAMMA[i], &drop, &reach);
        double x = rods_tip(&r, i)[0] / lengths[i], y = -rods_tip(&r, i)[1] / lengths[i];
        double error = validate_error(y, drop);
        char what[40];
        snprintf(what, sizeof what, "%u edges, drop / length", edge_count);
        validate_add(run, &(validate_row){what, GAMMA[i], drop, y, error, false});
        double distance = hypot(x - reach, y - drop);
        validate_add(run, &(validate_row){"  tip off by, / length", GAMMA[i], 0, distance, 100 * distance, false});
        plot_point(&run->plot, GAMMA[i], error, color);
        *worst = validate_worse(*worst, fabs(error));
    }
    rods_close(&r);
    return measured;
}
