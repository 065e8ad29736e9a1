// .obj files: vertices and triangles as they are written, and files that are wrong.
#include "made_file.h"

static plait_result read_text(const char *text, float scale, plait_gf_mesh *mesh, plait_gf_report *report) {
    size_t size = strlen(text);
    char *copy = malloc(size + 1);
    memcpy(copy, text, size);
    plait_result result = plait_gf_mesh_read_memory(copy, size, scale, mesh, report);
    free(copy);
    return result;
}

static void faces_of_all_kinds_become_triangles(void **state) {
    (void)state;
    plait_gf_mesh m;
    plait_gf_report report;
    plait_result result =
        read_text("# a comment: f 9 9 9\r\no thing\r\n"
                  "v 0 0 0\r\nv 1 0 0 0.5 0.5 0.5\nvt 0 0\nvn 0 0 1\nv 1 1 -2.5e-1\nv 0 1 0\nv\t0 .5 1"
                  "\ns off\nusemtl skin\nf 1/1/1 2/1/1 3/1/1 4/1/1 5//1\nf -1 -2 -3\nf 1/1 3/1 5/1",
                  2, &m, &report);
    if (result != PLAIT_OK) fail_msg("%s", report.message);
    assert_int_equal(m.vertex_count, 5);
    assert_int_equal(m.triangle_count, 5);
    static const float positions[] = {0, 0, 0, 2, 0, 0, 2, 2, -0.5f, 0, 2, 0, 0, 1, 2};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 4, 3, 2, 0, 2, 4};
    assert_memory_equal(m.positions, positions, sizeof positions);
    assert_memory_equal(m.triangles, triangles, sizeof triangles);
    plait_gf_mesh_free(&m);
}

static void wrong_files_are_refused_with_the_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } files[] = {
        {"", "no faces"},
        {"v 0 0 0\n", "no faces"},
        {"v 0 0\nv 1 1 1\n", "line 1"},
        {"v 0 0 0\nv 1 0 x\n", "line 2"},
        {"v 0 0 1e10\n", "line 1"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", "line 4: a face"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "line 4: \"4\""},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", "line 4: \"0\""},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "line 4: \"-4\""},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4294967297\n", "line 4"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3x\n", "line 4: \"3x\""},
    };
    static const plait_gf_mesh empty;
    plait_gf_mesh m;
    plait_gf_report report;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_int_equal(read_text(files[i].text, 1, &m, &report), PLAIT_ERROR_INVALID_GROOM);
        assert_says(&report, files[i].says);
        assert_memory_equal(&m, &empty, sizeof m);
    }
    assert_int_equal(read_text("f", -1, &m, &report), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(plait_gf_mesh_read("nowhere.obj", 1, &m, &report), PLAIT_ERROR_SYSTEM);
    assert_says(&report, "No such file");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_of_all_kinds_become_triangles),
        cmocka_unit_test(wrong_files_are_refused_with_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
