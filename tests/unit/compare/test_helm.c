/* SPDX-License-Identifier: Apache-2.0 */
/* test_helm.c - values and texts of charts. Whole charts are in tests/golden/helm-convert. */
#include "../test.h"

#include "compare/helm/internal.h"
#include "text/json/json.h"
#include "text/yaml/yaml.h"

static struct value *yaml_of(struct arena *a, const char *text)
{
    AUTO_ERR e = {0};
    struct source *src = ARENA_NEW(a, struct source);
    struct value *v;

    src->text = str_c(text);
    assert_ok(yaml_read(a, src, NULL, &v, &e), &e);
    return v;
}

static struct template template_of(struct arena *a, const char *text)
{
    AUTO_ERR e = {0};
    struct template t = {.path = STR("t.yaml"), .name = STR("t.yaml")};

    t.set = tmpl_new(a, &(struct tmpl_options){.profile = TMPL_KC});
    assert_ok(tmpl_parse(t.set, t.name, str_c(text), &e), &e);
    return t;
}

static const struct {
    const char *text, *defaults, *want;
} value_cases[] = {
    {"a", "{}", "{}"},
    {"{{ .a.b }}", "{}", "{\"a\":{\"b\":{}}}"},
    {"{{ .a.b }}{{ .a }}", "{a: {b: 1, c: 2}}", "{\"a\":{\"b\":1,\"c\":2}}"},
    {"{{ .a.b.c }}{{ .a.b }}", "{a: {b: 1}}", "{\"a\":{\"b\":1}}"},
    {"{{ .a }}", "{a: null}", "{\"a\":null}"},
    {"{{ .a.b }}{{ .a }}", "{a: null}", "{\"a\":{\"b\":{}}}"},
    {"{{ range .a }}{{ .b }}{{ end }}", "{a: [{b: 1}]}", "{\"a\":[{\"b\":{}}]}"},
    {"{{ .a }}{{ range .a }}{{ end }}", "{a: [1, 2]}", "{\"a\":[{}]}"},
    {"{{ range .a }}{{ range .b }}{{ .c }}{{ else }}{{ .d }}{{ end }}{{ end }}", "{}",
     "{\"a\":[{\"b\":[{\"c\":{},\"d\":{}}]}]}"},
    {"{{ range $i, $e := .a }}{{ $e.x }}{{ end }}", "{}", "{\"a\":[{}]}"},
    {"{{ index .a \"k.l\" }}{{ index .a 0 }}{{ index .a .b }}", "{a: {k.l: v}}",
     "{\"a\":{\"\":{},\"0\":{},\"k.l\":\"v\"}}"},
    {"{{ index (index .a \"b\") \"c\" \"d\" }}", "{}", "{\"a\":{\"b\":{\"c\":{}}}}"},
    {"{{ index .a }}", "{}", "{\"a\":{}}"},
    {"{{ .a }}{{ index .a 0 }}", "{a: [1]}", "{\"a\":[1]}"},
    {"{{ range .a }}{{ .c }}{{ end }}{{ .a.b }}{{ .a.B }}", "{}", "{\"a\":[{\"c\":{}}]}"},
    {"{{ index .a \"{x}\" }}{{ index .a \"b, c\" }}", "{a: {'{x}': 1, 'b, c': 2}}",
     "{\"a\":{\"b, c\":2,\"{x}\":1}}"},
    {"{{ $x := .a }}{{ $x.b }}{{ (len .c).d }}{{ $.e }}", "{}", "{\"a\":{},\"c\":{}}"},
    {"{{ with .a }}{{ .b }}{{ end }}{{ template \"t.yaml\" .c }}", "{}",
     "{\"a\":{},\"b\":{},\"c\":{}}"},
};

TEST(a_template_has_a_value_for_every_field_it_reads)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(value_cases); i++) {
        AUTO_ERR e = {0};
        struct template t = template_of(a, value_cases[i].text);
        struct buf got = buf_new(a, MIB);
        struct value *v;
        assert_ok(helm_values(a, &t, yaml_of(a, value_cases[i].defaults), &v, &e), &e);
        assert_ok(json_write(&got, v, &json_go, &e), &e);
        assert_str(buf_str(&got), str_c(value_cases[i].want));
    }
}

