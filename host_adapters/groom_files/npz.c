/* NumPy's .npz as a container for grooms: see npz.md for names and shapes. A zip archive of .npy files; an .npy file is a magic
 * number, a Python dict as text that tells type, order and shape, and the numbers (NEP 1, numpy.lib.format). Zip archives are
 * read and written by libzip: it reads from memory, knows zip64, and is maintained and packaged everywhere; Debian 12 has no
 * minizip-ng. Without PLAIT_GF_LIBZIP all of this is left out. */
#include "groom_files.h"

#include <string.h>

#ifdef PLAIT_GF_LIBZIP

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <zip.h>

enum { NPY_HEADER_MOST = 4096, BLOCK = 1 << 14, MOST_DIMENSIONS = 3, MOST_MESH_ELEMENTS = 1000000000 };

/* What the beginning of an .npy file says. */
typedef struct npy {
    char kind; /* f, i, u or S */
    uint32_t item_bytes;
    int fortran_order;
    uint32_t dimensions;
    uint64_t shape[MOST_DIMENSIONS];
} npy;

/* An archive that is being read. */
typedef struct archive {
    const gf_reading *r;
    zip_t *zip;
    uint8_t *known; /* [entries] 1: read */
} archive;

/* An array that is being read. */
typedef struct entry {
    const char *name;
    zip_file_t *file;
    npy npy;
    uint64_t rows,
        columns; /* what the shape means: all dimensions but the last, and the last; one dimension: one column */
} entry;

static plait_result read_archive(archive *a);
static plait_result read_strands(archive *a);
static plait_result read_counts(archive *a);
static plait_result read_bindings(archive *a);
static plait_result check_mesh(archive *a);
static plait_result read_groups(archive *a);
static plait_result read_scalars(archive *a);
static plait_result note_unknown(archive *a);
static plait_result open_entry(archive *a, const char *name, entry *e);
static plait_result read_entry(archive *a, entry *e, enum gf_type type, int names, void *to);
static plait_result take(archive *a, const char *name, enum gf_type type, uint64_t rows, uint64_t columns,
                         void **array);
static int parse_npy(const char *text, size_t size, npy *n);

static plait_result wrong(archive *a, const char *name, const char *reason) {
    return gf_fail(a->r->report, PLAIT_ERROR_INVALID_GROOM, "array %s: %s", name, reason);
}

plait_result gf_read_npz(const gf_reading *r) {
    archive a;
    zip_error_t error;
    zip_source_t *source;
    plait_result result;
    memset(&a, 0, sizeof a);
    a.r = r;
    zip_error_init(&error);
    source = zip_source_buffer_create(r->file.at, r->file.size, 0, &error);
    a.zip = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
    if (!a.zip) {
        result =
            gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM, "not a whole zip archive: %s", zip_error_strerror(&error));
        zip_source_free(source);
        zip_error_fini(&error);
        return result;
    }
    a.known = gf_allocate((uint64_t)zip_get_num_entries(a.zip, 0), 1);
    result = a.known ? read_archive(&a) : PLAIT_ERROR_OUT_OF_MEMORY;
    free(a.known);
    zip_discard(a.zip);
    zip_error_fini(&error);
    return result;
}

