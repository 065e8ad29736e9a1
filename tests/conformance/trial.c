#include "trial.h"
#include "device.h"
#include "packing.h"
#include "places.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static plait_context context;
static plait_device handles[PLACES];
static struct device *devices[PLACES]; // null: not here

void trials_open(void) {
    assert_int_equal(plait_context_create(NULL, &context), PLAIT_OK);
    for (size_t i = 0; i < PLACES; i++) {
        if (!place_open(&places[i], context, &handles[i])) continue;
        struct call call = {.function = __func__};
        struct object *object;
        assert_int_equal(call_enter(&call, handles[i].id, OBJECT_DEVICE, false, &object), PLAIT_OK);
        call_leave_object(&call, object, false);
        devices[i] = (struct device *)object; // alive while its handle is
    }
}

void trials_close(void) {
    for (size_t i = 0; i < PLACES; i++)
        if (devices[i]) assert_int_equal(plait_device_close(handles[i]), PLAIT_OK);
    assert_int_equal(plait_context_destroy(context), PLAIT_OK);
    places_close();
}

struct device *trial_device(size_t place) {
    return devices[place];
}

// ---- host order and packed order ----

static struct packing pack_strands(struct device *device, const struct strands *s, uint32_t width) {
    struct groom groom = {.info = {.strand_count = s->count, .bounds_min = {-1, 0, -1}, .bounds_max = {1, 2, 1}},
                          .vertex_counts = s->vertex_counts,
                          .first_vertex = s->first_vertex,
                          .positions = s->positions};
    struct packing packing = {0};
    assert_true(packing_create(device->object.context, &groom, width, &packing));
    return packing;
}

static bool is_per_vertex(const struct field *field) { return field->layout == FIELD_VERTICES; }

static size_t packed_words(const struct device *device, const struct packing *packing, const struct field *field) {
    switch (field->layout) {
    case FIELD_PACKS: return (size_t)packing->pack_count * PACK_UINTS;
    case FIELD_STRANDS: return (size_t)packing->pack_count * packing->width * field->rows;
    case FIELD_VERTICES: return (size_t)packing->row_count * packing->width * field->rows;
    case FIELD_LISTS: return (size_t)packing->pack_count * device->lists_per_pack * field->rows;
    default: return (size_t)field->rows + field->spare;
    }
}

static size_t host_words(const struct strands *s, const struct field *field) {
    if (field->layout == FIELD_STRANDS) return (size_t)s->count * field->rows;
    if (is_per_vertex(field)) return (size_t)s->vertex_count * field->rows;
    return field->layout == FIELD_UNIFORM || field->layout == FIELD_HOST ? field->rows : 0;
}

// Which word of a field in host order a packed word is; for padding, which one it is like: the same strand's last vertex,
// or another strand's root where a lane has none.
static size_t host_word(const struct strands *s, const struct packing *packing, const struct field *field, size_t at,
                        bool *padding) {
    uint32_t lane = (uint32_t)(at % packing->width), row = (uint32_t)(at / packing->width / field->rows);
    size_t component = at / packing->width % field->rows;
    uint32_t pack = row, vertex = 0;
    if (is_per_vertex(field)) {
        for (pack = 0;
             row >= packing->table[pack * PACK_UINTS + PACK_FIRST] + packing->table[pack * PACK_UINTS + PACK_VERTICES];)
            pack++;
        vertex = row - packing->table[pack * PACK_UINTS + PACK_FIRST];
    }
    uint32_t strand = packing->strands[pack * packing->width + lane];
    *padding = strand == NO_STRAND;
    if (*padding) strand = packing->strands[0], vertex = 0;
    if (field->layout == FIELD_STRANDS) return (size_t)strand * field->rows + component;
    uint32_t last = s->vertex_counts[strand] - 1;
    *padding |= vertex > last;
    return ((size_t)s->first_vertex[strand] + (vertex < last ? vertex : last)) * field->rows + component;
}

static void pack_field(const struct strands *s, const struct packing *packing, const struct field *field,
                       uint32_t *packed, size_t words) {
    const uint32_t *content = field->content;
    for (size_t at = 0; at < words; at++) {
        bool padding;
        size_t word = host_word(s, packing, field, at, &padding);
        packed[at] = content[word];
        if (padding && field->padding) memcpy(&packed[at], &field->padding[word % field->rows], sizeof packed[at]);
    }
}

static void unpack_field(const struct strands *s, const struct packing *packing, const struct field *field,
                         const uint32_t *packed, size_t words, uint32_t *out) {
    for (size_t at = 0; at < words; at++) {
        bool padding;
        size_t word = host_word(s, packing, field, at, &padding);
        if (!padding) out[word] = packed[at];
    }
}

// ---- one device ----

struct run {
    struct device *device;
    struct packing packing;
    struct arena *arena;
    struct buffer buffers[KERNEL_MAX_BINDINGS];
    uint32_t *packed[KERNEL_MAX_BINDINGS];
};

static bool is_packed(const struct field *field) { return field->layout == FIELD_STRANDS || is_per_vertex(field); }

