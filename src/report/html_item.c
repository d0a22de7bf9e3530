/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html_item.c - the items of the HTML report: objects, issues of components, unmatched objects.
 * report.js filters items by their status.
 */
#include "report/internal.h"

/* Longer values are cut in tables; the difference shows them in full. */
#define CELL_MAX 2000

/* ---- Pieces. ---- */

void html_item(struct buf *out, str id, const char *status)
{
    buf_fmt(out, "<article class=\"item\" id=\"%.*s\" data-status=\"%s\">", STR_ARG(id), status);
}

void html_name(struct buf *out, str id)
{
    struct object_name n = object_name_of(id);

    if (n.kind.len)
        html_put(out, "<span class=\"kind\">", n.kind, "</span> ");
    if (n.namespace.len) {
        html_show(out, n.namespace);
        buf_char(out, '/');
    }
    html_put(out, "<b>", n.name, "</b>");
}

static void add_fact(struct buf *out, const char *name, str value)
{
    if (!value.len)
        return;
    buf_fmt(out, "<div><dt>%s</dt><dd>", name);
    html_code(out, value);
    buf_add(out, STR("</dd></div>"));
}

/* ---- Objects. ---- */

/* A value, and its origin below it, as paths in archives are long. */
static void add_value_cell(struct arena *a, struct buf *out, const struct value *v,
                           struct result_place place)
{
    str where = place_text(a, place);

    buf_add(out, v ? STR("<td><code>") : STR("<td class=\"quiet\">absent"));
    if (v)
        html_show(out, field_text(a, v, CELL_MAX));
    buf_add(out, v ? STR("</code>") : STR_NONE);
    if (where.len)
        html_put(out, "<small class=\"place\">", where, "</small>");
    buf_add(out, STR("</td>"));
}

void html_fields(const struct result_diff *d, struct buf *out)
{
    static const char *const heads[] = {"Field", "", "Expected", "Found", NULL};
    AUTO_ARENA a = arena_new();

    if (!d->fields.len)
        return;
    buf_fmt(out, "<details class=\"fields\" open><summary>%s</summary>",
            str_z(a, counted(a, d->fields.len, "field")));
    html_table(out, heads);
    for (size_t i = 0; i < d->fields.len; i++) {
        const struct result_field *f = &d->fields.items[i];
        buf_add(out, STR("<tr>"));
        html_cell(out, f->path);
        buf_add(out, STR("<td>"));
        html_badge(out, result_kind_name(f->kind), result_kind_name(f->kind));
        buf_add(out, STR("</td>"));
        add_value_cell(a, out, f->expected, f->template);
        add_value_cell(a, out, f->actual, f->object);
        buf_add(out, STR("</tr>"));
    }
    html_table_end(out);
    buf_add(out, STR("</details>"));
}

static void add_candidates(const struct result_explanation *x, struct buf *out)
{
    static const char *const heads[] = {"Template", "Score", "", "Why", NULL};
    AUTO_ARENA a = arena_new();

    buf_fmt(out, "<details><summary>Which template: %s</summary>",
            str_z(a, counted(a, x->candidates.len, "candidate")));
    html_table(out, heads);
    for (size_t i = 0; i < x->candidates.len; i++) {
        const struct result_candidate *c = &x->candidates.items[i];
        buf_add(out, STR("<tr>"));
        html_cell(out, c->template);
        html_cell(out, c->scored ? str_fmt(a, "%zu", c->score) : STR_NONE);
        buf_add(out, STR("<td>"));
        if (c->chosen)
            html_badge(out, "complete", "chosen");
        html_put(out, "</td><td>", c->why, "</td></tr>");
    }
    html_table_end(out);
    buf_add(out, STR("</details>"));
}

static void add_suppressed(const struct result_explanation *x, struct buf *out)
{
    static const char *const heads[] = {"Field", "Rule", "Where", NULL};
    AUTO_ARENA a = arena_new();

    buf_fmt(out, "<details><summary>%s</summary>",
            str_z(a, counted(a, x->suppressed.len, "suppressed field")));
    html_table(out, heads);
    for (size_t i = 0; i < x->suppressed.len; i++) {
        const struct result_suppressed *s = &x->suppressed.items[i];
        buf_add(out, STR("<tr>"));
        html_cell(out, s->path);
        html_put(out, "<td>", s->rule, "</td>");
        html_cell(out, place_text(a, s->rule_place));
        buf_add(out, STR("</tr>"));
    }
    html_table_end(out);
    buf_add(out, STR("</details>"));
}

static void add_reasons(const struct html_page *p, const struct result_diff *d, struct buf *out)
{
    if (!d->patched)
        return;
    buf_add(out, STR("<p>Patched with "));
    html_code(out, diff_overrides(p->results, d));
    buf_add(out, d->reason_count ? STR(": ") : STR("; no reason was given."));
    for (size_t i = 0; i < d->reason_count; i++) {
        buf_add(out, i ? STR("; ") : STR_NONE);
        html_show(out, d->reasons[i]);
    }
    buf_add(out, STR("</p>"));
}

static void add_body(const struct html_page *p, const struct result_diff *d, str id,
                     struct buf *out)
{
    AUTO_ARENA a = arena_new();
    const struct result_explanation *x = map_get(p->explanations, d->object);

