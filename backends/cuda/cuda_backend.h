// The CUDA backend: plans as graphs that are instantiated once and launched for every step. Every operation that calls
// the driver is between cuda_enter and cuda_leave, so that the host's current context is what it was.
#ifndef PLAIT_CUDA_BACKEND_H
#define PLAIT_CUDA_BACKEND_H

#include "driver.h"
#include "gpu.h"
#include "plait_cuda.h"

#define PACK_WIDTH 32
#define BLOCK_SIZE 64 // as __launch_bounds__ in kernels.cu has it
#define HOST_SLICE 0  // the one for runs that write to the host's pointer; the others take the rest in turn
#define MAX_DEVICES 16
#define MAX_IDLE 1024 // blocks of memory that a device keeps for later

// What a context knows of CUDA: the driver and its devices.
struct cuda_probe {
    struct driver driver;
    uint32_t device_count;
    CUdevice devices[MAX_DEVICES];
};

// Memory on the device, or pinned on the host's side.
struct cuda_memory {
    CUdeviceptr device;
    void *host;
    uint64_t size;
};

struct cuda_device {
    struct device device;
    const struct driver *cu;
    CUdevice ordinal;
    CUcontext context;
    bool own_context;     // the device's primary one, retained; else the host's
    CUstream host_stream; // null: each arena has its own, or shares one with those that share its memory
    CUmodule module;
    CUfunction kernels[KERNEL_COUNT];
    CUfunction overrides[KERNEL_COUNT]; // null: there is none
    atomic_bool lost;
    bool has_stream_values;                // streams wait for and write numbers in memory
    struct mutex mutex;                    // guards the lists that follow
    struct cuda_timeline *ended_timelines; // they wait for their last use
    struct cuda_timeline *idle_timelines;  // of our own, for the next that is wanted
    atomic_uint ended_count;
    struct mutex marks_mutex; // guards the next three; taken last
    struct mark *spare_marks; // of semaphores, see semaphore.c
    uint32_t mark_count, marks_wanted;
    uint32_t arena_count;
    uint32_t idle_count;
    struct cuda_memory idle[MAX_IDLE]; // left behind by hairs, for the next
};

// What arenas have in common that share memory. Buffers have addresses, which all kernels can use: it takes only an order, and
// that is the stream's. Whoever puts something into it while another thread does comes before or after; that does not matter,
// as all of one run is one launch.
struct cuda_stream {
    CUstream handle;
    atomic_uint arena_count; // freed with the last
};

// All of one hair. Plain buffers are allocations of their own. Dynamic ones lie side by side in one, which is copied as a
// whole at the start of each run from the run's own slice of `upload`. There is a slice more than runs that queue up, for
// HOST_SLICE.
struct cuda_arena {
    struct gpu_arena gpu;
    struct cuda_stream *shared; // null: the stream is the host's
    CUstream stream;
    bool filling;     // something fills new memory in the stream, and no run stands behind it
    uint64_t last_id; // of a dynamic buffer
    struct cuda_memory dynamic_memory;
    uint32_t marks;            // reserved for its frames
    struct cuda_memory upload; // pinned, a slice for each
    struct cuda_memory watch;  // pinned, a copy of the watched buffer for each
    struct {
        struct cuda_memory places[2]; // pinned
        CUevent done[2];              // recorded behind the last copy to each
        bool pending[2];              // it may be under way
    } rescue;
    CUevent done[GPU_MAX_SLICES]; // recorded behind the slice's last run
    uint64_t run_count;
};

struct plan {
    struct gpu_plan gpu;
    uint64_t output_size;       // bytes of it that are written
    struct cuda_memory output;  // where kernels write what the host's pointer gets
    struct cuda_memory staging; // pinned: the same on its way
    uint64_t generation;        // of the arena when it last ran; 0: graphs must be made again
    uint64_t version;           // grows with it
    CUgraphExec graphs[GPU_MAX_SLICES];
    uint64_t versions[GPU_MAX_SLICES]; // that they were made for
    CUevent *ticks;                    // [slices][tick_count], made when a slice's graph is
    uint32_t tick_count;               // one more than stages run
};

static inline struct cuda_arena *arena_of(const struct plan *plan) { return (struct cuda_arena *)plan->gpu.arena; }

plait_result cuda_result(struct cuda_device *device, CUresult result); // and remembers if it means that all is lost

// Makes the device's context current and remembers the host's; then everything but cuda_leave may be left out on failure.
CUresult cuda_enter(const struct cuda_device *device, CUcontext *hosts);
void cuda_enter_to_free(const struct cuda_device *device, CUcontext *hosts); // for calls that cannot report a failure
void cuda_leave(const struct cuda_device *device, CUcontext hosts);

// driver.c
plait_result cuda_probe(struct context *context, void **state, uint32_t *count, char reason[PLAIT_REASON_SIZE]);
void cuda_forget(struct context *context, void *state);
void cuda_describe(void *state, uint32_t index, plait_device_info *info);
void cuda_describe_device(const struct driver *cu, CUdevice device, plait_device_info *info);

