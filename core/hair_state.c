// Saved states: a header, bones, then positions and velocities in host order, so that a blob fits every device.
#include "bone.h"
#include "hair.h"
#include "hash.h"

#include <stddef.h>
#include <string.h>

#define ROWS_AT_A_TIME 64
#define MAX_PACK_WIDTH 32

#define STATE_VERSION 2u // 2: and what output between two steps depends on

struct state_header {
    char magic[8];
    uint64_t checksum; // of everything behind it
    uint32_t version;
    uint32_t solver;
    uint64_t groom_identity;
    uint64_t size;
    double meters_per_unit;
    double carry_s, time_s;
    uint64_t substep_count;
    uint32_t bone_count, vertex_count;
    double aligned_s;
    uint32_t between_steps, snapshot_valid; // 0 or 1
};
// Behind the header: bones (current, of the last step, of the one before), positions, velocities, positions before the last
// step (zero where they are not valid), and what else the solver has.
enum state_bones { BONES_CURRENT, BONES_STEP, BONES_BEFORE, BONES_COUNT };

static const char state_magic[8] = "PLAITST";
#define CHECKSUM_FROM offsetof(struct state_header, version)

static uint64_t bones_offset(const struct hair *hair, enum state_bones which) {
    return sizeof(struct state_header) + (uint64_t)which * hair->pose.bone_count * sizeof(affine);
}

static uint64_t values_offset(const struct hair *hair, int which) {
    return bones_offset(hair, BONES_COUNT) + (uint64_t)which * hair->info.vertex_count * 3 * sizeof(float);
}

static uint64_t state_size(const struct hair *hair) {
    return values_offset(hair, 3) + (uint64_t)hair->info.vertex_count * hair->solver->spin_rows * sizeof(float);
}

// Between the device and a state's values.
static plait_result copy_state(struct hair *hair, unsigned char *memory, bool to_device) {
    const struct {
        enum hair_buffer which;
        uint32_t components;
    } parts[] = {
        {BUFFER_POSITIONS, 3}, {BUFFER_VELOCITIES, 3}, {BUFFER_SNAPSHOT, 3}, {BUFFER_SPIN, hair->solver->spin_rows}};
    plait_result result = PLAIT_OK;
    for (int i = 0; i < 4 && result == PLAIT_OK; i++)
        if (parts[i].components)
            result = hair_copy_values(hair->groom, &hair->on, parts[i].which, parts[i].components,
                                      memory + values_offset(hair, i), to_device);
    return result;
}

