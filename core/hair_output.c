// Output: what the host wants written where, as stages of a plan.
#include "couplings/render/render.h"
#include "hair.h"
#include "structs.h"

#include <string.h>

// Which strands an output is of: how many vertices they have, and the kernels that write them.
struct output_kind {
    uint32_t vertices;
    uint32_t position, tangent, previous;
    bool compact; // there are 16-bit formats for them,
    bool boxed;   // and for positions too
};

static struct output_kind guides_kind(const struct hair *hair) {
    return (struct output_kind){
        hair->info.vertex_count, KERNEL_output_position, KERNEL_output_tangent, KERNEL_output_previous, false, false};
}

static struct output_kind render_kind(const struct hair *hair) {
    return (struct output_kind){hair->binding ? hair->binding->info.vertex_count : 0,
                                KERNEL_render_position,
                                KERNEL_render_tangent,
                                KERNEL_render_previous,
                                true,
                                !hair->groom->mesh};
}

// Of a vertex; 0: it is none.
static uint32_t words_of(uint32_t format) {
    switch (format) {
    case PLAIT_FORMAT_FLOAT32X3: return 3;
    case PLAIT_FORMAT_FLOAT32X4: return 4;
    case PLAIT_FORMAT_UNORM16X4:
    case PLAIT_FORMAT_FLOAT16X4: return PACKED_WORDS;
    default: return 0;
    }
}

// Not written but read.
static struct output_kind mesh_kind(const struct hair *hair) {
    return (struct output_kind){hair->groom->mesh ? hair->groom->mesh->vertex_count : 0,
                                KERNEL_mesh_input,
                                KERNEL_mesh_input,
                                KERNEL_mesh_input,
                                false,
                                false};
}

static plait_result read_attribute(struct call *call, const struct output_kind *kind, const plait_output_desc *desc,
                                   uint32_t i, struct attribute *out) {
    plait_output_attribute a;
    plait_result result =
        struct_read_element(call, "output.attributes", desc->attributes, i, PLAIT_TYPE_OUTPUT_ATTRIBUTE, &a, sizeof a);
    if (result != PLAIT_OK) return result;
    switch (a.attribute) {
    case PLAIT_ATTRIBUTE_POSITION: out->kernel = kind->position; break;
    case PLAIT_ATTRIBUTE_TANGENT: out->kernel = kind->tangent; break;
    case PLAIT_ATTRIBUTE_PREVIOUS_POSITION: out->kernel = kind->previous; break;
    default:
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                    "output.attributes[%u].attribute is %u, not a PLAIT_ATTRIBUTE_xxx", i, a.attribute);
    }
    out->kind = a.attribute;
    out->components = words_of(a.format);
    if (out->components == 0)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "output.attributes[%u].format is %u, not a PLAIT_FORMAT_xxx", i,
                    a.format);
    const uint32_t only = a.format == PLAIT_FORMAT_UNORM16X4 ? PLAIT_ATTRIBUTE_POSITION : PLAIT_ATTRIBUTE_TANGENT;
    if (out->components == PACKED_WORDS && (!kind->compact || a.attribute != only))
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                    "output.attributes[%u].format is %u, which only the %ss of render strands can have", i, a.format,
                    only == PLAIT_ATTRIBUTE_POSITION ? "position" : "tangent");
    if (a.format == PLAIT_FORMAT_UNORM16X4 && !kind->boxed)
        return fail(call, PLAIT_ERROR_UNSUPPORTED,
                    "output.attributes[%u].format is PLAIT_FORMAT_UNORM16X4, which hair on a mesh cannot have", i);
    uint64_t bytes = out->components * sizeof(float);
    if (a.offset % 4 || a.stride % 4 || a.stride < bytes)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                    "output.attributes[%u]: offset %llu or stride %llu is no multiple of 4, or the stride is too short",
                    i, (unsigned long long)a.offset, (unsigned long long)a.stride);
    if (a.offset > desc->size || bytes > desc->size - a.offset ||
        (uint64_t)(kind->vertices - 1) > (desc->size - a.offset - bytes) / a.stride)
        return fail(call, PLAIT_ERROR_BUFFER_TOO_SMALL,
                    "output.size is %llu, too small for attribute %u of %u vertices", (unsigned long long)desc->size, i,
                    kind->vertices);
    out->offset = a.offset / 4;
    out->stride = a.stride / 4;
    if (out->offset + out->stride * kind->vertices > UINT32_MAX)
        return fail(call, PLAIT_ERROR_TOO_LARGE, "output.attributes[%u] reaches beyond 16 GiB", i);
    return PLAIT_OK;
}

