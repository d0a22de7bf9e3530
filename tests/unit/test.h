/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test.h - included by every unit test: cmocka, and a few additions.
 *
 * A test file is a program: tables of cases, functions whose names are sentences, and a main that
 * lists them with RUN_TESTS.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"

#define TEST(name) static void name(void **state __attribute__((unused)))

#define RUN_TESTS(...)                                                                             \
    int main(void)                                                                                 \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
        return cmocka_run_group_tests(tests, NULL, NULL);                                          \
    }

/* Compares texts and shows both if they differ. */
#define assert_str(got, want) assert_str_at((got), (want), __FILE__, __LINE__)

static inline void assert_str_at(str got, str want, const char *file, int line)
{
    if (str_eq(got, want))
        return;
    print_error("got  [%.*s]\nwant [%.*s]\n", STR_ARG(got), STR_ARG(want));
    _fail(file, line);
}

/* Fails the test with the text of e if ok is false. */
#define assert_ok(ok, e) assert_ok_at((ok), (e), __FILE__, __LINE__)

static inline void assert_ok_at(bool ok, const struct err *e, const char *file, int line)
{
    if (ok)
        return;
    print_error("failed: %.*s\n", STR_ARG(e->text));
    _fail(file, line);
}
