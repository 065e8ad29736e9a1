// See theory.h. Boundary-value problems are solved by shooting from the free end, where solutions grow and nothing is
// lost.
#include "theory.h"

#include <math.h>
#include <stddef.h>

static const double PI = 3.14159265358979323846;

enum { STEPS = 1500 }; // of Runge-Kutta's fourth order: errors below 1e-7

// Along the rod from its tip: angle, its derivative, and the position.
typedef struct arc {
    double angle, bend, x, y;
} arc;

typedef arc (*arc_rate)(const arc *a, double s, const double *constants);

static arc integrate(arc a, double length, arc_rate rate, const double *constants);
static arc advanced(const arc *a, const arc *rate, double h);
static arc heavy(const arc *a, double s, const double *constants);
static arc pushed(const arc *a, double s, const double *constants);
static arc hanging(const arc *a, double s, const double *constants);
static double hanging_mismatch(const double *constants, double *tip_slope);

// With u the distance from the tip in units of L / gamma^(1/3) and p the angle to the vertical, p'' = u sin p: the
// angle at the tip is the only unknown. It is exponentially small for heavy rods, hence the logarithm.
double theory_cantilever(double gamma, double *drop, double *reach) {
    double end = cbrt(gamma), low = -600, high = log(PI / 2);
    arc a = {0};
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        a = integrate((arc){.angle = exp(middle)}, end, heavy, NULL);
        if (a.angle > PI / 2)
            high = middle;
        else
            low = middle;
    }
    if (drop) *drop = a.y / end;
    if (reach) *reach = a.x / end;
    return a.y / a.x;
}

static arc heavy(const arc *a, double s, const double *constants) {
    (void)constants;
    double sine = sin(a->angle);
    return (arc){a->bend, a->angle < PI ? s * sine : 0, sine, cos(a->angle)}; // wrong guesses must not diverge
}

// Roots of cos b cosh b = -1.
static double beam_root(unsigned mode) {
    double b = mode == 1 ? 1.875 : (mode - 0.5) * PI;
    for (int i = 0; i < 20; i++) b -= (cos(b) + 1 / cosh(b)) / (-sin(b) - tanh(b) / cosh(b));
    return b;
}

double theory_bending_hz(unsigned mode, double length, double bending, double mass) {
    double b = beam_root(mode);
    return b * b / (2 * PI * length * length) * sqrt(bending / mass);
}

double theory_bending_shape(unsigned mode, double s) {
    double b = beam_root(mode), share = (cosh(b) + cos(b)) / (sinh(b) + sin(b));
    return cosh(b * s) - cos(b * s) - share * (sinh(b * s) - sin(b * s));
}

// y'''' - gamma (s y')' = frequency^2 y, with s the distance from the tip in units of the length. Two solutions are free
// at the tip; where a sum of them is clamped at the root, that is a frequency. They are searched from below, in steps
// that are shorter than what lies between two of them.
double theory_hanging_hz(unsigned mode, double length, double bending, double mass, double gravity, unsigned edges,
                         double *shape) {
    const double step = 1.05, unit = sqrt(bending / mass) / (length * length); // rad/s
    double low = 1, slope, constants[2] = {gravity / (unit * unit * length), low * low};
    bool sign = hanging_mismatch(constants, &slope) > 0;
    for (unsigned found = 0;; low *= step) {
        constants[1] = pow(low * step, 2);
        bool next = hanging_mismatch(constants, &slope) > 0;
        if (next != sign && ++found == mode) break;
        sign = next;
    }
    double high = low * step;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        constants[1] = middle * middle;
        if ((hanging_mismatch(constants, &slope) > 0) == sign)
            low = middle;
        else
            high = middle;
    }
    double most = 0;
    for (unsigned i = 0; i <= edges; i++) {
        arc tip = {.x = 1, .angle = slope};
        shape[i] = i == 0 ? 0 : integrate(tip, 1 - (double)i / edges, hanging, constants).x;
        most = fmax(most, fabs(shape[i]));
    }
    for (unsigned i = 0; i <= edges; i++) shape[i] /= most;
    return low * unit / (2 * PI);
}

