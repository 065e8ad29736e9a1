/* See draw.h. */
#include "draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embedded.h"

enum {
    TEXTURE_WIDTH = 2048,
    TEXTURE_MOST = 16384, /* rows; every desktop driver has as many */
    IMAGE_RGBAF = 11,     /* Image.FORMAT_RGBAF */
    TRIANGLES = 3,        /* RenderingServer.PRIMITIVE_TRIANGLES */
    ARRAYS = 13,          /* of a surface */
    ARRAY_VERTEX = 0,
    ARRAY_TEX_UV = 4,
    ARRAY_INDEX = 12,
    TRANSFORM_3D = 1
};

/* Compiled once for all hairs. */
static uint64_t shader;
static int shader_users;

static void *server(void) { return gd_singleton("RenderingServer"); }

/* A strip of so many pairs of vertices. UV holds the side and the number of the vertex along the strand. */
static uint64_t make_strip(uint32_t pairs) {
    uint64_t mesh = gd_take_rid(GD_CALL0(server(), "mesh_create"));
    gd_variant arrays = gd_empty(GDX_ARRAY), size = gd_int(ARRAYS);
    gd_variant vertices = gd_packed(GDX_PACKED_VECTOR3_ARRAY, 2 * (int64_t)pairs),
               uvs = gd_packed(GDX_PACKED_VECTOR2_ARRAY, 2 * (int64_t)pairs),
               indices = gd_packed(GDX_PACKED_INT32_ARRAY, 6 * ((int64_t)pairs - 1));
    int64_t n;
    float *v = gd_elements(&vertices, &n), *uv = gd_elements(&uvs, &n);
    int32_t *index = gd_elements(&indices, &n);
    memset(v, 0, 6 * (size_t)pairs * sizeof *v);
    for (uint32_t i = 0; i < 2 * pairs; i++) {
        *uv++ = i % 2 ? 1.0f : -1.0f;
        *uv++ = (float)(i / 2);
    }
    for (uint32_t i = 0; i + 1 < pairs; i++) {
        const int32_t corners[6] = {0, 1, 2, 2, 1, 3};
        for (int k = 0; k < 6; k++) *index++ = (int32_t)(2 * i) + corners[k];
    }
    gd_drop(gd_call_value(&arrays, "resize", 1, &size));
    gd_drop(gd_call_value(&arrays, "set", 2, (gd_variant[]){gd_int(ARRAY_VERTEX), vertices}));
    gd_drop(gd_call_value(&arrays, "set", 2, (gd_variant[]){gd_int(ARRAY_TEX_UV), uvs}));
    gd_drop(gd_call_value(&arrays, "set", 2, (gd_variant[]){gd_int(ARRAY_INDEX), indices}));
    GD_DO(server(), "mesh_add_surface_from_arrays", gd_rid(mesh), gd_int(TRIANGLES), arrays);
    return mesh;
}

/* Instances stand where the shader puts them: all have the same transform. */
static uint64_t make_multimesh(uint64_t mesh, uint32_t count) {
    uint64_t multimesh = gd_take_rid(GD_CALL0(server(), "multimesh_create"));
    gd_variant buffer = gd_packed(GDX_PACKED_FLOAT32_ARRAY, 12 * (int64_t)count);
    int64_t n;
    float *m = gd_elements(&buffer, &n);
    for (int64_t i = 0; i < n; i++) m[i] = i % 12 % 5 == 0 ? 1.0f : 0.0f; /* identities: 0, 5 and 10 are the diagonal */
    GD_DO(server(), "multimesh_allocate_data", gd_rid(multimesh), gd_int(count), gd_int(TRANSFORM_3D));
    GD_DO(server(), "multimesh_set_mesh", gd_rid(multimesh), gd_rid(mesh));
    GD_DO(server(), "multimesh_set_buffer", gd_rid(multimesh), buffer);
    return multimesh;
}

/* Takes nothing: bytes stay the caller's. */
static void fill_image(const gd_variant *image, int width, int height, const gd_variant *bytes) {
    GD_DO(gd_to_object(image), "set_data", gd_int(width), gd_int(height), gd_bool(0), gd_int(IMAGE_RGBAF),
          gd_copy(bytes));
}

static uint64_t make_texture(const gd_variant *image) {
    return gd_take_rid(GD_CALL(server(), "texture_2d_create", gd_copy(image)));
}

