#include "calls.h"

#include <stdlib.h>

/* Twice what the state of a session takes. Not on the stack, which may be a fiber's. */
enum { SCRATCH_SIZE = 1 << 15 };

static void *scratch(void) {
    void *memory = calloc(1, SCRATCH_SIZE);
    assert_non_null(memory);
    return memory;
}

static plait_result backend_enumerate(session *s, uint64_t id) {
    uint32_t count = 0;
    (void)s;
    return plait_backend_enumerate((plait_context){id}, &count, NULL);
}

static plait_result device_enumerate(session *s, uint64_t id) {
    uint32_t count = 0;
    (void)s;
    return plait_device_enumerate((plait_context){id}, &count, NULL);
}

static plait_result device_open(session *s, uint64_t id) {
    plait_device device = {1};
    plait_result result = plait_device_open((plait_context){id}, NULL, &device);
    (void)s;
    if (result < 0) {
        assert_true(device.id == 0);
        return result;
    }
    return plait_device_close(device);
}

static plait_result groom_create(session *s, uint64_t id) {
    plait_groom groom = {1};
    plait_result result = plait_groom_create((plait_context){id}, &s->groom_source.desc, &groom);
    if (result < 0) {
        assert_true(groom.id == 0);
        return result;
    }
    return plait_groom_destroy(groom);
}

static plait_result body_create(session *s, uint64_t id) {
    plait_body body = {1};
    plait_result result = plait_body_create((plait_context){id}, &s->body_source.desc, &body);
    if (result < 0) {
        assert_true(body.id == 0);
        return result;
    }
    return plait_body_destroy(body);
}

static plait_result hair_create(session *s, uint64_t id) {
    plait_hair hair = {1};
    plait_hair_desc desc = session_hair_desc(s);
    plait_result result = plait_hair_create((plait_context){id}, &desc, &hair);
    if (result < 0) {
        assert_true(hair.id == 0);
        return result;
    }
    return plait_hair_destroy(hair);
}

static plait_result context_destroy(session *s, uint64_t id) {
    (void)s;
    return plait_context_destroy((plait_context){id});
}

static plait_result device_close(session *s, uint64_t id) {
    (void)s;
    return plait_device_close((plait_device){id});
}

static plait_result device_query(session *s, uint64_t id) {
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    (void)s;
    return plait_device_query((plait_device){id}, &info);
}

static plait_result groom_destroy(session *s, uint64_t id) {
    (void)s;
    return plait_groom_destroy((plait_groom){id});
}

static plait_result groom_query(session *s, uint64_t id) {
    plait_groom_info info = PLAIT_GROOM_INFO_INIT;
    (void)s;
    return plait_groom_query((plait_groom){id}, &info);
}

static plait_result body_destroy(session *s, uint64_t id) {
    (void)s;
    return plait_body_destroy((plait_body){id});
}

static plait_result hair_destroy(session *s, uint64_t id) {
    (void)s;
    return plait_hair_destroy((plait_hair){id});
}

static plait_result hair_query(session *s, uint64_t id) {
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    (void)s;
    return plait_hair_query((plait_hair){id}, &info);
}

static plait_result hair_step(session *s, uint64_t id) {
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    (void)s;
    frame.dt = 1.0f / 60;
    return plait_hair_step((plait_hair){id}, &frame);
}

static plait_result hairs_step(session *s, uint64_t id) {
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    return plait_hairs_step((plait_context){id}, 1, &s->hair, &frame);
}

static plait_result hair_wait(session *s, uint64_t id) {
    (void)s;
    return plait_hair_wait((plait_hair){id}, 0);
}

static plait_result hair_set_params(session *s, uint64_t id) {
    return plait_hair_set_params((plait_hair){id}, GROUPS, session_params(s));
}

static plait_result hair_set_body(session *s, uint64_t id) { return plait_hair_set_body((plait_hair){id}, s->body); }

static plait_result hair_set_device(session *s, uint64_t id) {
    return plait_hair_set_device((plait_hair){id}, s->device);
}

static plait_result hair_reset(session *s, uint64_t id) {
    return plait_hair_reset((plait_hair){id}, BONES, s->bones[0]);
}

static plait_result hair_teleport(session *s, uint64_t id) {
    return plait_hair_teleport((plait_hair){id}, BONES, s->bones[0]);
}

