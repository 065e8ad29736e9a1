// What a hair keeps on its device, as lists: core's own, the solver's and those of couplings. Making, saving, loading, the
// move to another device, rescue and statistics go over these lists; nothing else knows what a solver keeps.
#ifndef PLAIT_DATA_H
#define PLAIT_DATA_H

#include "device.h"

enum data_per {
    PER_VERTEX, // rows of lanes, for every vertex of a pack
    PER_STRAND, // rows of lanes, for every pack
    PER_PACK,   // words for every pack, the same for all lanes
    FIXED,      // words
};

enum data_role {
    DATA_CONSTANT, // of the groom and the parameters
    DATA_STATE,    // saved, moved, and rescued from lost devices
    DATA_TRAIL,    // what output shows of the step before: saved and moved while it is valid, not rescued
    DATA_INPUT,    // written by core before every run
    DATA_WATCHED,  // looked at by core while later runs are under way
    DATA_WORK,     // the rest
    DATA_SCRATCH,  // what stages of one phase pass on within a pack
};

struct data_decl {
    const char *name;
    uint32_t rows; // or words; 0: known only when the hair is made, see hair_make_data
    enum data_per per;
    enum data_role role;
    uint32_t rates; // bits of the rows of state that are velocities: plait_hair_settle sets them to zero
    bool whole;     // whole numbers: any bits are fine in a saved state
};

struct data_set {
    const struct data_decl *decls;
    uint32_t count;
    struct buffer *buffers; // [count]; stages refer to them
};

#define MAX_COUPLINGS 4
enum { SET_HAIR, SET_SOLVER, SET_COUPLINGS, MAX_SETS = SET_COUPLINGS + MAX_COUPLINGS };

#endif
