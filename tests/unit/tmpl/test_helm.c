/* SPDX-License-Identifier: Apache-2.0 */
/* Helm's functions, and lookups. More cases are in tests/recorded/template. */
#include "render.h"

static str helm(struct arena *a, const char *text, const char *json)
{
    struct tmpl_run run = {0};

    return render_with(a, text, json, TMPL_HELM, &run);
}

static const struct render_case cases[] = {
    {"{{ define \"a\" }}<{{ . }}>{{ end }}{{ include \"a\" 1 | upper }}", NULL, "<1>"},
    {"{{ include \"none\" . }}", NULL,
     "template: t:1:3: executing \"t\" at <include \"none\" .>: error calling include: template: "
     "no "
     "template \"none\" associated with template \"t\""},
    {"{{ tpl \"{{ .x }}{{ .none }}\" . }}|", "{\"x\":1}", "1|"},
    {"{{ tpl \"\" . }}|", NULL, "|"},
    {"{{ required \"m\" false }} {{ required \"m\" 0 }}", NULL, "false 0"},
    {"{{ toYamlPretty .v }}", "{\"v\":{\"a\":[1,{\"b\":\"x\\ty\\n\"}]}}",
     "a:\n  - 1\n  - b: |\n      x\ty"},
    {"{{ (fromToml .s).t }}", "{\"s\":\"t = 1979-05-27T07:32:00.5Z\"}",
     "1979-05-27 07:32:00.5 +0000 UTC"},
    {"{{ (fromToml .s).d }}", "{\"s\":\"d = 1979-05-27\"}", "1979-05-27 00:00:00 +0000 date-local"},
    {"{{ kindOf (fromToml .s).f }} {{ typeOf (fromToml .s).t }}",
     "{\"s\":\"f = 1e3\\n[[t]]\\nx=1\"}", "float64 []map[string]interface {}"},
};

TEST(helm_functions_answer_as_helm_does)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_str(helm(a, cases[i].text, cases[i].json), str_c(cases[i].want));
}

TEST(what_tpl_defines_is_gone_afterwards)
{
    AUTO_ARENA a = arena_new();

    assert_true(str_has_suffix(
        helm(a, "{{ tpl \"{{ define \\\"n\\\" }}N{{ end }}\" . }}{{ include \"n\" . }}", NULL),
        STR("no template \"n\" associated with template \"t\"")));
}

TEST(templates_that_include_each_other_end)
{
    static const char text[] = "{{ define \"a\" }}{{ include \"b\" . }}{{ end }}"
                               "{{ define \"b\" }}{{ include \"c\" . }}{{ end }}"
                               "{{ define \"c\" }}{{ include \"a\" . }}{{ end }}"
                               "{{ include \"a\" . }}";
    AUTO_ARENA a = arena_new();

    assert_true(str_has_suffix(helm(a, text, NULL), STR("the template nests too deep")));
    assert_true(str_has_suffix(helm(a, "{{ tpl .x . }}", "{\"x\":\"{{ tpl .x . }}\"}"),
                               STR("the template nests too deep")));
    assert_true(arena_held(a) < 64 * MIB);
}

/* ---- Lookups ---- */

static size_t find_two(void *ctx, struct arena *a, const str query[4], const struct value ***found)
{
    struct value *object = value_object(a);
    bool any = str_eq(query[TMPL_NAME], STR("*"));

    (void)ctx;
    value_set_int(a, object, STR("n"), 7);
    *found = ARENA_ARRAY(a, const struct value *, 2);
    (*found)[0] = (*found)[1] = object;
    return any ? 2 : str_eq(query[TMPL_NAME], STR("one"));
}

