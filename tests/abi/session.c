#include "session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void affine(float turn, const float axis[3], const float translation[3], float matrix[12]);
static void PLAIT_CALL remember(void *user, uint32_t level, int32_t id, const char *text);
static plait_groom create_groom(session *s, uint32_t copies);

session *session_open(const session_options *options) {
    static const session_options defaults;
    session *s = calloc(1, sizeof *s);
    plait_context_desc context_desc = PLAIT_CONTEXT_DESC_INIT;
    plait_logger logger;
    plait_hair_desc hair_desc;

    assert_non_null(s);
    options = options ? options : &defaults;
    message_log_open(&s->log);
    logger = message_log_logger(&s->log, PLAIT_LOG_DEBUG);
    context_desc.allocator = options->allocator;
    context_desc.jobs = options->jobs;
    context_desc.logger = options->logger ? options->logger : &logger;
    context_desc.thread_count = options->jobs ? 0 : options->thread_count;
    groom_source_fill(&s->groom_source);
    body_source_fill(&s->body_source);
    bones_at(0, s->bones);
    for (uint32_t i = 0; i < GROUPS; ++i) {
        s->params[i] = (plait_shape_params)PLAIT_SHAPE_PARAMS_INIT;
        assert_ok(plait_shape_params_default(1, &s->params[i]));
    }
    s->params[1].compliance_tip_s2 *= 2;
    for (uint32_t i = 0; i < GROUPS; ++i) {
        s->rods[i] = (plait_hybrid_params)PLAIT_HYBRID_PARAMS_INIT;
        assert_ok(plait_hybrid_params_default(1, &s->rods[i]));
    }
    s->rods[1].bend_modulus *= 2;
    s->solver = test_solver();

    assert_ok(plait_context_create(&context_desc, &s->context));
    s->device = open_device(s->context, options->backend, options->instruction_set);
    s->groom = create_groom(s, options->copies ? options->copies : 1);
    assert_ok(plait_body_create(s->context, &s->body_source.desc, &s->body));
    hair_desc = session_hair_desc(s);
    assert_ok(plait_hair_create(s->context, &hair_desc, &s->hair));
    assert_ok(plait_semaphore_create(s->device, NULL, &s->semaphore));
    plait_binding_desc binding = session_binding_desc(s);
    assert_ok(plait_binding_create(s->context, &binding, &s->binding));
    return s;
}

plait_binding_desc session_binding_desc(const session *s) {
    plait_binding_desc desc = PLAIT_BINDING_DESC_INIT;
    desc.guides = desc.render = s->groom;
    return desc;
}

/* The session's objects may be gone already; the context may not. */
void session_close(session *s) {
    assert_ok(plait_context_destroy(s->context));
    message_log_close(&s->log);
    free(s);
}

plait_device open_device(plait_context context, uint32_t backend, uint32_t instruction_set) {
    plait_device_cpu_desc cpu = PLAIT_DEVICE_CPU_DESC_INIT;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_device device;

    desc.backend = backend ? backend : PLAIT_BACKEND_CPU;
    cpu.instruction_set = instruction_set;
    desc.head.next = instruction_set ? &cpu : NULL;
    assert_ok(plait_device_open(context, &desc, &device));
    return device;
}

/* Copies of an array one after the other, to be freed. */
static void *repeat(const void *array, size_t size, uint32_t copies) {
    char *repeated = malloc(size * copies);
    assert_non_null(repeated);
    for (uint32_t i = 0; i < copies; ++i) {
        memcpy(repeated + i * size, array, size);
    }
    return repeated;
}

