// Rods in motion: bending frequencies of a clamped rod without and with weight, and the swing of a hanging rope.
#include <math.h>
#include <stdio.h>

#include "rods.h"
#include "theory.h"
#include "validate.h"

static const double PI = 3.14159265358979323846;
static const double RIGHT[3] = {1, 0, 0}, UP[3] = {0, 1, 0}, DOWN[3] = {0, -1, 0};

// A damped oscillation q, fitted by least squares to q(n+1) = a q(n) + b q(n-1), which all of them obey: a = 2 e^-d cos
// w, b = -e^-2d, with w and d the phase and decay of one sample.
typedef struct swing {
    double sums[5]; // q0 q0, q0 q1, q1 q1, q0 q2, q1 q2 over all three consecutive samples
    double last, before;
    unsigned count;
} swing;

// Projects a rod's deflection along an axis, relative to the root, onto a mode shape given from the second vertex on;
// trapezoidal rule. Shapes of different modes are orthogonal.
static double share(const rods *r, int axis, const double *shape);
static void swing_add(swing *s, double q);
static void swing_fit(const swing *s, double sample_s, double *hz, double *damping);

enum { MODES = 2, BEAM_EDGES = 64 };

static bool measure_beam(validate_run *run, float step_rate_hz, swing swings[MODES], double sample_s[MODES]);

static const double BEAM_LENGTH = 0.1;

// A rod of 10 cm without gravity, pushed at its root. Its motion is decomposed into theory's mode shapes.
bool validate_frequency(validate_run *run) {
    static const float RATES[2] = {4000, 120};
    static const bench_figure FREQUENCY = {
        "validate.frequency", "%",  2,
        BENCH_AT_MOST,        NULL, "worst error of the first two bending frequencies at 4000 steps/s"};
    static const bench_figure DAMPING[MODES] = {
        {"validate.damping_1_at_120_hz", "%", 0, BENCH_NO_TARGET, NULL,
         "damping ratio that steps of 1/120 s add to mode 1"},
        {"validate.damping_2_at_120_hz", "%", 0, BENCH_NO_TARGET, NULL, "the same of mode 2"}};
    double worst = 0, damping[MODES];
    plot_panel(&run->plot, "bending frequencies, 10 cm", &(plot_axis){"mode", 0, 3, false},
               &(plot_axis){"Hz", 1, 100, true});
    plot_note(&run->plot, PLOT_BLUE, "4000 steps per second");
    plot_note(&run->plot, PLOT_RED, "120 steps per second");
    for (int i = 0; i < 2; i++) {
        swing swings[MODES] = {0};
        double sample_s[MODES];
        if (!measure_beam(run, RATES[i], swings, sample_s)) return false;
        for (unsigned m = 0; m < MODES; m++) {
            double hz, theory = theory_bending_hz(m + 1, BEAM_LENGTH, RODS_BENDING, RODS_MASS);
            swing_fit(&swings[m], sample_s[m], &hz, &damping[m]);
            char what[40];
            snprintf(what, sizeof what, "mode %u at %.0f steps/s, Hz", m + 1, (double)RATES[i]);
            double error = validate_error(hz, theory);
            validate_add(run, &(validate_row){what, m + 1, theory, hz, error, false});
            snprintf(what, sizeof what, "  damping ratio");
            validate_add(run, &(validate_row){what, m + 1, 0, damping[m], NAN, false});
            plot_line(&run->plot, m + 0.7, theory, m + 1.3, theory, PLOT_THEORY);
            plot_point(&run->plot, m + 1, hz, i == 0 ? PLOT_BLUE : PLOT_RED);
            if (i == 0) worst = validate_worse(worst, fabs(error));
        }
    }
    validate_figure(run, &FREQUENCY, worst);
    for (unsigned m = 0; m < MODES; m++) validate_figure(run, &DAMPING[m], 100 * damping[m]);
    return true;
}

