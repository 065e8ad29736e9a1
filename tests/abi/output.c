/* Output goes where the host says, in the layout it says, and nowhere else. */
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 0xa5, MAX_OUTPUT = MAX_VERTICES * 128 };

static int open_state(void **state) {
    session *s = session_open(NULL);
    session_run(s, 0, 4);
    *state = s;
    return 0;
}

static int close_state(void **state) {
    session_close(*state);
    return 0;
}

static plait_output_attribute attribute_at(uint32_t kind, uint32_t format, uint64_t offset, uint64_t stride) {
    plait_output_attribute attribute = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    attribute.attribute = kind;
    attribute.format = format;
    attribute.offset = offset;
    attribute.stride = stride;
    return attribute;
}

static plait_output_desc output_of(const plait_output_attribute *attributes, uint32_t count, void *memory,
                                   uint64_t size) {
    plait_output_desc desc = PLAIT_OUTPUT_DESC_INIT;
    desc.attribute_count = count;
    desc.attributes = attributes;
    desc.memory = memory;
    desc.size = size;
    return desc;
}

static uint32_t format_size(uint32_t format) { return format == PLAIT_FORMAT_FLOAT32X4 ? 16 : 12; }

/* Bytes up to the end of the last value of an attribute. */
static uint64_t extent(const session *s, const plait_output_attribute *a) {
    return a->offset + (s->groom_source.vertex_count - 1) * a->stride + format_size(a->format);
}

/* Values of one attribute without gaps, [vertices][3], to be freed. */
static float *read_dense(const session *s, uint32_t kind) {
    uint64_t size = 12 * (uint64_t)s->groom_source.vertex_count;
    float *values = malloc(size);
    plait_output_attribute attribute;
    plait_output_desc desc = describe_dense(&attribute, kind, PLAIT_FORMAT_FLOAT32X3, values, size);
    assert_non_null(values);
    assert_ok(plait_hair_read(s->hair, &desc));
    return values;
}

/* Reads what the attributes describe, checks it against the dense values, and restores the guard bytes. */
static void take_out(const session *s, unsigned char *memory, const plait_output_attribute *a, const float *dense) {
    for (uint32_t v = 0; v < s->groom_source.vertex_count; ++v) {
        unsigned char *at = memory + a->offset + v * a->stride;
        float w;
        assert_memory_equal(at, dense + 3 * (size_t)v, 12);
        if (a->format == PLAIT_FORMAT_FLOAT32X4) {
            memcpy(&w, at + 12, sizeof w);
            assert_true(w == (a->attribute == PLAIT_ATTRIBUTE_POSITION ? s->groom_source.radii[v] : 0));
        }
        memset(at, GUARD, format_size(a->format));
    }
}

static void assert_only_guards(const unsigned char *memory, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        if (memory[i] != GUARD) {
            print_error("byte %zu was written\n", i);
            fail();
        }
    }
}

