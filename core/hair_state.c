// Saved states: a header, bones, then positions and velocities in host order, so that a blob fits every device.
#include "hair.h"

#include <string.h>

#define STATE_VERSION 1u

struct state_header {
    char magic[8];
    uint32_t version;
    uint32_t solver;
    uint64_t groom_identity;
    uint64_t size;
    uint64_t checksum; // of everything behind the header
    double step_s, meters_per_unit;
    double carry_s, time_s;
    uint64_t step_count;
    uint32_t bone_count, vertex_count;
};

static const char state_magic[8] = "PLAITST";

static uint64_t state_size(const struct hair *hair) {
    return sizeof(struct state_header) + (uint64_t)hair->pose.bone_count * 2 * sizeof(affine) +
           (uint64_t)hair->info.vertex_count * 6 * sizeof(float);
}

static uint64_t checksum(const unsigned char *data, uint64_t size) {
    uint64_t sum = 0xcbf29ce484222325u;
    for (uint64_t i = 0; i < size; i++) sum = (sum ^ data[i]) * 0x100000001b3u;
    return sum;
}

plait_result PLAIT_CALL plait_hair_state_size(plait_hair handle, uint64_t *size) {
    struct call call = {NULL, __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    if (size)
        *size = state_size(hair);
    else
        result = fail(&call, PLAIT_ERROR_INVALID_ARGUMENT, "size is null");
    hair_leave(&call, hair);
    return result;
}

static plait_result save_hair(struct call *call, struct hair *hair, void *memory, uint64_t size) {
    if (!memory) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "memory is null");
    uint64_t needed = state_size(hair);
    if (size < needed)
        return fail(call, PLAIT_ERROR_BUFFER_TOO_SMALL, "size is %llu, the state takes %llu bytes",
                    (unsigned long long)size, (unsigned long long)needed);
    const struct buffer *state[2] = {&hair->buffers[BUFFER_POSITIONS], &hair->buffers[BUFFER_VELOCITIES]};
    size_t bones = hair->pose.bone_count, floats = (size_t)hair->info.vertex_count * 3;
    float *packed = memory_allocate(call->context, 1, (size_t)state[0]->size);
    float *host = memory_allocate(call->context, 2 * floats, sizeof(float));
    plait_result result = PLAIT_OK;
    if (!packed || !host) {
        result = fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory to unpack the state");
    } else {
        for (int i = 0; i < 2; i++) {
            hair->device->ops->buffer_read(hair->device, state[i], 0, packed, state[i]->size);
            packing_gather3(&hair->packing, hair->groom, packed, host + (size_t)i * floats);
        }
        struct state_header header = {.version = STATE_VERSION,
                                      .solver = hair->solver->id,
                                      .groom_identity = hair->groom->info.identity,
                                      .size = needed,
                                      .step_s = hair->clock.step_s,
                                      .meters_per_unit = hair->pose.meters_per_unit,
                                      .carry_s = hair->clock.carry_s,
                                      .time_s = hair->info.time_s,
                                      .step_count = hair->info.step_count,
                                      .bone_count = hair->pose.bone_count,
                                      .vertex_count = hair->info.vertex_count};
        memcpy(header.magic, state_magic, sizeof header.magic);
        unsigned char *body = (unsigned char *)memory + sizeof header, *at = body;
        for (size_t b = 0; b < bones; b++, at += sizeof(affine)) memcpy(at, &hair->pose.current[b].matrix, sizeof(affine));
        memcpy(at, hair->pose.step, bones * sizeof(affine));
        memcpy(at + bones * sizeof(affine), host, 2 * floats * sizeof(float));
        header.checksum = checksum(body, needed - sizeof header);
        memcpy(memory, &header, sizeof header);
    }
    memory_release(call->context, packed);
    memory_release(call->context, host);
    return result;
}

