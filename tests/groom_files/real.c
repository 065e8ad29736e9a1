// Files of other people's programs, outside of the project: PLAIT_DATA names their folder. Without it nothing is read.
#include "made_file.h"

static const char *path_of(const char *name) {
    static char path[1024];
    const char *folder = getenv("PLAIT_DATA");
    snprintf(path, sizeof path, "%s/%s", folder && *folder ? folder : PLAIT_DATA_FOLDER, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        printf("skipped: %s is not here\n", path);
        skip();
    }
    fclose(file);
    return path;
}

static void plait_takes(const plait_gf_groom *groom) {
    plait_context_desc context_desc = PLAIT_CONTEXT_DESC_INIT;
    plait_context context;
    assert_int_equal(plait_context_create(&context_desc, &context), PLAIT_OK);
    plait_groom_desc desc;
    plait_gf_describe(groom, &desc);
    plait_groom made;
    assert_int_equal(plait_groom_create(context, &desc, &made), PLAIT_OK);
    plait_context_destroy(context);
}

static void fur(void **state) {
    (void)state;
    plait_gf_groom groom;
    plait_gf_report report;
    assert_int_equal(plait_gf_read(path_of("grooms/fur.hair"), NULL, &groom, &report), PLAIT_OK);
    assert_int_equal(groom.strand_count, 50000);
    assert_int_equal(groom.vertex_count, 200000);
    assert_string_equal(report.notes, "");
    assert_true(groom.radii[0] == 0.005f && groom.radii[3] == 0.00025f);
    plait_takes(&groom);
    plait_gf_groom_free(&groom);
}

static void mohawk_with_bones(void **state) {
    (void)state;
    char bones[1024];
    snprintf(bones, sizeof bones, "%s", path_of("grooms/Ratboy_mohawk.tfxbone"));
    plait_gf_read_options options = {.bone_path = bones};
    plait_gf_groom groom;
    plait_gf_report report;
    assert_int_equal(plait_gf_read(path_of("grooms/Ratboy_mohawk.tfx"), &options, &groom, &report), PLAIT_OK);
    assert_int_equal(report.file_strand_count, 2228);
    assert_int_equal(groom.bone_count, 105);
    assert_string_equal(groom.bone_names, "frenchHornMonster_head_JNT");
    assert_true(report.scaled_weights > 0); // some sum to 0.92
    uint32_t held_two = 0;
    for (uint32_t i = 0; i < groom.strand_count; i++) {
        const float *w = groom.root_bindings[i].weights;
        assert_float_equal(w[0] + w[1] + w[2] + w[3], 1, 1.1e-3);
        held_two += groom.held_counts[i] == 2; // 1 where the second point was that of the root
    }
    assert_true(held_two >= groom.strand_count - report.welded_strands);
    plait_takes(&groom);
    plait_gf_groom_free(&groom);
}

static void hair_of_a_film(void **state) {
    (void)state;
    plait_gf_groom groom;
    plait_gf_report report;
    assert_int_equal(plait_gf_read(path_of("grooms/sintel_hair_16points.tfx"), NULL, &groom, &report), PLAIT_OK);
    assert_int_equal(groom.strand_count, 11400);
    assert_int_equal(groom.vertex_count, 11400 * 16);
    assert_null(groom.held_counts);
    plait_takes(&groom);
    plait_gf_groom_free(&groom);
}

// 31 joints at 120 Hz; people of usual size, who begin upright, and stay in one piece and above the floor.
static void captured_motions(void **state) {
    (void)state;
    static const char *const names[] = {"motion/05_06.bvh", "motion/42_01.bvh", "motion/09_01.bvh"};
    for (int n = 0; n < 3; n++) {
        plait_gf_motion m;
        plait_gf_report report;
        assert_int_equal(plait_gf_motion_read(path_of(names[n]), 0.05644f, &m, &report), PLAIT_OK);
        assert_int_equal(m.joint_count, 31);
        assert_float_equal(m.frame_s, 1.0 / 120, 1e-5);
        uint32_t head = plait_gf_motion_find(&m, "head"), count = 64;
        assert_true(head != PLAIT_GF_NO_JOINT);
        float bones[31][12], least = 10, most = 0;
        assert_int_equal(plait_gf_motion_bind(&m, bones[0]), PLAIT_OK);
        for (uint32_t i = 0; i < 31; i++) {
            least = fminf(least, bones[i][7]);
            most = fmaxf(most, bones[i][7]);
        }
        assert_true(most - least > 1.2f && most - least < 2);
        for (uint32_t f = 0; f < m.frame_count; f++) {
            assert_int_equal(plait_gf_motion_pose(&m, f / 120.0, bones[0]), PLAIT_OK);
            const float *a = bones[head], *b = bones[0];
            float apart = hypotf(hypotf(a[3] - b[3], a[7] - b[7]), a[11] - b[11]);
            assert_true(apart > 0.25f && apart < 0.46f && (f > 1 || a[7] > b[7] + 0.35f));
            for (uint32_t i = 0; i < 31; i++) assert_true(bones[i][7] > -0.1f);
        }
        plait_collider colliders[64];
        assert_int_equal(plait_gf_motion_capsules(&m, head, 0.3f, &count, colliders), PLAIT_OK);
        assert_true(count >= 14 && count <= 22);
        plait_gf_motion_free(&m);
    }
}

static void head_of_a_film(void **state) {
    (void)state;
    plait_gf_mesh m;
    assert_int_equal(plait_gf_mesh_read(path_of("mesh/sintel.obj"), 1, &m, NULL), PLAIT_OK);
    assert_int_equal(m.vertex_count, 3046); // lines that begin with v, counted by another program
    assert_true(m.triangle_count >= 5952);  // and with f
    plait_gf_mesh_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fur),
        cmocka_unit_test(mohawk_with_bones),
        cmocka_unit_test(hair_of_a_film),
        cmocka_unit_test(captured_motions),
        cmocka_unit_test(head_of_a_film),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
