// Making a binding: every strand looks for its guides by itself, over all threads; then strands are put in an order in which
// neighbours follow the same guides, and what they see of these becomes rows.
#include "binding_search.h"
#include "jobs.h"
#include "sine.h"
#include "structs.h"

#include <string.h>

// Strands are looked at in pieces; the host hears of progress between batches of them.
#define PIECE_STRANDS 128
#define BATCH_PIECES 32

// Vertices of a strand go with vertices of its guides by their numbers, which is right where both were drawn alike. Where that is
// off by more than this, in segments, the strand has a row of its own.
#define EVEN_SEGMENTS 1.0

// A strand of another length than its guide goes with as much of it as it is long, from the root on; what is longer, beyond that,
// with its tip. Over the whole guide, short strands would bend as much in all, and stretch by what they are apart from the guide
// times that: in fur of 50,000 strands to 7 times their length. Strands share rows, so lengths go by levels, this factor apart;
// level 0 is the whole guide.
#define LEVEL_FACTOR 1.41421356
#define LEVEL_MOST 16

// ---- the guides of a strand ----

struct choice {
    uint32_t guides[MAX_GUIDES];
    float weights[MAX_GUIDES];
    uint32_t count;
    float distance; // of the roots, to the nearest of them
    bool on_guide;  // it lies on the only one
    bool uneven[MAX_GUIDES];
    int8_t levels[MAX_GUIDES]; // of the strand's length over the guide's
};

struct work {
    struct context *context;
    const struct groom *guides, *render;
    const struct guide_tree *tree;
    uint32_t guide_count, flags, first;
    float shape_weight2, length_weight2, parting_cosine;
    double *guide_shares;   // [vertices of guides] of their lengths
    struct choice *choices; // [strand_count]
};

