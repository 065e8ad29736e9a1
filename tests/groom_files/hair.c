// Cem Yuksel's .hair files: read as they were made, written as they were read, refused or repaired where they are wrong.
#include "made_file.h"

#include <unistd.h>

enum { SEGMENTS = 1, POINTS = 2, THICKNESS = 4, TRANSPARENCY = 8, COLOR = 16 };

static const char *const SCRATCH = "groom_files_hair.tmp";

static float coordinate(uint32_t i) { return 0.25f * (float)i + 0.01f * (float)(i * i % 7); }

// Three strands of 3 vertices; with a list of segments of 3, 2 and 5.
static made_file make(uint32_t arrays) {
    static const uint32_t listed[] = {2, 1, 4};
    made_file f = {.size = 0};
    uint32_t points = arrays & SEGMENTS ? 10 : 9;
    put_bytes(&f, "HAIR", 4);
    put_u32(&f, 3);
    put_u32(&f, points);
    put_u32(&f, arrays);
    put_u32(&f, 2);
    put_f32(&f, 0.002f);
    put_f32(&f, 0.5f);
    for (int c = 0; c < 3; c++) put_f32(&f, 0.1f * (float)(c + 1));
    char text[88] = "made by a test";
    put_bytes(&f, text, sizeof text);
    for (int i = 0; i < 3 && arrays & SEGMENTS; i++) put_u16(&f, listed[i]);
    for (uint32_t i = 0; i < 3 * points && arrays & POINTS; i++) put_f32(&f, coordinate(i));
    for (uint32_t i = 0; i < points && arrays & THICKNESS; i++) put_f32(&f, 0.001f + 0.0003f * (float)i);
    for (uint32_t i = 0; i < points && arrays & TRANSPARENCY; i++) put_f32(&f, 0.07f * (float)i);
    for (uint32_t i = 0; i < 3 * points && arrays & COLOR; i++) put_f32(&f, 0.03f * (float)i);
    return f;
}

static void set_u32(made_file *f, size_t at, uint32_t x) {
    size_t size = f->size;
    f->size = at;
    put_u32(f, x);
    f->size = size;
}

static void set_f32(made_file *f, size_t at, float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    set_u32(f, at, bits);
}

static plait_result read_hair(const made_file *f, plait_gf_groom *groom, plait_gf_report *report) {
    return read_made(f->bytes, f->size, PLAIT_GF_FORMAT_AUTO, NULL, groom, report);
}

static void reads_every_combination_of_arrays(void **state) {
    (void)state;
    for (uint32_t arrays = 0; arrays < 32; arrays++) {
        made_file f = make(arrays);
        plait_gf_groom groom;
        plait_gf_report report;
        plait_result result = read_hair(&f, &groom, &report);
        if (!(arrays & POINTS)) {
            assert_int_equal(result, PLAIT_ERROR_INVALID_GROOM);
            assert_says(&report, "no points");
            continue;
        }
        assert_int_equal(result, PLAIT_OK);
        assert_int_equal(report.format, PLAIT_GF_FORMAT_HAIR);
        assert_string_equal(report.notes, "");
        uint32_t listed[] = {3, 2, 5}, usual[] = {3, 3, 3}, points = arrays & SEGMENTS ? 10 : 9;
        assert_int_equal(groom.strand_count, 3);
        assert_int_equal(groom.vertex_count, points);
        assert_memory_equal(groom.vertex_counts, arrays & SEGMENTS ? listed : usual, sizeof listed);
        for (uint32_t i = 0; i < 3 * points; i++) assert_true(groom.positions[i] == coordinate(i));
        assert_int_equal(groom.radii != NULL, (arrays & THICKNESS) != 0);
        assert_int_equal(groom.transparencies != NULL, (arrays & TRANSPARENCY) != 0);
        assert_int_equal(groom.colors != NULL, (arrays & COLOR) != 0);
        for (uint32_t i = 0; i < points; i++) {
            if (groom.radii) assert_true(groom.radii[i] == 0.5f * (0.001f + 0.0003f * (float)i));
            if (groom.transparencies) assert_true(groom.transparencies[i] == 0.07f * (float)i);
            for (uint32_t c = 0; groom.colors && c < 3; c++)
                assert_true(groom.colors[3 * i + c] == 0.03f * (float)(3 * i + c));
        }
        assert_true(groom.radius == 0.001f && groom.transparency == 0.5f && groom.color[2] == 0.1f * 3);
        plait_gf_groom_free(&groom);
        assert_empty(&groom);
    }
}