static void any_layout_gets_the_same_values_and_nothing_else_is_touched(void **state) {
    static const struct {
        uint32_t position_format, tangent_format;
        uint64_t position_offset, position_stride, tangent_offset, tangent_stride;
    } layouts[] = {
        {PLAIT_FORMAT_FLOAT32X3, PLAIT_FORMAT_FLOAT32X3, 0, 24, 12, 24},
        {PLAIT_FORMAT_FLOAT32X4, PLAIT_FORMAT_FLOAT32X4, 0, 32, 16, 32},
        {PLAIT_FORMAT_FLOAT32X4, PLAIT_FORMAT_FLOAT32X3, 16, 28, 4, 28},
        {PLAIT_FORMAT_FLOAT32X3, PLAIT_FORMAT_FLOAT32X4, 40, 64, 0, 64},
        {PLAIT_FORMAT_FLOAT32X3, PLAIT_FORMAT_FLOAT32X4, 0, 24, MAX_VERTICES * 24, 16},
        {PLAIT_FORMAT_FLOAT32X4, PLAIT_FORMAT_FLOAT32X4, MAX_VERTICES * 20, 36, 4, 20},
        {PLAIT_FORMAT_FLOAT32X4, PLAIT_FORMAT_FLOAT32X3, 112, 100, 0, 100},
    };
    session *s = *state;
    unsigned char *memory = malloc(MAX_OUTPUT);
    float *positions = read_dense(s, PLAIT_ATTRIBUTE_POSITION);
    float *tangents = read_dense(s, PLAIT_ATTRIBUTE_TANGENT);
    assert_non_null(memory);
    for (size_t i = 0; i < COUNT_OF(layouts); ++i) {
        for (int swapped = 0; swapped < 2; ++swapped) {
            plait_output_attribute attributes[2];
            plait_output_desc desc;
            uint64_t ends[2];
            attributes[swapped] = attribute_at(PLAIT_ATTRIBUTE_POSITION, layouts[i].position_format,
                                               layouts[i].position_offset, layouts[i].position_stride);
            attributes[!swapped] = attribute_at(PLAIT_ATTRIBUTE_TANGENT, layouts[i].tangent_format,
                                                layouts[i].tangent_offset, layouts[i].tangent_stride);
            ends[0] = extent(s, &attributes[0]);
            ends[1] = extent(s, &attributes[1]);
            desc = output_of(attributes, 2, memory, ends[0] > ends[1] ? ends[0] : ends[1]);
            memset(memory, GUARD, MAX_OUTPUT);
            assert_ok(plait_hair_read(s->hair, &desc));
            take_out(s, memory, &attributes[swapped], positions);
            take_out(s, memory, &attributes[!swapped], tangents);
            assert_only_guards(memory, MAX_OUTPUT);

            /* The same through the output of a step that lasts no time. */
            plait_frame_desc pause = PLAIT_FRAME_DESC_INIT;
            assert_ok(plait_hair_set_output(s->hair, &desc));
            assert_ok(plait_hair_step(s->hair, &pause));
            take_out(s, memory, &attributes[swapped], positions);
            take_out(s, memory, &attributes[!swapped], tangents);
            assert_only_guards(memory, MAX_OUTPUT);
            assert_ok(plait_hair_set_output(s->hair, NULL));
        }
    }
    free(positions);
    free(tangents);
    free(memory);
}

static void tangents_have_unit_length(void **state) {
    session *s = *state;
    float *tangents = read_dense(s, PLAIT_ATTRIBUTE_TANGENT);
    for (uint32_t v = 0; v < s->groom_source.vertex_count; ++v) {
        const float *t = tangents + 3 * (size_t)v;
        assert_true(fabsf(sqrtf(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]) - 1) < 1e-5f);
    }
    free(tangents);
}

static void the_previous_position_is_the_position_one_frame_ago(void **state) {
    session *s = *state;
    size_t size = 12 * (size_t)s->groom_source.vertex_count;
    float *memory = malloc(2 * size);
    float *before;
    plait_output_attribute attributes[2] = {
        attribute_at(PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, 0, 12),
        attribute_at(PLAIT_ATTRIBUTE_PREVIOUS_POSITION, PLAIT_FORMAT_FLOAT32X3, size, 12),
    };
    plait_output_desc desc = output_of(attributes, 2, memory, 2 * size);
    assert_non_null(memory);
    assert_ok(plait_hair_set_output(s->hair, &desc));
    session_run(s, 4, 1);
    for (uint32_t frame = 5; frame < 10; ++frame) {
        before = read_dense(s, PLAIT_ATTRIBUTE_POSITION);
        session_run(s, frame, 1);
        assert_memory_equal((char *)memory + size, before, size);
        assert_memory_not_equal(memory, before, size);
        free(before);
    }
    assert_ok(plait_hair_reset(s->hair, BONES, s->bones[0]));
    assert_ok(plait_hair_read(s->hair, &desc));
    assert_memory_equal((char *)memory + size, memory, size);
    session_run(s, 20, 2);
    bones_at(3, s->bones);
    assert_ok(plait_hair_teleport(s->hair, BONES, s->bones[0]));
    assert_ok(plait_hair_read(s->hair, &desc));
    assert_memory_equal((char *)memory + size, memory, size);
    assert_ok(plait_hair_set_output(s->hair, NULL));
    free(memory);
}

static void a_paused_frame_that_moves_bones_has_a_previous_position_too(void **state) {
    session *s = *state;
    size_t size = 12 * (size_t)s->vertex_count;
    static float memory[MAX_VERTICES * 3];
    plait_output_attribute attribute;
    plait_output_desc desc =
        describe_dense(&attribute, PLAIT_ATTRIBUTE_PREVIOUS_POSITION, PLAIT_FORMAT_FLOAT32X3, memory, sizeof memory);
    plait_frame_desc pause;
    float *before;
    assert_ok(plait_hair_set_output(s->hair, &desc));
    session_run(s, 4, 2);
    before = read_dense(s, PLAIT_ATTRIBUTE_POSITION);
    pause = session_frame(s, 20);
    pause.dt = 0;
    assert_ok(plait_hair_step(s->hair, &pause));
    assert_memory_equal(memory, before, size);
    free(before);
}