// Whether two attributes share a byte. Same stride: compare their places within it, else the whole ranges.
static bool overlap(const struct attribute *a, uint64_t vertices_a, const struct attribute *b, uint64_t vertices_b) {
    uint64_t end_a = a->offset + a->stride * (vertices_a - 1) + a->components;
    uint64_t end_b = b->offset + b->stride * (vertices_b - 1) + b->components;
    if (end_a <= b->offset || end_b <= a->offset) return false;
    if (a->stride != b->stride) return true;
    uint64_t at_a = a->offset % a->stride, at_b = b->offset % b->stride;
    uint64_t ahead = (at_b + a->stride - at_a) % a->stride; // from a's start to b's next start
    return ahead < a->components || a->stride - ahead < b->components;
}

static plait_result read_attributes(struct call *call, const struct hair *hair, const struct output_kind *kind,
                                    const plait_output_desc *desc, struct output *output) {
    struct attribute *attributes = output->attributes;
    if (desc->attribute_count == 0 || desc->attribute_count > MAX_OUTPUTS || !desc->attributes)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                    "output.attribute_count is %u, not 1 to %d, or attributes is null", desc->attribute_count,
                    MAX_OUTPUTS);
    if (desc->reserved != 0) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "output.reserved is not 0");
    for (uint32_t i = 0; i < desc->attribute_count; i++) {
        plait_result result = read_attribute(call, kind, desc, i, &attributes[i]);
        if (result != PLAIT_OK) return result;
        for (uint32_t j = 0; j < i; j++) {
            if (attributes[j].kind == attributes[i].kind)
                return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "output.attributes[%u] and [%u] are the same", j, i);
            if (overlap(&attributes[j], kind->vertices, &attributes[i], kind->vertices))
                return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "output.attributes[%u] and [%u] overlap", j, i);
        }
    }
    output->count = desc->attribute_count;
    for (uint32_t i = 0; i < output->count; i++) {
        const struct attribute *a = &attributes[i];
        uint64_t end = 4 * (a->offset + a->stride * (kind->vertices - 1) + a->components);
        if (end > output->extent) output->extent = end;
    }
    uint64_t most = hair->on.device->max_output_bytes;
    if (most && output->extent > most)
        return fail(call, PLAIT_ERROR_TOO_LARGE,
                    "output.attributes reach over %llu bytes, device %s writes %llu at most",
                    (unsigned long long)output->extent, hair->on.device->info.name, (unsigned long long)most);
    return PLAIT_OK;
}

// The kernels of output agree in their first bindings and values, as OUTPUT_BINDINGS and OUTPUT_VALUES list them.
static struct stage output_stage(struct hair *hair, const struct buffer *memory, const struct attribute *a,
                                 bool remember) {
    struct buffer *b = hair->on.buffers;
    struct stage stage = {.kernel = a->kernel,
                          .buffers.output_tangent = {.packs = &b[HAIR_PACKS],
                                                     .strands = &b[HAIR_STRANDS],
                                                     .positions = &b[HAIR_POSITIONS],
                                                     .snapshot = &b[HAIR_SNAPSHOT],
                                                     .roots_step = &b[HAIR_ROOTS_STEP],
                                                     .roots_before = &b[HAIR_ROOTS_BEFORE],
                                                     .roots_frame = &b[HAIR_ROOTS_FRAME],
                                                     .frame = &b[HAIR_OUTPUT_FRAME],
                                                     .memory = memory},
                          .values.output_tangent = {.offset = (uint32_t)a->offset,
                                                    .stride = (uint32_t)a->stride,
                                                    .components = a->components},
                          .span = {.offset = 4 * a->offset,
                                   .stride = 4 * a->stride,
                                   .size = 4 * a->components,
                                   .count = hair->info.vertex_count}};
    if (a->kernel == KERNEL_output_position) {
        stage.buffers.output_position.radii = &b[HAIR_RADII];
        stage.buffers.output_position.status = &b[HAIR_STATUS];
    }
    if (a->kernel == KERNEL_output_previous) {
        stage.buffers.output_previous.history = &b[HAIR_HISTORY];
        stage.values.output_previous.remember = remember;
    }
    return stage;
}

static bool wants(const struct output *output, uint32_t kernel) {
    for (uint32_t i = 0; i < output->count; i++)
        if (output->attributes[i].kernel == kernel) return true;
    return false;
}

