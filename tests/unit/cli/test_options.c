/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_options.c - what the recorded command lines (tests/recorded/options) do not cover: help
 * texts, suggestions, several tables, choices, limits.
 */
#include "../test.h"

#include "cli/options/options.h"

struct values {
    bool all;
    int64_t count, number, wait;
    str format, name;
    struct str_list files, words;
};

static const char *const formats[] = {"json", "yaml", NULL};

static const struct option table[] = {
    {"all", 'a', OPTION_BOOL, offsetof(struct values, all), .help = "Show all"},
    {"count", 'c', OPTION_COUNT, offsetof(struct values, count), .help = "Count"},
    {"files", 'f', OPTION_STRINGS, offsetof(struct values, files), .value = "a,b",
     .help = "Read `FILES`"},
    {"format", 'o', OPTION_STRING, offsetof(struct values, format), .value = "yaml",
     .help = "Write so", .choices = formats},
    {"name", 0, OPTION_STRING, offsetof(struct values, name), .bare = "me", .help = "Name"},
    {"number", 'n', OPTION_INT, offsetof(struct values, number), .value = "4", .help = "Number"},
    {"secret", 0, OPTION_BOOL, offsetof(struct values, all), .help = "Not shown", .hidden = true},
    {"wait", 0, OPTION_DURATION, offsetof(struct values, wait), .value = "1m30s", .help = "Wait"},
    {"words", 0, OPTION_ARRAY, offsetof(struct values, words), .help = "Words"},
};

static bool parse(struct arena *a, struct options *o, struct values *v, const char *line,
                  struct err *e)
{
    char *argv[32];
    size_t argc = 0;
    str rest = str_c(line), word;

    while (rest.len && argc < COUNT(argv)) {
        str_cut(rest, STR(" "), &word, &rest);
        argv[argc++] = str_z(a, word);
    }
    *o = options_new(a);
    *v = (struct values){0};
    options_defaults(a, table, COUNT(table), v);
    options_add(o, table, COUNT(table), v);
    return options_parse(o, argc, argv, e);
}

static const struct {
    const char *line, *want;
} error_cases[] = {
    {"--x", "unknown flag: --x"},
    {"--x=1", "unknown flag: --x"},
    {"-xyz", "unknown shorthand flag: 'x' in -xyz"},
    {"-ax", "unknown shorthand flag: 'x' in -x"},
    {"--number", "flag needs an argument: --number"},
    {"-n", "flag needs an argument: 'n' in -n"},
    {"-an", "flag needs an argument: 'n' in -n"},
    {"--=x", "bad flag syntax: --=x"},
    {"---x", "bad flag syntax: ---x"},
    {"-n x", "invalid argument \"x\" for \"-n, --number\" flag: strconv.ParseInt: parsing \"x\": "
             "invalid syntax"},
    {"-n 9223372036854775808",
     "invalid argument \"9223372036854775808\" for \"-n, --number\" flag: "
     "strconv.ParseInt: parsing \"9223372036854775808\": value out of "
     "range"},
    {"--all=yes", "invalid argument \"yes\" for \"-a, --all\" flag: strconv.ParseBool: parsing "
                  "\"yes\": invalid syntax"},
    {"--wait 5",
     "invalid argument \"5\" for \"--wait\" flag: time: missing unit in duration \"5\""},
    {"--wait 5y",
     "invalid argument \"5y\" for \"--wait\" flag: time: unknown unit \"y\" in duration "
     "\"5y\""},
    {"-f a\"b",
     "invalid argument \"a\\\"b\" for \"-f, --files\" flag: parse error on line 1, column "
     "2: bare \" in non-quoted-field"},
    {"-o xml", "invalid argument \"xml\" for \"-o, --format\" flag: must be one of json, yaml"},
    {"--nam x", "unknown flag: --nam"},
    {"--help", "pflag: help requested"},
    {"-h", "pflag: help requested"},
};

TEST(errors_are_worded_as_pflag_words_them)
{
    for (size_t i = 0; i < COUNT(error_cases); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct options o;
        struct values v;

        assert_false(parse(a, &o, &v, error_cases[i].line, &e));
        assert_str(e.text, str_c(error_cases[i].want));
        assert_int_equal(e.kind, ERR_USAGE);
    }
}

TEST(values_are_stored_where_the_table_says)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct options o;
    struct values v;

    assert_ok(parse(a, &o, &v,
                    "-accn0x10 one --files=x,y -fz --words=p,q --wait=1.5s -o json two "
                    "--name -- --all",
                    &e),
              &e);
    assert_true(v.all);
    assert_int_equal(v.count, 2);
    assert_int_equal(v.number, 16);
    assert_int_equal(v.wait, 1500 * NS_PER_MS);
    assert_int_equal(v.files.len, 3);
    assert_str(v.files.items[2], STR("z"));
    assert_int_equal(v.words.len, 1);
    assert_str(v.words.items[0], STR("p,q"));
    assert_str(v.format, STR("json"));
    assert_str(v.name, STR("me"));
    assert_int_equal(o.word_count, 3);
    assert_str(o.words[2], STR("--all"));
    assert_int_equal(o.words_before_dash, 2);
    assert_true(options_given(&o, STR("words")));
    assert_false(options_given(&o, STR("secret")));
}

