/* Bone matrices: the limits that the header names, from both sides, and bones that nothing hangs on, which may be anything. */
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOTS_BONE, COLLIDERS_BONE, FREE_BONE };

/* A session whose roots all hang on one bone (with another at weight zero) and whose colliders all hang on a second. */
typedef struct scene {
    session *s;
    plait_groom groom;
    plait_body body;
    plait_hair hair;
    float bones[BONES][12];
} scene;

static scene scene_open(int with_body) {
    scene c = {.s = session_open(NULL)};
    groom_source *groom = &c.s->groom_source;
    body_source *body = &c.s->body_source;
    plait_hair_desc desc;
    for (uint32_t i = 0; i < STRANDS; ++i) {
        groom->bindings[i] = (plait_root_binding){{FREE_BONE, ROOTS_BONE}, {0, 1}};
    }
    for (uint32_t i = 0; i < COLLIDERS; ++i) {
        body->colliders[i].bone = COLLIDERS_BONE;
    }
    assert_ok(plait_groom_create(c.s->context, &groom->desc, &c.groom));
    assert_ok(plait_body_create(c.s->context, &body->desc, &c.body));
    bones_at(0, c.bones);
    desc = session_hair_desc(c.s);
    desc.groom = c.groom;
    desc.body = with_body ? c.body : (plait_body){0};
    desc.bones = c.bones[0];
    assert_ok(plait_hair_create(c.s->context, &desc, &c.hair));
    return c;
}

static plait_result step_with(scene *c, const float *bones) {
    plait_frame_desc frame = sample_frame(5, c->bones);
    frame.bones = bones;
    return plait_hair_step(c->hair, &frame);
}

static plait_result pause_with(scene *c, const float *bones) {
    plait_frame_desc frame = sample_frame(5, c->bones);
    frame.bones = bones;
    frame.dt = 0;
    return plait_hair_step(c->hair, &frame);
}

static plait_result reset_to(scene *c, const float *bones) { return plait_hair_reset(c->hair, BONES, bones); }
static plait_result teleport_to(scene *c, const float *bones) { return plait_hair_teleport(c->hair, BONES, bones); }

static plait_result create_at(scene *c, const float *bones) {
    plait_hair_desc desc = session_hair_desc(c->s);
    desc.groom = c->groom;
    desc.body = c->body;
    desc.bones = bones;
    plait_result result = plait_hair_destroy(c->hair);
    assert_ok(result);
    return plait_hair_create(c->s->context, &desc, &c->hair);
}

static plait_result (*const ways_in[])(scene *, const float *) = {step_with, pause_with, reset_to, teleport_to,
                                                                  create_at};

/* Hidden by scale zero as engines do it, mirrored, or nothing at all. */
static const float odd_bones[][12] = {
    {0},
    {0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5},
    {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
    {1, 0, 0, 1e30f, 0, 1, 0, 0, 0, 0, 1, 0},
    {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN},
    {1, 0, 0, INFINITY, 0, 1, 0, 0, 0, 0, 1, 0},
};

static void a_bone_that_nothing_hangs_on_may_be_anything(void **state) {
    (void)state;
    for (size_t way = 0; way < COUNT_OF(ways_in); ++way) {
        for (size_t i = 0; i < COUNT_OF(odd_bones); ++i) {
            scene odd = scene_open(1), plain = scene_open(1);
            for (int frame = 0; frame < 3; ++frame) {
                bones_at(0.1f * (float)frame, plain.bones);
                memcpy(odd.bones, plain.bones, sizeof odd.bones);
                memcpy(odd.bones[FREE_BONE], odd_bones[i], sizeof odd_bones[i]);
                float given[BONES][12];
                memcpy(given, odd.bones, sizeof given);
                assert_ok(ways_in[way](&odd, given[0]));
                memcpy(given, plain.bones, sizeof given);
                assert_ok(ways_in[way](&plain, given[0]));
            }
            odd.s->hair = odd.hair;
            plain.s->hair = plain.hair;
            float *a = read_positions(odd.s), *b = read_positions(plain.s);
            assert_memory_equal(a, b, 12 * (size_t)odd.s->vertex_count);
            free(a);
            free(b);
            blob saved = save(odd.hair);
            assert_ok(plait_hair_load(odd.hair, saved.bytes, saved.size));
            assert_state(odd.hair, &saved);
            free_blob(&saved);
            session_close(odd.s);
            session_close(plain.s);
        }
    }
}

static void a_bone_of_a_root_or_of_the_body_is_checked(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(odd_bones); ++i) {
        scene c = scene_open(1), bare = scene_open(0);
        blob before = save(c.hair);
        float bones[BONES][12];
        for (uint32_t bone = ROOTS_BONE; bone <= COLLIDERS_BONE; ++bone) {
            bones_at(0, bones);
            memcpy(bones[bone], odd_bones[i], sizeof odd_bones[i]);
            for (size_t way = 0; way + 1 < COUNT_OF(ways_in); ++way) {
                assert_result(ways_in[way](&c, bones[0]), PLAIT_ERROR_INVALID_ARGUMENT);
                assert_state(c.hair, &before);
            }
        }
        /* Without a body nothing hangs on its bone; when one comes, it is where it last was something. */
        assert_ok(plait_hair_reset(bare.hair, BONES, bones[0]));
        assert_ok(plait_hair_set_body(bare.hair, bare.body));
        assert_result(plait_hair_reset(bare.hair, BONES, bones[0]), PLAIT_ERROR_INVALID_ARGUMENT);
        assert_ok(step_with(&bare, NULL));
        bare.s->hair = bare.hair;
        float *positions = read_positions(bare.s);
        assert_true(all_finite(positions, 3 * (size_t)bare.s->vertex_count));
        free(positions);
        free_blob(&before);
        session_close(c.s);
        session_close(bare.s);
    }
}