static plait_result read_archive(archive *a) {
    plait_result result;
    plait_gf_groom *groom = a->r->groom;
    size_t i;
    if ((result = read_strands(a)) != PLAIT_OK || (result = read_counts(a)) != PLAIT_OK) return result;
    for (i = 0; i < GF_ARRAY_COUNT; i++) {
        const gf_array *array = &GF_ARRAYS[i];
        void **to = gf_array_pointer(groom, array);
        if (*to || strcmp(array->name, "bone_names") == 0) continue;
        result = take(a, array->name, array->type, gf_row_count(groom, array->rows),
                      array->columns ? array->columns : groom->guides_each, to);
        if (result == PLAIT_OK) result = gf_progress(a->r, 0.1 + 0.2 * (double)i / (double)GF_ARRAY_COUNT);
        if (result != PLAIT_OK) return result;
    }
    if (groom->hair_header && memcmp(groom->hair_header, "HAIR", 4) != 0)
        return wrong(a, "hair_header", "not a .hair header");
    for (i = 0; groom->bind_pose && i < 12 * (size_t)groom->bone_count; i++)
        if (!(fabsf(groom->bind_pose[i]) <= 1e9f))
            return wrong(a, "bind_pose", "a number is not finite, or beyond 1e9");
    if ((result = check_mesh(a)) != PLAIT_OK) return result;
    if ((groom->closest_guides != NULL) != (groom->guide_weights != NULL))
        return wrong(a, "closest_guides", "goes with guide_weights");
    if ((result = read_bindings(a)) != PLAIT_OK || (result = read_groups(a)) != PLAIT_OK ||
        (result = read_scalars(a)) != PLAIT_OK)
        return result;
    if (groom->root_bones && groom->root_bindings)
        return wrong(a, "root_bones", "there are root_binding_bones too: one of both is enough");
    return note_unknown(a);
}

/* vertex_counts and positions, or positions alone, with strands of equal length in three dimensions. */
static plait_result read_strands(archive *a) {
    plait_gf_groom *groom = a->r->groom;
    entry e;
    uint64_t vertices = 0;
    uint32_t i;
    plait_result result = open_entry(a, "vertex_counts", &e);
    if (result != PLAIT_OK) return result;
    if (e.file) {
        if (e.columns != 1 || e.rows == 0 || e.rows > UINT32_MAX / 64) {
            zip_fclose(e.file);
            return wrong(a, e.name, "its shape must be (strands,)");
        }
        groom->strand_count = (uint32_t)e.rows;
        groom->vertex_counts = gf_allocate(e.rows, sizeof *groom->vertex_counts);
        result = read_entry(a, &e, GF_U32, 0, groom->vertex_counts);
        if (result != PLAIT_OK) return result;
        for (i = 0; i < groom->strand_count; i++) vertices += groom->vertex_counts[i];
    }
    result = open_entry(a, "positions", &e);
    if (result != PLAIT_OK) return result;
    if (!e.file) return wrong(a, "positions", "missing: this .npz file has no groom");
    if (!groom->vertex_counts && e.npy.dimensions == 3 && e.rows <= UINT32_MAX) {
        groom->strand_count = (uint32_t)e.npy.shape[0];
        vertices = e.rows;
        groom->vertex_counts = gf_allocate(groom->strand_count, sizeof *groom->vertex_counts);
        for (i = 0; groom->vertex_counts && i < groom->strand_count; i++)
            groom->vertex_counts[i] = (uint32_t)e.npy.shape[1];
    }
    if (!groom->vertex_counts || e.columns != 3 || e.rows != vertices || vertices == 0 || vertices > UINT32_MAX / 32) {
        gf_fail(
            a->r->report, PLAIT_ERROR_INVALID_GROOM,
            "array positions: its shape must be (%llu, 3), by vertex_counts; or (strands, vertices, 3) without these",
            (unsigned long long)vertices);
        zip_fclose(e.file);
        return PLAIT_ERROR_INVALID_GROOM;
    }
    groom->vertex_count = (uint32_t)vertices;
    groom->positions = gf_allocate(vertices, 3 * sizeof *groom->positions);
    return read_entry(a, &e, GF_F32, 0, groom->positions);
}

