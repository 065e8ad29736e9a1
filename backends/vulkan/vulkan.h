// The Vulkan backend: plans as command buffers that are recorded once and submitted for every step.
#ifndef PLAIT_VULKAN_BACKEND_H
#define PLAIT_VULKAN_BACKEND_H

#include <volk.h>

#include "gpu.h"
#include "plait_vulkan.h"

#include <vk_mem_alloc.h>

#define PACK_WIDTH 32
#define GROUP_SIZE 64

// X(name, extension): device extensions that the backend makes use of.
#define FOR_EACH_VULKAN_EXTENSION(X)                                                                                   \
    X(TIMELINE_SEMAPHORE, "VK_KHR_timeline_semaphore")                                                                 \
    X(EXTERNAL_MEMORY_FD, "VK_KHR_external_memory_fd")                                                                 \
    X(EXTERNAL_MEMORY_WIN32, "VK_KHR_external_memory_win32")                                                           \
    X(EXTERNAL_SEMAPHORE_FD, "VK_KHR_external_semaphore_fd")                                                           \
    X(EXTERNAL_SEMAPHORE_WIN32, "VK_KHR_external_semaphore_win32")                                                     \
    X(EXTERNAL_MEMORY_HOST, "VK_EXT_external_memory_host")

enum vulkan_extension {
#define X(name, extension) VULKAN_##name,
    FOR_EACH_VULKAN_EXTENSION(X)
#undef X
        VULKAN_EXTENSION_COUNT
};

// What a context knows of Vulkan: one instance and its devices.
struct vulkan_probe {
    VkInstance instance;
    uint32_t device_count;
    VkPhysicalDevice devices[16];
};

// What an opened device can do beyond the least.
struct vulkan_abilities {
    uint32_t extensions;                  // enabled ones, bits of enum vulkan_extension
    bool export_semaphores;               // timeline semaphores go out and come in by handle
    bool memory_dedicated;                // shared memory must be allocated for one buffer alone
    uint64_t host_alignment;              // of host memory that the device can write itself; 0: none
    uint64_t offset_alignment, max_range; // of what a descriptor sees of a buffer
};

// What a submission waits for and signals, for as long as it takes to hand it over.
struct submission_terms {
    VkSemaphore wait, signals[2];
    uint64_t wait_value, values[2];
    VkTimelineSemaphoreSubmitInfo timeline;
};

#define GATHERED_RUN UINT64_MAX // in the place of a run's number: it has none before it is handed over

struct gathered_run {
    VkCommandBuffer commands;
    struct frame_sync sync;
    struct vulkan_arena *arena;
    uint64_t *numbers[2]; // where its number goes; 0 if it fails
    uint64_t *tag;        // of a rescue copy: 0 if it fails; or null
    struct submission_terms terms;
};

struct vulkan_gathering {
    struct gathered_run *runs; // infos and commands lie behind them in the same memory
    VkSubmitInfo *infos;
    VkCommandBuffer *commands;
    uint32_t count, room;
    uint32_t wanted; // room for one frame of each arena
};

struct vulkan_device {
    struct device device;
    VkPhysicalDevice physical;
    VkDevice handle;
    VkQueue queue;
    uint32_t queue_family;
    struct VolkDeviceTable vk;
    VmaAllocator allocator;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout pipeline_layout;
    VkPipelineCache pipeline_cache;
    VkPipeline pipelines[KERNEL_COUNT];
    VkPipeline overrides[KERNEL_COUNT]; // null: there is none
    VkCommandPool command_pool;
    VkSemaphore timeline;
    struct mutex mutex; // guards the queue, the pool, `submitted` and what is gathered
    struct vulkan_gathering gathering;
    uint64_t submitted;            // last value of the timeline that a submission will signal
    atomic_ullong reached;         // a value that it is known to have reached
    double timestamp_ns;           // per tick; 0: none
    uint64_t timestamp_mask;       // bits of a tick that count
    plait_vulkan_device_desc host; // whose device this is, when it is not our own
    struct vulkan_abilities can;
    struct vulkan_timeline *ended; // semaphores of the host's that wait for their last use; guarded by the mutex
    atomic_uint ended_count;
    atomic_bool lost;
    atomic_bool host_memory_lacked; // see host_memory.c
};

struct vulkan_buffer {
    VkBuffer handle;
    VmaAllocation allocation;
    VkDeviceMemory memory; // instead of an allocation: imported or exported
    void *mapped;          // or null
    uint64_t size;
};

// What dialect_glsl.h calls args: a word for each binding, counter, first, items, tile, then the values.
#define MAX_PUSH_WORDS 32
#define NO_COUNTER UINT32_MAX

// A stretch of the heap.
struct block {
    uint64_t offset, size;
    bool used;
};

