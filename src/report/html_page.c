/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html_page.c - what all HTML pages have in common: head and policy, the bar with filter and tools,
 * a row of numbers, the end with the script.
 *
 * Everything is in the file: style and script are in src/report/html and are embedded by the build.
 * The page's own policy allows exactly these two and no connections, so that nothing in an object
 * can run, even if its text were taken for markup. Without the script all items are shown.
 */
#include "report/internal.h"

#include "base/embed.h"
#include "report_hashes.h"

EMBED(report_css, "src/report/html/report.css");
EMBED(report_js, "src/report/html/report.js");

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
const char html_chevron[] = "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M5 2l6 6-6 "
                            "6\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\"/></svg>";

/* ---- Head and bar. ---- */

void html_head(struct buf *out, str title)
{
    buf_add(out, STR("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src '" REPORT_CSS_HASH "'; script-src '" REPORT_JS_HASH
                     "'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"referrer\" content=\"no-referrer\">\n"
                     "<meta name=\"generator\" content=\"plumb " PLUMB_VERSION "\">\n"
                     "<link rel=\"icon\" href=\"data:,\">\n<title>"));
    html_attr(out, title);
    buf_add(out, STR(" – plumb</title>\n<style>"));
    buf_add(out, EMBEDDED(report_css));
    buf_add(out, STR("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#objects\">Skip to the "
                     "objects</a>\n"));
}

void html_bar(struct buf *out, const char *title, const char *placeholder)
{
    buf_fmt(out,
            "<header class=\"bar\">\n<div><div class=\"brand\">%s<h1>%s</h1>"
            "</div>\n",
            icon, title);
    buf_fmt(out,
            "<form class=\"find\" role=\"search\" data-script hidden>%s<input type=\"search\" "
            "id=\"find\" autocomplete=\"off\" spellcheck=\"false\" aria-label=\"Filter "
            "objects\" placeholder=\"%s\"><kbd "
            "aria-hidden=\"true\">/</kbd></form>\n",
            lens, placeholder);
    buf_fmt(out,
            "<div class=\"tools\" data-script hidden><button type=\"button\" id=\"expand\">"
            "Expand all</button><button type=\"button\" id=\"collapse\">Collapse all</button>"
            "<button type=\"button\" id=\"split\" aria-pressed=\"false\">Side by side</button>"
            "<button type=\"button\" id=\"theme\" aria-pressed=\"false\">%sDark</button></div>"
            "</div>\n",
            moon);
    buf_add(out, STR("<div data-script hidden><div class=\"chips\" role=\"group\" "
                     "aria-label=\"Filter by status\">"));
}

void html_chip(struct buf *out, const char *status, const char *label, size_t n, bool dot)
{
    buf_fmt(out, "<button type=\"button\" data-status=\"%s\" aria-pressed=\"false\">", status);
    if (dot)
        buf_fmt(out, "<i class=\"%s\"></i>", status);
    buf_fmt(out, "%s <span class=\"count\">%zu</span></button>", label, n);
}

void html_bar_end(struct buf *out)
{
    buf_add(out, STR("</div><p class=\"shown\" id=\"shown\" role=\"status\"></p></div>\n"
                     "</header>\n"));
}

/* ---- Numbers. ---- */

#define METER_WIDTH 1000
/* The least width of a part, so that it is visible. */
#define METER_LEAST 6

static size_t add_stretch(struct buf *out, const struct html_part *part, size_t from, size_t all)
{
    size_t width = all ? part->n * METER_WIDTH / all : 0;

    if (!part->n)
        return from;
    if (width < METER_LEAST)
        width = METER_LEAST;
    if (from + width > METER_WIDTH || str_eq(str_c(part->class), STR("same")))
        width = from < METER_WIDTH ? METER_WIDTH - from : 0;
    buf_fmt(out, "<rect class=\"%s\" x=\"%zu\" width=\"%zu\" height=\"10\"/>", part->class, from,
            width);
    return from + width;
}

void html_overview(struct buf *out, str headline, str lead, const struct html_part *parts,
                   size_t count)
{
    size_t all = 0, at = 0;

    html_put(out,
             "<section class=\"overview panel\" aria-labelledby=\"headline\"><h2 id=\"headline\">",
             headline, "</h2><p class=\"lead\">");
    html_put(out, "", lead, "</p>\n");
    for (size_t i = 0; i < count; i++)
        all += parts[i].n;
    buf_fmt(out,
            "<svg class=\"meter\" viewBox=\"0 0 %d 10\" preserveAspectRatio=\"none\" "
            "aria-hidden=\"true\">",
            METER_WIDTH);
    for (size_t i = 0; i < count; i++)
        at = add_stretch(out, &parts[i], at, all);
    buf_add(out, STR("</svg>\n<dl class=\"totals\">"));
}

void html_total(struct buf *out, const char *class, const char *label, size_t n)
{
    buf_fmt(out, "<div><dt><i class=\"%s\"></i>%s</dt><dd>%zu</dd></div>", class, label, n);
}

void html_fact(struct buf *out, const char *name, str value)
{
    if (!value.len)
        return;
    buf_fmt(out, "<div><dt>%s</dt>", name);
    html_put(out, "<dd>", value, "</dd></div>");
}

/* What was compared with what, when, by whom, with which overrides. */
void html_made(struct arena *a, struct buf *out, int64_t now, const struct result_subject *s,
               str overrides, str hash)
{
    char stamp[CLOCK_STAMP];

    clock_stamp(now, stamp);
    buf_add(out, STR("<dl class=\"about\">"));
    html_fact(out, "Compared", s->input);
    html_fact(out, "With the reference",
              s->version.len
                  ? str_fmt(a, "%.*s (format %.*s)", STR_ARG(s->reference), STR_ARG(s->version))
                  : s->reference);
    html_fact(out, "Made", str_fmt(a, "%.10s %.8s UTC", stamp, stamp + 11));
    html_fact(out, "By", STR("plumb " PLUMB_VERSION));
    html_fact(out, "Overrides", overrides);
    html_put(out, "<div><dt>Reference hash</dt><dd><code>", hash, "</code></dd></div></dl>");
}

void html_link(struct buf *out, str anchor, str name, size_t findings, size_t all)
{
    buf_fmt(out, "<a href=\"#%.*s\"><span>", STR_ARG(anchor));
    html_show(out, name.len ? name : STR("(no name)"));
    if (findings)
        buf_fmt(out, "</span><span class=\"n bad\" title=\"findings\">%zu</span></a>", findings);
    else
        buf_fmt(out, "</span><span class=\"n\" title=\"objects\">%zu</span></a>", all);
}

void html_end(struct buf *out)
{
    buf_add(out, STR("</div>\n<div class=\"nothing\" id=\"nothing\" hidden><p>Nothing fits this "
                     "filter.</p><p><button type=\"button\" id=\"reset\">Show everything</button>"
                     "</p></div>\n</main>\n</div>\n<footer>Made by plumb " PLUMB_VERSION
                     ". This page is one file and connects to nothing.</footer>\n<script>"));
    buf_add(out, EMBEDDED(report_js));
    buf_add(out, STR("</script>\n</body>\n</html>\n"));
}