TEST(loops_in_loops_over_many_fields_end_with_an_error)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf text = buf_new(a, MIB);
    struct value *v;

    for (int i = 0; i < 40; i++)
        buf_add(&text, STR("{{ range (list .a .b .c) }}"));
    for (int i = 0; i < 40; i++)
        buf_add(&text, STR("{{ end }}"));
    struct template t = template_of(a, str_z(a, buf_str(&text)));
    assert_false(helm_values(a, &t, NULL, &v, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
}

TEST(components_are_named_after_paths)
{
    AUTO_ARENA a = arena_new();

    assert_str(helm_component(a, STR("a/b-c.d.yaml")), STR("a_b_c_d"));
    assert_str(helm_component(a, STR("x.yml.yaml")), STR("x"));
    assert_str(helm_component(a, STR("x.yaml.yml")), STR("x_yaml"));
}

static const struct {
    const char *text, *want, *note;
} lookup_cases[] = {
    {"lookupCR a b c", NULL, ""},
    {"lookupCRx a b c d", NULL, ""},
    {"lookupCR \"a b c d", NULL, ""},
    {"lookupCR (a b c d", NULL, ""},
    {"lookupCR", NULL, ""},
    {"lookupCR (a b c d lookupCR e f g h", NULL, ""},
    {"lookupCR a b \"c lookupCRs e f g h", NULL, ""},
    {"lookupCRlookupCR a b c d", NULL, ""},
    {"lookupCR a ) b (c) d e f", "($.Values.global.lookup_substitutions.lookupCR_a_b_c_d_e) f",
     "  t detected 1 lookups: [{lookupCR a ) b (c) d e false lookupCR_a_b_c_d_e 0 22}]\n"
     "  t replacing {{ lookupCR a ) b (c) d e }} at [0:22] with "
     "($.Values.global.lookup_substitutions.lookupCR_a_b_c_d_e)\n"},
    {"lookupCRsa\u00a0b c d", "($.Values.global.lookup_substitutions.lookupCRsa_b_c_d)",
     "  t detected 1 lookups: [{lookupCRsa\u00a0b c d true lookupCRsa_b_c_d 0 17}]\n"
     "  t replacing {{ lookupCRsa\u00a0b c d }} at [0:17] with "
     "($.Values.global.lookup_substitutions.lookupCRsa_b_c_d)\n"},
    {"-lookupCR\n\"a \\\" b\"x (c (d)) e f}} g",
     "-($.Values.global.lookup_substitutions."
     "lookupCR_a_b_x_c_d_e_f) g",
     "  t detected 1 lookups: [{lookupCR\n\"a \\\" b\"x (c (d)) e f}} false "
     "lookupCR_a_b_x_c_d_e_f 1 33}]\n"
     "  t replacing {{ lookupCR\n\"a \\\" b\"x (c (d)) e f}} }} at [1:33] with "
     "($.Values.global.lookup_substitutions.lookupCR_a_b_x_c_d_e_f)\n"},
};

TEST(lookups_with_four_words_are_replaced)
{
    AUTO_ARENA a = arena_new();
    struct template t = {.path = STR("t.yaml")};
    str before = STR("{{- range $values -}}\n---\n"), after = STR(" \n{{ end -}}\n");

    for (size_t i = 0; i < COUNT(lookup_cases); i++) {
        struct buf note = buf_new(a, MIB);
        str got = helm_text(a, &t, str_c(lookup_cases[i].text), NULL, &note);
        got = str_from(got, str_find(got, before) + before.len);
        const char *want = lookup_cases[i].want ? lookup_cases[i].want : lookup_cases[i].text;
        assert_str(got, str_concat(a, str_c(want), after));
        assert_str(buf_str(&note), str_c(lookup_cases[i].note));
    }
}

TEST(charts_are_named_after_the_last_element)
{
    static const struct {
        const char *path, *want;
    } cases[] = {{"", "."},      {"/", "/"},     {"a", "a"},   {"a/b", "b"},
                 {"a/b//", "b"}, {"a/..", ".."}, {"a/.", "."}, {"//", "/"}};

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_str(helm_chart_name(str_c(cases[i].path)), str_c(cases[i].want));
}

RUN_TESTS(cmocka_unit_test(a_template_has_a_value_for_every_field_it_reads),
          cmocka_unit_test(loops_in_loops_over_many_fields_end_with_an_error),
          cmocka_unit_test(components_are_named_after_paths),
          cmocka_unit_test(lookups_with_four_words_are_replaced),
          cmocka_unit_test(charts_are_named_after_the_last_element))
