// What a solver brings: its parameters and its stages. State (positions, velocities), roots and rest shape are the
// hair's, common to all solvers.
#ifndef PLAIT_SOLVER_H
#define PLAIT_SOLVER_H

#include "context.h"

struct hair;
struct stage;

struct solver {
    uint32_t id;
    uint32_t params_type;
    uint32_t params_size;
    uint32_t spin_rows;       // values a vertex of state beside position and velocity, in BUFFER_SPIN; 0: none
    bool corrects_velocities; // they hold more than how fast vertices go: corrections for the next step
    void (*default_params)(void *params, double meters_per_unit);
    // Values only; the head was read. index: which of the host's array, for messages.
    plait_result (*check_params)(const struct call *call, const void *params, uint32_t index);
    // Creates the solver's own buffers. What it made is freed by destroy, also after a failure.
    plait_result (*create)(struct call *call, struct hair *hair);
    void (*destroy)(struct hair *hair);
    // Brings buffers up to date with hair->params. Allocates nothing. After a failure it runs again before the next step.
    plait_result (*update)(struct call *call, struct hair *hair);
    // The stages of one step, in order, after the root stage; returns how many.
    uint32_t (*stages)(struct hair *hair, struct stage *stages);
    // What brings that state to rest, after positions and velocities; null: nothing.
    uint32_t (*rest_stages)(struct hair *hair, struct stage *stages);
};

#define SOLVER_MAX_STAGES 8

extern const struct solver hybrid_solver, shape_solver;

const struct solver *solver_find(uint32_t id); // null: none

#endif
