/* Input structs from hosts older and newer than the library, and from hosts with errors. */
#include "inputs.h"

#include <stdlib.h>
#include <string.h>

#include "../platform/system.h"

static int open_state(void **state) {
    *state = session_open(NULL);
    return 0;
}

static int close_state(void **state) {
    session_close(*state);
    return 0;
}

static void put(unsigned char *where, size_t offset, uint32_t value) { memcpy(where + offset, &value, sizeof value); }

static void put_next(unsigned char *where, const void *next) {
    memcpy(where + offsetof(plait_head, next), &next, sizeof next);
}

/* A good array whose heads claim another size. */
static unsigned char *make_input_of_size(const input *in, const session *s, uint32_t size) {
    unsigned char *array = make_input(in, s, in->size);
    for (uint32_t i = 0; i < in->elements; ++i) {
        put(array + i * in->size, offsetof(plait_head, size), size);
    }
    return array;
}

/* Passes the array, frees it, and expects this result, in the log too. */
static void expect(const input *in, session *s, unsigned char *array, plait_result expected, const char *why) {
    uint64_t effect = 0;
    uint32_t messages = s->log.count;
    plait_result result = in->pass(s, array, &effect);
    free(array);
    if (result != expected) {
        print_error("%s with %s gave %d, expected %d; last message: %s\n", in->name, why, result, expected,
                    s->log.text);
        fail();
    }
    if (result < 0 && !in->before_context) {
        assert_true(s->log.count > messages);
        assert_int_equal(s->log.id, result);
        assert_int_equal(s->log.level, PLAIT_LOG_ERROR);
        assert_true(s->log.text[0] != 0);
        assert_null(strchr(s->log.text, '\n'));
    }
}

#define FOR_EACH_INPUT(in) for (const input *in = inputs; in < inputs + input_count; ++in)

static void good_structs_are_accepted(void **state) {
    session *s = *state;
    FOR_EACH_INPUT(in) { expect(in, s, make_input(in, s, in->size), PLAIT_OK, "good values"); }
}

/* The memory ends where the short struct ends, so that a sanitizer finds any read beyond it. */
static void a_shorter_struct_means_the_same_as_one_with_a_tail_of_zeros(void **state) {
    session *s = *state;
    FOR_EACH_INPUT(in) {
        for (uint32_t size = sizeof(plait_head); size < in->size; size += 8) {
            unsigned char *shorter, *zeroed;
            uint64_t effect_of_shorter = 0, effect_of_zeroed = 0;
            plait_result result_of_shorter, result_of_zeroed;
            shorter = make_input(in, s, size);
            zeroed = make_input(in, s, in->size);
            for (uint32_t i = 0; i < in->elements; ++i) {
                memset(zeroed + i * in->size + size, 0, in->size - size);
            }
            result_of_shorter = in->pass(s, shorter, &effect_of_shorter);
            result_of_zeroed = in->pass(s, zeroed, &effect_of_zeroed);
            if (result_of_shorter != result_of_zeroed || effect_of_shorter != effect_of_zeroed) {
                print_error("%s cut to %u bytes gave %d, with a tail of zeros %d\n", in->name, size, result_of_shorter,
                            result_of_zeroed);
                fail();
            }
            free(shorter);
            free(zeroed);
        }
    }
}

static void an_older_frame_without_wind_is_a_frame_in_still_air(void **state) {
    session *s = *state;
    plait_frame_desc frame = session_frame(s, 0);
    blob start = save(s->hair), still;
    memset(frame.gravity, 0, sizeof frame.gravity);
    memset(frame.wind, 0, sizeof frame.wind);
    assert_ok(plait_hair_step(s->hair, &frame));
    still = save(s->hair);
    assert_ok(plait_hair_load(s->hair, start.bytes, start.size));
    frame.wind[0] = 30;
    frame.head.size = offsetof(plait_frame_desc, gravity);
    assert_ok(plait_hair_step(s->hair, &frame));
    assert_state(s->hair, &still);
    free_blob(&start);
    free_blob(&still);
}

