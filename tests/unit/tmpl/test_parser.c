/* SPDX-License-Identifier: Apache-2.0 */
#include "../test.h"

#include "tmpl/tmpl.h"

/* The canonical form of text, or the error. */
static str printed(struct arena *a, str text)
{
    struct tmpl_set *set = tmpl_new(a, &(struct tmpl_options){.profile = TMPL_KC});
    struct buf b = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    if (!tmpl_parse(set, STR("t"), text, &e))
        return str_copy(a, e.text);
    tmpl_print(set, STR("t"), &b);
    return buf_str(&b);
}

static const struct {
    const char *text, *want;
} printing[] = {
    {"a {{-  .x   |  upper -}} b", "a{{.x | upper}}b"},
    {"{{if .a}}1{{else if .b}}2{{else}}3{{end}}",
     "{{if .a}}1{{else}}{{if .b}}2{{else}}3{{end}}{{end}}"},
    {"{{with .a}}1{{else with .b}}2{{end}}", "{{with .a}}1{{else}}{{with .b}}2{{end}}{{end}}"},
    {"{{range $i, $x := .l}}{{break}}{{continue}}{{end}}",
     "{{range $i, $x := .l}}{{break}}{{continue}}{{end}}"},
    {"{{$x := 1}}{{$x = (print 1).y.z}}", "{{$x := 1}}{{$x = (print 1).y.z}}"},
    {"{{define \"d\"}}x{{end}}{{template `d` .}}", "{{template \"d\" .}}"},
    {"{{block \"b\" .a}}x{{end}}", "{{template \"b\" .a}}"},
    {"{{/* gone */}}{{'a'}}{{`r`}}{{0x1F}}{{nil | print}}",
     "{{'a'}}{{`r`}}{{0x1F}}{{nil | print}}"},
};

TEST(trees_print_in_canonical_form)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(printing); i++)
        assert_str(printed(a, str_c(printing[i].text)), str_c(printing[i].want));
}

TEST(canonical_form_is_a_fixed_point)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(printing); i++) {
        str once = printed(a, str_c(printing[i].text));
        assert_str(printed(a, once), once);
    }
}

static const struct {
    const char *text, *want;
} errors[] = {
    {"{{", "template: t:1: unclosed action"},
    {"\n{{ .a\n", "template: t:3: unclosed action started at t:2"},
    {"{{nope}}", "template: t:1: function \"nope\" not defined"},
    {"{{$x}}", "template: t:1: undefined variable \"$x\""},
    {"{{if .a}}", "template: t:1: unexpected EOF"},
    {"{{end}}", "template: t:1: unexpected {{end}}"},
    {"{{if .a}}{{else}}{{else}}{{end}}", "template: t:1: expected end; found {{else}}"},
    {"{{if .a}}x{{else with .b}}{{end}}", "template: t:1: unexpected <with> in input"},
    {"{{break}}", "template: t:1: {{break}} outside {{range}}"},
    {"{{1 | 2}}", "template: t:1: non executable command in pipeline stage 2"},
    {"{{range $a, $b, $c := .l}}{{end}}", "template: t:1: too many declarations in range"},
    {"{{1.2.3}}", "template: t:1: unexpected \".3\" in operand"},
    {"{{true.x}}", "template: t:1: unexpected . after term \"true\""},
    {"{{\"a long string\" := 1}}", "template: t:1: unexpected \":=\" in operand"},
    {"{{template x}}", "template: t:1: unexpected \"x\" in template clause"},
    {"{{template \"aaaaaaaaaaaaaa\" \"b\"c}}", "template: t:1: unexpected \"c\" in operand"},
    {"{{define \"x\"}}a{{end}}{{define \"x\"}}b{{end}}",
     "template: t:1: template: multiple definition of template \"x\""},
    {"{{08}}", "template: t:1: integer overflow: \"08\""},
    {"{{'ab'}}", "template: t:1: malformed character constant: 'ab'"},
    {"{{\"\\z\"}}", "template: t:1: invalid syntax"},
    {"{{1e999+1i}}", "template: t:1: strconv.ParseFloat: parsing \"1e999\": value out of range"},
};

TEST(errors_are_worded_and_placed_as_in_go)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(errors); i++)
        assert_str(printed(a, str_c(errors[i].text)), str_c(errors[i].want));
}

/* text repeated n times. */
static str times(struct arena *a, const char *text, size_t n)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < n; i++)
        buf_add(&b, str_c(text));
    return buf_str(&b);
}

