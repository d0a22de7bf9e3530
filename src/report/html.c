/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html.c - the report as one self-contained page.
 *
 * Everything is in the file: look and script come from src/report/html and are put into the program
 * by the build. The page's own policy allows exactly these two and no connection at all, so that
 * nothing in an object can act, even if its text were to be taken for markup. Without script all
 * items are shown.
 */
#include "report/internal.h"

#include "report_assets.h"

static const char icon[] =
    "<svg viewBox=\"0 0 24 24\" aria-hidden=\"true\" fill=\"none\" stroke=\"currentColor\" "
    "stroke-width=\"1.8\" stroke-linejoin=\"round\"><path d=\"M4 2.5h16M12 2.5V9\"/><path d=\"M8.5 "
    "9h7l1 5.5L12 21.5 7.5 14.5z\" fill=\"currentColor\" fill-opacity=\".18\"/></svg>";
static const char lens[] =
    "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\" fill=\"none\" stroke=\"currentColor\" "
    "stroke-width=\"1.6\"><circle cx=\"7\" cy=\"7\" r=\"4.5\"/><path d=\"M10.5 10.5L14 "
    "14\"/></svg>";
static const char moon[] = "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M6 1.5A6.6 "
                           "6.6 0 1 0 14.5 10 5.2 5.2 "
                           "0 0 1 6 1.5z\" fill=\"currentColor\"/></svg>";

/* How many items have which status. */
struct totals {
    size_t differs, issues, unmatched, patched, same;
};

static struct totals count_totals(const struct results *r)
{
    struct totals t = {.issues = r->issues.len, .unmatched = r->unmatched.len};

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

static size_t total_items(const struct totals *t)
{
    return total_findings(t) + t->patched + t->same;
}

/* ---- Head and bar. ---- */

static void add_head(struct arena *a, const struct results *r, struct buf *out)
{
    buf_add(out, STR("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src '" REPORT_CSS_HASH "'; script-src '" REPORT_JS_HASH
                     "'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"referrer\" content=\"no-referrer\">\n"
                     "<meta name=\"generator\" content=\"plumb " PLUMB_VERSION "\">\n"
                     "<link rel=\"icon\" href=\"data:,\">\n<title>"));
    html_attr(out, headline(a, r));
    buf_add(out, STR(" – plumb</title>\n<style>"));
    buf_add(out, str_c(REPORT_CSS));
    buf_add(out, STR("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#objects\">Skip to the "
                     "objects</a>\n"));
}

static void add_chip(struct buf *out, const char *status, const char *label, size_t n, bool dot)
{
    buf_fmt(out, "<button type=\"button\" data-status=\"%s\" aria-pressed=\"false\">", status);
    if (dot)
        buf_fmt(out, "<i class=\"%s\"></i>", status);
    buf_fmt(out, "%s <span class=\"count\">%zu</span></button>", label, n);
}

static void add_bar(const struct totals *t, struct buf *out)
{
    buf_fmt(out,
            "<header class=\"bar\">\n<div><div class=\"brand\">%s<h1>Comparison report</h1>"
            "</div>\n",
            icon);
    buf_fmt(out,
            "<form class=\"find\" role=\"search\" data-script hidden>%s<input type=\"search\" "
            "id=\"find\" autocomplete=\"off\" spellcheck=\"false\" aria-label=\"Filter "
            "objects\" placeholder=\"Name, kind, namespace, template, value…\"><kbd "
            "aria-hidden=\"true\">/</kbd></form>\n",
            lens);
    buf_fmt(out,
            "<div class=\"tools\" data-script hidden><button type=\"button\" id=\"expand\">"
            "Expand all</button><button type=\"button\" id=\"collapse\">Collapse all</button>"
            "<button type=\"button\" id=\"theme\" aria-pressed=\"false\">%sDark</button></div>"
            "</div>\n",
            moon);
    buf_add(out, STR("<div data-script hidden><div class=\"chips\" role=\"group\" "
                     "aria-label=\"Filter by status\">"));
    add_chip(out, "findings", "Findings", total_findings(t), false);
    add_chip(out, "differs", "Different", t->differs, true);
    add_chip(out, "issue", "Issues", t->issues, true);
    add_chip(out, "unmatched", "Unmatched", t->unmatched, true);
    if (t->patched)
        add_chip(out, "patched", "Patched", t->patched, true);
    add_chip(out, "same", "Same", t->same, true);
    add_chip(out, "all", "All", total_items(t), false);
    buf_add(out, STR("</div><p class=\"shown\" id=\"shown\" role=\"status\"></p></div>\n"
                     "</header>\n"));
}

/* ---- Tree. ---- */

/* Names of the places of parts and components, by their index in the outline. */
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

static void add_link(struct buf *out, str anchor, str name, size_t findings, size_t all)
{
    buf_fmt(out, "<a href=\"#%.*s\"><span>", STR_ARG(anchor));
    html_show(out, name.len ? name : STR("(no name)"));
    if (findings)
        buf_fmt(out, "</span><span class=\"n bad\" title=\"findings\">%zu</span></a>", findings);
    else
        buf_fmt(out, "</span><span class=\"n\" title=\"objects\">%zu</span></a>", all);
}

static void add_part_link(struct buf *out, const struct outline *o, size_t i, str anchor)
{
    size_t findings = 0, all = 0;

    for (size_t k = i; k < o->len && (k == i || !begins_part(o, k)); k++) {
        findings += o->items[k].findings;
        all += o->items[k].entries.len;
    }
    add_link(out, anchor, o->items[i].part, findings, all);
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
        add_link(out, n->components[i], g->component, g->findings, g->entries.len);
        buf_add(out, STR("</li>"));
    }
    buf_add(out, o->len ? STR("</ul></li>") : STR_NONE);
    if (r->unmatched.len) {
        buf_add(out, STR("\n<li>"));
        add_link(out, STR("unmatched"), STR("Not in the reference"), r->unmatched.len, 0);
        buf_add(out, STR("</li>"));
    }
    buf_add(out, STR("</ul></nav>\n"));
}