/* Rows that nothing else tells. */
static plait_result read_counts(archive *a) {
    static const struct {
        const char *name;
        uint64_t most;
        int of_columns;
    } counts[] = {{"bind_pose", PLAIT_MAX_BONES, 0},
                  {"bone_names", PLAIT_MAX_BONES, 0},
                  {"guides", UINT32_MAX, 0},
                  {"closest_guides", 4, 1},
                  {"mesh_positions", MOST_MESH_ELEMENTS, 0},
                  {"mesh_triangles", MOST_MESH_ELEMENTS, 0}};
    plait_gf_groom *groom = a->r->groom;
    plait_result result;
    size_t i;
    for (i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint64_t count, k;
        uint32_t *to = i < 2    ? &groom->bone_count
                       : i == 2 ? &groom->guide_count
                       : i == 3 ? &groom->guides_each
                       : i == 4 ? &groom->mesh_vertex_count
                                : &groom->mesh_triangle_count;
        entry e;
        if ((result = open_entry(a, counts[i].name, &e)) != PLAIT_OK) return result;
        if (!e.file) continue;
        count = counts[i].of_columns ? e.columns : e.rows;
        if (count == 0 || count > counts[i].most || (*to != 0 && count != *to)) {
            zip_fclose(e.file);
            return wrong(a, counts[i].name, "its shape cannot be, or is not that of another array");
        }
        *to = (uint32_t)count;
        if (i != 1) {
            zip_fclose(e.file);
            continue;
        }
        if (e.npy.kind != 'S' || e.npy.item_bytes > PLAIT_GF_NAME_SIZE || e.columns != 1) {
            zip_fclose(e.file);
            return wrong(a, e.name, "names must be bytes, at most 127 each: numpy.array(names, dtype='S')");
        }
        groom->bone_names = gf_allocate(count, PLAIT_GF_NAME_SIZE);
        if ((result = read_entry(a, &e, GF_U8, 1, groom->bone_names)) != PLAIT_OK) return result;
        for (k = 1; k <= count; k++)
            if (groom->bone_names[k * PLAIT_GF_NAME_SIZE - 1])
                return wrong(a, counts[i].name, "a name has more than 127 bytes");
    }
    return PLAIT_OK;
}

/* What plait_groom_create would refuse and nobody can repair. */
static plait_result check_mesh(archive *a) {
    const plait_gf_groom *groom = a->r->groom;
    size_t i;
    if (!groom->mesh_positions != !groom->mesh_triangles) return wrong(a, "mesh_positions", "goes with mesh_triangles");
    if (groom->mesh_positions && groom->mesh_vertex_count < 3) return wrong(a, "mesh_positions", "fewer than three");
    if (groom->root_triangles && !groom->mesh_positions) return wrong(a, "root_triangles", "there is no mesh");
    if (groom->root_barycentrics && !groom->root_triangles)
        return wrong(a, "root_barycentrics", "goes with root_triangles");
    for (i = 0; groom->mesh_positions && i < 3 * (size_t)groom->mesh_vertex_count; i++)
        if (!(fabsf(groom->mesh_positions[i]) <= 1e9f))
            return wrong(a, "mesh_positions", "a number is not finite, or beyond 1e9");
    for (i = 0; groom->mesh_triangles && i < 3 * (size_t)groom->mesh_triangle_count; i++)
        if (groom->mesh_triangles[i] >= groom->mesh_vertex_count)
            return wrong(a, "mesh_triangles", "a corner is none of the vertices");
    for (i = 0; groom->root_triangles && i < groom->strand_count; i++)
        if (groom->root_triangles[i] >= groom->mesh_triangle_count)
            return wrong(a, "root_triangles", "a root is on none of the triangles");
    for (i = 0; groom->root_barycentrics && i < groom->strand_count; i++) {
        const float *w = groom->root_barycentrics + 3 * i;
        if (!(fabsf(w[0] + w[1] + w[2] - 1) <= 1e-3f) || !(fminf(w[0], fminf(w[1], w[2])) >= -1e-3f))
            return wrong(a, "root_barycentrics", "weights are 0 to 1 and sum to one");
    }
    return PLAIT_OK;
}