#define SCALES(x, y, z)                                                                                                \
    { x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0 }
#define SHEARS(k)                                                                                                      \
    { 1, k, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 }
#define LIES_AT(x, y, z)                                                                                               \
    { 1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z }

/* Each limit from within and from beyond, and what the message speaks of. */
static const struct {
    float matrix[12];
    const char *wrong; /* null: welcome */
} limits[] = {
    {SCALES(1e6f, 1e6f, 1e6f), NULL},
    {SCALES(1.001e6f, 1.001e6f, 1.001e6f), "1e-6 to 1e6"},
    {SCALES(1e-6f, 1e-6f, 1e-6f), NULL},
    {SCALES(0.999e-6f, 0.999e-6f, 0.999e-6f), "1e-6 to 1e6"},
    {SCALES(1000, 1, 1), NULL},
    {SCALES(1001, 1, 1), "1000"},
    {SCALES(0.001f, 1, 1), NULL},
    {SCALES(0.000999f, 1, 1), "1000"},
    {SHEARS(31), NULL},
    {SHEARS(32), "1000"},
    {SCALES(1, 1, 0), "1e-6 to 1e6"},
    {SCALES(-1, 1, 1), "mirrors"},
    {SCALES(-1, -1, -1), "mirrors"},
    {LIES_AT(1e9f, -1e9f, 1e9f), NULL},
    {LIES_AT(1.001e9f, 0, 0), "1e9 units"},
    {LIES_AT(0, -1.001e9f, 0), "1e9 units"},
};

static void bones_are_welcome_up_to_their_limits_and_refused_beyond_by_name(void **state) {
    session *s = *state;
    for (size_t i = 0; i < COUNT_OF(limits); ++i) {
        float bones[BONES][12];
        for (uint32_t bone = 0; bone < BONES; ++bone) {
            memcpy(bones[bone], limits[i].matrix, sizeof bones[bone]);
        }
        plait_result result = plait_hair_reset(s->hair, BONES, bones[0]);
        if (result != (limits[i].wrong ? PLAIT_ERROR_INVALID_ARGUMENT : PLAIT_OK) ||
            (limits[i].wrong && !strstr(s->log.text, limits[i].wrong))) {
            fail_msg("matrix %d gave %d: %s", (int)i, result, s->log.text);
        }
        if (result == PLAIT_OK) {
            blob saved = save(s->hair);
            assert_ok(plait_hair_load(s->hair, saved.bytes, saved.size));
            free_blob(&saved);
        }
    }
}

static int open_state(void **state) {
    *state = session_open(NULL);
    return 0;
}

static int close_state(void **state) {
    session_close(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bone_that_nothing_hangs_on_may_be_anything),
        cmocka_unit_test(a_bone_of_a_root_or_of_the_body_is_checked),
        cmocka_unit_test_setup_teardown(bones_are_welcome_up_to_their_limits_and_refused_beyond_by_name, open_state,
                                        close_state),
    };
    return cmocka_run_group_tests_name("bones", tests, NULL, NULL);
}
