// The loader fills its table from a valid library, and gives the reason when it refuses one.
#include <plait_loader.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_zeroed(const plait_api *api) {
    static const plait_api zero;
    assert_memory_equal(api, &zero, sizeof zero);
}

static void assert_refused(const char *library, plait_result expected, const char *reason) {
    plait_api api;
    char why[512];
    memset(&api, 0xff, sizeof api);
    assert_int_equal(plait_loader_open(library, &api, why, sizeof why), expected);
    if (!strstr(why, reason)) fail_msg("\"%s\" does not say \"%s\"", why, reason);
    assert_zeroed(&api);
}

static void fills_every_function(void **state) {
    (void)state;
    plait_api api;
    char why[256] = "old text";
    assert_int_equal(plait_loader_open(PLAIT_LIBRARY, &api, why, sizeof why), PLAIT_OK);
    assert_string_equal(why, "");
#define ASSERT_FILLED(name) assert_true(api.name == (PFN_##name)api.plait_get_proc_address(#name) && api.name);
    PLAIT_FOR_EACH_FUNCTION(ASSERT_FILLED)
    PLAIT_FOR_EACH_VULKAN_FUNCTION(ASSERT_FILLED)
    plait_library_info info = PLAIT_LIBRARY_INFO_INIT;
    assert_int_equal(api.plait_library_query(&info), PLAIT_OK);
    assert_int_equal(info.version_major, PLAIT_VERSION_MAJOR);
    assert_string_not_equal(api.plait_result_text(PLAIT_ERROR_BUSY), "");
    plait_loader_close(&api);
    assert_zeroed(&api);
}

static void each_table_stands_for_itself(void **state) {
    (void)state;
    plait_api first, second;
    assert_int_equal(plait_loader_open(PLAIT_LIBRARY, &first, NULL, 0), PLAIT_OK);
    assert_int_equal(plait_loader_open(PLAIT_LIBRARY, &second, NULL, 0), PLAIT_OK);
    plait_loader_close(&first);
    plait_context context;
    assert_int_equal(second.plait_context_create(NULL, &context), PLAIT_OK);
    assert_int_equal(second.plait_context_destroy(context), PLAIT_OK);
    plait_loader_close(&second);
}

static void closing_twice_or_nothing_is_harmless(void **state) {
    (void)state;
    plait_api api;
    assert_int_equal(plait_loader_open(PLAIT_LIBRARY, &api, NULL, 0), PLAIT_OK);
    plait_loader_close(&api);
    plait_loader_close(&api);
    plait_loader_close(NULL);
}

static void refuses_a_library_that_is_not_there(void **state) {
    (void)state;
    assert_refused("./no-such-library.so", PLAIT_ERROR_UNAVAILABLE, "no-such-library.so");
    assert_refused("no-such-library.so", PLAIT_ERROR_UNAVAILABLE, "no-such-library.so");
}

static void looks_for_the_usual_name_by_default(void **state) {
    (void)state;
    // The library is not on the test's search path, so the system's message contains the name that was asked for.
    plait_api api;
    char why[256];
    if (plait_loader_open(NULL, &api, why, sizeof why) == PLAIT_OK) {
        plait_loader_close(&api); // installed on this machine
        skip();
    }
#if defined(_WIN32)
    assert_non_null(strstr(why, "plait.dll"));
#else
    assert_non_null(strstr(why, "libplait.so.1"));
#endif
}

static void refuses_a_library_that_is_not_plait(void **state) {
    (void)state;
    assert_refused(NOTHING_LIBRARY, PLAIT_ERROR_UNAVAILABLE, "not a Plait library");
}

static void refuses_another_major_version_and_names_it(void **state) {
    (void)state;
    assert_refused(MAJOR_LIBRARY, PLAIT_ERROR_UNSUPPORTED, "version 2.7.0, but this host needs 1.x");
}

static void refuses_a_library_that_lacks_a_function_and_names_it(void **state) {
    (void)state;
    assert_refused(LACKING_LIBRARY, PLAIT_ERROR_UNAVAILABLE, "plait_hair_step");
}

static void refuses_a_null_table(void **state) {
    (void)state;
    char why[64];
    assert_int_equal(plait_loader_open(PLAIT_LIBRARY, NULL, why, sizeof why), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(why, "api is null");
}

static void cuts_the_reason_to_the_memory_given(void **state) {
    (void)state;
    plait_api api;
    char why[8] = "-------";
    assert_int_equal(plait_loader_open(NOTHING_LIBRARY, &api, why, 4), PLAIT_ERROR_UNAVAILABLE);
    assert_int_equal(strlen(why), 3);
    assert_memory_equal(why + 4, "---", 4);
    assert_int_equal(plait_loader_open(NOTHING_LIBRARY, &api, why, 0), PLAIT_ERROR_UNAVAILABLE);
    assert_int_equal(strlen(why), 3);
    assert_int_equal(plait_loader_open(NOTHING_LIBRARY, &api, NULL, 100), PLAIT_ERROR_UNAVAILABLE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_every_function),
        cmocka_unit_test(each_table_stands_for_itself),
        cmocka_unit_test(closing_twice_or_nothing_is_harmless),
        cmocka_unit_test(refuses_a_library_that_is_not_there),
        cmocka_unit_test(looks_for_the_usual_name_by_default),
        cmocka_unit_test(refuses_a_library_that_is_not_plait),
        cmocka_unit_test(refuses_another_major_version_and_names_it),
        cmocka_unit_test(refuses_a_library_that_lacks_a_function_and_names_it),
        cmocka_unit_test(refuses_a_null_table),
        cmocka_unit_test(cuts_the_reason_to_the_memory_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