    buf_add(out, STR("<div class=\"body\"><dl class=\"about\">"));
    add_fact(out, "API", object_name_of(d->object).api);
    add_fact(out, "Read from", place_text(a, d->place));
    buf_add(out, STR("</dl>"));
    html_description(out, d->description);
    add_reasons(p, d, out);
    html_fields(d, out);
    if (d->text.len)
        html_diff(out, d->text);
    buf_add(out, STR("<p class=\"legend\">"));
    if (d->text.len)
        buf_add(out, STR("<span>− what the template expects</span><span>+ what was found</span>"
                         "<button type=\"button\" class=\"copy\" data-script hidden>Copy the "
                         "difference</button>"));
    else
        buf_add(out, STR("<span>No differences</span>"));
    buf_fmt(out, "<a href=\"#%.*s\">Link to this object</a></p>", STR_ARG(id));
    if (x && x->candidates.len)
        add_candidates(x, out);
    if (x && x->suppressed.len)
        add_suppressed(x, out);
    buf_add(out, STR("</div>"));
}

void html_delta(struct buf *out, str text)
{
    struct diff_count n = diff_count_lines(text);

    buf_add(out, STR("<span class=\"delta\">"));
    if (n.added || n.removed)
        buf_fmt(out, "<ins>+%zu</ins> <del>−%zu</del>", n.added, n.removed);
    buf_add(out, STR("</span>"));
}

/* The most bytes of a value in a closed row. */
#define CHANGE_MAX 120

void html_change(struct buf *out, const struct result_fields *fields)
{
    AUTO_ARENA a = arena_new();

    if (!fields->len)
        return;
    html_put(out, "<span class=\"change\"><code>", fields->items[0].path, "</code>: ");
    html_show(out, field_change(a, &fields->items[0], CHANGE_MAX));
    if (fields->len > 1)
        buf_fmt(out, " <span class=\"quiet\">and %zu more</span>", fields->len - 1);
    buf_add(out, STR("</span>"));
}

/* What is shown with the first of several similar objects applies to the others, too. */
static void begin_object(struct buf *out, str id, const char *status,
                         const struct html_alike *alike, bool again)
{
    if (!alike) {
        html_item(out, id, status);
        return;
    }
    buf_fmt(out, "<article class=\"item%s\" id=\"%.*s\" data-status=\"%s\" data-alike=\"%zu\">",
            again ? " again" : "", STR_ARG(id), status, alike->number);
}

void html_object(struct html_page *p, const struct result_diff *d, const struct html_alike *alike,
                 struct buf *out)
{
    bool finding = diff_is_finding(d);
    const char *status = finding ? "differs" : d->patched ? "patched" : "same";
    const char *label = finding ? "Different" : d->patched ? "Patched" : "Same";
    str id = html_id(&p->ids, d->object);

    begin_object(out, id, status, alike, alike && alike->items[0] != d);
    buf_fmt(out, "<details%s><summary>%s", finding && p->open ? " open" : "", html_chevron);
    html_badge(out, status, label);
    buf_add(out, STR("<span class=\"who\">"));
    html_name(out, d->object);
    html_change(out, &d->fields);
    buf_add(out, STR("<small>"));
    html_show(out, d->template);
    if (alike)
        buf_fmt(out, " <span class=\"alike\">%zu objects have this change</span>", alike->len);
    buf_add(out, STR("</small></span>"));
    html_delta(out, d->text);
    buf_add(out, STR("</summary>"));
    add_body(p, d, id, out);
    buf_add(out, STR("</details></article>\n"));
}

/* ---- Issues. ---- */

void html_issue(struct html_page *p, const struct result_issue *issue, struct buf *out)
{
    str id = html_id(&p->ids, str_fmt(p->ids.arena, "issue-%.*s-%.*s", STR_ARG(issue->part),
                                      STR_ARG(issue->component)));

    html_item(out, id, "issue");
    buf_fmt(out, "<details open><summary>%s", html_chevron);
    html_badge(out, "issue", "Issue");
    buf_add(out, STR("<span class=\"who\"><b>"));
    html_show(out, issue_words(issue));
    buf_fmt(out,
            "</b></span><span class=\"delta\">%zu</span></summary><div class=\"body\"><ul "
            "class=\"list\">",
            issue->count);
    for (size_t i = 0; i < issue->count; i++) {
        buf_add(out, STR("<li>"));
        html_code(out, issue->templates[i].path);
        if (issue->templates[i].description.len) {
            buf_add(out, STR("<p>"));
            html_show_links(out, str_trim(issue->templates[i].description));
            buf_add(out, STR("</p>"));
        }
        buf_add(out, STR("</li>"));
    }
    buf_add(out, STR("</ul></div></details></article>\n"));
}

static void add_unmatched_name(struct buf *out, str id)
{
    html_badge(out, "unmatched", "Not matched");
    buf_add(out, STR("<span class=\"who\">"));
    html_name(out, id);
    html_put(out, "<small>", object_name_of(id).api, "</small></span>");
}

/* Can be opened only if there is something to show. */
void html_unmatched(struct html_page *p, str id, struct buf *out)
{
    const struct result_explanation *x = map_get(p->explanations, id);

    html_item(out, html_id(&p->ids, id), "unmatched");
    if (x && x->candidates.len) {
        buf_fmt(out, "<details><summary>%s", html_chevron);
        add_unmatched_name(out, id);
        buf_add(out, STR("</summary><div class=\"body\">"));
        add_candidates(x, out);
        buf_add(out, STR("</div></details>"));
    } else {
        buf_add(out, STR("<div class=\"plain\">"));
        add_unmatched_name(out, id);
        buf_add(out, STR("</div>"));
    }
    buf_add(out, STR("</article>\n"));
}
