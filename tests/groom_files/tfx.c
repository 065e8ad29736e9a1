// TressFX 4 files and their bones: read as they were made, refused or repaired where they are wrong.
#include "made_file.h"

enum { STRANDS = 4, VERTICES = 4 };

static float coordinate(uint32_t i) { return 0.25f * (float)i + 0.01f * (float)(i * i % 7); }

// With all arrays that TressFX knows but thickness; strand 0 holds three vertices, the others their root.
static made_file make(float version, bool with_all) {
    made_file f = {.size = 0};
    uint32_t header = 160, all = STRANDS * VERTICES, at = header;
    put_f32(&f, version);
    put_u32(&f, STRANDS);
    put_u32(&f, VERTICES);
    put_u32(&f, at);
    put_u32(&f, with_all ? at += 16 * all : 0);
    put_u32(&f, with_all ? at += 8 * STRANDS : 0);
    put_u32(&f, 0);
    put_u32(&f, with_all ? at += 8 * all : 0);
    f.size = header;
    for (uint32_t v = 0; v < all; v++) {
        for (uint32_t c = 0; c < 3; c++) put_f32(&f, coordinate(3 * v + c));
        put_f32(&f, v < 3 || v % VERTICES == 0 ? 0 : 1);
    }
    for (uint32_t i = 0; i < 2 * STRANDS && with_all; i++) put_f32(&f, 0.125f * (float)i);
    for (uint32_t i = 0; i < 2 * all && with_all; i++) put_f32(&f, 0.0625f * (float)i);
    for (uint32_t i = 0; i < 4 * all && with_all; i++) put_f32(&f, 0.5f * (float)(i % 4));
    return f;
}

// Strand 1's weights sum to 0.5, strand 2's to zero, strand 3 is bound to a bone that does not exist.
static made_file make_bones(void) {
    static const float weights[STRANDS][4] = {{0.75f, 0.25f, 0, 0}, {0.25f, 0.25f, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}};
    made_file f = {.size = 0};
    put_u32(&f, 2);
    put_u32(&f, 1);
    put_u32(&f, 5);
    put_bytes(&f, "neck", 5);
    put_u32(&f, 0);
    put_u32(&f, 5);
    put_bytes(&f, "head", 5);
    put_u32(&f, STRANDS);
    for (uint32_t s = 0; s < STRANDS; s++) {
        put_u32(&f, s);
        for (uint32_t i = 0; i < 4; i++) {
            put_u32(&f, s == 3 ? 2 : i < 2 ? i : 77);
            put_f32(&f, weights[s][i]);
        }
    }
    return f;
}

static void reads_all_arrays(void **state) {
    (void)state;
    made_file f = make(4.1f, true);
    plait_gf_groom groom;
    plait_gf_report report;
    assert_int_equal(read_made(f.bytes, f.size, PLAIT_GF_FORMAT_AUTO, NULL, &groom, &report), PLAIT_OK);
    assert_int_equal(report.format, PLAIT_GF_FORMAT_TFX);
    assert_int_equal(groom.strand_count, STRANDS);
    assert_int_equal(groom.vertex_count, STRANDS * VERTICES);
    for (uint32_t i = 0; i < 3 * groom.vertex_count; i++) assert_true(groom.positions[i] == coordinate(i));
    for (uint32_t i = 0; i < 2 * STRANDS; i++) assert_true(groom.root_uvs[i] == 0.125f * (float)i);
    for (uint32_t i = 0; i < 2 * groom.vertex_count; i++) assert_true(groom.uvs[i] == 0.0625f * (float)i);
    for (uint32_t i = 0; i < 3 * groom.vertex_count; i++) assert_true(groom.colors[i] == 0.5f * (float)(i % 3));
    assert_true(groom.transparencies[5] == 1 - 1.5f);
    static const uint32_t held[] = {3, 1, 1, 1};
    assert_memory_equal(groom.held_counts, held, sizeof held);
    plait_gf_groom_free(&groom);
}