// The root jumps aside by a millimetre, which excites all modes.
static bool measure_beam(validate_run *run, float step_rate_hz, swing swings[MODES], double sample_s[MODES]) {
    static const double STILL[3] = {0, 0, 0};
    double seconds = 1, dt = 1 / (double)step_rate_hz;
    double shapes[MODES][BEAM_EDGES + 1];
    unsigned every[MODES];
    for (unsigned m = 0; m < MODES; m++) { // about twelve samples per period fit best
        double period = 1 / theory_bending_hz(m + 1, BEAM_LENGTH, RODS_BENDING, RODS_MASS);
        every[m] = (unsigned)fmax(period / (12 * dt), 1);
        sample_s[m] = every[m] * dt;
        for (unsigned v = 0; v <= BEAM_EDGES; v++) shapes[m][v] = theory_bending_shape(m + 1, (double)v / BEAM_EDGES);
    }
    rods r;
    if (!rods_make(&r, 1, &(uint32_t){BEAM_EDGES})) return false;
    rods_draw_arc(&r, 0, BEAM_LENGTH, 0, RIGHT, UP);
    r.step_rate_hz = step_rate_hz;
    bool measured = rods_open(&r, &run->where);
    r.bones[0][7] = 1e-3f;
    for (unsigned i = 0; measured && i < seconds / dt; i++) {
        measured = rods_step(&r, dt, STILL) && rods_read(&r);
        for (unsigned m = 0; m < MODES; m++)
            if (i * dt > 0.01 && i % every[m] == 0 && i * dt * m < 0.3) swing_add(&swings[m], share(&r, 1, shapes[m]));
    }
    rods_close(&r);
    return measured;
}

// Without stiffness, so that nothing clamps it.
bool validate_rope(validate_run *run) {
    enum { EDGES = 80 };
    static const bench_figure FIGURE = {"validate.rope", "%", 2, BENCH_AT_MOST, NULL, "error of the first frequency"};
    static const double GRAVITY[3] = {0, -RODS_GRAVITY, 0}, ASIDE[3] = {0.02 * RODS_GRAVITY, -RODS_GRAVITY, 0};
    const double length = 0.2, dt = 1.0 / 2000;
    const double theory = theory_rope_hz(length, RODS_GRAVITY);
    const unsigned every = (unsigned)(1 / (12 * theory * dt));
    double shape[EDGES + 1] = {0}, start = 0;
    for (unsigned v = 1; v <= EDGES; v++) shape[v] = theory_rope_shape((double)v / EDGES);
    plot_panel(&run->plot, "hanging rope, 20 cm: share of mode 1", &(plot_axis){"s", 0, 3, false},
               &(plot_axis){"of its start", -1.1, 1.1, false});
    plot_note(&run->plot, PLOT_BLUE, "simulated");
    plot_note(&run->plot, PLOT_THEORY, "theory, no damping");
    rods r;
    if (!rods_make(&r, 1, &(uint32_t){EDGES})) return false;
    rods_draw_arc(&r, 0, length, 0, DOWN, RIGHT);
    r.params.bend_modulus = r.params.twist_modulus = 0;
    r.step_rate_hz = (float)(1 / dt);
    bool measured = rods_open(&r, &run->where) && rods_settle(&r, ASIDE, 1e-3, 200000);
    swing s = {0};
    for (unsigned i = 0; measured && i < 4 / dt; i++) {
        measured = rods_step(&r, dt, GRAVITY) && rods_read(&r);
        double q = share(&r, 0, shape), t = (i + 1) * dt, w = 2 * PI * theory;
        if (i == 0) start = q;
        if (i % every == 0) swing_add(&s, q);
        if (i % 40 == 0) plot_point(&run->plot, t, q / start, PLOT_BLUE);
        if (i % 10 == 0) plot_line(&run->plot, t, cos(w * t), t + 10 * dt, cos(w * (t + 10 * dt)), PLOT_THEORY);
    }
    rods_close(&r);
    if (!measured) return false;
    double hz, damping;
    swing_fit(&s, every * dt, &hz, &damping);
    validate_add(run, &(validate_row){"mode 1, Hz", length, theory, hz, validate_error(hz, theory), false});
    validate_add(run, &(validate_row){"  damping ratio", length, 0, damping, NAN, false});
    validate_figure(run, &FIGURE, fabs(validate_error(hz, theory)));
    return true;
}

enum { HANGING_MODES = 3, HANGING_EDGES = 80 };

static const double HANGING_LENGTH = 0.2;

// One mode of the hanging rod: what theory says of it.
typedef struct mode {
    double hz;
    double shape[HANGING_EDGES + 1];
} mode;

static bool measure_mode(validate_run *run, const mode *m, float step_rate_hz, double *hz, double *damping);

