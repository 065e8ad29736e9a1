/* Makes what a file has a groom that plait_groom_create takes, in place, and counts what that changed. */
#include "groom_files.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the next strand is read from and written to. */
typedef struct cursor {
    uint32_t from_strand, to_strand;
    size_t from_vertex, to_vertex;
} cursor;

static plait_result check_guides(const gf_reading *r);
static plait_result compact(const gf_reading *r, uint8_t *skipped);
static int is_usable(const gf_reading *r, const cursor *at);
static int repair_binding(const gf_reading *r, uint32_t strand);
static uint32_t weld(const gf_reading *r, const cursor *at, uint16_t *kept);
static void move_strand(const gf_reading *r, const cursor *at, const uint16_t *kept, uint32_t count);
static void repair_strand(const gf_reading *r, const cursor *at, uint32_t count);
static plait_result drop_guides(const gf_reading *r, const uint8_t *skipped, uint32_t strand_count);
static plait_result default_group(plait_gf_groom *groom);
static plait_result say_why(const gf_reading *r, uint32_t strands);
static void repair_defaults(const gf_reading *r);

plait_result gf_repair(const gf_reading *r) {
    plait_gf_groom *groom = r->groom;
    uint32_t strands = groom->strand_count;
    uint8_t *skipped = gf_allocate(strands, 1);
    plait_result result = check_guides(r);
    if (result == PLAIT_OK && !skipped) result = gf_fail(r->report, PLAIT_ERROR_OUT_OF_MEMORY, "out of memory");
    if (result == PLAIT_OK) result = compact(r, skipped);
    if (result == PLAIT_OK && groom->strand_count == 0) result = say_why(r, strands);
    if (result == PLAIT_OK && (groom->strand_count > UINT32_MAX / 64 || groom->vertex_count > UINT32_MAX / 32))
        result = gf_fail(r->report, PLAIT_ERROR_TOO_LARGE, "%u strands with %u vertices are too many",
                         groom->strand_count, groom->vertex_count);
    if (result == PLAIT_OK && groom->strand_count < strands) result = drop_guides(r, skipped, strands);
    repair_defaults(r);
    if (result == PLAIT_OK) result = default_group(groom);
    free(skipped);
    return result == PLAIT_OK ? gf_progress(r, 1) : result;
}

static plait_result check_guides(const gf_reading *r) {
    const plait_gf_groom *groom = r->groom;
    uint32_t i;
    size_t k, bindings = (size_t)groom->strand_count * groom->guides_each;
    for (i = 0; groom->guides && i < groom->guide_count; i++)
        if (groom->guides[i] >= groom->strand_count || (i > 0 && groom->guides[i] <= groom->guides[i - 1]))
            return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM,
                           "guide %u is strand %u: not ascending, or not one of %u", i, groom->guides[i],
                           groom->strand_count);
    for (k = 0; groom->closest_guides && k < bindings; k++)
        if (groom->closest_guides[k] >= groom->guide_count)
            return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM, "strand %u follows guide %u of %u",
                           (uint32_t)(k / groom->guides_each), groom->closest_guides[k], groom->guide_count);
    return PLAIT_OK;
}

static plait_result compact(const gf_reading *r, uint8_t *skipped) {
    plait_gf_groom *groom = r->groom;
    uint32_t strands = groom->strand_count, every = strands / 64 + 1, i;
    uint16_t kept[PLAIT_MAX_STRAND_VERTICES];
    cursor at = {0, 0, 0, 0};
    for (; at.from_strand < strands; at.from_strand++) {
        uint32_t count = groom->vertex_counts[at.from_strand], left = 0;
        if (at.from_strand % every == 0) {
            plait_result result = gf_progress(r, 0.3 + 0.7 * at.from_strand / strands);
            if (result != PLAIT_OK) return result;
        }
        if (is_usable(r, &at)) {
            left = weld(r, &at, kept);
            r->report->skipped_short += left < 2;
        }
        if (left < 2) {
            if (at.from_strand == at.to_strand) r->report->first_skipped = at.from_strand;
            skipped[at.from_strand] = 1;
        } else {
            if (left != count) {
                r->report->welded_strands++;
                r->report->welded_points += count - left;
            }
            move_strand(r, &at, kept, left);
            repair_strand(r, &at, left);
            at.to_strand++;
            at.to_vertex += left;
        }
        at.from_vertex += count;
    }
    if (at.to_strand < strands && !groom->source_strands) {
        groom->source_strands = gf_allocate(at.to_strand, sizeof *groom->source_strands);
        if (!groom->source_strands) return gf_fail(r->report, PLAIT_ERROR_OUT_OF_MEMORY, "out of memory");
        for (i = 0, groom->strand_count = 0; i < strands; i++)
            if (!skipped[i]) groom->source_strands[groom->strand_count++] = i;
    }
    groom->strand_count = at.to_strand;
    groom->vertex_count = (uint32_t)at.to_vertex;
    return PLAIT_OK;
}

