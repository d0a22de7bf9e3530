/* SPDX-License-Identifier: Apache-2.0 */
/* test_cases.c - which branches of templates the cases of a reference cover. */
#include "../test.h"

#include "compare/cases/cases.h"

#include <ftw.h>
#include <stdlib.h>

static const char metadata[] =
    "apiVersion: v2\nparts:\n- name: p\n  components:\n  - name: c\n    anyOf:\n"
    "    - path: web.yaml\n    - path: unused.yaml\n";
/* Branches at lines 6 (if), 8 (else if), 12 (range) and 15 (with). */
static const char web[] = "apiVersion: v1\n"
                          "kind: ConfigMap\n"
                          "metadata:\n"
                          "  name: {{ .metadata.name }}\n"
                          "data:\n"
                          "{{- if eq .data.size \"small\" }}\n"
                          "  size: small\n"
                          "{{- else if eq .data.size \"large\" }}\n"
                          "  size: large\n"
                          "{{- end }}\n"
                          "  list: \"\n"
                          "{{- range .data.list }}{{ . }}{{ end }}\"\n"
                          "{{- /* {{ if .comments }} are not branches */}}\n"
                          "  also: x\n"
                          "{{- with .data.extra }}\n"
                          "  extra: {{ . }}\n"
                          "{{- end }}\n";
static const char unused[] = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n";

static char folder[32];

static int begin(void **state)
{
    (void)state;
    memcpy(folder, "/tmp/plumb-cases-XXXXXX", 24);
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

static int end(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void put(struct arena *a, const char *name, const char *text)
{
    AUTO_ERR e = {0};

    assert_ok(file_write(str_fmt(a, "%s/%s", folder, name), str_c(text), 0600, &e), &e);
}

static void put_case(struct arena *a, const char *name, const char *members)
{
    mkdir(str_z(a, str_fmt(a, "%s/tests", folder)), 0700);
    mkdir(str_z(a, str_fmt(a, "%s/tests/%s", folder, name)), 0700);
    str object =
        str_fmt(a, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\n%s", name, members);
    put(a, str_z(a, str_fmt(a, "tests/%s/o.yaml", name)), str_z(a, object));
}

static void put_reference(struct arena *a)
{
    put(a, "metadata.yaml", metadata);
    put(a, "web.yaml", web);
    put(a, "unused.yaml", unused);
}

static struct case_report run(struct arena *a, bool accept)
{
    struct case_options o = {.reference = str_c(folder), .accept = accept};
    struct case_report report = {0};
    AUTO_ERR e = {0};

    assert_ok(cases_run(a, &o, &report, &e), &e);
    return report;
}

/* "6+- 8-- ...": of each branch its line, whether its body ran, and whether it was passed by. */
static str branches(struct arena *a, const struct case_report *r)
{
    struct buf out = buf_new(a, 4 * KIB);

    for (size_t i = 0; i < r->branches.len; i++)
        buf_fmt(&out, "%s%u%s%s", i ? " " : "", (unsigned)r->branches.items[i].line,
                r->branches.items[i].ran ? "+" : "-", r->branches.items[i].passed ? "+" : "-");
    return buf_str(&out);
}

TEST(each_branch_has_two_outcomes_and_cases_add_up)
{
    AUTO_ARENA a = arena_new();

    put_reference(a);
    put_case(a, "one", "data: {size: small}\n");
    struct case_report r = run(a, true);
    assert_int_equal(r.accepted, 1);
    assert_str(branches(a, &r), STR("6+- 8-- 12-+ 15-+"));
    assert_int_equal(r.outcomes, 8);
    assert_int_equal(r.covered, 3);

    put_case(a, "two", "data: {size: large, extra: e, list: [1, 2]}\n");
    r = run(a, true);
    assert_str(branches(a, &r), STR("6++ 8+- 12++ 15++"));
    assert_int_equal(r.covered, 7);

    put_case(a, "three", "data: {size: none}\n");
    r = run(a, true);
    assert_str(branches(a, &r), STR("6++ 8++ 12++ 15++"));
    assert_int_equal(r.covered, r.outcomes);
    r = run(a, false);
    assert_int_equal(r.passed, 3);
}

TEST(a_branch_is_named_by_its_file_line_and_action)
{
    AUTO_ARENA a = arena_new();

    put_reference(a);
    put_case(a, "one", "data: {size: small}\n");
    struct case_report r = run(a, true);
    assert_str(r.branches.items[0].file, str_fmt(a, "%s/web.yaml", folder));
    assert_str(r.branches.items[0].text, STR("{{if eq .data.size \"small\"}}"));
    assert_false(r.branches.items[0].range);
    assert_true(r.branches.items[2].range);
}

TEST(templates_that_no_case_has_an_object_for_are_listed)
{
    AUTO_ARENA a = arena_new();

    put_reference(a);
    put_case(a, "one", "data: {size: small}\n");
    struct case_report r = run(a, true);
    assert_int_equal(r.templates, 2);
    assert_int_equal(r.unused.len, 1);
    assert_str(r.unused.items[0], STR("unused.yaml"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

RUN_TESTS(CASE(each_branch_has_two_outcomes_and_cases_add_up),
          CASE(a_branch_is_named_by_its_file_line_and_action),
          CASE(templates_that_no_case_has_an_object_for_are_listed))
