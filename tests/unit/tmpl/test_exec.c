/* SPDX-License-Identifier: Apache-2.0 */
#include "render.h"

static const struct render_case values[] = {
    {"{{.a}} {{.b}} {{.c}} {{.d}}", "{\"a\":1,\"b\":1.5,\"c\":\"x\",\"d\":null}",
     "1 1.5 x <no value>"},
    {"{{.n.x.y}}", "{}", "<no value>"},
    {"{{.n.x}}", "{\"n\":null}",
     "template: t:1:4: executing \"t\" at <.n.x>: nil pointer evaluating interface {}.x"},
    {"a{{.s.x}}", "{\"s\":\"\"}",
     "a|template: t:1:5: executing \"t\" at <.s.x>: can't evaluate field x in type interface {}"},
    {"{{$s := .s}}{{$s.x}}", "{\"s\":\"\"}",
     "template: t:1:16: executing \"t\" at <$s.x>: can't evaluate field x in type string"},
    {"{{.}}", "{\"b\":[1,\"a\",null],\"a\":{\"x\":true}}", "map[a:map[x:true] b:[1 a <nil>]]"},
    {"{{.big}} {{.huge}}", "{\"big\":9223372036854775807,\"huge\":9223372036854775808}",
     "9223372036854775807 9.223372036854776e+18"},
};

TEST(data_is_seen_as_go_sees_it)
{
    check_renders(values, COUNT(values));
}

static const struct render_case control[] = {
    {"{{if .a}}1{{else if .b}}2{{else}}3{{end}}", "{\"b\":[0]}", "2"},
    {"{{with $x := .a}}{{$x}}{{.}}{{else}}none{{end}}", "{\"a\":5}", "55"},
    {"{{range $k, $v := .}}{{$k}}={{$v}};{{end}}", "{\"b\":2,\"a\":1}", "a=1;b=2;"},
    {"{{range 3}}{{.}}{{end}}{{range $i := 2}}{{$i}}{{end}}", NULL, "01201"},
    {"{{range .l}}{{if eq . 2}}{{continue}}{{end}}{{if eq . 4}}{{break}}{{end}}{{.}}{{end}}",
     "{\"l\":[1,2,3,4,5]}", "13"},
    {"{{range .ll}}{{range $.el}}{{else}}{{break}}{{end}}x{{end}}", "{\"ll\":[1,2],\"el\":[]}",
     "xx"},
    {"{{$x := 1}}{{if true}}{{$x = 2}}{{$x := 3}}{{end}}{{$x}}", NULL, "2"},
    {"{{define \"f\"}}{{if .}}{{.}}{{template \"f\" (slice . 1)}}{{end}}{{end}}{{template \"f\" "
     ".l}}",
     "{\"l\":[1,2]}", "[1 2][2]"},
    {"{{template \"f\"}}", NULL,
     "template: t:1:11: executing \"t\" at <{{template \"f\"}}>: template \"f\" not defined"},
    {"{{and false ($x := 1)}}{{$x}}", NULL,
     "false|template: t:1:25: executing \"t\" at <$x>: undefined variable: $x"},
    {"{{range 2.5}}{{end}}", NULL,
     "template: t:1:8: executing \"t\" at <2.5>: range can't iterate over 2.5"},
};

TEST(control_structures_work)
{
    check_renders(control, COUNT(control));
}

