// Michell's ring: a straight rod whose ends are twisted against each other and joined leaves its plane above a certain
// twist. A strand is held at its root only, so its other end is attached to a heavy hook: a hundred times as thick, ten
// thousand times the weight of the ring. With strong drag the hook hardly moves while the ring comes to rest. The root
// moves along a circle until it meets the other end, then turns about its axis. Both ends then have the same position
// and direction, and a given twist between them. Up to rigid motions these are the shapes of a closed ring, so it
// buckles at the same twist.
#include <math.h>
#include <stdio.h>

#include "rods.h"
#include "theory.h"
#include "validate.h"

static const double PI = 3.14159265358979323846;

enum { RINGS = 16, RING_EDGES = 96, ARM_EDGES = 10, EDGES = RING_EDGES + 1 + 2 * ARM_EDGES };

static const double RING_LENGTH = 0.06, ARM_LENGTH = 0.05, HOOK_THICKNESS = 100;
static const double DRAG = 1000; // 1/s
static const double STEP_S = 2.5e-4, BEND_S = 0.6, TWIST_S = 0.4, PUSH_S = 0.02, GROW_S = 0.5;
static const double LEAST_TWIST = 0.92, TWIST_STEP = 0.01; // of theory's
static const double BUCKLED = 0.2;                         // of the radius

static void draw_ring(rods *r, uint32_t rod);
static void place_root(float bone[12], double turn, double twist, double aside);
static bool grow(rods *r, double twist, double rises[RINGS]);
static double rise(const rods *r, uint32_t rod);
static int first_buckled(const double rises[RINGS]);
static double southwell(const double rises[RINGS]);
static bool hold(rods *r, double seconds, double turn_from, double turn_to, double twist_from, double twist_to,
                 double aside);

bool validate_ring(validate_run *run) {
    static const bench_figure FIGURE = {"validate.ring", "%", 5, BENCH_AT_MOST, NULL, "error of the critical twist"};
    uint32_t edges[RINGS];
    double rises[RINGS] = {0}, theory = theory_ring_twist(RODS_BEND_MODULUS / (2 * RODS_TWIST_MODULUS));
    for (int i = 0; i < RINGS; i++) edges[i] = EDGES;
    rods r;
    if (!rods_make(&r, RINGS, edges)) return false;
    for (uint32_t i = 0; i < RINGS; i++) draw_ring(&r, i);
    r.step_rate_hz = (float)(1 / STEP_S);
    r.params.drag_per_s = (float)DRAG;
    bool measured = rods_open(&r, &run->where) && hold(&r, BEND_S, 0, 2 * PI, 0, 0, 0) &&
                    hold(&r, TWIST_S, 2 * PI, 2 * PI, 0, theory, 0) &&
                    hold(&r, PUSH_S, 2 * PI, 2 * PI, theory, theory, 1e-4) && grow(&r, theory, rises);
    rods_close(&r);
    if (!measured) return false;
    plot_panel(&run->plot, "twisted ring: rise out of its plane", &(plot_axis){"twist / theory", 0.9, 1.1, false},
               &(plot_axis){"rise / radius", 0, 0.5, false});
    plot_line(&run->plot, 1, 0, 1, 0.5, PLOT_THEORY);
    for (int i = 0; i < RINGS; i++) {
        double twist = LEAST_TWIST + TWIST_STEP * i;
        validate_add(run, &(validate_row){"rise / radius", twist * theory, twist > 1, rises[i], NAN, false});
        plot_point(&run->plot, twist, rises[i], rises[i] > BUCKLED ? PLOT_RED : PLOT_GREEN);
    }
    double critical = southwell(rises), error = 100 * (critical - 1);
    double first = first_buckled(rises) * TWIST_STEP + LEAST_TWIST;
    validate_add(run, &(validate_row){"first that buckled, rad", 0, theory, first * theory, 100 * (first - 1), false});
    validate_add(run, &(validate_row){"critical twist, rad", 0, theory, critical * theory, error, false});
    validate_figure(run, &FIGURE, fabs(error));
    return true;
}

