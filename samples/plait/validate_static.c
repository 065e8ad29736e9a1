// Rods at rest: horizontal ones that bend under their weight, hanging ones that stretch.
#include <math.h>
#include <stdio.h>

#include "rods.h"
#include "theory.h"
#include "validate.h"

static const double RIGHT[3] = {1, 0, 0}, UP[3] = {0, 1, 0}, DOWN[3] = {0, -1, 0};
static const double GRAVITY[3] = {0, -RODS_GRAVITY, 0};

enum { MAX_GAMMAS = 40 };

// How rods are clamped and divided into edges.
typedef struct cut {
    const char *what;
    double edge;      // m
    uint32_t fewest;  // edges of short rods
    double extension; // see plait_hybrid_params.clamp_extension
    vec3 color;
} cut;

static unsigned choose_gammas(bool quick, double *gammas);
static bool measure_cut(validate_run *run, const cut *c, unsigned count, const double *gammas, double *errors);
static bool measure_batch(validate_run *run, const cut *c, unsigned count, const double *gammas, double *errors);
static bool measure_stretch(validate_run *run, float modulus, double gravity, double *worst);

// Once clamped at the middle of the first edge, as in the discrete model, and measured from there; twice clamped at the
// root, as hair is, the second time with edges half as long.
bool validate_cantilever(validate_run *run) {
    static const cut CUTS[3] = {{"clamped mid-edge", 2.5e-3, 16, 0, {0.05f, 0.25f, 0.75f}},
                                {"clamped at root", 2.5e-3, 16, 1, {0.8f, 0.1f, 0.05f}},
                                {"at root, half edges", 1.25e-3, 32, 1, {0.05f, 0.45f, 0.1f}}};
    static const bench_figure FIGURES[2] = {
        {"validate.cantilever_worst", "%", 1, BENCH_AT_MOST, NULL, "worst error of rods clamped mid-edge"},
        {"validate.cantilever_scalp_worst", "%", 2.5, BENCH_AT_MOST, NULL, "worst error of rods clamped at the root"}};
    static const bench_figure REFINED = {"validate.cantilever_refinement",
                                         "x",
                                         0.75,
                                         BENCH_AT_MOST,
                                         NULL,
                                         "that error with half edges over that with whole ones"};
    double gammas[MAX_GAMMAS], errors[3][MAX_GAMMAS], worst[3] = {0};
    unsigned count = choose_gammas(run->quick, gammas);
    plot_panel(&run->plot, "cantilever: H/W against gamma", &(plot_axis){"gamma", 5e-4, 2e4, true},
               &(plot_axis){"H/W", 5e-5, 200, true});
    for (unsigned i = 0; i + 1 < count; i++)
        plot_line(&run->plot, gammas[i], theory_cantilever(gammas[i], NULL, NULL), gammas[i + 1],
                  theory_cantilever(gammas[i + 1], NULL, NULL), PLOT_THEORY);
    for (int i = 0; i < 3; i++) {
        plot_note(&run->plot, CUTS[i].color, CUTS[i].what);
        if (!measure_cut(run, &CUTS[i], count, gammas, errors[i])) return false;
    }
    plot_panel(&run->plot, "cantilever: error of H/W", &(plot_axis){"gamma", 5e-4, 2e4, true},
               &(plot_axis){"%", -3, 3, false});
    plot_line(&run->plot, 5e-4, 0, 2e4, 0, PLOT_THEORY);
    for (int i = 0; i < 3; i++)
        for (unsigned k = 0; k < count; k++) {
            plot_point(&run->plot, gammas[k], errors[i][k], CUTS[i].color);
            worst[i] = validate_worse(worst[i], fabs(errors[i][k]));
        }
    for (int i = 0; i < 2; i++) validate_figure(run, &FIGURES[i], worst[i]);
    validate_figure(run, &REFINED, worst[2] / worst[1]);
    return true;
}

// Five a decade from 0.001 to 10,000, and hairs of 10 and 20 cm.
static unsigned choose_gammas(bool quick, double *gammas) {
    static const double QUICK[] = {0.01, 0.3, 1, 6.8016, 54.4128, 630.957};
    unsigned count = 0;
    if (quick) {
        for (; count < sizeof QUICK / sizeof *QUICK; count++) gammas[count] = QUICK[count];
        return count;
    }
    for (int i = 0; i <= 35; i++) {
        gammas[count++] = pow(10, -3 + 0.2 * i);
        if (i == 19) gammas[count++] = 6.8016;
        if (i == 23) gammas[count++] = 54.4128;
    }
    return count;
}

