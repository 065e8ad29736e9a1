// The Vulkan backend: plans as command buffers that are recorded once and submitted for every step.
#ifndef PLAIT_VULKAN_BACKEND_H
#define PLAIT_VULKAN_BACKEND_H

#include <volk.h>

#include "module.h"

#include <vk_mem_alloc.h>

#define PACK_WIDTH 32
#define TILE_WORDS 2048 // of a group in building blocks: enough groups to fill a card from 100,000 words on
#define GROUP_SIZE 64
#define MAX_SLICES 64 // runs that may be under way at once in one arena
#define MAX_DYNAMIC 16
#define MAX_BLOCKS 64
#define MAX_PLANS 16
#define MAX_STATE 8

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
    pthread_mutex_t mutex;         // guards the queue, the pool and `submitted`
    uint64_t submitted;            // last value of the timeline that a submission will signal
    atomic_ullong reached;         // a value that it is known to have reached
    double timestamp_ns;           // per tick; 0: none
    uint64_t timestamp_mask;       // bits of a tick that count
    plait_vulkan_device_desc host; // whose device this is, when it is not our own
    struct vulkan_abilities can;
    struct vulkan_timeline *ended; // semaphores of the host's that wait for their last use; guarded by the mutex
    atomic_uint ended_count;
    atomic_bool lost;
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

// All buffers of one hair lie in one heap, because kernels find them by offset. Dynamic ones are copied in at the start
// of each run from the run's own slice of `upload`.
struct vulkan_arena {
    struct arena arena;
    struct vulkan_buffer heap;
    struct block blocks[MAX_BLOCKS];
    uint32_t block_count;
    uint64_t generation; // grows when the heap or the dynamic buffers change: plans must be recorded anew
    struct {
        uint64_t offset, size, at; // in the heap; at: in a slice
    } dynamic[MAX_DYNAMIC];
    uint32_t dynamic_count;
    uint64_t slice_size;
    unsigned char *mirror;       // what dynamic buffers shall hold next
    uint32_t slices;             // how many runs may be under way at once
    struct vulkan_buffer upload; // a slice for each
    struct vulkan_buffer watch;  // a copy of the watched buffer for each
    uint64_t watched_offset, watched_size;
    uint64_t slice_value[MAX_SLICES]; // timeline value that ends the slice's last use
    uint32_t next_slice;
    unsigned char peeked[64]; // the watched buffer after the run that ended at peeked_value
    uint64_t peeked_value;
    struct {
        uint64_t offset, size, at; // in the heap; at: in a slot of `rescue`
    } state[MAX_STATE];
    uint32_t state_count;
    struct {
        VkCommandBuffer commands;
        uint64_t generation, tag, value; // of the arena when it was recorded, and of its last run
        struct vulkan_buffer copy;       // of the state, for the host to read
    } rescues[2];
    struct plan *plans[MAX_PLANS];
    uint32_t plan_count;
    struct frame_sync sync;      // what the runs to come wait for and signal
    struct plan *output_pending; // its result is not in the host's memory yet
};

// A stage, and what its runs have taken.
struct plan_stage {
    struct stage stage;
    uint32_t size_slot; // of stages with a counter: where the size of their dispatch is, in `sizes` of the plan
    bool size_fresh;    // it is to be computed first
    uint64_t total_ns, run_count;
};

struct plan {
    struct vulkan_arena *arena;
    struct plan_size size;
    uint32_t capacity, stage_count;
    struct plan_stage *stages;
    struct schedule schedule;    // its phases and repeats; stages are our own
    struct buffer sizes;         // of dispatches whose sizes the device computes
    struct buffer host;          // the memory that output goes to, by the host's pointer; or none
    struct vulkan_buffer output; // the same on the device's side: mapped, or that very memory
    bool direct;                 // that very memory
    uint64_t generation;         // of the arena when the set was written; 0: it must be
    uint64_t version;            // grows with it: commands must be recorded anew
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkCommandBuffer commands[MAX_SLICES];
    uint64_t slice_version[MAX_SLICES]; // that they were recorded for
    struct plan_commands recorded;      // in each of them
    VkQueryPool queries;
    uint32_t tick_count;              // for each slice: one more than stages run
    struct vulkan_buffer ticks;       // what they said
    uint64_t slice_value[MAX_SLICES]; // runs whose timers are not counted yet
};

plait_result vulkan_result(VkResult result, struct vulkan_device *device);

// instance.c
void vulkan_describe_physical(VkPhysicalDevice device, plait_device_info *info);
uint32_t vulkan_extensions(VkPhysicalDevice device); // bits of those that it has
extern const char *const vulkan_extension_names[VULKAN_EXTENSION_COUNT];

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
plait_result vulkan_arena_create(struct device *device, uint32_t frame_runs, struct arena **arena);
void vulkan_arena_destroy(struct arena *arena);
plait_result vulkan_buffer_create(struct arena *arena, uint64_t size, enum buffer_use use, struct buffer *buffer);
void vulkan_buffer_destroy(struct buffer *buffer);
plait_result vulkan_buffer_write(struct buffer *buffer, uint64_t offset, const void *data, uint64_t size);
plait_result vulkan_buffer_read(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size);
plait_result vulkan_buffer_peek(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size);

// rescue.c
plait_result vulkan_rescue_prepare(struct vulkan_arena *arena);
plait_result vulkan_rescue(struct arena *arena, uint64_t tag);
bool vulkan_lost(struct arena *arena, uint64_t *tag);
plait_result vulkan_read_rescued(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size);
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
void vulkan_plan_time(const struct plan *plan, uint32_t stage, struct stage_time *time);
void vulkan_plan_commands(const struct plan *plan, struct plan_commands *commands);
plait_result vulkan_wait(struct arena *arena, uint64_t timeout_ns);
// Runs commands given by `record` and waits.
plait_result vulkan_run_now(struct vulkan_device *device, void (*record)(VkCommandBuffer, void *), void *user);
plait_result vulkan_wait_value(struct vulkan_device *device, uint64_t value, uint64_t timeout_ns);
plait_result vulkan_submit(struct vulkan_device *device, VkCommandBuffer commands, const struct frame_sync *sync,
                           uint64_t *value);
plait_result vulkan_synchronise(struct arena *arena, const struct frame_sync *sync);
void vulkan_desynchronise(struct arena *arena);

// device.c
uint64_t vulkan_shaders_hash(void);
plait_result vulkan_open(struct call *call, void *state, const struct device_request *request, struct device **device);
void vulkan_close(struct device *device);

#endif
