// Hair-hair forces on a head of hair, through the ABI: what goes to the grid comes back, the groom is at rest, runs repeat to
// the bit, states go on, hair changes its device, and a grid that is too small says so.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static scene_groom groom;
static scene_body body;
static plait_groom_desc groom_desc;
static plait_body_desc body_desc;

static int open_scene(void **state) {
    scene_preset preset;
    (void)state;
    assert_true(scene_preset_get(scene_preset_find("2b"), 120, 20, 5, &preset));
    assert_true(scene_groom_make(&preset.groom, &groom));
    rig_cut_lengths(&groom);
    scene_body_make(&preset.groom.scalp, &body);
    groom_desc = (plait_groom_desc)PLAIT_GROOM_DESC_INIT;
    body_desc = (plait_body_desc)PLAIT_BODY_DESC_INIT;
    scene_groom_describe(&groom, &groom_desc);
    scene_body_describe(&body, &body_desc);
    return 0;
}

static int close_scene(void **state) {
    (void)state;
    scene_groom_free(&groom);
    return 0;
}

static plait_volume_params usual(void) {
    plait_volume_params params = PLAIT_VOLUME_PARAMS_INIT;
    assert_ok(plait_volume_params_default(1, &params));
    return params;
}

static struct rig open_hair(uint32_t instruction_set, uint32_t threads, const plait_volume_params *volume) {
    struct rig_options options = rig_options(&groom_desc);
    options.body = &body_desc;
    options.solver = PLAIT_SOLVER_HYBRID;
    options.instruction_set = instruction_set;
    options.threads = threads;
    struct rig rig = rig_open(&options);
    assert_ok(plait_hair_set_volume(rig.hair, volume));
    return rig;
}

static void dance(struct rig *rig, int first, int count) {
    float bones[SCENE_BONE_COUNT][12];
    for (int f = first; f < first + count; f++) {
        scene_motion_pose(SCENE_MOTION_DANCE, f / 60.0, 3, bones);
        rig_step(rig, 1.0f / 60, &bones[0][0], true);
    }
}

static plait_volume_info info_of(struct rig *rig) {
    plait_volume_info info = PLAIT_VOLUME_INFO_INIT;
    assert_ok(plait_hair_volume(rig->hair, &info));
    return info;
}

// ---- laws ----

static void the_grid_gets_all_mass_and_momentum_and_gives_it_back(void **state) {
    (void)state;
    plait_volume_params volume = usual();
    struct rig rig = open_hair(PLAIT_CPU_AUTO, 1, &volume);
    assert_ok(plait_hair_set_body(rig.hair, (plait_body){0})); // colliders would take some
    dance(&rig, 0, 20);
    for (int f = 20; f < 60; f += 5) {
        dance(&rig, f, 5);
        plait_volume_info info = info_of(&rig);
        double size = 0;
        for (int c = 0; c < 3; c++) size += fabs(info.momentum[c]);
        assert_true(info.block_count > 10 && info.block_count <= info.block_capacity);
        assert_int_equal(info.homeless_vertex_count, 0);
        assert_true(fabs(info.grid_mass - info.mass) < 1e-6 * info.mass);
        assert_true(size > 1e-3 * info.mass);
        for (int c = 0; c < 3; c++) {
            assert_true(fabs(info.grid_momentum[c] - info.momentum[c]) < 3e-6 * info.mass);
            assert_true(fabs(info.momentum_after[c] - info.momentum[c]) < 3e-6 * info.mass);
        }
    }
    rig_close(&rig);
}

// The groom as drawn is what nothing strains. Rods alone move by the rounding of their rest shape.
static void hair_in_its_bind_pose_feels_nothing(void **state) {
    (void)state;
    plait_volume_params volume = usual();
    struct rig rig = open_hair(PLAIT_CPU_AUTO, 1, &volume), alone = open_hair(PLAIT_CPU_AUTO, 1, NULL);
    float bones[SCENE_BONE_COUNT][12];
    scene_bind_pose(bones);
    assert_ok(plait_hair_set_body(rig.hair, (plait_body){0}));
    assert_ok(plait_hair_set_body(alone.hair, (plait_body){0}));
    for (int f = 0; f < 120; f++) {
        rig_step(&rig, 1.0f / 60, &bones[0][0], false);
        rig_step(&alone, 1.0f / 60, &bones[0][0], false);
    }
    float *with = rig_positions(&rig), *without = rig_positions(&alone);
    printf("off by %.1e m, without hair-hair forces by %.1e m\n",
           largest_difference(with, groom.positions, rig.vertices),
           largest_difference(without, groom.positions, rig.vertices));
    assert_true(largest_difference(with, without, rig.vertices) < 1e-5);
    assert_true(largest_difference(with, groom.positions, rig.vertices) < 2e-5);
    free(with);
    free(without);
    rig_close(&rig);
    rig_close(&alone);
}