static void make_buffer(struct run *run, const struct strands *s, const struct field *field, uint32_t b) {
    const struct device_ops *ops = run->device->ops;
    size_t words = packed_words(run->device, &run->packing, field);
    uint32_t *packed = run->packed[b] = calloc(words, sizeof *packed);
    assert_non_null(packed);
    if (field->layout == FIELD_PACKS)
        memcpy(packed, run->packing.table, words * sizeof *packed);
    else if (field->content && is_packed(field))
        pack_field(s, &run->packing, field, packed, words);
    else if (field->content)
        memcpy(packed, field->content, (words - field->spare) * sizeof *packed);
    if (field->layout == FIELD_HOST) {
        run->buffers[b] =
            (struct buffer){.memory = packed, .size = words * sizeof *packed, .extent = words * sizeof *packed};
        return;
    }
    assert_int_equal(ops->buffer_create(run->arena, words * sizeof *packed, USE_PLAIN, &run->buffers[b]), PLAIT_OK);
    assert_int_equal(ops->buffer_write(&run->buffers[b], 0, packed, words * sizeof *packed), PLAIT_OK);
}

// Runs the trial on one device in packs of some width; results in host order, a null for each field that has none.
static void run_on(struct device *device, const struct strands *s, const struct trial *trial, uint32_t width,
                   uint32_t *results[KERNEL_MAX_BINDINGS]) {
    const struct device_ops *ops = device->ops;
    const uint32_t bindings = kernel_infos[trial->kernel].binding_count;
    struct run run = {.device = device, .packing = pack_strands(device, s, width)};
    assert_int_equal(ops->arena_create(device, 1, NULL, &run.arena), PLAIT_OK);
    struct stage stage = {.kernel = trial->kernel, .values = trial->values, .span = trial->span};
    for (uint32_t b = 0; b < bindings; b++) {
        if (trial->fields[b].layout == FIELD_NONE) continue;
        make_buffer(&run, s, &trial->fields[b], b);
        stage.bindings[b] = &run.buffers[b];
    }
    struct plan *plan;
    struct plan_size size = {run.packing.pack_count, run.packing.width,
                             (uint64_t)run.packing.row_count * run.packing.width, run.packing.table};
    struct stage_list list = {.stages = &stage, .count = 1, .capacity = 1};
    struct phase phase;
    struct schedule schedule;
    assert_true(schedule_make(&list, &phase, &schedule));
    assert_int_equal(ops->plan_create(run.arena, 1, &size, &plan), PLAIT_OK);
    assert_int_equal(ops->plan_set(plan, &schedule), PLAIT_OK);
    assert_int_equal(ops->plan_run(plan), PLAIT_OK);
    assert_int_equal(ops->wait(run.arena, UINT64_MAX), PLAIT_OK);
    for (uint32_t b = 0; b < bindings; b++) {
        const struct field *field = &trial->fields[b];
        size_t words = host_words(s, field);
        if (field->layout != FIELD_NONE && field->layout != FIELD_HOST)
            assert_int_equal(ops->buffer_read(&run.buffers[b], 0, run.packed[b], run.buffers[b].size), PLAIT_OK);
        if (words) {
            results[b] = calloc(words, sizeof(uint32_t));
            assert_non_null(results[b]);
            if (is_packed(field))
                unpack_field(s, &run.packing, field, run.packed[b], run.buffers[b].size / sizeof(uint32_t), results[b]);
            else
                memcpy(results[b], run.packed[b], words * sizeof(uint32_t));
        }
    }
    ops->plan_destroy(plan);
    for (uint32_t b = 0; b < bindings; b++) {
        if (run.buffers[b].arena) ops->buffer_destroy(&run.buffers[b]);
        free(run.packed[b]);
    }
    ops->arena_destroy(run.arena);
    packing_destroy(device->object.context, &run.packing);
}

bool trial_run_at(const struct strands *s, const struct trial *trial, size_t place, int form,
                  uint32_t *results[KERNEL_MAX_BINDINGS]) {
    struct device *device = devices[place];
    if (!device) return false;
    bool on_cpu = places[place].backend == PLAIT_BACKEND_CPU;
    bool differs = on_cpu ? device->narrow_width != device->pack_width : kernel_has_override(trial->kernel);
    if (form > 0 && !differs) return false;
    enum override_use usual = device->overrides;
    device->overrides = form > 0 && !on_cpu ? OVERRIDES_ALWAYS : OVERRIDES_NEVER;
    run_on(device, s, trial, form > 0 && on_cpu ? device->narrow_width : device->pack_width, results);
    device->overrides = usual;
    return true;
}

// ---- comparing ----

struct worst {
    const char *trial, *field, *place, *form;
    double difference, tolerance, limit; // the largest of each
};
static struct worst worst[256];
static size_t worst_count;

static const char *form_name(int form) { return form > 0 ? ", its other form" : ""; }

