/* No handle is reused for longer than a 24-bit counter lasts: sixteen million
 * objects, three days of one per frame. Takes a few seconds. */
#include "session.h"

static void sixteen_million_objects_later_an_old_handle_is_still_stale(void **state) {
    session *s = session_open(NULL);
    plait_body_desc sphere = s->body_source.desc;
    plait_body first, last;
    (void)state;
    sphere.colliders = &s->body_source.colliders[1];
    sphere.collider_count = 1;
    assert_ok(plait_body_create(s->context, &sphere, &first));
    assert_ok(plait_body_destroy(first));
    for (uint32_t i = 0; i < (1u << 24) + 100; ++i) {
        if (plait_body_create(s->context, &sphere, &last) != PLAIT_OK || last.id == first.id ||
            plait_body_destroy(last) != PLAIT_OK) {
            print_error("after %u objects\n", i);
            fail();
        }
    }
    assert_result(plait_body_destroy(first), PLAIT_ERROR_INVALID_HANDLE);
    session_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixteen_million_objects_later_an_old_handle_is_still_stale),
    };
    return cmocka_run_group_tests_name("generations", tests, NULL, NULL);
}
