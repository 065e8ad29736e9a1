// A mesh that the host skins on its GPU: Plait reads it there, in the order of the host's semaphore, and hair moves as with the same
// vertices in host memory.
#include "vulkan_host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRANDS = 40, VERTICES = 12, MESH = 3 * STRANDS, OFFSET = 260, STRIDE = 5, OUTPUT = 1 << 19 };

// A triangle under each strand, in centimetres.
struct patch {
    struct straight strands;
    float rest[MESH][3];
    uint32_t triangles[STRANDS][3];
    plait_groom_mesh_desc mesh;
};

static void patch_make(struct patch *p) {
    p->strands = straight_make(STRANDS, VERTICES, 20, (float[3]){0, 1, 0});
    for (uint32_t i = 0; i < MESH; i++) {
        const float *root = p->strands.positions + 3 * (size_t)(i / 3 * VERTICES);
        float around = 2.1f * (float)(i % 3);
        p->triangles[i / 3][i % 3] = i;
        p->rest[i][0] = root[0] + 4 * cosf(around);
        p->rest[i][1] = root[1];
        p->rest[i][2] = root[2] - 4 * sinf(around);
    }
    p->mesh = (plait_groom_mesh_desc)PLAIT_GROOM_MESH_DESC_INIT;
    p->mesh.vertex_count = MESH;
    p->mesh.triangle_count = STRANDS;
    p->mesh.index_format = PLAIT_INDEX_UINT32;
    p->mesh.position_format = PLAIT_FORMAT_FLOAT32X3;
    p->mesh.indices = p->triangles;
    p->mesh.positions = p->rest;
    p->strands.desc.head.next = &p->mesh;
}

// Each triangle sways on its own; written to every STRIDE-th float.
static void pose(const struct patch *p, int frame, float *to) {
    for (uint32_t i = 0; i < MESH; i++) {
        float t = 0.05f * (float)frame + 0.1f * (float)(i / 3);
        to[STRIDE * i] = p->rest[i][0] + 3 * sinf(t);
        to[STRIDE * i + 1] = p->rest[i][1] + 0.2f * p->rest[i][0] * sinf(2 * t);
        to[STRIDE * i + 2] = p->rest[i][2] * (1 + 0.2f * sinf(t));
    }
}

struct places {
    plait_output_attribute attribute;
    plait_vulkan_output_desc vulkan;
    plait_output_desc desc;
};

static void describe(struct places *d, const struct vulkan_host *h, uint64_t offset, uint64_t stride) {
    d->attribute = (plait_output_attribute)PLAIT_OUTPUT_ATTRIBUTE_INIT;
    d->attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
    d->attribute.format = PLAIT_FORMAT_FLOAT32X3;
    d->attribute.stride = stride;
    d->vulkan = (plait_vulkan_output_desc)PLAIT_VULKAN_OUTPUT_DESC_INIT;
    d->vulkan.device = h->device;
    memcpy(&d->vulkan.buffer, &h->buffer, sizeof d->vulkan.buffer);
    d->vulkan.offset = offset;
    d->desc = (plait_output_desc)PLAIT_OUTPUT_DESC_INIT;
    d->desc.head.next = &d->vulkan;
    d->desc.attribute_count = 1;
    d->desc.attributes = &d->attribute;
    d->desc.size = HOST_BUFFER_BYTES / 2 - 4096;
}

static struct rig_options options_of(const struct patch *p) {
    struct rig_options options = rig_options(&p->strands.desc);
    options.hair.meters_per_unit = 0.01f;
    options.quiet = true;
    return options;
}

static void step_on_cpu(struct rig *rig, const float *vertices, const plait_frame_desc *like) {
    plait_frame_desc frame = *like;
    plait_mesh_pose_desc mesh = PLAIT_MESH_POSE_DESC_INIT;
    mesh.vertex_count = MESH;
    mesh.format = PLAIT_FORMAT_FLOAT32X3;
    mesh.stride = STRIDE * sizeof(float);
    mesh.positions = vertices;
    frame.head.next = &mesh;
    assert_ok(plait_hair_step(rig->hair, &frame));
}

// Centimetres.
static void expect_same(struct rig *cpu, struct rig *gpu) {
    float *a = rig_positions(cpu), *b = rig_positions(gpu);
    double worst = largest_difference(a, b, cpu->vertices);
    assert_true(worst < (test_solver() == PLAIT_SOLVER_HYBRID ? 1e-1 : 1e-3));
    free(a);
    free(b);
}

