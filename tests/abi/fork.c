/* A process that forks while a context with a thread pool is alive, as servers and crash reporters do. */
#include "session.h"

#include <sys/wait.h>
#include <unistd.h>

/* The threads of the pool are not there in the child. The alarm ends a child that hangs. */
static void a_child_can_destroy_the_context_that_it_inherits(void **state) {
    session_options options = {.copies = WHOLE_HEAD, .thread_count = 3};
    session *s = session_open(&options);
    int status = 0;
    pid_t child;
    (void)state;
    session_run(s, 0, 5);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(30);
        _exit(plait_context_destroy(s->context) == PLAIT_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    session_run(s, 5, 5); /* the parent's is as it was */
    session_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_can_destroy_the_context_that_it_inherits),
    };
    return cmocka_run_group_tests_name("fork", tests, NULL, NULL);
}
