/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference_test.c - plumb reference test: runs a reference's test cases and reports their
 * coverage.
 */
#include "cli/cmd/reference_internal.h"
#include "cli/print.h"
#include "base/quote.h"
#include "compare/cases/cases.h"
#include "value/path.h"

/* The most bytes of a value in the line of a difference. */
#define VALUE_SHOWN_MAX 200
/* The most differences of one case, and branches, that are shown as text. */
#define DIFFERENCES_SHOWN 50
#define BRANCHES_SHOWN 100

static const char *const states[] = {
    [CASE_PASSED] = "passed", [CASE_FAILED] = "FAILED", [CASE_ACCEPTED] = "accepted"};

static str path_text(struct arena *a, const struct difference *d)
{
    struct path path = path_of_trail(a, d->at);
    struct buf text = buf_new(a, BUF_UNLIMITED);

    path_print_dotted(&text, &path);
    return path.len ? buf_str(&text) : STR(".");
}

static unsigned percent(const struct case_report *r)
{
    return r->outcomes ? (unsigned)(r->covered * 100 / r->outcomes) : 100;
}

/* The outcomes that were not covered: both, or one of them. */
static const char *lack(const struct case_branch *b)
{
    if (!b->ran && !b->passed)
        return "never reached";
    if (b->range)
        return b->ran ? "never without elements" : "never with elements";
    return b->ran ? "never false" : "never true";
}

/* ---- Text. ---- */

static str value_text_short(struct arena *a, const struct value *v)
{
    struct buf text = buf_new(a, BUF_UNLIMITED);

    print_short(&text, v, VALUE_SHOWN_MAX);
    return quote_line(a, buf_str(&text));
}

static void print_difference(struct call *c, const struct difference *d)
{
    struct arena *a = c->arena;

    output_fmt(c->out, "  %.*s: ", STR_ARG(quote_line(a, path_text(a, d))));
    if (d->kind == DIFFERENCE_ADDED)
        output_fmt(c->out, "unexpected: %.*s\n", STR_ARG(value_text_short(a, d->new_)));
    else if (d->kind == DIFFERENCE_MISSING)
        output_fmt(c->out, "expected, but missing: %.*s\n", STR_ARG(value_text_short(a, d->old_)));
    else
        output_fmt(c->out, "%.*s, expected %.*s\n", STR_ARG(value_text_short(a, d->new_)),
                   STR_ARG(value_text_short(a, d->old_)));
}

static void print_case(struct call *c, const struct case_result *r)
{
    output_style(c->out, r->state == CASE_FAILED ? STYLE_MISSING : STYLE_PLAIN);
    output_fmt(c->out, "%-8s", states[r->state]);
    output_style(c->out, STYLE_PLAIN);
    output_fmt(c->out, " %.*s\n", STR_ARG(quote_line(c->arena, r->name)));
    if (r->state != CASE_FAILED)
        return;
    if (r->error.len)
        output_fmt(c->out, "  %.*s\n", STR_ARG(quote_line(c->arena, r->error)));
    for (size_t i = 0; i < r->diff.count && i < DIFFERENCES_SHOWN; i++)
        print_difference(c, &r->diff.items[i]);
    if (r->diff.count > DIFFERENCES_SHOWN)
        output_fmt(c->out, "  and %zu more differences\n", r->diff.count - DIFFERENCES_SHOWN);
}

static void print_branches(struct call *c, const struct case_report *r)
{
    struct arena *a = c->arena;
    size_t shown = 0;

    for (size_t i = 0; i < r->branches.len; i++) {
        const struct case_branch *b = &r->branches.items[i];
        if ((b->ran && b->passed) || shown++ >= BRANCHES_SHOWN)
            continue;
        output_style(c->out, STYLE_PLACE);
        output_fmt(c->out, "%.*s:%u:", STR_ARG(quote_line(a, b->file)), (unsigned)b->line);
        output_style(c->out, STYLE_PLAIN);
        output_fmt(c->out, " %.*s is %s\n", STR_ARG(quote_line(a, b->text)), lack(b));
    }
    if (shown > BRANCHES_SHOWN)
        output_fmt(c->out, "and %zu more branches\n", shown - BRANCHES_SHOWN);
    for (size_t i = 0; i < r->unused.len; i++)
        output_fmt(c->out, "%.*s: no case has an object for this template\n",
                   STR_ARG(quote_line(a, r->unused.items[i])));
}

static void print_text(struct call *c, const struct case_report *r)
{
    for (size_t i = 0; i < r->cases.len; i++)
        print_case(c, &r->cases.items[i]);
    /* The total coverage is unknown if only some cases are run. */
    if (c->arg_count == 2)
        print_branches(c, r);
    output_fmt(c->out, "Cases: %zu passed, %zu failed", r->passed, r->failed);
    if (r->accepted)
        output_fmt(c->out, ", %zu accepted", r->accepted);
    output_add(c->out, STR("\n"));
    output_fmt(c->out, "Coverage: %zu of %zu branches (%u %%), %zu of %zu templates\n", r->covered,
               r->outcomes, percent(r), r->templates - r->unused.len, r->templates);
}

