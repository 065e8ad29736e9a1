// Devices: what core asks of a backend. A backend owns memory and replays plans; it decides nothing about physics.
#ifndef PLAIT_DEVICE_H
#define PLAIT_DEVICE_H

#include "context.h"
#include "override.h"
#include "plan.h"

struct device;

// Memory of one hair on a device: everything its kernels touch except the host's output and what it shares with others. A
// backend's own struct begins with this. One thread at a time uses an arena.
struct arena {
    struct device *device;
    struct crew *crew; // whose threads run its plans, of devices that take one; null: the job system
};

// How a buffer is used while stepping. Others are written and read when nothing runs.
enum buffer_use {
    USE_PLAIN,
    USE_DYNAMIC, // written by core before every run; a write is seen by the runs after it only
    USE_WATCHED, // peeked at while later runs are under way
    USE_STATE,   // can be read after the device is lost, as it was at the last rescue
    USE_SCRATCH, // what stages of one phase pass on within a pack: a device may keep it for the packs that it works at only
};

// Part of an arena, or the host's own memory (arena null). Core fills it through the device's operations only.
struct buffer {
    struct arena *arena;
    void *memory;        // null: none; else the backend's own, or the host's pointer
    uint64_t native;     // a buffer of the device's own kind that is not in an arena, instead of memory
    void *native_device; // the host's device that it belongs to; null: shared memory's
    uint64_t size;
    uint64_t extent; // of output: bytes up to the last that is written
    bool lasting;    // the host's memory, there until the plan gets other stages
    bool more;       // of output: the frame has another run that writes some; that one signals
    uint64_t offset; // the backend's; of a native buffer: where to begin in it
    enum buffer_use use;
    uint32_t row_bytes, pack_bytes; // of scratch: what each row of vertices has of it, or else each pack
};

// The timer of a stage, kept by the device.
struct stage_time {
    uint64_t total_ns; // summed over threads
    uint64_t run_count;
};

// What one run of a plan hands to the device.
struct plan_commands {
    uint32_t dispatches, barriers;
};

struct plan; // a backend's own form of a list of stages

// Output memory that comes from or goes to others by handle. A backend's own struct begins with this.
struct shared_memory {
    struct device *device;
    uint64_t native; // for struct buffer
    uint64_t offset;
};

// A timeline semaphore on a device. A backend's own struct begins with this.
struct timeline {
    struct device *device;
    uint64_t native; // for struct frame_sync
};

// What the runs of one frame wait for and signal; by native semaphores of the device, 0: none.
struct frame_sync {
    uint64_t wait, wait_value, signal, signal_value;
};

struct device_ops {
    bool sweeps; // a lane has a cache: kernels that go over a strand once are faster than one for each piece of work
    // Runs are done when they return, never fail, and may be part of a crew's task, unless the arena shares memory.
    bool takes_crew;
    // frame_runs: how many plans a frame may run; a device that works asynchronously lets two such frames queue up before
    // a call waits.
    // beside: null, or an arena of the device whose memory the new one shares, as do all that were made beside either. Plans
    // may bind the buffers of all of them, but dynamic ones, and state to write, of their own arena only. Their runs, and
    // writes and reads of buffers that are not dynamic, happen one after the other, in the order they are handed over, from
    // whatever threads. What a device can address for one arena is the limit for all that share, together (TOO_LARGE).
    // Everything else is each arena's own: other threads may use the others meanwhile, and they may go in any order. The
    // call may come from any thread while no plan of `beside` itself runs; those of others that share with it may.
    plait_result (*arena_create)(struct device *device, uint32_t frame_runs, struct arena *beside,
                                 struct arena **arena);
    void (*arena_destroy)(struct arena *arena); // waits for what runs; buffers and plans of it are gone already
    plait_result (*buffer_create)(struct arena *arena, uint64_t size, enum buffer_use use,
                                  struct buffer *buffer); // zeroed
    void (*buffer_destroy)(struct buffer *buffer);        // one without memory is fine
    plait_result (*buffer_write)(struct buffer *buffer, uint64_t offset, const void *data, uint64_t size);
    plait_result (*buffer_read)(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size);
    // The content of a watched buffer after the last run that is known to be done; does not wait.
    plait_result (*buffer_peek)(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size);
    // A plan with room for some stages.
    plait_result (*plan_create)(struct arena *arena, uint32_t capacity, const struct plan_size *size,
                                struct plan **plan);
    void (*plan_destroy)(struct plan *plan);
    // Replaces the stages. Buffers must outlive the plan or its next stages. Timers of stages that stay run on.
    plait_result (*plan_set)(struct plan *plan, const struct schedule *schedule);
    plait_result (*plan_run)(struct plan *plan); // may return before it is done
    void (*plan_time)(const struct plan *plan, uint32_t stage, struct stage_time *time);
    // Zeros before the first run. Null where running is not a matter of commands.
    void (*plan_commands)(const struct plan *plan, struct plan_commands *commands);
    // The runs of this frame wait and signal: the first run from now waits, the last run that writes output signals (see
    // buffer.more). Null where the device has no such thing.
    plait_result (*synchronise)(struct arena *arena, const struct frame_sync *sync);
    // The frame was refused or has failed: does the waiting and signalling that its runs have not done. An error: the signal
    // will not come.
    plait_result (*desynchronise)(struct arena *arena);
    plait_result (*wait)(struct arena *arena, uint64_t timeout_ns); // for all that was run, output included
    void (*close)(struct device *device);

    // What follows may be null, where the device has no such thing.