static const struct render_case arguments[] = {
    {"{{upper 1}}", NULL, "template: t:1:8: executing \"t\" at <1>: expected string; found 1"},
    {"{{upper .n}}", "{\"n\":1}",
     "template: t:1:8: executing \"t\" at <.n>: wrong type for value; expected string; got int64"},
    {"{{upper .n}}", "{\"n\":null}",
     "template: t:1:8: executing \"t\" at <.n>: wrong type for value; expected string; got "
     "interface {}"},
    {"{{upper .n}}", "{}",
     "template: t:1:8: executing \"t\" at <.n>: invalid value; expected string"},
    {"{{upper nil}}", NULL,
     "template: t:1:8: executing \"t\" at <nil>: cannot assign nil to string"},
    /* That a variable takes no arguments counts before its type. */
    {"{{upper ($ 1)}}", NULL,
     "template: t:1:9: executing \"t\" at <$>: can't give argument to non-function $"},
    {"{{$x := 1}}{{upper (2 | $x)}}", NULL,
     "template: t:1:24: executing \"t\" at <$x>: can't give argument to non-function $x"},
    {"{{upper}}", NULL,
     "template: t:1:2: executing \"t\" at <upper>: wrong number of args for upper: want 1 got 0"},
    {"{{round 1}}", NULL,
     "template: t:1:2: executing \"t\" at <round>: wrong number of args for round: want at least 2 "
     "got 1"},
    {"{{keys 1}}", NULL,
     "template: t:1:7: executing \"t\" at <1>: can't handle 1 for arg of type map[string]interface "
     "{}"},
    {"{{div 1 0}}", NULL,
     "template: t:1:2: executing \"t\" at <div 1 0>: error calling div: runtime error: integer "
     "divide by zero"},
    {"{{1 2}}", NULL,
     "template: t:1:2: executing \"t\" at <1>: can't give argument to non-function 1"},
};

TEST(arguments_are_checked_against_the_signature)
{
    check_renders(arguments, COUNT(arguments));
}

static const struct render_case aliases[] = {
    {"{{$m := .m}}{{$_ := set .m \"k\" 2}}{{$m.k}} {{.}}", "{\"m\":{\"k\":1}}",
     "2 map[m:map[k:2]]"},
    {"{{$_ := unset .m \"k\"}}{{.m}} {{hasKey .m \"k\"}}", "{\"m\":{\"k\":1,\"l\":2}}",
     "map[l:2] false"},
    {"{{$d := dict \"s\" .m}}{{$_ := set $d.s \"x\" 1}}{{toJson .}}", "{\"m\":{}}",
     "{\"m\":{\"x\":1}}"},
    {"{{$c := deepCopy .m}}{{$_ := set $c \"x\" 1}}{{.m}}", "{\"m\":{\"a\":[{}]}}",
     "map[a:[map[]]]"},
};

TEST(maps_are_references_also_in_data)
{
    check_renders(aliases, COUNT(aliases));
}

TEST(data_itself_is_never_changed)
{
    AUTO_ARENA a = arena_new();
    struct tmpl_run run = {0};

    render_with(a, "{{$_ := set . \"a\" 2}}{{$_ := unset . \"b\"}}", "{\"a\":1,\"b\":2}", TMPL_KC,
                &run);
    assert_str(value_text(value_get(run.data, STR("a"))), STR("1"));
    assert_non_null(value_get(run.data, STR("b")));
}

/* ---- Limits ---- */

static const char *const hostile[] = {
    "{{repeat 300000000 \"A\"}}",
    "{{range 1000000000}}{{end}}",
    "{{range until 1000000000}}{{end}}",
    "{{seq 1 1000000000}}",
    "{{$x := \"ab\"}}{{range 99}}{{$x = print $x $x}}{{end}}",
    "{{$x := list 1}}{{range 99}}{{$x = concat $x $x}}{{end}}",
    "{{uniq (until 100000)}}",
    "{{$d := dict}}{{$_ := set $d \"a\" $d}}{{$d}}",
    "{{$d := dict}}{{$_ := set $d \"a\" $d}}{{mustToJson $d}}",
    "{{$d := dict}}{{$_ := set $d \"a\" $d}}{{deepEqual $d (dict \"a\" $d)}}",
    "{{$x := list}}{{range 99999}}{{$x = list $x}}{{end}}{{deepCopy $x}}",
    "{{indent 2000000000 \"a\"}}",
    "{{range 99999999}}{{regexMatch \"(a*)*b\" (repeat 10000 \"a\")}}{{end}}",
};

