/* SPDX-License-Identifier: Apache-2.0 */
/* test_library.c - libraries that are loaded when they are first needed. */
#include "../test.h"

static const char *const roundings[] = {"ceil", "floor"};
static const char *const unknown[] = {"ceil", "plumb_has_no_such_function"};

TEST(functions_come_in_the_order_of_their_names)
{
    static const struct library_name m = {"libm.so.6", "libc6", "a test"};
    struct library l = {&m, roundings, COUNT(roundings), LOCK_INIT, false};
    struct {
        double (*ceil)(double), (*floor)(double);
    } math = {0};
    AUTO_ERR e = {0};

    assert_true(library_load(&l, &math, &e));
    assert_true(math.ceil(1.5) == 2.0);
    assert_true(math.floor(1.5) == 1.0);
    math.floor = NULL;
    assert_true(library_load(&l, &math, &e)); /* nothing is done twice */
    assert_null(math.floor);
}

TEST(what_is_missing_is_named)
{
    static const struct library_name missing = {"libplumb-missing.so.9", "libplumb9", "a test"};
    static const struct library_name m = {"libm.so.6", "libc6", "a test"};
    struct library none = {&missing, roundings, COUNT(roundings), LOCK_INIT, false};
    struct library old = {&m, unknown, COUNT(unknown), LOCK_INIT, false};
    void *functions[2];
    AUTO_ERR e = {0};

    assert_false(library_load(&none, functions, &e));
    assert_str(e.text, STR("a test needs libplumb-missing.so.9, which is not installed: install "
                           "the package libplumb9"));
    err_clear(&e);
    assert_false(library_load(&old, functions, &e));
    assert_str(e.text, STR("libm.so.6 is too old: it has no plumb_has_no_such_function"));
    err_clear(&e);
    assert_false(library_load(&old, functions, &e)); /* nor is it taken for loaded later */
}

RUN_TESTS(cmocka_unit_test(functions_come_in_the_order_of_their_names),
          cmocka_unit_test(what_is_missing_is_named))