static float dot(const float *a, const float *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Of roots, shapes and lengths together, squared.
static float difference2(const struct work *w, const struct strand_look *a, const struct strand_look *b,
                         float distance2) {
    float shape2 = 0, length = a->length - b->length;
    for (int i = 0; i < SHAPE_POINTS; i++)
        for (int c = 0; c < 3; c++) {
            float off = a->points[i][c] - b->points[i][c];
            shape2 += off * off;
        }
    return distance2 + w->shape_weight2 * (shape2 / SHAPE_POINTS) + w->length_weight2 * (length * length);
}

// Shepard's weights with a reach, so that a guide comes and goes without a jump from strand to strand (Franke and Nielson 1980).
static void weigh(struct choice *choice, const float *distances, float reach) {
    double sum = 0, weights[MAX_GUIDES];
    for (uint32_t i = 0; i < choice->count; i++) {
        double near = 1 / (distances[i] + 1e-6 * reach) - 1 / (double)reach;
        weights[i] = near * near;
        sum += weights[i];
    }
    for (uint32_t i = 0; i < choice->count; i++) choice->weights[i] = (float)(weights[i] / sum);
}

// A strand that lies on a guide follows it alone, however unlike they are in length.
static bool choose_on_guide(const struct work *w, uint32_t strand, const struct strand_look *look,
                            const struct near_guide *found, uint32_t count, struct choice *choice) {
    double places[PLAIT_MAX_STRAND_VERTICES], off = ON_GUIDE * look->length;
    for (uint32_t i = 0; i < count && found[i].distance2 <= off * off; i++)
        if (strand_lies_on(w->render, strand, w->guides, found[i].guide, places)) {
            *choice = (struct choice){.guides = {found[i].guide},
                                      .weights = {1},
                                      .count = 1,
                                      .distance = sqrtf(found[i].distance2),
                                      .on_guide = true};
            return true;
        }
    return false;
}

// Whether a parting is between a guide and one of those that were chosen.
static bool is_parted(const struct work *w, const struct choice *choice, uint32_t guide) {
    bool parted = false;
    for (uint32_t i = 0; i < choice->count; i++)
        parted = parted ||
                 dot(w->tree->looks[choice->guides[i]].direction, w->tree->looks[guide].direction) < w->parting_cosine;
    return parted;
}

// The power of LEVEL_FACTOR that is next to a ratio of lengths.
static int8_t level_of(double ratio) {
    const double half = 1.18920712; // its root
    int8_t level = 0;
    for (; ratio < 1 / half && level > -LEVEL_MOST; level--) ratio *= LEVEL_FACTOR;
    for (; ratio > half && level < LEVEL_MOST; level++) ratio /= LEVEL_FACTOR;
    return level;
}

static double level_ratio(int level) {
    double ratio = 1;
    for (; level < 0; level++) ratio /= LEVEL_FACTOR;
    for (; level > 0; level--) ratio *= LEVEL_FACTOR;
    return ratio;
}

// The nearest guide on the strand's side of a parting, then others on the side of those before.
static void choose(const struct work *w, uint32_t strand, struct choice *choice) {
    struct strand_look look;
    struct near_guide found[NEAR_MOST];
    struct {
        uint32_t guide;
        float difference2;
    } near[NEAR_MOST] = {{0, 0}}, swap;
    const uint32_t most = w->guide_count * 4 + 12 < NEAR_MOST ? w->guide_count * 4 + 12 : NEAR_MOST;
    strand_look(w->render, strand, &look);
    uint32_t count = 0;
    if (w->flags & PLAIT_BINDING_BY_GROUP) count = guide_tree_find(w->tree, look.root, look.group, most, found);
    if (count == 0) count = guide_tree_find(w->tree, look.root, ANY_GROUP, most, found);
    if (choose_on_guide(w, strand, &look, found, count, choice)) return;
    for (uint32_t i = 0; i < count; i++) {
        const struct strand_look *guide = &w->tree->looks[found[i].guide];
        float d = difference2(w, &look, guide, found[i].distance2);
        uint32_t at = i;
        while (at > 0 && near[at - 1].difference2 > d) {
            near[at] = near[at - 1];
            at--;
        }
        near[at].guide = found[i].guide;
        near[at].difference2 = d;
    }
    uint32_t first = 0;
    while (first < count && dot(w->tree->looks[near[first].guide].direction, look.direction) < w->parting_cosine)
        first++;
    if (first == count) first = 0;
    swap = near[first];
    memmove(&near[1], &near[0], first * sizeof near[0]);
    near[0] = swap;

    float distances[MAX_GUIDES], reach = 0;
    choice->count = 0;
    for (uint32_t i = 0; i < count && reach == 0; i++) {
        if (is_parted(w, choice, near[i].guide)) continue;
        float d = sqrtf(near[i].difference2);
        if (choice->count < w->guide_count) {
            distances[choice->count] = d;
            choice->guides[choice->count++] = near[i].guide;
        } else {
            reach = d; // of the first that is left out
        }
    }
    float farthest = 0;
    for (uint32_t i = 0; i < choice->count; i++) farthest = fmaxf(farthest, distances[i]);
    reach = fmaxf(reach, 1.0001f * farthest);
    if (reach == 0) reach = 1;
    weigh(choice, distances, reach);
    for (uint32_t i = 0; i < choice->count; i++)
        choice->levels[i] = level_of((double)look.length / (double)w->tree->looks[choice->guides[i]].length);
    float distance2 = 0;
    for (int c = 0; c < 3; c++) {
        float off = look.root[c] - w->tree->looks[near[0].guide].root[c];
        distance2 += off * off;
    }
    choice->distance = sqrtf(distance2);
}

// Shares of a guide's length that vertices of even rows are at.
static void even_shares(const struct work *w, uint32_t count, uint32_t guide, double *shares) {
    const double *theirs = w->guide_shares + w->guides->first_vertex[guide];
    const uint32_t segments = w->guides->vertex_counts[guide] - 1;
    const double stride = (double)segments / (count - 1);
    for (uint32_t v = 0; v < count; v++) {
        uint32_t k = (uint32_t)(v * stride) < segments - 1 ? (uint32_t)(v * stride) : segments - 1;
        shares[v] = theirs[k] + (theirs[k + 1] - theirs[k]) * (v * stride - k);
    }
}

// Whether a strand's vertices are elsewhere along it than those of the same number along a guide.
static bool is_uneven(const struct work *w, const double *shares, uint32_t count, uint32_t guide) {
    double even[PLAIT_MAX_STRAND_VERTICES];
    even_shares(w, count, guide, even);
    for (uint32_t v = 0; v < count; v++)
        if (fabs(even[v] - shares[v]) > EVEN_SEGMENTS / (count - 1)) return true;
    return false;
}

static void PLAIT_CALL choose_piece(void *argument, uint32_t index) {
    const struct work *w = argument;
    double shares[PLAIT_MAX_STRAND_VERTICES];
    uint64_t saved = float_state_enter();
    uint64_t first = w->first + (uint64_t)index * PIECE_STRANDS, end = first + PIECE_STRANDS;
    if (end > w->render->info.strand_count) end = w->render->info.strand_count;
    for (uint64_t s = first; s < end; s++) {
        struct choice *choice = &w->choices[s];
        choose(w, (uint32_t)s, choice);
        strand_shares(w->render, (uint32_t)s, shares);
        for (uint32_t g = 0; g < choice->count && !choice->on_guide; g++)
            choice->uneven[g] = is_uneven(w, shares, w->render->vertex_counts[s], choice->guides[g]);
    }
    float_state_leave(saved);
}

static plait_result choose_all(struct call *call, struct work *w, const plait_binding_desc *desc) {
    const uint32_t strands = w->render->info.strand_count;
    for (uint64_t first = 0; first < strands; first += PIECE_STRANDS * BATCH_PIECES) {
        uint64_t left = strands - first, pieces = (left + PIECE_STRANDS - 1) / PIECE_STRANDS;
        w->first = (uint32_t)first;
        jobs_run(call->context, (uint32_t)(pieces < BATCH_PIECES ? pieces : BATCH_PIECES), choose_piece, w);
        uint64_t done = first + PIECE_STRANDS * BATCH_PIECES < strands ? first + PIECE_STRANDS * BATCH_PIECES : strands;
        plait_result result = desc->progress ? desc->progress(desc->user, (uint32_t)done, strands) : PLAIT_OK;
        if (result != PLAIT_OK) return fail(call, result, "desc.progress ended it with %d", result);
    }
    return PLAIT_OK;
}

// ---- order ----

struct key {
    uint64_t value;
    uint32_t strand;
};

static uint64_t spread_bits(uint64_t v) { // 10 bits to every third
    v = (v | v << 16) & 0x30000ff;
    v = (v | v << 8) & 0x300f00f;
    v = (v | v << 4) & 0x30c30c3;
    return (v | v << 2) & 0x9249249;
}

static uint64_t curve_place(const struct groom *groom, const float *p) {
    uint64_t morton = 0;
    for (int c = 0; c < 3; c++) {
        double low = groom->info.bounds_min[c], high = groom->info.bounds_max[c];
        morton |= spread_bits((uint64_t)(high > low ? (p[c] - low) / (high - low) * 1023 : 0)) << c;
    }
    return morton;
}

// Strands of one guide together, guides along a space-filling curve; stable.
static bool put_in_order(struct context *context, const struct work *w, struct binding *binding) {
    const uint32_t count = w->render->info.strand_count;
    struct key *keys = memory_allocate(context, count, 2 * sizeof *keys), *spare = keys + count;
    if (!keys) return false;
    for (uint32_t s = 0; s < count; s++) {
        uint32_t guide = w->choices[s].guides[0];
        uint64_t place = curve_place(w->guides, w->guides->positions + 3 * (size_t)w->guides->first_vertex[guide]);
        keys[s] = (struct key){place << 26 | guide % (1u << 26), s};
    }
    struct key *from = keys, *to = spare;
    for (unsigned shift = 0; shift < 56; shift += 8) {
        uint32_t start[257] = {0};
        for (uint32_t i = 0; i < count; i++) start[(from[i].value >> shift & 0xff) + 1]++;
        for (int b = 0; b < 256; b++) start[b + 1] += start[b];
        for (uint32_t i = 0; i < count; i++) to[start[from[i].value >> shift & 0xff]++] = from[i];
        struct key *swap = from;
        from = to;
        to = swap;
    }
    for (uint32_t i = 0; i < count; i++) binding->order[i] = from[i].strand;
    memory_release(context, keys);
    return true;
}

// ---- rows ----

struct row_table {
    uint32_t *slots; // row + 1; 0: free
    int8_t *levels;  // of rows
    uint64_t mask;
    uint64_t place_count;
};

static uint32_t own_row(struct binding *binding, struct row_table *table, uint32_t guide, uint32_t count) {
    binding->rows[binding->info.row_count] = (struct binding_row){guide, count, (uint32_t)table->place_count};
    table->place_count += count;
    return binding->info.row_count++;
}

// A row that strands of one vertex count and level share.
static uint32_t shared_row(const struct work *w, struct binding *binding, struct row_table *table, uint32_t guide,
                           uint32_t count, int8_t level) {
    uint64_t key = ((uint64_t)guide << 16 | count << 6 | (uint64_t)(level + LEVEL_MOST)) * 0x9e3779b97f4a7c15u;
    uint64_t at = key >> 20 & table->mask;
    for (; table->slots[at]; at = (at + 1) & table->mask) {
        const uint32_t found = table->slots[at] - 1;
        const struct binding_row *row = &binding->rows[found];
        if (row->guide == guide && row->count == count && table->levels[found] == level) return found;
    }
    const uint32_t made = own_row(binding, table, guide, count);
    table->slots[at] = made + 1;
    table->levels[made] = level;
    if (level == 0) {
        binding->rows[made].places = EVEN_ROW;
        table->place_count -= count;
    } else {
        double shares[PLAIT_MAX_STRAND_VERTICES], ratio = level_ratio(level);
        even_shares(w, count, guide, shares);
        for (uint32_t v = 0; v < count; v++) shares[v] *= ratio;
        strand_places(w->guides, guide, count, shares, binding->places + binding->rows[made].places);
    }
    return made;
}

static void own_places(const struct work *w, uint32_t strand, uint32_t guide, const double *shares, double *places) {
    const uint32_t count = w->render->vertex_counts[strand];
    const double ratio = strand_length(w->render, strand) / strand_length(w->guides, guide);
    double along[PLAIT_MAX_STRAND_VERTICES];
    for (uint32_t v = 0; v < count; v++) along[v] = shares[v] * ratio;
    strand_places(w->guides, guide, count, along, places);
}

static void make_rows(const struct work *w, struct binding *binding, struct row_table *table) {
    double shares[PLAIT_MAX_STRAND_VERTICES];
    for (uint32_t i = 0; i < binding->info.strand_count; i++) {
        const uint32_t strand = binding->order[i], count = w->render->vertex_counts[strand];
        const struct choice *choice = &w->choices[strand];
        uint32_t *rows = binding->strand_rows + (size_t)i * binding->guide_count;
        float *weights = binding->weights + (size_t)i * binding->guide_count;
        strand_shares(w->render, strand, shares);
        for (uint32_t g = 0; g < binding->guide_count; g++) {
            if (g >= choice->count) { // another look at the first, with no weight
                rows[g] = rows[0];
                continue;
            }
            weights[g] = choice->weights[g];
            if (!choice->on_guide && !choice->uneven[g]) {
                rows[g] = shared_row(w, binding, table, choice->guides[g], count, choice->levels[g]);
                continue;
            }
            rows[g] = own_row(binding, table, choice->guides[g], count);
            double *places = binding->places + binding->rows[rows[g]].places;
            if (choice->on_guide)
                strand_lies_on(w->render, strand, w->guides, choice->guides[g], places);
            else
                own_places(w, strand, choice->guides[g], shares, places);
        }
        binding->info.single_count += choice->count == 1;
    }
}

// Room for the most rows that there can be, then only what they take.
static plait_result bind_rows(struct call *call, const struct work *w, struct binding *binding) {
    struct context *context = call->context;
    const uint64_t strands = binding->info.strand_count, most = strands * binding->guide_count;
    uint64_t places = 0, slots = 1024;
    for (uint32_t s = 0; s < strands; s++) {
        const struct choice *choice = &w->choices[s];
        for (uint32_t g = 0; g < choice->count; g++)
            if (choice->on_guide || choice->uneven[g] || choice->levels[g]) places += w->render->vertex_counts[s];
    }
    if (places >= EVEN_ROW)
        return fail(call, PLAIT_ERROR_TOO_LARGE, "%llu vertices of strands that are not evenly drawn",
                    (unsigned long long)places);
    while (slots < 2 * most) slots *= 2;
    struct row_table table = {.slots = memory_allocate(context, slots, sizeof(uint32_t)),
                              .levels = memory_allocate(context, most, sizeof(int8_t)),
                              .mask = slots - 1};
    struct binding_row *room = memory_allocate(context, most, sizeof *room);
    double *along = memory_allocate(context, places ? places : 1, sizeof *along);
    plait_result result = PLAIT_ERROR_OUT_OF_MEMORY;
    if (table.slots && table.levels && room && along) {
        binding->rows = room;
        binding->places = along;
        make_rows(w, binding, &table);
        places = table.place_count;
        binding->rows = memory_allocate(context, binding->info.row_count, sizeof *binding->rows);
        binding->places = memory_allocate(context, places ? places : 1, sizeof *binding->places);
        if (binding->rows && binding->places) {
            memcpy(binding->rows, room, binding->info.row_count * sizeof *room);
            memcpy(binding->places, along, places * sizeof *along);
            result = PLAIT_OK;
        }
    }
    memory_release(context, table.slots);
    memory_release(context, table.levels);
    memory_release(context, room);
    memory_release(context, along);
    if (result != PLAIT_OK)
        return fail(call, result, "no memory for the rows of %llu strands", (unsigned long long)strands);
    binding->info.memory_bytes += binding->info.row_count * sizeof *binding->rows + places * sizeof *binding->places;
    return PLAIT_OK;
}

// ---- the object ----

static void destroy_binding(struct object *object) {
    struct binding *binding = (struct binding *)object;
    struct context *context = object->context;
    memory_release(context, binding->order);
    memory_release(context, binding->strand_rows);
    memory_release(context, binding->weights);
    memory_release(context, binding->rows);
    memory_release(context, binding->places);
    if (binding->guides) object_drop(&binding->guides->object);
    if (binding->render) object_drop(&binding->render->object);
    memory_release(context, binding);
}

static void sum_up(const struct work *w, plait_binding_info *info) {
    double sum = 0;
    for (uint32_t s = 0; s < info->strand_count; s++) {
        sum += w->choices[s].distance;
        info->max_distance = fmaxf(info->max_distance, w->choices[s].distance);
    }
    info->mean_distance = (float)(sum / info->strand_count);
}

static plait_result bind_strands(struct call *call, const plait_binding_desc *desc, struct binding *binding) {
    struct context *context = call->context;
    struct guide_tree tree = {0};
    double parting = cosine_of(0.5 * desc->parting_angle);
    struct work w = {.context = context,
                     .guides = binding->guides,
                     .render = binding->render,
                     .tree = &tree,
                     .guide_count = binding->guide_count,
                     .flags = desc->flags,
                     .shape_weight2 = desc->shape_weight * desc->shape_weight,
                     .length_weight2 = desc->length_weight * desc->length_weight,
                     .parting_cosine = (float)(2 * parting * parting - 1),
                     .choices = memory_allocate(context, binding->info.strand_count, sizeof *w.choices)};
    plait_result result = PLAIT_ERROR_OUT_OF_MEMORY;
    w.guide_shares = memory_allocate(context, binding->guides->info.vertex_count, sizeof *w.guide_shares);
    if (w.choices && w.guide_shares && guide_tree_create(context, binding->guides, &tree)) {
        for (uint32_t g = 0; g < binding->info.guide_strand_count; g++)
            strand_shares(binding->guides, g, w.guide_shares + binding->guides->first_vertex[g]);
        result = choose_all(call, &w, desc);
    }
    if (result == PLAIT_OK && !put_in_order(context, &w, binding)) result = PLAIT_ERROR_OUT_OF_MEMORY;
    if (result == PLAIT_ERROR_OUT_OF_MEMORY)
        fail(call, result, "no memory to bind %u strands", binding->info.strand_count);
    if (result == PLAIT_OK) result = bind_rows(call, &w, binding);
    if (result == PLAIT_OK) sum_up(&w, &binding->info);
    guide_tree_destroy(context, &tree);
    memory_release(context, w.guide_shares);
    memory_release(context, w.choices);
    return result;
}

static plait_result check_desc(const struct call *call, plait_binding_desc *desc) {
    static const struct float_range ranges[] = {
        {"parting_angle", offsetof(plait_binding_desc, parting_angle), 0, 3.15f, 0.8f},
        {"shape_weight", offsetof(plait_binding_desc, shape_weight), 0, 100, 1.0f},
        {"length_weight", offsetof(plait_binding_desc, length_weight), 0, 100, 0.3f},
    };
    if (desc->guide_count > MAX_GUIDES)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.guide_count is %u, more than %d", desc->guide_count,
                    MAX_GUIDES);
    if (desc->flags & ~PLAIT_BINDING_BY_GROUP)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.flags is %u, with bits that are no PLAIT_BINDING_xxx",
                    desc->flags);
    if (desc->reserved != 0) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "desc.reserved is not 0");
    return struct_check_floats(call, "desc", NOT_IN_ARRAY, desc, ranges, ARRAY_LENGTH(ranges));
}

