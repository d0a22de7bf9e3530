/* SPDX-License-Identifier: Apache-2.0 */
/* test_commands.c - rules that all lines in the tables of commands and options must follow. */
#include "../test.h"

#include "cli/commands.h"

#define PAGE_WIDTH 84

TEST(commands_are_in_alphabetical_order)
{
    for (size_t i = 1; commands[i]; i++)
        assert_true(str_cmp(str_c(commands[i - 1]->name), str_c(commands[i]->name)) < 0);
}

static void check_lines(const char *command, const char *text)
{
    str rest = str_c(text), line;

    assert_true(str_has_suffix(rest, STR("\n")));
    while (str_next_line(&rest, &line)) {
        if (utf8_count(line) <= PAGE_WIDTH)
            continue;
        print_error("%s: the line is too long: %.*s\n", command, STR_ARG(line));
        fail();
    }
}

TEST(help_texts_fit_on_a_page)
{
    for (size_t i = 0; commands[i]; i++) {
        check_lines(commands[i]->name, commands[i]->help);
        check_lines(commands[i]->name, commands[i]->examples);
        assert_false(str_has_suffix(str_c(commands[i]->brief), STR(".")));
    }
}

TEST(words_that_are_needed_are_also_allowed)
{
    for (size_t i = 0; commands[i]; i++) {
        assert_true(commands[i]->args_min <= commands[i]->args_max);
        assert_int_equal(commands[i]->args_max == 0, *commands[i]->args == '\0');
    }
}

static void check_letters(const struct option *options, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            assert_false(options[i].letter && options[i].letter == options[k].letter);
}

static bool is_choice(const struct option *o)
{
    const char *const *choices = option_choices(o);

    for (size_t i = 0; choices && choices[i]; i++)
        if (str_eq(str_c(choices[i]), str_c(o->value)))
            return true;
    return !choices || o->open || !o->value;
}

static void check_table(const struct option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_non_null(option_help(&options[i]));
        assert_true(is_choice(&options[i]));
        assert_true(i == 0 || str_cmp(str_c(options[i - 1].name), str_c(options[i].name)) < 0);
    }
    check_letters(options, count);
}

TEST(tables_of_options_are_sorted_and_their_defaults_allowed)
{
    check_table(global_options, global_option_count);
    for (size_t i = 0; commands[i]; i++)
        check_table(commands[i]->options, commands[i]->option_count);
}

static const struct {
    const char *given, *want;
} suggest_cases[] = {
    {"convrt", "convert"}, {"dif", "diff"}, {"pathc", "patch"}, {"compl", "completion"},
    {"xyzzy", NULL},       {"q", NULL},     {"", NULL},
};

TEST(a_command_is_suggested_when_one_is_near)
{
    for (size_t i = 0; i < COUNT(suggest_cases); i++) {
        const struct command *near = command_suggest(str_c(suggest_cases[i].given));
        assert_str(near ? str_c(near->name) : STR_NONE, str_c(suggest_cases[i].want));
    }
}

RUN_TESTS(cmocka_unit_test(commands_are_in_alphabetical_order),
          cmocka_unit_test(help_texts_fit_on_a_page),
          cmocka_unit_test(words_that_are_needed_are_also_allowed),
          cmocka_unit_test(tables_of_options_are_sorted_and_their_defaults_allowed),
          cmocka_unit_test(a_command_is_suggested_when_one_is_near))
