/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html.c - the report as one self-contained page; see html_page.c.
 */
#include "report/internal.h"

/* How many items have which status. */
struct totals {
    size_t differs, issues, unmatched, patched, same;
};

static struct totals count_totals(const struct results *r)
{
    struct totals t = {.issues = r->issues.len, .unmatched = results_unmatched(r)};

    for (size_t i = 0; i < r->diffs.len; i++) {
        const struct result_diff *d = &r->diffs.items[i];
        if (diff_is_finding(d))
            t.differs++;
        else if (d->patched)
            t.patched++;
        else
            t.same++;
    }
    return t;
}

static size_t total_findings(const struct totals *t)
{
    return t->differs + t->issues + t->unmatched;
}

/* ---- The bar. ---- */

static void add_bar(const struct totals *t, struct buf *out)
{
    html_bar(out, "Comparison report", "Name, kind, namespace, template, value…");
    html_chip(out, "findings", "Findings", total_findings(t), false);
    html_chip(out, "differs", "Different", t->differs, true);
    html_chip(out, "issue", "Issues", t->issues, true);
    html_chip(out, "unmatched", "Not matched", t->unmatched, true);
    if (t->patched)
        html_chip(out, "patched", "Patched", t->patched, true);
    html_chip(out, "same", "Same", t->same, true);
    html_chip(out, "all", "All", total_findings(t) + t->patched + t->same, false);
    html_bar_end(out);
}

/* ---- Tree. ---- */

/* Anchors of parts and components, by their index in the outline. */
struct anchors {
    str *parts, *components;
};

static bool begins_part(const struct outline *o, size_t i)
{
    return i == 0 || !str_eq(o->items[i].part, o->items[i - 1].part);
}

static struct anchors make_anchors(struct html_page *p, const struct outline *o)
{
    struct arena *a = p->ids.arena;
    struct anchors n = {ARENA_ARRAY(a, str, o->len), ARENA_ARRAY(a, str, o->len)};

    for (size_t i = 0; i < o->len; i++) {
        const struct group *g = &o->items[i];
        n.parts[i] = begins_part(o, i) ? html_id(&p->ids, str_fmt(a, "part-%.*s", STR_ARG(g->part)))
                                       : n.parts[i - 1];
        n.components[i] = html_id(
            &p->ids, str_fmt(a, "component-%.*s-%.*s", STR_ARG(g->part), STR_ARG(g->component)));
    }
    return n;
}

static void add_part_link(struct buf *out, const struct outline *o, size_t i, str anchor)
{
    size_t findings = 0, all = 0;

    for (size_t k = i; k < o->len && (k == i || !begins_part(o, k)); k++) {
        findings += o->items[k].findings;
        all += o->items[k].entries.len;
    }
    html_link(out, anchor, o->items[i].part, findings, all);
}

static void add_tree(const struct results *r, const struct outline *o, const struct anchors *n,
                     struct buf *out)
{
    buf_add(out, STR("<nav class=\"tree\" aria-label=\"Parts and components\"><h2>Parts</h2><ul>"));
    for (size_t i = 0; i < o->len; i++) {
        const struct group *g = &o->items[i];
        if (begins_part(o, i)) {
            buf_add(out, i ? STR("</ul></li>\n<li>") : STR("\n<li>"));
            add_part_link(out, o, i, n->parts[i]);
            buf_add(out, STR("<ul>"));
        }
        buf_add(out, STR("<li>"));
        html_link(out, n->components[i], g->component, g->findings, g->entries.len);
        buf_add(out, STR("</li>"));
    }
    buf_add(out, o->len ? STR("</ul></li>") : STR_NONE);
    if (r->unmatched.len) {
        buf_add(out, STR("\n<li>"));
        html_link(out, STR("unmatched"), STR(UNMATCHED_TITLE), results_unmatched(r), 0);
        buf_add(out, STR("</li>"));
    }
    buf_add(out, STR("</ul></nav>\n"));
}

/* ---- Overview. ---- */

static str lead_text(struct arena *a, const struct results *r)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    if (r->patched)
        buf_fmt(&out, "%s patched by overrides", str_z(a, counted(a, r->patched, "object")));
    if (r->verdict.known) {
        str text = verdict_text(a, &r->verdict);
        buf_fmt(&out, "%sverdict: %.*s", out.len ? " · " : "", STR_ARG(text));
    }
    return buf_str(&out);
}

static void add_overview(struct arena *a, const struct results *r, const struct report_options *o,
                         const struct totals *t, struct buf *out)
{
    const struct html_part parts[] = {{"differs", t->differs},
                                      {"issue", t->issues},
                                      {"unmatched", t->unmatched},
                                      {"same", t->same + t->patched}};

    html_overview(out, headline(a, r), lead_text(a, r), parts, COUNT(parts));
    html_total(out, "differs", "Different", t->differs);
    html_total(out, "issue", "Missing from the cluster", r->missing);
    html_total(out, "unmatched", "Not matched", t->unmatched);
    html_total(out, "same", "As expected", t->same + t->patched);
    buf_add(out, STR("</dl>\n"));
    html_made(a, out, o->now, &r->subject, r->overrides, r->hash);
    buf_add(out, STR("</section>\n"));
}

/* ---- Items. ---- */

