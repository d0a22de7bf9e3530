/* SPDX-License-Identifier: Apache-2.0 */
/* test_baseline.c - when drift is new, worse, remaining or fixed. */
#include "../test.h"

#include "report/baseline.h"
#include "report/results_json.h"
#include "value/source.h"

#define FIELD(path, actual) "{\"path\":\"" path "\",\"kind\":\"changed\",\"actual\":" actual "}"
#define OBJECT(id, text, fields)                                                                   \
    "{\"CRName\":\"" id "\",\"DiffOutput\":\"" text "\",\"Differences\":[" fields "]}"
#define PLAIN(id, text) "{\"CRName\":\"" id "\",\"DiffOutput\":\"" text "\"}"

/* Counts are new, worse, remaining, fixed; more is what the first drift has more than before. */
static const struct {
    const char *before, *now;
    size_t counts[DRIFT_STATES];
    const char *more;
} cases[] = {
    {"", "", {0, 0, 0, 0}, ""},
    {"", PLAIN("a", "x"), {1, 0, 0, 0}, ""},
    {PLAIN("a", ""), PLAIN("a", "x"), {1, 0, 0, 0}, ""},
    {PLAIN("a", "x"), PLAIN("a", ""), {0, 0, 0, 1}, ""},
    {PLAIN("a", "x"), "", {0, 0, 0, 1}, ""},
    /* Field by field. */
    {OBJECT("a", "x", FIELD("p", "1")), OBJECT("a", "y", FIELD("p", "1")), {0, 0, 1, 0}, ""},
    {OBJECT("a", "x", FIELD("p", "1")), OBJECT("a", "x", FIELD("p", "2")), {0, 1, 0, 0}, "p"},
    {OBJECT("a", "x", FIELD("p", "1")),
     OBJECT("a", "x", FIELD("p", "1") "," FIELD("q", "{}")),
     {0, 1, 0, 0},
     "q"},
    {OBJECT("a", "x", FIELD("p", "1") "," FIELD("q", "1")),
     OBJECT("a", "x", FIELD("q", "1")),
     {0, 0, 1, 0},
     ""},
    {OBJECT("a", "x", FIELD("p", "{\"b\":1,\"a\":2}")),
     OBJECT("a", "x", FIELD("p", "{\"a\":2,\"b\":1}")),
     {0, 0, 1, 0},
     ""},
    {OBJECT("a", "x", FIELD("p", "18446744073709551617")),
     OBJECT("a", "x", FIELD("p", "18446744073709551618")),
     {0, 1, 0, 0},
     "p"},
    /* Line by line, when one side has no fields. */
    {PLAIN("a", "diff h1\\n--- x\\n@@ -1 +1 @@\\n c\\n-1\\n+2\\n"),
     OBJECT("a", "diff h2\\n--- y\\n@@ -9 +9 @@\\n d\\n-1\\n+2\\n", FIELD("p", "1")),
     {0, 0, 1, 0},
     ""},
    {PLAIN("a", "@@ -1 +1 @@\\n-1\\n+2\\n"),
     PLAIN("a", "@@ -1 +1 @@\\n-1\\n+3\\n"),
     {0, 1, 0, 0},
     "+3"},
    {PLAIN("a", "@@ -1 +1 @@\\n-1\\n"), PLAIN("a", "@@ -1 +1 @@\\n-1\\n-1\\n"), {0, 1, 0, 0}, "-1"},
    {PLAIN("a", "no hunks"), PLAIN("a", "no hunks"), {0, 0, 1, 0}, ""},
    {PLAIN("a", "no hunks"), PLAIN("a", "none either"), {0, 1, 0, 0}, "none either"},
    /* The second of one id is compared with the second. */
    {PLAIN("a", "x") "," PLAIN("a", ""), PLAIN("a", "x") "," PLAIN("a", "x"), {1, 0, 1, 0}, ""},
};

static void read_diffs(struct arena *a, const char *diffs, struct results *out)
{
    struct source *src = ARENA_NEW(a, struct source);
    AUTO_ERR e = {0};

    src->text = str_fmt(a, "{\"Summary\":{},\"Diffs\":[%s]}", diffs);
    assert_ok(results_from_json(a, src, out, &e), &e);
}

TEST(only_what_was_not_there_before_counts)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        struct results before, now;

        read_diffs(a, cases[i].before, &before);
        read_diffs(a, cases[i].now, &now);
        baseline_apply(a, STR("f"), &before, &now);
        for (size_t k = 0; k < DRIFT_STATES; k++)
            assert_int_equal(now.baseline.counts[k], cases[i].counts[k]);
        if (!cases[i].more[0])
            continue;
        assert_int_equal(now.baseline.drifts.items[0].more.len, 1);
        assert_str(now.baseline.drifts.items[0].more.items[0], str_c(cases[i].more));
    }
}

RUN_TESTS(cmocka_unit_test(only_what_was_not_there_before_counts))
