// A host in C, to compare those in other languages with: host SOLVER FILE writes strands; host bench prints what calls cost.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scene.h"

static void open_hair(uint32_t solver, uint32_t strand_count);
static int run(uint32_t solver, const char *path);
static int bench(void);

static plait_context context;
static plait_hair hair;
static float strands[STRANDS][VERTICES][3];

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "bench") == 0) return bench();
    if (argc == 3 && strcmp(argv[1], "shape") == 0) return run(PLAIT_SOLVER_SHAPE, argv[2]);
    if (argc == 3 && strcmp(argv[1], "hybrid") == 0) return run(PLAIT_SOLVER_HYBRID, argv[2]);
    fputs("host shape|hybrid FILE, or host bench\n", stderr);
    return 2;
}

static void need(plait_result result, const char *what) {
    if (result >= 0) return;
    fprintf(stderr, "%s: %s\n", what, plait_result_text(result));
    exit(1);
}
#define NEED(call) need(call, #call)

static int run(uint32_t solver, const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file) return 1;
    open_hair(solver, STRANDS);
    for (int i = 1; i <= FRAMES; i++) {
        float bones[BONES * 12];
        plait_frame_desc frame;
        scene_frame(i, bones, &frame);
        NEED(plait_hair_step(hair, &frame));
        if (i % EVERY == 0 && fwrite(strands, sizeof strands, 1, file) != 1) return 1;
    }
    NEED(plait_context_destroy(context));
    return fclose(file) != 0;
}

static void open_hair(uint32_t solver, uint32_t strand_count) {
    plait_context_desc context_desc = PLAIT_CONTEXT_DESC_INIT;
    context_desc.thread_count = 1;
    NEED(plait_context_create(&context_desc, &context));
    plait_device_desc device_desc = PLAIT_DEVICE_DESC_INIT;
    device_desc.backend = PLAIT_BACKEND_CPU;
    plait_device device;
    NEED(plait_device_open(context, &device_desc, &device));

    uint32_t counts[STRANDS];
    for (int s = 0; s < STRANDS; s++) counts[s] = VERTICES;
    float positions[STRANDS * VERTICES * 3];
    scene_groom(positions);
    plait_groom_desc groom_desc = PLAIT_GROOM_DESC_INIT;
    groom_desc.strand_count = strand_count;
    groom_desc.bone_count = BONES;
    groom_desc.vertex_counts = counts;
    groom_desc.positions = positions;
    plait_groom groom;
    NEED(plait_groom_create(context, &groom_desc, &groom));
    plait_collider colliders[2];
    scene_colliders(colliders);
    plait_body_desc body_desc = PLAIT_BODY_DESC_INIT;
    body_desc.bone_count = BONES;
    body_desc.collider_count = 2;
    body_desc.colliders = colliders;
    plait_body body;
    NEED(plait_body_create(context, &body_desc, &body));

    plait_hair_desc hair_desc = PLAIT_HAIR_DESC_INIT;
    hair_desc.groom = groom;
    hair_desc.device = device;
    hair_desc.body = body;
    hair_desc.solver = solver;
    NEED(plait_hair_create(context, &hair_desc, &hair));
    plait_output_attribute position = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    position.attribute = PLAIT_ATTRIBUTE_POSITION;
    position.format = PLAIT_FORMAT_FLOAT32X3;
    position.stride = sizeof strands[0][0];
    plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
    output.attribute_count = 1;
    output.attributes = &position;
    output.memory = strands;
    output.size = sizeof strands;
    NEED(plait_hair_set_output(hair, &output));
}

static double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

// The same calls as in bench_calls.py and Scene.cs, as many times, with one strand: a step is little more than its call.
static int bench(void) {
    open_hair(PLAIT_SOLVER_SHAPE, 1);
    double before = now_us();
    for (int i = 0; i < 50000; i++) {
        plait_hair_info info = PLAIT_HAIR_INFO_INIT;
        NEED(plait_hair_query(hair, &info));
    }
    printf("query %.4f\n", (now_us() - before) / 50000);
    before = now_us();
    for (int i = 1; i <= 20000; i++) {
        float bones[BONES * 12];
        plait_frame_desc frame;
        scene_frame(i, bones, &frame);
        NEED(plait_hair_step(hair, &frame));
    }
    printf("step %.4f\n", (now_us() - before) / 20000);
    return 0;
}
