/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html_panel.c - panels of the HTML report: how complete the comparison was, what has changed since
 * an earlier report, what was only referred to; and the building blocks of panels and items.
 */
#include "report/internal.h"

/* ---- Pieces. ---- */

void html_code(struct buf *out, str text)
{
    html_put(out, "<code>", text, "</code>");
}

void html_badge(struct buf *out, const char *class, const char *label)
{
    buf_fmt(out, "<span class=\"badge %s\">%s</span>", class, label);
}

void html_table(struct buf *out, const char *const *heads)
{
    buf_add(out, STR("<div class=\"scroll\"><table><thead><tr>"));
    for (; *heads; heads++)
        if (**heads)
            buf_fmt(out, "<th scope=\"col\">%s</th>", *heads);
        else
            buf_add(out, STR("<td></td>"));
    buf_add(out, STR("</tr></thead><tbody>"));
}

void html_table_end(struct buf *out)
{
    buf_add(out, STR("</tbody></table></div>"));
}

void html_cell(struct buf *out, str text)
{
    buf_add(out, STR("<td>"));
    if (text.len)
        html_code(out, text);
    buf_add(out, STR("</td>"));
}

/* ---- Completeness. ---- */

/* "Documents  403 read · 2 skipped": up to four counts of one thing. */
struct tally {
    const char *name;
    struct {
        const char *what;
        size_t n;
    } counts[4];
};

static void add_tallies(const struct result_verdict *v, struct buf *out)
{
    const struct tally tallies[] = {
        {"Documents", {{"read", v->documents}, {"skipped", v->skipped}, {"failed", v->failed}}},
        {"Objects",
         {{"matched", v->matched},
          {"not matched", v->unmatched},
          {"duplicate", v->duplicates},
          {"failed", v->failed_objects}}},
        {"Fields", {{"compared", v->fields_compared}, {"left out", v->fields_omitted}}},
        {"Archive members", {{"ignored", v->members_ignored}}},
    };
    size_t count = COUNT(tallies) - !v->members_ignored;

    buf_add(out, STR("<dl class=\"about\">"));
    for (size_t i = 0; i < count; i++) {
        const struct tally *t = &tallies[i];
        buf_fmt(out, "<div><dt>%s</dt><dd>", t->name);
        for (size_t k = 0; k < COUNT(t->counts) && t->counts[k].what; k++)
            buf_fmt(out, "%s<b>%zu</b> %s", k ? " · " : "", t->counts[k].n, t->counts[k].what);
        buf_add(out, STR("</dd></div>"));
    }
    buf_add(out, STR("</dl>"));
}

static void add_rules(const struct result_verdict *v, struct buf *out)
{
    if (!v->rules.len)
        return;
    buf_add(out, STR("<details><summary>Rules that kept fields out</summary><div class=\"scroll\">"
                     "<table><thead><tr><th scope=\"col\">Rule</th><th scope=\"col\" "
                     "class=\"number\">Fields</th></tr></thead><tbody>"));
    for (size_t i = 0; i < v->rules.len; i++) {
        buf_add(out, STR("<tr>"));
        html_cell(out, v->rules.items[i].rule);
        buf_fmt(out, "<td class=\"number\">%zu</td></tr>", v->rules.items[i].count);
    }
    html_table_end(out);
    buf_add(out, STR("</details>"));
}

static void add_notes(const struct result_verdict *v, struct buf *out)
{
    static const char *const heads[] = {"Where", "", "Why", NULL};
    AUTO_ARENA a = arena_new();

    if (!v->notes.len)
        return;
    buf_fmt(out, "<details%s><summary>Documents that were not compared</summary>",
            v->complete ? "" : " open");
    html_table(out, heads);
    for (size_t i = 0; i < v->notes.len; i++) {
        const struct result_note *n = &v->notes.items[i];
        buf_add(out, STR("<tr>"));
        html_cell(out, place_text(a, n->place));
        buf_add(out, STR("<td>"));
        html_badge(out, n->failed ? "missing" : "extra", n->failed ? "failed" : "skipped");
        html_put(out, "</td><td>", n->reason, "</td></tr>");
    }
    html_table_end(out);
    buf_add(out, STR("</details>"));
}