static plait_result read_bindings(archive *a) {
    plait_gf_groom *groom = a->r->groom;
    uint32_t *bones = NULL, most = 0, i;
    float *weights = NULL;
    int k;
    plait_result result = take(a, "root_binding_bones", GF_U32, groom->strand_count, 4, (void **)(void *)&bones);
    if (result == PLAIT_OK)
        result = take(a, "root_binding_weights", GF_F32, groom->strand_count, 4, (void **)(void *)&weights);
    if (result == PLAIT_OK && (bones != NULL) != (weights != NULL))
        result = wrong(a, "root_binding_bones", "goes with root_binding_weights");
    if (result == PLAIT_OK && bones) {
        groom->root_bindings = gf_allocate(groom->strand_count, sizeof *groom->root_bindings);
        if (!groom->root_bindings) result = PLAIT_ERROR_OUT_OF_MEMORY;
    }
    for (i = 0; groom->root_bindings && i < groom->strand_count; i++)
        for (k = 0; k < 4; k++) {
            groom->root_bindings[i].bones[k] = bones[4 * (size_t)i + (size_t)k];
            groom->root_bindings[i].weights[k] = weights[4 * (size_t)i + (size_t)k];
            if (weights[4 * (size_t)i + (size_t)k] > 0 && groom->root_bindings[i].bones[k] > most)
                most = groom->root_bindings[i].bones[k];
        }
    for (i = 0; groom->root_bones && i < groom->strand_count; i++)
        if (groom->root_bones[i] > most) most = groom->root_bones[i];
    /* Without a list of bones, those that are named exist. */
    if (groom->bone_count == 0 && (groom->root_bones || groom->root_bindings))
        groom->bone_count = most < PLAIT_MAX_BONES ? most + 1 : PLAIT_MAX_BONES;
    free(bones);
    free(weights);
    return result;
}

/* How many groups an array of theirs is about; 0: there is none. */
static plait_result count_groups(archive *a, const char *name, uint64_t *count) {
    entry e;
    plait_result result = open_entry(a, name, &e);
    if (result != PLAIT_OK || !e.file) return result;
    zip_fclose(e.file);
    if (e.rows == 0 || e.rows > 65536 || e.columns != 1) return wrong(a, name, "its shape must be (groups,)");
    *count = e.rows;
    return PLAIT_OK;
}

/* Both arrays of groups are optional; strands can be in groups of which nothing else is said. */
static plait_result read_groups(archive *a) {
    static const plait_group_desc init = PLAIT_GROUP_DESC_INIT;
    plait_gf_groom *groom = a->r->groom;
    float *radii = NULL, *frictions = NULL;
    uint32_t i, most = 0;
    uint64_t count = 0;
    plait_result result = count_groups(a, "group_frictions", &count);
    if (result == PLAIT_OK) result = count_groups(a, "group_radii", &count);
    if (result != PLAIT_OK) return result;
    for (i = 0; groom->group_indices && i < groom->strand_count; i++)
        if (groom->group_indices[i] > most) most = groom->group_indices[i];
    groom->group_count = groom->group_indices ? most + 1 : 0;
    if (count == 0) return PLAIT_OK;
    groom->group_count = (uint32_t)count;
    result = take(a, "group_radii", GF_F32, count, 1, (void **)(void *)&radii);
    if (result == PLAIT_OK) result = take(a, "group_frictions", GF_F32, count, 1, (void **)(void *)&frictions);
    groom->groups = gf_allocate(count, sizeof *groom->groups);
    if (result == PLAIT_OK && !groom->groups) result = PLAIT_ERROR_OUT_OF_MEMORY;
    for (i = 0; result == PLAIT_OK && i < groom->group_count; i++) {
        plait_group_desc *group = &groom->groups[i];
        *group = init;
        if (radii) group->radius = radii[i];
        if (frictions) group->friction = frictions[i];
        if (!(group->radius >= 0 && group->radius <= 1e6f))
            result = wrong(a, "group_radii", "radii are 0 to 1e6");
        else if (!(group->friction >= 0 && group->friction <= 1e6f))
            result = wrong(a, "group_frictions", "frictions are 0 to 1e6");
    }
    free(radii);
    free(frictions);
    return result;
}

