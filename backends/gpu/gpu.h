// What backends on graphics cards have in common: the state of arenas and plans. A backend keeps what differs: memory, and
// how work is submitted to the driver and waited for. A module has these files compiled in.
#ifndef PLAIT_GPU_H
#define PLAIT_GPU_H

#include "module.h"

#define GPU_MAX_SLICES 65 // of one arena
#define GPU_WATCHED 64    // bytes of a watched buffer that can be peeked at
#define GPU_TILE 2048     // words of a group in building blocks: enough groups to fill a card from 100,000 words on

struct gpu_arena;
struct gpu_plan;

// What rescues ask of a backend. place: 0 or 1. With all buffers of state in one copy, each at its `at`.
struct gpu_rescue_ops {
    // Replaces the memory for a copy, if any, by so many bytes. Nothing uses the old memory any more.
    plait_result (*make)(struct gpu_arena *arena, uint32_t place, uint64_t size);
    plait_result (*wait)(struct gpu_arena *arena, uint32_t place); // for the last copy
    // Copies the state some time after all that was run. The copy that is there is lost from now on.
    plait_result (*copy)(struct gpu_arena *arena, uint32_t place, uint64_t tag);
    uint64_t (*copied)(const struct gpu_arena *arena,
                       uint32_t place); // tag of the copy that is whole there; 0: none is
    const void *(*see)(const struct gpu_arena *arena, uint32_t place); // the copy, for the CPU to read
};

// What this code asks of a backend.
struct gpu_ops {
    const struct gpu_rescue_ops *rescue;
    // Replaces the memory for slices by slices of so many bytes. A failure leaves the old memory.
    plait_result (*make_slices)(struct gpu_arena *arena, uint64_t slice_size);
    // What runs have copied of the watched buffer, GPU_WATCHED bytes for each slice.
    const void *(*watch)(struct gpu_arena *arena);
    // Time of the stage that was number n in the slice's last run.
    uint64_t (*stage_ns)(const struct gpu_plan *plan, uint32_t slice, uint32_t n);
    // What stands in for the host's memory, from byte output_first of it on.
    const void *(*output)(const struct gpu_plan *plan);
};

// A dynamic buffer. Its content for the next run is in the arena's mirror.
struct gpu_dynamic {
    uint64_t key;      // `offset` of its struct buffer
    uint64_t size, at; // at: in the mirror and in a slice
};

// A buffer of state.
struct gpu_state {
    uint64_t address;  // on the device
    uint64_t size, at; // at: in a rescue copy
};

// All of one hair. A backend's own struct begins with this. Dynamic buffers are copied in at the start of each run from the
// run's own slice, so that core can write to the mirror while runs are under way. Tables grow when buffers and plans are
// made, never while stepping.
struct gpu_arena {
    struct arena arena;
    const struct gpu_ops *ops;
    uint64_t generation; // grows when buffers change: plans must be recorded again
    uint32_t slices;     // how many runs may be under way at once
    uint32_t next_slice;
    uint64_t
        runs[GPU_MAX_SLICES]; // the slice's last run, by a number that counts up; 0: none, or it is known to be done
    struct gpu_dynamic *dynamic;
    uint32_t dynamic_count, dynamic_room;
    uint64_t slice_size;
    unsigned char *mirror;             // content of dynamic buffers in the next run
    uint64_t watched, watched_size;    // address on the device; size 0: none
    unsigned char peeked[GPU_WATCHED]; // the watched buffer after run number peeked_run
    uint64_t peeked_run;
    struct gpu_state *states;
    uint32_t state_count, state_room;
    uint64_t copy_room[2]; // bytes that the places for rescue copies have
    struct gpu_plan **plans;
    uint32_t plan_count, plan_room;
    struct frame_sync sync;          // what the runs to come wait for and signal
    struct gpu_plan *output_pending; // its result is not in the host's memory yet
};

// A stage, and the time of its runs.
struct gpu_stage {
    struct stage stage;
    uint64_t total_ns, run_count;
};