/* ---- Overview. ---- */

#define METER_WIDTH 1000
/* What is there must be seen, however little it is. */
#define METER_LEAST 6

static size_t add_stretch(struct buf *out, const char *class, size_t from, size_t n, size_t all)
{
    size_t width = all ? n * METER_WIDTH / all : 0;

    if (!n)
        return from;
    if (width < METER_LEAST)
        width = METER_LEAST;
    if (from + width > METER_WIDTH || str_eq(str_c(class), STR("same")))
        width = from < METER_WIDTH ? METER_WIDTH - from : 0;
    buf_fmt(out, "<rect class=\"%s\" x=\"%zu\" width=\"%zu\" height=\"10\"/>", class, from, width);
    return from + width;
}

static void add_meter(const struct totals *t, struct buf *out)
{
    size_t all = total_items(t), at = 0;

    buf_fmt(out,
            "<svg class=\"meter\" viewBox=\"0 0 %d 10\" preserveAspectRatio=\"none\" "
            "aria-hidden=\"true\">",
            METER_WIDTH);
    at = add_stretch(out, "differs", at, t->differs, all);
    at = add_stretch(out, "issue", at, t->issues, all);
    at = add_stretch(out, "unmatched", at, t->unmatched, all);
    add_stretch(out, "same", at, t->same + t->patched, all);
    buf_add(out, STR("</svg>\n"));
}

static void add_total(struct buf *out, const char *class, const char *label, size_t n)
{
    buf_fmt(out, "<div><dt><i class=\"%s\"></i>%s</dt><dd>%zu</dd></div>", class, label, n);
}

static void add_fact(struct buf *out, const char *name, str value)
{
    if (!value.len)
        return;
    buf_fmt(out, "<div><dt>%s</dt><dd>", name);
    html_show(out, value);
    buf_add(out, STR("</dd></div>"));
}