// All buffers that a plan can bind lie in one heap, because kernels find them by offset: those of one arena, or of several
// that share memory. All work goes through one queue and begins with a barrier, so that it comes one after the other. The
// mutex is held from where commands with the heap in them are recorded until they are submitted, so that it does not move in
// between; not while somebody waits for the device. It is taken before the device's.
struct vulkan_heap {
    struct mutex mutex;   // guards what follows
    uint32_t arena_count; // that use it; freed with the last
    struct vulkan_buffer memory;
    struct block *blocks;
    uint32_t block_count, block_room;
    uint64_t generation; // grows when the memory moves
};

// All of one hair but its heap. Dynamic buffers are copied in at the start of each run from the run's own slice of `upload`.
struct vulkan_arena {
    struct gpu_arena gpu;
    struct vulkan_heap *heap;
    uint32_t frame_runs;         // that it has reserved room for
    bool gathers;                // its runs are handed over with others
    plait_result gather_result;  // the last failure of that
    struct vulkan_buffer upload; // a slice for each
    struct vulkan_buffer watch;  // a copy of the watched buffer for each
    struct {
        VkCommandBuffer commands;
        uint64_t generation, tag, value; // when it was recorded, and of its last run
        struct vulkan_buffer copy;       // of the state, for the host to read
    } rescues[2];
};

// The size of a stage's dispatch where a counter says how many items there are.
struct dispatch_size {
    uint32_t slot; // where it is, in `sizes` of the plan
    bool fresh;    // it is to be computed first
};

struct plan {
    struct gpu_plan gpu;
    struct dispatch_size *dispatch_sizes; // one a stage
    struct buffer sizes;                  // of dispatches whose sizes the device computes
    struct vulkan_buffer output;          // the host's memory on the device's side: mapped, or that very memory
    bool direct;                          // that very memory
    uint64_t generation;                  // when the set was written; 0: it must be
    uint64_t version;                     // grows with it: commands must be recorded again
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkCommandBuffer commands[GPU_MAX_SLICES];
    uint64_t slice_version[GPU_MAX_SLICES]; // that they were recorded for
    struct plan_commands recorded;          // in each of them
    VkQueryPool queries;
    uint32_t tick_count;        // for each slice: one more than stages run
    struct vulkan_buffer ticks; // what they said
};

static inline struct vulkan_arena *arena_of(const struct plan *plan) { return (struct vulkan_arena *)plan->gpu.arena; }

// Grows when buffers of the arena change or the heap moves: plans and rescues must be recorded anew. With the heap's mutex
// held.
static inline uint64_t vulkan_generation(const struct vulkan_arena *arena) {
    return arena->gpu.generation + arena->heap->generation;
}

plait_result vulkan_result(VkResult result, struct vulkan_device *device);

// instance.c
void vulkan_describe_physical(VkPhysicalDevice device, plait_device_info *info);
// Bits of those that it has.
VkResult vulkan_extensions(struct context *context, VkPhysicalDevice device, uint32_t *found);
extern const char *const vulkan_extension_names[VULKAN_EXTENSION_COUNT];

// hosts_device.c: what a host says of its own device, buffers and semaphores, see plait_vulkan.h
plait_result vulkan_check_device(const struct call *call, const void *hosts);
plait_result vulkan_take_output(const struct call *call, const struct device *device, const void *platform,
                                struct buffer *memory);
plait_result vulkan_take_frame(const struct call *call, const struct device *device, const struct buffer *output,
                               const void *platform, struct frame_sync *sync);
uint32_t vulkan_stated_extensions(const plait_vulkan_device_desc *hosts);

// host_memory.c
VkAllocationCallbacks vulkan_host_memory(struct vulkan_device *device); // for VMA
bool vulkan_host_memory_lacked(struct vulkan_device *device);           // since it was asked last

// cache.c: the pipeline cache as the host keeps it. What does not fit is ignored with a message.
VkResult vulkan_cache_create(struct vulkan_device *device, const void *kept, uint64_t size);
plait_result vulkan_cache_save(struct device *device, uint64_t *size, void *memory);

// external.c
void vulkan_find_abilities(struct vulkan_device *device);
// Host memory as a buffer of the device; false where it cannot be.
bool vulkan_import_host(struct vulkan_device *device, void *memory, uint64_t size, struct vulkan_buffer *buffer);
plait_result vulkan_memory_create(struct call *call, struct device *device, uint64_t size, uint32_t kind,
                                  struct shared_memory **memory);
plait_result vulkan_memory_import(struct call *call, struct device *device, const plait_external_memory *external,
                                  uint64_t size, struct shared_memory **memory);
plait_result vulkan_memory_export(struct call *call, struct shared_memory *memory, plait_external_memory *external);
void vulkan_memory_destroy(struct shared_memory *memory);

// semaphore.c
void vulkan_find_semaphore_abilities(struct vulkan_device *device);
plait_result vulkan_timeline_create(struct call *call, struct device *device, const plait_external_semaphore *external,
                                    struct timeline **timeline);
