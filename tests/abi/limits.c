/* Null pointers, counts that are zero, wrong or huge, and unknown constants. Counts are checked before the arrays are
 * read: arrays here have their real length, so that a sanitizer finds any read beyond. */
#include "session.h"

#include <stdlib.h>
#include <string.h>

static int open_state(void **state) {
    *state = session_open(NULL);
    return 0;
}

static int close_state(void **state) {
    session_close(*state);
    return 0;
}

static plait_result make_groom(session *s, const plait_groom_desc *desc) {
    plait_groom groom = {1};
    plait_result result = plait_groom_create(s->context, desc, &groom);
    assert_int_equal(result < 0, groom.id == 0);
    return result < 0 ? result : plait_groom_destroy(groom);
}

static plait_result make_body(session *s, const plait_body_desc *desc) {
    plait_body body = {1};
    plait_result result = plait_body_create(s->context, desc, &body);
    assert_int_equal(result < 0, body.id == 0);
    return result < 0 ? result : plait_body_destroy(body);
}

static plait_result make_hair(session *s, const plait_hair_desc *desc) {
    plait_hair hair = {1};
    plait_result result = plait_hair_create(s->context, desc, &hair);
    assert_int_equal(result < 0, hair.id == 0);
    return result < 0 ? result : plait_hair_destroy(hair);
}

static plait_result make_context(const plait_context_desc *desc) {
    plait_context context = {1};
    plait_result result = plait_context_create(desc, &context);
    assert_int_equal(result < 0, context.id == 0);
    return result < 0 ? result : plait_context_destroy(context);
}

static int refused(plait_result result) {
    return result == PLAIT_ERROR_INVALID_ARGUMENT || result == PLAIT_ERROR_TOO_LARGE;
}

static int groom_refused(plait_result result) { return refused(result) || result == PLAIT_ERROR_INVALID_GROOM; }

