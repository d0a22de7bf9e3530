/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_lint.c - linting references: a case for every rule, limits, and references on web servers.
 */
#include "../test.h"

#include "compare/internal.h"
#include "compare/lint/lint.h"
#include "net/server/server.h"

#include <ftw.h>
#include <stdlib.h>

static char folder[] = "/tmp/plumb-lint-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static int remove_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static str path_of(struct arena *a, const char *name)
{
    return file_join(a, str_c(folder), str_c(name));
}

static void write_file(struct arena *a, const char *name, str text)
{
    AUTO_ERR e = {0};

    assert_ok(file_write(path_of(a, name), text, 0644, &e), &e);
}

/* "file:line rule" of each finding. */
static str findings(struct arena *a, const struct lint_report *r)
{
    struct buf out = buf_new(a, 1 * MIB);

    for (size_t i = 0; i < r->findings.len; i++) {
        const struct lint_finding *f = &r->findings.items[i];
        buf_fmt(&out, "%s%.*s:%u %s", i ? ", " : "", STR_ARG(file_base(f->at.file)),
                (unsigned)f->at.line, f->rule->name);
        assert_true(f->text.len && f->rule->advice[0]);
    }
    return buf_str(&out);
}

static str lint(struct arena *a, const struct lint_options *options)
{
    struct lint_report report;
    AUTO_ERR e = {0};

    assert_ok(lint_run(a, options, &report, &e), &e);
    return findings(a, &report);
}

/* ---- Rules. ---- */

#define V1(templates)                                                                              \
    "parts:\n- name: p\n  components:\n  - name: c\n    type: Optional\n    "                      \
    "optionalTemplates:\n" templates
#define V2(component)                                                                              \
    "apiVersion: v2\nparts:\n- name: p\n  components:\n  - name: c\n    " component "\n"
#define ONE V2("anyOf: [{path: a.yaml}]")
#define TWO V2("anyOf: [{path: a.yaml}, {path: b.yaml}]")
#define A "apiVersion: v1\nkind: A\nmetadata: {name: x}\n"
#define B "apiVersion: v1\nkind: B\nmetadata: {name: x}\n"
#define OVERRIDE "{reason: r, kind: A, name: x, type: mergepatch, patch: '{\"v\": 1}'}"