TEST(nesting_is_limited)
{
    AUTO_ARENA a = arena_new();
    str parens =
        str_fmt(a, "{{%.*s1%.*s}}", STR_ARG(times(a, "(", 20000)), STR_ARG(times(a, ")", 20000)));

    assert_str(printed(a, parens), STR("template: t:1: max expression depth exceeded"));
    assert_str(printed(a, times(a, "{{if 1}}", 20000)),
               STR("template: t:1: max nesting depth exceeded"));
    assert_str(printed(a, times(a, "{{block \"b\" 1}}", 20000)),
               STR("template: t:1: max nesting depth exceeded"));
}

TEST(a_text_that_fails_changes_nothing)
{
    AUTO_ARENA a = arena_new();
    struct tmpl_set *set = tmpl_new(a, NULL);
    AUTO_ERR e = {0};

    assert_ok(tmpl_parse(set, STR("a"), STR("1"), &e), &e);
    assert_false(tmpl_parse(set, STR("b"), STR("{{define \"a\"}}2{{end}}{{"), &e));
    assert_false(tmpl_has(set, STR("b")));
    struct buf b = buf_new(a, BUF_UNLIMITED);
    tmpl_print(set, STR("a"), &b);
    assert_str(buf_str(&b), STR("1"));
}

TEST(later_texts_replace_unless_empty)
{
    AUTO_ARENA a = arena_new();
    struct tmpl_set *set = tmpl_new(a, NULL);
    struct buf b = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    assert_ok(tmpl_parse(set, STR("a"), STR("1{{define \"x\"}}one{{end}}"), &e), &e);
    assert_ok(tmpl_parse(set, STR("a"), STR(" \n"), &e), &e);
    assert_ok(tmpl_parse(set, STR("b"), STR("{{define \"x\"}}two{{end}}"), &e), &e);
    tmpl_print(set, STR("a"), &b);
    tmpl_print(set, STR("x"), &b);
    assert_str(buf_str(&b), STR("1two"));
}

/* The error of a text whose actions another text may have had before; none when it runs. */
static str error_after(struct arena *a, const char *before, const char *text)
{
    struct tmpl_options options = {.profile = TMPL_KC, .actions = tmpl_actions_new(a)};
    struct tmpl_set *first = tmpl_new(a, &options), *set = tmpl_new(a, &options);
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct tmpl_run run = {0};
    AUTO_ERR e = {0};

    assert_ok(tmpl_parse(first, STR("f"), str_c(before), &e), &e);
    if (tmpl_parse(set, STR("t"), str_c(text), &e) &&
        tmpl_execute(a, set, STR("t"), &run, &out, &e))
        return STR_NONE;
    return str_copy(a, e.text);
}

