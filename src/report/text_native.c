/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_native.c - plumb's own report for people: what differs, by file, line and field; what is
 * missing; how complete the comparison was; what changed since an earlier report; and explanations.
 * Nothing in it depends on time or randomness.
 */
#include "report/internal.h"
#include "base/quote.h"

/* The most bytes of a value in the line of a field. */
#define FIELD_VALUE_MAX 200
/* The most objects of a group, and overrides, that are listed. */
#define NAMES_SHOWN 20

/* Adds one line, whatever the text contains. */
static void add_line(struct buf *out, str text)
{
    buf_add(out, quote_line(out->arena, text));
}

/* ---- Objects. ---- */

/* "spec.replicas: 3, expected 1 (objects/web.yaml:7, reference/web.yaml:6)". */
static void add_field(struct buf *out, const struct result_field *f, bool object_place)
{
    struct arena *a = out->arena;
    str here = object_place ? place_text(a, f->object) : STR_NONE;
    str there = place_text(a, f->template);

    add_line(out, f->path);
    buf_add(out, STR(": "));
    add_line(out, field_change(a, f, FIELD_VALUE_MAX));
    if (here.len || there.len)
        buf_fmt(out, " (%.*s%s%.*s)", STR_ARG(here), here.len && there.len ? ", " : "",
                STR_ARG(there));
    buf_char(out, '\n');
}

static void add_description(struct buf *out, str text, const char *indent)
{
    str line, rest = str_trim(text);

    while (str_next_line(&rest, &line)) {
        buf_add(out, str_c(indent));
        add_line(out, line);
        buf_char(out, '\n');
    }
}

static void add_overrides(struct buf *out, const struct results *r, const struct result_diff *d)
{
    if (!d->patched)
        return;
    buf_add(out, STR("Patched with "));
    add_line(out, diff_overrides(r, d));
    for (size_t i = 0; i < d->reason_count; i++) {
        buf_add(out, i ? STR("; ") : STR(": "));
        add_line(out, d->reasons[i]);
    }
    buf_char(out, '\n');
}

/* Splits a difference into its head and the rest. External programs may have no head. */
static str cut_head(str text, str *hunks)
{
    size_t head = 0;
    str line, rest = text;

    while (head < 2 && str_next_line(&rest, &line)) {
        if (!str_has_prefix(line, head ? STR("+++ ") : STR("--- ")))
            break;
        head++;
        *hunks = rest;
    }
    if (head < 2)
        *hunks = text;
    return str_slice(text, 0, text.len - hunks->len);
}

static void add_name(struct buf *out, const struct result_diff *d)
{
    struct object_name n = object_name_of(d->object);
    str place = place_text(out->arena, d->place);

    buf_fmt(out, "%.*s%s", STR_ARG(place), place.len ? " " : "");
    if (n.kind.len) {
        add_line(out, str_fmt(out->arena, "%.*s %.*s ", STR_ARG(n.api), STR_ARG(n.kind)));
        add_line(out, n.namespace.len ? str_concat(out->arena, n.namespace, STR("/")) : STR_NONE);
    }
    add_line(out, n.name);
}

/* Objects that differ from one template in the same fields, with the same values. */
struct alike {
    const struct result_diff *first;
    VEC(const struct result_diff *) all;
};

static void add_alike(struct buf *out, const struct alike *g, bool all)
{
    size_t shown = all || g->all.len <= NAMES_SHOWN ? g->all.len : NAMES_SHOWN;

    buf_fmt(out, "%zu objects differ from ", g->all.len);
    add_line(out, g->first->template);
    buf_add(out, STR(" in the same way:\n"));
    for (size_t i = 0; i < shown; i++) {
        buf_add(out, STR("  "));
        add_name(out, g->all.items[i]);
        buf_char(out, '\n');
    }
    if (shown < g->all.len)
        buf_fmt(out, "  and %zu more: -v lists them all\n", g->all.len - shown);
}