TEST(hostile_templates_end_with_an_error_in_their_place)
{
    for (size_t i = 0; i < COUNT(hostile); i++) {
        AUTO_ARENA a = arena_new();
        str out = render(a, hostile[i], NULL);
        if (!str_contains(out, STR("template: t:1:")))
            print_error("%s gave %.*s\n", hostile[i], STR_ARG(str_slice(out, 0, 200)));
        assert_true(str_contains(out, STR("template: t:1:")));
        assert_true(arena_held(a) < 256 * MIB);
    }
}

TEST(endless_recursion_ends_as_in_go)
{
    AUTO_ARENA a = arena_new();

    assert_str(render(a, "{{define \"r\"}}{{template \"r\" .}}{{end}}{{template \"r\"}}", NULL),
               STR("template: t:1:25: executing \"r\" at <{{template \"r\" .}}>: exceeded maximum "
                   "template depth (100000)"));
}

TEST(limits_of_the_host_are_kept)
{
    static const struct {
        struct tmpl_limits limits;
        const char *text, *want;
    } cases[] = {
        {{.steps = 50},
         "{{range 100}}{{end}}",
         "template: t:1:8: executing \"t\" at <100>: the template takes too many steps"},
        {{.output = 4},
         "{{range 100}}ab{{end}}",
         "ababab|template: t:1:13: executing \"t\" at <ab>: the template writes too much"},
        {{.depth = 2},
         "{{define \"r\"}}{{template \"r\"}}{{end}}{{template \"r\"}}",
         "template: t:1:25: executing \"r\" at <{{template \"r\"}}>: exceeded maximum template "
         "depth (2)"},
        {{.memory = 10000},
         "{{repeat 10001 \"a\"}}",
         "template: t:1:2: executing \"t\" at <repeat 10001 \"a\">: error calling repeat: the "
         "result is "
         "too large"},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tmpl_run run = {.limits = &cases[i].limits};
        assert_str(render_with(a, cases[i].text, NULL, TMPL_KC, &run), str_c(cases[i].want));
    }
}

TEST(an_execution_stays_in_its_arena_and_leaves_the_set_alone)
{
    AUTO_ARENA keep = arena_new();
    AUTO_ARENA a = arena_new();
    struct tmpl_set *set = tmpl_new(keep, &(struct tmpl_options){.profile = TMPL_KC});
    struct tmpl_run run = {0};
    AUTO_ERR e = {0};

    assert_ok(tmpl_parse(set, STR("t"), STR("{{$x := list 1 2}}{{join \",\" $x}}"), &e), &e);
    size_t used = arena_used(keep);
    for (int i = 0; i < 3; i++) {
        struct buf out = buf_new(a, KIB);
        assert_ok(tmpl_execute(a, set, STR("t"), &run, &out, &e), &e);
        assert_str(buf_str(&out), STR("1,2"));
        arena_reset(a);
    }
    assert_int_equal(arena_used(keep), used);
}

TEST(templates_of_another_set_are_as_if_parsed_here)
{
    static const struct {
        const char *own, *first, *second, *want;
    } cases[] = {
        {"{{template \"f\"}}", "{{define \"f\"}}1{{end}}", "{{define \"f\"}}2{{end}}", "2"},
        {"{{template \"f\"}}{{define \"f\"}}own{{end}}", "{{define \"f\"}} {{end}}", "", "own"},
        {"{{template \"f\"}}{{define \"f\"}}own{{end}}", "{{define \"f\"}}1{{end}}", "", "1"},
        {"own", "{{define \"t\"}}1{{end}}", "{{define \"t\"}} {{end}}", "1"},
        {"{{template \"f\"}}", "{{define \"f\"}}{{template \"g\"}}{{end}}",
         "{{define \"g\"}}{{printf \"%d\" 3}}{{end}}", "3"},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tmpl_set *shared = tmpl_new(a, NULL), *set = tmpl_new(a, NULL);
        struct buf out = buf_new(a, KIB);
        struct tmpl_run run = {0};
        AUTO_ERR e = {0};
        assert_ok(tmpl_parse(shared, STR("1"), str_c(cases[i].first), &e), &e);
        assert_ok(tmpl_parse(shared, STR("2"), str_c(cases[i].second), &e), &e);
        assert_ok(tmpl_parse(set, STR("t"), str_c(cases[i].own), &e), &e);
        tmpl_add(set, shared);
        assert_ok(tmpl_execute(a, set, STR("t"), &run, &out, &e), &e);
        assert_str(buf_str(&out), str_c(cases[i].want));
    }
}

