// .bvh files: poses of a skeleton against those made by hand, names, capsules, and files that are wrong.
#include "made_file.h"

// A body of two joints above a root; the upper one turns about z, then about x, as the order of its channels says.
static const char SMALL[] =
    "HIERARCHY\n"
    "ROOT Hips\n{\n  OFFSET 0 0 0\n  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"
    "  JOINT Spine\n  {\n    OFFSET 0 10 0\n    CHANNELS 3 Zrotation Xrotation Yrotation\n"
    "    JOINT rig:Head\n    {\n      OFFSET 0 5 0\n      CHANNELS 1 Yrotation\n"
    "      End Site\n      {\n        OFFSET 0 2.5 0\n      }\n    }\n  }\n}\n"
    "MOTION\nFrames: 3\nFrame Time: .5\n"
    "1 2 3 0 0 0   0 0 0  0\n"
    "1 2 3 0 0 0   90 90 0  0\n"
    "3 2 3 90 0 0  0 0 0  -9e1\n";

static plait_result read_text(const char *text, float scale, plait_gf_motion *motion, plait_gf_report *report) {
    size_t size = strlen(text);
    char *copy = malloc(size + 1);
    memcpy(copy, text, size);
    plait_result result = plait_gf_motion_read_memory(copy, size, scale, motion, report);
    free(copy);
    return result;
}

static void assert_near(const float *bone, int column, double x, double y, double z) {
    assert_float_equal(bone[column], x, 1e-5);
    assert_float_equal(bone[4 + column], y, 1e-5);
    assert_float_equal(bone[8 + column], z, 1e-5);
}

static void poses_follow_the_channels(void **state) {
    (void)state;
    plait_gf_motion m;
    plait_gf_report report;
    if (read_text(SMALL, 0.1f, &m, &report) != PLAIT_OK) fail_msg("%s", report.message);
    assert_int_equal(m.joint_count, 3);
    assert_int_equal(m.channel_count, 10);
    assert_int_equal(m.frame_count, 3);
    assert_true(m.frame_s == 0.5f);
    float bones[3][12];
    assert_int_equal(plait_gf_motion_bind(&m, bones[0]), PLAIT_OK);
    assert_near(bones[2], 3, 0, 1.5, 0);
    assert_int_equal(plait_gf_motion_pose(&m, 0, bones[0]), PLAIT_OK);
    assert_near(bones[2], 3, 0.1, 0.2 + 1.5, 0.3);
    // Spine turned by Rz(90) Rx(90): its y axis goes by x to z, and z stays under the turn about z.
    assert_int_equal(plait_gf_motion_pose(&m, 0.5, bones[0]), PLAIT_OK);
    assert_near(bones[1], 3, 0.1, 0.2 + 1, 0.3);
    assert_near(bones[1], 1, 0, 0, 1);
    assert_near(bones[1], 0, 0, 1, 0);
    assert_near(bones[2], 3, 0.1, 1.2, 0.3 + 0.5);
    // The whole body lies on its side, the head turned in itself. Later: the same.
    for (int late = 0; late < 2; late++) {
        assert_int_equal(plait_gf_motion_pose(&m, late ? 77 : 1, bones[0]), PLAIT_OK);
        assert_near(bones[2], 3, 0.3 - 1.5, 0.2, 0.3);
        assert_near(bones[2], 0, 0, 0, 1); // x, turned by -90 about y, then by 90 about z
    }
    // Half way between two frames: root and first turn half done.
    assert_int_equal(plait_gf_motion_pose(&m, 0.75, bones[0]), PLAIT_OK);
    assert_near(bones[0], 3, 0.2, 0.2, 0.3);
    assert_near(bones[0], 0, sqrt(0.5), sqrt(0.5), 0);
    plait_gf_motion_free(&m);
}

