/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - what all formats of a plan share, and Markdown; see plan.h. */
#include "report/plan.h"

#include "report/internal.h"
#include "text/json/json.h"
#include "value/value.h"

#define COMMENT_MAX 65536
/* Kept free for the closing lines. */
#define COMMENT_END 1024
#define VALUE_SHOWN 200

/* ---- Words. ---------------------------------------------------------------------------------- */

static str number(const struct value *plan, const char *member)
{
    return value_text(value_get(value_get(plan, STR("summary")), str_c(member)));
}

str plan_totals(struct arena *a, const struct value *plan)
{
    static const struct {
        const char *member, *words;
        bool always;
    } parts[] = {{"create", "to create", true},  {"update", "to update", true},
                 {"delete", "to delete", true},  {"unchanged", "unchanged", true},
                 {"skipped", "skipped", false},  {"blocked", "blocked", false},
                 {"waiting", "under way", false}};
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < COUNT(parts); i++) {
        str n = number(plan, parts[i].member);
        if (parts[i].always || !str_eq(n, STR("0")))
            buf_fmt(&b, "%s%.*s %s", b.len ? ", " : "", STR_ARG(n), parts[i].words);
    }
    return buf_str(&b);
}

static str amount(struct arena *a, const struct value *plan, const char *member, const char *noun)
{
    str n = number(plan, member);

    return str_fmt(a, "%.*s %s%s", STR_ARG(n), noun, str_eq(n, STR("1")) ? "" : "s");
}

str plan_cost(struct arena *a, const struct value *plan)
{
    str reads = amount(a, plan, "reads", "read"), writes = amount(a, plan, "writes", "write");

    if (str_eq(number(plan, "writes"), STR("0")))
        return str_fmt(a, "nothing to write, %.*s", STR_ARG(reads));
    if (str_eq(number(plan, "seconds"), STR("0")))
        return str_fmt(a, "%.*s, all within Azure's limits at once, %.*s", STR_ARG(writes),
                       STR_ARG(reads));
    return str_fmt(a, "%.*s, sent within %.*s by Azure's limits, %.*s", STR_ARG(writes),
                   STR_ARG(amount(a, plan, "seconds", "second")), STR_ARG(reads));
}

static str short_json(struct arena *a, const struct value *v, size_t max)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    if (!json_write(&b, v, &json_exact, NULL))
        return STR_NONE;
    if (b.len <= max)
        return buf_str(&b);
    while (max && (b.data[max] & 0xC0) == 0x80)
        max--;
    return str_fmt(a, "%.*s...", STR_ARG(str_slice(buf_str(&b), 0, max)));
}

str plan_values(struct arena *a, const struct value *change, size_t max)
{
    const struct value *wanted = value_get(change, STR("wanted"));
    const struct value *found = value_get(change, STR("found"));

    if (!found)
        return short_json(a, wanted, max);
    return str_fmt(a, "wanted %.*s, found %.*s",
                   STR_ARG(wanted ? short_json(a, wanted, max) : STR("nothing")),
                   STR_ARG(short_json(a, found, max)));
}

/* ---- Markdown. ------------------------------------------------------------------------------- */

static void add_change(struct arena *a, struct buf *out, const struct value *c)
{
    str flag = value_get_str(c, STR("flag"));

    buf_add(out, STR("- "));
    markdown_code(out, str_fmt(a, "%.*s %.*s", STR_ARG(value_get_str(c, STR("op"))),
                               STR_ARG(value_get_str(c, STR("path")))));
    buf_char(out, ' ');
    markdown_text(out, plan_values(a, c, VALUE_SHOWN));
    if (flag.len)
        buf_fmt(out, " **%.*s**", STR_ARG(flag));
    buf_char(out, '\n');
}

static bool is_shown(const struct value *r)
{
    str action = value_get_str(r, STR("action"));

    return !str_eq(action, STR("unchanged")) || value_len(value_get(r, STR("changes")));
}

static void add_resource(struct arena *a, struct buf *out, const struct value *r)
{
    const struct value *object = value_get(r, STR("object")),
                       *changes = value_get(r, STR("changes"));
    str action = value_get_str(r, STR("action"));

    buf_fmt(out, "<details><summary><b>%.*s</b> ", STR_ARG(action));
    markdown_code(out, str_fmt(a, "%.*s %.*s/%.*s", STR_ARG(value_get_str(object, STR("kind"))),
                               STR_ARG(value_get_str(object, STR("namespace"))),
                               STR_ARG(value_get_str(object, STR("name")))));
    if (value_get_str(r, STR("cause")).len)
        buf_fmt(out, " (%.*s)", STR_ARG(value_get_str(r, STR("cause"))));
    buf_add(out, STR("</summary>\n\n"));
    if (value_get_str(r, STR("id")).len) {
        markdown_code(out, value_get_str(r, STR("id")));
        buf_add(out, STR("\n\n"));
    }
    if (value_get_str(r, STR("reason")).len) {
        markdown_text(out, str_fmt(a, "%.*s: %.*s", STR_ARG(value_get_str(r, STR("reason"))),
                                   STR_ARG(value_get_str(r, STR("message")))));
        buf_add(out, STR("\n\n"));
    }
    if (value_get_str(r, STR("note")).len)
        buf_fmt(out, "%.*s\n\n", STR_ARG(value_get_str(r, STR("note"))));
    for (size_t i = 0; i < value_len(changes); i++)
        add_change(a, out, value_at(changes, i));
    if (value_get(r, STR("more")))
        buf_fmt(out, "- and %.*s more\n", STR_ARG(value_text(value_get(r, STR("more")))));
    if (value_get(r, STR("unchanged")))
        buf_fmt(out, "- %.*s unchanged\n", STR_ARG(value_text(value_get(r, STR("unchanged")))));
    buf_add(out, STR("\n</details>\n"));
}

void plan_markdown(const struct value *plan, struct buf *out)
{
    AUTO_ARENA a = arena_new();
    const struct value *resources = value_get(plan, STR("resources"));
    size_t left = 0;

    buf_fmt(out, "### Plan: %.*s\n\n%.*s\n\n", STR_ARG(plan_totals(a, plan)),
            STR_ARG(plan_cost(a, plan)));
    for (size_t i = 0; i < value_len(resources); i++) {
        struct buf one = buf_new(a, BUF_UNLIMITED);
        if (!is_shown(value_at(resources, i)))
            continue;
        add_resource(a, &one, value_at(resources, i));
        if (out->len + one.len > COMMENT_MAX - COMMENT_END)
            left++;
        else
            buf_add(out, buf_str(&one));
    }
    if (left)
        buf_fmt(out, "\n%zu more resources do not fit here: `plumb plan -o text` has them.\n",
                left);
    buf_fmt(out, "\nPlan: %.*s\n", STR_ARG(plan_totals(a, plan)));
}
