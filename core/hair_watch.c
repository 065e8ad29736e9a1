// A watched hair: strands that do not come to rest and strands that stay wound up, see PLAIT_HAIR_WATCH_MOTION.
#include "dialect_double.h"
#include "hair.h"
#include "physics/angle.h"

#include <string.h>

static const double REST_S = 5;          // bones have been still for so long: hair should be at rest
static const double RESTLESS_M_S = 0.01; // and this is not
static const double KNOTTED_S = 0.5;     // turns that come and go are motion

// By how much a strand of the groom turns from its first segment to its last, all together, radians.
static double rest_turning(const struct groom *groom, uint32_t strand) {
    const float *p = groom->positions + 3 * (size_t)groom->first_vertex[strand];
    double sum = 0;
    double3 segment = d3_sub(d3_load(p + 3), d3_load(p));
    for (uint32_t v = 2; v < groom->vertex_counts[strand]; v++) {
        double3 next = d3_sub(d3_load(p + 3 * v), d3_load(p + 3 * v - 3));
        sum += angle_of(d3_length(d3_cross(segment, next)), d3_dot(segment, next));
        segment = next;
    }
    return sum;
}

plait_result hair_make_watch(struct call *call, struct hair *hair) {
    const struct packing *packing = &hair->on.packing;
    size_t width = packing->width, words = (size_t)packing->pack_count * WATCH_ROWS * width;
    float *values = memory_allocate(call->context, words, sizeof(float));
    if (!values) return PLAIT_ERROR_OUT_OF_MEMORY;
    for (size_t slot = 0; slot < packing->pack_count * width; slot++) {
        uint32_t strand = packing->strands[slot];
        if (strand != NO_STRAND)
            values[(slot / width * WATCH_ROWS + WATCH_REST_TURNING) * width + slot % width] =
                (float)rest_turning(hair->groom, strand);
    }
    plait_result result = hair_make_data(call, hair, SET_HAIR, HAIR_WATCH, words * sizeof(float), values);
    memory_release(call->context, values);
    if (result == PLAIT_OK)
        result = hair_make_data(call, hair, SET_HAIR, HAIR_WATCH_FRAME, WATCH_FLOATS * sizeof(float), NULL);
    return result;
}

void hair_watch_stages(struct hair *hair, struct stage_list *list) {
    struct buffer *b = hair->on.buffers;
    if (!hair->watched) return;
    stage_add(list, (struct stage){.kernel = KERNEL_watch,
                                   .buffers.watch = {.packs = &b[HAIR_PACKS],
                                                     .strands = &b[HAIR_STRANDS],
                                                     .positions = &b[HAIR_POSITIONS],
                                                     .snapshot = &b[HAIR_SNAPSHOT],
                                                     .frame = &b[HAIR_WATCH_FRAME],
                                                     .watch = &b[HAIR_WATCH]}});
}

plait_result hair_watch(struct call *call, struct hair *hair, double elapsed_s) {
    float values[WATCH_FLOATS] = {0};
    uint32_t fresh = hair->watch_fresh;
    values[WATCH_STEP_INVERSE] = (float)(1 / hair->clock.step_s);
    values[WATCH_ELAPSED] = (float)elapsed_s;
    memcpy(&values[WATCH_FRESH], &fresh, sizeof fresh);
    hair_write(hair, HAIR_WATCH_FRAME, values, sizeof values);
    plait_result result = hair_run(call, hair, PLAN_WATCH);
    if (result == PLAIT_OK) hair->watch_fresh = false;
    hair->still_s += elapsed_s;
    return result;
}

void hair_watch_anew(struct hair *hair) {
    hair->watch_fresh = true;
    hair->still_s = 0;
}

plait_result hair_watch_stats(const struct call *call, const struct hair *hair, plait_stats_info *stats) {
    float piece[2048];
    const struct packing *packing = &hair->on.packing;
    const uint32_t width = packing->width, pack_floats = WATCH_ROWS * width;
    const uint32_t packs_at_a_time = (uint32_t)ARRAY_LENGTH(piece) / pack_floats;
    double sum = 0, fastest = 0;
    if (!hair->watched || hair->watch_fresh) return PLAIT_OK;
    for (uint32_t pack = 0; pack < packing->pack_count; pack++) {
        uint32_t left = packing->pack_count - pack, at = pack % packs_at_a_time;
        uint64_t pack_bytes = pack_floats * sizeof(float);
        plait_result result = PLAIT_OK;
        if (at == 0)
            result = hair->on.device->ops->buffer_read(&hair->on.buffers[HAIR_WATCH], pack * pack_bytes, piece,
                                                       (left < packs_at_a_time ? left : packs_at_a_time) * pack_bytes);
        if (result != PLAIT_OK) return fail(call, result, "the device could not be read");
        for (uint32_t lane = 0; lane < width; lane++) {
            const float *values = piece + at * pack_floats + lane;
            if (packing->strands[pack * width + lane] == NO_STRAND) continue;
            double speed = values[WATCH_FASTEST * width];
            stats->knotted_strand_count += values[WATCH_KNOTTED_S * width] > KNOTTED_S;
            stats->restless_strand_count += hair->still_s >= REST_S && speed > RESTLESS_M_S;
            sum += values[WATCH_SPEED2 * width];
            if (speed > fastest) fastest = speed;
        }
    }
    double unit = hair->pose.meters_per_unit;
    stats->rms_speed = (float)(sqrt(sum / hair->info.vertex_count) / unit);
    stats->fastest_speed = (float)(fastest / unit);
    return PLAIT_OK;
}
