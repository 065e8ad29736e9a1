#include "inputs.h"

#include <stdlib.h>
#include <string.h>

#include "../platform/system.h"

static uint64_t state_hash(plait_hair hair) {
    blob state = save(hair);
    uint64_t hash = hash_bytes(state.bytes, state.size);
    free_blob(&state);
    return hash;
}

/* What becomes of a hair of this description after a few frames. */
static plait_result run_hair(session *s, const plait_hair_desc *desc, uint64_t *effect) {
    session other = *s;
    plait_result result = plait_hair_create(s->context, desc, &other.hair);
    if (result < 0) {
        assert_true(other.hair.id == 0);
        return result;
    }
    session_run(&other, 0, 3);
    *effect = state_hash(other.hair);
    assert_ok(plait_hair_destroy(other.hair));
    return result;
}

static void *PLAIT_CALL allocate(void *user, size_t size, size_t alignment) {
    (void)user;
    return aligned_memory(alignment, size);
}

static void PLAIT_CALL release(void *user, void *pointer, size_t size, size_t alignment) {
    (void)user, (void)size, (void)alignment;
    aligned_memory_free(pointer);
}

static void PLAIT_CALL ignore(void *user, uint32_t level, int32_t id, const char *text) {
    (void)user, (void)level, (void)id, (void)text;
}

static void PLAIT_CALL backwards(void *user, uint32_t count, plait_job job, void *argument) {
    (void)user;
    while (count-- > 0) {
        job(argument, count);
    }
}

static const plait_allocator good_allocator = {
    {PLAIT_TYPE_ALLOCATOR, sizeof(plait_allocator), NULL}, NULL, allocate, release};
static const plait_logger good_logger = {
    {PLAIT_TYPE_LOGGER, sizeof(plait_logger), NULL}, NULL, ignore, PLAIT_LOG_ERROR, 0};
static const plait_jobs good_jobs = {{PLAIT_TYPE_JOBS, sizeof(plait_jobs), NULL}, NULL, backwards, 2, 0};

static plait_result pass_context_desc(session *s, const void *array, uint64_t *effect) {
    plait_context context = {1};
    plait_result result = plait_context_create(array, &context);
    (void)s;
    *effect = 0;
    if (result < 0) {
        assert_true(context.id == 0);
        return result;
    }
    return plait_context_destroy(context);
}

static plait_result pass_allocator(session *s, const void *array, uint64_t *effect) {
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    desc.allocator = array;
    desc.thread_count = 1;
    return pass_context_desc(s, &desc, effect);
}

static plait_result pass_logger(session *s, const void *array, uint64_t *effect) {
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    desc.logger = array;
    desc.thread_count = 1;
    return pass_context_desc(s, &desc, effect);
}

static plait_result pass_jobs(session *s, const void *array, uint64_t *effect) {
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    desc.jobs = array;
    return pass_context_desc(s, &desc, effect);
}

static plait_result pass_device_desc(session *s, const void *array, uint64_t *effect) {
    plait_device device = {1};
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    plait_result result = plait_device_open(s->context, array, &device);
    if (result < 0) {
        assert_true(device.id == 0);
        return result;
    }
    assert_ok(plait_device_query(device, &info));
    *effect = info.backend * 256 + info.pack_width;
    return plait_device_close(device);
}

static plait_result pass_device_cpu_desc(session *s, const void *array, uint64_t *effect) {
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.head.next = array;
    desc.backend = PLAIT_BACKEND_CPU;
    return pass_device_desc(s, &desc, effect);
}

static plait_result pass_groom_desc(session *s, const void *array, uint64_t *effect) {
    plait_groom groom = {1};
    plait_groom_info info = PLAIT_GROOM_INFO_INIT;
    plait_result result = plait_groom_create(s->context, array, &groom);
    if (result < 0) {
        assert_true(groom.id == 0);
        return result;
    }
    assert_ok(plait_groom_query(groom, &info));
    *effect = info.identity;
    return plait_groom_destroy(groom);
}