/* First vertex, count and a number of its own (0 to 1) for every strand. */
static uint64_t make_table(uint32_t strand_count, const uint32_t *vertex_counts) {
    int height = (int)((strand_count + TEXTURE_WIDTH - 1) / TEXTURE_WIDTH);
    gd_variant bytes = gd_packed(GDX_PACKED_BYTE_ARRAY, (int64_t)TEXTURE_WIDTH * height * 16),
               image = gd_object(gd_new("Image"));
    int64_t n;
    float *row = gd_elements(&bytes, &n);
    uint32_t first = 0;
    uint64_t texture;
    memset(row, 0, (size_t)n);
    for (uint32_t i = 0; i < strand_count; i++, row += 4) {
        uint32_t number = i * 2654435761u; /* Knuth's multiplicative hash */
        row[0] = (float)(first / TEXTURE_WIDTH);
        row[1] = (float)(first % TEXTURE_WIDTH);
        row[2] = (float)vertex_counts[i];
        row[3] = (float)(number >> 8) / 16777216.0f;
        first += vertex_counts[i];
    }
    fill_image(&image, TEXTURE_WIDTH, height, &bytes);
    texture = make_texture(&image);
    gd_drop(image);
    gd_drop(bytes);
    return texture;
}

static uint64_t make_material(void) {
    uint64_t material = gd_take_rid(GD_CALL0(server(), "material_create"));
    if (shader_users++ == 0) {
        shader = gd_take_rid(GD_CALL0(server(), "shader_create"));
        GD_DO(server(), "shader_set_code", gd_rid(shader), gd_text((const char *)embedded_strands_gdshader));
    }
    GD_DO(server(), "material_set_shader", gd_rid(material), gd_rid(shader));
    return material;
}

int draw_create(draw *d, uint32_t strand_count, const uint32_t *vertex_counts, char *why, size_t why_size) {
    uint64_t vertices = 0;
    uint32_t longest = 0;
    int64_t n;
    void *empty;
    memset(d, 0, sizeof *d);
    for (uint32_t i = 0; i < strand_count; i++) {
        vertices += vertex_counts[i];
        if (vertex_counts[i] > longest) longest = vertex_counts[i];
    }
    if (vertices > (uint64_t)TEXTURE_WIDTH * TEXTURE_MOST) {
        snprintf(why, why_size, "%llu vertices are more than a texture holds", (unsigned long long)vertices);
        return 0;
    }
    d->strand_count = strand_count;
    d->vertex_count = (uint32_t)vertices;
    d->width = TEXTURE_WIDTH;
    d->height = (int)((vertices + TEXTURE_WIDTH - 1) / TEXTURE_WIDTH);
    d->bytes = gd_packed(GDX_PACKED_BYTE_ARRAY, (int64_t)d->width * d->height * 16);
    empty = gd_elements(&d->bytes, &n);
    memset(empty, 0, (size_t)n);
    d->image = gd_object(gd_new("Image"));
    fill_image(&d->image, d->width, d->height, &d->bytes);
    d->strands_texture = make_texture(&d->image);
    d->table_texture = make_table(strand_count, vertex_counts);
    d->mesh = make_strip(longest);
    d->multimesh = make_multimesh(d->mesh, strand_count);
    d->material = make_material();
    GD_DO(server(), "mesh_surface_set_material", gd_rid(d->mesh), gd_int(0), gd_rid(d->material));
    draw_set(d, "strands", gd_rid(d->strands_texture));
    draw_set(d, "strand_table", gd_rid(d->table_texture));
    return 1;
}

void draw_free(draw *d) {
    uint64_t rids[] = {d->multimesh, d->mesh, d->material, d->strands_texture, d->table_texture};
    if (!d->multimesh) return;
    for (size_t i = 0; i < sizeof rids / sizeof *rids; i++) GD_DO(server(), "free_rid", gd_rid(rids[i]));
    if (--shader_users == 0) GD_DO(server(), "free_rid", gd_rid(shader));
    gd_drop(d->image);
    gd_drop(d->bytes);
    memset(d, 0, sizeof *d);
}

float *draw_memory(draw *d) {
    static const uint8_t pixel[16];
    gd_variant small = gd_packed(GDX_PACKED_BYTE_ARRAY, sizeof pixel);
    int64_t n;
    void *to = gd_elements(&small, &n);
    memcpy(to, pixel, sizeof pixel);
    /* Arrays are copied when they are written while shared: the image lets go of ours. */
    fill_image(&d->image, 1, 1, &small);
    gd_drop(small);
    return gd_elements(&d->bytes, &n);
}

void draw_upload(draw *d, uint32_t drawn, const float bounds[6]) {
    fill_image(&d->image, d->width, d->height, &d->bytes);
    GD_DO(server(), "texture_2d_update", gd_rid(d->strands_texture), gd_copy(&d->image), gd_int(0));
    GD_DO(server(), "multimesh_set_custom_aabb", gd_rid(d->multimesh), gd_floats(GDX_AABB, bounds));
    if (drawn != d->drawn) GD_DO(server(), "multimesh_set_visible_instances", gd_rid(d->multimesh), gd_int(drawn));
    d->drawn = drawn;
}

void draw_set(draw *d, const char *parameter, gd_variant value) {
    GD_DO(server(), "material_set_param", gd_rid(d->material), gd_name(parameter), value);
}