static str lead_text(struct arena *a, const struct results *r)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    if (r->unmatched.len)
        buf_fmt(&out, "%s not known to the reference",
                str_z(a, counted(a, r->unmatched.len, "object")));
    if (r->patched)
        buf_fmt(&out, "%s%s patched by overrides", out.len ? " · " : "",
                str_z(a, counted(a, r->patched, "object")));
    if (r->verdict.known)
        buf_fmt(&out, "%sthe comparison is %s", out.len ? " · " : "",
                r->verdict.complete ? "complete" : "incomplete");
    return buf_str(&out);
}

static void add_overview(struct arena *a, const struct results *r, const struct report_options *o,
                         const struct totals *t, struct buf *out)
{
    char stamp[CLOCK_STAMP];

    clock_stamp(o->now, stamp);
    buf_add(out, STR("<section class=\"overview panel\" aria-labelledby=\"headline\"><h2 "
                     "id=\"headline\">"));
    html_show(out, headline(a, r));
    buf_add(out, STR("</h2><p class=\"lead\">"));
    html_show(out, lead_text(a, r));
    buf_add(out, STR("</p>\n"));
    add_meter(t, out);
    buf_add(out, STR("<dl class=\"totals\">"));
    add_total(out, "differs", "Different", t->differs);
    add_total(out, "issue", "Missing templates", r->missing);
    add_total(out, "unmatched", "Unmatched", t->unmatched);
    add_total(out, "same", "As expected", t->same + t->patched);
    buf_add(out, STR("</dl>\n<dl class=\"about\">"));
    add_fact(out, "Made", str_fmt(a, "%.10s %.8s UTC", stamp, stamp + 11));
    add_fact(out, "With", STR("plumb " PLUMB_VERSION));
    add_fact(out, "Overrides", r->overrides);
    buf_add(out, STR("<div><dt>Reference hash</dt><dd><code>"));
    html_show(out, r->hash);
    buf_add(out, STR("</code></dd></div></dl></section>\n"));
}

/* ---- Items. ---- */

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
            html_object(p, e->diff, out);
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
    buf_add(out, STR("<section class=\"part\" id=\"unmatched\"><h2>Not in the reference</h2><div "
                     "class=\"items\">\n"));
    for (size_t i = 0; i < r->unmatched.len; i++)
        html_unmatched(p, r->unmatched.items[i], out);
    buf_add(out, STR("</div></section>\n"));
}

/* ---- The page. ---- */

static struct html_page begin_page(struct arena *a, const struct results *r)
{
    static const char *const own[] = {"baseline", "collapse",  "expand",  "find",  "headline",
                                      "inferred", "nothing",   "objects", "reset", "shown",
                                      "theme",    "unmatched", "verdict"};
    struct html_page p = {.results = r, .ids = {a, map_new(a)}, .explanations = map_new(a)};

    for (size_t i = 0; i < COUNT(own); i++)
        html_id(&p.ids, str_c(own[i]));
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
    struct html_page page = begin_page(a, r);
    struct anchors anchors = make_anchors(&page, &outline);

    (void)e;
    add_head(a, r, out);
    add_bar(&totals, out);
    buf_add(out, STR("<div class=\"page\">\n"));
    add_tree(r, &outline, &anchors, out);
    buf_add(out, STR("<main>\n"));
    add_overview(a, r, o, &totals, out);
    if (r->verdict.known)
        html_verdict(&r->verdict, out);
    if (r->baseline.file.len)
        html_baseline(&r->baseline, out);
    html_reference_only(r, out);
    buf_add(out, STR("<div id=\"objects\" tabindex=\"-1\">\n"));
    add_groups(&page, &outline, &anchors, out);
    add_unmatched(&page, out);
    buf_add(out, STR("</div>\n<div class=\"nothing\" id=\"nothing\" hidden><p>Nothing fits this "
                     "filter.</p><p><button type=\"button\" id=\"reset\">Show everything</button>"
                     "</p></div>\n</main>\n</div>\n<footer>Made by plumb " PLUMB_VERSION
                     ". This page is one file and connects to nothing.</footer>\n<script>"));
    buf_add(out, str_c(REPORT_JS));
    buf_add(out, STR("</script>\n</body>\n</html>\n"));
    return true;
}

const struct report_format report_html = {"html", "one page for a browser", write_html};
