/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of functions: complete, sorted, and with examples that parse. */
#include "render.h"

#include "tmpl/internal.h"

TEST(tables_are_sorted_and_complete)
{
    for (size_t i = 0; tmpl_families[i]; i++) {
        for (const struct tmpl_func *f = tmpl_families[i]; f->name; f++) {
            assert_non_null(f->call);
            assert_true(f->help && f->help[0] && f->example && f->example[0]);
            assert_true(f->profiles != 0);
            if (f[1].name && strcmp(f->name, f[1].name) >= 0)
                fail_msg("%s and %s are not in order", f->name, f[1].name);
        }
    }
}

TEST(no_profile_has_two_functions_of_one_name)
{
    static const enum tmpl_profile profiles[] = {TMPL_GO, TMPL_KC, TMPL_HELM};
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(profiles); i++) {
        struct tmpl_help *all;
        size_t n = tmpl_functions(a, profiles[i], &all);
        assert_true(n > 15);
        for (size_t j = 1; j < n; j++)
            if (str_eq(all[j - 1].name, all[j].name))
                fail_msg("%.*s is there twice", STR_ARG(all[j].name));
    }
}

TEST(examples_parse)
{
    AUTO_ARENA a = arena_new();
    struct tmpl_help *all;
    size_t n = tmpl_functions(a, TMPL_KC, &all);

    for (size_t i = 0; i < n; i++) {
        struct tmpl_set *set = tmpl_new(a, &(struct tmpl_options){.profile = TMPL_KC});
        AUTO_ERR e = {0};
        assert_ok(tmpl_parse(set, all[i].name, str_c(all[i].example), &e), &e);
        if (!str_contains(str_c(all[i].example), all[i].name))
            fail_msg("the example of %.*s does not use it", STR_ARG(all[i].name));
    }
}

static const struct {
    const char *text;
    struct signature want;
} signatures[] = {
    {"func() string", {.fixed = 0, .result = TV_STRING}},
    {"func(int, string) string", {.fixed = 2, .result = TV_STRING, .params = {TV_INT, TV_STRING}}},
    {"func(...any) int64", {.fixed = 0, .variadic = true, .result = TV_INT64, .params = {TV_ANY}}},
    {"func(map[string]any, ...string) (map[string]any, error)",
     {.fixed = 1, .variadic = true, .result = TV_MAP, .params = {TV_MAP, TV_STRING}}},
    {"func(reflect.Value, []any, time.Time) []map[string]any",
     {.fixed = 3, .result = TV_MAPS, .params = {TV_VALUE, TV_LIST, TV_TIME}}},
};

TEST(signatures_are_read)
{
    for (size_t i = 0; i < COUNT(signatures); i++) {
        struct signature got = signature_parse(signatures[i].text);
        assert_memory_equal(&got, &signatures[i].want, sizeof(got));
    }
}

/* A few of each family; the recorded vectors have the rest. */
static const struct render_case samples[] = {
    {"{{trimAll \"-\" \"--a-\"}}|{{substr 1 3 \"hello\"}}|{{trunc -2 \"abc\"}}", NULL, "a|el|bc"},
    {"{{abbrev 5 \"hello world\"}}|{{wrap 5 \"hello big world\"}}", NULL,
     "he...|hello\nbig\nworld"},
    {"{{snakecase \"HTTPServer2XX\"}} {{camelcase \"a_b-c\"}}", NULL, "http_server2_xx ABC"},
    {"{{addf 0.1 0.2}} {{divf 1 3}} {{round 2.345 2}} {{mod -7 3}}", NULL,
     "0.3 0.3333333333333333 2.35 -1"},
    {"{{uniq (list 1 1.0 \"1\" 1)}} {{chunk 2 (until 3)}} {{initial (list)}}", NULL,
     "[1 1 1] [[0 1] [2]] []"},
    {"{{merge (dict \"a\" (dict \"x\" 1)) (dict \"a\" (dict \"y\" 2) \"b\" 3) | toJson}}", NULL,
     "{\"a\":{\"x\":1,\"y\":2},\"b\":3}"},
    {"{{dig \"a\" \"b\" \"none\" (dict \"a\" (dict \"b\" 5))}}", NULL, "5"},
    {"{{default \"d\" 0}} {{coalesce \"\" nil \"x\"}} {{ternary 1 2 false}}", NULL, "d x 2"},
    {"{{toYaml .}}", "{\"b\":[1,{\"c\":\"x: y\"}],\"a\":1.0}", "a: 1\nb:\n- 1\n- c: 'x: y'"},
    {"{{(fromYaml \"a: [1, 2]\").a}} {{(fromJson \"{\").Error}}", NULL,
     "[1 2] unexpected end of JSON input"},
    {"{{regexReplaceAll \"a(x*)b\" \"-axxb-\" \"<${1}>\"}} {{regexMatch \"(\" \"a\"}}", NULL,
     "-<xx>- false"},
    {"{{clean \"/a/./b/..//c\"}} {{base \"/a/b/\"}} {{ext \"a.b.c\"}}", NULL, "/a/c b .c"},
    {"{{b64dec (b64enc \"hé\")}} {{b32enc \"a\"}} {{b64dec \"?\"}}", NULL,
     "hé ME====== illegal base64 data at input byte 0"},
    {"{{(urlParse \"https://u:p@h:8/a%20b?q#f\").path}}", NULL, "/a b"},
    {"{{eq 1 2 1}} {{lt \"a\" \"b\"}} {{ge 2.5 2.5}}", NULL, "true true true"},
    {"{{html \"<a>\"}} {{js \"'\"}} {{urlquery \"a b&\"}}", NULL, "&lt;a&gt; \\' a+b%26"},
};

TEST(families_do_what_they_say)
{
    check_renders(samples, COUNT(samples));
}

RUN_TESTS(cmocka_unit_test(tables_are_sorted_and_complete),
          cmocka_unit_test(no_profile_has_two_functions_of_one_name),
          cmocka_unit_test(examples_parse), cmocka_unit_test(signatures_are_read),
          cmocka_unit_test(families_do_what_they_say))
