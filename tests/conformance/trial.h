// One kernel alone on every device: a plan of one stage over test buffers, its results compared with those of the
// scalar CPU. Fields are given and compared in host order, whatever the device's pack width.
#ifndef PLAIT_TESTS_TRIAL_H
#define PLAIT_TESTS_TRIAL_H

#include "override.h"
#include "plan.h"
#include "strands.h"

#include <stdbool.h>
#include <stddef.h>

enum field_layout {
    FIELD_NONE,
    FIELD_PACKS,    // the pack table
    FIELD_UNIFORM,  // [rows], the same for all
    FIELD_STRANDS,  // [strand][rows]
    FIELD_VERTICES, // [vertex][rows]
    FIELD_LISTS,    // scratch of `rows` words for each list of near colliders
    FIELD_HOST,     // [rows] of the host's memory
};

struct field {
    enum field_layout layout;
    uint32_t rows;
    const void *content;  // null: zeros
    uint32_t spare;       // words behind those, which nobody looks at
    const float *padding; // [rows] where there is no strand or vertex; null: like a neighbour, as steps leave it
    const char *name;     // of what the kernel writes; null: it must leave the field alone
    double tolerance;     // of a GPU, absolute; CPU builds agree to the bit
    bool scratch;         // overrides have no use for it: they must leave it alone; without a name: nobody looks at it
};

struct trial {
    const char *name;
    uint32_t kernel;
    union { // by the names of the kernel's bindings, and in their order
#define FIELD(binding, access) struct field binding;
#define X(name, domain, scope, physics)                                                                                \
    struct {                                                                                                           \
        name##_BINDINGS(FIELD)                                                                                         \
    } name;
        FOR_EACH_KERNEL(X)
#undef X
#undef FIELD
        struct field fields[KERNEL_MAX_BINDINGS];
    };
    union kernel_values values;
    struct span span; // where it writes the host's memory
    bool sweeps;      // GPUs do it in another order: none is exact
    double strays;    // share of words that may be off by more than the tolerance, up to STRAY_FACTOR times
};
#define STRAY_FACTOR 100

void trials_open(void);
void trials_close(void);
struct device *trial_device(size_t place); // null: it is not available on this machine
// Runs a trial everywhere; a failed assertion when a device disagrees.
void trial_run(const struct strands *strands, const struct trial *trial);
#define TRIAL_FORMS 2
// Runs it in one of the places; form 0: the plain kernel, 1: its override, or on the CPU in narrow packs. Results in host
// order, to be freed, a null for each field that has none. False: it is not available on this machine, or there is no such
// form.
bool trial_run_at(const struct strands *strands, const struct trial *trial, size_t place, int form,
                  uint32_t *results[KERNEL_MAX_BINDINGS]);
// Prints the largest error of GPUs in all trials since the last report.
void trials_report(void);

#endif
