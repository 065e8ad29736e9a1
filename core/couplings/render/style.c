// Styles of render strands: what the host asks for, group by group, and what the kernel render_style needs to make it.
#include "couplings/render/data.h"
#include "couplings/render/render.h"
#include "structs.h"

#include <string.h>

// ---- data ----

// Directions across a strand that is drawn as `points`, carried along it by the shortest turns.
static void fill_frames(const float *points, uint32_t count, float *to) {
    double3 tangent = d3_unit(d3_sub(d3_load(points + 3), d3_load(points))), side = d3_across(tangent);
    double along = 0;
    for (uint32_t v = 0; v < count; v++) {
        const float *behind = points + 3 * (size_t)(v ? v - 1 : 0);
        const float *here = points + 3 * (size_t)v, *ahead = points + 3 * (size_t)(v + 1 < count ? v + 1 : v);
        double3 chord = d3_sub(d3_load(ahead), d3_load(behind));
        if (v > 0 && d3_length(chord) > 0) {
            double3 direction = d3_unit(chord), middle = d3_add(tangent, direction);
            side = d3_sub(side, d3_mul(middle, 2 * d3_dot(side, middle) / fmax(d3_dot(middle, middle), 1e-30)));
            side = d3_unit(d3_sub(side, d3_mul(direction, d3_dot(side, direction))));
            tangent = direction;
        }
        along += d3_length(d3_sub(d3_load(here), d3_load(behind)));
        const double3 up = d3_cross(tangent, side);
        const double values[STYLE_FRAME_FLOATS] = {side.x, side.y, side.z, up.x, up.y, up.z, along};
        for (uint32_t f = 0; f < STYLE_FRAME_FLOATS; f++) to[(size_t)f * count + v] = (float)values[f];
    }
}

static plait_result make_frames(struct call *call, struct hair *hair, uint32_t set) {
    const struct binding *binding = hair->binding;
    const struct groom *render = binding->render;
    const uint64_t size = (uint64_t)binding->info.vertex_count * STYLE_FRAME_FLOATS * sizeof(float);
    float *frames = memory_allocate(call->context, 1, size), *to = frames;
    if (!frames) return PLAIT_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < binding->info.strand_count; i++) {
        const uint32_t strand = binding->order[i], count = render->vertex_counts[strand];
        fill_frames(render->positions + 3 * (size_t)render->first_vertex[strand], count, to);
        to += (size_t)STYLE_FRAME_FLOATS * count;
    }
    plait_result result = hair_make_data(call, hair, set, RENDER_DATA_FRAMES, size, frames);
    memory_release(call->context, frames);
    return result;
}

static void write_styles(struct hair *hair) {
    struct buffer *buffer = &render_buffers(hair)[RENDER_DATA_STYLES];
    for (uint32_t g = 0; g < hair->binding->render->info.group_count; g++) {
        const plait_render_style *s = &hair->styles[g];
        float values[STYLE_WORDS] = {
            [STYLE_LENGTH] = s->length,
            [STYLE_LENGTH_INVERSE] = 1 / s->length,
            [STYLE_WIDTH] = s->width_root,
            [STYLE_WIDTH_CHANGE] = s->width_tip - s->width_root,
            [STYLE_SCATTER] = s->scatter,
            [STYLE_CLUMP] = s->clump_size > 0 ? s->clump : 0,
            [STYLE_CLUMP_BEGIN] = s->clump_begin,
            [STYLE_CLUMP_SLOPE] = 1 / (1 - s->clump_begin),
            [STYLE_CURL] = s->curl_radius,
            [STYLE_TURNS] = s->curl_pitch > 0 ? 1 / s->curl_pitch : 0,
            [STYLE_FRIZZ] = s->frizz,
            [STYLE_WAVES] = s->frizz_length > 0 ? 1 / s->frizz_length : 0,
        };
        memcpy(&values[STYLE_SEED], &s->seed, sizeof s->seed);
        hair->on.device->ops->buffer_write(buffer, g * sizeof values, values, sizeof values);
    }
    hair->styles_stale = true;
}

