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
    VEC_PUSH(a, &r->diffs, same);
    VEC_PUSH(a, &r->diffs, differs);
    VEC_PUSH(a, &r->issues, issue);
    VEC_PUSH(a, &r->unmatched, STR("apps/v1_Deployment_shop_*odd*"));
}

static inline str write_as(struct arena *a, const char *format, const struct results *r)
{
    const struct report_options options = {.now = INT64_C(1700000000) * NS_PER_SEC};
    struct buf out = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    assert_non_null(report_find(str_c(format)));
    assert_ok(report_find(str_c(format))->write(r, &options, &out, &e), &e);
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