// Of three held vertices, the second is where the first is.
static void holds_what_is_left_of_the_held(void **state) {
    (void)state;
    made_file f = make(4, false);
    memcpy(f.bytes + 160 + 16, f.bytes + 160, 12);
    plait_gf_groom groom;
    assert_int_equal(read_made(f.bytes, f.size, 0, NULL, &groom, NULL), PLAIT_OK);
    assert_int_equal(groom.vertex_counts[0], VERTICES - 1);
    assert_int_equal(groom.held_counts[0], 2);
    plait_gf_groom_free(&groom);
}

static void reads_bones_and_repairs_weights(void **state) {
    (void)state;
    made_file f = make(4, false), bones = make_bones();
    plait_gf_read_options options = {.bone_bytes = bones.bytes, .bone_size = bones.size};
    plait_gf_groom groom;
    plait_gf_report report;
    assert_int_equal(read_made(f.bytes, f.size, PLAIT_GF_FORMAT_TFX, &options, &groom, &report), PLAIT_OK);
    assert_int_equal(report.skipped_unbound, 2);
    assert_int_equal(report.first_skipped, 2);
    assert_int_equal(report.scaled_weights, 1);
    assert_int_equal(groom.strand_count, 2);
    assert_int_equal(groom.bone_count, 2);
    assert_string_equal(groom.bone_names, "head");
    assert_string_equal(groom.bone_names + PLAIT_GF_NAME_SIZE, "neck");
    assert_true(groom.root_bindings[0].weights[0] == 0.75f && groom.root_bindings[0].bones[1] == 1);
    assert_true(groom.root_bindings[1].weights[0] == 0.5f && groom.root_bindings[1].weights[1] == 0.5f);
    assert_int_equal(groom.root_bindings[1].bones[3], 0); // of weight zero: any number was there
    plait_gf_groom_free(&groom);
}

static void refuses_bones_that_do_not_fit(void **state) {
    (void)state;
    made_file f = make(4, false), bones = make_bones(), hair = {.bytes = "HAIR", .size = 128};
    plait_gf_groom groom;
    plait_gf_report report;
    for (size_t size = 1; size < bones.size; size++) { // cut off anywhere
        uint8_t *copy = malloc(size);
        memcpy(copy, bones.bytes, size);
        plait_gf_read_options options = {.bone_bytes = copy, .bone_size = size};
        assert_int_equal(read_made(f.bytes, f.size, 0, &options, &groom, &report), PLAIT_ERROR_INVALID_GROOM);
        assert_says(&report, ".tfxbone");
        assert_empty(&groom);
        free(copy);
    }
    static const struct {
        size_t at;
        uint8_t value;
        const char *says;
    } lies[] = {{3, 255, "bones"},
                {0, 0, "bones"},
                {4, 2, "bone 2 of 2"},
                {11, 128, "name of"},
                {30, 9, "but the .tfx file has 4"},
                {34, 1, "strand 1 where 0"}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        made_file wrong = bones;
        wrong.bytes[lies[i].at] = lies[i].value;
        plait_gf_read_options options = {.bone_bytes = wrong.bytes, .bone_size = wrong.size};
        assert_int_equal(read_made(f.bytes, f.size, 0, &options, &groom, &report), PLAIT_ERROR_INVALID_GROOM);
        assert_says(&report, lies[i].says);
    }
    plait_gf_read_options options = {.bone_bytes = bones.bytes, .bone_size = bones.size};
    assert_int_equal(read_made(hair.bytes, hair.size, 0, &options, &groom, &report), PLAIT_ERROR_INVALID_ARGUMENT);
    made_file newer = {.size = 0};
    put_f32(&newer, 4);
    newer.size = 160;
    options = (plait_gf_read_options){.bone_bytes = newer.bytes, .bone_size = newer.size};
    assert_int_equal(read_made(f.bytes, f.size, 0, &options, &groom, &report), PLAIT_ERROR_UNSUPPORTED);
    assert_says(&report, "version 4.00");
}