static plait_result pass_groups(session *s, const void *array, uint64_t *effect) {
    plait_groom_desc desc = s->groom_source.desc;
    desc.groups = array;
    return pass_groom_desc(s, &desc, effect);
}

static plait_result pass_body_desc(session *s, const void *array, uint64_t *effect) {
    plait_hair_desc desc = session_hair_desc(s);
    plait_result result;
    desc.body.id = 1;
    result = plait_body_create(s->context, array, &desc.body);
    if (result < 0) {
        assert_true(desc.body.id == 0);
        return result;
    }
    if (run_hair(s, &desc, effect) < 0) {
        *effect = 0; /* a body that does not fit this groom is still valid */
    }
    return plait_body_destroy(desc.body);
}

static plait_result pass_colliders(session *s, const void *array, uint64_t *effect) {
    plait_body_desc desc = s->body_source.desc;
    desc.colliders = array;
    return pass_body_desc(s, &desc, effect);
}

static plait_result pass_hair_desc(session *s, const void *array, uint64_t *effect) {
    return run_hair(s, array, effect);
}

static plait_result create_with(session *s, uint32_t solver, const void *params, uint64_t *effect) {
    plait_hair_desc desc = session_hair_desc(s);
    desc.solver = solver;
    desc.params = params;
    return run_hair(s, &desc, effect);
}

static plait_result change_to(session *s, uint32_t solver, const void *params, uint64_t *effect) {
    session other = *s;
    plait_hair_desc desc = session_hair_desc(s);
    plait_result result;
    blob before;
    desc.solver = solver;
    desc.params_count = 0;
    desc.params = NULL;
    assert_ok(plait_hair_create(s->context, &desc, &other.hair));
    before = save(other.hair);
    result = plait_hair_set_params(other.hair, GROUPS, params);
    if (result < 0) {
        assert_state(other.hair, &before);
    } else {
        session_run(&other, 0, 3);
        *effect = state_hash(other.hair);
    }
    free_blob(&before);
    assert_ok(plait_hair_destroy(other.hair));
    return result;
}

static plait_result pass_shape_at_creation(session *s, const void *array, uint64_t *effect) {
    return create_with(s, PLAIT_SOLVER_SHAPE, array, effect);
}

static plait_result pass_shape_later(session *s, const void *array, uint64_t *effect) {
    return change_to(s, PLAIT_SOLVER_SHAPE, array, effect);
}

static plait_result pass_rods_at_creation(session *s, const void *array, uint64_t *effect) {
    return create_with(s, PLAIT_SOLVER_HYBRID, array, effect);
}

static plait_result pass_rods_later(session *s, const void *array, uint64_t *effect) {
    return change_to(s, PLAIT_SOLVER_HYBRID, array, effect);
}

static plait_result pass_volume(session *s, const void *array, uint64_t *effect) {
    session other = *s;
    plait_hair_desc desc = session_hair_desc(s);
    plait_result result;
    blob before;
    assert_ok(plait_hair_create(s->context, &desc, &other.hair));
    before = save(other.hair);
    result = plait_hair_set_volume(other.hair, array);
    if (result < 0) {
        assert_state(other.hair, &before);
    } else {
        session_run(&other, 0, 3);
        *effect = state_hash(other.hair);
    }
    free_blob(&before);
    assert_ok(plait_hair_destroy(other.hair));
    return result;
}

static plait_result pass_settle_desc(session *s, const void *array, uint64_t *effect) {
    blob before = save(s->hair);
    plait_result result = plait_hair_settle(s->hair, array, NULL);
    if (result < 0) {
        assert_state(s->hair, &before);
    } else {
        *effect = state_hash(s->hair);
        assert_ok(plait_hair_load(s->hair, before.bytes, before.size));
    }
    free_blob(&before);
    return result;
}

static plait_result pass_frame(session *s, const void *array, uint64_t *effect) {
    blob before = save(s->hair);
    plait_result result = plait_hair_step(s->hair, array);
    if (result < 0) {
        assert_state(s->hair, &before);
    } else {
        *effect = state_hash(s->hair);
        assert_ok(plait_hair_load(s->hair, before.bytes, before.size));
    }
    free_blob(&before);
    return result;
}

