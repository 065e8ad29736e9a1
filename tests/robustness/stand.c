#include "stand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STRANDS = 40, STRAND_VERTICES = 10 };

static void PLAIT_CALL remember(void *user, uint32_t level, int32_t id, const char *text) {
    struct stand *stand = user;
    if (level < PLAIT_LOG_ERROR) return;
    assert_true(id < 0 && text[0]);
    stand->errors++;
    snprintf(stand->said, sizeof stand->said, "%s", text);
}

static plait_body make_body(plait_context context, uint32_t count) {
    plait_collider balls[3];
    for (uint32_t i = 0; i < count; i++) {
        balls[i] = (plait_collider)PLAIT_COLLIDER_INIT;
        balls[i].kind = PLAIT_COLLIDER_SPHERE;
        balls[i].points[0][0] = 0.1f * (float)i;
        balls[i].points[0][1] = -0.15f;
        balls[i].radii[0] = 0.1f;
    }
    plait_body_desc desc = PLAIT_BODY_DESC_INIT;
    desc.bone_count = 1;
    desc.collider_count = count;
    desc.colliders = balls;
    plait_body body;
    assert_ok(plait_body_create(context, &desc, &body));
    return body;
}

void stand_open(struct stand *stand) {
    memset(stand, 0, sizeof *stand);
    tracker_open(&stand->memory);
    plait_allocator allocator = tracker_allocator(&stand->memory);
    plait_logger logger = PLAIT_LOGGER_INIT;
    logger.user = stand;
    logger.log = remember;
    plait_context_desc context = PLAIT_CONTEXT_DESC_INIT;
    context.allocator = &allocator;
    context.logger = &logger;
    context.thread_count = 1;
    assert_ok(plait_context_create(&context, &stand->context));
    plait_device_desc device = PLAIT_DEVICE_DESC_INIT;
    device.backend = PLAIT_BACKEND_CPU;
    assert_ok(plait_device_open(stand->context, &device, &stand->cpu));
    stand->strands = straight_make(STRANDS, STRAND_VERTICES, 0.2f, (float[3]){0, 0, 1});
    stand->vertices = STRANDS * STRAND_VERTICES;
    assert_ok(plait_groom_create(stand->context, &stand->strands.desc, &stand->groom));
    stand->bodies[0] = make_body(stand->context, 1);
    stand->bodies[1] = make_body(stand->context, 3);
}

void stand_close(struct stand *stand) {
    for (int i = 0; i < 2; i++) assert_ok(plait_body_destroy(stand->bodies[i]));
    assert_ok(plait_groom_destroy(stand->groom));
    assert_ok(plait_device_close(stand->cpu));
    assert_ok(plait_context_destroy(stand->context));
    assert_int_equal(stand->memory.live, 0);
    assert_int_equal(stand->memory.mistakes, 0);
    tracker_close(&stand->memory);
    straight_free(&stand->strands);
}

plait_result stand_open_vulkan(struct stand *stand, plait_device *device) {
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = PLAIT_BACKEND_VULKAN;
    return plait_device_open(stand->context, &desc, device);
}

plait_backend_info stand_vulkan_info(struct stand *stand) {
    plait_backend_info infos[8];
    uint32_t count = 8;
    for (uint32_t i = 0; i < count; i++) infos[i] = (plait_backend_info)PLAIT_BACKEND_INFO_INIT;
    assert_ok(plait_backend_enumerate(stand->context, &count, infos));
    uint32_t i = 0;
    while (i < count && infos[i].backend != PLAIT_BACKEND_VULKAN) i++;
    assert_true(i < count);
    return infos[i];
}

bool stand_has_vulkan(void) {
    struct stand stand;
    double_reset();
    stand_open(&stand);
    bool there = stand_vulkan_info(&stand).available && double_present();
    stand_close(&stand);
    if (!there) printf("skipped: no Vulkan device, or the double is not in place\n");
    return there;
}

plait_result stand_hair(struct stand *stand, plait_device device, plait_hair *hair) {
    plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
    desc.groom = stand->groom;
    desc.device = device;
    desc.body = stand->bodies[0];
    desc.solver = test_solver();
    return plait_hair_create(stand->context, &desc, hair);
}

static void bone_at(int frame, float bone[12]) {
    bone_make(bone, (float[3]){0, 1, 0}, 0.3 * sin(0.2 * frame), (float[3]){0.01f * (float)(frame % 20), 0, 0});
}

plait_result stand_step(plait_hair hair, int frame) {
    float bone[12];
    bone_at(frame, bone);
    plait_frame_desc desc = PLAIT_FRAME_DESC_INIT;
    desc.dt = 1.0f / 60;
    desc.bone_count = 1;
    desc.bones = bone;
    desc.gravity[1] = -9.81f;
    return plait_hair_step(hair, &desc);
}

void stand_output(const struct stand *stand, float *memory, struct stand_output *output) {
    output->attribute = (plait_output_attribute)PLAIT_OUTPUT_ATTRIBUTE_INIT;
    output->attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
    output->attribute.format = PLAIT_FORMAT_FLOAT32X3;
    output->attribute.stride = 12;
    output->desc = (plait_output_desc)PLAIT_OUTPUT_DESC_INIT;
    output->desc.attribute_count = 1;
    output->desc.attributes = &output->attribute;
    output->desc.memory = memory;
    output->desc.size = (uint64_t)stand->vertices * 12;
}

plait_result stand_read(const struct stand *stand, plait_hair hair, float *positions) {
    struct stand_output output;
    stand_output(stand, positions, &output);
    return plait_hair_read(hair, &output.desc);
}

void stand_expect_sound(const struct stand *stand, const float *positions, int frame) {
    float bone[12];
    bone_at(frame, bone);
    for (uint32_t i = 0; i < 3 * stand->vertices; i++) assert_true(isfinite(positions[i]));
    for (uint32_t s = 0; s < STRANDS; s++) {
        const float *rest = stand->strands.positions + 3 * (size_t)s * STRAND_VERTICES;
        float root[3];
        for (int c = 0; c < 3; c++)
            root[c] = bone[4 * c] * rest[0] + bone[4 * c + 1] * rest[1] + bone[4 * c + 2] * rest[2] + bone[4 * c + 3];
        assert_true(distance3(root, positions + 3 * (size_t)s * STRAND_VERTICES) < 1e-4);
    }
}