void hair_frame_stages(struct hair *hair, struct stage_list *list) {
    stage_add(list, hair_roots_stage(hair, HAIR_BONES_FRAME, HAIR_ROOTS_FRAME));
    for (uint32_t i = 0; i < hair->coupling_count; i++)
        if (hair->couplings[i].coupling->frame_stages) hair->couplings[i].coupling->frame_stages(hair, i, list);
}

// Bounds come first: what is behind them is of packs alone, and one phase.
static void output_stages(struct hair *hair, const struct output *output, bool remember, struct stage_list *list) {
    if (wants(output, KERNEL_output_position))
        stage_add(list, (struct stage){.kernel = KERNEL_bounds_reset,
                                       .domain = {.count = 6},
                                       .buffers.bounds_reset = {.status = &hair->on.buffers[HAIR_STATUS]},
                                       .values.bounds_reset = {.at = STATUS_LOW}});
    hair_frame_stages(hair, list);
    for (uint32_t i = 0; i < output->count; i++)
        stage_add(list, output_stage(hair, &output->memory, &output->attributes[i], remember));
}

static void render_stages(struct hair *hair, struct stage_list *list) {
    const struct output *output = &hair->render_output;
    render_begin_stages(hair, wants(output, KERNEL_render_previous), wants(output, KERNEL_render_position), list);
    render_end_stages(hair, output, list);
}

static void write_output_frame(struct hair *hair) {
    pose_skin_current(&hair->pose);
    hair_write(hair, HAIR_BONES_FRAME, hair->pose.skin, hair->on.buffers[HAIR_BONES_FRAME].size);
    uint32_t values[FRAME_FLOATS] = {0};
    float units = (float)(1 / hair->pose.meters_per_unit);
    float blend = (float)(hair->clock.carry_s / hair->clock.step_s);
    if (hair->between_steps && hair->snapshot_valid)
        values[OUTPUT_MODE] = OUTPUT_BLENDED;
    else if (hair->groom->mesh ? !hair->mesh.step_is_current : !pose_step_is_current(&hair->pose))
        values[OUTPUT_MODE] = OUTPUT_CARRIED;
    values[OUTPUT_KNOWN] = hair->history_valid;
    values[OUTPUT_ROWS_KNOWN] = hair->history_valid && hair->rows_valid;
    memcpy(&values[OUTPUT_UNITS], &units, sizeof units);
    memcpy(&values[OUTPUT_BLEND], &blend, sizeof blend);
    for (int c = 0; c < 3; c++) {
        double origin = (hair->pose.host_origin[c] - hair->pose.origin[c]) / hair->pose.meters_per_unit;
        float whole = (float)origin, rest = (float)(origin - whole);
        float moved = (float)(hair->pose.origin[c] - hair->history_origin[c]);
        memcpy(&values[OUTPUT_ORIGIN + c], &whole, sizeof whole);
        memcpy(&values[OUTPUT_ORIGIN_REST + c], &rest, sizeof rest);
        memcpy(&values[OUTPUT_MOVED + c], &moved, sizeof moved);
    }
    hair_write(hair, HAIR_OUTPUT_FRAME, values, sizeof values);
}

plait_result hair_output(struct call *call, struct hair *hair) {
    const bool guides = hair->on.plans[PLAN_OUTPUT].stage_count, render = hair->on.plans[PLAN_RENDER].stage_count;
    if (!guides && !render) return PLAIT_OK;
    write_output_frame(hair);
    if (render) render_write_settings(hair, hair->history_valid && hair->rows_valid);
    hair->history_valid = true;
    hair->rows_valid = render;
    memcpy(hair->history_origin, hair->pose.origin, sizeof hair->history_origin);
    plait_result result = guides ? hair_run(call, hair, PLAN_OUTPUT) : PLAIT_OK;
    if (result == PLAIT_OK && render && hair->styles && hair->styles_stale) {
        result = hair_run(call, hair, PLAN_STYLE);
        hair->styles_stale = result != PLAIT_OK;
    }
    return result == PLAIT_OK && render ? hair_run(call, hair, PLAN_RENDER) : result;
}

static plait_result plan_guides(struct call *call, struct hair *hair) {
    const struct output *output = &hair->output;
    bool history = wants(output, KERNEL_output_previous), had_history = hair->on.buffers[HAIR_HISTORY].memory;
    if (history && !had_history) {
        plait_result result =
            hair_make_data(call, hair, SET_HAIR, HAIR_HISTORY, 2 * hair->on.buffers[HAIR_POSITIONS].size, NULL);
        if (result != PLAIT_OK) return result;
        hair->history_valid = false;
    }
    struct stage_list *list = hair_draft_plan(hair);
    if (output->count) output_stages(hair, output, true, list);
    plait_result result = hair_set_plan(call, hair, PLAN_OUTPUT);
    if (!(result == PLAIT_OK ? history : had_history))
        hair->on.device->ops->buffer_destroy(&hair->on.buffers[HAIR_HISTORY]);
    return result;
}

