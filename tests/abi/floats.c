/* NaN, infinite, huge and tiny floats in every struct and array are refused or survived. A refused call leaves the hair
 * as it was, and output stays finite. */
#include "inputs.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float odd_floats[] = {NAN,   INFINITY, -INFINITY, -0.0f,    FLT_MIN / 8, -FLT_MIN / 8,
                                   1e30f, -1e30f,   FLT_MAX,   -FLT_MAX, -1};

static int open_state(void **state) {
    session *s = session_open(NULL);
    session_run(s, 0, 3);
    *state = s;
    return 0;
}

static int close_state(void **state) {
    session_close(*state);
    return 0;
}

static void assert_positions_finite(const session *s) {
    float *positions = read_positions(s);
    assert_true(all_finite(positions, 3 * (size_t)s->groom_source.vertex_count));
    free(positions);
}

static void odd_floats_in_structs_are_refused_or_survived(void **state) {
    session *s = *state;
    blob before = save(s->hair);
    for (const input *in = inputs; in < inputs + input_count; ++in) {
        for (const uint32_t *offset = in->floats; *offset; ++offset) {
            for (size_t i = 0; i < in->elements * COUNT_OF(odd_floats); ++i) {
                uint32_t element = (uint32_t)(i / COUNT_OF(odd_floats));
                float value = odd_floats[i % COUNT_OF(odd_floats)];
                unsigned char *array = make_input(in, s, in->size);
                uint64_t effect = 0;
                plait_result result;
                memcpy(array + element * in->size + *offset, &value, sizeof value);
                result = in->pass(s, array, &effect);
                int must_fail = !isfinite(value) && float_matters(in, element, *offset);
                if (!is_known_result(result) || (must_fail && result != PLAIT_ERROR_INVALID_ARGUMENT)) {
                    print_error("%s[%u] with %g at offset %u gave %d\n", in->name, element, (double)value, *offset,
                                result);
                    fail();
                }
                free(array);
                assert_state(s->hair, &before);
            }
        }
    }
    assert_positions_finite(s);
    free_blob(&before);
}

/* Whether a hair of this groom, if there can be one, stays finite in its first frames. */
static void assert_groom_survives(session *s, plait_groom groom) {
    session other = *s;
    plait_hair_desc desc;
    other.groom = groom;
    desc = session_hair_desc(&other);
    if (plait_hair_create(s->context, &desc, &other.hair) == PLAIT_OK) {
        session_run(&other, 0, 2);
        assert_positions_finite(&other);
        assert_ok(plait_hair_destroy(other.hair));
    }
}

/* The bind pose belongs to no strand, so its errors may name an argument. */
static int refused(plait_result result) {
    return result == PLAIT_ERROR_INVALID_GROOM || result == PLAIT_ERROR_INVALID_ARGUMENT;
}

static void spoil_each(session *s, const char *name, float *values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < COUNT_OF(odd_floats); ++k) {
            float good = values[i];
            plait_groom groom = {1};
            plait_result result;
            values[i] = odd_floats[k];
            result = plait_groom_create(s->context, &s->groom_source.desc, &groom);
            if (!is_known_result(result) || (!isfinite(odd_floats[k]) && !refused(result))) {
                print_error("groom with %g at %s[%zu] gave %d\n", (double)odd_floats[k], name, i, result);
                fail();
            }
            if (result < 0) {
                assert_true(groom.id == 0);
            } else {
                if (i % 7 == 0) {
                    assert_groom_survives(s, groom);
                }
                assert_ok(plait_groom_destroy(groom));
            }
            values[i] = good;
        }
    }
}

static void odd_floats_in_a_groom_are_refused_or_survived(void **state) {
    session *s = *state;
    groom_source *source = &s->groom_source;
    spoil_each(s, "positions", source->positions[0], 3 * (size_t)source->vertex_count);
    spoil_each(s, "radii", source->radii, source->vertex_count);
    spoil_each(s, "bind_pose", source->bind_pose[0], 12 * BONES);
    spoil_each(s, "root_normals", source->normals[0], 3 * STRANDS);
    for (uint32_t strand = 0; strand < STRANDS; ++strand) {
        spoil_each(s, "weights", source->bindings[strand].weights, 4);
    }
}

