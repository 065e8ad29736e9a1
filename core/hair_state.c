// Saved states: a header, bones, then the state in host order, so that a blob fits every device.
#include "bone.h"
#include "hair.h"
#include "hash.h"

#include <stddef.h>
#include <string.h>

#define ROWS_AT_A_TIME 64
#define MAX_PACK_WIDTH 32

#define STATE_VERSION 3u // 2: and what output between two steps depends on; 3: and the origin

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
    double origin[3], host_origin[3];       // m, see struct pose: bones and positions are relative to the first
    uint32_t host_origin_known;             // 0 or 1
    uint32_t mesh_step_is_current;          // 0 or 1, see struct mesh_pose; 0 without a mesh
};
// Behind the header: bones (current, of the last step, of the one before), then all data with the role of state or trail, in
// the order of their lists (a trail that is not valid is zero).
enum state_bones { BONES_CURRENT, BONES_STEP, BONES_BEFORE, BONES_COUNT };

static const char state_magic[8] = "PLAITST";
#define CHECKSUM_FROM offsetof(struct state_header, version)

static uint64_t bones_offset(const struct hair *hair, enum state_bones which) {
    return sizeof(struct state_header) + (uint64_t)which * hair->pose.bone_count * sizeof(affine);
}

static bool is_saved(const struct data_decl *decl) { return decl->role == DATA_STATE || decl->role == DATA_TRAIL; }

static uint64_t state_size(const struct hair *hair) {
    uint64_t size = bones_offset(hair, BONES_COUNT);
    for (uint32_t s = 0; s < MAX_SETS; s++)
        for (uint32_t i = 0; i < hair->on.sets[s].count; i++)
            if (is_saved(&hair->on.sets[s].decls[i])) size += data_host_bytes(hair, &hair->on.sets[s].decls[i]);
    return size;
}

