// What moving rods do with their energy: none comes from nowhere, and motion does not depend on the step rate.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rods.h"
#include "validate.h"

static const double PI = 3.14159265358979323846, LENGTH = 0.25;
static const double DOWN[3] = {0, -RODS_GRAVITY, 0};

enum { LEVEL, HELIX, FOLDED, SHAPES, EDGES = 40 };
static const char *const NAMES[SHAPES] = {"level", "helix", "folded"};

typedef float frame[SHAPES * (EDGES + 1)][3]; // positions of all vertices

static bool measure_gain(validate_run *run, float rate, double gain[SHAPES]);
static bool measure_speed(validate_run *run, float rate, double *speed);
static bool make_shapes(rods *r);
static void draw(rods *r, uint32_t rod, int shape);
static void nod(rods *r, double seconds);
static double energy(const rods *r, uint32_t rod, const frame before, double dt);

// Of rods that swing for three seconds after they were let go.
bool validate_energy(validate_run *run) {
    static const float RATES[] = {60, 120, 240, 480, 960, 2000};
    const vec3 colors[SHAPES] = {PLOT_BLUE, PLOT_RED, PLOT_GREEN};
    const double fall = RODS_GRAVITY * LENGTH / 2; // from level to hanging, J/kg
    double worst = -INFINITY;
    plot_panel(&run->plot, "energy gained, drawn up to 5 %", &(plot_axis){"steps per second", 50, 2500, true},
               &(plot_axis){"% of a fall", -2, 6, false});
    plot_line(&run->plot, 50, 0, 2500, 0, PLOT_THEORY);
    for (int shape = 0; shape < SHAPES; shape++) plot_note(&run->plot, colors[shape], NAMES[shape]);
    for (size_t i = 0; i < sizeof RATES / sizeof *RATES; i++) {
        double gain[SHAPES];
        if (!measure_gain(run, RATES[i], gain)) return false;
        for (int shape = 0; shape < SHAPES; shape++) {
            char what[40];
            snprintf(what, sizeof what, "%s: gain, %% of a fall", NAMES[shape]);
            double share = 100 * gain[shape] / fall;
            validate_add(run, &(validate_row){what, (double)RATES[i], 0, share, NAN, false});
            plot_point(&run->plot, (double)RATES[i], fmin(share, 5), colors[shape]);
            worst = validate_worse(worst, share);
        }
    }
    validate_figure(run, &VALIDATE_BENCHED[VALIDATE_ENERGY_WORST], worst);
    return true;
}

// The most that energy is ever above its start, J/kg. It counts motion and height only: what bending and stretch hold is
// nothing at the start and not negative later, so energy that shows was really gained.
static bool measure_gain(validate_run *run, float rate, double gain[SHAPES]) {
    static frame before;
    const double dt = 1 / (double)rate, seconds = 3;
    rods r;
    if (!make_shapes(&r)) return false;
    r.step_rate_hz = rate;
    double start[SHAPES];
    memcpy(before, r.positions, sizeof before);
    for (int shape = 0; shape < SHAPES; shape++) {
        start[shape] = energy(&r, (uint32_t)shape, before, dt);
        gain[shape] = -INFINITY;
    }
    bool measured = rods_open(&r, &run->where);
    for (unsigned i = 0; measured && i < seconds / dt; i++) {
        memcpy(before, r.positions, sizeof before);
        measured = rods_step(&r, dt, DOWN) && rods_read(&r);
        for (int shape = 0; shape < SHAPES; shape++) {
            double now = energy(&r, (uint32_t)shape, before, dt) - start[shape];
            gain[shape] = validate_worse(gain[shape], now);
        }
    }
    rods_close(&r);
    return measured;
}

// Of hair on bones that nod for five seconds.
bool validate_rate(validate_run *run) {
    static const float RATES[] = {60, 120, 240, 480}, REFERENCE = 960;
    static const bench_figure FIGURE = {
        "validate.rate_worst", "%", 10, BENCH_AT_MOST, NULL, "rms speeds at 120 to 480 steps/s against that at 960"};
    double speed, reference, worst = 0;
    if (!measure_speed(run, REFERENCE, &reference)) return false;
    plot_panel(&run->plot, "rms speed of nodding rods", &(plot_axis){"steps per second", 50, 1200, true},
               &(plot_axis){"m/s", 0, 1.5 * reference, false});
    plot_line(&run->plot, 50, reference, 1200, reference, PLOT_THEORY);
    plot_note(&run->plot, PLOT_THEORY, "at 960 steps per second");
    for (size_t i = 0; i < sizeof RATES / sizeof *RATES; i++) {
        if (!measure_speed(run, RATES[i], &speed)) return false;
        double error = validate_error(speed, reference);
        validate_add(run,
                     &(validate_row){"rms speed, m/s; theory: 960", (double)RATES[i], reference, speed, error, false});
        plot_point(&run->plot, (double)RATES[i], speed, PLOT_BLUE);
        if (RATES[i] >= 120) worst = validate_worse(worst, fabs(error));
    }
    validate_figure(run, &FIGURE, worst);
    return true;
}

