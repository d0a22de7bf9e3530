/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes.c - changes of the verdict, one line each, for people and for programs.
 */
#include "report/changes.h"
#include "base/quote.h"
#include "report/internal.h"
#include "text/json/json.h"

/* How many fields a line for people lists, and how much of their values it shows. */
#define FIELDS_SHOWN 5
#define VALUE_SHOWN 40

static bool has_totals(const struct watch_change *c)
{
    return c->kind == WATCH_START || c->kind == WATCH_END;
}

/* ---- For people. ---- */

static void add_field(struct arena *a, struct buf *out, const struct result_field *f)
{
    bool scalars = !value_is_container(f->expected) && !value_is_container(f->actual);

    buf_add(out, quote_line(a, f->path));
    if (f->kind == RESULT_CHANGED && scalars)
        buf_fmt(out, " (%.*s -> %.*s)", STR_ARG(field_text(a, f->expected, VALUE_SHOWN)),
                STR_ARG(field_text(a, f->actual, VALUE_SHOWN)));
    else
        buf_fmt(out, " (%s)", result_kind_name(f->kind));
}

static void add_totals(struct arena *a, struct buf *out, const struct watch_totals *t)
{
    buf_fmt(out, "%.*s, %.*s: %zu compared, %zu drift, %zu missing",
            STR_ARG(counted(a, t->types, "type")), STR_ARG(counted(a, t->objects, "object")),
            t->matched, t->drifting, t->missing);
    if (t->failed)
        buf_fmt(out, ", %zu failed", t->failed);
    if (t->failing)
        buf_fmt(out, "; %.*s cannot be watched", STR_ARG(counted(a, t->failing, "type")));
    buf_fmt(out, "; %s", verdict_state_name(watch_totals_state(t)));
    if (t->unmatched)
        buf_fmt(out, ", %.*s " UNMATCHED_WORDS, STR_ARG(counted(a, t->unmatched, "object")));
}

static void add_object(struct arena *a, struct buf *out, const struct watch_change *c)
{
    buf_add(out, quote_line(a, c->object));
    if (c->template.len)
        buf_fmt(out, " (%.*s)", STR_ARG(quote_line(a, c->template)));
    if (c->message.len)
        buf_fmt(out, ": %.*s", STR_ARG(quote_line(a, c->message)));
    if (c->gone)
        buf_add(out, STR(": it is gone"));
    for (size_t i = 0; i < c->fields.len && i < FIELDS_SHOWN; i++) {
        buf_add(out, i ? STR(", ") : STR(": "));
        add_field(a, out, &c->fields.items[i]);
    }
    if (c->fields.len > FIELDS_SHOWN)
        buf_fmt(out, " and %zu%s more", c->fields.len - FIELDS_SHOWN, c->fields.cut ? " or" : "");
}

/* The message of a resolved issue no longer matters. */
static void add_component(struct arena *a, struct buf *out, const struct watch_change *c)
{
    bool wrong = c->kind == WATCH_MISSING || c->kind == WATCH_UNWANTED;

    buf_fmt(out, "%.*s (%.*s, %.*s)", STR_ARG(quote_line(a, c->template)),
            STR_ARG(quote_line(a, c->part)), STR_ARG(quote_line(a, c->component)));
    if (wrong)
        buf_fmt(out, ": %.*s", STR_ARG(quote_line(a, c->message)));
}

void change_write_text(struct buf *out, const struct change_line *line)
{
    const struct watch_change *c = line->change;
    AUTO_ARENA a = arena_new();
    char stamp[CLOCK_STAMP];

    clock_stamp(line->now, stamp);
    buf_fmt(out, "%s %-8s ", stamp, watch_kind_name(c->kind));
    if (has_totals(c))
        add_totals(a, out, line->totals);
    else if (c->object.len)
        add_object(a, out, c);
    else
        add_component(a, out, c);
    buf_char(out, '\n');
}

/* ---- For programs. ---- */

static void set_totals(struct arena *a, struct value *out, const struct watch_totals *t)
{
    const struct {
        const char *key;
        size_t n;
    } numbers[] = {
        {"types", t->types},      {"typesFailing", t->failing}, {"objects", t->objects},
        {"compared", t->matched}, {"drifting", t->drifting},    {"failed", t->failed},
        {"missing", t->missing},  {"issues", t->issues},        {"unmatched", t->unmatched},
    };

    for (size_t i = 0; i < COUNT(numbers); i++)
        value_set_int(a, out, str_c(numbers[i].key), (int64_t)numbers[i].n);
    value_set_str(a, out, STR("state"), str_c(verdict_state_name(watch_totals_state(t))));
}

static void set_fields(struct arena *a, struct value *out, const struct result_fields *fields)
{
    struct value *list = value_set(a, out, STR("differences"), value_list(a));

    for (size_t i = 0; i < fields->len; i++)
        report_tree_field(a, value_add(a, list, value_object(a)), &fields->items[i]);
    if (fields->cut)
        value_set_bool(a, out, STR("moreDifferences"), true);
}

bool change_write_json(struct buf *out, const struct change_line *line, struct err *e)
{
    const struct watch_change *c = line->change;
    AUTO_ARENA a = arena_new();
    struct value *tree = value_object(a);
    char stamp[CLOCK_STAMP];

    clock_stamp(line->now, stamp);
    value_set_str(a, tree, STR("time"), str_c(stamp));
    value_set_str(a, tree, STR("change"), str_c(watch_kind_name(c->kind)));
    report_set_text(a, tree, "object", c->object);
    report_set_text(a, tree, "template", c->template);
    report_set_text(a, tree, "part", c->part);
    report_set_text(a, tree, "component", c->component);
    report_set_text(a, tree, "description", c->description);
    report_set_text(a, tree, "message", c->message);
    if (c->gone)
        value_set_bool(a, tree, STR("gone"), true);
    if (c->kind == WATCH_DRIFT || c->kind == WATCH_CHANGED)
        set_fields(a, tree, &c->fields);
    if (has_totals(c))
        set_totals(a, tree, line->totals);
    if (!json_write(out, tree, &json_exact, e))
        return false;
    buf_char(out, '\n');
    return true;
}
