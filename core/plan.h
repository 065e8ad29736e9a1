// Plans: the list of stages that a step or an output consists of, and how core cuts it for devices.
//
//   frame   plait_hair_step: the clock splits dt into steps
//     step    one run of the plan, replayed by the device
//       phase   stages between two barriers. Local stages of one domain that follow each other share a phase: the CPU
//               runs them chunk by chunk, so that a pack stays in cache from the first stage to the last. A global stage
//               has a phase to itself. A run of phases can repeat.
//         stage   one kernel over one domain, with the buffers it reads and writes
//           kernel  code for one item of the domain, in the dialect
//
//   domain:  packs | vertices | items | groups     how many: all of the hair's, a fixed number, or a number that lies in a
//                                                  device buffer and is known to the device only (with a capacity)
//
//   pack     W strands side by side, one a lane         lane:    0    1    2  ...  W-1
//            (W: SIMD width, 32 on GPUs)              vertex 0   x    x    x        x   <- a row: one value for each
//            values lie vertex by vertex              vertex 1   x    x    x        x
//            shorter strands are padded               vertex 2   x    x    -        x
//
// Backends replay phases and decide nothing: one parallel-for a phase on the CPU, split the same way whatever the thread
// count; barriers from declared accesses on Vulkan; edges of a graph on CUDA.
#ifndef PLAIT_PLAN_H
#define PLAIT_PLAN_H

#include "kernel.h"
#include "plait.h"

struct buffer;

enum domain_kind { DOMAIN_PACKS, DOMAIN_VERTICES, DOMAIN_ITEMS, DOMAIN_GROUPS };
enum kernel_scope { SCOPE_LOCAL, SCOPE_GLOBAL };
enum access { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_READ_WRITE = 3 };

#define KERNEL_MAX_BINDINGS (sizeof(union kernel_bindings) / sizeof(void *))
#define KERNEL_MAX_VALUES (sizeof(union kernel_values) / sizeof(uint32_t))

// The buffers of a stage by name, stage.buffers.NAME.BINDING, and in the order of the kernel's list.
#define KERNEL_BUFFER(binding, access) const struct buffer *binding;
union kernel_bindings {
#define X(name, domain, scope, physics)                                                                                \
    struct {                                                                                                           \
        name##_BINDINGS(KERNEL_BUFFER)                                                                                 \
    } name;
    FOR_EACH_KERNEL(X)
#undef X
};

// The numbers of a stage, likewise. `none`: some kernels have no numbers, and C has no empty structs.
union kernel_values {
#define X(name, domain, scope, physics)                                                                                \
    struct {                                                                                                           \
        uint32_t none;                                                                                                 \
        name##_VALUES(KERNEL_NUMBER)                                                                                   \
    } name;
    FOR_EACH_KERNEL(X)
#undef X
};

// What a stage runs over; the kind is the kernel's. All zero: all packs or vertices of the plan.
struct domain {
    uint32_t first;               // item to begin with
    uint32_t count;               // items; where there is a counter, its capacity
    uint32_t tile;                // of groups: items that one group has
    const struct buffer *counter; // null: `count` is how many
    uint32_t counter_at;          // word of it
};

// What a stage writes of the host's memory, in bytes: `count` pieces of `size`, `stride` apart, from `offset` on.
struct span {
    uint64_t offset, stride, size, count;
};

struct stage {
    uint32_t kernel; // enum kernel_id
    struct domain domain;
    union {
        union kernel_bindings buffers;
        const struct buffer *bindings[KERNEL_MAX_BINDINGS];
    };
    union {
        union kernel_values values;
        uint32_t numbers[KERNEL_MAX_VALUES]; // from 1 on
    };
    struct span span; // of stages that write the host's memory
};

// A run of stages that runs several times in a row.
struct repeat {
    uint32_t first, count, times;
};

#define PLAN_MAX_REPEATS 8

// Stages as a solver or a coupling lists them. `stages` has room for `capacity`.
struct stage_list {
    struct stage *stages;
    uint32_t count, capacity;
    struct repeat repeats[PLAN_MAX_REPEATS];
    uint32_t repeat_count;
    bool overflow; // more were added than there is room for
};

static inline void stage_add(struct stage_list *list, struct stage stage) {
    if (list->count == list->capacity)
        list->overflow = true;
    else
        list->stages[list->count++] = stage;
}
// All stages from number `first` on run `times` times. Repeats do not nest.
void stage_repeat(struct stage_list *list, uint32_t first, uint32_t times);

struct phase {
    uint32_t first, count; // stages
};

// A plan as devices get it.
struct schedule {
    const struct stage *stages;
    uint32_t stage_count;
    struct phase *phases; // room for stage_count
    uint32_t phase_count;
    struct repeat repeats[PLAN_MAX_REPEATS]; // of phases
    uint32_t repeat_count;
    uint32_t run_count; // stages that one run of the plan runs, repeats included
};

// Cuts a list into phases. False: a binding is missing, a domain makes no sense, or repeats overlap.
bool schedule_make(const struct stage_list *list, struct phase *phases, struct schedule *schedule);

// Walks the phases in the order they run, repeats included: for (struct cursor c = {0}; schedule_next(s, &c);) c.phase ...
struct cursor {
    uint32_t phase;  // the one to run
    uint32_t next;   // the one after it
    uint32_t rounds; // of the repeat that it is in, so far
    bool started;
};
bool schedule_next(const struct schedule *schedule, struct cursor *cursor);

struct kernel_info {
    const char *name;
    enum domain_kind domain;
    enum kernel_scope scope;
    bool physics;
    uint32_t binding_count, value_count;
    uint8_t access[KERNEL_MAX_BINDINGS]; // enum access
};
extern const struct kernel_info kernel_infos[KERNEL_COUNT];

// What plans of one hair have in common: how many packs, and how many vertices with padding, width times the rows.
struct plan_size {
    uint32_t packs, width;
    uint64_t vertices;
    const uint32_t *table; // [packs][PACK_UINTS], outlives the plans; may be null where no stage has scratch
};

// How many items of its domain a stage has, at most where a counter says how many: packs, rows of vertices, words, groups.
uint32_t stage_items(const struct stage *stage, const struct plan_size *size);

// Arguments in the form of union kernel_args. pointers: one for each binding of the kernel.
void stage_args(const struct stage *stage, uint32_t items, void *const *pointers, const uint32_t *counter,
                union kernel_args *args);

bool stage_binds(const struct stage *stage, const struct buffer *buffer);

#endif
