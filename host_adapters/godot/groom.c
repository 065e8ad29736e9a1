/* PlaitGroom: strands in packed arrays, so that scripts can make them and Godot can save them with any scene. */
#include "groom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSITIONS, VERTEX_COUNTS, RADII, RADIUS, HELD_COUNTS, ROOT_BONES, BONE_NAMES, GUIDES, PROPERTIES };

static const gd_property properties[PROPERTIES] = {
    [POSITIONS] = {.name = "positions", .type = GDX_PACKED_VECTOR3_ARRAY},
    [VERTEX_COUNTS] = {.name = "vertex_counts", .type = GDX_PACKED_INT32_ARRAY},
    [RADII] = {.name = "radii", .type = GDX_PACKED_FLOAT32_ARRAY},
    [RADIUS] = {.name = "radius",
                .type = GDX_FLOAT,
                .hint = GD_HINT_RANGE,
                .hint_text = "0,0.01,0.00001,or_greater,suffix:m"},
    [HELD_COUNTS] = {.name = "held_counts", .type = GDX_PACKED_INT32_ARRAY},
    [ROOT_BONES] = {.name = "root_bones", .type = GDX_PACKED_INT32_ARRAY},
    [BONE_NAMES] = {.name = "bone_names", .type = GDX_PACKED_STRING_ARRAY},
    [GUIDES] = {.name = "guides", .type = GDX_PACKED_INT32_ARRAY},
};

static void changed(void *self, int change) {
    (void)change;
    GD_DO0(((gd_instance *)self)->object, "emit_changed");
}

static void get_strand_count(void *self, const gd_variant *argument, gd_variant *result) {
    int64_t count;
    (void)argument;
    gd_elements(&((gd_instance *)self)->values[VERTEX_COUNTS], &count);
    *result = gd_int(count);
}

static void choose_guides(void *self, const gd_variant *argument, gd_variant *result) {
    gd_instance *instance = self;
    gd_variant resource = gd_object(instance->object);
    plait_gf_groom groom;
    plait_gf_guide_options options = {0};
    char why[256];
    int64_t count = gd_to_int(argument), n;
    plait_result done = PLAIT_ERROR_INVALID_ARGUMENT;
    if (!groom_read(&resource, 1, &groom, why, sizeof why)) {
        gd_error("PlaitGroom.choose_guides: %s", why);
    } else {
        options.count = count > 0 && count < groom.strand_count ? (uint32_t)count : groom.strand_count;
        if (count > 0) done = plait_gf_choose_guides(&groom, &options);
        if (done != PLAIT_OK) gd_error("PlaitGroom.choose_guides: count must be 1 or more");
    }
    if (done == PLAIT_OK) {
        gd_variant guides = gd_packed(GDX_PACKED_INT32_ARRAY, groom.guide_count);
        void *to = gd_elements(&guides, &n);
        memcpy(to, groom.guides, groom.guide_count * sizeof *groom.guides);
        GD_DO(instance->object, "set_guides", guides);
        plait_gf_groom_free(&groom);
    }
    *result = gd_bool(done == PLAIT_OK);
    gd_drop(resource);
}

static const gd_method methods[] = {
    {.name = "get_strand_count", .result = GDX_INT, .call = get_strand_count},
    {.name = "choose_guides", .result = GDX_BOOL, .argument = GDX_INT, .argument_name = "count", .call = choose_guides},
};

const gd_class groom_class = {
    .name = "PlaitGroom",
    .parent = "Resource",
    .instance_size = sizeof(gd_instance),
    .properties = properties,
    .property_count = PROPERTIES,
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .changed = changed,
};

/* ---- reading and writing ---- */

/* A copy of a packed array with elements of 4 bytes; *count is how many there are. */
static void *copy_of(void *resource, const char *getter, size_t size, int64_t *count) {
    gd_variant array = GD_CALL0(resource, getter);
    const void *elements = gd_elements(&array, count);
    void *copy = *count > 0 ? malloc((size_t)*count * size) : NULL;
    if (copy) memcpy(copy, elements, (size_t)*count * size);
    if (!copy) *count = 0;
    gd_drop(array);
    return copy;
}

/* An array that goes with the groom or is empty; with another length it is an error. */
static int take(void *resource, const char *name, size_t size, uint32_t rows, void **array, char *why,
                size_t why_size) {
    char getter[64];
    int64_t count;
    snprintf(getter, sizeof getter, "get_%s", name);
    *array = copy_of(resource, getter, size, &count);
    if (count == 0 || count == rows) return 1;
    snprintf(why, why_size, "%s has %lld elements, not %u", name, (long long)count, rows);
    return 0;
}

static int read_guides(void *resource, plait_gf_groom *groom, char *why, size_t why_size) {
    int64_t count;
    groom->guides = copy_of(resource, "get_guides", sizeof *groom->guides, &count);
    groom->guide_count = (uint32_t)count;
    for (int64_t i = 0; i < count; i++) {
        if (groom->guides[i] < groom->strand_count && (i == 0 || groom->guides[i] > groom->guides[i - 1])) continue;
        snprintf(why, why_size, "guides[%lld] is %d: they must be strands, in ascending order", (long long)i,
                 (int)groom->guides[i]);
        return 0;
    }
    return 1;
}