/* False, and counted, if the strand has to be left out. */
static int is_usable(const gf_reading *r, const cursor *at) {
    const plait_gf_groom *groom = r->groom;
    uint32_t count = groom->vertex_counts[at->from_strand], i;
    const float *p = groom->positions + 3 * at->from_vertex;
    int finite = 1;
    if (count > PLAIT_MAX_STRAND_VERTICES) {
        r->report->skipped_long++;
        return 0;
    }
    for (i = 0; i < 3 * count; i++) finite &= fabsf(p[i]) <= 1e9f;
    if (!finite) {
        r->report->skipped_not_finite++;
        return 0;
    }
    if (!repair_binding(r, at->from_strand)) {
        r->report->skipped_unbound++;
        return 0;
    }
    return 1;
}

/* False if the strand's root can follow nothing. */
static int repair_binding(const gf_reading *r, uint32_t strand) {
    const plait_gf_groom *groom = r->groom;
    plait_root_binding *binding;
    double sum = 0;
    int i;
    if (groom->root_bones) return groom->root_bones[strand] < groom->bone_count;
    if (!groom->root_bindings) return 1;
    binding = &groom->root_bindings[strand];
    for (i = 0; i < 4; i++) {
        double weight = (double)binding->weights[i];
        if (!(weight >= 0 && weight <= 1e9) || (weight > 0 && binding->bones[i] >= groom->bone_count)) return 0;
        if (binding->bones[i] >= groom->bone_count)
            binding->bones[i] = 0; /* of weight zero: files have anything there */
        sum += weight;
    }
    if (!(sum > 1e-6)) return 0;
    if (fabs(sum - 1) > 1e-3) {
        r->report->scaled_weights++;
        for (i = 0; i < 4; i++) binding->weights[i] = (float)(binding->weights[i] / sum);
    }
    return 1;
}

/* Lists the vertices that do not coincide with the one kept before, by the rule of plait_groom_create, and returns how many. */
static uint32_t weld(const gf_reading *r, const cursor *at, uint16_t *kept) {
    const float *p = r->groom->positions + 3 * at->from_vertex, *last = p;
    uint32_t count = r->groom->vertex_counts[at->from_strand], left = 0, i;
    double shortest = r->options->weld_distance > 0 ? (double)r->options->weld_distance : 0;
    for (i = 0; i < count; i++, p += 3) {
        double x = (double)p[0] - (double)last[0], y = (double)p[1] - (double)last[1],
               z = (double)p[2] - (double)last[2];
        double least = 1e-6 * (fabs((double)p[0]) + fabs((double)p[1]) + fabs((double)p[2])) + 1e-30;
        least = least > shortest ? least : shortest;
        if (i > 0 && x * x + y * y + z * z <= least * least * (1 + 1e-9)) continue;
        kept[left++] = (uint16_t)i;
        last = p;
    }
    return left;
}

static void move_strand(const gf_reading *r, const cursor *at, const uint16_t *kept, uint32_t count) {
    plait_gf_groom *groom = r->groom;
    uint32_t before = groom->vertex_counts[at->from_strand], held, i;
    size_t a;
    if (groom->held_counts && count != before) { /* of what is held, what is kept */
        for (i = 0, held = 0; i < count; i++) held += kept[i] < groom->held_counts[at->from_strand];
        groom->held_counts[at->from_strand] = held;
    }
    if (count == before && at->from_strand == at->to_strand && at->from_vertex == at->to_vertex) return;
    groom->vertex_counts[at->from_strand] = count;
    for (a = 0; a < GF_ARRAY_COUNT; a++) {
        const gf_array *array = &GF_ARRAYS[a];
        size_t bytes = gf_row_bytes(groom, array);
        uint8_t *data = *gf_array_pointer(groom, array);
        if (!data) continue;
        if (array->rows == GF_PER_STRAND)
            memmove(data + at->to_strand * bytes, data + at->from_strand * bytes, bytes);
        else if (array->rows == GF_PER_VERTEX)
            for (i = 0; i < count; i++)
                memmove(data + (at->to_vertex + i) * bytes, data + (at->from_vertex + kept[i]) * bytes, bytes);
    }
    if (groom->root_bindings) groom->root_bindings[at->to_strand] = groom->root_bindings[at->from_strand];
}

/* Rows of an array from one on that have a number which is not finite: these are 0 now. Returns how many; array may be null. */
static uint32_t zero_lost(float *array, size_t first, uint32_t rows, uint32_t columns) {
    uint32_t lost = 0, i, c;
    for (i = 0; array && i < rows; i++) {
        float *row = array + (first + i) * columns;
        int finite = 1;
        for (c = 0; c < columns; c++) finite &= fabsf(row[c]) <= FLT_MAX;
        if (finite) continue;
        memset(row, 0, columns * sizeof *row);
        lost++;
    }
    return lost;
}

