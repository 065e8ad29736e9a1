// Adding a coupling to a hair that runs.
#include "coupling.h"
#include "hair.h"

#include <string.h>

// Takes the last coupling away again, with its data.
static void drop_last(struct hair *hair) {
    uint32_t i = hair->coupling_count - 1;
    if (hair->couplings[i].coupling->destroy) hair->couplings[i].coupling->destroy(hair, i);
    hair_free_set(hair, SET_COUPLINGS + i);
    hair->on.coupling_data[i] = NULL;
    memory_release(hair->object.context, hair->couplings[i].params);
    hair->coupling_count--;
}

static void free_plans(const struct hair *hair, struct hair_plan_info *plans) {
    for (int i = 0; i < PLAN_COUNT; i++)
        if (plans[i].plan) hair->on.device->ops->plan_destroy(plans[i].plan);
}

plait_result hair_couple(struct call *call, struct hair *hair, const struct coupling *coupling, const void *params) {
    uint32_t i = hair->coupling_count;
    if (i == MAX_COUPLINGS) return fail(call, PLAIT_ERROR_LIMIT, "a hair has %d couplings at most", MAX_COUPLINGS);
    plait_result result = hair_wait(call, hair, UINT64_MAX);
    if (result != PLAIT_OK) return result;
    void *copy = memory_allocate(call->context, 1, coupling->params_size ? coupling->params_size : 1);
    if (!copy) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for coupling %s", coupling->name);
    if (params) memcpy(copy, params, coupling->params_size);
    hair->couplings[hair->coupling_count++] = (struct coupled){coupling, copy};
    struct hair_plan_info old[PLAN_COUNT];
    memcpy(old, hair->on.plans, sizeof old);
    memset(hair->on.plans, 0, sizeof hair->on.plans);
    result = hair_make_coupled(call, hair, i);
    if (result == PLAIT_OK) result = hair_make_plans(call, hair);
    if (result == PLAIT_OK) result = hair_plan_output(call, hair);
    if (result == PLAIT_OK) {
        free_plans(hair, old);
        return PLAIT_OK;
    }
    free_plans(hair, hair->on.plans);
    memcpy(hair->on.plans, old, sizeof old);
    drop_last(hair);
    return fail(call, result, "coupling %s could not be added", coupling->name);
}
