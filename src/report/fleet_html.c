/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_html.c - a fleet as one self-contained page: totals, the matrix of drift by site, the
 * findings by rarity, and the sites by how unusual they are. See html_page.c for what all pages
 * have; fleet_html_item.c has findings and sites.
 */
#include "report/fleet_html_internal.h"

/* Rows of the matrix: the rarest and the most frequent, if there are many. */
enum { ROWS_FIRST = 40, ROWS_LAST = 20 };

/* The most columns of the matrix that each have a name and a border. */
#define COLUMNS_NAMED 100

/* ---- Sections. ---- */

static bool is_single(const struct fleet_finding *x)
{
    return x->kind != FLEET_UNMATCHED && x->sites.len == 1 && !x->common;
}

static bool is_some(const struct fleet_finding *x)
{
    return x->kind != FLEET_UNMATCHED && x->sites.len > 1 && !x->common;
}

static bool is_common(const struct fleet_finding *x)
{
    return x->kind != FLEET_UNMATCHED && x->common;
}

static bool is_unmatched(const struct fleet_finding *x)
{
    return x->kind == FLEET_UNMATCHED;
}

static const struct section {
    const char *id, *title;
    bool (*has)(const struct fleet_finding *x);
} sections[] = {
    {"single", "In one site only", is_single},
    {"some", "In some sites", is_some},
    {"common", "In most sites", is_common},
    {"unmatched", UNMATCHED_TITLE, is_unmatched},
};

static size_t section_len(const struct fleet *f, const struct section *s)
{
    size_t n = 0;

    for (size_t i = 0; i < f->findings.len; i++)
        n += s->has(&f->findings.items[i]);
    return n;
}

static void begin_items(struct fleet_page *p, const char *id, const char *title)
{
    buf_fmt(p->out, "<section class=\"part\" id=\"%s\"><h2>%s</h2><div class=\"items\">\n", id,
            title);
}

static void add_section(struct fleet_page *p, const struct section *s)
{
    const struct fleet *f = p->fleet;

    if (!section_len(f, s))
        return;
    begin_items(p, s->id, s->title);
    for (size_t i = 0; i < f->findings.len; i++)
        if (s->has(&f->findings.items[i]))
            fleet_html_finding(p, i);
    buf_add(p->out, STR("</div></section>\n"));
}

static void add_failed(struct fleet_page *p)
{
    const struct fleet *f = p->fleet;

    if (!f->failed)
        return;
    begin_items(p, "failed", "Not compared");
    for (size_t i = 0; i < f->sites.len; i++)
        if (f->sites.items[i].error.len)
            fleet_html_site(p, i);
    buf_add(p->out, STR("</div></section>\n"));
}

static void add_sites(struct fleet_page *p)
{
    const struct fleet *f = p->fleet;

    if (!f->compared)
        return;
    begin_items(p, "sites", "Sites, those that differ most from the others first");
    for (size_t i = 0; i < f->profiles.len; i++)
        for (size_t k = 0; k < f->profiles.items[i].sites.len; k++)
            fleet_html_site(p, f->profiles.items[i].sites.items[k]);
    buf_add(p->out, STR("</div></section>\n"));
}

static void add_tree_link(struct buf *out, const char *id, const char *title, size_t bad,
                          size_t all)
{
    if (!bad && !all)
        return;
    buf_add(out, STR("\n<li>"));
    html_link(out, str_c(id), str_c(title), bad, all);
    buf_add(out, STR("</li>"));
}

static void add_tree(const struct fleet *f, struct buf *out)
{
    buf_add(out, STR("<nav class=\"tree\" aria-label=\"Findings and sites\"><h2>Fleet</h2><ul>"));
    add_tree_link(out, "failed", "Not compared", f->failed, 0);
    for (size_t i = 0; i < COUNT(sections); i++)
        add_tree_link(out, sections[i].id, sections[i].title, section_len(f, &sections[i]), 0);
    add_tree_link(out, "sites", "Sites", 0, f->compared);
    buf_add(out, STR("</ul></nav>\n"));
}

/* ---- Overview. ---- */

static void add_bar(const struct fleet *f, struct buf *out)
{
    size_t drift = f->kinds[FLEET_DIFFERS] + f->kinds[FLEET_MISSING], apart = 0;
    size_t all = f->findings.len + f->sites.len, fresh = 0;

    for (size_t i = 0; i < f->sites.len; i++)
        apart += f->sites.items[i].apart > 0;
    for (size_t i = 0; i < f->findings.len; i++)
        fresh += f->findings.items[i].fresh.len > 0;
    html_bar(out, "Fleet report", "Site, name, kind, template, value…");
    html_chip(out, "findings", "Findings", drift + f->kinds[FLEET_UNMATCHED] + f->failed + apart,
              false);
    html_chip(out, "differs", "Different", f->kinds[FLEET_DIFFERS], true);
    html_chip(out, "issue", "Missing", f->kinds[FLEET_MISSING], true);
    if (f->kinds[FLEET_UNMATCHED])
        html_chip(out, "unmatched", "Not matched", f->kinds[FLEET_UNMATCHED], true);
    if (f->baseline.file.len)
        html_chip(out, "new", "New", fresh, false);
    html_chip(out, "site", "Sites", f->sites.len, false);
    if (f->states[VERDICT_INCOMPLETE])
        html_chip(out, "incomplete", "Incomplete", f->states[VERDICT_INCOMPLETE], false);
    html_chip(out, "failed", "Not compared", f->failed, true);
    html_chip(out, "all", "All", all, false);
    html_bar_end(out);
}