plait_result style_make_data(struct call *call, struct hair *hair, uint32_t index) {
    const struct binding *binding = hair->binding;
    const uint32_t set = SET_COUPLINGS + index;
    const uint64_t groups = binding->render->info.group_count;
    plait_result result = make_frames(call, hair, set);
    if (result == PLAIT_OK)
        result = hair_make_data(call, hair, set, RENDER_DATA_CLUMPS, binding->info.strand_count * sizeof *hair->clumps,
                                hair->clumps);
    if (result == PLAIT_OK)
        result = hair_make_data(call, hair, set, RENDER_DATA_STYLES, groups * STYLE_WORDS * sizeof(uint32_t), NULL);
    if (result == PLAIT_OK)
        result = hair_make_data(call, hair, set, RENDER_DATA_STYLED,
                                (uint64_t)binding->info.vertex_count * RENDER_REST_FLOATS * sizeof(float), NULL);
    if (result == PLAIT_OK) write_styles(hair);
    return result;
}

static void free_data(struct hair *hair) {
    static const enum render_data_id ids[] = {RENDER_DATA_FRAMES, RENDER_DATA_CLUMPS, RENDER_DATA_STYLES,
                                              RENDER_DATA_STYLED};
    for (size_t i = 0; i < ARRAY_LENGTH(ids); i++) hair->on.device->ops->buffer_destroy(&render_buffers(hair)[ids[i]]);
}

struct stage render_style_stage(struct hair *hair) {
    struct buffer *own = render_buffers(hair);
    return (struct stage){.kernel = KERNEL_render_style,
                          .domain = {.count = hair->binding->info.vertex_count},
                          .buffers.render_style = {.owners = &own[RENDER_DATA_OWNERS],
                                                   .strands = &own[RENDER_DATA_STRANDS],
                                                   .clumps = &own[RENDER_DATA_CLUMPS],
                                                   .styles = &own[RENDER_DATA_STYLES],
                                                   .frames = &own[RENDER_DATA_FRAMES],
                                                   .rest = &own[RENDER_DATA_REST],
                                                   .styled = &own[RENDER_DATA_STYLED]}};
}

// ---- calls ----

plait_result PLAIT_CALL plait_render_style_default(plait_render_style *style) {
    struct call call = {.function = __func__}; // no context: nobody hears its messages
    const plait_render_style values = {.length = 1, .width_root = 1, .width_tip = 1};
    plait_result result = struct_check_info(&call, "style", style, PLAIT_TYPE_RENDER_STYLE);
    if (result == PLAIT_OK) struct_write(style, &values, sizeof values);
    return result;
}

static plait_result check_style(const struct call *call, uint32_t index, plait_render_style *style) {
    static const struct float_range ranges[] = {
#define RANGE(field, low, high) FLOAT_RANGE(plait_render_style, field, low, high)
        RANGE(length, 0.01f, 1),    RANGE(width_root, 0, 1000),   RANGE(width_tip, 0, 1000),
        RANGE(scatter, 0, 1e6f),    RANGE(clump, 0, 1),           RANGE(clump_begin, 0, 0.99f),
        RANGE(clump_size, 0, 1e6f), RANGE(curl_radius, 0, 1e6f),  RANGE(curl_pitch, 0, 1e6f),
        RANGE(frizz, 0, 1e6f),      RANGE(frizz_length, 0, 1e6f),
#undef RANGE
    };
    plait_result result = struct_check_floats(call, "styles", index, style, ranges, ARRAY_LENGTH(ranges));
    if (result != PLAIT_OK) return result;
    const struct {
        const char *name;
        float value;
    } sizes[] = {
        {"clump_size", style->clump_size}, {"curl_pitch", style->curl_pitch}, {"frizz_length", style->frizz_length}};
    for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++)
        if (sizes[i].value > 0 && sizes[i].value < 1e-6f)
            return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "styles[%u].%s is %g, neither 0 nor 1e-6 or more", index,
                        sizes[i].name, (double)sizes[i].value);
    return PLAIT_OK;
}

static plait_result read_styles(const struct call *call, uint32_t groups, uint32_t count, const void *in,
                                plait_render_style *styles) {
    for (uint32_t g = 0; g < groups; g++) {
        if (g >= count) {
            styles[g] = styles[0];
            continue;
        }
        plait_result result =
            struct_read_element(call, "styles", in, g, PLAIT_TYPE_RENDER_STYLE, &styles[g], sizeof styles[g]);
        if (result == PLAIT_OK) result = check_style(call, g, &styles[g]);
        if (result != PLAIT_OK) return result;
    }
    return PLAIT_OK;
}