static plait_result hair_settle(session *s, uint64_t id) {
    plait_settle_desc desc = PLAIT_SETTLE_DESC_INIT;
    (void)s;
    desc.max_speed = desc.max_acceleration = 1;
    desc.max_steps = 2;
    return plait_hair_settle((plait_hair){id}, &desc, NULL);
}

static plait_result hair_set_volume(session *s, uint64_t id) {
    plait_volume_params params = PLAIT_VOLUME_PARAMS_INIT;
    (void)s;
    assert_ok(plait_volume_params_default(1, &params));
    return plait_hair_set_volume((plait_hair){id}, &params);
}

static plait_result hair_volume(session *s, uint64_t id) {
    plait_volume_info info = PLAIT_VOLUME_INFO_INIT;
    (void)s;
    return plait_hair_volume((plait_hair){id}, &info);
}

static plait_result binding_create(session *s, uint64_t id) {
    plait_binding_desc desc = session_binding_desc(s);
    plait_binding binding = {1};
    plait_result result = plait_binding_create((plait_context){id}, &desc, &binding);
    if (result < 0) {
        assert_true(binding.id == 0);
        return result;
    }
    return plait_binding_destroy(binding);
}

/* Nothing is there to be loaded: this shows that the handle was accepted. */
static plait_result binding_load(session *s, uint64_t id) {
    plait_binding binding = {1};
    plait_result result = plait_binding_load((plait_context){id}, s->groom, s->groom, NULL, 0, &binding);
    assert_true(binding.id == 0);
    return result == PLAIT_ERROR_INVALID_STATE ? PLAIT_OK : result;
}

/* The session's groom is on bones: this shows that the handle was accepted. */
static plait_result groom_read_roots(session *s, uint64_t id) {
    plait_result result = plait_groom_read_roots((plait_groom){id}, STRANDS, NULL, NULL, NULL);
    (void)s;
    return result == PLAIT_ERROR_UNSUPPORTED ? PLAIT_OK : result;
}

static plait_result hair_set_mesh_input(session *s, uint64_t id) {
    (void)s;
    return plait_hair_set_mesh_input((plait_hair){id}, NULL);
}

static plait_result hair_place(session *s, uint64_t id) {
    plait_place_desc desc = PLAIT_PLACE_DESC_INIT;
    desc.kind = PLAIT_PLACE_RESET;
    (void)s;
    return plait_hair_place((plait_hair){id}, &desc);
}

static plait_result binding_save(session *s, uint64_t id) {
    uint64_t size = 0;
    (void)s;
    return plait_binding_save((plait_binding){id}, &size, NULL);
}

static plait_result binding_query(session *s, uint64_t id) {
    plait_binding_info info = PLAIT_BINDING_INFO_INIT;
    (void)s;
    return plait_binding_query((plait_binding){id}, &info);
}

static plait_result binding_destroy(session *s, uint64_t id) {
    (void)s;
    return plait_binding_destroy((plait_binding){id});
}

static plait_result hair_set_binding(session *s, uint64_t id) {
    (void)s;
    return plait_hair_set_binding((plait_hair){id}, (plait_binding){0});
}

static plait_result hair_set_render_params(session *s, uint64_t id) {
    plait_render_params params = PLAIT_RENDER_PARAMS_INIT;
    (void)s;
    assert_ok(plait_render_params_default(&params));
    return plait_hair_set_render_params((plait_hair){id}, &params);
}

static plait_result hair_set_render_styles(session *s, uint64_t id) {
    (void)s;
    return plait_hair_set_render_styles((plait_hair){id}, 0, NULL);
}

static plait_result hair_set_render_output(session *s, uint64_t id) {
    (void)s;
    return plait_hair_set_render_output((plait_hair){id}, NULL);
}

static plait_result hair_export_render_output(session *s, uint64_t id) {
    plait_external_memory memory = PLAIT_EXTERNAL_MEMORY_INIT;
    plait_result result = plait_hair_export_render_output((plait_hair){id}, &memory);
    (void)s;
    assert_true(memory.handle == -1);
    return result == PLAIT_ERROR_UNSUPPORTED ? PLAIT_OK : result;
}

static plait_result hair_set_output(session *s, uint64_t id) {
    (void)s;
    return plait_hair_set_output((plait_hair){id}, NULL);
}

static plait_result hair_read(session *s, uint64_t id) {
    float *memory = scratch();
    plait_output_attribute attribute;
    plait_output_desc desc =
        describe_dense(&attribute, PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, memory, SCRATCH_SIZE);
    plait_result result = plait_hair_read((plait_hair){id}, &desc);
    (void)s;
    free(memory);
    return result;
}

