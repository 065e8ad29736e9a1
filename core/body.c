#include "body.h"
#include "structs.h"
#include "vector.h"

static plait_result read_collider(const struct call *call, const plait_body_desc *desc, uint32_t i, plait_collider *c) {
    plait_result result =
        struct_read_element(call, "desc.colliders", desc->colliders, i, PLAIT_TYPE_COLLIDER, c, sizeof *c);
    if (result != PLAIT_OK) return result;
    if (c->kind < PLAIT_COLLIDER_CAPSULE || c->kind > PLAIT_COLLIDER_HALF_SPACE)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.colliders[%u].kind is %u, which is none", i, c->kind);
    if (c->bone >= desc->bone_count)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.colliders[%u].bone is %u of %u", i, c->bone,
                    desc->bone_count);
    const float *values[] = {c->points[0], c->points[1], c->radii};
    for (int k = 0; k < 8; k++) {
        float value = values[k / 3][k % 3];
        if (!is_finite(value) || fabsf(value) > 1e9f)
            return fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                        "desc.colliders[%u]: a point or radius is not finite, or is huge", i);
    }
    if (c->radii[0] < 0 || c->radii[1] < 0 || c->radii[0] > 1e6f || c->radii[1] > 1e6f)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.colliders[%u].radii: one is negative or over 1e6", i);
    if (!is_finite(c->friction) || c->friction < 0 || c->friction > 1e6f || c->reserved != 0)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                    "desc.colliders[%u].friction is negative or not finite, or reserved is not 0", i);
    if (c->kind == PLAIT_COLLIDER_HALF_SPACE && !(d3_length(d3_load(c->points[1])) > 1e-12))
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.colliders[%u].points[1], the normal, is zero", i);
    return PLAIT_OK;
}

static void destroy_body(struct object *object) {
    struct body *body = (struct body *)object;
    memory_release(object->context, body->colliders);
    memory_release(object->context, body->has_collider);
    memory_release(object->context, body);
}

static plait_result create_body(struct call *call, const plait_body_desc *desc_in, plait_body *handle) {
    plait_body_desc desc;
    plait_result result = struct_read(call, "desc", desc_in, PLAIT_TYPE_BODY_DESC, &desc, sizeof desc, NULL, 0);
    if (result != PLAIT_OK) return result;
    if (desc.bone_count == 0 || desc.bone_count > PLAIT_MAX_BONES)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.bone_count is %u, not 1 to %u", desc.bone_count,
                    PLAIT_MAX_BONES);
    if (desc.collider_count != 0 && !desc.colliders)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.colliders is null, desc.collider_count is %u",
                    desc.collider_count);
    if (desc.collider_count > PLAIT_MAX_COLLIDERS)
        return fail(call, PLAIT_ERROR_TOO_LARGE, "desc.collider_count is %u, more than PLAIT_MAX_COLLIDERS, %u",
                    desc.collider_count, PLAIT_MAX_COLLIDERS);
    struct body *body = memory_allocate(call->context, 1, sizeof *body);
    plait_collider *colliders = memory_allocate(call->context, desc.collider_count, sizeof *colliders);
    bool *has_collider = memory_allocate(call->context, desc.bone_count, sizeof *has_collider);
    if (!body || !colliders || !has_collider) {
        memory_release(call->context, body);
        memory_release(call->context, colliders);
        memory_release(call->context, has_collider);
        return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for %u colliders", desc.collider_count);
    }
    body->object.context = call->context;
    body->object.destroy = destroy_body;
    body->bone_count = desc.bone_count;
    body->collider_count = desc.collider_count;
    body->colliders = colliders;
    body->has_collider = has_collider;
    for (uint32_t i = 0; i < desc.collider_count && result == PLAIT_OK; i++) {
        result = read_collider(call, &desc, i, &colliders[i]);
        if (result == PLAIT_OK) has_collider[colliders[i].bone] = true;
    }
    if (result == PLAIT_OK) result = object_publish(call, &body->object, OBJECT_BODY, &handle->id);
    if (result != PLAIT_OK) destroy_body(&body->object);
    return result;
}

plait_result PLAIT_CALL plait_body_create(plait_context context, const plait_body_desc *desc, plait_body *handle) {
    if (handle) handle->id = 0;
    struct call call = {.function = __func__};
    plait_result result = call_enter_context(&call, context);
    if (result != PLAIT_OK) return result;
    if (!handle)
        result = fail(&call, PLAIT_ERROR_INVALID_ARGUMENT, "body is null");
    else
        result = create_body(&call, desc, handle);
    call_leave(&call);
    return result;
}

plait_result PLAIT_CALL plait_body_destroy(plait_body handle) {
    struct call call = {.function = __func__};
    return object_retire(&call, handle.id, OBJECT_BODY);
}
