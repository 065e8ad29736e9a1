/* An invalid groom is refused with a message that names the strand and the vertex; folded strands are only reported. */
#include "session.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
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

/* Whether the text contains the number as a whole, not as part of another. */
static int mentions(const char *text, uint32_t number) {
    char digits[16];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%u", number);
    for (const char *at = strstr(text, digits); at; at = strstr(at + 1, digits)) {
        int starts = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '.');
        if (starts && !isalnum((unsigned char)at[length])) {
            return 1;
        }
    }
    return 0;
}

static void assert_refused_naming(session *s, uint32_t strand, int vertex) {
    plait_groom groom = {1};
    uint32_t messages = s->log.count;
    assert_result(plait_groom_create(s->context, &s->groom_source.desc, &groom), PLAIT_ERROR_INVALID_GROOM);
    assert_true(groom.id == 0);
    assert_int_equal(s->log.count, messages + 1);
    assert_int_equal(s->log.level, PLAIT_LOG_ERROR);
    assert_int_equal(s->log.id, PLAIT_ERROR_INVALID_GROOM);
    if (!mentions(s->log.text, strand) || (vertex >= 0 && !mentions(s->log.text, (uint32_t)vertex))) {
        print_error("strand %u, vertex %d: %s\n", strand, vertex, s->log.text);
        fail();
    }
}

static uint32_t first_vertex(const groom_source *source, uint32_t strand) {
    uint32_t vertex = 0;
    for (uint32_t i = 0; i < strand; ++i) {
        vertex += source->vertex_counts[i];
    }
    return vertex;
}

static void a_position_that_is_not_finite_is_named(void **state) {
    session *s = *state;
    for (uint32_t strand = 0; strand < STRANDS; ++strand) {
        uint32_t vertex = s->groom_source.vertex_counts[strand] - 1;
        float *position = s->groom_source.positions[first_vertex(&s->groom_source, strand) + vertex];
        float good = position[strand % 3];
        position[strand % 3] = strand % 2 ? NAN : INFINITY;
        assert_refused_naming(s, strand, (int)vertex);
        position[strand % 3] = good;
    }
}

static void a_radius_that_is_not_finite_or_below_zero_is_named(void **state) {
    session *s = *state;
    float *radius = &s->groom_source.radii[first_vertex(&s->groom_source, 26) + 5];
    *radius = NAN;
    assert_refused_naming(s, 26, 5);
    *radius = -1e-6f;
    assert_refused_naming(s, 26, 5);
}

static void a_segment_of_length_zero_is_named(void **state) {
    session *s = *state;
    float(*positions)[3] = s->groom_source.positions + first_vertex(&s->groom_source, 23);
    memcpy(positions[8], positions[7], sizeof positions[7]);
    plait_groom groom = {1};
    assert_result(plait_groom_create(s->context, &s->groom_source.desc, &groom), PLAIT_ERROR_INVALID_GROOM);
    assert_true(mentions(s->log.text, 23));
    assert_true(mentions(s->log.text, 7) || mentions(s->log.text, 8));
}

static void a_wrong_number_of_vertices_is_named(void **state) {
    static const uint32_t wrong[] = {0, 1, PLAIT_MAX_STRAND_VERTICES + 1, UINT32_MAX};
    session *s = *state;
    for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
        s->groom_source.vertex_counts[29] = wrong[i];
        assert_refused_naming(s, 29, -1);
    }
}

static void bones_and_groups_out_of_range_are_named(void **state) {
    session *s = *state;
    uint32_t root_bones[STRANDS] = {0};
    s->groom_source.bindings[17].bones[1] = BONES;
    assert_refused_naming(s, 17, -1);
    s->groom_source.bindings[17].bones[1] = 2;
    s->groom_source.group_indices[31] = GROUPS;
    assert_refused_naming(s, 31, -1);
    s->groom_source.group_indices[31] = 0;
    root_bones[19] = UINT32_MAX;
    s->groom_source.desc.root_bindings = NULL;
    s->groom_source.desc.root_bones = root_bones;
    assert_refused_naming(s, 19, -1);
}

static void held_vertices_that_do_not_exist_are_named(void **state) {
    session *s = *state;
    const uint32_t wrong[] = {0, s->groom_source.vertex_counts[13] + 1, UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
        s->groom_source.held_counts[13] = wrong[i];
        assert_refused_naming(s, 13, -1);
        assert_non_null(strstr(s->log.text, "held"));
    }
}

