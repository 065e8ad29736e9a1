/* Output structs: the library writes what the host has room for, zeros fields that only the host knows, and writes
 * nothing beyond. */
#include "session.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_INFOS = 24, GUARD = 0xa5 };

/* A call that fills one info, or an array of them. */
typedef struct query {
    const char *name;
    uint32_t type;
    uint32_t size;
    plait_result (*one)(session *s, void *info);
    plait_result (*list)(session *s, uint32_t *count, void *infos);
} query;

static plait_result query_library(session *s, void *info) {
    (void)s;
    return plait_library_query(info);
}

static plait_result default_params(session *s, void *info) {
    (void)s;
    return plait_shape_params_default(1, info);
}

static plait_result default_rods(session *s, void *info) {
    (void)s;
    return plait_hybrid_params_default(1, info);
}

static plait_result default_volume(session *s, void *info) {
    (void)s;
    return plait_volume_params_default(1, info);
}

static plait_result query_volume(session *s, void *info) { return plait_hair_volume(s->hair, info); }

static plait_result default_render(session *s, void *info) {
    (void)s;
    return plait_render_params_default(info);
}

static plait_result default_style(session *s, void *info) {
    (void)s;
    return plait_render_style_default(info);
}

static plait_result query_binding(session *s, void *info) { return plait_binding_query(s->binding, info); }

static plait_result query_device(session *s, void *info) { return plait_device_query(s->device, info); }

static plait_result query_groom(session *s, void *info) { return plait_groom_query(s->groom, info); }

static plait_result query_hair(session *s, void *info) { return plait_hair_query(s->hair, info); }

static plait_result query_stats(session *s, void *info) { return plait_hair_stats(s->hair, info); }

static plait_result list_backends(session *s, uint32_t *count, void *infos) {
    return plait_backend_enumerate(s->context, count, infos);
}

static plait_result list_devices(session *s, uint32_t *count, void *infos) {
    return plait_device_enumerate(s->context, count, infos);
}

static plait_result list_stages(session *s, uint32_t *count, void *infos) {
    return plait_hair_stages(s->hair, count, infos);
}

static const query queries[] = {
    {"plait_library_query", PLAIT_TYPE_LIBRARY_INFO, sizeof(plait_library_info), query_library, NULL},
    {"plait_shape_params_default", PLAIT_TYPE_SHAPE_PARAMS, sizeof(plait_shape_params), default_params, NULL},
    {"plait_hybrid_params_default", PLAIT_TYPE_HYBRID_PARAMS, sizeof(plait_hybrid_params), default_rods, NULL},
    {"plait_volume_params_default", PLAIT_TYPE_VOLUME_PARAMS, sizeof(plait_volume_params), default_volume, NULL},
    {"plait_hair_volume", PLAIT_TYPE_VOLUME_INFO, sizeof(plait_volume_info), query_volume, NULL},
    {"plait_render_params_default", PLAIT_TYPE_RENDER_PARAMS, sizeof(plait_render_params), default_render, NULL},
    {"plait_render_style_default", PLAIT_TYPE_RENDER_STYLE, sizeof(plait_render_style), default_style, NULL},
    {"plait_binding_query", PLAIT_TYPE_BINDING_INFO, sizeof(plait_binding_info), query_binding, NULL},
    {"plait_device_query", PLAIT_TYPE_DEVICE_INFO, sizeof(plait_device_info), query_device, NULL},
    {"plait_groom_query", PLAIT_TYPE_GROOM_INFO, sizeof(plait_groom_info), query_groom, NULL},
    {"plait_hair_query", PLAIT_TYPE_HAIR_INFO, sizeof(plait_hair_info), query_hair, NULL},
    {"plait_hair_stats", PLAIT_TYPE_STATS_INFO, sizeof(plait_stats_info), query_stats, NULL},
    {"plait_backend_enumerate", PLAIT_TYPE_BACKEND_INFO, sizeof(plait_backend_info), NULL, list_backends},
    {"plait_device_enumerate", PLAIT_TYPE_DEVICE_INFO, sizeof(plait_device_info), NULL, list_devices},
    {"plait_hair_stages", PLAIT_TYPE_STAGE_INFO, sizeof(plait_stage_info), NULL, list_stages},
};

#define FOR_EACH_QUERY(q) for (const query *q = queries; q < queries + COUNT_OF(queries); ++q)

