/* SPDX-License-Identifier: Apache-2.0 */
/* test_formats.c - Markdown, annotations, SARIF, and the text report on a terminal. */
#include "sample.h"

#include "report/internal.h"
#include "text/json/json.h"

/* ---- Markdown. ---- */

TEST(markdown_takes_nothing_foreign_for_syntax)
{
    AUTO_ARENA a = arena_new();
    struct results r;

    sample_results(a, &r);
    r.diffs.items[1].description = STR("# a | b\n@user `x` [l](u) <img>");
    str text = write_as(a, "markdown", &r);
    assert_has(text, "&#35; a &#124; b<br>&#64;user &#96;x&#96; &#91;l&#93;&#40;u&#41; "
                     "&#60;img&#62;");
    assert_has(text, "shop/&#42;odd&#42;");
    assert_has(text, "```diff\n@@ -1,3 +1,4 @@\n kind: ConfigMap\n");
    assert_false(str_contains(text, STR("MERGED")));
}

TEST(a_fence_is_longer_than_what_it_holds)
{
    AUTO_ARENA a = arena_new();
    struct results r;

    sample_results(a, &r);
    r.diffs.items[1].text = STR("@@ -1 +1 @@\n-a\n+````\n+# out\n");
    assert_has(write_as(a, "markdown", &r), "\n`````diff\n@@ -1 +1 @@\n-a\n+````\n+# out\n`````\n");
}

static void fill_diffs(struct arena *a, struct results *r, size_t count, size_t lines)
{
    struct result_diff d = r->diffs.items[1];
    struct buf text = buf_new(a, BUF_UNLIMITED);

    buf_add(&text, STR("@@ -1,1 +1,1 @@\n"));
    for (size_t i = 0; i < lines; i++)
        buf_add(&text, STR("+a line of some length, as they have it\n"));
    d.text = buf_str(&text);
    for (size_t i = 0; i < count; i++)
        VEC_PUSH(a, &r->diffs, d);
}

TEST(a_comment_is_never_too_long_and_says_what_was_cut)
{
    static const struct {
        size_t count, lines;
        const char *want;
    } cases[] = {
        {500, 20, " objects left out: a comment holds 65536 characters."},
        {1, 2000, " more lines not shown."},
        {20, 2000, " objects left out: a comment holds 65536 characters."},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        struct results r;
        sample_results(a, &r);
        fill_diffs(a, &r, cases[i].count, cases[i].lines);
        str text = write_as(a, "markdown", &r);
        assert_true(text.len <= 65536);
        assert_has(text, cases[i].want);
    }
}

TEST(long_lists_are_cut_too)
{
    AUTO_ARENA a = arena_new();
    struct results r;

    sample_results(a, &r);
    for (size_t i = 0; i < 3000; i++) {
        VEC_PUSH(a, &r.unmatched, STR("v1_Pod_some-name-space_some-name-of-a-pod"));
        struct result_issue issue = r.issues.items[0];
        VEC_PUSH(a, &r.issues, issue);
    }
    str text = write_as(a, "markdown", &r);
    assert_true(text.len <= 65536);
    assert_has(text, "2951 unmatched objects left out");
    assert_has(text, "2951 issues left out");
}

/* ---- GitHub. ---- */

TEST(annotations_are_one_line_each_and_escaped)
{
    AUTO_ARENA a = arena_new();
    struct results r;

    sample_results(a, &r);
    assert_str(write_as(a, "github", &r),
               STR("::error file=objects/a%2Cb%3A%25.yaml,line=9,title=v1_ConfigMap_shop_web "
                   "differs from p/web.yaml::data.a: expected \"<b>\", found "
                   "\"50%25\\n::error::x\"\n"
                   "::error title=p / c::missing from the cluster: p/gone.yaml\n"
                   "::notice title=plumb compare::1 of 2 objects differs, 1 missing from the "
                   "cluster, 1 not matched by the reference\n"));
}

TEST(ten_annotations_and_a_total)
{
    AUTO_ARENA a = arena_new();
    struct results r;
    size_t errors = 0;
    str line;

    sample_results(a, &r);
    fill_diffs(a, &r, 20, 3);
    r.diffs.items[5].fields.len = 0;
    r.diffs.items[5].text = STR("@@ -1 +1 @@\n-a\r\033\n+b\n");
    str rest = write_as(a, "github", &r);
    assert_has(rest, "::-a\\r\\x1b%0A+b\n");
    assert_has(rest, "(10 of 22 findings shown)\n");
    while (str_next_line(&rest, &line))
        errors += str_has_prefix(line, STR("::error "));
    assert_int_equal(errors, 10);
}

/* ---- SARIF. ---- */

static struct value *sarif_run(struct arena *a, const struct results *r)
{
    struct source *src = ARENA_NEW(a, struct source);
    struct value *root;
    AUTO_ERR e = {0};

    *src = (struct source){.file = STR("s"), .text = write_as(a, "sarif", r)};
    assert_ok(json_read(a, src, NULL, &root, &e), &e);
    assert_str(value_get_str(root, STR("version")), STR("2.1.0"));
    return value_at(value_get(root, STR("runs")), 0);
}

static const struct value *at_keys(const struct value *v, const char *const *keys)
{
    for (; *keys; keys++)
        v = **keys == '0' ? value_at(v, 0) : value_get(v, str_c(*keys));
    return v;
}
#define AT(v, ...) at_keys((v), (const char *const[]){__VA_ARGS__, NULL})

