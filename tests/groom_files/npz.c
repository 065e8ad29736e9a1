// The container: what goes in comes out again, from .hair files too, and damaged archives are refused. numpy.py asks NumPy.
#include "made_file.h"

#include <unistd.h>

static const char *const SCRATCH = "groom_files_npz.tmp.npz", *const HAIR = "groom_files_npz.tmp.hair";

#define FILL(array, count, value)                                                                                      \
    do {                                                                                                               \
        g->array = malloc((count) * sizeof *g->array);                                                                 \
        for (uint32_t i = 0; i < (count); i++) g->array[i] = (value);                                                  \
    } while (0)

// Everything that a groom can have: strands of 2, 3 and 4 vertices, two bones, two groups, two guides.
static void make_full(plait_gf_groom *g) {
    memset(g, 0, sizeof *g);
    g->strand_count = 3, g->vertex_count = 9, g->bone_count = 2, g->group_count = 2, g->guide_count = 2;
    g->guides_each = 2, g->meters_per_unit = 0.01f, g->radius = 0.25f, g->transparency = 0.5f;
    g->color[0] = 0.1f, g->color[1] = 0.2f, g->color[2] = 0.3f;
    FILL(vertex_counts, 3, i + 2);
    FILL(positions, 27, 0.3f * (float)i + 0.01f * (float)(i * i % 11));
    FILL(radii, 9, 0.001f * (float)(i + 1));
    FILL(transparencies, 9, 0.1f * (float)i);
    FILL(colors, 27, 0.03f * (float)i);
    FILL(uvs, 18, 0.05f * (float)i);
    FILL(root_bindings, 3, ((plait_root_binding){{1, 0, 0, 0}, {0.25f * (float)i, 1 - 0.25f * (float)i, 0, 0}}));
    FILL(root_normals, 9, 1 + (float)i);
    FILL(root_uvs, 6, 0.5f * (float)i);
    FILL(group_indices, 3, (uint16_t)(i % 2));
    FILL(held_counts, 3, i + 1);
    FILL(source_strands, 3, 10 * i);
    FILL(bind_pose, 24, i % 5 == 0 && i % 12 < 11 ? 1 : (float)(i % 4 == 3));
    g->bone_names = calloc(2, PLAIT_GF_NAME_SIZE);
    strcpy(g->bone_names, "head");
    strcpy(g->bone_names + PLAIT_GF_NAME_SIZE, "neck");
    FILL(groups, 2, (plait_group_desc)PLAIT_GROUP_DESC_INIT);
    g->groups[0].radius = 0.002f, g->groups[1].friction = 0.5f;
    FILL(guides, 2, 2 * i);
    FILL(closest_guides, 6, i % 2);
    FILL(guide_weights, 6, 0.25f + 0.5f * (float)(i % 2));
    g->mesh_vertex_count = 4, g->mesh_triangle_count = 2;
    FILL(mesh_positions, 12, 0.1f * (float)(i * i));
    FILL(mesh_triangles, 6, i % 3 + i / 3);
    FILL(root_triangles, 3, i % 2);
    FILL(root_barycentrics, 9, i % 3 ? 0.25f : 0.5f);
    FILL(hair_header, PLAIT_GF_HAIR_HEADER_SIZE, i < 4 ? (uint8_t) "HAIR"[i] : (uint8_t)i);
}

static void same(const plait_gf_groom *a, const plait_gf_groom *b) {
#define SAME(array, count)                                                                                             \
    do {                                                                                                               \
        assert_int_equal(a->array != NULL, b->array != NULL);                                                          \
        if (a->array) assert_memory_equal(a->array, b->array, (count) * sizeof *a->array);                             \
    } while (0)
    assert_memory_equal(a, b, offsetof(plait_gf_groom, vertex_counts)); // the counts and numbers in front
    SAME(vertex_counts, a->strand_count);
    SAME(positions, 3 * a->vertex_count);
    SAME(radii, a->vertex_count);
    SAME(transparencies, a->vertex_count);
    SAME(colors, 3 * a->vertex_count);
    SAME(uvs, 2 * a->vertex_count);
    SAME(root_bones, a->strand_count);
    SAME(root_bindings, a->strand_count);
    SAME(root_normals, 3 * a->strand_count);
    SAME(root_uvs, 2 * a->strand_count);
    SAME(group_indices, a->strand_count);
    SAME(held_counts, a->strand_count);
    SAME(source_strands, a->strand_count);
    SAME(bind_pose, 12 * a->bone_count);
    SAME(bone_names, PLAIT_GF_NAME_SIZE * a->bone_count);
    SAME(groups, a->group_count);
    SAME(guides, a->guide_count);
    SAME(closest_guides, a->guides_each * a->strand_count);
    SAME(guide_weights, a->guides_each * a->strand_count);
    SAME(hair_header, PLAIT_GF_HAIR_HEADER_SIZE);
    assert_int_equal(a->mesh_vertex_count, b->mesh_vertex_count);
    assert_int_equal(a->mesh_triangle_count, b->mesh_triangle_count);
    SAME(mesh_positions, 3 * a->mesh_vertex_count);
    SAME(mesh_triangles, 3 * a->mesh_triangle_count);
    SAME(root_triangles, a->strand_count);
    SAME(root_barycentrics, 3 * a->strand_count);
}

static made_file slurp(const char *path) {
    made_file f;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    f.size = fread(f.bytes, 1, sizeof f.bytes, file);
    assert_true(f.size < sizeof f.bytes);
    fclose(file);
    unlink(path);
    return f;
}

