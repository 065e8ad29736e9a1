// The frame clock: cuts frames of any length into fixed steps.
#ifndef PLAIT_CLOCK_H
#define PLAIT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct frame_clock {
    double step_s; // one internal step, substeps included
    double max_frame_s;
    double carry_s; // time given and not yet simulated, at most a step
};

// The steps of one frame: step k (from 0) ends at fraction first + k * stride of the frame.
struct frame_steps {
    uint32_t count;
    double first, stride;
    bool clamped;
};

// A step that is due within a millionth of its length runs now: 1/60 s in float32 is not exactly 1/60 s.
static inline struct frame_steps clock_advance(struct frame_clock *clock, double dt) {
    struct frame_steps steps = {0, 0, 0, dt > clock->max_frame_s};
    if (steps.clamped) dt = clock->max_frame_s;
    if (!(dt > 0)) return steps;
    steps.count = (uint32_t)((clock->carry_s + dt) / clock->step_s + 1e-6);
    steps.first = (clock->step_s - clock->carry_s) / dt;
    steps.stride = clock->step_s / dt;
    clock->carry_s += dt - steps.count * clock->step_s;
    if (clock->carry_s < 0) clock->carry_s = 0;
    return steps;
}

#endif
