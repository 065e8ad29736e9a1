// A context that tracks memory and messages, with a CPU device, and grooms and bodies small enough to be created a
// thousand times.
#ifndef PLAIT_TESTS_STAND_H
#define PLAIT_TESTS_STAND_H

#include "double.h"
#include "rig.h"
#include "tracker.h"

struct stand {
    tracker memory;
    plait_context context;
    plait_device cpu;
    plait_groom groom;
    plait_body bodies[2]; // a ball in the way, and three
    struct straight strands;
    uint32_t vertices;
    uint32_t errors; // messages of level error so far
    char said[256];  // the last of them
};

// The context points into the stand: it must not move.
void stand_open(struct stand *stand);
// Everything but what stand_open made must be destroyed; the allocator must have no live blocks afterwards.
void stand_close(struct stand *stand);

// The double is in place and there is a Vulkan device below it.
bool stand_has_vulkan(void);
plait_result stand_open_vulkan(struct stand *stand, plait_device *device);
// What enumeration reports for Vulkan.
plait_backend_info stand_vulkan_info(struct stand *stand);

plait_result stand_hair(struct stand *stand, plait_device device, plait_hair *hair);
// A frame of a sixtieth of a second in gravity, the bone turning back and forth.
plait_result stand_step(plait_hair hair, int frame);
// One attribute, positions as three floats.
struct stand_output {
    plait_output_attribute attribute;
    plait_output_desc desc;
};
void stand_output(const struct stand *stand, float *memory, struct stand_output *output);
plait_result stand_read(const struct stand *stand, plait_hair hair, float *positions);
// All finite, every root where the bone of that frame puts it.
void stand_expect_sound(const struct stand *stand, const float *positions, int frame);

#endif
