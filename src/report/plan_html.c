/* SPDX-License-Identifier: Apache-2.0 */
/* plan_html.c - a plan as a page; see plan.h. */
#include "report/internal.h"
#include "report/plan.h"

#include "base/map.h"
#include "value/value.h"

#define CELL_MAX 2000

/* The look of an action, as a class of report.css. */
static const struct look {
    const char *action, *class, *label;
} looks[] = {
    {"create", "unmatched", "Create"},   {"update", "differs", "Update"},
    {"delete", "failed", "Delete"},      {"blocked", "issue", "Blocked"},
    {"waiting", "patched", "Under way"}, {"skipped", "patched", "Skipped"},
    {"unchanged", "same", "Unchanged"},
};

static const struct look *look_of(const struct value *r)
{
    for (size_t i = 0; i < COUNT(looks); i++)
        if (str_eq(value_get_str(r, STR("action")), str_c(looks[i].action)))
            return &looks[i];
    return &looks[COUNT(looks) - 1];
}

static size_t count_of(const struct value *plan, const char *action)
{
    return report_count_at(value_get(plan, STR("summary")), action);
}

static void add_overview(struct arena *a, const struct value *plan, struct buf *out)
{
    struct html_part parts[COUNT(looks)];

    for (size_t i = 0; i < COUNT(looks); i++)
        parts[i] = (struct html_part){looks[i].class, count_of(plan, looks[i].action)};
    html_overview(out, plan_totals(a, plan), plan_cost(a, plan), parts, COUNT(parts));
    for (size_t i = 0; i < COUNT(looks); i++)
        html_total(out, looks[i].class, looks[i].label, count_of(plan, looks[i].action));
    buf_add(out, STR("</dl></section>\n"));
}

static void add_changes(struct arena *a, const struct value *r, struct buf *out)
{
    static const char *const heads[] = {"", "Path", "Values", "", NULL};
    const struct value *changes = value_get(r, STR("changes"));

    if (value_len(changes))
        html_table(out, heads);
    for (size_t i = 0; i < value_len(changes); i++) {
        const struct value *c = value_at(changes, i);
        buf_add(out, STR("<tr>"));
        html_cell(out, value_get_str(c, STR("op")));
        html_cell(out, value_get_str(c, STR("path")));
        html_cell(out, plan_values(a, c, CELL_MAX));
        html_cell(out, value_get_str(c, STR("flag")));
        buf_add(out, STR("</tr>"));
    }
    if (value_len(changes))
        html_table_end(out);
}

static void add_line(struct buf *out, str text)
{
    if (text.len)
        html_put(out, "<p>", text, "</p>");
}

static void add_resource(struct html_ids *ids, const struct value *r, struct buf *out)
{
    const struct value *object = value_get(r, STR("object"));
    const struct look *look = look_of(r);
    bool same = str_eq(str_c(look->class), STR("same"));
    str name = str_fmt(ids->arena, "%.*s/%.*s", STR_ARG(value_get_str(object, STR("namespace"))),
                       STR_ARG(value_get_str(object, STR("name"))));

    html_item(out,
              html_id(ids, str_fmt(ids->arena, "%.*s-%.*s",
                                   STR_ARG(value_get_str(object, STR("kind"))), STR_ARG(name))),
              look->class);
    buf_fmt(out, "<details%s><summary>%s", same ? "" : " open", html_chevron);
    html_badge(out, look->class, look->label);
    html_put(out, "<span class=\"who\"><span class=\"kind\">", value_get_str(object, STR("kind")),
             "</span> <b>");
    html_show(out, name);
    html_put(out, "</b><small>", value_get_str(r, STR("id")),
             "</small></span></summary><div class=\"body\">");
    if (value_get_str(r, STR("reason")).len)
        add_line(out, str_fmt(ids->arena, "%.*s: %.*s", STR_ARG(value_get_str(r, STR("reason"))),
                              STR_ARG(value_get_str(r, STR("message")))));
    add_line(out, value_get_str(r, STR("note")));
    if (value_get_str(r, STR("cause")).len)
        add_line(out, str_fmt(ids->arena, "Cause: %.*s", STR_ARG(value_get_str(r, STR("cause")))));
    add_changes(ids->arena, r, out);
    if (value_get(r, STR("unchanged")))
        add_line(out, str_fmt(ids->arena, "%.*s members unchanged",
                              STR_ARG(value_text(value_get(r, STR("unchanged"))))));
    buf_add(out, STR("</div></details></article>\n"));
}

void plan_html(const struct value *plan, struct buf *out)
{
    AUTO_ARENA a = arena_new();
    struct html_ids ids = {a, map_new(a)};
    const struct value *resources = value_get(plan, STR("resources"));

    html_head(out, STR("Plan"));
    html_bar(out, "Plan", "Name, kind, path, value…");
    for (size_t i = 0; i < COUNT(looks); i++)
        if (count_of(plan, looks[i].action))
            html_chip(out, looks[i].class, looks[i].label, count_of(plan, looks[i].action), true);
    html_chip(out, "all", "All", value_len(resources), false);
    html_bar_end(out);
    buf_add(out, STR("<div class=\"page\">\n<main>\n"));
    add_overview(a, plan, out);
    buf_add(out, STR("<div id=\"objects\" tabindex=\"-1\">\n<section class=\"part\" "
                     "id=\"resources\"><h2>Resources</h2><div "
                     "class=\"items\">\n"));
    for (size_t i = 0; i < value_len(resources); i++)
        add_resource(&ids, value_at(resources, i), out);
    buf_add(out, STR("</div></section>\n"));
    html_end(out);
}