/* Two hairs, so that what one of them has done shows if the other is refused. */
static plait_result pass_frames(session *s, const void *array, uint64_t *effect) {
    plait_hair_desc desc = session_hair_desc(s);
    plait_hair hairs[2] = {s->hair, {0}};
    blob before = save(s->hair), other;
    plait_result result;
    assert_ok(plait_hair_create(s->context, &desc, &hairs[1]));
    other = save(hairs[1]);
    result = plait_hairs_step(s->context, 2, hairs, array);
    if (result < 0) {
        assert_state(s->hair, &before);
        assert_state(hairs[1], &other);
    } else {
        *effect = state_hash(s->hair) * 3 + state_hash(hairs[1]);
        assert_ok(plait_hair_load(s->hair, before.bytes, before.size));
    }
    assert_ok(plait_hair_destroy(hairs[1]));
    free_blob(&before);
    free_blob(&other);
    return result;
}

/* Where all output of these tests goes. */
static float output_memory[MAX_VERTICES][8];

static plait_result pass_output_to_read(session *s, const void *array, uint64_t *effect) {
    plait_result result;
    memset(output_memory, 0, sizeof output_memory);
    result = plait_hair_read(s->hair, array);
    *effect = hash_bytes(output_memory, sizeof output_memory);
    if (result < 0) {
        static const float nothing[MAX_VERTICES][8];
        assert_memory_equal(output_memory, nothing, sizeof nothing);
    }
    return result;
}

static plait_result pass_output_to_set(session *s, const void *array, uint64_t *effect) {
    plait_result result = plait_hair_set_output(s->hair, array);
    if (result >= 0) {
        plait_frame_desc pause = PLAIT_FRAME_DESC_INIT;
        memset(output_memory, 0, sizeof output_memory);
        assert_ok(plait_hair_step(s->hair, &pause));
        *effect = hash_bytes(output_memory, sizeof output_memory);
        assert_ok(plait_hair_set_output(s->hair, NULL));
    }
    return result;
}

static void fill_attribute(const session *s, uint32_t element, void *where) {
    plait_output_attribute attribute = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    (void)s;
    attribute.attribute = element ? PLAIT_ATTRIBUTE_TANGENT : PLAIT_ATTRIBUTE_POSITION;
    attribute.format = PLAIT_FORMAT_FLOAT32X4;
    attribute.offset = 16 * element;
    attribute.stride = 32;
    memcpy(where, &attribute, sizeof attribute);
}

static void fill_output(const session *s, uint32_t element, void *where) {
    static plait_output_attribute attributes[2];
    plait_output_desc desc = PLAIT_OUTPUT_DESC_INIT;
    (void)element;
    fill_attribute(s, 0, &attributes[0]);
    fill_attribute(s, 1, &attributes[1]);
    desc.attribute_count = 2;
    desc.attributes = attributes;
    desc.memory = output_memory;
    desc.size = 32 * (uint64_t)s->groom_source.vertex_count;
    memcpy(where, &desc, sizeof desc);
}

static plait_result pass_binding_desc(session *s, const void *array, uint64_t *effect) {
    plait_binding_info info = PLAIT_BINDING_INFO_INIT;
    plait_binding binding = {1};
    plait_result result = plait_binding_create(s->context, array, &binding);
    if (result < 0) {
        assert_true(binding.id == 0);
        return result;
    }
    assert_ok(plait_binding_query(binding, &info));
    *effect = hash_bytes(&info, sizeof info);
    assert_ok(plait_binding_destroy(binding));
    return result;
}

static void fill_binding_desc(const session *s, uint32_t element, void *where) {
    plait_binding_desc desc = session_binding_desc(s);
    (void)element;
    desc.guide_count = 2;
    desc.parting_angle = 0.7f;
    desc.shape_weight = 0.5f;
    desc.length_weight = 0.25f;
    memcpy(where, &desc, sizeof desc);
}