// Rms over all vertices and frames, m/s, with the damping and the drag that hair has by default.
static bool measure_speed(validate_run *run, float rate, double *speed) {
    static frame before;
    const double dt = 1.0 / 60, seconds = 5;
    plait_hybrid_params defaults = PLAIT_HYBRID_PARAMS_INIT;
    rods r;
    if (!host_check(plait_hybrid_params_default(1, &defaults), "plait_hybrid_params_default") || !make_shapes(&r))
        return false;
    r.step_rate_hz = rate;
    r.params.damping_s = defaults.damping_s;
    r.params.drag_per_s = defaults.drag_per_s;
    bool measured = rods_open(&r, &run->where) && rods_settle(&r, DOWN, 1e-2, 20000) && rods_read(&r);
    double sum = 0;
    uint64_t count = 0;
    for (unsigned i = 1; measured && i <= seconds / dt; i++) {
        nod(&r, i * dt);
        memcpy(before, r.positions, sizeof before);
        measured = rods_step(&r, dt, DOWN) && rods_read(&r);
        for (uint32_t v = 0; v < r.vertex_count; v++, count++)
            for (int c = 0; c < 3; c++) sum += pow(((double)r.positions[v][c] - before[v][c]) / dt, 2);
    }
    rods_close(&r);
    *speed = sqrt(sum / (double)count);
    return measured;
}

// By 0.6 rad, 1.1 times a second, growing for half a second.
static void nod(rods *r, double seconds) {
    double angle = 0.6 * sin(2 * PI * 1.1 * seconds) * fmin(2 * seconds, 1);
    for (uint32_t b = 0; b < r->count; b++) {
        r->bones[b][0] = r->bones[b][5] = (float)cos(angle);
        r->bones[b][1] = (float)-sin(angle);
        r->bones[b][4] = (float)sin(angle);
    }
}

static bool make_shapes(rods *r) {
    static const uint32_t edges[SHAPES] = {EDGES, EDGES, EDGES};
    if (!rods_make(r, SHAPES, edges)) return false;
    for (int shape = 0; shape < SHAPES; shape++) draw(r, (uint32_t)shape, shape);
    return true;
}

// Along x from their roots: straight; four turns of 8 mm radius; and folded in the level plane after each third.
static void draw(rods *r, uint32_t rod, int shape) {
    const double edge = LENGTH / EDGES, turn = 2 * PI * 4 / EDGES, fold = 150 * PI / 180;
    double at[3] = {0, 0, 0};
    for (uint32_t v = 0; v <= EDGES; v++) {
        for (int c = 0; c < 3; c++) r->positions[r->first[rod] + v][c] = (float)at[c];
        double step[3] = {edge, 0, 0};
        if (shape == HELIX && v > 1) {
            const double across = 2 * 0.008 * sin(turn / 2);
            step[0] = sqrt(edge * edge - across * across);
            step[1] = across * cos(turn * v);
            step[2] = across * sin(turn * v);
        }
        if (shape == FOLDED) {
            double angle = v < EDGES / 3 ? 0 : v < 2 * EDGES / 3 ? fold : 2 * fold;
            step[0] = edge * cos(angle);
            step[2] = edge * sin(angle);
        }
        for (int c = 0; c < 3; c++) at[c] += step[c];
    }
}

// Of motion and height, over the rod's mass, J/kg. Both are those between two frames: speed at one time with height at
// another one would make a difference of 10 percent at 60 frames a second.
static double energy(const rods *r, uint32_t rod, const frame before, double dt) {
    double sum = 0;
    for (uint32_t v = r->first[rod] + 1; v < r->first[rod + 1]; v++) { // roots rest
        const float *from = before[v], *to = r->positions[v];
        double mass = v + 1 == r->first[rod + 1] ? 0.5 : 1; // in edges
        sum += mass * RODS_GRAVITY * 0.5 * ((double)from[1] + to[1]);
        for (int c = 0; c < 3; c++) sum += mass * 0.5 * pow(((double)to[c] - from[c]) / dt, 2);
    }
    return sum / EDGES;
}