plait_result PLAIT_CALL plait_hair_state_size(plait_hair handle, uint64_t *size) {
    struct call call = {.function = __func__};
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

// Some rows at a time.
plait_result hair_copy_values(const struct groom *groom, struct placement *on, enum hair_buffer which,
                              uint32_t components, unsigned char *host, bool to_device) {
    const struct packing *packing = &on->packing;
    float rows[3 * ROWS_AT_A_TIME * MAX_PACK_WIDTH];
    uint32_t width = packing->width;
    plait_result result = PLAIT_OK;
    for (uint32_t pack = 0; pack < packing->pack_count; pack++) {
        uint32_t first = packing->table[pack * PACK_UINTS + PACK_FIRST];
        uint32_t vertices = packing->table[pack * PACK_UINTS + PACK_VERTICES];
        for (uint32_t begin = 0; begin < vertices && result == PLAIT_OK; begin += ROWS_AT_A_TIME) {
            uint32_t count = vertices - begin < ROWS_AT_A_TIME ? vertices - begin : ROWS_AT_A_TIME;
            uint64_t offset = (uint64_t)(first + begin) * components * width * sizeof(float);
            uint64_t size = (uint64_t)count * components * width * sizeof(float);
            if (to_device)
                memset(rows, 0, size);
            else
                result = on->device->ops->buffer_read(&on->buffers[which], offset, rows, size);
            if (result != PLAIT_OK) return result; // there is nothing in rows
            for (uint32_t lane = 0; lane < width; lane++) {
                uint32_t strand = packing->strands[pack * width + lane];
                for (uint32_t v = 0; strand != NO_STRAND && v < count; v++) {
                    if (begin + v >= groom->vertex_counts[strand]) break;
                    unsigned char *at =
                        host + ((uint64_t)groom->first_vertex[strand] + begin + v) * components * sizeof(float);
                    for (uint32_t c = 0; c < components; c++) {
                        float *value = &rows[(components * v + c) * width + lane];
                        if (to_device)
                            memcpy(value, at + c * sizeof(float), sizeof(float));
                        else
                            memcpy(at + c * sizeof(float), value, sizeof(float));
                    }
                }
            }
            if (to_device) result = on->device->ops->buffer_write(&on->buffers[which], offset, rows, size);
        }
    }
    return result;
}

static plait_result save_hair(struct call *call, struct hair *hair, unsigned char *memory, uint64_t size) {
    if (!memory) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "memory is null");
    uint64_t needed = state_size(hair);
    if (size < needed)
        return fail(call, PLAIT_ERROR_BUFFER_TOO_SMALL, "size is %llu, the state takes %llu bytes",
                    (unsigned long long)size, (unsigned long long)needed);
    struct state_header header = {.version = STATE_VERSION,
                                  .solver = hair->solver->id,
                                  .groom_identity = hair->groom->info.identity,
                                  .size = needed,
                                  .meters_per_unit = hair->pose.meters_per_unit,
                                  .carry_s = hair->clock.carry_s,
                                  .time_s = hair->info.time_s,
                                  .substep_count = hair->substep_count,
                                  .bone_count = hair->pose.bone_count,
                                  .vertex_count = hair->info.vertex_count,
                                  .aligned_s = hair->aligned_s,
                                  .between_steps = hair->between_steps,
                                  .snapshot_valid = hair->snapshot_valid};
    memcpy(header.magic, state_magic, sizeof header.magic);
    memcpy(memory, &header, sizeof header);
    for (uint32_t b = 0; b < header.bone_count; b++) {
        const affine *bones[BONES_COUNT] = {&hair->pose.current[b].matrix, &hair->pose.step[b], &hair->pose.before[b]};
        for (int i = 0; i < BONES_COUNT; i++)
            memcpy(memory + bones_offset(hair, i) + b * sizeof(affine), bones[i], sizeof(affine));
    }
    plait_result result = copy_state(hair, memory, false);
    if (!hair->snapshot_valid)
        memset(memory + values_offset(hair, 2), 0, values_offset(hair, 3) - values_offset(hair, 2));
    // A lost device still gives what was rescued from it, which is older than the clock and the bones.
    uint64_t tag;
    const struct device_ops *ops = hair->on.device->ops;
    if (ops->lost && ops->lost(hair->on.arena, &tag)) result = PLAIT_ERROR_DEVICE_LOST;
    if (result != PLAIT_OK) return fail(call, result, "the device could not be read");
    header.checksum = hash_bytes(HASH_START, memory + CHECKSUM_FROM, needed - CHECKSUM_FROM);
    memcpy(memory, &header, sizeof header);
    return PLAIT_OK;
}