// A hair of 20 cm that hangs, at the step rates of games: how far its first three modes are from theory, and how fast
// they die away although nothing damps them.
bool validate_modes(validate_run *run) {
    static const float RATES[3] = {60, 120, 240};
    const vec3 colors[3] = {PLOT_RED, PLOT_GREEN, PLOT_BLUE};
    static const bench_figure FIGURE = {
        "validate.mode_1_at_240_hz", "%", 3, BENCH_AT_MOST, NULL, "error of mode 1's frequency at 240 steps/s"};
    double figure = NAN;
    plot_panel(&run->plot, "frequencies of a hanging rod, 20 cm", &(plot_axis){"mode", 0, 4, false},
               &(plot_axis){"Hz", 1, 20, true});
    for (int i = 0; i < 3; i++) {
        char note[40];
        snprintf(note, sizeof note, "%.0f steps per second", (double)RATES[i]);
        plot_note(&run->plot, colors[i], note);
    }
    for (unsigned m = 0; m < HANGING_MODES; m++) {
        mode theory;
        theory.hz = theory_hanging_hz(m + 1, HANGING_LENGTH, RODS_BENDING, RODS_MASS, RODS_GRAVITY, HANGING_EDGES,
                                      theory.shape);
        plot_line(&run->plot, m + 0.7, theory.hz, m + 1.3, theory.hz, PLOT_THEORY);
        for (int i = 0; i < 3; i++) {
            double hz, damping;
            if (!measure_mode(run, &theory, RATES[i], &hz, &damping)) return false;
            double error = validate_error(hz, theory.hz);
            char what[40];
            snprintf(what, sizeof what, "mode %u, Hz", m + 1);
            validate_add(run, &(validate_row){what, (double)RATES[i], theory.hz, hz, error, false});
            validate_add(run, &(validate_row){"  damping, %", (double)RATES[i], 0, 100 * damping, NAN, false});
            plot_point(&run->plot, m + 1, hz, colors[i]);
            if (m == 0 && RATES[i] == 240) figure = fabs(error);
        }
    }
    validate_figure(run, &FIGURE, figure);
    return true;
}

// Gravity that leans over and back for one period of the mode makes it swing by some millimetres. Three periods are
// enough for the fit, and few enough that modes that die away are not lost in the others.
static bool measure_mode(validate_run *run, const mode *m, float step_rate_hz, double *hz, double *damping) {
    const double dt = 1 / (double)step_rate_hz, pushed = 1, watched = 3; // periods
    const unsigned every = (unsigned)fmax(1 / (12 * m->hz * dt), 1);     // about twelve samples per period fit best
    rods r;
    if (!rods_make(&r, 1, &(uint32_t){HANGING_EDGES})) return false;
    rods_draw_arc(&r, 0, HANGING_LENGTH, 0, DOWN, RIGHT);
    r.step_rate_hz = step_rate_hz;
    bool measured = rods_open(&r, &run->where);
    swing s = {0};
    for (unsigned i = 0; measured && i * dt * m->hz < pushed + watched; i++) {
        double periods = (i + 0.5) * dt * m->hz;
        double push = periods < pushed ? 0.02 * RODS_GRAVITY * cos(2 * PI * periods) : 0;
        measured = rods_step(&r, dt, (double[3]){push, -RODS_GRAVITY, 0}) && rods_read(&r);
        if (periods > pushed && i % every == 0) swing_add(&s, share(&r, 0, m->shape));
    }
    rods_close(&r);
    swing_fit(&s, every * dt, hz, damping);
    return measured;
}

static double share(const rods *r, int axis, const double *shape) {
    unsigned edges = r->vertex_counts[0] - 1;
    double sum = 0, root = rods_at(r, 0, 0)[axis];
    for (unsigned v = 1; v <= edges; v++) sum += (v == edges ? 0.5 : 1) * (rods_at(r, 0, v)[axis] - root) * shape[v];
    return sum / edges;
}

static void swing_add(swing *s, double q) {
    if (s->count >= 2) {
        const double terms[5] = {s->before * s->before, s->before * s->last, s->last * s->last, s->before * q,
                                 s->last * q};
        for (int i = 0; i < 5; i++) s->sums[i] += terms[i];
    }
    s->before = s->last;
    s->last = q;
    s->count++;
}

static void swing_fit(const swing *s, double sample_s, double *hz, double *damping) {
    const double *u = s->sums, over = 1 / (u[0] * u[2] - u[1] * u[1]);
    double b = over * (u[2] * u[3] - u[1] * u[4]), a = over * (u[0] * u[4] - u[1] * u[3]);
    double decay = -0.5 * log(-b), phase = acos(0.5 * a / sqrt(-b)); // of one sample
    *hz = phase / (2 * PI * sample_s);
    *damping = decay / hypot(decay, phase);
}
