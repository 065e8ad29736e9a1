// Modules that lie beside the library and cannot be opened: the host is told why, not that there are none.
#include <plait_loader.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_reason(uint32_t backend, const char *file, const char *reason) {
    plait_api api;
    plait_context context;
    uint32_t count = 4;
    plait_backend_info infos[4];
    for (int i = 0; i < 4; i++) infos[i] = (plait_backend_info)PLAIT_BACKEND_INFO_INIT;
    assert_int_equal(plait_loader_open(PLAIT_LIBRARY, &api, NULL, 0), PLAIT_OK);
    assert_int_equal(api.plait_context_create(NULL, &context), PLAIT_OK);
    assert_int_equal(api.plait_backend_enumerate(context, &count, infos), PLAIT_OK);
    for (uint32_t i = 0; i < count; i++) {
        if (infos[i].backend != backend) continue;
        printf("%s: \"%s\"\n", infos[i].name, infos[i].reason);
        assert_int_equal(infos[i].available, 0);
        if (!strstr(infos[i].reason, file) || !strstr(infos[i].reason, reason))
            fail_msg("\"%s\" does not say \"%s\" of %s", infos[i].reason, reason, file);
        assert_null(strstr(infos[i].reason, "No such file"));
    }
    assert_int_equal(count, 4);
    assert_int_equal(api.plait_context_destroy(context), PLAIT_OK);
    plait_loader_close(&api);
}

static void a_module_that_is_no_library_is_reported_as_such(void **state) {
    (void)state;
    assert_reason(PLAIT_BACKEND_VULKAN, "libplait_vulkan.so.1", "");
}

static void a_module_that_lacks_a_function_is_reported_with_its_name(void **state) {
    (void)state;
    assert_reason(PLAIT_BACKEND_CUDA, "libplait_cuda.so.1", "function_that_nobody_has");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_that_is_no_library_is_reported_as_such),
        cmocka_unit_test(a_module_that_lacks_a_function_is_reported_with_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