// Rods of similar length together: short ones need short steps, long ones many.
static bool measure_cut(validate_run *run, const cut *c, unsigned count, const double *gammas, double *errors) {
    for (unsigned first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && gammas[next] < 100 * gammas[first];) next++;
        if (!measure_batch(run, c, next - first, gammas + first, errors + first)) return false;
    }
    return true;
}

static bool measure_batch(validate_run *run, const cut *c, unsigned count, const double *gammas, double *errors) {
    uint32_t edges[MAX_GAMMAS];
    double lengths[MAX_GAMMAS], shortest = 1;
    for (unsigned i = 0; i < count; i++) {
        lengths[i] = cbrt(gammas[i] * RODS_BENDING / (RODS_MASS * RODS_GRAVITY));
        edges[i] = (uint32_t)fmax(round(lengths[i] / c->edge), c->fewest);
        shortest = fmin(shortest, lengths[i] / edges[i]);
    }
    rods r;
    if (!rods_make(&r, count, edges)) return false;
    double clamp = 0.5 * (1 - c->extension); // where, in edges from the root
    for (unsigned i = 0; i < count; i++) rods_draw_arc(&r, i, lengths[i] * edges[i] / (edges[i] - clamp), 0, RIGHT, UP);
    r.params.clamp_extension = (float)c->extension;
    r.step_rate_hz = rods_step_rate(shortest);
    bool measured = rods_open(&r, &run->where) && rods_settle(&r, GRAVITY, 1e-4, 20000) && rods_read(&r);
    for (unsigned i = 0; measured && i < count; i++) {
        const float *tip = rods_tip(&r, i);
        double theory = theory_cantilever(gammas[i], NULL, NULL);
        double ratio = -tip[1] / (tip[0] - clamp * lengths[i] / (edges[i] - clamp));
        errors[i] = validate_error(ratio, theory);
        validate_add(run, &(validate_row){c->what, gammas[i], theory, ratio, errors[i], false});
        plot_point(&run->plot, gammas[i], ratio, c->color);
    }
    rods_close(&r);
    return measured;
}

// Soft rods under gravity, real ones under a thousand times as much: single precision cannot resolve a hair's stretch
// of one in a million.
bool validate_stretch(validate_run *run) {
    static const bench_figure FIGURE = {"validate.stretch", "%", 1, BENCH_AT_MOST, NULL, "worst error"};
    double worst = 0;
    plot_panel(&run->plot, "stretch under own weight, 30 cm", &(plot_axis){"strain, theory", 1e-5, 1e-1, true},
               &(plot_axis){"strain, measured", 1e-5, 1e-1, true});
    plot_line(&run->plot, 1e-5, 1e-5, 1e-1, 1e-1, PLOT_THEORY);
    if (!measure_stretch(run, 1e6f, RODS_GRAVITY, &worst) || !measure_stretch(run, 1e7f, RODS_GRAVITY, &worst) ||
        !measure_stretch(run, 3e9f, 1e3 * RODS_GRAVITY, &worst))
        return false;
    validate_figure(run, &FIGURE, worst);
    return true;
}

static bool measure_stretch(validate_run *run, float modulus, double gravity, double *worst) {
    enum { EDGES = 60 };
    const double edge = 0.005, length = edge * EDGES, pull[3] = {0, -gravity, 0};
    rods r;
    if (!rods_make(&r, 1, &(uint32_t){EDGES})) return false;
    rods_draw_arc(&r, 0, length, 0, DOWN, RIGHT);
    r.params.stretch_modulus = modulus;
    r.step_rate_hz = (float)fmax(sqrt((double)modulus / RODS_DENSITY / 1e5) / edge, 60); // as in rods_step_rate
    bool measured = rods_open(&r, &run->where) && rods_settle(&r, pull, 1e-4 * gravity, 20000) && rods_read(&r);
    if (measured) {
        double theory = theory_stretch(RODS_DENSITY, gravity, length, (double)modulus);
        double strain = ((double)rods_at(&r, 0, 0)[1] - rods_tip(&r, 0)[1]) / length - 1;
        double error = validate_error(strain, theory);
        char what[40];
        snprintf(what, sizeof what, "%g Pa under %.0f m/s2", (double)modulus, gravity);
        validate_add(run, &(validate_row){what, (double)modulus, theory, strain, error, false});
        plot_point(&run->plot, theory, strain, PLOT_BLUE);
        *worst = validate_worse(*worst, fabs(error));
    }
    rods_close(&r);
    return measured;
}