/* What a frame writes of render strands. */
static plait_result render_with(session *s, const plait_render_params *params, const plait_render_style *styles,
                                const plait_output_desc *output, uint64_t *effect) {
    plait_hair_desc desc = session_hair_desc(s);
    plait_frame_desc pause = PLAIT_FRAME_DESC_INIT;
    plait_hair hair;
    plait_result result = PLAIT_OK;
    assert_ok(plait_hair_create(s->context, &desc, &hair));
    assert_ok(plait_hair_set_binding(hair, s->binding));
    memset(output_memory, 0, sizeof output_memory);
    if (params) {
        result = plait_hair_set_render_params(hair, params);
    }
    if (styles) {
        result = plait_hair_set_render_styles(hair, 1, styles);
    }
    if (result >= 0) {
        result = plait_hair_set_render_output(hair, output);
    }
    assert_ok(plait_hair_step(hair, &pause));
    *effect = hash_bytes(output_memory, sizeof output_memory);
    assert_ok(plait_hair_destroy(hair));
    return result;
}

static plait_result pass_render_params(session *s, const void *array, uint64_t *effect) {
    plait_output_desc output;
    fill_output(s, 0, &output);
    return render_with(s, array, NULL, &output, effect);
}

static plait_result pass_render_style(session *s, const void *array, uint64_t *effect) {
    plait_output_desc output;
    fill_output(s, 0, &output);
    return render_with(s, NULL, array, &output, effect);
}

static plait_result pass_output_to_render(session *s, const void *array, uint64_t *effect) {
    return render_with(s, NULL, NULL, array, effect);
}

static plait_result pass_attributes_to_render(session *s, const void *array, uint64_t *effect) {
    plait_output_desc desc;
    fill_output(s, 0, &desc);
    desc.attributes = array;
    return render_with(s, NULL, NULL, &desc, effect);
}

static void fill_render_params(const session *s, uint32_t element, void *where) {
    plait_render_params params = PLAIT_RENDER_PARAMS_INIT;
    (void)s, (void)element;
    assert_ok(plait_render_params_default(&params));
    params.single_tip = 0.5f;
    params.width_tip = 0.25f;
    params.strand_fraction = 0.75f;
    memcpy(where, &params, sizeof params);
}

static void fill_render_style(const session *s, uint32_t element, void *where) {
    plait_render_style style = PLAIT_RENDER_STYLE_INIT;
    (void)s, (void)element;
    assert_ok(plait_render_style_default(&style));
    style.length = 0.75f;
    style.scatter = 0.01f;
    style.frizz = 0.01f;
    style.frizz_length = 0.1f;
    style.seed = 5;
    memcpy(where, &style, sizeof style);
}

static plait_result pass_attributes_to_read(session *s, const void *array, uint64_t *effect) {
    plait_output_desc desc;
    fill_output(s, 0, &desc);
    desc.attributes = array;
    return pass_output_to_read(s, &desc, effect);
}

static plait_result pass_attributes_to_set(session *s, const void *array, uint64_t *effect) {
    plait_output_desc desc;
    fill_output(s, 0, &desc);
    desc.attributes = array;
    return pass_output_to_set(s, &desc, effect);
}

static void fill_context_desc(const session *s, uint32_t element, void *where) {
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    (void)s, (void)element;
    desc.allocator = &good_allocator;
    desc.logger = &good_logger;
    desc.jobs = &good_jobs;
    memcpy(where, &desc, sizeof desc);
}

static void fill_allocator(const session *s, uint32_t element, void *where) {
    (void)s, (void)element;
    memcpy(where, &good_allocator, sizeof good_allocator);
}

static void fill_logger(const session *s, uint32_t element, void *where) {
    (void)s, (void)element;
    memcpy(where, &good_logger, sizeof good_logger);
}

static void fill_jobs(const session *s, uint32_t element, void *where) {
    (void)s, (void)element;
    memcpy(where, &good_jobs, sizeof good_jobs);
}

static void fill_device_desc(const session *s, uint32_t element, void *where) {
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    (void)s, (void)element;
    desc.backend = PLAIT_BACKEND_CPU;
    memcpy(where, &desc, sizeof desc);
}