// A backend's struct plan begins with this.
struct gpu_plan {
    struct gpu_arena *arena;
    struct plan_size size;
    uint32_t capacity, stage_count;
    struct gpu_stage *stages;
    struct schedule schedule;      // its phases and repeats; stages are our own
    struct buffer host;            // the memory that output goes to; or none
    uint64_t output_first;         // byte of it that its stand-in begins with
    uint64_t runs[GPU_MAX_SLICES]; // those whose times are not counted yet, by number; else 0
};

// arena.c
// In an arena that is all zero. frame_runs: as for device_ops; two such frames can queue up.
void gpu_arena_begin(struct gpu_arena *arena, struct device *device, const struct gpu_ops *ops, uint32_t frame_runs);
void gpu_arena_free(struct gpu_arena *arena); // and itself; nothing runs any more
// Nothing may run while these change dynamic buffers.
plait_result gpu_add_dynamic(struct gpu_arena *arena, uint64_t key, uint64_t size);
void gpu_drop_dynamic(struct gpu_arena *arena, const struct buffer *buffer);
const struct gpu_dynamic *gpu_find_dynamic(const struct gpu_arena *arena, const struct buffer *buffer);
unsigned char *gpu_mirror_of(const struct gpu_arena *arena, const struct buffer *buffer); // of a dynamic buffer
plait_result gpu_add_state(struct gpu_arena *arena, uint64_t address, uint64_t size);
void gpu_drop_state(struct gpu_arena *arena, uint64_t address);                          // none there is fine
const struct gpu_state *gpu_find_state(const struct gpu_arena *arena, uint64_t address); // or null
uint64_t gpu_state_size(const struct gpu_arena *arena);                                  // of a rescue copy
void gpu_watch(struct gpu_arena *arena, uint64_t address, uint64_t size);
void gpu_unwatch(struct gpu_arena *arena);
// The slice's last run is done: keeps what the watched buffer held, if that is news.
void gpu_look(struct gpu_arena *arena, uint32_t slice);
// All runs are done: looks at their slices, counts their times, and delivers output.
void gpu_settle(struct gpu_arena *arena);
plait_result gpu_buffer_peek(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size); // for device_ops
// A table with room for `count` entries: the one given, or a larger one with its content in its place. Null: no memory, and
// the one given stays.
void *gpu_reserve(struct context *context, void *table, uint32_t count, uint32_t *room, size_t size);

// plan.c
plait_result gpu_plan_create(struct gpu_plan *plan, struct gpu_arena *arena, uint32_t capacity,
                             const struct plan_size *size);
// Frees what gpu_plan_create made, also after it failed, and takes the plan out of the arena.
void gpu_plan_free(struct gpu_plan *plan);
// The host's memory that a schedule writes, or null.
const struct buffer *gpu_host_of(const struct schedule *schedule);
// There is room for all stages. host: as gpu_host_of has it.
void gpu_plan_set(struct gpu_plan *plan, const struct schedule *schedule, const struct buffer *host);
void gpu_plan_count_run(struct gpu_plan *plan, uint32_t slice); // one that is done; none to be counted is fine
void gpu_plan_deliver(const struct gpu_plan *plan);             // copies output to the host's pointer
void gpu_plan_time(const struct plan *plan, uint32_t stage, struct stage_time *time); // for struct device_ops

// rescue.c
plait_result gpu_rescue_prepare(struct gpu_arena *arena);       // memory for it, when all buffers of state are there
plait_result gpu_rescue(struct gpu_arena *arena, uint64_t tag); // as device_ops has it
uint64_t gpu_rescued(const struct gpu_arena *arena);            // tag of the newest copy that is whole, or 0
// From that copy; address: of a buffer of state. PLAIT_ERROR_DEVICE_LOST: there is none.
plait_result gpu_read_rescued(const struct gpu_arena *arena, uint64_t address, uint64_t offset, void *data,
                              uint64_t size);

#endif