static void a_radius_below_zero_is_refused(void **state) {
    session *s = *state;
    plait_groom groom = {1};
    s->groom_source.radii[100] = -1e-5f;
    assert_result(plait_groom_create(s->context, &s->groom_source.desc, &groom), PLAIT_ERROR_INVALID_GROOM);
    s->groom_source.radii[100] = 5e-5f;
    s->groom_source.groups[1].radius = -1e-5f;
    assert_true(plait_groom_create(s->context, &s->groom_source.desc, &groom) < 0);
    assert_true(groom.id == 0);
}

/* All calls that take bones: on the session's hair, and one that makes a new hair. */
static plait_result step_with(session *s, const float *bones) {
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.bone_count = BONES;
    frame.bones = bones;
    return plait_hair_step(s->hair, &frame);
}

static plait_result pause_with(session *s, const float *bones) {
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.bone_count = BONES;
    frame.bones = bones;
    return plait_hair_step(s->hair, &frame);
}

static plait_result reset_to(session *s, const float *bones) { return plait_hair_reset(s->hair, BONES, bones); }

static plait_result teleport_to(session *s, const float *bones) { return plait_hair_teleport(s->hair, BONES, bones); }

static plait_result create_at(session *s, const float *bones) {
    plait_hair hair;
    plait_hair_desc desc = session_hair_desc(s);
    plait_result result;
    desc.bones = bones;
    result = plait_hair_create(s->context, &desc, &hair);
    return result < 0 ? result : plait_hair_destroy(hair);
}

static plait_result (*const ways_in_for_bones[])(session *s, const float *bones) = {step_with, pause_with, reset_to,
                                                                                    teleport_to, create_at};

static void odd_floats_in_bones_are_refused_or_survived(void **state) {
    session *s = *state;
    blob before = save(s->hair);
    for (size_t way = 0; way < COUNT_OF(ways_in_for_bones); ++way) {
        for (size_t i = 0; i < 12 * BONES * COUNT_OF(odd_floats); ++i) {
            float bones[BONES][12];
            float value = odd_floats[i % COUNT_OF(odd_floats)];
            plait_result result;
            bones_at(0.1f, bones);
            bones[i / COUNT_OF(odd_floats) / 12][i / COUNT_OF(odd_floats) % 12] = value;
            result = ways_in_for_bones[way](s, bones[0]);
            assert_true(is_known_result(result));
            if (!isfinite(value)) {
                assert_result(result, PLAIT_ERROR_INVALID_ARGUMENT);
            }
            if (result < 0) {
                assert_state(s->hair, &before);
            } else {
                assert_positions_finite(s);
                session_run(s, 5, 1);
                assert_positions_finite(s);
                assert_ok(plait_hair_load(s->hair, before.bytes, before.size));
            }
        }
    }
    free_blob(&before);
}

static void bones_that_mirror_or_flatten_are_refused(void **state) {
    static const float bad[][12] = {
        {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},   /* mirrors */
        {-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0}, /* mirrors three times */
        {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0},    /* swaps two axes */
        {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0},    /* flattens to a plane */
        {1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0},    /* two rows alike */
        {0},                                     /* to a point */
    };
    session *s = *state;
    blob before = save(s->hair);
    plait_groom groom = {1};
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
        for (uint32_t bone = 0; bone < BONES; ++bone) {
            float bones[BONES][12];
            for (size_t way = 0; way < COUNT_OF(ways_in_for_bones); ++way) {
                bones_at(0, bones);
                memcpy(bones[bone], bad[i], sizeof bad[i]);
                assert_result(ways_in_for_bones[way](s, bones[0]), PLAIT_ERROR_INVALID_ARGUMENT);
                assert_state(s->hair, &before);
            }
            memcpy(bones[0], s->groom_source.bind_pose[bone], sizeof bones[0]);
            memcpy(s->groom_source.bind_pose[bone], bad[i], sizeof bad[i]);
            assert_true(refused(plait_groom_create(s->context, &s->groom_source.desc, &groom)));
            memcpy(s->groom_source.bind_pose[bone], bones[0], sizeof bones[0]);
        }
    }
    free_blob(&before);
}