static str lead_text(struct arena *a, const struct fleet *f)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    buf_fmt(&out, "%s",
            str_z(a, counted(a, f->kinds[FLEET_DIFFERS] + f->kinds[FLEET_MISSING],
                             "different finding")));
    if (f->states[VERDICT_INCOMPLETE])
        buf_fmt(&out, " · the comparison of %s is incomplete",
                str_z(a, counted(a, f->states[VERDICT_INCOMPLETE], "site")));
    if (f->with_unmatched)
        buf_fmt(&out, " · %s objects not matched by the reference",
                str_z(a, f->with_unmatched == 1 ? STR("1 site has")
                                                : str_fmt(a, "%zu sites have", f->with_unmatched)));
    if (f->baseline.file.len)
        buf_fmt(&out, " · since %.*s: %zu new, %zu fixed", STR_ARG(f->baseline.file),
                f->baseline.fresh, f->baseline.fixed);
    if (report_is_of_another(f->baseline.hash, f->hash))
        buf_add(&out, STR(" (made with another reference)"));
    return buf_str(&out);
}

static void add_overview(struct arena *a, const struct fleet *f, const struct report_options *o,
                         struct buf *out)
{
    const struct html_part parts[] = {{"failed", f->failed},
                                      {"differs", f->drifting},
                                      {"issue", f->undecided},
                                      {"same", f->compared - f->drifting - f->undecided}};

    html_overview(out, fleet_headline(a, f), lead_text(a, f), parts, COUNT(parts));
    html_total(out, "failed", "Sites not compared", f->failed);
    html_total(out, "differs", "Sites with drift", f->drifting);
    html_total(out, "same", "Sites as expected", f->compared - f->drifting - f->undecided);
    html_total(out, "issue", "Incomplete", f->states[VERDICT_INCOMPLETE]);
    buf_add(out, STR("</dl>\n"));
    const struct result_subject subject = {.reference = f->reference};
    html_made(a, out, o->now, &subject, f->overrides, f->hash);
    buf_add(out, STR("</section>\n"));
}

/* ---- The matrix. ---- */

/* The column of each site, most unusual ones on the left; SIZE_MAX for sites without a column. */
static size_t *make_columns(struct arena *a, const struct fleet *f, uint32_t *order)
{
    size_t *columns = ARENA_ARRAY(a, size_t, f->sites.len), at = 0;

    for (size_t i = 0; i < f->sites.len; i++)
        columns[i] = SIZE_MAX;
    for (size_t i = 0; i < f->profiles.len; i++)
        for (size_t k = 0; k < f->profiles.items[i].sites.len; k++) {
            order[at] = f->profiles.items[i].sites.items[k];
            columns[order[at]] = at;
            at++;
        }
    return columns;
}

/* Marks columns from..to. */
static void add_stretch(const struct fleet *f, const uint32_t *order, const char *class,
                        size_t from, size_t to, struct buf *out)
{
    buf_fmt(out, "<rect class=\"%s\" x=\"%zu\" width=\"%zu\" height=\"1\"><title>", class, from,
            to - from);
    html_attr(out, f->sites.items[order[from]].name);
    if (to - from > 1) {
        buf_add(out, STR(" – "));
        html_attr(out, f->sites.items[order[to - 1]].name);
    }
    buf_add(out, STR("</title></rect>"));
}

static void add_strip(struct arena *a, const struct fleet *f, const struct fleet_finding *x,
                      const size_t *columns, const uint32_t *order, struct buf *out)
{
    const char *class = x->kind == FLEET_MISSING ? "issue" : "differs";
    bool *has = ARENA_ARRAY(a, bool, f->compared);

    for (size_t i = 0; i < x->sites.len; i++)
        has[columns[x->sites.items[i]]] = true;
    buf_fmt(out,
            "<svg class=\"strip\" viewBox=\"0 0 %zu 1\" preserveAspectRatio=\"none\" "
            "aria-hidden=\"true\">",
            f->compared);
    for (size_t i = 0, end; i < f->compared; i = end) {
        for (end = i + 1; end < f->compared && has[end] == has[i];)
            end++;
        if (has[i])
            add_stretch(f, order, class, i, end, out);
    }
    if (f->compared <= COLUMNS_NAMED) {
        buf_add(out, STR("<path d=\""));
        for (size_t i = 1; i < f->compared; i++)
            buf_fmt(out, "M%zu 0v1", i);
        buf_add(out, STR("\"/>"));
    }
    buf_add(out, STR("</svg>"));
}