static plait_result hair_state_size(session *s, uint64_t id) {
    uint64_t size = 0;
    (void)s;
    return plait_hair_state_size((plait_hair){id}, &size);
}

static plait_result hair_save(session *s, uint64_t id) {
    void *memory = scratch();
    plait_result result = plait_hair_save((plait_hair){id}, memory, SCRATCH_SIZE);
    (void)s;
    free(memory);
    return result;
}

/* With a live handle, loads the state that the hair has just saved. */
static plait_result hair_load(session *s, uint64_t id) {
    void *memory = scratch();
    uint64_t size = 64;
    plait_result result;
    (void)s;
    if (plait_hair_state_size((plait_hair){id}, &size) == PLAIT_OK) {
        plait_hair_save((plait_hair){id}, memory, SCRATCH_SIZE);
    }
    result = plait_hair_load((plait_hair){id}, memory, size);
    free(memory);
    return result;
}

static plait_result hair_stats(session *s, uint64_t id) {
    plait_stats_info info = PLAIT_STATS_INFO_INIT;
    (void)s;
    return plait_hair_stats((plait_hair){id}, &info);
}

static plait_result hair_stages(session *s, uint64_t id) {
    uint32_t count = 0;
    (void)s;
    return plait_hair_stages((plait_hair){id}, &count, NULL);
}

/* Nothing was set for export and there is no VkPhysicalDevice here: these results show that the handle was accepted. */
static plait_result hair_export_output(session *s, uint64_t id) {
    plait_external_memory memory = PLAIT_EXTERNAL_MEMORY_INIT;
    plait_result result = plait_hair_export_output((plait_hair){id}, &memory);
    (void)s;
    assert_true(memory.handle == -1);
    return result == PLAIT_ERROR_UNSUPPORTED ? PLAIT_OK : result;
}

static plait_result vulkan_query_wants(session *s, uint64_t id) {
    plait_vulkan_wants_info info = PLAIT_VULKAN_WANTS_INFO_INIT;
    plait_result result = plait_vulkan_query_wants((plait_context){id}, NULL, &info);
    (void)s;
    return result == PLAIT_ERROR_INVALID_ARGUMENT ? PLAIT_OK : result;
}

static plait_result device_save_cache(session *s, uint64_t id) {
    uint64_t size = 0;
    (void)s;
    return plait_device_save_cache((plait_device){id}, &size, NULL);
}

static plait_result semaphore_create(session *s, uint64_t id) {
    plait_semaphore semaphore = {1};
    plait_result result = plait_semaphore_create((plait_device){id}, NULL, &semaphore);
    (void)s;
    if (result < 0) {
        assert_true(semaphore.id == 0);
        return result;
    }
    return plait_semaphore_destroy(semaphore);
}

static plait_result semaphore_destroy(session *s, uint64_t id) {
    (void)s;
    return plait_semaphore_destroy((plait_semaphore){id});
}

static plait_result semaphore_export(session *s, uint64_t id) {
    plait_external_semaphore external = PLAIT_EXTERNAL_SEMAPHORE_INIT;
    plait_result result = plait_semaphore_export((plait_semaphore){id}, PLAIT_EXTERNAL_OPAQUE_FD, &external);
    (void)s;
    return result == PLAIT_ERROR_UNSUPPORTED ? PLAIT_OK : result;
}

static plait_result semaphore_query(session *s, uint64_t id) {
    uint64_t value = 0;
    (void)s;
    return plait_semaphore_query((plait_semaphore){id}, &value);
}

static plait_result semaphore_wait(session *s, uint64_t id) {
    (void)s;
    return plait_semaphore_wait((plait_semaphore){id}, 0, 0);
}

/* Refused because its value is already 0. */
static plait_result semaphore_signal(session *s, uint64_t id) {
    plait_result result = plait_semaphore_signal((plait_semaphore){id}, 0);
    (void)s;
    return result == PLAIT_ERROR_INVALID_ARGUMENT ? PLAIT_OK : result;
}

