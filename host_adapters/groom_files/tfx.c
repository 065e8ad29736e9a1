/* AMD TressFX 4: .tfx and .tfxbone, as TressFXFileFormat.h and TressFXAsset.cpp of TressFX 4.1 describe them. Little-endian.
 *
 * .tfx: a header of 40 words: version (a float), strands, vertices of each, then where arrays begin, 0 if there is none:
 * positions (x, y, z, and 0 for vertices that do not move), strand UVs, vertex UVs, strand thickness, vertex colours (4 floats);
 * 32 words are reserved. .tfxbone: bones, each an index, the length of its name and the name; then strands, each an index and
 * four pairs of bone and weight. */
#include "groom_files.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 160, AT_POSITIONS = 12, AT_STRAND_UVS = 16, AT_VERTEX_UVS = 20, AT_THICKNESS = 24, AT_COLORS = 28 };

static plait_result check_version(const gf_reading *r);
static plait_result find(const gf_reading *r, uint32_t at, const char *name, uint64_t rows, uint32_t bytes,
                         const uint8_t **array);
static void note_end(const gf_reading *r, uint64_t vertices);
static plait_result read_held(const gf_reading *r, const uint8_t *positions, uint32_t vertices);
static plait_result read_colors(const gf_reading *r, const uint8_t *colors);
static plait_result read_bones(const gf_reading *r, gf_bytes *left, size_t *position);
static plait_result read_bone(const gf_reading *r, gf_bytes *left, size_t *position, uint32_t i, uint8_t *listed);

plait_result gf_read_tfx(const gf_reading *r) {
    const uint8_t *bytes = r->file.at, *positions, *strand_uvs, *uvs, *colors;
    plait_gf_groom *groom = r->groom;
    uint32_t strands, vertices, i;
    uint64_t all;
    size_t v;
    plait_result result = check_version(r);
    if (result != PLAIT_OK) return result;
    strands = gf_u32(bytes + 4);
    vertices = gf_u32(bytes + 8);
    all = (uint64_t)strands * vertices;
    if (all == 0 || all > UINT32_MAX)
        return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM, "byte 4: %u strands of %u vertices cannot be", strands,
                       vertices);
    if ((result = find(r, AT_POSITIONS, "positions", all, 16, &positions)) != PLAIT_OK ||
        (result = find(r, AT_STRAND_UVS, "strand UVs", strands, 8, &strand_uvs)) != PLAIT_OK ||
        (result = find(r, AT_VERTEX_UVS, "vertex UVs", all, 8, &uvs)) != PLAIT_OK ||
        (result = find(r, AT_COLORS, "vertex colours", all, 16, &colors)) != PLAIT_OK)
        return result;
    if (!positions) return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM, "byte 12: the file has no positions");
    if (gf_u32(bytes + AT_THICKNESS) != 0)
        gf_note(r->report, "strand thickness is ignored: TressFX neither reads it nor says its unit");

    note_end(r, all);

    groom->strand_count = strands;
    groom->vertex_count = (uint32_t)all;
    groom->vertex_counts = gf_allocate(strands, sizeof *groom->vertex_counts);
    groom->positions = gf_allocate(all, 3 * sizeof *groom->positions);
    if (strand_uvs) groom->root_uvs = gf_allocate(strands, 2 * sizeof *groom->root_uvs);
    if (uvs) groom->uvs = gf_allocate(all, 2 * sizeof *groom->uvs);
    if (!groom->vertex_counts || !groom->positions || (strand_uvs && !groom->root_uvs) || (uvs && !groom->uvs))
        return PLAIT_ERROR_OUT_OF_MEMORY;
    for (i = 0; i < strands; i++) groom->vertex_counts[i] = vertices;
    for (v = 0; v < groom->vertex_count; v++) gf_copy_f32(positions + 16 * v, 3, groom->positions + 3 * v);
    if (strand_uvs) gf_copy_f32(strand_uvs, 2 * (size_t)strands, groom->root_uvs);
    if (uvs) gf_copy_f32(uvs, 2 * (size_t)all, groom->uvs);
    if (colors && (result = read_colors(r, colors)) != PLAIT_OK) return result;
    result = gf_progress(r, 0.2);
    return result == PLAIT_OK ? read_held(r, positions, vertices) : result;
}