TEST(an_action_is_the_same_elsewhere)
{
    static const struct {
        const char *before, *text, *want;
    } cases[] = {
        {"{{fail `no` | upper}}", "\n\n  {{fail `no` | upper}}",
         "template: t:3:4: executing \"t\" at <fail `no`>: error calling fail: no"},
        {"{{if (fail `no`)}}{{end}}", "\n{{if 1}}{{if (fail `no`)}}{{end}}{{end}}",
         "template: t:2:14: executing \"t\" at <fail `no`>: error calling fail: no"},
        {"{{template \"x\" (fail `no`)}}{{define \"x\"}}{{end}}",
         "{{define \"x\"}}{{end}}\n{{template \"x\" (fail `no`)}}",
         "template: t:2:16: executing \"t\" at <fail `no`>: error calling fail: no"},
        {"{{$x := 1}}{{$x}}", "{{$x}}", "template: t:1: undefined variable \"$x\""},
        {"{{$x := 1}}{{$x}}", "{{if 1}}{{$x := 1}}{{end}}\n{{$x}}",
         "template: t:2: undefined variable \"$x\""},
        {"{{range $i, $x := .}}{{$x}}{{end}}", "{{range $i, $x := .}}{{$x}}{{end}}{{$x}}",
         "template: t:1: undefined variable \"$x\""},
        {"{{$x := 1}}{{$x}}", "{{$x := 1}}{{$x}}", ""},
        {"{{- 1 -}} ", "{{- 1 -}} \n{{end}}", "template: t:2: unexpected {{end}}"},
        {"{{print\n1}}", "{{print\n1}}{{end}}", "template: t:2: unexpected {{end}}"},
        {"{{if 1}}{{end}}", "{{end}}", "template: t:1: unexpected {{end}}"},
        {"{{if 1}}{{else}}{{end}}", "{{if 1}}{{else}}\n{{else}}",
         "template: t:2: expected end; found {{else}}"},
        {"{{print `}}`}}", "{{print `}}`}}{{print `}} `}}{{end}}",
         "template: t:1: unexpected {{end}}"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        assert_str(error_after(a, cases[i].before, cases[i].text), str_c(cases[i].want));
        assert_str(error_after(a, "", cases[i].text), str_c(cases[i].want));
    }
}

TEST(what_tpl_parses_is_kept_for_no_one)
{
    AUTO_ARENA a = arena_new();
    struct tmpl_options options = {.profile = TMPL_HELM, .actions = tmpl_actions_new(a)};
    struct tmpl_set *outer = tmpl_new(a, &options), *after = tmpl_new(a, &options);
    AUTO_ERR e = {0};

    assert_ok(tmpl_parse(outer, STR("t"), STR("{{tpl `{{upper \"x\"}}` .}}"), &e), &e);
    for (int i = 0; i < 2; i++) {
        AUTO_ARENA run_arena = arena_new();
        struct buf out = buf_new(run_arena, BUF_UNLIMITED);
        struct tmpl_run run = {0};
        assert_ok(tmpl_execute(run_arena, outer, STR("t"), &run, &out, &e), &e);
        assert_str(buf_str(&out), STR("X"));
        memset(out.data, 'y', out.len);
    }
    assert_ok(tmpl_parse(after, STR("t"), STR("{{upper \"x\"}}"), &e), &e);
    struct buf printed_form = buf_new(a, BUF_UNLIMITED);
    tmpl_print(after, STR("t"), &printed_form);
    assert_str(buf_str(&printed_form), STR("{{upper \"x\"}}"));
}

/* Where the white space differs, the printed form is not what is written. */
TEST(shared_actions_print_in_canonical_form)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"{{print 1 2}}", "{{print 1 2}}"},
        {"{{- print 1 2 -}}", "{{print 1 2}}"},
        {"{{print  1 2}}", "{{print 1 2}}"},
        {"{{print\n1\n2}}", "{{print 1 2}}"},
        {"{{print\t1 2}}", "{{print 1 2}}"},
        {"{{  print 1 -2  }}", "{{print 1 -2}}"},
        {"{{print \"a  |b\" `c  (` ' '}}", "{{print \"a  |b\" `c  (` ' '}}"},
        {"{{print ( 1 | print) }}", "{{print (1 | print)}}"},
        {"{{print (1 | print ) }}", "{{print (1 | print)}}"},
        {"{{print (1| print)}}", "{{print (1 | print)}}"},
        {"{{print (1 |print)}}", "{{print (1 | print)}}"},
        {"{{1|print}}", "{{1 | print}}"},
        {"{{1 | print | }}", "{{1 | print}}"},
        {"{{print (1 | print |)}}", "{{print (1 | print)}}"},
        {"{{$x:=1}}{{$x =2}}", "{{$x := 1}}{{$x = 2}}"},
        {"{{$x := 1}}{{$x = 2}}", "{{$x := 1}}{{$x = 2}}"},
        {"{{$x :=1}}{{$x =2}}", "{{$x := 1}}{{$x = 2}}"},
        {"{{$x:= 1}}{{$x = 2}}", "{{$x := 1}}{{$x = 2}}"},
        {"{{range $i,$x := .}}{{end}}", "{{range $i, $x := .}}{{end}}"},
        {"{{range $i ,$x := .}}{{end}}", "{{range $i, $x := .}}{{end}}"},
        {"{{range $i , $x := .}}{{end}}", "{{range $i, $x := .}}{{end}}"},
        {"{{range $i, $x := .}}{{end}}", "{{range $i, $x := .}}{{end}}"},
        {"{{if  (.a).b}}{{else if .c | not}}{{end}}",
         "{{if (.a).b}}{{else}}{{if .c | not}}{{end}}{{end}}"},
        {"{{template `t` .a|print}}", "{{template \"t\" .a | print}}"},
        {"{{with .a -}} {{- end}}", "{{with .a}}{{end}}"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        struct tmpl_options options = {.actions = tmpl_actions_new(a)};
        /* The second set finds what the first one has parsed. */
        for (int round = 0; round < 2; round++) {
            struct tmpl_set *set = tmpl_new(a, &options);
            struct buf b = buf_new(a, BUF_UNLIMITED);
            AUTO_ERR e = {0};
            assert_ok(tmpl_parse(set, STR("t"), str_c(cases[i].text), &e), &e);
            tmpl_print(set, STR("t"), &b);
            assert_str(buf_str(&b), str_c(cases[i].want));
        }
    }
}

RUN_TESTS(cmocka_unit_test(trees_print_in_canonical_form),
          cmocka_unit_test(canonical_form_is_a_fixed_point),
          cmocka_unit_test(errors_are_worded_and_placed_as_in_go),
          cmocka_unit_test(nesting_is_limited), cmocka_unit_test(a_text_that_fails_changes_nothing),
          cmocka_unit_test(later_texts_replace_unless_empty),
          cmocka_unit_test(an_action_is_the_same_elsewhere),
          cmocka_unit_test(shared_actions_print_in_canonical_form),
          cmocka_unit_test(what_tpl_parses_is_kept_for_no_one))