static void tells_of_bytes_and_bones_too_many(void **state) {
    (void)state;
    made_file f = make(4, true), bones = make_bones();
    plait_gf_groom groom;
    plait_gf_report report;
    plait_gf_read_options options = {.bone_bytes = bones.bytes, .bone_size = bones.size};
    assert_int_equal(read_made(f.bytes, f.size, 0, &options, &groom, &report), PLAIT_OK);
    assert_string_equal(report.notes, "");
    plait_gf_groom_free(&groom);
    put_u32(&f, 7);
    put_u16(&bones, 7);
    bones.bytes[17] = 1; // bone 1 again, instead of 0, with a shorter name
    memcpy(bones.bytes + 25, "me", 3);
    options.bone_size = bones.size;
    assert_int_equal(read_made(f.bytes, f.size, 0, &options, &groom, &report), PLAIT_OK);
    assert_non_null(strstr(report.notes, "4 bytes at the end"));
    assert_non_null(strstr(report.notes, ".tfxbone: 2 bytes at the end"));
    assert_non_null(strstr(report.notes, ".tfxbone: 1 bones are missing"));
    assert_string_equal(groom.bone_names, "");
    assert_string_equal(groom.bone_names + PLAIT_GF_NAME_SIZE, "me");
    plait_gf_groom_free(&groom);
}

static void names_versions_that_it_does_not_read(void **state) {
    (void)state;
    plait_gf_groom groom;
    plait_gf_report report;
    static const struct {
        float version;
        const char *says;
    } versions[] = {
        {3, "version 3.00"}, {2, "version 2.00"}, {5.5f, "version 5.50"}, {1e9f, "neither"}, {NAN, "neither"}};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        made_file f = make(versions[i].version, false);
        assert_int_equal(read_made(f.bytes, f.size, 0, NULL, &groom, &report), PLAIT_ERROR_UNSUPPORTED);
        assert_says(&report, versions[i].says);
    }
    made_file text = {.size = 0};
    put_bytes(&text, "numStrands 15\nis sorted 1\n", 26);
    assert_int_equal(read_made(text.bytes, text.size, 0, NULL, &groom, &report), PLAIT_ERROR_UNSUPPORTED);
    assert_says(&report, "TressFX 1 or 2");
}

static void refuses_files_that_end_too_early_or_lie(void **state) {
    (void)state;
    made_file whole = make(4, true);
    refuses_every_prefix(&whole, PLAIT_GF_FORMAT_TFX);
    static const struct {
        size_t at;
        uint32_t value;
        const char *says;
    } lies[] = {{4, 0, "cannot be"},
                {4, 0x40000000, "cannot be"},
                {4, 0x10000001, "need"},
                {8, 0x80000000, "cannot be"},
                {12, 0, "no positions"},
                {12, 159, "positions"},
                {12, 0xffffffff, "positions"},
                {16, 1, "strand UVs"},
                {20, 0xfffffff0, "vertex UVs"},
                {28, 1000000, "vertex colours"}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        made_file f = whole;
        f.size = lies[i].at;
        put_u32(&f, lies[i].value);
        f.size = whole.size;
        plait_gf_groom groom;
        plait_gf_report report;
        assert_int_equal(read_made(f.bytes, f.size, 0, NULL, &groom, &report), PLAIT_ERROR_INVALID_GROOM);
        assert_says(&report, lies[i].says);
        assert_empty(&groom);
    }
    made_file thick = whole;
    thick.size = 24;
    put_u32(&thick, 160);
    thick.size = whole.size;
    plait_gf_groom groom;
    plait_gf_report report;
    assert_int_equal(read_made(thick.bytes, thick.size, 0, NULL, &groom, &report), PLAIT_OK);
    assert_non_null(strstr(report.notes, "thickness"));
    plait_gf_groom_free(&groom);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_arrays),
        cmocka_unit_test(holds_what_is_left_of_the_held),
        cmocka_unit_test(reads_bones_and_repairs_weights),
        cmocka_unit_test(refuses_bones_that_do_not_fit),
        cmocka_unit_test(tells_of_bytes_and_bones_too_many),
        cmocka_unit_test(names_versions_that_it_does_not_read),
        cmocka_unit_test(refuses_files_that_end_too_early_or_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