static void the_previous_position_can_be_read_only_if_it_is_kept(void **state) {
    session *s = *state;
    static float memory[MAX_VERTICES * 3];
    plait_output_attribute attribute;
    plait_output_desc desc =
        describe_dense(&attribute, PLAIT_ATTRIBUTE_PREVIOUS_POSITION, PLAIT_FORMAT_FLOAT32X3, memory, sizeof memory);
    plait_result result = plait_hair_read(s->hair, &desc);
    assert_true(result == PLAIT_ERROR_UNSUPPORTED || result == PLAIT_ERROR_INVALID_ARGUMENT);
    assert_ok(plait_hair_set_output(s->hair, &desc));
    assert_ok(plait_hair_read(s->hair, &desc));
    assert_ok(plait_hair_set_output(s->hair, NULL));
    assert_true(plait_hair_read(s->hair, &desc) < 0);
}

static void the_previous_position_is_forgotten_with_the_output_that_had_it(void **state) {
    session *s = *state;
    static float memory[MAX_VERTICES * 3];
    plait_output_attribute attributes[2];
    plait_output_desc previous = describe_dense(&attributes[0], PLAIT_ATTRIBUTE_PREVIOUS_POSITION,
                                                PLAIT_FORMAT_FLOAT32X3, memory, sizeof memory);
    plait_output_desc position =
        describe_dense(&attributes[1], PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, memory, sizeof memory);
    assert_ok(plait_hair_set_output(s->hair, &previous));
    session_run(s, 4, 2);
    assert_ok(plait_hair_set_output(s->hair, &position));
    session_run(s, 6, 2);
    assert_true(plait_hair_read(s->hair, &previous) < 0);
}

/* Expects an error from both ways to describe an output, nothing written, and the output set before still in use. */
static void assert_refused(session *s, const plait_output_desc *desc, plait_result expected) {
    static float good_memory[MAX_VERTICES * 3];
    plait_output_attribute attribute;
    plait_output_desc good =
        describe_dense(&attribute, PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, good_memory, sizeof good_memory);
    plait_frame_desc pause = PLAIT_FRAME_DESC_INIT;
    float *positions;
    assert_ok(plait_hair_set_output(s->hair, &good));
    assert_result(plait_hair_set_output(s->hair, desc), expected);
    assert_result(plait_hair_read(s->hair, desc), expected);
    memset(good_memory, 0, sizeof good_memory);
    assert_ok(plait_hair_step(s->hair, &pause));
    positions = read_positions(s);
    assert_memory_equal(good_memory, positions, 12 * (size_t)s->groom_source.vertex_count);
    free(positions);
    assert_ok(plait_hair_set_output(s->hair, NULL));
}

static void memory_one_byte_too_small_is_refused(void **state) {
    session *s = *state;
    uint64_t needed = 12 * (uint64_t)s->groom_source.vertex_count;
    unsigned char *memory = malloc(needed);
    plait_output_attribute a = attribute_at(PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, 0, 12);
    plait_output_desc desc = output_of(&a, 1, memory, needed - 1);
    assert_non_null(memory);
    memset(memory, GUARD, needed);
    assert_refused(s, &desc, PLAIT_ERROR_BUFFER_TOO_SMALL);
    desc.size = 0;
    assert_refused(s, &desc, PLAIT_ERROR_BUFFER_TOO_SMALL);
    desc.size = needed;
    a.offset = 4;
    assert_refused(s, &desc, PLAIT_ERROR_BUFFER_TOO_SMALL);
    a = attribute_at(PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, 0, 16);
    assert_refused(s, &desc, PLAIT_ERROR_BUFFER_TOO_SMALL);
    assert_only_guards(memory, needed);
    a.stride = 12;
    assert_ok(plait_hair_read(s->hair, &desc));
    free(memory);
}