/* ---- JSON. ---- */

static struct value *difference_value(struct arena *a, const struct difference *d)
{
    struct value *v = value_object(a);

    value_set_str(a, v, STR("path"), path_text(a, d));
    if (d->old_)
        value_set(a, v, STR("expected"), d->old_);
    if (d->new_)
        value_set(a, v, STR("actual"), d->new_);
    return v;
}

static struct value *case_value(struct arena *a, const struct case_result *r)
{
    struct value *v = value_object(a), *list;

    value_set_str(a, v, STR("name"), r->name);
    value_set_str(a, v, STR("state"), str_lower(a, str_c(states[r->state])));
    if (r->state == CASE_FAILED && r->error.len)
        value_set_str(a, v, STR("error"), r->error);
    if (r->state != CASE_FAILED || !r->diff.count)
        return v;
    list = value_set(a, v, STR("differences"), value_list(a));
    for (size_t i = 0; i < r->diff.count; i++)
        value_add(a, list, difference_value(a, &r->diff.items[i]));
    return v;
}

static struct value *branch_value(struct arena *a, const struct case_branch *b)
{
    struct value *v = value_object(a);

    value_set_str(a, v, STR("file"), b->file);
    value_set_int(a, v, STR("line"), b->line);
    value_set_str(a, v, STR("action"), b->text);
    value_set_str(a, v, STR("lacks"), str_c(lack(b)));
    return v;
}

static struct value *coverage_value(struct arena *a, const struct case_report *r)
{
    struct value *v = value_object(a), *list;

    value_set_int(a, v, STR("branches"), (int64_t)r->outcomes);
    value_set_int(a, v, STR("covered"), (int64_t)r->covered);
    value_set_int(a, v, STR("percent"), percent(r));
    list = value_set(a, v, STR("uncovered"), value_list(a));
    for (size_t i = 0; i < r->branches.len; i++)
        if (!r->branches.items[i].ran || !r->branches.items[i].passed)
            value_add(a, list, branch_value(a, &r->branches.items[i]));
    value_set_int(a, v, STR("templates"), (int64_t)r->templates);
    list = value_set(a, v, STR("unusedTemplates"), value_list(a));
    for (size_t i = 0; i < r->unused.len; i++)
        value_add(a, list, value_string(a, r->unused.items[i]));
    return v;
}

static bool print_json(struct call *c, const struct case_report *r, struct err *e)
{
    struct arena *a = c->arena;
    struct value *root = value_object(a), *list;

    value_set_int(a, root, STR("passed"), (int64_t)r->passed);
    value_set_int(a, root, STR("failed"), (int64_t)r->failed);
    value_set_int(a, root, STR("accepted"), (int64_t)r->accepted);
    list = value_set(a, root, STR("cases"), value_list(a));
    for (size_t i = 0; i < r->cases.len; i++)
        value_add(a, list, case_value(a, &r->cases.items[i]));
    value_set(a, root, STR("coverage"), coverage_value(a, r));
    return print_as_json(c->out, root, e);
}

/* ---- The whole. ---- */

static bool check_values(const struct reference_values *v, struct err *e)
{
    if (str_eq(v->output, STR("github")) || str_eq(v->output, STR("sarif")))
        return err_set(e, ERR_USAGE, "'plumb reference test' writes json or text, not %.*s",
                       STR_ARG(v->output));
    if (v->min_coverage < 0 || v->min_coverage > 100)
        return err_set(e, ERR_USAGE, "--min-coverage must be from 0 to 100");
    return true;
}

bool cmd_reference_test(struct call *c, struct err *e)
{
    const struct reference_values *v = c->values;
    struct case_options options = {.reference = c->args[1],
                                   .folder = v->cases,
                                   .accept = v->accept,
                                   .outside_links = v->outside_links};
    struct case_report report;

    for (size_t i = 2; i < c->arg_count; i++)
        VEC_PUSH(c->arena, &options.names, c->args[i]);
    if (!check_values(v, e) || !cases_run(c->arena, &options, &report, e))
        return false;
    if (report.failed || percent(&report) < v->min_coverage)
        c->status = STATUS_DIFFERENT;
    if (str_eq(v->output, STR("json")))
        return print_json(c, &report, e);
    print_text(c, &report);
    if (percent(&report) < v->min_coverage)
        output_fmt(c->out, "The cases cover less than %d %% of the branches\n",
                   (int)v->min_coverage);
    return true;
}