/* The groom of the source with each strand there several times, a tenth of a millimetre apart. */
static plait_groom create_groom(session *s, uint32_t copies) {
    const groom_source *source = &s->groom_source;
    plait_groom_desc desc = source->desc;
    float *positions = repeat(source->positions, source->vertex_count * sizeof source->positions[0], copies);
    void *vertex_counts = repeat(source->vertex_counts, sizeof source->vertex_counts, copies);
    void *radii = repeat(source->radii, source->vertex_count * sizeof source->radii[0], copies);
    void *bindings = repeat(source->bindings, sizeof source->bindings, copies);
    void *normals = repeat(source->normals, sizeof source->normals, copies);
    void *group_indices = repeat(source->group_indices, sizeof source->group_indices, copies);
    void *held_counts = repeat(source->held_counts, sizeof source->held_counts, copies);
    plait_groom groom;

    s->vertex_count = copies * source->vertex_count;
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        positions[3 * (size_t)i] += 1e-4f * (float)(i / source->vertex_count);
    }
    desc.strand_count = copies * STRANDS;
    desc.positions = positions;
    desc.vertex_counts = vertex_counts;
    desc.radii = radii;
    desc.root_bindings = bindings;
    desc.root_normals = normals;
    desc.group_indices = group_indices;
    desc.held_counts = held_counts;
    assert_ok(plait_groom_create(s->context, &desc, &groom));
    free(positions);
    free(vertex_counts);
    free(radii);
    free(bindings);
    free(normals);
    free(group_indices);
    free(held_counts);
    return groom;
}

plait_hair_desc session_hair_desc(const session *s) {
    plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
    desc.groom = s->groom;
    desc.device = s->device;
    desc.body = s->body;
    desc.solver = s->solver;
    desc.params_count = GROUPS;
    desc.params = session_params(s);
    desc.bones = s->bones[0];
    desc.substeps = 2;
    return desc;
}

const void *session_params(const session *s) {
    return s->solver == PLAIT_SOLVER_HYBRID ? (const void *)s->rods : (const void *)s->params;
}

uint32_t test_solver(void) {
    const char *name = getenv("PLAIT_TEST_SOLVER");
    return name && strcmp(name, "hybrid") == 0 ? PLAIT_SOLVER_HYBRID : PLAIT_SOLVER_SHAPE;
}

plait_frame_desc session_frame(session *s, uint32_t number) { return sample_frame(number, s->bones); }

plait_frame_desc sample_frame(uint32_t number, float (*bones)[12]) {
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    bones_at((float)(number + 1) / 60, bones);
    frame.dt = 1.0f / 60;
    frame.bone_count = BONES;
    frame.bones = bones[0];
    frame.gravity[1] = -9.81f;
    frame.wind[0] = 2;
    return frame;
}

void session_run(session *s, uint32_t first_frame, uint32_t frame_count) {
    for (uint32_t i = 0; i < frame_count; ++i) {
        plait_frame_desc frame = session_frame(s, first_frame + i);
        assert_ok(plait_hair_step(s->hair, &frame));
    }
}