/* Whatever the depth at which the stack of values has to grow: it does not grow in each round. */
TEST(a_loop_in_included_templates_takes_no_memory)
{
    static const char text[] =
        "{{ define \"r\" }}{{ if . }}{{ include \"r\" (rest .) }}{{ else }}"
        "{{ range until 3000 }}{{ if add 1 2 3 4 5 6 7 8 }}{{ end }}{{ end }}"
        "{{ add 1 (add 2 (add 3 (add 4 5 6))) }}{{ end }}{{ end }}"
        "{{ include \"r\" (until %d) }}";
    const struct tmpl_limits limits = {.memory = MIB};

    for (int depth = 0; depth < 80; depth++) {
        AUTO_ARENA a = arena_new();
        struct tmpl_run run = {.limits = &limits};
        str whole = str_fmt(a, text, depth);
        assert_str(render_with(a, str_z(a, whole), NULL, TMPL_HELM, &run), STR("21"));
    }
}

TEST(lookups_ask_the_host)
{
    static const struct tmpl_hooks hooks = {.lookup = find_two};
    static const struct {
        const char *text, *want;
    } lookups[] = {
        {"{{ (lookupCR \"v1\" \"A\" \"\" \"one\").n }}", "7"},
        {"{{ lookupCR \"v1\" \"A\" \"\" \"*\" }}", "map[]"},
        {"{{ lookupCRs \"v1\" \"A\" \"\" \"*\" | len }}", "2"},
        {"{{ lookupCRs \"v1\" \"A\" \"\" \"none\" | toJson }}", "null"},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(lookups); i++) {
        struct tmpl_run run = {.hooks = &hooks};
        assert_str(render_with(a, lookups[i].text, NULL, TMPL_KC, &run), str_c(lookups[i].want));
        assert_false(run.do_not_match);
    }
}

TEST(do_not_match_is_told_to_the_host)
{
    AUTO_ARENA a = arena_new();
    struct tmpl_run run = {0};

    assert_true(str_has_suffix(render_with(a, "{{ doNotMatch \"x\" }}", NULL, TMPL_KC, &run),
                               STR("Do not match: x")));
    assert_true(run.do_not_match);
}

static str both(struct arena *a, const char *text, enum tmpl_profile profile,
                enum tmpl_profile extra)
{
    struct tmpl_set *set = tmpl_new(a, &(struct tmpl_options){.profile = profile, .extra = extra});
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct tmpl_run run = {0};
    AUTO_ERR e = {0};

    if (tmpl_parse(set, STR("t"), str_c(text), &e))
        (void)!tmpl_execute(a, set, STR("t"), &run, &out, &e);
    buf_add(&out, e.text);
    return buf_str(&out);
}

TEST(a_second_profile_adds_what_the_first_has_not)
{
    AUTO_ARENA a = arena_new();

    assert_str(both(a, "{{ define \"x\" }}X{{ end }}{{ include \"x\" . }}", TMPL_KC, TMPL_HELM),
               STR("X"));
    assert_str(both(a, "{{ tpl \"{{ .none }}\" . }}|{{ kindOf (lookup \"v1\" \"A\" \"\" \"a\") }}",
                    TMPL_KC, TMPL_HELM),
               STR("|map"));
    assert_true(str_has_suffix(both(a, "{{ required \"m\" .none }}", TMPL_KC, TMPL_HELM),
                               STR("error calling required: m")));
    assert_true(str_has_suffix(both(a, "{{ include \"x\" . }}", TMPL_KC, 0),
                               STR("function \"include\" not defined")));
    /* Of functions that both have it is the first's. */
    assert_true(str_has_suffix(both(a, "{{ fail \"m\" }}", TMPL_KC, TMPL_HELM), STR("fail: m")));
}

RUN_TESTS(cmocka_unit_test(a_second_profile_adds_what_the_first_has_not),
          cmocka_unit_test(helm_functions_answer_as_helm_does),
          cmocka_unit_test(what_tpl_defines_is_gone_afterwards),
          cmocka_unit_test(templates_that_include_each_other_end),
          cmocka_unit_test(a_loop_in_included_templates_takes_no_memory),
          cmocka_unit_test(lookups_ask_the_host),
          cmocka_unit_test(do_not_match_is_told_to_the_host))
