// Render strands: a whole head of hair that follows its simulated guides. In every frame with a render output the guides say how
// they have turned and moved since the bind pose (render_guides), rows take that to the vertices of render strands (render_rows),
// and each render vertex is carried along by the rows of its strand. Rows are few: strands of one vertex count share those of
// a guide. So a vertex costs what its own data and its output do: 16 bytes read and 16 written. Kernels: kernels/render*.h.
#include "couplings/render/render.h"
#include "couplings/render/data.h"
#include "structs.h"

#include <string.h>

// Sizes are the binding's; a hair that has none any more has none of these.
#define MADE_LATER(text, what)                                                                                         \
    { .name = text, .per = FIXED, .role = what }
static const struct data_decl decls[RENDER_DATA_COUNT] = {
    [RENDER_DATA_GUIDES] = MADE_LATER("turns of guides", DATA_WORK),
    [RENDER_DATA_GUIDE_REST] = MADE_LATER("guides at rest", DATA_CONSTANT),
    [RENDER_DATA_SOURCES] = MADE_LATER("sources of rows", DATA_CONSTANT),
    [RENDER_DATA_ROWS] = MADE_LATER("rows", DATA_WORK),
    [RENDER_DATA_ROWS_BEFORE] = MADE_LATER("rows before", DATA_WORK),
    [RENDER_DATA_STRANDS] = MADE_LATER("render strands", DATA_CONSTANT),
    [RENDER_DATA_OWNERS] = MADE_LATER("strands of render vertices", DATA_CONSTANT),
    [RENDER_DATA_REST] = MADE_LATER("render vertices", DATA_CONSTANT),
    [RENDER_DATA_KEPT] = MADE_LATER("lengths of render strands", DATA_WORK),
    [RENDER_DATA_SETTINGS] = MADE_LATER("settings of render strands", DATA_INPUT),
    [RENDER_DATA_FRAMES] = MADE_LATER("frames of render vertices", DATA_CONSTANT),
    [RENDER_DATA_CLUMPS] = MADE_LATER("clumps", DATA_CONSTANT),
    [RENDER_DATA_STYLES] = MADE_LATER("styles", DATA_INPUT),
    [RENDER_DATA_STYLED] = MADE_LATER("styled render vertices", DATA_WORK),
};