/* Whether they had to be changed so that none is negative and they sum to one. */
static int repair_weights(float *weights, uint32_t count) {
    double sum = 0;
    uint32_t i;
    int changed = 0;
    for (i = 0; i < count; i++) {
        if (!(weights[i] >= 0 && weights[i] <= 1e9f)) {
            weights[i] = 0;
            changed = 1;
        }
        sum += (double)weights[i];
    }
    if (fabs(sum - 1) <= 1e-3) return changed;
    for (i = 0; i < count; i++) weights[i] = sum > 1e-6 ? (float)(weights[i] / sum) : 1 / (float)count;
    return 1;
}

/* What belongs to a strand that is in its place now. */
static void repair_strand(const gf_reading *r, const cursor *at, uint32_t count) {
    const plait_gf_groom *groom = r->groom;
    uint32_t s = at->to_strand, groups = groom->group_count ? groom->group_count : 1, i;
    for (i = 0; groom->radii && i < count; i++) {
        float *radius = &groom->radii[at->to_vertex + i];
        if (*radius >= 0 && *radius <= 1e6f) continue;
        *radius = 0;
        r->report->repaired_radii++;
    }
    r->report->repaired_shading += zero_lost(groom->colors, at->to_vertex, count, 3) +
                                   zero_lost(groom->transparencies, at->to_vertex, count, 1) +
                                   zero_lost(groom->uvs, at->to_vertex, count, 2) + zero_lost(groom->root_uvs, s, 1, 2);
    if (groom->guide_weights &&
        repair_weights(groom->guide_weights + (size_t)s * groom->guides_each, groom->guides_each))
        r->report->repaired_guide_weights++;
    if (groom->root_normals) {
        float *n = groom->root_normals + 3 * (size_t)s;
        double length = sqrt((double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2]);
        if (!(length > 1e-12 && length < 1e18)) {
            const float *p = groom->positions + 3 * at->to_vertex;
            for (i = 0; i < 3; i++) n[i] = p[3 + i] - p[i];
            length = sqrt((double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2]);
            for (i = 0; i < 3; i++) n[i] = (float)(n[i] / length);
            r->report->repaired_normals++;
        }
    }
    if (groom->held_counts && (groom->held_counts[s] < 1 || groom->held_counts[s] > count)) {
        groom->held_counts[s] = groom->held_counts[s] < 1 ? 1 : count;
        r->report->repaired_held++;
    }
    if (groom->group_indices && groom->group_indices[s] >= groups) {
        groom->group_indices[s] = 0;
        r->report->repaired_groups++;
    }
}

/* Guides are numbers of strands, which change when strands before them go. */
static plait_result drop_guides(const gf_reading *r, const uint8_t *skipped, uint32_t strand_count) {
    plait_gf_groom *groom = r->groom;
    uint32_t strand, now = 0, guide = 0, left = 0, gone;
    if (!groom->guides) return PLAIT_OK;
    for (strand = 0; strand < strand_count; strand++) {
        if (guide < groom->guide_count && groom->guides[guide] == strand) {
            if (!skipped[strand]) groom->guides[left++] = now;
            guide++;
        }
        now += !skipped[strand];
    }
    gone = groom->guide_count - left;
    groom->guide_count = left;
    if (gone > 0 && groom->closest_guides) {
        gf_note(r->report, "%u guides were left out, and with them the binding of strands to guides", gone);
        free(groom->closest_guides);
        free(groom->guide_weights);
        groom->closest_guides = NULL;
        groom->guide_weights = NULL;
        groom->guides_each = 0;
    }
    if (left == 0) {
        free(groom->guides);
        groom->guides = NULL;
    }
    return PLAIT_OK;
}

static plait_result say_why(const gf_reading *r, uint32_t strands) {
    uint32_t count;
    const char *what = gf_most_skipped(r->report, &count);
    return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM, "none of the %u strands can be used; %u of them: %s", strands,
                   count, what);
}

/* What the file says of all strands at once. */
static void repair_defaults(const gf_reading *r) {
    plait_gf_groom *groom = r->groom;
    if (!(groom->radius >= 0 && groom->radius <= 1e6f)) {
        gf_note(r->report, "the radius of all strands, %g, cannot be: it counts as not known", (double)groom->radius);
        groom->radius = 0;
    }
    if (zero_lost(&groom->transparency, 0, 1, 1))
        gf_note(r->report, "the transparency of all strands is not finite: 0");
    if (zero_lost(groom->color, 0, 1, 3)) gf_note(r->report, "the colour of all strands is not finite: black");
}

/* A radius of all strands goes to Plait as that of a group. */
static plait_result default_group(plait_gf_groom *groom) {
    static const plait_group_desc init = PLAIT_GROUP_DESC_INIT;
    if (groom->groups || groom->group_count > 1 || groom->radii || groom->radius == 0) return PLAIT_OK;
    groom->groups = gf_allocate(1, sizeof *groom->groups);
    if (!groom->groups) return PLAIT_ERROR_OUT_OF_MEMORY;
    groom->group_count = 1;
    groom->groups[0] = init;
    groom->groups[0].radius = groom->radius;
    return PLAIT_OK;
}