static int read_bones(void *resource, plait_gf_groom *groom, char *why, size_t why_size) {
    gd_variant names = GD_CALL0(resource, "get_bone_names");
    int64_t count = gd_take_int(gd_call_value(&names, "size", 0, NULL));
    int good = take(resource, "root_bones", sizeof *groom->root_bones, groom->strand_count,
                    (void **)(void *)&groom->root_bones, why, why_size);
    groom->bone_count = (uint32_t)count;
    if (count > 0) groom->bone_names = calloc((size_t)count, PLAIT_GF_NAME_SIZE);
    for (int64_t i = 0; i < count; i++)
        gd_string_at(&names, i, groom->bone_names + i * PLAIT_GF_NAME_SIZE, PLAIT_GF_NAME_SIZE);
    gd_drop(names);
    for (uint32_t i = 0; good && groom->root_bones && i < groom->strand_count; i++)
        if (groom->root_bones[i] >= groom->bone_count) {
            snprintf(why, why_size, "root_bones[%u] is %d, but bone_names has %u", i, (int)groom->root_bones[i],
                     groom->bone_count);
            good = 0;
        }
    return good;
}

int groom_read(const gd_variant *resource, float scale, plait_gf_groom *groom, char *why, size_t why_size) {
    void *object = gd_to_object(resource);
    int64_t strands, vertices;
    uint64_t sum = 0;
    int good = 1;
    const float matrix[12] = {scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, scale, 0};
    memset(groom, 0, sizeof *groom);
    if (!object || !gd_take_int(GD_CALL(object, "is_class", gd_text("PlaitGroom")))) {
        snprintf(why, why_size, "groom is no PlaitGroom");
        return 0;
    }
    groom->vertex_counts = copy_of(object, "get_vertex_counts", sizeof *groom->vertex_counts, &strands);
    groom->positions = copy_of(object, "get_positions", 3 * sizeof *groom->positions, &vertices);
    groom->strand_count = (uint32_t)strands;
    groom->vertex_count = (uint32_t)vertices;
    for (int64_t i = 0; i < strands; i++) sum += groom->vertex_counts[i];
    if (strands == 0 || sum != (uint64_t)vertices) {
        snprintf(why, why_size, "vertex_counts sum to %llu, but there are %lld positions", (unsigned long long)sum,
                 (long long)vertices);
        good = 0;
    }
    good = good &&
           take(object, "radii", sizeof *groom->radii, groom->vertex_count, (void **)(void *)&groom->radii, why,
                why_size) &&
           take(object, "held_counts", sizeof *groom->held_counts, groom->strand_count,
                (void **)(void *)&groom->held_counts, why, why_size) &&
           read_guides(object, groom, why, why_size) && read_bones(object, groom, why, why_size);
    groom->radius = (float)gd_take_float(GD_CALL0(object, "get_radius"));
    if (good && scale != 1 && plait_gf_transform(groom, matrix) != PLAIT_OK) {
        snprintf(why, why_size, "groom_scale is %g: it must be more than zero", (double)scale);
        good = 0;
    }
    if (!good) plait_gf_groom_free(groom);
    return good;
}

static void put(void *resource, const char *setter, int32_t type, const void *elements, size_t size, uint32_t count) {
    gd_variant array = gd_packed(type, elements ? count : 0);
    int64_t n;
    void *to = gd_elements(&array, &n);
    if (n > 0) memcpy(to, elements, (size_t)n * size);
    GD_DO(resource, setter, array);
}

void groom_write(void *resource, const plait_gf_groom *groom) {
    uint32_t *heaviest = NULL;
    put(resource, "set_positions", GDX_PACKED_VECTOR3_ARRAY, groom->positions, 12, groom->vertex_count);
    put(resource, "set_vertex_counts", GDX_PACKED_INT32_ARRAY, groom->vertex_counts, 4, groom->strand_count);
    put(resource, "set_radii", GDX_PACKED_FLOAT32_ARRAY, groom->radii, 4, groom->vertex_count);
    put(resource, "set_held_counts", GDX_PACKED_INT32_ARRAY, groom->held_counts, 4, groom->strand_count);
    put(resource, "set_guides", GDX_PACKED_INT32_ARRAY, groom->guides, 4, groom->guide_count);
    GD_DO(resource, "set_radius", gd_float(groom->radius));
    if (!groom->bone_names) return;
    /* A root follows one bone here: of several the one with the largest weight. */
    if (groom->root_bindings) heaviest = malloc(groom->strand_count * sizeof *heaviest);
    for (uint32_t i = 0; heaviest && i < groom->strand_count; i++) {
        const plait_root_binding *b = &groom->root_bindings[i];
        int best = 0;
        for (int k = 1; k < 4; k++)
            if (b->weights[k] > b->weights[best]) best = k;
        heaviest[i] = b->bones[best];
    }
    gd_variant names = gd_packed(GDX_PACKED_STRING_ARRAY, groom->bone_count);
    for (uint32_t i = 0; i < groom->bone_count; i++)
        gd_set_string_at(&names, i, groom->bone_names + i * PLAIT_GF_NAME_SIZE);
    GD_DO(resource, "set_bone_names", names);
    put(resource, "set_root_bones", GDX_PACKED_INT32_ARRAY, heaviest ? heaviest : groom->root_bones, 4,
        groom->strand_count);
    free(heaviest);
}
