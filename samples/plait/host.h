// What every host does with Plait: context, device, groom, body, hair. Reports failures on stderr.
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>

#include "plait.h"
#include "scene.h"

typedef struct host_options {
    uint32_t backend;         // PLAIT_BACKEND_xxx
    uint32_t instruction_set; // PLAIT_CPU_xxx; other than auto: with the CPU backend only
    uint32_t thread_count;    // 0: one per core
} host_options;

// Handles are zero where nothing was made.
typedef struct host {
    plait_context context;
    plait_device device;
    plait_device_info device_info;
    plait_hair hair;
} host;

typedef struct host_hair {
    const scene_groom *groom;
    const scene_body *body; // null: none
    uint32_t bone_count;    // of both, if their bones are not the mannequin's; else 0
    const float *bind_pose; // [bone_count][12]
    uint32_t solver;        // PLAIT_SOLVER_xxx; 0: shape
    const void *params;     // of that solver; null: defaults
    float step_rate_hz;     // 0: 60
    uint32_t substeps;      // 0: 1
    uint32_t flags;         // PLAIT_HAIR_xxx
    uint32_t hair_hair;     // forces between strands, with defaults: PLAIT_VOLUME_xxx; 0: none
} host_hair;

// What an option of that is called, in the order of those constants.
#define HOST_HAIR_HAIR_CHOICES "off|sand|fluid"

// A context that prints errors and warnings; defaults apart from the thread count.
bool host_context(uint32_t thread_count, plait_context *context);

// Context and device. After a failure everything is closed again.
bool host_open(const host_options *options, host *h);

// Hair on that device; the groom need not outlive the call.
bool host_grow(host *h, const host_hair *hair);

void host_close(host *h);

// Output of positions alone into memory, `floats` (3 or 4) for each vertex, one vertex after the other. Must not move: desc points into
// it.
typedef struct host_output {
    plait_output_attribute attribute;
    plait_output_desc desc;
} host_output;
void host_describe_output(uint32_t vertices, uint32_t floats, float *memory, host_output *output);

// Prints which call failed and why; returns whether it succeeded.
bool host_check(plait_result result, const char *call);

// Monotonic time in seconds.
double host_seconds(void);

#endif