static void describe(struct binding *binding) {
    const plait_groom_info *guides = &binding->guides->info, *render = &binding->render->info;
    binding->info.guide_strand_count = guides->strand_count;
    binding->info.strand_count = render->strand_count;
    binding->info.vertex_count = render->vertex_count;
    binding->info.max_vertex_count = render->max_vertex_count;
    binding->info.guides_identity = guides->identity;
    binding->info.render_identity = render->identity;
    binding->info.memory_bytes = sizeof *binding;
    for (int c = 0; c < 3; c++) binding->centre[c] = 0.5 * ((double)guides->bounds_min[c] + guides->bounds_max[c]);
}

static plait_result find_grooms(struct call *call, const char *of_guides, plait_groom guides, const char *of_render,
                                plait_groom render, struct binding *binding) {
    struct object *object = NULL;
    plait_result result = object_find(call, of_guides, guides.id, OBJECT_GROOM, &object);
    if (result != PLAIT_OK) return result;
    binding->guides = (struct groom *)object;
    result = object_find(call, of_render, render.id, OBJECT_GROOM, &object);
    if (result != PLAIT_OK) return result;
    binding->render = (struct groom *)object;
    describe(binding);
    return PLAIT_OK;
}

static plait_result fill_binding(struct call *call, const plait_binding_desc *desc, struct binding *binding) {
    plait_result result = find_grooms(call, "desc.guides", desc->guides, "desc.render", desc->render, binding);
    if (result != PLAIT_OK) return result;
    binding->guide_count = desc->guide_count ? desc->guide_count : 3;
    size_t strands = binding->info.strand_count;
    binding->order = memory_allocate(call->context, strands, sizeof *binding->order);
    binding->strand_rows = memory_allocate(call->context, strands, binding->guide_count * sizeof(uint32_t));
    binding->weights = memory_allocate(call->context, strands, binding->guide_count * sizeof(float));
    if (!binding->order || !binding->strand_rows || !binding->weights)
        return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory to bind %zu strands", strands);
    binding->info.memory_bytes +=
        strands * (sizeof(uint32_t) + binding->guide_count * (sizeof(uint32_t) + sizeof(float)));
    return bind_strands(call, desc, binding);
}