static bool has_clumps_of(const struct hair *hair, const plait_render_style *styles) {
    if (!hair->styles) return false;
    for (uint32_t g = 0; g < hair->binding->render->info.group_count; g++)
        if (hair->styles[g].clump_size < styles[g].clump_size || hair->styles[g].clump_size > styles[g].clump_size)
            return false;
    return true;
}

// The hair had no styles: its plans change.
static plait_result put_on(struct call *call, struct hair *hair) {
    plait_result result = hair_wait(call, hair, UINT64_MAX);
    if (result == PLAIT_OK) result = style_make_data(call, hair, render_index(hair));
    if (result == PLAIT_OK) result = hair_plan_output(call, hair);
    return result;
}

static plait_result take_off(struct call *call, struct hair *hair) {
    plait_render_style *styles = hair->styles;
    if (!styles) return PLAIT_OK;
    plait_result result = hair_wait(call, hair, UINT64_MAX);
    if (result != PLAIT_OK) return result;
    hair->styles = NULL;
    result = hair_plan_output(call, hair);
    if (result != PLAIT_OK) {
        hair->styles = styles;
        hair_plan_output(call, hair); // as it was: takes no more memory
        return result;
    }
    free_data(hair);
    memory_release(call->context, styles);
    memory_release(call->context, hair->clumps);
    hair->clumps = NULL;
    return PLAIT_OK;
}

// Takes both arrays over, on success. clumps null: as before.
static plait_result change(struct call *call, struct hair *hair, plait_render_style *styles, uint32_t *clumps) {
    plait_render_style *old = hair->styles;
    uint32_t *old_clumps = hair->clumps;
    plait_result result = PLAIT_OK;
    if (old && clumps)
        result = hair->on.device->ops->buffer_write(&render_buffers(hair)[RENDER_DATA_CLUMPS], 0, clumps,
                                                    hair->binding->info.strand_count * sizeof *clumps);
    if (result != PLAIT_OK) return fail(call, result, "the device failed: %s", plait_result_text(result));
    hair->styles = styles;
    if (clumps) {
        hair->clumps = clumps;
        render_place_of(hair)->clump_reach = -1;
        if (box_wanted(hair)) render_find_box(hair);
    }
    if (old)
        write_styles(hair);
    else
        result = put_on(call, hair);
    if (result != PLAIT_OK) {
        hair->styles = NULL;
        hair->clumps = NULL;
        hair_plan_output(call, hair); // as it was: takes no more memory
        free_data(hair);
        return result;
    }
    memory_release(call->context, old);
    if (clumps) memory_release(call->context, old_clumps);
    return PLAIT_OK;
}

static plait_result set_styles(struct call *call, struct hair *hair, uint32_t count, const plait_render_style *in) {
    const struct binding *binding = hair->binding;
    if (count == 0) return take_off(call, hair);
    if (!binding) return fail(call, PLAIT_ERROR_UNSUPPORTED, "the hair has no binding, so it has no render strands");
    const uint32_t groups = binding->render->info.group_count;
    if (count != 1 && count != groups)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "style_count is %u, not 0, 1 or the render groom's %u groups",
                    count, groups);
    if (!in) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "styles is null, style_count is %u", count);
    plait_render_style *styles = memory_allocate(call->context, groups, sizeof *styles);
    if (!styles) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for %u styles", groups);
    uint32_t *clumps = NULL;
    plait_result result = read_styles(call, groups, count, in, styles);
    if (result == PLAIT_OK && !has_clumps_of(hair, styles)) {
        clumps = memory_allocate(call->context, binding->info.strand_count, sizeof *clumps);
        result = clumps ? clumps_find(call, binding, styles, clumps)
                        : fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for clumps");
    }
    if (result == PLAIT_OK) result = change(call, hair, styles, clumps);
    if (result != PLAIT_OK) {
        memory_release(call->context, styles);
        memory_release(call->context, clumps);
    }
    return result;
}

plait_result PLAIT_CALL plait_hair_set_render_styles(plait_hair handle, uint32_t style_count,
                                                     const plait_render_style *styles) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = set_styles(&call, hair, style_count, styles);
    hair_leave(&call, hair);
    return result;
}