static void writes_what_was_read(void **state) {
    (void)state;
    for (uint32_t arrays = POINTS; arrays < 32; arrays++) {
        if (!(arrays & POINTS)) continue;
        made_file f = make(arrays);
        plait_gf_groom groom;
        plait_gf_report report;
        assert_int_equal(read_hair(&f, &groom, NULL), PLAIT_OK);
        assert_int_equal(plait_gf_write_hair(SCRATCH, &groom, &report), PLAIT_OK);
        assert_string_equal(report.notes, "");
        plait_gf_groom_free(&groom);
        FILE *file = fopen(SCRATCH, "rb");
        uint8_t written[sizeof f.bytes];
        size_t size = fread(written, 1, sizeof written, file);
        fclose(file);
        unlink(SCRATCH);
        assert_int_equal(size, f.size);
        assert_memory_equal(written, f.bytes, size);
    }
}

// Segments are listed although there is no need, and the header's number is another one.
static void keeps_a_list_that_is_not_needed(void **state) {
    (void)state;
    made_file f = make(POINTS);
    uint8_t list[] = {2, 0, 2, 0, 2, 0};
    set_u32(&f, 12, POINTS | SEGMENTS);
    set_u32(&f, 16, 7);
    memmove(f.bytes + 128 + sizeof list, f.bytes + 128, f.size - 128);
    memcpy(f.bytes + 128, list, sizeof list);
    f.size += sizeof list;
    plait_gf_groom groom;
    assert_int_equal(read_hair(&f, &groom, NULL), PLAIT_OK);
    assert_int_equal(plait_gf_write_hair(SCRATCH, &groom, NULL), PLAIT_OK);
    plait_gf_groom_free(&groom);
    uint8_t written[sizeof f.bytes];
    FILE *file = fopen(SCRATCH, "rb");
    assert_int_equal(fread(written, 1, sizeof written, file), f.size);
    fclose(file);
    unlink(SCRATCH);
    assert_memory_equal(written, f.bytes, f.size);
}

static void says_what_has_no_room_in_a_hair_file(void **state) {
    (void)state;
    made_file f = make(POINTS);
    plait_gf_groom groom;
    plait_gf_report report;
    assert_int_equal(read_hair(&f, &groom, NULL), PLAIT_OK);
    groom.held_counts = calloc(3, sizeof *groom.held_counts);
    assert_int_equal(plait_gf_write_hair(SCRATCH, &groom, &report), PLAIT_OK);
    assert_non_null(strstr(report.notes, "held_counts"));
    unlink(SCRATCH);
    assert_int_equal(plait_gf_write_hair("nowhere/file.hair", &groom, &report), PLAIT_ERROR_SYSTEM);
    assert_says(&report, "No such file");
    plait_gf_groom_free(&groom);
}

static void refuses_files_that_end_too_early(void **state) {
    (void)state;
    for (uint32_t arrays = POINTS; arrays < 32; arrays++) {
        if (!(arrays & POINTS)) continue;
        made_file f = make(arrays);
        refuses_every_prefix(&f, PLAIT_GF_FORMAT_HAIR);
    }
}