static void fill_device_cpu_desc(const session *s, uint32_t element, void *where) {
    plait_device_cpu_desc desc = PLAIT_DEVICE_CPU_DESC_INIT;
    (void)s, (void)element;
    desc.instruction_set = PLAIT_CPU_SCALAR;
    memcpy(where, &desc, sizeof desc);
}

static void fill_groom_desc(const session *s, uint32_t element, void *where) {
    (void)element;
    memcpy(where, &s->groom_source.desc, sizeof s->groom_source.desc);
}

static void fill_group(const session *s, uint32_t element, void *where) {
    memcpy(where, &s->groom_source.groups[element], sizeof s->groom_source.groups[element]);
}

static void fill_body_desc(const session *s, uint32_t element, void *where) {
    (void)element;
    memcpy(where, &s->body_source.desc, sizeof s->body_source.desc);
}

static void fill_collider(const session *s, uint32_t element, void *where) {
    memcpy(where, &s->body_source.colliders[element], sizeof s->body_source.colliders[element]);
}

static void fill_hair_desc(const session *s, uint32_t element, void *where) {
    plait_hair_desc desc = session_hair_desc(s);
    (void)element;
    desc.meters_per_unit = 1;
    desc.step_rate_hz = 60;
    desc.max_frame_s = 0.1f;
    desc.teleport_distance = 5;
    desc.teleport_angle = 3;
    desc.flags = PLAIT_HAIR_WATCH_MOTION;
    memcpy(where, &desc, sizeof desc);
}

static void fill_params(const session *s, uint32_t element, void *where) {
    memcpy(where, &s->params[element], sizeof s->params[element]);
}

static void fill_rods(const session *s, uint32_t element, void *where) {
    plait_hybrid_params params = s->rods[element];
    params.rest_gravity[1] = -9.81f;
    memcpy(where, &params, sizeof params);
}

static void fill_settle(const session *s, uint32_t element, void *where) {
    plait_settle_desc desc = PLAIT_SETTLE_DESC_INIT;
    (void)s, (void)element;
    desc.gravity[1] = -9.81f;
    desc.wind[0] = 1;
    desc.max_speed = 1e-3f;
    desc.max_acceleration = 1e-2f;
    desc.max_steps = 5;
    memcpy(where, &desc, sizeof desc);
}

static void fill_volume(const session *s, uint32_t element, void *where) {
    plait_volume_params params = PLAIT_VOLUME_PARAMS_INIT;
    (void)s, (void)element;
    assert_ok(plait_volume_params_default(1, &params));
    params.max_blocks = 50;
    memcpy(where, &params, sizeof params);
}

static void fill_frame(const session *s, uint32_t element, void *where) {
    static const uint32_t enabled[1] = {7};
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    (void)element;
    frame.dt = 1.0f / 60;
    frame.bone_count = BONES;
    frame.bones = s->bones[0];
    frame.gravity[1] = -9.81f;
    frame.wind[0] = 2;
    frame.colliders_enabled = enabled;
    frame.colliders_enabled_words = 1;
    memcpy(where, &frame, sizeof frame);
}

static const float mesh_positions[4][4] = {{-1, 0, -1, 9}, {1, 0, -1, 9}, {1, 0, 1, 9}, {-1, 0, 1, 9}};

static void fill_groom_mesh(const session *s, uint32_t element, void *where) {
    static const uint16_t indices[2][3] = {{0, 1, 2}, {0, 2, 3}};
    plait_groom_mesh_desc desc = PLAIT_GROOM_MESH_DESC_INIT;
    (void)s, (void)element;
    desc.vertex_count = 4;
    desc.triangle_count = 2;
    desc.index_format = PLAIT_INDEX_UINT16;
    desc.position_format = PLAIT_FORMAT_FLOAT32X3;
    desc.position_stride = sizeof mesh_positions[0];
    desc.indices = indices;
    desc.positions = mesh_positions;
    memcpy(where, &desc, sizeof desc);
}