static int open_state(void **state) {
    session *s = session_open(NULL);
    session_run(s, 0, 2);
    *state = s;
    return 0;
}

static int close_state(void **state) {
    session_close(*state);
    return 0;
}

static uint32_t available(const query *q, session *s) {
    uint32_t count = 0;
    if (q->one) {
        return 1;
    }
    assert_ok(q->list(s, &count, NULL));
    assert_in_range(count, 1, MAX_INFOS);
    return count;
}

/* An array of infos of this size full of guard bytes except for the heads, with a guard behind it. To be freed. */
static unsigned char *make_infos(const query *q, uint32_t count, uint32_t size) {
    plait_head head = {q->type, size, NULL};
    unsigned char *infos = malloc((size_t)count * size + 64);
    assert_non_null(infos);
    memset(infos, GUARD, (size_t)count * size + 64);
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(infos + (size_t)i * size, &head, sizeof head);
    }
    return infos;
}

static plait_result call(const query *q, session *s, uint32_t *count, void *infos) {
    return q->one ? q->one(s, infos) : q->list(s, count, infos);
}

static int is_filled_with(const unsigned char *bytes, size_t size, unsigned char value) {
    for (size_t i = 0; i < size; ++i) {
        if (bytes[i] != value) {
            return 0;
        }
    }
    return 1;
}

static void an_info_of_any_size_gets_what_fits_and_zeros_beyond(void **state) {
    session *s = *state;
    FOR_EACH_QUERY(q) {
        uint32_t count = available(q, s);
        unsigned char *whole = make_infos(q, count, q->size);
        assert_ok(call(q, s, &count, whole));
        for (uint32_t size = sizeof(plait_head); size <= q->size + 96; size += 8) {
            unsigned char *infos = make_infos(q, count, size);
            uint32_t written = count;
            uint32_t common = size < q->size ? size : q->size;
            plait_head head = {q->type, size, NULL};
            assert_ok(call(q, s, &written, infos));
            assert_int_equal(written, count);
            for (uint32_t i = 0; i < count; ++i) {
                const unsigned char *info = infos + (size_t)i * size;
                assert_memory_equal(info, &head, sizeof head);
                assert_memory_equal(info + sizeof head, whole + (size_t)i * q->size + sizeof head,
                                    common - sizeof head);
                assert_true(is_filled_with(info + common, size - common, 0));
            }
            assert_true(is_filled_with(infos + (size_t)count * size, 64, GUARD));
            free(infos);
        }
        free(whole);
    }
}

static void a_wrong_head_is_refused_and_nothing_written(void **state) {
    static const uint32_t sizes[] = {0, 8, 15, 17, 20, 0x80000000u, 0xfffffff8u, UINT32_MAX};
    static const uint32_t types[] = {0, PLAIT_TYPE_LOGGER, 1000, UINT32_MAX};
    session *s = *state;
    FOR_EACH_QUERY(q) {
        uint32_t count = 1;
        for (size_t i = 0; i < COUNT_OF(sizes) + COUNT_OF(types); ++i) {
            unsigned char *info = make_infos(q, 1, q->size);
            plait_head head = {i < COUNT_OF(types) ? types[i] : q->type, q->size, NULL};
            head.size = i < COUNT_OF(types) ? q->size : sizes[i - COUNT_OF(types)];
            memcpy(info, &head, sizeof head);
            assert_result(call(q, s, &count, info), PLAIT_ERROR_INVALID_STRUCT);
            assert_memory_equal(info, &head, sizeof head);
            assert_true(is_filled_with(info + sizeof head, q->size - sizeof head + 64, GUARD));
            assert_int_equal(count, 1);
            free(info);
        }
    }
}

static void an_extension_of_an_info_is_refused(void **state) {
    session *s = *state;
    plait_head unknown = {1000, sizeof unknown, NULL};
    FOR_EACH_QUERY(q) {
        uint32_t count = 1;
        unsigned char *info = make_infos(q, 1, q->size);
        plait_head head = {q->type, q->size, &unknown};
        memcpy(info, &head, sizeof head);
        assert_result(call(q, s, &count, info), PLAIT_ERROR_UNKNOWN_EXTENSION);
        assert_true(is_filled_with(info + sizeof head, q->size - sizeof head + 64, GUARD));
        head.next = info; /* a cyclic chain */
        memcpy(info, &head, sizeof head);
        assert_result(call(q, s, &count, info), PLAIT_ERROR_UNKNOWN_EXTENSION);
        free(info);
    }
}