static plait_result read_scalars(archive *a) {
    plait_gf_groom *groom = a->r->groom;
    struct {
        const char *name;
        float *to;
        uint64_t columns;
    } scalars[] = {{"version", NULL, 1},
                   {"meters_per_unit", NULL, 1},
                   {"radius", NULL, 1},
                   {"transparency", NULL, 1},
                   {"color", NULL, 3}};
    float version = 1;
    size_t i;
    scalars[0].to = &version;
    scalars[1].to = &groom->meters_per_unit;
    scalars[2].to = &groom->radius;
    scalars[3].to = &groom->transparency;
    scalars[4].to = groom->color;
    for (i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        float *value = NULL;
        entry e;
        plait_result result = open_entry(a, scalars[i].name, &e);
        if (result != PLAIT_OK) return result;
        if (!e.file) continue;
        if (e.rows * e.columns != scalars[i].columns) {
            zip_fclose(e.file);
            return wrong(a, e.name, scalars[i].columns == 1 ? "it must be one number" : "it must be three numbers");
        }
        e.rows = 1;
        e.columns = scalars[i].columns;
        value = gf_allocate(e.columns, sizeof *value);
        result = read_entry(a, &e, GF_F32, 0, value);
        if (result == PLAIT_OK) memcpy(scalars[i].to, value, (size_t)scalars[i].columns * sizeof *value);
        free(value);
        if (result != PLAIT_OK) return result;
    }
    if (version != 1)
        return gf_fail(a->r->report, PLAIT_ERROR_UNSUPPORTED, "array version: %g; 1 is read here", (double)version);
    if (!(groom->meters_per_unit >= 0 && groom->meters_per_unit <= 1e6f))
        return wrong(a, "meters_per_unit", "it must be 0 to 1e6");
    return PLAIT_OK;
}

static plait_result note_unknown(archive *a) {
    zip_int64_t count = zip_get_num_entries(a->zip, 0), i;
    for (i = 0; i < count; i++) {
        const char *name = zip_get_name(a->zip, (zip_uint64_t)i, 0);
        if (!a->known[i])
            gf_note(a->r->report, "%.64s is not known and was not read", name ? name : "an entry without a name");
    }
    return PLAIT_OK;
}

/* An array of this shape, in memory of its own; null if the file has none. */
static plait_result take(archive *a, const char *name, enum gf_type type, uint64_t rows, uint64_t columns,
                         void **array) {
    entry e;
    plait_result result = open_entry(a, name, &e);
    if (result != PLAIT_OK || !e.file) return result;
    if (rows == 1 && e.npy.dimensions == 1 && e.rows == columns) { /* one row may be written as such */
        e.rows = 1;
        e.columns = columns;
    }
    if (e.rows != rows || e.columns != columns) {
        zip_fclose(e.file);
        return gf_fail(a->r->report, PLAIT_ERROR_INVALID_GROOM, "array %s: %llu rows of %llu, not %llu of %llu", name,
                       (unsigned long long)e.rows, (unsigned long long)e.columns, (unsigned long long)rows,
                       (unsigned long long)columns);
    }
    *array = gf_allocate(rows, (size_t)columns * gf_type_size(type));
    result = read_entry(a, &e, type, 0, *array);
    if (result != PLAIT_OK) {
        free(*array);
        *array = NULL;
    }
    return result;
}