static void joints_are_found_by_name(void **state) {
    (void)state;
    plait_gf_motion m;
    assert_int_equal(read_text(SMALL, 1, &m, NULL), PLAIT_OK);
    assert_int_equal(plait_gf_motion_find(&m, "Spine"), 1);
    assert_int_equal(plait_gf_motion_find(&m, "hips"), 0);
    assert_int_equal(plait_gf_motion_find(&m, "HEAD"), 2);
    assert_int_equal(plait_gf_motion_find(&m, "other:head"), 2);
    assert_int_equal(plait_gf_motion_find(&m, "Hea"), PLAIT_GF_NO_JOINT);
    char names[2][PLAIT_GF_NAME_SIZE] = {"head", "tail"};
    uint32_t joints[2];
    assert_int_equal(plait_gf_motion_map(&m, names[0], 2, joints), 1);
    assert_int_equal(joints[0], 2);
    assert_int_equal(joints[1], PLAIT_GF_NO_JOINT);
    plait_gf_motion_free(&m);
}

static void capsules_lie_along_limbs(void **state) {
    (void)state;
    plait_gf_motion m;
    assert_int_equal(read_text(SMALL, 0.1f, &m, NULL), PLAIT_OK);
    plait_collider c[8];
    uint32_t count = 8;
    assert_int_equal(plait_gf_motion_capsules(&m, 2, 0.5f, &count, c), PLAIT_OK);
    assert_int_equal(count, 2); // hips to spine, spine to head
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(c[i].kind, PLAIT_COLLIDER_CAPSULE);
        assert_int_equal(c[i].bone, i);
        assert_float_equal(c[i].points[0][1], 0, 0);
        assert_float_equal(c[i].points[1][1], i ? 0.5 : 1, 1e-6);
        assert_true(c[i].radii[0] > 0.05f && c[i].radii[0] < 0.2f && c[i].radii[0] == c[i].radii[1]);
        assert_true(c[i].friction == 0.5f);
    }
    count = 8;
    assert_int_equal(plait_gf_motion_capsules(&m, PLAIT_GF_NO_JOINT, 0.5f, &count, c), PLAIT_OK);
    assert_int_equal(count, 3);
    count = 1;
    assert_int_equal(plait_gf_motion_capsules(&m, 2, 0.5f, &count, c), PLAIT_INCOMPLETE);
    assert_int_equal(count, 1);
    plait_gf_motion_free(&m);
}

// Cut off anywhere before the last number, a file is refused; and where it is wrong, the line is named.
static void wrong_files_are_refused_with_the_line(void **state) {
    (void)state;
    static const plait_gf_motion empty;
    plait_gf_motion m;
    plait_gf_report report;
    char text[sizeof SMALL + 64];
    for (size_t size = 0; size < sizeof SMALL - 6; size++) {
        memcpy(text, SMALL, size);
        text[size] = 0;
        if (read_text(text, 1, &m, &report) == PLAIT_OK) fail_msg("%zu bytes are taken for a whole file", size);
        assert_true(strlen(report.message) > 10);
        assert_memory_equal(&m, &empty, sizeof m);
    }
    static const struct {
        const char *from, *to, *says;
    } changes[] = {
        {"HIERARCHY", "HIERARCHE", "HIERARCHY"},
        {"OFFSET 0 10 0", "OFFSET 0 1o 0", "line 8: a number"},
        {"CHANNELS 1 Y", "CHANNELS 1 Q", "line 13"},
        {"CHANNELS 1 ", "CHANNELS 7 ", "line 13"},
        {"Frames: 3", "Frames: 9", "do not fit"},
        {"Frames: 3", "Frames: 4", "line 2"},
        {"Frames: 3", "Frames: 0", "line 22"},
        {"Time: .5", "Time: -5", "line 23"},
        {"-9e1", "9e99", "up to 1e6"},
        {"ROOT Hips\n{", "ROOT Hips\n;", "line"},
        {"End Site", "End Sign", "Site"},
        {"MOTION", "NOTION", "MOTION"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        strcpy(text, SMALL);
        char *at = strstr(text, changes[i].from);
        assert_non_null(at);
        memcpy(at, changes[i].to, strlen(changes[i].to));
        assert_true(read_text(text, 1, &m, &report) < 0);
        assert_says(&report, changes[i].says);
        assert_memory_equal(&m, &empty, sizeof m);
    }
    assert_int_equal(read_text(SMALL, 0, &m, &report), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(plait_gf_motion_read("nowhere.bvh", 1, &m, &report), PLAIT_ERROR_SYSTEM);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_follow_the_channels),
        cmocka_unit_test(joints_are_found_by_name),
        cmocka_unit_test(capsules_lie_along_limbs),
        cmocka_unit_test(wrong_files_are_refused_with_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
