// Adding a coupling to a hair that runs, and data that several hairs share.
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

// ---- what hairs share ----

static void destroy_common(struct object *object) {
    struct common *common = (struct common *)object;
    struct context *context = object->context;
    const struct device_ops *ops = common->device->ops;
    for (uint32_t i = 0; i < common->set.count; i++) ops->buffer_destroy(&common->set.buffers[i]);
    memory_release(context, common->set.buffers);
    if (common->arena) ops->arena_destroy(common->arena);
    object_drop(&common->device->object);
    memory_release(context, common);
}

static plait_result check_shared(const struct call *call, const struct data_decl *decl) {
    if (decl->per != FIXED || decl->rows == 0)
        return fail(call, PLAIT_ERROR_UNSUPPORTED, "shared data %s is not of a fixed size", decl->name);
    if (decl->role != DATA_WORK && decl->role != DATA_CONSTANT)
        return fail(call, PLAIT_ERROR_UNSUPPORTED, "shared data %s is neither work nor constant: no hair would keep it",
                    decl->name);
    return PLAIT_OK;
}

static plait_result fill_common(struct call *call, struct common *common, const struct data_decl *decls,
                                uint32_t count) {
    const struct device_ops *ops = common->device->ops;
    common->set.decls = decls;
    common->set.buffers = memory_allocate(call->context, count ? count : 1, sizeof *common->set.buffers);
    if (!common->set.buffers) return PLAIT_ERROR_OUT_OF_MEMORY;
    common->set.count = count;
    plait_result result = ops->arena_create(common->device, 1, NULL, &common->arena);
    for (uint32_t i = 0; i < count && result == PLAIT_OK; i++)
        result = ops->buffer_create(common->arena, (uint64_t)decls[i].rows * sizeof(uint32_t), USE_PLAIN,
                                    &common->set.buffers[i]);
    return result;
}

plait_result common_create(struct call *call, struct device *device, const struct data_decl *decls, uint32_t count,
                           struct common **out) {
    plait_result result = PLAIT_OK;
    for (uint32_t i = 0; i < count && result == PLAIT_OK; i++) result = check_shared(call, &decls[i]);
    if (result != PLAIT_OK) return result;
    struct common *common = memory_allocate(call->context, 1, sizeof *common);
    if (!common) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for what hairs share");
    common->object = (struct object){.context = call->context, .destroy = destroy_common, .references = 1};
    common->device = device;
    object_keep(&device->object);
    result = fill_common(call, common, decls, count);
    if (result != PLAIT_OK) {
        common_release(common);
        return fail(call, result, "the device has no memory for what hairs share");
    }
    *out = common;
    return PLAIT_OK;
}

void common_release(struct common *common) { object_drop(&common->object); }

plait_result hair_join(struct call *call, struct hair *hair, struct common *common) {
    if (common == hair->on.common) return PLAIT_OK;
    if (common && common->device != hair->on.device)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "what the hair shall share is on another device");
    return hair_move(call, hair, hair->on.device, common);
}