static void remember(const char *trial, const struct field *field, const char *place, int form, double difference,
                     double limit) {
    size_t i = 0;
    while (i < worst_count && (strcmp(worst[i].trial, trial) != 0 || strcmp(worst[i].field, field->name) != 0 ||
                               strcmp(worst[i].place, place) != 0 || strcmp(worst[i].form, form_name(form)) != 0))
        i++;
    if (i == worst_count && i < sizeof worst / sizeof worst[0])
        worst[worst_count++] = (struct worst){trial, field->name, place, form_name(form), 0, 0, 0};
    if (i == worst_count) return;
    worst[i].difference = fmax(worst[i].difference, difference);
    worst[i].tolerance = fmax(worst[i].tolerance, field->tolerance);
    worst[i].limit = fmax(worst[i].limit, limit);
}

void trials_report(void) {
    for (size_t i = 0; i < worst_count; i++)
        printf("%s, %s on %s%s: off by %.1e at most; allowed %.0e, to a few %.0e\n", worst[i].trial, worst[i].field,
               worst[i].place, worst[i].form, worst[i].difference, worst[i].tolerance, worst[i].limit);
    worst_count = 0;
}

static double difference(uint32_t a, uint32_t b) {
    if (a == b) return 0;
    float x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    double d = fabs((double)x - y);
    return isnan(d) ? INFINITY : d;
}

// What a stray may be off by, of its own size: some values are squares that grow beyond all others.
#define STRAY_RELATIVE 1e-4

static double size_of(uint32_t word) {
    float x;
    memcpy(&x, &word, sizeof x);
    return fabs((double)x);
}

// Words that are off by more than the tolerance are strays; only a trial that says so may have any, and few.
static void compare(const struct strands *s, const struct trial *trial, uint32_t b, const struct place *place, int form,
                    const uint32_t *expected, const uint32_t *got) {
    const struct field *field = &trial->fields[b];
    bool same = place_is_exact(place) && (!trial->sweeps || place->backend == PLAIT_BACKEND_CPU);
    bool exact = same || !field->name || field->tolerance == 0;
    double allowed = exact ? 0 : field->tolerance, limit = allowed * (exact || !trial->strays ? 1 : STRAY_FACTOR);
    double largest = 0;
    size_t words = host_words(s, field), strays = 0;
    for (size_t i = 0; i < words; i++) {
        double d = difference(expected[i], got[i]);
        largest = fmax(largest, d);
        strays += d > allowed;
        bool stray = trial->strays > 0 && d <= STRAY_RELATIVE * size_of(expected[i]);
        if ((d > limit && !stray) || (exact && expected[i] != got[i]))
            fail_msg("%s on %s%s: word %zu of buffer %u (%s) is %08x, not %08x: off by %g, %g allowed", trial->name,
                     place->name, form_name(form), i, b, field->name ? field->name : "not to be written", got[i],
                     expected[i], d, limit);
    }
    if (strays > trial->strays * (double)words)
        fail_msg("%s on %s%s: %zu of %zu words of buffer %u (%s) are off by more than %g", trial->name, place->name,
                 form_name(form), strays, words, b, field->name, allowed);
    if (field->name && !exact) remember(trial->name, field, place->name, form, largest, limit);
}

void trial_run(const struct strands *s, const struct trial *trial) {
    const uint32_t bindings = kernel_infos[trial->kernel].binding_count;
    uint32_t *expected[KERNEL_MAX_BINDINGS] = {0};
    run_on(devices[0], s, trial, devices[0]->pack_width, expected);
    for (uint32_t b = 0; b < bindings; b++) {
        const struct field *field = &trial->fields[b];
        size_t words = host_words(s, field);
        if (!words || !field->content) continue;
        bool changed = memcmp(expected[b], field->content, words * sizeof(uint32_t)) != 0;
        if (changed && !(kernel_infos[trial->kernel].access[b] & ACCESS_WRITE))
            fail_msg("%s: buffer %u is written, which its access does not say", trial->name, b);
        if (changed != (field->name != NULL))
            fail_msg("%s: buffer %u (%s) is %s", trial->name, b, field->name ? field->name : "not to be written",
                     changed ? "written" : "as it was");
    }
    for (size_t i = 1; i < PLACES; i++)
        for (int form = 0; form < TRIAL_FORMS; form++) {
            uint32_t *results[KERNEL_MAX_BINDINGS] = {0};
            if (!trial_run_at(s, trial, i, form, results)) continue;
            for (uint32_t b = 0; b < bindings; b++) {
                const struct field *field = &trial->fields[b];
                bool untouched = form > 0 && field->scratch && places[i].backend != PLAIT_BACKEND_CPU;
                if (results[b] && untouched && memcmp(results[b], field->content, host_words(s, field) * 4) != 0)
                    fail_msg("%s on %s: the override writes %s", trial->name, places[i].name, field->name);
                bool private = field->scratch && !field->name;
                if (results[b] && !untouched && !private)
                    compare(s, trial, b, &places[i], form, expected[b], results[b]);
                free(results[b]);
            }
        }
    for (uint32_t b = 0; b < bindings; b++) free(expected[b]);
}