static void bones_that_scale_and_turn_are_welcome(void **state) {
    session *s = *state;
    float bones[BONES][12];
    for (float scale = 0.01f; scale < 200; scale *= 10) {
        bones_at(0.3f, bones);
        for (uint32_t i = 0; i < BONES; ++i) {
            for (uint32_t k = 0; k < 12; ++k) {
                bones[i][k] *= k % 4 == 3 ? 1 : scale;
            }
        }
        assert_ok(plait_hair_reset(s->hair, BONES, bones[0]));
        assert_ok(step_with(s, bones[0]));
        assert_positions_finite(s);
    }
}

static void numbers_out_of_range_are_refused(void **state) {
    static const struct {
        size_t offset;
        float value;
    } bad[] = {
        {offsetof(plait_hair_desc, meters_per_unit), -1},   {offsetof(plait_hair_desc, step_rate_hz), -60},
        {offsetof(plait_hair_desc, step_rate_hz), 0.5f},    {offsetof(plait_hair_desc, step_rate_hz), 10001},
        {offsetof(plait_hair_desc, max_frame_s), -0.1f},    {offsetof(plait_hair_desc, teleport_distance), -1},
        {offsetof(plait_hair_desc, teleport_angle), -0.5f},
    };
    static const struct {
        size_t offset;
        float value;
    } bad_params[] = {
        {offsetof(plait_shape_params, compliance_root_s2), -1},
        {offsetof(plait_shape_params, compliance_tip_s2), -1},
        {offsetof(plait_shape_params, shape_damping), -1},
        {offsetof(plait_shape_params, drag_per_s), -1},
        {offsetof(plait_shape_params, damping_per_s), -1},
        {offsetof(plait_shape_params, velocity_correction), -0.1f},
        {offsetof(plait_shape_params, velocity_correction), 1.1f},
        {offsetof(plait_shape_params, collision_radius), -1},
    };
    static const double bad_origins[] = {NAN, INFINITY, -INFINITY, 1.001e13, -1.001e13, DBL_MAX};
    session *s = *state;
    plait_hair hair = {1};
    plait_frame_desc frame = session_frame(s, 0);
    blob before = save(s->hair);
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
        plait_hair_desc desc = session_hair_desc(s);
        memcpy((char *)&desc + bad[i].offset, &bad[i].value, sizeof bad[i].value);
        assert_result(plait_hair_create(s->context, &desc, &hair), PLAIT_ERROR_INVALID_ARGUMENT);
        assert_true(hair.id == 0);
    }
    for (size_t i = 0; i < COUNT_OF(bad_params); ++i) {
        plait_shape_params params[GROUPS] = {s->params[0], s->params[1]};
        plait_hair_desc desc = session_hair_desc(s);
        memcpy((char *)&params[1] + bad_params[i].offset, &bad_params[i].value, sizeof bad_params[i].value);
        desc.solver = PLAIT_SOLVER_SHAPE;
        desc.params = params;
        assert_result(plait_hair_create(s->context, &desc, &hair), PLAIT_ERROR_INVALID_ARGUMENT);
        if (s->solver == PLAIT_SOLVER_SHAPE) {
            assert_result(plait_hair_set_params(s->hair, GROUPS, params), PLAIT_ERROR_INVALID_ARGUMENT);
        }
    }
    frame.dt = -1.0f / 60;
    assert_result(plait_hair_step(s->hair, &frame), PLAIT_ERROR_INVALID_ARGUMENT);
    for (size_t i = 0; i < COUNT_OF(bad_origins); ++i) {
        frame = session_frame(s, 0);
        frame.origin[i % 3] = bad_origins[i];
        assert_result(plait_hair_step(s->hair, &frame), PLAIT_ERROR_INVALID_ARGUMENT);
    }
    assert_state(s->hair, &before);
    free_blob(&before);
}

/* What came of a float in one element of an input. */
static plait_result pass_float(session *s, const input *in, uint32_t element, uint32_t offset, double number) {
    unsigned char *array = make_input(in, s, in->size);
    float value = (float)number;
    uint64_t effect = 0;
    plait_result result;
    memcpy(array + element * in->size + offset, &value, sizeof value);
    result = in->pass(s, array, &effect);
    free(array);
    return result;
}

/* Where a unit is tiny, so are the groom's segments, which is another matter. */
static void assert_within_range(plait_result result) {
    if (result != PLAIT_ERROR_INVALID_GROOM) {
        assert_ok(result);
    }
}