// Straight, from the origin along x, then the hook. The ring ends in the middle of the edge that leads to the hook.
static void draw_ring(rods *r, uint32_t rod) {
    double edge = RING_LENGTH / (RING_EDGES + 0.5), arm = ARM_LENGTH / ARM_EDGES;
    for (uint32_t v = 0; v <= EDGES; v++) {
        uint32_t ring = v < RING_EDGES + 1 ? v : RING_EDGES + 1, hook = v - ring;
        uint32_t up = hook < ARM_EDGES ? hook : ARM_EDGES, side = hook - up;
        float *p = r->positions[r->first[rod] + v];
        p[0] = (float)(edge * ring);
        p[1] = (float)(arm * up);
        p[2] = (float)(arm * side);
        if (v > RING_EDGES) r->radii[r->first[rod] + v] = (float)(HOOK_THICKNESS * RODS_RADIUS);
    }
}

// The root of an arc of this turn that ends, level, at the hook: turned back by the turn in the plane of the ring,
// about itself by the twist.
static void place_root(float bone[12], double turn, double twist, double aside) {
    double c = cos(turn), s = -sin(turn), ct = cos(twist), st = sin(twist);
    const double rotation[3][3] = {{c, -s * ct, s * st}, {s, c * ct, -c * st}, {0, st, ct}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) bone[4 * i + j] = (float)rotation[i][j];
    bone[3] = (float)(RING_LENGTH * (1 - (turn > 0 ? sin(turn) / turn : 1)));
    bone[7] = (float)(RING_LENGTH * (turn > 0 ? (1 - cos(turn)) / turn : 0));
    bone[11] = (float)aside;
}

// Moves the roots. twist: relative to theory's; each ring gets its own fraction.
static bool hold(rods *r, double seconds, double turn_from, double turn_to, double twist_from, double twist_to,
                 double aside) {
    static const double STILL[3] = {0, 0, 0};
    unsigned steps = (unsigned)(seconds / STEP_S + 0.5);
    for (unsigned i = 1; i <= steps; i++) {
        double t = (double)i / steps;
        t = t * t * (3 - 2 * t);
        for (uint32_t k = 0; k < r->count; k++)
            place_root(r->bones[k], turn_from + t * (turn_to - turn_from),
                       (LEAST_TWIST + TWIST_STEP * k) * (twist_from + t * (twist_to - twist_from)), aside);
        if (!rods_step(r, STEP_S, STILL)) return false;
    }
    return true;
}

// What the rings rise to. Nothing keeps one that buckles from passing through itself, which takes two turns of its twist: it
// is flat again in the end. So the highest counts that it ever was.
static bool grow(rods *r, double twist, double rises[RINGS]) {
    enum { LOOKS = 50 };
    for (int look = 0; look < LOOKS; look++) {
        if (!hold(r, GROW_S / LOOKS, 2 * PI, 2 * PI, twist, twist, 0) || !rods_read(r)) return false;
        for (uint32_t i = 0; i < RINGS; i++) rises[i] = fmax(rises[i], rise(r, i));
    }
    return true;
}

// Distance of a ring from its plane, over its radius. The ring may swing freely about the tangent at its ends, since
// its section is round: the plane is that of this tangent and the vertex farthest from it.
static double rise(const rods *r, uint32_t rod) {
    const float *root = rods_at(r, rod, 0), *far = rods_at(r, rod, RING_EDGES / 2);
    double y = (double)far[1] - root[1], z = (double)far[2] - root[2], most = 0;
    for (uint32_t v = 0; v <= RING_EDGES; v++) {
        const float *p = rods_at(r, rod, v);
        most = fmax(most, fabs(((double)p[1] - root[1]) * z - ((double)p[2] - root[2]) * y) / hypot(y, z));
    }
    return most * 2 * PI / RING_LENGTH;
}

static int first_buckled(const double rises[RINGS]) {
    int i = 0;
    while (i < RINGS && rises[i] < BUCKLED) i++;
    return i;
}

// Because the ends do not meet exactly, rings rise before they buckle, as 1 / (critical - twist) (Southwell 1932). The
// reciprocals of the last two rings before the first buckled one extrapolate to the critical twist.
static double southwell(const double rises[RINGS]) {
    int buckled = first_buckled(rises);
    if (buckled < 2 || buckled == RINGS) return NAN;
    double last = 1 / rises[buckled - 1], before = 1 / rises[buckled - 2];
    return LEAST_TWIST + TWIST_STEP * (buckled - 1 + last / (before - last));
}
