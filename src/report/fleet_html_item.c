/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_html_item.c - the items of the fleet's HTML page: findings with the sites that have them,
 * and sites with their findings. They link to each other.
 */
#include "report/fleet_html_internal.h"

/* The most links in one item; the JSON report has all of them. */
enum { SITES_SHOWN = 2000, FINDINGS_SHOWN = 500 };

/* ---- Findings. ---- */

static const struct {
    const char *status, *label;
} kinds[] = {
    [FLEET_DIFFERS] = {"differs", "Different"},
    [FLEET_MISSING] = {"issue", "Missing"},
    [FLEET_UNMATCHED] = {"unmatched", "Not matched"},
};

static void add_site_links(struct fleet_page *p, const struct fleet_finding *x)
{
    size_t shown = x->sites.len < SITES_SHOWN ? x->sites.len : SITES_SHOWN;

    buf_add(p->out, STR("<p class=\"names\">"));
    for (size_t i = 0; i < shown; i++) {
        size_t site = x->sites.items[i];
        buf_fmt(p->out, "<a href=\"#%.*s\">", STR_ARG(p->site_ids[site]));
        html_show(p->out, p->fleet->sites.items[site].name);
        buf_add(p->out, STR("</a> "));
    }
    if (shown < x->sites.len)
        buf_fmt(p->out, "and %zu more", x->sites.len - shown);
    buf_add(p->out, STR("</p>"));
}

static void add_difference(struct buf *out, const struct fleet_finding *x)
{
    const struct result_diff d = {.fields = x->fields};

    if (x->kind != FLEET_DIFFERS)
        return;
    if (x->cut) {
        buf_add(out, STR("<p>The difference is too large to be kept: compare one site alone.</p>"));
        return;
    }
    html_fields(&d, out);
    html_diff(out, x->text);
    buf_add(out, STR("<p class=\"legend\"><span>− what the template expects</span><span>+ what was "
                     "found</span><span>lines around it are those of the first site</span><button "
                     "type=\"button\" class=\"copy\" data-script hidden>Copy the "
                     "difference</button></p>"));
}

static void add_finding_body(struct fleet_page *p, const struct fleet_finding *x)
{
    AUTO_ARENA a = arena_new();
    struct buf *out = p->out;

    buf_add(out, STR("<div class=\"body\"><dl class=\"about\">"));
    html_fact(out, "API", x->object.len ? object_name_of(x->object).api : STR_NONE);
    html_fact(out, "Template", x->template);
    html_fact(out, "Part", x->part);
    html_fact(out, "Component", x->component);
    buf_add(out, STR("</dl>"));
    html_description(out, x->description);
    add_difference(out, x);
    html_put(out, "<h3>", fleet_share(a, p->fleet, x), "</h3>");
    add_site_links(p, x);
    buf_add(out, STR("</div>"));
}

void fleet_html_finding(struct fleet_page *p, size_t index)
{
    AUTO_ARENA a = arena_new();
    const struct fleet_finding *x = &p->fleet->findings.items[index];
    struct buf *out = p->out;

    html_item(out, str_fmt(a, "finding-%zu", index + 1),
              str_z(a, str_fmt(a, "%s%s", kinds[x->kind].status, x->fresh.len ? " new" : "")));
    buf_fmt(out, "<details><summary>%s", html_chevron);
    html_badge(out, kinds[x->kind].status, kinds[x->kind].label);
    buf_fmt(out, "<span class=\"who\"><span class=\"kind\">%zu</span> ", index + 1);
    if (x->object.len)
        html_name(out, x->object);
    else
        html_put(out, "<b>", x->template, "</b>");
    html_change(out, &x->fields);
    html_put(out, "<small>",
             x->kind == FLEET_MISSING ? issue_words(&(struct result_issue){.message = x->message})
                                      : x->template,
             "</small></span><span class=\"delta\">");
    html_show(out, fleet_share(a, p->fleet, x));
    buf_add(out, STR("</span></summary>"));
    add_finding_body(p, x);
    buf_add(out, STR("</details></article>\n"));
}

/* ---- Sites. ---- */

static void add_count(struct buf *out, const char *name, size_t n)
{
    buf_fmt(out, "<div><dt>%s</dt><dd>%zu</dd></div>", name, n);
}

