/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_more.c - what the report for people has beyond the original's, after the summary: the
 * comparison with an earlier report, and explanations.
 */
#include "report/internal.h"

/* One line, whatever the text holds. */
static void add_line(struct buf *out, str text)
{
    str line, rest = text;

    for (bool more = true; more;) {
        more = str_cut(rest, STR("\n"), &line, &rest);
        buf_add(out, line);
        if (more)
            buf_char(out, ' ');
    }
}

/* ---- Against an earlier report. ---- */

static void add_drift(struct buf *out, const struct result_drift *d)
{
    buf_add(out, STR("- "));
    if (d->object.len)
        buf_fmt(out, "%.*s (%.*s)%s\n", STR_ARG(d->object), STR_ARG(d->template),
                d->gone ? ", no longer among the objects" : "");
    else
        buf_fmt(out, "%.*s: %.*s\n", STR_ARG(d->issue), STR_ARG(d->template));
    for (size_t i = 0; i < d->more.len; i++) {
        buf_add(out, STR("  "));
        add_line(out, d->more.items[i]);
        buf_char(out, '\n');
    }
}

void report_baseline_text(struct buf *out, const struct results *r)
{
    static const char *const titles[DRIFT_STATES] = {"New", "Worse", "Remaining", "Fixed"};
    const struct result_baseline *b = &r->baseline;

    if (!b->file.len)
        return;
    buf_fmt(out, "\nCompared with %.*s: %zu new, %zu worse, %zu remaining, %zu fixed\n",
            STR_ARG(b->file), b->counts[DRIFT_NEW], b->counts[DRIFT_WORSE],
            b->counts[DRIFT_REMAINING], b->counts[DRIFT_FIXED]);
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
    if (place.file.len)
        buf_fmt(out, " (%.*s)", STR_ARG(place_text(out->arena, place)));
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
        buf_fmt(out, "  %s %.*s", c->chosen ? "*" : "-", STR_ARG(c->template));
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
        buf_fmt(out, "  - %.*s: ", STR_ARG(s->path));
        add_line(out, s->rule);
        add_place(out, s->rule_place);
        buf_char(out, '\n');
    }
    if (x->cut)
        buf_add(out, STR("  - and others, which are too many or too deep to be told\n"));
}

void report_explain_text(struct buf *out, const struct results *r)
{
    if (r->explanations.len)
        buf_add(out, STR("\nExplanations\n"));
    for (size_t i = 0; i < r->explanations.len; i++) {
        const struct result_explanation *x = &r->explanations.items[i];
        buf_fmt(out, "%s%.*s", i ? "\n" : "", STR_ARG(x->object));
        add_place(out, x->place);
        buf_char(out, '\n');
        add_candidates(out, x);
        add_suppressed(out, x);
    }
}
