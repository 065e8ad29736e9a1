/* plait_get_proc_address finds every function of the header by its name, and nothing else. */
#include "session.h"

#include <string.h>

#define NAME(name) #name,
static const char *const names[] = {PLAIT_FOR_EACH_FUNCTION(NAME) PLAIT_FOR_EACH_VULKAN_FUNCTION(NAME)};
#if defined(_WIN32)
/* Here the address that a program has of a function is that of a jump to it. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
static plait_proc address(size_t i) { return (plait_proc)GetProcAddress(GetModuleHandleA("plait.dll"), names[i]); }
#else
#define ADDRESS(name) (plait_proc) name,
static const plait_proc addresses[] = {PLAIT_FOR_EACH_FUNCTION(ADDRESS) PLAIT_FOR_EACH_VULKAN_FUNCTION(ADDRESS)};
static plait_proc address(size_t i) { return addresses[i]; }
#endif

static void every_function_is_found_at_its_own_address(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        assert_true(plait_get_proc_address(names[i]) == address(i));
    }
}

static void a_name_is_compared_with_content_and_length(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        char name[64] = {0};
        strncpy(name, names[i], sizeof name - 2);
        assert_true(plait_get_proc_address(name) == address(i));
        name[strlen(name)] = '_';
        assert_true(plait_get_proc_address(name) == NULL);
        name[strlen(names[i]) - 1] = 0;
        assert_true(plait_get_proc_address(name) == NULL);
    }
}

static void unknown_names_give_null(void **state) {
    static const char *const unknown[] = {"",
                                          "plait",
                                          "plait_",
                                          "PLAIT_HAIR_STEP",
                                          "plait_hair_steq",
                                          "main",
                                          "plait_hair_step ",
                                          " plait_hair_step",
                                          "malloc"};
    (void)state;
    assert_true(plait_get_proc_address(NULL) == NULL);
    for (size_t i = 0; i < COUNT_OF(unknown); ++i) {
        assert_true(plait_get_proc_address(unknown[i]) == NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_found_at_its_own_address),
        cmocka_unit_test(a_name_is_compared_with_content_and_length),
        cmocka_unit_test(unknown_names_give_null),
    };
    return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