plait_result vulkan_timeline_export(struct call *call, struct timeline *timeline, uint32_t kind,
                                    plait_external_semaphore *external);
plait_result vulkan_timeline_query(struct timeline *timeline, uint64_t *value);
plait_result vulkan_timeline_wait(struct timeline *timeline, uint64_t value, uint64_t timeout_ns);
plait_result vulkan_timeline_signal(struct timeline *timeline, uint64_t value);
void vulkan_timeline_destroy(struct timeline *timeline);
void vulkan_timelines_collect(struct vulkan_device *device); // those that nothing uses any more

// memory.c
plait_result vulkan_make_buffer(struct vulkan_device *device, uint64_t size, VkBufferUsageFlags usage, bool host_reads,
                                bool host_writes, struct vulkan_buffer *buffer);
void vulkan_free_buffer(struct vulkan_device *device, struct vulkan_buffer *buffer);
plait_result vulkan_arena_create(struct device *device, uint32_t frame_runs, struct arena *beside,
                                 struct arena **arena);
void vulkan_arena_destroy(struct arena *arena);
plait_result vulkan_buffer_create(struct arena *arena, uint64_t size, enum buffer_use use, struct buffer *buffer);
void vulkan_buffer_destroy(struct buffer *buffer);
plait_result vulkan_buffer_write(struct buffer *buffer, uint64_t offset, const void *data, uint64_t size);
plait_result vulkan_buffer_read(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size);

// rescue.c
extern const struct gpu_rescue_ops vulkan_rescue_ops;
plait_result vulkan_rescue(struct arena *arena, uint64_t tag);
bool vulkan_lost(struct arena *arena, uint64_t *tag);
void vulkan_rescue_free(struct vulkan_arena *arena);

// plan.c
plait_result vulkan_plan_create(struct arena *arena, uint32_t capacity, const struct plan_size *size,
                                struct plan **plan);
void vulkan_plan_destroy(struct plan *plan);
plait_result vulkan_plan_set(struct plan *plan, const struct schedule *schedule);
plait_result vulkan_plan_run(struct plan *plan);

// record.c
void vulkan_bind_set(struct plan *plan); // of descriptors
VkResult vulkan_record(struct plan *plan, uint32_t slice);
plait_result vulkan_make_sizes(struct plan *plan, const struct schedule *schedule); // room for all of them
void vulkan_place_sizes(struct plan *plan);

// plan.c, running
uint64_t vulkan_stage_ns(const struct gpu_plan *plan, uint32_t slice, uint32_t n); // these two for struct gpu_ops
const void *vulkan_output(const struct gpu_plan *plan);
void vulkan_plan_commands(const struct plan *plan, struct plan_commands *commands);
plait_result vulkan_wait(struct arena *arena, uint64_t timeout_ns);
// Hands over commands given by `record`, behind all that was handed over before, for vulkan_finish to wait for, which must
// follow even after a failure.
struct vulkan_work {
    VkCommandBuffer commands; // null: none
    uint64_t value;
};
plait_result vulkan_begin(struct vulkan_device *device, void (*record)(VkCommandBuffer, void *), void *user,
                          struct vulkan_work *work);
plait_result vulkan_finish(struct vulkan_device *device, struct vulkan_work *work); // none there is fine
plait_result vulkan_wait_value(struct vulkan_device *device, uint64_t value, uint64_t timeout_ns);
plait_result vulkan_submit(struct vulkan_device *device, VkCommandBuffer commands, const struct frame_sync *sync,
                           uint64_t *value);
// The same as a struct, for vulkan_submit_infos with the device's mutex held; value: that our own timeline reaches.
VkSubmitInfo vulkan_describe_submission(const struct vulkan_device *device, const VkCommandBuffer *commands,
                                        uint32_t count, const struct frame_sync *sync, uint64_t value,
                                        struct submission_terms *terms);
plait_result vulkan_submit_infos(struct vulkan_device *device, uint32_t count, const VkSubmitInfo *infos);
plait_result vulkan_synchronise(struct arena *arena, const struct frame_sync *sync);
plait_result vulkan_desynchronise(struct arena *arena);

// gather.c
plait_result vulkan_gather_reserve(struct vulkan_device *device, uint32_t frame_runs); // for one more arena
void vulkan_gather_unreserve(struct vulkan_device *device, uint32_t frame_runs);
plait_result vulkan_gather(struct arena *arena);
plait_result vulkan_gathered(struct arena *arena);
void vulkan_hand_over(struct device *device);
plait_result vulkan_gather_run(const struct gathered_run *run); // `terms` need not be set
// Waits for a run of the arena by its number, and hands over what it is gathered with if it has none yet.
plait_result vulkan_wait_run(struct vulkan_arena *arena, const uint64_t *number);

// device.c
uint64_t vulkan_shaders_hash(void);
plait_result vulkan_open(struct call *call, void *state, const struct device_request *request, struct device **device);
void vulkan_close(struct device *device);

#endif