static plait_result plan_render(struct call *call, struct hair *hair, bool history) {
    if (!hair->on.plans[PLAN_RENDER].plan) return PLAIT_OK; // a hair without a binding
    if (history) {
        plait_result result = render_make_history(call, hair, true);
        if (result != PLAIT_OK) return result;
    }
    render_find_box(hair);
    struct stage_list *list = hair_draft_plan(hair);
    if (hair->render_output.count) render_stages(hair, list);
    plait_result result = hair_set_plan(call, hair, PLAN_RENDER);
    if (result != PLAIT_OK) return result;
    list = hair_draft_plan(hair);
    if (hair->styles) stage_add(list, render_style_stage(hair));
    return hair_set_plan(call, hair, PLAN_STYLE);
}

static plait_result plan_mesh_input(struct call *call, struct hair *hair) {
    if (!hair->on.plans[PLAN_MESH_INPUT].plan) return PLAIT_OK;
    struct stage_list *list = hair_draft_plan(hair);
    hair->mesh_input.memory.more = true; // it is not what a frame ends with
    if (hair->mesh_input.count) hair_mesh_input_stages(hair, list);
    return hair_set_plan(call, hair, PLAN_MESH_INPUT);
}

plait_result hair_plan_output(struct call *call, struct hair *hair) {
    const bool history = wants(&hair->render_output, KERNEL_render_previous);
    hair->output.memory.more = hair->render_output.count > 0;
    plait_result result = plan_guides(call, hair);
    if (result == PLAIT_OK) result = plan_render(call, hair, history);
    if (result == PLAIT_OK) result = plan_mesh_input(call, hair);
    if (result == PLAIT_OK && !history) render_make_history(call, hair, false);
    return result;
}

// A lost device writes nothing more. Without this a hair could not leave it whose output no other device can write.
static bool drop_lost_output(struct hair *hair, struct output *which, enum hair_plan plan) {
    const struct device_ops *ops = hair->on.device->ops;
    uint64_t tag;
    if (!ops->lost || !ops->lost(hair->on.arena, &tag)) return false;
    struct output old = *which;
    memset(which, 0, sizeof *which);
    hair->on.plans[plan].stage_count = 0;
    hair_free_output(&old);
    return true;
}

// Vertices of a mesh are one attribute in memory of the device: what the host has, it hands in with each frame.
static plait_result check_mesh_input(const struct call *call, const struct output_memory *memory,
                                     const struct output *input) {
    if (input->count != 1 || input->attributes[0].kind != PLAIT_ATTRIBUTE_POSITION)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                    "output.attributes is not PLAIT_ATTRIBUTE_POSITION alone, which a mesh is read from");
    if (memory->desc.memory || memory->is_export)
        return fail(
            call, PLAIT_ERROR_UNSUPPORTED,
            "a mesh is read from memory of the host's device or external memory; positions in host memory go into "
            "plait_mesh_pose_desc");
    return PLAIT_OK;
}

// An attribute as its words lie in the memory that outputs have in common, if they have.
static struct attribute placed(const struct output *output, uint32_t i) {
    struct attribute a = output->attributes[i];
    a.offset += output->memory.memory ? (uintptr_t)output->memory.memory / 4 : output->memory.offset / 4;
    return a;
}

// Guides and render strands may go into one memory, but not over each other. Handles do not tell whether two are of one memory.
static plait_result check_apart(const struct call *call, const struct hair *hair, const struct output *render,
                                const struct output *guides) {
    if (render->shared || guides->shared || (render->memory.memory != NULL) != (guides->memory.memory != NULL) ||
        render->memory.native != guides->memory.native || render->memory.native_device != guides->memory.native_device)
        return PLAIT_OK;
    for (uint32_t i = 0; i < render->count; i++)
        for (uint32_t j = 0; j < guides->count; j++) {
            struct attribute a = placed(render, i), b = placed(guides, j);
            if (overlap(&a, render_kind(hair).vertices, &b, hair->info.vertex_count))
                return fail(call, PLAIT_ERROR_INVALID_ARGUMENT,
                            "attributes[%u] of the render output and attributes[%u] of the guides' output overlap", i,
                            j);
        }
    return PLAIT_OK;
}

