// A coupling adds stages to a hair beside its solver's: to the step (hair-hair, wetness) or to the frame (render strands).
// It has parameters, data and state of its own, which are saved, moved and rescued with the hair's.
#ifndef PLAIT_COUPLING_H
#define PLAIT_COUPLING_H

#include "data.h"

struct hair;

// A coupling of one hair. Its data are hair->on.sets[SET_COUPLINGS + index]; hair->on.coupling_data[index] is what create made.
// Both are recreated when the hair moves to another device.
struct coupled {
    const struct coupling *coupling;
    void *params; // the coupling's own, of params_size
};

struct coupling {
    const char *name;
    const struct data_decl *decls;
    uint32_t decl_count;
    uint32_t params_size;
    // Makes what the list cannot describe, such as data whose size depends on hair->on.device, and fills in constants. May be
    // null. destroy frees what it made, also after a failure.
    plait_result (*create)(struct call *call, struct hair *hair, uint32_t index);
    void (*destroy)(struct hair *hair, uint32_t index);
    // Add stages: after the solver's in every step, after those that bring strands to rest, and before those of the output
    // in every frame. Each may be null.
    void (*step_stages)(struct hair *hair, uint32_t index, struct stage_list *list);
    void (*rest_stages)(struct hair *hair, uint32_t index, struct stage_list *list);
    void (*frame_stages)(struct hair *hair, uint32_t index, struct stage_list *list);
};

// Adds a coupling to a hair, with a copy of params. On failure the hair is as it was.
plait_result hair_couple(struct call *call, struct hair *hair, const struct coupling *coupling, const void *params);

#endif