#define ROW_ALIGNMENT 16u // words: rows begin with a line of the cache
static uint64_t row_words(uint32_t count) {
    return ((uint64_t)RENDER_ROW_FLOATS * count + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

uint32_t render_index(const struct hair *hair) {
    uint32_t i = 0;
    while (i < hair->coupling_count && hair->couplings[i].coupling != &render_coupling) i++;
    return i;
}

struct buffer *render_buffers(const struct hair *hair) {
    return hair->on.sets[SET_COUPLINGS + render_index(hair)].buffers;
}

struct render_place *render_place_of(const struct hair *hair) {
    return hair->on.coupling_data[render_index(hair)];
}

// ---- data ----

static void put3(float *packed, const struct packing *packing, uint32_t slot, uint32_t vertex, uint32_t row,
                 double3 v) {
    packed[packed_index(packing, slot, vertex, GUIDE_REST_ROWS, row)] = (float)v.x;
    packed[packed_index(packing, slot, vertex, GUIDE_REST_ROWS, row + 1)] = (float)v.y;
    packed[packed_index(packing, slot, vertex, GUIDE_REST_ROWS, row + 2)] = (float)v.z;
}

// Frames along a guide in the bind pose, as render_guides makes them of it in motion. Lanes and vertices that are none have the
// frame of what is before them.
static void fill_guide(const struct hair *hair, uint32_t slot, float *packed) {
    const struct packing *packing = &hair->on.packing;
    const struct groom *groom = hair->groom;
    const uint32_t strand = packing->strands[slot] == NO_STRAND ? packing->strands[0] : packing->strands[slot];
    const float *p = groom->positions + 3 * (size_t)groom->first_vertex[strand];
    const double *centre = hair->binding->centre;
    double3 tangent = d3_load(groom->normals + 3 * (size_t)strand), side = d3_across(tangent), point = d3(0, 0, 0);
    const uint32_t last = groom->vertex_counts[strand] - 1, reach = last + 1 < 16 ? 1 : (last + 1) / 8;
    for (uint32_t v = 0; v < packing->table[slot / packing->width * PACK_UINTS + PACK_VERTICES]; v++) {
        uint32_t behind = v < reach ? 0 : v - reach, ahead = v + reach < last ? v + reach : last;
        double3 chord =
            d3_sub(d3_load(p + 3 * (size_t)ahead), d3_load(p + 3 * (size_t)(behind < last ? behind : last)));
        if (v > 0 && v <= last && d3_length(chord) > 0) {
            double3 direction = d3_unit(chord);
            double3 middle = d3_add(tangent, direction);
            side = d3_sub(side, d3_mul(middle, 2 * d3_dot(side, middle) / fmax(d3_dot(middle, middle), 1e-30)));
            tangent = direction;
        }
        if (v < groom->vertex_counts[strand])
            point = d3_sub(d3_load(p + 3 * (size_t)v), d3(centre[0], centre[1], centre[2]));
        put3(packed, packing, slot, v, GUIDE_REST_SIDE, side);
        put3(packed, packing, slot, v, GUIDE_REST_TANGENT, tangent);
        put3(packed, packing, slot, v, GUIDE_REST_POINT, point);
    }
}

static plait_result make_guides(struct call *call, struct hair *hair, uint32_t set) {
    const struct packing *packing = &hair->on.packing;
    const uint64_t vertices = (uint64_t)packing->row_count * packing->width;
    float *packed = memory_allocate(call->context, vertices, GUIDE_REST_ROWS * sizeof *packed);
    if (!packed) return PLAIT_ERROR_OUT_OF_MEMORY;
    for (uint32_t slot = 0; slot < packing->pack_count * packing->width; slot++) fill_guide(hair, slot, packed);
    plait_result result =
        hair_make_data(call, hair, set, RENDER_DATA_GUIDE_REST, vertices * GUIDE_REST_ROWS * sizeof *packed, packed);
    memory_release(call->context, packed);
    if (result == PLAIT_OK)
        result = hair_make_data(call, hair, set, RENDER_DATA_GUIDES, vertices * GUIDE_ROWS * sizeof(float), NULL);
    return result;
}

// Where the vertices of a row come from. slots: of guides.
static void fill_row(const struct hair *hair, const struct binding_row *row, const uint32_t *slots, uint32_t place,
                     uint32_t first, uint32_t total, uint32_t *words) {
    const struct packing *packing = &hair->on.packing;
    const uint32_t slot = slots[row->guide], segments = hair->groom->vertex_counts[row->guide] - 1;
    const uint32_t guide_row = packing->table[slot / packing->width * PACK_UINTS + PACK_FIRST];
    for (uint32_t v = 0; v < row->count; v++) {
        double at = (double)v * segments / (row->count - 1);
        if (row->places != EVEN_ROW) at = hair->binding->places[row->places + v];
        uint32_t before = at < segments ? (uint32_t)at : segments;
        float share = before < segments ? (float)(at - before) : 0; // nothing is behind the last
        uint32_t *to = words + first + v;
        to[(size_t)ROW_ITEM_SOURCE * total] = (guide_row + before) * 32 + slot % packing->width;
        memcpy(&to[(size_t)ROW_ITEM_SHARE * total], &share, sizeof share);
        to[(size_t)ROW_ITEM_PLACE * total] = place + v;
        to[(size_t)ROW_ITEM_COUNT * total] = row->count;
        to[(size_t)ROW_ITEM_ROOT * total] = guide_row * 32 + slot % packing->width;
    }
}

// Rows in the order of their guides in packs: guides of a pack lie side by side, and are read while they are in the cache. In the
// order of strands, which jumps from pack to pack, a frame of 64,000 strands took 6 percent longer. ends: slot_count + 1 zeros.
static void rows_by_slot(const struct binding *binding, const uint32_t *slots, uint32_t slot_count, uint32_t *order,
                         uint32_t *ends) {
    const uint32_t count = binding->info.row_count;
    for (uint32_t i = 0; i < count; i++) ends[slots[binding->rows[i].guide] + 1]++;
    for (uint32_t slot = 0; slot < slot_count; slot++) ends[slot + 1] += ends[slot];
    for (uint32_t i = 0; i < count; i++) order[ends[slots[binding->rows[i].guide]]++] = i;
}

// starts: of rows, in words.
static plait_result make_rows(struct call *call, struct hair *hair, uint32_t set, uint64_t *words, uint32_t *starts) {
    const struct binding *binding = hair->binding;
    const struct packing *packing = &hair->on.packing;
    struct render_place *place = hair->on.coupling_data[set - SET_COUPLINGS];
    uint64_t vertices = 0;
    *words = 0;
    for (uint32_t i = 0; i < binding->info.row_count; i++) {
        if (*words > UINT32_MAX)
            return fail(call, PLAIT_ERROR_TOO_LARGE, "the rows of %u strands", binding->info.strand_count);
        starts[i] = (uint32_t)*words;
        vertices += binding->rows[i].count;
        *words += row_words(binding->rows[i].count);
    }
    if (*words > UINT32_MAX || ROW_ITEM_WORDS * vertices > UINT32_MAX)
        return fail(call, PLAIT_ERROR_TOO_LARGE, "the rows of %u strands", binding->info.strand_count);
    place->row_vertices = (uint32_t)vertices;
    const uint32_t slot_count = packing->pack_count * packing->width, row_count = binding->info.row_count;
    uint32_t *slots = memory_allocate(call->context, binding->info.guide_strand_count, sizeof *slots);
    uint32_t *order = memory_allocate(call->context, (uint64_t)slot_count + 1 + row_count, sizeof *order);
    uint32_t *sources = memory_allocate(call->context, vertices, ROW_ITEM_WORDS * sizeof *sources);
    plait_result result = PLAIT_ERROR_OUT_OF_MEMORY;
    if (slots && order && sources) {
        for (uint32_t slot = 0; slot < slot_count; slot++)
            if (packing->strands[slot] != NO_STRAND) slots[packing->strands[slot]] = slot;
        rows_by_slot(binding, slots, slot_count, order, order + row_count);
        uint32_t first = 0;
        for (uint32_t i = 0; i < row_count; i++) {
            const struct binding_row *row = &binding->rows[order[i]];
            fill_row(hair, row, slots, starts[order[i]], first, (uint32_t)vertices, sources);
            first += row->count;
        }
        result =
            hair_make_data(call, hair, set, RENDER_DATA_SOURCES, vertices * ROW_ITEM_WORDS * sizeof *sources, sources);
    }
    memory_release(call->context, slots);
    memory_release(call->context, order);
    memory_release(call->context, sources);
    if (result == PLAIT_OK) result = hair_make_data(call, hair, set, RENDER_DATA_ROWS, *words * sizeof(float), NULL);
    return result;
}

static plait_result make_strands(struct call *call, struct hair *hair, uint32_t set, const uint32_t *starts) {
    const struct binding *binding = hair->binding;
    const struct groom *render = binding->render;
    const uint64_t strands = binding->info.strand_count, vertices = binding->info.vertex_count;
    uint32_t *words = memory_allocate(call->context, strands, RENDER_STRAND_WORDS * sizeof *words);
    uint32_t *owners = memory_allocate(call->context, vertices, sizeof *owners);
    plait_result result = PLAIT_ERROR_OUT_OF_MEMORY;
    if (words && owners) {
        uint32_t first = 0;
        for (uint32_t i = 0; i < strands; i++) {
            const uint32_t strand = binding->order[i], count = render->vertex_counts[strand];
            const uint32_t *rows = binding->strand_rows + (size_t)i * binding->guide_count;
            uint32_t *to = words + (size_t)i * RENDER_STRAND_WORDS;
            float step = 1.0f / (float)(count - 1);
            to[RENDER_FIRST] = first;
            to[RENDER_COUNT] = count;
            to[RENDER_NUMBER] = strand;
            to[RENDER_OUTPUT] = render->first_vertex[strand];
            to[RENDER_GROUP] = render->group_indices[strand];
            memcpy(&to[RENDER_STEP], &step, sizeof step);
            for (uint32_t g = 0; g < MAX_GUIDES; g++)
                to[RENDER_ROWS + g] = starts[rows[g < binding->guide_count ? g : 0]];
            for (uint32_t g = 1; g < binding->guide_count; g++)
                memcpy(&to[RENDER_WEIGHTS + g - 1], &binding->weights[(size_t)i * binding->guide_count + g],
                       sizeof(float));
            for (uint32_t c = 0; c < 3; c++) {
                float root =
                    (float)(render->positions[3 * (size_t)render->first_vertex[strand] + c] - binding->centre[c]);
                memcpy(&to[RENDER_ROOT + c], &root, sizeof root);
            }
            for (uint32_t v = 0; v < count; v++) owners[first + v] = i;
            first += count;
        }
        result =
            hair_make_data(call, hair, set, RENDER_DATA_STRANDS, strands * RENDER_STRAND_WORDS * sizeof *words, words);
        if (result == PLAIT_OK)
            result = hair_make_data(call, hair, set, RENDER_DATA_OWNERS, vertices * sizeof *owners, owners);
    }
    memory_release(call->context, words);
    memory_release(call->context, owners);
    return result;
}

static plait_result make_rest(struct call *call, struct hair *hair, uint32_t set) {
    const struct binding *binding = hair->binding;
    const struct groom *render = binding->render;
    const float usual = (float)(DEFAULT_RADIUS_M / hair->pose.meters_per_unit);
    const uint64_t size = (uint64_t)binding->info.vertex_count * RENDER_REST_FLOATS * sizeof(float);
    float *rest = memory_allocate(call->context, 1, size);
    if (!rest) return PLAIT_ERROR_OUT_OF_MEMORY;
    float *to = rest;
    for (uint32_t i = 0; i < binding->info.strand_count; i++) {
        const uint32_t strand = binding->order[i], count = render->vertex_counts[strand];
        const float *root = render->positions + 3 * (size_t)render->first_vertex[strand];
        for (uint32_t v = 0; v < count; v++) {
            const size_t vertex = render->first_vertex[strand] + (size_t)v;
            for (uint32_t c = 0; c < 3; c++)
                to[c * count + v] = (float)((double)render->positions[3 * vertex + c] - (double)root[c]);
            to[RENDER_REST_RADIUS * count + v] = render->radii[vertex] < 0 ? usual : render->radii[vertex];
        }
        to += (size_t)RENDER_REST_FLOATS * count;
    }
    plait_result result = hair_make_data(call, hair, set, RENDER_DATA_REST, size, rest);
    memory_release(call->context, rest);
    return result;
}

// A device that goes along strands anyway sees by the way where they are too long.
static bool has_lengths(const struct hair *hair) { return !hair->on.device->ops->sweeps; }

static plait_result make_kept(struct call *call, struct hair *hair, uint32_t set) {
    const uint64_t strands = hair->binding->info.strand_count, vertices = hair->binding->info.vertex_count;
    const uint64_t words = strands * RENDER_KEPT_WORDS + vertices * RENDER_KEPT_FLOATS;
    if (!has_lengths(hair)) return PLAIT_OK;
    if (words > UINT32_MAX) return fail(call, PLAIT_ERROR_TOO_LARGE, "the lengths of %u strands", (uint32_t)strands);
    return hair_make_data(call, hair, set, RENDER_DATA_KEPT, words * sizeof(float), NULL);
}

static plait_result create(struct call *call, struct hair *hair, uint32_t index) {
    const struct binding *binding = hair->binding;
    const uint32_t set = SET_COUPLINGS + index;
    if (!binding) return PLAIT_OK;
    struct render_place *place = memory_allocate(call->context, 1, sizeof *place);
    hair->on.coupling_data[index] = place;
    if (place) place->balls = memory_allocate(call->context, hair->pose.bone_count, sizeof *place->balls);
    uint32_t *starts = memory_allocate(call->context, binding->info.row_count, sizeof *starts);
    uint64_t words = 0;
    plait_result result = PLAIT_ERROR_OUT_OF_MEMORY;
    if (starts && place && place->balls) result = make_guides(call, hair, set);
    if (result == PLAIT_OK) result = make_rows(call, hair, set, &words, starts);
    if (result == PLAIT_OK) result = make_strands(call, hair, set, starts);
    if (result == PLAIT_OK) result = make_rest(call, hair, set);
    if (result == PLAIT_OK) result = make_kept(call, hair, set);
    if (result == PLAIT_OK)
        result = hair_make_data(call, hair, set, RENDER_DATA_SETTINGS, RENDER_SETTING_WORDS * sizeof(uint32_t), NULL);
    if (result == PLAIT_OK && hair->styles) result = style_make_data(call, hair, index);
    memory_release(call->context, starts);
    return result;
}

static void destroy(struct hair *hair, uint32_t index) {
    struct render_place *place = hair->on.coupling_data[index];
    if (place) memory_release(hair->object.context, place->balls);
    memory_release(hair->object.context, hair->on.coupling_data[index]);
}

const struct coupling render_coupling = {
    .name = "render", .decls = decls, .decl_count = RENDER_DATA_COUNT, .create = create, .destroy = destroy};

// ---- stages ----

static bool has_history(const struct hair *hair) {
    return render_buffers(hair)[RENDER_DATA_ROWS_BEFORE].memory != NULL;
}

plait_result render_make_history(struct call *call, struct hair *hair, bool wanted) {
    uint32_t index = render_index(hair);
    if (index == hair->coupling_count || !hair->binding || wanted == has_history(hair)) return PLAIT_OK;
    struct buffer *own = render_buffers(hair);
    if (!wanted) {
        hair->on.device->ops->buffer_destroy(&own[RENDER_DATA_ROWS_BEFORE]);
        return PLAIT_OK;
    }
    hair->rows_valid = false;
    return hair_make_data(call, hair, SET_COUPLINGS + index, RENDER_DATA_ROWS_BEFORE, own[RENDER_DATA_ROWS].size, NULL);
}

void render_begin_stages(struct hair *hair, bool remember, bool bounds, struct stage_list *list) {
    struct buffer *b = hair->on.buffers, *own = render_buffers(hair);
    const struct render_place *place = hair->on.coupling_data[render_index(hair)];
    stage_add(list, hair_roots_stage(hair, HAIR_BONES_FRAME, HAIR_ROOTS_FRAME));
    stage_add(list, (struct stage){.kernel = KERNEL_render_guides,
                                   .buffers.render_guides = {.packs = &b[HAIR_PACKS],
                                                             .strands = &b[HAIR_STRANDS],
                                                             .positions = &b[HAIR_POSITIONS],
                                                             .snapshot = &b[HAIR_SNAPSHOT],
                                                             .roots_step = &b[HAIR_ROOTS_STEP],
                                                             .roots_before = &b[HAIR_ROOTS_BEFORE],
                                                             .roots_frame = &b[HAIR_ROOTS_FRAME],
                                                             .frame = &b[HAIR_OUTPUT_FRAME],
                                                             .rest = &own[RENDER_DATA_GUIDE_REST],
                                                             .guides = &own[RENDER_DATA_GUIDES]}});
    const struct buffer *before = &own[remember ? RENDER_DATA_ROWS_BEFORE : RENDER_DATA_ROWS];
    stage_add(list, (struct stage){.kernel = KERNEL_render_rows,
                                   .domain = {.count = place->row_vertices},
                                   .buffers.render_rows = {.sources = &own[RENDER_DATA_SOURCES],
                                                           .guides = &own[RENDER_DATA_GUIDES],
                                                           .rest = &own[RENDER_DATA_GUIDE_REST],
                                                           .frame = &b[HAIR_OUTPUT_FRAME],
                                                           .rows = &own[RENDER_DATA_ROWS],
                                                           .rows_before = before},
                                   .values.render_rows = {.count = place->row_vertices, .remember = remember}});
    if (bounds)
        stage_add(list, (struct stage){.kernel = KERNEL_bounds_reset,
                                       .domain = {.count = 6},
                                       .buffers.bounds_reset = {.status = &b[HAIR_STATUS]},
                                       .values.bounds_reset = {.at = STATUS_RENDER_LOW}});
}

static const struct buffer *rows_of(const struct hair *hair, bool previous) {
    return &render_buffers(hair)[previous ? RENDER_DATA_ROWS_BEFORE : RENDER_DATA_ROWS];
}

// The bind pose that strands are carried from.
static const struct buffer *drawn_of(const struct hair *hair) {
    return &render_buffers(hair)[hair->styles ? RENDER_DATA_STYLED : RENDER_DATA_REST];
}

static void lengths_stage(struct hair *hair, bool previous, struct stage_list *list) {
    struct buffer *own = render_buffers(hair);
    if (has_lengths(hair))
        stage_add(list, (struct stage){.kernel = KERNEL_render_lengths,
                                       .domain = {.count = hair->binding->info.strand_count},
                                       .buffers.render_lengths = {.rows = rows_of(hair, previous),
                                                                  .strands = &own[RENDER_DATA_STRANDS],
                                                                  .rest = drawn_of(hair),
                                                                  .frame = &hair->on.buffers[HAIR_OUTPUT_FRAME],
                                                                  .settings = &own[RENDER_DATA_SETTINGS],
                                                                  .kept = &own[RENDER_DATA_KEPT]},
                                       .values.render_lengths = {.guides = hair->binding->guide_count}});
}

// The kernels of render strands agree in their first bindings and values, as RENDER_BINDINGS and RENDER_VALUES list them.
static struct stage attribute_stage(struct hair *hair, const struct buffer *memory, const struct attribute *a) {
    struct buffer *b = hair->on.buffers, *own = render_buffers(hair);
    const uint32_t vertices = hair->binding->info.vertex_count;
    const bool previous = a->kernel == KERNEL_render_previous;
    struct stage stage = {
        .kernel = a->kernel,
        .domain = {.count = vertices},
        .buffers.render_tangent = {.rows = rows_of(hair, previous),
                                   .owners = &own[RENDER_DATA_OWNERS],
                                   .strands = &own[RENDER_DATA_STRANDS],
                                   .rest = drawn_of(hair),
                                   .frame = &b[HAIR_OUTPUT_FRAME],
                                   .settings = &own[RENDER_DATA_SETTINGS],
                                   .styles = &own[hair->styles ? RENDER_DATA_STYLES : RENDER_DATA_SETTINGS],
                                   .colliders = &b[HAIR_PUSHERS],
                                   .kept = &own[has_lengths(hair) ? RENDER_DATA_KEPT : RENDER_DATA_SETTINGS],
                                   .memory = memory},
        .values.render_tangent = {.offset = (uint32_t)a->offset,
                                  .stride = (uint32_t)a->stride,
                                  .components = a->components,
                                  .guides = hair->binding->guide_count,
                                  .colliders_at = previous ? hair->pushers.capacity * COLLIDER_FLOATS : 0},
        .span = {.offset = 4 * a->offset, .stride = 4 * a->stride, .size = 4 * a->components, .count = vertices}};
    if (a->kernel == KERNEL_render_position) stage.buffers.render_position.status = &b[HAIR_STATUS];
    return stage;
}

void render_end_stages(struct hair *hair, const struct output *output, struct stage_list *list) {
    for (int previous = 0; previous < 2; previous++) {
        bool first = true;
        for (uint32_t i = 0; i < output->count; i++) {
            const struct attribute *a = &output->attributes[i];
            if ((a->kernel == KERNEL_render_previous) != previous) continue;
            if (first) lengths_stage(hair, previous, list);
            first = false;
            stage_add(list, attribute_stage(hair, &output->memory, a));
        }
    }
}

// ---- level of detail ----

// Beyond the fraction that is asked for, a tenth of it more get thinner and thinner.
#define FADING 0.1

// The last number that is drawn, in strands.
static double last_shown(const struct hair *hair) {
    return (1 + FADING) * (double)hair->render_params.strand_fraction * hair->binding->info.strand_count;
}

static uint32_t render_shown(const struct hair *hair) {
    if (!hair->binding) return 0;
    double shown = ceil(last_shown(hair)), count = hair->binding->info.strand_count;
    return (uint32_t)(shown < count ? shown : count);
}

// Widths of all strands that are drawn, added up: those before the fraction are whole, those behind have RENDER_FADE.
static double sum_of_widths(const struct hair *hair, uint32_t shown) {
    const double count = hair->binding->info.strand_count, full = (double)hair->render_params.strand_fraction * count;
    const double whole = fmin(ceil(full), shown), fading = shown - whole;
    const double mean = last_shown(hair) - (whole + shown - 1) / 2; // of what is left from a fading strand to the last
    return whole + fading * mean / (FADING * full);
}

void render_write_settings(struct hair *hair, bool known) {
    const plait_render_params *p = &hair->render_params;
    const uint32_t shown = render_shown(hair), styled = hair->styles != NULL;
    uint32_t slides = p->vertex_fraction < 1 || p->length < 1;
    for (uint32_t g = 0; styled && g < hair->binding->render->info.group_count; g++)
        slides = slides || hair->styles[g].length < 1;
    const double gain = hair->binding->info.strand_count / sum_of_widths(hair, shown);
    const double fading = FADING * (double)p->strand_fraction;
    float values[RENDER_SETTING_WORDS] = {
        [RENDER_SINGLE] = p->single_root,
        [RENDER_SINGLE_CHANGE] = p->single_tip - p->single_root,
        [RENDER_WIDTH] = (float)(p->width_root * gain),
        [RENDER_WIDTH_CHANGE] = (float)((p->width_tip - p->width_root) * gain),
        [RENDER_STRIDE] = p->length / p->vertex_fraction,
        [RENDER_LENGTH] = p->length,
        [RENDER_LENGTH_INVERSE] = 1 / p->length,
        [RENDER_FADE] = (float)last_shown(hair),
        [RENDER_SLOPE] = (float)(1 / (fading * hair->binding->info.strand_count)),
    };
    memcpy(&values[RENDER_SLIDES], &slides, sizeof slides);
    memcpy(&values[RENDER_SHOWN], &shown, sizeof shown);
    memcpy(&values[RENDER_STYLED], &styled, sizeof styled);
    push_write(hair, known, values);
    if (box_wanted(hair)) box_write(hair, fmax(p->width_root, p->width_tip) * gain, values);
    hair->on.device->ops->buffer_write(&render_buffers(hair)[RENDER_DATA_SETTINGS], 0, values, sizeof values);
    hair->info.render_strand_count = shown;
}

// ---- calls ----

void render_default_params(plait_render_params *p) {
    *p = (plait_render_params){.head = {PLAIT_TYPE_RENDER_PARAMS, sizeof *p, NULL},
                               .length = 1,
                               .width_root = 1,
                               .width_tip = 1,
                               .strand_fraction = 1,
                               .vertex_fraction = 1};
}

plait_result PLAIT_CALL plait_render_params_default(plait_render_params *params) {
    struct call call = {.function = __func__}; // no context: nobody hears its messages
    plait_render_params values;
    plait_result result = struct_check_info(&call, "params", params, PLAIT_TYPE_RENDER_PARAMS);
    render_default_params(&values);
    if (result == PLAIT_OK) struct_write(params, &values, sizeof values);
    return result;
}

plait_result PLAIT_CALL plait_hair_set_render_params(plait_hair handle, const plait_render_params *params) {
    static const struct float_range ranges[] = {
#define RANGE(field, low, high) FLOAT_RANGE(plait_render_params, field, low, high)
        RANGE(single_root, 0, 1),          RANGE(single_tip, 0, 1),   RANGE(length, 0.01f, 1),
        RANGE(width_root, 0, 1000),        RANGE(width_tip, 0, 1000), RANGE(strand_fraction, 0.001f, 1),
        RANGE(vertex_fraction, 0.001f, 1),
#undef RANGE
    };
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_render_params values;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    result = struct_read(&call, "params", params, PLAIT_TYPE_RENDER_PARAMS, &values, sizeof values, NULL, 0);
    if (result == PLAIT_OK && values.flags & ~PLAIT_RENDER_PUSH_OUT)
        result = fail(&call, PLAIT_ERROR_INVALID_ARGUMENT, "params.flags is %u, with bits that are no PLAIT_RENDER_xxx",
                      values.flags);
    if (result == PLAIT_OK)
        result = struct_check_floats(&call, "params", NOT_IN_ARRAY, &values, ranges, ARRAY_LENGTH(ranges));
    if (result == PLAIT_OK) hair->render_params = values;
    hair_leave(&call, hair);
    return result;
}

static plait_result check_binding(const struct call *call, const struct hair *hair, const struct binding *binding) {
    if (binding->guides != hair->groom && binding->info.guides_identity != hair->groom->info.identity)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "binding was made for guides that are not the hair's groom");
    return PLAIT_OK;
}

// The render output is of another size then: it goes first, and comes back if the rest fails.
static plait_result set_binding(struct call *call, struct hair *hair, struct binding *next) {
    plait_result result = hair_wait(call, hair, UINT64_MAX);
    if (result != PLAIT_OK) return result;
    struct binding *old = hair->binding;
    struct output output = hair->render_output;
    plait_render_style *styles = hair->styles;
    memset(&hair->render_output, 0, sizeof hair->render_output);
    hair->styles = NULL;
    hair->binding = next;
    uint32_t index = render_index(hair);
    if (index < hair->coupling_count)
        result = hair_move(call, hair, hair->on.device, hair->on.common);
    else if (next)
        result = hair_couple(call, hair, &render_coupling, NULL);
    if (result != PLAIT_OK) {
        hair->binding = old;
        hair->render_output = output;
        hair->styles = styles;
        return fail(call, result, "the hair keeps the render strands that it had");
    }
    memory_release(call->context, styles);
    memory_release(call->context, hair->clumps);
    hair->clumps = NULL;
    hair->rows_valid = false;
    hair_free_output(&output);
    if (next) object_keep(&next->object);
    if (old) object_drop(&old->object);
    hair->info.render_vertex_count = next ? next->info.vertex_count : 0;
    hair->info.render_strand_count = 0; // none is written yet
    memset(hair->info.render_bounds_min, 0, sizeof hair->info.render_bounds_min);
    memset(hair->info.render_bounds_max, 0, sizeof hair->info.render_bounds_max);
    memset(hair->info.render_box_min, 0, sizeof hair->info.render_box_min);
    memset(hair->info.render_box_max, 0, sizeof hair->info.render_box_max);
    hair->info.render_max_radius = 0;
    return PLAIT_OK;
}

plait_result PLAIT_CALL plait_hair_set_binding(plait_hair handle, plait_binding binding) {
    struct call call = {.function = __func__};
    struct hair *hair;
    plait_result result = hair_enter(&call, handle, &hair);
    if (result != PLAIT_OK) return result;
    struct object *object = NULL;
    if (binding.id) result = object_find(&call, "binding", binding.id, OBJECT_BINDING, &object);
    if (result == PLAIT_OK && object) result = check_binding(&call, hair, (struct binding *)object);
    if (result == PLAIT_OK && (struct binding *)object != hair->binding)
        result = set_binding(&call, hair, (struct binding *)object);
    if (result == PLAIT_OK) hair->info.binding = binding;
    if (object) object_drop(object);
    hair_leave(&call, hair);
    return result;
}