static void carries_everything(void **state) {
    (void)state;
    plait_gf_groom groom, again;
    plait_gf_report report;
    make_full(&groom);
    for (uint32_t compress = 0; compress < 2; compress++) {
        if (plait_gf_write_npz(SCRATCH, &groom, compress, &report) != PLAIT_OK) fail_msg("%s", report.message);
        if (plait_gf_read(SCRATCH, NULL, &again, &report) != PLAIT_OK) fail_msg("%s", report.message);
        assert_int_equal(report.format, PLAIT_GF_FORMAT_NPZ);
        assert_string_equal(report.notes, "");
        same(&groom, &again);
        plait_gf_groom_free(&again);
        made_file first = slurp(SCRATCH);
        assert_int_equal(plait_gf_write_npz(SCRATCH, &groom, compress, NULL), PLAIT_OK);
        made_file second = slurp(SCRATCH);
        assert_int_equal(first.size, second.size);
        assert_memory_equal(first.bytes, second.bytes, first.size);
    }
    // One bone a root, instead of four; groups without materials.
    free(groom.root_bindings);
    free(groom.groups);
    groom.root_bindings = NULL;
    groom.groups = NULL;
    groom.root_bones = calloc(3, sizeof *groom.root_bones);
    groom.root_bones[1] = 1;
    assert_int_equal(plait_gf_write_npz(SCRATCH, &groom, 1, NULL), PLAIT_OK);
    assert_int_equal(plait_gf_read(SCRATCH, NULL, &again, NULL), PLAIT_OK);
    same(&groom, &again);
    plait_gf_groom_free(&again);
    plait_gf_groom_free(&groom);
    unlink(SCRATCH);
}

// All combinations of arrays, strands of different lengths, odd numbers.
static void hair_through_the_container_is_the_same_file(void **state) {
    (void)state;
    for (uint32_t arrays = 2; arrays < 32; arrays++) {
        if (!(arrays & 2)) continue;
        made_file f = {.size = 0};
        put_bytes(&f, "HAIR", 4);
        put_u32(&f, 2);
        put_u32(&f, 8);
        put_u32(&f, arrays);
        put_u32(&f, 3);
        for (int i = 0; i < 5; i++) put_f32(&f, 0.1f * (float)i);
        for (uint8_t i = 0; i < 88; i++) put_bytes(&f, &i, 1);
        if (arrays & 1) put_u16(&f, 2), put_u16(&f, 4);
        for (uint32_t i = 0; i < 24; i++) put_f32(&f, 0.1f * (float)i + 1e-7f * (float)(i * i));
        for (uint32_t bit = 4; bit < 32; bit *= 2)
            for (uint32_t i = 0; i < (bit == 16 ? 24u : 8u) && arrays & bit; i++) put_f32(&f, 0.7f * (float)(i + bit));
        plait_gf_groom groom;
        assert_int_equal(read_made(f.bytes, f.size, 0, NULL, &groom, NULL), PLAIT_OK);
        assert_int_equal(plait_gf_write_npz(SCRATCH, &groom, arrays % 3 == 0, NULL), PLAIT_OK);
        plait_gf_groom_free(&groom);
        assert_int_equal(plait_gf_read(SCRATCH, NULL, &groom, NULL), PLAIT_OK);
        assert_int_equal(plait_gf_write_hair(HAIR, &groom, NULL), PLAIT_OK);
        plait_gf_groom_free(&groom);
        made_file again = slurp(HAIR);
        assert_int_equal(again.size, f.size);
        assert_memory_equal(again.bytes, f.bytes, f.size);
    }
    unlink(SCRATCH);
}

// Any one bit turned round, anywhere, and any cut: read all the same where it does not matter, refused where it does, and what
// is read is whole.
static void damaged_archives_do_no_harm(void **state) {
    (void)state;
    plait_gf_groom groom, again;
    plait_gf_report report;
    make_full(&groom);
    assert_int_equal(plait_gf_write_npz(SCRATCH, &groom, 1, NULL), PLAIT_OK);
    made_file f = slurp(SCRATCH);
    refuses_every_prefix(&f, PLAIT_GF_FORMAT_NPZ);
    uint32_t refused = 0;
    for (size_t at = 0; at < f.size; at++) {
        made_file g = f;
        g.bytes[at] ^= (uint8_t)(1 << at % 8);
        if (read_made(g.bytes, g.size, PLAIT_GF_FORMAT_NPZ, NULL, &again, &report) == PLAIT_OK) {
            assert_memory_equal(again.positions, groom.positions, 27 * sizeof(float));
            plait_gf_groom_free(&again);
        } else {
            assert_true(strlen(report.message) > 10);
            refused++;
        }
    }
    assert_true(refused > f.size / 3);
    plait_gf_groom_free(&groom);
}

static void says_where_it_cannot_write(void **state) {
    (void)state;
    plait_gf_groom groom;
    plait_gf_report report;
    make_full(&groom);
    assert_int_equal(plait_gf_write_npz("nowhere/file.npz", &groom, 0, &report), PLAIT_ERROR_SYSTEM);
    assert_says(&report, "cannot be written");
    plait_gf_groom_free(&groom);
    assert_int_equal(plait_gf_write_npz(SCRATCH, &groom, 0, &report), PLAIT_ERROR_INVALID_ARGUMENT);
}

static int group_setup(void **state) {
    (void)state;
    plait_gf_report report;
    if (plait_gf_write_npz(NULL, NULL, 0, &report) != PLAIT_ERROR_UNSUPPORTED) return 0;
    printf("%s\n", report.message); // without libzip there is nothing to test
    exit(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carries_everything),
        cmocka_unit_test(hair_through_the_container_is_the_same_file),
        cmocka_unit_test(damaged_archives_do_no_harm),
        cmocka_unit_test(says_where_it_cannot_write),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
