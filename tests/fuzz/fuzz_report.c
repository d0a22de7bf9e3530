/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_report.c - JSON reports of others: what is read can be written as every report, nothing in
 * it becomes syntax of the format, and reading back what was written as JSON gives the same counts
 * and is no worse than before. The same of fleets, where reading back gives the same report.
 */
#include "report/baseline.h"
#include "compare/fleet/fleet.h"
#include "report/report.h"
#include "report/fleet_read.h"
#include "report/report.h"
#include "report/results_json.h"
#include "value/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static str written(struct arena *a, const char *format, const struct results *r)
{
    const struct report_options options = {.all = true};
    struct buf out = buf_new(a, 64 * MIB);
    AUTO_ERR e = {0};

    if (!report_find(str_c(format), false)->write(r, &options, &out, &e))
        return STR_NONE;
    return buf_str(&out);
}

static size_t count_of(str text, str part)
{
    size_t n = 0;
    str before, rest = text;

    while (str_cut(rest, part, &before, &rest))
        n++;
    return n;
}

/* There is one script and one page, whatever the report says. */
static void check_page(str page)
{
    assert(count_of(page, STR("<script")) == 1 && count_of(page, STR("</html>")) == 1);
    assert(count_of(page, STR("<main>")) == 1 && count_of(page, STR("<style")) == 1);
    assert(count_of(page, STR("<article ")) == count_of(page, STR("</article>")));
    assert(count_of(page, STR("<span")) == count_of(page, STR("</span>")));
}

/* Every line is a command, and at most ten are errors. */
static void check_annotations(str text)
{
    size_t errors = 0;
    str line;

    while (str_next_line(&text, &line)) {
        assert(str_has_prefix(line, STR("::error ")) || str_has_prefix(line, STR("::notice ")));
        errors += str_has_prefix(line, STR("::error "));
    }
    assert(errors <= 10);
    (void)errors;
}

static void check_formats(struct arena *a, const struct results *r)
{
    check_page(written(a, "html", r));
    check_annotations(written(a, "github", r));
    assert(written(a, "markdown", r).len <= 65536);
    assert(str_has_suffix(written(a, "sarif", r), STR("}\n")));
    assert(str_has_suffix(written(a, "junit", r), STR("</testsuites>\n")));
}

/* ---- Fleets. ---- */

static str written_fleet(struct arena *a, const char *format, const struct fleet *f)
{
    const struct report_options options = {.all = true};
    struct buf out = buf_new(a, 64 * MIB);
    AUTO_ERR e = {0};

    if (!report_find(str_c(format), true)->write_fleet(f, &options, &out, &e))
        return STR_NONE;
    return buf_str(&out);
}

static str read_and_write(struct arena *a, const struct source *src)
{
    struct fleet fleet;
    AUTO_ERR e = {0};

    if (!fleet_from_json(a, src, &fleet, &e))
        return STR_NONE;
    check_page(written_fleet(a, "html", &fleet));
    assert(str_has_prefix(written_fleet(a, "csv", &fleet), STR("site,state,")));
    assert(str_contains(written_fleet(a, "text", &fleet), STR("Summary\n")));
    return written_fleet(a, "json", &fleet);
}

static void check_fleet(struct arena *a, const struct source *src)
{
    const struct source first = {.text = read_and_write(a, src)};

    assert(!first.text.len || str_eq(first.text, read_and_write(a, &first)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct source src = {.text = str_of((const char *)data, size)};
    struct results first, second;

    if (fleet_is_report(&src))
        check_fleet(a, &src);
    if (!results_from_json(a, &src, &first, &e))
        return 0;
    check_formats(a, &first);
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
