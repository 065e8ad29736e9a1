// The loader on Windows: where it looks, paths in any language, and modules beside the library.
#include <plait_loader.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

static void folder_of(void *library, wchar_t folder[MAX_PATH]) {
    DWORD length = GetModuleFileNameW((HMODULE)library, folder, MAX_PATH);
    assert_true(length > 0 && length < MAX_PATH);
    wchar_t *slash = wcsrchr(folder, L'\\');
    assert_non_null(slash);
    *slash = 0;
}

// The current folder is another, and holds no Plait.
static void the_usual_name_is_looked_for_beside_the_program(void **state) {
    (void)state;
    plait_api api;
    char why[256];
    wchar_t found[MAX_PATH], program[MAX_PATH];
    assert_true(GetFileAttributesA("plait.dll") == INVALID_FILE_ATTRIBUTES);
    if (plait_loader_open(NULL, &api, why, sizeof why) != PLAIT_OK) fail_msg("%s", why);
    folder_of(api.library, found);
    folder_of(NULL, program);
    assert_int_equal(lstrcmpiW(found, program), 0);
    plait_loader_close(&api);
}

static void paths_are_utf8(void **state) {
    (void)state;
    plait_api api;
    char why[1024];
    wchar_t found[MAX_PATH];
    if (plait_loader_open(FAR_LIBRARY, &api, why, sizeof why) != PLAIT_OK) fail_msg("%s", why);
    folder_of(api.library, found);
    assert_non_null(wcsstr(found, L"Program Files\\\u041f\u0440\u044f\u0434\u044c \u9aea \u00fcn\u00ef"));
    plait_context context;
    assert_int_equal(api.plait_context_create(NULL, &context), PLAIT_OK);
    assert_int_equal(api.plait_context_destroy(context), PLAIT_OK);
    plait_loader_close(&api);
}

static void a_path_that_is_not_utf8_is_refused_with_the_reason(void **state) {
    (void)state;
    plait_api api;
    char why[256];
    assert_int_equal(plait_loader_open("C:\\caf\xe9\\plait.dll", &api, why, sizeof why), PLAIT_ERROR_UNAVAILABLE);
    assert_non_null(strstr(why, "not UTF-8"));
}

static void reason_of(const plait_api *api, uint32_t backend, char reason[512]) {
    plait_context context;
    uint32_t count = 4;
    plait_backend_info infos[4];
    for (int i = 0; i < 4; i++) infos[i] = (plait_backend_info)PLAIT_BACKEND_INFO_INIT;
    assert_int_equal(api->plait_context_create(NULL, &context), PLAIT_OK);
    assert_int_equal(api->plait_backend_enumerate(context, &count, infos), PLAIT_OK);
    reason[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        if (infos[i].backend == backend) snprintf(reason, 512, "%s", infos[i].reason);
    assert_int_equal(api->plait_context_destroy(context), PLAIT_OK);
    printf("\"%s\"\n", reason);
}

// 193: not a program for Windows. It was found, in spite of the folder's name; that it is not there would be 126.
static void modules_are_looked_for_beside_the_library(void **state) {
    (void)state;
    plait_api api;
    char reason[512];
    assert_int_equal(plait_loader_open(FAR_LIBRARY, &api, NULL, 0), PLAIT_OK);
    reason_of(&api, PLAIT_BACKEND_VULKAN, reason);
    assert_non_null(strstr(reason, "plait_vulkan.dll"));
    assert_non_null(strstr(reason, "193"));
    reason_of(&api, PLAIT_BACKEND_CUDA, reason);
    assert_non_null(strstr(reason, "plait_cuda.dll"));
    assert_non_null(strstr(reason, "126"));
    plait_loader_close(&api);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_usual_name_is_looked_for_beside_the_program),
        cmocka_unit_test(paths_are_utf8),
        cmocka_unit_test(a_path_that_is_not_utf8_is_refused_with_the_reason),
        cmocka_unit_test(modules_are_looked_for_beside_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