static void null_where_something_must_be_is_refused(void **state) {
    session *s = *state;
    plait_groom groom;
    plait_body body;
    plait_hair hair;
    plait_hair_desc hair_desc = session_hair_desc(s);
    blob before = save(s->hair);
    assert_result(plait_context_create(NULL, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_result(plait_device_open(s->context, NULL, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_result(plait_groom_create(s->context, NULL, &groom), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_result(plait_groom_create(s->context, &s->groom_source.desc, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_result(plait_body_create(s->context, NULL, &body), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_result(plait_body_create(s->context, &s->body_source.desc, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_result(plait_hair_create(s->context, NULL, &hair), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_result(plait_hair_create(s->context, &hair_desc, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_true(groom.id == 0 && body.id == 0 && hair.id == 0);
    assert_result(plait_hair_step(s->hair, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_result(plait_hair_set_params(s->hair, 1, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_result(plait_hair_set_params(s->hair, GROUPS, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_result(plait_hair_read(s->hair, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_result(plait_hair_state_size(s->hair, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_result(plait_hair_save(s->hair, NULL, before.size), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_result(plait_hair_load(s->hair, NULL, before.size), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_state(s->hair, &before);
    free_blob(&before);
}

static void null_where_it_means_a_default_is_accepted(void **state) {
    session *s = *state;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    plait_device device;
    plait_groom_desc groom = s->groom_source.desc;
    plait_hair_desc hair = session_hair_desc(s);
    uint32_t root_bones[STRANDS] = {0, 1, 2};
    assert_ok(make_context(NULL));
    assert_ok(plait_device_open(s->context, NULL, &device));
    assert_ok(plait_device_close(device));
    groom.radii = groom.root_normals = groom.bind_pose = NULL;
    groom.groups = NULL;
    assert_ok(make_groom(s, &groom));
    groom.group_indices = NULL;
    groom.group_count = 0;
    assert_ok(make_groom(s, &groom));
    groom.root_bindings = NULL;
    assert_ok(make_groom(s, &groom));
    groom.root_bones = root_bones;
    assert_ok(make_groom(s, &groom));
    hair.params_count = 0;
    hair.params = NULL;
    hair.bones = NULL;
    hair.body.id = 0;
    assert_ok(make_hair(s, &hair));
    frame.dt = 0.01f;
    assert_ok(plait_hair_step(s->hair, &frame));
    assert_ok(plait_hair_set_params(s->hair, 0, NULL));
    assert_ok(plait_hair_set_params(s->hair, 1, session_params(s)));
    assert_ok(plait_hair_set_body(s->hair, (plait_body){0}));
    assert_ok(plait_hair_reset(s->hair, 0, NULL));
    assert_ok(plait_hair_set_output(s->hair, NULL));
}

static void callbacks_that_are_null_are_refused(void **state) {
    (void)state;
    plait_allocator allocator = PLAIT_ALLOCATOR_INIT;
    plait_jobs jobs = PLAIT_JOBS_INIT;
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    desc.allocator = &allocator;
    assert_result(make_context(&desc), PLAIT_ERROR_INVALID_ARGUMENT);
    desc.allocator = NULL;
    desc.jobs = &jobs;
    jobs.thread_count = 1;
    assert_result(make_context(&desc), PLAIT_ERROR_INVALID_ARGUMENT);
}

static void PLAIT_CALL run_all(void *user, uint32_t count, plait_job job, void *argument) {
    (void)user;
    for (uint32_t i = 0; i < count; ++i) {
        job(argument, i);
    }
}

static void thread_counts_and_log_levels_have_limits(void **state) {
    session *s = *state;
    plait_logger logger = message_log_logger(&s->log, PLAIT_LOG_ERROR + 1);
    plait_jobs jobs = PLAIT_JOBS_INIT;
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    desc.logger = &logger;
    assert_result(make_context(&desc), PLAIT_ERROR_INVALID_ARGUMENT);
    desc.logger = NULL;
    jobs.parallel_for = run_all;
    desc.jobs = &jobs;
    assert_result(make_context(&desc), PLAIT_ERROR_INVALID_ARGUMENT); /* a thread count of 0 */
    jobs.thread_count = UINT32_MAX;
    assert_true(is_known_result(make_context(&desc)));
    desc.jobs = NULL;
    desc.thread_count = UINT32_MAX;
    assert_true(make_context(&desc) < 0);
    desc.thread_count = 3;
    assert_ok(make_context(&desc));
}

static void wild_counts_in_a_groom_are_refused_before_anything_is_read(void **state) {
    static const uint32_t one_count[1] = {2};
    static const float one_position[2][3] = {{0, 0, 0}, {0, 1, 0}};
    session *s = *state;
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    desc.vertex_counts = one_count;
    desc.positions = one_position[0];
    desc.bone_count = 1;
    assert_true(groom_refused(make_groom(s, &desc))); /* no strands */
    desc.strand_count = UINT32_MAX;
    assert_result(make_groom(s, &desc), PLAIT_ERROR_TOO_LARGE);
    desc.strand_count = UINT32_MAX / 2 + 1; /* two vertices each are too many already */
    assert_result(make_groom(s, &desc), PLAIT_ERROR_TOO_LARGE);
    desc.strand_count = 1;
    desc.bone_count = 0;
    assert_true(groom_refused(make_groom(s, &desc)));
    desc.bind_pose = one_position[0];
    desc.bone_count = PLAIT_MAX_BONES + 1;
    assert_true(groom_refused(make_groom(s, &desc)));
    desc.bone_count = UINT32_MAX;
    assert_true(groom_refused(make_groom(s, &desc)));
    desc.bone_count = 1;
    desc.bind_pose = NULL;
    desc.groups = s->groom_source.groups;
    desc.group_count = 65537; /* beyond 32-bit indices */
    assert_true(groom_refused(make_groom(s, &desc)));
    desc.group_count = UINT32_MAX;
    assert_true(groom_refused(make_groom(s, &desc)));
    desc.group_count = 1;
    assert_ok(make_groom(s, &desc));
    desc.bone_count = PLAIT_MAX_BONES;
    assert_ok(make_groom(s, &desc));
}

/* 4,200,000 strands of 1024 vertices are 4.3e9 vertices: the counts exist in memory, the positions do not. */
static void vertices_that_do_not_fit_32_bits_are_refused_before_positions_are_read(void **state) {
    enum { MANY = 4200000 };
    static const float one_position[2][3] = {{0, 0, 0}, {0, 1, 0}};
    session *s = *state;
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    uint32_t *counts = malloc(MANY * sizeof *counts);
    assert_non_null(counts);
    for (uint32_t i = 0; i < MANY; ++i) {
        counts[i] = PLAIT_MAX_STRAND_VERTICES;
    }
    desc.strand_count = MANY;
    desc.bone_count = 1;
    desc.vertex_counts = counts;
    desc.positions = one_position[0];
    assert_result(make_groom(s, &desc), PLAIT_ERROR_TOO_LARGE);
    /* One wrong count, so large that the sum of all would wrap around, is found. */
    counts[1] = UINT32_MAX;
    desc.strand_count = 2;
    counts[0] = 2;
    assert_result(make_groom(s, &desc), PLAIT_ERROR_INVALID_GROOM);
    counts[1] = PLAIT_MAX_STRAND_VERTICES + 1;
    assert_result(make_groom(s, &desc), PLAIT_ERROR_INVALID_GROOM);
    counts[0] = 1;
    assert_result(make_groom(s, &desc), PLAIT_ERROR_INVALID_GROOM);
    free(counts);
}

static void a_groom_without_its_arrays_is_refused(void **state) {
    session *s = *state;
    plait_groom_desc desc = s->groom_source.desc;
    desc.vertex_counts = NULL;
    assert_result(make_groom(s, &desc), PLAIT_ERROR_INVALID_ARGUMENT);
    desc = s->groom_source.desc;
    desc.positions = NULL;
    assert_result(make_groom(s, &desc), PLAIT_ERROR_INVALID_ARGUMENT);
}

static void bodies_with_wrong_counts_kinds_or_bones_are_refused(void **state) {
    session *s = *state;
    plait_body_desc desc = s->body_source.desc;
    plait_collider *colliders = s->body_source.colliders;
    desc.colliders = NULL;
    assert_result(make_body(s, &desc), PLAIT_ERROR_INVALID_ARGUMENT);
    desc.collider_count = 0;
    assert_ok(make_body(s, &desc));
    desc = s->body_source.desc;
    desc.bone_count = 0;
    assert_result(make_body(s, &desc), PLAIT_ERROR_INVALID_ARGUMENT);
    desc.bone_count = PLAIT_MAX_BONES + 1;
    assert_true(refused(make_body(s, &desc)));
    desc.bone_count = 2; /* the third collider is bound to the third bone */
    assert_result(make_body(s, &desc), PLAIT_ERROR_INVALID_ARGUMENT);
    colliders[1].bone = UINT32_MAX;
    assert_result(make_body(s, &s->body_source.desc), PLAIT_ERROR_INVALID_ARGUMENT);
    colliders[1].bone = 0;
    colliders[1].kind = 0;
    assert_result(make_body(s, &s->body_source.desc), PLAIT_ERROR_INVALID_ARGUMENT);
    colliders[1].kind = 4;
    assert_result(make_body(s, &s->body_source.desc), PLAIT_ERROR_INVALID_ARGUMENT);
    colliders[1].kind = UINT32_MAX;
    assert_result(make_body(s, &s->body_source.desc), PLAIT_ERROR_INVALID_ARGUMENT);
    colliders[1].kind = PLAIT_COLLIDER_SPHERE;
    colliders[1].radii[0] = -1;
    assert_result(make_body(s, &s->body_source.desc), PLAIT_ERROR_INVALID_ARGUMENT);
    colliders[1].radii[0] = 1.001e6f;
    assert_result(make_body(s, &s->body_source.desc), PLAIT_ERROR_INVALID_ARGUMENT);
    colliders[1].radii[0] = 1e6f;
    assert_ok(make_body(s, &s->body_source.desc));
    colliders[1].radii[0] = 1;
    colliders[1].friction = -0.1f;
    assert_result(make_body(s, &s->body_source.desc), PLAIT_ERROR_INVALID_ARGUMENT);
    colliders[1].friction = 0;
    assert_ok(make_body(s, &s->body_source.desc));
    memset(colliders[2].points[1], 0, sizeof colliders[2].points[1]); /* a half-space without a direction */
    assert_result(make_body(s, &s->body_source.desc), PLAIT_ERROR_INVALID_ARGUMENT);
}

static void a_body_has_so_many_colliders_and_no_more(void **state) {
    session *s = *state;
    plait_body_desc desc = s->body_source.desc;
    plait_collider *colliders = malloc((PLAIT_MAX_COLLIDERS + 1) * sizeof *colliders);
    assert_non_null(colliders);
    for (uint32_t i = 0; i <= PLAIT_MAX_COLLIDERS; ++i) {
        colliders[i] = s->body_source.colliders[0];
    }
    desc.colliders = colliders;
    desc.collider_count = PLAIT_MAX_COLLIDERS;
    assert_ok(make_body(s, &desc));
    desc.collider_count = PLAIT_MAX_COLLIDERS + 1;
    assert_result(make_body(s, &desc), PLAIT_ERROR_TOO_LARGE);
    assert_non_null(strstr(s->log.text, "PLAIT_MAX_COLLIDERS"));
    free(colliders);
}

static void a_capsule_whose_ends_meet_or_contain_each_other_is_fine(void **state) {
    session *s = *state;
    plait_collider *capsule = &s->body_source.colliders[0];
    plait_hair_desc desc = session_hair_desc(s);
    memcpy(capsule->points[1], capsule->points[0], sizeof capsule->points[0]);
    for (int i = 0; i < 3; ++i) {
        session other = *s;
        float *positions;
        capsule->radii[0] = i == 2 ? 0 : 0.1f;
        capsule->radii[1] = i == 0 ? 0.1f : 0.0f;
        assert_ok(plait_body_create(s->context, &s->body_source.desc, &desc.body));
        assert_ok(plait_hair_create(s->context, &desc, &other.hair));
        session_run(&other, 0, 5);
        positions = read_positions(&other);
        assert_true(all_finite(positions, 3 * (size_t)s->groom_source.vertex_count));
        free(positions);
        assert_ok(plait_hair_destroy(other.hair));
        assert_ok(plait_body_destroy(desc.body));
    }
}

static void devices_and_instruction_sets_that_do_not_exist_are_refused(void **state) {
    session *s = *state;
    plait_device_cpu_desc cpu = PLAIT_DEVICE_CPU_DESC_INIT;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_device device = {1};
    desc.backend = PLAIT_BACKEND_NULL + 1;
    assert_result(plait_device_open(s->context, &desc, &device), PLAIT_ERROR_INVALID_ARGUMENT);
    desc.backend = UINT32_MAX;
    assert_result(plait_device_open(s->context, &desc, &device), PLAIT_ERROR_INVALID_ARGUMENT);
    desc.backend = PLAIT_BACKEND_CPU;
    desc.index = 1;
    assert_true(plait_device_open(s->context, &desc, &device) < 0);
    desc.index = UINT32_MAX;
    assert_true(plait_device_open(s->context, &desc, &device) < 0);
    desc.index = 0;
    desc.head.next = &cpu;
    cpu.instruction_set = PLAIT_CPU_NEON + 1;
    assert_result(plait_device_open(s->context, &desc, &device), PLAIT_ERROR_INVALID_ARGUMENT);
    cpu.instruction_set = UINT32_MAX;
    assert_result(plait_device_open(s->context, &desc, &device), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_true(device.id == 0);
    cpu.instruction_set = PLAIT_CPU_SCALAR;
    assert_ok(plait_device_open(s->context, &desc, &device));
}

static void solvers_params_and_substeps_that_do_not_exist_are_refused(void **state) {
    static const uint32_t wrong_counts[] = {3, 65536, UINT32_MAX};
    session *s = *state;
    plait_hair_desc desc = session_hair_desc(s);
    blob before = save(s->hair);
    desc.solver = 0;
    assert_result(make_hair(s, &desc), PLAIT_ERROR_INVALID_ARGUMENT);
    desc.solver = UINT32_MAX;
    assert_result(make_hair(s, &desc), PLAIT_ERROR_INVALID_ARGUMENT);
    desc = session_hair_desc(s);
    desc.substeps = 64;
    assert_ok(make_hair(s, &desc));
    desc.substeps = 65;
    assert_result(make_hair(s, &desc), PLAIT_ERROR_INVALID_ARGUMENT);
    desc.substeps = UINT32_MAX;
    assert_result(make_hair(s, &desc), PLAIT_ERROR_INVALID_ARGUMENT);
    for (size_t i = 0; i < COUNT_OF(wrong_counts); ++i) {
        desc = session_hair_desc(s);
        desc.params_count = wrong_counts[i];
        assert_result(make_hair(s, &desc), PLAIT_ERROR_INVALID_ARGUMENT);
        assert_result(plait_hair_set_params(s->hair, wrong_counts[i], session_params(s)), PLAIT_ERROR_INVALID_ARGUMENT);
    }
    assert_state(s->hair, &before);
    free_blob(&before);
}

static void too_few_bones_are_refused_and_too_many_ignored(void **state) {
    session *s = *state;
    plait_frame_desc frame = session_frame(s, 0);
    blob before = save(s->hair);
    for (uint32_t count = 0; count < BONES; ++count) {
        frame.bone_count = count;
        assert_result(plait_hair_step(s->hair, &frame), PLAIT_ERROR_INVALID_ARGUMENT);
        assert_result(plait_hair_reset(s->hair, count, s->bones[0]), PLAIT_ERROR_INVALID_ARGUMENT);
        assert_result(plait_hair_teleport(s->hair, count, s->bones[0]), PLAIT_ERROR_INVALID_ARGUMENT);
    }
    assert_state(s->hair, &before);
    frame.bone_count = UINT32_MAX;
    assert_ok(plait_hair_step(s->hair, &frame));
    assert_ok(plait_hair_reset(s->hair, UINT32_MAX, s->bones[0]));
    assert_ok(plait_hair_teleport(s->hair, UINT32_MAX, s->bones[0]));
    free_blob(&before);
}

static void words_of_enabled_colliders_beyond_the_colliders_are_not_read(void **state) {
    session *s = *state;
    plait_frame_desc frame = session_frame(s, 0);
    uint32_t *word = malloc(sizeof *word);
    blob start = save(s->hair), off;
    assert_non_null(word);
    *word = 0;
    frame.colliders_enabled = word;
    frame.colliders_enabled_words = UINT32_MAX;
    assert_ok(plait_hair_step(s->hair, &frame));
    off = save(s->hair);
    assert_ok(plait_hair_load(s->hair, start.bytes, start.size));
    frame.colliders_enabled_words = 0; /* those beyond the words are off */
    assert_ok(plait_hair_step(s->hair, &frame));
    assert_state(s->hair, &off);
    free(word);
    free_blob(&start);
    free_blob(&off);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(null_where_something_must_be_is_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(null_where_it_means_a_default_is_accepted, open_state, close_state),
        cmocka_unit_test(callbacks_that_are_null_are_refused),
        cmocka_unit_test_setup_teardown(thread_counts_and_log_levels_have_limits, open_state, close_state),
        cmocka_unit_test_setup_teardown(wild_counts_in_a_groom_are_refused_before_anything_is_read, open_state,
                                        close_state),
        cmocka_unit_test_setup_teardown(vertices_that_do_not_fit_32_bits_are_refused_before_positions_are_read,
                                        open_state, close_state),
        cmocka_unit_test_setup_teardown(a_groom_without_its_arrays_is_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(bodies_with_wrong_counts_kinds_or_bones_are_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_body_has_so_many_colliders_and_no_more, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_capsule_whose_ends_meet_or_contain_each_other_is_fine, open_state,
                                        close_state),
        cmocka_unit_test_setup_teardown(devices_and_instruction_sets_that_do_not_exist_are_refused, open_state,
                                        close_state),
        cmocka_unit_test_setup_teardown(solvers_params_and_substeps_that_do_not_exist_are_refused, open_state,
                                        close_state),
        cmocka_unit_test_setup_teardown(too_few_bones_are_refused_and_too_many_ignored, open_state, close_state),
        cmocka_unit_test_setup_teardown(words_of_enabled_colliders_beyond_the_colliders_are_not_read, open_state,
                                        close_state),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