static struct binding *new_binding(struct call *call) {
    struct binding *binding = memory_allocate(call->context, 1, sizeof *binding);
    if (!binding) {
        fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the binding");
        return NULL;
    }
    binding->object.context = call->context;
    binding->object.destroy = destroy_binding;
    return binding;
}

// Gives a binding that was filled its handle, or ends it.
static plait_result publish(struct call *call, plait_result filled, struct binding *binding, plait_binding *handle) {
    plait_result result = filled;
    if (result == PLAIT_OK) result = object_publish(call, &binding->object, OBJECT_BINDING, &handle->id);
    if (result != PLAIT_OK) destroy_binding(&binding->object);
    return result;
}

static plait_result create_binding(struct call *call, const plait_binding_desc *desc_in, plait_binding *handle) {
    plait_binding_desc desc;
    plait_result result = struct_read(call, "desc", desc_in, PLAIT_TYPE_BINDING_DESC, &desc, sizeof desc, NULL, 0);
    if (result == PLAIT_OK) result = check_desc(call, &desc);
    if (result != PLAIT_OK) return result;
    struct binding *binding = new_binding(call);
    if (!binding) return PLAIT_ERROR_OUT_OF_MEMORY;
    return publish(call, fill_binding(call, &desc, binding), binding, handle);
}

