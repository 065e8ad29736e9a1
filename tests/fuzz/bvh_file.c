/* .bvh files: the fuzzer's bytes as they are, or as choices of words. */
#include <math.h>

#include "groom_file.h"

static void use(const plait_gf_motion *motion) {
    static plait_context context;
    uint32_t n = motion->joint_count, count = 64;
    float *bones = malloc(n * 12 * sizeof *bones);
    plait_collider colliders[64];
    plait_body_desc desc = PLAIT_BODY_DESC_INIT;
    plait_body body;
    plait_result result;
    CHECK(motion->frame_count > 0 && motion->frame_s > 0);
    for (int t = -1; t < 3; t++) {
        CHECK(plait_gf_motion_pose(motion, 0.4 * t * motion->frame_s * motion->frame_count, bones) == PLAIT_OK);
        for (uint32_t i = 0; i < 12 * n; i++) CHECK(isfinite(bones[i]));
    }
    CHECK(plait_gf_motion_bind(motion, bones) == PLAIT_OK);
    free(bones);
    result = plait_gf_motion_capsules(motion, plait_gf_motion_find(motion, "a"), 0.3f, &count, colliders);
    CHECK(result == PLAIT_OK || (result == PLAIT_INCOMPLETE && count == 64));
    if (!context.id) {
        plait_context_desc context_desc = PLAIT_CONTEXT_DESC_INIT;
        CHECK(plait_context_create(&context_desc, &context) == PLAIT_OK);
    }
    desc.bone_count = n;
    desc.collider_count = count;
    desc.colliders = colliders;
    CHECK(plait_body_create(context, &desc, &body) == PLAIT_OK);
    plait_body_destroy(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const words[] = {
        "ROOT a\n{\n",
        "JOINT b\n{\n",
        "{\n",
        "}\n",
        "OFFSET 1 2 3\n",
        "CHANNELS 3 Zrotation Yrotation Xrotation\n",
        "End Site\n{\n",
        "MOTION\n",
        "Frames: ",
        "Frame Time: ",
        "Frame Time: 0.1\n",
        "CHANNELS 6 Xposition Yposition Zposition ",
        "Zrotation ",
        "Yrotation ",
        "Xrotation\n",
        "1 ",
        "2 ",
        "0.5 ",
        "-3e2 ",
        "1e9 ",
        "OFFSET ",
        "CHANNELS ",
        "0 ",
        "JOINT LeftForeArm\n{\n",
        "10 ",
        "Frames: 1\n",
        "Frames: 2\n",
        "OFFSET 0 9 0\n",
        "CHANNELS 1 Yrotation\n",
        "nan ",
    };
    enum { WORDS = sizeof words / sizeof *words };
    plait_gf_motion motion;
    plait_gf_report report;
    char *text = malloc(size * 64 + 64);
    size_t length = 0;
    if (size > 0 && data[0] % 8) {
        length = (size_t)sprintf(text, "HIERARCHY\nROOT a\n{\n");
        for (size_t i = 1; i < size; i++)
            length += (size_t)sprintf(text + length, data[i] < 8 * WORDS ? "%s" : "%.1s", words[data[i] % WORDS]);
    } else if (size > 0) {
        memcpy(text, data + 1, length = size - 1);
    }
    char *copy = malloc(length ? length : 1);
    memcpy(copy, text, length);
    free(text);
    if (plait_gf_motion_read_memory(copy, length, 0.5f, &motion, &report) == PLAIT_OK)
        use(&motion);
    else
        CHECK(strlen(report.message) > 8 && motion.joint_count == 0 && !motion.names);
    plait_gf_motion_free(&motion);
    free(copy);
    return 0;
}
