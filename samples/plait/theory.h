// Continuum theory of elastic rods: references for simulated strands. Computed here in double precision from the
// equations of rods, not from any discrete model.
#ifndef THEORY_H
#define THEORY_H

#include <stdbool.h>

// A rod clamped horizontally that bends under its own weight. gamma: weight times length squared over bending
// stiffness. Returns drop over reach of the tip; either may be null, both in units of the rod's length.
double theory_cantilever(double gamma, double *drop, double *reach);

// The rod clamped at one end, no gravity: frequency of bending mode 1, 2, ... in Hz. bending: E I in N m^2, mass: kg/m.
double theory_bending_hz(unsigned mode, double length, double bending, double mass);
// Its shape at s = 0 (clamp) to 1 (tip); modes are orthogonal.
double theory_bending_shape(unsigned mode, double s);

// The same rod hanging under its weight, which pulls it straight: frequency in Hz. shape: its mode at s = 0, 1 / edges,
// 2 / edges, ... 1, at most 1 in size.
double theory_hanging_hz(unsigned mode, double length, double bending, double mass, double gravity, unsigned edges,
                         double *shape);

// A rope without stiffness hanging from one end: frequency of its first mode in Hz.
double theory_rope_hz(double length, double gravity);
// Its shape at s = 0 (hook) to 1 (tip).
double theory_rope_shape(double s);

// Elongation of a hanging rod by its own weight, over its length.
double theory_stretch(double density, double gravity, double length, double modulus);

// Critical twist, radians, of a straight rod whose ends are twisted and joined to a ring: above it the ring leaves its
// plane (Michell 1889). ratio: bending over twisting stiffness.
double theory_ring_twist(double ratio);

// A rod without weight whose clamped end is pushed down towards a plane that its tip stands on: the distance, over the
// rod's length, at which the tip slips with this friction. NaN above THEORY_SLIP_FRICTION, where it never slips.
double theory_slip(double friction);
#define THEORY_SLIP_FRICTION 0.35637

// A rod with natural curvature k and length L, clamped with its tangent down, rest arc in a vertical plane, E I / G J
// 1.45: whether it stays in that plane. turn: k L; lightness: 1 / (k Lg), Lg^3 = E I over weight per length.
bool theory_stays_planar(double turn, double lightness);
// Distance from the boundary, in logarithmic coordinates: 0.05 is five percent in either.
double theory_planar_margin(double turn, double lightness);
// The boundary, for plots: point `index`; false after the last.
bool theory_planar_curve(unsigned index, double *turn, double *lightness);

#endif