/* Sums and products of these overflow 64 bits; wrapped around they would look small. */
static void offsets_and_strides_beyond_all_memory_are_refused(void **state) {
    static const uint64_t wild[] = {(uint64_t)1 << 32, (uint64_t)1 << 62, (uint64_t)1 << 63,
                                    UINT64_MAX - 3,    UINT64_MAX - 11,   UINT64_MAX - 15};
    session *s = *state;
    unsigned char *memory = malloc(MAX_OUTPUT);
    assert_non_null(memory);
    memset(memory, GUARD, MAX_OUTPUT);
    for (size_t i = 0; i < COUNT_OF(wild); ++i) {
        plait_output_attribute a = attribute_at(PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, wild[i], 12);
        plait_output_desc desc = output_of(&a, 1, memory, MAX_OUTPUT);
        plait_result result = plait_hair_set_output(s->hair, &desc);
        assert_true(result == PLAIT_ERROR_BUFFER_TOO_SMALL || result == PLAIT_ERROR_TOO_LARGE);
        assert_refused(s, &desc, result);
        a = attribute_at(PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, 0, wild[i]);
        result = plait_hair_set_output(s->hair, &desc);
        assert_true(result == PLAIT_ERROR_BUFFER_TOO_SMALL || result == PLAIT_ERROR_TOO_LARGE);
        assert_refused(s, &desc, result);
        a.offset = wild[i];
        assert_true(plait_hair_read(s->hair, &desc) < 0);
    }
    /* A stride whose product with the vertex count wraps around to nearly zero. */
    plait_output_attribute a = attribute_at(PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, 0, 0);
    plait_output_desc desc = output_of(&a, 1, memory, MAX_OUTPUT);
    a.stride = (UINT64_MAX / (s->groom_source.vertex_count - 1) + 1 + 3) & ~(uint64_t)3;
    assert_true(plait_hair_read(s->hair, &desc) < 0);
    assert_only_guards(memory, MAX_OUTPUT);
    free(memory);
}

static void attributes_that_overlap_are_refused(void **state) {
    session *s = *state;
    uint32_t vertices = s->groom_source.vertex_count;
    unsigned char *memory = malloc(MAX_OUTPUT);
    const struct {
        uint64_t position_offset, position_stride, tangent_offset, tangent_stride;
    } layouts[] = {
        {0, 12, 0, 12},                           /* the same bytes */
        {0, 24, 8, 24},                           /* one component in common */
        {8, 24, 0, 24},                           /* the same the other way round */
        {0, 12, 12, 12},                          /* the next vertex */
        {0, 12, 12 * (uint64_t)vertices - 4, 12}, /* the last value of one, the first of the other */
        {0, 28, 12, 24},                          /* strides that drift into each other */
        {4, 24, 16 + 24 * 3, 24 + 4},             /* the same, later */
        {16 * (uint64_t)vertices, 12, 0, 24},     /* crosses over at the far end */
    };
    assert_non_null(memory);
    memset(memory, GUARD, MAX_OUTPUT);
    for (size_t i = 0; i < COUNT_OF(layouts); ++i) {
        plait_output_attribute attributes[2] = {
            attribute_at(PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, layouts[i].position_offset,
                         layouts[i].position_stride),
            attribute_at(PLAIT_ATTRIBUTE_TANGENT, PLAIT_FORMAT_FLOAT32X3, layouts[i].tangent_offset,
                         layouts[i].tangent_stride),
        };
        plait_output_desc desc = output_of(attributes, 2, memory, MAX_OUTPUT);
        assert_refused(s, &desc, PLAIT_ERROR_INVALID_ARGUMENT);
    }
    assert_only_guards(memory, MAX_OUTPUT);
    free(memory);
}