static const struct {
    const char *metadata, *a, *b, *functions, *overrides, *config;
    const char *want;
} cases[] = {
    {ONE, A "v: {{ tpl \"1\" . }}\nw: {{ tpl \"1\" . }}\n", NULL, NULL, NULL, NULL,
     "a.yaml:4 portability"},
    {ONE "templateFunctionFiles: [f.tmpl]\n", A, NULL,
     "\n{{ define \"x\" }}{{ tpl \"1\" . }}{{ end }}", NULL, NULL, "f.tmpl:2 portability"},
    {ONE, A, NULL, NULL, NULL, NULL, ""},
    {V1("    - path: a.yaml\n"), A, NULL, NULL, NULL, NULL, ""},
    {ONE "fieldsToOmit: {defaultOmitRef: x, items: {x: [{pathToKey: 'a.\"'}]}}\n", A, NULL, NULL,
     NULL, NULL, "metadata.yaml:7 bad-path"},
    {ONE "fieldsToOmit: {defaultOmitRef: x, items: {x: [{include: x}]}}\n", A, NULL, NULL, NULL,
     NULL, "metadata.yaml:7 circular-include"},
    {V2("{}") "  - {name: d}\n", A, NULL, NULL, NULL, NULL, "metadata.yaml:6 syntax"},
    {V2("allOf: [{path: a.yaml}]\n    oneOf: [{path: a.yaml}]"), A, NULL, NULL, NULL, NULL,
     "metadata.yaml:5 component-groups, metadata.yaml:6 repeated-template"},
    {"parts: [{name: p, components: [{name: c, type: other, requiredTemplates: [{path: "
     "a.yaml}]}]}]\n",
     A, NULL, NULL, NULL, NULL, "metadata.yaml:1 component-type"},
    {ONE, A, NULL, NULL, NULL,
     "correlationSettings: {manualCorrelation: {correlationPairs: {v1_B_x: a.yaml}}}\n",
     "config.yaml:1 config-mismatch"},
    {ONE, A, NULL, NULL, NULL,
     "correlationSettings: {manualCorrelation: {correlationPairs: {v1_A_x: gone.yaml}}}\n",
     "config.yaml:1 config-unknown-template"},
    {ONE "apiVersion: v2\n", A, NULL, NULL, NULL, NULL, "metadata.yaml:7 duplicate-key"},
    {"", NULL, NULL, NULL, NULL, NULL, "metadata.yaml:0 empty"},
    {ONE "templateFunctionFiles: [gone.tmpl]\n", A, NULL, NULL, NULL, NULL,
     "metadata.yaml:7 function-file"},
    {ONE "templateFunctionFiles: [f.tmpl]\n", A, NULL, "\n{{ end }}", NULL, NULL,
     "f.tmpl:2 function-file"},
    {ONE, A, NULL, NULL, "- " OVERRIDE "\n  more: 1\n", NULL, "over.yaml:2 syntax"},
    {ONE, A, NULL, NULL,
     "- {more: 1, reason: r, kind: A, name: x, type: mergepatch, patch: '{\"v\": 1}'}\n", NULL,
     "over.yaml:1 ignored-key"},
    {ONE, NULL, NULL, NULL, NULL, NULL, "metadata.yaml:6 missing-file"},
    {ONE, "metadata: {name: x}\n", NULL, NULL, NULL, NULL, "a.yaml:1 missing-kind"},
    {ONE, "apiVersion: v1\nkind: A\nmetadata:\n  name: 12\n", NULL, NULL, NULL, NULL,
     "a.yaml:4 not-text"},
    {ONE, A "v: [\n", NULL, NULL, NULL, NULL, "a.yaml:4 not-yaml"},
    {ONE "fieldsToOmit: {items: {cluster-compare-built-in: []}}\n", A, NULL, NULL, NULL, NULL,
     "metadata.yaml:7 omit-built-in"},
    {ONE, A, NULL, NULL, "- {reason: r, kind: A, name: x, type: mergepatch, patch: '{}'}\n", NULL,
     "over.yaml:1 override-idle"},
    {ONE, A, NULL, NULL, "- {reason: r, kind: A, name: x, type: sed, patch: x}\n", NULL,
     "over.yaml:1 override-invalid"},
    {ONE, A, NULL, NULL,
     "- {reason: r, exactMatch: v1_A_x, type: mergepatch, patch: '{\"v\": 1}'}\n"
     "- {reason: r, exactMatch: v1_A_x, type: mergepatch, patch: '{\"v\": 2}'}\n",
     NULL, "over.yaml:1 override-shadowed"},
    {ONE, A, NULL, NULL, "- {reason: r, kind: C, type: mergepatch, patch: '{}'}\n", NULL,
     "over.yaml:1 override-unmatched"},
    {TWO, A "v: {{ .v }}\n", A "w: {{ .w }}\n", NULL, NULL, NULL, "metadata.yaml:6 overlap"},
    {ONE, "apiVersion: v1\nkind: A\nmetadata:\n  name: x-{{ .metadata.name }}\n", NULL, NULL, NULL,
     NULL, "a.yaml:4 partial-name"},
    {V2("anyOf: [{path: a.yaml, config: {perField: [{pathToKey: v, inlineDiffFunc: sum}]}}]"),
     A "v: x\n", NULL, NULL, NULL, NULL, "metadata.yaml:6 per-field"},
    {ONE, A "x: 1\nv: {\"{{ .a }}\": 1, \"{{ .b }}\": 2}\nx: 2\n", NULL, NULL, NULL, NULL,
     "a.yaml:6 repeated-key"},
    {ONE "- name: p\n", A, NULL, NULL, NULL, NULL, "metadata.yaml:7 repeated-name"},
    {V2("anyOf: [{path: a.yaml}, {path: a.yaml}]"), A, NULL, NULL, NULL, NULL,
     "metadata.yaml:6 repeated-template"},
    {ONE "templateFunctionFiles: [a.yaml]\n", A, NULL, NULL, NULL, NULL,
     "metadata.yaml:6 replaced"},
    {ONE "templateFunctionFiles: [f.tmpl]\n", A "{{ define \"x\" }}1{{ end }}", NULL,
     "{{ define \"x\" }}2{{ end }}{{ define \"y\" }}{{ end }}", NULL, NULL,
     "metadata.yaml:6 replaced"},
    {ONE "templateFunctionFiles: [f.tmpl, b.yaml]\n", A, "{{ define \"x\" }}1{{ end }}",
     "{{ define \"x\" }}2{{ end }}", NULL, NULL, "b.yaml:0 replaced"},
    {ONE "templateFunctionFiles: [f.tmpl]\n", A, NULL, "{{ define \"a.yaml\" }}2{{ end }}", NULL,
     NULL, "metadata.yaml:6 replaced, f.tmpl:1 not-yaml"},
    {ONE, A "---\n" B, NULL, NULL, NULL, NULL, "a.yaml:5 several-documents"},
    {"parts: [\n", A, NULL, NULL, NULL, NULL, "metadata.yaml:2 syntax"},
    {ONE, A "{{ fail \"so\" }}\n", NULL, NULL, NULL, NULL, "a.yaml:4 template-run"},
    {ONE, A "{{ if }}\n", NULL, NULL, NULL, NULL, "a.yaml:4 template-syntax"},
    {ONE, A "{{ if .a }}\nx: 1\n", NULL, NULL, NULL, NULL, "a.yaml:4 unclosed"},
    {ONE "part: 1\n", A, NULL, NULL, NULL, NULL, "metadata.yaml:7 unknown-key"},
    {V2("anyOf: [{path: a.yaml, config: {fieldsToOmitRefs: [gone]}}]"), A, NULL, NULL, NULL, NULL,
     "metadata.yaml:6 unknown-omit-list"},
    {"apiVersion: v9\n", NULL, NULL, NULL, NULL, NULL, "metadata.yaml:1 unknown-version"},
    {ONE, A, B, NULL, NULL, NULL, "b.yaml:0 unlisted"},
    {TWO, A, A, NULL, NULL, NULL, "metadata.yaml:6 unreachable"},
    {TWO, A "v: {{ .v }}\n", A "v: {{ .v }}\n", NULL, NULL, NULL, "metadata.yaml:6 unreachable"},
    {ONE "fieldsToOmit:\n  defaultOmitRef: x\n  items:\n    x:\n"
         "    - pathToKey: metadata.labels.example.com/a\n",
     A, NULL, NULL, NULL, NULL, "metadata.yaml:11 unquoted-key"},
    {ONE "fieldsToOmit: {items: {x: [{pathToKey: a}]}}\n", A, NULL, NULL, NULL, NULL,
     "metadata.yaml:7 unused-omit-list"},
    {"parts: 1\n", A, NULL, NULL, NULL, NULL, "metadata.yaml:1 wrong-type"},
};