static plait_result pass_groom_mesh(session *s, const void *array, uint64_t *effect) {
    plait_groom_desc desc = s->groom_source.desc;
    plait_groom groom = {1};
    plait_groom_info info = PLAIT_GROOM_INFO_INIT;
    desc.head.next = array;
    plait_result result = plait_groom_create(s->context, &desc, &groom);
    if (result < 0) {
        assert_true(groom.id == 0);
        return result;
    }
    assert_ok(plait_groom_query(groom, &info));
    *effect = info.identity;
    assert_ok(plait_groom_destroy(groom));
    return result;
}

static void fill_mesh_pose(const session *s, uint32_t element, void *where) {
    plait_mesh_pose_desc desc = PLAIT_MESH_POSE_DESC_INIT;
    (void)s, (void)element;
    desc.vertex_count = 4;
    desc.format = PLAIT_FORMAT_FLOAT32X4;
    desc.positions = mesh_positions;
    memcpy(where, &desc, sizeof desc);
}

static void fill_place(const session *s, uint32_t element, void *where) {
    plait_place_desc desc = PLAIT_PLACE_DESC_INIT;
    (void)element;
    desc.kind = PLAIT_PLACE_RESET;
    desc.bone_count = BONES;
    desc.bones = s->bones[0];
    memcpy(where, &desc, sizeof desc);
}

/* Where the hair of a groom is after plait_hair_place. */
static plait_result place_with(session *s, plait_groom groom, const plait_place_desc *place, uint64_t *effect) {
    plait_hair_desc desc = session_hair_desc(s);
    plait_output_attribute attribute = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
    plait_hair hair;
    if (groom.id) {
        desc.groom = groom;
    }
    attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
    attribute.format = PLAIT_FORMAT_FLOAT32X3;
    attribute.stride = 12;
    output.attribute_count = 1;
    output.attributes = &attribute;
    output.memory = output_memory;
    output.size = sizeof output_memory;
    assert_ok(plait_hair_create(s->context, &desc, &hair));
    plait_result result = plait_hair_place(hair, place);
    if (result >= 0) {
        assert_ok(plait_hair_read(hair, &output));
        *effect = hash_bytes(output_memory, sizeof output_memory);
    }
    assert_ok(plait_hair_destroy(hair));
    return result;
}

static plait_result pass_place(session *s, const void *array, uint64_t *effect) {
    return place_with(s, (plait_groom){0}, array, effect);
}

static plait_result pass_mesh_pose(session *s, const void *array, uint64_t *effect) {
    plait_groom_mesh_desc mesh;
    plait_groom_desc desc = s->groom_source.desc;
    plait_place_desc place = PLAIT_PLACE_DESC_INIT;
    plait_groom groom;
    fill_groom_mesh(s, 0, &mesh);
    desc.head.next = &mesh;
    place.head.next = array;
    place.kind = PLAIT_PLACE_RESET;
    assert_ok(plait_groom_create(s->context, &desc, &groom));
    plait_result result = place_with(s, groom, &place, effect);
    assert_ok(plait_groom_destroy(groom));
    return result;
}

#define STRUCT(S) #S, sizeof(S)
#define ROD_FLOATS                                                                                                     \
    { 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72 }
#define VOLUME_FLOATS                                                                                                  \
    { 24, 28, 32, 36, 40, 44, 48, 52, 56, 60 }
#define STYLE_FLOATS                                                                                                   \
    { 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56 }
