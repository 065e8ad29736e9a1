/* Saved states: intact ones continue bit for bit wherever they are loaded, others are refused and change nothing. */
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int open_state(void **state) {
    session *s = session_open(NULL);
    session_run(s, 0, 7);
    *state = s;
    return 0;
}

static int close_state(void **state) {
    session_close(*state);
    return 0;
}

/* A session made in the same way but with other frames. */
static session *open_other(const session_options *options) {
    session *s = session_open(options);
    session_run(s, 40, 3);
    return s;
}

static void a_loaded_state_continues_bit_for_bit(void **state) {
    session *s = *state;
    session *other = open_other(NULL);
    blob saved = save(s->hair);
    assert_ok(plait_hair_load(other->hair, saved.bytes, saved.size));
    assert_state(other->hair, &saved);
    for (uint32_t frame = 7; frame < 40; ++frame) {
        blob expected;
        session_run(s, frame, 1);
        session_run(other, frame, 1);
        expected = save(s->hair);
        assert_state(other->hair, &expected);
        free_blob(&expected);
    }
    free_blob(&saved);
    session_close(other);
}

/* Frames that do not fit the step rate carry time over, which is part of the state. */
static void time_left_over_is_saved_too(void **state) {
    session *s = *state;
    session *other = open_other(NULL);
    plait_frame_desc frame = session_frame(s, 8);
    plait_hair_info info = PLAIT_HAIR_INFO_INIT, other_info = PLAIT_HAIR_INFO_INIT;
    blob saved, expected;
    frame.dt = 0.0137f;
    assert_ok(plait_hair_step(s->hair, &frame));
    saved = save(s->hair);
    assert_ok(plait_hair_load(other->hair, saved.bytes, saved.size));
    for (int i = 0; i < 20; ++i) {
        frame.dt = 0.004f + 0.001f * (float)i;
        assert_ok(plait_hair_step(s->hair, &frame));
        assert_ok(plait_hair_step(other->hair, &frame));
    }
    expected = save(s->hair);
    assert_state(other->hair, &expected);
    assert_ok(plait_hair_query(s->hair, &info));
    assert_ok(plait_hair_query(other->hair, &other_info));
    assert_true(info.time_s == other_info.time_s);
    assert_int_equal(info.step_count, other_info.step_count);
    free_blob(&saved);
    free_blob(&expected);
    session_close(other);
}

static void assert_same_output(const session *a, const session *b, int frame) {
    float *of_a = read_positions(a), *of_b = read_positions(b);
    if (memcmp(of_a, of_b, 12 * (size_t)a->vertex_count) != 0) {
        fail_msg("outputs differ, %d frames after the load", frame);
    }
    free(of_a);
    free(of_b);
}

/* Frames that are not whole steps show strands between two steps, a step late, and for a second after the last of them. */
static void output_between_steps_continues_bit_for_bit(void **state) {
    static const float frames[] = {1.0f / 144, 1.0f / 60, 0.0137f, 0};
    session *s = *state;
    session *other = open_other(NULL);
    for (size_t length = 0; length < COUNT_OF(frames); ++length) {
        plait_frame_desc frame = session_frame(s, 8);
        blob saved;
        frame.dt = 0.0117f;
        assert_ok(plait_hair_step(s->hair, &frame));
        if (length % 2) {
            assert_ok(plait_hair_teleport(s->hair, 0, NULL));
        }
        saved = save(s->hair);
        assert_ok(plait_hair_load(other->hair, saved.bytes, saved.size));
        assert_state(other->hair, &saved);
        assert_same_output(s, other, 0);
        for (int i = 1; i < 80; ++i) {
            frame = session_frame(s, 8 + (uint32_t)i);
            frame.dt = frames[length];
            assert_ok(plait_hair_step(s->hair, &frame));
            assert_ok(plait_hair_step(other->hair, &frame));
            assert_same_output(s, other, i);
        }
        free_blob(&saved);
    }
    session_close(other);
}

/* A second after the last frame that was none, whole steps are shown as they are: the loaded hair changes with the other. */
static void how_long_frames_have_been_whole_steps_is_saved_too(void **state) {
    session *s = *state;
    session *other = open_other(NULL);
    blob saved = {0};
    for (int i = 0; i < 80; ++i) {
        plait_frame_desc frame = session_frame(s, 8 + (uint32_t)i);
        frame.dt = (i == 0 ? 0.3f : i == 1 ? 0.7f : 1.0f) / 60;
        assert_ok(plait_hair_step(s->hair, &frame));
        if (i == 30) {
            saved = save(s->hair);
            assert_ok(plait_hair_load(other->hair, saved.bytes, saved.size));
        } else if (i > 30) {
            assert_ok(plait_hair_step(other->hair, &frame));
            assert_same_output(s, other, i - 30);
        }
    }
    free_blob(&saved);
    session_close(other);
}