/* Writes a file, or removes it. */
static void give(struct arena *a, const char *name, const char *text)
{
    if (text)
        write_file(a, name, str_c(text));
    else
        (void)!remove(str_z(a, path_of(a, name)));
}

TEST(every_rule_finds_its_place)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        give(a, "metadata.yaml", cases[i].metadata);
        give(a, "a.yaml", cases[i].a);
        give(a, "b.yaml", cases[i].b);
        give(a, "f.tmpl", cases[i].functions);
        give(a, "over.yaml", cases[i].overrides);
        give(a, "config.yaml", cases[i].config);
        const struct lint_options options = {
            .reference = str_c(folder),
            .overrides = cases[i].overrides ? path_of(a, "over.yaml") : STR_NONE,
            .config = cases[i].config ? path_of(a, "config.yaml") : STR_NONE};
        assert_str(lint(a, &options), str_c(cases[i].want));
    }
}

/* A rule without a case would be found here, except the one that needs megabytes. */
TEST(every_rule_has_a_case)
{
    for (size_t i = 0; lint_rules[i]; i++) {
        bool found = strcmp(lint_rules[i]->name, "too-large") == 0;
        for (size_t k = 0; k < COUNT(cases); k++)
            found = found || strstr(cases[k].want, lint_rules[i]->name);
        if (!found)
            print_error("no case for %s\n", lint_rules[i]->name);
        assert_true(found);
    }
}

