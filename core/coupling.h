// A coupling adds stages to a hair beside its solver's: to the step (hair-hair, wetness) or to the frame (render strands).
// It has parameters, data and state of its own, which are saved, moved and rescued with the hair's, and may use data that
// several hairs share. Positions are relative to each hair's own origin, hair->pose.origin, which moves between two steps;
// hair_step.c takes HAIR_POSITIONS along, and no coupling keeps others yet.
#ifndef PLAIT_COUPLING_H
#define PLAIT_COUPLING_H

#include "data.h"
#include "handles.h"

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
    // Add stages: before the solver's and after them in every step, after those that bring strands to rest, before those that
    // carry strands along with their roots, and before those that write strands, in every frame with an output and for every
    // plait_hair_read. Each may be null.
    void (*before_stages)(struct hair *hair, uint32_t index, struct stage_list *list);
    void (*step_stages)(struct hair *hair, uint32_t index, struct stage_list *list);
    void (*rest_stages)(struct hair *hair, uint32_t index, struct stage_list *list);
    void (*carry_stages)(struct hair *hair, uint32_t index, struct stage_list *list);
    void (*frame_stages)(struct hair *hair, uint32_t index, struct stage_list *list);
};

// Adds a coupling to a hair, with a copy of params. On failure the hair is as it was.
plait_result hair_couple(struct call *call, struct hair *hair, const struct coupling *coupling, const void *params);

// Data that several hairs of one device share, zeros at first. Couplings of a hair that has joined bind
// hair->on.common->set.buffers; a run of one hair sees all that runs before it wrote, of whatever hair, in the order they
// were stepped. They are no part of a hair's state: neither saved nor moved nor rescued with it. Who made a common and each
// hair that has joined hold a reference; the last one to go ends it, before the context ends.
struct common {
    struct object object;  // for its references; it has no handle
    struct device *device; // reference held
    struct arena *arena;
    struct data_set set;
};

// Of fixed size, with the role of work or constants. decls outlives the common.
plait_result common_create(struct call *call, struct device *device, const struct data_decl *decls, uint32_t count,
                           struct common **common);
void common_release(struct common *common);

// The hair joins a common of its device and leaves the one that it was in; null: it only leaves. All that it has on the device
// is made anew, with its state. A coupling that uses shared data must do without while hair->on.common is null: before the
// hair joins, when it has left, and when it went on from a lost device. Until it leaves, plait_hair_set_device to another
// device is PLAIT_ERROR_UNSUPPORTED, unless its own is lost. On failure the hair is as it was.
plait_result hair_join(struct call *call, struct hair *hair, struct common *common);

#endif
