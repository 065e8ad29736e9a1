// Devices: what core asks of a backend. A backend owns memory and replays plans; it decides nothing about physics.
#ifndef PLAIT_DEVICE_H
#define PLAIT_DEVICE_H

#include "context.h"
#include "kernel.h"

struct device;

// Memory of a device, or of the host in a form that the device can reach. Core fills it through the device's operations only.
struct buffer {
    void *memory; // null: none
    uint64_t size;
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
    plait_result (*buffer_create)(struct device *device, uint64_t size, struct buffer *buffer); // zeroed
    void (*buffer_destroy)(struct device *device, struct buffer *buffer);
    void (*buffer_write)(struct device *device, struct buffer *buffer, uint64_t offset, const void *data, uint64_t size);
    void (*buffer_read)(struct device *device, const struct buffer *buffer, uint64_t offset, void *data, uint64_t size);
    // A plan with room for some stages, over so many packs; vertex_count: how much work a stage is, for cutting it.
    plait_result (*plan_create)(struct device *device, uint32_t capacity, uint32_t packs, uint64_t vertex_count,
                                struct plan **plan);
    void (*plan_destroy)(struct device *device, struct plan *plan);
    // Replaces the stages. Buffers must outlive the plan or its next stages. Timers of stages that stay run on.
    plait_result (*plan_set)(struct device *device, struct plan *plan, const struct stage *stages, uint32_t count);
    plait_result (*plan_run)(struct device *device, struct plan *plan);
    void (*plan_time)(const struct plan *plan, uint32_t stage, struct stage_time *time);
    plait_result (*wait)(struct device *device, uint64_t timeout_ns); // for everything that was run
    void (*close)(struct device *device);
};

struct device {
    struct object object;
    const struct device_ops *ops;
    plait_device_info info;
    uint32_t pack_width;
    atomic_ullong used_bytes;
};

struct device_request {
    plait_device_desc desc;
    plait_device_cpu_desc cpu; // instruction_set 0 when not given
};

// One entry of the table in device.c.
struct backend {
    uint32_t id;
    const char *name;
    uint32_t (*device_count)(char reason[PLAIT_REASON_SIZE]); // 0 and the reason when there is none
    void (*describe)(uint32_t index, plait_device_info *info);
    plait_result (*open)(struct call *call, const struct device_request *request, struct device **device);
};

extern const struct backend cpu_backend, null_backend;

#endif