/* Curved strands on the upper half of a sphere of radius 0.1 around bone 1, from stubs to 0.2 long. */
void groom_source_fill(groom_source *source) {
    static const float axes[BONES][3] = {{0, 1, 0}, {0, 0, 1}, {0.6f, 0, 0.8f}};
    static const float origins[BONES][3] = {{0, 0, 0}, {0, 0.1f, 0}, {0.02f, 0.15f, 0}};
    uint32_t vertex = 0;

    memset(source, 0, sizeof *source);
    for (uint32_t strand = 0; strand < STRANDS; ++strand) {
        float around = 2.4f * (float)strand;
        float up = 1 - 0.9f * (float)strand / STRANDS;
        float out = sqrtf(1 - up * up);
        float *normal = source->normals[strand];
        plait_root_binding *binding = &source->bindings[strand];

        normal[0] = out * cosf(around);
        normal[1] = up;
        normal[2] = out * sinf(around);
        source->vertex_counts[strand] = 2 + strand * 7 % 19;
        source->group_indices[strand] = (uint16_t)(strand % GROUPS);
        source->held_counts[strand] = strand % 5 == 4 && source->vertex_counts[strand] > 4 ? 4 : 1;
        binding->bones[0] = 1;
        binding->bones[1] = 2;
        binding->bones[2] = 0;
        binding->weights[0] = 0.75f;
        binding->weights[1] = strand % 3 ? 0.25f : 0;
        binding->weights[2] = strand % 3 ? 0 : 0.25f;
        for (uint32_t i = 0; i < source->vertex_counts[strand]; ++i, ++vertex) {
            float along = 0.01f * (float)i;
            float *position = source->positions[vertex];
            position[0] = normal[0] * (0.1f + along) + 0.002f * sinf(0.9f * (float)i);
            position[1] = normal[1] * (0.1f + along) + 0.1f - 0.3f * along * along;
            position[2] = normal[2] * (0.1f + along) + 0.002f * cosf(0.9f * (float)i);
            source->radii[vertex] = 5e-5f - 1e-6f * (float)i;
        }
    }
    source->vertex_count = vertex;
    for (uint32_t i = 0; i < BONES; ++i) {
        affine(0.2f * (float)i, axes[i], origins[i], source->bind_pose[i]);
    }
    for (uint32_t i = 0; i < GROUPS; ++i) {
        source->groups[i] = (plait_group_desc)PLAIT_GROUP_DESC_INIT;
        source->groups[i].radius = 4e-5f;
        source->groups[i].friction = 1 - 0.5f * (float)i;
    }
    source->desc = (plait_groom_desc)PLAIT_GROOM_DESC_INIT;
    source->desc.strand_count = STRANDS;
    source->desc.bone_count = BONES;
    source->desc.vertex_counts = source->vertex_counts;
    source->desc.positions = source->positions[0];
    source->desc.radii = source->radii;
    source->desc.root_bindings = source->bindings;
    source->desc.bind_pose = source->bind_pose[0];
    source->desc.root_normals = source->normals[0];
    source->desc.group_indices = source->group_indices;
    source->desc.held_counts = source->held_counts;
    source->desc.groups = source->groups;
    source->desc.group_count = GROUPS;
}

void body_source_fill(body_source *source) {
    plait_collider *capsule = &source->colliders[0];
    plait_collider *sphere = &source->colliders[1];
    plait_collider *floor = &source->colliders[2];

    for (uint32_t i = 0; i < COLLIDERS; ++i) {
        source->colliders[i] = (plait_collider)PLAIT_COLLIDER_INIT;
        source->colliders[i].friction = 0.3f;
    }
    capsule->kind = PLAIT_COLLIDER_CAPSULE;
    capsule->points[0][1] = -0.2f;
    capsule->points[1][1] = 0.02f;
    capsule->radii[0] = 0.12f;
    capsule->radii[1] = 0.05f;
    sphere->kind = PLAIT_COLLIDER_SPHERE;
    sphere->bone = 1;
    sphere->radii[0] = 0.095f;
    floor->kind = PLAIT_COLLIDER_HALF_SPACE;
    floor->bone = 2;
    floor->points[0][1] = -0.25f;
    floor->points[1][1] = 1;
    source->desc = (plait_body_desc)PLAIT_BODY_DESC_INIT;
    source->desc.bone_count = BONES;
    source->desc.collider_count = COLLIDERS;
    source->desc.colliders = source->colliders;
}

void bones_at(float time_s, float (*bones)[12]) {
    static const float axes[BONES][3] = {{0, 1, 0}, {0, 0.6f, 0.8f}, {0.6f, 0, 0.8f}};
    for (uint32_t i = 0; i < BONES; ++i) {
        float phase = 3 * time_s + (float)i;
        float translation[3] = {0.05f * sinf(phase), 0.08f * (float)i, 0.03f * cosf(phase)};
        affine(0.5f * sinf(phase), axes[i], translation, bones[i]);
    }
}