static void add_matrix_row(struct fleet_page *p, size_t index, const size_t *columns,
                           const uint32_t *order)
{
    AUTO_ARENA a = arena_new();
    const struct fleet_finding *x = &p->fleet->findings.items[index];

    buf_fmt(p->out, "<tr><td class=\"number\"><a href=\"#finding-%zu\">%zu</a></td><td>", index + 1,
            index + 1);
    html_show(p->out, fleet_subject(a, x));
    buf_fmt(p->out, "</td><td class=\"number\">%zu</td><td>", x->sites.len);
    add_strip(a, p->fleet, x, columns, order, p->out);
    buf_add(p->out, STR("</td></tr>\n"));
}

/* With more columns, only every n-th has a name. */
static size_t name_step(const struct fleet *f)
{
    return (f->compared + COLUMNS_NAMED - 1) / COLUMNS_NAMED;
}

static void add_column_names(struct fleet_page *p, const uint32_t *order)
{
    const struct fleet *f = p->fleet;
    size_t step = name_step(f);

    buf_fmt(p->out, "<span class=\"columns%s\">", step > 1 ? " sparse" : "");
    for (size_t i = 0; i < f->compared; i++) {
        if (i % step) {
            buf_add(p->out, STR("<i></i>"));
            continue;
        }
        buf_fmt(p->out, "<a href=\"#%.*s\">", STR_ARG(p->site_ids[order[i]]));
        html_show(p->out, f->sites.items[order[i]].name);
        buf_add(p->out, STR("</a>"));
    }
    buf_add(p->out, STR("</span>"));
}

static void add_matrix(struct fleet_page *p)
{
    const struct fleet *f = p->fleet;
    size_t count = f->kinds[FLEET_DIFFERS] + f->kinds[FLEET_MISSING];
    size_t first = count > ROWS_FIRST + ROWS_LAST ? ROWS_FIRST : count;
    uint32_t *order = ARENA_ARRAY(p->ids.arena, uint32_t, f->compared);
    const size_t *columns = make_columns(p->ids.arena, f, order);

    if (!count || f->compared < 2)
        return;
    buf_add(p->out,
            STR("<section class=\"verdict panel\" aria-labelledby=\"matrix\"><h2 id=\"matrix\">"
                "Drift by site</h2><p class=\"quiet\">A column is a site, those that differ most "
                "from the others at the left. A row is a finding, the rarest first."));
    if (name_step(f) > 1)
        buf_fmt(p->out, " Of %zu columns, one in %zu is named.", f->compared, name_step(f));
    buf_add(p->out,
            STR("</p><div class=\"scroll\"><table class=\"matrix\"><thead><tr><th scope=\"col\" "
                "class=\"number\">No.</th><th scope=\"col\">Finding</th><th scope=\"col\" "
                "class=\"number\">Sites</th><th scope=\"col\">"));
    add_column_names(p, order);
    buf_add(p->out, STR("</th></tr></thead><tbody>"));
    for (size_t i = 0; i < first; i++)
        add_matrix_row(p, i, columns, order);
    if (first < count)
        buf_fmt(p->out, "<tr><td></td><td colspan=\"3\" class=\"quiet\">%zu more</td></tr>",
                count - ROWS_FIRST - ROWS_LAST);
    for (size_t i = first < count ? count - ROWS_LAST : count; i < count; i++)
        add_matrix_row(p, i, columns, order);
    buf_add(p->out, STR("</tbody></table></div></section>\n"));
}

/* ---- The page. ---- */

static struct fleet_page begin_page(struct arena *a, const struct fleet *f, struct buf *out)
{
    static const char *const own[] = {"collapse", "common",   "expand",  "failed",  "find",
                                      "headline", "matrix",   "nothing", "objects", "reset",
                                      "shown",    "single",   "split",   "sites",   "some",
                                      "theme",    "unmatched"};
    struct fleet_page p = {.fleet = f, .out = out, .ids = {a, map_new(a)}};

    p.site_ids = ARENA_ARRAY(a, str, f->sites.len);
    for (size_t i = 0; i < COUNT(own); i++)
        html_id(&p.ids, str_c(own[i]));
    for (size_t i = 0; i < f->findings.len; i++)
        html_id(&p.ids, str_fmt(a, "finding-%zu", i + 1));
    for (size_t i = 0; i < f->sites.len; i++)
        p.site_ids[i] = html_id(&p.ids, str_fmt(a, "site-%.*s", STR_ARG(f->sites.items[i].name)));
    return p;
}

bool fleet_write_html(const struct fleet *f, const struct report_options *o, struct buf *out,
                      struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct fleet_page p = begin_page(a, f, out);

    (void)e;
    html_head(out, fleet_headline(a, f));
    add_bar(f, out);
    buf_add(out, STR("<div class=\"page\">\n"));
    add_tree(f, out);
    buf_add(out, STR("<main>\n"));
    add_overview(a, f, o, out);
    add_matrix(&p);
    buf_add(out, STR("<div id=\"objects\" tabindex=\"-1\">\n"));
    add_failed(&p);
    for (size_t i = 0; i < COUNT(sections); i++)
        add_section(&p, &sections[i]);
    add_sites(&p);
    html_end(out);
    return true;
}
