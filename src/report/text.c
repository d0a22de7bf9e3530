/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - the original's report for people: a block per object, then the summary. plumb's own is
 * in text_native.c.
 */
#include "report/internal.h"
#include "base/quote.h"
#include "text/yaml/yaml.h"

static const char separator[] = "**********************************\n";

/* Go's TrimSpace, for what can be at the ends of a report. */
static str trim(str s)
{
    return str_trim_set(s, STR(" \t\n\v\f\r"));
}

/* Indents every line of text, including the empty one after a final newline. */
static void add_indented(struct buf *out, str text, size_t indent)
{
    str line, rest = text;

    for (bool more = true; more;) {
        more = str_cut(rest, STR("\n"), &line, &rest);
        buf_repeat(out, ' ', indent);
        buf_add(out, line);
        buf_char(out, '\n');
    }
}

/* ---- Blocks. ---- */

static void add_patch_lines(struct buf *out, const struct results *r, const struct result_diff *d)
{
    buf_fmt(out, "\nPatched with %.*s", STR_ARG(diff_overrides(r, d)));
    buf_add(out, d->reason_count ? STR("\nPatch Reasons:") : STR("\nPatch Reasons: <None given>"));
    for (size_t i = 0; i < d->reason_count; i++)
        buf_fmt(out, "\n- %.*s", STR_ARG(d->reasons[i]));
}

static str block_text(struct arena *a, const struct results *r, const struct result_diff *d)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    buf_fmt(&out, "Cluster CR: %.*s\nReference File: %.*s\n", STR_ARG(d->object),
            STR_ARG(d->template));
    if (d->description.len) {
        buf_add(&out, STR("Description:\n"));
        add_indented(&out, d->description, 2);
    }
    buf_add(&out, STR("Diff Output: "));
    buf_add(&out, d->text.len ? d->text : STR("None"));
    if (d->patched)
        add_patch_lines(&out, r, d);
    return trim(buf_str(&out));
}

struct sorted_diff {
    str key;
    const struct result_diff *diff;
};

static int compare_diffs(const void *x, const void *y)
{
    const struct sorted_diff *p = x, *q = y;
    int order = str_cmp(p->key, q->key);

    if (order)
        return order;
    return p->diff < q->diff ? -1 : p->diff > q->diff;
}

static size_t sort_blocks(struct arena *a, const struct results *r, bool all,
                          struct sorted_diff **out)
{
    size_t count = 0;

    *out = ARENA_ARRAY(a, struct sorted_diff, r->diffs.len);
    for (size_t i = 0; i < r->diffs.len; i++) {
        const struct result_diff *d = &r->diffs.items[i];
        if (all || d->text.len || (d->patched && r->overrides.len))
            (*out)[count++] = (struct sorted_diff){str_concat(a, d->template, d->object), d};
    }
    if (count)
        qsort(*out, count, sizeof(**out), compare_diffs);
    return count;
}

static void add_blocks(struct arena *a, const struct results *r, bool all, struct buf *out)
{
    struct sorted_diff *blocks;
    size_t count = sort_blocks(a, r, all, &blocks);

    if (!count)
        return;
    buf_fmt(out, "%s\n", separator);
    for (size_t i = 0; i < count; i++) {
        buf_add(out, block_text(a, r, blocks[i].diff));
        buf_fmt(out, "\n\n%s\n", separator);
    }
}

/* ---- Summary. ---- */

static void add_template(struct buf *out, const struct result_template *t)
{
    buf_fmt(out, "    - %.*s\n", STR_ARG(t->path));
    if (t->description.len) {
        buf_add(out, STR("      Description:\n"));
        add_indented(out, t->description, 8);
    }
}