TEST(defaults_stay_until_an_option_is_given)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct options o;
    struct values v;

    assert_ok(parse(a, &o, &v, "", &e), &e);
    assert_int_equal(v.number, 4);
    assert_int_equal(v.wait, 90 * NS_PER_SEC);
    assert_int_equal(v.files.len, 2);
    assert_str(v.format, STR("yaml"));
    assert_false(options_given(&o, STR("number")));
    assert_ok(parse(a, &o, &v, "--files=", &e), &e);
    assert_int_equal(v.files.len, 0);
}

TEST(an_earlier_table_hides_names_of_a_later_one)
{
    struct own {
        bool verbose;
    } own = {0};
    struct shared {
        int64_t verbose;
        bool quiet;
    } shared = {0};
    static const struct option own_table[] = {
        {"verbose", 'v', OPTION_BOOL, offsetof(struct own, verbose), .help = ""}};
    static const struct option shared_table[] = {
        {"quiet", 'q', OPTION_BOOL, offsetof(struct shared, quiet), .help = ""},
        {"verbose", 'v', OPTION_COUNT, offsetof(struct shared, verbose), .help = ""}};
    char *argv[] = {"-vq", "--verbose"};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct options o = options_new(a);

    options_add(&o, own_table, COUNT(own_table), &own);
    options_add(&o, shared_table, COUNT(shared_table), &shared);
    assert_ok(options_parse(&o, COUNT(argv), argv, &e), &e);
    assert_true(own.verbose);
    assert_true(shared.quiet);
    assert_int_equal(shared.verbose, 0);
}

static const struct {
    const char *given, *want;
} suggest_cases[] = {
    {"formta", "format"}, {"fromat", "format"}, {"nmae", "name"}, {"wor", "words"},
    {"secrte", NULL},     {"xyzzy", NULL},      {"x", NULL},      {"", NULL},
};

TEST(a_slip_of_the_finger_gets_a_suggestion)
{
    AUTO_ARENA a = arena_new();
    struct values v = {0};
    struct options o = options_new(a);

    options_add(&o, table, COUNT(table), &v);
    for (size_t i = 0; i < COUNT(suggest_cases); i++) {
        const struct option *near = options_suggest(&o, str_c(suggest_cases[i].given));
        assert_str(near ? str_c(near->name) : STR_NONE, str_c(suggest_cases[i].want));
    }
}

TEST(usage_is_laid_out_in_columns)
{
    AUTO_ARENA a = arena_new();
    struct buf out = buf_new(a, BUF_UNLIMITED);

    options_usage(&out, table, COUNT(table), 0);
    assert_str(buf_str(&out), STR("  -a, --all                  Show all\n"
                                  "  -c, --count count          Count\n"
                                  "  -f, --files FILES          Read FILES (default [a,b])\n"
                                  "  -o, --format string        Write so (default \"yaml\")\n"
                                  "      --name string[=\"me\"]   Name\n"
                                  "  -n, --number int           Number (default 4)\n"
                                  "      --wait duration        Wait (default 1m30s)\n"
                                  "      --words stringArray    Words\n"));
}

static const struct option long_table[] = {
    {"long", 'l', OPTION_STRING, 0,
     .help = "A `thing` that needs so many words that they do not fit on one line of the page,\n"
             "and that has a line of its own"},
};

static const struct {
    size_t cols;
    const char *want;
} wrap_cases[] = {
    {60, "  -l, --long thing   A thing that needs so many words\n"
         "                     that they do not fit on one line\n"
         "                     of the page,\n"
         "                     and that has a line of its own\n"},
    {40, "  -l, --long thing   \n"
         "                A thing that needs\n"
         "                so many words that\n"
         "                they do not fit on\n"
         "                one line of the\n"
         "                page,\n"
         "                and that has a\n"
         "                line of its own\n"},
    {30, "  -l, --long thing   A thing that needs so many words that they do not fit on one line "
         "of the page,\n"
         "                and that has a line of its own\n"},
};

TEST(usage_is_wrapped_as_pflag_wraps)
{
    for (size_t i = 0; i < COUNT(wrap_cases); i++) {
        AUTO_ARENA a = arena_new();
        struct buf out = buf_new(a, BUF_UNLIMITED);
        options_usage(&out, long_table, COUNT(long_table), wrap_cases[i].cols);
        assert_str(buf_str(&out), str_c(wrap_cases[i].want));
    }
}

TEST(the_first_word_can_end_the_options)
{
    char *argv[] = {"-a", "diff", "-o", "xml"};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct values v = {0};
    struct options o = options_new(a);

    o.stop_at_word = true;
    options_add(&o, table, COUNT(table), &v);
    assert_ok(options_parse(&o, COUNT(argv), argv, &e), &e);
    assert_true(v.all);
    assert_int_equal(o.word_count, 3);
}

RUN_TESTS(cmocka_unit_test(errors_are_worded_as_pflag_words_them),
          cmocka_unit_test(values_are_stored_where_the_table_says),
          cmocka_unit_test(defaults_stay_until_an_option_is_given),
          cmocka_unit_test(an_earlier_table_hides_names_of_a_later_one),
          cmocka_unit_test(a_slip_of_the_finger_gets_a_suggestion),
          cmocka_unit_test(usage_is_laid_out_in_columns),
          cmocka_unit_test(usage_is_wrapped_as_pflag_wraps),
          cmocka_unit_test(the_first_word_can_end_the_options))
