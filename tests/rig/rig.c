#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void PLAIT_CALL remember(void *user, uint32_t level, int32_t id, const char *text) {
    (void)level;
    (void)id;
    fprintf(stderr, "plait: %s\n", text);
    (void)user;
}

uint32_t test_solver(void) {
    const char *name = getenv("PLAIT_TEST_SOLVER");
    return name && strcmp(name, "hybrid") == 0 ? PLAIT_SOLVER_HYBRID : PLAIT_SOLVER_SHAPE;
}

bool rig_has_instruction_set(uint32_t instruction_set) {
    plait_context context;
    assert_ok(plait_context_create(NULL, &context));
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_device_cpu_desc cpu = PLAIT_DEVICE_CPU_DESC_INIT;
    desc.backend = PLAIT_BACKEND_CPU;
    desc.head.next = &cpu;
    cpu.instruction_set = instruction_set;
    plait_device device;
    bool opened = plait_device_open(context, &desc, &device) == PLAIT_OK;
    if (opened) assert_ok(plait_device_close(device));
    assert_ok(plait_context_destroy(context));
    return opened;
}

struct rig_options rig_options(const plait_groom_desc *groom) {
    struct rig_options options = {.groom = *groom, .solver = test_solver(), .backend = PLAIT_BACKEND_CPU, .threads = 1};
    options.hair = (plait_hair_desc)PLAIT_HAIR_DESC_INIT;
    return options;
}

struct rig rig_open(const struct rig_options *options) {
    struct rig rig = {.bones = options->groom.bone_count};
    plait_logger logger = PLAIT_LOGGER_INIT;
    if (!options->quiet) logger.log = remember;
    plait_context_desc context = PLAIT_CONTEXT_DESC_INIT;
    context.logger = &logger;
    context.thread_count = options->threads;
    assert_ok(plait_context_create(&context, &rig.context));

    plait_device_desc device = PLAIT_DEVICE_DESC_INIT;
    plait_device_cpu_desc cpu = PLAIT_DEVICE_CPU_DESC_INIT;
    device.backend = options->backend;
    cpu.instruction_set = options->instruction_set;
    if (options->backend == PLAIT_BACKEND_CPU) device.head.next = &cpu;
    if (options->device_next) device.head.next = options->device_next;
    assert_ok(plait_device_open(rig.context, &device, &rig.device));

    assert_ok(plait_groom_create(rig.context, &options->groom, &rig.groom));
    if (options->body) assert_ok(plait_body_create(rig.context, options->body, &rig.body));
    plait_hair_desc hair = options->hair;
    hair.groom = rig.groom;
    hair.device = rig.device;
    hair.body = rig.body;
    hair.solver = options->solver;
    hair.params = options->params;
    hair.params_count = options->params ? 1 : 0;
    assert_ok(plait_hair_create(rig.context, &hair, &rig.hair));
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    assert_ok(plait_hair_query(rig.hair, &info));
    rig.strands = info.strand_count;
    rig.vertices = info.vertex_count;
    return rig;
}

plait_hybrid_params rig_rods(void) {
    plait_hybrid_params params = PLAIT_HYBRID_PARAMS_INIT;
    assert_ok(plait_hybrid_params_default(1, &params));
    return params;
}

void rig_close(struct rig *rig) {
    assert_ok(plait_hair_destroy(rig->hair));
    if (rig->body.id) assert_ok(plait_body_destroy(rig->body));
    assert_ok(plait_groom_destroy(rig->groom));
    assert_ok(plait_device_close(rig->device));
    assert_ok(plait_context_destroy(rig->context));
}

void rig_step(struct rig *rig, float dt, const float *bones, bool gravity) {
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = dt;
    frame.bones = bones;
    frame.bone_count = rig->bones;
    frame.gravity[1] = gravity ? -9.81f : 0.0f;
    assert_ok(plait_hair_step(rig->hair, &frame));
}

void rig_describe_output(uint32_t vertices, void *memory, struct rig_output *output) {
    output->attribute = (plait_output_attribute)PLAIT_OUTPUT_ATTRIBUTE_INIT;
    output->attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
    output->attribute.format = PLAIT_FORMAT_FLOAT32X3;
    output->attribute.stride = 12;
    output->desc = (plait_output_desc)PLAIT_OUTPUT_DESC_INIT;
    output->desc.attribute_count = 1;
    output->desc.attributes = &output->attribute;
    output->desc.memory = memory;
    output->desc.size = (uint64_t)vertices * 12;
}

float *rig_positions(struct rig *rig) {
    float *positions = malloc((size_t)rig->vertices * 12);
    assert_non_null(positions);
    struct rig_output output;
    rig_describe_output(rig->vertices, positions, &output);
    assert_ok(plait_hair_read(rig->hair, &output.desc));
    return positions;
}

plait_stats_info rig_stats(struct rig *rig) {
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    assert_ok(plait_hair_stats(rig->hair, &stats));
    return stats;
}

double distance3(const float *a, const float *b) {
    double x = (double)a[0] - b[0], y = (double)a[1] - b[1], z = (double)a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

double largest_difference(const float *a, const float *b, uint32_t vertices) {
    double worst = 0;
    for (uint32_t v = 0; v < vertices; v++) {
        double d = distance3(a + 3 * (size_t)v, b + 3 * (size_t)v);
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

struct straight straight_make(uint32_t count, uint32_t vertices, float length, const float direction[3]) {
    struct straight s = {calloc(count, sizeof *s.counts), calloc((size_t)count * vertices, 3 * sizeof(float)),
                         PLAIT_GROOM_DESC_INIT};
    assert_true(s.counts && s.positions);
    for (uint32_t i = 0; i < count; i++) {
        s.counts[i] = vertices;
        for (uint32_t v = 0; v < vertices; v++)
            for (int c = 0; c < 3; c++)
                s.positions[3 * ((size_t)i * vertices + v) + c] =
                    direction[c] * length * (float)v / (float)(vertices - 1) + (c == 0 ? 0.01f * (float)i : 0.0f);
    }
    s.desc.strand_count = count;
    s.desc.bone_count = 1;
    s.desc.vertex_counts = s.counts;
    s.desc.positions = s.positions;
    return s;
}

void straight_free(struct straight *s) {
    free(s->counts);
    free(s->positions);
}

void rig_cut_lengths(scene_groom *groom) {
    uint32_t from = 0, to = 0;
    for (uint32_t s = 0; s < groom->strand_count; s++) {
        uint32_t whole = groom->vertex_counts[s], kept = 2 + (s * 7) % (whole - 1);
        memmove(groom->positions + 3 * (size_t)to, groom->positions + 3 * (size_t)from, (size_t)kept * 12);
        groom->vertex_counts[s] = kept;
        from += whole;
        to += kept;
    }
    groom->vertex_count = to;
}

void bone_identity(float m[12]) {
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    memcpy(m, identity, sizeof identity);
}

void bone_make(float m[12], const float axis[3], double angle, const float shift[3]) {
    double c = cos(angle), s = sin(angle), x = axis[0], y = axis[1], z = axis[2];
    double r[9] = {c + x * x * (1 - c),     x * y * (1 - c) - z * s, x * z * (1 - c) + y * s,
                   y * x * (1 - c) + z * s, c + y * y * (1 - c),     y * z * (1 - c) - x * s,
                   z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) m[4 * i + j] = (float)r[3 * i + j];
        m[4 * i + 3] = shift[i];
    }
}
