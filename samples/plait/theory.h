// What continuum theory says of elastic rods: references that simulated strands are compared with. Computed here, in double
// precision, from the equations of rods and not from any discrete model.
#ifndef THEORY_H
#define THEORY_H

#include <stdbool.h>

// A rod clamped level that bends under its own weight. gamma: weight times length squared over bending stiffness. Returns
// drop over reach of the tip; either may be null, both in units of the rod's length.
double theory_cantilever(double gamma, double *drop, double *reach);

// The rod clamped at one end, no gravity: frequency of bending mode 1, 2, ... in Hz. bending: E I in N m^2, mass: kg/m.
double theory_bending_hz(unsigned mode, double length, double bending, double mass);
// Its shape at s = 0 (clamp) to 1 (tip); modes are orthogonal.
double theory_bending_shape(unsigned mode, double s);

// A rope without stiffness hanging from one end: frequency of its first mode in Hz.
double theory_rope_hz(double length, double gravity);
// Its shape at s = 0 (hook) to 1 (tip).
double theory_rope_shape(double s);

// How much longer a hanging rod is for its own weight, over its length.
double theory_stretch(double density, double gravity, double length, double modulus);

// A straight rod bent into a closed ring leaves its plane when its ends are turned by this against each other before they
// are joined, radians (Michell 1889). ratio: bending over twisting stiffness.
double theory_ring_twist(double ratio);

// A rod without weight whose clamped end is pushed down towards a plane that its tip stands on: the way, over the rod's
// length, after which the tip slips at this friction. Not a number above THEORY_SLIP_FRICTION, where it never does.
double theory_slip(double friction);
#define THEORY_SLIP_FRICTION 0.35637

// A rod with natural curvature k and length L, clamped with its tangent down, rest arc in a vertical plane, E I / G J 1.45:
// whether it stays in that plane. turn: k L; lightness: 1 / (k Lg), Lg^3 = E I over weight per length.
bool theory_stays_planar(double turn, double lightness);
// Distance from where that changes, both coordinates as logarithms: 0.05 is five percent in either.
double theory_planar_margin(double turn, double lightness);
// The curve between both, for plots: point index, or false where it ends.
bool theory_planar_curve(unsigned index, double *turn, double *lightness);

#endif