static void add_site_facts(struct buf *out, const struct fleet_site *s)
{
    buf_add(out, STR("<dl class=\"about\">"));
    html_fact(out, "Source", s->source);
    if (!s->error.len) {
        add_count(out, "Objects", s->total);
        add_count(out, "Different", s->differing);
        add_count(out, "Missing", s->missing);
        if (s->not_found)
            add_count(out, "Not found in what could be read", s->not_found);
        add_count(out, "Not matched", s->unmatched);
        add_count(out, "Apart from most sites by", s->apart);
        html_fact(out, "Verdict", fleet_verdict(s));
    }
    buf_add(out, STR("</dl>"));
}

static void add_notes(struct buf *out, const struct fleet_site *s)
{
    static const char *const heads[] = {"Not compared", "Why", NULL};
    AUTO_ARENA a = arena_new();

    if (!s->verdict.notes.len)
        return;
    html_table(out, heads);
    for (size_t i = 0; i < s->verdict.notes.len; i++) {
        const struct result_note *n = &s->verdict.notes.items[i];
        buf_add(out, STR("<tr>"));
        html_cell(out, place_text(a, n->place));
        html_put(out, "<td>", n->reason, "</td></tr>");
    }
    html_table_end(out);
}

static void add_finding_links(struct fleet_page *p, const struct fleet_site *s)
{
    size_t shown = s->findings.len < FINDINGS_SHOWN ? s->findings.len : FINDINGS_SHOWN;

    if (!shown)
        return;
    buf_add(p->out, STR("<ul class=\"list\">"));
    for (size_t i = 0; i < shown; i++) {
        AUTO_ARENA a = arena_new();
        size_t index = s->findings.items[i];
        const struct fleet_finding *x = &p->fleet->findings.items[index];
        buf_fmt(p->out, "<li><a href=\"#finding-%zu\">%zu</a> ", index + 1, index + 1);
        html_show(p->out, fleet_subject(a, x));
        buf_fmt(p->out, " <span class=\"quiet\">%s, ", kinds[x->kind].label);
        html_show(p->out, fleet_share(a, p->fleet, x));
        buf_add(p->out, STR("</span></li>"));
    }
    if (shown < s->findings.len)
        buf_fmt(p->out, "<li>and %zu more</li>", s->findings.len - shown);
    buf_add(p->out, STR("</ul>"));
}

static void add_site_badge(struct buf *out, const struct fleet_site *s)
{
    if (s->error.len)
        html_badge(out, "missing", "Failed");
    else if (fleet_site_drifts(s))
        html_badge(out, "differs", "Drift");
    else if (fleet_site_is_incomplete(s))
        html_badge(out, "issue", "Incomplete");
    else
        html_badge(out, "same", "As expected");
}

static void add_site_summary(struct buf *out, const struct fleet_site *s)
{
    AUTO_ARENA a = arena_new();
    str lacking = fleet_incomplete_text(a, s);

    html_put(out, "<span class=\"who\"><b>", s->name, "</b><small>");
    html_show(out, s->error.len ? s->error : lacking.len ? lacking : s->source);
    buf_add(out, STR("</small></span><span class=\"delta\">"));
    if (!s->error.len)
        buf_fmt(out, "%zu", s->counts[FLEET_DIFFERS] + s->counts[FLEET_MISSING]);
    buf_add(out, STR("</span>"));
}

void fleet_html_site(struct fleet_page *p, size_t index)
{
    const struct fleet_site *s = &p->fleet->sites.items[index];
    struct buf *out = p->out;
    bool incomplete = !s->error.len && fleet_site_is_incomplete(s);
    AUTO_ARENA a = arena_new();
    str status = str_fmt(a, "site%s%s",
                         s->error.len ? " failed"
                         : s->apart   ? " apart"
                                      : "",
                         incomplete ? " incomplete" : "");

    html_item(out, p->site_ids[index], str_z(a, status));
    buf_fmt(out, "<details><summary>%s", html_chevron);
    add_site_badge(out, s);
    add_site_summary(out, s);
    buf_add(out, STR("</summary><div class=\"body\">"));
    add_site_facts(out, s);
    if (s->error.len)
        html_put(out, "<p class=\"description\">", s->error, "</p>");
    add_notes(out, s);
    add_finding_links(p, s);
    buf_add(out, STR("</div></details></article>\n"));
}