    // Frames of several arenas that share no memory, at once. From gather on, runs of an arena are put together with those of
    // others that gather, in their order, and handed over by hand_over, or before, where something has to wait for them. One
    // thread at a time gathers on a device, see device.gatherer. gather may wait for what ran before. gathered ends it, after
    // hand_over, with the failure of the arena's own part; what its frame waits for and signals is then left to
    // desynchronise.
    plait_result (*gather)(struct arena *arena);
    void (*hand_over)(struct device *device);
    plait_result (*gathered)(struct arena *arena);

    // Memory for output. Importing duplicates the handle that it gets; exporting gives a new one. These log their failures.
    plait_result (*memory_create)(struct call *call, struct device *device, uint64_t size, uint32_t kind,
                                  struct shared_memory **memory);
    plait_result (*memory_import)(struct call *call, struct device *device, const plait_external_memory *external,
                                  uint64_t size, struct shared_memory **memory);
    plait_result (*memory_export)(struct call *call, struct shared_memory *memory, plait_external_memory *external);
    void (*memory_destroy)(struct shared_memory *memory);
    // Semaphores. Creating duplicates the handle of external, which may be null; device null: core's own are used.
    plait_result (*timeline_create)(struct call *call, struct device *device, const plait_external_semaphore *external,
                                    struct timeline **timeline);
    plait_result (*timeline_export)(struct call *call, struct timeline *timeline, uint32_t kind,
                                    plait_external_semaphore *external);
    plait_result (*timeline_query)(struct timeline *timeline, uint64_t *value);
    plait_result (*timeline_wait)(struct timeline *timeline, uint64_t value, uint64_t timeout_ns);
    plait_result (*timeline_signal)(struct timeline *timeline, uint64_t value);
    void (*timeline_destroy)(struct timeline *timeline); // waits for runs that use it
    // A place for output, or what a frame waits for and signals, as the host's platform describes it, see platform_structs.h:
    // checks the struct and fills in what is native of it. These log their failures.
    plait_result (*take_output)(const struct call *call, const struct device *device, const void *platform,
                                struct buffer *memory);
    plait_result (*take_frame)(const struct call *call, const struct device *device, const struct buffer *output,
                               const void *platform, struct frame_sync *sync);
    // Copies the buffers of state to where they outlive the device, some time after all that was run; tag counts up.
    plait_result (*rescue)(struct arena *arena, uint64_t tag);
    // Whether the device is lost; then *tag is that of the last rescue that was done (buffer_read gives what it saved), or 0.
    bool (*lost)(struct arena *arena, uint64_t *tag);
    // Compiled kernels to keep; memory null: only how many bytes.
    plait_result (*save_cache)(struct device *device, uint64_t *size, void *memory);
};

struct device {
    struct object object;
    const struct device_ops *ops;
    plait_device_info info;
    void *native; // the host's device that this one stands on, or null
    uint32_t pack_width;
    uint32_t narrow_width;       // of packs for solvers that want them narrow; 0: pack_width
    uint32_t tile;               // items of a group in building blocks, see blocks.h
    uint64_t max_output_bytes;   // from the first byte that output writes to the last; 0: no limit
    uint32_t lists_per_pack;     // of near colliders: one where lanes go together, pack_width where each goes alone
    enum override_use overrides; // whether kernels that have one run it; tests change it
    atomic_ullong used_bytes;
    atomic_uintptr_t gatherer; // the call that gathers runs, or 0
};

struct device_request {
    plait_device_desc desc;    // index: that of the device which uuid and name have found
    plait_device_cpu_desc cpu; // instruction_set 0 when not given
    const void *hosts;         // the platform's struct of a device of the host's own, which was checked; or null
};

// One entry of the table in device.c. The context keeps what probe finds.
struct backend {
    uint32_t id;
    const char *name;
    // Looks for devices; a count of 0 and the reason when there are none. *state is the backend's own. The only failure is
    // a lack of memory.
    plait_result (*probe)(struct context *context, void **state, uint32_t *count, char reason[PLAIT_REASON_SIZE]);
    void (*forget)(struct context *context, void *state);
    void (*describe)(void *state, uint32_t index, plait_device_info *info);
    bool (*is_software)(void *state, uint32_t index); // a software device: never the best
    plait_result (*open)(struct call *call, void *state, const struct device_request *request, struct device **device);

    // Of backends that devices of the host's own can be opened with, else null:

    plait_result (*check_device)(const struct call *call, const void *hosts);
    bool opens_unlisted; // also those that probe does not find
    // What it wants of a device that the host is about to make; info: the platform's own struct. Strings in it are the
    // module's.
    plait_result (*query_wants)(struct call *call, void *state, void *physical_device, void *info);
};

extern const struct backend cpu_backend, null_backend;

void backends_forget(struct context *context);
// A backend by its id, with what its probe has found. PLAIT_ERROR_UNAVAILABLE if its module is not here.
plait_result backend_use(const struct call *call, uint32_t id, const struct backend **backend, void **state);

// Whether the device takes or gives handles of a kind (PLAIT_EXTERNAL_xxx); fd and win32 are the bits of its interop that
// say so.
plait_result device_check_kind(const struct call *call, const struct device *device, uint32_t kind, uint32_t fd,
                               uint32_t win32);
// The same for a handle that comes in, which must be open and of the same card and driver.
plait_result device_check_external(const struct call *call, const struct device *device, uint32_t kind, int64_t handle,
                                   const uint8_t device_uuid[16], const uint8_t driver_uuid[16], uint32_t fd,
                                   uint32_t win32);

#endif
