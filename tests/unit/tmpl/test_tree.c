/* SPDX-License-Identifier: Apache-2.0 */
/* test_tree.c - inspecting parsed templates. */
#include "../test.h"

#include "tmpl/tree.h"

/* A node and its children as nested brackets, with what each tells. */
static void show(struct buf *out, const struct node *n)
{
    static const char *const letters[] = {"C", "F", "I", "N", "R", "S", "o"};
    size_t count;
    const str *names = tmpl_node_names(n, &count);
    str text = tmpl_node_text(n);

    buf_fmt(out, "%s", letters[tmpl_node_kind(n)]);
    for (size_t i = 0; i < count; i++)
        buf_fmt(out, ".%.*s", STR_ARG(names[i]));
    if (text.len)
        buf_fmt(out, "=%.*s", STR_ARG(text));
    if (!tmpl_node_children(n))
        return;
    buf_char(out, '(');
    for (size_t i = 0; i < tmpl_node_children(n); i++) {
        if (i)
            buf_char(out, ' ');
        show(out, tmpl_node_child(n, i));
    }
    buf_char(out, ')');
}

static const struct {
    const char *text, *want;
} cases[] = {
    {"", "o"},
    {"x", "o(o)"},
    {"{{ .a.b }}", "o(o(o(C(F.a.b))))"},
    {"{{ index .a \"k\\\"\" `r` 0x1F }}", "o(o(o(C(I=index F.a S=k\" S=r N=0x1F))))"},
    {"{{ $x := .a | len }}{{ $x.y }}", "o(o(o(o C(F.a) C(I=len))) o(o(C(o))))"},
    {"{{ (len .a).b }}", "o(o(o(C(o(o(C(I=len F.a)))))))"},
    {"{{ range .a }}{{ .b }}{{ else }}{{ .c }}{{ end }}",
     "o(R(o(C(F.a)) o(o(o(C(F.b)))) o(o(o(C(F.c))))))"},
    {"{{ if .a }}b{{ end }}{{ with .c }}{{ end }}", "o(o(o(C(F.a)) o(o)) o(o(C(F.c)) o))"},
    {"{{ define \"d\" }}{{ .hidden }}{{ end }}{{ template \"d\" }}{{ template \"d\" .a }}",
     "o(o o(o(C(F.a))))"},
};

TEST(nodes_are_seen_in_the_order_of_the_text)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ERR e = {0};
        struct tmpl_set *set = tmpl_new(a, NULL);
        struct buf got = buf_new(a, MIB);
        assert_ok(tmpl_parse(set, STR("t"), str_c(cases[i].text), &e), &e);
        show(&got, tmpl_tree(set, STR("t")));
        assert_str(buf_str(&got), str_c(cases[i].want));
    }
}

TEST(a_template_that_is_not_there_has_no_tree)
{
    AUTO_ARENA a = arena_new();

    assert_null(tmpl_tree(tmpl_new(a, NULL), STR("t")));
}

RUN_TESTS(cmocka_unit_test(nodes_are_seen_in_the_order_of_the_text),
          cmocka_unit_test(a_template_that_is_not_there_has_no_tree))