static void affine(float turn, const float axis[3], const float translation[3], float matrix[12]) {
    float c = cosf(turn), s = sinf(turn), x = axis[0], y = axis[1], z = axis[2], d = 1 - c;
    float rotation[9] = {x * x * d + c,     x * y * d - z * s, x * z * d + y * s, y * x * d + z * s, y * y * d + c,
                         y * z * d - x * s, z * x * d - y * s, z * y * d + x * s, z * z * d + c};
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            matrix[4 * row + column] = rotation[3 * row + column];
        }
        matrix[4 * row + 3] = translation[row];
    }
}

void message_log_open(message_log *log) {
    memset(log, 0, sizeof *log);
    pthread_mutex_init(&log->mutex, NULL);
}

void message_log_close(message_log *log) { pthread_mutex_destroy(&log->mutex); }

plait_logger message_log_logger(message_log *log, uint32_t min_level) {
    plait_logger logger = PLAIT_LOGGER_INIT;
    logger.user = log;
    logger.log = remember;
    logger.min_level = min_level;
    return logger;
}

static void PLAIT_CALL remember(void *user, uint32_t level, int32_t id, const char *text) {
    message_log *log = user;
    pthread_mutex_lock(&log->mutex);
    log->count++;
    log->level = level;
    log->id = id;
    if (id >= -32 && id < 32) {
        log->counts[id + 32]++;
    }
    snprintf(log->text, sizeof log->text, "%s", text);
    pthread_mutex_unlock(&log->mutex);
}

uint32_t message_log_count(message_log *log, int32_t id) {
    uint32_t count;
    pthread_mutex_lock(&log->mutex);
    count = log->counts[id + 32];
    pthread_mutex_unlock(&log->mutex);
    return count;
}

blob save(plait_hair hair) {
    blob state;
    assert_ok(plait_hair_state_size(hair, &state.size));
    state.bytes = malloc(state.size);
    assert_non_null(state.bytes);
    assert_ok(plait_hair_save(hair, state.bytes, state.size));
    return state;
}

int same_blob(const blob *a, const blob *b) { return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0; }

void free_blob(blob *state) {
    free(state->bytes);
    state->bytes = NULL;
}

void assert_state(plait_hair hair, const blob *expected) {
    blob now = save(hair);
    assert_true(same_blob(&now, expected));
    free_blob(&now);
}

plait_output_desc describe_dense(plait_output_attribute *attribute, uint32_t kind, uint32_t format, void *memory,
                                 uint64_t size) {
    plait_output_desc desc = PLAIT_OUTPUT_DESC_INIT;
    *attribute = (plait_output_attribute)PLAIT_OUTPUT_ATTRIBUTE_INIT;
    attribute->attribute = kind;
    attribute->format = format;
    attribute->stride = format == PLAIT_FORMAT_FLOAT32X4 ? 16 : 12;
    desc.attribute_count = 1;
    desc.attributes = attribute;
    desc.memory = memory;
    desc.size = size;
    return desc;
}

float *read_positions(const session *s) {
    size_t size = 12 * (size_t)s->vertex_count;
    float *positions = malloc(size);
    plait_output_attribute attribute;
    plait_output_desc desc =
        describe_dense(&attribute, PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, positions, size);
    assert_non_null(positions);
    assert_ok(plait_hair_read(s->hair, &desc));
    return positions;
}

int all_finite(const float *values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return 0;
        }
    }
    return 1;
}

/* splitmix64 */
uint64_t next_random(uint64_t *sequence) {
    uint64_t z = *sequence += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void check_result(plait_result actual, plait_result expected, const char *call, const char *file, int line) {
    if (actual != expected) {
        print_error("%s gave %d (%s), expected %d (%s)\n", call, actual, plait_result_text(actual), expected,
                    plait_result_text(expected));
        _fail(file, line);
    }
}

int is_known_result(plait_result result) { return result >= PLAIT_ERROR_SYSTEM && result <= PLAIT_INCOMPLETE; }