// memory.c; those in the second group expect the context to be current
plait_result cuda_arena_create(struct device *device, uint32_t frame_runs, struct arena *beside, struct arena **arena);
void cuda_arena_destroy(struct arena *arena);
plait_result cuda_buffer_create(struct arena *arena, uint64_t size, enum buffer_use use, struct buffer *buffer);
void cuda_buffer_destroy(struct buffer *buffer);
plait_result cuda_buffer_write(struct buffer *buffer, uint64_t offset, const void *data, uint64_t size);
plait_result cuda_buffer_read(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size);

plait_result cuda_allocate_device(struct cuda_device *device, uint64_t size, struct cuda_memory *memory);
plait_result cuda_allocate_pinned(struct cuda_device *device, uint64_t size, struct cuda_memory *memory);
// Nothing may use it any more; see cuda_wait_to_free. One without memory is fine.
void cuda_free(struct cuda_device *device, struct cuda_memory *memory);
void cuda_free_idle(struct cuda_device *device); // waits for all that runs in the context
CUdeviceptr cuda_address(const struct cuda_arena *arena, const struct buffer *buffer);

// plan.c
uint64_t cuda_stage_ns(const struct gpu_plan *plan, uint32_t slice, uint32_t n); // these two for struct gpu_ops
const void *cuda_output(const struct gpu_plan *plan);
plait_result cuda_plan_create(struct arena *arena, uint32_t capacity, const struct plan_size *size, struct plan **plan);
void cuda_plan_destroy(struct plan *plan);
plait_result cuda_plan_set(struct plan *plan, const struct schedule *schedule);
plait_result cuda_plan_run(struct plan *plan);
plait_result cuda_gather(struct arena *arena);
void cuda_plan_commands(const struct plan *plan, struct plan_commands *commands);
plait_result cuda_synchronise(struct arena *arena, const struct frame_sync *sync);
plait_result cuda_desynchronise(struct arena *arena);
plait_result cuda_wait(struct arena *arena, uint64_t timeout_ns);
plait_result cuda_wait_current(struct cuda_arena *arena, uint64_t timeout_ns); // with the context current
void cuda_wait_to_free(
    struct cuda_arena *arena); // the same, where there is no way back: nothing uses its memory after this

plait_result cuda_wait_event(struct cuda_device *device, CUevent event, uint64_t timeout_ns);

// external.c
void cuda_find_abilities(struct cuda_device *device);
void cuda_handle(union external_handle *out, int64_t handle);
plait_result cuda_memory_create(struct call *call, struct device *device, uint64_t size, uint32_t kind,
                                struct shared_memory **memory);
plait_result cuda_memory_import(struct call *call, struct device *device, const plait_external_memory *external,
                                uint64_t size, struct shared_memory **memory);
plait_result cuda_memory_export(struct call *call, struct shared_memory *memory, plait_external_memory *external);
void cuda_memory_destroy(struct shared_memory *memory);

// semaphore.c
plait_result cuda_timeline_create(struct call *call, struct device *device, const plait_external_semaphore *external,
                                  struct timeline **timeline);
plait_result cuda_timeline_export(struct call *call, struct timeline *timeline, uint32_t kind,
                                  plait_external_semaphore *external);
plait_result cuda_timeline_query(struct timeline *timeline, uint64_t *value);
plait_result cuda_timeline_wait(struct timeline *timeline, uint64_t value, uint64_t timeout_ns);
plait_result cuda_timeline_signal(struct timeline *timeline, uint64_t value);
void cuda_timeline_destroy(struct timeline *timeline);
// Signals what timeline->native names from the CPU, after all that streams will do to it; not if that takes too long.
plait_result cuda_timeline_settle(uint64_t native, uint64_t value, uint64_t timeout_ns);
// With the context current. Makes so many more marks, one for each use of a semaphore by a stream, so that frames make none.
// They stay for others.
CUresult cuda_marks_reserve(struct cuda_device *device, uint32_t count);
void cuda_marks_unreserve(struct cuda_device *device, uint32_t count);
// With the context current. Frees those that nothing uses any more, or all.
void cuda_timelines_collect(struct cuda_device *device, bool all);
// Streams wait for and signal what timeline->native names; with the context current. *done: the stream will do so, whatever
// is returned.
CUresult cuda_stream_wait(CUstream stream, uint64_t native, uint64_t value, bool *done);
CUresult cuda_stream_signal(CUstream stream, uint64_t native, uint64_t value, bool *done);

// rescue.c; with the context current, except for the operations
extern const struct gpu_rescue_ops cuda_rescue_ops;
void cuda_rescue_free(struct cuda_arena *arena);
plait_result cuda_rescue(struct arena *arena, uint64_t tag);
bool cuda_lost(struct arena *arena, uint64_t *tag);

// graph.c
CUresult cuda_make_graph(struct plan *plan, uint32_t slice);

// device.c
plait_result cuda_check_device(const struct call *call, const void *hosts);
plait_result cuda_open(struct call *call, void *state, const struct device_request *request, struct device **device);
void cuda_close(struct device *device);

#endif
