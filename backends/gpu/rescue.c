// The state of a hair in memory that outlives the device: two copies in turn, so that one is always whole.
#include "gpu.h"

#include <string.h>

plait_result gpu_rescue_prepare(struct gpu_arena *a) {
    const struct gpu_rescue_ops *ops = a->ops->rescue;
    uint64_t size = gpu_state_size(a);
    plait_result result = PLAIT_OK;
    for (uint32_t place = 0; place < 2 && result == PLAIT_OK; place++) {
        if (a->copy_room[place] >= size) continue;
        if (a->copy_room[place]) result = ops->wait(a, place);
        if (result != PLAIT_OK) break;
        a->copy_room[place] = 0;
        result = ops->make(a, place, size);
        if (result == PLAIT_OK) a->copy_room[place] = size;
    }
    return result;
}

plait_result gpu_rescue(struct gpu_arena *a, uint64_t tag) {
    uint32_t place = tag & 1;
    if (a->state_count == 0 || a->copy_room[place] < gpu_state_size(a)) return PLAIT_OK; // it has no place
    plait_result result = a->ops->rescue->wait(a, place);
    return result == PLAIT_OK ? a->ops->rescue->copy(a, place, tag) : result;
}

uint64_t gpu_rescued(const struct gpu_arena *a) {
    uint64_t newest = 0;
    for (uint32_t place = 0; place < 2; place++) {
        uint64_t tag = a->copy_room[place] ? a->ops->rescue->copied(a, place) : 0;
        if (tag > newest) newest = tag;
    }
    return newest;
}

plait_result gpu_read_rescued(const struct gpu_arena *a, uint64_t address, uint64_t offset, void *data, uint64_t size) {
    const struct gpu_state *state = gpu_find_state(a, address);
    uint64_t tag = gpu_rescued(a);
    if (!state || !tag) return PLAIT_ERROR_DEVICE_LOST;
    memcpy(data, (const char *)a->ops->rescue->see(a, tag & 1) + state->at + offset, size);
    return PLAIT_OK;
}