static plait_result load_binding(struct call *call, plait_groom guides, plait_groom render, const void *memory,
                                 uint64_t size, plait_binding *handle) {
    struct binding *binding = new_binding(call);
    if (!binding) return PLAIT_ERROR_OUT_OF_MEMORY;
    plait_result result = find_grooms(call, "guides", guides, "render", render, binding);
    if (result == PLAIT_OK) result = binding_fill_from(call, binding, memory, size);
    return publish(call, result, binding, handle);
}

plait_result PLAIT_CALL plait_binding_load(plait_context context, plait_groom guides, plait_groom render,
                                           const void *memory, uint64_t size, plait_binding *handle) {
    if (handle) handle->id = 0;
    struct call call = {.function = __func__};
    plait_result result = call_enter_context(&call, context);
    if (result != PLAIT_OK) return result;
    if (!handle)
        result = fail(&call, PLAIT_ERROR_INVALID_ARGUMENT, "binding is null");
    else
        result = load_binding(&call, guides, render, memory, size, handle);
    call_leave(&call);
    return result;
}

plait_result PLAIT_CALL plait_binding_create(plait_context context, const plait_binding_desc *desc,
                                             plait_binding *handle) {
    if (handle) handle->id = 0;
    struct call call = {.function = __func__};
    plait_result result = call_enter_context(&call, context);
    if (result != PLAIT_OK) return result;
    if (!handle)
        result = fail(&call, PLAIT_ERROR_INVALID_ARGUMENT, "binding is null");
    else
        result = create_binding(&call, desc, handle);
    call_leave(&call);
    return result;
}

plait_result PLAIT_CALL plait_binding_destroy(plait_binding handle) {
    struct call call = {.function = __func__};
    return object_retire(&call, handle.id, OBJECT_BINDING);
}

plait_result PLAIT_CALL plait_binding_query(plait_binding handle, plait_binding_info *info) {
    struct call call = {.function = __func__};
    struct object *object;
    plait_result result = call_enter(&call, handle.id, OBJECT_BINDING, false, &object);
    if (result != PLAIT_OK) return result;
    result = struct_check_info(&call, "info", info, PLAIT_TYPE_BINDING_INFO);
    if (result == PLAIT_OK) struct_write(info, &((struct binding *)object)->info, sizeof *info);
    call_leave_object(&call, object, false);
    return result;
}