static void a_list_with_too_little_room_is_incomplete(void **state) {
    session *s = *state;
    FOR_EACH_QUERY(q) {
        uint32_t all = available(q, s);
        for (uint32_t room = 0; q->list && room < all; ++room) {
            uint32_t count = room;
            unsigned char *infos = make_infos(q, all, q->size);
            assert_result(q->list(s, &count, infos), PLAIT_INCOMPLETE);
            assert_int_equal(count, room);
            for (uint32_t i = room; i < all; ++i) {
                assert_true(is_filled_with(infos + (size_t)i * q->size + sizeof(plait_head),
                                           q->size - sizeof(plait_head), GUARD));
            }
            free(infos);
        }
    }
}

static void a_list_with_more_room_than_needed_writes_what_there_is(void **state) {
    session *s = *state;
    FOR_EACH_QUERY(q) {
        uint32_t all = available(q, s);
        if (q->list) {
            uint32_t count = all + 2;
            unsigned char *infos = make_infos(q, all + 2, q->size);
            assert_ok(q->list(s, &count, infos));
            assert_int_equal(count, all);
            assert_true(is_filled_with(infos + (size_t)all * q->size + sizeof(plait_head), q->size - sizeof(plait_head),
                                       GUARD));
            free(infos);
        }
    }
}

static void infos_of_a_list_must_all_have_the_head_of_the_first(void **state) {
    session *s = *state;
    FOR_EACH_QUERY(q) {
        uint32_t count = q->list ? available(q, s) : 0;
        if (count >= 2) {
            unsigned char *infos = make_infos(q, count, q->size);
            plait_head head = {q->type, q->size - 8, NULL};
            memcpy(infos + q->size, &head, sizeof head);
            assert_result(q->list(s, &count, infos), PLAIT_ERROR_INVALID_STRUCT);
            assert_true(is_filled_with(infos + sizeof head, q->size - sizeof head, GUARD));
            free(infos);
        }
    }
}