/* Every struct has a pointer in its head, so its size is a multiple of 8. */
static void a_size_that_no_struct_has_is_refused(void **state) {
    session *s = *state;
    FOR_EACH_INPUT(in) {
        for (uint32_t size = 0; size < in->size + 64; ++size) {
            if (size < sizeof(plait_head) || size % 8 != 0) {
                expect(in, s, make_input_of_size(in, s, size), PLAIT_ERROR_INVALID_STRUCT, "an odd size");
            }
        }
        expect(in, s, make_input_of_size(in, s, 0x80000000u), PLAIT_ERROR_INVALID_STRUCT, "a wild size");
        expect(in, s, make_input_of_size(in, s, 0xfffffff8u), PLAIT_ERROR_INVALID_STRUCT, "a wild size");
    }
}

static void a_longer_struct_with_a_tail_of_zeros_is_accepted(void **state) {
    static const uint32_t longer[] = {8, 16, 104, 1000};
    session *s = *state;
    FOR_EACH_INPUT(in) {
        for (size_t i = 0; i < COUNT_OF(longer); ++i) {
            expect(in, s, make_input(in, s, in->size + longer[i]), PLAIT_OK, "a tail of zeros");
        }
    }
}

static void a_longer_struct_with_anything_in_its_tail_is_refused(void **state) {
    session *s = *state;
    FOR_EACH_INPUT(in) {
        for (uint32_t element = 0; element < in->elements; ++element) {
            for (uint32_t at = 0; at < 24; ++at) {
                uint32_t size = in->size + 24;
                unsigned char *array = make_input(in, s, size);
                array[element * size + in->size + at] = 1;
                expect(in, s, array, PLAIT_ERROR_INVALID_STRUCT, "something in the tail");
            }
        }
    }
}

static void the_wrong_type_is_refused(void **state) {
    static const uint32_t types[] = {0, PLAIT_TYPE_LIBRARY_INFO, 23, 0x80000000u, UINT32_MAX};
    session *s = *state;
    FOR_EACH_INPUT(in) {
        /* A chained struct is identified by its type only, so it cannot have a wrong one. */
        static const char *const chained = "plait_device_cpu_desc plait_groom_mesh_desc plait_mesh_pose_desc";
        plait_result expected = strstr(chained, in->name) ? PLAIT_ERROR_UNKNOWN_EXTENSION : PLAIT_ERROR_INVALID_STRUCT;
        for (size_t i = 0; i < COUNT_OF(types); ++i) {
            unsigned char *array = make_input(in, s, in->size);
            put(array, offsetof(plait_head, type), types[i]);
            expect(in, s, array, expected, "the wrong type");
        }
    }
}

static void elements_of_an_array_must_have_the_head_of_the_first(void **state) {
    session *s = *state;
    FOR_EACH_INPUT(in) {
        for (uint32_t element = 1; element < in->elements; ++element) {
            unsigned char *array = make_input(in, s, in->size);
            put(array + element * in->size, offsetof(plait_head, size), in->size - 8);
            expect(in, s, array, PLAIT_ERROR_INVALID_STRUCT, "an element of another size");
            array = make_input(in, s, in->size);
            put(array + element * in->size, offsetof(plait_head, type), PLAIT_TYPE_LOGGER);
            expect(in, s, array, PLAIT_ERROR_INVALID_STRUCT, "an element of another type");
        }
    }
}

static void an_unknown_struct_in_the_chain_is_refused(void **state) {
    session *s = *state;
    plait_head unknown = {1000, sizeof unknown, NULL};
    plait_library_info out_of_place = PLAIT_LIBRARY_INFO_INIT;
    FOR_EACH_INPUT(in) {
        for (uint32_t element = 0; element < in->elements; ++element) {
            unsigned char *array = make_input(in, s, in->size);
            put_next(array + element * in->size, &unknown);
            expect(in, s, array, PLAIT_ERROR_UNKNOWN_EXTENSION, "an unknown struct in the chain");
            array = make_input(in, s, in->size);
            put_next(array + element * in->size, &out_of_place);
            expect(in, s, array, PLAIT_ERROR_UNKNOWN_EXTENSION, "a known struct that is out of place in the chain");
        }
    }
}