static plait_result check_version(const gf_reading *r) {
    const uint8_t *bytes = r->file.at;
    size_t i = 0;
    double version;
    while (i < r->file.size && i < 10 && (bytes[i] == '\t' || (bytes[i] >= ' ' && bytes[i] < 127))) i++;
    if (i == 10 && memcmp(bytes, "numStrands", 10) == 0)
        return gf_fail(r->report, PLAIT_ERROR_UNSUPPORTED,
                       "a .tfx file of TressFX 1 or 2, which is text; version 4 is read here");
    if (r->file.size < HEADER)
        return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM, "%zu bytes are too few for the header of a .tfx file",
                       r->file.size);
    version = (double)gf_f32(bytes);
    if (version >= 1 && version < 100 && !(version >= 4 && version < 5))
        return gf_fail(r->report, PLAIT_ERROR_UNSUPPORTED,
                       "a .tfx file of version %.2f: version 4 is read here, the layout of others is not certain",
                       version);
    if (!(version >= 4 && version < 5))
        return gf_fail(r->report, PLAIT_ERROR_UNSUPPORTED,
                       "neither a .hair, a .tfx nor an .npz file, by its first bytes");
    return PLAIT_OK;
}

/* An array whose offset the header has at byte `at`; null if that is 0. */
static plait_result find(const gf_reading *r, uint32_t at, const char *name, uint64_t rows, uint32_t bytes,
                         const uint8_t **array) {
    uint32_t offset = gf_u32(r->file.at + at);
    *array = NULL;
    if (offset == 0) return PLAIT_OK;
    if (offset < HEADER || offset > r->file.size || rows * bytes > r->file.size - offset)
        return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM,
                       "byte %u: %s at offset %u need %llu bytes, the file has %zu", at, name, offset,
                       (unsigned long long)(rows * bytes), r->file.size);
    *array = r->file.at + offset;
    return PLAIT_OK;
}

/* Tells of bytes behind the last array. Of thickness nobody knows how long it is. */
static void note_end(const gf_reading *r, uint64_t vertices) {
    const struct {
        uint32_t at;
        uint64_t size;
    } arrays[] = {{AT_POSITIONS, 16 * vertices},
                  {AT_STRAND_UVS, 8 * (uint64_t)gf_u32(r->file.at + 4)},
                  {AT_VERTEX_UVS, 8 * vertices},
                  {AT_COLORS, 16 * vertices}};
    uint64_t end = 0;
    size_t i;
    for (i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        uint64_t offset = gf_u32(r->file.at + arrays[i].at);
        if (offset && offset + arrays[i].size > end) end = offset + arrays[i].size;
    }
    if (end < r->file.size && gf_u32(r->file.at + AT_THICKNESS) == 0)
        gf_note(r->report, "%llu bytes at the end belong to nothing", (unsigned long long)(r->file.size - end));
}

/* The vertices from the root on that do not move. A strand of which none moves is taken for one without such marks. */
static plait_result read_held(const gf_reading *r, const uint8_t *positions, uint32_t vertices) {
    plait_gf_groom *groom = r->groom;
    uint32_t i, most = 1;
    groom->held_counts = gf_allocate(groom->strand_count, sizeof *groom->held_counts);
    if (!groom->held_counts) return PLAIT_ERROR_OUT_OF_MEMORY;
    for (i = 0; i < groom->strand_count; i++) {
        const uint8_t *strand = positions + 16 * (size_t)vertices * i;
        uint32_t held = 0;
        while (held < vertices && gf_f32(strand + 16 * (size_t)held + 12) == 0) held++;
        groom->held_counts[i] = held == 0 || held == vertices ? 1 : held;
        most = groom->held_counts[i] > most ? groom->held_counts[i] : most;
    }
    if (most == 1) {
        free(groom->held_counts);
        groom->held_counts = NULL;
    }
    return PLAIT_OK;
}

static plait_result read_colors(const gf_reading *r, const uint8_t *colors) {
    plait_gf_groom *groom = r->groom;
    size_t v;
    groom->colors = gf_allocate(groom->vertex_count, 3 * sizeof *groom->colors);
    groom->transparencies = gf_allocate(groom->vertex_count, sizeof *groom->transparencies);
    if (!groom->colors || !groom->transparencies) return PLAIT_ERROR_OUT_OF_MEMORY;
    for (v = 0; v < groom->vertex_count; v++) {
        gf_copy_f32(colors + 16 * v, 3, groom->colors + 3 * v);
        groom->transparencies[v] = 1 - gf_f32(colors + 16 * v + 12);
    }
    return PLAIT_OK;
}