/* Reads the header of an array; file is null if there is no such array. Its data are no more than the archive can hold. */
static plait_result open_entry(archive *a, const char *name, entry *e) {
    char file_name[64], header[NPY_HEADER_MOST];
    zip_stat_t status;
    zip_int64_t index;
    uint64_t items = 1, data;
    uint32_t i;
    size_t start, length;
    memset(e, 0, sizeof *e);
    e->name = name;
    snprintf(file_name, sizeof file_name, "%s.npy", name);
    index = zip_name_locate(a->zip, file_name, 0);
    if (index < 0) return PLAIT_OK;
    a->known[index] = 1;
    zip_stat_init(&status);
    if (zip_stat_index(a->zip, (zip_uint64_t)index, 0, &status) != 0 || !(status.valid & ZIP_STAT_SIZE) ||
        !(status.valid & ZIP_STAT_COMP_SIZE))
        return wrong(a, name, "the archive does not tell its size");
    /* Deflate makes at most 1032 bytes of one. */
    if (status.comp_size > a->r->file.size || status.size / 1032 > status.comp_size + 1)
        return wrong(a, name, "it is said to be larger than the file can hold");
    e->file = zip_fopen_index(a->zip, (zip_uint64_t)index, 0);
    if (!e->file) return wrong(a, name, zip_strerror(a->zip));
    start = 10;
    if (zip_fread(e->file, header, 10) != 10 || memcmp(header, "\x93NUMPY", 6) != 0 || header[6] < 1 || header[6] > 3)
        goto bad;
    length = gf_u16((const uint8_t *)header + 8);
    if (header[6] > 1) {
        if (zip_fread(e->file, header + 10, 2) != 2) goto bad;
        length = gf_u32((const uint8_t *)header + 8);
        start = 12;
    }
    if (length >= sizeof header || zip_fread(e->file, header, length) != (zip_int64_t)length) goto bad;
    if (!parse_npy(header, length, &e->npy)) goto bad;
    e->columns = e->npy.dimensions > 1 ? e->npy.shape[e->npy.dimensions - 1] : 1;
    e->rows = 1;
    data = status.size > start + length ? status.size - start - length : 0;
    for (i = 0; i < e->npy.dimensions; i++) {
        if (e->npy.shape[i] > 0 && items > data / e->npy.shape[i]) goto lies;
        items *= e->npy.shape[i];
        if (i == 0 || i + 1 < e->npy.dimensions) e->rows *= e->npy.shape[i];
    }
    if (items * e->npy.item_bytes != data) goto lies;
    return PLAIT_OK;
bad:
    zip_fclose(e->file);
    e->file = NULL;
    return wrong(
        a, name,
        "not an .npy file of numbers with at most three dimensions, little-endian: <f4, <f8, <i4, <u4, <i8, ...");
lies:
    zip_fclose(e->file);
    e->file = NULL;
    return wrong(a, name, "its shape is not that of its data");
}

/* 'key': and then what follows; null if there is no such key. */
static const char *value_of(const char *text, const char *end, const char *key) {
    size_t length = strlen(key);
    for (; text + length < end; text++)
        if (memcmp(text, key, length) == 0) {
            for (text += length; text < end && (*text == ' ' || *text == ':'); text++) {
            }
            return text < end ? text : NULL;
        }
    return NULL;
}

static int parse_npy(const char *text, size_t size, npy *n) {
    const char *end = text + size, *at = value_of(text, end, "'descr'");
    if (!at || end - at < 5 || at[0] != '\'' || (at[1] != '<' && at[1] != '|')) return 0;
    n->kind = at[2];
    for (at += 3; at < end && *at >= '0' && *at <= '9' && n->item_bytes < 10000; at++)
        n->item_bytes = 10 * n->item_bytes + (uint32_t)(*at - '0');
    if (at == end || *at != '\'') return 0;
    if (!(n->kind == 'f' && (n->item_bytes == 4 || n->item_bytes == 8)) &&
        !((n->kind == 'i' || n->kind == 'u') &&
          (n->item_bytes == 1 || n->item_bytes == 2 || n->item_bytes == 4 || n->item_bytes == 8)) &&
        !(n->kind == 'S' && n->item_bytes > 0 && n->item_bytes < 1024))
        return 0;
    at = value_of(text, end, "'fortran_order'");
    if (!at) return 0;
    n->fortran_order = *at == 'T';
    at = value_of(text, end, "'shape'");
    if (!at || *at++ != '(') return 0;
    while (at < end && *at != ')') {
        uint64_t number = 0;
        int digits = 0;
        for (; at < end && *at >= '0' && *at <= '9' && number < UINT64_MAX / 100; at++, digits++)
            number = 10 * number + (uint64_t)(*at - '0');
        if (!digits || n->dimensions == MOST_DIMENSIONS) return 0;
        n->shape[n->dimensions++] = number;
        while (at < end && (*at == ',' || *at == ' ' || *at == 'L')) at++;
    }
    return at < end;
}