// Here x is the deflection and y the force across the undeflected rod; angle and bend are small.
static arc hanging(const arc *a, double s, const double *constants) {
    return (arc){a->bend, a->y + constants[0] * s * a->angle, a->angle, constants[1] * a->x};
}

// Zero at a frequency. tip_slope: with it, a tip deflected by 1 belongs to a root that is not deflected.
static double hanging_mismatch(const double *constants, double *tip_slope) {
    arc moved = integrate((arc){.x = 1}, 1, hanging, constants);
    arc turned = integrate((arc){.angle = 1}, 1, hanging, constants);
    *tip_slope = -moved.x / turned.x;
    return moved.x * turned.angle - turned.x * moved.angle;
}

// The Bessel function J0, by its series: x up to 3.
static double bessel(double x) {
    double term = 1, sum = 1;
    for (int k = 1; k < 40; k++) sum += term *= -0.25 * x * x / ((double)k * k);
    return sum;
}

static double bessel_root(void) {
    double low = 2, high = 3;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (bessel(middle) > 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double theory_rope_hz(double length, double gravity) { return 0.5 * bessel_root() * sqrt(gravity / length) / (2 * PI); }

double theory_rope_shape(double s) { return bessel(bessel_root() * sqrt(1 - s)); }

double theory_stretch(double density, double gravity, double length, double modulus) {
    return density * gravity * length / (2 * modulus);
}

double theory_ring_twist(double ratio) { return 2 * PI * sqrt(3.0) * ratio; }

// When the tip slips, the force on it is inclined by the friction angle. Unknowns are its size and the angle of the
// tip; the rod's upper end must be vertical and straight above the tip. Newton's method with continuation from weak
// friction.
double theory_slip(double friction) {
    if (!(friction > 0 && friction <= THEORY_SLIP_FRICTION)) return friction == 0 ? 0 : NAN;
    double force = 20.19, tip = 3.2 * 0.01 / 0.57; // limit of weak friction: the Euler load, clamped and pinned
    unsigned stages = (unsigned)(friction / 0.01) + 1;
    arc end = {0};
    for (unsigned i = 1; i <= stages; i++) {
        double lean = atan(friction * i / stages);
        for (int k = 0; k < 6; k++) {
            arc at[3];
            for (int n = 0; n < 3; n++) {
                double constants[] = {force + (n == 1 ? 1e-5 : 0), lean};
                at[n] = integrate((arc){.angle = tip + (n == 2 ? 1e-6 : 0)}, 1, pushed, constants);
            }
            end = at[0];
            double a = (at[1].angle - end.angle) / 1e-5, b = (at[2].angle - end.angle) / 1e-6;
            double c = (at[1].x - end.x) / 1e-5, d = (at[2].x - end.x) / 1e-6, over = 1 / (a * d - b * c);
            force -= over * (d * end.angle - b * end.x);
            tip -= over * (a * end.x - c * end.angle);
        }
        tip *= i < stages ? (i + 1.0) / i : 1;
    }
    return 1 - end.y;
}

static arc pushed(const arc *a, double s, const double *constants) {
    (void)s;
    return (arc){a->bend, -constants[0] / cos(constants[1]) * sin(a->angle - constants[1]), sin(a->angle),
                 cos(a->angle)};
}

static arc integrate(arc a, double length, arc_rate rate, const double *constants) {
    double h = length / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double s = i * h;
        arc r1 = rate(&a, s, constants), a2 = advanced(&a, &r1, h / 2);
        arc r2 = rate(&a2, s + h / 2, constants), a3 = advanced(&a, &r2, h / 2);
        arc r3 = rate(&a3, s + h / 2, constants), a4 = advanced(&a, &r3, h);
        arc r4 = rate(&a4, s + h, constants);
        a = advanced(&a, &r1, h / 6);
        a = advanced(&a, &r2, h / 3);
        a = advanced(&a, &r3, h / 3);
        a = advanced(&a, &r4, h / 6);
    }
    return a;
}

static arc advanced(const arc *a, const arc *rate, double h) {
    return (arc){a->angle + h * rate->angle, a->bend + h * rate->bend, a->x + h * rate->x, a->y + h * rate->y};
}

// Where the planar equilibrium loses its stability, for a Poisson's ratio of 0.45. Too slow to compute here: these are
// values from a dense table of solved boundary-value problems (bend_twist_nu045_dense.csv, see the test
// theory_references), thinned to 0.2 percent. Turn over pi, and lightness. Beyond the last point lightness stays
// constant.
static const double PLANAR[][2] = {
    {25.373, 0.083752}, {24.961, 0.08489},  {23.965, 0.086356}, {22.962, 0.089767}, {21.982, 0.091408},
    {21.021, 0.095238}, {20.057, 0.097087}, {19.019, 0.10183},  {17.962, 0.10438},  {16.97, 0.10989},
    {16.049, 0.11236},  {15.003, 0.11933},  {13.996, 0.12285},  {13.011, 0.13123},  {12.032, 0.1355},
    {11.267, 0.14409},  {11.012, 0.14663},  {10.763, 0.14837},  {10.188, 0.15106},  {9.9738, 0.15291},
    {9.3365, 0.16287},  {9.0263, 0.16722},  {8.7994, 0.16949},  {8.2554, 0.17301},  {8.0245, 0.17544},
    {7.8125, 0.17921},  {7.3554, 0.19011},  {7.0656, 0.19608},  {6.7375, 0.2008},   {6.229, 0.20576},
    {6.0219, 0.20921},  {5.8263, 0.21459},  {5.3922, 0.23041},  {5.1142, 0.23923},  {4.7629, 0.24752},
    {4.2432, 0.25641},  {4.0412, 0.26178},  {3.8792, 0.26882},  {3.3999, 0.29762},  {3.2045, 0.30864},
    {3.0124, 0.31847},  {2.6793, 0.33333},  {2.185, 0.35461},   {2.1069, 0.35971},  {2.0189, 0.36765},
    {1.9388, 0.37879},  {1.8734, 0.3937},   {1.8249, 0.41322},  {1.7984, 0.43478},  {1.7908, 0.46296},
    {1.8064, 0.4902},   {1.8413, 0.51546},  {1.8772, 0.53191},  {1.9106, 0.54348},  {1.9834, 0.5618},
    {2.1087, 0.5814},   {2.2587, 0.59465},  {2.4587, 0.60374},  {2.7587, 0.60904},  {3.2087, 0.61076},
    {30, 0.610936},
};
enum { PLANAR_COUNT = sizeof PLANAR / sizeof *PLANAR };

// For each lightness there is one turn above which the rod leaves its plane.
bool theory_stays_planar(double turn, double lightness) {
    if (lightness >= PLANAR[PLANAR_COUNT - 1][1]) return true;
    unsigned i = 0;
    while (i + 2 < PLANAR_COUNT && PLANAR[i + 1][1] < lightness) i++;
    double t = (log(lightness) - log(PLANAR[i][1])) / (log(PLANAR[i + 1][1]) - log(PLANAR[i][1]));
    return log(turn / PI) < log(PLANAR[i][0]) + t * (log(PLANAR[i + 1][0]) - log(PLANAR[i][0]));
}

double theory_planar_margin(double turn, double lightness) {
    double x = log(turn / PI), y = log(lightness), nearest = INFINITY;
    for (unsigned i = 0; i + 1 < PLANAR_COUNT; i++) {
        double fx = log(PLANAR[i][0]), fy = log(PLANAR[i][1]);
        double ax = log(PLANAR[i + 1][0]) - fx, ay = log(PLANAR[i + 1][1]) - fy;
        double t = ((x - fx) * ax + (y - fy) * ay) / (ax * ax + ay * ay);
        t = fmin(fmax(t, 0), 1);
        nearest = fmin(nearest, hypot(x - fx - t * ax, y - fy - t * ay));
    }
    return nearest;
}

bool theory_planar_curve(unsigned index, double *turn, double *lightness) {
    if (index >= PLANAR_COUNT) return false;
    *turn = PI * PLANAR[index][0];
    *lightness = PLANAR[index][1];
    return true;
}