static void weights_that_sum_to_nothing_are_named(void **state) {
    session *s = *state;
    float *weights = s->groom_source.bindings[11].weights;
    memset(weights, 0, 4 * sizeof *weights);
    assert_refused_naming(s, 11, -1);
    weights[0] = -1;
    assert_refused_naming(s, 11, -1);
    weights[1] = NAN;
    assert_refused_naming(s, 11, -1);
}

static void bones_with_weight_zero_are_ignored_wherever_they_point(void **state) {
    session *s = *state;
    plait_groom groom;
    for (uint32_t strand = 0; strand < STRANDS; ++strand) {
        s->groom_source.bindings[strand].bones[3] = UINT32_MAX;
    }
    assert_ok(plait_groom_create(s->context, &s->groom_source.desc, &groom));
    assert_ok(plait_groom_destroy(groom));
}

static void weights_are_scaled_to_sum_to_one_with_a_message(void **state) {
    session *s = *state;
    plait_groom groom;
    assert_int_equal(message_log_count(&s->log, PLAIT_MESSAGE_WEIGHTS_SCALED), 0);
    for (uint32_t strand = 0; strand < STRANDS; ++strand) {
        for (uint32_t i = 0; i < 4; ++i) {
            s->groom_source.bindings[strand].weights[i] *= 3;
        }
    }
    assert_ok(plait_groom_create(s->context, &s->groom_source.desc, &groom));
    assert_true(message_log_count(&s->log, PLAIT_MESSAGE_WEIGHTS_SCALED) > 0);
    assert_ok(plait_groom_destroy(groom));
}

/* Lets the last segment of a strand turn by this angle from the one before. */
static void bend_tip(groom_source *source, uint32_t strand, double degrees) {
    float(*tip)[3] = &source->positions[first_vertex(source, strand) + source->vertex_counts[strand] - 1];
    double angle = degrees * 3.14159265358979 / 180, along[3], aside[3], length = 0, width = 0, shared;
    for (int c = 0; c < 3; ++c) {
        along[c] = (double)tip[-1][c] - (double)tip[-2][c];
        length += along[c] * along[c];
    }
    length = sqrt(length);
    shared = along[0] / length;
    for (int c = 0; c < 3; ++c) {
        along[c] /= length;
        aside[c] = (c == 0) - shared * along[c];
        width += aside[c] * aside[c];
    }
    for (int c = 0; c < 3; ++c) {
        double turned = cos(angle) * along[c] + sin(angle) * aside[c] / sqrt(width);
        tip[0][c] = (float)((double)tip[-1][c] + 0.01 * turned);
    }
}

static void strands_that_fold_back_are_counted_and_the_first_is_named(void **state) {
    session *s = *state;
    plait_groom groom;
    bend_tip(&s->groom_source, 12, 149); /* of 10 vertices */
    bend_tip(&s->groom_source, 8, 149);  /* of 20 */
    assert_ok(plait_groom_create(s->context, &s->groom_source.desc, &groom));
    assert_ok(plait_groom_destroy(groom));
    assert_int_equal(message_log_count(&s->log, PLAIT_MESSAGE_STRANDS_FOLD), 0);
    bend_tip(&s->groom_source, 12, 151);
    bend_tip(&s->groom_source, 8, 179);
    assert_ok(plait_groom_create(s->context, &s->groom_source.desc, &groom));
    assert_ok(plait_groom_destroy(groom));
    assert_int_equal(message_log_count(&s->log, PLAIT_MESSAGE_STRANDS_FOLD), 1);
    assert_int_equal(s->log.id, PLAIT_MESSAGE_STRANDS_FOLD);
    assert_int_equal(s->log.level, PLAIT_LOG_WARNING);
    assert_non_null(strstr(s->log.text, "2 of 37 strands"));
    assert_non_null(strstr(s->log.text, "strand 8 at vertex 18"));
}

static uint64_t identity(session *s) {
    plait_groom_info info = PLAIT_GROOM_INFO_INIT;
    plait_groom groom;
    assert_ok(plait_groom_create(s->context, &s->groom_source.desc, &groom));
    assert_ok(plait_groom_query(groom, &info));
    assert_ok(plait_groom_destroy(groom));
    return info.identity;
}