static void add_group(struct buf *out, const struct results *r, const struct alike *g, bool all)
{
    const struct result_diff *d = g->first;
    bool many = g->all.len > 1;
    str hunks, head = cut_head(d->text, &hunks);

    if (many)
        add_alike(out, g, all);
    buf_add(out, head);
    if (!head.len) {
        add_name(out, d);
        buf_add(out, diff_is_finding(d) ? STR(" differs from ") : STR(": as expected by "));
        add_line(out, d->template);
        buf_char(out, '\n');
    }
    add_description(out, d->description, "  ");
    add_overrides(out, r, d);
    for (size_t i = 0; i < d->fields.len; i++)
        add_field(out, &d->fields.items[i], !many);
    if (d->fields.cut)
        buf_add(out, STR("and more fields, too many or too large to be listed\n"));
    buf_add(out, hunks);
    buf_add(out, !hunks.len || str_has_suffix(hunks, STR("\n")) ? STR("\n") : STR("\n\n"));
}

static int by_template(const void *x, const void *y)
{
    const struct result_diff *p = (*(const struct alike *const *)x)->first;
    const struct result_diff *q = (*(const struct alike *const *)y)->first;
    int order = str_cmp(p->template, q->template);

    order = order ? order : str_cmp(p->object, q->object);
    return order ? order : (p > q) - (p < q);
}

void report_objects_text(struct buf *out, const struct results *r, bool all)
{
    AUTO_ARENA a = arena_new();
    struct map *known = map_new(a);
    VEC(struct alike *) groups = {0};

    for (size_t i = 0; i < r->diffs.len; i++) {
        const struct result_diff *d = &r->diffs.items[i];
        if (!all && !diff_is_finding(d) && !(d->patched && r->overrides.len))
            continue;
        str key = diff_alike_key(a, d);
        struct alike *g = key.len ? map_get(known, key) : NULL;
        if (!g) {
            g = ARENA_NEW(a, struct alike);
            g->first = d;
            VEC_PUSH(a, &groups, g);
            if (key.len)
                map_set(known, key, g);
        }
        VEC_PUSH(a, &g->all, d);
    }
    if (groups.len)
        qsort(groups.items, groups.len, sizeof(*groups.items), by_template);
    for (size_t i = 0; i < groups.len; i++)
        add_group(out, r, groups.items[i], all);
}

/* ---- Summary. ---- */

static void add_issues(struct buf *out, const struct results *r)
{
    for (size_t i = 0; i < r->issues.len; i++) {
        const struct result_issue *issue = &r->issues.items[i];
        add_line(out, issue->part);
        buf_add(out, STR(" / "));
        add_line(out, issue->component);
        buf_fmt(out, ": %.*s:\n", STR_ARG(issue_words(issue)));
        for (size_t k = 0; k < issue->count; k++) {
            buf_add(out, STR("  - "));
            add_line(out, issue->templates[k].path);
            buf_char(out, '\n');
            add_description(out, issue->templates[k].description, "    ");
        }
    }
}

static void add_list(struct buf *out, const char *title, const struct str_list *list)
{
    if (list->len)
        buf_fmt(out, "%s: %zu\n", title, list->len);
    for (size_t i = 0; i < list->len; i++) {
        buf_add(out, STR("  - "));
        add_line(out, list->items[i]);
        buf_char(out, '\n');
    }
}

static void add_unmatched(struct buf *out, const struct results *r)
{
    size_t all = results_unmatched(r);

    if (!all)
        return;
    buf_fmt(out, UNMATCHED_TITLE ": %zu\n", all);
    for (size_t i = 0; i < r->unmatched.len; i++) {
        buf_add(out, STR("  - "));
        add_line(out, r->unmatched.items[i]);
        buf_char(out, '\n');
    }
    if (all > r->unmatched.len)
        buf_fmt(out, "  and %zu more: -A lists them all\n", all - r->unmatched.len);
}

void report_summary_text(struct buf *out, const struct results *r)
{
    str line = headline(out->arena, r);

    buf_fmt(out, "Summary: %.*s\n", STR_ARG(line));
    add_issues(out, r);
    add_list(out, "Found only by owner references or RBAC subjects, and not compared",
             &r->reference_only);
    add_unmatched(out, r);
    if (r->patched)
        buf_fmt(out, "Patched by overrides: %zu\n", r->patched);
    if (r->subject.input.len) {
        buf_add(out, STR("Compared: "));
        add_line(out, r->subject.input);
        buf_char(out, '\n');
    }
    buf_add(out, STR("Reference: "));
    add_line(out, r->subject.reference);
    buf_fmt(out, "%s%.*s\n", r->subject.reference.len ? ", hash " : "", STR_ARG(r->hash));
}

