// Rods without weight whose tips stand on a plane while their clamped ends move down: they bend sideways, and a tip
// slips when the force on it leaves the friction cone. No target: friction here is a force whose size follows from how
// deep a tip lies when a step begins (core/kernels/rod_ahead.h), and a tip that sticks creeps.
#include <math.h>
#include <stdio.h>

#include "rods.h"
#include "theory.h"
#include "validate.h"

enum { EDGES = 40, FRICTIONS = 7 };

static const double LENGTH = 0.1, DEEPEST = 0.42, SECONDS = 4, STEP_S = 1.0 / 2000;
static const double SLIPPED = 0.01; // of the length: more than sticking tips creep

static void lower(rods *r, double depth);

bool validate_stick_slip(validate_run *run) {
    static const double DOWN[3] = {0, -1, 0}, RIGHT[3] = {1, 0, 0}, STILL[3] = {0, 0, 0};
    static const bench_figure FIGURE = {"validate.stick_slip_worst",
                                        "%",
                                        0,
                                        BENCH_NO_TARGET,
                                        NULL,
                                        "largest difference; a rod that did not slip counts as 100"};
    uint32_t edges[FRICTIONS];
    double slip[FRICTIONS] = {0}, start[FRICTIONS] = {0}, worst = 0;
    for (int i = 0; i < FRICTIONS; i++) edges[i] = EDGES;
    rods r;
    if (!rods_make(&r, FRICTIONS, edges)) return false;
    for (uint32_t i = 0; i < FRICTIONS; i++) {
        rods_draw_arc(&r, i, LENGTH, 0.02 / LENGTH, DOWN, RIGHT); // so that the direction of bending is defined
        r.frictions[i] = 0.05f * (float)(i + 1);
        start[i] = rods_tip(&r, i)[0];
    }
    r.has_plane = true;
    r.step_rate_hz = (float)(1 / STEP_S);
    r.params.drag_per_s = 100;
    lower(&r, 0);
    bool measured = rods_open(&r, &run->where);
    for (double t = 0; measured && t < SECONDS; t += STEP_S) {
        double depth = DEEPEST * t / SECONDS;
        lower(&r, depth * LENGTH);
        measured = rods_step(&r, STEP_S, STILL) && rods_read(&r);
        for (uint32_t i = 0; i < FRICTIONS; i++)
            if (slip[i] == 0 && fabs(rods_tip(&r, i)[0] - start[i]) > SLIPPED * LENGTH) slip[i] = depth;
    }
    plot_panel(&run->plot, "stick-slip: way to the first slip", &(plot_axis){"friction", 0, 0.4, false},
               &(plot_axis){"way / length", 0, 0.4, false});
    for (double mu = 0; mu < 0.345; mu += 0.01)
        plot_line(&run->plot, mu, theory_slip(mu), mu + 0.01, theory_slip(mu + 0.01), PLOT_THEORY);
    for (int i = 0; measured && i < FRICTIONS; i++) {
        double friction = (double)r.frictions[i], theory = theory_slip(friction);
        bool slipped = slip[i] > 0;
        double error = slipped ? validate_error(slip[i], theory) : 100;
        validate_add(run, &(validate_row){slipped ? "way to slip / length" : "did not slip", friction, theory, slip[i],
                                          slipped ? error : NAN, false});
        plot_point(&run->plot, friction, slip[i], PLOT_BLUE);
        worst = fmax(worst, fabs(error));
    }
    rods_close(&r);
    if (measured) validate_figure(run, &FIGURE, worst);
    return measured;
}

// Tips touch the plane at a depth of zero.
static void lower(rods *r, double depth) {
    for (uint32_t i = 0; i < r->count; i++) r->bones[i][7] = (float)(LENGTH + RODS_RADIUS - depth);
}