static void misaligned_or_unknown_layouts_are_refused(void **state) {
    static const struct {
        uint32_t kind, format;
        uint64_t offset, stride;
    } bad[] = {
        {PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, 2, 12}, /* offset not a multiple of 4 */
        {PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, 0, 13}, /* stride not a multiple of 4 */
        {PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, 0, 0},  /* stride below the format's size */
        {PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, 0, 8},
        {PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X4, 0, 12},
        {PLAIT_ATTRIBUTE_POSITION, 0, 0, 16}, /* no such format */
        {PLAIT_ATTRIBUTE_POSITION, 3, 0, 16},
        {PLAIT_ATTRIBUTE_POSITION, UINT32_MAX, 0, 16},
        {0, PLAIT_FORMAT_FLOAT32X3, 0, 12}, /* no such attribute */
        {4, PLAIT_FORMAT_FLOAT32X3, 0, 12},
        {UINT32_MAX, PLAIT_FORMAT_FLOAT32X3, 0, 12},
    };
    session *s = *state;
    unsigned char *memory = malloc(MAX_OUTPUT);
    plait_output_attribute a = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    plait_output_desc desc = output_of(&a, 1, memory, MAX_OUTPUT);
    assert_non_null(memory);
    memset(memory, GUARD, MAX_OUTPUT);
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
        a = attribute_at(bad[i].kind, bad[i].format, bad[i].offset, bad[i].stride);
        assert_refused(s, &desc, PLAIT_ERROR_INVALID_ARGUMENT);
    }
    a = attribute_at(PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, 0, 12);
    for (int shift = 1; shift < 4; ++shift) {
        desc.memory = memory + shift;
        desc.size = MAX_OUTPUT - 4;
        assert_refused(s, &desc, PLAIT_ERROR_INVALID_ARGUMENT);
    }
    desc.memory = NULL;
    assert_refused(s, &desc, PLAIT_ERROR_INVALID_ARGUMENT);
    desc.memory = memory;
    desc.attributes = NULL;
    assert_refused(s, &desc, PLAIT_ERROR_INVALID_ARGUMENT);
    assert_only_guards(memory, MAX_OUTPUT);
    free(memory);
}

static void wrong_numbers_of_attributes_are_refused(void **state) {
    session *s = *state;
    unsigned char *memory = malloc(MAX_OUTPUT);
    plait_output_attribute attributes[2] = {
        attribute_at(PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, 0, 24),
        attribute_at(PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, 12, 24),
    };
    plait_output_desc desc = output_of(attributes, 2, memory, MAX_OUTPUT);
    assert_non_null(memory);
    memset(memory, GUARD, MAX_OUTPUT);
    assert_refused(s, &desc, PLAIT_ERROR_INVALID_ARGUMENT); /* the same kind twice */
    desc.attribute_count = 0;
    assert_refused(s, &desc, PLAIT_ERROR_INVALID_ARGUMENT);
    desc.attribute_count = 9;
    assert_refused(s, &desc, PLAIT_ERROR_INVALID_ARGUMENT);
    desc.attribute_count = UINT32_MAX;
    assert_refused(s, &desc, PLAIT_ERROR_INVALID_ARGUMENT);
    assert_only_guards(memory, MAX_OUTPUT);
    free(memory);
}

static void an_output_that_is_taken_away_is_not_written_any_more(void **state) {
    session *s = *state;
    size_t size = 12 * (size_t)s->groom_source.vertex_count;
    unsigned char *first = malloc(size), *second = malloc(size);
    plait_output_attribute a;
    plait_output_desc desc = describe_dense(&a, PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, first, size);
    assert_non_null(first);
    assert_non_null(second);
    assert_ok(plait_hair_set_output(s->hair, &desc));
    desc.memory = second;
    assert_ok(plait_hair_set_output(s->hair, &desc));
    memset(first, GUARD, size);
    memset(second, GUARD, size);
    session_run(s, 4, 2);
    assert_only_guards(first, size);
    assert_memory_not_equal(first, second, size);
    assert_ok(plait_hair_set_output(s->hair, NULL));
    free(second);
    session_run(s, 6, 2);
    assert_only_guards(first, size);
    free(first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_layout_gets_the_same_values_and_nothing_else_is_touched, open_state,
                                        close_state),
        cmocka_unit_test_setup_teardown(tangents_have_unit_length, open_state, close_state),
        cmocka_unit_test_setup_teardown(the_previous_position_is_the_position_one_frame_ago, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_paused_frame_that_moves_bones_has_a_previous_position_too, open_state,
                                        close_state),
        cmocka_unit_test_setup_teardown(the_previous_position_can_be_read_only_if_it_is_kept, open_state, close_state),
        cmocka_unit_test_setup_teardown(the_previous_position_is_forgotten_with_the_output_that_had_it, open_state,
                                        close_state),
        cmocka_unit_test_setup_teardown(memory_one_byte_too_small_is_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(offsets_and_strides_beyond_all_memory_are_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(attributes_that_overlap_are_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(misaligned_or_unknown_layouts_are_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(wrong_numbers_of_attributes_are_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(an_output_that_is_taken_away_is_not_written_any_more, open_state, close_state),
    };
    return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
