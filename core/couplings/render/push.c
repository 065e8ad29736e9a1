// Colliders that push render strands out: those of the body, where bones are at the end of the frame. Previous positions were pushed
// by those of the frame before.
#include "couplings/render/data.h"

#include <string.h>

double push_reach(const struct hair *hair) {
    double most = 0;
    if (!(hair->render_params.flags & PLAIT_RENDER_PUSH_OUT)) return 0;
    for (uint32_t i = 0; i < hair->pushers.count; i++)
        most = fmax(most, hair->pushers.values[(size_t)i * COLLIDER_FLOATS + COLLIDER_REACH]);
    return most;
}

void push_write(struct hair *hair, bool known, float values[RENDER_SETTING_WORDS]) {
    struct pushers *p = &hair->pushers;
    const size_t size = (size_t)p->capacity * COLLIDER_FLOATS;
    uint32_t before = p->count;
    memcpy(p->values + size, p->values, size * sizeof *p->values);
    for (uint32_t i = 0; i < before; i++) // as seen from our origin now
        for (int c = 0; c < 3; c++)
            p->values[size + (size_t)i * COLLIDER_FLOATS + COLLIDER_BASE + c] -=
                (float)((hair->pose.origin[c] - hair->history_origin[c]) / hair->pose.meters_per_unit);
    p->count = 0;
    if (hair->render_params.flags & PLAIT_RENDER_PUSH_OUT)
        for (uint32_t i = 0; hair->body && i < hair->body->collider_count; i++)
            if (!p->off[i])
                pose_collider_now(&hair->pose, &hair->body->colliders[i],
                                  p->values + (size_t)p->count++ * COLLIDER_FLOATS);
    if (!known) {
        before = p->count;
        memcpy(p->values + size, p->values, size * sizeof *p->values);
    }
    memcpy(&values[RENDER_COLLIDERS], &p->count, sizeof p->count);
    memcpy(&values[RENDER_COLLIDERS_BEFORE], &before, sizeof before);
    if (p->count || before) hair_write(hair, HAIR_PUSHERS, p->values, 2 * size * sizeof *p->values);
}
