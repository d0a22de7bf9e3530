/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_report.c - JSON reports of others: what is read can be written as every report, and reading
 * back what was written as JSON gives the same counts and is no worse than before.
 */
#include "report/baseline.h"
#include "report/report.h"
#include "report/results_json.h"
#include "value/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static str written(struct arena *a, const char *format, const struct results *r)
{
    const struct report_options options = {.all = true};
    struct buf out = buf_new(a, 64 * MIB);
    AUTO_ERR e = {0};

    if (!report_find(str_c(format))->write(r, &options, &out, &e))
        return STR_NONE;
    return buf_str(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct source src = {.text = str_of((const char *)data, size)};
    struct results first, second;

    if (!results_from_json(a, &src, &first, &e))
        return 0;
    assert(str_has_suffix(written(a, "junit", &first), STR("</testsuites>\n")));
    const struct source again = {.text = written(a, "json", &first)};
    bool ok = results_from_json(a, &again, &second, &e);
    assert(ok);
    (void)ok;
    assert(first.diffs.len == second.diffs.len && first.unmatched.len == second.unmatched.len);
    assert(first.total == second.total && first.missing == second.missing);
    baseline_apply(a, STR("f"), &first, &second);
    assert(!second.baseline.counts[DRIFT_NEW] && !second.baseline.counts[DRIFT_WORSE]);
    (void)written(a, "yaml", &second);
    return 0;
}