static void going_back_and_again_gives_the_same(void **state) {
    session *s = *state;
    blob start = save(s->hair), end;
    session_run(s, 7, 20);
    end = save(s->hair);
    assert_ok(plait_hair_load(s->hair, start.bytes, start.size));
    assert_state(s->hair, &start);
    session_run(s, 7, 20);
    assert_state(s->hair, &end);
    free_blob(&start);
    free_blob(&end);
}

static void saving_into_too_little_memory_writes_nothing(void **state) {
    session *s = *state;
    uint64_t size;
    assert_ok(plait_hair_state_size(s->hair, &size));
    for (uint64_t given = 0; given < size; given += 1 + given / 3) {
        unsigned char *memory = calloc(1, given + 1);
        assert_non_null(memory);
        assert_result(plait_hair_save(s->hair, memory, given), PLAIT_ERROR_BUFFER_TOO_SMALL);
        for (uint64_t i = 0; i <= given; ++i) {
            assert_int_equal(memory[i], 0);
        }
        free(memory);
    }
}

static void saving_writes_its_size_and_no_more(void **state) {
    session *s = *state;
    uint64_t size;
    unsigned char *memory;
    assert_ok(plait_hair_state_size(s->hair, &size));
    memory = malloc(size + 64);
    assert_non_null(memory);
    memset(memory, 0xa5, size + 64);
    assert_ok(plait_hair_save(s->hair, memory, size + 64));
    for (uint64_t i = size; i < size + 64; ++i) {
        assert_int_equal(memory[i], 0xa5);
    }
    session_run(s, 7, 5);
    uint64_t later;
    assert_ok(plait_hair_state_size(s->hair, &later));
    assert_int_equal(later, size);
    free(memory);
}

static void saving_and_loading_need_no_alignment(void **state) {
    session *s = *state;
    blob saved = save(s->hair);
    unsigned char *memory = malloc(saved.size + 1);
    assert_non_null(memory);
    assert_ok(plait_hair_save(s->hair, memory + 1, saved.size));
    assert_memory_equal(memory + 1, saved.bytes, saved.size);
    session_run(s, 7, 1);
    assert_ok(plait_hair_load(s->hair, memory + 1, saved.size));
    assert_state(s->hair, &saved);
    free(memory);
    free_blob(&saved);
}

static void a_blob_with_any_byte_damaged_is_refused(void **state) {
    session *s = *state;
    session *other = open_other(NULL);
    blob damaged = save(s->hair), before = save(other->hair);
    for (uint64_t i = 0; i < damaged.size; ++i) {
        unsigned char good = damaged.bytes[i];
        damaged.bytes[i] ^= (unsigned char)(1 << i % 8);
        assert_result(plait_hair_load(other->hair, damaged.bytes, damaged.size), PLAIT_ERROR_INVALID_STATE);
        damaged.bytes[i] = good;
        if (i % 97 == 0) {
            assert_state(other->hair, &before);
        }
    }
    assert_state(other->hair, &before);
    assert_ok(plait_hair_load(other->hair, damaged.bytes, damaged.size));
    free_blob(&damaged);
    free_blob(&before);
    session_close(other);
}

/* In memory of exactly its size, so that a sanitizer finds any read beyond. */
static void a_blob_cut_short_is_refused(void **state) {
    session *s = *state;
    blob saved = save(s->hair);
    session_run(s, 7, 1);
    blob before = save(s->hair);
    for (uint64_t size = 0; size < saved.size; size += 1 + size / 16) {
        unsigned char *shorter = malloc(size + !size);
        assert_non_null(shorter);
        memcpy(shorter, saved.bytes, size);
        assert_result(plait_hair_load(s->hair, shorter, size), PLAIT_ERROR_INVALID_STATE);
        free(shorter);
    }
    assert_result(plait_hair_load(s->hair, saved.bytes, saved.size - 1), PLAIT_ERROR_INVALID_STATE);
    assert_state(s->hair, &before);
    free_blob(&saved);
    free_blob(&before);
}

static void rubbish_is_refused(void **state) {
    session *s = *state;
    blob before = save(s->hair), rubbish = save(s->hair);
    uint64_t sequence = 3;
    for (int round = 0; round < 50; ++round) {
        for (uint64_t i = 0; i < rubbish.size; ++i) {
            rubbish.bytes[i] = round == 0 ? 0 : round == 1 ? 0xff : (unsigned char)next_random(&sequence);
        }
        assert_result(plait_hair_load(s->hair, rubbish.bytes, rubbish.size), PLAIT_ERROR_INVALID_STATE);
    }
    assert_state(s->hair, &before);
    free_blob(&before);
    free_blob(&rubbish);
}

