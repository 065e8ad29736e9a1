// See host.h.
#include "host.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void PLAIT_CALL print_message(void *user, uint32_t level, int32_t id, const char *text);

bool host_context(uint32_t thread_count, plait_context *context) {
    plait_logger logger = PLAIT_LOGGER_INIT;
    logger.log = print_message;
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    desc.logger = &logger;
    desc.thread_count = thread_count;
    return host_check(plait_context_create(&desc, context), "plait_context_create");
}

bool host_open(const host_options *options, host *h) {
    memset(h, 0, sizeof *h);
    if (!host_context(options->thread_count, &h->context)) return false;
    plait_device_cpu_desc cpu = PLAIT_DEVICE_CPU_DESC_INIT;
    cpu.instruction_set = options->instruction_set;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = options->backend;
    if (options->instruction_set != PLAIT_CPU_AUTO) desc.head.next = &cpu;
    h->device_info = (plait_device_info)PLAIT_DEVICE_INFO_INIT;
    if (host_check(plait_device_open(h->context, &desc, &h->device), "plait_device_open") &&
        host_check(plait_device_query(h->device, &h->device_info), "plait_device_query"))
        return true;
    host_close(h);
    return false;
}

bool host_grow(host *h, const host_hair *hair) {
    plait_groom_desc groom_desc;
    plait_body_desc body_desc;
    plait_groom groom = {0};
    plait_body body = {0};
    scene_groom_describe(hair->groom, &groom_desc);
    if (hair->bone_count) {
        groom_desc.bone_count = hair->bone_count;
        groom_desc.bind_pose = hair->bind_pose;
    }
    bool grown = host_check(plait_groom_create(h->context, &groom_desc, &groom), "plait_groom_create");
    if (grown && hair->body) {
        scene_body_describe(hair->body, &body_desc);
        if (hair->bone_count) body_desc.bone_count = hair->bone_count;
        grown = host_check(plait_body_create(h->context, &body_desc, &body), "plait_body_create");
    }
    if (grown) {
        plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
        desc.groom = groom;
        desc.device = h->device;
        desc.body = body;
        desc.solver = hair->solver ? hair->solver : PLAIT_SOLVER_SHAPE;
        desc.params_count = hair->params ? 1 : 0;
        desc.params = hair->params;
        desc.step_rate_hz = hair->step_rate_hz;
        desc.substeps = hair->substeps;
        desc.flags = hair->flags;
        grown = host_check(plait_hair_create(h->context, &desc, &h->hair), "plait_hair_create");
    }
    if (grown && hair->hair_hair) {
        plait_volume_params volume = PLAIT_VOLUME_PARAMS_INIT;
        grown = host_check(plait_volume_params_default(1, &volume), "plait_volume_params_default");
        volume.model = hair->hair_hair;
        grown = grown && host_check(plait_hair_set_volume(h->hair, &volume), "plait_hair_set_volume");
    }
    // The hair keeps what it needs of both.
    if (body.id) plait_body_destroy(body);
    if (groom.id) plait_groom_destroy(groom);
    return grown;
}

void host_close(host *h) {
    if (h->hair.id) plait_hair_destroy(h->hair);
    if (h->device.id) plait_device_close(h->device);
    if (h->context.id) host_check(plait_context_destroy(h->context), "plait_context_destroy");
    memset(h, 0, sizeof *h);
}

void host_describe_output(uint32_t vertices, uint32_t floats, float *memory, host_output *output) {
    output->attribute = (plait_output_attribute)PLAIT_OUTPUT_ATTRIBUTE_INIT;
    output->attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
    output->attribute.format = floats == 4 ? PLAIT_FORMAT_FLOAT32X4 : PLAIT_FORMAT_FLOAT32X3;
    output->attribute.stride = floats * sizeof(float);
    output->desc = (plait_output_desc)PLAIT_OUTPUT_DESC_INIT;
    output->desc.attribute_count = 1;
    output->desc.attributes = &output->attribute;
    output->desc.memory = memory;
    output->desc.size = (uint64_t)vertices * floats * sizeof(float);
}

bool host_check(plait_result result, const char *call) {
    if (result < 0) fprintf(stderr, "plait: %s: %s\n", call, plait_result_text(result));
    return result >= 0;
}

double host_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void PLAIT_CALL print_message(void *user, uint32_t level, int32_t id, const char *text) {
    (void)user, (void)id;
    fprintf(stderr, "plait: %s: %s\n", level >= PLAIT_LOG_ERROR ? "error" : "warning", text);
}