plait_result gf_read_tfxbone(const gf_reading *r, gf_bytes bones) {
    enum { STRAND = 36 };
    plait_gf_groom *groom = r->groom;
    size_t position = 0;
    uint32_t strands, i;
    int k;
    plait_result result = read_bones(r, &bones, &position);
    if (result != PLAIT_OK) return result;
    if (bones.size < 4)
        return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM, ".tfxbone, byte %zu: the file ends before its strands",
                       position);
    strands = gf_u32(bones.at);
    if (strands != groom->strand_count)
        return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM, ".tfxbone, byte %zu: %u strands, but the .tfx file has %u",
                       position, strands, groom->strand_count);
    if ((bones.size - 4) / STRAND < strands)
        return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM,
                       ".tfxbone, byte %zu: %u strands need %llu bytes, %zu are left", position, strands,
                       (unsigned long long)strands * STRAND, bones.size - 4);
    if (bones.size - 4 > (size_t)strands * STRAND)
        gf_note(r->report, ".tfxbone: %llu bytes at the end belong to nothing",
                (unsigned long long)(bones.size - 4 - (size_t)strands * STRAND));
    groom->root_bindings = gf_allocate(strands, sizeof *groom->root_bindings);
    if (!groom->root_bindings) return PLAIT_ERROR_OUT_OF_MEMORY;
    for (i = 0; i < strands; i++) {
        const uint8_t *p = bones.at + 4 + (size_t)i * STRAND;
        uint32_t strand = gf_u32(p);
        if (strand != i)
            return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM, ".tfxbone, byte %zu: strand %u where %u should be",
                           position + 4 + (size_t)i * STRAND, strand, i);
        for (k = 0; k < 4; k++) {
            groom->root_bindings[i].bones[k] = gf_u32(p + 4 + 8 * k);
            groom->root_bindings[i].weights[k] = gf_f32(p + 8 + 8 * k);
        }
    }
    return PLAIT_OK;
}

/* left and position: what follows, and where. Bones may come in any order. */
static plait_result read_bones(const gf_reading *r, gf_bytes *left, size_t *position) {
    plait_gf_groom *groom = r->groom;
    uint32_t count, missing = 0, i;
    uint8_t *listed;
    plait_result result;
    if (left->size < 4)
        return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM, ".tfxbone: %zu bytes are too few", left->size);
    count = gf_u32(left->at);
    if (gf_f32(left->at) >= 4 && gf_f32(left->at) < 5)
        return gf_fail(r->report, PLAIT_ERROR_UNSUPPORTED,
                       ".tfxbone, byte 0: a header of version %.2f: only files that begin with bones are read here",
                       (double)gf_f32(left->at));
    if (count == 0 || count > PLAIT_MAX_BONES || (left->size - 4) / 8 < count)
        return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM, ".tfxbone, byte 0: %u bones do not fit into %zu bytes",
                       count, left->size);
    groom->bone_count = count;
    groom->bone_names = gf_allocate(count, PLAIT_GF_NAME_SIZE);
    listed = gf_allocate(count, 1);
    result = groom->bone_names && listed ? PLAIT_OK : PLAIT_ERROR_OUT_OF_MEMORY;
    *position = 4;
    left->at += 4;
    left->size -= 4;
    for (i = 0; result == PLAIT_OK && i < count; i++) result = read_bone(r, left, position, i, listed);
    for (i = 0; result == PLAIT_OK && i < count; i++) missing += !listed[i];
    if (missing)
        gf_note(r->report, ".tfxbone: %u bones are missing, and others are listed twice: the later name counts",
                missing);
    free(listed);
    return result;
}

/* One bone of the list. listed: [bone_count], 1 where it is. */
static plait_result read_bone(const gf_reading *r, gf_bytes *left, size_t *position, uint32_t i, uint8_t *listed) {
    plait_gf_groom *groom = r->groom;
    uint32_t count = groom->bone_count, bone, length;
    char *name;
    if (left->size < 8)
        return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM, ".tfxbone, byte %zu: the file ends at bone %u of %u",
                       *position, i, count);
    bone = gf_u32(left->at);
    length = gf_u32(left->at + 4);
    if (bone >= count || length > left->size - 8)
        return gf_fail(r->report, PLAIT_ERROR_INVALID_GROOM,
                       ".tfxbone, byte %zu: bone %u of %u with a name of %u bytes cannot be", *position, bone, count,
                       length);
    listed[bone] = 1;
    name = groom->bone_names + (size_t)bone * PLAIT_GF_NAME_SIZE;
    if (length >= PLAIT_GF_NAME_SIZE) gf_note(r->report, "the name of bone %u is cut off", bone);
    memset(name, 0, PLAIT_GF_NAME_SIZE);
    memcpy(name, left->at + 8, length < PLAIT_GF_NAME_SIZE ? length : PLAIT_GF_NAME_SIZE - 1);
    left->at += 8 + (size_t)length;
    left->size -= 8 + (size_t)length;
    *position += 8 + (size_t)length;
    return PLAIT_OK;
}