static void refuses_headers_that_lie(void **state) {
    (void)state;
    static const struct {
        size_t at;
        uint32_t value;
        const char *says;
    } lies[] = {
        {4, 0xffffffff, "strands"}, {4, 4, "strand 3 of 4"},    {4, 0, "no strands"},       {8, 0xffffffff, "need"},
        {8, 8, "strand 2 of 3"},    {8, 0x15555556, "need"},    {16, 0xffffffff, "strand"}, {16, 3, "strand 2 of 3"},
        {16, 0x7fffffff, "strand"}, {4, 0x80000000, "strands"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        made_file f = make(POINTS);
        set_u32(&f, lies[i].at, lies[i].value);
        plait_gf_groom groom;
        plait_gf_report report;
        assert_int_equal(read_hair(&f, &groom, &report), PLAIT_ERROR_INVALID_GROOM);
        assert_says(&report, lies[i].says);
        assert_empty(&groom);
    }
}

static void tells_of_points_without_a_strand(void **state) {
    (void)state;
    made_file f = make(POINTS);
    set_u32(&f, 16, 1);
    put_u32(&f, 7);
    plait_gf_groom groom;
    plait_gf_report report;
    assert_int_equal(read_hair(&f, &groom, &report), PLAIT_OK);
    assert_int_equal(groom.vertex_count, 6);
    assert_non_null(strstr(report.notes, "3 points"));
    assert_non_null(strstr(report.notes, "4 bytes"));
    plait_gf_groom_free(&groom);
}

// Strand 0: a point twice. Strand 1: not finite. Strand 2: one point only. Strand 3 is whole.
static void counts_what_it_repairs_and_leaves_out(void **state) {
    (void)state;
    made_file f = {.size = 0};
    put_bytes(&f, "HAIR", 4);
    put_u32(&f, 4);
    put_u32(&f, 12);
    put_u32(&f, POINTS | THICKNESS);
    put_u32(&f, 2);
    f.size = 128;
    for (uint32_t s = 0; s < 4; s++)
        for (uint32_t v = 0; v < 3; v++) {
            bool same = s == 2 || (s == 0 && v == 1);
            put_f32(&f, (float)s + (same ? 0 : 0.5f * (float)v));
            put_f32(&f, s == 1 && v == 2 ? NAN : 0);
            put_f32(&f, 0);
        }
    for (uint32_t v = 0; v < 12; v++) put_f32(&f, v == 10 ? -1 : (float)v);
    plait_gf_groom groom;
    plait_gf_report report;
    assert_int_equal(read_hair(&f, &groom, &report), PLAIT_OK);
    assert_int_equal(report.file_strand_count, 4);
    assert_int_equal(report.file_vertex_count, 12);
    assert_int_equal(report.skipped_not_finite, 1);
    assert_int_equal(report.skipped_short, 1);
    assert_int_equal(report.first_skipped, 1);
    assert_int_equal(report.welded_strands, 1);
    assert_int_equal(report.welded_points, 1);
    assert_int_equal(report.repaired_radii, 1);
    static const uint32_t counts[] = {2, 3}, sources[] = {0, 3};
    static const float positions[] = {0, 0, 0, 1, 0, 0, 3, 0, 0, 3.5f, 0, 0, 4, 0, 0}, radii[] = {0, 1, 4.5f, 0, 5.5f};
    assert_int_equal(groom.strand_count, 2);
    assert_memory_equal(groom.vertex_counts, counts, sizeof counts);
    assert_memory_equal(groom.source_strands, sources, sizeof sources);
    assert_memory_equal(groom.positions, positions, sizeof positions);
    assert_memory_equal(groom.radii, radii, sizeof radii);
    plait_gf_groom_free(&groom);

    // Half a unit is near when the host says so.
    plait_gf_read_options options = {.weld_distance = 0.6f};
    assert_int_equal(read_made(f.bytes, f.size, 0, &options, &groom, &report), PLAIT_OK);
    assert_int_equal(report.welded_points, 2);
    plait_gf_groom_free(&groom);

    for (uint32_t i = 0; i < 36; i++) set_f32(&f, 128 + 4 * i, 0);
    assert_int_equal(read_hair(&f, &groom, &report), PLAIT_ERROR_INVALID_GROOM);
    assert_says(&report, "none of the 4 strands can be used; 4 of them: fewer than two different points");
}

// Numbers that nobody can use are counted or told, each of them.
static void tells_of_numbers_that_cannot_be(void **state) {
    (void)state;
    static const float defaults[] = {NAN, -1, INFINITY};
    for (int i = 0; i < 3; i++) {
        made_file f = make(POINTS);
        set_f32(&f, 20, defaults[i]);
        plait_gf_groom groom;
        plait_gf_report report;
        assert_int_equal(read_hair(&f, &groom, &report), PLAIT_OK);
        assert_true(groom.radius == 0);
        assert_non_null(strstr(report.notes, "radius of all strands"));
        plait_gf_groom_free(&groom);
    }
    made_file f = make(POINTS | TRANSPARENCY | COLOR);
    set_f32(&f, 24, NAN);
    set_f32(&f, 32, INFINITY);
    size_t transparencies = 128 + 12 * 9, colors = transparencies + 4 * 9;
    set_f32(&f, transparencies + 8, NAN);
    set_f32(&f, colors + 12 * 4, -INFINITY);
    set_f32(&f, colors + 12 * 7 + 8, NAN);
    plait_gf_groom groom;
    plait_gf_report report;
    char text[PLAIT_GF_REPORT_SIZE];
    assert_int_equal(read_hair(&f, &groom, &report), PLAIT_OK);
    assert_int_equal(report.repaired_shading, 3);
    assert_non_null(strstr(report.notes, "transparency of all strands"));
    assert_non_null(strstr(report.notes, "colour of all strands"));
    assert_true(groom.transparency == 0 && groom.color[1] == 0 && groom.transparencies[2] == 0);
    assert_true(groom.colors[3 * 4 + 1] == 0 && groom.colors[3 * 7 + 2] == 0 && groom.transparencies[3] > 0);
    plait_gf_report_text(&report, text, sizeof text);
    assert_non_null(strstr(text, "3 colours, transparencies"));
    assert_non_null(strstr(text, "\nthe transparency of all"));
    plait_gf_groom_free(&groom);
}

static void leaves_out_strands_with_too_many_vertices(void **state) {
    (void)state;
    made_file f = {.size = 0};
    uint32_t long_one = PLAIT_MAX_STRAND_VERTICES + 1;
    put_bytes(&f, "HAIR", 4);
    put_u32(&f, 2);
    put_u32(&f, long_one + 2);
    put_u32(&f, POINTS | SEGMENTS);
    f.size = 128;
    put_u16(&f, long_one - 1);
    put_u16(&f, 1);
    for (uint32_t v = 0; v < 3 * (long_one + 2); v++) put_f32(&f, (float)v);
    plait_gf_groom groom;
    plait_gf_report report;
    assert_int_equal(read_hair(&f, &groom, &report), PLAIT_OK);
    assert_int_equal(report.skipped_long, 1);
    assert_int_equal(groom.strand_count, 1);
    assert_true(groom.positions[0] == (float)(3 * long_one));
    plait_gf_groom_free(&groom);
}

static plait_result PLAIT_CALL stop_at_half(void *user, float share) {
    float *last = user;
    assert_true(share >= *last && share <= 1);
    *last = share;
    return share >= 0.5f ? PLAIT_ERROR_TIMEOUT : PLAIT_OK;
}

static void progress_grows_and_can_stop_reading(void **state) {
    (void)state;
    made_file f = make(POINTS);
    float last = 0;
    plait_gf_read_options options = {.progress = stop_at_half, .user = &last};
    plait_gf_groom groom;
    plait_gf_report report;
    assert_int_equal(read_made(f.bytes, f.size, 0, &options, &groom, &report), PLAIT_ERROR_TIMEOUT);
    assert_true(last >= 0.5f && last < 1);
    assert_says(&report, "stopped");
    assert_empty(&groom);
}

static void plait_takes_what_was_read(void **state) {
    (void)state;
    made_file f = make(POINTS | SEGMENTS | THICKNESS);
    plait_gf_groom groom;
    assert_int_equal(read_hair(&f, &groom, NULL), PLAIT_OK);
    plait_context_desc context_desc = PLAIT_CONTEXT_DESC_INIT;
    plait_context context;
    assert_int_equal(plait_context_create(&context_desc, &context), PLAIT_OK);
    plait_groom_desc desc;
    plait_gf_describe(&groom, &desc);
    plait_groom made;
    assert_int_equal(plait_groom_create(context, &desc, &made), PLAIT_OK);
    plait_groom_info info = PLAIT_GROOM_INFO_INIT;
    assert_int_equal(plait_groom_query(made, &info), PLAIT_OK);
    assert_int_equal(info.strand_count, 3);
    assert_int_equal(info.vertex_count, 10);
    assert_int_equal(info.max_vertex_count, 5);
    plait_groom_destroy(made);
    plait_context_destroy(context);
    plait_gf_groom_free(&groom);
}

static void transforms_positions_radii_and_normals(void **state) {
    (void)state;
    made_file f = make(POINTS | THICKNESS);
    plait_gf_groom groom;
    assert_int_equal(read_hair(&f, &groom, NULL), PLAIT_OK);
    groom.root_normals = calloc(9, sizeof(float));
    groom.root_normals[2] = 1;
    float old_radius = groom.radii[4];
    // z up to y up, centimetres to metres, and a place.
    const float matrix[12] = {0.01f, 0, 0, 5, 0, 0, 0.01f, 6, 0, -0.01f, 0, 7};
    assert_int_equal(plait_gf_transform(&groom, matrix), PLAIT_OK);
    assert_float_equal(groom.positions[3], 5 + 0.01f * coordinate(3), 1e-6);
    assert_float_equal(groom.positions[4], 6 + 0.01f * coordinate(5), 1e-6);
    assert_float_equal(groom.positions[5], 7 - 0.01f * coordinate(4), 1e-6);
    assert_float_equal(groom.radii[4], 0.01f * old_radius, 1e-9);
    assert_float_equal(groom.root_normals[1], 1, 1e-6);
    const float flat[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
    assert_int_equal(plait_gf_transform(&groom, flat), PLAIT_ERROR_INVALID_ARGUMENT);
    plait_gf_groom_free(&groom);
}

static void selects_strands_with_all_that_is_theirs(void **state) {
    (void)state;
    made_file f = make(POINTS | SEGMENTS | COLOR);
    plait_gf_groom groom, some;
    assert_int_equal(read_hair(&f, &groom, NULL), PLAIT_OK);
    groom.guides = calloc(2, sizeof *groom.guides);
    groom.guides[0] = 1, groom.guides[1] = 2, groom.guide_count = 2;
    const uint32_t chosen[] = {0, 2}, wrong[] = {3};
    assert_int_equal(plait_gf_select(&groom, chosen, 2, &some), PLAIT_OK);
    assert_int_equal(some.vertex_count, 8);
    assert_memory_equal(some.source_strands, chosen, sizeof chosen);
    assert_memory_equal(some.positions, groom.positions, 9 * sizeof(float));
    assert_memory_equal(some.positions + 9, groom.positions + 15, 15 * sizeof(float));
    assert_memory_equal(some.colors + 9, groom.colors + 15, 15 * sizeof(float));
    assert_int_equal(some.guide_count, 1);
    assert_int_equal(some.guides[0], 1);
    plait_gf_groom_free(&some);
    assert_int_equal(plait_gf_select(&groom, wrong, 1, &some), PLAIT_ERROR_INVALID_ARGUMENT);
    plait_gf_groom_free(&groom);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_combination_of_arrays),
        cmocka_unit_test(writes_what_was_read),
        cmocka_unit_test(keeps_a_list_that_is_not_needed),
        cmocka_unit_test(says_what_has_no_room_in_a_hair_file),
        cmocka_unit_test(refuses_files_that_end_too_early),
        cmocka_unit_test(refuses_headers_that_lie),
        cmocka_unit_test(tells_of_points_without_a_strand),
        cmocka_unit_test(counts_what_it_repairs_and_leaves_out),
        cmocka_unit_test(tells_of_numbers_that_cannot_be),
        cmocka_unit_test(leaves_out_strands_with_too_many_vertices),
        cmocka_unit_test(progress_grows_and_can_stop_reading),
        cmocka_unit_test(plait_takes_what_was_read),
        cmocka_unit_test(transforms_positions_radii_and_normals),
        cmocka_unit_test(selects_strands_with_all_that_is_theirs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