/* As plait_hair_save makes it: FNV-1a over words of eight bytes, of what lies behind it. */
static void seal(blob *state) {
    uint64_t hash = 0xcbf29ce484222325u, at = 16;
    for (; at + 8 <= state->size; at += 8) {
        uint64_t word;
        memcpy(&word, state->bytes + at, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    for (; at < state->size; ++at) {
        hash = (hash ^ state->bytes[at]) * 0x100000001b3u;
    }
    hash ^= hash >> 32;
    memcpy(state->bytes + 8, &hash, sizeof hash);
}

/* Whatever stands in its head and bones, sealed as if it were true: refused, or harmless. */
static void a_forged_blob_does_no_harm(void **state) {
    static const uint32_t words[] = {0, 1, 2, 0x7f800000, 0x7fc00000, 0x7ff00000, 0xffffffff, 0x43000000, 0xbf800000};
    enum { HEAD_AND_BONES = 128 + 3 * BONES * 96 };
    session *s = *state;
    plait_frame_desc frame = session_frame(s, 8);
    uint32_t taken = 0, refused = 0;
    frame.dt = 0.0117f;
    assert_ok(plait_hair_step(s->hair, &frame));
    blob good = save(s->hair), forged = save(s->hair);
    for (uint64_t at = 16; at < HEAD_AND_BONES; at += 4) {
        for (size_t i = 0; i < COUNT_OF(words); ++i) {
            memcpy(forged.bytes, good.bytes, good.size);
            memcpy(forged.bytes + at, &words[i], sizeof words[i]);
            seal(&forged);
            plait_result result = plait_hair_load(s->hair, forged.bytes, forged.size);
            if (result != PLAIT_OK) {
                assert_int_equal(result, PLAIT_ERROR_INVALID_STATE);
                ++refused;
                continue;
            }
            ++taken;
            for (int step = 0; step < 2; ++step) {
                float *positions = read_positions(s);
                assert_true(all_finite(positions, 3 * (size_t)s->vertex_count));
                free(positions);
                assert_ok(plait_hair_step(s->hair, &frame));
            }
            blob after = save(s->hair);
            assert_ok(plait_hair_load(s->hair, after.bytes, after.size));
            free_blob(&after);
        }
    }
    print_message("%u forged states taken, %u refused\n", taken, refused);
    assert_true(taken > 0 && refused > 0);
    free_blob(&good);
    free_blob(&forged);
}

static void a_blob_of_another_version_is_refused_by_name(void **state) {
    session *s = *state;
    blob old = save(s->hair);
    uint32_t version = 1;
    memcpy(old.bytes + 16, &version, sizeof version);
    seal(&old);
    assert_result(plait_hair_load(s->hair, old.bytes, old.size), PLAIT_ERROR_INVALID_STATE);
    assert_non_null(strstr(s->log.text, "version"));
    free_blob(&old);
}

static void a_state_of_another_groom_is_refused(void **state) {
    session *s = *state;
    blob saved = save(s->hair), before;
    session other = *s;
    plait_hair_desc desc;
    float *coordinate = &s->groom_source.positions[50][2];
    *coordinate = nextafterf(*coordinate, 10);
    assert_ok(plait_groom_create(s->context, &s->groom_source.desc, &other.groom));
    desc = session_hair_desc(&other);
    assert_ok(plait_hair_create(s->context, &desc, &other.hair));
    before = save(other.hair);
    assert_int_equal(before.size, saved.size);
    assert_result(plait_hair_load(other.hair, saved.bytes, saved.size), PLAIT_ERROR_INVALID_STATE);
    assert_state(other.hair, &before);
    free_blob(&saved);
    free_blob(&before);
}

static void a_state_of_another_solver_is_refused(void **state) {
    session *s = *state;
    blob saved = save(s->hair), before;
    session other = *s;
    other.solver = s->solver == PLAIT_SOLVER_SHAPE ? PLAIT_SOLVER_HYBRID : PLAIT_SOLVER_SHAPE;
    plait_hair_desc desc = session_hair_desc(&other);
    assert_ok(plait_hair_create(s->context, &desc, &other.hair));
    before = save(other.hair);
    assert_true(before.size != saved.size); /* rods turn about themselves */
    assert_result(plait_hair_load(other.hair, saved.bytes, saved.size), PLAIT_ERROR_INVALID_STATE);
    assert_state(other.hair, &before);
    assert_result(plait_hair_load(s->hair, before.bytes, before.size), PLAIT_ERROR_INVALID_STATE);
    assert_state(s->hair, &saved);
    free_blob(&saved);
    free_blob(&before);
}

static void a_state_of_the_same_groom_made_again_is_welcome(void **state) {
    session *s = *state;
    blob saved = save(s->hair);
    session other = *s;
    plait_hair_desc desc;
    assert_ok(plait_groom_create(s->context, &s->groom_source.desc, &other.groom));
    desc = session_hair_desc(&other);
    assert_ok(plait_hair_create(s->context, &desc, &other.hair));
    assert_ok(plait_hair_load(other.hair, saved.bytes, saved.size));
    assert_state(other.hair, &saved);
    free_blob(&saved);
}

static void a_state_fits_a_hair_of_another_step_rate_or_substeps(void **state) {
    session *s = *state;
    blob saved = save(s->hair);
    plait_hair_desc desc = session_hair_desc(s);
    plait_hair hair;
    desc.step_rate_hz = 120;
    desc.substeps = 5;
    assert_ok(plait_hair_create(s->context, &desc, &hair));
    assert_ok(plait_hair_load(hair, saved.bytes, saved.size));
    assert_state(hair, &saved);
    free_blob(&saved);
}

/* A hair with one step per second may carry nearly a second; the other carries at most its own step. */
static void time_left_over_from_slow_steps_is_not_made_up_in_one_frame(void **state) {
    session *s = *state;
    plait_hair_desc desc = session_hair_desc(s);
    plait_hair slow, fast;
    plait_frame_desc frame = session_frame(s, 0);
    plait_hair_info before = PLAIT_HAIR_INFO_INIT, after = PLAIT_HAIR_INFO_INIT;
    blob saved;
    assert_ok(plait_hair_create(s->context, &desc, &fast));
    desc.step_rate_hz = 1;
    desc.substeps = 1;
    assert_ok(plait_hair_create(s->context, &desc, &slow));
    frame.dt = 0.09f;
    for (int i = 0; i < 10; ++i) {
        assert_ok(plait_hair_step(slow, &frame));
    }
    saved = save(slow);
    assert_ok(plait_hair_load(fast, saved.bytes, saved.size));
    assert_ok(plait_hair_query(fast, &before));
    frame.dt = 1.0f / 60;
    assert_ok(plait_hair_step(fast, &frame));
    assert_ok(plait_hair_query(fast, &after));
    assert_in_range(after.step_count - before.step_count, 1, 2);
    free_blob(&saved);
}

/* A hair's own state can always be loaded again. */
static void every_saved_state_can_be_loaded_again(void **state) {
    static const float units[] = {1e-4f, 0.01f, 1, 1000};
    static const float places[] = {0, 100, 1e6f, 1e8f};
    session *s = *state;
    for (size_t i = 0; i < COUNT_OF(units) * COUNT_OF(places); ++i) {
        plait_hair_desc desc = session_hair_desc(s);
        session other = *s;
        blob saved;
        desc.meters_per_unit = units[i % COUNT_OF(units)];
        assert_ok(plait_hair_create(s->context, &desc, &other.hair));
        for (uint32_t bone = 0; bone < BONES; ++bone) {
            other.bones[bone][3] += places[i / COUNT_OF(units)];
        }
        assert_ok(plait_hair_reset(other.hair, BONES, other.bones[0]));
        for (int frame = 0; frame < 3; ++frame) {
            plait_frame_desc still = PLAIT_FRAME_DESC_INIT;
            still.dt = 0.01f;
            assert_ok(plait_hair_step(other.hair, &still));
        }
        saved = save(other.hair);
        assert_ok(plait_hair_load(other.hair, saved.bytes, saved.size));
        assert_state(other.hair, &saved);
        free_blob(&saved);
        assert_ok(plait_hair_destroy(other.hair));
    }
}

static void parameters_body_and_output_are_not_part_of_a_state(void **state) {
    session *s = *state;
    blob saved = save(s->hair);
    static float memory[MAX_VERTICES * 3];
    plait_output_attribute attribute;
    plait_output_desc output =
        describe_dense(&attribute, PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, memory, sizeof memory);
    s->params[0].compliance_root_s2 *= 3;
    s->rods[0].bend_modulus *= 3;
    assert_ok(plait_hair_set_params(s->hair, 1, session_params(s)));
    assert_ok(plait_hair_set_body(s->hair, (plait_body){0}));
    assert_ok(plait_hair_set_output(s->hair, &output));
    assert_state(s->hair, &saved);
    session_run(s, 7, 3);
    assert_ok(plait_hair_load(s->hair, saved.bytes, saved.size));
    assert_state(s->hair, &saved);
    free_blob(&saved);
}

static int has_instruction_set(uint32_t instruction_set) {
    plait_context context;
    plait_device_cpu_desc cpu = PLAIT_DEVICE_CPU_DESC_INIT;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_device device;
    plait_result result;
    cpu.instruction_set = instruction_set;
    desc.backend = PLAIT_BACKEND_CPU;
    desc.head.next = &cpu;
    assert_ok(plait_context_create(NULL, &context));
    result = plait_device_open(context, &desc, &device);
    assert_true(result == PLAIT_OK || result == PLAIT_ERROR_UNAVAILABLE);
    assert_ok(plait_context_destroy(context));
    return result == PLAIT_OK;
}

static void every_instruction_set_gives_the_same_blob_and_loads_that_of_the_others(void **state) {
    session_options options = {0};
    session *reference;
    blob start, end;
    (void)state;
    options.instruction_set = PLAIT_CPU_SCALAR;
    reference = session_open(&options);
    session_run(reference, 0, 10);
    start = save(reference->hair);
    session_run(reference, 10, 30);
    end = save(reference->hair);
    for (uint32_t set = PLAIT_CPU_AUTO; set <= PLAIT_CPU_NEON; ++set) {
        session *s;
        if (!has_instruction_set(set)) {
            print_message("instruction set %u is not available on this machine\n", set);
            continue;
        }
        options.instruction_set = set;
        s = session_open(&options);
        session_run(s, 0, 10);
        assert_state(s->hair, &start);
        session_run(s, 70, 3);
        assert_ok(plait_hair_load(s->hair, start.bytes, start.size));
        session_run(s, 10, 30);
        assert_state(s->hair, &end);
        session_close(s);
    }
    free_blob(&start);
    free_blob(&end);
    session_close(reference);
}

static void the_null_device_loads_a_state_and_keeps_it(void **state) {
    session *s = *state;
    session_options options = {0};
    session *still;
    blob saved = save(s->hair), after;
    float *positions, *there;
    options.backend = PLAIT_BACKEND_NULL;
    still = session_open(&options);
    assert_ok(plait_hair_load(still->hair, saved.bytes, saved.size));
    assert_state(still->hair, &saved);
    positions = read_positions(s);
    there = read_positions(still);
    assert_memory_equal(positions, there, 12 * (size_t)s->groom_source.vertex_count);
    session_run(still, 7, 2);
    after = save(still->hair);
    assert_ok(plait_hair_load(s->hair, after.bytes, after.size));
    free(positions);
    free(there);
    free_blob(&saved);
    free_blob(&after);
    session_close(still);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_loaded_state_continues_bit_for_bit, open_state, close_state),
        cmocka_unit_test_setup_teardown(time_left_over_is_saved_too, open_state, close_state),
        cmocka_unit_test_setup_teardown(output_between_steps_continues_bit_for_bit, open_state, close_state),
        cmocka_unit_test_setup_teardown(how_long_frames_have_been_whole_steps_is_saved_too, open_state, close_state),
        cmocka_unit_test_setup_teardown(going_back_and_again_gives_the_same, open_state, close_state),
        cmocka_unit_test_setup_teardown(saving_into_too_little_memory_writes_nothing, open_state, close_state),
        cmocka_unit_test_setup_teardown(saving_writes_its_size_and_no_more, open_state, close_state),
        cmocka_unit_test_setup_teardown(saving_and_loading_need_no_alignment, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_blob_with_any_byte_damaged_is_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_blob_cut_short_is_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(rubbish_is_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_forged_blob_does_no_harm, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_blob_of_another_version_is_refused_by_name, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_state_of_another_groom_is_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_state_of_another_solver_is_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_state_of_the_same_groom_made_again_is_welcome, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_state_fits_a_hair_of_another_step_rate_or_substeps, open_state, close_state),
        cmocka_unit_test_setup_teardown(time_left_over_from_slow_steps_is_not_made_up_in_one_frame, open_state,
                                        close_state),
        cmocka_unit_test_setup_teardown(every_saved_state_can_be_loaded_again, open_state, close_state),
        cmocka_unit_test_setup_teardown(parameters_body_and_output_are_not_part_of_a_state, open_state, close_state),
        cmocka_unit_test(every_instruction_set_gives_the_same_blob_and_loads_that_of_the_others),
        cmocka_unit_test_setup_teardown(the_null_device_loads_a_state_and_keeps_it, open_state, close_state),
    };
    return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
