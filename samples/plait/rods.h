// Rods of solver hybrid, each on its own bone, for comparison with theory. Reports failures on stderr.
#ifndef RODS_H
#define RODS_H

#include "host.h"

// A hair, unless a test says otherwise: 0.1 mm thick, Poisson's ratio 0.45.
#define RODS_RADIUS 5e-5
#define RODS_DENSITY 1300.0
#define RODS_BEND_MODULUS 3e9
#define RODS_TWIST_MODULUS (3e9 / 2.9)
#define RODS_GRAVITY 9.81
// Bending stiffness, N m^2, and mass, kg/m.
#define RODS_BENDING                                                                                                   \
    (RODS_BEND_MODULUS * 3.14159265358979324 * RODS_RADIUS * RODS_RADIUS * RODS_RADIUS * RODS_RADIUS / 4)
#define RODS_MASS (RODS_DENSITY * 3.14159265358979324 * RODS_RADIUS * RODS_RADIUS)

// Owns its arrays and its hair. Between rods_make and rods_open the caller fills in positions and whatever differs from
// the defaults.
typedef struct rods {
    uint32_t count, vertex_count;
    uint32_t *vertex_counts; // [count]
    uint32_t *first;         // [count + 1]: index of each root
    float (*positions)[3];   // [vertex_count], m: as drawn, later as last read
    float *radii;            // [vertex_count], m
    float (*bones)[12];      // [count + 1]: moved by the caller; one per rod, the last is the plane's
    float *frictions;        // [count]: multiply the plane's
    plait_hybrid_params params;
    float step_rate_hz;
    uint32_t substeps;
    bool has_plane; // a plane at height zero, friction 1
    host host;
} rods;

// Allocates rods with these edge counts. Bones are identities; radii and parameters are those of an undamped hair,
// clamped at its root, with a stretch modulus of 1e8 Pa: where stretch is irrelevant, single precision cannot tell it
// from 3e9.
bool rods_make(rods *r, uint32_t count, const uint32_t *edge_counts);
// Draws a rod as an arc: from its bone's origin along a unit vector, bending towards another one.
void rods_draw_arc(rods *r, uint32_t rod, double length, double curvature, const double along[3],
                   const double towards[3]);
// Steps per second that edges of this length need: solvers in single precision soften joints that are too stiff for the
// step.
float rods_step_rate(double edge_length);
bool rods_open(rods *r, const host_options *where);
void rods_close(rods *r);

// One frame to the present bones. gravity: m/s^2, in all these.
bool rods_step(rods *r, double dt, const double gravity[3]);
// Equilibrium: until accelerations are below rest, m/s^2.
// False only after an error; rods that did not settle in max_steps are as close as they came.
bool rods_settle(rods *r, const double gravity[3], double rest, uint32_t max_steps);
bool rods_read(rods *r);
// Vertex of a rod, as last read.
const float *rods_at(const rods *r, uint32_t rod, uint32_t vertex);
const float *rods_tip(const rods *r, uint32_t rod);

#endif
