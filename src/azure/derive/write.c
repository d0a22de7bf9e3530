/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - writes models and notes as text.
 *
 * A model has one line per resource and per named type, with properties sorted, so that a change in
 * the types changes few lines.
 */
#include "azure/derive/derive.h"
#include "text/json/json.h"

/* A named type on a line of its own. Members of props are sorted, the rest keeps its order. */
static bool write_line(struct buf *out, const struct value *v, struct err *e)
{
    AUTO_ARENA a = arena_new();
    const struct value *props = value_get(v, STR("props"));
    struct value *sorted = value_object(a);

    json_write_string(out, value_key(v), false);
    buf_char(out, ':');
    if (!props)
        return json_write(out, v, &json_exact, e);
    struct value **members = value_sorted(a, props);
    for (size_t i = 0; i < value_len(props); i++)
        value_set(a, sorted, value_key(members[i]), members[i]);
    struct value *copy = value_clone(a, v);
    value_set(a, copy, STR("props"), sorted);
    return json_write(out, copy, &json_exact, e);
}

static bool write_section(struct buf *out, const struct value *section, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct value **members = value_sorted(a, section);

    buf_char(out, '{');
    for (size_t i = 0; i < value_len(section); i++) {
        buf_add(out, i ? STR(",\n") : STR("\n"));
        if (!write_line(out, members[i], e))
            return false;
    }
    buf_add(out, value_len(section) ? STR("\n}") : STR("}"));
    return true;
}

bool derive_write(struct buf *out, const struct value *model, struct err *e)
{
    buf_add(out, STR("{\n"));
    for (size_t i = 0; i < value_len(model); i++) {
        const struct value *v = &model->items[i];
        json_write_string(out, value_key(v), false);
        buf_char(out, ':');
        bool ok = value_is(v, VALUE_OBJECT) ? write_section(out, v, e)
                                            : json_write(out, v, &json_exact, e);
        if (!ok)
            return false;
        buf_add(out, i + 1 < model->len ? STR(",\n") : STR("\n"));
    }
    buf_add(out, STR("}\n"));
    return buf_check(out, e);
}

void derive_write_notes(struct buf *out, const struct derive_result *r)
{
    for (size_t i = 0; i < r->notes.len; i++) {
        const struct derive_note *n = &r->notes.items[i];
        buf_fmt(out, "%s %.*s/%.*s %.*s", note_name(n->kind), STR_ARG(n->group),
                STR_ARG(n->version), STR_ARG(n->resource));
        if (n->type.len)
            buf_fmt(out, " %s %.*s.%.*s", side_name(n->side), STR_ARG(n->type), STR_ARG(n->prop));
        buf_fmt(out, ": %s\n", n->why);
    }
}
