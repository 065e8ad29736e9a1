// What roots are bound to: the nearest bone of a skeleton, a mesh.
#include "made_file.h"

static const char SKELETON[] =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 1 0\nCHANNELS 3 Xposition Yposition Zposition\n"
    "JOINT Neck\n{\nOFFSET 0 0.5 0\nCHANNELS 1 Yrotation\n"
    "JOINT Head\n{\nOFFSET 0 0.1 0\nCHANNELS 1 Yrotation\nEnd Site\n{\nOFFSET 0 0.2 0\n}\n}\n}\n}\n"
    "MOTION\nFrames: 1\nFrame Time: 1\n0 1 0 0 0\n";

// Strands of two vertices.
static plait_gf_groom groom_of(const float (*roots)[3], uint32_t count) {
    plait_gf_groom g;
    memset(&g, 0, sizeof g);
    g.strand_count = count;
    g.vertex_count = 2 * count;
    g.vertex_counts = malloc(count * sizeof *g.vertex_counts);
    g.positions = malloc(6 * count * sizeof *g.positions);
    for (uint32_t i = 0; i < count; i++) {
        g.vertex_counts[i] = 2;
        memcpy(g.positions + 6 * i, roots[i], sizeof roots[i]);
        memcpy(g.positions + 6 * i + 3, roots[i], sizeof roots[i]);
        g.positions[6 * i + 3] += 1;
    }
    return g;
}

static void roots_follow_the_bone_that_is_nearest(void **state) {
    (void)state;
    // Beside the spine, beside the neck, beside the head and above it.
    const float roots[][3] = {{0.3f, 1.25f, 0}, {0, 1.55f, 0.03f}, {0.1f, 1.75f, 0}, {0, 2.3f, 0}};
    const uint32_t bones[] = {0, 1, 2, 2};
    const float far[] = {0.3f, 0.03f, 0.1f, 0.5f};
    plait_gf_groom g = groom_of(roots, 4);
    plait_gf_motion motion;
    float distances[4];
    assert_int_equal(plait_gf_motion_read_memory(SKELETON, sizeof SKELETON - 1, 1, &motion, NULL), PLAIT_OK);
    assert_int_equal(plait_gf_bind_skeleton(&g, &motion, distances), PLAIT_OK);
    assert_int_equal(g.bone_count, 3);
    assert_null(g.root_bindings);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(g.root_bones[i], bones[i]);
        assert_true(fabsf(distances[i] - far[i]) < 1e-6f);
    }
    assert_string_equal(g.bone_names + PLAIT_GF_NAME_SIZE, "Neck");
    assert_true(fabsf(g.bind_pose[12 + 7] - 1.5f) < 1e-6f);
    plait_gf_motion_free(&motion);
    plait_gf_groom_free(&g);
}

static void a_mesh_goes_wherever_its_groom_goes(void **state) {
    (void)state;
    static const char OBJ[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const float roots[][3] = {{0.25f, 0.25f, 0.5f}, {0.5f, 0.25f, 0}};
    plait_gf_groom g = groom_of(roots, 2), one;
    plait_gf_mesh mesh;
    plait_groom_mesh_desc desc;
    assert_int_equal(plait_gf_describe_mesh(&g, &desc), 0);
    assert_int_equal(plait_gf_mesh_read_memory(OBJ, sizeof OBJ - 1, 1, &mesh, NULL), PLAIT_OK);
    assert_int_equal(plait_gf_bind_mesh(&g, &mesh), PLAIT_OK);
    plait_gf_mesh_free(&mesh);
    g.root_triangles = calloc(2, sizeof *g.root_triangles);
    g.root_barycentrics = calloc(6, sizeof *g.root_barycentrics);
    g.root_barycentrics[4] = 1;
    const float half_turn[12] = {-2, 0, 0, 5, 0, 2, 0, 0, 0, 0, -2, 1}; // twice as large, about y, and shifted
    assert_int_equal(plait_gf_transform(&g, half_turn), PLAIT_OK);
    const uint32_t second = 1;
    assert_int_equal(plait_gf_select(&g, &second, 1, &one), PLAIT_OK);
    assert_int_equal(plait_gf_describe_mesh(&one, &desc), 1);
    assert_int_equal(desc.vertex_count, 3);
    assert_int_equal(desc.triangle_count, 1);
    const float *p = desc.positions;
    const float expected[9] = {5, 0, 1, 3, 0, 1, 5, 2, 1};
    for (int i = 0; i < 9; i++) assert_true(fabsf(p[i] - expected[i]) < 1e-6f);
    assert_true(desc.root_barycentrics[1] == 1);
    plait_gf_groom_free(&one);
    plait_gf_groom_free(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_follow_the_bone_that_is_nearest),
        cmocka_unit_test(a_mesh_goes_wherever_its_groom_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