TEST(a_missing_template_is_an_error)
{
    AUTO_ARENA a = arena_new();
    struct tmpl_set *set = tmpl_new(a, NULL);
    struct buf out = buf_new(a, KIB);
    struct tmpl_run run = {0};
    AUTO_ERR e = {0};

    assert_ok(tmpl_parse(set, STR("t"), STR("x"), &e), &e);
    assert_false(tmpl_execute(a, set, STR("u"), &run, &out, &e));
    assert_str(e.text, STR("template: no template \"u\" associated with template \"t\""));
}

TEST(per_cent_signs_in_names_are_verbs_in_messages)
{
    AUTO_ARENA a = arena_new();
    struct tmpl_set *set = tmpl_new(a, NULL);
    AUTO_ERR e = {0};

    assert_false(tmpl_parse(set, STR("%d.yaml"), STR("{{(1}}"), &e));
    assert_str(e.text,
               STR("template: {0 4 %!d(string=unclosed left paren) 1}.yaml:1: %!s(MISSING)"));
}

TEST(each_part_of_the_output_knows_its_line)
{
    static const struct tmpl_range want[] = {
        {0, 2, STR_INIT("t"), 1, NULL},   {2, 3, STR_INIT("t"), 2, NULL},
        {3, 5, STR_INIT("t"), 2, NULL},   {5, 7, STR_INIT("lib"), 1, NULL},
        {7, 8, STR_INIT("lib"), 2, NULL}, {8, 9, STR_INIT("lib"), 2, NULL},
        {9, 11, STR_INIT("t"), 3, NULL},
    };
    AUTO_ARENA a = arena_new();
    struct tmpl_set *set = tmpl_new(a, NULL);
    struct buf out = buf_new(a, KIB);
    struct tmpl_provenance from = {0};
    struct tmpl_run run = {.provenance = &from};
    AUTO_ERR e = {0};

    assert_ok(tmpl_parse(set, STR("t"), STR("a\n{{1}}b\n{{template \"x\"}}c\n"), &e), &e);
    assert_ok(tmpl_parse(set, STR("lib"), STR("{{define \"x\"}}x\ny{{2}}{{end}}"), &e), &e);
    assert_ok(tmpl_execute(a, set, STR("t"), &run, &out, &e), &e);
    assert_str(buf_str(&out), STR("a\n1b\nx\ny2c\n"));
    tmpl_provenance_ranges(a, &from);
    assert_int_equal(from.count, COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_int_equal(from.items[i].from, want[i].from);
        assert_int_equal(from.items[i].to, want[i].to);
        assert_int_equal(from.items[i].line, want[i].line);
        assert_str(from.items[i].file, want[i].file);
    }
}

TEST(notes_beyond_their_maximum_are_not_taken)
{
    AUTO_ARENA a = arena_new();
    struct tmpl_set *set = tmpl_new(a, NULL);
    struct value *list = value_list(a);
    AUTO_ERR e = {0};

    value_add(a, list, value_int(a, 1));
    value_add(a, list, value_int(a, 2));
    assert_ok(tmpl_parse(set, STR("t"), STR("{{range .}}{{.}}{{end}}b"), &e), &e);
    for (size_t max = 0; max < 4; max++) {
        struct buf out = buf_new(a, KIB);
        struct tmpl_provenance from = {.note_max = max};
        struct tmpl_run run = {.data = list, .provenance = &from};
        assert_ok(tmpl_execute(a, set, STR("t"), &run, &out, &e), &e);
        assert_int_equal(from.note_count, max ? max : 3);
        assert_int_equal(from.partial, max && max < 3);
    }
}