static void equal_content_has_equal_identity_and_any_change_another(void **state) {
    session *s = *state;
    groom_source *source = &s->groom_source;
    groom_source *copy = malloc(sizeof *copy);
    uint64_t first = identity(s);
    plait_groom_desc desc = source->desc;
    assert_non_null(copy);
    *copy = *source; /* other addresses, same content */
    source->desc.vertex_counts = copy->vertex_counts;
    source->desc.positions = copy->positions[0];
    source->desc.group_indices = copy->group_indices;
    assert_true(identity(s) == first);
    source->desc = desc;
    free(copy);

    source->positions[200][1] = nextafterf(source->positions[200][1], 2);
    assert_true(identity(s) != first);
    source->positions[200][1] = nextafterf(source->positions[200][1], -2);
    source->radii[3] *= 2;
    assert_true(identity(s) != first);
    source->radii[3] /= 2;
    source->group_indices[5] ^= 1;
    assert_true(identity(s) != first);
    source->group_indices[5] ^= 1;
    source->held_counts[8] ^= 3;
    assert_true(identity(s) != first);
    source->held_counts[8] ^= 3;
    source->bindings[7].bones[0] = 0;
    assert_true(identity(s) != first);
    source->bindings[7].bones[0] = 1;
    source->bind_pose[1][3] += 1;
    assert_true(identity(s) != first);
    source->bind_pose[1][3] -= 1;
    source->groups[1].friction += 1;
    assert_true(identity(s) != first);
}

/* What is short enough to be trouble depends on the unit, which a hair knows and a groom does not. */
static void a_segment_too_short_for_the_unit_is_named(void **state) {
    static const float units[] = {1, 0.01f, 100};
    session *s = *state;
    groom_source *source = &s->groom_source;
    uint32_t strand = 5, first = first_vertex(source, strand);
    assert_true(source->vertex_counts[strand] > 3);
    for (size_t i = 0; i < 2 * COUNT_OF(units); ++i) {
        float unit = units[i / 2], length = (i % 2 ? 0.9e-8f : 1.1e-8f) / unit;
        plait_hair_desc desc = session_hair_desc(s);
        plait_hair hair;
        for (uint32_t v = 0; v < source->vertex_counts[strand]; ++v) {
            source->positions[first + v][0] = v < 3 ? 0 : 10.0f * (float)v;
            source->positions[first + v][1] = v < 3 ? length * (v == 1 ? -1.5f : v == 2 ? -0.5f : 0) : 0;
            source->positions[first + v][2] = 0;
        }
        assert_ok(plait_groom_create(s->context, &source->desc, &desc.groom));
        desc.meters_per_unit = unit;
        if (i % 2 == 0) {
            assert_ok(plait_hair_create(s->context, &desc, &hair));
            assert_ok(plait_hair_destroy(hair));
        } else {
            assert_result(plait_hair_create(s->context, &desc, &hair), PLAIT_ERROR_INVALID_GROOM);
            assert_true(mentions(s->log.text, strand) && mentions(s->log.text, 2));
            assert_non_null(strstr(s->log.text, "1e-8"));
        }
        assert_ok(plait_groom_destroy(desc.groom));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_position_that_is_not_finite_is_named, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_radius_that_is_not_finite_or_below_zero_is_named, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_segment_of_length_zero_is_named, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_wrong_number_of_vertices_is_named, open_state, close_state),
        cmocka_unit_test_setup_teardown(bones_and_groups_out_of_range_are_named, open_state, close_state),
        cmocka_unit_test_setup_teardown(held_vertices_that_do_not_exist_are_named, open_state, close_state),
        cmocka_unit_test_setup_teardown(weights_that_sum_to_nothing_are_named, open_state, close_state),
        cmocka_unit_test_setup_teardown(bones_with_weight_zero_are_ignored_wherever_they_point, open_state,
                                        close_state),
        cmocka_unit_test_setup_teardown(a_segment_too_short_for_the_unit_is_named, open_state, close_state),
        cmocka_unit_test_setup_teardown(weights_are_scaled_to_sum_to_one_with_a_message, open_state, close_state),
        cmocka_unit_test_setup_teardown(strands_that_fold_back_are_counted_and_the_first_is_named, open_state,
                                        close_state),
        cmocka_unit_test_setup_teardown(equal_content_has_equal_identity_and_any_change_another, open_state,
                                        close_state),
    };
    return cmocka_run_group_tests_name("groom errors", tests, NULL, NULL);
}
