// A strand of rods at rest: stiffness, mass and rest strains of its joints and edges, in double precision. Allocates
// nothing; any thread.
#ifndef PLAIT_HYBRID_REST_H
#define PLAIT_HYBRID_REST_H

#include "layout.h"
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

// Scratch, the caller's: values per edge, that from vertex v to the next at v.
struct rod_work {
    double3 tangents[PLAIT_MAX_STRAND_VERTICES];
    double3 directors[PLAIT_MAX_STRAND_VERTICES];
    double lengths[PLAIT_MAX_STRAND_VERTICES]; // as drawn, m
};

struct rod_rest {
    double rows[PLAIT_MAX_STRAND_VERTICES]
               [ROD_ROWS];         // as layout.h has them; only those of the strand's vertices are set
    double root_cosine, root_sine; // HYBRID_ROOT_COSINE and _SINE
    double mean_mass;              // of a vertex, kg
};

// positions: [count][3], times unit in metres, no segment of length zero. radii: [count], m. side, normal: root frame
// in the bind pose. held: vertices that go with the bones, 2 or more.
// False: no rest shape within limits balances gravity; the rows then hold the one that comes nearest.
bool rod_rest(const struct rod_material *material, uint32_t count, uint32_t held, const float *positions, double unit,
              const double *radii, double3 side, double3 normal, struct rod_work *work, struct rod_rest *rest);

#endif