const handle_call handle_calls[] = {
    {"plait_hair_export_output", OF_HAIR, 0, hair_export_output},
    {"plait_vulkan_query_wants", OF_CONTEXT, 0, vulkan_query_wants},
    {"plait_device_save_cache", OF_DEVICE, 0, device_save_cache},
    {"plait_semaphore_create", OF_DEVICE, 0, semaphore_create},
    {"plait_semaphore_export", OF_SEMAPHORE, 0, semaphore_export},
    {"plait_semaphore_query", OF_SEMAPHORE, 0, semaphore_query},
    {"plait_semaphore_wait", OF_SEMAPHORE, 0, semaphore_wait},
    {"plait_semaphore_signal", OF_SEMAPHORE, 0, semaphore_signal},
    {"plait_semaphore_destroy", OF_SEMAPHORE, 1, semaphore_destroy},
    {"plait_backend_enumerate", OF_CONTEXT, 0, backend_enumerate},
    {"plait_device_enumerate", OF_CONTEXT, 0, device_enumerate},
    {"plait_device_open", OF_CONTEXT, 0, device_open},
    {"plait_groom_create", OF_CONTEXT, 0, groom_create},
    {"plait_body_create", OF_CONTEXT, 0, body_create},
    {"plait_hair_create", OF_CONTEXT, 0, hair_create},
    {"plait_device_query", OF_DEVICE, 0, device_query},
    {"plait_groom_query", OF_GROOM, 0, groom_query},
    {"plait_hair_query", OF_HAIR, 0, hair_query},
    {"plait_hair_step", OF_HAIR, 0, hair_step},
    {"plait_hairs_step", OF_CONTEXT, 0, hairs_step},
    {"plait_hair_wait", OF_HAIR, 0, hair_wait},
    {"plait_hair_set_params", OF_HAIR, 0, hair_set_params},
    {"plait_hair_set_body", OF_HAIR, 0, hair_set_body},
    {"plait_hair_set_device", OF_HAIR, 0, hair_set_device},
    {"plait_hair_reset", OF_HAIR, 0, hair_reset},
    {"plait_hair_teleport", OF_HAIR, 0, hair_teleport},
    {"plait_hair_settle", OF_HAIR, 0, hair_settle},
    {"plait_hair_set_volume", OF_HAIR, 0, hair_set_volume},
    {"plait_hair_volume", OF_HAIR, 0, hair_volume},
    {"plait_binding_create", OF_CONTEXT, 0, binding_create},
    {"plait_binding_query", OF_BINDING, 0, binding_query},
    {"plait_binding_save", OF_BINDING, 0, binding_save},
    {"plait_binding_load", OF_CONTEXT, 0, binding_load},
    {"plait_groom_read_roots", OF_GROOM, 0, groom_read_roots},
    {"plait_hair_place", OF_HAIR, 0, hair_place},
    {"plait_hair_set_mesh_input", OF_HAIR, 0, hair_set_mesh_input},
    {"plait_hair_set_binding", OF_HAIR, 0, hair_set_binding},
    {"plait_hair_set_render_params", OF_HAIR, 0, hair_set_render_params},
    {"plait_hair_set_render_styles", OF_HAIR, 0, hair_set_render_styles},
    {"plait_hair_set_render_output", OF_HAIR, 0, hair_set_render_output},
    {"plait_hair_export_render_output", OF_HAIR, 0, hair_export_render_output},
    {"plait_hair_set_output", OF_HAIR, 0, hair_set_output},
    {"plait_hair_read", OF_HAIR, 0, hair_read},
    {"plait_hair_state_size", OF_HAIR, 0, hair_state_size},
    {"plait_hair_save", OF_HAIR, 0, hair_save},
    {"plait_hair_load", OF_HAIR, 0, hair_load},
    {"plait_hair_stats", OF_HAIR, 0, hair_stats},
    {"plait_hair_stages", OF_HAIR, 0, hair_stages},
    {"plait_hair_destroy", OF_HAIR, 1, hair_destroy},
    {"plait_binding_destroy", OF_BINDING, 1, binding_destroy},
    {"plait_body_destroy", OF_BODY, 1, body_destroy},
    {"plait_groom_destroy", OF_GROOM, 1, groom_destroy},
    {"plait_device_close", OF_DEVICE, 1, device_close},
    {"plait_context_destroy", OF_CONTEXT, 1, context_destroy},
};
const size_t handle_call_count = COUNT_OF(handle_calls);

uint64_t session_handle(const session *s, handle_kind kind) {
    switch (kind) {
    case OF_CONTEXT: return s->context.id;
    case OF_DEVICE: return s->device.id;
    case OF_GROOM: return s->groom.id;
    case OF_BODY: return s->body.id;
    case OF_HAIR: return s->hair.id;
    case OF_SEMAPHORE: return s->semaphore.id;
    case OF_BINDING: return s->binding.id;
    default: return 0;
    }
}
