/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h - results with one of everything, for the tests of formats. */
#pragma once

#include "../test.h"

#include "report/report.h"
#include "value/value.h"

#define SAMPLE_DIFF                                                                                \
    "diff -u -N /tmp/MERGED-1/x /tmp/LIVE-2/x\n--- /tmp/MERGED-1/x\tdate\n+++ "                    \
    "/tmp/LIVE-2/x\tdate\n"                                                                        \
    "@@ -1,3 +1,4 @@\n kind: ConfigMap\n-  a: <b>\n+  a: </pre><script>alert(1)</script>\n+  c: "  \
    "d\n"

/* Results of two objects, one of which differs, an issue and an unmatched object. */
static inline void sample_results(struct arena *a, struct results *r)
{
    static struct result_template missing = {.path = STR_INIT("p/gone.yaml"),
                                             .description = STR_INIT("why & what")};
    struct result_diff same = {.object = STR("v1_Namespace_other"),
                               .template = STR("ns.yaml"),
                               .part = STR("p"),
                               .component = STR("c")};
    struct result_diff differs = {.object = STR("v1_ConfigMap_shop_web"),
                                  .template = STR("p/web.yaml"),
                                  .description = STR("first\nsecond"),
                                  .part = STR("p"),
                                  .component = STR("c"),
                                  .text = STR(SAMPLE_DIFF),
                                  .differs = true,
                                  .place = {STR("objects/a,b:%.yaml"), 7}};
    struct result_field field = {.path = STR("data.a"),
                                 .kind = RESULT_CHANGED,
                                 .expected = value_string(a, STR("<b>")),
                                 .actual = value_string(a, STR("50%\n::error::x")),
                                 .template = {STR("p/web.yaml"), 3},
                                 .object = {STR("objects/a,b:%.yaml"), 9}};
    struct result_issue issue = {
        .part = STR("p"), .component = STR("c"), .message = STR("Missing CRs"), &missing, 1};

    *r = (struct results){.missing = 1, .differing = 1, .total = 2, .hash = STR("abc")};
    VEC_PUSH(a, &differs.fields, field);
    same.fields_known = differs.fields_known = true;
    VEC_PUSH(a, &r->diffs, same);
    VEC_PUSH(a, &r->diffs, differs);
    VEC_PUSH(a, &r->issues, issue);
    r->unmatched_all = true;
    VEC_PUSH(a, &r->unmatched, STR("apps/v1_Deployment_shop_*odd*"));
}

/* The same with everything that plumb's own comparisons can report. */
static inline void sample_everything(struct arena *a, struct results *r)
{
    struct result_explanation why = {.object = STR("v1_ConfigMap_shop_web"),
                                     .place = {STR("o:a.yaml"), 2}};
    struct result_drift drift = {.state = DRIFT_WORSE,
                                 .object = STR("v1_ConfigMap_shop_web"),
                                 .template = STR("p/web.yaml")};
    struct result_drift fixed = {
        .state = DRIFT_FIXED, .template = STR("p/x.yaml"), .issue = STR("p, c: <m>"), .gone = true};

    sample_results(a, r);
    r->verdict = (struct result_verdict){.known = true,
                                         .documents = 12,
                                         .skipped = 2,
                                         .failed = 1,
                                         .matched = 7,
                                         .unmatched = 1,
                                         .duplicates = 4,
                                         .failed_objects = 5,
                                         .members_ignored = 6,
                                         .fields_compared = 90,
                                         .fields_omitted = 8};
    VEC_PUSH(a, &r->verdict.rules, ((struct result_rule){STR("fieldsToOmit x: <a>"), 5}));
    VEC_PUSH(a, &r->verdict.notes,
             ((struct result_note){{STR("o.yaml"), 3}, STR("bad <yaml>"), true}));
    VEC_PUSH(a, &why.candidates,
             ((struct result_candidate){STR("web.yaml"), 17, true, true, STR("fits <best>")}));
    VEC_PUSH(a, &why.candidates,
             ((struct result_candidate){STR("b.yaml"), 0, false, false, STR("no")}));
    VEC_PUSH(a, &why.suppressed,
             ((struct result_suppressed){STR("metadata.uid"), STR("rule"), {STR("m.yaml"), 2}}));
    VEC_PUSH(a, &r->explanations, why);
    why.object = r->unmatched.items[0];
    VEC_PUSH(a, &r->explanations, why);
    VEC_PUSH(a, &drift.more, STR("data.<b>"));
    r->baseline.file = STR("earlier.json");
    VEC_PUSH(a, &r->baseline.drifts, drift);
    VEC_PUSH(a, &r->baseline.drifts, fixed);
    r->baseline.counts[DRIFT_WORSE] = r->baseline.counts[DRIFT_FIXED] = 1;
}

static inline str write_as(struct arena *a, const char *format, const struct results *r)
{
    const struct report_options options = {.now = INT64_C(1700000000) * NS_PER_SEC};
    struct buf out = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    assert_non_null(report_find(str_c(format), false));
    assert_ok(report_find(str_c(format), false)->write(r, &options, &out, &e), &e);
    return buf_str(&out);
}

#define assert_has(text, part) assert_has_at((text), (part), __FILE__, __LINE__)
static inline void assert_has_at(str text, const char *part, const char *file, int line)
{
    if (str_contains(text, str_c(part)))
        return;
    print_error("[%s] is not in\n%.*s\n", part, STR_ARG(text));
    _fail(file, line);
}
