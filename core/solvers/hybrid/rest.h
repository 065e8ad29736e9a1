// A strand of rods at rest: stiffness, mass and rest strains of its joints and edges, in double precision. Allocates
// nothing; any thread.
#ifndef PLAIT_HYBRID_REST_H
#define PLAIT_HYBRID_REST_H

#include "dialect_double.h"
#include "layout.h"
#include "physics/rod.h"
#include "plait.h"
#include "vector.h"

// See plait_hybrid_params.
struct rod_material {
    double stretch_modulus, bend_modulus, twist_modulus; // Pa
    double density;                                      // kg/m^3
    double flatness;
    double clamp_extension;
    double3 gravity;    // m/s^2, in the bind pose; zero: the strand as drawn is its rest shape
    double step_weight; // sqrt(h (h + d)) of rod_build, s: stiffness stays below what it will bear; 0: no limit
};

// Stresses of an edge and of the joint at which it begins, over the mean mass: derivatives of the energy with respect
// to length, curvatures and twist.
struct rod_stress {
    double stretch;               // m/s^2
    double bend1, bend2, torsion; // m^2/s^2
};

// Scratch, the caller's: values per edge, that from vertex v to the next at v.
struct rod_work {
    double3 tangents[PLAIT_MAX_STRAND_VERTICES];
    double3 directors[PLAIT_MAX_STRAND_VERTICES];
    double lengths[PLAIT_MAX_STRAND_VERTICES];   // as drawn, m
    rod_joint joints[PLAIT_MAX_STRAND_VERTICES]; // as drawn, at which the edges begin
    struct rod_stress stresses[PLAIT_MAX_STRAND_VERTICES];
    double band[4 * (PLAIT_MAX_STRAND_VERTICES + 1)][BAND_ROWS]; // by columns, from the diagonal down
};

// What counts as stable: the square of the slowest frequency at which a strand may swing about its drawn shape, over
// gravity by its free length (a hanging rope has 1.45). An acceleration across it of a thousandth of gravity then moves a
// strand by a hundredth of its length, and strands for which gravity fails for a tenth of a second find back; with 0.03 one
// in twenty of type 4A does not. That costs less than a tenth of stiffness, against 0.003.
#define ROD_STABLE 0.1
#define ROD_STIFFER 1.0905077326652577 // from one factor that is tried to the next: the eighth root of 2

// By how much gravity may turn an edge of the rest shape from where it was drawn, radians. Strands that are bent farther
// stand up as soon as their weight fails them in motion, and may come to rest in a loop: without a limit 2 in a hundred of
// types 1 to 3 stood above the head after a run, with a right angle none. But single strands of 1b still leapt over a head
// that nodded; with a radian none does, for half as much stiffness again.
#define ROD_TURN_MOST 1.0

struct rod_rest {
    double rows[PLAIT_MAX_STRAND_VERTICES]
               [ROD_ROWS];         // as layout.h has them; only those of the strand's vertices are set
    double root_cosine, root_sine; // HYBRID_ROOT_COSINE and _SINE
    double mean_mass;              // of a vertex, kg
};

// positions: [count][3], times unit in metres, no segment of length zero. radii: [count], m. side, normal: root frame
// in the bind pose. held: vertices that go with the bones, 1 or more.
// With gravity the strand's joints are as much stiffer than the material, all by the same factor of 1 to 64, as the drawn
// shape takes to be a stable equilibrium, and the rest shape to be near it. What supports a strand where it was drawn is not
// counted: it may move away.
// False: it is none with any factor that float32 bears at this step; the rows then hold what comes nearest.
bool rod_rest_make(const struct rod_material *material, uint32_t count, uint32_t held, const float *positions,
                   double unit, const double *radii, double3 side, double3 normal, struct rod_work *work,
                   struct rod_rest *rest);

#endif