static void add_issues(struct buf *out, const struct results *r)
{
    if (!r->issues.len) {
        buf_add(out, STR("No validation issues with the cluster\n"));
        return;
    }
    buf_fmt(out, "CRs in reference missing from the cluster: %zu\n", r->missing);
    for (size_t i = 0; i < r->issues.len; i++) {
        const struct result_issue *issue = &r->issues.items[i];
        if (!i || !str_eq(issue->part, r->issues.items[i - 1].part))
            buf_fmt(out, "%.*s:\n", STR_ARG(issue->part));
        buf_fmt(out, "  %.*s:\n    %.*s:\n", STR_ARG(issue->component), STR_ARG(issue->message));
        for (size_t k = 0; k < issue->count; k++)
            add_template(out, &issue->templates[k]);
    }
}

static void add_reference_only(struct buf *out, const struct results *r)
{
    if (!r->reference_only.len)
        return;
    buf_fmt(out,
            "\nWarning: %zu resource(s) found via ownerReferences or RBAC subjects but contents "
            "not validated:\n",
            r->reference_only.len);
    for (size_t i = 0; i < r->reference_only.len; i++)
        buf_fmt(out, "  - %.*s\n", STR_ARG(r->reference_only.items[i]));
}

/* Logs what the original does about a list that it cannot print and omits. */
static void log_unprintable(struct arena *a, const struct report_options *o, const struct err *e)
{
    if (o->log)
        o->log->line(
            o->log->ctx, 'W',
            str_fmt(a, "Failed to marshal value to YAML in template: %.*s", STR_ARG(e->text)));
}

static void add_unmatched(struct arena *a, struct buf *out, const struct results *r,
                          const struct report_options *o)
{
    struct value *list = value_list(a);
    AUTO_ERR e = {0};

    if (!r->unmatched.len) {
        buf_add(out, STR("No CRs are unmatched to reference CRs\n"));
        return;
    }
    for (size_t i = 0; i < r->unmatched.len; i++)
        value_add(a, list, value_string(a, r->unmatched.items[i]));
    buf_fmt(out, "Cluster CRs unmatched to reference CRs: %zu\n", r->unmatched.len);
    size_t before = out->len;
    if (!yaml_write(out, list, report_numbers(r, NUMBERS_GO), &e)) {
        log_unprintable(a, o, &e);
        buf_truncate(out, before);
        buf_char(out, '\n');
    }
}

static str summary_text(struct arena *a, const struct results *r, const struct report_options *o)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    buf_fmt(&out, "Summary\nCRs with diffs: %zu/%zu\n", r->differing, r->total);
    add_issues(&out, r);
    add_reference_only(&out, r);
    add_unmatched(a, &out, r, o);
    buf_fmt(&out, "Metadata Hash: %.*s\n", STR_ARG(r->hash));
    if (r->patched)
        buf_fmt(&out, "Cluster CRs with patches applied: %zu", r->patched);
    else
        buf_add(&out, STR("No patched CRs"));
    return trim(buf_str(&out));
}

static void write_plain(const struct results *r, const struct report_options *o, struct buf *out)
{
    AUTO_ARENA a = arena_new();

    add_blocks(a, r, o->all, out);
    buf_add(out, summary_text(a, r, o));
    buf_char(out, '\n');
}

static bool write_text(const struct results *r, const struct report_options *o, struct buf *out,
                       struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct buf plain = buf_new(a, BUF_UNLIMITED);

    (void)e;
    if (!o->colour && !o->terminal && !r->verdict.known) {
        write_plain(r, o, out);
        return true;
    }
    if (r->verdict.known) {
        report_objects_text(&plain, r, o->all);
        report_summary_text(&plain, r);
        report_verdict_text(&plain, r);
        report_baseline_text(&plain, r);
        report_explain_text(&plain, r);
    } else {
        write_plain(r, o, &plain);
    }
    report_for_terminal(out, buf_str(&plain), o->colour);
    return true;
}

const struct report_format report_text = {
    .name = "text",
    .help = "for people",
    .original = true,
    .explains = true,
    .write = write_text,
    .write_fleet = fleet_write_text,
};
