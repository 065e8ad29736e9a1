#include "metres.h"

#include <stdlib.h>
#include <string.h>

/* Swapping y and z makes z up y up and left-handed axes right-handed. */
static void to_metres(const double from[3], double to[3]) {
    to[0] = from[0] / 100;
    to[1] = from[2] / 100;
    to[2] = from[1] / 100;
}

/* The map that takes origin and axes of ours, a metre long, to where those of the bone are. Our y is Unreal's z. */
static void matrix_of(const metres_bone *bone, float m[12]) {
    static const int axes[3] = {1, 3, 2};
    double origin[3];
    to_metres(bone->points[0], origin);
    for (int column = 0; column < 3; column++) {
        double end[3];
        to_metres(bone->points[axes[column]], end);
        for (int row = 0; row < 3; row++) m[4 * row + column] = (float)((end[row] - origin[row]) * 100);
    }
    for (int row = 0; row < 3; row++) m[4 * row + 3] = (float)origin[row];
}

static float *matrices_of(const metres_bone *bones, uint32_t count) {
    float *m = malloc(sizeof(float[12]) * count);
    for (uint32_t i = 0; m && i < count; i++) matrix_of(&bones[i], m + 12 * i);
    return m;
}

static int make_groom(metres_host *host, const metres_setup *setup, plait_groom *groom) {
    uint32_t *counts = malloc(sizeof *counts * setup->strand_count);
    float *positions = malloc(sizeof(float[3]) * host->vertex_count);
    float *bind = matrices_of(setup->bind_pose, setup->bone_count);
    int result = PLAIT_ERROR_OUT_OF_MEMORY;
    if (counts && positions && bind) {
        for (uint32_t i = 0; i < setup->strand_count; i++) counts[i] = setup->vertices;
        for (uint32_t i = 0; i < host->vertex_count; i++) {
            double point[3], converted[3];
            for (int k = 0; k < 3; k++) point[k] = setup->positions[3 * i + k];
            to_metres(point, converted);
            for (int k = 0; k < 3; k++) positions[3 * i + k] = (float)converted[k];
        }
        plait_group_desc group = PLAIT_GROUP_DESC_INIT;
        group.radius = setup->radius / 100;
        plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
        desc.strand_count = setup->strand_count;
        desc.bone_count = setup->bone_count;
        desc.vertex_counts = counts;
        desc.positions = positions;
        desc.bind_pose = bind;
        desc.groups = &group;
        desc.group_count = 1;
        result = host->api->plait_groom_create(host->context, &desc, groom);
    }
    free(counts);
    free(positions);
    free(bind);
    return result;
}

static int make_body(metres_host *host, const metres_setup *setup, plait_body *body) {
    plait_collider colliders[16];
    if (setup->capsule_count == 0) return PLAIT_OK;
    if (setup->capsule_count > 16) return PLAIT_ERROR_TOO_LARGE;
    for (uint32_t i = 0; i < setup->capsule_count; i++) {
        plait_collider collider = PLAIT_COLLIDER_INIT;
        collider.kind = PLAIT_COLLIDER_CAPSULE;
        collider.bone = setup->capsules[i].bone;
        collider.friction = setup->friction;
        for (int end = 0; end < 2; end++) {
            double point[3];
            to_metres(setup->capsules[i].ends[end], point);
            for (int k = 0; k < 3; k++) collider.points[end][k] = (float)point[k];
            collider.radii[end] = (float)(setup->capsules[i].radii[end] / 100);
        }
        colliders[i] = collider;
    }
    plait_body_desc desc = PLAIT_BODY_DESC_INIT;
    desc.bone_count = setup->bone_count;
    desc.collider_count = setup->capsule_count;
    desc.colliders = colliders;
    return host->api->plait_body_create(host->context, &desc, body);
}

int metres_open(metres_host *host, const plait_api *api, const metres_setup *setup) {
    memset(host, 0, sizeof *host);
    host->api = api;
    host->vertex_count = setup->strand_count * setup->vertices;
    host->bone_count = setup->bone_count;
    plait_device_desc cpu = PLAIT_DEVICE_DESC_INIT;
    cpu.backend = PLAIT_BACKEND_CPU;
    plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
    int result = api->plait_context_create(NULL, &host->context);
    if (result >= 0) result = api->plait_device_open(host->context, &cpu, &desc.device);
    if (result >= 0) result = make_groom(host, setup, &desc.groom);
    if (result >= 0) result = make_body(host, setup, &desc.body);
    if (result < 0) return result;
    float *bones = matrices_of(setup->start, setup->bone_count);
    desc.solver = setup->solver;
    desc.bones = bones;
    plait_hybrid_params rods = PLAIT_HYBRID_PARAMS_INIT;
    if (setup->solver == PLAIT_SOLVER_HYBRID) {
        api->plait_hybrid_params_default(1, &rods);
        rods.rest_gravity[1] = -9.8f;
        desc.params_count = 1;
        desc.params = &rods;
    }
    result = bones ? api->plait_hair_create(host->context, &desc, &host->hair) : PLAIT_ERROR_OUT_OF_MEMORY;
    free(bones);
    return result;
}

int metres_step(metres_host *host, double dt, const metres_bone *bones, const double wind[3]) {
    float *matrices = matrices_of(bones, host->bone_count);
    if (!matrices) return PLAIT_ERROR_OUT_OF_MEMORY;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = (float)dt;
    frame.bone_count = host->bone_count;
    frame.bones = matrices;
    frame.gravity[1] = -9.8f;
    double air[3];
    to_metres(wind, air);
    for (int k = 0; k < 3; k++) frame.wind[k] = (float)air[k];
    int result = host->api->plait_hair_step(host->hair, &frame);
    free(matrices);
    return result;
}

int metres_read(metres_host *host, double *positions) {
    float *memory = malloc(sizeof(float[3]) * host->vertex_count);
    if (!memory) return PLAIT_ERROR_OUT_OF_MEMORY;
    plait_output_attribute attribute = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
    attribute.format = PLAIT_FORMAT_FLOAT32X3;
    attribute.stride = sizeof(float[3]);
    plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
    output.attribute_count = 1;
    output.attributes = &attribute;
    output.memory = memory;
    output.size = sizeof(float[3]) * host->vertex_count;
    int result = host->api->plait_hair_read(host->hair, &output);
    for (uint32_t i = 0; result >= 0 && i < host->vertex_count; i++) {
        positions[3 * i] = 100.0 * memory[3 * i];
        positions[3 * i + 1] = 100.0 * memory[3 * i + 2];
        positions[3 * i + 2] = 100.0 * memory[3 * i + 1];
    }
    free(memory);
    return result;
}

void metres_close(metres_host *host) {
    if (host->context.id) host->api->plait_context_destroy(host->context);
    memset(host, 0, sizeof *host);
}