/* So near to the end of what is mapped that not even a type could be read there. */
static void a_struct_in_the_chain_that_is_not_aligned_is_refused_unread(void **state) {
    session *s = *state;
    unsigned char *end = pages_open();
    assert_non_null(end);
    FOR_EACH_INPUT(in) {
        for (size_t before_end = 1; before_end < 8; ++before_end) {
            unsigned char *array = make_input(in, s, in->size);
            put_next(array, end - before_end);
            expect(in, s, array, PLAIT_ERROR_INVALID_STRUCT, "a struct in the chain that is not aligned");
            if (!in->before_context) {
                /* the second of its chain where the struct is itself in one */
                if (!strstr(s->log.text, ".head.next is not") && !strstr(s->log.text, ".head.next[1] is not")) {
                    print_error("%s: \"%s\" does not name head.next\n", in->name, s->log.text);
                    fail();
                }
            }
        }
    }
    pages_close(end);
}

static void the_extension_of_one_struct_is_unknown_to_all_others(void **state) {
    session *s = *state;
    plait_device_cpu_desc cpu = PLAIT_DEVICE_CPU_DESC_INIT;
    FOR_EACH_INPUT(in) {
        unsigned char *array = make_input(in, s, in->size);
        if (strncmp(in->name, "plait_device", 12) == 0) {
            free(array);
            continue;
        }
        put_next(array, &cpu);
        expect(in, s, array, PLAIT_ERROR_UNKNOWN_EXTENSION, "the extension of another struct");
    }
}

static void a_chain_that_bites_its_tail_is_an_error_and_not_a_hang(void **state) {
    session *s = *state;
    plait_device_cpu_desc first = PLAIT_DEVICE_CPU_DESC_INIT, second = PLAIT_DEVICE_CPU_DESC_INIT;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_device device = {1};
    FOR_EACH_INPUT(in) {
        unsigned char *array = make_input(in, s, in->size);
        uint64_t effect;
        put_next(array, array);
        assert_true(in->pass(s, array, &effect) < 0);
        free(array);
    }
    desc.backend = PLAIT_BACKEND_CPU;
    desc.head.next = &first;
    first.head.next = &first;
    assert_true(plait_device_open(s->context, &desc, &device) < 0);
    first.head.next = &second;
    second.head.next = &first;
    assert_true(plait_device_open(s->context, &desc, &device) < 0);
    second.head.next = &desc;
    assert_true(plait_device_open(s->context, &desc, &device) < 0);
    assert_true(device.id == 0);
}

static void reserved_fields_must_be_zero(void **state) {
    session *s = *state;
    FOR_EACH_INPUT(in) {
        for (uint32_t element = 0; in->reserved && element < in->elements; ++element) {
            for (int bit = 0; bit < 32; bit += 31) {
                unsigned char *array = make_input(in, s, in->size);
                put(array + element * in->size, in->reserved, 1u << bit);
                expect(in, s, array, PLAIT_ERROR_INVALID_ARGUMENT, "something in the reserved field");
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(good_structs_are_accepted, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_shorter_struct_means_the_same_as_one_with_a_tail_of_zeros, open_state,
                                        close_state),
        cmocka_unit_test_setup_teardown(an_older_frame_without_wind_is_a_frame_in_still_air, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_size_that_no_struct_has_is_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_longer_struct_with_a_tail_of_zeros_is_accepted, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_longer_struct_with_anything_in_its_tail_is_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(the_wrong_type_is_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(elements_of_an_array_must_have_the_head_of_the_first, open_state, close_state),
        cmocka_unit_test_setup_teardown(an_unknown_struct_in_the_chain_is_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_struct_in_the_chain_that_is_not_aligned_is_refused_unread, open_state,
                                        close_state),
        cmocka_unit_test_setup_teardown(the_extension_of_one_struct_is_unknown_to_all_others, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_chain_that_bites_its_tail_is_an_error_and_not_a_hang, open_state,
                                        close_state),
        cmocka_unit_test_setup_teardown(reserved_fields_must_be_zero, open_state, close_state),
    };
    return cmocka_run_group_tests_name("structs that go in", tests, NULL, NULL);
}