static void without_strength_hair_moves_as_without_the_grid(void **state) {
    (void)state;
    plait_volume_params volume = usual();
    volume.strength = 0;
    struct rig rig = open_hair(PLAIT_CPU_AUTO, 1, &volume), alone = open_hair(PLAIT_CPU_AUTO, 1, NULL);
    dance(&rig, 0, 4); // before roundings have grown
    dance(&alone, 0, 4);
    float *with = rig_positions(&rig), *without = rig_positions(&alone);
    double apart = largest_difference(with, without, rig.vertices);
    free(with);
    assert_true(apart < 1e-5);
    volume.strength = 1;
    assert_ok(plait_hair_set_volume(rig.hair, &volume)); // while it runs
    dance(&rig, 4, 30);
    dance(&alone, 4, 30);
    with = rig_positions(&rig);
    free(without);
    without = rig_positions(&alone);
    assert_true(largest_difference(with, without, rig.vertices) > 1e-3);
    free(with);
    free(without);
    rig_close(&rig);
    rig_close(&alone);
}

// ---- the same again ----

static void every_instruction_set_and_thread_count_gives_the_same_bits(void **state) {
    (void)state;
    plait_volume_params volume = usual();
    float *reference = NULL;
    for (uint32_t set = PLAIT_CPU_SCALAR; set <= PLAIT_CPU_NEON; set++) {
        if (!rig_has_instruction_set(set)) continue;
        for (uint32_t threads = 1; threads <= 8; threads += set == PLAIT_CPU_SCALAR ? 7 : 3) {
            struct rig rig = open_hair(set, threads, &volume);
            dance(&rig, 0, 12);
            float *positions = rig_positions(&rig);
            rig_close(&rig);
            if (!reference) reference = positions;
            assert_memory_equal(positions, reference, (size_t)groom.vertex_count * 12);
            if (positions != reference) free(positions);
        }
    }
    free(reference);
}

static void a_saved_state_goes_on_to_the_bit(void **state) {
    (void)state;
    plait_volume_params volume = usual();
    struct rig rig = open_hair(PLAIT_CPU_AUTO, 1, &volume), other = open_hair(PLAIT_CPU_SCALAR, 1, &volume);
    struct rig without = open_hair(PLAIT_CPU_AUTO, 1, NULL);
    uint64_t size = 0;
    dance(&rig, 0, 30);
    assert_ok(plait_hair_state_size(rig.hair, &size));
    void *blob = malloc(size);
    assert_non_null(blob);
    assert_ok(plait_hair_save(rig.hair, blob, size));
    dance(&rig, 30, 20);
    assert_ok(plait_hair_load(other.hair, blob, size));
    dance(&other, 30, 20);
    float *straight = rig_positions(&rig), *loaded = rig_positions(&other);
    assert_memory_equal(straight, loaded, (size_t)rig.vertices * 12);
    assert_int_equal(plait_hair_load(without.hair, blob, size), PLAIT_ERROR_INVALID_STATE);
    free(straight);
    free(loaded);
    free(blob);
    rig_close(&rig);
    rig_close(&other);
    rig_close(&without);
}

// Strains turn with the head: a teleport by a quarter turn changes nothing but the direction.
static void a_teleport_carries_strains_along(void **state) {
    (void)state;
    plait_volume_params volume = usual();
    struct rig rig = open_hair(PLAIT_CPU_AUTO, 1, &volume), turned = open_hair(PLAIT_CPU_AUTO, 1, &volume);
    float bones[SCENE_BONE_COUNT][12], quarter[SCENE_BONE_COUNT][12];
    assert_ok(plait_hair_set_body(rig.hair, (plait_body){0}));
    assert_ok(plait_hair_set_body(turned.hair, (plait_body){0}));
    dance(&rig, 0, 20);
    dance(&turned, 0, 20);
    scene_motion_pose(SCENE_MOTION_DANCE, 19 / 60.0, 3, bones);
    for (int b = 0; b < SCENE_BONE_COUNT; b++) // about y: x becomes z, z becomes -x
        for (int i = 0; i < 4; i++) {
            quarter[b][i] = -bones[b][8 + i];
            quarter[b][4 + i] = bones[b][4 + i];
            quarter[b][8 + i] = bones[b][i];
        }
    assert_ok(plait_hair_teleport(turned.hair, SCENE_BONE_COUNT, &quarter[0][0]));
    for (int f = 0; f < 3; f++) {
        rig_step(&rig, 1.0f / 60, &bones[0][0], true);
        rig_step(&turned, 1.0f / 60, &quarter[0][0], true);
    }
    float *x = rig_positions(&rig), *y = rig_positions(&turned);
    double worst = 0;
    for (uint32_t v = 0; v < rig.vertices; v++) {
        const float expected[3] = {-x[3 * v + 2], x[3 * v + 1], x[3 * v]};
        worst = fmax(worst, distance3(y + 3 * v, expected));
    }
    printf("off by %.1e m\n", worst); // the grid has other cells
    assert_true(worst < 3e-3);
    free(x);
    free(y);
    rig_close(&rig);
    rig_close(&turned);
}

