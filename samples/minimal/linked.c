// The smallest host that links to Plait: two strands on one bone that turns back and forth for two seconds.
#include <plait.h>

#include <math.h>
#include <stdio.h>

enum { STRANDS = 2, VERTICES = 12 };

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        plait_result result = (call);                                                                                  \
        if (result < 0) {                                                                                              \
            fprintf(stderr, "%s: %s\n", #call, plait_result_text(result));                                             \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

static void PLAIT_CALL print_message(void *user, uint32_t level, int32_t id, const char *text) {
    (void)user, (void)level, (void)id;
    fprintf(stderr, "plait: %s\n", text);
}

int main(void) {
    plait_logger logger = PLAIT_LOGGER_INIT;
    logger.log = print_message;
    plait_context_desc context_desc = PLAIT_CONTEXT_DESC_INIT;
    context_desc.logger = &logger;
    plait_context context;
    TRY(plait_context_create(&context_desc, &context));

    plait_device_desc device_desc = PLAIT_DEVICE_DESC_INIT;
    device_desc.backend = PLAIT_BACKEND_CPU;
    plait_device device;
    TRY(plait_device_open(context, &device_desc, &device));

    // The asset: straight strands, 22 cm long, that grow sideways out of a head of 10 cm radius. Metres, y is up.
    uint32_t counts[STRANDS] = {VERTICES, VERTICES};
    float rest[STRANDS][VERTICES][3] = {{{0}}};
    for (int s = 0; s < STRANDS; s++)
        for (int v = 0; v < VERTICES; v++) rest[s][v][0] = (s ? -1.0f : 1.0f) * (0.1f + 0.02f * (float)v);
    plait_groom_desc groom_desc = PLAIT_GROOM_DESC_INIT;
    groom_desc.strand_count = STRANDS;
    groom_desc.bone_count = 1;
    groom_desc.vertex_counts = counts;
    groom_desc.positions = &rest[0][0][0];
    plait_groom groom;
    TRY(plait_groom_create(context, &groom_desc, &groom));

    plait_hair_desc hair_desc = PLAIT_HAIR_DESC_INIT;
    hair_desc.groom = groom;
    hair_desc.device = device;
    hair_desc.solver = PLAIT_SOLVER_SHAPE;
    plait_hair hair;
    TRY(plait_hair_create(context, &hair_desc, &hair));

    // Where every step writes: the memory that a renderer would draw from.
    float strands[STRANDS][VERTICES][3];
    plait_output_attribute position = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    position.attribute = PLAIT_ATTRIBUTE_POSITION;
    position.format = PLAIT_FORMAT_FLOAT32X3;
    position.stride = sizeof strands[0][0];
    plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
    output.attribute_count = 1;
    output.attributes = &position;
    output.memory = strands;
    output.size = sizeof strands;
    TRY(plait_hair_set_output(hair, &output));

    for (int i = 1; i <= 120; i++) {
        float angle = sinf((float)i * 0.1f);
        float bone[12] = {cosf(angle), 0, sinf(angle), 0, 0, 1, 0, 0, -sinf(angle), 0, cosf(angle), 0};
        plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
        frame.dt = 1.0f / 60.0f;
        frame.bone_count = 1;
        frame.bones = bone;
        frame.gravity[1] = -9.81f;
        TRY(plait_hair_step(hair, &frame));
    }
    for (int s = 0; s < STRANDS; s++) {
        const float *root = strands[s][0], *tip = strands[s][VERTICES - 1];
        printf("strand %d: root %6.3f %6.3f %6.3f  tip %6.3f %6.3f %6.3f\n", s, root[0], root[1], root[2], tip[0],
               tip[1], tip[2]);
    }

    TRY(plait_hair_destroy(hair));
    TRY(plait_groom_destroy(groom)); // allowed any time after plait_hair_create
    TRY(plait_device_close(device));
    TRY(plait_context_destroy(context)); // last
    return 0;
}
