/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_formats_table.c - a format that is listed in the table of formats is offered everywhere.
 *
 * The table of this program replaces report/formats.c, which has nothing else.
 */
#include "../test.h"

#include "cli/commands.h"
#include "cli/options/formats.h"
#include "report/report.h"

static bool write_dummy(const struct results *r, const struct report_options *o, struct buf *out,
                        struct err *e)
{
    (void)r, (void)o, (void)e;
    buf_add(out, STR("dummy"));
    return true;
}

static const struct report_format dummy = {
    .name = "dummy", .help = "for this test", .endings = ".dum .my", .write = write_dummy};

const struct report_format *const report_formats[] = {&report_text, &dummy, NULL};

extern const struct command command_compare, command_report;

/* The help of a command, as if a line had any length. */
static str help_of(struct arena *a, const struct command *c)
{
    struct buf out = buf_new(a, BUF_UNLIMITED), one = buf_new(a, BUF_UNLIMITED);

    help_command(&out, c);
    for (size_t i = 0; i < out.len; i++) {
        bool space = out.data[i] == ' ' || out.data[i] == '\n';
        if (!space)
            buf_char(&one, out.data[i]);
        else if (one.len && one.data[one.len - 1] != ' ')
            buf_char(&one, ' ');
    }
    return buf_str(&one);
}

TEST(help_names_the_formats_of_the_table)
{
    AUTO_ARENA a = arena_new();

    assert_true(
        str_contains(help_of(a, &command_compare), STR("FORMAT: text or dummy; with --fleet")));
    assert_true(str_contains(help_of(a, &command_report), STR("FORMAT: dummy; of a fleet")));
    assert_false(str_contains(help_of(a, &command_compare), STR("sarif")));
}

static bool accepts(const struct command *c, const char *const *argv, size_t argc)
{
    AUTO_ARENA a = arena_new();
    struct options o = options_new(a);
    AUTO_ERR e = {0};

    options_add(&o, c->options, c->option_count, arena_alloc(a, c->values_size));
    return options_parse(&o, argc, (char *const *)argv, &e);
}

TEST(options_take_the_formats_of_the_table)
{
    assert_true(accepts(&command_compare, (const char *const[]){"-o", "dummy"}, 2));
    assert_true(accepts(&command_report, (const char *const[]){"-F", "dummy"}, 2));
    assert_false(accepts(&command_compare, (const char *const[]){"-o", "html"}, 2));
    assert_false(accepts(&command_report, (const char *const[]){"-F", "text"}, 2));
}

TEST(files_have_the_formats_of_the_table)
{
    assert_ptr_equal(report_find_file(STR("x.dum")), &dummy);
    assert_ptr_equal(report_find_file(STR("x.my")), &dummy);
    assert_null(report_find_file(STR("x.html")));
    assert_null(report_find(STR("dummy"), true));
}

RUN_TESTS(cmocka_unit_test(help_names_the_formats_of_the_table),
          cmocka_unit_test(options_take_the_formats_of_the_table),
          cmocka_unit_test(files_have_the_formats_of_the_table))
