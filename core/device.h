// Devices: what core asks of a backend. A backend owns memory and replays plans; it decides nothing about physics.
#ifndef PLAIT_DEVICE_H
#define PLAIT_DEVICE_H

#include "context.h"
#include "kernel.h"
#include "plait_vulkan.h"

struct device;

// Memory of one hair on a device: everything its kernels touch, but for the host's output. A backend's own struct begins
// with this.
struct arena {
    struct device *device;
};

// How a buffer is used while stepping. Others are written and read when nothing runs.
enum buffer_use {
    BUFFER_PLAIN,
    BUFFER_DYNAMIC, // written by core before every run; a write is seen by the runs after it only
    BUFFER_WATCHED, // peeked at while later runs are under way
};

// Part of an arena, or the host's own memory (arena null). Core fills it through the device's operations only.
struct buffer {
    struct arena *arena;
    void *memory;        // null: none; else what the backend likes, or the host's pointer
    uint64_t native;     // the host's own buffer of the device's kind (VkBuffer), instead of memory
    void *native_device; // what it belongs to (VkDevice)
    uint64_t size;
    uint64_t offset; // the backend's
    enum buffer_use use;
};

// One kernel over all packs of a hair. Stages of one plan that follow each other touch nothing of another pack's, so a
// device may run them pack by pack.
struct stage {
    uint32_t kernel; // enum kernel_id
    const struct buffer *buffers[KERNEL_MAX_BUFFERS];
    uint32_t values[KERNEL_MAX_VALUES];
};

// The timer of a stage, kept by the device.
struct stage_time {
    uint64_t total_ns; // summed over threads
    uint64_t run_count;
};

struct plan; // a backend's own form of a list of stages

struct device_ops {
    plait_result (*arena_create)(struct device *device, struct arena **arena);
    void (*arena_destroy)(struct arena *arena); // waits for what runs; buffers and plans of it are gone already
    plait_result (*buffer_create)(struct arena *arena, uint64_t size, enum buffer_use use,
                                  struct buffer *buffer); // zeroed
    void (*buffer_destroy)(struct buffer *buffer);        // one without memory is fine
    plait_result (*buffer_write)(struct buffer *buffer, uint64_t offset, const void *data, uint64_t size);
    plait_result (*buffer_read)(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size);
    // The content of a watched buffer after the last run that is known to be done; does not wait.
    plait_result (*buffer_peek)(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size);
    // A plan with room for some stages, over so many packs; vertex_count: how much work a stage is, for cutting it.
    plait_result (*plan_create)(struct arena *arena, uint32_t capacity, uint32_t packs, uint64_t vertex_count,
                                struct plan **plan);
    void (*plan_destroy)(struct plan *plan);
    // Replaces the stages. Buffers must outlive the plan or its next stages. Timers of stages that stay run on.
    plait_result (*plan_set)(struct plan *plan, const struct stage *stages, uint32_t count);
    plait_result (*plan_run)(struct plan *plan); // may return before it is done
    void (*plan_time)(const struct plan *plan, uint32_t stage, struct stage_time *time);
    // The runs of this frame wait and signal: the first run from now waits, the run that writes output signals. Null where
    // the device has no such thing.
    void (*synchronise)(struct arena *arena, const plait_vulkan_frame_desc *frame);
    plait_result (*wait)(struct arena *arena, uint64_t timeout_ns); // for all that was run, output included
    void (*close)(struct device *device);
};

struct device {
    struct object object;
    const struct device_ops *ops;
    plait_device_info info;
    void *native; // the host's device that this one stands on (VkDevice), or null
    uint32_t pack_width;
    uint32_t lists_per_pack; // of near colliders: one where lanes go together, pack_width where each goes alone
    atomic_ullong used_bytes;
};

struct device_request {
    plait_device_desc desc;
    plait_device_cpu_desc cpu;       // instruction_set 0 when not given
    plait_vulkan_device_desc vulkan; // device null when not given
};

// One entry of the table in device.c. What probe finds is kept in the context until it ends.
struct backend {
    uint32_t id;
    const char *name;
    // Looks for devices; a count of 0 and the reason when there are none. *state is the backend's own. The only failure is
    // a lack of memory.
    plait_result (*probe)(struct context *context, void **state, uint32_t *count, char reason[PLAIT_REASON_SIZE]);
    void (*forget)(struct context *context, void *state);
    void (*describe)(void *state, uint32_t index, plait_device_info *info);
    bool (*is_software)(void *state, uint32_t index); // the CPU in disguise: never the best
    plait_result (*open)(struct call *call, void *state, const struct device_request *request, struct device **device);
};

extern const struct backend cpu_backend, null_backend;

void backends_forget(struct context *context);

#endif