plait_result PLAIT_CALL plait_hair_save(plait_hair handle, void *memory, uint64_t size) {
    struct call call = {.function = __func__};
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
    if (memcmp(header->magic, state_magic, sizeof state_magic) != 0)
        wrong = "it is not a state";
    else if (header->version != STATE_VERSION)
        wrong = "it has another version";
    else if (header->solver != hair->solver->id)
        wrong = "it is of another solver";
    else if (header->groom_identity != hair->groom->info.identity)
        wrong = "it is of another groom";
    else if (header->meters_per_unit != hair->pose.meters_per_unit)
        wrong = "its unit differs";
    else if (header->size != state_size(hair) || header->bone_count != hair->pose.bone_count ||
             header->vertex_count != hair->info.vertex_count || size < header->size)
        wrong = "its size is wrong";
    else if (hash_bytes(HASH_START, memory + CHECKSUM_FROM, header->size - CHECKSUM_FROM) != header->checksum)
        wrong = "it is damaged";
    else if (!(header->carry_s >= 0 && header->carry_s <= 1.001 && header->time_s >= 0 && header->time_s < 1e18 &&
               header->aligned_s >= 0 && header->aligned_s <= MAX_ALIGNED_S && header->between_steps <= 1 &&
               header->snapshot_valid <= 1))
        wrong = "its clock is wrong";
    if (wrong) return fail(call, PLAIT_ERROR_INVALID_STATE, "the state cannot be used: %s", wrong);
    return PLAIT_OK;
}

// A checksum can be forged; what would break the simulation is looked at itself.
static plait_result check_values(struct call *call, const struct hair *hair, const unsigned char *memory) {
    for (uint32_t b = 0; b < BONES_COUNT * hair->pose.bone_count; b++) {
        affine bone;
        float matrix[12]; // in host units, as check_bone has it
        memcpy(&bone, memory + bones_offset(hair, BONES_CURRENT) + b * sizeof bone, sizeof bone);
        for (int i = 0; i < 12; i++) matrix[i] = (float)(bone.m[i] / (i % 4 == 3 ? hair->pose.meters_per_unit : 1));
        if (check_bone(call, "the state's bones", b, matrix) != PLAIT_OK) return PLAIT_ERROR_INVALID_STATE;
    }
    uint64_t end = state_size(hair);
    for (uint64_t at = values_offset(hair, 0); at < end; at += sizeof(float)) {
        float value;
        memcpy(&value, memory + at, sizeof value);
        if (!is_finite(value)) return fail(call, PLAIT_ERROR_INVALID_STATE, "the state is not finite");
    }
    return PLAIT_OK;
}

static plait_result load_hair(struct call *call, struct hair *hair, const unsigned char *memory, uint64_t size) {
    struct state_header header;
    plait_result result = check_state(call, hair, memory, size, &header);
    if (result == PLAIT_OK) result = check_values(call, hair, memory);
    if (result != PLAIT_OK) return result;
    result = copy_state(hair, (unsigned char *)(uintptr_t)memory, true); // only read from
    if (result != PLAIT_OK) return fail(call, result, "the device could not be written");
    for (uint32_t b = 0; b < header.bone_count; b++) {
        affine current;
        memcpy(&current, memory + bones_offset(hair, BONES_CURRENT) + b * sizeof current, sizeof current);
        pose_set_matrix(&hair->pose, b, &current);
        memcpy(&hair->pose.step[b], memory + bones_offset(hair, BONES_STEP) + b * sizeof current, sizeof current);
        memcpy(&hair->pose.before[b], memory + bones_offset(hair, BONES_BEFORE) + b * sizeof current, sizeof current);
    }
    pose_end_frame(&hair->pose);
    // A hair of longer steps may have more left over than one of ours.
    hair->clock.carry_s = header.carry_s < hair->clock.step_s ? header.carry_s : hair->clock.step_s;
    hair->info.time_s = header.time_s;
    hair->substep_count = header.substep_count;
    hair->info.step_count = header.substep_count / hair->substeps;
    hair->history_valid = false;
    hair->aligned_s = header.aligned_s;
    hair->between_steps = header.between_steps;
    hair->snapshot_valid = header.snapshot_valid;
    result = hair_replay_roots(call, hair);
    return result == PLAIT_OK ? hair_rescue(call, hair) : result;
}

plait_result PLAIT_CALL plait_hair_load(plait_hair handle, const void *memory, uint64_t size) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = load_hair(&call, hair, memory, size);
    hair_leave(&call, hair);
    return result;
}