void html_verdict(const struct result_verdict *v, struct buf *out)
{
    static const struct {
        const char *class, *label;
    } badges[] = {[VERDICT_COMPLETE] = {"complete", "Complete"},
                  [VERDICT_INCOMPLETE] = {"incomplete", "Incomplete"}};
    enum verdict_state state = verdict_state(v);

    buf_add(out, STR("<section class=\"verdict panel\" aria-labelledby=\"verdict\"><h2 "
                     "id=\"verdict\">Completeness "));
    html_badge(out, badges[state].class, badges[state].label);
    buf_add(out, STR("</h2>"));
    add_tallies(v, out);
    add_rules(v, out);
    add_notes(v, out);
    buf_add(out, STR("</section>\n"));
}

/* ---- An earlier report. ---- */

static void add_drift(struct buf *out, const struct result_drift *d)
{
    buf_add(out, STR("<li>"));
    html_code(out, d->object.len ? d->object : d->template);
    if (d->issue.len) {
        buf_add(out, STR(" "));
        html_show(out, d->issue);
    }
    buf_add(out, d->gone ? STR(" no longer among the objects") : STR_NONE);
    for (size_t i = 0; i < d->more.len; i++)
        html_put(out, "<p>", d->more.items[i], "</p>");
    buf_add(out, STR("</li>"));
}

static void add_drifts(struct buf *out, const struct result_baseline *b,
                       enum result_drift_state state, const char *title)
{
    bool bad = state == DRIFT_NEW || state == DRIFT_WORSE;

    if (!b->counts[state])
        return;
    buf_fmt(out, "<details%s><summary>%s: %zu</summary><ul class=\"list\">", bad ? " open" : "",
            title, b->counts[state]);
    for (size_t i = 0; i < b->drifts.len; i++)
        if (b->drifts.items[i].state == state)
            add_drift(out, &b->drifts.items[i]);
    buf_add(out, STR("</ul></details>"));
}

void html_baseline(const struct results *r, struct buf *out)
{
    const struct result_baseline *b = &r->baseline;
    static const char *const titles[DRIFT_STATES] = {"New", "Worse", "Remaining", "Fixed"};
    bool worse = b->counts[DRIFT_NEW] || b->counts[DRIFT_WORSE];

    buf_add(out, STR("<section class=\"verdict panel\" aria-labelledby=\"baseline\"><h2 "
                     "id=\"baseline\">Since the earlier report "));
    html_badge(out, worse ? "missing" : "complete", worse ? "Worse" : "Not worse");
    buf_add(out, STR("</h2><p class=\"quiet\">"));
    html_show(out, b->file);
    if (report_is_of_another(b->hash, r->hash))
        buf_add(out, STR(", made with another reference"));
    buf_add(out, STR("</p>"));
    for (size_t i = 0; i < DRIFT_STATES; i++)
        add_drifts(out, b, (enum result_drift_state)i, titles[i]);
    buf_add(out, STR("</section>\n"));
}

/* ---- What was inferred. ---- */

void html_reference_only(const struct results *r, struct buf *out)
{
    if (!r->reference_only.len)
        return;
    buf_add(out, STR("<section class=\"panel verdict\" aria-labelledby=\"inferred\"><h2 "
                     "id=\"inferred\">Only referred to</h2><p class=\"quiet\">Found through owner "
                     "references or RBAC subjects; their contents were not compared.</p><ul "
                     "class=\"list\">"));
    for (size_t i = 0; i < r->reference_only.len; i++)
        html_put(out, "<li><code>", r->reference_only.items[i], "</code></li>");
    buf_add(out, STR("</ul></section>\n"));
}
