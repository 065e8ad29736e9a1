// The same bits whatever the instruction set, the number of threads, and the other strands in a pack.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Rods in violent motion take their steps in parts.
static int frame_count(void) { return test_solver() == PLAIT_SOLVER_HYBRID ? 25 : 90; }

// A head of hair with strands of many lengths, blended roots and a whole body, in violent motion.
struct run {
    uint32_t instruction_set, threads, strand_count;
};

static scene_groom make_groom(void) {
    scene_preset preset;
    assert_true(scene_preset_get(scene_preset_find("3a"), 300, 40, 5, &preset));
    preset.groom.binding = SCENE_BINDING_HEAD_NECK;
    scene_groom groom;
    assert_true(scene_groom_make(&preset.groom, &groom));
    rig_cut_lengths(&groom);
    return groom;
}

// Positions in the end, to be freed.
static float *simulate(const scene_groom *groom, struct run run) {
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(groom, &desc);
    if (run.strand_count) desc.strand_count = run.strand_count;
    scene_body body;
    scene_body_make(NULL, &body);
    plait_body_desc body_desc = PLAIT_BODY_DESC_INIT;
    scene_body_describe(&body, &body_desc);
    struct rig_options options = rig_options(&desc);
    options.body = &body_desc;
    options.instruction_set = run.instruction_set;
    options.threads = run.threads;
    struct rig rig = rig_open(&options);
    float bones[SCENE_BONE_COUNT][12];
    for (int f = 0; f < frame_count(); f++) {
        scene_motion_pose(SCENE_MOTION_VIOLENT, f / 50.0, 3, bones);
        rig_step(&rig, 1.0f / 50, &bones[0][0], true);
    }
    float *positions = rig_positions(&rig);
    rig_close(&rig);
    return positions;
}

static void every_instruction_set_and_thread_count_gives_the_same_bits(void **state) {
    (void)state;
    scene_groom groom = make_groom();
    float *reference = simulate(&groom, (struct run){PLAIT_CPU_SCALAR, 1, 0});
    static const uint32_t threads[] = {1, 2, 3, 8};
    for (uint32_t set = PLAIT_CPU_SCALAR; set <= PLAIT_CPU_NEON; set++) {
        if (!rig_has_instruction_set(set)) {
            printf("instruction set %u is not on this processor\n", set);
            continue;
        }
        for (int t = 0; t < 4; t++) {
            float *positions = simulate(&groom, (struct run){set, threads[t], 0});
            assert_memory_equal(positions, reference, (size_t)groom.vertex_count * 12);
            free(positions);
        }
    }
    free(reference);
    scene_groom_free(&groom);
}

static void a_strand_moves_the_same_in_any_company(void **state) {
    (void)state;
    scene_groom groom = make_groom();
    float *all = simulate(&groom, (struct run){PLAIT_CPU_AUTO, 1, 0});
    float *few = simulate(&groom, (struct run){PLAIT_CPU_AUTO, 1, 37});
    uint32_t vertices = 0;
    for (uint32_t s = 0; s < 37; s++) vertices += groom.vertex_counts[s];
    assert_memory_equal(few, all, (size_t)vertices * 12);
    free(all);
    free(few);
    scene_groom_free(&groom);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_set_and_thread_count_gives_the_same_bits),
        cmocka_unit_test(a_strand_moves_the_same_in_any_company),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