const input inputs[] = {
    {STRUCT(plait_allocator), 1, 0, {0}, fill_allocator, pass_allocator, 1},
    {STRUCT(plait_logger), 1, 36, {0}, fill_logger, pass_logger, 1},
    {STRUCT(plait_jobs), 1, 36, {0}, fill_jobs, pass_jobs, 1},
    {STRUCT(plait_context_desc), 1, 44, {0}, fill_context_desc, pass_context_desc, 1},
    {STRUCT(plait_device_desc), 1, 0, {0}, fill_device_desc, pass_device_desc, 0},
    {STRUCT(plait_device_cpu_desc), 1, 20, {0}, fill_device_cpu_desc, pass_device_cpu_desc, 0},
    {STRUCT(plait_groom_desc), 1, 100, {0}, fill_groom_desc, pass_groom_desc, 0},
    {STRUCT(plait_group_desc), 2, 0, {16, 20}, fill_group, pass_groups, 0},
    {STRUCT(plait_body_desc), 1, 0, {0}, fill_body_desc, pass_body_desc, 0},
    {STRUCT(plait_collider), 3, 60, {24, 28, 32, 36, 40, 44, 48, 52, 56}, fill_collider, pass_colliders, 0},
    {STRUCT(plait_hair_desc), 1, 92, {64, 68, 76, 80, 84}, fill_hair_desc, pass_hair_desc, 0},
    {STRUCT(plait_shape_params), 2, 44, {16, 20, 24, 28, 32, 36, 40}, fill_params, pass_shape_at_creation, 0},
    {STRUCT(plait_shape_params), 2, 44, {16, 20, 24, 28, 32, 36, 40}, fill_params, pass_shape_later, 0},
    {STRUCT(plait_hybrid_params), 2, 76, ROD_FLOATS, fill_rods, pass_rods_at_creation, 0},
    {STRUCT(plait_hybrid_params), 2, 76, ROD_FLOATS, fill_rods, pass_rods_later, 0},
    {STRUCT(plait_volume_params), 1, 68, VOLUME_FLOATS, fill_volume, pass_volume, 0},
    {STRUCT(plait_binding_desc), 1, 52, {40, 44, 48}, fill_binding_desc, pass_binding_desc, 0},
    {STRUCT(plait_render_params), 1, 0, {16, 20, 24, 28, 32, 36, 40}, fill_render_params, pass_render_params, 0},
    {STRUCT(plait_render_style), 1, 0, STYLE_FLOATS, fill_render_style, pass_render_style, 0},
    {STRUCT(plait_output_desc), 1, 20, {0}, fill_output, pass_output_to_render, 0},
    {STRUCT(plait_output_attribute), 2, 0, {0}, fill_attribute, pass_attributes_to_render, 0},
    {STRUCT(plait_settle_desc), 1, 0, {16, 20, 24, 28, 32, 36, 40, 44}, fill_settle, pass_settle_desc, 0},
    {STRUCT(plait_groom_mesh_desc), 1, 0, {0}, fill_groom_mesh, pass_groom_mesh, 0},
    {STRUCT(plait_mesh_pose_desc), 1, 0, {0}, fill_mesh_pose, pass_mesh_pose, 0},
    {STRUCT(plait_place_desc), 1, 0, {0}, fill_place, pass_place, 0},
    {STRUCT(plait_frame_desc), 1, 68, {16, 32, 36, 40, 44, 48, 52}, fill_frame, pass_frame, 0},
    {STRUCT(plait_frame_desc), 2, 68, {16, 32, 36, 40, 44, 48, 52}, fill_frame, pass_frames, 0},
    {STRUCT(plait_output_desc), 1, 20, {0}, fill_output, pass_output_to_read, 0},
    {STRUCT(plait_output_desc), 1, 20, {0}, fill_output, pass_output_to_set, 0},
    {STRUCT(plait_output_attribute), 2, 0, {0}, fill_attribute, pass_attributes_to_read, 0},
    {STRUCT(plait_output_attribute), 2, 0, {0}, fill_attribute, pass_attributes_to_set, 0},
};
const size_t input_count = COUNT_OF(inputs);

unsigned char *make_input(const input *in, const session *s, uint32_t size) {
    unsigned char *array = calloc(in->elements, size);
    assert_non_null(array);
    for (uint32_t i = 0; i < in->elements; ++i) {
        unsigned char whole[MAX_INPUT_SIZE];
        in->fill(s, i, whole);
        memcpy(whole + offsetof(plait_head, size), &size, sizeof size);
        memcpy(array + (size_t)i * size, whole, size < in->size ? size : in->size);
    }
    return array;
}

int float_matters(const input *in, uint32_t element, uint32_t offset) {
    if (in->fill != fill_collider || element == 0) {
        return 1;
    }
    return element == 1 ? !((offset >= 36 && offset < 48) || offset == 52) : !(offset == 48 || offset == 52);
}

uint64_t hash_bytes(const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ byte[i]) * 0x100000001b3u;
    }
    return hash;
}