/* The message of a refused float names a range: its ends are accepted, what lies beyond is refused. */
static void a_refused_float_is_told_the_range_that_is_checked(void **state) {
    session *s = *state;
    for (const input *in = inputs; in < inputs + input_count; ++in) {
        for (const uint32_t *offset = in->floats; *offset; ++offset) {
            for (uint32_t element = 0; element < in->elements; ++element) {
                double low = 0, high = 0;
                const char *range;
                if (!float_matters(in, element, *offset)) {
                    continue;
                }
                assert_result(pass_float(s, in, element, *offset, -FLT_MAX), PLAIT_ERROR_INVALID_ARGUMENT);
                range = strstr(s->log.text, ", not ");
                if (range && strstr(range, " or more and finite") && sscanf(range, ", not %lf", &low) == 1) {
                    high = FLT_MAX;
                } else if (!range || (sscanf(range, ", not 0 or %lf to %lf", &low, &high) != 2 &&
                                      sscanf(range, ", not %lf to %lf", &low, &high) != 2)) {
                    print_error("%s, offset %u: no range in \"%s\"\n", in->name, *offset, s->log.text);
                    fail();
                }
                assert_within_range(pass_float(s, in, element, *offset, low));
                assert_within_range(pass_float(s, in, element, *offset, high));
                assert_result(pass_float(s, in, element, *offset, low - fmax(1e-5 * fabs(low), 1e-35)),
                              PLAIT_ERROR_INVALID_ARGUMENT);
                assert_result(pass_float(s, in, element, *offset, high + 1e-5 * high), PLAIT_ERROR_INVALID_ARGUMENT);
            }
        }
    }
}

/* Every parameter of rods, below and above the range in the header; the message names it. */
static void numbers_of_rods_out_of_range_are_named(void **state) {
#define FIELD(name) #name, offsetof(plait_hybrid_params, name)
    static const struct {
        const char *name;
        size_t offset;
        float low, high, below, above;
    } fields[] = {
        {FIELD(stretch_modulus), 0, 1e12f, -1, 2e12f},     {FIELD(bend_modulus), 0, 1e12f, -1, 2e12f},
        {FIELD(twist_modulus), 0, 1e12f, -1, 2e12f},       {FIELD(density), 1, 1e5f, 0.9f, 1.1e5f},
        {FIELD(flatness), 0, 0.95f, -0.1f, 0.96f},         {FIELD(damping_s), 0, 1000, -1e-6f, 1001},
        {FIELD(drag_per_s), 0, 1e6f, -1e-6f, 1.1e6f},      {FIELD(clamp_extension), 0, 1, -1e-6f, 1.01f},
        {FIELD(held_blend), 0, 1, -1e-6f, 1.01f},          {FIELD(max_root_speed), 0, 1e9f, -1e-6f, 1e10f},
        {FIELD(max_root_turn), 0, 1e9f, -1e-6f, 1e10f},    {FIELD(collision_radius), 0, 1e6f, -1e-6f, 1e7f},
        {FIELD(rest_gravity), -1e9f, 1e9f, -1e10f, 1e10f},
    };
#undef FIELD
    session *s = *state;
    for (size_t i = 0; i < COUNT_OF(fields); ++i) {
        const float values[] = {fields[i].below, fields[i].above, NAN, fields[i].low, fields[i].high};
        for (size_t k = 0; k < COUNT_OF(values); ++k) {
            plait_hybrid_params params[GROUPS] = {s->rods[0], s->rods[1]};
            plait_hair_desc desc = session_hair_desc(s);
            plait_hair hair = {1};
            memcpy((char *)&params[1] + fields[i].offset, &values[k], sizeof values[k]);
            desc.solver = PLAIT_SOLVER_HYBRID;
            desc.params = params;
            assert_result(plait_hair_create(s->context, &desc, &hair), k < 3 ? PLAIT_ERROR_INVALID_ARGUMENT : PLAIT_OK);
            if (k < 3) {
                assert_true(hair.id == 0);
                assert_non_null(strstr(s->log.text, "params[1]"));
                assert_non_null(strstr(s->log.text, fields[i].name));
            } else {
                session other = *s;
                other.hair = hair;
                session_run(&other, 0, 20); /* the ends of a range work */
                assert_positions_finite(&other);
                assert_ok(plait_hair_destroy(hair));
            }
        }
    }
}