/* ---- Against an earlier report. ---- */

static void add_drift(struct buf *out, const struct result_drift *d)
{
    buf_add(out, STR("- "));
    add_line(out, d->object.len ? d->object : d->issue);
    buf_add(out, d->object.len ? STR(" (") : STR(": "));
    add_line(out, d->template);
    if (d->object.len)
        buf_fmt(out, ")%s", d->gone ? ", no longer among the objects" : "");
    buf_char(out, '\n');
    for (size_t i = 0; i < d->more.len; i++) {
        buf_add(out, STR("  "));
        add_line(out, d->more.items[i]);
        buf_char(out, '\n');
    }
    for (size_t i = 0; i < d->masked.len; i++) {
        buf_add(out, STR("  "));
        add_line(out, d->masked.items[i]);
        buf_add(out, STR(" is masked: whether it has changed since is not known\n"));
    }
}

void report_baseline_text(struct buf *out, const struct results *r)
{
    static const char *const titles[DRIFT_STATES] = {"New", "Worse", "Remaining", "Fixed"};
    const struct result_baseline *b = &r->baseline;

    if (!b->file.len)
        return;
    buf_fmt(out, "\nCompared with %.*s: %zu new, %zu worse, %zu remaining, %zu fixed\n",
            STR_ARG(quote_line(out->arena, b->file)), b->counts[DRIFT_NEW], b->counts[DRIFT_WORSE],
            b->counts[DRIFT_REMAINING], b->counts[DRIFT_FIXED]);
    if (report_is_of_another(b->hash, r->hash))
        buf_fmt(out, "It was made with another reference, of which the hash is %.*s\n",
                STR_ARG(quote_line(out->arena, b->hash)));
    for (size_t i = 0; i < b->drifts.len; i++) {
        const struct result_drift *d = &b->drifts.items[i];
        if (!i || d[-1].state != d->state)
            buf_fmt(out, "%s:\n", titles[d->state]);
        add_drift(out, d);
    }
}

/* ---- Explanations. ---- */

static void add_place(struct buf *out, struct result_place place)
{
    if (!place.file.len)
        return;
    buf_add(out, STR(" ("));
    add_line(out, place_text(out->arena, place));
    buf_char(out, ')');
}

static void add_candidates(struct buf *out, const struct result_explanation *x)
{
    if (!x->candidates.len) {
        buf_add(out, STR("  No template is for this kind\n"));
        return;
    }
    buf_add(out, STR("  Templates:\n"));
    for (size_t i = 0; i < x->candidates.len; i++) {
        const struct result_candidate *c = &x->candidates.items[i];
        buf_fmt(out, "  %s ", c->chosen ? "*" : "-");
        add_line(out, c->template);
        if (c->scored)
            buf_fmt(out, ", score %zu", c->score);
        buf_add(out, STR(": "));
        add_line(out, c->why);
        buf_char(out, '\n');
    }
}

static void add_suppressed(struct buf *out, const struct result_explanation *x)
{
    if (x->suppressed.len)
        buf_add(out, STR("  Suppressed fields:\n"));
    for (size_t i = 0; i < x->suppressed.len; i++) {
        const struct result_suppressed *s = &x->suppressed.items[i];
        buf_add(out, STR("  - "));
        add_line(out, s->path);
        buf_add(out, STR(": "));
        add_line(out, s->rule);
        add_place(out, s->rule_place);
        buf_char(out, '\n');
    }
    if (x->cut)
        buf_add(out, STR("  - and others, which are too many or too deep to be shown\n"));
}

void report_explain_text(struct buf *out, const struct results *r)
{
    if (r->explanations.len)
        buf_add(out, STR("\nExplanations\n"));
    for (size_t i = 0; i < r->explanations.len; i++) {
        const struct result_explanation *x = &r->explanations.items[i];
        buf_add(out, i ? STR("\n") : STR_NONE);
        add_line(out, x->object);
        add_place(out, x->place);
        buf_char(out, '\n');
        add_candidates(out, x);
        add_suppressed(out, x);
    }
}
