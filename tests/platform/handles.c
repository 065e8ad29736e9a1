// The Windows side of core/platform.h, as far as hosts reach it only through drivers that Wine does not have: handles of shared
// memory, and besides names of files in UTF-8 and aligned memory.
#include "platform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

enum { BYTES = 4096 };

static void a_copy_of_a_handle_reaches_the_same_memory_and_outlives_it(void **state) {
    (void)state;
    HANDLE memory = CreateFileMappingW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, BYTES, NULL);
    assert_non_null(memory);
    char *first = MapViewOfFile(memory, FILE_MAP_ALL_ACCESS, 0, 0, BYTES);
    assert_non_null(first);
    int64_t copy = external_duplicate((intptr_t)memory);
    assert_true(external_valid(copy));
    assert_true(copy != (intptr_t)memory);
    external_close((intptr_t)memory);
    strcpy(first, "strands");
    char *second = MapViewOfFile((HANDLE)(intptr_t)copy, FILE_MAP_ALL_ACCESS, 0, 0, BYTES);
    assert_non_null(second);
    assert_string_equal(second, "strands");
    DWORD flags = HANDLE_FLAG_INHERIT;
    assert_true(GetHandleInformation((HANDLE)(intptr_t)copy, &flags));
    assert_int_equal(flags & HANDLE_FLAG_INHERIT, 0);
    UnmapViewOfFile(first);
    UnmapViewOfFile(second);
    external_close(copy);
    assert_false(GetHandleInformation((HANDLE)(intptr_t)copy, &flags));
}

static void a_copy_of_a_semaphore_is_the_same_semaphore(void **state) {
    (void)state;
    HANDLE semaphore = CreateSemaphoreW(NULL, 0, 2, NULL);
    assert_non_null(semaphore);
    int64_t copy = external_duplicate((intptr_t)semaphore);
    assert_true(external_valid(copy));
    assert_true(ReleaseSemaphore((HANDLE)(intptr_t)copy, 1, NULL));
    assert_int_equal(WaitForSingleObject(semaphore, 0), WAIT_OBJECT_0);
    assert_int_equal(WaitForSingleObject(semaphore, 0), WAIT_TIMEOUT);
    external_close(copy);
    external_close((intptr_t)semaphore);
}

static void what_is_no_handle_has_no_copy(void **state) {
    (void)state;
    assert_false(external_valid(0));
    assert_false(external_valid(-1));
    assert_false(external_valid(external_duplicate(0x7ffffff0)));
}

static void names_of_files_are_utf8(void **state) {
    (void)state;
    static const wchar_t wide[] = L"plait \u9aea \u00fc.txt";
    static const char name[] = "plait \xe9\xab\xaa \xc3\xbc.txt";
    assert_false(file_exists(name));
    HANDLE file = CreateFileW(wide, GENERIC_WRITE, 0, NULL, CREATE_NEW, FILE_FLAG_DELETE_ON_CLOSE, NULL);
    assert_true(file != INVALID_HANDLE_VALUE);
    assert_true(file_exists(name));
    CloseHandle(file);
    assert_false(file_exists(name));
    assert_false(file_exists("plait \xe9.txt"));
}

static void memory_is_aligned(void **state) {
    (void)state;
    for (size_t alignment = sizeof(void *); alignment <= 65536; alignment *= 2) {
        void *memory = aligned_allocate(3 * alignment, alignment);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % alignment, 0);
        memset(memory, 1, 3 * alignment);
        aligned_release(memory);
    }
    aligned_release(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_of_a_handle_reaches_the_same_memory_and_outlives_it),
        cmocka_unit_test(a_copy_of_a_semaphore_is_the_same_semaphore),
        cmocka_unit_test(what_is_no_handle_has_no_copy),
        cmocka_unit_test(names_of_files_are_utf8),
        cmocka_unit_test(memory_is_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