static void a_list_without_a_count_is_refused(void **state) {
    session *s = *state;
    FOR_EACH_QUERY(q) {
        unsigned char *info = make_infos(q, 1, q->size);
        if (q->list) {
            assert_result(q->list(s, NULL, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
            assert_result(q->list(s, NULL, info), PLAIT_ERROR_INVALID_ARGUMENT);
        } else {
            assert_result(q->one(s, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
        }
        free(info);
    }
}

static void texts_in_infos_end_within_their_fields(void **state) {
    session *s = *state;
    plait_backend_info backends[MAX_INFOS];
    plait_device_info devices[MAX_INFOS];
    plait_stage_info stages[MAX_INFOS];
    uint32_t count = MAX_INFOS;
    for (uint32_t i = 0; i < MAX_INFOS; ++i) {
        backends[i] = (plait_backend_info)PLAIT_BACKEND_INFO_INIT;
        devices[i] = (plait_device_info)PLAIT_DEVICE_INFO_INIT;
        stages[i] = (plait_stage_info)PLAIT_STAGE_INFO_INIT;
    }
    assert_ok(plait_backend_enumerate(s->context, &count, backends));
    for (uint32_t i = 0; i < count; ++i) {
        assert_non_null(memchr(backends[i].name, 0, PLAIT_NAME_SIZE));
        assert_non_null(memchr(backends[i].reason, 0, PLAIT_REASON_SIZE));
        assert_true(backends[i].name[0] != 0);
        assert_int_equal(backends[i].available == 0, backends[i].reason[0] != 0);
        assert_int_equal(backends[i].available == 0, backends[i].device_count == 0);
        if (backends[i].backend == PLAIT_BACKEND_CPU || backends[i].backend == PLAIT_BACKEND_NULL) {
            assert_int_equal(backends[i].available, 1);
        }
    }
    count = MAX_INFOS;
    assert_ok(plait_device_enumerate(s->context, &count, devices));
    for (uint32_t i = 0; i < count; ++i) {
        assert_non_null(memchr(devices[i].name, 0, PLAIT_NAME_SIZE));
        assert_true(devices[i].variant[0] == 0);
        assert_int_equal(devices[i].pack_width, 0);
    }
    count = MAX_INFOS;
    assert_ok(plait_hair_stages(s->hair, &count, stages));
    for (uint32_t i = 0; i < count; ++i) {
        assert_non_null(memchr(stages[i].name, 0, PLAIT_NAME_SIZE));
        assert_true(stages[i].name[0] != 0);
    }
}

static void infos_tell_what_was_made(void **state) {
    session *s = *state;
    plait_library_info library = PLAIT_LIBRARY_INFO_INIT;
    plait_device_info device = PLAIT_DEVICE_INFO_INIT;
    plait_groom_info groom = PLAIT_GROOM_INFO_INIT;
    plait_hair_info hair = PLAIT_HAIR_INFO_INIT;
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    assert_ok(plait_library_query(&library));
    assert_int_equal(library.version_major, PLAIT_VERSION_MAJOR);
    assert_int_equal(library.version_minor, PLAIT_VERSION_MINOR);
    assert_int_equal(library.version_patch, PLAIT_VERSION_PATCH);
    assert_ok(plait_device_query(s->device, &device));
    assert_int_equal(device.backend, PLAIT_BACKEND_CPU);
    assert_true(device.pack_width > 0);
    assert_true(device.variant[0] != 0);
    assert_ok(plait_groom_query(s->groom, &groom));
    assert_int_equal(groom.strand_count, STRANDS);
    assert_int_equal(groom.vertex_count, s->groom_source.vertex_count);
    assert_int_equal(groom.max_vertex_count, 20);
    assert_int_equal(groom.group_count, GROUPS);
    assert_int_equal(groom.bone_count, BONES);
    for (int axis = 0; axis < 3; ++axis) {
        float low = s->groom_source.positions[0][axis], high = low;
        for (uint32_t i = 1; i < s->groom_source.vertex_count; ++i) {
            float value = s->groom_source.positions[i][axis];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        assert_true(groom.bounds_min[axis] == low && groom.bounds_max[axis] == high);
    }
    assert_ok(plait_hair_query(s->hair, &hair));
    assert_true(hair.groom.id == s->groom.id && hair.device.id == s->device.id && hair.body.id == s->body.id);
    assert_int_equal(hair.solver, s->solver);
    assert_int_equal(hair.strand_count, STRANDS);
    assert_int_equal(hair.vertex_count, s->groom_source.vertex_count);
    assert_true(hair.step_count > 0);
    assert_ok(plait_hair_stats(s->hair, &stats));
    assert_int_equal(stats.strand_count, STRANDS);
    assert_int_equal(stats.frame_count, 2);
    assert_int_equal(stats.step_count, hair.step_count);
    assert_int_equal(stats.nonfinite_strand_count, 0);
    assert_int_equal(stats.cut_strand_count, 0);
    assert_true(stats.bytes_asset > 0 && stats.bytes_state > 0);
}

static void every_result_has_a_text_of_its_own(void **state) {
    (void)state;
    for (plait_result a = PLAIT_ERROR_OTHER_DEVICE; a <= PLAIT_INCOMPLETE; ++a) {
        assert_non_null(plait_result_text(a));
        assert_true(plait_result_text(a)[0] != 0);
        assert_string_not_equal(plait_result_text(a), "unknown result");
        for (plait_result b = PLAIT_ERROR_OTHER_DEVICE; b < a; ++b) {
            assert_string_not_equal(plait_result_text(a), plait_result_text(b));
        }
    }
    assert_string_equal(plait_result_text(2), "unknown result");
    assert_string_equal(plait_result_text(-19), "unknown result");
    assert_string_equal(plait_result_text(INT32_MAX), "unknown result");
    assert_string_equal(plait_result_text(INT32_MIN), "unknown result");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_info_of_any_size_gets_what_fits_and_zeros_beyond, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_wrong_head_is_refused_and_nothing_written, open_state, close_state),
        cmocka_unit_test_setup_teardown(an_extension_of_an_info_is_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_list_with_too_little_room_is_incomplete, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_list_with_more_room_than_needed_writes_what_there_is, open_state,
                                        close_state),
        cmocka_unit_test_setup_teardown(infos_of_a_list_must_all_have_the_head_of_the_first, open_state, close_state),
        cmocka_unit_test_setup_teardown(a_list_without_a_count_is_refused, open_state, close_state),
        cmocka_unit_test_setup_teardown(texts_in_infos_end_within_their_fields, open_state, close_state),
        cmocka_unit_test_setup_teardown(infos_tell_what_was_made, open_state, close_state),
        cmocka_unit_test(every_result_has_a_text_of_its_own),
    };
    return cmocka_run_group_tests_name("structs that come out", tests, NULL, NULL);
}
