// What hair-hair forces tell of themselves: summed up on the host, from what the last step of the grid has left on the device.
#include "couplings/volume/volume.h"
#include "hair.h"
#include "structs.h"

#include <string.h>

// Pieces that are read at a time.
enum { PIECE_RECORDS = 64, PIECE_NODES = VOLUME_NODES };

static plait_result read_words(const struct hair *hair, const struct buffer *buffer, uint64_t first, uint64_t count,
                               void *words) {
    return hair->on.device->ops->buffer_read(buffer, 4 * first, words, 4 * count);
}

// Vertices before the transfer, and as they would come out of it: some of them are held.
static plait_result sum_vertices(const struct hair *hair, const struct buffer *records, const struct buffer *readings,
                                 double flip, plait_volume_info *info) {
    float piece[PIECE_RECORDS][RECORD_WORDS], back[PIECE_RECORDS][READING_WORDS];
    const uint64_t vertices = hair->info.vertex_count;
    for (uint64_t first = 0; first < vertices; first += PIECE_RECORDS) {
        uint64_t count = vertices - first < PIECE_RECORDS ? vertices - first : PIECE_RECORDS;
        plait_result result = read_words(hair, records, first * RECORD_WORDS, count * RECORD_WORDS, piece);
        if (result == PLAIT_OK) result = read_words(hair, readings, first * READING_WORDS, count * READING_WORDS, back);
        if (result != PLAIT_OK) return result;
        for (uint64_t i = 0; i < count; i++) {
            uint32_t valid;
            memcpy(&valid, &back[i][READING_VALID], sizeof valid);
            if (!valid) continue;
            double mass = piece[i][RECORD_MASS];
            info->mass += mass;
            for (int c = 0; c < 3; c++) {
                double momentum = piece[i][RECORD_MOMENTUM + c];
                info->momentum[c] += momentum;
                info->momentum_after[c] +=
                    mass * back[i][READING_VELOCITY + c] + flip * (momentum - mass * back[i][READING_BEFORE + c]);
            }
        }
    }
    return PLAIT_OK;
}

static plait_result sum_nodes(const struct hair *hair, const struct buffer *sums, plait_volume_info *info) {
    float piece[PIECE_NODES][VOLUME_NODE_FLOATS];
    for (uint64_t b = 0; b < info->block_count; b++) {
        plait_result result = read_words(hair, sums, b * PIECE_NODES * VOLUME_NODE_FLOATS,
                                         (uint64_t)PIECE_NODES * VOLUME_NODE_FLOATS, piece);
        if (result != PLAIT_OK) return result;
        for (uint32_t n = 0; n < VOLUME_SIDE * VOLUME_SIDE * VOLUME_SIDE; n++) {
            const float *node =
                piece[VOLUME_NODE(n / (VOLUME_SIDE * VOLUME_SIDE), n / VOLUME_SIDE % VOLUME_SIDE, n % VOLUME_SIDE)];
            info->grid_mass += node[NODE_MASS];
            for (int c = 0; c < 3; c++)
                info->grid_momentum[c] += (double)node[NODE_MOMENTUM + c] + node[NODE_IMPULSE + c];
        }
    }
    return PLAIT_OK;
}

static plait_result sum_up(struct call *call, struct hair *hair, plait_volume_info *info) {
    struct volume_parts parts;
    if (!volume_find(hair, &parts)) return PLAIT_OK; // zeros
    plait_result result = hair_wait(call, hair, UINT64_MAX);
    if (result != PLAIT_OK) return result;
    hair_read_counters(hair);
    uint32_t runs = 0;
    result = read_words(hair, parts.runs, 0, 1, &runs);
    info->block_capacity = parts.capacity;
    info->block_count = runs;
    info->homeless_vertex_count = hair->counters[STATUS_HOMELESS];
    if (result == PLAIT_OK && runs) result = sum_vertices(hair, parts.records, parts.readings, parts.flip, info);
    if (result == PLAIT_OK && runs) result = sum_nodes(hair, parts.sums, info);
    if (result != PLAIT_OK) return fail(call, result, "the device could not be read");
    info->mass /= parts.share;
    info->grid_mass /= parts.share;
    for (int c = 0; c < 3; c++) {
        info->momentum[c] /= parts.share * hair->pose.meters_per_unit;
        info->grid_momentum[c] /= parts.share * hair->pose.meters_per_unit;
        info->momentum_after[c] /= parts.share * hair->pose.meters_per_unit;
    }
    return PLAIT_OK;
}

plait_result PLAIT_CALL plait_hair_volume(plait_hair handle, plait_volume_info *info) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = struct_check_info(&call, "info", info, PLAIT_TYPE_VOLUME_INFO);
    plait_volume_info values;
    memset(&values, 0, sizeof values);
    if (result == PLAIT_OK) result = sum_up(&call, hair, &values);
    if (result == PLAIT_OK) struct_write(info, &values, sizeof values);
    hair_leave(&call, hair);
    return result;
}