/* Similar objects are put together, at the place of the first. */
static void add_objects(struct html_page *p, const struct result_diff *d, struct buf *out)
{
    AUTO_ARENA a = arena_new();
    str key = diff_alike_key(a, d);
    const struct html_alike *alike = key.len ? map_get(p->alike, key) : NULL;

    if (!alike || alike->len < 2)
        html_object(p, d, NULL, out);
    else if (alike->items[0] == d)
        for (size_t i = 0; i < alike->len; i++)
            html_object(p, alike->items[i], alike, out);
}

static void add_group(struct html_page *p, const struct group *g, str anchor, struct buf *out)
{
    buf_fmt(out, "<section class=\"component\" id=\"%.*s\"><h3>", STR_ARG(anchor));
    html_show(out, g->component.len ? g->component : STR("(no name)"));
    buf_fmt(out, " <span class=\"n\">%zu</span></h3><div class=\"items\">\n", g->entries.len);
    for (size_t i = 0; i < g->entries.len; i++) {
        const struct entry *e = &g->entries.items[i];
        if (e->issue)
            html_issue(p, e->issue, out);
        else
            add_objects(p, e->diff, out);
    }
    buf_add(out, STR("</div></section>\n"));
}

static void add_groups(struct html_page *p, const struct outline *o, const struct anchors *n,
                       struct buf *out)
{
    for (size_t i = 0; i < o->len; i++) {
        if (begins_part(o, i)) {
            buf_fmt(out, "%s<section class=\"part\" id=\"%.*s\"><h2>", i ? "</section>\n" : "",
                    STR_ARG(n->parts[i]));
            html_show(out, o->items[i].part.len ? o->items[i].part : STR("(no name)"));
            buf_add(out, STR("</h2>\n"));
        }
        add_group(p, &o->items[i], n->components[i], out);
    }
    buf_add(out, o->len ? STR("</section>\n") : STR_NONE);
}

static void add_unmatched(struct html_page *p, struct buf *out)
{
    const struct results *r = p->results;

    if (!r->unmatched.len)
        return;
    buf_add(out, STR("<section class=\"part\" id=\"unmatched\"><h2>" UNMATCHED_TITLE
                     "</h2><div class=\"items\">\n"));
    for (size_t i = 0; i < r->unmatched.len; i++)
        html_unmatched(p, r->unmatched.items[i], out);
    if (results_unmatched(r) > r->unmatched.len)
        buf_fmt(out, "<p class=\"quiet\">and %zu more: <code>-A</code> lists them all</p>\n",
                results_unmatched(r) - r->unmatched.len);
    buf_add(out, STR("</div></section>\n"));
}

/* ---- The page. ---- */

static void add_alike(struct arena *a, struct map *known, const struct result_diff *d)
{
    str key = diff_alike_key(a, d);
    struct html_alike *alike = key.len ? map_get(known, key) : NULL;

    if (!key.len)
        return;
    if (!alike) {
        alike = ARENA_NEW(a, struct html_alike);
        map_set(known, key, alike);
        alike->number = map_len(known);
    }
    VEC_PUSH(a, alike, d);
}

/* Objects with the same template, and thus all similar ones, are in one component. */
static struct map *find_alike(struct arena *a, const struct outline *o)
{
    struct map *known = map_new(a);

    for (size_t i = 0; i < o->len; i++)
        for (size_t k = 0; k < o->items[i].entries.len; k++)
            if (o->items[i].entries.items[k].diff)
                add_alike(a, known, o->items[i].entries.items[k].diff);
    return known;
}

/* Up to this many findings are all shown open. */
#define OPEN_MAX 20

static struct html_page begin_page(struct arena *a, const struct results *r,
                                   const struct outline *o)
{
    static const char *const own[] = {"baseline", "collapse", "expand",    "find",   "headline",
                                      "inferred", "nothing",  "objects",   "reset",  "shown",
                                      "split",    "theme",    "unmatched", "verdict"};
    struct html_page p = {.results = r, .ids = {a, map_new(a)}, .explanations = map_new(a)};

    for (size_t i = 0; i < COUNT(own); i++)
        html_id(&p.ids, str_c(own[i]));
    p.alike = find_alike(a, o);
    for (size_t i = 0; i < r->explanations.len; i++)
        map_set(p.explanations, r->explanations.items[i].object, &r->explanations.items[i]);
    return p;
}

static bool write_html(const struct results *r, const struct report_options *o, struct buf *out,
                       struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct totals totals = count_totals(r);
    struct outline outline = outline_of(a, r);
    struct html_page page = begin_page(a, r, &outline);
    struct anchors anchors = make_anchors(&page, &outline);
    str title = headline(a, r), input = r->subject.input;

    (void)e;
    page.open = totals.differs <= OPEN_MAX;
    html_head(out, input.len ? str_fmt(a, "%.*s: %.*s", STR_ARG(input), STR_ARG(title)) : title);
    add_bar(&totals, out);
    buf_add(out, STR("<div class=\"page\">\n"));
    add_tree(r, &outline, &anchors, out);
    buf_add(out, STR("<main>\n"));
    add_overview(a, r, o, &totals, out);
    if (r->verdict.known)
        html_verdict(&r->verdict, out);
    if (r->baseline.file.len)
        html_baseline(r, out);
    html_reference_only(r, out);
    buf_add(out, STR("<div id=\"objects\" tabindex=\"-1\">\n"));
    add_groups(&page, &outline, &anchors, out);
    add_unmatched(&page, out);
    html_end(out);
    return true;
}

const struct report_format report_html = {
    .name = "html",
    .help = "one page for a browser",
    .endings = ".html .htm",
    .explains = true,
    .write = write_html,
    .write_fleet = fleet_write_html,
};