TEST(sarif_has_what_its_schema_requires)
{
    AUTO_ARENA a = arena_new();
    struct results r;

    sample_results(a, &r);
    const struct value *run = sarif_run(a, &r);
    const struct value *rules = AT(run, "tool", "driver", "rules");
    const struct value *results = value_get(run, STR("results"));
    assert_str(value_str(AT(run, "tool", "driver", "name")), STR("plumb"));
    assert_int_equal(value_len(rules), 4);
    assert_int_equal(value_len(results), 3);
    for (size_t i = 0; i < value_len(results); i++) {
        const struct value *result = value_at(results, i);
        int64_t index = -1;
        assert_true(value_to_i64(value_get(result, STR("ruleIndex")), &index));
        assert_str(value_get_str(value_at(rules, (size_t)index), STR("id")),
                   value_get_str(result, STR("ruleId")));
        assert_true(AT(result, "message", "text") != NULL);
        assert_int_equal(value_len(value_get(result, STR("locations"))), 1);
        assert_int_equal(value_str(AT(result, "partialFingerprints", "plumbFinding/v1")).len, 64);
    }
    const struct value *place = AT(results, "0", "locations", "0", "physicalLocation");
    assert_str(value_str(AT(place, "artifactLocation", "uri")), STR("objects/a%2Cb%3A%25.yaml"));
    assert_str(value_text(AT(place, "region", "startLine")), STR("9"));
    assert_str(value_text(AT(results, "0", "relatedLocations", "0", "physicalLocation", "region",
                             "startLine")),
               STR("3"));
}

static str first_fingerprint(struct arena *a, const struct results *r)
{
    return value_str(AT(sarif_run(a, r), "results", "0", "partialFingerprints", "plumbFinding/v1"));
}

TEST(a_fingerprint_outlives_lines_and_values_but_not_paths)
{
    AUTO_ARENA a = arena_new();
    struct results r;

    sample_results(a, &r);
    str before = first_fingerprint(a, &r);
    struct result_field *f = &r.diffs.items[1].fields.items[0];
    f->object.line = 100;
    f->actual = value_int(a, 5);
    assert_str(first_fingerprint(a, &r), before);
    f->path = STR("data.b");
    assert_false(str_eq(first_fingerprint(a, &r), before));
}

TEST(what_failed_is_a_notification)
{
    AUTO_ARENA a = arena_new();
    struct results r;

    sample_results(a, &r);
    r.verdict.known = true;
    VEC_PUSH(a, &r.verdict.notes, ((struct result_note){{STR("/o.yaml"), 3}, STR("bad"), true}));
    const struct value *call = AT(sarif_run(a, &r), "invocations", "0");
    assert_false(value_get(call, STR("executionSuccessful"))->truth);
    assert_str(value_str(AT(call, "toolExecutionNotifications", "0", "locations", "0",
                            "physicalLocation", "artifactLocation", "uri")),
               STR("file:///o.yaml"));
}

/* ---- Terminal. ---- */

static const struct {
    const char *text, *plain, *coloured;
} terminal_cases[] = {
    {"Cluster CR: a\033]0;x\a\n", "Cluster CR: a\\x1b]0;x\\a\n",
     "\033[1mCluster CR: a\\x1b]0;x\\a\033[0m\n"},
    {"Diff Output: diff -u\n--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n c\n**********\n-d\n",
     "Diff Output: diff -u\n--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n c\n**********\n-d\n",
     "\033[2mDiff Output: diff -u\033[0m\n\033[2m--- a\033[0m\n\033[2m+++ b\033[0m\n\033[36m@@ -1 "
     "+1 "
     "@@\033[0m\n\033[31m-a\033[0m\n\033[32m+b\033[0m\n c\n\033[2m**********\033[0m\n-d\n"},
    {"Summary\nCRs with diffs: 0/3\n", "Summary\nCRs with diffs: 0/3\n",
     "\033[1mSummary\033[0m\n\033[32mCRs with diffs: 0/3\033[0m\n"},
    {"CRs with diffs: 1/3\n", "CRs with diffs: 1/3\n", "\033[31mCRs with diffs: 1/3\033[0m\n"},
};

TEST(a_terminal_gets_colours_and_no_commands)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(terminal_cases); i++) {
        struct buf plain = buf_new(a, BUF_UNLIMITED), coloured = buf_new(a, BUF_UNLIMITED);
        report_for_terminal(&plain, str_c(terminal_cases[i].text), false);
        assert_str(buf_str(&plain), str_c(terminal_cases[i].plain));
        report_for_terminal(&coloured, str_c(terminal_cases[i].text), true);
        assert_str(buf_str(&coloured), str_c(terminal_cases[i].coloured));
    }
}

RUN_TESTS(cmocka_unit_test(markdown_takes_nothing_foreign_for_syntax),
          cmocka_unit_test(a_fence_is_longer_than_what_it_holds),
          cmocka_unit_test(a_comment_is_never_too_long_and_says_what_was_cut),
          cmocka_unit_test(long_lists_are_cut_too),
          cmocka_unit_test(annotations_are_one_line_each_and_escaped),
          cmocka_unit_test(ten_annotations_and_a_total),
          cmocka_unit_test(sarif_has_what_its_schema_requires),
          cmocka_unit_test(a_fingerprint_outlives_lines_and_values_but_not_paths),
          cmocka_unit_test(what_failed_is_a_notification),
          cmocka_unit_test(a_terminal_gets_colours_and_no_commands))