// which: hair->output, hair->render_output or hair->mesh_input. If the plans cannot be made, those of before are made again.
static plait_result set_output(struct call *call, struct hair *hair, struct output *which, enum hair_plan plan,
                               const plait_output_desc *output) {
    if (!output && drop_lost_output(hair, which, plan)) return PLAIT_OK;
    const struct output_kind kind = plan == PLAN_RENDER       ? render_kind(hair)
                                    : plan == PLAN_MESH_INPUT ? mesh_kind(hair)
                                                              : guides_kind(hair);
    if (output && kind.vertices == 0)
        return fail(call, PLAIT_ERROR_UNSUPPORTED,
                    plan == PLAN_RENDER ? "the hair has no binding, so it has no render strands"
                                        : "the groom is on no mesh");
    plait_result result = hair_wait(call, hair, UINT64_MAX);
    if (result != PLAIT_OK) return result;
    struct output next;
    struct output_memory memory;
    memset(&next, 0, sizeof next);
    if (output) {
        result = hair_read_memory(call, output, &memory);
        if (result == PLAIT_OK) result = read_attributes(call, hair, &kind, &memory.desc, &next);
        if (result == PLAIT_OK && plan == PLAN_MESH_INPUT) result = check_mesh_input(call, &memory, &next);
        if (result == PLAIT_OK) result = hair_take_memory(call, hair, &memory, &next);
        if (result == PLAIT_OK && plan == PLAN_RENDER) result = check_apart(call, hair, &next, &hair->output);
        if (result == PLAIT_OK && plan == PLAN_OUTPUT) result = check_apart(call, hair, &hair->render_output, &next);
    }
    struct output old = *which;
    if (result == PLAIT_OK) {
        next.memory.lasting = true;
        *which = next;
        result = hair_plan_output(call, hair);
        if (result != PLAIT_OK) {
            *which = old;
            hair_plan_output(call, hair); // as it was: takes no more memory
        }
    }
    if (result != PLAIT_OK) {
        if (output && memory.is_external) next.external.handle = -1; // the host's still
        hair_free_output(&next);
        return result;
    }
    hair_free_output(&old);
    return PLAIT_OK;
}

plait_result PLAIT_CALL plait_hair_set_output(plait_hair handle, const plait_output_desc *output) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = set_output(&call, hair, &hair->output, PLAN_OUTPUT, output);
    hair_leave(&call, hair);
    return result;
}

plait_result PLAIT_CALL plait_hair_set_render_output(plait_hair handle, const plait_output_desc *output) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = set_output(&call, hair, &hair->render_output, PLAN_RENDER, output);
    hair_leave(&call, hair);
    return result;
}

plait_result PLAIT_CALL plait_hair_set_mesh_input(plait_hair handle, const plait_output_desc *input) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = set_output(&call, hair, &hair->mesh_input, PLAN_MESH_INPUT, input);
    hair_leave(&call, hair);
    return result;
}

static plait_result read_hair(struct call *call, struct hair *hair, const plait_output_desc *desc) {
    struct output output;
    struct output_memory memory;
    memset(&output, 0, sizeof output);
    plait_result result = hair_read_memory(call, desc, &memory);
    if (result == PLAIT_OK && (memory.is_external || memory.is_export))
        result = fail(call, PLAIT_ERROR_UNSUPPORTED, "a hair is not read into external memory: set it as the output");
    const struct output_kind kind = guides_kind(hair);
    if (result == PLAIT_OK) result = read_attributes(call, hair, &kind, &memory.desc, &output);
    if (result == PLAIT_OK) result = hair_take_memory(call, hair, &memory, &output);
    if (result != PLAIT_OK) return result;
    if (wants(&output, KERNEL_output_previous) && !hair->on.buffers[HAIR_HISTORY].memory)
        return fail(call, PLAIT_ERROR_UNSUPPORTED, "previous positions are only kept while the output set has them");
    output_stages(hair, &output, false, hair_draft_plan(hair));
    result = hair_set_plan(call, hair, PLAN_READ);
    if (result != PLAIT_OK) return result;
    write_output_frame(hair);
    result = hair_run(call, hair, PLAN_READ);
    if (result == PLAIT_OK) result = hair_wait(call, hair, UINT64_MAX);
    return result;
}

plait_result PLAIT_CALL plait_hair_read(plait_hair handle, const plait_output_desc *output) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = read_hair(&call, hair, output);
    hair_leave(&call, hair);
    return result;
}
