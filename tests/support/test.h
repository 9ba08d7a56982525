/* cmocka, after the headers that it needs. */
#ifndef CLFOLD_TESTS_TEST_H
#define CLFOLD_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <clfold/clfold.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call that must succeed; its sentence says why it did not. */
#define assert_ok(call)                                                                  \
    do {                                                                                 \
        clfold_status status_ = (call);                                                  \
        if (status_ != CLFOLD_OK) {                                                      \
            fail_msg("%s: %s", #call, clfold_last_error());                              \
        }                                                                                \
    } while (0)

/* A call that must be rejected with this status, in a sentence that holds `words` and
 * ends in the status's name. */
#define assert_refused(call, status, words)                                              \
    do {                                                                                 \
        clfold_status status_ = (call);                                                  \
        if (status_ != (status)) {                                                       \
            fail_msg("%s: %s instead of %s", #call, clfold_status_name(status_),         \
                     clfold_status_name(status));                                        \
        }                                                                                \
        if (!strstr(clfold_last_error(), words) ||                                       \
            !strstr(clfold_last_error(), clfold_status_name(status))) {                  \
            fail_msg("%s: \"%s\" does not name \"%s\"", #call, clfold_last_error(),      \
                     words);                                                             \
        }                                                                                \
    } while (0)

/* Takes the tests whose names match a program's argument, or after "-" those that do
 * not. */
static inline void filter_tests(int argc, char **argv)
{
    if (argc > 1 && argv[1][0] == '-') {
        cmocka_set_skip_filter(argv[1] + 1);
    } else if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
}

/* A program of these tests. */
#define TEST_MAIN(name, set_up, tear_down, ...)                                          \
    int main(int argc, char **argv)                                                      \
    {                                                                                    \
        const struct CMUnitTest tests[] = { __VA_ARGS__ };                               \
                                                                                         \
        filter_tests(argc, argv);                                                        \
        return cmocka_run_group_tests_name(name, tests, set_up, tear_down);              \
    }

#endif