/* A number of an array, as a double: exact for all that a groom has. */
static double number_at(const npy *n, const uint8_t *p) {
    uint64_t bits = 0;
    uint32_t i;
    for (i = 0; i < n->item_bytes; i++) bits |= (uint64_t)p[i] << 8 * i;
    if (n->kind == 'f' && n->item_bytes == 4) return (double)gf_f32(p);
    if (n->kind == 'f') {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (n->kind == 'i' && bits >> (8 * n->item_bytes - 1)) /* less than zero */
        return -(double)((n->item_bytes == 8 ? 0 : (uint64_t)1 << 8 * n->item_bytes) - bits);
    return (double)bits;
}

static int store(const npy *n, const uint8_t *p, enum gf_type type, void *to, size_t at) {
    static const double most[GF_TYPES] = {255, 65535, 4294967295.0, 0};
    double value = number_at(n, p);
    if (type == GF_F32) {
        ((float *)to)[at] = fabs(value) <= (double)FLT_MAX ? (float)value
                            : value > 0                    ? INFINITY
                            : value < 0                    ? -INFINITY
                                                           : NAN;
        return 1;
    }
    if (!(value >= 0 && value <= most[type]) || n->kind == 'f') return 0;
    if (type == GF_U8) ((uint8_t *)to)[at] = (uint8_t)value;
    if (type == GF_U16) ((uint16_t *)to)[at] = (uint16_t)value;
    if (type == GF_U32) ((uint32_t *)to)[at] = (uint32_t)value;
    return 1;
}

/* Arrays in Fortran order have their first index change fastest: where number k of one is in an array whose last one does. */
static uint64_t row_by_row(const npy *n, uint64_t k) {
    uint64_t index[MOST_DIMENSIONS], at = 0;
    uint32_t d;
    for (d = 0; d < n->dimensions; d++) {
        index[d] = k % n->shape[d];
        k /= n->shape[d];
    }
    for (d = 0; d < n->dimensions; d++) at = at * n->shape[d] + index[d];
    return at;
}

/* Reads the data of an open array, and closes it. to: [rows][columns] of type, or null: out of memory. names: strings
 * become rows of PLAIT_GF_NAME_SIZE bytes. */
static plait_result read_entry(archive *a, entry *e, enum gf_type type, int names, void *to) {
    uint8_t block[BLOCK + 1024];
    uint64_t items = e->rows * e->columns, done = 0;
    size_t item = e->npy.item_bytes, at_once = BLOCK / item;
    int plain = e->npy.kind == 'f' && item == 4 && type == GF_F32;
    const char *problem = to ? NULL : "out of memory";
    if (!problem && names != (e->npy.kind == 'S')) problem = "it must be numbers";
    while (!problem && done < items) {
        uint64_t left = items - done, count = left < at_once ? left : at_once, i;
        zip_int64_t bytes = (zip_int64_t)(count * item), got = zip_fread(e->file, block, (zip_uint64_t)bytes);
        if (got != bytes) {
            problem = "its data are damaged";
            break;
        }
        if (plain && !e->npy.fortran_order) gf_copy_f32(block, (size_t)count, (float *)to + done);
        for (i = 0; i < count && !(plain && !e->npy.fortran_order) && !problem; i++) {
            uint64_t k = done + i, cell = e->npy.fortran_order ? row_by_row(&e->npy, k) : k;
            if (names)
                memcpy((char *)to + k * PLAIT_GF_NAME_SIZE, block + i * item, item);
            else if (!store(&e->npy, block + i * item, type, to, (size_t)cell))
                problem = "a value is out of range, or not a whole number";
        }
        done += count;
    }
    if (!problem && zip_fread(e->file, block, 1) != 0)
        problem = "its data are damaged"; /* the end checks the sum, too */
    if (zip_fclose(e->file) != 0 && !problem) problem = "its data are damaged";
    e->file = NULL;
    if (!problem) return PLAIT_OK;
    return to ? wrong(a, e->name, problem) : PLAIT_ERROR_OUT_OF_MEMORY;
}

#else

plait_result gf_read_npz(const gf_reading *r) {
    return gf_fail(r->report, PLAIT_ERROR_UNSUPPORTED, ".npz files are not read: this was built without libzip");
}

#endif