/* ---- Too much. ---- */

TEST(templates_together_have_a_limit)
{
    AUTO_ARENA a = arena_new();
    struct buf metadata = buf_new(a, 1 * MIB), template = buf_new(a, BUF_UNLIMITED);
    const struct lint_options options = {.reference = str_c(folder)};
    const struct compare_options comparison = {.reference = str_c(folder),
                                               .dialect = &dialect_native};
    struct lint_report report;
    const struct compare *c;
    AUTO_ERR e = {0};

    buf_add(&metadata, STR(V2("anyOf:")));
    for (size_t i = 0; i < 10; i++)
        buf_add(&metadata, STR("    - path: a.yaml\n"));
    buf_add(&template, STR(A "# "));
    buf_repeat(&template, 'x', 20 * MIB);
    write_file(a, "metadata.yaml", buf_str(&metadata));
    write_file(a, "a.yaml", buf_str(&template));
    assert_ok(lint_run(a, &options, &report, &e), &e);
    assert_true(str_contains(findings(a, &report), STR("too-large")));
    assert_false(compare_load(a, &comparison, &c, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
}

TEST(many_templates_of_one_identity_are_quick)
{
    AUTO_ARENA a = arena_new();
    struct buf metadata = buf_new(a, 1 * MIB);
    const struct lint_options options = {.reference = str_c(folder)};
    struct lint_report report;
    AUTO_ERR e = {0};

    buf_add(&metadata, STR(V2("anyOf:")));
    for (size_t i = 0; i < 300; i++) {
        char name[20];
        snprintf(name, sizeof(name), "t%zu.yaml", i);
        buf_fmt(&metadata, "    - path: %s\n", name);
        write_file(a, name, str_fmt(a, A "v: {{ .v%zu }}\n", i % 200));
    }
    write_file(a, "metadata.yaml", buf_str(&metadata));
    give(a, "a.yaml", NULL);
    assert_ok(lint_run(a, &options, &report, &e), &e);
    assert_int_equal(report.errors, 0);
    /* A hundred are never selected, and the others compete. */
    assert_int_equal(report.warnings, 101);
}

/* ---- Elsewhere. ---- */

static void handle(void *ctx, struct server_request *r)
{
    str path = server_path(r);

    (void)ctx;
    if (str_eq(path, STR("/ref/metadata.yaml")))
        server_reply(r, 200, STR_NONE, STR(TWO "more: 1\n"));
    else if (str_eq(path, STR("/ref/a.yaml")))
        server_reply(r, 200, STR_NONE, STR(A "{{ if }}"));
    else
        server_reply(r, 404, STR_NONE, STR("no"));
}

TEST(references_of_web_servers_are_checked)
{
    AUTO_ARENA a = arena_new();
    const struct server_config config = {.handle = handle};
    struct server *server;
    struct lint_report report;
    AUTO_ERR e = {0};

    assert_ok(server_start(&config, &server, &e), &e);
    struct lint_options options = {
        .reference = str_concat(a, server_url(server), STR("/ref/metadata.yaml"))};
    assert_str(lint(a, &options), STR("metadata.yaml:6 missing-file, metadata.yaml:7 unknown-key, "
                                      "a.yaml:4 template-syntax"));
    options.reference = str_concat(a, server_url(server), STR("/gone/metadata.yaml"));
    assert_false(lint_run(a, &options, &report, &e));
    assert_true(str_contains(e.text, STR("404")));
    server_stop(server, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_finds_its_place),
        cmocka_unit_test(every_rule_has_a_case),
        cmocka_unit_test(templates_together_have_a_limit),
        cmocka_unit_test(many_templates_of_one_identity_are_quick),
        cmocka_unit_test(references_of_web_servers_are_checked),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