static void a_mesh_in_the_hosts_buffer_is_read_in_the_hosts_order(void **state) {
    (void)state;
    struct vulkan_host h;
    if (!host_open(&h, false)) skip();
    struct patch p;
    patch_make(&p);
    struct rig_options options = options_of(&p);
    struct rig cpu = rig_open(&options), gpu = rig_open(&options);
    plait_device device = host_open_plait(gpu.context, &h);
    struct places input, output;
    describe(&input, &h, OFFSET, STRIDE * sizeof(float));
    describe(&output, &h, OUTPUT, 12);
    assert_int_equal(plait_hair_set_mesh_input(gpu.hair, &input.desc), PLAIT_ERROR_UNSUPPORTED); // it is on the CPU
    assert_ok(plait_hair_set_device(gpu.hair, device));
    input.attribute.attribute = PLAIT_ATTRIBUTE_TANGENT;
    assert_int_equal(plait_hair_set_mesh_input(gpu.hair, &input.desc), PLAIT_ERROR_INVALID_ARGUMENT);
    input.attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
    input.desc.size = MESH * STRIDE * sizeof(float) - 12;
    assert_int_equal(plait_hair_set_mesh_input(gpu.hair, &input.desc), PLAIT_ERROR_BUFFER_TOO_SMALL);
    input.desc.size = MESH * STRIDE * sizeof(float);
    assert_ok(plait_hair_set_mesh_input(gpu.hair, &input.desc));
    assert_ok(plait_hair_set_output(gpu.hair, &output.desc));

    plait_vulkan_frame_desc sync = PLAIT_VULKAN_FRAME_DESC_INIT;
    plait_mesh_pose_desc there = PLAIT_MESH_POSE_DESC_INIT;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    memcpy(&sync.signal_semaphore, &h.timeline, sizeof sync.signal_semaphore);
    memcpy(&sync.wait_semaphore, &h.timeline, sizeof sync.wait_semaphore);
    there.head.next = &sync;
    frame.head.next = &there;
    frame.gravity[1] = -981;
    frame.dt = 0.012f;
    float vertices[MESH * STRIDE];
    uint64_t value = 0;
    for (int f = 1; f <= 30; f++) {
        frame.origin[0] = f < 15 ? 0 : -5000; // nothing moves in the world, so vertices are 50 m farther away
        sync.wait_value = value + 1;
        sync.signal_value = value = value + 2;
        assert_ok(plait_hair_step(gpu.hair, &frame));
        pose(&p, f, vertices); // after the call: the work waits for it
        for (uint32_t i = 0; i < MESH; i++) vertices[STRIDE * i] -= (float)frame.origin[0];
        memcpy(h.mapped + OFFSET / 4, vertices, sizeof vertices);
        VkSemaphoreSignalInfo skinned = {
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = h.timeline, .value = value - 1};
        assert_int_equal(vkSignalSemaphore(h.device, &skinned), VK_SUCCESS);
        VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                    .semaphoreCount = 1,
                                    .pSemaphores = &h.timeline,
                                    .pValues = &value};
        assert_int_equal(vkWaitSemaphores(h.device, &wait, 10000000000u), VK_SUCCESS);
        step_on_cpu(&cpu, vertices, &frame);
        expect_same(&cpu, &gpu);
    }
    // What is not finite leaves roots where they are.
    float *before = rig_positions(&gpu);
    frame.head.next = &there;
    there.head.next = NULL;
    frame.dt = 0;
    for (uint32_t i = 0; i < MESH; i++) h.mapped[OFFSET / 4 + STRIDE * i + i % 3] = i % 2 ? NAN : INFINITY;
    assert_ok(plait_hair_step(gpu.hair, &frame));
    assert_ok(plait_hair_wait(gpu.hair, UINT64_MAX));
    float *after = rig_positions(&gpu);
    for (uint32_t i = 0; i < STRANDS; i++)
        assert_true(distance3(before + 3 * i * VERTICES, after + 3 * i * VERTICES) < 1e-2);
    free(before);
    free(after);
    assert_int_equal(plait_hair_set_device(gpu.hair, gpu.device), PLAIT_ERROR_UNSUPPORTED); // the CPU cannot read it
    assert_ok(plait_hair_set_mesh_input(gpu.hair, NULL));
    assert_int_equal(plait_hair_step(gpu.hair, &frame), PLAIT_ERROR_INVALID_ARGUMENT); // there is none
    assert_ok(plait_hair_set_output(gpu.hair, NULL));
    assert_ok(plait_hair_set_device(gpu.hair, gpu.device));
    assert_ok(plait_device_close(device));
    rig_close(&cpu);
    rig_close(&gpu);
    straight_free(&p.strands);
    host_close(&h);
}

static void a_mesh_in_external_memory_is_read(void **state) {
    (void)state;
    struct vulkan_host h;
    if (!host_open(&h, true)) skip();
    struct patch p;
    patch_make(&p);
    struct rig_options options = options_of(&p);
    struct rig cpu = rig_open(&options), gpu = rig_open(&options);
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_device device;
    desc.backend = PLAIT_BACKEND_VULKAN;
    assert_ok(plait_device_open(gpu.context, &desc, &device));
    assert_ok(plait_hair_set_device(gpu.hair, device));
    plait_external_memory external = host_export(&h);
    struct places input;
    describe(&input, &h, 0, STRIDE * sizeof(float));
    input.desc.head.next = &external;
    input.attribute.offset = OFFSET;
    input.desc.size = HOST_BUFFER_BYTES;
    assert_ok(plait_hair_set_mesh_input(gpu.hair, &input.desc));
    plait_mesh_pose_desc there = PLAIT_MESH_POSE_DESC_INIT;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.gravity[1] = -981;
    frame.dt = 1.0f / 60;
    for (int f = 1; f <= 10; f++) {
        float *vertices = h.mapped + OFFSET / 4;
        pose(&p, f, vertices);
        frame.head.next = &there;
        assert_ok(plait_hair_step(gpu.hair, &frame));
        assert_ok(plait_hair_wait(gpu.hair, UINT64_MAX));
        step_on_cpu(&cpu, vertices, &frame);
        expect_same(&cpu, &gpu);
    }
    assert_ok(plait_device_close(device));
    rig_close(&cpu);
    rig_close(&gpu);
    straight_free(&p.strands);
    host_close(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_in_the_hosts_buffer_is_read_in_the_hosts_order),
        cmocka_unit_test(a_mesh_in_external_memory_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