// Between the device and a state's values.
static plait_result copy_state(struct hair *hair, unsigned char *memory, bool to_device) {
    unsigned char *at = memory + bones_offset(hair, BONES_COUNT);
    plait_result result = PLAIT_OK;
    for (uint32_t s = 0; s < MAX_SETS; s++)
        for (uint32_t i = 0; i < hair->on.sets[s].count && result == PLAIT_OK; i++) {
            const struct data_decl *decl = &hair->on.sets[s].decls[i];
            if (!is_saved(decl)) continue;
            uint64_t size = data_host_bytes(hair, decl);
            if (!to_device && decl->role == DATA_TRAIL && !hair->snapshot_valid)
                memset(at, 0, size);
            else
                result = hair_copy_data(hair, &hair->on, s, i, at, to_device);
            at += size;
        }
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

uint64_t data_host_bytes(const struct hair *hair, const struct data_decl *decl) {
    uint64_t words = decl->rows;
    if (decl->per == PER_VERTEX) words *= hair->info.vertex_count;
    if (decl->per == PER_STRAND) words *= hair->info.strand_count;
    return words * sizeof(uint32_t);
}

// Rows of one pack, some at a time: `rows` for each vertex up to `vertices`, `at` the first of them on the device.
struct pack_copy {
    const struct groom *groom;
    struct placement *on;
    struct buffer *buffer;
    uint32_t pack, vertices, rows;
    bool per_vertex;
    uint64_t at;
};

static plait_result copy_pack(const struct pack_copy *c, unsigned char *host, bool to_device) {
    const struct packing *packing = &c->on->packing;
    const struct device_ops *ops = c->on->device->ops;
    uint32_t words[ROWS_AT_A_TIME * MAX_PACK_WIDTH], width = packing->width, all = c->vertices * c->rows;
    for (uint32_t begin = 0; begin < all; begin += ROWS_AT_A_TIME) {
        uint32_t count = all - begin < ROWS_AT_A_TIME ? all - begin : ROWS_AT_A_TIME;
        uint64_t offset = (c->at + begin) * width * sizeof words[0], size = (uint64_t)count * width * sizeof words[0];
        plait_result result = PLAIT_OK;
        if (to_device)
            memset(words, 0, size);
        else
            result = ops->buffer_read(c->buffer, offset, words, size);
        if (result != PLAIT_OK) return result; // there is nothing in words
        for (uint32_t lane = 0; lane < width; lane++) {
            uint32_t strand = packing->strands[c->pack * width + lane];
            if (strand == NO_STRAND) continue;
            uint64_t first = c->per_vertex ? c->groom->first_vertex[strand] : strand;
            uint32_t end = c->per_vertex ? c->groom->vertex_counts[strand] * c->rows : c->rows;
            for (uint32_t r = begin; r < begin + count && r < end; r++) {
                uint32_t *word = &words[(r - begin) * width + lane];
                unsigned char *value = host + (first * c->rows + r) * sizeof *word;
                if (to_device)
                    memcpy(word, value, sizeof *word);
                else
                    memcpy(value, word, sizeof *word);
            }
        }
        if (to_device) result = ops->buffer_write(c->buffer, offset, words, size);
        if (result != PLAIT_OK) return result;
    }
    return PLAIT_OK;
}

plait_result hair_copy_data(const struct hair *hair, struct placement *on, uint32_t set, uint32_t index,
                            unsigned char *host, bool to_device) {
    const struct data_decl *decl = &on->sets[set].decls[index];
    struct buffer *buffer = &on->sets[set].buffers[index];
    const struct device_ops *ops = on->device->ops;
    if (decl->per == FIXED)
        return to_device ? ops->buffer_write(buffer, 0, host, buffer->size)
                         : ops->buffer_read(buffer, 0, host, buffer->size);
    plait_result result = PLAIT_OK;
    for (uint32_t pack = 0; pack < on->packing.pack_count && result == PLAIT_OK; pack++) {
        const uint32_t *table = &on->packing.table[pack * PACK_UINTS];
        bool per_vertex = decl->per == PER_VERTEX;
        struct pack_copy copy = {.groom = hair->groom,
                                 .on = on,
                                 .buffer = buffer,
                                 .pack = pack,
                                 .vertices = per_vertex ? table[PACK_VERTICES] : 1,
                                 .rows = decl->rows,
                                 .per_vertex = per_vertex,
                                 .at = (uint64_t)decl->rows * (per_vertex ? table[PACK_FIRST] : pack)};
        result = copy_pack(&copy, host, to_device);
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
                                  .snapshot_valid = hair->snapshot_valid,
                                  .host_origin_known = hair->pose.host_origin_known,
                                  .mesh_step_is_current = hair->groom->mesh && hair->mesh.step_is_current};
    memcpy(header.origin, hair->pose.origin, sizeof header.origin);
    memcpy(header.host_origin, hair->pose.host_origin, sizeof header.host_origin);
    memcpy(header.magic, state_magic, sizeof header.magic);
    memcpy(memory, &header, sizeof header);
    for (uint32_t b = 0; b < header.bone_count; b++) {
        const struct pose_bone *bone = &hair->pose.bones[b];
        const affine *current = &bone->current.matrix;
        const affine *bones[BONES_COUNT] = {current, bone->used ? &bone->step : current,
                                            bone->used ? &bone->before : current};
        for (int i = 0; i < BONES_COUNT; i++)
            memcpy(memory + bones_offset(hair, i) + b * sizeof(affine), bones[i], sizeof(affine));
    }
    plait_result result = copy_state(hair, memory, false);
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

// Farther than the largest origin and the largest scale of bones can take a groom; and still a float.
#define MAX_DISTANCE_M 1e30

static bool distance_sound(double metres) { return is_finite_double(metres) && fabs(metres) < MAX_DISTANCE_M; }

static bool origin_sound(const struct hair *hair, const struct state_header *header) {
    for (int c = 0; c < 3; c++)
        if (!distance_sound(header->origin[c]) || !distance_sound(header->host_origin[c])) return false;
    return header->host_origin_known <= 1 && header->mesh_step_is_current <= (hair->groom->mesh ? 1 : 0);
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
    else if (!origin_sound(hair, header))
        wrong = "its origin is wrong";
    if (wrong) return fail(call, PLAIT_ERROR_INVALID_STATE, "the state cannot be used: %s", wrong);
    return PLAIT_OK;
}

// A checksum can be forged; what would break the simulation is looked at itself.
static plait_result check_values(struct call *call, const struct hair *hair, const unsigned char *memory) {
    for (uint32_t b = 0; b < BONES_COUNT * hair->pose.bone_count; b++) {
        affine bone;
        float matrix[12]; // without its translation: seen from our origin, bones can be farther away than a host's
        memcpy(&bone, memory + bones_offset(hair, BONES_CURRENT) + b * sizeof bone, sizeof bone);
        for (int i = 0; i < 12; i++) {
            if (!distance_sound(bone.m[i]))
                return fail(call, PLAIT_ERROR_INVALID_STATE, "the state's bones[%u] is not finite, element %d", b, i);
            matrix[i] = i % 4 == 3 ? 0 : (float)bone.m[i];
        }
        if (check_bone(call, "the state's bones", b, matrix) != PLAIT_OK) return PLAIT_ERROR_INVALID_STATE;
    }
    const unsigned char *at = memory + bones_offset(hair, BONES_COUNT);
    for (uint32_t s = 0; s < MAX_SETS; s++)
        for (uint32_t i = 0; i < hair->on.sets[s].count; i++) {
            const struct data_decl *decl = &hair->on.sets[s].decls[i];
            if (!is_saved(decl)) continue;
            const unsigned char *end = at + data_host_bytes(hair, decl);
            for (; at < end; at += sizeof(float)) {
                float value;
                memcpy(&value, at, sizeof value);
                if (!decl->whole && !is_finite(value))
                    return fail(call, PLAIT_ERROR_INVALID_STATE, "the state is not finite");
            }
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
        memcpy(&hair->pose.bones[b].step, memory + bones_offset(hair, BONES_STEP) + b * sizeof current, sizeof current);
        memcpy(&hair->pose.bones[b].before, memory + bones_offset(hair, BONES_BEFORE) + b * sizeof current,
               sizeof current);
    }
    memcpy(hair->pose.origin, header.origin, sizeof header.origin);
    memcpy(hair->pose.host_origin, header.host_origin, sizeof header.host_origin);
    memcpy(hair->pose.current_origin, header.host_origin, sizeof header.host_origin);
    pose_end_frame(&hair->pose);
    hair->pose.host_origin_known = header.host_origin_known;
    // A hair of longer steps may have more left over than one of ours.
    hair->clock.carry_s = header.carry_s < hair->clock.step_s ? header.carry_s : hair->clock.step_s;
    hair->info.time_s = header.time_s;
    hair->substep_count = header.substep_count;
    hair->info.step_count = header.substep_count / hair->substeps;
    hair->history_valid = false;
    hair->aligned_s = header.aligned_s;
    hair->between_steps = header.between_steps;
    hair->snapshot_valid = header.snapshot_valid;
    hair->mesh.step_is_current = header.mesh_step_is_current;
    hair->mesh.is_known = hair->mesh.moving = false;
    hair_watch_anew(hair);
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