plait_result PLAIT_CALL plait_hair_save(plait_hair handle, void *memory, uint64_t size) {
    struct call call = {NULL, __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = save_hair(&call, hair, memory, size);
    hair_leave(&call, hair);
    return result;
}

static plait_result check_state(struct call *call, const struct hair *hair, const unsigned char *memory, uint64_t size,
                                struct state_header *header) {
    if (!memory) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "memory is null");
    if (size < sizeof *header) return fail(call, PLAIT_ERROR_INVALID_STATE, "size is %llu", (unsigned long long)size);
    memcpy(header, memory, sizeof *header);
    const char *wrong = NULL;
    if (memcmp(header->magic, state_magic, sizeof state_magic) != 0) wrong = "it is not a state";
    else if (header->version != STATE_VERSION) wrong = "it has another version";
    else if (header->solver != hair->solver->id) wrong = "it is of another solver";
    else if (header->groom_identity != hair->groom->info.identity) wrong = "it is of another groom";
    else if (header->step_s != hair->clock.step_s || header->meters_per_unit != hair->pose.meters_per_unit)
        wrong = "step rate, substeps or unit differ";
    else if (header->size != state_size(hair) || header->bone_count != hair->pose.bone_count ||
             header->vertex_count != hair->info.vertex_count || size < header->size)
        wrong = "its size is wrong";
    else if (!(header->carry_s >= 0 && header->carry_s <= header->step_s * 1.001 && header->time_s >= 0 &&
               header->time_s < 1e18))
        wrong = "its clock is wrong";
    else if (checksum(memory + sizeof *header, header->size - sizeof *header) != header->checksum)
        wrong = "it is damaged";
    if (wrong) return fail(call, PLAIT_ERROR_INVALID_STATE, "the state cannot be used: %s", wrong);
    return PLAIT_OK;
}

// A checksum can be forged; what would break the simulation is looked at itself.
static plait_result check_values(struct call *call, const affine *bones, size_t bone_count, const float *values,
                                 size_t value_count) {
    for (size_t b = 0; b < bone_count; b++) {
        float matrix[12];
        for (int i = 0; i < 12; i++) matrix[i] = (float)bones[b].m[i];
        if (check_bone(call, "the state's bones", (uint32_t)b, matrix) != PLAIT_OK) return PLAIT_ERROR_INVALID_STATE;
    }
    for (size_t i = 0; i < value_count; i++)
        if (!is_finite(values[i])) return fail(call, PLAIT_ERROR_INVALID_STATE, "the state is not finite");
    return PLAIT_OK;
}

static plait_result load_hair(struct call *call, struct hair *hair, const unsigned char *memory, uint64_t size) {
    struct state_header header;
    plait_result result = check_state(call, hair, memory, size, &header);
    if (result != PLAIT_OK) return result;
    size_t bones = header.bone_count, floats = (size_t)header.vertex_count * 3;
    struct buffer *state[2] = {&hair->buffers[BUFFER_POSITIONS], &hair->buffers[BUFFER_VELOCITIES]};
    affine *matrices = memory_allocate(call->context, 2 * bones, sizeof *matrices);
    float *host = memory_allocate(call->context, 2 * floats, sizeof(float));
    float *packed = memory_allocate(call->context, 1, (size_t)state[0]->size);
    if (!matrices || !host || !packed) {
        result = fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory to pack the state");
    } else {
        memcpy(matrices, memory + sizeof header, 2 * bones * sizeof *matrices);
        memcpy(host, memory + sizeof header + 2 * bones * sizeof *matrices, 2 * floats * sizeof(float));
        result = check_values(call, matrices, 2 * bones, host, 2 * floats);
    }
    if (result == PLAIT_OK) {
        for (int i = 0; i < 2; i++) { // packed keeps padding at zero, which is as good as anything finite
            packing_scatter3(&hair->packing, hair->groom, host + (size_t)i * floats, packed);
            hair->device->ops->buffer_write(hair->device, state[i], 0, packed, state[i]->size);
        }
        pose_set_matrices(&hair->pose, matrices);
        pose_end_frame(&hair->pose);
        memcpy(hair->pose.step, matrices + bones, bones * sizeof *matrices);
        memcpy(hair->pose.before, matrices + bones, bones * sizeof *matrices);
        hair->clock.carry_s = header.carry_s;
        hair->info.time_s = header.time_s;
        hair->info.step_count = header.step_count;
        hair->history_valid = false;
        pose_skin_step(&hair->pose);
        hair_write(hair, BUFFER_BONES_STEP, hair->pose.skin, hair->buffers[BUFFER_BONES_STEP].size);
        result = hair_run(call, hair, PLAN_ROOTS);
    }
    memory_release(call->context, matrices);
    memory_release(call->context, host);
    memory_release(call->context, packed);
    return result;
}

plait_result PLAIT_CALL plait_hair_load(plait_hair handle, const void *memory, uint64_t size) {
    struct call call = {NULL, __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = load_hair(&call, hair, memory, size);
    hair_leave(&call, hair);
    return result;
}