// ---- another device ----

static void hair_goes_on_from_the_cpu_to_vulkan_and_back(void **state) {
    (void)state;
    plait_volume_params volume = usual();
    struct rig rig = open_hair(PLAIT_CPU_AUTO, 1, &volume), stays = open_hair(PLAIT_CPU_AUTO, 1, &volume);
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_device vulkan;
    desc.backend = PLAIT_BACKEND_VULKAN;
    if (plait_device_open(rig.context, &desc, &vulkan) != PLAIT_OK) {
        rig_close(&rig);
        rig_close(&stays);
        printf("there is no Vulkan device\n");
        skip();
    }
    dance(&rig, 0, 20);
    dance(&stays, 0, 20);
    for (int turn = 0; turn < 2; turn++) {
        float *before = rig_positions(&rig);
        assert_ok(plait_hair_set_device(rig.hair, turn == 0 ? vulkan : rig.device));
        float *after = rig_positions(&rig);
        assert_memory_equal(before, after, (size_t)rig.vertices * 12); // no jump
        free(before);
        free(after);
        dance(&rig, 20 + 2 * turn, 2);
        dance(&stays, 20 + 2 * turn, 2);
        float *moved = rig_positions(&rig), *stayed = rig_positions(&stays);
        double sum = 0;
        for (uint32_t v = 0; v < rig.vertices; v++) sum += distance3(moved + 3 * v, stayed + 3 * v);
        printf("off by %.1e m on average, by %.1e m at most\n", sum / rig.vertices,
               largest_difference(moved, stayed, rig.vertices));
        assert_true(sum / rig.vertices < 2e-5);
        assert_int_equal(info_of(&rig).homeless_vertex_count, 0);
        free(moved);
        free(stayed);
    }
    assert_ok(plait_device_close(vulkan));
    rig_close(&rig);
    rig_close(&stays);
}

// ---- too small ----

static uint32_t warnings;

static void PLAIT_CALL count_warnings(void *user, uint32_t level, int32_t id, const char *text) {
    (void)user, (void)level, (void)text;
    warnings += id == PLAIT_MESSAGE_VOLUME_FULL;
}

static void a_grid_that_is_too_small_says_so(void **state) {
    (void)state;
    plait_volume_params volume = usual();
    volume.max_blocks = 5;
    plait_logger logger = PLAIT_LOGGER_INIT;
    plait_context_desc context = PLAIT_CONTEXT_DESC_INIT;
    plait_device_desc device = PLAIT_DEVICE_DESC_INIT;
    plait_hair_desc hair = PLAIT_HAIR_DESC_INIT;
    struct rig rig = {.bones = SCENE_BONE_COUNT, .vertices = groom.vertex_count};
    logger.log = count_warnings;
    context.logger = &logger;
    device.backend = PLAIT_BACKEND_CPU;
    assert_ok(plait_context_create(&context, &rig.context));
    assert_ok(plait_device_open(rig.context, &device, &rig.device));
    assert_ok(plait_groom_create(rig.context, &groom_desc, &rig.groom));
    hair.groom = rig.groom;
    hair.device = rig.device;
    hair.solver = PLAIT_SOLVER_HYBRID;
    assert_ok(plait_hair_create(rig.context, &hair, &rig.hair));
    dance(&rig, 0, 2);
    assert_ok(plait_hair_set_volume(rig.hair, &volume));
    dance(&rig, 2, 20);
    plait_volume_info info = info_of(&rig);
    assert_int_equal(info.block_count, 5);
    assert_int_equal(info.block_capacity, 5);
    assert_true(info.homeless_vertex_count > 1000);
    assert_true(warnings >= 1 && warnings < 20);
    volume.max_blocks = 0;
    assert_ok(plait_hair_set_volume(rig.hair, &volume));
    uint64_t before = info_of(&rig).homeless_vertex_count;
    dance(&rig, 22, 5);
    assert_int_equal(info_of(&rig).homeless_vertex_count, before);
    float *x = rig_positions(&rig);
    for (uint32_t i = 0; i < 3 * rig.vertices; i++) assert_true(isfinite(x[i]));
    free(x);
    rig_close(&rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grid_gets_all_mass_and_momentum_and_gives_it_back),
        cmocka_unit_test(hair_in_its_bind_pose_feels_nothing),
        cmocka_unit_test(without_strength_hair_moves_as_without_the_grid),
        cmocka_unit_test(every_instruction_set_and_thread_count_gives_the_same_bits),
        cmocka_unit_test(a_saved_state_goes_on_to_the_bit),
        cmocka_unit_test(a_teleport_carries_strains_along),
        cmocka_unit_test(hair_goes_on_from_the_cpu_to_vulkan_and_back),
        cmocka_unit_test(a_grid_that_is_too_small_says_so),
    };
    return cmocka_run_group_tests(tests, open_scene, close_scene);
}
