/* A host that opens the library at run time can do everything through the table. */
#include "session.h"

#include <plait_loader.h>
#include <stdlib.h>
#include <string.h>

static void a_session_runs_through_the_table(void **state) {
    plait_api api;
    char why[256];
    groom_source *groom_data = malloc(sizeof *groom_data);
    body_source body_data;
    plait_context context;
    plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
    plait_hair hair;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    static float memory[MAX_VERTICES * 3];
    plait_output_attribute attribute;
    plait_output_desc output =
        describe_dense(&attribute, PLAIT_ATTRIBUTE_POSITION, PLAIT_FORMAT_FLOAT32X3, memory, sizeof memory);
    (void)state;
    assert_non_null(groom_data);
    groom_source_fill(groom_data);
    body_source_fill(&body_data);
    desc.solver = PLAIT_SOLVER_SHAPE;
    frame.dt = 1.0f / 60;
    assert_ok(plait_loader_open(PLAIT_LIBRARY, &api, why, sizeof why));
    assert_ok(api.plait_context_create(NULL, &context));
    assert_ok(api.plait_device_open(context, NULL, &desc.device));
    assert_ok(api.plait_groom_create(context, &groom_data->desc, &desc.groom));
    assert_ok(api.plait_body_create(context, &body_data.desc, &desc.body));
    assert_ok(api.plait_hair_create(context, &desc, &hair));
    assert_ok(api.plait_hair_set_output(hair, &output));
    for (int i = 0; i < 10; ++i) {
        assert_ok(api.plait_hair_step(hair, &frame));
    }
    assert_ok(api.plait_hair_stats(hair, &stats));
    assert_int_equal(stats.frame_count, 10);
    assert_true(all_finite(memory, 3 * (size_t)groom_data->vertex_count));
    assert_ok(api.plait_context_destroy(context));
    assert_result(api.plait_hair_step(hair, &frame), PLAIT_ERROR_INVALID_HANDLE);
    plait_loader_close(&api);
    free(groom_data);
}

static void a_library_that_is_not_there_gives_a_reason_and_an_empty_table(void **state) {
    static const plait_api empty;
    plait_api api;
    char why[256] = "";
    (void)state;
    memset(&api, 0xa5, sizeof api);
    assert_result(plait_loader_open("/nowhere/libplait.so", &api, why, sizeof why), PLAIT_ERROR_UNAVAILABLE);
    assert_non_null(strstr(why, "/nowhere/libplait.so"));
    assert_memory_equal(&api, &empty, sizeof empty);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_runs_through_the_table),
        cmocka_unit_test(a_library_that_is_not_there_gives_a_reason_and_an_empty_table),
    };
    return cmocka_run_group_tests_name("loader", tests, NULL, NULL);
}
