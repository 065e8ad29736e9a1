// What a solver brings: its parameters and its stages. State (positions, velocities), roots and rest shape are the
// hair's, common to all solvers.
#ifndef PLAIT_SOLVER_H
#define PLAIT_SOLVER_H

#include "data.h"

struct hair;
struct stage_list;

struct solver {
    uint32_t id;
    uint32_t params_type;
    uint32_t params_size;
    const struct data_decl *decls; // its own data, made by core: hair->on.sets[SET_SOLVER]
    uint32_t decl_count;
    double longest_step_s;    // steps are cut into equal parts that are no longer; 0: as the host wants them
    bool corrects_velocities; // velocities also carry corrections for the next step
    bool narrow; // has many values at a time: packs as wide as one register, where the device has the choice
    void (*default_params)(void *params, double meters_per_unit);
    // Values only; the head was read. index: which of the host's array, for messages.
    plait_result (*check_params)(const struct call *call, void *params, uint32_t index);
    // Fills the solver's data; hair->on.solver_data is its own. What it made is freed by destroy, also after a failure.
    plait_result (*create)(struct call *call, struct hair *hair);
    void (*destroy)(struct hair *hair);
    // Brings buffers up to date with hair->params. Allocates nothing. After a failure it runs again before the next step.
    plait_result (*update)(struct call *call, struct hair *hair);
    // Its own counts for plait_hair_stats; null: none.
    void (*count)(const struct hair *hair, plait_stats_info *stats);
    // Adds the stages of one step, in order, after the root stage.
    void (*stages)(struct hair *hair, struct stage_list *list);
    // Adds what brings that state to rest, after positions and velocities; null: nothing.
    void (*rest_stages)(struct hair *hair, struct stage_list *list);
};

const struct solver *solver_find(uint32_t id); // null: none

// What every plait_<solver>_params_default does. values: room for the solver's struct.
plait_result solver_default_params(const struct solver *solver, const char *function, float meters_per_unit,
                                   void *params, void *values);

#endif
