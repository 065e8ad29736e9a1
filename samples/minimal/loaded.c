// A host that opens Plait at run time: `loaded [LIBRARY]`, by default wherever the system finds it. It needs no Plait
// to build or to start. See linked.c for what the calls do.
#include <plait_loader.h>

#include <stdio.h>

static int fail(const plait_api *api, const char *what, plait_result result) {
    fprintf(stderr, "%s: %s\n", what, api->plait_result_text(result));
    return 1;
}

static int two_strands(const plait_api *api) {
    plait_context context;
    plait_result result = api->plait_context_create(NULL, &context);
    if (result < 0) return fail(api, "context", result);

    plait_device_desc device_desc = PLAIT_DEVICE_DESC_INIT;
    device_desc.backend = PLAIT_BACKEND_CPU;
    plait_device device;
    result = api->plait_device_open(context, &device_desc, &device);
    if (result < 0) return fail(api, "device", result);

    uint32_t counts[2] = {3, 3};
    float strands[2][3][3] = {{{0.1f, 0, 0}, {0.15f, 0, 0}, {0.2f, 0, 0}},
                              {{-0.1f, 0, 0}, {-0.15f, 0, 0}, {-0.2f, 0, 0}}};
    plait_groom_desc groom_desc = PLAIT_GROOM_DESC_INIT;
    groom_desc.strand_count = 2;
    groom_desc.bone_count = 1;
    groom_desc.vertex_counts = counts;
    groom_desc.positions = &strands[0][0][0];
    plait_groom groom;
    result = api->plait_groom_create(context, &groom_desc, &groom);
    if (result < 0) return fail(api, "groom", result);

    plait_hair_desc hair_desc = PLAIT_HAIR_DESC_INIT;
    hair_desc.groom = groom;
    hair_desc.device = device;
    hair_desc.solver = PLAIT_SOLVER_SHAPE;
    plait_hair hair;
    result = api->plait_hair_create(context, &hair_desc, &hair);
    if (result < 0) return fail(api, "hair", result);

    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 0.05f;
    frame.gravity[1] = -9.81f;
    result = api->plait_hair_step(hair, &frame);
    if (result < 0) return fail(api, "step", result);

    plait_output_attribute position = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    position.attribute = PLAIT_ATTRIBUTE_POSITION;
    position.format = PLAIT_FORMAT_FLOAT32X3;
    position.stride = sizeof strands[0][0];
    plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
    output.attribute_count = 1;
    output.attributes = &position;
    output.memory = strands;
    output.size = sizeof strands;
    result = api->plait_hair_read(hair, &output);
    if (result < 0) return fail(api, "read", result);
    for (int s = 0; s < 2; s++) {
        const float *root = strands[s][0], *tip = strands[s][2];
        printf("strand %d: root %6.3f %6.3f %6.3f  tip %6.3f %6.3f %6.3f\n", s, root[0], root[1], root[2], tip[0],
               tip[1], tip[2]);
    }
    api->plait_hair_destroy(hair);
    api->plait_groom_destroy(groom);
    api->plait_device_close(device);
    result = api->plait_context_destroy(context);
    return result < 0 ? fail(api, "context", result) : 0;
}

int main(int argc, char **argv) {
    plait_api api;
    char why[256];
    if (plait_loader_open(argc > 1 ? argv[1] : NULL, &api, why, sizeof why) < 0) {
        fprintf(stderr, "Plait could not be opened: %s\n", why);
        return 1;
    }
    int status = two_strands(&api);
    plait_loader_close(&api);
    return status;
}