TEST(ranges_know_the_action_that_wrote_them)
{
    static const struct {
        const char *text, *action;
        bool reads;
    } cases[] = {
        {"a", "", false},
        {"{{ 1 }}", "{{1}}", false},
        {"{{- .x}}", "{{.x}}", true},
        {"{{ printf \"%d\" (len .) }}", "{{printf \"%d\" (len .)}}", true},
        {"{{ $ | len }}", "{{$ | len}}", true},
        {"{{ (index . \"x\").y }}", "{{(index . \"x\").y}}", true},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        struct tmpl_set *set = tmpl_new(a, NULL);
        struct buf out = buf_new(a, KIB), shown = buf_new(a, KIB);
        struct tmpl_provenance from = {0};
        struct tmpl_run run = {.provenance = &from};
        AUTO_ERR e = {0};

        assert_ok(tmpl_parse(set, STR("t"), str_c(cases[i].text), &e), &e);
        assert_ok(tmpl_execute(a, set, STR("t"), &run, &out, &e), &e);
        tmpl_provenance_ranges(a, &from);
        assert_int_equal(from.count, 1);
        tmpl_range_print(&from.items[0], &shown);
        assert_str(buf_str(&shown), str_c(cases[i].action));
        assert_int_equal(tmpl_range_reads(&from.items[0]), cases[i].reads);
    }
}

static const struct render_case exact_cases[] = {
    {"{{ .big }} {{ print .big }} {{ printf \"%v|%25v\" .big .big }}",
     "{\"big\":18446744073709551617}",
     "18446744073709551617 18446744073709551617 18446744073709551617|     18446744073709551617"},
    {"{{ toJson . }}", "{\"a\":[18446744073709551617,1.50]}", "{\"a\":[18446744073709551617,1.5]}"},
    {"{{ $_ := set . \"b\" 1 }}{{ toJson . }}", "{\"a\":18446744073709551617}",
     "{\"a\":18446744073709551617,\"b\":1}"},
    {"{{ eq .a .b }} {{ lt .a .b }} {{ deepEqual .a .a }}",
     "{\"a\":18446744073709551616,\"b\":18446744073709551617}", "false true true"},
    {"{{ if .a }}yes{{ end }} {{ int64 .a }} {{ kindOf .a }} {{ printf \"%.1e\" .a }}",
     "{\"a\":10000000000000000000.5}", "yes -9223372036854775808 float64 1.0e+19"},
    {"{{ .a }} {{ .b }}", "{\"a\":0.5,\"b\":9007199254740993}", "0.5 9007199254740993"},
};

TEST(numbers_that_go_would_round_stay_exact_when_asked_for)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(exact_cases); i++) {
        struct tmpl_run run = {.exact = true};
        assert_str(render_with(a, exact_cases[i].text, exact_cases[i].json, TMPL_KC, &run),
                   str_c(exact_cases[i].want));
    }
    assert_str(render(a, "{{ .a }}", "{\"a\":18446744073709551617}"),
               STR("1.8446744073709552e+19"));
}

RUN_TESTS(cmocka_unit_test(numbers_that_go_would_round_stay_exact_when_asked_for),
          cmocka_unit_test(notes_beyond_their_maximum_are_not_taken),
          cmocka_unit_test(ranges_know_the_action_that_wrote_them),
          cmocka_unit_test(each_part_of_the_output_knows_its_line),
          cmocka_unit_test(data_is_seen_as_go_sees_it), cmocka_unit_test(control_structures_work),
          cmocka_unit_test(arguments_are_checked_against_the_signature),
          cmocka_unit_test(maps_are_references_also_in_data),
          cmocka_unit_test(data_itself_is_never_changed),
          cmocka_unit_test(hostile_templates_end_with_an_error_in_their_place),
          cmocka_unit_test(endless_recursion_ends_as_in_go),
          cmocka_unit_test(limits_of_the_host_are_kept),
          cmocka_unit_test(an_execution_stays_in_its_arena_and_leaves_the_set_alone),
          cmocka_unit_test(templates_of_another_set_are_as_if_parsed_here),
          cmocka_unit_test(a_missing_template_is_an_error),
          cmocka_unit_test(per_cent_signs_in_names_are_verbs_in_messages))