/* Also when strands have to follow from one end of the world to the other, and in units of a thousand kilometres. */
static void origins_at_the_ends_of_their_range_are_survived(void **state) {
    session *s = *state;
    for (float unit = 1; unit < 2e6f; unit *= 1e6f) {
        plait_hair_desc desc = session_hair_desc(s);
        session other = *s;
        desc.meters_per_unit = unit;
        desc.params_count = 0;
        desc.params = NULL;
        assert_ok(plait_hair_create(s->context, &desc, &other.hair));
        for (uint32_t i = 0; i < 12; ++i) {
            plait_frame_desc frame = session_frame(s, i);
            for (uint32_t c = 0; c < 3; ++c) {
                frame.origin[c] = i / 2 % 2 ? 1e13 : -1e13;
            }
            frame.dt = i % 4 == 3 ? 0 : frame.dt;
            assert_ok(plait_hair_step(other.hair, &frame));
            assert_positions_finite(&other);
            blob here = save(other.hair);
            assert_ok(plait_hair_load(other.hair, here.bytes, here.size));
            assert_state(other.hair, &here);
            free_blob(&here);
        }
        assert_ok(plait_hair_destroy(other.hair));
    }
}

static void a_frame_longer_than_the_limit_is_clamped_and_counted(void **state) {
    session *s = *state;
    plait_frame_desc frame = session_frame(s, 0);
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    double before;
    assert_ok(plait_hair_query(s->hair, &info));
    before = info.time_s;
    frame.dt = 1e30f;
    assert_ok(plait_hair_step(s->hair, &frame));
    assert_ok(plait_hair_stats(s->hair, &stats));
    assert_ok(plait_hair_query(s->hair, &info));
    assert_int_equal(stats.clamped_frame_count, 1);
    assert_true(info.time_s - before < 0.12);
    assert_int_equal(message_log_count(&s->log, PLAIT_MESSAGE_TIME_CLAMPED), 1);
}

/* Extreme forces tear strands apart; the strands are put back and nothing else is affected. */
static void strands_that_explode_are_put_back_and_counted(void **state) {
    session *s = *state;
    plait_frame_desc frame = session_frame(s, 0);
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    frame.gravity[1] = -FLT_MAX;
    frame.wind[0] = FLT_MAX;
    for (int i = 0; i < 5; ++i) {
        plait_result result = plait_hair_step(s->hair, &frame);
        assert_true(result == PLAIT_OK || result == PLAIT_ERROR_INVALID_ARGUMENT);
        assert_positions_finite(s);
    }
    session_run(s, 4, 120);
    assert_positions_finite(s);
    assert_ok(plait_hair_stats(s->hair, &stats));
    assert_int_equal(stats.nonfinite_strand_count != 0, message_log_count(&s->log, PLAIT_MESSAGE_STRANDS_RESET) != 0);
    assert_true(isfinite(stats.worst_stretch) && isfinite(stats.mean_length_error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(odd_floats_in_structs_are_refused_or_survived, open_state, close_state),
        cmocka_unit_test_setup_teardown(odd_floats_in_a_groom_are_refused_or_survived, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_radius_below_zero_is_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(odd_floats_in_bones_are_refused_or_survived, open_state, close_state),
        cmocka_unit_test_setup_teardown(bones_that_mirror_or_flatten_are_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(bones_that_scale_and_turn_are_welcome, open_state, close_state),
        cmocka_unit_test_setup_teardown(numbers_out_of_range_are_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_refused_float_is_told_the_range_that_is_checked, open_state, close_state),
        cmocka_unit_test_setup_teardown(numbers_of_rods_out_of_range_are_named, open_state, close_state),
        cmocka_unit_test_setup_teardown(origins_at_the_ends_of_their_range_are_survived, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_frame_longer_than_the_limit_is_clamped_and_counted, open_state, close_state),
        cmocka_unit_test_setup_teardown(strands_that_explode_are_put_back_and_counted, open_state, close_state),
    };
    return cmocka_run_group_tests_name("odd floats", tests, NULL, NULL);
}
